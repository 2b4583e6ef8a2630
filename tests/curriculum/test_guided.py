"""Schedulers that choose how much of a solution to show."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
import reasonenv
from reasonenv.curriculum import Guide, HintIRT, Result, Reverse, TaskRef, checklist, levels, with_text
from reasonenv.curriculum._response import Layout, Observation, fit
from reasonenv.curriculum._student import Student

SPACE = [levels(name, 0, 7) for name in ("countdown", "letter_counting", "sorting")]


def chance(student: Student, task: TaskRef) -> float:
    """The student's true pass rate."""
    setting = task.setting.with_hint(0)
    known = student._chance(task, setting, *student._place[setting])
    return known + (1 - known) * setting.guess_rate


def rounds(seed: int, count: int) -> Iterator[tuple[Student, list[float]]]:
    """The student and its true pass rates on the tasks that some hint brings to a half, round by round."""
    student = Student(SPACE, seed=seed)
    student.rate = 0.0
    scheduler = HintIRT(SPACE, seed=seed, rollouts=32)
    for _ in range(count):
        asked = scheduler.ask(64)
        within = [
            one.task
            for one in asked
            if chance(student, one.task.with_hint(0)) <= 0.5 <= chance(student, one.task.with_hint(1))
        ]
        yield student, [chance(student, task) for task in within]
        scheduler.tell(student.attempt(one) for one in asked)


def test_hint_irt_brings_nine_tasks_in_ten_to_a_half_within_three_rounds() -> None:
    near: list[list[bool]] = [[], [], [], []]
    for seed in range(4):
        for at, (_, rates) in enumerate(rounds(seed, 4)):
            near[at] += [abs(rate - 0.5) <= 0.1 for rate in rates]
    assert np.mean(near[0]) < 0.5
    assert np.mean(near[3]) >= 0.9


def test_a_task_that_passes_without_a_hint_makes_way() -> None:
    scheduler = HintIRT(SPACE[0], tasks=4, drop=0.9)
    first = scheduler.ask(4)
    scheduler.tell(Result(one, [True] * 8) for one in first)
    second = scheduler.ask(4)
    assert all(one.task.hint <= earlier.task.hint for one, earlier in zip(second, first, strict=True))
    for _ in range(6):
        asked = scheduler.ask(4)
        scheduler.tell(Result(one, [True] * 8) for one in asked)
    assert not {one.task.with_hint(0) for one in first} & {one.task.with_hint(0) for one in asked}


def test_a_fit_recovers_what_made_the_outcomes() -> None:
    rng = np.random.default_rng(0)
    tasks = 60
    layout = Layout(np.arange(tasks) % 2, np.zeros(2, dtype=np.intp), np.arange(2), np.array([0.0, 0.2]))
    difficulty = np.where(np.arange(tasks) % 2, 2.5, 1.0) + rng.normal(0, 0.7, tasks)
    seen = []
    for number in range(400):
        task, hint = number % tasks, float(rng.integers(9)) / 8
        known = 1 / (1 + np.exp(-(0.5 + 3.0 * hint - difficulty[task])))
        guess = layout.guess[layout.setting[task]]
        passed = int(rng.binomial(50, guess + (1 - guess) * known))
        seen.append(Observation(task, hint, passed, 50, number // 100))
    response = fit(layout, seen)
    assert response.relief[0] == pytest.approx(3.0, abs=0.25)
    found = response.difficulty - response.ability[0]
    assert np.abs(found - (difficulty - 0.5)).mean() < 0.2
    blind = fit(layout, [])
    assert (blind.ability.tolist(), blind.relief.tolist()) == ([0.0], [4.0])
    assert blind.difficulty.tolist() == [0.0, 1.5] * 30


def test_a_group_that_fails_entirely_is_tried_again_with_guidance() -> None:
    scheduler = Guide("countdown", hint=0.25, tries=3)
    plain, passing = scheduler.ask(2)
    scheduler.tell([Result(plain, [False] * 8), Result(passing, [True] + [False] * 7)])
    shares = []
    for _ in range(3):
        (guided,) = scheduler.ask()
        assert guided.source == f"guided:{plain.id}"
        assert guided.task.with_hint(0) == plain.task
        shares.append(guided.task.hint)
        scheduler.tell(Result(guided, [False] * 8))
    assert shares == [0.25, 0.5, 1.0]
    assert scheduler.ask()[0].source == "plain"
    assert scheduler.metrics()["guided_solved"] == 0


def test_guidance_that_helps_ends_and_guidance_that_is_lost_comes_again() -> None:
    scheduler = Guide("countdown", train_guided=False)
    (plain,) = scheduler.ask()
    scheduler.tell(Result(plain, [False] * 8))
    (lost,) = scheduler.ask()
    scheduler.tell(Result(lost, []))
    (again,) = scheduler.ask()
    assert (again.task, again.source, again.train) == (lost.task, lost.source, False)
    scheduler.tell(Result(again, [True] * 8))
    assert scheduler.metrics()["guided_solved"] == 1
    assert scheduler.ask()[0].source == "plain"


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_a_checklist_names_mistakes_and_no_answer(name: str) -> None:
    family = reasonenv.family(name)
    hint = checklist(family)
    assert hint.count("\n- ") >= 1
    for index in range(5):
        task = family.sample(seed=0, index=index)
        hinted = with_text(task, hint)
        assert hint in hinted.prompt
        assert hinted.prompt.replace(f"\n\n{hint}\n\n", "\n") == task.prompt
        assert not task.verify(task.wrap(hint)).passed
        assert hinted.verify(hinted.wrap(task.solution.answer)).passed


def test_reverse_starts_near_the_end_and_moves_back() -> None:
    space = levels("tower_of_hanoi", 1, 1)
    scheduler = Reverse(space, window=2, growth=2, rollouts=4)
    key = space[0].key
    for left in (1, 2, 4):
        asked = scheduler.ask(2)
        for one in asked:
            steps = one.task.with_hint(0).task().solution.steps
            prompt = one.task.task().prompt
            assert [step in prompt for step in steps[: len(steps) - left]] == [True] * (len(steps) - left)
            assert prompt.count("\n- ") == max(0, len(steps) - left)
        assert scheduler.left[key] == left
        scheduler.tell(Result(one, [True] * 4) for one in asked)
    assert scheduler.left[key] > 4
    (late,) = scheduler.ask()
    moved = scheduler.left[key]
    for _ in range(2):
        scheduler.tell(Result(scheduler.ask()[0], [False] * 4))
    assert scheduler.left[key] == moved // 2
    scheduler.tell(Result(late, [False] * 4))  # of a start that is no longer in force
    assert scheduler.left[key] == moved // 2
    for _ in range(40):
        scheduler.tell(Result(scheduler.ask()[0], [True] * 4))
    longest = scheduler.left[key]
    assert scheduler.ask()[0].task.hint == 0
    assert scheduler.metrics()["left/tower_of_hanoi"] == longest
    for _ in range(40):
        scheduler.tell(Result(scheduler.ask()[0], [False] * 4))
    assert scheduler.left[key] == 1


def test_reverse_resumes_from_its_state() -> None:
    first, second = (Reverse(["maze", "sudoku"], seed=3, window=1) for _ in range(2))
    asked = first.ask(20)
    first.tell(Result(one, [True] * 8) for one in asked[:15])
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second.left == first.left
    assert max(first.left.values()) > 1
    assert second.ask(5) == first.ask(5)
