"""A small transformer that reads prompts and writes completions, learning by likelihood or by reward."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import common  # noqa: F401, which sets the number of threads before PyTorch is imported
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

torch.set_num_threads(1)

PAD, EOS = 0, 1
_COMMON = 20
"""Minimum occurrences of a stretch between variable parts for it to be one token."""


class Tokenizer:
    """Split texts into tokens known from training texts, and into characters where nothing fits.

    In a prompt, matches of `variable` are split finely, and each stretch in between is one token if it is
    common; other stretches are split into lines, to which the same applies. A completion is split finely
    throughout, so that it is written piece by piece.

    Args:
        prompts: Prompts of the train split.
        completions: Completions of the train split.
        variable: Pattern of the parts that differ from prompt to prompt, such as names or digits.
        piece: Pattern of the fine pieces, such as words, digits and signs.
    """

    def __init__(
        self,
        prompts: Sequence[str],
        completions: Iterable[str],
        *,
        variable: str,
        piece: str = r"\w+| +|\n|.",
    ) -> None:
        self.variable, self.piece = re.compile(variable), re.compile(piece, re.DOTALL)
        self.ids: dict[str, int] = {"<pad>": PAD, "<eos>": EOS}
        self.whole: set[str] = set()
        for split in (self._between, self._stretches):  # the second splits what the first left uncommon
            counts = Counter(text for prompt in prompts for text, varies in split(prompt) if not varies)
            self.whole |= {text for text, count in counts.items() if count >= _COMMON}
        for text in [*sorted(self.whole), *(chr(code) for code in range(32, 127)), "\n"]:
            self._add(text)
        for prompt in prompts:
            for text, varies in self._stretches(prompt):
                if varies or text not in self.whole:
                    for found in self.piece.findall(text):
                        self._add(found)
        for completion in completions:
            for found in self.piece.findall(completion):
                self._add(found)
        self.texts = list(self.ids)

    def _add(self, text: str) -> None:
        self.ids.setdefault(text, len(self.ids))

    def _stretches(self, text: str) -> Iterable[tuple[str, bool]]:
        """Stretches of a prompt, with uncommon ones split into lines, each with True if it varies."""
        for stretch, varies in self._between(text):
            if varies or stretch in self.whole:
                yield stretch, varies
            else:
                yield from ((line, False) for line in stretch.splitlines(keepends=True))

    def _between(self, text: str) -> Iterable[tuple[str, bool]]:
        """Stretches of a prompt that match `variable`, and those in between."""
        at = 0
        for match in self.variable.finditer(text):
            if match.start() > at:
                yield text[at : match.start()], False
            yield match.group(), True
            at = match.end()
        if at < len(text):
            yield text[at:], False

    def _fine(self, text: str) -> Iterable[int]:
        for found in self.piece.findall(text):
            if found in self.ids:
                yield self.ids[found]
            else:
                yield from (self.ids[letter] for letter in found if letter in self.ids)

    def prompt(self, text: str) -> list[int]:
        """Tokens of a prompt."""
        tokens: list[int] = []
        for stretch, varies in self._stretches(text):
            tokens += [self.ids[stretch]] if not varies and stretch in self.whole else self._fine(stretch)
        return tokens

    def completion(self, text: str) -> list[int]:
        """Tokens of a completion, including the end."""
        return [*self._fine(text), EOS]

    def text(self, tokens: Sequence[int]) -> str:
        """Text of tokens up to the end."""
        found = list(tokens)
        end = found.index(EOS) if EOS in found else len(found)
        return "".join(self.texts[token] for token in found[:end] if token != PAD)

    def __len__(self) -> int:
        return len(self.ids)


class Block(nn.Module):
    """Attention with rotary positions, then two layers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(
        self, x: Tensor, turn: tuple[Tensor, Tensor], mask: Tensor, past: "Past | None", layer: int
    ) -> Tensor:
        rows, length, width = x.shape
        shape = (rows, length, 3, self.heads, width // self.heads)
        q, k, v = self.qkv(self.before(x)).view(shape).permute(2, 0, 3, 1, 4)
        q, k = _rotated(q, turn), _rotated(k, turn)
        if past is not None:
            k, v = past.extend(layer, k, v)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(functional.gelu(self.up(self.between(x))))


def _rotated(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    cosine, sine = turn
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], dim=-1)


