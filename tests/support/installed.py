"""Checks of an installed wheel, which `make test-wheel` runs in a fresh environment outside the clone."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import gymnasium
import reasonenv

package = Path(reasonenv.__file__).parent
assert package.is_relative_to(sys.prefix), f"{package} is not of this environment"
for name in ("py.typed", "_native.pyi", "_registry.pyi", "types.py"):
    assert (package / name).is_file(), f"the wheel lacks {name}, which editors read"
assert not (package.parent / "tests").exists(), "the wheel holds the tests"

facts = metadata.metadata("reasonenv")
assert facts["Version"] == reasonenv.__version__
assert {"pettingzoo", "sb3"} <= set(facts.get_all("Provides-Extra") or ())
files = [file.name for file in metadata.files("reasonenv") or ()]
assert "LICENSE" in files, "the wheel lacks its licence"

for name in reasonenv.list_families():
    batch = reasonenv.family(name).batch(count=8, level=1)
    verdicts = batch.verify([task.wrap(task.solution.answer) for task in batch])
    assert verdicts.passed.all(), f"{name}: {verdicts.detail}"

env = gymnasium.make("reasonenv:reasonenv/TicTacToe-v1")
_, info = env.reset(seed=0)
env.step(env.action_space.sample(info["action_mask"]))

command = Path(sys.executable).with_name("reasonenv")
for arguments in (
    ["--version"],
    ["show", "chain_sum"],
    ["eval", "chain_sum", "--policy", "oracle", "-n", "4"],
):
    subprocess.run([command, *arguments], check=True, stdout=subprocess.DEVNULL)
print(f"reasonenv {reasonenv.__version__} works as installed in {sys.prefix}")
