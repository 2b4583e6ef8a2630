//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod completion;
mod futoshiki;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod sokoban;
mod sudoku;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &futoshiki::Futoshiki,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &sokoban::Sokoban,
    &sudoku::Sudoku,
];
