"""Small functions, right and wrong, with tests on which the runtimes must agree."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A program, its tests, and the expected outcome."""

    name: str
    completion: str
    reference: str
    right: bool


_FAMILIES: dict[str, tuple[str, str, list[tuple[Any, ...]]]] = {
    "scale": ("return x * {a} + {b}", "return x * {b} + {a}", [(0,), (7,), (-3,), (10**20,)]),
    "clamp": (
        "return max({a}, min(x, {a} + {b}))",
        "return min({a}, max(x, {a} + {b}))",
        [(0,), (9,), (99,), (-9,)],
    ),
    "digits": (
        "return sum(int(d) for d in str(abs(x))) % {b}",
        "return sum(int(d) for d in str(x)[1:]) % {b}",
        [(1234,), (98,), (56789,)],
    ),
    "remainders": (
        "return [n for n in range(x) if n % {b} == {a} % {b}]",
        "return [n for n in range(x + 30) if n % {b} == {a} % {b}]",
        [(5,), (20,), (31,)],
    ),
    "power": ("return pow(x, {a}, {b} + 7)", "return (x * {a}) % ({b} + 7) + 1", [(2,), (5,), (11,)]),
    "pairs": (
        "return [(x[i], x[-1 - i]) for i in range(len(x) // 2)][:{a}]",
        "return [[x[i], x[-1 - i]] for i in range(len(x) // 2)][:{a}]",
        [([1, 2, 3, 4],), ([5, 6],), (list(range(9)),)],
    ),
    "rotate": (
        "k = {a} % len(x)\n    return x[k:] + x[:k]",
        "k = {a} % len(x) + 1\n    return x[-k:] + x[:-k]",
        [([1, 2, 3, 4, 5],), ("abcdefg",), ((1, 2, 3, 4),)],
    ),
    "counts": (
        "found = {{}}\n    for one in x:\n        found[one] = found.get(one, 0) + {a}\n    return found",
        "found = {{}}\n    for one in x:\n        found[one] = {a}\n    return found",
        [("hello",), ("aab",), ([1, 1, 2],)],
    ),
    "unique": (
        "return set(one % {b} for one in x)",
        "return [one % {b} for one in x]",
        [([1, 2, 3, 30],), ([5, 5, 5],), ([0],)],
    ),
    "sorts": (
        "return sorted(x, key=lambda one: (one % {b}, one))",
        "return sorted(x, key=lambda one: (-(one % {b}), -one))",
        [([5, 3, 9, 1],), (list(range(12)),), ([7, 70, 77],)],
    ),
    "primes": (
        "return [n for n in range(2, x + {a}) if all(n % d for d in range(2, int(n ** 0.5) + 1))]",
        "return [n for n in range(2, x + {a}) if n % 2]",
        [(2,), (10,), (30,)],
    ),
    "fibonacci": (
        "p, q = {a}, {b}\n    for _ in range(x):\n        p, q = q, p + q\n    return p",
        "p, q = {a}, {b}\n    for _ in range(x + 1):\n        p, q = q, p + q\n    return p",
        [(0,), (5,), (90,)],
    ),
    "gcd": (
        "y = {a} * {b}\n    while y:\n        x, y = y, x % y\n    return x",
        "y = {a} * {b}\n    return x % y",
        [(12,), (35,), (1000,)],
    ),
    "format": (
        "return f'{{x:0{b}d}}|{{x:>{b}}}|{{x!r}}'",
        "return f'{{x:{b}d}}|{{x:<{b}}}|{{x}}.'",
        [(1,), (42,), (-7,)],
    ),
    "words": (
        "return ' '.join(w[:{b}].capitalize() for w in x.split())",
        "return ' '.join(w[:{b}] for w in x.split()).upper() + '.'",
        [("the quick fox",), ("  a b ",), ("one",)],
    ),
    "caesar": (
        "return ''.join(chr((ord(c) - 97 + {a}) % 26 + 97) if c.islower() else c for c in x)",
        "return ''.join(chr(ord(c) + {a}) for c in x)",
        [("xyz",), ("Hello",), ("z z",)],
    ),
    "matrix": (
        "return [[one * {a} for one in column] for column in zip(*x)]",
        "return [[one * {a} for one in row] for row in x[::-1]] + [[]]",
        [([[1, 2], [3, 4]],), ([[1, 2, 3]],), ([[0]],)],
    ),
    "floats": (
        "return x / {b} + 0.1 * {a}",
        "return round(x / {b} + 0.1 * {a}) + 0.5",
        [(1,), (2.5,), (1e9,)],
    ),
    "errors": (
        "try:\n        return {b} // (x - {a})\n    except ZeroDivisionError:\n        return None",
        "return {b} // (x - {a})",
        [(n,) for n in range(10)],
    ),
    "recursion": (
        "def walk(n):\n        return 1 if n <= 0 else walk(n - {a}) + {b}\n    return walk(x)",
        "def walk(n):\n        return walk(n - {a}) + {b}\n    return walk(x)",
        [(3,), (10,), (50,)],
    ),
    "bits": (
        "return bin(x ^ ({a} << {b})).count('1')",
        "return bin(x).count('0') + {a} * {b}",
        [(0,), (255,), (1 << 40,)],
    ),
    "nested": (
        "return {{'n': x, 'list': [x] * {a}, 'pair': (x, {{'deep': [None, True, x]}})}}",
        "return {{'n': x, 'list': [x] * {a}, 'pair': [x, {{'deep': [None, True, x]}}]}}",
        [(1,), (2,), (3,)],
    ),
    "closures": (
        "def add(k):\n        return lambda n: n + k\n    return [add(k)(x) for k in range({b})]",
        "made = [lambda n: n + k for k in range({b})]\n    return [one(x) for one in made] + [0]",
        [(0,), (5,), (-2,)],
    ),
    "modules": (
        "import math, itertools, collections\n    return [math.isqrt(x) + {a}, list(itertools.combinations(range({b} % 4), 2)), collections.Counter(str(x)).most_common(1)]",
        "import math\n    return [math.sqrt(x) + {a} + 0.25]",
        [(16,), (99,), (1000,)],
    ),
    "patterns": (
        "import re\n    return re.findall(r'\\d{{1,{b}}}', x)",
        "import re\n    return re.findall(r'\\w+', x) + ['{a}']",
        [("a1b22c333",), ("2024-01-02",), ("none",)],
    ),
    "raises": (
        "if x < {a}:\n        return 'small'\n    return 'large'",
        "if x < {a}:\n        raise ValueError('small')\n    raise KeyError(str(x))",
        [(0,), (100,), (3,)],
    ),
    "crashes": ("return [1, 2, 3][x % 3] * {a}", "return [1, 2, 3][x + {b}] * {a}", [(1,), (2,), (9,)]),
    "booleans": ("return x % {b} == 0 and x > {a}", "return 'yes'", [(4,), (9,), (30,)]),
}
"""Right body, wrong body and test arguments of each family; {a} and {b} are numbers."""

_NUMBERS = [(1, 3), (2, 5), (3, 4), (4, 7), (5, 2), (6, 9), (7, 8), (2, 10), (3, 12), (9, 6)]


def samples() -> Iterator[Sample]:
    """Yield right and wrong programs of each family; expected values come from the right body."""
    for name, (right, wrong, arguments) in _FAMILIES.items():
        for a, b in _NUMBERS:
            bodies = [f"def f(x):\n    {body.format(a=a, b=b)}\n" for body in (right, wrong)]
            names: dict[str, Any] = {}
            exec(bodies[0], names)
            tests = [f"assert f({', '.join(map(repr, one))}) == {names['f'](*one)!r}" for one in arguments]
            for body, passes in zip(bodies, (True, False), strict=True):
                label = f"{name} {a} {b} {'right' if passes else 'wrong'}"
                yield Sample(label, f"```python\n{body}```", json.dumps(tests), passes)
