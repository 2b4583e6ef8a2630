"""The command line, `reasonenv`."""

import json
import random
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text
from typer.core import TyperGroup

import reasonenv
from reasonenv import _tables, arena, evaluate, policies
from reasonenv._files import Answers, judged, read_tasks, writing
from reasonenv._native import Game, Source, State, Task, Verdict
from reasonenv.sources import directory_trees

__all__ = ["app"]


class Commands(TyperGroup):
    """Commands whose errors are one line on stderr: a caller's mistake is no bug of ours to trace."""

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; exits with 1 for a mistake and with 130 for Ctrl-C."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader has had enough, as `head` has; typer ends quietly
        except (reasonenv.ReasonEnvError, OSError) as error:
            say = Console(stderr=True)
            say.print(Text.assemble(("error: ", "bold red"), _message(error)), soft_wrap=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as stop:
            Console(stderr=True).print("interrupted", style="yellow")
            raise typer.Exit(130) from stop


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


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


def _complete_family(incomplete: str) -> list[str]:
    return [name for name in ["all", *reasonenv.list_families()] if name.startswith(incomplete)]


def _complete_policy(incomplete: str) -> list[str]:
    return [name for name in policies.BUILT_IN if name.startswith(incomplete)]


def _complete_game(incomplete: str) -> list[str]:
    return [name for name in reasonenv.list_games() if name.startswith(incomplete)]


def _complete_opponent(incomplete: str) -> list[str]:
    return [name for name in reasonenv.list_opponents() if name.startswith(incomplete)]


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="A game by name.", autocompletion=_complete_game)
]
GameParams = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="NAME=VALUE", help="Sets one of the game's params; may be repeated."
    ),
]
OpponentName = Annotated[
    str | None,
    typer.Option(
        "--opponent",
        "-o",
        metavar="NAME",
        help="random, minimax, heuristic, first_best, last_best or equilibrium; by default the best.",
        autocompletion=_complete_opponent,
    ),
]
Families = Annotated[
    list[str],
    typer.Argument(
        metavar="FAMILY",
        help="Families by name, or 'all'.",
        autocompletion=_complete_family,
        show_default=False,
    ),
]
AnyFamilies = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FAMILY",
        help="Families by name; all of them by default.",
        autocompletion=_complete_family,
        show_default=False,
    ),
]
Level = Annotated[
    int, typer.Option("--level", "-l", metavar="LEVEL", min=0, help="Difficulty; 0 is the easiest.")
]
Levels = Annotated[
    str,
    typer.Option(
        "--level", "-l", metavar="LEVELS", help="Difficulty: a level, or several as in 0-3 or 0,2,5."
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", "-s", metavar="SEED", min=0, help="Decides the items, and all that is random."),
]
Split = Annotated[
    str,
    typer.Option("--split", metavar="SPLIT", help="train, eval or test; no two of them share an instance."),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="NAME=VALUE", help="Overrides one of the level's params; may be repeated."
    ),
]
Template = Annotated[
    str | None,
    typer.Option("--template", metavar="NAME", help="Wording by name; by default each item draws its own."),
]
Wrapper = Annotated[
    str | None,
    typer.Option(
        "--wrapper",
        metavar="NAME",
        help="What stands around the prompt: bare, contract, or text with {prompt} in it.",
    ),
]
Reading = Annotated[
    str | None,
    typer.Option(
        "--reading",
        metavar="NAME",
        help="How answers are read: clean, strict or lenient; by default each family's own.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script instead of a table.")]


def _names(given: Sequence[str] | None) -> list[str]:
    """Families by name, each once, checked before any work is done."""
    names = list(dict.fromkeys(given or ["all"]))
    if "all" in names:
        return reasonenv.list_families()
    return [reasonenv.family(name).name for name in names]


def _levels(text: str) -> list[int]:
    """Reads `2`, `0-3`, `0,2,5`."""
    levels: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            msg = f"`--level` is `{text}`, but must be a level, or several as in 0-3 or 0,2,5"
            raise reasonenv.InvalidParams(msg)
        levels += range(int(low), int(high if dash else low) + 1)
    if not levels:
        msg = f"`--level` is `{text}`, which is no level at all"
        raise reasonenv.InvalidParams(msg)
    return list(dict.fromkeys(levels))


def _params(given: Sequence[str] | None) -> dict[str, Any] | None:
    """Reads `name=value` pairs; a value is JSON where it can be, else text."""
    params: dict[str, Any] = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals or not name:
            msg = f"`--param` is `{pair}`, but must be NAME=VALUE"
            raise reasonenv.InvalidParams(msg)
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params or None


def _style(template: str | None, wrapper: str | None) -> dict[str, Any] | None:
    given = {"template": template, "wrapper": wrapper}
    return {name: value for name, value in given.items() if value is not None} or None


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2))


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr where that is a terminal; told how many of how many are done, and what is."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int, doing: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{doing:<34.34}")

        yield tell


