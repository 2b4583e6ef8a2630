"""Policies that play games against each other: round robins, ratings, and exact tables to hold them against.

>>> import reasonenv
>>> from reasonenv import arena
>>> table = arena.round_robin(reasonenv.game("tic_tac_toe"), ["random", "minimax"], games=20)
>>> table.pairing("minimax", "random").losses
0

Any callable of a state that gives a legal action is a policy; its name in tables is its `name` attribute or
the function's own.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from reasonenv import _checks
from reasonenv._native import (
    Game,
    InvalidArgument,
    InvalidOpponent,
    Opponent,
    ReasonEnvError,
    State,
    UnknownName,
    list_opponents,
)

__all__ = [
    "Pairing",
    "Policy",
    "Standing",
    "Table",
    "available",
    "calibration",
    "elo",
    "fast",
    "first_legal",
    "make_policy",
    "play",
    "round_robin",
]

_MOST_OPENING_PLIES = 32

LARGEST_SEARCH = 10**12
"""The most positions that a bound may name."""

Policy: TypeAlias = Callable[[State], int]
"""Takes a copy of the state it is to move in and gives a legal action."""

Tally: TypeAlias = tuple[float, float, float, float]
"""Chances of a win, a draw and a loss, and the mean return."""


def first_legal(state: State) -> int:
    """The legal action with the lowest number."""
    return state.legal_actions()[0]


def available(game: Game) -> list[str]:
    """The opponents the game can have without further options, by name."""

    def able(name: str) -> bool:
        try:
            game.opponent(name)
        except InvalidOpponent:
            return False
        return True

    return [name for name in list_opponents() if able(name)]


def fast(game: Game) -> list[str]:
    """Of `available`, those whose games are soon over: in games of more than 24 plies none that solves."""
    solving = ("minimax", "first_best", "last_best")
    return [name for name in available(game) if game.max_plies <= 24 or name not in solving]


def make_policy(game: Game, spec: str) -> Policy:
    """A policy by name.

    Args:
        game: What it plays.
        spec: `first_legal`, or an opponent as `NAME`, `NAME:P` with P the `random_move_prob` (between 0 and
            1), `NAME@N` with N the `exact_plies`, or `NAME@N:P`.

    Raises:
        UnknownName: No policy has this name; suggests the nearest, or lists them all.
        InvalidOpponent: P or N is no number or out of bounds, or the game cannot have this opponent.
    """
    _check_game(game)
    head, colon, prob = _checks.text("policy", spec).partition(":")
    name, at, plies = head.partition("@")
    if name == "first_legal":
        if colon or at:
            msg = f"`{spec}`: `first_legal` takes no number; write `first_legal`"
            raise InvalidOpponent(msg)
        return first_legal
    known = ["first_legal", *list_opponents()]
    if name not in known:
        raise _checks.unknown("policy", spec, known)
    try:
        random_move_prob = float(prob) if colon else 0.0
    except ValueError:
        msg = f"`{spec}`: P is `{prob}`, but must be a number between 0 and 1, as in `{name}:0.2`"
        raise InvalidOpponent(msg) from None
    if at and not (plies.isdecimal() and len(plies) <= 9):
        msg = f"`{spec}`: N is `{plies}`, but must be a number of plies, as in `{name}@8`"
        raise InvalidOpponent(msg)
    return game.opponent(name, random_move_prob=random_move_prob, exact_plies=int(plies) if at else None)


def _check_game(game: object) -> None:
    if not isinstance(game, Game):
        msg = f"`game` is {_checks.shown(game)}, but must be a game, as reasonenv.game gives"
        raise InvalidArgument(msg)


def _named(game: Game, policies: Mapping[str, str | Policy] | Iterable[str | Policy]) -> dict[str, Policy]:
    pairs: Iterable[tuple[str | None, str | Policy]]
    if isinstance(policies, Mapping):
        pairs = policies.items()
    elif isinstance(policies, Iterable) and not isinstance(policies, str):
        pairs = [(None, given) for given in policies]
    else:
        msg = f"`policies` is {_checks.shown(policies)}, but must be several policies, or a mapping"
        raise InvalidArgument(msg)
    named: dict[str, Policy] = {}
    for key, given in pairs:
        policy = make_policy(game, given) if isinstance(given, str) else given
        if not callable(policy):
            msg = f"`policies` has {_checks.shown(policy)}, but must have names and callables of a state"
            raise InvalidArgument(msg)
        called = getattr(given, "name", None) or getattr(given, "__name__", None)
        name = given if isinstance(given, str) else str(called or type(given).__name__)
        if isinstance(policies, Mapping):
            name = _checks.text("policies", key)
        if name in named:
            msg = f"two policies are called `{name}`; give a mapping of names to policies"
            raise InvalidArgument(msg)
        named[name] = policy
    return named


def play(game: Game, first: Policy, second: Policy, seed: int = 0, *, opening_plies: int = 0) -> State:
    """Plays one game to its end.

    Args:
        game: What is played.
        first: Who moves first.
        second: Who moves second.
        seed: Decides the start, what chance does, and the replies of opponents: 0 .. 2**64 - 1.
        opening_plies: Random moves made first: 0 .. 32.

    Returns:
        The last state; `returns` and `moves` say how it went.

    Raises:
        ReasonEnvError: A policy played what is not legal; says who, and what would be. An error of its own
            comes out as it is.
        InvalidArgument: `seed` or `opening_plies` is out of bounds, or a policy is no callable.
    """
    _check_game(game)
    seed = _checks.seed("seed", seed)
    opening_plies = _checks.whole("opening_plies", opening_plies, 0, _MOST_OPENING_PLIES)
    for name, given in (("first", first), ("second", second)):
        _checks.function(name, given, "a callable of a state")
    state = game.start(seed, opening_plies=opening_plies)
    players = (first, second)
    while (player := state.current_player) is not None:
        policy = players[player]
        # An opponent changes nothing; anybody else might.
        action = policy(state if isinstance(policy, Opponent) else state.clone())
        played = f"the policy that plays {game.players[player]} played {_checks.shown(action)}"
        try:
            state.apply(action)
        except TypeError as error:
            msg = f"{played}, but must give a legal action, which is a whole number"
            raise ReasonEnvError(msg) from error
        except (ValueError, OverflowError) as error:
            msg = f"{played}: {error}"
            raise ReasonEnvError(msg) from error
    return state


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


def round_robin(
    game: Game,
    policies: Mapping[str, str | Policy] | Iterable[str | Policy],
    games: int = 100,
    seed: int = 0,
    *,
    opening_plies: int = 0,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Table:
    """Lets every policy play every other, moving first in one half of the games.

    Games are played in twos: the same seed with seats swapped, so that neither side has the luckier starts.

    Args:
        game: What is played.
        policies: Two or more: names for `make_policy` and callables, or a mapping of names to such.
        games: Games of each pair: even, at least 2.
        seed: Seed of the first two games of each pair; the next two have the next seed.
        opening_plies: Random moves made first, which sets deterministic policies different problems: 0 .. 32.
        on_progress: Told after each pair: pairs done, pairs in all, who played.

    Raises:
        InvalidArgument: `games` is odd or below 2, another argument is out of bounds, or there are fewer than
            two policies, or two of one name.
        UnknownName: No policy has this name.
        InvalidOpponent: The game cannot have this opponent.
        ReasonEnvError: A policy played what is not legal. An error that a policy or `on_progress` raises
            comes out as it is.
    """
    _check_game(game)
    games = _checks.whole("games", games)
    if not 2 <= games <= _checks.LARGEST_COUNT or games % 2:
        msg = (
            f"`games` is {games}, but must be an even number between 2 and {_checks.LARGEST_COUNT}: "
            "both move first in one half of them"
        )
        raise InvalidArgument(msg)
    seed = _checks.seed("seed", seed)
    if on_progress is not None:
        _checks.function("on_progress", on_progress, "a callable of (done, total, names), or None")
    named = _named(game, policies)
    if len(named) < 2:
        msg = f"`policies` has {len(named)}, but a round robin takes at least 2"
        raise InvalidArgument(msg)
    opening_plies = _checks.whole("opening_plies", opening_plies, 0, _MOST_OPENING_PLIES)
    names = list(named)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    pairings = []
    for done, (a, b) in enumerate(pairs, 1):
        pairings.append(_pairing(game, a, b, named, games=games, seed=seed, opening_plies=opening_plies))
        if on_progress is not None:
            on_progress(done, len(pairs), f"{a}, {b}")
    seen = {
        name: [p if p.a == name else p.turned() for p in pairings if name in (p.a, p.b)] for name in names
    }
    ratings = elo(names, pairings)
    standings = [
        Standing(
            policy=name,
            elo=ratings[name],
            wins=sum(each.wins for each in seen[name]),
            draws=sum(each.draws for each in seen[name]),
            losses=sum(each.losses for each in seen[name]),
            mean_return=math.fsum(each.mean_return for each in seen[name]) / len(seen[name]),
        )
        for name in names
    ]
    standings.sort(key=lambda standing: -standing.elo)
    return Table(game.name, game.params, seed, games, opening_plies, tuple(standings), tuple(pairings))


def _pairing(
    game: Game, a: str, b: str, named: Mapping[str, Policy], *, games: int, seed: int, opening_plies: int
) -> Pairing:
    # Wins, draws and losses of `a`, by whether it moved first.
    counts = {True: [0, 0, 0], False: [0, 0, 0]}
    total = 0.0
    for number in range(games):
        leads = number % 2 == 0
        first, second = (a, b) if leads else (b, a)
        end = play(
            game,
            named[first],
            named[second],
            (seed + number // 2) % 2**64,
            opening_plies=opening_plies,
        )
        returns = end.returns
        assert returns is not None, "a game that was played to its end has returns"
        got = returns[0 if leads else 1]
        total += got
        counts[leads][0 if got > 0 else 2 if got < 0 else 1] += 1
    wins, draws, losses = (x + y for x, y in zip(counts[True], counts[False], strict=True))
    first_half = (counts[True][0], counts[True][1], counts[True][2])
    return Pairing(a, b, wins, draws, losses, first_half, total / games)


def elo(names: Sequence[str], pairings: Sequence[Pairing], *, prior: float = 1.0) -> dict[str, float]:
    """Ratings that make the results likeliest: Bradley and Terry's model on the scale of Elo.

    A draw counts as half a win. Each pair that played is also given `prior` games that end even, without
    which somebody who never lost would be rated infinitely high.

    Args:
        names: The policies.
        pairings: Who played whom, and how it went.
        prior: Even games added to each pair, above 0.

    Returns:
        The rating of each policy; their mean is 0.

    Raises:
        InvalidArgument: `prior` is not above 0, two policies have one name, one played nobody, or games are
            counted below 0.
        UnknownName: A pairing is of a policy that is not among the names.
    """
    prior = _checks.number("prior", prior, 1e-12, 1e12)
    _check_pairings(_checks.texts("names", names), pairings)
    if not names:
        return {}
    place = {name: at for at, name in enumerate(names)}
    won = np.zeros((len(names), len(names)))
    for pairing in pairings:
        a, b = place[pairing.a], place[pairing.b]
        won[a, b] += pairing.wins + pairing.draws / 2 + prior / 2
        won[b, a] += pairing.losses + pairing.draws / 2 + prior / 2
    played, points = won + won.T, won.sum(axis=1)
    strength = np.ones(len(names))
    # Minorisation and maximisation: each step makes the results likelier (Hunter 2004).
    for _ in range(100_000):
        better = points / (played / (strength[:, None] + strength)).sum(axis=1)
        better /= np.exp(np.log(better).mean())
        moved = np.abs(np.log(better / strength)).max()
        strength = better
        if moved < 1e-9:
            break
    ratings = 400 * np.log10(strength)
    return {name: round(float(rating), 6) + 0.0 for name, rating in zip(names, ratings, strict=True)}


def _check_pairings(names: Collection[str], pairings: object) -> None:
    """Whether everybody has one name and played somebody."""
    for name, times in Counter(names).items():
        if times > 1:
            msg = f"`names` has `{name}` {times} times; give each policy a name of its own"
            raise InvalidArgument(msg)
    idle = set(names)
    for pairing in pairings if isinstance(pairings, Iterable) else [pairings]:
        if not isinstance(pairing, Pairing):
            msg = f"`pairings` has {_checks.shown(pairing)}, but must be several of `Pairing`"
            raise InvalidArgument(msg)
        for who in (pairing.a, pairing.b):
            if who not in names:
                raise _checks.unknown("policy", who, names)
        for field in ("wins", "draws", "losses"):
            _checks.number(f"{field} of {pairing.a} against {pairing.b}", getattr(pairing, field), 0)
        idle -= {pairing.a, pairing.b}
    if idle:
        msg = f"`pairings` has none of `{min(idle)}`; leave out who played nobody"
        raise InvalidArgument(msg)


def calibration(
    game: Game,
    random_move_probs: Iterable[float] = (1, 0.45, 0.125, 0),
    opponent: str | None = None,
    *,
    optimality: Literal["wdl", "dtm"] = "dtm",
    max_positions: int | None = None,
) -> dict[float, dict[str, Tally]]:
    """How reference policies fare against an opponent that errs more or less: exact, not sampled.

    Args:
        game: What is played. Its whole tree is gone through, so it has to be small.
        random_move_probs: The opponent's probabilities of a random move, each between 0 and 1.
        opponent: Its name; the game's `default_opponent` unless one is named.
        optimality: What counts as best for it.
        max_positions: The most positions to look at for each probability, at least 1; None sets no limit.

    Returns:
        For each probability, of each policy (weakest first) its chances of a win, a draw and a loss, and its
        mean return, moving first in one half of the games.

    Raises:
        Unsolved: Not within the limit, or the game has no exact values.
        InvalidOpponent: The game cannot have this opponent.
        InvalidArgument: A probability or `max_positions` is out of bounds.
    """
    _check_game(game)
    if isinstance(random_move_probs, str) or not isinstance(random_move_probs, Iterable):
        msg = f"`random_move_probs` is {_checks.shown(random_move_probs)}, but must be several numbers"
        raise InvalidArgument(msg)
    probs = [_checks.number(f"random_move_probs[{i}]", p, 0, 1) for i, p in enumerate(random_move_probs)]
    if max_positions is not None:
        max_positions = _checks.whole("max_positions", max_positions, 1, LARGEST_SEARCH)
    if opponent is not None:
        _checks.text("opponent", opponent)
    _checks.text("optimality", optimality)
    name = opponent or game.default_opponent
    return {
        p: game.calibrate(game.opponent(name, random_move_prob=p, optimality=optimality), max_positions)
        for p in probs
    }
