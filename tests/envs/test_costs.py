"""Costs of steps: which steps have one, when they end an episode, and how info and vectors show them."""

import json
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import MODES, copies, equal
from reasonenv import ReasonEnv, envs
from reasonenv.envs import wrappers
from reasonenv.errors import InvalidArgument, UnknownName

CHAIN = envs.env_id("chain_sum")
SUDOKU = envs.env_id("sudoku")
TIC_TAC_TOE = envs.env_id("tic_tac_toe")

CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "2 + 3"}}</tool_call>'
BROKEN_CALL = "<tool_call>{</tool_call>"


def step(env: Any, action: Any) -> tuple[float, float, bool]:
    _, _, terminated, truncated, info = env.step(action)
    assert {type(info[key]) for key in ("cost", "episode_cost")} == {float}
    assert not truncated
    return info["cost"], info["episode_cost"], terminated


def made(id: str, **kwargs: Any) -> Any:
    env = gymnasium.make(id, disable_env_checker=True, **kwargs).unwrapped
    env.reset(seed=3)
    return env


def right(env: Any) -> str:
    return str(env.task.wrap(env.task.solution.answer))


def illegal(_env: Any) -> int:
    return -1


def legal(env: Any) -> int:
    return int(np.argmax(env.action_masks()))


def test_answers_that_cannot_be_read_and_broken_constraints_have_a_cost() -> None:
    for action, cost in [("no tag", 1.0), (7, 1.0), ("<answer>-99999</answer>", 0.0)]:
        assert step(made(CHAIN), action) == (cost, cost, True)
    env = made(CHAIN)
    assert step(env, right(env)) == (0.0, 0.0, True)
    env = made(envs.env_id("n_queens"), cost_weights={"broken": 0.25})
    broken = next(
        wrong
        for wrong in env.task.wrong_answers(seed=0)
        if "constraint_violated" in env.task.verify(env.task.wrap(wrong)).failures
    )
    assert step(env, env.task.wrap(broken)) == (0.25, 0.25, True)


