"""Models on this machine, without a server: `hf:PATH` runs in Transformers, `vllm:PATH` in vLLM.

Requests that are under way at once are answered as one batch, so a run shows progress, saves and resumes
as it does with an endpoint.
"""

import asyncio
import copy
import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

from reasonenv import _checks
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._settings import LARGEST_CONCURRENCY, OVERFLOW, model_settings, model_version

EngineName = Literal["hf", "vllm"]

USUAL_TOKENS = 512
"""Maximum number of tokens of an answer unless the caller sets one."""

_LINGER = 0.02
"""Seconds without a new request after which an incomplete batch is answered."""

_ENDS = 1 << 16
"""Bytes at both ends of a file of weights that identify it."""


@dataclass(frozen=True)
class Generated:
    """Text that an engine generated."""

    text: str
    tokens: int
    truncated: bool
    """True if it reached the maximum number of tokens."""


class Engine(Protocol):
    """A loaded model."""

    tokenizer: Any
    context: int
    """Maximum number of tokens of a prompt and its answer."""

    def generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        stopped: Callable[[], bool],
    ) -> list[Generated]:
        """Return the continuation of each prompt, or anything once `stopped()` is true."""


class LocalModel:
    """A policy that runs a model on this machine.

    It needs the extra `hf` or `vllm`. The model is loaded when it is first asked. Each answer draws from its
    own random numbers, which follow from the seed, the task's id, the turn and the rollout, so batches don't
    affect them. A prompt that doesn't fit the model's context gets an empty, truncated answer with a `note`.

    Args:
        path: A folder with a model, as `save_pretrained` writes it; a GGUF file, or a folder with one; or a
            model's name on the Hugging Face Hub.
        engine: "hf" for Transformers, "vllm" for vLLM.
        system: A system prompt, before that of an environment if there is one.
        temperature: Sampling temperature; 0 takes the likeliest token. By default the model's own, else 1.
        top_p: Share of the probability mass to sample from; by default the model's own, else 1.
        max_tokens: Maximum number of tokens of an answer; by default 512.
        stop: Strings that end an answer and are left out of it.
        seed: Determines the sampling.
        batch_size: Maximum number of requests answered together; the `concurrency` of `Sampling` is another.
        options: Arguments of `AutoModelForCausalLM.from_pretrained` or of `vllm.LLM`, such as `dtype`. For
            "hf" there is also `device`; by default both suit the machine.
        name: Name in tables and records; by default `hf:PATH` or `vllm:PATH`.

    Raises:
        ReasonEnvError: An argument is invalid; says which. When the model is loaded, the extra is not
            installed or the model cannot be read.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        engine: EngineName = "hf",
        system: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        stop: str | list[str] | None = None,
        seed: int = 0,
        batch_size: int = 32,
        options: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        self.path = str(_checks.path("path", path))
        _checks.one_of("engine", engine, ["hf", "vllm"])
        self.engine: EngineName = engine
        self.system = None if system is None else _checks.text("system", system)
        self.sampling = model_settings(temperature, top_p, max_tokens, stop)
        self.seed = _checks.seed("seed", seed)
        self.batch_size = _checks.whole("batch_size", batch_size, 1, LARGEST_CONCURRENCY)
        self.options = _checks.mapping("options", options) or {}
        self.name = f"{engine}:{self.path}" if name is None else _checks.text("name", name)
        self._weights: str | None = None
        self._loaded: list[Engine] = []
        self._batchers: dict[Any, _Batcher] = {}

    @property
    def version(self) -> str:
        """The model's weights and the settings that affect its answers."""
        if self._weights is None:
            self._weights = f"{Path(self.path).name}@{_digest_of_weights(Path(self.path))}"
        return model_version(self._weights, self.sampling, self.system, self.options)

    def sampled(self, settings: Mapping[str, Any]) -> "LocalModel":
        """The same model with these sampling settings where it has none of its own."""
        other = copy.copy(self)
        other.sampling = {**settings, **self.sampling}
        other._batchers = {}
        return other

    async def __call__(self, context: Context, rollout: int, /) -> Completion:
        """Return the model's next message."""
        loop = asyncio.get_running_loop()
        batcher = self._batchers.get(loop)
        if batcher is None:
            batcher = self._batchers[loop] = _Batcher(self._answer, self.batch_size)
        return await batcher.ask((context, rollout))

    async def aclose(self) -> None:
        """Forget the running loop. The model stays loaded as long as the policy lives."""
        self._batchers.pop(asyncio.get_running_loop(), None)

    def _answer(
        self, requests: Sequence[tuple[Context, int]], stopped: Callable[[], bool]
    ) -> list[Completion]:
        """Answers to requests, as one batch."""
        if not self._loaded:
            self._loaded.append(_engine(self.engine, self.path, self.options))
        (engine,) = self._loaded
        before = time.perf_counter()
        prompts = [token_ids(engine.tokenizer, self._messages(context)) for context, _ in requests]
        seeds = [_seed_of(self.seed, context, rollout) for context, rollout in requests]
        most = self.sampling.get("max_tokens", USUAL_TOKENS)
        # A prompt near the context's end would shorten the answers of all that share its batch.
        by_room: dict[int, list[int]] = {}
        for at, prompt in enumerate(prompts):
            by_room.setdefault(max(0, min(most, engine.context - len(prompt))), []).append(at)
        found: dict[int, Generated | None] = dict.fromkeys(by_room.pop(0, ()))
        for room, places in by_room.items():
            settings = {**self.sampling, "max_tokens": room}
            said = engine.generate(
                [prompts[at] for at in places], settings, [seeds[at] for at in places], stopped
            )
            found.update(zip(places, said, strict=True))
        seconds = (time.perf_counter() - before) / max(1, len(requests))
        return [_completion(found[at], len(prompt), seconds) for at, prompt in enumerate(prompts)]

    def _messages(self, context: Context) -> list[dict[str, str]]:
        """The conversation, with adjacent system prompts joined, as most templates take one at most."""
        messages = [] if self.system is None else [{"role": "system", "content": self.system}]
        for one in context.messages:
            if messages and messages[-1]["role"] == one["role"] == "system":
                messages[-1] = {"role": "system", "content": f"{messages[-1]['content']}\n\n{one['content']}"}
            else:
                messages.append(dict(one))
        return messages

    def __repr__(self) -> str:
        return f"LocalModel({self.path!r}, engine={self.engine!r})"


