"""Tools by name mean the same wherever they are given: wrappers, ids, rollouts, run files, the server."""

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import reasonenv
from gymnasium.utils.env_checker import check_env
from reasonenv import rewards
from reasonenv.envs import ToolTaskEnv, env_id, wrappers
from reasonenv.errors import InvalidArgument, ReasonEnvError, UnknownName
from reasonenv.rollouts import Saving
from reasonenv.rollouts._run_file import read_run_file
from reasonenv.tools import Wiki, as_tool, list_tools
from tool_calls import call

TOOLS: list[Any] = [
    "calculator",
    {"name": "sql", "database": "CREATE TABLE t (a INT); INSERT INTO t VALUES (7)"},
]
SAID = [
    call("calculator", expression="2 + 2"),
    call("sql", query="SELECT a FROM t"),
    call("sql", query="SELECT"),
    "<answer>83</answer>",
]


def play(env: gymnasium.Env[Any, Any], **options: Any) -> list[Any]:
    """Observation, reward, end and `info` of each step."""
    found = []
    env.reset(seed=0, **options)
    for action in SAID:
        seen, reward, terminated, truncated, info = env.step(action)
        found.append((seen, reward, terminated, truncated, json.loads(json.dumps(info))))
    return found


def by_id(**more: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(env_id("chain_sum"), level=1, mode="tools", tools=TOOLS, **more)


@pytest.mark.parametrize("reward", ["binary", {"correct": 1.0, "cost": 0.1, "invalid": 0.2}])
def test_an_id_and_the_wrapper_play_the_same(reward: Any) -> None:
    task = reasonenv.family("chain_sum").sample(seed=0, index=3, level=1)
    wrapped = wrappers.tools([task], TOOLS, reward=reward)
    assert play(by_id(reward=reward), options={"index": 3}) == play(wrapped)
    made = reasonenv.envs.make("reasonenv/ChainSum-v1", level=1, mode="tools", tools=TOOLS, reward=reward)
    assert isinstance(made.unwrapped, ToolTaskEnv)
    assert made.unwrapped.tool_schemas == wrapped.tool_schemas


def test_the_mode_has_the_wrappers_defaults() -> None:
    env = by_id().unwrapped
    wrapped = wrappers.tools("chain_sum", TOOLS)
    assert isinstance(env, ToolTaskEnv)
    assert (env.max_calls, env.max_steps, env.protocol) == (wrapped.max_calls, wrapped.max_steps, "text")
    check_env(env, skip_render_check=True)
    many = gymnasium.make_vec(env_id("chain_sum"), 2, mode="tools", tools=["calculator"])
    many.reset(seed=0)
    assert many.step(("<answer>1</answer>", SAID[0]))[2].tolist() == [True, False]


def test_ids_of_mixtures_and_rows_take_tools() -> None:
    wiki = Wiki(seed=0)
    rows = wiki.questions(5, hops=1)
    env = gymnasium.make("reasonenv/Rows-v1", rows=rows, mode="tools", tools=["wiki"])
    env.reset(options={"index": 0})
    seen, *_ = env.step(call("search", query=rows[0]["trail"][0]))
    assert rows[0]["answer"] in seen
    mixed = gymnasium.make("reasonenv/Mixture-v1", families=["chain_sum"], mode="tools", tools=["calculator"])
    assert "calculator" in mixed.reset(seed=0)[0]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"tools": ["calc"]}, UnknownName, "no tool `calc`"),
        ({"tools": "calculator"}, InvalidArgument, "`tools` is 'calculator', but must be several tools"),
        ({"mode": "step"}, UnknownName, 'no argument `tools` in mode "step"; it belongs to mode "tools"'),
        ({"tools": ["search"]}, InvalidArgument, "the tool `search` needs the option `documents`"),
        ({"max_calls": 0}, InvalidArgument, "`max_calls` is 0"),
        ({"reward": "search-two-stage"}, InvalidArgument, "`reward` has the part `search`, but no tool"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gymnasium.make(env_id("chain_sum"), **{"mode": "tools", "tools": TOOLS} | given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "sql", "database": "CREATE"}, "`database` cannot be made: incomplete input"),
        ({"name": "sql", "database": "SELECT 1"}, "`database` cannot be made: the schema makes no table"),
        ({"name": "sql", "database": 3}, "`database` is 3, but must be SQL statements, or the `Path`"),
        ({"name": "sql", "database": Path("/no/such")}, "`database` is /no/such, but cannot be read"),
        ({"name": "sql", "steps": 1}, "`steps` is 1, but must be between 1000"),
        ({"name": "python", "seconds": 0}, "`seconds` is 0, but must be a number between"),
        ({"name": "python", "memory_mb": 1}, "`memory_mb` is 1"),
        ({"name": "wiki", "size": 1}, "`size` is 1"),
        ({"name": "search", "documents": []}, "`documents` has no words"),
        ({"name": "search", "documents": "abc"}, "`documents` is 'abc', but must be one or more texts"),
        ({"name": "search", "documents": ["a", 3]}, r"`documents\[1\]` is 3, but must be"),
        ({"name": "search", "documents": [{"title": "a"}]}, r"`documents\[0\]` is {'title': 'a'}, but must"),
        ({"name": "search", "documents": ["a"], "shown": 0}, "`shown` is 0"),
        ({"name": 3}, "a tool is {'name': 3}, but must have a `name`"),
    ],
)
def test_wrong_options_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ReasonEnvError, match=message):
        as_tool(given)


