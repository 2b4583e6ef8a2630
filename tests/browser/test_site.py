"""The documentation site as a reader sees it: in Chromium, on a desktop and a phone, light and dark."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from devtools import Page

SITE = Path(__file__).parent.parent.parent / "site/html"
WIDTHS = {"desk": 1280, "phone": 390}
PAGES = {
    "home": "",
    "start": "start/language-model/",
    "articles": "from-the-articles/",
    "guide": "CONTRIBUTING/",
    "families": "families/",
    "family": "families/sudoku/",
    "tree": "families/ascii_tree/",
    "game": "games/connect_four/",
    "api": "api/reasonenv/",
}

WIDE = """
[...document.querySelectorAll("main h1, main h2, main p, main ul, main svg, main pre, main .tabbed-set")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest("table, .tabbed-labels"))
  .map(one => one.outerHTML.slice(0, 80))
"""
"""Elements that reach beyond the right edge. Wide tables scroll in their own box."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert SITE.is_dir(), "there is no site; `make docs` builds it"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_asks_nobody_else(
    address: str, name: str, width: int, dark: bool, tmp_path: Path
) -> None:
    with Page(address + PAGES[name], width, 900, tmp_path / "profile", "dark" if dark else "light") as page:
        if shots := os.environ.get("REASONENV_SHOTS"):
            Path(shots).mkdir(parents=True, exist_ok=True)
            page.screenshot(Path(shots) / f"site-{name}-{width}-{'dark' if dark else 'light'}.png")
        assert page.errors == []
        assert [one for one in page.requests if not one.startswith((address, "data:", "blob:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDE) == []
        assert page.evaluate("document.querySelectorAll('[data-md-component=search]').length") > 0
        colors = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (sum(colors[:3]) < 3 * 128) == dark


def test_levels_are_tabs_and_boards_are_drawn(address: str, tmp_path: Path) -> None:
    with Page(address + PAGES["family"], WIDTHS["desk"], 900, tmp_path / "profile") as page:
        labels = page.evaluate(
            "[...document.querySelectorAll('.tabbed-labels label')].map(one => one.textContent)"
        )
        assert [label.strip() for label in labels][:3] == ["Level 0", "Level 1", "Level 2"]
        shown = "[...document.querySelectorAll('svg.board')].filter(one => one.clientWidth > 0).length"
        assert page.evaluate(shown) == 1
        page.evaluate("document.querySelectorAll('.tabbed-labels label')[2].click()")
        assert page.evaluate(shown) == 1
        assert page.errors == []


SEARCH = """
(async text => {
  document.querySelector(".md-search__button").click();
  const root = () => [...document.querySelectorAll("*")].find(one => one.shadowRoot)?.shadowRoot;
  for (let wait = 0; wait < 300; wait++) {
    await new Promise(done => setTimeout(done, 100));
    const input = root()?.querySelector("input");
    if (input && input.value !== text) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text);
      input.dispatchEvent(new Event("input", {bubbles: true}));
    }
    const links = [...(root()?.querySelectorAll("a[href]") ?? [])].map(one => one.href);
    if (links.length) return links;
  }
  return [];
})
"""
"""Types into the search, which lives in a shadow root, and returns the addresses found within 30 s."""


def test_the_search_finds_a_family(address: str, tmp_path: Path) -> None:
    with Page(address, WIDTHS["desk"], 900, tmp_path / "profile") as page:
        found = page.evaluate(f"{SEARCH}('minesweeper')")
        assert any(one.startswith(f"{address}families/minesweeper/") for one in found), found
        assert page.errors == []
