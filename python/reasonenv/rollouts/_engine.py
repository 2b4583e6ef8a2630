"""The loop: policies answer tasks in groups, and are judged, rewarded and logged.

`rollout` gives the trajectories, `evaluate` a table of what they came to; both are this one loop.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from reasonenv import _checks
from reasonenv._native import Family, InvalidArgument, Mixture, Source, Task, __version__
from reasonenv._progress import progress as progress_bar
from reasonenv.data._rows import Rows
from reasonenv.parts import Curriculum
from reasonenv.rewards._weighted import Reward
from reasonenv.rewards.groups import OnFlat, Sigma
from reasonenv.rollouts._asking import Answerer, AsyncPolicy, Pump, is_async
from reasonenv.rollouts._assignments import AssignmentFeed
from reasonenv.rollouts._feeds import Ask, EpisodeFeed, Feed, TaskFeed, is_environment
from reasonenv.rollouts._policies import ContextPolicy, Policy, RowPolicy
from reasonenv.rollouts._records import Trajectory, version_of
from reasonenv.rollouts._result import Rollouts, logged
from reasonenv.rollouts._run import Run
from reasonenv.rollouts._samples import Group
from reasonenv.rollouts._session import Progress, RolloutSession, Settings
from reasonenv.rollouts._sources import CompletionReward, answerers, levels_of, reward_name, supplies
from reasonenv.rollouts._summary import RowCounts, Summary, SummaryRow
from reasonenv.rollouts._trial import Clock
from reasonenv.types import FamilyName, ReadingName, SplitName

SourceLike: TypeAlias = FamilyName | Family | Source | Mixture | Sequence[Task] | Rows
"""What tasks are taken from: a family by name or itself, a source, a mixture, tasks, or rows."""

AnyPolicy: TypeAlias = str | Policy | RowPolicy | ContextPolicy | AsyncPolicy
"""A policy's name, a callable of (tasks, rollout), or a coroutine function of (context, rollout)."""


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
    reward: str | Mapping[str, float] | Reward | CompletionReward = "binary",
    batch_size: int = 256,
    concurrency: int = 32,
    run: str | Path | None = None,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Lets every policy answer the same items of every source, and judges the answers.

    Args:
        sources: A family by name or itself, a `Source`, a `Mixture`, tasks (a `Batch`, a list), or rows of
            `reasonenv.from_rows`; one of them, a sequence of them, or a mapping that names them.
        policies: Names of policies, callables of (tasks, rollout), or coroutine functions of (context,
            rollout); one, several, or a mapping that names them.
        n: Items per source, the first n; tasks in a list and rows may be fewer.
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
    ask = Ask(n, "rollouts", rollouts, batch_size, concurrency, reading, reward, Settings(), seed)
    asking = answerers(policies, seed)
    feeds = _task_feeds(ask, sources, level, {"params": params, "split": split, "style": style})
    place = _folder(run, overwrite)
    return _looped(ask, asking, feeds, place, overwrite=overwrite, on_progress=on_progress)


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
    reward: str | Mapping[str, float] | Reward | CompletionReward = "binary",
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
        tasks: A family by name or itself, a `Source`, a `Mixture`, tasks (a `Batch`, a list), rows of
            `reasonenv.from_rows`, several of them, or a mapping that names them. Or an environment whose
            observations a policy can read: the id of one, a `gymnasium.Env`, or a callable that makes one. An
            `Env` without a method `clone` is stepped alone, others side by side.
        group_size: Rollouts of each task, at most 10,000; together they are a group.
        n: Tasks per source, the first n, or episodes; tasks in a list and rows may be fewer.
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
            `tell(results)`, with the policy's `version` where that is a number; it stands in the place of
            `tasks`, and has one policy. Games that it assigns are played in their environments.
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
    if logger is not None:
        _checks.function("logger", logger, "a callable of a `Trajectory`, or None")
    _checks.flag("progress", progress)
    settings = Settings(sigma, on_flat, max_resamples, filter_overlong)
    ask = Ask(
        n, "group_size", group_size, batch_size, concurrency, reading, reward, settings, seed, branch, gamma
    )
    asking = answerers(policies, seed)
    feeds: Sequence[Feed]
    if curriculum is not None or is_environment(tasks):
        own: dict[str, tuple[object, object]] = {
            "level": (level, 0),
            "params": (params, None),
            "style": (style, None),
            "split": (split, "train"),
        }
        if curriculum is None:
            own |= {"reading": (reading, None), "reward": (reward, "binary")}
        for name, (given, usual) in own.items():
            if given is not usual and given != usual:
                decides = "an environment" if curriculum is None else "a curriculum"
                msg = f"`{name}` is {_checks.shown(given)}, but {decides} has its own; give it there"
                raise InvalidArgument(msg)
    if curriculum is not None:
        feeds = [AssignmentFeed(ask, curriculum, tasks, asking)]
    elif is_environment(tasks):
        feeds = [EpisodeFeed(ask, tasks)]
    else:
        feeds = _task_feeds(ask, tasks, level, {"params": params, "split": split, "style": style})
    place = _folder(run, overwrite)
    groups: dict[tuple[int, str], list[Group]] = {}

    def take(feed: int, policy: str, sampled: list[Group]) -> None:
        groups.setdefault((feed, policy), []).extend(sampled)

    with ExitStack() as stack:
        shows = stack.enter_context(progress_bar()) if progress else None

        def told(now: Progress) -> None:
            if shows is not None:
                shows(now.done, now.total, f"{now.source}, {now.policy}")
            if on_progress is not None:
                on_progress(now)

        if on_progress is not None:
            _checks.function("on_progress", on_progress, "a callable of a `Progress`, or None")
        summary = _looped(
            ask, asking, feeds, place, overwrite=overwrite, on_progress=told, logger=logger, take=take
        )
    if not groups and summary.folder is not None:
        return logged(summary)
    places = [(at, name) for at in range(len(feeds)) for name in asking]
    return Rollouts([group for place in places for group in groups.get(place, [])], summary)


