//! A step prover: sorted first-order terms, named rules, and goals that tactics close one by one.
//!
//! What is trusted is `term` and `state`: a state is proved only if every goal was closed by a rule of
//! [`State::apply`]. `text` reads and writes, `search` finds proofs, and neither can make a goal true.

mod read;
mod search;
mod state;
mod tactic;
mod term;
mod theory;

#[cfg(test)]
mod tests;

pub use search::{candidates, distance, introductions, prove, rewrites};
pub use state::{Goal, MOST_GOALS, State};
pub use tactic::{LONGEST_LINE, Rewrite, Tactic};
pub use term::{AND, DECLARED, EQUAL, FALSE, IMPLIES, NOT, OR, PROP, Sort, Term};
pub use theory::{Rule, Symbol, Theory};
