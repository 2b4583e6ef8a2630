"""Install the wheel of dist/, or a source distribution, into a fresh environment and use it there."""

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
[package] = [Path(name) for name in sys.argv[1:]] or ROOT.glob("dist/*.whl")

with TemporaryDirectory() as folder:
    venv.create(f"{folder}/venv", with_pip=True)
    python = f"{folder}/venv/" + ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet"]
    if package.suffix == ".gz":
        # Built with an empty cargo cache and without a network, so the archive must have everything.
        backend = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
        subprocess.run([*pip, *backend], check=True)
        offline = {"CARGO_HOME": f"{folder}/cargo", "CARGO_NET_OFFLINE": "true"}
        subprocess.run([*pip, "--no-build-isolation", package], env=os.environ | offline, check=True)
    else:
        subprocess.run([*pip, package], check=True)
    shutil.copy(ROOT / "tests/support/installed.py", folder)
    subprocess.run([python, "-W", "error", "installed.py"], cwd=folder, check=True)
