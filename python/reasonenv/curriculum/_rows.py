"""Rows of the caller as a setting, so that a scheduler assigns them beside families and games."""

import hashlib
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Unsupported
from reasonenv.curriculum._refs import OTHERS, Setting, TaskRef
from reasonenv.data._rows import Row, Rows, shuffled

ROWS = "rows"
"""Stands for the family in settings of rows."""

_DIGITS = 16

_known: "WeakValueDictionary[str, RowSetting]" = WeakValueDictionary()
"""Settings of rows in this process, by digest, since plain data hold no rows."""


@dataclass(frozen=True, eq=False, repr=False)
class RowSetting(Setting):
    """Rows as one setting: its tasks are the rows in rounds, each once in a round."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{ROWS}/{self.params['digest']}")

    def other_task(self, ref: TaskRef) -> Row:
        """Return the row at the index of a reference."""
        if ref.edits or ref.hint:
            msg = f"{ref.key} is a row, which has neither edits nor hints; take a scheduler without them"
            raise Unsupported(msg)
        rows: Rows = self.__dict__["_rows"]
        turn, at = divmod(ref.index, len(rows))
        return rows[shuffled(len(rows), (ref.seed + turn) % (_checks.LARGEST_SEED + 1))[at]]

    @property
    def is_game(self) -> bool:
        """False."""
        return False

    @property
    def guess_rate(self) -> float:
        """0, since nobody measured it."""
        return 0.0

    @property
    def skills(self) -> tuple[str, ...]:
        """The one name of all rows."""
        return (ROWS,)


def setting_of(rows: Rows) -> RowSetting:
    """Return the setting of rows; equal rows have equal settings."""
    digest = hashlib.sha256("\n".join(rows.ids).encode()).hexdigest()[:_DIGITS]
    made = _known.get(digest)
    if made is None:
        made = RowSetting(ROWS, 0, {"digest": digest})
        object.__setattr__(made, "_rows", rows)
        _known[digest] = made
    return made


def _found(params: Any) -> RowSetting:
    """Setting of a record, whose rows this process must have."""
    made = _known.get(str((_checks.mapping("params", params) or {}).get("digest")))
    if made is None:
        msg = "a setting of rows holds no rows itself; make the scheduler with them before its state is read"
        raise InvalidArgument(msg)
    return made


OTHERS[ROWS] = _found
