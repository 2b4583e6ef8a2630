"""Programs under `cpython` reach nothing of the host, in each set-up that this machine can make."""

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv import verifiers
from reasonenv._cli import app
from reasonenv.errors import ReasonEnvError
from reasonenv.verifiers._code import _cpython, _isolation, _monty
from typer.testing import CliRunner

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() not in _isolation._ARCHITECTURES,
    reason="the kernel's filter of system calls is that of Linux on x86_64 and aarch64",
)
TESTS = ["assert double(3) == 6"]
RIGHT = "```python\ndef double(n):\n    return 2 * n\n```"


def interpreter(user: str) -> list[str]:
    """Return a Python that the user of a set-up can run, and that imports this package."""
    readers = Path(sys.executable).resolve().parents
    if user == "same" or all(os.stat(folder).st_mode & 0o005 == 0o005 for folder in readers):
        return [sys.executable]
    name = f"/usr/bin/python3.{sys.version_info.minor}"
    if not os.path.exists(name):
        pytest.skip("another user cannot read this Python, and there is none in /usr/bin")
    return [name]


@pytest.mark.parametrize(
    ("user", "namespaces"),
    [
        pytest.param("same", "yes", id="this user"),
        pytest.param("same", "no", id="this user, no unshare"),
        pytest.param("other", "yes", id="an ordinary user"),
        pytest.param("other", "no", id="an ordinary user, no unshare"),
    ],
)
def test_nothing_gets_out(user: str, namespaces: str) -> None:
    if user == "other" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    paths = [
        str(Path(reasonenv.__file__).parents[1]),
        *(path for path in sys.path if "site-packages" in path),
    ]
    ran = subprocess.run(
        [*interpreter(user), str(Path(__file__).with_name("setups.py")), user, namespaces],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(paths), "HOME": "/tmp"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["right"]
    assert found["tried"] > 50
    assert (found["out"], found["signals"], found["confined"]) == ([], [], True)
    assert "system calls" in found["walls"]
    assert "timeout" not in found["labels"]
    assert "0" not in found["uids"]  # nothing of root is left, wherever its Python is


def test_the_attempts_succeed_without_the_walls() -> None:
    code = (
        "import os\nfrom reasonenv.verifiers._code import _isolation\nos.execv = lambda *_: 0\n"
        "print('\\n'.join(_isolation.escapes(os.getppid())))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    free = set(ran.stdout.splitlines())
    assert {"open /proc/PID/maps", "open /etc/passwd", "start a process", "run a program"} <= free
    assert {"open a socket", "signal a process", "shmget", "prctl", "memfd_create", "list a folder"} <= free


@pytest.mark.parametrize("table", [_isolation._NUMBERS, _isolation._TEMPLATE])
def test_numbers_of_calls_are_distinct(table: str) -> None:
    for column in (0, 1):
        numbers = _isolation._numbers(table, column)
        assert len(numbers) == len(set(numbers))


def test_a_machine_that_confines_nothing_stops_with_the_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    _cpython._TEMPLATES.close()
    start = _cpython._Template.__init__

    def unconfined(self: Any) -> None:
        start(self)
        self.confined, self.escapes = False, ["signal a process"]

    monkeypatch.setattr(_cpython._Template, "__init__", unconfined)
    with pytest.raises(ReasonEnvError, match=r'signal a process.*"monty".*isolation="process".*doctor'):
        verifiers.python_tests(runtime="cpython")([RIGHT], [TESTS])
    assert verifiers.python_tests(runtime="cpython", isolation="process")([RIGHT], [TESTS])[0].passed
    _cpython._TEMPLATES.close()


def test_shared_memory_and_queues_do_not_join_programs() -> None:
    judge = verifiers.python_tests(runtime="cpython")
    for make, number in (
        ("shmget(4242, 4096, 0o1666)", 29),
        ("msgget(4242, 0o1666)", 68),
        ("semget(4242, 1, 0o1666)", 64),
    ):
        code = f"import ctypes\ndef double(n):\n    return 6 if ctypes.CDLL(None).{make} >= 0 else {number}"
        assert not judge([f"```python\n{code}\n```"], [TESTS])[0].passed


def descendants(pid: int) -> set[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listed.splitlines())}
    found, more = set(), {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more}
        found |= more
    return found


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
def test_nothing_outlives_a_trainer_that_is_killed(runtime: str) -> None:
    code = (
        "from reasonenv import verifiers\n"
        f"judge = verifiers.python_tests(runtime={runtime!r}, seconds=60)\n"
        f"judge([{RIGHT!r}], [{TESTS!r}])\nprint('ready', flush=True)\n"
        f"judge(['def double(n):\\n    while True: pass'], [{TESTS!r}])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as trainer:
        assert trainer.stdout is not None
        assert trainer.stdout.readline() == "ready\n"
        time.sleep(0.5)
        workers = descendants(trainer.pid)
        trainer.kill()
    assert workers
    for _ in range(100):
        left = {one for one in workers if os.path.exists(f"/proc/{one}")}
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError([Path(f"/proc/{one}/cmdline").read_bytes() for one in left])


def test_a_fault_of_the_machine_is_no_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    _monty.POOL.drop(_monty.POOL._made)
    monkeypatch.setenv("MONTY_BIN", "/no/such/binary")
    with pytest.raises(ReasonEnvError, match="workers of monty do not start"):
        verifiers.python_tests()([RIGHT], [TESTS])
    monkeypatch.delenv("MONTY_BIN")
    _monty.POOL.drop(_monty.POOL._made)
    assert verifiers.python_tests()([RIGHT], [TESTS])[0].passed


def test_short_descriptors_raise() -> None:
    code = (
        "import resource\nfrom reasonenv import verifiers\nfrom reasonenv.errors import ReasonEnvError\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))\n"
        f"try:\n    print(verifiers.python_tests()([{RIGHT!r}] * 4, [{TESTS!r}] * 4).passed.all())\n"
        "except ReasonEnvError:\n    print('raised')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() in ("raised", "True"), ran.stderr


def test_the_doctor_says_what_this_machine_gives() -> None:
    ran = CliRunner().invoke(app, ["code", "doctor", "--json"])
    found = json.loads(ran.stdout)
    assert found["cpython"]["confined"]
    assert "system calls" in found["cpython"]["walls"]
    assert found["monty"]["starts"]
    assert ran.exit_code == 0
    shown = CliRunner().invoke(app, ["code", "doctor"])
    assert "confined" in shown.stdout
