"""The loop: policies answer tasks in groups; the answers are verified, rewarded and saved.

`rollout` returns the records, `evaluate` a table of results; both are this one loop.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from reasonenv import _checks
from reasonenv._native import InvalidArgument, __version__
from reasonenv._records import Record
from reasonenv.data._sources import SourceLike
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._asking import Answerer, AsyncPolicy, Pump, is_async
from reasonenv.rollouts._assignments import AssignmentFeed
from reasonenv.rollouts._feeds import Ask, EpisodeFeed, Feed, TaskFeed, is_environment
from reasonenv.rollouts._loggers import named_logger
from reasonenv.rollouts._policies import ContextPolicy, Policy, RowPolicy, version_of
from reasonenv.rollouts._prompts import PromptPolicy, check_order
from reasonenv.rollouts._result import Rollouts, logged
from reasonenv.rollouts._run import Run
from reasonenv.rollouts._samples import Group
from reasonenv.rollouts._session import RolloutSession
from reasonenv.rollouts._settings import Sampling, Saving, sampling_of, saving_of, teller
from reasonenv.rollouts._sources import CompletionReward, answerers, levels_of, reward_name, supplies
from reasonenv.rollouts._summary import RowCounts, Summary, SummaryRow
from reasonenv.rollouts._trial import Clock
from reasonenv.types import ReadingName, SplitName

AnyPolicy: TypeAlias = str | PromptPolicy | Policy | RowPolicy | ContextPolicy | AsyncPolicy
"""A policy's name, a function of a prompt, a callable of (tasks, rollout), or a coroutine function of
(context, rollout)."""

TakeGroups: TypeAlias = Callable[[int, str, list[Group]], None]
"""Takes the groups of a feed and a policy: the feed's position, the policy's name and the groups."""


def evaluate(
    tasks: SourceLike | Sequence[SourceLike] | Mapping[str, SourceLike],
    policies: AnyPolicy | Sequence[AnyPolicy] | Mapping[str, AnyPolicy] = ("oracle",),
    n: int = 100,
    *,
    group_size: int = 1,
    level: int | Sequence[int] = 0,
    params: dict[str, Any] | None = None,
    split: SplitName = "eval",
    seed: int = 0,
    reading: ReadingName | None = None,
    reward: str | Mapping[str, float] | Reward | CompletionReward = "binary",
    sampling: Sampling | None = None,
    saving: str | Path | Saving | None = None,
) -> Summary:
    """Let every policy answer the same tasks of every source, and summarize the verdicts.

    Args:
        tasks: A family or its name, a `Source`, a `Mixture`, tasks (a `Batch`, a list), or rows from
            `reasonenv.from_rows`; one of them, a sequence of them, or a mapping from names to them.
        policies: Names of policies, functions of a prompt, callables of (tasks, rollout), or coroutine
            functions of (context, rollout); one, several, or a mapping from names to them.
        n: Tasks per source, the first n; lists of tasks and rows may have fewer.
        group_size: Rollouts of each task, at most 10,000; together they are a group.
        level: A level or several, for families. So are `params` and `split`.
        params: Overrides the level's params.
        split: "train", "eval" or "test".
        seed: Determines the tasks and the randomness of built-in policies.
        reading: Reading of the answers: "clean", "strict" or "lenient"; None uses each family's own.
        reward: A preset's or a part's name, a weight for each part, a `reasonenv.rewards.Reward`, or a
            callable of (task, completion, verdict). It determines advantages and `flat_reward`; `passed`
            is the verifier's.
        sampling: A `Sampling`: wording, batch size, concurrency and the like.
        saving: A run folder, or a `Saving` with a folder, a logger or a progress bar.

    Returns:
        One row for each policy on each source.

    Raises:
        ReasonEnvError: An argument, or the return value of a policy or reward, is invalid; names it.
        InvalidRun: The folder holds a run with another config, or another process is writing there.
        OSError: The folder cannot be written; names the path. Verdicts written so far are kept.

    An exception in a policy, a reward or a callback propagates unchanged. The same call then resumes.
    """
    sampling = sampling_of(sampling)
    if sampling.on_flat != "keep":
        msg = f"`on_flat` is {sampling.on_flat!r}, but an evaluation counts every group; take 'keep'"
        raise InvalidArgument(msg)
    ask = Ask(n, group_size, reading, reward, seed, sampling)
    check_order(tasks, policies)
    asking = answerers(policies, seed, ask.sampling.of_models)
    feeds = _task_feeds(ask, tasks, level, params, split)
    return _loop(ask, asking, feeds, saving_of(saving))


def rollout(
    tasks: Any,
    policies: AnyPolicy | Sequence[AnyPolicy] | Mapping[str, AnyPolicy],
    *,
    n: int = 100,
    group_size: int = 8,
    level: int | Sequence[int] = 0,
    params: dict[str, Any] | None = None,
    split: SplitName = "train",
    seed: int = 0,
    reading: ReadingName | None = None,
    reward: str | Mapping[str, float] | Reward | CompletionReward = "binary",
    sampling: Sampling | None = None,
    saving: str | Path | Saving | None = None,
) -> Rollouts:
    """Sample groups of rollouts: every policy on every task, or through every episode of an environment.

    Args:
        tasks: As for `evaluate`. Or an environment with observations that a policy can read: its id,
            a `gymnasium.Env`, or a callable that makes one; an `Env` without a method `clone` plays one
            episode at a time, others play many in parallel. Or a curriculum, which assigns tasks and group
            sizes with `ask(n)` and learns of the results with `tell(results)`, with the policy's `version` if
            that is a number; it takes one policy, and games that it assigns are played in their environments.
        policies: As for `evaluate`. A callable gets a whole batch at once, a coroutine function one rollout
            at a time. In an environment, and after a prefix, callables get `Context`s too; a function of a
            prompt gets the last observation as text.
        n: Tasks per source, the first n, or episodes; lists of tasks and rows may have fewer.
        group_size: Rollouts of each task, at most 10,000; together they are a group.
        level: A level or several, for families. So are `params` and `split`.
        params: Overrides the level's params.
        split: "train", "eval" or "test".
        seed: Determines the tasks or episodes, and the randomness of built-in policies.
        reading: Reading of the answers: "clean", "strict" or "lenient"; None uses each family's own.
        reward: As for `evaluate`. An environment has its own.
        sampling: A `Sampling`: advantages, flat groups, prefixes, batch size, concurrency and the like.
        saving: A run folder, or a `Saving` with a folder, a logger or a progress bar.

    Returns:
        The records in the order of sources, policies, tasks and rollouts, whatever order they arrived in.

    Raises:
        ReasonEnvError: An argument, or the return value of a policy or reward, is invalid; names it.
        InvalidRun: The folder holds a run with another config, or another process is writing there.
        OSError: The folder cannot be written; names the path. Verdicts written so far are kept.

    An exception in a policy, a reward or a callback propagates unchanged, and so does Ctrl-C. The same call
    then resumes.
    """
    ask = Ask(n, group_size, reading, reward, seed, sampling_of(sampling))
    place = saving_of(saving)
    check_order(tasks, policies)
    asking = answerers(policies, seed, ask.sampling.of_models)
    feeds: Sequence[Feed]
    is_curriculum = hasattr(tasks, "ask") and hasattr(tasks, "tell")
    if is_curriculum or is_environment(tasks):
        _refuse_own(
            ask, is_curriculum, {"level": (level, 0), "params": (params, None), "split": (split, "train")}
        )
        feeds = [AssignmentFeed(ask, tasks, asking) if is_curriculum else EpisodeFeed(ask, tasks)]
    else:
        feeds = _task_feeds(ask, tasks, level, params, split)
    groups: dict[tuple[int, str], list[Group]] = {}

    def take(feed: int, policy: str, sampled: list[Group]) -> None:
        groups.setdefault((feed, policy), []).extend(sampled)

    summary = _loop(ask, asking, feeds, place, take)
    if not groups and summary.folder is not None:
        return logged(summary)
    places = [(at, name) for at in range(len(feeds)) for name in asking]
    return Rollouts([group for place in places for group in groups.get(place, [])], summary)


def _refuse_own(ask: Ask, is_curriculum: bool, given: dict[str, tuple[object, object]]) -> None:
    """Refuse arguments of families where something else decides the tasks."""
    given = given | {"style": (ask.sampling.style, None)}
    if not is_curriculum:
        given |= {"reading": (ask.reading, None), "reward": (ask.reward, "binary")}
    for name, (value, usual) in given.items():
        if value is not usual and value != usual:
            decides = "a curriculum" if is_curriculum else "an environment"
            msg = f"`{name}` is {_checks.shown(value)}, but {decides} has its own; give it there"
            raise InvalidArgument(msg)


def _task_feeds(ask: Ask, tasks: Any, level: Any, params: Any, split: Any) -> list[TaskFeed]:
    """One feed for each source and level."""
    drawing = {
        "params": _checks.mapping("params", params),
        "split": _checks.text("split", split),
        "seed": ask.seed,
        "style": ask.sampling.style,
    }
    return [TaskFeed(ask, supply) for supply in supplies(tasks, ask.n, levels_of(level), drawing)]


def _loop(
    ask: Ask, asking: Mapping[str, Any], feeds: Sequence[Feed], saving: Saving, take: TakeGroups | None = None
) -> Summary:
    """Take every policy through every feed, batch by batch. A finished run is only read."""
    config = {
        "reasonenv": __version__,
        "sources": [dict(feed.config) for feed in feeds],
        "policies": [{"name": name, "version": version_of(policy)} for name, policy in asking.items()],
        "group_size": ask.group_size,
        "reading": ask.reading,
        "reward": reward_name(ask.reward),
        "seed": ask.seed,
    } | ask.sampling.to_dict()
    folder = None if saving.folder is None else Path(saving.folder)
    with ExitStack() as stack:
        log = None if folder is None else stack.enter_context(Run(folder, config, overwrite=saving.overwrite))
        if log is not None and log.finished:
            return Summary.load(log.folder)
        pump = _pump(stack, asking)
        total = sum(feed.total for feed in feeds) * len(asking)
        tell = teller(stack, saving)
        session = RolloutSession(log, ask.sampling, _logger(stack, saving), tell, total, pump is not None)
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


def _logger(stack: ExitStack, saving: Saving) -> Callable[[Record], object] | None:
    """The logger, which is closed with the stack."""
    logger = named_logger(saving.logger) if isinstance(saving.logger, str) else saving.logger
    if logger is not None and hasattr(logger, "close"):
        stack.callback(logger.close)
    return logger


def _pump(stack: ExitStack, asking: Mapping[str, Any]) -> Pump | None:
    """Event loop for the coroutine functions among the policies; None if there are none."""
    if not any(map(is_async, asking.values())):
        return None
    pump = stack.enter_context(Pump())
    for policy in asking.values():
        if hasattr(policy, "aclose"):
            pump.close_with(policy.aclose)
    return pump
