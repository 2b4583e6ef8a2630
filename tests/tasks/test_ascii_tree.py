"""The tree scorers agree with a plain Python reference, bit for bit."""

import json
import random

import ascii_tree_reference as reference
import numpy as np
import pytest
import reasonenv
from reasonenv import verifiers


def _rows(count: int, seed: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    truths = [reference.draw(reference.random_rows(rng, 40)) for _ in range(count)]
    return [reference.random_completion(rng, truth) for truth in truths], truths


def _check_rewards(count: int, seed: int) -> None:
    completions, truths = _rows(count, seed)
    ours = verifiers.tree_compat(completions, truths)
    theirs = [reference.compat(text, truth) for text, truth in zip(completions, truths, strict=True)]
    assert ours.dtype == np.float64
    assert ours.tolist() == theirs
    assert 0 < np.mean(ours) < 1
    scores = verifiers.ascii_tree(scorer="compat")(completions, truths).score
    below = np.nextafter(np.float32(1), np.float32(0))
    assert scores.tolist() == [1.0 if t >= 1 else min(np.float32(t), below) for t in theirs]


def test_rewards_are_bit_equal_with_difflib() -> None:
    _check_rewards(3_000, seed=1)


@pytest.mark.slow
def test_rewards_are_bit_equal_with_difflib_over_many_rows() -> None:
    _check_rewards(100_000, seed=2)


def test_long_trees_meet_autojunk_as_difflib_does() -> None:
    rng = random.Random(3)
    truth = "root\n" + "\n".join(" +--" + rng.choice("ab") for _ in range(250))
    answers = []
    for _ in range(30):
        lines = truth.split("\n")
        lines.insert(rng.randrange(1, len(lines)), " +--new")
        answers.append(f"<{reference.TAG}>\n" + "\n".join(lines) + f"\n</{reference.TAG}>")
    theirs = [reference.compat(answer, truth) for answer in answers]
    assert verifiers.tree_compat(answers, [truth] * 30).tolist() == theirs


def test_structures_agree_with_the_reference() -> None:
    rng = random.Random(4)
    drawings = [reference.draw(reference.random_rows(rng, 20)) for _ in range(400)]
    judge = verifiers.ascii_tree(scorer="structural")
    answers, truths = drawings[:-1], drawings[1:]
    verdicts = judge([f"<{reference.TAG}>{answer}</{reference.TAG}>" for answer in answers], truths)
    theirs = [reference.structural(a, b) for a, b in zip(answers, truths, strict=True)]
    for name in reference.Structure._fields:
        expected = np.array([getattr(structure, name) for structure in theirs], dtype=np.float32)
        assert (verdicts.parts[name] == expected).all(), name


def test_a_familys_compat_part_is_the_reward() -> None:
    rng = random.Random(5)
    batch = reasonenv.family("ascii_tree").batch(seed=1, count=200, level=3)
    texts = [reference.random_completion(rng, task.solution.answer) for task in batch]
    theirs = [reference.compat(text, task.solution.answer) for text, task in zip(texts, batch, strict=True)]
    assert batch.verify(texts).parts["compat"].tolist() == np.array(theirs, dtype=np.float32).tolist()


def test_names_of_real_directories_stand_as_they_are() -> None:
    rows = [[0, "etc"], [1, "init.d"], [1, "ssh keys"], [2, "día"]]
    task = reasonenv.family("ascii_tree").task(json.dumps({"rows": rows}), id="dir:/etc")
    assert task.solution.answer == "etc\n +--init.d\n `--ssh keys\n     `--día"
    assert task.verify(task.wrap(task.solution.answer)).passed