def test_steps_tools_attempts_and_characters_have_costs() -> None:
    env = made(SUDOKU, mode="step", allow_verify=True)
    steps = env.task.solution.steps
    told = [step(env, action)[:2] for action in [steps[0], "r1c1 = 77", "", "verify: 1", None]]
    assert told == [(0.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]
    env = made(CHAIN, mode="tools")
    assert [step(env, action)[:2] for action in [CALL, CALL + BROKEN_CALL]] == [(1.0, 1.0), (3.0, 4.0)]
    assert step(env, right(env)) == (0.0, 4.0, True)
    env = wrappers.retry(made(CHAIN, cost_weights={"invalid": 2}))
    env.reset(seed=0)
    assert [step(env, action) for action in ["", "<answer>-9</answer>"]] == [
        (2.0, 2.0, False),
        (0.0, 2.0, False),
    ]
    assert step(env, right(env)) == (0.0, 2.0, True)
    env = made(CHAIN, mode="token")
    assert [step(env, action) for action in [5, 97, -1]] == [
        (0.0, 0.0, False),
        (1.0, 1.0, False),
        (1.0, 2.0, False),
    ]


def test_moves_and_games_have_costs() -> None:
    for env in (made(SUDOKU, mode="moves", illegal="penalty"), made(TIC_TAC_TOE, illegal="penalty")):
        told = [step(env, act(env)) for act in (illegal, illegal, legal)]
        assert told == [(1.0, 1.0, False), (1.0, 2.0, False), (0.0, 2.0, False)]
    for env in (made(SUDOKU, mode="moves"), made(TIC_TAC_TOE)):
        assert step(env, illegal(env)) == (1.0, 1.0, True)
    text = made(TIC_TAC_TOE, mode="text")
    assert step(text, "I pass") == (1.0, 1.0, False)


LIMITED: dict[str, tuple[Callable[..., Any], Any]] = {
    "step": (lambda **kwargs: made(CHAIN, mode="step", **kwargs), lambda _: ""),
    "tools": (lambda **kwargs: made(CHAIN, mode="tools", **kwargs), lambda _: CALL),
    "token": (lambda **kwargs: made(CHAIN, mode="token", **kwargs), lambda _: 97),
    "moves": (lambda **kwargs: made(SUDOKU, mode="moves", illegal="penalty", **kwargs), illegal),
    "game": (lambda **kwargs: made(TIC_TAC_TOE, illegal="penalty", max_turns=99, **kwargs), illegal),
    "text": (lambda **kwargs: made(TIC_TAC_TOE, mode="text", max_turns=99, **kwargs), lambda _: "?"),
}
every_limited = pytest.mark.parametrize("kind", LIMITED)


@every_limited
def test_an_episode_ends_by_the_step_that_exceeds_the_limit(kind: str) -> None:
    make, act = LIMITED[kind]
    env = make(cost_limit=2)
    assert [step(env, act(env)) for _ in range(2)] == [(1.0, 1.0, False), (1.0, 2.0, False)]
    state = env.get_state()
    assert step(env, act(env)) == (1.0, 3.0, True)
    ended = env.get_state()
    other = make(cost_limit=2)
    other.set_state(state)
    assert step(other, act(other)) == (1.0, 3.0, True)
    other.set_state(ended)
    for over in (env, other):
        with pytest.raises(gymnasium.error.ResetNeeded):
            over.step(act(over))
    env.reset()
    assert step(env, act(env)) == (1.0, 1.0, False)


def test_the_end_by_costs_fails() -> None:
    env = made(CHAIN, mode="tools", cost_limit=0)
    _, reward, terminated, _, info = env.step(CALL)
    assert (reward, terminated, info["passed"], info["verdict"]["failures"]) == (
        0.0,
        True,
        False,
        ["over_cost"],
    )
    env = made(SUDOKU, mode="moves", illegal="penalty", invalid_penalty=0, cost_limit=0)
    _, reward, terminated, _, info = env.step(illegal(env))
    assert (reward, terminated, info["passed"], info["result"]) == (0.0, True, False, 0.0)
    env = made(TIC_TAC_TOE, illegal="penalty", invalid_penalty=0, seat="first", cost_limit=0)
    _, reward, terminated, _, info = env.step(illegal(env))
    assert (reward, terminated, info["winner"], info["result"]) == (-1.0, True, 1, -1.0)


def lengths(make: Callable[..., Any], act: Any, prob: float) -> list[int]:
    env = make(terminate_on_cost=prob)
    found = []
    for at in range(60):
        env.reset(seed=at)
        length = 1
        while not step(env, act(env))[2] and length < 5:
            length += 1
        found.append(length)
    return found


@every_limited
def test_costs_end_episodes_at_random_and_seeds_decide(kind: str) -> None:
    make, act = LIMITED[kind]
    assert set(lengths(make, act, 1.0)) == {1}
    assert set(lengths(make, act, 0.0)) == {5}
    found = lengths(make, act, 0.5)
    assert found == lengths(make, act, 0.5)
    assert 15 <= found.count(1) <= 45
    assert set(found) > {1, 2, 3}


def test_draws_of_costs_do_not_change_which_tasks_follow() -> None:
    plain, ending = made(CHAIN, mode="step"), made(CHAIN, mode="step", terminate_on_cost=0.5)
    for env in (plain, ending):
        env.step("")
    assert equal(plain.reset(), ending.reset())


def test_steps_without_a_cost_never_end_an_episode() -> None:
    env = made(SUDOKU, mode="moves", cost_limit=0, terminate_on_cost=1.0)
    over = False
    while not over:
        cost, total, over = step(env, legal(env))
        assert (cost, total) == (0.0, 0.0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("id", "kwargs"),
    [
        (SUDOKU, {"mode": "moves", "illegal": "penalty", "cost_limit": 1}),
        (TIC_TAC_TOE, {"illegal": "penalty", "terminate_on_cost": 0.3, "max_turns": 20}),
        (CHAIN, {}),
    ],
)
def test_vector_environments_tell_the_same_costs(mode: str, id: str, kwargs: dict[str, Any]) -> None:
    many: Any = gymnasium.make_vec(id, num_envs=3, autoreset_mode=mode, **kwargs)
    single = gymnasium.make_vec(
        id, num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **kwargs
    )
    for each in (many, single):
        each.reset(seed=5)
    rng = np.random.default_rng(0)
    ended = costly = 0
    for _ in range(40):
        actions = ("x",) * 3 if id == CHAIN else rng.integers(many.single_action_space.n, size=3)
        (*_, terminated, truncated, one), (*_, other) = many.step(actions), single.step(actions)
        ended += int((terminated | truncated).sum())
        for where in ("cost", "episode_cost"):
            for told, known in [(one, other), (one.get("final_info", {}), other.get("final_info", {}))]:
                assert (where in told) == (where in known)
                if where in told:
                    assert told[where].dtype == np.float64
                    assert equal([told[where], told[f"_{where}"]], [known[where], known[f"_{where}"]])
                    costly += int(told[where].sum())
    assert min(ended, costly) > 0


EVERYTHING = [
    *((name, how) for name in reasonenv.list_families() for how in ("solution", "moves", "step")),
    *((name, "game") for name in reasonenv.list_games()),
]
EVERYTHING = [(name, how) for name, how in EVERYTHING if how == "game" or how in reasonenv.family(name).modes]
SETTINGS: dict[str, dict[str, Any]] = {
    "solution": {},
    "step": {"mode": "step", "max_steps": 3},
    "moves": {"mode": "moves", "illegal": "penalty", "max_turns": 3},
    "game": {"illegal": "penalty", "max_turns": 3, "opponent": "random"},
}


def acting(env: Any, how: str, *, costly: bool) -> Any:
    if how in {"solution", "step"}:
        return "" if costly else "I think." if how == "step" else env.task.wrap("0")
    return -1 if costly else int(np.argmax(env.action_masks()))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "how"), EVERYTHING)
