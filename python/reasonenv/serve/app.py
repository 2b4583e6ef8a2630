"""The application: its endpoints, and the threads that their work is done in."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

import reasonenv
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv.serve import bodies, judging
from reasonenv.serve.bodies import Refused
from reasonenv.serve.guard import Guard
from reasonenv.serve.limits import Limits
from reasonenv.serve.metrics import Metrics
from reasonenv.serve.page import page
from reasonenv.serve.sessions import Session, Sessions, list_envs, make_env

__all__ = ["create_app"]

_Result = TypeVar("_Result")


class Work:
    """Threads for judging, and others for environments: an opponent that thinks long delays no verdict."""

    def __init__(self, limits: Limits) -> None:
        self.step_seconds = limits.step_seconds
        self._judges = ThreadPoolExecutor(limits.threads, "judge")
        self._envs = ThreadPoolExecutor(limits.threads, "env")

    async def judge(self, do: Callable[[], _Result]) -> _Result:
        """Does what ends within counted steps."""
        return await asyncio.get_running_loop().run_in_executor(self._judges, do)

    async def play(self, do: Callable[[], _Result], then: Callable[[], None]) -> _Result:
        """Does what an environment does; `then` is called once it has ended, however late that is.

        Raises:
            Refused: It took too long. It is not stopped, but goes on and is forgotten.
        """
        future = asyncio.get_running_loop().run_in_executor(self._envs, do)
        future.add_done_callback(lambda done: _ended(done, then))
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.step_seconds)
        except TimeoutError:
            message = f"the environment took more than {self.step_seconds:g} seconds; ask an easier opponent"
            raise Refused(504, "TooSlow", message) from None

    def close(self) -> None:
        """Lets threads end with what they are doing, and starts nothing else."""
        self._judges.shutdown(wait=False, cancel_futures=True)
        self._envs.shutdown(wait=False, cancel_futures=True)


def create_app(limits: Limits | None = None, *, token: str | None = None) -> Guard:
    """The ASGI application. Wherever it does not listen on loopback alone, give it a token.

    Args:
        limits: What it takes on at once.
        token: What callers must show. Without one it answers those alone who address this very machine.

    Raises:
        InvalidArgument: The token is empty, or no token that a header can say.
    """
    if token is not None and not (
        isinstance(token, str) and token.isascii() and token.isprintable() and token
    ):
        msg = "`token` must be text of printable ASCII characters, or None"
        raise InvalidArgument(msg)
    limits = limits or Limits()
    metrics, work, sessions = Metrics(), Work(limits), Sessions(limits.max_sessions, limits.idle_seconds)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        expiring = asyncio.create_task(_expire(sessions, metrics, limits))
        yield
        expiring.cancel()
        with suppress(asyncio.CancelledError):
            await expiring
        work.close()
        sessions.close_all()

    app = FastAPI(
        title="reasonenv", version=reasonenv.__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    _add_general(app, metrics)
    _add_judging(app, limits, metrics, work)
    _add_sessions(app, metrics, work, sessions)
    app.add_exception_handler(Refused, lambda _, error: _refusal(error))
    app.add_exception_handler(ReasonEnvError, lambda _, error: _refusal(_named(error)))
    app.add_exception_handler(HTTPException, lambda _, error: _refusal(_unrouted(error)))
    return Guard(app, limits, metrics, token)


def _add_general(app: FastAPI, metrics: Metrics) -> None:
    @app.get("/health")
    async def health() -> Response:
        """Whether it is there."""
        return _reply({"status": "ok", "version": reasonenv.__version__})

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        """This page."""
        return Response(page(app), media_type="text/html")

    @app.get("/metrics")
    async def metrics_() -> Response:
        """What was counted, for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/v1/names")
    async def names() -> Response:
        """What there is."""
        return _reply(
            {
                "families": reasonenv.list_families(),
                "verifiers": reasonenv.verifiers.list_verifiers(),
                "environments": list_envs(),
            }
        )


