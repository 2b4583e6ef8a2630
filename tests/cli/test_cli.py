import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kinds
import pytest
import reasonenv
import typer
from cli_calls import call, mistake, ok, write
from reasonenv._cli import app, bench_verifiers
from reasonenv.rollouts._policies import Noisy, oracle
from typer.testing import CliRunner

FAMILIES = reasonenv.list_families()
FIRST = FAMILIES[0]
SOME = [name for name in kinds.FAMILIES if name in FAMILIES]
LONG = ["longest_increasing_subsequence", "polynomial_multiplication"]
"""Families with the longest names."""
Asked = tuple[Path, list[reasonenv.Task]]
"""A file of tasks, and the tasks."""


@pytest.fixture
def tasks(tmp_path: Path) -> Asked:
    path = tmp_path / "tasks.jsonl"
    call("generate", *SOME, "-n", 4, "--level", 1, "--out", path)
    return path, [reasonenv.Task.from_json(line) for line in path.read_text().splitlines()]


def test_families_lists_all_of_them() -> None:
    shown = ok("families")
    assert all(name in shown for name in FAMILIES)
    facts = json.loads(ok("families", "--json"))
    assert [family["name"] for family in facts] == FAMILIES
    assert facts[0]["params_schema"] == reasonenv.family(FIRST).params_schema


@pytest.mark.parametrize("columns", ["60", "80", "120", "200"])
def test_families_take_a_line_each_and_can_be_filtered(columns: str) -> None:
    assert len(ok("families", COLUMNS=columns).splitlines()) <= len(FAMILIES) + 5
    listed = json.loads(ok("families", "Backtracking", "--domain", "puzzles", "--json"))
    assert listed
    assert all(one["domain"] == "puzzles" and "backtracking" in str(one).lower() for one in listed)
    shown = ok("families", "knight", COLUMNS=columns)
    assert "knights_and_knaves" in shown
    assert FIRST not in shown


@pytest.mark.parametrize("command", [[], ["dataset"], ["benchmark"]])
def test_a_group_without_a_command_shows_its_help(command: list[str]) -> None:
    assert "Commands" in ok(*command)


def test_levels_that_a_family_does_not_have_are_left_out_and_told() -> None:
    top = {name: reasonenv.family(name).top_level for name in ("letter_counting", "sudoku")}
    assert top["letter_counting"] < top["sudoku"]
    asked = ("letter_counting", "sudoku", "-n", 1, "--level", f"{top['letter_counting']}-{top['sudoku']}")
    for command in (("generate",), ("eval", "--policy", "oracle", "--json")):
        done = call(*command, *asked)
        assert done.exit_code == 0
        assert "left out: letter_counting 0-" in done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {row["level"] for row in rows if row["source"] == "letter_counting"} == {top["letter_counting"]}
    assert max(row["level"] for row in rows) == top["sudoku"]


def test_show_takes_several_levels() -> None:
    shown = json.loads(ok("show", FIRST, "--level", "0-2", "-n", 2, "--json"))
    assert [task["level"] for task in shown] == [0, 0, 1, 1, 2, 2]


def test_show_prints_items_to_the_letter(family: str) -> None:
    task = reasonenv.family(family).sample(seed=5, index=7, level=2, split="eval")
    ask = ("show", family, "--level", 2, "--seed", 5, "--index", 7, "--split", "eval")
    shown = ok(*ask)
    assert task.id in shown
    assert task.prompt in shown
    assert task.solution.answer in shown
    assert all(step in shown for step in task.solution.steps)
    assert task.solution.steps[-1] not in ok(*ask, "--no-solution").replace(task.prompt, "")
    assert [reasonenv.Task.from_json(json.dumps(record)) for record in json.loads(ok(*ask, "--json"))] == [
        task
    ]
    wrong = task.wrong_answers(seed=5)[0]
    told = ok(*ask, "--wrong", 1)
    assert task.wrap(wrong) in told
    assert task.verify(task.wrap(wrong)).failures[0] in told


