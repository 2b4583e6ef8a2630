"""How fast items of tasks that both suites have are made: `python -m benches.reasoning_gym_speed`.

Needs the `bench` extra. Processor time of one thread, prompt and answer included; ours at the level of about
the same size as their default. The last line is of a uniform mix: as many items of each.
"""

import time
from collections.abc import Callable
from typing import Any

import reasonenv

# Ours, theirs, our level, and how many items of theirs are timed.
SHARED = [
    ("base_conversion", "base_conversion", 2, 500),
    ("basic_arithmetic", "basic_arithmetic", 2, 300),
    ("caesar_cipher", "caesar_cipher", 3, 300),
    ("calendar_arithmetic", "calendar_arithmetic", 2, 200),
    ("chain_sum", "chain_sum", 2, 500),
    ("countdown", "countdown", 3, 10),
    ("fraction_arithmetic", "fraction_simplification", 2, 300),
    ("futoshiki", "futoshiki", 2, 5),
    ("game_of_life", "game_of_life", 4, 50),
    ("graph_coloring", "graph_color", 1, 100),
    ("integration", "simple_integration", 1, 20),
    ("jugs", "jugs", 1, 20),
    ("knights_and_knaves", "knights_knaves", 0, 20),
    ("letter_counting", "letter_counting", 1, 300),
    ("list_functions", "list_functions", 2, 300),
    ("maze", "maze", 1, 30),
    ("n_queens", "n_queens", 2, 30),
    ("number_sequence", "number_sequence", 2, 300),
    ("polynomial_multiplication", "polynomial_multiplication", 1, 20),
    ("prime_factorization", "prime_factorization", 0, 300),
    ("propositional_entailment", "propositional_logic", 1, 20),
    ("reverse_text", "spell_backward", 0, 500),
    ("shortest_path", "shortest_path", 3, 100),
    ("sorting", "number_sorting", 2, 300),
    ("sudoku", "sudoku", 4, 3),
    ("tower_of_hanoi", "tower_of_hanoi", 0, 100),
    ("word_sorting", "word_sorting", 2, 300),
]
SECONDS = 0.3


def seconds_per_item(make: Callable[[int], int]) -> float:
    """The least processor time of an item over rounds that begin at other items."""
    best, spent, start = float("inf"), 0.0, 0
    while spent < SECONDS:
        began = time.process_time()
        count = make(start)
        took = time.process_time() - began
        best, spent, start = min(best, took / count), spent + took, start + count
    return best


def ours(name: str, level: int) -> Callable[[int], int]:
    """Makes 300 items of ours, with prompts and answers."""
    source = reasonenv.find_family(name).source(level=level)

    def make(start: int) -> int:
        batch = source.batch(start, 300)
        return min(len(batch.prompts), len(batch.answers))

    return make


def theirs(name: str, items: int) -> Callable[[int], int]:
    """Makes items of theirs."""
    import reasoning_gym  # noqa: PLC0415  an optional extra

    def make(start: int) -> int:
        data: Any = reasoning_gym.create_dataset(name, size=items, seed=start)
        return len([data[i] for i in range(items)])

    return make


def main() -> None:
    """Prints a table in Markdown."""
    reasonenv.set_num_threads(1)
    print("| Family | Theirs | Ours, items/s | Theirs, items/s | Ratio |")
    print("| --- | --- | --- | --- | --- |")
    total = [0.0, 0.0]
    for family, data_set, level, items in SHARED:
        both = seconds_per_item(ours(family, level)), seconds_per_item(theirs(data_set, items))
        total = [so_far + one for so_far, one in zip(total, both, strict=True)]
        rates = [f"{1 / one:,.0f}" for one in both]
        print(
            f"| `{family}` {level} | `{data_set}` | {rates[0]} | {rates[1]} | {both[1] / both[0]:,.0f} |",
            flush=True,
        )
    count = len(SHARED)
    print(
        f"| uniform mix | | {count / total[0]:,.0f} | {count / total[1]:,.0f} | {total[1] / total[0]:,.0f} |"
    )


if __name__ == "__main__":
    main()
