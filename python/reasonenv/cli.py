"""The command line, `reasonenv`."""

import json
import random
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.padding import Padding

import reasonenv
from reasonenv import _options, _play, _speed, _tables, arena, evaluate, policies
from reasonenv._answers import Answers, judged, read_tasks, verdict_record
from reasonenv._checks import LARGEST_COUNT
from reasonenv._files import is_same_file, writing
from reasonenv._native import State, Task, Verdict
from reasonenv._options import (
    AnyFamilies,
    AsJson,
    BatchSize,
    Count,
    Families,
    FamilyName,
    GameName,
    GameParams,
    Level,
    Levels,
    OpponentName,
    Params,
    Reading,
    Rollouts,
    Seed,
    Split,
    Template,
    Wrapper,
)
from reasonenv._terminal import Commands, print_json, progress
from reasonenv.sources import directory_trees

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    name="reasonenv",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"reasonenv {reasonenv.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Verifiable reasoning tasks and games: make them, read them, judge answers, play, measure policies.

    Start with 'reasonenv demo', or with 'reasonenv show FAMILY'.
    """


@app.command()
def families(as_json: AsJson = False) -> None:
    """List the task families."""
    known = [reasonenv.family(name) for name in reasonenv.list_families()]
    if as_json:
        facts = (
            "name domain version summary top_level judged_by answer_tag reading guess_rate skills templates "
            "held_out_templates failures parts params_schema"
        )
        print_json([{fact: getattr(family, fact) for fact in facts.split()} for family in known])
        return
    console = Console(highlight=False)
    console.print(_tables.families(known))
    console.print("\nAn item as a reader sees it: [bold]reasonenv show FAMILY --level 2[/bold]")


@app.command()
def show(
    name: FamilyName,
    *,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, max=10_000, help="Items to show.")] = 1,
    level: Level = 0,
    seed: Seed = 0,
    index: Annotated[
        int, typer.Option("--index", "-i", metavar="I", min=0, help="The first item's index.")
    ] = 0,
    split: Split = "train",
    param: Params = None,
    template: Template = None,
    wrapper: Wrapper = None,
    wrong: Annotated[
        int,
        typer.Option(
            "--wrong", metavar="N", min=0, help="Also show this many wrong answers with what the judge says."
        ),
    ] = 0,
    solution: Annotated[
        bool, typer.Option("--solution/--no-solution", help="Whether to show the steps and the answer.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show items as a reader sees them: the prompt to the letter, the solution's steps, the answer."""
    batch = reasonenv.family(name).batch(
        seed,
        index,
        n,
        level=level,
        params=_options.params(param),
        split=split,
        style=_options.style(template, wrapper),
    )
    if as_json:
        print_json([task.to_dict() for task in batch])
        return
    console = Console(highlight=False)
    for task in batch:
        texts = [task.wrap(answer) for answer in task.wrong_answers(seed=seed)[:wrong]]
        console.print(
            _tables.task_text(task, [(text, task.verify(text)) for text in texts], solution=solution),
            soft_wrap=True,
        )


@app.command()
def generate(
    family: Families,
    *,
    n: Count = 10,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write; '-' is stdout.")
    ] = "-",
    level: Levels = "0",
    split: Split = "train",
    seed: Seed = 0,
    start: Annotated[int, typer.Option("--start", metavar="I", min=0, help="The first item's index.")] = 0,
    param: Params = None,
    template: Template = None,
    wrapper: Wrapper = None,
) -> None:
    """Write tasks as JSON lines: prompt, solution, and all the judge needs.

    The same command writes the same bytes on any machine. Fields: docs/records.md.
    """
    chunk = 2048
    style, params = _options.style(template, wrapper), _options.params(param)
    sources = [
        reasonenv.family(name).source(seed=seed, level=one, params=params, split=split, style=style)
        for name in _options.names(family)
        for one in _options.levels(level)
    ]
    total, done = n * len(sources), 0
    with writing(out) as file, progress() as tell:
        for source in sources:
            for at in range(0, n, chunk):
                tasks = source.batch(start + at, min(chunk, n - at))
                file.write(tasks.to_jsonl())
                done += len(tasks)
                tell(done, total, source.family.name)
    if out != "-":
        Console(stderr=True).print(f"{total} tasks written to {out}", soft_wrap=True, highlight=False)


