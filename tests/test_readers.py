"""Verifiers written from the prompts alone agree with those of the library."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice, product
from random import Random
from typing import NamedTuple

import pytest
import readers
import reasonenv
from reasonenv.types import FamilyName, SplitName

READERS = {module.name for module in pkgutil.iter_modules(readers.__path__)}
NAMES = [name for name in reasonenv.list_families() if name in READERS]
SPLITS: tuple[SplitName, ...] = ("train", "test")


class Judged(NamedTuple):
    """A text and what both say of it; `source` is "solution", "wrong_answers" or "answers"."""

    prompt: str
    source: str
    answer: str
    reader: bool
    library: bool


def judged(name: FamilyName) -> Iterator[Judged]:
    """Ten texts of each item, round by round over all levels and both splits, without end.

    A reader may set `TOP_LEVEL`, the last level at which its solver is quick.
    """
    reader, family = import_module(f"readers.{name}"), reasonenv.family(name)
    top = getattr(reader, "TOP_LEVEL", family.top_level)
    for index in count():
        for level, split in product(range(top + 1), SPLITS):
            hidden = family.held_out_templates if split == "train" else []
            templates = [template for template in family.templates if template not in hidden]
            style = {"template": templates[(index + level) % len(templates)]}
            task = family.sample(seed=1, index=index, level=level, split=split, style=style)
            rng = Random(task.id)
            wrong, own = task.wrong_answers(seed=index), [*reader.answers(task.prompt, rng)]
            texts = [("solution", task.solution.answer)]
            texts += [("wrong_answers", text) for text in rng.sample(wrong, min(3, len(wrong)))]
            texts += [("answers", text) for text in rng.sample(own, min(6, len(own)))]
            for source, text in texts:
                library = task.verify(task.wrap(text)).passed
                yield Judged(task.prompt, source, text, reader.judge(task.prompt, text), library)


def check(name: FamilyName, verdicts: int) -> None:
    texts = [*islice(judged(name), verdicts)]
    apart = [text for text in texts if text.reader != text.library]
    for prompt, source, answer, reader, library in apart[:3]:
        print(f"{prompt}\n\n{source}: {answer!r}\nreader: {reader}, library: {library}\n")
    assert not apart, f"{len(apart)} of {verdicts} verdicts differ"
    passed = sum(text.library for text in texts)
    assert verdicts / 10 <= passed <= verdicts * 9 / 10


def test_readers_are_named_after_families() -> None:
    assert set(NAMES) == READERS


@pytest.mark.parametrize("name", NAMES)
def test_readers_agree_with_the_library(name: FamilyName) -> None:
    check(name, 150)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_readers_agree_with_the_library_on_many_texts(name: FamilyName) -> None:
    check(name, 20_000)
