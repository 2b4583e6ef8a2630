"""GRPO for a small language model on a processor: sampling, gradients and updates in one short loop.

`finetuning.py` does the same with TRL. Here the completions of a prompt share its cache when sampled
and its pass when learned from, weights are bfloat16 with float32 copies for the optimizer, and groups
without a gradient cost nothing.
"""

import math
from collections.abc import Iterable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM
from transformers.cache_utils import DynamicCache
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, sdpa_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

Group = tuple[list[int], list[list[int]], Sequence[float]]
"""The tokens of a prompt, those of its completions, and the weight of each completion."""


def _attention(
    _: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float | None = None, **__: Any
) -> Any:
    """Attention whose keys and values are not repeated for every query head while decoding."""
    rows, heads, length, size = query.shape
    shared = heads // key.shape[1]
    if length == 1:
        query = query.view(rows, key.shape[1], shared, size)
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scaling)
        return found.reshape(rows, 1, heads, size), None
    key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
    found = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, scale=scaling
    )
    return found.transpose(1, 2), None


CACHE = "cache" if "cache" in signature(LlamaForCausalLM.forward).parameters else "past_key_values"
"""The name of the argument, which Transformers changed."""

ALL_ATTENTION_FUNCTIONS.register("shared_keys", _attention)
ALL_MASK_ATTENTION_FUNCTIONS.register("shared_keys", sdpa_mask)


class _Cache(DynamicCache):
    """A cache with room for the whole answer, so that no token copies those before it."""

    def __init__(self, of_prompts: DynamicCache, times: int, room: int) -> None:
        super().__init__()
        self.filled = int(of_prompts.get_seq_length())
        self.places = [
            [
                functional.pad(one.repeat_interleave(times, 0), (0, 0, 0, room))
                for one in (layer.keys, layer.values)
            ]
            for layer in of_prompts.layers
        ]

    def update(self, key: Any, value: Any, layer: int, *_: Any, **__: Any) -> Any:
        end = self.filled + key.shape[2]
        for place, new in zip(self.places[layer], (key, value), strict=True):
            place[:, :, self.filled : end] = new
        if layer == len(self.places) - 1:
            self.filled = end
        return tuple(place[:, :, :end] for place in self.places[layer])

    def get_seq_length(self, *_: Any) -> int:
        return self.filled


