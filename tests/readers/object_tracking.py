"""Reads object_tracking: people swap and give things, step by step; who has what at the end?"""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

NAME = "[A-Z][a-z]+"
SWAP = r"(?:whoever has the [a-z]+|NAME) and (?:whoever has the [a-z]+|NAME) swap".replace("NAME", NAME)
# "|" ends a line; STEPS are lines that begin in the way given, and # is the number of a line.
WORDINGS = {
    "#. ": """
    NAMES sit in a row, in this order, and have one thing each:||THINGS||Then they do the following, one step
    after the other. Two who swap exchange what they have at that time; if both are the same person,
    nothing changes.||STEPS||Who has what after the last step?|
    """,
    "- ": """
    We played a silly game at my birthday, and now nobody remembers who went home with which present. We sat
    in a line: NAMES, in that order. At first we had these: THINGS. Everything that happened then, in order:||
    STEPS||(To swap means to exchange presents, and nothing changed if it was the same person twice.) Who has
    which present now?|
    """,
    "# #: ": """
    has = {THINGS}||The keys are in this order: NAMES. If two keys swap, their values at that time are
    exchanged; a swap of a key with itself changes nothing. If one key gives to another, the other gets its
    value. Whoever has a value is the key with it at that time, and the next is the next key in
    order.||STEPS||What are the values of the keys in the end?|
    """,
    "[#] ": """
    Owners (ordered list): NAMES|State 0: THINGS|Events (swap: the two owners exchange items, no change if
    they are the same; next: next in the ordered list):|STEPS|Query: state COUNT||
    """,
    "": """
    The passengers sat side by side on one long bench, NAMES, in that order. The inspector had noted what each
    of them held when the train left: THINGS. Then, he read, it went like this:||STEPS||Two who swapped
    exchanged what they held just then, and if both were the same person, nothing changed. What did each of
    them hold when the train arrived?|
    """,
}
LAST = (
    "Give the things of NAMES at the end, in this order, separated by commas, "
    "inside <answer></answer> tags, and write nothing after them."
)
FORMS = {
    "NAMES": f"(?P<names>{NAME}(?:, {NAME})+ and {NAME})",
    "THINGS": f"(?P<things>{NAME}: [a-z]+(?:, {NAME}: [a-z]+)+)",
    "STEPS": r"(?P<steps>[^\n]+(?:\n[^\n]+)*)",
    "COUNT": r"(?P<count>\d+)",
}
STEP = re.compile(
    rf"(?P<swap>{SWAP})\."
    rf"|If (?P<who>{NAME}) has the (?P<what>[a-z]+), (?P<then>{SWAP}); otherwise, (?P<otherwise>{SWAP})\."
    r"|All at once, (?:(?P<all>each but the last gives to the next)"
    rf"|(?P<two>{NAME} gives to {NAME}, {NAME} gives to {NAME}))"
    rf", and (?P<last>{NAME}) gives to (?P<first>{NAME})\."
)


class Story(NamedTuple):
    """Who has what at first, and the steps; `begins` is how the lines of the steps begin."""

    names: tuple[str, ...]
    things: tuple[str, ...]
    steps: tuple[re.Match[str], ...]


def pattern(wording: str) -> re.Pattern[str]:
    form = re.escape(re.sub(r"\| ", "|", " ".join(wording.split())).replace("|", "\n") + LAST)
    for name, part in FORMS.items():
        before, *after = form.split(name)
        again = re.sub(r"\(\?P<(\w+)>.*", r"(?P=\1)", part)
        form = part.join([before, again.join(after)]) if after else before
    return re.compile(form)


PATTERNS = {begin: pattern(wording) for begin, wording in WORDINGS.items()}


def listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


@lru_cache(maxsize=64)
def read(prompt: str) -> Story:
    ((begin, match),) = [(begin, m) for begin, form in PATTERNS.items() if (m := form.fullmatch(prompt))]
    pairs = [pair.split(": ") for pair in match["things"].split(", ")]
    names, things = tuple(name for name, _ in pairs), tuple(thing for _, thing in pairs)
    assert match["names"] == listed(names), prompt
    assert len({*names}) == len({*things}) == len(pairs), prompt
    lines, steps = match["steps"].split("\n"), []
    for number, line in enumerate(lines, 1):
        start = re.sub("#(?=[.:\\]])", str(number), begin)
        step = STEP.fullmatch(line[len(start) :].replace("Whoever", "whoever", 1))
        assert line.startswith(start), line
        assert step, line
        assert line[len(start)].isupper(), line
        assert {*re.findall(NAME, step[0])} <= {*names, "If", "All"}, line
        assert {*re.findall(r"has the (\w+)", step[0])} <= {*things}, line
        assert step["all"] is None or (step["first"], step["last"]) == (names[0], names[-1]), line
        if step["two"]:
            a, b, c, d = re.findall(NAME, step["two"])
            assert (b, d, step["first"]) == (c, step["last"], a), line
            assert len({a, b, d}) == 3, line
        steps.append(step)
    assert "count" not in match.groupdict() or int(match["count"]) == len(lines), prompt
    return Story(names, things, tuple(steps))


