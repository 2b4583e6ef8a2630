"""The rules of every game that OpenSpiel has too: random play in lock step, and nothing may differ.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import reasonenv

pytestmark = pytest.mark.slow

POSITIONS = 100_000


@dataclass(frozen=True)
class Twin:
    """A game of ours, what OpenSpiel calls it, and what it calls our actions."""

    game: str
    theirs: str
    action: Callable[[reasonenv.State, int], int | str]
    params: dict[str, Any] = field(default_factory=dict)
    lacks: str = ""
    """Move that is legal in ours alone where another wins at once."""

    def __str__(self) -> str:
        return self.theirs


def same(_state: reasonenv.State, action: int) -> int:
    return action


def taken(state: reasonenv.State, action: int) -> str:
    """Our "B3" takes three from the second heap."""
    name = state.action_name(action)
    return f"pile:{ord(name[0]) - ord('A') + 1}, take:{name[1:]};"


def flipped(state: reasonenv.State, action: int) -> str:
    """The first player moves up in ours, "b2-c", and down in OpenSpiel, "b7c6"."""
    name, rows = state.action_name(action), state.game.params["rows"]
    row = rows + 1 - int(name[1])
    ahead = row - 1 if state.current_player == 0 else row + 1
    return f"{name[0]}{row}{name[-1]}{ahead}"


def joined(state: reasonenv.State, action: int) -> str:
    """Our "a1-a2" is "a1a2"."""
    return state.action_name(action).replace("-", "")


def around(state: reasonenv.State, action: int) -> int:
    """OpenSpiel counts the pits around the board, with the stores at 0 and 7."""
    return action + (1 if state.current_player == 0 else 8)


def named(state: reasonenv.State, action: int) -> str:
    return state.action_name(action).lower()


def rolled(state: reasonenv.State, action: int) -> str:
    """The faces of the die are numbered from 0 in OpenSpiel."""
    name = state.action_name(action)
    return {"roll": "roll", "hold": "stop"}.get(name) or f"deal:{int(name) - 1}"


def leduc(state: reasonenv.State, action: int) -> str:
    """Our cards begin with action 3."""
    return state.action_name(action) if action < 3 else f"deal:{action - 3}"


def claimed(state: reasonenv.State, action: int) -> str:
    """Our "2x6" is "2-6"; faces come after the bids and the word liar."""
    name, bids = state.action_name(action), 2 * state.game.params["sides"]
    return name.replace("x", "-") if action <= bids else f"deal:{int(name) - 1}"


def bid(state: reasonenv.State, action: int) -> str:
    """Prizes come after the cards; the rest of a name says who bids."""
    cards = state.game.params["cards"]
    return f"deal:{action - cards}" if action >= cards else f"[p{state.current_player}]bid: {action + 1}"


def dealt(state: reasonenv.State, action: int) -> str:
    """OpenSpiel numbers the cards and names their receiver; both deals use the same actions."""
    name = state.action_name(action)
    cards = ("jack", "queen", "king")
    return f"deal:{cards.index(name)}" if name in cards else name


TWINS = [
    Twin("tic_tac_toe", "tic_tac_toe", same),
    Twin("connect_four", "connect_four", same),
    Twin(
        "connect_four",
        "connect_four(rows=5,columns=6,x_in_row=3)",
        same,
        {"rows": 5, "columns": 6, "line": 3},
    ),
    Twin("nim", "nim", taken, {"sizes": [1, 3, 5, 7], "misere": True}),
    Twin("nim", "nim(pile_sizes=4;2;9,is_misere=False)", taken, {"sizes": [4, 2, 9]}),
    Twin("dots_and_boxes", "dots_and_boxes", same),
    Twin("dots_and_boxes", "dots_and_boxes(num_rows=3,num_cols=4)", same, {"rows": 3, "columns": 4}),
    Twin("othello", "othello", named),
    Twin("clobber", "clobber(rows=4,columns=4)", joined),
    Twin("clobber", "clobber(rows=5,columns=6)", joined, {"rows": 5, "columns": 6}),
    Twin("kalah", "mancala", around, {"pits": 6, "seeds": 4}),
    Twin("hex", "hex(num_rows=4,num_cols=4)", same),
    Twin("hex", "hex(num_rows=7,num_cols=7)", same, {"size": 7}),
    Twin("breakthrough", "breakthrough", flipped),
    Twin("breakthrough", "breakthrough(rows=6,columns=4)", flipped, {"rows": 6, "columns": 4}),
    Twin("kuhn_poker", "kuhn_poker", dealt),
    Twin("pig", "pig", rolled, {"target": 100}, lacks="roll"),
    Twin("pig", "pig(winscore=20)", rolled, lacks="roll"),
    Twin("leduc_poker", "leduc_poker", leduc, {"suits": True}),
    Twin("liars_dice", "liars_dice", claimed, {"sides": 6}),
    Twin("liars_dice", "liars_dice(dice_sides=4)", claimed),
    Twin("goofspiel", "turn_based_simultaneous_game(game=goofspiel(num_cards=4))", bid),
    Twin(
        "goofspiel",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=5,points_order=descending))",
        bid,
        {"cards": 5, "prizes": "descending"},
    ),
    Twin("leduc_poker", "leduc_poker(suit_isomorphism=True)", leduc),
]


def their_actions(state: Any) -> dict[int | str, int]:
    """OpenSpiel's legal actions and outcomes of chance, by number and by name."""
    legal: dict[int | str, int] = {}
    for action in state.legal_actions():
        name = state.action_to_string(action).lower().rstrip("*")
        legal[action] = legal[f"deal:{action}" if state.is_chance_node() else name] = action
    return legal


