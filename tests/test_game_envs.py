"""Games as Gymnasium environments; loops over the registry."""

import copy
import json
import pathlib
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from reasonenv import envs
from reasonenv.envs import GameEnv, GameVectorEnv

GAMES = reasonenv.list_games()
ANY = GAMES[0]
TTT = "tic_tac_toe"
MODES = [mode.value for mode in AutoresetMode]
ILLEGAL: list[Any] = [
    -1,
    2**70,
    -(2**70),
    10**6,
    np.int8(-1),
    np.uint64(2**63),
    np.array(-5),
    np.array([999]),
]
STRANGE = ["0", "<move>", "\x00", "\ud800", "<move>\ud800</move>", "x" * 300_000]
NO_ACTIONS: list[Any] = [
    0.0,
    np.float32(1),
    float("nan"),
    None,
    b"<move>0</move>",
    [],
    {},
    [0],
    np.bool_(True),
    np.zeros(3),
    np.zeros(1),
    np.zeros(2, np.int64),
    np.zeros((1, 1), np.int64),
    object(),
]
BEGIN = {"seat", "random_move_prob", "example", "episode_index"}
STEP = {"invalid"}
END = {"winner", "turns", "invalid_moves"}
EXACT = {"regret", "blunder", "forced", "missed_win", "missed_block", "allowed_fork"}

every_game = pytest.mark.parametrize("game", GAMES)
every_mode = pytest.mark.parametrize("mode", MODES)


def make(game: str = ANY, **kwargs: Any) -> GameEnv:
    env = gymnasium.make(envs.env_id(game), **kwargs).unwrapped
    assert isinstance(env, GameEnv)
    return env


def make_vec(game: str = ANY, num_envs: int = 3, **kwargs: Any) -> GameVectorEnv:
    many = gymnasium.make_vec(envs.env_id(game), num_envs=num_envs, **kwargs)
    assert isinstance(many, GameVectorEnv)
    return many


def make_sync(game: str, num_envs: int, mode: str, **kwargs: Any) -> Any:
    return gymnasium.make_vec(
        envs.env_id(game),
        num_envs,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **kwargs,
    )


def equal(one: object, other: object) -> bool:
    """Gymnasium's own comparison: types, dtypes, keys and values, all the way down."""
    return data_equivalence(one, other, exact=True)


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def finish(env: GameEnv, rng: np.random.Generator) -> list[Any]:
    """Plays legal moves to the end of a numeric episode."""
    steps = []
    while True:
        steps.append(env.step(legal(env.action_masks(), rng)))
        if steps[-1][2] or steps[-1][3]:
            return steps


def said(env: GameEnv, action: int) -> str:
    return f"<move>{env.game.action_name(action)}</move>"


