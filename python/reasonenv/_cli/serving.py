"""`reasonenv serve`: verification and environments over HTTP."""

import os
import signal
from typing import Annotated

import typer
from rich.console import Console

from reasonenv._cli._app import app
from reasonenv._native import ReasonEnvError
from reasonenv.serve import Limits

TOKEN = "REASONENV_TOKEN"
"""Environment variable with the token: options are visible to everyone who can list processes."""

_DEFAULTS = Limits()


@app.command()
def serve(
    *,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    max_body: Annotated[
        int,
        typer.Option("--max-body", metavar="BYTES", min=1, max=2**31 - 1, help="Maximum bytes of a request."),
    ] = _DEFAULTS.max_body,
    max_requests: Annotated[
        int,
        typer.Option("--max-requests", metavar="N", min=1, max=2**16, help="Maximum requests in flight."),
    ] = _DEFAULTS.max_requests,
    max_sessions: Annotated[
        int,
        typer.Option("--max-sessions", metavar="N", min=1, max=2**20, help="Maximum open sessions."),
    ] = _DEFAULTS.max_sessions,
    idle_seconds: Annotated[
        float,
        typer.Option(
            "--idle-seconds",
            metavar="SECONDS",
            min=0.01,
            max=1e6,
            help="Time after which an unused session is closed.",
        ),
    ] = _DEFAULTS.idle_seconds,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=1024,
            help="Threads that verify, and as many that step; by default one per core.",
        ),
    ] = None,
) -> None:
    """Verify completions and step environments over HTTP, for trainers and programs in any language.

    If other machines can connect, they must send the token in the variable REASONENV_TOKEN. SIGTERM and
    Ctrl-C stop the server once requests in flight are answered. Needs the extra 'serve'.
    """
    limits = Limits(
        max_body=max_body,
        max_requests=max_requests,
        max_sessions=max_sessions,
        idle_seconds=idle_seconds,
        workers=workers,
    )
    try:
        from reasonenv.serve import Server  # noqa: PLC0415
    except ImportError as error:
        raise ReasonEnvError(str(error)) from error
    token = os.environ.get(TOKEN) or None
    with Server(host, port, limits=limits, token=token) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.stop())
        callers = "" if token is None else ", for callers with the token"
        console = Console(stderr=True, highlight=False)
        console.print(f"serving at {server.url}{callers}; Ctrl-C stops it", soft_wrap=True)
        server.wait()