@app.command()
def verify(
    tasks: Annotated[str, typer.Argument(metavar="TASKS", help="Tasks, as `generate` writes them.")],
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="Lines of {task_id, text}, or of strings in the order of the tasks; '-' is stdin.",
        ),
    ],
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a verdict for each answer there.")
    ] = None,
    reading: Reading = None,
    as_json: AsJson = False,
) -> None:
    """Judge answers in a file.

    Exits with 0 however many answers fail, and with 1 when a file cannot be read or an answer names no task.
    """
    if tasks == answers == "-":
        msg = "`TASKS` and `ANSWERS` are both '-', but only one of them can be stdin"
        raise reasonenv.InvalidArgument(msg)
    for name, path in (("TASKS", tasks), ("ANSWERS", answers)):
        if out is not None and is_same_file(out, path):
            msg = f"`--out` is {out}, which is `{name}` too and would be lost; name another file"
            raise reasonenv.InvalidArgument(msg)
    asked = read_tasks(tasks)
    tallies: dict[str, Answers] = {}
    seen: set[str] = set()

    def count(task: Task, verdict: Verdict) -> None:
        tallies.setdefault(task.family, Answers()).add(task.id, verdict)
        seen.add(task.id)

    if out is None:
        for task, verdict in judged(asked, answers, reading):
            count(task, verdict)
    else:
        with writing(out) as file:
            for task, verdict in judged(asked, answers, reading):
                count(task, verdict)
                file.write(json.dumps(verdict_record(task, verdict)) + "\n")
    if as_json:
        summary = {name: tally.to_dict() for name, tally in sorted(tallies.items())}
        print_json({"families": summary, "unanswered": len(asked) - len(seen)})
        return
    # Verdicts on stdout are for a script; the summary then goes where a person looks.
    console = Console(stderr=out == "-", highlight=False)
    if tallies:
        console.print(_tables.verdicts(dict(sorted(tallies.items()))))
    lines = [
        ([name], tally.answers - tally.passed, dict(tally.failures.most_common()))
        for name, tally in sorted(tallies.items())
    ]
    if failed := _tables.failures(["family"], lines):
        console.print(Padding(failed, (1, 0, 0, 0)))
    if len(seen) < len(asked):
        console.print(f"\n{len(asked) - len(seen)} of {len(asked)} tasks have no answer", style="yellow")


@app.command(name="eval")
def evaluate_(
    family: Families,
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help=f"{', '.join(policies.BUILT_IN)}; may be repeated.",
            autocompletion=_options.complete_policy,
            show_default="oracle",
        ),
    ] = None,
    n: Count = 100,
    rollouts: Rollouts = 1,
    level: Levels = "0",
    split: Split = "eval",
    seed: Seed = 0,
    param: Params = None,
    template: Template = None,
    wrapper: Wrapper = None,
    reading: Reading = None,
    reward: Annotated[
        str,
        typer.Option(
            "--reward",
            metavar="NAME",
            help="What advantages are of: passed, score, or a part the judge measures.",
        ),
    ] = "passed",
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", help="Log to the folder RUNS/NAME; a killed run goes on."),
    ] = None,
    runs: Annotated[Path, typer.Option("--runs", metavar="RUNS", help="Where runs are kept.")] = Path("runs"),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start over where the run is there.")
    ] = False,
    batch_size: BatchSize = 256,
    as_json: AsJson = False,
) -> None:
    """Measure policies on families.

    A table says how often each policy passes, with a 95 % interval, and why it fails. With --run every answer
    is logged, and a run that was killed goes on where it stopped.
    """
    if run == "":
        msg = "`--run` is empty; name the run"
        raise reasonenv.InvalidArgument(msg)
    folder = None if run is None else runs / run
    was_finished = folder is not None and (folder / "summary.json").exists() and not overwrite
    summary = _evaluated(
        _options.names(family),
        policy or ["oracle"],
        n=n,
        rollouts=rollouts,
        level=_options.levels(level),
        params=_options.params(param),
        split=split,
        seed=seed,
        style=_options.style(template, wrapper),
        reading=reading,
        reward=reward,
        batch_size=batch_size,
        run=folder,
        overwrite=overwrite,
    )
    if as_json:
        print_json(summary.to_dict())
        return
    console = Console(highlight=False)
    console.print(_tables.results(summary, console))
    by_level = len({row.level for row in summary}) > 1
    lines = [
        ([row.source, *([str(row.level)] if by_level else []), row.policy], row.failed, row.failures)
        for row in summary
    ]
    if failed := _tables.failures(["source", *(["level"] if by_level else []), "policy"], lines):
        console.print(Padding(failed, (1, 0, 0, 0)))
    if summary.folder is not None:
        note = " (finished before; --overwrite starts it over)" if was_finished else ""
        console.print(f"\nrun folder: {summary.folder}{note}", soft_wrap=True)


