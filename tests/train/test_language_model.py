"""The loop for language models does what it claims; needs Transformers, so `make test-train` runs it."""

import math
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "examples/train"))

import curriculum
import finetuning
import reasonenv.rewards
from finetuning import Kind, Sizes, imitate, passes, reinforce, surprise, tiny
from grpo import Learner

SUMS = Kind("sums", "chain_sum", {"terms": 2, "digits": 1})
SIZES = Sizes(steps=2, prompts=2, group=4, length=8, judged=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("tiny"), [SUMS])


@pytest.fixture
def learner(folder: Path) -> Learner:
    made = Learner(folder)
    made.model.float()
    return made


def said(learner: Learner, prompts: list[list[int]], times: int, temperature: float) -> list[list[int]]:
    found: list[list[int]] = learner.sample(prompts, times, 8, temperature, np.random.default_rng(0))
    return found


def test_a_batch_with_a_cache_and_padding_continues_each_prompt_as_transformers_does(
    learner: Learner,
) -> None:
    prompts = [
        learner.prompt(text) for text in ("1 + 1", "What is 2 + 2?", "a much longer prompt than those")
    ]
    together = said(learner, prompts, 2, 0.0)
    assert together[::2] == together[1::2]
    for prompt, answer in zip(prompts, together[::2], strict=True):
        assert said(learner, [prompt], 1, 0.0) == [answer]
        tokens = list(prompt)
        for token in answer:
            assert int(learner.model(torch.tensor([tokens])).logits[0, -1].argmax()) == token
            tokens.append(token)


def test_completions_that_share_a_row_are_scored_as_if_alone(learner: Learner) -> None:
    prompt = learner.prompt("What is 2 + 2?")
    answers = [learner.answer("4"), learner.answer("it is five"), learner.answer("<answer>4</answer>")]
    with torch.no_grad():
        together = learner.scores(prompt, answers)
        alone = torch.cat([learner.scores(prompt, [answer]) for answer in answers])
        chances = torch.log_softmax(learner.model(torch.tensor([prompt + answers[0]])).logits[0], -1)
    torch.testing.assert_close(together, alone, rtol=1e-3, atol=1e-3)
    first = [-chances[len(prompt) - 1 + at, token] for at, token in enumerate(answers[0])]
    torch.testing.assert_close(together[: len(first)], torch.stack(first), rtol=1e-3, atol=1e-3)


def test_temperature_draws_with_the_models_own_chances(learner: Learner) -> None:
    prompt = learner.prompt("1 + 1")
    chances = torch.softmax(learner.model(torch.tensor([prompt])).logits[0, -1].float() / 0.5, -1)
    likeliest = int(chances.argmax())
    drawn = learner.sample([prompt], 4_000, 1, 0.5, np.random.default_rng(1))
    share = np.mean([one[0] == likeliest for one in drawn])
    expected = float(chances[likeliest].detach())
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / 4_000) + 1e-3


def test_a_step_raises_what_earned_more_and_lowers_what_earned_less(folder: Path) -> None:
    learner = Learner(folder)
    prompt = learner.prompt("What is 2 + 2?")
    good, bad = learner.answer("4"), learner.answer("5")
    before = [float(learner.scores(prompt, [one]).sum().detach()) for one in (good, bad)]
    for _ in range(5):
        learner.learn([(prompt, [good, bad], [1.0, -1.0]), (prompt, [bad], [0.0])], rate=1e-3)
    after = [float(learner.scores(prompt, [one]).sum().detach()) for one in (good, bad)]
    assert after[0] < before[0]
    assert after[1] > before[1]


def test_groups_without_a_gradient_change_nothing(folder: Path) -> None:
    learner = Learner(folder)
    before = [weight.clone() for weight in learner.model.parameters()]
    learner.learn([(learner.prompt("1 + 1"), [learner.answer("2")], [0.0])], rate=1.0)
    assert all(torch.equal(*pair) for pair in zip(before, learner.model.parameters(), strict=True))


def test_the_control_deals_out_the_same_rewards_within_each_group(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, paid = Learner(folder), dict[bool, list[Any]]()
    # The model is random: every other completion is called right.
    monkeypatch.setattr(finetuning, "resolve", lambda _: lambda verdict: float(len(verdict.detail) % 2))
    real = reasonenv.rewards.advantages
    for shuffled in (False, True):
        seen: list[Any] = []
        monkeypatch.setattr(
            finetuning, "advantages", lambda rewards, seen=seen: seen.append(rewards) or real(rewards)
        )
        reinforce(learner, [SUMS], replace(SIZES, steps=1, prompts=6), seed=0, shuffled=shuffled)
        paid[shuffled] = np.sort(seen[0], axis=1).tolist()
        learner = Learner(folder)
    assert paid[False] == paid[True]


def test_imitation_lowers_the_surprise_at_what_is_imitated(folder: Path) -> None:
    learner = Learner(folder)
    shown = [
        (learner.prompt(task.prompt), learner.answer(task.wrap(task.solution.answer)))
        for task in SUMS.tasks("train", 8, seed=10_000)
    ]
    before = surprise(learner, shown)
    imitate(learner, [SUMS], examples=64, seed=0)
    assert surprise(learner, shown) < before


def test_tasks_are_distinct_and_new_wordings_are_told_apart(learner: Learner) -> None:
    tasks = SUMS.tasks("test", 10)
    assert len({task.key for task in tasks}) == 10
    found = passes(learner, [SUMS], 4, SIZES)["sums"]
    assert found["tasks"] == 4
    assert 0 <= found["passed"] <= 1


def test_every_scheduler_trains_and_judges_a_language_model(folder: Path, tmp_path: Path) -> None:
    few: dict[str, Any] = {"families": ("chain_sum", "reverse_text"), "levels": (0, 1), "examples": 4}
    plan, start = curriculum.Plan(**{**asdict(SIZES), **few, "judged": 2}), tmp_path / "start"
    begun = curriculum.begin(curriculum.LanguageModel, plan, folder, 0, start)
    assert set(begun["before"]["families"]) == {"chain_sum", "reverse_text"}
    for name in curriculum.SCHEDULERS:
        trained = curriculum.train(curriculum.LanguageModel, plan, name, 0, start)
        assert trained["rollouts"] == 2 * 2 * 4
        assert len(trained["after"]["levels"]) == 2
