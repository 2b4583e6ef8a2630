"""Error messages start in lower case and end without a full stop."""

import ast
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PYTHON = sorted((ROOT / "python/reasonenv").rglob("*.py"))
RUST = sorted(path for path in (ROOT / "rust").rglob("*.rs") if "dev" not in path.parts)

RAISED_IN_RUST = re.compile(r'(?:new_err|Error::\w+|Err)\(\s*(?:format!\(\s*)?"((?:[^"\\]|\\.)*)"')


def said(node: ast.expr) -> str | None:
    """A message in the code, with its values as `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def messages_of_python(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        found = None
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            found = said(node.exc.args[0])
        elif (
            isinstance(node, ast.Assign)
            and isinstance(name := node.targets[0], ast.Name)
            and name.id == "msg"
        ):
            found = said(node.value)
        if found:
            yield found


def faults(message: str) -> list[str]:
    # Ids and protocol constants are exempt.
    first = message.split(maxsplit=1)[0] if message.strip() else ""
    return [
        fault
        for fault, there in {
            "it starts in upper case": bool(re.fullmatch(r"[A-Z][a-z]+[,:]?", first)),
            "it ends with a full stop": message.endswith("."),
        }.items()
        if there
    ]


@pytest.mark.parametrize(
    ("paths", "messages"),
    [(PYTHON, messages_of_python), (RUST, RAISED_IN_RUST.findall)],
    ids=["Python", "Rust"],
)
def test_messages_start_in_lower_case(
    paths: list[pathlib.Path], messages: Callable[[str], Iterable[str]]
) -> None:
    found = {
        str(path.relative_to(ROOT)): [message for message in messages(path.read_text()) if faults(message)]
        for path in paths
    }
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert len(found) > 100


def test_messages_that_do_not_read_on_are_found() -> None:
    source = 'def f():\n    raise ValueError(f"Bad {x}.")\n    msg = "give a name"\n'
    assert [faults(message) for message in messages_of_python(source)] == [
        ["it starts in upper case", "it ends with a full stop"],
        [],
    ]
    assert RAISED_IN_RUST.findall('InvalidArgument::new_err(format!("Oh {x}"))') == ["Oh {x}"]