@app.command()
def families(as_json: AsJson = False) -> None:
    """List the task families."""
    known = [reasonenv.family(name) for name in reasonenv.list_families()]
    if as_json:
        facts = (
            "name domain version summary top_level judged_by answer_tag reading guess_rate skills templates "
            "held_out_templates failures parts params_schema"
        )
        _print_json([{fact: getattr(family, fact) for fact in facts.split()} for family in known])
        return
    console = Console(highlight=False)
    console.print(_tables.families(known))
    console.print("\nAn item as a reader sees it: [bold]reasonenv show FAMILY --level 2[/bold]")


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="FAMILY", help="A family by name.", autocompletion=_complete_family)
    ],
    *,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Items to show.")] = 1,
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
        seed, index, n, level=level, params=_params(param), split=split, style=_style(template, wrapper)
    )
    if as_json:
        _print_json([task.to_dict() for task in batch])
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
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Items of each family and level.")] = 10,
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
    style, params = _style(template, wrapper), _params(param)
    sources = [
        reasonenv.family(name).source(seed=seed, level=one, params=params, split=split, style=style)
        for name in _names(family)
        for one in _levels(level)
    ]
    total, done = n * len(sources), 0
    with writing(out) as file, _progress() as tell:
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
        raise reasonenv.InvalidParams(msg)
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
                file.write(json.dumps(_verdict_record(task, verdict)) + "\n")
    if as_json:
        summary = {name: tally.to_dict() for name, tally in sorted(tallies.items())}
        _print_json({"families": summary, "unanswered": len(asked) - len(seen)})
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


def _verdict_record(task: Task, verdict: Verdict) -> dict[str, Any]:
    return {
        "task_id": task.id,
        "passed": verdict.passed,
        "score": verdict.score,
        "parts": verdict.parts,
        "failures": verdict.failures,
        "detail": verdict.detail,
        "answer": verdict.answer,
    }


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
            autocompletion=_complete_policy,
            show_default="oracle",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Items of each family and level.")] = 100,
    rollouts: Annotated[
        int, typer.Option("--rollouts", "-k", metavar="K", min=1, help="Answers to each item.")
    ] = 1,
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
    batch_size: Annotated[
        int, typer.Option("--batch-size", metavar="N", min=1, help="Items a policy is given at once.")
    ] = 256,
    as_json: AsJson = False,
) -> None:
    """Measure policies on families.

    A table says how often each policy passes, with a 95 % interval, and why it fails. With --run every answer
    is logged, and a run that was killed goes on where it stopped.
    """
    folder = None if run is None else runs / run
    was_finished = folder is not None and (folder / "summary.json").exists() and not overwrite
    summary = _evaluated(
        _names(family),
        policy or ["oracle"],
        n=n,
        rollouts=rollouts,
        level=_levels(level),
        params=_params(param),
        split=split,
        seed=seed,
        style=_style(template, wrapper),
        reading=reading,
        reward=reward,
        batch_size=batch_size,
        run=folder,
        overwrite=overwrite,
    )
    if as_json:
        _print_json(summary.to_dict())
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
    with _progress() as tell:

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
            "name version summary rules players params variants action_count shape longest has_chance "
            "has_hidden_information value score_means moves_are_called has_tactics too_deep params_schema"
        )
        _print_json(
            [
                {fact: getattr(game, fact) for fact in facts.split()} | {"opponents": arena.playable(game)}
                for game in known
            ]
        )
        return
    console = Console(highlight=False)
    console.print(_tables.games((game, arena.playable(game)) for game in known))
    console.print("\nA game to play here: [bold]reasonenv play GAME[/bold]")


