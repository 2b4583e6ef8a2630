"""Several turns over any tasks: "are you sure?", attempts with feedback."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import gymnasium
import pytest
import reasonenv
from env_checks import copies, equal
from gymnasium.utils.env_checker import check_env
from reasonenv._native import Verdict
from reasonenv.envs import env_id, wrappers
from reasonenv.errors import InvalidArgument, UnknownFamily
from task_envs import FAMILIES, GARBAGE

WRAPPERS: dict[str, Any] = {
    "double_check": wrappers.double_check,
    "retry": wrappers.retry,
    "tools": lambda over, **kwargs: wrappers.tools(over, ["calculator", "notebook"], **kwargs),
}
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS)


def right(env: Any) -> str:
    return str(env.task.wrap(env.task.solution.answer))


def wrong(env: Any) -> str:
    return str(env.task.wrap(env.task.wrong_answers(seed=1)[0]))


@every_wrapper
def test_the_checker_passes(wrapper: str, family: str) -> None:
    check_env(WRAPPERS[wrapper](family), skip_render_check=True)


@every_wrapper
def test_a_familys_own_solution_passes_and_a_wrong_one_fails(wrapper: str, family: str) -> None:
    env = WRAPPERS[wrapper](family)
    for said, passed in ((right, True), (wrong, False)):
        env.reset(seed=2)
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(said(env))
            over = terminated or truncated
        assert (reward, terminated, info["passed"]) == (float(passed), True, passed)


@every_wrapper
def test_no_action_raises(wrapper: str) -> None:
    env = WRAPPERS[wrapper]("chain_sum")
    for action in [*GARBAGE, "<tool_call>", "<tool_call>3</tool_call>", "</tool_call>", "<tool_call>" * 50]:
        env.reset(seed=0)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert not info["passed"]


@every_wrapper
def test_copies_go_on_as_the_env_does(wrapper: str) -> None:
    env = WRAPPERS[wrapper]("chain_sum")
    env.reset(seed=3)
    first = '<tool_call>{"name": "notebook", "arguments": {"action": "write", "title": "a"}}</tool_call>'
    env.step(first)
    twins = list(copies(env))
    ours = [env.step(right(env)), env.reset(), env.step("x")]
    for twin in twins:
        assert equal([twin.step(right(twin)), twin.reset(), twin.step("x")], ours)


@every_wrapper
def test_an_environment_of_completions_is_taken_over(wrapper: str) -> None:
    single = gymnasium.make(env_id("chain_sum"), level=2, num_tasks=5, reward="partial", render_mode="ansi")
    env = WRAPPERS[wrapper](single)
    posed = {env.reset(seed=seed)[1]["index"] for seed in range(40)}
    assert posed == set(range(5))
    assert env.task.level == 2
    assert env.reward == single.unwrapped.reward  # type: ignore[attr-defined]
    assert env.render_mode == "ansi"
    inner = reasonenv.ReasonEnv("chain_sum", gamma=0.5, verifier=lambda _task, _text: True)
    env = WRAPPERS[wrapper](inner, gamma=0.25)
    env.reset(seed=0)
    while not env.step("x")[2]:
        pass
    assert (env.gamma, env.generator) == (0.25, inner.generator)
    with pytest.raises(InvalidArgument, match="poses no tasks in text"):
        WRAPPERS[wrapper](gymnasium.make("reasonenv/TicTacToe-v1"))
    with pytest.raises(UnknownFamily):
        WRAPPERS[wrapper]("no_such")


@pytest.mark.parametrize(
    ("answers", "reward", "flags"),
    [
        ((right, right), 1.0, (True, False, False, False)),
        ((right, wrong), 0.0, (True, True, True, False)),
        ((wrong, right), 1.0, (False, True, False, True)),
        ((wrong, wrong), 0.0, (False, False, False, False)),
    ],
)
def test_are_you_sure(answers: Any, reward: float, flags: tuple[bool, ...]) -> None:
    env = wrappers.double_check("chain_sum")
    prompt, _ = env.reset(seed=0)
    seen, got, terminated, _, info = env.step(answers[0](env))
    assert (got, terminated) == (0.0, False)
    assert seen.startswith(prompt)
    assert "Are you sure?" in seen
    assert "passed" not in info
    assert [message["role"] for message in env.messages] == ["user", "assistant", "user"]
    assert env.messages[0]["content"] == prompt
    _, got, terminated, _, info = env.step(answers[1](env))
    assert (got, terminated) == (reward, True)
    found = tuple(info[name] for name in ("first_passed", "changed", "right_to_wrong", "wrong_to_right"))
    assert found == flags


def test_it_may_be_asked_several_times_in_words_of_ones_own() -> None:
    env = wrappers.double_check("chain_sum", checks=2, question="Really?")
    env.reset(seed=0)
    assert env.step(wrong(env))[0].endswith("Really?")
    assert not env.step(wrong(env))[2]
    assert env.step(right(env))[1:3] == (1.0, True)


def test_attempts_end_with_the_first_that_passes() -> None:
    env = wrappers.retry("chain_sum", attempts=3, gamma=0.5, reward={"correct": 1.0, "cost": 0.1})
    env.reset(seed=0)
    seen, reward, terminated, _, info = env.step(wrong(env))
    assert (reward, terminated, info["attempts"]) == (0.0, False, 1)
    assert seen.endswith("That is not right (wrong_answer, arithmetic_slip). Try again; attempts left: 2.")
    _, reward, terminated, _, info = env.step(right(env))
    assert terminated
    assert info["reward_parts"]["correct"] == 1.0
    assert info["reward_parts"]["cost"] == -0.1
    assert (info["attempts"], info["first_passed"], info["return"]) == (2, False, 0.5 * reward)
    env.reset(seed=0)
    assert env.step(right(env))[4]["first_passed"]


def test_attempts_run_out() -> None:
    env = wrappers.retry("chain_sum", attempts=2)
    env.reset(seed=0)
    env.step(wrong(env))
    seen, reward, terminated, truncated, info = env.step(wrong(env))
    assert (reward, terminated, truncated, info["attempts"]) == (0.0, True, False, 2)
    assert "attempts left" in seen
    assert env.messages[-1]["role"] == "assistant"


@pytest.mark.parametrize(
    ("feedback", "said"),
    [
        ("verdict", "That is not right. Try again; attempts left: 2."),
        ("labels", "That is not right (wrong_answer, arithmetic_slip). Try again; attempts left: 2."),
        ("detail", "is not the sum. Try again; attempts left: 2."),
        (lambda verdict: f"no: {verdict.failures[0]}", "no: wrong_answer"),
    ],
)
def test_feedback_is_chosen(feedback: Any, said: str) -> None:
    env = wrappers.retry("chain_sum", feedback=feedback)
    env.reset(seed=0)
    assert env.step(wrong(env))[0].endswith(said)


def test_by_default_feedback_tells_no_answer() -> None:
    for family in FAMILIES:
        env = wrappers.retry(family)
        prompt, _ = env.reset(seed=1)
        seen, *_ = env.step("")
        assert env.task.solution.answer not in seen[len(prompt) :] or len(env.task.solution.answer) < 3


def test_an_answer_is_judged_once() -> None:
    calls = []

    def verifier(_task: Any, text: str) -> reasonenv.Verdict:
        calls.append(text)
        return Verdict("good" in text)

    env = wrappers.retry("chain_sum", verifier=verifier)
    env.reset(seed=0)
    env.step("bad")
    env.step("good")
    assert calls == ["bad", "good"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wrappers.double_check("tsp", checks=0), "`checks` is 0, but must be between 1 and"),
        (lambda: wrappers.double_check("tsp", question=3), "`question` is 3, but must be text"),  # type: ignore[arg-type]
        (lambda: wrappers.retry("tsp", attempts=0), "`attempts` is 0, but must be between 1 and"),
        (lambda: wrappers.retry("tsp", feedback="all"), "unknown feedback 'all'; choose 'verdict'"),  # type: ignore[arg-type]
        (lambda: wrappers.retry("tsp", verifier=3), "`verifier` is 3, but must be a callable"),  # type: ignore[arg-type]
        (lambda: wrappers.retry("tsp", reward=3), "`reward` is 3, but must be a name"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_named(make: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_feedback_that_is_no_text_is_an_error() -> None:
    env = wrappers.retry("chain_sum", feedback=lambda _verdict: 3)  # type: ignore[arg-type,return-value]
    env.reset(seed=0)
    with pytest.raises(InvalidArgument, match="`feedback` gave 3, but must give text"):
        env.step("x")


CALL = {"function": {"name": "calculator", "arguments": '{"expression": "1 + 1"}'}}


def solves(contexts: Sequence[Any], _rollout: int) -> list[Any]:
    """Calls a tool where there is one, then answers; it reads the conversation as a model would."""
    said: list[Any] = []
    for context in contexts:
        roles = [message["role"] for message in context.messages]
        if "calls_left" in context.info and "assistant" not in roles:
            said.append({"role": "assistant", "content": None, "tool_calls": [CALL]})
        else:
            said.append(context.task.wrap(context.task.solution.answer))
    return said


@pytest.mark.parametrize(
    ("make", "turns"),
    [
        (partial(wrappers.tools, "chain_sum", ["calculator"], protocol="openai"), 2),
        (partial(wrappers.tools, "chain_sum", ["calculator"]), 2),
        (partial(wrappers.double_check, "chain_sum", checks=2), 3),
        (partial(wrappers.retry, "chain_sum"), 1),
        (partial(reasonenv.ReasonEnv, "chain_sum"), 1),
        (partial(gymnasium.make, env_id("chain_sum"), mode="step"), 1),
    ],
)
def test_rollouts_play_them(make: Any, turns: int) -> None:
    found = reasonenv.rollout(make, solves, n=3, group_size=2)
    assert found.passed.all()
    assert (found.rewards == 1.0).all()
    assert [len(one.turns) for one in found] == [turns] * 6


def test_hints_are_no_attempts() -> None:
    env = wrappers.retry("tower_of_hanoi", attempts=2, hints=1, hint_cost=0.5)
    seen, info = env.reset(seed=0)
    assert "at most 1 times" in seen
    assert env.messages[0]["content"] == seen
    seen, reward, terminated, _, info = env.step("hint: please")
    assert f"Hint: {env.task.solution.steps[0]}" in seen
    assert (reward, terminated, info["hints"], info["attempts"]) == (-0.5, False, 1, 0)
    *_, info = env.step("hint: more")
    assert (info["hints"], info["attempts"]) == (1, 1)
    _, reward, terminated, _, info = env.step(right(env))
    assert (reward, terminated, info["attempts"], info["first_passed"]) == (1, True, 2, False)
    assert info["return"] == 0.5
    env.reset(seed=0)
    env.step("hint:")
    *_, info = env.step(right(env))
    assert info["first_passed"]
    plain = wrappers.retry("tower_of_hanoi", attempts=1)
    assert "hint" not in plain.reset(seed=0)[0]
    *_, terminated, _, info = plain.step("hint:")
    assert terminated
    for wrong in (-1, "x", 1001):
        with pytest.raises(InvalidArgument, match="`hints` is"):
            wrappers.retry("tower_of_hanoi", hints=wrong)  # type: ignore[arg-type]
