"""An endpoint that plays the rows of any kind of episode, for trainers that bring their own loop."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from chat_server import Reply, Server, answer, pieces, serving
from drivers import by_conversation
from parity import Played, script
from reasonenv.integrations._items import content_of


class Speaker:
    """Says what the script of the parity tests says about the row that a conversation begins with."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.scripts = {row["prompt"]: script(row, plain=True) for row in reversed(rows)}

    def __call__(self, messages: Sequence[Mapping[str, Any]]) -> str:
        told = [{"role": one["role"], "content": content_of(one["content"])} for one in messages]
        opening = next(one["content"] for one in told if one["role"] == "user")
        return self.scripts[opening](told)


@contextmanager
def endpoint(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[Server, dict[str, Played]]]:
    """An endpoint that plays rows; and how each is played, by the id of its task."""
    says, errors = Speaker(rows), list[Exception]()
    wanted = {row["task_id"]: by_conversation({}, row, says) for row in rows}
    assert len({one.reward for one in wanted.values()}) > 1, "paying the same for all would pass"

    def reply(body: dict[str, Any], _: int) -> Reply:
        try:
            text = says(body["messages"])
            return pieces(text) if body.get("stream") else answer(text)
        except Exception as error:
            errors.append(error)
            return 400  # a failed connection would be retried for minutes

    with serving(reply) as server:
        yield server, wanted
    if errors:
        raise errors[0]
