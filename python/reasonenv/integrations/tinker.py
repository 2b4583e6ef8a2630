"""Tinker's cookbook: episodes of any kind, and data sets of them. Needs the `tinker` extra.

    from reasonenv.integrations.tinker import TaskDatasetBuilder

    builder = TaskDatasetBuilder(
        source="ascii_tree", reward="reasonrl-v5", wrapper="reasonrl", reading="clean", …
    )

Groups are pickled and rebuilt elsewhere, so they hold names, numbers and JSON, but no tasks or models. The
module `reasonenv.integrations.tinker_turns` lets a policy play both seats of a game.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs
from reasonenv.integrations._setup import Setup

with needs("tinker", "tinker-cookbook"):
    import chz
    from tinker_cookbook.renderers import Message, Renderer, get_renderer
    from tinker_cookbook.rl.message_env import EnvFromMessageEnv, MessageEnv, MessageStepResult
    from tinker_cookbook.rl.types import Env, EnvGroupBuilder, RLDataset, RLDatasetBuilder
    from tinker_cookbook.tokenizer_utils import get_tokenizer

__all__ = ["ConversationGroupBuilder", "TaskDatasetBuilder"]


class ConversationEnv(MessageEnv):
    """An episode of a row: the rewards of its turns add up to the reward of the row's settings."""

    def __init__(self, problem: str) -> None:
        self._problem = problem
        self._talk: Conversation | None = None

    async def initial_observation(self) -> list[Message]:
        """Return the first messages."""
        self._talk = await asyncio.to_thread(Conversation, self._problem)
        return list(self._talk.messages)

    async def step(self, message: Message) -> MessageStepResult:
        """Return the reply."""
        talk = self._talk
        assert talk is not None, "initial_observation comes first"
        # Verification is bounded and releases the GIL, but the event loop must serve other rollouts.
        await asyncio.to_thread(talk.say, said(message))
        metrics = talk.metrics if talk.is_over else {}
        return MessageStepResult(talk.turn_reward, talk.is_over, list(talk.messages), metrics)


def said(message: Message) -> dict[str, Any]:
    """Return a message of the cookbook in the form of OpenAI's API; its calls are pydantic models."""
    calls = [one.model_dump() if hasattr(one, "model_dump") else one for one in message.get("tool_calls", ())]
    return {"role": "assistant", "content": message.get("content"), "tool_calls": calls}


@dataclass(frozen=True)
class ConversationGroupBuilder(EnvGroupBuilder):
    """`num_envs` rollouts of the problem of a row."""

    problem: str
    renderer: Renderer
    num_envs: int
    tag: str = "conversation"

    async def make_envs(self) -> Sequence[Env]:
        """Make the environments."""
        return [EnvFromMessageEnv(self.renderer, ConversationEnv(self.problem)) for _ in range(self.num_envs)]

    def logging_tags(self) -> list[str]:
        """Return the tags of its metrics."""
        return [f"reasonenv/{self.tag}"]


class TaskDataset(RLDataset):
    """Batches of groups. Batch `i` is always the same."""

    def __init__(
        self,
        setup: tuple[Setup, int],
        renderer: Renderer,
        *,
        batch_size: int,
        group_size: int,
        batches: int,
    ) -> None:
        (self._setup, self._start), self._renderer = setup, renderer
        self._batch_size, self._group_size, self._batches = batch_size, group_size, batches

    def get_batch(self, index: int) -> Sequence[EnvGroupBuilder]:
        """Return the groups of a batch."""
        rows = self._setup.rows(self._batch_size, self._start + index * self._batch_size)
        return [
            ConversationGroupBuilder(row["problem"], self._renderer, self._group_size, row["family"])
            for row in rows
        ]

    def __len__(self) -> int:
        return self._batches


@chz.chz
class TaskDatasetBuilder(RLDatasetBuilder):
    """Builder of training rows and of test rows, with options for a command line; the settings are `Setup`'s.

    The test rows are of the split "eval", of a game those after the training rows.
    """

    source: str
    model_name_for_tokenizer: str
    renderer_name: str
    turns: str | None = None
    reward: str | Mapping[str, float] | None = None
    reading: str | None = None
    level: int = 0
    seed: int = 0
    params: Mapping[str, Any] | None = None
    style: Mapping[str, Any] | None = None
    wrapper: str | None = None
    system: str | None = None
    options: Mapping[str, Any] | None = None
    batch_size: int = 32
    group_size: int = 8
    batches: int = 1000
    test_batches: int = 1

    async def __call__(self) -> tuple[RLDataset, RLDataset | None]:
        """Build the data sets."""
        model = self.model_name_for_tokenizer
        # Renderers are pickled by the model's name.
        return self.datasets(get_renderer(self.renderer_name, get_tokenizer(model), model_name=model))

    def datasets(self, renderer: Renderer) -> tuple[TaskDataset, TaskDataset | None]:
        """Build the data sets for a given renderer."""
        names = ("turns", "reward", "reading", "level", "seed", "params", "style", "wrapper", "system")
        given = {name: getattr(self, name) for name in (*names, "options")}
        setup = Setup.of(self.source, **{name: one for name, one in given.items() if one is not None})
        size = self.batch_size
        train = TaskDataset(
            (setup, 0), renderer, batch_size=size, group_size=self.group_size, batches=self.batches
        )
        if not self.test_batches:
            return train, None
        test = setup.held_out(self.batches * size)
        return train, TaskDataset(test, renderer, batch_size=size, group_size=1, batches=self.test_batches)