def test_show_takes_no_text_for_markup() -> None:
    shown = ok("show", FIRST, "--wrapper", "[bold]{prompt}[/bold] :smile: [red]")
    assert (
        f"[bold]{reasonenv.family(FIRST).sample(style={'wrapper': 'bare'}).prompt}[/bold] :smile: [red]"
        in shown
    )


def test_generate_writes_the_same_records_wherever_it_starts() -> None:
    whole = ok("generate", *SOME, "-n", 6, "--level", "0,2", "--split", "test", "--seed", 3).splitlines()
    tasks = [reasonenv.Task.from_json(line) for line in whole]
    assert tasks == [
        reasonenv.family(name).sample(seed=3, index=index, level=level, split="test")
        for name in SOME
        for level in (0, 2)
        for index in range(6)
    ]
    ask = ("generate", SOME[0], "--level", 2, "--split", "test", "--seed", 3)
    halves = ok(*ask, "-n", 2) + ok(*ask, "-n", 4, "--start", 2)
    assert halves.splitlines() == whole[6:12]


def test_generate_writes_more_than_a_chunk(tmp_path: Path) -> None:
    out = tmp_path / "many.jsonl"
    assert call("generate", FIRST, "-n", 2500, "--out", out).stdout == ""
    ids = [json.loads(line)["task_id"] for line in out.read_text().splitlines()]
    assert ids == reasonenv.family(FIRST).batch(count=2500).ids
    assert list(tmp_path.iterdir()) == [out]


def test_generate_takes_params_and_wording() -> None:
    family = reasonenv.family(FIRST)
    name, value = next((n, v) for n, v in family.level_params(3).items() if v != family.level_params(0)[n])
    template = family.templates[1]
    line = ok("generate", FIRST, "-n", 1, "--param", f"{name}={json.dumps(value)}", "--template", template)
    record = json.loads(line)
    assert record["params"][name] == value
    assert record["style"]["template"] == template


def test_verify_counts_passes_by_family(tasks: Asked, tmp_path: Path) -> None:
    path, asked = tasks
    answers = [
        {"task_id": task.id, name: text}
        for rollout, name in enumerate(["text", "completion"])
        for task, text in zip(asked, Noisy(0.5)(asked, rollout), strict=True)
    ]
    right = [asked[i % len(asked)].verify(a.get("text") or a["completion"]) for i, a in enumerate(answers)]
    out = tmp_path / "verdicts.jsonl"
    summary = json.loads(ok("verify", path, write(tmp_path / "a.jsonl", *answers), "--out", out, "--json"))
    assert summary["unanswered"] == 0
    for name, facts in summary["families"].items():
        mine = [v for a, v in zip(answers, right, strict=True) if a["task_id"].startswith(f"{name}/")]
        assert (facts["tasks"], facts["answers"]) == (4, 8)
        assert facts["passed"] == sum(v.passed for v in mine)
        assert facts["mean_score"] == pytest.approx(sum(v.score for v in mine) / 8)
        assert facts["interval"][0] <= facts["pass_rate"] <= facts["interval"][1]
        assert sum(facts["failures"].values()) == sum(len(v.failures) for v in mine)
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [v["task_id"] for v in verdicts] == [a["task_id"] for a in answers]
    assert [(v["passed"], v["failures"], v["detail"], v["answer"], v["parts"]) for v in verdicts] == [
        (v.passed, list(v.failures), v.detail, v.answer, v.parts) for v in right
    ]


