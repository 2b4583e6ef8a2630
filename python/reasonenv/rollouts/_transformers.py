"""Generation by Transformers: batches padded on the left, and every answer with random numbers of its own."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reasonenv._native import ReasonEnvError
from reasonenv.rollouts._local import Generated

_KEPT = ("temperature", "top_p", "top_k")
"""Settings of a model's own generation that it samples with by default."""

_TAIL = 16
"""Tokens, besides the length of a stop string, in which its end is looked for."""


class TransformersEngine:
    """A model that Transformers runs, on an accelerator if there is one."""

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        try:
            import torch  # noqa: PLC0415, an extra
            import transformers  # noqa: PLC0415
        except ImportError as error:
            msg = f"`hf:` policies need torch and transformers ({error}); install reasonenv[hf]"
            raise ReasonEnvError(msg) from None
        self._torch, self._library = torch, transformers
        given = dict(options)
        device = torch.device(given.pop("device", None) or _device(torch))
        dtype = given.pop("dtype", None) or _dtype(torch, device)
        folder, file = _gguf(Path(path))
        more: dict[str, Any] = {} if file is None else {"gguf_file": file}
        if file is not None and hasattr(transformers, "GgufConfig"):
            # Kernels for packed weights are made for other machines than those without a server.
            given.setdefault("quantization_config", transformers.GgufConfig(dequantize=True))
        try:
            with _quiet(transformers):
                self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **more)
                model = transformers.AutoModelForCausalLM.from_pretrained(
                    folder, dtype=dtype, **more, **given
                )
        except (OSError, ValueError, TypeError, ImportError) as error:
            msg = f"`hf:{path}` cannot be loaded: {' '.join(str(error).split())[:300]}"
            raise ReasonEnvError(msg) from error
        if "device_map" not in given:
            model = model.to(device)
        if device.type == "cpu":
            # A checkpoint mapped from disk stays file-backed, which makes each token many times slower.
            for one in model.parameters():
                one.data = one.data.clone()
        self._model = model.eval()
        self._settings_of_model()

    def _settings_of_model(self) -> None:
        own, config = self._model.generation_config, self._model.config.get_text_config()
        self.context = int(getattr(config, "max_position_embeddings", None) or 1 << 30)
        ends: set[int] = set()
        for one in (own.eos_token_id, config.eos_token_id, self.tokenizer.eos_token_id):
            ends.update(one if isinstance(one, list) else () if one is None else (one,))
        self._ends = sorted(ends)
        pad = self.tokenizer.pad_token_id
        self._pad = pad if pad is not None else self._ends[0] if self._ends else 0
        self._usual = {name: getattr(own, name, None) for name in _KEPT} if own.do_sample else {}
        self._penalty = own.repetition_penalty
        # Transformers renames the argument.
        self._takes = {*inspect.signature(self._model.forward).parameters}
        self._cache = "cache" if "cache" in self._takes else "past_key_values"

    def generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        stopped: Callable[[], bool],
    ) -> list[Generated]:
        """Return the continuation of each prompt; halves the batch where memory runs out."""
        try:
            return self._generate(prompts, settings, seeds, stopped)
        except self._torch.OutOfMemoryError:
            if len(prompts) == 1:
                raise
        half = len(prompts) // 2
        return [
            *self.generate(prompts[:half], settings, seeds[:half], stopped),
            *self.generate(prompts[half:], settings, seeds[half:], stopped),
        ]

    def _generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        stopped: Callable[[], bool],
    ) -> list[Generated]:
        torch = self._torch
        width = max(map(len, prompts))
        tokens = torch.full((len(prompts), width), self._pad)
        mask = torch.zeros_like(tokens)
        for at, prompt in enumerate(prompts):
            tokens[at, width - len(prompt) :] = torch.tensor(prompt)
            mask[at, width - len(prompt) :] = 1
        tokens, mask = tokens.to(self._model.device), mask.to(self._model.device)
        stops = settings.get("stop", [])
        end = _End(torch, self.tokenizer, width, stops, stopped)
        usual = {name: value for name, value in self._usual.items() if value is not None}
        config = self._library.GenerationConfig(
            max_new_tokens=settings["max_tokens"],
            do_sample=False,
            eos_token_id=self._ends or None,
            pad_token_id=self._pad,
            repetition_penalty=self._penalty,
        )
        with torch.inference_mode():
            found = self._model.generate(
                input_ids=tokens,
                attention_mask=mask,
                generation_config=config,
                logits_processor=[_Draw(torch, usual | dict(settings), seeds)],
                stopping_criteria=[end],
                **self._read_once(prompts, tokens, mask),
            )
        return [self._said(row, stops, end.ended.get(at)) for at, row in enumerate(found[:, width:].tolist())]

    def _read_once(self, prompts: Sequence[list[int]], tokens: Any, mask: Any) -> dict[str, Any]:
        """Cache of a batch in which prompts repeat, such as the rollouts of a task, each read once."""
        places: dict[tuple[int, ...], int] = {}
        rows = [places.setdefault(tuple(prompt), len(places)) for prompt in prompts]
        kinds = getattr(self._model.config.get_text_config(), "layer_types", None) or ["full_attention"]
        plain = {*kinds} == {"full_attention"} and {
            "position_ids",
            "logits_to_keep",
            self._cache,
        } <= self._takes
        if len(places) == len(rows) or tokens.shape[1] < 2 or not plain:
            return {}
        first = [rows.index(row) for row in range(len(places))]
        cache = self._library.DynamicCache()
        # The last token is left to `generate`, which draws the one after it.
        seen = mask[first, :-1]
        self._model(
            tokens[first, :-1],
            attention_mask=seen,
            position_ids=(seen.cumsum(1) - 1).clamp(min=0),
            logits_to_keep=1,
            **{self._cache: cache},
        )
        cache.batch_select_indices(self._torch.tensor(rows, device=tokens.device))
        return {self._cache: cache}

    def _said(self, tokens: list[int], stops: Sequence[str], ended: int | None) -> Generated:
        """Text of an answer's tokens, up to the mark that ends a turn, or to a stop string."""
        until = next((at for at, one in enumerate(tokens) if one in self._ends), None)
        kept = tokens[: until if ended is None else ended]
        text = self.tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        cut = min((at for stop in stops if (at := text.find(stop)) >= 0), default=None)
        is_whole = until is not None or cut is not None
        return Generated(text[:cut], len(kept) + (until is not None and ended is None), not is_whole)