def _evaluated(sources: Any, asked: Sequence[str], *, run: Path | None, **ask: Any) -> evaluate.Summary:
    """Evaluates under a progress bar; says how to go on when interrupted."""
    with progress() as tell:

        def on_progress(now: evaluate.Progress) -> None:
            tell(now.done, now.total, f"{now.source}, {now.policy}")

        try:
            return evaluate.evaluate(sources, asked, run=run, on_progress=on_progress, **ask)
        except KeyboardInterrupt:
            if run is not None:
                hint = f"{run} keeps what was judged; the same command goes on from there"
                Console(stderr=True).print(hint, soft_wrap=True, highlight=False)
            raise


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games."""
    known = [reasonenv.game(name) for name in reasonenv.list_games()]
    if as_json:
        facts = (
            "name version summary rules players params variants action_count shape max_plies has_chance "
            "has_hidden_information value score_means moves_are_called has_tactics unsolvable_reason "
            "solves_instantly default_opponent params_schema"
        )
        print_json(
            [
                {fact: getattr(game, fact) for fact in facts.split()} | {"opponents": arena.available(game)}
                for game in known
            ]
        )
        return
    console = Console(highlight=False)
    console.print(_tables.games((game, arena.available(game)) for game in known))
    console.print("\nA game to play here: [bold]reasonenv play GAME[/bold]")


@app.command()
def play(
    name: GameName,
    *,
    param: GameParams = None,
    opponent: OpponentName = None,
    random_move_prob: Annotated[
        float,
        typer.Option(
            "--random-move-prob", "-r", metavar="P", help="How often the opponent moves at random: 0 to 1."
        ),
    ] = 0.0,
    exact_plies: Annotated[
        int | None,
        typer.Option(
            "--exact-plies",
            metavar="N",
            min=0,
            max=LARGEST_COUNT,
            help="The opponent plays exactly once at most so many plies are left.",
        ),
    ] = None,
    seat: Annotated[
        Literal["first", "second", "random"], typer.Option("--seat", help="Whether you move first.")
    ] = "random",
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            "-s",
            metavar="SEED",
            min=0,
            help="Decides all that is random; by default another each time.",
        ),
    ] = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Show what every move is worth before you choose.")
    ] = False,
) -> None:
    """Play a game in the terminal.

    A move is given by its name. Beside it there are 'hint', 'moves', 'undo' and 'quit'.
    """
    game = reasonenv.game(name, _options.params(param))
    who = game.opponent(
        opponent or game.default_opponent, random_move_prob=random_move_prob, exact_plies=exact_plies
    )
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    state, before = game.start(seed), list[State]()
    you = {"first": 0, "second": 1}.get(seat, random.Random(seed).randrange(2))
    console = Console(highlight=False, markup=False)
    console.print(f"{game.rules}\n", soft_wrap=True)
    errs = f", {100 * random_move_prob:g} % of its moves at random" if random_move_prob else ""
    order = "first" if you == 0 else "second"
    console.print(
        f"You are {game.players[you]} and move {order}; the opponent is {who.name}{errs}. Seed {seed}."
    )
    console.print("A move is given by its name. Beside it there are: hint, moves, undo, quit.\n")
    while (player := state.current_player) is not None:
        if player != you:
            reply = who(state)
            console.print(f"The opponent plays {state.action_name(reply)}.\n")
            state.apply(reply)
            continue
        console.print(f"{state.text(you)}\n", soft_wrap=True)
        if hints:
            _play.hint(console, game, state)
        asked = _play.ask(console, game, state, can_undo=bool(before))
        if asked == "quit":
            console.print("The game is left unfinished.")
            return
        if asked == "undo":
            state = before.pop()
            continue
        before.append(state.clone())
        state.apply(asked)
    console.print(f"{state.text(you)}\n", soft_wrap=True)
    got = (state.returns or [0.0, 0.0])[you]
    said = "You won." if got > 0 else "You lost." if got < 0 else "It is a draw."
    stakes = "" if abs(got) in (0, 1) else f" You got {got:+g}."
    console.print(said + stakes, style="bold")


@app.command(name="arena")
def arena_(
    name: GameName,
    policy: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POLICY",
            help="Opponents by name; minimax:0.2 moves at random with probability 0.2, minimax@8 plays "
            "exactly in the last 8 plies; or first_legal. By default all that are soon done.",
            autocompletion=_options.complete_opponent,
            show_default=False,
        ),
    ] = None,
    *,
    n: Annotated[
        int,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            min=2,
            max=LARGEST_COUNT,
            help="Games of each pair; an even number.",
        ),
    ] = 100,
    seed: Seed = 0,
    param: GameParams = None,
    opening_plies: Annotated[
        int,
        typer.Option(
            "--opening-plies", metavar="N", min=0, max=32, help="Random moves that each game begins with."
        ),
    ] = 0,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Print how reference policies fare, computed over the whole game instead."
        ),
    ] = False,
    random_move_prob: Annotated[
        str,
        typer.Option(
            "--random-move-prob",
            "-r",
            metavar="P,…",
            help="With --calibrate: the opponent's chances of a random move.",
        ),
    ] = "1,0.45,0.125,0",
    opponent: OpponentName = None,
    max_positions: Annotated[
        int,
        typer.Option(
            "--max-positions",
            metavar="N",
            min=1,
            max=LARGEST_COUNT,
            help="With --calibrate: the most positions to look at.",
        ),
    ] = 10_000_000,
    as_json: AsJson = False,
) -> None:
    """Let policies play each other, or compute how good a score is.

    Everybody plays everybody, moving first in one half of the games. The table has wins, draws and losses,
    and a rating on the scale of Elo.
    """
    game = reasonenv.game(name, _options.params(param))
    console = Console(highlight=False)
    if calibrate:
        if policy:
            msg = (
                f"`POLICY` is `{policy[0]}`, but --calibrate has policies of its own; name one by --opponent"
            )
            raise reasonenv.InvalidArgument(msg)
        against = opponent or game.default_opponent
        table = arena.calibration(
            game, _options.probabilities(random_move_prob), against, max_positions=max_positions
        )
        if as_json:
            columns = [
                {"random_move_prob": p, "policies": {who: list(tally) for who, tally in rows.items()}}
                for p, rows in table.items()
            ]
            print_json({"game": game.name, "params": game.params, "opponent": against, "columns": columns})
            return
        console.print(_tables.calibration(table, console))
        console.print(
            f"\n% won/drawn/lost against {against} that moves at random with probability p; exact, moving "
            "first in one half of the games",
            style="dim",
        )
        return
    with progress() as tell:
        result = arena.round_robin(
            game, policy or arena.fast(game), n, seed, opening_plies=opening_plies, on_progress=tell
        )
    if as_json:
        print_json(result.to_dict())
        return
    console.print(_tables.standings(result))
    console.print(Padding(_tables.pairings(result), (1, 0, 0, 0)))


@app.command()
def bench(
    family: AnyFamilies = None,
    level: Levels = "2",
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="S", min=0.01, max=60, help="Time spent on each measurement."),
    ] = 0.3,
    threads: Annotated[
        int,
        typer.Option("--threads", metavar="N", min=0, max=1024, help="Threads used; 0 is one per core."),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure how fast items are made, worded and judged.

    Each number is from one run on this machine: the best of the batches that fit in the time.
    Right answers are what is judged.
    """
    reasonenv.set_num_threads(threads)
    rates: list[dict[str, Any]] = []
    pairs = [(name, one) for name in _options.names(family) for one in _options.levels(level)]
    with progress() as tell:
        for done, (name, one) in enumerate(pairs):
            tell(done, len(pairs), f"{name}, level {one}")
            rates.append(_speed.rates(reasonenv.family(name).source(level=one), seconds))
    used = reasonenv.num_threads()
    if as_json:
        print_json({"threads": used, "rates": rates})
        return
    console = Console(highlight=False)
    console.print(_tables.rates(rates))
    console.print(
        f"\nper second, on {used} threads; one run on this machine, right answers judged", style="dim"
    )


