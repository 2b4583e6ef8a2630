"""Public names are those that were reviewed, and each name means one thing."""

import ast
import difflib
import importlib
import subprocess
import sys
from collections import defaultdict

import pytest
import reasonenv
import surface

PUBLIC = [module for module in surface.MODULES if surface.is_public(module)]
INSTALLED = [module for module in PUBLIC if not module.startswith("reasonenv.integrations.")]
"""Those that need no extra."""


def test_the_surface_is_the_reviewed_one() -> None:
    was, now = surface.SURFACE.read_text(encoding="utf-8"), surface.surface()
    changes = "\n".join(difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=0))
    assert was == now, f"the public surface changed; if it should, run `make surface`:\n{changes}"


@pytest.mark.parametrize("module", [one for one in surface.MODULES if one != "reasonenv._native"])
def test_public_modules_list_their_names_and_private_ones_do_not(module: str) -> None:
    lists = surface.is_public(module) and module not in surface.GENERATED
    assert (surface.exported(module) is not None) == lists


@pytest.mark.parametrize("module", INSTALLED)
def test_listed_names_are_there(module: str) -> None:
    imported = importlib.import_module(module)
    for name in surface.exported(module) or ():
        assert getattr(imported, name).__doc__ != "", name


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_packages_are_attributes_of_the_package() -> None:
    top = [module for module in INSTALLED if module.count(".") == 1]
    assert run(f"import reasonenv; print(*(one.__name__ for one in [{', '.join(top)}]))").split() == top
    assert {module.split(".")[1] for module in top} | {*reasonenv.__all__} <= {*dir(reasonenv)}


@pytest.mark.parametrize("module", [module for module in INSTALLED if module.count(".") > 1])
def test_modules_are_attributes_of_their_package(module: str) -> None:
    assert run(f"import reasonenv; print({module}.__name__)") == module


def test_type_checkers_know_the_packages() -> None:
    imported = surface.names_of("reasonenv")
    assert {module.split(".")[1] for module in PUBLIC if "." in module} <= imported


def test_an_unknown_attribute_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'reasonenv' has no attribute 'rollout_s'"):
        _ = reasonenv.rollout_s  # type: ignore[attr-defined]


def test_an_import_loads_no_package_before_it_is_asked_for() -> None:
    code = "import reasonenv, sys; print(*(name for name in sys.modules if name.startswith('reasonenv.')))"
    loaded = {name.split(".")[1] for name in run(code).split()}
    assert {name for name in loaded if not name.startswith("_")} == {"kit"}


def test_only_the_upper_layers_import_the_package_itself() -> None:
    importing = set()
    for module in surface.MODULES:
        for node in ast.walk(surface.tree(module)):
            if isinstance(node, ast.ImportFrom) and node.module == "reasonenv":
                names = {f"reasonenv.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names = {alias.name for alias in node.names if alias.name == "reasonenv"}
            else:
                continue
            if not names <= surface.MODULES.keys() - {"reasonenv"}:
                importing.add(module.split(".")[1])
    assert importing == {"_cli", "integrations", "serve"}


def test_a_class_name_means_one_thing() -> None:
    homes = defaultdict(set)
    for module in surface.MODULES:
        for node in surface.statements(surface.tree(module).body):
            # A class of the core that Python extends under its own name is one thing.
            if isinstance(node, ast.ClassDef) and f"_native.{node.name}" not in map(ast.unparse, node.bases):
                homes[node.name].add(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}
