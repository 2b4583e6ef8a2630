"""Tests of one row, in the one form that every format is read into."""

import re
from dataclasses import dataclass, replace
from typing import Any

from reasonenv.verifiers._code._source import prepare_tests, provided


@dataclass(frozen=True)
class CallTest:
    """A call whose value is compared outside the sandbox."""

    function: str | None
    """The program's function; None if `source` is the whole call."""
    source: str
    """The arguments, or the call."""
    expected: Any
    as_json: bool = False
    """True if the expected value is JSON, in which tuples are lists."""
    wrapped: bool = False
    """True if a list may wrap the expected value as its only item, as in rows of APPS."""
    identical: bool = False
    """True if the value must also have the type of the expected one, as `is` demands."""
    tolerance: float = 0.0
    """Difference of floats that counts as equal in rows of this format."""


@dataclass(frozen=True)
class InputTest:
    """A program's input and the output it should print."""

    source: str
    expected: str


@dataclass(frozen=True)
class StatementTest:
    """Statements that raise unless the program is right; they run in a session that lacks the program."""

    source: str


Test = CallTest | InputTest | StatementTest


@dataclass(frozen=True, repr=False)
class CodeTests:
    """Tests of one row: `visible` ones, shown in the prompt, and `hidden` ones."""

    visible: tuple[Test, ...] = ()
    hidden: tuple[Test, ...] = ()
    setup: str = ""
    """Statements that run before the program and before the tests."""
    prompt: str = ""
    """The code that the program continues."""
    entry_point: str | None = None
    """The function that the program must define."""
    module: str = ""
    """The module that statement tests run in."""

    def __repr__(self) -> str:
        return f"CodeTests({len(self.visible)} visible, {len(self.hidden)} hidden)"

    def __len__(self) -> int:
        return len(self.visible) + len(self.hidden)

    def show(self, count: int) -> "CodeTests":
        """Make the first `count` hidden tests visible."""
        return replace(self, visible=self.visible + self.hidden[:count], hidden=self.hidden[count:])


def fits(tests: CodeTests, source: str) -> bool:
    """True if a program defines something that the tests call."""
    everything = tests.visible + tests.hidden
    calls = [one.function or one.source for one in everything if isinstance(one, CallTest)]
    names = {re.split(r"\W", call, maxsplit=1)[0] for call in calls}
    if statements := [one.source for one in everything if isinstance(one, StatementTest)]:
        names |= prepare_tests(f"{tests.setup}\n{tests.module}", statements)[1]
    return bool(names & provided(source))
