"""Write docs/evidence.md from the results of the experiments, so that no number in it is typed by hand.

python examples/train/evidence.py [--runs runs/evidence] [--docs docs]

Results of the full form are copied from the run folders to docs/evidence/, where the page reads them; the
page marks experiments without results.
"""

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import Result, percent, spread, table, took
from evidence_language import curricula, language_model, language_trees

HEAD = """# Evidence

This page shows what small models and agents learn here, measured on held-out tasks, with commands that
anyone can repeat on two cores. `make evidence` writes it from the results in `docs/evidence`; the command
above each number measured it. Means are over seeds, with 95 % intervals (Student's t) where there are
several and the seeds in brackets. Failures are reported beside successes. Times are processor time on one
core, because the machine was shared; equal budgets are equal in this time.

`make evidence` runs everything, one experiment after the other, and resumes where it was stopped: a seed that
is finished is not run again. `make test-train` runs a one-minute form of each, which must improve over its
own start.
"""


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    name: str
    """Run folder of the experiment."""
    title: str
    about: str
    command: str
    tell: Callable[[Result], Iterable[str]]
    minutes: str
    """Expected time per seed, on one core of an otherwise idle machine."""


ARMS = ("v5", "v4", "v3", "strict", "shuffled", "supervised")
"""Training signals for trees: shaped rewards, the plain one, and two controls."""


def trees(result: Result) -> Iterable[str]:
    arms, facts, base = result["arms"], result["facts"], result["warm_up"]
    size = facts["size"]
    right = ", ".join(f"{100 * share:.0f} %" for share in base["right_trees"])
    yield (
        f"Trees of {size['lines']} lines and depth {size['depth']}. A transformer of {base['weights']:,} "
        f"weights was warmed up for {', '.join(map(str, base['steps']))} steps (one number a seed). With "
        f"its untidiness taken away, {right} of the first 100 test trees were right then. From there it "
        f"went on by each arm for up to {size['updates']} updates of {facts['prompts']} prompts × "
        f"{facts['group']}, and stopped earlier once {100 * facts['learnt']:.0f} % of 100 development items "
        "passed."
    )
    yield ""
    held = ("before_first", "after_first", "before_more", "after_more")
    columns = [
        "arm",
        "strict before, 100",
        "after, 100",
        f"before, {size['more']} more",
        f"after, {size['more']} more",
        "time",
    ]
    yield from table(
        columns,
        ([arm, *(spread(one[name]) for name in held), took(one["minutes"])] for arm, one in arms.items()),
    )
    missing = [f"`{arm}`" for arm in ARMS if arm not in arms]
    if missing:
        yield f"**Not run yet:** {', '.join(missing)}."
        yield ""
    yield "Failure labels on the 100 items, mean number over seeds; an answer may have several:"
    yield ""
    labels = next(iter(arms.values()))["before_labels"]
    rows = []
    for label in labels:
        cells = [f"{one['after_labels'][label]:.1f}" for one in arms.values()]
        rows.append([f"`{label}`", f"{next(iter(arms.values()))['before_labels'][label]:.1f}", *cells])
    yield from table(["label", "before", *(f"after {arm}" for arm in arms)], rows)
    yield (
        f"What passes of each shape of tree among the {size['more']}, by seed. A shape is the depth of "
        "each line; one that no sample ever got right is never learnt by reward:"
    )
    yield ""
    shapes = next(iter(arms.values()))["after_by_shape"][0]
    yield from table(
        ["shape", *(f"after {arm}" for arm in arms)],
        (
            [
                f"`{shape}`",
                *(
                    ", ".join(told(seed.get(shape)) for seed in one["after_by_shape"])
                    for one in arms.values()
                ),
            ]
            for shape in shapes
        ),
    )


def told(tally: Sequence[int] | None) -> str:
    """A count and its total."""
    return "none there" if tally is None else f"{tally[0]} of {tally[1]}"


