"""A run folder has one writer, and each rollout once, whatever happens to that writer."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv._records import InvalidRun
from reasonenv.data import read_traces
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import Sampling, Saving, Summary, _lock, evaluate
from reasonenv.rollouts._run import Run

FIRST = reasonenv.list_families()[0]

HOLD = """
import sys, time
from reasonenv.rollouts._run import Run
run = Run(sys.argv[1], {})
run.append([{"i": 0}])
print("open", flush=True)
time.sleep(600)
"""

SLOW = """
import sys, time
from reasonenv.rollouts import Sampling, evaluate
from reasonenv.rollouts._policies import Noisy

def policy(tasks, rollout):
    time.sleep(0.005)
    return Noisy(0.5)(tasks, rollout)

how = Sampling(batch_size=3)
evaluate(sys.argv[2], {"slow": policy}, n=200, group_size=4, sampling=how, saving=sys.argv[1])
"""


@contextmanager
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the folder open."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def rollouts(folder: Path) -> Counter[tuple[str, str, int]]:
    """Number of times that each rollout is in the traces."""
    records = map(json.loads, (folder / "traces.jsonl").read_text().splitlines())
    return Counter((record["task_id"], record["policy"], record["rollout"]) for record in records)


def test_a_folder_that_another_process_writes_is_refused_and_says_whose_it_is(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        said = (
            rf"{tmp_path} is open in process {process.pid} on {socket.gethostname()}, "
            r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*; wait for its end, or name another folder"
        )
        for overwrite in (False, True):
            with pytest.raises(InvalidRun, match=said):
                Run(tmp_path, {}, overwrite=overwrite)
        with pytest.raises(InvalidRun, match=said):
            evaluate(FIRST, n=1, saving=tmp_path)
        command = [sys.executable, "-m", "reasonenv", "demo", "-n", "1", "--run", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"open in process {process.pid}" in done.stderr
        assert (tmp_path / "traces.jsonl").read_text() == '{"i":0}\n'


def test_a_killed_holder_leaves_no_stale_lock(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.wait()
        with Run(tmp_path, {}) as run:
            assert list(run.records()) == [{"i": 0}]
    assert sorted(os.listdir(tmp_path)) == ["config.json", "traces.jsonl"]


def test_a_folder_opens_once_in_a_process_too(tmp_path: Path) -> None:
    with Run(tmp_path, {}) as run:
        said = rf"is open in this process \({os.getpid()}\), since .*; close it there first, or name another"
        with pytest.raises(InvalidRun, match=said):
            Run(tmp_path, {})
        run.append([{"i": 1}])
    with pytest.raises(InvalidRun, match="the run is closed"):
        run.append([{"i": 2}])
    with Run(tmp_path, {}) as run:
        assert list(run.records()) == [{"i": 1}]
    run.close()


def test_a_run_that_is_forgotten_keeps_nobody_out(tmp_path: Path) -> None:
    run = Run(tmp_path, {})
    run._traces.close()  # type: ignore[union-attr]  # which would warn
    del run
    Run(tmp_path, {}).close()


def test_a_refused_run_keeps_nobody_out(tmp_path: Path) -> None:
    Run(tmp_path, {"n": 1}).close()
    for _ in range(2):
        with pytest.raises(InvalidRun, match="was made with other settings: `n` is 1 there and 2 here"):
            Run(tmp_path, {"n": 2})
    assert sorted(os.listdir(tmp_path)) == ["config.json", "traces.jsonl"]


def test_a_refusal_names_the_setting_that_differs_and_what_starts_over(tmp_path: Path) -> None:
    had = {"sources": [{"name": "sorting", "level": 0, "params": {"n": 3}}], "group_size": 1}
    Run(tmp_path, had).close()
    other = {"sources": [{"name": "sorting", "level": 0, "params": {"n": 4}}], "group_size": 1}
    with pytest.raises(InvalidRun, match=r"`sources\[0\]\.params\.n` is 3 there and 4 here.*`--overwrite`"):
        Run(tmp_path, other)
    with pytest.raises(InvalidRun, match=r"`len\(sources\)` is 1 there and 2 here"):
        Run(tmp_path, {**had, "sources": had["sources"] * 2})  # type: ignore[operator]


def test_of_many_processes_one_writes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW, str(tmp_path), FIRST]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in both]
    assert sum(code == 0 for _, code in ends) >= 1
    assert all(code == 0 or "is open in" in said for said, code in ends)
    assert set(rollouts(tmp_path).values()) == {1}
    assert len(rollouts(tmp_path)) == 800


def test_a_finished_run_is_read_by_any_number(tmp_path: Path) -> None:
    summary = evaluate(FIRST, n=3, saving=tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    with Run(tmp_path, config) as one, Run(tmp_path, config) as other:
        assert one.finished
        assert one.summary == other.summary
        assert len(list(one.records())) == 3
        said = "the run is finished; open another one"
        with pytest.raises(InvalidRun, match=said):
            one.append([{}])
        with pytest.raises(InvalidRun, match=said):
            other.finish({})
        assert evaluate(FIRST, n=3, saving=tmp_path) == summary == Summary.load(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_run_that_finishes_while_another_waits_for_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run(tmp_path, {}).close()
    take = _lock.Lock.__init__

    def late(self: _lock.Lock, path: Path) -> None:
        monkeypatch.undo()
        with Run(tmp_path, {}) as other:
            other.append([{"i": 0}])
            other.finish({"rows": 1})
        take(self, path)

    monkeypatch.setattr(_lock.Lock, "__init__", late)
    with Run(tmp_path, {}) as run:
        assert run.summary == {"rows": 1}
        with pytest.raises(InvalidRun, match="the run is finished"):
            run.append([{"i": 0}])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_neither_writes_nor_keeps_the_lock(tmp_path: Path) -> None:
    read, write = os.pipe()
    run = Run(tmp_path, {})
    child = os.fork()
    if child == 0:
        try:
            run.append([{"i": "child"}])
        except InvalidRun as error:
            os.write(write, str(error).encode())
        time.sleep(60)
        os._exit(0)
    try:
        assert b"open in another process" in os.read(read, 4096)
        run.append([{"i": "parent"}])
        run.close()
        with Run(tmp_path, {}) as again:
            assert list(again.records()) == [{"i": "parent"}]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read)
        os.close(write)


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_file: int, _how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", none)
    with (
        pytest.warns(RuntimeWarning, match="cannot be locked .*; let one process at a time write there"),
        Run(tmp_path, {}) as run,
    ):
        run.append([{"i": 0}])


def test_a_run_that_is_killed_again_and_again_has_every_rollout_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW, str(tmp_path), FIRST]
    traces = tmp_path / "traces.jsonl"

    def size() -> int:
        return traces.stat().st_size if traces.exists() else 0

    kept = kills = 0
    waits = [0.0, 0.02, 0.05, 0.1]
    for wait in waits:
        with subprocess.Popen(command) as process:
            deadline = time.monotonic() + 60
            # The first kill comes as soon as the folder is locked, the others after more has been written.
            while not ((tmp_path / ".reasonenv.lock").exists() and (kills == 0 or size() > kept)):
                assert time.monotonic() < deadline
                time.sleep(0.001)
            time.sleep(wait)
            process.kill()
        kills += process.returncode == -signal.SIGKILL
        kept = size()
        assert not (tmp_path / "summary.json").exists(), "killed too late"
    assert kills == len(waits)
    subprocess.run(command, check=True)
    counts = rollouts(tmp_path)
    assert len(counts) == 800
    assert set(counts.values()) == {1}
    assert Summary.load(tmp_path)[0].items == 200
    assert sorted(os.listdir(tmp_path)) == [
        "config.json",
        "prompts.jsonl",
        "summary.json",
        "traces.jsonl",
    ]


def test_what_a_killed_process_drafted_is_removed(tmp_path: Path) -> None:
    Run(tmp_path, {}).close()
    for name in ("config.json", "summary.json"):
        (tmp_path / f"{name}.0123456789abcdef.part").write_text("{")
    (tmp_path / "mine.part").write_text("mine")
    Run(tmp_path, {}).close()
    assert sorted(os.listdir(tmp_path)) == ["config.json", "mine.part", "traces.jsonl"]


LIMITED = """
import resource, sys
from reasonenv.rollouts import Sampling, evaluate
how = Sampling(batch_size=4)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    evaluate(sys.argv[2], n=50, group_size=int(sys.argv[4]), sampling=how, saving=sys.argv[1])
except OSError as error:
    print(error.filename)
