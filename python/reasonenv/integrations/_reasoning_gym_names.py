"""Names of reasoning-gym's data sets: their counterparts here, or why there is none."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple


class Counterpart(NamedTuple):
    """A family for a data set of reasoning-gym."""

    family: str
    params: Mapping[str, Any] = MappingProxyType({})
    """Params with which it poses that task."""
    differs: str = ""
    """The difference, if it poses another task of the same kind."""


_24: Final = {"numbers": 4, "use_all": True, "lowest_target": 24, "highest_target": 24}
_REWRITES: Final = "the rules are part of the question"

NAMES: Final[Mapping[str, Counterpart]] = MappingProxyType(
    {
        "ab": Counterpart("string_rewriting", differs=_REWRITES),
        "advanced_geometry": Counterpart("coordinate_geometry", differs="points are constructed in turn"),
        "base_conversion": Counterpart("base_conversion"),
        "basic_arithmetic": Counterpart("basic_arithmetic"),
        "caesar_cipher": Counterpart("caesar_cipher"),
        "calendar_arithmetic": Counterpart("calendar_arithmetic"),
        "chain_sum": Counterpart("chain_sum"),
        "circuit_logic": Counterpart("circuit", differs="it asks for inputs that give an output"),
        "codeio": Counterpart("program_output", differs="programs are in a small language"),
        "countdown": Counterpart("countdown"),
        "course_schedule": Counterpart("topological_order", differs="it asks for an order of all courses"),
        "cryptarithm": Counterpart("cryptarithm"),
        "dice": Counterpart("exact_probability", {"kind": "dice"}),
        "fraction_simplification": Counterpart("fraction_arithmetic", differs="it adds and multiplies"),
        "futoshiki": Counterpart("futoshiki"),
        "game_of_life": Counterpart("game_of_life"),
        "game_of_life_halting": Counterpart("game_of_life", differs="it asks for a board"),
        "gcd": Counterpart("gcd_lcm", {"gcd_percent": 100}),
        "graph_color": Counterpart("graph_coloring"),
        "intermediate_integration": Counterpart("integration"),
        "jugs": Counterpart("jugs"),
        "kakurasu": Counterpart("kakurasu"),
        "knights_knaves": Counterpart("knights_and_knaves"),
        "lcm": Counterpart("gcd_lcm", {"gcd_percent": 0}),
        "letter_counting": Counterpart("letter_counting"),
        "list_functions": Counterpart("list_functions"),
        "maze": Counterpart("maze"),
        "mini_sudoku": Counterpart("sudoku", {"size": 4, "tier": "naked_singles"}),
        "n_queens": Counterpart("n_queens"),
        "number_filtering": Counterpart("list_functions", differs="examples show what is done to a list"),
        "number_sequence": Counterpart("number_sequence"),
        "number_sorting": Counterpart("sorting", {"keys": 1}, differs="it sorts named things by a number"),
        "palindrome_generation": Counterpart(
            "palindrome_completion", differs="as few letters as possible are inserted"
        ),
        "path_star": Counterpart("shortest_path", differs="edges have lengths"),
        "polynomial_multiplication": Counterpart("polynomial_multiplication"),
        "prime_factorization": Counterpart("prime_factorization"),
        "propositional_logic": Counterpart(
            "propositional_entailment", differs="it asks for a derivation or a counterexample"
        ),
        "puzzle24": Counterpart("countdown", _24),
        "quantum_lock": Counterpart("button_lock"),
        "rubiks_cube": Counterpart("pocket_cube", differs="the cube has two by two by two pieces"),
        "rush_hour": Counterpart("rush_hour"),
        "self_reference": Counterpart("self_reference", differs="it asks which statements are true"),
        "sentence_reordering": Counterpart("story_order", differs="it puts whole sentences in order"),
        "shortest_path": Counterpart("shortest_path", differs="it asks for a path in a weighted graph"),
        "simple_equations": Counterpart("linear_system", {"unknowns": 1}),
        "simple_geometry": Counterpart("coordinate_geometry", differs="points are constructed in turn"),
        "simple_integration": Counterpart("integration", {"techniques": 0}),
        "sokoban": Counterpart("sokoban"),
        "spell_backward": Counterpart("reverse_text", {"unit": "characters"}),
        "string_insertion": Counterpart("string_rewriting", differs=_REWRITES),
        "string_manipulation": Counterpart("string_rewriting"),
        "string_splitting": Counterpart("string_rewriting", differs=_REWRITES),
        "string_synthesis": Counterpart("string_rewriting", differs=_REWRITES),
        "sudoku": Counterpart("sudoku"),
        "survo": Counterpart("survo"),
        "tower_of_hanoi": Counterpart("tower_of_hanoi"),
        "word_sequence_reversal": Counterpart("reverse_text", {"unit": "words", "alphabet": "words"}),
        "word_sorting": Counterpart("word_sorting"),
        "zebra_puzzles": Counterpart("zebra_puzzle"),
    }
)
"""Names in reasoning-gym, with the closest family here."""

_COMING: Final = (
    "acre", "aiw", "arc_1d", "bf", "binary_alternation", "binary_matrix", "bitwise_arithmetic",
    "boxnet", "coin_flip", "color_cube_rotation", "complex_arithmetic", "count_bits", "count_primes",
    "decimal_arithmetic", "decimal_chain_sum", "family_relationships", "gsm_symbolic",
    "largest_island", "leg_counting", "manipulate_matrix", "needle_haystack", "number_format",
    "palindrome_partitioning", "polynomial_equations", "pool_matrix", "power_function",
    "products", "rearc", "rotate_matrix", "rotten_oranges", "spiral_matrix",
    "syllogism", "time_intervals",
)  # fmt: skip
_HALF_GUESSED: Final = "half of its answers are guessed"
_ENGLISH: Final = "a list of English words decides what is right"

MISSING: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(_COMING, "nobody has made one yet")
    | {
        "arc_agi": "its items are fixed, not generated",
        "emoji_mystery": "its question hides text in invisible characters",
        "figlet_font": "fonts decide what is right",
        "group_anagrams": _ENGLISH,
        "isomorphic_strings": _HALF_GUESSED,
        "knight_swap": "its boards have six to nine squares, so that there are few problems",
        "letter_jumble": _ENGLISH,
        "mahjong_puzzle": "one answer is right for most items",
        "modulo_grid": "its items do not determine the rule",
        "ransom_note": _HALF_GUESSED,
        "rectangle_count": "how the rectangles are drawn decides what is right",
        "tsumego": "many items have several moves that are equally good, of which it takes one",
        "word_ladder": _ENGLISH,
    }
)
"""Names in reasoning-gym without a counterpart here, with the reason."""
