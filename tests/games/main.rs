//! What every registered game must satisfy, in every variant it names. A new game is tested by being registered.

#[path = "../shared/columns.rs"]
mod columns;
mod common;
mod contracts;
mod dialogues;
mod lanes;
mod self_play;
mod speed;
