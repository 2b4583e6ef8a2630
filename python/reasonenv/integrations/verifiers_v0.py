"""Prime Intellect's verifiers before version 0.4: `load_environment`, as prime-rl and its hub call it.

from reasonenv.integrations.verifiers_v0 import load_environment

env = load_environment("countdown", n=1000, level=2)
env = load_environment(game="tic_tac_toe", min_random_move_prob=0.2, max_random_move_prob=0.7, num_groups=8)
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from reasonenv.data._sources import SourceLike
from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs
from reasonenv.integrations._setup import Setup, chat

__all__ = ["load_environment"]


def load_environment(
    source: str | SourceLike = "countdown",
    *,
    game: str | None = None,
    n: int = 1000,
    eval_n: int = 100,
    keywords: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """Make an environment of one or several turns whose rows have all that it needs.

    Args:
        source: A family, or another source of tasks, or a game.
        game: A game, instead of a source.
        n: Number of training rows.
        eval_n: Number of evaluation rows: the split "eval" of a family, or the rows after the first n.
        keywords: Arguments of `verifiers.MultiTurnEnv`.
        **settings: Fields of `reasonenv.integrations.Setup`, and options of the environment behind `turns`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    with needs("verifiers", "verifiers before 0.4 and datasets"):
        import verifiers as vf  # noqa: PLC0415
        from datasets import Dataset  # noqa: PLC0415
        from verifiers import MultiTurnEnv  # noqa: PLC0415

    class ConversationEnv(MultiTurnEnv):
        """Replies to the model until the episode of its row is over."""

        async def setup_state(self, state: Any, **_: Any) -> Any:
            """Begin the episode."""
            state["reasonenv"] = await asyncio.to_thread(Conversation, state["answer"])
            return state

        @vf.stop
        async def is_talked_out(self, state: Any, **_: Any) -> bool:
            """Return True once the episode is over."""
            talk = await asyncio.to_thread(heard, state["reasonenv"], state["trajectory"])
            return talk.is_over

        async def env_response(self, messages: Any, state: Any, **_: Any) -> list[dict[str, Any]]:  # noqa: ARG002
            """Return the reply to the model's last message."""
            replies: list[dict[str, Any]] = heard(state["reasonenv"], state["trajectory"]).replies
            return replies

    def dataset(setup: Setup, count: int, start: int) -> Any:
        return Dataset.from_list(
            [
                {
                    "prompt": chat(row),
                    "answer": row["problem"],
                    "info": {"task_id": row["task_id"]},
                }
                for row in setup.rows(count, start)
            ]
        )

    train = Setup.of(source, **settings) if game is None else Setup.of(game, turns="game", **settings)
    held_out, after = train.held_out(n)
    first = next(train.rows(1))
    measured = metrics(first["problem"])
    return ConversationEnv(
        dataset=dataset(train, n, 0),
        eval_dataset=dataset(held_out, eval_n, after),
        rubric=vf.Rubric(funcs=[reward, *measured], weights=[1.0] + [0.0] * len(measured)),
        max_turns=-1,
        **(keywords or {}),
    )


def reward(state: Any, **_: Any) -> float:
    """Return the reward of the settings, for all turns together."""
    return heard(state["reasonenv"], state["trajectory"]).reward


def metrics(problem: str) -> list[Callable[..., float]]:
    """Return one function per metric of a problem's conversation; an empty one tells their names."""
    talk = Conversation(problem)
    while not talk.is_over:
        talk.say("")
    return [metric(name) for name in talk.metrics]


def metric(name: str) -> Callable[..., float]:
    """Return the function of a metric, which verifiers calls by its name."""

    def measured(state: Any, **_: Any) -> float:
        return heard(state["reasonenv"], state["trajectory"]).metrics.get(name, 0.0)

    measured.__name__ = name
    return measured


def heard(talk: Conversation, trajectory: Sequence[Any]) -> Conversation:
    """Say to a conversation what the model said in the steps that it has not heard yet."""
    for step in trajectory[talk.turns :]:
        if not talk.is_over:
            talk.replay(message(one) for one in step["completion"])
    return talk


def message(given: Any) -> dict[str, Any]:
    """Return a message, which is a dict or a model of pydantic, as a dict."""
    return given if isinstance(given, dict) else dict(given.model_dump())
