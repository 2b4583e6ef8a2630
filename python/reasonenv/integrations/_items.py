"""What every trainer's adapter is made of: an item's prompt and problem, and a verdict on a text.

The problem is JSON in text, which a row of any data set holds. It is all that judging needs: no adapter keeps
a data set, a generator or a seed to score a completion.
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
"""Tasks made at once."""


class Item(NamedTuple):
    """What a trainer is given of a task."""

    prompt: str
    problem: str
    """JSON: all that judging needs. It gives the answer away: no policy may see it."""
    task_id: str


class ParsedProblem(NamedTuple):
    """A problem as it was read: of a family, or a row with its verifier."""

    family: str
    problem: str
    row: Row | None
    answer: AnswerStyleName = "tag"


def item(task: Task | Row) -> Item:
    """A task's prompt, its problem as JSON in text, and its id.

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
    """Judges a completion of a problem given as JSON: pure, thread-safe, without the GIL where that pays.

    Args:
        text: The completion, whatever it is.
        problem: What `item` gave, or an object of `family`, `problem` and `style`, as verl's rows have it.
        reading: As in `Task.verify`; a row's verifier has its own.
        stop_tokens: As in `Task.verify`; likewise.

    Raises:
        InvalidTask: The JSON is no problem of ours, or one of a later release.
        InvalidProblem: Its family could not have posed it.
        UnknownFamily: There is no such family.
        InvalidArgument: `text` is no text.
    """
    if not isinstance(text, str):  # `_checks.text` refuses halves of surrogate pairs, which get a verdict
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
    """`score` of many completions, each of its own problem, in order and in parallel.

    Raises:
        InvalidArgument: There are not as many texts as problems.
        ReasonEnvError: As `score`, for the first bad problem.
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
    """`score_all` of problems that were read."""
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
        truths = [row.answer for at in places if (row := posed[at].row) is not None]
        for at, verdict in zip(places, judge([texts[at] for at in places], truths), strict=True):
            found[at] = verdict
    return Verdicts(verdict for verdict in found if verdict is not None)


def is_problem(value: object) -> bool:
    """Whether a value is JSON in text that has the shape of a problem of ours; data sets get mixed."""
    return isinstance(value, str) and _record(value) is not None


def task_of(problem: str) -> Task | Row:
    """The task that a problem was made from, for what needs more than a verdict.

    Raises:
        InvalidTask: The JSON is no task of ours.
        InvalidProblem: Its family could not have posed it.
    """
    posed = _read(problem)
    return posed.row if posed.row is not None else Task.from_json(problem)


def source_of(
    source: str | SourceLike, *, level: int = 0, split: SplitName = "train", seed: int = 0
) -> TaskSource:
    """What makes or holds the tasks that are meant; `level`, `split` and `seed` are those of a family alone.

    Raises:
        ReasonEnvError: It names no source, or one that has a level, split and seed of its own.
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
    """The tasks `start .. start + n` of a source, one after the other, made in chunks.

    Args:
        source: A family or its name, a source, a mixture, rows of `from_rows`, or tasks.
        n: How many. None: all that rows or tasks have; what generates tasks has no end and wants a number.
        start: The first one's index.
        level: Of a family.
        split: Of a family.
        seed: Of a family.

    Raises:
        ReasonEnvError: An argument is not what it must be, or rows or tasks end before.
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
    """A task as flat columns of one type each, the same for all families.

    `prompt`, `problem` and `task_id` are those of `item`. `seed` and `index` are text: a seed may be larger
    than the signed integers of Arrow. Rows of one's own have no family, level, split or seed.
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
    """`columns` of `items`, whose arguments these are."""
    return map(columns, items(source, n, start=start, level=level, split=split, seed=seed))


def text_of(completion: object) -> str:
    """A completion's text: of messages that of the last one by the assistant, "" where it says nothing."""
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
    """The text of a message's content: text, or parts, of which pictures and the like say nothing."""
    if isinstance(said, str):
        return said
    parts = said if isinstance(said, Sequence) else ()
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


@contextmanager
def needs(module: str, package: str, install: str = "") -> Iterator[None]:
    """Within it a missing package is an error that says how to get it.

    Args:
        module: The adapter, whose extra is of the same name.
        package: What it needs.
        install: What to install where there is no such extra.

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
    """The object that JSON holds, where it has the fields of a problem; nobody may change it.

    A group's completions share their problem, so that most calls find it read.
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
    """A problem as it is read, without remembering it: for servers, whose memory is bounded.

    Raises:
        ReasonEnvError: As `score`.
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
    # A later release may mean something else by the same fields.
    if isinstance(version, int) and version > (known := family(name).version):
        msg = f"`problem` has `version` {version}, but this release knows {name} up to version {known}"
        raise InvalidTask(msg)
    style = record.get("style")
    boxed = isinstance(style, dict) and style.get("answer") == "boxed"
    return ParsedProblem(name, record["problem"], None, "boxed" if boxed else "tag")


@lru_cache(maxsize=4096)
def _row(problem: str) -> Row:
    return Row.from_json(problem)
