"""Generation and verification rates of every family, on one thread; peers are in the same group.

Each group is one comparison: read its ratio, not its times.
"""

import difflib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import reasonenv
from pytest_benchmark.fixture import BenchmarkFixture

FAMILIES = reasonenv.list_families()
ITEMS = 500

# Our family, and reasoning-gym's data set of the same task at its default difficulty.
PEERS = {
    "chain_sum": ("chain_sum", 4, 200),
    "countdown": ("countdown", 4, 5),
    "knights_and_knaves": ("knights_knaves", 2, 20),
    "shortest_path": ("shortest_path", 5, 100),
    "sudoku": ("sudoku", 5, 3),
    "reverse_text": ("spell_backward", 1, 100),
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Use one thread, as rates are per core."""
    reasonenv.set_num_threads(1)
    yield
    reasonenv.set_num_threads(0)


def _generate(name: str, level: int) -> Callable[[int], list[str]]:
    source = reasonenv.family(name).source(level=level)
    return lambda start: source.batch(start, ITEMS).prompts


@pytest.mark.parametrize("name", FAMILIES)
def test_generate(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark.group = f"generate {name}"
    benchmark.extra_info["items"] = ITEMS
    level = PEERS.get(name, ("", 5, 0))[1]
    benchmark(_generate(name, level), 0)


@pytest.mark.parametrize("name", [name for name in PEERS if name in FAMILIES])
def test_generate_reasoning_gym(benchmark: BenchmarkFixture, name: str) -> None:
    reasoning_gym = pytest.importorskip("reasoning_gym", reason="needs the `bench` extra")
    peer, _, items = PEERS[name]
    benchmark.group = f"generate {name}"
    # Scaled by hand: this round generates fewer items than ours.
    benchmark.extra_info["items"] = items
    data: Any = reasoning_gym.create_dataset(peer, size=items, seed=0)
    benchmark(lambda: [data[i] for i in range(items)])


@pytest.mark.parametrize("name", FAMILIES)
def test_verify(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark.group = "verify right answers"
    batch = reasonenv.family(name).batch(count=ITEMS, level=5)
    texts = [task.wrap(task.solution.answer) for task in batch]
    assert benchmark(batch.verify, texts).passed.all()


@pytest.mark.parametrize("threads", [1, 2])
def test_generate_on_threads(benchmark: BenchmarkFixture, threads: int) -> None:
    benchmark.group = "generate sudoku on threads"
    reasonenv.set_num_threads(threads)
    benchmark(_generate("sudoku", 5), 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_verify_on_threads(benchmark: BenchmarkFixture, threads: int) -> None:
    benchmark.group = "verify ascii_tree on threads"
    reasonenv.set_num_threads(threads)
    batch = reasonenv.family("ascii_tree").batch(count=20_000, level=5)
    texts = [task.wrap(task.solution.answer) for task in batch]
    benchmark(batch.verify, texts)


def python_compat(text: str, reference: str) -> float:
    """The published reward of the ASCII-tree task, as Python's difflib computes it."""
    found = re.search(r"<ascii_formatted>(.*?)</ascii_formatted>", text, re.DOTALL)
    if found is None:
        return 0.0
    answer, lines = found.group(1).strip().split("\n"), reference.split("\n")
    matcher = difflib.SequenceMatcher(None, answer, lines)
    longest = matcher.find_longest_match(0, len(answer), 0, len(lines)).size
    score = 0.3 * matcher.ratio() + 0.7 * longest / len(lines)
    if any(not line.startswith(" ") and line.rstrip() != lines[0] for line in answer[1:]):
        score *= 0.5
    if not any("--" in line for line in answer[1:]):
        score *= 0.5
    return score


def compat_rows() -> tuple[list[str], list[str]]:
    """Return trees of 30 lines, and answers with one wrong line."""
    batch = reasonenv.family("ascii_tree").batch(count=ITEMS, params={"lines": 30, "depth": 5})
    references = [task.solution.answer for task in batch]
    answers = []
    for i, reference in enumerate(references):
        lines = reference.split("\n")
        lines[1 + i % (len(lines) - 1)] += "x"
        answers.append("<ascii_formatted>\n" + "\n".join(lines) + "\n</ascii_formatted>")
    return answers, references


def test_compat(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "ascii_tree compat, 30 lines"
    texts, references = compat_rows()
    benchmark(reasonenv.verifiers.ascii_tree(scorer="compat"), texts, references)


def test_compat_python(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "ascii_tree compat, 30 lines"
    texts, references = compat_rows()
    benchmark(
        lambda: [python_compat(text, reference) for text, reference in zip(texts, references, strict=True)]
    )
