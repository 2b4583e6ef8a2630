"""Python-defined games wherever a game can be used, and refused if they break a contract."""

import itertools
import pickle
from typing import Any, cast

import gymnasium
import pytest
import reasonenv
from gymnasium.utils.env_checker import check_env
from own_units import Race, RaceParams, RaceState
from reasonenv import arena, kit
from reasonenv.errors import (
    GameError,
    InvalidAction,
    InvalidArgument,
    InvalidOpponent,
    InvalidParams,
    UnknownGame,
    Unsolved,
    Unsupported,
)
from reasonenv.testing import BrokenContract, check_game

NAME = Race.about.name


def changed(**methods: Any) -> type[Race]:
    """The game with other methods."""
    return type("Changed", (Race,), methods)


def facts(**given: Any) -> kit.GameAbout:
    known = {name: getattr(Race.about, name) for name in Race.about.__dataclass_fields__}
    return kit.GameAbout(**(known | given))


def test_it_is_a_game_by_name(race: reasonenv.Game) -> None:
    names: list[str] = list(reasonenv.list_games())
    assert NAME in names
    assert names == sorted(names)
    game = reasonenv.game(NAME, {"goal": 5})
    assert (game.max_plies, game.action_count, game.shape, game.params) == (5, 2, [1, 1, 6], {"goal": 5})
    state = game.start(seed=3)
    for action in ("add 1", "ADD 2", " add2 "):
        state.apply(game.read_action(action))
    assert state.is_over
    assert state.returns == [1.0, -1.0]
    assert state.text(0) == "The number is 5 of 5."
    assert state.observation(1).tolist() == [[[0, 0, 0, 0, 0, 1]]]
    assert state.drawing()[:2] == (1, 6)
    assert pickle.loads(pickle.dumps(state)) == state
    assert pickle.loads(pickle.dumps(game)) == game
    with pytest.raises(InvalidAction, match="a move is one of add 1, add 2"):
        game.read_action("add 3")
    with pytest.raises(InvalidParams, match="`goal` is 2, but must be between 3 and 30"):
        reasonenv.game(NAME, {"goal": 2})


def test_it_is_solved(race: reasonenv.Game) -> None:
    state = race.start()
    assert {action: value.outcome for action, value in state.values().items()} == {0: 1, 1: -1}
    assert state.best_actions() == [0]
    minimax, chance = race.opponent("minimax"), race.opponent("random")
    assert race.duel(minimax, chance)[0] == 1.0
    assert minimax(state) == 0
    assert race.opponent("heuristic")(state) in (0, 1)


def test_gymnasium_plays_it(race: reasonenv.Game) -> None:
    env = gymnasium.make("reasonenv/OwnRace-v1", params={"goal": 6})
    check_env(env.unwrapped, skip_render_check=True)
    text = gymnasium.make("reasonenv/OwnRace-v1", mode="text")
    message, info = text.reset(seed=1)
    assert "The number is" in message
    assert "Who reaches 7 wins" in info["instructions"]
    _, _, terminated, _, info = text.step("<answer>add 9</answer>")
    assert info["invalid"] or terminated
    vector = gymnasium.make_vec("reasonenv/OwnRace-v1", 70, opponent="random")
    _, infos = vector.reset(seed=0)
    done = 0
    for _ in range(8):
        mask = infos["action_mask"]
        _, _, terminations, _, infos = vector.step(mask.argmax(axis=1))
        done += int(terminations.sum())
    assert done >= 70
    regret = gymnasium.make("reasonenv/OwnRace-v1", analysis=True)
    regret.reset(seed=0)
    assert "regret" in regret.step(0)[4]


@pytest.mark.filterwarnings("ignore:.*:UserWarning:pettingzoo")
def test_two_agents_play_it(race: reasonenv.Game) -> None:
    from pettingzoo.test.api_test import api_test  # noqa: PLC0415
    from reasonenv import pettingzoo  # noqa: PLC0415

    module = cast("Any", pettingzoo).own_race_v1
    env = module.env()
    api_test(env, num_cycles=20)
    table = arena.round_robin(race, ["random", "minimax", "heuristic"], games=6)
    assert table.pairing("minimax", "random").losses <= 3


