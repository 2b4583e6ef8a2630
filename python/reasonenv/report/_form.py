"""The form of every page: a headline, cards, and sections of tables, charts and rollouts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonenv._files import writing
from reasonenv._native import __version__
from reasonenv.report._charts import Chart
from reasonenv.report._samples import ShownRollout
from reasonenv.report._trees import TreeDrawing


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

    Args:
        text: Its content.
        heat: Share that colors it, from 0 to 1.
        lean: Difference that colors it, from −1 to 1.
        bands: Shares that are drawn as a stacked bar: one and the rest, or failed, mixed and passed.
        note: Smaller text below.
        mark: A word in a frame.
        fold: Titles and texts that appear when the cell is opened.
    """

    text: str = ""
    heat: float | None = None
    lean: float | None = None
    bands: tuple[float, ...] = ()
    note: str = ""
    mark: str = ""
    fold: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class PageTable:
    """A table whose first column stays in view.

    Args:
        columns: Names of the columns.
        rows: Cells; the first cell of a row names it.
        name: Caption.
        words: Columns of words, aligned to the left, besides the first.
        fold: Text of the button that unfolds it; empty: the table is always open.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[TableCell | str]]
    name: str = ""
    words: frozenset[int] = frozenset()
    fold: str = ""

    def cells(self) -> list[list[TableCell]]:
        """All rows, with every cell as a `TableCell`."""
        return [[one if isinstance(one, TableCell) else TableCell(one) for one in row] for row in self.rows]


@dataclass(frozen=True)
class Card:
    """A fact at the head of a page.

    Args:
        name: What it is.
        lines: Facts, each with a smaller note.
        command: A command that can be copied.
    """

    name: str
    lines: Sequence[tuple[str, str]] = ()
    command: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page with an entry in the contents.

    Args:
        name: Its heading.
        lead: A sentence or two below it.
        finding: A result in words, for which the section is shown even without tables.
        tables: Tables; several that are always open share a row where there is room.
        charts: Charts.
        samples: Rollouts to browse.
        beside: Folder beside the page with all rollouts.
        trees: Search trees to unfold.
    """

    name: str
    lead: str = ""
    finding: str = ""
    tables: Sequence[PageTable] = ()
    charts: Sequence[Chart] = ()
    samples: Sequence[ShownRollout] = ()
    beside: str = ""
    trees: Sequence[TreeDrawing] = ()

    @property
    def id(self) -> str:
        """Its anchor."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name.lower())

    @property
    def empty(self) -> bool:
        """True if there is nothing to show."""
        return not (
            any(table.rows for table in self.tables)
            or self.charts
            or self.samples
            or self.trees
            or self.finding
        )


@dataclass(frozen=True)
class HtmlPage:
    """A page.

    Args:
        title: The window's title.
        headline: The main result as a sentence.
        facts: A line below it.
        cards: Facts at the head.
        sections: Its parts; empty ones are left out.
    """

    title: str
    headline: str
    facts: str
    cards: Sequence[Card]
    sections: Sequence[Section]

    def render(self) -> str:
        """The page as HTML.

        Raises:
            ModuleNotFoundError: jinja2 is missing.
        """
        sections = [section for section in self.sections if not section.empty]
        return str(template().render(page=self, sections=sections, version=__version__))


def template(name: str = "page") -> Any:
    """The template of all pages, or that of rollouts.

    Raises:
        ModuleNotFoundError: jinja2 is missing.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  an extra
        from markupsafe import Markup, escape  # noqa: PLC0415  comes with jinja2
    except ModuleNotFoundError as error:
        msg = "a report needs jinja2; install it with `pip install 'reasonenv[report]'`"
        raise ModuleNotFoundError(msg) from error
    environment = Environment(
        loader=PackageLoader("reasonenv.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def coded(text: str) -> Any:
        """Words in backticks as code; other backticks, as in drawings of trees, remain."""
        marked = re.sub(r"(?<![^\s(])`([^`\n]+)`(?![^\s.,;:)?!])", r"<code>\1</code>", str(escape(text)))
        return Markup(marked)

    # Long names may break after an underscore or a slash rather than inside a word.
    environment.filters["coded"] = coded
    environment.filters["breakable"] = lambda text: Markup(
        re.sub("([_/])(?!code>)", r"\1<wbr>", str(coded(text)))
    )
    return environment.get_template(f"{name}.html.jinja")


def write(page: HtmlPage, target: Path) -> Path:
    """Write a page and return its path."""
    html = page.render()
    with writing(target) as file:
        file.write(html)
    return target


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.1f}%"


def rounded(share: float) -> str:
    """A share as a whole percentage, which is 0% or 100% only if the share is 0 or 1."""
    whole = min(max(round(100 * share), int(share > 0)), 100 - int(share < 1))
    return f"{'<' * (0 < share < 0.005)}{'>' * (0.995 < share < 1)}{whole}%"


def interval(ends: tuple[float, float]) -> str:
    """An interval of shares, in percent."""
    return f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f}"


def count(n: int, noun: str) -> str:
    """A number with its noun."""
    return f"{n:,} {noun}{'s' * (n != 1)}"