def test_tools_are_made_by_name_with_options() -> None:
    assert list_tools() == sorted(list_tools())
    assert as_tool("wiki", seed=1).name == "search"
    tool = as_tool({"name": "sql", "database": "CREATE TABLE people (name TEXT, age INT)"})
    assert "The tables are people(name, age)." in tool.description
    with pytest.raises(InvalidArgument, match=r"the tool .* takes no options, but `seed` is given"):
        as_tool(tool, seed=1)


NEEDED: dict[str, dict[str, Any]] = {"search": {"documents": ["a"]}}


def test_the_table_of_the_docs_shows_every_tool_with_its_arguments_and_options() -> None:
    pytest.importorskip("bm25s")
    page = (Path(__file__).parents[2] / "docs/tools.md").read_text(encoding="utf-8")
    table = page.partition("<!-- tools -->")[2].partition("<!-- /tools -->")[0]
    shown = [[cell.strip() for cell in line.split("|")[1:5]] for line in table.strip().splitlines()[2:]]
    expected = []
    for name in list_tools():
        tool = as_tool(name, **NEEDED.get(name, {}))
        required = tool.parameters["required"]
        taken = [f"`{one}`" + "?" * (one not in required) for one in tool.parameters["properties"]]
        make = getattr(import_module(f"reasonenv.tools._{name}"), "make", None)
        options = [] if make is None else [f"`{one}`" for one in inspect.signature(make).parameters]
        expected.append([f"`{name}`", f"`{tool.name}`", ", ".join(taken), ", ".join(options) or "–"])
    assert shown == expected


def scripted(contexts: Any, _rollout: int) -> list[str]:
    return [SAID[context.turn] for context in contexts]


def test_rollouts_play_them_the_same_and_resume(tmp_path: Path) -> None:
    saving = Saving(folder=tmp_path / "run")
    first = reasonenv.rollout(by_id, scripted, n=2, group_size=2, saving=saving)
    assert list(reasonenv.rollout(by_id, scripted, n=2, group_size=2, saving=saving)) == list(first)
    assert [turn["info"]["tool_calls"] for turn in first[0].turns] == [1, 2, 3, 3]
    spec = by_id().spec
    assert spec is not None
    from reasonenv.rollouts._feeds import _said  # noqa: PLC0415

    def own(a: str) -> str:
        """Answers."""
        return a

    # A function has its name in a run's config, and no address.
    assert _said([own, "sql"]) == [
        f"{test_rollouts_play_them_the_same_and_resume.__name__}.<locals>.own",
        "sql",
    ]


def test_run_files_take_them(tmp_path: Path) -> None:
    text = (
        "environment: {name: tools, tools: [wiki], max_calls: 40, max_steps: 41}\n"
        "generator: {name: chain_sum, level: 1}\nreward: search-two-stage\npolicy: oracle\n"
        "n: 2\ngroup_size: 1\n"
    )
    file = tmp_path / "tools.yaml"
    file.write_text(text)
    result = read_run_file(file).start(tmp_path / "run")
    assert result.rewards.tolist() == [[1.0], [1.0]]
    assert result[0].turns[0]["info"]["calls_left"] == 40
    file.write_text(text.replace("[wiki]", "[wikki]"))
    with pytest.raises(UnknownName, match="no tool `wikki`; did you mean `wiki`"):
        read_run_file(file).start(tmp_path / "other")


def searching(env: Any, *actions: str) -> float:
    env.reset(options={"index": 0})
    for action in actions:
        _, reward, terminated, _, info = env.step(action)
    assert terminated
    assert sum(info["reward_parts"].values()) == reward
    return float(reward)


def test_the_preset_of_search_agents_pays_first_for_the_call_then_for_the_answer() -> None:
    wiki = Wiki(seed=0)
    rows = wiki.rows(5, hops=2)
    env = wrappers.tools(
        rows, [wiki.search, "calculator"], reward="search-two-stage", max_calls=64, max_steps=64
    )
    right, wrong = rows[0].wrap(rows[0].answer), rows[0].wrap("nobody")
    search, broken = call("search", query="x"), call("search", word="x")
    no_call = searching(env, wrong)
    misused = searching(env, search, broken, wrong)
    other = searching(env, call("calculator", expression="1"), wrong)
    called = searching(env, search, wrong)
    many = searching(env, *[search] * 50, wrong)
    guessed = searching(env, right)
    both = searching(env, search, right)
    assert no_call == misused == other == 0.0 < called == many < guessed < both
    assert both == sum(rewards.preset("search-two-stage").weights.values())
    # A group whose rollouts all search is told apart by the answer alone.
    assert both - called == guessed - no_call
    measured = rewards.preset("search-two-stage")(rows[0].verify(right), search=1)
    assert measured == both
