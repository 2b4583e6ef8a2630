pub(super) mod completion;
pub(super) mod futoshiki;
pub(super) mod maze;
pub(super) mod n_queens;
pub(super) mod nonogram;
pub(super) mod sudoku;
