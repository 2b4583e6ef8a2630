"""Every path that is written or read, whatever exists there: nothing is lost, nothing is replaced."""

import errno
import json
import os
import pty
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from forks import forked
from reasonenv._cli import app
from reasonenv._files import lines, writing
from reasonenv._records import InvalidRun
from reasonenv.data import directory_tree, directory_trees
from reasonenv.rollouts import Summary, evaluate
from reasonenv.rollouts._run import Run
from typer.testing import CliRunner, Result

FIRST = reasonenv.list_families()[0]
BATCH = reasonenv.family(FIRST).batch(count=3)
TASKS = BATCH.to_jsonl()
ANSWERS = "".join(json.dumps(text) + "\n" for text in map(BATCH[0].wrap, BATCH.answers))


def call(*args: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], input=input)


def mistake(*args: object, input: str | None = None) -> str:
    """The one line that a mistake is answered with."""
    result = call(*args, input=input)
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert not line.removeprefix("error: ")[:1].isupper()
    assert "; " in line, f"does not say what to do: {line}"
    return line


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tasks.jsonl").write_text(TASKS)
    (tmp_path / "answers.jsonl").write_text(ANSWERS)
    (tmp_path / "out").mkdir()
    return tmp_path


def generate(_place: Path, out: object) -> tuple[Result, str]:
    """Result of the command, and the expected content of the file."""
    return call("generate", FIRST, "-n", 3, "--out", out), TASKS


def verify(place: Path, out: object) -> tuple[Result, str]:
    done = call("verify", place / "tasks.jsonl", place / "answers.jsonl", "--out", out)
    return done, call("verify", place / "tasks.jsonl", place / "answers.jsonl", "--out", "-").stdout


WRITERS = [generate, verify]
Writer = Callable[[Path, object], tuple[Result, str]]
writers = pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)


@writers
def test_a_new_file_is_whole_and_alone(write: Writer, place: Path) -> None:
    old = os.umask(0o027)
    try:
        done, text = write(place, place / "out/new")
    finally:
        os.umask(old)
    assert done.exit_code == 0
    assert (place / "out/new").read_text() == text
    assert stat.S_IMODE((place / "out/new").stat().st_mode) == 0o640
    assert os.listdir(place / "out") == ["new"]


@writers
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_that_is_there_is_replaced_and_keeps_its_mode(write: Writer, place: Path, mode: int) -> None:
    target = place / "out/old"
    target.write_text("old")
    target.chmod(mode)
    done, text = write(place, target)
    assert done.exit_code == 0
    assert target.read_text() == text
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert os.listdir(place / "out") == ["old"]


@writers
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
def test_links_are_followed(write: Writer, place: Path, there: bool) -> None:
    target = place / "out/target"
    if there:
        target.write_text("old")
    (place / "near").symlink_to("out/target")
    (place / "far").symlink_to(place / "near")
    done, text = write(place, place / "far")
    assert done.exit_code == 0
    assert (place / "far").is_symlink()
    assert (place / "near").is_symlink()
    assert target.read_text() == text
    assert os.listdir(place / "out") == ["target"]


