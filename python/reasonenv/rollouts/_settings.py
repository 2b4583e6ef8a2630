"""Settings of a run: how groups are sampled, and where they are saved."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv._progress import progress as progress_bar
from reasonenv._records import Record
from reasonenv.rewards.groups import OnFlat, Sigma

LARGEST_BATCH = 1_000_000
"""The most tasks given to a policy at once, all of which are in memory."""

LARGEST_GROUP = 10_000
"""The most rollouts of a task, which are in memory until all of them are judged."""

LARGEST_CONCURRENCY = 10_000
"""The most simultaneous requests."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run."""

    source: str
    policy: str
    done: int
    """Rollouts finished so far, including those of an earlier session."""
    total: int


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How rollouts are sampled, and what becomes of their groups.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    style: Mapping[str, Any] | None = None
    """Wording of the tasks of families, as `Family.source` takes it."""
    branch: Any = None
    """What every rollout continues from: the beginning of a completion, as text or a callable of a task; in
    an environment the first actions of the episode, as a sequence or a callable of the episode's number.
    `Rollouts.values` then estimates the value of this prefix."""
    batch_size: int = 256
    """Tasks given to a policy at once. It changes no result of a built-in policy."""
    concurrency: int = 32
    """Simultaneous requests to a policy that is a coroutine function."""
    gamma: float = 1.0
    """Discount of the rewards of an episode's turns."""
    sigma: Sigma | None = "group"
    """What advantages are divided by: the deviation of the "group", of the "batch", or nothing."""
    on_flat: OnFlat = "keep"
    """What happens to a group whose rewards are all equal: "keep" it, "drop" it, "resample" another task of
    the source, "change_level" to the next harder one where all passed and to the next easier one otherwise,
    or ask again with a "hint". Groups left out are saved but not returned."""
    max_resamples: int = 4
    """How often another task replaces one before the group is left out."""
    filter_overlong: bool = False
    """Whether a truncated text that failed is excluded from advantages."""

    def __post_init__(self) -> None:
        _checks.one_of("sigma", self.sigma, ["group", "batch", None])
        choices = ["keep", "drop", "resample", "change_level", "hint"]
        _checks.one_of("on_flat", self.on_flat, choices)
        checked = {
            "style": _checks.mapping("style", self.style),
            "batch_size": _checks.whole("batch_size", self.batch_size, 1, LARGEST_BATCH),
            "concurrency": _checks.whole("concurrency", self.concurrency, 1, LARGEST_CONCURRENCY),
            "gamma": _checks.number("gamma", self.gamma, 0, 1),
            "max_resamples": _checks.whole("max_resamples", self.max_resamples, 1, 100),
            "filter_overlong": _checks.flag("filter_overlong", self.filter_overlong),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """The settings that differ from the defaults and change results, as a run's config has them."""
        usual = Sampling.__dataclass_fields__
        names = ("sigma", "on_flat", "max_resamples", "filter_overlong", "gamma")
        changed = {name: getattr(self, name) for name in names if getattr(self, name) != usual[name].default}
        if self.branch is not None:
            changed["branch"] = getattr(self.branch, "__name__", None) or _checks.shown(self.branch)
        return changed


@dataclass(frozen=True, kw_only=True)
class Saving:
    """Where a run is saved, and what follows it.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    folder: str | Path | None = None
    """A run folder. A killed run resumes and loses at most one line; a finished one is returned unchanged.
    One whose endpoint failed to give some answers is not finished: the same call asks for those again."""
    overwrite: bool = False
    """Whether a run that is already in the folder is dropped."""
    logger: Callable[[Record], object] | None = None
    """Called with each `Record`, group by group."""
    progress: bool = False
    """Whether to show a progress bar on stderr where that is a terminal."""
    on_progress: Callable[[Progress], None] | None = None
    """Called with a `Progress` after each batch of each policy, or after each answer of an endpoint."""

    def __post_init__(self) -> None:
        if self.folder is not None:
            object.__setattr__(self, "folder", _checks.path("folder", self.folder))
        _checks.flag("overwrite", self.overwrite)
        _checks.flag("progress", self.progress)
        if self.logger is not None:
            _checks.function("logger", self.logger, "a callable of a `Record`, or None")
        if self.on_progress is not None:
            _checks.function("on_progress", self.on_progress, "a callable of a `Progress`, or None")


def sampling_of(given: object) -> Sampling:
    """The sampling settings of an argument.

    Raises:
        InvalidArgument: It is neither None nor a `Sampling`.
    """
    if given is None:
        return Sampling()
    if not isinstance(given, Sampling):
        msg = f"`sampling` is {_checks.shown(given)}, but must be a `Sampling`, or None"
        raise InvalidArgument(msg)
    return given


def saving_of(given: object) -> Saving:
    """The saving settings of an argument, which may be just a folder.

    Raises:
        ReasonEnvError: It is neither None, a path nor a `Saving`.
    """
    if isinstance(given, Saving):
        return given
    return Saving(folder=None if given is None else _checks.path("saving", given))


def teller(stack: ExitStack, saving: Saving) -> Callable[[Progress], None] | None:
    """Reports progress to the bar, which closes with the stack, and to the caller."""
    if not saving.progress:
        return saving.on_progress
    bar = stack.enter_context(progress_bar())

    def tell(now: Progress) -> None:
        bar(now.done, now.total, f"{now.source}, {now.policy}")
        if saving.on_progress is not None:
            saving.on_progress(now)

    return tell
