"""Models on this machine: batches, seeds, prompts and errors, with stand-ins for Transformers and vLLM."""

import json
import re
import sys
import threading
import time
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import reasonenv
from cli_calls import call
from reasonenv.errors import InvalidArgument, ReasonEnvError
from reasonenv.rollouts import LocalModel, Record, Sampling, Saving, evaluate, rollout
from reasonenv.rollouts._local import Generated, token_ids

TASKS = reasonenv.family("chain_sum").batch(count=6, level=1, split="eval")
RIGHT = {task.prompt: task.wrap(task.solution.answer) for task in TASKS}


class Tokenizer:
    """A letter is a token; a chat template that writes roles."""

    chat_template: str | None = "yes"
    takes_system = True

    def apply_chat_template(self, messages: list[dict[str, str]], **how: bool) -> str:
        if messages[0]["role"] == "system" and not self.takes_system:
            raise ValueError("no system prompts")
        text = "".join(f"<{one['role']}>{one['content']}" for one in messages)
        return f"{text}<assistant>" if how["add_generation_prompt"] else text

    def __call__(self, text: str, **_: bool) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}


class Engine:
    """Says what a script does of a prompt and a seed."""

    def __init__(self, script: Callable[[str, int], str], context: int = 10_000) -> None:
        self.script, self.context = script, context
        self.tokenizer = Tokenizer()
        self.batches: list[list[str]] = []
        self.settings: list[Mapping[str, Any]] = []

    def generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        _stopped: Callable[[], bool],
    ) -> list[Generated]:
        texts = ["".join(map(chr, prompt)) for prompt in prompts]
        self.batches.append(texts)
        self.settings.append(settings)
        said = [self.script(text, seed) for text, seed in zip(texts, seeds, strict=True)]
        most = settings["max_tokens"]
        return [Generated(text[:most], min(len(text), most), len(text) > most) for text in said]


def right(prompt: str, _seed: int) -> str:
    return next(answer for asked, answer in RIGHT.items() if asked in prompt)


def model(engine: Engine, **more: Any) -> LocalModel:
    made = LocalModel("some/model", **more)
    made._loaded.append(engine)
    return made


def test_requests_at_once_are_one_batch_and_tokens_are_counted() -> None:
    engine = Engine(right)
    result = rollout(TASKS, model(engine, system="Be brief."), group_size=4, sampling=Sampling(concurrency=8))
    assert result.passed.all()
    assert [len(batch) for batch in engine.batches] == [8, 8, 8]
    assert engine.batches[0][0] == f"<system>Be brief.<user>{TASKS[0].prompt}<assistant>"
    one = result[0]
    assert one.policy == "hf:some/model"
    assert one.usage == {"prompt_tokens": len(engine.batches[0][0]), "completion_tokens": len(one.text)}
    assert one.seconds > 0
    assert engine.settings[0] == {"max_tokens": 512}


def test_an_answer_follows_from_seed_task_and_rollout_alone() -> None:
    def texts(seed: int, concurrency: int, batch_size: int) -> list[str]:
        engine = Engine(lambda _prompt, own: str(own))
        policy = model(engine, seed=seed, batch_size=batch_size)
        result = rollout(TASKS, policy, group_size=3, sampling=Sampling(concurrency=concurrency))
        return [one.text for one in result]

    first = texts(0, 1, 32)
    assert first == texts(0, 16, 32) == texts(0, 16, 5)
    assert len(set(first)) == len(first)
    assert first != texts(1, 1, 32)


def test_a_prompt_beyond_the_context_is_an_answer_that_says_so_and_shortens_no_other() -> None:
    room = len(f"<user>{TASKS[0].prompt}<assistant>")
    longest = max(TASKS, key=lambda task: len(task.prompt))
    engine = Engine(lambda _prompt, _seed: "x" * 100, context=max(len(task.prompt) for task in TASKS) + 17)
    policy = model(engine, max_tokens=50)
    result = rollout(TASKS, policy, group_size=1)
    assert not result.errors
    for one in result:
        left = engine.context - (len(one.prompt) + len("<user><assistant>"))
        assert one.truncated
        assert len(one.text) == max(0, min(50, left))
        assert one.note == ("the prompt does not fit the model's context" if left <= 0 else None)
    assert any(one.prompt == longest.prompt and one.note for one in result)
    assert room > 0


