//! The two-player games, one file each.

use game::erased::AnyGameFamily;

mod breakthrough;
mod cards;
mod checkers;
mod chess_endgames;
mod chomp;
mod chopsticks;
mod clobber;
pub mod connect_four;
mod domineering;
mod dots_and_boxes;
mod goofspiel;
mod hex;
mod hexapawn;
mod kalah;
mod kuhn_poker;
mod leduc_poker;
mod liars_dice;
mod nim;
mod notakto;
mod othello;
mod pawns;
mod pig;
#[cfg(test)]
mod playouts;
#[cfg(test)]
mod testing;
mod three_mens_morris;
mod tic_tac_toe;
mod ultimate_tic_tac_toe;

/// Alphabetical.
pub static GAMES: &[&dyn AnyGameFamily] = &[
    &breakthrough::Breakthrough,
    &checkers::Checkers,
    &chess_endgames::ChessEndgames,
    &chomp::Chomp,
    &chopsticks::Chopsticks,
    &clobber::Clobber,
    &connect_four::ConnectFour,
    &domineering::Domineering,
    &dots_and_boxes::DotsAndBoxes,
    &goofspiel::Goofspiel,
    &hex::Hex,
    &hexapawn::Hexapawn,
    &kalah::Kalah,
    &kuhn_poker::KuhnPoker,
    &leduc_poker::LeducPoker,
    &liars_dice::LiarsDice,
    &nim::Nim,
    &notakto::Notakto,
    &othello::Othello,
    &pig::Pig,
    &three_mens_morris::ThreeMensMorris,
    &tic_tac_toe::TicTacToe,
    &ultimate_tic_tac_toe::UltimateTicTacToe,
];
