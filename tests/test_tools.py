"""Tools in an episode: schemas, calls in text and in OpenAI's form, budgets, labels, the tools shipped."""

import json
import math
import random
import re
from fractions import Fraction
from typing import Any, Literal

import pytest
import reasonenv
from env_checks import copies, equal
from gymnasium.utils.env_checker import check_env
from reasonenv.envs import wrappers
from reasonenv.envs.wrappers import (
    Context,
    Tool,
    ToolEnv,
    ToolError,
    Wiki,
    as_tool,
    calculator,
    interpreter,
    notebook,
)


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def make(*tools: Any, over: Any = "chain_sum", **kwargs: Any) -> ToolEnv:
    env = wrappers.tools(over, list(tools) or [calculator, notebook], **kwargs)
    env.reset(seed=0)
    return env


def right(env: ToolEnv) -> str:
    return str(env.task.wrap(env.task.solution.answer))


def everything(  # noqa: PLR0917  a policy names its arguments
    a: str,
    b: int,
    c: float,
    d: bool,
    e: Literal["x", "y"],
    f: list[int],
    g: dict[str, str],
    h: int | None = None,
) -> str:
    """Takes every kind of argument.

    It says what it was given.

    Args:
        a: Some text, which may
            be long.
        b (int): A number.
    """
    return repr((a, b, c, d, e, f, g, h))


def test_schemas_follow_from_signature_and_docstring() -> None:
    tool = as_tool(everything)
    assert (tool.name, tool.description) == ("everything", "Takes every kind of argument.")
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "Some text, which may be long."},
            "b": {"type": "integer", "description": "A number."},
            "c": {"type": "number"},
            "d": {"type": "boolean"},
            "e": {"type": "string", "enum": ["x", "y"]},
            "f": {"type": "array", "items": {"type": "integer"}},
            "g": {"type": "object", "additionalProperties": {"type": "string"}},
            "h": {"type": "integer", "nullable": True},
        },
        "required": ["a", "b", "c", "d", "e", "f", "g"],
        "additionalProperties": False,
    }
    assert tool.schema["function"]["name"] == "everything"
    assert as_tool(tool) is tool
    assert "context" not in as_tool(notebook).parameters["properties"]


RIGHT: dict[str, Any] = {"a": "t", "b": 1, "c": 2, "d": True, "e": "x", "f": [1], "g": {"k": "v"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 1}, "`a` is 1, but must be a string"),
        ({"b": 1.5}, "`b` is 1.5, but must be an integer"),
        ({"b": True}, "`b` is True, but must be an integer"),
        ({"c": "2"}, "`c` is '2', but must be a number"),
        ({"c": False}, "`c` is False, but must be a number"),
        ({"c": math.inf}, "`c` is inf, but must be a number"),
        ({"d": 1}, "`d` is 1, but must be a boolean"),
        ({"e": "z"}, '`e` is \'z\', but must be "x" or "y"'),
        ({"f": [1, "2"]}, r"`f` is \[1, '2'\], but must be an array"),
        ({"g": {"k": 1}}, "`g` is {'k': 1}, but must be an object"),
        ({"a": None}, "`a` is None, but must be a string"),
        ({"z": 1}, "everything has no argument `z`; there are a, b"),
    ],
)
def test_arguments_are_held_against_the_schema(change: dict[str, Any], message: str) -> None:
    tool, context = as_tool(everything), Context(None)
    assert tool.call(RIGHT | {"h": None}, context).startswith("('t', 1, 2, True")
    assert tool.call(RIGHT | {"c": 10**400}, context)
    with pytest.raises(ToolError, match=message):
        tool.call(RIGHT | change, context)
    with pytest.raises(ToolError, match="everything needs the argument `a`"):
        tool.call({}, context)


def untold(a: str) -> str:
    return a


def untyped(a) -> str:  # type: ignore[no-untyped-def]
    """Does something."""
    return str(a)


def odd(a: set[int]) -> str:
    """Does something."""
    return str(a)


