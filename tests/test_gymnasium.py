"""Gymnasium environments as its users, wrappers and vector envs meet them; loops over the registry."""

import contextlib
import copy
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from hypothesis import given, settings
from hypothesis import strategies as st
from reasonenv import envs
from reasonenv.envs import SolutionEnv, SolutionVectorEnv
from reasonenv.envs._spaces import ASCII, PROMPT_LENGTH

FAMILIES = reasonenv.list_families()
ANY = FAMILIES[0]
MODES = [mode.value for mode in AutoresetMode]
GARBAGE: list[Any] = [
    "",
    "\x00",
    "\ud800",
    "<answer>",
    "\N{SNOWMAN}" * 10,
    "x" * 300_000,
    np.str_("no"),
    None,
    5,
    -0.5,
    b"<answer>",
    [],
    {},
    np.zeros(3),
    object(),
]

every_family = pytest.mark.parametrize("family", FAMILIES)
every_mode = pytest.mark.parametrize("mode", MODES)
forks = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def make(family: str = ANY, **kwargs: Any) -> SolutionEnv:
    env = gymnasium.make(envs.env_id(family), **kwargs).unwrapped
    assert isinstance(env, SolutionEnv)
    return env


def make_vec(family: str = ANY, num_envs: int = 3, **kwargs: Any) -> SolutionVectorEnv:
    many = gymnasium.make_vec(envs.env_id(family), num_envs=num_envs, **kwargs)
    assert isinstance(many, SolutionVectorEnv)
    return many


def make_sync(family: str, num_envs: int, mode: str, **kwargs: Any) -> Any:
    vector_kwargs = {"autoreset_mode": mode}
    return gymnasium.make_vec(
        envs.env_id(family), num_envs, vectorization_mode="sync", vector_kwargs=vector_kwargs, **kwargs
    )


def right(task: reasonenv.Task) -> str:
    return task.wrap(task.solution.answer)


def answers(tasks: tuple[reasonenv.Task, ...], kinds: list[int]) -> tuple[Any, ...]:
    """For each task the right answer, a wrong one, or garbage."""
    said = []
    for task, kind in zip(tasks, kinds, strict=True):
        wrong = task.wrong_answers(seed=kind) or [""]
        said.append([right(task), task.wrap(wrong[0]), GARBAGE[kind % len(GARBAGE)]][kind % 3])
    return tuple(said)


def equal(one: object, other: object) -> bool:
    """Gymnasium's own comparison: types, dtypes, keys and values, all the way down."""
    return data_equivalence(one, other, exact=True)


# Registration


def run_python(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def test_ids_are_camel_case_and_follow_the_version() -> None:
    ids = {family: envs.env_id(family) for family in FAMILIES}
    assert len(set(ids.values())) == len(ids)
    for family, name in ids.items():
        camel_case, version = name.removeprefix("reasonenv/").split("-v")
        assert camel_case.lower() == family.replace("_", "")
        assert camel_case[0].isupper()
        assert int(version) == reasonenv.family(family).version - 1
    with pytest.raises(reasonenv.UnknownFamily):
        envs.env_id("no_such_family")


@every_family
def test_registering_again_changes_nothing(family: str) -> None:
    before = gymnasium.registry[envs.env_id(family)]
    envs.register_all()
    assert gymnasium.registry[envs.env_id(family)] is before


def test_importing_registers_and_loads_nothing_else() -> None:
    code = (
        "import sys, gymnasium; before = set(sys.modules); import reasonenv;"
        "print(*[name for name in gymnasium.registry if name.startswith('reasonenv/')], sep=',');"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before}, sep=',')"
    )
    ids, modules = run_python(code).splitlines()
    units = [*FAMILIES, *reasonenv.list_games()]
    assert ids.split(",") == [envs.env_id(unit) for unit in units]
    assert "reasonenv" in modules.split(",")
    assert not {"pettingzoo", "pyarrow", "torch", "matplotlib", "rich", "typer"} & set(modules.split(","))


def test_make_imports_the_package_by_itself() -> None:
    name = f"reasonenv:{envs.env_id(ANY)}"
    code = (
        f"import gymnasium; print(gymnasium.make({name!r}).unwrapped);"
        f"print(gymnasium.make_vec({name!r}, num_envs=2).unwrapped)"
    )
    assert run_python(code).split("\n")[:2] == [
        f"<SolutionEnv<{envs.env_id(ANY)}>>",
        f"SolutionVectorEnv({envs.env_id(ANY)}, num_envs=2)",
    ]


