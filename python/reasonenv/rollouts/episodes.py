"""Episodes of any environment whose observations a policy can read: in groups, recorded turn by turn."""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError, Task, Verdict, __version__
from reasonenv.rewards.groups import discounted_return
from reasonenv.rollouts.asking import Answerer, Pump, as_completion, asked
from reasonenv.rollouts.completion import Completion, Context, plain
from reasonenv.rollouts.feeds import Ask
from reasonenv.rollouts.policies import takes_tasks
from reasonenv.rollouts.records import version_of
from reasonenv.rollouts.samples import Group, Sample
from reasonenv.rollouts.session import Session
from reasonenv.rollouts.trial import Clock, Past

__all__ = ["Episode", "EpisodeFeed", "episode_seed", "is_environment"]

_LANES = 64
"""The most environments of a callable or an id that are open at once."""

_NOT_LOGGED = frozenset({"action_mask"})
"""What `info` may hold that says nothing of the turn."""


def is_environment(given: object) -> bool:
    """Whether something is an environment, the id of one, or makes one."""
    is_id = isinstance(given, str) and "/" in given
    return is_id or isinstance(given, gymnasium.Env | EnvSpec) or callable(given)


def episode_seed(seed: int, number: int) -> int:
    """What an environment is reset with: neighbouring episodes and seeds have nothing in common."""
    digest = hashlib.sha256(f"reasonenv/episode/{seed}/{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


class Episode:
    """An episode in progress, in an environment that it has to itself.

    Args:
        env: Where it is played.
        number: Which episode of the run.
        seed: What the environment is reset with.
        prefix: Actions that are made before the policy is asked.
    """

    def __init__(self, env: Any, number: int, seed: int, prefix: Sequence[Any]) -> None:
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
        self.observation, self.info = env.reset(seed=seed)
        self.start_info = dict(self.info)
        task = getattr(env.unwrapped, "task", None)
        self.task = task if isinstance(task, Task) else None
        instructions = getattr(env.unwrapped, "instructions", None)
        self.messages: list[Mapping[str, str]] = []
        if isinstance(instructions, str) and instructions:
            self.messages.append({"role": "system", "content": instructions})
        self.prompt = _as_text(self.observation)
        # An environment may have its own idea of the conversation, with calls of tools for instance.
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
        """Whether nothing more is asked."""
        return self.terminated or self.truncated or self.error is not None

    def context(self, id: str) -> Context:
        """What the policy is asked."""
        given = self.env.get_wrapper_attr("messages") if self._speaks else self.messages
        messages = tuple(given)
        turn = len(self.turns)
        prompt = _as_text(self.observation)
        return Context(id, messages, prompt, self.observation, self.info, turn, self.task, self.env)

    def take(self, said: Completion) -> None:
        """Takes the policy's answer as its next action."""
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
                "observation": plain(seen),
                "action": plain(action),
                "reward": self.rewards[-1],
                "info": {name: plain(one) for name, one in self.info.items() if name not in _NOT_LOGGED},
            }
        )
        self.messages.append({"role": "assistant", "content": _as_text(action)})
        if not self.is_over:
            self._hear()

    def _hear(self) -> None:
        self.messages.append({"role": "user", "content": _as_text(self.observation)})

    def to_dict(self, gamma: float) -> dict[str, Any]:
        """What a record holds of the episode itself."""
        task, failed = self.task, self.error is not None
        facts = self.start_info | dict(self.info)
        verdict = None if failed else _verdict(self.info)
        total = None if failed else self._return(gamma)
        parts = self.info.get("reward_parts")
        return {
            "task_id": task.id if task else facts.get("task_id"),
            "family": task.family if task else facts.get("family"),
            "domain": task.domain if task else facts.get("domain"),
            "level": task.level if task else plain(facts.get("level")),
            "difficulty": task.difficulty if task else plain(facts.get("difficulty")),
            "split": task.split if task else facts.get("split"),
            "prompt": self.prompt,
            "text": self.last.text,
            "reasoning": self.last.reasoning or "",
            "final_answer": None if verdict is None else verdict.get("answer"),
            "reward": total,
            "reward_parts": {} if total is None else plain(parts) if parts else {"return": total},
            "verdict": verdict,
            "prefix": plain(self.prefix) or None,
            "turns": self.turns,
            "process_scores": plain(self.info.get("process_scores")),
            "terminated": self.terminated,
            "truncated": self.truncated,
            "usage": self.usage or None,
            "seconds": self.seconds,
            "error": self.error,
        }

    def _return(self, gamma: float) -> float:
        """The return from the prefix on; an environment that discounts by itself tells its own."""
        told = self.info.get("return")
        if gamma == 1 and not self.prefix and isinstance(told, int | float):
            return float(told)
        return discounted_return(self.rewards, gamma)