class Past:
    """Keys and values of the tokens read so far, for each layer.

    Args:
        layers: Number of layers.
        room: Number of tokens that fit without copying; with 0, gradients pass through.
    """

    def __init__(self, layers: int, room: int) -> None:
        self.length, self.room = 0, room
        self.kept: list[tuple[Tensor, Tensor] | None] = [None] * layers

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add new keys and values; return all so far."""
        found = self.kept[layer]
        if not self.room:
            if found is not None:
                k, v = torch.cat([found[0], k], dim=2), torch.cat([found[1], v], dim=2)
            self.kept[layer] = (k, v)
            return k, v
        if found is None:
            rows, heads, _, size = k.shape
            found = self.kept[layer] = (
                k.new_zeros(rows, heads, self.room, size),
                v.new_zeros(rows, heads, self.room, size),
            )
        end = self.length + k.shape[2]
        found[0][:, :, self.length : end] = k
        found[1][:, :, self.length : end] = v
        return found[0][:, :, :end], found[1][:, :, :end]

    def pick(self, rows: Tensor) -> None:
        """Keep only these rows."""
        self.kept = [None if one is None else (one[0][rows], one[1][rows]) for one in self.kept]


class Samples(NamedTuple):
    """Prompts and completions as tokens: prompts padded on the left, completions on the right."""

    prompts: Tensor
    """Distinct prompts: a prompt of many completions is read once."""
    rows: Tensor
    """Index of each completion's prompt."""
    completions: Tensor

    def only(self, picks: Tensor) -> "Samples":
        """Select completions by a mask or by index, with their prompts."""
        used, rows = self.rows[picks].unique(return_inverse=True)
        return Samples(self.prompts[used], rows, self.completions[picks])


