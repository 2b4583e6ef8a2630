"""No mutated problem makes a proposer's environment raise, and none is posed that cannot be certified."""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
import reasonenv
from reasonenv.errors import ReasonEnvError
from reasonenv.selfplay import PROPOSAL_FAILURES, ProposerEnv

FEW, MANY = 40, 1_000_000
"""Mutated problems of each family in a short check, and of all of them in the long one."""
PIECES = [
    "0",
    "9",
    "-",
    "[",
    "]",
    "{",
    "}",
    "null",
    "true",
    "1e9",
    '"',
    ",",
    ":",
    "é",
    "99999999999999999999",
]


class Mutator:
    """Draws problems of a family and mutates them: the text, a value of the JSON, or the problem itself."""

    def __init__(self, family: str, seed: int) -> None:
        self.family = reasonenv.family(family)
        self.rng = random.Random(f"{family} {seed}")
        levels = range(min(3, self.family.top_level) + 1)
        self.tasks = [self.family.sample(seed=seed, index=at, level=at % len(levels)) for at in range(12)]

    def __iter__(self) -> Iterator[str]:
        while True:
            task = self.rng.choice(self.tasks)
            draw = self.rng.random()
            if draw < 0.05:
                task = self._neighbor(task)
            if draw < 0.4:
                yield self._edited(task.problem)
            else:
                problem = json.loads(task.problem)
                for _ in range(self.rng.randrange(1, 3)):
                    self._change(problem)
                yield json.dumps(problem)

    def _neighbor(self, task: reasonenv.Task) -> reasonenv.Task:
        try:
            return task.mutate(self.rng.choice(["harder", "easier", "same"]), seed=self.rng.randrange(99))
        except ReasonEnvError:
            return task

    def _edited(self, text: str) -> str:
        """A text of which up to three pieces are replaced."""
        for _ in range(self.rng.randrange(1, 4)):
            at = self.rng.randrange(len(text) + 1)
            text = text[:at] + self.rng.choice(PIECES) + text[at + self.rng.randrange(3) :]
        return text

    def _change(self, node: Any) -> None:
        """Change one value somewhere inside a list or an object."""
        while (keys := list(node if isinstance(node, dict) else range(len(node)))) and (
            isinstance(node[key := self.rng.choice(keys)], dict | list)
            and node[key]
            and self.rng.random() < 0.9
        ):
            node = node[key]
        if keys:
            other = self.rng.choice(keys)
            match self.rng.randrange(8):
                case 0:
                    del node[key]
                case 1:
                    node[key], node[other] = node[other], node[key]
                case 2:
                    node[key] = copy.deepcopy(node[other])
                case 3 if isinstance(node, list):
                    node.insert(key, copy.deepcopy(node[other]))
                case _:
                    node[key] = self._value(node[key])

    def _value(self, value: Any) -> Any:
        """A value near another one, or one that has no business there."""
        strange: list[Any] = [
            None,
            True,
            -1,
            0,
            2**31,
            2**63,
            2**64 - 1,
            -(2**63),
            0.5,
            "",
            "x",
            [],
            {},
            [0] * 100,
        ]
        if self.rng.random() < 0.2:
            return self.rng.choice(strange)
        match value:
            case bool():
                return not value
            case int():
                return value + self.rng.choice([-10, -2, -1, 1, 2, 10, value])
            case str():
                return self._edited(value)
            case _:
                return self.rng.choice(strange)


def check(family: str, count: int, seed: int) -> Counter[str]:
    """Pose mutated problems through an environment; returns how often each failure, "" if posed."""
    env, found = ProposerEnv(family, "oracle", attempts=1), Counter[str]()
    env.reset(seed=0)
    for text in islice(Mutator(family, seed), count):
        try:
            proposal = env.propose(text)
        except BaseException as error:
            error.add_note(f"the problem: {text}")
            raise
        found[proposal.failure] += 1
        assert proposal.failure in {"", *PROPOSAL_FAILURES}
        assert (proposal.task is None) == bool(proposal.failure), text
        if proposal.task is not None:
            task = proposal.task
            env.family.certify(task.problem)
            assert task.verify(task.wrap(task.solution.answer)).passed, text
            assert reasonenv.Task.from_json(task.to_json()) == task
    return found


@pytest.mark.parametrize("family", reasonenv.list_families())
def test_no_mutated_problem_panics_or_is_posed_unproved(family: str) -> None:
    found = check(family, FEW, 0)
    assert found.total() == FEW
    assert found["invalid_problem"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("family", reasonenv.list_families())
def test_none_of_a_million(family: str) -> None:
    check(family, -(-MANY // len(reasonenv.list_families())), 1)
