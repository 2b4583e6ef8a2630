"""A calculator of exact numbers."""

from reasonenv import _native
from reasonenv.tools._tool import ToolError


def calculator(expression: str) -> str:
    """Works out an arithmetic expression exactly.

    Args:
        expression: Numbers joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with
            parentheses, such as (1/3 + 2) * 6.
    """
    try:
        numerator, denominator = _native.calculate(expression)
    except _native.InvalidArgument as error:
        raise ToolError(str(error)) from None
    if denominator == 1:
        return str(numerator)
    return f"{numerator}/{denominator} (about {_decimal(numerator, denominator)})"


def _decimal(numerator: int, denominator: int) -> str:
    """Six digits after the decimal point, rounded half to even in integers: the same on every machine."""
    scaled, rest = divmod(abs(numerator) * 10**6, denominator)
    scaled += (2 * rest, scaled % 2) > (denominator, 0)
    digits = f"{scaled // 10**6}.{scaled % 10**6:06d}".rstrip("0").rstrip(".")
    return f"-{digits}" if numerator < 0 else digits
