"""Speed and verdicts of `math_equal` compared with math-verify: `python -m benches.math_verify [--write]`.

It needs the extra `bench`. Everything runs on one core in one process. math-verify has no batches: it checks
each row separately. With `--write`, the pairs on which they differ go to docs/maths-beside-math-verify.md.
"""

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Must precede the creation of the thread pool.
os.environ.setdefault("RAYON_NUM_THREADS", "1")

from reasonenv import verifiers

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests/golden/maths"
PAGE = ROOT / "docs/maths-beside-math-verify.md"
Judge = Callable[[str, str], bool]


def corpus(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def plain_numbers(count: int) -> list[tuple[str, str]]:
    """References and answers: integers, decimals and fractions, about half of them right."""
    draw = random.Random(7)
    rows = []
    for _ in range(count):
        above, below = draw.randint(-9_999, 9_999), draw.randint(2, 99)
        reference, same = draw.choice(
            [
                (str(above), str(above)),
                (str(above), f"{above}.0"),
                (f"{above / 1000:.3f}", f"{above / 1000:.3f}"),
                (f"\\frac{{{abs(above)}}}{{{below}}}", f"{abs(above)}/{below}"),
                (f"{abs(above)}/{below}", f"\\frac{{{abs(above) * 2}}}{{{below * 2}}}"),
            ]
        )
        rows.append((reference, same if draw.random() < 0.5 else str(draw.randint(-9_999, 9_999))))
    return rows


def ours(extract: verifiers.Extract = "whole") -> Judge:
    judge = verifiers.math_equal(extract=extract)
    return lambda reference, answer: bool(judge([answer], [reference]).passed[0])


def dressed(text: str) -> str:
    return text if "$" in text else f"${text}$"


def theirs(patience: int, prose: bool = False) -> Judge:
    """Wrap math-verify, which gives up on a text or a comparison after this many seconds."""
    from math_verify import parse, verify  # noqa: PLC0415

    def read(text: str) -> Any:
        return parse(dressed(text), parsing_timeout=patience)

    def answered(text: str) -> Any:
        return parse(text, parsing_timeout=patience) if prose else read(text)

    return lambda reference, answer: bool(verify(read(reference), answered(answer), timeout_seconds=patience))


def timed(judge: Judge, rows: list[tuple[str, str]]) -> tuple[list[bool | None], list[float]]:
    verdicts: list[bool | None] = []
    seconds = []
    for reference, answer in rows:
        start = time.process_time()
        try:
            verdicts.append(judge(reference, answer))
        except Exception:  # theirs raises on some texts
            verdicts.append(None)
        seconds.append(time.process_time() - start)
    return verdicts, seconds


def batch_rate(rows: list[tuple[str, str]], extract: verifiers.Extract) -> float:
    """Rows per second in one batch, the best of several rounds."""
    judge = verifiers.math_equal(extract=extract)
    texts, references = [answer for _, answer in rows], [reference for reference, _ in rows]
    best = float("inf")
    for _ in range(9):
        start = time.process_time()
        judge(texts, references)
        best = min(best, time.process_time() - start)
    return len(rows) / best


def report(
    name: str,
    rows: list[tuple[str, str]],
    judges: dict[str, Judge],
    extract: verifiers.Extract = "whole",
) -> dict[str, list[bool | None]]:
    all_verdicts, rates = {}, {}
    for who, judge in judges.items():
        timed(judge, rows[:20])
        verdicts, seconds = timed(judge, rows)
        slowest = max(range(len(rows)), key=seconds.__getitem__)
        rates[who], median = len(rows) / sum(seconds), statistics.median(seconds) * 1e6
        worst = f"{seconds[slowest] * 1e3:,.2f} ms: {rows[slowest][1][:40]!r}"
        print(
            f"| {name} | {who} | {rates[who]:,.0f} rows/s | median {median:,.1f} µs | slowest {worst} |",
            end="",
        )
        print(f" raised {verdicts.count(None)} |")
        all_verdicts[who] = verdicts
    rate, peer = batch_rate(rows, extract), rates["math-verify"]
    print(f"| {name} | reasonenv, in one batch | {rate:,.0f} rows/s |", end="")
    print(f" {rate / peer:,.0f} times math-verify; row by row {rates['reasonenv'] / peer:,.0f} times |")
    return all_verdicts


def read_as(text: str) -> str:
    """The value that math-verify reads in a text."""
    from math_verify import parse  # noqa: PLC0415

    try:
        found = parse(dressed(text))
    except Exception as error:  # some texts are too much for it
        return f"raises {type(error).__name__}"
    return str(found[0]) if found else ""


def cell(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def page(rows: list[dict[str, Any]], verdicts: list[bool | None]) -> str:
    """Every pair on which the two differ, starting with those that only math-verify accepts."""
    judge = verifiers.math_equal(extract="whole")
    told = judge([row["answer"] for row in rows], [row["reference"] for row in rows])
    paid, refused = [], []
    for row, verdict, own in zip(rows, verdicts, told, strict=True):
        if bool(verdict) == own.passed:
            continue
        if own.passed:
            read = read_as(row["answer"])
            why = f"it reads {cell(read)}" if read else "it reads nothing"
            refused.append(f"| {cell(row['reference'])} | {cell(row['answer'])} | {row['why']}; {why} |")
        else:
            detail = own.detail.rpartition("`: ")[2] or own.detail
            read = read_as(row["answer"])
            why = detail.replace("|", "\\|") + (f"; it reads {cell(read)}" if read else "")
            paid.append(f"| {cell(row['reference'])} | {cell(row['answer'])} | {own.failures[0]}: {why} |")
    right = [bool(verdict) == row["passes"] for verdict, row in zip(verdicts, rows, strict=True)]
    alike = sum(one and own.passed == row["passes"] for one, own, row in zip(right, told, rows, strict=True))
    intro = (
        f"Of the {len(rows):,} pairs in `tests/golden/maths/plain.jsonl`, math-verify 0.9 judges "
        f"{sum(right)} as marked, and `math_equal` agrees on {alike} of these. The pairs below are those "
        "where the two differ. `python -m benches.math_verify --write` writes this page."
    )
    about = (
        "What a pair should get is our reading; the rules are those of [Mathematics](maths.md). Texts without"
        " a dollar sign are given to math-verify between two of them."
    )
    lines = [
        *["# math_equal beside math-verify, pair by pair", "", intro, "", about, ""],
        *[f"## Paid by math-verify, refused by math_equal ({len(paid)})", ""],
        *["| reference | answer | why it is refused |", "| --- | --- | --- |", *paid, ""],
        *[f"## Refused by math-verify, paid by math_equal ({len(refused)})", ""],
        *[
            "| reference | answer | why it is paid, and what math-verify reads |",
            "| --- | --- | --- |",
            *refused,
        ],
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables and, if requested, write the pairs on which the two differ."""
    # Its default of 5 seconds runs out on a busy machine; a hostile row uses up any limit.
    judges = {"reasonenv": ours(), "math-verify": theirs(patience=20)}
    report("plain numbers and fractions", plain_numbers(2_000), judges)
    # Completions in prose, whose references both can read as they are.
    rows = [row for row in corpus("completions") if "options" not in row]
    bad = {at for at, _ in verifiers.math_equal().check([row["reference"] for row in rows])}
    rows = [row for at, row in enumerate(rows) if at not in bad]
    prose = {"reasonenv": ours("formula"), "math-verify": theirs(20, prose=True)}
    verdicts = report(
        "completions", [(row["reference"], row["completion"]) for row in rows], prose, "formula"
    )
    for who, found in verdicts.items():
        right = sum(bool(one) == row["passes"] for one, row in zip(found, rows, strict=True))
        paid = sum(bool(one) and not row["passes"] for one, row in zip(found, rows, strict=True))
        print(f"completions: {who} agrees on {right} of {len(rows)} and pays {paid} wrong ones")
    for name in ("plain", "hostile"):
        # math-verify spends seconds on a hostile row, so only some of them are measured.
        rows = corpus(name)[:: 1 if name == "plain" else 12]
        judges["math-verify"] = theirs(patience=20 if name == "plain" else 5)
        verdicts = report(name, [(row["reference"], row["answer"]) for row in rows], judges)
        right = {
            who: [bool(verdict) == row["passes"] for verdict, row in zip(found, rows, strict=True)]
            for who, found in verdicts.items()
        }
        both = sum(a and b for a, b in zip(right["reasonenv"], right["math-verify"], strict=True))
        counts = {who: sum(found) for who, found in right.items()}
        print(f"{name}: right are {counts} of {len(rows)}; of those it judges rightly we do {both}")
        if name == "plain" and "--write" in sys.argv:
            PAGE.write_text(page(rows, verdicts["math-verify"]), encoding="utf-8")


if __name__ == "__main__":
    main()
