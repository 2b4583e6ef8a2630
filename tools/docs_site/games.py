"""Pages of the games: facts, rules, variants, a dialogue, the meaning of scores, and speed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import gymnasium
import reasonenv
from reasonenv import arena
from reasonenv.envs import env_id
from reasonenv.errors import InvalidOpponent, Unsolved

from docs_site import spaces
from docs_site.markdown import drawing, fence, param_table, params, table, tabs

MOST_POSITIONS = 100_000
"""Most positions that a comparison of policies may take."""

EXACT_PLIES = 6
"""Plies before the end at which exact play begins in a game too deep to solve."""


def page(name: str, source: str, rates: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of a game; `source` links to its code, `rates` are measured by `make game-rates`."""
    game = reasonenv.game(name)
    variants = {
        params(values).replace("`", "") or "Default": _variant(name, values, game.rules)
        for values in game.variants
    }
    sections = [
        f"# {name}",
        game.summary,
        _facts(game, source),
        "## Rules",
        game.rules,
        "## Variants",
        tabs(variants),
        "## Observations, actions and rewards",
        spaces.of_game(game),
        "## Try it",
        fence(
            f'import reasonenv\n\nstate = reasonenv.game("{name}").start(seed=0)\n'
            "state.apply(state.legal_actions()[0])\nprint(state.text())",
            "python",
        ),
        f"`reasonenv play {name}` plays it in a shell.",
        "## In text",
        _dialogue(game),
        "## Params",
        param_table(name, game.params_schema),
    ]
    if scores := _scores(game):
        sections += ["## What a score means", scores]
    if rates:
        sections += ["## Speed", _speed(rates)]
    changes = [f"{number}. {change}" for number, change in enumerate(game.changes, 1)]
    return "\n\n".join([*sections, "## Versions", "\n".join(changes), ""])


def _yes(claim: bool) -> str:
    return "yes" if claim else "no"


def _shape(game: reasonenv.Game) -> str:
    return str(tuple(game.shape))


def _worth(value: float | None) -> str:
    if value is None:
        return "not known"
    return {1.0: "a win", -1.0: "a loss", 0.0: "a draw"}.get(value, f"{value:.4f}")


def _facts(game: reasonenv.Game, source: str) -> str:
    first, second = game.players
    exact = "none" if game.has_hidden_information else "everywhere"
    if game.unsolvable_reason and not game.has_hidden_information:
        exact = f"near the end only: {game.unsolvable_reason}"
    facts = {
        "Gymnasium id": f"`{env_id(game.name)}`",
        "Players": f"{first} moves first, then {second}",
        "Chance": _yes(game.has_chance),
        "Hidden information": _yes(game.has_hidden_information),
        "Actions": f"{game.action_count}, called {game.moves_are_called}, from `{game.action_name(0)}` "
        f"to `{game.action_name(game.action_count - 1)}`",
        "Observation": f"float32 of shape {_shape(game)}",
        "Longest game": f"{game.max_plies} plies",
        "Exact values": exact,
        "With perfect play the first player gets": _worth(game.value),
        "`Value.score` counts": game.score_means,
        "Opponents": _opponents(game),
        "Labels missed wins, missed blocks and allowed forks": _yes(game.has_tactics),
        "Source": source,
    }
    return "\n".join(f"- **{fact}**: {value}" for fact, value in facts.items())


def _opponents(game: reasonenv.Game) -> str:
    able = arena.available_opponents(game)
    late = []
    for name in arena.list_opponents():
        if name not in able:
            with suppress(InvalidOpponent):
                game.opponent(name, exact_plies=EXACT_PLIES)
                late.append(name)
    text = ", ".join(f"`{name}`" for name in able)
    return text + (f"; with `exact_plies` also {', '.join(f'`{name}`' for name in late)}" if late else "")


def _variant(name: str, values: dict[str, Any], usual: str) -> str:
    game = reasonenv.game(name, values)
    state = game.start(seed=0)
    plies = max(1, min(game.max_plies // 2, 8))
    with suppress(reasonenv.ReasonEnvError):
        state = game.start(seed=0, opening_plies=plies)
    deep = ", too deep for exact values" if game.unsolvable_reason else ""
    played = f"`start(seed=0, opening_plies={plies})`" if state.moves else "`start(seed=0)`"
    player = state.current_player or 0
    return "\n\n".join(
        [
            *([game.rules] if game.rules != usual else []),
            f"{game.action_count} actions, observation {_shape(game)}, at most {game.max_plies} plies{deep}.",
            f"{played}, as player {player} sees it:",
            drawing(state.drawing(player), f"{name} after {plies} plies"),
            fence(state.text(player)),
        ]
    )


def _dialogue(game: reasonenv.Game) -> str:
    """Return the first messages of a game in text mode."""
    env = gymnasium.make(env_id(game.name), mode="text", seat="first")
    told, info = env.reset(seed=0)
    state = env.unwrapped.state  # type: ignore[attr-defined]
    answer = f"<move>{game.action_name(state.legal_actions()[0])}</move>"
    reply, *_ = env.step(answer)
    env.close()
    told = f"{info['instructions']}\n\n{told}" if info.get("instructions") else told
    return "\n\n".join(
        ["A language model reads:", fence(told), "It answers:", fence(answer), "and reads:", fence(reply)]
    )


def _scores(game: reasonenv.Game) -> str | None:
    """Return the results of policies against opponents that err more or less, if the tree is small."""
    opponent = next(
        name
        for name in ("minimax", "equilibrium", "heuristic", "random")
        if name in arena.fast_opponents(game)
    )
    try:
        columns = arena.calibration(game, opponent=opponent, max_positions=MOST_POSITIONS)
    except Unsolved:
        return None
    stakes = game.has_stakes

    def shown(odds: arena.Odds) -> str:
        win, draw, loss, mean = odds
        return f"{100 * win:.2f}/{100 * draw:.2f}/{100 * loss:.2f}" + (f" ({mean:+.3f})" if stakes else "")

    policies = next(iter(columns.values()))
    rows = [[f"`{policy}`", *(shown(column[policy]) for column in columns.values())] for policy in policies]
    mean = ", and the mean return in brackets" if stakes else ""
    return (
        f"Percent of games won/drawn/lost against `{opponent}` with `random_move_prob` p, moving first in "
        f"half of them{mean}. Computed over the whole tree, not sampled: `Game.calibrate`, or `reasonenv "
        f"arena {game.name} --calibrate`.\n\n{table(['Policy', *(f'p = {p}' for p in columns)], rows)}"
    )


def _speed(rates: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            f"`{rate['setup']}`",
            _rate(rate["single"]),
            f"{rate['slowest_us']:,} µs",
            _rate(rate["vector"]),
            str(rate["envs"]),
        ]
        for rate in rates
    ]
    loop = next(rate["pettingzoo"] for rate in rates if "pettingzoo" in rate)
    return (
        "Env-steps per second under the default params, in one run on one thread of a shared virtual "
        "machine: random legal actions, resets included; single ones through `gymnasium.make`. `self` "
        "has one ply a step, others your move and the reply to it. Rows without an opponent's name have "
        f"the default one. The same game in a PettingZoo loop makes {_rate(loop)} moves per second.\n\n"
        + table(["Opponent or setting", "One at a time", "99 % within", "Side by side", "Envs"], rows)
    )


def _rate(number: float) -> str:
    """Format a rate with at least two digits."""
    unit, size = (" M", 1e6) if number >= 1e6 else (" k", 1e3) if number >= 1e3 else ("", 1)
    return f"{number / size:.{int(number / size < 10)}f}{unit}"