@every_family
def test_specs_survive_json(family: str) -> None:
    env = gymnasium.make(envs.env_id(family), level=1, reward="score", num_tasks=7, style={"words": 3})
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=4), again.reset(seed=4))
    assert again.spec == env.spec
    many = make_vec(family, level=1, autoreset_mode="SameStep")
    assert many.spec is not None
    others = gymnasium.make_vec(EnvSpec.from_json(many.spec.to_json()))
    assert others.num_envs == 3
    assert others.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert equal(many.reset(seed=4), others.reset(seed=4))


# Single env


@every_family
def test_check_env_passes_without_a_warning(family: str) -> None:
    check_env(make(family))


@every_family
def test_prompts_fit_the_observation_space(family: str) -> None:
    unit = reasonenv.find_family(family)
    for level in range(unit.top_level + 1):
        for split in ("train", "eval"):
            prompts = unit.source(level=level, split=split).batch(0, 20).prompts
            assert max(map(len, prompts)) <= PROMPT_LENGTH
            assert set().union(*prompts) <= set(ASCII)
    for name, field in unit.params_schema["properties"].items():
        with contextlib.suppress(KeyError, reasonenv.InvalidParams, reasonenv.Exhausted):
            most = unit.level_params(unit.top_level) | {name: field["maximum"]}
            assert len(unit.sample(params=most).prompt) <= PROMPT_LENGTH, name


def test_a_wrapper_is_part_of_the_observation_space() -> None:
    env = make(style={"wrapper": "R\N{LATIN SMALL LETTER E WITH ACUTE}ponds: {prompt}"})
    prompt, _ = env.reset(seed=0)
    assert prompt.startswith("R\N{LATIN SMALL LETTER E WITH ACUTE}ponds: ")
    assert prompt in env.observation_space


@every_family
def test_one_seed_decides_a_whole_run(family: str) -> None:
    def run(env: SolutionEnv, seed: int) -> list[Any]:
        return [env.reset(seed=seed), env.step("?"), env.reset(), env.step("?"), env.reset()]

    env = make(family, level=1)
    first = run(env, 3)
    assert equal(run(env, 3), first)
    assert equal(run(make(family, level=1), 3), first)
    assert not equal(run(env, 4), first)
    ids = [info["task_id"] for _, info in (first[0], first[2], first[4])]
    assert len(set(ids)) == 3


@every_family
def test_an_index_names_the_item(family: str) -> None:
    env = make(family, level=1, split="eval", task_seed=9, num_tasks=20)
    source = reasonenv.find_family(family).source(level=1, split="eval", seed=9)
    drawn: set[int] = set()
    for _ in range(20):
        prompt, info = env.reset(seed=len(drawn)) if not drawn else env.reset()
        assert prompt == source.task(info["index"]).prompt
        assert info["task_id"] == env.task.id == source.task(info["index"]).id
        drawn.add(info["index"])
    assert drawn <= set(range(20))
    assert len(drawn) > 5
    state = env.get_state()
    prompt, info = env.reset(options={"index": np.int64(7)})
    assert (prompt, info["index"]) == (source.task(7).prompt, 7)
    assert env.get_state() != state
    following, _ = env.reset()
    env.set_state(state)
    assert env.reset()[0] == following, "an index asked for draws nothing"


@pytest.mark.parametrize("index", [-1, 20, "3", 1.0, True])
def test_an_index_out_of_bounds_is_an_error(index: object) -> None:
    for env in (make(num_tasks=20), make_vec(num_tasks=20)):
        with pytest.raises(reasonenv.InvalidArgument, match="index"):
            env.reset(options={"index": index})


