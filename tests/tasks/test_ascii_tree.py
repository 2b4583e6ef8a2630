"""The tree scorers agree with a plain Python reference, bit for bit."""

import json
import random

import ascii_tree_reference as plain
import numpy as np
import pytest
import reasonenv
from reasonenv import verifiers


def _rows(count: int, seed: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    references = [plain.draw(plain.random_rows(rng, 40)) for _ in range(count)]
    return [plain.random_completion(rng, reference) for reference in references], references


def _check_rewards(count: int, seed: int) -> None:
    completions, references = _rows(count, seed)
    ours = verifiers.tree_compat(completions, references)
    theirs = [plain.compat(text, reference) for text, reference in zip(completions, references, strict=True)]
    assert ours.dtype == np.float64
    assert ours.tolist() == theirs
    assert 0 < np.mean(ours) < 1
    scores = verifiers.ascii_tree(scorer="compat")(completions, references).score
    below = np.nextafter(np.float32(1), np.float32(0))
    assert scores.tolist() == [1.0 if t >= 1 else min(np.float32(t), below) for t in theirs]


def test_rewards_are_bit_equal_with_difflib() -> None:
    _check_rewards(3_000, seed=1)


@pytest.mark.slow
def test_rewards_are_bit_equal_with_difflib_over_many_rows() -> None:
    _check_rewards(100_000, seed=2)


def test_long_trees_meet_autojunk_as_difflib_does() -> None:
    rng = random.Random(3)
    reference = "root\n" + "\n".join(" +--" + rng.choice("ab") for _ in range(250))
    answers = []
    for _ in range(30):
        lines = reference.split("\n")
        lines.insert(rng.randrange(1, len(lines)), " +--new")
        answers.append(f"<{plain.TAG}>\n" + "\n".join(lines) + f"\n</{plain.TAG}>")
    theirs = [plain.compat(answer, reference) for answer in answers]
    assert verifiers.tree_compat(answers, [reference] * 30).tolist() == theirs


def test_structures_agree_with_the_reference() -> None:
    rng = random.Random(4)
    drawings = [plain.draw(plain.random_rows(rng, 20)) for _ in range(400)]
    judge = verifiers.ascii_tree(scorer="structural")
    answers, references = drawings[:-1], drawings[1:]
    verdicts = judge([f"<{plain.TAG}>{answer}</{plain.TAG}>" for answer in answers], references)
    theirs = [plain.structural(a, b) for a, b in zip(answers, references, strict=True)]
    for name in plain.Structure._fields:
        expected = np.array([getattr(structure, name) for structure in theirs], dtype=np.float32)
        assert (verdicts.parts[name] == expected).all(), name


def test_a_familys_compat_part_is_the_reward() -> None:
    rng = random.Random(5)
    batch = reasonenv.family("ascii_tree").batch(seed=1, count=200, level=3)
    texts = [plain.random_completion(rng, task.solution.answer) for task in batch]
    theirs = [plain.compat(text, task.solution.answer) for text, task in zip(texts, batch, strict=True)]
    assert batch.verify(texts).parts["compat"].tolist() == np.array(theirs, dtype=np.float32).tolist()


def test_names_of_real_directories_stand_as_they_are() -> None:
    rows = [[0, "etc"], [1, "init.d"], [1, "ssh keys"], [2, "día"]]
    task = reasonenv.family("ascii_tree").task(json.dumps({"rows": rows}), id="dir:/etc")
    assert task.solution.answer == "etc\n +--init.d\n `--ssh keys\n     `--día"
    assert task.verify(task.wrap(task.solution.answer)).passed
