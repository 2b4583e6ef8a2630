"""`sql_result`: right queries pass in any wording; near misses and attacks fail."""

import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv import verifiers
from reasonenv.errors import InvalidParams, InvalidReference
from reasonenv.verifiers._sql._reference import prepared

SCHEMA = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE concert (
    id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), year INTEGER, attendance REAL
);
INSERT INTO singer VALUES
    (1, 'Joe', 'NL', 52), (2, 'Tim', 'US', 32), (3, 'Rose', 'FR', 41), (4, 'Justin', 'FR', 29), (5, 'John', 'FR', 43);
INSERT INTO concert VALUES
    (1, 1, 2014, 100), (2, 2, 2014, 250.5), (3, 3, 2015, 80), (4, 3, 2015, 90), (5, 5, 2014, 300), (6, 3, 2013, 10);
"""

PAIRS: list[tuple[str, str, str]] = [
    ("SELECT name FROM singer WHERE age > 32", "SELECT name FROM singer WHERE NOT age <= 32", "SELECT name FROM singer WHERE age >= 33 OR age = 32"),
    ("SELECT name FROM singer WHERE age > 40", "SELECT s.name FROM singer AS s WHERE 40 < s.age", "SELECT name FROM singer WHERE age >= 40"),
    ("SELECT name FROM singer WHERE age > 40", "SELECT name FROM singer WHERE age >= 41", "SELECT name FROM singer WHERE NOT age <= 40 OR age IS NULL"),
    ("SELECT count(*) FROM singer", "SELECT count(id) FROM singer", "SELECT count(age) FROM singer"),
    ("SELECT count(*) FROM singer", "SELECT sum(1) FROM (SELECT 1 FROM singer UNION ALL SELECT 1 WHERE 0) HAVING sum(1) UNION ALL SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM singer)", "SELECT 5"),
    ("SELECT count(DISTINCT country) FROM singer", "SELECT count(*) FROM (SELECT DISTINCT country FROM singer WHERE country IS NOT NULL)", "SELECT count(*) FROM (SELECT DISTINCT country FROM singer)"),
    ("SELECT DISTINCT country FROM singer", "SELECT country FROM singer GROUP BY country", "SELECT country FROM singer GROUP BY country, age"),
    ("SELECT s.name, count(c.id) FROM singer s LEFT JOIN concert c ON c.singer_id = s.id GROUP BY s.id", "SELECT name, (SELECT count(*) FROM concert WHERE singer_id = singer.id) FROM singer", "SELECT s.name, count(c.id) FROM singer s JOIN concert c ON c.singer_id = s.id GROUP BY s.id"),
    ("SELECT s.name, count(c.id) FROM singer s LEFT JOIN concert c ON c.singer_id = s.id GROUP BY s.id", "SELECT name, (SELECT count(*) FROM concert WHERE singer_id = singer.id) FROM singer", "SELECT s.name, count(*) FROM singer s LEFT JOIN concert c ON c.singer_id = s.id GROUP BY s.id"),
    ("SELECT s.name, count(c.id) FROM singer s LEFT JOIN concert c ON c.singer_id = s.id GROUP BY s.id", "SELECT name, (SELECT count(*) FROM concert WHERE singer_id = singer.id) FROM singer", "SELECT s.name, count(c.id) FROM singer s LEFT JOIN concert c ON c.singer_id = s.id GROUP BY s.name"),
    ("SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert WHERE singer_id IS NOT NULL)", "SELECT name FROM singer s WHERE NOT EXISTS (SELECT 1 FROM concert c WHERE c.singer_id = s.id)", "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)"),
    ("SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)", "SELECT name FROM singer WHERE age >= (SELECT max(age) FROM singer)", "SELECT name FROM singer ORDER BY age DESC LIMIT 1"),
    ("SELECT name FROM singer ORDER BY age DESC LIMIT 1", "SELECT name FROM singer ORDER BY age DESC, id LIMIT 1", "SELECT name FROM singer ORDER BY id LIMIT 1"),
    ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age ASC", "SELECT name FROM singer ORDER BY age DESC"),
    ("SELECT name FROM singer ORDER BY country", "SELECT name FROM singer ORDER BY country, name", "SELECT name FROM singer"),
    ("SELECT avg(attendance) FROM concert", "SELECT sum(attendance) / count(attendance) FROM concert", "SELECT sum(attendance) / count(*) FROM concert"),
    ("SELECT country FROM singer WHERE age > 40 INTERSECT SELECT country FROM singer WHERE age < 30", "SELECT DISTINCT a.country FROM singer a JOIN singer b ON a.country IS b.country WHERE a.age > 40 AND b.age < 30", "SELECT country FROM singer WHERE age > 40 AND age < 30"),
    ("SELECT country FROM singer UNION SELECT name FROM singer", "SELECT name FROM singer UNION SELECT country FROM singer", "SELECT country FROM singer UNION ALL SELECT name FROM singer"),
    ("SELECT name FROM singer WHERE country = 'FR'", "SELECT name FROM singer WHERE country IN ('FR')", "SELECT name FROM singer WHERE country LIKE 'FR'"),
    ("SELECT name FROM singer WHERE name LIKE '%J%'", "SELECT name FROM singer WHERE instr(lower(name), 'j')", "SELECT name FROM singer WHERE name LIKE 'J%'"),
    ("SELECT name FROM singer WHERE country <> 'FR'", "SELECT name FROM singer WHERE NOT country = 'FR'", "SELECT name FROM singer WHERE country IS NOT 'FR'"),
    ("SELECT year, count(*) FROM concert GROUP BY year HAVING count(*) > 1", "SELECT year, count(*) AS n FROM concert GROUP BY year HAVING n >= 2", "SELECT year, count(*) FROM concert GROUP BY year HAVING count(*) >= 1"),
    ("SELECT sum(attendance) FROM concert WHERE year = 2014", "SELECT sum(attendance) FROM concert WHERE year BETWEEN 2014 AND 2014", "SELECT total(attendance) FROM concert WHERE year = 2014"),
    ("SELECT name, age FROM singer", "SELECT singer.name AS a, singer.age AS b FROM singer", "SELECT age, name FROM singer"),
    ("SELECT DISTINCT s.name FROM singer s JOIN concert c ON s.id = c.singer_id", "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert) GROUP BY name", "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id GROUP BY c.id"),
    ("SELECT max(age) - min(age) FROM singer", "SELECT (SELECT max(age) FROM singer) - (SELECT min(age) FROM singer)", "SELECT 23"),
]  # fmt: skip


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_other_wordings_pass_and_near_misses_fail(pair: int) -> None:
    query, right, wrong = PAIRS[pair]
    judge = verifiers.sql_result()
    reference = {"schema": SCHEMA, "query": query}
    assert len(judge.read_reference(reference)) >= 4
    verdicts = judge([query, f"```sql\n{right};\n```", wrong], [reference] * 3)
    assert verdicts.passed.tolist() == [True, True, False], verdicts.detail
    assert verdicts.failures[2] == ("wrong_answer",)
    assert verdicts.parts["visible"][1] == verdicts.parts["hidden"][1] == 1


def test_most_near_misses_are_told_apart_by_hidden_databases_alone() -> None:
    judge = verifiers.sql_result()
    found = judge([wrong for _, _, wrong in PAIRS], [{"schema": SCHEMA, "query": one} for one, _, _ in PAIRS])
    assert (found.parts["visible"] == 1).sum() >= 10
    assert (found.parts["hidden"] < 1).all()


@pytest.mark.parametrize(
    "bound", ["BETWEEN 33 AND 99", "> 32 AND age < 1000000", "> 32 AND name < 'zzz'", "> 32 LIMIT 100"]
)
def test_bounds_that_no_shown_value_reaches_fail(bound: str) -> None:
    verdict = verifiers.sql_result()([f"SELECT name FROM singer WHERE age {bound}"], [PLAIN])[0]
    assert not verdict.passed
    assert verdict.parts["visible"] == 1 > verdict.parts["hidden"] > 0


PLAIN = json.dumps({"schema": SCHEMA, "query": "SELECT name FROM singer WHERE age > 32"})
CANARY = "/tmp/reasonenv-canary.db"
_BOMB = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "

ATTACKS: dict[str, list[str]] = {
    "constraint_violated": [
        "DROP TABLE singer",
        "DELETE FROM singer",
        "UPDATE singer SET age = 99",
        "INSERT INTO singer VALUES (9, 'x', 'y', 1)",
        "INSERT INTO singer VALUES (9, 'x', 'y', 1) RETURNING name",
        "REPLACE INTO singer VALUES (1, 'x', 'y', 1)",
        "WITH a AS (SELECT 1) DELETE FROM singer",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE INDEX i ON singer (name)",
        "CREATE TRIGGER t AFTER INSERT ON singer BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "ALTER TABLE singer RENAME TO s",
        f"ATTACH '{CANARY}' AS x",
        "DETACH main",
        f"VACUUM INTO '{CANARY}'",
        "ANALYZE",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "PRAGMA query_only = OFF",
        "PRAGMA table_info(singer)",
        "PRAGMA writable_schema = ON",
        "SELECT * FROM pragma_table_info('singer')",
        "SELECT * FROM pragma_database_list",
        "SELECT sql FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT name FROM singer WHERE (SELECT count(*) FROM sqlite_master)",
        "SELECT load_extension('x')",
        "SELECT name FROM singer WHERE random()",
        "SELECT randomblob(9)",
        "SELECT zeroblob(1000000000)",
        "SELECT sqlite_version()",
        "SELECT fts3_tokenizer('x')",
        "SELECT last_insert_rowid(), changes()",
        "SELECT date('now')",
        "SELECT date('n' || 'ow') FROM singer",
        "SELECT strftime('%s')",
        "SELECT datetime(name, 'local' || 'time') FROM singer",
        "SELECT CURRENT_TIMESTAMP",
    ],
    "over_budget": [
        f"{_BOMB}SELECT count(instr(printf('%0900d', x), printf('%0400d', x + 1))) FROM c",
        f"{_BOMB}SELECT count(printf('%0900d', x) LIKE '%0%0%0%0%0%0%0%0%0%0%0%0%0%1%a%') FROM c",
        f"{_BOMB}SELECT count(json_valid('[' || printf('%0900d', x) || ']')) FROM c",
        "SELECT printf('%1000000000d', 1)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT printf('%.' || 100000000 || 'f', age) FROM singer",
        "SELECT format('%.' || '*c', 100000000, 'x')",
        f"{_BOMB}SELECT count(*) FROM c",
        f"{_BOMB}SELECT max(x) FROM c",
        f"{_BOMB}SELECT x FROM c ORDER BY -x",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT name FROM singer WHERE age > 32 AND (SELECT count(*) FROM c)",
        "WITH RECURSIVE c(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM c) SELECT max(length(x)) FROM c",
        "WITH RECURSIVE c(n, x) AS (SELECT 1, printf('%4000d', 1) UNION SELECT n + 1, printf('%4000d', n) FROM c) SELECT count(*) FROM c",
        f"SELECT count(*) FROM {', '.join(f'singer s{k}' for k in range(30))}",
        f"SELECT count(*) FROM {', '.join(f'singer s{k}' for k in range(99))}",
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT " + "NOT " * 500 + "1",
        "SELECT " + " UNION ALL SELECT ".join(["1"] * 600),
        "SELECT " + ", ".join(["1"] * 3000),
        "SELECT name FROM singer WHERE name LIKE '" + "%a" * 200 + "'",
        "SELECT name FROM singer WHERE ?",
    ],
    "syntax_error": [
        "SELECT name FROM singer WHERE age > 32; DROP TABLE singer",
        "SELECT name FROM singer WHERE age > 32; SELECT 1",
        "SELEKT name FROM singer",
        "SELECT name FROM",
        "SELECT 'open",
        "SELECT name \x00 FROM singer",
        ".dump",
        ".shell touch x",
    ],
    "crashed": [
        "SELECT nobody FROM singer",
        "SELECT readfile('/etc/passwd')",
        "SELECT name FROM nobody",
        "SELECT nope(name) FROM singer",
        "SELECT count(name, age) FROM singer",
        "SELECT json_extract('{', '$')",
    ],
    "no_code": [
        "",
        "REINDEX",
        "-- SELECT name FROM singer WHERE age > 32",
        "/* SELECT 1 */",
        ";",
        "```python\nSELECT 1\n```",
    ],
    "wrong_answer": [
        "SELECT '\ud800'",
        "SELECT 1",
        "VALUES ('Joe'), ('Rose'), ('John')",
        "EXPLAIN SELECT name FROM singer WHERE age > 32",
        "EXPLAIN QUERY PLAN SELECT name FROM singer",
        "SELECT * FROM singer WHERE age > 32",
        "SELECT 'Joe' UNION SELECT 'Rose' UNION SELECT 'John'",
        "SELECT NULL",
        "SELECT name FROM singer WHERE age > 32 LIMIT 3",
        "SELECT name FROM singer /* passed */",
        "SELECT name || '' FROM singer WHERE age > 32 UNION SELECT 'Joe'",
        "SELECT group_concat(name) FROM singer WHERE age > 32",
        f"{_BOMB}SELECT x FROM c",
    ],
}


def test_no_attack_is_paid_and_each_has_its_label() -> None:
    judge = verifiers.sql_result()
    given = [(label, text) for label, texts in ATTACKS.items() for text in texts]
    start = time.process_time()
    found = judge([text for _, text in given], [PLAIN] * len(given))
    assert not found.passed.any()
    assert not found.score.any()
    off = [
        (text[:60], failures, detail)
        for (label, text), failures, detail in zip(given, found.failures, found.detail, strict=True)
        if failures[0] != label
    ]
    assert off == []
    assert time.process_time() - start < 60
    assert not Path(CANARY).exists()
    assert judge(["SELECT name FROM singer WHERE age > 32 -- a comment"], [PLAIN]).passed.all()


CONSTRAINED = """
CREATE TABLE singer (
    id INTEGER PRIMARY KEY, name TEXT UNIQUE, country TEXT NOT NULL CHECK (country IN ('FR', 'NL', 'US')),
    age INTEGER CHECK (age BETWEEN 10 AND 90)
);
CREATE TABLE song (title TEXT, singer_id INTEGER NOT NULL REFERENCES singer(id), PRIMARY KEY (title, singer_id));
CREATE TABLE play (
    title TEXT, singer_id INTEGER, day DATE NOT NULL, FOREIGN KEY (title, singer_id) REFERENCES song (title, singer_id)
);
CREATE TABLE label (code TEXT PRIMARY KEY, boss TEXT REFERENCES label(code)) WITHOUT ROWID;
INSERT INTO singer VALUES (1, 'Joe', 'NL', 52), (2, 'Tim', 'US', 32), (3, 'Rose', 'FR', 41);
CREATE VIEW v AS SELECT name FROM singer;
"""


HOARDS = [
    "WITH RECURSIVE c(x, y) AS (SELECT 1, 'a' UNION SELECT x + 1, printf('%0900d', x) FROM c) SELECT count(*) FROM c",
    f"{_BOMB}SELECT count(DISTINCT printf('%0900d', x)) FROM c",
]


@pytest.mark.skipif(sys.platform == "win32", reason="resource is a module of Unix")
@pytest.mark.parametrize("hoard", HOARDS)
def test_a_query_takes_bounded_memory(hoard: str) -> None:
    program = f"""
