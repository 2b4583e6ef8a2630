"""Reads resistor_network: the resistance between two nodes of a circuit, or the potential of a third."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor
from random import Random
from typing import NamedTuple

# Of each wording: the text up to its question, a resistor, and the questions for resistance and potential.
WORDINGS = """\
I soldered <count> resistors together for a workshop, and before I switch anything on I'd like to know what
to expect: <parts>. The joints have no resistance of their own. |<ohms> ohms between <a> and <b>|
What will an ohmmeter show between <high> and <low> if it is perfectly exact? In ohms, please.|
If I put exactly <volts> volts on <high> and ground <low>, what voltage relative to ground will I find
at <probe>? Please give the exact number of volts.

These resistors, and nothing else, connect the points <nodes> of a
circuit:<list>|- <ohms> ohms between <a> and <b>|
What is the resistance of the whole network between <high> and <low>, in ohms?|
A battery without internal resistance keeps <high> at <volts> volts and <low> at 0 volts. What is the
potential of <probe>, in volts?

Circuit netlist, one resistor a line (name, node, node, value in ohms):<list>|R<index> <a> <b> <ohms>|
Nothing else is connected. Compute the exact equivalent resistance seen between nodes <high> and <low>, in
ohms.|
An ideal <volts> V source has its positive terminal at node <high> and its negative terminal at node <low>,
which is ground (0 V). Compute the exact voltage of node <probe>, in volts.

In an old laboratory, somebody has screwed <count> resistors to a board with the posts <nodes>. A label
beside each says where it leads:<list>The apprentice |* from post <a> to post <b>, <ohms> ohms|
wants to put one single resistor in place of the whole board, connected to posts <high> and <low> only, so
that nobody outside notices. How many ohms must it have?|
holds post <high> at <volts> volts and post <low> at 0 volts, and no other post is touched. At how many volts
is post <probe>?

Exercise. A circuit has the nodes <nodes> and these ideal resistors:<list>|(<index>) <a> - <b>: <ohms> ohms|
A current enters at <high> and leaves at <low>. Determine the ratio of the voltage between these two nodes
to the current, in ohms.|
The potential of <high> is fixed at <volts> V, and that of <low> at 0 V. By Kirchhoff's laws, determine the
potential of <probe> in volts."""
LAST = """\
Give your answer as one fraction in lowest terms, such as 3/4 or -5/2, or as one integer if it is whole,
inside <answer></answer> tags, and write nothing after them."""
FIELDS = dict.fromkeys(("ohms", "volts", "count", "index"), r"[1-9]\d*") | {"parts": ".+"}
FIELDS |= dict.fromkeys(("a", "b", "high", "low", "probe"), "[A-Z]") | {"nodes": "[A-Z, ]+ and [A-Z]"}
# Ways to write p / q, which are right only here and there.
SHAPES = (
    "{x}| {x}|{x}\n|\n{x} |\t{x}\r\n|" * 4 + "-{x}|--{x}|+{x}|0{x}|({x})|\u2212{x}|{p}/{q}|{twice}/{two}|0|1"
    "|{p} / {q}|{p}/ {q}|{p}:{q}|{p}//{q}|{p}/|/{q}|{p}/0{q}|{p}/+{q}|{p} {q}|{p}|{whole} {rest}/{q}"
    "||{near:.4f}|{near}|{near:e}|{p}.0/{q}|{p:,}/{q}|{p}_0/{q}|{p:#x}/{q}|{x} ohms|{x} V|R = {x}|{x}.|${x}$"
    "|\\frac{{{p}}}{{{q}}}|{x} {x}|{x}\n{x}|{x} = {near:.2f}|{p}\u2044{q}|{p}\n/\n{q}|{x}/1|{x}.0|{p}/0"
)


class Circuit(NamedTuple):
    """Asks for the potential of the probe, or for the resistance from high to low if there is none."""

    resistors: tuple[tuple[str, str, Fraction], ...]
    high: str
    low: str
    volts: int
    probe: str
    nodes: tuple[str, ...]


@lru_cache(maxsize=64)
def solved(circuit: Circuit) -> Fraction:
    """By Kirchhoff's laws: no current is lost at a node, unless the battery holds it."""
    rows = {node: dict.fromkeys((*circuit.nodes, ""), Fraction(0)) for node in circuit.nodes}
    for a, b, ohms in circuit.resistors:
        for here, there in ((a, b), (b, a)):
            rows[here][here] += 1 / ohms
            rows[here][there] -= 1 / ohms
    leaving = rows[circuit.high]
    for held, volts in ((circuit.high, circuit.volts), (circuit.low, 0)):
        rows[held] = dict.fromkeys(rows[held], Fraction(0)) | {held: Fraction(1), "": Fraction(volts)}
    for k in circuit.nodes:  # no pivot is 0 while every node is connected to the battery
        pivot = rows[k] = {node: x / rows[k][k] for node, x in rows[k].items()}
        for other, row in rows.items():
            if other != k and row[k]:
                rows[other] = {node: x - row[k] * pivot[node] for node, x in row.items()}
    if circuit.probe:
        return rows[circuit.probe][""]
    return circuit.volts / sum((leaving[node] * rows[node][""] for node in circuit.nodes), Fraction(0))


