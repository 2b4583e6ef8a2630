"""Reader of json_transform: a list of records after operations in English, one after another."""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from operator import add, mul, sub
from random import Random
from typing import Any

Record = dict[str, Any]
Records = list[Record]
Operation = tuple[str, tuple[str, ...]]

STEP = re.compile(r"^(?:\d+\. |Stage \d+: |- |T\d+: )?((?:[A-Z]).*\.)$")
KEY = '"([a-z]+)"'


def merged(record: Record, new: Record, *without: str) -> Record:
    """The record without some keys and with new ones."""
    rest = {key: value for key, value in record.items() if key not in without}
    assert not rest.keys() & new.keys(), (record, new)
    return rest | new


def each(change: Callable[..., Record], records: Records, *words: str) -> Records:
    return [change(record, *words) for record in records]


def put(key: str, value: Callable[..., Any]) -> Callable[..., Record]:
    """A change of one value, under the first or the last of the words."""

    def change(record: Record, *words: str) -> Record:
        name, rest = (words[0], words[1:]) if key == "first" else (words[-1], words[:-1])
        return record | {name: value(record[name], *rest)}

    return change


def computed(sign: Callable[[int, int], int]) -> Callable[..., Record]:
    return lambda record, new, one, two: merged(record, {new: sign(record[one], record[two])})


def kept(test: Callable[[Any, str], bool], records: Records, key: str, value: str) -> Records:
    return [record for record in records if test(record[key], value)]


def in_order(records: Records, key: str, way: str) -> Records:
    """Equal values stay in their order; the least remaining value comes first, or the greatest."""
    left, order = [*records], []
    while left:
        best = (min if way == "ascending" else max)(record[key] for record in left)
        order += [record for record in left if record[key] == best]
        left = [record for record in left if record[key] != best]
    return order


def grouped(value: Callable[..., Any], records: Records, key: str, *words: str) -> Record:
    """An object with a key for each value of a key."""
    names = dict.fromkeys(record[key] for record in records)
    assert all(isinstance(name, str) for name in names), names
    return {name: value([r for r in records if r[key] == name], *words, key) for name in names}


def listed(records: Records, other: str, key: str) -> Records:
    assert other == key
    return [merged(record, {}, key) for record in records]


def only(records: Records, other: str, key: str) -> Record:
    [record] = listed(records, other, key)
    return record


LIST = f"Replace the list with an object that has a key for each value of {KEY}; under it is "
OPERATIONS: dict[str, Callable[..., Any]] = {
    f"Rename the key {KEY} to {KEY} in every record.": partial(
        each, lambda record, old, new: merged(record, {new: record[old]}, old)
    ),
    f"Remove the key {KEY} from every record.": partial(
        each, lambda record, key: {name: value for name, value in record.items() if name != key}
    ),
    f"In every record, move {KEY} and {KEY} with their values into an object, "
    f"and put this object under the new key {KEY}.": partial(
        each, lambda record, a, b, new: merged(record, {new: {a: record[a], b: record[b]}}, a, b)
    ),
    f"In every record, remove {KEY} and move the keys and values inside it directly "
    "into the record.": partial(each, lambda record, key: merged(record, record[key], key)),
    f"Convert every {KEY} to uppercase.": partial(each, put("first", str.upper)),
    rf"Add (\d+) to every {KEY}.": partial(each, put("last", lambda old, n: old + int(n))),
    rf"Subtract (\d+) from every {KEY}.": partial(each, put("last", lambda old, n: old - int(n))),
    f"Replace every {KEY} with the number of its items.": partial(each, put("first", len)),
    f"Replace every {KEY} with the sum of its items.": partial(each, put("first", sum)),
    f"Reverse the order of the items in every {KEY}.": partial(each, put("first", lambda old: old[::-1])),
    rf"Keep only the records whose {KEY} is at most (-?\d+).": partial(kept, lambda old, n: old <= int(n)),
    rf"Keep only the records whose {KEY} is at least (-?\d+).": partial(kept, lambda old, n: old >= int(n)),
    rf'Keep only the records whose {KEY} is (true|false|"\w+").': partial(
        kept, lambda old, value: old == json.loads(value)
    ),
    rf"Sort the records by {KEY} in (ascending|descending) order (strings alphabetically); "
    "records with the same value stay in their current order.": in_order,
    f"{LIST}the list of the records with that value, in their current order and without {KEY}.": partial(
        grouped, listed
    ),
    f"{LIST}the record with that value, without {KEY}.": partial(grouped, only),
    f"{LIST}the sum of {KEY} over the records with that value.": partial(
        grouped, lambda records, other, _: sum(record[other] for record in records)
    ),
}
OPERATIONS |= {
    f"Add a new key {KEY} to every record, with the value of {KEY} {word} the value of {KEY}.": partial(
        each, computed(sign)
    )
    for word, sign in {"plus": add, "minus": sub, "times": mul}.items()
}
PATTERNS = {
    re.compile(text.replace("(strings alphabetically)", r"\(strings alphabetically\)")): text
    for text in OPERATIONS
}


