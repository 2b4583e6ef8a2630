//! Common interface of lanes, whatever they play: reading them, numbering their episodes, saving them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::step::EpisodeInfo;
use kit::error::Error;
use kit::json;

/// Most lanes in one set.
pub const MOST_LANES: usize = 1 << 20;

/// Bound of the numbers of episodes and examples, so that they fit the int64 arrays of vector environments; numbers
/// wrap around to 0.
pub const EPISODES: u64 = 1 << 63;

/// Set of lanes that step together. A lane that is over must be reset before it steps.
pub trait LaneSet: Send + Sync {
    fn count(&self) -> usize;
    /// Shape of the learner's observation in a lane.
    fn shape(&self) -> &[usize];
    /// Size of the action space.
    fn actions(&self) -> u32;
    fn is_over(&self, lane: usize) -> bool;
    fn info(&self, lane: usize) -> EpisodeInfo<'_>;
    /// Player of a game for whom the learner moves next; none once the lane is over.
    fn mover(&self, _lane: usize) -> Option<u8> {
        None
    }
    /// Write the learner's observation.
    fn observe(&self, lane: usize, out: &mut [f32]);
    /// Write 1 for every legal action of the learner, else 0; all 0 once the lane is over.
    fn mask(&self, lane: usize, out: &mut [i8]);
    /// Serialize as JSON all that decides what the lanes do next.
    fn save(&self) -> Vec<u8>;
    /// Continue from the output of [`LaneSet::save`], which is untrusted. Rejected input changes nothing.
    fn restore(&mut self, saved: &[u8]) -> Result<(), Error>;
}

/// Reject a number of lanes that is out of bounds; `family` names what they play.
pub(super) fn check_count(family: &'static str, count: usize) -> Result<(), Error> {
    if (1..=MOST_LANES).contains(&count) {
        return Ok(());
    }
    let message = format!("`count` is {count}, but must be between 1 and {MOST_LANES}");
    Err(Error::InvalidParams { family, message })
}

/// Number of the episode in play, unless another seed was given since it began.
pub(super) fn episode_before(next: u64) -> u64 {
    next.checked_sub(1).unwrap_or(EPISODES - 1)
}

/// Serialize saved lanes as JSON.
pub(super) fn write<S: Serialize>(saved: impl Iterator<Item = S>) -> Vec<u8> {
    serde_json::to_vec(&saved.collect::<Vec<_>>()).expect("numbers and text serialise")
}

/// Read the JSON of `count` saved lanes; the error message says what is wrong with it.
pub(super) fn read<S: DeserializeOwned>(saved: &[u8], count: usize) -> Result<Vec<S>, String> {
    let saved = str::from_utf8(saved).map_err(|error| error.to_string())?;
    let saved: Vec<S> = json::read(saved).map_err(|unread| unread.to_string())?;
    if saved.len() == count {
        return Ok(saved);
    }
    Err(format!("it is of {} envs, where these are {count}", saved.len()))
}

/// Reject numbers of a saved lane that no episode or example can have.
pub(super) fn check_numbers(next: u64, example: u64) -> Result<(), String> {
    for (field, value) in [("next", next), ("example", example)] {
        if value >= EPISODES {
            return Err(format!("`{field}` is {value}, but must be below 2^63"));
        }
    }
    Ok(())
}
