"""Prime Intellect's verifiers before version 0.4: `load_environment`, for versions with `SingleTurnEnv`.

from reasonenv.integrations.verifiers_v0 import load_environment

env = load_environment("countdown", n=1000, level=2)
"""

from typing import Any

from reasonenv.data._sources import SourceLike
from reasonenv.integrations._items import needs, rows, score, source_of

__all__ = ["load_environment"]


def load_environment(
    source: str | SourceLike = "countdown",
    *,
    n: int = 1000,
    eval_n: int = 100,
    level: int = 0,
    seed: int = 0,
    **keywords: Any,
) -> Any:
    """Make a single-turn environment whose rows have all that verification needs.

    Args:
        source: A family, or another source of tasks.
        n: Number of training rows.
        eval_n: Number of evaluation rows: the split "eval" of a family, or the rows after the first n.
        level: Level of a family.
        seed: Seed of a family.
        **keywords: Arguments of `verifiers.SingleTurnEnv`, such as `system_prompt`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    with needs("verifiers", "verifiers before 0.4 and datasets"):
        import verifiers as vf  # noqa: PLC0415
        from datasets import Dataset  # noqa: PLC0415
        from verifiers import SingleTurnEnv  # noqa: PLC0415

    def dataset(split: str, count: int) -> Any:
        if isinstance(source, str):
            found = rows(source, count, level=level, split=split, seed=seed)  # type: ignore[arg-type]
        else:
            start = 0 if split == "train" else n
            found = rows(source_of(source, level=level, seed=seed), count, start=start)
        return Dataset.from_list(
            [
                {
                    "question": row["prompt"],
                    "answer": row["problem"],
                    "task": row["family"],
                    "info": {"task_id": row["task_id"]},
                }
                for row in found
            ]
        )

    rubric = vf.Rubric(funcs=[passed, partial], weights=[1.0, 0.0])
    return SingleTurnEnv(
        dataset=dataset("train", n), eval_dataset=dataset("eval", eval_n), rubric=rubric, **keywords
    )


def passed(completion: Any, answer: str, **_: Any) -> float:
    """Return 1 if the answer is right and in the form that the prompt asks for, else 0."""
    return float(score(said(completion), answer).passed)


def partial(completion: Any, answer: str, **_: Any) -> float:
    """Return partial credit from 0 to 1, a metric that does not change the reward."""
    return score(said(completion), answer).score


def said(completion: Any) -> str:
    """Return the text of a completion; of a list of messages, that of the last one."""
    if isinstance(completion, list):
        last: Any = completion[-1] if completion else {}
        completion = last.get("content") if isinstance(last, dict) else getattr(last, "content", "")
    return completion if isinstance(completion, str) else ""
