"""The caller's rows as tasks and as environments."""

import json
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pyarrow
import pyarrow.parquet
import pytest
import reasonenv
from env_checks import copies, equal
from gymnasium.utils.env_checker import check_env
from reasonenv import verifiers
from reasonenv.envs import ReasonEnv, TokenEnv
from reasonenv.errors import InvalidArgument, InvalidState, UnknownFamily

ROWS: list[dict[str, Any]] = [
    {"q": "What is 2 + 2?", "a": 4, "from": "sums"},
    {"q": "What is 3 + 3?", "a": "6", "from": "sums"},
    {"q": "What is half of 1?", "a": 0.5, "from": "shares"},
]


def rows(**kwargs: Any) -> reasonenv.data.Rows:
    given: dict[str, Any] = {"question": "q", "answer": "a", "verifier": "number_equal", "group": "from"}
    return reasonenv.from_rows(ROWS, **given | kwargs)


def test_rows_are_tasks_and_a_source() -> None:
    found = rows()
    assert isinstance(found, Sequence)
    assert len(found) == 3
    row = found[2]
    assert row.prompt == (
        "What is half of 1?\n\nGive your answer inside <answer></answer> tags, and write nothing after them."
    )
    assert (row.answer, row.group, row.index, row.number) == ("0.5", "shares", 2, 2)
    assert row.verify("so <answer>1/2</answer>").passed
    assert row.verify(row.wrap(row.answer)).passed
    assert not row.verify("<answer>2</answer>").passed
    assert len(row.key) == 32
    assert row.id == f"rows/2-{row.key[:8]}"
    assert len(set(found.ids)) == 3
    assert [one.question for one in found] == [one["q"] for one in ROWS]


def test_slices_and_batches_judge_all_at_once() -> None:
    found = rows()
    part = found[1:]
    assert part.ids == found.ids[1:]
    assert [row.index for row in part] == [0, 1]
    verdicts = part.verify(["<answer>6</answer>", "<answer>6</answer>"])
    assert isinstance(verdicts, reasonenv.Verdicts)
    assert verdicts.passed.tolist() == [True, False]
    assert found.batch(0, 2).prompts == found.prompts[:2]
    assert found.tasks([2, 0]).answers == ["0.5", "4"]
    assert found[:2].repeat(2).answers == ["4", "4", "6", "6"]
    assert found[-1] == found[2]
    assert found.groups == ["sums", "sums", "shares"]
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(InvalidArgument, match="`index` is 3, but must be between 0 and 2"):
        found.task(3)


def test_rows_pickle() -> None:
    again = pickle.loads(pickle.dumps(rows()))
    assert again.prompts == rows().prompts
    assert again[0].verify("<answer>4</answer>").passed


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ("number_equal", "inside <answer></answer> tags, and write nothing after them."),
        ({"verifier": "number_equal", "tag": "n"}, "inside <n></n> tags, and write nothing after them."),
        ({"verifier": "number_equal", "extract": "boxed"}, r"inside \boxed{}, and write nothing after it."),
        (
            {"verifier": "number_equal", "extract": "hash"},
            "on a last line of its own, which begins with ####.",
        ),
        (verifiers.number_equal(extract="last_number"), "End with your answer, which is a number."),
        (verifiers.number_equal(extract="last_line"), "Give your answer alone on the last line."),
        (verifiers.number_equal(tag=None), "Write your answer and nothing else."),
        (
            verifiers.number_equal(extract="auto"),
            "inside <answer></answer> tags, and write nothing after them.",
        ),
        (verifiers.number_equal(reading="clean"), "tags, and write nothing outside them."),
        (verifiers.number_equal(reading="clean", extract="boxed"), "and write nothing outside it."),
        (
            verifiers.all_of(verifiers.think(), verifiers.number_equal(extract="boxed")),
            r"Give your answer inside \boxed{}, and write nothing after it.",
        ),
        (verifiers.length(min_chars=3), "What is half of 1?"),
    ],
)
def test_the_question_is_followed_by_the_extractions_own_sentence(given: Any, end: str) -> None:
    row = rows(verifier=given)[2]
    assert row.prompt.endswith(end)
    said = row.wrap(row.answer)
    if "think" in repr(given):
        said = f"<think>so</think>{said}"
    assert row.verify(said).passed


