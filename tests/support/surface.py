"""The public names of the package, as listed in docs/surface.txt. Run it to write that file.

Public is a module whose path has no underscore, and in it what `__all__` lists. Read from the sources, so
that adapters are listed whose frameworks are not installed.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python/reasonenv"
SURFACE = ROOT / "docs/surface.txt"

GENERATED = {"reasonenv.types"}
"""Modules of names that the registry decides: `tests/docs/test_types.py` holds them to it."""

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


def modules() -> dict[str, Path]:
    """Every module and its file, or its stub if it has one."""
    found = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


@cache
def tree(module: str) -> ast.Module:
    """The source of a module."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a module, including those for type checkers."""
    return [inner for one in body for inner in (statements(one.body) if isinstance(one, ast.If) else [one])]


def target(node: ast.stmt) -> str | None:
    """The name that a statement defines."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


def exported(module: str) -> list[str] | None:
    """Names in `__all__` of a module; None without it."""
    for node in tree(module).body:
        if isinstance(node, ast.Assign) and target(node) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def is_program(module: str) -> bool:
    """True if a module is for `python -m`, not for imports."""
    return any(
        isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in tree(module).body
    )


def is_public(module: str) -> bool:
    """True if users may import from a module."""
    parts = module.split(".")
    return not (any(part.startswith("_") for part in parts) or is_program(module))


def defined(module: str, name: str) -> tuple[str, Definition | None]:
    """The module that defines a name, and the definition; None for a module or a name of another package."""
    for node in statements(tree(module).body):
        if target(node) == name:
            assert isinstance(node, Definition)
            return module, node
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if (alias.asname or alias.name) == name:
                assert isinstance(node, ast.ImportFrom)
                if f"{node.module}.{alias.name}" in MODULES or node.module not in MODULES:
                    return str(node.module), None
                return defined(str(node.module), alias.name)
    raise AssertionError(f"{module} lists {name} and does not define it")


def members(module: str, node: ast.ClassDef) -> set[str]:
    """The public methods, properties and fields of a class, those of this package's base classes too."""
    own = {name for one in node.body if (name := target(one)) and not name.startswith("_")}
    for base in node.bases:
        plain = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(plain, ast.Name) and plain.id in names_of(module):
            home, found = defined(module, plain.id)
            if isinstance(found, ast.ClassDef):
                own |= members(home, found)
    return own


@cache
def names_of(module: str) -> set[str]:
    """Every name that a module defines or imports from others."""
    body = statements(tree(module).body)
    imported = {
        alias.asname or alias.name for one in body if isinstance(one, ast.ImportFrom) for alias in one.names
    }
    return imported | {name for one in body if (name := target(one))}


def described(module: str, name: str) -> str:
    """Line of a public name."""
    home, node = defined(module, name)
    match node:
        case ast.ClassDef():
            return ": ".join(filter(None, [f"class {name}", ", ".join(sorted(members(home, node)))]))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return f"def {name}"
        case None:
            return f"module {name}"
    return name


def surface() -> str:
    """The whole surface in the format of the file."""
    public = {module: exported(module) or [] for module in MODULES if is_public(module)}
    kept = {module: names for module, names in public.items() if module not in GENERATED}
    lines = [f"{sum(map(len, kept.values()))} names in {len(kept)} modules. `make surface` writes this file."]
    for module, names in kept.items():
        lines += ["", f"{module} ({len(names)})"]
        lines += [f"    {described(module, name)}" for name in sorted(names)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    SURFACE.write_text(surface(), encoding="utf-8")