class Learner:
    """A causal language model that samples, scores and learns.

    Args:
        path: A folder with a model, or its name on the Hub.
        frozen: Layers, from the bottom, that keep their weights, like the embeddings.
    """

    def __init__(self, path: str | Path, *, frozen: int = 0) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModelForCausalLM.from_pretrained(
            path, dtype=torch.bfloat16, attn_implementation="shared_keys"
        )
        for weight in self.model.parameters():
            # Weights that are mapped from a file are read from it for every token.
            weight.data = weight.data.clone()
        self.model.to(torch.get_default_device())
        self.end: int = self.tokenizer.eos_token_id
        for part in (self.model.get_input_embeddings(), *self.model.model.layers[:frozen]):
            part.requires_grad_(False)
        self.learned = [weight for weight in self.model.parameters() if weight.requires_grad]
        self.exact = [weight.detach().float().clone() for weight in self.learned]
        self.optimizer = torch.optim.AdamW(self.exact, betas=(0.9, 0.99), weight_decay=0.0)

    def prompt(self, text: str) -> list[int]:
        """Tokens of a user's message and of the start of the answer."""
        talk = [{"role": "user", "content": text}]
        chat = self.tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
        return list(self.tokenizer(chat, add_special_tokens=False)["input_ids"])

    def answer(self, text: str) -> list[int]:
        """Tokens of an answer and its end."""
        return [*self.tokenizer(text, add_special_tokens=False)["input_ids"], self.end]

    def text(self, answer: Sequence[int]) -> str:
        return str(self.tokenizer.decode([token for token in answer if token != self.end]))

    @torch.inference_mode()
    def sample(
        self,
        prompts: Sequence[list[int]],
        times: int,
        length: int,
        temperature: float,
        rng: np.random.Generator,
    ) -> list[list[int]]:
        """Completions of each prompt, one after the other, of at most `length` tokens."""
        width, rows = max(map(len, prompts)), len(prompts) * times
        tokens = torch.full((len(prompts), width), self.end)
        mask = torch.zeros_like(tokens)
        for row, prompt in enumerate(prompts):
            tokens[row, width - len(prompt) :] = torch.tensor(prompt)
            mask[row, width - len(prompt) :] = 1
        given: dict[str, Any] = {"attention_mask": mask, "position_ids": (mask.cumsum(1) - 1).clamp(min=0)}
        first = DynamicCache()
        scores = self.model(tokens, logits_to_keep=1, **given, **{CACHE: first}).logits[:, -1]
        scores, place = scores.repeat_interleave(times, 0), mask.sum(1).repeat_interleave(times)
        cache = {CACHE: _Cache(first, times, length)}
        seen = torch.zeros(rows, 1, 1, width + length, dtype=self.model.dtype)
        seen[:, 0, 0, :width].masked_fill_(mask.repeat_interleave(times, 0) == 0, -math.inf)
        said, going = torch.full((rows, length), self.end), torch.ones(rows, dtype=torch.bool)
        for at in range(length):
            said[:, at] = torch.where(going, _drawn(scores, temperature, rng), self.end)
            going &= said[:, at] != self.end
            if at == length - 1 or not going.any():
                break
            given = {"attention_mask": seen[..., : width + at + 1], "position_ids": place[:, None] + at}
            scores = self.model(said[:, at : at + 1], **given, **cache).logits[:, -1]
        return [row[: row.index(self.end) + 1] if self.end in row else row for row in said.tolist()]

    def scores(self, prompt: list[int], said: Sequence[list[int]]) -> torch.Tensor:
        """Negative log-likelihood of every token of several completions of a prompt, in one row."""
        start, lengths = len(prompt), [len(one) for one in said]
        tokens = torch.tensor([[*prompt, *(token for one in said for token in one)]])
        part = torch.repeat_interleave(torch.tensor([start, *lengths]))
        places = torch.cat([torch.arange(start), *(start + torch.arange(length) for length in lengths)])[None]
        order = torch.arange(len(part))
        sees = (order[:, None] >= order) & ((part[:, None] == part) | (part == 0))
        mask = torch.zeros(sees.shape, dtype=self.model.dtype).masked_fill_(~sees, -math.inf)[None, None]
        hidden = self.model.model(
            tokens, attention_mask=mask, position_ids=places, use_cache=False
        ).last_hidden_state
        # A token is foretold by the one before it, the first of a completion by the end of the prompt.
        before = torch.where(places[0, start:] == start, start - 1, order[start:] - 1)
        return functional.cross_entropy(
            self.model.lm_head(hidden[0, before]).float(), tokens[0, start:], reduction="none"
        )

    def learn(self, groups: Iterable[Group], *, rate: float) -> None:
        """Take one step: raise the likelihood of completions with positive weights, lower the others."""
        weighed = [
            (prompt, [pair for pair in zip(said, weights, strict=True) if pair[1]])
            for prompt, said, weights in groups
        ]
        total = sum(len(one) for _, pairs in weighed for one, _ in pairs)
        if not total:
            return
        for prompt, pairs in weighed:
            if pairs:
                lengths = torch.tensor([len(one) for one, _ in pairs])
                each = torch.repeat_interleave(torch.tensor([weight for _, weight in pairs]), lengths)
                ((self.scores(prompt, [one for one, _ in pairs]) * each).sum() / total).backward()
        for exact, weight in zip(self.exact, self.learned, strict=True):
            exact.grad, weight.grad = weight.grad.float(), None
        torch.nn.utils.clip_grad_norm_(self.exact, 1.0)
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.step()
        for exact, weight in zip(self.exact, self.learned, strict=True):
            weight.data.copy_(exact)

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def _drawn(scores: torch.Tensor, temperature: float, rng: np.random.Generator) -> torch.Tensor:
    """A token for each row; the likeliest at temperature 0."""
    if temperature == 0:
        return scores.argmax(-1)
    sums = (scores.float() / temperature).softmax(-1).cumsum(-1)
    coins = torch.tensor(rng.random(len(sums)), dtype=sums.dtype)[:, None] * sums[:, -1:]
    return torch.searchsorted(sums, coins, right=True)[:, 0].clamp(max=sums.shape[1] - 1)
