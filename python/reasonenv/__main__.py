"""The command line: `reasonenv`, and `python -m reasonenv`."""

import sys

from reasonenv import _start


def main() -> None:
    """Runs a command and ends the process: with 0, 1 for a mistake, 2 for wrong usage, 130 for Ctrl-C."""
    _start.leave_on_ctrl_c()
    # They take a while to import, which Ctrl-C may cut short from here on.
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
        # Python itself might end by the signal instead: it remembers one that came within an `eval`.
        _start.leave()
    sys.exit(code)


if __name__ == "__main__":
    main()
