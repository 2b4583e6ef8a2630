"""Whatever goes wrong around a game, nothing is lost: opponents that raise, Ctrl-C, strange arguments and states."""

import inspect
import json
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.error import Error as GymnasiumError
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from reasonenv import _native, envs
from reasonenv import pettingzoo as zoo
from reasonenv.envs import GameEnv, GameVectorEnv

GAMES = reasonenv.list_games()
VARIANTS = [
    pytest.param(name, params, id=f"{name}-{number}")
    for name in GAMES
    for number, params in enumerate(reasonenv.game(name).variants)
]
MODES = [mode.value for mode in AutoresetMode]
every_game = pytest.mark.parametrize("game", GAMES)
every_variant = pytest.mark.parametrize(("name", "params"), VARIANTS)


def equal(one: object, other: object) -> bool:
    return data_equivalence(one, other, exact=True)


# Opponents that raise


class Trouble(BaseException):
    """What an opponent may raise; no Exception, as KeyboardInterrupt is none."""


class Troubled:
    """Plays the middle one of the legal actions, but raises at one of its calls."""

    def __init__(self, raises_at: int | None = None) -> None:
        self.calls, self.raises_at = 0, raises_at

    def __call__(self, state: reasonenv.State) -> int:
        self.calls += 1
        legal = state.legal_actions()
        if self.calls == self.raises_at:
            state.apply(legal[0])  # its own copy
            raise Trouble
        return legal[len(legal) // 2]


def run(env: Any, opponent: Troubled, calls: list[Callable[[Any], Any]]) -> list[Any]:
    """What each call returned; one that raises is made again."""
    told = []
    for call in calls:
        try:
            answer = call(env)
        except Trouble:
            assert opponent.calls == opponent.raises_at
            answer = call(env)
        told.append(answer)
    return told


def single_calls(env: GameEnv, rng: np.random.Generator) -> list[Callable[[Any], Any]]:
    """Resets of every kind, and the steps between them, legal and not."""
    calls: list[Callable[[Any], Any]] = []

    def do(call: Callable[[Any], Any]) -> Any:
        calls.append(call)
        return call(env)

    resets: list[dict[str, Any]] = [{"seed": 3}, {}, {}, {"options": {"episode": 5}}, {}, {"seed": 4}, {}, {}]
    for kwargs in resets:
        do(lambda env, kwargs=kwargs: env.reset(**kwargs))
        for _ in range(4):
            action: Any = int(rng.choice(env.state.legal_actions())) if rng.random() < 0.9 else -1
            if env.mode == "text":
                action = f"<move>{env.game.action_name(action)}</move>" if action >= 0 else "nothing"
            if any(do(lambda env, action=action: env.step(action))[2:4]):
                break
    return calls


@every_game
@pytest.mark.parametrize(
    "kwargs", [{}, {"mode": "text"}, {"text": True, "opening_plies": 1}, {"render_mode": "human"}], ids=str
)
def test_an_opponent_that_raises_leaves_no_half_step(
    game: str, kwargs: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def make(opponent: Troubled) -> GameEnv:
        return GameEnv(game=game, opponent=opponent, **kwargs)

    calm = Troubled()
    calls = single_calls(make(calm), np.random.default_rng(0))
    whole = run(make(Troubled()), Troubled(), calls)
    assert calm.calls > 2
    for raises_at in range(1, calm.calls + 1):
        opponent = Troubled(raises_at)
        env = make(opponent)
        assert equal(run(env, opponent, calls), whole)
        assert opponent.calls > raises_at, "it was asked again"
    capsys.readouterr()


@every_game
@pytest.mark.parametrize("mode", MODES)
def test_an_opponent_that_raises_leaves_no_half_step_of_many_envs(game: str, mode: str) -> None:
    def make(opponent: Troubled) -> GameVectorEnv:
        many = gymnasium.make_vec(
            envs.env_id(game), 3, autoreset_mode=mode, opponent=opponent, illegal="penalty", max_turns=3
        )
        assert isinstance(many, GameVectorEnv)
        return many

    calls: list[Callable[[Any], Any]] = []
    calm = Troubled()
    many = make(calm)
    rng = np.random.default_rng(0)

    def do(call: Callable[[Any], Any]) -> Any:
        calls.append(call)
        return call(many)

    for kwargs in ({"seed": 5}, {"seed": [None, 7, None]}, {"options": {"episode": 2}}):
        do(lambda many, kwargs=kwargs: many.reset(**kwargs))
        for _ in range(5):
            masks = many.action_masks()
            actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
            step = do(lambda many, actions=actions: many.step(actions))
            over = step[2] | step[3]
            if mode == "Disabled" and over.any():
                some = {"reset_mask": over}
                do(lambda many, some=some: many.reset(options=some))
    assert calm.calls > 5
    whole = run(make(Troubled()), Troubled(), calls)
    for raises_at in range(1, calm.calls + 1):
        opponent = Troubled(raises_at)
        assert equal(run(make(opponent), opponent, calls), whole)


@every_game
@pytest.mark.parametrize("mode", MODES)
def test_a_callable_in_many_envs_is_a_callable_in_each(game: str, mode: str) -> None:
    ours = gymnasium.make_vec(envs.env_id(game), 3, autoreset_mode=mode, opponent=Troubled())
    sync = gymnasium.make_vec(
        envs.env_id(game),
        3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        opponent=Troubled(),
    )
    assert equal(ours.reset(seed=5), sync.reset(seed=5))
    rng = np.random.default_rng(0)
    for _ in range(20):
        masks = ours.unwrapped.action_masks()  # type: ignore[attr-defined]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        one, other = ours.step(actions), sync.step(actions)
        assert equal(one, other)
        over = one[2] | one[3]
        if mode == "Disabled" and over.any():
            some = {"reset_mask": over}
            assert equal(ours.reset(options=some), sync.reset(options=dict(some)))


def test_a_callable_is_asked_on_the_callers_thread_while_a_search_runs_on_another() -> None:
    import threading

    asked = []

    def policy(state: reasonenv.State) -> int:
        asked.append(threading.current_thread())
        return state.legal_actions()[0]

    # Its exact values take a search, and analysis asks for them at every step.
    env = GameEnv(game="hexapawn", params={"rows": 4, "columns": 4}, opponent=policy, analysis=True)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert set(asked) == {threading.main_thread()}
    broken = GameEnv(game="hexapawn", params={"rows": 4, "columns": 4}, opponent=Troubled(1), analysis=True, seat="second")
    with pytest.raises(Trouble):
        broken.reset(seed=0)
    assert broken.reset(seed=0)[1]["seat"] == 1


# Ctrl-C


class Patience(BaseException):
    """Raised by a signal, as KeyboardInterrupt is."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[list[float]]:
    """A signal soon; the list then holds how long it took to be answered."""
    struck: list[float] = []
    late: list[float] = []

    def strike(*_: object) -> None:
        struck.append(time.monotonic())
        raise Patience

    before = signal.signal(signal.SIGALRM, strike)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield late
    except Patience:
        late.append(time.monotonic() - started - seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


LARGE = {"rows": 5, "columns": 5}
"""Dots and boxes that nobody solves."""


def long_calls() -> dict[str, Callable[[], tuple[Callable[[], object], Any]]]:
    """Calls that would take for ever, or nearly: each made ready, with the env that it changes."""

    def values() -> tuple[Callable[[], object], Any]:
        state = reasonenv.game("dots_and_boxes", LARGE).start()
        return lambda: state.values(10**15), None

    def best_actions() -> tuple[Callable[[], object], Any]:
        state = reasonenv.game("othello").start()
        return lambda: state.best_actions("wdl", 10**15), None

    def connect_four() -> tuple[Callable[[], object], Any]:
        game = reasonenv.game("connect_four", {"rows": 6, "columns": 6})

        def again() -> None:
            for seed in range(10**6):
                game.start(seed, opening_plies=3).values()

        return again, None

    def table() -> tuple[Callable[[], object], Any]:
        def again() -> None:
            while True:
                # The game is forgotten, and what it solved with it.
                reasonenv.game("dots_and_boxes", {"rows": 3, "columns": 3}).start().values()

        return again, None

    def duel() -> tuple[Callable[[], object], Any]:
        game = reasonenv.game("breakthrough")
        heuristic = game.opponent("heuristic")
        return lambda: game.duel(heuristic, heuristic), None

    def calibrate() -> tuple[Callable[[], object], Any]:
        game = reasonenv.game("othello")
        return lambda: game.calibrate(game.opponent("heuristic")), None

    def reply() -> tuple[Callable[[], object], Any]:
        game = reasonenv.game("dots_and_boxes", LARGE)
        opponent = game.opponent("minimax", exact_plies=60)
        return lambda: opponent(game.start()), None

    def distribution() -> tuple[Callable[[], object], Any]:
        game = reasonenv.game("dots_and_boxes", LARGE)
        opponent = game.opponent("minimax", exact_plies=60)
        return lambda: opponent.distribution(game.start()), None

    def step() -> tuple[Callable[[], object], Any]:
        env = GameEnv(game="dots_and_boxes", params=LARGE, seat="first", exact_plies=60, opponent="minimax")
        env.reset(seed=0)
        return lambda: env.step(0), env

    def say() -> tuple[Callable[[], object], Any]:
        env = GameEnv(
            game="dots_and_boxes", params=LARGE, seat="first", exact_plies=60, opponent="minimax", mode="text"
        )
        env.reset(seed=0)
        return lambda: env.step("<move>0</move>"), env

    def reset() -> tuple[Callable[[], object], Any]:
        env = GameEnv(game="dots_and_boxes", params=LARGE, seat="second", exact_plies=60, opponent="minimax")
        return lambda: env.reset(seed=0), env

    def analysis() -> tuple[Callable[[], object], Any]:
        env = GameEnv(
            game="connect_four",
            params={"rows": 6, "columns": 6},
            analysis=True,
            opening_plies=3,
            opponent=lambda state: state.legal_actions()[0],
        )

        def again() -> None:
            while True:
                env.reset()

        return again, None

    def vector_step() -> tuple[Callable[[], object], Any]:
        kwargs: dict[str, Any] = {"params": LARGE, "seat": "first", "exact_plies": 60, "opponent": "minimax"}
        many = GameVectorEnv(600, game="dots_and_boxes", **kwargs)
        many.reset(seed=0)
        return lambda: many.step([0] * 600), many

    def vector_reset() -> tuple[Callable[[], object], Any]:
        kwargs: dict[str, Any] = {"params": LARGE, "seat": "second", "exact_plies": 60, "opponent": "minimax"}
        many = GameVectorEnv(3, game="dots_and_boxes", **kwargs)
        return lambda: many.reset(seed=0), many

    def heuristics() -> tuple[Callable[[], object], Any]:
        many = GameVectorEnv(20_000, game="breakthrough", opponent="heuristic", seat="first")
        many.reset(seed=list(range(20_000)))

        def again() -> None:
            while True:
                many.step(many.action_masks().argmax(1))

        return again, None

    def two_agents() -> tuple[Callable[[], object], Any]:
        env = zoo.connect_four_v0.env()

        def again() -> None:
            while True:
                env.reset()
                for agent in env.agent_iter():
                    over = env.last()[2]
                    env.step(None if over else env.action_space(agent).sample(env.observe(agent)["action_mask"]))

        return again, None

    return {make.__name__: make for make in locals().values() if inspect.isfunction(make)}


@pytest.mark.parametrize("name", long_calls())
def test_a_signal_is_answered_at_once(name: str) -> None:
    call, env = long_calls()[name]()
    before = env and env.get_state()
    with interrupted_after(0.15) as late:
        call()
    assert late, "it ended by itself"
    # Five times 0.2 s: machines that run tests are busy.
    assert late[0] < 1.0, f"{name} took {late[0]:.2f} s to stop"
    if env:
        assert env.get_state() == before, "it left half a step"


def test_deep_games_refuse_to_be_solved_at_once() -> None:
    for param in VARIANTS:
        name, params = param.values
        game = reasonenv.game(name, params)  # type: ignore[arg-type]
        if game.too_deep is None or game.has_hidden_information:
            continue
        started = time.monotonic()
        with pytest.raises(reasonenv.Unsolved, match="give `max_positions`"):
            game.start().values()
        with pytest.raises(reasonenv.Unsolved, match="give `max_positions`"):
            game.start().best_actions()
        assert time.monotonic() - started < 1
        with pytest.raises(reasonenv.Unsolved, match="within the limit"):
            game.start().values(100)


# Strange arguments

NUMBERS: list[Any] = [-1, 2, 255, 10**12, 2**63, 2**64, -(2**63), 10**40, True]
OTHERS: list[Any] = [1.5, float("nan"), None, "x", "\ud800", b"x", [], {}, (1, 2), np.zeros(2), object()]
STRANGE = [*NUMBERS, *OTHERS]


def objects() -> list[Any]:
    """One of each class of the core that has to do with games, in several states, and the module's functions."""
    game = reasonenv.game("tic_tac_toe")
    poker = reasonenv.game("kuhn_poker")
    deep = reasonenv.game("dots_and_boxes", LARGE)
    over = game.start()
    for action in (0, 3, 1, 4, 2):
        over.apply(action)
    begun = _native.Episodes(game, 2, opponent=game.opponent("random"))
    begun.reset_all(np.ones(2, np.bool_))
    asked = _native.Episodes(game, 1, opponent=lambda state: state.legal_actions()[0])
    asked.reset()
    return [
        game,
        poker,
        deep,
        game.start(),
        over,
        poker.start(),
        poker.start(resolve_chance=False),
        deep.start(),
        game.opponent(),
        poker.opponent("equilibrium"),
        _native.Episodes(game, opponent=game.opponent("random")),
        begun,
        asked,
        game.start().values()[0],
    ]


def methods(of: Any) -> list[str]:
    """What can be called, dunders included that take arguments of a caller's."""
    skipped = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__init__", "__getattribute__"}
    skipped |= {"__setattr__", "__delattr__", "__dir__", "__format__", "__sizeof__", "__reduce_ex__"}
    return [name for name in dir(type(of)) if callable(getattr(of, name, None)) and name not in skipped]


def is_in_order(error: BaseException) -> bool:
    """Whether a caller may see it: ours, a TypeError, or Gymnasium's own of an episode that must be begun."""
    return isinstance(error, reasonenv.ReasonEnvError | TypeError | GymnasiumError | BufferError)


def call_strangely(call: Callable[..., object], arguments: list[Any]) -> None:
    with interrupted_after(0.3) as late:
        try:
            call(*arguments)
        except Patience:
            raise
        except BaseException as error:
            assert is_in_order(error), f"{call}{arguments!r}: {error!r}"
            if isinstance(error, reasonenv.ReasonEnvError):
                assert len(str(error)) < 1_000
    assert not late or late[0] < 1.0, f"{call}{arguments!r} took {late[0]} s to stop"


def test_no_method_panics_whatever_it_is_given() -> None:
    seen: set[str] = set()
    for number in range(len(objects())):
        for name in methods(objects()[number]):
            seen.add(name)
            # NumPy answers for itself when it is compared.
            compares = name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
            for one in STRANGE:
                if compares and isinstance(one, np.ndarray):
                    continue
                of = objects()[number]
                call_strangely(getattr(of, name), [one])
            for one, other in zip(STRANGE, reversed(STRANGE), strict=True):
                of = objects()[number]
                call_strangely(getattr(of, name), [one, other])
                call_strangely(getattr(of, name), [0, one])
            call_strangely(getattr(objects()[number], name), [])
            if not name.startswith("__"):
                names = list(inspect.signature(getattr(objects()[number], name)).parameters)
                for at in range(len(names)):
                    for one in STRANGE:
                        given: list[Any] = [0] * len(names)
                        given[at] = one
                        call_strangely(getattr(objects()[number], name), given)
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
        (lambda **kwargs: zoo.nim_v0.env(**kwargs).reset(), []),
    ]
    more = {"opponent", "random_move_probs", "heaps", "sizes", "subtraction", "num_envs", "count", "name"}
    for call, arguments in calls:
        try:
            known = set(inspect.signature(call).parameters) - {"self", "kwargs", "more_params"}
        except ValueError:
            known = set()
        for keyword in sorted(known | more):
            for value in STRANGE:
                call_strangely(lambda call=call, key=keyword, value=value: call(*arguments, **{key: value}), [])


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
            with pytest.raises(reasonenv.InvalidArgument, match=f"`{argument}` is .*between 0 and {most}"):
                call(wrong)  # type: ignore[operator]
    for wrong in (-1, 2**64, 2.0, None):
        with pytest.raises(reasonenv.InvalidArgument, match="`seed` is"):
            game.start(wrong)  # type: ignore[arg-type]
    assert game.start(2**64 - 1).seed == 2**64 - 1
    with pytest.raises(reasonenv.InvalidAction):
        state.apply(actions)
    with pytest.raises(reasonenv.InvalidAction, match="is not"):
        state.read_action("\ud800")
    opening: dict[str, Any] = {"opening_plies": 2, "resolve_chance": False}
    if game.has_chance:
        with pytest.raises(reasonenv.ReasonEnvError, match="`opening_plies` is 2, but must be 0 where chance"):
            game.start(**opening)
    else:
        assert game.start(5, **opening).moves == game.start(5, opening_plies=2).moves


def test_lanes_are_counted() -> None:
    game = reasonenv.game("nim")
    for count in (0, -1, 2**20 + 1, 10**9, 2**64, 1.5):
        with pytest.raises(reasonenv.InvalidArgument, match="`count` is .*between 1 and 1048576"):
            _native.Episodes(game, count)  # type: ignore[arg-type]


# Strange states

BROKEN: list[Any] = [None, True, [], {}, [[]], "", "x", -1, 0, 1, 1.5, 2**63, 2**70, "player_0", ["player_1"]]


def paths(document: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a JSON document."""
    yield ()
    keys: Any = document if isinstance(document, dict) else range(len(document) if isinstance(document, list) else 0)
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


@every_game
def test_a_broken_state_is_refused_or_goes_on(game: str) -> None:
    env = GameEnv(game=game, opponent="random", illegal="penalty", max_turns=4)
    many = GameVectorEnv(2, game=game, opponent="random", illegal="penalty", max_turns=4)
    for made in (env, many):
        made.reset(seed=3)
        made.step(-1 if made is env else [-1, -1])
        saved = json.loads(made.get_state())
        refused = 0
        for state in broken(saved):
            before = made.get_state()
            try:
                made.set_state(state)
            except reasonenv.ReasonEnvError as error:
                assert "not a state" in str(error)
                assert made.get_state() == before
                refused += 1
                continue
            made.get_state()
            made.reset()
            made.step(0 if made is env else [0, 0])
        assert refused > 100
        for state in (b"[" * 100_000, b'{"episodes": []}', 5, None, "x"):
            with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
                made.set_state(state)


def test_a_state_without_episodes_names_the_field() -> None:
    env = GameEnv(game="nim")
    env.reset(seed=0)
    saved = json.loads(env.get_state())
    with pytest.raises(reasonenv.ReasonEnvError, match=r"episodes is \[\], but must be text or null"):
        env.set_state(json.dumps({**saved, "episodes": []}).encode())
    lanes = json.loads(saved["episodes"])
    lanes[0]["turns"] = -1
    with pytest.raises(reasonenv.ReasonEnvError, match=r"`\[0\].turns`: invalid value"):
        env.set_state(json.dumps({**saved, "episodes": json.dumps(lanes)}).encode())


@every_game
@pytest.mark.parametrize("illegal", ["lose", "retry", "raise"])
def test_a_broken_state_of_two_agents_is_refused_or_goes_on(game: str, illegal: str) -> None:
    module = getattr(zoo, f"{game}_v{reasonenv.game(game).version - 1}")
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


@every_variant
def test_what_a_game_is_made_of_can_be_pickled(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    state = game.start(3)
    opponent = game.opponent("random", random_move_prob=0.0)
    lanes = _native.Episodes(
        game, 2, opponent=opponent, random_move_probs=(0.25, 0.5), num_groups=2, illegal="penalty", think=True,
        max_turns=7, seat="second",
    )  # fmt: skip
    for lane in range(2):
        lanes.seed(lane, 4)
        lanes.reset(lane)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps((game, state, opponent, lanes), protocol))
        assert again[:2] == (game, state)
        assert again[2](state) == opponent(state)
        assert again[3].save() == lanes.save()
        for one, other in zip(again[3].step_all(np.zeros(2, np.int64), "SameStep"),
                              lanes.clone().step_all(np.zeros(2, np.int64), "SameStep"), strict=True):  # fmt: skip
            assert equal(one, other)
    asked = _native.Episodes(game, opponent=len)
    assert pickle.loads(pickle.dumps(asked)).save() == asked.save()
    value = _native.Value(1, None, -3)
    assert pickle.loads(pickle.dumps(value)) == value == reasonenv.Value(1, None, -3)
    assert repr(value) == "Value(outcome=1, distance=None, score=-3)"


# Rules


@every_variant
def test_text_says_which_variant_is_played(name: str, params: dict[str, Any]) -> None:
    game = reasonenv.game(name, params)
    assert game.rules.isascii()
    env = GameEnv(game=name, params=params, mode="text", opponent="random")
    assert game.rules in env.instructions
    usual = reasonenv.game(name)
    by_opponent = all(
        usual.params_schema["properties"][param]["role"] == "opponent" for param in params
    )
    assert (game.rules == usual.rules) == by_opponent


@every_game
def test_the_end_of_a_turn_may_be_marked(game: str) -> None:
    env = GameEnv(game=game, mode="text", opponent="random")
    env.reset(seed=0)
    move = env.game.action_name(env.state.legal_actions()[0])
    assert not env.step(f"<think>so</think> <move>{move}</move> \n")[4]["invalid"]
