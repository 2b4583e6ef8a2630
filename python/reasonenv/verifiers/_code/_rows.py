"""Tests of code problems, read from the formats of common data sets into one form."""

import ast
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reasonenv import _checks
from reasonenv.verifiers._code._source import (
    Helpers,
    asserts_of,
    head_of,
    parse,
    prepare_tests,
    provided,
    pytest_calls,
)
from reasonenv.verifiers._code._values import literal


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


def read_tests(row: Any) -> CodeTests:
    """Read the tests of a row: MBPP, HumanEval, APPS, TACO, LiveCodeBench, prime-rl, KodCode, or plain pairs.

    >>> from reasonenv import verifiers
    >>> verifiers.read_tests({"test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]})
    CodeTests(0 visible, 2 hidden)

    Args:
        row: The columns that hold tests, as a mapping or as JSON:

            - `test_list`, and `challenge_test_list`, `test_setup_code`, `test_imports` if present
              (MBPP): lines of `assert`. With a challenge list, the test list is visible.
            - `prompt`, `entry_point` and `test` (HumanEval): a function `check(candidate)`.
            - `inputs` and `outputs`, with `fn_name` or without (APPS, TACO), also within `input_output`;
              `public_test_cases` and `private_test_cases` (LiveCodeBench); `test_cases` (prime-rl).
            - `test` alone, or a text (KodCode): functions of pytest.
            - a list of lines of `assert`, or of `{"input": …, "output": …}`.

    Raises:
        ValueError: The row has no tests in a known format; the message names the fault.
    """
    tests = _read(_decoded(row))
    if not len(tests):
        raise ValueError("has no tests")
    return tests


def _decoded(row: Any) -> Any:
    """Decode text that is JSON; return any other value unchanged."""
    if isinstance(row, str) and row.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(row)
        except (ValueError, RecursionError):
            pass
    return row


def _read(row: Any) -> CodeTests:
    if isinstance(row, str):
        return _pytest(row)
    if isinstance(row, Mapping):
        return _mapping(row)
    if isinstance(row, Sequence) and all(isinstance(one, str) for one in row):
        return CodeTests(hidden=tuple(_asserts(row, Helpers())))
    if isinstance(row, Sequence):
        return CodeTests(hidden=tuple(_cases(row, None)))
    raise ValueError(f"is {_checks.shown(row)}, but must be tests of a format that `read_tests` knows")


def _mapping(row: Mapping[str, Any]) -> CodeTests:  # noqa: PLR0911  a case for each format
    for nested in ("input_output", "verification_info", "ground_truth"):
        if nested in row and not isinstance(row[nested], str | bytes | type(None)):
            return _read(row[nested])
        if row.get(nested):
            return _read(_decoded(row[nested]))
    if "test_list" in row:
        return _mbpp(row)
    if "entry_point" in row and "test" in row:
        return _human_eval(row)
    if "inputs" in row and "outputs" in row:
        return CodeTests(hidden=tuple(_pairs(row)))
    name = row.get("fn_name") or row.get("func_name") or _metadata(row).get("func_name")
    if "public_test_cases" in row or "private_test_cases" in row:
        shown, hidden = (
            tuple(_cases(_listed(key, row.get(key) or []), name))
            for key in ("public_test_cases", "private_test_cases")
        )
        return CodeTests(visible=shown, hidden=hidden)
    for key in ("test_cases", "tests"):
        if key in row:
            found = _decoded(row[key])
            if isinstance(found, Mapping):
                return _mapping(found)
            return CodeTests(hidden=tuple(_cases(_listed(key, found), name)))
    if isinstance(row.get("test"), str):
        return _pytest(row["test"])
    told = ", ".join(map(str, row)) or "none"
    raise ValueError(f"the columns are {told}, but must be those of a format that `read_tests` knows")


def _metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    found = _decoded(row.get("metadata"))
    return found if isinstance(found, Mapping) else {}


