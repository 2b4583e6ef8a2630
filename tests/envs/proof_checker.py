"""A second checker of proofs, written from the meaning of the tactics; shares no code with the first."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from proof_terms import (
    FALSE,
    Reader,
    Refused,
    Term,
    leaves,
    must,
    part_at,
    parts,
    positions,
    put,
    put_all,
    swapped,
    symbols_of,
)

Hypotheses: TypeAlias = tuple[tuple[str, Term], ...]
Goal: TypeAlias = tuple[Hypotheses, Term]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,23}")
_LOGIC: dict[str, tuple[tuple[str, ...], str]] = {
    "false": ((), "prop"),
    "not": (("prop",), "prop"),
    **dict.fromkeys(("and", "or", "->"), (("prop", "prop"), "prop")),
}


class Checker:
    """The rules of a problem, and what tactics do to goals under them."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.symbols = dict(_LOGIC)
        for line in (*problem["symbols"], *problem["values"]):
            name, _, sorts = line.rpartition(": ")
            before, arrow, after = sorts.rpartition(" -> ")
            self.symbols[name] = (tuple(before.split()) if arrow else (), after)
        self.values = [line.partition(":")[0] for line in problem["values"]]
        self.constructors = problem["constructors"]
        self.rules = {}
        for line in problem["rules"]:
            name, _, text = line.partition(": ")
            self.rules[name] = self.sorted(Reader(text).whole(), "prop", {})
        hypotheses = (line.partition(": ") for line in problem["hypotheses"])
        known = tuple((name, self.formula(text)) for name, _, text in hypotheses)
        self.start: tuple[Goal, ...] = ((known, self.formula(problem["goal"])),)

    def formula(self, text: str) -> Term:
        """Read a formula."""
        return self.sorted(Reader(text).whole(), "prop", None)

    def sorted(self, term: Term, sort: str | None, variables: dict[str, str] | None) -> Term:
        """A term with its variables marked, if it is of a sort."""
        if term[0] == "?":
            return term
        if term[0] == "=":
            of = next((self.symbols[one[0]][1] for one in term[1:] if one[0] in self.symbols), None)
            if any(one[0] == "=" for one in term[1:]):
                raise Refused
            must(sort in ("prop", None) and of not in (None, "prop"))
            return ("=", *(self.sorted(one, of, variables) for one in term[1:]))
        if term[0] not in self.symbols:
            must(variables is not None and len(term) == 1 and sort not in ("prop", None))
            assert variables is not None
            assert sort is not None
            must(variables.setdefault(term[0], sort) == sort)
            return ("$", term[0], sort)
        wanted, made = self.symbols[term[0]]
        must(len(wanted) == len(term) - 1 and sort in (made, None))
        inside = (self.sorted(one, of, variables) for one, of in zip(term[1:], wanted, strict=True))
        return (term[0], *inside)

    def sort_of(self, term: Term, open_sorts: Mapping[Term, str]) -> str:
        """Sort of a term."""
        if term[0] == "?":
            return open_sorts[term]
        return str(term[2]) if term[0] == "$" else "prop" if term[0] == "=" else self.symbols[term[0]][1]

    def open_sorts(self, goals: Sequence[Goal]) -> dict[Term, str]:
        """Sorts of the open terms of goals, from where they occur."""
        found: dict[Term, str] = {}

        def look(term: Term) -> None:
            of: Sequence[str | None]
            if term[0] == "=":
                known = [one for one in term[1:] if one[0] != "?"]
                of = (self.symbols[known[0][0]][1] if known else None,) * 2
            else:
                of = self.symbols[term[0]][0] if term[0] in self.symbols else ()
            for part, sort in zip(parts(term), of, strict=True):
                if part[0] == "?" and sort is not None:
                    found[part] = sort
                look(part)

        for hypotheses, target in goals:
            for term in (*(one for _, one in hypotheses), target):
                look(term)
        return found

    def unified(self, one: Term, other: Term, sorts: dict[Term, str]) -> dict[Term, Term] | None:
        """Values of open terms that make two terms equal."""
        values: dict[Term, Term] = {}
        todo = [(one, other)]
        while todo:
            left, right = (swapped(term, values) for term in todo.pop())
            if left == right:
                continue
            if left[0] != "?":
                left, right = right, left
            if left[0] == "?":
                if left in leaves(right, "?") or self.sort_of(right, sorts) != sorts[left]:
                    return None
                values[left] = right
            elif left[0] != right[0] or len(left) != len(right):
                return None
            else:
                todo.extend(zip(left[1:], right[1:], strict=True))
        return values

    def matched(self, rule: Term, term: Term, values: dict[Term, Term], sorts: Mapping[Term, str]) -> bool:
        """True if values of the rule's variables make it the term; finds them."""
        if rule[0] == "$":
            fits = self.sort_of(term, sorts) == rule[2]
            return fits and values.setdefault(rule, term) == term
        if rule[0] == "?" or rule[0] != term[0] or len(rule) != len(term):
            return rule == term
        return all(self.matched(one, two, values, sorts) for one, two in zip(rule[1:], term[1:], strict=True))

    def apply(self, goals: tuple[Goal, ...], line: str) -> tuple[Goal, ...]:
        """Goals after a tactic.

        Raises:
            Refused: It does not apply to the first goal.
        """
        must(goals)
        return canonical(Goals(self, goals).take(line))

    def read_goals(self, given: Sequence[Mapping[str, Any]]) -> tuple[Goal, ...]:
        """Goals from their JSON."""
        return canonical(
            tuple(
                (
                    tuple((name, self.formula(text)) for name, text in goal["hypotheses"]),
                    self.formula(goal["target"]),
                )
                for goal in given
            )
        )


