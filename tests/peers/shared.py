"""Tasks that reasoning-gym has too, and how items of one suite are said in the other."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reasonenv import Task
from translations import (
    Item,
    Problem,
    antiderivative_from_theirs,
    antiderivative_to_theirs,
    base_from_theirs,
    caesar_from_theirs,
    coloring_from_theirs,
    coloring_to_theirs,
    conclusion_to_theirs,
    countdown_from_theirs,
    countdown_to_theirs,
    date_from_theirs,
    expression_from_theirs,
    factors_from_theirs,
    factors_to_theirs,
    fraction_from_theirs,
    futoshiki_from_theirs,
    futoshiki_to_theirs,
    hanoi_from_theirs,
    islanders_from_theirs,
    jugs_from_theirs,
    jugs_to_theirs,
    letters_from_theirs,
    life_from_theirs,
    list_from_theirs,
    maze_from_theirs,
    path_from_theirs,
    product_from_theirs,
    product_to_theirs,
    puzzle24_from_theirs,
    queens_from_theirs,
    reversal_from_theirs,
    reversal_to_theirs,
    sequence_from_theirs,
    sokoban_to_theirs,
    sorting_from_theirs,
    sorting_to_theirs,
    sudoku_from_theirs,
    sudoku_to_theirs,
    sum_from_theirs,
    sum_to_theirs,
    words_from_theirs,
    words_to_theirs,
)


@dataclass(frozen=True)
class Shared:
    """A task of both suites.

    `to_theirs` takes a problem of ours and an answer to it, right or wrong, and gives their entry and the
    answer in their words; `from_theirs` takes an item of theirs and gives the problem and the answer in ours.
    Either is None where nothing can be said, or nothing learnt. Both may raise `Inexpressible` for an item.
    """

    ours: str
    theirs: str
    note: str
    level: int = 1
    config: dict[str, Any] = field(default_factory=dict)
    draws: int = 3
    """Items that are looked at for each that is wanted: some have no counterpart."""
    to_theirs: Callable[[Task, str], tuple[Item, str]] | None = None
    from_theirs: Callable[[Item], tuple[Problem, str]] | None = None
    besides: str = ""
    """Requirement of our certificate besides a right answer; items that violate it have no counterpart."""


SHARED = [
    Shared("chain_sum", "chain_sum", "", 1, {}, 3, sum_to_theirs, sum_from_theirs),
    Shared(
        "basic_arithmetic",
        "basic_arithmetic",
        "Ours has no sign before a number.",
        draws=30,
        from_theirs=expression_from_theirs,
    ),
    Shared("base_conversion", "base_conversion", "", from_theirs=base_from_theirs),
    Shared(
        "prime_factorization", "prime_factorization", "", 1, {}, 3, factors_to_theirs, factors_from_theirs
    ),
    Shared(
        "fraction_arithmetic",
        "fraction_simplification",
        "Theirs reduces one fraction; in ours it is multiplied by 1 twice.",
        config={"max_value": 30, "max_factor": 10},
        from_theirs=fraction_from_theirs,
    ),
    Shared("countdown", "countdown", "", 2, {}, 3, countdown_to_theirs, countdown_from_theirs),
    Shared("countdown", "puzzle24", "", from_theirs=puzzle24_from_theirs),
    Shared(
        "integration",
        "simple_integration",
        "Polynomials with whole coefficients.",
        0,
        {},
        30,
        antiderivative_to_theirs,
        antiderivative_from_theirs,
    ),
    Shared(
        "polynomial_multiplication",
        "polynomial_multiplication",
        "Polynomials in one letter with a constant term.",
        draws=15,
        to_theirs=product_to_theirs,
        from_theirs=product_from_theirs,
    ),
    Shared(
        "number_sequence",
        "number_sequence",
        "Rules without squares and halves, whose multipliers are at most 3.",
        draws=20,
        from_theirs=sequence_from_theirs,
    ),
    Shared(
        "calendar_arithmetic",
        "calendar_arithmetic",
        "Questions about one day: a weekday that theirs gives is a move of ours, which leads to the day.",
        config={"tasks": ["weekday_offset", "weekday_of_date", "recurring_event_day", "is_leap_year"]},
        draws=1,
        from_theirs=date_from_theirs,
    ),
    Shared(
        "caesar_cipher",
        "caesar_cipher",
        "The longest word, which ours encodes: each of our words has a shift of its own.",
        from_theirs=caesar_from_theirs,
    ),
    Shared(
        "letter_counting",
        "letter_counting",
        "Ours asks for several letters; the second is counted here.",
        from_theirs=letters_from_theirs,
    ),
    Shared("reverse_text", "spell_backward", "", 0, {}, 3, reversal_to_theirs, reversal_from_theirs),
    Shared(
        "word_sorting",
        "word_sorting",
        "Distinct words of small letters, upwards.",
        0,
        {"transformation": "lowercase"},
        4,
        words_to_theirs,
        words_from_theirs,
    ),
    Shared(
        "sorting",
        "number_sorting",
        "Their whole numbers as records of one color; our records as numbers in the same order.",
        config={"min_value": 0, "max_value": 1000, "max_decimals": 0},
        to_theirs=sorting_to_theirs,
        from_theirs=sorting_from_theirs,
    ),
    Shared(
        "list_functions",
        "list_functions",
        "Lists that are sorted, reversed or left as they are.",
        draws=10,
        from_theirs=list_from_theirs,
    ),
    Shared("sudoku", "sudoku", "", 5, {}, 3, sudoku_to_theirs, sudoku_from_theirs),
    Shared("sudoku", "mini_sudoku", "", 1, {}, 3, sudoku_to_theirs, sudoku_from_theirs),
    Shared("futoshiki", "futoshiki", "", 1, {}, 3, futoshiki_to_theirs, futoshiki_from_theirs),
    Shared("game_of_life", "game_of_life", "", from_theirs=life_from_theirs),
    Shared("graph_coloring", "graph_color", "", 1, {}, 3, coloring_to_theirs, coloring_from_theirs),
    Shared("shortest_path", "shortest_path", "A grid as a graph.", from_theirs=path_from_theirs),
    Shared(
        "maze",
        "maze",
        "Theirs asks for the number of steps, ours for a way: one of that number.",
        draws=1,
        from_theirs=maze_from_theirs,
    ),
    Shared(
        "sokoban", "sokoban", "Their answers need not be shortest, ours must.", to_theirs=sokoban_to_theirs
    ),
    Shared(
        "jugs",
        "jugs",
        "Jugs that are empty at first.",
        draws=40,
        to_theirs=jugs_to_theirs,
        from_theirs=jugs_from_theirs,
    ),
    Shared("n_queens", "n_queens", "", from_theirs=queens_from_theirs),
    Shared("tower_of_hanoi", "tower_of_hanoi", "", from_theirs=hanoi_from_theirs),
    Shared(
        "propositional_entailment",
        "propositional_logic",
        "Theirs asks for anything that follows: right is the end of a derivation, wrong what has none.",
        draws=3,
        to_theirs=conclusion_to_theirs,
    ),
    Shared(
        "knights_and_knaves",
        "knights_knaves",
        "Statements about one person or two.",
        config={"n_people": 3, "depth_constraint": 2, "width_constraint": 2},
        draws=30,
        besides="would tell nothing|repeats",
        from_theirs=islanders_from_theirs,
    ),
]
