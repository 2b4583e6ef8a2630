"""Asks policies: callables batch by batch, coroutine functions one request at a time, many in parallel."""

import asyncio
import inspect
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from reasonenv._checks import shown
from reasonenv._native import ReasonEnvError
from reasonenv.rollouts._completion import Completion, Context

T = TypeVar("T")

_GLANCE = 0.5
"""Seconds between two checks for Ctrl-C, where waiting blocks signals."""


@runtime_checkable
class AsyncPolicy(Protocol):
    """Answers one conversation at a time; many requests run in parallel."""

    async def __call__(self, context: Context, rollout: int, /) -> str | Completion:
        """Return the assistant's next message.

        Args:
            context: The conversation so far.
            rollout: Number of the rollout of this task or episode, from 0.
        """


def is_async(policy: object) -> bool:
    """True if a policy is a coroutine function, or an object whose call is one."""
    called: Any = getattr(type(policy), "__call__", None)  # noqa: B004, it is looked at and not called
    return inspect.iscoroutinefunction(policy) or inspect.iscoroutinefunction(called)


@dataclass(frozen=True)
class Answerer:
    """A policy with its name and the loop that runs it."""

    name: str
    policy: Any
    pump: "Pump | None" = None
    """Event loop for coroutine functions; None for other policies."""


class Pump:
    """An event loop in its own thread, which also works where a loop is already running, as in notebooks."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="reasonenv-rollouts", daemon=True)
        self._thread.start()
        self._closers: list[Callable[[], Awaitable[None]]] = []

    def each(
        self, work: Sequence[Callable[[], Awaitable[T]]], most: int, done: Callable[[int, T], None]
    ) -> None:
        """Await all of the work, with limited concurrency, and report each result in the calling thread.

        A result counts as in flight until it is reported, so a killed process loses no more than the limit.

        The first error ends it: work in flight is canceled, finished results are reported, and the error is
        raised. Ctrl-C does the same.
        """
        ends: queue.SimpleQueue[tuple[int, Any, Any]] = queue.SimpleQueue()
        following = iter(range(len(work)))

        async def worker() -> None:
            for i in following:
                told = self._loop.create_future()
                try:
                    ends.put((i, await work[i](), told))
                except Exception as error:
                    ends.put((i, None, error))
                    return
                await told

        async def all_of_it() -> None:
            await asyncio.gather(*(worker() for _ in range(min(most, len(work)))))

        running = asyncio.run_coroutine_threadsafe(all_of_it(), self._loop)
        left = len(work)
        try:
            while left:
                try:
                    i, result, told = ends.get(timeout=_GLANCE)
                except queue.Empty:
                    if running.done():  # only by what is no Exception, such as a policy that was cancelled
                        running.result()
                    continue
                if isinstance(told, Exception):
                    raise told
                left -= 1
                done(i, result)
                self._loop.call_soon_threadsafe(_set, told)
            running.result()
        except BaseException:
            self._cancel(running)
            while not ends.empty():
                i, result, told = ends.get()
                if not isinstance(told, Exception):
                    done(i, result)
            raise

    def _cancel(self, running: Any) -> None:
        """Stop the workers and wait until all of their work has ended."""
        running.cancel()

        async def settled() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(settled(), self._loop).result(timeout=30)

    def close_with(self, closer: Callable[[], Awaitable[None]]) -> None:
        """Await a function on this loop before the loop ends."""
        self._closers.append(closer)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for closer in self._closers:

            async def close(closer: Callable[[], Awaitable[None]] = closer) -> None:
                await closer()

            asyncio.run_coroutine_threadsafe(close(), self._loop).result(timeout=30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=30)
        self._loop.close()


def _set(told: asyncio.Future[None]) -> None:
    if not told.done():
        told.set_result(None)


def asked(
    who: Answerer, requests: Sequence[Any], rollout: int, ids: Iterable[str], *, actions: bool = False
) -> list[Completion]:
    """Completions of a callable for tasks or contexts. With `actions`, they may be other values than text.

    Exceptions of the callable propagate unchanged.
    """
    name = who.name
    before = time.perf_counter()
    given: Any = who.policy(requests, rollout)
    if isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        msg = f"policy `{name}` gave {shown(given)}, but must give a sequence of texts, one a task"
        raise ReasonEnvError(msg)
    answers = list(given)
    if len(answers) != len(requests):
        msg = (
            f"policy `{name}` gave {len(answers)} completions for {len(requests)} tasks, "
            "but must give one for each"
        )
        raise ReasonEnvError(msg)
    seconds = (time.perf_counter() - before) / max(1, len(requests))
    return [
        as_completion(name, answer, asked_for, seconds, actions=actions)
        for answer, asked_for in zip(answers, ids, strict=True)
    ]


def as_completion(
    name: str, answer: object, asked_for: str, seconds: float, *, actions: bool = False
) -> Completion:
    """A policy's answer, plain text or not, as a completion with its time."""
    if isinstance(answer, str):
        return Completion(answer, seconds=seconds)
    if actions and not isinstance(answer, Completion):
        return Completion(action=answer, seconds=seconds)
    if not isinstance(answer, Completion) or not isinstance(answer.text, str):
        msg = f"policy `{name}` gave {shown(answer)} for {asked_for}, but must give text"
        raise ReasonEnvError(msg)
    if answer.seconds is None:
        return replace(answer, seconds=seconds)
    return answer
