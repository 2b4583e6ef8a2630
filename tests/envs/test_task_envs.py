"""Tasks as Gymnasium environments: ids, spaces, seeds, actions, arguments; loops over the registry."""

import contextlib
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import equal, every_mode, make_sync, run_python
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from reasonenv import _ids, envs
from reasonenv.envs import SolutionEnv
from reasonenv.envs._spaces import ASCII, PROMPT_LENGTH
from reasonenv.errors import Exhausted, InvalidArgument, InvalidParams, UnknownFamily
from task_envs import ANY, FAMILIES, GARBAGE, make, make_vec, right


def test_ids_are_camel_case_and_follow_the_version() -> None:
    ids = {family: envs.env_id(family) for family in FAMILIES}
    assert len(set(ids.values())) == len(ids)
    for family, name in ids.items():
        camel_case, version = name.removeprefix("reasonenv/").split("-v")
        assert camel_case.lower() == family.replace("_", "")
        assert camel_case[0].isupper()
        assert int(version) == reasonenv.family(family).version
    with pytest.raises(UnknownFamily):
        envs.env_id("no_such_family")


def test_registering_again_changes_nothing(family: str) -> None:
    before = gymnasium.registry[envs.env_id(family)]
    _ids.register_all()
    assert gymnasium.registry[envs.env_id(family)] is before


def test_importing_registers_and_loads_nothing_else() -> None:
    code = (
        "import sys, gymnasium; before = set(sys.modules); import reasonenv;"
        "print(*[name for name in gymnasium.registry if name.startswith('reasonenv/')], sep=',');"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before}, sep=',')"
    )
    ids, modules = run_python(code).splitlines()
    units = [*FAMILIES, *reasonenv.list_games()]
    assert ids.split(",") == [*map(envs.env_id, units), *_ids.COMPOSED]
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


def test_specs_survive_json(family: str) -> None:
    env = gymnasium.make(envs.env_id(family), level=1, reward="partial", num_tasks=7, style={"words": 3})
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


def test_check_env_passes_without_a_warning(family: str) -> None:
    check_env(make(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_prompts_fit_the_observation_space(family: str) -> None:
    unit = reasonenv.family(family)
    prompts = unit.batch(count=2, level=unit.top_level, split="eval").prompts
    for name, field in unit.params_schema["properties"].items():
        with contextlib.suppress(KeyError, InvalidParams, Exhausted):
            most = unit.level_params(unit.top_level) | {name: field["maximum"]}
            prompts.append(unit.sample(params=most).prompt)
    assert max(map(len, prompts)) <= PROMPT_LENGTH
    assert set().union(*prompts) <= set(ASCII)


def test_a_wrapper_is_part_of_the_observation_space() -> None:
    env = make(style={"wrapper": "R\N{LATIN SMALL LETTER E WITH ACUTE}ponds: {prompt}"})
    prompt, _ = env.reset(seed=0)
    assert prompt.startswith("R\N{LATIN SMALL LETTER E WITH ACUTE}ponds: ")
    assert prompt in env.observation_space


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


def test_an_index_names_the_item(family: str) -> None:
    env = make(family, level=1, split="eval", task_seed=9, num_tasks=20)
    source = reasonenv.family(family).source(level=1, split="eval", seed=9)
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
        with pytest.raises(InvalidArgument, match="index"):
            env.reset(options={"index": index})


def test_a_step_rewards_what_the_judge_says(family: str) -> None:
    env = make(family, level=1)
    partial = make(family, level=1, reward="partial")
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
        judged = {"passed": verdict.passed, "score": verdict.score, "reward_parts": {"correct": reward}}
        costs = {key: info[key] for key in ("cost", "episode_cost")}
        assert info == before | judged | costs | {"verdict": verdict.to_dict()}
        assert verdict.passed == bool(seed % 2)


def test_info_says_where_the_item_stands() -> None:
    _, info = make(level=2).reset(seed=0)
    assert list(info) == ["task_id", "level", "difficulty", "index"]
    assert info["level"] == 2
    assert 0.0 <= info["difficulty"] <= 1.0


def test_the_reading_reads_the_answer(family: str) -> None:
    for reading, passes in (("clean", False), ("strict", True), ("lenient", True)):
        env = make(family, reading=reading)
        env.reset(seed=0)
        assert env.step(f"Let me think.\n{right(env.task)}")[1] == float(passes), reading


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
        ({"mode": "steps"}, "unknown mode 'steps'; did you mean 'step'?"),
        ({"reward": "scored"}, "no reward `scored`; did you mean"),
        ({"reading": "strct"}, "unknown reading 'strct'"),
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
    with pytest.warns(UserWarning, match="has no render mode 'rgb_array'"):
        env = make(render_mode="rgb_array")
    env.reset(seed=0)
    env.step("")
    with pytest.raises(
        reasonenv.ReasonEnvError, match="unknown render_mode 'rgb_array'; choose 'human' or 'ansi'"
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
