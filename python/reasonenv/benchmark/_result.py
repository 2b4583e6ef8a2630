"""Result of a policy on a manifest, as plain data: written, compared, appended to a leaderboard."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from reasonenv import _checks
from reasonenv._native import InvalidArgument, __version__, family
from reasonenv._records import InvalidRun
from reasonenv.benchmark._answers import agreement, diversity
from reasonenv.benchmark._entries import Manifest, sha256
from reasonenv.benchmark._measures import (
    ItemRollouts,
    Read,
    blind_answers,
    cost,
    rate,
    shortcut,
    sizes,
    wordings,
)
from reasonenv.report._played import RESULTS, EpisodeCounts
from reasonenv.rollouts._run import read_json


@dataclass(frozen=True, kw_only=True)
class BenchmarkResult:
    """Result of one policy on one manifest."""

    manifest: str
    """Name and version."""
    manifest_digest: str
    preview: bool
    """True if the manifest may still change: compare the result only with those of the same digest."""
    policy: str
    policy_version: str | None
    rollouts: int
    """Rollouts requested per item."""
    reading: str | None
    """Reading of the answers; None is each family's own reading."""
    reasonenv: str
    overall: dict[str, Any]
    """Pass rate, pass@k and maj@k, with the same weight for every entry; without held-out wordings. And of
    several rollouts of an item the entropy of their answers, and the share of its right answers found."""
    domains: dict[str, dict[str, Any]]
    entries: dict[str, dict[str, Any]]
    """The same for each entry, including held-out wordings."""
    wording: dict[str, Any]
    """The same problems in a usual and in a held-out wording, and the paired difference."""
    size: dict[str, Any]
    """Levels allowed for training, and levels above."""
    shortcut: dict[str, Any]
    """Overlap between its passes and those of a blind policy, and agreement with wrong shortcuts."""
    games: dict[str, dict[str, Any]]
    """Shares of wins, draws and losses in each entry, with intervals."""
    cost: dict[str, Any]
    traces: str
    """SHA-256 over the completions: anyone with the traces can check it."""

    @property
    def pass_rate(self) -> float:
        """The overall pass rate; in games the mean share of wins, with draws as half a win."""
        found = self.overall["rate"]
        return float(found)

    @property
    def digest(self) -> str:
        """SHA-256 over the whole result."""
        return sha256(self.to_dict())

    @property
    def adds_up(self) -> bool:
        """True if the overall rate follows from those of the entries."""
        rates = [one["rate"] for name, one in self.entries.items() if "/" not in name]
        rates = rates or [one["score"] for one in self.games.values()]
        return bool(rates) and math.isclose(self.pass_rate, math.fsum(rates) / len(rates), abs_tol=1e-9)

    def brief(self) -> Self:
        """The result with only the counts of each entry, as in a leaderboard."""
        kept = ("items", "rollouts", "passed", "rate")
        entries = {name: {key: one[key] for key in kept} for name, one in self.entries.items()}
        return replace(self, entries=entries)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in `result.json`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the output of `to_dict`.

        Raises:
            InvalidRun: The record lacks a field or has a wrong value; names the field.
        """
        if not isinstance(record, Mapping):
            msg = f"a result is {_checks.shown(record)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        known = [item.name for item in fields(cls)]
        for name in known:
            if name not in record:
                msg = f"a result has no `{name}`, which `to_dict` writes"
                raise InvalidRun(msg)
        overall = record["overall"]
        if not isinstance(overall, Mapping) or not _is_share(overall.get("rate")):
            msg = f"a result's `overall` is {_checks.shown(overall)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        return cls(**{name: record[name] for name in known})

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Result of a finished benchmark.

        Raises:
            InvalidRun: The folder holds no result, or a damaged one.
        """
        path = _checks.path("folder", folder) / "result.json"
        if not path.exists():
            msg = f"{folder} holds no finished benchmark, as it has no result.json; run it again to resume"
            raise InvalidRun(msg)
        return cls.from_dict(read_json(path))

    def __repr__(self) -> str:
        return f"<BenchmarkResult of {self.policy} on {self.manifest}: {100 * self.pass_rate:.1f} %>"


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def measured(
    manifest: Manifest,
    facts: Mapping[str, Any],
    tasks: Iterable[Mapping[str, Any]],
    games: Iterable[Mapping[str, Any]],
) -> BenchmarkResult:
    """Result of traces; `facts` describe the policy and the settings of the run.

    Raises:
        InvalidArgument: An item of the manifest has no verified rollout.
    """
    read = Read().read(tasks)
    played, read_games = _played(games)
    by_entry: dict[str, list[ItemRollouts]] = defaultdict(list)
    for (name, _), tally in read.items.items():
        by_entry[name].append(tally)
    for entry in manifest.items:
        if len(by_entry[entry.name]) < entry.count:
            msg = f"{entry.name} has {len(by_entry[entry.name])} of {entry.count} items judged; run it again"
            raise InvalidArgument(msg)
    usual = [entry for entry in manifest.items if not entry.held_out]
    domains: dict[str, list[ItemRollouts]] = defaultdict(list)
    for entry in usual:
        domains[family(entry.family).domain] += by_entry[entry.name]
    blind = {entry.name: blind_answers(entry) for entry in manifest.items}
    overall = rate([tally for entry in usual for tally in by_entry[entry.name]])
    overall |= diversity(read, usual)
    if not usual:
        scores = [one["score"] for one in played.values()]
        overall |= {"rate": sum(scores) / len(scores)}
    read.digests += read_games.digests
    for name in ("rollouts", "errors", "seconds", "characters", "counted"):
        setattr(read, name, getattr(read, name) + getattr(read_games, name))
    for name, count in read_games.usage.items():
        read.usage[name] += count
    return BenchmarkResult(
        manifest=str(manifest),
        manifest_digest=manifest.digest,
        preview=manifest.preview,
        **facts,
        reasonenv=__version__,
        overall=overall,
        domains={name: rate(tallies) for name, tallies in sorted(domains.items())},
        entries={entry.name: rate(by_entry[entry.name]) for entry in manifest.items},
        wording=wordings(read, manifest.items),
        size=sizes(read, manifest.items, manifest.trained_levels),
        shortcut=shortcut(read, blind) | {"agreement": agreement(read, usual)},
        games=played,
        cost=cost(read),
        traces=read.digest,
    )


