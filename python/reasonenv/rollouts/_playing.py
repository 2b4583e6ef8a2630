"""Episodes in groups: their environments, and how a policy plays them."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Task
from reasonenv._records import new_record
from reasonenv.rollouts._asking import Answerer, Pump, as_completion, asked
from reasonenv.rollouts._completion import Context
from reasonenv.rollouts._episodes import LiveEpisode
from reasonenv.rollouts._past import Past
from reasonenv.rollouts._policies import takes_tasks, version_of
from reasonenv.rollouts._samples import Group, Sample
from reasonenv.rollouts._session import RolloutSession

LANES = 64
"""Maximum number of environments that a callable plays at once."""


class Pool:
    """Environments of one kind, opened on demand and reused.

    Args:
        make: Makes an environment.
        own: The caller's environment: it is cloned rather than made, and never closed.
    """

    def __init__(self, make: Callable[[], Any], own: Any = None) -> None:
        self._make = make
        self._own = own
        self._opened = False
        self._idle: list[Any] = []

    @property
    def can_be_many(self) -> bool:
        """True if episodes can run in parallel, which needs an environment that can be cloned."""
        own = self._own
        return own is None or (hasattr(own, "clone") and getattr(own, "curriculum", None) is None)

    def take(self) -> Any:
        """An idle environment."""
        if self._idle:
            return self._idle.pop()
        env = self._make() if self._own is None else self._own.clone() if self._opened else self._own
        self._opened = True
        if not isinstance(env, gymnasium.Env):
            msg = f"`tasks` gave {_checks.shown(env)}, but must give an environment of Gymnasium"
            raise InvalidArgument(msg)
        return env

    def give(self, env: Any) -> None:
        """Return an environment to the pool."""
        self._idle.append(env)

    def close(self) -> None:
        """Close the environments that the pool opened."""
        idle, self._idle = self._idle, []
        if self._own is None:
            for env in idle:
                env.close()


@dataclass(frozen=True)
class Start:
    """Start that all rollouts of a group share."""

    id: str
    """Id of the group."""
    number: int
    pool: Pool
    seed: int
    options: Mapping[str, Any] | None = None
    """Options of `reset`."""
    prefix: Sequence[Any] = ()

    def begin(self) -> LiveEpisode:
        """An episode, with an environment to itself."""
        return LiveEpisode(self.pool.take(), self.number, self.seed, self.prefix, self.options)


@dataclass(frozen=True)
class EpisodeRunner:
    """A policy that plays episodes, and the session that records them."""

    who: Answerer
    source: str
    gamma: float
    concurrency: int
    session: RolloutSession

    def groups(
        self, starts: Sequence[Start], rollouts: Sequence[int], past: Past, tell: Callable[[int], None]
    ) -> list[Group]:
        """Every group, known from an earlier session or played now."""
        found: dict[tuple[int, int], Sample] = {}
        missing: list[tuple[int, int]] = []
        for at, (start, count) in enumerate(zip(starts, rollouts, strict=True)):
            for rollout in range(count):
                key = start.id, rollout
                held = past.held.get(key) or {}
                if record := past.known.get(key):
                    found[at, rollout] = Sample.of_record(record, fresh=False)
                elif record := held.get("record") or held.get("episode"):
                    found[at, rollout] = Sample.of_record(record, fresh=True)
                else:
                    missing.append((at, rollout))
        tell(len(found))

        def done(at: int, rollout: int, episode: LiveEpisode) -> None:
            start = starts[at]
            start.pool.give(episode.env)
            record = self._record(start, episode, rollout)
            if self.session.log is not None and episode.error is None:
                place = {name: record[name] for name in ("source", "policy", "group_id", "rollout")}
                self.session.log.hold([place | {"episode": record}])
            found[at, rollout] = Sample.of_record(record, fresh=True)
            tell(1)

        many = all(start.pool.can_be_many for start in starts)
        if self.who.pump is None:
            self._together(starts, missing, LANES if many else 1, done)
        else:
            self._apart(self.who.pump, starts, missing, self.concurrency if many else 1, done)
        return [
            Group(start.id, [found[at, rollout] for rollout in range(count)])
            for at, (start, count) in enumerate(zip(starts, rollouts, strict=True))
        ]

    def _together(
        self,
        starts: Sequence[Start],
        missing: Sequence[tuple[int, int]],
        lanes: int,
        done: Callable[[int, int, LiveEpisode], None],
    ) -> None:
        """Play episodes in lockstep, so that a callable gets one turn of all of them at once."""
        who = self.who
        by_rollout: dict[int, list[int]] = {}
        for at, rollout in missing:
            by_rollout.setdefault(rollout, []).append(at)
        for rollout, places in sorted(by_rollout.items()):
            for first in range(0, len(places), lanes):
                chosen = places[first : first + lanes]
                episodes = [(starts[at].id, starts[at].begin()) for at in chosen]
                while live := [(group, episode) for group, episode in episodes if not episode.is_over]:
                    contexts = [episode.context(group) for group, episode in live]
                    requests = tasks_of(who.name, contexts) if takes_tasks(who.policy) else contexts
                    answers = asked(who, requests, rollout, [group for group, _ in live], actions=True)
                    for (_, episode), answer in zip(live, answers, strict=True):
                        episode.take(answer)
                for at, (_, episode) in zip(chosen, episodes, strict=True):
                    done(at, rollout, episode)

    def _apart(
        self,
        pump: Pump,
        starts: Sequence[Start],
        missing: Sequence[tuple[int, int]],
        most: int,
        done: Callable[[int, int, LiveEpisode], None],
    ) -> None:
        """Play many episodes concurrently, each at its own pace."""
        who = self.who

        async def play(at: int, rollout: int) -> LiveEpisode:
            start = starts[at]
            episode = start.begin()
            while not episode.is_over:
                before = time.perf_counter()
                context = episode.context(start.id)
                answer = await who.policy(context, rollout)
                seconds = time.perf_counter() - before
                episode.take(as_completion(who.name, answer, context.id, seconds, actions=True))
                await asyncio.sleep(0)
            return episode

        work = [lambda pair=pair: play(*pair) for pair in missing]
        pump.each(work, most, lambda i, episode: done(*missing[i], episode))

    def _record(self, start: Start, episode: LiveEpisode, rollout: int) -> dict[str, Any]:
        """An episode as a line of the traces."""
        place = {
            "source": self.source,
            "group_id": start.id,
            "rollout": rollout,
            "policy": self.who.name,
            "policy_version": version_of(self.who.policy),
        }
        return new_record({"task_id": start.id, "seed": start.seed}, episode.facts(self.gamma), place)


def prefix_of(branch: Any, number: int) -> Sequence[Any]:
    """First actions of an episode.

    Raises:
        InvalidArgument: They aren't a list of actions.
    """
    prefix: object = branch(number) if callable(branch) else () if branch is None else branch
    if isinstance(prefix, str) or not isinstance(prefix, Sequence):
        msg = f"`branch` is {_checks.shown(prefix)}, but must be the first actions of an episode, in a list"
        raise InvalidArgument(msg)
    return prefix


def tasks_of(name: str, contexts: Sequence[Context]) -> list[Task]:
    """Tasks of episodes, for a policy that answers tasks."""
    tasks = []
    for context in contexts:
        if not isinstance(context.task, Task):
            msg = f"policy `{name}` answers tasks, but {context.id} poses none; name another policy"
            raise InvalidArgument(msg)
        tasks.append(context.task)
    return tasks
