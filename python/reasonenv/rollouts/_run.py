"""A run on disk: its config, every rollout as it arrived, and the result.

    runs/first/
        config.json       the settings; a run resumes only with the same ones
        traces.jsonl      one record per rollout, group by group
        prompts.jsonl     the prompt of each task, which the traces leave out
        pending.jsonl     answers in incomplete groups, as they arrive, until the run is finished
        tree.jsonl        search trees, as they grow
        summary.json      the result of a finished run
        .reasonenv.lock   the process that is writing, if any

A killed run resumes where it stopped: opened again with the same config, it still has every line that was
written completely. docs/records.md describes the lines.
"""

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from reasonenv import _checks
from reasonenv._files import NamedFile, named, remove_drafts, writing
from reasonenv._native import InvalidArgument, __version__
from reasonenv._records import PROMPTS, TRACES, InvalidRun, Prompts, read_records
from reasonenv._trees import TREES
from reasonenv.rollouts._lock import Lock, LockTaken

_CHUNK = 1 << 16


class Run:
    """An open run folder; a context manager.

    One process writes a folder at a time. Any number may read a finished run.

    Args:
        folder: Folder of the run; made if it doesn't exist.
        config: Plain data that describes the run. It must equal the config that the folder was made with.
        overwrite: True to delete an existing run first.

    Raises:
        InvalidRun: The folder was made with another config (names the difference), isn't a run folder, or is
            open elsewhere (names the holder).
        InvalidArgument: `config` isn't a mapping of plain data.
        OSError: The folder cannot be written; names the path.
    """

    def __init__(self, folder: str | Path, config: Mapping[str, Any], *, overwrite: bool = False) -> None:
        self.folder = _checks.path("folder", folder)
        self.config = {"reasonenv": __version__} | json.loads(_dumped("config", config))
        self._lock: Lock | None = None
        self._traces: NamedFile | None = None
        self._pending: NamedFile | None = None
        self._trees: NamedFile | None = None
        self._prompts = Prompts(self.prompts_path)
        _checks.flag("overwrite", overwrite)
        if self.folder.exists() and not self.folder.is_dir():
            msg = f"{self.folder} is not a folder; name another one for the run"
            raise InvalidRun(msg)
        for path in (self.config_path, self.summary_path, *self._lines()):
            if path.exists() and not path.is_file():
                msg = f"{path} is not a regular file; remove it, or name another folder"
                raise InvalidRun(msg)
        if self.finished and not overwrite:
            self._agree()
            return
        Path(os.path.realpath(self.folder)).mkdir(parents=True, exist_ok=True)
        try:
            self._lock = Lock(self.folder / ".reasonenv.lock")
            self._open(overwrite=overwrite)
        except LockTaken as held:
            msg = f"{self.folder} is {held}"
            raise InvalidRun(msg) from None
        except BaseException:
            self.close()
            raise

    @property
    def config_path(self) -> Path:
        """Path of `config.json`."""
        return self.folder / "config.json"

    @property
    def traces_path(self) -> Path:
        """Path of `traces.jsonl`."""
        return self.folder / TRACES

    @property
    def prompts_path(self) -> Path:
        """Path of `prompts.jsonl`."""
        return self.folder / PROMPTS

    @property
    def pending_path(self) -> Path:
        """Path of `pending.jsonl`."""
        return self.folder / "pending.jsonl"

    @property
    def trees_path(self) -> Path:
        """Path of `tree.jsonl`."""
        return self.folder / TREES

    @property
    def summary_path(self) -> Path:
        """Path of `summary.json`."""
        return self.folder / "summary.json"

    @property
    def finished(self) -> bool:
        """True if the run has its result."""
        return self.summary_path.exists()

    @property
    def summary(self) -> dict[str, Any] | None:
        """Result of the run, or None while it is unfinished.

        Raises:
            InvalidRun: `summary.json` is damaged.
        """
        return read_json(self.summary_path) if self.finished else None

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write records as lines of the traces: all of them, or none if that fails.

        Raises:
            InvalidArgument: A record isn't a mapping of plain data.
            InvalidRun: The run is finished or closed.
            OSError: They cannot be written; names the file.
        """
        file = self._writable()
        prompts, lean = self._prompts.split(several(records))
        if prompts:
            with NamedFile(os.fspath(self.prompts_path), "a", self.prompts_path) as stored:
                append_lines(stored, prompts)
        append_lines(file, lean)

    def hold(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Write answers in incomplete groups: all of them, or none if that fails.

        Raises:
            OSError: As for `append`.
        """
        self._writable()
        if self._pending is None:
            self._pending = NamedFile(os.fspath(self.pending_path), "a", self.pending_path)
        append_lines(self._pending, answers)

    def grow(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write lines of search trees: all of them, or none if that fails.

        Raises:
            OSError: As for `append`.
        """
        self._writable()
        if self._trees is None:
            self._trees = NamedFile(os.fspath(self.trees_path), "a", self.trees_path)
        append_lines(self._trees, lines)

    def records(self) -> Iterator[dict[str, Any]]:
        """Records written so far, in order.

        Raises:
            InvalidRun: A line is not a record.
        """
        return (record for _, record in read_records(self.traces_path))

    def _lines(self) -> tuple[Path, ...]:
        """Files with one record per line."""
        return self.traces_path, self.prompts_path, self.pending_path, self.trees_path

    def take_back(self, kept: int, answers: Iterable[Iterable[Mapping[str, Any]]]) -> None:
        """Cut the traces after `kept` records, and hold the still valid answers of the rest, chunk by chunk.

        Raises:
            OSError: As for `append`.
        """
        for several in answers:
            self.hold(several)
        if self._pending is not None:
            with named(self.pending_path):
                os.fsync(self._pending.fileno())
        with self.traces_path.open("rb") as lines:
            end = sum(len(line) for line in itertools.islice(lines, kept))
        os.ftruncate(self._writable().fileno(), end)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the result; the run is finished and read-only.

        Raises:
            InvalidArgument: `summary` isn't a mapping of plain data.
            InvalidRun: The run is finished or closed already.
            OSError: It cannot be written; names the file.
        """
        result = _dumped("summary", summary, indent=2)
        self._writable()
        _write(self.summary_path, result)
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.close()
        self.pending_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the folder's files and release the lock; closing twice is fine."""
        files = self._traces, self._pending, self._trees
        self._traces = self._pending = self._trees = None
        lock, self._lock = self._lock, None
        try:
            for file in files:
                if file is not None:
                    file.close()
        finally:
            if lock is not None:
                lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Run {self.folder}: {'finished' if self.finished else 'unfinished'}>"

    def _open(self, *, overwrite: bool) -> None:
        """Prepare the folder, which this process has locked."""
        for path in (self.config_path, self.summary_path):
            remove_drafts(path)
        if overwrite:
            self._own_config()
            # The config goes last: a folder without one isn't a run, even if this is interrupted.
            for path in (self.summary_path, *self._lines(), self.config_path):
                path.unlink(missing_ok=True)
        self._agree()
        if self.finished:  # since it was last looked at, by the process that had the lock
            self.pending_path.unlink(missing_ok=True)
            self.close()
            return
        for path in self._lines():
            _drop_torn_line(path)
        self._traces = NamedFile(os.fspath(self.traces_path), "a", self.traces_path)

    def _writable(self) -> NamedFile:
        """The traces, open for appending."""
        if self._traces is None or self._lock is None or not self._lock.held or self.finished:
            state = "finished" if self.finished else "closed, or open in another process"
            msg = f"nothing can be written to {self.folder}: the run is {state}; open another one"
            raise InvalidRun(msg)
        return self._traces

    def _own_config(self) -> dict[str, Any] | None:
        """Config that the folder was made with; None for a fresh folder."""
        if not self.config_path.exists():
            for path in (*self._lines(), self.summary_path):
                if path.exists():
                    msg = f"{self.folder} has {path.name} but no config.json; name another folder"
                    raise InvalidRun(msg)
            return None
        there = read_json(self.config_path)
        if "reasonenv" not in there:
            msg = f"{self.config_path} is not the config of a run; name another folder"
            raise InvalidRun(msg)
        return there

    def _agree(self) -> None:
        """Compare the config with the folder's own, or write it to a fresh folder."""
        there = self._own_config()
        if there is None:
            _write(self.config_path, json.dumps(self.config, indent=2))
            return
        for path, had, asked in _differences(there, self.config):
            msg = (
                f"{self.folder} was made with other settings: `{path}` is {_short(had)} there and "
                f"{_short(asked)} here; name another folder, or start over with `--overwrite` (in Python, "
                "`Saving(folder, overwrite=True)`)"
            )
            raise InvalidRun(msg)


def _differences(had: Any, asked: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Places in which two configs differ, each with both values; the version comes last."""
    if isinstance(had, Mapping) and isinstance(asked, Mapping):
        for name in sorted({*had, *asked}, key=lambda name: (name == "reasonenv", name)):
            inner = f"{path}.{name}" if path else name
            yield from _differences(had.get(name), asked.get(name), inner)
    elif isinstance(had, list) and isinstance(asked, list) and len(had) == len(asked):
        for at, (one, other) in enumerate(zip(had, asked, strict=True)):
            yield from _differences(one, other, f"{path}[{at}]")
    elif isinstance(had, list) and isinstance(asked, list):
        yield f"len({path})", len(had), len(asked)
    elif had != asked:
        yield path, had, asked


def _drop_torn_line(path: Path) -> None:
    """Cut everything after the last complete line of a file."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        at = end
        while at > 0:
            start = max(0, at - _CHUNK)
            file.seek(start)
            found = file.read(at - start).rfind(b"\n")
            if found >= 0:
                at = start + found + 1
                break
            at = start
        if at < end:
            file.truncate(at)


def several(records: object) -> Iterable[Any]:
    """The records, if they are several.

    Raises:
        InvalidArgument: It is a single record, or not an iterable.
    """
    if isinstance(records, Mapping) or not isinstance(records, Iterable):
        msg = f"`records` is {_checks.shown(records)}, but must be several mappings"
        raise InvalidArgument(msg)
    return records


def append_lines(file: NamedFile, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records as lines of an open file: all of them, or none if that fails."""
    lines = [_line(record, f"records[{i}]") for i, record in enumerate(several(records))]
    left = memoryview("".join(lines).encode("ascii"))
    start = os.fstat(file.fileno()).st_size
    whole = start + len(left)
    try:
        while left:
            left = left[file.write(left) :]
    except BaseException:
        # A partial write, after a full disk or Ctrl-C, must be removed before the batch is written again.
        if os.fstat(file.fileno()).st_size < whole:
            os.ftruncate(file.fileno(), start)
        raise


def _line(record: Mapping[str, Any], name: str = "record") -> str:
    return _dumped(name, record, separators=(",", ":")) + "\n"


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of a run.

    Raises:
        InvalidRun: The file isn't a JSON object; names it.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        msg = f"{path} holds no JSON object, so it is not a run's; mend it, or name another folder"
        raise InvalidRun(msg)
    return content


def _dumped(name: str, content: object, **form: Any) -> str:
    """A mapping as JSON in ASCII; a lone surrogate becomes its escape."""
    if not isinstance(content, Mapping):
        msg = f"`{name}` is {_checks.shown(content)}, but must be a mapping of names to plain data"
        raise InvalidArgument(msg)
    try:
        return json.dumps(content, allow_nan=False, **form)
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"`{name}` must be plain data, as JSON holds it: {error}"
        raise InvalidArgument(msg) from error


def _write(path: Path, content: str) -> None:
    with writing(path) as file:
        file.write(content + "\n")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."
