"""Policies that take a prompt alone, and arguments of a run that were given in the wrong order."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidArgument, UnknownFamily, family
from reasonenv.data._sources import is_source
from reasonenv.rollouts._asking import is_async
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._policies import BUILT_IN, policy_name, version_of


class PromptPolicy(Protocol):
    """Answers one prompt at a time: `def solve(prompt)`."""

    def __call__(self, prompt: str, /) -> str | Completion | Awaitable[str | Completion]:
        """Return the completion, or a coroutine for it."""


class _Batched:
    """A function of a prompt as a policy of (tasks, rollout)."""

    def __init__(self, solve: Callable[[str], Any]) -> None:
        self.name, self.version = policy_name(solve), version_of(solve)
        self._solve = solve

    def __call__(self, tasks: Iterable[Any], _: int, /) -> Sequence[Any]:
        return [self._solve(task.prompt) for task in tasks]


class _Awaited(_Batched):
    """A coroutine function of a prompt as a policy of (context, rollout)."""

    async def __call__(self, context: Context, _: int, /) -> Any:  # type: ignore[override]  # a coroutine
        return await self._solve(context.prompt)


def as_policy(given: Callable[..., Any]) -> Any:
    """The policy itself; one that takes a single argument, the prompt, becomes one of (tasks, rollout)."""
    try:
        signature = inspect.signature(given)
        signature.bind(None)
    except (TypeError, ValueError):  # it needs more, or has no signature
        return given
    try:
        signature.bind(None, None)
    except TypeError:
        return _Awaited(given) if is_async(given) else _Batched(given)
    return given


def check_order(tasks: object, policies: object) -> None:
    """Refuse a policy where tasks belong, and tasks where policies belong.

    Raises:
        InvalidArgument: The arguments are the wrong way round.
    """
    said = "; the tasks come first: rollout(tasks, policies), evaluate(tasks, policies)"
    if isinstance(tasks, str) and _is_policy_name(tasks):
        msg = f"`tasks` is {_checks.shown(tasks)}, which is a policy{said}"
        raise InvalidArgument(msg)
    is_tasks = isinstance(policies, gymnasium.Env) or (is_source(policies) and not callable(policies))
    if isinstance(policies, str):
        is_tasks = policies.startswith("reasonenv/") or (
            not _is_policy_name(policies) and ":" not in policies and _is_family(policies)
        )
    if is_tasks:
        msg = f"`policies` is {_checks.shown(policies)}, which are tasks{said}"
        raise InvalidArgument(msg)


def _is_policy_name(given: str) -> bool:
    known = {name.partition(":")[0] for name in BUILT_IN}
    return given.partition(":")[0] in known and not _is_family(given)


def _is_family(given: str) -> bool:
    try:
        family(given)
    except UnknownFamily:
        return False
    return True
