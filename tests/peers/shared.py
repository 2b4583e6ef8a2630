"""Tasks that reasoning-gym has too, and how a problem and an answer of one suite are said in the other."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from reasonenv import Task

Item = dict[str, Any]
Problem = dict[str, Any]


@dataclass(frozen=True)
class Shared:
    """A task of both suites.

    `to_theirs` takes a problem of ours and an answer to it, right or wrong, and gives their entry and the
    answer in their words; `from_theirs` takes an item of theirs and gives the problem and the answer in ours.
    Either is None where nothing can be said: the note says why. Both may raise `Inexpressible` for an item.
    """

    ours: str
    theirs: str
    note: str
    level: int = 1
    config: dict[str, Any] = field(default_factory=dict)
    draws: int = 3
    """Items of theirs that are looked at for each that is wanted: some have no counterpart."""
    to_theirs: Callable[[Task, str], tuple[Item, str]] | None = None
    from_theirs: Callable[[Item], tuple[Problem, str]] | None = None


class Inexpressible(Exception):
    """This item has no counterpart."""


def problem_of(task: Task) -> Problem:
    found: Problem = json.loads(task.problem)
    return found


def entry(answer: str, **metadata: Any) -> Item:
    return {"question": "", "answer": answer, "metadata": metadata}


def numbers(text: str) -> list[int]:
    return list(map(int, re.findall(r"-?\d+", text)))


def grid(text: str) -> list[list[int]]:
    return [numbers(line) for line in text.splitlines() if line.strip()]


def spaced(rows: list[list[int]], blank: str = "0") -> str:
    return "\n".join(" ".join(str(cell) if cell else blank for cell in row) for row in rows)


# Arithmetic


def sum_from_theirs(item: Item) -> tuple[Problem, str]:
    terms = re.findall(r"([+-]?) ?(\d+)", item["metadata"]["expression"])
    return {"terms": [int(sign + digits) for sign, digits in terms]}, item["answer"]


def sum_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    return entry(str(sum(problem_of(task)["terms"]))), answer


def expression_from_theirs(item: Item) -> tuple[Problem, str]:
    """With the parentheses that are needed, as ours are written."""
    marks = {ast.Add: ("+", 1), ast.Sub: ("-", 1), ast.Mult: ("*", 2), ast.Div: ("/", 2)}

    def written(node: ast.expr, least: int) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value)
        if not isinstance(node, ast.BinOp):
            raise Inexpressible("a sign before a number")
        mark, rank = marks[type(node.op)]
        # What stands on the right binds tighter, or 8 - (3 - 2) would be 8 - 3 - 2.
        text = f"{written(node.left, rank)} {mark} {written(node.right, rank + (mark in '-/') or rank)}"
        return f"({text})" if rank < least else text

    tree = ast.parse(item["metadata"]["expression"].strip(), mode="eval")
    return {"expression": written(tree.body, 0)}, item["answer"]


def base_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    bases = {"from": about["source_base"], "to": about["target_base"]}
    return {"number": about["decimal_value"], **bases}, item["answer"]


def factors_from_theirs(item: Item) -> tuple[Problem, str]:
    return {"factors": item["metadata"]["factors"]}, item["answer"].replace("×", "*")


def factors_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    said = [base for base, power in powers(answer) for _ in range(power)]
    return entry(" × ".join(map(str, problem_of(task)["factors"]))), " × ".join(map(str, said))


def powers(text: str) -> Iterator[tuple[int, int]]:
    for base, _, power in re.findall(r"(\d+)(\^(\d+))?", text):
        yield int(base), int(power or 1)


def fraction_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    once = ["*", [1, 1]]
    over, under = about["simplified_numerator"], about["simplified_denominator"]
    answer = f"{over}/{under}" if under > 1 else str(over)
    return {"first": [about["numerator"], about["denominator"]], "operations": [once, once]}, answer


def countdown_from_theirs(item: Item) -> tuple[Problem, str]:
    about, answer = item["metadata"], item["answer"]
    given = {"numbers": about["numbers"], "target": about["target"], "use_all": True}
    return {**given, "solution": answer}, answer


def countdown_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    if not problem["use_all"] and sorted(numbers(problem["solution"])) != sorted(problem["numbers"]):
        raise Inexpressible("theirs asks for all numbers")
    return entry(problem["solution"], numbers=problem["numbers"], target=problem["target"]), answer


def puzzle24_from_theirs(item: Item) -> tuple[Problem, str]:
    answer = item["answer"]
    return {"numbers": item["metadata"]["numbers"], "target": 24, "use_all": True, "solution": answer}, answer


def antiderivative_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    if set(re.findall(r"[a-z]+", answer)) - {"x"}:
        raise Inexpressible("only polynomials")
    parts = [term["part"] for term in problem_of(task)["terms"]]
    if any(part["kind"] != "power" for part in parts):
        raise Inexpressible("only polynomials")
    terms = [f"({term['by']})*x**{term['part']['n']}" for term in problem_of(task)["terms"]]
    return entry("", integrand=" + ".join(terms), variable="x"), answer.replace("^", "**")


def antiderivative_from_theirs(item: Item) -> tuple[Problem, str]:
    """Only whole coefficients can be said in ours."""
    if item["metadata"]["variable"] != "x":
        raise Inexpressible("another variable")
    terms = []
    for sign, term in re.findall(r"([+-]?) ?([^ +-]+)", item["metadata"]["integrand"]):
        found = re.fullmatch(r"(\d+)?\*?(x)?(?:\*\*(\d+))?", term)
        if found is None:
            raise Inexpressible("a fraction")
        by, x, power = found.groups()
        terms.append(
            {
                "by": int(sign + (by or "1")),
                "part": {"kind": "power", "n": int(power or 1) if x else 0},
            }
        )
    answer = item["answer"].replace("**", "^").replace(" + C", "")
    return {"terms": terms}, answer


# Text


def caesar_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    words = about["clear_text"].lower().split()
    if not all(word.isascii() and word.isalpha() for word in words):
        raise Inexpressible("marks that are no letters")
    return {"words": words, "shift": about["rotation"], "asked": "decode"}, item["answer"].lower()


def letters_from_theirs(item: Item) -> tuple[Problem, str]:
    """Ours asks for two letters at least: the other is one that theirs does not ask about."""
    about = item["metadata"]
    words = [word.lower() for word in about["span"]]
    letter = about["target_letter"].lower()
    other = "e" if letter != "e" else "t"
    if not all(word.isascii() and word.isalpha() for word in words):
        raise Inexpressible("marks that are no letters")
    return {"words": words, "letters": [letter, other]}, f"{item['answer']}, {''.join(words).count(other)}"


def reversal_from_theirs(item: Item) -> tuple[Problem, str]:
    return {"text": item["metadata"]["word"], "unit": "characters"}, item["answer"]


def reversal_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    return entry(problem_of(task)["text"][::-1]), answer


def words_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    words = about["transformed_words"]
    if len(set(words)) < len(words) or not all(word.isascii() and word.isalpha() for word in words):
        raise Inexpressible("a word twice, or marks that are no letters")
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    if about["direction"] == "descending":
        raise Inexpressible("theirs sorts downwards")
    return {"words": words, "alphabet": alphabet}, " -> ".join(about["sorted_words"])


def words_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    if problem["alphabet"] != "abcdefghijklmnopqrstuvwxyz":
        raise Inexpressible("an alphabet of its own")
    return entry("", sorted_words=sorted(problem["words"])), answer.replace(" -> ", ", ")


# Grids and graphs


def sudoku_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    return {"givens": about["puzzle"], "solution": about["solution"]}, item["answer"]


def sudoku_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    return entry(spaced(problem["solution"]), solution=problem["solution"], puzzle=problem["givens"]), answer


def futoshiki_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    size, less = about["board_size"], []
    for row, column, other_row, other_column, sign in about["constraints"]:
        pair = [row * size + column, other_row * size + other_column]
        less.append(pair if sign == "<" else pair[::-1])
    problem = {"givens": about["puzzle"], "less": less, "solution": about["solution"]}
    return problem, spaced(about["solution"])


def futoshiki_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    solution = problem_of(task)["solution"]
    return entry(spaced(solution), solution=solution), answer


def life_from_theirs(item: Item) -> tuple[Problem, str]:
    found = re.findall(r"\[\[.*?\]\]", item["question"].replace("\n", "").replace(" ", ""))
    about = item["metadata"]
    problem = {"cells": json.loads(found[-1]), "generations": about["simulation_steps"], "joined_edges": True}
    return problem, spaced(json.loads(item["answer"]))


def coloring_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    puzzle, colors = about["puzzle"], ["red", "green", "blue"]
    names = [str(vertex + 1) for vertex in puzzle["vertices"]]
    planted = [about["possible_answer"][str(vertex)] - 1 for vertex in puzzle["vertices"]]
    answer = ", ".join(f"{name}: {colors[color]}" for name, color in zip(names, planted, strict=True))
    return {"names": names, "edges": puzzle["edges"], "planted": planted}, answer


def coloring_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    colors = {"red": 1, "green": 2, "blue": 3}
    said = dict(re.findall(r"(\w+): (\w+)", answer))
    if set(said) != set(problem["names"]):
        raise Inexpressible("a name is missing: theirs raises, which its scorer catches")
    vertices = list(range(len(problem["names"])))
    puzzle = {"vertices": vertices, "edges": problem["edges"], "num_colors": 3, "color_options": [1, 2, 3]}
    coloring = {str(i): colors.get(said[name], 0) for i, name in enumerate(problem["names"])}
    return entry("", puzzle=puzzle), json.dumps(coloring)


def path_from_theirs(item: Item) -> tuple[Problem, str]:
    rows = item["metadata"]["matrix"]
    if item["answer"] == "infeasible":
        raise Inexpressible("no path: ours always has one")
    open_cells = {(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell != "X"}
    order = sorted(open_cells)
    at = {cell: i for i, cell in enumerate(order)}
    edges = [
        [at[r, c], at[near], 1] for r, c in order for near in ((r, c + 1), (r + 1, c)) if near in open_cells
    ]
    [start] = [cell for cell in order if rows[cell[0]][cell[1]] == "*"]
    [goal] = [cell for cell in order if rows[cell[0]][cell[1]] == "#"]
    steps = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    path = [start]
    for word in item["answer"].split():
        path.append((path[-1][0] + steps[word][0], path[-1][1] + steps[word][1]))
    names = [f"r{r}c{c}" for r, c in order]
    graph = {"directed": False, "names": names, "edges": edges}
    problem = {"graph": graph, "start": at[start], "goal": at[goal], "shortest": len(path) - 1}
    return problem, " -> ".join(names[at[cell]] if cell in at else "nowhere" for cell in path)


def queens_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    squares = [["queen" if cell == "Q" else "free" for cell in row] for row in about["puzzle"]]
    rows = [line.split() for line in item["answer"].splitlines()]
    columns = [row.index("Q") + 1 for row in rows]
    return {"squares": squares, "solution": columns}, " ".join(map(str, columns))


def hanoi_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    discs, pegs = about["num_disks"], about["num_pegs"]
    moves = [
        (int(source) - 1, int(target) - 1)
        for source, target in re.findall(r"from Peg (\d+) to Peg (\d+)", item["answer"])
    ]
    plan = [source * (pegs - 1) + target - (target > source) for source, target in moves]
    problem = {
        "pegs": pegs,
        "start": [about["start_peg"] - 1] * discs,
        "goal": [about["target_peg"] - 1] * discs,
        "plan": plan,
    }
    return problem, ", ".join(f"{'ABCDEFGH'[source]} to {'ABCDEFGH'[target]}" for source, target in moves)


# Logic


def islanders_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]

    def person(claim: Any) -> dict[str, Any]:
        kind, who = claim[0], claim[1]
        if kind == "not" and who[0] in ("telling-truth", "lying"):
            return {"person": who[1], "knight": who[0] == "lying"}
        if kind not in ("telling-truth", "lying"):
            raise Inexpressible("a claim of claims")
        return {"person": who, "knight": kind == "telling-truth"}

    words = {"and": "both", "or": "either"}
    statements = []
    for speaker, claim in enumerate(about["statements"]):
        if claim[0] not in words or len(claim) != 3:
            raise Inexpressible("an implication or an equivalence")
        pair = [person(claim[1]), person(claim[2])]
        statements.append({"speaker": speaker, "claim": {words[claim[0]]: pair}})
    kinds = ["knight" if one else "knave" for one in about["solution"]]
    answer = ", ".join(f"{name}: {kind}" for name, kind in zip(about["names"], kinds, strict=True))
    return {"names": about["names"], "statements": statements}, answer


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
    Shared("caesar_cipher", "caesar_cipher", "Text of letters alone.", from_theirs=caesar_from_theirs),
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
    Shared("sudoku", "sudoku", "", 5, {}, 3, sudoku_to_theirs, sudoku_from_theirs),
    Shared("sudoku", "mini_sudoku", "", 1, {}, 3, sudoku_to_theirs, sudoku_from_theirs),
    Shared("futoshiki", "futoshiki", "", 1, {}, 3, futoshiki_to_theirs, futoshiki_from_theirs),
    Shared("game_of_life", "game_of_life", "", from_theirs=life_from_theirs),
    Shared("graph_coloring", "graph_color", "", 1, {}, 3, coloring_to_theirs, coloring_from_theirs),
    Shared("shortest_path", "shortest_path", "A grid as a graph.", from_theirs=path_from_theirs),
    Shared("n_queens", "n_queens", "", from_theirs=queens_from_theirs),
    Shared("tower_of_hanoi", "tower_of_hanoi", "", from_theirs=hanoi_from_theirs),
    Shared(
        "knights_and_knaves",
        "knights_knaves",
        "Statements that join two claims by and, or.",
        config={"n_people": 3, "depth_constraint": 2, "width_constraint": 2},
        draws=100,
        from_theirs=islanders_from_theirs,
    ),
]
