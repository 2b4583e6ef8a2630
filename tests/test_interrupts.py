"""Ctrl-C stops long work soon, with a KeyboardInterrupt, and leaves everything usable."""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import reasonenv

COUNT = 100_000
FAMILY = reasonenv.family("modular_arithmetic")
TOP = FAMILY.top_level


@pytest.fixture(scope="module")
def batch() -> reasonenv.Batch:
    return FAMILY.batch(count=COUNT, level=TOP)


def _endlessly(work: Callable[[], Any], timer: threading.Timer) -> None:
    timer.start()
    while True:
        work()


def _interrupted(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the work, and seconds until it reacts to a signal sent after a tenth of that time."""
    start = time.monotonic()
    work()
    whole = time.monotonic() - start
    sent = 0.0

    def send() -> None:
        nonlocal sent
        sent = time.monotonic()
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(whole / 10, send)
    try:
        with pytest.raises(KeyboardInterrupt):
            _endlessly(work, timer)
    finally:
        timer.join()
    return whole, time.monotonic() - sent


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="needs signals")
@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda batch: FAMILY.batch(count=len(batch), level=TOP), id="batch"),
        pytest.param(lambda batch: batch.prompts, id="prompts"),
        pytest.param(lambda batch: batch.answers, id="answers"),
        pytest.param(lambda batch: batch.ids, id="ids"),
        pytest.param(lambda batch: batch[: len(batch) // 10].to_jsonl(), id="to_jsonl"),
        pytest.param(lambda batch: batch.verify(["<answer>1</answer>"] * len(batch)), id="verify"),
    ],
)
def test_a_signal_stops_long_work(batch: reasonenv.Batch, work: Callable[[reasonenv.Batch], Any]) -> None:
    whole, answered = _interrupted(lambda: work(batch))
    # One second suffices on a busy machine; work that ignores signals would take the whole time.
    assert answered < max(1.0, whole / 2)
    assert batch[0].verify("x").failures[0] == "no_answer"
