"""A reader of calendar_arithmetic: the date reached from another by steps of days and to weekdays."""

import re
from collections.abc import Iterator
from random import Random

STEP = re.compile(r"(\d+) days? (forward|back)|to the next (\w+day)")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

Date = tuple[int, int, int]
Step = int | str  # days, or the name of a weekday


def leap(year: int) -> bool:
    """True if this year has a 29th of February in the Gregorian calendar."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def length(year: int, month: int) -> int:
    """The days of a month."""
    return LENGTHS[month - 1] + (month == 2 and leap(year))


def number(date: Date) -> int:
    """The date's count of days: 1 is the 1st of January of the year 1, a Monday."""
    year, month, day = date
    past = year - 1
    days = 365 * past + past // 4 - past // 100 + past // 400
    return days + sum(length(year, each) for each in range(1, month)) + day


def date_of(count: int) -> Date:
    """The date that has this count of days."""
    year = count // 366 + 1
    while number((year + 1, 1, 1)) <= count:
        year += 1
    month = 12
    while number((year, month, 1)) > count:
        month -= 1
    return year, month, count - number((year, month, 1)) + 1


def read(prompt: str) -> tuple[Date, list[Step]]:
    """The first date and the steps in turn."""
    year, month, day = map(int, re.findall(r"\d{4}-\d\d-\d\d", prompt)[0].split("-"))
    steps: list[Step] = []
    for days, way, weekday in STEP.findall(prompt):
        steps.append(weekday or (int(days) if way == "forward" else -int(days)))
    assert steps, prompt
    assert 1 <= day <= length(year, month), prompt
    return (year, month, day), steps


def reached(count: int, steps: list[Step], *, strictly: bool = True) -> int:
    """The count of days at which the steps end."""
    for step in steps:
        if isinstance(step, int):
            count += step
        else:
            count += strictly
            count += (WEEKDAYS.index(step) - (count - 1)) % 7
    return count


def spelled(date: Date) -> str:
    """The date as YYYY-MM-DD."""
    return "{:04}-{:02}-{:02}".format(*date)


def judge(prompt: str, answer: str) -> bool:
    """True if the answer is the right date, as YYYY-MM-DD."""
    start, steps = read(prompt)
    return answer.strip() == spelled(date_of(reached(number(start), steps)))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """The right date with white space around it, and dates that are reached by mistakes."""
    start, steps = read(prompt)
    first = number(start)
    last = reached(first, steps)
    right = spelled(date_of(last))
    for before in ("", " ", "\n"):
        for after in ("", " ", "\n", "\r\n"):
            yield before + right + after

    counts = [last + days for days in (1, -1, 7, -7, 30, -365, rng.randrange(2, 99))]
    counts.append(reached(first, steps, strictly=False))
    counts.append(reached(first, steps[::-1]))
    counts.append(reached(first, [-step if isinstance(step, int) else step for step in steps]))
    for i in range(len(steps)):
        counts.append(reached(first, steps[:i] + steps[i + 1 :]))
        counts.append(reached(first, [*steps[: i + 1], *steps[i:]]))
    yield from (spelled(date_of(count)) for count in counts)

    year, month, day = date_of(last)
    for date in ((year + 1, month, day), (year, month % 12 + 1, day), (year, day, month)):
        yield spelled(date)
    yield spelled((year, month - 1, day + length(year, month - 1)))
    yield f"{year}-{month}-{day}"
    yield f"{day:02}-{month:02}-{year}"
    yield right.replace("-", "/")
    yield f"{WEEKDAYS[(last - 1) % 7]}, {right}"
    yield ""
