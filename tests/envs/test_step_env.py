"""Tasks reasoned out step by step; loops over the registry."""

import random
import re
import time
from typing import Any, get_args

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import copies, equal, every_mode
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from reasonenv import envs
from reasonenv.envs import StepEnv, wrappers
from reasonenv.envs._hints import next_hint
from reasonenv.errors import InvalidArgument, InvalidState, Unsupported
from reasonenv.rewards import Process
from task_envs import FAMILIES, GARBAGE

CHECKS_STEPS = ["chain_sum", "sudoku", "shortest_path"]


def make(family: str = "chain_sum", **kwargs: Any) -> StepEnv:
    env = gymnasium.make(envs.env_id(family), mode="step", **kwargs).unwrapped
    assert isinstance(env, StepEnv)
    return env


def play(env: StepEnv, *steps: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    for step in steps[:-1]:
        _, reward, terminated, truncated, _ = env.step(step)
        assert (reward, terminated, truncated) == (0.0, False, False)
    return env.step(steps[-1])


def test_the_checker_passes(family: str) -> None:
    check_env(make(family), skip_render_check=True)


@pytest.mark.parametrize("tagged", [False, True])
def test_a_familys_own_solution_passes(family: str, tagged: bool) -> None:
    env = make(family)
    for seed in range(3):
        env.reset(seed=seed)
        solution = env.task.solution
        answer = env.task.wrap(solution.answer) if tagged else f"Final Answer: {solution.answer}"
        steps = [*solution.steps[:3], answer]
        _, reward, terminated, truncated, info = play(env, *steps)
        assert (reward, terminated, truncated, info["passed"]) == (1.0, True, False, True)
        assert info["steps_left"] == 8 - len(steps)
        assert info["text"].startswith(solution.steps[0] if solution.steps else "<")


def test_wrong_answers_fail(family: str) -> None:
    env = make(family)
    env.reset(seed=1)
    wrong = env.task.wrong_answers(seed=1)[0]
    _, reward, terminated, _, info = play(env, "so", f"final answer: {wrong}")
    assert (reward, terminated, info["passed"]) == (0.0, True, False)
    assert info["verdict"]["failures"]


def test_no_text_raises(family: str) -> None:
    env, rng = make(family, allow_verify=True), random.Random(family)
    pieces = [
        "final answer:",
        "FINAL ANSWER: ",
        "verify:",
        "Verify: 3",
        "<answer>",
        "</answer>",
        "\n",
        "4",
        "so",
    ]
    for action in GARBAGE + ["".join(rng.choices(pieces, k=rng.randrange(1, 9))) for _ in range(30)]:
        env.reset(seed=rng.randrange(2**32))
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert reward == float(info["passed"])
        assert 0 <= info["score"] <= 1


def test_the_state_shows_question_scratchpad_and_steps_left() -> None:
    env = make(show_kind=True, show_level=True, level=2, max_steps=3)
    first, info = env.reset(seed=0)
    assert first.startswith(env.task.prompt)
    assert "Kind of task: chain_sum" in first
    assert "Level: 2" in first
    assert "Steps left: 3." in first
    assert info["steps_left"] == 3
    seen, *_ = env.step("one and one is two")
    assert "Scratchpad:\none and one is two" in seen
    assert "Steps left: 2." in seen
    plain, _ = make().reset(seed=0)
    assert "Kind of task" not in plain
    assert "Level:" not in plain


def test_the_budget_truncates_with_reward_nothing() -> None:
    env = make(max_steps=2)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = play(env, "hm", "hm")
    assert (reward, terminated, truncated, info["passed"]) == (0.0, False, True, False)
    assert info["verdict"]["failures"] == ["truncated"]
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step("final answer: 3")


def test_the_last_step_of_the_budget_may_answer() -> None:
    env = make(max_steps=1)
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = env.step(f"final answer: {env.task.solution.answer}")
    assert (reward, terminated, truncated) == (1.0, True, False)


@pytest.mark.parametrize(
    ("said", "passed", "label"),
    [
        ("final answer: {a}", True, None),
        ("FINAL ANSWER:{a}", True, None),
        ("so the final answer:\n{a}\n", True, None),
        ("final answer: <answer>{a}</answer>", True, None),
        ("final answer: {a}\nfinal answer: {a}", True, None),
        ("<answer>{a}</answer> final answer: {a}", True, None),
        ("final answer: {a} final answer: 7", False, "hedged"),
        ("<answer>7</answer> final answer: {a}", False, "hedged"),
        ("final answer: <answer>{a}</answer><answer>7</answer>", False, "hedged"),
        ("final answer: {a}, I think", False, "malformed_answer"),
        ("final answer:", False, "malformed_answer"),
    ],
)
def test_all_that_follows_is_the_answer(said: str, passed: bool, label: str | None) -> None:
    env = make()
    env.reset(seed=0)
    step = said.format(a=env.task.solution.answer)
    _, reward, terminated, _, info = play(env, "let me see", step)
    assert terminated
    assert (reward, info["passed"]) == (float(passed), passed)
    assert label is None or label in info["verdict"]["failures"]


def test_the_judge_sees_the_scratchpad() -> None:
    env = make()
    env.reset(seed=0)
    _, _, _, _, info = play(env, "a", "b", "c final answer: 4")
    assert info["text"] == "a\nb\nc\n<answer>4</answer>"


def test_an_answer_in_pieces_is_judged_as_a_whole() -> None:
    env = make()
    env.reset(seed=0)
    _, reward, terminated, _, _ = play(env, f"<answer>{env.task.solution.answer}", "</answer>")
    assert (reward, terminated) == (1.0, True)


@pytest.mark.parametrize("said", ["it goes inside <answer></answer> tags", "<answer>", "</answer><answer>"])
def test_to_speak_of_the_tag_is_no_answer(said: str) -> None:
    env = make()
    env.reset(seed=0)
    assert not env.step(said)[2]


@pytest.mark.parametrize(
    "said",
    ["<answer>", "<answer></answer>", "</answer>", "final answer:", "<think>", "<tool_call>", "verify:"],
)
def test_repeated_marks_take_no_more_time_than_other_text(said: str) -> None:
    start = time.process_time()
    env = make(allow_verify=True)
    env.reset(seed=0)
    env.step(said * 30_000)
    env.reset(seed=0)
    env.step("x" * 100_000 + "".join(f"final answer: {i}" for i in range(10_000)))
    tool = wrappers.tools("chain_sum", ["calculator"])
    tool.reset(seed=0)
    tool.step(said * 30_000)
    assert time.process_time() - start < 5


def test_a_step_may_ask_the_verifier_where_that_is_allowed() -> None:
    env = make(allow_verify=True, max_steps=4)
    seen, _ = env.reset(seed=0)
    assert "`verify:`" in seen
    right = env.task.solution.answer
    seen, _, terminated, _, info = env.step("Verify: 7")
    assert not terminated
    assert "The verifier says: wrong (wrong_answer)." in seen
    seen, *_ = env.step(f"verify: {right}")
    assert "The verifier says: right." in seen
    seen, *_ = env.step("verify: final answer: 7")
    assert info["steps_left"] == 3
    _, reward, terminated, _, info = env.step(f"final answer: {right}")
    assert (reward, terminated) == (1.0, True)
    assert "verify" not in info["text"].lower()

    env = make()
    env.reset(seed=0)
    _, _, terminated, _, info = env.step("verify: 7")
    assert not terminated
    assert env.state.text == "verify: 7"


@pytest.mark.parametrize("family", CHECKS_STEPS)
def test_steps_are_scored_where_the_family_checks_them(family: str) -> None:
    env = make(family, reward={"process": 1.0, "true_steps": 1.0, "correct": 1.0})
    env.reset(seed=0)
    true = env.task.solution.steps[0]
    share = env.task.verify_steps([true])[0].progress
    assert share > 0
    _, _, _, _, info = env.step(true)
    assert info["process_scores"] == [share]
    _, _, _, _, info = env.step("this is no step at all")
    assert info["process_scores"] == [share, share]
    _, reward, _, _, info = env.step(f"final answer: {env.task.solution.answer}")
    assert info["process_scores"] == [share, share]
    assert (info["reward_parts"]["process"], info["reward_parts"]["true_steps"]) == (share, 0.5)
    assert reward == pytest.approx(sum(info["reward_parts"].values()))


MEASURES = get_args(Process)


@pytest.mark.parametrize("process", MEASURES)
@pytest.mark.parametrize("ending", ["right", "wrong", "none"])
def test_a_measure_pays_the_same_at_the_end_or_by_the_step(process: Process, ending: str) -> None:
    weights = {"process": 0.5, "correct": 0.25}
    env = make("chain_sum", level=5, process=process, reward=weights, max_steps=12)
    env.reset(seed=0)
    own = env.task.solution.steps
    rewards = []
    for action in [own[0], "1 + 1 = 3", own[0], *own[1:]]:
        state = env.get_state()
        _, reward, _, _, _ = env.step(action)
        rewards.append(reward)
        again = make("chain_sum", level=5, process=process, reward=weights, max_steps=12)
        again.set_state(state)
        assert again.step(action)[1] == reward
    assert min(rewards) >= 0
    due = len(own)
    by_step = process in ("delta", "clip")
    earned = {"mean": (due + 1) / (due + 2), "clip": (due - 1) / due}.get(process, 1.0)
    assert sum(rewards) == pytest.approx(0.5 * earned if by_step else 0.0)
    if ending == "none":
        truncated = False
        while not truncated:
            _, reward, _, truncated, info = env.step("hm")
            assert reward == 0.0
        assert info["return"] == pytest.approx(sum(rewards))
        return
    answer = env.task.solution.answer if ending == "right" else "1000000"
    _, reward, _, _, info = env.step(f"final answer: {answer}")
    total = 0.5 * earned + (0.25 if ending == "right" else 0.0)
    guarded = max(total, 0.5 + 0.125) if ending == "right" else min(total, 0.5)
    assert sum(rewards) + reward == pytest.approx(guarded)
    assert info["return"] == pytest.approx(guarded)
    assert sum(info["reward_parts"].values()) == pytest.approx(reward)


@pytest.mark.parametrize("process", ["progress", "delta", "clip"])
@pytest.mark.parametrize("family", CHECKS_STEPS)
def test_one_true_step_said_seven_times_earns_one_share(family: str, process: Process) -> None:
    env = make(family, process=process, reward={"process": 1.0, "correct": 1.0})
    env.reset(seed=0)
    task = env.task
    for _ in range(7):
        env.step(task.solution.steps[0])
    *_, info = env.step(f"final answer: {task.wrong_answers()[0]}")
    assert not info["passed"]
    assert info["return"] <= task.verify_steps(task.solution.steps[:1])[0].progress + 1e-9


def test_families_that_check_no_steps_have_no_scores() -> None:
    for family in FAMILIES:
        task = reasonenv.family(family).sample()
        try:
            task.verify_steps([])
        except Unsupported:
            env = make(family)
            env.reset(seed=0)
            assert "process_scores" not in env.step("so")[4]


def test_a_process_judge_of_ones_own() -> None:
    seen: list[list[str]] = []

    def judge(task: reasonenv.Task, steps: list[str]) -> list[float]:
        seen.append([task.family, *steps])
        return [0.25] * len(steps)

    env = make("tsp", process_judge=judge, reward={"process": 1.0, "correct": 1.0})
    env.reset(seed=0)
    _, _, _, _, info = play(env, "a", "b Final answer: 1")
    assert info["process_scores"] == [0.25, 0.25]
    assert info["reward_parts"]["process"] == 0.25  # the second step came no farther
    assert seen == [["tsp", "a"], ["tsp", "a", "b"]]

    wrong = make(process_judge=lambda _task, _steps: [2.0])
    wrong.reset(seed=0)
    with pytest.raises(InvalidArgument, match=r"`process_judge\[0\]` is 2.0, but must be a number"):
        wrong.step("a")
    short = make(process_judge=lambda _task, _steps: [])
    short.reset(seed=0)
    with pytest.raises(InvalidArgument, match="must give a score for each of 1 steps"):
        short.step("a")


def test_gamma_enters_the_return() -> None:
    env = make(gamma=0.5)
    env.reset(seed=0)
    _, reward, _, _, info = play(env, "a", "b", f"final answer: {env.task.solution.answer}")
    assert (reward, info["return"]) == (1.0, 0.25)


def test_copies_go_on_as_the_env_does(family: str) -> None:
    env = make(family, allow_verify=True)
    env.reset(seed=3)
    env.step("first")
    env.step("verify: nothing")
    last = f"final answer: {env.task.solution.answer}"
    twins = list(copies(env))
    ours = [env.step(last), env.reset(), env.step("x")]
    for twin in twins:
        assert equal([twin.step(last), twin.reset(), twin.step("x")], ours)


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b'{"episode": 3}'])
def test_damaged_states_are_refused(state: bytes) -> None:
    env = make()
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(InvalidState, match="not a state"):
        env.set_state(state)
    assert env.get_state() == before


