"""Generated rows for every verifier, ordinary and hostile, for `reasonenv bench verifiers`."""

import json
import random
from collections.abc import Callable
from typing import NamedTuple

from reasonenv import verifiers
from reasonenv._native import InvalidParams
from reasonenv.verifiers._defined import PythonVerifier, Verifier, make

LONGEST = 65_000
"""Size in bytes of a hostile answer, just below a verifier's limit with its tag."""


class Corpus(NamedTuple):
    """Answers without tags, and their references."""

    answers: list[str]
    references: list[str]


_WORDS = ["the", "river", "Nile", "flows", "north", "through", "eleven", "countries", "to", "a", "delta"]


def _sentence(draw: random.Random, most: int = 24) -> str:
    return " ".join(draw.choice(_WORDS) for _ in range(draw.randint(4, most)))


def _number(draw: random.Random) -> str:
    return draw.choice(
        [
            str(draw.randint(-999, 99_999)),
            f"{draw.uniform(-9, 9):.3f}",
            f"{draw.randint(1, 99)}/{draw.randint(2, 99)}",
        ]
    )


def _table(draw: random.Random) -> str:
    return "city,year,n\n" + "".join(
        f"{draw.choice(_WORDS)},{draw.randint(1990, 2030)},{draw.uniform(0, 99):.2f}\n" for _ in range(12)
    )


def _record(draw: random.Random) -> str:
    items = [
        {"id": draw.randint(1, 999), "name": draw.choice(_WORDS), "tags": draw.sample(_WORDS, 2)}
        for _ in range(draw.randint(1, 6))
    ]
    return json.dumps({"items": items, "total": len(items)})


_SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["items", "total"],
        "properties": {
            "total": {"type": "integer", "minimum": 0},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        },
        "$defs": {
            "item": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": {"type": "integer"},
                    "name": {"type": "string", "pattern": "^[A-Za-z]+$"},
                    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                },
                "additionalProperties": False,
            }
        },
    }
)

_CONSTRAINTS = json.dumps(
    [{"kind": "words", "max": 20}, {"kind": "no_commas"}, {"kind": "keywords", "words": ["Nile"]}]
)


def _listed(draw: random.Random) -> str:
    return ", ".join(draw.sample(_WORDS, 6))


Maker = Callable[[random.Random], tuple[str, str]]
"""Draws a plausible answer and the reference it is checked against."""


def _program(draw: random.Random) -> tuple[str, str]:
    """Draw a small function, right or wrong, and four tests for it."""
    a, b = draw.randint(1, 999), draw.randint(1, 999)
    wrong = draw.choice([0, 0, 1])
    tests = [f"assert mix({n}) == {sum((one * a + b) % 97 for one in range(n))}" for n in (0, 1, 5, 9)]
    source = (
        "def mix(n):\n    total = 0\n    for one in range(n):\n"
        f"        total += (one * {a} + {b + wrong}) % 97\n    return total"
    )
    return f"```python\n{source}\n```", json.dumps(tests)


_SCHEMA_OF_TABLES = (
    "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);"
    "CREATE TABLE visit (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city(id), year INTEGER);"
    "INSERT INTO city VALUES (1, 'Rome', 2800), (2, 'Oslo', 700), (3, 'Lima', 10000), (4, 'Bern', 130);"
    "INSERT INTO visit VALUES (1, 1, 2020), (2, 1, 2021), (3, 3, 2020), (4, 2, 2019);"
)


def _query(draw: random.Random) -> tuple[str, str]:
    """Draw a query and one of eight references."""
    year = draw.randint(2018, 2021)
    reference, other = draw.choice(
        [
            (
                f"SELECT count(*) FROM visit WHERE year > {year}",
                f"SELECT count(*) FROM visit WHERE {year} < year",
            ),
            (
                f"SELECT name FROM city JOIN visit ON city.id = city_id WHERE year = {year}",
                f"SELECT name FROM city, visit WHERE city.id = city_id AND year = {year}",
            ),
        ]
    )
    answer = other if draw.random() < 0.7 else other.replace(str(year), str(year + 1))
    return f"```sql\n{answer}\n```", json.dumps({"schema": _SCHEMA_OF_TABLES, "query": reference})


def _outputs(draw: random.Random) -> tuple[str, str]:
    """A row of SYNTHETIC-2 that predicts the output of a program."""
    given, wanted = (str(draw.randrange(2)) for _ in range(2))
    row = {"task_type": "code_output_prediction", "verification_info": {"code_output": wanted}}
    return f'<think>so</think>{{"code_output": "{given}"}}', json.dumps(row)


