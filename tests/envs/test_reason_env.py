"""The composed environment: each part can be replaced alone, and its effect is visible."""

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import copies, equal
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from reasonenv import ReasonEnv, Verdict
from reasonenv.curriculum import Uniform
from reasonenv.errors import InvalidArgument, InvalidState, InvalidTask
from reasonenv.parts import EpisodeState, FinishedEpisode, Result, Turn
from task_envs import GARBAGE


def answer(env: ReasonEnv) -> str:
    return f"final answer: {env.task.solution.answer}"


class Episode:
    """A task of the caller with only the required attributes."""

    def __init__(self, number: int) -> None:
        self.id, self.prompt, self.number = f"own/{number}", f"Say {number}.", number

    def verify(self, text: str) -> reasonenv.Verdict:
        return Verdict(text.endswith(str(self.number)), answer=text)


class Own:
    """A generator of the caller whose tasks can be saved."""

    def sample(self, rng: np.random.Generator, assignment: Any) -> Episode:
        return Episode(int(rng.integers(10)) if assignment is None else assignment)

    def save_task(self, task: Episode) -> int:
        return task.number

    def load_task(self, saved: int) -> Episode:
        return Episode(saved)


def drawn(rng: np.random.Generator, assignment: Any) -> Episode:
    return Own().sample(rng, assignment)


def shown(task: Any, history: Sequence[Turn]) -> str:
    return f"{task.id} after {len(history)}"


def add(state: EpisodeState, action: str) -> EpisodeState:
    return state.add(action)


def numbers(task: Any, history: Sequence[Turn]) -> Any:
    return np.array([task.number, len(history)], np.float32)


def guess(state: EpisodeState, action: int) -> EpisodeState:
    return state.add(action, text=str(action))


def always(state: EpisodeState) -> bool:
    return bool(state.history)


def says_so(task: Any, text: str) -> bool:
    del task
    return "so" in text


def paid(verdict: reasonenv.Verdict, trace: EpisodeState) -> float:
    return 2.0 * verdict.passed - 0.1 * len(trace.history)


class Asks:
    """A curriculum of numbers."""

    def __init__(self, *assignments: Any) -> None:
        self.assignments = list(assignments)
        self.told: list[Result] = []

    def ask(self, n: int) -> list[Any]:
        assert n == 1
        return [self.assignments.pop(0)]

    def tell(self, results: Sequence[Result]) -> None:
        self.told += results


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"generator": "tsp"},
        {"generator": Own()},
        {"generator": drawn},
        {"state_builder": shown},
        {"verifier": says_so},
        {"reward": paid},
        {"reward": "partial"},
        {"transition": add},
        {"stop": always},
        {"gamma": 0.5},
        {"max_steps": 2},
        {"process_judge": lambda _task, steps: [0.5] * len(steps)},
        {"logger": [].append},
    ],
    ids=lambda parts: ", ".join(parts) or "defaults",
)
def test_the_checker_passes_whatever_part_is_replaced(parts: dict[str, Any]) -> None:
    check_env(ReasonEnv(**parts), skip_render_check=True)


def test_seeds_decide_all_that_follows() -> None:
    one, other = ReasonEnv(), ReasonEnv()
    assert equal(one.reset(seed=5), other.reset(seed=5))
    assert equal([one.reset() for _ in range(5)], [other.reset() for _ in range(5)])
    assert len({one.reset()[1]["task_id"] for _ in range(20)}) == 20


def tasks_file(folder: Path) -> Path:
    path = folder / "tasks.jsonl"
    path.write_text(reasonenv.family("chain_sum").batch(count=3).to_jsonl())
    return path