def test_an_instruction_of_ones_own_takes_its_place() -> None:
    assert rows(instruction="Be brief.")[0].prompt == "What is 2 + 2?\n\nBe brief."
    assert rows(instruction="")[0].prompt == "What is 2 + 2?"


def test_references_of_any_kind_are_taken_as_json() -> None:
    given: list[dict[str, Any]] = [
        {"question": "?", "answer": [1, 2]},
        {"question": "?", "answer": {"a": None}},
    ]
    found = reasonenv.from_rows(given, verifier="json_equal")
    assert found.verify(["<answer>[1,2]</answer>", '<answer>{"a":null}</answer>']).passed.all()
    flag = reasonenv.from_rows([{"question": "?", "answer": True}])
    assert flag[0].answer == "true"


def test_a_file_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n")
    found = reasonenv.from_rows(path, question="q", answer="a")
    assert found.prompts == rows().prompts
    assert reasonenv.from_rows(str(path), question="q", answer="a").ids == found.ids
    path.write_text('{"q": "?", "a": 1}\n{"q": \n')
    with pytest.raises(reasonenv.ReasonEnvError, match=r"rows.jsonl, line 2: not JSON"):
        reasonenv.from_rows(path, question="q", answer="a")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        reasonenv.from_rows("nowhere.jsonl")


def test_a_parquet_file_needs_pyarrow_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(reasonenv.ReasonEnvError, match=r"needs pyarrow; pip install 'reasonenv\[parquet\]'"):
        reasonenv.from_rows(tmp_path / "rows.parquet")


def test_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"question": ["a?", "b?"], "answer": [1, 2]}), path)
    found = reasonenv.from_rows(path, verifier="number_equal")
    assert found.answers == ["1", "2"]


