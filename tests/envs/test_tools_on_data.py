"""Tools with data or a sandbox behind them: Python, SQL, search over documents."""

import concurrent.futures
import multiprocessing
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import reasonenv
from reasonenv.errors import InvalidArgument
from reasonenv.tools import Tool, ToolContext, ToolError, as_tool
from reasonenv.tools._sql import _of_task

CONTEXT = ToolContext(None)


def calls(tool: Tool, argument: str) -> Callable[[str], str]:
    return lambda text: tool.call({argument: text}, CONTEXT)


@pytest.fixture
def python() -> Callable[[str], str]:
    pytest.importorskip("pydantic_monty")
    return calls(as_tool("python", seconds=1.0), "code")


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", "2"),
        ("print(1)\nprint(2)", "1\n2"),
        ("print('a')\n'b'", "a\n'b'"),
        ("x = 3", "the program printed nothing"),
        ("x = 3\nx", "3"),
        ("None", "the program printed nothing"),
        ("", "the program printed nothing"),
        ("# é\n'é'", "'é'"),
        ("import math\nmath.factorial(20)", "2432902008176640000"),
        ("for i in range(3):\n    i", "the program printed nothing"),
    ],
)
def test_python_shows_what_is_printed_and_the_last_value(
    python: Callable[[str], str], code: str, result: str
) -> None:
    assert python(code) == result


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("1 / 0", "it raised ZeroDivisionError: division by zero"),
        ("x = = 1", "SyntaxError in line 1: invalid syntax"),
        ("while True: pass", "it takes longer than is allowed"),
        ("[0] * 10**12", "it needs more memory than is allowed"),
        ("print('x' * 10**6)", "it prints more than is allowed"),
        ("import socket", "this Python lacks module socket"),
        ("open('/etc/passwd').read()", "this Python lacks files"),
        ("def f(): return f()\nf()", "this Python lacks deeper recursion"),
        ("x" * 20_001, "the program has 20001 characters, but may have 20000"),
    ],
)
def test_python_says_why_a_program_failed(python: Callable[[str], str], code: str, says: str) -> None:
    with pytest.raises(ToolError) as caught:
        python(code)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_python_starts_afresh(python: Callable[[str], str]) -> None:
    python("secret = 7")
    with pytest.raises(ToolError, match="NameError"):
        python("secret")
    assert python("import random\nrandom.random()") == python("import random\nrandom.random()")


def _in_a_fork(code: str) -> str:
    return calls(as_tool("python"), "code")(code)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_python_works_in_a_forked_process(python: Callable[[str], str]) -> None:
    assert python("1 + 1") == "2"
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert list(pool.map(_in_a_fork, ["1 + 2", "2 + 2"])) == ["3", "4"]


PEOPLE = "CREATE TABLE people (name TEXT, age INT); INSERT INTO people VALUES ('Ada', 36), ('Ben', NULL)"


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("SELECT * FROM people", "name | age\nAda | 36\nBen | NULL"),
        ("SELECT name AS n, age * 1.5 FROM people LIMIT 1", "n | age * 1.5\nAda | 54.0"),
        ("SELECT * FROM people WHERE age > 40", "no rows"),
        ("SELECT x'00ff' AS b", "b\n00ff"),
        ("SELECT printf('%.*c', 300, 'x')", f"printf('%.*c', 300, 'x')\n{'x' * 200}..."),
    ],
)
def test_sql_shows_the_rows(query: str, result: str) -> None:
    assert calls(as_tool("sql", database=PEOPLE), "query")(query) == result


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("DELETE FROM people", "may only read"),
        ("ATTACH '/tmp/x' AS x", "may only read"),
        ("PRAGMA writable_schema = 1", "may only read"),
        ("SELECT load_extension('x')", "may only read"),
        ("SELECT readfile('/etc/passwd')", "no such function: readfile"),
        ("SELECT 1; DROP TABLE people", "one statement"),
        ("SELECT years FROM people", "no such column: years; the tables are people(name, age)"),
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c", "more than"),
        ("", "the tables are people(name, age)"),
    ],
)
def test_sql_reads_and_no_more(query: str, says: str) -> None:
    tool = as_tool("sql", database=PEOPLE)
    with pytest.raises(ToolError) as caught:
        calls(tool, "query")(query)
    assert says in str(caught.value)
    assert calls(tool, "query")("SELECT count(*) AS n FROM people") == "n\n2"