class _Draw:
    """Chooses each token by inverse transform sampling, with a generator for each answer.

    The choice is left with the only finite score, so that greedy decoding takes it. Drawing from the
    cumulative sum is faster than a categorical distribution over a large vocabulary.
    """

    def __init__(self, torch: Any, settings: Mapping[str, Any], seeds: Sequence[int]) -> None:
        self._torch = torch
        self._temperature = float(settings.get("temperature", 1.0))
        self._top_p = float(settings.get("top_p", 1.0))
        self._top_k = int(settings.get("top_k", 0) or 0)
        self._draws = [np.random.default_rng(seed) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ARG002, as Transformers calls it
        if self._temperature == 0:
            return scores
        torch = self._torch
        logits = scores.float() / self._temperature
        if 0 < self._top_k < logits.shape[-1]:
            least = logits.topk(self._top_k).values[:, -1:]
            logits = logits.masked_fill(logits < least, -torch.inf)
        chances = logits.softmax(-1)
        order = None
        if self._top_p < 1:
            chances, order = chances.sort(descending=True)
            before = chances.cumsum(-1) - chances
            chances = chances.masked_fill(before >= self._top_p, 0.0)
        sums = chances.double().cumsum(-1)
        coins = torch.tensor([draw.random() for draw in self._draws], dtype=sums.dtype, device=sums.device)
        chosen = torch.searchsorted(sums, coins[:, None] * sums[:, -1:], right=True)
        chosen = chosen.clamp(max=sums.shape[-1] - 1)
        if order is not None:
            chosen = order.gather(1, chosen)
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)


class _End:
    """Ends an answer behind a stop string, and all of them if the run is interrupted."""

    def __init__(
        self, torch: Any, tokenizer: Any, width: int, stops: Sequence[str], stopped: Callable[[], bool]
    ) -> None:
        self._torch, self._tokenizer, self._width = torch, tokenizer, width
        self._stops, self._stopped = stops, stopped
        self._tail = max(map(len, stops), default=0) + _TAIL
        self.ended: dict[int, int] = {}
        """Number of tokens of each answer that a stop string ended."""

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:  # noqa: ARG002
        done = self._torch.full((len(input_ids),), self._stopped(), device=input_ids.device)
        if self._stops:
            new = input_ids[:, self._width :]
            for at, row in enumerate(new[:, -self._tail :].tolist()):
                if at not in self.ended:
                    text = self._tokenizer.decode(row, skip_special_tokens=False)
                    if any(stop in text for stop in self._stops):
                        self.ended[at] = new.shape[1]
                done[at] = done[at] or at in self.ended
        return done


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No bars of Transformers between those of the run."""
    logging = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _gguf(path: Path) -> tuple[str, str | None]:
    """A model's folder or name, and its GGUF file if its weights are in one."""
    if path.suffix == ".gguf":
        return str(path.parent), path.name
    files = sorted(path.glob("*.gguf")) if path.is_dir() and not (path / "config.json").exists() else []
    if len(files) > 1:
        names = ", ".join(file.name for file in files[:4])
        msg = f"`hf:{path}` has several GGUF files ({names}); name one of them"
        raise ReasonEnvError(msg)
    return str(path), files[0].name if files else None


def _device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"


def _dtype(torch: Any, device: Any) -> Any:
    """The checkpoint's own type, but on processors without arithmetic for it, where float32 is faster."""
    if device.type != "cpu":
        return "auto"
    has_bf16 = any(
        getattr(torch.cpu, name, bool)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return torch.bfloat16 if has_bf16 else torch.float32
