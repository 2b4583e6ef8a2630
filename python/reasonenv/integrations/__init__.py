"""Adapters for frameworks that do not use Gymnasium; most need an optional extra.

Each module is named after its framework. All of them build on two things, and so can your own adapter:
`rows` turns settings into rows with a prompt and a problem as JSON text, and `Conversation` plays an episode
from a problem. For one answer, `score(text, problem)` returns a verdict.
"""

from reasonenv.integrations._conversations import Conversation, is_conversation
from reasonenv.integrations._items import (
    Item,
    columns,
    is_problem,
    item,
    score,
    score_all,
    task_of,
)
from reasonenv.integrations._setup import Setup, conversation_rows, game_rows, items, rows

__all__ = [
    "Conversation",
    "Item",
    "Setup",
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