def test_generators_of_every_kind(tmp_path: Path) -> None:
    family = reasonenv.family("chain_sum")
    path = tasks_file(tmp_path)
    kinds: list[tuple[Any, int | None]] = [
        ("chain_sum", None),
        (family, None),
        (family.source(level=2), None),
        (reasonenv.Mixture(["chain_sum"]), None),
        (family.batch(count=3), 3),
        ([family.sample(index=i) for i in range(3)], 3),
        (path, 3),
        (str(path), 3),
        (lambda rng, _: family.sample(index=int(rng.integers(5))), None),
    ]
    for kind, count in kinds:
        env = ReasonEnv(kind)
        env.reset(seed=0)
        assert env.task.family == "chain_sum"
        assert env.step(answer(env))[1] == 1.0
        if count is not None:
            posed = {env.reset()[1]["task_id"] for _ in range(40)}
            assert len(posed) == count


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"generator": "chain_sums"}, "did you mean `chain_sum`"),
        ({"generator": 3}, "`generator` is 3, but must be a family or its name"),
        ({"generator": []}, "`generator` has no tasks"),
        ({"generator": [3]}, "item 0 of `generator` is 3, but must be a task"),
        ({"verifier": 3}, "`verifier` is 3, but must be a callable"),
        ({"state_builder": "x"}, "`state_builder` is 'x', but must be a callable"),
        ({"transition": 3}, "`transition` is 3"),
        ({"stop": 3}, "`stop` is 3"),
        ({"logger": 3}, "`logger` is 3"),
        ({"process_judge": 3}, "`process_judge` is 3"),
        ({"curriculum": 3}, r"`curriculum` is 3, but must have `ask\(n\)` and `tell\(results\)`"),
        ({"reward": 3}, "`reward` is 3, but must be a name"),
        (
            {"reward": {"regret": 1, "correct": 1}},
            "`reward` has the part `regret`, which is not measured here",
        ),
        ({"transition": add, "process_judge": always}, "`process_judge` is what the default transition asks"),
        ({"gamma": -1}, "`gamma` is -1, but must be a number between 0 and 1"),
        ({"max_steps": 1.5}, "`max_steps` is 1.5, but must be a whole number"),
    ],
)
def test_wrong_parts_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        ReasonEnv(**given)


def test_a_bad_line_of_a_file_of_tasks_is_named(tmp_path: Path) -> None:
    path = tasks_file(tmp_path)
    path.write_text(path.read_text() + "\n{}\n")
    with pytest.raises(InvalidTask, match=r"tasks.jsonl, line \d: "):
        ReasonEnv(path)


def test_each_part_is_called_with_what_its_signature_says() -> None:
    seen: list[Any] = []

    def verifier(task: Any, text: str) -> bool:
        seen.append(("verifier", task.id, text))
        return True

    def reward(verdict: reasonenv.Verdict, trace: EpisodeState) -> Mapping[str, float]:
        seen.append(("reward", verdict.passed, len(trace.history)))
        return {"right": 1.0, "brief": -0.25}

    env = ReasonEnv(Own(), state_builder=shown, verifier=verifier, reward=reward, gamma=0.5)
    first, _ = env.reset(seed=1)
    name = env.task.id
    assert first == f"{name} after 0"
    assert env.step("one")[0] == f"{name} after 1"
    _, got, terminated, _, info = env.step("final answer: 3")
    assert (got, terminated, info["passed"], info["return"]) == (0.75, True, True, 0.375)
    assert info["reward_parts"] == {"right": 1.0, "brief": -0.25}
    assert seen == [("verifier", name, "one\n3"), ("reward", True, 2)]


def test_a_transition_and_a_stop_of_ones_own() -> None:
    def shout(state: EpisodeState, action: str) -> EpisodeState:
        return state.add(action.upper(), reply="noted", text=action.upper(), count=len(state.history) + 1)

    env = ReasonEnv(Own(), transition=shout, stop=lambda state: state.memory["count"] == 3, max_steps=5)
    env.reset(seed=0)
    assert not env.step("final answer: 3")[2]
    seen, *_ = env.step("b")
    assert "FINAL ANSWER: 3\nnoted\nB\nnoted" in seen
    assert env.step("c")[2]


def test_numbers_as_observations_and_actions() -> None:
    env = ReasonEnv(
        Own(),
        state_builder=numbers,
        transition=guess,
        stop=always,
        observation_space=spaces.Box(0, 10, (2,), np.float32),
        action_space=spaces.Discrete(10),
    )
    check_env(env, skip_render_check=True)
    env.reset(seed=3)
    twins = list(copies(env))
    right = np.int64(env.task.number)
    ours = env.step(right)
    assert ours[1] == 1.0
    for twin in twins:
        assert equal(twin.step(right), ours)


