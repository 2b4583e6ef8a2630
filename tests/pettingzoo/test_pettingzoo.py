"""The PettingZoo environments: PettingZoo's checks for every game, and the promises of ours alone."""

import copy
import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import kinds
import numpy as np
import pettingzoo
import pytest
import reasonenv
from gymnasium.error import ResetNeeded
from reasonenv import pettingzoo as ours
from reasonenv.errors import InvalidAction, InvalidArgument, InvalidState, UnknownName

with warnings.catch_warnings():  # it imports environments of its own in a way it warns of
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test.api_test import api_test
    from pettingzoo.test.render_test import render_test
    from pettingzoo.test.seed_test import seed_test
    from reasonenv.pettingzoo._aec import GameAECEnv

ANY = "tic_tac_toe"
KINDS = [name for name in kinds.GAMES if name in reasonenv.list_games()]
GAMES = [
    pytest.param(name, params, id=f"{name}-{number}")
    for name in KINDS
    for number, params in enumerate(reasonenv.game(name).variants[:2])
]
every_variant = pytest.mark.parametrize(("name", "params"), GAMES)
every_game = pytest.mark.parametrize("name", KINDS)

# What api_test says of any Dict observation whose env it does not know by name, and of an empty board.
EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation numpy array is all zeros.",
)


def module(name: str) -> ours.GameModule:
    return getattr(ours, f"{name}_v{reasonenv.game(name).version}")  # type: ignore[no-any-return]


def make(name: str = ANY, **kwargs: Any) -> ours.GameAECEnv:
    return module(name).env(**kwargs)


def begun(name: str = ANY, *, seed: int = 0, **kwargs: Any) -> ours.GameAECEnv:
    env = make(name, **kwargs)
    env.reset(seed=seed)
    return env


def play(
    env: ours.GameAECEnv, rng: np.random.Generator
) -> Iterator[tuple[str, Any, float, bool, dict[str, Any]]]:
    """Play random legal moves to the end; yield the data that each agent receives at each of its turns."""
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert observation is not None
        assert truncated is False
        yield agent, observation, reward, terminated, info
        env.step(None if terminated else int(rng.choice(observation["action_mask"].nonzero()[0])))


# What PettingZoo checks


@every_variant
def test_pettingzoos_own_tests_pass(name: str, params: dict[str, Any]) -> None:
    def make_it(**kwargs: Any) -> ours.GameAECEnv:
        return make(name, params=params, **kwargs)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make_it(), num_cycles=200)
        seed_test(make_it, num_cycles=100)
        render_test(make_it)  # type: ignore[arg-type]  # it says it wants a gymnasium.Env
    assert {str(each.message) for each in caught} <= set(EXPECTED)


@pytest.mark.parametrize("name", reasonenv.list_games())
def test_every_game_is_registered(name: str) -> None:
    env_id = f"reasonenv/{name}-v{reasonenv.game(name).version}"
    assert ours.env_id(name) == env_id
    env = pettingzoo.make("aec", env_id, illegal="retry")
    assert isinstance(env, ours.GameAECEnv)
    assert (env.game, env.illegal) == (reasonenv.game(name), "retry")
    assert str(env) == env_id.split("/")[1].replace("-v", "_v")
    assert pettingzoo.spec("aec", env_id).kwargs == {"game": name}


def test_registering_again_changes_nothing() -> None:
    before = dict(pettingzoo.aec_registry)
    ours.register_all()
    assert pettingzoo.aec_registry == before


def test_importing_reasonenv_does_not_import_pettingzoo() -> None:
    code = "import sys, reasonenv; sys.exit('pettingzoo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_pettingzoo_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import reasonenv.pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'reasonenv[pettingzoo]'" in done.stderr


def test_a_game_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(AttributeError, match=r"'snap_v1'; its games are .*tic_tac_toe_v1"):
        ours.snap_v1  # type: ignore[attr-defined]  # noqa: B018
    assert "tic_tac_toe_v1" in dir(ours)


# The game


