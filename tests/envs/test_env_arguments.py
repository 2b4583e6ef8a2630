"""No argument of a composed environment raises anything but the package's errors."""

import copy
import inspect
import itertools
import math
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.vector import AutoresetMode
from reasonenv import envs, types
from reasonenv._native import settings_schema
from reasonenv.envs import StepEnv, TokenEnv, wrappers
from reasonenv.tools import Wiki

ROWS = [{"question": "2 + 2?", "answer": 4}]

CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ReasonEnv": (reasonenv.ReasonEnv, {}),
    "StepEnv": (StepEnv, {"family": "chain_sum"}),
    "TokenEnv": (TokenEnv, {"family": "chain_sum"}),
    "from_rows": (reasonenv.from_rows, {"rows": ROWS}),
    "double_check": (wrappers.double_check, {"over": "chain_sum"}),
    "retry": (wrappers.retry, {"over": "chain_sum"}),
    "tools": (wrappers.tools, {"over": "chain_sum", "tools": ["calculator"]}),
    "Wiki": (Wiki, {}),
    "questions": (Wiki(size=4).questions, {"count": 3}),
    "mixture": (lambda **kwargs: gymnasium.make("reasonenv/Mixture-v1", **kwargs), {}),
    "rows": (lambda **kwargs: gymnasium.make("reasonenv/Rows-v1", **kwargs), {"rows": ROWS}),
    "Verdict": (reasonenv.Verdict, {"passed": True}),
}

JUNK = [
    None, True, -1, 3, 1.5, math.nan, -math.inf, 10**30, "", "no such", "\ud800", "a\0b", b"x", [], [None],
    [1.5], ["\ud800"], {}, {1: 2}, {"a": math.nan}, {"a": object()}, {"a": "\ud800"}, object(), np.zeros(3),
    Path("/dev/null"), Path("/no/such"), lambda: None,
]  # fmt: skip

MORE = {
    "mixture": ["families", "weights", "split", "task_seed", "num_tasks", "mode"],
    "rows": ["rows", "question", "answer", "verifier", "group", "instruction", "mode"],
    **{
        name: ["verifier", "reward", "curriculum", "logger", "gamma"]
        for name in ("double_check", "retry", "tools")
    },
}

NOT_OURS = {"render_mode", "observation_space", "action_space", "keywords", "kwargs"}
"""Arguments of Gymnasium, and names that stand for several arguments."""


def arguments() -> list[tuple[str, str]]:
    found = []
    for call, (function, _) in CALLS.items():
        names = [*inspect.signature(function).parameters, *MORE.get(call, [])]
        found += [(call, name) for name in names if name not in NOT_OURS]
    return found


def said(call: str, name: str, junk: Any) -> str | None:
    """Error for an argument; None if it is accepted."""
    function, given = CALLS[call]
    try:
        made = function(**given | {name: junk})
        env = getattr(made, "unwrapped", None)
        if isinstance(env, gymnasium.Env):
            env.reset(seed=0)
    except reasonenv.ReasonEnvError as error:
        return str(error)
    except OSError as error:
        return "no such file" if isinstance(junk, str | Path) else f"raised {error!r}"
    except (TypeError, AttributeError) as error:
        # A part that is callable, but not with these arguments, is the caller's mistake.
        named = any("raised by the environment's" in note for note in getattr(error, "__notes__", ()))
        return "a part raised" if named else f"raised {error!r}"
    return None


def test_a_mixture_or_a_source_is_posed_as_it_is() -> None:
    rows: Any = reasonenv.from_rows(ROWS)
    sources: tuple[Any, ...] = (
        reasonenv.Mixture({"sudoku": 1, "maze": 1}, split="eval", seed=3),
        reasonenv.family("maze").source(level=2),
        reasonenv.Mixture([rows, "sudoku"]),
        rows,
    )
    for families in sources:
        env = gymnasium.make("reasonenv/Mixture-v1", families=families, num_tasks=1)
        assert env.reset(seed=0)[0] == families.task(0).prompt
        besides: dict[str, Any] = {"weights": [1], "split": "test", "task_seed": 4}
        for name, value in besides.items():
            with pytest.raises(reasonenv.errors.InvalidArgument, match=f"`{name}` is .* have their own"):
                gymnasium.make("reasonenv/Mixture-v1", families=families, **{name: value})


