"""Tinker's cookbook: tasks of one turn, and data sets of them. Needs the `tinker` extra.

    from reasonenv.integrations.tinker import TaskDatasetBuilder

    builder = TaskDatasetBuilder(families=["countdown"], level=2, renderer_name="role_colon", …)

Groups are pickled and rebuilt elsewhere, so they hold names, numbers and JSON, but no tasks or models. The
module `reasonenv.integrations.tinker_turns` supports several turns.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from reasonenv._native import Mixture, Task
from reasonenv._registry import family
from reasonenv.integrations._items import item, needs, score, task_of

with needs("tinker", "tinker-cookbook"):
    import chz
    from tinker_cookbook.renderers import Renderer, get_renderer
    from tinker_cookbook.rl.problem_env import ProblemEnv, ProblemGroupBuilder
    from tinker_cookbook.rl.types import EnvGroupBuilder, RLDataset, RLDatasetBuilder
    from tinker_cookbook.tokenizer_utils import get_tokenizer

__all__ = ["TaskDatasetBuilder", "task_group"]


class TaskEnv(ProblemEnv):
    """A task of one turn, made from its problem: a right answer earns 1, a malformed one costs a little."""

    def __init__(self, problem: str, renderer: Renderer, **keywords: Any) -> None:
        super().__init__(renderer, **keywords)
        self.problem, self._task = problem, task_of(problem)

    def get_question(self) -> str:
        """Return the prompt."""
        return self._task.prompt

    def check_answer(self, sample_str: str) -> bool:
        """Return True if a completion passes."""
        return score(sample_str, self.problem).passed

    def check_format(self, sample_str: str) -> bool:
        """Return True if an answer can be read."""
        return score(sample_str, self.problem).answer is not None

    def get_reference_answer(self) -> str:
        """Return an answer that passes, for logs."""
        task = self._task
        return task.solution.answer if isinstance(task, Task) else str(task.answer)


def task_group(problem: str, renderer: Renderer, group_size: int) -> ProblemGroupBuilder:
    """Make the group of a task: `group_size` rollouts of one problem from `item`."""
    name = task_of(problem)
    tag = f"reasonenv/{name.family if isinstance(name, Task) else 'rows'}"
    return ProblemGroupBuilder(partial(TaskEnv, problem, renderer), group_size, tag)


class TaskDataset(RLDataset):
    """Batches of groups of tasks. Batch `i` is always the same."""

    def __init__(
        self, source: Any, renderer: Renderer, *, batch_size: int, group_size: int, batches: int
    ) -> None:
        self._source, self._renderer = source, renderer
        self._batch_size, self._group_size, self._batches = batch_size, group_size, batches

    def get_batch(self, index: int) -> Sequence[EnvGroupBuilder]:
        """Return the groups of a batch."""
        tasks = self._source.batch(index * self._batch_size, self._batch_size)
        return [task_group(item(task).problem, self._renderer, self._group_size) for task in tasks]

    def __len__(self) -> int:
        return self._batches


@chz.chz
class TaskDatasetBuilder(RLDatasetBuilder):
    """Builder of training tasks, and of test tasks from the split "eval", with options for a command line."""

    families: list[str]
    model_name_for_tokenizer: str
    renderer_name: str
    level: int = 0
    seed: int = 0
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

        def dataset(split: Any, group_size: int, batches: int) -> TaskDataset:
            source = Mixture(
                [(family(name), self.level) for name in self.families], split=split, seed=self.seed
            )
            return TaskDataset(
                source, renderer, batch_size=self.batch_size, group_size=group_size, batches=batches
            )

        test = dataset("eval", 1, self.test_batches) if self.test_batches else None
        return dataset("train", self.group_size, self.batches), test
