"""Reads matrix_algebra: an exact determinant, inverse, product or power with remainders."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import lcm
from random import Random
from typing import NamedTuple

ROWS = r"-?\d+(?: -?\d+)*(?:\n-?\d+(?: -?\d+)*)*"
LISTS = r"\[\[[-\d, \[\]]+\]\]"
GRIDS = rf"A =\n(?P<a>{ROWS})\n\n(?:B =\n(?P<b>{ROWS})\n\n)?"
ASKED = (
    r"(?P<asked>the determinant of A|the inverse of A|the product A \* B"
    r"|the matrix power A\^(?P<power>\d+), with every entry reduced modulo (?P<m>\d+) to an integer from "
    r"0 to (?P<top>\d+))"
)
# Each whole text; what is said in `one` or `two` goes with the number of matrices.
WORDINGS = (
    rf"Compute {ASKED}, where\n\n{GRIDS}",
    (
        rf"Hi, I keep getting a different result every time I do this by hand\. I need {ASKED}\. Here "
        rf"(?:(?P<one>is the matrix)|(?P<two>are the matrices)), row by row:\n\n{GRIDS}"
        r"Can you work it out exactly, without rounding\?\n"
    ),
    (
        r"A program stores (?:(?P<one>a matrix as the list of its rows)"
        rf"|(?P<two>matrices as lists of their rows)):\n\nA = (?P<a>{LISTS})\n(?:B = (?P<b>{LISTS})\n)?"
        rf"\nWhat is {ASKED}\? All arithmetic is exact\.\n"
    ),
    rf"Exercise\. Let A = (?P<a>{LISTS})(?: and B = (?P<b>{LISTS}))?\. Find {ASKED}\.\n",
    (
        r"You are the calculator of a group of engineers, and they rely on exact results\. The next entry "
        rf"in their queue asks for {ASKED}\. The input, with one row of (?:(?P<one>the)|(?P<two>each)) "
        rf"matrix per line, is:\n\n{GRIDS}"
    ),
)
INTEGER = "Give your answer as one integer in digits, without separators"
MATRIX = "Give the matrix as {size} lines of {size} numbers separated by spaces"
LOWEST = ", each an integer or, where it is not whole, a fraction in lowest terms such as -5/2,"
LAST = ", inside <answer></answer> tags, and write nothing after them."

# Ways to write one number, to put marks around an answer, and to part numbers and lines.
SHAPES = (
    "{p}/{q}|0{size}|+{x}|+{size}|-{size}|-0{size}|--{x}|{x}.0|{x}.|x|{twice}/{two}|{less}/-{q}|{less}/{q}"
    "|{p} / {q}|{p}/|/{q}|({x})|{near:.4f}|{p:,}|{p}_0|{whole} {rest}/{q}|{minus}{size}|{p:#x}|{p}/0|{x} {x}|"
)
AROUND = ["[X]", "A = X", "X.", "X,", "$X$", "```\nX\n```", "X\nX", "X\n\nX", "X mod 7", ""]
BETWEEN = [("  ", "\n"), (" ", " \n "), (" ", "\r\n"), ("", "\n"), (", ", "\n"), (",", "\n"), ("\t", "\n")]
BETWEEN += [(" ", " "), (" ", "; "), (" ", "\n\n"), (" ", ",\n"), ("\n", "\n"), (" & ", " \\\\\n")]

Matrix = list[list[Fraction]]


class Task(NamedTuple):
    """The question, with B, the power and the modulus where there is one."""

    asked: str
    a: Matrix
    b: Matrix
    power: int
    m: int


def rows(text: str) -> Matrix:
    """A matrix as lines of numbers or as a list of lists."""
    if text.startswith("["):
        number = r"-?\d+"
        line = rf"\[{number}(?:, {number})*\]"
        assert re.fullmatch(rf"\[{line}(?:, {line})*\]", text), text
        text = text[2:-2].replace("], [", "\n").replace(",", "")
    matrix = [[Fraction(number) for number in line.split(" ")] for line in text.split("\n")]
    assert all(len(line) == len(matrix) for line in matrix), text
    return matrix


@lru_cache(maxsize=64)
def read(prompt: str) -> Task:
    start, form = re.split(r"(?=Give (?:your answer|the matrix) as )", prompt)
    (match,) = filter(None, (re.fullmatch(wording, start) for wording in WORDINGS))
    part = match.groupdict()
    asked, m = part["asked"].split(" ")[1], int(part["m"] or 0)
    a, b = rows(part["a"]), rows(part["b"]) if part["b"] else []
    assert bool(b) == (asked == "product")
    assert len(b) in (0, len(a))
    assert part.get("two" if not b else "one") is None
    assert m == int(part["top"] or -1) + 1
    matrix = MATRIX.format(size=len(a))
    forms = {"determinant": INTEGER, "inverse": f"{matrix}{LOWEST} with no other marks"}
    assert form == forms.get(asked, f"{matrix} with no other marks") + LAST, form
    return Task(asked, a, b, int(part["power"] or 0), m)


def times(a: Matrix, b: Matrix, m: int = 0) -> Matrix:
    """The product, with remainders modulo m if it isn't 0."""
    columns = [*zip(*b, strict=True)]
    c = [[sum((x * y for x, y in zip(r, s, strict=True)), Fraction(0)) for s in columns] for r in a]
    return [[x % m for x in row] for row in c] if m else c


