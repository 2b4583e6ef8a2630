"""Round robins, ratings and exact tables, over every game."""

import json
import math

import pytest
import reasonenv
from reasonenv import arena
from reasonenv._native import State
from reasonenv.errors import InvalidArgument, InvalidOpponent, UnknownName, Unsolved

TIC_TAC_TOE = reasonenv.game("tic_tac_toe")


def test_every_game_has_a_round_robin_of_all_it_can_play(game: str) -> None:
    unit = reasonenv.game(game)
    able = arena.fast_opponents(unit)
    assert "random" in able
    assert unit.default_opponent in arena.available_opponents(unit)
    policies = [*able[:4], "first_legal", "random:0.5"]
    table = arena.round_robin(unit, policies, games=4, seed=3)
    assert {standing.policy for standing in table.standings} == set(policies)
    assert len(table.pairings) == len(policies) * (len(policies) - 1) // 2
    assert all(pairing.games == 4 and sum(pairing.first) == 2 for pairing in table.pairings)
    assert all(standing.games == 4 * (len(policies) - 1) for standing in table.standings)
    assert sum(standing.elo for standing in table.standings) == pytest.approx(0, abs=1e-3)
    assert sum(standing.mean_return for standing in table.standings) == pytest.approx(0, abs=1e-5)
    ratings = [standing.elo for standing in table.standings]
    assert ratings == sorted(ratings, reverse=True)
    assert table == arena.round_robin(unit, policies, games=4, seed=3)
    assert json.loads(json.dumps(table.to_dict()))["game"] == game


def test_what_a_game_cannot_have_is_refused_and_what_it_can_is_not(game: str) -> None:
    unit = reasonenv.game(game)
    for opponent in set(reasonenv.arena.list_opponents()) - set(arena.available_opponents(unit)):
        with pytest.raises(reasonenv.errors.InvalidOpponent, match=game):
            arena.make_policy(unit, opponent)
    for opponent in arena.fast_opponents(unit):
        assert arena.make_policy(unit, opponent)(unit.start(1)) in unit.start(1).legal_actions()


def test_the_stronger_is_rated_higher() -> None:
    table = arena.round_robin(TIC_TAC_TOE, ["random", "minimax:0.5", "minimax", "heuristic"], games=200)
    assert [standing.policy for standing in table.standings] == [
        "minimax",
        "heuristic",
        "minimax:0.5",
        "random",
    ]
    assert table.pairing("minimax", "random").losses == 0


def test_stakes_decide_the_order_where_there_are_stakes() -> None:
    def timid(state: reasonenv.State) -> int:
        """Bets a king and nothing else, calls with it, and passes otherwise."""
        king = state.text(state.current_player or 0).startswith("Your card: king")
        return 1 if king else 0

    poker = reasonenv.game("kuhn_poker")
    assert poker.has_stakes
    table = arena.round_robin(
        poker, {"timid": timid, "equilibrium": "equilibrium", "random": "random"}, games=600
    )
    assert table.ranked_by == table.to_dict()["ranked_by"] == "mean_return"
    means = [standing.mean_return for standing in table.standings]
    assert means == sorted(means, reverse=True)
    assert table.standings[0].policy == "equilibrium"
    plain = arena.round_robin(TIC_TAC_TOE, ["random", "heuristic"], games=10)
    assert plain.ranked_by == "elo"
    assert not TIC_TAC_TOE.has_stakes


def test_a_pairing_can_be_seen_from_either_side() -> None:
    table = arena.round_robin(TIC_TAC_TOE, ["random", "heuristic"], games=50, opening_plies=1)
    one, other = table.pairing("random", "heuristic"), table.pairing("heuristic", "random")
    assert (one.wins, one.draws, one.losses) == (other.losses, other.draws, other.wins)
    assert one.mean_return == -other.mean_return
    assert other.turned() == one
    assert sum(one.first) == sum(other.first) == 25
    # One of the two moved first in each game.
    assert one.first[0] + other.first[2] == one.wins
    with pytest.raises(UnknownName, match="`x` and `random` did not play each other; there are"):
        table.pairing("x", "random")


def test_any_callable_is_a_policy_and_cannot_spoil_the_game() -> None:
    def spoiler(state: State) -> int:
        action = state.legal_actions()[-1]
        state.apply(action)  # a copy of its own
        return action

    table = arena.round_robin(TIC_TAC_TOE, [spoiler, arena.first_legal], games=2)
    # The mirrored board is the same game, so the player who moves first wins.
    assert (table.pairing("spoiler", "first_legal").first, table.standings[0].wins) == ((1, 0, 0), 1)
    named = arena.round_robin(TIC_TAC_TOE, {"a": spoiler, "b": spoiler}, games=2)
    assert named.pairing("a", "b").mean_return == 0