@every_family
def test_a_step_rewards_what_the_judge_says(family: str) -> None:
    env = make(family, level=1)
    partial = make(family, level=1, reward="score")
    for seed in range(5):
        prompt, before = env.reset(seed=seed)
        partial.reset(seed=seed)
        said = right(env.task) if seed % 2 else env.task.wrap(env.task.wrong_answers(seed=seed)[0])
        verdict = env.task.verify(said)
        observation, reward, terminated, truncated, info = env.step(said)
        assert observation == prompt
        assert (type(reward), reward) == (float, float(verdict.passed))
        assert partial.step(said)[1] == verdict.score
        assert terminated is True
        assert truncated is False
        judged = {"passed": verdict.passed, "score": verdict.score}
        assert info == before | judged | {"verdict": verdict.to_dict()}
        assert verdict.passed == bool(seed % 2)


def test_info_says_where_the_item_stands() -> None:
    _, info = make(level=2).reset(seed=0)
    assert list(info) == ["task_id", "level", "difficulty", "index"]
    assert info["level"] == 2
    assert 0.0 <= info["difficulty"] <= 1.0


@every_family
def test_the_reading_reads_the_answer(family: str) -> None:
    for reading, passes in (("clean", False), ("strict", True), ("lenient", True)):
        env = make(family, reading=reading)
        env.reset(seed=0)
        assert env.step(f"Let me think.\n{right(env.task)}")[1] == float(passes), reading


@every_family
def test_no_action_raises(family: str) -> None:
    env = make(family, render_mode="ansi")
    env.action_space.seed(0)
    for action in [*GARBAGE, *(env.action_space.sample() for _ in range(20))]:
        env.reset(seed=0)
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated, info["passed"]) == (0.0, True, False)
        assert info["verdict"]["failures"]
        frame = env.render()
        assert frame is not None
        assert frame.isascii()


@every_family
def test_what_is_no_text_says_nothing(family: str) -> None:
    class Sneaky:
        def __str__(self) -> str:
            return said

    env, ours = make(family), make_vec(family, 2, autoreset_mode="SameStep")
    env.reset(seed=0)
    said = right(env.task)
    silence = env.task.verify("").detail
    for action in (said.encode(), [said], np.array(said), Sneaky()):
        env.reset(seed=0)
        info = env.step(action)[4]  # type: ignore[arg-type]
        assert (info["passed"], info["verdict"]["detail"]) == (False, silence)
        ours.reset(seed=0)
        passed = ours.step([action, right(ours.tasks[1])])[1]  # type: ignore[list-item]
        assert passed.tolist() == [0.0, 1.0]


def test_samples_are_short_but_long_completions_are_in_the_space() -> None:
    space = make().action_space
    space.seed(0)
    samples = [space.sample() for _ in range(50)]
    assert all(sample in space for sample in samples)
    assert 100 < max(map(len, samples)) <= 256
    assert "x" * 100_000 in space
    assert len(space.sample(mask=(1000, None))) == 1000


def test_an_episode_is_one_step() -> None:
    env = make()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step("")
    with pytest.raises(ResetNeeded):
        env.task  # noqa: B018
    env.reset(seed=0)
    env.step("")
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(right(env.task))
    env.close()
    env.close()


@pytest.mark.parametrize(
    ("kwargs", "says"),
    [
        ({"family": "no_such_family"}, "no_such_family"),
        ({"mode": "steps"}, "`mode` is 'steps', but must be 'solution'"),
        ({"reward": "scored"}, "`reward` is 'scored', but must be 'passed' or 'score'"),
        ({"reading": "strct"}, "`reading` is 'strct', but must be"),
        ({"num_tasks": 0}, "`num_tasks` is 0"),
        ({"split": "trian"}, "trian"),
        ({"params": {"no_such_param": 1}}, "no_such_param"),
        ({"style": {"no_such_field": 1}}, "no_such_field"),
        ({"level": 99}, "99"),
    ],
)
def test_a_wrong_argument_is_named_when_making(kwargs: dict[str, Any], says: str) -> None:
    for construct in (make, make_vec):
        with pytest.raises(reasonenv.ReasonEnvError) as error:
            SolutionEnv(**kwargs) if "family" in kwargs else construct(**kwargs)
        assert says in str(error.value)


def test_a_vector_env_names_its_own_wrong_arguments() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match="'Never', but must be 'NextStep' or 'SameStep'"):
        make_vec(autoreset_mode="Never")
    with pytest.raises(reasonenv.ReasonEnvError, match="`num_envs` is 0"):
        make_vec(num_envs=0)


# Rendering


