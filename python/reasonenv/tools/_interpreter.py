"""An interpreter of the small language: a tool that runs a policy's programs, in counted steps."""

from reasonenv import _native
from reasonenv.tools._tool import ToolError

_LONGEST, _MOST_STEPS = 20_000, 1_000_000
_MOST_INPUTS, _LARGEST = 26, 10**15

LANGUAGE: str = _native._language()
"""Description of the language, for a prompt."""


def interpreter(program: str, inputs: dict[str, int] | None = None) -> str:
    """Runs a program in a small language of whole numbers and gives its result.

    A line like `x = 3 * (y + 1)` sets a variable, with + - * / (rounded down) % == != < <= > >= and or not.
    `if X { ... } else { ... }`, `while X { ... }` and `repeat X { ... }` run lines; `return X` ends with X.

    Args:
        program: The lines of the program. Variables have lower-case names.
        inputs: Values that variables have at the start.
    """
    given = inputs or {}
    if len(program) > _LONGEST:
        raise ToolError(f"the program is longer than {_LONGEST} characters")
    if len(given) > _MOST_INPUTS:
        raise ToolError(f"there are {len(given)} inputs, but at most {_MOST_INPUTS}")
    for name, value in given.items():
        if not _is_name(name):
            raise ToolError(
                f"`inputs` has {name[:20]!r}, but a variable is a lower-case word like x or total_2"
            )
        if abs(value) > _LARGEST:
            raise ToolError(f"the input {name} is too large: numbers stay below 10**15")
    result, why, steps = _native._run_program(program, list(given), list(given.values()), _MOST_STEPS)
    if result is None:
        raise ToolError(f"the program has no result: {why}")
    return f"{result} (after {steps} steps)"


def _is_name(name: str) -> bool:
    plain = name.isascii() and name.replace("_", "").isalnum() and name == name.lower()
    return plain and name[0].isalpha() and len(name) <= 16 and name not in _WORDS


_WORDS = ("if", "else", "while", "repeat", "return", "and", "or", "not")
