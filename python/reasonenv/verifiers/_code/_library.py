"""The standard library in memory, for processes that may open no files.

Processes that run programs load this file by itself, so it imports nothing from the package.
"""

import fcntl
import importlib
import importlib.machinery
import importlib.util
import io
import marshal
import mmap
import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any, BinaryIO

_SKIPPED = {
    "__pycache__",
    "site-packages",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "lib2to3",
    "turtledemo",
    "ensurepip",
}
EXTENSIONS = (
    *("_asyncio", "_bisect", "_contextvars", "_csv", "_datetime", "_decimal", "_heapq", "_json", "_opcode"),
    *("_pickle", "_posixsubprocess", "_queue", "_random", "_socket", "_statistics", "_struct", "_zoneinfo"),
    *("array", "binascii", "cmath", "grp", "math", "select", "unicodedata", "zlib"),
)
"""Extension modules that programs may import; more of them would make every fork slower."""


class Library:
    """Finds modules of the standard library that were read when it was made."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bool, slice, bool]] = {}
        """For each module: if it is a package, the place of its bytes, and if those are byte code."""
        self._file = _memory_file()
        self._read(os.path.dirname(os.__file__), "")
        self._bytes = _sealed(self._file)
        for name in EXTENSIONS:
            with suppress(ImportError):  # some Pythons build it in, or lack it
                importlib.import_module(name)

    def install(self) -> None:
        """Make it, with built-in and frozen modules, all that `import` finds."""
        sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, self]
        sys.path.clear()
        sys.path_hooks.clear()
        sys.path_importer_cache.clear()

    def _read(self, folder: str, prefix: str) -> None:
        with os.scandir(folder) as found:
            for entry in found:
                name, _, ending = entry.name.partition(".")
                if ending == "py" and name != "__init__":
                    self._keep(prefix + name, False, entry.path)
                elif not ending and name not in _SKIPPED and not name.startswith("config-"):
                    inside = os.path.join(entry.path, "__init__.py")
                    if entry.is_dir() and os.path.exists(inside):
                        self._keep(prefix + name, True, inside)
                        self._read(entry.path, f"{prefix}{name}.")

    def _keep(self, name: str, package: bool, path: str) -> None:
        with suppress(OSError, NotImplementedError):
            with open(importlib.util.cache_from_source(path), "rb") as file:
                data = file.read()
            about = os.stat(path)
            fresh = struct.pack("<4sIII", importlib.util.MAGIC_NUMBER, 0, int(about.st_mtime), about.st_size)
            if data[:16] == fresh:
                self._add(name, package, data[16:], True)
                return
        with suppress(OSError), open(path, "rb") as file:
            self._add(name, package, file.read(), False)

    def _add(self, name: str, package: bool, data: bytes, compiled: bool) -> None:
        start = self._file.tell()
        self._files[name] = (package, slice(start, start + len(data)), compiled)
        self._file.write(data)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002  its signature
        """Find a module."""
        if name not in self._files:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=self._files[name][0])  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        _, place, compiled = self._files[module.__name__]
        data = self._bytes[place]
        code: CodeType = marshal.loads(data) if compiled else compile(data, f"<{module.__name__}>", "exec")
        exec(code, module.__dict__)


def _memory_file() -> BinaryIO:
    try:
        return open(os.memfd_create("library", os.MFD_ALLOW_SEALING), "wb", buffering=0)
    except (AttributeError, OSError):  # not Linux
        return io.BytesIO()


def _sealed(file: BinaryIO) -> bytes | mmap.mmap:
    """Return a file's bytes in memory that forks share at no cost and that no process can change."""
    with file:
        if isinstance(file, io.BytesIO):
            return file.getvalue()
        fcntl.fcntl(file, 1033, 15)  # F_ADD_SEALS: neither size nor bytes nor seals change
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def preload(names: Sequence[str]) -> None:
    """Import modules."""
    for name in names:
        importlib.import_module(name)
