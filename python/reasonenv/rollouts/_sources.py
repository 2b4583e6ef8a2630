"""What an evaluation is asked: sources of tasks and policies, each by its name."""

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
    Task,
    UnknownName,
    Verdict,
    family,
)
from reasonenv._repeats import warn_of_repeats
from reasonenv.data._rows import Rows
from reasonenv.rewards._presets import resolve_judged
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._policies import named_policy, policy_name

CompletionReward: TypeAlias = Callable[[Any, str, Verdict], float]
"""A reward of a caller's own: of a task, or a row, a completion and the verdict on it."""


_SOURCES = "a family, its name, a `Source`, a `Mixture`, rows, or a sequence of at least one task"
_POLICIES = "a policy's name, or a callable of (tasks, rollout)"

SEVERAL = "several"
"""What stands for the family where there is more than one."""


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
    """Whether tasks are generated, rather than given."""
    batch: Callable[[int, int], Batch | Rows]
    parts: frozenset[str] = frozenset()
    """What the judges of its tasks measure."""
    of_families: bool = True
    """Whether its tasks are of families, rather than rows of the caller's own."""


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


def supplies(sources: Any, n: int, levels: Sequence[int], ask: dict[str, Any]) -> list[Supply]:
    """Every source by name and level, in the order given."""
    found: list[Supply] = []
    for name, source in _named("tasks", sources, str | Family | Source | Mixture | Rows, _SOURCES):
        if isinstance(source, str | Family):
            kind = family(_checks.text("tasks", source)) if isinstance(source, str) else source
            found += [_drawn(name, kind.source(level=level, **ask), n) for level in levels]
        elif isinstance(source, Source):
            found.append(_drawn(name, source, n))
        elif isinstance(source, Mixture):
            found.append(_mixed(name, source, n))
        elif isinstance(source, Rows):
            found.append(_rows(name, source, n))
        else:
            found.append(_given(name, source, n))
    twice, times = Counter((supply.name, supply.level) for supply in found).most_common(1)[0]
    if times > 1:
        msg = f"{times} sources are called `{twice[0]}`; name them by giving a mapping"
        raise InvalidArgument(msg)
    return found


def _named(field: str, given: Any, one: Any, kinds: str) -> list[tuple[str | None, Any]]:
    """What is given, as pairs of a name, if it has one, and the thing itself."""
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str) or not name:
                msg = f"`{field}` has the name {_checks.shown(name)}, but names must be text, and not empty"
                raise InvalidArgument(msg)
        pairs = list(given.items())
    elif isinstance(given, one) or _starts_with_a_task(given):
        pairs = [(None, given)]
    elif isinstance(given, Iterable) and not isinstance(given, bytes):
        pairs = [(None, each) for each in given]
    else:
        msg = f"`{field}` is {_checks.shown(given)}, but must be {kinds}, several of them, or a mapping"
        raise InvalidArgument(msg)
    if not pairs:
        msg = f"`{field}` is empty, but must name at least one"
        raise InvalidArgument(msg)
    return pairs


def _starts_with_a_task(given: Any) -> bool:
    return isinstance(given, Sequence) and len(given) > 0 and isinstance(given[0], Task)


def _drawn(name: str | None, source: Source, n: int) -> Supply:
    warn_of_repeats(source, n)
    kind = source.family
    name = name or kind.name
    config = {"name": name} | _source_config(source) | {"items": n}
    parts = frozenset(kind.parts)
    return Supply(
        name, kind.name, kind.version, source.level, source.split, n, config, True, source.batch, parts
    )


def _source_config(source: Source) -> dict[str, Any]:
    """What decides a source's items."""
    return {
        "family": source.family.name,
        "version": source.family.version,
        "level": source.level,
        "params": source.params,
        "split": source.split,
        "seed": source.seed,
        "style": source.style,
    }


