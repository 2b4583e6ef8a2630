"""Evaluation: policies against sources of tasks, judged in Rust, logged rollout by rollout.

>>> from reasonenv.rollout.engine import evaluate
>>> summary = evaluate("chain_sum", ["oracle", "empty"], n=50)
>>> [(row.policy, row.pass_rate) for row in summary]
[('oracle', 1.0), ('empty', 0.0)]
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypeAlias, overload

from reasonenv import _checks
from reasonenv._native import Family, Source, Task, __version__, list_readings
from reasonenv.rollout.policies import Policy
from reasonenv.rollout.records import Clock, Items, Trial, earlier, version_of
from reasonenv.rollout.run import InvalidRun, Run, read_json
from reasonenv.rollout.sources import Reward, Supply, answerers, check_reward, levels_of, supplies
from reasonenv.rollout.stats import clustered_interval, pass_at_k
from reasonenv.types import FamilyName, ReadingName, SplitName

__all__ = ["Progress", "Reward", "Row", "SourceLike", "Summary", "evaluate"]

SourceLike: TypeAlias = FamilyName | Family | Source | Sequence[Task]
"""What tasks are taken from: a family by name or itself, a source, or tasks of one family."""

LARGEST_BATCH = 1_000_000
"""The most items that a policy is given at once, all of which are held."""

LARGEST_GROUP = 10_000
"""The most rollouts of an item, which are held until all of them are judged."""


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
    all_right: float
    """Share of the items all of whose rollouts passed."""
    all_wrong: float
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


@dataclass(frozen=True)
class Progress:
    """How far an evaluation has come."""

    source: str
    policy: str
    done: int
    """Rollouts judged so far, those of an earlier session among them."""
    total: int


def evaluate(
    sources: SourceLike | Sequence[SourceLike] | Mapping[str, SourceLike],
    policies: str | Policy | Sequence[str | Policy] | Mapping[str, str | Policy] = ("oracle",),
    n: int = 100,
    rollouts: int = 1,
    *,
    level: int | Sequence[int] = 0,
    params: dict[str, Any] | None = None,
    split: SplitName = "eval",
    seed: int = 0,
    style: dict[str, Any] | None = None,
    reading: ReadingName | None = None,
    reward: str | Reward = "passed",
    batch_size: int = 256,
    run: str | Path | None = None,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Lets every policy answer the same items of every source, and judges the answers.

    Args:
        sources: A family by name or itself, a `Source`, or tasks of one family (a `Batch`, a list); one of
            them, a sequence of them, or a mapping that names them.
        policies: Names of built-in policies or callables of (tasks, rollout); one, several, or a mapping that
            names them.
        n: Items per source, the first n; a list of tasks may be shorter.
        rollouts: Completions per item, at most 10,000; together they are a group.
        level: A level or several, for families. So are `params`, `split`, `seed` and `style`.
        params: Overrides the level's params.
        split: "train", "eval" or "test".
        seed: Decides the items, and what is random in built-in policies.
        style: Wording, as `Family.source` takes it.
        reading: How answers are read: "clean", "strict" or "lenient"; None is each family's own.
        reward: "passed" (1 or 0), "score", a part the judge measures, or a callable of (task, completion,
            verdict). Advantages and `flat_reward` are of this reward; `passed` stays the judge's.
        batch_size: Items given to a policy at once. It changes no result of a built-in policy.
        run: A folder to log to. A run that was killed goes on; a finished one is returned as it is.
        overwrite: Drops a run that is in the folder already.
        on_progress: Called after each batch of each policy.

    Returns:
        A row for each policy on each source.

    Raises:
        ReasonEnvError: An argument is not what it must be, or a policy or reward gave what it must not;
            names it.
        InvalidRun: The folder holds a run with another config, or another process is writing there.
        OSError: The folder cannot be written; names the path. What was judged before stays.

    An error that a policy, a reward or `on_progress` raises comes out as it is. The same call then goes on.
    """
    n = _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
    rollouts = _checks.whole("rollouts", rollouts, 1, LARGEST_GROUP)
    batch_size = _checks.whole("batch_size", batch_size, 1, LARGEST_BATCH)
    seed = _checks.seed("seed", seed)
    if reading is not None and reading not in list_readings():
        raise _checks.unknown("reading", reading, list_readings())
    if on_progress is not None:
        _checks.function("on_progress", on_progress, "a callable of a `Progress`, or None")
    folder = None if run is None else _checks.path("run", run)
    _checks.flag("overwrite", overwrite)
    asked = {
        "params": _checks.mapping("params", params),
        "split": _checks.text("split", split),
        "seed": seed,
        "style": _checks.mapping("style", style),
    }
    sought = supplies(sources, n, levels_of(level), asked)
    asking = answerers(policies, seed)
    for supply in sought:
        check_reward(reward, supply.family)
    config = {
        "reasonenv": __version__,
        "sources": [supply.config for supply in sought],
        "policies": [{"name": name, "version": version_of(policy)} for name, policy in asking.items()],
        "rollouts": rollouts,
        "reading": reading,
        "reward": reward if isinstance(reward, str) else _name(reward),
        "seed": seed,
    }
    with nullcontext() if folder is None else Run(folder, config, overwrite=overwrite) as log:
        if log is not None and log.finished:
            return Summary.load(log.folder)
        before = earlier(log)
        total = sum(supply.count for supply in sought) * len(asking) * rollouts
        done = 0
        rows: list[Row] = []
        for supply in sought:
            generation = Clock()
            tallies = {name: _Tally(supply, name, rollouts) for name in asking}
            for start in range(0, supply.count, batch_size):
                with generation.timed(min(batch_size, supply.count - start)) as count:
                    tasks = supply.batch(start, count)
                items = Items(supply, tasks)
                for name, policy in asking.items():
                    known = before.get((supply.name, name), {})
                    trial = Trial(name, policy, rollouts, reading, reward)
                    fresh, groups = trial.judge(items, known, tallies[name].clock)
                    if log is not None:
                        log.append(fresh)
                    tallies[name].add(groups)
                    done += len(tasks) * rollouts
                    if on_progress is not None:
                        on_progress(Progress(supply.name, name, done, total))
            rows += [tally.row(generation if supply.draws else Clock()) for tally in tallies.values()]
        summary = Summary(tuple(rows), config, None if log is None else log.folder)
        if log is not None:
            log.finish(summary.to_dict())
    return summary


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


@dataclass
class _Tally:
    """What a row is made of."""

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
        for group in groups:
            self.passes.append(sum(record["verifier"]["passed"] for record in group))
            self.flat += len({record["reward"] for record in group}) == 1
            for record in group:
                score = record["verifier"]["score"]
                self.score += score
                self.reward += record["reward"]
                self.parts.update(record["reward_parts"])
                if not record["verifier"]["passed"]:
                    self.failures.update(record["failure_types"])
                    self.failed_score += score
                    self.failed_parts.update(record["reward_parts"])

    def row(self, generation: Clock) -> Row:
        items, k = len(self.passes), self.rollouts
        trials, passed = items * k, sum(self.passes)
        failed = trials - passed
        right, wrong = self.passes.count(k), self.passes.count(0)
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
            all_right=right / items,
            all_wrong=wrong / items,
            mixed_passes=(items - right - wrong) / items,
            flat_reward=self.flat / items,
            items_per_second=generation.rate,
            verdicts_per_second=self.clock.rate,
        )
