"""Opponents behave as documented: uniform, unbiased, independent of history, and as strong as computed."""

import itertools
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import arena
from reasonenv._native import Episodes, Opponent, State
from reasonenv.errors import InvalidOpponent, Unsolved
from reasonenv.types import OpponentName

GAME = reasonenv.game("tic_tac_toe")
Sequence = tuple[int, ...]

CHI_SQUARE = {
    # Exceeded with probability 0.001, by degrees of freedom: the table of any statistics book.
    1: 10.83,
    2: 13.82,
    3: 16.27,
    4: 18.47,
    5: 20.52,
    6: 22.46,
    7: 24.32,
    8: 26.12,
    15: 37.70,
    24: 51.18,
    35: 66.62,
    48: 84.04,
    63: 103.44,
    80: 124.84,
}

# Positions with several best moves, by the moves that lead there: from the empty board to four marks.
POSITIONS: list[Sequence] = [(), (4,), (1,), (0, 4), (4, 0), (4, 0, 8), (4, 1, 0, 8)]


def at(moves: Iterable[int], seed: int = 0) -> State:
    state = GAME.start(seed)
    for move in moves:
        state.apply(move)
    return state


def key(state: State) -> bytes:
    return state.observation(0).tobytes()


def decisions() -> list[Sequence]:
    """A line of moves to every position that is not over."""
    ways: dict[bytes, Sequence] = {}
    ahead: list[Sequence] = [()]
    while ahead:
        moves = ahead.pop()
        state = at(moves)
        if state.is_over or key(state) in ways:
            continue
        ways[key(state)] = moves
        ahead += [(*moves, action) for action in state.legal_actions()]
    return list(ways.values())


WAYS = decisions()


def statistic(counts: Counter[object], cells: int) -> float:
    """Pearson's chi-square against the uniform distribution over so many cells."""
    expected = counts.total() / cells
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + (cells - len(counts)) * expected


def choices(opponent: Opponent, state: State) -> int:
    return sum(share > 0 for share in opponent.distribution(state).values())


def test_there_are_as_many_positions_as_the_literature_counts() -> None:
    assert len(WAYS) == 4520
    best = [len(at(moves).best_actions("wdl")) for moves in WAYS]
    legal = [len(at(moves).legal_actions()) for moves in WAYS]
    several = sum(count > 1 for count in best) / len(WAYS)
    everything = sum(count == whole for count, whole in zip(best, legal, strict=True)) / len(WAYS)
    assert (round(100 * several, 1), round(100 * everything, 1)) == (46.8, 29.4)


@pytest.mark.parametrize("name", ["random", "minimax"])
@pytest.mark.parametrize("moves", POSITIONS, ids=str)
def test_picks_are_uniform_over_seeds_and_over_pairs_of_neighbouring_seeds(
    name: OpponentName, moves: Sequence
) -> None:
    opponent = GAME.opponent(name)
    cells = choices(opponent, at(moves))
    assert cells > 1, "picks from one move say nothing"
    picks = [opponent(at(moves, seed)) for seed in range(20_000)]
    assert statistic(Counter(picks), cells) < CHI_SQUARE[cells - 1]
    pairs = Counter(zip(picks[::2], picks[1::2], strict=True))
    assert statistic(Counter(pairs), cells**2) < CHI_SQUARE[cells**2 - 1]
    # Neighbours of other distances, such as the groups of a batch have.
    for apart in (8, 64):
        blocks = np.array(picks[: 20_000 - 20_000 % (2 * apart)]).reshape(-1, 2, apart)
        ahead, behind = blocks[:, 0].ravel().tolist(), blocks[:, 1].ravel().tolist()
        assert statistic(Counter(zip(ahead, behind, strict=True)), cells**2) < CHI_SQUARE[cells**2 - 1]


def test_picks_in_two_positions_of_one_seed_are_independent() -> None:
    opponent = GAME.opponent("random")
    one, other = (0, 4), (4, 0)
    pairs = Counter((opponent(at(one, seed)), opponent(at(other, seed))) for seed in range(20_000))
    assert statistic(Counter(pairs), 49) < CHI_SQUARE[48]