def test_sql_cuts_long_results_and_says_so() -> None:
    count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100) SELECT x FROM c"
    shown = calls(as_tool("sql", database=PEOPLE, shown=3), "query")(count)
    assert shown == "x\n1\n2\n3\n[cut: only 3 rows are shown]"


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_sql_reads_files_and_leaves_them_alone(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "people.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.executescript(PEOPLE)
    before = path.read_bytes()
    tool = as_tool("sql", database=path)
    assert calls(tool, "query")("SELECT count(*) AS n FROM people") == "n\n2"
    with pytest.raises(ToolError):
        calls(tool, "query")("DELETE FROM people")
    assert path.read_bytes() == before
    (tmp_path / "other").write_bytes(b"not a database" * 100)
    with pytest.raises(InvalidArgument, match="but cannot be read: file is not a database"):
        as_tool("sql", database=tmp_path / "other")


def test_sql_takes_the_tasks_database_and_never_its_query() -> None:
    tool = as_tool("sql")
    task: Any = SimpleNamespace(id="own", database=PEOPLE)
    assert tool.call({"query": "SELECT name FROM people LIMIT 1"}, ToolContext(task)) == "name\nAda"
    with pytest.raises(InvalidArgument, match="has no database; give the tool `sql` one"):
        tool.call({"query": "SELECT 1"}, ToolContext(reasonenv.family("chain_sum").sample()))
    query = "SELECT name FROM people WHERE age >= 30 AND name <> 'secret-marker'"
    row = {"question": "Who is 30 or older?", "schema": PEOPLE, "query": query}
    rows = reasonenv.from_rows([row], answer=["schema", "query"], verifier="sql_result")
    content = _of_task(rows[0]).database.content
    assert b"Ada" in content
    assert b"secret-marker" not in content


DOCUMENTS = [
    {"title": "Lima", "text": "Lima is the capital of Peru."},
    {"title": "Oslo", "text": "Oslo is the capital of Norway, where it rains."},
    {"title": "Straße", "text": "Eine Straße in Köln; ﬁnd it by any spelling."},
    {"title": "東京", "text": "東京は日本の首都です。"},
    "A page without a title: rain, rain, rain.",
    "twin page",
    "twin page",
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("capital of Peru", "Lima\n"),
        ("NORWAY", "Oslo\n"),
        ("rain", "A page without"),
        ("strasse", "Straße\n"),
        ("find", "Straße\n"),
        ("日本の首都", "東京\n"),
        ("zebra", "no page has any of these words"),
        ("?!", "no page has any of these words"),
    ],
)
def test_search_shows_the_best_page_first(query: str, first: str) -> None:
    pytest.importorskip("bm25s")
    search = calls(as_tool("search", documents=DOCUMENTS), "query")
    assert search(query).startswith(first)


def test_search_breaks_ties_by_the_order_of_the_documents_and_cuts_long_pages() -> None:
    pytest.importorskip("bm25s")
    same = {f"page {at}": "one town" for at in range(50)}
    search = calls(as_tool("search", documents=same, shown=4), "query")
    assert [one.partition("\n")[0] for one in search("town").split("\n\n")] == [
        f"page {at}" for at in range(4)
    ]
    shown = calls(as_tool("search", documents=["town " * 5000, "a town"], shown=2), "query")("town")
    assert len(shown) < 4000
    assert "[cut: 1750 of 25000 characters are shown]" in shown
    assert "a town" in shown


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "bm25s", None)
    with pytest.raises(
        reasonenv.ReasonEnvError, match=r"needs the package bm25s .*install reasonenv\[search\]"
    ):
        as_tool("search", documents=["a"])
