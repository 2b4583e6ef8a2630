"""Requests that judge completions: of tasks, by their families, and of rows, by a verifier."""

import json
from dataclasses import dataclass
from typing import Any

import reasonenv
from reasonenv import _native, rewards, verifiers
from reasonenv._checks import shown
from reasonenv._native import InvalidProblem, InvalidTask, ReasonEnvError, Verdicts
from reasonenv._plain import plain
from reasonenv.serve.bodies import Refused, fields, listed, text

__all__ = ["Judged", "judge_rows", "judge_tasks"]


@dataclass(frozen=True)
class Judged:
    """What is answered, and what is counted: how many passed and failed, by judge."""

    body: dict[str, Any]
    counts: dict[tuple[str, bool], int]


def judge_tasks(given: dict[str, Any], most: int) -> Judged:
    """`{"items": [{"family", "problem", "text"}, …], "reading", "reward"}`.

    Without a family, a problem is what `integrations.item` gives.

    Raises:
        Refused: An item is at fault; names its index.
        ReasonEnvError: Another field is.
    """
    fields(given, "the body", ("items",), ("reading", "reward"))
    items = listed("items", given["items"], most)
    families, problems, texts = list[str](), list[str](), list[str]()
    for index, item in enumerate(items):
        try:
            fields(item, "each item", ("problem", "text"), ("family",))
            family, problem = _posed(item)
            families.append(reasonenv.find_family(family).name)
            problems.append(problem)
            texts.append(text("text", item["text"]))
        except ReasonEnvError as error:
            raise _at(index, error) from None
    parts = {part for name in set(families) for part in reasonenv.find_family(name).parts}
    reward = rewards.presets.resolve_judged(given.get("reward", "binary"), parts)
    reading = given.get("reading")
    try:
        verdicts = _native.verify_all(families, problems, texts, reading)
    except InvalidProblem:
        for index, (family, problem) in enumerate(zip(families, problems, strict=True)):
            try:
                _native.verify(family, problem, "", reading)
            except InvalidProblem as error:
                raise _at(index, error) from None
        raise
    return _judged(verdicts, reward(verdicts, texts).tolist(), families)


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


def _posed(item: dict[str, Any]) -> tuple[str, str]:
    """The family of an item and its problem as JSON, whichever way they were sent.

    They are read here rather than by `integrations.score`, which remembers what it has read.
    """
    problem = item["problem"]
    if "family" not in item:
        record = _object(problem)
        if not (isinstance(record.get("family"), str) and isinstance(record.get("problem"), str)):
            msg = f"`problem` is {shown(problem)}, but must be what `item` gives, or have a `family`"
            raise InvalidTask(msg)
        return record["family"], record["problem"]
    family = text("family", item["family"])
    if isinstance(problem, dict):
        return family, json.dumps(problem)
    return family, text("problem", problem)


def _object(problem: object) -> dict[str, Any]:
    try:
        found = json.loads(problem) if isinstance(problem, str) else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _at(index: int, error: ReasonEnvError) -> Refused:
    return Refused(422, type(error).__name__, f"items[{index}]: {error}", index=index)


def _judged(verdicts: Verdicts, rewarded: list[float], judges: list[str]) -> Judged:
    counts: dict[tuple[str, bool], int] = {}
    for judge, passed in zip(judges, verdicts.passed.tolist(), strict=True):
        counts[judge, passed] = counts.get((judge, passed), 0) + 1
    said = [plain(verdict.to_dict()) for verdict in verdicts]
    # A part that a family does not measure is no number, and neither is the reward then: null.
    return Judged({"rewards": plain(rewarded), "verdicts": said}, counts)
