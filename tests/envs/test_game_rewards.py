"""Opponents of game environments, rewards and exact values; loops over the registry."""

import warnings
from typing import Any

import numpy as np
import pytest
import reasonenv
from env_checks import equal
from game_envs import BEGIN, EXACT, TTT, legal, make, make_vec, said, small, valued
from reasonenv.errors import InvalidArgument, InvalidOpponent, SlowAnalysis


def test_the_default_opponent_is_the_strongest_that_replies_at_once(game: str) -> None:
    unit, env = reasonenv.game(game), make(game)
    assert isinstance(env.opponent, reasonenv.arena.Opponent)
    if unit.has_hidden_information:
        assert env.opponent.name in ("equilibrium", "random")
    else:
        assert env.opponent.name == ("minimax" if unit.solves_instantly else "heuristic")
    assert env.opponent.name == unit.default_opponent
    if not (unit.has_hidden_information or unit.unsolvable_reason):
        # Settings that need exact values imply exact play.
        for dials in ({"exact_plies": 4}, {"blunder_prob": 0.5}):
            asked = make(game, **dials).opponent
            assert isinstance(asked, reasonenv.arena.Opponent)
            assert asked.name == "minimax"


def test_a_callable_plays_as_the_same_opponent_in_rust(game: str) -> None:
    unit = reasonenv.game(game)
    opponent = make(game).opponent
    assert isinstance(opponent, reasonenv.arena.Opponent)
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


def test_a_callable_is_held_to_the_rules(game: str) -> None:
    for wrong in (10**6, -1, "0", None, 0.0):
        env = make(game, seat="second", opponent=lambda _, wrong=wrong: wrong)
        with pytest.raises(InvalidOpponent, match=r"the opponent played .* but must play one of"):
            env.reset(seed=0)
    with pytest.raises(InvalidOpponent, match="random_move_prob cannot be set"):
        make(game, opponent=lambda _: 0, random_move_prob=0.5)
    with pytest.raises(InvalidOpponent, match="are for opponents given by name"):
        make(game, opponent=lambda _: 0, min_random_move_prob=0.0, max_random_move_prob=1.0)
    with pytest.raises(InvalidArgument, match="`opponent` is 5"):
        make(game, opponent=5)


def test_an_opponent_of_another_game_is_refused() -> None:
    other = reasonenv.game(TTT, {"rows": 4}).opponent("random")
    with pytest.raises(InvalidOpponent, match="the opponent plays"):
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


def test_results_are_the_start_less_regret(game: str) -> None:
    params = small(game)
    exact: dict[str, Any] = {"params": params, "analysis_plies": reasonenv.game(game).longest_plies}
    rng, env = np.random.default_rng(0), make(game, analysis=True, **exact)
    regret = make(game, reward="regret", **exact)
    luck_free = make(game, reward="luck_free", **exact)
    mistakes = 0
    for seed in range(30):
        _, begin = env.reset(seed=seed)
        assert set(begin) == BEGIN | {"action_mask", "start_value", "start_exact"}
        assert begin["start_exact"]
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
                assert info["exact"]
                assert info["blunder"] == (info["regret"] > 0)
                assert info["forced"] == (len(values) == 1)
                total += info["regret"]
                assert shaped[1] == -info["regret"]
            assert over or final[1] == 0.0
        mistakes += total > 0
        assert info["total_regret"] == -paid
        assert info["total_exact"]
        assert final[1] == begin["start_value"] - info["total_regret"]
        outcome = np.sign(info["result"])
        assert outcome == begin["start_value"] - info["total_regret"] + info["opponent_regret"]
    assert mistakes > 3


def test_what_is_not_solved_is_guessed_and_said_to_be(game: str) -> None:
    valued(game)
    state = reasonenv.game(game).start()
    for most in (0, 3, 12):
        env, rng = valued(game, analysis_plies=most, opponent="random"), np.random.default_rng(0)
        for seed in range(20):
            _, info = env.reset(seed=seed)
            all_exact = info["start_exact"]
            over = False
            while not over:
                state, action = env.state, legal(env.action_masks(), rng)
                _, _, over, _, info = env.step(action)
                all_exact &= info["exact"]
                if info["exact"]:
                    values = state.values()
                    best = max(value.outcome for value in values.values())
                    assert info["regret"] == best - values[action].outcome
                else:
                    assert most < reasonenv.game(game).max_plies
            assert all_exact or not info["total_exact"]


def test_a_large_game_is_exact_in_its_book_and_towards_its_end() -> None:
    env, rng = make("connect_four", analysis=True, seat="first"), np.random.default_rng(0)
    exact: dict[int, set[bool]] = {}
    for seed in range(6):
        _, info = env.reset(seed=seed)
        assert info["start_exact"], "the book knows the start"
        over = False
        while not over:
            played, action = len(env.state.moves), legal(env.action_masks(), rng)
            _, _, over, _, info = env.step(action)
            exact.setdefault(played, set()).add(info["exact"])
    assert exact[0] == exact[20] == {True}
    assert exact[10] == {False}, "ten discs are beyond the book, and leave too much to solve"


def test_a_slow_analysis_is_warned_of_once() -> None:
    params = {"rows": 6, "columns": 6}
    kwargs: dict[str, Any] = {
        "params": params,
        "opening_plies": 8,
        "analysis_plies": 36,
        "opponent": "random",
    }
    env, rng = make("connect_four", reward="regret", **kwargs), np.random.default_rng(0)

    def warnings_of(seeds: range) -> list[str]:
        """Warnings about the first step of each episode."""
        said = []
        for seed in seeds:
            env.reset(seed=seed)
            before, action = env.get_state(), legal(env.action_masks(), rng)
            try:
                env.step(action)
            except SlowAnalysis as warning:
                said.append(str(warning))
                assert env.get_state() == before, "a warning that is made an error changes nothing either"
                env.step(action)
        return said

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (said,) = warnings_of(range(20))
    assert "steps of connect_four take more than a millisecond" in said


def test_regret_is_refused_where_there_are_no_exact_values(game: str) -> None:
    unit = reasonenv.game(game)
    if not (unit.has_hidden_information or unit.unsolvable_reason):
        pytest.skip("it has exact values")
    for kwargs in ({"analysis": True}, {"reward": "regret"}, {"reward": "luck_free"}):
        with pytest.raises(InvalidOpponent):
            make(game, **kwargs)
        if not unit.has_hidden_information:
            assert make(game, **kwargs, analysis_plies=4), "the end of it can be solved"


def test_tactics_are_named() -> None:
    env = valued(TTT, seat="first", opponent=lambda state: state.legal_actions()[0])
    env.reset(seed=0)
    env.step(4)  # O takes 0
    info = env.step(8)[4]  # O takes 1 and threatens 2
    assert not info["blunder"]
    info = env.step(5)[4]  # O takes 2
    assert info["missed_block"] or info["missed_win"]
    assert info["result"] == -1.0