def applied(records: Records, steps: list[Operation]) -> Any:
    for text, words in steps:
        records = OPERATIONS[text](records, *words)
    return records


@lru_cache(maxsize=4)
def read(prompt: str) -> tuple[Records, list[Operation]]:
    """The records and the operations."""
    found = re.search(r"^\[\n.*?^\]$", prompt, re.M | re.S)
    assert found, prompt
    steps: list[Operation] = []
    for line in (prompt[: found.start()] + prompt[found.end() :]).split("\n"):
        step = STEP.match(line)
        matches = [(text, m.groups()) for p, text in PATTERNS.items() if step and (m := p.fullmatch(step[1]))]
        assert len(matches) <= 1, line
        assert matches or not re.match(r"\d+\. |Stage \d+: |- |T\d+: ", line), line
        steps += matches
    assert steps, prompt
    return json.loads(found.group()), steps


def once(pairs: list[tuple[str, Any]]) -> Record:
    """An object; none has a key twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def never(text: str) -> None:
    raise ValueError(text)


def same(one: Any, other: Any) -> bool:
    """True if two JSON values are equal; true is not 1, but 1.0 is."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def judge(prompt: str, answer: str) -> bool:
    """True if the answer is the result as one JSON value."""
    try:
        value = json.loads(answer, object_pairs_hook=once, parse_float=Fraction, parse_constant=never)
    except ValueError:
        return False
    return same(value, applied(*read(prompt)))


def shuffled(value: Any, rng: Random) -> Any:
    """The value with the keys of each object in another order."""
    if isinstance(value, list):
        return [shuffled(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: shuffled(value[key], rng) for key in rng.sample([*value], len(value))}


def nearly(value: Any, rng: Random) -> Any:
    """The value with one part changed."""
    if isinstance(value, dict) and value:
        key = rng.choice([*value])
        renamed = {name + "s" * (name == key): item for name, item in value.items()}
        changed = value | {key: nearly(value[key], rng)}
        return rng.choice([merged(value, {}, key), renamed, changed, changed, changed])
    if isinstance(value, list) and value:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        swapped = [*value]
        swapped[i], swapped[j] = value[j], value[i]
        other = [*value[:i], nearly(value[i], rng), *value[i + 1 :]]
        return rng.choice([swapped, swapped, value[:i] + value[i + 1 :], other, other])
    others: list[Any] = [[value], None, str(value).lower()]
    if isinstance(value, bool):
        others += [not value, int(value)]
    elif isinstance(value, int):
        others += [value + 1, -value, float(value), value + 0.5]
    elif isinstance(value, str):
        others += [value.swapcase(), f"{value} "]
    return rng.choice(others)


def other_steps(records: Records, steps: list[Operation], rng: Random) -> Iterator[Any]:
    """Results of operations that are left out, repeated or in another order, where there are any."""
    at = rng.randrange(len(steps))
    for plan in (
        steps[:at] + steps[at + 1 :],
        steps[: at + 1] + steps[at:],
        steps[:-1],
        rng.sample(steps, len(steps)),
        steps[::-1],
    ):
        try:
            yield applied(records, plan)
        except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
            continue


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """The result in several layouts, results that are nearly it, and texts that are no JSON."""
    records, steps = read(prompt)
    right = applied(records, steps)
    text = json.dumps(right)
    yield json.dumps(shuffled(right, rng))
    yield json.dumps(shuffled(right, rng), indent=rng.choice((0, 1, 2, 8)))
    yield json.dumps(shuffled(right, rng), separators=(",", ":"))
    yield json.dumps(
        right, separators=(rng.choice([" ,\t", ",\r\n", "\n, "]), rng.choice([" : ", ":\t", ":\n"]))
    )
    yield f"\n{text}\n"
    yield re.sub(r"[a-z](?=\w*\")", lambda c: rf"\u{ord(c[0]):04x}", text)
    yield re.sub(r"(?<=: )(\d+)(?=[,}])", rng.choice([r"\1.0", r"\1e0", r"\g<1>0e-1"]), text)

    for value in [
        *(nearly(right, rng) for _ in range(12)),
        *other_steps(records, steps, rng),
        records,
        [right],
    ]:
        yield json.dumps(value)
    spot = rng.randrange(len(text))
    yield text[:spot] + text[spot + 1 :]
    yield text[:spot] + rng.choice('"{}[],:0 1\n') + text[spot:]
    yield re.sub(r'("\w+": [^][{},]+)', r"\1, \1", text, count=1)
    yield re.sub(r"(?<=: )(\d+)", rng.choice([r"0\1", r"+\1", r"\1.", r"NaN", r"\1e400"]), text, count=1)
    yield text.replace('"', "'")
    yield re.sub(r'"(\w+)":', r"\1:", text)
    yield text[:-1] + "," + text[-1]
    yield f"{text} {text}"
    yield f"```json\n{text}\n```"
    yield f"Result: {text}"
    yield str(right)
    yield ""
