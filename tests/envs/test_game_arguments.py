"""Untrusted arguments, states and pickles: errors that name what is wrong, and never a panic."""

import inspect
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import kinds
import numpy as np
import pytest
import reasonenv
from gymnasium.error import Error as GymnasiumError
from gymnasium.utils.env_checker import data_equivalence
from interrupts import Patience, interrupted_after
from reasonenv import _native
from reasonenv import pettingzoo as zoo
from reasonenv.envs import GameEnv, GameVectorEnv
from reasonenv.errors import InvalidAction, InvalidArgument, InvalidState

LARGE = {"rows": 5, "columns": 5}
"""Dots and boxes that nobody solves."""

VARIANTS = [
    pytest.param(name, params, id=f"{name}-{number}")
    for name in kinds.GAMES
    if name in reasonenv.list_games()
    for number, params in enumerate(reasonenv.game(name).variants[:2])
]
every_variant = pytest.mark.parametrize(("name", "params"), VARIANTS)


def equal(one: object, other: object) -> bool:
    return data_equivalence(one, other, exact=True)


NUMBERS: list[Any] = [-1, 2, 255, 10**12, 2**63, 2**64, -(2**63), 10**40, True]
OTHERS: list[Any] = [1.5, float("nan"), None, "x", "\ud800", b"x", [], {}, (1, 2), np.zeros(2), object()]
STRANGE = [*NUMBERS, *OTHERS]


def over() -> reasonenv.State:
    state = reasonenv.game("tic_tac_toe").start()
    for action in (0, 3, 1, 4, 2):
        state.apply(action)
    return state


def begun() -> _native.Episodes:
    game = reasonenv.game("tic_tac_toe")
    episodes = _native.Episodes(game, 2, opponent=game.opponent("random"))
    episodes.reset_all(np.ones(2, np.bool_))
    return episodes


def asked() -> _native.Episodes:
    episodes = _native.Episodes(reasonenv.game("tic_tac_toe"), 1, opponent=first_legal)
    episodes.reset()
    return episodes


MAKERS: list[Callable[[], Any]] = [
    lambda: reasonenv.game("tic_tac_toe"),
    lambda: reasonenv.game("kuhn_poker"),
    lambda: reasonenv.game("dots_and_boxes", LARGE),
    lambda: reasonenv.game("tic_tac_toe").start(),
    over,
    lambda: reasonenv.game("kuhn_poker").start(),
    lambda: reasonenv.game("kuhn_poker").start(resolve_chance=False),
    lambda: reasonenv.game("dots_and_boxes", LARGE).start(),
    lambda: reasonenv.game("tic_tac_toe").opponent(),
    lambda: reasonenv.game("kuhn_poker").opponent("equilibrium"),
    lambda: _native.Episodes(reasonenv.game("tic_tac_toe"), opponent=first_legal),
    begun,
    asked,
    lambda: reasonenv.game("tic_tac_toe").start().values()[0],
]
"""An instance of each class for games in the core, some in several states."""


def methods(of: Any) -> list[str]:
    """Names of the methods, including dunders that take arguments from a caller."""
    skipped = {
        "__class__",
        "__init_subclass__",
        "__subclasshook__",
        "__new__",
        "__init__",
        "__getattribute__",
    }
    skipped |= {"__setattr__", "__delattr__", "__dir__", "__format__", "__sizeof__", "__reduce_ex__"}
    return [name for name in dir(type(of)) if callable(getattr(type(of), name)) and name not in skipped]


def is_in_order(error: BaseException) -> bool:
    """True if a caller may see the error: ours, a TypeError, or Gymnasium's error before the first reset."""
    return isinstance(error, reasonenv.ReasonEnvError | TypeError | GymnasiumError | BufferError)


