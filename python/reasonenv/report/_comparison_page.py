"""Two runs compared on one page."""

import hashlib
import os
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv.data._traces import completion_of, is_judged, is_passed, read_traces
from reasonenv.report._compare import Comparison, Pairs, TaskKey, compared, key_of, paired, row
from reasonenv.report._form import (
    Card,
    HtmlPage,
    PageTable,
    Section,
    TableCell,
    count,
    percent,
    rounded,
    template,
    write,
)
from reasonenv.report._samples import clipped

_MOST_TASKS = 8
"""Tasks shown of each direction."""


def write_comparison(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    policy_a: str | None = None,
    policy_b: str | None = None,
) -> Path:
    """Write a page that compares two runs over the tasks that both have, and return its path.

    It has the form of `write_report`: the difference with its interval, differences by source and level, and
    the tasks that differ most with an answer of each run.

    Args:
        a: A run's folder, or its records.
        b: Another one; or the same, for two of its policies.
        out: Where the page is written.
        policy_a: The policy of `a` that counts, if it has several.
        policy_b: The policy of `b`.

    Raises:
        InvalidArgument: As `compare`.
        ReasonEnvError: A record is damaged; names the file and the line.
        OSError: Something cannot be read or written; names it.
        ModuleNotFoundError: jinja2 is missing.
    """
    template()
    pairs, *policies = paired(a, b, policy_a, policy_b)
    rows = compared(pairs)
    runs = [_checks.path("a", a), _checks.path("b", b)]
    names = policies if policies[0] != policies[1] else [run.resolve().name for run in runs]
    total = rows[0]
    words = ["reasonenv", "compare", *map(os.fspath, runs)]
    words += ["--policy-a", policies[0], "--policy-b", policies[1]]
    matrix = _matrix(pairs)
    page = HtmlPage(
        title=f"{names[0]} and {names[1]}: comparison",
        headline=_headline(total, *names),
        facts=f"{count(total.tasks, 'task')} that both runs have, compared task by task.",
        cards=[
            Card("A", [(percent(total.a), policies[0]), ("", os.fspath(runs[0]))]),
            Card("B", [(percent(total.b), policies[1]), ("", os.fspath(runs[1]))]),
            Card("B − A", [(_points(total.difference), _ends(total))]),
            Card("Tasks", [(f"{total.better:,}", "better with B"), (f"{total.worse:,}", "worse with B")]),
            *_extremes(rows[1:]),
            Card("Run it again", command=shlex.join(words)),
        ],
        sections=[
            Section(
                "Differences",
                "Pass rate of B less that of A, in percentage points, with 95% intervals over tasks. "
                "Green: B passes more often; red: A does.",
                tables=[matrix],
            ),
            Section(
                "Tasks that differ most",
                "Each with an answer of both runs. Open a task to read them.",
                tables=_examples(pairs, runs, policies),
            ),
            Section("All numbers", tables=[_numbers(rows)]),
        ],
    )
    return write(page, _checks.path("out", out))


def _headline(total: Comparison, a: str, b: str) -> str:
    if not total.shown:
        return f"{a} and {b} pass about equally often"
    better, worse = (b, a) if total.difference > 0 else (a, b)
    return f"{better} beats {worse} by {100 * abs(total.difference):.1f} points"


def _extremes(rows: Sequence[Comparison]) -> list[Card]:
    if len(rows) < 2:
        return []
    order = sorted(rows, key=lambda one: -one.difference)
    lines = [(_place(one), _points(one.difference)) for one in (order[0], order[-1])]
    return [Card("Best and worst for B", lines)]


def _place(one: Comparison) -> str:
    return one.source if one.level is None else f"{one.source}, level {one.level}"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}".replace("-", "−")


def _ends(one: Comparison) -> str:
    return "" if one.interval is None else " to ".join(map(_points, one.interval))


def _lean(one: Comparison, *, note: bool = False) -> TableCell:
    return TableCell(_points(one.difference), lean=one.difference, note=_ends(one) if note else "")


