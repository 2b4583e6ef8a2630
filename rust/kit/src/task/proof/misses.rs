//! Wrong proofs: those near the right one, and those of policies that search nothing.

use super::{Answer, Statement};
use crate::budget::Budget;
use crate::rng::Rng;
use crate::shared::proof::DECLARED;
use crate::task::permutation;
use crate::task::solution::Faults;
use crate::words::Joined as _;

impl Statement {
    /// The names of rules and hypotheses.
    pub(super) fn names(&self) -> Vec<&str> {
        self.rules.iter().chain(&self.hypotheses).filter_map(|line| Some(line.split_once(": ")?.0)).collect()
    }

    /// Proofs with lines left out, exchanged, given up or about other rules, and values that refute nothing.
    pub(super) fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        let right = match self.right() {
            Answer::Proof(right) => right,
            Answer::Values(right) => return self.other_values(right, faults, rng),
        };
        let names = self.names();
        let spoilt = faults.draw(right.len(), rng);
        let (mut given_up, mut other) = (right.clone(), right.clone());
        for at in &spoilt {
            "sorry".clone_into(&mut given_up[*at]);
            let mut words: Vec<&str> = right[*at].split(' ').collect();
            if let Some(named) = words.iter().position(|word| names.contains(word)) {
                words[named] = *rng.pick(&names);
                other[*at] = words.into_iter().joined(" ");
            }
        }
        let kept = (0..right.len()).filter(|at| !spoilt.contains(at)).map(|at| right[at].clone()).collect();
        let short = right[..right.len() - faults.of(right.len())].to_vec();
        let mut misses = [given_up, other, kept, short].map(Answer::Proof).to_vec();
        if right.len() > 1 {
            let places: Vec<usize> = (0..right.len()).collect();
            let swapped = permutation::swapped(&places, faults, rng);
            misses.push(Answer::Proof(swapped.into_iter().map(|at| right[at].clone()).collect()));
        }
        misses.retain(|miss| {
            *miss != Answer::Proof(Vec::new()) && self.verify(miss, &mut Budget::unlimited()).is_err()
        });
        misses
    }

    fn other_values(&self, right: u64, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        let letters = self.letters().len();
        let all = ((1 << letters) - 1) << DECLARED;
        let flipped = faults.draw(letters, rng).into_iter();
        let flipped = flipped.fold(right, |values, at| values ^ 1 << (usize::from(DECLARED) + at));
        let mut misses = [flipped, !right & all, 0, all].map(Answer::Values).to_vec();
        misses.push(Answer::Proof(vec!["sorry".to_owned()]));
        misses.retain(|miss| self.verify(miss, &mut Budget::unlimited()).is_err());
        misses
    }

    /// Lines that look like tactics, and values.
    pub(super) fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Answer)> {
        let names = self.names();
        let about = names.iter().flat_map(|name| [format!("apply {name}"), format!("rewrite {name}")]);
        let alone = ["intro h", "split", "left", "right", "refl", "exfalso"].map(str::to_owned);
        let lines: Vec<String> = about.chain(alone).collect();
        let mut draw = |count: usize| (0..count).map(|_| rng.pick(&lines).clone()).collect();
        let [one, two] = [1, 2].map(|count| Answer::Proof(draw(count)));
        let mut guesses = vec![("any tactic", one), ("any two tactics", two)];
        let letters = self.letters().len();
        if letters > 0 {
            let any = |values: u64| Answer::Values(values << DECLARED);
            let all = (1u64 << letters) - 1;
            guesses.extend([
                ("any values", any(rng.word() & all)),
                ("all true", any(all)),
                ("all false", any(0)),
            ]);
        }
        guesses
    }
}
