"""Ctrl-C while the command line starts and ends: one word and an exit code, never a traceback.

The package's imports take a third of a second, before any code of the command line runs. This module is
imported first and lets Ctrl-C end the process during that time, if it is the command line.
"""

import os
import signal
import sys
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""Exit code for Ctrl-C, as in shells."""


def leave(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Print "interrupted" on stderr and end the process."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    # A second Ctrl-C ends the process without waiting for the cleanup.
    signal.signal(signal.SIGINT, leave)
    raise KeyboardInterrupt


def leave_on_ctrl_c() -> None:
    """Let Ctrl-C end the process at once, before work starts or after it is done."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _interrupt):
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, leave)


def raise_on_ctrl_c() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, so that work can clean up; a second one ends the process."""
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, _interrupt)


def _is_command_line() -> bool:
    """True if this process is `reasonenv` or `python -m reasonenv`, rather than one that imports it."""
    program: str = getattr(sys, "argv", [""])[0]
    if program == "-m":  # while Python looks for the module
        return any(
            option[:1] == "-" and option[-1] == "m" and name == "reasonenv"
            for option, name in pairwise(sys.orig_argv)
        )
    return os.path.splitext(os.path.basename(program))[0] == "reasonenv"


def refuse(message: str) -> NoReturn:
    """End the command line before it starts, with an error in one line."""
    with suppress(OSError):
        os.write(2, f"error: {message}\n".encode())
    os._exit(1)


IS_COMMAND_LINE = _is_command_line()
"""True if this process is the command line."""

if IS_COMMAND_LINE:
    leave_on_ctrl_c()