def call_strangely(call: Callable[..., object], arguments: list[Any], **keywords: Any) -> None:
    error: BaseException | None = None
    with interrupted_after(0.3) as late:
        try:
            call(*arguments, **keywords)
        except Patience:
            raise
        except BaseException as raised:
            error = raised
    said = f"{call}{arguments!r} {keywords!r}"
    assert error is None or is_in_order(error), f"{said}: {error!r}"
    assert not isinstance(error, reasonenv.ReasonEnvError) or len(str(error)) < 1_000, said
    assert not late or late[0] < 1.0, f"{said} took {late[0]} s to stop"


def test_no_method_panics_whatever_it_is_given() -> None:
    seen: set[str] = set()
    for make in MAKERS:
        for name in methods(make()):
            seen.add(name)
            # NumPy answers for itself when it is compared.
            compares = name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
            for one in STRANGE:
                if compares and isinstance(one, np.ndarray):
                    continue
                call_strangely(getattr(make(), name), [one])
            for one, other in zip(STRANGE, reversed(STRANGE), strict=True):
                of = make()
                call_strangely(getattr(of, name), [one, other])
                call_strangely(getattr(of, name), [0, one])
            call_strangely(getattr(make(), name), [])
            if not name.startswith("__"):
                names = list(inspect.signature(getattr(make(), name)).parameters)
                for at in range(len(names)):
                    for one in STRANGE:
                        given: list[Any] = [0] * len(names)
                        given[at] = one
                        call_strangely(getattr(make(), name), given)
    assert {"observation", "text", "apply", "start", "seed", "reset", "step_all", "duel", "__call__"} <= seen


def test_no_keyword_panics_whatever_it_is_given() -> None:
    game = reasonenv.game("tic_tac_toe")
    calls: list[tuple[Callable[..., object], list[Any]]] = [
        (game.start, []),
        (game.opponent, []),
        (game.calibrate, [game.opponent("random")]),
        (game.start().values, []),
        (game.start().best_actions, []),
        (_native.Episodes, [game]),
        (_native.Value, []),
        (reasonenv.game, ["nim"]),
        (_native._opponent, [game]),
        (_native._episodes, [game]),
        (GameEnv, ["nim"]),
        (lambda **kwargs: GameVectorEnv(game="nim", **kwargs), []),
        (lambda **kwargs: zoo.nim_v1.env(**kwargs).reset(), []),
    ]
    more = {"opponent", "heaps", "sizes", "subtraction", "num_envs", "count", "name"}
    more |= set(_native.settings_schema("game")["properties"])
    for call, arguments in calls:
        try:
            known = set(inspect.signature(call).parameters) - {"self", "kwargs", "settings"}
        except ValueError:
            known = set()
        for keyword in sorted(known | more):
            for value in STRANGE:
                call_strangely(call, arguments, **{keyword: value})


