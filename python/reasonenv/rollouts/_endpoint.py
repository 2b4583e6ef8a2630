"""A model behind an endpoint that speaks the OpenAI protocol: `POST /v1/chat/completions`.

Faults of the endpoint don't count as answers of the model: the request is retried, then recorded as failed.
"""

import asyncio
import hashlib
import logging
import os
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv.rollouts._completion import Completion, Context

if TYPE_CHECKING:
    import openai

_LOG = logging.getLogger(__name__)

_RETRIED = (408, 409, 425, 429)
"""Status codes worth a retry, in addition to 500 and above."""

_HOPELESS = {
    401: "give the key that it takes as `api_key`, or in OPENAI_API_KEY",
    403: "give a key that may use the model",
    404: "check `base_url`, which usually ends with /v1, and the model's name",
}
"""Status codes that every request would get, each with advice."""

_OURS = frozenset({"model", "messages", "stream", "n"})
"""Fields of the request that only this module sets."""


class EndpointError(ReasonEnvError):
    """The endpoint can't be used: it is unreachable, or refuses the key or the model."""


@dataclass(frozen=True, kw_only=True)
class Retries:
    """Patience with an endpoint: how long to wait for it, and how often to retry.

    Raises:
        InvalidArgument: A setting is invalid; names it.
    """

    timeout: float = 600
    """Seconds until a request counts as failed."""
    max_retries: int = 5
    """Retries of a request before it is recorded as failed."""
    backoff: float = 0.5
    """Seconds before the first retry."""
    max_failures: int = 20
    """Consecutive rollouts without an answer after which the run stops."""

    def __post_init__(self) -> None:
        checked = {
            "timeout": _checks.number("timeout", self.timeout, 0),
            "max_retries": _checks.whole("max_retries", self.max_retries, 0, 100),
            "backoff": _checks.number("backoff", self.backoff, 0),
            "max_failures": _checks.whole("max_failures", self.max_failures, 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


class Endpoint:
    """A policy that asks a model by the OpenAI protocol, one conversation at a time, many at once.

    It needs the extra `openai`. A failed request is retried, each time after about twice the wait, or
    after the time in the endpoint's `Retry-After`; so is a reply that is cut off or malformed. A
    rollout without an answer after that is recorded with its `error` and not verified; too many of them in a
    row mean that the endpoint is down, which is an error. The first failed request is logged as a
    warning, which Python writes to stderr.

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
        extra: Additional fields of the request's body, such as {"top_k": 20}.
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
        self.retries = _retries_of(retries)
        self.seed = None if seed is None else _checks.seed("seed", seed)
        self.name = f"openai:{self.model}" if name is None else _checks.text("name", name)
        sampling = {
            "temperature": None if temperature is None else _checks.number("temperature", temperature, 0),
            "top_p": None if top_p is None else _checks.number("top_p", top_p, 0, 1),
            "max_tokens": None if max_tokens is None else _checks.whole("max_tokens", max_tokens, 1),
            "stop": stop
            if stop is None
            else list(_checks.texts("stop", [stop] if isinstance(stop, str) else stop)),
        }
        self.sampling = {field: value for field, value in sampling.items() if value is not None}
        self.extra = _checks.mapping("extra", extra) or {}
        taken = sorted(_OURS & self.extra.keys())
        if taken:
            msg = f"`extra` has `{taken[0]}`, which is not for it; leave it out"
            raise InvalidArgument(msg)
        self.version = _version(self.model, self.sampling, self.system, self.extra)
        self._api_key = api_key
        self._clients: dict[Any, openai.AsyncOpenAI] = {}
        self._failures = 0
        self._warned = False

    async def __call__(self, context: Context, rollout: int, /) -> Completion:
        """Return the model's next message.

        Raises:
            EndpointError: The endpoint refuses the key or the model, or failed too often in a row.
        """
        started = time.perf_counter()
        reason, wait = "", 0.0
        # Randomness affects only timing: it spreads out the retries of rollouts that failed together.
        spread = random.Random(f"{context.id}/{rollout}")
        for attempt in range(self.retries.max_retries + 1):
            if attempt:
                await asyncio.sleep(max(self._wait(attempt, spread), wait))
            said, reason, wait, again = await self._try(context, rollout)
            if said is not None:
                self._failures = 0
                return said
            if not again:
                break
            self._warn(reason)
        self._failures += 1
        if self._failures >= self.retries.max_failures:
            msg = (
                f"the endpoint of `{self.name}` gave no answer to {self._failures} rollouts in a row: "
                f"{reason}; check it, and repeat the call to resume"
            )
            self._failures = 0
            raise EndpointError(msg)
        return Completion(error=reason, seconds=time.perf_counter() - started)

    async def _try(self, context: Context, rollout: int) -> tuple[Completion | None, str, float, bool]:
        """One request: the answer, or the reason for a failure, the seconds to wait and whether to retry."""
        of, client, request = self._openai, self._client(), self._request(context, rollout)
        before = time.perf_counter()
        try:
            reply = await client.chat.completions.create(**request)
        except of.APIStatusError as error:
            status = error.status_code
            said = " ".join(str(error.message).split())[:200]
            if status in _HOPELESS:
                msg = f"the endpoint of `{self.name}` refuses ({status}: {said}); {_HOPELESS[status]}"
                raise EndpointError(msg) from None
            again = status in _RETRIED or status >= 500
            return None, f"HTTP {status}: {said}", _retry_after(error.response.headers), again
        except of.APITimeoutError:
            return None, f"no reply within {self.retries.timeout:g} s", 0.0, True
        except of.APIConnectionError as error:
            cause = error.__cause__ or error
            return None, f"the connection failed: {type(cause).__name__}: {cause}"[:200], 0.0, True
        except (of.APIError, ValueError, TypeError, AttributeError) as error:
            return None, f"the reply is malformed: {' '.join(str(error).split())}"[:200], 0.0, True
        completion = _completion(reply, time.perf_counter() - before)
        if isinstance(completion, str):
            return None, completion, 0.0, completion.startswith("the reply is malformed")
        return completion, "", 0.0, False

    def _request(self, context: Context, rollout: int) -> dict[str, Any]:
        messages: list[Mapping[str, Any]] = list(context.messages)
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        asked: dict[str, Any] = {"model": self.model, "messages": messages} | self.sampling
        if self.seed is not None:
            asked["seed"] = (self.seed + rollout) % 2**63
        if self.extra:
            asked["extra_body"] = self.extra
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


def _retries_of(given: Retries | Mapping[str, Any] | None) -> Retries:
    """Settings from an argument, which is a mapping in a run file."""
    if isinstance(given, Retries):
        return given
    settings = _checks.mapping("retries", given) or {}
    known = [one.name for one in fields(Retries)]
    for name in settings:
        if name not in known:
            raise _checks.unknown("setting of `retries`", name, known)
    return Retries(**settings)


def _library() -> Any:
    try:
        import openai  # noqa: PLC0415, an extra
    except ImportError as error:
        msg = f"`openai:` policies need the package openai ({error}); install reasonenv[openai]"
        raise ReasonEnvError(msg) from None
    return openai


def _version(model: str, *asked: object) -> str:
    """The model and a digest of the request's settings, by which records distinguish versions."""
    if not any(asked):
        return model
    digest = hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{model}#{digest[:8]}"


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds to wait, as the endpoint asked, at most two minutes."""
    try:
        return min(120.0, max(0.0, float(headers.get("retry-after", "0"))))
    except ValueError:  # a date, which few send
        return 0.0


def _completion(reply: Any, seconds: float) -> Completion | str:
    """Completion in a reply, or the reason why there is none."""
    choices = getattr(reply, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if message is None:
        return "the reply is malformed: it has no message"
    finish = getattr(choices[0], "finish_reason", None) if choices else None
    if finish == "content_filter":
        return "the endpoint's filter withheld the answer"
    text = getattr(message, "content", None)
    if isinstance(text, list):
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, Mapping))
    if text is None:
        # A refusal is an answer, and so is an empty message: both come from the model.
        text = getattr(message, "refusal", None) or ""
    if not isinstance(text, str):
        return f"the reply is malformed: its content is {_checks.shown(text)}"
    reasoning = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
    return Completion(
        text,
        reasoning=reasoning if isinstance(reasoning, str) else None,
        truncated=finish == "length",
        usage=_usage(getattr(reply, "usage", None)),
        seconds=seconds,
    )


def _usage(given: Any) -> dict[str, int] | None:
    counts = {name: getattr(given, name, None) for name in ("prompt_tokens", "completion_tokens")}
    return {name: count for name, count in counts.items() if isinstance(count, int)} or None