def _add_judging(app: FastAPI, limits: Limits, metrics: Metrics, work: Work) -> None:
    async def judged(judge: Callable[[dict[str, Any], int], judging.Judged], request: Request) -> Response:
        body = await request.body()

        def do() -> tuple[bytes, dict[tuple[str, bool], int]]:
            found = judge(bodies.read(body), limits.max_items)
            return _json(found.body), found.counts

        said, counts = await work.judge(do)
        for (name, passed), count in counts.items():
            metrics.verdicts.labels(name, str(passed).lower()).inc(count)
        return Response(said, media_type="application/json")

    @app.post("/v1/verify", openapi_extra=_takes("items", "reading", "reward"))
    async def verify(request: Request) -> Response:
        """Judges completions, each of a problem of its own."""
        return await judged(judging.judge_tasks, request)

    @app.post("/v1/judge", openapi_extra=_takes("verifier", "texts", "truths"))
    async def judge(request: Request) -> Response:
        """Judges completions of rows, each against its truth."""
        return await judged(judging.judge_rows, request)


def _add_sessions(app: FastAPI, metrics: Metrics, work: Work, sessions: Sessions) -> None:
    metrics.sessions.set_function(lambda: len(sessions))

    async def used(session: Session, do: Callable[[], dict[str, Any]]) -> Response:
        # A session that is still at work when its request is given up stays busy until it is done.
        return _reply(await work.play(do, lambda: sessions.give_back(session)))

    @app.post("/v1/sessions", openapi_extra=_takes("env", "kwargs", "seed", "options"))
    async def begin(request: Request) -> Response:
        """Makes an environment and resets it."""
        given = bodies.read(await request.body())
        bodies.fields(given, "the body", ("env",), ("kwargs", "seed", "options"))

        def do() -> tuple[Session, dict[str, Any]]:
            session = Session(make_env(given["env"], given.get("kwargs")))
            return session, session.reset(given.get("seed"), given.get("options"))

        sessions.reserve()
        # The place is held as long as the work lasts, even where nobody waits for it any more.
        session, body = await work.play(do, sessions.release)
        sessions.keep(session)
        return _reply(body, 201)

    @app.post("/v1/sessions/{id}/reset", openapi_extra=_takes("seed", "options"))
    async def reset(id: str, request: Request) -> Response:
        """Begins another episode."""
        given = bodies.read(await request.body())
        bodies.fields(given, "the body", (), ("seed", "options"))
        session = sessions.take(id)
        return await used(session, lambda: session.reset(given.get("seed"), given.get("options")))

    @app.post("/v1/sessions/{id}/step", openapi_extra=_takes("action"))
    async def step(id: str, request: Request) -> Response:
        """Takes a step."""
        body = await request.body()
        given = bodies.read(body)
        bodies.fields(given, "the body", ("action",), ())
        session = sessions.take(id)
        metrics.steps.inc()
        return await used(session, lambda: session.step(given["action"], len(body)))

    @app.delete("/v1/sessions/{id}")
    async def end(id: str) -> Response:
        """Closes a session."""
        session = sessions.take(id)
        sessions.close(session)
        return Response(status_code=204)


def _ended(done: asyncio.Future[Any], then: Callable[[], None]) -> None:
    if not done.cancelled():
        done.exception()  # it is told to whoever still waits; asyncio need not warn that nobody does
    then()


async def _expire(sessions: Sessions, metrics: Metrics, limits: Limits) -> None:
    while True:
        await asyncio.sleep(min(limits.idle_seconds / 4, 5))
        metrics.expired.inc(sessions.expire())


def _takes(*names: str) -> dict[str, Any]:
    """The body, for the page of endpoints."""
    schema = {"type": "object", "properties": {name: {} for name in names}}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def _json(value: Any) -> bytes:
    # ASCII, because texts may hold halves of surrogate pairs, which UTF-8 cannot say.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _reply(value: Any, status: int = 200) -> Response:
    return Response(_json(value), status, media_type="application/json")


def _named(error: Exception) -> Refused:
    return Refused(422, type(error).__name__, str(error))


def _unrouted(error: Exception) -> Refused:
    status = getattr(error, "status_code", 404)
    if status == 405:
        return Refused(405, "WrongMethod", "this endpoint takes another method; see /docs")
    return Refused(status, "UnknownEndpoint", "there is no such endpoint; see /docs")


def _refusal(error: Refused) -> Response:
    response = _reply(error.to_dict(), error.status)
    if error.retry_after is not None:
        response.headers["retry-after"] = str(error.retry_after)
    return response
