"""Bodies of requests and responses, from which the OpenAPI schema is generated."""

import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, SkipValidation, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict  # the one of Python 3.11 has no descriptions

from reasonenv import _checks
from reasonenv.serve._errors import Refusal
from reasonenv.types import AnswerStyleName, ReadingName

_T = TypeVar("_T")
_List: TypeAlias = Annotated[list[_T], Field(fail_fast=True)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_wide(cls, body: Any) -> Any:
        # pydantic describes every error, which takes seconds if a body has a million unknown fields.
        if isinstance(body, dict) and len(body) > 16:
            raise PydanticCustomError("too_wide", "an object with the fields that /docs lists")
        return body


class TaskItem(_Request):
    problem: str | dict[str, Any]
    """The `problem` of a data set's row or, with `family`, of a task."""
    text: str
    """The completion."""
    family: str | None = None
    """The task family, if the problem doesn't name it."""
    answer: AnswerStyleName | None = None
    """Place in the completion where the prompt asks for the answer, if the problem doesn't say."""


class TaskRequest(_Request):
    items: _List[TaskItem]
    """Objects with `problem` and `text` and, if needed, `family` and `answer`."""
    reading: ReadingName | None = None
    """Reading of answers: `strict`, `clean` or `lenient`."""
    reward: SkipValidation[str | dict[str, float] | None] = None
    """A preset, a part of the verdict, or weights by part; by default that of each problem, or `binary`."""


class RowRequest(_Request):
    verifier: str | dict[str, Any]
    """Name of a verifier, or an object with `verifier` and its options."""
    texts: _List[str]
    """The completions."""
    references: _List[str | _List[str]]
    """The reference answer of each completion, or all that are accepted."""


class ResetRequest(_Request):
    seed: Annotated[int, Field(ge=0, le=_checks.LARGEST_SEED)] | None = None
    """Seed of the episode; by default, the session draws it."""
    options: dict[str, Any] | None = None
    """Options of the environment's `reset`."""


class SessionRequest(ResetRequest):
    env: str
    """Gymnasium id of the environment, or `reasonenv/Conversation` for episodes as trainers have them."""
    kwargs: dict[str, Any] | None = None
    """Settings of the environment; those of a conversation are `source`, `turns`, `reward` and so on."""


class StepRequest(_Request):
    action: Any
    """The action: a number or text, depending on the environment."""


class HealthResponse(TypedDict):
    status: str
    version: str


class NamesResponse(TypedDict):
    families: Sequence[str]
    verifiers: Sequence[str]
    environments: Sequence[str]


class VerdictBody(TypedDict):
    passed: bool
    score: float
    parts: dict[str, float | None]
    failures: list[str]
    detail: str
    answer: str | None
    respelled: bool


class VerifyResponse(TypedDict):
    rewards: list[float | None]
    verdicts: list[VerdictBody]


class EpisodeResponse(TypedDict):
    session: str
    observation: Any
    info: dict[str, Any]


class StepResponse(TypedDict):
    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class ErrorDetail(TypedDict):
    type: str
    message: str
    field: str | None


class ErrorResponse(TypedDict):
    error: ErrorDetail


class StrictRoute(APIRoute):
    """A route that takes strict JSON in UTF-8, with lists of bounded length."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(_StrictRequest(request.scope, request.receive))

        return handle


class _StrictRequest(Request):
    async def json(self) -> Any:
        try:
            body = json.loads((await self.body()).decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise Refusal(400, "InvalidBody", f"the body is not JSON in UTF-8 ({error})") from None
        most = self.app.state.max_items
        for name, value in body.items() if isinstance(body, dict) else ():
            if isinstance(value, list) and len(value) > most:
                message = f"`{name}` has {len(value)} entries, but may have {most}; send several requests"
                raise Refusal(413, "TooLarge", message, name)
        return body


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")
