"""Bridges to frameworks that Gymnasium alone does not reach; most need an optional extra.

Each is a module of the framework's name. All stand on one pair of functions, from which an adapter of your
own is made too: `item(task)` gives a prompt, a problem as JSON in text and an id; `score(text, problem)` a
verdict. A `Conversation` is the same for what takes several turns.
"""

from reasonenv.integrations._conversations import (
    Conversation,
    conversation_rows,
    game_rows,
    is_conversation,
)
from reasonenv.integrations._items import (
    Item,
    columns,
    is_problem,
    item,
    items,
    rows,
    score,
    score_all,
    task_of,
)

__all__ = [
    "Conversation",
    "Item",
    "columns",
    "conversation_rows",
    "game_rows",
    "is_conversation",
    "is_problem",
    "item",
    "items",
    "rows",
    "score",
    "score_all",
    "task_of",
]
