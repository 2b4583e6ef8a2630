"""Fine-tuning of a language model with TRL: worked solutions to imitate, rewards, and their control."""

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import reasonenv
import torch
from common import mean
from datasets import Dataset, disable_progress_bars
from reasonenv.data import export, warmup_records
from reasonenv.integrations import rows
from reasonenv.integrations import trl as adapter
from reasonenv.rollouts import LocalModel
from reasonenv.types import SplitName
from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

disable_progress_bars()


@dataclass(frozen=True)
class Kind:
    """A kind of task: a family and the params of it that differ from those of level 0."""

    name: str
    family: str
    params: Mapping[str, Any]

    def source(self, split: SplitName = "train", seed: int = 0) -> reasonenv.Source:
        return reasonenv.family(self.family).source(params=dict(self.params), split=split, seed=seed)

    def tasks(self, split: SplitName, number: int) -> list[reasonenv.Task]:
        """The first distinct tasks of a split, which may have fewer."""
        drawn = (self.source(split).task(index) for index in range(20 * number))
        return list(islice({task.problem: task for task in drawn}.values(), number))


@dataclass(frozen=True)
class Sizes:
    """Settings of a run; the defaults suit a small model on two cores."""

    steps: int = 60
    """Updates of GRPO."""
    prompts: int = 12
    """Prompts of an update."""
    group: int = 8
    """Completions of each prompt."""
    length: int = 64
    """Tokens of a completion."""
    judged: int = 200
    """Held-out tasks of each kind."""
    examples: int = 512
    """Worked solutions of the warm-up."""
    minutes: float = 60.0
    """Processor minutes of an arm."""
    rate: float = 1e-5
    """Learning rate of GRPO."""
    temperature: float = 0.8
    """Temperature of GRPO."""


class Until(TrainerCallback):  # type: ignore[misc]  # Transformers is no package of the type check
    """Ends a training run after some processor seconds, and prints its rewards."""

    def __init__(self, seconds: float) -> None:
        self.end = time.process_time() + seconds

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:  # noqa: ARG002  as it is called
        if "reward" in logs:
            print(f"  update {state.global_step}: {float(logs['reward']):.1%} passed", flush=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002  as it is called
        control.should_training_stop |= time.process_time() >= self.end


class Shuffled(adapter.VerdictReward):
    """The control: the rewards of a problem's completions, dealt out at random among them."""

    rng = np.random.default_rng(0)

    def __call__(self, completions: Any, *, problem: Any = None, **columns: Any) -> list[float | None]:
        paid = super().__call__(completions, problem=problem, **columns)
        dealt = list(paid)
        for one in set(problem):
            places = [at for at, other in enumerate(problem) if other == one]
            for place, other in zip(places, self.rng.permutation(places), strict=True):
                dealt[place] = paid[other]
        return dealt


def loaded(path: str | Path) -> tuple[Any, Any]:
    """A model and its tokenizer. Weights are copied: mapped from a file, they make each token slow."""
    path = Path(path)
    file = next(path.glob("*.gguf"), None) if path.is_dir() else None
    more = {} if file is None else {"gguf_file": file.name}
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, **more)
    for weight in model.parameters():
        weight.data = weight.data.clone()
    return model, AutoTokenizer.from_pretrained(path, **more)


def supervised(
    start: str | Path,
    out: Path,
    kinds: Sequence[Kind],
    *,
    examples: int,
    seed: int,
    seconds: float = math.inf,
) -> None:
    """Imitate worked solutions, once, or over and over for some processor seconds."""
    said = []
    for kind in kinds:
        path = out.with_suffix(".jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        records = warmup_records(kind.family, examples // len(kinds), params=kind.params, seed=seed)
        export(records, path, "solutions")
        said += [json.loads(line)["messages"] for line in path.read_text().splitlines()]
    model, tokenizer = loaded(start)
    settings = SFTConfig(
        num_train_epochs=1 if math.isinf(seconds) else 1_000,
        per_device_train_batch_size=8,
        learning_rate=2e-5,
        **_common(out, seed),
    )
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        args=settings,
        train_dataset=Dataset.from_list([{"prompt": one[:1], "completion": one[1:]} for one in said]),
        callbacks=[Until(seconds)],
    )
    _train(trainer, tokenizer, out)


