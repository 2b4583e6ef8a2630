"""Reads button_lock: fewest presses that bring a lock to a number, proved by a search through its states."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random
from string import ascii_uppercase
from typing import NamedTuple

# "|" ends a line; what is in {} is the form of the lines that say what the buttons do.
WORDINGS = """
A lock shows the number START, and its lamp is LAMP. What a button does depends on the color that the lamp has
before it is pressed:||{- BUTTON, if the lamp is BEFORE: number CHANGE; then the lamp is AFTER}||A press that
would take the number below 0 or above TOP is not possible. The lock opens when it shows GOAL, whatever the
color of the lamp. Find a shortest sequence of presses after which it does. If there are several, any of them
will do.|

n = START|lamp = LAMP||Each instruction has one line for each value of lamp. The line for the value before it
runs says how it changes n, and then sets lamp to the value after the arrow.||{BUTTON [BEFORE]: n = n CHANGE
-> AFTER}||It is an error if n becomes negative or more than TOP. Write a shortest program that runs without
an error and ends with n = GOAL; lamp may have any value then. Any program of that length is accepted.|

My bike has one of these crazy puzzle locks and I can't get it open. It shows START now and has to show GOAL.
The light on it is LAMP at the moment, and what each button does depends on the light's color. I wrote it all
down (number, then the new color of the light; * means times):||{BUTTON when BEFORE: number CHANGE, then
AFTER}||The number can't go above TOP or below 0, the button just won't go down then. Which buttons do I have
to push, one after the other, with as few pushes as possible? I don't care about the color in the end, and any
shortest way is fine.|

A stone idol has a counter on its chest, which is at START, and a gem that shines LAMP. If the counter is at
GOAL, the temple opens, however the gem shines. There are stones with letters, and a tablet says what happens
if someone steps on one, depending on how the gem shines just before:||{BUTTON with the gem BEFORE: counter
CHANGE, and the gem becomes AFTER}||A stone does not sink if it would take the counter below 0 or above TOP.
An explorer wants to open the temple in as few steps as possible. On which stones does she step, in order? Any
such way is fine.|

Lock puzzle||start: number START, lamp LAMP|goal: number GOAL, any lamp|range: 0 to TOP; a press whose result
is outside is not allowed||button,lamp before,change of number,lamp after|{BUTTON,BEFORE,CHANGE,AFTER}||(*
multiplies.)|Objective: fewest presses; any shortest sequence is accepted||
"""
LAST = (
    "Give the letters, in order, each like A, separated by commas, inside <answer></answer> tags, "
    "and write nothing after them."
)
BLANKS = {
    **dict.fromkeys(("START", "GOAL", "TOP"), r"0|[1-9]\d*"),
    **dict.fromkeys(("LAMP", "BEFORE", "AFTER"), "red|green|blue"),
    "BUTTON": "[A-Z]",
    "CHANGE": r"[-+] [1-9]\d*|\* [23]",
}


State = tuple[int, str]


def pattern(form: str) -> str:
    escaped = re.escape(form.replace("|", "\n"))
    return re.sub(rf"\b({'|'.join(BLANKS)})\b", lambda name: f"(?P<{name[0]}>{BLANKS[name[0]]})", escaped)


def patterns(wording: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a whole prompt and of a line about a button."""
    before, line, after = re.split("[{}]", wording.replace("\n", " "))
    lines = r"(?P<LINES>[^\n]+(?:\n[^\n]+)*)"
    return re.compile(pattern(before) + lines + pattern(after + LAST)), re.compile(pattern(line))


PATTERNS = [patterns(wording) for wording in WORDINGS.strip("\n").split("\n\n")]


class Lock(NamedTuple):
    """`rules` has the operator, the operand and the new color for each button and color before."""

    start: State
    goal: int
    low: int
    top: int
    rules: dict[tuple[str, str], tuple[str, int, str]]