@writers
def test_a_named_pipe_is_written_into(write: Writer, place: Path) -> None:
    os.mkfifo(place / "out/pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((place / "out/pipe").read_text()))
    reader.start()
    done, text = write(place, place / "out/pipe")
    reader.join(timeout=60)
    assert done.exit_code == 0
    assert got == [text]
    assert stat.S_ISFIFO((place / "out/pipe").stat().st_mode)
    assert os.listdir(place / "out") == ["pipe"]


@writers
def test_a_device_is_written_into(write: Writer, place: Path) -> None:
    ours, device = pty.openpty()
    name = os.ttyname(device)
    got = bytearray()

    def read() -> None:
        while not got.endswith(b"\0"):
            got.extend(os.read(ours, 4096))

    reader = threading.Thread(target=read)
    reader.start()
    done, text = write(place, name)
    os.write(device, b"\0")
    reader.join(timeout=60)
    assert done.exit_code == 0
    assert got.decode().replace("\r\n", "\n") == text + "\0"
    assert stat.S_ISCHR(os.stat(name).st_mode)
    os.close(device)
    os.close(ours)


@writers
def test_a_full_disk_is_named(write: Writer, place: Path) -> None:
    # Through a link, so that a test that fails cannot replace the device.
    (place / "out/full").symlink_to("/dev/full")
    done, _ = write(place, place / "out/full")
    assert done.exit_code == 1
    assert f"{place}/out/full: no space left on device; make room there" in done.stderr
    assert (place / "out/full").is_symlink()
    assert os.listdir(place / "out") == ["full"]


@writers
def test_folders_and_what_cannot_be_written_are_refused_in_one_line(write: Writer, place: Path) -> None:
    (place / "link").symlink_to("out")
    (place / "circle").symlink_to("circle")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(place)  # the names of sockets are short
        listening.bind("socket")
        os.chdir(here)
        for path, said in [
            (place / "out", "is a directory; name a file"),
            (place / "link", "is a directory; name a file"),
            (f"{place}/out/", "is a directory; name a file"),
            (f"{place}/new/", "is a directory; name a file"),
            (place / "no/such", f"there is no folder {place}/no; check the path"),
            (place / "tasks.jsonl/x", "not a directory; check the path, a part of which is a file"),
            (place / "circle", "links; check the path"),
            (place / "socket", "no such device or address; "),
            ("", "the path of a file is empty; name a file"),
            (place / ("x" * 256), "file name too long; give it a shorter name"),
        ]:
            before = sorted(os.listdir(place))
            done, _ = write(place, path)
            assert done.exit_code == 1, path
            (line,) = done.stderr.splitlines()
            assert line.startswith(f"error: {path}: " if path else "error: the path")
            assert said in line
            assert sorted(os.listdir(place)) == before
            assert (place / "tasks.jsonl").read_text() == TASKS


@writers
def test_a_file_that_is_write_protected_is_left_alone(
    write: Writer, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = place / "out/old"
    target.write_text("old")
    # As for any user except root, who may write anything.
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(target) or mode != os.W_OK)
    done, _ = write(place, target)
    assert done.exit_code == 1
    assert "old: permission denied; name a path that you may use" in done.stderr
    assert target.read_text() == "old"
    assert os.listdir(place / "out") == ["old"]


@writers
def test_the_longest_name_will_do(write: Writer, place: Path) -> None:
    target = place / "out" / ("ü" * 120 + "x" * 15)
    done, text = write(place, target)
    assert done.exit_code == 0
    assert target.read_text() == text


COMMANDS = [f"generate {FIRST} -n 3 --out", "verify tasks.jsonl answers.jsonl --out"]


def test_open_files_are_written_into_and_not_cut(place: Path) -> None:
    (place / "link").symlink_to("/dev/stdout")
    (place / "far").symlink_to("link")
    jobs: list[tuple[str, str, str]] = []
    for command, name in product(COMMANDS, ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "far"]):
        log = place / f"log{len(jobs)}"
        log.write_text("before\n")
        jobs.append((f"{command} {name}", str(log), "/dev/null"))
    assert forked(jobs, place) == [0] * 10
    for asked, kept, _ in jobs:
        written = Path(kept).read_text().splitlines()
        assert written[0] == "before", asked
        assert [json.loads(line)["task_id"] for line in written[1:4]] == BATCH.ids, asked


def test_a_shells_own_pipe_is_written_into() -> None:
    read, write = os.pipe()
    command = [sys.executable, "-m", "reasonenv", "generate", FIRST, "-n", "3", "--out", f"/dev/fd/{write}"]
    subprocess.run(command, pass_fds=[write], check=True, capture_output=True)
    os.close(write)
    with open(read, encoding="utf-8") as got:
        assert got.read() == TASKS
    closed = subprocess.run([*command[:-1], "/dev/fd/99"], capture_output=True, text=True, check=False)
    assert closed.returncode == 1
    assert closed.stderr.startswith("error: /dev/fd/99: bad file descriptor; ")


def write_half(target: Path, error: type[BaseException]) -> None:
    with writing(target) as file:
        file.write("new" * 100_000)
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_error_midway_leaves_the_file_as_it_was(error: type[BaseException], tmp_path: Path) -> None:
    target = tmp_path / "file"
    for before in (None, "old"):
        if before is not None:
            target.write_text(before)
        with pytest.raises(error):
            write_half(target, error)
        assert os.listdir(tmp_path) == ([] if before is None else ["file"])
    assert target.read_text() == "old"


def test_a_bad_answer_midway_leaves_the_verdicts_as_they_were(place: Path) -> None:
    (place / "out/verdicts").write_text("old")
    broken = ANSWERS.splitlines()[0] + "\nnonsense\n"
    line = mistake("verify", place / "tasks.jsonl", "-", "--out", place / "out/verdicts", input=broken)
    assert "stdin, line 2: not JSON" in line
    assert os.listdir(place / "out") == ["verdicts"]
    assert (place / "out/verdicts").read_text() == "old"


