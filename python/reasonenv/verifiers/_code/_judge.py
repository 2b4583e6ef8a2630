"""One program against the tests of its row."""

import ast
import builtins
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from reasonenv._checks import shown
from reasonenv.verifiers._code._imports import with_imports, without_stars
from reasonenv.verifiers._code._sandbox import PRELUDE, Outcome, Runtime, SandboxLimits, SandboxSession
from reasonenv.verifiers._code._source import (
    defined,
    has_method,
    head_of,
    is_main_guard,
    parse,
    prepare_tests,
    unparse,
)
from reasonenv.verifiers._code._tests import CallTest, CodeTests, InputTest, StatementTest, Test
from reasonenv.verifiers._code._values import OutputComparison, readings, same, same_output
from reasonenv.verifiers._code._wire import NOT_PLAIN

PASSED = Outcome()


class Program(NamedTuple):
    """A program prepared for its tests."""

    source: str
    tree: ast.Module


def prepare(code: str, tests: CodeTests, *, subset: bool = False) -> Program:
    """Join setup, prompt and code into one program.

    Args:
        code: The code of a completion.
        tests: The tests of its row.
        subset: True if the runtime has no `from module import *`.

    Raises:
        SyntaxError: The code is not valid Python.
    """
    prompt, statements = tests.prompt, -1
    try:
        tree = parse(code)
        statements = len(tree.body)
        continues = bool(prompt and tests.entry_point and tests.entry_point not in defined(tree.body))
    except SyntaxError:
        if not prompt:
            raise
        continues = True
    if continues:
        # A HumanEval prompt ends inside a function; the code is then its body.
        try:
            tree = parse(prompt + code)
        except SyntaxError:
            tree = parse(f"{prompt}\n    pass\n{code}")
    elif prompt:
        tree = ast.Module([*head_of(prompt, tests.entry_point), *tree.body], [])
    if tests.setup:
        tree = ast.Module([*parse(tests.setup).body, *tree.body], [])
    everything = tests.visible + tests.hidden
    if not any(isinstance(test, InputTest) for test in everything):
        tree = ast.Module([one for one in tree.body if not is_main_guard(one)], [])
    # An unchanged program keeps its own text, and so its line numbers.
    changed = bool(prompt or tests.setup) or len(tree.body) != statements
    completed = with_imports(tree) if any(_is_named(test) for test in everything) else tree
    if subset:
        completed = without_stars(completed)
    return Program(unparse(completed) if changed or completed is not tree else code, completed)


def _is_named(test: Test) -> bool:
    return isinstance(test, CallTest) and test.function is not None


def run_tests(
    code: str, tests: CodeTests, runtime: Runtime, limits: SandboxLimits, comparison: OutputComparison
) -> list[Outcome]:
    """Run a program against all tests of its row, visible ones first.

    Raises:
        SandboxLostError: A sandbox was lost during the run.
    """
    everything = tests.visible + tests.hidden
    try:
        program = prepare(code, tests, subset=runtime.name == "monty")
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        return [Outcome("syntax_error", f"{error.msg}{line}", discreet=True)] * len(everything)
    row = _Run(program, tests, runtime, limits, comparison, time.monotonic() + limits.row_seconds)
    outcomes: dict[int, Outcome] = {}
    calls = {at: test for at, test in enumerate(everything) if isinstance(test, CallTest)}
    inputs = {at: test for at, test in enumerate(everything) if isinstance(test, InputTest)}
    statements = {at: test for at, test in enumerate(everything) if isinstance(test, StatementTest)}
    if calls:
        outcomes.update(zip(calls, row.calls(list(calls.values())), strict=True))
    if inputs:
        outcomes.update(zip(inputs, row.inputs(list(inputs.values())), strict=True))
    if statements:
        outcomes.update(zip(statements, row.statements(list(statements.values())), strict=True))
    return [outcomes[at] for at in range(len(everything))]


