//! Programs in a small language: what they do, what makes them do it, and how to write them.

mod drawing;
pub(super) mod program_induction;
pub(super) mod program_input;
pub(super) mod program_output;