def _listed(name: str, value: Any) -> Sequence[Any]:
    value = _decoded(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    raise ValueError(f"`{name}` is {_checks.shown(value)}, but must be a list of tests")


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    raise ValueError(f"`{name}` is {_checks.shown(value)}, but must be text")


def _mbpp(row: Mapping[str, Any]) -> CodeTests:
    setup = "\n".join(part for part in (_text(row, "test_imports"), _text(row, "test_setup_code")) if part)
    own = Helpers(_parsed("test_setup_code", setup).body)
    tests = tuple(_asserts(_listed("test_list", row["test_list"]), own))
    more = tuple(_asserts(_listed("challenge_test_list", row.get("challenge_test_list") or []), own))
    found = CodeTests(hidden=tests, setup=setup)
    return replace(found, visible=tests, hidden=more) if more else found


def _human_eval(row: Mapping[str, Any]) -> CodeTests:
    entry, source, prompt = (_text(row, name) for name in ("entry_point", "test", "prompt"))
    if not entry.isidentifier():
        raise ValueError(f"`entry_point` is {_checks.shown(entry)}, but must be the name of a function")
    tree = _parsed("test", source)
    check = next((one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "check"), None)
    if check is None or len(check.args.args) != 1:
        raise ValueError("`test` must define `check(candidate)`")
    name = check.args.args[0].arg
    asserts = asserts_of(check.body, {name: entry})
    if asserts is None:
        return CodeTests(
            hidden=(StatementTest(f"check({entry})"),), prompt=prompt, entry_point=entry, module=source
        )
    others = [one for one in tree.body if one is not check]
    own = Helpers(head_of(prompt, entry), others)
    return CodeTests(
        hidden=tuple(_assertion(one, own) for one in asserts),
        prompt=prompt,
        entry_point=entry,
        module=ast.unparse(ast.Module(others, [])),
    )


def _pytest(source: str) -> CodeTests:
    tree = _parsed("test", source)
    calls = pytest_calls(tree)
    if calls:
        return CodeTests(hidden=tuple(map(StatementTest, calls)), module=source)
    asserts = [one for one in tree.body if isinstance(one, ast.Assert)]
    if not asserts:
        raise ValueError("has neither functions `test_…` nor lines of `assert`")
    others = [one for one in tree.body if not isinstance(one, ast.Assert)]
    own = Helpers(others)
    tests = tuple(_assertion(one, own) for one in asserts)
    return CodeTests(hidden=tests, module=ast.unparse(ast.Module(others, [])))


def _parsed(name: str, source: str) -> ast.Module:
    try:
        return parse(source)
    except SyntaxError as error:
        raise ValueError(f"`{name}` is no Python ({error.msg}, line {error.lineno})") from None


def _asserts(lines: Iterable[Any], own: Helpers) -> Iterator[Test]:
    for line in lines:
        if not isinstance(line, str):
            raise ValueError(f"a test is {_checks.shown(line)}, but must be a line of `assert`")
        body = _parsed("test_list", line.strip()).body
        if len(body) == 1 and isinstance(body[0], ast.Assert):
            yield _assertion(body[0], own)
        elif any(isinstance(one, ast.Assert) for one in ast.walk(ast.Module(body, []))):
            yield StatementTest(line.strip())
        else:
            raise ValueError(f"a test is {_checks.shown(line)}, but must be a line of `assert`")


def _assertion(statement: ast.Assert, own: Helpers) -> Test:
    """Return a test that keeps an expected value outside the sandbox, or the statement if it has none."""
    match statement.test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as operator], comparators=[right]):
            for call, value in ((left, right), (right, left)):
                if isinstance(call, ast.Call) and not own.decide(call):
                    try:
                        identical = isinstance(operator, ast.Is)
                        return CallTest(None, ast.unparse(call), literal(value), identical=identical)
                    except (ValueError, TypeError, RecursionError):
                        pass
    return StatementTest(ast.unparse(ast.Assert(statement.test, None)))


def _pairs(row: Mapping[str, Any]) -> Iterator[Test]:
    inputs, outputs = _listed("inputs", row["inputs"]), _listed("outputs", row["outputs"])
    if len(inputs) != len(outputs):
        raise ValueError(f"`inputs` has {len(inputs)} items, but `outputs` has {len(outputs)}")
    name = row.get("fn_name")
    for given, expected in zip(inputs, outputs, strict=True):
        if name:
            yield _call(name, _listed("inputs", given), expected, wrapped=True)
        else:
            yield _input(given, expected)


def _cases(cases: Iterable[Any], name: Any) -> Iterator[Test]:
    for case in cases:
        if not isinstance(case, Mapping) or "output" not in case:
            raise ValueError(f'a test is {_checks.shown(case)}, but must be {{"input": …, "output": …}}')
        function = case.get("fn_name") or name
        kind = case.get("testtype") or case.get("type") or ""
        given = case.get("input", case.get("args"))
        if kind in ("stdin", "stdin_stdout") or (not function and not kind):
            yield _input(given, case["output"])
            continue
        if not function:
            raise ValueError("a test calls a function, but neither it nor the row has a `fn_name`")
        if isinstance(given, str):  # LiveCodeBench: arguments as JSON, one per line
            given = [_value(line) for line in given.splitlines() if line.strip()]
            yield _call(function, given, _value(case["output"]))
        else:
            yield _call(function, _listed("input", given), case["output"])


def _value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"a test holds {_checks.shown(text)}, but must hold JSON") from None


def _call(name: Any, arguments: Sequence[Any], expected: Any, *, wrapped: bool = False) -> CallTest:
    if not isinstance(name, str) or not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise ValueError(f"`fn_name` is {_checks.shown(name)}, but must be the name of a function")
    alone = wrapped and isinstance(expected, list) and len(expected) == 1
    return CallTest(name, ", ".join(map(_written, arguments)), expected, as_json=True, wrapped=alone)


def _written(value: Any) -> str:
    """Return a JSON value as a Python expression."""
    match value:
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case dict():
            return "{" + ", ".join(f"{_written(key)}: {_written(one)}" for key, one in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_written, value)) + "]"
        case None | bool() | int() | float() | str():
            return repr(value)
    raise ValueError(f"a test holds {_checks.shown(value)}, but must hold JSON")


def _input(given: Any, expected: Any) -> InputTest:
    return InputTest(_lines("input", given), _lines("output", expected))


def _lines(name: str, value: Any) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(
        f"`{name}` of a test is {_checks.shown(value)}, but must be text, or `fn_name` must be given"
    )
