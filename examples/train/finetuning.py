"""Fine-tuning of a language model: tasks, solutions to imitate, rewards and their control, measures."""

import math
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import reasonenv
import torch
from common import Result, mean
from grpo import Group, Learner
from reasonenv.rewards import advantages, resolve
from reasonenv.types import SplitName
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM


@dataclass(frozen=True)
class Kind:
    """A kind of task: a family at a level, or with params of its own."""

    name: str
    family: str
    params: Mapping[str, Any] | None = None
    level: int = 0
    wrapper: str = "bare"

    def source(self, split: SplitName = "train", seed: int = 0) -> reasonenv.Source:
        family = reasonenv.family(self.family)
        params = None if self.params is None else dict(self.params)
        style = {"wrapper": self.wrapper}
        return family.source(level=self.level, params=params, split=split, seed=seed, style=style)

    def tasks(self, split: SplitName, number: int, seed: int = 0) -> list[reasonenv.Task]:
        """The first distinct tasks of a split, which may have fewer."""
        source = self.source(split, seed)
        drawn = (source.task(index) for index in range(20 * number))
        return list(islice({task.key: task for task in drawn}.values(), number))


@dataclass(frozen=True)
class Sizes:
    """Settings of a run; the defaults suit a small model on one core."""

    steps: int = 24
    """Updates of GRPO."""
    prompts: int = 12
    """Prompts of an update."""
    group: int = 8
    """Completions of each prompt."""
    length: int = 40
    """Tokens of a completion."""
    judged: int = 200
    """Held-out tasks of each trained kind; a quarter as many of the others."""
    examples: int = 64
    """Worked solutions of each kind in the warm-up."""
    minutes: float = 60.0
    """Processor minutes of an arm, at most."""
    rate: float = 4e-5
    """Learning rate of GRPO."""
    temperature: float = 0.8
    """Temperature of GRPO."""


BATCH, RATE, CHUNK = 8, 4e-5, 24
"""Examples of a supervised update, its learning rate, and prompts that are answered at once."""


def unpacked(path: Path, folder: Path) -> Path:
    """A folder that Transformers reads, from one with a GGUF file."""
    file = next(path.glob("*.gguf"), None) if path.is_dir() else None
    if file is None or (folder / "config.json").exists():
        return path if file is None else folder
    tokenizer = AutoTokenizer.from_pretrained(path, gguf_file=file.name)
    packed = AutoModelForCausalLM.from_pretrained(path, gguf_file=file.name, dtype=torch.float32)
    settings = {key: one for key, one in packed.config.to_dict().items() if key != "quantization_config"}
    # A model that was read from packed weights cannot be saved.
    model = LlamaForCausalLM(LlamaConfig(**settings))
    model.load_state_dict(packed.state_dict())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def imitate(
    learner: Learner,
    kinds: Sequence[Kind],
    *,
    examples: int,
    seed: int,
    seconds: float = math.inf,
    rate: float = RATE,
) -> None:
    """Imitate own solutions of training tasks: each once, or for some processor seconds over and over."""
    shown: list[Group] = [
        (learner.prompt(task.prompt), [learner.answer(task.wrap(task.solution.answer))], [1.0])
        for kind in kinds
        for task in kind.tasks("train", examples, seed=10_000 + seed)
    ]
    draw, end = random.Random(seed), time.process_time() + seconds
    for _ in range(1) if math.isinf(seconds) else count():
        draw.shuffle(shown)
        for at in range(0, len(shown), BATCH):
            learner.learn(shown[at : at + BATCH], rate=rate)
            if time.process_time() >= end:
                return


