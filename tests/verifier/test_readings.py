"""Readings for models that ignore the form, and answers in boxes, through the public interface."""

import json

import pytest
import reasonenv
from reasonenv.errors import UnknownName
from reasonenv.integrations import item, score
from reasonenv.rewards import Reward


@pytest.fixture(scope="module")
def number() -> reasonenv.Task:
    """A task whose answer is long enough that its thousands can be grouped."""
    for task in reasonenv.family("chain_sum").batch(count=400, level=8):
        if len(task.solution.answer) >= 5:
            return task
    pytest.fail("no answer is long enough")
    raise AssertionError


def _grouped(answer: str) -> str:
    return f"{int(answer):,}"


SPELLINGS = {
    "boxed": lambda answer: rf"<answer>\boxed{{{answer}}}</answer>",
    "dollars": lambda answer: f"<answer>${answer}$</answer>",
    "bold": lambda answer: f"<answer>**{answer}**</answer>",
    "grouped": lambda answer: f"<answer>{_grouped(answer)}</answer>",
    "full stop": lambda answer: f"<answer>{answer}.</answer>",
    "bare box": lambda answer: rf"So it is $\boxed{{{answer}}}$.",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_lenient_reads_the_spelling_and_format_counts_it(number: reasonenv.Task, name: str) -> None:
    answer = number.solution.answer
    text, other = SPELLINGS[name](answer), SPELLINGS[name](str(int(answer) + 1))
    reward = Reward({"correct": 1.0, "format": 0.5})
    verdicts = reasonenv.Batch([number] * 3).verify([text, number.wrap(answer), other], "lenient")
    assert verdicts.passed.tolist() == [True, True, False]
    assert verdicts.respelled.tolist() == [True, False, True]
    assert reward(verdicts).tolist() == [1.0, 1.5, 0.0]
    assert verdicts[0].to_dict()["respelled"] is True
    assert not number.verify(text).passed
    assert not number.verify(text, "clean").passed


def test_lenient_reads_a_sudoku_as_models_write_it() -> None:
    task = reasonenv.family("sudoku").sample(seed=3, level=2)
    rows = [row.split() for row in task.solution.answer.split("\n")]
    size = len(rows)
    half = size // 2
    barred = [" ".join([*row[:half], "|", *row[half:]]) for row in rows]
    for spelling in (
        "\n".join(", ".join(row) for row in rows),
        "\n".join("".join(row) for row in rows),
        "\n".join([*barred[:half], "-" * size + "+" + "-" * size, *barred[half:]]),
    ):
        assert task.verify(task.wrap(spelling), "lenient").passed, spelling
        assert not task.verify(task.wrap(spelling)).passed, spelling
        assert not task.verify(task.wrap(f"{spelling}\n\n{spelling}"), "lenient").passed, spelling


@pytest.mark.parametrize("reading", ["clean", "strict", "lenient"])
def test_nested_and_unclosed_tags_are_never_paid(number: reasonenv.Task, reading: str) -> None:
    answer = number.solution.answer
    for text in (
        f"<answer>9999<answer>{answer}</answer></answer>",
        f"<answer>{answer}<answer>9999</answer></answer>",
        f"<answer>9999<answer>{answer}</answer>",
        f"<answer>{answer}</answer><answer>9999",
        rf"<answer>{answer}</answer> \boxed{{9999}}" if reading == "lenient" else "",
    ):
        assert not number.verify(text, reading).passed, text  # type: ignore[arg-type]


def test_boxed_answers_are_asked_for_and_read() -> None:
    source = reasonenv.family("countdown").source(level=3, style={"answer": "boxed"})
    task = source.task(5)
    assert task.style["answer"] == "boxed"
    assert task.answer_tag is None
    assert task.prompt.rsplit("\n", 1)[1].count(r"\boxed{}") == 1
    assert "<answer>" not in task.prompt
    right = task.wrap(task.solution.answer)
    assert right == rf"\boxed{{{task.solution.answer}}}"
    tagged = f"<answer>{task.solution.answer}</answer>"
    again = reasonenv.Task.from_json(task.to_json())

    def verdicts(text: str) -> list[bool]:
        stateless = reasonenv.verify_all([task.family], [task.problem], [text], answers=["boxed"])
        judged = [task.verify(text), again.verify(text), score(text, item(task).problem), stateless[0]]
        return [verdict.passed for verdict in (*judged, *reasonenv.Batch([task]).verify([text]))]

    assert all(verdicts(f"So it is ${right}$."))
    assert not any(verdicts(tagged))
    assert not any(verdicts(rf"{right} or \boxed{{1}}"))
    told = task.verify("no idea").detail
    assert "\\boxed{}" in told
    assert "<answer>" not in told


def test_answer_styles_are_named_in_errors() -> None:
    with pytest.raises(UnknownName, match=r"no answer style `box`.*`boxed`"):
        reasonenv.family("countdown").source(style={"answer": "box"})
    with pytest.raises(UnknownName, match="no answer style"):
        reasonenv.verify_all(["countdown"], ["{}"], [""], answers=["box"])  # type: ignore[list-item]


def test_exports_keep_what_the_prompt_asked_for() -> None:
    from reasonenv.data._export import SHAPES  # noqa: PLC0415, which is private

    task = reasonenv.family("countdown").source(style={"answer": "boxed"}).task(0)
    row = SHAPES["verl"](json.loads(task.to_json()))
    assert score(task.wrap(task.solution.answer), row["reward_model"]["ground_truth"]).passed