@pytest.mark.parametrize(
    ("given", "passed", "score"),
    [
        (True, True, 1.0),
        (np.True_, True, 1.0),
        (False, False, 0.0),
        (0.5, False, 0.5),
        (1, True, 1.0),
        ({"passed": False, "score": 0.25, "failures": ["too_long"], "detail": "by far"}, False, 0.25),
        (Verdict(True), True, 1.0),
    ],
)
def test_what_stands_for_a_verdict(given: Any, passed: bool, score: float) -> None:
    env = ReasonEnv(Own(), verifier=lambda _task, _text: given, stop=always)
    env.reset(seed=0)
    info = env.step("x")[4]
    assert (info["passed"], info["score"]) == (passed, score)
    assert set(info["verdict"]) == {"passed", "score", "parts", "failures", "detail", "answer", "respelled"}
    assert bool(info["verdict"]["failures"]) == (not passed)


@pytest.mark.parametrize(
    "given", [None, "yes", 2, -1, float("nan"), {"score": 1}, {"passed": 1}, {"x": 1}, []]
)
def test_what_is_no_verdict_is_an_error(given: Any) -> None:
    env = ReasonEnv(Own(), verifier=lambda _task, _text: given, stop=always)
    env.reset(seed=0)
    with pytest.raises(InvalidArgument, match=r"^`verifier` gave .* for 'own/\d', but must"):
        env.step("x")


def test_verdicts_of_ones_own() -> None:
    verdict = Verdict(False, 0.5, failures=["late"], detail="by a day", parts={"near": 0.5}, answer="5")
    assert verdict.to_dict() == {
        "passed": False,
        "score": 0.5,
        "parts": {"near": 0.5},
        "failures": ["late"],
        "detail": "by a day",
        "answer": "5",
        "respelled": False,
    }
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    for wrong in ({"passed": True, "score": 0.5}, {"passed": False, "score": 1}, {"passed": "no"}):
        with pytest.raises(InvalidArgument):
            Verdict(**wrong)
    with pytest.raises(InvalidArgument, match=r"`failures` is .* must be empty where it passed"):
        Verdict(True, failures=["late"])


def run(env: ReasonEnv) -> None:
    env.reset(seed=0)
    env.step("so final answer: 3")


class Broken(Exception):
    """A mistake in a caller's part."""


def breaks(*_: Any) -> Any:
    raise Broken("by mistake")


@pytest.mark.parametrize(
    "part",
    ["generator", "state_builder", "verifier", "reward", "transition", "stop", "logger", "process_judge"],
)
def test_errors_in_a_part_come_out_and_name_it(part: str) -> None:
    parts: dict[str, Any] = {"generator": Own(), part: breaks}
    env = ReasonEnv(**parts)
    with pytest.raises(Broken, match="by mistake") as caught:
        run(env)
    assert [f"`{part}`" in note for note in caught.value.__notes__] == [True]
    if part in ("verifier", "reward", "transition"):
        assert "own/" in caught.value.__notes__[0]
        # Nothing has happened.
        assert env.state.history == ()
        assert env.get_state() == env.clone().get_state()


def test_errors_in_a_curriculum_name_it() -> None:
    for asks, tells in ((breaks, print), (lambda _: [1], breaks)):
        curriculum: Any = Asks()
        curriculum.ask, curriculum.tell = asks, tells
        env = ReasonEnv(Own(), curriculum=curriculum)
        with pytest.raises(Broken) as caught:
            run(env)
        assert "`curriculum`" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"generator": lambda _rng, _assignment: 3}, "`generator` gave 3, but must give a task"),
        ({"transition": lambda state, _action: state}, "`transition` gave .* with one turn more"),
        ({"transition": lambda _state, _action: None}, "`transition` gave None"),
        ({"reward": lambda _verdict, _trace: "much"}, "`reward` is 'much'"),
        ({"reward": lambda _verdict, _trace: {"a": float("inf")}}, r"`reward\['a'\]` is inf"),
        ({"process_judge": lambda _task, _steps: "ab"}, "`process_judge` gave 'ab'"),
    ],
)
def test_what_a_part_must_not_give_is_an_error(parts: dict[str, Any], message: str) -> None:
    env = ReasonEnv(**{"generator": Own()} | parts)
    with pytest.raises(InvalidArgument, match=message):
        run(env)


def test_no_action_raises() -> None:
    env = ReasonEnv("chain_sum")
    for action in GARBAGE:
        env.reset(seed=0)
        env.step(action)


