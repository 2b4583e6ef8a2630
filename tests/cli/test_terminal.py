"""The command line as a process: Ctrl-C at any moment, closed and full streams, numbers beyond all bounds."""

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import reasonenv
import typer
from forks import forked
from reasonenv.__main__ import main
from reasonenv._cli import app
from reasonenv.data import build_dataset
from typer.testing import CliRunner

FIRST = reasonenv.list_families()[0]
GAME = "tic_tac_toe"
MODULE = [sys.executable, "-m", "reasonenv"]

SCRIPT = """#!{python}
import sys
from reasonenv.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""

INTERRUPTING = """
import atexit, os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

if os.environ["INTERRUPTED_AT"] == "exit":
    atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""


@pytest.fixture(params=["reasonenv", "python -m reasonenv"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The console script, as an installer writes it, or the module."""
    if request.param != "reasonenv":
        return MODULE
    script = tmp_path / "reasonenv"
    script.write_text(SCRIPT.format(python=sys.executable))
    return [sys.executable, str(script)]


def test_the_console_script_is_the_one_that_is_tested_here() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"reasonenv": f"{main.__module__}:{main.__name__}"}


def imported() -> list[str]:
    """The modules that the command line imports after the package has begun to, in order."""
    times = subprocess.run([sys.executable, "-X", "importtime", *MODULE[1:], "families"],
                           capture_output=True, text=True, check=True).stderr  # fmt: skip
    names = [line.split("|")[2].strip() for line in times.splitlines() if line.startswith("import time:")]
    return names[names.index("reasonenv._start") + 1 :]


def test_ctrl_c_at_any_import_is_a_word_and_an_exit_code(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook/sitecustomize.py").write_text(INTERRUPTING)
    names = imported()
    assert "reasonenv._cli" in names
    path = os.pathsep.join([str(tmp_path / "hook"), *filter(None, [os.environ.get("PYTHONPATH")])])
    moments = ["gymnasium", "reasonenv._cli", "exit"]
    if program == MODULE:
        moments += [*names[:: len(names) // 4], "reasonenv.__main__"]
    for moment in moments:
        environment = {**os.environ, "INTERRUPTED_AT": moment, "PYTHONPATH": path}
        done = subprocess.run(
            [*program, "families"], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (130, "interrupted\n"), moment


def test_ctrl_c_leaves_neither_a_traceback_nor_a_draft(tmp_path: Path) -> None:
    target = tmp_path / "tasks.jsonl"
    command = [*MODULE, "generate", FIRST, "-n", "1000000", "--out", str(target)]
    for wait in (0.0, 0.01, 0.1):
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while not os.listdir(tmp_path):
                assert time.monotonic() < deadline
                time.sleep(0.001)
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        assert (process.returncode, said) == (130, "interrupted\n"), wait
        assert os.listdir(tmp_path) == [], wait


def test_the_second_ctrl_c_does_not_wait() -> None:
    code = (
        "import os, signal, sys\n"
        "from reasonenv import _start\n"
        "_start.leave_on_ctrl_c(); _start.raise_on_ctrl_c()\n"
        "try: os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt: print('raised', flush=True); os.kill(os.getpid(), signal.SIGINT)\n"
        "print('went on')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "raised\n", "interrupted\n")


def test_who_imports_the_package_keeps_ctrl_c() -> None:
    code = (
        "import signal, sys; sys.argv[0] = {!r}\n"
        "import reasonenv; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    for name in ("-c", "/somewhere/reasonenv/train.py", "-m"):
        said = subprocess.check_output([sys.executable, "-c", code.format(name)], text=True)
        assert said == "True\n", name
    ignored = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); " + code.format("reasonenv")
    assert subprocess.check_output([sys.executable, "-c", ignored], text=True) == "False\n"
    nohup = ignored.replace("signal.default_int_handler", "signal.SIG_IGN")
    assert subprocess.check_output([sys.executable, "-c", nohup], text=True) == "True\n"


COMMANDS = [
    "--help",
    "--version",
    "families",
    "families --json",
    "games",
    "games --json",
    "code doctor",
    f"show {FIRST}",
    f"show {FIRST} --json",
    f"generate {FIRST}",
    f"generate {FIRST} -n 5000",
    "verify tasks.jsonl answers.jsonl",
    "verify tasks.jsonl answers.jsonl --json",
    "verify tasks.jsonl answers.jsonl --out -",
    f"eval {FIRST} -n 2 --policy oracle",
    f"eval {FIRST} -n 2 --policy oracle --json",
    "run first.yaml --overwrite",
    f"arena {GAME} random first_legal -n 2",
    f"arena {GAME} --calibrate --json",
    f"bench {FIRST} --seconds 0.01",
    f"play {GAME}",
    "demo -n 1",
    "judge rows.jsonl --verifier exact_match",
    "report logged",
    "compare logged logged",
    "dataset build countdown -n 20 --out built --overwrite",
    "dataset info set",
    "dataset check set",
    "dataset merge merged shard",
    "dataset export set/rl rows.jsonl",
    f"health {FIRST} --level 0 -n 20",
    "serve --help",
    "benchmark list",
    "benchmark run core --only countdown -n 1 --policy empty --json",
    "benchmark report --help",
    "benchmark verify --help",
    "benchmark submit --help",
    "benchmark board --help",
    "benchmark transfer --help",
]
"""Commands that print, by what is typed."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    batch = reasonenv.family(FIRST).batch()
    (folder / "tasks.jsonl").write_text(batch.to_jsonl())
    (folder / "rows.jsonl").write_text('{"completion": "<answer>3</answer>", "answer": "3"}\n')
    (folder / "answers.jsonl").write_text('"nothing"\n')
    (folder / "first.yaml").write_text(f"generator: {FIRST}\npolicy: oracle\nn: 2\ngroup_size: 2\n")
    build_dataset(folder / "set", FIRST, 10)
    reasonenv.evaluate(FIRST, n=4, saving=folder / "logged")
    build_dataset(folder / "shard", FIRST, 10, shard=(0, 1))
    return folder


def test_every_command_is_among_those_that_are_tried() -> None:
    names = {name for name, _ in commands()}
    assert {
        name for name in names if any(f"{command} ".startswith(f"{name} ") for command in COMMANDS)
    } == names


def test_a_reader_that_is_gone_is_no_error(place: Path) -> None:
    codes = forked([(command, "", f"err{at}") for at, command in enumerate(COMMANDS)], place)
    said = [(place / f"err{at}").read_text() for at in range(len(COMMANDS))]
    ends = dict(zip(COMMANDS, zip(codes, said, strict=True), strict=True))
    assert {command: end for command, end in ends.items() if end != (0, "")} == {}


def test_head_and_closed_streams_are_no_errors(place: Path) -> None:
    typed = " ".join(MODULE)
    for line, out in [
        (f"{typed} families | head -1", "family"),
        (f"set -o pipefail; {typed} generate {FIRST} -n 100000 | head -1", '{"'),
        (f"{typed} families >&-", ""),
        (f"{typed} generate {FIRST} >&-", ""),
        (f"{typed} generate {FIRST} -n 1 <&- 2>&-", '{"'),
        (f"{typed} verify tasks.jsonl - <&-", "\n1 of 1 tasks have no answer"),
        (f"{typed} play {GAME} --seat first <&- | tail -1", "The game is left unfinished."),
        (f"{typed} generate {FIRST} -n 5000 -o >(head -1 >first); sleep 0.3; cat first", '{"'),
    ]:
        done = subprocess.run(["bash", "-c", line], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout.startswith(out), line
        assert done.stderr == "", line


def test_a_full_disk_under_stdout_is_named(place: Path) -> None:
    commands = ["--help", "families", "families --json", f"generate {FIRST}", "demo -n 1"]
    codes = forked([(command, "/dev/full", f"full{at}") for at, command in enumerate(commands)], place)
    assert codes == [1] * len(commands)
    error = "error: stdout: no space left on device; make room there, or name another path\n"
    assert [(place / f"full{at}").read_text() for at in range(len(commands))] == [error] * len(commands)


def test_a_full_disk_under_stderr_changes_no_exit_code(place: Path) -> None:
    commands = ["families", "show nothing", "show --nothing"]
    assert forked([(command, "/dev/null", "/dev/full") for command in commands], place) == [0, 1, 2]


def test_the_bytes_do_not_depend_on_the_machines_encoding(place: Path) -> None:
    ask = [*MODULE, "generate", FIRST, "--wrapper", "größer {prompt} 漢", "-n", "2"]
    outs = {
        subprocess.check_output(ask, env={**os.environ, "PYTHONIOENCODING": encoding}, cwd=place)
        for encoding in ("utf-8", "ascii")
    }
    assert len(outs) == 1
    assert "größer" in outs.pop().decode()


def commands() -> Iterator[tuple[str, Any]]:
    """The commands by name, with what describes them."""
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for inner, one in getattr(command, "commands", {"": command}).items():
            yield f"{name} {inner}".strip(), one


TYPED: dict[str, list[str]] = {
    "families": [],
    "games": [],
    "show": [FIRST],
    "generate": [FIRST],
    "verify": ["tasks.jsonl", "answers.jsonl"],
    "eval": [FIRST, "-n", "1", "--policy", "oracle"],
    "arena": [GAME, "random", "first_legal", "-n", "2"],
    "play": [GAME],
    "bench": [FIRST, "--seconds", "0.01"],
    "demo": ["-n", "1"],
    "health": [FIRST, "-n", "20", "--level", "0"],
    "serve": [],
    "benchmark list": [],
    "benchmark run": ["core", "--only", "countdown", "-n", "1", "--policy", "empty"],
    "benchmark report": ["logged"],
    "benchmark verify": ["logged"],
    "benchmark submit": ["logged", "board.jsonl", "--by", "me"],
    "benchmark board": ["board.jsonl"],
    "benchmark transfer": ["countdown=logged"],
    "judge": ["rows.jsonl", "--verifier", "exact_match"],
    "report": ["logged"],
    "compare": ["logged", "logged"],
    "dataset build": [FIRST, "-n", "1", "--out", "built", "--overwrite"],
    "dataset info": ["set"],
    "dataset check": ["set"],
    "dataset merge": ["merged", "shard", "--overwrite"],
    "dataset export": ["set/rl", "rows.jsonl"],
}
"""Required arguments of each command."""


def options(of: type) -> list[tuple[str, str]]:
    """Every option that takes a value of a type, with its command."""
    found = []
    for name, command in commands():
        for param in command.params:
            kind = param.type_descriptor.annotation
            if param.opts[0].startswith("-") and kind in (of, of | None, list[of], list[of] | None):  # type: ignore[valid-type]
                found.append((name, param.opts[0]))
    return found


def tried(name: str, option: str, value: str) -> tuple[int, str]:
    """The exit code of a command and what it says on stderr."""
    done = CliRunner().invoke(app, [*name.split(), *TYPED[name], option, value], input="quit\n")
    assert done.exception is None or isinstance(done.exception, SystemExit), (name, option, value)
    return done.exit_code, done.stderr


@pytest.mark.parametrize(("name", "option"), options(int))
@pytest.mark.parametrize("value", [str(10**12), str(10**30), "9" * 5000, "-1", "1.5"])
def test_numbers_beyond_all_bounds_are_refused_or_harmless(
    name: str, option: str, value: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    if name == "demo":
        monkeypatch.setattr(reasonenv, "list_families", lambda: ["ascii_tree"])
        monkeypatch.setattr("reasonenv._cli.demo.EXAMPLES", {})
    code, said = tried(name, option, value)
    plain = " ".join(re.sub(r"[│╭╮╰╯─]", " ", said).split())
    if code == 0:
        assert option in ("--index", "--start", "--seed", "--wrong") or name == "demo", (option, said)
    else:
        assert code == (1 if said.startswith("error: ") else 2)
        field = option.lstrip("-")
        assert any(named in plain for named in (f"'{option}'", f"`{option}`", f"'-{field[0]}'")), said


@pytest.mark.parametrize(("name", "option"), options(str))
def test_no_text_is_answered_with_a_traceback(
    name: str, option: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    for value in (
        "",
        "{prompt} \udcff",
        "a\nb",
        "x" * 10_000,
        "x=" + "[" * 5000,
        "x=" + "9" * 5000,
    ):
        code, said = tried(name, option, value)
        assert code in (0, 1, 2), (value, said)
        if code == 1:
            (line,) = said.splitlines()
            assert line.startswith("error: ")


@pytest.mark.parametrize("name", TYPED)
def test_no_name_is_answered_with_a_traceback(name: str) -> None:
    for value in ("", "\udcff", "a\nb", "-", "9" * 5000):
        done = CliRunner().invoke(app, [*name.split(), *(["--"] if name != "demo" else []), value], input="")
        assert done.exception is None or isinstance(done.exception, SystemExit), (name, value)
        # Nothing on the standard input is a leaderboard without rows, and what families ask has hyphens.
        fine = (name, value) in (("benchmark board", "-"), ("families", ""), ("families", "-"))
        assert done.exit_code in ((0,) if fine else (1, 2)), (name, value)


LONGEST = max(reasonenv.list_families(), key=len)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("families", reasonenv.list_families()),
        ("games", reasonenv.list_games()),
        (f"eval {FIRST} {LONGEST} -n 2 --policy best-constant --group-size 2", [FIRST, LONGEST]),
    ],
)
@pytest.mark.parametrize("width", ["50", "80", "120"])
def test_no_table_cuts_a_name(command: str, names: list[str], width: str) -> None:
    done = CliRunner().invoke(app, command.split(), env={"COLUMNS": width})
    assert done.exit_code == 0
    table = done.stdout.partition("Failures")[0]
    assert "…" not in table
    assert all(name in table for name in names)
