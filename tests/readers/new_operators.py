"""Reads new_operators: the exact value of an expression in operators that the prompt defines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import floor
from random import Random

SIGN = r"(?:[a-z]+|[@#&~])"
EXPRESSION = rf"(?P<expression>[( ]*\d+\)*(?: {SIGN} \(*\d+\)*)*)"
GRAMMAR = r"(?P<grammar>[^.\n]+)"
DEFINED = (
    r"For numbers a and b, with \+, -, \* and / as usual, let\n\n(?P<definitions>.+?)\n\n"
    rf"(?:Parentheses come first\. Otherwise, {GRAMMAR}\. )?Evaluate {EXPRESSION}\.\n"
)
MESSAGE = (
    r"My sister invents her own arithmetic\. This is what she wrote down \(\+, -, \* and / mean "
    r"what they always do\):\n\n(?P<definitions>.+?)\n\n"
    rf"(?:She says that parentheses are used as usual, and that {GRAMMAR}\. )?Now she wants me to work out "
    rf"{EXPRESSION}, without rounding\. What is the result\?\n"
)
LANGUAGE = (
    r"A programming language has the usual operators \+, -, \* and /, and lets you define more\. A program "
    r"begins with these definitions:\n\n"
    r"(?P<definitions>.+?)\n\n(?:Expressions in parentheses are evaluated first\. Apart from that, "
    rf"{GRAMMAR}\. )?Its arithmetic is exact\. What does it print for\n\nprint {EXPRESSION}\n\n"
)
PLANET = (
    r"On a distant planet, children know \+, -, \* and / as we do, and then learn to calculate like this:\n\n"
    r"(?P<definitions>.+?)\n\n"
    rf"(?:There, too, parentheses go first\. In addition, {GRAMMAR}\. )?What is the exact value of "
    rf"{EXPRESSION}\?\n"
)
SPECIFICATION = (
    r"Definitions, with \* for multiplication, / for exact division and the usual precedence:\n"
    r"(?P<definitions>.+?)\n"
    rf"(?:Grammar: parentheses first; {GRAMMAR}\.\n)?Expression: {EXPRESSION}\n\nCompute its value\.\n"
)
LAST = (
    r"Give your answer as one fraction in lowest terms, such as 3/4 or -5/2, or as one integer if it is "
    r"whole, inside <answer></answer> tags, and write nothing after them\."
)
# Each whole text with the form of its definitions.
WORDINGS = (
    (DEFINED, "a {} b = {}"),
    (MESSAGE, "a {} b = {}"),
    (LANGUAGE, "define a {} b as {}"),
    (PLANET, "- a {} b is {}"),
    (SPECIFICATION, "  a {} b := {}"),
)
FORMULA = r"[\dab+*/() -]+"
FORMULAS = rf"({FORMULA}?)(?: if (a > b|a and b differ by more than \d+), and ({FORMULA}) otherwise)?"

# Ways to write p / q; those of the second kind are right only here and there.
RIGHT = "{x}| {x}|{x}\n|\n{x} |\t{x}\r\n"
WRONG = (
    "+{size}|-{size}|--{x}|- {size}|({x})|{minus}{size}|{p}/{q}|{twice}/{two}|{less}/-{q}|{less}/{q}"
    "|{p} / {q}|0{x}|{p}/0{q}|{p}/+{q}|{p}/{more}|{p}/|/{q}|{q}/{p}|{p}:{q}|{p}//{q}|{p}/{q}/1|{p}/0|{near}"
    "|{near:.3f}|{x}.0|{p:,}|{p:,}/{q}|{whole} {rest}/{q}|{whole} + {rest}/{q}|= {x}|x = {x}|{x}."
    "|{x}, {x}|{x} {x}|\\frac{{{p}}}{{{q}}}|${x}$|**{x}**|{p}e0|{p}_0|nan|inf|zero|"
)

Operator = Callable[[Fraction, Fraction], Fraction]
USUAL: dict[str, Operator] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


@dataclass(frozen=True)
class Language:
    """Operators, how strongly each of them binds, and those that group from the right."""

    operators: dict[str, Operator]
    strength: dict[str, int]
    right: frozenset[str] = frozenset()

    def value(self, text: str, **names: Fraction) -> Fraction:
        words = re.findall(r"[^\s()]+|[()]", text)

        def operand() -> Fraction:
            word = words.pop(0)
            if word != "(":
                return names[word] if word in names else Fraction(int(word))
            inner = chain(0)
            assert words.pop(0) == ")", text
            return inner

        def chain(least: int) -> Fraction:
            """Operands joined by operators of at least this strength."""
            total = operand()
            while words and words[0] != ")" and self.strength[words[0]] >= least:
                sign = words.pop(0)
                other = chain(self.strength[sign] + (sign not in self.right))
                total = self.operators[sign](total, other)
            return total

        whole = chain(0)
        assert not words, text
        return whole


ARITHMETIC = Language(USUAL, {"+": 0, "-": 0, "*": 1, "/": 1})


def operator(body: str, shift: int = 0, turned: bool = False) -> Operator:
    """The meaning of a definition; `shift` moves the bound of "differ", and `turned` takes the other case."""
    match = re.fullmatch(FORMULAS, body)
    assert match, body
    one, condition, two = match.groups()

    def apply(a: Fraction, b: Fraction) -> Fraction:
        if condition is None:
            return ARITHMETIC.value(one, a=a, b=b)
        met = a > b if condition == "a > b" else abs(a - b) > int(condition.split(" ")[-1]) + shift
        return ARITHMETIC.value(one if met != turned else two, a=a, b=b)

    return apply


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[dict[str, str], Language, str]:
    """The definition of each operator, all of them together, and the expression."""
    found = [(re.fullmatch(text + LAST, prompt, re.DOTALL), form) for text, form in WORDINGS]
    ((match, form),) = [(match, form) for match, form in found if match]
    pattern = re.escape(form).replace(r"\{\}", f"({SIGN})", 1).replace(r"\{\}", "(.+)")
    bodies = {}
    for line in match["definitions"].split("\n"):
        definition = re.fullmatch(pattern, line)
        assert definition, line
        assert definition[1] not in bodies
        bodies[definition[1]] = definition[2]
    signs, right = [*bodies], set()
    used = re.findall(rf"(?<= ){SIGN}(?= )", match["expression"])
    assert {*used} <= {*signs}
    if match["grammar"] is None:
        assert len(used) == len(signs) == 1
    else:
        clauses = match["grammar"].split("; ")
        told = [f"{one} binds more strongly than {two}" for one, two in pairwise(signs)]
        assert clauses[: len(told)] == told
        for sign, clause in zip(signs, clauses[len(told) :], strict=True):
            chain = f"x {sign} y {sign} z means "
            assert clause in (f"{chain}(x {sign} y) {sign} z", f"{chain}x {sign} (y {sign} z)")
            if clause.endswith(")"):
                right.add(sign)
    operators = {sign: operator(body) for sign, body in bodies.items()}
    strength = {sign: -place for place, sign in enumerate(signs, start=-len(signs))}
    return bodies, Language(operators, strength, frozenset(right)), match["expression"]


@lru_cache(maxsize=64)
def solved(prompt: str) -> Fraction:
    _, language, expression = read(prompt)
    return language.value(expression)


def judge(prompt: str, answer: str) -> bool:
    match = re.fullmatch(
        r"[ \t\r\n]*(0|-?[1-9][0-9]*)(?: */ *([1-9][0-9]*))?[ \t\r\n]*", answer.replace("−", "-")
    )
    value = solved(prompt)
    if match is None or (match[2] is None) != (value.denominator == 1):
        return False
    return (int(match[1]), int(match[2] or 1)) == value.as_integer_ratio()


def adapted(own: Operator, way: str) -> Operator:
    """The operator with its sides swapped, or with its value made whole."""
    if way == "swap":
        return lambda a, b: own(b, a)
    return lambda a, b: Fraction(floor(own(a, b)) if way == "floor" else round(own(a, b)))


def mistaken(prompt: str, rng: Random) -> Iterator[Fraction]:
    """Values that come of a rule misread."""
    bodies, language, expression = read(prompt)
    operators, strength, signs = language.operators, language.strength, [*bodies]
    languages = [replace(language, right=frozenset(right)) for right in ((), signs)]
    languages.append(replace(language, right=frozenset({*signs} - language.right)))
    languages.append(replace(language, strength={sign: -x + len(signs) for sign, x in strength.items()}))
    languages.append(replace(language, strength=dict.fromkeys(signs, 0), right=frozenset()))
    for sign in signs:
        own, body = operators[sign], bodies[sign]
        changes = [operator(body, turned=True), operator(body, shift=-1), operator(body, shift=1)]
        changes += [adapted(own, way) for way in ("swap", "floor", "round")]
        languages += [replace(language, operators=operators | {sign: change}) for change in changes]
    yield from (one.value(expression) for one in languages)
    if "(" in expression:
        yield language.value(re.sub("[()]", "", expression))
    numbers = re.findall(r"\d+", expression)
    old = rng.choice(numbers)
    yield language.value(re.sub(rf"\b{old}\b", str(int(old) + 1), expression))
    yield Fraction(sum(map(int, numbers)))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    x, (*_, expression) = solved(prompt), read(prompt)
    p, q = x.as_integer_ratio()
    near = (x + 1, x - 1, -x, x + Fraction(1, q), 2 * x, x / 2, x * q, floor(x), round(x))
    yield from map(str, [*near, *mistaken(prompt, rng)])
    signed = {"less": -p, "size": abs(x), "minus": "\u2212", "twice": 2 * p, "two": 2 * q, "more": q + 1}
    parts = {"x": x, "p": p, "q": q, "near": float(x), "whole": p // q, "rest": p % q, **signed}
    shapes = [
        *RIGHT.split("|") * 3,
        *WRONG.split("|"),
        f"0{p}/{q}",
        "+" * (x > 0) + str(x),
        hex(p),
        expression,
    ]
    yield from (shape.format(**parts) for shape in shapes)
