"""Modules that stand in for packages which `make test` does without."""

import importlib
import sys
from types import ModuleType
from typing import Any

import pytest


def stand_in(monkeypatch: pytest.MonkeyPatch, modules: dict[str, dict[str, Any]]) -> None:
    """Puts modules of these contents where imports find them, until the test ends."""
    for name, contents in modules.items():
        for depth in range(name.count(".") + 1):
            parent = ".".join(name.split(".")[: depth + 1])
            if parent not in modules or parent == name:
                module = sys.modules.get(parent)
                if not isinstance(module, _StandIn):
                    module = _StandIn(parent)
                    module.__path__ = []
                    monkeypatch.setitem(sys.modules, parent, module)
        vars(sys.modules[name]).update(contents)
        above, _, last = name.rpartition(".")
        if above:
            setattr(sys.modules[above], last, sys.modules[name])


def fresh(name: str) -> Any:
    """A module of ours imported anew, with the packages that stand in; others get the usual one."""
    above, _, last = name.rpartition(".")
    parent, usual = sys.modules[above], sys.modules.pop(name, None)
    try:
        return importlib.import_module(name)
    finally:
        sys.modules.pop(name, None)
        vars(parent).pop(last, None)
        if usual is not None:
            sys.modules[name] = usual
            setattr(parent, last, usual)


def missing(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Lets imports of these packages fail, whether they are installed or not."""
    for name in names:
        for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setitem(sys.modules, name, None)


class _StandIn(ModuleType):
    __path__: list[str]
