"""The terminal: streams, one-line errors, a progress bar."""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from reasonenv._native import ReasonEnvError


class _Stdout(io.FileIO):
    """Stdout of the process, as a pipe or a file, until it fails; later output is discarded."""

    def write(self, data: Any, /) -> int:
        """Write what fits. A reader that closes early, such as `head`, ends the process silently."""
        try:
            return super().write(data)
        except OSError as error:
            # The remaining output must not fail again when the process ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if isinstance(error, BrokenPipeError):
                raise SystemExit(0) from None
            error.filename = "stdout"
            raise


class _Stderr(io.FileIO):
    """Stderr of the process. A failure to report an error must not become another error."""

    def write(self, data: Any, /) -> int:
        """Write as much as possible, or nothing if writing fails."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_streams() -> None:
    """Open stdin, stdout and stderr if they are closed, and make stdout the same on every machine."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Otherwise the next file to be opened would take the stream's place.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False))
    if sys.stderr is None or not sys.stderr.isatty():
        encoding = None if sys.stderr is None else sys.stderr.encoding
        buffer = io.BufferedWriter(_Stderr(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(buffer, encoding, "backslashreplace", line_buffering=True)
    if sys.stdout is None or not sys.stdout.isatty():
        raw = _Stdout(1, "w", closefd=False)
        # Python would use the machine's encoding and line ends.
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", newline="\n")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def flushed(code: str | int | None) -> str | int | None:
    """Flush stdout and return the exit code, which a full disk changes."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _say(error)
        code = code or 1
    sys.stderr.flush()
    return code


class Commands(TyperGroup):
    """Commands whose errors are one line on stderr: a caller's mistake needs no traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line; exit with 1 for a mistake, such as a missing extra."""
        try:
            return super().main(*args, **extra)
        except (ReasonEnvError, OSError, ModuleNotFoundError, UnicodeEncodeError, MemoryError) as error:
            _say(error)
            sys.exit(1)

    def get_params(self, ctx: Any) -> Any:
        """Options of the program itself."""
        params = super().get_params(ctx)
        for param in params:
            _type_in_words(param)
        return params

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name."""
        command = super().get_command(ctx, cmd_name)
        for param in command.get_params(ctx) if command else ():
            _type_in_words(param)
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; a call without any prints the help, which isn't an error."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            if help_text := ctx.get_help():
                typer.echo(help_text)
            ctx.exit()
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; its errors name options rather than Python arguments."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(0) from None  # whoever read the output has had enough, as `head` has
        except ReasonEnvError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            error.args = (_in_options(str(error), command.get_params(ctx) if command else ()),)
            raise


def _in_options(message: str, params: Iterable[Any]) -> str:
    """A message whose argument, in backticks at its start or after a unit's name, is named as an option."""
    options = {one.name: max(one.opts, key=len) for one in params if one.param_type_name == "option"}
    return re.sub(
        r"^((?:\w+: )?)`(\w+)`", lambda found: f"{found[1]}`{options.get(found[2], found[2])}`", message
    )


def _type_in_words(param: Any) -> None:
    """Make the help say `at least 0` for `x>=0`, without Python's type names.

    Versions of Typer without these methods show their usual help.
    """
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    words = None
    if low is not None:
        words = f"at least {low}" if high is None else f"{low} to {high}"
    if hasattr(param, "_get_number_range_help_str"):
        param._get_number_range_help_str = lambda: words
    if hasattr(param, "display_type_rich") and (param.param_type_name == "argument" or param.is_flag):
        param.display_type_rich = lambda **_: None


def _say(error: Exception) -> None:
    text = Text.assemble(("error: ", "bold red"), " ".join(_message(error).splitlines()))
    Console(stderr=True).print(text, soft_wrap=True)


_REMEDIES = {
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path, a part of which is a file",
    errno.EISDIR: "name a file",
    errno.EEXIST: "name another path",
    errno.ELOOP: "check the path, whose links lead in a circle",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EACCES: "name a path that you may use",
    errno.EPERM: "name a path that you may use",
    errno.EROFS: "name a path on another file system",
    errno.ENOSPC: "make room there, or name another path",
    errno.EDQUOT: "make room there, or name another path",
    errno.EFBIG: "name a path on another file system",
}
"""Advice for system errors, by number."""


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        what = error.strerror[:1].lower() + error.strerror[1:]
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        remedy = _REMEDIES.get(error.errno or 0, "try again, or name another path")
        return f"{where}{what}; {remedy}"
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object!r} is not UTF-8 text; type it again"
    if isinstance(error, MemoryError):
        return "there is not enough memory; ask for less at once"
    return str(error)


def print_json(value: Any) -> None:
    """Print a value for a script."""
    typer.echo(json.dumps(value, indent=2))
