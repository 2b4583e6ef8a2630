"""What an evaluation came to: a row for each policy on each source."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, overload

from reasonenv import _checks
from reasonenv.rewards.groups import pass_at_k
from reasonenv.rollouts.run import InvalidRun, read_json
from reasonenv.rollouts.sources import Supply
from reasonenv.rollouts.stats import clustered_interval
from reasonenv.rollouts.trial import Clock

__all__ = ["Row", "Summary", "Tally"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one policy came to on one source."""

    source: str
    """The source's name: its family's, unless the caller gave one."""
    family: str
    version: int
    level: int | None
    """The level, or None for params or tasks of one's own."""
    split: str | None
    policy: str
    items: int
    rollouts: int
    """Rollouts per item."""
    passed: int
    """Rollouts that passed, of `items * rollouts`; the others are `failed`."""
    failed: int
    pass_rate: float
    interval: tuple[float, float]
    """95 % interval of the pass rate: Wilson's, over the effective sample; see `clustered_interval`."""
    pass_at: dict[int, float]
    """Unbiased pass@k for k = 1, 2, 4, … up to `rollouts`."""
    mean_score: float
    mean_reward: float
    parts: dict[str, float]
    """Mean of each part the judge measures, over all rollouts."""
    failures: dict[str, int]
    """How many failed rollouts have each label, commonest first; a rollout may have several."""
    failed_score: float | None
    """Mean score of the failed rollouts; None where none failed."""
    failed_parts: dict[str, float]
    """Mean of each part over the failed rollouts; empty where none failed."""
    all_passed: float
    """Share of the items all of whose rollouts passed."""
    all_failed: float
    """Share of the items none of whose rollouts passed."""
    mixed_passes: float
    """Share of the items some of whose rollouts passed and some failed."""
    flat_reward: float
    """Share of the items whose rollouts all got the same reward: they teach nothing."""
    items_per_second: float | None
    """Generation alone; None for tasks of one's own and where nothing was generated in this session."""
    verdicts_per_second: float | None
    """Verification alone; None where nothing was verified in this session."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `summary.json` has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote, through JSON or not.

        Raises:
            InvalidRun: It is no such record; names the field.
        """
        known: dict[str, Any] = {}
        for name in (item.name for item in fields(cls)):
            if not isinstance(record, Mapping) or name not in record:
                msg = f"a row has no `{name}`, which `to_dict` writes"
                raise InvalidRun(msg)
            known[name] = record[name]
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


@dataclass(frozen=True)
class Summary(Sequence[Row]):
    """The result of an evaluation: a row for each policy on each source, in the order asked for."""

    rows: tuple[Row, ...]
    config: Mapping[str, Any]
    """What was asked, as `config.json` has it."""
    folder: Path | None = None
    """The run's folder, if it was logged."""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def find(
        self, source: str | None = None, policy: str | None = None, level: int | None = None
    ) -> tuple[Row, ...]:
        """The rows of a source, a policy, a level, or all that is given of these."""
        return tuple(
            row
            for row in self.rows
            if source in (None, row.source) and policy in (None, row.policy) and level in (None, row.level)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `summary.json` has it."""
        return {"config": dict(self.config), "rows": [row.to_dict() for row in self.rows]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], folder: Path | None = None) -> Self:
        """Reads what `to_dict` wrote, through JSON or not.

        Raises:
            InvalidRun: It is no such record; names the field.
        """
        if not isinstance(record, Mapping):
            msg = f"a summary is {_checks.shown(record)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        rows, config = record.get("rows"), record.get("config")
        if not isinstance(rows, list) or not isinstance(config, Mapping):
            name, value = ("config", config) if isinstance(rows, list) else ("rows", rows)
            msg = f"a summary's `{name}` is {_checks.shown(value)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        return cls(tuple(map(Row.from_dict, rows)), config, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The summary of a finished run.

        Raises:
            InvalidRun: There is no finished run in the folder, or its summary is damaged.
        """
        path = _checks.path("folder", folder) / "summary.json"
        if not path.exists():
            msg = f"{folder} holds no finished run, as it has no summary.json; evaluate with it to go on"
            raise InvalidRun(msg)
        record = read_json(path)
        try:
            return cls.from_dict(record, Path(folder))
        except InvalidRun as error:
            msg = f"{path} is damaged: {error}; evaluate with `overwrite` to make it anew"
            raise InvalidRun(msg) from None


@dataclass
class Tally:
    """What a row is made of, counted batch by batch."""

    supply: Supply
    policy: str
    rollouts: int
    clock: Clock = field(default_factory=Clock)
    passes: list[int] = field(default_factory=list)
    """Rollouts that passed, of each item."""
    flat: int = 0
    score: float = 0.0
    reward: float = 0.0
    parts: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    failed_score: float = 0.0
    failed_parts: Counter[str] = field(default_factory=Counter)

    def add(self, groups: Iterable[list[dict[str, Any]]]) -> None:
        """Counts the records of items, all rollouts of each."""
        for group in groups:
            verdicts = [record["verdict"] for record in group]
            self.passes.append(sum(verdict["passed"] for verdict in verdicts))
            self.flat += len({record["reward"] for record in group}) == 1
            self.reward += sum(record["reward"] for record in group)
            for verdict in verdicts:
                self.score += verdict["score"]
                self.parts.update(verdict["parts"])
                if not verdict["passed"]:
                    self.failures.update(verdict["failures"])
                    self.failed_score += verdict["score"]
                    self.failed_parts.update(verdict["parts"])

    def row(self, generation: Clock) -> Row:
        """The row so far; `generation` timed how the items were made."""
        items, k = len(self.passes), self.rollouts
        trials, passed = items * k, sum(self.passes)
        failed = trials - passed
        all_passed, all_failed = self.passes.count(k), self.passes.count(0)
        return Row(
            source=self.supply.name,
            family=self.supply.family.name,
            version=self.supply.family.version,
            level=self.supply.level,
            split=self.supply.split,
            policy=self.policy,
            items=items,
            rollouts=k,
            passed=passed,
            failed=failed,
            pass_rate=passed / trials,
            interval=clustered_interval(self.passes, k),
            pass_at={
                size: math.fsum(pass_at_k(k, count, size) for count in self.passes) / items
                for size in sorted({2**power for power in range(k.bit_length())} | {k})
            },
            mean_score=self.score / trials,
            mean_reward=self.reward / trials,
            parts={name: total / trials for name, total in self.parts.items()},
            failures=dict(sorted(self.failures.items(), key=lambda label: (-label[1], label[0]))),
            failed_score=self.failed_score / failed if failed else None,
            failed_parts={name: total / failed for name, total in self.failed_parts.items()},
            all_passed=all_passed / items,
            all_failed=all_failed / items,
            mixed_passes=(items - all_passed - all_failed) / items,
            flat_reward=self.flat / items,
            items_per_second=generation.rate,
            verdicts_per_second=self.clock.rate,
        )
