"""Install this package into the environment that runs this, and show how far the build is.

On a terminal one line is rewritten; in a log a line is added every few seconds.
"""

import argparse
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD_ARGS = "build-args=--profile {}"
COMPILING = re.compile(r"Compiling (\S+) v")
WIDTH = 79


def crates() -> int | None:
    """Number of crates in a clean build, if cargo is available."""
    command = ["cargo", "tree", "--package=reasonenv-py", "--edges=normal,build", "--prefix=none"]
    try:
        tree = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return len({" ".join(line.split()[:2]) for line in tree.splitlines()})


class Progress:
    """A progress line, drawn by a separate thread."""

    def __init__(self, total: int | None) -> None:
        self.doing = "preparing"
        self._total = total
        self._begun: set[str] = set()
        self._start = time.monotonic()
        self._done = threading.Event()
        self._live = sys.stdout.isatty()
        self._thread = threading.Thread(target=self._draw, daemon=True)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if self._live:
            print(f"\r{'':{WIDTH}}\r", end="")

    def begin(self, crate: str) -> None:
        self._begun.add(crate)
        of = f" of {self._total}" if self._total else ""
        self.doing = f"compiling crate {len(self._begun)}{of}: {crate}"

    @property
    def elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._start), 60)
        return f"{minutes}:{seconds:02}"

    def _draw(self) -> None:
        while True:
            line = f"{self.elapsed}  {self.doing}"[:WIDTH]
            print(f"\r{line:{WIDTH}}" if self._live else line, end="" if self._live else "\n", flush=True)
            if self._done.wait(0.2 if self._live else 5):
                return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default="release", help="Cargo profile of the build.")
    parser.add_argument("--extras", default="", help="Extras of this package, separated by commas.")
    parser.add_argument("packages", nargs="*", help="What else to install.")
    asked = parser.parse_args()
    package = f"{ROOT}[{asked.extras}]" if asked.extras else str(ROOT)
    command = [sys.executable, "-m", "pip", "install", "--verbose", "--editable", package, *asked.packages]
    command += ["--config-settings", BUILD_ARGS.format(asked.profile)]
    output: list[str] = []
    with Progress(crates()) as progress:
        pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert pip.stdout is not None
        for line in pip.stdout:
            output.append(line)
            if crate := COMPILING.search(line):
                progress.begin(crate[1])
            elif "Finished `" in line:
                progress.doing = "installing"
        failed = pip.wait()
    if failed:
        print("".join(output[-60:]), file=sys.stderr)
    else:
        print(f"Built and installed in {progress.elapsed}.")
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")
