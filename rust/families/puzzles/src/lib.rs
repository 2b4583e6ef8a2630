//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod binairo;
mod blocksworld;
mod button_lock;
mod calcudoku;
mod futoshiki;
mod hazard_maze;
mod hitori;
mod kakurasu;
mod kakuro;
mod light_up;
mod lights_out;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod numbrix;
mod nurikabe;
mod object_tracking;
mod pocket_cube;
mod rush_hour;
mod shared;
mod skyscrapers;
mod sliding_tiles;
mod slitherlink;
mod sokoban;
mod star_battle;
mod sudoku;
mod survo;
mod tents;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &binairo::Binairo,
    &blocksworld::Blocksworld,
    &button_lock::ButtonLock,
    &calcudoku::Calcudoku,
    &futoshiki::Futoshiki,
    &hazard_maze::HazardMaze,
    &hitori::Hitori,
    &kakurasu::Kakurasu,
    &kakuro::Kakuro,
    &light_up::LightUp,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &numbrix::Numbrix,
    &nurikabe::Nurikabe,
    &object_tracking::ObjectTracking,
    &pocket_cube::PocketCube,
    &rush_hour::RushHour,
    &skyscrapers::Skyscrapers,
    &sliding_tiles::SlidingTiles,
    &slitherlink::Slitherlink,
    &sokoban::Sokoban,
    &star_battle::StarBattle,
    &sudoku::Sudoku,
    &survo::Survo,
    &tents::Tents,
];
