"""verl: an agent loop for games and tasks in several turns. Imports verl; needs the `verl` extra.

    # agent.yaml, named by actor_rollout_ref.rollout.agent.agent_loop_config_path
    - name: reasonenv
      _target_: reasonenv.integrations.verl_agent.ConversationLoop

Rows of `verl_rows` with several turns refer to it by that name.
"""

from typing import Any
from uuid import uuid4

from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs
from reasonenv.integrations.verl import AGENT

with needs("verl", "verl"):
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register

__all__ = ["ConversationLoop"]


@register(AGENT)
class ConversationLoop(AgentLoopBase):
    """An agent loop that ends with the episode of its row, or when the response is full.

    The model's tokens are trained on; replies, such as the results of tools, are masked. The reward is that
    of the episode; verl calls no reward function.
    """

    async def run(self, sampling_params: dict[str, Any], priority: int = 0, **row: Any) -> AgentLoopOutput:
        """Run one episode."""
        room: int = self.rollout_config.response_length
        problem = row["reward_model"]["ground_truth"]
        talk = await self.loop.run_in_executor(None, Conversation, problem)
        messages: list[dict[str, Any]] = list(row["raw_prompt"])
        tokens = await self.ct_build_initial_tokens(messages)
        request, turns = uuid4().hex, 1
        mask: list[int] = []
        logprobs: list[float] | None = None
        extra: dict[str, Any] = {}
        while True:
            output = await self.server_manager.generate(
                request_id=request,
                prompt_ids=tokens,
                sampling_params=sampling_params,
                priority=int(priority),
            )
            extra = extra or dict(output.extra_fields)
            given = output.log_probs or None
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                tokens, output.token_ids, mask, (logprobs or []) if given else None, assistant_logprobs=given
            )
            tokens, turns = merged.token_ids, turns + 1
            said = self.tokenizer.decode(output.token_ids, skip_special_tokens=True)
            await self.loop.run_in_executor(None, talk.say, said)
            if talk.is_over or len(mask) >= room:
                break
            before = [*messages, {"role": "assistant", "content": said}]
            messages = [*before, *talk.replies]
            merged, told_mask, told_logprobs = await self.ct_merge_context_msg(
                before, messages, tokens, mask, logprobs
            )
            if len(told_mask) >= room:
                break
            tokens, mask, logprobs, turns = merged.token_ids, told_mask, told_logprobs, turns + 1
        cut = len(tokens) - len(mask)
        return AgentLoopOutput(
            prompt_ids=tokens[:cut],
            response_ids=tokens[cut : cut + room],
            response_mask=mask[:room],
            response_logprobs=logprobs[:room] if logprobs else None,
            reward_score=talk.reward,
            num_turns=turns,
            metrics={},
            extra_fields=extra | {"turn_scores": [], "tool_rewards": []},
        )
