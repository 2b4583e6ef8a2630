"""Trees of a policy over many starts: asked together, written as they grow, and turned into groups."""

import asyncio
import itertools
import time
from array import array
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reasonenv._records import line_at
from reasonenv._trees import SearchTree, tree_lines
from reasonenv.rollouts._asking import Pump, as_completion, asked
from reasonenv.rollouts._completion import Completion
from reasonenv.rollouts._past import Past
from reasonenv.rollouts._playing import LANES, EpisodeRunner, Start, tasks_of
from reasonenv.rollouts._policies import takes_tasks
from reasonenv.rollouts._run import Run
from reasonenv.rollouts._samples import Group, Sample
from reasonenv.rollouts._settings import Sampling
from reasonenv.rollouts._tree_growth import Request, Steps, Write
from reasonenv.rollouts._tree_search import TreeSearch


class TreeLog:
    """The lines of a run's trees: the places of those of an earlier session, 8 bytes each, and new ones.

    Args:
        run: The run; None if nothing is saved.
    """

    def __init__(self, run: Run | None) -> None:
        self._run = run
        self._count = 0
        self._places: dict[tuple[str, str, str], tuple[int, array[int]]] = {}
        self._ended: dict[int, int] = {}
        if run is None or not run.trees_path.is_file():
            return
        lines: dict[int, array[int]] = {}
        for number, line in tree_lines(run.trees_path):
            places = lines.setdefault(number, array("Q"))
            places.append(line.at)
            if "group_id" in line.record:
                source, policy, group = (line.record[name] for name in ("source", "policy", "group_id"))
                self._places[source, policy, group] = number, places
            if "paths" in line.record:
                self._ended[number] = line.record["paths"]
        self._count = len(lines)

    def paths(self, name: tuple[str, str, str]) -> int | None:
        """Number of kept paths of a tree that has ended; None otherwise."""
        return self._ended.get(self._places[name][0]) if name in self._places else None

    def lines(self, name: tuple[str, str, str]) -> Iterator[Mapping[str, Any]]:
        """Lines of a tree in an earlier session."""
        if self._run is not None and name in self._places:
            for at in self._places[name][1]:
                yield line_at(self._run.trees_path, at)

    def writer(self, name: tuple[str, str, str]) -> Write:
        """Function that writes the lines of a tree."""
        run = self._run
        if run is None:
            return _ignore
        number = self._places[name][0] if name in self._places else self._count
        self._count = max(self._count, number + 1)

        def write(line: Mapping[str, Any]) -> None:
            run.grow([{"tree": number} | dict(line)])

        return write


def _ignore(line: Mapping[str, Any]) -> None:
    """Write nothing."""