@every_variant
def test_numbers_are_checked_by_name(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    state = game.start()
    actions = game.action_count
    for call, argument, most in [
        (state.observation, "player", 1),
        (state.text, "player", 1),
        (state.action_name, "action", actions - 1),
        (game.action_name, "action", actions - 1),
    ]:
        call(most)  # type: ignore[operator]
        for wrong in (-1, most + 1, 2**70, 1.5, "0", None, True):
            with pytest.raises(InvalidArgument, match=f"`{argument}` is .*between 0 and {most}"):
                call(wrong)  # type: ignore[operator]
    for wrong in (-1, 2**64, 2.0, None):
        with pytest.raises(InvalidArgument, match="`seed` is"):
            game.start(wrong)  # type: ignore[arg-type]
    assert game.start(2**64 - 1).seed == 2**64 - 1
    with pytest.raises(InvalidAction):
        state.apply(actions)
    with pytest.raises(InvalidAction, match="is not"):
        state.read_action("\ud800")
    opening: dict[str, Any] = {"opening_plies": 2, "resolve_chance": False}
    if game.has_chance:
        with pytest.raises(
            reasonenv.ReasonEnvError, match="`opening_plies` is 2, but must be 0 where chance"
        ):
            game.start(**opening)
    else:
        assert game.start(5, **opening).moves == game.start(5, opening_plies=2).moves


def test_lanes_are_counted() -> None:
    game = reasonenv.game("nim")
    for count in (0, -1, 2**20 + 1, 10**9, 2**64, 1.5):
        with pytest.raises(InvalidArgument, match=r"`count` is .*between 1 and 1048576"):
            _native.Episodes(game, count)  # type: ignore[arg-type]


# Strange states

BROKEN: list[Any] = [None, True, [], {}, [[]], "", "x", -1, 0, 1, 1.5, 2**63, 2**70, "player_0", ["player_1"]]


def paths(document: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a JSON document."""
    yield ()
    keys: Any = (
        document if isinstance(document, dict) else range(len(document) if isinstance(document, list) else 0)
    )
    for key in keys:
        for rest in paths(document[key]):
            yield (key, *rest)


def broken(document: Any) -> Iterator[bytes]:
    """The document with something else in each place in turn, and with each field left out."""
    for path in paths(document):
        if not path:
            continue
        for value in [*BROKEN, ...]:
            copy = json.loads(json.dumps(document))
            held = copy
            for key in path[:-1]:
                held = held[key]
            if value is ...:
                del held[path[-1]]
            else:
                held[path[-1]] = value
            yield json.dumps(copy).encode()


def test_a_broken_state_is_refused_or_goes_on(game: str) -> None:
    kwargs: dict[str, Any] = {"game": game, "opponent": "random", "illegal": "penalty", "max_turns": 4}
    made: list[Any] = [GameEnv(**kwargs), GameVectorEnv(2, **kwargs)]
    for env, illegal, first in zip(made, [-1, [-1, -1]], [0, [0, 0]], strict=True):
        env.reset(seed=3)
        env.step(illegal)
        refused = 0
        for state in broken(json.loads(env.get_state())):
            before = env.get_state()
            try:
                env.set_state(state)
            except reasonenv.ReasonEnvError:
                assert env.get_state() == before
                refused += 1
                continue
            env.get_state()
            env.reset()
            env.step(first)
        assert refused > 100
        strange: list[Any] = [b"[" * 100_000, b'{"episodes": []}', 5, None, "x"]
        for state in strange:
            with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
                env.set_state(state)


@every_variant
def test_a_broken_position_is_refused_or_goes_on(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    state = game.start(3)
    for _ in range(3):
        if not state.is_over:
            state.apply(state.legal_actions()[0])
    for data in broken(json.loads(state.to_bytes())):
        for read in (game.from_bytes, reasonenv.State.from_bytes):
            try:
                other = read(data)
            except reasonenv.ReasonEnvError:
                continue
            while not other.is_over:
                other.apply(other.legal_actions()[-1])
            assert other.returns is not None
    for data in (b"", b"[" * 100_000, b"null", b"\xff"):
        with pytest.raises(InvalidState):
            game.from_bytes(data)
        with pytest.raises(InvalidState):
            reasonenv.State.from_bytes(data)


def test_a_state_without_episodes_names_the_field() -> None:
    env = GameEnv(game="nim")
    env.reset(seed=0)
    saved = json.loads(env.get_state())
    with pytest.raises(reasonenv.ReasonEnvError, match=r"`episodes` is \[\], but must be text or null"):
        env.set_state(json.dumps({**saved, "episodes": []}).encode())
    lanes = json.loads(saved["episodes"])
    lanes[0]["turns"] = -1
    with pytest.raises(reasonenv.ReasonEnvError, match=r"`\[0\].turns`: invalid value"):
        env.set_state(json.dumps({**saved, "episodes": json.dumps(lanes)}).encode())


@pytest.mark.parametrize("illegal", ["lose", "retry", "raise"])
def test_a_broken_state_of_two_agents_is_refused_or_goes_on(game: str, illegal: str) -> None:
    module = getattr(zoo, f"{game}_v{reasonenv.game(game).version}")
    env, other = module.env(illegal=illegal, text=True), module.env(illegal=illegal, text=True)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    if illegal != "raise":
        env.step(-1)
    for agent in env.agent_iter():
        other.reset(seed=2)
        for state in broken(json.loads(env.get_state())):
            before = other.get_state()
            try:
                other.set_state(state)
            except reasonenv.ReasonEnvError:
                assert other.get_state() == before
                continue
            assert other.get_state() is not None
            for held in (other.rewards, other.terminations, other.truncations, other.infos):
                assert list(held) == other.agents
            while other.agents:
                seen, _, over, cut, _ = other.last()
                assert not cut
                legal = seen["action_mask"].nonzero()[0]
                other.step(None if over else int(rng.choice(legal)))
        over = env.last()[2]
        legal = env.observe(agent)["action_mask"].nonzero()[0]
        env.step(None if over else int(rng.choice(legal)))
    gone = json.loads(env.get_state())
    assert gone["agents"] == []
    other.set_state(env.get_state())
    assert other.agents == []
    with pytest.raises(GymnasiumError):
        other.last()


# Pickles


def first_legal(state: reasonenv.State) -> int:
    return state.legal_actions()[0]


@every_variant
def test_what_a_game_is_made_of_can_be_pickled(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    state = game.start(3)
    opponent = game.opponent("random", random_move_prob=0.0)
    kwargs: dict[str, Any] = {"min_random_move_prob": 0.25, "max_random_move_prob": 0.5, "num_groups": 2}
    kwargs |= {"illegal": "penalty", "max_turns": 7, "seat": "second"}
    lanes = _native.Episodes(game, 2, opponent=opponent, mode="text", think="required", **kwargs)
    actions = np.zeros(2, np.int64)
    for lane in range(2):
        lanes.seed(lane, 4)
        lanes.reset(lane)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps((game, state, opponent, lanes), protocol))
        assert again[:2] == (game, state)
        assert again[2](state) == opponent(state)
        assert again[3].save() == lanes.save()
        steps = [each.step_all(actions, "SameStep") for each in (again[3], lanes.clone())]
        assert equal(*steps)
    asked = _native.Episodes(game, opponent=first_legal)
    assert pickle.loads(pickle.dumps(asked)).save() == asked.save()
    value = _native.Value(1, None, -3)
    assert pickle.loads(pickle.dumps(value)) == value == reasonenv.arena.Value(1, None, -3)
    assert repr(value) == "Value(outcome=1, distance=None, score=-3)"
    mean = reasonenv.arena.Value(1, None, 1, 0.25)
    assert pickle.loads(pickle.dumps(mean)) == mean != reasonenv.arena.Value(1, None, 1)
    assert repr(mean) == "Value(outcome=1, distance=None, score=1, mean=0.25)"


# Rules


@every_variant
def test_text_says_which_variant_is_played(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    assert game.rules.isascii()
    env = GameEnv(game=name, params=params, mode="text", opponent="random")
    assert game.rules in env.instructions
    usual = reasonenv.game(name)
    by_opponent = all(usual.params_schema["properties"][param]["role"] == "opponent" for param in params)
    assert (game.rules == usual.rules) == by_opponent


def test_the_end_of_a_turn_may_be_marked(game: str) -> None:
    env = GameEnv(game=game, mode="text", opponent="random")
    env.reset(seed=0)
    move = env.game.action_name(env.state.legal_actions()[0])
    for mark in (
        "",
        " \n",
        "</s>",
        "<|im_end|>\n",
        "<|eot_id|>",
        "<|endoftext|>",
        "<end_of_turn>",
        "</s> <eos>",
    ):
        env.reset(seed=0)
        info = env.step(f"<think>so</think> <move>{move}</move>{mark}")[4]
        assert not info["invalid"], mark
    env.reset(seed=0)
    assert env.step(f"<move>{move}</move> I hope.</s>")[4]["fault"] == "extra_text_outside_tags"