def numeric(result: Result) -> Iterable[str]:
    yield f"PPO for {result['steps']:,} steps a seed; {took(result['minutes'])}."
    yield ""
    rows = []
    for prob, one in result["opponents"].items():
        best = one["exact"]["best_response"]
        rows.append([prob, spread(one["before"]), spread(one["after"]), percent(best[0] + best[1])])
    yield from table(
        ["chance of a random move", "draws or wins before", "after", "best response, exact"], rows
    )
    shares = result["opponents"]["0"]["after_shares"]
    told = ", ".join("/".join(f"{100 * one[kind]:.1f}" for kind in ("win", "draw", "loss")) for one in shares)
    games = f"{shares[0]['games']:,}"
    yield f"Win/draw/loss against the unbiased optimum, both seats, {games} games a seed: {told}."


def text(result: Result) -> Iterable[str]:
    yield f"{took(result['minutes'])} a seed."
    yield ""
    rows = []
    for name, one in result["opponents"].items():
        best = one["best_response"]
        rows.append([name, spread(one["warmed_up"]), spread(one["after"]), percent(best[0] + best[1])])
    yield from table(["opponent", "draws or wins, warmed up", "after RL", "best response, exact"], rows)
    invalid = [one["invalid"] for one in result["opponents"]["optimum"]["after_shares"]]
    yield f"Games with an invalid message after RL: {', '.join(map(percent, invalid))}."


def proofs(result: Result) -> Iterable[str]:
    facts, arms = result["facts"], result["arms"]
    yield (
        f"{facts['updates']} updates of {facts['prompts']} goals × {facts['group']} attempts, of at most "
        f"{facts['steps']} steps; {facts['judged']} held-out goals. "
        "`shuffled` deals the rewards of a group out at random."
    )
    yield ""
    yield from table(
        ["arm", "proved before", "proved after", "time"],
        (
            [f"`{arm}`", spread(one["before"]), spread(one["after"]), took(one["minutes"])]
            for arm, one in arms.items()
        ),
    )


def tables(result: Result) -> Iterable[str]:
    rows = []
    for name, one in result["learners"].items():
        held = (spread(one[key]) for key in ("before_optimum", "after_optimum", "after_random"))
        rows.append([name, *held, took(one["minutes"])])
    columns = [
        "learner",
        "draws or wins against the optimum before",
        "after",
        "wins against random after",
        "time",
    ]
    yield from table(columns, rows)
    yield (
        f"{result['facts']['steps'] * result['facts']['lanes']:,} moves of self-play a seed, measured over "
        f"{result['facts']['games']:,} games in both seats. The best response wins "
        f"{percent(result['best_response_to_random'][0])} against the random player."
    )


def ways(result: Result) -> Iterable[str]:
    rows = [
        [way, spread(one), f"{sum(one['turns']) / len(one['turns']):.2f}"]
        for way, one in result["ways"].items()
    ]
    yield from table(["way", "pass rate", "turns"], rows)
    yield f"{took(result['minutes'])} a seed. The best of three is pass@3 of plain answers."


def processes(result: Result) -> Iterable[str]:
    arms = result["arms"]
    measured = [key.removeprefix("before_") for key in next(iter(arms.values())) if "before_" in key]
    shown = {"passed": "pass rate", "true_steps": "true steps", "truth": "truth"}
    columns = [when for one in measured for when in (f"{shown.get(one, one)} before", "after")]
    rows = [
        [arm, *(spread(one[f"{when}_{key}"]) for key in measured for when in ("before", "after"))]
        for arm, one in arms.items()
    ]
    times = [took(one["minutes"]) for one in arms.values()]
    yield from table(
        ["reward", *columns, "time"], [[*row, time] for row, time in zip(rows, times, strict=True)]
    )
    if result["quick"]:
        seeds = len(next(iter(arms.values()))["minutes"])
        yield (
            f"The quick form (`--quick`), of {result['facts']['updates']} updates and {seeds} seed; the full "
            "one has not been run with these rewards. "
            "One seed is too few to tell the two apart."
        )