def test_raising_the_probability_only_adds_random_turns() -> None:
    probabilities = (0.0, 0.05, 0.2, 0.45, 0.7, 1.0)
    opponents = [GAME.opponent(random_move_prob=p) for p in probabilities]
    strays = [0] * len(probabilities)
    tried = 0
    for seed in range(4_000):
        state = at((0, 8, 1), seed)  # one best move, five others
        replies = [opponent(state) for opponent in opponents]
        usual, stray = replies[0], replies[-1]
        assert set(replies) <= {usual, stray}
        if usual == stray:
            continue
        tried += 1
        strayed = [reply == stray for reply in replies]
        assert strayed == sorted(strayed)
        strays = [count + is_stray for count, is_stray in zip(strays, strayed, strict=True)]
    for p, count in zip(probabilities, strays, strict=True):
        error = (p * (1 - p) / tried) ** 0.5
        assert abs(count / tried - p) <= 3 * error


def replies() -> list[int]:
    """Replies of several opponents in many positions with many seeds."""
    opponents = [
        GAME.opponent("random"),
        GAME.opponent("minimax"),
        GAME.opponent("heuristic", random_move_prob=0.3),
        GAME.opponent("minimax", blunder_prob=0.3),
    ]
    return [opponent(at(moves, seed)) for seed, moves in enumerate(WAYS[::40]) for opponent in opponents]


def test_two_processes_reply_alike() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_opponents; print(test_opponents.replies())"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    assert subprocess.check_output(command, text=True).strip() == str(replies())


@pytest.mark.parametrize("name", ["random", "minimax", "heuristic"])
def test_a_reply_does_not_depend_on_how_the_position_came_about(name: OpponentName) -> None:
    opponent = GAME.opponent(name, random_move_prob=0.3)
    for seed in range(50):
        # The same marks, placed in every order.
        found = {
            opponent(at((a, x, b, y), seed))
            for a, b in itertools.permutations((0, 5))
            for x, y in itertools.permutations((4, 7))
        }
        assert len(found) == 1
        state = at((0, 4), seed)
        first = opponent(state)
        for _ in range(3):
            opponent(at((8,), seed + 1))
            assert opponent(state) == opponent(state.clone()) == first


def symmetries() -> list[list[int]]:
    board = np.arange(9).reshape(3, 3)
    turned = [np.rot90(side, turns) for side in (board, board.T) for turns in range(4)]
    return [each.ravel().tolist() for each in turned]


def test_best_moves_turn_and_flip_with_the_board() -> None:
    maps = symmetries()
    assert len({tuple(each) for each in maps}) == 8
    for moves in WAYS:
        state = at(moves)
        best = {optimality: state.best_actions(optimality) for optimality in ("wdl", "dtm")}
        values = state.values()
        for to in maps:
            image = at(to[move] for move in moves)
            assert image.values() == {to[action]: value for action, value in values.items()}
            for optimality, actions in best.items():
                assert image.best_actions(optimality) == sorted(to[action] for action in actions)  # type: ignore[arg-type]


@pytest.mark.parametrize("optimality", ["wdl", "dtm"])
def test_without_errors_no_value_is_ever_lost(optimality: str) -> None:
    opponents = {
        name: GAME.opponent(name, optimality=optimality)  # type: ignore[arg-type]
        for name in ("minimax", "first_best", "last_best")
    }
    for number, moves in enumerate(WAYS):
        state = at(moves, seed=number)
        values, best = state.values(), state.best_actions(optimality)  # type: ignore[arg-type]
        top = max(value.outcome for value in values.values())
        assert {values[action].outcome for action in best} == {top}
        for name, opponent in opponents.items():
            shares = opponent.distribution(state)
            chosen = [action for action, share in shares.items() if share > 0]
            assert chosen == {"minimax": best, "first_best": best[:1], "last_best": best[-1:]}[name]
            assert all(shares[action] == pytest.approx(1 / len(chosen)) for action in chosen)
            assert opponent(state) in chosen


# % won/drawn/lost by a policy against `minimax` with random_move_prob p, moving first in one half of them.
PROBABILITIES = (1.0, 0.45, 0.125, 0.0)
CALIBRATION: dict[str, list[tuple[float, float, float]]] = {
    "random": [(43.65, 12.70, 43.65), (17.60, 13.23, 69.18), (4.43, 12.89, 82.67), (0, 12.74, 87.26)],
    "first_legal": [(61.07, 3.99, 34.94), (30.45, 1.94, 67.61), (8.79, 0.57, 90.64), (0, 0, 100)],
    "heuristic": [(79.76, 16.53, 3.70), (45.99, 33.80, 20.21), (14.59, 47.18, 38.23), (0, 53.02, 46.98)],
    "minimax": [(87.26, 12.74, 0), (55.62, 44.38, 0), (18.98, 81.02, 0), (0, 100, 0)],
    "best_response": [(96.35, 3.28, 0.37), (64.83, 35.17, 0), (23.05, 76.95, 0), (0, 100, 0)],
}


