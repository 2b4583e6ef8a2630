//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod areas;
mod binairo;
mod blocksworld;
mod button_lock;
mod cages;
mod calcudoku;
mod connected;
mod counts;
mod futoshiki;
mod hazard_maze;
mod hitori;
mod kakurasu;
mod kakuro;
mod light_up;
mod lights_out;
mod line_sums;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod numbrix;
mod nurikabe;
mod object_tracking;
mod pairing;
mod pocket_cube;
mod printed;
mod reversible;
mod runs;
mod rush_hour;
mod skyscrapers;
mod sliding_tiles;
mod slitherlink;
mod sokoban;
mod squares;
mod star_battle;
mod sudoku;
mod survo;
mod tents;
mod totals;

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
