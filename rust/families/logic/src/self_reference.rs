//! Find the true statements of a list whose statements are about the list itself.

mod claim;
mod drawing;

use std::collections::BTreeSet;

use claim::{Claim, Claims, Counted, LEAST, MOST};
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::csp::{Csp, Why};
use kit::shared::refinement::{self, Relation};

pub struct SelfReference;

params! {
    pub struct SelfReferenceParams {
        /// Number of statements.
        statements: u32 [4..=16],
        /// Statements of which one counts the true or false ones: one or two others (`pairs`), also three, four or more
        /// (`groups`), also the whole list (`whole`).
        claims: Claims,
        /// Statements about the length of the list, which are decided at once.
        lengths: u32 [0..=2],
        /// True if a reader may reach the answer who starts anywhere and corrects one statement after the other.
        settles: bool,
    }
    levels {
        (4, Claims::Pairs, 1, true),
        (5, Claims::Pairs, 1, true),
        (5, Claims::Groups, 1, true),
        (6, Claims::Whole, 1, true),
        (6, Claims::Whole, 0, false),
        (7, Claims::Whole, 0, false),
        (8, Claims::Whole, 0, false),
        (10, Claims::Whole, 0, false),
        (12, Claims::Whole, 0, false),
        (14, Claims::Whole, 0, false),
        (16, Claims::Whole, 0, false),
    }
    default 3
}

problem! {
    /// Statements, and which of them are true: no other choice agrees with what they say.
    pub struct List {
        statements: Vec<Claim> [items(LEAST..=MOST, "statements", ())],
        truths: Vec<bool> [claim, items(statements.len()..=statements.len(), "truths", ())],
    }
}

/// Ordinals without digits, which could be read as an answer.
const PLACES: [&str; MOST] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
];
impl TaskFamily for SelfReference {
    type Params = SelfReferenceParams;
    type Problem = Value<List>;