def test_an_opponent_may_be_a_callable(race: reasonenv.Game) -> None:
    env = gymnasium.make(
        "reasonenv/OwnRace-v1", opponent=lambda state: state.legal_actions()[0], seat="first"
    )
    env.reset(seed=0)
    total = 0
    terminated = False
    while not terminated:
        terminated = env.step(0)[2]
        total += 1
    assert total <= 7


def test_the_contracts_hold(race: reasonenv.Game) -> None:
    check_game(Race, games=4)


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "kuhn_poker"])
def test_the_contracts_hold_for_built_in_games(name: str) -> None:
    check_game(name, games=2)


BOOM = RuntimeError("boom")
COUNTER = itertools.count()


def boom(*_: Any) -> Any:
    raise BOOM


def late_boom(self: Race, state: RaceState, action: int) -> RaceState:
    if state.total >= 3:
        raise BOOM
    return Race.apply(self, state, action)


def test_what_a_method_raises_is_an_error_that_names_it(race: reasonenv.Game) -> None:
    game = reasonenv.register_game(changed(apply=late_boom), replace=True)
    state = game.start()
    state.apply(1)
    state.apply(0)
    before = state.to_bytes()
    with pytest.raises(GameError, match=rf"^{NAME}\.apply raised RuntimeError: boom$") as caught:
        state.apply(0)
    assert caught.value.__cause__ is BOOM
    assert state.to_bytes() == before
    for call in (
        state.values,
        lambda: game.opponent("minimax")(state),
        lambda: game.start().values(),
    ):
        with pytest.raises(GameError):
            call()
    for number in (1, 70):
        with pytest.raises(GameError):
            steps(gymnasium.make_vec("reasonenv/OwnRace-v1", number, opponent="random"), [0] * number)
    with pytest.raises(GameError):
        steps(gymnasium.make("reasonenv/OwnRace-v1", opponent="random"), 0)


def steps(env: Any, action: Any) -> None:
    env.reset(seed=0)
    for _ in range(7):
        env.step(action)


LOOKS: dict[str, Any] = {
    "show": lambda game: game.start().text(),
    "observe": lambda game: game.start().observation(),
    "read_action": lambda game: game.read_action("x"),
    "draw": lambda game: game.start().drawing(),
    "start": lambda game: game.start(),
}


@pytest.mark.parametrize("method", LOOKS)
def test_what_is_raised_while_a_game_is_looked_at(race: reasonenv.Game, method: str) -> None:
    game = reasonenv.register_game(changed(**{method: boom}), replace=True)
    with pytest.raises(GameError, match=rf"\.{method} raised RuntimeError: boom"):
        LOOKS[method](game)
    mode: dict[str, Any] | None = {"show": {"mode": "text"}, "observe": {}}.get(method)
    if mode is not None:
        env = gymnasium.make("reasonenv/OwnRace-v1", **mode)
        with pytest.raises(GameError):
            env.reset(seed=0)


WRONG_GIFTS: dict[str, tuple[dict[str, Any], str]] = {
    "a state of another kind": ({"start": lambda *_: {"total": 0}}, r"start gave .* must give a RaceState"),
    "a turn of nobody": ({"turn": lambda *_: 2}, r"turn gave 2, but must give 0, 1"),
    "a turn of chance": (
        {"turn": lambda *_: "chance"},
        r"turn gave 'chance', but must give no turn of chance",
    ),
    "no legal action": ({"legal": lambda *_: []}, r"legal gave \[\]"),
    "an action that is none": (
        {"legal": lambda *_: [2]},
        r"legal gave 2, but must give a whole number between 0 and 1",
    ),
    "too many plies left": ({"plies_left": lambda *_: 99}, r"plies_left gave 99"),
}


@pytest.mark.parametrize("wrong", WRONG_GIFTS)
def test_what_a_method_must_not_give_is_an_error(race: reasonenv.Game, wrong: str) -> None:
    methods, says = WRONG_GIFTS[wrong]
    game = reasonenv.register_game(changed(**methods), replace=True)
    with pytest.raises(GameError, match=says):
        game.start()


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"about": None}, "must be a kit.GameAbout"),
        ({"about": facts(name="Own race")}, "`about.name`"),
        ({"about": facts(name="chain_sum")}, "the name of a family"),
        ({"about": facts(players=("one", "one"))}, "`about.players`"),
        ({"params": dict}, "must be a dataclass"),
        ({"actions": lambda self: []}, "actions gave"),
        ({"shape": lambda self: [0]}, "shape gave"),
        ({"max_plies": lambda self: 99}, "max_plies gave 99"),
        ({"rules": lambda self: 5}, "rules gave 5"),
        ({"rules": boom}, "rules raised RuntimeError"),
    ],
)
def test_what_is_no_game_is_refused(methods: dict[str, Any], says: str) -> None:
    with pytest.raises((InvalidArgument, GameError), match=says):
        reasonenv.register_game(changed(**methods))
    assert NAME not in reasonenv.list_games()


