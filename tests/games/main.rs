//! What every registered game must satisfy, in every variant it names. A new game is tested by being registered.

mod common;
mod contracts;
mod dialogues;
mod lanes;
mod self_play;
mod speed;