def proposers(result: Result) -> Iterable[str]:
    facts, arms = result["facts"], result["arms"]
    rollouts = facts["rollouts"]
    yield (
        f"{rollouts:,} rollouts of the solver a seed, {facts['attempts']} for each valid proposal; held-out "
        f"sums are {facts['judged']} of each size, with one sampled attempt each."
    )
    yield ""
    rows = []
    for arm, one in arms.items():
        learnt = ", ".join("never" if at is None else f"{at:,.0f}" for at in one["learnt_at"])
        rates = (spread(one[when]) for when in ("before", "halfway", "after"))
        rows.append([arm, *rates, learnt, took(one["minutes"])])
    when = ["before", f"after {rollouts // 2:,} rollouts", f"after {rollouts:,}"]
    yield from table(
        ["proposer", *(f"right {one}" for one in when), f"rollouts to {percent(result['most'])}", "time"],
        rows,
    )
    rows = []
    for arm, one in arms.items():
        refused = sum(map(Counter, one["refused"]), Counter[str]()).most_common()
        labels = ", ".join(f"`{label}` {percent(count / sum(one['proposals']))}" for label, count in refused)
        rows.append([arm, spread(one["reward"]), spread(one["valid"]), f"{sum(one['proposals']):,}", labels])
    yield from table(["proposer", "reward, of the most", "valid", "proposals, all seeds", "refused"], rows)
    yield (
        "Where difficulty moved, by eighths of the rollouts: columns to add in a posed sum, the solver's "
        "pass rate on them and the reward of a proposal; means over seeds."
    )
    yield ""
    rows = []
    for at, stretches in enumerate(zip(*(one["stretches"] for one in arms.values()), strict=True), 1):
        cells = [f"{rollouts * at // len(next(iter(arms.values()))['stretches']):,}"]
        for one in stretches:
            cells += [f"{one['columns']:.1f}", percent(one["pass_rate"]), percent(one["reward"])]
        rows.append(cells)
    parts = [f"{arm}: {what}" for arm in arms for what in ("columns", "passed", "reward")]
    yield from table(["until", *parts], rows)


def fours(result: Result) -> Iterable[str]:
    kinds = result["kinds"]
    rungs = next(iter(kinds.values()))["after"]
    rows = [[name, *(spread(one["after"][name]) for one in kinds.values())] for name in rungs]
    yield from table(["opponent", *(f"score after, {kind}" for kind in kinds)], rows)
    rates = "; ".join(
        f"{kind}: {', '.join(f'{rate:,.0f}' for rate in one['moves_a_second'])} moves a processor second"
        for kind, one in kinds.items()
    )
    yield f"{rates}; learner and updates included."


