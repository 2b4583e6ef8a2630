"""Reasons why verifiers of the two suites disagree, by family, their data set, and direction."""

from typing import Any

EXPLAINED: dict[tuple[str, str, str], str] = {
    ("reverse_text", "spell_backward", "wrong answers"): "theirs does not mind capital letters, ours does.",
    ("sokoban", "sokoban", "wrong answers"): (
        "theirs passes over steps that cannot be made, into a wall or against a box that does not move; ours "
        "refuses them."
    ),
    ("jugs", "jugs", "wrong answers"): (
        "theirs lets a full jug be filled and an empty one be emptied or poured from, and any jug hold the "
        "amount; ours refuses such moves and names the jug."
    ),
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
"""Wrong answers that their verifier passes: data set, answer, reference, and reason."""

UNLIKE: dict[tuple[str, str], str] = {
    ("zebra_puzzle", "zebra_puzzles"): (
        "theirs tells its clues in English alone, so that no item of it can be posed in ours."
    ),
    ("story_order", "sentence_reordering"): (
        "ours orders the sentences of a story, theirs the words of one sentence, of which it knows one order."
    ),
    ("palindrome_completion", "palindrome_generation"): (
        "ours inserts letters into a word, theirs orders letters that are given."
    ),
    ("circuit", "circuit_logic"): "ours asks for inputs that lead to outputs, theirs for the output.",
}
"""Families whose namesake in the other suite asks something else, or cannot be read, and why."""

SOLVED_BY = (
    "`tests/tasks/test_grid_oracles.py` (run by `make test-all`) reads each puzzle from its prompt, states "
    "its rules to the solver named here, and asks it for two solutions."
)
"""The tests behind `SOLVED`."""

SOLVED: list[tuple[str, str, str]] = [
    (
        "binairo",
        "OR-tools CP-SAT 9.15",
        "1,000 of 1,000 puzzles, over all levels, have one solution, and it is ours.",
    ),
]
"""Families that another program solves, with the program and what came out."""
