//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod binairo;
mod blocksworld;
mod connected;
mod futoshiki;
mod hazard_maze;
mod hitori;
mod lights_out;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod numbrix;
mod nurikabe;
mod printed;
mod reversible;
mod rush_hour;
mod skyscrapers;
mod sliding_tiles;
mod slitherlink;
mod sokoban;
mod squares;
mod sudoku;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &binairo::Binairo,
    &blocksworld::Blocksworld,
    &futoshiki::Futoshiki,
    &hazard_maze::HazardMaze,
    &hitori::Hitori,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &numbrix::Numbrix,
    &nurikabe::Nurikabe,
    &rush_hour::RushHour,
    &skyscrapers::Skyscrapers,
    &sliding_tiles::SlidingTiles,
    &slitherlink::Slitherlink,
    &sokoban::Sokoban,
    &sudoku::Sudoku,
];
