"""`reasonenv judge`: verification of rows in files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from cli_calls import call, mistake, ok, write
from pyarrow import parquet

NUMBER = ("--verifier", "number_equal")
ROWS = [
    {"id": "a", "completion": "<answer>4</answer>", "answer": "4"},
    {"id": "b", "completion": "<answer>5</answer>", "answer": 4},
    {"id": 7, "completion": "four", "answer": 4.0},
    {"completion": "<answer>4.5</answer>", "answer": 4.5},
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write(tmp_path / "rows.jsonl", *ROWS)


def test_rows_of_synthetic2_need_no_names_of_columns(tmp_path: Path) -> None:
    info = json.dumps({"func_name": "validate_no_commas", "N": None})
    row = {"task_type": "ifeval", "verification_info": info, "completion": "<think>a, b</think>a b"}
    path = write(tmp_path / "rows.jsonl", row, row | {"completion": "a, b"})
    for named in (("--config", "synthetic2"), ("--verifier", "synthetic2")):
        facts = json.loads(ok("judge", path, *named, "--json"))
        assert (facts["rows"], facts["passed"]) == (2, 1)
    write(path, row, row | {"task_type": "no_verification"})
    assert "line 2: `task_type`, `verification_info` is" in mistake("judge", path, "--config", "synthetic2")


def test_rows_are_judged_and_counted(rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    shown = ok("judge", rows, *NUMBER, "--out", out)
    assert "wrong_answer" in shown
    assert "line 2: `5` is not `4`" in " ".join(shown.split())
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["id"], row["passed"]) for row in verdicts] == [
        ("a", True),
        ("b", False),
        (7, False),
        (4, True),
    ]
    assert list(verdicts[0]) == [
        "id",
        "passed",
        "score",
        "parts",
        "failures",
        "detail",
        "answer",
        "respelled",
    ]
    summary = json.loads(ok("judge", rows, *NUMBER, "--json"))
    assert (summary["rows"], summary["passed"], summary["pass_rate"]) == (4, 2, 0.5)
    assert summary["failures"] == {"wrong_answer": 1, "no_answer": 1, "missing_or_broken_tags": 1} or (
        summary["failures"]["wrong_answer"] == 1
    )
    assert 0.1 < summary["interval"][0] < 0.5 < summary["interval"][1] < 0.9
    assert summary["verifier"]["verifier"] == "number_equal"


def test_stdin_and_stdout_are_files_too(rows: Path) -> None:
    result = call("judge", "-", *NUMBER, "--out", "-", input=rows.read_text() + "\n\n")
    assert [json.loads(line)["passed"] for line in result.stdout.splitlines()] == [True, False, False, True]
    assert "pass %" in result.stderr


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_list_is_judged_like_lines(rows: Path, indent: int | None, tmp_path: Path) -> None:
    listed = tmp_path / "rows.json"
    listed.write_text(json.dumps(ROWS, indent=indent))
    assert ok("judge", listed, *NUMBER, "--json") == ok("judge", rows, *NUMBER, "--json").replace(
        f"{rows}, line", f"{listed}, item"
    )
    listed.write_text(json.dumps([*ROWS, 3]))
    assert "item 5: 3, but each item must be one object" in mistake("judge", listed, *NUMBER)


@pytest.mark.parametrize(
    ("verifier", "row", "options"),
    [
        ("choice", {"completion": r"\boxed{B}", "answer": "B"}, ["--option", "extract=boxed"]),
        ("number_equal", {"out": "4 km", "gold": 4}, ["--option", 'units=["km"]', "--option", "tag=null"]),
        ("exact_match", {"out": [{"role": "user", "content": "?"}, {"content": "x"}], "gold": "x"}, []),
        ("number_equal", {"out": "1e400", "m": {"gold": "<1e400>"}}, []),
        ("json_equal", {"out": '{"a": [1]}', "gold": {"a": [1.0]}}, []),
        ("list_equal", {"out": "1, b", "gold": [1, "b"]}, []),
        ("text_f1", {"out": "The Nile", "gold": {"text": ["x", "Nile"]}}, ["--accepted"]),
        ("length", {"out": "x"}, ["--no-reference"]),
    ],
)
def test_columns_and_options_are_named(
    tmp_path: Path, verifier: str, row: dict[str, Any], options: list[str]
) -> None:
    columns = ["--completion", "out", "--reference", "gold", "--option", "tag=null"] if "out" in row else []
    line = json.dumps(row)
    if "m" in row:
        columns[3] = "m.gold"
        line = line.replace('"<1e400>"', "1e400")
    if isinstance(row.get("gold"), dict) and "text" in row["gold"]:
        columns[3] = "gold.text"
    (tmp_path / "r.jsonl").write_text(line)
    summary = json.loads(
        ok("judge", tmp_path / "r.jsonl", "--verifier", verifier, *columns, *options, "--json")
    )
    assert summary["pass_rate"] == 1


def test_a_judge_comes_from_a_file(rows: Path, tmp_path: Path) -> None:
    config = write(
        tmp_path / "judge.json",
        {
            "verifier": "any_of",
            "judges": [{"verifier": "number_equal"}, {"verifier": "exact_match", "tag": None}],
        },
    )
    assert json.loads(ok("judge", rows, "--config", config, "--json"))["passed"] == 2
    near = write(tmp_path / "near.json", {"verifier": "number_equal"})
    assert json.loads(ok("judge", rows, "--config", near, "--option", "tolerance=1", "--json"))["passed"] == 3


def test_too_few_passes_fail_a_pipeline(rows: Path) -> None:
    assert call("judge", rows, *NUMBER, "--fail-under", 0.5).exit_code == 0
    result = call("judge", rows, *NUMBER, "--fail-under", 0.51)
    assert result.exit_code == 1
    assert "2 of 4 rows passed, less than --fail-under 0.51" in result.stderr
    assert call("judge", rows, *NUMBER, "--fail-under", 1.5).exit_code == 2


@pytest.mark.parametrize(
    ("lines", "args", "message"),
    [
        ("", NUMBER, "rows.jsonl holds no rows"),
        ("\n \n", NUMBER, "rows.jsonl holds no rows"),
        ('{"completion": "4", "answer": 4}\n{"completion', NUMBER, "line 2: not JSON"),
        ("[" * 100_000, NUMBER, "line 1: not JSON"),
        ('"x"', NUMBER, "line 1: 'x', but each line must be one object"),
        ('{"completion": "4"}', NUMBER, "line 1: there is no column `answer`; there are `completion`"),
        ('{"answer": "4"}', NUMBER, "there is no column `completion`"),
        ("{}", NUMBER, "there is no column `completion`; there are no columns"),
        ('{"completion": 4, "answer": 4}', NUMBER, "`completion` is 4, but must be text, or chat messages"),
        ('{"completion": "4", "answer": null}', NUMBER, "`answer` is empty"),
        (
            '{"completion": "4", "answer": 1}\n{"completion": "4", "answer": "x"}',
            NUMBER,
            "line 2: number_equal: `answer` is `x`",
        ),
        ('{"completion": "4", "answer": 4}', (*NUMBER, "--accepted"), "`--accepted` takes lists of answers"),
        ('{"completion": "4", "answer": []}', (*NUMBER, "--accepted"), "`--accepted` takes lists of answers"),
        (
            '{"completion": "4", "answer": ["4", "x"]}',
            (*NUMBER, "--accepted"),
            "line 1: number_equal: `answer` is `x`",
        ),
        ('{"completion": "4", "answer": 4}', (*NUMBER, "--id", "name"), "there is no column `name`"),
        ('{"completion": "4", "answer": 4}', ("--verifier", "nubmer_equal"), "no verifier `nubmer_equal`"),
        ('{"completion": "4", "answer": 4}', (), "no verifier is named; give `--format NAME`"),
        (
            '{"completion": "4", "answer": 4}',
            (*NUMBER, "--option", "x"),
            "`--option` is `x`, but must be NAME=VALUE",
        ),
        (
            '{"completion": "4", "answer": 4}',
            (*NUMBER, "--option", "tolerence=1"),
            "did you mean `tolerance`?",
        ),
        ('{"completion": "4", "answer": 4}', (*NUMBER, "--accepted", "--no-reference"), "drop one"),
        (
            '{"completion": "4", "answer": 4}',
            ("--config", "/nowhere/x.json"),
            "/nowhere/x.json: no such file",
        ),
    ],
)
def test_broken_rows_are_named(tmp_path: Path, lines: str, args: tuple[str, ...], message: str) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text(lines)
    assert message in mistake("judge", path, *args, "--out", out)
    assert not out.exists()


def test_a_broken_config_is_named(rows: Path, tmp_path: Path) -> None:
    config = tmp_path / "judge.json"
    for text, message in [
        ("{", "judge.json: not JSON"),
        ("[]", "judge.json: must be one object"),
        ("{}", "no verifier is named"),
        ('{"verifier": "choice"}', "`--verifier` is number_equal, but"),
    ]:
        config.write_text(text)
        args = NUMBER if "choice" in text else ()
        assert message in mistake("judge", rows, "--config", config, *args)
    assert "which is `ROWS` too and would be lost" in mistake("judge", rows, *NUMBER, "--out", rows)
    (tmp_path / "latin.jsonl").write_bytes(b'{"completion": "\xe4"}\n')
    assert "latin.jsonl, line 1: not UTF-8 text" in mistake("judge", tmp_path / "latin.jsonl", *NUMBER)


def test_rows_of_parquet_are_judged(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "other": ["x"] * 5000,
            "completion": [f"<answer>{n % 4}</answer>" for n in range(5000)],
            "gold": [{"answer": n % 2} for n in range(5000)],
        }
    )
    parquet.write_table(table, tmp_path / "rows.parquet")
    ask = ("judge", tmp_path / "rows.parquet", *NUMBER, "--reference")
    summary = json.loads(ok(*ask, "gold.answer", "--json"))
    assert (summary["rows"], summary["pass_rate"]) == (5000, 0.5)
    assert summary["first_failures"]["wrong_answer"]["row"].endswith("rows.parquet, row 3")
    assert "row 1: there is no column `answer`; there are" in mistake(*ask, "answer")
    (tmp_path / "no.parquet").write_text("x" * 100)
    assert "no.parquet: not Parquet" in mistake("judge", tmp_path / "no.parquet", *NUMBER)


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'reasonenv[parquet]'" in mistake("judge", tmp_path / "rows.parquet", *NUMBER)


def peak(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_does_not_grow_with_rows(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reasonenv", "judge", "-", *NUMBER, "--out", str(tmp_path / "out.jsonl")]
    peaks = []
    for count in (5_000, 50_000):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            assert process.stdin is not None
            line = json.dumps({"completion": "so " * 20 + "<answer>4</answer>", "answer": 4}).encode() + b"\n"
            for _ in range(count // 1000):
                process.stdin.write(line * 1000)
            process.stdin.flush()
            peaks.append(peak(process.pid))
            process.stdin.close()
            assert process.wait(60) == 0
    assert peaks[1] < peaks[0] + 10_000, peaks


def test_ctrl_c_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("before\n")
    command = [sys.executable, "-m", "reasonenv", "judge", "-", *NUMBER, "--out", str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(b'{"completion": "4", "answer": 4}\n' * 50_000)
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while len(os.listdir(tmp_path)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert shown == b""
    assert b"interrupted" in told
    assert b"Traceback" not in told
    assert (os.listdir(tmp_path), out.read_text()) == (["out.jsonl"], "before\n")


def test_a_null_row_is_judged_and_ends_nothing(tmp_path: Path) -> None:
    said: list[Any] = [r"\boxed{5}", None, [{"role": "assistant", "content": None}]]
    said += [[{"role": "assistant", "content": [{"type": "text", "text": r"\boxed{5}"}]}]]
    said += [[{"role": "assistant", "content": r"\boxed{5}"}, {"role": "tool", "content": "x"}]]
    said += [[{"role": "assistant", "content": [{"type": "thinking", "text": r"\boxed{5}"}]}]]
    rows = write(tmp_path / "rows.jsonl", *({"completion": one, "answer": "5"} for one in said))
    told = json.loads(ok("judge", rows, "-v", "number_equal", "--option", "extract=boxed", "--json"))
    assert (told["rows"], told["passed"], told["failures"]) == (6, 3, {"no_answer": 3})