def final(story: Story, mistake: str = "", at: int = -1) -> list[str]:
    """The things at the end, in order; a reader may make a `mistake`, in step `at` or (-1) in all of them."""
    first = dict(zip(story.names, story.things, strict=True))
    has = dict(first)
    for number, step in enumerate(story.steps):
        wrong = mistake if at in (-1, number) else ""
        if wrong == "skip":
            continue
        swap = step["swap"]
        if step["who"]:
            met = (has[step["who"]] == step["what"]) != (wrong == "condition") and wrong != "otherwise"
            swap = step["then"] if met or wrong == "then" else step["otherwise"]
        if swap:
            owner = {thing: name for name, thing in (first if wrong == "owner" else has).items()}
            parts = swap.removesuffix(" swap").split(" and ")
            one, two = (owner.get(part.split(" ")[-1], part) for part in parts)
            has[one], has[two] = has[two], has[one]
            continue
        ring = [*story.names] if step["all"] else [*re.findall(NAME, step["two"])[::2], step["last"]]
        if wrong == "turned":
            ring.reverse()
        if wrong == "one by one":
            for one, two in zip(ring, [*ring[1:], ring[0]], strict=True):
                has[one], has[two] = has[two], has[one]
            continue
        held = [has[name] for name in ring]
        if wrong != "only rings" or not step["all"]:
            has |= zip(ring, held[-1:] + held[:-1], strict=True)
    return [has[name] for name in story.names]


def judge(prompt: str, answer: str) -> bool:
    return re.split(r"[ \n]*,[ \n]*", answer.strip(" \n")) == final(read(prompt))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    story = read(prompt)
    right, count = final(story), len(story.steps)

    def text(things: list[str], between: str = ", ") -> str:
        return between.join(things)

    for between in (", ", ",", ",\n", " , ", ",  ", "\n,"):
        yield text(right, between)
    yield from (f" {text(right)}", f"{text(right)}\n", f"\n{text(right)}\n")

    mistakes = ("skip", "condition", "then", "otherwise", "owner", "turned", "one by one", "only rings")
    yield from (text(final(story, mistake)) for mistake in mistakes)
    for mistake in mistakes:
        yield text(final(story, mistake, rng.randrange(count)))
    yield from (text(final(story._replace(steps=story.steps[:end]))) for end in (count - 1, count // 2))
    yield text(final(story._replace(steps=story.steps[1:])))
    yield text(final(story._replace(steps=story.steps[::-1])))
    yield text(final(story._replace(steps=(*story.steps, story.steps[-1]))))
    for _ in range(2):
        i, j = sorted(rng.sample(range(len(right)), 2))
        yield text([*right[:i], right[j], *right[i + 1 : j], right[i], *right[j + 1 :]])
        yield text([*right[:i], right[j], *right[i + 1 :]])
        yield text([*right[:i], rng.choice(["pen", "lamp", "nothing", "", "?"]), *right[i + 1 :]])
        yield text([*right[:i], story.names[i], *right[i + 1 :]])
        yield text(right[:i] + right[i + 1 :])
    lists = [right[::-1], right[1:] + right[:1], right[-1:] + right[:-1], sorted(right), [*right, right[0]]]
    lists += [right * 2, right[:1], [], [*story.names]]
    pairs = [*zip(story.names, right, strict=True)]
    forms = ("{}: {}", "{} {}", "{1}: {0}", "{} has the {}", "the {1}", '"{1}"', "{1}s")
    lists += [[form.format(*pair) for pair in pairs] for form in forms]
    lists += [[thing for _, thing in sorted(pairs)], [name for _, name in sorted((b, a) for a, b in pairs)]]
    yield from map(text, lists)
    yield from (text(right, between) for between in (" ", "\n", "; ", " -> ", ",, ", ", and ", ""))
    yield from (form.format(text(right)) for form in ("{}.", "{},", ", {}", "[{}]"))
    yield listed(tuple(right))
