"""Combinations of several verifiers of the same rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reasonenv import _native
from reasonenv._native import InvalidArgument, InvalidParams, Verdicts
from reasonenv.verifiers._defined import PythonVerifier, Verifier, make

Kind = Literal["all_of", "any_of", "weighted", "first_readable"]
Reference = str | float | np.generic | Mapping[str, Any] | Sequence[Any]
"""A reference: plain data counts as its JSON, and a list holds accepted answers."""
KINDS: tuple[Kind, ...] = ("all_of", "any_of", "weighted", "first_readable")


@dataclass(frozen=True, repr=False)
class Combined:
    """A verifier that combines others. `parts` of its verdicts hold the score of each by name."""

    name: Kind
    judges: "tuple[Judge, ...]"
    weights: tuple[float, ...]

    def __call__(self, texts: Sequence[str], references: Sequence[Reference]) -> Verdicts:
        """Check one completion per reference, in order; every verifier gets the same references."""
        verdicts = [judge(texts, references) for judge in self.judges]
        return _native._combine(self.name, verdicts, self.part_names, list(self.weights))

    def check(self, references: Sequence[Reference]) -> list[tuple[int, str]]:
        """Row and reason of each reference that some verifier cannot compare an answer with."""
        found = [bad for judge in self.judges for bad in judge.check(references)]
        return sorted(found, key=lambda bad: bad[0])

    @property
    def part_names(self) -> list[str]:
        """Names of the verifiers; repeated ones are numbered: `choice`, `choice_2`."""
        names: list[str] = []
        for judge in self.judges:
            number = 1
            name: str = judge.name
            while name in names:
                number += 1
                name = f"{judge.name}_{number}"
            names.append(name)
        return names

    @property
    def config(self) -> dict[str, Any]:
        """Plain data from which `from_config` makes the same verifier."""
        config: dict[str, Any] = {"verifier": self.name, "judges": [config_of(one) for one in self.judges]}
        return config | ({"weights": list(self.weights)} if self.name == "weighted" else {})

    def __repr__(self) -> str:
        if self.name == "weighted":
            pairs = zip(self.judges, self.weights, strict=True)
            return f"weighted({', '.join(f'({judge!r}, {weight})' for judge, weight in pairs)})"
        return f"{self.name}({', '.join(map(repr, self.judges))})"


Judge = Verifier | PythonVerifier | Combined


def combined(name: Kind, judges: Sequence[Judge], weights: Sequence[float]) -> Combined:
    """Combine verifiers, after a check of every verifier and weight."""
    if not judges:
        raise InvalidArgument(f"`judges` of {name} is empty, but must have a judge")
    for at, judge in enumerate(judges):
        if not isinstance(judge, Judge):
            raise InvalidArgument(f"`judges[{at}]` is {type(judge).__name__}, but must be a verifier")
    for at, weight in enumerate(weights):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise InvalidArgument(f"`weights[{at}]` is {weight!r}, but must be a number of at least 0")
    if not sum(weights) > 0:
        raise InvalidArgument("`weights` are all 0, but one must be above 0")
    return Combined(name, tuple(judges), tuple(float(weight) for weight in weights))


def all_of(*judges: Judge) -> Combined:
    """Pass if every verifier passes; `score` is the lowest of theirs.

    >>> from reasonenv import verifiers
    >>> judge = verifiers.all_of(verifiers.think(), verifiers.choice())
    >>> judge(["<think>so</think><answer>B</answer>", "<answer>B</answer>"], ["B", "B"]).passed.tolist()
    [True, False]
    """
    return combined("all_of", judges, [1.0] * len(judges))


def any_of(*judges: Judge) -> Combined:
    """Pass if at least one verifier passes; `score` is the highest of theirs.

    This lets a completion hedge with a different answer for each verifier; `first_readable` does not.
    """
    return combined("any_of", judges, [1.0] * len(judges))


def weighted(*parts: tuple[Judge, float]) -> Combined:
    """Pass if every verifier with a positive weight passes; `score` is the weighted mean of the scores."""
    for at, part in enumerate(parts):
        if not isinstance(part, tuple) or len(part) != 2:
            raise InvalidArgument(f"`parts[{at}]` is {type(part).__name__}, but must be (judge, weight)")
    return combined("weighted", [judge for judge, _ in parts], [weight for _, weight in parts])


def first_readable(*judges: Judge) -> Combined:
    """Use the first verifier that finds an answer of its form, or the last one if none does.

    A verifier finds no such answer if its first failure is `no_answer`, `missing_or_broken_tags` or
    `malformed_answer`.
    """
    return combined("first_readable", judges, [1.0] * len(judges))


def config_of(judge: Judge) -> dict[str, Any]:
    """Plain data from which `from_config` makes the same verifier."""
    if isinstance(judge, Combined):
        return judge.config
    return {"verifier": judge.name, **judge.options}


def from_config(config: Mapping[str, Any]) -> Judge:
    """Make a verifier from plain data, such as the configuration of a run.

    >>> from reasonenv import verifiers
    >>> verifiers.from_config({"verifier": "choice", "extract": "boxed"}).name
    'choice'

    Args:
        config: A mapping with a name from `list_verifiers()` as `verifier` and its options. Or `verifier` is
            "all_of", "any_of", "first_readable" or "weighted", with a list `judges` of such mappings and, for
            "weighted", a list `weights`.
    """
    if not isinstance(config, Mapping):
        raise InvalidArgument(f"`config` is {type(config).__name__}, but must be a mapping")
    options = dict(config)
    name = options.pop("verifier", None)
    if not isinstance(name, str):
        raise InvalidArgument(f"`verifier` in `config` is {name!r}, but must be a verifier's name")
    kind = next((kind for kind in KINDS if kind == name), None)
    if kind is None:
        return make(name, options)
    judges = options.pop("judges", None)
    if not isinstance(judges, Sequence) or isinstance(judges, str):
        raise InvalidArgument(
            f"`judges` of {name} is {type(judges).__name__}, but must be a list of mappings"
        )
    weights = options.pop("weights", None) if kind == "weighted" else [1.0] * len(judges)
    if not isinstance(weights, Sequence) or isinstance(weights, str) or len(weights) != len(judges):
        raise InvalidArgument(f"`weights` of {name} is {weights!r}, but must be a list, one for each judge")
    if options:
        known = "`judges` and `weights`" if kind == "weighted" else "`judges`"
        raise InvalidParams(f"{name}: no param `{next(iter(options))}`; it takes {known}")
    return combined(kind, [from_config(judge) for judge in judges], weights)
