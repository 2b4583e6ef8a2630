"""One episode of any environment with observations that a policy can read, recorded turn by turn."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError, Task, Verdict, __version__
from reasonenv._records import task_facts
from reasonenv.rewards.groups import discounted_return
from reasonenv.rollouts._completion import Completion, Context, plain
from reasonenv.rollouts._forks import forked

_NOT_LOGGED = frozenset({"action_mask"})
"""Keys of `info` that describe no turn."""


class LiveEpisode:
    """An episode in progress, with an environment to itself.

    Args:
        env: Environment of the episode.
        number: Number of the episode in the run.
        seed: Seed for `reset`.
        prefix: Actions to take before the policy is asked.
        options: Other arguments of `reset`.
    """

    def __init__(
        self,
        env: Any,
        number: int,
        seed: int,
        prefix: Sequence[Any],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.env = env
        self.number = number
        self.prefix = list(prefix)
        self.turns: list[dict[str, Any]] = []
        self.rewards: list[float] = []
        self.terminated = self.truncated = False
        self.error: str | None = None
        self.usage: dict[str, int] = {}
        self.seconds = 0.0
        self.last = Completion()
        self.observation, self.info = env.reset(seed=seed, options=None if options is None else dict(options))
        self.start_info = dict(self.info)
        task = getattr(env.unwrapped, "task", None)
        self.task = task if isinstance(task, Task) else None
        instructions = getattr(env.unwrapped, "instructions", None)
        self.messages: list[dict[str, Any]] = []
        self.prompt = _as_text(self.observation)
        # With `instructions="first_message"` the rules are in the prompt already.
        if isinstance(instructions, str) and instructions and not self.prompt.startswith(instructions):
            self.messages.append({"role": "system", "content": instructions})
        # An environment may keep its own conversation, with tool calls for instance.
        self._speaks = bool(env.has_wrapper_attr("messages"))
        self._hear()
        for at, action in enumerate(self.prefix, 1):
            self._step(action)
            if self.is_over:
                msg = f"`branch` ends episode {number} with action {at} of {len(self.prefix)}; give fewer"
                raise InvalidArgument(msg)
        self.turns.clear()
        self.rewards.clear()

    @property
    def is_over(self) -> bool:
        """True if the policy isn't asked again."""
        return self.terminated or self.truncated or self.error is not None

    def fork(self) -> Self:
        """A copy that continues independently, with a fork of the environment."""
        made = type(self).__new__(type(self))
        lists = {name: list(getattr(self, name)) for name in ("turns", "rewards", "messages")}
        vars(made).update(vars(self), **lists, usage=dict(self.usage), env=forked(self.env))
        return made

    def context(self, id: str) -> Context:
        """Request to the policy for its next turn."""
        if not self._speaks:
            for message in self.messages:
                if not isinstance(message["content"], str):
                    message["content"] = _as_text(message["content"])
        messages = tuple(self.env.get_wrapper_attr("messages") if self._speaks else self.messages)
        turn = len(self.turns)
        prompt = _as_text(self.observation)
        return Context(id, messages, prompt, self.observation, self.info, turn, self.task, self.env)

    def take(self, said: Completion) -> None:
        """Take the policy's answer as its next action."""
        self.seconds += said.seconds or 0.0
        for name, count in (said.usage or {}).items():
            self.usage[name] = self.usage.get(name, 0) + count
        self.last = said
        if said.error is not None:
            self.error = said.error
            return
        self._step(said.text if said.action is None else said.action)

    def _step(self, action: Any) -> None:
        seen = self.observation
        self.observation, reward, terminated, truncated, self.info = self.env.step(action)
        self.terminated, self.truncated = bool(terminated), bool(truncated)
        try:
            self.rewards.append(float(reward))
        except (TypeError, ValueError):
            self.rewards.append(math.nan)
        if not math.isfinite(self.rewards[-1]):
            msg = f"the reward of turn {len(self.rewards)} is {_checks.shown(reward)}, but must be finite"
            raise ReasonEnvError(msg)
        self.turns.append(
            {
                "observation": _unchanging(seen),
                "action": plain(action),
                "reward": self.rewards[-1],
                "info": {name: plain(one) for name, one in self.info.items() if name not in _NOT_LOGGED},
            }
        )
        self.messages.append({"role": "assistant", "content": _as_text(action)})
        if not self.is_over:
            self._hear()

    def _hear(self) -> None:
        # Arrays become text when a policy is asked: a search takes many steps without asking.
        self.messages.append({"role": "user", "content": _unchanging(self.observation)})

    def facts(self, gamma: float) -> dict[str, Any]:
        """Fields of a record that describe the episode."""
        failed = self.error is not None
        verdict = None if failed else verdict_of(self.info)
        total = None if failed else self._return(gamma)
        parts = self.info.get("reward_parts")
        return self._task_facts() | {
            "text": self.last.text,
            "reasoning": self.last.reasoning or "",
            "final_answer": None if verdict is None else verdict.get("answer"),
            "reward": total,
            "reward_parts": {} if total is None else plain(parts) if parts else {"return": total},
            "verdict": verdict,
            "prefix": plain(self.prefix) or None,
            "turns": [turn | {"observation": plain(turn["observation"])} for turn in self.turns],
            "process_scores": plain(self.info.get("process_scores")),
            "terminated": self.terminated,
            "truncated": self.truncated,
            "usage": self.usage or None,
            "seconds": self.seconds,
            "error": self.error,
            "note": self.last.note,
            "dropped": False,
        }

    def _task_facts(self) -> dict[str, Any]:
        """Fields of a record that describe the task, or the environment's substitutes for them."""
        if self.task is not None:
            return task_facts(self.task, self.prompt)
        told = self.start_info | dict(self.info)
        names = ("task_id", "family", "domain", "level", "difficulty", "split")
        known = {name: plain(told[name]) for name in names if told.get(name) is not None}
        return known | {"prompt": self.prompt, "versions": {"reasonenv": __version__}}

    def _return(self, gamma: float) -> float:
        """Return from the prefix on; an environment that discounts reports its own."""
        told = self.info.get("return")
        if gamma == 1 and not self.prefix and isinstance(told, int | float):
            return float(told)
        return discounted_return(self.rewards, gamma)


def _unchanging(observation: Any) -> Any:
    """An observation that later steps don't change, as plain data or an array."""
    return observation.copy() if isinstance(observation, np.ndarray) else plain(observation)


def _as_text(observation: Any) -> str:
    return observation if isinstance(observation, str) else str(plain(observation))


def verdict_of(info: Mapping[str, Any]) -> dict[str, Any] | None:
    """Verdict at the end of an episode: a verdict, a truth value, or the result of a game."""
    given = info.get("verdict")
    if isinstance(given, Verdict):
        return given.to_dict()
    if isinstance(given, Mapping):
        return dict(plain(given))
    for name in ("passed", "is_success", "success"):
        if name in info:
            passed = bool(info[name])
            return _plain_verdict(passed, float(info.get("score", passed)))
    result = info.get("result")
    if isinstance(result, int | float) and not isinstance(result, bool):
        return _plain_verdict(result > 0, 1.0 if result > 0 else 0.5 if result == 0 else 0.0)
    return None


def _plain_verdict(passed: bool, score: float) -> dict[str, Any]:
    return {
        "passed": passed,
        "score": score,
        "parts": {},
        "failures": [],
        "detail": "",
        "answer": None,
        "respelled": False,
    }
