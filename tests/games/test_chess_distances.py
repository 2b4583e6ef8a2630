"""Distances to mate with a queen or a rook, computed anew from python-chess's moves."""

import itertools
import random
from collections import deque
from typing import TYPE_CHECKING

import pytest
import reasonenv

if TYPE_CHECKING:
    import chess

pytestmark = pytest.mark.slow

SAMPLED = 1_000


def distances(piece: str) -> dict[str, int]:
    """Plies to mate of every position with a forced mate, by the first two fields of its FEN."""
    import chess  # noqa: PLC0415

    man = chess.Piece.from_symbol(piece)
    boards: dict[str, chess.Board] = {}
    for white, other, black in itertools.permutations(chess.SQUARES, 3):
        for turn in (chess.WHITE, chess.BLACK):
            board = chess.Board(None)
            board.turn = turn
            board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(other, man)
            board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
            if board.is_valid():
                boards[key(board)] = board
    before: dict[str, list[str]] = {}
    open_replies: dict[str, int] = {}
    known: dict[str, int] = {}
    for name, board in boards.items():
        moves = list(board.legal_moves)
        if not moves and board.is_check():
            known[name] = 0
        open_replies[name] = len(moves)
        for move in moves:
            board.push(move)
            before.setdefault(key(board), []).append(name)
            board.pop()
    queue = deque(known)
    while queue:
        name = queue.popleft()
        for earlier in before.get(name, ()):
            open_replies[earlier] -= 1
            # White takes the first mate that it finds; Black is mated once every reply is.
            if earlier not in known and (earlier.endswith("w") or open_replies[earlier] == 0):
                known[earlier] = known[name] + 1
                queue.append(earlier)
    return known


def key(board: "chess.Board") -> str:
    return f"{board.board_fen()} {'w' if board.turn else 'b'}"


@pytest.mark.parametrize(("ending", "piece", "longest"), [("KQK", "Q", 20), ("KRK", "R", 32)])
def test_every_distance_to_mate_is_right(ending: str, piece: str, longest: int) -> None:
    theirs = distances(piece)
    assert max(theirs.values()) == longest
    for fen in random.Random(0).sample(sorted(fen for fen in theirs if theirs[fen] > 0), SAMPLED):
        state = reasonenv.game("chess_endgames", {"ending": ending, "fen": fen}).start(seed=0)
        best = state.values()[state.best_actions()[0]]
        assert (best.outcome, best.distance) == (1 if fen[-1] == "w" else -1, theirs[fen]), fen