def test_specs_survive_json(family: str) -> None:
    env = gymnasium.make(envs.env_id(family), mode="step", level=1, max_steps=5, num_tasks=7)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=4), again.reset(seed=4))


@every_mode
def test_vector_environments_are_those_of_gymnasium(mode: str) -> None:
    ours = gymnasium.make_vec(envs.env_id("chain_sum"), 3, mode="step", autoreset_mode=mode, max_steps=2)
    theirs = gymnasium.make_vec(
        envs.env_id("chain_sum"),
        3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        mode="step",
        max_steps=2,
    )
    assert equal(ours.reset(seed=1), theirs.reset(seed=1))
    for actions in (["a", "final answer: 3", "b"], ["c", "d", "e"]):
        if mode == "Disabled" and actions[0] == "c":
            break
        assert equal(ours.step(actions), theirs.step(actions))
    assert ours.metadata["autoreset_mode"].value == mode


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_steps": 0}, "`max_steps` is 0, but must be a whole number between 1 and"),
        ({"gamma": 2}, "`gamma` is 2, but must be a number between 0 and 1"),
        ({"show_kind": "no"}, "`show_kind` is 'no', but must be True or False"),
        ({"reading": "loose"}, "unknown reading 'loose'; choose 'clean'"),
        (
            {"reward": {"outcome": 1, "correct": 1}},
            "`reward` has the part `outcome`, which is not measured here",
        ),
        ({"process_judge": 3}, "`process_judge` is 3, but must be a callable"),
        (
            {"mode": "stepp"},
            "unknown mode 'stepp'; did you mean 'step'?",
        ),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        gymnasium.make(envs.env_id("chain_sum"), **{"mode": "step"} | given)


