"""Results of an evaluation: one row for each policy on each source."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol, Self, overload

from reasonenv import _checks
from reasonenv._intervals import clustered_interval
from reasonenv._records import InvalidRun
from reasonenv.rewards.groups import pass_at_k
from reasonenv.rollouts._run import read_json
from reasonenv.rollouts._samples import Group
from reasonenv.rollouts._trial import Clock


class SupplyFacts(Protocol):
    """Description of a source, for its rows."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def version(self) -> int | None: ...
    @property
    def level(self) -> int | None: ...
    @property
    def split(self) -> str | None: ...


@dataclass(frozen=True, kw_only=True)
class SummaryRow:
    """Results of one policy on one source."""

    source: str
    """Name of the source: its family's, unless the caller gave one."""
    family: str
    """The family; "several" for a mixture, and the id of an environment."""
    version: int | None
    """Version of the family, if there is one family."""
    level: int | None
    """The level, or None for custom params and given tasks."""
    split: str | None
    policy: str
    items: int
    distinct: int
    """Distinct problems among the items, by key. A level with fewer of them than items repeats itself, and
    tells less than its number of items suggests."""
    group_size: int
    """Rollouts per item, at most."""
    passed: int
    """Rollouts that passed; the other verified ones are in `failed`."""
    failed: int
    errors: int
    """Rollouts whose endpoint failed. No other number includes them."""
    pass_rate: float
    """Pass rate of verified rollouts; NaN (null in JSON) without any. So are the means and shares below."""
    interval: tuple[float, float]
    """95 % Wilson interval of the pass rate, over the effective sample; see `clustered_interval`. Items with
    the same key are one problem, asked several times."""
    format_rate: float
    """Share of the verified rollouts with an answer in the requested form, right or wrong."""
    pass_at: dict[int, float]
    """Unbiased pass@k for k = 1, 2, 4, … up to `group_size`, over items with at least k verified rollouts."""
    mean_score: float
    mean_reward: float
    parts: dict[str, float]
    """Mean of each part that the verifier measures, over all rollouts."""
    failures: dict[str, int]
    """Number of failed rollouts with each label, most common first; a rollout may have several."""
    failed_score: float | None
    """Mean score of the failed rollouts; None if none failed."""
    failed_parts: dict[str, float]
    """Mean of each part over the failed rollouts; empty if none failed."""
    all_passed: float
    """Share of the verified items with only passed rollouts."""
    all_failed: float
    """Share of the verified items with only failed rollouts."""
    mixed_passes: float
    """Share of the verified items with both passed and failed rollouts."""
    flat_reward: float
    """Share of the rewarded items whose rollouts all got the same reward and so give no gradient."""
    usage: dict[str, int]
    """Tokens of all rollouts as models count them: `prompt_tokens`, `completion_tokens`."""
    items_per_second: float | None
    """Speed of generation alone; None for given tasks, and if this session generated none."""
    verdicts_per_second: float | None
    """Speed of verification alone; None if this session verified nothing."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in `summary.json`."""
        record = asdict(self)
        return record | {name: None for name in _RATES if math.isnan(record[name])}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the output of `to_dict`, through JSON or not.

        Raises:
            InvalidRun: The record lacks a field or has a wrong value; names the field.
        """
        known: dict[str, Any] = {}
        for name in (item.name for item in fields(cls)):
            if not isinstance(record, Mapping) or name not in record:
                msg = f"a row has no `{name}`, which `to_dict` writes"
                raise InvalidRun(msg)
            known[name] = record[name]
        known |= {name: math.nan for name in _RATES if known[name] is None}
        name = "interval"
        try:
            low, high = known[name]
            known[name] = (float(low), float(high))
            name = "pass_at"
            known[name] = {int(k): float(rate) for k, rate in known[name].items()}
        except (TypeError, ValueError, AttributeError):
            msg = f"a row's `{name}` is {_checks.shown(record[name])}, which `to_dict` does not write"
            raise InvalidRun(msg) from None
        return cls(**known)


_RATES = (
    "pass_rate",
    "format_rate",
    "mean_score",
    "mean_reward",
    "all_passed",
    "all_failed",
    "mixed_passes",
    "flat_reward",
)
"""Fields that are undefined if nothing was verified."""


@dataclass(frozen=True)
class Summary(Sequence[SummaryRow]):
    """Result of an evaluation: one row for each policy on each source, in the requested order."""

    rows: tuple[SummaryRow, ...]
    config: Mapping[str, Any]
    """Arguments of the evaluation, as in `config.json`."""
    folder: Path | None = None
    """The run's folder, if it was saved."""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> SummaryRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SummaryRow, ...]: ...
    def __getitem__(self, index: int | slice) -> SummaryRow | tuple[SummaryRow, ...]:
        return self.rows[index]

    def __str__(self) -> str:
        """The results as a table of text."""
        lines: list[tuple[str, ...]] = [
            ("source", "level", "policy", "tasks", "passed", "95% interval", "score")
        ]
        for row in self.rows:
            level = "" if row.level is None else str(row.level)
            low, high = row.interval
            rates = (f"{row.pass_rate:.1%}", f"{100 * low:.1f}–{high:.1%}", f"{row.mean_score:.3f}")
            shown = (rate.replace("%", " %") for rate in rates)
            lines.append((row.source, level, row.policy, str(row.items), *shown))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        left = (0, 2)
        return "\n".join(
            "  ".join(
                cell.ljust(width) if at in left else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        )

    def find(
        self, source: str | None = None, policy: str | None = None, level: int | None = None
    ) -> tuple[SummaryRow, ...]:
        """Rows of a source, a policy, a level, or any combination of them."""
        return tuple(
            row
            for row in self.rows
            if source in (None, row.source) and policy in (None, row.policy) and level in (None, row.level)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in `summary.json`."""
        return {"config": dict(self.config), "rows": [row.to_dict() for row in self.rows]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], folder: Path | None = None) -> Self:
        """Read the output of `to_dict`, through JSON or not.

        Raises:
            InvalidRun: The record lacks a field or has a wrong value; names the field.
        """
        if not isinstance(record, Mapping):
            msg = f"a summary is {_checks.shown(record)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        rows, config = record.get("rows"), record.get("config")
        if not isinstance(rows, list) or not isinstance(config, Mapping):
            name, value = ("config", config) if isinstance(rows, list) else ("rows", rows)
            msg = f"a summary's `{name}` is {_checks.shown(value)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        return cls(tuple(map(SummaryRow.from_dict, rows)), config, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Summary of a finished run.

        Raises:
            InvalidRun: The folder holds no finished run, or its summary is damaged.
        """
        path = _checks.path("folder", folder) / "summary.json"
        if not path.exists():
            msg = f"{folder} holds no finished run, as it has no summary.json; evaluate into it to resume"
            raise InvalidRun(msg)
        record = read_json(path)
        try:
            return cls.from_dict(record, Path(folder))
        except InvalidRun as error:
            msg = f"{path} is damaged: {error}; evaluate with `overwrite` to make it anew"
            raise InvalidRun(msg) from None


@dataclass
class RowCounts:
    """Counts behind a row, added batch by batch."""

    supply: SupplyFacts
    policy: str
    clock: Clock = field(default_factory=Clock)
    passes: list[int] = field(default_factory=list)
    """Rollouts that passed, per item."""
    tries: list[int] = field(default_factory=list)
    """Rollouts that were verified, per item."""
    problems: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rollouts that passed, and that were verified, per key."""
    errors: int = 0
    paid: int = 0
    """Items with a rewarded rollout."""
    flat: int = 0
    score: float = 0.0
    reward: float = 0.0
    rewarded: int = 0
    parts: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    formed: int = 0
    """Rollouts with an answer in the requested form."""
    usage: Counter[str] = field(default_factory=Counter)
    failed_score: float = 0.0
    failed_parts: Counter[str] = field(default_factory=Counter)

    def add(self, groups: Iterable[Group]) -> None:
        """Count groups with all of their rollouts."""
        for group in groups:
            rewards = [sample.reward for sample in group.samples if sample.reward is not None]
            judged = [sample for sample in group.samples if sample.passed is not None]
            self.errors += sum(sample.error is not None for sample in group.samples)
            self.rewarded += len(rewards)
            self.reward += sum(rewards)
            self.paid += bool(rewards)
            self.flat += len(set(rewards)) == 1
            self.passes.append(sum(sample.passed is True for sample in judged))
            self.tries.append(len(judged))
            if judged:
                key = getattr(group.task, "key", None) or group.id
                passed, tried = self.problems.get(key, (0, 0))
                self.problems[key] = passed + self.passes[-1], tried + len(judged)
            for sample in group.samples:
                self.usage.update(sample.usage or {})
            for sample in judged:
                self.score += sample.score
                self.formed += sample.formed
                if sample.parts:
                    self.parts.update(sample.parts)
                if not sample.passed:
                    self.failures.update(sample.failures)
                    self.failed_score += sample.score
                    self.failed_parts.update(sample.parts)

    def row(self, generation: Clock) -> SummaryRow:
        """The row so far; `generation` timed the making of the items."""
        items = len(self.passes)
        most = max(self.tries, default=0)
        trials, passed = sum(self.tries), sum(self.passes)
        failed = trials - passed
        judged = [(n, c) for n, c in zip(self.tries, self.passes, strict=True) if n]
        all_passed = sum(c == n for n, c in judged)
        all_failed = sum(c == 0 for _, c in judged)
        return SummaryRow(
            source=self.supply.name,
            family=self.supply.family,
            version=self.supply.version,
            level=self.supply.level,
            split=self.supply.split,
            policy=self.policy,
            items=items,
            distinct=len(self.problems),
            group_size=most,
            passed=passed,
            failed=failed,
            errors=self.errors,
            pass_rate=_share(passed, trials),
            interval=clustered_interval(
                [c for c, _ in self.problems.values()], [n for _, n in self.problems.values()]
            ),
            format_rate=_share(self.formed, trials),
            pass_at={size: _pass_at(judged, size) for size in _sizes(most)},
            mean_score=_share(self.score, trials),
            mean_reward=_share(self.reward, self.rewarded),
            parts={name: total / trials for name, total in self.parts.items()},
            failures=dict(sorted(self.failures.items(), key=lambda label: (-label[1], label[0]))),
            failed_score=self.failed_score / failed if failed else None,
            failed_parts={name: total / failed for name, total in self.failed_parts.items()},
            all_passed=_share(all_passed, len(judged)),
            all_failed=_share(all_failed, len(judged)),
            mixed_passes=_share(len(judged) - all_passed - all_failed, len(judged)),
            flat_reward=_share(self.flat, self.paid),
            usage=dict(sorted(self.usage.items(), reverse=True)),
            items_per_second=generation.rate,
            verdicts_per_second=self.clock.rate,
        )


def _share(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def _sizes(most: int) -> list[int]:
    """1, 2, 4, …, and the maximum."""
    return sorted({2**power for power in range(most.bit_length())} | {most} - {0})


def _pass_at(judged: Sequence[tuple[int, int]], k: int) -> float:
    """Mean pass@k over the items with at least k rollouts."""
    rates = [pass_at_k(n, c, k) for n, c in judged if n >= k]
    return math.fsum(rates) / len(rates)
