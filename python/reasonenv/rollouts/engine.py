"""The loop of an evaluation: policies answer the same items of every source, and are judged and logged."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from reasonenv import _checks
from reasonenv._native import Family, Source, Task, __version__, list_readings
from reasonenv.rewards.weighted import Reward
from reasonenv.rollouts.policies import Policy
from reasonenv.rollouts.records import earlier, version_of
from reasonenv.rollouts.run import Run
from reasonenv.rollouts.sources import RewardFunction, answerers, levels_of, paying, reward_name, supplies
from reasonenv.rollouts.summary import Row, Summary, Tally
from reasonenv.rollouts.trial import Clock, Items, Trial
from reasonenv.types import FamilyName, ReadingName, SplitName

__all__ = ["Progress", "SourceLike", "evaluate"]

SourceLike: TypeAlias = FamilyName | Family | Source | Sequence[Task]
"""What tasks are taken from: a family by name or itself, a source, or tasks of one family."""

LARGEST_BATCH = 1_000_000
"""The most items that a policy is given at once, all of which are held."""

LARGEST_GROUP = 10_000
"""The most rollouts of an item, which are held until all of them are judged."""


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
    reward: str | Mapping[str, float] | Reward | RewardFunction = "binary",
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
        reward: A preset's or a part's name, a weight for each part, a `reasonenv.rewards.Reward`, or a
            callable of (task, completion, verdict). Advantages and `flat_reward` are of this reward; `passed`
            stays the judge's.
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
    pays = [paying(reward, supply.family) for supply in sought]
    config = {
        "reasonenv": __version__,
        "sources": [supply.config for supply in sought],
        "policies": [{"name": name, "version": version_of(policy)} for name, policy in asking.items()],
        "rollouts": rollouts,
        "reading": reading,
        "reward": reward_name(reward),
        "seed": seed,
    }
    with nullcontext() if folder is None else Run(folder, config, overwrite=overwrite) as log:
        if log is not None and log.finished:
            return Summary.load(log.folder)
        before = earlier(log)
        total = sum(supply.count for supply in sought) * len(asking) * rollouts
        done = 0
        rows: list[Row] = []
        for supply, pay in zip(sought, pays, strict=True):
            generation = Clock()
            tallies = {name: Tally(supply, name, rollouts) for name in asking}
            for start in range(0, supply.count, batch_size):
                with generation.timed(min(batch_size, supply.count - start)) as count:
                    tasks = supply.batch(start, count)
                items = Items(supply, tasks)
                for name, policy in asking.items():
                    known = before.get((supply.name, name), {})
                    trial = Trial(name, policy, rollouts, reading, pay)
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
