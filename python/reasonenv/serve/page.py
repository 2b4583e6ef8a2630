"""The page of endpoints, which needs nothing from anywhere else: it works without a network."""

from html import escape
from typing import Any

from fastapi import FastAPI

__all__ = ["page"]

_STYLE = (
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }"
    "code { font-family: ui-monospace, monospace } h2 { font-size: 1rem; margin: 2rem 0 0 } p { margin: 0 }"
)


def page(app: FastAPI) -> str:
    """The endpoints of an application, each with what it does and the fields of its body, as HTML."""
    schema = app.openapi()
    sections = []
    for path, methods in schema["paths"].items():
        for method, facts in methods.items():
            sections.append(
                f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
                f"<p>{escape(facts.get('description', ''))}</p>{_body(facts)}"
            )
    title = escape(f"{schema['info']['title']} {schema['info']['version']}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style><h1>{title}</h1>"
        '<p>Bodies and answers are JSON. <a href="openapi.json">openapi.json</a> is the schema.</p>'
        f"{''.join(sections)}</html>\n"
    )


def _body(facts: dict[str, Any]) -> str:
    if "requestBody" not in facts:
        return ""
    names = facts["requestBody"]["content"]["application/json"]["schema"]["properties"]
    return f"<p>Body: {', '.join(f'<code>{escape(name)}</code>' for name in names)}</p>"
