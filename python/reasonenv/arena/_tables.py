"""Results: pairings, standings, and the table of a round robin."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from reasonenv._native import UnknownName


@dataclass(frozen=True)
class Pairing:
    """Wins, draws and losses of policy `a` against `b`, where `a` moved first in half of the games."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    first: tuple[int, int, int]
    """Wins, draws and losses of `a` in the games in which it moved first."""
    mean_return: float
    """Mean return of `a`."""

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    def turned(self) -> "Pairing":
        """Return the same games from the side of `b`."""
        wins, draws, losses = self.first
        # `b` moved first in the games in which `a` did not.
        theirs = (self.losses - losses, self.draws - draws, self.wins - wins)
        return Pairing(self.b, self.a, self.losses, self.draws, self.wins, theirs, 0.0 - self.mean_return)


@dataclass(frozen=True)
class Standing:
    """Results of a policy against all others."""

    policy: str
    elo: float
    """Rating; the mean over the policies is 0. 400 points more mean ten times the odds of winning."""
    wins: int
    draws: int
    losses: int
    mean_return: float

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Table:
    """Results of a round robin."""

    game: str
    params: dict[str, Any]
    seed: int
    games: int
    """Games of each pair."""
    opening_plies: int
    ranked_by: Literal["elo", "mean_return"]
    """Order of the standings: in a game with stakes, the mean return matters more than the number of wins."""
    standings: tuple[Standing, ...]
    """Standings, best first."""
    pairings: tuple[Pairing, ...]
    """Each pair once."""

    def pairing(self, a: str, b: str) -> Pairing:
        """Return the games of two policies from the side of `a`.

        Raises:
            UnknownName: They did not play each other.
        """
        for pairing in self.pairings:
            if (pairing.a, pairing.b) == (a, b):
                return pairing
            if (pairing.b, pairing.a) == (a, b):
                return pairing.turned()
        known = ", ".join(each.policy for each in self.standings)
        msg = f"`{a}` and `{b}` did not play each other; there are {known}"
        raise UnknownName(msg)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, fit for JSON."""
        return asdict(self)
