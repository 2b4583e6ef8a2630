"""Contracts of games."""

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from reasonenv import _checks, envs
from reasonenv._native import Game, InvalidAction, State, Unsolved, game
from reasonenv.kit import Rng, _plain
from reasonenv.kit import _game as own_game
from reasonenv.kit._register import REGISTERED_GAMES, register_game
from reasonenv.testing._findings import Findings
from reasonenv.testing._texts import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_POSITIONS = 20_000
_MOST_TRIED = 50
"""Positions searched after each ply for a line that is longer than `plies_left` says."""


def check_game(
    unit: str | Game | type[own_game.GameRules[Any, Any]], *, games: int = 8, seed: int = 0
) -> None:
    """Check a game against all contracts under each of its `variants`; return silently if it keeps them.

    A class is registered first and replaces a game of the same name.

    Args:
        unit: A game, its name, or a subclass of `kit.GameRules`.
        games: Random games played for each choice of params.
        seed: Seed of the games.

    Raises:
        BrokenContract: Some contracts are broken; lists all of them, with examples and fixes.
        InvalidArgument: The class declares an invalid fact; see `register_game`.
    """
    _checks.whole("games", games, 1)
    _checks.seed("seed", seed)
    if isinstance(unit, Game):
        checked = unit
    elif isinstance(unit, str):
        checked = game(unit)
    else:
        checked = register_game(unit, replace=True)
    findings = Findings(checked.name)
    for params in checked.variants:
        check = _GameCheck(checked.name, params, findings, games, seed)
        contracts: dict[str, Callable[[], None]] = {
            "docs": check.docs,
            "names": check.names,
            "play": check.play,
            "plies left": check.plies_left,
            "value": check.value,
            "environment": check.environment,
        }
        for contract, run in contracts.items():
            findings.run(contract, run)
    findings.close()


