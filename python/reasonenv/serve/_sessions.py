"""Endpoints of environments that clients step, each a session with an id."""

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import gymnasium
from fastapi import Request, Response
from gymnasium.error import ResetNeeded
from prometheus_client import CollectorRegistry, Counter, Gauge

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv.integrations._setup import Setup
from reasonenv.integrations.gem import GemEnv
from reasonenv.serve._bodies import EpisodeResponse, ResetRequest, SessionRequest, StepRequest, StepResponse
from reasonenv.serve._errors import ASCIIResponse, Refusal, blame
from reasonenv.serve._limits import SESSION_BODY, Limits

_CONVERSATION = "reasonenv/Conversation"


def list_envs() -> list[str]:
    """Return the ids that a session can have: the environments of this package."""
    known = (spec.id for spec in gymnasium.registry.values() if spec.namespace == "reasonenv")
    return sorted([*known, _CONVERSATION])


class Session:
    """An environment, used by one request at a time."""

    env: gymnasium.Env[Any, Any] | GemEnv

    def __init__(self) -> None:
        self.id, self.used, self._bytes = secrets.token_urlsafe(12), time.monotonic(), 0

    def begin(self, body: SessionRequest) -> EpisodeResponse:
        self.env = _make(body.env, body.kwargs or {})
        return self.reset(body)

    def reset(self, body: ResetRequest) -> EpisodeResponse:
        self._bytes = 0
        with blame("options"):
            options = _checks.mapping("options", body.options)
            observation, info = self.env.reset(seed=body.seed, options=options)
        return {"session": self.id, "observation": observation, "info": info}

    def step(self, body: StepRequest, size: int) -> StepResponse:
        self._bytes += size
        if self._bytes > 8 * SESSION_BODY:
            message = f"the steps since the last reset have more than {8 * SESSION_BODY} bytes; reset"
            raise Refusal(413, "TooLarge", message)
        try:
            with blame("action"):
                observation, reward, terminated, truncated, info = self.env.step(body.action)
        except ResetNeeded as error:
            raise Refusal(409, "ResetNeeded", str(error)) from None
        return {
            "observation": observation,
            "reward": float(reward),
            "terminated": bool(terminated),
            "truncated": bool(truncated),
            "info": info,
        }


class Sessions:
    """Endpoints with their own threads, so that a slow opponent delays no verdict."""

    def __init__(self, limits: Limits, registry: CollectorRegistry) -> None:
        self._limits = limits
        self._open: dict[str, Session] = {}
        self._busy = set[str]()  # includes those whose environment is being made
        self._threads = ThreadPoolExecutor(limits.threads, "step")
        self._steps = Counter("reasonenv_steps", "Steps of environments.", registry=registry)
        self._expired = Counter("reasonenv_sessions_expired", "Sessions closed as idle.", registry=registry)
        Gauge("reasonenv_sessions", "Open sessions.", registry=registry).set_function(self._count)

    async def begin(self, body: SessionRequest) -> Response:
        """Make an environment, and begin an episode."""
        if self._count() >= self._limits.max_sessions:
            message = f"all {self._limits.max_sessions} sessions are in use; close some, or come back later"
            raise Refusal(429, "TooManySessions", message, retry_after=5)
        session = Session()
        response = await self._use(session, lambda: ASCIIResponse(session.begin(body), 201))
        self._open[session.id] = session
        return response

    async def reset(self, id: str, body: ResetRequest) -> Response:
        """Begin another episode."""
        session = self._find(id)
        return await self._use(session, lambda: ASCIIResponse(session.reset(body)))

    async def step(self, id: str, body: StepRequest, request: Request) -> Response:
        """Take a step."""
        session, size = self._find(id), len(await request.body())
        self._steps.inc()
        return await self._use(session, lambda: ASCIIResponse(session.step(body, size)))

    async def end(self, id: str) -> Response:
        """Close a session."""
        self._close(self._find(id))
        return Response(status_code=204)

    async def close_idle(self) -> None:
        """Close sessions that have been idle for too long; runs until it is canceled."""
        while True:
            await asyncio.sleep(min(self._limits.idle_seconds / 4, 5))
            least = time.monotonic() - self._limits.idle_seconds
            for session in list(self._open.values()):
                if session.used < least and session.id not in self._busy:
                    self._close(session)
                    self._expired.inc()

    def close(self) -> None:
        """Close all sessions."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for session in list(self._open.values()):
            self._close(session)

    def _count(self) -> int:
        return len(self._open.keys() | self._busy)

    def _find(self, id: str) -> Session:
        if id not in self._open:
            raise Refusal(404, "UnknownSession", "no such session; it may have been idle for too long")
        if id in self._busy:
            message = "another request is using this session; wait for its response"
            raise Refusal(409, "SessionBusy", message, retry_after=1)
        return self._open[id]

    async def _use(self, session: Session, work: Callable[[], Response]) -> Response:
        """Return the environment's response. If it takes too long, the session stays busy."""
        self._busy.add(session.id)
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._limits.step_seconds)
        except TimeoutError:
            message = (
                f"the environment took more than {self._limits.step_seconds:g} s; ask an easier opponent"
            )
            raise Refusal(504, "TooSlow", message) from None
        finally:
            session.used = time.monotonic()
            if future.done():
                self._busy.discard(session.id)
            else:
                future.add_done_callback(lambda _: self._busy.discard(session.id))

    def _close(self, session: Session) -> None:
        del self._open[session.id]
        with suppress(ReasonEnvError):  # it is gone either way
            session.env.close()


def _make(id: str, kwargs: dict[str, Any]) -> gymnasium.Env[Any, Any] | GemEnv:
    """Make an environment of this package from settings that reach nothing beyond the request."""
    with blame("env"):
        if id not in (known := list_envs()):
            raise _checks.unknown("environment", id, known)
    with blame("kwargs"):
        _checks.mapping("kwargs", kwargs)
        if isinstance(kwargs.get("rows"), str):  # a path
            msg = f"`rows` is {_checks.shown(kwargs['rows'])}, but must be a list of rows here"
            raise InvalidArgument(msg)
        if id == _CONVERSATION:
            source = _checks.text("source", kwargs.get("source", "countdown"))
            return GemEnv(Setup.of(**{**kwargs, "source": source}))
        _checks.one_of("render_mode", kwargs.get("render_mode"), (None, "ansi"))  # others print
        try:
            return gymnasium.make(id, disable_env_checker=True, **kwargs)
        except (TypeError, gymnasium.error.Error) as error:
            raise InvalidArgument(f"`kwargs` do not make {id}: {error}") from error