def canonical(goals: tuple[Goal, ...]) -> tuple[Goal, ...]:
    """Goals with their open terms numbered in order."""
    terms = [term for known, target in goals for term in (*(one for _, one in known), target)]
    seen = dict.fromkeys(leaf for term in terms for leaf in leaves(term, "?"))
    names = {leaf: ("?", -number) for number, leaf in enumerate(seen, 1)}
    final = {("?", -number): ("?", number) for number in range(1, len(seen) + 1)}
    return replaced(replaced(goals, names), final)


def replaced(goals: tuple[Goal, ...], values: Mapping[Term, Term]) -> tuple[Goal, ...]:
    """Goals with leaves replaced."""
    return tuple(
        (tuple((name, swapped(one, values)) for name, one in known), swapped(target, values))
        for known, target in goals
    )


@dataclass
class Goals:
    """The goals that a tactic meets, of which it takes the first."""

    checker: Checker
    goals: tuple[Goal, ...]

    @property
    def known(self) -> Hypotheses:
        return self.goals[0][0]

    @property
    def target(self) -> Term:
        return self.goals[0][1]

    def take(self, line: str) -> tuple[Goal, ...]:
        """Goals after a tactic."""
        must("?" not in line)
        word, _, rest = line.strip(" \t\r").partition(" ")
        rest = rest.strip(" ")
        if word == "apply":
            return self.use(rest)
        tactics = {
            "intro": self.intro,
            "by_contra": self.by_contra,
            "have": self.have,
            "cases": self.cases,
            "induction": self.induction,
            "rewrite": self.rewrite,
        }
        if word in tactics:
            return (*tactics[word](rest), *self.goals[1:])
        must(not rest)
        return (*self.plain(word), *self.goals[1:])

    def plain(self, word: str) -> Sequence[Goal]:
        """A tactic of one word."""
        head, *inside = self.target
        match word:
            case "refl":
                must(head == "=" and inside[0] == inside[1])
                return ()
            case "sorry":
                return ()
            case "split":
                must(head == "and")
                return [(self.known, part) for part in inside]
            case "left" | "right":
                must(head == "or")
                return [(self.known, inside[word == "right"])]
            case "exfalso":
                must(self.target != FALSE)
                return [(self.known, FALSE)]
        raise Refused

    def intro(self, name: str) -> Sequence[Goal]:
        """Assume what an implication assumes, or what a negation denies."""
        must(self.target[0] in ("->", "not"))
        after = self.target[2] if self.target[0] == "->" else FALSE
        return [(self.with_(self.known, name, self.target[1]), after)]

    def by_contra(self, name: str) -> Sequence[Goal]:
        """Assume that the goal is false."""
        return [(self.with_(self.known, name, ("not", self.target)), FALSE)]

    def have(self, rest: str) -> Sequence[Goal]:
        """Prove a formula first."""
        name, colon, text = rest.partition(":")
        must(colon)
        formula = self.checker.formula(text)
        return [(self.known, formula), (self.with_(self.known, name, formula), self.target)]

    def with_(self, known: Hypotheses, name: str, formula: Term) -> Hypotheses:
        taken = name in self.checker.rules or name in dict(known)
        must(_NAME.fullmatch(name) and not taken)
        return (*known, (name, formula))

    def cases(self, name: str) -> Sequence[Goal]:
        must(name in dict(self.known))
        formula = dict(self.known)[name]
        others = tuple(one for one in self.known if one[0] != name)
        if formula == FALSE:
            return ()
        must(formula[0] in ("and", "or"))
        if formula[0] == "or":
            return [(self.with_(others, name, part), self.target) for part in formula[1:]]
        for number, part in enumerate(formula[1:], 1):
            others = self.with_(others, f"{name}_{number}", part)
        return [(others, self.target)]

    def named(self, name: str) -> Term:
        found = self.checker.rules.get(name) or dict(self.known).get(name)
        must(_NAME.fullmatch(name) and found)
        assert found is not None
        return found

    def split_with(self, rest: str) -> tuple[str, dict[str, Term]]:
        """A line before `with`, and the values after it."""
        before, word, texts = rest.partition(" with ")
        values: dict[str, Term] = {}
        depth, start = 0, 0
        pieces = []
        for at, letter in enumerate(texts):
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                pieces.append(texts[start:at])
                start = at + 1
        for piece in [*pieces, texts[start:]] if word else []:
            name, equals, text = piece.partition("=")
            name = name.strip(" ")
            must(equals and _NAME.fullmatch(name) and name not in values)
            values[name] = self.checker.sorted(Reader(text).whole(), None, None)
        return before.strip(" ") if word else rest, values

    def filled(self, formula: Term, values: Mapping[str, Term]) -> dict[Term, Term]:
        """Values that a line gives to variables of a rule."""
        variables = {leaf[1]: leaf for leaf in leaves(formula, "$")}
        must(values.keys() <= variables.keys())
        for name, term in values.items():
            must(self.checker.sort_of(term, {}) == variables[name][2])
        return {variables[name]: term for name, term in values.items()}

    def use(self, rest: str) -> tuple[Goal, ...]:
        name, values = self.split_with(rest)
        formula = self.named(name)
        given = self.filled(formula, values)
        sorts = self.checker.open_sorts(self.goals)
        numbers = itertools.count(1 + max((leaf[1] for leaf in sorts), default=0))
        for leaf in dict.fromkeys(leaves(formula, "$")):
            if leaf not in given:
                given[leaf] = ("?", next(numbers))
                sorts[given[leaf]] = leaf[2]
        formula, premises = swapped(formula, given), []
        while (values_found := self.checker.unified(formula, self.target, sorts)) is None:
            must(formula[0] in ("->", "not"))
            premises.append((self.known, formula[1]))
            formula = formula[2] if formula[0] == "->" else FALSE
        return replaced((*premises, *self.goals[1:]), values_found)

    def rewrite(self, rest: str) -> Sequence[Goal]:
        rest, values = self.split_with(rest)
        backward = rest.startswith("<-")
        name, space, place = (rest[2:].strip(" ") if backward else rest).partition(" ")
        at: tuple[int, ...] | None = None
        if space:
            place = place.strip(" ")
            must(re.fullmatch(r"at +[1-9](\.[1-9]){0,39}", place))
            at = tuple(map(int, place[3:].strip(" ").split(".")))
        formula = self.named(name)
        must(formula[0] == "=")
        before, after = formula[:0:-1] if backward else formula[1:]
        given, sorts = self.filled(formula, values), self.checker.open_sorts(self.goals)
        for place_ in [at] if at is not None else positions(self.target):
            found = dict(given)
            if self.checker.matched(before, part_at(self.target, place_), found, sorts):
                must(all(leaf in found for leaf in leaves(after, "$")))
                target = put(self.target, place_, swapped(after, found))
                return () if target[0] == "=" and target[1] == target[2] else [(self.known, target)]
        raise Refused

    def induction(self, name: str) -> Sequence[Goal]:
        must(name in self.checker.values)
        value, sort = (name,), self.checker.symbols[name][1]
        builders = [one for one in self.checker.constructors if self.checker.symbols[one][1] == sort]
        all_terms = [one for _, one in self.known] + [self.target]
        must(builders and not any(any(leaves(term, "?")) for term in all_terms))
        must(not any(value in symbols_of(one) for _, one in self.known))
        must(value in symbols_of(self.target))
        made: list[Goal] = []
        for builder in builders:
            known, arguments, taken = self.known, [], {value}
            for of in self.checker.symbols[builder][0]:
                if of == sort:
                    names = itertools.chain(["ih"], (f"ih{number}" for number in itertools.count(2)))
                    free = next(one for one in names if one not in dict(known))
                    known = self.with_(known, free, self.target)
                    arguments.append(value)
                else:
                    used = {leaf for term in all_terms for leaf in symbols_of(term)} | taken
                    fresh = [
                        (one,)
                        for one in self.checker.values
                        if self.checker.symbols[one][1] == of and (one,) not in used
                    ]
                    must(fresh)
                    arguments.append(fresh[0])
                    taken.add(fresh[0])
            made.append((known, put_all(self.target, value, (builder, *arguments))))
        return made
