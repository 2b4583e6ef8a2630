"""Helpers of the experiments: seeds, a run folder that resumes, intervals, curves as SVG, tables."""

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

# Before PyTorch is imported: one thread per run, so that parallel runs do not slow each other down.
os.environ.setdefault("OMP_NUM_THREADS", "1")

COLOURS = ("#2f5d8a", "#c46a2b", "#4b8a55", "#8a4b7d", "#7a6f3a", "#3b8686", "#a03d3d", "#555f6b")

_T95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
"""Student's two-sided 95 % quantile by number of seeds."""

Result = dict[str, Any]


def mean_interval(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean over seeds and the half width of its 95 % interval, by Student's distribution."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    quantile = _T95.get(len(values), 1.96)
    return mean, quantile * statistics.stdev(values) / math.sqrt(len(values))


def wilson(passed: float, tried: int) -> tuple[float, float]:
    """95 % interval of a share."""
    from reasonenv.rollouts import wilson_interval  # noqa: PLC0415

    return wilson_interval(passed, tried)


def over_seeds(values: Sequence[float]) -> Result:
    """Summary of a number measured under several seeds, for docs/evidence.md."""
    middle, half = mean_interval(values)
    return {"mean": middle, "half": half, "seeds": list(values)}


@dataclass
class Clock:
    """Processor time since its creation: on a shared machine, wall time says little."""

    start: float = field(default_factory=time.process_time)

    @property
    def seconds(self) -> float:
        """Processor seconds of all threads."""
        return time.process_time() - self.start


@dataclass
class Experiment:
    """Run folder of an experiment. Finished parts are read back, so a killed run resumes.

    Args:
        name: Name in docs/evidence.md.
        folder: Folder of the parts, one JSON file each.
        quick: True for the one-minute form.
        facts: Settings of all parts; parts with other settings run again.
    """

    name: str
    folder: Path
    quick: bool
    facts: Mapping[str, Any] = field(default_factory=dict)

    def known(self, name: str) -> Result | None:
        """Return the result of a part that finished with these settings, or None."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            return None
        kept: Result = json.loads(path.read_text())
        found: Result = kept["result"]
        return found if kept.get("facts") == json.loads(json.dumps(dict(self.facts))) else None

    def part(self, name: str, run: Callable[[], Result]) -> Result:
        """Return the result of a part, running it unless it has finished before."""
        found = self.known(name)
        if found is not None:
            print(f"{self.name}, {name}: finished before", flush=True)
            return found
        print(f"{self.name}, {name}: running", flush=True)
        clock = Clock()
        result = run()
        result["minutes"] = clock.seconds / 60
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.json"
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps({"facts": dict(self.facts), "result": result}, indent=1) + "\n")
        draft.replace(path)
        return result

    def arms(
        self,
        names: Iterable[str],
        seeds: int,
        begin: Callable[[int, Path], Result],
        train: Callable[[str, int, Path], Result],
    ) -> dict[str, list[Result]]:
        """Run every arm under every seed, from a start that the arms of a seed share.

        Args:
            names: Names of the arms.
            seeds: Number of seeds, from 0.
            begin: Creates the start of a seed, saves it to a file and returns its quality as `before`.
            train: Trains one arm from that file.

        Returns:
            For each arm, a result for each seed, including `before`.
        """
        parts: dict[str, list[Result]] = {name: [] for name in names}
        for seed in range(seeds):
            path = self.folder / f"base-{seed}.pt"
            base = self.part(f"base-{seed}", partial(begin, seed, path))
            for name, found in parts.items():
                run = partial(train, name, seed, path)
                one = self.part(f"{name.replace(' ', '_')}-{seed}", run)
                found.append({"before": base["before"]} | one)
        return parts

    def every(
        self, names: Iterable[str], seeds: int, train: Callable[..., Result], *settings: Any
    ) -> dict[str, list[Result]]:
        """Run `train(name, seed, *settings)` for every name under every seed; the quick form has one seed."""
        under = range(1 if self.quick else seeds)
        return {
            name: [self.part(f"{name}-{seed}", partial(train, name, seed, *settings)) for seed in under]
            for name in names
        }

    def finish(self, summary: Result) -> None:
        """Write `results.json`, the source of docs/evidence.md."""
        self.folder.mkdir(parents=True, exist_ok=True)
        told = {
            "name": self.name,
            "command": " ".join(["python", *sys.argv]),
            "facts": dict(self.facts),
            "quick": self.quick,
        }
        (self.folder / "results.json").write_text(json.dumps(told | summary, indent=1) + "\n")
        print(f"{self.folder / 'results.json'}", flush=True)

    def curves(
        self,
        lines: Mapping[str, Sequence[Sequence[Sequence[float]]]],
        along: str,
        what: str,
        *,
        share: bool = True,
    ) -> None:
        """Draw `curves.svg`: for each name the mean over seeds, and the individual seeds in pale.

        Args:
            lines: Points (x, y) for each name and seed.
            along: Label of the x axis.
            what: Label of the y axis.
            share: True if y is between 0 and 1.
        """
        try:
            import matplotlib as mpl  # noqa: PLC0415
            from matplotlib.figure import Figure  # noqa: PLC0415
        except ModuleNotFoundError:
            print("no matplotlib here, so no curves", file=sys.stderr)
            return
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": self.name, "font.size": 10}):
            sheet = Figure(figsize=(7.2, 3.4))
            axes = sheet.add_subplot()
            for (name, seeds), colour in zip(lines.items(), COLOURS * 2, strict=False):
                for seed in seeds:
                    axes.plot(*zip(*seed, strict=True), color=colour, lw=0.7, alpha=0.35)
                # A seed's line is straight between its points; one that ended early keeps its last value.
                places = np.unique([point[0] for seed in seeds for point in seed])
                middle = np.mean([np.interp(places, *np.transpose(seed)) for seed in seeds], axis=0)
                axes.plot(places, middle, color=colour, lw=1.8, label=name)
            axes.set(xlabel=along, ylabel=what)
            if share:
                axes.set_ylim(-0.03, 1.03)
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color="#e6e6e6")
            axes.legend(frameon=False, fontsize=9)
            self.folder.mkdir(parents=True, exist_ok=True)
            sheet.savefig(
                self.folder / "curves.svg", metadata={"Date": None}, bbox_inches="tight", transparent=True
            )


def arguments(about: str, *, seeds: int = 3) -> argparse.ArgumentParser:
    """Return the command line arguments of every experiment."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--quick", action="store_true", help="the one-minute form, which checks that it learns"
    )
    parser.add_argument("--seeds", type=int, default=seeds, help="how many seeds, from 0")
    parser.add_argument("--out", type=Path, default=Path("runs/evidence"), help="where run folders are kept")
    return parser


