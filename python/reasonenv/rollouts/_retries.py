"""Patience with an endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from reasonenv import _checks
from reasonenv._native import ReasonEnvError


class EndpointError(ReasonEnvError):
    """The endpoint can't be used: it is unreachable, or refuses the key or the model."""


@dataclass(frozen=True, kw_only=True)
class Retries:
    """Patience with an endpoint: how long to wait for it, and how often to retry.

    Raises:
        InvalidArgument: A setting is invalid; names it.
    """

    timeout: float = 600
    """Seconds until a request counts as failed."""
    max_retries: int = 5
    """Retries of a request before it is recorded as failed."""
    backoff: float = 0.5
    """Seconds before the first retry."""
    max_wait: float = 600
    """Seconds that a rollout waits in total where the endpoint itself says for how long, as with rate limits;
    such waits don't count as retries."""
    max_failures: int = 20
    """Consecutive rollouts without an answer after which the run stops."""

    def __post_init__(self) -> None:
        checked = {
            "timeout": _checks.number("timeout", self.timeout, 0),
            "max_retries": _checks.whole("max_retries", self.max_retries, 0, 100),
            "backoff": _checks.number("backoff", self.backoff, 0),
            "max_wait": _checks.number("max_wait", self.max_wait, 0),
            "max_failures": _checks.whole("max_failures", self.max_failures, 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


def retries_of(given: Retries | Mapping[str, Any] | None) -> Retries:
    """Settings from an argument, which is a mapping in a run file."""
    if isinstance(given, Retries):
        return given
    settings = _checks.mapping("retries", given) or {}
    known = [one.name for one in fields(Retries)]
    for name in settings:
        if name not in known:
            raise _checks.unknown("setting of `retries`", name, known)
    return Retries(**settings)
