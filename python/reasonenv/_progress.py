"""A bar that shows how far long work has come."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["progress"]


@contextmanager
def progress() -> Iterator[Callable[[int, int | None, str], None]]:
    """A bar on stderr where that is a terminal; told how many are done, of how many if known, and what is."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int | None, doing: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{doing:<34.34}")

        yield tell