def _mixed(name: str | None, mixture: Mixture, n: int) -> Supply:
    warn_of_repeats(mixture, n)
    name = name or "mixture"
    kinds = {source.family.name: source.family for source in mixture.sources}
    config = {
        "name": name,
        "mixture": [_source_config(source) for source in mixture.sources],
        "weights": mixture.weights,
        "split": mixture.split,
        "seed": mixture.seed,
        "items": n,
    }
    parts = frozenset(part for kind in kinds.values() for part in kind.parts)
    alone = next(iter(kinds.values())) if len(kinds) == 1 else None
    called, version = (SEVERAL, None) if alone is None else (alone.name, alone.version)
    return Supply(name, called, version, None, mixture.split, n, config, True, mixture.batch, parts)


def _rows(name: str | None, rows: Rows, n: int) -> Supply:
    """Rows of the caller's own, with the verifier that they have."""
    chosen = rows[:n] if len(rows) > n else rows
    _must_differ(chosen.ids)
    name = name or "rows"
    digest = hashlib.sha256(repr(chosen.verifier).encode())
    for row in chosen:
        digest.update(json.dumps([row.id, row.key, row.prompt]).encode())
    config = {"name": name, "rows": True, "items": len(chosen), "digest": digest.hexdigest()}

    def batch(start: int, count: int) -> Rows:
        return chosen if count == len(chosen) else chosen.batch(start, count)

    return Supply(name, name, None, None, None, len(chosen), config, False, batch, of_families=False)


def _must_differ(ids: Sequence[str]) -> None:
    twice, times = Counter(ids).most_common(1)[0]
    if times > 1:
        msg = f"the id `{twice}` comes {times} times in a source, but ids must differ; drop the others"
        raise InvalidTask(msg)


def _given(name: str | None, tasks: Sequence[Task], n: int) -> Supply:
    """Tasks of one's own."""
    if not isinstance(tasks, Sequence):
        msg = f"`tasks` has {_checks.shown(tasks)}, but must have {_SOURCES}"
        raise InvalidArgument(msg)
    for i, task in enumerate(tasks):
        if not isinstance(task, Task):
            msg = f"item {i} of a source is {_checks.shown(task)}, but must be a task"
            raise InvalidArgument(msg)
    if not len(tasks):
        msg = f"`tasks` has {_checks.shown(tasks)}, but must have {_SOURCES}"
        raise InvalidArgument(msg)
    chosen = Batch(tasks[:n] if len(tasks) > n else tasks)
    _must_differ(chosen.ids)
    digest = hashlib.sha256()
    for task in chosen:
        digest.update(json.dumps([task.id, task.key, task.prompt]).encode())
    kinds = [family(one) for one in sorted(set(chosen.families))]
    called, version = (kinds[0].name, kinds[0].version) if len(kinds) == 1 else (SEVERAL, None)
    levels = {task.level for task in chosen}
    splits = {task.split for task in chosen}
    level = levels.pop() if len(levels) == 1 else None
    split = splits.pop() if len(splits) == 1 else None
    name = name or ("tasks" if called == SEVERAL else called)
    config = {
        "name": name,
        "family": called,
        "version": version,
        "level": level,
        "split": split,
        "items": len(chosen),
        "digest": digest.hexdigest(),
    }

    def batch(start: int, count: int) -> Batch:
        return chosen if count == len(chosen) else chosen[start : start + count]

    parts = frozenset(part for kind in kinds for part in kind.parts)
    return Supply(name, called, version, level, split, len(chosen), config, False, batch, parts)


def answerers(policies: Any, seed: int) -> dict[str, Any]:
    """Every policy by name, in the order given."""
    found: dict[str, Any] = {}
    for given, policy in _named("policies", [policies] if callable(policies) else policies, str, _POLICIES):
        answerer = named_policy(policy, seed=seed) if isinstance(policy, str) else policy
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
        found[name] = answerer
    return found


def paying(reward: object, supply: Supply) -> Reward | CompletionReward:
    """The reward that a source's rollouts are to have."""
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
    """What a run's configuration calls a reward: its name or its weights; the name of a function or class."""
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
