"""The command line: `reasonenv`, and `python -m reasonenv`."""

import sys

from reasonenv import _start


def main() -> None:
    """Run a command and exit with 0, or with 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""
    _start.leave_on_ctrl_c()
    # This import is slow; from here on, Ctrl-C can interrupt it.
    from reasonenv._cli import app, terminal  # noqa: PLC0415

    terminal.open_streams()
    code: str | int | None = _start.INTERRUPTED
    try:
        _start.raise_on_ctrl_c()
        app(prog_name="reasonenv")
    except KeyboardInterrupt:
        pass
    except SystemExit as end:
        code = end.code
    finally:
        _start.leave_on_ctrl_c()
    code = terminal.flushed(code)
    if code == _start.INTERRUPTED:
        # Python itself might exit by the signal instead, if it arrived within an `eval`.
        _start.leave()
    sys.exit(code)


if __name__ == "__main__":
    main()
