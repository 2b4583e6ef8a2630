"""Rows verified by several threads, each of which takes a new row when it finishes its last."""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from reasonenv import _native

_Row = TypeVar("_Row")
_Result = TypeVar("_Result")


def judge_rows(judge: Callable[[_Row], _Result], rows: Sequence[_Row]) -> list[_Result]:
    """Verify every row exactly once and return the results in order; the caller's thread takes part.

    No queue holds rows: a thread takes a row only when it can run it.
    """
    workers = min(len(rows), max(1, _native.num_threads()))
    if workers <= 1:
        return [judge(row) for row in rows]
    run = _SharedRows(judge, rows)
    threads = [threading.Thread(target=run.work, daemon=True) for _ in range(workers - 1)]
    for thread in threads:
        thread.start()
    try:
        run.work()
    except BaseException:  # Ctrl-C: running rows end within their limits
        run.stop()
        raise
    finally:
        for thread in threads:
            thread.join()
    if run.error is not None:
        raise run.error
    return [run.results[at] for at in range(len(rows))]


class _SharedRows(Generic[_Row, _Result]):
    def __init__(self, judge: Callable[[_Row], _Result], rows: Sequence[_Row]) -> None:
        self.results: dict[int, _Result] = {}
        self.error: BaseException | None = None
        self._judge, self._rows = judge, rows
        self._places = iter(range(len(rows)))

    def stop(self) -> None:
        """Stop handing out rows."""
        self._places = iter(range(0))

    def work(self) -> None:
        """Verify rows until none remain."""
        for at in iter(lambda: next(self._places, None), None):
            try:
                self.results[at] = self._judge(self._rows[at])
            except Exception as error:  # raised in the caller's thread
                self.error = error
                self.stop()
