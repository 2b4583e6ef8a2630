"""Progress of long work: a bar on a terminal, lines in a log."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_LINE_SECONDS = 1.5
"""Seconds between lines in a log."""


@contextmanager
def progress(*, log: bool = False) -> Iterator[Callable[[int, int | None, str], None]]:
    """Show a bar on stderr if it is a terminal. Yields a function of the count, the total and a label.

    Args:
        log: Whether to print a line now and then if stderr is not a terminal.
    """
    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    due = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int | None, doing: str) -> None:
            nonlocal due
            bar.update(task, completed=done, total=total, description=f"{doing:<34.34}")
            if log and bar.disable and time.monotonic() >= due:
                due = time.monotonic() + _LINE_SECONDS
                console.print(doing if total is None else f"{done:,} of {total:,}: {doing}", soft_wrap=True)

        yield tell
