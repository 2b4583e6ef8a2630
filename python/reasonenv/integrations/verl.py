r"""verl: its reward function by `pkg://`, and rows in its five columns.

    python -m verl.trainer.main_ppo \
        reward.custom_reward_function.path=pkg://reasonenv.integrations.verl \
        reward.custom_reward_function.name=compute_score \
        data.train_files=train.parquet data.val_files=eval.parquet

This module imports nothing of verl. What takes several turns is in `reasonenv.integrations.verl_agent`.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from reasonenv import _checks
from reasonenv._native import Verdict
from reasonenv.integrations._conversations import is_conversation
from reasonenv.integrations._items import needs, score, score_all
from reasonenv.rewards._presets import RewardLike, every_part, resolve_judged
from reasonenv.rewards._weighted import Reward
from reasonenv.types import ReadingName

__all__ = ["compute_score", "compute_scores", "verl_rows", "write_parquet"]

AGENT = "reasonenv"
"""The name of the agent loop that rows of several turns ask for."""


def compute_score(
    data_source: str,  # noqa: ARG001  verl calls with these names
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,  # noqa: ARG001
    *,
    reward: RewardLike = "binary",
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
    **_: Any,
) -> dict[str, float | str]:
    """What one completion is worth: `score`, which trains, and what is logged beside it.

    Keys are the same for every row: `score`, `acc` (1 or 0: the strict truth), `partial` (partial credit) and
    `failure`, the label of what is wrong. It is safe in threads, where verl calls it.

    Args:
        data_source: Not used: the ground truth says what judges.
        solution_str: The completion.
        ground_truth: The problem as JSON in text.
        extra_info: Not used: verl changes it.
        reward: What is paid: the name of a preset or of a part, weights of parts, or a `Reward`. Set it by
            `reward.custom_reward_function.reward_kwargs`.
        reading: How answers are read; None is each family's own way.
        stop_tokens: Marks of the model's own that end its turn.

    Raises:
        InvalidTask: The ground truth is no problem of ours.
    """
    verdict = score(solution_str, ground_truth, reading, stop_tokens=stop_tokens)
    return _told(verdict, _resolved(reward)(verdict, solution_str))


def compute_scores(
    data_sources: Sequence[str],  # noqa: ARG001
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any]] | None = None,  # noqa: ARG001
    *,
    reward: RewardLike = "binary",
    reading: ReadingName | None = None,
    stop_tokens: Sequence[str] | None = None,
    **_: Any,
) -> list[dict[str, float | str]]:
    """`compute_score` of many, in one call and in parallel: for verl's `batch` reward manager."""
    texts = list(solution_strs)
    verdicts = score_all(texts, list(ground_truths), reading, stop_tokens=stop_tokens)
    paid = _resolved(reward)(verdicts, texts).tolist()
    return [_told(verdict, worth) for verdict, worth in zip(verdicts, paid, strict=True)]


def verl_rows(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Rows in verl's columns, the same for all families; those of several turns name their agent loop.

    Args:
        rows: What `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations` give.
        system: A system prompt of your own.
    """
    first = [] if system is None else [{"role": "system", "content": system}]
    for row in rows:
        extra = {name: row[name] for name in ("task_id", "family", "level", "split", "seed")}
        talks = is_conversation(row["problem"])
        yield {
            "data_source": f"reasonenv/{row['family']}",
            "prompt": [*first, {"role": "user", "content": row["prompt"]}],
            "ability": "reasoning",
            "reward_model": {"style": "rule", "ground_truth": row["problem"]},
            "extra_info": {"index": int(row["index"] or 0), **extra},
            "agent_name": AGENT if talks else "single_turn_agent",
        }


def write_parquet(
    rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str], system: str | None = None
) -> int:
    """Writes `verl_rows` as Parquet with one schema for all families; gives their number.

    Raises:
        ModuleNotFoundError: There is no pyarrow.
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


def _resolved(reward: RewardLike) -> Reward:
    """The reward that is meant; verl asks for each completion, so that names and weights are kept."""
    if isinstance(reward, Reward):
        return reward
    # What comes from a configuration is no dict but acts as one.
    given = dict(reward) if isinstance(reward, Mapping) else reward
    try:
        return _kept(json.dumps(given))
    except TypeError:
        return resolve_judged(given, every_part())  # tells what is wrong


@lru_cache(maxsize=64)
def _kept(reward: str) -> Reward:
    return resolve_judged(json.loads(reward), every_part())
