"""Proposers and hint writers are paid for what a solver makes of their text."""

import json
from typing import Any

import numpy as np
import pytest
import reasonenv
from gymnasium.error import ResetNeeded
from reasonenv import selfplay
from reasonenv.curriculum import with_text
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.selfplay import PROPOSAL_FAILURES, HintWriterEnv, ProposerEnv
from reasonenv.selfplay._hint_writer import gives_answer
from reasonenv.selfplay._proposals import nearness

LEVELS = {"countdown": 3, "sudoku": 3, "program_output": 5, "knights_and_knaves": 4, "maze": 3}
"""Levels whose first problems differ, and no blind policy solves them."""


def posed(family: str, index: int, *, split: Any = "train") -> str:
    problem = (
        reasonenv.family(family).sample(seed=1234, index=index, level=LEVELS[family], split=split).problem
    )
    return f"Here it is.\n<problem>{problem}</problem>"


def propose(env: ProposerEnv, text: str, seed: int | None = None) -> tuple[float, dict[str, Any]]:
    env.reset(seed=seed)
    _, reward, terminated, truncated, info = env.step(text)
    assert (terminated, truncated) == (True, False)
    assert info["cost"] == info["episode_cost"] == float(bool(info["failure"]))
    return reward, info


@pytest.mark.parametrize("family", LEVELS)
def test_a_proposer_earns_more_the_nearer_the_solver_is_to_a_half(family: str) -> None:
    earned = {}
    for share in (0.0, 0.3, 0.5, 0.7, 1.0):
        env = ProposerEnv(family, f"noisy:{1 - share}", attempts=32)
        rewards = [propose(env, posed(family, at), seed=at) for at in range(6)]
        assert not any(info["failure"] for _, info in rewards), rewards
        earned[share] = np.mean([reward for reward, _ in rewards])
        for reward, info in rewards:
            assert reward == nearness(info["pass_rate"], (0.1, 0.9))
    assert earned[0.0] == earned[1.0] == 0
    assert earned[0.5] > max(earned[0.3], earned[0.7]) > 0.2


def test_what_nothing_can_be_learned_from_is_refused_by_label() -> None:
    env = ProposerEnv("countdown", "oracle", attempts=1)
    good = posed("countdown", 0)
    cases = {
        "no_problem": ["", "no idea", "<problem></problem>", good + posed("countdown", 1), "{" * 2_000_000],
        "invalid_problem": [
            "{}",
            '<problem>{"numbers":[1,1,1],"target":999,"use_all":false,"solution":"1+1+1"}</problem>',
            '<problem>{"numbers":[2,3],"target":6,"use_all":false,"solution":"2*3","hint":"6"}</problem>',
            "{" * 5_000,
            '{"numbers":' + "[" * 5_000,
            '{"numbers":[' + "9" * 5_000 + "]}",
        ],
        "held_out": [posed("countdown", 0, split="test"), posed("countdown", 0, split="eval")],
    }
    for label, texts in cases.items():
        for text in texts:
            reward, info = propose(env, text)
            assert (reward, info["failure"], info["task"], info["pass_rate"]) == (0, label, None, None), text
            assert info["detail"]
    assert not env.tasks
    assert propose(env, good)[1]["failure"] == ""
    assert propose(env, good)[1]["failure"] == "duplicate"
    problem = json.loads(good.partition("<problem>")[2].removesuffix("</problem>"))
    problem["numbers"].reverse()
    assert propose(env, json.dumps(problem))[1]["failure"] == "duplicate"
    assert len(env.tasks) == 1
    assert set(cases) | {"duplicate", "guessable"} == set(PROPOSAL_FAILURES)


def test_an_example_is_no_proposal() -> None:
    env = ProposerEnv("countdown", "oracle", attempts=1, examples=2)
    prompt, _ = env.reset(seed=3)
    shown = prompt.split("<problem>")[1].split("</problem>")[0]
    assert env.step(f"<problem>{shown}</problem>")[4]["failure"] == "duplicate"


def test_a_problem_that_a_blind_policy_solves_is_refused() -> None:
    env = ProposerEnv("chain_sum", "oracle", attempts=1)
    answer = env._examiner._blind[0]
    _, info = propose(env, json.dumps({"terms": [int(answer) - 1, 1]}))
    assert info["failure"] == "guessable"