vllm_model = partial(LocalModel, engine="vllm")
"""The policy `vllm` of run files."""


class _Batcher:
    """Requests of one loop, answered in batches in a thread."""

    def __init__(
        self, answer: Callable[[Sequence[Any], Callable[[], bool]], list[Completion]], most: int
    ) -> None:
        self._answer = answer
        self._most = most
        self._waiting: list[tuple[Any, asyncio.Future[Completion]]] = []
        self._task: asyncio.Task[None] | None = None
        self._stopped = threading.Event()

    async def ask(self, request: Any) -> Completion:
        """The answer to a request."""
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._serve())
        return await answer

    async def _serve(self) -> None:
        while self._waiting:
            known = 0
            while known < len(self._waiting) < self._most:
                known = len(self._waiting)
                await asyncio.sleep(_LINGER)
            chosen, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                answers = await asyncio.to_thread(
                    self._answer, [request for request, _ in chosen], self._stopped.is_set
                )
            except asyncio.CancelledError:
                self._stopped.set()
                raise
            except Exception as error:
                for _, future in chosen:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), answer in zip(chosen, answers, strict=True):
                if not future.done():
                    future.set_result(answer)


def token_ids(tokenizer: Any, messages: Sequence[Mapping[str, str]]) -> list[int]:
    """A conversation as the model reads it: by its chat template, else as plain text.

    A last message of the assistant is continued.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        text = "\n\n".join(one["content"] for one in messages)
        return list(tokenizer(text)["input_ids"])
    begun = messages[-1]["role"] == "assistant"
    how: dict[str, Any] = {
        "tokenize": False,
        "add_generation_prompt": not begun,
        "continue_final_message": begun,
    }
    try:
        text = tokenizer.apply_chat_template(list(messages), **how)
    except Exception:
        if messages[0]["role"] != "system" or len(messages) < 2:
            raise
        # Some templates refuse system prompts.
        first = {**messages[1], "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
        text = tokenizer.apply_chat_template([first, *messages[2:]], **how)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _completion(said: Generated | None, prompt_tokens: int, seconds: float) -> Completion:
    tokens = 0 if said is None else said.tokens
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens}
    if said is None:
        return Completion(truncated=True, usage=usage, seconds=seconds, note=OVERFLOW)
    return Completion(said.text, truncated=said.truncated, usage=usage, seconds=seconds)


def _engine(name: EngineName, path: str, options: Mapping[str, Any]) -> Engine:
    if name == "vllm":
        from reasonenv.rollouts._vllm import VllmEngine  # noqa: PLC0415, an extra

        return VllmEngine(path, options)
    from reasonenv.rollouts._transformers import TransformersEngine  # noqa: PLC0415, an extra

    return TransformersEngine(path, options)


def _seed_of(seed: int, context: Context, rollout: int) -> int:
    key = f"reasonenv/model/{seed}/{context.id}/{context.turn}/{rollout}"
    return int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


def _digest_of_weights(path: Path) -> str:
    """Digest that differs between checkpoints in the same place, without reading them whole."""
    files = [path] if path.is_file() else sorted(path.glob("*")) if path.is_dir() else []
    digest = hashlib.sha256()
    for file in files:
        if file.suffix in (".safetensors", ".bin", ".gguf", ".pt"):
            size = file.stat().st_size
            digest.update(f"{file.name}/{size}".encode())
            with file.open("rb") as content:
                digest.update(content.read(_ENDS))
                content.seek(max(0, size - _ENDS))
                digest.update(content.read(_ENDS))
    return digest.hexdigest()[:8] if files else "hub"
