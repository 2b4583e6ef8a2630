"""Writes the pages and the build settings of the site: `python -m docs_site site`."""

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import reasonenv
import yaml

from docs_site import api, families, games

ROOT = Path(__file__).parent.parent.parent
TOP_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages in the repository's root that the site adds to those of docs/."""

GAMES = "games/list.md"
"""Index of the games on the site; games/README.md would clash with the address of games.md."""

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)

Nav = list[Any]
"""Entries of a navigation: a path, or a dict from a title to a path or a nested navigation."""


def repository() -> str | None:
    """Return the address of the repository's files, or None if pyproject.toml names no owner."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project["urls"]["Repository"]
    return None if "OWNER" in address else f"{address}/blob/main"


def source_link(path: str) -> str:
    """Return a link to a file of the repository, or its path if the repository has no address."""
    place = repository()
    return f"[{path}]({place}/{path})" if place else f"`{path}`"


class Site:
    """Pages of the site by path, and the translation of the repository's links to them.

    Args:
        out: Folder for the pages.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.examples: set[str] = set()

    def write(self, path: str, text: str) -> None:
        """Write a page."""
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    @staticmethod
    def place(page: str) -> str:
        """Return the site's path of a page of the repository."""
        return GAMES if page == "docs/games/README.md" else page.removeprefix("docs/")

    def target(self, page: str, link: str) -> str | None:
        """Return a link's target on the site, or None if the site does not have it.

        Args:
            page: Path of the page in the repository.
            link: Link as written in the page.
        """
        if "://" in link or link.startswith(("#", "mailto:")):
            return link
        file, _, anchor = link.partition("#")
        path = normpath(str(PurePosixPath(page).parent / file))
        here = str(PurePosixPath(page).parent).removeprefix("docs").lstrip("/") or "."
        suffix = f"#{anchor}" if anchor else ""
        if match := re.fullmatch(r"docs/(families|games)/README\.md", path):
            units = reasonenv.list_families() if match[1] == "families" else reasonenv.list_games()
            there = f"{match[1]}/{anchor}.md" if anchor in units else self.place(path) + suffix
        elif match := re.fullmatch(r"tests/golden/(families|games)/(\w+)\.txt", path):
            there = f"{match[1]}/{match[2]}.md"
        elif path.startswith("docs/") or path in TOP_PAGES:
            there = self.place(path) + suffix
        elif path == "README.md":
            there = "README.md"
        elif path.startswith("examples/") and path.endswith(".py"):
            self.examples.add(path)
            there = path.removesuffix(".py") + ".md"
        else:
            place = repository()
            return f"{place}/{path}{suffix}" if place else None
        return relpath(there, here)

    def stage(self, page: str, text: str) -> None:
        """Write a page of the repository with its links and lists adapted to the site."""

        def prose(piece: str) -> str:
            piece = LINK.sub(lambda match: self._link(page, match), piece)
            return re.sub(r"^   (?=\S)", "    ", piece, flags=re.MULTILINE)

        pieces, at = [], 0
        for block in FENCE.finditer(text):
            pieces += [prose(text[at : block.start()]), _fence(block)]
            at = block.end()
        self.write(self.place(page), "".join([*pieces, prose(text[at:])]))

    def _link(self, page: str, match: re.Match[str]) -> str:
        target = self.target(page, match[2])
        return match[1] if target is None else f"[{match[1]}]({target})"


def _fence(block: re.Match[str]) -> str:
    """Return a fence without its `needs-packages` mark, indented as lists are on the site."""
    text = block[0].replace("```python needs-packages", "```python")
    return re.sub(r"^", " ", text, flags=re.MULTILINE) if block[1] == "   " else text


def expanded(nav: Nav, folders: dict[str, Nav]) -> Nav:
    """Return a navigation with its folders replaced by their pages."""
    return [
        entry
        if isinstance(entry, str)
        else {
            title: expanded(inner, folders) if isinstance(inner, list) else folders.get(inner, inner)
            for title, inner in entry.items()
        }
        for entry in nav
    ]


def code_of(name: str) -> str:
    """Return the path of the Rust code of a family or a game."""
    return next(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob(f"rust/**/{name}.rs")))


def write(out: Path) -> None:
    """Write every page below `out`, and the settings next to them."""
    shutil.rmtree(out, ignore_errors=True)
    site = Site(out / "pages")
    shutil.copytree(
        ROOT / "docs",
        site.out,
        ignore=lambda _, names: [n for n in names if n.endswith((".md", ".yml", ".json"))],
    )
    for page in [*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in TOP_PAGES)]:
        site.stage(page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8"))
    for example in sorted(site.examples):
        code = (ROOT / example).read_text(encoding="utf-8")
        title = PurePosixPath(example).name
        site.write(example.removesuffix(".py") + ".md", f"# {title}\n\n```python\n{code}```\n")
    domains = families.by_domain()
    for names in domains.values():
        for name in names:
            site.write(f"families/{name}.md", families.page(name, source_link(code_of(name))))
    rates = json.loads((ROOT / "benches/game_rates.json").read_text(encoding="utf-8"))
    for name in reasonenv.list_games():
        site.write(f"games/{name}.md", games.page(name, source_link(code_of(name)), rates.get(name, [])))
    reference = api.pages(ROOT / "docs/surface.txt")
    for path, text in reference.items():
        site.write(path, text)

    folders = {
        "families/": [
            "families/README.md",
            *({domain: [{n: f"families/{n}.md"} for n in names]} for domain, names in domains.items()),
        ],
        "games/": [GAMES, *({n: f"games/{n}.md"} for n in reasonenv.list_games())],
        "api/": [next(iter(reference)), *({path[4:-3]: path} for path in list(reference)[1:])],
    }
    nav = expanded(yaml.safe_load((ROOT / "docs/nav.yml").read_text(encoding="utf-8")), folders)
    settings = {"INHERIT": "../mkdocs.yml", "docs_dir": "pages", "site_dir": "html", "nav": nav}
    place = repository()
    if place:
        settings["repo_url"] = place.removesuffix("/blob/main")
    (out / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