def reinforce(
    learner: Learner,
    kinds: Sequence[Kind],
    sizes: Sizes,
    *,
    seed: int,
    reward: str = "binary",
    shuffled: bool = False,
) -> list[list[float]]:
    """GRPO; gives the curve of the pass rate in training.

    The usual reward is 1 for a right answer, else 0. With `shuffled`, the control, the rewards of a group are
    dealt out at random among its completions.
    """
    paying = resolve(reward)
    rng, curve, start = np.random.default_rng(seed), list[list[float]](), time.process_time()
    sources = [kind.source(seed=seed) for kind in kinds]
    for step in range(sizes.steps):
        places = range(step * sizes.prompts, (step + 1) * sizes.prompts)
        tasks = [sources[at % len(kinds)].task(at // len(kinds)) for at in places]
        prompts = [learner.prompt(task.prompt) for task in tasks]
        said = learner.sample(prompts, sizes.group, sizes.length, sizes.temperature, rng)
        groups = [said[at : at + sizes.group] for at in range(0, len(said), sizes.group)]
        verdicts = [
            [task.verify(learner.text(one)) for one in group]
            for task, group in zip(tasks, groups, strict=True)
        ]
        curve.append([float(step), mean(float(one.passed) for group in verdicts for one in group)])
        paid = np.array([[paying(one) for one in group] for group in verdicts])
        if shuffled:
            paid = rng.permuted(paid, axis=1)
        learner.learn(zip(prompts, groups, advantages(paid).tolist(), strict=True), rate=sizes.rate)
        if step % 5 == 0:
            print(f"  update {step}: {curve[-1][1]:.1%} passed", flush=True)
        if time.process_time() - start >= 60 * sizes.minutes:
            break
    return curve


def passes(
    learner: Learner, kinds: Iterable[Kind], number: int, sizes: Sizes, split: SplitName = "test"
) -> dict[str, Result]:
    """Greedy pass rate on distinct tasks of each kind, and on those in wordings that no training task has."""
    found = {}
    for kind in kinds:
        tasks = sorted(kind.tasks(split, number), key=lambda task: len(task.prompt))
        passed = [one[0] for one in answered(learner, tasks, 1, sizes.length, 0.0)]
        held_out = reasonenv.family(kind.family).held_out_templates
        new = [one for one, task in zip(passed, tasks, strict=True) if task.style["template"] in held_out]
        found[kind.name] = {"passed": mean(passed), "new wordings": mean(new), "tasks": len(tasks)}
    return found


def answered(
    learner: Learner, tasks: Sequence[reasonenv.Task], times: int, length: int, temperature: float
) -> list[list[bool]]:
    """Outcome of each of several completions of every task: true if it passes."""
    rng, found = np.random.default_rng(0), list[list[bool]]()
    for at in range(0, len(tasks), CHUNK):
        some = tasks[at : at + CHUNK]
        said = learner.sample([learner.prompt(one.prompt) for one in some], times, length, temperature, rng)
        for place, task in enumerate(some):
            own = said[place * times : (place + 1) * times]
            found.append([task.verify(learner.text(one)).passed for one in own])
    return found


Said = list[tuple[list[int], list[int]]]
"""Prompts and answers as tokens."""


def answers_to(prompts: Iterable[str], learner: Learner, length: int = 48) -> Said:
    """Greedy answers to plain prompts."""
    asked = [learner.prompt(one) for one in prompts]
    said = learner.sample(asked, 1, length, 0.0, np.random.default_rng(0))
    return list(zip(asked, said, strict=True))


def right_answers(learner: Learner, kinds: Iterable[Kind], number: int) -> Said:
    """Right answers to tasks of each kind, to see how likely a model finds them."""
    tasks = [task for kind in kinds for task in kind.tasks("eval", number)]
    return [(learner.prompt(task.prompt), learner.answer(task.wrap(task.solution.answer))) for task in tasks]


def surprise(learner: Learner, said: Said) -> float:
    """Mean negative log-likelihood of a token of some answers, in nats."""
    with torch.no_grad():
        return mean(float(one) for prompt, answer in said for one in learner.scores(prompt, [answer]))


def trl_seconds(path: Path, kinds: Sequence[Kind], sizes: Sizes, out: Path) -> float:
    """Processor seconds of one of TRL's updates with the same model, prompts, group and length."""
    from datasets import disable_progress_bars  # noqa: PLC0415  for this measurement alone
    from reasonenv.integrations import rows, trl  # noqa: PLC0415
    from transformers import TrainerCallback  # noqa: PLC0415
    from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415

    disable_progress_bars()
    ends: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]  # Transformers is no package of the type check
        def on_step_end(self, *_: Any, **__: Any) -> None:
            ends.append(time.process_time())

    asked = [row for kind in kinds for row in rows(kind.source(), sizes.prompts)]
    settings = GRPOConfig(
        output_dir=str(out),
        max_steps=3,
        per_device_train_batch_size=sizes.group,
        gradient_accumulation_steps=sizes.prompts,
        num_generations=sizes.group,
        max_completion_length=sizes.length,
        temperature=sizes.temperature,
        learning_rate=sizes.rate,
        beta=0.0,
        bf16=torch.cuda.is_available(),
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16)
    for weight in model.parameters():
        weight.data = weight.data.clone()
    GRPOTrainer(
        model=model,
        processing_class=AutoTokenizer.from_pretrained(path),
        reward_funcs=trl.VerdictReward(),
        args=settings,
        train_dataset=trl.dataset(asked).shuffle(seed=0),
        callbacks=[Clock()],
    ).train()
    return float(np.median(np.diff(ends)))


def tiny(folder: Path, kinds: Iterable[Kind]) -> Path:
    """A model of random weights with a chat template, for the quick form."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415  for this form alone
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415  for this form alone

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
    return folder
