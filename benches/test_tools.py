"""Calls per second of each tool, and of an environment that reads and answers them.

Compare within a group, and only within one run: `pytest benches/test_tools.py`.
"""

from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from reasonenv.envs import wrappers
from reasonenv.tools import ToolContext, ToolName, as_tool, list_tools

CALLS = 50
DOCUMENTS = [f"Page {at} is about number {at * at} and the town of {at % 97}." for at in range(10_000)]
DATABASE = "CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')"

GIVEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "calculator": ({}, {"expression": "(1/3 + 2) * 6 - 4**5"}),
    "interpreter": ({}, {"program": "s = 0\nrepeat 20 { s = s + 3 }\nreturn s"}),
    "notebook": ({}, {"action": "write", "title": "a", "text": "b"}),
    "python": ({}, {"code": "sum(i * i for i in range(20))"}),
    "search": ({"documents": DOCUMENTS}, {"query": "the town of number 36"}),
    "sql": ({"database": DATABASE}, {"query": "SELECT b FROM t WHERE a > 1"}),
    "wiki": ({}, {"query": "the town where somebody was born"}),
}
"""Options and arguments of each tool."""


@pytest.mark.benchmark(group=f"{CALLS} calls of a tool")
@pytest.mark.parametrize("name", list_tools())
def test_calls(benchmark: BenchmarkFixture, name: ToolName) -> None:
    options, arguments = GIVEN[name]
    tool, context = as_tool(name, **options), ToolContext(None)

    def calls() -> None:
        for _ in range(CALLS):
            tool.call(arguments, context)

    benchmark(calls)


@pytest.mark.benchmark(group=f"{CALLS} calls of a tool")
def test_turns(benchmark: BenchmarkFixture) -> None:
    """Measure the environment around the calls, a turn each."""
    env = wrappers.tools("chain_sum", ["calculator"], max_calls=CALLS, max_steps=CALLS)
    action = (
        '<tool_call>{"name": "calculator", "arguments": {"expression": "(1/3 + 2) * 6 - 4**5"}}</tool_call>'
    )

    def turns() -> None:
        env.reset(seed=0)
        for _ in range(CALLS):
            env.step(action)

    benchmark(turns)