def test_a_curriculum_is_asked_and_told() -> None:
    curriculum = Asks(3, 7, 3)
    env = ReasonEnv(Own(), curriculum=curriculum)
    passed = []
    for said in ("3", "3"):
        env.reset(seed=0)
        env.step("hm")
        passed.append(env.step(f"final answer: {said}")[4]["passed"])
    assert passed == [True, False]
    assert [(one.assignment, one.passed) for one in curriculum.told] == [(3, (True,)), (7, (False,))]
    assert curriculum.told[0].trajectories[0].task.number == 3
    assert curriculum.assignments == [3]


class Group:
    """An assignment of several rollouts."""

    def __init__(self, task: Any, rollouts: int) -> None:
        self.task, self.rollouts = task, rollouts


def test_an_assignment_of_several_rollouts_is_one_task_and_one_result() -> None:
    task = reasonenv.family("chain_sum").sample(index=4)
    curriculum = Asks(Group(task, 3), Group(task, 1))
    env = ReasonEnv("tsp", curriculum=curriculum)
    for said in ("0", task.solution.answer, "0"):
        env.reset()
        assert env.task == task
        # An abandoned episode, a chosen one and one of a clone do not count among the three.
        env.step("never mind")
        env.clone().step(f"final answer: {said}")
        env.reset(options={"index": 5})
        assert env.task.family == "tsp"
        env.step(answer(env))
        env.reset()
        assert not curriculum.told
        env.step(f"final answer: {said}")
    assert [one.passed for one in curriculum.told] == [(False, True, False)]
    assert len(curriculum.told[0].trajectories) == 3
    env.reset()
    assert curriculum.assignments == []


def test_schedulers_are_curricula() -> None:
    scheduler = Uniform(["chain_sum", "sudoku"], rollouts=2, seed=0)
    env = ReasonEnv("tsp", curriculum=scheduler)
    posed = []
    for said in ("right", "wrong", "right"):
        env.reset()
        posed.append(env.task.id)
        env.step(answer(env) if said == "right" else "final answer: ?")
    assert posed[0] == posed[1] != posed[2]
    assert {task.split("/")[0] for task in posed} <= {"chain_sum", "sudoku"}
    metrics = scheduler.metrics()
    assert (metrics["asked"], metrics["told"], metrics["pass_rate"]) == (2, 1, 0.5)


@pytest.mark.parametrize(
    ("assignment", "family", "level"),
    [
        (reasonenv.family("tsp").sample(level=1), "tsp", 1),
        ({"family": "sudoku", "level": 2}, "sudoku", 2),
        ({"level": 3}, "chain_sum", 3),
        ({"level": 3, "index": 7}, "chain_sum", 3),
        (5, "chain_sum", 0),
        ({"task": {"family": "tsp"}}, "tsp", 0),
        ({"params": {"terms": 9}}, "chain_sum", None),
    ],
)
def test_what_a_curriculum_can_ask_for(assignment: Any, family: str, level: int | None) -> None:
    env = ReasonEnv("chain_sum", curriculum=Asks(assignment, assignment))
    _, info = env.reset(seed=0)
    assert (env.task.family, info["level"]) == (family, level)
    if isinstance(assignment, dict) and "index" in assignment:
        assert info["index"] == 7


