"""Generation speed of tasks that both suites have: `python -m benches.reasoning_gym_speed`.

Needs the `bench` extra. Prompt and answer are included; theirs have their default size, ours the nearest
size. First in processor time of one thread, then in wall time, where ours use every core, as they do by
default, and theirs the one core that Python code can use. The last line is for a uniform mix: equally many
tasks of each.
"""

import os
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import reasonenv


class Pair(NamedTuple):
    """A task of both suites."""

    ours: str
    theirs: str
    level: int
    items: int
    """Number of their items that are timed at once."""
    sizes: str
    """Their default sizes, then ours."""
    params: Mapping[str, Any] = MappingProxyType({})
    """Our params in addition to the level."""
    why: str = ""
    """Additional work of ours, where it is less than ten times as fast."""


SHARED = [
    Pair(
        "base_conversion",
        "base_conversion",
        2,
        500,
        "0 to 1,000, bases 2 to 16; 3 digits, bases 2 to 16",
        {"largest_base": 16, "decimal": False},
    ),
    Pair(
        "basic_arithmetic",
        "basic_arithmetic",
        2,
        300,
        "2 to 6 numbers; 4 numbers",
        why="no item can be worked out from left to right, and every division comes out even",
    ),
    Pair(
        "caesar_cipher", "caesar_cipher", 5, 300, "3 to 20 words, shift not given; 9 words, shifts not given"
    ),
    Pair(
        "calendar_arithmetic", "calendar_arithmetic", 3, 200, "one question about a day; 3 moves from a day"
    ),
    Pair("chain_sum", "chain_sum", 4, 500, "2 to 6 numbers of 1 to 4 digits; 4 of 3 digits"),
    Pair("countdown", "countdown", 4, 10, "4 to 6 numbers; 5 numbers"),
    Pair(
        "fraction_arithmetic",
        "fraction_simplification",
        2,
        300,
        "one fraction to reduce; 3 fractions to reckon with",
        why="theirs reduces one fraction, ours works out two operations",
    ),
    Pair("futoshiki", "futoshiki", 4, 5, "4 to 9 rows; 5 rows"),
    Pair("game_of_life", "game_of_life", 4, 50, "10 by 10, 1 generation; 8 by 8, 2 generations"),
    Pair(
        "graph_coloring",
        "graph_color",
        2,
        100,
        "10 nodes, 4 or 5 edges; 12 nodes, 25 edges",
        why="theirs has no answer; ours plants a coloring that going from node to node does not find",
    ),
    Pair("integration", "simple_integration", 3, 20, "2 to 5 terms; 3 terms"),
    Pair("jugs", "jugs", 3, 20, "3 jugs; 3 jugs"),
    Pair("knights_and_knaves", "knights_knaves", 2, 20, "2 people; 4 people"),
    Pair("letter_counting", "letter_counting", 3, 300, "5 to 15 words, one letter; 8 words, 4 letters"),
    Pair(
        "list_functions",
        "list_functions",
        3,
        300,
        "one function of 17, 5 lists; one operation of 12, 5 lists of 6",
        {"operations": 1, "kinds": 12, "examples": 4},
        why="ours tries all pairs of operations: those that fit agree on the list asked about",
    ),
    Pair(
        "maze",
        "maze",
        1,
        30,
        "4 to 10 squares a side; 9 squares a side",
        {"rooms": 4},
        why="theirs asks for the number of steps, ours for the way, and mazes turned and mirrored are one",
    ),
    Pair(
        "n_queens",
        "n_queens",
        2,
        30,
        "8 rows; 8 rows",
        why="theirs takes queens off boards solved before; ours has holes, and blind placing fails",
    ),
    Pair("number_sequence", "number_sequence", 4, 300, "4 to 8 numbers; linear rules with a square"),
    Pair(
        "polynomial_multiplication",
        "polynomial_multiplication",
        2,
        20,
        "2 or 3 of up to 4 terms; 2 of 3 terms",
    ),
    Pair(
        "prime_factorization",
        "prime_factorization",
        2,
        300,
        "2 to 1,000; 3 primes up to 43",
        why="half of ours are drawn again to keep splits apart",
    ),
    Pair(
        "propositional_entailment",
        "propositional_logic",
        2,
        20,
        "2 to 4 letters, 2 to 4 premises; 5 letters, 7 premises",
        why="theirs has no answer; ours is derived in two lines or more, or refuted by few values",
    ),
    Pair("reverse_text", "spell_backward", 1, 500, "a word of 3 to 10 letters; 5 letters"),
    Pair(
        "shortest_path",
        "shortest_path",
        2,
        100,
        "5 to 8 by 5 to 8 squares, most with one way; 8 nodes, 13 weighted edges",
        why="ours has weights and a path that neither the lightest edges nor the fewest lead to",
    ),
    Pair(
        "sorting",
        "number_sorting",
        2,
        300,
        "3 to 10 numbers; 6 records by 2 columns",
        why="ours sorts records by several columns, and no shorter way of sorting is right",
    ),
    Pair("sudoku", "sudoku", 5, 3, "30 to 50 empty squares; 36 empty squares"),
    Pair(
        "tower_of_hanoi",
        "tower_of_hanoi",
        2,
        100,
        "3 to 7 discs from peg to peg; 8 discs, 7 to 8 moves",
        why="theirs follows the one recursion, ours searches a shortest way between any two arrangements",
    ),
    Pair(
        "word_sorting",
        "word_sorting",
        2,
        300,
        "3 to 10 words; 6 words",
        why="words share their starts, and the order asked for is never that of the list",
    ),
]
SECONDS = 0.3
BATCH = 900
"""Number of our tasks that are generated at once."""


