"""object_tracking, played once more from the words of its prompts."""

import re

import pytest
import reasonenv

pytestmark = pytest.mark.slow

COUNT = 1_000

NAME = r"[A-Z][a-z]+"
WHO = rf"(?:{NAME}|[Ww]hoever has the [a-z]+)"
STEP = re.compile(
    rf"If (?P<person>{NAME}) has the (?P<thing>[a-z]+), (?P<a>{WHO}) and (?P<b>{WHO}) swap; "
    rf"otherwise, (?P<c>{WHO}) and (?P<d>{WHO}) swap\."
    rf"|All at once, (?P<from>{NAME}) gives to (?P<to>{NAME}), (?P=to) gives to (?P<last>{NAME}), "
    rf"and (?P=last) gives to (?P=from)\."
    rf"|(?P<next>All at once, each but the last gives to the next, and {NAME} gives to {NAME}\.)"
    rf"|(?P<one>{WHO}) and (?P<other>{WHO}) swap\."
)


def ends(prompt: str) -> list[str]:
    """Things that they have after all steps, in order of the people."""
    has = {name: thing for name, thing in re.findall(rf"\b({NAME}): ([a-z]+)\b", prompt) if name != "Query"}

    def swap(one: str, other: str) -> None:
        found = []
        for who in (one, other):
            thing = re.fullmatch(r"[Ww]hoever has the ([a-z]+)", who)
            found.append(next(name for name in has if has[name] == thing[1]) if thing else who)
        has[found[0]], has[found[1]] = has[found[1]], has[found[0]]

    for step in STEP.finditer(prompt):
        if step["person"]:
            branch = "ab" if has[step["person"]] == step["thing"] else "cd"
            swap(step[branch[0]], step[branch[1]])
        elif step["from"]:
            first, second, third = step["from"], step["to"], step["last"]
            has |= {second: has[first], third: has[second], first: has[third]}
        elif step["next"]:
            things = list(has.values())
            has = dict(zip(has, things[-1:] + things[:-1], strict=True))
        else:
            swap(step["one"], step["other"])
    return list(has.values())


def test_who_has_what_is_as_the_prompt_says() -> None:
    family = reasonenv.family("object_tracking")
    right = wrong = 0
    for at in range(COUNT):
        task = family.sample(seed=12, index=at, level=at % (family.top_level + 1), split="eval")
        end = ends(task.prompt)
        for answer in [task.solution.answer, *task.wrong_answers(seed=at), *task.shortcuts(seed=at).values()]:
            passes = answer.split(", ") == end
            verdict = task.verify(task.wrap(answer))
            assert verdict.passed == passes, (task.id, answer, verdict.detail)
            right, wrong = right + passes, wrong + (not passes)
    assert min(right, wrong) >= COUNT
