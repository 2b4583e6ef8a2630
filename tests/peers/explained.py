"""Why judges of the two suites disagree, by family, data set of theirs, and way."""

from typing import Any

EXPLAINED: dict[tuple[str, str, str], str] = {
    ("reverse_text", "spell_backward", "wrong answers"): "theirs does not mind capital letters, ours does.",
}

NUMBERS: dict[str, Any] = {"answer": "['1', '5', '9']", "metadata": {"direction": "ascending"}}

FAULTS: list[tuple[str, str, dict[str, Any], str]] = [
    (
        "puzzle24",
        "6 * 4 * 1 * 1",
        {"answer": "", "metadata": {"numbers": [4, 8, 6, 2]}},
        "24 was to be made of 4, 8, 6, 2. It counts numbers and does not compare them; our `countdown` does.",
    ),
    (
        "number_sorting",
        "['1.9', '4.1', '9.9']",
        NUMBERS,
        "1, 5 and 9 were to be sorted. Each number may be off by 1; our `sorting` lets none change.",
    ),
]
"""Wrong answers that their judge pays: data set, answer, what it is judged against, and why."""
