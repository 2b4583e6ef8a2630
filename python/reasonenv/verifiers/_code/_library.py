"""The standard library in memory, for processes that may open no files.

Processes that run programs load this file by itself, so it imports nothing from the package.
"""

import fcntl
import importlib
import importlib.machinery
import importlib.util
import marshal
import mmap
import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any

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
    *("_asyncio", "_bisect", "_blake2", "_contextvars", "_csv", "_datetime", "_decimal", "_hashlib"),
    *("_heapq", "_json", "_md5", "_opcode", "_pickle", "_posixsubprocess", "_queue", "_random", "_sha1"),
    *("_sha2", "_sha256", "_sha3", "_sha512", "_socket", "_statistics", "_struct", "_zoneinfo", "array"),
    *("binascii", "cmath", "fcntl", "grp", "math", "mmap", "resource", "select", "unicodedata", "zlib"),
)
"""Extension modules that programs may import; more of them would make every fork slower."""


class Library:
    """Finds modules of the standard library that were read when it was made."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bool, slice, bool]] = {}
        """For each module: if it is a package, the place of its bytes, and if those are byte code."""
        self._parts: list[bytes] = []
        self._size = 0
        self._read(os.path.dirname(os.__file__), "")
        self._bytes = _shared(b"".join(self._parts))
        self._parts.clear()
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
        self._files[name] = (package, slice(self._size, self._size + len(data)), compiled)
        self._parts.append(data)
        self._size += len(data)

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


def _shared(data: bytes) -> bytes | mmap.mmap:
    """Return bytes in memory that forks share at no cost and that no process can change."""
    try:
        fd = os.memfd_create("library", os.MFD_ALLOW_SEALING)
    except (AttributeError, OSError):
        return data
    with open(fd, "wb") as file:
        file.write(data)
        file.flush()
        fcntl.fcntl(fd, 1033, 15)  # F_ADD_SEALS: neither size nor bytes nor seals change
        return mmap.mmap(fd, len(data), access=mmap.ACCESS_READ)


def preload(names: Sequence[str]) -> None:
    """Import modules."""
    for name in names:
        importlib.import_module(name)
