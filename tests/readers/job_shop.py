"""Reads job_shop: a list of jobs is played as a schedule, which has to end at the earliest time there is."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from random import Random

Jobs = tuple[tuple[tuple[str, int], ...], ...]
LINE = re.compile(r"^(?:- patient )?([A-Z]): (.*)$", re.MULTILINE)
OPERATION = re.compile(r"(M\d+)(?: for |=|:| \()(\d+)")


def jobs_of(prompt: str) -> Jobs:
    lines = LINE.findall(prompt)
    assert [name for name, _ in lines] == [chr(65 + j) for j in range(len(lines))]
    return tuple(tuple((room, int(time)) for room, time in OPERATION.findall(line)) for _, line in lines)


def makespan(jobs: Jobs, order: list[int]) -> int:
    """When the last operation ends; the order must name each job once for each of its operations."""
    done, job_free, room_free = [0] * len(jobs), [0] * len(jobs), dict[str, int]()
    for job in order:
        room, time = jobs[job][done[job]]
        done[job] += 1
        job_free[job] = room_free[room] = max(job_free[job], room_free.get(room, 0)) + time
    return max(job_free)


def one_room(operations: list[tuple[int, int, int]]) -> int:
    """A bound on the end where operations (tail, head, time) share a machine.

    None of a set begins before its smallest head, they follow one another, and then comes a tail.
    """
    operations = sorted(operations, reverse=True)
    bound = 0
    for _, first, _ in operations:
        end = first
        for tail, head, time in operations:
            if head >= first:
                end += time
                bound = max(bound, end + tail)
    return bound


class Search:
    """Branches over the operations that compete for the room that is free first (Giffler and Thompson)."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.tails = [[*accumulate((t for _, t in reversed(job)), initial=0)][-2::-1] for job in jobs]
        self.best = sum(time for job in jobs for _, time in job) + 1
        self.order: list[int] = []
        self.seen: dict[tuple[int, ...], list[list[int]]] = {}
        self.go((0,) * len(jobs), [0] * len(jobs), {room: 0 for job in jobs for room, _ in job}, [])

    def bound(self, done: tuple[int, ...], job_free: list[int], room_free: dict[str, int]) -> int:
        rooms: dict[str, list[tuple[int, int, int]]] = {}
        for job, first, free, tails in zip(self.jobs, done, job_free, self.tails, strict=True):
            head = free
            for (room, time), tail in zip(job[first:], tails[first:], strict=True):
                head = max(head, room_free[room])
                rooms.setdefault(room, []).append((tail, head, time))
                head += time
        return max([*job_free, *map(one_room, rooms.values())])

    def go(
        self, done: tuple[int, ...], job_free: list[int], room_free: dict[str, int], order: list[int]
    ) -> None:
        nexts = [(j, *self.jobs[j][k]) for j, k in enumerate(done) if k < len(self.jobs[j])]
        if not nexts:
            if max(job_free) < self.best:
                self.best, self.order = max(job_free), order
            return
        ready = [*job_free, *room_free.values()]
        seen = self.seen.setdefault(done, [])
        if any(all(a <= b for a, b in zip(old, ready, strict=True)) for old in seen):
            return
        seen.append(ready)
        end, busy = min((max(job_free[j], room_free[room]) + time, room) for j, room, time in nexts)
        children = []
        for j, room, time in nexts:
            start = max(job_free[j], room_free[room])
            if room == busy and start < end:
                after = tuple(k + (i == j) for i, k in enumerate(done))
                jobs = [start + time if i == j else free for i, free in enumerate(job_free)]
                rooms = {**room_free, room: start + time}
                children.append((self.bound(after, jobs, rooms), start, j, after, jobs, rooms))
        for bound, _, j, after, jobs, rooms in sorted(children, key=lambda c: c[:3]):
            if bound < self.best:
                self.go(after, jobs, rooms, [*order, j])


@lru_cache(maxsize=4096)
def solved(jobs: Jobs) -> tuple[int, list[int]]:
    """The earliest end, and an order with it."""
    search = Search(jobs)
    return search.best, search.order


def judge(prompt: str, answer: str) -> bool:
    jobs = jobs_of(prompt)
    names = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    if sorted(names) != sorted(chr(65 + j) for j, job in enumerate(jobs) for _ in job):
        return False
    return makespan(jobs, [ord(name) - 65 for name in names]) == solved(jobs)[0]


def stirred(jobs: Jobs, order: list[int], rng: Random) -> list[int]:
    """The same schedule in another order: neighbors without a job or a room in common change places."""
    order = order[:]
    for _ in range(3 * len(order)):
        at = rng.randrange(len(order) - 1)
        rooms = [jobs[order[i]][order[:i].count(order[i])][0] for i in (at, at + 1)]
        if order[at] != order[at + 1] and rooms[0] != rooms[1]:
            order[at : at + 2] = order[at + 1], order[at]
    return order


def answers(prompt: str, rng: Random) -> Iterator[str]:
    jobs = jobs_of(prompt)
    _, best = solved(jobs)
    last = len(best) - 1

    def text(order: list[int], between: str = ", ") -> str:
        return between.join(chr(65 + job) for job in order)

    yield text(best)
    yield text(best, ",")
    for _ in range(3):
        yield text(stirred(jobs, best, rng))
        swapped = stirred(jobs, best, rng)
        a, b = rng.randrange(last), rng.randrange(last)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        yield text(swapped)
        at = rng.randrange(last)
        yield text([*best[:at], best[at + 1], best[at], *best[at + 2 :]])
    random = [rng.sample(best, len(best)) for _ in range(30)]
    yield text(min(random, key=lambda order: makespan(jobs, order)))
    other = rng.choice([job for job in range(len(jobs) + 1) if job != best[-1]])
    shifted = [job + 1 for job in best]
    longer, shorter = [*best, other], best[:-1]
    for order in (random[0], sorted(best), best[::-1], shorter, longer, [*shorter, other], shifted):
        yield text(order)
    yield text(best, " ")
    yield text(best, "; ")