@pytest.mark.parametrize("form", ["lines", "list", "stdin", "objects in a list"])
def test_verify_takes_plain_answers_in_order(tasks: Asked, tmp_path: Path, form: str) -> None:
    path, asked = tasks
    texts: list[Any] = oracle(asked)
    if form == "objects in a list":
        texts = [{"task_id": task.id, "text": text} for task, text in zip(asked, texts, strict=True)][::-1]
    lines = write(tmp_path / "a.jsonl", *([texts] if "list" in form else texts))
    given, typed = ("-", lines.read_text()) if form == "stdin" else (lines, None)
    shown = ok("verify", path, given, "--json", input=typed)
    assert {facts["pass_rate"] for facts in json.loads(shown)["families"].values()} == {1.0}


def test_verify_exits_well_though_all_answers_fail(tasks: Asked) -> None:
    path, asked = tasks
    shown = ok("verify", path, "-", input=json.dumps({"task_id": asked[0].id, "text": ""}))
    assert "no_answer" in shown
    assert f"{len(asked) - 1} of {len(asked)} tasks have no answer" in shown
    verdicts = call("verify", path, "-", "--out", "-", input="\n".join(['"x"'] * len(asked)))
    assert [json.loads(line)["passed"] for line in verdicts.stdout.splitlines()] == [False] * len(asked)
    assert "pass %" in verdicts.stderr


def test_verify_judges_the_traces_of_a_run(tasks: Asked, tmp_path: Path) -> None:
    path, _ = tasks
    ok(
        "eval",
        *SOME,
        "--policy",
        "oracle",
        "-n",
        4,
        "--level",
        1,
        "--split",
        "train",
        "--run",
        "r",
        "--runs",
        tmp_path,
    )
    summary = json.loads(ok("verify", path, tmp_path / "r/traces.jsonl", "--json"))
    assert {facts["pass_rate"] for facts in summary["families"].values()} == {1.0}


def test_bad_files_are_answered_with_one_line(tasks: Asked, tmp_path: Path) -> None:
    path, asked = tasks
    assert "no.jsonl: no such file" in mistake("verify", tmp_path / "no.jsonl", "-")
    assert "stdin, line 2: not JSON" in mistake("verify", path, "-", input='"x"\n{"task_id"')
    assert "stdin, line 1: no task has the task_id `me`" in mistake(
        "verify", path, "-", input='{"task_id": "me", "text": ""}'
    )
    assert "line 1: must be an object with `task_id` and `text`" in mistake(
        "verify", path, "-", input='{"task_id": "me"}'
    )
    assert f"stdin holds 1 plain strings for {len(asked)} tasks" in mistake("verify", path, "-", input='"x"')
    assert "only one of them can be stdin" in mistake("verify", "-", "-")
    twice = write(tmp_path / "twice.jsonl", asked[0].to_dict(), asked[0].to_dict())
    assert "line 2: the task_id" in mistake("verify", twice, "-", input="")
    broken = write(tmp_path / "broken.jsonl", asked[0].to_dict() | {"problem": "{}"})
    assert "broken.jsonl, line 1: " in mistake("verify", broken, "-", input="")
    (tmp_path / "latin.jsonl").write_bytes(b'"\xe4"\n')
    assert "latin.jsonl, line 1: not UTF-8 text" in mistake("verify", path, tmp_path / "latin.jsonl")
    assert "holds no tasks" in mistake("verify", write(tmp_path / "empty.jsonl"), "-", input="")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["show", "nothing"], "no family `nothing`"),
        (["generate", FIRST, "nothing"], "no family `nothing`"),
        (["generate", FIRST, "--out", "/nowhere/x.jsonl"], "/nowhere/x.jsonl: there is no folder /nowhere"),
        (["generate", FIRST, "--split", "trian"], "did you mean `train`?"),
        (["generate", FIRST, "--level", "2-"], "`--level` is `2-`, but must be a level, or several"),
        (["generate", FIRST, "--level", "3-1"], "`--level` is `3-1`, which is empty"),
        (["generate", FIRST, "--level", "99"], "`--level` is `99`, but levels are between 0 and"),
        (
            ["show", "letter_counting", "--level", "10"],
            "`--level` is `10`, but letter_counting has levels 0 to",
        ),
        (["families", "nosuchword"], "no family has `nosuchword` in its facts; the domains are"),
        (["families", "--domain", "puzzle"], "no domain `puzzle`; did you mean `puzzles`?"),
        (["eval", FIRST], "`--policy` is missing; name one, such as"),
        (["eval", "tic_tac_toe"], "`reasonenv arena tic_tac_toe POLICY…` plays policies against each other"),
        (["generate", FIRST, "--level", "0-999999999999"], "`--level` is `0-999999999999`, but levels are"),
        (["generate", FIRST, "--level", "9" * 5000], "but levels are between 0 and"),
        (["generate", FIRST, "--seed", str(2**64)], "`--seed` is 18446744073709551616, but must be"),
        (["generate", FIRST, "--param", "x"], "`--param` is `x`, but must be NAME=VALUE"),
        (["generate", FIRST, "--param", "no_such=1"], "no_such"),
        (["generate", FIRST, "--template", "no such"], "no template `no such`"),
        (["eval", FIRST, "--policy", "orcale"], "did you mean `oracle`?"),
        (["eval", FIRST, "--policy", "noisy:2"], "P is `2`, but must be a number between 0 and 1"),
        (["eval", FIRST, "--policy", "oracle", "--reward", "corect"], "did you mean `correct`?"),
        (["eval", FIRST, "--policy", "oracle", "--reading", "lax"], "no reading `lax`; there are"),
        (["bench", "nothing"], "no family `nothing`"),
    ],
)
def test_mistakes_are_answered_with_one_line(args: list[str], message: str) -> None:
    assert message in mistake(*args)


