"""Sources of tasks and policies of an evaluation, each by its name."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from reasonenv import _checks
from reasonenv._native import (
    Batch,
    Family,
    InvalidArgument,
    InvalidTask,
    Mixture,
    Source,
    UnknownName,
    Verdict,
)
from reasonenv._repeats import warn_of_repeats
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Row, Rows
from reasonenv.data._sources import (
    TaskSource,
    as_source,
    count_of,
    families_of,
    named_parts,
    named_sources,
)
from reasonenv.rewards._presets import resolve_judged
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._policies import named_policy, policy_name
from reasonenv.rollouts._prompts import as_policy

CompletionReward: TypeAlias = Callable[[Any, str, Verdict], float]
"""Your own reward: a function of a task or row, a completion and its verdict."""


_POLICIES = "a policy's name, or a callable of a prompt or of (tasks, rollout)"

SEVERAL = "several"
"""Placeholder for the family if there is more than one."""


@dataclass(frozen=True)
class Supply:
    """A named source of `count` tasks."""

    name: str
    family: str
    version: int | None
    level: int | None
    split: str | None
    count: int
    config: Mapping[str, Any]
    draws: bool
    """True if tasks are generated rather than given."""
    batch: Callable[[int, int], Batch | Rows | MixedTasks]
    parts: frozenset[str] = frozenset()
    """Parts that the verifiers of its tasks measure."""
    of_families: bool = True
    """True if its tasks belong to families; False for rows."""


def levels_of(given: object) -> list[int]:
    """One level or several, each once."""
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
        levels = [_checks.whole("level", one) for one in given]
    else:
        levels = [_checks.whole("level", given)]
    if not levels:
        msg = "`level` is empty, but must be a level or several"
        raise InvalidArgument(msg)
    twice, times = Counter(levels).most_common(1)[0]
    if times > 1:
        msg = f"`level` has {twice} {times} times; give each level once"
        raise InvalidArgument(msg)
    return levels


def supplies(tasks: Any, n: int, levels: Sequence[int], drawing: dict[str, Any]) -> list[Supply]:
    """Every source by name and level, in the given order."""
    found: list[Supply] = []
    for at, (name, given) in enumerate(named_sources(tasks)):
        field = "tasks" if given is tasks else f"tasks[{name or at!r}]"
        own = levels if isinstance(given, str | Family) else levels[:1]
        found += [_supply(name, as_source(given, field, level=level, **drawing), n) for level in own]
    twice, times = Counter((supply.name, supply.level) for supply in found).most_common(1)[0]
    if times > 1:
        msg = f"{times} sources are called `{twice[0]}`; name them by giving a mapping"
        raise InvalidArgument(msg)
    return found


def _supply(name: str | None, source: TaskSource, n: int) -> Supply:
    """The first n tasks of a source, with its part of the run's config."""
    if isinstance(source, Source | Mixture):
        warn_of_repeats(source, n)
        family, version, parts = _facts_of(families_of(source))
        name = name or (family if isinstance(source, Source) else "mixture")
        config = {"name": name} | _drawn_config(source) | {"items": n}
        level = source.level if isinstance(source, Source) else None
        return Supply(name, family, version, level, source.split, n, config, True, source.batch, parts)
    size = count_of(source)
    chosen = source.batch(0, n if size is None else min(n, size))
    _must_differ(chosen.ids)
    if isinstance(chosen, Rows | MixedTasks):
        name = name or ("rows" if isinstance(chosen, Rows) else "mixture")
        config = {"name": name, "rows": True, "items": len(chosen)} | _digest(chosen, _judged_by(chosen))
        given = (None, None, None, len(chosen), config, False, source.batch)
        return Supply(name, name, *given, of_families=False)
    family, version, parts = _facts_of(families_of(chosen))
    level, split = (_only({getattr(task, field) for task in chosen}) for field in ("level", "split"))
    name = name or ("tasks" if family == SEVERAL else family)
    facts = {"family": family, "version": version, "level": level, "split": split, "items": len(chosen)}
    config = {"name": name} | facts | _digest(chosen)
    return Supply(name, family, version, level, split, len(chosen), config, False, source.batch, parts)


