"""All rollouts of a run beside its page, in files that the page loads as they are read, without a server."""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reasonenv._files import writing
from reasonenv.data._traces import completion_of, is_judged
from reasonenv.report._form import template
from reasonenv.report._samples import placed, shown_rollout

_PER_FILE = 100
"""Rollouts of a file."""

PASSED = "passed"
NO_VERDICT = "no verdict"


class RolloutFiles:
    """Writes rollouts to a folder: `0.js`, `1.js` and so on, and `index.js` with what they are filtered by.

    Args:
        folder: The folder, which is made; files of an earlier report are replaced.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._policies: dict[str, int] = {}
        self._labels: dict[str, int] = {PASSED: 0}
        self._kinds: dict[tuple[int, ...], int] = {}
        """Numbers of a policy and of labels, as many rollouts have them."""
        self._rows = array("I")
        """The kind of each rollout."""
        self._chunk: list[str] = []
        self._macro = template("rollout").module.rollout
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.js"):
            if path.stem == "index" or path.stem.isdecimal():
                path.unlink()

    def passing(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Write records as they pass by, and the index after the last one."""
        for record in records:
            self._add(record)
            yield record
        self._write_chunk()
        index = {
            "size": _PER_FILE,
            "policies": list(self._policies),
            "labels": list(self._labels),
            "kinds": list(self._kinds),
            "rows": self._rows.tolist(),
        }
        self._write("index.js", f"reasonenv.index({json.dumps(index, separators=(',', ':'))})")

    def _add(self, record: Mapping[str, Any]) -> None:
        policy, source, family = placed(record)
        shown = shown_rollout(record, completion_of(record), source, family, policy)
        labels = [PASSED] if shown.passed else list(shown.failures) or [NO_VERDICT]
        if not is_judged(record) and not shown.failures:
            labels = [NO_VERDICT]
        kind = (
            self._policies.setdefault(policy, len(self._policies)),
            *(self._labels.setdefault(label, len(self._labels)) for label in labels),
        )
        self._rows.append(self._kinds.setdefault(kind, len(self._kinds)))
        self._chunk.append(str(self._macro(shown)))
        if len(self._chunk) == _PER_FILE:
            self._write_chunk()

    def _write_chunk(self) -> None:
        if self._chunk:
            number = (len(self._rows) - 1) // _PER_FILE
            self._write(f"{number}.js", f"reasonenv.rollouts({number},{json.dumps(self._chunk)})")
            self._chunk = []

    def _write(self, name: str, script: str) -> None:
        with writing(self.folder / name) as file:
            file.write(script)