@dataclass(frozen=True)
class TreeRunner(EpisodeRunner):
    """A policy that grows trees of episodes."""

    sampling: Sampling = field(default_factory=Sampling)
    seed: int = 0

    def groups(
        self, starts: Sequence[Start], rollouts: Sequence[int], past: Past, tell: Callable[[int], None]
    ) -> list[Group]:
        """Every group, known from an earlier session or searched now."""
        log = TreeLog(self.session.log)
        found: list[Group] = []
        lanes = LANES if all(start.pool.can_be_many for start in starts) else 1
        for first in range(0, len(starts), lanes):
            some = range(first, min(first + lanes, len(starts)))
            known = {at: self._known(starts[at], log, past) for at in some}
            searches = {at: self._search(starts[at], rollouts[at], log) for at in some if known[at] is None}
            if self.who.pump is None:
                self._together(list(searches.values()))
            else:
                self._apart(self.who.pump, list(searches.values()))
            for at in some:
                search = searches.get(at)
                samples = known[at] if search is None else self._samples(starts[at], search, past)
                group = Group(starts[at].id, samples or [])
                if search is not None and self.session.log is None:
                    group.tree = search.tree
                found.append(group)
                tell(len(group.samples))
        return found

    def _name(self, start: Start) -> tuple[str, str, str]:
        return self.source, self.who.name, start.id

    def _known(self, start: Start, log: TreeLog, past: Past) -> list[Sample] | None:
        """Rollouts of a tree that an earlier session finished and wrote."""
        count = log.paths(self._name(start))
        if count is None:
            return None
        samples = [_earlier(past, start.id, rollout) for rollout in range(count)]
        return None if None in samples else samples  # type: ignore[return-value]

    def _search(self, start: Start, keep: int, log: TreeLog) -> TreeSearch:
        assert self.sampling.tree is not None, "trees are grown only on request"
        name = self._name(start)
        episode = start.begin()
        task_id = start.id if episode.task is None else episode.task.id
        tree = SearchTree(start.id, self.source, self.who.name, task_id, gamma=self.gamma)
        return TreeSearch(
            self.sampling.tree,
            episode,
            tree,
            keep=keep,
            seed=self.seed,
            lines=log.lines(name),
            write=log.writer(name),
        )

    def _together(self, searches: Sequence[TreeSearch]) -> None:  # type: ignore[override]
        """Advance all trees in lockstep, so that a callable gets the requests of all of them at once."""
        running: list[tuple[TreeSearch, Steps[None], list[Request]]] = []
        for search in searches:
            steps = search.run()
            if (requests := next(steps, None)) is not None:
                running.append((search, steps, requests))
        while running:
            asks = [(search, request) for search, _, requests in running for request in requests]
            answers = iter(self._answers(asks))
            following = []
            for search, steps, requests in running:
                given = list(itertools.islice(answers, len(requests)))
                try:
                    following.append((search, steps, steps.send(given)))
                except StopIteration:
                    continue
            running = following

    def _answers(self, asks: Sequence[tuple[TreeSearch, Request]]) -> list[Completion]:
        """Answers of a callable, in order; it is called once for each number of a rollout."""
        found = {at: said for at, (search, ask) in enumerate(asks) if (said := search.noted(ask)) is not None}
        calls: dict[int, list[int]] = {}
        for at, (_, request) in enumerate(asks):
            if at not in found:
                calls.setdefault(request.rollout, []).append(at)
        for rollout, places in sorted(calls.items()):
            contexts = [asks[at][1].context for at in places]
            given = tasks_of(self.who.name, contexts) if takes_tasks(self.who.policy) else contexts
            ids = [context.id for context in contexts]
            answers = asked(self.who, given, rollout, ids, actions=True)
            found |= zip(places, answers, strict=True)
            if rollout != max(calls):  # those of the last call become nodes at once
                for at, said in zip(places, answers, strict=True):
                    search, request = asks[at]
                    search.note(request, said)
        return [found[at] for at in range(len(asks))]

    def _apart(self, pump: Pump, searches: Sequence[TreeSearch]) -> None:  # type: ignore[override]
        """Advance each tree at its own pace, with many requests in parallel."""
        name, gate = self.who.name, asyncio.Semaphore(self.concurrency)

        async def answer(search: TreeSearch, request: Request) -> Completion:
            if (known := search.noted(request)) is not None:
                return known
            async with gate:
                before = time.perf_counter()
                given = await self.who.policy(*request)
            seconds = time.perf_counter() - before
            said = as_completion(name, given, request.context.id, seconds, actions=True)
            search.note(request, said)
            return said

        async def grow(search: TreeSearch) -> None:
            steps = search.run()
            requests = next(steps, None)
            while requests is not None:
                answers = await asyncio.gather(*(answer(search, request) for request in requests))
                try:
                    requests = steps.send(answers)
                except StopIteration:
                    return

        def work(search: TreeSearch) -> Callable[[], Coroutine[Any, Any, None]]:
            return lambda: grow(search)

        pump.each([work(one) for one in searches], max(1, len(searches)), lambda *_: None)

    def _samples(self, start: Start, search: TreeSearch, past: Past) -> list[Sample]:
        """The kept paths of a tree as rollouts; one more with an error if an endpoint failed."""
        search.annotate(self.sampling.sigma)
        start.pool.give(search.start.env)
        paths = list(search.paths)
        if search.error is not None:
            failed = search.start.fork()
            failed.error = search.error
            paths.append(failed)
        samples = []
        for rollout, path in enumerate(paths):
            record = self._record(start, path, rollout)
            samples.append(_earlier(past, start.id, rollout) or Sample.of_record(record, fresh=True))
        return samples


def _earlier(past: Past, group: str, rollout: int) -> Sample | None:
    """A rollout that an earlier session wrote."""
    if record := past.known.get((group, rollout)):
        return Sample.of_record(record, fresh=False)
    held = past.held.get((group, rollout)) or {}
    return Sample.of_record(held["record"], fresh=True) if "record" in held else None
