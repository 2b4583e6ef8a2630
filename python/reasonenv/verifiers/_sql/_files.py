"""Databases in files, as Spider and BIRD have them: a folder with a folder or a file for each database."""

import re
import sqlite3
from functools import lru_cache
from pathlib import Path

from reasonenv import _checks

_SUFFIXES = (".sqlite", ".db", ".sqlite3", ".sql")
_NAME = re.compile(r"[\w][\w .-]*")


@lru_cache(maxsize=256)
def schema_in(folder: str, name: str) -> str:
    """Return the statements that create and fill a database.

    Raises:
        ValueError: The folder has no such database; names where it was looked for.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        msg = f"`db_id` is {_checks.shown(name)}, but must be a database's name"
        raise ValueError(msg)
    root = Path(folder)
    places = [place / f"{name}{suffix}" for place in (root / name, root) for suffix in _SUFFIXES]
    path = next((place for place in (*places, root / name / "schema.sql") if place.is_file()), None)
    if path is None:
        msg = f"`databases` is {folder}, which has no database `{name}`: neither {places[0]} nor {places[4]}"
        raise ValueError(msg)
    if path.suffix == ".sql":
        return path.read_text(encoding="utf-8-sig")
    try:
        with sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as database:
            # Some of Spider's texts are Latin-1.
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            lines = [line for line in database.iterdump() if "sqlite_sequence" not in line.partition("(")[0]]
    except sqlite3.Error as error:
        msg = f"{path} cannot be read: {error}"
        raise ValueError(msg) from None
    return "\n".join(lines[1:-1])  # without BEGIN and COMMIT


@lru_cache(maxsize=256)
def tables_of(folder: str, name: str) -> str:
    """Return the statements that create the tables of a database, for a prompt.

    Raises:
        ValueError: As for `schema_in`.
    """
    found = re.findall(
        r"^CREATE TABLE .*?;$", schema_in(folder, name), re.DOTALL | re.MULTILINE | re.IGNORECASE
    )
    return "\n".join(found)