def _matrix(pairs: Pairs) -> PageTable:
    """Differences of each source, over all levels and by level."""
    found: dict[str, dict[int | None, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for task, pair in pairs.items():
        found[task.source][task.level].append(pair)
    levels = sorted({level for places in found.values() for level in places if level is not None})
    rows: list[list[TableCell | str]] = []
    for source, places in found.items():
        everything = row(source, None, [pair for given in places.values() for pair in given])
        cells = [
            _lean(row(source, level, places[level])) if level in places else TableCell() for level in levels
        ]
        rows.append([source, _lean(everything, note=True), *(cells if len(levels) > 1 else ())])
    columns = ["all levels", *(f"level {level}" for level in levels)] if len(levels) > 1 else ["B − A"]
    return PageTable(["source", *columns], rows)


def _numbers(rows: Sequence[Comparison]) -> PageTable:
    columns = ["source and level", "A", "B", "B − A", "better", "worse", "tasks"]
    cells: list[list[TableCell | str]] = [
        [
            _place(one),
            TableCell(percent(one.a), heat=one.a),
            TableCell(percent(one.b), heat=one.b),
            _lean(one, note=True),
            f"{one.better:,}",
            f"{one.worse:,}",
            f"{one.tasks:,}",
        ]
        for one in rows
    ]
    return PageTable(columns, cells, fold=f"Show {count(len(rows), 'row')}")


def _examples(pairs: Pairs, runs: Sequence[Path], policies: Sequence[str]) -> list[PageTable]:
    """The tasks with the largest differences, those where B gains before those where it loses."""

    def order(task: TaskKey) -> tuple[float, bytes]:
        a, b = pairs[task]
        return -abs(b - a), hashlib.blake2b(task.task_id.encode()).digest()

    gains = sorted((task for task, (a, b) in pairs.items() if b > a), key=order)[:_MOST_TASKS]
    losses = sorted((task for task, (a, b) in pairs.items() if b < a), key=order)[:_MOST_TASKS]
    # The run that does better shows a success, the other one a failure.
    success = dict.fromkeys(gains, True) | dict.fromkeys(losses, False)
    failure = {task: not passed for task, passed in success.items()}
    answers = [_answers(*one) for one in zip(runs, policies, (failure, success), strict=True)]
    return [
        PageTable(
            ["task", "answers", "A", "B", "B − A"],
            [_example(task, pairs[task], *(found[task] for found in answers)) for task in tasks],
            name=name,
            words=frozenset({1}),
        )
        for name, tasks in (("Better with B", gains), ("Worse with B", losses))
        if tasks
    ]


def _answers(run: Path, policy: str, wanted: Mapping[TaskKey, bool]) -> dict[TaskKey, dict[str, Any]]:
    """A rollout of each task; if possible, one that passed or failed as wanted."""
    found: dict[TaskKey, dict[str, Any]] = {}
    for record in filter(is_judged, read_traces(run)):
        task = key_of(record)
        if task in wanted and str(record.get("policy")) == policy:
            first = task not in found
            if first or is_passed(record) is wanted[task] is not is_passed(found[task]):
                found[task] = record
    return found


def _example(
    task: TaskKey, pair: tuple[float, float], a: dict[str, Any], b: dict[str, Any]
) -> list[TableCell | str]:
    said = [clipped(completion_of(one)) for one in (a, b)]
    details = [(one["verdict"] or {}).get("detail") for one in (a, b)]
    folds = [("Prompt", clipped(str(a["prompt"]))), ("A", said[0]), ("B", said[1])]
    folds += [(f"Why {name} fails", detail) for name, detail in zip("AB", details, strict=True) if detail]
    first = " ".join(str(a["prompt"]).split())
    level = "" if task.level is None else f", level {task.level}"
    return [
        f"{task.source}{level}",
        TableCell(first if len(first) <= 120 else f"{first[:119]}…", fold=folds),
        rounded(pair[0]),
        rounded(pair[1]),
        TableCell(_points(pair[1] - pair[0]), lean=pair[1] - pair[0]),
    ]