def test_ansi_shows_the_exchange() -> None:
    env = gymnasium.make(envs.env_id(ANY), render_mode="ansi")
    prompt, _ = env.reset(seed=0)
    assert env.render() == prompt
    _, _, _, _, info = env.step("I do not know.")
    frame = env.render()
    assert isinstance(frame, str)
    assert frame.startswith(f"{prompt}\n\nI do not know.\n\nfailed (")
    assert info["verdict"]["detail"] in frame


def test_human_prints_without_being_asked(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="human")
    prompt, _ = env.reset(seed=0)
    assert capsys.readouterr().out == f"{prompt}\n\n"
    env.step(right(env.task))
    assert capsys.readouterr().out.endswith("passed [score 1.00]\n\n")
    assert env.render() is None


def test_render_modes_that_show_nothing() -> None:
    for env in (make(), make_vec()):
        env.reset(seed=0)
        with pytest.warns(UserWarning, match="without a render mode"):
            assert env.render() is None
    with pytest.warns(UserWarning, match="not in the possible render_modes"):
        env = make(render_mode="rgb_array")
    env.reset(seed=0)
    env.step("")
    with pytest.raises(
        reasonenv.ReasonEnvError, match="`render_mode` is 'rgb_array', but must be 'human' or 'ansi'"
    ):
        env.render()


@every_mode
def test_vector_frames_are_the_single_ones(mode: str) -> None:
    ours, sync = (
        make_vec(autoreset_mode=mode, render_mode="ansi"),
        make_sync(ANY, 3, mode, render_mode="ansi"),
    )
    for env in (ours, sync):
        env.reset(seed=0)
    assert ours.render() == sync.render()
    for env in (ours, sync):
        env.step(("a", "b", "c"))
    assert ours.render() == sync.render()


# Vector env


@every_family
@every_mode
def test_a_vector_env_is_its_single_envs(family: str, mode: str) -> None:
    ours, sync = make_vec(family, 4, level=1, autoreset_mode=mode), make_sync(family, 4, mode, level=1)
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    assert ours.single_action_space == sync.single_action_space
    assert equal(ours.reset(seed=5), sync.reset(seed=5))
    for turn in range(4):
        said = answers(ours.tasks, [turn, turn + 1, turn + 2, turn + 4])
        one, other = ours.step(said), sync.step(said)
        assert equal(one, other)
        assert one[1].dtype == np.float64
        if mode == "Disabled":
            over = {"reset_mask": one[2]}
            assert equal(ours.reset(options=over), sync.reset(options=dict(over)))
    assert equal(ours.reset(), sync.reset())
    assert ours.np_random_seed == sync.np_random_seed == (5, 6, 7, 8)


@given(
    mode=st.sampled_from(MODES),
    turns=st.lists(
        st.tuples(st.integers(0, 7), st.lists(st.integers(0, 20), min_size=3, max_size=3), st.booleans()),
        max_size=6,
    ),
)
@settings(max_examples=30, deadline=None)
def test_resets_of_some_envs_keep_the_streams(mode: str, turns: list[tuple[int, list[int], bool]]) -> None:
    ours, sync = make_vec(autoreset_mode=mode), make_sync(ANY, 3, mode)
    assert equal(ours.reset(seed=1), sync.reset(seed=1))
    over = np.zeros(3, bool)
    for bits, kinds, seeded in turns:
        mask = np.array([bits & 1, bits & 2, bits & 4], bool)
        if mode == "Disabled":
            mask |= over
        if mask.any():
            seed = [bits, None, kinds[0]] if seeded else None
            options = {"reset_mask": mask}
            assert equal(ours.reset(seed=seed, options=options), sync.reset(seed=seed, options=dict(options)))
            assert options["reset_mask"] is mask, "the caller's options are the caller's"
        said = answers(ours.tasks, kinds)
        one, other = ours.step(said), sync.step(said)
        assert equal(one, other)
        over = one[2]


def params_of_no_level(family: reasonenv.Family) -> dict[str, Any]:
    """A level's params with one field of another's, such that they make no level and yet are valid."""
    levels = [family.level_params(level) for level in range(family.top_level + 1)]
    for low, high in itertools.permutations(levels, 2):
        for name in high:
            with contextlib.suppress(reasonenv.InvalidParams):
                if family.source(params=low | {name: high[name]}).level is None:
                    return {**low, name: high[name]}
    pytest.skip(f"all mixtures of {family.name}'s levels are levels")


