pub(super) mod completion;
pub(super) mod futoshiki;
pub(super) mod maze;
pub(super) mod minesweeper;
pub(super) mod n_queens;
pub(super) mod nonogram;
pub(super) mod sokoban;
pub(super) mod sudoku;