def _folder(run: object, overwrite: object) -> Path | None:
    _checks.flag("overwrite", overwrite)
    return None if run is None else _checks.path("run", run)


def _task_feeds(ask: Ask, sources: Any, level: Any, drawing: dict[str, Any]) -> list[TaskFeed]:
    """A feed for each source and level."""
    drawing = {
        "params": _checks.mapping("params", drawing["params"]),
        "split": _checks.text("split", drawing["split"]),
        "seed": ask.seed,
        "style": _checks.mapping("style", drawing["style"]),
    }
    return [TaskFeed(ask, supply) for supply in supplies(sources, ask.n, levels_of(level), drawing)]


def _looped(
    ask: Ask,
    asking: Mapping[str, Any],
    feeds: Sequence[Feed],
    folder: Path | None,
    *,
    overwrite: bool,
    on_progress: Callable[[Progress], None] | None,
    logger: Callable[[Trajectory], object] | None = None,
    take: Callable[[int, str, list[Group]], None] | None = None,
) -> Summary:
    """The loop itself: every policy through every feed, batch by batch. A finished run is only read."""
    if on_progress is not None:
        _checks.function("on_progress", on_progress, "a callable of a `Progress`, or None")
    config = {
        "reasonenv": __version__,
        "sources": [dict(feed.config) for feed in feeds],
        "policies": [{"name": name, "version": version_of(policy)} for name, policy in asking.items()],
        "rollouts": ask.rollouts,
        "reading": ask.reading,
        "reward": reward_name(ask.reward),
        "seed": ask.seed,
    } | ask.more()
    with ExitStack() as stack:
        log = None if folder is None else stack.enter_context(Run(folder, config, overwrite=overwrite))
        if log is not None and log.finished:
            return Summary.load(log.folder)
        pump = _pump(stack, asking)
        total = sum(feed.total for feed in feeds) * len(asking)
        session = RolloutSession(log, ask.settings, logger, on_progress, total, pump is not None)
        rows: list[SummaryRow] = []
        for at, feed in enumerate(feeds):
            generation = Clock()
            tallies = {name: RowCounts(feed, name) for name in asking}
            for batch in feed.batches(generation):
                for name, policy in asking.items():
                    who = Answerer(name, policy, pump if is_async(policy) else None)
                    groups = feed.sample(batch, session, who, tallies[name].clock)
                    tallies[name].add(group for group in groups if not group.dropped)
                    if take is not None:
                        take(at, name, groups)
            rows += [tally.row(generation if feed.draws else Clock()) for tally in tallies.values()]
        summary = Summary(tuple(rows), config, folder)
        if log is not None and not session.failed:
            log.finish(summary.to_dict())
    return summary


def _pump(stack: ExitStack, asking: Mapping[str, Any]) -> Pump | None:
    """Where coroutine functions run, if there is one among the policies."""
    if not any(map(is_async, asking.values())):
        return None
    pump = stack.enter_context(Pump())
    for policy in asking.values():
        if hasattr(policy, "aclose"):
            pump.close_with(policy.aclose)
    return pump
