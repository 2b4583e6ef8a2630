"""OpenEnv itself: its generic client plays a family and a game over loopback, and its validation passes."""

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import reasonenv
import uvicorn
from drivers import openenv_play
from openenv.cli._validation import validate_running_environment
from openenv.core import GenericEnvClient
from pages import ROOT, run_page
from parity import KINDS, Played, check
from reasonenv.integrations import openenv, openenv_package


@contextmanager
def served(app: Any) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def asked(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(
        urllib.request.Request(url, data, {"content-type": "application/json"})
    ) as answer:
        return json.load(answer)


def test_the_generic_client_plays_tasks_and_their_sessions_are_apart() -> None:
    with served(openenv.create_app("countdown", level=2)) as url:
        with GenericEnvClient(base_url=url).sync() as first, GenericEnvClient(base_url=url).sync() as second:
            for split in openenv.SPLITS:
                task = reasonenv.family("countdown").sample(index=5, level=2, split=split)  # type: ignore[arg-type]
                assert first.reset(split=split, index=5).observation["prompt"] == task.prompt
                second.reset(split=split, index=6)
                result = first.step({"text": task.wrap(task.solution.answer)})
                assert (result.reward, result.done) == (1.0, True)
                assert second.step({"text": "no idea"}).reward == 0.0
            assert first.reset(seed=3).observation == second.reset(seed=3).observation
        assert [one["name"] for one in asked(f"{url}/countdown/splits")] == list(openenv.SPLITS)
        assert asked(f"{url}/countdown/num_tasks", {"split": "test"}) == {"num_tasks": 2**31}
        task = asked(f"{url}/countdown/task", {"split": "test", "index": 7})
        assert task == {"task": {"id": "countdown-test-7", "split": "test", "index": 7}}
        report = validate_running_environment(url)
        assert report["passed"], report


def test_same_bytes_same_pay() -> None:
    assert check(openenv_play(openenv)) == 100


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_its_client_plays_every_kind_over_loopback(kind: str) -> None:
    with (
        served(openenv.create_app(**KINDS[kind])) as url,
        GenericEnvClient(base_url=url).sync() as client,
    ):

        def play(_: Any, row: dict[str, Any], says: Any) -> Played:
            result, messages, total = client.reset(index=int(row["index"])), list[Any](), 0.0
            while not result.done:
                messages.append({"role": "user", "content": result.observation["prompt"]})
                messages.append({"role": "assistant", "content": says(messages)})
                result = client.step({"text": messages[-1]["content"]})
                total += result.reward
            return Played.of(messages, total)

        assert check(play, [kind], plain=True) == 20


def test_the_generic_client_plays_games() -> None:
    with (
        served(openenv.create_app("tic_tac_toe", opponent="random")) as url,
        GenericEnvClient(base_url=url).sync() as client,
    ):
        for index in range(3):
            result = client.reset(index=index)
            while not result.done:
                result = client.step({"text": f"<move>{result.observation['legal'][0]}</move>"})
            assert 0 <= result.reward <= 1.2


def test_the_web_page_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_WEB_INTERFACE", "true")
    with (
        served(openenv.create_app("tic_tac_toe", opponent="random")) as url,
        urllib.request.urlopen(f"{url}/web/") as page,
    ):
        assert page.status == 200


def test_a_package_passes_validation(tmp_path: Path) -> None:
    for name in ("countdown", "sudoku"):
        folder = openenv_package.write_package(tmp_path / name, name, level=1)
        command = [sys.executable, "-m", "openenv.cli", "validate", str(folder), "--level", "static"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Verdict: PASS" in done.stdout
        told = subprocess.run(
            [sys.executable, "oracle.py"], cwd=folder, capture_output=True, text=True, check=True
        )
        assert told.stdout.count("oracle 1.0 1.0") == told.stdout.count("floor 0.0 0.0") == 3


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "docs" / "trainers" / "openenv.md", packages=True)
