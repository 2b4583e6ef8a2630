"""Fixtures of several files."""

from collections.abc import Iterator

import pytest
import reasonenv
from own_units import Adder


@pytest.fixture
def adder() -> Iterator[reasonenv.Family]:
    """A family in Python, known by its name while a test runs."""
    yield reasonenv.register_family(Adder, replace=True)
    if Adder.about.name in reasonenv.list_families():
        reasonenv.unregister_family(Adder.about.name)
