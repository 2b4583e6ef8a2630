"""The loop: policies answer tasks in groups, and are judged, rewarded and logged.

`rollout` gives the trajectories, `evaluate` a table of what they came to; both are this one loop.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from reasonenv import _checks
from reasonenv._native import (
    Family,
    InvalidArgument,
    Mixture,
    Source,
    Task,
    __version__,
    list_readings,
)
from reasonenv._progress import progress as progress_bar
from reasonenv.rewards.groups import OnFlat, Sigma
from reasonenv.rewards.weighted import Reward
from reasonenv.rollouts.asking import AsyncPolicy, Pump, is_async
from reasonenv.rollouts.curricula import Curriculum, assigned
from reasonenv.rollouts.episodes import Arena, is_environment
from reasonenv.rollouts.policies import Policy
from reasonenv.rollouts.records import Trajectory, version_of
from reasonenv.rollouts.result import Rollouts, as_trajectories
from reasonenv.rollouts.run import Run
from reasonenv.rollouts.samples import Group, Items
from reasonenv.rollouts.session import (
    Another,
    Progress,
    Session,
    Settings,
    another_level,
    check_can_resample,
    hinted,
)
from reasonenv.rollouts.sources import (
    RewardFunction,
    Supply,
    answerers,
    levels_of,
    paying,
    reward_name,
    supplies,
)
from reasonenv.rollouts.summary import Row, Summary, SupplyFacts, Tally
from reasonenv.rollouts.trial import Clock, Trial
from reasonenv.types import FamilyName, ReadingName, SplitName

__all__ = ["AnyPolicy", "Progress", "SourceLike", "evaluate", "rollout"]

SourceLike: TypeAlias = FamilyName | Family | Source | Mixture | Sequence[Task]
"""What tasks are taken from: a family by name or itself, a source, a mixture, or tasks."""

AnyPolicy: TypeAlias = str | Policy | AsyncPolicy
"""A policy's name, a callable of (tasks, rollout), or a coroutine function of (context, rollout)."""

LARGEST_BATCH = 1_000_000
"""The most items that a policy is given at once, all of which are held."""

LARGEST_GROUP = 10_000
"""The most rollouts of an item, which are held until all of them are judged."""

LARGEST_CONCURRENCY = 10_000
"""The most requests that are under way at once."""


@dataclass(frozen=True)
class Ask:
    """What is asked of the loop, checked."""

    n: int
    rollouts: int
    batch_size: int
    concurrency: int
    reading: ReadingName | None
    reward: str | Mapping[str, float] | Reward | RewardFunction
    settings: Settings
    seed: int
    branch: Any = None
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _checks.whole("n", self.n, 1, _checks.LARGEST_COUNT)
        _checks.whole("batch_size", self.batch_size, 1, LARGEST_BATCH)
        _checks.whole("concurrency", self.concurrency, 1, LARGEST_CONCURRENCY)
        _checks.seed("seed", self.seed)
        _checks.number("gamma", self.gamma, 0, 1)
        if self.reading is not None and self.reading not in list_readings():
            raise _checks.unknown("reading", self.reading, list_readings())

    def config(self, sources: Sequence[Any], asking: Mapping[str, Any]) -> dict[str, Any]:
        """What a run is asked, which it goes on only with the same."""
        more: dict[str, Any] = self.settings.to_dict()
        if self.branch is not None:
            more["branch"] = getattr(self.branch, "__name__", None) or _checks.shown(self.branch)
        if self.gamma != 1:
            more["gamma"] = self.gamma
        return {
            "reasonenv": __version__,
            "sources": list(sources),
            "policies": [{"name": name, "version": version_of(policy)} for name, policy in asking.items()],
            "rollouts": self.rollouts,
            "reading": self.reading,
            "reward": reward_name(self.reward),
            "seed": self.seed,
        } | more


