"""Building blocks of the adapters: the prompt and problem of a task, and the verdict on a completion.

A problem is JSON text, which fits into a row of any data set. Verification needs nothing else: no adapter
keeps a data set, a generator or a seed to score a completion.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from reasonenv import _checks
from reasonenv._native import (
    Family,
    InvalidArgument,
    InvalidTask,
    Task,
    Verdict,
    Verdicts,
    family,
    verify,
    verify_all,
)
from reasonenv.data._rows import Row
from reasonenv.data._sources import SourceLike, TaskSource, as_source, count_of
from reasonenv.types import AnswerStyleName, ReadingName, SplitName

if TYPE_CHECKING:
    from reasonenv.verifiers import Judge

_CHUNK = 1024
"""Tasks generated at once."""


class Item(NamedTuple):
    """A task for a trainer."""

    prompt: str
    problem: str
    """JSON with all that verification needs. It contains the answer, so no policy may see it."""
    task_id: str


class ParsedProblem(NamedTuple):
    """A parsed problem of a family, or a row with its verifier."""

    family: str
    problem: str
    row: Row | None
    answer: AnswerStyleName = "tag"


def item(task: Task | Row) -> Item:
    """Return a task's prompt, its problem as JSON text, and its id.

    >>> import reasonenv
    >>> prompt, problem, task_id = item(reasonenv.family("chain_sum").sample())
    >>> score("<answer>no idea</answer>", problem).passed
    False
    """
    return Item(task.prompt, task.to_json(), task.id)


def score(
    text: str,
    problem: str,
    reading: ReadingName | None = None,
    *,
    stop_tokens: Sequence[str] | None = None,
) -> Verdict:
    """Verify a completion of a problem given as JSON: pure, thread-safe, without the GIL if that pays off.

    Args:
        text: The completion.
        problem: Problem from `item`, or an object with `family`, `problem` and `style`, as in verl's rows.
        reading: As in `Task.verify`; ignored for a row, whose verifier has its own.
        stop_tokens: As in `Task.verify`; ignored for a row.

    Raises:
        InvalidTask: The JSON is not a problem of this package, or is one of a later release.
        InvalidProblem: The family cannot pose this problem.
        UnknownFamily: The family does not exist.
        InvalidArgument: `text` is not text.
    """
    if not isinstance(text, str):  # `_checks.text` refuses lone surrogates, which get a verdict
        raise InvalidArgument(f"`text` is {_checks.shown(text)}, but must be text")
    posed = _read(problem)
    if posed.row is not None:
        return posed.row.verify(text)
    return verify(posed.family, posed.problem, text, reading, answer=posed.answer, stop_tokens=stop_tokens)


def score_all(
    texts: Sequence[str],
    problems: Sequence[str],
    reading: ReadingName | None = None,
    *,
    stop_tokens: Sequence[str] | None = None,
) -> Verdicts:
    """Like `score` for many completions, each with its own problem, in order and in parallel.

    Raises:
        InvalidArgument: There are not as many texts as problems.
        ReasonEnvError: As for `score`, for the first bad problem.
    """
    if len(texts) != len(problems):
        msg = f"`texts` has {len(texts)} items, but must have one for each of {len(problems)} problems"
        raise InvalidArgument(msg)
    return judged(texts, [_read(problem) for problem in problems], reading, stop_tokens)


def judged(
    texts: Sequence[str],
    posed: Sequence[ParsedProblem],
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
) -> Verdicts:
    """Like `score_all` for parsed problems."""
    of_families = [at for at, one in enumerate(posed) if one.row is None]
    verdicts = verify_all(
        [posed[at].family for at in of_families],
        [posed[at].problem for at in of_families],
        [texts[at] for at in of_families],
        reading,
        answers=[posed[at].answer for at in of_families],
        stop_tokens=stop_tokens,
    )
    if len(of_families) == len(posed):
        return verdicts
    found: list[Verdict | None] = [None] * len(posed)
    for at, verdict in zip(of_families, verdicts, strict=True):
        found[at] = verdict
    by_judge: dict[int, tuple[Judge, list[int]]] = {}
    for at, one in enumerate(posed):
        if one.row is not None:
            judge = one.row.verifier
            by_judge.setdefault(id(judge), (judge, []))[1].append(at)
    for judge, places in by_judge.values():
        references = [row.answer for at in places if (row := posed[at].row) is not None]
        for at, verdict in zip(places, judge([texts[at] for at in places], references), strict=True):
            found[at] = verdict
    return Verdicts(verdict for verdict in found if verdict is not None)


def is_problem(value: object) -> bool:
    """True if a value is JSON text with the shape of a problem of this package; data sets get mixed."""
    return isinstance(value, str) and _record(value) is not None


def task_of(problem: str) -> Task | Row:
    """Return the task behind a problem, for callers that need more than a verdict.

    Raises:
        InvalidTask: The JSON is not a task of this package.
        InvalidProblem: The family cannot pose this problem.
    """
    posed = _read(problem)
    return posed.row if posed.row is not None else Task.from_json(problem)


def source_of(
    source: str | SourceLike, *, level: int = 0, split: SplitName = "train", seed: int = 0
) -> TaskSource:
    """Return the source behind `source`; `level`, `split` and `seed` apply only to a family.

    Raises:
        ReasonEnvError: `source` is not a source, or it has its own level, split and seed.
    """
    if isinstance(source, str | Family):
        return as_source(source, "source", level=level, split=split, seed=seed)
    for name, value, usual in (("level", level, 0), ("split", split, "train"), ("seed", seed, 0)):
        if value != usual:
            msg = f"`{name}` is {_checks.shown(value)}, but this source has its own; leave it out"
            raise InvalidArgument(msg)
    return as_source(source, "source")


def items(
    source: str | SourceLike,
    n: int | None = None,
    *,
    start: int = 0,
    level: int = 0,
    split: SplitName = "train",
    seed: int = 0,
) -> Iterator[Task | Row]:
    """Yield the tasks `start .. start + n` of a source, made in chunks.

    Args:
        source: A family or its name, a source, a mixture, rows of `from_rows`, or tasks.
        n: Number of tasks. None takes all rows or tasks; a generator is unlimited and needs a number.
        start: Index of the first task.
        level: Level of a family.
        split: Split of a family.
        seed: Seed of a family.

    Raises:
        ReasonEnvError: An argument is invalid, or there are not enough rows or tasks.
    """
    found = source_of(source, level=level, split=split, seed=seed)
    first = _checks.whole("start", start, 0)
    size = count_of(found)
    left = _checks.LARGEST_COUNT if size is None else max(size - first, 0)
    count = left if n is None and size is not None else _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
    if not 0 < count <= left:
        msg = f"`n` is {n} from `start` {first}, but the source has {size} tasks"
        raise InvalidArgument(msg)
    return _made(found, first, count)


def _made(source: TaskSource, first: int, count: int) -> Iterator[Task | Row]:
    for at in range(0, count, _CHUNK):
        yield from source.batch(first + at, min(_CHUNK, count - at))


def columns(task: Task | Row) -> dict[str, Any]:
    """Return a task as flat columns, with the same names and types for all families.

    `prompt`, `problem` and `task_id` are those of `item`. `seed` and `index` are text, because a seed may
    exceed the signed integers of Arrow. Your own rows have no family, level, split or seed.
    """
    prompt, problem, task_id = item(task)
    row: dict[str, Any] = {"prompt": prompt, "problem": problem, "task_id": task_id}
    if isinstance(task, Row):
        return row | {"family": "rows", "level": None, "split": None, "seed": None, "index": str(task.number)}
    seed, index = (None if number is None else str(number) for number in (task.seed, task.index))
    return row | {
        "family": task.family,
        "level": task.level,
        "split": task.split,
        "seed": seed,
        "index": index,
    }


def rows(
    source: str | SourceLike,
    n: int | None = None,
    *,
    start: int = 0,
    level: int = 0,
    split: SplitName = "train",
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    """Yield the `columns` of each task; the arguments are those of `items`."""
    return map(columns, items(source, n, start=start, level=level, split=split, seed=seed))


def text_of(completion: object) -> str:
    """Return the text of a completion; of messages, that of the assistant's last one, or "" without text."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence):
        for message in reversed(completion):
            if isinstance(message, Mapping) and message.get("role") == "assistant":
                return _content(message.get("content"))
        if all(isinstance(message, Mapping) for message in completion):
            return ""
    msg = f"`completion` is {_checks.shown(completion)}, but must be text or messages"
    raise InvalidArgument(msg)


