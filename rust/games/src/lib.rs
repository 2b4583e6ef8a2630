//! The two-player games, one file each.

use game::erased::AnyGameFamily;

mod breakthrough;
mod chomp;
pub mod connect_four;
mod domineering;
mod dots_and_boxes;
mod hex;
mod hexapawn;
mod kuhn_poker;
mod nim;
mod othello;
mod pawns;
#[cfg(test)]
mod playouts;
mod three_mens_morris;
mod tic_tac_toe;

/// Alphabetical.
pub static GAMES: &[&dyn AnyGameFamily] = &[
    &breakthrough::Breakthrough,
    &chomp::Chomp,
    &connect_four::ConnectFour,
    &domineering::Domineering,
    &dots_and_boxes::DotsAndBoxes,
    &hex::Hex,
    &hexapawn::Hexapawn,
    &kuhn_poker::KuhnPoker,
    &nim::Nim,
    &othello::Othello,
    &three_mens_morris::ThreeMensMorris,
    &tic_tac_toe::TicTacToe,
];
