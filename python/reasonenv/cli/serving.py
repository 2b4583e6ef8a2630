"""`reasonenv serve`: verification and environments over HTTP."""

import os
from typing import Annotated

import typer
from rich.console import Console

from reasonenv._native import ReasonEnvError
from reasonenv.cli._app import app
from reasonenv.serve.limits import Limits

TOKEN = "REASONENV_TOKEN"
"""The variable that a token is taken from: options are seen by all who list processes."""

_USUAL = Limits()


@app.command()
def serve(
    *,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    max_body: Annotated[
        int,
        typer.Option(
            "--max-body", metavar="BYTES", min=1, max=2**31 - 1, help="The most bytes of one request."
        ),
    ] = _USUAL.max_body,
    max_requests: Annotated[
        int,
        typer.Option(
            "--max-requests", metavar="N", min=1, max=2**16, help="The most requests in flight at once."
        ),
    ] = _USUAL.max_requests,
    max_sessions: Annotated[
        int,
        typer.Option("--max-sessions", metavar="N", min=1, max=2**20, help="The most sessions open at once."),
    ] = _USUAL.max_sessions,
    idle_seconds: Annotated[
        float,
        typer.Option(
            "--idle-seconds", metavar="SECONDS", min=0.01, max=1e9, help="When an unused session is closed."
        ),
    ] = _USUAL.idle_seconds,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=1024,
            help="Threads that judge, and as many that step; one a core.",
        ),
    ] = None,
) -> None:
    """Judge answers and play environments over HTTP, for trainers and programs in any language.

    Beyond this machine callers must show a token, which the variable REASONENV_TOKEN holds. SIGTERM and
    Ctrl-C end it once requests in flight are answered. Needs the extra 'serve'.
    """
    limits = Limits(
        max_body=max_body,
        max_requests=max_requests,
        max_sessions=max_sessions,
        idle_seconds=idle_seconds,
        workers=workers,
    )
    try:
        from reasonenv.serve import serve as serve_  # noqa: PLC0415
    except ImportError as error:
        raise ReasonEnvError(str(error)) from error
    token = os.environ.get(TOKEN) or None
    console = Console(stderr=True, highlight=False)

    def on_listening(url: str) -> None:
        asked = "" if token is None else ", for callers with the token"
        console.print(f"serving at {url}{asked}; Ctrl-C stops it", soft_wrap=True)

    serve_(host, port, limits=limits, token=token, on_listening=on_listening)
