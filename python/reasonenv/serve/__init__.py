"""Verification and environments over HTTP, for trainers that want a reward server. Needs the `serve` extra.

    from reasonenv.serve import Server

    with Server() as server:
        print(server.url)

`create_app` is the ASGI application alone. docs/serve.md has the endpoints.
"""

import importlib
from typing import TYPE_CHECKING

from reasonenv.serve._limits import Limits

if TYPE_CHECKING:
    from reasonenv.serve._app import create_app
    from reasonenv.serve._server import Server

__all__ = ["Limits", "Server", "create_app"]

_MODULES = {"Server": "_server", "create_app": "_app"}


def __getattr__(name: str) -> object:
    # FastAPI and uvicorn are an extra, which `Limits` and the help of the command line do without.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ImportError as error:
        msg = f"reasonenv.serve needs FastAPI, uvicorn and prometheus-client ({error})"
        raise ImportError(f"{msg}; install them with: pip install 'reasonenv[serve]'") from error
