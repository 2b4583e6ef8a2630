"""The learner has every seat: `opponent="self"`, single, batched and in text; loops over the registry."""

import pickle
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import copies, equal, every_mode, make_sync
from game_envs import TTT, finish, legal, make, make_vec, said
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from reasonenv import pettingzoo
from reasonenv.envs import env_id
from reasonenv.errors import InvalidOpponent, UnknownName


def test_every_step_is_of_the_player_to_move(game: str) -> None:
    env, rng = make(game, opponent="self"), np.random.default_rng(0)
    movers = set()
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        assert "seat" not in info
        over = False
        while not over:
            state, mover = env.state, info["current_player"]
            assert type(mover) is int
            assert mover == state.current_player
            movers.add(mover)
            np.testing.assert_array_equal(observation, state.observation(mover))
            np.testing.assert_array_equal(info["action_mask"], state.action_mask())
            action = legal(info["action_mask"], rng)
            observation, reward, over, truncated, info = env.step(action)
            assert not truncated
            state.apply(action)
            assert state.returns is None or over
        assert info["current_player"] == -1
        assert not info["action_mask"].any()
        assert info["returns"].dtype == np.float64
        assert info["returns"].tolist() == state.returns
        assert reward == info["result"] == info["returns"][mover]
        np.testing.assert_array_equal(observation, state.observation(mover))
    assert movers == {0, 1}


@every_mode
@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"illegal": "penalty", "max_turns": 5},
        {"opening_plies": 1},
        {"analysis": True, "reward": "regret"},
    ],
    ids=lambda kwargs: "-".join(kwargs) or "plain",
)
def test_a_vector_env_is_its_single_envs(game: str, mode: str, kwargs: dict[str, Any]) -> None:
    kwargs = {"opponent": "self", **kwargs}
    if "analysis" in kwargs:
        try:
            make(game, **kwargs)
        except InvalidOpponent as error:
            pytest.skip(str(error))
    ours, sync = make_vec(game, 4, autoreset_mode=mode, **kwargs), make_sync(game, 4, mode, **kwargs)
    assert equal(ours.reset(seed=5), sync.reset(seed=5))
    rng, count, ends = np.random.default_rng(0), reasonenv.game(game).action_count, 0
    for _ in range(30):
        masks = ours.action_masks()
        actions = [
            legal(mask, rng) if mask.any() and rng.random() < 0.95 else int(rng.integers(-2, count + 2))
            for mask in masks
        ]
        one, other = ours.step(actions), sync.step(np.array(actions))
        assert equal(one, other)
        assert one[4]["current_player"].dtype == np.int64
        over = one[2] | one[3]
        ends += over.sum()
        if mode == "Disabled" and over.any():
            some = {"reset_mask": over}
            assert equal(ours.reset(options=some), sync.reset(options=dict(some)))
    assert ends > 0


@every_mode
def test_vector_returns_stand_where_games_ended(mode: str) -> None:
    many, rng = make_vec(TTT, 16, opponent="self", autoreset_mode=mode), np.random.default_rng(0)
    _, infos = many.reset(seed=0)
    assert infos["current_player"].tolist() == [0] * 16
    seen = 0
    for _ in range(9):
        movers = infos["current_player"]
        _, rewards, terminated, _, infos = many.step(
            [legal(m, rng) if m.any() else 0 for m in many.action_masks()]
        )
        if not terminated.any():
            assert "returns" not in infos
            continue
        told = infos["final_info"] if mode == "SameStep" else infos
        assert told["returns"].shape == (16, 2)
        assert told["_returns"].tolist() == terminated.tolist()
        assert (told["returns"][terminated].sum(1) == 0).all()
        assert (told["returns"][~terminated] == 0).all()
        ended = np.flatnonzero(terminated)
        assert told["returns"][ended, movers[ended]].tolist() == rewards[ended].tolist()
        assert (told["current_player"][ended] == -1).all()
        seen += len(ended)
        if mode == "Disabled":
            break
    assert seen >= (1 if mode == "Disabled" else 16)


@pytest.mark.parametrize("mode", ["numeric", "text"])
def test_copies_go_on_as_the_env_does(game: str, mode: str) -> None:
    env, rng = make(game, opponent="self", mode=mode), np.random.default_rng(0)
    env.reset(seed=3)
    over = False
    while not over:
        action: Any = legal(env.action_masks(), rng)
        if mode == "text":
            action = said(env, action)
        others = list(copies(env))
        after = env.step(action)
        for other in others:
            assert equal(other.step(action), after)
            assert other.get_state() == env.get_state()
        over = after[2] or after[3]
    many = make_vec(game, 4, opponent="self")
    many.reset(seed=3)
    for _ in range(6):
        actions = [legal(mask, rng) if mask.any() else 0 for mask in many.action_masks()]
        many_others = list(copies(many))
        stepped = many.step(actions)
        for other in many_others:
            assert equal(other.step(actions), stepped)


