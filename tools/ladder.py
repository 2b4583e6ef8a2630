"""Strength of every game's opponents as a number, for the table of docs/games.md: `make ladder` writes it.

Every opponent plays every other, half of the games from each seat. Ratings are Elo's, with `random` at 0,
and have 95% bootstrap intervals. Games with stakes are left out: whoever wins the most hands need not win
the most chips.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import reasonenv
from reasonenv.arena import Pairing, elo, round_robin

PAGE = Path(__file__).parents[1] / "docs" / "games.md"
OPPONENTS = ("random", "heuristic", "mcts@20", "mcts@100", "minimax", "equilibrium")
GAMES, CHANCE_GAMES = 20, 400
"""Games of each pair, and where chance takes part."""
DRAWN = 400
"""Bootstrap samples for the intervals."""

Rating = tuple[float, float, float]


def opponents(game: reasonenv.Game) -> list[str]:
    """The opponents that the game supports."""
    if game.has_hidden_information:
        return ["random", "equilibrium"]
    known = [name for name in OPPONENTS if name != "equilibrium"]
    return [name for name in known if name != "minimax" or not game.unsolvable_reason]


def ratings(pairings: Sequence[Pairing], names: Sequence[str]) -> dict[str, float]:
    """Ratings above that of the first."""
    rated = elo(names, pairings)
    return {name: rated[name] - rated[names[0]] for name in names}


def measured(game: reasonenv.Game, games: int | None = None, drawn: int = DRAWN) -> dict[str, Rating]:
    """Rating of every opponent with the ends of its interval."""
    names = opponents(game)
    table = round_robin(game, names, games or (CHANCE_GAMES if game.has_chance else GAMES))
    rng = np.random.default_rng(0)
    again = []
    for _ in range(drawn):
        pairings = []
        for pair in table.pairings:
            shares = np.array([pair.wins, pair.draws, pair.losses]) / pair.games
            wins, draws, losses = map(int, rng.multinomial(pair.games, shares))
            pairings.append(Pairing(pair.a, pair.b, wins, draws, losses, (0, 0, 0), 0.0))
        again.append(ratings(pairings, names))
    found = ratings(table.pairings, names)
    ends = {name: np.quantile([each[name] for each in again], [0.025, 0.975]) for name in names}
    return {name: (found[name], float(ends[name][0]), float(ends[name][1])) for name in names}


def row(name: str, rated: dict[str, Rating]) -> str:
    """A row of the table; the game is at its default params."""
    cells = ("–" if each not in rated else shown(rated[each]) for each in OPPONENTS[1:])
    return f"| `{name}` | {' | '.join(cells)} |"


def shown(rating: Rating) -> str:
    """A rating and its interval in whole points."""
    middle, low, high = (round(each) for each in rating)
    return f"{middle} ({low} to {high})"


def written(page: str, rows: Sequence[str]) -> str:
    """The page with a table of these rows."""
    head = f"| Game | {' | '.join(f'`{name}`' for name in OPPONENTS[1:])} |\n|{'---|' * len(OPPONENTS)}"
    table = "\n".join([head, *rows])
    marks = re.compile(r"(?<=<!-- ladder -->\n).*?(?=<!-- /ladder -->)", re.DOTALL)
    fresh, found = marks.subn(lambda _: f"\n{table}\n\n", page)
    if found != 1:
        msg = f"{PAGE} has no place for the table between `<!-- ladder -->` and `<!-- /ladder -->`"
        raise ValueError(msg)
    return fresh


def main() -> None:
    """Measure every game and write the page."""
    rows = []
    for name in reasonenv.list_games():
        game = reasonenv.game(name)
        if not game.has_stakes:
            rows.append(row(name, measured(game)))
            print(rows[-1], file=sys.stderr)
    PAGE.write_text(written(PAGE.read_text("utf-8"), rows), "utf-8")


if __name__ == "__main__":
    main()
