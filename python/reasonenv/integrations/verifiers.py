"""Prime Intellect's verifiers, from version 0.4 on: an unlimited taskset for evaluation and prime-rl.

Needs the `verifiers` extra; `verifiers_v0` is for versions before 0.4. The package in
examples/verifiers_suite registers it under a name: `--env.taskset.id reasonenv-suite`.
"""

import asyncio
from collections.abc import Iterator
from itertools import count

from reasonenv._native import Mixture
from reasonenv._registry import family
from reasonenv.integrations._items import item, needs, score, task_of

with needs("verifiers", "verifiers, 0.4 or newer"):
    import verifiers.v1 as vf

__all__ = ["ReasonEnvConfig", "ReasonEnvTaskset"]

_CHUNK = 256
"""Tasks made at once."""


class ReasonEnvData(vf.TaskData):
    """A task as recorded in traces. `problem` has all that verification needs; no model sees it."""

    problem: str


class ReasonEnvTask(vf.Task[ReasonEnvData]):
    """A task. Its key is its id, the same in every run, as curricula and resumed runs need."""

    @property
    def key(self) -> str:
        """Id of the task."""
        return str(self.data.id)

    @vf.reward
    async def passed(self, trace: vf.Trace) -> float:
        """Return 1 if the answer is right and in the form that the prompt asks for, else 0."""
        # Verification is bounded and releases the GIL, but the event loop must serve other rollouts.
        verdict = await asyncio.to_thread(score, trace.last_reply, self.data.problem)
        return float(verdict.passed)

    @vf.metric
    async def partial(self, trace: vf.Trace) -> float:
        """Return partial credit from 0 to 1."""
        verdict = await asyncio.to_thread(score, trace.last_reply, self.data.problem)
        return verdict.score

    async def validate(self, runtime: object) -> bool | None:  # noqa: ARG002
        """Return True if the task's solution passes, for `vf-validate`."""
        task = task_of(self.data.problem)
        return score(task.wrap(task.solution.answer), self.data.problem).passed  # type: ignore[union-attr]


class ReasonEnvConfig(vf.TasksetConfig):
    """Choice of the tasks; each field is an option of the command line."""

    families: list[str] = ["countdown"]  # noqa: RUF012  pydantic copies it
    """Families to draw tasks from at random."""
    level: int = 0
    """Level of all families."""
    split: str = "train"
    """One of "train", "eval" and "test"."""
    seed: int = 0
    """Seed of the tasks."""


class ReasonEnvTaskset(vf.Taskset[ReasonEnvTask, ReasonEnvConfig]):
    """Unlimited tasks; a run takes as many as it needs."""

    INFINITE = True

    def load(self) -> Iterator[ReasonEnvTask]:
        """Yield the tasks in the order of their index."""
        given = self.config
        source = Mixture(
            [(family(name), given.level) for name in given.families],
            split=given.split,
            seed=given.seed,
        )
        for start in count(0, _CHUNK):
            for task in source.batch(start, _CHUNK):
                prompt, problem, task_id = item(task)
                data = ReasonEnvData(id=task_id, name=task_id, prompt=prompt, problem=problem)
                yield ReasonEnvTask(data, given.task)
