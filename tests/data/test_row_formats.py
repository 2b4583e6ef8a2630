"""Rows of public benchmarks, each judged by one word, by the rules of the benchmark's own grader."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from cli_calls import mistake, ok, write
from reasonenv import data, verifiers
from reasonenv.errors import InvalidArgument, InvalidTask, UnknownName

HERE = Path(__file__).parent / "rows"
NUMBERED = {"text": ["x", "y"], "label": ["1", "2"]}
LETTERED = {"text": ["x", "y"], "label": ["A", "B"]}
PAIRS = '{"inputs": ["1\\n"], "outputs": ["2\\n"]}'
TABLE = "CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)"
FILES = sorted(path.stem for path in HERE.glob("*.jsonl"))


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as Spider has it."""
    folder = tmp_path_factory.mktemp("spider") / "database"
    (folder / "concerts").mkdir(parents=True)
    with sqlite3.connect(folder / "concerts" / "concerts.sqlite") as database:
        database.executescript((HERE / "concerts.sql").read_text(encoding="utf-8"))
    return folder


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def options(name: str, databases: Path) -> dict[str, Any]:
    return {"databases": str(databases)} if name == "spider" else {}


@pytest.mark.parametrize("name", FILES)
def test_one_word_judges_a_benchmarks_rows(name: str, databases: Path) -> None:
    given = [f"--option={key}={value}" for key, value in options(name, databases).items()]
    judged = ok("judge", HERE / f"{name}.jsonl", "--format", name, *given, "--out", "-")
    found = [json.loads(line)["passed"] for line in judged.splitlines()]
    wanted = [row["passes"] for row in lines(name)]
    assert found == [one for each in wanted for one in (each if isinstance(each, list) else [each])]
    assert {True, False} <= set(found)


@pytest.mark.parametrize("name", FILES)
def test_a_formats_tasks_pass_with_the_rows_own_solution(name: str, databases: Path) -> None:
    rows = reasonenv.from_rows(HERE / f"{name}.jsonl", format=name, verifier=options(name, databases) or None)
    assert rows.verify([row.wrap(row.solution) for row in rows]).passed.all()
    result = reasonenv.rollout(rows, "oracle", group_size=1)
    assert result.passed.all()
    assert len(result) == len(rows) == len({record.group_id for record in result})


def test_prompts_have_what_the_question_needs(databases: Path) -> None:
    def prompt(name: str) -> str:
        given = options(name, databases) or None
        return reasonenv.from_rows(HERE / f"{name}.jsonl", format=name, verifier=given)[0].prompt

    assert prompt("mmlu") == (
        "Which gas do plants take in for photosynthesis?\nA. Oxygen\nB. Nitrogen\nC. Carbon dioxide\n"
        'D. Helium\n\nEnd with "The answer is (X)", where X is the letter of the right choice.'
    )
    assert "assert top_product([1, 2, 3]) == 6" in prompt("mbpp")
    assert "CREATE TABLE singer" in prompt("spider")
    assert prompt("gsm8k").endswith("begins with ####.")


@pytest.mark.parametrize(
    ("name", "row", "right", "wrong"),
    [
        ("arc", {"question": "?", "choices": NUMBERED, "answerKey": "2"}, "B", "A"),
        ("openbookqa", {"question_stem": "?", "choices": LETTERED, "answerKey": "B"}, "(B)", "A"),
        ("mmlu_pro", {"question": "?", "options": list("vwxyz"), "answer": "E"}, "E", "D"),
        ("hellaswag", {"ctx": "She", "endings": ["sits.", "is blue."], "label": "0"}, "A", "B"),
        ("math", {"problem": "?", "solution": r"So $\boxed{\frac{1}{2}}$."}, r"\boxed{.5} yes", r"\boxed{2}"),
        ("aime", {"Problem": "?", "Answer": 73}, r"\boxed{073}", r"\boxed{37}"),
        ("apps", {"question": "?", "input_output": PAIRS}, "print(int(input()) + 1)", "print(1)"),
        ("bird", {"question": "?", "evidence": "", "SQL": "SELECT a FROM t", "schema": TABLE},
         "SELECT t.a FROM t", "SELECT 1"),
    ],
)  # fmt: skip
def test_other_formats(name: str, row: dict[str, Any], right: str, wrong: str) -> None:
    rows = reasonenv.from_rows([row, row], format=name)
    assert rows.verify([right, wrong]).passed.tolist() == [True, False]


def test_choices_may_come_with_their_row() -> None:
    judge = verifiers.choice(tag=None)
    row = {"answer": 1, "choices": ["Rome", "Paris"]}
    assert judge(["B", "Paris", "A", "1"], [row] * 4).passed.tolist() == [True, True, False, False]
    rows = reasonenv.from_rows([{"question": "?", **row}], answer=["answer", "choices"], verifier="choice")
    assert rows[0].verify("<answer>Paris</answer>").passed
    [(_, reason)] = judge.check([{"answer": 2, "choices": ["Rome", "Paris"]}])
    assert "a place from 0 to 1" in reason


