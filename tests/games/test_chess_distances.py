"""Distances to mate with a queen or a rook, computed anew from python-chess's moves."""

import itertools
import random
from collections import deque

import pytest
import reasonenv

pytestmark = pytest.mark.slow

SAMPLED = 1_000

Position = tuple[bool, int, int, int]
"""True if White is to move, and the squares of White's king, White's other man and Black's king."""


def turned(square: int, image: int) -> int:
    """Return a square after one of the eight symmetries of a board without pawns."""
    rank, file = divmod(square, 8)
    rank, file = (7 - rank if image & 1 else rank), (7 - file if image & 2 else file)
    return 8 * file + rank if image & 4 else 8 * rank + file


TURNED = [[turned(square, image) for square in range(64)] for image in range(8)]


def first_image(position: Position) -> Position:
    turn, white, man, black = position
    return min((turn, at[white], at[man], at[black]) for at in TURNED)


def distances(symbol: str) -> dict[Position, int]:
    """Plies to mate of every position in which mate can be forced, each standing for its images."""
    import chess  # noqa: PLC0415  an optional extra

    kind = chess.Piece.from_symbol(symbol).piece_type
    before: dict[Position, set[Position]] = {}
    replies: dict[Position, int] = {}
    known: dict[Position, int] = {}
    for turn, squares in itertools.product((True, False), itertools.permutations(range(64), 3)):
        position = (turn, *squares)
        if first_image(position) != position:
            continue
        board = chess.Board(None)
        board.turn = turn
        men = zip(squares, (chess.KING, kind, chess.KING), (True, True, False), strict=True)
        for square, man, color in men:
            board.set_piece_at(square, chess.Piece(man, color))
        if not board.is_valid():
            continue
        after = set()
        for move in board.legal_moves:
            white, man, black = (move.to_square if at == move.from_square else at for at in squares)
            after.add(first_image((not turn, white, man, black)))
        if not after and board.is_check():
            known[position] = 0
        replies[position] = len(after)
        for following in after:
            before.setdefault(following, set()).add(position)
    queue = deque(known)
    while queue:
        position = queue.popleft()
        for earlier in before.get(position, ()):
            replies[earlier] -= 1
            # White takes the first mate that it finds; Black is mated once every reply is, and no capture is.
            if earlier not in known and (earlier[0] or replies[earlier] == 0):
                known[earlier] = known[position] + 1
                queue.append(earlier)
    return known


def fen(position: Position, symbol: str) -> str:
    import chess  # noqa: PLC0415  an optional extra

    board = chess.Board(None)
    for square, man in zip(position[1:], ("K", symbol, "k"), strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    return f"{board.board_fen()} {'w' if position[0] else 'b'}"


@pytest.mark.parametrize(("ending", "symbol", "longest"), [("KQK", "Q", 20), ("KRK", "R", 32)])
def test_distances_to_mate_are_right(ending: str, symbol: str, longest: int) -> None:
    theirs = distances(symbol)
    assert max(theirs.values()) == longest
    for position in random.Random(0).sample([one for one in theirs if theirs[one] > 0], SAMPLED):
        start = fen(position, symbol)
        state = reasonenv.game("chess_endgames", {"ending": ending, "fen": start}).start(seed=0)
        best = state.values()[state.best_actions()[0]]
        assert (best.outcome, best.distance) == (1 if position[0] else -1, theirs[position]), start
