"""Environments that play problems move by move."""

import copy
import pickle
import re
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import PLAYED, equal, every_mode
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from reasonenv._ids import COMPOSED
from reasonenv.curriculum import Setting
from reasonenv.envs import MovesEnv, MovesVectorEnv, Proof, env_id
from reasonenv.envs._make import MODES, TEXT_MODES  # type: ignore[attr-defined]
from reasonenv.envs._progress import PlayProgress
from reasonenv.errors import InvalidArgument, InvalidParams, InvalidState, UnknownName, Unsupported

every_family = pytest.mark.parametrize("family", PLAYED)
MEASURED = [name for name in PLAYED if reasonenv.family(name).sample().moves().next_move is not None]
"""Families whose rules tell how far the solution is."""


def make(family: str, **kwargs: Any) -> MovesEnv:
    env = gymnasium.make(env_id(family), mode="moves", disable_env_checker=True, **kwargs).unwrapped
    assert isinstance(env, MovesEnv)
    return env


def make_vec(family: str, num_envs: int, **kwargs: Any) -> MovesVectorEnv:
    many = gymnasium.make_vec(env_id(family), num_envs, mode="moves", **kwargs)
    assert isinstance(many, MovesVectorEnv)
    return many


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def after(env: MovesEnv, action: int) -> Any:
    """The position after an action."""
    ahead = env.state
    ahead.apply(action)
    return ahead


@every_family
def test_gymnasium_accepts_it(family: str) -> None:
    check_env(gymnasium.make(env_id(family), mode="moves").unwrapped, skip_render_check=True)


@every_family
def test_the_reward_is_the_judges(family: str) -> None:
    rng = np.random.default_rng(0)
    for reward in ("binary", "partial"):
        env = make(family, reward=reward, level=1)
        for seed in range(5):
            _, info = env.reset(seed=seed)
            assert set(info) == {"action_mask", "example", "episode_index"}
            assert env.task.index == info["example"]
            terminated = False
            while not terminated:
                assert info["action_mask"].dtype == np.int8
                assert np.array_equal(info["action_mask"], env.action_masks())
                seen, paid, terminated, truncated, info = env.step(legal(env.action_masks(), rng))
                assert seen in env.observation_space
                assert not truncated
                assert terminated or paid == 0
            answer = env.state.answer()
            assert answer is not None
            verdict = env.task.verify(env.task.wrap(answer))
            assert (info["passed"], info["score"]) == (verdict.passed, verdict.score)
            assert paid == info["result"] == (verdict.passed if reward == "binary" else verdict.score)
        with pytest.raises(ResetNeeded):
            env.step(0)


def test_a_puzzle_that_is_solved_pays() -> None:
    env = make("sudoku")
    env.reset(seed=0)
    task = env.task
    total, terminated = 0.0, False
    while not terminated:
        state = env.state
        shown = [state.action_name(action) for action in state.legal_actions()]
        rows = [row.split() for row in task.solution.answer.splitlines()]
        right = next(
            name for name in shown if rows[int(name[1]) - 1][int(name[3]) - 1] == name.rsplit(" ", 1)[1]
        )
        _, paid, terminated, _, info = env.step(state.read_action(right))
        total += paid
    assert total == 1.0
    assert info["passed"] is True


@every_family
def test_illegal_moves_lose_or_cost(family: str) -> None:
    env = make(family)
    env.reset(seed=0)
    _, paid, terminated, _, info = env.step(-1)
    assert (paid, terminated, info["invalid"], info["invalid_moves"]) == (0.0, True, True, 1)
    env = make(family, illegal="penalty", invalid_penalty=-0.5, max_turns=3)
    env.reset(seed=0)
    steps = [env.step(10**9)[1:4] for _ in range(3)]
    assert steps == [(-0.5, False, False), (-0.5, False, False), (-0.5, False, True)]


@every_family
def test_no_legal_play_is_cut_off_where_illegal_moves_cost(family: str) -> None:
    rng = np.random.default_rng(2)
    env = make(family, illegal="penalty")
    for episode in range(3):
        _, info = env.reset(seed=episode)
        for _ in range(3):
            env.step(-1)
        ended = cut = False
        while not (ended or cut):
            *_, ended, cut, info = env.step(legal(info["action_mask"], rng))
        assert (ended, cut) == (True, False)


