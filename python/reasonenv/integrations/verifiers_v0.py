"""Verifiers of Prime Intellect before 0.4: `load_environment`, for versions with `SingleTurnEnv`.

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
    """An environment of one turn, whose rows hold all that judging needs.

    Args:
        source: A family, or what else items come from.
        n: Rows to train on.
        eval_n: Rows to evaluate on; of a family those of its split "eval", else the rows after the first n.
        level: Of a family.
        seed: Of a family.
        **keywords: Those of `verifiers.SingleTurnEnv`, such as `system_prompt`.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
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
    """1 where the answer is right and in the form that the prompt asks for, else 0."""
    return float(score(said(completion), answer).passed)


def partial(completion: Any, answer: str, **_: Any) -> float:
    """Partial credit, from 0 to 1; it is told, and pays nothing."""
    return score(said(completion), answer).score


def said(completion: Any) -> str:
    """The text of a completion: the last message, where it is a list of them."""
    if isinstance(completion, list):
        last: Any = completion[-1] if completion else {}
        completion = last.get("content") if isinstance(last, dict) else getattr(last, "content", "")
    return completion if isinstance(completion, str) else ""