def test_progress_is_shown_and_a_run_that_stops_resumes(tmp_path: Path) -> None:
    asked: list[str] = []

    def dies(prompt: str, seed: int) -> str:
        asked.append(prompt)
        if len(asked) > 8:
            raise ZeroDivisionError
        return right(prompt, seed)

    place = {"sampling": Sampling(concurrency=4), "saving": tmp_path}
    with pytest.raises(ZeroDivisionError):
        rollout(TASKS, model(Engine(dies)), group_size=2, **place)  # type: ignore[arg-type]
    seen: list[int] = []
    engine = Engine(right)
    saving = Saving(folder=tmp_path, on_progress=lambda now: seen.append(now.done))
    result = rollout(TASKS, model(engine), group_size=2, sampling=Sampling(concurrency=4), saving=saving)
    assert sum(map(len, engine.batches)) == 4
    assert result.passed.all()
    assert seen[-1] == 12
    assert len(seen) >= 4
    assert len(Record.load(tmp_path)) == 12


def test_templates_without_system_prompts_and_models_without_templates_are_asked_too() -> None:
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    begun = [*messages, {"role": "assistant", "content": "A"}]

    def text(given: Sequence[Mapping[str, str]], tokenizer: Tokenizer) -> str:
        return "".join(map(chr, token_ids(tokenizer, given)))

    usual, strict, base = Tokenizer(), Tokenizer(), Tokenizer()
    strict.takes_system = False
    base.chat_template = None
    assert text(messages, usual) == "<system>S<user>U<assistant>"
    assert text(begun, usual) == "<system>S<user>U<assistant>A"
    assert text(messages, strict) == "<user>S\n\nU<assistant>"
    assert text(begun, base) == "S\n\nU\n\nA"


def test_games_and_prefixes_are_conversations() -> None:
    def move(prompt: str, _seed: int) -> str:
        return f"<move>{prompt.rpartition('Available positions: [')[2][0]}</move>"

    def game() -> Any:
        return gymnasium.make("reasonenv/TicTacToe-v1", mode="text", opponent="random")

    engine = Engine(move)
    result = rollout(game, model(engine, system="Win."), n=3, group_size=2)
    assert len(result) == 6
    assert all(one.terminated and len(one.turns) > 1 for one in result)
    assert engine.batches[0][0].startswith("<system>Win.\n\n")
    engine = Engine(lambda _prompt, _seed: "</answer>")
    (one,) = rollout(TASKS[:1], model(engine), group_size=1, sampling=Sampling(branch="<answer>7"))
    assert engine.batches[0][0].endswith("<assistant><answer>7")
    assert one.text == "<answer>7</answer>"


def test_settings_of_sampling_fill_in_and_the_version_tells_of_them() -> None:
    engine = Engine(right)
    policy = model(engine, temperature=0.2)
    result = rollout(TASKS[:1], policy, group_size=1, sampling=Sampling(temperature=1, max_tokens=64))
    assert engine.settings[0] == {"temperature": 0.2, "max_tokens": 64}
    assert result[0].policy_version != policy.version
    assert (policy.version or "").startswith("model@hub#")


def test_another_checkpoint_in_the_same_folder_is_another_version(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"a" * 200_000)
    first = LocalModel(tmp_path).version
    assert LocalModel(tmp_path).version == first
    weights.write_bytes(b"a" * 199_999 + b"b")
    assert LocalModel(tmp_path).version != first


