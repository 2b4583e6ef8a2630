"""Evaluation: policies against sources of tasks, judged in Rust, logged rollout by rollout.

>>> from reasonenv.evaluate import evaluate
>>> summary = evaluate("chain_sum", ["oracle", "empty"], n=50)
>>> [(row.policy, row.pass_rate) for row in summary]
[('oracle', 1.0), ('empty', 0.0)]
"""

import difflib
import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypeAlias, overload

from reasonenv._native import (
    Batch,
    Family,
    InvalidParams,
    InvalidTask,
    ReasonEnvError,
    Source,
    Task,
    UnknownName,
    Verdict,
    __version__,
    family,
    list_readings,
)
from reasonenv.policies import Policy, make_policy, policy_name
from reasonenv.runs import Run
from reasonenv.stats import clustered_interval, group_advantages, pass_at_k

__all__ = ["Progress", "Reward", "Row", "SourceLike", "Summary", "evaluate"]

SourceLike: TypeAlias = str | Family | Source | Sequence[Task]
"""What tasks are taken from: a family by name or itself, a source, or tasks of one family."""

Reward: TypeAlias = Callable[[Task, str, Verdict], float]
"""A reward of a caller's own: of a task, a completion and the verdict on it."""


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
        """Reads what `to_dict` wrote, through JSON or not."""
        known = {name: record[name] for name in (item.name for item in fields(cls))}
        low, high = known["interval"]
        known["interval"] = (low, high)
        known["pass_at"] = {int(k): rate for k, rate in known["pass_at"].items()}
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
        """Reads what `to_dict` wrote, through JSON or not."""
        return cls(tuple(Row.from_dict(row) for row in record["rows"]), record["config"], folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The summary of a finished run.

        Raises:
            ReasonEnvError: There is no finished run in the folder.
        """
        path = Path(folder) / "summary.json"
        if not path.exists():
            msg = f"{folder} holds no finished run: it has no summary.json"
            raise ReasonEnvError(msg)
        return cls.from_dict(json.loads(path.read_bytes()), Path(folder))


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
    split: str = "eval",
    seed: int = 0,
    style: dict[str, Any] | None = None,
    reading: str | None = None,
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
        rollouts: Completions per item; together they are a group.
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
        ReasonEnvError: An unknown family, policy or part; a policy that gives too few or too many
            completions.
        InvalidRun: The folder holds a run with another config.
    """
    _check_counts(n=n, rollouts=rollouts, batch_size=batch_size)
    if reading is not None and reading not in list_readings():
        msg = f"no reading `{reading}`; there are {', '.join(list_readings())}"
        raise UnknownName(msg)
    levels = [level] if isinstance(level, int) else list(level)
    supplies = _supplies(sources, n, levels, {"params": params, "split": split, "seed": seed, "style": style})
    answerers = _answerers(policies, seed)
    for supply in supplies:
        _check_reward(reward, supply.family)
    config = {
        "reasonenv": __version__,
        "sources": [supply.config for supply in supplies],
        "policies": [{"name": name, "version": _version(policy)} for name, policy in answerers.items()],
        "rollouts": rollouts,
        "reading": reading,
        "reward": reward if isinstance(reward, str) else _name(reward),
        "seed": seed,
    }
    with nullcontext() if run is None else Run(run, config, overwrite=overwrite) as log:
        if log is not None and (finished := log.summary) is not None:
            return Summary.from_dict(finished, log.folder)
        earlier = _earlier(log)
        total = sum(supply.count for supply in supplies) * len(answerers) * rollouts
        done = 0
        rows: list[Row] = []
        for supply in supplies:
            generation = _Clock()
            tallies = {name: _Tally(supply, name, rollouts) for name in answerers}
            for start in range(0, supply.count, batch_size):
                with generation.timed(min(batch_size, supply.count - start)) as count:
                    tasks = supply.batch(start, count)
                items = _Items(supply, tasks)
                for name, policy in answerers.items():
                    known = earlier.get((supply.name, name), {})
                    trial = _Trial(name, policy, rollouts, reading, reward)
                    fresh, groups = trial.judge(items, known, tallies[name].clock)
                    if log is not None:
                        log.append(fresh)
                    tallies[name].add(groups)
                    done += len(tasks) * rollouts
                    if on_progress is not None:
                        on_progress(Progress(supply.name, name, done, total))
            rows += [tally.row(generation if supply.draws else _Clock()) for tally in tallies.values()]
        summary = Summary(tuple(rows), config, None if log is None else log.folder)
        if log is not None:
            log.finish(summary.to_dict())
    return summary


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            msg = f"`{name}` is {value}, but must be at least 1"
            raise InvalidParams(msg)


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _version(policy: Policy) -> str | None:
    """A policy's own `version`, if it has one: a model's checkpoint, for instance."""
    version = getattr(policy, "version", None)
    return None if version is None else str(version)


@dataclass(frozen=True)
class _Supply:
    """A named source of `count` tasks."""

    name: str
    family: Family
    level: int | None
    split: str | None
    count: int
    config: Mapping[str, Any]
    draws: bool
    """Whether tasks are generated, rather than given."""
    batch: Callable[[int, int], Sequence[Task]]


def _supplies(sources: Any, n: int, levels: Sequence[int], ask: dict[str, Any]) -> list[_Supply]:
    """Every source by name and level, in the order given."""
    one = isinstance(sources, str | Family | Source | Batch) or _are_tasks(sources)
    named: list[tuple[str | None, Any]]
    if isinstance(sources, Mapping):
        named = list(sources.items())
    else:
        named = [(None, source) for source in ([sources] if one else sources)]
    supplies = []
    for name, source in named:
        if isinstance(source, str | Family):
            kind = family(source) if isinstance(source, str) else source
            supplies += [_drawn(name, kind.source(level=level, **ask), n) for level in levels]
        elif isinstance(source, Source):
            supplies.append(_drawn(name, source, n))
        else:
            supplies.append(_given(name, source, n))
    if not supplies:
        msg = "`sources` is empty, but must name at least one"
        raise InvalidParams(msg)
    twice = Counter((supply.name, supply.level) for supply in supplies).most_common(1)[0]
    if twice[1] > 1:
        msg = f"{twice[1]} sources are called `{twice[0][0]}`; name them by giving a mapping"
        raise InvalidParams(msg)
    return supplies


def _are_tasks(given: Any) -> bool:
    return isinstance(given, Sequence) and len(given) > 0 and isinstance(given[0], Task)


def _drawn(name: str | None, source: Source, n: int) -> _Supply:
    kind = source.family
    name = name or kind.name
    config = {
        "name": name,
        "family": kind.name,
        "version": kind.version,
        "level": source.level,
        "params": source.params,
        "split": source.split,
        "seed": source.seed,
        "style": source.style,
        "items": n,
    }
    return _Supply(name, kind, source.level, source.split, n, config, True, source.batch)


def _given(name: str | None, tasks: Sequence[Task], n: int) -> _Supply:
    """Tasks of one's own, a batch as it is."""
    if not _are_tasks(tasks):
        msg = "a source is neither a family, nor a `Source`, nor a sequence of at least one task"
        raise InvalidParams(msg)
    families = sorted({task.family for task in tasks})
    if len(families) > 1:
        msg = f"one source has tasks of {', '.join(families)}; give a mapping with a source for each"
        raise InvalidTask(msg)
    chosen = tasks[:n] if len(tasks) > n else tasks
    ids = [task.id for task in chosen]
    twice, times = Counter(ids).most_common(1)[0]
    if times > 1:
        msg = f"the id `{twice}` comes {times} times in a source, but ids must differ"
        raise InvalidTask(msg)
    digest = hashlib.sha256()
    for task in chosen:
        digest.update(json.dumps([task.id, task.key, task.prompt]).encode())
    kind = family(families[0])
    levels = {task.level for task in chosen}
    splits = {task.split for task in chosen}
    level = levels.pop() if len(levels) == 1 else None
    split = splits.pop() if len(splits) == 1 else None
    name = name or kind.name
    config = {
        "name": name,
        "family": kind.name,
        "version": kind.version,
        "level": level,
        "split": split,
        "items": len(chosen),
        "digest": digest.hexdigest(),
    }

    def batch(start: int, count: int) -> Sequence[Task]:
        return chosen if count == len(chosen) else chosen[start : start + count]

    return _Supply(name, kind, level, split, len(chosen), config, False, batch)


def _answerers(policies: Any, seed: int) -> dict[str, Policy]:
    """Every policy by name, in the order given."""
    if isinstance(policies, Mapping):
        pairs = list(policies.items())
    else:
        many = [policies] if isinstance(policies, str) or callable(policies) else policies
        pairs = [(None, policy) for policy in many]
    answerers: dict[str, Policy] = {}
    for given, policy in pairs:
        answerer = make_policy(policy, seed=seed) if isinstance(policy, str) else policy
        name = given or policy_name(answerer)
        if name in answerers:
            msg = f"two policies are called `{name}`; name them by giving a mapping"
            raise InvalidParams(msg)
        answerers[name] = answerer
    if not answerers:
        msg = "`policies` is empty, but must name at least one"
        raise InvalidParams(msg)
    return answerers


def _check_reward(reward: str | Reward, kind: Family) -> None:
    if callable(reward):
        return
    known = ["passed", "score", *kind.parts]
    if reward not in known:
        near = difflib.get_close_matches(reward, known, n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        msg = f"{kind.name}: no reward `{reward}`; {hint}There are {', '.join(known)}"
        raise UnknownName(msg)


_Known: TypeAlias = dict[tuple[str, int], dict[str, Any]]
"""Records of an earlier session, by task id and rollout."""


def _earlier(log: Run | None) -> dict[tuple[str, str], _Known]:
    """What a run holds already, by source and policy, without the texts."""
    earlier: dict[tuple[str, str], _Known] = {}
    kept = ("reward", "reward_parts", "verifier", "failure_types")
    for record in log.records() if log is not None else ():
        known = earlier.setdefault((record["source"], record["policy"]), {})
        known[record["task_id"], record["rollout"]] = {name: record[name] for name in kept}
    return earlier


class _Clock:
    """How many things were done in how much time."""

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0

    @contextmanager
    def timed(self, count: int) -> Iterator[int]:
        start = time.perf_counter()
        yield count
        self.seconds += time.perf_counter() - start
        self.count += count

    @property
    def rate(self) -> float | None:
        return self.count / self.seconds if self.seconds > 0 else None


class _Items:
    """A batch of tasks with what every record of them repeats."""

    def __init__(self, supply: _Supply, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.ids = Batch(tasks).ids
        self._supply = supply
        self._facts: list[dict[str, Any]] = []

    def facts(self, i: int) -> dict[str, Any]:
        """The fields of a record that follow from the task alone."""
        if not self._facts:
            tasks, kind = self.tasks, self._supply.family
            prompts = Batch(tasks).prompts
            self._facts = [
                {
                    "task_id": task.id,
                    "source": self._supply.name,
                    "family": kind.name,
                    "domain": kind.domain,
                    "level": task.level,
                    "difficulty": task.difficulty,
                    "split": task.split,
                    "seed": task.seed,
                    "prompt": prompt,
                }
                for task, prompt in zip(tasks, prompts, strict=True)
            ]
        return self._facts[i]


def _judged(
    tasks: Sequence[Task], texts: Sequence[str], reading: str | None, clock: _Clock
) -> Sequence[Verdict]:
    batch = Batch(tasks)
    with clock.timed(len(texts)):
        return batch.verify(texts, reading)


@dataclass(frozen=True)
class _Trial:
    """A policy's rollouts over batches of tasks."""

    name: str
    policy: Policy
    rollouts: int
    reading: str | None
    reward: str | Reward

    def judge(
        self, items: _Items, known: _Known, clock: _Clock
    ) -> tuple[list[dict[str, Any]], list[list[dict[str, Any]]]]:
        """Asks for what is not known yet; gives the fresh records, and all of them by group."""
        groups: list[list[dict[str, Any]]] = [[] for _ in items.ids]
        fresh: list[list[dict[str, Any]]] = [[] for _ in items.ids]
        for rollout in range(self.rollouts):
            missing = [i for i, task_id in enumerate(items.ids) if (task_id, rollout) not in known]
            whole = len(missing) == len(items.ids)
            tasks = items.tasks if whole else [items.tasks[i] for i in missing]
            before = time.perf_counter()
            texts = list(self.policy(tasks, rollout)) if missing else []
            seconds = (time.perf_counter() - before) / max(1, len(missing))
            if len(texts) != len(tasks):
                msg = f"policy `{self.name}` gave {len(texts)} completions for {len(tasks)} tasks"
                raise ReasonEnvError(msg)
            verdicts = _judged(tasks, texts, self.reading, clock) if missing else []
            for i, task, text, verdict in zip(missing, tasks, texts, verdicts, strict=True):
                record = self._record(items.facts(i), task, text, verdict)
                record |= {"rollout": rollout, "seconds": seconds}
                fresh[i].append(record)
            for i, task_id in enumerate(items.ids):
                groups[i].append(known.get((task_id, rollout)) or fresh[i][-1])
        advantages = group_advantages([[record["reward"] for record in group] for group in groups])
        for of_group, records in zip(advantages.tolist(), fresh, strict=True):
            for record in records:
                record["advantage"] = of_group[record["rollout"]]
        return [record for records in fresh for record in records], groups

    def _record(self, facts: dict[str, Any], task: Task, text: str, verdict: Verdict) -> dict[str, Any]:
        """A trajectory record but for its place in its group."""
        parts, failures = verdict.parts, verdict.failures
        if callable(self.reward):
            reward = float(self.reward(task, text, verdict))
            if not math.isfinite(reward):
                msg = f"the reward of {task.id} is {reward}, but must be a finite number"
                raise ReasonEnvError(msg)
        elif self.reward == "passed":
            reward = float(verdict.passed)
        else:
            reward = verdict.score if self.reward == "score" else parts[self.reward]
        return facts | {
            "text": text,
            "reasoning": _reasoning(text, task.answer_tag, verdict.answer),
            "final_answer": verdict.answer,
            "reward": reward,
            "reward_parts": parts,
            "verifier": {
                "passed": verdict.passed,
                "score": verdict.score,
                "error": verdict.detail or None,
            },
            "failure_type": failures[0] if failures else None,
            "failure_types": list(failures),
            "group_id": task.id,
            "rollout": 0,
            "advantage": 0.0,
            "policy": self.name,
            "policy_version": _version(self.policy),
            "hint": None,
            "turns": [],
            "process_scores": None,
            "terminated": True,
            "truncated": "truncated" in failures,
            "usage": None,
            "seconds": 0.0,
            "versions": {"reasonenv": __version__, "family": task.version},
        }


def _reasoning(text: str, tag: str, answer: str | None) -> str:
    """What stands before the answer's tag; all of the text where no answer was read."""
    return text if answer is None else text.rpartition(f"<{tag}>")[0].rstrip()


@dataclass
class _Tally:
    """What a row is made of."""

    supply: _Supply
    policy: str
    rollouts: int
    clock: _Clock = field(default_factory=_Clock)
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

    def row(self, generation: _Clock) -> Row:
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
