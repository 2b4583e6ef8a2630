"""The ReasonRL experiment on ASCII trees: its split, prompt, metric, rewards and labels.

No model is trained here. Noisy policies replace the checkpoints: each fails as often as published for its
checkpoint, so its pass rate only shows that the protocol measures what it should. The kinds of failures are
our choice. Every other cell is computed; published numbers are in columns labeled as such.

python examples/reasonrl_ascii_tree.py [--items 100] [--rollouts 8] [--rows SYNTHETIC2.jsonl]
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import reasonenv
from reasonenv.data import split_by_group, synthetic2_trees
from reasonenv.rewards import PresetName, groups, preset
from reasonenv.rollouts import Rollouts, rollout, wilson_interval
from rich.console import Console
from rich.table import Table

REWARDS: tuple[PresetName, ...] = ("reasonrl-v3", "reasonrl-v4", "reasonrl-v5")

LABELS = {
    "extra_text_outside_tags": 23,
    "wrong_branch_count": 12,
    "extra_lines": 10,
    "wrong_root": 4,
    "indentation_or_spacing_only": 2,
    "missing_lines": 2,
    "missing_or_broken_tags": 1,
}
"""The seven labels, with their published counts among V5's 23 failures."""

PUBLISHED_SIMILARITY = 0.828

WRAPPER = (
    "You are solving an ASCII tree formatting task.\n"
    "Return exactly one answer wrapped in <ascii_formatted> and </ascii_formatted>.\n"
    "Do not include markdown fences, explanations, reasoning, <think> tags, or any text outside the tags."
    "\n\n{prompt}\n\nAnswer:"
)
"""Text around a real row; generated tasks have it as the wrapper `reasonrl`."""


@dataclass(frozen=True)
class StandIn:
    """Replacement for a checkpoint: wrong at random, in ways typical of models."""

    name: str
    errs: float
    chats: float
    """Share of its errors that have text outside the tags."""
    misdraws: float
    """Share of its errors that contain another tree. All other errors break the tags."""
    published: tuple[str, str]
    """Strict passes on the first 50 and on 100 held-out examples."""

    def __call__(self, tasks: Sequence[reasonenv.Task], number: int, /) -> list[str]:
        return [self.answer(task, random.Random(f"{self.name}/{task.id}/{number}")) for task in tasks]

    def answer(self, task: reasonenv.Task, rng: random.Random) -> str:
        right = task.solution.answer
        if rng.random() >= self.errs:
            return task.wrap(right)
        chats, misdraws = rng.random() < self.chats, rng.random() < self.misdraws
        drawing = rng.choice(task.wrong_answers(seed=rng.getrandbits(32))) if misdraws else right
        if chats:
            return f"Here is the tree:\n{task.wrap(drawing)}"
        return task.wrap(drawing) if misdraws else task.wrap(drawing).rpartition("</")[0]


CHECKPOINTS = (
    StandIn("base 4B", 0.97, 0.9, 0.8, ("6 %", "3 %")),
    StandIn("RL, V3", 0.34, 0.9, 0.6, ("66 %", "")),
    StandIn("RL, V4", 0.86, 0.5, 0.9, ("14 %", "")),
    StandIn("RL, V5", 0.23, 1.0, 0.6, ("", "77 %")),
)


