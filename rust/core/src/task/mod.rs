//! What a task is: its family, its problem, its wording, how its answer is read and judged.

pub mod answer;
pub mod family;
pub mod item;
pub mod split;
pub mod style;
pub mod verdict;