@lru_cache(maxsize=64)
def read(prompt: str) -> Lock:
    ((said, form),) = [(said, form) for whole, form in PATTERNS if (said := whole.fullmatch(prompt))]
    lines = [form.fullmatch(line) for line in said["LINES"].split("\n")]
    rules: dict[tuple[str, str], tuple[str, int, str]] = {}
    for line in lines:
        assert line, prompt
        operator, operand = line["CHANGE"].split(" ")
        rules[line["BUTTON"], line["BEFORE"]] = (operator, int(operand), line["AFTER"])
    colors = ["red", "green", "blue"][: 3 if "blue" in said["LINES"] else 2]
    letters = ascii_uppercase[: len(lines) // len(colors)]
    assert len(lines) == len(rules), prompt
    assert [*rules] == [*product(letters, colors)], prompt
    assert {said["LAMP"], *(after for _, _, after in rules.values())} <= {*colors}, prompt
    start, goal, top = (int(said[name]) for name in ("START", "GOAL", "TOP"))
    assert start != goal, prompt
    assert max(start, goal) <= top, prompt
    return Lock((start, said["LAMP"]), goal, 0, top, rules)


def buttons_of(lock: Lock) -> list[str]:
    return sorted({button for button, _ in lock.rules})


def press(lock: Lock, state: State, button: str) -> State | None:
    """The number and the color after a press; None if it isn't possible or there is no such button."""
    number, color = state
    if (button, color) not in lock.rules:
        return None
    operator, operand, after = lock.rules[button, color]
    number = number * operand if operator == "*" else number + int(f"{operator}{operand}")
    return (number, after) if lock.low <= number <= lock.top else None


def layers(lock: Lock) -> list[list[State]]:
    """The states by the number of presses that they need, as far as the first that opens the lock."""
    found, seen = [[lock.start]], {lock.start}
    while found[-1] and all(number != lock.goal for number, _ in found[-1]):
        after = [press(lock, state, button) for state, button in product(found[-1], buttons_of(lock))]
        new = dict.fromkeys(state for state in after if state and state not in seen)
        seen |= new.keys()
        found.append([*new])
    return found


@lru_cache(maxsize=64)
def fewest(prompt: str) -> int:
    found = layers(read(prompt))
    assert found[-1], prompt
    return len(found) - 1


def run(lock: Lock, buttons: list[str]) -> State | None:
    state: State | None = lock.start
    for button in buttons:
        state = state and press(lock, state, button)
    return state


def judge(prompt: str, answer: str) -> bool:
    lock = read(prompt)
    buttons = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    end = run(lock, buttons)
    return end is not None and end[0] == lock.goal and len(buttons) == fewest(prompt)


def shortest(lock: Lock, rng: Random) -> list[str]:
    """A shortest sequence, drawn press by press from its end; empty if there is none."""
    *before, last = layers(lock)
    ends = {state for state in last if state[0] == lock.goal}
    buttons: list[str] = []
    for layer in reversed(before):
        pairs = product(layer, buttons_of(lock))
        ways = [(state, name) for state, name in pairs if press(lock, state, name) in ends]
        if not ways:
            return []
        state, name = rng.choice(ways)
        ends, buttons = {state}, [name, *buttons]
    return buttons


def misread(lock: Lock, rng: Random) -> Iterator[Lock]:
    """The lock as someone may take it who gets one thing wrong."""
    (number, color), rules = lock.start, lock.rules
    others = sorted({before for _, before in rules} - {color})
    yield lock._replace(start=(number, rng.choice(others)))
    yield lock._replace(start=(number + rng.choice((-1, 1)), color))
    yield lock._replace(goal=lock.goal + rng.choice((-1, 1)))
    yield lock._replace(start=(lock.goal, color), goal=number)
    yield lock._replace(low=-lock.top // 2)
    yield lock._replace(top=2 * lock.top)
    yield lock._replace(low=1)
    yield lock._replace(top=lock.top - 1)
    yield lock._replace(low=-lock.top, top=2 * lock.top)
    yield lock._replace(rules={key: (*rule[:2], key[1]) for key, rule in rules.items()})
    # The number changes by the color that the lamp has after the press.
    yield lock._replace(rules={key: (*rules[key[0], new][:2], new) for key, (_, _, new) in rules.items()})
    (one, rule), (two, other) = rng.sample(sorted(rules.items()), 2)
    yield lock._replace(rules={**rules, one: other, two: rule})
    sign, by, new = rule
    yield lock._replace(rules={**rules, one: (sign, by + 1, new)})
    yield lock._replace(rules={**rules, one: ({"+": "-", "-": "+", "*": "+"}[sign], by, new)})
    yield lock._replace(rules={**rules, one: (sign, by, rng.choice(others))})


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Shortest sequences, longer ones, those of a lock misread, changed ones, and malformed lists."""
    lock = read(prompt)
    names = buttons_of(lock)
    for between in (", ", ",", ",\n", " , ", "\n, "):
        yield between.join(shortest(lock, rng))
    best = shortest(lock, rng)
    yield f"\n{', '.join(best)} \n"

    lists = [shortest(other, rng) for other in rng.sample([*misread(lock, rng)], 6)]
    for many in (1, 1, 2, 3):  # From somewhere else, the rest of the way is often longer than need be.
        detour = rng.choices(names, k=many)
        state = run(lock, detour)
        lists += [detour + shortest(lock._replace(start=state), rng)] if state else []
    for _ in range(4):
        at, name = rng.randrange(len(best)), rng.choice(names)
        other = rng.randrange(len(best))
        swapped = [best[{at: other, other: at}.get(i, i)] for i in range(len(best))]
        lists += [swapped, [*best[:at], name, *best[at + 1 :]], [*best[:at], name, *best[at:]]]
        lists += [best[:at] + best[at + 1 :], [*best[:at], "Z", *best[at + 1 :]]]
    for at in range(len(best)):  # A press that isn't possible, as if it did nothing.
        state = run(lock, best[:at])
        stuck = [name for name in names if state and not press(lock, state, name)]
        lists += [[*best[:at], name, *best[at:]] for name in stuck[:1]]
    lists += [best[::-1], sorted(best), [*best[1:], best[0]], best[:-1], [*best, best[-1]], [*best, *best]]
    lists += [[*best, rng.choice(names)], rng.choices(names, k=len(best)), names]
    lists.append([*best[:-1], chr(ord("A") + len(names))])
    lists += [[name.lower() for name in best], [str(ord(name) - 64) for name in best]]
    yield from map(", ".join, lists)
    yield from (between.join(best) for between in (" ", "", "\n", "; ", " -> ", ", and ", ",, "))
    text = ", ".join(best)
    yield from (f"{text},", f"{text}.", f", {text}", f"[{text}]", f'"{text}"', f"{text}, ...")
    yield from (", ".join(f"button {name}" for name in best), ", ".join(f"'{name}'" for name in best))
    yield from (f"{best[0]} x {len(best)}", str(len(best)), "")
