"""OpenRLHF: a reward function, and rows in its columns.

    --reward.remote_url "$(python -c 'import reasonenv.integrations.openrlhf as m; print(m.__file__)')"

This module does not import OpenRLHF. The module `openrlhf_agent` supports several turns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.integrations._items import pay_all
from reasonenv.integrations._setup import chat

__all__ = ["openrlhf_rows", "reward_func"]

_SEEN = 32
"""Length of the end of a prompt by which a truncated one is found in its query."""


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], **_: Any
) -> dict[str, Any]:
    """Reward completions as their rows say: rewards as `rewards`, partial credit as `scores`.

    OpenRLHF calls it with lists of length one, for which it expects numbers rather than lists.

    Args:
        queries: Prompts followed by their completions.
        prompts: The prompts alone.
        labels: The problems as JSON text.

    Raises:
        InvalidArgument: The lists differ in length, or a query does not begin with its prompt.
        InvalidTask: A label is not a problem of this package.
    """
    if not len(queries) == len(prompts) == len(labels):
        counts = f"{len(queries)}, {len(prompts)} and {len(labels)}"
        msg = f"`queries`, `prompts` and `labels` have {counts} items, but must have as many"
        raise InvalidArgument(msg)
    texts = [_completion(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    verdicts, paid = pay_all(texts, list(labels))
    partial, count = verdicts.score.astype(float).tolist(), max(len(texts), 1)
    logs = {"pass_rate": float(verdicts.passed.sum()) / count, "partial": sum(partial) / count}
    if len(texts) == 1:
        return {"rewards": paid[0], "scores": partial[0], "extra_logs": logs}
    return {"rewards": paid, "scores": partial, "extra_logs": logs}


def _completion(query: str, prompt: str) -> str:
    """The text after the prompt. OpenRLHF cuts long prompts at their beginning."""
    head = query[:_SEEN]
    at = 0 if query.startswith(prompt) else prompt.find(head) if len(head) == _SEEN else -1
    while at >= 0 and not query.startswith(prompt[at:]):
        at = prompt.find(head, at + 1)
    if at < 0:
        msg = f"`queries` has {_checks.shown(query)}, but must have its prompt before the completion"
        raise InvalidArgument(msg)
    return query[len(prompt) - at :]


def openrlhf_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows with `input` and `label`, for `--data.input_key input --data.label_key label`.

    `input` is a list of messages if the row has a system prompt, as `--data.apply_chat_template` takes it.

    Args:
        rows: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
    """
    for row in rows:
        yield {
            "input": row["prompt"] if len(opening := chat(row)) == 1 else opening,
            "label": row["problem"],
            "datasource": f"reasonenv/{row['family']}",
        }
