"""Loggers by name, with stand-ins for TensorBoard and Weights & Biases."""

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from cli_calls import call, ok
from reasonenv.errors import ReasonEnvError
from reasonenv.rollouts import Completion, Saving, rollout


class Writer:
    """`tensorboard.summary.Writer`."""

    def __init__(self, folder: str) -> None:
        self.folder, self.points, self.is_closed = folder, [], False  # type: tuple[str, list[Any], bool]

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.points.append((name, value, step))

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> list[Writer]:
    made: list[Writer] = []
    module = types.ModuleType("tensorboard.summary")

    def make(folder: str) -> Writer:
        made.append(Writer(folder))
        return made[-1]

    vars(module)["Writer"] = make
    monkeypatch.setitem(sys.modules, "tensorboard", types.ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "tensorboard.summary", module)
    return made


def half(tasks: Any, rollout: int) -> list[Completion]:
    """Right, well formed but wrong, or no answer, in turn."""
    texts = [
        [task.wrap(task.solution.answer), task.wrap(task.wrong_answers(seed=0)[0]), "?"][(at + rollout) % 3]
        for at, task in enumerate(tasks)
    ]
    return [Completion(text, usage={"completion_tokens": 4}) for text in texts]


def test_curves_have_a_point_for_so_many_records_and_one_for_the_rest(writers: list[Writer]) -> None:
    rollout("chain_sum", half, n=33, group_size=3, saving=Saving(logger="tensorboard:some/folder"))
    (writer,) = writers
    assert (writer.folder, writer.is_closed) == ("some/folder", True)
    points = {(name.rpartition("/")[2], step): value for name, value, step in writer.points}
    assert {step for _, step in points} == {64, 99}
    assert {name.rpartition("/")[0] for name, _, _ in writer.points} == {"chain_sum/half"}
    mean = (64 * points["pass_rate", 64] + 35 * points["pass_rate", 99]) / 99
    assert mean == pytest.approx(1 / 3)
    formed = (64 * points["format_rate", 64] + 35 * points["format_rate", 99]) / 99
    assert formed == pytest.approx(2 / 3)
    assert points["completion_tokens", 99] == 4
    assert points["errors", 99] == 0


@pytest.mark.parametrize("active", [False, True])
def test_a_run_of_weights_and_biases_is_used_or_made(active: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class Run:
        def log(self, values: dict[str, float]) -> None:
            calls.append(values)

        def finish(self) -> None:
            calls.append("finish")

    def init(**given: Any) -> Run:
        calls.append(given)
        return Run()

    module = types.ModuleType("wandb")
    vars(module).update(run=Run() if active else None, init=init)
    monkeypatch.setitem(sys.modules, "wandb", module)
    rollout("chain_sum", "noisy:0.5", n=4, group_size=2, saving=Saving(logger="wandb:mine"))
    logged = calls[0] if active else calls[1]
    assert logged["reasonenv/records"] == 8
    assert "chain_sum/noisy:0.5/pass_rate" in logged
    assert ({"project": "mine"} in calls, "finish" in calls) == (not active, not active)


def test_loggers_are_named_on_the_command_line_and_in_run_files(
    tmp_path: Path, writers: list[Writer]
) -> None:
    out = tmp_path / "all.jsonl"
    ok("eval", "chain_sum", "--policy", "oracle", "-n", 5, "--log", f"jsonl:{out}")
    assert len(out.read_text().splitlines()) == 5
    file = tmp_path / "run.json"
    logger = {"name": "tensorboard", "folder": "curves", "every": 2}
    file.write_text(json.dumps({"generator": "chain_sum", "policy": "oracle", "n": 2, "logger": logger}))
    ok("run", file, "--run", tmp_path / "run")
    assert writers[0].folder == "curves"
    assert writers[0].is_closed


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tensorbord", "did you mean|unknown logger|no logger"),
        ("print:x", "`print` takes nothing"),
        ("jsonl", "must name a file"),
        ("wandb", r"install reasonenv\[wandb\]"),
        ("tensorboard", r"install reasonenv\[tensorboard\]"),
    ],
)
def test_bad_names_and_missing_extras_are_told(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("wandb", "tensorboard", "tensorboard.summary"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ReasonEnvError, match=said):
        rollout("chain_sum", "oracle", n=1, saving=Saving(logger=name))
    assert call("eval", "chain_sum", "--policy", "oracle", "--log", name).exit_code != 0
