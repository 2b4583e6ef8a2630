"""Combined verifiers, verifiers from plain data, and references checked before a run."""

import pickle
import time
from typing import Any

import pytest
from reasonenv import ReasonEnvError, verifiers
from reasonenv.errors import InvalidReference
from reasonenv.verifiers import Judge
from verifier_checks import JUDGES, answers, reference_of, right_of

NUMBER = verifiers.number_equal(extract="auto")
COMBINED: dict[str, Judge] = {
    "all_of": verifiers.all_of(verifiers.think(), NUMBER, verifiers.length(max_chars=40)),
    "any_of": verifiers.any_of(verifiers.number_equal(extract="boxed"), verifiers.number_equal()),
    "weighted": verifiers.weighted((NUMBER, 0.9), (verifiers.think(), 0.1)),
    "first_readable": verifiers.first_readable(
        verifiers.number_equal(), verifiers.number_equal(extract="hash")
    ),
    "nested": verifiers.all_of(verifiers.any_of(NUMBER, NUMBER), verifiers.length()),
}
EACH = pytest.mark.parametrize("judge", COMBINED.values(), ids=COMBINED)


@pytest.mark.parametrize(
    ("name", "text", "passed", "score"),
    [
        ("all_of", "\\boxed{7}", False, 0.0),
        ("all_of", "<think>so</think>\\boxed{8}", False, 0.0),
        ("all_of", "<think>so</think>\\boxed{7}" + " " * 9 + "." * 40, False, 0.0),
        ("all_of", "<think>so</think>\\boxed{7}", True, 1.0),
        ("any_of", "<answer>8</answer>", False, 0.0),
        ("any_of", "<answer>7</answer>", True, 1.0),
        ("any_of", "\\boxed{7}", True, 1.0),
        ("weighted", "\\boxed{7}", False, 0.9),
        ("weighted", "<think>so</think>\\boxed{8}", False, 0.1),
        ("weighted", "<think>so</think>\\boxed{7}", True, 1.0),
        ("first_readable", "<answer>8</answer>\n#### 7", False, 0.0),
        ("first_readable", "#### 8", False, 0.0),
        ("first_readable", "#### 7", True, 1.0),
        ("nested", "the answer is 7.", True, 1.0),
    ],
)
def test_judges_are_combined(name: str, text: str, passed: bool, score: float) -> None:
    verdict = COMBINED[name]([text], ["7"])[0]
    assert verdict.passed == passed
    assert verdict.score == pytest.approx(score)
    assert bool(verdict.failures) != passed
    assert bool(verdict.detail) != passed


@EACH
def test_combinations_are_values(judge: Judge) -> None:
    texts, references = ["<think>so</think>\\boxed{7}", "#### 7", "", "<answer>7</answer>"], ["7"] * 4
    verdicts = judge(texts, references)
    assert pickle.loads(pickle.dumps(judge))(texts, references) == verdicts
    again = verifiers.from_config(verifiers.config_of(judge))
    assert again(texts, references) == verdicts
    assert repr(again) == repr(judge)
    assert judge.check(["7", "x", "8"])[0][0] == 1
    with pytest.raises(InvalidReference, match=r"references\[1\]"):
        judge(["", ""], ["7", "x"])
    assert list(judge([], [])) == []


@JUDGES
def test_verifiers_come_back_from_plain_data(judge: Any) -> None:
    again: Any = verifiers.from_config(verifiers.config_of(judge))
    assert again.options == judge.options
    assert repr(again) == repr(judge)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (3, "`config` is int"),
        ({}, "`verifier` in `config` is None"),
        ({"verifier": "chioce"}, "no verifier `chioce`"),
        ({"verifier": "choice", "extract": "box"}, 'unknown extract "box"; did you mean "boxed"?'),
        ({"verifier": "all_of"}, "`judges` of all_of is NoneType"),
        ({"verifier": "all_of", "judges": []}, "`judges` of all_of is empty"),
        ({"verifier": "all_of", "judges": [3]}, "`config` is int"),
        ({"verifier": "weighted", "judges": [{"verifier": "choice"}]}, "`weights` of weighted is None"),
        ({"verifier": "weighted", "judges": [{"verifier": "choice"}], "weights": [0]}, "`weights` are all 0"),
        (
            {"verifier": "weighted", "judges": [{"verifier": "choice"}], "weights": ["x"]},
            "`weights[0]` is 'x'",
        ),
        ({"verifier": "any_of", "judges": [{"verifier": "choice"}], "weight": 1}, "no param `weight`"),
    ],
)
def test_bad_configs_are_told(config: Any, message: str) -> None:
    with pytest.raises(ReasonEnvError) as raised:
        verifiers.from_config(config)
    assert message in str(raised.value)


@JUDGES
def test_all_bad_references_are_found(judge: Any) -> None:
    good = reference_of(judge)
    odd = ["", "(", "seven", "[", "{}", good, "1/0", "(" * 1_000, "\0"]
    found = judge.check(odd)
    rows = [row for row, _ in found]
    assert 5 not in rows
    for row, reference in enumerate(odd):
        if row in rows:
            with pytest.raises(InvalidReference) as raised:
                judge([""] * 9, [good] * row + [reference] + [good] * (8 - row))
            assert str(raised.value) == dict(found)[row]
        else:
            judge([""], [reference])


HOSTILE = [
    r"\boxed{7} " * 100_000,
    r"\boxed{" * 100_000,
    "{" * 100_000,
    "[" * 100_000,
    "<answer>" * 10_000,
    "(" * 60_000 + "B" + ")" * 60_000,
    "7" * 60_000,
    "1," * 30_000,
    "A " * 30_000,
    "a " * 30_000,
    "*" * 60_000,
    "####\n" * 20_000,
    '{"a":' * 10_000,
    "\u202e\0" * 20_000,
]


@JUDGES
def test_long_and_deep_texts_are_judged_in_short_time(judge: Any) -> None:
    reference, right = reference_of(judge), right_of(judge)
    for text in HOSTILE:
        rows = [text, *answers(judge, text[:65_000]), *answers(judge, right + text[:65_000])]
        start = time.perf_counter()
        assert len(judge(rows, [reference] * 3)) == 3
        # Far above the time of a row, so that a busy machine passes; quadratic work takes minutes.
        assert time.perf_counter() - start < 3
