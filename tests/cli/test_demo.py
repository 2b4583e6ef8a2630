"""`reasonenv demo`, the first thing that newcomers see."""

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import reasonenv
from cli_calls import call, ok
from reasonenv._cli.demo import EXAMPLES, typed_program

ALL = [reasonenv.family(name) for name in reasonenv.list_families()]
# One of each domain, those whose tasks are shown, and that of directories.
SHOWN = {*{one.domain: one.name for one in ALL}.values(), *EXAMPLES, "ascii_tree"}
FAMILIES = [one for one in ALL if one.name in SHOWN]
MOST_LINES = 40


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    """A demo of some families, and of the directories of this package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reasonenv, "list_families", lambda: [one.name for one in FAMILIES])
        patch.setattr("sysconfig.get_path", lambda _: str(Path(reasonenv.__file__).parent))
        patch.setattr("reasonenv._cli.demo._SECONDS", 0.001)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "demo"


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    return ok("demo", "-n", 3, "--run", folder, COLUMNS="80")


def suggested(shown: str) -> list[str]:
    """The three commands at the end, without their descriptions."""
    ends = shown.partition("what to try next")[2]
    return re.findall(r"^  ((?:\S*/)?reasonenv .+?)(?: {3,}.*)?$", ends, re.MULTILINE)


def test_it_fits_a_terminal(shown: str) -> None:
    assert len(shown.splitlines()) <= MOST_LINES
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert [command.partition(" ")[0] for command in suggested(shown)] == ["reasonenv"] * 3


@pytest.mark.parametrize(
    ("program", "width"), [("reasonenv", 60), (".venv/bin/reasonenv", 60), (".venv/bin/reasonenv", 80)]
)
def test_what_to_try_next_keeps_its_descriptions(
    program: str, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reasonenv._cli.demo.typed_program", lambda: program)
    monkeypatch.setattr("reasonenv._cli.demo.write_report", lambda run, *_, **__: run / "report.html")
    text = ok("demo", "-n", 1, "--run", tmp_path, COLUMNS=str(width))
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert [command.partition(" ")[0] for command in suggested(text)] == [program] * 3
    assert all(what in text for what in ("a task and why", "exact values", "how often a policy passes"))


def test_tasks_of_three_domains_are_answered_right_and_wrong(shown: str) -> None:
    examples = shown.partition("Level 2")[0]
    heads = re.findall(r"^(\w+) \((\w+)\)$", examples, re.MULTILINE)
    assert len({domain for _, domain in heads}) == 3
    assert all(reasonenv.family(name).domain == domain for name, domain in heads)
    assert examples.count("✓ ") == 3
    assert len(re.findall("✗ .+: .+", examples)) == 3
    assert examples.count("</answer>") == 3  # the prompts are whole


def test_prompts_keep_their_lines(shown: str) -> None:
    assert "\n  What is 91 + 2?\n  Give your answer" in shown
    for line in ("Sequence, from term 1: 18, 24, 30", "Find term 4."):
        assert f"\n  {line}\n" in shown


def test_a_reward_and_an_environment_have_a_line_each(shown: str) -> None:
    (near,) = re.findall(
        r'^reward +"binary" pays 1 and 0, "partial" 1 and (0\.\d\d) for', shown, re.MULTILINE
    )
    assert float(near) > 0
    assert (
        len(re.findall(r'^environment +gymnasium\.make\("reasonenv/Sudoku-v1", level=3\).* 1$', shown, re.M))
        == 1
    )


def test_the_largest_domains_have_a_row(shown: str) -> None:
    domains = [family.domain for family in FAMILIES]
    rows = dict(re.findall(r"^([a-z]+) +(\d+) .*[\dkM] +\d+\.\d +0\.0\b", shown, re.MULTILINE))
    assert sorted(map(int, rows.values())) == sorted(map(domains.count, set(domains)))[-3:]
    assert rows == {domain: str(domains.count(domain)) for domain in rows}
    assert f"Level 2, 3 of {len(set(domains))} domains: speed" in shown


def test_the_game_stands_below_the_table(shown: str) -> None:
    below = shown.partition("\ndomain ")[2]
    assert "Connect Four" not in below.splitlines()[0] + below.splitlines()[3]
    assert "Connect Four, X moves" in below
    assert "1   2   3   4   5" in below
    assert "-16 -16   = +15 -16" in below
    assert "+15 wins in 15 plies" in below


def test_the_run_has_every_policy_on_every_family_and_a_report(shown: str, folder: Path) -> None:
    assert str(folder / "report.html") in shown
    page = (folder / "report.html").read_text().replace("<wbr>", "")
    assert all(f"{family.name}, level" in page for family in FAMILIES)
    assert "ascii_tree (real)" in page
    rows = json.loads((folder / "summary.json").read_text())["rows"]
    assert len(rows) == 4 * (len(FAMILIES) + 1)
    assert {row["pass_rate"] for row in rows if row["policy"] == "oracle"} == {1.0}
    assert {row["pass_rate"] for row in rows if row["policy"] == "echo"} == {0.0}


def test_full_prints_every_family_into_the_same_folder(shown: str, tmp_path: Path) -> None:
    reasonenv.evaluate("chain_sum", n=3, saving=tmp_path)
    full = ok("demo", "--full", "-n", 2, "--run", tmp_path)
    assert all(family.name in full for family in FAMILIES)
    assert "Mean over the failures" in full
    assert suggested(full) == suggested(shown)
    assert {row["items"] for row in json.loads((tmp_path / "summary.json").read_text())["rows"]} == {2}


def test_every_suggested_command_runs(shown: str) -> None:
    for command in suggested(shown):
        program, *args = shlex.split(command)
        assert program == "reasonenv"
        assert ok(*args, input="quit\n")


@pytest.mark.parametrize(
    ("argv", "orig_argv", "typed"),
    [
        (["/usr/bin/reasonenv"], ["python3", "/usr/bin/reasonenv"], "reasonenv"),
        ([".venv/bin/reasonenv"], ["python3", ".venv/bin/reasonenv"], ".venv/bin/reasonenv"),
        (
            ["/x/reasonenv/__main__.py"],
            ["../my env/python", "-m", "reasonenv"],
            "'../my env/python' -m reasonenv",
        ),
    ],
)
def test_commands_begin_as_the_demo_was_typed(
    argv: list[str], orig_argv: list[str], typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys, "orig_argv", orig_argv)
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/reasonenv")
    assert typed_program() == typed


def test_without_jinja2_it_says_how_to_get_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = call("demo", "-n", 1, "--run", tmp_path)
    assert done.exit_code == 0
    assert f"pip install jinja2 && reasonenv report {tmp_path}" in done.stdout
    assert not (tmp_path / "report.html").exists()
    progress = done.stderr.splitlines()
    assert (progress[0], progress[-1]) == ("reading directories", "writing the report")


def test_ctrl_c_ends_it_with_a_word(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reasonenv", "demo", "--run", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "reading directories\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.count("✓ ") == 3
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err
