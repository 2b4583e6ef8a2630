"""Random walks over proofs, for tests: small theories, lines that often apply, and lines of any kind."""

import json
import random
from collections.abc import Iterator
from typing import Any

from reasonenv.envs import Proof

_NO_FIELDS: dict[str, Any] = {
    name: [] for name in ("symbols", "values", "rules", "constructors", "hypotheses", "proof")
}
LETTERS = _NO_FIELDS | {"symbols": ["p: prop", "q: prop", "r: prop"]}
GROUP = _NO_FIELDS | {
    "symbols": ["*: element element -> element", "inv: element -> element", "e: element"],
    "values": ["a: element", "b: element"],
    "rules": [
        "assoc: (x * y) * z = x * (y * z)",
        "left_id: e * x = x",
        "left_inv: inv(x) * x = e",
        "right_inv: x * inv(x) = e",
    ],
}
NUMBERS = _NO_FIELDS | {
    "symbols": ["0: number", "S: number -> number", "+: number number -> number"],
    "values": ["n: number", "m: number"],
    "rules": ["add_zero: x + 0 = x", "add_succ: x + S(y) = S(x + y)"],
    "constructors": ["0", "S"],
}
FAMILY = _NO_FIELDS | {
    "symbols": ["parent: person person -> prop", "elder: person person -> prop"],
    "values": ["ann: person", "bob: person", "cy: person"],
    "rules": ["r1: parent(x, y) -> elder(x, y)", "r2: parent(x, y) -> elder(y, z) -> elder(x, z)"],
    "hypotheses": ["h1: parent(ann, bob)", "h2: parent(bob, cy)"],
}

TRUE = [
    LETTERS | {"hypotheses": ["h1: p or q", "h2: not p"], "goal": "q"},
    LETTERS | {"goal": "(p -> q) -> not q -> not p"},
    LETTERS | {"goal": "((p and q) or not p) or not q"},
    GROUP | {"goal": "inv(a) * (a * b) = b"},
    GROUP | {"hypotheses": ["h1: a * b = e"], "goal": "(a * b) * a = a"},
    NUMBERS | {"goal": "0 + n = n"},
    NUMBERS | {"goal": "n + (m + 0) = n + m"},
    FAMILY | {"goal": "elder(ann, cy)"},
]

FALSE = [
    LETTERS | {"hypotheses": ["h1: p or q"], "goal": "p"},
    LETTERS | {"goal": "(p -> q) -> q -> p"},
    LETTERS | {"hypotheses": ["h1: (p and q) -> r", "h2: p or q"], "goal": "r"},
    GROUP | {"goal": "a * b = b * a"},
    GROUP | {"goal": "a = b"},
    NUMBERS | {"goal": "n + m = n"},
    NUMBERS | {"goal": "n + n = S(n)"},
    FAMILY | {"goal": "elder(cy, ann)"},
]

_WORDS = (
    "refl",
    "split",
    "left",
    "right",
    "exfalso",
    "sorry",
    "fly",
    "",
    "apply",
    "rewrite <-",
    "by_contra h",
)


def formulas(proof: Proof) -> list[str]:
    """Formulas of the open goals."""
    goals = json.loads(proof.to_json())["goals"]
    return [text for goal in goals for text in (*(one for _, one in goal["hypotheses"]), goal["target"])]


def line(proof: Proof, problem: dict[str, Any], draw: random.Random) -> str:
    """A line that often applies, and sometimes is none."""
    likely = proof.candidates()
    if likely and draw.random() < 0.4:
        return draw.choice(likely)
    goals = json.loads(proof.to_json())["goals"]
    names = [one.partition(":")[0] for one in problem["rules"]]
    names += [name for goal in goals[:1] for name, _ in goal["hypotheses"]]
    names += ["h", "k", "ih", "h_1", "lemma"]
    values = [one.partition(":")[0] for one in problem["values"]]
    name, other = draw.choice(names), draw.choice(names)
    known = [one for one in formulas(proof) if "?" not in one] + [problem["goal"]]
    one, two = draw.choice(known), draw.choice(known)
    place = ".".join(str(draw.randint(1, 2)) for _ in range(draw.randint(1, 4)))
    value = draw.choice(values or ["p"])
    arrow, at = draw.choice(("", "<- ")), draw.choice(("", f" at {place}"))
    given = draw.choice(("", "", f" with {draw.choice('xyz')} = {value}"))
    formula = draw.choice((one, f"not ({one})", f"({one}) -> ({two})", f"({one}) and ({two})"))
    rewrite, use = f"rewrite {arrow}{name}{at}{given}", f"apply {name}{given}"
    scrambled = "".join(draw.sample(rewrite, len(rewrite) - 1))
    rare = (f"induction {value}", f"have {other}: {formula}", draw.choice(_WORDS), scrambled)
    kinds = [rewrite] * 3 + [use] * 3 + [f"{word} {name}" for word in ("cases", "intro", "by_contra")]
    return draw.choice([*kinds, *rare])


def walk(
    problem: dict[str, Any], draw: random.Random, count: int
) -> Iterator[tuple[Proof, str, Proof | str]]:
    """Proofs, lines, and their results; begins anew where nothing is open or a proof has grown long."""
    start = proof = Proof(json.dumps(problem))
    for _ in range(count):
        said = line(proof, problem, draw)
        after = proof.apply(said)
        yield proof, said, after
        if isinstance(after, Proof):
            proof = after if after.goals and len(after.lines) < 12 else start
