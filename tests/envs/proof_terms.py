"""Terms and formulas of the second checker of proofs, and how they are read.

Terms are nested tuples with the symbol first. `("?", n)` is a term that is left open, `("$", name, sort)` a
variable of a rule.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Term: TypeAlias = tuple[Any, ...]

FALSE: Term = ("false",)
_TOKEN = re.compile(r" *(\?\d+|\[\]|[(),]|[A-Za-z0-9][A-Za-z0-9_]*|[*+&|:^/~\->=]+)")
_WORDS = ("not", "and", "or")


class Refused(Exception):
    """A line that is not a tactic, or doesn't apply."""


def must(claim: object) -> None:
    """Refuse a line unless something holds."""
    if not claim:
        raise Refused


def parts(term: Term) -> Sequence[Term]:
    """Arguments of a term."""
    return () if term[0] in ("?", "$") else term[1:]


def positions(term: Term, at: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """All positions of a term, each before those in it."""
    yield at
    for number, part in enumerate(parts(term), 1):
        yield from positions(part, (*at, number))


def part_at(term: Term, at: Sequence[int]) -> Term:
    """The part of a term at a position."""
    for number in at:
        must(1 <= number <= len(parts(term)))
        term = term[number]
    return term


def put(term: Term, at: Sequence[int], part: Term) -> Term:
    """The term with another part at a position."""
    return part if not at else (*term[: at[0]], put(term[at[0]], at[1:], part), *term[at[0] + 1 :])


def swapped(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with leaves replaced, until none is left to replace."""
    if term in values:
        return swapped(values[term], values)
    return (term[0], *(swapped(part, values) for part in parts(term))) if parts(term) else term


def leaves(term: Term, kind: str) -> Iterator[Term]:
    """Open terms, or variables, from left to right."""
    if term[0] == kind and kind in "?$":
        yield term
    for part in parts(term):
        yield from leaves(part, kind)


def symbols_of(term: Term) -> set[Term]:
    """Constants of a term."""
    return {term} if not parts(term) else {leaf for part in parts(term) for leaf in symbols_of(part)}


def put_all(term: Term, leaf: Term, value: Term) -> Term:
    """The term with a constant replaced once, everywhere."""
    if term == leaf:
        return value
    return (term[0], *(put_all(part, leaf, value) for part in parts(term))) if parts(term) else term


class Reader:
    """Reads a formula by precedence: `->`, `or`, `and`, `not`, `=`, one operator, an operand."""

    def __init__(self, text: str) -> None:
        text = text.strip(" ")
        self.tokens, at = [], 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            must(found)
            assert found is not None
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    @property
    def next(self) -> str:
        """The next token, or nothing."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> bool:
        """Take the next token if it is this one."""
        found = self.next == token
        self.at += found
        return found

    def whole(self) -> Term:
        """The formula that the whole text is."""
        found = self.formula()
        must(self.at == len(self.tokens))
        return found

    def formula(self) -> Term:
        """An implication, which groups to the right."""
        left = self.chain("or")
        return ("->", left, self.formula()) if self.take("->") else left

    def chain(self, word: str) -> Term:
        """Alternatives, or conjunctions in them, which group to the left."""
        left = self.link(word)
        while self.take(word):
            left = (word, left, self.link(word))
        return left

    def link(self, word: str) -> Term:
        """A part of alternatives or of conjunctions."""
        return self.chain("and") if word == "or" else self.negation()

    def negation(self) -> Term:
        """A negation or an equation."""
        if self.take("not"):
            return ("not", self.negation())
        left = self.operation()
        return ("=", left, self.operation()) if self.take("=") else left

    def operation(self) -> Term:
        """One operator, perhaps several times."""
        left = self.operand()
        name = self.next
        while name not in ("=", "->", "") and name[0] in "*+&|:^/~->=" and self.take(name):
            left = (name, left, self.operand())
        must(self.next in ("=", "->", "") or self.next[0] not in "*+&|:^/~->=")
        return left

    def operand(self) -> Term:
        """A name with its arguments, or a formula in parentheses."""
        if self.take("("):
            inside = self.formula()
            must(self.take(")"))
            return inside
        name = self.next
        must(name and (name == "[]" or name[0].isalnum() or name[0] == "?") and name not in _WORDS)
        self.at += 1
        if name[0] == "?":
            return ("?", int(name[1:]))
        if not self.take("("):
            return (name,)
        arguments = [self.formula()]
        while self.take(","):
            arguments.append(self.formula())
        must(self.take(")"))
        return (name, *arguments)