class Columns:
    """As a Hugging Face data set: neither a Sequence nor a list."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> dict[str, str]:
        if index >= 2:
            raise IndexError
        return {"question": f"{index}?", "answer": f"{index}"}


def test_anything_with_rows_will_do() -> None:
    assert reasonenv.from_rows(Columns()).answers == ["0", "1"]  # type: ignore[arg-type]
    assert reasonenv.from_rows(iter(ROWS), question="q", answer="a").answers == ["4", "6", "0.5"]


@pytest.mark.parametrize(
    ("given", "change", "message"),
    [
        (3, {}, "`rows` is 3, but must be a path, or several mappings"),
        ({}, {}, "`rows` is {}, but must be a path, or several mappings"),
        ([], {}, "`rows` has no rows"),
        ([3], {}, "row 0 is 3, but must be a mapping of columns"),
        ([*ROWS, {"q": "?"}], {}, "row 3: there is no column `a`; there are `q`"),
        ([{"q": None, "a": 1}], {}, "row 0: `q` is empty"),
        ([{"q": 3, "a": 1}], {}, "row 0: `q` is 3, but must be text"),
        ([{"q": "\ud800", "a": 1}], {}, r"row 0: `q` is '\\ud800', which holds a lone surrogate"),
        (
            [{"q": "?", "a": object()}],
            {},
            "row 0: `a` is <object object at .*, but must be text, or what JSON",
        ),
        ([{"q": "?", "a": float("nan")}], {}, "row 0: `a` is nan, but must be text"),
        (
            [*ROWS, {"q": "?", "a": "four"}],
            {"verifier": "number_equal"},
            "row 3: number_equal: `a` is `four`, but must be",
        ),
        (ROWS, {"group": "none"}, "row 0: there is no column `none`; there are `q`, `a`, `from`"),
        (ROWS, {"question": 3}, "`question` is 3, but must be text"),
        (ROWS, {"verifier": "number_equals"}, "number_equal"),
        (ROWS, {"verifier": len}, "`verifier` is <built-in function len>, but must be a name"),
        (ROWS, {"verifier": {"verifier": "choice", "tagg": 1}}, "tagg"),
        (ROWS, {"instruction": 3}, "`instruction` is 3, but must be text"),
    ],
)
def test_errors_name_the_row_and_the_column(given: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        reasonenv.from_rows(given, **{"question": "q", "answer": "a"} | change)


ASKED: dict[str, Any] = {"rows": ROWS, "question": "q", "answer": "a", "verifier": "number_equal"}


@pytest.mark.parametrize("mode", ["solution", "step", "token"])
def test_rows_are_an_environment_in_every_mode_of_text(mode: str) -> None:
    env: Any = gymnasium.make("reasonenv/Rows-v1", mode=mode, **ASKED).unwrapped
    check_env(env, skip_render_check=True)
    env.reset(seed=0)
    right = env.task.wrap(env.task.answer)
    if mode == "token":
        for character in right[:-1]:
            env.step(TokenEnv.CHARACTERS.index(character))
        stepped = env.step(TokenEnv.CHARACTERS.index(right[-1]))
    else:
        stepped = env.step(right if mode == "solution" else f"final answer: {env.task.answer}")
    assert stepped[1:4] == (1.0, True, False)
    assert stepped[4]["task_id"] == env.task.id
    for twin in copies(env):
        assert equal(twin.reset(seed=5), env.reset(seed=5))


def test_rows_are_posed_by_number() -> None:
    env: Any = gymnasium.make("reasonenv/Rows-v1", **ASKED).unwrapped
    seen, info = env.reset(options={"index": 1})
    assert seen.startswith("What is 3 + 3?")
    assert info["index"] == 1
    with pytest.raises(InvalidArgument, match="between 0 and 2"):
        env.reset(options={"index": 3})


@pytest.mark.parametrize(
    "extract", ["tag", "boxed", "hash", "formula", "last_number", "last_line", "whole", "auto"]
)
@pytest.mark.parametrize("reading", ["clean", "strict", "lenient"])
def test_steps_lead_to_an_answer_however_it_is_read(extract: Any, reading: Any) -> None:
    judge = verifiers.number_equal(extract=extract, reading=reading)
    env: Any = gymnasium.make("reasonenv/Rows-v1", mode="step", **ASKED | {"verifier": judge})
    for answer, passed in (("4", True), ("5", False)):
        env.reset(options={"index": 0})
        assert not env.step("two and two are four")[2]
        _, _, terminated, _, info = env.step(f"final answer: {answer}")
        assert (terminated, info["passed"]) == (True, passed)


@pytest.mark.parametrize(("extract", "said"), [("boxed", r"so \boxed{4}"), ("hash", "so\n#### 4")])
def test_marks_of_an_answer_end_the_steps(extract: Any, said: str) -> None:
    judge = verifiers.number_equal(extract=extract)
    env: Any = gymnasium.make("reasonenv/Rows-v1", mode="step", **ASKED | {"verifier": judge})
    env.reset(options={"index": 0})
    _, reward, terminated, _, _ = env.step(said)
    assert (reward, terminated) == (1.0, True)


def test_to_speak_of_a_box_is_no_answer() -> None:
    judge = verifiers.number_equal(extract="boxed")
    env: Any = gymnasium.make("reasonenv/Rows-v1", mode="step", **ASKED | {"verifier": judge})
    env.reset(options={"index": 0})
    assert not env.step(r"I am to use \boxed{}, as in \boxed{ }")[2]
    assert env.step(r"so \boxed{4}")[2]


@pytest.mark.parametrize("extract", ["hash", "boxed", "last_line"])
def test_a_scratchpad_reaches_the_judge_as_it_was_written(extract: Any) -> None:
    judge = verifiers.number_equal(extract=extract)
    env: Any = gymnasium.make("reasonenv/Rows-v1", mode="step", **ASKED | {"verifier": judge})
    env.reset(options={"index": 0})
    *_, info = env.step("14 and 4\n#### 42\nfinal answer: 4")
    assert info["text"].startswith("14 and 4\n#### 42\n")
    assert info["passed"] == (extract != "hash")


def test_what_is_about_families_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="`level` is 2, but these tasks have their own"):
        gymnasium.make("reasonenv/Rows-v1", level=2, **ASKED)
    with pytest.raises(InvalidArgument, match="`reading` is 'clean', but is an option of `verifier`"):
        gymnasium.make("reasonenv/Rows-v1", reading="clean", **ASKED)
    with pytest.raises(InvalidArgument, match="unknown mode 'moves'; choose 'solution', 'step', 'token'"):
        gymnasium.make("reasonenv/Rows-v1", mode="moves", **ASKED)


def test_rows_that_are_not_ascii() -> None:
    given = [{"question": "Was ergibt 2 × 2?", "answer": "vier — natürlich"}]
    for mode in ("solution", "step", "token"):
        env: Any = gymnasium.make("reasonenv/Rows-v1", mode=mode, rows=given)
        seen, _ = env.reset(seed=0)
        assert env.observation_space.contains(seen)
        assert mode != "token" or 97 in seen
        assert env.step(TokenEnv.END if mode == "token" else "final answer: vier — natürlich")[2]


@pytest.mark.parametrize("mode", ["solution", "step", "token"])
def test_vectors_of_rows_and_mixtures_are_gymnasiums_own(mode: str) -> None:
    for name, given in (("Rows", ASKED), ("Mixture", {"families": ["chain_sum", "tsp"]})):
        many: Any = gymnasium.make_vec(f"reasonenv/{name}-v1", 2, **{"mode": mode} | given)
        seen, infos = many.reset(seed=0)
        assert len(seen) == 2
        assert len(infos["task_id"]) == 2


def test_a_mixture_by_id() -> None:
    env: Any = gymnasium.make(
        "reasonenv/Mixture-v1", families=["chain_sum", ["sudoku", 2]], weights=[3, 1], task_seed=5
    )
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=1), again.reset(seed=1))
    mixture = reasonenv.Mixture(["chain_sum", ("sudoku", 2)], weights=[3, 1], seed=5)
    families = []
    for index in range(40):
        env.reset(options={"index": index})
        assert env.unwrapped.task == mixture.task(index)
        families.append(env.unwrapped.task.family)
        _, reward, *_ = env.step(env.unwrapped.task.wrap(env.unwrapped.task.solution.answer))
        assert reward == 1.0
    assert {*families} == {"chain_sum", "sudoku"}
    assert families.count("chain_sum") > 20


def test_a_mixture_of_all_families_in_every_mode() -> None:
    for mode in ("solution", "step", "token"):
        env: Any = gymnasium.make("reasonenv/Mixture-v1", mode=mode, num_tasks=50)
        check_env(env.unwrapped, skip_render_check=True)
    with pytest.raises(UnknownFamily, match="did you mean `chain_sum`"):
        gymnasium.make("reasonenv/Mixture-v1", families=["chain_sums"])
    with pytest.raises(InvalidArgument, match="`families` is 'tsp', but must be a mixture, several names"):
        gymnasium.make("reasonenv/Mixture-v1", families="tsp")


def test_rows_are_a_generator() -> None:
    env = ReasonEnv(rows())
    env.reset(options={"index": 2})
    env.step("half of 1")
    _, reward, terminated, _, _ = env.step("final answer: 1/2")
    assert (reward, terminated) == (1.0, True)
    twin = ReasonEnv(rows())
    env.reset(options={"index": 0})
    twin.set_state(env.get_state())
    assert twin.task.id == env.task.id
    other = ReasonEnv(rows()[1:])
    with pytest.raises(InvalidState, match="poses other items"):
        other.set_state(env.get_state())
