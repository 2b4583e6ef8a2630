//! Prove a fact about people from other facts, by rules with variables that are applied backward.

mod wording;

use std::collections::BTreeSet;

use kit::prelude::*;
use kit::shape::proof::{self, Claim, Statement, Subject};
use kit::shared::proof::prove;

pub struct ProveHorn;

params! {
    pub struct ProveHornParams {
        /// Lines of the proof by which the goal is made.
        lines: u32 [1..=17],
        /// Additional rules, and as many additional facts, which the proof does without.
        distractors: u32 [1..=9],
    }
    levels {
        (1, 8),
        (2, 6),
        (3, 6),
        (4, 7),
        (6, 7),
        (8, 8),
        (11, 8),
        (15, 9),
    }
    default 2
}

const PEOPLE: [&str; 8] = ["ann", "bob", "cy", "dan", "eve", "fay", "gus", "hal"];
/// Predicates of one person, and of two.
const ONE: [&str; 6] = ["busy", "calm", "kind", "late", "tall", "wise"];
const TWO: [&str; 8] = ["admires", "calls", "helps", "hires", "knows", "likes", "pays", "trusts"];
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];
/// Counted steps of the search for a shorter proof.
const SEARCH: u64 = 20_000;

impl TaskFamily for ProveHorn {
    type Params = ProveHornParams;
    type Problem = Claim<Clauses>;

    const ABOUT: About = About {
        summary: "Prove a fact from other facts, by rules with variables that are applied backward.",
        guess_rate: 0.12,
        guess_score: 0.12,
        skills: &["proof", "unification", "backward_chaining", "relevance"],
        ..Claim::<Clauses>::about("logic", "prove_horn", &["First version."])
    };

    /// Unfolds the goal into premises of a rule, and these again, until only facts remain; the rules and facts in
    /// the order in which they are drawn are the proof.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self::Problem> {
        loop {
            budget.spend(1_000)?;
            let mut drawn = Drawing::default();
            let goal = Atom::drawn(&[*rng.pick(&PEOPLE)], rng);
            drawn.unfold(&goal, params.lines as usize, rng);
            for _ in 0..params.distractors {
                let people = [*rng.pick(&PEOPLE)];
                let (head, fact) = (Atom::drawn(&people, rng), Atom::drawn(&people, rng));
                let premises = head.premises(1 + rng.index(2), rng);
                drawn.rules.push(rule(&premises, &head));
                drawn.facts.push(fact.text());
            }
            let Some(statement) = drawn.statement(&goal, rng) else { continue };
            let claim = Claim::new(statement);
            if !budget.wants(|| claim.fingerprint())? {
                continue;
            }
            if claim.check().is_err() || claim.certify(budget).is_err() {
                continue;
            }
            let (theory, state) = claim.read().expect("it was checked");
            let search = &mut Budget::new(SEARCH);
            let shorter = prove(&theory, &state, params.lines as usize - 1, search);
            budget.spend(search.spent())?;
            if !matches!(shorter, Ok(Some(_))) {
                return Ok(claim);
            }
        }
    }
}

/// A statement about one or two people.
#[derive(Clone, PartialEq)]
struct Atom {
    predicate: &'static str,
    people: Vec<&'static str>,
}

