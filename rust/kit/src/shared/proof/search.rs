//! Finds proofs in counted steps. Nothing here is trusted: what it finds is applied like any other line.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::hash::Hash as _;

use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::state::{Goal, State};
use super::tactic::{Rewrite, Tactic};
use super::term::{AND, EQUAL, FALSE, IMPLIES, NOT, OR, PROP, Term};
use super::theory::Theory;
use crate::budget::{Budget, OverBudget};

/// Rewrites of a term, each with its result: no position and no direction is left out but those that would need a
/// value for a variable or would fit every term.
pub fn rewrites(theory: &Theory, goal: &Goal, term: &Term) -> Vec<(Rewrite, Term)> {
    applied(theory, goal, term, &|from, _| !matches!(from, Term::Variable(..)), &mut |_, _| None)
}

/// Rewrites of a term by which it grows: those that [`rewrites`] leaves out, with drawn values.
pub fn introductions(
    theory: &Theory,
    goal: &Goal,
    term: &Term,
    draw: &mut dyn FnMut(&str, u8) -> Option<Term>,
) -> Vec<(Rewrite, Term)> {
    applied(theory, goal, term, &|from, to| from.size() <= to.size(), draw)
}

fn applied(
    theory: &Theory,
    goal: &Goal,
    term: &Term,
    fits: &dyn Fn(&Term, &Term) -> bool,
    draw: &mut dyn FnMut(&str, u8) -> Option<Term>,
) -> Vec<(Rewrite, Term)> {
    let rules =
        theory.rules.iter().map(|rule| (rule.name.as_str(), rule.variables.as_slice(), &rule.formula));
    let known = goal.hypotheses.iter().map(|(name, formula)| (&**name, &[][..], formula));
    let positions = term.positions();
    let mut found = Vec::new();
    for (name, variables, formula) in rules.chain(known) {
        let Some([left, right]) = formula.under(EQUAL).and_then(|sides| <&[Term; 2]>::try_from(sides).ok())
        else {
            continue;
        };
        for (backward, from, to) in [(false, left, right), (true, right, left)] {
            if !fits(from, to) {
                continue;
            }
            for at in &positions {
                let mut values = vec![None; variables.len()];
                let part = term.at(at).expect("the position is the term's own");
                if theory.sort_of(part) == PROP
                    || !from.matches(part, &mut values, &|term| theory.sort_of(term))
                {
                    continue;
                }
                for ((variable, sort), value) in variables.iter().zip(&mut values) {
                    if value.is_none() {
                        *value = draw(variable, *sort);
                    }
                }
                if let Some(made) = to.instance(&values).filter(|made| made != part) {
                    let rewrite =
                        Rewrite { backward, rule: name.to_owned(), at: Some(at.clone()), with: Vec::new() };
                    found.push((rewrite, term.put(at, made)));
                }
            }
        }
    }
    found
}

/// Tactics worth trying on the first goal, in a fixed order. One that loses nothing comes alone.
pub fn candidates(theory: &Theory, state: &State) -> Vec<Tactic> {
    moves(theory, state).into_iter().map(|(tactic, _)| tactic).collect()
}

/// The candidates, each with the state after it; `None` if a rewrite would make a formula too large.
fn moves(theory: &Theory, state: &State) -> Vec<(Tactic, Option<State>)> {
    let Some(goal) = state.goals.first() else { return Vec::new() };
    let next = |tactic: &Tactic| state.apply(tactic, theory).ok();
    let applied = |tactic: Tactic| next(&tactic).map(|next| (tactic, Some(next)));
    if let Some(sure) = sure(goal, theory).into_iter().find_map(applied) {
        return vec![sure];
    }
    let mut all = Vec::new();
    if goal.target.under(OR).is_some() {
        all.extend([Tactic::Left, Tactic::Right].into_iter().filter_map(applied));
    }
    let names = goal.hypotheses.iter().map(|(name, _)| name.to_string());
    let names = names.chain(theory.rules.iter().map(|rule| rule.name.clone()));
    all.extend(names.map(|name| Tactic::Apply(name, Vec::new())).filter_map(applied));
    if let Some(sides) = goal.target.under(EQUAL) {
        for (side, term) in (1u8..).zip(sides) {
            all.extend(rewrites(theory, goal, term).into_iter().map(|(mut rewrite, _)| {
                rewrite.at.get_or_insert_default().insert(0, side);
                let tactic = Tactic::Rewrite(rewrite);
                let next = next(&tactic);
                (tactic, next)
            }));
        }
    }
    let is_value = |number: &u16| theory.symbols[usize::from(*number)].arbitrary;
    all.extend((0..theory.symbols.len() as u16).filter(is_value).map(Tactic::Induction).filter_map(applied));
    let denied = Term::node(NOT, [goal.target.clone()]);
    let classical =
        goal.target.under(FALSE).is_none() && !goal.hypotheses.iter().any(|(_, known)| *known == denied);
    if classical && theory.is_propositional() {
        let tactic = Tactic::ByContra(goal.free("h"));
        let next = next(&tactic);
        all.push((tactic, next));
    }
    all
}