@every_family
def test_where_params_make_no_level_it_is_none(family: str) -> None:
    params = params_of_no_level(reasonenv.find_family(family))
    ours, sync = make_vec(family, params=params), make_sync(family, 3, "NextStep", params=params)
    assert make(family, params=params).reset(seed=0)[1]["level"] is None
    assert equal(ours.reset(seed=0), sync.reset(seed=0))
    some = {"reset_mask": np.array([True, False, True])}
    assert equal(ours.reset(options=some), sync.reset(options=dict(some)))


def test_seeds_and_indices_may_be_given_one_by_one() -> None:
    ours, single = make_vec(), make()
    prompts, infos = ours.reset(seed=[7, None, 3])
    assert prompts[0] == single.reset(seed=7)[0]
    assert prompts[2] == single.reset(seed=3)[0]
    prompts, infos = ours.reset(options={"index": [4, 5, 4]})
    assert infos["index"].tolist() == [4, 5, 4]
    assert prompts[1] == single.reset(options={"index": 5})[0]
    assert ours.reset(options={"index": np.int64(2)})[1]["index"].tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="2 indices for 3 envs"):
        ours.reset(options={"index": [1, 2]})
    with pytest.raises(ValueError, match="2 seeds for 3 envs"):
        ours.reset(seed=[1, 2])


def test_arrays_are_the_callers_own() -> None:
    ours = make_vec(autoreset_mode="SameStep")
    ours.reset(seed=0)
    first = ours.step([right(task) for task in ours.tasks])
    kept = copy.deepcopy(first)
    ours.step(["", "", ""])
    assert equal(first, kept)
    arrays = [first[1], first[2], first[3], *(v for v in first[4].values() if isinstance(v, np.ndarray))]
    for array in arrays:
        array[:] = array[::-1].copy() if array.dtype == object else 1
    ours.step(["", "", ""])


def test_stepping_a_finished_env_is_an_error_that_names_it() -> None:
    ours = make_vec(num_envs=4, autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match="reset"):
        ours.step([""] * 4)
    ours.reset(seed=0)
    ours.step([""] * 4)
    ours.reset(options={"reset_mask": np.array([True, False, True, False])})
    with pytest.raises(ResetNeeded, match="envs 1, 3"):
        ours.step([""] * 4)


@pytest.mark.parametrize(
    ("actions", "error", "says"),
    [
        ("one text", reasonenv.InvalidArgument, "one str"),
        (["a", "b"], reasonenv.InvalidArgument, "2 actions for 3 envs"),
        ((), reasonenv.InvalidArgument, "0 actions"),
    ],
)
def test_as_many_actions_as_envs(actions: Any, error: type[Exception], says: str) -> None:
    ours = make_vec()
    ours.reset(seed=0)
    with pytest.raises(error, match=says):
        ours.step(actions)


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, True, True], reasonenv.InvalidArgument),
        (np.ones(3), reasonenv.InvalidArgument),
        (np.ones(2, bool), reasonenv.InvalidArgument),
        (np.zeros(3, bool), reasonenv.InvalidArgument),
        (np.array([True, False, True]), ResetNeeded),
    ],
)
def test_a_reset_mask_is_checked(mask: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="reset_mask"):
        make_vec().reset(options={"reset_mask": mask})


def test_no_vector_action_raises() -> None:
    ours = make_vec(num_envs=len(GARBAGE), autoreset_mode="SameStep")
    ours.reset(seed=0)
    _, rewards, terminations, _, infos = ours.step(GARBAGE)
    assert not rewards.any()
    assert terminations.all()
    assert all(infos["final_info"]["verdict"]["failures"])
    ours.step(list(np.array(["no"] * len(GARBAGE))))


@every_family
def test_a_partial_score_can_be_the_reward(family: str) -> None:
    ours = make_vec(family, 8, level=1, reward="score", autoreset_mode="SameStep")
    ours.reset(seed=0)
    said = answers(ours.tasks, [0, 1, 4, 7, 10, 13, 16, 19])
    scores = [task.verify(text).score for task, text in zip(ours.tasks, said, strict=True)]
    assert ours.step(said)[1].tolist() == scores


# Wrappers and other vector envs