import resource
from reasonenv import verifiers
judge = verifiers.sql_result()
judge(["SELECT 1"], [{PLAIN!r}])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert judge([{hoard!r}], [{PLAIN!r}]).failures[0] == ("over_budget",)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    scale = 1 if sys.platform == "darwin" else 1024
    assert int(found.stdout) * scale < 150 << 20


def test_databases_keep_their_constraints_and_differ() -> None:
    reference = "SELECT name, day FROM singer JOIN play ON singer_id = id WHERE age > 32 AND country = 'FR'"
    databases = [one.database for one in prepared(CONSTRAINED, reference).databases]
    assert len({one.content for one in databases}) == len(databases) > 15
    filled: dict[str, int] = {}
    for one in databases:
        with sqlite3.connect(":memory:") as connection:
            connection.deserialize(one.content)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            for table in ("singer", "song", "play", "label", "v"):
                (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                filled[table] = filled.get(table, 0) + bool(count)
        connection.close()
    assert min(filled.values()) >= 10, filled


def test_databases_are_the_same_every_time() -> None:
    reference = "SELECT name FROM singer JOIN concert ON singer_id = singer.id WHERE year = 2014 AND age > 30"
    first, again = (prepared(SCHEMA, reference).databases for _ in range(2))
    assert [one.database for one in first] == [one.database for one in again]


def test_a_schema_without_rows_is_filled() -> None:
    reference = {
        "context": "CREATE TABLE head (age INTEGER, name VARCHAR)",
        "answer": "SELECT COUNT(*) FROM head WHERE age > 56",
    }
    texts = [
        f"SELECT COUNT({what}) FROM head WHERE age {sign} 56"
        for what, sign in (("*", ">"), ("*", ">="), ("name", ">"))
    ]
    assert verifiers.sql_result()(texts, [reference] * 3).passed.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("SELECT 1", "must be an object of `schema` and `query`"),
        ({"query": "SELECT 1"}, "`schema` is missing"),
        ({"schema": SCHEMA}, "`query` is missing"),
        ({"schema": "CREATE TABLE", "query": "SELECT 1"}, "does not run"),
        ({"schema": "SELECT 1", "query": "SELECT 1"}, "makes no table"),
        ({"schema": f"ATTACH '{CANARY}' AS x", "query": "SELECT 1"}, "may only"),
        ({"schema": "PRAGMA writable_schema = ON", "query": "SELECT 1"}, "may only"),
        ({"schema": SCHEMA, "query": "SELECT nope FROM singer"}, "no such column: nope"),
        ({"schema": SCHEMA, "query": "DELETE FROM singer"}, "may only read"),
        ({"schema": SCHEMA, "query": "SELECT date('now')"}, "time of day"),
        ({"schema": SCHEMA, "query": "SELECT current_date"}, "time of day"),
        ({"schema": SCHEMA, "query": "SELECT strftime('%s', ' NOW ') FROM singer"}, "time of day"),
        ({"schema": SCHEMA, "query": "SELECT datetime(year, 'localtime') FROM concert"}, "time zone"),
        ({"schema": SCHEMA, "query": "SELECT 1"}, "same rows on every hidden database"),
        (
            {"schema": SCHEMA, "query": "SELECT max(1, 2) FROM singer WHERE 0"},
            "no row on any hidden database",
        ),
        ({"schema": SCHEMA, "query": "SELECT name FROM singer WHERE age > 40 AND age < 40"}, "no row on any"),
        ({"schema": SCHEMA, "query": "SELECT count(*) FROM singer WHERE age > 40 AND age < 40"}, "same rows"),
        ({"schema": SCHEMA, "query": "SELECT name FROM singer LIMIT 2"}, "leaves open"),
        ({"schema": SCHEMA, "query": "SELECT name FROM singer ORDER BY country LIMIT 1"}, "leaves open"),
        ({"schema": SCHEMA, "query": f"{_BOMB}SELECT count(*) FROM c"}, "does not run"),
    ],
)
def test_references_that_decide_nothing_are_refused(reference: Any, reason: str) -> None:
    judge = verifiers.sql_result()
    ((at, told),) = judge.check([PLAIN, reference])
    assert (at, reason in told) == (1, True), told
    with pytest.raises(InvalidReference, match=r"`references\[0\]`"):
        judge(["SELECT 1"], [reference])
    assert not Path(CANARY).exists()


def test_options_are_checked() -> None:
    for option, odd in (("steps", 3), ("extract", "tag"), ("tag", 1)):
        with pytest.raises(InvalidParams, match=option):
            verifiers.from_config({"verifier": "sql_result", option: odd})
    tagged = verifiers.sql_result(tag="sql")
    assert tagged(["So <sql>SELECT name FROM singer WHERE 32 < age</sql>"], [PLAIN]).passed.all()


def test_rows_ask_for_a_query() -> None:
    given = [
        {
            "question": "Who is older than 32?",
            "schema": SCHEMA,
            "query": "SELECT name FROM singer WHERE age > 32",
        }
    ]
    rows = reasonenv.from_rows(given, answer=["schema", "query"], verifier="sql_result")
    assert "```sql" in rows[0].prompt
    assert rows[0].verify(rows[0].wrap("SELECT name FROM singer WHERE age > 32")).passed


def test_a_dump_of_a_database_is_a_schema(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.executescript(SCHEMA)
        schema = "\n".join(connection.iterdump())
    connection.close()
    reference = {"schema": schema, "query": "SELECT name FROM singer WHERE age > 32"}
    assert verifiers.sql_result()(["SELECT name FROM singer WHERE 32 < age"], [reference]).passed.all()
