"""Adapter between a Python-defined game and the extension.

States and params cross as text, and exceptions name the method that raised them.
"""

import hashlib
import json
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv._native import GameError, Rng
from reasonenv.kit import _plain
from reasonenv.kit._asked import raised_in, told
from reasonenv.kit._game import GameRules

Told = tuple[str, int, list[int], list[int], tuple[float, float], int, bytes]
"""State as JSON, turn, legal actions, their weights, returns, plies left, and keys of 16 bytes each."""

_TURNS: dict[Any, int] = {0: 0, 1: 1, "chance": 2, None: 3}
_MOST_ACTIONS, _MOST_CELLS = 256, 65_536


class AskedGameFamily:
    """A registered Python-defined game, as the extension calls it."""

    def __init__(self, kind: type[GameRules[Any, Any]]) -> None:
        self.kind = kind

    def make(self, text: str) -> tuple["AskedGame", str]:
        """Make the game for the given params, and describe it as JSON."""
        name = self.kind.about.name
        try:
            given = _plain.from_json(text, self.kind.params)
            with raised_in(GameError, name, "__init__"):
                made = self.kind(given)
        except ValueError as error:
            msg = f"{name}: {told(error)}"
            raise error if isinstance(error, GameError) else GameError(msg) from error
        asked = AskedGame(made)
        return asked, json.dumps(asked.known())