@every_family
@every_mode
def test_a_vector_env_is_its_single_envs(family: str, mode: str) -> None:
    count, rng = 5, np.random.default_rng(1)
    reward = "progress" if family in MEASURED else "partial"
    keywords: dict[str, Any] = {"illegal": "penalty", "max_turns": 30, "reward": reward}
    many = make_vec(family, count, autoreset_mode=mode, **keywords)
    singles = [make(family, **keywords) for _ in range(count)]
    seen, infos = many.reset(seed=7)
    alone = [env.reset(seed=7 + i) for i, env in enumerate(singles)]
    for i in range(count):
        assert np.array_equal(seen[i], alone[i][0])
        assert infos["example"][i] == alone[i][1]["example"]
    over = np.zeros(count, np.bool_)
    for _ in range(60):
        masks = many.action_masks()
        actions = np.array([legal(mask, rng) if mask.any() and rng.random() < 0.9 else -1 for mask in masks])
        if mode == "Disabled" and over.any():
            many.reset(options={"reset_mask": over})
            for i in np.flatnonzero(over).tolist():
                singles[i].reset()
            over[:] = False
            continue
        was_over = over.copy()
        seen, rewards, ended, cut, infos = many.step(actions)
        for i, env in enumerate(singles):
            if mode == "NextStep" and was_over[i]:
                observation, _ = env.reset()
                assert (rewards[i], ended[i], cut[i]) == (0.0, False, False)
                assert np.array_equal(seen[i], observation)
                continue
            observation, paid, terminated, truncated, info = env.step(actions[i])
            assert (rewards[i], ended[i], cut[i]) == (paid, terminated, truncated)
            told = infos
            if mode == "SameStep" and (terminated or truncated):
                told = infos["final_info"]
                assert np.array_equal(infos["final_obs"][i], observation)
                observation, begun = env.reset()
                assert infos["example"][i] == begun["example"]
            assert np.array_equal(seen[i], observation)
            for key in ("invalid", "result", "passed", "score", "turns", "invalid_moves"):
                assert bool(key in told and told[f"_{key}"][i]) == (key in info)
                if key in info:
                    assert told[key][i] == info[key]
        over = ended | cut if mode != "SameStep" else over


@every_family
def test_copies_go_on_alike(family: str) -> None:
    rng = np.random.default_rng(0)
    env = make(family, illegal="penalty")
    fresh = make(family, illegal="penalty")
    env.reset(seed=3)
    env.step(legal(env.action_masks(), rng))
    fresh.set_state(env.get_state())
    copies = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), fresh]
    for _ in range(40):
        action = legal(env.action_masks(), rng)
        step = env.step(action)
        assert all(equal(step, other.step(action)) for other in copies)
        if step[2] or step[3]:
            begun = env.reset()
            assert all(equal(begun, other.reset()) for other in copies)
    with pytest.raises(InvalidState, match="where this env is of"):
        make(family, task_seed=9).set_state(env.get_state())


@every_family
def test_copies_of_vector_envs_go_on_alike(family: str) -> None:
    many = make_vec(family, 3, autoreset_mode="SameStep")
    fresh = make_vec(family, 3, autoreset_mode="SameStep")
    before = pickle.loads(pickle.dumps(many))
    assert equal(many.reset(seed=2), before.reset(seed=2))
    fresh.set_state(many.get_state())
    rng, copies = np.random.default_rng(0), [copy.deepcopy(many), pickle.loads(pickle.dumps(many)), fresh]
    for _ in range(30):
        actions = [legal(mask, rng) for mask in many.action_masks()]
        step = many.step(actions)
        assert all(equal(step, other.step(actions)) for other in copies)


def test_one_seed_decides_a_whole_run() -> None:
    runs = []
    for _ in range(2):
        env, rng = make("tsp"), np.random.default_rng(0)
        examples = [env.reset(seed=5)[1]["example"]]
        examples += [env.reset()[1]["example"] for _ in range(3)]
        _, info = env.reset(options={"episode": 1})
        assert info["example"] == examples[1]
        runs.append([examples, env.step(legal(env.action_masks(), rng))[0].tolist()])
    assert runs[0] == runs[1]


def test_it_is_drawn() -> None:
    env = make("sudoku", render_mode="ansi")
    env.reset(seed=0)
    before = env.render()
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert isinstance(before, str)
    assert before != env.render()
    assert before.isascii()


