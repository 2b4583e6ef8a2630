//! Statements that differ in names and order alone are the same problem.

use std::collections::BTreeMap;

use super::Statement;
use crate::rng::Rng;
use crate::shared::proof::{DECLARED, EQUAL, Tactic, Term, Theory};
use crate::shared::refinement::{Relation, invariant};

/// Kinds of the relations of a statement's roots; those of symbols come after them.
const HYPOTHESIS: u64 = 1;
const GOAL: u64 = 2;
const RULE: u64 = 3;

impl Statement {
    /// Renames values, and symbols and rules if they have no meaning of their own, reorders hypotheses and rules, and
    /// possibly exchanges the sides of an equation.
    pub(super) fn twin(&self, renames: bool, rng: &mut Rng) -> Self {
        let turned = if rng.chance(1, 2) { self.turned() } else { None };
        turned.as_ref().unwrap_or(self).relabeled(renames, rng)
    }

    /// The other side of an equation first, if the proof does no more than rewrite the sides.
    fn turned(&self) -> Option<Self> {
        let (theory, state) = self.known();
        let [left, right] = state.goals[0].target.under(EQUAL)? else { return None };
        let line = |line: &String| match Tactic::read(line, &theory).ok()? {
            Tactic::Rewrite(mut rewrite) => {
                let side = rewrite.at.as_mut()?.first_mut()?;
                *side = 3 - *side;
                Some(Tactic::Rewrite(rewrite).write(&theory))
            }
            Tactic::Refl => Some(line.clone()),
            _ => None,
        };
        let proof = self.proof.iter().map(line).collect::<Option<Vec<_>>>()?;
        let goal = theory.write(&Term::node(EQUAL, [right.clone(), left.clone()]));
        Some(Self { goal, proof, ..self.clone() })
    }

    fn relabeled(&self, renames: bool, rng: &mut Rng) -> Self {
        let mut names = BTreeMap::new();
        let free = self.symbols.iter().filter(|_| renames).chain(&self.values);
        let mut sorts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, sort) in free.filter_map(|line| line.rsplit_once(": ")) {
            sorts.entry(sort).or_default().push(name);
        }
        for of in sorts.values() {
            let mut others = of.clone();
            rng.shuffle(&mut others);
            names.extend(of.iter().map(|name| (*name).to_owned()).zip(others.into_iter().map(str::to_owned)));
        }
        let hypotheses = reordered(&self.hypotheses, 'h', &mut names, rng);
        let rules = if renames { reordered(&self.rules, 'r', &mut names, rng) } else { self.rules.clone() };
        let rename = |line: &String| renamed(line, &names);
        Self {
            hypotheses: hypotheses.iter().map(rename).collect(),
            rules: if renames { rules.iter().map(rename).collect() } else { rules },
            goal: rename(&self.goal),
            proof: self.proof.iter().map(rename).collect(),
            ..self.clone()
        }
    }

    pub(super) fn fingerprint(&self, renames: bool) -> Vec<u8> {
        let (theory, state) = self.known();
        let mut web = Web { theory: &theory, renames, things: theory.symbols.len(), relations: Vec::new() };
        for rule in &theory.rules {
            let variables = web.things;
            web.things += rule.variables.len();
            web.root(RULE, &rule.formula, variables);
        }
        let goal = &state.goals[0];
        goal.hypotheses.iter().for_each(|(_, formula)| web.root(HYPOTHESIS, formula, 0));
        match goal.target.under(EQUAL) {
            Some(sides) => sides.iter().for_each(|side| web.root(GOAL, side, 0)),
            None => web.root(GOAL, &goal.target, 0),
        }
        invariant(web.things, &web.relations).to_be_bytes().to_vec()
    }
}

/// Numbered lines in another order; the new numbers go into `names`.
fn reordered(
    lines: &[String],
    letter: char,
    names: &mut BTreeMap<String, String>,
    rng: &mut Rng,
) -> Vec<String> {
    let mut lines = lines.to_vec();
    rng.shuffle(&mut lines);
    for (number, line) in (1..).zip(&lines) {
        let name = line.split(':').next().unwrap_or_default();
        names.insert(name.to_owned(), format!("{letter}{number}"));
    }
    lines
}

/// The text with names replaced, and with them those that `cases` makes of them, like `h1_2`.
fn renamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let word = &rest[start..];
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let head = word[..end].find('_').unwrap_or(end);
        written.push_str(&rest[..start]);
        match names.get(&word[..head]) {
            Some(other) => written.extend([other.as_str(), &word[head..end]]),
            None => written.push_str(&word[..end]),
        }
        rest = &word[end..];
    }
    written + rest
}

/// The parts of formulas as things: symbols first, then variables and every place.
struct Web<'t> {
    theory: &'t Theory,
    renames: bool,
    things: usize,
    relations: Vec<Relation>,
}

impl Web<'_> {
    fn root(&mut self, kind: u64, formula: &Term, variables: usize) {
        let thing = self.thing(formula, variables);
        self.relations.push(Relation { kind, members: vec![(0, thing)] });
    }

    fn thing(&mut self, term: &Term, variables: usize) -> usize {
        let Term::Node(symbol, arguments) = term else {
            return match term {
                Term::Variable(number, _) => variables + usize::from(*number),
                _ => 0,
            };
        };
        let own = &self.theory.symbols[usize::from(*symbol)];
        let parts: Vec<usize> = arguments.iter().map(|part| self.thing(part, variables)).collect();
        let place = self.things;
        self.things += 1;
        let mut members: Vec<(u64, usize)> = (1..).zip(parts).collect();
        members.push((0, place));
        let free = *symbol >= DECLARED && (self.renames || own.arbitrary);
        let kind = if free {
            members.push((9, usize::from(*symbol)));
            RULE + 1
        } else {
            own.name.bytes().fold(RULE + 2, |kind, byte| kind.wrapping_mul(257).wrapping_add(byte.into()))
        };
        self.relations.push(Relation { kind, members });
        place
    }
}