def _as_text(observation: Any) -> str:
    return observation if isinstance(observation, str) else str(plain(observation))


def _verdict(info: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an episode's end says of success: a verdict, a truth value, or what a game came to."""
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
    return {"passed": passed, "score": score, "parts": {}, "failures": [], "detail": "", "answer": None}


class EpisodeFeed:
    """Episodes of one environment: the same ones for every policy, each as often as a group is large."""

    level = version = split = None
    draws = True

    def __init__(self, ask: Ask, env: Any) -> None:
        if isinstance(env, gymnasium.vector.VectorEnv):
            msg = "`tasks` is a vector environment; give its id, or a callable that makes a single one"
            raise InvalidArgument(msg)
        if ask.settings.on_flat in ("change_level", "hint"):
            msg = (
                f"`on_flat` is {ask.settings.on_flat!r}, but an environment poses what it poses; take 'drop'"
            )
            raise InvalidArgument(msg)
        self.ask = ask
        self._own: Any = env if isinstance(env, gymnasium.Env) else None
        self._make: Callable[[], Any] = env if callable(env) else lambda: gymnasium.make(env)
        self._opened = False
        self._idle: list[Any] = [self._open()]
        spec = self._idle[0].spec
        self.name = self.family = spec.id if spec is not None else type(self._idle[0].unwrapped).__name__
        kwargs = {} if spec is None else {name: _said(one) for name, one in sorted(spec.kwargs.items())}
        self.config = {"name": self.name, "environment": self.family, "kwargs": kwargs, "items": ask.n}
        self.total = ask.n * ask.rollouts

    def batches(self, generation: Clock) -> Iterator[list[int]]:  # noqa: ARG002, nothing is generated
        """The numbers of episodes."""
        try:
            for start in range(0, self.ask.n, self.ask.batch_size):
                yield list(range(start, min(self.ask.n, start + self.ask.batch_size)))
        finally:
            if self._own is None:
                for env in self._idle:
                    env.close()

    def sample(
        self,
        batch: list[int],
        session: Session,
        who: Answerer,
        clock: Clock,  # noqa: ARG002, nobody but the environment judges
    ) -> list[Group]:
        """A policy's groups of a batch."""

        def ask(numbers: list[int], past: Past, tell: Callable[[int], None]) -> list[Group]:
            return self._groups(numbers, past, tell, session, who)

        def others(flat: Sequence[tuple[int, list[Group]]], attempt: int) -> tuple[list[int], list[int]]:
            places = [at for at, _ in flat]
            return places, [batch[at] + attempt * self.ask.n for at in places]

        resamples = self.ask.settings.on_flat == "resample"
        return session.sample(self.name, who.name, batch, ask, others if resamples else None)

    def _groups(
        self,
        numbers: Sequence[int],
        past: Past,
        tell: Callable[[int], None],
        session: Session,
        who: Answerer,
    ) -> list[Group]:
        found: dict[tuple[int, int], Sample] = {}
        missing = []
        for number in numbers:
            for rollout in range(self.ask.rollouts):
                key = self._id(number), rollout
                held = past.held.get(key, {})
                if record := past.known.get(key):
                    found[number, rollout] = Sample.of_record(record, fresh=False)
                elif record := held.get("record"):
                    found[number, rollout] = Sample.of_record(record, fresh=True)
                elif "episode" in held:
                    found[number, rollout] = Sample.of_record(held["episode"], fresh=True)
                else:
                    missing.append((number, rollout))
        tell(len(found))

        def done(rollout: int, episode: Episode) -> None:
            record = self._record(episode, rollout, who)
            if session.log is not None and episode.error is None:
                place = {name: record[name] for name in ("source", "policy", "group_id", "rollout")}
                session.log.hold([place | {"episode": record}])
            found[episode.number, rollout] = Sample.of_record(record, fresh=True)
            tell(1)

        if who.pump is None:
            self._play_together(missing, who, done)
        else:
            self._play_apart(missing, who, who.pump, done)
        return [
            Group(self._id(number), [found[number, rollout] for rollout in range(self.ask.rollouts)])
            for number in numbers
        ]

    def _play_together(
        self,
        missing: Sequence[tuple[int, int]],
        who: Answerer,
        done: Callable[[int, Episode], None],
    ) -> None:
        """Plays episodes side by side, so that a callable is asked for a turn of all of them at once."""
        lanes = _LANES if self._can_be_many else 1
        by_rollout: dict[int, list[int]] = {}
        for number, rollout in missing:
            by_rollout.setdefault(rollout, []).append(number)
        for rollout, numbers in sorted(by_rollout.items()):
            for start in range(0, len(numbers), lanes):
                episodes = [self._begin(number) for number in numbers[start : start + lanes]]
                while live := [episode for episode in episodes if not episode.is_over]:
                    contexts = [episode.context(self._id(episode.number)) for episode in live]
                    ids = [context.id for context in contexts]
                    requests = _tasks(who.name, contexts) if takes_tasks(who.policy) else contexts
                    answers = asked(who, requests, rollout, ids, actions=True)
                    for episode, answer in zip(live, answers, strict=True):
                        episode.take(answer)
                for episode in episodes:
                    done(rollout, episode)
                    self._idle.append(episode.env)

    def _play_apart(
        self,
        missing: Sequence[tuple[int, int]],
        who: Answerer,
        pump: Pump,
        done: Callable[[int, Episode], None],
    ) -> None:
        """Plays many episodes at once, each at its own pace."""

        async def play(number: int, rollout: int) -> Episode:
            episode = self._begin(number)
            while not episode.is_over:
                before = time.perf_counter()
                context = episode.context(self._id(number))
                answer = await who.policy(context, rollout)
                seconds = time.perf_counter() - before
                episode.take(as_completion(who.name, answer, context.id, seconds, actions=True))
                await asyncio.sleep(0)
            self._idle.append(episode.env)
            return episode

        most = self.ask.concurrency if self._can_be_many else 1
        work = [lambda pair=pair: play(*pair) for pair in missing]
        pump.each(work, most, lambda at, episode: done(missing[at][1], episode))

    def _begin(self, number: int) -> Episode:
        branch = self.ask.branch
        prefix = branch(number) if callable(branch) else branch or ()
        if isinstance(prefix, str) or not isinstance(prefix, Sequence):
            msg = (
                f"`branch` is {_checks.shown(prefix)}, but must be the first actions of an episode, in a list"
            )
            raise InvalidArgument(msg)
        return Episode(
            self._idle.pop() if self._idle else self._open(),
            number,
            episode_seed(self.ask.seed, number),
            prefix,
        )

    @property
    def _can_be_many(self) -> bool:
        """Whether episodes can be played side by side: not in an environment that cannot be cloned."""
        own = self._own
        return own is None or (hasattr(own, "clone") and getattr(own, "curriculum", None) is None)

    def _open(self) -> Any:
        env = self._make() if self._own is None else self._own.clone() if self._opened else self._own
        self._opened = True
        if not isinstance(env, gymnasium.Env):
            msg = f"`tasks` gave {_checks.shown(env)}, but must give an environment of Gymnasium"
            raise InvalidArgument(msg)
        return env

    def _id(self, number: int) -> str:
        return f"{self.name}/{self.ask.seed}/{number}"

    def _record(self, episode: Episode, rollout: int, who: Answerer) -> dict[str, Any]:
        """An episode as a line of the traces has it."""
        facts = episode.to_dict(self.ask.gamma)
        group = self._id(episode.number)
        return facts | {
            "task_id": facts["task_id"] or group,
            "source": self.name,
            "seed": episode.task.seed if episode.task else episode_seed(self.ask.seed, episode.number),
            "group_id": group,
            "rollout": rollout,
            "advantage": None,
            "policy": who.name,
            "policy_version": version_of(who.policy),
            "hint": None,
            "versions": {"reasonenv": __version__}
            | ({"family": episode.task.version} if episode.task else {}),
            "dropped": False,
        }


def _tasks(name: str, contexts: Sequence[Context]) -> list[Task]:
    """The tasks of episodes, for a policy that answers tasks."""
    for context in contexts:
        if context.task is None:
            msg = f"policy `{name}` answers tasks, but {context.id} poses none; name another policy"
            raise InvalidArgument(msg)
    return [context.task for context in contexts if context.task is not None]


def _said(value: Any) -> Any:
    """An argument of an environment as a config holds it, the same in every process."""
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return (
        plain(value)
        if isinstance(value, str | int | float | bool | list | dict | tuple | None)
        else type(value).__name__
    )
