"""Prime Intellect's verifiers, from version 0.4 on: an unlimited taskset for evaluation and prime-rl.

Needs the `verifiers` extra; `verifiers_v0` is for versions before. The package in
examples/verifiers_suite registers it under a name: `--env.taskset.id reasonenv-suite`.
"""

import asyncio
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from reasonenv.integrations._conversations import Conversation, is_conversation
from reasonenv.integrations._items import needs, task_of
from reasonenv.integrations._setup import Setup

with needs("verifiers", "verifiers, 0.4 or newer"):
    import verifiers.v1 as vf
    from verifiers.v1 import Agents as _Agents  # noqa: F401, older versions have a `v1` without it

__all__ = ["ReasonEnvConfig", "ReasonEnvEnv", "ReasonEnvTaskset"]

_CHUNK = 256
"""Tasks made at once."""


class ReasonEnvData(vf.TaskData):
    """A task as recorded in traces. `problem` has all that verification needs; no model sees it."""

    problem: str


class ReasonEnvTask(vf.Task[ReasonEnvData]):
    """A task or game. Its key is its id, the same in every run, as curricula and resumed runs need."""

    @property
    def key(self) -> str:
        """Id of the task."""
        return str(self.data.id)

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """Return the reward of the settings, for all turns together."""
        return (await self._played(trace)).reward

    @vf.metric
    async def metrics(self, trace: vf.Trace) -> dict[str, float]:
        """Return the metrics of the conversation, each by its own name."""
        return (await self._played(trace)).metrics

    async def validate(self, runtime: object) -> bool | None:  # noqa: ARG002
        """Return True if the task's solution passes, for `vf-validate`; None with several turns."""
        if is_conversation(self.data.problem):
            return None
        task = task_of(self.data.problem)
        answer = task.wrap(task.solution.answer)  # type: ignore[union-attr]
        return Conversation(self.data.problem).replay([{"role": "assistant", "content": answer}]).passed

    async def _played(self, trace: vf.Trace) -> Conversation:
        """The conversation of a trace, played again: the same messages get the same replies."""
        # Verification is bounded and releases the GIL, but the event loop must serve other rollouts.
        return await asyncio.to_thread(lambda: Conversation(self.data.problem).replay(said(trace)))


def said(trace: vf.Trace) -> list[dict[str, Any]]:
    """Return the messages of the model in a trace."""
    return [{"role": "assistant", "content": one.content or ""} for one in trace.assistant_messages]


class ReasonEnvConfig(vf.TasksetConfig):
    """Settings, those of `reasonenv.integrations.Setup`; each is an option of the command line."""

    source: str = "countdown"
    """A family, several with commas in between, or a game."""
    turns: str | None = None
    reward: str | dict[str, float] | None = None
    reading: str | None = None
    level: int = 0
    split: str = "train"
    seed: int = 0
    params: dict[str, Any] | None = None
    style: dict[str, Any] | None = None
    wrapper: str | None = None
    system: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  pydantic copies it
    """Arguments behind `turns`, such as `attempts`, `opponent` or `min_random_move_prob`."""

    def setup(self) -> Setup:
        """Return the settings."""
        given = {name: getattr(self, name) for name in Setup.__dataclass_fields__}
        if isinstance(self.reward, str) and self.reward.startswith("{"):
            given["reward"] = json.loads(self.reward)  # weights on the command line
        return Setup.of(**{name: value for name, value in given.items() if value is not None})


class ReasonEnvTaskset(vf.Taskset[ReasonEnvTask, ReasonEnvConfig]):
    """Unlimited tasks or games; a run takes as many as it needs."""

    INFINITE = True

    def load(self) -> Iterator[ReasonEnvTask]:
        """Yield the tasks in the order of their index."""
        setup = self.config.setup()
        for start in count(0, _CHUNK):
            for row in setup.rows(_CHUNK, start):
                name, system = row["task_id"], setup.system
                told = {"id": name, "name": name, "prompt": row["prompt"], "system_prompt": system}
                yield ReasonEnvTask(ReasonEnvData(problem=row["problem"], **told), self.config.task)


class ReasonEnvEnvConfig(vf.EnvConfig):
    """One agent, which talks to the episode of its task."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class ReasonEnvEnv(vf.Env[ReasonEnvEnvConfig]):
    """Replies to the agent, turn by turn, until the episode is over; verifiers finds it with the taskset."""

    async def run(self, task: ReasonEnvTask, agents: vf.Agents) -> None:
        """Play one episode."""
        async with agents.agent.interaction(task) as chat:
            talk = await asyncio.to_thread(Conversation, task.data.problem)
            segment = await chat.turn()
            while not segment.terminated:
                reply = await asyncio.to_thread(talk.say, said(chat.trace)[-1])
                if talk.is_over:
                    break
                segment = await chat.turn(reply)
