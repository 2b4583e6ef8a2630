"""Judges our items by reasoning-gym's judges and its items by ours: `make test-peers` runs it.

    python tests/peers/cross_judging.py PYTHON-WITH-REASONING-GYM [--items 200] [--write docs/cross-checks.md]

Every disagreement must be in `EXPLAINED`; one that is not fails the run, and so does an explanation without a
disagreement.
"""

import argparse
import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import reasonenv
from explained import EXPLAINED, FAULTS, SOLVED, SOLVED_BY, UNLIKE
from reasonenv.errors import InvalidProblem
from shared import SHARED, Shared
from translations import Inexpressible, Item

SECONDS, SECONDS_TO_MAKE = 20.0, 600.0
"""Time limits for verifying an answer and for making a data set, after which the peer is restarted."""
FOREIGN = "not a problem of this family: "
"""Start of our error for a problem that the family does not pose."""
PAID = 0.999
"""Lowest score that counts as a pass by their verifier."""


class Peer:
    """reasoning-gym, in a process that can be killed."""

    def __init__(self, python: str) -> None:
        self.command = [python, str(Path(__file__).with_name("worker.py"))]
        self._start()

    def ask(self, **request: Any) -> Any:
        """Return the peer's reply.

        Raises:
            TimeoutError: The peer took too long and was restarted.
            RuntimeError: The peer raised an error.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=SECONDS_TO_MAKE if "make" in request else SECONDS)
        except queue.Empty:
            self._process.kill()
            self._start()
            raise TimeoutError from None
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["ok"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()

    def _start(self) -> None:
        # Warnings of its verifiers are ignored. Some of its items depend on the order of sets.
        self._process = subprocess.Popen(
            self.command,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: "queue.Queue[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)


@dataclass
class Agreement:
    """Agreement of two verifiers on a task, in one direction."""

    asked: int = 0
    agreed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Items that have no counterpart, by reason."""
    differ: list[str] = field(default_factory=list)

    def to_cell(self) -> str:
        """Number of agreements and of comparisons."""
        return f"{self.agreed} of {self.asked}" if self.asked else "–"


def our_items(shared: Shared, items: int) -> Iterator[reasonenv.Task]:
    """More of our items than needed, since not all have a counterpart."""
    source = reasonenv.family(shared.ours).source(level=shared.level, seed=5)
    for draw in range(shared.draws):
        yield from source.batch(draw * items, items)


def their_items(shared: Shared, peer: Peer, items: int) -> Iterator[Item]:
    """More of theirs than are wanted; item number 200 from seed 5 on is the first from seed 205 on."""
    for draw in range(shared.draws):
        yield from peer.ask(make=[shared.theirs, items, 5 + draw * items, shared.config])


def ours_by_theirs(shared: Shared, peer: Peer, items: int) -> tuple[Agreement, Agreement]:
    """Our items, right answers and wrong ones, before their judge."""
    right, wrong = Agreement(), Agreement()
    if shared.to_theirs is None:
        return right, wrong
    for task in our_items(shared, items):
        near = task.wrong_answers(seed=1)[0]
        for answer, tally in ((task.solution.answer, right), (near, wrong)):
            if tally.asked == items:
                continue
            try:
                entry, text = shared.to_theirs(task, answer)
            except Inexpressible as error:
                tally.left_out[str(error)] += 1
                continue
            try:
                paid = peer.ask(score=[shared.theirs, shared.config, text, entry]) >= PAID
            except (TimeoutError, RuntimeError) as error:
                paid = None
                tally.differ.append(f"their judge: {error!r}")
            tally.asked += 1
            if paid is (tally is right):
                tally.agreed += 1
            elif paid is not None:
                tally.differ.append(f"{task.problem}: {text!r} is {'paid' if paid else 'refused'} by theirs")
        if right.asked == wrong.asked == items:
            break
    return right, wrong


