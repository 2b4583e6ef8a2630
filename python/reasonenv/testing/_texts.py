"""Texts that have broken verifiers elsewhere. Each must get a verdict; none is meant as an answer."""

HOSTILE: tuple[str, ...] = (
    *("", " ", "\0", "\n\n", "none", "None", "null", "true", "yes", "no", "-", "+", "()", "[]", "{}", '""'),
    *(",", ",,,", ".", "*", ":", ";", "->", "the answer", "none of the above", "all of them", "0", "1", "-1"),
    *("9**9**9**9", "9^9^9", "1e999", "1e-999", "NaN", "inf", "-inf", "1/0", "0x10", "999999999999", "1_000"),
    *(
        "__import__('os').system('true')",
        "eval('1')",
        "{{7*7}}",
        "%s%n",
        "${7*7}",
        "\\boxed{0}",
        "a: b, c: d",
    ),
    *(
        "🦀",
        "\u202eabc",
        "\u200b",
        "\ufeff",
        "\u0410\u0412\u0421",
        "٣",
        "½",
        "²",
        "Ⅷ",
        "\u2028",
        "\x85",
        "\ud800",
        "é" * 50,
    ),
    *("9" * 5000, "-" * 5000, "(" * 5000, "[" * 5000, "1," * 5000, "a " * 5000, "\n" * 5000, "{" * 5000),
    *("1 2 3\n4 5 6", "A -> B -> A", "1, 2, 3", "3/4", "2024-02-30", "x = 1", "<b>1</b>", "`1`", "**1**"),
    "0" * 60_000,
)
"""Texts to put in place of an answer."""