def test_mistakes_are_named() -> None:
    for arguments, error, says in (
        ({"family": "nothing"}, UnknownName, "nothing"),
        ({"band": (0.9, 0.1)}, InvalidArgument, "the first pass rate must be the lower one"),
        ({"band": 0.5}, InvalidArgument, "`band` is 0.5, but must be two pass rates"),
        ({"attempts": 0}, InvalidArgument, "attempts"),
        ({"level": 99}, InvalidArgument, "level"),
    ):
        with pytest.raises(error, match=says):
            ProposerEnv(**({"family": "countdown", "solver": "oracle"} | arguments))
    env = ProposerEnv("countdown", "oracle")
    with pytest.raises(ResetNeeded):
        env.step("")


def test_a_hint_pays_what_the_solver_gains_by_it() -> None:
    def solver(tasks: Any, rollout: int) -> list[str]:
        helped = [("Look at row 1." in task.prompt) or rollout % 4 == 0 for task in tasks]
        return [
            task.wrap(task.solution.answer) if one else "" for task, one in zip(tasks, helped, strict=True)
        ]

    env = HintWriterEnv("sudoku", solver, attempts=8)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("Look at row 1.")
    assert terminated
    assert (reward, info["with_hint"], info["without_hint"], info["failure"]) == (0.75, 1.0, 0.25, "")
    env.reset(seed=0)
    assert env.step("Look at another row.")[1] == 0
    for hint, failure in (("", "empty"), ("x" * 2_001, "too_long")):
        env.reset(seed=1)
        info = env.step(hint)[4]
        assert (info["failure"], info["cost"], info["episode_cost"]) == (failure, 1.0, 1.0)
    with pytest.raises(ResetNeeded):
        env.step("Look at row 1.")


@pytest.mark.parametrize("family", reasonenv.list_families())
def test_no_hint_with_the_answer_is_paid(family: str) -> None:
    task = reasonenv.family(family).sample(seed=0, index=0, level=1)
    answer = task.solution.answer
    for hint in (answer, f"It is {answer}.", f"Psst:\n{answer}\n", task.wrap(answer), answer.upper()):
        if len(hint) < 2_000 and (hint != answer.upper() or task.verify(task.wrap(hint)).passed):
            assert gives_answer(task, hint), hint


def test_a_hint_stands_before_the_form_of_the_answer() -> None:
    task = reasonenv.family("countdown").sample(seed=0, index=0)
    hinted = with_text(task, "Multiply first.")
    assert hinted.prompt.index("Multiply first.") < hinted.prompt.index("<answer>")
    assert (hinted.key, hinted.problem) == (task.key, task.problem)
    assert hinted.id.startswith(f"{task.id}/hint:")


def test_proposer_and_solver_are_two_agents() -> None:
    env = selfplay.proposer_solver("countdown", attempts=4)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert observation in env.observation_space(agent)
        earned[agent] += reward
        answer = env.task and env.task.wrap(env.task.solution.answer)
        env.step(None if terminated or truncated else answer or posed("countdown", 1))
    assert env.agents == []
    assert earned == {"proposer": 0.0, "solver": 4.0}
    with pytest.raises(ResetNeeded):
        env.step("")
    env.reset(seed=0)
    env.step(posed("countdown", 0))
    assert env.task is not None
    right = env.task.wrap(env.task.solution.answer)
    for at, text in enumerate((right, "no idea", right, "no idea")):
        assert env.agent_selection == "solver"
        assert env.observe("solver") == env.task.prompt
        env.step(text)
        info = env.infos["solver"]
        assert (info["cost"], info["episode_cost"]) == (at % 2, (at + 1) // 2)
    assert (env.infos["proposer"]["cost"], env.infos["proposer"]["episode_cost"]) == (0.0, 0.0)
    assert env.terminations == {"proposer": True, "solver": True}
    assert env.rewards == {"proposer": 1.0, "solver": 0.0}
    assert env._cumulative_rewards["solver"] == 0.0
    env.reset(seed=0)
    env.step("nothing")
    assert env.infos["proposer"]["failure"] == "no_problem"
    assert (env.infos["proposer"]["cost"], env.infos["proposer"]["episode_cost"]) == (1.0, 1.0)
    assert all(env.terminations.values())
