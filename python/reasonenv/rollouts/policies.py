"""Policies: what answers tasks. A few are built in, to measure judges and to have something to compare with.

>>> import reasonenv
>>> from reasonenv.rollouts.policies import make_policy
>>> tasks = reasonenv.family("chain_sum").batch(count=100, split="eval")
>>> tasks.verify(make_policy("oracle")(tasks, 0)).passed.mean()
np.float64(1.0)

Any callable of (tasks, rollout) that gives one completion per task is a policy too; its name in tables is its
`name` attribute or the function's own.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from reasonenv import _checks
from reasonenv._native import Batch, InvalidArgument, Task, family

__all__ = [
    "BUILT_IN",
    "BestConstant",
    "Noisy",
    "Policy",
    "echo",
    "empty",
    "make_policy",
    "oracle",
    "policy_name",
]


@runtime_checkable
class Policy(Protocol):
    """Answers a batch of tasks."""

    def __call__(self, tasks: Sequence[Task], rollout: int, /) -> Sequence[str]:
        """Gives one completion per task, in order.

        Args:
            tasks: The tasks; often a `Batch`, whose `prompts` and `answers` are made in parallel.
            rollout: Which of the rollouts of these tasks this is, from 0: the seed of whatever is random.
        """


BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "oracle": "the right answer, well formed",
        "noisy:P": "the right answer, broken with probability P the way models break it",
        "best-constant": "one answer for all: the commonest among other items of the same source",
        "echo": "the prompt, repeated",
        "empty": "nothing at all",
    }
)
"""The policies `make_policy` knows, each with what it answers."""


def make_policy(spec: str, *, seed: int = 0) -> Policy:
    """A built-in policy by name.

    Args:
        spec: One of `BUILT_IN`; P in `noisy:P` is a number between 0 and 1.
        seed: Decides what is random, together with a task's id and the rollout: 0 .. 2**64 - 1. Nothing else
            does, neither the order of the tasks nor the process.

    Raises:
        UnknownName: No policy has this name; suggests the nearest, or lists them all.
        InvalidArgument: P is missing or out of bounds, or the policy takes none; `seed` is no seed.
    """
    seed = _checks.seed("seed", seed)
    name, colon, rest = _checks.text("policy", spec).partition(":")
    if name == "noisy":
        return Noisy(_probability(spec, rest), seed=seed)
    # Made for each call: a fitted policy is not shared between evaluations.
    plain: dict[str, Policy] = {
        "oracle": oracle,
        "best-constant": BestConstant(),
        "echo": echo,
        "empty": empty,
    }
    if name not in plain:
        raise _checks.unknown("policy", spec, BUILT_IN, [*plain, "noisy"])
    if colon:
        msg = f"`{spec}`: `{name}` takes no number; write `{name}`"
        raise InvalidArgument(msg)
    return plain[name]


def _probability(spec: str, text: str) -> float:
    try:
        probability = float(text)
    except ValueError:
        probability = math.nan
    if not 0 <= probability <= 1:
        msg = f"`{spec}`: P is `{text}`, but must be a number between 0 and 1, as in `noisy:0.3`"
        raise InvalidArgument(msg)
    return probability


def policy_name(policy: Policy) -> str:
    """A policy's `name`, else the name of its function or class."""
    name = getattr(policy, "name", None) or getattr(policy, "__name__", None)
    return str(name or type(policy).__name__)


def _wrap(tasks: Sequence[Task], answers: Sequence[str]) -> list[str]:
    """Each answer as a well-formed completion of its task."""
    return [task.wrap(answer) for task, answer in zip(tasks, answers, strict=True)]


def _answers(tasks: Sequence[Task]) -> list[str]:
    return Batch(tasks).answers


def oracle(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """The right answer, well formed."""
    return _wrap(tasks, _answers(tasks))


def echo(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """The prompt, repeated."""
    return Batch(tasks).prompts


def empty(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """Nothing at all."""
    return [""] * len(tasks)


class Noisy:
    """The right answer, broken with a probability by one of the family's own mutations.

    Args:
        probability: Between 0 (the oracle) and 1 (never right).
        seed: Decides, with the task's id and the rollout, whether and how an answer is broken.

    Raises:
        InvalidArgument: `probability` or `seed` is out of bounds.
    """

    def __init__(self, probability: float, *, seed: int = 0) -> None:
        self.probability = _checks.number("probability", probability, 0, 1)
        self.seed = _checks.seed("seed", seed)
        self.name = f"noisy:{probability:g}"

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:
        """Answers each task, some of them wrong."""
        answers = _answers(tasks)
        for i, task in enumerate(tasks):
            key = f"reasonenv/noisy/{self.seed}/{rollout}/{task.id}"
            digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
            coin, seed, choice = (int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16))
            if coin / 2**64 < self.probability or self.probability == 1:
                wrong = task.wrong_answers(seed=seed)
                answers[i] = wrong[choice % len(wrong)] if wrong else ""
        return _wrap(tasks, answers)

    def __repr__(self) -> str:
        return f"Noisy({self.probability:g}, seed={self.seed})"


class BestConstant:
    """One answer for all: the commonest among other items of the same family and params.

    It is fitted on the train split under a seed of its own, once per family and params, when first asked.
    Tasks that were posed rather than drawn have no params; they get the constant of level 0.

    Args:
        probe: Items to look at: 1 to 100,000.

    Raises:
        InvalidArgument: `probe` is out of bounds.
    """

    name = "best-constant"
    _PROBE_SEED = 0xBE57_C057

    def __init__(self, probe: int = 200) -> None:
        self.probe = _checks.whole("probe", probe, 1, 100_000)
        self._fitted: dict[tuple[str, str], str] = {}

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG002
        """Answers each task alike."""
        return _wrap(tasks, [self.answer(task.family, task.params) for task in tasks])

    def answer(self, name: str, params: dict[str, object] | None) -> str:
        """The constant for a family under some params."""
        name, params = _checks.text("name", name), _checks.mapping("params", params)
        key = name, json.dumps(params, sort_keys=True)
        if key not in self._fitted:
            seen = family(name).batch(self._PROBE_SEED, count=self.probe, params=params).answers
            # Among equally common ones the first is kept, whatever the order of hashes.
            self._fitted[key] = Counter(seen).most_common(1)[0][0]
        return self._fitted[key]

    def __repr__(self) -> str:
        return f"BestConstant(probe={self.probe})"
