"""Rollouts: groups of any policy over tasks and environments, logged so that nothing is lost."""

import errno
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import InvalidArgument, InvalidTask, curriculum
from reasonenv._files import NamedFile
from reasonenv.curriculum import Result, Setting
from reasonenv.rewards import advantages
from reasonenv.rollouts import (
    Completion,
    Context,
    InvalidRun,
    Progress,
    Rollouts,
    Run,
    Trajectory,
    evaluate,
    rollout,
)
from reasonenv.rollouts.past import earlier
from reasonenv.rollouts.policies import Noisy, Player, Probe
from reasonenv.types import FamilyName

ROOT = Path(__file__).parent.parent
GAME = "reasonenv/TicTacToe-v0"


def plain(result: Rollouts) -> list[dict[str, Any]]:
    """All but the times."""
    return [{name: value for name, value in one.to_dict().items() if name != "seconds"} for one in result]


def text_game(**more: Any) -> Any:
    return lambda: gymnasium.make(GAME, mode="text", **more)


class Counting:
    """Noisy, and counts what it is asked."""

    name = "counting"

    def __init__(self, limit: int = 10**9) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self.limit = limit

    def __call__(self, tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        if self.asked.total() >= self.limit:
            raise KeyboardInterrupt
        self.asked.update((task.id, rollout) for task in tasks)
        return Noisy(0.5)(tasks, rollout)


def test_groups_are_of_the_tasks_in_order_and_their_arrays_agree() -> None:
    batch = reasonenv.family("countdown").batch(count=10, level=1)
    result = rollout(["noisy:0.5", "oracle"], batch, group_size=4, reward="partial", batch_size=3)
    assert [one.policy for one in result] == ["noisy:0.5"] * 40 + ["oracle"] * 40
    assert [one.task_id for one in result[:40]] == [name for name in batch.ids for _ in range(4)]
    assert [one.rollout for one in result] == [0, 1, 2, 3] * 20
    assert result.rewards.shape == result.passed.shape == result.advantages.shape == (20, 4)
    for group, rewards, passed, gains in zip(
        result.groups, result.rewards, result.passed, result.advantages, strict=True
    ):
        assert [one.reward for one in group] == rewards.tolist()
        assert [one.passed for one in group] == passed.tolist()
        assert [one.advantage for one in group] == gains.tolist()
    assert result.advantages == pytest.approx(advantages(result.rewards))
    verdict = batch[0].verify(result[0].text)
    assert result[0].verdict == verdict.to_dict()
    assert result.summary[0].passed == result.passed[:10].sum()
    assert len(result) == 80
    assert repr(result) == "<Rollouts: 20 groups, 80 rollouts, 0 errors>"


def test_a_line_is_as_the_page_on_records_has_it(tmp_path: Path) -> None:
    result = rollout("noisy:0.5", "chain_sum", n=2, group_size=2, run=tmp_path)
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    table = page.split("## Trajectory")[1].split("Lines stand")[0]
    said = [
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall("`(\\w+)`", row)
    ]
    assert set(said) == {field.name for field in fields(Trajectory)}
    lines = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert all(line.keys() == set(said) for line in lines)
    assert [Trajectory.from_dict(line).to_dict() for line in lines] == lines
    assert [one.to_dict() for one in Trajectory.load(tmp_path)] == lines
    assert json.loads(json.dumps([one.to_dict() for one in result])) == lines
    for wrong, name in (
        ({"reward": "much"}, "reward"),
        ({"verdict": {}}, "verdict"),
        ({"rollout": 1.5}, "rollout"),
    ):
        with pytest.raises(InvalidRun, match=f"`{name}` is"):
            Trajectory.from_dict(lines[0] | wrong)
    with pytest.raises(InvalidRun, match="`turns` is missing"):
        Trajectory.from_dict({name: value for name, value in lines[0].items() if name != "turns"})


def test_any_source_of_tasks_will_do() -> None:
    family = reasonenv.family("sorting")
    result = rollout(
        "oracle",
        {
            "named": "sorting",
            "itself": family,
            "source": family.source(level=2),
            "mixture": reasonenv.Mixture(["sorting", "tsp"]),
            "batch": family.batch(count=3),
            "list": [family.sample(), reasonenv.family("tsp").sample()],
        },
        n=3,
        group_size=2,
    )
    assert result.passed.all()
    assert Counter(one.source for one in result) == {
        "named": 6, "itself": 6, "source": 6, "mixture": 6, "batch": 6, "list": 4
    }  # fmt: skip
    assert {one.split for one in result} == {"train"}


@pytest.mark.parametrize("size", [1, 3, 100])
def test_batching_changes_no_result(size: int) -> None:
    ask: dict[str, Any] = {"n": 7, "group_size": 3, "level": [0, 1]}
    usual = plain(rollout("noisy:0.4", "sorting", **ask))
    assert plain(rollout("noisy:0.4", "sorting", batch_size=size, **ask)) == usual


def test_evaluating_is_one_case_of_rolling_out(tmp_path: Path) -> None:
    summary = evaluate("sorting", "noisy:0.4", n=6, rollouts=3, run=tmp_path / "a")
    result = rollout("noisy:0.4", "sorting", n=6, group_size=3, split="eval", run=tmp_path / "b")
    times = {"items_per_second": 0, "verdicts_per_second": 0}
    ours, theirs = ([row.to_dict() | times for row in rows] for rows in (summary, result.summary))
    assert ours == theirs
    assert (tmp_path / "a/config.json").read_text() == (tmp_path / "b/config.json").read_text()
    again = rollout("noisy:0.4", "sorting", n=6, group_size=3, split="eval", run=tmp_path / "a")
    assert plain(again) == plain(result)


def test_a_finished_run_is_read_and_nobody_is_asked(tmp_path: Path) -> None:
    policy = Counting()
    ask: dict[str, Any] = {"n": 6, "group_size": 3, "level": [0, 2], "batch_size": 4, "run": tmp_path}
    first = rollout([policy, "oracle"], ["sorting", "tsp"], **ask)
    asked = policy.asked.total()
    again = rollout([policy, "oracle"], ["sorting", "tsp"], **ask)
    assert policy.asked.total() == asked
    assert plain(again) == plain(first)
    assert again.folder == tmp_path


def test_an_interrupted_run_asks_for_nothing_twice(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 9, "group_size": 4, "batch_size": 5}
    whole = rollout(Counting(), "sorting", **ask)
    first, second = Counting(limit=27), Counting()
    with pytest.raises(KeyboardInterrupt):
        rollout(first, "sorting", run=tmp_path, **ask)
    result = rollout(second, "sorting", run=tmp_path, **ask)
    assert set((first.asked + second.asked).values()) == {1}
    assert (first.asked + second.asked).total() == 36
    assert plain(result) == plain(whole)
    assert plain(result) == [
        {name: value for name, value in one.to_dict().items() if name != "seconds"}
        for one in Trajectory.load(tmp_path)
    ]


KILLED = """
import sys, time
from reasonenv.rollouts import rollout
from reasonenv.rollouts.policies import Noisy

def policy(tasks, rollout):
    time.sleep(0.01)
    with open(sys.argv[2], "a") as asked:
        asked.writelines(f"{task.id} {rollout}\\n" for task in tasks)
    return Noisy(0.5)(tasks, rollout)

async def one_by_one(context, rollout):
    return policy([context.task], rollout)[0]

which = {"batches": policy, "one by one": one_by_one}[sys.argv[3]]
rollout({"slow": which}, "sorting", n=24, group_size=5, batch_size=4, concurrency=1, run=sys.argv[1])
"""


@pytest.mark.parametrize(("how", "in_flight"), [("batches", 4), ("one by one", 1)])
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT], ids=lambda which: which.name)
def test_a_killed_process_loses_at_most_what_was_in_flight(
    how: str, in_flight: int, signal_: signal.Signals, tmp_path: Path
) -> None:
    run, asked = tmp_path / "run", tmp_path / "asked"
    command = [sys.executable, "-c", KILLED, str(run), str(asked), how]
    for _ in range(3):
        size = asked.stat().st_size if asked.exists() else 0
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not (asked.exists() and asked.stat().st_size > size):
                assert time.monotonic() < deadline
                time.sleep(0.001)
            time.sleep(0.08)
            process.send_signal(signal_)
        assert process.returncode in (-signal_, 1, 130)
        assert not (run / "summary.json").exists(), "killed too late"
    subprocess.run(command, check=True)
    times = Counter(asked.read_text().splitlines())
    assert len(times) == 24 * 5
    assert times.total() - len(times) <= 3 * in_flight
    whole = rollout({"slow": "noisy:0.5"}, "sorting", n=24, group_size=5)
    assert [(one.group_id, one.rollout, one.text, one.advantage) for one in Trajectory.load(run)] == [
        (one.group_id, one.rollout, one.text, one.advantage) for one in whole
    ]


