"""Pages of the task families: facts, a playground with an example of every level, params, verdicts."""

import json
from contextlib import suppress
from pathlib import Path

import reasonenv
from reasonenv.curriculum import published_scale
from reasonenv.envs import env_id
from reasonenv.errors import Unsupported
from reasonenv.verifiers import common_failures

from docs_site import spaces
from docs_site.markdown import cell, drawing, fence, param_table, params, plain, table, tabs

LONGEST = 6000
"""Most characters of a text on a page; `reasonenv show` prints the whole."""

SHORTCUTS: dict[str, dict[str, list[float]]] = json.loads(
    (Path(__file__).parents[2] / "docs" / "shortcuts.json").read_text()
)
"""Pass rates of greedy readers by family, reader and level."""

PLAYGROUND = (
    "The first training task (`seed=0`, `index=0`) of every level: what a model reads, an answer that "
    "passes, and a near miss with its verdict."
)
TRY = """import reasonenv

task = reasonenv.family("{name}").sample(seed=0, index=0, level={level})
print(task.prompt)
print(task.verify(task.wrap(task.solution.answer)).passed)"""


def by_domain() -> dict[str, list[str]]:
    """Return the names of the families of every domain."""
    found: dict[str, list[str]] = {}
    for name in reasonenv.list_families():
        found.setdefault(reasonenv.family(name).domain, []).append(name)
    return dict(sorted(found.items()))


def page(name: str, source: str) -> str:
    """Return the page of a family; `source` is a link to its code."""
    family = reasonenv.family(name)
    levels = {f"Level {level}": _level(family, level) for level in range(family.top_level + 1)}
    wordings = [
        f"`{one}`" + (" (held out of training)" if one in family.held_out_templates else "")
        for one in family.templates
    ]
    changes = [f"{number}. {change}" for number, change in enumerate(family.changes, 1)]
    return "\n\n".join(
        [
            f"# {name}",
            family.summary,
            _facts(family, source),
            "## Playground { data-search-exclude }",
            PLAYGROUND,
            tabs(levels),
            "## Try it",
            fence(TRY.format(name=name, level=family.top_level // 2), "python"),
            f"`reasonenv show {name} --level 2` prints tasks in a shell.",
            "## Observations, actions and rewards",
            spaces.of_family(family),
            "## Levels",
            _levels(family),
            *_shortcuts(family),
            "## Params",
            param_table(name, family.params_schema),
            "## Verdicts",
            _verdicts(family),
            "## Wordings",
            ", ".join(wordings) + ".",
            "## Versions",
            "\n".join(changes),
            "",
        ]
    )


def _facts(family: reasonenv.Family, source: str) -> str:
    rate = f"{100 * family.guess_rate:.2f}".rstrip("0").rstrip(".")
    tag = family.answer_tag
    facts = {
        "Gymnasium id": f"`{env_id(family.name)}`",
        "Domain": family.domain,
        "Skills": ", ".join(family.skills),
        "Answer": f"inside `<{tag}></{tag}>`, under the `{family.reading}` reading",
        "Judged by": family.judged_by,
        "Modes": ", ".join(f"`{mode}`" for mode in family.modes),
        "Blind answers pass": f"at most {rate} %",
        "Source": source,
    }
    return "\n".join(f"- **{fact}**: {value}" for fact, value in facts.items())


def _level(family: reasonenv.Family, level: int) -> str:
    task = family.sample(seed=0, index=0, level=level)
    parts = [f"**Params**: {params(family.level_params(level))}"]
    with suppress(Unsupported):
        parts.append(drawing(task.moves().drawing(), f"The problem of level {level}"))
    parts += [
        "**Prompt**",
        fence(_cut(task.prompt)),
        "**Answer** that passes",
        fence(_cut(task.solution.answer)),
    ]
    for wrong in task.wrong_answers(seed=0):
        verdict = task.verify(task.wrap(wrong))
        if not verdict.passed and verdict.detail:
            labels = ", ".join(f"`{label}`" for label in verdict.failures)
            reason = verdict.detail.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
            parts += [
                "**Near miss**",
                fence(_cut(wrong)),
                f"**Verdict**: failed ({labels}), score {verdict.score:.2f}: {reason}",
            ]
            break
    return "\n\n".join(parts)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters"


def _levels(family: reasonenv.Family) -> str:
    levels = [family.level_params(level) for level in range(family.top_level + 1)]
    names = list(
        dict.fromkeys(name for level in levels for name in level)
    )  # without params that no level sets
    usual = {name: field["default"] for name, field in family.params_schema["properties"].items()}
    scale = published_scale()
    rows = [
        [
            str(at),
            f"{scale.difficulty[family.name, at]:+.1f}",
            *(cell(plain(level.get(name, usual[name]))) for name in names),
        ]
        for at, level in enumerate(levels)
    ]
    return table(["Level", "Difficulty", *names], rows)


def _shortcuts(family: reasonenv.Family) -> list[str]:
    found = SHORTCUTS.get(family.name, {})
    if not found:
        return []
    rows = [[reader, *(f"{100 * rate:.0f}" for rate in rates)] for reader, rates in found.items()]
    return [
        "## Shortcuts",
        (
            "How often a greedy reader passes, in percent of 100 training tasks at each level. "
            "It follows one rule of thumb and never goes back on a choice."
        ),
        table(["Level", *(str(level) for level in range(family.top_level + 1))], rows),
    ]


def _verdicts(family: reasonenv.Family) -> str:
    common = "the common labels: " + ", ".join(f"`{label}`" for label in common_failures()) + "."
    parts = []
    if family.failures:
        rows = [[f"`{label}`", cell(meaning)] for label, meaning in family.failures.items()]
        parts = [table(["Failure", "Meaning"], rows), "A verdict may also have " + common]
    else:
        parts = ["A verdict has only " + common]
    if family.parts:
        rows = [[f"`{part}`", cell(meaning)] for part, meaning in family.parts.items()]
        parts += ["It also measures, from 0 to 1:", table(["Part", "Meaning"], rows)]
    return "\n\n".join(parts)
