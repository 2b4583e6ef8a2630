"""Stand-ins for packages that `make test` does without: modules that hold what an adapter imports."""

import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def adapter(name: str, modules: Mapping[str, Mapping[str, Any]]) -> Iterator[Any]:
    """Import the adapter `name` with these modules present, and drop it afterwards."""
    ours = f"reasonenv.integrations.{name}"
    made = {module: types.ModuleType(module) for module in _with_parents(modules)}
    for module, contents in modules.items():
        vars(made[module]).update(contents)
    for module, it in made.items():
        parent, _, child = module.rpartition(".")
        if parent:
            setattr(made[parent], child, it)
    before: dict[str, Any] = {module: sys.modules.pop(module, None) for module in [*made, ours]}
    sys.modules.update(made)
    try:
        yield importlib.import_module(ours)
    finally:
        for module, it in before.items():
            sys.modules.pop(module, None)
            if it is not None:
                sys.modules[module] = it


def _with_parents(modules: Mapping[str, Any]) -> list[str]:
    found: dict[str, None] = {}
    for module in modules:
        parts = module.split(".")
        found.update(dict.fromkeys(".".join(parts[: at + 1]) for at in range(len(parts))))
    return list(found)


@contextmanager
def missing(*packages: str) -> Iterator[None]:
    """Within it imports of these packages fail, whether they are installed or not."""
    loaded = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in packages}
    sys.modules.update(dict.fromkeys(packages))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in packages:
            sys.modules.pop(name, None)
        sys.modules.update(loaded)