@app.command()
def demo(
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, max=LARGEST_COUNT, help="Items of each family.")
    ] = 200,
    level: Level = 2,
    seed: Seed = 0,
    run: Annotated[
        Path, typer.Option("--run", metavar="FOLDER", help="Run folder; what is there is written anew.")
    ] = Path("runs/demo"),
) -> None:
    """Run everything once: every family, a few policies, a table, a run folder.

    Directory trees are also read from this machine, from the folder of Python's standard library. It takes no
    model, no key and no network.
    """
    console = Console(highlight=False)
    kinds = [reasonenv.family(name) for name in reasonenv.list_families()]
    sources: dict[str, Any] = {
        kind.name: kind.source(seed=seed, level=min(level, kind.top_level), split="eval") for kind in kinds
    }
    real = directory_trees(sysconfig.get_path("stdlib"), n, seed, min_lines=2)
    trees = f"{real[0].family} (real)"
    sources = {
        name: source
        for kind in kinds
        for name, source in [(kind.name, sources[kind.name]), (trees, real)]
        if name != trees or kind.name == real[0].family
    }
    asked = ["oracle", "noisy:0.3", "best-constant", "echo"]
    asking = f"{len(kinds)} families and {len(real)} real directory trees, answered by {len(asked)} policies"
    console.print(f"[bold]reasonenv {reasonenv.__version__}[/bold]: {asking}\n")
    start = time.perf_counter()
    summary = _evaluated(sources, asked, n=n, seed=seed, run=run, overwrite=True)
    seconds = time.perf_counter() - start
    console.print(_tables.results(summary, console))
    console.print()
    means = reasonenv.common_failures() | reasonenv.family(real[0].family).failures
    for row in summary.find(source=real[0].family, policy="noisy:0.3"):
        console.print(_tables.failure_breakdown(row, means, console.width))
    answers = sum(row.passed + row.failed for row in summary)
    done = f"[bold]{answers} answers judged in {seconds:.1f} s[/bold]; all of it is in {run}"
    console.print(f"\n{done}", soft_wrap=True)
    console.print(
        _tables.steps(
            [
                ("config.json", "what was asked"),
                ("traces.jsonl", "every answer with its verdict, a line each"),
                ("summary.json", "the table above, and more"),
            ]
        )
    )
    console.print("\n[bold]Next[/bold]")
    console.print(
        _tables.steps(
            [
                (f"reasonenv show {kinds[-1].name} --level {level} --wrong 2", "read an item"),
                ("reasonenv eval all --policy noisy:0.3 --rollouts 8", "measure groups"),
                (f"reasonenv generate {kinds[0].name} -n 1000 --out tasks.jsonl", "make a data set"),
                ("examples/evaluate.py", "bring your own policy"),
            ]
        )
    )
