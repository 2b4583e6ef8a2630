"""Schedulers compared with synthetic students; benches/curricula.py has all of them and more seeds."""

from functools import cache

import numpy as np
import pytest
from reasonenv.curriculum import Track, levels, make
from reasonenv.curriculum._student import STUDENTS, CoinStudent, ForgetfulStudent, Student, steps_to_mastery
from reasonenv.rollouts import paired_interval

SPACE = [levels(name, 0, 7) for name in ("countdown", "letter_counting", "sorting")]
SEEDS = 8
BETTER = "thompson"
"""The scheduler that must beat `Uniform` for every student that schedulers should help."""


@cache
def taken(scheduler: str, student: str, seeds: int = SEEDS) -> tuple[int, ...]:
    return tuple(
        steps_to_mastery(make(scheduler, SPACE, seed=seed), STUDENTS[student](SPACE, seed=seed), most=300)
        for seed in range(seeds)
    )


@pytest.mark.parametrize("student", [name for name in STUDENTS if name != CoinStudent.name])
def test_one_scheduler_beats_uniform_for_every_student_it_is_made_for(student: str) -> None:
    saved, (low, _) = paired_interval(taken("uniform", student), taken(BETTER, student))
    assert low > 0, f"{saved:.0f} steps saved"
    assert max(taken(BETTER, student)) < 300


def test_uniform_wins_where_a_judge_tosses_coins() -> None:
    _, (_, high) = paired_interval(taken("uniform", "coin", 6), taken(BETTER, "coin", 6))
    assert high < 0


def test_a_ladder_wins_where_little_passes_without_a_hint_and_takes_its_time_elsewhere() -> None:
    class Beginner(Student):
        def _difficulty(self, track: int, position: int) -> float:
            return 4.0 + super()._difficulty(track, position)

    def steps(scheduler: str, space: list[Track], kind: type[Student]) -> list[int]:
        return [
            steps_to_mastery(make(scheduler, space, seed=seed), kind(space, seed=seed), most=600)
            for seed in range(5)
        ]

    hard = [levels("countdown", 4, 4)]
    assert max(steps("ladder", hard, Beginner)) < min(steps("uniform", hard, Beginner))
    easy = [levels("countdown", 0, 3)]
    assert sum(steps("ladder", easy, Student)) > sum(steps("uniform", easy, Student))


def test_a_student_learns_where_groups_are_mixed_and_nowhere_else() -> None:
    def gained(position: int) -> float:
        student = Student(SPACE, seed=0)
        student.abilities = [3.0] * len(SPACE)
        scheduler = make("uniform", SPACE[0][position])
        for one in scheduler.ask(10):
            student.attempt(one)
        assert student.abilities[1:] == [3.0] * (len(SPACE) - 1)
        return student.abilities[0] - 3.0

    assert gained(3) > 0.2
    assert gained(6) < 0.1
    assert gained(0) < 0.1


def test_a_student_passes_as_often_as_its_ability_says() -> None:
    student = Student(SPACE, seed=0)
    student.rate = 0.0
    student.spread = 0.0
    setting = SPACE[0][2]
    student.abilities[0] = 2.5
    results = [student.attempt(one) for one in make("uniform", setting).ask(2000)]
    known = student.known(0, 2.0)
    expected = known + (1 - known) * setting.guess_rate
    assert np.mean([result.pass_rate for result in results]) == pytest.approx(expected, abs=0.02)


def test_what_is_not_trained_on_teaches_nothing() -> None:
    student = Student(SPACE, seed=0)
    before = list(student.abilities)
    probes = [one for one in make("learnability", SPACE).ask(64) if not one.train]
    assert len(probes) == 64
    for one in probes:
        student.attempt(one)
    assert student.abilities == before


def test_a_forgetful_student_forgets_what_is_left_alone() -> None:
    student = ForgetfulStudent(SPACE, seed=0)
    student.abilities = [5.0] * len(SPACE)
    for one in make("uniform", SPACE[0]).ask(1000):
        student.attempt(one)
    assert student.abilities[1] == pytest.approx(5.0 * (1 - 0.00008) ** 1000)