def test_gymnasiums_checks_pass(game: str) -> None:
    for mode in ("numeric", "text"):
        check_env(make(game, opponent="self", mode=mode, render_mode="ansi"), skip_render_check=True)


def test_what_is_rendered_keeps_one_point_of_view(game: str) -> None:
    env = make(game, opponent="self", render_mode="ansi")
    env.reset(seed=0)
    over = False
    while not over:
        state = env.state
        assert env.render() == state.text(
            (state.current_player or 0) if state.game.has_hidden_information else 0
        )
        over = env.step(env.action_masks().argmax())[2]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_marks_never_swap(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    aec = pettingzoo.GameAECEnv(name, render_mode="ansi")
    aec.reset(seed=0)
    one = make(name, opponent="self", render_mode="ansi")
    shown = make(name, opponent="self", render_mode="human")
    many = make_vec(name, 2, opponent="self", render_mode="ansi")
    for env in (one, shown, many):
        env.reset(seed=0)
    for ply in range(1, 5):
        capsys.readouterr()
        aec.step(ply)
        one.step(ply)
        shown.step(ply)
        many.step([ply, ply])
        for frame in (aec.render(), one.render(), capsys.readouterr().out, *(many.render() or ())):
            assert (frame.count("X"), frame.count("O")) == ((ply + 1) // 2, ply // 2)
            assert frame.index("X") < (frame.index("O") if ply > 1 else len(frame))


def test_text_is_to_the_player_to_move(game: str) -> None:
    env, rng = make(game, opponent="self", mode="text"), np.random.default_rng(0)
    for seed in range(5):
        message, info = env.reset(seed=seed)
        assert "You play for both players in turn." in info["instructions"]
        over = False
        while not over:
            mover, state = info["current_player"], env.state
            assert state.text(mover) in message
            assert message.endswith("Your turn.")
            action = legal(state.action_mask(), rng)
            message, _, over, _, info = env.step(said(env, action))
            if not over and info["current_player"] != mover:
                assert "The opponent played " in message
                assert state.action_name(action) in message
        assert info["status"] in ("won", "drawn", "lost")
        assert (info["status"] == "drawn") == (info["winner"] == -1)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidOpponent, match="`seat` names a seat"):
        make(TTT, opponent="self", seat="first")
    with pytest.raises(InvalidOpponent, match="random_move_prob cannot be set where the learner"):
        make(TTT, opponent="self", random_move_prob=0.5)
    with pytest.raises(InvalidOpponent, match="are for opponents given by name"):
        make(TTT, opponent="self", min_random_move_prob=0.0, max_random_move_prob=1.0)
    with pytest.raises(UnknownName, match="self"):
        make(TTT, opponent="elf")


def test_it_survives_ids_specs_and_wrappers() -> None:
    env = gymnasium.make(env_id(TTT), opponent="self")
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=1), again.reset(seed=1))
    assert pickle.loads(pickle.dumps(env)).unwrapped.opponent == "self"
    many = RecordEpisodeStatistics(make_vec(TTT, 4, opponent="self", autoreset_mode="SameStep"))
    _, infos = many.reset(seed=0)
    for _ in range(20):
        infos = many.step(infos["action_mask"].argmax(1))[4]
    assert many.episode_count >= 8
    lean = make_vec(TTT, 4, opponent="self", episode_infos=False)
    assert "current_player" in lean.reset(seed=0)[1]


def test_the_table_of_the_example_learns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Path(__file__).parents[2] / "examples/selfplay_tabular.py"
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    said = capsys.readouterr().out
    lost = re.findall(r"([\d.]+)% lost against (\w+)", said)
    assert [who for _, who in lost] == ["random", "minimax"] * 2, said
    before, after = ([float(share) for share, _ in lost[at : at + 2]] for at in (0, 2))
    assert before[0] > 20, said
    assert before[1] > 60, said
    assert after[0] < 2, said
    assert after[1] < 2, said


def test_each_player_gives_away_its_own() -> None:
    env, rng = make(TTT, opponent="self", analysis=True, reward="regret"), np.random.default_rng(0)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert (info["start_value"], info["start_exact"]) == (0, True)
        gave, mover, paid = [0.0, 0.0], info["current_player"], 0.0
        for _, reward, _, _, info in finish(env, rng):
            gave[mover] += info["regret"]
            paid += reward
            mover = info["current_player"]
        assert info["regrets"].tolist() == gave
        assert paid == -sum(gave)
        assert info["returns"][0] == np.sign(gave[1] - gave[0])
