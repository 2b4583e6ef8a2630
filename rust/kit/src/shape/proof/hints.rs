//! Hints for lines of a proof: what to do with which hypothesis, but never both in full.

use super::Statement;
use crate::shared::proof::{Tactic, Theory};

impl Statement {
    /// A hint for each step of the solution.
    pub(super) fn hints(&self) -> Vec<String> {
        if self.proof.is_empty() {
            let hint = "Look for values of the letters with which all hypotheses hold and the goal fails.";
            return vec![hint.to_owned(); self.letters().len()];
        }
        let theory = self.theory().expect("`check` has read it");
        let names = self.names();
        let tactic = |line: &String| Tactic::read(line, &theory).expect("`check` has read it");
        self.proof.iter().map(|line| hint(&tactic(line), &theory, &|name| names.contains(&name))).collect()
    }
}

/// A hint that leads to a tactic for the first goal. It names a hypothesis only if that `is_shown`.
pub fn hint(tactic: &Tactic, theory: &Theory, is_shown: &dyn Fn(&str) -> bool) -> String {
    match tactic {
        Tactic::Intro(_) => "Assume what the first goal assumes.".to_owned(),
        Tactic::Apply(_, with) if with.is_empty() => {
            "Look for a rule or a hypothesis that ends in the first goal.".to_owned()
        }
        Tactic::Apply(..) => {
            "Look for a rule or a hypothesis that ends in the first goal once its variables have values."
                .to_owned()
        }
        Tactic::Rewrite(rewrite) if is_shown(&rewrite.rule) => {
            format!("Use {} as an equation, somewhere in the first goal.", rewrite.rule)
        }
        Tactic::Rewrite(_) => "Use a hypothesis as an equation, somewhere in the first goal.".to_owned(),
        Tactic::Refl => "Compare both sides of the first goal.".to_owned(),
        Tactic::Split => "Prove the parts of the first goal one after the other.".to_owned(),
        Tactic::Left | Tactic::Right => "Choose one part of the first goal, and prove that.".to_owned(),
        Tactic::Cases(name) if is_shown(name) => format!("Take {name} apart."),
        Tactic::Cases(_) => "Take a hypothesis apart that came up on the way.".to_owned(),
        Tactic::Exfalso => "Forget the first goal: the hypotheses contradict each other.".to_owned(),
        Tactic::ByContra(_) => "Suppose the opposite of the first goal.".to_owned(),
        Tactic::Have(..) => "Prove a lemma first.".to_owned(),
        Tactic::Induction(value) => {
            let name = &theory.symbols[usize::from(*value)].name;
            format!("Prove the first goal for every form that {name} can have, from the simplest on.")
        }
        Tactic::Sorry => "Nothing proves the first goal.".to_owned(),
    }
}
