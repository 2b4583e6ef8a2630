"""Tests of code problems, read from the formats of common data sets into one form."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reasonenv import _checks
from reasonenv.verifiers._code._cases import cases, decoded, listed, metadata, pairs
from reasonenv.verifiers._code._plus import plus_tests
from reasonenv.verifiers._code._source import Helpers, asserts_of, head_of, parse, pytest_calls
from reasonenv.verifiers._code._tests import CallTest, CodeTests, StatementTest, Test
from reasonenv.verifiers._code._values import literal


def read_tests(row: Any) -> CodeTests:
    """Read the tests of a row in the format of a common data set, or of plain pairs.

    >>> from reasonenv import verifiers
    >>> verifiers.read_tests({"test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]})
    CodeTests(0 visible, 2 hidden)

    Args:
        row: The columns that hold tests, as a mapping or as JSON:

            - `test_list`, and `challenge_test_list`, `test_setup_code`, `test_imports`, `test` if present
              (MBPP, MBPP+): lines of `assert`. With a challenge list or `test`, the test list is visible.
            - `prompt`, `entry_point` and `test` (HumanEval, HumanEval+, LeetCodeDataset): a function
              `check(candidate)`.
            - `inputs` and `outputs`, with `fn_name` or without (APPS, TACO), also within `input_output`.
            - `public_test_cases` and `private_test_cases` (LiveCodeBench), `public_tests`, `private_tests`
              and `generated_tests` (CodeContests), `examples` and `official_tests` (Codeforces).
            - `test_cases` (prime-rl, AceCode) or `tests` (DeepCoder), also within `verification_info`,
              `reward_model` or `ground_truth`.
            - `test` alone, or a text (KodCode): functions of pytest.
            - a list of lines of `assert`, or of `{"input": …, "output": …}`.

    Raises:
        ValueError: The row has no tests in a known format; the message names the fault.
    """
    tests = _read(decoded(row))
    if not len(tests):
        raise ValueError("has no tests")
    return tests


def _read(row: Any) -> CodeTests:
    if isinstance(row, str):
        return _pytest(row)
    if isinstance(row, Mapping):
        return _mapping(row)
    if isinstance(row, Sequence) and all(isinstance(one, str) for one in row):
        return CodeTests(hidden=tuple(_asserts(row, Helpers())))
    if isinstance(row, Sequence):
        return CodeTests(hidden=tuple(cases(row, None)))
    raise ValueError(f"is {_checks.shown(row)}, but must be tests of a format that `read_tests` knows")


_NESTED = ("input_output", "verification_info", "reward_model", "ground_truth")
_SHOWN_TESTS = ("public_test_cases", "public_tests", "examples")
_HIDDEN_TESTS = ("private_test_cases", "private_tests", "generated_tests", "official_tests")


def _mapping(row: Mapping[str, Any]) -> CodeTests:  # noqa: PLR0911  a case for each format
    for nested in _NESTED:
        if nested in row and (found := decoded(row[nested])) not in (None, ""):
            return _read(found)
    if "test_list" in row:
        return _mbpp(row)
    if "entry_point" in row and "test" in row:
        return _human_eval(row)
    name = row.get("fn_name") or row.get("func_name") or metadata(row).get("func_name")
    if "inputs" in row and "outputs" in row:
        inputs, outputs = listed("inputs", row["inputs"]), listed("outputs", row["outputs"])
        return CodeTests(hidden=tuple(pairs(inputs, outputs, name)))
    if any(key in row for key in ("public_test_cases", "public_tests", *_HIDDEN_TESTS)):
        _refuse_checkers(row)
        shown, hidden = (
            tuple(test for key in keys for test in cases(decoded(row.get(key)) or [], name))
            for keys in (_SHOWN_TESTS, _HIDDEN_TESTS)
        )
        return CodeTests(visible=shown, hidden=hidden)
    for key in ("test_cases", "tests"):
        if key in row:
            return _several(key, decoded(row[key]), name)
    for key in ("test", "functional"):
        if isinstance(row.get(key), str):
            return _pytest(row[key])
    told = ", ".join(map(str, row)) or "none"
    raise ValueError(f"the columns are {told}, but must be those of a format that `read_tests` knows")


def _several(key: str, found: Any, name: Any) -> CodeTests:
    if isinstance(found, Mapping):
        return _mapping(found if "fn_name" in found else {**found, "fn_name": name})
    if all(isinstance(one, str) for one in listed(key, found)):
        return _read(found)
    return CodeTests(hidden=tuple(cases(found, name)))


def _refuse_checkers(row: Mapping[str, Any]) -> None:
    """Refuse problems of Codeforces that equal outputs cannot decide."""
    if row.get("generated_checker"):
        raise ValueError("`generated_checker` is given: several outputs are right, and no checker is run")
    if row.get("input_mode") == "file":
        raise ValueError("`input_mode` is 'file', but must be 'stdio'")


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
    tests = tuple(_asserts(listed("test_list", row["test_list"]), own))
    more = tuple(_asserts(listed("challenge_test_list", row.get("challenge_test_list") or []), own))
    module = ""
    if plus := _text(row, "test"):
        body = _parsed("test", plus).body
        loops: list[ast.stmt] = [one for one in body if isinstance(one, ast.For)]
        more += plus_tests(body, {}, body) or tuple(StatementTest(ast.unparse(one)) for one in loops)
        module = ast.unparse(ast.Module([one for one in body if one not in loops], []))
    if not more:
        return CodeTests(hidden=tests, setup=setup)
    return CodeTests(visible=tests, hidden=more, setup=setup, module=module)


_ENTRY = re.compile(r"([^\W\d]\w*)((?:\(\))?\.[^\W\d]\w*)?")


def _human_eval(row: Mapping[str, Any]) -> CodeTests:
    entry, source, prompt = (_text(row, name) for name in ("entry_point", "test", "prompt"))
    entry = entry.strip()
    if not (known := _ENTRY.fullmatch(entry)):
        raise ValueError(f"`entry_point` is {_checks.shown(entry)}, but must be the name of a function")
    tree = _parsed("test", source)
    check = next((one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "check"), None)
    if check is None or len(check.args.args) != 1:
        raise ValueError("`test` must define `check(candidate)`")
    own, others = known[1], [one for one in tree.body if one is not check]
    # A method, such as `Solution().add` in LeetCodeDataset, is called by its full name.
    passed = f"check({entry if known[2] is None else f'_proxy({entry!r})'})"
    tests: tuple[Test, ...] = (StatementTest(passed),)
    rest = tree.body
    names = {check.args.args[0].arg: entry}
    if asserts := asserts_of(check.body, names):
        helpers = Helpers(head_of(prompt, own), others)
        tests, rest = tuple(_assertion(one, helpers) for one in asserts), others
    elif plus := plus_tests(check.body, names, others):
        tests, rest = plus, others
    return CodeTests(hidden=tests, prompt=prompt, entry_point=own, module=ast.unparse(ast.Module(rest, [])))


def _pytest(source: str) -> CodeTests:
    tree = _parsed("test", source)
    if checked := _checked(tree):
        return checked
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


def _checked(tree: ast.Module) -> CodeTests | None:
    """Read `def check(candidate): …` and the call `check(Solution().add)` at the end."""
    match tree.body[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="check"), args=[entry], keywords=[]))]:
            test = ast.unparse(ast.Module(tree.body[:-1], []))
            return _human_eval({"entry_point": ast.unparse(entry), "test": test})
    return None


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
