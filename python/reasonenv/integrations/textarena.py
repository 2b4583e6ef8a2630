"""TextArena: our games for its agents, and its agents as opponents in our games. Needs no extra.

    from reasonenv.integrations import textarena

    table = textarena.TextArenaEnv("tic_tac_toe")
    table.reset(num_players=2, seed=0)
    player, message = table.get_observation()
    done, info = table.step("<move>4</move>")

An agent is any callable that takes text and returns text.
"""

import random
import re
from collections.abc import Callable
from typing import Any

from gymnasium.error import ResetNeeded

from reasonenv import _checks, verifiers
from reasonenv._native import InvalidAction, InvalidArgument, State
from reasonenv.envs import GameEnv

__all__ = ["TextArenaEnv", "opponent"]

Agent = Callable[[str], str]
"""Callable from an observation to a reply, both text, as agents of TextArena are."""

_BRACKETS = re.compile(r"\[([^\[\]]{1,64})\]")


class TextArenaEnv:
    """A TextArena environment for two: the player to move sees a message and replies.

    A reply without a legal move wastes the turn, as the rules in the text say; `max_turns` ends such games.
    """

    def __init__(self, game: str, **keywords: Any) -> None:
        told = {"instructions": "first_message", **keywords}
        self._env = GameEnv(game, mode="text", opponent="self", **told)
        self._first = {0: "", 1: ""}
        self._seen, self._info = "", dict[str, Any]()
        self._returns: list[float] | None = None
        self._invalid = [0, 0]

    def reset(self, num_players: int = 2, seed: int | None = None) -> None:
        """Start a game.

        Raises:
            InvalidArgument: `num_players` is not 2.
        """
        _checks.whole("num_players", num_players, 2, 2)
        self._seen, self._info = self._env.reset(seed=seed)
        self._returns, self._invalid = None, [0, 0]
        # The second player's first message has the rules, too.
        self._first = {1 - self._player: self._env.instructions}

    @property
    def _player(self) -> int:
        if not self._info:
            raise ResetNeeded("no game has begun; call reset() first")
        return int(self._info["current_player"])

    def get_observation(self) -> tuple[int, str]:
        """Return the player to move and its observation.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        rules = self._first.get(self._player)
        return self._player, f"{rules}\n\n{self._seen}" if rules else self._seen

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the reply of the player to move; return True if the game is over, and an info."""
        player = self._player
        self._first.pop(player, None)
        self._seen, _, terminated, truncated, self._info = self._env.step(action)
        self._invalid[player] += bool(self._info.get("invalid"))
        done = terminated or truncated
        if done:
            self._returns = [float(one) for one in self._info.get("returns", (0.0, 0.0))]
        return done, self._info

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        """Return the rewards of both players, and the number of invalid moves of each.

        Raises:
            InvalidArgument: The game is not over.
        """
        if self._returns is None:
            raise InvalidArgument("the game is not over; step it to its end before you close it")
        told = {player: {"invalid_moves": count} for player, count in enumerate(self._invalid)}
        return dict(enumerate(self._returns)), told


def opponent(agent: Agent, *, attempts: int = 2) -> Callable[[State], int]:
    """Make an opponent from an agent: `gymnasium.make("reasonenv/Nim-v1", opponent=opponent(agent))`.

    The agent gets the rules and the position each time, since such agents keep no state. The move may be in
    `<move>` tags, in brackets as usual in TextArena, or bare. If no attempt names a legal move, one is drawn,
    always the same in the same position.

    Args:
        agent: Callable that takes text and returns text.
        attempts: Number of attempts, each with feedback on the last one, before a move is drawn.
    """
    _checks.function("agent", agent, "a callable that takes text and gives text")
    attempts = _checks.whole("attempts", attempts, 1, 100)

    def moves(state: State) -> int:
        player = state.current_player or 0
        asked = _message(state, player)
        for _ in range(attempts):
            said = agent(asked)
            try:
                action = _read(state, said if isinstance(said, str) else "")
            except InvalidAction as error:
                asked = f"{asked}\n\nThat was no legal move: {error}"
            else:
                return action
        return random.Random(state.to_bytes()).choice(state.legal_actions())

    moves.__name__ = str(getattr(agent, "__name__", type(agent).__name__))
    return moves


def _message(state: State, player: int) -> str:
    game = state.game
    legal = ", ".join(map(state.action_name, state.legal_actions()))
    asks = "It is your turn. Give one move in <move> tags and nothing after it."
    role = f"You are {game.players[player]}."
    return (
        f"{game.rules}\n\n{role}\n\n{state.text(player)}\n\nLegal {game.moves_are_called}: {legal}\n\n{asks}"
    )


def _read(state: State, said: str) -> int:
    """Read the legal action that a text names.

    Raises:
        InvalidAction: The text names no legal action.
    """
    tagged = verifiers.read_answers([said], tag="move", reading="lenient")[0]
    bracketed = _BRACKETS.findall(said)
    named = tagged if tagged is not None else bracketed[-1] if bracketed else said
    action = state.read_action(named[:200])
    state.clone().apply(action)  # an illegal action raises an error that lists the legal ones
    return action