def test_drafts_of_one_file_do_not_clash(tmp_path: Path) -> None:
    with writing(tmp_path / "file") as one:
        one.write("one\n" * 50_000)
        with writing(tmp_path / "file") as two:
            two.write("two\n" * 50_000)
        assert set((tmp_path / "file").read_text().split()) == {"two"}
    assert set((tmp_path / "file").read_text().split()) == {"one"}
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_midway_leaves_no_draft(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from reasonenv._files import writing\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n    with writing(sys.argv[1]) as file: file.write('x' * 1_000_000)\n"
        "except OSError as error: print(error)"
    )
    (tmp_path / "file").write_text("old")
    said = subprocess.check_output([sys.executable, "-c", code, tmp_path / "file"], text=True)
    assert said == f"[Errno {errno.EFBIG}] File too large: '{tmp_path}/file'\n"
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_lone_surrogate_is_written_as_json_escapes_it(tmp_path: Path) -> None:
    with writing(tmp_path / "file") as file:
        file.write(json.dumps("ü \ud800", ensure_ascii=False))
    assert (tmp_path / "file").read_bytes() == b'"\xc3\xbc \\ud800"'
    assert json.loads((tmp_path / "file").read_bytes()) == "ü \ud800"


def test_what_is_judged_is_not_written_over(place: Path) -> None:
    (place / "link").symlink_to("answers.jsonl")
    for name, field in [("tasks.jsonl", "TASKS"), ("answers.jsonl", "ANSWERS"), ("link", "ANSWERS")]:
        line = mistake("verify", place / "tasks.jsonl", place / "answers.jsonl", "--out", place / name)
        assert f"`--out` is {place}/{name}, which is `{field}` too and would be lost; name another" in line
    assert (place / "tasks.jsonl").read_text() == TASKS
    assert (place / "answers.jsonl").read_text() == ANSWERS


@pytest.fixture(params=["tasks", "answers"])
def read(request: pytest.FixtureRequest, place: Path) -> Callable[[object], Result]:
    """Judges with a path in the place of tasks or answers."""

    def judge(path: object) -> Result:
        tasks, answers = place / "tasks.jsonl", place / "answers.jsonl"
        if request.param == "tasks":
            return call("verify", path, answers, "--json")
        return call("verify", tasks, path, "--json")

    judge.content = TASKS if request.param == "tasks" else ANSWERS  # type: ignore[attr-defined]
    return judge


def test_links_pipes_and_texts_of_other_systems_are_read(read: Any, place: Path) -> None:
    content: str = read.content
    (place / "plain").write_text(content)
    (place / "link").symlink_to("plain")
    (place / "windows").write_bytes(b"\xef\xbb\xbf" + content.replace("\n", "\r\n").encode())
    (place / "unended").write_text("\n\n" + content.rstrip("\n"))
    os.mkfifo(place / "pipe")
    writer = threading.Thread(target=lambda: (place / "pipe").write_text(content))
    writer.start()
    for name in ("plain", "link", "windows", "unended", "pipe"):
        done = read(place / name)
        assert done.exit_code == 0, (name, done.output)
        assert json.loads(done.stdout)["families"][FIRST]["pass_rate"] == 1
    writer.join(timeout=60)


def test_what_cannot_be_read_is_refused_in_one_line(read: Any, place: Path) -> None:
    (place / "zeros").symlink_to("/dev/zero")
    (place / "latin").write_bytes(b'"fine"\n"\xe4"\n')
    (place / "utf16").write_text(read.content, encoding="utf-16")
    (place / "deep").write_text("[" * 100_000)
    (place / "circle").symlink_to("circle")
    for path, said in [
        (place / "out", f"{place}/out: is a directory; name a file"),
        (place / "no", f"{place}/no: no such file or directory; check the path"),
        (place / "circle", "too many levels of symbolic links; check the path"),
        (place / "zeros", "line 1: not UTF-8 text (it has a byte of value 0); save the file as UTF-8"),
        (place / "utf16", "line 1: not UTF-8 text"),
        (place / "deep", f"{place}/deep"),
        ("", "the path of a file is empty; name a file"),
    ]:
        done = read(path)
        assert done.exit_code == 1, path
        (line,) = done.stderr.splitlines()
        assert said in line
    with pytest.raises(reasonenv.ReasonEnvError, match="latin, line 2: not UTF-8 text"):
        list(lines(str(place / "latin")))


def log_to(path: Path) -> None:
    evaluate(FIRST, n=1, saving=path)


def open_run(path: Path) -> None:
    with Run(path, {}) as run:
        run.append([{}])


FOLDERS: list[Callable[[Path], object]] = [log_to, open_run]


