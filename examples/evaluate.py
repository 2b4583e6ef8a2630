"""Evaluate a policy of your own next to the built-in ones, with a run folder.

python examples/evaluate.py [family]
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import reasonenv
from reasonenv.rollouts import evaluate, make_policy

family = sys.argv[1] if len(sys.argv) > 1 else "chain_sum"


class Tired:
    """Placeholder for your model: worse with each rollout. A model sees `task.prompt` and nothing else."""

    name = "tired"
    version = "step-100"  # kept in every trace

    def __call__(self, tasks: Sequence[reasonenv.Task], rollout: int) -> Sequence[str]:
        return make_policy(f"noisy:{0.2 + 0.2 * rollout:.1f}")(tasks, rollout)


with TemporaryDirectory() as folder:
    # After a crash, the same call resumes where it stopped.
    summary = evaluate(
        reasonenv.family(family),
        ["oracle", Tired(), "best-constant"],
        n=200,
        group_size=4,
        level=[0, 2],
        saving=Path(folder) / "tired",
    )
    for row in summary:
        low, high = row.interval
        print(
            f"level {row.level}  {row.policy:13}  pass {row.pass_rate:.3f} ({low:.3f} to {high:.3f})  "
            f"pass@4 {row.pass_at[4]:.3f}  groups that teach {1 - row.flat_reward:.2f}  {row.failures}"
        )
    print((Path(folder) / "tired/traces.jsonl").read_text().partition("\n")[0])