def test_wrappers_work() -> None:
    env = TimeLimit(RecordEpisodeStatistics(gymnasium.make(envs.env_id(ANY))), max_episode_steps=1)
    env.reset(seed=0)
    task = env.unwrapped.task  # type: ignore[attr-defined]
    _, _, terminated, truncated, info = env.step(right(task))
    assert (terminated, truncated) == (True, True)
    assert (info["episode"]["r"], info["episode"]["l"]) == (1.0, 1)


@pytest.mark.parametrize("limit", [1, 2, None])
@every_mode
def test_a_time_limit_means_the_same_to_a_vector_env(mode: str, limit: int | None) -> None:
    ours = make_vec(autoreset_mode=mode, max_episode_steps=limit)
    sync = make_sync(ANY, 3, mode, max_episode_steps=limit)
    for env in (ours, sync):
        env.reset(seed=0)
    one = ours.step(("", "", ""))
    assert equal(one, sync.step(("", "", "")))
    assert not np.shares_memory(one[2], one[3])


@every_mode
def test_statistics_count_episodes_of_one_step(mode: str) -> None:
    ours = make_vec(autoreset_mode=mode)
    env = RecordVectorStatistics(ours)
    env.reset(seed=0)
    for _ in range(2):
        _, _, terminations, _, infos = env.step((right(ours.tasks[0]), "", right(ours.tasks[2])))
        assert infos["episode"]["r"].tolist() == [1.0, 0.0, 1.0]
        assert infos["episode"]["l"].tolist() == [1, 1, 1]
        if mode == "Disabled":
            env.reset(options={"reset_mask": terminations})
        elif mode == "NextStep":
            assert "episode" not in env.step(("", "", ""))[4]
    assert env.episode_count == 6


def single_envs(count: int) -> list[Callable[[], gymnasium.Env[str, str]]]:
    return [lambda: gymnasium.make(envs.env_id(ANY), level=1)] * count


@forks
def test_async_workers_give_what_sync_gives() -> None:
    many_items_in_the_pool()
    sync = SyncVectorEnv(single_envs(3))
    workers = AsyncVectorEnv(single_envs(3), shared_memory=False)
    try:
        assert equal(workers.reset(seed=0), sync.reset(seed=0))
        for said in (("a", "b", "c"), ("", "", "")):
            assert equal(workers.step(said), sync.step(said))
    finally:
        workers.close()


@forks
def test_async_shared_memory_loses_text() -> None:
    """Documented as a trap: should a Gymnasium release mend this, docs/gymnasium.md may forget it."""
    workers = AsyncVectorEnv(single_envs(2), shared_memory=True)
    try:
        prompts, _ = workers.reset(seed=0)
        assert prompts != SyncVectorEnv(single_envs(2)).reset(seed=0)[0]
    finally:
        workers.close()


# State


def copies(env: Any) -> Iterator[Any]:
    """The env by every road: each must go on as the env itself does."""
    yield pickle.loads(pickle.dumps(env))
    yield copy.deepcopy(env)
    yield env.clone()
    fresh = copy.deepcopy(env)
    fresh.reset(seed=99)
    fresh.set_state(env.get_state())
    yield fresh


@every_family
def test_a_copy_goes_on_as_the_env_does(family: str) -> None:
    env = make(family, level=1, render_mode="ansi")
    assert next(copies(env)).reset(seed=1)[0] == env.reset(seed=1)[0]
    said = right(env.task)
    posed = list(copies(env))
    after = env.step(said)
    for other in posed:
        assert other.task == env.task
        assert equal(other.step(said), after)
    over = list(copies(env))
    frame, following = env.render(), env.reset()
    for other in [*over, *posed]:
        with pytest.raises(ResetNeeded):
            other.step(said)
        assert other.render() == frame
        assert equal(other.reset(), following)


@every_family
@every_mode
def test_copies_of_a_vector_env_go_on_as_it_does(family: str, mode: str) -> None:
    ours = make_vec(family, level=1, autoreset_mode=mode, render_mode="ansi")
    assert next(copies(ours)).reset(seed=1)[0] == ours.reset(seed=1)[0]
    said = answers(ours.tasks, [0, 1, 2])
    posed = list(copies(ours))
    after = ours.step(said)
    for other in posed:
        assert equal(other.step(said), after)
    over = list(copies(ours))
    frames = ours.render()
    following = ours.reset(options={"reset_mask": after[2]}) if mode == "Disabled" else ours.step(said)
    for other in over:
        assert other.render() == frames
        again = other.reset(options={"reset_mask": after[2]}) if mode == "Disabled" else other.step(said)
        assert equal(again, following)


