"""Helpers for tests of Python-defined families."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from own_units import Adder

NAME = Adder.about.name


def changed(**methods: Any) -> type[Adder]:
    """The family with other methods."""
    return type("Changed", (Adder,), methods)


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = os.environ | {"PYTHONPATH": path} | environment
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
