"""Building blocks of the adapters: the prompt and problem of a task, and the verdict on a completion.

A problem is JSON text, which fits into a row of any data set. Verification needs nothing else: no adapter
keeps a data set, a generator or a seed to score a completion.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from reasonenv import _checks
from reasonenv._native import (
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
from reasonenv.rewards._presets import RewardLike, every_part, resolve, resolve_judged
from reasonenv.rewards._weighted import Reward
from reasonenv.types import AnswerStyleName, ReadingName

GAME_REWARDS = ("outcome", "regret", "luck_free")
"""Rewards that games compute themselves."""


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
    reading: ReadingName | None = None
    reward: Any = None
    """Reward as data; None for the default."""


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
    reading = reading or posed.reading
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
    groups: dict[Any, list[int]] = {}
    for at, one in enumerate(posed):
        key = (reading or one.reading) if one.row is None else one.row.verifier
        groups.setdefault(id(key) if one.row else key, []).append(at)
    found: list[Verdict | None] = [None] * len(posed)
    for places in groups.values() or ([],):
        chosen, said = [posed[at] for at in places], [texts[at] for at in places]
        if places and (row := chosen[0].row) is not None:
            verdicts = row.verifier(said, [one.row.answer for one in chosen if one.row is not None])
        else:
            verdicts = verify_all(
                [one.family for one in chosen],
                [one.problem for one in chosen],
                said,
                reading or (chosen[0].reading if chosen else None),
                answers=[one.answer for one in chosen],
                stop_tokens=stop_tokens,
            )
        if len(places) == len(posed):
            return verdicts
        for at, verdict in zip(places, verdicts, strict=True):
            found[at] = verdict
    return Verdicts(verdict for verdict in found if verdict is not None)


def pay_all(
    texts: Sequence[str],
    problems: Sequence[str],
    reward: RewardLike | None = None,
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
) -> tuple[Verdicts, list[float]]:
    """Verify completions of problems of one turn; return the verdicts and rewards.

    Args:
        texts: The completions.
        problems: Their problems.
        reward: A reward for all. None: that of each problem, "binary" unless its row says otherwise.
        reading: A reading for all. None: that of each problem.
        stop_tokens: As in `Task.verify`.

    Raises:
        ReasonEnvError: As for `score_all`, or the reward does not exist.
    """
    posed = [_read(problem) for problem in problems]
    verdicts = judged(texts, posed, reading, stop_tokens)
    return verdicts, paid(verdicts, texts, posed, reward)


def paid(
    verdicts: Verdicts, texts: Sequence[str], posed: Sequence[ParsedProblem], reward: RewardLike | None = None
) -> list[float]:
    """Return the reward of each verdict: one for all, or that of each problem."""
    if reward is not None or len({json.dumps(one.reward) for one in posed}) < 2:
        paying = reward_of(reward if reward is not None else posed[0].reward if posed else None)
        found: list[float] = paying(verdicts, texts).tolist()
        return found
    pairs = zip(posed, verdicts, texts, strict=True)
    return [float(reward_of(one.reward)(verdict, text)) for one, verdict, text in pairs]


def reward_of(reward: Any, *, is_game: bool = False) -> Reward:
    """Return a reward from its name, its weights or its data, with a cache: trainers ask per completion.

    The weights of a game have nothing to guard: a game has outcomes instead of right answers.

    Raises:
        ReasonEnvError: It does not exist, or has a part that is measured elsewhere.
    """
    if isinstance(reward, Reward):
        return reward
    # A mapping from a configuration need not be a dict.
    given = dict(reward) if isinstance(reward, Mapping) else reward
    if is_game and isinstance(given, dict) and "weights" not in given:
        given = {"weights": given, "guard": False}
    try:
        return _reward(json.dumps("binary" if given is None else given))
    except TypeError:
        return resolve_judged(given, every_part())  # raises the error


@lru_cache(maxsize=64)
def _reward(data: str) -> Reward:
    given = json.loads(data)
    if isinstance(given, dict) and isinstance(given.get("weights"), dict):
        return Reward(given.pop("weights"), **given)
    return resolve(given, every_part())


def reward_data(reward: Any, *, is_game: bool = False) -> Any:
    """Return a reward as data for JSON, or None for the default; a bad one raises an error."""
    if reward is None or (is_game and isinstance(reward, str) and reward in GAME_REWARDS):
        return reward
    found = reward_of(reward, is_game=is_game)
    if not isinstance(reward, Reward):
        return dict(reward) if isinstance(reward, Mapping) else reward
    data: dict[str, Any] = {"weights": found.weights, "guard": found.guard}
    return data | {"length_unit": found.length_unit, "length_per": found.length_per}


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
    if posed.row is not None:
        return posed.row
    record = _record(problem)
    return Task.from_json(problem if record is None or "task" not in record else record["task"])


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


def text_of(completion: object) -> str:
    """Return the text of a completion; of messages, that of the assistant's last one, or "" without text."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence):
        for message in reversed(completion):
            if isinstance(message, Mapping) and message.get("role") == "assistant":
                return content_of(message.get("content"))
        if all(isinstance(message, Mapping) for message in completion):
            return ""
    msg = f"`completion` is {_checks.shown(completion)}, but must be text or messages"
    raise InvalidArgument(msg)


def content_of(said: object) -> str:
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
    if record.get("turns") == "single" and isinstance(record.get("task"), str):
        return record
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
    if "task" in record:
        inner = _read(record["task"], record_of, row_of)
        return inner._replace(reading=record.get("reading"), reward=record.get("reward"))
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
