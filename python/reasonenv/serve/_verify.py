"""Endpoints that verify completions: of tasks by their families, of rows by a verifier."""

import json
from collections import Counter
from typing import Any

import prometheus_client
from fastapi import Response

import reasonenv
from reasonenv import rewards, verifiers
from reasonenv._native import Family, InvalidProblem, ReasonEnvError, Verdicts
from reasonenv.integrations._items import ParsedProblem, judged, paid, read_once
from reasonenv.serve._bodies import RowRequest, TaskItem, TaskRequest
from reasonenv.serve._errors import ASCIIResponse, blame, blamed


class Verification:
    """Endpoints that count their verdicts. As they aren't coroutines, FastAPI runs them in threads."""

    def __init__(self, registry: prometheus_client.CollectorRegistry) -> None:
        self._verdicts = prometheus_client.Counter(
            "reasonenv_verdicts", "Verified completions.", ["verifier", "passed"], registry=registry
        )

    def tasks(self, body: TaskRequest) -> Response:
        """Verify completions, each against its own problem."""
        posed: list[ParsedProblem] = []
        families: dict[str, Family[Any]] = {}
        for at, item in enumerate(body.items):
            try:
                posed.append(_posed(item, families))
            except ReasonEnvError as error:
                field = "problem" if item.family is None else "family"
                raise blamed(error, f"items[{at}].{field}") from None
        texts = [item.text for item in body.items]
        with blame("reward"):
            parts = {part for family in families.values() for part in family.parts}
            reward = None if body.reward is None else rewards._presets.resolve_judged(body.reward, parts)
        with blame("items"):
            try:
                verdicts = judged(texts, posed, body.reading)
            except InvalidProblem:
                for at, one in enumerate(posed):
                    with blame(f"items[{at}].problem"):
                        judged([""], [one], body.reading)
                raise
        names = [one.family if one.row is None else one.row.verifier.name for one in posed]
        return self._respond(verdicts, paid(verdicts, texts, posed, reward), names)

    def rows(self, body: RowRequest) -> Response:
        """Verify completions against reference answers."""
        config = body.verifier
        with blame("verifier"):
            verifier = verifiers.from_config({"verifier": config} if isinstance(config, str) else config)
        with blame("references"):
            verdicts = verifier(body.texts, body.references)
        return self._respond(verdicts, verdicts.score.tolist(), [verifier.name] * len(verdicts))

    def _respond(self, verdicts: Verdicts, rewarded: list[float], names: list[str]) -> Response:
        for (name, passed), count in Counter(zip(names, verdicts.passed.tolist(), strict=True)).items():
            self._verdicts.labels(name, str(passed).lower()).inc(count)
        told = [verdict.to_dict() for verdict in verdicts]
        return ASCIIResponse({"rewards": rewarded, "verdicts": told})


def _posed(item: TaskItem, families: dict[str, Family[Any]]) -> ParsedProblem:
    """Return the problem of an item, in whichever form it was sent; add its family to `families`."""
    problem = item.problem if isinstance(item.problem, str) else json.dumps(item.problem)
    posed = read_once(problem) if item.family is None else ParsedProblem(item.family, problem, None)
    if posed.row is None and posed.family not in families:
        families[posed.family] = reasonenv.family(posed.family)
    return posed if item.answer is None else posed._replace(answer=item.answer)
