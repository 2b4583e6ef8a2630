"""Games between policies: a single game, or a round robin."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from reasonenv import _checks
from reasonenv._native import Game, InvalidArgument, Opponent, ReasonEnvError, State
from reasonenv._opponents import GamePolicy
from reasonenv.arena._policies import check_game, named_policies
from reasonenv.arena._ratings import elo
from reasonenv.arena._tables import Pairing, Standing, Table


def play(
    game: Game, first: GamePolicy, second: GamePolicy, seed: int = 0, *, opening_plies: int = 0
) -> State:
    """Play one game to its end.

    Args:
        game: The game.
        first: Policy that moves first.
        second: Policy that moves second.
        seed: Seed of the start, of chance, and of the opponents' replies: 0 .. 2**64 - 1.
        opening_plies: Random moves before the policies play: 0 .. 32.

    Returns:
        The final state, with `returns` and `moves`.

    Raises:
        ReasonEnvError: A policy played an illegal action; names the player and the action. An exception in a
            policy propagates unchanged.
        InvalidArgument: `seed` or `opening_plies` is out of bounds, or a policy is not callable.
    """
    check_game(game)
    seed = _checks.seed("seed", seed)
    for name, given in (("first", first), ("second", second)):
        _checks.function(name, given, "a callable of a state")
    state = game.start(seed, opening_plies=opening_plies)
    players = (first, second)
    while (player := state.current_player) is not None:
        policy = players[player]
        # A built-in opponent leaves the state unchanged; any other policy might not.
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


def round_robin(
    game: Game,
    policies: Mapping[str, str | GamePolicy] | Iterable[str | GamePolicy],
    games: int = 100,
    seed: int = 0,
    *,
    opening_plies: int = 0,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Table:
    """Let every policy play every other, moving first in half of the games.

    Each start is played twice with seats swapped, so that neither side has luckier starts.

    Args:
        game: The game.
        policies: Two or more names for `make_policy` or callables, or a mapping of names to them.
        games: Games of each pair: even, at least 2.
        seed: Seed of the first two games of each pair; the next two have the next seed.
        opening_plies: Random moves before the policies play, which give deterministic policies different
            positions: 0 .. 32.
        on_progress: Callback after each pair: number of finished pairs, of all pairs, and the two names.

    Raises:
        InvalidArgument: `games` is odd or below 2, another argument is out of bounds, or there are fewer than
            two policies, or two of one name.
        UnknownName: No policy has this name.
        InvalidOpponent: The game does not support this opponent.
        ReasonEnvError: A policy played an illegal action. An exception in a policy or in `on_progress`
            propagates unchanged.
    """
    check_game(game)
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
    named = named_policies(game, policies)
    if len(named) < 2:
        msg = f"`policies` has {len(named)}, but a round robin takes at least 2"
        raise InvalidArgument(msg)
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
    ranked_by: Literal["elo", "mean_return"] = "mean_return" if game.has_stakes else "elo"
    standings.sort(key=lambda standing: -getattr(standing, ranked_by))
    return Table(
        game.name, game.params, seed, games, opening_plies, ranked_by, tuple(standings), tuple(pairings)
    )


def _pairing(
    game: Game, a: str, b: str, named: Mapping[str, GamePolicy], *, games: int, seed: int, opening_plies: int
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
