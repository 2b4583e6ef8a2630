"""The pages of the documentation site, before they are built: `make docs` checks their links and anchors."""

from pathlib import Path

import pytest
import reasonenv
import yaml
from docs_site import api, families, games, home, spaces
from docs_site.__main__ import Site, expanded
from pages import ROOT


def test_every_page_of_the_docs_is_in_the_navigation() -> None:
    nav = (ROOT / "docs/nav.yml").read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(nav), list)
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md")]
    assert [page for page in pages if page not in nav and not page.startswith(("families/", "games/"))] == []


def test_folders_of_the_navigation_become_their_pages() -> None:
    nav = ["README.md", {"Games": "games/"}, {"More": [{"API": "api/"}]}]
    pages = {"games/": ["games/list.md"], "api/": ["api/README.md"]}
    assert expanded(nav, pages) == [
        "README.md",
        {"Games": ["games/list.md"]},
        {"More": [{"API": ["api/README.md"]}]},
    ]


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("docs/training.md", "families/README.md#sudoku", "families/sudoku.md"),
        ("docs/training.md", "families/README.md#by-skill", "families/README.md#by-skill"),
        ("docs/trainers/ray.md", "../families/README.md#sudoku", "../families/sudoku.md"),
        ("docs/families/README.md", "../../tests/golden/families/sudoku.txt", "sudoku.md"),
        ("docs/cli.md", "games/README.md", "games/list.md"),
        ("docs/cli.md", "games/README.md#nim", "games/nim.md"),
        ("docs/games.md", "../examples/selfplay_tabular.py", "examples/selfplay_tabular.md"),
        ("docs/start/family.md", "../../CONTRIBUTING.md", "../CONTRIBUTING.md"),
        ("CONTRIBUTING.md", "docs/own_families.md#forms", "own_families.md#forms"),
        ("docs/cli.md", "https://example.org", "https://example.org"),
    ],
)
def test_links_lead_to_the_pages_of_the_site(page: str, link: str, target: str, tmp_path: Path) -> None:
    assert Site(tmp_path).target(page, link) == target


def test_links_and_fences_of_a_page_are_the_sites(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.stage(
        "docs/a.md",
        "[s](families/README.md#sudoku)\n\n1. one\n\n"
        "   ```python needs-packages\n   [s](x.md)\n   ```\n\n   two\n",
    )
    assert (tmp_path / "a.md").read_text() == (
        "[s](families/sudoku.md)\n\n1. one\n\n    ```python\n    [s](x.md)\n    ```\n\n    two\n"
    )


@pytest.mark.parametrize("name", ["countdown", "sudoku", "ascii_tree"])
def test_a_family_page_has_an_example_of_every_level(name: str) -> None:
    family, page = reasonenv.family(name), families.page(name, "here")
    for level in range(family.top_level + 1):
        assert f'=== "Level {level}"\n' in page
    assert page.count("**Verdict**: failed") == family.top_level + 1
    assert ("<svg" in page) == ("moves" in family.modes)
    assert all(f"| `{label}` |" in page for label in family.failures)
    assert all(f"| `{param}` |" in page for param in family.params_schema["properties"])
    assert family.sample(seed=0, index=0, level=0).prompt.splitlines()[0] in page


def test_a_game_page_has_every_variant_and_its_rates() -> None:
    rates = [
        {"setup": "minimax", "single": 412_345, "slowest_us": 3, "vector": 7_812_345, "envs": 1024},
        {"setup": "self", "single": 1, "slowest_us": 2, "vector": 1, "envs": 16, "pettingzoo": 248_977},
    ]
    page = games.page("tic_tac_toe", "here", rates)
    game = reasonenv.game("tic_tac_toe")
    assert page.count('\n=== "') == len(game.variants) == page.count("<svg")
    assert game.rules in page
    assert "| `minimax` | 412 k | 3 µs | 7.8 M | 1024 |" in page
    assert "makes 249 k moves per second" in page
    assert "| `best_response` | " in page
    assert "## Speed" not in games.page("tic_tac_toe", "here", [])


def test_every_public_name_is_in_the_reference() -> None:
    pages = api.pages(ROOT / "docs/surface.txt")
    assert "verify_all" in pages["api/reasonenv.md"]
    assert "forms" not in pages["api/reasonenv.kit.md"].split("members:")[1]
    for name in reasonenv.__all__:
        if name[0] != "_" and not hasattr(getattr(reasonenv, name), "__path__"):
            assert name in pages["api/reasonenv.md"], name


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_a_familys_page_describes_the_spaces_of_every_mode(name: str) -> None:
    family = reasonenv.family(name)
    told = spaces.of_family(family)
    assert [mode for mode in family.modes if f"| `{mode}` |" not in told] == []
    for level in range(family.top_level + 1) if "moves" in family.modes else ():
        play = family.sample(level=level).moves()
        shape = play.observation().shape
        assert spaces.meanings(name, shape).startswith(("| Plane", "| Column"))
        with pytest.raises(ValueError, match="planes or columns, and meanings for"):
            spaces.meanings(name, (0,) * len(shape))


@pytest.mark.parametrize("name", reasonenv.list_games())
def test_a_games_page_describes_its_planes_in_every_variant(name: str) -> None:
    game = reasonenv.game(name)
    told = spaces.of_game(game)
    assert "| `numeric` |" in told
    assert f"`{game.action_name(0)}`" in told
    for params in game.variants:
        shape = reasonenv.game(name, params).shape
        assert spaces.meanings(name, tuple(shape))
        wrong = 1 if any(count is None for count, _ in spaces.PLANES[name]) else shape[0] + 1
        with pytest.raises(ValueError, match="planes or columns, and meanings for"):
            spaces.meanings(name, (wrong, *shape[1:]))


def test_the_picture_of_the_home_page_is_of_the_position_it_tells_of() -> None:
    assert home.FILE.read_text(encoding="utf-8") == home.picture(), "run python -m docs_site.home"
    page = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert f"({home.FILE.relative_to(ROOT / 'docs').as_posix()})" in page
    values = reasonenv.game("connect_four", home.BOARD).start()
    for move in home.MOVES:
        values.apply(move)
    told = [(value.outcome, value.distance or 0) for value in values.values().values()]
    assert sorted(told) == [(-1, 16)] * 3 + [(0, 0), (1, 15)]
    assert "one column wins in 15 plies, one draws, and three lose in 16" in page
