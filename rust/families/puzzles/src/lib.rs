//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod areas;
mod binairo;
mod blocksworld;
mod counts;
mod futoshiki;
mod hazard_maze;
mod light_up;
mod lights_out;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod pairing;
mod reversible;
mod rush_hour;
mod skyscrapers;
mod sliding_tiles;
mod sokoban;
mod squares;
mod star_battle;
mod sudoku;
mod tents;
mod totals;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &binairo::Binairo,
    &blocksworld::Blocksworld,
    &futoshiki::Futoshiki,
    &hazard_maze::HazardMaze,
    &light_up::LightUp,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &rush_hour::RushHour,
    &skyscrapers::Skyscrapers,
    &sliding_tiles::SlidingTiles,
    &sokoban::Sokoban,
    &star_battle::StarBattle,
    &sudoku::Sudoku,
    &tents::Tents,
];
