//! The templates of a round.

use super::Round;
use kit::rng::Rng;
use kit::words::{Joined, and};

const OPERATIONS: &str =
    "You may add, subtract, multiply and divide; intermediate results may be fractional or negative.";

pub fn make(round: &Round, rng: &mut Rng) -> String {
    let make = *rng.pick(&["Make", "Get to", "Reach"]);
    let (target, numbers) = (round.target, round.listed());
    format!("{make} {target} from these numbers: {numbers}. {} {OPERATIONS}", round.uses())
}

pub fn list(round: &Round, rng: &mut Rng) -> String {
    let find = *rng.pick(&["Find", "Write", "Build"]);
    format!(
        "Numbers: {}\nTarget: {}\n\n{find} an expression whose value is exactly the target. {} {OPERATIONS}",
        round.listed(),
        round.target,
        round.uses()
    )
}

pub fn message(round: &Round) -> String {
    format!(
        "I'm stuck on a number puzzle: I have to get exactly {} out of {}. The rules: {} {OPERATIONS} Can you find \
         a way? Any one will do.",
        round.target,
        and(&round.numbers),
        round.uses()
    )
}

pub fn cards(round: &Round) -> String {
    let uses = if round.use_all {
        "You must use every card exactly once."
    } else {
        "You may use each card at most once, and you may leave cards on the table."
    };
    format!(
        "A dealer lays {} number cards on the table: {}. The first player to combine them into {} wins. {uses} \
         {OPERATIONS} How do you win?",
        round.numbers.len(),
        round.listed(),
        round.target
    )
}

pub fn textbook(round: &Round) -> String {
    format!(
        "Using the numbers {} and the operations of addition, subtraction, multiplication and division, write an \
         arithmetic expression equal to {}. {} Intermediate results may be fractional or negative. If there are \
         several solutions, give any one of them.",
        and(&round.numbers),
        round.target,
        round.uses()
    )
}

impl Round {
    /// Rule on how often each number may be used.
    fn uses(&self) -> &'static str {
        let mut sorted = self.numbers.clone();
        sorted.sort_unstable();
        let repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        match (self.use_all, repeats) {
            (true, false) => "Use every number exactly once.",
            (true, true) => "Use every number exactly as often as it is listed.",
            (false, false) => "Use each number at most once; you do not have to use them all.",
            (false, true) => {
                "Use each number at most as often as it is listed; you do not have to use them all."
            }
        }
    }

    fn listed(&self) -> String {
        self.numbers.iter().listed()
    }
}
