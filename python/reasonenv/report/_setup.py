"""The setup of a run: its config as tables, and the command that repeats it."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reasonenv._native import ReasonEnvError, list_families
from reasonenv.report._form import Card, PageTable, TableCell, count
from reasonenv.rollouts._policies import make_policy

_RUN_FILES = ("run.yaml", "run.toml", "run.json")

_STYLES = {"template": "--template", "wrapper": "--wrapper", "answer": "--answer"}


def setup(config: Mapping[str, Any]) -> list[PageTable]:
    """The config as tables: settings of the whole run, and settings that differ between its sources."""
    sources = {}
    for source in _list(config, "sources"):
        facts = {name: value for name, value in source.items() if name not in ("name", "level")}
        for group in ("params", "style", "kwargs"):
            facts |= facts.pop(group, None) or {}
        sources[source.get("name"), source.get("level")] = {
            name: _text(value) for name, value in facts.items()
        }
    common: dict[str, str] = {}
    if sources:
        first, *others = sources.values()
        common = {
            name: value
            for name, value in first.items()
            if value and all(one.get(name) == value for one in others)
        }
    rows: list[list[TableCell | str]] = []
    for policy in _list(config, "policies"):
        version = policy.get("version")
        rows.append(["policy", f"{policy.get('name')}{'' if version is None else f', version {version}'}"])
    facts = {name: _text(value) for name, value in config.items() if name not in ("sources", "policies")}
    rows += [[name, value] for name, value in facts.items() if value]
    note = "every source" if len(sources) > 1 else ""
    rows += [
        [TableCell(name, note=note), value] for name, value in common.items() if facts.get(name) != value
    ]
    tables = [PageTable(["setting", "value"], rows, words=frozenset({1}))] if rows else []
    return tables + _differences(sources, common)


def _differences(
    sources: Mapping[tuple[Any, Any], Mapping[str, str]], common: Mapping[str, str]
) -> list[PageTable]:
    """The settings of each source by level."""
    levels = sorted({level for _, level in sources}, key=lambda level: -1 if level is None else level)
    rows: dict[tuple[str, str], dict[Any, str]] = {}
    for (name, level), facts in sources.items():
        for fact, value in facts.items():
            if value and fact not in common and fact != "family":
                rows.setdefault((str(name), fact), {})[level] = value
    columns = ["setting", *("value" if level is None else f"level {level}" for level in levels)]
    cells: list[list[TableCell | str]] = [
        [TableCell(fact, note=source), *(values.get(level, "") for level in levels)]
        for (source, fact), values in rows.items()
    ]
    return (
        [PageTable(columns, cells, fold=f"Show {count(len(cells), 'setting')} of the sources")]
        if cells
        else []
    )


def command(config: Mapping[str, Any], folder: Path) -> Card:
    """Command that repeats a run, or else the one that rewrites its report."""
    files = [folder / name for name in _RUN_FILES if (folder / name).exists()]
    words = ["reasonenv", "run", os.fspath(files[0])] if files else _evaluation(config)
    if words is None:
        return Card("Write this page again", command=shlex.join(["reasonenv", "report", os.fspath(folder)]))
    return Card("Run it again", command=shlex.join(words))


def _evaluation(config: Mapping[str, Any]) -> list[str] | None:
    """The `eval` command with the same outcome; None if there is none."""
    sources, policies = _list(config, "sources"), [one.get("name") for one in _list(config, "policies")]
    families = list(dict.fromkeys(source.get("family") for source in sources))
    levels = sorted({source["level"] for source in sources if source.get("level") is not None})
    shared = [{key: source.get(key) for key in ("items", "split", "seed", "style")} for source in sources]
    reward = config.get("reward", "binary")
    grid = len(sources) == len(families) * len(levels) and all(
        one.get("name") == one.get("family") for one in sources
    )
    if not sources or not grid or any(one != shared[0] for one in shared) or not isinstance(reward, str):
        return None
    try:
        for policy in policies:
            make_policy(str(policy))
    except ReasonEnvError:
        return None
    style = shared[0]["style"] or {}
    if not style.keys() <= _STYLES.keys() or shared[0]["seed"] != config.get("seed", 0):
        return None
    through = levels == list(range(levels[0], levels[-1] + 1)) and len(levels) > 1
    shown = f"{levels[0]}-{levels[-1]}" if through else ",".join(map(str, levels))
    options = {
        "--level": shown,
        "-n": shared[0]["items"],
        "--group-size": config.get("group_size"),
        "--split": shared[0]["split"],
        "--seed": config.get("seed"),
        "--reading": config.get("reading"),
        "--reward": reward,
        **{_STYLES[name]: value for name, value in style.items()},
    }
    usual = {
        "--level": "0",
        "-n": 100,
        "--group-size": 1,
        "--split": "eval",
        "--seed": 0,
        "--reward": "binary",
    }
    words = ["reasonenv", "eval", *(["all"] if families == list_families() else map(str, families))]
    for policy in policies:
        words += ["--policy", str(policy)]
    for name, value in options.items():
        if value is not None and value != usual.get(name):
            words += [name, str(value)]
    return words


def _list(config: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = config.get(name)
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []


def _text(value: Any) -> str:
    """A value as people write it."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(one)}" for name, one in value.items())
    return value if isinstance(value, str) else json.dumps(value)
