//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod areas;
mod binairo;
mod blocksworld;
mod button_lock;
mod cages;
mod calcudoku;
mod futoshiki;
mod hazard_maze;
mod kakurasu;
mod kakuro;
mod counts;
mod futoshiki;
mod hazard_maze;
mod light_up;
mod connected;
mod futoshiki;
mod hazard_maze;
mod hitori;
mod lights_out;
mod line_sums;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod object_tracking;
mod pocket_cube;
mod pairing;
mod numbrix;
mod nurikabe;
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
    &kakurasu::Kakurasu,
    &kakuro::Kakuro,
    &light_up::LightUp,
    &hitori::Hitori,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &object_tracking::ObjectTracking,
    &pocket_cube::PocketCube,
    &numbrix::Numbrix,
    &nurikabe::Nurikabe,
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
