"""Games as Gymnasium environments: ids, spaces, seeds, actions, arguments; loops over the registry."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import equal
from game_envs import (
    ANY,
    BEGIN,
    END,
    GAMES,
    ILLEGAL,
    NO_ACTIONS,
    STEP,
    STRANGE,
    TTT,
    alternates,
    finish,
    legal,
    make,
    make_vec,
    said,
)
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from reasonenv import envs
from reasonenv.envs import GameEnv, GameVectorEnv
from reasonenv.errors import InvalidArgument


def test_games_are_registered_as_their_version_says() -> None:
    for game in GAMES:
        name = envs.env_id(game)
        camel_case, version = name.removeprefix("reasonenv/").split("-v")
        assert camel_case.lower() == game.replace("_", "")
        assert int(version) == reasonenv.game(game).version
        assert gymnasium.registry[name].entry_point == "reasonenv.envs._make:game_env"


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


def test_the_spec_has_a_limit_that_no_game_reaches(game: str) -> None:
    rng, longest = np.random.default_rng(0), reasonenv.game(game).longest_plies
    assert reasonenv.game(game).max_plies <= longest
    setups: list[dict[str, Any]] = [{}, {"mode": "text"}, {"illegal": "penalty"}, {"opponent": "self"}]
    for kwargs in setups:
        env: Any = gymnasium.make(envs.env_id(game), **kwargs)
        limit = env.spec.max_episode_steps
        assert limit == longest + 4
        for seed in range(3):
            env.reset(seed=seed)
            terminated = truncated = False
            steps = 0
            while not (terminated or truncated):
                action = legal(env.unwrapped.action_masks(), rng)
                act = said(env.unwrapped, action) if "mode" in kwargs else action
                _, _, terminated, truncated, _ = env.step(act)
                steps += 1
            assert (terminated, truncated) == (True, False)
            assert steps <= env.unwrapped.game.max_plies < limit
    # A learner that wastes turns is cut off by the env, not by the wrapper.
    env = gymnasium.make(envs.env_id(game), illegal="penalty")
    many = make_vec(game, 2, illegal="penalty")
    env.reset(seed=0)
    many.reset(seed=0)
    most, truncated = env.unwrapped.max_turns, False
    for turn in range(most):
        assert not truncated
        _, _, _, truncated, _ = env.step(-1)
        assert many.step([-1, -1])[3].tolist() == [turn == most - 1] * 2
    assert truncated


@pytest.mark.parametrize("mode", ["numeric", "text"])
def test_check_env_passes_without_a_warning(game: str, mode: str) -> None:
    check_env(make(game, mode=mode))


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
            assert env.state.current_player == info.get("seat", env.episode_info["seat"])
            seen, reward, terminated, truncated, info = env.step(env.action_space.sample(mask))
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert not truncated
            if terminated:
                assert set(info) == STEP | END | {"result", "action_mask"}
                assert seen in env.observation_space
                assert not info["action_mask"].any()
                returns = env.state.returns
                assert returns is not None
                assert reward == info["result"] == returns[env.episode_info["seat"]]
                break
            assert set(info) == STEP | {"action_mask"}
            assert reward == 0.0
        assert terminated


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
            with pytest.raises(InvalidArgument, match=r'options\["episode"\]` is .*, but must be'):
                made.reset(options={"episode": wrong})
        with pytest.raises(reasonenv.ReasonEnvError, match="no option `episod`; did you mean `episode`"):
            made.reset(options={"episod": 1})
        with pytest.raises(InvalidArgument, match="`options` is 3"):
            made.reset(options=3)  # type: ignore[arg-type]


def test_seats_and_starts(game: str) -> None:
    for seat, player in (("first", 0), ("second", 1)):
        env = make(game, seat=seat)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(10)} == {player}
    seats = [make(game).reset(seed=seed)[1]["seat"] for seed in range(200)]
    assert 60 < sum(seats) < 140
    env = make(game, opening_plies=2)
    env.reset(seed=0)
    assert len(env.state.moves) >= 2 or env.state.is_over


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
            assert info["fault"] == env.episode_info["fault"]
        if terminated:
            assert (info["result"], info["winner"]) == (-1.0, 1 - env.episode_info["seat"])
            with pytest.raises(ResetNeeded, match="reset"):
                env.step(0 if mode == "numeric" else "0")


@pytest.mark.parametrize("mode", ["numeric", "text"])
def test_what_is_no_action_raises_and_changes_nothing(game: str, mode: str) -> None:
    env = make(game, mode=mode)
    env.reset(seed=0)
    before = env.get_state()
    for action in [*NO_ACTIONS, *(["0", "\ud800"] if mode == "numeric" else [0, np.array(0)])]:
        with pytest.raises(InvalidArgument, match="but must be a"):
            env.step(action)
        assert env.get_state() == before
    many = make_vec(game, 2)
    many.reset(seed=0)
    before = many.get_state()
    for action in [*NO_ACTIONS, "0", np.array([0])]:
        with pytest.raises(InvalidArgument, match=r"actions(\[1\])?` (is|are) .*but must be"):
            many.step([0, action])
        assert many.get_state() == before
    whole: list[Any] = [np.zeros(2), np.zeros((2, 1), np.int64), np.zeros(2, bool), "00", 0, None]
    for actions in whole:
        with pytest.raises(InvalidArgument, match="actions"):
            many.step(actions)
        assert many.get_state() == before


def test_an_array_of_one_number_is_that_number() -> None:
    for kind in (int, np.int8, np.uint64, np.array, lambda n: np.array([n])):
        env = make(TTT, seat="first", opponent="random")
        env.reset(seed=0)
        env.step(kind(4))
        assert env.state.moves[0] == 4


def test_turns_run_out(game: str) -> None:
    env = make(game, illegal="penalty", invalid_penalty=-0.5, max_turns=3)
    env.reset(seed=0)
    rewards = [env.step(-1)[1:4] for _ in range(3)]
    assert rewards == [(-0.5, False, False), (-0.5, False, False), (-0.5, False, True)]
    with pytest.raises(ResetNeeded):
        env.step(0)
    longest = reasonenv.game(game).max_plies
    most = -(-longest // 2) if alternates(game) else longest
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
        ({"mode": "txt"}, "unknown mode 'txt'; did you mean 'text'?"),
        ({"opponent": "minmax"}, "minmax"),
        ({"random_move_prob": 1.5}, "`random_move_prob` is 1.5, but must be a number between 0 and 1"),
        ({"min_random_move_prob": 0.5}, "give both min_random_move_prob and max_random_move_prob"),
        ({"min_random_move_prob": 0.5, "max_random_move_prob": 0.2}, "`max_random_move_prob` is 0.2"),
        ({"num_groups": 4}, "`num_groups` is 4"),
        (
            {"min_random_move_prob": 0.1, "max_random_move_prob": 0.2, "random_move_prob": 0.1},
            "must be 0",
        ),
        ({"seat": "third"}, "unknown seat 'third'; choose 'first', 'second' or 'random'"),
        ({"illegal": "ignore"}, "unknown illegal 'ignore'"),
        ({"max_turns": 0}, "`max_turns` is 0"),
        ({"opening_plies": 99}, "`opening_plies` is 99"),
        ({"reward": "win"}, "unknown reward 'win'"),
        ({"think": "required"}, "of mode"),
        ({"mode": "text", "think": "always"}, "unknown think 'always'"),
        ({"mode": "text", "reward_weights": {"formt": 1}}, "no reward weight `formt`; did you mean `format`"),
        ({"mode": "text", "text": True}, "`text` is True"),
        ({"params": {"no_such_param": 1}}, "no_such_param"),
        ({"params": [1]}, "`params` is [1], but must be a dict"),
        ({"game": "\ud800"}, "no game"),
        ({"game": 5}, "`name` is 5, but must be a str"),
        ({"seat": ["first"]}, "`seat` is ['first']"),
        ({"num_groups": 1.5}, "`num_groups` is 1.5, but must be a whole number"),
        ({"max_turns": 2.5}, "`max_turns` is 2.5, but must be a whole number"),
        ({"max_turns": -1}, "`max_turns` is -1"),
        ({"max_turns": 10**12}, "`max_turns` is 1000000000000"),
        ({"opening_plies": 0.5}, "`opening_plies` is 0.5"),
        ({"exact_plies": -1}, "`exact_plies` is -1"),
        ({"random_move_prob": float("nan")}, "`random_move_prob` is nan"),
        ({"random_move_prob": "x"}, "`random_move_prob` is 'x', but must be a number"),
        (
            {"min_random_move_prob": float("nan"), "max_random_move_prob": 1.0},
            "`min_random_move_prob` is nan",
        ),
        ({"blunder_prob": float("nan")}, "`blunder_prob` is nan"),
        ({"invalid_penalty": float("nan")}, "`invalid_penalty` is nan"),
        ({"invalid_penalty": "x"}, "`invalid_penalty` is 'x'"),
        ({"mode": "text", "reward_weights": {"format": float("nan")}}, "`reward_weights['format']` is nan"),
        ({"mode": "text", "reward_weights": {"format": float("inf")}}, "`reward_weights['format']` is inf"),
        ({"mode": "text", "reward_weights": {"format": "1"}}, "`reward_weights['format']` is '1'"),
        ({"opponent": "\ud800"}, "no opponent"),
    ],
)
def test_a_wrong_argument_is_named_when_making(kwargs: dict[str, Any], says: str) -> None:
    for construct in (GameEnv, GameVectorEnv):
        with pytest.raises(reasonenv.ReasonEnvError) as error:
            construct(**{"game": ANY, **kwargs})
        assert says in str(error.value)


def test_a_vector_env_names_its_own_wrong_arguments() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=r"gymnasium\.make"):
        make_vec(mode="text")
    with pytest.raises(InvalidArgument, match=r"`max_episode_steps` is 2\.5"):
        make_vec(max_episode_steps=2.5)
