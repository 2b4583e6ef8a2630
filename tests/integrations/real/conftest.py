"""Notes which kinds of episodes the loop of a package played; `run.py` makes a table of them."""

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

PLAYED: dict[str, bool] = {}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "loop(*kinds): the kinds of episodes that the package's loop plays")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    marker = item.get_closest_marker("loop")
    if marker is not None and report.when == "call":
        params = item.callspec.params if hasattr(item, "callspec") else {}
        for kind in marker.args or (params["kind"],):
            PLAYED[kind] = PLAYED.get(kind, True) and report.passed
    return report


def pytest_sessionfinish() -> None:
    if folder := os.environ.get("REASONENV_LOOPS"):
        Path(folder).write_text(json.dumps(PLAYED))