def theirs_by_ours(shared: Shared, peer: Peer, items: int) -> Agreement:
    """Their items and answers before our judge."""
    tally = Agreement()
    if shared.from_theirs is None:
        return tally
    family = reasonenv.family(shared.ours)
    for item in their_items(shared, peer, items):
        try:
            problem, answer = shared.from_theirs(item)
            task = family.task(json.dumps(problem))
        except Inexpressible as error:
            tally.left_out[str(error)] += 1
            continue
        except InvalidProblem as error:
            tally.left_out[str(error).partition(FOREIGN)[2] or str(error)] += 1
            continue
        try:
            family.task(json.dumps(problem), certified=True)
            why = ""
        except reasonenv.ReasonEnvError as error:
            why = str(error)
        if shared.besides and re.search(shared.besides, why):
            tally.left_out[why.partition(FOREIGN)[2]] += 1
            continue
        tally.asked += 1
        verdict = task.verify(task.wrap(answer))
        if verdict.passed and not why:
            tally.agreed += 1
        else:
            tally.differ.append(f"{json.dumps(problem)[:200]}: {answer!r}: {verdict.detail or why}")
        if tally.asked == items:
            break
    return tally


def page(rows: list[tuple[Shared, Agreement, Agreement, Agreement]], items: int) -> str:
    """docs/cross-checks.md."""
    about = (
        f"`make test-peers` writes this page. It checks {items} of our tasks with the verifiers of "
        "reasoning-gym 0.1.25 (right answers, and a wrong one near each), and as many of its tasks with "
        "ours: its answers must pass, and its problems must be certified. Each number is how often both "
        "verifiers agree. Tasks that the other suite cannot pose are left out. A dash means that it can "
        "pose none, or that its verifier only compares an answer with the stored one."
    )
    columns = "Family | Theirs | Our right answers, by theirs | Our wrong answers | Their items, by ours"
    lines = ["# Cross-checks", "", about, "", f"| {columns} | |", "| --- | --- | --- | --- | --- | --- |"]
    for shared, right, wrong, theirs in rows:
        cells = [
            f"`{shared.ours}`",
            f"`{shared.theirs}`",
            *(one.to_cell() for one in (right, wrong, theirs)),
            shared.note,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Where they differ", ""]
    lines += [f"- `{data_set}` pays `{answer}`: {why}" for data_set, answer, _, why in FAULTS]
    for (family, data_set, way), reason in EXPLAINED.items():
        lines.append(f"- `{family}` and `{data_set}`, {way}: {reason}")
    lines += ["", "## Not judged across", ""]
    lines += ["Families with a namesake in reasoning-gym that is not the same task, or cannot be read:", ""]
    lines += [f"- `{family}` and `{data_set}`: {reason}" for (family, data_set), reason in UNLIKE.items()]
    lines += [
        "",
        "## Solved by other programs",
        "",
        SOLVED_BY,
        "",
        "| Family | Program | What came out |",
        "| --- | --- | --- |",
    ]
    lines += [f"| `{family}` | {solver} | {result} |" for family, solver, result in SOLVED]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Runs all comparisons; 1 where a disagreement is not explained, or an explanation explains nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only")
    asked = parser.parse_args()
    peer = Peer(asked.python)
    rows, failed = [], 0
    for shared in SHARED:
        if asked.only not in (None, shared.ours, shared.theirs):
            continue
        right, wrong = ours_by_theirs(shared, peer, asked.items)
        theirs = theirs_by_ours(shared, peer, asked.items)
        rows.append((shared, right, wrong, theirs))
        print(
            f"{shared.ours} / {shared.theirs}: {right.to_cell()}, {wrong.to_cell()}, {theirs.to_cell()}",
            flush=True,
        )
        for way, tally, said in (
            ("right answers", right, shared.to_theirs),
            ("wrong answers", wrong, shared.to_theirs),
            ("their items", theirs, shared.from_theirs),
        ):
            known = (shared.ours, shared.theirs, way) in EXPLAINED
            if tally.left_out:
                print(f"  {way}: left out {dict(tally.left_out.most_common(3))}")
            if said is not None and tally.asked < asked.items:
                failed = 1
                print(f"  {way}: only {tally.asked} of {asked.items} have a counterpart")
            if bool(tally.differ) != known:
                failed = 1
                print(
                    f"  {way}: "
                    + ("\n    ".join(tally.differ[:3]) if tally.differ else "explained, but they agree")
                )
    for name, answer, entry, _ in FAULTS if asked.only is None else ():
        if peer.ask(score=[name, {}, answer, entry]) < PAID:
            failed = 1
            print(f"{name} does not pay {answer!r} any more: strike it from FAULTS")
    peer.close()
    print(f"{len(rows)} passed, {failed} failed" if not failed else f"{len(rows) - 1} passed, 1 failed")
    if asked.write:
        asked.write.write_text(page(rows, asked.items), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
