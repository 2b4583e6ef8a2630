"""Transformers itself, on a model built in code: batches, sampling, stop strings and long prompts."""

from pathlib import Path
from typing import Any

import pytest
import reasonenv
import torch
from reasonenv.errors import ReasonEnvError
from reasonenv.rollouts import LocalModel, Sampling, rollout
from reasonenv.rollouts._transformers import TransformersEngine, _Draw

from . import tiny

TASKS = reasonenv.family("chain_sum").batch(count=3, split="eval")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("model")
    tokens = tiny.tokenizer()
    tiny.model(tokens).save_pretrained(place)
    tokens.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def engine(folder: Path) -> TransformersEngine:
    return TransformersEngine(str(folder), {"dtype": torch.float32, "device": "cpu"})


def said(engine: TransformersEngine, prompts: list[str], seeds: list[int], **settings: Any) -> list[Any]:
    ids = [engine.tokenizer(prompt)["input_ids"] for prompt in prompts]
    usual = {"temperature": 1.0, "max_tokens": 24}
    return engine.generate(ids, usual | settings, seeds, lambda: False)


PROMPTS = ["a", "What is 2 + 2?", "a much longer prompt, so that the others have padding before them"]


@pytest.mark.parametrize("settings", [{}, {"top_p": 0.7}, {"temperature": 0.5}, {"temperature": 0}])
def test_a_batch_gives_what_each_prompt_gives_alone(
    engine: TransformersEngine, settings: dict[str, Any]
) -> None:
    together = said(engine, PROMPTS, [1, 2, 3], **settings)
    alone = [said(engine, [prompt], [at + 1], **settings)[0] for at, prompt in enumerate(PROMPTS)]
    assert together == alone
    again = said(engine, PROMPTS, [1, 2, 4], **settings)
    assert again[:2] == together[:2]
    assert (again[2] == together[2]) == (settings.get("temperature") == 0)


def test_a_prompt_that_repeats_is_read_once_and_answered_as_if_alone(
    engine: TransformersEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, forward = [], engine._model.forward

    def seen(tokens: Any = None, **more: Any) -> Any:
        read.append(len(tokens if tokens is not None else more["input_ids"]))
        return forward(tokens, **more) if tokens is not None else forward(**more)

    alone = [said(engine, [prompt], [at])[0] for at, prompt in enumerate(PROMPTS * 3)]
    monkeypatch.setattr(engine._model, "forward", seen)
    assert said(engine, PROMPTS * 3, list(range(9))) == alone
    assert read[0] == 3
    assert {*read[1:]} == {9}


def test_tokens_are_counted_and_what_is_cut_off_says_so(engine: TransformersEngine) -> None:
    (one,) = said(engine, ["a"], [1], max_tokens=5)
    assert (one.tokens, one.truncated) == (5, True)
    assert "<|im_end|>" not in one.text


def test_an_answer_ends_before_a_stop_string_alone(engine: TransformersEngine) -> None:
    first, second = said(engine, ["a", "b"], [1, 2])
    stop = next(letter for letter in first.text[2:] if letter.isascii() and letter not in second.text[:12])
    cut, other = said(engine, ["a", "b"], [1, 2], stop=[stop])
    assert cut.text == first.text[: first.text.index(stop)]
    assert not cut.truncated
    assert cut.tokens <= first.tokens
    assert second.text.startswith(other.text)


def test_draws_have_the_models_own_chances() -> None:
    scores = torch.log(torch.tensor([[0.5, 0.3, 0.2]])).repeat(6000, 1)
    seeds = list(range(6000))

    def shares(**settings: float) -> list[float]:
        chosen = _Draw(torch, settings, seeds)(None, scores).argmax(1)
        return [round(float(one), 2) for one in torch.bincount(chosen, minlength=3) / 6000]

    assert shares(temperature=1) == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    assert shares(temperature=0.5) == pytest.approx([25 / 38, 9 / 38, 4 / 38], abs=0.03)
    assert shares(temperature=1, top_p=0.6) == pytest.approx([5 / 8, 3 / 8, 0], abs=0.03)
    assert shares(temperature=1, top_k=1) == [1, 0, 0]


def test_a_run_names_the_model_by_its_folder_and_does_not_depend_on_batches(folder: Path) -> None:
    found = []
    for concurrency in (1, 4):
        sampling = Sampling(concurrency=concurrency, max_tokens=8, temperature=0.9)
        result = rollout(TASKS, f"hf:{folder}", group_size=2, sampling=sampling)
        found.append([one.text for one in result])
        assert all(one.truncated or one.text for one in result)
        assert {(one.usage or {})["completion_tokens"] for one in result} <= set(range(9))
    assert found[0] == found[1]
    assert len(set(found[0])) > 3


def test_a_prompt_that_is_too_long_is_noted(folder: Path) -> None:
    long = reasonenv.from_rows([{"question": "a" * 9000, "answer": "1"}], verifier="number_equal")
    (one,) = rollout(long, LocalModel(folder), group_size=1)
    assert (one.text, one.truncated, one.error) == ("", True, None)
    assert one.note == "the prompt does not fit the model's context"


def test_a_folder_without_a_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ReasonEnvError, match=f"`hf:{tmp_path}` cannot be loaded"):
        rollout(TASKS, f"hf:{tmp_path}", group_size=1)