def evaluate(
    sources: SourceLike | Sequence[SourceLike] | Mapping[str, SourceLike],
    policies: AnyPolicy | Sequence[AnyPolicy] | Mapping[str, AnyPolicy] = ("oracle",),
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
    concurrency: int = 32,
    run: str | Path | None = None,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Lets every policy answer the same items of every source, and judges the answers.

    Args:
        sources: A family by name or itself, a `Source`, a `Mixture`, or tasks (a `Batch`, a list); one of
            them, a sequence of them, or a mapping that names them.
        policies: Names of policies, callables of (tasks, rollout), or coroutine functions of (context,
            rollout); one, several, or a mapping that names them.
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
        concurrency: Requests under way at once, of a policy that is a coroutine function.
        run: A folder to log to. A run that was killed goes on; a finished one is returned as it is. One
            whose endpoint failed to give some answers is not finished: the same call asks for those again.
        overwrite: Drops a run that is in the folder already.
        on_progress: Called after each batch of each policy, or after each answer of an endpoint.

    Returns:
        A row for each policy on each source.

    Raises:
        ReasonEnvError: An argument is not what it must be, or a policy or reward gave what it must not;
            names it.
        InvalidRun: The folder holds a run with another config, or another process is writing there.
        OSError: The folder cannot be written; names the path. What was judged before stays.

    An error that a policy, a reward or `on_progress` raises comes out as it is. The same call then goes on.
    """
    rollouts = _checks.whole("rollouts", rollouts, 1, LARGEST_GROUP)
    ask = Ask(n, rollouts, batch_size, concurrency, reading, reward, Settings(), seed)
    loop = _Loop(ask, policies, run=run, overwrite=overwrite, on_progress=on_progress)
    loop.over_tasks(sources, levels_of(level), _drawing(params, split, seed, style))
    if (finished := loop.finished()) is not None:
        return finished
    rows: list[Row] = []
    with loop.session() as session:
        for tally, generation, groups in loop.sampled(session):
            tally.add(groups)
            if tally.is_done:
                rows.append(tally.row(generation))
        return loop.finish(session, rows)


def rollout(
    policies: AnyPolicy | Sequence[AnyPolicy] | Mapping[str, AnyPolicy],
    tasks: Any = None,
    *,
    group_size: int = 8,
    n: int = 100,
    level: int | Sequence[int] = 0,
    params: dict[str, Any] | None = None,
    split: SplitName = "train",
    seed: int = 0,
    style: dict[str, Any] | None = None,
    reading: ReadingName | None = None,
    reward: str | Mapping[str, float] | Reward | RewardFunction = "binary",
    gamma: float = 1.0,
    sigma: Sigma | None = "group",
    on_flat: OnFlat = "keep",
    max_resamples: int = 4,
    filter_overlong: bool = False,
    branch: Any = None,
    curriculum: Curriculum | None = None,
    logger: Callable[[Trajectory], object] | None = None,
    batch_size: int = 256,
    concurrency: int = 32,
    run: str | Path | None = None,
    overwrite: bool = False,
    progress: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Rollouts:
    """Takes policies through tasks or an environment in groups, and gives the trajectories.

    Args:
        policies: Names of policies, callables of (tasks, rollout), or coroutine functions of (context,
            rollout); one, several, or a mapping that names them. A callable is asked for a whole batch at
            once, a coroutine function for one rollout at a time. In an environment, and behind a prefix,
            callables get `Context`s too.
        tasks: A family by name or itself, a `Source`, a `Mixture`, tasks (a `Batch`, a list), several of
            them, or a mapping that names them. Or an environment whose observations a policy can read: the
            id of one, a `gymnasium.Env`, or a callable that makes one. An `Env` is stepped alone, those of an
            id or a callable side by side.
        group_size: Rollouts of each task, at most 10,000; together they are a group.
        n: Tasks per source, the first n, or episodes; a list of tasks may be shorter.
        level: A level or several, for families. So are `params`, `split`, `seed` and `style`.
        params: Overrides the level's params.
        split: "train", "eval" or "test".
        seed: Decides the tasks or episodes, and what is random in built-in policies.
        style: Wording, as `Family.source` takes it.
        reading: How answers are read: "clean", "strict" or "lenient"; None is each family's own.
        reward: As `evaluate` takes it. An environment has its own.
        gamma: Discounts the rewards of an episode's turns.
        sigma: What advantages are divided by: the deviation of the "group", of the "batch", or nothing.
        on_flat: What is done about a group whose rewards are all equal: "keep" it, "drop" it, "resample"
            another task of the source, "change_level" to the next harder one where all passed and to the
            next easier one otherwise, or ask again with a "hint". Groups left out are logged and not given.
        max_resamples: How often another task takes the place of one before the group is left out.
        filter_overlong: Whether a text that was cut off, and failed, counts in no advantage.
        branch: What every rollout goes on from: the beginning of a completion, as text or a callable of a
            task; in an environment the first actions of the episode, as a sequence or a callable of the
            episode's number. `values` of the result then estimates what this prefix is worth.
        curriculum: Decides the tasks and the size of groups by `ask(n)`, and is told what came of them by
            `tell(results)`; it stands in the place of `tasks`, and has one policy.
        logger: Called with each `Trajectory` that is made, group by group.
        batch_size: Tasks given to a policy at once. It changes no result of a built-in policy.
        concurrency: Requests under way at once, of a policy that is a coroutine function.
        run: A folder to log to. A run that was killed goes on and loses at most the line in flight; a
            finished one is returned as it is. One whose endpoint failed to give some answers is not
            finished: the same call asks for those again.
        overwrite: Drops a run that is in the folder already.
        progress: Whether a bar shows how far it has come, on stderr where that is a terminal.
        on_progress: Called after each batch of each policy, or after each answer of an endpoint.

    Returns:
        The trajectories, in the order of sources, policies, tasks and rollouts, whatever order they came in.

    Raises:
        ReasonEnvError: An argument is not what it must be, or a policy or reward gave what it must not;
            names it.
        InvalidRun: The folder holds a run with another config, or another process is writing there.
        OSError: The folder cannot be written; names the path. What was judged before stays.

    An error that a policy, a reward or a callback raises, and Ctrl-C, come out as they are. The same call
    then goes on.
    """
    group_size = _checks.whole("group_size", group_size, 1, LARGEST_GROUP)
    if logger is not None:
        _checks.function("logger", logger, "a callable of a `Trajectory`, or None")
    _checks.flag("progress", progress)
    settings = Settings(sigma, on_flat, max_resamples, filter_overlong)
    ask = Ask(n, group_size, batch_size, concurrency, reading, reward, settings, seed, branch, gamma)
    with ExitStack() as stack:
        if progress:
            show = stack.enter_context(progress_bar())
            on_progress = _both(on_progress, show)
        loop = _Loop(ask, policies, run=run, overwrite=overwrite, on_progress=on_progress, logger=logger)
        if curriculum is not None:
            loop.over_assignments(curriculum, tasks)
        elif is_environment(tasks):
            loop.over_episodes(tasks)
        else:
            loop.over_tasks(tasks, levels_of(level), _drawing(params, split, seed, style))
        kept: list[Group] = []
        dropped = 0
        rows: dict[tuple[str, int | None, str], Row] = {}
        with loop.session() as session:
            for tally, generation, groups in loop.sampled(session):
                left_in = [group for group in groups if not group.dropped]
                tally.add(left_in)
                kept += left_in
                dropped += len(groups) - len(left_in)
                if tally.is_done:
                    rows[tally.supply.name, tally.supply.level, tally.policy] = tally.row(generation)
            kept = loop.in_order(kept)
            summary = loop.finish(session, list(rows.values()))
            return Rollouts(tuple(as_trajectories(kept)), summary, dropped)
