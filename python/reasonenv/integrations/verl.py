r"""verl: a reward function for `pkg://`, and rows in its five columns.

    python -m verl.trainer.main_ppo \
        reward.custom_reward_function.path=pkg://reasonenv.integrations.verl \
        reward.custom_reward_function.name=compute_score \
        data.train_files=train.parquet data.val_files=eval.parquet

This module does not import verl. The module `reasonenv.integrations.verl_agent` supports several turns.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reasonenv import _checks
from reasonenv._native import Verdict
from reasonenv.integrations._conversations import is_conversation
from reasonenv.integrations._items import needs, pay_all
from reasonenv.integrations._setup import chat
from reasonenv.rewards._presets import RewardLike
from reasonenv.types import ReadingName

__all__ = ["compute_score", "compute_scores", "verl_rows", "write_parquet"]

AGENT = "reasonenv"
"""Name of the agent loop for rows of several turns."""


def compute_score(
    data_source: str,  # noqa: ARG001  verl calls with these names
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,  # noqa: ARG001
    *,
    reward: RewardLike | None = None,
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
    **_: Any,
) -> dict[str, float | str]:
    """Return the reward of one completion as `score`, with metrics to log.

    All rows have the same keys: `score`, `acc` (1 if the verdict passed, else 0), `partial` (partial credit)
    and `failure` (the failure label). It is thread-safe, as verl requires.

    Args:
        data_source: Unused, because the problem determines the verifier.
        solution_str: The completion.
        ground_truth: The problem as JSON text.
        extra_info: Unused, because verl changes it.
        reward: The name of a preset or of a part, weights of parts, or a `Reward`, in place of the row's. Set
            it with `reward.custom_reward_function.reward_kwargs`.
        reading: Reading of the answers, in place of the row's.
        stop_tokens: End-of-turn marks of the model.

    Raises:
        InvalidTask: The ground truth is not a problem of this package.
    """
    (verdict,), (worth,) = pay_all([solution_str], [ground_truth], reward, reading, stop_tokens)
    return _told(verdict, worth)


def compute_scores(
    data_sources: Sequence[str],  # noqa: ARG001
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any]] | None = None,  # noqa: ARG001
    *,
    reward: RewardLike | None = None,
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
    **_: Any,
) -> list[dict[str, float | str]]:
    """Like `compute_score` for many completions, in parallel, for verl's `batch` reward manager."""
    verdicts, paid = pay_all(list(solution_strs), list(ground_truths), reward, reading, stop_tokens)
    return [_told(verdict, worth) for verdict, worth in zip(verdicts, paid, strict=True)]


def verl_rows(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows in verl's columns, the same for all families; rows of several turns name their agent loop.

    Args:
        rows: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        system: System prompt, in place of the rows'.
    """
    for row in rows:
        extra = {name: row[name] for name in ("task_id", "family", "level", "split", "seed")}
        talks = is_conversation(row["problem"])
        yield {
            "data_source": f"reasonenv/{row['family']}",
            "prompt": chat(row, system),
            "ability": "reasoning",
            "reward_model": {"style": "rule", "ground_truth": row["problem"]},
            "extra_info": {"index": int(row["index"] or 0), **extra},
            "agent_name": AGENT if talks else "single_turn_agent",
        }


def write_parquet(
    rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str], system: str | None = None
) -> int:
    """Write `verl_rows` as Parquet with one schema for all families; return their number.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        OSError: The file cannot be written; names it.
    """
    with needs("verl", "pyarrow"):
        import pyarrow as pa  # noqa: PLC0415  an extra
        import pyarrow.parquet as pq  # noqa: PLC0415
    text = pa.string()
    names = ("task_id", "family", "split", "seed")
    extra = [("index", pa.int64()), ("level", pa.int64()), *((name, text) for name in names)]
    schema = pa.schema(
        [
            ("data_source", text),
            ("prompt", pa.list_(pa.struct([("role", text), ("content", text)]))),
            ("ability", text),
            ("reward_model", pa.struct([("style", text), ("ground_truth", text)])),
            ("extra_info", pa.struct(extra)),
            ("agent_name", text),
        ]
    )
    table = pa.Table.from_pylist(list(verl_rows(rows, system)), schema=schema)
    pq.write_table(table, _checks.path("path", path), row_group_size=8192)
    return int(table.num_rows)


def _told(verdict: Verdict, worth: float) -> dict[str, float | str]:
    failure = "" if verdict.passed else next(iter(verdict.failures), "failed")
    return {
        "score": float(worth),
        "acc": float(verdict.passed),
        "partial": float(verdict.score),
        "failure": failure,
    }
