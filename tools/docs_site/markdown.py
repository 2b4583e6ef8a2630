"""Tables, fences, tabs and drawings of generated pages, for GitHub and Python-Markdown."""

import html
import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reasonenv.envs._render import INKS, Picture


def cell(text: str) -> str:
    """Escape text for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; its cells are Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fence(text: str, language: str = "text") -> str:
    """Return a code fence longer than any inside it."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def tabs(sections: Mapping[str, str]) -> str:
    """Return tabs, each with a title and its content."""
    return "\n\n".join(
        f'=== "{title}"\n\n{textwrap.indent(content, "    ")}' for title, content in sections.items()
    )


def plain(value: object) -> str:
    """Return a param's value as JSON, and text without quotes."""
    return value if isinstance(value, str) else json.dumps(value)


def params(values: Mapping[str, Any]) -> str:
    """Return params on one line, each as code."""
    return ", ".join(f"`{name}={plain(value)}`" for name, value in values.items())


def _kind(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return the type and the range of a param in readable form."""
    if choices := schema.get("enum"):
        return "choice", ", ".join(f"`{json.dumps(choice)}`" for choice in choices)
    variants = schema.get("oneOf") or schema.get("anyOf")
    if variants:
        if [one.get("type") for one in variants[1:]] == ["null"]:
            kind, bounds = _kind(variants[0])
            return f"{kind} or null", bounds
        choices = [
            choice for one in variants for choice in ([one["const"]] if "const" in one else one["enum"])
        ]
        return "choice", ", ".join(f"`{json.dumps(choice)}`" for choice in choices)
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kind, bounds = _kind({**schema, "type": kinds[0]})
        return f"{kind} or null", bounds
    if kinds == "array":
        kind, bounds = _kind(schema["items"])
        return f"list of {kind}", bounds
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f"{low} to {high}" if None not in (low, high) else ""
    if not bounds and low is not None:
        bounds = f"{low} or more"
    if not bounds and high is not None:
        bounds = f"{high} or less"
    return {"string": "text", "object": "JSON", None: "JSON"}.get(kinds, str(kinds)), bounds


def param_table(name: str, schema: Mapping[str, Any]) -> str:
    """Return a table of params of a family or a game: types, ranges, defaults, roles and meanings."""
    rows = []
    for param, field in schema["properties"].items():
        kind, bounds = _kind(field)
        default = cell(json.dumps(field.get("default")))
        rows.append(
            [
                f"`{param}`",
                kind,
                cell(bounds),
                f"`{default}`",
                field.get("role", ""),
                cell(field.get("description", "")),
            ]
        )
    camel = "".join(word.capitalize() for word in name.split("_"))
    columns = ["Param", "Type", "Range", "Default", "Role", "Meaning"]
    return f"Typed in Python as `reasonenv.types.{camel}Params`.\n\n{table(columns, rows)}"


def drawing(picture: Picture, label: str) -> str:
    """Return a drawing as an SVG image of at most 320 pixels per side."""
    rows, columns, shapes = picture
    size = min(40, 320 / max(rows, columns))
    parts = [_shape(*shape) for shape in shapes]
    return (
        f'<svg class="board" role="img" aria-label="{html.escape(label)}" width="{columns * size:.0f}" '
        f'height="{rows * size:.0f}" viewBox="0 0 {columns * 8} {rows * 8}">'
        f'<rect width="100%" height="100%" fill="{_color("paper")}"/>{"".join(parts)}</svg>'
    )


def _color(ink: str) -> str:
    return "#{:02x}{:02x}{:02x}".format(*INKS[ink])


def _shape(kind: str, numbers: Sequence[int], ink: str, text: str) -> str:
    x, y, *rest = numbers
    color = _color(ink)
    match kind:
        case "rectangle":
            return f'<rect x="{x}" y="{y}" width="{rest[0]}" height="{rest[1]}" fill="{color}"/>'
        case "disc":
            return f'<circle cx="{x}" cy="{y}" r="{rest[0]}" fill="{color}"/>'
        case "line":
            width = max(rest[2], 1 / 3)
            return (
                f'<line x1="{x}" y1="{y}" x2="{rest[0]}" y2="{rest[1]}" stroke="{color}" '
                f'stroke-width="{width:.2f}" stroke-linecap="round"/>'
            )
    anchor = "middle" if kind == "title" else "start"
    return (
        f'<text x="{x}" y="{y}" font-size="{rest[0]}" text-anchor="{anchor}" dominant-baseline="central" '
        f'font-family="monospace" fill="{color}">{html.escape(text)}</text>'
    )