@dataclass
class _Run:
    program: Program
    tests: CodeTests
    runtime: Runtime
    limits: SandboxLimits
    comparison: OutputComparison
    end: float

    def calls(self, tests: list[CallTest]) -> list[Outcome]:
        """Evaluate calls inside the sandbox and compare their values outside."""
        expressions = [self._expression(test) for test in tests]
        with self.runtime.session(self.limits, self.end) as session:
            found = session.evaluate(self.program.source, expressions)
        return [self._compare(test, one) for test, one in zip(tests, found, strict=True)]

    def _expression(self, test: CallTest) -> str:
        if test.function is None:
            return test.source
        name = test.function
        if "." not in name and has_method(self.program.tree, "Solution", name):
            name = f"Solution().{name}"
        return f"{name}({test.source})"

    def _compare(self, test: CallTest, found: Outcome) -> Outcome:
        if found.label:
            return found
        value, expected = found.value, test.expected
        how = self.comparison._replace(tolerance=max(self.comparison.tolerance, test.tolerance))
        try:
            right = (not test.identical or type(value) is type(expected)) and any(
                same(value, one, how, as_json=test.as_json)
                for one in ([expected, *expected] if test.wrapped else [expected])
            )
        except (RecursionError, TypeError, ValueError, ArithmeticError):
            right = False
        if right:
            return PASSED
        told = f"{self._expression(test)} returned {shown(value)}, but must return {shown(expected)}"
        return Outcome("wrong_answer", told)

    def inputs(self, tests: list[InputTest]) -> list[Outcome]:
        """Run the program in a new session for each input."""
        outcomes: list[Outcome] = []
        for test in tests:
            with self.runtime.session(self.limits, self.end) as session:
                found = session.run(self.program.source, test.source)
            if not found.label and not any(
                same_output(one, test.expected, self.comparison) for one in readings(found.output)
            ):
                told = (
                    f"it printed {shown(next(readings(found.output)))}, but must print {shown(test.expected)}"
                )
                found = Outcome("wrong_answer", told)
            outcomes.append(found)
        return outcomes

    def statements(self, tests: list[StatementTest]) -> list[Outcome]:
        """Run tests in a separate session that calls the program's functions through proxies."""
        given = "\n".join(part for part in (self.tests.setup, self.tests.module) if part)
        sources = [test.source for test in tests]
        module, names = prepare_tests(given, sources)
        head = head_of(self.tests.prompt, self.tests.entry_point)
        if names & defined(head):  # helpers of the prompt, of which the program has its own copies
            module, names = prepare_tests(unparse(ast.Module(head, [])) + "\n" + given, sources)
        proxies = "".join(f"{name} = _proxy({name!r})\n" for name in sorted(names) if name[0] != "_")
        with (
            self.runtime.session(self.limits, self.end) as inside,
            self.runtime.session(self.limits, self.end) as outside,
        ):
            started = inside.run(self.program.source)
            if started.label:
                return [replace(started, discreet=True)] * len(tests)
            bridge = _Bridge(inside, self.program.tree, "\n".join([given, *sources]))
            outcomes: list[Outcome] = []
            loaded = outside.run_tests(PRELUDE + proxies + module, bridge.call)
            for source in sources:
                if loaded.label:
                    outcomes.append(_of_tests(loaded))
                else:
                    outcomes.append(bridge.run(outside, source))
                    loaded = bridge.lost or loaded
            return outcomes


def _of_tests(found: Outcome) -> Outcome:
    return Outcome(found.label, f"{found.detail}, in the tests", error=found.error, fatal=True)


class _Bridge:
    """Calls from the session of the tests into the session of the program."""

    def __init__(self, inside: SandboxSession, program: ast.Module, tests: str) -> None:
        self._inside, self._tests = inside, tests
        self._classes = {one.name for one in program.body if isinstance(one, ast.ClassDef)}
        self.lost: Outcome | None = None
        """The outcome that ended the program's session."""
        self._last: Outcome | None = None

    def call(
        self, name: str, arguments: list[Any], keywords: dict[str, Any]
    ) -> tuple[Any, list[Any], bool | None]:
        """Call a function of the program and raise its exceptions here."""
        found = self.lost or self._inside.call(name, arguments, keywords)
        if name in self._classes and found.label == "wrong_answer":
            told = f"objects of the class {name}, which tests hold"
            found = Outcome("unsupported", told, error=found.error, discreet=True)
        self._last = found
        if found.fatal:
            self.lost = found
        if found.label:
            kind, message = found.error or ("RuntimeError", found.detail)
            if kind == "StopIteration" and kind not in self._tests:
                kind = "RuntimeError"  # it would silently end a loop of the test, such as `all(map(f, …))`
            exception = getattr(builtins, kind, None)
            if not (isinstance(exception, type) and issubclass(exception, Exception)):
                exception = RuntimeError
            try:
                raised_here = exception(message)
            except TypeError:  # exceptions such as UnicodeDecodeError take more than a message
                raised_here = RuntimeError(message)
            raise raised_here
        value, after, more = found.value
        return value, list(after), more

    def run(self, outside: SandboxSession, source: str) -> Outcome:
        """Run one test."""
        self._last = None
        found = outside.run_tests(source, self.call)
        if self.lost is not None:
            return self.lost
        if not found.label:
            return PASSED
        kind, message = found.error or ("", "")
        last = self._last or PASSED
        if last.error is not None and last.error[1] == message:
            return last  # the program raised it and the test did not catch it
        if message.startswith(NOT_PLAIN):
            return Outcome("unsupported", f"{message}, which tests hand to the program", discreet=True)
        if kind == "AssertionError":
            return Outcome("wrong_answer", f"{source.strip().splitlines()[0][:80]} does not hold")
        return found


def summarize(tests: CodeTests, outcomes: list[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield the outcomes of the visible and of the hidden tests, skipping an empty group."""
    count = len(tests.visible)
    for name, part in (("visible", outcomes[:count]), ("hidden", outcomes[count:])):
        if part:
            yield name, part
