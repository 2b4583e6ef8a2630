"""The tools that come with the package: notebook, calculator, interpreter, wiki."""

import random
import re
from fractions import Fraction

import pytest
from env_checks import copies, equal
from gymnasium.utils.env_checker import check_env
from reasonenv.errors import InvalidArgument
from reasonenv.tools import ToolContext, ToolError, Wiki, calculator, interpreter, notebook
from tool_calls import call, make


def test_a_notebook_lasts_as_long_as_the_episode() -> None:
    env = make()
    env.step(call("notebook", action="write", title="a", text="36 < 40"))
    fork = env.clone()
    fork.step(call("notebook", action="write", title="b", text="x"))
    seen, *_ = env.step(call("notebook", action="list") + call("notebook", action="read", title="a"))
    assert seen.endswith("\na\n</tool_response>\n<tool_response>\n36 < 40\n</tool_response>")
    seen, *_ = env.step(call("notebook", action="read", title="b"))
    assert "there is no note 'b'; there are a" in seen
    assert "a, b" in fork.step(call("notebook", action="list"))[0]
    for twin in copies(env):
        assert "\na\n" in twin.step(call("notebook", action="list"))[0]
    env.reset()
    assert "there are no notes" in env.step(call("notebook", action="list"))[0]
    for wrong in (
        {"action": "read"},
        {"action": "write", "title": "a", "text": "x" * 3000},
        {"action": "burn"},
    ):
        assert "error: " in env.step(call("notebook", **wrong))[0].rpartition("[reply]")[2]