def test_a_state_of_other_items_is_refused() -> None:
    env, ours = make(), make_vec()
    env.reset(seed=0)
    ours.reset(seed=0)
    for other in (make(level=1), make(task_seed=1), make(split="eval"), make(style={"words": 1})):
        other.reset(seed=1)
        before = other.get_state()
        with pytest.raises(reasonenv.ReasonEnvError, match="other items"):
            other.set_state(env.get_state())
        assert other.get_state() == before
    with pytest.raises(reasonenv.ReasonEnvError, match="it is of 3 envs, where these are 2"):
        make_vec(num_envs=2).set_state(ours.get_state())


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b'{"np_random": 1}', b"null"])
def test_a_damaged_state_is_refused(state: bytes) -> None:
    for env in (make(), make_vec()):
        with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
            env.set_state(state)


KINDS: list[Any] = [None, True, -1, 1.5, 10**30, "x", [], [None], {}, {"a": []}]


@pytest.mark.parametrize("make_one", [make, make_vec])
def test_a_state_with_a_field_of_another_kind_is_refused(make_one: Any) -> None:
    env = make_one()
    env.reset(seed=0)
    before = env.get_state()
    for field in json.loads(before):
        for junk in KINDS:
            damaged = json.dumps(json.loads(before) | {field: junk}).encode()
            try:
                env.set_state(damaged)
            except reasonenv.ReasonEnvError:
                assert env.get_state() == before, f"{field}: {junk!r} was refused, but changed something"
            else:
                env.set_state(before)
    with pytest.raises(reasonenv.ReasonEnvError, match="not a state"):
        env.set_state(b"[" * 100_000)


def test_another_kind_of_generator_cannot_be_saved() -> None:
    env = make()
    env.np_random = np.random.Generator(np.random.MT19937(0))
    env.reset()
    with pytest.raises(reasonenv.ReasonEnvError, match="'MT19937', but must be 'PCG64'"):
        env.get_state()


# Processes and threads


def many_items_in_the_pool() -> list[Any]:
    """Enough items to be made and judged by the thread pool, not on this thread."""
    ours = make_vec(num_envs=512, level=1, autoreset_mode="SameStep")
    ours.reset(seed=3)
    return [ours.step([right(task) for task in ours.tasks[:256]] + ["?"] * 256) for _ in range(3)]


def wait(pid: int, seconds: float = 60) -> int:
    """The exit code of a child; one that hangs is ended and fails the test."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("the forked child hangs")


@forks
def test_a_forked_child_works() -> None:
    expected = many_items_in_the_pool()
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if equal(many_items_in_the_pool(), expected) else 1)
        finally:
            os._exit(2)
    assert wait(pid) == 0
    assert equal(many_items_in_the_pool(), expected), "and so does the parent, after"


def in_worker(results: Any) -> None:
    results.put(many_items_in_the_pool()[2][1])


@forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_work(method: Any) -> None:
    expected = many_items_in_the_pool()[2][1]
    context: Any = multiprocessing.get_context(method)
    results = context.Queue()
    workers = [context.Process(target=in_worker, args=(results,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in workers:
        assert results.get(timeout=60).tolist() == expected.tolist()
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode == 0


def test_threads_do_not_disturb_each_other() -> None:
    expected = many_items_in_the_pool()
    single = make(level=1)
    alone = [single.reset(seed=seed) for seed in range(50)]
    wrong: list[str] = []

    def work() -> None:
        env = make(level=1)
        if not equal([env.reset(seed=seed) for seed in range(50)], alone):
            wrong.append("single")
        if not equal(many_items_in_the_pool(), expected):
            wrong.append("vector")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []


# Documentation


def test_the_guide_and_the_example_run() -> None:
    root = pathlib.Path(__file__).parent.parent
    guide = (root / "docs" / "gymnasium.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) > 3
    run_python("\n".join(blocks))
    run_python((root / "examples" / "gymnasium_loop.py").read_text(encoding="utf-8"))
