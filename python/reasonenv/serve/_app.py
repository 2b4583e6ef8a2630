"""The application, with its general endpoints."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import escape

import anyio.to_thread
import prometheus_client
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import reasonenv
from reasonenv._native import InvalidArgument
from reasonenv.serve import _bodies
from reasonenv.serve._errors import ASCIIResponse, respond
from reasonenv.serve._guard import Guard
from reasonenv.serve._limits import Limits
from reasonenv.serve._sessions import Sessions, list_envs
from reasonenv.serve._verify import Verification


def create_app(limits: Limits | None = None, *, token: str | None = None) -> FastAPI:
    """Create the ASGI application. Give it a token unless it listens only on this machine.

    Args:
        limits: Limits of the server; those of connections and of slow readers need `Server`.
        token: Token that callers must send. Without one, requests must name this machine as their host.

    Raises:
        InvalidArgument: The token is empty or does not fit into a header.
    """
    valid = isinstance(token, str) and token.isascii() and token.isprintable() and token
    if token is not None and not valid:
        raise InvalidArgument("`token` must be text of printable ASCII characters, or None")
    limits, registry = limits or Limits(), prometheus_client.CollectorRegistry()
    verification, sessions = Verification(registry), Sessions(limits, registry)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = limits.threads
        closing = asyncio.create_task(sessions.close_idle())
        yield
        closing.cancel()
        sessions.close()

    app = FastAPI(
        title="reasonenv",
        version=reasonenv.__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        default_response_class=ASCIIResponse,
        responses={"default": {"model": _bodies.ErrorResponse, "description": "What is wrong, and where."}},
    )
    app.state.registry, app.state.max_items = registry, limits.max_items
    app.router.route_class = _bodies.StrictRoute
    app.add_middleware(Guard, limits=limits, registry=registry, token=token)
    for kind in (HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, respond)
    app.post("/v1/verify", response_model=_bodies.VerifyResponse)(verification.tasks)
    app.post("/v1/verify/rows", response_model=_bodies.VerifyResponse)(verification.rows)
    app.post("/v1/sessions", response_model=_bodies.EpisodeResponse, status_code=201)(sessions.begin)
    app.post("/v1/sessions/{id}/reset", response_model=_bodies.EpisodeResponse)(sessions.reset)
    app.post("/v1/sessions/{id}/step", response_model=_bodies.StepResponse)(sessions.step)
    app.delete("/v1/sessions/{id}", status_code=204)(sessions.end)
    app.get("/v1/names")(names)
    app.get("/health")(health)
    app.get("/metrics", response_class=Response)(metrics)
    app.get("/docs", include_in_schema=False)(docs)
    return app


async def names() -> _bodies.NamesResponse:
    """List families, verifiers and environments."""
    families, verifiers = reasonenv.list_families(), reasonenv.verifiers.list_verifiers()
    return {"families": families, "verifiers": verifiers, "environments": list_envs()}


async def health() -> _bodies.HealthResponse:
    """Report that the server is up."""
    return {"status": "ok", "version": reasonenv.__version__}


async def metrics(request: Request) -> Response:
    """Return counters, in the text format of Prometheus."""
    text = prometheus_client.generate_latest(request.app.state.registry)
    return Response(text, media_type="text/plain; version=0.0.4")


async def docs(request: Request) -> Response:
    """List the endpoints, on a page that loads nothing from elsewhere: it works without a network."""
    schema = request.app.openapi()
    title = escape(f"{schema['info']['title']} {schema['info']['version']}")
    lines = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>',
        "<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto }</style>",
        f'<h1>{title}</h1><p>Bodies are JSON; <a href="openapi.json">openapi.json</a> has their schemas.',
    ]
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            lines.append(
                f"<h2><code>{method.upper()} {escape(path)}</code></h2>{operation['description']}<ul>"
            )
            if "requestBody" in operation:
                name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[
                    -1
                ]
                for field, facts in schema["components"]["schemas"][name]["properties"].items():
                    lines.append(f"<li><code>{field}</code>: {escape(facts['description'])}")
            lines.append("</ul>")
    return Response("\n".join(lines), media_type="text/html")
