"""The shell blocks of the docs are true: every command runs, or is listed here with the reason why not."""

import json
import re
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import answer, serving
from cli_calls import call
from pages import ROOT, shell_blocks

NOT_RUN = {
    r"pip install|python3 -m venv": "needs the network",
    r"make ": "builds or measures for minutes; has tests of its own in .ci/run",
    r"(REASONENV_NUM_THREADS=\S+ )?python ": "trains or measures for minutes, or is the reader's own",
    r"#!/bin/bash|vf-|inspect |openenv |cd my-environment|--reward": "needs a trainer that tests do without",
    r"reasonenv serve": "serves until it is stopped",
    r"reasonenv play": "asks a person for moves",
    r"reasonenv (bench|demo|health)\b": "measures for many seconds; tests/cli runs it",
    r"reasonenv benchmark (run|report|verify|submit|transfer)": "asks thousands of tasks; tests/benchmark",
    r"reasonenv arena .* (minimax|--calibrate)": "plays for many seconds; tests/arena runs it",
    r"reasonenv .*hf:": "needs weights and PyTorch",
    r"reasonenv judge rows.parquet": "needs pyarrow",
    r"reasonenv judge .*synthetic2": "takes rows of a data set; tests/verifier runs it",
}
"""Beginnings of commands that need the network, minutes or a GPU, and why they are not run."""

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}:{line}")
    for page in PAGES
    for line, block in shell_blocks(page)
]


def commands(block: str) -> list[str]:
    """Commands of a block without its comments; a script is one command."""
    if block.startswith("#!"):
        return [block]
    lines = re.sub(r"\\\n\s*", "", block).splitlines()
    return [bare for line in lines if (bare := re.sub(r"(^|\s)#.*", "", line).strip())]


def reason(command: str) -> str | None:
    return next((why for start, why in NOT_RUN.items() if re.match(start, command)), None)


def test_every_reason_is_needed() -> None:
    shown = [command for param in BLOCKS for command in commands(str(param.values[0]))]
    for start in NOT_RUN:
        assert any(re.match(start, command) for command in shown), start


def rows(path: str, *given: object) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")


def prepare(args: list[str]) -> None:
    """Write what a command reads and no command before it wrote."""
    if args[0] == "verify":
        rows("answers.jsonl", *["<answer>1</answer>"] * len(Path("tasks.jsonl").read_text().splitlines()))
    elif "gsm8k" in args:
        rows(args[1], {"question": "1 + 8?", "answer": "1 + 8 = 9\n#### 9", "completion": "It is 9."})
    elif "spider" in args:
        folder = Path("spider/database/shop")
        folder.mkdir(parents=True)
        with sqlite3.connect(folder / "shop.sqlite") as base:
            base.execute("create table items (name text)")
        query = "select name from items"
        rows(args[1], {"question": "Names?", "query": query, "db_id": "shop", "completion": query})
    elif "python_tests" in args:
        tests = {"test_list": ["assert one() == 1"], "challenge_test_list": []}
        rows(args[1], {"completion": "```python\ndef one():\n    return 1\n```"} | tests)
    elif args[0] == "judge" or "own.jsonl" in args:
        boxed = {"completion": r"\boxed{9}", "reference": "9"}
        rows(args[1], {"problem": "1 + 8?", "answer": "9", "solution": r"\boxed{9}"} | boxed)
    elif "somebody_elses.jsonl" in args:
        rows("somebody_elses.jsonl", {"prompt": "How much is 1 + 8?"})
    elif "docs/leaderboard.jsonl" in args:
        Path("docs").symlink_to(ROOT / "docs")
    elif args[0] == "run":
        Path("first.yaml").write_text(RUN_FILE, encoding="utf-8")
    for name in args:
        if name.startswith("runs/") and not Path(name).exists():
            small = ("--policy", "noisy:0.5", "--policy", "best-constant", "-n", 2, "--run", Path(name).name)
            assert call("eval", "chain_sum", *small).exit_code == 0


RUN_FILE = "generator: {name: chain_sum}\npolicy: noisy:0.5\nn: 2\nsaving: runs/from_file\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working folder, and an endpoint that answers."""
    monkeypatch.chdir(tmp_path)
    with serving(lambda _body, _before: answer("The answer is 9.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield tmp_path


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.usefixtures("folder")
def test_a_shell_block_runs(block: str) -> None:
    for command in commands(block):
        if reason(command):
            continue
        few = re.sub(r"(?<= -n )\d+", "8", command)
        program, *args = shlex.split(re.sub(r"(?<=--group-size )\d+", "2", few))
        assert program == "reasonenv", f"is not run and has no reason: {command}"
        prepare(args)
        result = call(*args)
        assert result.exit_code == 0, f"{command}\n{result.output}"