def test_a_name_is_taken_once(race: reasonenv.Game) -> None:
    with pytest.raises(Unsupported, match="pass `replace=True`"):
        reasonenv.register_game(Race)
    with pytest.raises(Unsupported, match="a built-in game has this name"):
        reasonenv.register_game(changed(about=facts(name="nim")), replace=True)
    with pytest.raises(Unsupported, match="a built-in game stays"):
        reasonenv.unregister_game("nim")
    state = race.start()
    reasonenv.unregister_game(NAME)
    state.apply(0)
    with pytest.raises(UnknownGame):
        reasonenv.game(NAME)
    assert "reasonenv/OwnRace-v1" not in gymnasium.registry


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "names that are the same": ({"actions": lambda self: ["add", "ADD"]}, "names"),
    "reading that raises": ({"read_action": boom}, "raises"),
    "rules that say nothing": ({"rules": lambda self: "Add."}, "docs"),
    "a value that is not true": ({"about": facts(value=-1.0)}, "value"),
    "a key that tells too little": ({"key": lambda self, state, player: 0}, "keys"),
    "a picture of nothing": ({"show": lambda self, state, player: " "}, "play"),
    "moves that depend on what was before": (
        {
            "apply": lambda self, state, action: RaceState(
                Race.apply(self, state, action).total, 1 - state.mover, [next(COUNTER)]
            )
        },
        "play",
    ),
    "plies left that are always 1": ({"plies_left": lambda self, state: 1}, "plies left"),
    "plies left of the quickest line": (
        {"plies_left": lambda self, state: max(1, (self.given.goal - state.total + 1) // 2)},
        "plies left",
    ),
    "returns that do not sum to 0": ({"returns": lambda self, state: (1.0, 1.0)}, "raises"),
    "a picture of another shape": ({"observe": lambda self, state, player: [1.0]}, "raises"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_game_that_breaks_a_contract_is_told_which(race: reasonenv.Game, broken: str) -> None:
    methods, contract = BROKEN[broken]
    with pytest.raises(BrokenContract) as caught:
        check_game(changed(**methods), games=3)
    assert contract in caught.value.broken, str(caught.value)


class Dice(Race):
    """The race with a die: chance adds 1 or 2 after each move, at most to the goal."""

    about = kit.GameAbout(name=NAME, summary="A race with a die.", max_plies=61, chance=True)

    def max_plies(self) -> int:
        return 2 * self.given.goal

    def turn(self, state: RaceState) -> Any:
        if state.total >= self.given.goal:
            return None
        return "chance" if len(state.said) % 2 else state.mover

    def apply(self, state: RaceState, action: int) -> RaceState:
        mover = state.mover if len(state.said) % 2 == 0 else 1 - state.mover
        return RaceState(state.total + action + 1, mover, [*state.said, action + 1])

    def returns(self, state: RaceState) -> tuple[float, float]:
        return (1.0, -1.0) if state.mover == 0 else (-1.0, 1.0)

    def chance_weights(self, state: RaceState) -> list[int]:
        return [3, 1][: len(self.legal(state))]

    def plies_left(self, state: RaceState) -> int:
        return max(1, self.given.goal - state.total)

    def key(self, state: RaceState, player: int) -> Any:
        return state


def test_chance_has_its_say(race: reasonenv.Game) -> None:
    game = reasonenv.register_game(Dice, replace=True)
    state = game.start(seed=1, resolve_chance=False)
    state.apply(0)
    assert state.is_chance
    assert state.chance_outcomes() == {0: 0.75, 1: 0.25}
    with pytest.raises(Unsolved, match="goes through no chance"):
        game.start(seed=1).values(max_positions=100)
    with pytest.raises(InvalidOpponent):
        game.opponent("minimax")
    check_game(Dice, games=4)
    env = gymnasium.make("reasonenv/OwnRace-v1", opponent="random")
    env.reset(seed=0)
    assert RaceParams().goal == 7
