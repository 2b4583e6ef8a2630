"""Loggers by name: `print`, `jsonl:PATH`, `tensorboard:FOLDER`, `wandb:PROJECT`."""

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv._records import Record
from reasonenv.rollouts._by_name import JsonLines, Lines
from reasonenv.rollouts._samples import is_formed


class _Curves:
    """Means over the last records of each source and policy, written every so many records.

    They are `reward`, `pass_rate`, `format_rate`, `score`, `truncated`, `errors` and the tokens of a record.
    """

    def __init__(self, every: int) -> None:
        self.every = _checks.whole("every", every, 1)
        self._records: Counter[str] = Counter()
        self._sums: dict[str, Counter[str]] = {}
        self._counts: dict[str, Counter[str]] = {}

    def __call__(self, record: Record) -> None:
        """Count a record."""
        series = f"{record.source}/{record.policy}"
        sums, counts = self._sums.setdefault(series, Counter()), self._counts.setdefault(series, Counter())
        for name, value in _facts(record).items():
            sums[name] += value  # type: ignore[assignment]
            counts[name] += 1
        self._records[series] += 1
        if self._records[series] % self.every == 0:
            self._flush(series)

    def _flush(self, series: str) -> None:
        sums, counts = self._sums.pop(series, Counter()), self._counts.pop(series, Counter())
        if counts:
            means = {f"{series}/{name}": sums[name] / count for name, count in counts.items()}
            self.write(means, self._records[series])

    def write(self, means: Mapping[str, float], step: int) -> None:
        """Write the means after so many records."""
        raise NotImplementedError

    def close(self) -> None:
        """Write the rest."""
        for series in list(self._sums):
            self._flush(series)


class TensorBoard(_Curves):
    """Writes curves that TensorBoard shows. It needs the extra `tensorboard`.

    Args:
        folder: Folder of the event files.
        every: Records of a source and policy between two points of its curves.
    """

    def __init__(self, folder: str = "runs/tensorboard", *, every: int = 64) -> None:
        super().__init__(every)
        try:
            from tensorboard.summary import Writer  # noqa: PLC0415, an extra
        except ImportError as error:
            raise ReasonEnvError(_missing("tensorboard", error)) from None
        self._writer = Writer(str(_checks.path("folder", folder)))

    def write(self, means: Mapping[str, float], step: int) -> None:
        """Write a point of each curve."""
        for name, value in means.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Write the rest, and close the file."""
        super().close()
        self._writer.close()


class WandB(_Curves):
    """Logs curves to Weights & Biases: to the run that is active, or a new one. It needs the extra `wandb`.

    Args:
        project: The project of a new run.
        every: Records of a source and policy between two points of its curves.
        options: Arguments of `wandb.init`, such as `entity` or `mode`.
    """

    def __init__(
        self, project: str = "reasonenv", *, every: int = 64, options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(every)
        try:
            import wandb  # noqa: PLC0415, an extra
        except ImportError as error:
            raise ReasonEnvError(_missing("wandb", error)) from None
        self._is_own = wandb.run is None
        own = {"project": _checks.text("project", project)} | (_checks.mapping("options", options) or {})
        self._run = wandb.run or wandb.init(**own)

    def write(self, means: Mapping[str, float], step: int) -> None:
        """Log a point of each curve; the run's own steps stay with the trainer."""
        self._run.log({**means, "reasonenv/records": step})

    def close(self) -> None:
        """Log the rest, and finish a run of its own."""
        super().close()
        if self._is_own:
            self._run.finish()


_LOGGERS: Mapping[str, Callable[..., Callable[[Record], object]]] = MappingProxyType(
    {"print": Lines, "jsonl": JsonLines, "tensorboard": TensorBoard, "wandb": WandB}
)


def named_logger(spec: str) -> Callable[[Record], object]:
    """A logger by name, with its place behind a colon.

    Raises:
        ReasonEnvError: There is none of this name, it has no place, or its extra is not installed.
    """
    name, colon, place = spec.partition(":")
    if name not in _LOGGERS:
        raise _checks.unknown("logger", spec, ["print", "jsonl:PATH", "tensorboard:FOLDER", "wandb:PROJECT"])
    if name == "print" and colon:
        msg = f"`logger` is `{spec}`, but `print` takes nothing; write `print`"
        raise InvalidArgument(msg)
    if name == "jsonl" and not place:
        msg = f"`logger` is `{spec}`, but must name a file, as in jsonl:rollouts.jsonl"
        raise InvalidArgument(msg)
    return _LOGGERS[name](place) if place else _LOGGERS[name]()


def _facts(record: Record) -> dict[str, float]:
    facts = {"errors": float(record.error is not None), "truncated": float(record.truncated)}
    if record.reward is not None:
        facts["reward"] = record.reward
    if record.verdict is not None:
        failures, respelled = record.verdict["failures"], bool(record.verdict.get("respelled"))
        facts["pass_rate"] = float(record.verdict["passed"])
        facts["score"] = float(record.verdict["score"])
        facts["format_rate"] = float(is_formed(failures, respelled=respelled))
    return facts | {name: float(count) for name, count in (record.usage or {}).items()}


def _missing(name: str, error: ImportError) -> str:
    return f"the logger `{name}` needs the package {name} ({error}); install reasonenv[{name}]"