SECTIONS = (
    Section(
        "ascii_tree_small",
        "ASCII trees, 5 lines and depth 2",
        "A small transformer is warmed up by untidy, half-learnt supervision to a strict pass rate of "
        "at most 5 % on development items and then trained by group-relative policy gradients on "
        "rewards alone. `v3`, `v4`, `v5` are [shaped rewards](rewards.md) with weights of ours, "
        "`strict` pays a pass and nothing else, `shuffled` is `v5` with rewards dealt out at random, "
        "and `supervised` continues with the same untidy demonstrations for the processor time that `v5` "
        "took. Test items share no tree with training or development ones and were judged once; prompts "
        "are in one wording, in the wrapper `contract`, and decoding is greedy. It shows that verifier "
        "and reward can drive learning from a fixed start: the contract, which no start keeps, and shapes "
        "of trees. Tidy demonstrations would teach such trees "
        "too, and nothing here is about a large language model.",
        "python examples/train/ascii_tree.py --size small",
        trees,
        "about 1 minute of warm-up and 2 for each arm",
    ),
    Section(
        "ascii_tree_large",
        "ASCII trees, 8 lines and depth 3",
        "The same on larger trees. On neither size is `v4` or `v5` told from the plain `strict`; `v3` learns "
        "these trees, though it learnt none of the small ones.",
        "python examples/train/ascii_tree.py --size large",
        trees,
        "about a minute for each arm",
    ),
    Section(
        "tic_tac_toe",
        "Tic-tac-toe in numbers",
        "PPO over the vector environment, against an opponent that moves at random half of the time, a fifth "
        "of the time, and never. Half of the games begin with random moves of the learner's own: without "
        "them it gave up every game that was opened in the centre, and stayed at 94 %.",
        "python examples/train/tic_tac_toe.py",
        numeric,
        "a few seconds",
    ),
    Section(
        "tic_tac_toe_text",
        "Tic-tac-toe in text",
        "A network that reads the messages and writes moves: warmed up on moves of a middling player's "
        "games that were not lost, then PPO through stages of an opponent that errs less and less. Half of "
        "the games begin with up to three random moves of the learner's own. A critic says how good each "
        "message looks, so that a move is told by what came right after it. With one advantage for a whole "
        "game, compared within groups, the same network took 320 updates to 96.4 % (99.4, 94.3, 95.6), and "
        "under a longer schedule one seed lost all valid moves. A bonus on entropy pays for any text: under "
        "it a message came to four nats, where nine cells have 2.2, and under half of it one seed fell from "
        "95 % back to 34 %; a price on the distance from the network that was warmed up did neither. A row "
        "of the board is one token: read in pieces, boards took 300 updates to 87 %.",
        "python examples/train/tic_tac_toe_text.py",
        text,
        "about 10 minutes",
    ),
    Section(
        "tabular",
        "Tic-tac-toe with tables",
        "Q-learning and TD(λ), each with one table in both seats, in self-play.",
        "python examples/train/tabular.py",
        tables,
        "a few seconds",
    ),
    Section(
        "curriculum",
        "Whether a curriculum pays: a small network",
        "A network that was shown many solutions of the easiest levels of ten families and few of harder "
        "ones continues by rewards, with the same number of rollouts under each scheduler. It is judged "
        "greedily on held-out tasks of all levels. The gain over `uniform` is from the same start, seed "
        "by seed; a group teaches if it was trained on and has right and wrong answers. "
        "Settings were chosen by what `uniform` did on development tasks under another seed. **No scheduler "
        "beat `uniform` by more than its interval**, nor did one in an earlier form with two families and a "
        "start at 43 %. `threshold` and `thompson` took about half the time, because what teaches is short.",
        "python examples/train/curriculum.py",
        curricula,
        "about 4 minutes for each scheduler",
    ),
    Section(
        "curriculum_language_model",
        "Whether a curriculum pays: a language model",
        "The same with SmolLM2-135M-Instruct, warmed up on a few solutions of the easiest levels alone "
        "and trained by the loop of [the language model](#a-pre-trained-language-model). One seed shows "
        "no difference smaller than the chance of its held-out tasks. The rate of the warm-up was raised "
        "after a first start had passed 3 % of them, which did not help; nothing else was tuned.",
        "python examples/train/curriculum.py --learner language_model --model PATH --seeds 1",
        curricula,
        "about 12 minutes for each scheduler",
    ),
    Section(
        "retry_and_tools",
        "Retry and tools",
        "One network that was shown three ways of working on sums of two numbers of two digits: plainly, "
        "again after a wrong answer, and with a calculator. On numbers of three digits nothing was to be "
        "told of retrying: plain answers passed 0.6 %, the best of three 1.9 %, three attempts with feedback "
        "1.3 % and the calculator 91 %.",
        "python examples/train/retry_and_tools.py",
        ways,
        "about 2 minutes",
    ),
    Section(
        "process_reward",
        "Process reward",
        "Sums worked out step by step, from a start in which steps are often wrong. `progress` is the [part "
        "`process`](rewards.md#process-rewards) of a reward, `truth` what it was before: the share of true "
        "steps, however often they are said. Each pays half of the reward, or, `alone`, all of it.",
        "python examples/train/process_reward.py",
        processes,
        "about 1 minute for each reward",
    ),
    Section(
        "process_reward_before",
        "Process reward by true steps",
        "The same learner under the script's former reward, the share of true advancing steps among the due "
        "or said ones, whichever are more: paid by the answer alone, by half for the steps, and for them "
        "alone.",
        "python examples/train/process_reward.py",
        processes,
        "not run any more",
    ),
    Section(
        "proofs",
        "Proofs",
        "Equations of level 5 in mode `proof`, one tactic per step. A linear policy scores the tactics that "
        "`Proof.candidates` lists, by their rule and direction and by how they change the size of the goal; "
        "it starts from equal chances, is paid only for a finished proof, and is judged on held-out "
        "goals by one sampled attempt each. The level was chosen by what chance proves; nothing was tuned.",
        "python examples/train/proofs.py",
        proofs,
        "about a minute for each arm",
    ),
    Section(
        "selfplay",
        "Proposer and solver",
        "Two learners play [`selfplay.proposer_solver`](selfplay.md): one poses sums, the other adds. The "
        "proposer is a softmax over 60 sizes, 2 to 6 terms of 1 to 12 digits, and one over the ten digits; "
        "it is paid by how near the solver's pass rate is to a half. The solver adds column by column, by a "
        "table of what to write and to carry whose right entries begin at chances of about 0.3, and is paid "
        "for a right sum. `uniform` is the same solver on sums that are proposed uniformly. Settings were "
        "chosen by what both did under another seed, and were then run once. Over a whole run both proposers "
        "earn about the same: each is paid only while its solver learns, and in the end the sizes offer "
        "nothing that is hard enough. A quarter of the proposals is held out, which no proposer can know; "
        "the learnt one also repeats itself, because small sums run out.",
        "python examples/train/selfplay.py",
        proposers,
        "about 3 minutes",
    ),
    Section(
        "language_model",
        "A pre-trained language model",
        "SmolLM2-135M-Instruct, all weights but the embeddings, on one core. `warm` has imitated a few "
        "solutions, which teach the form. `reward` continues by rewards alone (GRPO, 1 for a right answer, "
        "no KL penalty) on both kinds of tasks, or under one seed on one of them; `shuffled` gets the same "
        "rewards dealt out at random within each group, which destroys the form within five updates; "
        "`supervised` imitates more solutions for as much processor time. Surprise is the mean negative "
        "log-likelihood of what the base model answers to eight plain prompts: it grows with what was "
        "forgotten. The kinds of tasks were chosen by a table on the split `eval` and committed before the "
        "first judged run. The 60 updates of `reward, longer` were added after the others had been judged.",
        "python examples/train/language_model.py --model PATH",
        language_model,
        "an hour",
    ),
    Section(
        "language_model_trees",
        "The protocol of ReasonRL with a language model",
        "SmolLM2-135M-Instruct on trees of three lines, with a paragraph of instructions before the prompt "
        "(today's wrapper `reasonrl` has the article's three lines and `Answer:`) and its strict metric: "
        "every character right, and nothing around it. All rewards start from the same model. **No "
        "reward changes the result by more than chance** (about 10 points with 100 trees). "
        "In training, under each reward 77 to 91 % passed at the sixth update and fewer later: the learning "
        "rate, that of the section above, is too high here. It was not tuned.",
        "python examples/train/language_model_trees.py --model PATH",
        language_trees,
        "ten minutes for each reward",
    ),
    Section(
        "connect_four",
        "Connect Four",
        "MaskablePPO in self-play over the Rust vector environment and over PettingZoo's game, with "
        "equal time of the processor; a score counts a draw as a half.",
        "python examples/train/connect_four.py",
        fours,
        "1 minute for each environment",
    ),
)