def test_the_exact_table_is_the_published_one() -> None:
    table = arena.calibration(GAME, PROBABILITIES)
    for column, p in enumerate(PROBABILITIES):
        assert list(table[p]) == list(CALIBRATION)
        for policy, rows in CALIBRATION.items():
            win, draw, loss, mean = table[p][policy]
            assert [win, draw, loss] == pytest.approx([cell / 100 for cell in rows[column]], abs=0.5001e-4)
            assert win + draw + loss == pytest.approx(1)
            assert mean == pytest.approx(win - loss)


GAMES = 20_000


def agrees(policy: str, p: float, counts: Iterable[int]) -> None:
    """Assert that counts of wins, draws and losses are within three standard errors of the exact shares."""
    exact = GAME.calibrate(GAME.opponent(random_move_prob=p))[policy][:3]
    for count, share in zip(counts, exact, strict=True):
        assert abs(count / GAMES - share) <= 3 * (share * (1 - share) / GAMES) ** 0.5 + 1e-12


@pytest.mark.parametrize(("policy", "p"), [("first_legal", 0.45), ("first_legal", 0.0), ("random", 1.0)])
def test_episodes_go_as_the_exact_table_says(policy: str, p: float) -> None:
    def first_legal(masks: "np.ndarray[tuple[int, ...], np.dtype[np.int8]]") -> object:
        return masks.argmax(axis=1)

    rng = np.random.default_rng(0)

    def uniform(masks: "np.ndarray[tuple[int, ...], np.dtype[np.int8]]") -> object:
        return (masks * rng.random(masks.shape)).argmax(axis=1)

    pick: Callable[..., object] = {"first_legal": first_legal, "random": uniform}[policy]
    episodes = Episodes(GAME, GAMES, opponent=GAME.opponent(random_move_prob=p))
    for lane in range(GAMES):
        episodes.seed(lane, lane)
        episodes.reset(lane)
    masks = episodes.action_masks()
    results = np.full(GAMES, np.nan)
    while np.isnan(results).any():
        actions = np.asarray(pick(masks), dtype=np.int64)
        _, rewards, terminated, truncated, masks, *_ = episodes.step_all(actions, "SameStep")
        assert not truncated.any()
        fresh = terminated & np.isnan(results)
        results[fresh] = rewards[fresh]
    agrees(policy, p, [int((results == result).sum()) for result in (1, 0, -1)])


@pytest.mark.parametrize(("policy", "p"), [("heuristic", 0.45), ("random", 0.125)])
def test_played_games_go_as_the_exact_table_says(policy: str, p: float) -> None:
    players = {"policy": arena.make_policy(GAME, policy), "opponent": arena.make_policy(GAME, f"minimax:{p}")}
    pairing = arena.round_robin(GAME, players, GAMES, seed=10**6).pairing("policy", "opponent")
    agrees(policy, p, (pairing.wins, pairing.draws, pairing.losses))


@pytest.mark.parametrize("p", [0.2, 1.0])
def test_a_blunder_prob_is_how_often_value_is_lost_where_it_can_be(p: float) -> None:
    opponent = GAME.opponent(blunder_prob=p)
    for moves in WAYS[::7]:
        state = at(moves)
        best = state.best_actions("dtm")
        lost = sum(share for action, share in opponent.distribution(state).items() if action not in best)
        assert lost == pytest.approx(p if len(best) < len(state.legal_actions()) else 0)


@pytest.mark.parametrize(("p", "percent"), [(0.2, 10.3), (1.0, 33.9)])
def test_random_moves_blunder_as_often_as_published(p: float, percent: float) -> None:
    """Of the turns of a second player that errs so often, how many lose value.

    Both sides play uniformly among all moves that keep the outcome, and the first player never errs.
    """
    players = (GAME.opponent(optimality="wdl"), GAME.opponent(optimality="wdl", random_move_prob=p))
    turns = blunders = 0.0
    level = {key(GAME.start()): (GAME.start(), 1.0)}
    while level:
        following: dict[bytes, tuple[State, float]] = {}
        for state, chance in level.values():
            player = state.current_player
            if player is None:
                continue
            best = state.best_actions("wdl")
            shares = players[player].distribution(state)
            if player == 1:
                turns += chance
                blunders += chance * sum(share for action, share in shares.items() if action not in best)
            for action, share in shares.items():
                if share > 0:
                    after = state.clone()
                    after.apply(action)
                    known = following.get(key(after))
                    following[key(after)] = after, chance * share + (known[1] if known else 0.0)
        level = following
    assert round(100 * blunders / turns, 1) == percent


