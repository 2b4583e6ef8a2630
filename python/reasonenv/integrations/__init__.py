"""Adapters for frameworks that do not use Gymnasium; most need an optional extra.

Each module is named after its framework. All of them build on one pair of functions, and so can your own
adapter: `item(task)` returns a prompt, a problem as JSON text and an id; `score(text, problem)` returns a
verdict. `Conversation` does the same for problems of several turns.
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