class _GameCheck:
    def __init__(self, name: str, params: dict[str, Any], findings: Findings, games: int, seed: int) -> None:
        self.name, self.params, self.findings, self.games, self.seed = name, params, findings, games, seed
        self.unit = game(name, params)
        self._seen: dict[tuple[int, str], tuple[object, ...]] = {}

    def docs(self) -> None:
        """The params have docs, and the rules are long enough for a newcomer."""
        for name, about in self.unit.params_schema["properties"].items():
            self.findings.expect(
                bool(about.get("description", "").strip()), "docs", f"the param `{name}` has no doc; give one"
            )
        self.findings.expect(
            len(self.unit.rules.split()) >= 8,
            "docs",
            "`rules` says too little for someone who never played it",
        )

    def names(self) -> None:
        """Every action is read back from its name, and any other text is read or refused."""
        for action in range(self.unit.action_count):
            name = self.unit.action_name(action)
            for said in (name, f" {name.upper()} "):
                try:
                    read = self.unit.read_action(said)
                except InvalidAction as error:
                    self.findings.expect(
                        False,
                        "names",
                        f"{said!r} is not read as the action {action}, whose name it is: {error}",
                    )
                    continue
                self.findings.expect(
                    read == action,
                    "names",
                    f"{said!r}, the name of the action {action}, is read as {read}; give each "
                    "a name of its own",
                )
        for text in HOSTILE:
            try:
                self.unit.read_action(text)
            except InvalidAction as error:
                self.findings.expect(
                    len(str(error)) < 2_000, "names", f"the error on the text {text[:20]!r} is too long"
                )

    def play(self) -> None:
        """Random games end within bounds, replay, and survive saving."""
        for number in range(self.games):
            rng = Rng(self.seed, number)
            state = self.unit.start(self.seed + number)
            while not state.is_over:
                self._look(state)
                plies = len(state.moves)
                if plies > self.unit.max_plies:
                    told = f"a game lasts more than {self.unit.max_plies} plies; raise `max_plies`"
                    self.findings.expect(False, "play", told)
                    return
                self._refuses(state)
                state.apply(rng.pick(state.legal_actions()))
            self._look(state)
            again = self.unit.start(self.seed + number)
            opened = len(again.moves)
            for action in state.moves[opened:]:
                if not again.is_over and action in again.legal_actions():
                    again.apply(action)
            self.findings.expect(
                again == state or self.unit.has_chance,
                "play",
                "the same moves from the same seed lead to another state; let methods depend "
                "on their arguments alone",
            )
            self.findings.expect(
                State.from_bytes(state.to_bytes()) == state,
                "play",
                "a state is another one once it was saved and read",
            )

    def _refuses(self, state: State) -> None:
        """An illegal action is refused."""
        legal = {*state.legal_actions()}
        other = next((action for action in range(self.unit.action_count) if action not in legal), None)
        if other is not None:
            try:
                state.clone().apply(other)
            except InvalidAction:
                return
            self.findings.expect(False, "play", f"the action {other} is played though it is not legal")

    def _look(self, state: State) -> None:
        """Drawings and texts are not empty, and states with the same key look the same."""
        for player in (0, 1):
            seen = np.asarray(state.observation(player))
            text = state.text(player)
            rows, columns, _ = state.drawing(player)
            self.findings.expect(rows > 0 and columns > 0, "play", "`draw` gives a picture without cells")
            self.findings.expect(bool(text.strip()), "play", f"`show` is empty for player {player}")
            own = _key(self.name, self.params, state, player)
            if own is None:
                continue
            turn = state.current_player
            mover = tuple(state.legal_actions()) if turn == player else ()
            facts = (turn, mover, seen.tobytes(), text)
            known = self._seen.setdefault((player, own), facts)
            self.findings.expect(
                known == facts,
                "keys",
                f"two states that player {player} sees differently have one `key`; put into "
                "it all that the player "
                "can tell apart",
            )

    def plies_left(self) -> None:
        """`plies_left` is an upper bound on the plies that follow."""
        own = REGISTERED_GAMES.get(self.name)
        if own is None:
            return
        line = _PythonGame(own(own.params(**self.params)))
        for number in range(self.games):
            rng = Rng(self.seed, number)
            state, said = line.game.start(rng), list[int]()
            while line.actions(state):
                said.append(line.game.plies_left(line.copy(state)))
                longer = line.outlasts(state, said[-1], [_MOST_TRIED])
                self._follow(said[-1], said[-1] + 1 if longer else 0, len(said) - 1)
                state = line.game.apply(line.copy(state), rng.pick(line.actions(state)))
            for ply, most in enumerate(said):
                self._follow(most, len(said) - ply, ply)

    def _follow(self, said: int, plies: int, after: int) -> None:
        self.findings.expect(
            plies <= said,
            "plies left",
            f"`plies_left` says {said} after {after} plies, but {plies} may follow; say the most that may, "
            "or long searches are taken for short ones",
        )

    def value(self) -> None:
        """The declared value agrees with a search."""
        value = self.unit.value
        if value is None or self.params or self.unit.unsolvable_reason is not None:
            return
        state = self.unit.start(self.seed)
        try:
            values = state.values(max_positions=_MOST_POSITIONS)
        except Unsolved:
            return
        best = max(found.outcome for found in values.values())
        sign = 1 if state.current_player == 0 else -1
        self.findings.expect(
            sign * best == np.sign(value),
            "value",
            f"`about.value` is {value:g}, but a search finds {sign * best}; mend the rules or the value",
        )

    def environment(self) -> None:
        """Episodes run and end, with arrays and with text."""
        modes: tuple[dict[str, Any], ...] = ({}, {"mode": "text"})
        for keywords in modes:
            env = gymnasium.make(envs.env_id(self.name), params=self.params, **keywords)
            rng = Rng(self.seed, 77)
            for episode in range(2):
                _, info = env.reset(seed=self.seed + episode)
                for _ in range(2 * self.unit.max_plies + 2):
                    playing = env.unwrapped
                    state = playing.state  # type: ignore[attr-defined]
                    action: Any = rng.pick(state.legal_actions())
                    if keywords:
                        action = f"<answer>{self.unit.action_name(action)}</answer>"
                    _, _, terminated, truncated, info = env.step(action)
                    if terminated or truncated:
                        break
                else:
                    self.findings.expect(False, "environment", f"an episode does not end; {info}")
            if keywords:
                env.reset(seed=self.seed)
                env.step("<answer>no such move</answer>")
            env.close()


class _PythonGame:
    """A Python-defined game, played by its own methods on copies of the state."""

    def __init__(self, game: own_game.GameRules[Any, Any]) -> None:
        self.game = game

    def copy(self, state: Any) -> Any:
        return _plain.from_json(_plain.to_json(state), self.game.state)

    def actions(self, state: Any) -> list[int]:
        """Legal actions or outcomes of chance; empty once the game is over."""
        return [] if self.game.turn(self.copy(state)) is None else list(self.game.legal(self.copy(state)))

    def outlasts(self, state: Any, plies: int, tries: list[int]) -> bool:
        """True if a line longer than `plies` is found within `tries[0]` positions."""
        for action in self.actions(state):
            if tries[0] <= 0:
                return False
            tries[0] -= 1
            if plies == 0 or self.outlasts(self.game.apply(self.copy(state), action), plies - 1, tries):
                return True
        return False


def _key(name: str, params: dict[str, Any], state: State, player: int) -> str | None:
    """Key of a state of a Python-defined game; None for other games and for random starts."""
    kind = REGISTERED_GAMES.get(name)
    if kind is None:
        return None
    made = kind(kind.params(**params))
    reached = made.start(Rng(0, 0))
    if _plain.canonical(reached) != _plain.canonical(made.start(Rng(1, 0))):
        return None  # the start is drawn at random, so the state cannot be replayed
    for action in state.moves:
        reached = made.apply(reached, action)
    return _plain.canonical(made.key(reached, player))