@pytest.mark.parametrize("use", FOLDERS, ids=lambda use: use.__name__)
def test_a_run_is_written_where_links_lead(use: Callable[[Path], object], place: Path) -> None:
    (place / "link").symlink_to("out")
    (place / "ahead").symlink_to("out/made/here")
    for name, folder in [("link", "out"), ("ahead", "out/made/here"), ("no/such", "no/such")]:
        use(place / name)
        assert {"config.json", "traces.jsonl"} <= set(os.listdir(place / folder))
        assert not [file for file in os.listdir(place / folder) if "lock" in file or "part" in file]
    assert (place / "link").is_symlink()


@pytest.mark.parametrize("use", FOLDERS, ids=lambda use: use.__name__)
def test_a_run_is_not_written_where_there_is_no_folder(use: Callable[[Path], object], place: Path) -> None:
    os.mkfifo(place / "pipe")
    (place / "null").symlink_to("/dev/null")
    for name in ("tasks.jsonl", "pipe", "null"):
        with pytest.raises(InvalidRun, match=f"{name} is not a folder; name another one"):
            use(place / name)
    with pytest.raises(NotADirectoryError):
        use(place / "tasks.jsonl/run")
    assert (place / "tasks.jsonl").read_text() == TASKS


@pytest.mark.parametrize("name", ["config.json", "traces.jsonl", "summary.json"])
@pytest.mark.parametrize("use", FOLDERS, ids=lambda use: use.__name__)
def test_a_run_waits_for_no_pipe_and_fills_no_device(
    use: Callable[[Path], object], name: str, place: Path
) -> None:
    for make in (os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/null")):
        make(place / "out" / name)
        with pytest.raises(InvalidRun, match=f"{name} is not a regular file; remove it"):
            use(place / "out")
        assert os.listdir(place / "out") == [name]
        (place / "out" / name).rmdir() if make is os.mkdir else (place / "out" / name).unlink()


def test_runs_are_named_by_the_commands_that_make_them(place: Path) -> None:
    for args in (
        ["eval", FIRST, "-n", 1, "--policy", "oracle", "--runs", place, "--run", "tasks.jsonl"],
        ["demo", "-n", 1, "--run", place / "tasks.jsonl"],
    ):
        assert "tasks.jsonl is not a folder; name another one for the run" in mistake(*args)
    assert "`--run` is empty; name the run" in mistake(
        "eval", FIRST, "--policy", "oracle", "--runs", place, "--run", ""
    )


@pytest.mark.parametrize("use", [directory_tree, lambda path: directory_trees(path, 1, min_lines=1)])
def test_trees_are_read_from_folders_alone(use: Callable[[Path], object], place: Path) -> None:
    (place / "link").symlink_to("out")
    assert use(place / "link")
    os.mkfifo(place / "pipe")
    for name in ("tasks.jsonl", "pipe"):
        with pytest.raises(NotADirectoryError, match=f"{name} is not a directory, but"):
            use(place / name)
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        use(place / "no")


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    evaluate(FIRST, n=1, saving=tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "summary.json holds no JSON object"),
        ("[]", "summary.json holds no JSON object"),
        ("[" * 100_000, "summary.json holds no JSON object"),
        ('{"rows": []}', "a summary's `config` is None"),
        ('{"rows": 3, "config": {}}', "a summary's `rows` is 3"),
        ('{"rows": [3], "config": {}}', "a row has no `source`"),
        ('{"rows": [{}], "config": {}}', "a row has no `source`"),
    ],
)
def test_a_damaged_summary_is_named(content: str, message: str, finished: Path) -> None:
    (finished / "summary.json").write_text(content)
    with pytest.raises(InvalidRun, match=message):
        Summary.load(finished)
    with pytest.raises(InvalidRun, match=message):
        evaluate(FIRST, n=1, saving=finished)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task_id", None), ("source", 3), ("policy", []), ("rollout", "0"), ("rollout", True),
        ("reward", "x"), ("reward", float("nan")), ("verdict", []), ("verdict", {}),
        ("verdict", {"passed": 1, "score": 1, "parts": {}, "failures": []}),
        ("verdict", {"passed": True, "score": 1, "parts": {"a": None}, "failures": []}),
        ("verdict", {"passed": False, "score": 0, "parts": {}, "failures": [[]]}),
    ],
)  # fmt: skip
def test_a_damaged_record_is_named_with_its_field(field: str, value: object, finished: Path) -> None:
    (finished / "summary.json").unlink()
    record = json.loads((finished / "traces.jsonl").read_text())
    (finished / "traces.jsonl").write_text(json.dumps(record | {field: value}) + "\n")
    with pytest.raises(InvalidRun, match=rf"traces\.jsonl, line 1: `{field}` is .*; mend the line"):
        evaluate(FIRST, n=1, saving=finished)
    del record[field]
    (finished / "traces.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(InvalidRun, match=f"`{field}` is missing"):
        evaluate(FIRST, n=1, saving=finished)