def generated(problems: int) -> list[dict[str, str]]:
    """Rows like those of the data set: each tree is described twice, so every problem_id occurs twice."""
    unit = reasonenv.family("ascii_tree")
    rows = []
    for level in range(2, 7):
        for task in unit.batch(count=-(-problems // 5), level=level, style={"template": "synthetic2"}):
            for words in (1, 2):
                style = {"template": "synthetic2", "wrapper": "reasonrl", "words": words}
                posed = unit.task(task.problem, style=style)
                reference = json.dumps({"description": "", "ground_truth": task.solution.answer})
                row = {"prompt": posed.prompt, "verification_info": reference}
                row |= {"problem_id": f"ascii_format_{task.key}", "task_type": "ascii_tree_formatting"}
                rows.append(row)
    # Sorted by fingerprint, so that easy trees do not come first.
    return sorted(rows, key=lambda row: row["problem_id"])


def real(path: Path) -> list[dict[str, str]]:
    """Rows of the data set itself, in the wrapper."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row | {"prompt": WRAPPER.format(prompt=row["prompt"])} for row in rows]


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    drawn = Table(*columns, title=title, title_justify="left")
    for row in rows:
        drawn.add_row(*map(str, row))
    Console(width=110, highlight=False).print(drawn, "")


def show_split(rows: Sequence[dict[str, str]]) -> list[reasonenv.Task]:
    """Show the grouped split next to the one that leaks; return the held-out tasks."""
    shares = {"train": 0.6, "held out": 0.4}
    numbered = [row | {"row": str(number)} for number, row in enumerate(rows)]
    told = []
    for group, name, published in (("row", "by row", "7"), ("problem_id", "by problem_id", "0")):
        parts = split_by_group(numbered, shares, group=group)
        train, held_out = ({row["problem_id"] for row in part} for part in parts.values())
        told.append([name, *(len(part) for part in parts.values()), len(train & held_out), published])
    columns = ["split", "training rows", "held-out rows", "problem_ids in both", "published: in both"]
    table("The split. With 7 ids in both, 61 % was measured; it was withdrawn.", columns, told)
    assert told[-1][3] == 0, "no problem is trained on and evaluated"
    return synthetic2_trees({row["problem_id"]: row for row in parts["held out"]}.values())


def show_passes(results: dict[str, Rollouts]) -> None:
    rows = []
    for one in CHECKPOINTS:
        passed = results[one.name].passed[:, 0]
        low, high = wilson_interval(int(passed.sum()), len(passed))
        first, whole = one.published
        rows.append([one.name, f"{passed[:50].mean():.0%}", first, f"{passed.mean():.0%}"])
        rows[-1] += [f"{low:.0%} to {high:.0%}", whole]
    items = len(results[CHECKPOINTS[0].name].passed)
    columns = [
        "stand-in for",
        f"first {min(50, items)}",
        "published",
        f"all {items}",
        "95 % interval",
        "published",
    ]
    table("Strict exact match on held-out examples, one completion each.", columns, rows)


def show_rewards(results: dict[str, Rollouts], tasks: Sequence[reasonenv.Task]) -> None:
    rows = []
    for one in CHECKPOINTS:
        done = results[one.name]
        size = len(done.groups[0])
        verdicts = reasonenv.Batch(tasks).repeat(size).verify([one.text for one in done], "clean")
        row = [one.name, f"{done.passed.mean():.2f}", f"{groups.mixed_passes(done.passed).mean():.0%}"]
        for name in REWARDS:
            paid = preset(name)(verdicts).reshape(done.passed.shape)
            failed = f"{paid[~done.passed].mean():.2f}" if not done.passed.all() else "none"
            row.append(f"{paid.mean():.2f}, {failed}, {1 - groups.flat_reward(paid).mean():.0%}")
        rows.append(row)
    heads = [f"{name[9:].upper()}: mean, failed, teach" for name in REWARDS]
    title = (
        f"Rewards in groups of {size}: the mean, the mean of what failed, and the share of groups that teach "
        "(rewards differ). The parts of V3 to V5 are published, their weights are ours."
    )
    table(title, ["stand-in for", "strict: mean", "strict: teach", *heads], rows)


def show_failures(done: Rollouts, items: int) -> None:
    failed = [group[0].verdict for group in done.groups if group[0].verdict and not group[0].passed]
    counts = {label: sum(label in verdict["failures"] for verdict in failed) for label in LABELS}
    rows = [[label, counts[label], published] for label, published in LABELS.items()]
    similarity = sum(verdict["parts"]["line_similarity"] for verdict in failed) / max(1, len(failed))
    rows.append(["failures", len(failed), 23])
    rows.append(["mean similarity of failures", f"{similarity:.3f}", PUBLISHED_SIMILARITY])
    title = f"Failures of the stand-in for V5 on {items} examples; one may have several labels."
    table(title, ["label", "count", "published, on 100"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--rollouts", type=int, default=8)
    parser.add_argument("--rows", type=Path)
    asked = parser.parse_args()
    tasks = show_split(generated(4 * asked.items) if asked.rows is None else real(asked.rows))[: asked.items]
    results = {
        one.name: rollout(tasks, {one.name: one}, n=asked.items, group_size=asked.rollouts, reading="clean")
        for one in CHECKPOINTS
    }
    show_passes(results)
    show_rewards(results, tasks)
    show_failures(results[CHECKPOINTS[-1].name], len(tasks))


if __name__ == "__main__":
    main()