def test_six_values_of_a_vector_have_the_costs_of_single_environments(name: str, how: str, mode: str) -> None:
    settings = SETTINGS[how]
    ones = [
        gymnasium.make(envs.env_id(name), disable_env_checker=True, **settings).unwrapped for _ in range(2)
    ]
    keywords: dict[str, Any] = {"autoreset_mode": mode}
    if how == "step":
        keywords = {"vectorization_mode": "sync", "vector_kwargs": keywords}
    many: Any = wrappers.SafetyVectorEnv(gymnasium.make_vec(envs.env_id(name), 2, **keywords, **settings))
    many.reset(seed=7)
    for i, one in enumerate(ones):
        one.reset(seed=7 + i)
    over, paid, last = np.zeros(2, np.bool_), 0.0, 0.0
    for turn in range(12):
        if mode == "Disabled" and over.any():
            many.reset(options={"reset_mask": over})
            for i in np.flatnonzero(over).tolist():
                ones[i].reset()
            over = np.zeros(2, np.bool_)
        actions = [acting(one, how, costly=(turn + i) % 3 > 0) for i, one in enumerate(ones)]
        _, _, costs, terminated, truncated, infos = many.step(
            np.array(actions) if how == "moves" else actions
        )
        assert (costs.dtype, costs.shape) == (np.float64, (2,))
        for i, one in enumerate(ones):
            if mode == "NextStep" and over[i]:
                one.reset()
                assert costs[i] == 0.0
                continue
            *_, ended, cut, info = one.step(actions[i])
            assert (terminated[i], truncated[i]) == (ended, cut)
            told = infos["final_info"] if mode == "SameStep" and (ended or cut) else infos
            assert costs[i] == told["cost"][i] == info["cost"]
            assert told["episode_cost"][i] == info["episode_cost"]
            assert told["_cost"][i]
            assert told["_episode_cost"][i]
            paid += costs[i]
            if ended or cut:
                last += costs[i]
                if mode == "SameStep":
                    one.reset()
        over = terminated | truncated
    assert paid > 0.0
    assert last > 0.0 or how == "game"


def test_six_values_are_refused_where_no_cost_is_told() -> None:
    bare = gymnasium.make_vec("FrozenLake-v1", 2, vectorization_mode="sync")
    untold = gymnasium.make_vec(TIC_TAC_TOE, 2, episode_infos=False)
    for many in (bare, untold):
        env: Any = wrappers.SafetyVectorEnv(many)
        env.reset(seed=0)
        with pytest.raises(InvalidArgument, match=r'no info\["cost"\]'):
            env.step(np.zeros(2, np.int64))


def test_copies_keep_their_costs() -> None:
    for make, act in LIMITED.values():
        env = make(cost_limit=1)
        env.step(act(env))
        for other in [*copies(env), env]:
            assert step(other, act(other)) == (1.0, 2.0, True)


def test_the_form_of_safety_gymnasium() -> None:
    env = wrappers.SafetyEnv(gymnasium.make(TIC_TAC_TOE, illegal="penalty"))
    env.reset(seed=0)
    _, reward, cost, terminated, truncated, info = env.step(-1)
    assert (reward, cost, terminated, truncated, info["cost"]) == (-0.1, 1.0, False, False, 1.0)
    other = wrappers.SafetyEnv(gymnasium.make("FrozenLake-v1"))
    other.reset(seed=0)
    with pytest.raises(InvalidArgument, match=r'no info\["cost"\]'):
        other.step(0)


