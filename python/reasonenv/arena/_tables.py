"""How policies fared: pairings, standings, and all of a round robin."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from reasonenv._native import UnknownName


@dataclass(frozen=True)
class Pairing:
    """How often policy `a` won, drew and lost against `b`, having moved first in one half of the games."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    first: tuple[int, int, int]
    """Wins, draws and losses of `a` in the games in which it moved first."""
    mean_return: float
    """What `a` got on average."""

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    def turned(self) -> "Pairing":
        """The same games as `b` saw them."""
        wins, draws, losses = self.first
        # Where `b` moved first, `a` did not.
        theirs = (self.losses - losses, self.draws - draws, self.wins - wins)
        return Pairing(self.b, self.a, self.losses, self.draws, self.wins, theirs, 0.0 - self.mean_return)


@dataclass(frozen=True)
class Standing:
    """How a policy fared against all others."""

    policy: str
    elo: float
    """Rating; the mean over the policies is 0. 400 more means ten times the odds to win."""
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
    """The outcome of a round robin."""

    game: str
    params: dict[str, Any]
    seed: int
    games: int
    """Games of each pair."""
    opening_plies: int
    ranked_by: Literal["elo", "mean_return"]
    """What the standings are ordered by: who wins often need not win most where a game has stakes."""
    standings: tuple[Standing, ...]
    """The best first."""
    pairings: tuple[Pairing, ...]
    """Each pair once."""

    def pairing(self, a: str, b: str) -> Pairing:
        """The games of two policies, as `a` saw them.

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
        """All of it as what JSON holds."""
        return asdict(self)
