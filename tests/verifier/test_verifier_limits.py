"""Cost of a row: no text takes a verifier long, and rows leave no memory behind."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache, partial

import hostile_texts
import pytest
from reasonenv import _native, verifiers
from reasonenv.verifiers import Judge, Verifier, _corpora

resource = pytest.importorskip("resource")  # which Windows has not

OPTIONS: dict[str, list[dict[str, object]]] = {
    "table_equal": [{}, {"tolerance": 1e-3}, {"tolerance": 1e-6, "columns": "no_header"}],
    "output_equal": [{}, {"tolerance": 1e-3}, {"by": "lines", "tolerance": 1e-3}],
    "list_equal": [{}, {"items": "numbers", "tolerance": 0.1}, {"items": "maths"}],
    "set_equal": [{}, {"items": "numbers"}, {"items": "maths"}],
    "number_equal": [{}, {"tolerance": 0.1, "thousands": True, "units": ["km"]}, {"significant_digits": 3}],
    "regex_match": [{}, {"search": True}, {"ignore_case": True}],
    "exact_match": [{}, {"normalize": "squad"}],
    "ascii_tree": [{"scorer": scorer} for scorer in ("strict", "compat", "structural")],
    "math_equal": [{}, {"tolerance": 0.001}],
}
REFERENCES = {
    "math_equal": [r"\sqrt2+\sqrt3", r"\sin x", "|2x+3|", r"\{1,2,3\}", r"12\text{ cm}", "0.333"],
    "table_equal": ["a\n" + "0.25\n" * 12_000, "\n".join(f"{n},{n / 7:.4f}" for n in range(4_500))],
    "output_equal": [" ".join(f"{n * 1e-6:.6f}" for n in range(7_000)), "0.5 " * 12_000],
    "list_equal": [",".join(map(str, range(9_000)))],
    "set_equal": [",".join(map(str, range(9_000)))],
    "json_equal": [json.dumps({str(n): n for n in range(5_500)})],
    "json_schema": [
        json.dumps({"items": {"anyOf": [{"const": n} for n in range(200)]}}),
        json.dumps({"propertyNames": {"pattern": "^(a+)+$"}, "items": {"multipleOf": 7}}),
    ],
    "regex_match": ["(.*)(.*)(.*)(.*)x", "(?:a?){500}a{500}", "(?s).{3000}Q"],
    "text_f1": ["a b " * 12_000],
    "rouge_l": ["a b " * 12_000],
}


def seconds(work: Callable[[], object], most: float = 0) -> float:
    """Shortest processor time of three runs, or that of the first one below the limit."""
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
        if best <= most:
            break
    return best


@cache
def yardstick() -> float:
    """Processor time that is a lot for one row: about that of a sum of a million numbers in Python."""
    return seconds(lambda: sum(n for n in range(1_000_000)))


def slow_rows(judge: Verifier, rows: Iterable[tuple[str, str]], limit: float) -> list[tuple[object, ...]]:
    """References and answers that exceed the time limit, which is doubled for a long reference."""
    rows = list(rows)
    references = list(dict.fromkeys(reference for reference, _ in rows))
    bad = {references[row] for row, _ in judge.check(references)}
    slow = []
    for reference, text in rows:
        if reference not in bad:
            allowed = limit if len(reference) < 4_000 else 2 * limit
            taken = seconds(partial(judge, [text], [reference]), most=allowed / 2)
            if taken > allowed:
                slow.append((round(taken / limit, 2), judge.options, reference[:40], text[:40]))
    return sorted(slow, key=str, reverse=True)


@pytest.mark.parametrize("name", _native.list_verifiers())
def test_long_texts_are_judged_at_once(name: str) -> None:
    judge = Verifier(name, tag=None)
    reference = judge.example["reference"]
    rows = [*((reference, text) for text in hostile_texts.texts()), *hostile_texts.pairs()]
    # Twice the limit of the slow test, so that a busy machine passes.
    assert not slow_rows(judge, rows, 2 * yardstick())[:10]


@pytest.mark.slow
@pytest.mark.parametrize("name", _native.list_verifiers())
def test_no_text_takes_a_judge_long(name: str) -> None:
    limit = yardstick()
    corpus = _corpora.hostile(name)
    texts = list(dict.fromkeys([*corpus.answers, *hostile_texts.texts()]))
    for options in OPTIONS.get(name, [{}]):
        judge = Verifier(name, **{"tag": None, **options})
        references = list(
            dict.fromkeys([*corpus.references, *REFERENCES.get(name, []), judge.example["reference"]])
        )
        rows = [*((reference, text) for reference in references for text in texts), *hostile_texts.pairs()]
        assert not slow_rows(judge, rows, limit)[:10]


MATHS = [
    r"\boxed{7}= ",
    r"$-\boxed{7}$ ",
    "x #### 7 ",
    "Answer: 7. ",
    r"\boxed{7} So it is 7, ",
    "7 for all x, ",
]


def outgrows(judge: Judge, reference: str, piece: str, shortest: int = 7_500) -> bool:
    """True if a text eight times as long takes much more than eight times as long; lengths are in bytes."""
    # 64 times the time if it grew with the square. Longer texts are asked too: a fixed cost that begins at
    # some length looks like growth, and so does a busy machine.
    for length in (shortest, 2 * shortest, 8 * shortest):
        of = [piece * (n // len(piece.encode())) for n in (length, 8 * length)]
        short, long = (seconds(partial(judge, [text], [reference])) for text in of)
        if long <= 24 * short + 0.02:
            return False
    return True


@pytest.mark.parametrize("extract", ["auto", "formula"])
@pytest.mark.parametrize(
    "piece", ["the answer is ", r"\boxed{}", r"\boxed{7} and ", "$x$ or ", "5. Wait. ", *MATHS]
)
def test_work_of_mathematics_grows_with_the_length_of_a_text(extract: str, piece: str) -> None:
    judge = Verifier("math_equal", extract=extract)
    assert not outgrows(judge, "7", piece, 4_000 * len(piece.encode()))


PIECES = [
    *(
        "a ",
        "学",
        "e\u0301",
        " ",
        "\n",
        ". ",
        "! ",
        "e.g. ",
        "1. ",
        '"',
        "\\",
        "( ",
        "[",
        "[a]",
        "{",
        "|",
        "<",
        "◁",
    ),
    *(
        "*",
        "* ",
        "*a",
        "a*b",
        "**a** ",
        "_",
        "`",
        "~",
        "```",
        "```\n",
        "~~~\n",
        "- a\n",
        "***\n",
        "# a\n",
        "<<",
        ">>\n",
    ),
    *(
        "<think>",
        "</think>",
        "[THINK]",
        "<|channel|>",
        "<|channel|>final<|message|>",
        "<|end|>",
        "assistantfinal",
    ),
    *(
        "<answer>",
        "<answer>1</answer>",
        "Section 1\n",
        "P.S.\n",
        "-[ RECORD 1 ]\n",
        "a | b\n",
        "a,b\n",
        "*** 1. row ***\n",
    ),
    *("the answer is ", "The correct option is B. ", r"\boxed{}", r"\boxed{7} and ", r"\boxed{", "#### 7\n"),
    *("$x$ or ", "5. Wait. ", "B because ", "B (", "(B) ", "A cat. ", "I am ", "analysis"),
]
KINDS = [
    *("words", "sentences", "paragraphs", "lines", "bullets", "sections", "highlights", "placeholders"),
    *("capital_words", "characters"),
]
CONSTRAINTS = [
    *({"kind": kind, "min": 1_000_000} for kind in KINDS),
    *({"kind": kind} for kind in ("json_only", "title", "no_commas", "postscript", "quoted")),
    *({"kind": kind, "text": "b b"} for kind in ("starts_with", "ends_with")),
    {"kind": "forbidden_words", "words": ["aa", "b a", "学", "the*x"]},
]


@pytest.mark.parametrize("name", verifiers.list_verifiers())
def test_work_grows_with_the_length_of_a_text(name: str) -> None:
    judge = verifiers.from_config({"verifier": name})
    reference = json.dumps(CONSTRAINTS)
    if name != "instructions":
        reference = judge.example["reference"]  # type: ignore[union-attr]  # combinations have none
    judges: list[Judge] = [judge]
    if "reading" in verifiers.config_of(judge):
        ways: list[dict[str, object]] = [{"tag": None}, {"extract": "auto", "reading": "lenient"}]
        ways += [{"extract": "formula"}, {"extract": "last_number"}]
        judges += [verifiers.from_config({"verifier": name, **way}) for way in ways]
    draw = random.Random(0)
    mixed = ["".join(draw.choices(PIECES, k=12)) for _ in range(24)]
    slow = [(one, piece) for one in judges for piece in [*PIECES, *mixed] if outgrows(one, reference, piece)]
    assert not slow


def streamed(rows: int) -> int:
    """Peak memory of `reasonenv judge` in KiB for a number of rows."""
    command = [sys.executable, "-m", "reasonenv", "judge", "-", "--verifier", "math_equal", "--json"]
    program = (
        "import resource, subprocess, sys\n"
        f"child = subprocess.Popen({command!r}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)\n"
        f"for start in range(0, {rows}, 10_000):\n"
        '    lines = [f\'{{"completion": "#### {n}", "answer": "{n % 7}"}}\\n\''
        " for n in range(start, start + 10_000)]\n"
        "    child.stdin.write(''.join(lines).encode())\n"
        "child.stdin.close()\n"
        "assert child.wait() == 0\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return int(done.stdout) // (1024 if sys.platform == "darwin" else 1)


@pytest.mark.slow
def test_memory_is_flat_over_a_million_rows() -> None:
    few, many = streamed(50_000), streamed(1_000_000)
    assert many < few + 16 * 1024, (few, many)


@pytest.mark.slow
def test_memory_is_flat_over_a_million_rows_in_one_process() -> None:
    judge = verifiers.math_equal(tag=None)

    def batch(start: int) -> None:
        numbers = range(start, start + 10_000)
        judge([f"x = {n}/7" for n in numbers], [f"{n % 11}" for n in numbers])

    for start in range(0, 100_000, 10_000):
        batch(start)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for start in range(0, 1_000_000, 10_000):
        batch(start)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held
    assert grown < 16 * 1024, grown