def _played(records: Iterable[Mapping[str, Any]]) -> tuple[dict[str, dict[str, Any]], Read]:
    """Episodes of games by entry, and their cost."""
    episodes: dict[str, EpisodeCounts] = defaultdict(EpisodeCounts)
    read = Read()
    for record in records:
        if record["reward"] is not None:
            episodes[str(record["source"])].add(record)
        # A game has no verdict of a verifier: a played episode counts as one.
        read.read([dict(record) | {"verdict": None if record["reward"] is None else {"passed": False}}])
    found = {}
    for name, one in sorted(episodes.items()):
        shares = {result: one.share(result) for result in RESULTS}
        found[name] = {
            "episodes": one.count,
            "score": shares["win"] + shares["draw"] / 2,
            "shares": shares,
            "intervals": {result: list(one.interval(result)) for result in RESULTS},
        }
    return found, read


def transfer(results: Mapping[str, BenchmarkResult | str | Path], by: str = "family") -> dict[str, Any]:
    """Transfer matrix: pass rate of each policy, by what it was trained on, for each family or domain.

    Args:
        results: Results, or folders of benchmarks, by the training data of their policies.
        by: "family" or "domain": the columns.

    Returns:
        `{"trained": rows, "tested": columns, "rates": rates[row][column], "intervals": …}`, without held-out
        wordings; None if a row was not tested on a column.

    Raises:
        InvalidArgument: The results are of different manifests, or there are none.
        UnknownName: `by` is neither of them.
    """
    _checks.one_of("by", by, ["family", "domain"])
    loaded = {
        name: one if isinstance(one, BenchmarkResult) else BenchmarkResult.load(one)
        for name, one in (_checks_results(results)).items()
    }
    manifests = {one.manifest_digest for one in loaded.values()}
    if len(manifests) > 1:
        told = ", ".join(sorted({one.manifest for one in loaded.values()}))
        msg = f"`results` are of different manifests ({told}), but a matrix needs one and the same"
        raise InvalidArgument(msg)
    rows: list[dict[str, tuple[float, list[float]]]] = []
    for one in loaded.values():
        cells: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for name, entry in one.entries.items():
            if "/" not in name:
                kind = name.partition("@")[0]
                cells[kind if by == "family" else family(kind).domain].append(entry)
        rows.append({name: _pooled(some) for name, some in cells.items()})
    tested = sorted({name for row in rows for name in row})
    return {
        "trained": list(loaded),
        "tested": tested,
        "rates": [[row[name][0] if name in row else None for name in tested] for row in rows],
        "intervals": [[row[name][1] if name in row else None for name in tested] for row in rows],
    }


def _checks_results(results: object) -> Mapping[str, BenchmarkResult | str | Path]:
    if not isinstance(results, Mapping) or not results:
        msg = f"`results` is {_checks.shown(results)}, but must be a mapping from names to results"
        raise InvalidArgument(msg)
    return results


def _pooled(entries: Sequence[Mapping[str, Any]]) -> tuple[float, list[float]]:
    """Mean pass rate of entries with equal weights, and the interval that follows from theirs."""
    mean = sum(entry["rate"] for entry in entries) / len(entries)
    half = [(entry["interval"][1] - entry["interval"][0]) / 2 for entry in entries]
    spread = sum(one * one for one in half) ** 0.5 / len(entries)
    return mean, [max(0.0, mean - spread), min(1.0, mean + spread)]
