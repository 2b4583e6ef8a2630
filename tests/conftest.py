"""Fixtures shared by several files."""

import signal
from collections.abc import Iterator

import kinds
import pytest
import reasonenv
from own_units import Adder, Race

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def adder() -> Iterator[reasonenv.Family]:
    """A Python-defined family, registered during a test."""
    yield reasonenv.register_family(Adder, replace=True)
    if Adder.about.name in reasonenv.list_families():
        reasonenv.unregister_family(Adder.about.name)


@pytest.fixture
def race() -> Iterator[reasonenv.Game]:
    """A Python-defined game, registered during a test."""
    yield reasonenv.register_game(Race, replace=True)
    if Race.about.name in reasonenv.list_games():
        reasonenv.unregister_game(Race.about.name)


@pytest.fixture(params=kinds.FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    """The name of a family of each kind."""
    if request.param == Adder.about.name:
        request.getfixturevalue("adder")
    return str(request.param)


@pytest.fixture(params=kinds.GAMES)
def game(request: pytest.FixtureRequest) -> str:
    """The name of a game of each kind."""
    if request.param == Race.about.name:
        request.getfixturevalue("race")
    return str(request.param)