def matched(wording: str, text: str) -> re.Match[str] | None:
    form = re.escape(wording.replace("\n", " ")).replace("<list>", "\n\n<parts>\n\n")
    form = re.sub(r"<(\w+)>", lambda field: f"(?P<{field[1]}>{FIELDS[field[1]]})", form)
    return re.fullmatch(form, text, re.DOTALL)


@lru_cache(maxsize=64)
def read(prompt: str) -> Circuit:
    assert not re.search(r"\b1 (ohm|volt)s\b|(?<!\b1) (ohm|volt)\b", prompt)
    prompt, last = re.sub(r"\b1 (ohm|volt)\b", r"1 \1s", prompt), "\n" + LAST.replace("\n", " ")
    assert prompt.endswith(last)
    tries = [(*re.split(r"\|\n?", wording),) for wording in WORDINGS.split("\n\n")]
    pairs = [(text + asked, part) for text, part, *both in tries for asked in both]
    ((match, part),) = [(one, part) for text, part in pairs if (one := matched(text, prompt[: -len(last)]))]
    said = match.groupdict()
    comma, last = ("\n", "\n") if "\n" in said["parts"] else (", ", " and ")
    texts = re.split(rf"{comma}|{last}(?=\d)", said["parts"])
    assert comma.join(texts[:-1]) + last + texts[-1] == said["parts"]
    ones = [one for text in texts if (one := matched(part, text))]
    assert len(ones) == len(texts) == int(said.get("count") or len(texts))
    assert all(int(one.groupdict().get("index") or i) == i for i, one in enumerate(ones, 1))
    *nodes, final = sorted({node for one in ones for node in (one["a"], one["b"])})
    assert said.get("nodes") in (None, f"{', '.join(nodes)} and {final}")
    high, low, probe = said["high"], said["low"], said.get("probe", "")
    assert len({high, low, probe} & {*nodes, final, ""}) == 3
    resistors = tuple((one["a"], one["b"], Fraction(one["ohms"])) for one in ones)
    return Circuit(resistors, high, low, int(said.get("volts", 1)), probe, (*nodes, final))


def judge(prompt: str, answer: str) -> bool:
    number = r"[ \t\r\n]*(0|-?[1-9][0-9]*)(?: */ *([1-9][0-9]*))?[ \t\r\n]*"
    match, value = re.fullmatch(number, answer.replace("\u2212", "-")), solved(read(prompt))
    if match is None or (match[2] is None) != (value.denominator == 1):
        return False
    return (int(match[1]), int(match[2] or 1)) == value.as_integer_ratio()


def answers(prompt: str, rng: Random) -> Iterator[str]:
    own, x = read(prompt), solved(read(prompt))
    p, q = x.as_integer_ratio()
    sets = [[(a, b, 1 / ohms) for a, b, ohms in own.resistors], [(a, b, x) for a, b, _ in own.resistors]]
    for a, b, ohms in rng.sample(own.resistors, 2):
        sets += [[*own.resistors, (a, b, ohms)], [*own.resistors, (own.high, b, ohms)]]
    circuits = [own._replace(resistors=tuple(each)) for each in sets]
    circuits += [own._replace(high=own.low, low=own.high), own._replace(probe="")]
    circuits += [own._replace(probe=node) for node in own.nodes]
    circuits += [own._replace(low=node) for node in own.nodes if node != own.high]
    near: list[object] = [x + 1, x - 1, -x, x + Fraction(1, q), 2 * x, x / 2, floor(x), round(x)]
    near += [*map(solved, circuits), sum(ohms for *_, ohms in own.resistors)]
    yield from map(str, near)
    parts = {"x": x, "p": p, "q": q, "twice": 2 * p, "two": 2 * q, "whole": p // q, "rest": p % q}
    yield from (shape.format(**parts, near=float(x)) for shape in SHAPES.split("|"))
