"""Long texts that may be expensive for one verifier or another."""

import json
import random
from functools import cache

LONGEST = 65_000
"""Bytes, with a tag just short of what a verifier reads."""

_PIECES = r"""1 |1/3,|x|x+|(x+1)|\frac{1}{2}+|\sqrt{|\sqrt{2}+|\boxed{1}|</answer>|the answer is |<think>
</think>|{}|[[],|"a",|'|\\|1,000|(1,2)\cup|1=|x=1 or |x=1,|1<|a or |(B)|5 km |$|%|½|π|İ
<<x>>|a. |中|sinx|5!|e^|1&2\\|null,|<|a,"b",|{"a":1}|00|3.14 |0.\overline{3}|\pm1|1\pm1|\{1\}
 +--b|1:|apple |\text{a}|x'|x_1|...|1^\circ |\left(|&|2^|²|^|#### 1|[x]|*a* |A. |ABC |(A)
A or |(B) |1 or |<a>|<answer>1</answer>|<think>a</think>|\u0041|"|ab|7"""


def repeated(piece: str) -> str:
    return piece * (LONGEST // len(piece.encode()))


def noise(alphabet: str, seed: int = 1, count: int | None = None) -> str:
    draw = random.Random(seed)
    return "".join(draw.choices(alphabet, k=count or LONGEST // max(len(c.encode()) for c in alphabet)))


def disturbed(text: str, every: int, with_: str) -> str:
    letters = list(text)
    letters[::every] = with_ * len(letters[::every])
    return "".join(letters)


@cache
def texts() -> list[str]:
    """One piece over and over, and long texts of the forms that judges read."""
    pieces = [piece for line in _PIECES.splitlines() for piece in line.split("|")]
    pieces += [
        "|",
        "|1",
        "\t",
        "\u0301",
        "\u200b",
        "\x00",
        "#### 1\n",
        "* a\n",
        "| a | b |\n",
        "```\n",
        " +--b\n",
    ]
    pieces += ["Section 1\n", 'a,"b",\n', '{"a":1}\n', "a,b\n", "😀"]
    return [*map(repeated, pieces), *_formulas(), *_tables(), *_json(), *_trees(), *_numbers(), *_words()]


def _joined(form: str, numbers: range, sign: str) -> str:
    return sign.join(form.replace("N", str(n)) for n in numbers)


def _formulas() -> list[str]:
    few = [
        "2^{" * 40 + "2" + "}" * 40,
        "2^{" * 10_000 + "2" + "}" * 10_000,
        r"\frac{1}{" * 5_000 + "1" + "}" * 5_000,
        r"\boxed{" * 4_000 + "1" + "}" * 4_000,
        "(" * 32_000 + "1" + ")" * 32_000,
        "{" * 32_000 + "}" * 32_000,
        r"\sin(" * 30 + "x" + ")" * 30,
        "(x+y+z+w+1)^{40}",
        "3249!+x",
        r"\sin(10^{1000})",
        r"\ln(3^{9999})",
        r"(1+\sqrt2)^{4096}",
        r"\sqrt{2+\sqrt{3+\sqrt{5+\sqrt{7}}}}-\sqrt{2+\sqrt{3}}",
        "1/3+" * 8_000 + "1",
        "1" * 60_000 + "_2",
        r"x \equiv " + "7" * 30_000 + r" \pmod{" + "3" * 30_000 + "}",
        r"0.\overline{" + "142857" * 9_000 + "}",
        r"\begin{pmatrix}" + "1&" * 10_000 + r"1\end{pmatrix}",
        r"\begin{pmatrix}" + r"1&2\\" * 9_000 + r"1&2\end{pmatrix}",
        "0<" + "x<" * 30_000 + "x",
    ]
    sums = [
        (r"\sqrt{N}", range(2, 200)),
        (r"\sqrt{N}", range(2, 14)),
        ("|x-N|", range(500)),
        (r"\frac{1}{x+N}", range(60)),
        (r"\sin(Nx)", range(200)),
        ("N!", range(400)),
        (r"\binom{N}{7}", range(7, 400)),
    ]
    few += [_joined(form, numbers, "+") for form, numbers in sums]
    few += [_joined("(x+N)", range(300), "*"), _joined("(x+Ny+z)", range(60), "*")]
    few += [_joined(r"(N/7,N)", range(1, 6_000, 2), r"\cup")]
    return few + [r"\{" + _joined(form, range(2, 2_000), ",") + r"\}" for form in (r"\sqrt{N}", r"\pi^{N}")]


def _tables() -> list[str]:
    return [
        "\n".join(",".join(str(row * column % 97) for column in range(60)) for row in range(380)),
        _joined("cN", range(5_000), ",") + "\n" + "1," * 4_999 + "1",
        "|a|b|\n|-|-|\n" + "|1.5|x|\n" * 8_000,
        "a\n" + _joined("N/7", range(1, 8_000), "\n"),
        "a\n" + _joined("NeN", range(6_000), "\n"),
        "a\n" + "\n".join(str(7**60 + n) for n in range(1_200)),
        'a\n"x""y"\n' * 6_000,
        '"' + 'a""' * 20_000 + '"',
        "a\n" + "0.25\n" * 12_000,
    ]


def _json() -> list[str]:
    return [
        json.dumps([{"a": n, "b": "x"} for n in range(3_000)]),
        "\n".join(json.dumps({"a": n, "b": "x"}) for n in range(3_000)),
        json.dumps({f"k{n}": n for n in range(4_500)}),
        json.dumps([f"s{n}" for n in range(7_000)]),
        "{" + ",".join(f'"a":{n}' for n in range(7_000)) + "}",
        "[" * 100 + "]" * 100,
    ]


def _trees() -> list[str]:
    return [
        "a\n" + "".join(" " * (3 * depth) + " +--b\n" for depth in range(200)),
        "a\n" + " +--b\n" * 8_000 + " `--c",
        "a\n" + (" |  " * 300 + "`--b\n") * 50,
        "a\n" + "".join(f" +--{n}\n |   `--{n}x\n" for n in range(3_000)) + " `--c",
    ]


def _numbers() -> list[str]:
    return [
        "3" * 30_000 + "." + "3" * 30_000,
        "0." + "0" * 64_000 + "1",
        "1e" + "9" * 64_000,
        "7" * 32_000 + "/" + "3" * 32_000,
        _joined("N/7", range(1, 8_000), " "),
        _joined("N/7", range(1, 8_000), ","),
        _joined("N", range(11_000), ", "),
        _joined("NeN", range(6_000), ","),
        " ".join(f"{n * 1e-6:.6f}" for n in range(7_000)),
        "5 " + "km " * 20_000,
    ]


def _words() -> list[str]:
    alphabets = ["ab", "ab ", "01", "0123456789,", "abcdefghij ", '{}[],:"1', "αβγδ", "()B. "]
    return [*map(noise, alphabets), " ".join(noise("abcdefghij", seed, 5) for seed in range(10_000))]


@cache
def pairs() -> list[tuple[str, str]]:
    """Long references with equal or similar answers."""
    letters, bits = noise("abcdefgh"), noise("ab")
    signs = "".join(chr(0x4E00 + n) for n in range(20_000))
    table, records, tree = _tables()[0], _json()[0], _trees()[3]
    near = [
        (letters, disturbed(letters, 7, "#")),
        (letters, disturbed(letters, 100, "#")),
        (letters, letters[1:] + "z"),
        (bits, bits[::-1]),
        (bits[:16_000], noise("ab", 2)[:16_000]),
        (bits[:8_000], noise("ab", 2)[:8_000]),
        (bits[:4_000], noise("ab", 2)),
        (signs, signs[::-1]),
        (signs[:10_000], signs[:10_000][::-1]),
        (_joined("wN", range(9_000), " "), _joined("wN", range(1, 9_001), " ")),
        (" ".join(bits[:30_000]), " ".join(noise("ab", 2)[:30_000])),
        (tree, tree.replace("1x", "1y")),
        ("a\n" + _joined(" +--N", range(7_000), "\n"), "a\n" + _joined(" +--N", range(6_999, -1, -1), "\n")),
        (table, table.replace("11", "12")),
        (records, records.replace("11", "12")),
        (_json()[2], _json()[2].replace("k1", "j1")),
        ("n\n" + _joined("N", range(9_000), "\n"), "n\n" + _joined("N", range(1, 9_001), "\n")),
        (_joined("N", range(11_000), ", "), _joined("N", range(10_999, -1, -1), ", ")),
        (_joined("N/7", range(1, 8_000), ","), _joined("N/14", range(2, 12_000, 2), ",")),
    ]
    decimals = ["\n".join(f"{n / 7 + off:.5f},{n % 5}" for n in range(4_500)) for off in (0, 0.0004)]
    near.append((f"n,m\n{decimals[0]}", f"n,m\n{decimals[1]}"))
    same = [*_formulas(), *_tables(), *_json(), *_trees(), *_numbers()]
    return [*near, *((other, one) for one, other in near), *((text, text + " ") for text in same)]
