"""Errors as the server answers them: in one JSON form, which names the field at fault."""

import json
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from reasonenv._native import ReasonEnvError
from reasonenv._plain import plain


class ASCIIResponse(JSONResponse):
    """JSON in ASCII, as completions may hold lone surrogates. Numbers that aren't finite are null."""

    def render(self, content: Any) -> bytes:
        try:
            text = json.dumps(content, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError):  # arrays, and numbers that JSON doesn't have
            text = json.dumps(plain(content), allow_nan=False, separators=(",", ":"))
        return text.encode("ascii")


class Refusal(HTTPException):
    """A request that is answered with an error. `field` is a path into the body, such as `items[2].text`."""

    def __init__(
        self, status: int, name: str, message: str, field: str | None = None, **headers: str | int
    ) -> None:
        super().__init__(status, message, {key.replace("_", "-"): str(headers[key]) for key in headers})
        self.name, self.field = name, field


def blamed(error: ReasonEnvError, field: str) -> Refusal:
    """Return a library's error as the fault of a field."""
    message = str(error) if f"`{field}`" in str(error) else f"{field}: {error}"
    return Refusal(422, type(error).__name__, message, field)


@contextmanager
def blame(field: str) -> Iterator[None]:
    """Make the library's errors the fault of a field."""
    try:
        yield
    except ReasonEnvError as error:
        raise blamed(error, field) from None


async def respond(_request: Request, error: Exception) -> ASCIIResponse:
    """Return the response to any error."""
    if isinstance(error, RequestValidationError):
        error = _invalid(error)
    elif isinstance(error, HTTPException) and not isinstance(error, Refusal):  # Starlette finds no endpoint
        name, message = error.detail.replace(" ", ""), f"{error.detail.lower()}; /docs lists the endpoints"
        error = Refusal(error.status_code, name, message, **(error.headers or {}))
    elif not isinstance(error, Refusal):
        error = Refusal(500, "InternalError", "this is a bug of the server; see its log")
    content = {"error": {"type": error.name, "message": error.detail, "field": error.field}}
    return ASCIIResponse(content, error.status_code, error.headers)


def _invalid(error: RequestValidationError) -> Refusal:
    """Return the first thing that is wrong with a body. A union has an error for each of its branches."""
    errors = error.errors()
    places = [_place(one, error.body) for one in errors]
    field = max((place for place in places if place.startswith(places[0])), key=len)
    here = [one for one, place in zip(errors, places, strict=True) if place == field]
    kind = here[0]["type"]
    if not field:
        return Refusal(
            400, "InvalidBody", "the body must be one JSON object, with the fields that /docs lists"
        )
    if kind == "missing":
        return Refusal(422, "InvalidArgument", f"`{field}` is missing", field)
    if kind == "extra_forbidden":
        return Refusal(422, "UnknownName", f"there is no field `{field}`; /docs lists the fields", field)
    wanted = " or ".join(dict.fromkeys(one["msg"].removeprefix("Input should be ") for one in here))
    name = "UnknownName" if kind == "literal_error" else "InvalidArgument"
    return Refusal(422, name, f"`{field}` is {reprlib.repr(here[0]['input'])}, but must be {wanted}", field)


def _place(error: dict[str, Any], body: Any) -> str:
    """Return where an error is, as a path into the body: without pydantic's names for branches of a union."""
    path = ""
    for part in error["loc"][1:]:
        if isinstance(body, list) and isinstance(part, int):
            path, body = f"{path}[{part}]", body[part]
        elif isinstance(body, dict) and (part in body or error["type"] == "missing"):
            path, body = f"{path}.{part}", body.get(part)
    return path.removeprefix(".")