    const ABOUT: About = About {
        summary: "Find the true statements of a list whose statements are about the list itself.",
        skills: &["case_analysis", "counting", "negation", "proof_by_contradiction"],
        distinct_from: 1,
        guess_rate: 0.08,
        guess_score: 0.08,
        ..Value::<List>::about("logic", "self_reference", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<List>> {
        List::draw(params, rng, budget).map(Value)
    }
}

impl List {
    fn rules(&self) -> impl Iterator<Item = Counted> {
        let count = self.statements.len();
        self.statements.iter().enumerate().map(move |(at, claim)| claim.rule(at, count))
    }

    fn truth_bits(&self) -> u32 {
        bits_of(&self.truths)
    }

    fn says(&self, at: usize) -> String {
        self.statements[at].words(at, self.statements.len())
    }
}

fn bits(indices: impl IntoIterator<Item = usize>) -> u32 {
    indices.into_iter().fold(0, |bits, at| bits | 1 << at)
}

fn bits_of(truths: &[bool]) -> u32 {
    bits((0..truths.len()).filter(|at| truths[*at]))
}

/// Numbers of the statements that are true, counted from 1.
fn numbers(truths: u32) -> BTreeSet<usize> {
    (0..MOST).filter(|at| truths >> at & 1 == 1).map(|at| at + 1).collect()
}

impl Exact for List {
    type Of = BTreeSet<usize>;

    const HALF: u64 = 60;
    const PARTS: &'static [Part] = &[Part::new(
        "agreeing",
        "share of the statements that are listed as true exactly if what they say holds",
    )];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "riddle",
            "Here is a list of {count} statements about the list itself.\n\n{statements:{number}. {says}}\n\nEach \
             statement is either true or false: it is true if what it says is the case, and false if \
             not.{even? Zero counts as even.} A statement that counts the true or false ones of several counts itself \
             wherever it is one of them. Only one choice of true statements is consistent with all this. Which statements are true?",
        ),
        Prompt::new(
            "message",
            "My sister has sent me this list, and each of its {count} statements is about the list!\n\n\
             {statements:({number}) {says}}\n\nShe swears that it can be decided in exactly one way which of them are \
             true and which are false so that every true statement says what is so, and every false one what is not. \
             {even?She says that 0 is an even number. }Where one of them counts how many of several statements are \
             true or false, it counts itself as well if it is one of those. Can you tell me which statements are true?",
        ),
        Prompt::new(
            "exercise",
            "Exercise. Assign a truth value to each of the {count} statements of the list below, in such a way that a \
             statement is assigned \"true\" if and only if its content holds under the assignment. {even?Zero is \
             even. }A statement that counts true or false \
             statements counts itself, too, wherever it belongs to those counted.\n\n{statements:Statement \
             {number}: {says}}\n\nThe assignment is unique. State which of the statements are true under it.",
        ),
        Prompt::held_out(
            "notice",
            "On the door of the Liars' Club hangs a list of {count} statements:\n\n{statements:{number} - {says}}\n\n\
             Nobody gets in who cannot say which of them are true. A false statement never happens to say what is the \
             case, a true one always does, and no second way to divide them into true and false ones fits that. A statement that counts the true or false ones \
             of a group counts itself if it belongs to the group{even?, and 0 counts as even}. Which \
             are the true ones?",
        ),
        Prompt::held_out(
            "program",
            "A program tries every list of {count} booleans, truth[1] to truth[{count}], and prints the only one in \
             which, for each i, truth[i] is True exactly when sentence i of this list of statements \
             holds:\n\n{statements:{number}: {says}}\n\nFor the program, statement i is true if truth[i] is True and \
             false otherwise, whether the sentence is about itself or about others{even?; 0 is an even number}. For which i is truth[i] True?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots
            .text("count", self.statements.len())
            .either("even", self.statements.iter().any(Claim::is_about_parity));
        slots.lines("statements", 0..self.statements.len(), |line, at| {
            line.text("number", at + 1).text("says", self.says(at));
        });
    }

    fn form(&self) -> impl Form<Read = BTreeSet<usize>> {
        form::Choices { count: self.statements.len(), what: "true statements" }
    }

    fn value(&self) -> BTreeSet<usize> {
        numbers(self.truth_bits())
    }

    fn what(&self) -> String {
        "the only consistent choice".to_owned()
    }

    fn diagnosed(&self, wrong: &BTreeSet<usize>, plain: Failure) -> Failure {
        let truths = bits(wrong.iter().map(|number| number - 1));
        let kept: Vec<bool> = self.rules().map(|rule| rule.agrees(truths)).collect();
        let share = kept.iter().filter(|agrees| **agrees).count() as f32 / kept.len() as f32;
        let Some(at) = kept.iter().position(|agrees| !agrees) else { return plain };
        let [listed, holds] =
            if truths >> at & 1 == 1 { ["true", "does not hold"] } else { ["false", "holds"] };
        let detail =
            format!("statement {} is {listed} in this answer, but {holds} then: {}", at + 1, self.says(at));
        Failure::wrong(detail).part("agreeing", share)
    }

    /// Other choices, which no statement list with one consistent choice allows: some truths turned, one exchanged for
    /// another, or all.
    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<BTreeSet<usize>> {
        let (count, truths) = (self.statements.len(), self.truth_bits());
        let turned = |mistaken: Vec<usize>| numbers(truths ^ bits(mistaken));
        let mut misses: Vec<_> = (0..3).map(|_| turned(faults.draw(count, rng))).collect();
        let [yes, no] =
            [true, false].map(|is| (0..count).filter(|at| self.truths[*at] == is).collect::<Vec<_>>());
        if !yes.is_empty() && !no.is_empty() {
            misses.push(turned(vec![*rng.pick(&yes), *rng.pick(&no)]));
        }
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, BTreeSet<usize>)> {
        let all = bits(0..self.statements.len());
        vec![
            ("a coin for every statement", numbers(rng.word() as u32 & all)),
            ("all are true", numbers(all)),
            ("all are false", numbers(0)),
            ("every other one is true", numbers(all & 0x5555)),
        ]
    }

    /// Readers who correct one statement after the other, from top to bottom and again, or who believe what is vague.
    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, BTreeSet<usize>)> {
        let (count, all) = (self.statements.len(), bits(0..self.statements.len()));
        let vague = |at: &usize| {
            let claim = self.statements.get(*at);
            claim.is_some_and(|claim| {
                claim.is_vague() || claim.is_about_length() && claim.rule(*at, count).holds(0)
            })
        };
        vec![
            ("all true, then corrected", numbers(self.corrected(all))),
            ("what is vague is true, what is exact is false", numbers(bits((0..MOST).filter(vague)))),
            ("coins, then corrected", numbers(self.corrected(rng.word() as u32 & all))),
        ]
    }

    /// By what the statements say one by one, and by contradiction where that leads no further.
    fn work(&self, work: &mut Work) {
        let mut csp = Csp::new(self.statements.len(), 0b11);
        self.rules().for_each(|rule| csp.require(rule));
        let truths: Vec<u8> = self.truths.iter().map(|is| u8::from(*is)).collect();
        let path = csp.solve_path(&csp.domains(), &truths);
        work.spend(path.cost);
        for step in path.steps {
            let [is, other] = if step.value == 1 { ["true", "false"] } else { ["false", "true"] };
            let (number, place) = (step.variable + 1, PLACES[step.variable]);
            let (hint, says) = match step.why {
                Why::Tried(_) => (
                    format!("Try both truth values of the {place} statement."),
                    format!(
                        "If statement {number} were {other}, there would be a contradiction; so it is {is}."
                    ),
                ),
                Why::OnlyValue(by) | Why::OnlyPlace(by) if by == step.variable => (
                    format!("Ask whether what the {place} statement says can still be so."),
                    format!("Statement {number} is {is}, by what it says itself."),
                ),
                Why::OnlyValue(by) | Why::OnlyPlace(by) => (
                    format!("Ask what the {} statement leaves to the {place} one.", PLACES[by]),
                    format!("Statement {} leaves one choice: statement {number} is {is}.", by + 1),
                ),
            };
            work.hinted(1, hint, says);
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let (count, truths) = (self.statements.len(), self.truth_bits());
        for (at, rule) in self.rules().enumerate() {
            check::that(self.statements[at].fits(count), || {
                format!("`statements[{at}]` is about a statement that the list does not have")
            })?;
            check::that(rule.agrees(truths), || format!("`truths` contradict `statements[{at}]`"))?;
        }
        Ok(())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let choices = 1u64 << self.statements.len();
        budget.spend(choices).map_err(|over| over.to_string())?;
        check::that(self.is_unique(), || {
            "another choice of `truths` agrees with the `statements`".to_owned()
        })?;
        Ok(Certificate::unique(format!(
            "of {choices} choices of true statements, one agrees with what all say"
        )))
    }

    /// Another statement for one, or one statement more or less to think about.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        self.changed(aim, rng)
    }

    /// The statements in another order.
    fn disguised(self, rng: &mut Rng) -> Self {
        self.reordered(rng)
    }

    /// The claims and the statements that they are about, in any order.
    fn identity(&self) -> Vec<u8> {
        let relation = |(at, rule): (usize, Counted)| {
            let of = (0..MOST).filter(|other| rule.mask >> other & 1 == 1).map(|other| (1, other));
            Relation { kind: rule.numbers.into(), members: of.chain([(0, at)]).collect() }
        };
        let relations: Vec<Relation> = self.rules().enumerate().map(relation).collect();
        refinement::invariant(self.statements.len(), &relations).to_be_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    fn list(statements: &str, truths: &[bool]) -> Value<List> {
        let list =
            Value(List { statements: serde_json::from_str(statements).unwrap(), truths: truths.to_vec() });
        list.check().unwrap();
        list
    }

    /// The old riddle of statements that say how many are false: the last but one is true.
    #[test]
    fn statement_by_statement_one_more_is_false() {
        let says = |number| format!(r#"{{"bound":"exactly","number":{number},"of":[0,1,2,3],"are":false}}"#);
        let known = list(&format!("[{}]", [1, 2, 3, 4].map(says).join(",")), &[false, false, true, false]);
        assert!(known.certify(&mut Budget::new(100)).unwrap().unique);
        passes(&known, "3");
        let why = "statement 1 is false in this answer, but holds then: Exactly 1 of the statements in this list is false.";
        fails(&known, "2, 3, 4", label::WRONG_ANSWER, why);
        let said = refused(&known, |json| json["truths"][3] = true.into());
        assert_eq!(said, "`truths` contradict `statements[1]`");
    }

    #[test]
    fn two_choices_are_not_one() {
        let is = |other| format!(r#"{{"bound":"exactly","number":1,"of":[{other}],"are":true}}"#);
        let circle = list(&format!("[{}]", [1, 2, 0].map(is).join(",")), &[true; 3]);
        assert!(circle.certify(&mut Budget::new(100)).is_err());
    }
}
