"""OpenEnv: packages of a family that pass its validation, and the two policies that it requires.

    from reasonenv.integrations.openenv_package import write_package

    write_package("my-environment", "countdown", level=2)

Needs the `openenv` extra.
"""

from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv.envs import GameEnv
from reasonenv.integrations.openenv import TextEnvironment

__all__ = ["floor", "oracle", "write_package"]


def oracle(env: TextEnvironment) -> str:
    """Return a right answer to the current task, or the strongest move of a game."""
    table = env.unwrapped
    if isinstance(table, GameEnv):
        state = table.state
        return f"<move>{state.action_name(table.game.opponent('minimax')(state))}</move>"
    return str(table.task.wrap(table.task.solution.answer))


def floor(env: TextEnvironment) -> str:  # noqa: ARG001  the signature of a baseline
    """Return the text of a policy that does not try."""
    return "no idea"


def write_package(folder: str | Path, name: str, **keywords: Any) -> Path:
    """Write an OpenEnv package, which `openenv validate FOLDER` checks.

    Args:
        folder: New folder for the package.
        name: Name of a family.
        **keywords: Settings for `create_app`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    TextEnvironment(name, **keywords)
    place = _checks.path("folder", folder)
    place.mkdir(parents=True, exist_ok=True)
    given = "".join(f", {key}={value!r}" for key, value in keywords.items())
    values = {"name": name.replace("_", "-"), "family": name, "given": given}
    for file, text in _PACKAGE.items():
        (place / file).write_text(text.format(**values), encoding="utf-8")
    return place


_PACKAGE = {
    "openenv.yaml": """\
spec_version: 1
name: reasonenv-{name}
version: "1"
type: space
runtime: fastapi
app: app:app
port: 8000
validation:
  reward: {{range: [0.0, 1.0], oracle_tolerance: 0.0, floor_margin: 0.9}}
  resources: {{cpu: 1, memory_mb: 512, disk_mb: 512, episode_timeout_s: 60}}
  capabilities:
    verifier: {{kind: reward_channel}}
    oracle: {{form: script, location: oracle.py}}
    task_api: true
  network: {{mode: no-network}}
  types: {{tags: [reasoning]}}
""",
    "app.py": """\
\"\"\"uvicorn app:app --port 8000\"\"\"

from reasonenv.integrations.openenv import create_app

app = create_app({family!r}{given})
""",
    "oracle.py": """\
\"\"\"What a right answer and no answer earn on the first tasks of each split.\"\"\"

from reasonenv.integrations.openenv import TextAction, TextEnvironment
from reasonenv.integrations.openenv_package import floor, oracle

env = TextEnvironment({family!r}{given})
for split in env.list_splits():
    for policy in (oracle, floor):
        rewards = []
        for index in range(10):
            env.reset(split=split, index=index)
            rewards.append(env.step(TextAction(text=policy(env))).reward)
        print(split, policy.__name__, min(rewards), max(rewards))
""",
}
