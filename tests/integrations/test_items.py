"""The two functions behind all adapters: `item` of a task, and `score` of its problem and a text."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import reasonenv
from reasonenv import verifiers
from reasonenv.errors import InvalidArgument, InvalidTask
from reasonenv.integrations import columns, is_problem, item, items, rows, score, score_all, task_of
from reasonenv.integrations._items import needs, text_of

ROWS: list[dict[str, Any]] = [{"question": "2 + 2?", "answer": 4}, {"question": "1 / 3?", "answer": "1/3"}]
HOSTILE = [
    "",
    "\0",
    "\ud800",
    "<answer>",
    "</answer><answer>",
    "<think>" * 999,
    "x" * 100_000,
    "<answer>\ud800</answer>",
]


def own_rows(**kwargs: Any) -> Any:
    return reasonenv.from_rows(ROWS, verifier=verifiers.number_equal(**kwargs))


def test_the_problem_of_every_family_judges_as_its_task_does(family: str) -> None:
    for level in (0, reasonenv.family(family).top_level):
        task = reasonenv.family(family).sample(seed=3, level=level)
        prompt, problem, task_id = item(task)
        assert (prompt, task_id, is_problem(problem)) == (task.prompt, task.id, True)
        texts = [task.wrap(task.solution.answer), *map(task.wrap, task.wrong_answers()[:3]), *HOSTILE]
        ours = [score(text, problem) for text in texts]
        assert ours == [task.verify(text) for text in texts]
        assert ours[0].passed
        assert not any(verdict.passed for verdict in ours[1:])
        assert task_of(problem) == task
        short = json.dumps({"family": task.family, "problem": task.problem})
        assert score(texts[0], short).passed


def test_rows_of_ones_own_judge_from_their_json() -> None:
    for row in [*own_rows(extract="boxed"), own_rows(tolerance=0.5)[1:][0]]:
        prompt, problem, task_id = item(row)
        assert (prompt, task_id) == (row.prompt, row.id)
        for text in (row.wrap(row.answer), row.wrap("5"), *HOSTILE):
            assert score(text, problem) == row.verify(text)
        assert score(row.wrap(row.answer), problem).passed
        again = task_of(problem)
        assert (again.id, again.prompt, again.wrap("7")) == (row.id, row.prompt, row.wrap("7"))


def test_a_verifier_that_json_cannot_say_is_an_error() -> None:
    one = reasonenv.from_rows(ROWS, verifier=verifiers.exact_match(normalize=str.lower))[0]
    with pytest.raises(InvalidArgument, match="one that JSON can say"):
        item(one)


def test_many_are_judged_as_one_by_one_whatever_they_are_of() -> None:
    tasks = [
        *reasonenv.Mixture(["chain_sum", "sudoku", "sat"])[0:20],
        *own_rows(),
        *own_rows(extract="boxed"),
    ]
    problems = [item(task).problem for task in tasks]
    texts = [task.wrap(getattr(task, "answer", "") or task.solution.answer) for task in tasks]
    texts[::3] = ["no idea"] * len(texts[::3])
    verdicts = score_all(texts, problems)
    assert list(verdicts) == [score(text, problem) for text, problem in zip(texts, problems, strict=True)]
    assert verdicts.passed.tolist() == [at % 3 != 0 for at in range(len(tasks))]
    assert len(score_all([], [])) == 0
    with pytest.raises(InvalidArgument, match="`texts` has 1 items, but must have one for each of 2"):
        score_all(["a"], problems[:2])


FOREIGN = [
    "",
    "What is 2 + 2?",
    "4",
    "null",
    "[]",
    "{}",
    '{"family": 1, "problem": "{}"}',
    "[" * 99_999,
    "9" * 5000,
]


@pytest.mark.parametrize("problem", [*FOREIGN, None, 4, {}, b"{}"], ids=lambda one: repr(one)[:20])
def test_what_is_no_problem_is_told(problem: Any) -> None:
    assert not is_problem(problem)
    with pytest.raises(InvalidTask, match=r"`problem` is .* but must be JSON as `item` gives it"):
        score("7", problem)
    with pytest.raises(InvalidTask):
        score_all(["7"], [problem])
    with pytest.raises(InvalidTask):
        task_of(problem)


def broken(**changes: Any) -> str:
    return json.dumps(json.loads(item(own_rows()[0]).problem) | changes)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ('{"family": "nope", "problem": "{}"}', "no family `nope`"),
        ('{"family": "chain_sum", "problem": "{}"}', "missing field `terms`"),
        ('{"family": "chain_sum", "problem": "\\ud800"}', "chain_sum|surrogate"),
        (broken(verifier={"verifier": "nope"}), "no verifier `nope`"),
        (broken(verifier={"verifier": "number_equal", "tolerance": "x"}), "tolerance"),
        (broken(answer="four"), "four"),
        (broken(question=3), "`question` is 3, but must be text"),
        (broken(number=-1), "`number` is -1"),
    ],
)
def test_a_problem_that_is_damaged_is_told(problem: str, told: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=told):
        score("<answer>7</answer>", problem)
    with pytest.raises(reasonenv.ReasonEnvError, match=told):
        score_all(["<answer>7</answer>"], [problem])


def test_problems_of_earlier_releases_are_judged_and_of_later_ones_refused(family: str) -> None:
    task = reasonenv.family(family).sample()
    record = json.loads(item(task).problem)
    right = task.wrap(task.solution.answer)
    for version in (1, record["version"]):
        assert score(right, json.dumps(record | {"version": version, "of_another_release": 1})).passed
    later = json.dumps(record | {"version": record["version"] + 1})
    with pytest.raises(reasonenv.errors.InvalidTask, match=f"this release knows {family} up to version"):
        score(right, later)
    with pytest.raises(reasonenv.errors.InvalidTask, match=f"this release knows {family} up to version"):
        score_all([right], [later])


def test_text_that_is_none_is_told() -> None:
    problem = item(reasonenv.family("chain_sum").sample()).problem
    for text in (None, 7, b"7"):
        with pytest.raises(InvalidArgument, match="text"):
            score(text, problem)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="text"):
            score_all([text], [problem])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a", "a"),
        (None, ""),
        (7, ""),
        ({"text": "a"}, ""),
        ([{"type": "text", "text": "a"}, "b", {"type": "image_url"}, {"text": None}, None], "ab"),
        (({"text": "a"}, {"text": "b"}), "ab"),
    ],
)
def test_the_text_of_a_message_is_that_of_its_parts(content: Any, said: str) -> None:
    assert text_of([{"role": "user", "content": "?"}, {"role": "assistant", "content": content}]) == said


def test_threads_score_alike() -> None:
    tasks = reasonenv.Mixture(["chain_sum", "sudoku"])[0:64].repeat(4)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(score, map(task_text, tasks), (item(task).problem for task in tasks)))
    assert all(verdict.passed for verdict in found)


def task_text(task: reasonenv.Task) -> str:
    return task.wrap(task.solution.answer)


def test_items_come_from_whatever_tasks_come_from() -> None:
    family = reasonenv.family("chain_sum")
    wanted = [task.id for task in family.batch(start=5, count=3, seed=1, level=2, split="eval")]
    source = family.source(seed=1, level=2, split="eval")
    chosen: list[tuple[Any, dict[str, Any]]] = [
        ("chain_sum", {"seed": 1, "level": 2, "split": "eval"}),
        (family, {"seed": 1, "level": 2, "split": "eval"}),
        (source, {}),
        (source[0:8], {}),
        (list(source[0:8]), {}),
        (reasonenv.Mixture([source], split="eval"), {}),
    ]
    for given, more in chosen:
        assert [task.id for task in items(given, 3, start=5, **more)] == wanted
    assert [row.index for row in items(own_rows())] == [0, 1]
    assert len(list(items("chain_sum", 2500))) == 2500
    mistakes: list[tuple[Any, dict[str, Any], str]] = [
        ("chain_sun", {"n": 1}, "did you mean `chain_sum`"),
        ("chain_sum", {}, "`n` is None, but must be"),
        (source, {"n": 1, "level": 1}, "`level` is 1, but this source has its own"),
        (own_rows(), {"n": 3}, "the source has 2 tasks"),
        (own_rows(), {"start": 2}, "the source has 2 tasks"),
        ([], {"n": 1}, "`source` is \\[\\], but must be a family"),
        (7, {"n": 1}, "`source` is 7, but must be a family"),
    ]
    for given, more, told in mistakes:
        with pytest.raises(reasonenv.ReasonEnvError, match=told):
            list(items(given, **more))


def test_columns_are_the_same_for_all() -> None:
    found = [*rows(reasonenv.Mixture(["chain_sum", "sudoku"]), 8), *rows(own_rows())]
    assert len({tuple(row) for row in found}) == 1
    largest = next(rows("chain_sum", 1, seed=2**64 - 1, start=7))
    assert (largest["seed"], largest["index"], largest["level"]) == ("18446744073709551615", "7", 0)
    assert columns(own_rows()[1])["index"] == "1"
    assert found[-1]["family"] == "rows"
    assert found[-1]["split"] is None
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_missing_package_names_the_extra() -> None:
    told = r"integrations.trl needs TRL \(.*\); .* 'reasonenv\[trl\]'"
    with pytest.raises(ModuleNotFoundError, match=told), needs("trl", "TRL"):
        raise ImportError("no module")