"""


@pytest.mark.parametrize(
    ("room", "group_size", "file"),
    [
        (0, 1, ".reasonenv.lock"),
        (200, 1, "config.json"),
        (3_000, 1, "prompts.jsonl"),
        (30_000, 4, "traces.jsonl"),
    ],
)
def test_a_full_disk_is_named_and_the_run_goes_on_once_there_is_room(
    room: int, group_size: int, file: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path), FIRST, str(room), str(group_size)]
    assert subprocess.check_output(command, text=True) == f"{tmp_path / file}\n"
    assert not (tmp_path / ".reasonenv.lock").exists()
    traces = tmp_path / "traces.jsonl"
    assert not traces.exists() or traces.read_bytes()[-1:] in (b"", b"\n")
    evaluate(FIRST, n=50, group_size=group_size, sampling=Sampling(batch_size=4), saving=tmp_path)
    assert len(rollouts(tmp_path)) == 50 * group_size
    assert len(list(read_traces(tmp_path))) == 50 * group_size
    assert set(rollouts(tmp_path).values()) == {1}


def test_what_cannot_be_written_whole_is_not_written_at_all(tmp_path: Path) -> None:
    with Run(tmp_path, {}) as run:
        run.append([{"i": 0}])
        for bad in ({"i": float("nan")}, {"i": object()}, 3):
            with pytest.raises(InvalidArgument, match=r"`records\[1\]`"):
                run.append([{"i": 1}, bad])  # type: ignore[list-item]
        for records in (3, {"i": 1}):
            with pytest.raises(InvalidArgument, match=r"`records` is .*, but must be several mappings"):
                run.append(records)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="`summary`"):
            run.finish({"x": object()})
        assert list(run.records()) == [{"i": 0}]
    assert (tmp_path / "traces.jsonl").read_text() == '{"i":0}\n'


@pytest.mark.parametrize(
    "there",
    [
        {"config.json": '{"compilerOptions": {}}'},
        {"config.json": "mine"},
        {"traces.jsonl": "mine\n"},
        {"summary.json": "{}"},
        {"summary.json": "{}", "config.json": "{}", "traces.jsonl": "mine\n"},
    ],
)
def test_overwriting_drops_nothing_but_runs(there: dict[str, str], tmp_path: Path) -> None:
    for name, text in there.items():
        (tmp_path / name).write_text(text)
    for overwrite in (True, False):
        with pytest.raises(InvalidRun, match=r"; (mend it, or )?name another folder$"):
            evaluate(FIRST, n=1, saving=Saving(folder=tmp_path, overwrite=overwrite))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == there


def test_states_of_a_run_show(tmp_path: Path) -> None:
    with Run(tmp_path, {"n": 1}) as run:
        assert repr(run) == f"<Run {tmp_path}: unfinished>"
        assert not run.finished
        assert run.summary is None
        run.finish({"rows": []})
        assert repr(run) == f"<Run {tmp_path}: finished>"
        again: dict[str, Any] | None = run.summary
        assert again == {"rows": []}