def improves(what: str, before: float, after: float, by: float) -> None:
    """Exit with an error unless a number grew by at least `by`: the check of `make test-train`.

    Raises:
        SystemExit: It did not grow enough.
    """
    print(f"{what}: {before:.3f} before, {after:.3f} after", flush=True)
    if after < before + by:
        msg = f"{what} went from {before:.3f} to {after:.3f}, which is no gain of {by:.3f}"
        raise SystemExit(msg)


def mean(values: Iterable[float]) -> float:
    """Mean of some numbers, 0 if there are none."""
    found = list(values)
    return math.fsum(found) / len(found) if found else 0.0


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def spread(one: Mapping[str, Any]) -> str:
    """A mean over seeds, its interval, and the seeds."""
    seeds = ", ".join(f"{100 * value:.1f}" for value in one["seeds"])
    half = "" if one["half"] is None else f" ± {100 * one['half']:.1f}"
    return f"{percent(one['mean'])}{half} ({seeds})"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    lines = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def took(minutes: Iterable[float]) -> str:
    """Time of a run, from the fastest seed to the slowest."""
    found = list(minutes)
    unit, times = ("min", found) if max(found) >= 1 else ("s", [60 * one for one in found])
    ends = [f"{min(times):.1f}", f"{max(times):.1f}"]
    return f"{ends[0] if len(set(ends)) == 1 else ' to '.join(ends)} {unit}"