def _facts_of(kinds: Sequence[Family]) -> tuple[str, int | None, frozenset[str]]:
    """Family and version, if there is only one family, and the parts that all verifiers measure."""
    parts = frozenset(part for kind in kinds for part in kind.parts)
    return (kinds[0].name, kinds[0].version, parts) if len(kinds) == 1 else (SEVERAL, None, parts)


def _drawn_config(source: Source | Mixture) -> dict[str, Any]:
    """Settings that determine the tasks of a source."""
    if isinstance(source, Mixture):
        return {
            "mixture": [_drawn_config(one) for one in source.sources],
            "weights": source.weights,
            "split": source.split,
            "seed": source.seed,
        }
    return {
        "family": source.family.name,
        "version": source.family.version,
        "level": source.level,
        "params": source.params,
        "split": source.split,
        "seed": source.seed,
        "style": source.style,
    }


def _judged_by(tasks: Rows | MixedTasks) -> str:
    """Verifiers of rows, as text."""
    if isinstance(tasks, Rows):
        return repr(tasks.verifier)
    return " ".join(dict.fromkeys(repr(task.verifier) for task in tasks if isinstance(task, Row)))


def _digest(tasks: Batch | Rows | MixedTasks, start: str = "") -> dict[str, str]:
    """Digest that identifies the tasks of a list or rows."""
    digest = hashlib.sha256(start.encode())
    for task in tasks:
        digest.update(json.dumps([task.id, task.key, task.prompt]).encode())
    return {"digest": digest.hexdigest()}


def _only(values: set[Any]) -> Any:
    """Value that all share; None if they differ."""
    return next(iter(values)) if len(values) == 1 else None


def _must_differ(ids: Sequence[str]) -> None:
    twice, times = Counter(ids).most_common(1)[0]
    if times > 1:
        msg = f"the id `{twice}` comes {times} times in a source, but ids must differ; drop the others"
        raise InvalidTask(msg)


def answerers(policies: Any, seed: int, of_models: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every policy by name, in the given order.

    Args:
        policies: The argument of `evaluate` and `rollout`.
        seed: Seed of built-in policies.
        of_models: Sampling settings, for policies that are models.
    """
    found: dict[str, Any] = {}
    single = isinstance(policies, str) or callable(policies)
    for given, policy in named_parts(policies, "policies", _POLICIES, is_single=single):
        answerer: Any = named_policy(policy, seed=seed) if isinstance(policy, str) else policy
        if not callable(answerer):
            msg = f"`policies` has {_checks.shown(answerer)}, but must have {_POLICIES}"
            raise InvalidArgument(msg)
        if isinstance(answerer, type):
            name = answerer.__name__
            msg = f"`policies` has the class {name}; give an object of it, such as `{name}()`"
            raise InvalidArgument(msg)
        name = given or policy_name(answerer)
        if name in found:
            msg = f"two policies are called `{name}`; name them by giving a mapping"
            raise InvalidArgument(msg)
        found[name] = (
            answerer.sampled(of_models) if of_models and _is_model(answerer) else as_policy(answerer)
        )
    if of_models and not any(map(_is_model, found.values())):
        name, value = next(iter(of_models.items()))
        msg = f"`{name}` is {_checks.shown(value)}, but no policy is a model that takes it; leave it out"
        raise InvalidArgument(msg)
    return found


def _is_model(policy: object) -> bool:
    return hasattr(policy, "sampled")


def paying(reward: object, supply: Supply) -> Reward | CompletionReward:
    """Reward for the rollouts of a source."""
    if not isinstance(reward, str | Mapping | Reward):
        does = "a name, weights of parts, a `Reward`, or a callable of (task, text, verdict)"
        _checks.function("reward", reward, does)
        return cast("CompletionReward", reward)
    try:
        return resolve_judged(reward, supply.parts)
    except UnknownName as error:
        msg = f"{supply.name}: {error}"
        raise UnknownName(msg) from None


def reward_name(reward: object) -> Any:
    """Name of a reward in a run's config: its name or weights, or the name of its function or class."""
    if isinstance(reward, Reward):
        length = {"length_unit": reward.length_unit, "length_per": reward.length_per}
        return {
            "weights": reward.weights,
            "guard": reward.guard,
            **(length if "length" in reward.weights else {}),
        }
    if isinstance(reward, Mapping):
        return dict(reward)
    return reward if isinstance(reward, str) else str(getattr(reward, "__name__", type(reward).__name__))
