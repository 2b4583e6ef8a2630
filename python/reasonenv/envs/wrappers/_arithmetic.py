"""A calculator of exact numbers. Its parser is its own: nothing that a policy writes is run as code."""

import re
from fractions import Fraction

from reasonenv.envs.wrappers._tool import ToolError

_TOKEN = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]+)?|\.[0-9]+)|(\*\*|//|[-+*/%^()]))")
_LONGEST, _DEEPEST, _MOST_BITS = 1000, 50, 4096


def calculator(expression: str) -> str:
    """Works out an arithmetic expression exactly.

    Args:
        expression: Numbers joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with
            parentheses, such as (1/3 + 2) * 6.
    """
    value = _Parser(expression).value()
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value} (about {_decimal(value)})"


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, expression: str) -> None:
        if len(expression) > _LONGEST:
            raise ToolError(f"the expression is longer than {_LONGEST} characters")
        self._tokens: list[str] = []
        at, text = 0, expression.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ToolError(
                    f"{text[at:].lstrip()[:1]!r} is neither a number nor one of + - * / // % ** ^ ( )"
                )
            self._tokens.append(found[1] or found[2])
            at = found.end()
        self._at, self._depth = 0, 0

    def value(self) -> Fraction:
        """The value of all of it."""
        value = self._sum()
        if self._next() is not None:
            raise ToolError(f"an operator is missing before {self._next()!r}")
        return value

    def _next(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *wanted: str) -> str | None:
        token = self._next()
        if token not in wanted:
            return None
        self._at += 1
        return token

    def _sum(self) -> Fraction:
        value = self._product()
        while (sign := self._take("+", "-")) is not None:
            right = self._product()
            value = _bounded(value + right if sign == "+" else value - right)
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while (sign := self._take("*", "/", "//", "%")) is not None:
            right = self._signed()
            if sign == "*":
                value = _bounded(value * right)
                continue
            if right == 0:
                raise ToolError("it divides by zero")
            whole = Fraction(value // right)
            value = _bounded({"/": value / right, "//": whole, "%": value - whole * right}[sign])
        return value

    def _signed(self) -> Fraction:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ToolError(f"it is nested deeper than {_DEEPEST} levels")
        sign = self._take("+", "-")
        value = self._power() if sign is None else self._signed()
        self._depth -= 1
        return -value if sign == "-" else value

    def _power(self) -> Fraction:
        base = self._atom()
        if self._take("**", "^") is None:
            return base
        exponent = self._signed()
        if exponent.denominator != 1:
            raise ToolError("a power must have a whole exponent, as others are not exact")
        if base == 0 and exponent < 0:
            raise ToolError("it divides by zero")
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) * bits > _MOST_BITS:
            raise ToolError("a number in it is too large")
        return Fraction(base**exponent.numerator)

    def _atom(self) -> Fraction:
        token = self._next()
        if token is None:
            raise ToolError("the expression ends where a number must come")
        self._at += 1
        if token == "(":
            value = self._sum()
            if self._take(")") is None:
                raise ToolError("a parenthesis is not closed")
            return value
        if not (token[0].isdigit() or token[0] == "."):
            raise ToolError(f"{token!r} stands where a number must come")
        return _bounded(Fraction(token))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise ToolError("a number in it is too large")
    return value


def _decimal(value: Fraction) -> str:
    """Six digits after the point, by whole numbers alone: the same on every machine."""
    scaled = round(abs(value) * 10**6)
    digits = f"{scaled // 10**6}.{scaled % 10**6:06d}".rstrip("0").rstrip(".")
    return f"-{digits}" if value < 0 else digits
