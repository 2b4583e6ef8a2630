"""Holds the adapters against the real packages: `make test-integrations` calls it.

Packages that cannot share an environment are apart. Each group gets a throw-away one per release, in which
its tests and the pages of the docs about it run. `--record` writes which kinds of episodes a package's own
loop played into loops.json, from which docs/trainers.md has its table. PyTorch, by far the largest of all
packages, is installed once for the groups of a call that take it. What was not run is listed by name at the
end, with the reason.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
REAL = Path(__file__).parent / "real"


@dataclass(frozen=True)
class Group:
    """Extras that share an environment."""

    extras: str
    """As pip has them."""
    gigabytes: float
    """Disk space of the environment, including pip's temporary files but not PyTorch."""
    minutes: int
    """Time limit on two cores; the group fails when it is reached."""
    is_small: bool = False
    """True if CI runs it with every change."""
    has_torch: bool = False
    """True if its packages need PyTorch."""
    bare: tuple[str, ...] = ()
    """Packages to install without their dependencies, instead of the extras: some need a GPU to build."""
    beside: tuple[str, ...] = ()
    """Additional packages for the tests: dependencies of those, or packages without an extra."""
    package: str = ""
    """Package whose own loop the tests marked `loop` run."""
    releases: tuple[str, ...] = ("",)
    """Its oldest and newest release that are tested; the oldest is the extra's lower bound."""


LOOPS = Path(__file__).parent / "loops.json"
"""Outcomes of `--record`: for each group and release, whether each kind of episode was played."""

KINDS = ("single", "retry", "moves", "tools", "game")

NOT_RUN = {
    "tinker-cookbook 0.6.1": "it wants `tml-renderers` 0.4.1, which PyPI doesn't have",
    "prime-rl": "it isn't on PyPI; its environments are those of verifiers",
    "SkyRL's trainer": "it wants a GPU; its rows and environments are those of skyrl-gym",
    "verl": "its trainer wants a GPU; the reward function and the agent loop are called as it calls them",
    "OpenRLHF": "its trainer wants a GPU; its executors run, without DeepSpeed",
}
"""Trainers and releases whose loop was not run, with the reason."""

# Tests of a group are `real/test_NAME.py`; the page is `docs/trainers/NAME.md`.
GROUPS = {
    "d3rlpy": Group(
        "minari",
        2,
        10,
        has_torch=True,
        bare=("d3rlpy==2.8.1",),  # it wants a Gymnasium before ours, whose environments it does not step here
        beside=("click", "colorama", "dataclasses-json", "gym", "scikit-learn", "structlog", "tqdm"),
    ),
    "gem": Group(
        "", 1, 6, is_small=True, beside=("textarena",), package="gem-llm", releases=("0.0.4", "0.1.0")
    ),
    "inspect": Group("inspect", 1, 5, is_small=True, package="inspect-ai", releases=("0.3.200", "0.3.285")),
    "minari": Group("minari", 1, 4, is_small=True),
    "openenv": Group("openenv", 1, 8, is_small=True, package="openenv", releases=("0.7.0", "0.10.0")),
    "openrlhf": Group("", 1, 4, is_small=True, bare=("openrlhf",), beside=("aiohttp",)),
    "ray": Group("ray", 2, 8, is_small=True),
    "reasoning_gym": Group("", 1, 5, is_small=True, beside=("reasoning-gym==0.1.25",)),
    "skyrl": Group("skyrl", 1, 4, is_small=True, package="skyrl-gym", releases=("0.2.0", "0.4.0")),
    "tinker": Group("tinker", 3, 20, has_torch=True, package="tinker-cookbook", releases=("0.4.3", "0.5.8")),
    "transformers": Group("hf", 1, 10, has_torch=True),
    "trl": Group("trl", 3, 20, has_torch=True, package="trl", releases=("1.14.2", "1.16.0")),
    "verifiers": Group("verifiers", 2, 10, is_small=True, package="verifiers", releases=("0.4.0",)),
    "verifiers_v0": Group("verifiers", 2, 8, package="verifiers", releases=("0.1.14", "0.3.1")),
    "verl": Group("verl", 6, 20, has_torch=True),
}


@dataclass
class Torch:
    """PyTorch in a separate folder, shared by the environments of several groups."""

    place: Path
    is_there: bool = False

    GIGABYTES = 8
    MINUTES = 20

    def install(self, until: float) -> str | None:
        """Install it if needed; return the error, if any."""
        if not self.is_there:
            print("---- PyTorch", flush=True)
            seconds = min(until - time.monotonic(), self.MINUTES * 60)
            end = time.monotonic() + seconds
            making: list[str | Path] = [sys.executable, "-m", "venv", self.place]
            for step in (making, [*pip(self.place), "torch"]):
                code = finished(step, end - time.monotonic())
                if code is None:
                    return f"FAILED: PyTorch took longer than {seconds / 60:.0f} minutes to install"
                if code:
                    return f"FAILED: {' '.join(map(str, step[1:4]))} … exited with {code}"
            self.is_there = True
        return None

    def lend(self, environment: Path) -> None:
        """Make it visible to an environment, after the environment's own packages."""
        (own,), (lent,) = ((*one.glob("lib/python*/site-packages"),) for one in (environment, self.place))
        (own / "torch.pth").write_text(f"{lent}\n")