class Model(nn.Module):
    """A decoder with tied embeddings, of 0.6 to 0.7 million weights at the usual size."""

    def __init__(self, tokenizer: Tokenizer, width: int = 128, layers: int = 3, heads: int = 4) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.embedding = nn.Embedding(len(tokenizer), width)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        half = width // heads // 2
        frequencies = 10_000.0 ** (-torch.arange(half) / half)
        angles = torch.arange(4096)[:, None] * frequencies
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def hidden(self, tokens: Tensor, seen: Tensor, past: Past | None = None) -> Tensor:
        """State before the last projection; `seen` is True for all keys so far that are not padding."""
        start = 0 if past is None else past.length
        end = start + tokens.shape[1]
        turn = (self.cosine[start:end], self.sine[start:end])
        causal = torch.arange(end)[None, :] <= torch.arange(start, end)[:, None]
        # Padding attends to itself, as its softmax would otherwise be empty.
        mask = (causal[None] & seen[:, None, :end]) | torch.eye(end, dtype=torch.bool)[start:end][None]
        x = self.embedding(tokens)
        for layer, block in enumerate(self.blocks):
            x = block(x, turn, mask[:, None], past, layer)
        if past is not None:
            past.length = end
        return self.last(x)

    def states(self, samples: Samples) -> Tensor:
        """States that predict each token of the completions; without completions, those after the prompts."""
        asked, rows, said = samples
        past = Past(len(self.blocks), 0)
        state = self.hidden(asked, asked != PAD, past)[rows, -1:]
        if said.shape[1] > 1:
            past.pick(rows)
            seen = torch.cat([asked[rows] != PAD, torch.ones_like(said[:, 1:], dtype=torch.bool)], dim=1)
            state = torch.cat([state, self.hidden(said[:, :-1], seen, past)], dim=1)
        return state

    def scores(self, state: Tensor) -> Tensor:
        """Logits of the next token."""
        return state @ self.embedding.weight.T

    def logits(self, samples: Samples) -> Tensor:
        """Logits of each token of the completions, given everything before it."""
        return self.scores(self.states(samples))

    def pack(self, prompts: Sequence[str], completions: Sequence[str] = ()) -> Samples:
        """Convert texts to tokens."""
        places = {text: place for place, text in enumerate(dict.fromkeys(prompts))}
        asked = [self.tokenizer.prompt(text) for text in places]
        said = [self.tokenizer.completion(text) for text in completions] or [[] for _ in prompts]
        left, right = max(map(len, asked)), max(map(len, said))
        return Samples(
            torch.tensor([[PAD] * (left - len(one)) + one for one in asked]),
            torch.tensor([places[text] for text in prompts]),
            torch.tensor([one + [PAD] * (right - len(one)) for one in said], dtype=torch.long),
        )

    @torch.no_grad()
    def generate(
        self, prompts: Sequence[str], *, temperature: float = 0.0, most: int = 96
    ) -> tuple[Samples, list[str]]:
        """Generate a completion of each prompt; a temperature of 0 is greedy."""
        asked, rows, _ = self.pack(prompts)
        past = Past(len(self.blocks), asked.shape[1] + most)
        seen = asked != PAD
        state, seen = self.hidden(asked, seen, past)[rows, -1], seen[rows]
        past.pick(rows)
        said: list[Tensor] = []
        over = torch.zeros(len(rows), dtype=torch.bool)
        for _ in range(most):
            scores = self.scores(state)
            if temperature == 0:
                token = scores.argmax(-1)
            else:
                token = torch.multinomial((scores / temperature).softmax(-1), 1)[:, 0]
            token = token.masked_fill(over, PAD)
            said.append(token)
            over |= token == EOS
            if bool(over.all()):
                break
            seen = torch.cat([seen, torch.ones(len(seen), 1, dtype=torch.bool)], dim=1)
            state = self.hidden(token[:, None], seen, past)[:, -1]
        samples = Samples(asked, rows, torch.stack(said, dim=1))
        return samples, [self.tokenizer.text(row) for row in samples.completions.tolist()]

    def answers(self, prompts: Sequence[str], *, most: int = 96, batch: int = 100) -> list[str]:
        """Greedy completions."""
        found: list[str] = []
        for start in range(0, len(prompts), batch):
            found += self.generate(prompts[start : start + batch], most=most)[1]
        return found

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(weights.numel() for weights in self.parameters())


def supervised_step(model: Model, optimizer: torch.optim.Optimizer, samples: Samples) -> float:
    """Take one step of maximum likelihood; return the loss."""
    scores = model.logits(samples)
    loss = functional.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), samples.completions.reshape(-1), ignore_index=PAD
    )
    _step(model, optimizer, loss)
    return float(loss.detach())


@dataclass(frozen=True)
class Update:
    """Settings of policy gradients."""

    temperature: float = 0.8
    entropy: float = 0.01


def policy_step(
    model: Model, optimizer: torch.optim.Optimizer, samples: Samples, gain: np.ndarray, how: Update
) -> float:
    """Take one step of policy gradients on samples of this policy; return its mean entropy per token."""
    scores = model.logits(samples) / how.temperature
    logs = scores.log_softmax(-1)
    said = logs.gather(-1, samples.completions[..., None])[..., 0]
    counts = (samples.completions != PAD).float()
    entropy = (-(logs.exp() * logs).sum(-1) * counts).sum() / counts.sum()
    advantage = torch.as_tensor(gain, dtype=torch.float32)[:, None]
    loss = -(advantage * said * counts).sum() / counts.sum() - how.entropy * entropy
    _step(model, optimizer, loss)
    return float(entropy.detach())


def _step(model: Model, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def warmed(step: int, rate: float, over: int = 20) -> float:
    """Learning rate with warm-up."""
    return rate * min(1.0, (step + 1) / over)
