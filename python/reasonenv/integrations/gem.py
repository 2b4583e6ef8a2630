"""Tasks and games as GEM and TextArena have them, and their agents as our opponents. Needs no extra.

    from reasonenv.integrations import gem

    env = gem.make("countdown", level=2)
    question, info = env.reset(seed=0)
    said, reward, terminated, truncated, info = env.step("<answer>1 + 2</answer>")

`make` gives what agents of GEM are stepped in, `textarena` a table for two agents of TextArena, and
`opponent` an opponent for our games out of an agent: any callable that takes text and gives text.
"""

import copy
import random
import re
from collections.abc import Callable
from typing import Any, Self, cast

import gymnasium

from reasonenv import _checks, _native, verifiers
from reasonenv._native import InvalidAction, InvalidArgument, State
from reasonenv.envs import GameEnv, SolutionEnv, env_id
from reasonenv.envs._generators import Items, generator_of
from reasonenv.integrations._items import AnySource, source_of

__all__ = ["Agent", "GemEnv", "TextArenaEnv", "make", "opponent", "textarena"]

Agent = Callable[[str], str]
"""Takes what it sees and gives what it says, as agents of TextArena do."""

_BRACKETS = re.compile(r"\[([^\[\]]{1,64})\]")
_ANY_SEED = 2**63


class GemEnv:
    """An environment of text as GEM has it: prompts and replies are text, nothing else is asked of an agent.

    Args:
        env: An environment of this package that observes text and takes text.

    Raises:
        InvalidArgument: It observes or takes something else.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        for space in (env.observation_space, env.action_space):
            if not isinstance(space, gymnasium.spaces.Text):
                msg = f'`env` is {_checks.shown(env)}, but must be one of text; games are with mode="text"'
                raise InvalidArgument(msg)
        self.env = env

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Begins an episode: the prompt, and an info. The seed decides this one and those that follow."""
        return self.env.reset(seed=seed)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Says something: the reply, the reward, whether it is over, whether it was cut off, an info."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        return seen, float(reward), terminated, truncated, info

    def sample_random_action(self) -> str:
        """Random text, which is hardly ever right."""
        sampled: str = self.env.action_space.sample()
        return sampled

    def get_state(self) -> bytes:
        """All that decides what happens next."""
        saved: bytes = self.env.get_wrapper_attr("get_state")()
        return saved

    def set_state(self, state: bytes) -> None:
        """Goes on from what `get_state` gave."""
        self.env.get_wrapper_attr("set_state")(state)

    def spawn(self, same_state: bool = False, **_: Any) -> Self:
        """Another one of the same arguments; in the same state, or waiting for `reset`."""
        other = copy.deepcopy(self)
        if not same_state:
            other.env.reset(seed=random.SystemRandom().randrange(_ANY_SEED))
        return other

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()


def make(name: AnySource, *, level: int = 0, split: Any = "train", seed: int = 0, **keywords: Any) -> GemEnv:
    """A family, rows, tasks or a game as GEM's environments.

    Args:
        name: A family or what else items come from, or the name of a game.
        level: Of a family.
        split: Of a family.
        seed: Of a family's items; `reset(seed=…)` decides which are posed.
        **keywords: Of the environment: `reward`, `reading`; of a game `opponent`, `params` and the like.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """
    if isinstance(name, str) and name in _native.list_games():
        told = {"instructions": "first_message", "mode": "text", **keywords}
        return GemEnv(gymnasium.make(env_id(name), disable_env_checker=True, **told))
    found = source_of(name, level=level, split=split, seed=seed)
    return GemEnv(SolutionEnv(cast("Items", generator_of(found)), **keywords))


class TextArenaEnv:
    """A table for two, as TextArena has it: whoever's turn it is sees a message and says something.

    A turn that names no legal move is lost, as the rules of the text say; `max_turns` ends a game of such.
    """

    def __init__(self, game: str, **keywords: Any) -> None:
        told = {"instructions": "first_message", **keywords}
        self._env = GameEnv(game, mode="text", opponent="self", **told)
        self._first = {0: "", 1: ""}
        self._seen, self._info = "", dict[str, Any]()
        self._returns: list[float] | None = None
        self._invalid = [0, 0]

    def reset(self, num_players: int = 2, seed: int | None = None) -> None:
        """Begins a game.

        Raises:
            InvalidArgument: It is not for two.
        """
        _checks.whole("num_players", num_players, 2, 2)
        self._seen, self._info = self._env.reset(seed=seed)
        self._returns, self._invalid = None, [0, 0]
        # The second player's first message has the rules, too.
        self._first = {1 - self._player: self._env.instructions}

    @property
    def _player(self) -> int:
        return int(self._info["current_player"])

    def get_observation(self) -> tuple[int, str]:
        """Whose turn it is, and what that player sees."""
        rules = self._first.get(self._player)
        return self._player, f"{rules}\n\n{self._seen}" if rules else self._seen

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Says something for the player whose turn it is: whether the game is over, and an info."""
        player = self._player
        self._first.pop(player, None)
        self._seen, _, terminated, truncated, self._info = self._env.step(action)
        self._invalid[player] += bool(self._info.get("invalid"))
        done = terminated or truncated
        if done:
            self._returns = [float(one) for one in self._info.get("returns", (0.0, 0.0))]
        return done, self._info

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        """What each player got, and how often each named no legal move.

        Raises:
            InvalidArgument: The game is not over.
        """
        if self._returns is None:
            raise InvalidArgument("the game is not over; step it to its end before you close it")
        told = {player: {"invalid_moves": count} for player, count in enumerate(self._invalid)}
        return dict(enumerate(self._returns)), told


def textarena(game: str, **keywords: Any) -> TextArenaEnv:
    """A game of ours as a table of TextArena, for two agents of theirs; keywords are those of `GameEnv`."""
    return TextArenaEnv(game, **keywords)


def opponent(agent: Agent, *, attempts: int = 2) -> Callable[[State], int]:
    """An agent as an opponent in our games: `gymnasium.make("reasonenv/Nim-v0", opponent=opponent(agent))`.

    It is told the rules and the position each time, as such agents keep nothing. The move may stand in
    `<move>` tags, in brackets as TextArena's agents have it, or alone. Where no attempt names a legal move,
    one is drawn, the same in the same position.

    Args:
        agent: Takes text and gives text.
        attempts: How often it is asked, and told what was wrong, before a move is drawn.
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
    """The legal action that a text names.

    Raises:
        InvalidAction: It names none.
    """
    tagged = verifiers.read_answers([said], tag="move", reading="lenient")[0]
    bracketed = _BRACKETS.findall(said)
    named = tagged if tagged is not None else bracketed[-1] if bracketed else said
    action = state.read_action(named[:200])
    state.clone().apply(action)  # tells what is legal, where this is not
    return action