def page(folder: Path) -> str:
    """The page, from the available results."""
    parts = [HEAD]
    for section in SECTIONS:
        parts += [f"## {section.title}\n", f"{section.about}\n", f"```sh\n{section.command}\n```\n"]
        path = folder / f"{section.name}.json"
        if not path.exists():
            parts.append(f"**Not run yet.** Expected, on one core a seed: {section.minutes}.\n")
            continue
        result = json.loads(path.read_text())
        parts.append("\n".join(section.tell(result)).strip() + "\n")
        if (folder / f"{section.name}.svg").exists():
            parts.append(f"![{section.title}](evidence/{section.name}.svg)\n")
    return "\n".join(parts)


def collect(runs: Path, folder: Path) -> None:
    """Copy results and curves of full runs from the run folders."""
    folder.mkdir(parents=True, exist_ok=True)
    for section in SECTIONS:
        found = runs / section.name / "results.json"
        if found.exists() and not json.loads(found.read_text())["quick"]:
            shutil.copy(found, folder / f"{section.name}.json")
            if (runs / section.name / "curves.svg").exists():
                shutil.copy(runs / section.name / "curves.svg", folder / f"{section.name}.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, default=Path("runs/evidence"), help="where run folders are")
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="where the page is written")
    asked = parser.parse_args()
    collect(asked.runs, asked.docs / "evidence")
    (asked.docs / "evidence.md").write_text(page(asked.docs / "evidence"))
    print(asked.docs / "evidence.md")


if __name__ == "__main__":
    main()