def test_names_of_other_libraries_are_answered_with_ours() -> None:
    untyped: Any = reasonenv.ReasonEnv
    for given, ours in {"task_generator": "generator", "reward_fn": "reward", "judge": "verifier"}.items():
        with pytest.raises(reasonenv.errors.UnknownName, match=f"did you mean `{ours}`"):
            untyped(**{given: "chain_sum"})
    with pytest.raises(reasonenv.errors.UnknownName, match="did you mean `level`"):
        gymnasium.make("reasonenv/ChainSum-v1", difficulty=2)
    scheduler = reasonenv.curriculum.make("uniform", "chain_sum")
    with pytest.raises(AttributeError, match="did you mean `tell`"):
        scheduler.update([])


@pytest.mark.parametrize(
    ("id", "kwargs", "hint"),
    [
        ("Sudoku", {}, 'give mode="moves", which observes numbers'),
        ("Sudoku", {"mode": "step"}, 'give mode="token", which observes numbers'),
        ("AsciiTree", {}, 'give mode="token", which observes numbers'),
        ("AsciiTree", {"mode": "tools"}, 'give mode="token", which observes numbers'),
        ("TicTacToe", {"mode": "text"}, 'leave out mode="text" to observe numbers'),
    ],
)
def test_stable_baselines3_is_told_which_mode_observes_numbers(
    id: str, kwargs: dict[str, Any], hint: str
) -> None:
    space = gymnasium.make(f"reasonenv/{id}-v1", **kwargs).observation_space
    asks = "def shape_of(space): return space.shape"
    modules: list[dict[str, Any]] = [{"__name__": name} for name in ("stable_baselines3.common", "others")]
    for module in modules:
        exec(asks, module)
    sb3, others = (module["shape_of"] for module in modules)
    assert others(space) is None
    for copied in (space, pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        with pytest.raises(reasonenv.errors.InvalidArgument) as told:
            sb3(copied)
        assert str(told.value) == f"Stable-Baselines3 has no policy for text; {hint}"


@pytest.mark.parametrize("mode", ["step", "tools"])
def test_observations_are_no_longer_than_their_space_says(mode: str) -> None:
    env = gymnasium.make("reasonenv/Sudoku-v1", mode=mode, level=4)
    prompt = env.reset(seed=0)[0]
    space = env.observation_space
    assert isinstance(space, gymnasium.spaces.Text)
    assert 256 < len(prompt) <= space.max_length
    assert len(space.sample()) <= 256


def test_a_search_that_takes_seconds_a_move_is_told(caplog: pytest.LogCaptureFixture) -> None:
    make = partial(gymnasium.make, "reasonenv/ConnectFour-v1")
    for kwargs in ({}, {"opponent": "heuristic"}, {"opponent": "minimax", "exact_plies": 8}):
        make(**kwargs)
        assert not caplog.messages
    make(opponent="first_best")
    make(opponent="first_best")
    assert len(caplog.messages) == 1
    assert 'opponent="random" or "heuristic"' in caplog.messages[0]


@pytest.mark.parametrize("vectorization", ["sync", "async"])
def test_gymnasiums_own_vector_environments_take_an_autoreset_mode(vectorization: str) -> None:
    mode = AutoresetMode.SAME_STEP
    make_vec: Any = envs.make_vec
    many = make_vec("reasonenv/TicTacToe-v1", 2, vectorization_mode=vectorization, autoreset_mode=mode)
    assert many.metadata["autoreset_mode"] is mode
    many.close()


def test_families_without_end_are_refused() -> None:
    with pytest.raises(reasonenv.errors.InvalidArgument, match="or no end"):
        gymnasium.make("reasonenv/Mixture-v1", families=itertools.repeat("sudoku"))


@pytest.mark.parametrize(("call", "name"), arguments())
def test_no_argument_raises_anything_but_the_packages_errors(call: str, name: str) -> None:
    function, given = CALLS[call]
    function(**given)
    for junk in JUNK:
        error = said(call, name, junk) or ""
        assert not error.startswith("raised"), junk
        assert "\n" not in error
        assert not error[:1].isupper()


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        (envs.GameEnv, ["game"]),
        (envs.MovesEnv, ["source", "moves", "hint"]),
        (envs.SolutionEnv, ["source", "task"]),
        (envs.StepEnv, ["source", "task", "episode", "step", "hint"]),
        (envs.ProofEnv, ["source", "task", "proof", "hint"]),
        (envs.ReasonEnv, ["episode"]),
        (envs.TokenEnv, ["source", "task", "token"]),
    ],
)
def test_signature_and_docstring_show_every_setting(kind: type, of: list[str]) -> None:
    shown = inspect.signature(kind).parameters
    for each in of:
        for name, field in settings_schema(each)["properties"].items():
            assert shown[name].default == field["default"], name
            assert f"    {name}: " in (kind.__doc__ or ""), name
            hints = getattr(types, f"{each.capitalize()}Settings").__annotations__
            assert name in hints or name == "reward"