@every_variant
def test_a_game_is_that_of_the_core(name: str, params: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    env = make(name, params=params)
    for seed in range(5):
        env.reset(seed=seed)
        state = reasonenv.game(name, params).start(seed)
        rewards = {}
        for agent, seen, reward, terminated, info in play(env, rng):
            player = int(agent[-1])
            assert info == FREE
            assert seen["observation"].dtype == np.float32
            assert seen["action_mask"].dtype == np.int8
            assert env.observation_space(agent).contains(seen)
            np.testing.assert_array_equal(seen["observation"], state.observation(player))
            if terminated:
                assert terminated is True
                assert not seen["action_mask"].any()
                rewards[player] = reward
                continue
            assert (reward, state.current_player) == (0.0, player)
            np.testing.assert_array_equal(seen["action_mask"], state.action_mask())
            other = env.observe(ours.AGENTS[1 - player])
            assert not other["action_mask"].any()
            np.testing.assert_array_equal(other["observation"], state.observation(1 - player))
            state = env.game_state
            state.apply(copy.deepcopy(rng).choice(seen["action_mask"].nonzero()[0]))
        assert state.is_over
        assert [rewards[0], rewards[1]] == state.returns
        assert env.agents == []


@every_game
def test_the_end_is_told_once_to_each(name: str) -> None:
    env = begun(name)
    rng = np.random.default_rng(1)
    mover, paid = "", dict.fromkeys(ours.AGENTS, 0.0)
    while not any(env.terminations.values()):
        mover = env.agent_selection
        env.step(int(rng.choice(env.observe(mover)["action_mask"].nonzero()[0])))
        for agent, reward in env.rewards.items():
            paid[agent] += reward
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.agent_selection != mover
    returns = env.game_state.returns
    assert returns is not None
    assert list(paid.values()) == returns
    other = env.agent_selection
    assert env.last()[1] == returns[int(other[-1])]
    env.step(None)
    assert (env.agents, env.agent_selection) == ([mover], mover)
    assert env.rewards == {mover: 0.0}
    assert env.last(observe=False) == (None, returns[int(mover[-1])], True, False, FREE)
    env.step(None)
    for held in (env.rewards, env.terminations, env.truncations, env.infos):
        assert held == {}
    with pytest.raises(ResetNeeded):
        env.step(None)


@every_game
def test_spaces_stay_and_arrays_are_fresh(name: str) -> None:
    env = begun(name)
    spaces = [space(agent) for agent in ours.AGENTS for space in (env.observation_space, env.action_space)]
    seen = env.observe("player_0")
    seen["observation"][:] = 0.5
    seen["action_mask"][:] = 0
    assert env.observe("player_0")["action_mask"].any() or env.observe("player_1")["action_mask"].any()
    assert not (env.observe("player_0")["observation"] == 0.5).all()
    env.reset()
    again = [space(agent) for agent in ours.AGENTS for space in (env.observation_space, env.action_space)]
    assert all(first is second for first, second in zip(spaces, again, strict=True))


# Arguments


@every_variant
def test_params_are_given_as_a_dict_or_by_name(name: str, params: dict[str, Any]) -> None:
    assert make(name, params=params).game == make(name, **params).game == reasonenv.game(name, params)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"illegal": "ignore"}, "unknown illegal 'ignore'; choose 'lose', 'retry' or 'raise'"),
        ({"render_mode": "video"}, "unknown render_mode 'video'; choose None, 'human'"),
        ({"opening_plies": 33}, "opening_plies"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_names_nothing_is_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        make(**kwargs)


# Seeds


def record(env: ours.GameAECEnv, seed: int | None = None) -> list[Any]:
    env.reset(seed=seed)
    told = [
        (agent, seen["observation"].tolist(), reward)
        for agent, seen, reward, *_ in play(env, np.random.default_rng(7))
    ]
    return [env.game_state.seed, *told]


@every_game
def test_a_seed_decides_all_games_that_follow(name: str) -> None:
    first, second = make(name), make(name)
    one = [record(first, 3), *(record(first) for _ in range(4))]
    assert [record(second, 3), *(record(second) for _ in range(4))] == one
    assert one[0][0] == 3
    assert len({game[0] for game in one}) == 5


def test_without_a_seed_games_differ() -> None:
    assert record(make())[0] != record(make())[0]


@every_game
def test_the_seed_decides_what_chance_does(name: str) -> None:
    starts = set()
    for seed in range(50):
        env = begun(name, seed=seed)
        env.step(env.game_state.legal_actions()[0])
        starts.add(str(env.game_state.moves))
    assert (len(starts) > 1) == reasonenv.game(name).has_chance


def test_openings_come_from_the_seed() -> None:
    starts = {tuple(begun(opening_plies=2, seed=seed).game_state.moves) for seed in range(50)}
    assert len(starts) > 20
    assert {len(start) for start in starts} == {2}
    assert begun(opening_plies=3).agent_selection == "player_1"


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_a_seed_out_of_bounds_is_refused(seed: int) -> None:
    env = begun(seed=3)
    before = env.get_state()
    with pytest.raises(InvalidArgument, match=r"`seed` is .*, but must be (a whole number )?between"):
        env.reset(seed=seed)
    assert env.get_state() == before


def test_an_unknown_agent_is_told_the_nearest() -> None:
    env = begun()
    for ask in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(UnknownName, match=r"unknown agent 'player_2'; did you mean 'player_[01]'"):
            ask("player_2")
        with pytest.raises(UnknownName, match="unknown agent 'x'; choose 'player_0' or 'player_1'"):
            ask("x")


# Illegal actions

FREE = {"cost": 0.0, "episode_cost": 0.0}
ILLEGAL_INFO = {"invalid": True, "cost": 1.0, "episode_cost": 1.0}
ILLEGAL: list[Any] = [4, -1, 9, 2**70, -(2**70), np.int8(-1), np.array(99)]
NO_ACTIONS: list[Any] = [1.5, "4", "\ud800", None, float("nan"), [4], np.zeros(2, np.int64), np.array([0.0])]


@pytest.mark.parametrize("illegal", ["lose", "retry", "raise"])
@every_game
def test_what_is_no_action_raises_and_changes_nothing(name: str, illegal: str) -> None:
    env = begun(name, illegal=illegal)
    before = env.get_state()
    for action in NO_ACTIONS:
        with pytest.raises(InvalidArgument, match=r"`action` is .*, but must be a whole number"):
            env.step(action)
        assert env.get_state() == before
        assert env.infos == {"player_0": FREE, "player_1": FREE}


@pytest.mark.parametrize("action", ILLEGAL)
def test_an_illegal_action_loses(action: Any) -> None:
    env = begun()
    env.step(4)
    env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos == {"player_0": FREE, "player_1": ILLEGAL_INFO}
    assert not env.observe("player_0")["action_mask"].any()
    assert not env.observe("player_1")["action_mask"].any()
    assert env.agent_selection == "player_0"
    assert env.last()[1] == 1.0
    env.step(None)
    assert env.last()[1:] == (-1.0, True, False, ILLEGAL_INFO)
    env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("action", ILLEGAL)
def test_an_illegal_action_may_be_taken_again(action: Any) -> None:
    env = begun(illegal="retry")
    env.step(4)
    before = env.game_state
    env.step(action)
    assert env.game_state == before
    assert env.agent_selection == "player_1"
    assert env.last()[1:] == (0.0, False, False, ILLEGAL_INFO)
    env.step(action)
    assert env.infos == {"player_0": FREE, "player_1": ILLEGAL_INFO | {"episode_cost": 2.0}}
    copied = make(illegal="retry")
    copied.set_state(env.get_state())
    for each in (env, copied):
        each.step(0)
        assert each.infos == {"player_0": FREE, "player_1": FREE | {"episode_cost": 2.0}}
    env.reset()
    assert env.infos == {"player_0": FREE, "player_1": FREE}
    env = copied
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize("action", ILLEGAL)
def test_an_illegal_action_may_raise(action: Any) -> None:
    env = begun(illegal="raise")
    env.step(4)
    before = env.get_state()
    with pytest.raises(InvalidAction, match=r"player_1: action .* is not legal here; one of \[0, 1, 2, 3, 5"):
        env.step(action)
    assert env.get_state() == before


def test_an_agent_whose_costs_exceed_the_limit_loses() -> None:
    settings: dict[str, Any] = {"illegal": "retry", "cost_weights": {"invalid": 0.5}, "cost_limit": 1.25}
    env, copied = begun(**settings), make(**settings)
    env.step(4)
    for spent in (0.5, 1.0):
        env.step(4)
        assert env.infos["player_1"] == {"invalid": True, "cost": 0.5, "episode_cost": spent}
        assert env.terminations == {"player_0": False, "player_1": False}
    copied.set_state(env.get_state())
    for each in (env, copied):
        each.step(4)
        assert each.rewards == {"player_0": 1.0, "player_1": -1.0}
        assert each.terminations == {"player_0": True, "player_1": True}
        assert each.infos["player_1"] == {"invalid": True, "cost": 0.5, "episode_cost": 1.5}
    over = env.get_state()
    copied.set_state(over)
    assert (copied.rewards, copied.terminations, copied.infos) == (env.rewards, env.terminations, env.infos)
    for wrong in (
        over.replace(b'"player_1": 3', b'"player_1": 2'),
        over.replace(b'"lost": "player_1"', b'"lost": null'),
        over.replace(b'"player_0": 0', b'"player_0": 3'),
    ):
        assert wrong != over
        with pytest.raises(InvalidState):
            copied.set_state(wrong)


def test_costs_without_a_limit_or_of_nothing_end_no_game() -> None:
    cases: tuple[tuple[int, dict[str, Any]], ...] = ((5, {}), (0, {"cost_limit": 0}))
    for cost, limit in cases:
        env = begun(illegal="retry", cost_weights={"invalid": cost}, **limit)
        env.step(4)
        env.step(4)
        assert env.infos["player_1"]["cost"] == cost
        assert env.agent_selection == "player_1"
    with pytest.raises(InvalidArgument, match=r"`cost_limit` is -1, but must be a number of at least 0"):
        make(cost_limit=-1)


def test_every_integer_type_is_an_action() -> None:
    for kind in (int, np.int8, np.int64, np.uint16, np.array, lambda n: np.array([n])):
        env = begun(illegal="raise")
        env.step(kind(4))
        assert env.game_state.moves == [4]


# Order


def test_nothing_can_be_read_before_reset() -> None:
    env = make()
    for name in (
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "num_agents",
    ):
        with pytest.raises(AttributeError, match=f"{name}.* before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="'GameAECEnv' object has no attribute 'nonsense'"):
        env.nonsense  # noqa: B018
    calls: list[Callable[[], object]] = [
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.render,
        env.get_state,
        lambda: env.game_state,
    ]
    for call in calls:
        with pytest.raises(ResetNeeded):
            call()
    assert env.possible_agents == ["player_0", "player_1"]
    assert env.max_num_agents == 2


def test_the_dead_can_only_leave() -> None:
    env = begun()
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    with pytest.raises(ValueError, match="player_1: the game is over, so the only action is None"):
        env.step(5)


# Text and rendering


@every_game
def test_text_is_given_on_request(name: str) -> None:
    env = begun(name, text=True)
    for agent, seen, _, terminated, info in play(env, np.random.default_rng(0)):
        state, player = env.game_state, int(agent[-1])
        assert info["text"].startswith(state.text(player))
        assert ("Your turn." in info["text"]) is not terminated
        other = ours.AGENTS[1 - player]
        if other in env.infos:
            assert env.infos[other]["text"] == state.text(1 - player)
        if not terminated:
            for action in seen["action_mask"].nonzero()[0]:
                assert state.action_name(action) in info["text"]


@every_game
def test_each_render_mode_shows_the_position(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = begun(name, render_mode="ansi").render()
    assert isinstance(text, str)
    assert text.isascii()
    picture = begun(name, render_mode="rgb_array").render()
    assert isinstance(picture, np.ndarray)
    assert picture.dtype == np.uint8
    assert picture.shape[2:] == (3,)
    assert len(np.unique(picture)) > 1
    capsys.readouterr()
    env = begun(name, render_mode="human")
    assert env.render() is None
    assert capsys.readouterr().out == 2 * (text + "\n\n")


def test_pictures_of_different_positions_differ() -> None:
    env = begun(render_mode="rgb_array")
    before = env.render()
    env.step(4)
    assert not np.array_equal(before, env.render())  # type: ignore[arg-type]


def test_without_a_render_mode_render_warns() -> None:
    with pytest.warns(UserWarning, match="shows nothing"):
        assert begun().render() is None


# State


@every_game
def test_a_copy_goes_on_as_the_env_does(name: str) -> None:
    env = begun(name, seed=5)
    rng = np.random.default_rng(5)
    turns = sum(1 for _ in play(env, copy.deepcopy(rng)))
    for stop in range(turns):
        env.reset(seed=5)
        turn = play(env, (here := copy.deepcopy(rng)))
        for _ in range(stop + 1):
            next(turn)
        restored = make(name)
        restored.set_state(env.get_state())
        copies = [restored, env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        rests = [
            [
                (agent, seen["observation"].tolist(), *rest)
                for agent, seen, *rest in play(each, copy.deepcopy(here))
            ]
            for each in [*copies, env]
        ]
        assert all(rest == rests[-1] for rest in rests)
        assert len({record(each)[0] for each in [*copies, env]}) == 1


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b'{"state": 1}', b"null"])
def test_a_damaged_state_is_refused(state: bytes) -> None:
    env = begun()
    before = env.get_state()
    with pytest.raises(reasonenv.ReasonEnvError):
        env.set_state(state)
    assert env.get_state() == before


@pytest.mark.parametrize("illegal", ["lose", "retry", "raise"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "dots_and_boxes", "kuhn_poker"])
def test_a_state_that_no_play_leads_to_is_refused(name: str, illegal: Any) -> None:
    env = GameAECEnv(name, illegal=illegal)
    env.reset(seed=3)
    reached: set[str] = set()

    def and_its_end(env: GameAECEnv) -> None:
        env = env.clone()
        reached.add(json.dumps(json.loads(env.get_state()), sort_keys=True))
        while env.agents and env.terminations[env.agent_selection]:
            env.step(None)
            reached.add(json.dumps(json.loads(env.get_state()), sort_keys=True))

    while not any(env.terminations.values()):
        and_its_end(env)
        if illegal != "raise":
            wrong = env.clone()
            wrong.step(-1)
            and_its_end(wrong)
        env.step(env.game_state.legal_actions()[0])
    and_its_end(env)
    agents = env.possible_agents
    states = {json.loads(state)["state"]: json.loads(state) for state in reached}
    fields = product(
        [agents, agents[:1], agents[1:], []], agents, [None, *agents], [None, *agents], states.values()
    )
    for live, selected, lost, invalid, state in fields:
        changed = state | {"agents": live, "agent_selection": selected, "lost": lost, "invalid": invalid}
        changed["illegals"] = {agent: int(agent in {lost, invalid}) for agent in agents}
        if json.dumps(changed, sort_keys=True) in reached:
            env.set_state(json.dumps(changed).encode())
            assert json.loads(env.get_state()) == changed
        else:
            with pytest.raises(InvalidState):
                env.set_state(json.dumps(changed).encode())


@pytest.mark.parametrize(
    ("illegal", "counts"),
    [("lose", (1, 0)), ("raise", (0, 1)), ("retry", (0, 0)), ("retry", (1, -1)), ("retry", (1, "1"))],
)
def test_a_saved_count_of_illegal_actions_fits_what_may_happen(illegal: Any, counts: tuple[Any, Any]) -> None:
    env = begun(illegal=illegal)
    if illegal == "retry":
        env.step(-1)
    saved = json.loads(env.get_state()) | {"illegals": dict(zip(env.possible_agents, counts, strict=True))}
    with pytest.raises(InvalidState, match="illegals"):
        env.set_state(json.dumps(saved).encode())


def test_modules_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(module(ANY))).game == ANY