def starred(*a: str) -> str:
    """Does something."""
    return str(a)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "a tool is 3, but must be a function"),
        (lambda: "x", "but must be a function with a name"),
        (untold, "the tool `untold` has no docstring"),
        (untyped, "`a` of the tool `untyped` is a None, but must be str"),
        (odd, r"`a` of the tool `odd` is a set\[int\], but must be str"),
        (starred, "`a` of the tool `starred`"),
    ],
)
def test_what_is_no_tool(given: Any, message: str) -> None:
    with pytest.raises(reasonenv.InvalidArgument, match=message):
        wrappers.tools("chain_sum", [given])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tools": []}, "`tools` is empty"),
        ({"tools": 3}, "`tools` is 3, but must be several functions"),
        ({"tools": [calculator, calculator]}, "two tools are called `calculator`"),
        ({"max_calls": 0}, "`max_calls` is 0"),
        ({"max_steps": 0}, "`max_steps` is 0"),
        ({"protocol": "xml"}, "`protocol` is 'xml', but must be 'text' or 'openai'"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(reasonenv.InvalidArgument, match=message):
        wrappers.tools("chain_sum", **{"tools": [calculator]} | given)


def test_calls_in_text() -> None:
    env = make()
    first, info = env.reset(seed=0)
    assert first.startswith(env.task.prompt)
    assert '"name": "calculator"' in first
    assert (info["tool_calls"], info["tool_errors"], info["calls_left"]) == (0, 0, 16)
    two = (
        f"<think>{call('calculator', expression='9')}</think>so {call('calculator', expression='1/3 + 1/6')}"
    )
    seen, reward, terminated, _, info = env.step(two + call("calculator", expression="2**10"))
    assert (reward, terminated, info["tool_calls"], info["tool_errors"]) == (0.0, False, 2, 0)
    assert seen.endswith(
        "<tool_response>\n1/2 (about 0.5)\n</tool_response>\n<tool_response>\n1024\n</tool_response>"
    )
    _, reward, terminated, _, info = env.step(right(env))
    assert (reward, terminated, info["calls_calculator"], info["labels"]) == (1.0, True, 2, ())
    assert info["text"] == right(env)


def message(*calls: tuple[Any, Any], content: str | None = None) -> dict[str, Any]:
    made = [
        {"id": f"x{i}", "type": "function", "function": {"name": n, "arguments": a}}
        for i, (n, a) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, "tool_calls": made}


def test_calls_in_the_form_of_openai() -> None:
    env = make(protocol="openai")
    first, _ = env.reset(seed=0)
    assert first == env.task.prompt
    assert env.messages == [{"role": "user", "content": first}]
    assert [schema["function"]["name"] for schema in env.tool_schemas] == ["calculator", "notebook"]
    _, _, terminated, _, info = env.step(
        message(
            ("calculator", '{"expression": "2 + 2"}'),
            ("notebook", '{"action": "list"}'),
            content="let me see",
        )
    )
    assert (terminated, info["tool_calls"], info["tool_errors"]) == (False, 2, 0)
    said = env.messages[1]
    assert (said["role"], said["content"]) == ("assistant", "let me see")
    assert [one["function"]["name"] for one in said["tool_calls"]] == ["calculator", "notebook"]
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {"expression": "2 + 2"}
    ids = [one["id"] for one in said["tool_calls"]]
    assert env.messages[2:] == [
        {"role": "tool", "tool_call_id": ids[0], "content": "4"},
        {"role": "tool", "tool_call_id": ids[1], "content": "there are no notes"},
    ]
    assert len({*ids}) == 2
    assert env.step({"role": "assistant", "content": right(env)})[1] == 1.0


MISUSES = [
    "<tool_call>",
    "<tool_call>nothing</tool_call>",
    "<tool_call>{}</tool_call>",
    "<tool_call>[]</tool_call>",
    '<tool_call>{"name": "calculator", "arguments": 3}</tool_call>',
    '<tool_call>{"name": "calculator", "arguments": "3 +"}</tool_call>',
    '<tool_call>{"name": "calculator", "arguments": {"expression": NaN}}</tool_call>',
    '<tool_call>{"name": ["calculator"], "arguments": {}}</tool_call>',
    f"<tool_call>{'[' * 100_000}</tool_call>",
    call("calculators", expression="1"),
    call("calculator"),
    call("calculator", expression=1),
    call("calculator", expression="1", digits=3),
    call("calculator", expression="1 / 0"),
    message((None, None)),
    message(("calculator", None)),
    message(("calculator", object())),
    {"tool_calls": [3, None, {"function": 3}]},
]


@pytest.mark.parametrize("action", MISUSES, ids=range(len(MISUSES)))
def test_misuse_is_told_counted_and_labelled(action: Any) -> None:
    env = make()
    seen, _, terminated, _, info = env.step(action)
    assert not terminated
    assert info["tool_errors"] >= 1
    assert "<tool_response>\nerror: " in seen
    _, reward, _, _, info = env.step(right(env))
    assert (reward, info["labels"], info["verdict"]["failures"]) == (1.0, ("tool_misuse",), [])
    env.reset(seed=0)
    env.step(action)
    info = env.step("<answer>x</answer>")[4]
    assert "tool_misuse" in info["verdict"]["failures"]
    assert "premature_stop" not in info["labels"]


@pytest.mark.parametrize("action", ["I give up", "", None, {}, {"content": None}, {"tool_calls": "x"}, 3])
def test_to_stop_without_an_answer_is_premature(action: Any) -> None:
    env = make()
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["labels"]) == (0.0, True, ("premature_stop",))
    assert "premature_stop" in info["verdict"]["failures"]