/// Tactics after which the goal can be proved if it could be before.
fn sure(goal: &Goal, theory: &Theory) -> Vec<Tactic> {
    let mut sure = Vec::new();
    let same = goal.hypotheses.iter().filter(|(_, formula)| *formula == goal.target && !formula.has_meta());
    sure.extend(same.map(|(name, _)| Tactic::Apply(name.to_string(), Vec::new())).take(1));
    let opens =
        |formula: &Term, symbols: &[u16]| symbols.iter().any(|symbol| formula.under(*symbol).is_some());
    let closing = goal.hypotheses.iter().filter(|(_, formula)| opens(formula, &[FALSE]));
    let parts = goal.hypotheses.iter().filter(|(_, formula)| opens(formula, &[AND]));
    let cases = goal.hypotheses.iter().filter(|(_, formula)| opens(formula, &[OR]));
    sure.extend(closing.chain(parts).map(|(name, _)| Tactic::Cases(name.to_string())));
    if opens(&goal.target, &[IMPLIES, NOT]) {
        sure.push(Tactic::Intro(goal.free("h")));
    }
    if goal.target.under(AND).is_some() {
        sure.push(Tactic::Split);
    }
    sure.extend(cases.map(|(name, _)| Tactic::Cases(name.to_string())));
    sure.push(Tactic::Refl);
    if !theory.is_propositional() {
        sure.retain(|tactic| {
            !matches!(tactic, Tactic::Cases(_)) || goal.formulas().all(|formula| !formula.has_meta())
        });
    }
    sure
}

