"""Verification and environments over HTTP, for trainers that want a reward server. Needs the `serve` extra.

    from reasonenv.serve import running

    with running() as server:
        print(server.url)

`serve` is what `reasonenv serve` calls, `running` the same server beside a program of one's own, and
`create_app` the ASGI application for a server that is there already. docs/serve.md has the endpoints.
"""

from typing import TYPE_CHECKING

from reasonenv.serve.limits import Limits

if TYPE_CHECKING:
    from reasonenv.serve.app import create_app
    from reasonenv.serve.server import Running, running, serve
else:
    _HOMES = {"create_app": "app", "Running": "server", "running": "server", "serve": "server"}

    def __getattr__(name: str) -> object:
        # FastAPI and uvicorn are an extra, which `Limits` and the help of the command line do without.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib  # noqa: PLC0415

        try:
            home = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        except ImportError as error:
            raise ImportError(
                f"reasonenv.serve needs FastAPI, uvicorn and prometheus-client ({error}); "
                "install them with: pip install 'reasonenv[serve]'"
            ) from error
        return getattr(home, name)


__all__ = ["Limits", "Running", "create_app", "running", "serve"]