def alternates(game: str) -> bool:
    """Whether nobody moves twice in a row, in games of random moves."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        state, last = reasonenv.game(game).start(seed), None
        while not state.is_over:
            if state.current_player == last:
                return False
            last = state.current_player
            state.apply(int(rng.choice(state.legal_actions())))
    return True


def valued(game: str, **kwargs: Any) -> GameEnv:
    """An env that knows exact values; skips games that have none."""
    try:
        return make(game, analysis=True, **kwargs)
    except reasonenv.InvalidOpponent as error:
        pytest.skip(str(error))


# Registration


def test_games_are_registered_as_their_version_says() -> None:
    for game in GAMES:
        name = envs.env_id(game)
        camel_case, version = name.removeprefix("reasonenv/").split("-v")
        assert camel_case.lower() == game.replace("_", "")
        assert int(version) == reasonenv.game(game).version - 1
        assert gymnasium.registry[name].entry_point == "reasonenv.envs.game:GameEnv"


@every_game
def test_specs_survive_json(game: str) -> None:
    env = gymnasium.make(envs.env_id(game), seat="second", random_move_prob=0.5, max_turns=4)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=4), again.reset(seed=4))
    many = make_vec(game, seat="second", autoreset_mode="SameStep")
    assert many.spec is not None
    others = gymnasium.make_vec(EnvSpec.from_json(many.spec.to_json()))
    assert others.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert equal(many.reset(seed=4), others.reset(seed=4))


@every_game
@pytest.mark.parametrize("mode", ["numeric", "text"])
def test_check_env_passes_without_a_warning(game: str, mode: str) -> None:
    check_env(make(game, mode=mode))


# Spaces, masks, seeds


@every_game
def test_observations_and_masks_have_their_shapes(game: str) -> None:
    env, unit = make(game), reasonenv.game(game)
    assert env.observation_space == gymnasium.spaces.Box(0, 1, tuple(unit.shape), np.float32)
    assert env.action_space == gymnasium.spaces.Discrete(unit.action_count)
    for seed in range(20):
        seen, info = env.reset(seed=seed)
        assert set(info) == BEGIN | {"action_mask"}
        for _ in range(unit.max_plies):
            assert seen in env.observation_space
            mask = info["action_mask"]
            assert (mask.dtype, mask.shape) == (np.int8, (unit.action_count,))
            assert np.flatnonzero(mask).tolist() == env.state.legal_actions()
            assert equal(env.action_masks(), mask.astype(bool))
            assert env.state.current_player == info.get("seat", env.facts["seat"])
            seen, reward, terminated, truncated, info = env.step(env.action_space.sample(mask))
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert not truncated
            if terminated:
                assert set(info) == STEP | END | {"result", "action_mask"}
                assert seen in env.observation_space
                assert not info["action_mask"].any()
                returns = env.state.returns
                assert returns is not None
                assert reward == info["result"] == returns[env.facts["seat"]]
                break
            assert set(info) == STEP | {"action_mask"}
            assert reward == 0.0
        assert terminated


@every_game
def test_one_seed_decides_a_whole_run(game: str) -> None:
    def run(env: GameEnv, seed: int | None) -> list[Any]:
        rng = np.random.default_rng(0)
        return [(env.reset(seed=seed if i == 0 else None), finish(env, rng)) for i in range(6)]

    env = make(game, random_move_prob=0.5)
    first = run(env, 3)
    assert equal(run(env, 3), first)
    assert equal(run(make(game, random_move_prob=0.5), 3), first)
    assert not equal(run(env, 4), first)
    assert not equal(run(make(game), None)[0][0][1]["example"], run(make(game), None)[0][0][1]["example"])
    examples = [reset[1]["example"] for reset, _ in first]
    assert len(set(examples)) == 6
    assert [reset[1]["episode_index"] for reset, _ in first] == list(range(6))
    assert all(0 <= example < 2**63 for example in examples)


@every_game
def test_an_episode_can_be_posed_again(game: str) -> None:
    env, other = make(game, random_move_prob=0.5), make(game, random_move_prob=0.5)
    env.reset(seed=11)
    in_turn = [env.reset() for _ in range(4)]  # episodes 1 to 4
    assert equal(other.reset(seed=11, options={"episode": 3}), in_turn[2])
    assert equal(other.reset(), in_turn[3])
    replies = []
    for _ in range(3):
        assert equal(other.reset(options={"episode": np.int64(2)}), in_turn[1])
        replies.append(finish(other, np.random.default_rng(5)))
    assert equal(replies[0], replies[1])
    assert equal(replies[0], replies[2])
    for made in (env, make_vec(game)):
        wrongs: list[Any] = [-1, 2**63, "1", 1.0, [], True]
        for wrong in wrongs:
            with pytest.raises(reasonenv.InvalidArgument, match=r'options\["episode"\] is .*, but must be'):
                made.reset(options={"episode": wrong})
        with pytest.raises(reasonenv.ReasonEnvError, match="a key of options is 'episod', but must be"):
            made.reset(options={"episod": 1})
        with pytest.raises(reasonenv.InvalidArgument, match="options is 3"):
            made.reset(options=3)  # type: ignore[arg-type]


@every_game
def test_seats_and_starts(game: str) -> None:
    for seat, player in (("first", 0), ("second", 1)):
        env = make(game, seat=seat)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(10)} == {player}
    seats = [make(game).reset(seed=seed)[1]["seat"] for seed in range(200)]
    assert 60 < sum(seats) < 140
    env = make(game, opening_plies=2)
    env.reset(seed=0)
    assert len(env.state.moves) >= 2 or env.state.is_over


@every_game
def test_strata_cover_the_range_in_every_batch(game: str) -> None:
    dials = {"min_random_move_prob": 0.2, "max_random_move_prob": 0.6, "num_groups": 8}
    many = make_vec(game, 64, autoreset_mode="SameStep", **dials)
    for seed in (100, None, None):
        probs = many.reset(seed=seed)[1]["random_move_prob"]
        slices = np.floor((probs - 0.2) / 0.4 * 8).astype(int)
        assert np.bincount(slices, minlength=8).tolist() == [8] * 8
        assert len(set(probs)) == 64
    env = make(game, **dials)
    env.reset(seed=5)
    slices = [int((env.reset()[1]["random_move_prob"] - 0.2) / 0.4 * 8) for _ in range(8)]
    assert slices == [6, 7, 0, 1, 2, 3, 4, 5]
    shared = {env.reset(options={"episode": 3})[1]["random_move_prob"] for _ in range(4)}
    assert len(shared) == 1, "all rollouts of an example meet the same opponent"


# Actions that are none


@every_game
@pytest.mark.parametrize("mode", ["numeric", "text"])
@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_no_number_and_no_text_raises(game: str, mode: str, illegal: str) -> None:
    env = make(game, mode=mode, illegal=illegal, max_turns=1000)
    env.action_space.seed(0)
    samples = [env.action_space.sample() for _ in range(20)]
    for action in ILLEGAL if mode == "numeric" else [*STRANGE, *samples]:
        env.reset(seed=0)
        before = env.state
        message, reward, terminated, truncated, info = env.step(action)
        assert info["invalid"]
        assert not truncated
        assert terminated == (illegal == "lose")
        assert env.state == before
        if mode == "numeric":
            assert reward == (-1.0 if terminated else -0.1)
        else:
            formed = info["reward_parts"]["format"] if terminated else 0.0
            assert reward == pytest.approx(0.2 * formed - 0.1 if terminated else 0.0)
            assert message in env.observation_space
            assert info["fault"] == env.facts["fault"]
        if terminated:
            assert (info["result"], info["winner"]) == (-1.0, 1 - env.facts["seat"])
            with pytest.raises(ResetNeeded, match="reset"):
                env.step(0 if mode == "numeric" else "0")


@every_game
@pytest.mark.parametrize("mode", ["numeric", "text"])
def test_what_is_no_action_raises_and_changes_nothing(game: str, mode: str) -> None:
    env = make(game, mode=mode)
    env.reset(seed=0)
    before = env.get_state()
    for action in [*NO_ACTIONS, *(["0", "\ud800"] if mode == "numeric" else [0, np.array(0)])]:
        with pytest.raises(reasonenv.InvalidArgument, match="but must be a"):
            env.step(action)
        assert env.get_state() == before
    many = make_vec(game, 2)
    many.reset(seed=0)
    before = many.get_state()
    for action in [*NO_ACTIONS, "0", np.array([0])]:
        with pytest.raises(reasonenv.InvalidArgument, match=r"actions(\[1\])? (is|are) .*but must be"):
            many.step([0, action])
        assert many.get_state() == before
    whole: list[Any] = [np.zeros(2), np.zeros((2, 1), np.int64), np.zeros(2, bool), "00", 0, None]
    for actions in whole:
        with pytest.raises(reasonenv.InvalidArgument, match="actions"):
            many.step(actions)
        assert many.get_state() == before


def test_an_array_of_one_number_is_that_number() -> None:
    for kind in (int, np.int8, np.uint64, np.array, lambda n: np.array([n])):
        env = make(TTT, seat="first", opponent="random")
        env.reset(seed=0)
        env.step(kind(4))
        assert env.state.moves[0] == 4


@every_game
def test_turns_run_out(game: str) -> None:
    env = make(game, illegal="penalty", invalid_penalty=-0.5, max_turns=3)
    env.reset(seed=0)
    rewards = [env.step(-1)[1:4] for _ in range(3)]
    assert rewards == [(-0.5, False, False), (-0.5, False, False), (-0.5, False, True)]
    with pytest.raises(ResetNeeded):
        env.step(0)
    most = -(-reasonenv.game(game).max_plies // 2) if alternates(game) else reasonenv.game(game).max_plies
    for kwargs in ({"mode": "text"}, {"illegal": "penalty"}):
        env = make(game, **kwargs)
        env.reset(seed=0)
        truncated, turns = False, 0
        while not truncated:
            _, _, terminated, truncated, info = env.step("" if env.mode == "text" else -1)
            turns += 1
        assert not terminated
        assert turns == info["turns"] == info["invalid_moves"] == most + 3
        assert info["winner"] == -1
        assert "result" not in info


def test_an_episode_must_begin_and_does_not_go_on() -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        make().step(0)
    with pytest.raises(ResetNeeded, match="reset"):
        make_vec().step([0, 0, 0])
    with pytest.raises(ResetNeeded):
        make().state  # noqa: B018
    with pytest.raises(ResetNeeded):
        make_vec().states  # noqa: B018
    env = make()
    env.reset(seed=0)
    finish(env, np.random.default_rng(0))
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.close()
    env.close()


@pytest.mark.parametrize(
    ("kwargs", "says"),
    [
        ({"game": "no_such_game"}, "no_such_game"),
        ({"mode": "txt"}, "mode is 'txt', but must be 'numeric' or 'text'"),
        ({"opponent": "minmax"}, "minmax"),
        ({"random_move_prob": 1.5}, "`random_move_prob` is 1.5, but must be between 0 and 1"),
        ({"min_random_move_prob": 0.5}, "give both min_random_move_prob and max_random_move_prob"),
        ({"min_random_move_prob": 0.5, "max_random_move_prob": 0.2}, "`max_random_move_prob` is 0.2"),
        ({"num_groups": 4}, "num_groups is 4"),
        (
            {"min_random_move_prob": 0.1, "max_random_move_prob": 0.2, "random_move_prob": 0.1},
            "must be 0",
        ),
        ({"seat": "third"}, "seat is 'third', but must be 'first' or 'second' or 'random'"),
        ({"illegal": "ignore"}, "illegal is 'ignore'"),
        ({"max_turns": 0}, "`max_turns` is 0"),
        ({"opening_plies": 99}, "`opening_plies` is 99"),
        ({"reward": "win"}, "reward is 'win'"),
        ({"think": "required"}, "of mode"),
        ({"mode": "text", "think": "always"}, "think is 'always'"),
        ({"mode": "text", "reward_weights": {"formt": 1}}, "'formt'"),
        ({"mode": "text", "text": True}, "text is True"),
        ({"params": {"no_such_param": 1}}, "no_such_param"),
        ({"params": [1]}, "`params` is [1], but must be a dict"),
        ({"game": "\ud800"}, "no game"),
        ({"game": 5}, "`name` is 5, but must be a str"),
        ({"seat": ["first"]}, "seat is ['first']"),
        ({"num_groups": 1.5}, "num_groups is 1.5, but must be a whole number"),
        ({"max_turns": 2.5}, "`max_turns` is 2.5, but must be a whole number"),
        ({"max_turns": -1}, "`max_turns` is -1"),
        ({"max_turns": 10**12}, "`max_turns` is 1000000000000"),
        ({"opening_plies": 0.5}, "`opening_plies` is 0.5"),
        ({"exact_plies": -1}, "`exact_plies` is -1"),
        ({"random_move_prob": float("nan")}, "`random_move_prob` is NaN"),
        ({"random_move_prob": "x"}, "`random_move_prob` is 'x', but must be a number"),
        (
            {"min_random_move_prob": float("nan"), "max_random_move_prob": 1.0},
            "`min_random_move_prob` is NaN",
        ),
        ({"blunder_prob": float("nan")}, "`blunder_prob` is NaN"),
        ({"invalid_penalty": float("nan")}, "invalid_penalty is nan"),
        ({"invalid_penalty": "x"}, "invalid_penalty is 'x'"),
        ({"mode": "text", "reward_weights": {"format": float("nan")}}, "reward_weights['format'] is nan"),
        ({"mode": "text", "reward_weights": {"format": float("inf")}}, "reward_weights['format'] is inf"),
        ({"mode": "text", "reward_weights": {"format": "1"}}, "reward_weights['format'] is '1'"),
        ({"opponent": "\ud800"}, "no opponent"),
    ],
)
def test_a_wrong_argument_is_named_when_making(kwargs: dict[str, Any], says: str) -> None:
    for construct in (GameEnv, GameVectorEnv):
        with pytest.raises(reasonenv.ReasonEnvError) as error:
            construct(**{"game": ANY, **kwargs})
        assert says in str(error.value)


def test_a_vector_env_names_its_own_wrong_arguments() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match="'Never', but must be one of 'NextStep', 'SameStep'"):
        make_vec(autoreset_mode="Never")
    with pytest.raises(reasonenv.ReasonEnvError, match="num_envs is 0"):
        make_vec(num_envs=0)
    with pytest.raises(reasonenv.ReasonEnvError, match=r"gymnasium\.make"):
        make_vec(mode="text")
    for wrong in (-1, 2.5, 10**9, "3", None, True):
        with pytest.raises(reasonenv.InvalidArgument, match=r"num_envs is .*between 1 and 1048576"):
            GameVectorEnv(wrong, game=ANY)  # type: ignore[arg-type]
    with pytest.raises(reasonenv.InvalidArgument, match=r"max_episode_steps is 2\.5"):
        make_vec(max_episode_steps=2.5)


# Opponents


@every_game
def test_the_default_opponent_is_the_strongest_that_replies_at_once(game: str) -> None:
    unit, env = reasonenv.game(game), make(game)
    assert isinstance(env.opponent, reasonenv.Opponent)
    if unit.has_hidden_information:
        assert env.opponent.name in ("equilibrium", "random")
    else:
        assert env.opponent.name == ("minimax" if unit.solves_instantly else "heuristic")
    assert env.opponent.name == unit.default_opponent
    if not (unit.has_hidden_information or unit.unsolvable_reason):
        # Whoever asks for what needs exact values gets exact play.
        for dials in ({"exact_plies": 4}, {"blunder_prob": 0.5}):
            asked = make(game, **dials).opponent
            assert isinstance(asked, reasonenv.Opponent)
            assert asked.name == "minimax"


@every_game
def test_a_callable_plays_as_the_same_opponent_in_rust(game: str) -> None:
    unit = reasonenv.game(game)
    opponent = make(game).opponent
    assert isinstance(opponent, reasonenv.Opponent)
    for mode in ("numeric", "text"):
        kwargs: dict[str, Any] = {"mode": mode, "illegal": "penalty", "max_turns": 5}
        ours, theirs = make(game, opponent=opponent, **kwargs), make(game, **kwargs)
        called = make(game, opponent=opponent.__call__, **kwargs)
        rng = np.random.default_rng(0)
        for seed in range(30):
            resets = [env.reset(seed=seed) for env in (ours, theirs, called)]
            assert equal(resets[0], resets[1])
            assert equal(resets[0], resets[2])
            over = False
            while not over:
                action = legal(ours.action_masks(), rng) if rng.random() < 0.9 else unit.action_count
                moves: Any = action
                if mode == "text":
                    moves = said(ours, action) if action < unit.action_count else "nothing"
                steps = [env.step(moves) for env in (ours, theirs, called)]
                assert equal(steps[0], steps[1])
                assert equal(steps[0], steps[2])
                over = steps[0][2] or steps[0][3]


@every_game
def test_a_callable_is_held_to_the_rules(game: str) -> None:
    for wrong in (10**6, -1, "0", None, 0.0):
        env = make(game, seat="second", opponent=lambda _, wrong=wrong: wrong)
        with pytest.raises(reasonenv.InvalidOpponent, match=r"the opponent played .* but must play one of"):
            env.reset(seed=0)
    with pytest.raises(reasonenv.InvalidOpponent, match="random_move_prob cannot be set"):
        make(game, opponent=lambda _: 0, random_move_prob=0.5)
    with pytest.raises(reasonenv.InvalidOpponent, match="are for opponents given by name"):
        make(game, opponent=lambda _: 0, min_random_move_prob=0.0, max_random_move_prob=1.0)
    with pytest.raises(reasonenv.InvalidArgument, match="opponent is 5"):
        make(game, opponent=5)


def test_an_opponent_of_another_game_is_refused() -> None:
    other = reasonenv.game(TTT, {"rows": 4}).opponent("random")
    with pytest.raises(reasonenv.InvalidOpponent, match="the opponent plays"):
        make(TTT, opponent=other)


def test_a_random_opponent_is_beaten_and_a_perfect_one_is_not() -> None:
    def score(**kwargs: Any) -> float:
        many = make_vec(TTT, 500, autoreset_mode="SameStep", **kwargs)
        rng, (_, infos) = np.random.default_rng(0), many.reset(seed=0)
        results: list[float] = []
        for _ in range(20):
            masks = infos["action_mask"]
            infos = many.step((rng.random(masks.shape) * masks).argmax(1))[4]
            if "final_info" in infos:
                results += infos["final_info"]["result"][infos["_final_info"]].tolist()
        return float(np.mean(results))

    assert abs(score(opponent="random")) < 0.06, "random play against itself, each seat as often"
    assert score(opponent="minimax") == pytest.approx(-0.8726, abs=0.03), "exact: 0 wins, 12.74 % draws"


# Rewards and exact values


@every_game
def test_results_are_the_start_less_regret(game: str) -> None:
    rng, env = np.random.default_rng(0), valued(game)
    regret = make(game, reward="regret")
    luck_free = make(game, reward="luck_free")
    mistakes = 0
    for seed in range(30):
        _, begin = env.reset(seed=seed)
        assert set(begin) == BEGIN | {"action_mask", "start_value"}
        for other in (regret, luck_free):
            assert set(other.reset(seed=seed)[1]) == BEGIN | {"action_mask"}
        total, paid = 0.0, 0.0
        over = False
        while not over:
            action = legal(env.action_masks(), rng) if rng.random() < 0.97 else -1
            values = env.state.values()
            seen, _, over, _, info = env.step(action)
            shaped, final = regret.step(action), luck_free.step(action)
            assert equal(seen, shaped[0])
            assert not EXACT & set(shaped[4]), "exact values are told only when asked for"
            paid += shaped[1]
            if not info["invalid"]:
                assert set(info) >= EXACT
                best = max(value.outcome for value in values.values())
                assert info["regret"] == best - values[action].outcome
                assert info["blunder"] == (info["regret"] > 0)
                assert info["forced"] == (len(values) == 1)
                total += info["regret"]
                assert shaped[1] == -info["regret"]
            assert over or final[1] == 0.0
        mistakes += total > 0
        assert info["total_regret"] == -paid
        assert final[1] == begin["start_value"] - info["total_regret"]
        outcome = np.sign(info["result"])
        assert outcome == begin["start_value"] - info["total_regret"] + info["opponent_regret"]
    assert mistakes > 3


@every_game
def test_regret_is_refused_where_there_are_no_exact_values(game: str) -> None:
    unit = reasonenv.game(game)
    if not (unit.has_hidden_information or unit.unsolvable_reason):
        pytest.skip("it has exact values")
    for kwargs in ({"analysis": True}, {"reward": "regret"}, {"reward": "luck_free"}):
        with pytest.raises(reasonenv.InvalidOpponent):
            make(game, **kwargs)


def test_tactics_are_named() -> None:
    env = valued(TTT, seat="first", opponent=lambda state: state.legal_actions()[0])
    env.reset(seed=0)
    env.step(4)  # O takes 0
    info = env.step(8)[4]  # O takes 1 and threatens 2
    assert not info["blunder"]
    info = env.step(5)[4]  # O takes 2
    assert info["missed_block"] or info["missed_win"]
    assert info["result"] == -1.0


# Text


def test_the_text_protocol_of_tic_tac_toe() -> None:
    env = make(TTT, mode="text", seat="first", opponent=lambda state: state.legal_actions()[0])
    message, info = env.reset(seed=0)
    assert set(info) == BEGIN
    assert message == (
        "The game has started. You are X, the opponent is O. You move first.\n\n"
        "0 | 1 | 2\n---------\n3 | 4 | 5\n---------\n6 | 7 | 8\n\n"
        "Available positions: [0, 1, 2, 3, 4, 5, 6, 7, 8]\n\nYour turn."
    )
    message, reward, terminated, _, info = env.step("Centre.\n<move>4</move>")
    assert message == (
        "The opponent played 0.\n\n"
        "O | 1 | 2\n---------\n3 | X | 5\n---------\n6 | 7 | 8\n\n"
        "Available positions: [1, 2, 3, 5, 6, 7, 8]\n\nYour turn."
    )
    assert (reward, terminated, set(info)) == (0.0, False, {"invalid"})
    message, reward, terminated, _, info = env.step("5")
    assert message.startswith("There is no move in <move> tags.\n\nO | 1 | 2\n")
    assert (reward, terminated, info) == (0.0, False, {"invalid": True, "fault": "no_answer"})
    message, reward, terminated, _, info = env.step("<move>0</move>")
    assert message.startswith("0 is taken.\n\nO | 1 | 2\n")
    assert (reward, terminated, info) == (0.0, False, {"invalid": True, "fault": "illegal_move"})
    env.step("<move>8</move>")  # O takes 1
    message, reward, terminated, _, info = env.step("<move>2</move>")  # O takes 3
    assert message.startswith("The opponent played 3.\n\nO | O | X\n")
    message, reward, terminated, truncated, info = env.step("<move>6</move>")
    assert message == "You won.\n\nO | O | X\n---------\nO | X | 5\n---------\nX | 7 | X"
    assert (terminated, truncated) == (True, False)
    assert info["reward_parts"] == {"outcome": 1.0, "format": pytest.approx(5 / 6), "invalid": 1.0}
    assert reward == pytest.approx(1 + 0.2 * 5 / 6 - 0.1), "two invalid moves cost as much as one"
    assert (info["status"], info["result"], info["winner"]) == ("won", 1.0, 0)
    assert (info["turns"], info["invalid_moves"]) == (6, 2)


@pytest.mark.parametrize(
    ("moves", "outcome", "status"), [("426", 1.0, "won"), ("43186", 0.5, "drawn"), ("873", 0.0, "lost")]
)
def test_text_rewards_one_half_and_nothing(moves: str, outcome: float, status: str) -> None:
    replies = {"426": "01", "43186": "0572", "873": "012"}[moves]
    plan = iter(map(int, replies))
    env = make(TTT, mode="text", seat="first", opponent=lambda _: next(plan))
    env.reset(seed=0)
    for move in moves:
        _, reward, terminated, _, info = env.step(f"<move>{move}</move>")
    assert terminated
    assert info["status"] == status
    assert reward == pytest.approx(outcome + 0.2)


def test_eight_turns_and_the_game_is_lost() -> None:
    env = make(TTT, mode="text")
    env.reset(seed=0)
    steps = [env.step("well") for _ in range(8)]
    assert [step[3] for step in steps] == [False] * 7 + [True]
    assert sum(step[1] for step in steps) == pytest.approx(-0.1)
    assert steps[-1][0].startswith("You have used up your turns.\n\n")
    assert steps[-1][4]["status"] == "cut"


def test_text_rewards_are_weighed() -> None:
    weights = {"outcome": 2.0, "format": 0.5, "invalid": -0.25}
    for penalize, times in (("once", 1), ("each", 3)):
        env = make(
            TTT, mode="text", seat="first", opponent="random", reward_weights=weights, penalize=penalize
        )
        env.reset(seed=0)
        total = sum(env.step("?")[1] for _ in range(3))
        while True:
            _, reward, terminated, _, info = env.step(said(env, int(np.flatnonzero(env.action_masks())[0])))
            total += reward
            if terminated:
                break
        parts = info["reward_parts"]
        assert parts["invalid"] == times
        assert total == pytest.approx(2 * parts["outcome"] + 0.5 * parts["format"] - 0.25 * times)


@every_game
def test_thinking_may_be_required(game: str) -> None:
    for think, shares in (("optional", (1.0, 1.0)), ("required", (0.0, 1.0))):
        env = make(game, mode="text", think=think)
        assert ("<think>" in env.instructions) == (think == "required")
        for thought, share in zip(("", "<think>Let me see.</think>\n"), shares, strict=True):
            env.reset(seed=0)
            over = False
            while not over:
                action = int(np.flatnonzero(env.action_masks())[0])
                _, _, terminated, truncated, info = env.step(thought + said(env, action))
                assert not info["invalid"], "a move that is not well formed is played all the same"
                over = terminated or truncated
            assert info["reward_parts"]["format"] == share


@every_game
def test_instructions_explain_the_game(game: str) -> None:
    unit, env = reasonenv.game(game), make(game, mode="text")
    assert unit.rules in env.instructions
    assert unit.moves_are_called in env.instructions
    move = re.search(r"<move>([^<>]+)</move>", env.instructions)
    assert move
    assert unit.read_action(move[1]) in unit.start().legal_actions()
    assert "loses the game" in make(game, mode="text", illegal="lose").instructions


@every_game
def test_messages_fit_their_space_and_name_the_moves(game: str) -> None:
    rng, env = np.random.default_rng(0), make(game, mode="text")
    unit = env.game
    for seed in range(10):
        message, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert message in env.observation_space
            names = ", ".join(map(unit.action_name, env.state.legal_actions()))
            assert f"Available {unit.moves_are_called}: [{names}]\n\nYour turn." in message
            message, _, terminated, truncated, _ = env.step(said(env, legal(env.action_masks(), rng)))
            over = terminated or truncated
        assert message in env.observation_space
        assert "Your turn." not in message


@every_game
def test_text_beside_numbers_is_the_same_text(game: str) -> None:
    rng = np.random.default_rng(0)
    talks, counts = make(game, mode="text"), make(game, text=True)
    message, _ = talks.reset(seed=3)
    assert counts.reset(seed=3)[1]["text"] == message
    over = False
    while not over:
        action = legal(counts.action_masks(), rng)
        message, _, over, _, _ = talks.step(said(talks, action))
        assert counts.step(action)[4]["text"] == message


# Rendering


@every_game
def test_render_modes(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make(game, render_mode="ansi")
    env.reset(seed=0)
    frame = env.render()
    assert isinstance(frame, str)
    assert frame.isascii()
    env = make(game, render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out == f"{frame}\n\n"
    env.step(-1)
    assert capsys.readouterr().out
    env = make(game, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert (first.dtype, first.ndim, first.shape[2]) == (np.uint8, 3, 3)
    env.step(legal(env.action_masks(), np.random.default_rng(0)))
    assert env.render().shape == first.shape
    silent = make(game)
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render mode"):
        assert silent.render() is None


# Vector


SETUPS: list[dict[str, Any]] = [
    {},
    {"illegal": "penalty", "max_turns": 3},
    {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7, "num_groups": 4, "seat": "second"},
    {"analysis": True, "reward": "luck_free"},
    {"opponent": "random", "opening_plies": 2},
]


@every_game
@every_mode
@pytest.mark.parametrize("kwargs", SETUPS, ids=lambda kwargs: "-".join(kwargs) or "plain")
def test_a_vector_env_is_its_single_envs(game: str, mode: str, kwargs: dict[str, Any]) -> None:
    if "analysis" in kwargs:
        valued(game)
    ours, sync = make_vec(game, 6, autoreset_mode=mode, **kwargs), make_sync(game, 6, mode, **kwargs)
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    given, other = ours.reset(seed=5), sync.reset(seed=5)
    assert equal(given, other)
    rng, count, ends = np.random.default_rng(0), reasonenv.game(game).action_count, 0
    for _ in range(40):
        assert equal(ours.action_masks(), np.stack(sync.call("action_masks")))
        masks = ours.action_masks()
        actions = np.array(
            [
                legal(mask, rng) if mask.any() and rng.random() < 0.9 else rng.integers(-2, count + 2)
                for mask in masks
            ]
        )
        one, other = ours.step(actions), sync.step(actions)
        assert equal(one, other)
        over = one[2] | one[3]
        ends += over.sum()
        if mode == "Disabled" and over.any():
            some = {"reset_mask": over}
            assert equal(ours.reset(options=some), sync.reset(options=dict(some)))
            assert some["reset_mask"] is over, "the caller's options are the caller's"
    assert ends > 0
    assert equal(ours.reset(), sync.reset())
    assert ours.np_random_seed == sync.np_random_seed == (5, 6, 7, 8, 9, 10)


@every_mode
def test_seeds_and_episodes_may_be_given_one_by_one(mode: str) -> None:
    ours, single = make_vec(autoreset_mode=mode), make()
    seen, infos = ours.reset(seed=[7, None, 3])
    assert equal(seen[0], single.reset(seed=7)[0])
    assert infos["example"][2] == single.reset(seed=3)[1]["example"]
    before = infos["example"].copy()
    _, infos = ours.reset(seed=[None, 9, None], options={"reset_mask": np.array([True, True, False])})
    assert infos["example"][0] not in before
    assert infos["example"][1] == single.reset(seed=9)[1]["example"]
    assert infos["_example"].tolist() == [True, True, False]
    _, infos = ours.reset(options={"episode": 4})
    assert infos["example"][2] == single.reset(seed=3, options={"episode": 4})[1]["example"]
    assert infos["episode_index"].tolist() == [4, 4, 4]
    with pytest.raises(ValueError, match="2 seeds for 3 envs"):
        ours.reset(seed=[1, 2])


def test_vector_actions_are_numbers_of_any_kind() -> None:
    illegal = ILLEGAL[:-1]
    ours = make_vec(num_envs=len(illegal), autoreset_mode="SameStep")
    ours.reset(seed=0)
    _, rewards, terminations, _, infos = ours.step(illegal)
    assert terminations.all()
    assert (rewards == -1.0).all()
    assert infos["final_info"]["invalid"].all()
    first = ours.action_masks().argmax(1)
    copies = [ours.clone() for _ in range(3)]
    whole = ours.step(first)
    for other, actions in zip(copies, (first.tolist(), first.astype(np.int32), tuple(first)), strict=True):
        assert equal(other.step(actions), whole)
    for wrong in ([0, 1], np.zeros(9, np.int64), range(100)):
        with pytest.raises(reasonenv.InvalidArgument, match="actions for"):
            ours.step(wrong)


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, True, True], reasonenv.InvalidArgument),
        (np.ones(3), reasonenv.InvalidArgument),
        (np.ones(2, bool), reasonenv.InvalidArgument),
        (np.zeros(3, bool), reasonenv.InvalidArgument),
        (np.array([True, False, True]), ResetNeeded),
    ],
)
def test_a_reset_mask_is_checked(mask: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="reset_mask"):
        make_vec().reset(options={"reset_mask": mask})


def test_stepping_a_finished_env_is_an_error_that_names_it() -> None:
    ours = make_vec(num_envs=4, autoreset_mode="Disabled")
    ours.reset(seed=0)
    ours.step([-1] * 4)
    ours.reset(options={"reset_mask": np.array([True, False, True, False])})
    with pytest.raises(ResetNeeded, match="envs 1, 3"):
        ours.step([0] * 4)


@every_game
def test_arrays_are_the_callers_own(game: str) -> None:
    ours, twin = make_vec(game, autoreset_mode="SameStep"), make_vec(game, autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    for env in (ours, twin):
        env.reset(seed=0)
    for _ in range(20):
        actions = np.array([legal(mask, rng) for mask in ours.action_masks()])
        step, kept = ours.step(actions), twin.step(actions)
        assert equal(step, kept)
        for array in (*step[:4], step[4]["action_mask"], step[4]["_action_mask"]):
            array[:] = 1


@every_mode
def test_statistics_are_recorded(mode: str) -> None:
    single = RecordEpisodeStatistics(gymnasium.make(envs.env_id(TTT), opponent="random"))
    single.reset(seed=0)
    over = False
    while not over:
        _, reward, over, _, info = single.step(int(np.flatnonzero(single.unwrapped.action_masks())[0]))  # type: ignore[attr-defined]
    assert info["episode"]["r"] == reward
    ours = make_vec(TTT, 8, autoreset_mode=mode, opponent="random")
    env = RecordVectorStatistics(ours)
    env.reset(seed=0)
    returns = 0.0
    for _ in range(12):
        _, rewards, terminated, truncated, infos = env.step(ours.action_masks().argmax(1))
        if "episode" in infos and mode != "SameStep":
            ended = infos["_episode"]
            assert equal(ended, terminated | truncated)
            assert infos["episode"]["r"][ended].tolist() == rewards[ended].tolist()
        returns += rewards.sum()
        if mode == "Disabled" and terminated.any():
            env.reset(options={"reset_mask": terminated})
    assert env.episode_count > 8


# State


def copies(env: Any) -> Iterator[Any]:
    """The env by every road: each must go on as the env itself does."""
    yield pickle.loads(pickle.dumps(env))
    yield copy.deepcopy(env)
    yield env.clone()
    fresh = copy.deepcopy(env)
    fresh.reset(seed=99)
    fresh.set_state(env.get_state())
    yield fresh


@every_game
@pytest.mark.parametrize("kwargs", [{}, {"mode": "text"}, {"text": True, "max_turns": 3}])
def test_a_copy_goes_on_as_the_env_does(game: str, kwargs: dict[str, Any]) -> None:
    env = make(game, random_move_prob=0.3, render_mode="ansi", **kwargs)
    env.np_random  # noqa: B018, seeds it
    for other in list(copies(env)):
        assert equal(other.reset(), env.clone().reset())
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        action: Any = legal(env.action_masks(), rng)
        if env.mode == "text":
            action = said(env, action)
        posed = list(copies(env))
        after = env.step(action)
        for other in posed:
            assert equal(other.step(action), after)
            assert other.render() == env.render()
            assert other.state == env.state
        over = after[2] or after[3]
    ended = list(copies(env))
    following = env.reset()
    for other in ended:
        with pytest.raises(ResetNeeded):
            other.step("0" if env.mode == "text" else 0)
        assert equal(other.reset(), following)


@every_game
@every_mode
def test_copies_of_a_vector_env_go_on_as_it_does(game: str, mode: str) -> None:
    ours = make_vec(game, autoreset_mode=mode, random_move_prob=0.3)
    ours.np_random  # noqa: B018, seeds them
    for other in list(copies(ours)):
        assert equal(other.reset(), ours.clone().reset())
    ours.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(8):
        actions = np.array([legal(mask, rng) if mask.any() else 0 for mask in ours.action_masks()])
        posed = list(copies(ours))
        after = ours.step(actions)
        for other in posed:
            assert equal(other.step(actions), after)
        over = after[2] | after[3]
        if mode == "Disabled" and over.any():
            ours.reset(options={"reset_mask": over})


def test_copies_share_the_solved_game() -> None:
    env = make(TTT)
    assert env.clone().game is env.game
    assert make_vec(TTT).clone().game == env.game


def test_a_state_of_another_game_is_refused() -> None:
    env, ours = make(TTT), make_vec(TTT)
    env.reset(seed=0)
    ours.reset(seed=0)
    other = make(TTT, params={"rows": 4})
    other.reset(seed=1)
    before = other.get_state()
    with pytest.raises(reasonenv.ReasonEnvError, match="another game"):
        other.set_state(env.get_state())
    assert other.get_state() == before
    with pytest.raises(reasonenv.ReasonEnvError, match="it is of 3 envs, where these are 2"):
        make_vec(TTT, 2).set_state(ours.get_state())


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b'{"np_random": 1}', b"null"])
def test_a_damaged_state_is_refused(state: bytes) -> None:
    for env in (make(), make_vec()):
        with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
            env.set_state(state)


KINDS: list[Any] = [None, True, -1, 1.5, 10**30, "x", [], [None], {}, {"a": []}]


@pytest.mark.parametrize("make_one", [make, make_vec])
def test_a_state_with_a_field_of_another_kind_is_refused(make_one: Any) -> None:
    env = make_one()
    env.reset(seed=0)
    before = env.get_state()
    for field in json.loads(before):
        for junk in KINDS:
            damaged = json.dumps(json.loads(before) | {field: junk}).encode()
            try:
                env.set_state(damaged)
            except reasonenv.ReasonEnvError:
                assert env.get_state() == before, f"{field}: {junk!r} was refused, but changed something"
            else:
                env.set_state(before)
    with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
        env.set_state(b"[" * 100_000)


# Documentation


def run_python(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def test_the_guide_and_the_example_run() -> None:
    root = pathlib.Path(__file__).parent.parent
    guide = (root / "docs" / "games.md").read_text(encoding="utf-8")
    guide = guide.partition("<!-- optional -->")[0]
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) > 5
    run_python("\n".join(blocks))
    run_python((root / "examples" / "game_loop.py").read_text(encoding="utf-8"))


def test_infos_may_hold_masks_alone() -> None:
    for mode in ("NextStep", "SameStep"):
        full, lean = (
            gymnasium.make_vec(envs.env_id("nim"), 64, autoreset_mode=mode, episode_infos=told)
            for told in (True, False)
        )
        (_, infos), (_, lean_infos) = full.reset(seed=1), lean.reset(seed=1)
        assert set(lean_infos) == {"action_mask", "_action_mask"} < set(infos)
        for _ in range(20):
            actions = infos["action_mask"].argmax(1)
            seen, rewards, *_, infos = full.step(actions)
            lean_seen, lean_rewards, *_, lean_infos = lean.step(actions)
            np.testing.assert_array_equal(lean_seen, seen)
            np.testing.assert_array_equal(lean_rewards, rewards)
            np.testing.assert_array_equal(lean_infos["action_mask"], infos["action_mask"])
            assert ("final_obs" in lean_infos) == ("final_obs" in infos)
            assert "winner" not in lean_infos
    with pytest.raises(reasonenv.ReasonEnvError, match="episode_infos"):
        gymnasium.make_vec(envs.env_id("nim"), 4, episode_infos=False, analysis=True)