/// A proof of all goals that a search finds, if it finds one within the budget.
pub fn prove(
    theory: &Theory,
    state: &State,
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Tactic>>, OverBudget> {
    let open = state.goals.iter().any(|goal| goal.formulas().any(Term::has_meta));
    if open || state.sorry || state.is_over() {
        return searched(theory, state, most, budget);
    }
    // Goals without open terms do not depend on each other.
    let mut proof = Vec::new();
    for goal in &state.goals {
        let alone = State { goals: vec![goal.clone()], sorry: false };
        let part = if goal.target.under(EQUAL).is_some() {
            equated(theory, &alone, most, budget)?
        } else {
            searched(theory, &alone, most, budget)?
        };
        let Some(part) = part else { return Ok(None) };
        proof.extend(part);
    }
    Ok((proof.len() <= most).then_some(proof))
}

/// Number of tactics of the proof that [`prove`] finds; 0 if nothing is left to prove.
pub fn distance(theory: &Theory, state: &State, most: usize, budget: &mut Budget) -> Option<usize> {
    prove(theory, state, most, budget).ok().flatten().map(|proof| proof.len())
}

/// Fewest tactics first, where each open goal takes one at least.
fn searched(
    theory: &Theory,
    state: &State,
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Tactic>>, OverBudget> {
    let mut states: Vec<Reached> = vec![(state.clone(), 0, None)];
    let mut seen = BTreeSet::from([identity(state)]);
    let mut queue = BinaryHeap::from([Reverse((state.goals.len(), 0usize))]);
    while let Some(Reverse((_, at))) = queue.pop() {
        let (state, steps, _) = states[at].clone();
        if state.is_over() {
            return Ok(state.is_proved().then(|| path(&states, at)));
        }
        let size: usize = state.goals[0].formulas().map(Term::size).sum();
        for (tactic, next) in moves(theory, &state) {
            budget.spend(4 + size as u64)?;
            let Some(next) = next else { continue };
            let least = steps + 1 + next.goals.len();
            if least <= most && seen.insert(identity(&next)) {
                queue.push(Reverse((least, states.len())));
                states.push((next, steps + 1, Some((at, tactic))));
            }
        }
    }
    Ok(None)
}

/// A number that equal states share, and no others among those of a search: comparing numbers is fast.
fn identity(state: &State) -> u128 {
    let mut hasher = SipHasher13::new();
    state.hash(&mut hasher);
    hasher.finish128().as_u128()
}

/// A state, its number of steps, and the state and the tactic that led to it.
type Reached = (State, usize, Option<(usize, Tactic)>);

fn path(states: &[Reached], mut at: usize) -> Vec<Tactic> {
    let mut path = Vec::new();
    while let Some((before, tactic)) = &states[at].2 {
        path.push(tactic.clone());
        at = *before;
    }
    path.reverse();
    path
}

/// The terms that one side of an equation can be rewritten to, each with the term and the rewrite before it.
#[derive(Default)]
struct Side {
    known: BTreeMap<Term, Option<(Term, Rewrite)>>,
    edge: Vec<Term>,
}

impl Side {
    fn way(&self, to: &Term, side: u8) -> Vec<Tactic> {
        let (mut way, mut at) = (Vec::new(), to);
        while let Some(Some((before, rewrite))) = self.known.get(at) {
            let mut rewrite = rewrite.clone();
            rewrite.at.get_or_insert_default().insert(0, side);
            way.push(Tactic::Rewrite(rewrite));
            at = before;
        }
        way.reverse();
        way
    }
}

/// Rewrites both sides of an equation until they meet, nearest first; then tries induction and rules.
fn equated(
    theory: &Theory,
    state: &State,
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Tactic>>, OverBudget> {
    let goal = &state.goals[0];
    let Some([left, right]) = goal.target.under(EQUAL).and_then(|sides| <&[Term; 2]>::try_from(sides).ok())
    else {
        return Ok(None);
    };
    if left == right {
        return Ok(Some(vec![Tactic::Refl]));
    }
    if let Some(sure) = sure(goal, theory).into_iter().find(|tactic| state.apply(tactic, theory).is_ok()) {
        let rest =
            state.apply(&sure, theory).map_or(Ok(None), |next| prove(theory, &next, most - 1, budget))?;
        return Ok(rest.map(|rest| std::iter::once(sure).chain(rest).collect()));
    }
    let largest = left.size().max(right.size()) + 4;
    let mut sides = [left, right]
        .map(|term| Side { known: BTreeMap::from([(term.clone(), None)]), edge: vec![term.clone()] });
    for _ in 0..most {
        // The smaller edge first; a side without one has no more terms.
        let [left, right] = [&sides[0], &sides[1]].map(|side| side.edge.len());
        let near = usize::from(left == 0 || right > 0 && right < left);
        let edge = std::mem::take(&mut sides[near].edge);
        for term in edge {
            let all = rewrites(theory, goal, &term);
            budget.spend((term.size() * (4 + all.len())) as u64)?;
            for (rewrite, made) in all {
                if made.size() > largest || sides[near].known.contains_key(&made) {
                    continue;
                }
                sides[near].known.insert(made.clone(), Some((term.clone(), rewrite)));
                if sides[1 - near].known.contains_key(&made) {
                    return Ok(Some([sides[0].way(&made, 1), sides[1].way(&made, 2)].concat()));
                }
                sides[near].edge.push(made);
            }
        }
    }
    inductions(theory, state, most, budget)
}

fn inductions(
    theory: &Theory,
    state: &State,
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Tactic>>, OverBudget> {
    let is_value = |number: &u16| theory.symbols[usize::from(*number)].arbitrary;
    for value in (0..theory.symbols.len() as u16).filter(is_value) {
        let tactic = Tactic::Induction(value);
        let Ok(next) = state.apply(&tactic, theory) else { continue };
        if let Some(rest) = prove(theory, &next, most.saturating_sub(1), budget)? {
            return Ok(Some(std::iter::once(tactic).chain(rest).collect()));
        }
    }
    Ok(None)
}