def test_transitions_of_the_caller_count_costs_by_kind() -> None:
    def act(state: Any, action: str) -> Any:
        return state.add(action, hints=state.memory.get("hints", 0) + 1, broken=2, tool_calls="none")

    env = ReasonEnv("chain_sum", transition=act, cost_weights={"hint": 3, "broken": 10})
    env.reset(seed=0)
    assert [step(env, "a")[:2] for _ in range(2)] == [(23.0, 23.0), (3.0, 26.0)]


@pytest.mark.parametrize("mode", ["solution", "step", "token", "tools", "moves"])
def test_wrong_settings_are_refused(mode: str) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"cost_limit": -1}, "`cost_limit` is -1, but must be a number of at least 0"),
        ({"terminate_on_cost": 1.5}, "`terminate_on_cost` is 1.5, but must be a number between 0 and 1"),
        (
            {"cost_weights": {"hint": -1}},
            r"`cost_weights\['hint'\]` is -1, but must be a number of at least 0",
        ),
    ]
    for kwargs, says in refused:
        with pytest.raises(InvalidArgument, match=says):
            reasonenv.envs.make(SUDOKU, mode=mode, **kwargs)  # type: ignore[call-overload]
    with pytest.raises(UnknownName, match="no cost weight `hints`; did you mean `hint`"):
        reasonenv.envs.make(SUDOKU, mode=mode, cost_weights={"hints": 1})  # type: ignore[call-overload]


Place = tuple[int, int]
"""A square, and the hazards entered so far, where all numbers above the limit are one."""


def hazard_maze(level: int, **kwargs: Any) -> tuple[Any, int]:
    env = made(envs.env_id("hazard_maze"), mode="moves", level=level, **kwargs)
    return env, json.loads(env.task.to_json())["params"]["limit"]


def best_moves(level: int, *, within: bool) -> dict[Place, tuple[float, int]]:
    """Fewest moves to the goal and the first of them, by value iteration; the limit counts if `within`."""
    env, limit = hazard_maze(level)
    seen, _ = env.reset(seed=5)
    start, goal = ((int(np.argmax(plane)), 0) for plane in (seen[3], seen[2]))
    ways: dict[Place, list[tuple[int, Place]]] = {}
    waiting, found = [(start, env)], {start}
    for place, at in waiting:
        ways[place] = []
        for action in np.flatnonzero(at.action_masks()).tolist():
            after = at.fork()
            planes, _, over, _, info = after.step(action)
            there = (int(np.argmax(planes[3])), min(int(info["episode_cost"]), limit + 1))
            ways[place].append((action, there))
            if there not in found and not over:
                found.add(there)
                waiting.append((there, after))
    values = {(goal[0], cost): (0.0, -1) for cost in range(limit + 1 if within else limit + 2)}
    before: dict[Place, tuple[float, int]] = {}
    while values != before:
        before = dict(values)
        for place, moves in ways.items():
            if before.get(place, (1.0, 0))[0] > 0:
                known = [(before[there][0] + 1, action) for action, there in moves if there in before]
                values |= {place: min(known)} if known else {}
    return values


def play(env: Any, limit: int, values: dict[Place, tuple[float, int]]) -> tuple[int, float, dict[str, Any]]:
    """Value of the start, reward and last info of a play by values."""
    seen, _ = env.reset(seed=5)
    place = start = (int(np.argmax(seen[3])), 0)
    over = False
    while not over:
        seen, reward, over, _, info = env.step(values[place][1])
        place = (int(np.argmax(seen[3])), min(int(info["episode_cost"]), limit + 1))
    return int(values[start][0]), reward, info


@pytest.mark.parametrize("level", [2, 4])
def test_value_iteration_reaches_the_constrained_optimum_of_a_hazard_maze(level: int) -> None:
    env, limit = hazard_maze(level, cost_limit=level // 2)
    value, reward, info = play(env, limit, best_moves(level, within=True))
    assert value == info["turns"] == env.task.solution.answer.count(",") + 1
    assert (reward, info["passed"], info["episode_cost"]) == (1.0, True, limit)


@pytest.mark.parametrize("level", [2, 4])
def test_a_shorter_way_through_hazards_exceeds_the_limit_and_fails(level: int) -> None:
    env, limit = hazard_maze(level, cost_limit=level // 2)
    value, reward, info = play(env, limit, best_moves(level, within=False))
    assert value <= env.task.solution.answer.count(",")
    assert (reward, info["passed"], info["episode_cost"]) == (0.0, False, limit + 1)
