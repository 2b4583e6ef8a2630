"""Same bytes, same pay: a scripted policy plays seeded tasks through an adapter and the rollout loop."""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import gymnasium
import reasonenv
from reasonenv.envs import DialogueEnv, wrappers
from reasonenv.envs._generators import TaskSampler, generator_of
from reasonenv.integrations import rows

Messages = Sequence[Mapping[str, Any]]
Says = Callable[[Messages], str]

STRATA: dict[str, Any] = {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7, "num_groups": 4}
CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "17 * 3"}}</tool_call>'

KINDS: dict[str, dict[str, Any]] = {
    "single": {"source": "ascii_tree", "reward": "reasonrl-v5", "wrapper": "contract", "seed": 11},
    "retry": {
        "source": "countdown",
        "turns": "retry",
        "reward": {"correct": 1.0, "cost": 0.1},
        "level": 1,
        "seed": 12,
    },
    "moves": {"source": "sudoku", "turns": "moves", "reward": "partial", "seed": 13, "mistakes": 2},
    "tools": {
        "source": "chain_sum",
        "turns": "tools",
        "reward": {"correct": 1.0, "cost": 0.05},
        "level": 2,
        "seed": 14,
    },
    "game": {"source": "tic_tac_toe", "seed": 15, **STRATA},
}
"""Settings of the five kinds, the same for every adapter."""

Play = Callable[[dict[str, Any], dict[str, Any], "Says"], "Played"]
"""A rollout of a row through an adapter, given the settings, the row and a policy."""


@dataclass(frozen=True)
class Played:
    """Result of a rollout."""

    messages: tuple[tuple[str, str], ...]
    """Roles and texts."""
    reward: float
    is_over: bool = True

    @classmethod
    def of(cls, messages: Messages, reward: float | None, is_over: bool = True) -> "Played":
        return cls(
            tuple((one["role"], one["content"]) for one in messages), float(reward or 0.0), bool(is_over)
        )

    def texts(self) -> list[str]:
        return [text for _, text in self.messages]


def cases(kind: str, n: int = 20) -> Iterator[dict[str, Any]]:
    """The rows of a kind."""
    return rows(**KINDS[kind], n=n)


def script(row: Mapping[str, Any], plain: bool = False) -> Says:
    """A policy that depends on the task and the messages: right, wrong, careless and hostile by turns."""
    given = json.loads(row["problem"])
    task = None if "game" in given else reasonenv.Task.from_json(given.get("task", row["problem"]))

    def says(messages: Messages) -> str:
        said = drawn(messages)
        return said.encode("utf-8", "replace").decode().replace("\0", "?") if plain else said

    def drawn(messages: Messages) -> str:
        turn = sum(one["role"] == "assistant" for one in messages)
        rng = random.Random(f"{row['task_id']}/{turn}")
        last = str(messages[-1]["content"])
        found = re.search(r"(?:Open moves: |positions: \[)([^\n\]]+)", last)
        if found is not None:
            moves = [one for one in found[1].split(", ") if not one.startswith("and ")]
            move = f"I think.\n<move>{rng.choice(moves)}</move>"
            return rng.choices([move, "no move", "<move>\ud800</move>"], [18, 1, 1])[0]
        assert task is not None
        if given.get("turns") == "tools" and rng.random() < 0.6:
            return f"Let me see.\n{CALL}" if rng.random() < 0.8 else "<tool_call>{]</tool_call>"
        right, wrong = task.wrap(task.solution.answer), task.wrap(task.wrong_answers()[0])
        return rng.choice([right, right, wrong, f"Well: {right}", "no idea", "\0 \ud800 <answer>"])

    return says


class Posed(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that begins with the episode of a row, whatever it is asked."""

    def __init__(self, env: Any, seed: int, options: Any) -> None:
        super().__init__(env)
        self.start = {"seed": seed, "options": options}

    def reset(self, **_: Any) -> Any:
        return self.env.reset(**self.start)


@cache
def reference(kind: str, n: int = 20, plain: bool = False) -> list[Played]:
    """Rollouts of a kind by `reasonenv.rollout`, with the public environments of this package."""
    return [_rolled_out(kind, row, plain) for row in cases(kind, n)]


def _rolled_out(kind: str, row: dict[str, Any], plain: bool) -> Played:
    settings, given, says = KINDS[kind], json.loads(row["problem"]), script(row, plain)
    heard: list[Messages] = []

    def policy(contexts: Any, _: int) -> list[str]:
        texts = [says(context.messages) for context in contexts]
        heard.append([*contexts[0].messages, {"role": "assistant", "content": texts[0]}])
        return texts

    tasks: Any
    if kind == "game":
        env = gymnasium.make("reasonenv/TicTacToe-v1", mode="text", instructions="first_message", **STRATA)
        tasks = lambda: Posed(env, given["seed"], {"episode": given["episode"]})  # noqa: E731
    else:
        task = reasonenv.Task.from_json(given.get("task", row["problem"]))
        if kind == "single":
            text = says([{"role": "user", "content": task.prompt}])
            (one,) = reasonenv.rollout(
                [task], lambda tasks, _: [text for _ in tasks], n=1, group_size=1, reward=settings["reward"]
            )
            messages = [{"role": "user", "content": one.prompt}, {"role": "assistant", "content": one.text}]
            return Played.of(messages, one.reward)
        sampler = generator_of([task])
        assert isinstance(sampler, TaskSampler)
        made = {
            "retry": lambda: wrappers.retry([task], attempts=3, reward=settings["reward"]),
            "moves": lambda: DialogueEnv(sampler, mistakes=2, reward=settings["reward"]),
            "tools": lambda: wrappers.tools([task], ["calculator", "notebook"], reward=settings["reward"]),
        }
        tasks = made[kind]
    (one,) = reasonenv.rollout(tasks, policy, n=1, group_size=1)
    return Played.of(heard[-1], sum(turn["reward"] for turn in one.turns), one.terminated or one.truncated)


def check(play: Play, kinds: Sequence[str] = tuple(KINDS), n: int = 20, plain: bool = False) -> int:
    """Compare an adapter's rollouts with those of the loop; return how many were compared.

    `plain` leaves out text that no protocol can carry: lone surrogates and null bytes.
    """
    for kind in kinds:
        for row, wanted in zip(cases(kind, n), reference(kind, n, plain), strict=True):
            found = play(KINDS[kind], row, script(row, plain))
            assert found.messages == wanted.messages, (kind, row["task_id"])
            assert (found.reward, found.is_over) == (wanted.reward, wanted.is_over), (kind, row["task_id"])
    return n * len(kinds)
