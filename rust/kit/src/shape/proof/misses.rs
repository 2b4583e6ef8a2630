//! Wrong proofs: those near the right one, and those of policies that search nothing.

use super::{Answer, Statement};
use crate::rng::Rng;
use crate::shared::proof::{DECLARED, Theory};
use crate::task::solution::Faults;
use crate::words::Joined as _;

/// A name that no rule and no hypothesis has.
const UNKNOWN: &str = "unknown_name";

impl Statement {
    /// The names of rules and hypotheses.
    pub(super) fn names(&self) -> Vec<&str> {
        self.rules.iter().chain(&self.hypotheses).filter_map(|line| Some(line.split_once(": ")?.0)).collect()
    }

    /// Proofs that are given up, name something unknown, stop early or do not stop, and values that refute nothing.
    pub(super) fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        let right = match self.right() {
            Answer::Proof(right) => right,
            Answer::Values(right) => return self.other_values(right, faults, rng),
        };
        let names = self.names();
        let (mut given_up, mut strange) = (right.clone(), right.clone());
        for at in faults.draw(right.len(), rng) {
            "sorry".clone_into(&mut given_up[at]);
            let mut words: Vec<&str> = right[at].split(' ').collect();
            // A line that introduces a name may give it any.
            let uses = ["apply", "rewrite", "cases"].contains(&words[0]);
            if let Some(named) = words.iter().position(|word| uses && names.contains(word)) {
                words[named] = UNKNOWN;
                strange[at] = words.into_iter().joined(" ");
            }
        }
        // A proof ends when its last goal is closed: without its last lines a goal is open, and no line can follow.
        let short = right[..right.len() - faults.of(right.len())].to_vec();
        let longer = [right.as_slice(), &right[right.len() - 1..]].concat();
        let ended = [right.as_slice(), &["qed".to_owned()]].concat();
        let mut misses = [given_up, longer, ended].map(Answer::Proof).to_vec();
        misses.extend(Some(short).filter(|lines| !lines.is_empty()).map(Answer::Proof));
        misses.extend(Some(strange).filter(|lines| *lines != right).map(Answer::Proof));
        misses.extend((!self.letters().is_empty()).then_some(Answer::Values(0)));
        misses
    }

    fn other_values(&self, right: u64, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        let (letters, (_, state)) = (self.letters().len(), self.known());
        let goal = &state.goals[0];
        let all = ((1 << letters) - 1) << DECLARED;
        let flipped = faults.draw(letters, rng).into_iter();
        let flipped = flipped.fold(right, |values, at| values ^ 1 << (usize::from(DECLARED) + at));
        let mut misses = [flipped, !right & all, 0, all].map(Answer::Values).to_vec();
        misses.retain(|miss| {
            let Answer::Values(trues) = miss else { return true };
            let kept = goal.hypotheses.iter().all(|(_, formula)| Theory::is_true(formula, *trues));
            !kept || Theory::is_true(&goal.target, *trues)
        });
        misses.push(Answer::Proof(vec!["sorry".to_owned()]));
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
