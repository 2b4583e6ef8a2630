"""Sections of docs/evidence.md on language models and curricula."""

from collections.abc import Iterable

from common import Result, mean, percent, spread, table, took


def language_model(result: Result) -> Iterable[str]:
    facts, arms = result["facts"], result["arms"]
    kinds, others = list(arms["base"]["trained"]), list(arms["base"]["transfer"])
    yield (
        f"{facts['examples']} solutions of each kind to warm up on, then {facts['steps']} updates of "
        f"{facts['prompts']} prompts × {facts['group']} completions at T = {facts['temperature']} and "
        f"a learning rate of {facts['rate']:g}. Greedy answers to {facts['judged']} distinct test "
        f"tasks of each trained kind. An update of the loop takes {result['loop_seconds']:.1f} s of "
        f"one core, one of TRL's {result['trl_seconds']:.1f} s."
    )
    yield ""
    yield from table(
        ["arm", *kinds, "in new wordings", "surprise, nats", "time"],
        (
            [
                f"`{name}`",
                *(spread(arm["trained"][kind]["passed"]) for kind in kinds),
                percent(sum(arm["trained"][kind]["new wordings"]["mean"] for kind in kinds) / len(kinds)),
                f"{arm['surprise']['mean']:.2f}",
                took(arm["minutes"]) if max(arm["minutes"]) else "",
            ]
            for name, arm in arms.items()
        ),
    )
    yield f"What was not trained on, {facts['judged'] // 4} tasks of each kind:"
    yield ""
    yield from table(
        ["arm", *others],
        (
            [f"`{name}`", *(percent(arm["transfer"][kind]["passed"]["mean"]) for kind in others)]
            for name, arm in arms.items()
        ),
    )


def language_trees(result: Result) -> Iterable[str]:
    facts, arms = result["facts"], result["arms"]
    kinds = list(next(iter(arms.values()))["before"])
    yield (
        f"{facts['examples']} trees to warm up on, then {facts['steps']} updates of {facts['prompts']} "
        f"prompts × {facts['group']}; {facts['judged']} held-out trees of each size, right in every "
        "character."
    )
    yield ""
    yield from table(
        ["reward", *(f"{kind} {when}" for kind in kinds for when in ("before", "after")), "time"],
        (
            [
                f"`{arm}`",
                *(spread(one[when][kind]) for kind in kinds for when in ("before", "after")),
                took(one["minutes"]),
            ]
            for arm, one in arms.items()
        ),
    )


def curricula(result: Result) -> Iterable[str]:
    facts, schedulers = result["facts"], result["schedulers"]
    families = ", ".join(f"`{name}`" for name in facts["families"])
    yield (
        f"{families}; {facts['steps']} updates of {facts['prompts']} prompts × {facts['group']}, "
        f"{facts['judged']} held-out tasks of each family and level."
    )
    yield ""
    rows = [
        [
            f"`{name}`",
            *(spread(one[what]) for what in ("before", "after")),
            *map(percent, one["levels"]),
            "" if name == "uniform" else spread(one["gain"]),
            percent(mean(one["mixed"])),
            f"{one['rollouts'][0]:,}",
            took(one["minutes"]),
        ]
        for name, one in schedulers.items()
    ]
    levels = [f"level {level}" for level in facts["levels"]]
    columns = ["scheduler", "pass rate before", "after", *levels, "gain over `uniform`", "groups that teach"]
    yield from table([*columns, "rollouts", "time"], rows)
