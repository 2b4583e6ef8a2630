"""Ray: verification of completions with Ray Data, or by actors. Needs the `ray` extra.

from reasonenv.integrations import ray, ray_verify

judged = ray_verify.score(ray.dataset("countdown", 1_000_000, level=2), text="completion")
pool = ray_verify.VerifierPool(4)
"""

import time
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict, Verdicts
from reasonenv.integrations._items import needs, pay_all, score_all
from reasonenv.integrations.ray import cap_threads
from reasonenv.rewards._presets import RewardLike
from reasonenv.types import ReadingName

with needs("ray", "Ray"):
    import ray

__all__ = ["VerifierPool", "score"]

_PATIENCE = 10.0
"""Seconds to wait for CPUs that are about to be released."""

_LEAST = 1000
"""Fewest completions per call to an actor; with fewer, the call costs more than the verification."""

_MOST = 20_000
"""Most completions per call; more would fill Ray's object store."""


def score(
    given: Any,
    *,
    text: str = "text",
    problem: str = "problem",
    reward: RewardLike | None = None,
    reading: ReadingName | None = None,
    batch_size: int = 4096,
    num_cpus: float = 1,
) -> Any:
    """Verify the completions of a `ray.data.Dataset`; add `passed`, `score`, `reward` and `failure`.

    Args:
        given: The data set.
        text: Name of the column with completions.
        problem: Name of the column with problems.
        reward: The name of a preset or of a part, weights of parts, or a `Reward`, in place of the rows'.
        reading: Reading of the answers, in place of the rows'.
        batch_size: Completions per call.
        num_cpus: CPUs, and therefore threads, of each worker.

    Raises:
        ReasonEnvError: An argument is invalid.
    """
    pay_all([], [], reward, reading)  # raises for a bad argument before a worker starts
    size = _checks.whole("batch_size", batch_size, 1, _checks.LARGEST_COUNT)
    cpus = _checks.number("num_cpus", num_cpus, 0.01, 1024)

    def judge(batch: Any) -> Any:
        cap_threads(cpus)
        texts = batch[text].to_pylist()
        return _judged(batch, *pay_all(texts, batch[problem].to_pylist(), reward, reading))

    return given.map_batches(judge, batch_format="pyarrow", batch_size=size, num_cpus=cpus)


def _judged(batch: Any, verdicts: Verdicts, paid: list[float]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  comes with Ray Data

    failures = ["" if not labels else labels[0] for labels in verdicts.failures]
    more = {
        "passed": pa.array(verdicts.passed),
        "score": pa.array(verdicts.score),
        "reward": pa.array(paid),
        "failure": pa.array(failures, pa.string()),
    }
    for name, values in more.items():
        batch = batch.append_column(name, values)
    return batch


class VerifierPool:
    """Pool of actors that verify, for a trainer that already runs on Ray.

    Args:
        size: Number of actors.
        num_cpus: CPUs, and therefore threads, of each actor.

    Raises:
        InvalidArgument: The cluster does not have enough CPUs; Ray would wait for them forever.
    """

    def __init__(self, size: int, *, num_cpus: float = 1) -> None:
        count = _checks.whole("size", size, 1, 100_000)
        cpus = _checks.number("num_cpus", num_cpus, 0.01, 1024)
        if not ray.is_initialized():
            ray.init()
        free = _free(count * cpus)
        if count * cpus > free:
            msg = f"`size` is {count} of {cpus:g} CPUs each, but the cluster has {free:g} that are free"
            raise InvalidArgument(msg)
        kind = ray.remote(_Judge).options(num_cpus=cpus, scheduling_strategy="SPREAD")
        self.actors = [kind.remote(cpus) for _ in range(count)]

    def score(
        self, texts: Sequence[str], problems: Sequence[str], reading: ReadingName | None = None
    ) -> Verdicts:
        """Like `reasonenv.integrations.score_all`, spread over the actors in calls of 1,000 to 20,000."""
        if len(texts) != len(problems):
            return score_all(texts, problems)  # raises the error
        # The completions of a group share their problem, which is sent once if it is one object.
        once: dict[str, str] = {}
        given = [once.setdefault(one, one) if isinstance(one, str) else one for one in problems]
        share = min(max(-(-len(texts) // len(self.actors)), _LEAST), _MOST)
        calls = [
            actor.score.remote(list(texts[at : at + share]), given[at : at + share], reading)
            for actor, at in zip(cycle(self.actors), range(0, len(texts), share), strict=False)
        ]
        found: list[Verdict] = [verdict for verdicts in ray.get(calls) for verdict in verdicts]
        return Verdicts(found)

    def close(self) -> None:
        """Stop the actors."""
        for actor in self.actors:
            ray.kill(actor)
        self.actors = []


def _free(wanted: float) -> float:
    """Number of free CPUs. Waits a moment, because finished work releases its CPUs with a delay."""
    until = time.monotonic() + _PATIENCE
    while True:
        free = float(ray.available_resources().get("CPU", 0.0))
        can_be = float(ray.cluster_resources().get("CPU", 0.0))
        if free >= wanted or can_be < wanted or time.monotonic() > until:
            return free
        time.sleep(0.1)


class _Judge:
    """Work of an actor."""

    def __init__(self, cpus: float) -> None:
        cap_threads(cpus)

    def score(self, texts: list[str], problems: list[str], reading: ReadingName | None) -> Verdicts:
        return score_all(texts, problems, reading)