def rewarded(
    start: str | Path, out: Path, kinds: Sequence[Kind], sizes: Sizes, *, seed: int, shuffled: bool = False
) -> list[list[float]]:
    """Train by GRPO on a reward of 1 for a right answer, or on the control; gives the curve of the reward."""
    each = sizes.steps * sizes.prompts // len(kinds)
    posed = [row for kind in kinds for row in rows(kind.source(seed=seed), each)]
    model, tokenizer = loaded(start)
    settings = GRPOConfig(
        max_steps=sizes.steps,
        per_device_train_batch_size=sizes.group,
        gradient_accumulation_steps=sizes.prompts,
        num_generations=sizes.group,
        max_completion_length=sizes.length,
        temperature=sizes.temperature,
        learning_rate=sizes.rate,
        beta=0.0,
        logging_steps=1,
        **_common(out, seed),
    )
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=(Shuffled if shuffled else adapter.VerdictReward)(),
        args=settings,
        train_dataset=adapter.dataset(posed).shuffle(seed=seed),
        callbacks=[Until(60 * sizes.minutes)],
    )
    _train(trainer, tokenizer, out)
    logs = [log for log in trainer.state.log_history if "reward" in log]
    return [[float(at), float(log["reward"])] for at, log in enumerate(logs)]


def passes(path: str | Path, kinds: Iterable[Kind], sizes: Sizes) -> dict[str, float]:
    """Greedy pass rate of a model on distinct held-out tasks of each kind."""
    policy = LocalModel(path, temperature=0.0, max_tokens=sizes.length)
    found = {}
    for kind in kinds:
        (row,) = reasonenv.evaluate(kind.tasks("test", sizes.judged), policy, n=sizes.judged)
        found[kind.name] = row.pass_rate
    return found


def _common(out: Path, seed: int) -> dict[str, Any]:
    return {
        "output_dir": str(out),
        "seed": seed,
        "bf16": torch.cuda.is_available(),
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
    }


def _train(trainer: Any, tokenizer: Any, out: Path) -> None:
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    trainer.save_model(str(out))
    tokenizer.save_pretrained(str(out))


def answers_to(prompts: Iterable[str], path: str | Path, tokens: int = 48) -> list[tuple[str, str]]:
    """Greedy answers of a model to plain prompts, each with its prompt as text."""
    model, tokenizer = loaded(path)
    said = []
    for prompt in prompts:
        text = chat(tokenizer, prompt)
        read = tokenizer(text, return_tensors="pt", add_special_tokens=False)
        written = model.generate(**read, do_sample=False, max_new_tokens=tokens)
        said.append((text, tokenizer.decode(written[0][read["input_ids"].shape[1] :])))
    return said


def surprise(path: str | Path, said: Iterable[tuple[str, str]]) -> float:
    """Mean negative log-likelihood of a token of the base model's answers, in nats: what was forgotten."""
    model, tokenizer = loaded(path)
    found = []
    for prompt, answer in said:
        start = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
        read = tokenizer(prompt + answer, return_tensors="pt", add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            chances = torch.log_softmax(model(read).logits[0, start - 1 : -1].float(), -1)
        found += (-chances.gather(1, read[0, start:, None])).flatten().tolist()
    return mean(found)


def chat(tokenizer: Any, prompt: str) -> str:
    talk = [{"role": "user", "content": prompt}]
    text: str = tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
    return text


def tiny(folder: Path, kinds: Iterable[Kind]) -> str:
    """A model of random weights with a chat template, for the quick form."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415  for this form alone
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: PLC0415  for this form alone

    said = [
        task.prompt + task.wrap(task.solution.answer) for kind in kinds for task in kind.tasks("train", 99)
    ]
    words = Tokenizer(models.BPE())
    words.pre_tokenizer, words.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    special = ["<pad>", "<s>", "</s>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words.train_from_iterator(
        said, trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>")
    tokenizer.chat_template = (
        "{% for one in messages %}<s>{{ one['content'] }}{% if one['role'] == 'assistant' %}</s>"
        "{% endif %}{% endfor %}{% if add_generation_prompt %}<s>{% endif %}"
    )
    sizes = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(tokenizer), pad_token_id=0, eos_token_id=2, bos_token_id=1, **sizes)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