def seconds_per_item(make: Callable[[int], int], clock: Callable[[], float]) -> float:
    """Shortest time per item over rounds that begin at different items."""
    best, spent, start = float("inf"), 0.0, 0
    while spent < SECONDS:
        began = clock()
        count = make(start)
        took = clock() - began
        best, spent, start = min(best, took / count), spent + took, start + count
    return best


def ours(pair: Pair) -> Callable[[int], int]:
    """Generate our tasks, with prompts and answers."""
    source = reasonenv.family(pair.ours).source(level=pair.level, params=dict(pair.params))

    def make(start: int) -> int:
        batch = source.batch(start, BATCH)
        return min(len(batch.prompts), len(batch.answers))

    return make


def theirs(pair: Pair) -> Callable[[int], int]:
    """Generate their items."""
    import reasoning_gym  # noqa: PLC0415  an optional extra

    def make(start: int) -> int:
        data: Any = reasoning_gym.create_dataset(pair.theirs, size=pair.items, seed=start)
        return len([data[i] for i in range(pair.items)])

    return make


def main() -> None:
    """Print a table in Markdown."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(
        "| Family | Theirs | Sizes: theirs; ours | Ours, items/s | Theirs, items/s | Ratio "
        f"| Ratio by the clock, {cores} cores | Below ten: why |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    total = [0.0] * 4
    for pair in SHARED:
        reasonenv.set_num_threads(1)
        one = [seconds_per_item(make(pair), time.process_time) for make in (ours, theirs)]
        reasonenv.set_num_threads(0)
        all_cores = [seconds_per_item(make(pair), time.perf_counter) for make in (ours, theirs)]
        total = [so_far + took for so_far, took in zip(total, one + all_cores, strict=True)]
        single, many = one[1] / one[0], all_cores[1] / all_cores[0]
        print(
            f"| `{pair.ours}` {pair.level} | `{pair.theirs}` | {pair.sizes} | {1 / one[0]:,.0f} "
            f"| {1 / one[1]:,.0f} | {told(single)} | {told(many)} | {pair.why if single < 10 else ''} |",
            flush=True,
        )
    rates = [f"{len(SHARED) / took:,.0f}" for took in total[:2]]
    single, many = total[1] / total[0], total[3] / total[2]
    print(f"| uniform mix | | | {rates[0]} | {rates[1]} | {told(single)} | {told(many)} | |")


def told(ratio: float) -> str:
    """A ratio with as many digits as are significant."""
    return f"{ratio:,.{int(ratio < 10)}f}"


if __name__ == "__main__":
    main()
