"""Runs on disk: no request is repeated and nothing is lost, whatever stops them."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from reasonenv._files import NamedFile
from reasonenv.rollouts import (
    InvalidRun,
    Record,
    Run,
    Sampling,
    evaluate,
    rollout,
)
from reasonenv.rollouts._past import earlier
from rollout_checks import Counting, plain


def test_a_finished_run_is_read_and_nobody_is_asked(tmp_path: Path) -> None:
    policy = Counting()
    ask: dict[str, Any] = {"n": 6, "group_size": 3, "level": [0, 2]}
    ask |= {"sampling": Sampling(batch_size=4), "saving": tmp_path}
    first = rollout(["sorting", "tsp"], [policy, "oracle"], **ask)
    asked = policy.asked.total()
    again = rollout(["sorting", "tsp"], [policy, "oracle"], **ask)
    assert policy.asked.total() == asked
    assert plain(again) == plain(first)
    assert again.folder == tmp_path


def test_an_interrupted_run_asks_for_nothing_twice(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 9, "group_size": 4, "sampling": Sampling(batch_size=5)}
    whole = rollout("sorting", Counting(), **ask)
    first, second = Counting(limit=27), Counting()
    with pytest.raises(KeyboardInterrupt):
        rollout("sorting", first, saving=tmp_path, **ask)
    result = rollout("sorting", second, saving=tmp_path, **ask)
    assert set((first.asked + second.asked).values()) == {1}
    assert (first.asked + second.asked).total() == 36
    assert plain(result) == plain(whole)
    assert plain(result) == [
        {name: value for name, value in one.to_dict().items() if name != "seconds"}
        for one in Record.load(tmp_path)
    ]


KILLED = """
import sys, time
from reasonenv.rollouts import Sampling, rollout
from reasonenv.rollouts._policies import Noisy

def policy(tasks, rollout):
    time.sleep(0.01)
    with open(sys.argv[2], "a") as asked:
        asked.writelines(f"{task.id} {rollout}\\n" for task in tasks)
    return Noisy(0.5)(tasks, rollout)

async def one_by_one(context, rollout):
    return policy([context.task], rollout)[0]

which = {"batches": policy, "one by one": one_by_one}[sys.argv[3]]
how = Sampling(batch_size=4, concurrency=1)
rollout("sorting", {"slow": which}, n=24, group_size=5, sampling=how, saving=sys.argv[1])
"""


@pytest.mark.parametrize(
    ("how", "in_flight", "signal_"),
    [("batches", 4, signal.SIGKILL), ("one by one", 1, signal.SIGKILL), ("one by one", 1, signal.SIGINT)],
)
def test_a_killed_process_loses_at_most_what_was_in_flight(
    how: str, in_flight: int, signal_: signal.Signals, tmp_path: Path
) -> None:
    run, asked = tmp_path / "run", tmp_path / "asked"
    command = [sys.executable, "-c", KILLED, str(run), str(asked), how]
    for _ in range(2):
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
    assert times.total() - len(times) <= 2 * in_flight
    whole = rollout("sorting", {"slow": "noisy:0.5"}, n=24, group_size=5)
    assert [(one.group_id, one.rollout, one.text, one.advantage) for one in Record.load(run)] == [
        (one.group_id, one.rollout, one.text, one.advantage) for one in whole
    ]


def full_after(monkeypatch: pytest.MonkeyPatch, name: str, room: int) -> None:
    """A disk with a limited number of bytes left for files of this name."""
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
    ask: dict[str, Any] = {"n": 12, "group_size": 3, "sampling": Sampling(batch_size=2), "saving": tmp_path}
    first, second = Counting(), Counting()
    with monkeypatch.context() as full:
        full_after(full, file, room)
        with pytest.raises(OSError, match="No space left") as told:
            rollout("sorting", first, **ask)
    assert told.value.filename == str(tmp_path / file)
    for path in (tmp_path / "traces.jsonl", tmp_path / "pending.jsonl"):
        assert not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    result = rollout("sorting", second, **ask)
    twice = (first.asked + second.asked).total() - 36
    assert twice <= 2, "only the call whose answers found no room is asked again"
    assert plain(result) == plain(rollout("sorting", Counting(), **(ask | {"saving": None})))


def test_a_half_written_line_is_left_out_by_readers(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        rollout(
            "sorting", Counting(limit=20), n=6, group_size=4, sampling=Sampling(batch_size=2), saving=tmp_path
        )
    with (tmp_path / "traces.jsonl").open("ab") as traces:
        traces.write(b'{"task_id": "sor')
    assert len(Record.load(tmp_path)) == 16
    with pytest.raises(InvalidRun, match=r"holds no run, as it has no traces.jsonl"):
        Record.load(tmp_path / "elsewhere")
    (tmp_path / "pending.jsonl").write_text('{"i": 0}\n')
    with pytest.raises(InvalidRun, match=r"a line of .*pending.jsonl is not an answer; remove the file"):
        rollout("sorting", Counting(), n=6, group_size=4, sampling=Sampling(batch_size=2), saving=tmp_path)


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        rollout(
            "sorting", Counting(limit=20), n=6, group_size=4, sampling=Sampling(batch_size=2), saving=tmp_path
        )
    denied = OSError(errno.EACCES, os.strerror(errno.EACCES))
    read = NamedFile.readinto

    def refuses(self: NamedFile, buffer: Any) -> int:
        if Path(self._path).name == "traces.jsonl":
            raise OSError(denied.errno, denied.strerror, os.fspath(self._path))
        return read(self, buffer)

    with monkeypatch.context() as guarded:
        guarded.setattr(NamedFile, "readinto", refuses)
        with pytest.raises(PermissionError, match=r"traces\.jsonl"):
            rollout(
                "sorting", Counting(), n=6, group_size=4, sampling=Sampling(batch_size=2), saving=tmp_path
            )
    assert rollout(
        "sorting", Counting(), n=6, group_size=4, sampling=Sampling(batch_size=2), saving=tmp_path
    ).rewards.shape == (
        6,
        4,
    )


def test_a_run_that_goes_on_holds_no_records(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 300, "group_size": 4, "saving": tmp_path}
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
