"""A game in the terminal: asking for moves, and hints."""

from typing import Literal

from rich.console import Console

from reasonenv._native import Game, State, Unsolved
from reasonenv.cli import tables

__all__ = ["ask", "hint"]

HINT_POSITIONS = 2_000_000
"""Positions that a hint may search: a few seconds."""


def ask(console: Console, game: Game, state: State, *, can_undo: bool) -> int | Literal["quit", "undo"]:
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
                hint(console, game, state)
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


def hint(console: Console, game: Game, state: State) -> None:
    """Shows what every legal move is worth, or why that is not known."""
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
