"""Two-player games as PettingZoo AEC environments."""

import copy
import json
import os
from typing import Any, NoReturn, Self

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo import AECEnv

from reasonenv import _checks, _native
from reasonenv._settings import fields, settled, takes
from reasonenv.envs._render import check_render_mode, picture, print_frame, viewer
from reasonenv.envs._state import checked_text, reading_state, write_state

Observation = dict[str, NDArray[Any]]


AGENTS = ("player_0", "player_1")
PLAYERS = {agent: player for player, agent in enumerate(AGENTS)}

# An odd number near 2**64 over the golden ratio: its multiples visit each of the 2**64 seeds once.
NEXT_SEED = 0x9E3779B97F4A7C15

# Public attributes that `reset` sets, with one entry per remaining agent.
PUBLIC = ("agents", "rewards", "terminations", "truncations", "infos")


@takes("agents")
class GameAECEnv(AECEnv[str, Observation, Any]):
    """A game of two agents that take turns, `player_0` first; `GameModule.env` and `raw_env` create it.

    An observation is a dict of `observation`, a float32 array of the game's `shape` in [0, 1] with only what
    that agent may see, and `action_mask`, an int8 array of shape (actions,): 1 for each legal action, and all
    zeros for the agent that is not to move. Actions are integers. The caller may keep both arrays.

    When the game ends, `rewards` holds the agents' returns, which sum to zero, and both agents are
    terminated. The seed determines the outcomes of chance, such as a deal of cards.

    `infos[agent]` holds `cost`, what the agent's last step cost: if it was an illegal action, the weight of
    "invalid" in `cost_weights`, by default 1.0, and else 0.0; and `episode_cost`, the sum of those in this
    game. `invalid` is True after an illegal action, and `text` holds the agent's view as text if enabled.

    PettingZoo's usual wrappers are not needed: the environment handles illegal actions itself, and attributes
    that `reset` sets raise AttributeError before the first `reset`.

    Args:
        game: Name of a game, one of `reasonenv.list_games()`.
        params: Params of the game that replace its defaults; they may also be passed as keywords.
        render_mode: "ansi": `render` returns the position as text. "human": every step
            prints it. "rgb_array": `render` returns a picture of the board, a uint8 array of shape
            (height, width, 3).
        **settings: `reasonenv.types.AgentsSettings`, and params by name: `nim_v1.env(heaps=4)` is
            `nim_v1.env(params={"heaps": 4})`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; the message names it.
    """

    def __init__(
        self,
        game: str,
        *,
        params: dict[str, Any] | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        known = settled({name: settings.pop(name) for name in fields("agents") if name in settings}, "agents")
        self.game = _native.game(game, {**(params or {}), **settings} if settings else params)
        self.metadata = {
            "name": module_name(self.game),
            "render_modes": ["human", "ansi", "rgb_array"],
            "is_parallelizable": False,
            "render_fps": 4,
        }
        _checks.one_of("render_mode", render_mode, [None, *self.metadata["render_modes"]])
        self.illegal: str = known["illegal"]
        self.text: bool = known["text"]
        self.opening_plies: int = known["opening_plies"]
        self._tells = self.text or render_mode == "human"
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._actions = self.game.action_count
        seen: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0.0, 1.0, tuple(self.game.shape), np.float32),
            "action_mask": spaces.Box(0, 1, (self._actions,), np.int8),
        }
        # One space per agent, because callers seed each space's generator.
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(copy.deepcopy(seen)) for agent in AGENTS
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(self._actions) for agent in AGENTS
        }
        self._seed: int | None = None
        self._lost: str | None = None
        self._invalid: str | None = None
        self._illegals = {"player_0": 0, "player_1": 0}
        self._cost = float((known["cost_weights"] or {}).get("invalid", 1.0))
        # Illegal actions of an agent before the one that loses the game, if there is one.
        self._spare: int | None = 0
        if self.illegal == "retry":
            limited = known["cost_limit"] is not None and self._cost > 0.0
            self._spare = int(known["cost_limit"] // self._cost) if limited else None

    def __getattr__(self, name: str) -> NoReturn:
        # Reached only for attributes that `reset` has not set yet, and for unknown ones.
        if name in (*PUBLIC, "agent_selection", "num_agents"):
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def game_state(self) -> _native.State:
        """Copy of the game in progress, for `values()`, `best_actions()` and opponents.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return self._begun().clone()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the `Dict` space of `observation` and `action_mask`, the same object at every call.

        Raises:
            UnknownName: The agent does not exist.
        """
        try:
            return self.observation_spaces[agent]
        except (KeyError, TypeError):
            raise _checks.not_one_of("agent", agent, AGENTS) from None

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the `Discrete` space of actions, the same object at every call.

        Raises:
            UnknownName: The agent does not exist.
        """
        try:
            return self.action_spaces[agent]
        except (KeyError, TypeError):
            raise _checks.not_one_of("agent", agent, AGENTS) from None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Start a game.

        Args:
            seed: Seed from 0 to 2**64 - 1 of the game, which is `reasonenv.game(...).start(seed)`, and of all
                following games until another seed is given. Without a seed, games differ from run to run.
            options: Ignored.
        """
        if seed is not None:
            # Any whole number is accepted, but the full check takes as long as a move.
            if type(seed) is not int or not 0 <= seed < 2**64:
                seed = _checks.seed("seed", seed)
        elif self._seed is None:
            seed = int.from_bytes(os.urandom(8), "little")
        else:
            seed = (self._seed + NEXT_SEED) % 2**64
        state = self.game.start(seed, opening_plies=self.opening_plies)
        player = state.current_player
        before = vars(self).copy() if self._tells else {}
        self._seed, self._state, self._player = seed, state, player
        self._lost = self._invalid = None
        self._illegals = {"player_0": 0, "player_1": 0}
        self.agents = ["player_0", "player_1"]
        self.rewards = {"player_0": 0.0, "player_1": 0.0}
        self._cumulative_rewards = {"player_0": 0.0, "player_1": 0.0}
        self.terminations = {"player_0": False, "player_1": False}
        self.truncations = {"player_0": False, "player_1": False}
        # As `_put_infos` does, and faster.
        self.infos = {
            "player_0": {"cost": 0.0, "episode_cost": 0.0},
            "player_1": {"cost": 0.0, "episode_cost": 0.0},
        }
        self.agent_selection = AGENTS[player or 0]
        self._plain = not self._tells
        if self._tells:
            self._tell(before)

    def step(self, action: Any) -> None:
        """Play an action for the selected agent; None removes an agent whose game is over.

        Raises:
            ResetNeeded: Before the first `reset`, or when both agents have been removed.
            InvalidArgument: The agent is to move, and the action is not an integer.
            InvalidAction: The agent's game is over and the action is not None; or, with `illegal="raise"`,
                the action is not legal.
        """
        try:
            state, player = self._state, self._player
        except AttributeError:
            raise _reset_needed() from None
        if player is None:
            self._was_dead_step(action)
            return
        before = None if self._plain else {**vars(self), "_state": state.clone()}
        try:
            state.apply(action)
        except _native.InvalidAction as error:
            self._refuse(player, error)
        else:
            # Rewards are zero before the end, so until then there is nothing to clear or add up.
            self._player = state.current_player
            if self._player is None:
                first, second = state.returns or (0.0, 0.0)
                self._end(player, first, second)
            else:
                self.agent_selection = AGENTS[self._player]
            if before is None:
                return
            self._plain, self._invalid = not self._tells, None
            self._put_infos()
        if self._tells and before is not None:
            self._tell(before)

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, as the class describes it.

        Raises:
            ResetNeeded: Before the first `reset`.
            UnknownName: The agent does not exist.
        """
        try:
            state, player = self._state, PLAYERS[agent]
        except AttributeError:
            raise _reset_needed() from None
        except (KeyError, TypeError):
            raise _checks.not_one_of("agent", agent, AGENTS) from None
        mask = state.action_mask() if player == self._player else np.zeros(self._actions, np.int8)
        return {"observation": state.observation(player), "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last step, end flags and info of the selected agent.

        Raises:
            ResetNeeded: Both agents have been removed.
        """
        agent = self.agent_selection
        try:
            return (
                self.observe(agent) if observe else None,
                self._cumulative_rewards[agent],
                self.terminations[agent],
                self.truncations[agent],
                self.infos[agent],
            )
        except KeyError:
            raise _reset_needed() from None

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the position in one point of view, the first player's.

        Where information is hidden, it is that of the selected agent.

        Returns:
            A str in render mode "ansi", a picture in "rgb_array", None in "human", which prints the
            position, and without a render mode.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        state = self._begun()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        player = viewer(state, PLAYERS[self.agent_selection])
        if self.render_mode == "rgb_array":
            return picture(state.drawing(player))
        frame = state.text(player)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def close(self) -> None:
        """Do nothing: this env opens neither windows nor processes."""

    def clone(self) -> Self:
        """Return an independent environment in the same state."""
        return copy.deepcopy(self)

    def get_state(self) -> bytes:
        """Return the full state of this environment as JSON.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return write_state(
            state=self._begun().to_bytes().decode(),
            seed=self._seed,
            agents=self.agents,
            agent_selection=self.agent_selection,
            lost=self._lost,
            invalid=self._invalid,
            illegals=self._illegals,
        )

    def set_state(self, state: bytes) -> None:
        """Restore the output of `get_state` from this environment or one created with the same arguments.

        Raises:
            InvalidState: The state is damaged or of another game; this environment is unchanged.
        """
        with reading_state(state) as fields:
            held = self.game.from_bytes(checked_text("state", fields["state"]).encode())
            seed = _checks.seed("seed", fields["seed"])
            agents, selected = fields["agents"], fields["agent_selection"]
            lost, invalid = fields["lost"], fields["invalid"]
            over = held.is_over or lost is not None
            if held.is_chance:
                raise ValueError("chance is to act, which here it does by itself")
            turn = None if held.is_over else AGENTS[held.current_player or 0]
            # Only the agent to move plays illegal actions; the other one learns first that a game is over.
            loses = turn is not None and self.illegal != "raise" and self._spare is not None
            _checks.one_of("lost", lost, [None, turn] if loses else [None])
            retries = turn is not None and self.illegal == "retry"
            _checks.one_of("invalid", invalid, [lost, turn] if retries else [lost])
            illegals = {}
            for agent in AGENTS:
                least, most = int(agent == invalid), self._spare
                if most is not None and agent == lost:
                    least = most = most + 1
                illegals[agent] = _checks.whole("illegals", fields["illegals"][agent], least, most)
            last = turn if lost else self._last_mover(held) if held.is_over else None
            if last is None:
                _checks.one_of("agents", agents, [list(AGENTS)])
                _checks.one_of("agent_selection", selected, [turn])
            else:
                _checks.one_of("agents", agents, [list(AGENTS), [last], []])
                other = AGENTS[1 - PLAYERS[last]]
                _checks.one_of("agent_selection", selected, [other if len(agents) == len(AGENTS) else last])
        got = dict.fromkeys(agents, 0.0)
        if lost is not None:
            got = {agent: -1.0 if agent == lost else 1.0 for agent in agents}
        elif returns := held.returns:
            got = {agent: returns[PLAYERS[agent]] for agent in agents}
        self._seed, self._state, self._player = seed, held, None if over else held.current_player
        self._lost, self._invalid, self._illegals = lost, invalid, illegals
        self.agents = list(agents)
        # The step that ended the game rewarded both agents at once.
        self.rewards = dict(got) if len(agents) == len(AGENTS) else dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = got
        self.terminations = dict.fromkeys(agents, over)
        self.truncations = dict.fromkeys(agents, False)
        self._put_infos()
        self.agent_selection = selected
        self._plain = False
        self._put_texts()

    def _last_mover(self, over: _native.State) -> str:
        """Return the agent whose move ended a game."""
        saved = json.loads(over.to_bytes())
        while over.is_over:
            saved["moves"].pop()
            over = self.game.from_bytes(json.dumps(saved).encode())
        return AGENTS[over.current_player or 0]

    def _begun(self) -> _native.State:
        try:
            return self._state
        except AttributeError:
            raise _reset_needed() from None

    def _refuse(self, player: int, error: Exception) -> None:
        """Handle an illegal action."""
        agent = AGENTS[player]
        if self.illegal == "raise":
            raise _native.InvalidAction(f"{agent}: {error}") from None
        self._plain, self._invalid = False, agent
        self._illegals = self._illegals | {agent: self._illegals[agent] + 1}
        self._put_infos()
        if self._spare is not None and self._illegals[agent] > self._spare:
            self._player, self._lost = None, agent
            self._end(player, *((-1.0, 1.0) if player == 0 else (1.0, -1.0)))

    def _end(self, mover: int, first: float, second: float) -> None:
        """End the game; the other agent is selected next."""
        self.rewards = {"player_0": first, "player_1": second}
        self._cumulative_rewards = {"player_0": first, "player_1": second}
        self.terminations = {"player_0": True, "player_1": True}
        self.agent_selection = AGENTS[1 - mover]

    def _was_dead_step(self, action: Any) -> None:
        # As in AECEnv, but without its search for dead agents, because both agents are dead.
        if not self.agents:
            raise _reset_needed()
        if action is not None:
            raise _native.InvalidAction(
                f"{self.agent_selection}: the game is over, so the only action is None"
            )
        gone = self.agent_selection
        self.agents.remove(gone)
        for held in (self.terminations, self.truncations, self._cumulative_rewards, self.infos):
            del held[gone]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _put_infos(self) -> None:
        self.infos = {
            agent: {"cost": 0.0, "episode_cost": self._cost * self._illegals[agent]} for agent in self.agents
        }
        if self._invalid in self.infos:
            self.infos[self._invalid] |= {"invalid": True, "cost": self._cost}

    def _put_texts(self) -> None:
        if self.text:
            for agent in self.agents:
                self.infos[agent]["text"] = self._message(PLAYERS[agent])

    def _tell(self, before: dict[str, Any]) -> None:
        """Put texts into infos and print the position, if enabled; an exception leaves all unchanged."""
        try:
            self._put_texts()
            if self.render_mode == "human":
                self.render()
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _message(self, player: int) -> str:
        state = self._state
        board = state.text(player)
        if player != self._player:
            return board
        legal = ", ".join(map(state.action_name, state.legal_actions()))
        return f"{board}\n\nAvailable {self.game.moves_are_called}: [{legal}]\n\nYour turn."


def module_name(game: _native.Game) -> str:
    """Return the name of a game's module and environment, such as `tic_tac_toe_v1`."""
    return f"{game.name}_v{game.version}"


def _reset_needed() -> ResetNeeded:
    return ResetNeeded("no game is in progress; call reset()")