def fake_vllm(calls: list[Any]) -> types.ModuleType:
    """The part of vLLM 0.9 and later that is used."""

    class SamplingParams:
        def __init__(self, **given: Any) -> None:
            known = {"temperature", "top_p", "top_k", "max_tokens", "stop", "seed", "skip_special_tokens"}
            assert set(given) <= known
            self.temperature, self.top_p, self.top_k = 0.6, 0.95, 20
            vars(self).update(given)

    class LLM:
        def __init__(self, model: str, **options: Any) -> None:
            if model == "missing":
                raise OSError("no such model")
            calls.append((model, options))
            config = types.SimpleNamespace(max_model_len=4096)
            self.llm_engine = types.SimpleNamespace(model_config=config)

        def get_tokenizer(self) -> Tokenizer:
            return Tokenizer()

        def get_default_sampling_params(self) -> SamplingParams:
            return SamplingParams()

        def generate(self, prompts: Any, params: Any, *, use_tqdm: bool) -> list[Any]:
            assert not use_tqdm
            replies = []
            for prompt, its in zip(prompts, params, strict=True):
                calls.append(vars(its))
                text = right("".join(map(chr, prompt["prompt_token_ids"])), 0)
                said = types.SimpleNamespace(text=text, token_ids=[1, 2, 3], finish_reason="stop")
                replies.append(types.SimpleNamespace(outputs=[said]))
            return replies

    module = types.ModuleType("vllm")
    vars(module).update(LLM=LLM, SamplingParams=SamplingParams)
    return module


def test_vllm_is_asked_as_its_interface_says(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "vllm", fake_vllm(calls))
    (row,) = evaluate(TASKS, "vllm:some/model", seed=3, sampling=Sampling(temperature=0.8, max_tokens=99))
    assert row.pass_rate == 1
    assert row.policy == "vllm:some/model"
    assert calls[0] == ("some/model", {})
    assert len({one["seed"] for one in calls[1:]}) == 6
    one = calls[1] | {"seed": 0}
    assert one == {
        "temperature": 0.8,
        "top_p": 0.95,
        "top_k": 20,
        "max_tokens": 99,
        "seed": 0,
        "skip_special_tokens": False,
    }
    with pytest.raises(ReasonEnvError, match="`vllm:missing` cannot be loaded: no such model"):
        evaluate(TASKS, "vllm:missing")


@pytest.mark.parametrize("name", ["hf", "vllm"])
def test_without_the_extra_the_error_names_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("torch", "transformers", "vllm"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ReasonEnvError, match=rf"install reasonenv\[{name}\]"):
        evaluate(TASKS, f"{name}:some/model")
    shown = call("eval", "chain_sum", "--policy", f"{name}:some/model", "-n", 2)
    assert shown.exit_code == 1
    assert f"install reasonenv[{name}]" in re.sub(r"\s+", " ", shown.stderr)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LocalModel(""), "`path` is ''"),
        (lambda: LocalModel("m", engine="gguf"), "unknown engine 'gguf'"),  # type: ignore[arg-type]
        (lambda: LocalModel("m", batch_size=0), "`batch_size` is 0"),
        (lambda: LocalModel("m", stop=[""]), "`stop` has ''"),
        (lambda: evaluate(TASKS, "hf:"), "`path` is ''"),
    ],
)
def test_bad_arguments_are_named(make: Any, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        make()


def test_an_interrupted_run_stops_generating() -> None:
    started, seen = threading.Event(), threading.Event()

    class Slow(Engine):
        def generate(self, prompts: Any, settings: Any, seeds: Any, stopped: Any) -> list[Generated]:
            said = super().generate(prompts, settings, seeds, stopped)
            if len(self.batches) == 1:
                return said
            started.set()
            for _ in range(5_000):
                if stopped():
                    seen.set()
                    break
                time.sleep(0.001)
            return said

    def stop(_now: Any) -> None:
        assert started.wait(5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rollout(TASKS, model(Slow(right), batch_size=1), group_size=1, saving=Saving(on_progress=stop))
    assert seen.wait(5)


def test_a_run_file_names_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "vllm", fake_vllm(calls))
    file = tmp_path / "run.json"
    content = {
        "generator": {"name": "chain_sum", "level": 1, "split": "eval"},
        "policy": {"name": "vllm", "path": "some/model", "options": {"max_model_len": 4096}},
        "sampling": {"temperature": 0.5},
        "n": 6,
        "group_size": 1,
    }
    file.write_text(json.dumps(content))
    assert call("run", file, "--run", tmp_path / "run").exit_code == 0
    assert calls[0] == ("some/model", {"max_model_len": 4096})
    assert calls[1]["temperature"] == 0.5