def unit(size: int) -> Matrix:
    return [[Fraction(i == j) for j in range(size)] for i in range(size)]


def power(a: Matrix, exponent: int, m: int) -> Matrix:
    if exponent == 0:
        return unit(len(a))
    half = power(times(a, a, m), exponent // 2, m)
    return times(a, half, m) if exponent % 2 else half


def reduced(a: Matrix) -> tuple[Fraction, Matrix]:
    """The determinant, and the inverse where there is one, by elimination."""
    size, det = len(a), Fraction(1)
    wide = [row + more for row, more in zip(a, unit(size), strict=True)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if wide[i][k]), None)
        if pivot is None:
            return Fraction(0), []
        if pivot != k:
            wide[k], wide[pivot], det = wide[pivot], wide[k], -det
        det *= wide[k][k]
        wide[k] = [x / wide[k][k] for x in wide[k]]
        for i in range(size):
            if i != k and wide[i][k]:
                wide[i] = [x - wide[i][k] * y for x, y in zip(wide[i], wide[k], strict=True)]
    return det, [row[size:] for row in wide]


@lru_cache(maxsize=64)
def solved(prompt: str) -> Matrix:
    """The matrix asked for; a determinant stands alone in one."""
    task = read(prompt)
    if task.asked == "product":
        return times(task.a, task.b)
    if task.asked == "matrix":
        return power(task.a, task.power, task.m)
    det, inverse = reduced(task.a)
    assert det or task.asked == "determinant"
    return inverse if task.asked == "inverse" else [[det]]


def number(text: str, whole: bool, alone: bool) -> Fraction | None:
    """The number, or None for one in another form than those allowed."""
    found = re.fullmatch(r"([+-]?[0-9]+)()" if alone else r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?", text)
    if found is None or (found[2] and (whole or int(found[2]) < 2)):
        return None
    value = Fraction(int(found[1]), int(found[2] or 1))
    return value if value.denominator == int(found[2] or 1) else None


def judge(prompt: str, answer: str) -> bool:
    asked, wanted = read(prompt).asked, solved(prompt)
    whole, alone = asked != "inverse", asked == "determinant"
    lines = [line.strip(" \t\r") for line in answer.replace("−", "-").strip(" \t\r\n").split("\n")]
    return [
        [number(text, whole, alone) for text in re.split("[ \t]+", line)] for line in lines if line
    ] == wanted


def answers(prompt: str, rng: Random) -> Iterator[str]:
    task, right = read(prompt), solved(prompt)
    size, m, (det, inverse) = len(right), task.m, reduced(task.a)

    def text(matrix: Matrix, between: str = " ", end: str = "\n") -> str:
        return end.join(between.join(map(str, row)) for row in matrix)

    def put(new: str) -> str:
        """The right matrix with another text at (i, j)."""
        shown = [[str(x) for x in row] for row in right]
        shown[i][j] = new
        return "\n".join(" ".join(row) for row in shown)

    shown = text(right)
    yield from (shape.replace("X", shown) for shape in ["X", " X", "X\n", "\nX "] * 4 + AROUND)
    yield from (text(right, between, end) for between, end in BETWEEN)
    yield str([[str(x) for x in row] for row in right]).replace("'", "")
    for _ in range(2):
        i, j = rng.randrange(size), rng.randrange(size)
        x = right[i][j]
        p, q = x.as_integer_ratio()
        parts: dict[str, object] = {
            "x": x,
            "p": p,
            "q": q,
            "size": abs(x),
            "twice": 2 * p,
            "two": 2 * q,
            "less": -p,
        }
        parts |= {"near": float(x), "whole": p // q, "rest": p % q, "minus": "\u2212"}
        yield from (put(shape.format(**parts)) for shape in SHAPES.split("|"))
        near = (x + 1, x - 1, -x, 10 * x, x + m, x - m, x + Fraction(1, q + 1), round(x), 0)
        yield from (put(str(number)) for number in near)
        if x:
            yield from map(put, map(str, (1 / x, x / 2, x % 7)))
        other = [row[:] for row in right]
        other[i][j], other[j][i] = other[j][i], other[i][j]
        yield text(other)
    turned = [list(column) for column in zip(*right, strict=True)]
    scale = lcm(*(x.denominator for row in right for x in row))
    others = [turned, right[::-1], right[:-1], [*right, right[0]], task.a, inverse, times(right, right)]
    others += [[row[1:] for row in right], [row + row[:1] for row in right], unit(size), [[det]], [[-det]]]
    others += [[[x * k for x in row] for row in right] for k in (scale, -scale, det, -1)]
    if task.b:
        others += [
            times(task.b, task.a),
            times(task.a, [list(column) for column in zip(*task.b, strict=True)]),
        ]
        others.append(
            [[x * y for x, y in zip(*both, strict=True)] for both in zip(task.a, task.b, strict=True)]
        )
    if m:
        others += [power(task.a, task.power + k, m) for k in (-1, 1, 2)]
        others += [[[x + k for x in row] for row in right] for k in (m, -m)]
        others.append([[Fraction(pow(int(x), task.power, m)) for x in row] for row in task.a])
        others.append(power(task.a, task.power, m + 1))
    yield from map(text, others)
    yield str(sum(right[k][k] for k in range(size)))
