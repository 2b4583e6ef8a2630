"""Requests that judge completions: of tasks, by their families, and of rows, by a verifier."""

import json
from dataclasses import dataclass
from typing import Any

import reasonenv
from reasonenv import _checks, rewards, verifiers
from reasonenv._native import InvalidProblem, ReasonEnvError, Verdicts
from reasonenv._plain import plain
from reasonenv.integrations._items import Posed, judged, read_once
from reasonenv.serve.bodies import Refused, fields, listed, text

__all__ = ["Judged", "judge_rows", "judge_tasks"]


@dataclass(frozen=True)
class Judged:
    """What is answered, and what is counted: how many passed and failed, by judge."""

    body: dict[str, Any]
    counts: dict[tuple[str, bool], int]


def judge_tasks(given: dict[str, Any], most: int) -> Judged:
    """`{"items": [{"family", "problem", "text", "answer"}, …], "reading", "reward"}`.

    Without a family, a problem is what `integrations.item` gives. `answer` is "tag" or "boxed".

    Raises:
        Refused: An item is at fault; names its index.
        ReasonEnvError: Another field is.
    """
    fields(given, "the body", ("items",), ("reading", "reward"))
    items = listed("items", given["items"], most)
    posed, texts = list[Posed](), list[str]()
    for index, item in enumerate(items):
        try:
            fields(item, "each item", ("problem", "text"), ("family", "answer"))
            posed.append(_posed(item))
            texts.append(text("text", item["text"]))
        except ReasonEnvError as error:
            raise _at(index, error) from None
    names = [one.family if one.row is None else one.row.verifier.name for one in posed]
    families = {one.family for one in posed if one.row is None}
    parts = {part for name in families for part in reasonenv.find_family(name).parts}
    reward = rewards.presets.resolve_judged(given.get("reward", "binary"), parts)
    reading = given.get("reading")
    try:
        verdicts = judged(texts, posed, reading)
    except InvalidProblem:
        for index, one in enumerate(posed):
            try:
                judged([""], [one], reading)
            except InvalidProblem as error:
                raise _at(index, error) from None
        raise
    return _judged(verdicts, reward(verdicts, texts).tolist(), names)


def judge_rows(given: dict[str, Any], most: int) -> Judged:
    """`{"verifier": name or {"verifier": name, options …}, "texts": […], "truths": […]}`.

    Raises:
        ReasonEnvError: A field, an option or a truth is at fault.
    """
    fields(given, "the body", ("verifier", "texts", "truths"), ())
    config = given["verifier"]
    judge = verifiers.from_config({"verifier": config} if isinstance(config, str) else config)
    texts = [text("texts", one) for one in listed("texts", given["texts"], most)]
    truths = listed("truths", given["truths"], most)
    for truth in truths:
        accepted = truth if isinstance(truth, list) else [truth]
        for one in accepted:
            text("truths", one)
    verdicts = judge(texts, truths)
    return _judged(verdicts, verdicts.score.tolist(), [judge.name] * len(texts))


def _posed(item: dict[str, Any]) -> Posed:
    """The problem of an item, whichever way it was sent."""
    problem, answer = item["problem"], item.get("answer", "tag")
    _checks.one_of("answer", answer, ["tag", "boxed"])
    if "family" not in item:
        posed = read_once(problem)
        return posed._replace(answer=answer) if "answer" in item else posed
    family = reasonenv.find_family(text("family", item["family"])).name
    if isinstance(problem, dict):
        return Posed(family, json.dumps(problem), None, answer)
    return Posed(family, text("problem", problem), None, answer)


def _at(index: int, error: ReasonEnvError) -> Refused:
    return Refused(422, type(error).__name__, f"items[{index}]: {error}", index=index)


def _judged(verdicts: Verdicts, rewarded: list[float], judges: list[str]) -> Judged:
    counts: dict[tuple[str, bool], int] = {}
    for judge, passed in zip(judges, verdicts.passed.tolist(), strict=True):
        counts[judge, passed] = counts.get((judge, passed), 0) + 1
    said = [plain(verdict.to_dict()) for verdict in verdicts]
    # A part that a family does not measure is no number, and neither is the reward then: null.
    return Judged({"rewards": plain(rewarded), "verdicts": said}, counts)
