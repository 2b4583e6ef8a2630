"""`reasonenv bench verifiers`: speed of verifying your own rows, compared with other installed verifiers."""

import importlib.util
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import reasonenv
from reasonenv import verifiers
from reasonenv._cli import tables
from reasonenv._cli.terminal import print_json
from reasonenv._progress import progress
from reasonenv.verifiers import _corpora
from reasonenv.verifiers._corpora import Corpus

_COUNT = 2048
"""Plain rows of each verifier."""

_PATIENCE = 8.0
"""Seconds for a peer's hostile rows; it may hang on one."""


def bench_verifiers(names: Sequence[str], seconds: float, as_json: bool) -> None:
    """Measures verifiers by name, all of them by default, and prints what came out."""
    known = [verifiers.from_config({"verifier": name}).name for name in names] or verifiers.list_verifiers()
    measured: list[dict[str, Any]] = []
    with progress() as tell:
        for done, (name, judge) in enumerate(_corpora.judges(list(known)).items()):
            for kind in ("plain", "hostile"):
                tell(done, len(known), f"{name}, {kind} rows")
                rows = _corpora.plain(name, _COUNT) if kind == "plain" else _corpora.hostile(name)
                measured.append(
                    {"verifier": name, "by": "reasonenv", "rows": kind, **_ours(judge, rows, seconds)}
                )
                for peer in _PEERS.get(name, {}):
                    if _PEERS[name][peer] in sys.builtin_module_names or (
                        importlib.util.find_spec(_PEERS[name][peer])
                    ):
                        found = _theirs(name, peer, kind, seconds)
                        measured.append({"verifier": name, "by": peer, "rows": kind, **found})
    threads = reasonenv.num_threads()
    if as_json:
        print_json({"threads": threads, "verifiers": measured})
        return
    console = Console(highlight=False)
    console.print(tables.verifier_rates(measured))
    counted = f"{threads} thread" if threads == 1 else f"{threads} threads"
    console.print(
        f"\nrows/s on {counted}, of peers on one; p50, p99 and max of single rows in processor time, "
        "the least of three; memory above what the process held before.\n"
        "Hostile answers have 64 KiB. Of python_tests, time and memory are those of this process alone.\n"
        "One run on this machine.",
        style="dim",
    )


def _ours(judge: verifiers.Judge, rows: Corpus, seconds: float) -> dict[str, Any]:
    held = _reset_peak()
    best, end = float("inf"), time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        judge(rows.answers, rows.references)
        best = min(best, time.perf_counter() - start)
    peak = _peak()
    memory = None if held is None or peak is None else max(0, peak - held)

    def one(answer: str, reference: str) -> object:
        return judge([answer], [reference])

    return {
        "rows_per_second": len(rows.answers) / best,
        **_latencies(one, rows, seconds, every=True),
        "memory_kib": memory,
    }


def _latencies(
    judge: Callable[[str, str], object], rows: Corpus, seconds: float, *, every: bool = False
) -> dict[str, Any]:
    """Processor seconds for single rows: for every row, or for as many as fit in the time, and at least one.

    Other work of the machine doesn't count, nor does the first use of memory: the minimum of
    up to three runs of a row counts, as time allows.
    """
    taken: list[float] = []
    end = time.perf_counter() + seconds
    for answer, reference in zip(rows.answers, rows.references, strict=True):
        least = float("inf")
        for _ in range(3):
            start = time.thread_time()
            judge(answer, reference)
            least = min(least, time.thread_time() - start)
            if time.perf_counter() > end:
                break
        taken.append(least)
        if not every and time.perf_counter() > end:
            break
    taken.sort()

    def at(share: float) -> float:
        return taken[min(len(taken) - 1, int(share * len(taken)))]

    return {"p50": at(0.5), "p99": at(0.99), "max": taken[-1], "judged": len(taken)}


def _status(field: str) -> int | None:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return int(status.partition(f"{field}:")[2].split()[0])


def _peak() -> int | None:
    """Peak memory of the process since the reset, in KiB; None if the system doesn't report it."""
    return _status("VmHWM")


def _reset_peak() -> int | None:
    """Reset the peak and return the current memory of the process, in KiB."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return _status("VmRSS")


def _difflib() -> Callable[[str, str], object]:
    import difflib  # noqa: PLC0415

    return lambda answer, reference: difflib.SequenceMatcher(None, answer, reference).ratio()


def _jsonschema() -> Callable[[str, str], object]:
    import json  # noqa: PLC0415

    import jsonschema  # noqa: PLC0415

    made: dict[str, Any] = {}

    def judge(answer: str, reference: str) -> object:
        if reference not in made:
            made[reference] = jsonschema.Draft202012Validator(json.loads(reference))
        return made[reference].is_valid(json.loads(answer))

    return judge


def _math_verify() -> Callable[[str, str], object]:
    import math_verify  # noqa: PLC0415

    return lambda answer, reference: math_verify.verify(
        math_verify.parse(reference), math_verify.parse(answer)
    )


def _sympy() -> Callable[[str, str], object]:
    import sympy  # noqa: PLC0415

    return lambda answer, reference: sympy.simplify(f"({answer}) - ({reference})") == 0


def _fresh_python() -> Callable[[str, str], object]:
    import json  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    def judge(answer: str, reference: str) -> object:
        program = "\n".join([answer, *json.loads(reference)])
        command = [sys.executable, "-I", "-c", program.replace("```python", "").replace("```", "")]
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0

    return judge


_PEERS: dict[str, dict[str, str]] = {
    "difflib_ratio": {"difflib": "difflib"},
    "json_schema": {"jsonschema": "jsonschema"},
    "math_equal": {"math-verify": "math_verify", "sympy": "sympy"},
    "number_equal": {"math-verify": "math_verify"},
    "python_tests": {"fresh python": "sys"},
}
"""Other verifiers for the same rows, and the modules they are imported from."""

_MAKERS: dict[str, Callable[[], Callable[[str, str], object]]] = {
    "difflib": _difflib,
    "fresh python": _fresh_python,
    "jsonschema": _jsonschema,
    "math-verify": _math_verify,
    "sympy": _sympy,
}


def _theirs(name: str, peer: str, kind: str, seconds: float) -> dict[str, Any]:
    """Measurements of a peer in a separate process, which is ended if it hangs."""
    context = multiprocessing.get_context("spawn")
    ours, child = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(child, name, peer, kind, seconds), daemon=True)
    process.start()
    child.close()
    limit = seconds + _PATIENCE
    try:
        if ours.poll(limit + 5):
            found: dict[str, Any] = ours.recv()
            return found
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
        ours.close()
    return {"rows_per_second": None, "p50": None, "p99": None, "max": limit, "judged": 0, "memory_kib": None}


def _measured(pipe: Any, name: str, peer: str, kind: str, seconds: float) -> None:
    judge = _MAKERS[peer]()
    rows = _corpora.plain(name, _COUNT) if kind == "plain" else _corpora.hostile(name)

    def total(answer: str, reference: str) -> object:
        try:
            return judge(answer, reference)
        except Exception:  # what it raises on is judged as well, if badly
            return None

    held = _reset_peak()
    start = time.perf_counter()
    found = _latencies(total, rows, seconds)
    rate = found["judged"] / (time.perf_counter() - start)
    peak = _peak()
    memory = None if held is None or peak is None else max(0, peak - held)
    pipe.send({"rows_per_second": rate, **found, "memory_kib": memory})
