"""Schedulers: their common contract, and the behavior of each."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import reasonenv
from reasonenv.curriculum import (
    PLR,
    SCHEDULERS,
    Accel,
    Assignment,
    Choice,
    HintRegret,
    KeepHardest,
    Ladder,
    Learnability,
    Paired,
    Result,
    RlveWindow,
    Scheduler,
    Setting,
    Stratified,
    Thompson,
    Threshold,
    Weakness,
    learnability,
    levels,
    make,
    option,
    sweep,
)
from reasonenv.curriculum._student import Student
from reasonenv.errors import InvalidArgument, InvalidState, UnknownName

SPACE = [levels("countdown", 0, 4), levels("sorting", 0, 3)]
NAMES = list(SCHEDULERS)


def passes(assignment: Assignment, share: float) -> Result:
    count = round(share * assignment.rollouts)
    return Result(assignment, [True] * count + [False] * (assignment.rollouts - count))


def by_key(assignment: Assignment) -> Result:
    """A result that depends only on the assignment."""
    return passes(assignment, sum(assignment.task.key.encode()) % 9 / 8)


def work(scheduler: Scheduler, steps: int, n: int = 6) -> list[Assignment]:
    done = []
    for _ in range(steps):
        asked = scheduler.ask(n)
        scheduler.tell(map(by_key, asked))
        done += asked
    return done


@pytest.mark.parametrize("name", NAMES)
def test_the_same_calls_give_the_same_assignments(name: str) -> None:
    first, second, other = (work(make(name, SPACE, seed=seed), 30) for seed in (0, 0, 1))
    assert first == second
    assert first != other
    assert [assignment.id for assignment in first] == list(range(180))


@pytest.mark.parametrize("name", NAMES)
def test_a_state_goes_on_where_it_was_taken(name: str) -> None:
    scheduler = make(name, SPACE, seed=3)
    work(scheduler, 20)
    late = scheduler.ask(7)
    saved = json.loads(json.dumps(scheduler.state_dict(), allow_nan=False))
    other = make(name, SPACE, seed=99)
    other.load_state_dict(saved)
    for one in (scheduler, other):
        one.tell(map(by_key, late))
    assert work(scheduler, 20) == work(other, 20)
    assert scheduler.metrics() == other.metrics()
    assert scheduler.state_dict() == other.state_dict()


@pytest.mark.parametrize("name", NAMES)
def test_results_may_come_late_twice_and_in_any_order(name: str) -> None:
    once, twice = (make(name, SPACE, seed=1) for _ in range(2))
    for scheduler in (once, twice):
        asked = scheduler.ask(4) + scheduler.ask(3)
        scheduler.tell(map(by_key, reversed(asked)))
        if scheduler is twice:
            scheduler.tell(map(by_key, asked))
            scheduler.tell(Result(asked[0].id, [True]))
    assert twice.metrics()["repeated"] == 8
    states = [scheduler.state_dict() for scheduler in (once, twice)]
    for state in states:
        del state["kept"]["_counts"]["repeated"]
    assert states[0] == states[1]


@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_of_which_nothing_came_is_taken_back(name: str) -> None:
    scheduler = make(name, SPACE)
    fresh = scheduler.state_dict()["kept"]
    asked = scheduler.ask(2)
    scheduler.tell(Result(assignment, []) for assignment in asked)
    metrics = scheduler.metrics()
    assert (metrics["failed"], metrics["told"], metrics["pending"]) == (2, 0, 0)
    kept = scheduler.state_dict()["kept"]
    for what in fresh.keys() - {"_counts", "_next_indices", "_turn", "_partner", "_pool", "_fresh"}:
        assert kept[what] == fresh[what], what


@pytest.mark.parametrize("name", NAMES)
def test_metrics_are_finite_numbers(name: str) -> None:
    scheduler = make(name, SPACE)
    for steps in (0, 25):
        work(scheduler, steps)
        assert all(type(value) is float and math.isfinite(value) for value in scheduler.metrics().values())
    assert scheduler.metrics()["asked"] == 150


@pytest.mark.parametrize("name", NAMES)
def test_every_assignment_can_be_posed_and_new_tasks_come_once(name: str) -> None:
    done = work(make(name, SPACE), 40)
    again = {"replay", "antagonist", "protagonist", "edit"}
    new = [assignment.task.key for assignment in done if assignment.source not in again]
    assert len(set(new)) == len(new)
    for assignment in done[::20]:
        assert assignment.task.task().split == "train"
        assert assignment.rollouts == (16 if name == "rlve_window" else 8)


@pytest.mark.parametrize("name", NAMES)
def test_states_that_do_not_fit_are_refused(name: str) -> None:
    scheduler = make(name, SPACE)
    work(scheduler, 3)
    state = scheduler.state_dict()
    before = scheduler.state_dict()
    wrong: list[tuple[object, str]] = [
        (None, "what `state_dict` returned"),
        (state | {"scheduler": "best"}, "`scheduler` of the state is 'best'"),
        (state | {"state_version": 0}, "`state_version` of the state is 0, but this scheduler's is 1"),
        (make(name, "sudoku").state_dict(), "`space` of the state"),
        (state | {"rng": {}}, "damaged"),
        (state | {"pending": [{"id": 3}]}, r"damaged \(`pending\[0\]\.task` is missing\)"),
        ({key: state[key] for key in state if key != "kept"}, "damaged"),
        *((state | {"kept": state["kept"] | {what: "?"}}, f"damaged.*{what}") for what in state["kept"]),
    ]
    for given, says in wrong:
        with pytest.raises(InvalidState, match=says):
            scheduler.load_state_dict(given)  # type: ignore[arg-type]
        assert scheduler.state_dict() == before


def test_an_assignment_of_another_scheduler_is_refused() -> None:
    ours, theirs = make("uniform", SPACE, seed=0), make("uniform", SPACE, seed=1)
    ours.ask(1)
    for result in (by_key(theirs.ask(1)[0]), Result(7, [True])):
        with pytest.raises(InvalidArgument, match="not one that this scheduler made"):
            ours.tell(result)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: make("unifrom", SPACE), UnknownName, "did you mean `uniform`"),
        (lambda: make("threshold", SPACE, ups=1), UnknownName, "did you mean `up`"),
        (lambda: Threshold(SPACE, up=0.5, down=0.6), InvalidArgument, "`down` is 0.6"),
        (lambda: PLR(SPACE, temperature=0), InvalidArgument, "`temperature`"),
        (lambda: Learnability(SPACE, probes=4, top=5), InvalidArgument, "between 1 and 4"),
        (lambda: Accel(SPACE, aims=["up"]), UnknownName, "harder"),  # type: ignore[list-item]
        (lambda: HintRegret(SPACE, hint=0), InvalidArgument, "`hint`"),
        (lambda: Stratified(SPACE, num_groups=0), InvalidArgument, "at least 1"),
        (lambda: make("uniform", SPACE).ask(-1), InvalidArgument, "`n` is -1"),
        (lambda: make("uniform", SPACE).tell([3]), InvalidArgument, "`Result`s alone"),  # type: ignore[list-item]
        (lambda: Result(0, "yes"), InvalidArgument, "`passed`"),  # type: ignore[arg-type]
        (lambda: Result(0, [1]), InvalidArgument, "True or False"),  # type: ignore[list-item]
        (lambda: make("uniform", SPACE).tell(Result(-1, [])), InvalidArgument, "at least 0"),
        (lambda: make("uniform", SPACE).tell(Result("0", [])), InvalidArgument, "whole number"),
        (lambda: Ladder("tic_tac_toe"), UnknownName, "no family"),
        (lambda: Ladder(sweep("tic_tac_toe", "random_move_prob", [0.5])), InvalidArgument, "game"),
    ],
)
def test_mistakes_are_named(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_what_has_no_end_is_refused() -> None:
    endless: Any = itertools.repeat(levels("sorting"))
    for call in (
        lambda: Threshold(endless),
        lambda: Ladder(SPACE, rungs=itertools.repeat(0.5)),
        lambda: Accel(SPACE, aims=itertools.repeat("harder")),  # type: ignore[arg-type]  # an iterator
        lambda: sweep("chain_sum", "terms", itertools.repeat(3)),
    ):
        with pytest.raises(InvalidArgument, match="or no end"):
            call()


def test_threshold_goes_up_and_down_with_hysteresis() -> None:
    scheduler = Threshold(levels("countdown", 0, 3), up=0.8, down=0.3, window=2)
    for share, positions in (
        (1.0, [0, 1, 1, 2]),
        (0.5, [2, 2, 2]),
        (0.0, [1, 1, 0, 0, 0, 0, 0]),
        (0.9, [0, 1]),
    ):
        seen = []
        for _ in positions:
            scheduler.tell(passes(scheduler.ask()[0], share))
            seen.append(scheduler.positions["countdown"])
        assert seen == positions, share
    late = scheduler.ask(8)
    scheduler.tell(passes(one, 1.0) for one in late)
    assert scheduler.positions["countdown"] == 2  # those of the setting it has left do not count


def test_threshold_reviews_easier_settings() -> None:
    scheduler = Threshold(levels("countdown", 0, 3), review=0.3)
    for _ in range(60):
        scheduler.tell(passes(scheduler.ask()[0], 1.0))
    assert scheduler.positions["countdown"] == 3
    sources = Counter(one.source for one in scheduler.ask(1000))
    assert 240 < sources["review"] < 360


def test_rlve_window_is_raised_at_nine_tenths_of_eight_prompts_by_sixteen() -> None:
    scheduler = RlveWindow(levels("countdown", 0, 7))
    top = 0
    for share, to in ((1.0, 1), (0.875, 1), (15 / 16, 2), (0.0, 2), (1.0, 3), (1.0, 4)):
        told = 0
        while told < 8:
            (one,) = scheduler.ask()
            assert one.rollouts == 16
            position = scheduler.tracks[0].settings.index(one.task.setting)
            assert max(0, top - 3) <= position <= top
            told += position == top
            # Results below the top do not count.
            scheduler.tell(passes(one, share if position == top else 0.0))
        top = scheduler.positions["countdown"]
        assert top == to, share
    window = {scheduler.tracks[0].settings.index(one.task.setting) for one in scheduler.ask(200)}
    assert window == {1, 2, 3, 4}


def test_plr_replays_what_teaches_without_replacement() -> None:
    scheduler = PLR(SPACE, size=16, replay=0.0, staleness=0.0)
    scores = {}
    for i, one in enumerate(scheduler.ask(16)):
        result = passes(one, i % 9 / 8)
        scores[one.task.key] = learnability(result.pass_rate, one.task.setting.guess_rate)
        scheduler.tell(result)
    scheduler.replay = 1.0
    replayed = Counter[str]()
    for _ in range(100):
        asked = scheduler.ask(4)
        keys = [one.task.key for one in asked if one.source == "replay"]
        assert len(set(keys)) == len(keys) == 4
        replayed.update(keys)
        assert not {one.task.key for one in scheduler.ask(3)} & set(keys)  # under way
        scheduler.tell(Result(one, []) for one in [*scheduler._pending.values()])
    best = sorted(scores, key=lambda key: -scores[key])
    assert sum(replayed[key] for key in best[:6]) > 5 * sum(replayed[key] for key in best[-6:])


def test_plr_comes_back_to_what_is_stale_and_drops_the_least_probable() -> None:
    scheduler = PLR(SPACE, size=8, replay=1.0, staleness=1.0)
    first = scheduler.ask(8)
    scheduler.tell(Result(one, [True] * 4 + [False] * 4, version=i) for i, one in enumerate(first))
    drawn = Counter[str]()
    for _ in range(300):
        (one,) = scheduler.ask()
        drawn[one.task.key] += 1
        scheduler.tell(Result(one, []))
    assert drawn[first[0].task.key] > drawn[first[6].task.key] > drawn[first[7].task.key] == 0
    flat = PLR(SPACE, size=4, replay=0.0)
    flat.tell(
        passes(one, share) for one, share in zip(flat.ask(6), (0.5, 0.0, 0.5, 0.4, 0.5, 0.0), strict=True)
    )
    kept = {record["score"] for record in flat.state_dict()["kept"]["_kept"].values()}
    assert len(kept) >= 1
    assert min(kept) > 0  # what all failed made way, and did not come back in
    assert flat.metrics()["kept"] == 4


def test_accel_edits_what_it_replays_and_stays_in_the_split() -> None:
    scheduler = Accel(levels("countdown", 0, 3), size=16, replay=0.7)
    done = work(scheduler, 60)
    edited = [one.task for one in done if one.source == "edit"]
    assert len(edited) > 20
    assert {aim for task in edited for aim, _ in task.edits} == {"harder", "same"}
    assert max(len(task.edits) for task in edited) > 1
    assert all(task.task().split == "train" for task in edited)
    assert any(one.source == "replay" and one.task.edits for one in done)
    mixed = Accel(["chain_sum", "countdown"], size=16, replay=0.7)
    assert {one.task.family for one in work(mixed, 40) if one.task.edits} == {"countdown"}
    assert mixed.metrics()["refused"] > 0


@pytest.mark.parametrize("space", [["chain_sum"], ["chain_sum", "rush_hour"], [Setting.of("nim")]])
def test_accel_refuses_a_space_in_which_nothing_can_be_edited(space: Any) -> None:
    names = ", ".join(getattr(one, "family", one) for one in space)
    with pytest.raises(InvalidArgument, match=f"`space` is {names}, but `accel` mutates tasks"):
        Accel(space)


def test_learnability_trains_on_the_probes_that_teach_most() -> None:
    scheduler = Learnability(SPACE, probes=20, top=5, period=40, replay=1.0)
    probes = scheduler.ask(20)
    assert all(one.source == "probe" and not one.train for one in probes)
    scheduler.tell(passes(one, (0.0, 1.0, 0.9, 0.5)[i % 4]) for i, one in enumerate(probes))
    trained = scheduler.ask(40)
    assert {one.task.key for one in trained} == {one.task.key for one in probes[3::4]}
    assert all(one.source == "replay" and one.train for one in trained)
    assert scheduler.ask()[0].source == "probe"


def test_thompson_finds_what_teaches_and_tries_again_what_was_too_hard() -> None:
    scheduler = Thompson(SPACE, memory=50)
    settings = scheduler.settings
    shares = dict(zip(settings, (1.0, 1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), strict=True))

    def counted(steps: int) -> Counter[Any]:
        seen = Counter[Any]()
        for _ in range(steps):
            (one,) = scheduler.ask()
            seen[one.task.setting] += 1
            scheduler.tell(passes(one, shares[one.task.setting]))
        return seen

    counted(50)
    assert counted(200)[settings[2]] > 120
    shares[settings[2]], shares[settings[3]] = 1.0, 0.5
    counted(100)
    assert counted(200)[settings[3]] > 100


def test_stratified_spans_the_whole_of_a_track_in_every_batch() -> None:
    track = sweep("tic_tac_toe", "random_move_prob", [i / 16 for i in range(16)])
    scheduler = Stratified(track, num_groups=4)
    for _ in range(10):
        asked = scheduler.ask(8)
        slices = [int(one.task.params["random_move_prob"] * 16) // 4 for one in asked]
        assert slices == [0, 1, 2, 3, 0, 1, 2, 3]
    short = Stratified(levels("countdown", 0, 1), num_groups=4)
    assert len({one.task.setting for one in short.ask(16)}) == 2


def test_weakness_practises_the_skills_that_fail() -> None:
    scheduler = Weakness([levels("chain_sum", 0, 1), levels("sudoku", 0, 1)])
    for _ in range(200):
        (one,) = scheduler.ask()
        scheduler.tell(passes(one, 1.0 if one.task.family == "chain_sum" else 0.2))
    seen = Counter(one.task.family for one in scheduler.ask(400))
    assert seen["sudoku"] > 10 * seen["chain_sum"]
    assert scheduler.failing["backtracking"] > 0.7
    assert scheduler.failing["addition"] < 0.1


def test_weakness_takes_no_notice_of_how_many_skills_a_family_names() -> None:
    many, few = levels("countdown", 0, 3), levels("letter_counting", 0, 1)
    assert len(many[0].skills) > len(few[0].skills)
    seen = Counter(one.task.family for one in Weakness([many, few]).ask(1000))
    assert 450 < seen["countdown"] < 550


def test_keep_hardest_comes_back_until_it_passes() -> None:
    scheduler = KeepHardest(SPACE, replay=1.0, size=4)
    first = scheduler.ask(8)
    scheduler.tell(passes(one, share / 8) for one, share in zip(first, range(8), strict=True))
    hardest = {one.task.key for one in first[:4]}
    asked = scheduler.ask(50)
    assert {one.task.key for one in asked} == hardest
    scheduler.tell(passes(one, 1.0) for one in asked)
    assert scheduler.metrics()["kept"] == 0
    solvable = KeepHardest(SPACE, solvable=True)
    solvable.tell(passes(one, 0.0) for one in solvable.ask(8))
    assert solvable.metrics()["kept"] == 0


def test_paired_looks_for_regret() -> None:
    scheduler = Paired(SPACE, explore=0.1)
    target = scheduler.settings[3]
    for _ in range(60):
        first, second = scheduler.ask(2)
        assert first.task == second.task
        assert (first.source, second.source) == ("antagonist", "protagonist")
        gap = first.task.setting == target
        scheduler.tell([passes(second, 0.0 if gap else 1.0), passes(first, 1.0)])
    assert scheduler.regrets[target] == 1.0
    assert max(regret for setting, regret in scheduler.regrets.items() if setting != target) == 0
    seen = Counter(one.task.setting for one in scheduler.ask(400))
    assert seen[target] > 300


def test_paireds_regret_is_the_best_of_either_less_the_protagonists_mean() -> None:
    setting = SPACE[0][0]
    one_in_four = (0.25 - setting.guess_rate) / (1 - setting.guess_rate)
    for best, mean, regret in (
        (0.25, 0.25, 1 - one_in_four),
        (0.0, 0.0, 0.0),
        (0.125, 0.0, 0.0),  # one in eight is no more than guessing passes
        (1.0, 1.0, 0.0),
        (0.0, 0.25, 1 - one_in_four),
    ):
        for late in (False, True):
            scheduler = Paired(setting)
            first, second = scheduler.ask(2)
            results = [passes(first, best), passes(second, mean)]
            scheduler.tell(reversed(results) if late else results)
            assert scheduler.regrets[setting] == pytest.approx(regret)


def test_hint_regret_looks_for_where_hints_help() -> None:
    scheduler = HintRegret(SPACE, explore=0.1, hint=0.5)
    target = scheduler.settings[2]
    for _ in range(60):
        hinted, plain = scheduler.ask(2)
        assert hinted.task.with_hint(0) == plain.task
        assert (hinted.task.hint, plain.task.hint) == (0.5, 0.0)
        helps = plain.task.setting == target
        scheduler.tell([passes(hinted, 1.0 if helps else 0.0), passes(plain, 0.0)])
    assert scheduler.regrets[target] == 1.0
    assert Counter(one.task.setting for one in scheduler.ask(400)[1::2])[target] > 150


def test_ladder_shows_less_as_more_passes() -> None:
    scheduler = Ladder(levels("countdown", 2, 2), rungs=(1.0, 0.5, 0.0), window=2)
    shown = []
    for share in [1.0] * 6 + [0.0] * 2:
        (one,) = scheduler.ask()
        shown.append(one.task.hint)
        scheduler.tell(passes(one, share))
    assert shown == [1.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0]
    assert scheduler.ask()[0].task.hint == 0.5
    assert Ladder("countdown").ask()[0].task.hint == 0.75  # what is shown as a whole teaches nothing


@dataclass(eq=False, kw_only=True)
class Stubborn(Scheduler):
    """The same setting until a group passes, then the next."""

    name = "stubborn"
    enough: float = option(0.5, 0, 1)
    patient: bool = option(True)
    at: int = field(init=False, default=0)

    def _choose(self) -> Choice:
        return Choice(self._new(self.settings[self.at % len(self.settings)]), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        assert assignment.id >= self.at
        self.at += result.pass_rate >= self.enough


def test_a_scheduler_of_ones_own_says_its_rule_alone() -> None:
    scheduler = Stubborn(SPACE, enough=0.75, seed=2)
    assert repr(scheduler) == "Stubborn(rollouts=8, seed=2, enough=0.75, patient=True, at=0)"
    for share, at in ((0.5, 0), (1.0, 1), (0.75, 2)):
        scheduler.tell(passes(scheduler.ask()[0], share))
        assert scheduler.at == at
    other = Stubborn(SPACE)
    other.load_state_dict(json.loads(json.dumps(scheduler.state_dict())))
    assert other.ask(3) == scheduler.ask(3)
    for wrong in ({"enough": 2}, {"patient": 1}, {"rollouts": 0}, {"seed": -1}):
        with pytest.raises(InvalidArgument, match=f"`{next(iter(wrong))}` is"):
            Stubborn(SPACE, **wrong)  # type: ignore[arg-type]


def test_learnability_takes_off_what_guessing_passes() -> None:
    assert learnability(0.5) == 0.25
    assert learnability(0.0) == learnability(1.0) == 0.0
    assert learnability(0.2, 0.2) == 0.0
    assert learnability(0.6, 0.2) == pytest.approx(0.25)


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_asks_and_tells(name: str) -> None:
    scheduler = make(name, SPACE, rollouts=2)
    env = reasonenv.ReasonEnv("countdown", curriculum=scheduler, max_steps=1)
    for episode in range(20):
        prompt, info = env.reset(seed=0 if not episode else None)
        assert prompt.startswith(env.task.prompt)
        assert info["task_id"] == env.task.id
        env.step(env.task.wrap(env.task.solution.answer) if episode % 4 < 2 else "no idea")
    metrics = scheduler.metrics()
    assert (metrics["told"], metrics["rollouts"], metrics["pass_rate"]) == (10, 20, 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_rollouts_ask_and_tell(name: str) -> None:
    scheduler = make(name, SPACE, rollouts=4)
    trajectories = list(
        reasonenv.rollout(scheduler, "noisy:0.5", n=24, sampling=reasonenv.rollouts.Sampling(batch_size=6))
    )
    metrics = scheduler.metrics()
    assert (metrics["told"], metrics["rollouts"], metrics["pending"]) == (24, 96, 0)
    assert len(trajectories) == 96
    assert metrics["passed"] == sum(trajectory.passed is True for trajectory in trajectories)


@pytest.mark.parametrize("name", NAMES)
def test_students_can_do_what_schedulers_ask(name: str) -> None:
    scheduler, student = make(name, SPACE), Student(SPACE)
    for _ in range(30):
        scheduler.tell(map(student.attempt, scheduler.ask(8)))
    assert scheduler.metrics()["told"] == 240