def full_after(monkeypatch: pytest.MonkeyPatch, name: str, room: int) -> None:
    """A disk that has so many bytes left for files of this name."""
    write = NamedFile.write
    left = [room]

    def writes(self: NamedFile, data: Any) -> int:
        if Path(self._path).name != name:
            return write(self, data)
        fits = bytes(memoryview(data)[: left[0]])
        left[0] -= len(fits)
        if not fits:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(self._path))
        return write(self, fits)

    monkeypatch.setattr(NamedFile, "write", writes)


@pytest.mark.parametrize("file", ["traces.jsonl", "pending.jsonl"])
@pytest.mark.parametrize("room", [0, 700, 3_000])
def test_a_full_disk_is_told_and_nothing_is_lost(
    file: str, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask: dict[str, Any] = {"n": 12, "group_size": 3, "batch_size": 2, "run": tmp_path}
    first, second = Counting(), Counting()
    with monkeypatch.context() as full:
        full_after(full, file, room)
        with pytest.raises(OSError, match="No space left") as told:
            rollout(first, "sorting", **ask)
    assert told.value.filename == str(tmp_path / file)
    for path in (tmp_path / "traces.jsonl", tmp_path / "pending.jsonl"):
        assert not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    result = rollout(second, "sorting", **ask)
    twice = (first.asked + second.asked).total() - 36
    assert twice <= 2, "only the call whose answers found no room is asked again"
    assert plain(result) == plain(rollout(Counting(), "sorting", **(ask | {"run": None})))


def test_a_half_written_line_is_left_out_by_readers(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        rollout(Counting(limit=20), "sorting", n=6, group_size=4, batch_size=2, run=tmp_path)
    with (tmp_path / "traces.jsonl").open("ab") as traces:
        traces.write(b'{"task_id": "sor')
    assert len(Trajectory.load(tmp_path)) == 16
    with pytest.raises(InvalidRun, match=r"holds no run, as it has no traces.jsonl"):
        Trajectory.load(tmp_path / "elsewhere")
    (tmp_path / "pending.jsonl").write_text('{"i": 0}\n')
    with pytest.raises(InvalidRun, match=r"a line of .*pending.jsonl is no answer; remove the file"):
        rollout(Counting(), "sorting", n=6, group_size=4, batch_size=2, run=tmp_path)


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        rollout(Counting(limit=20), "sorting", n=6, group_size=4, batch_size=2, run=tmp_path)
    denied = OSError(errno.EACCES, os.strerror(errno.EACCES))
    read = NamedFile.readinto

    def refuses(self: NamedFile, buffer: Any) -> int:
        if Path(self._path).name == "traces.jsonl":
            raise OSError(denied.errno, denied.strerror, os.fspath(self._path))
        return read(self, buffer)

    with monkeypatch.context() as guarded:
        guarded.setattr(NamedFile, "readinto", refuses)
        with pytest.raises(PermissionError, match=r"traces\.jsonl"):
            rollout(Counting(), "sorting", n=6, group_size=4, batch_size=2, run=tmp_path)
    assert rollout(Counting(), "sorting", n=6, group_size=4, batch_size=2, run=tmp_path).rewards.shape == (
        6,
        4,
    )


def test_completions_say_more_than_text() -> None:
    def policy(tasks: Sequence[reasonenv.Task], rollout: int) -> list[str | Completion]:
        return [
            Completion(
                task.wrap(task.solution.answer), usage={"completion_tokens": rollout}, truncated=rollout == 1
            )
            for task in tasks
        ]

    one, other = rollout(policy, "sorting", n=1, group_size=2)
    assert (one.usage, one.truncated, one.passed) == ({"completion_tokens": 0}, False, True)
    assert (other.usage, other.truncated) == ({"completion_tokens": 1}, True)
    for bad, said in (
        (3, "gave 3, but must give a sequence"),
        ([3], "gave 3 for sorting/.*, but must give text"),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout({"p": lambda _tasks, _rollout, bad=bad: bad}, "sorting", n=1, group_size=1)


def test_the_logger_is_told_of_each_trajectory_once(tmp_path: Path) -> None:
    told: list[Trajectory] = []
    result = rollout(
        "noisy:0.5", "sorting", n=4, group_size=3, batch_size=2, logger=told.append, run=tmp_path
    )
    assert [one.to_dict() for one in told] == [one.to_dict() for one in result]
    rollout("noisy:0.5", "sorting", n=4, group_size=3, batch_size=2, logger=told.append, run=tmp_path)
    assert len(told) == 12


def test_progress_counts_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Progress] = []
    rollout("oracle", "sorting", n=5, group_size=3, batch_size=2, on_progress=seen.append, progress=True)
    assert [now.done for now in seen] == [6, 12, 15]
    assert {now.total for now in seen} == {15}
    assert capsys.readouterr().err == "", "no bar where there is no terminal"


def flat(group: Sequence[Trajectory]) -> bool:
    return len({one.reward for one in group}) == 1


@pytest.mark.parametrize("on_flat", ["drop", "resample", "change_level", "hint"])
def test_flat_groups_do_not_come_out(on_flat: Any, tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 30, "group_size": 3, "level": 2, "on_flat": on_flat, "max_resamples": 3}
    result = rollout("probe:8", "sorting", batch_size=7, run=tmp_path, **ask)
    assert result.groups
    assert not any(flat(group) for group in result.groups)
    assert (np.abs(result.advantages).sum(axis=1) > 0).all()
    written = Trajectory.load(tmp_path)
    groups: dict[str, list[Trajectory]] = {}
    for one in written:
        groups.setdefault(one.group_id, []).append(one)
    assert len(groups) == len(result.groups) + result.dropped
    assert {name for name, group in groups.items() if group[0].dropped} == {
        name for name, group in groups.items() if flat(group)
    }
    kept = [group[0] for group in groups.values() if not group[0].dropped]
    if on_flat == "drop":
        assert len(groups) == 30
    else:
        assert len(kept) > sum(not flat(group) for group in list(groups.values())[:30])
    if on_flat == "change_level":
        assert {one.level for one in kept} > {2}
    if on_flat == "hint":
        shown = [one for one in kept if one.hint]
        assert shown
        assert all(step in one.prompt for one in shown for step in (one.hint or "").splitlines())
    assert plain(rollout("probe:8", "sorting", batch_size=30, **ask)) != []
    again = rollout("probe:8", "sorting", batch_size=7, run=tmp_path, **ask)
    assert sorted(map(str, plain(again))) == sorted(map(str, plain(result)))


def test_what_dynamic_sampling_cannot_do_is_refused() -> None:
    batch = reasonenv.family("sorting").batch(count=2)
    for ask, said in (
        ({"tasks": batch, "on_flat": "resample"}, "a list of tasks has no others"),
        ({"tasks": batch, "on_flat": "drop", "group_size": 1}, "`group_size` is 1, but must be at least 2"),
        ({"tasks": GAME, "on_flat": "hint"}, "an environment poses what it poses"),
        ({"tasks": batch, "on_flat": "dropp"}, "`on_flat` is 'dropp'"),
        ({"tasks": batch, "sigma": "item"}, "`sigma` is 'item'"),
        ({"tasks": batch, "gamma": 2}, "`gamma` is 2"),
        ({"tasks": batch, "logger": 3}, "`logger` is 3"),
        ({"tasks": None}, "`sources` is None"),
        ({"tasks": GAME, "reward": "partial"}, "`reward` is 'partial', but an environment has its own"),
        ({"tasks": GAME, "level": 2}, "`level` is 2, but an environment has its own; give it there"),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout("oracle", **ask)


def test_a_probe_passes_as_often_as_its_steps_allow() -> None:
    tasks = [
        reasonenv.family(name).sample(index=i, level=level)
        for name in ("sorting", "chain_sum", "linear_system")
        for level in (0, 2)
        for i in range(3)
    ]
    result = rollout("probe:6", tasks, group_size=400)
    expected = [(1 - 1 / 6) ** len(task.solution.steps) for task in tasks]
    assert result.passed.mean(axis=1) == pytest.approx(expected, abs=0.09)
    easier = rollout("probe:30", tasks, group_size=50).passed.mean()
    assert easier > result.passed.mean() > rollout("probe:1", tasks, group_size=4).passed.mean() == 0
    assert Probe(6)(tasks, 3) == Probe(6)(tasks[::-1], 3)[::-1]
    with pytest.raises(reasonenv.InvalidArgument, match=r"N is `0.5`, but must be a number of at least 1"):
        rollout("probe:0.5", tasks)


def test_a_completion_goes_on_from_its_prefix() -> None:
    seen: list[Context] = []

    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        seen.extend(contexts)
        tasks = [context.task for context in contexts if context.task is not None]
        return [f"{task.solution.answer if rollout else 0}</answer>" for task in tasks]

    result = rollout(policy, "chain_sum", n=3, group_size=4, branch="So it is <answer>")
    assert result.passed.tolist() == [[False, True, True, True]] * 3
    assert result.values.mean.tolist() == [0.75] * 3
    assert result.values.error == pytest.approx([math.sqrt(0.75 * 0.25 / 3)] * 3)
    assert result[1].text.startswith("So it is <answer>")
    assert result[1].prefix == "So it is <answer>"
    assert [message["role"] for message in seen[0].messages] == ["user", "assistant"]
    assert seen[0].messages[1]["content"] == "So it is <answer>"
    own = rollout("oracle", "sorting", n=2, group_size=1, branch=lambda task: f"{task.family}: ")
    assert [one.prefix for one in own] == ["sorting: "] * 2
    with pytest.raises(reasonenv.ReasonEnvError, match="`branch` gave 3 for sorting"):
        rollout("oracle", "sorting", n=1, branch=lambda _task: 3)


def test_games_are_played_by_their_opponents_in_numbers_and_in_text() -> None:
    for env in (GAME, text_game(opponent="random")):
        result = rollout(["game:minimax", "game:random"], env, n=12, group_size=4)
        best, chance = result.summary
        assert best.mean_score > chance.mean_score
        assert {one.source for one in result} == {GAME}
        assert len({one.prompt for one in result.groups[0]}) == 1, "a group begins alike"
        assert len({one.prompt for one in result}) > 1
        for one in result:
            assert one.turns[0]["observation"] is not None
            assert sum(turn["reward"] for turn in one.turns) == pytest.approx(one.reward)
            assert one.terminated or one.truncated
            json.dumps(one.to_dict())
    random = rollout("game:random", text_game(), n=3, group_size=6)
    assert all(len({str(one.turns) for one in group}) > 1 for group in random.groups)
    assert plain(random) == plain(rollout("game:random", text_game(), n=3, group_size=6))


def test_one_environment_is_stepped_alone_and_gives_the_same() -> None:
    own = gymnasium.make(GAME, mode="text", opponent="random")
    ask: dict[str, Any] = {"n": 5, "group_size": 3}
    alone = rollout("game:heuristic", own, **ask)
    beside = rollout("game:heuristic", text_game(opponent="random"), **ask)
    assert plain(alone) == plain(beside)


def test_episodes_are_logged_and_go_on(tmp_path: Path) -> None:
    asked: list[str] = []

    def policy(limit: int) -> Any:
        def answers(contexts: Sequence[Context], _rollout: int) -> list[str]:
            if len(asked) >= limit:
                raise KeyboardInterrupt
            asked.extend(context.id for context in contexts)
            return [f"<move>{context.env.unwrapped.state.legal_actions()[0]}</move>" for context in contexts]

        return answers

    ask: dict[str, Any] = {"n": 3, "group_size": 3}
    own = gymnasium.make(GAME, mode="text", opponent="random")
    whole = rollout({"p": policy(10**9)}, own, **ask)
    needed = len(asked)
    asked.clear()
    with pytest.raises(KeyboardInterrupt):
        rollout({"p": policy(needed // 2)}, own, run=tmp_path, **ask)
    first = len(asked)
    result = rollout({"p": policy(10**9)}, own, run=tmp_path, **ask)
    assert needed <= len(asked) <= needed + 5, "no episode that had ended is played again"
    assert first < needed
    assert plain(result) == plain(whole)
    assert plain(rollout({"p": policy(0)}, own, run=tmp_path, **ask)) == plain(whole)


def test_a_position_is_worth_what_it_leads_to() -> None:
    def corner_first(_episode: int) -> list[str]:
        return ["<move>0</move>"]

    env = text_game(opponent="random", seat="first", reward_weights={"outcome": 1.0})
    result = rollout("game:minimax", env, n=2, group_size=40, branch=corner_first)
    assert all(one.prefix == ["<move>0</move>"] for one in result)
    assert (result.values.mean > 0.6).all()
    assert (
        rollout("game:random", env, n=2, group_size=40, branch=corner_first).values.mean < result.values.mean
    ).all()
    with pytest.raises(reasonenv.InvalidArgument, match=r"`branch` ends episode 0 with action \d of 9"):
        rollout("game:minimax", env, n=1, branch=[f"<move>{i}</move>" for i in range(9)])


def test_rewards_are_discounted_by_gamma() -> None:
    env = text_game(opponent="random", seat="first")
    for one in rollout("game:minimax", env, n=3, group_size=2, gamma=0.5):
        assert one.reward == pytest.approx(sum(turn["reward"] * 0.5**k for k, turn in enumerate(one.turns)))


class Echo(gymnasium.Env[str, str]):
    """An environment of somebody else's: pays what is said back, twice."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.word, self.turn = f"word{self.np_random.integers(1000)}", 0
        return f"Say {self.word}.", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self.turn += 1
        said = action == self.word
        return "Again!", float(said), self.turn == 2, False, {"is_success": said}


def test_any_environment_that_speaks_will_do() -> None:
    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        words = [context.messages[0]["content"].split()[1].rstrip(".") for context in contexts]
        return [
            word if context.turn <= rollout else "what?"
            for context, word in zip(contexts, words, strict=True)
        ]

    result = rollout(policy, Echo, n=4, group_size=2)
    assert result.rewards.tolist() == [[1, 2]] * 4
    assert result.passed.tolist() == [[False, True]] * 4
    assert {one.source for one in result} == {"Echo"}
    assert len({one.prompt for one in result}) == 4
    with pytest.raises(
        reasonenv.InvalidArgument, match="policy `oracle` answers tasks, but Echo/0/0 poses none"
    ):
        rollout("oracle", Echo, n=1)
    with pytest.raises(
        reasonenv.InvalidArgument, match="policy `game:minimax` plays games, but Echo/0/0 is no"
    ):
        rollout("game:minimax", Echo, n=1)


def test_policies_that_answer_tasks_answer_those_of_environments() -> None:
    result = rollout(["oracle", "noisy:1"], "reasonenv/Sorting-v0", n=5, group_size=2)
    assert result.passed.tolist() == [[True, True]] * 5 + [[False, False]] * 5
    assert result[0].family == "sorting"
    assert result[0].verdict is not None


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
    result = rollout("oracle", curriculum=curriculum, n=6, batch_size=2, run=tmp_path)
    assert [one.level for one in result] == [0] * 5 + [2] * 5 + [4] * 5
    assert [len(group) for group in result.groups] == [2, 3] * 3
    assert curriculum.told == [(i, (True,) * (2 + i % 2)) for i in range(6)]
    assert result.mask.sum() == 15
    assert {one.source for one in result} == {"curriculum"}
    (tmp_path / "summary.json").unlink()
    follower = Climbing()
    again = rollout("oracle", curriculum=follower, n=6, batch_size=2, run=tmp_path)
    assert follower.told == curriculum.told
    assert plain(again) == plain(result)
    for ask, said in (
        ({"policies": ["oracle", "empty"]}, "`policies` has 2 policies, but a curriculum follows one"),
        ({"policies": "oracle", "tasks": "sorting"}, "`tasks` is 'sorting', but must be None"),
        ({"policies": "oracle", "on_flat": "hint"}, "a curriculum decides what comes instead"),
        ({"policies": "oracle", "curriculum": 3}, "`curriculum` is 3, but must have `ask` and `tell`"),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout(**({"curriculum": Climbing()} | ask))


def test_one_name_for_the_function_and_one_for_the_package() -> None:
    assert reasonenv.rollout is rollout
    assert reasonenv.evaluate is evaluate


ROWS = [{"question": f"{n} + 1?", "answer": n + 1} for n in range(10)]


def test_rows_are_rolled_out_as_tasks_are(tmp_path: Path) -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")

    def guess(several: Sequence[Any], number: int) -> list[str]:
        return [row.wrap(row.answer if number % 2 else "0") for row in several]

    ask: dict[str, Any] = {"n": 8, "group_size": 4, "batch_size": 3, "reward": {"correct": 1, "format": 0.5}}
    result = rollout({"guess": guess}, rows, run=tmp_path / "run", **ask)
    assert result.passed.shape == (8, 4)
    assert result.passed.all(axis=0).tolist() == [False, True, False, True]
    assert result.rewards[0].tolist() == [0.5, 1.5, 0.5, 1.5]
    one = result[5]
    assert (one.task_id, one.group_id, one.source) == (rows[1].id, rows[1].id, "rows")
    assert (one.family, one.level, one.seed, one.final_answer) == (None, None, None, "2")
    assert one.prompt == rows[1].prompt
    # The same call reads it, and one after a kill goes on.
    (tmp_path / "run" / "summary.json").unlink()
    lines = (tmp_path / "run" / "traces.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "traces.jsonl").write_bytes(b"".join(lines[:13])[:-5])
    again = rollout({"guess": guess}, rows, run=tmp_path / "run", **ask)
    assert plain(again) == plain(result)
    assert rollout("oracle", {"mine": rows}, group_size=1).passed.all()
    assert not rollout(["echo", "empty"], rows, group_size=1).passed.any()
    assert evaluate(rows[2:5], "oracle")[0].items == 3


def test_rows_are_given_to_coroutines_and_behind_prefixes() -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")

    async def ask(context: Context, _: int) -> str:
        assert context.messages[-1]["role"] == "assistant"
        return f"{context.task.answer}</answer>"

    assert rollout(ask, rows, group_size=2, branch="<answer>").passed.all()


def test_what_rows_have_not_is_refused() -> None:
    rows = reasonenv.from_rows(ROWS, verifier="number_equal")
    with pytest.raises(InvalidArgument, match=r"`reading` is 'lenient', but rows have one in their verifier"):
        rollout("oracle", rows, reading="lenient")
    with pytest.raises(InvalidArgument, match=r"`on_flat` is 'hint', but rows have neither levels nor steps"):
        rollout("oracle", rows, on_flat="hint")
    with pytest.raises(InvalidArgument, match=r"`on_flat` is 'resample', but a list of tasks has no others"):
        rollout("oracle", rows, on_flat="resample")
    for policy in ("noisy:0.5", "probe:3", "best-constant"):
        with pytest.raises(InvalidArgument, match=f"policy `{policy}` answers as a family's tasks are"):
            rollout(policy, rows)
    with pytest.raises(InvalidTask, match="comes 2 times in a source"):
        rollout("oracle", rows.repeat(2))


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
    ask: dict[str, Any] = {"n": 24, "batch_size": 5}
    both = Both()
    result = rollout(both, curriculum=one, **ask)
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

    # A run of it goes on after a kill, and comes to the same.
    first = rollout(Both(), curriculum=scheduler(), run=tmp_path / "run", **ask)
    (tmp_path / "run" / "summary.json").unlink()
    lines = (tmp_path / "run" / "traces.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "traces.jsonl").write_bytes(b"".join(lines[:31])[:-5])
    again = rollout(Both(), curriculum=scheduler(), run=tmp_path / "run", **ask)
    assert plain(again) == plain(first) == plain(result)


def test_the_opponent_of_a_curriculum_grows_stronger() -> None:
    track = curriculum.sweep("tic_tac_toe", "random_move_prob", [1.0, 0.5, 0.0])
    scheduler = curriculum.make("threshold", track, rollouts=8, seed=0)
    rollout("game:heuristic", curriculum=scheduler, n=60, batch_size=6)
    # Three games in four are won against the random one, none against the best.
    assert scheduler.metrics()["position/tic_tac_toe.random_move_prob"] >= 1


def test_a_version_that_is_no_number_counts_as_none() -> None:
    versions = {"3": 3, "step-3": 0, 4: 4, None: 0, True: 0, "model=x,temperature=0.7": 0}
    for given, expected in versions.items():
        told: list[int] = []

        class Watch(curriculum.Uniform):
            def _learn(self, assignment: Any, result: Any, told: list[int] = told) -> None:  # noqa: ARG002
                told.append(result.version)

        def policy(tasks: Sequence[Any], _: int) -> list[str]:
            return [""] * len(tasks)

        policy.version = given  # type: ignore[attr-defined]
        rollout(policy, curriculum=Watch("sorting", rollouts=1), n=2)
        assert told == [expected] * 2, given


def test_a_run_that_goes_on_holds_no_records(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 300, "rollouts": 4, "run": tmp_path}
    evaluate("sorting", "noisy:0.5", **ask)
    (tmp_path / "summary.json").unlink()
    with Run(tmp_path, json.loads((tmp_path / "config.json").read_text())) as log:
        tracemalloc.start()
        past = earlier(log)["sorting", "noisy:0.5"]
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(past.known) == 1200
        assert held < 250 * 1200
        for record in log.records():
            assert past.known.get((record["group_id"], record["rollout"])) == record
        assert past.known.get(("another", 0)) is None


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_a_probe_with_steps_enough_passes_whatever_the_family(name: FamilyName) -> None:
    batch = reasonenv.find_family(name).batch(count=2)
    assert batch.verify(Probe(1e12)(batch, 0)).passed.all()


def test_no_more_is_asked_than_may_be_lost() -> None:
    asked: list[str] = []
    ahead: list[int] = []

    async def eager(context: Context, _: int) -> str:
        asked.append(context.id)
        return ""

    def slow(now: Progress) -> None:
        time.sleep(0.005)
        ahead.append(len(asked) - now.done)

    rollout(eager, "sorting", n=30, group_size=1, concurrency=3, batch_size=30, on_progress=slow)
    assert len(asked) == 30
    assert 0 < max(ahead) <= 3
