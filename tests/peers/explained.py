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
    "Tests in `tests/tasks/test_*_oracles.py`, which `make test-all` runs, solve problems of our families "
    "with the program named here and compare answers with our verdicts."
)
"""The tests behind `SOLVED`."""

_GRIDS = "1,000 puzzles, over all levels, have one solution, and it passes; 1,000 wrong answers fail."

SOLVED: list[tuple[str, str, str]] = [
    (
        "binairo",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "blocksworld",
        "networkx",
        (
            "1,000 shortest plans are as short as ours; 1,000 right and 1,000 wrong answers are judged "
            "as by rules in Python."
        ),
    ),
    (
        "button_lock",
        "networkx",
        ("1,000 shortest plans are as short as ours; 1,000 right and 1,000 wrong answers are judged alike."),
    ),
    (
        "calcudoku",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "congruences",
        "SymPy: `solve_congruence`, `n_order`, `discrete_log`, `mod_inverse`",
        "1,008 right and 1,008 wrong answers are judged alike.",
    ),
    (
        "cryptarithm",
        "every choice of digits, with NumPy",
        (
            "1,000 puzzles have one solution, and it is ours; 1,000 wrong answers fail. Of 60 items of "
            "reasoning-gym's `cryptarithm`, 57 have several."
        ),
    ),
    (
        "hitori",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "kakurasu",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "kakuro",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "light_up",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "lights_out",
        "OR-tools CP-SAT 9.15",
        (
            "1,000 problems need as many presses as ours say; 1,000 right and 1,000 wrong answers are "
            "judged alike."
        ),
    ),
    (
        "matrix_algebra",
        "SymPy",
        "1,000 right and 1,000 wrong answers are judged alike.",
    ),
    (
        "new_operators",
        "an evaluator in Python that reads the prompt",
        "1,000 right and 1,000 wrong answers are judged alike.",
    ),
    (
        "numbrix",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "nurikabe",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "object_tracking",
        "a player in Python that reads the prompt",
        "1,000 right and 1,000 wrong answers are judged alike.",
    ),
    (
        "pocket_cube",
        "a search from both ends in Python, with stickers as points in space",
        ("1,000 shortest plans are as short as ours; 1,000 right and 1,000 wrong answers are judged alike."),
    ),
    (
        "resistor_network",
        "SymPy, by Kirchhoff's laws, from the prompt",
        "1,020 right and 1,020 wrong answers are judged alike.",
    ),
    (
        "self_reference",
        "every choice of truth values, with NumPy, from the prompt",
        "1,012 lists have one consistent choice, and it is ours; 3,036 wrong answers fail.",
    ),
    (
        "set_cover",
        "OR-tools CP-SAT 9.15",
        ("1,000 optima of levels 0 to 6 are ours; 1,000 right and 1,000 wrong answers are judged alike."),
    ),
    (
        "sliding_tiles",
        "a search from both ends in Python",
        ("1,000 shortest plans are as short as ours; 1,000 right and 1,000 wrong answers are judged alike."),
    ),
    (
        "slitherlink",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "star_battle",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "survo",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "tents",
        "OR-tools CP-SAT 9.15",
        _GRIDS,
    ),
    (
        "vertex_subset",
        "OR-tools CP-SAT 9.15",
        ("1,000 optima of levels 0 to 6 are ours; 1,000 right and 1,000 wrong answers are judged alike."),
    ),
]
"""Families that another program solves, with the program and what came out."""