@pytest.mark.parametrize("assignment", [object(), {}, -1, {"family": "tspp"}, {"task": 2**70}])
def test_what_a_curriculum_cannot_ask_for(assignment: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        ReasonEnv("chain_sum", curriculum=Asks(assignment)).reset(seed=0)
    assert "`generator`" in caught.value.__notes__[0]


def test_the_logger_is_given_trajectories() -> None:
    logged: list[FinishedEpisode] = []
    env = ReasonEnv("chain_sum", logger=logged.append, gamma=0.5, max_steps=2)
    first, _ = env.reset(seed=0)
    env.step("82 - 46 = 36")
    assert not logged
    stepped = env.step(answer(env))
    env.reset()
    env.step("a")
    env.step("b")
    assert len(logged) == 2
    one, other = logged
    assert (one.passed, one.reward, one.terminated, one.truncated) == (True, 1.0, True, False)
    assert (one.returns, other.returns) == ((0.5, 1.0), (0.0, 0.0))
    assert (other.passed, other.terminated, other.truncated) == (False, False, True)
    assert [turn["action"] for turn in one.turns] == [
        "82 - 46 = 36",
        stepped[4]["text"] and one.turns[1]["action"],
    ]
    assert one.turns[0]["observation"] == first
    assert one.turns[1]["info"]["return"] == 0.5
    record = one.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["reasoning"] == "82 - 46 = 36"
    assert record["final_answer"] == one.verdict.answer
    assert record["process_scores"] == list(one.state.process_scores or ())
    assert (record["family"], record["level"], record["return"]) == ("chain_sum", 0, 0.5)


def test_tasks_can_be_chosen() -> None:
    env = ReasonEnv("chain_sum")
    env.reset(options={"index": 7})
    task = env.task
    assert task == reasonenv.family("chain_sum").sample(index=7)
    env.reset(options={"task": reasonenv.family("tsp").sample()})
    assert env.task.family == "tsp"
    for options, message in (
        ({"index": -1}, "must be between 0 and"),
        ({"task": 3}, "must be a task"),
        ({"task": task, "index": 1}, "has both `index` and `task`"),
        ({"indx": 1}, "did you mean `index`"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            env.reset(options=options)
    with pytest.raises(InvalidArgument, match="the generator numbers no tasks"):
        ReasonEnv(Own()).reset(options={"index": 1})


@pytest.mark.parametrize("generator", ["chain_sum", Own(), None], ids=["family", "own", "all"])
def test_copies_go_on_as_the_env_does(generator: Any) -> None:
    env = ReasonEnv(generator)
    env.reset(seed=3)
    env.step("first")
    twins = list(copies(env))
    ours = [env.step("final answer: 3"), env.reset(), env.step("x")]
    for twin in twins:
        assert equal([twin.step("final answer: 3"), twin.reset(), twin.step("x")], ours)


def test_a_prefix_can_be_continued_many_times() -> None:
    env = ReasonEnv("chain_sum", max_steps=3)
    env.reset(seed=0)
    env.step("a")
    saved, ends = env.get_state(), []
    for last in ("final answer: 0", answer(env)):
        env.set_state(saved)
        ends.append(env.step(last)[1])
    assert ends == [0.0, 1.0]
    over = ReasonEnv("chain_sum", max_steps=3)
    over.set_state(env.get_state())
    with pytest.raises(ResetNeeded):
        over.step("b")


def test_states_of_tasks_that_cannot_be_saved() -> None:
    env = ReasonEnv(drawn)
    env.reset(seed=0)
    with pytest.raises(InvalidState, match="give its generator `save_task"):
        env.get_state()
    kept = ReasonEnv(Own(), transition=lambda state, action: state.add(action, kept=object()))
    kept.reset(seed=0)
    kept.step("a")
    with pytest.raises(InvalidState, match="not plain data"):
        kept.get_state()


def test_the_same_text_is_not_judged_twice_in_a_row() -> None:
    calls = []

    def verifier(_task: Any, text: str) -> bool:
        calls.append(text)
        return True

    env = ReasonEnv(Own(), verifier=verifier, stop=always)
    env.reset(seed=0)
    assert env.judge(env.task, "x") is env.judge(env.task, "x")
    env.step("x")
    assert calls == ["x"]


def test_before_the_first_reset() -> None:
    env = ReasonEnv()
    for look in (lambda: env.task, lambda: env.state, lambda: env.messages, lambda: env.step("a")):
        with pytest.raises(ResetNeeded):
            look()


def test_rendering() -> None:
    env = ReasonEnv(Own(), render_mode="ansi")
    env.reset(seed=0)
    env.step("\N{SNOWMAN}")
    frame = env.render()
    assert frame is not None
    assert r"\u2603" in frame
    env.step("final answer: \ud800")
    assert "failed (wrong_answer)" in (env.render() or "")


def test_vectors_of_composed_environments() -> None:
    many = gymnasium.vector.SyncVectorEnv([lambda: ReasonEnv("chain_sum", max_steps=2)] * 3)
    seen, _ = many.reset(seed=0)
    assert len(seen) == 3
    for said in ("a", "b"):
        _, rewards, _, truncations, _ = many.step([said] * 3)
    assert truncations.all()
    assert not rewards.any()


def test_states_are_values() -> None:
    state = EpisodeState(Episode(1), 3)
    after = state.add("a", reply="b", seen=1)
    assert (state.steps_left, after.steps_left, state.last, after.last) == (3, 2, "", "a")
    assert after.add("c").text == "a\nc"
    assert after.add("c", more=2).memory == {"seen": 1, "more": 2}
    assert replace(after, history=()).last == ""