def pip(environment: Path) -> list[str | Path]:
    """Command that installs into an environment."""
    return [environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-cache-dir"]


def run(which: tuple[str, str], package: Path, torch: Torch, until: float) -> tuple[str, dict[str, bool]]:
    """Run a group with a release; return its outcome, "passed" or the reason, and the kinds played."""
    with tempfile.TemporaryDirectory(prefix=f"reasonenv-{which[0]}-") as place:
        outcome = run_in(Path(place), which, package, torch, until)
        played = Path(place) / "loops.json"
        return outcome, json.loads(played.read_text()) if played.exists() else {}


def run_in(place: Path, which: tuple[str, str], package: Path, torch: Torch, until: float) -> str:
    """Run a group in a folder."""
    name, release = which
    group = GROUPS[name]
    takes_torch = group.has_torch and not torch.is_there
    folder, wanted = tempfile.gettempdir(), group.gigabytes + 1 + takes_torch * torch.GIGABYTES
    free = shutil.disk_usage(folder).free / 2**30
    if free < wanted:
        return f"NOT run: it wants {wanted} GB of free disk, and {folder} has {free:.0f}"
    if until - time.monotonic() < 60:
        return "NOT run: the time that --minutes allows was spent"
    failed = torch.install(until) if group.has_torch else None
    if failed is not None:
        return failed
    seconds = min(until - time.monotonic(), group.minutes * 60)
    end = time.monotonic() + seconds
    made = place / "venv"
    wanted_packages = [*group.beside, *([f"{group.package}=={release}"] if release else [])]
    ours = f"{package}[{group.extras}]" if group.extras else package
    steps: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", made],
        [*pip(made), "pytest", *wanted_packages, ours],
        *([[*pip(made), "--no-deps", *group.bare]] if group.bare else []),
        [made / "bin" / "python", "-m", "pytest", *pytest_options(), REAL / f"test_{name}.py"],
    ]
    for number, step in enumerate(steps):
        if number == 1 and group.has_torch:
            torch.lend(made)
        code = finished(step, end - time.monotonic(), {"REASONENV_LOOPS": str(place / "loops.json")})
        if code is None:
            return f"FAILED: took longer than {seconds / 60:.0f} minutes"
        if code:
            return f"FAILED: {' '.join(map(str, step[1:4]))} … exited with {code}"
    return "passed"


def table() -> str:
    """The table of docs/trainers.md: which kinds of episodes the loop of each release played."""
    lines = [f"| package | release | {' | '.join(KINDS)} |", f"| --- | --- |{' --- |' * len(KINDS)}"]
    known = json.loads(LOOPS.read_text())
    for name, group in sorted(GROUPS.items(), key=lambda one: (one[1].package, one[1].releases)):
        for release in group.releases if group.package else ():
            played = known.get(name, {}).get(release, {})
            cells = [{True: "yes", False: "no", None: ""}[played.get(kind)] for kind in KINDS]
            lines.append(f"| {group.package} | {release} | {' | '.join(cells)} |")
    missing = [f"- {what}: {why}." for what, why in NOT_RUN.items()]
    return "\n".join([*lines, "", "No loop was run of these:", "", *missing])


def finished(
    step: Sequence[str | Path], seconds: float, variables: Mapping[str, str] | None = None
) -> int | None:
    """Exit code of a command; None if it took too long and was stopped with all its children."""
    told = environment() | dict(variables or {})
    with subprocess.Popen(step, cwd=ROOT, env=told, start_new_session=True) as process:
        try:
            return process.wait(max(seconds, 1))
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise


def pytest_options() -> list[str]:
    """Options for pytest: warnings of other packages are not errors, and skipped tests are named."""
    return ["-q", "-rs", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings=default"]


def environment() -> dict[str, str]:
    """Environment variables that forbid network access and telemetry and clear the Python path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    quiet = {"HF_HUB_OFFLINE": "1", "RAY_USAGE_STATS_ENABLED": "0", "TOKENIZERS_PARALLELISM": "false"}
    # By default, Ray's workers have such a low priority that they starve on a busy machine.
    return kept | quiet | {"RAY_worker_niceness": "0"}


def record(name: str, release: str, played: dict[str, bool]) -> None:
    """Write the outcome of a release into loops.json."""
    known = json.loads(LOOPS.read_text()) if LOOPS.exists() else {}
    known.setdefault(name, {})[release] = {kind: played[kind] for kind in KINDS if kind in played}
    LOOPS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def main() -> int:
    """Run the named groups, the small ones, or all; return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path, help="the wheel to test")
    parser.add_argument("groups", nargs="*", help="which; none: all")
    parser.add_argument("--small", action="store_true", help="the small ones alone")
    parser.add_argument("--minutes", type=float, default=600, help="begin no group once these are spent")
    parser.add_argument("--record", action="store_true", help="write loops.json")
    parser.add_argument("--torch", type=Path, help="an environment with PyTorch, its CPU build for instance")
    asked = parser.parse_args()
    unknown = set(asked.groups) - GROUPS.keys()
    if unknown:
        parser.error(f"no group {min(unknown)}; there are {', '.join(GROUPS)}")
    chosen = asked.groups or [name for name, group in GROUPS.items() if group.is_small or not asked.small]
    until = time.monotonic() + asked.minutes * 60
    found = dict.fromkeys((name for name in GROUPS if name not in chosen), "NOT run: not asked for")
    with tempfile.TemporaryDirectory(prefix="reasonenv-torch-") as place:
        torch = Torch(asked.torch or Path(place) / "venv", is_there=asked.torch is not None)
        for which in [(name, release) for name in chosen for release in GROUPS[name].releases]:
            label = " ".join(which).strip()
            print(f"---- {label}", flush=True)
            found[label], played = run(which, asked.package.resolve(), torch, until)
            if asked.record and played:
                record(*which, played)
    print("---- integrations with the real packages ----")
    for name, outcome in sorted(found.items()):
        print(f"integration {name}: {outcome}")
    return int(any(outcome.startswith("FAILED") for outcome in found.values()))


if __name__ == "__main__":
    sys.exit(main())
