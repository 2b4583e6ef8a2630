"""Tinker's cookbook: games whose two seats are a group. Needs the `tinker` extra.

    from reasonenv.integrations.tinker_turns import game_group

    seats = game_group("tic_tac_toe", renderer, seed=0)

Groups are pickled and rebuilt elsewhere, so they hold names, numbers and JSON, but no games.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reasonenv import _native
from reasonenv.envs import GameEnv
from reasonenv.integrations._items import needs

with needs("tinker", "tinker-cookbook"):
    from tinker_cookbook.renderers import Message, Renderer, get_text_content
    from tinker_cookbook.rl.message_env import EnvFromMessageEnv, MessageEnv, MessageStepResult
    from tinker_cookbook.rl.types import Env, EnvGroupBuilder

__all__ = ["SeatsGroupBuilder", "game_group"]

_PATIENCE = 1800.0
"""Seconds that one seat waits for the other."""


@dataclass
class _Table:
    """A game that two seats share. Each seat waits for its turn or the end of the game."""

    env: GameEnv
    seen: str = ""
    info: dict[str, Any] = field(default_factory=dict)
    is_over: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def turn(self, seat: int) -> None:
        """Wait for a seat's turn. A seat that takes too long counts as having left, and loses."""
        try:
            async with asyncio.timeout(_PATIENCE), self.changed:
                await self.changed.wait_for(lambda: self.is_over or self.info["current_player"] == seat)
        except TimeoutError:
            await self.leave(1 - seat)

    async def leave(self, seat: int) -> None:
        """End the game as a loss for a seat, unless it is already over."""
        async with self.changed:
            if not self.is_over:
                self.is_over = True
                self.info = {**self.info, "returns": (-1.0, 1.0) if seat == 0 else (1.0, -1.0)}
            self.changed.notify_all()

    async def say(self, text: str) -> None:
        async with self.changed:
            self.seen, _, terminated, truncated, self.info = self.env.step(text)
            self.is_over = terminated or truncated
            self.changed.notify_all()


class SeatEnv(MessageEnv):
    """One seat of a game whose other seat is played by the same policy."""

    def __init__(self, table: _Table, seat: int) -> None:
        self._table, self._seat = table, seat
        self._messages: list[Message] = []

    async def initial_observation(self) -> list[Message]:
        """Return the rules and, once it is this seat's turn, the position."""
        await self._table.turn(self._seat)
        rules = self._table.env.instructions
        self._messages = [Message(role="user", content=f"{rules}\n\n{self._table.seen}")]
        return list(self._messages)

    async def step(self, message: Message) -> MessageStepResult:
        """Move, then wait for the other seat. At the end each seat gets its return."""
        table = self._table
        self._messages.append(message)
        if not table.is_over:
            await table.say(get_text_content(message))
            await table.turn(self._seat)
        if not table.is_over:
            self._messages.append(Message(role="user", content=table.seen))
            return MessageStepResult(0.0, False, list(self._messages))
        reward = float(table.info.get("returns", (0.0, 0.0))[self._seat])
        results = {"win": reward > 0, "draw": reward == 0, "loss": reward < 0}
        metrics = {name: float(one) for name, one in results.items()}
        return MessageStepResult(reward, True, list(self._messages), metrics)


class _SeatTokens(EnvFromMessageEnv):
    """A seat in tokens. If it ends early, as after a truncated reply, the other seat does not wait."""

    def __init__(self, renderer: Renderer, table: _Table, seat: int) -> None:
        super().__init__(renderer, SeatEnv(table, seat))
        self._table, self._seat = table, seat

    async def initial_observation(self) -> Any:
        """Same as for the seat."""
        return await self._kept(super().initial_observation(), lambda seen: isinstance(seen, tuple))

    async def step(self, action: Any, *, extra: Any = None) -> Any:
        """Same as for the seat."""
        return await self._kept(super().step(action, extra=extra), lambda result: not result.episode_done)

    async def _kept(self, doing: Awaitable[Any], goes_on: Callable[[Any], bool]) -> Any:
        stays = False
        try:
            result = await doing
            stays = goes_on(result)
        finally:
            if not stays:
                await self._table.leave(self._seat)
        return result


@dataclass(frozen=True)
class SeatsGroupBuilder(EnvGroupBuilder):
    """Both seats of one zero-sum game as a group."""

    game: str
    renderer: Renderer
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    async def make_envs(self) -> Sequence[Env]:
        """Make the two seats; the first one moves first."""
        env = GameEnv(self.game, mode="text", opponent="self", **self.options)
        table = _Table(env)
        table.seen, table.info = env.reset(seed=self.seed)
        return [_SeatTokens(self.renderer, table, seat) for seat in (0, 1)]

    def logging_tags(self) -> list[str]:
        """Return the tags of its metrics."""
        return [f"reasonenv/{self.game}"]


def game_group(game: str, renderer: Renderer, seed: int = 0, **options: Any) -> SeatsGroupBuilder:
    """Make the group of a game's two seats; the options are those of `GameEnv`, such as `params`.

    Raises:
        ReasonEnvError: The game or an option does not exist.
    """
    _native.game(game, options.get("params"))
    return SeatsGroupBuilder(game, renderer, seed, options)
