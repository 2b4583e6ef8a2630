"""Environments that clients step: each a session with an id, closed when nobody uses it."""

import secrets
import time
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv._plain import plain
from reasonenv.serve.bodies import Refused

__all__ = ["SESSION_BODY", "Session", "Sessions", "list_envs"]

SESSION_BODY = 2**20
"""Bytes of a request to a session, and eight times as many between two resets: scratchpads grow with them."""

_SPENT = 8 * SESSION_BODY


def list_envs() -> list[str]:
    """The ids that a session may be of: those of this package."""
    return sorted(spec.id for spec in gymnasium.registry.values() if spec.namespace == "reasonenv")


def make_env(id: object, keywords: object) -> gymnasium.Env[Any, Any]:
    """An environment of this package, by its id and by keywords that JSON can say.

    Raises:
        InvalidArgument: There is no such id, or a keyword is none, or would reach beyond the request.
    """
    if id not in (known := list_envs()):
        raise _checks.unknown("environment", id, known)
    given = _checks.mapping("kwargs", keywords) or {}
    # A path would be read here, and printing would end in the server's own log.
    if isinstance(given.get("rows"), str):
        msg = f"`rows` is {_checks.shown(given['rows'])}, but must be a list of rows here"
        raise InvalidArgument(msg)
    _checks.one_of("render_mode", given.get("render_mode"), (None, "ansi"))
    try:
        return gymnasium.make(str(id), disable_env_checker=True, **given)
    except (TypeError, gymnasium.error.Error) as error:
        msg = f"`kwargs` do not make {id}: {error}"
        raise InvalidArgument(msg) from error


class Session:
    """One environment, used by one request at a time."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self.id = secrets.token_urlsafe(12)
        self.env = env
        self.used = time.monotonic()
        self.busy = False
        self.spent = 0

    def reset(self, seed: object, options: object) -> dict[str, Any]:
        """Begins an episode."""
        seed = None if seed is None else _checks.seed("seed", seed)
        self.spent = 0
        observation, info = self.env.reset(seed=seed, options=_checks.mapping("options", options))
        return {"session": self.id, "observation": plain(observation), "info": plain(info)}

    def step(self, action: Any, size: int) -> dict[str, Any]:
        """Takes a step whose request had so many bytes.

        Raises:
            Refused: The episode is over, or its requests were too large together.
        """
        if self.spent + size > _SPENT:
            message = f"the steps since the last reset have more than {_SPENT} bytes together; reset"
            raise Refused(413, "TooLarge", message)
        self.spent += size
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except ResetNeeded as error:
            raise Refused(409, "ResetNeeded", str(error)) from None
        return {
            "observation": plain(observation),
            "reward": float(reward),
            "terminated": bool(terminated),
            "truncated": bool(truncated),
            "info": plain(info),
        }


class Sessions:
    """The sessions that are open. All but the environments' own work happens on the event loop."""

    def __init__(self, most: int, idle_seconds: float) -> None:
        self._most, self._idle = most, idle_seconds
        self._open: dict[str, Session] = {}
        self._reserved = 0

    def __len__(self) -> int:
        return len(self._open) + self._reserved

    def reserve(self) -> None:
        """Takes room for one that is being made; `release` gives it back.

        Raises:
            Refused: There is none.
        """
        if len(self) >= self._most:
            message = f"all {self._most} sessions are in use; close some, or come back later"
            raise Refused(429, "TooManySessions", message, retry_after=5)
        self._reserved += 1

    def release(self) -> None:
        """Ends what `reserve` began."""
        self._reserved -= 1

    def keep(self, session: Session) -> None:
        """Opens a session."""
        self._open[session.id] = session

    def take(self, id: str) -> Session:
        """The session of an id, for one request; `give_back` ends it.

        Raises:
            Refused: There is none, or another request is using it.
        """
        session = self._open.get(id)
        if session is None:
            raise Refused(404, "UnknownSession", "no such session; it may have been idle for too long")
        if session.busy:
            message = "another request is using this session; wait for its answer"
            raise Refused(409, "SessionBusy", message, retry_after=1)
        session.busy = True
        return session

    def give_back(self, session: Session) -> None:
        """Ends the use of a session."""
        session.busy, session.used = False, time.monotonic()

    def close(self, session: Session) -> None:
        """Closes a session."""
        self._open.pop(session.id, None)
        try:
            session.env.close()
        except ReasonEnvError:  # it is gone either way
            return

    def expire(self) -> int:
        """Closes the sessions that nobody has used for too long; tells how many."""
        least = time.monotonic() - self._idle
        idle = [one for one in self._open.values() if not one.busy and one.used < least]
        for session in idle:
            self.close(session)
        return len(idle)

    def close_all(self) -> None:
        """Closes them all."""
        for session in list(self._open.values()):
            self.close(session)
