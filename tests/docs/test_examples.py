"""The reproductions among the examples give what they say; test_docs.py runs all of them in full."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv.data import read_traces

EXAMPLES = Path(__file__).parents[2] / "examples"

TIC_TAC_TOE = """
random        43.65/12.70/43.65 17.60/13.23/69.18 4.43/12.89/82.67  0/12.74/87.26
first_legal   61.07/3.99/34.94  30.45/1.94/67.61  8.79/0.57/90.64   0/0/100
heuristic     79.76/16.53/3.70  45.99/33.80/20.21 14.59/47.18/38.23 0/53.02/46.98
minimax       87.26/12.74/0     55.62/44.38/0     18.98/81.02/0     0/100/0
best_response 96.35/3.28/0.37   64.83/35.17/0     23.05/76.95/0     0/100/0
"""
"""Win/draw/loss in percent against an optimal opponent that moves at random with p = 1, 0.45, 0.125, 0."""


def run(name: str, *arguments: object, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    return runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")


def cells(said: str, row: str) -> list[list[str]]:
    """The cells of the rows of a printed table that begin with a word."""
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines()]
    return [line[1:] for line in lines if line and line[0] == row]


def test_the_exact_table_of_tic_tac_toe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = run("tictactoe_course", "--games", 40, "--examples", 8, monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    expected = [line.split() for line in TIC_TAC_TOE.strip().splitlines()]
    for name, *known in expected:
        assert cells(said, name)[0] == known
        for chances, text in zip(names["exact_table"]()[name], known, strict=True):
            shares = [float(share) / 100 for share in text.split("/")]
            assert chances == pytest.approx(shares, abs=0.0051 / 100)
    # Over 40 games, no share is far from the exact one.
    played = [*cells(said, "random"), *cells(said, "optimal")]
    rows = [row for row in played if len(row) == 4 and row[0] in ("random", "heuristic", "minimax")]
    assert len(rows) == 6
    for _, measured, _, exact in rows:
        for share, chance in zip(measured.split("/"), exact.split("/"), strict=True):
            assert abs(float(share) - float(chance)) < 27


def test_reasonrls_tables_are_computed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = run("reasonrl_ascii_tree", "--items", 60, "--rollouts", 2, monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    by_row, by_problem = cells(said, "by row")[0], cells(said, "by problem_id")[0]
    assert int(by_row[2]) > 0
    assert by_problem[2] == "0"
    tasks = reasonenv.data.synthetic2_trees(
        {row["problem_id"]: row for row in names["generated"](240)}.values()
    )  # every row is of the data set's kind
    for stand_in in names["CHECKPOINTS"]:
        passed = reasonenv.Batch(tasks).verify(stand_in(tasks, 0)).passed.mean()
        assert passed == pytest.approx(1 - stand_in.errs, abs=0.1)
        strict = cells(said, stand_in.name)[0][2]
        assert float(strict.rstrip("%")) / 100 == pytest.approx(1 - stand_in.errs, abs=0.2)
    published = {label: cells(said, label)[0][1] for label in names["LABELS"]}
    assert published == {label: str(count) for label, count in names["LABELS"].items()}
    failed = int(cells(said, "failures")[0][0])
    outside = int(cells(said, "extra_text_outside_tags")[0][0])
    assert 0 < outside <= failed < 30
    assert 0.4 < float(cells(said, "mean similarity of failures")[0][0]) <= 1


def test_reasonrl_takes_rows_of_the_data_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = runpy.run_path(str(EXAMPLES / "reasonrl_ascii_tree.py"))["generated"](40)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ask = ("--rows", tmp_path / "rows.jsonl", "--items", 10, "--rollouts", 2)
    run("reasonrl_ascii_tree", *ask, monkeypatch=monkeypatch)
    assert cells(capsys.readouterr().out, "by problem_id")[0][2] == "0"


def test_warm_up_data_has_no_game_that_was_lost_or_malformed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "warmup.jsonl"
    run("sft_warmup_data", "--games", 60, "--out", out, monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    counts = {
        what: int(count) for count, what in re.findall(r"(\d+) (won|drawn|lost|malformed|cut off)", said)
    }
    assert sum(counts.values()) == 60
    assert counts["lost"] > 0
    assert counts["malformed"] > 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == counts["won"] + counts["drawn"]
    for row in rows:
        assert [message["role"] for message in row["messages"]] == ["user", "assistant"] * (
            len(row["messages"]) // 2
        )
        for asked, answer in zip(row["messages"][::2], row["messages"][1::2], strict=True):
            free = re.findall(r"Available positions: \[(.*)\]", asked["content"])[-1].split(", ")
            (move,) = re.findall(r"<move>(.*?)</move>", answer["content"])
            assert move in free


def test_rows_of_ones_own_become_a_run_and_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps({"q": f"{n} + 1?", "a": n + 1}) + "\n" for n in range(9)))
    ask = (mine, "--question", "q", "--answer", "a", "--items", 8, "--out", tmp_path / "out")
    run("own_rows", *ask, monkeypatch=monkeypatch)
    assert "9 tasks. The first one is\n\n0 + 1?" in capsys.readouterr().out
    traces = list(read_traces(tmp_path / "out" / "run"))
    assert len(traces) == 8 * 4
    assert {trace["task_id"].partition("-")[0] for trace in traces} == {f"rows/{at}" for at in range(8)}
    page = (tmp_path / "out" / "run" / "report.html").read_text()
    assert "stand-in" in page
    assert "32 rollouts of 8 tasks" in page


def test_the_wrapper_of_the_article_is_that_of_the_example() -> None:
    wrapper = runpy.run_path(str(EXAMPLES / "reasonrl_ascii_tree.py"))["WRAPPER"]
    bare = reasonenv.family("ascii_tree").sample(level=1)
    wrapped = reasonenv.family("ascii_tree").sample(level=1, style={"wrapper": "reasonrl"})
    assert wrapped.prompt == wrapper.format(prompt=bare.prompt)
    lines = wrapped.prompt.splitlines()
    assert lines[0] == "You are solving an ASCII tree formatting task."
    assert (lines[3], lines[-1]) == ("", "Answer:")
