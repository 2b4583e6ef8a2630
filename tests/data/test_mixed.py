"""Rows of the caller mixed with families: in `Mixture`, rollouts, environments, trainers and curricula."""

import pickle
from collections import Counter
from pathlib import Path

import pytest
import reasonenv
from reasonenv import curriculum, integrations
from reasonenv.data import Row
from reasonenv.envs import ReasonEnv
from reasonenv.errors import InvalidArgument

ROWS = reasonenv.from_rows(
    [{"question": f"{n} + 1?", "answer": n + 1} for n in range(10)], verifier="number_equal"
)

SORTING = reasonenv.family("sorting").source()


def mixture(seed: int = 0) -> reasonenv.Mixture:
    return reasonenv.Mixture([ROWS, ("sorting", 1)], weights=[3, 1], seed=seed)  # type: ignore[list-item]


def test_rows_are_drawn_by_weight_each_once_in_a_round() -> None:
    tasks = mixture().batch(0, 400)
    rows = [task.id for task in tasks if isinstance(task, Row)]
    assert 270 < len(rows) < 330
    assert sum(isinstance(task, Row) for task in mixture().batch(2048, 1024)) == 768
    assert mixture().task(2**62).prompt  # any index, without those before it
    for start in range(0, len(rows) - 10, 10):
        assert len(set(rows[start : start + 10])) == 10
    assert rows[:10] != rows[10:20] != [row.id for row in ROWS]
    assert len(set(tasks.ids)) == 400
    levels = {task.level for task in tasks if isinstance(task, reasonenv.Task)}
    assert levels == {1}
    assert mixture().batch(250, 20).ids == tasks[250:270].ids
    assert mixture().task(1500).id == mixture().batch(1490, 20)[10].id
    assert mixture(seed=1).batch(0, 20).ids != tasks[:20].ids
    weighted = reasonenv.Mixture([ROWS, "sorting"], weights=[0, 1])  # type: ignore[list-item]
    assert not any(isinstance(task, Row) for task in weighted.batch(0, 20))


def test_mixtures_are_of_one_class_and_pickle() -> None:
    plain = reasonenv.Mixture(["sorting"])
    for one in (plain, mixture()):
        assert isinstance(one, reasonenv.Mixture)
        assert pickle.loads(pickle.dumps(one)).batch(3, 5).ids == one.batch(3, 5).ids
    assert not isinstance(ROWS, reasonenv.Mixture)


def test_mixed_tasks_are_rolled_out(tmp_path: Path) -> None:
    def answer(tasks: object, _: int) -> list[str]:
        return [
            task.wrap(task.solution if isinstance(task, Row) else task.solution.answer)
            for task in tasks  # type: ignore[attr-defined]
        ]

    for policy in ("oracle", answer):
        result = reasonenv.rollout(mixture(), policy, n=60, group_size=2)
        assert result.passed.all()
        assert result.passed.shape == (60, 2)
    assert Counter(record.family == "sorting" for record in result)[True] == 2 * sum(
        isinstance(task, reasonenv.Task) for task in mixture().batch(0, 60)
    )
    saved = reasonenv.rollout(mixture(), "empty", n=30, group_size=1, saving=tmp_path)
    again = reasonenv.rollout(mixture(), "empty", n=30, group_size=1, saving=tmp_path)
    assert [one.task_id for one in again] == [one.task_id for one in saved]
    with pytest.raises(InvalidArgument, match="has rows"):
        reasonenv.rollout(mixture(), "noisy:0.3", n=4)


def test_mixed_tasks_are_posed_and_exported() -> None:
    env = ReasonEnv(mixture())
    for seed in range(6):
        prompt, info = env.reset(seed=seed)
        assert prompt
        assert info
    columns = list(integrations.rows(mixture(), 30))
    assert len({row["problem"] for row in columns}) > 10
    assert {row["family"] for row in columns} > {"sorting"}


def test_mistakes() -> None:
    with pytest.raises(InvalidArgument, match="1 `weights` for 2 `sources`"):
        reasonenv.Mixture([ROWS, "sorting"], weights=[1])  # type: ignore[list-item]
    with pytest.raises(InvalidArgument, match="`weights` are all 0"):
        reasonenv.Mixture([ROWS], weights=[0])  # type: ignore[list-item]
    with pytest.raises(InvalidArgument, match=r"`sources\[1\]` is 3, but must be rows"):
        reasonenv.Mixture([ROWS, 3])  # type: ignore[list-item]


class Rounds:
    """A curriculum that assigns rows and tasks in turn."""

    def __init__(self) -> None:
        self.told = 0
        self.asked = 0

    def ask(self, n: int) -> list[curriculum.Assignment]:
        found = []
        for at in range(self.asked, self.asked + n):
            task = ROWS[at // 2 % len(ROWS)] if at % 2 else SORTING[at]
            found.append(curriculum.Assignment(at, task, 2, True, "new"))  # type: ignore[arg-type]
        self.asked += n
        return found

    def tell(self, results: list[object]) -> None:
        self.told += len(results)


def test_a_curriculum_may_assign_rows() -> None:
    rounds = Rounds()
    result = reasonenv.rollout(rounds, "oracle", n=40)
    assert result.passed.all()
    assert len({record.task_id for record in result if record.task_id.startswith("rows/")}) == 10
    assert rounds.told == 40


@pytest.mark.parametrize("name", ["uniform", "threshold"])
def test_a_scheduler_draws_rows_beside_families(name: str) -> None:
    scheduler = curriculum.make(name, ["sorting", ROWS], rollouts=2, seed=0)
    half = curriculum.make(name, ["sorting", ROWS], rollouts=2, seed=0)
    assigned = [scheduler.ask(1)[0] for _ in range(60)]
    tasks = [one.task.task() for one in assigned]
    rows = [task.id for task in tasks if isinstance(task, Row)]
    assert len(rows) > 20
    assert len(set(rows[:10])) == 10  # each once in a round
    for _ in range(30):
        half.ask(1)
    again = curriculum.make(name, ["sorting", ROWS], rollouts=2, seed=0)
    again.load_state_dict(half.state_dict())
    assert [again.ask(1)[0].task.key for _ in range(30)] == [one.task.key for one in assigned[30:]]
    result = reasonenv.rollout(curriculum.make(name, ROWS, rollouts=2, seed=0), "oracle", n=12)
    assert result.passed.all()
    with pytest.raises(InvalidArgument, match="make the scheduler with them"):
        curriculum.Setting("rows", 0, {"digest": "none"})
