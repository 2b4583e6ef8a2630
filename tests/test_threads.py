"""Number of threads: taken from the environment until a program sets it."""

import os
import subprocess
import sys

import pytest
from reasonenv._threads import VARIABLE, use_environment
from reasonenv.errors import InvalidArgument

COUNT = "import reasonenv; print(reasonenv.num_threads())"


def run(given: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, VARIABLE: given}
    return subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize(("given", "threads"), [("1", "1"), (" 3 ", "3")])
def test_the_environment_says_how_many(given: str, threads: str) -> None:
    assert run(given, "-c", COUNT).stdout.strip() == threads


@pytest.mark.parametrize("given", ["", "0"])
def test_by_default_there_is_one_per_core(given: str) -> None:
    assert int(run(given, "-c", COUNT).stdout) >= 1


@pytest.mark.parametrize("given", ["many", "-1", "1.5", "1025", "9" * 5000])
def test_what_is_no_number_of_threads_names_the_variable(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(
        InvalidArgument, match=f"the environment variable `{VARIABLE}` is .*must be a whole number between"
    ):
        use_environment()


def test_a_wrong_variable_ends_the_import_and_the_command_line() -> None:
    given, must = "many", "must be a whole number between 0 and 1024"
    imported = run(given, "-c", COUNT)
    last = imported.stderr.strip().splitlines()[-1]
    assert imported.returncode == 1
    assert "InvalidArgument: the environment variable `REASONENV_NUM_THREADS` is " in last
    assert last.endswith(must)
    command = run(given, "-m", "reasonenv", "families")
    assert command.returncode == 1
    assert command.stderr.startswith("error: the environment variable `REASONENV_NUM_THREADS` is ")
    assert command.stderr.endswith(must + "\n")
    assert command.stderr.count("\n") == 1