HINT_POSITIONS = 2_000_000
"""Positions that a hint may search: a few seconds."""


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
    game = reasonenv.game(name, _params(param))
    who = game.opponent(
        opponent or arena.usual_opponent(game), random_move_prob=random_move_prob, exact_plies=exact_plies
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
            _hint(console, game, state)
        asked = _ask(console, game, state, can_undo=bool(before))
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


def _ask(console: Console, game: Game, state: State, *, can_undo: bool) -> int | Literal["quit", "undo"]:
    """Asks until there is a legal move or a word that ends the asking; no more input is 'quit'."""
    legal = state.legal_actions()
    moves = ", ".join(map(state.action_name, legal))
    while True:
        try:
            said = console.input("move> ").strip()
        except EOFError:
            console.print()
            return "quit"
        match said.lower():
            case "":
                continue
            case "quit":
                return "quit"
            case "undo" if can_undo:
                return "undo"
            case "undo":
                console.print("There is no move of yours to take back.")
                continue
            case "hint":
                _hint(console, game, state)
                continue
            case "moves":
                console.print(f"Legal {game.moves_are_called}: {moves}", soft_wrap=True)
                continue
        try:
            action = state.read_action(said)
        except ValueError as error:
            console.print(f"That is no move: {error}", soft_wrap=True)
            continue
        if action in legal:
            return action
        console.print(f"{state.action_name(action)} is not legal here; one of {moves} is.", soft_wrap=True)


def _hint(console: Console, game: Game, state: State) -> None:
    """Shows what every legal move is worth, or why that is not known."""
    if game.has_hidden_information:
        console.print("No hint: a game of hidden information has no exact values.\n")
        return
    try:
        values, best = state.values(HINT_POSITIONS), state.best_actions("dtm", HINT_POSITIONS)
    except reasonenv.Unsolved as error:
        console.print(f"No hint: {error}\n", soft_wrap=True)
        return
    console.print(_tables.values(game, values, best))
    console.print()


def _probabilities(text: str) -> list[float]:
    """Reads `1,0.45,0`."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        msg = f"`--random-move-prob` is `{text}`, but must be a number, or several as in 1,0.45,0.125,0"
        raise reasonenv.InvalidParams(msg) from None


@app.command(name="arena")
def arena_(
    name: GameName,
    policy: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POLICY",
            help="Opponents by name; minimax:0.2 moves at random with probability 0.2, minimax@8 plays "
            "exactly in the last 8 plies; or first_legal. By default all that are soon done.",
            autocompletion=_complete_opponent,
            show_default=False,
        ),
    ] = None,
    *,
    n: Annotated[
        int, typer.Option("--games", "-n", metavar="N", min=2, help="Games of each pair; an even number.")
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
            "--max-positions", metavar="N", min=1, help="With --calibrate: the most positions to look at."
        ),
    ] = 10_000_000,
    as_json: AsJson = False,
) -> None:
    """Let policies play each other, or compute how good a score is.

    Everybody plays everybody, moving first in one half of the games. The table has wins, draws and losses,
    and a rating on the scale of Elo.
    """
    game = reasonenv.game(name, _params(param))
    console = Console(highlight=False)
    if calibrate:
        if policy:
            msg = (
                f"`POLICY` is `{policy[0]}`, but --calibrate has policies of its own; name one by --opponent"
            )
            raise reasonenv.InvalidParams(msg)
        against = opponent or arena.usual_opponent(game)
        table = arena.calibration(
            game, _probabilities(random_move_prob), against, max_positions=max_positions
        )
        if as_json:
            columns = [
                {"random_move_prob": p, "policies": {who: list(tally) for who, tally in rows.items()}}
                for p, rows in table.items()
            ]
            _print_json({"game": game.name, "params": game.params, "opponent": against, "columns": columns})
            return
        console.print(_tables.calibration(table, console))
        console.print(
            f"\n% won/drawn/lost against {against} that moves at random with probability p; exact, moving "
            "first in one half of the games",
            style="dim",
        )
        return
    with _progress() as tell:
        result = arena.round_robin(
            game, policy or arena.quick(game), n, seed, opening_plies=opening_plies, on_progress=tell
        )
    if as_json:
        _print_json(result.to_dict())
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
        int, typer.Option("--threads", metavar="N", min=0, help="Threads used; 0 is one per core.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure how fast items are made, worded and judged.

    Each number is from one run on this machine: the best of the batches that fit in the time.
    Right answers are what is judged.
    """
    reasonenv.set_num_threads(threads)
    rates: list[dict[str, Any]] = []
    pairs = [(name, one) for name in _names(family) for one in _levels(level)]
    with _progress() as tell:
        for done, (name, one) in enumerate(pairs):
            tell(done, len(pairs), f"{name}, level {one}")
            rates.append(_rates(reasonenv.family(name).source(level=one), seconds))
    used = reasonenv.num_threads()
    if as_json:
        _print_json({"threads": used, "rates": rates})
        return
    console = Console(highlight=False)
    console.print(_tables.rates(rates))
    console.print(
        f"\nper second, on {used} threads; one run on this machine, right answers judged", style="dim"
    )


def _rates(source: Source, seconds: float) -> dict[str, Any]:
    """Items made, prompts worded and answers judged per second."""
    size = 64
    while True:
        start = time.perf_counter()
        batch = source.batch(0, size)
        # A batch has to outlast the clock's grain and the pool's wake-up.
        if time.perf_counter() - start > seconds / 8 or size >= 1 << 17:
            break
        size *= 2
    texts = policies.oracle(batch)
    work: dict[str, Callable[[], object]] = {
        "items_per_second": lambda: source.batch(0, size),
        "prompts_per_second": lambda: batch.prompts,
        "verdicts_per_second": lambda: batch.verify(texts),
    }
    facts = {"family": source.family.name, "level": source.level, "batch": size}
    return facts | {name: size / _best(do, seconds) for name, do in work.items()}


def _best(do: Callable[[], object], seconds: float) -> float:
    """The least time `do` took, over as many tries as fit in some seconds and at least two."""
    best, end = float("inf"), time.perf_counter() + seconds
    tries = 0
    while tries < 2 or time.perf_counter() < end:
        start = time.perf_counter()
        do()
        best = min(best, time.perf_counter() - start)
        tries += 1
    return best


@app.command()
def demo(
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Items of each family.")] = 200,
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


if __name__ == "__main__":
    app()
