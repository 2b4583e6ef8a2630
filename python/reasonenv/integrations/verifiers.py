"""Verifiers of Prime Intellect, from 0.4 on: a taskset without end, for evaluation and prime-rl.

Needs the `verifiers` extra; `verifiers_v0` is for versions before 0.4. The package in
examples/verifiers_suite makes it known by a name: `--env.taskset.id reasonenv-suite`.
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
    """A task as traces record it. `problem` is all that judging needs; no model sees it."""

    problem: str


class ReasonEnvTask(vf.Task[ReasonEnvData]):
    """A task; its key is its id, the same in every run, which curricula and resumed runs go by."""

    @property
    def key(self) -> str:
        """The task's id."""
        return str(self.data.id)

    @vf.reward
    async def passed(self, trace: vf.Trace) -> float:
        """1 where the answer is right and in the form that the prompt asks for, else 0."""
        # Judging is bounded and lets go of the GIL, but the event loop has other rollouts to serve.
        verdict = await asyncio.to_thread(score, trace.last_reply, self.data.problem)
        return float(verdict.passed)

    @vf.metric
    async def partial(self, trace: vf.Trace) -> float:
        """Partial credit, from 0 to 1."""
        verdict = await asyncio.to_thread(score, trace.last_reply, self.data.problem)
        return verdict.score

    async def validate(self, runtime: object) -> bool | None:  # noqa: ARG002
        """Whether the task's own solution passes, as `vf-validate` asks."""
        task = task_of(self.data.problem)
        return score(task.wrap(task.solution.answer), self.data.problem).passed  # type: ignore[union-attr]


class ReasonEnvConfig(vf.TasksetConfig):
    """Which tasks; each field is an option of the command line."""

    families: list[str] = ["countdown"]  # noqa: RUF012  pydantic copies it
    """Families, drawn in turn at random."""
    level: int = 0
    """Difficulty of all of them."""
    split: str = "train"
    """One of "train", "eval" and "test"."""
    seed: int = 0
    """What the tasks are drawn from."""


class ReasonEnvTaskset(vf.Taskset[ReasonEnvTask, ReasonEnvConfig]):
    """Tasks without end; a run takes as many as it wants."""

    INFINITE = True

    def load(self) -> Iterator[ReasonEnvTask]:
        """The tasks, in the order of their index."""
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
