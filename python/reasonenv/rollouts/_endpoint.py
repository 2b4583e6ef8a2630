"""A model behind an endpoint that speaks the OpenAI protocol: `POST /v1/chat/completions`.

Faults of the endpoint don't count as answers of the model: the request is retried, then recorded as failed.
"""

import asyncio
import copy
import logging
import os
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._replies import (
    WITHHELD,
    asked_wait,
    completions,
    is_overflow,
    joined,
    room_for_answer,
)
from reasonenv.rollouts._retries import EndpointError, Retries, retries_of
from reasonenv.rollouts._settings import OVERFLOW, model_settings, model_version

if TYPE_CHECKING:
    import openai

_LOG = logging.getLogger(__name__)

_RETRIED = (408, 409, 425, 429)
"""Status codes worth a retry, in addition to 500 and above."""

_HOPELESS = {
    402: "pay for more requests, or name another endpoint",
    401: "give the key that it takes as `api_key`, or in OPENAI_API_KEY",
    404: "check `base_url`, which usually ends with /v1, and the model's name",
}
"""Status codes that every request would get, each with advice."""

_OURS = frozenset({"model", "messages", "stream_options"})
"""Fields of the request that only this module sets."""

_GATHER = 0.005
"""Seconds in which rollouts of the same prompt may join a request for several answers."""


