"""OpenRLHF: an agent executor for games and tasks in several turns. Imports OpenRLHF.

OpenRLHF takes the path of a file that defines `AgentExecutor`, which needs only two lines:

    from reasonenv.integrations.openrlhf_agent import executor
    AgentExecutor = executor()
"""

import asyncio
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs

with needs("openrlhf", "OpenRLHF"):
    from openrlhf.utils.agent import AgentInstanceBase, MultiTurnAgentExecutor

__all__ = ["ConversationInstance", "executor"]

CHATML = "\n<|im_start|>user\n{reply}<|im_end|>\n<|im_start|>assistant\n"
"""Chat template of a reply for Qwen and similar models, after the mark that ended the model's turn."""


class ConversationInstance(AgentInstanceBase):
    """One episode. Its label is the problem; OpenRLHF applies the chat template to the prompt."""

    turn = CHATML

    def __init__(self, *_: Any, **__: Any) -> None:
        self.talk: Conversation | None = None

    async def reset(self, states: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Start the episode of the label."""
        self.talk = await asyncio.to_thread(Conversation, states["label"])
        return {"observation": states["observation"]}

    async def step(self, state_dict: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Take the model's text. `rewards` is the reward of this turn, `scores` 1 if the episode passed."""
        if self.talk is None:
            raise InvalidArgument("`step` was called before `reset`")
        reply = await asyncio.to_thread(self.talk.say, state_dict["action_text"])
        passed = float(self.talk.is_over and self.talk.passed)
        return {
            "rewards": np.float64(self.talk.turn_reward),
            "scores": np.float64(passed),
            "environment_feedback": self.turn.replace("{reply}", reply) if reply else "",
            "done": self.talk.is_over,
            "sampling_params": state_dict.get("sampling_params"),
            "extra_logs": {"passed": passed, "turns": self.talk.turns},
        }


def executor(turn: str = CHATML) -> type[Any]:
    """Make the class that OpenRLHF looks for.

    Args:
        turn: Chat template of a reply, with `{reply}`: the end of the model's turn, the user's turn, and the
            beginning of the model's next turn.

    Raises:
        InvalidArgument: `turn` does not contain `{reply}`.
    """
    if "{reply}" not in _checks.text("turn", turn):
        raise InvalidArgument(f"`turn` is {_checks.shown(turn)}, but must have {{reply}} in it")
    kind = type("ConversationInstance", (ConversationInstance,), {"turn": turn})

    class AgentExecutor(MultiTurnAgentExecutor):
        """Plays conversations, each in its own instance."""

        def __init__(self) -> None:
            super().__init__(kind)

    return AgentExecutor
