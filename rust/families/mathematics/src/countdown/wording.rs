//! How a round is told in words.

use super::Round;
use kit::rng::Rng;

pub fn make(round: &Round, rng: &mut Rng) -> String {
    let make = *rng.pick(&["Make", "Get to", "Reach"]);
    round.worded(&format!("{make} {} from these numbers: {}.", round.target, round.listed()), "number")
}

pub fn list(round: &Round, rng: &mut Rng) -> String {
    let find = *rng.pick(&["Find an expression", "Write an expression", "Build an expression"]);
    let (numbers, target) = (round.listed(), round.target);
    let opening = format!("Numbers: {numbers}\nTarget: {target}\n\n{find} that has the target as its value.");
    round.worded(&opening, "number")
}

pub fn cards(round: &Round) -> String {
    let opening = format!(
        "On the table lie {} cards with the numbers {}. Lay them out with signs of arithmetic between them \
         so that the result is {}.",
        round.numbers.len(),
        round.listed(),
        round.target
    );
    round.worded(&opening, "card")
}

impl Round {
    /// The numbers, and what to do with them.
    fn worded(&self, opening: &str, thing: &str) -> String {
        let mut sorted = self.numbers.clone();
        sorted.sort_unstable();
        let repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let uses = match (self.use_all, repeats) {
            (true, false) => format!("Every {thing} must be used exactly once."),
            (true, true) => {
                format!("Every {thing} must be used exactly once, a repeated number as often as it is there.")
            }
            (false, false) => format!("Each {thing} may be used once or left out."),
            (false, true) => format!(
                "Each {thing} may be used once or left out; a number that is there twice may be used twice."
            ),
        };
        format!(
            "{opening} {uses} You may add, subtract, multiply and divide; results on the way may be \
             fractions or negative."
        )
    }

    fn listed(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(ToString::to_string).collect();
        numbers.join(", ")
    }
}
