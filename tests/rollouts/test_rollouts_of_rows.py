"""Rollouts of the caller's rows, and of the assignments of a curriculum."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import reasonenv
from reasonenv import curriculum
from reasonenv.curriculum import Result, Setting
from reasonenv.errors import InvalidArgument, InvalidTask
from reasonenv.rollouts import (
    Context,
    Sampling,
    evaluate,
    rollout,
)
from reasonenv.rollouts._policies import Player
from rollout_checks import plain


class Climbing:
    """A curriculum: one level up for each group that passes as a whole."""

    name = "climbing"

    def __init__(self) -> None:
        self.level = self.count = 0
        self.told: list[tuple[int, tuple[bool, ...]]] = []

    def ask(self, n: int) -> list[Any]:
        found = []
        for _ in range(n):
            task = Setting.of("sorting", level=self.level).at(self.count)
            rollouts = 2 + self.count % 2
            found.append(
                SimpleNamespace(id=self.count, task=task, rollouts=rollouts, train=True, source="new")
            )
            self.count += 1
        return found

    def tell(self, results: Sequence[Result]) -> None:
        for result in results:
            self.told.append((result.assignment.id, tuple(result.passed)))
            self.level += all(result.passed)


def test_a_curriculum_is_asked_and_told(tmp_path: Path) -> None:
    curriculum = Climbing()
    result = rollout(curriculum, "oracle", n=6, sampling=Sampling(batch_size=2), saving=tmp_path)
    assert [one.level for one in result] == [0] * 5 + [2] * 5 + [4] * 5
    assert [len(group) for group in result.groups] == [2, 3] * 3
    assert curriculum.told == [(i, (True,) * (2 + i % 2)) for i in range(6)]
    assert result.mask.sum() == 15
    assert {one.source for one in result} == {"curriculum"}
    (tmp_path / "summary.json").unlink()
    follower = Climbing()
    again = rollout(follower, "oracle", n=6, sampling=Sampling(batch_size=2), saving=tmp_path)
    assert follower.told == curriculum.told
    assert plain(again) == plain(result)
    for ask, said in (
        ({"policies": ["oracle", "empty"]}, "`policies` has 2 policies, but a curriculum follows one"),
        (
            {"policies": "oracle", "sampling": Sampling(on_flat="hint")},
            "a curriculum decides what comes instead",
        ),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout(**({"tasks": Climbing()} | ask))


ROWS = [{"question": f"{n} + 1?", "answer": n + 1} for n in range(10)]


def test_rows_are_rolled_out_as_tasks_are(tmp_path: Path) -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")

    def guess(several: Sequence[Any], number: int) -> list[str]:
        return [row.wrap(row.answer if number % 2 else "0") for row in several]

    ask: dict[str, Any] = {"n": 8, "group_size": 4, "reward": {"correct": 1, "format": 0.5}}
    ask["sampling"] = Sampling(batch_size=3)
    result = rollout(rows, {"guess": guess}, saving=tmp_path / "run", **ask)
    assert result.passed.shape == (8, 4)
    assert result.passed.all(axis=0).tolist() == [False, True, False, True]
    assert result.rewards[0].tolist() == [0.5, 1.5, 0.5, 1.5]
    one = result[5]
    assert (one.task_id, one.group_id, one.source) == (rows[1].id, rows[1].id, "rows")
    assert (one.family, one.level, one.seed, one.final_answer) == (None, None, None, "2")
    assert one.prompt == rows[1].prompt
    # The same call reads the run, or resumes it after a kill.
    (tmp_path / "run" / "summary.json").unlink()
    lines = (tmp_path / "run" / "traces.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "traces.jsonl").write_bytes(b"".join(lines[:13])[:-5])
    again = rollout(rows, {"guess": guess}, saving=tmp_path / "run", **ask)
    assert plain(again) == plain(result)
    assert rollout({"mine": rows}, "oracle", group_size=1).passed.all()
    assert not rollout(rows, ["echo", "empty"], group_size=1).passed.any()
    assert evaluate(rows[2:5], "oracle")[0].items == 3


def test_rows_are_given_to_coroutines_and_behind_prefixes() -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")

    async def ask(context: Context, _: int) -> str:
        assert context.messages[-1]["role"] == "assistant"
        return f"{context.task.answer}</answer>"

    assert rollout(rows, ask, group_size=2, sampling=Sampling(branch="<answer>")).passed.all()


def test_what_rows_have_not_is_refused() -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")
    with pytest.raises(InvalidArgument, match=r"`reading` is 'lenient', but rows have one in their verifier"):
        rollout(rows, "oracle", reading="lenient")
    with pytest.raises(InvalidArgument, match=r"`on_flat` is 'hint', but rows have neither levels nor steps"):
        rollout(rows, "oracle", sampling=Sampling(on_flat="hint"))
    with pytest.raises(InvalidArgument, match=r"`on_flat` is 'resample', but a list of tasks has no others"):
        rollout(rows, "oracle", sampling=Sampling(on_flat="resample"))
    for policy in ("noisy:0.5", "probe:3", "best-constant"):
        with pytest.raises(InvalidArgument, match=f"policy `{policy}` answers as a family's tasks are"):
            rollout(rows, policy)
    with pytest.raises(InvalidTask, match="comes 2 times in a source"):
        rollout(rows.repeat(2), "oracle")


def test_a_curriculum_over_a_game_is_played_and_told(tmp_path: Path) -> None:
    def space() -> list[Any]:
        text = {"mode": "text", "opponent": "minimax"}
        track = curriculum.sweep("tic_tac_toe", "random_move_prob", [1.0, 0.5, 0.0], params=text)
        return [track, curriculum.levels("sorting", 0, 1)]

    class Both:
        """Plays games well, and answers tasks right."""

        version = 7

        def __init__(self) -> None:
            self.seen: set[str] = set()
            self.player = Player("minimax")

        def __call__(self, asked: Sequence[Any], number: int) -> list[str]:
            if isinstance(asked[0], Context):
                self.seen |= {context.messages[0]["content"][:9] for context in asked}
                return list(self.player(asked, number))
            return [task.wrap(task.solution.answer) for task in asked]

    class Told(curriculum.Threshold):
        versions: ClassVar[list[int]] = []

        def _learn(self, assignment: Any, result: Any) -> None:
            self.versions.append(result.version)
            super()._learn(assignment, result)

    def scheduler() -> Told:
        return Told(space(), rollouts=3, seed=1)

    one = scheduler()
    ask: dict[str, Any] = {"n": 24, "sampling": Sampling(batch_size=5)}
    both = Both()
    result = rollout(one, both, **ask)
    assert len(result) == 24 * 3
    assert one.metrics()["told"] == 24
    assert set(one.versions) == {7}
    assert both.seen == {"Two playe"}
    games = [group for group in result.groups if group[0].turns]
    assert 4 < len(games) < 20
    for group in games:
        assert group[0].group_id.startswith("tic_tac_toe/v1/")
        assert len({one.prompt for one in group}) == 1
        # The threshold moves the opponent: what is drawn at reset is what was assigned.
        assert {one.turns[-1]["info"]["result"] >= 0 for one in group} == {True}
    assert one.positions["tic_tac_toe.random_move_prob"] >= 0

    # A run of it resumes after a kill, with the same result.
    first = rollout(scheduler(), Both(), saving=tmp_path / "run", **ask)
    (tmp_path / "run" / "summary.json").unlink()
    lines = (tmp_path / "run" / "traces.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "traces.jsonl").write_bytes(b"".join(lines[:31])[:-5])
    again = rollout(scheduler(), Both(), saving=tmp_path / "run", **ask)
    assert plain(again) == plain(first) == plain(result)


def test_the_opponent_of_a_curriculum_grows_stronger() -> None:
    track = curriculum.sweep("tic_tac_toe", "random_move_prob", [1.0, 0.5, 0.0])
    scheduler = curriculum.make("threshold", track, rollouts=8, seed=0)
    rollout(scheduler, "game:heuristic", n=60, sampling=Sampling(batch_size=6))
    # Three games in four are won against the random one, none against the best.
    assert scheduler.metrics()["position/tic_tac_toe.random_move_prob"] >= 1
