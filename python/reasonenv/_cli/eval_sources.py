"""Sources that `reasonenv eval` names: families at levels, files of rows, and roles of data sets."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import reasonenv
from reasonenv import data
from reasonenv._cli import options
from reasonenv._native import Batch
from reasonenv.data._build import MANIFEST
from reasonenv.data._rows import shuffled
from reasonenv.errors import InvalidArgument

_SUFFIXES = (".jsonl", ".json", ".parquet", ".pq")


def is_file(name: str) -> bool:
    """True for a file of rows or `set/ROLE`, rather than the name of a family."""
    return name not in reasonenv.list_families() and (
        name.lower().endswith(_SUFFIXES) or Path(name).is_file() or len(Path(name).parts) > 1
    )


def of_files(
    given: Sequence[str], n: int, seed: int, *, in_order: bool, rows: Mapping[str, Any]
) -> dict[str, Any]:
    """Sources by name, each in an order that the seed determines, so that the first n are a fair sample.

    Args:
        given: Paths of files, and roles as `set/ROLE`.
        n: Number of tasks to be taken of each.
        seed: Determines the order.
        in_order: True to keep the order of the files.
        rows: Arguments of `from_rows`.
    """
    if odd := [name for name in given if not is_file(name)]:
        msg = f"`{odd[0]}` is a family, but `{next(filter(is_file, given))}` is a file; evaluate them apart"
        raise InvalidArgument(msg)
    found: dict[str, Any] = {}
    for path in map(Path, given):
        name = path.name if (path.parent / MANIFEST).exists() else path.stem
        if name in found:
            name = str(path)
        source = _source(path, rows)
        if len(source) > n:
            told = (
                f"{path}: {n} of {len(source):,} rows{'' if in_order else ', drawn by --seed'}; -n takes more"
            )
            Console(stderr=True).print(told, style="dim", soft_wrap=True, highlight=False)
        found[name] = source if in_order else _shuffled(source, seed)
    return found


def _source(path: Path, rows: Mapping[str, Any]) -> Any:
    if (path.parent / MANIFEST).exists() and path.name in data.ROLES:
        if given := [name for name, value in rows.items() if value]:
            msg = f"`--{given[0]}` is for rows, but {path} has tasks, which check themselves; leave it out"
            raise InvalidArgument(msg)
        return Batch(list(data.Dataset(path.parent).tasks(path.name, purpose="evaluate")))
    if not path.exists() and not path.suffix:
        roles = ", ".join(data.ROLES)
        msg = f"{path} is neither a file of rows nor a role of a data set, such as set/ROLE ({roles})"
        raise InvalidArgument(msg)
    if not (rows["format"] or rows["verifier"]):
        msg = (
            f"{path} has rows; say what checks them: `--format NAME` ({', '.join(data.FORMATS)}), or "
            "`--verifier NAME` with `--question COLUMN` and `--answer COLUMN`"
        )
        raise InvalidArgument(msg)
    return reasonenv.from_rows(path, **_arguments(**rows))


def _arguments(
    *,
    format: str | None,
    verifier: str | None,
    option: Sequence[str] | None,
    question: str | None,
    answer: Sequence[str] | None,
    instruction: str | None,
) -> dict[str, Any]:
    """Arguments of `from_rows`."""
    chosen: dict[str, Any] = options.params(option, "--option") or {}
    if verifier is not None:
        chosen = {"verifier": verifier, **chosen}
    columns = answer[0] if answer and len(answer) == 1 else answer
    return {
        "format": format,
        "question": question,
        "answer": columns,
        "verifier": chosen or None,
        "instruction": instruction,
    }


def _shuffled(source: Any, seed: int) -> Any:
    if isinstance(source, data.Rows):
        return source.shuffle(seed)
    return Batch([source[at] for at in shuffled(len(source), seed)])