_MAKERS: dict[str, Maker] = {
    "synthetic2": _outputs,
    "python_tests": _program,
    "sql_result": _query,
    "math_equal": lambda draw: (_number(draw), _number(draw)),
    "number_equal": lambda draw: (_number(draw), _number(draw)),
    "choice": lambda draw: (draw.choice(["B", "(C)", "**A**", "option D", "B."]), draw.choice("ABCD")),
    "json_equal": lambda draw: (_record(draw), _record(draw)),
    "json_schema": lambda draw: (_record(draw), _SCHEMA),
    "table_equal": lambda draw: (_table(draw), _table(draw)),
    "set_equal": lambda draw: (_listed(draw), _listed(draw)),
    "list_equal": lambda draw: (_listed(draw), _listed(draw)),
    "regex_match": lambda draw: (_sentence(draw), r"(?:[A-Za-z]+\s?){3,30}"),
    "instructions": lambda draw: (_sentence(draw), _CONSTRAINTS),
    "ascii_tree": lambda draw: ("a\n +--b\n `--" + draw.choice("cd"), "a\n +--b\n `--c"),
    "tags": lambda draw: (f"<answer>{_number(draw)}</answer>", ""),
    "think": lambda draw: (f"<think>{_sentence(draw)}</think> {_number(draw)}", ""),
    "length": lambda draw: (_sentence(draw), ""),
}


def _texts(draw: random.Random) -> tuple[str, str]:
    reference = _sentence(draw)
    return (reference if draw.random() < 0.5 else _sentence(draw)), reference


def plain(name: str, count: int) -> Corpus:
    """Return ordinary rows, about half of them right if the verifier allows it."""
    draw = random.Random(f"plain {name}")
    make = _MAKERS.get(name, _texts)
    rows = [make(draw) for _ in range(count)]
    # Two independent draws rarely agree.
    same = name in ("math_equal", "number_equal", "json_equal", "table_equal", "set_equal", "list_equal")
    answers = [reference if same and draw.random() < 0.5 else answer for answer, reference in rows]
    return Corpus(answers, [reference for _, reference in rows])


def _repeated(piece: str) -> str:
    return piece * (LONGEST // len(piece.encode()))


def _noise(alphabet: str) -> str:
    draw = random.Random(f"noise {alphabet}")
    return "".join(draw.choices(alphabet, k=LONGEST // max(len(c.encode()) for c in alphabet)))


def _texts_of_any_kind() -> list[str]:
    """Return long texts that may be expensive to read, compare or match."""
    return [
        *map(
            _repeated,
            ["[", "{", "(", "\\", '"', "|", ",", "1,", "-", "a ", "a,b\n", '{"a":', "9", "<answer", "\n"],
        ),
        *map(_repeated, [r"\frac{", "^{2", "!", "*", "\u202e", "e1", "a|", "1e99999,", "A B ", "7/"]),
        *map(_noise, ["01", "ab ", "0123456789,", "abcdefghij ", '{}[],:"1', "αβγ ", "()B. "]),
        "9**9**9**9",
        "[" + _repeated("1,")[:-1] + "]",
        "n\n" + _repeated("0.25\n"),
        "1e" + _repeated("9"),
        f"{'7' * 32_000}/{'3' * 32_000}",
    ]


_HOSTILE_REFERENCES: dict[str, list[str]] = {
    "regex_match": [
        "(a*)*b",
        "[01]*1[01]{10}2",
        r"(?:\w*1\w{20})*2",
        "(?:0|1|01|10){500}2",
        "(?:[01]*1[01]{90})*2",
    ],
    "json_schema": [
        json.dumps(
            {
                "$defs": {
                    "n": {
                        "anyOf": [
                            {"items": {"$ref": "#/$defs/n"}},
                            {"items": {"$ref": "#/$defs/n"}, "maxItems": 0},
                        ]
                    }
                },
                "$ref": "#/$defs/n",
                "uniqueItems": True,
            }
        ),
        json.dumps({"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$", "items": {"multipleOf": 1e-30}}),
    ],
    "table_equal": ["n\n" + "0.25\n" * 3000, "a,b\n1,2"],
    "instructions": [json.dumps([{"kind": "keywords", "words": [str(n) for n in range(40)]}])],
    "choice": ["B"],
    "math_equal": ["1", "x^2 + 1", "[1, 2)"],
    "number_equal": ["1", "1/3", "7" * 3_000],
    "ascii_tree": ["a\n" + " +--b\n" * 500 + " `--c"],
    "tags": [""],
    "think": [""],
    "length": [""],
}


def hostile(name: str) -> Corpus:
    """Return rows with hostile answers of 64 KiB and, if the verifier allows them, long references."""
    texts = _texts_of_any_kind()
    judge = _of_whole_texts(name)
    references = _HOSTILE_REFERENCES.get(name, [_noise("ab "), _noise("0123456789,"), "a b c"])
    bad = {row for row, _ in judge.check(references)}
    references = [reference for row, reference in enumerate(references) if row not in bad] or [
        judge.example["reference"]
    ]
    return Corpus(texts * len(references), [reference for reference in references for _ in texts])


def judges(names: list[str]) -> dict[str, Verifier | PythonVerifier]:
    """Return verifiers that read whole completions."""
    return {name: _of_whole_texts(name) for name in names or verifiers.list_verifiers()}


def _of_whole_texts(name: str) -> Verifier | PythonVerifier:
    """Return a verifier of whole completions; one without the option `tag` finds answers by itself."""
    try:
        return make(name, {"tag": None})
    except InvalidParams:
        return make(name, {})