def compare(ours: reasonenv.State, theirs: Any, twin: Twin) -> dict[int, int]:
    """Fail if a position differs; return our legal actions and OpenSpiel's."""
    history = f"{ours!r}\n{theirs}"
    assert ours.is_over == theirs.is_terminal(), history
    if ours.is_over:
        assert ours.returns == theirs.returns(), history
        return {}
    assert ours.is_chance == theirs.is_chance_node(), history
    valid = their_actions(theirs)
    names = {action: twin.action(ours, action) for action in ours.legal_actions()}
    names = {action: name for action, name in names.items() if name in valid or name != twin.lacks}
    assert set(names.values()) <= valid.keys(), history
    pairs = {action: valid[name] for action, name in names.items()}
    assert sorted(pairs.values()) == sorted(set(valid.values())), history
    if ours.is_chance:
        chances = {pairs[action]: share for action, share in ours.chance_outcomes().items()}
        assert chances == pytest.approx(dict(theirs.chance_outcomes())), history
    else:
        assert ours.current_player == theirs.current_player(), history
    return pairs


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_random_play_is_the_same_in_open_spiel(twin: Twin) -> None:
    import pyspiel  # noqa: PLC0415  an optional extra: missing, it fails these tests and no others

    game, other = reasonenv.game(twin.game, twin.params), pyspiel.load_game(twin.theirs)
    rng, seen = random.Random(0), 0
    while seen < POSITIONS:
        ours, theirs = game.start(resolve_chance=False), other.new_initial_state()
        while pairs := compare(ours, theirs, twin):
            seen += 1
            action = rng.choice(list(pairs))
            ours.apply(action)
            theirs.apply_action(pairs[action])
        seen += 1


GAMES = 1_000


def choice(rng: random.Random, ours: reasonenv.State, theirs: dict[str, Any]) -> tuple[int, Any]:
    """Fail unless both have the same moves; draw one."""
    names = {ours.action_name(action): action for action in ours.legal_actions()}
    assert names.keys() == theirs.keys(), f"{ours!r}\n{sorted(theirs)}"
    name = rng.choice(sorted(names))
    return names[name], theirs[name]