@pytest.mark.parametrize(
    ("family", "kwargs", "error", "message"),
    [
        ("chain_sum", {}, Unsupported, "chain_sum"),
        ("sudoku", {"reward": "outcome"}, UnknownName, "reward"),
        ("sudoku", {"illegal": "ignore"}, UnknownName, "illegal"),
        ("sudoku", {"max_turns": 0}, InvalidArgument, "`max_turns` is 0"),
        ("sudoku", {"level": 99}, InvalidParams, "`level` is 99"),
        (
            "sudoku",
            {"invalid_penalty": float("nan")},
            InvalidArgument,
            "`invalid_penalty` is nan",
        ),
        ("sudoku", {"style": {}}, UnknownName, '`style` in mode "moves"'),
    ],
)
def test_mistakes_are_named(
    family: str, kwargs: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(family, **kwargs)


def test_an_unknown_mode_is_told() -> None:
    with pytest.raises(UnknownName, match="mode"):
        gymnasium.make(env_id("sudoku"), mode="move")


@every_family
def test_pictures_follow_the_play(family: str) -> None:
    rng = np.random.default_rng(3)
    env, many = make(family, render_mode="rgb_array"), make_vec(family, 2, render_mode="rgb_array")
    _, info = env.reset(seed=5)
    many.reset(seed=[5, 6])
    shown = env.render()
    assert isinstance(shown, np.ndarray)
    shown_many = many.render()
    assert shown_many is not None
    assert np.array_equal(np.asarray(shown_many[0]), shown)
    assert shown.dtype == np.uint8
    assert (shown.ndim, shown.shape[2]) == (3, 3)
    assert 100 < min(shown.shape[:2]) <= max(shown.shape[:2]) <= 1200
    env.step(legal(info["action_mask"], rng))
    after = env.render()
    assert isinstance(after, np.ndarray)
    assert after.shape == shown.shape
    assert not np.array_equal(after, shown)


def test_every_mode_takes_any_render_mode_that_gymnasium_knows() -> None:
    with pytest.warns(UserWarning, match="has no render mode 'rgb_array'"):
        env = gymnasium.make(env_id("chain_sum"), render_mode="rgb_array")
    env.reset(seed=0)
    with pytest.raises(UnknownName, match="'human' or 'ansi'"):
        env.unwrapped.render()


def test_a_family_says_which_modes_it_has() -> None:
    for family in map(reasonenv.family, reasonenv.list_families()):
        task = family.sample()
        has = dict.fromkeys(TEXT_MODES, True)
        for mode, power in (("moves", task.moves), ("proof", partial(Proof, task.problem))):
            try:
                power()
            except (reasonenv.errors.Unsupported, reasonenv.errors.InvalidProblem):
                has[mode] = False
            else:
                has[mode] = True
        has["dialogue"] = has["moves"]
        assert family.modes == [mode for mode in MODES if has[mode]]
    with pytest.raises(reasonenv.errors.Unsupported, match="its modes are `solution`, `step`, `token` and"):
        make("chain_sum")


@pytest.mark.parametrize(
    ("name", "keywords", "said"),
    [
        ("sudoku", {"size": 4}, "`size` is a param of sudoku; give params={'size': 4}"),
        (
            "sudoku",
            {"illegal": "lose"},
            'no argument `illegal` in mode "solution"; it belongs to mode "moves"',
        ),
        ("sudoku", {"levle": 2}, "no argument `levle`; did you mean `level`?"),
        ("connect_four", {"rows": 4}, "`rows` is a param of connect_four; give params={'rows': 4}"),
        (
            "connect_four",
            {"level": 2},
            "a game has no levels; connect_four has the params columns, line, rows,",
        ),
        ("connect_four", {"oponent": "random"}, "no argument `oponent`; did you mean `opponent`?"),
    ],
)
def test_an_argument_that_does_not_exist_is_answered_with_what_works(
    name: str, keywords: dict[str, Any], said: str
) -> None:
    for made in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(UnknownName, match=re.escape(said)):
            made(env_id(name), **keywords)
    gymnasium.make_vec(env_id(name), 2, max_episode_steps=5).close()


def test_mixtures_and_rows_refuse_an_argument_that_does_not_exist() -> None:
    rows: dict[str, Any] = {"rows": [{"question": "2 + 2?", "answer": 4}]}
    for name, given in (("reasonenv/Mixture-", {}), ("reasonenv/Rows-", rows)):
        (composed,) = (one for one in COMPOSED if one.startswith(name))
        with pytest.raises(UnknownName, match="no argument `rewards`; did you mean `reward`"):
            gymnasium.make(composed, rewards="binary", **given)


@every_family
def test_an_episode_may_start_near_the_end_of_a_solution(family: str) -> None:
    for level in (0, reasonenv.family(family).top_level):
        ref = Setting.of(family, level=level).at(3, seed=1)
        env_id_, arguments, options = ref.with_hint(1.0).environment("moves")
        env = gymnasium.make(env_id_, disable_env_checker=True, **arguments).unwrapped
        assert isinstance(env, MovesEnv)
        seen, info = env.reset(seed=0, options=options)
        assert env.task.key == ref.task().key
        assert np.array_equal(info["action_mask"], env.action_masks())
        assert equal(seen, env.state.observation())
        passed = []
        for action in np.flatnonzero(info["action_mask"]):
            last = env.fork()
            *_, terminated, _, after = last.step(int(action))
            passed.append(bool(terminated and after["passed"]))
        assert any(passed), "one move is left"
        whole, _ = env.reset(options={"index": 3})
        assert equal(whole, env.task.moves().observation())
        env.reset(options={"index": 3, "start": 0.5})
        copy_ = make(family, level=level, task_seed=1)
        copy_.set_state(env.get_state())
        assert equal(copy_.state.observation(), env.state.observation())


def test_starts_that_are_none() -> None:
    env = make("maze", level=4, max_turns=2)
    for options, message in (
        ({"index": 0, "episode": 0}, "must have one"),
        ({"index": -1}, r'`options\["index"\]` is -1'),
        ({"start": 1.5}, r'`options\["start"\]` is 1.5'),
        ({"start": 0.9}, "`max_turns` is 2"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            env.reset(options=options)
    with pytest.raises(Unsupported, match="edits or a hint"):
        Setting.of("maze", hint=0.5).at(0).environment()


def test_progress_is_paid_move_by_move() -> None:
    for family in MEASURED:
        env = make(family, reward="progress", level=1)
        env.reset(seed=1)
        paid, ended = [], False
        while not ended:
            action = env.state.next_move
            assert action is not None
            _, reward, ended, _, info = env.step(action)
            paid.append(reward)
        assert info["passed"]
        assert paid == pytest.approx([1 / len(paid)] * len(paid))


def test_going_to_and_fro_earns_nothing() -> None:
    env = make("tower_of_hanoi", reward="progress", level=1)
    env.reset(seed=0)
    start, paid = env.state.text(), []
    first = env.state.next_move
    assert first is not None
    _, reward, *_ = env.step(first)
    assert reward > 0
    paid.append(reward)
    back = next(action for action in env.state.legal_actions() if after(env, action).text() == start)
    for action in [back, first, back]:
        _, reward, *_ = env.step(action)
        paid.append(reward)
    assert env.state.text() == start
    assert sum(paid) == pytest.approx(0)


@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_rewards_add_up_to_the_last_progress(illegal: str) -> None:
    rng = np.random.default_rng(2)
    for family in MEASURED:
        env = make(family, reward="progress", illegal=illegal, invalid_penalty=0.0, max_turns=12, level=1)
        for seed in range(8):
            env.reset(seed=seed)
            paid, ended, cut = 0.0, False, False
            while not (ended or cut):
                near = env.state.next_move if rng.random() < 0.7 else None
                action = near if near is not None else legal(env.action_masks(), rng)
                env.set_state(env.get_state())  # nothing but the position decides
                _, reward, ended, cut, info = env.step(-1 if rng.random() < 0.05 else action)
                paid += reward
            assert paid == pytest.approx(
                info["result"] if ended else PlayProgress.of(env.task, env.state).share
            )


def test_a_wrong_number_gives_all_progress_back() -> None:
    env = make("sudoku", reward="progress", level=1)
    env.reset(seed=3)
    right = env.state.next_move
    assert right is not None
    _, first, *_ = env.step(right)
    wrong = next(action for action in env.state.legal_actions() if after(env, action).next_move is None)
    _, second, *_ = env.step(wrong)
    assert first > 0
    assert first + second == pytest.approx(0)


@pytest.mark.parametrize("action", [np.array([1, 2]), "1", 1.5, None])
def test_progress_refuses_what_is_not_a_number(action: Any) -> None:
    env = make("maze", reward="progress")
    env.reset(seed=0)
    with pytest.raises(reasonenv.ReasonEnvError, match="must be a whole number"):
        env.step(action)


def test_progress_needs_rules_that_measure_it() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match="tsp can't measure progress; use reward='partial'"):
        make("tsp", reward="progress")
    with pytest.raises(reasonenv.ReasonEnvError, match="unknown reward 'progres'; did you mean 'progress'"):
        make("tsp", reward="progres")
