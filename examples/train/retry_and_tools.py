"""Retry and tools: one policy answering plainly, with three attempts and feedback, and with a calculator.

One network sees demonstrations of all three ways of working on sums that it can only half do in its head, and
is then evaluated in each. Retrying is compared with the best of three independent attempts.

python examples/train/retry_and_tools.py [--quick] [--seeds 3]
"""

import json
from functools import partial
from typing import Any

import gymnasium
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, over_seeds, wilson
from learner import Policy, Speaker, network, warm_up
from reasonenv.envs import wrappers
from reasonenv.rewards.groups import pass_at_k
from transformer import Model

FAMILY = reasonenv.family("chain_sum")
PARAMS: Any = {"terms": 2, "digits": 2, "subtraction": True}
STYLE = {"template": "expression"}
ATTEMPTS, MOST = 3, 40
WIDTH = 64
SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"examples": 3_000, "warm_up": 500, "judged": 40},
    "full": {"examples": 4_000, "warm_up": 1_200, "judged": 300},
}


def base(split: Any) -> gymnasium.Env[Any, Any]:
    """The task, answered once."""
    return gymnasium.make("reasonenv/ChainSum-v1", params=PARAMS, style=STYLE, split=split)


def retrying(split: Any) -> gymnasium.Env[Any, Any]:
    """Three attempts, with feedback after each wrong one."""
    return wrappers.retry(base(split), attempts=ATTEMPTS, feedback="verdict")


def with_calculator(split: Any) -> gymnasium.Env[Any, Any]:
    """A calculator, and a turn to answer."""
    return wrappers.tools(base(split), ["calculator"], max_calls=2, max_steps=3)


def expression(prompt: str) -> str:
    """The expression in a prompt."""
    return next(line for line in prompt.splitlines() if line[:1].isdecimal() and line[-1:].isdecimal())


def demonstrations(count: int, seed: int) -> list[tuple[str, str]]:
    """Plain answers, answers after a wrong one, calls, and answers after a call."""
    shown = []
    plain, again, tool = base("train"), retrying("train"), with_calculator("train")
    for i in range(count):
        at = 1_000_000 * (seed + 1) + i
        prompt, _ = plain.reset(seed=at)
        task = plain.get_wrapper_attr("task")
        answer = task.wrap(task.solution.answer)
        shown.append((prompt, answer))
        if i % 3 == 0:
            again.reset(seed=at)
            wrong = task.wrong_answers(seed=i)[0]
            shown.append((str(again.step(task.wrap(wrong))[0]), answer))
        elif i % 3 == 1:
            opening, _ = tool.reset(seed=at)
            call = json.dumps({"name": "calculator", "arguments": {"expression": expression(opening)}})
            call = f"<tool_call>{call}</tool_call>"
            shown += [(str(opening), call), (str(tool.step(call)[0]), answer)]
    return shown


def measure(model: Model, count: int) -> Result:
    """Pass rates of the three ways on the same tasks, sampled at a temperature of 0.7."""
    found: Result = {}
    tasks = FAMILY.source(seed=0, params=PARAMS, split="test", style=STYLE).batch(0, count)
    plain = reasonenv.rollout(tasks, Policy(model, 0.7, MOST), n=count, group_size=ATTEMPTS, split="test")
    passes = plain.passed.sum(1)
    found["plain"] = float(plain.passed.mean())
    found["best of three"] = float(pass_at_k([ATTEMPTS] * count, passes, ATTEMPTS).mean())
    for name, make in (("retry", retrying), ("calculator", with_calculator)):
        said = reasonenv.rollout(
            lambda make=make: make("test"), Speaker(model, 0.7, MOST), n=count, group_size=1, seed=1
        )
        found[name] = float(said.passed.mean())
        turns = [len(one.turns) for one in said]
        found[f"{name}, turns"] = sum(turns) / len(turns)
    return found


def train(seed: int, size: dict[str, Any]) -> Result:
    """Train under one seed."""
    torch.manual_seed(seed)
    shown = demonstrations(size["examples"], seed)
    piece = r"</?answer>|</?tool_call>|\d|\w+| |\n|."
    model = network(shown, variable=r"\d", piece=piece, width=WIDTH)
    start = measure(model, min(40, size["judged"]))
    warm_up(model, shown, size["warm_up"], seed)
    return {"start": start, "after": measure(model, size["judged"]), "demonstrations": len(shown)}


WAYS = ("plain", "best of three", "retry", "calculator")


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    size = SIZES["tiny" if asked.quick else "full"]
    folder = asked.out / ("quick" if asked.quick else "") / "retry_and_tools"
    experiment = Experiment(
        "retry_and_tools",
        folder,
        asked.quick,
        size | {"params": PARAMS, "attempts": ATTEMPTS, "width": WIDTH},
    )
    seeds = [
        experiment.part(f"seed-{seed}", partial(train, seed, size))
        for seed in range(1 if asked.quick else asked.seeds)
    ]
    told: Result = {}
    for way in WAYS:
        values = [one["after"][way] for one in seeds]
        told[way] = over_seeds(values)
        told[way]["pooled"] = wilson(sum(values) * size["judged"], size["judged"] * len(seeds))
        told[way]["turns"] = [one["after"].get(f"{way}, turns", 1.0) for one in seeds]
        print(f"{way}: {told[way]['mean']:.3f}")
    experiment.finish({"ways": told, "minutes": [one["minutes"] for one in seeds]})
    if asked.quick:
        start, after = seeds[0]["start"], seeds[0]["after"]
        improves(
            "pass rate of the best way",
            max(start[way] for way in WAYS),
            max(after[way] for way in WAYS),
            0.02,
        )


if __name__ == "__main__":
    main()