def test_several_completions_a_row(tmp_path: Path) -> None:
    rows = write(
        tmp_path / "rows.jsonl",
        {"answer": "4", "completion": ["#### 4", "#### 5", "#### 5", "#### 5"]},
        {"answer": "6", "completion": ["#### 6", "#### 6", "#### 6", "#### 6"]},
    )
    found = json.loads(ok("judge", rows, "--format", "gsm8k", "--json"))
    assert (found["rows"], found["completions"], found["passed"]) == (2, 8, 5)
    assert found["pass_at"] == {"1": 0.625, "2": 0.75, "4": 1.0}
    assert "pass@4 %" in ok("judge", rows, "--format", "gsm8k")
    # Samples of one row on lines of their own, as HumanEval's script takes them.
    each = [
        {"id": row, "answer": "4", "completion": text}
        for row, texts in (("a", ["#### 4", "#### 5"]), ("b", ["#### 5", "#### 5"]))
        for text in texts
    ]
    found = json.loads(ok("judge", write(tmp_path / "lines.jsonl", *each), "--format", "gsm8k", "--json"))
    assert (found["rows"], found["completions"], found["pass_at"]) == (2, 4, {"1": 0.25, "2": 0.5})


def test_failures_of_form_are_told_from_wrong_answers(tmp_path: Path) -> None:
    right = r"The answer is \boxed{4}, as asked."
    rows = write(
        tmp_path / "rows.jsonl",
        *({"answer": "4", "completion": right} for _ in range(3)),
        *({"answer": "4", "completion": r"\boxed{4}"} for _ in range(9)),
    )
    told = ok("judge", rows, "--verifier", "math_equal", COLUMNS="80")
    assert "3 of 3 failures are of form; with --option reading=lenient, 12 of 12 pass" in told
    assert "of form" not in ok("judge", rows, "--verifier", "math_equal", "--option", "reading=lenient")
    wrong = write(tmp_path / "wrong.jsonl", {"answer": "4", "completion": r"\boxed{5}"})
    assert "of form" not in ok("judge", wrong, "--verifier", "math_equal")


def test_programs_that_could_not_run_count_in_no_rate(tmp_path: Path) -> None:
    fence = "```python\n{}\n```"
    rows = write(
        tmp_path / "rows.jsonl",
        {"test_list": ["assert f(1) == 2"], "completion": fence.format("def f(x):\n    return x + 1")},
        {"test_list": ["assert f(1) == 2"], "completion": fence.format("def f(x):\n    yield x")},
    )
    asked = ("judge", rows, "--verifier", "python_tests", "--reference", "test_list")
    found = json.loads(ok(*asked, "--json"))
    assert (found["completions"], found["unsupported"], found["pass_rate"]) == (2, 1, 1.0)
    assert "1 of 2 could not be run and count in no rate" in ok(*asked)


def test_whole_solutions_as_references_name_what_reads_them(tmp_path: Path) -> None:
    row = {"question": "?", "answer": "It is 2 * 2.\n#### 4", "completion": "4"}
    rows = write(tmp_path / "rows.jsonl", row)
    for verifier in ("number_equal", "math_equal"):
        told = mistake("judge", rows, "--verifier", verifier)
        assert "--option references=solution" in told
        with pytest.raises(InvalidTask, match="--option references=solution"):
            reasonenv.from_rows(rows, verifier=verifier)
    ok("judge", rows, "--verifier", "math_equal", "--option", "references=solution")


def test_databases_are_found_in_a_folder(databases: Path, tmp_path: Path) -> None:
    row = {"db_id": "concerts", "query": "SELECT count(*) FROM singer"}
    judge = verifiers.sql_result(databases=str(databases))
    assert judge(["SELECT count(id) FROM singer", "SELECT 3"], [row] * 2).passed.tolist() == [True, False]
    (tmp_path / "concerts.sql").write_text((HERE / "concerts.sql").read_text(encoding="utf-8"))
    assert verifiers.sql_result(databases=str(tmp_path))(["SELECT count(*) FROM singer"], [row]).passed.all()
    for other, told in [("none", "no database `none`"), ("../concerts", "must be a database's name")]:
        [(_, reason)] = judge.check([{**row, "db_id": other}])
        assert told in reason
    [(_, reason)] = verifiers.sql_result().check([row])
    assert "databases=FOLDER" in reason


def test_mistakes_of_formats() -> None:
    with pytest.raises(UnknownName, match="did you mean `gsm8k`"):
        reasonenv.from_rows([{}], format="gms8k")
    with pytest.raises(InvalidArgument, match="the format gsm8k knows its columns"):
        reasonenv.from_rows([{}], format="gsm8k", question="q")
    with pytest.raises(InvalidTask, match="row 0: there is no column `choices`; there are `question`"):
        reasonenv.from_rows([{"question": "?", "answer": 1}], format="mmlu")
    path = HERE / "gsm8k.jsonl"
    assert "drop one" in mistake("judge", path, "--format", "gsm8k", "--verifier", "choice")
    assert "`--format NAME` (gsm8k" in mistake("judge", path)
    assert set(FILES) <= set(data.FORMATS)
