"""The capabilities of each adapter, tried out with stand-ins; docs/trainers.md has the resulting table."""

import json
from functools import cache
from typing import Any

import pytest
from drivers import by_conversation, driver
from pages import ROOT
from parity import CALL, STRATA, Played, Says, script
from reasonenv import Task
from reasonenv.integrations import rows, task_of

ADAPTERS = {
    "GEM": "gem",
    "HTTP server": "server",
    "Inspect": "inspect",
    "OpenEnv": "openenv",
    "OpenRLHF": "openrlhf_agent",
    "Ray": "ray",
    "SkyRL": "skyrl",
    "Tinker": "tinker",
    "TRL": "trl",
    "verifiers, prime-rl": "verifiers",
    "verifiers before 0.4": "verifiers_v0",
    "verl": "verl_agent",
}

TREE: dict[str, Any] = {"source": "ascii_tree", "reward": "reasonrl-v5"}
SUM: dict[str, Any] = {"source": "chain_sum", "seed": 3}
OPENAI = {"turns": "tools", "protocol": "openai"}

CAPABILITIES: dict[str, dict[str, Any]] = {
    "single": SUM,
    "retry": {**SUM, "turns": "retry", "attempts": 2, "feedback": "verdict"},
    "double check": {**SUM, "turns": "double_check"},
    "moves": {"source": "sudoku", "turns": "moves", "mistakes": 2},
    "tools in tags": {**SUM, "turns": "tools", "reward": {"correct": 1.0, "cost": 0.1}},
    "tools of the API": {**SUM, **OPENAI, "reward": {"correct": 1.0, "cost": 0.1}},
    "game": {"source": "tic_tac_toe", **STRATA},
    "reward": TREE,
    "style, wrapper": {**TREE, "wrapper": "chat", "style": {"words": 3}},
    "reading": {**TREE, "reading": "lenient"},
    "params, level": {**TREE, "params": {"lines": 4}, "level": 1},
    "system": {**SUM, "system": "Be brief."},
}
"""Settings that try a capability."""

_TEXT = "its actions are text; call tools in tags"
_ROWS = "it makes rows and verifies texts; turns are played by the trainer that runs on it"
NO: dict[tuple[str, str], str] = {
    ("OpenEnv", "tools of the API"): _TEXT,
    ("OpenRLHF", "tools of the API"): _TEXT,
    **{("Ray", one): _ROWS for one in ("retry", "double check", "moves", "tools in tags", "game")},
    ("Ray", "tools of the API"): _ROWS,
    ("SkyRL", "tools of the API"): _TEXT,
    ("verl", "tools of the API"): _TEXT,
    ("verifiers, prime-rl", "tools of the API"): "tools belong to its harness; call ours in tags",
    ("verifiers before 0.4", "tools of the API"): "tools belong to its `ToolEnv`; call ours in tags",
}


def says_of(row: dict[str, Any], settings: dict[str, Any]) -> Says:
    """The script of the parity tests; with the API's protocol its calls are those of messages."""
    says = script(row)
    if settings.get("protocol") != "openai":
        return says

    task = task_of(json.loads(row["problem"])["task"])
    assert isinstance(task, Task)

    def speaks(messages: Any) -> Any:
        if any(one["role"] == "assistant" for one in messages):
            return task.wrap(task.solution.answer)
        call = json.loads(CALL.removeprefix("<tool_call>").removesuffix("</tool_call>"))
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        calls = [{"id": "a", "type": "function", "function": function}]
        return {"role": "assistant", "content": "", "tool_calls": calls}

    return speaks


@cache
def played(adapter: str, capability: str) -> list[tuple[Played, Played]]:
    """Rollouts through an adapter, and those that they must equal."""
    settings = CAPABILITIES[capability]
    found = []
    with driver(ADAPTERS[adapter]) as play:
        for row in rows(**settings, n=3):
            says = says_of(row, settings)
            found.append((play(settings, row, says), by_conversation(settings, row, says)))
    return found


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_can_do_what_the_table_says(adapter: str, capability: str) -> None:
    try:
        pairs = played(adapter, capability)
    except Exception:
        assert (adapter, capability) in NO
        return
    # Where observations are text, the results of tools have no role of their own.
    alike = [one.texts() == wanted.texts() and one.reward == wanted.reward for one, wanted in pairs]
    assert all(alike) == ((adapter, capability) not in NO), pairs[0]
    if capability != "tools of the API":
        assert all(one == wanted for one, wanted in pairs)
    if capability == "system":
        assert all(one.messages[0] == ("system", "Be brief.") for one, _ in pairs)


def table() -> str:
    """The table of docs/trainers.md."""
    notes = list(dict.fromkeys(NO.values()))
    lines = [f"| | {' | '.join(CAPABILITIES)} |", f"| --- |{' --- |' * len(CAPABILITIES)}"]
    for adapter in ADAPTERS:
        cells = [NO.get((adapter, capability)) for capability in CAPABILITIES]
        told = ["yes" if why is None else f"no ({notes.index(why) + 1})" for why in cells]
        lines.append(f"| {adapter} | {' | '.join(told)} |")
    reasons = [f"{at}. {why[0].upper()}{why[1:]}." for at, why in enumerate(notes, 1)]
    return "\n".join([*lines, "", *reasons])


def test_the_table_of_the_page_is_this_one() -> None:
    assert table() in (ROOT / "docs" / "trainers.md").read_text()