def _content(said: object) -> str:
    """Text of a message's content, which is text or a list of parts; only the text parts count."""
    if isinstance(said, str):
        return said
    parts = said if isinstance(said, Sequence) else ()
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


@contextmanager
def needs(module: str, package: str, install: str = "") -> Iterator[None]:
    """Turn a failed import within into an error that says what to install.

    Args:
        module: Name of the adapter and of its extra.
        package: Package that it needs.
        install: What to install if there is no such extra.

    Raises:
        ModuleNotFoundError: An import failed.
    """
    try:
        yield
    except ImportError as error:
        wanted = install or f"'reasonenv[{module}]'"
        said = f"reasonenv.integrations.{module} needs {package} ({error})"
        msg = f"{said}; install it with: pip install {wanted}"
        raise ModuleNotFoundError(msg, name=error.name) from error


@lru_cache(maxsize=4096)
def _record(problem: str) -> dict[str, Any] | None:
    """Parse JSON text with the fields of a problem, or return None. The result must not be changed.

    The completions of a group share their problem, so most calls hit the cache.
    """
    try:
        record = json.loads(problem)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    of_family = isinstance(record.get("family"), str) and isinstance(record.get("problem"), str)
    of_rows = isinstance(record.get("verifier"), dict) and isinstance(record.get("answer"), str)
    return record if of_family or of_rows else None


def read_once(problem: str) -> ParsedProblem:
    """Parse a problem without caching it, for servers with bounded memory.

    Raises:
        ReasonEnvError: As for `score`.
    """
    return _read(problem, _record.__wrapped__, Row.from_json)


def _read(
    problem: str,
    record_of: Callable[[str], dict[str, Any] | None] | None = None,
    row_of: Callable[[str], Row] | None = None,
) -> ParsedProblem:
    record = (record_of or _record)(problem) if isinstance(problem, str) else None
    if record is None:
        msg = f"`problem` is {_checks.shown(problem)}, but must be JSON as `item` gives it"
        raise InvalidTask(msg)
    if "verifier" in record:
        return ParsedProblem("", "", (row_of or _row)(problem))
    name, version = record["family"], record.get("version")
    # The same fields may mean something else in a later release.
    if isinstance(version, int) and version > (known := family(name).version):
        msg = f"`problem` has `version` {version}, but this release knows {name} up to version {known}"
        raise InvalidTask(msg)
    style = record.get("style")
    boxed = isinstance(style, dict) and style.get("answer") == "boxed"
    return ParsedProblem(name, record["problem"], None, "boxed" if boxed else "tag")


@lru_cache(maxsize=4096)
def _row(problem: str) -> Row:
    return Row.from_json(problem)