class Endpoint:
    """A policy that asks a model by the OpenAI protocol, one conversation at a time, many at once.

    It needs the extra `openai`. A failed request is retried, each time after about twice the wait; so is a
    reply that is cut off or malformed. Where the endpoint says how long to wait, all requests wait that long.
    A rollout without an answer after that is recorded with its `error` and not verified; too many of them in
    a row mean that the endpoint is down, which is an error. An environment with tools whose `protocol` is
    "openai" has them in the requests, and the calls of the replies as actions. A prompt that doesn't fit the
    model's context gets an empty, truncated answer with a `note`. The first failed request is logged as a
    warning, which Python writes to stderr; so is a field that the endpoint refuses and that is then left out.

    Args:
        model: The model's name.
        base_url: Address of the endpoint, such as "http://localhost:8000/v1"; by default `OPENAI_BASE_URL`,
            or OpenAI's.
        api_key: The key; by default `OPENAI_API_KEY`. It is never written to a file.
        system: A system prompt, before that of an environment if there is one.
        temperature: Sampling temperature; by default the endpoint's own. So are `top_p`, `max_tokens` and
            `stop`.
        top_p: Share of the probability mass to sample from.
        max_tokens: Maximum number of tokens of an answer. Some models want `max_completion_tokens` instead,
            which belongs in `extra`.
        stop: Strings that end an answer.
        seed: Sent with each request, with the rollout's number added to it; None sends none.
        extra: Additional fields of the request's body, such as {"top_k": 20}. With {"stream": True} answers
            come piece by piece, and the timeout is that of a piece. {"n": 4} asks for up to four rollouts of
            a prompt at once, or for one at a time where the endpoint answers with fewer.
        retries: A `Retries`, or a mapping of its settings.
        name: Name in tables and records; by default `openai:MODEL`.

    Raises:
        ReasonEnvError: An argument is invalid, or the extra is not installed; says which.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        system: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        stop: str | list[str] | None = None,
        seed: int | None = None,
        extra: Mapping[str, Any] | None = None,
        retries: Retries | Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._openai = _library()
        self.model = _checks.text("model", model)
        if not self.model:
            msg = "`model` is empty, but must name a model, as in openai:gpt-5-mini"
            raise InvalidArgument(msg)
        self.base_url = None if base_url is None else _checks.text("base_url", base_url)
        self.system = None if system is None else _checks.text("system", system)
        self.retries = retries_of(retries)
        self.seed = None if seed is None else _checks.seed("seed", seed)
        self.name = f"openai:{self.model}" if name is None else _checks.text("name", name)
        self.sampling = model_settings(temperature, top_p, max_tokens, stop)
        self.extra = _checks.mapping("extra", extra) or {}
        self._stream = _checks.flag("stream", self.extra.get("stream", False))
        self._most = _checks.whole("n", self.extra.get("n", 1), 1, 128)
        taken = sorted(_OURS & self.extra.keys())
        if taken:
            msg = f"`extra` has `{taken[0]}`, which is not for it; leave it out"
            raise InvalidArgument(msg)
        self._api_key = api_key
        self._clients: dict[Any, openai.AsyncOpenAI] = {}
        self._resume()

    @property
    def version(self) -> str:
        """The model's name and the settings that affect its answers."""
        return model_version(self.model, self.sampling, self.system, self.extra)

    def sampled(self, settings: Mapping[str, Any]) -> "Endpoint":
        """The same model with these sampling settings where it has none of its own."""
        other = copy.copy(self)
        other.sampling = {**settings, **self.sampling}
        other._clients = {}
        other._resume()
        return other

    def _resume(self) -> None:
        """Forget what earlier requests said."""
        self._failures = 0
        self._warned = False
        self._refused: set[str] = set()
        self._resume_at = 0.0
        self._open: dict[Any, _Shared] = {}

    async def __call__(self, context: Context, rollout: int, /) -> Completion:
        """Return the model's next message.

        Raises:
            EndpointError: The endpoint refuses the key or the model, or failed too often in a row.
        """
        if self._most == 1:
            return (await self._answers(context, [rollout]))[0]
        key = id(asyncio.get_running_loop()), context.id, str(context.messages)
        shared = self._open.get(key)
        if shared is None:
            shared = self._open[key] = _Shared([rollout], asyncio.get_running_loop().create_future())
            await asyncio.sleep(_GATHER)
            if self._open.get(key) is shared:
                del self._open[key]
            try:
                shared.answers.set_result(await self._answers(context, shared.rollouts))
            except BaseException as error:
                shared.answers.set_exception(error)
        else:
            shared.rollouts.append(rollout)
            if len(shared.rollouts) >= self._most:
                del self._open[key]
        answers, at = await shared.answers, shared.rollouts.index(rollout)
        if at < len(answers):
            return answers[at]
        self._one_at_a_time(f"it gave {len(answers)} of {len(shared.rollouts)} answers")
        return (await self._answers(context, [rollout]))[0]

    async def _answers(self, context: Context, rollouts: list[int]) -> list[Completion]:
        """Answers for the first of these rollouts, or the error of each."""
        started = time.perf_counter()
        attempt, waited = 0, 0.0
        # Randomness affects only timing: it spreads out the retries of rollouts that failed together.
        spread = random.Random(f"{context.id}/{rollouts[0]}")
        room: int | None = None
        while True:
            while (wait := self._resume_at - time.monotonic()) > 0:
                waited += wait
                await asyncio.sleep(wait * (1 + 0.1 * spread.random()))
            found = await self._try(context, rollouts, room)
            if not isinstance(found, _Fault):
                self._failures = 0
                return found
            if found.mended:
                room = found.room if found.room is not None else room
                continue
            if not found.again:
                break
            self._warn(found.reason)
            if found.wait:
                if waited + found.wait > self.retries.max_wait:
                    break
                wait = max(found.wait, self.retries.backoff)
                self._resume_at = max(self._resume_at, time.monotonic() + wait)
                continue
            attempt += 1
            if attempt > self.retries.max_retries:
                break
            await asyncio.sleep(self._wait(attempt, spread))
        self._failures += 1
        if self._failures >= self.retries.max_failures:
            msg = (
                f"the endpoint of `{self.name}` gave no answer to {self._failures} rollouts in a row: "
                f"{found.reason}; check it, and repeat the call to resume"
            )
            self._failures = 0
            raise EndpointError(msg)
        failed = Completion(error=found.reason, seconds=time.perf_counter() - started)
        return [failed] * len(rollouts)

    async def _try(
        self, context: Context, rollouts: list[int], room: int | None
    ) -> "list[Completion] | _Fault":
        """One request: the answers, or the fault that it met."""
        of, client = self._openai, self._client()
        request = self._request(context, rollouts, room)
        before = time.perf_counter()
        try:
            reply = await client.chat.completions.create(**request)
            if self._stream:
                reply = await joined(reply)
        except of.APIStatusError as error:
            return self._refusal(error, request)
        except Exception as error:
            return _Fault(self._broken(error))
        found = completions(reply, time.perf_counter() - before, calls="tools" in request)
        if isinstance(found, str):
            return _Fault(found, again=found != WITHHELD)
        return found[: len(rollouts)]

    def _broken(self, error: Exception) -> str:
        """The reason for a missing or unreadable reply; raises anything else."""
        of = self._openai
        if isinstance(error, of.APITimeoutError):
            return f"no reply within {self.retries.timeout:g} s"
        lost = isinstance(error, of.APIConnectionError)
        if not lost and isinstance(error, (of.APIError, ValueError, TypeError, AttributeError)):
            return f"the reply is malformed: {' '.join(str(error).split())}"[:200]
        # The client passes on what a connection raises in the middle of a stream.
        if not (lost or self._stream):
            raise error
        cause = error.__cause__ or error
        return f"the connection failed: {_checks.described(cause)}"[:200]

    def _refusal(
        self, error: "openai.APIStatusError", request: dict[str, Any]
    ) -> "list[Completion] | _Fault":
        """Meaning of a status code other than success."""
        status, text = error.status_code, str(error.message)
        said = " ".join(text.split())[:200]
        spent = status == 429 and error.code == "insufficient_quota"
        if status in _HOPELESS or spent:
            advice = _HOPELESS[402 if spent else status]
            msg = f"the endpoint of `{self.name}` refuses ({status}: {said}); {advice}"
            raise EndpointError(msg)
        reason = f"HTTP {status}: {said}"
        if is_overflow(status, error.code, text):
            room = room_for_answer(text)
            asked = request.get("max_tokens") or (request.get("extra_body") or {}).get(
                "max_completion_tokens"
            )
            if asked and room and room < asked:
                return _Fault(reason, mended=True, room=room)
            return [Completion(truncated=True, note=f"{OVERFLOW} ({reason})")] * request.get("n", 1)
        if status in (400, 422) and self._mends(text, request):
            return _Fault(reason, mended=True)
        wait = asked_wait(error.response.headers, text) if status in (429, 503) else None
        return _Fault(reason, again=status in _RETRIED or status >= 500, wait=wait)

    def _mends(self, said: str, request: dict[str, Any]) -> bool:
        """True if the next request leaves out or renames what the endpoint refuses in this one."""
        names = ("seed", "stream_options", "max_tokens", "n")
        asked = [name for name in names if name in request and re.search(rf"\b{name}\b", said)]
        if not asked or (asked[0] == "max_tokens" and "max_completion_tokens" not in said):
            return False
        name = asked[0]
        if name == "n":
            self._one_at_a_time(said)
        elif name not in self._refused:
            self._refused.add(name)
            _LOG.warning("the endpoint of `%s` refuses `%s`, which is now left out", self.name, name)
        return True

    def _one_at_a_time(self, why: str) -> None:
        """Ask for one answer per request from now on."""
        if self._most > 1:
            self._most = 1
            _LOG.warning("the endpoint of `%s` ignores `n`: %s; asking one at a time", self.name, why)

    def _request(self, context: Context, rollouts: list[int], room: int | None) -> dict[str, Any]:
        messages: list[Mapping[str, Any]] = list(context.messages)
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        asked: dict[str, Any] = {"model": self.model, "messages": messages} | self.sampling
        extra = {name: value for name, value in self.extra.items() if name not in ("n", "stream")}
        env: Any = getattr(context.env, "unwrapped", None)
        if getattr(env, "protocol", None) == "openai":
            asked["tools"] = env.tool_schemas
        if room is not None:
            asked["max_tokens"] = room
        if "max_tokens" in self._refused and "max_tokens" in asked:
            extra["max_completion_tokens"] = asked.pop("max_tokens")
        if self.seed is not None and "seed" not in self._refused:
            asked["seed"] = (self.seed + rollouts[0]) % 2**63
        if len(rollouts) > 1 and self._most > 1:
            asked["n"] = len(rollouts)
        if self._stream:
            asked["stream"] = True
            if "stream_options" not in self._refused:
                asked["stream_options"] = {"include_usage": True}
        if extra:
            asked["extra_body"] = extra
        return asked

    def _warn(self, reason: str) -> None:
        """Warn of the first failed request at once, because waiting for all of them may take minutes."""
        if not self._warned:
            self._warned = True
            _LOG.warning("the endpoint of `%s` failed: %s; asking again", self.name, reason)

    def _wait(self, attempt: int, spread: random.Random) -> float:
        """Seconds to wait before the attempt-th retry."""
        return float(min(60.0, self.retries.backoff * 2 ** (attempt - 1)) * (0.5 + spread.random()))

    def _client(self) -> "openai.AsyncOpenAI":
        """Client of the running loop; connections belong to a loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            if not (self._api_key or os.environ.get("OPENAI_API_KEY")):
                msg = (
                    f"`{self.name}` has no key; set OPENAI_API_KEY or give `api_key`; "
                    "a server of your own takes any text"
                )
                raise EndpointError(msg)
            self._clients[loop] = self._openai.AsyncOpenAI(
                base_url=self.base_url, api_key=self._api_key, timeout=self.retries.timeout, max_retries=0
            )
        return self._clients[loop]

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def __repr__(self) -> str:
        where = "" if self.base_url is None else f", base_url={self.base_url!r}"
        return f"Endpoint({self.model!r}{where})"


def _library() -> Any:
    try:
        import openai  # noqa: PLC0415, an extra
    except ImportError as error:
        msg = f"`openai:` policies need the package openai ({error}); install reasonenv[openai]"
        raise ReasonEnvError(msg) from None
    return openai


@dataclass
class _Shared:
    """Rollouts of one prompt that are asked for together."""

    rollouts: list[int]
    answers: asyncio.Future[list[Completion]]


@dataclass(frozen=True)
class _Fault:
    """A request without an answer."""

    reason: str
    again: bool = True
    """True if it is worth a retry."""
    wait: float | None = None
    """Seconds that the endpoint asked to wait."""
    mended: bool = False
    """True if the next request differs, so that the fault doesn't count."""
    room: int | None = None
    """Tokens left for the answer, if the request asked for more."""
