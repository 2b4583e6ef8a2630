//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod binairo;
mod blocksworld;
mod button_lock;
mod futoshiki;
mod hazard_maze;
mod lights_out;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod object_tracking;
mod pocket_cube;
mod reversible;
mod rush_hour;
mod skyscrapers;
mod sliding_tiles;
mod sokoban;
mod squares;
mod sudoku;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &binairo::Binairo,
    &blocksworld::Blocksworld,
    &button_lock::ButtonLock,
    &futoshiki::Futoshiki,
    &hazard_maze::HazardMaze,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &object_tracking::ObjectTracking,
    &pocket_cube::PocketCube,
    &rush_hour::RushHour,
    &skyscrapers::Skyscrapers,
    &sliding_tiles::SlidingTiles,
    &sokoban::Sokoban,
    &sudoku::Sudoku,
];
