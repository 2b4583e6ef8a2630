"""The table of opponents' strength: what it measures, and its place in the page."""

import ladder
import numpy as np
import pytest
import reasonenv
from own_units import Race
from reasonenv.arena import Pairing


def test_a_ladder_begins_at_random_and_has_intervals() -> None:
    rated = ladder.measured(reasonenv.game("tic_tac_toe"), games=20, drawn=50)
    assert list(rated) == ["random", "heuristic", "mcts@20", "mcts@100", "minimax"]
    assert rated["random"] == (0.0, 0.0, 0.0)
    for name in ("heuristic", "minimax"):
        middle, low, high = rated[name]
        assert 0 < low <= middle <= high, name
    assert ladder.measured(reasonenv.game("tic_tac_toe"), games=20, drawn=50) == rated


def test_ratings_count_from_the_first() -> None:
    pairings = [Pairing("a", "b", 30, 0, 10, (0, 0, 0), 0.5)]
    rated = ladder.ratings(pairings, ["b", "a"])
    # With the one drawn game that is added, 30.5 to 10.5.
    assert rated == {"b": 0.0, "a": pytest.approx(400 * np.log10(30.5 / 10.5), abs=1e-3)}


def test_only_opponents_that_a_game_supports_are_measured() -> None:
    assert ladder.opponents(reasonenv.game("kuhn_poker")) == ["random", "equilibrium"]
    assert "minimax" not in ladder.opponents(reasonenv.game("othello"))


def test_the_page_has_a_row_for_each_game_measured() -> None:
    page = ladder.PAGE.read_text("utf-8")
    table = page.split("<!-- ladder -->")[1].split("<!-- /ladder -->")[0]
    rows = [line.split("|")[1].strip() for line in table.strip().splitlines()[2:]]
    games = [name for name in reasonenv.list_games() if name != Race.about.name]
    assert rows == [f"`{name}`" for name in games if not reasonenv.game(name).has_stakes]
    assert len(rows) >= 16
    assert ladder.written(page, ["| one |"]).count("| one |") == 1
    with pytest.raises(ValueError, match="no place for the table"):
        ladder.written("nothing", [])
