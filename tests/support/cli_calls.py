"""Calls of the command line in this process."""

import json
from pathlib import Path
from typing import Any

from reasonenv._cli import app
from typer.testing import CliRunner, Result


def call(*args: object, input: str | None = None, **env: str) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], input=input, env={"COLUMNS": "120", **env})


def ok(*args: object, input: str | None = None, **env: str) -> str:
    result = call(*args, input=input, **env)
    assert result.exit_code == 0, result.output
    return result.stdout


def mistake(*args: object, input: str | None = None) -> str:
    """The one line that a mistake is answered with."""
    result = call(*args, input=input)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
