"""verifiers before 0.4 itself: its loop and its command play our environment and record what we pay."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import reasonenv
import verifiers
from loops import endpoint
from pages import ROOT
from parity import KINDS, Played
from reasonenv.integrations import rows
from reasonenv.integrations.verifiers_v0 import load_environment
from verifiers.types import ClientConfig

SUITE = ROOT / "examples" / "verifiers_suite"


def evaluated(folder: Path, url: str, settings: dict[str, Any], n: int, group_size: int) -> list[Any]:
    """The rollouts that `vf-eval` records."""
    command: list[str] = [
        str(Path(sys.executable).parent / "vf-eval"),
        "reasonenv_suite",
        "-a",
        json.dumps(settings),
    ]
    command += ["-m", "model", "-b", url, "-k", "NO_KEY", "-n", str(n), "-r", str(group_size)]
    command += ["-s", "-o", str(folder), "--disable-tui", "--max-retries", "0"]
    variables = os.environ | {"NO_KEY": "none", "PYTHONPATH": str(SUITE)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.rglob("results.jsonl")
    return [json.loads(line) for line in found.read_text().splitlines()]


def evaluation_rows(kind: str, n: int) -> list[Any]:
    """Rows of the split "eval" of a family, or the games after those for training."""
    settings = KINDS[kind]
    return list(rows(**settings, n=n, start=n) if kind == "game" else rows(**settings, split="eval", n=n))


def check(found: list[Any], wanted: dict[str, Played], group_size: int) -> None:
    """Compare rollouts with those of our conversations."""
    assert len(found) == group_size * len(wanted)
    assert {one["info"]["task_id"] for one in found} == wanted.keys()
    for one in found:
        played = wanted[one["info"]["task_id"]]
        assert one.get("error") is None
        assert one["reward"] == pytest.approx(played.reward)
        said = [text for role, text in played.messages if role == "assistant"]
        assert [part["content"] for part in one["completion"] if part["role"] == "assistant"] == said


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_its_loop_plays_every_kind_of_episode(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_KEY", "none")
    env = load_environment(**KINDS[kind], n=6, eval_n=6)
    with endpoint(evaluation_rows(kind, 6)) as (server, wanted):
        client = ClientConfig(api_base_url=server.url, api_key_var="NO_KEY", max_retries=0)
        made = asyncio.run(env.evaluate(client, "model", num_examples=6, rollouts_per_example=2))
    check(made["outputs"], wanted, 2)


def test_its_command_finds_the_package_of_the_examples_and_plays(tmp_path: Path) -> None:
    with endpoint(evaluation_rows("game", 4)) as (server, wanted):
        found = evaluated(tmp_path, server.url, {**KINDS["game"], "n": 4, "eval_n": 4}, 4, 2)
    check(found, wanted, 2)
    assert {"win", "draw", "loss", "invalid_moves", "reward/outcome"} <= found[0].keys()


def test_the_environment_has_our_rows() -> None:
    env = load_environment("countdown", n=8, eval_n=4, level=1, seed=2)
    assert isinstance(env, verifiers.MultiTurnEnv)
    tasks = reasonenv.family("countdown").batch(seed=2, count=8, level=1)
    found: Any = env.get_dataset()
    assert [row["prompt"][-1]["content"] for row in found] == [task.prompt for task in tasks]
    assert len(env.get_eval_dataset()) == 4
