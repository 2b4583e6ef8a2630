"""References of environments, read from their spaces: observations, actions, masks and rewards."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import reasonenv
from gymnasium import spaces
from reasonenv.envs import env_id

from docs_site.markdown import cell, table

Meanings = Sequence[tuple[int | None, str]]
"""Counts of planes or columns, in order, with what they mean; None stands for all that the others leave."""

NUMBERS: Meanings = [
    (None, "the cells that hold 1, those that hold 2 and so on, a plane for each number"),
    (1, "the cells that are given"),
]
STONES: Meanings = [(1, "the observer's pieces"), (1, "the other player's pieces")]
PAWNS: Meanings = [*STONES, (1, "all ones if the observer moves down, else zeros")]

BITS: Meanings = [
    (2, "the cells that hold 0, and those that hold 1"),
    (1, "the cells that are given"),
]
SUMS: Meanings = [(2, "in each cell, the sum of its row and of its column, over the largest")]
REGIONS: Meanings = [(2, "cells with a border to the right, and those with one below")]

PLANES: dict[str, Meanings] = {
    "calcudoku": [
        *NUMBERS,
        *REGIONS,
        (1, "in each cell, its cage's target t as t / (t + 20)"),
        (1, "in each cell, its cage's operation: 1/4 to 1 for sum, difference, product and quotient"),
    ],
    "hitori": [*BITS, (1, "the printed numbers, over the size")],
    "kakurasu": [*BITS, *SUMS],
    "kakuro": [
        *NUMBERS,
        (2, "in each cell, the sum of its run in the row and in the column, over 45"),
    ],
    "light_up": [
        *BITS,
        (1, "walls"),
        (1, "walls with a number"),
        (1, "their numbers, over 4"),
    ],
    "numbrix": [*NUMBERS, (1, "all ones if cells that touch at a corner are neighbors")],
    "nurikabe": [*BITS, (1, "the printed numbers, over 9")],
    "slitherlink": [*BITS, (1, "one more than the number of a cell, over 5")],
    "star_battle": [*BITS, *REGIONS, (1, "half of the stars in each line, in all cells")],
    "survo": [*NUMBERS, *SUMS],
    "tents": [
        *BITS,
        (1, "trees"),
        (
            2,
            'in each cell, 1 more than the number of its row and of its column, over the size + 1; 0 for "?"',
        ),
    ],
    "binairo": [
        *BITS,
        (1, "all ones if no two rows and no two columns may be the same"),
    ],
    "futoshiki": [
        *NUMBERS,
        (4, "cells that are less than the one to the right, below, to the left and above"),
    ],
    "skyscrapers": [
        *NUMBERS,
        (
            4,
            "in each cell, the clues left and right of its row, above and below its column, over the size",
        ),
    ],
    "sudoku": NUMBERS,
    "blocksworld": [
        (1, "now: a row for each block, 1 in the column of the block that it is on, its own on the table"),
        (1, "the same at the goal"),
    ],
    "pocket_cube": [
        (1, "now: a row for each place in reading order of the unfolded cube, 1 in the column of its color"),
        (1, "the same at the goal"),
    ],
    "lights_out": [(1, "lamps"), (1, "lamps that are on")],
    "sliding_tiles": [
        (None, "the square of a tile, one plane for each; then the same at the goal"),
        (1, "walls"),
    ],
    "maze": [(1, "walls"), (1, "the goal"), (1, "the player's square")],
    "hazard_maze": [
        (1, "walls"),
        (1, "hazards"),
        (1, "the goal"),
        (1, "the player's square"),
        (1, "in every cell, the share of the allowed hazards that is used up"),
    ],
    "minesweeper": [
        (1, "hidden squares"),
        (1, "squares that are marked as mines"),
        (1, "the numbers, over 8"),
    ],
    "n_queens": [(1, "queens"), (1, "holes"), (1, "rows that have their queen")],
    "rush_hour": [(None, "the squares of a vehicle, one plane for each, in the order of their letters")],
    "sokoban": [(1, "walls"), (1, "goals"), (1, "boxes"), (1, "the player's square")],
    "tower_of_hanoi": [
        (1, "now: a row for each disk, a column for each peg, 1 where the disk is"),
        (1, "the same at the goal"),
    ],
    "breakthrough": PAWNS,
    "hexapawn": PAWNS,
    "chomp": [(1, "squares that are left to bite")],
    "connect_four": STONES,
    "domineering": STONES,
    "hex": STONES,
    "othello": STONES,
    "tic_tac_toe": STONES,
    "three_mens_morris": [*STONES, (1, "in every cell, the share of the turns that are left")],
    "dots_and_boxes": [
        (1, "by a box's top left dot, boxes that the observer has closed"),
        (1, "boxes of the other player"),
        (1, "lines to the right of a dot"),
        (1, "lines below a dot"),
    ],
    "kuhn_poker": [
        (1, "the observer's card: jack, queen or king"),
        (1, "the other player's card, once it is shown"),
        (1, "the plies that were passes"),
        (1, "the plies that were bets"),
    ],
    "nim": [(1, "a row for each heap, with as many ones as it has objects")],
    "clobber": STONES,
    "notakto": [(1, "marks")],
    "ultimate_tic_tac_toe": [
        (1, "the observer's marks"),
        (1, "boards that the observer has won"),
        (1, "the other player's marks"),
        (1, "boards that the other player has won"),
        (1, "cells that can be marked now"),
    ],
    "checkers": [
        (1, "the observer's kings"),
        (1, "the observer's men"),
        (1, "the other player's kings"),
        (1, "the other player's men"),
        (1, "a man that must go on jumping"),
        (1, "a king that must go on jumping"),
        (1, "in every cell, the share of the plies that are left"),
    ],
    "chess_endgames": [
        (1, "the observer's king"),
        (1, "the other king"),
        (None, "the other men, a plane for each kind that there may be"),
        (1, "all ones if the observer is White, else zeros"),
        (1, "in every cell, the share of the plies that are left"),
    ],
    "chopsticks": [
        (1, "the fingers of the observer's left and right hand, over 4"),
        (1, "those of the other player"),
        (1, "in both cells, the share of the plies that are left"),
    ],
    "kalah": [
        (
            1,
            "a row for each player, the observer's first: seeds in each pit and the store, over all seeds",
        )
    ],
    "pig": [
        (1, "the observer's score, over the target"),
        (1, "the other player's score"),
        (1, "the points of this turn"),
        (1, "the share of the moves that are made"),
    ],
    "leduc_poker": [
        (
            None,
            "a number for each card: the observer's, the other player's once shown, then the open one",
        ),
        (12, "for each ply of the first round, 1 if it was to fold, to call or to raise"),
        (12, "the same of the second round"),
    ],
    "liars_dice": [
        (
            None,
            "a number for each face: the observer's die, the other player's at the end; then each bid made",
        ),
        (1, "1 once a bid was called a lie"),
    ],
    "goofspiel": [
        (
            None,
            "a number for each card: both hands, the prize, the prizes to come, the observer's bid",
        ),
        (1, "the observer's points, over all points"),
        (1, "the other player's points"),
    ],
}
"""Planes; rows where an observation has two axes, and numbers where it has one."""

COLUMNS: dict[str, tuple[str, Meanings]] = {
    "activity_scheduling": (
        "activity",
        [
            (1, "its start over the last end"),
            (1, "its end over the last end"),
            (1, "its value over the greatest"),
            (1, "1 if it is taken"),
        ],
    ),
    "button_lock": (
        "button and color of the lamp, after a first row of the lock",
        [
            (1, "what the number is multiplied by, over 10; in the first row, the number over the largest"),
            (1, "what is added, from -999 as 0 to 999 as 1; in the first row, the goal over the largest"),
            (None, "1 at the color before, and at the color after; in the first row, at the color now"),
        ],
    ),
    "graph_coloring": (
        "node",
        [
            (None, "1 if it is joined to the node of that number"),
            (3, "1 if it has the color of that number"),
            (1, "1 if it is colored next"),
        ],
    ),
    "job_shop": (
        "job",
        [
            (1, "when its next operation can begin, over the time of all operations"),
            (
                None,
                "for each operation: its machine over their number, its share of all time, 1 if it is done",
            ),
        ],
    ),
    "jugs": (
        "jug",
        [
            (1, "its size over 100 liters"),
            (1, "what is in it, over its size"),
            (1, "what is wanted in it, over its size"),
            (1, "1 if something is wanted in it"),
        ],
    ),
    "knapsack": (
        "item",
        [(1, "its weight over the limit"), (1, "its value over the greatest"), (1, "1 if it is taken")],
    ),
    "tsp": (
        "city",
        [
            (1, "x over the largest coordinate"),
            (1, "y over the largest coordinate"),
            (1, "1 if it has been visited"),
            (1, "1 if it is the current city"),
        ],
    ),
}
"""Things that have a row each, and the columns of their rows."""

TEXT = {
    "solution": ("the whole answer", "1 if it passes, else 0"),
    "step": ("the next line of the reasoning, or the answer", "1 at the end if the answer passes, else 0"),
    "token": ("a character; the last number ends the answer", "1 at the end if the answer passes, else 0"),
    "tools": ("a call of a tool, or the answer", "1 at the end if the answer passes, else 0"),
    "moves": ("a move, see below", "1 at the end if what was played passes, else 0"),
    "dialogue": ("a message with one move", "1 at the end if what was played passes, else 0"),
    "proof": ("a tactic", "1 once the proof is whole, else 0"),
}
"""An action of each mode, and the default reward."""

MASK = (
    '`info["action_mask"]` is int8 of shape ({},), 1 where an action is legal; `action_masks()` is its bool'
)
MOST_LISTED = 12


def of_family(family: reasonenv.Family) -> str:
    """Return the reference of a family: a row for each mode, then its planes and the numbers of its moves."""
    rows = []
    for mode in family.modes:
        env = gymnasium.make(env_id(family.name), mode=mode, disable_env_checker=True)
        act, paid = TEXT[mode]
        rows.append([f"`{mode}`", shown(env.observation_space), f"{shown(env.action_space)}: {act}", paid])
    parts = [
        table(["`mode`", "Observation at level 0", "Action", 'Reward, `"binary"`'], rows),
    ]
    if "moves" in family.modes:
        parts += _moves(family)
    return "\n\n".join(parts)


def of_game(game: reasonenv.Game) -> str:
    """Return the reference of a game: a row for each mode, then its planes and the numbers of its moves."""
    made = {mode: gymnasium.make(env_id(game.name), mode=mode, disable_env_checker=True) for mode in MODES}
    paid = (
        "at the end what the game pays"
        if game.has_stakes
        else "at the end 1 for a win, 0 for a draw, -1 for a loss"
    )
    rows = [
        [f"`{mode}`", shown(env.observation_space), f"{shown(env.action_space)}: {MODES[mode]}", paid]
        for mode, env in made.items()
    ]
    state = game.start(seed=0)
    names = [state.action_name(action) for action in range(game.action_count)]
    return "\n\n".join(
        [
            table(["`mode`", "Observation", "Action", "Reward"], rows),
            MASK.format(game.action_count) + ". Variants of other sizes have other shapes.",
            meanings(game.name, tuple(game.shape)),
            _numbers(names),
        ]
    )


MODES = {"numeric": "a move, see below", "text": "a message with a move"}
"""An action of each mode of a game."""


def shown(space: spaces.Space[Any]) -> str:
    """Describe a space in words."""
    match space:
        case spaces.Text():
            return f"text of up to {space.max_length:,} characters"
        case spaces.Discrete():
            return f"`Discrete({space.n})`"
        case spaces.Box():
            low, high = space.low.min(), space.high.max()
            return f"`Box`: {np.dtype(space.dtype)} of shape {tuple(space.shape)} from {low:g} to {high:g}"
        case spaces.MultiDiscrete():
            return (
                f"`MultiDiscrete`: {space.shape[0]} characters, each a number below {int(space.nvec.max())}"
            )
    raise TypeError(f"no words for {space!r}")


def _moves(family: reasonenv.Family) -> list[str]:
    tops = [
        gymnasium.make(env_id(family.name), mode="moves", level=level, disable_env_checker=True)
        for level in (0, family.top_level)
    ]
    (shape, top) = (tuple(env.observation_space.shape or ()) for env in tops)
    (count, most) = (int(env.action_space.n) for env in tops)  # type: ignore[attr-defined]
    play = family.sample(seed=0, index=0, level=0).moves()
    names = [play.action_name(action) for action in range(len(play.action_mask()))]
    wider = (
        f" At level {family.top_level} the shape is {top}, with {most:,} actions."
        if (shape, count) != (top, most)
        else ""
    )
    meanings(family.name, top)
    return [
        f'In mode `"moves"` {MASK.format(count)}. The rest is of level 0.{wider}',
        meanings(family.name, shape),
        _numbers(names),
        _rewards(play.next_move is not None),
    ]


def _rewards(measured: bool) -> str:
    told = "pays each move what it brings nearer ([how](../gymnasium.md#problems-played-move-by-move))"
    if not measured:
        told = "does not exist here, since the rules can't measure it"
    return f'`reward="partial"` pays at the end the score of what was played; `reward="progress"` {told}.'


def meanings(name: str, shape: tuple[int, ...]) -> str:
    """Return a table of the planes or columns of an observation.

    Raises:
        ValueError: There are more or fewer of them than the table says.
    """
    kind = {1: "Number", 2: "Row", 3: "Plane"}[len(shape)]
    if name in COLUMNS:
        thing, meanings = COLUMNS[name]
        kind, total = f"Column (a row for each {thing})", shape[-1]
    else:
        meanings, total = PLANES[name], shape[0]
    fixed = sum(count or 0 for count, _ in meanings)
    spare = [count for count, _ in meanings].count(None)
    if spare > 1 or (fixed != total if not spare else fixed >= total):
        raise ValueError(f"{name} has {total} planes or columns, and meanings for {fixed}")
    rows, at = [], 0
    for count, meaning in meanings:
        size = total - fixed if count is None else count
        rows.append([str(at) if size == 1 else f"{at} to {at + size - 1}", cell(meaning)])
        at += size
    return table([kind, "Meaning"], rows)


def _numbers(names: Sequence[str]) -> str:
    """Return a table of the numbers of actions."""
    at = list(range(len(names)))
    if len(at) > MOST_LISTED:
        at = [*at[: MOST_LISTED - 2], -1, at[-1]]
    rows = [["…", "…"] if number < 0 else [str(number), f"`{names[number]}`"] for number in at]
    return table(["Action", "Name"], rows)
