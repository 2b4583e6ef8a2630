"""Ctrl-C while the command line starts and ends: a word and an exit code, never a traceback.

The package's own imports take a third of a second, in which nothing of the command line has run yet. This
module is the first of them, and lets Ctrl-C end the process there, if it is the command line's.
"""

import os
import signal
import sys
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""The exit code for Ctrl-C, as shells have it."""


def leave(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Says on stderr that the process was interrupted, and ends it there."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    # Whoever presses it again does not want to wait for what is being put in order.
    signal.signal(signal.SIGINT, leave)
    raise KeyboardInterrupt


def leave_on_ctrl_c() -> None:
    """Lets Ctrl-C end the process at once: nothing has begun yet, or all of it is done."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _interrupt):
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, leave)


def raise_on_ctrl_c() -> None:
    """Lets Ctrl-C raise KeyboardInterrupt, so that what was begun is put in order, and a second one leave."""
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, _interrupt)


def _is_command_line() -> bool:
    """Whether this process is `reasonenv` or `python -m reasonenv`, rather than one that imports it."""
    program: str = getattr(sys, "argv", [""])[0]
    if program == "-m":  # which it is while Python looks for the module
        return any(
            option[:1] == "-" and option[-1] == "m" and name == "reasonenv"
            for option, name in pairwise(sys.orig_argv)
        )
    return os.path.splitext(os.path.basename(program))[0] == "reasonenv"


def refuse(message: str) -> NoReturn:
    """Ends the command line, which has not begun yet, with an error in one line."""
    with suppress(OSError):
        os.write(2, f"error: {message}\n".encode())
    os._exit(1)


IS_COMMAND_LINE = _is_command_line()
"""Whether this process is the command line."""

if IS_COMMAND_LINE:
    leave_on_ctrl_c()