def test_a_game_is_the_same_game_again() -> None:
    random, minimax = (arena.make_policy(TIC_TAC_TOE, name) for name in ("random", "minimax"))
    ends = [arena.play(TIC_TAC_TOE, random, minimax, seed=seed, opening_plies=2) for seed in range(20)]
    assert all(end.is_over for end in ends)
    again = [arena.play(TIC_TAC_TOE, random, minimax, seed=seed, opening_plies=2) for seed in range(20)]
    assert [end.moves for end in ends] == [end.moves for end in again]
    assert len({tuple(end.moves) for end in ends}) > 10


def test_ratings_are_those_of_the_model() -> None:
    def pairing(a: str, b: str, wins: int, draws: int, losses: int) -> arena.Pairing:
        return arena.Pairing(a, b, wins, draws, losses, (0, 0, 0), 0.0)

    # For two players the maximum-likelihood difference is 400 times the logarithm of the odds.
    ratings = arena.elo(["a", "b"], [pairing("a", "b", 60, 20, 20)], prior=1e-9)
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * math.log10(70 / 30), abs=1e-3)
    even = arena.elo(["a", "b"], [pairing("a", "b", 5, 3, 5)])
    assert even == {"a": 0.0, "b": 0.0}
    # A policy that never lost has a finite rating, which grows with more games.
    few, many = (arena.elo(["a", "b"], [pairing("a", "b", n, 0, 0)])["a"] for n in (10, 100))
    assert 0 < few < many < 2000
    # At the maximum likelihood, the expected score of each policy equals its score.
    pairs = [pairing("a", "b", 7, 2, 1), pairing("b", "c", 6, 1, 3), pairing("a", "c", 4, 4, 2)]
    ratings = arena.elo(["a", "b", "c"], pairs)
    for name in "abc":
        got = expected = 0.0
        for each in pairs:
            if name in (each.a, each.b):
                seen = each if each.a == name else each.turned()
                got += seen.wins + seen.draws / 2 + 0.5
                expected += 11 / (1 + 10 ** ((ratings[seen.b] - ratings[name]) / 400))
        assert got == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"games": 3}, "`games` is 3, but must be an even number"),
        ({"games": 0}, "`games` is 0, but must be an even number"),
        ({"policies": ["random"]}, "`policies` has 1, but a round robin takes at least 2"),
        ({"policies": ["random", "random"]}, "two policies are called `random`"),
        ({"policies": ["random", "minmax"]}, "no policy `minmax`; did you mean `minimax`?"),
        ({"policies": ["random", "minimax:x"]}, "P is `x`, but must be a number between 0 and 1"),
        ({"policies": ["random", "minimax:2"]}, "`random_move_prob` is 2, but must be between 0 and 1"),
        ({"policies": ["random", "minimax@x"]}, "N is `x`, but must be a number of plies"),
        ({"policies": ["random", "mcts@x"]}, "N is `x`, but must be a number of playouts, as in `mcts@200`"),
        ({"policies": ["random", "mcts@0"]}, "`playouts` is 0, but must be"),
        ({"policies": ["random", "first_legal:0.1"]}, "`first_legal` takes no number"),
        ({"policies": ["random", lambda _: 99]}, "plays O played 99: action 99 is not legal here"),
        (
            {"policies": ["random", lambda _: "x"]},
            "plays O played 'x': `action` is 'x', but must be a whole number",
        ),
    ],
)
def test_mistakes_say_what_would_be_right(ask: dict[str, object], message: str) -> None:
    given = {"policies": ["random", "minimax"], "games": 2, **ask}
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        arena.round_robin(TIC_TAC_TOE, **given)  # type: ignore[arg-type]


def test_progress_is_told_after_each_pair() -> None:
    told: list[tuple[int, int, str]] = []
    arena.round_robin(
        TIC_TAC_TOE, ["random", "minimax", "heuristic"], 2, on_progress=lambda *now: told.append(now)
    )
    assert told == [(1, 3, "random, minimax"), (2, 3, "random, heuristic"), (3, 3, "minimax, heuristic")]


def test_opponents_of_exact_tables_may_be_named() -> None:
    game = reasonenv.game("tic_tac_toe")
    assert game.calibrate("random") == game.calibrate(game.opponent("random"))
    assert game.duel("minimax", "random") == game.duel(game.opponent("minimax"), game.opponent("random"))
    poker = reasonenv.game("kuhn_poker")
    assert poker.exploitability("random") == poker.exploitability(poker.opponent("random")) > 0.1
    with pytest.raises(UnknownName, match="no opponent `randm`; did you mean `random`"):
        game.calibrate("randm")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="`opponent` is 3, but must be an opponent or the name"):
        game.calibrate(3)  # type: ignore[arg-type]


def test_exact_tables_say_when_they_cannot_be_had() -> None:
    with pytest.raises(Unsolved):
        arena.calibration(TIC_TAC_TOE, [0.5], max_positions=3)
    with pytest.raises(InvalidOpponent, match="equilibrium"):
        arena.calibration(TIC_TAC_TOE, [0.5], "equilibrium")
    table = arena.calibration(TIC_TAC_TOE, [1.0], "random")
    win, draw, loss, mean = table[1.0]["random"]
    assert (win, win + draw + loss, mean) == pytest.approx((loss, 1, 0))
