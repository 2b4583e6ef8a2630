"""Whether tasks are found in somebody else's files: by their key, their prompt, or long runs of its words."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reasonenv import _checks
from reasonenv._files import called, lines
from reasonenv._native import InvalidArgument

__all__ = ["Contamination", "find_contamination"]

_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass
class Contamination:
    """What was found."""

    tasks: int = 0
    """Tasks looked at."""
    same_key: int = 0
    """Tasks whose key is some line's `key`: the same puzzle."""
    same_prompt: int = 0
    """Other tasks whose normalized prompt is some text of the files."""
    overlapping: int = 0
    """Other tasks of whose prompt's n-grams at least the threshold are in the files."""
    examples: list[dict[str, Any]] = field(default_factory=list)
    """The first few: `task_id`, `why`, and `overlap`, the share of n-grams found."""

    @property
    def found(self) -> int:
        """Tasks that are contaminated."""
        return self.same_key + self.same_prompt + self.overlapping

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON."""
        names = ("tasks", "found", "same_key", "same_prompt", "overlapping", "examples")
        return {name: getattr(self, name) for name in names}


def find_contamination(
    tasks: Iterable[Mapping[str, Any]],
    files: Iterable[str | os.PathLike[str]],
    *,
    n: int = 13,
    threshold: float = 0.8,
    examples: int = 10,
) -> Contamination:
    """Looks for tasks in files that others train or evaluate on.

    Texts are normalized: lower case, words and signs one space apart. The wording of a family is the same in
    each of its tasks, so some n-grams of it are in any file that holds other tasks of that family; the
    threshold is there to tell these apart.

    Args:
        tasks: Records of tasks.
        files: JSON lines (all text in them is looked at, and `key`) or plain text, a text a line.
        n: Words and signs of an n-gram. A shorter prompt is one n-gram.
        threshold: The share of a prompt's n-grams from which on it counts as found, above 0.
        examples: The most examples kept.

    Raises:
        ReasonEnvError: A file is not text; names it and the line.
        OSError: A file cannot be read; names it.
    """
    n = _checks.whole("n", n, 1, 1000)
    threshold = _checks.number("threshold", threshold, 0, 1)
    examples = _checks.whole("examples", examples, 0)
    if isinstance(files, str | os.PathLike):
        msg = f"`files` is {_checks.shown(files)}, but must be several files, as in ['a.jsonl']"
        raise InvalidArgument(msg)
    keys: set[str] = set()
    prompts: set[int] = set()
    grams: set[int] = set()
    for path in files:
        for text, key in _texts(os.fspath(path)):
            if key is not None:
                keys.add(key)
            words = _words(text)
            prompts.add(_digest(words))
            grams.update(_grams(words, n))
    found = Contamination()
    for record in tasks:
        found.tasks += 1
        words = _words(record["prompt"])
        own = list(_grams(words, n))
        overlap = sum(gram in grams for gram in own) / max(1, len(own))
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


def _texts(path: str) -> Iterator[tuple[str, str | None]]:
    """All texts of a file, and the key of the line where it has one."""
    _checks.path("files", called(path))
    for _, line in lines(path):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = line
        key = content.get("key") if isinstance(content, Mapping) else None
        given = list(_within(content))
        for text in given:
            yield text, None
        if isinstance(key, str):
            yield "", key


def _within(content: object, depth: int = 0) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif depth < 20 and isinstance(content, Mapping):
        for value in content.values():
            yield from _within(value, depth + 1)
    elif depth < 20 and isinstance(content, list):
        for value in content:
            yield from _within(value, depth + 1)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _grams(words: list[str], n: int) -> Iterator[int]:
    for start in range(max(1, len(words) - n + 1) if words else 0):
        yield _digest(words[start : start + n])


def _digest(words: list[str]) -> int:
    """64 bits: of 10 million n-grams two are alike by chance with a chance of 1 in 370,000."""
    return int.from_bytes(
        hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest(), "big"
    )
