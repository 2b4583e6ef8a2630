"""Translations of problems and answers between the two suites."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import chain
from typing import Any

from reasonenv import Task

Item = dict[str, Any]
Problem = dict[str, Any]

OR = " \N{LOGICAL OR} "


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


def monomials(text: str) -> Iterator[tuple[int, int]]:
    """The coefficient and the power of each term of a polynomial as SymPy writes it."""
    for sign, term in re.findall(r"([+-]?) ?([^ +-]+)", text):
        found = re.fullmatch(r"(\d+)?\*?([xyz])?(?:\*\*(\d+))?", term)
        if found is None:
            raise Inexpressible("a fraction")
        by, letter, power = found.groups()
        yield int(sign + (by or "1")), int(power or 1) if letter else 0


def coefficients(text: str) -> list[int]:
    """Those of a polynomial as SymPy writes it, from that of the highest power on."""
    by_power = {power: by for by, power in monomials(text)}
    return [by_power.get(power, 0) for power in range(max(by_power), -1, -1)]


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
        # The right operand binds tighter, or 8 - (3 - 2) would become 8 - 3 - 2.
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
    terms = [
        {"by": by, "part": {"kind": "power", "n": power}}
        for by, power in monomials(item["metadata"]["integrand"])
    ]
    answer = item["answer"].replace("**", "^").replace(" + C", "")
    return {"terms": terms}, answer


def product_from_theirs(item: Item) -> tuple[Problem, str]:
    expression = item["metadata"]["polynomial_expr"]
    factor = r"\(([^()]*)\)(?:\*\*(\d+))?"
    if set(re.sub(factor, "", expression)) - {"*"}:
        raise Inexpressible("a factor of one term")
    found = re.findall(factor, expression)
    factors = [coefficients(text) for text, times in found for _ in range(int(times or 1))]
    return {"factors": factors}, ", ".join(map(str, coefficients(item["answer"])))


def product_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    product = {0: 1}
    for factor in problem_of(task)["factors"]:
        longer: Counter[int] = Counter()
        for power, by in product.items():
            for more, other in enumerate(reversed(factor)):
                longer[power + more] += by * other
        product = longer

    def written(terms: dict[int, int]) -> str:
        return " + ".join(f"({by})*x**{power}" for power, by in terms.items())

    return entry(written(product)), written(dict(enumerate(reversed(numbers(answer)))))


def sequence_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]
    if "square" in about["rule"] or "halve" in about["rule"]:
        raise Inexpressible("a rule that squares or halves")
    order = 2 if "add previous" in about["rule"] else 1
    kind = {"order": order, "degree": 0, "strands": 1, "ahead": 1}
    return {"terms": about["sequence"][:-1], **kind}, item["answer"]


def date_from_theirs(item: Item) -> tuple[Problem, str]:
    """A weekday that theirs gives becomes a move, which leads to the date asked about if it is right."""
    about, answer = item["metadata"], item["answer"]
    weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    if about["task"] == "is_leap_year":
        end = f"{about['year']}-{'02-29' if answer == 'Yes' else '03-01'}"
        return dates(date(about["year"], 2, 28), [{"days": 1}]), end
    if about["task"] == "recurring_event_day":
        ordinals = ["first", "second", "third", "fourth", "last"]
        times = 1 + ordinals.index(about["ordinal"]) % 4
        start = date(about["year"], about["month"], 1) - timedelta(days=1)
        if about["ordinal"] == "last":
            start = date(about["year"] + about["month"] // 12, about["month"] % 12 + 1, 1) - timedelta(days=8)
        moves = [{"weekday": weekdays.index(about["weekday"])}] * times
        return dates(start, moves), f"{about['year']}-{about['month']:02}-{int(answer):02}"
    end, to_weekday = about["target_date"], {"weekday": weekdays.index(answer)}
    if about["task"] == "weekday_of_date":
        return dates(date.fromisoformat(end) - timedelta(days=1), [to_weekday]), end
    # Up to the day before, if that is another day.
    days = about["offset_days"] - 1
    moves = [{"days": days}, to_weekday] if days else [to_weekday]
    return dates(date.fromisoformat(about["start_date"]), moves), end


def dates(start: date, moves: list[dict[str, int]]) -> Problem:
    return {"start": {"year": start.year, "month": start.month, "day": start.day}, "moves": moves}


# Text and lists


def caesar_from_theirs(item: Item) -> tuple[Problem, str]:
    """The longest word alone, since ours shifts each word farther than the one before."""
    about = item["metadata"]
    pairs = zip(item["answer"].lower().split(), about["cipher_text"].lower().split(), strict=True)
    clear, coded = max(pairs, key=lambda pair: len(pair[0]))
    return {"words": [clear], "shift": about["rotation"], "more": 1, "asked": "encode"}, coded


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


def sorting_from_theirs(item: Item) -> tuple[Problem, str]:
    """Every number becomes a record with its own name, all of the same color."""
    about = item["metadata"]
    names = [str(int(float(number))) for number in about["original_numbers"]]
    rows = [[0, int(name)] for name in names]
    problem = {"names": names, "kinds": ["red"], "rows": rows}
    answer = " -> ".join(str(int(float(number))) for number in ast.literal_eval(item["answer"]))
    return {**problem, "descending": [about["direction"] == "descending"]}, answer


def sorting_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    """Every record becomes a number whose digits, to the base 1001, are its values."""
    problem = problem_of(task)
    keys = {}
    for name, row in zip(problem["names"], problem["rows"], strict=True):
        keys[name] = 0
        for value, descending in zip(row, [False, *problem["descending"]], strict=True):
            keys[name] = keys[name] * 1001 + (1000 - value if descending else value)
    right = [str(key) for key in sorted(keys.values())]
    return entry(str(right), direction="ascending"), str([str(keys[name]) for name in answer.split(" -> ")])


def list_from_theirs(item: Item) -> tuple[Problem, str]:
    """Rules that go by order alone: numbers up to 100, of which ours has half, are told by their ranks."""
    examples = re.findall(r"Input \d: \[(.*)\]\nOutput \d: \[(.*)\]", item["question"])
    pairs = [(numbers(given), numbers(made)) for given, made in examples]
    rules: list[tuple[list[int], Callable[[list[int]], list[int]]]] = [
        ([0], lambda given: given[::-1]),
        ([1], sorted),
        ([14], lambda given: sorted(given, reverse=True)),
        ([0, 0], lambda given: given),
    ]
    fitting = [done for done, rule in rules if all(rule(given) == made for given, made in pairs)]
    if not fitting:
        raise Inexpressible("neither sorted nor reversed")
    asked = numbers(item["question"].partition("\nInput: ")[2])
    lists = [given for given, _ in pairs]
    ranks = {number: rank for rank, number in enumerate(sorted({*asked, *chain.from_iterable(lists)}))}
    problem = {"kinds": [0, 1, 14], "done": fitting[0], "asked": [ranks[number] for number in asked]}
    shown = [[ranks[number] for number in given] for given in lists]
    answer = [ranks.get(number, number) for number in numbers(item["answer"])]
    return {**problem, "examples": shown}, ", ".join(map(str, answer))


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


def maze_from_theirs(item: Item) -> tuple[Problem, str]:
    """The plan is a walk of as many steps as theirs says, which is shortest if theirs is right."""
    about, count = item["metadata"], int(item["answer"])
    side, signs = about["grid_size"], "".join(about["grid"])
    start, goal = signs.index(about["start"]), signs.index(about["goal"])
    steps = dict(zip("UDLR", (-side, side, -1, 1), strict=True))
    walks = {start: ""}
    for _ in range(count):
        walks = {
            square + step: walk + letter
            for square, walk in walks.items()
            for letter, step in steps.items()
            if signs[square + step] != about["wall"]
        }
    # Where no walk takes so many steps, any that leads elsewhere: ours refuses it.
    walk = walks.get(goal, "U" * count)
    rows = ["".join(".#"[sign == about["wall"]] for sign in row) for row in about["grid"]]
    plan = ["UDLR".index(letter) for letter in walk]
    return {"rows": rows, "start": start, "goal": goal, "plan": plan}, ", ".join(walk)


def sokoban_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    signs = list("".join(problem["rows"]).replace("#", "+").replace(".", "X"))
    on_goal = {"*": "%", "@": "$"}
    for square, sign in [(problem["player"], "*"), *((box, "@") for box in problem["boxes"])]:
        signs[square] = on_goal[sign] if signs[square] == "X" else sign
    side = len(problem["rows"])
    rows = ["".join(signs[at : at + side]) for at in range(0, len(signs), side)]
    return entry("", gamestr="\n".join(rows)), answer.replace(", ", "")


def jugs_from_theirs(item: Item) -> tuple[Problem, str]:
    """Ours is asked for the jug that holds the amount when theirs is done."""
    puzzle, said = item["metadata"]["puzzle"], json.loads(item["answer"])
    sizes = puzzle["jug_capacities"]
    letters = "ABCD"[: len(sizes)]
    pours = [f"pour {one}->{other}" for one in letters for other in letters if one != other]
    moves = [f"{verb} {letter}" for verb in ("fill", "empty") for letter in letters] + pours
    held = dict.fromkeys(letters, 0)
    for move in said:
        if "->" in move:
            one, other = move.removeprefix("pour ").split("->")
            poured = min(held[one], sizes[letters.index(other)] - held[other])
            held[one] -= poured
            held[other] += poured
        else:
            held[move[-1]] = sizes[letters.index(move[-1])] if "fill" in move else 0
    jug = list(held.values()).index(puzzle["target"])
    problem = {"sizes": sizes, "start": [0] * len(sizes), "jug": jug, "liters": puzzle["target"]}
    answer = ", ".join(said).replace("pour ", "").replace("->", " to ")
    return {**problem, "plan": [moves.index(move) for move in said]}, answer


def jugs_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    problem = problem_of(task)
    if any(problem["start"]):
        raise Inexpressible("water in a jug at first")
    moves = [re.sub(r"(\w) to (\w)", r"pour \1->\2", move) for move in answer.split(", ")]
    puzzle = {"jug_capacities": problem["sizes"], "target": problem["liters"]}
    return entry("", puzzle=puzzle), json.dumps(moves)


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


def conclusion_to_theirs(task: Task, answer: str) -> tuple[Item, str]:
    """The last line of a derivation, and where nothing can be derived the conclusion, which is wrong."""
    problem, follows = problem_of(task), " from " in task.solution.answer
    if " from " not in answer:
        raise Inexpressible("values: theirs asks for a conclusion")
    if follows and answer != task.solution.answer:
        raise Inexpressible("a wrong step: theirs asks for none")
    conclusion = answer.splitlines()[-1].partition(" from ")[0]
    if follows and len(conclusion) == 1:
        raise Inexpressible("one letter, which theirs calls trivial")

    def written(clause: list[int]) -> str:
        return OR.join("¬" * (literal < 0) + chr(ord("A") + abs(literal) - 1) for literal in clause)

    letters = [chr(ord("A") + letter) for letter in range(problem["letters"])]
    premises = [written(clause) for clause in problem["premises"]]
    said = conclusion.replace("not ", "¬").replace(" or ", OR)
    return entry("", premises=premises, variables=letters), said


def islanders_from_theirs(item: Item) -> tuple[Problem, str]:
    about = item["metadata"]

    def fact(claim: Any) -> dict[str, Any]:
        kind, who = claim[0], claim[1]
        if kind == "not" and who[0] in ("telling-reference", "lying"):
            return {"person": who[1], "knight": who[0] == "lying"}
        if kind not in ("telling-reference", "lying"):
            raise Inexpressible("a claim of claims")
        return {"person": who, "knight": kind == "telling-reference"}

    def said(claim: Any) -> dict[str, Any]:
        words = {"and": "both", "or": "either", "->": "if"}
        if claim[0] not in (*words, "<=>"):
            return {"is": fact(claim)}
        one, other = fact(claim[1]), fact(claim[2])
        if claim[0] == "<=>":
            alike = "same" if one["knight"] == other["knight"] else "different"
            return {alike: [one["person"], other["person"]]}
        return {words[claim[0]]: [one, other]}

    statements = [
        {"speaker": speaker, "claim": said(claim)} for speaker, claim in enumerate(about["statements"])
    ]
    kinds = ["knight" if one else "knave" for one in about["solution"]]
    answer = ", ".join(f"{name}: {kind}" for name, kind in zip(about["names"], kinds, strict=True))
    return {"names": about["names"], "statements": statements}, answer