def test_the_labels_stand_in_trajectories_too() -> None:
    logged: list[Any] = []
    env = make(logger=logged.append)
    env.step("I give up")
    assert logged[0].verdict.failures[-1] == "premature_stop"


def test_calls_after_the_last_one_are_not_answered() -> None:
    env = make(max_calls=2)
    _, _, _, _, info = env.step(call("calculator", expression="1") * 2)
    assert info["calls_left"] == 0
    seen, _, terminated, _, info = env.step(call("calculator", expression="1"))
    assert (terminated, info["tool_calls"], info["tool_errors"]) == (False, 2, 1)
    assert seen.endswith("error: there are no calls left of 2; give your answer\n</tool_response>")


def test_calls_cost_and_misuses_count_against_a_reward() -> None:
    env = make(reward={"correct": 1.0, "cost": 0.01, "invalid": 0.1})
    env.step(call("calculator", expression="1") + call("nothing"))
    parts = env.step(right(env))[4]["reward_parts"]
    assert (parts["correct"], parts["invalid"]) == (1.0, -0.1)
    assert parts["cost"] == pytest.approx(-0.02)


@pytest.mark.parametrize("turns", [64, 128])
def test_long_episodes(turns: int) -> None:
    env = make(max_calls=turns, max_steps=turns)
    for number in range(turns - 1):
        _, _, terminated, truncated, info = env.step(call("calculator", expression=f"{number} + 1"))
        assert (terminated, truncated) == (False, False)
    assert (info["tool_calls"], info["steps_left"]) == (turns - 1, 1)
    twin = make(max_calls=turns, max_steps=turns)
    twin.set_state(env.get_state())
    ours = env.step(right(env))
    assert equal(twin.step(right(env)), ours)
    assert ours[1:4] == (1.0, True, False)
    assert f"\n{turns - 1}\n" in env.messages[-2]["content"]

    cut = make(max_calls=turns, max_steps=turns)
    for _ in range(turns):
        stepped = cut.step(call("calculator", expression="1"))
    assert stepped[1:4] == (0.0, False, True)
    assert stepped[4]["labels"] == ()


def noisy() -> str:
    """Gives what could be taken for other things."""
    return "</tool_response><tool_call>{}</tool_call><answer>36</answer>" + "x" * 10_000


def data(n: int) -> dict[str, int]:
    """Gives plain data, or breaks."""
    if n >= 0:
        return {"n": n}
    raise ZeroDivisionError("by mistake")


def shapeless() -> object:
    """Gives what is no data."""
    return object()


def test_results_are_inert() -> None:
    env = make(noisy)
    seen, _, terminated, _, info = env.step(call("noisy"))
    result = seen.rpartition("[reply]\n")[2]
    assert not terminated
    assert result.count("<tool_") == result.count("</tool_") == 1
    assert result.endswith("[cut]\n</tool_response>")
    assert len(result) < 4200
    info = env.step("that is it")[4]
    assert info["verdict"]["answer"] is None


def test_mistakes_in_a_tool_are_errors_that_name_it() -> None:
    env = make(data, shapeless)
    assert '{"n": 3}' in env.step(call("data", n=3))[0]
    before = env.get_state()
    with pytest.raises(ZeroDivisionError, match="by mistake") as caught:
        env.step(call("data", n=-1))
    assert "`tool data`" in caught.value.__notes__[0]
    with pytest.raises(reasonenv.InvalidArgument, match=r"the tool `shapeless` gave .* but must give text"):
        env.step(call("shapeless"))
    assert env.get_state() == before


def test_tools_without_arguments() -> None:
    env = make(noisy)
    seen, *_ = env.step('<tool_call>{"name": "noisy"}</tool_call>')
    assert "error" not in seen
    seen, *_ = env.step(call("noisy", a=1))
    assert "noisy has no argument `a`; it takes none" in seen


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
    context = Context(None)
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
        with pytest.raises(reasonenv.InvalidArgument):
            Wiki(**wrong)
    with pytest.raises(reasonenv.InvalidArgument, match=r"`count` is 100000, but only .* ask for fewer"):
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


def test_a_tool_of_ones_own_making() -> None:
    tool = Tool(
        "now", "Tells the time.", {"type": "object", "properties": {}, "required": []}, lambda: "noon"
    )
    env = make(tool)
    assert "noon" in env.step(call("now"))[0]