def test_eval_shows_a_line_for_each_policy_and_logs_a_run(tmp_path: Path) -> None:
    ask = ["eval", "all", "--policy", "oracle", "--policy", "noisy:0.5", "-n", 2]
    ask += ["--group-size", 4, "--level", "0-1"]
    shown = ok(*ask, "--run", "r", "--runs", tmp_path)
    assert all(name in shown for name in [*FAMILIES, "oracle", "noisy:0.5", "pass@4", "Failures by label"])
    assert str(tmp_path / "r") in shown.replace("\n", "")
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    assert len(summary["rows"]) == len(FAMILIES) * 2 * 2
    assert len((tmp_path / "r/traces.jsonl").read_text().splitlines()) == len(FAMILIES) * 2 * 2 * 8
    assert "finished before" in ok(*ask, "--run", "r", "--runs", tmp_path)
    assert json.loads(ok(*ask, "--run", "r", "--runs", tmp_path, "--json")) == summary
    differs = mistake("eval", *ask[1:8], "--run", "r", "--runs", tmp_path)
    assert "`group_size` is 4 there and 1 here" in differs
    ok("eval", FIRST, "--policy", "oracle", "-n", 2, "--run", "r", "--runs", tmp_path, "--overwrite")
    assert len((tmp_path / "r/traces.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("columns", ["50", "80", "120"])
def test_comparisons_cut_no_name(columns: str, tmp_path: Path) -> None:
    for run, policy in (("a", "noisy:0.3"), ("b", "noisy:0.6")):
        ok("eval", *LONG, "--policy", policy, "-n", 3, "--run", run, "--runs", tmp_path)
    shown = ok("compare", tmp_path / "a", tmp_path / "b", COLUMNS=columns)
    assert all(f"{name} " in shown for name in LONG)
    assert "…" not in shown
    assert max(map(len, shown.splitlines()[:4])) <= int(columns)


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_tables_fit_the_terminal(columns: int) -> None:
    ask = ["eval", *LONG, "--policy", "best-constant", "--policy", "noisy:0.3", "-n", 3]
    for more in ([], ["--group-size", 4], ["--group-size", 4, "--level", "0-1"]):
        shown = ok(*ask, *more, COLUMNS=str(columns))
        assert max(len(line.rstrip()) for line in shown.splitlines()) <= columns
        assert "…" not in shown
        if columns == 160:
            assert "verdicts/s" in shown
            assert ("flat %" in shown) == bool(more)


def test_only_a_terminal_gets_a_progress_bar_and_colour() -> None:
    ask = ("eval", FIRST, "-n", 2, "--policy", "oracle", "--policy", "empty")
    plain = call(*ask)
    assert plain.stderr == ""
    assert "\x1b[" not in plain.stdout
    forced = call(*ask, FORCE_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b[32m" in forced
    uncoloured = call(*ask, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b[32m" not in uncoloured
    assert "\x1b[31m" not in uncoloured


def test_bench_measures_each_family() -> None:
    rates = json.loads(ok("bench", *SOME, "--level", 0, "--seconds", 0.01, "--json"))
    assert [(facts["family"], facts["level"]) for facts in rates["rates"]] == [(name, 0) for name in SOME]
    assert all(facts[f"{what}_per_second"] > 0 for facts in rates["rates"] for what in ("items", "verdicts"))
    assert "one run on this machine" in ok("bench", FIRST, "--seconds", 0.01)


def test_bench_measures_each_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["exact_match", "difflib_ratio"]
    monkeypatch.setattr(reasonenv.verifiers, "list_verifiers", lambda: names)
    monkeypatch.setattr(bench_verifiers, "_COUNT", 50)
    measured = json.loads(ok("bench", "verifiers", "--seconds", 0.01, "--json"))["verifiers"]
    ours = [(facts["verifier"], facts["rows"]) for facts in measured if facts["by"] == "reasonenv"]
    assert ours == [(name, rows) for name in names for rows in ("plain", "hostile")]
    assert all(facts["max"] >= facts["p50"] > 0 for facts in measured if facts["judged"])
    peers = {facts["by"] for facts in measured} - {"reasonenv"}
    assert "difflib" in peers
    shown = ok("bench", "verifiers", "choice", "--seconds", 0.01)
    assert "hostile" in shown
    assert "memory" in shown
    assert "no verifier `chioce`" in mistake("bench", "verifiers", "chioce")


def test_ctrl_c_ends_a_run_cleanly_and_the_run_goes_on(tmp_path: Path) -> None:
    ask = ["eval", FIRST, "--policy", "noisy:0.5", "-n", "3000", "--batch-size", "32", "--run", "r"]
    command = [sys.executable, "-m", "reasonenv", *ask, "--runs", str(tmp_path)]
    traces = tmp_path / "r/traces.jsonl"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (traces.exists() and traces.stat().st_size):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "run the same command to resume" in err
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not (tmp_path / "r/summary.json").exists()
    kept = traces.read_bytes()
    assert 0 < kept.count(b"\n") < 3000
    ok(*ask, "--runs", tmp_path)
    assert traces.read_bytes().startswith(kept)
    assert traces.read_bytes().count(b"\n") == 3000


def test_the_package_itself_does_not_import_the_command_lines_libraries() -> None:
    code = "import sys, reasonenv; print(sorted({'typer', 'rich', 'click'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_python_dash_m_is_the_command_line() -> None:
    command = [sys.executable, "-m", "reasonenv", "--version"]
    assert subprocess.check_output(command, text=True) == f"reasonenv {reasonenv.__version__}\n"


GAMES = reasonenv.list_games()


def test_games_lists_all_of_them() -> None:
    shown = ok("games")
    assert all(name in shown for name in GAMES)
    facts = json.loads(ok("games", "--json"))
    assert [game["name"] for game in facts] == GAMES
    assert facts[0]["params_schema"] == reasonenv.game(GAMES[0]).params_schema
    assert all("random" in game["opponents"] for game in facts)


def test_any_game_can_be_played_to_its_end(game: str) -> None:
    unit = reasonenv.game(game)
    opponent, state, said = unit.opponent("random"), unit.start(4), []
    while (player := state.current_player) is not None:
        action = opponent(state)
        if player == 0:
            said.append(state.action_name(action))
        state.apply(action)
    ask = ("play", game, "--opponent", "random", "--seat", "first", "--seed", 4)
    shown = ok(*ask, input="".join(f"{move}\n" for move in said))
    assert unit.rules in shown
    assert state.text(0) in shown
    got = (state.returns or [0])[0]
    assert ("You won." if got > 0 else "You lost." if got < 0 else "It is a draw.") in shown
    unfinished = ok(*ask, input="hint\nmoves\nnonsense?\nundo\nquit\n")
    assert "That is not a move" in unfinished
    assert "You have no move to take back." in unfinished
    assert "The game is left unfinished." in unfinished
    assert "worth" in unfinished or "No hint: " in unfinished
    first = unit.start(4)
    assert all(first.action_name(action) in unfinished for action in first.legal_actions())


def test_a_game_with_stakes_says_what_was_at_stake() -> None:
    ask = ("play", "kuhn_poker", "--seat", "first", "--seed", 4, "--opponent", "random")
    shown = ok(*ask, input="help\nrules\nbet\nbet\n")
    assert "Kuhn poker" in shown.splitlines()[0]
    assert "Played for stakes: chips won or lost." in shown
    assert shown.count(reasonenv.game("kuhn_poker").rules) == 2, "at the start, and when they are asked for"
    assert "  undo   take your last move back" in shown
    state = reasonenv.game("kuhn_poker").start(4)
    assert state.text(0) in shown
    assert "Opponent's card: hidden" in shown
    assert "You got +" in shown or "You got -" in shown
    assert shown.splitlines()[-1].endswith(": chips won or lost.")
    variant = ok("play", "tic_tac_toe", "-p", "rows=4", "--seed", 1, input="quit\n")
    assert variant.startswith("Tic tac toe, rows=4\n")


def test_hints_are_exact_and_moves_can_be_taken_back() -> None:
    ask = ("play", "tic_tac_toe", "--seat", "first", "--seed", 1, "--opponent", "first_best")
    shown = ok(*ask, input="0\n0\nundo\n4\nhint\n")
    assert "0 is not legal here; one of" in shown
    boards = shown.split("move> ")
    assert boards[0].endswith("0 | 1 | 2\n---------\n3 | 4 | 5\n---------\n6 | 7 | 8\n\n")
    assert boards[3].startswith("0 | 1 | 2")  # as before the first move
    assert "X | 1 | 2" not in boards[4]
    state = reasonenv.game("tic_tac_toe").start(1)
    state.apply(4)
    state.apply(state.best_actions()[0])
    (table,) = (part for part in boards if part.startswith("move "))
    lines = [line.split() for line in table.splitlines()[2:] if line.strip()]
    assert [line[0] for line in lines if line[0].isdecimal()] == [
        str(action) for action in state.legal_actions()
    ]
    marked = [int(line[0]) for line in lines if line[-1] == "best"]
    assert marked == state.best_actions()
    assert "draw" in ok(*ask, "--hints", input="quit\n")
    deep = ok("play", "tic_tac_toe", "-p", "rows=7", "-p", "columns=8", "-p", "line=5", "-o", "heuristic",
              "--seat", "first", "--seed", 1, input="hint\n")  # fmt: skip
    assert "No hint: " in deep


def test_the_seat_follows_from_the_seed() -> None:
    shown = [ok("play", "tic_tac_toe", "--seed", seed, input="") for seed in range(9)]
    assert any("You move first" in text for text in shown)
    assert any("You move second" in text for text in shown)
    assert "You move second" in ok("play", "tic_tac_toe", "--seat", "second", input="")
    errs = ok("play", "tic_tac_toe", "--random-move-prob", 0.2, input="quit\n")
    assert "minimax, 20 % of its moves at random" in errs


def test_arena_rates_policies() -> None:
    ask = ("arena", "tic_tac_toe", "random", "minimax:0.2", "heuristic", "--games", 10, "--seed", 3)
    shown = ok(*ask)
    assert all(name in shown for name in ("random", "minimax:0.2", "heuristic", "Elo", "moving first"))
    table = json.loads(ok(*ask, "--json"))
    assert table == json.loads(ok(*ask, "--json"))
    assert len(table["pairings"]) == 3
    assert all(pair["wins"] + pair["draws"] + pair["losses"] == 10 for pair in table["pairings"])
    for name in GAMES:
        assert "random" in ok("arena", name, "--games", 2)


@pytest.mark.parametrize("columns", [80, 120])
def test_arena_prints_the_exact_table(columns: int) -> None:
    shown = ok("arena", "tic_tac_toe", "--calibrate", COLUMNS=str(columns))
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= columns
    assert "…" not in shown
    assert ("87.26/12.74/0.00" if columns == 120 else "87.3/12.7/0.0") in shown
    ask = ("arena", "tic_tac_toe", "--calibrate", "--random-move-prob", "0.45", "--json")
    ((column,), against) = (json.loads(ok(*ask))[key] for key in ("columns", "opponent"))
    assert (column["random_move_prob"], against) == (0.45, "minimax")
    assert column["policies"]["minimax"][0] == pytest.approx(0.5562, abs=5e-5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["play", "tictactow"], "did you mean `tic_tac_toe`?"),
        (["play", "tic_tac_toe", "--opponent", "minmax"], "did you mean `minimax`?"),
        (["play", "tic_tac_toe", "--opponent", "equilibrium"], "no equilibrium is known"),
        (["play", "tic_tac_toe", "-r", "2"], "`--random-move-prob` is 2, but must be between 0 and 1"),
        (["play", "tic_tac_toe", "-p", "row=4"], "did you mean `rows`?"),
        (["play", "tic_tac_toe", "--seed", str(2**64)], "`--seed` is 18446744073709551616, but must be"),
        (["arena", "tic_tac_toe", "random"], "a round robin takes at least 2"),
        (["arena", "tic_tac_toe", "random", "minmax"], "did you mean `minimax`?"),
        (["arena", "tic_tac_toe", "--games", "3"], "`games` is 3, but must be an even number"),
        (["arena", "tic_tac_toe", "random", "--calibrate"], "`POLICY` is `random`, but --calibrate"),
        (["arena", "tic_tac_toe", "--calibrate", "-r", "a"], "`--random-move-prob` is `a`, but must be"),
        (["arena", "tic_tac_toe", "--calibrate", "--max-positions", "2"], "tic_tac_toe"),
    ],
)
def test_mistakes_at_games_are_answered_with_one_line(args: list[str], message: str) -> None:
    assert message in mistake(*args)


DATASET = [f"dataset {name}" for name in ("build", "check", "export", "info", "merge")]


@pytest.mark.parametrize("command", ["", *sorted(typer.main.get_command(app).commands), *DATASET])  # type: ignore[attr-defined]
def test_help_says_types_in_words(command: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert re.findall(r"<(?:bool|str|int|float|list)\b|x>=|<=x", done.output) == []


def test_shards_of_tasks_one_after_the_other_are_the_whole(tmp_path: Path) -> None:
    ask = ["generate", "chain_sum", "tsp", "-n", "3", "--level", "0-1", "--start", "3"]
    ok(*ask, "--out", tmp_path / "whole")
    for of in (1, 3, 14):
        for at in range(of):
            ok(*ask, "--shard", f"{at}/{of}", "--out", tmp_path / f"{at}-{of}")
        parts = b"".join((tmp_path / f"{at}-{of}").read_bytes() for at in range(of))
        assert parts == (tmp_path / "whole").read_bytes()
    for shard in ("3/3", "1", "a/b", "-1/3", "0/0"):
        assert "shard" in mistake(*ask, "--shard", shard)