impl Atom {
    /// A statement about all of these people, one or two, and perhaps about another.
    fn drawn(people: &[&'static str], rng: &mut Rng) -> Self {
        let mut people = people.to_vec();
        if people.len() == 1 && rng.chance(1, 2) {
            people.push(other(&people, rng));
        }
        Self::about(people, rng)
    }

    fn about(people: Vec<&'static str>, rng: &mut Rng) -> Self {
        let predicate = if people.len() == 1 { *rng.pick(&ONE) } else { *rng.pick(&TWO) };
        Self { predicate, people }
    }

    /// One or two statements from which a rule may derive this one.
    fn premises(&self, count: usize, rng: &mut Rng) -> Vec<Self> {
        if count == 1 {
            // A rule from a statement to itself would derive nothing.
            let mut premise = Self::drawn(&self.people, rng);
            while premise == *self {
                premise = Self::drawn(&self.people, rng);
            }
            return vec![premise];
        }
        // Two statements share a person whom the derived one need not mention.
        let (first, last) = (self.people[0], self.people[self.people.len() - 1]);
        let shared = other(&self.people, rng);
        let one = if rng.chance(1, 2) { [first, shared] } else { [shared, first] };
        let two: &[&'static str] =
            if self.people.len() == 1 && rng.chance(1, 2) { &[shared] } else { &[shared, last] };
        vec![Self::about(one.to_vec(), rng), Self::about(two.to_vec(), rng)]
    }

    fn text(&self) -> String {
        format!("{}({})", self.predicate, self.people.iter().listed())
    }
}

fn other(people: &[&'static str], rng: &mut Rng) -> &'static str {
    let others: Vec<&'static str> = PEOPLE.into_iter().filter(|person| !people.contains(person)).collect();
    others[rng.index(others.len())]
}

/// The rule that says of everybody what these statements say of some people.
fn rule(premises: &[Atom], head: &Atom) -> String {
    let mut met: Vec<&str> = Vec::new();
    let mut general = |atom: &Atom| {
        let variable = |person: &&'static str| {
            let at = met.iter().position(|known| known == person).unwrap_or_else(|| {
                met.push(person);
                met.len() - 1
            });
            VARIABLES[at]
        };
        format!(
            "{}({})",
            atom.predicate,
            atom.people.iter().map(variable).collect::<Vec<_>>().iter().listed()
        )
    };
    premises.iter().chain([head]).map(&mut general).collect::<Vec<_>>().iter().joined(" -> ")
}

/// Rules and facts without their names; the proof names them by number, rules first.
#[derive(Default)]
struct Drawing {
    rules: Vec<String>,
    facts: Vec<String>,
    proof: Vec<(bool, usize)>,
}

fn place(lines: &mut Vec<String>, line: String) -> usize {
    lines.iter().position(|known| *known == line).unwrap_or_else(|| {
        lines.push(line);
        lines.len() - 1
    })
}

impl Drawing {
    /// Proves an atom in so many lines.
    fn unfold(&mut self, atom: &Atom, lines: usize, rng: &mut Rng) {
        if lines == 1 {
            let at = place(&mut self.facts, atom.text());
            self.proof.push((false, at));
            return;
        }
        let count = if lines > 2 { 1 + usize::from(rng.chance(3, 4)) } else { 1 };
        let premises = atom.premises(count, rng);
        let at = place(&mut self.rules, rule(&premises, atom));
        self.proof.push((true, at));
        let first = if count == 1 { lines - 1 } else { 1 + rng.index(lines - 2) };
        self.unfold(&premises[0], first, rng);
        if count == 2 {
            self.unfold(&premises[1], lines - 1 - first, rng);
        }
    }

    /// Everything in another order, with names; `None` if something comes twice.
    fn statement(self, goal: &Atom, rng: &mut Rng) -> Option<Statement> {
        let distinct = |lines: &[String]| lines.iter().collect::<BTreeSet<_>>().len() == lines.len();
        if !distinct(&self.rules) || !distinct(&self.facts) {
            return None;
        }
        let mut orders = [self.rules.len(), self.facts.len()].map(|count| (0..count).collect::<Vec<_>>());
        for order in &mut orders {
            rng.shuffle(order);
        }
        let named = |letter: char, order: &[usize], lines: &[String]| -> Vec<String> {
            (1..).zip(order).map(|(number, at)| format!("{letter}{number}: {}", lines[*at])).collect()
        };
        let number = |of_rules: bool, at: usize| {
            let order = &orders[usize::from(!of_rules)];
            1 + order.iter().position(|known| *known == at).unwrap_or_default()
        };
        let line = |(of_rules, at): &(bool, usize)| {
            format!("apply {}{}", if *of_rules { 'r' } else { 'h' }, number(*of_rules, *at))
        };
        let [symbols, values] = vocabulary();
        Some(Statement {
            symbols,
            values,
            rules: named('r', &orders[0], &self.rules),
            constructors: Vec::new(),
            hypotheses: named('h', &orders[1], &self.facts),
            goal: goal.text(),
            proof: self.proof.iter().map(line).collect(),
        })
    }
}

/// The symbols and the values of every problem.
fn vocabulary() -> [Vec<String>; 2] {
    let one = ONE.iter().map(|name| format!("{name}: person -> prop"));
    let two = TWO.iter().map(|name| format!("{name}: person person -> prop"));
    [one.chain(two).collect(), PEOPLE.iter().map(|name| format!("{name}: person")).collect()]
}

/// Facts and rules about people.
#[derive(Clone)]
pub struct Clauses;

impl Subject for Clauses {
    const PROMPTS: &'static [Prompt] = wording::PROMPTS;
    const RENAMES: bool = true;
    const TRIED: u64 = 40;

    fn slots(_: &Statement, slots: &mut Slots<'_>) {
        wording::fill(slots);
    }

    fn check(statement: &Statement) -> Result<(), String> {
        let [symbols, values] = vocabulary();
        check::that(statement.symbols == symbols && statement.values == values, || {
            "`symbols` and `values` must be those of every problem of this family".to_owned()
        })?;
        check::length("constructors", &statement.constructors, 0..=0, "symbols")?;
        check::length("rules", &statement.rules, 1..=30, "rules")?;
        check::length("proof", &statement.proof, 1..=proof::MOST_LINES, "lines")?;
        for (number, line) in (1..).zip(&statement.rules) {
            let named = line.starts_with(&format!("r{number}: ")) && line.len() <= 200;
            check::that(named, || {
                format!("`rules` has {}, but must have a short r{number} there", quoted(line))
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
