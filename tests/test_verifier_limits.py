"""What a row may cost: no text takes a judge long, and rows leave nothing behind."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import pytest
from reasonenv import verifiers
from reasonenv.verifiers import Verifier, _corpora

resource = pytest.importorskip("resource")  # which Windows has not

LONGEST = 65_000
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
TRUTHS = {
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
PIECES = [
    *["1 ", "1/3,", "x", "x+", "(x+1)", r"\frac{1}{2}+", r"\sqrt{", r"\sqrt{2}+", r"\boxed{1}", "#### 1\n"],
    *[
        "</answer>",
        "the answer is ",
        "<think>",
        "</think>",
        "{}",
        "[[],",
        '"a",',
        "'",
        "```\n",
        "| a | b |\n",
    ],
    *[
        "\t",
        "\\\\",
        "1,000",
        "(1,2)\\cup",
        "1=",
        "x=1 or ",
        "1<",
        "a or ",
        "(B)",
        "5 km ",
        "$",
        "%",
        "½",
        "π",
    ],
    *["\u0301", "\u200b", "\x00", "İ", "* a\n", "<<x>>", "a. ", "中", "sinx", "5!", "e^", "|", "1&2\\\\"],
    *["null,", "<", 'a,"b",\n', '{"a":1}\n', "00", "3.14 ", "0.\\overline{3}", "\\pm1", "\\{1\\}", " +--b\n"],
]
FORMULAS = [
    "2^{" * 40 + "2" + "}" * 40,
    "(x+y+z+w+1)^{40}",
    "\\sin(" * 30 + "x" + ")" * 30,
    "+".join(f"\\sqrt{{{n}}}" for n in range(2, 200)),
    "+".join(f"\\sqrt{{{n}}}" for n in (2, 3, 5, 7, 11, 13)),
    "*".join(f"(x+{n})" for n in range(300)),
    "+".join(f"|x-{n}|" for n in range(500)),
    "3249!+x",
    "\\sin(10^{1000})",
    "(1+\\sqrt2)^{4096}",
    "1/3+" * 8_000 + "1",
    "0." + "0" * LONGEST + "1",
    "3" * 30_000 + "." + "3" * 30_000,
]


def seconds(work: Callable[[], object], most: float = 0) -> float:
    """The least processor time of three runs, or of the first that takes at most so long."""
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
        if best <= most:
            break
    return best


@pytest.mark.slow
@pytest.mark.parametrize("name", verifiers.list_verifiers())
def test_no_text_takes_a_judge_long(name: str) -> None:
    # In processor time of this machine: about what Python takes to add up a million numbers.
    limit = seconds(lambda: sum(n for n in range(1_000_000)))
    rows = _corpora.hostile(name)
    texts = [piece * (LONGEST // len(piece.encode())) for piece in PIECES] + FORMULAS
    texts = list(dict.fromkeys([*rows.answers, *texts]))
    slow = []
    for options in OPTIONS.get(name, [{}]):
        judge = Verifier(name, **{"tag": None, **options})  # type: ignore[arg-type]  # a name of the list
        truths = list(dict.fromkeys([*rows.truths, *TRUTHS.get(name, []), judge.example["truth"]]))
        bad = {row for row, _ in judge.check(truths)}
        for row, truth in enumerate(truths):
            if row in bad:
                continue
            for text in texts:
                taken = seconds(partial(judge, [text], [truth]), most=limit / 2)
                if taken > limit:
                    slow.append((round(taken / limit, 1), options, truth[:40], text[:40]))
    assert not slow, sorted(slow, key=str, reverse=True)[:10]


def streamed(rows: int) -> int:
    """The most KiB that `reasonenv judge` holds while it reads so many rows."""
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