def test_random_steps_stay_in_the_spaces() -> None:
    env = make()
    env.action_space.seed(0)
    seen, _ = env.reset(seed=0)
    for _ in range(7):
        assert env.observation_space.contains(seen)
        seen, *_ = env.step(env.action_space.sample())
    assert np.isfinite(env.metadata["render_fps"])


def test_a_hint_is_the_next_step_at_its_cost() -> None:
    env = make("tower_of_hanoi", level=2, hints=3, hint_cost=0.25, max_steps=20)
    seen, info = env.reset(seed=0)
    assert ("`hint:`" in seen, info["hints"]) == (True, 0)
    first, second, third, *_ = env.task.solution.steps
    seen, reward, terminated, truncated, info = env.step("HINT: how does it begin?")
    assert f"Hint: {first}" in seen
    assert (reward, terminated, truncated, info["hints"]) == (-0.25, False, False, 1)
    env.step(second)
    seen, reward, _, _, info = env.step("hint: final answer: none")
    assert f"Hint: {third}" in seen
    assert (reward, info["hints"]) == (-0.25, 2)
    env.step("hint:")
    saved = env.get_state()
    seen, reward, _, _, info = env.step("hint: again")  # a step like any other
    assert (reward, info["hints"], seen.count("\nHint: ")) == (0, 3, 3)
    env.set_state(saved)
    *_, info = env.step(f"final answer: {env.task.solution.answer}")
    assert (info["passed"], info["hints"]) == (True, 3)
    assert first not in info["text"]
    assert info["return"] == pytest.approx(0.25)
    plain = make("tower_of_hanoi", level=2)
    seen, info = plain.reset(seed=0)
    assert "hint" not in seen
    assert "hints" not in info
    seen, reward, *_ = plain.step("hint:")
    assert (reward, "Hint: " in seen) == (0, False)


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_no_hint_gives_the_answer(name: str) -> None:
    unit = reasonenv.family(name)
    for task in (
        unit.sample(seed=3, index=i, level=level) for level in {0, unit.top_level // 2} for i in range(3)
    ):
        answer = task.solution.answer
        shown: list[str] = []
        while (hint := next_hint(task, "\n".join(shown))) is not None:
            assert not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", hint) or answer in task.prompt
            assert not task.verify(task.wrap(hint)).passed
            shown.append(hint)
            assert len(shown) < len(task.solution.steps)


@pytest.mark.parametrize("family", CHECKS_STEPS)
def test_an_episode_may_start_after_part_of_the_solution(family: str) -> None:
    level = {"chain_sum": 4, "sudoku": 3, "shortest_path": 4}[family]
    env = make(family, level=level, max_steps=40, process="delta", reward={"correct": 1.0, "process": 1.0})
    env.reset(options={"index": 5, "start": 0.5})
    steps = env.task.solution.steps
    half = -(-len(steps) // 2)
    assert env.state.memory["steps"] == tuple(steps[:half])
    assert steps[half - 1] in env.messages[0]["content"]
    _, reward, *_, info = env.step(steps[half])
    assert len(info["process_scores"]) == half + 1
    assert 0 < reward == pytest.approx(info["process_scores"][-1] - info["process_scores"][-2])
    other = make(family, level=level, max_steps=40)
    other.set_state(env.get_state())
    assert other.messages == env.messages
    *_, info = env.step(f"final answer: {env.task.solution.answer}")
    assert info["passed"]
    for wrong in ({"start": 2}, {"start": "x"}):
        with pytest.raises(InvalidArgument, match=r'`options\["start"\]`'):
            env.reset(options=wrong)
    with pytest.raises(InvalidArgument, match="`max_steps` above 1"):
        make(family, max_steps=1).reset(options={"start": 0.5})