def test_a_notebook_is_bounded() -> None:
    context = ToolContext(None)
    for number in range(32):
        notebook("write", context, str(number))
    with pytest.raises(ToolError, match="the notebook is full: it holds 32 notes"):
        notebook("write", context, "one more")
    assert notebook("write", context, "3", "again") == "written"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+2", "4"),
        ("-2**2", "-4"),
        ("(-2)^2", "4"),
        ("2**-1", "1/2 (about 0.5)"),
        ("2**3**2", "512"),
        ("7//2", "3"),
        ("-7//2", "-4"),
        ("-7 % 3", "2"),
        ("0.1 + 0.2", "3/10 (about 0.3)"),
        ("1/3", "1/3 (about 0.333333)"),
        ("-1/3", "-1/3 (about -0.333333)"),
        (".5 * 4", "2"),
        ("--3", "3"),
        ("1 - -1", "2"),
        ("2 * (3 + 4) / 7", "2"),
        ("0**0", "1"),
    ],
)
def test_the_calculator_is_exact(expression: str, value: str) -> None:
    assert calculator(expression) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "ends where a number must come"),
        ("1 +", "ends where a number must come"),
        ("1 / 0", "it divides by zero"),
        ("1 % 0", "it divides by zero"),
        ("0 ** -1", "it divides by zero"),
        ("2 ** 0.5", "whole exponent"),
        ("9 ** 9 ** 9", "too large"),
        ("9 ** 99999999999", "too large"),
        ("(1", "a parenthesis is not closed"),
        ("1)", r"an operator is missing before '\)'"),
        ("1 2", "an operator is missing before '2'"),
        ("* 1", r"'\*' stands where a number must come"),
        ("__import__('os')", "'_' is neither a number"),
        ("1e5", "'e' is neither a number"),
        ("\N{ARABIC-INDIC DIGIT THREE}", "is neither a number"),
        ("(" * 60 + "1" + ")" * 60, "nested deeper than 50"),
        ("-" * 60 + "1", "nested deeper than 50"),
        ("1" * 1001, "longer than 1000"),
    ],
)
def test_what_the_calculator_refuses(expression: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        calculator(expression)


def test_the_calculator_agrees_with_fractions() -> None:
    rng = random.Random(0)

    def draw(depth: int) -> tuple[str, Fraction]:
        if depth == 0:
            number = rng.randrange(20)
            return str(number), Fraction(number)
        (a, x), (b, y) = draw(depth - 1), draw(depth - 1)
        sign = rng.choice("+-*/") if y else rng.choice("+-*")
        return f"({a} {sign} {b})", {"+": x + y, "-": x - y, "*": x * y, "/": x / (y or 1)}[sign]

    for _ in range(200):
        expression, value = draw(3)
        assert calculator(expression).split(" ")[0] == str(value)
    told: set[bool] = set()
    for _ in range(500):
        text = "".join(rng.choices("0123456789.+-*/%^() ", k=rng.randrange(12)))
        try:
            assert calculator(text)
        except ToolError as error:
            told.add("\n" in str(error))
    assert told == {False}


@pytest.mark.parametrize(
    ("program", "inputs", "result"),
    [
        ("return 2 + 3 * 4", {}, "14"),
        ("while b != 0 { t = a % b; a = b; b = t }\nreturn a", {"a": 84, "b": 36}, "12"),
        ("s = 0\nrepeat n {\n  s = s + n\n}\nreturn s # all", {"n": 7}, "49"),
        ("if x < 0 { return -x } else { return x }", {"x": -5}, "5"),
        ("return x", {"x": 10**15}, str(10**15)),
    ],
)
def test_the_interpreter_runs_programs(program: str, inputs: dict[str, int], result: str) -> None:
    assert interpreter(program, inputs).split(" ")[0] == result
    env = make(interpreter)
    seen, *_ = env.step(call("interpreter", program=program, inputs=inputs))
    assert seen.endswith(f"{interpreter(program, inputs)}\n</tool_response>")


@pytest.mark.parametrize(
    ("program", "inputs", "says"),
    [
        ("while 1 { }", {}, "it takes more steps than are allowed"),
        ("return x", {}, "x is used before it is set"),
        ("return 1 / 0", {}, "1 is divided by 0"),
        ("x = 1", {}, "it ends without a result"),
        ("print(1)", {}, "the program has no result"),
        ("import os", {}, "the program has no result"),
        ("x" * 20_001, {}, "longer than 20000 characters"),
        ("return x", {"X": 1}, "`inputs` has 'X'"),
        ("return x", {"if": 1}, "`inputs` has 'if'"),
        ("return x", {"": 1}, "`inputs` has ''"),
        ("return x", {"x": 10**16}, "the input x is too large"),
        ("return x", {f"x{at}": 1 for at in range(27)}, "there are 27 inputs"),
    ],
)
def test_the_interpreter_says_what_is_wrong(program: str, inputs: dict[str, int], says: str) -> None:
    with pytest.raises(ToolError, match=re.escape(says)):
        interpreter(program, inputs)
    env = make(interpreter)
    info = env.step(call("interpreter", program=program, inputs=inputs))[4]
    assert info["tool_calls"] == 1


def result_or_reason(program: str) -> str:
    try:
        return interpreter(program, {"x": 2})
    except ToolError as error:
        return str(error)


def test_the_interpreter_is_total_and_inert() -> None:
    words = [
        "x",
        "=",
        "1",
        "+",
        "while",
        "{",
        "}",
        "return",
        "(",
        ")",
        "\n",
        ";",
        "not",
        "__import__",
        "\0",
        "é",
        "9" * 30,
    ]
    rng = random.Random(0)
    ran = 0
    for _ in range(500):
        program = " ".join(rng.choices(words, k=rng.randrange(12)))
        found = [result_or_reason(program) for _ in range(2)]
        assert found[0] == found[1]
        assert 0 < len(found[0]) < 500
        ran += "(after" in found[0]
    assert interpreter("return x", {"x": 2}).startswith("2 ")
    assert ran < 500


def test_the_wiki_is_the_same_for_the_same_seed() -> None:
    assert Wiki(3).pages == Wiki(3).pages
    assert Wiki(3).questions(20) == Wiki(3).questions(20)
    assert Wiki(3).pages != Wiki(4).pages
    assert Wiki(3).questions(20) != Wiki(3).questions(20, seed=1)
    assert len(Wiki(size=50).pages) == 200
    assert repr(Wiki(3)) == "Wiki(seed=3, size=20)"
    for wrong in ({"seed": -1}, {"size": 3}, {"size": 1000}):
        with pytest.raises(InvalidArgument):
            Wiki(**wrong)
    with pytest.raises(InvalidArgument, match=r"`count` is 100000, but only .* ask for fewer"):
        Wiki(size=4).questions(100_000)


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_questions_of_several_hops_need_several_searches(hops: int) -> None:
    wiki = Wiki(seed=1)
    questions = wiki.questions(100, hops=hops)
    assert len({question["question"] for question in questions}) == 100
    for question in questions:
        assert question["answer"] not in question["question"]
        assert len(question["trail"]) == hops
        assert question["answer"] not in wiki.search(question["question"])
        # Each page of the trail is found by its title, and names the next.
        for title, after in zip(question["trail"], [*question["trail"][1:], question["answer"]], strict=True):
            found = wiki.search(title)
            assert found.startswith(title)
            assert after in found
    assert wiki.search("zzz") == "no page has any of these words"


def test_a_wiki_is_an_environment() -> None:
    wiki = Wiki(seed=2)
    env = make(wiki.search, over=wiki.rows(50, hops=3))
    check_env(env, skip_render_check=True)
    env.reset(seed=4)
    assert env.task.group == 3
    trail = next(one["trail"] for one in wiki.questions(50, hops=3) if one["question"] == env.task.question)
    for title in trail:
        seen, *_ = env.step(call("search", query=title))
    assert env.task.answer in seen
    _, reward, terminated, _, info = env.step(env.task.wrap(env.task.answer))
    assert (reward, terminated, info["calls_search"]) == (1.0, True, 3)
    for twin in copies(env):
        assert equal(twin.reset(seed=9), env.reset(seed=9))