def test_opponents_pickle() -> None:
    for name in arena.available_opponents(GAME):
        opponent = GAME.opponent(name, random_move_prob=0.25)
        again = pickle.loads(pickle.dumps(opponent))
        assert (again.name, again.random_move_prob, again.game) == (name, 0.25, GAME)
        assert [again(at(moves, 3)) for moves in WAYS[:50]] == [opponent(at(moves, 3)) for moves in WAYS[:50]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"random_move_prob": 1.5}, "`random_move_prob` is 1.5, but must be between 0 and 1"),
        ({"blunder_prob": -0.1}, "`blunder_prob` is -0.1, but must be between 0 and 1"),
        ({"random_move_prob": 0.1, "blunder_prob": 0.1}, "one of them must be 0"),
        ({"optimality": "best"}, "unknown optimality 'best'; choose 'wdl'"),
        ({"name": "minmax"}, "did you mean `minimax`"),
        ({"name": "equilibrium"}, "no equilibrium is known"),
        (
            {"name": "heuristic", "playouts": 5},
            "`playouts` is the strength of `mcts`",
        ),
        ({"name": "mcts", "playouts": 100_001}, "must be between 1 and 100000"),
    ],
)
def test_what_cannot_be_played_is_refused(ask: dict[str, object], message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        GAME.opponent(**ask)  # type: ignore[arg-type]


def test_tree_search_gets_stronger_and_has_no_exact_policy() -> None:
    four = reasonenv.game("connect_four")
    table = arena.round_robin(four, ["mcts@10", "mcts@40", "mcts@160", "random"], games=40)
    assert [standing.policy for standing in table.standings] == ["mcts@160", "mcts@40", "mcts@10", "random"]
    mcts = GAME.opponent("mcts", playouts=30)
    assert (mcts.playouts, repr(mcts)) == (30, "<Opponent mcts, playouts=30 of tic_tac_toe>")
    assert pickle.loads(pickle.dumps(mcts)).playouts == 30
    asks: list[Callable[[], object]] = [
        lambda: mcts.distribution(GAME.start()),
        lambda: GAME.calibrate(mcts),
        lambda: GAME.duel("random", mcts),
    ]
    for ask in asks:
        with pytest.raises(Unsolved, match="one move for each seed"):
            ask()
    poker = reasonenv.game("kuhn_poker")
    with pytest.raises(InvalidOpponent, match="`mcts` looks at the whole state"):
        poker.exploitability("mcts")


def test_environments_take_playouts() -> None:
    single = gymnasium.make("reasonenv/ConnectFour-v1", opponent="mcts", playouts=20, seat="first")
    batch = gymnasium.make_vec(
        "reasonenv/ConnectFour-v1", num_envs=3, opponent="mcts", playouts=20, seat="first"
    )
    alone, together = single.reset(seed=5)[0], batch.reset(seed=[5, 6, 7])[0]  # type: ignore[arg-type]
    for action in (3, 3, 2):
        assert (alone == together[0]).all()
        alone, together = single.step(action)[0], batch.step(np.full(3, action))[0]
    assert (alone == together[0]).all()
    assert gymnasium.make("reasonenv/ConnectFour-v1", playouts=20).unwrapped.opponent.name == "mcts"  # type: ignore[attr-defined]
    with pytest.raises(InvalidOpponent, match="makes none"):
        gymnasium.make("reasonenv/ConnectFour-v1", opponent="random", playouts=20)


def test_an_equilibrium_cannot_be_exploited() -> None:
    hidden = [name for name in reasonenv.list_games() if reasonenv.game(name).has_hidden_information]
    assert hidden
    for name in hidden:
        game = reasonenv.game(name)
        proved = 1e-9 if name == "kuhn_poker" else 1e-3
        assert abs(game.exploitability(game.opponent("equilibrium"))) < proved
        assert game.exploitability(game.opponent("random")) > 0.1
        mixed = game.opponent("equilibrium", random_move_prob=0.5)
        assert 0.01 < game.exploitability(mixed) < game.exploitability(game.opponent("random"))
    open_game = reasonenv.game("tic_tac_toe")
    random = open_game.opponent("random")
    with pytest.raises(Unsolved, match="hidden information"):
        open_game.exploitability(random)
