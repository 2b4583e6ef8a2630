"""The sources of a run, made again from its config to learn what the records leave out."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from reasonenv._native import ReasonEnvError, Source, family, list_families
from reasonenv.report._played import exact_rows
from reasonenv.report._rates import Rate
from reasonenv.rollouts._policies import BestConstant

_PROBED = 10_000
"""Most items of a source that blind policies are measured on."""


class Sources:
    """Facts about a run's sources.

    Args:
        config: The run's `config.json`, or nothing.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        given = config.get("sources")
        known = [one for one in given if isinstance(one, Mapping)] if isinstance(given, Sequence) else []
        self._known = {(one.get("name"), one.get("level")): one for one in known}
        self._alone = _varying_alone(known)
        self.held_out: set[tuple[str, str]] = set()
        """Wordings that no training task has, by family."""
        self._wording = lru_cache(maxsize=50_000)(self._look_up)

    def settings(self, source: str, level: int | None, kind: str, task_id: str) -> Iterator[tuple[str, str]]:
        """The settings of a task that vary alone in this run, each with its value."""
        for name, value in _facts(self._get(source, level)).items():
            if (kind, name) in self._alone:
                yield name, value
        wording = self._wording(source, level, task_id)
        if wording is not None:
            yield "wording", wording

    def has_curriculum(self, source: str) -> bool:
        """True if a curriculum chose the tasks of a source."""
        return "curriculum" in self._get(source, None)

    def exact(self, source: str) -> dict[str, tuple[float, float, float]]:
        """Results of reference policies against the opponent of a game, if they can be computed."""
        return exact_rows(self._known.get((source, None)))

    def baselines(self, source: str, level: int | None, without: Collection[str]) -> dict[str, Rate]:
        """Pass rates of blind policies on the run's own items.

        Args:
            source: A source's name.
            level: Its level.
            without: Policies of the run, which need no second measurement.
        """
        made = self._made(source, level)
        if made is None:
            return {}
        batch = made.batch(0, min(_PROBED, int(self._get(source, level).get("items") or _PROBED)))
        others = [*batch.answers[1:], *batch.answers[:1]]
        texts = {"another task's answer": [task.wrap(one) for task, one in zip(batch, others, strict=True)]}
        if BestConstant.name not in without:
            texts["best constant"] = BestConstant()(batch, 0)
        rates = {name: Rate() for name in sorted(texts)}
        for name, said in texts.items():
            for task, passed in zip(batch, batch.verify(said).passed.tolist(), strict=True):
                rates[name].add(task.id, passed, task.key)
        return rates

    def _get(self, source: str, level: int | None) -> Mapping[str, Any]:
        return self._known.get((source, level)) or {}

    def _look_up(self, source: str, level: int | None, task_id: str) -> str | None:
        """Wording of a task, from the task made again; None if that fails."""
        made = self._made(source, level)
        parts = task_id.partition("/hint:")[0].split("/")
        index = parts[4].partition("-")[0] if len(parts) == 5 else ""
        if made is None or not index.isdecimal():
            return None
        task = made.task(int(index))
        if task.id != "/".join(parts):
            return None
        word = str(task.style["template"])
        if word in made.family.held_out_templates:
            self.held_out.add((made.family.name, word))
        return word

    def _made(self, name: str, level: int | None) -> Source | None:
        known = self._get(name, level)
        if known.get("family") not in list_families():
            return None
        ask = {key: known.get(key) for key in ("seed", "params", "split", "style")}
        try:
            return family(known["family"]).source(**ask)  # type: ignore[arg-type]
        except (ReasonEnvError, TypeError):
            return None


def _facts(source: Mapping[str, Any]) -> dict[str, str]:
    """Settings of a source that determine its tasks, except its seed."""
    facts = {**(source.get("params") or {}), **(source.get("style") or {}), "split": source.get("split")}
    return {name: str(value) for name, value in facts.items()}


def _varying_alone(sources: Sequence[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Settings whose values all occur with the same values of the family's other settings.

    The params of a level change together, so their effects can't be separated.
    """
    meets: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for source in sources:
        facts = _facts(source)
        for name, value in facts.items():
            others = repr(sorted((key, other) for key, other in facts.items() if key != name))
            meets[str(source.get("family")), name][value].add(others)
    return {
        setting
        for setting, values in meets.items()
        if len(values) > 1 and len({frozenset(others) for others in values.values()}) == 1
    }
