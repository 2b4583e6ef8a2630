"""Commands about games: list them, and let policies play each other."""

from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding

import reasonenv
from reasonenv import arena
from reasonenv._checks import LARGEST_COUNT
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson, GameArgument, GameParams, OpponentOption, Seed
from reasonenv._cli.terminal import print_json
from reasonenv._progress import progress
from reasonenv.errors import InvalidArgument


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games."""
    known = [reasonenv.game(name) for name in reasonenv.list_games()]
    if as_json:
        facts = (
            "name version summary rules players params variants action_count shape max_plies longest_plies "
            "has_stakes has_chance "
            "has_hidden_information value score_means moves_are_called has_tactics unsolvable_reason "
            "solves_instantly default_opponent params_schema"
        )
        print_json(
            [
                {fact: getattr(game, fact) for fact in facts.split()}
                | {"opponents": arena.available_opponents(game)}
                for game in known
            ]
        )
        return
    console = Console(highlight=False)
    able = [(game, arena.available_opponents(game)) for game in known]
    console.print(tables.games(able, console))
    console.print("\nA game to play here: [bold]reasonenv play GAME[/bold]")


@app.command(name="arena")
def arena_(
    name: GameArgument,
    policy: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POLICY",
            help="Opponents by name; minimax:0.2 moves at random with probability 0.2, minimax@8 plays "
            "perfectly in the last 8 plies, mcts@200 makes 200 playouts; or first_legal. By default all that "
            "reply at once.",
            autocompletion=options.complete_opponent,
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
            help="Games between each two policies; an even number.",
        ),
    ] = 100,
    seed: Seed = 0,
    param: GameParams = None,
    opening_plies: Annotated[int, options.setting("opening_plies")] = 0,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Play nothing; compute the exact results of reference policies instead."
        ),
    ] = False,
    random_move_prob: Annotated[
        str,
        typer.Option(
            "--random-move-prob",
            "-r",
            metavar="P,…",
            help="With --calibrate: probabilities that the opponent moves at random.",
        ),
    ] = "1,0.45,0.125,0",
    opponent: OpponentOption = None,
    max_positions: Annotated[
        int,
        typer.Option(
            "--max-positions",
            metavar="N",
            min=1,
            max=LARGEST_COUNT,
            help="With --calibrate: the most positions to search.",
        ),
    ] = 10_000_000,
    as_json: AsJson = False,
) -> None:
    """Let policies play each other, or compute how good a score is.

    Every policy plays every other, moving first in half of the games. The table has wins, draws and losses,
    the mean return, and an Elo rating. It is ordered by that rating, in games with stakes
    such as poker by the mean return.
    """
    game = reasonenv.game(name, options.params(param))
    console = Console(highlight=False)
    if calibrate:
        if policy:
            msg = (
                f"`POLICY` is `{policy[0]}`, but --calibrate has policies of its own; name one by --opponent"
            )
            raise InvalidArgument(msg)
        against = opponent or game.default_opponent
        table = arena.calibration(
            game, options.probabilities(random_move_prob), against, max_positions=max_positions
        )
        if as_json:
            columns = [
                {"random_move_prob": p, "policies": {who: list(tally) for who, tally in rows.items()}}
                for p, rows in table.items()
            ]
            print_json({"game": game.name, "params": game.params, "opponent": against, "columns": columns})
            return
        console.print(tables.calibration(table, console))
        console.print(
            f"\n% won/drawn/lost against {against} that moves at random with probability p; exact, moving "
            "first in one half of the games",
            style="dim",
        )
        return
    with progress() as tell:
        result = arena.round_robin(
            game, policy or arena.fast_opponents(game), n, seed, opening_plies=opening_plies, on_progress=tell
        )
    if as_json:
        print_json(result.to_dict())
        return
    console.print(tables.standings(result))
    console.print(Padding(tables.pairings(result), (1, 0, 0, 0)))
