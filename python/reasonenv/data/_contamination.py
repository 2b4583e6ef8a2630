"""Search for tasks in other files by their key, their prompt, or n-grams of the prompt."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from reasonenv import _checks
from reasonenv._files import called, lines
from reasonenv._native import InvalidArgument, ReasonEnvError, family

_WORD = re.compile(r"\w+|[^\w\s]")
_KEY = re.compile(r"[0-9a-f]{32}")

_RELATIVES = 64
"""Other problems with the same wording that show which n-grams belong to the family."""


@dataclass
class Contamination:
    """Result of a search for contamination."""

    tasks: int = 0
    """Number of tasks searched for."""
    same_key: int = 0
    """Tasks whose key is the `key` of a line: the same problem."""
    same_prompt: int = 0
    """Other tasks whose normalized prompt equals a text in the files."""
    overlapping: int = 0
    """Other tasks that share at least the threshold of their own n-grams with the files, which may quote the
    task or contain a similar one."""
    examples: list[dict[str, Any]] = field(default_factory=list)
    """First few findings: `task_id`, `why`, and `overlap`, the share of the task's own n-grams found."""

    @property
    def found(self) -> int:
        """Number of tasks that are certainly in the files, by key or by prompt."""
        return self.same_key + self.same_prompt

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, fit for JSON."""
        return {"tasks": self.tasks, "found": self.found} | asdict(self)


def find_contamination(
    tasks: Iterable[Mapping[str, Any]],
    files: Iterable[str | os.PathLike[str]],
    *,
    n: int = 13,
    threshold: float = 0.8,
    examples: int = 10,
) -> Contamination:
    """Search for tasks in files that others train or evaluate on.

    A line with `task_id` and `key`, as in our records, contains only the task with that key. All other text
    is searched for prompts and their n-grams. Texts are normalized: lower case, with one space between words
    and signs. N-grams shared with other problems of the family do not count.

    Args:
        tasks: Records of tasks.
        files: JSON lines (all text in them is searched) or plain text, one text per line.
        n: Words and signs per n-gram. A shorter prompt is one n-gram.
        threshold: Smallest share of a prompt's own n-grams that counts as overlapping, above 0.
        examples: Most examples to keep.

    Raises:
        ReasonEnvError: A file is not text; names it and the line.
        OSError: A file cannot be read; names it.
    """
    n = _checks.whole("n", n, 1, 1000)
    threshold = _checks.number("threshold", threshold, 0, 1)
    examples = _checks.whole("examples", examples, 0)
    if isinstance(files, str | os.PathLike | Mapping):
        msg = f"`files` is {_checks.shown(files)}, but must be several files, as in ['a.jsonl']"
        raise InvalidArgument(msg)
    keys: set[str] = set()
    prompts: set[int] = set()
    grams: set[int] = set()
    for path in files:
        for line in _lines(os.fspath(path)):
            keys.update(line.keys)
            for words in map(_words, line.texts):
                prompts.add(_digest(words))
                if not line.keys:
                    grams.update(_grams(words, n))
    shared: dict[str, dict[int, str | None]] = {}
    found = Contamination()
    for record in tasks:
        found.tasks += 1
        words = _words(record["prompt"])
        overlap = _overlap(record, list(_grams(words, n)), grams, n, shared)
        if record.get("key") in keys:
            why = "same_key"
        elif _digest(words) in prompts:
            why = "same_prompt"
        elif overlap >= threshold > 0:
            why = "overlapping"
        else:
            continue
        setattr(found, why, getattr(found, why) + 1)
        if len(found.examples) < examples:
            found.examples.append({"task_id": record["task_id"], "why": why, "overlap": overlap})
    return found


def _overlap(
    record: Mapping[str, Any],
    grams: list[int],
    known: set[int],
    n: int,
    shared: dict[str, dict[int, str | None]],
) -> float:
    """Share of a task's n-grams that are known, without those that other problems of its family have."""
    if not any(gram in known for gram in grams):
        return 0.0
    style = record.get("style") or {}
    words = {name: style[name] for name in ("template", "wrapper") if style.get(name) is not None}
    asked = {
        "params": record.get("params"),
        "level": record.get("level") or 0,
        "split": record.get("split") or "train",
        "style": words or None,
    }
    name = json.dumps([record.get("family"), asked], sort_keys=True)
    if name not in shared:
        shared[name] = _grams_of_relatives(record.get("family"), asked, n)
    owners, key = shared[name], record.get("key")
    own = [gram for gram in grams if owners.get(gram, key) == key]
    return sum(gram in known for gram in own) / max(1, len(own))


def _grams_of_relatives(name: object, asked: Mapping[str, Any], n: int) -> dict[int, str | None]:
    """N-grams of problems of a family in one wording, each with the only key that has it, or None."""
    try:
        batch = family(str(name)).source(seed=2**63, **asked).batch(0, _RELATIVES)
    except ReasonEnvError:
        # The family is not registered here, or the wording is of another release.
        return {}
    owners: dict[int, str | None] = {}
    for task in batch:
        for gram in _grams(_words(task.prompt), n):
            if owners.setdefault(gram, task.key) != task.key:
                owners[gram] = None
    return owners


class _Line(NamedTuple):
    texts: list[str]
    keys: list[str]
    """Keys of the tasks that the line declares."""


def _lines(path: str) -> Iterator[_Line]:
    _checks.path("files", called(path))
    for _, line in lines(path):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = line
        found = _Line([], [])
        _collect(content, found)
        yield found


def _collect(content: object, found: _Line, depth: int = 0) -> None:
    """Collect all texts within JSON, and the keys of the tasks in it."""
    if isinstance(content, str):
        found.texts.append(content)
    elif depth < 20 and isinstance(content, Mapping):
        key = content.get("key")
        if isinstance(key, str) and _KEY.fullmatch(key) and isinstance(content.get("task_id"), str):
            found.keys.append(key)
        for value in content.values():
            _collect(value, found, depth + 1)
    elif depth < 20 and isinstance(content, list):
        for value in content:
            _collect(value, found, depth + 1)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _grams(words: list[str], n: int) -> Iterator[int]:
    for start in range(max(1, len(words) - n + 1) if words else 0):
        yield _digest(words[start : start + n])


def _digest(words: list[str]) -> int:
    """64-bit digest: 10 million n-grams have a collision with a probability of 1 in 370,000."""
    return hash(" ".join(words))
