"""Python in a sandbox: each call runs a program in a process of its own."""

import ast
from dataclasses import dataclass

from reasonenv import _checks
from reasonenv.tools._tool import Tool, ToolError, from_function
from reasonenv.verifiers._code._batch import run_program
from reasonenv.verifiers._code._sandbox import SandboxLimits
from reasonenv.verifiers._code._source import parse, unparse

_LONGEST = 20_000


def make(*, seconds: float = 2.0, memory_mb: int = 128) -> Tool:
    """The tool `python`; needs the extra `code`.

    It runs in monty alone: programs of the verifiers' other runtime can read the host's files.

    Args:
        seconds: Time that a program may take.
        memory_mb: Memory that it may take.

    Raises:
        ReasonEnvError: An argument is invalid, or pydantic-monty isn't installed.
    """
    seconds = _checks.number("seconds", seconds, 0.01, 60)
    limits = SandboxLimits(seconds, _checks.whole("memory_mb", memory_mb, 32, 4096), output_kb=64)
    run_program("monty", "None", limits)  # a runtime that is missing is an error here, not in a call
    return from_function(_Sandbox(limits).python)


@dataclass(frozen=True)
class _Sandbox:
    limits: SandboxLimits

    def python(self, code: str) -> str:
        """Runs a Python program and gives what it prints, and the value of its last line.

        Each call starts afresh, with neither the variables of earlier calls nor files nor a network.

        Args:
            code: The whole program.
        """
        if len(code) > _LONGEST:
            raise ToolError(f"the program has {len(code)} characters, but may have {_LONGEST}")
        try:
            outcome = run_program("monty", _with_last_value(code), self.limits)
        except SyntaxError as error:
            line = f" in line {error.lineno}" if error.lineno else ""
            raise ToolError(f"SyntaxError{line}: {error.msg}") from None
        if outcome.label == "unsupported":
            raise ToolError(f"this Python lacks {outcome.detail}")
        if outcome.label:
            raise ToolError(outcome.detail)
        return outcome.output.rstrip("\n") or "the program printed nothing"


def _with_last_value(code: str) -> str:
    """A program that also prints the value of its last line, as a notebook does.

    Raises:
        SyntaxError: It isn't valid Python.
    """
    tree = parse(code)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or _prints(last.value):
        return code
    shows = ast.parse("_last = None\nif _last is not None:\n    print(repr(_last))").body
    assert isinstance(shows[0], ast.Assign)
    shows[0].value = last.value
    tree.body[-1:] = shows
    return unparse(ast.fix_missing_locations(tree))


def _prints(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"