def test_checkers_is_the_same_in_open_spiel() -> None:
    """OpenSpiel numbers rows from below, and ends a game after 40 moves without a capture."""
    import pyspiel  # noqa: PLC0415

    game, other = reasonenv.game("checkers", {"plies": 300}), pyspiel.load_game("checkers")
    rng, ended = random.Random(0), 0

    def named(step: str) -> str:
        return f"{step[0]}{9 - int(step[1])}-{step[2]}{9 - int(step[3])}"

    for _ in range(GAMES):
        ours, theirs = game.start(), other.new_initial_state()
        while not ours.is_over and not theirs.is_terminal():
            assert ours.current_player == theirs.current_player()
            legal = {named(theirs.action_to_string(action)): action for action in theirs.legal_actions()}
            mine, its = choice(rng, ours, legal)
            ours.apply(mine)
            theirs.apply_action(its)
        assert ours.returns == theirs.returns() if ours.is_over else not any(theirs.returns())
        ended += ours.is_over
    assert ended > GAMES // 2


def test_ultimate_tic_tac_toe_is_the_same_in_open_spiel() -> None:
    """In OpenSpiel a player who may go anywhere names the board first."""
    import pyspiel  # noqa: PLC0415

    game, other = reasonenv.game("ultimate_tic_tac_toe"), pyspiel.load_game("ultimate_tic_tac_toe")
    rng = random.Random(0)

    def named(step: str) -> str:
        board, row, column = (int(number) for number in re.findall(r"\d", step))
        return f"{'abcdefghi'[3 * (board % 3) + column]}{3 * (board // 3) + row + 1}"

    def legal(state: Any) -> dict[str, list[int]]:
        moves: dict[str, list[int]] = {}
        for action in state.legal_actions():
            text = state.action_to_string(action)
            if text.startswith("Choose"):
                moves |= {name: [action, *rest] for name, rest in legal(state.child(action)).items()}
            else:
                moves[named(text)] = [action]
        return moves

    for _ in range(GAMES):
        ours, theirs = game.start(), other.new_initial_state()
        while not theirs.is_terminal():
            assert ours.current_player == theirs.current_player()
            mine, its = choice(rng, ours, legal(theirs))
            ours.apply(mine)
            for action in its:
                theirs.apply_action(action)
        assert ours.is_over
        assert ours.returns == theirs.returns()


@pytest.mark.parametrize("ending", ["KQK", "KRK", "KPK", "KQKR", "KBNK"])
def test_chess_endgames_are_the_same_in_open_spiel(ending: str) -> None:
    """Each position alone: OpenSpiel ends a game whose position comes back, and has more promotions.

    Black is its first player.
    """
    import pyspiel  # noqa: PLC0415

    game, chess = reasonenv.game("chess_endgames", {"ending": ending}), pyspiel.load_game("chess")
    rng, results = random.Random(0), set()
    for seed in range(GAMES // 3):
        ours = game.start(seed)
        while True:
            rows = [line[2:].replace(" ", "") for line in ours.text(0).splitlines()[:8]]
            ranks = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows)
            theirs = chess.new_initial_state(f"{ranks} {'wb'['Black' in ours.text(0)]} - - 0 1")
            if ours.is_over:
                left = "Turns left: 0" in ours.text(0)
                alive = set("QRPr") & set(ranks) or {"B", "N"} <= set(ranks)
                assert theirs.is_terminal() or left or not alive
                assert ours.returns == (theirs.returns()[::-1] if theirs.is_terminal() else [0, 0])
                results.add(tuple(ours.returns or ()))
                break
            legal = {}
            for action in theirs.legal_actions():
                name = re.sub("[x+#]", "", theirs.action_to_string(action))
                if name[-2:] not in {"=B", "=N"}:
                    legal[name] = action
            mine, _ = choice(rng, ours, legal)
            ours.apply(mine)
    assert (0.0, 0.0) in results


def test_no_game_of_both_is_left_out() -> None:
    import pyspiel  # noqa: PLC0415

    shared = set(reasonenv.list_games()) & set(pyspiel.registered_names())
    alone = {"checkers", "ultimate_tic_tac_toe"}
    assert (shared | {"kalah"}) - alone == {twin.game for twin in TWINS}
