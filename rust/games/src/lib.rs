//! The two-player games, one file each.

use game::erased::AnyGameFamily;

mod breakthrough;
mod cells;
mod chomp;
pub mod connect_four;
mod dots_and_boxes;
mod hexapawn;
mod kuhn_poker;
mod nim;
mod othello;
mod pawns;
mod tic_tac_toe;

/// Alphabetical.
pub static GAMES: &[&dyn AnyGameFamily] = &[
    &breakthrough::Breakthrough,
    &chomp::Chomp,
    &connect_four::ConnectFour,
    &dots_and_boxes::DotsAndBoxes,
    &hexapawn::Hexapawn,
    &kuhn_poker::KuhnPoker,
    &nim::Nim,
    &othello::Othello,
    &tic_tac_toe::TicTacToe,
];
