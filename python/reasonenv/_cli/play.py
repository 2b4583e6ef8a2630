"""`reasonenv play`: a game in the terminal."""

import random
from typing import Annotated, Literal

import typer
from rich.console import Console

import reasonenv
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import GameArgument, GameParams, OpponentOption
from reasonenv._native import Game, State, Unsolved

WORDS = {
    "help": "this list",
    "rules": "the rules once more",
    "moves": "what may be played now",
    "hint": "what every move is worth",
    "undo": "take your last move back, and the reply to it",
    "quit": "leave the game",
}
"""Words that are accepted instead of a move."""

HINT_POSITIONS = 2_000_000
"""Positions that a hint may search: a few seconds."""


@app.command()
def play(
    name: GameArgument,
    *,
    param: GameParams = None,
    opponent: OpponentOption = None,
    random_move_prob: Annotated[float, options.setting("random_move_prob", "-r", metavar="P")] = 0.0,
    exact_plies: Annotated[int | None, options.setting("exact_plies")] = None,
    seat: Annotated[
        Literal["first", "second", "random"], typer.Option("--seat", help="Which player you are.")
    ] = "random",
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            "-s",
            metavar="SEED",
            min=0,
            help="Decides all that is random; by default a new seed each time.",
        ),
    ] = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Show what every move is worth before you choose.")
    ] = False,
) -> None:
    """Play a game in the terminal.

    Enter a move by its name. Other commands are 'help', 'rules', 'hint', 'moves', 'undo' and 'quit'.
    """
    game = reasonenv.game(name, options.params(param))
    who = game.opponent(
        opponent or game.default_opponent, random_move_prob=random_move_prob, exact_plies=exact_plies
    )
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    state, before = game.start(seed), list[State]()
    you = {"first": 0, "second": 1}.get(seat, random.Random(seed).randrange(2))
    console = Console(highlight=False, markup=False)
    console.print(f"{_title(game)}\n\n{_rules(game)}\n", soft_wrap=True)
    errs = f", {100 * random_move_prob:g} % of its moves at random" if random_move_prob else ""
    order = "first" if you == 0 else "second"
    console.print(f"{game.role_text(you)} You move {order}, against {who.name}{errs}. Seed {seed}.")
    console.print(f"A move is given by its name. Beside it there are: {', '.join(WORDS)}.\n")
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
    stakes = f" You got {got:+g}: {game.score_means}." if game.has_stakes else ""
    console.print(said + stakes, style="bold")


def _title(game: Game) -> str:
    """Name of the game, with the params that differ from its defaults."""
    usual = reasonenv.game(game.name).params
    own = [f"{name}={value}" for name, value in game.params.items() if value != usual[name]]
    return ", ".join([game.name.replace("_", " ").capitalize(), *own])


def _rules(game: Game) -> str:
    """The rules under these params, and the meaning of the final score."""
    return f"{game.rules} Played for stakes: {game.score_means}." if game.has_stakes else game.rules


def _ask(console: Console, game: Game, state: State, *, can_undo: bool) -> int | Literal["quit", "undo"]:
    """Ask until there is a legal move, 'quit' or 'undo'; the end of input is 'quit'."""
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
                console.print("You have no move to take back.")
                continue
            case "hint":
                _hint(console, game, state)
                continue
            case "help" | "rules" | "moves" as word:
                console.print(_told(game, word, moves), soft_wrap=True)
                continue
        try:
            action = state.read_action(said)
        except ValueError as error:
            console.print(f"That is not a move: {error}", soft_wrap=True)
            continue
        if action in legal:
            return action
        console.print(f"{state.action_name(action)} is not legal here; one of {moves} is.", soft_wrap=True)


def _told(game: Game, word: str, moves: str) -> str:
    """Reply to a word that asks about the game."""
    legal = f"Legal {game.moves_are_called}: {moves}"
    words = (f"  {known:<6} {does}" for known, does in WORDS.items())
    return {"rules": _rules(game), "moves": legal, "help": "\n".join([f"{legal}, or:", *words])}[word]


def _hint(console: Console, game: Game, state: State) -> None:
    """Show the value of every legal move, or why it isn't known."""
    if game.has_hidden_information:
        console.print("No hint: a game of hidden information has no exact values.\n")
        return
    try:
        values, best = state.values(HINT_POSITIONS), state.best_actions("dtm", HINT_POSITIONS)
    except Unsolved as error:
        console.print(f"No hint: {error}\n", soft_wrap=True)
        return
    console.print(tables.values(game, values, best))
    console.print()
