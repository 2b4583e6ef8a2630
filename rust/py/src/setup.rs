//! The arguments of episodes by name.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::game::episode::setup::{Autoreset, Illegal, Reward, Seat, Setup};

pub const SEATS: [(&str, Seat); 3] =
    [("first", Seat::First), ("second", Seat::Second), ("random", Seat::Random)];
pub const ILLEGALS: [(&str, Illegal); 2] = [("lose", Illegal::Lose), ("penalty", Illegal::Penalty)];
pub const REWARDS: [(&str, Reward); 3] =
    [("outcome", Reward::Outcome), ("regret", Reward::Regret), ("luck_free", Reward::LuckFree)];
pub const AUTORESETS: [(&str, Autoreset); 3] =
    [("NextStep", Autoreset::NextStep), ("SameStep", Autoreset::SameStep), ("Disabled", Autoreset::Disabled)];

/// What a choice is called.
pub fn name_of<T: PartialEq>(value: &T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|(_, choice)| choice == value).expect("every choice has a name").0
}

/// All arguments but the opponent, as keywords.
pub fn options<'py>(py: Python<'py>, setup: &Setup) -> PyResult<Bound<'py, PyDict>> {
    let options = PyDict::new(py);
    options.set_item("random_move_probs", setup.random_move_probs)?;
    options.set_item("num_groups", setup.num_groups)?;
    options.set_item("seat", name_of(&setup.seat, &SEATS))?;
    options.set_item("illegal", name_of(&setup.illegal, &ILLEGALS))?;
    options.set_item("invalid_penalty", setup.invalid_penalty)?;
    options.set_item("max_turns", setup.max_turns)?;
    options.set_item("opening_plies", setup.opening_plies)?;
    options.set_item("reward", name_of(&setup.reward, &REWARDS))?;
    options.set_item("analysis", setup.analysis)?;
    options.set_item("analysis_plies", setup.analysis_plies)?;
    options.set_item("think", setup.dialogue.think)?;
    options.set_item("instructions_first", setup.dialogue.instructions_first)?;
    options.set_item("outcome_weight", setup.dialogue.outcome_weight)?;
    options.set_item("format_weight", setup.dialogue.format_weight)?;
    options.set_item("text_invalid_penalty", setup.dialogue.text_invalid_penalty)?;
    options.set_item("penalize_each", setup.dialogue.penalize_each)?;
    Ok(options)
}
