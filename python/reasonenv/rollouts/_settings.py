"""Settings of a run: how groups are sampled, and where they are saved."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv._progress import progress as progress_bar
from reasonenv._records import Record
from reasonenv.rewards.groups import OnFlat, Sigma
from reasonenv.rollouts._tree import Tree

LARGEST_BATCH = 1_000_000
"""Maximum number of tasks per call of a policy, all of which are in memory."""

LARGEST_GROUP = 10_000
"""Maximum number of rollouts per task, which are in memory until all are verified."""

LARGEST_CONCURRENCY = 10_000
"""Maximum number of simultaneous requests."""


OVERFLOW = "the prompt does not fit the model's context"
"""Note of an answer that is empty because its prompt was too long."""

_OF_MODELS = ("temperature", "top_p", "max_tokens", "stop")
"""Settings that only models take."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run."""

    source: str
    policy: str
    done: int
    """Rollouts finished so far, including those of earlier sessions."""
    total: int


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Settings that determine how rollouts are sampled and which groups are kept.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    style: Mapping[str, Any] | None = None
    """Wording of the tasks of families, as for `Family.source`."""
    branch: Any = None
    """Starting point of every rollout: the beginning of a completion, as text or a callable of a task; in
    an environment the first actions of the episode, as a sequence or a callable of the episode's number.
    `Rollouts.values` then estimates the value of this prefix."""
    tree: Tree | None = None
    """Trees instead of separate episodes: paths branch, and the first `group_size` of each tree to reach an
    end are its group. In environments only."""
    batch_size: int = 256
    """Number of tasks per call of a policy. It doesn't affect the results of built-in policies."""
    concurrency: int = 32
    """Maximum number of simultaneous requests to a policy that is a coroutine function."""
    gamma: float = 1.0
    """Discount of the rewards of an episode's turns."""
    sigma: Sigma | None = "group"
    """Divisor of advantages: the deviation of the "group", of the "batch", or None."""
    on_flat: OnFlat = "keep"
    """Treatment of a group whose rewards are all equal: "keep" it, "drop" it, "resample" another task of
    the source, "change_level" to the next harder one where all passed and to the next easier one otherwise,
    or ask again with a "hint". Dropped groups are saved but not returned."""
    max_resamples: int = 4
    """Number of replacement tasks to try before the group is dropped."""
    filter_overlong: bool = False
    """True to exclude truncated texts that failed from advantages."""
    temperature: float | None = None
    """Sampling temperature of models (`openai:`, `hf:`, `vllm:`) that have none of their own; None leaves it
    to them. So do the next three. To compare models, 0 gives each one's likeliest answer; groups need a
    temperature above 0, or all their rollouts are equal. To train, start with 1; a small model that has just
    been warmed up on a few hundred examples does better at 0.6 to 0.8 (docs/training.md, "Small models")."""
    top_p: float | None = None
    """Share of the probability mass to sample from. Leave it at 1 to train, so that the sampled
    probabilities are those that the trainer computes."""
    max_tokens: int | None = None
    """Maximum number of tokens of an answer; a longer one is cut off and has `truncated`."""
    stop: str | Sequence[str] | None = None
    """Strings that end an answer and are left out of it."""

    def __post_init__(self) -> None:
        _checks.one_of("sigma", self.sigma, ["group", "batch", None])
        choices = ["keep", "drop", "resample", "change_level", "hint"]
        _checks.one_of("on_flat", self.on_flat, choices)
        if self.tree is not None and not isinstance(self.tree, Tree):
            msg = f"`tree` is {_checks.shown(self.tree)}, but must be a `Tree`, or None"
            raise InvalidArgument(msg)
        checked = {
            "style": _checks.mapping("style", self.style),
            "batch_size": _checks.whole("batch_size", self.batch_size, 1, LARGEST_BATCH),
            "concurrency": _checks.whole("concurrency", self.concurrency, 1, LARGEST_CONCURRENCY),
            "gamma": _checks.number("gamma", self.gamma, 0, 1),
            "max_resamples": _checks.whole("max_resamples", self.max_resamples, 1, 100),
            "filter_overlong": _checks.flag("filter_overlong", self.filter_overlong),
            **model_settings(self.temperature, self.top_p, self.max_tokens, self.stop),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def of_models(self) -> dict[str, Any]:
        """Settings that only models take, as far as they are given."""
        given = {name: getattr(self, name) for name in _OF_MODELS}
        return {name: value for name, value in given.items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """Settings that differ from their defaults and affect results, for the run's config."""
        usual = Sampling.__dataclass_fields__
        names = ("sigma", "on_flat", "max_resamples", "filter_overlong", "gamma")
        changed = {name: getattr(self, name) for name in names if getattr(self, name) != usual[name].default}
        if self.tree is not None:
            changed["tree"] = self.tree.to_dict()
        if self.branch is not None:
            changed["branch"] = getattr(self.branch, "__name__", None) or _checks.shown(self.branch)
        return changed | self.of_models


@dataclass(frozen=True, kw_only=True)
class Saving:
    """Destination of a run's records, and its reports of progress.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    folder: str | Path | None = None
    """Run folder. A killed run resumes and loses at most one line; a finished one is returned unchanged.
    If an endpoint failed to give some answers, the run isn't finished: the same call asks for those again."""
    overwrite: bool = False
    """True to delete a run that is already in the folder."""
    logger: str | Callable[[Record], object] | None = None
    """Called with each `Record`, group by group, and closed at the end if it has `close`. Or a name: "print",
    "jsonl:PATH", "tensorboard:FOLDER" or "wandb:PROJECT"; the last two need extras of the same names."""
    progress: bool = False
    """True to show a progress bar on stderr, if that is a terminal."""
    on_progress: Callable[[Progress], None] | None = None
    """Called with a `Progress` after each batch of each policy, or after each answer of an endpoint."""

    def __post_init__(self) -> None:
        if self.folder is not None:
            object.__setattr__(self, "folder", _checks.path("folder", self.folder))
        _checks.flag("overwrite", self.overwrite)
        _checks.flag("progress", self.progress)
        if self.logger is not None and not isinstance(self.logger, str):
            _checks.function("logger", self.logger, "a logger's name, a callable of a `Record`, or None")
        if self.on_progress is not None:
            _checks.function("on_progress", self.on_progress, "a callable of a `Progress`, or None")


def model_settings(
    temperature: float | None,
    top_p: float | None,
    max_tokens: int | None,
    stop: str | Sequence[str] | None,
) -> dict[str, Any]:
    """Checked settings of a model's sampling, without those that are None.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """
    given: dict[str, Any] = {
        "temperature": None if temperature is None else _checks.number("temperature", temperature, 0),
        "top_p": None if top_p is None else _checks.number("top_p", top_p, 0, 1),
        "max_tokens": None if max_tokens is None else _checks.whole("max_tokens", max_tokens, 1),
        "stop": None
        if stop is None
        else list(_checks.texts("stop", [stop] if isinstance(stop, str) else stop)),
    }
    if "" in (given["stop"] or ()):
        raise InvalidArgument("`stop` has '', but must have text that ends an answer")
    return {name: value for name, value in given.items() if value is not None}


def model_version(model: str, *settings: object) -> str:
    """The model and a digest of its settings, by which records distinguish versions."""
    if not any(settings):
        return model
    digest = hashlib.sha256(repr(settings).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{model}#{digest[:8]}"


def sampling_of(given: object) -> Sampling:
    """Sampling settings of an argument.

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
    """Saving settings of an argument, which may be just a folder.

    Raises:
        ReasonEnvError: It is neither None, a path nor a `Saving`.
    """
    if isinstance(given, Saving):
        return given
    return Saving(folder=None if given is None else _checks.path("saving", given))


def teller(stack: ExitStack, saving: Saving) -> Callable[[Progress], None] | None:
    """Function that reports progress to the bar, which closes with the stack, and to the caller."""
    if not saving.progress:
        return saving.on_progress
    bar = stack.enter_context(progress_bar())

    def tell(now: Progress) -> None:
        bar(now.done, now.total, f"{now.source}, {now.policy}")
        if saving.on_progress is not None:
            saving.on_progress(now)

    return tell
