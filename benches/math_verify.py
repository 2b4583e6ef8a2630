"""Speed and verdicts of `math_equal` beside math-verify: `python -m benches.math_verify`.

It needs the extra `bench`. Everything runs on one core in one process; each row is judged on its own, with
its truth read each time, as math-verify does it.
"""

import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before the pool of threads is made.
os.environ.setdefault("RAYON_NUM_THREADS", "1")

from reasonenv import verifiers

DATA = Path(__file__).parent.parent / "tests/data/maths"
PLAIN_NUMBERS = [(str(n), str(m)) for n in range(40) for m in (n, n + 1)] + [
    (f"\\frac{{{n}}}{{{d}}}", f"{m}/{d}") for n in range(1, 10) for d in (2, 3, 7) for m in (n, n + 1)
]
Judge = Callable[[str, str], bool]


def corpus(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def ours() -> Judge:
    judge = verifiers.math_equal(extract="whole")
    return lambda truth, answer: bool(judge([answer], [truth]).passed[0])


def theirs() -> Judge:
    from math_verify import parse, verify  # noqa: PLC0415

    def judge(truth: str, answer: str) -> bool:
        def dressed(text: str) -> str:
            return text if "$" in text else f"${text}$"

        return bool(verify(parse(dressed(truth)), parse(dressed(answer))))

    return judge


def timed(judge: Judge, rows: list[tuple[str, str]]) -> tuple[list[bool | None], list[float]]:
    verdicts: list[bool | None] = []
    seconds = []
    for truth, answer in rows:
        start = time.process_time()
        try:
            verdicts.append(judge(truth, answer))
        except Exception:  # theirs raises on some texts
            verdicts.append(None)
        seconds.append(time.process_time() - start)
    return verdicts, seconds


def report(name: str, rows: list[tuple[str, str]], judges: dict[str, Judge]) -> dict[str, list[bool | None]]:
    all_verdicts = {}
    for who, judge in judges.items():
        timed(judge, rows[:20])
        verdicts, seconds = timed(judge, rows)
        slowest = max(range(len(rows)), key=seconds.__getitem__)
        rate, median = len(rows) / sum(seconds), statistics.median(seconds) * 1e6
        worst = f"{seconds[slowest] * 1e3:,.2f} ms: {rows[slowest][1][:40]!r}"
        print(f"| {name} | {who} | {rate:,.0f} rows/s | median {median:,.0f} µs | slowest {worst} |", end="")
        print(f" raised {verdicts.count(None)} |")
        all_verdicts[who] = verdicts
    batch = verifiers.math_equal(extract="whole")
    texts, truths = [answer for _, answer in rows], [truth for truth, _ in rows]
    rounds = max(1, 2_000 // len(rows))
    start = time.process_time()
    for _ in range(rounds):
        batch(texts, truths)
    rate = rounds * len(rows) / (time.process_time() - start)
    print(f"| {name} | reasonenv, in one batch | {rate:,.0f} rows/s |")
    return all_verdicts


def main() -> None:
    """Prints the tables, and the pairs on which the two differ."""
    judges = {"reasonenv": ours(), "math-verify": theirs()}
    report("plain numbers and fractions", PLAIN_NUMBERS, judges)
    for name in ("plain", "hostile"):
        # Theirs spends seconds on a hostile row, so a part of them has to do.
        rows = corpus(name)[:: 1 if name == "plain" else 12]
        pairs = [(row["truth"], row["answer"]) for row in rows]
        verdicts = report(name, pairs, judges)
        right = {
            who: sum(bool(verdict) == row["passes"] for verdict, row in zip(found, rows, strict=True))
            for who, found in verdicts.items()
        }
        both = [
            (bool(a) == row["passes"], bool(b) == row["passes"])
            for a, b, row in zip(verdicts["reasonenv"], verdicts["math-verify"], rows, strict=True)
        ]
        theirs_right = [one for one, other in both if other]
        alike = f"{sum(theirs_right)}/{len(theirs_right)}"
        print(f"{name}: {right} of {len(rows)}; of those it judges rightly we do {alike}")
        for row, verdict in zip(rows, verdicts["math-verify"], strict=True):
            if bool(verdict) != row["passes"]:
                said = "raises" if verdict is None else "pays" if verdict else "refuses"
                print(
                    f"  math-verify {said}: {row['answer'][:60]!r} for {row['truth'][:40]!r} ({row['why']})"
                )


if __name__ == "__main__":
    main()
