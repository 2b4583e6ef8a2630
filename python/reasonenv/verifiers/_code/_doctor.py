"""A self-test of the sandboxes on this machine."""

from typing import Any

from reasonenv._native import ReasonEnvError
from reasonenv.verifiers._code._batch import run_program
from reasonenv.verifiers._code._sandbox import SandboxLimits, SandboxLostError

WALLS = {
    "system calls": "harmless system calls and no other; the walls below would hold if it had a hole",
    "landlock": "no file, and no signal or socket to another process",
    "files": "an empty root folder",
    "network": "a network of its own, without devices",
    "processes": "a process namespace of its own, which ends with its template",
    "shared memory": "shared memory and queues of its own",
    "user": "an unprivileged user (only where the trainer is root)",
}


def examine() -> dict[str, dict[str, Any]]:
    """Start each runtime and try to break out of `cpython`."""
    return {"monty": _monty(), "cpython": _cpython()}


def _monty() -> dict[str, Any]:
    try:
        outcome = run_program("monty", "print(1)", SandboxLimits())
    except ReasonEnvError as error:
        return {"starts": False, "error": str(error)}
    return {"starts": outcome.output == "1\n", "error": outcome.detail}


def _cpython() -> dict[str, Any]:
    try:
        from reasonenv.verifiers._code._cpython import CPythonRuntime, _Template  # noqa: PLC0415  needs Unix

        CPythonRuntime()
        template = _Template()
    except (ImportError, ReasonEnvError, SandboxLostError) as error:
        return {"starts": False, "confined": False, "walls": [], "escapes": [], "error": str(error)}
    template.close()
    return {
        "starts": True,
        "confined": template.confined,
        "walls": template.walls,
        "escapes": template.escapes,
        "error": "",
    }