class AskedGame:
    """A game with its params."""

    def __init__(self, game: GameRules[Any, Any]) -> None:
        self.game = game
        self._name = game.about.name

    def _in(self, method: str) -> Any:
        return raised_in(GameError, self._name, method)

    def _gave(self, method: str, given: object, must: str) -> GameError:
        return GameError(f"{self._name}.{method} gave {_checks.shown(given)}, but must give {must}")

    def known(self) -> dict[str, Any]:
        """The facts that stay constant during play."""
        names = self._texts("actions", self._asked("actions"))
        if not 1 <= len(names) <= _MOST_ACTIONS:
            raise self._gave("actions", names, f"1 to {_MOST_ACTIONS} names")
        shape = self._asked("shape")
        try:
            sizes = [_checks.whole("shape", size, 1, _MOST_CELLS) for size in shape]
        except (TypeError, ValueError):
            sizes = []
        if not sizes or int(np.prod(sizes)) > _MOST_CELLS:
            raise self._gave("shape", shape, f"positive sizes of at most {_MOST_CELLS} numbers together")
        self._shape = tuple(sizes)
        self._actions = len(names)
        most = self._whole("max_plies", self._asked("max_plies"), 1, self.game.about.max_plies)
        self._max_plies = most
        return {
            "names": names,
            "max_plies": most,
            "shape": sizes,
            "rules": self._text("rules", self._asked("rules")),
            "roles": [self._text("role_text", self._asked("role_text", player)) for player in (0, 1)],
        }

    def _asked(self, method: str, *args: Any) -> Any:
        with self._in(method):
            return getattr(self.game, method)(*args)

    def _text(self, method: str, given: object) -> str:
        try:
            return _checks.text(method, given)
        except ValueError:
            raise self._gave(method, given, "text") from None

    def _texts(self, method: str, given: Any) -> list[str]:
        if isinstance(given, str):
            raise self._gave(method, given, "several texts")
        with self._in(method):
            items = list(given)
        return [self._text(method, item) for item in items]

    def _whole(self, method: str, given: object, least: int, most: int) -> int:
        try:
            return _checks.whole(method, given, least, most)
        except ValueError:
            raise self._gave(method, given, f"a whole number between {least} and {most}") from None

    def _state(self, text: str) -> Any:
        return _plain.from_json(text, self.game.state)

    # Play.

    def start(self, rng: Rng) -> Told:
        return self._told("start", self._asked("start", rng))

    def apply(self, text: str, action: int) -> Told:
        return self._told("apply", self._asked("apply", self._state(text), action))

    def _told(self, method: str, state: Any) -> Told:
        kind = self.game.state
        if kind is not None and type(state) is not kind:
            raise self._gave(method, state, f"a {kind.__name__}")
        try:
            text = _plain.to_json(state)
            turn = self._turn(self._state(text))
        except GameError:
            raise
        except ValueError as error:
            msg = f"{self._name}.{method} gave a state in which {told(error)}"
            raise GameError(msg) from error
        keys = b"".join(self._key(self._state(text), player) for player in (0, 1, 2))
        if turn == _TURNS[None]:
            return text, turn, [], [], self._returns(self._state(text)), 0, keys
        legal = self._legal(self._state(text))
        weights = self._weights(self._state(text), legal) if turn == _TURNS["chance"] else []
        left = self._whole("plies_left", self._asked("plies_left", self._state(text)), 1, self._max_plies)
        return text, turn, legal, weights, (0.0, 0.0), left, keys

    def _turn(self, state: Any) -> int:
        given = self._asked("turn", state)
        known = given is None or given == "chance" or (isinstance(given, int) and not isinstance(given, bool))
        if not known or given not in _TURNS:
            raise self._gave("turn", given, '0, 1, "chance" or None')
        if given == "chance" and not self.game.about.chance:
            raise self._gave("turn", given, "no turn of chance unless `about.chance` is True")
        return _TURNS[given]

    def _legal(self, state: Any) -> list[int]:
        given = self._asked("legal", state)
        with self._in("legal"):
            legal = sorted(given)
        last = self._actions - 1
        if not legal or len({*legal}) < len(legal):
            raise self._gave("legal", given, "actions, one at least and none twice, while the game goes on")
        return [self._whole("legal", action, 0, last) for action in legal]

    def _weights(self, state: Any, legal: list[int]) -> list[int]:
        given = self._asked("chance_weights", state)
        with self._in("chance_weights"):
            weights = list(given)
        if len(weights) != len(legal):
            raise self._gave("chance_weights", given, f"{len(legal)} weights, one for each legal action")
        return [self._whole("chance_weights", weight, 1, 2**32) for weight in weights]

    def _returns(self, state: Any) -> tuple[float, float]:
        given = self._asked("returns", state)
        most = 1e6 if self.game.about.stakes else 1.0
        try:
            first, second = (_checks.number("returns", result, -most, most) for result in given)
        except (TypeError, ValueError):
            raise self._gave("returns", given, f"two numbers between {-most:g} and {most:g}") from None
        if first + second != 0:
            raise self._gave("returns", given, "two numbers that sum to 0")
        return first, second

    def _key(self, state: Any, player: int) -> bytes:
        # Chance (player 2) sees the whole state.
        key = state if player == 2 else self._asked("key", state, player)
        try:
            return hashlib.sha256(_plain.canonical(key).encode()).digest()[:16]
        except ValueError as error:
            msg = f"{self._name}.key gave plain data in which {told(error)}"
            raise GameError(msg) from error

    # Looking and reading.

    def show(self, text: str, player: int) -> str:
        return self._text("show", self._asked("show", self._state(text), player))

    def observe(self, text: str, player: int) -> list[float]:
        given = self._asked("observe", self._state(text), player)
        try:
            seen = np.asarray(given, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._gave("observe", given, "numbers") from None
        if seen.shape != self._shape:
            raise self._gave("observe", seen.shape, f"an array of the shape {self._shape}")
        if not ((seen >= 0) & (seen <= 1)).all():
            raise self._gave("observe", seen, "numbers between 0 and 1")
        return [float(cell) for cell in seen.ravel()]

    def read_action(self, text: str) -> tuple[int | None, str]:
        try:
            given = self.game.read_action(text)
        except ValueError as error:
            return None, told(error)
        except Exception as error:
            msg = f"{self._name}.read_action raised {_checks.described(error)}"
            raise GameError(msg) from error
        return self._whole("read_action", given, 0, self._actions - 1), ""

    def why_illegal(self, text: str, action: int) -> str:
        return self._text("why_illegal", self._asked("why_illegal", self._state(text), action))

    def draw(self, text: str, player: int) -> tuple[int, int, list[tuple[str, list[int], str, str]]]:
        given = self._asked("draw", self._state(text), player)
        with self._in("draw"):
            rows, columns, shapes = given
            drawn = [
                (str(kind), [int(number) for number in numbers], str(ink), str("".join(text)))
                for kind, numbers, ink, *text in shapes
            ]
            return (
                self._whole("draw", rows, 1, 1000),
                self._whole("draw", columns, 1, 1000),
                drawn,
            )
