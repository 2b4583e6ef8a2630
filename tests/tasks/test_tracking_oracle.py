"""object_tracking, played once more from the words of its prompts."""

import re

import pytest
import reasonenv

pytestmark = pytest.mark.slow

COUNT = 1_000


def name_list(text: str) -> list[str]:
    return re.split(r", | and ", text)


def ends(prompt: str) -> list[str]:
    """Reads the prompts that tell steps as sentences, one by one, and says who has what at the end, in order."""
    people = name_list(re.search(r"(?:In a row sit|sit in a row|of|: |list\): )?((?:[A-Z][a-z]+, )+[A-Z][a-z]+ and [A-Z][a-z]+)", prompt)[1])
    has = dict(re.findall(r"([A-Z][a-z]+): ([a-z]+)", prompt))
    assert list(has) == people

    def swap(one: str, other: str) -> None:
        has[one], has[other] = has[other], has[one]

    def who(thing: str) -> str:
        return next(person for person in people if has[person] == thing)

    name, thing = r"([A-Z][a-z]+)", r"([a-z]+)"
    rules = [
        (rf"{name} and {name} swap\.", swap),
        (
            rf"Whoever has the {thing} swaps with whoever has the {thing}\.",
            lambda one, other: swap(who(one), who(other)),
        ),
        (rf"{name} swaps with whoever has the {thing}\.", lambda one, other: swap(one, who(other))),
        (
            rf"At the same time, {name} gives to {name}, {name} gives to {name}, and {name} gives to {name}\.",
            lambda a, b, _b, c, _c, _a: has.update({b: has[a], c: has[b], a: has[c]}),
        ),
        (
            rf"At the same time, each gives to the next, and {name} gives to {name}\.",
            lambda *_: has.update(zip(people, [has[person] for person in people[-1:] + people[:-1]], strict=True)),
        ),
        (
            rf"At the same time, each gives to the one before, and {name} gives to {name}\.",
            lambda *_: has.update(zip(people, [has[person] for person in people[1:] + people[:1]], strict=True)),
        ),
        (
            rf"If {name} has the {thing}, {name} and {name} swap; otherwise {name} and {name} swap\.",
            lambda p, x, a, b, c, d: swap(a, b) if has[p] == x else swap(c, d),
        ),
    ]
    pattern = re.compile("|".join(f"(?:{rule})" for rule, _ in rules))
    first = prompt.index(":", prompt.rindex(f"{people[-1]}: "))
    for step in pattern.finditer(prompt, first):
        for rule, play in rules:
            if found := re.fullmatch(rule, step[0]):
                play(*found.groups())
                break
    return [has[person] for person in people]


def test_who_has_what_is_as_the_prompt_says() -> None:
    family = reasonenv.family("object_tracking")
    right = wrong = index = 0
    while min(right, wrong) < COUNT:
        task = family.sample(seed=12, index=index, level=index % (family.top_level + 1), split="eval")
        index += 1
        if "swap(p, q)" in task.prompt:
            continue
        end = ends(task.prompt)
        for answer in [task.solution.answer, *task.wrong_answers(seed=index), *task.shortcuts(seed=index).values()]:
            passes = answer.split(", ") == end
            verdict = task.verify(task.wrap(answer))
            assert verdict.passed == passes, (task.id, answer, verdict.detail)
            right, wrong = right + passes, wrong + (not passes)
