pub(super) mod completion;
pub(super) mod futoshiki;
pub(super) mod sudoku;
