//! Searches through the states of a puzzle for a shortest plan.

use super::{BUDGETS, Puzzle};
use crate::budget::{Budget, OverBudget};
use crate::rng::Rng;
use crate::shared::invariant::mix;

/// The states that a search has reached, in the order in which it found them.
pub struct Reached<S> {
    /// Every state with its distance in moves.
    pub order: Vec<(S, u32)>,
    /// For each state, the index of its predecessor and the move from there.
    from: Vec<(u32, u8)>,
    /// Index of each state in `order`: a table with open addressing, at least half of it empty.
    table: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl<S: Copy + Ord + Into<u64>> Reached<S> {
    fn new(start: S) -> Self {
        let mut reached = Self { order: Vec::new(), from: Vec::new(), table: vec![EMPTY; 256] };
        reached.add(start, 0, 0, 0);
        reached
    }

    /// Slot of a state in the table, or the one where it would go.
    fn slot(&self, state: S) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = mix(state.into()) as usize & mask;
        while self.table[slot] != EMPTY && self.order[self.table[slot] as usize].0 != state {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn holds(&self, state: S) -> bool {
        self.table[self.slot(state)] != EMPTY
    }

    /// Adds a state and returns true if it is new.
    fn add(&mut self, state: S, away: u32, from: usize, action: usize) -> bool {
        let slot = self.slot(state);
        if self.table[slot] != EMPTY {
            return false;
        }
        self.table[slot] = self.order.len() as u32;
        self.order.push((state, away));
        self.from.push((from as u32, action as u8));
        if 2 * self.order.len() > self.table.len() {
            self.table = vec![EMPTY; 2 * self.table.len()];
            for at in 0..self.order.len() {
                let slot = self.slot(self.order[at].0);
                self.table[slot] = at as u32;
            }
        }
        true
    }

    /// Adds a state that is new or nearer than it was, and returns its index.
    fn add_nearer(&mut self, state: S, away: u32, from: usize, action: usize) -> Option<usize> {
        if self.add(state, away, from, action) {
            return Some(self.order.len() - 1);
        }
        let at = self.table[self.slot(state)] as usize;
        let nearer = away < self.order[at].1;
        if nearer {
            self.order[at].1 = away;
            self.from[at] = (from as u32, action as u8);
        }
        nearer.then_some(at)
    }

    /// The moves to a state that was reached.
    pub fn way(&self, to: S) -> Vec<u8> {
        let mut at = self.table[self.slot(to)] as usize;
        let mut way = Vec::new();
        while at > 0 {
            let (before, action) = self.from[at];
            way.push(action);
            at = before as usize;
        }
        way.reverse();
        way
    }
}

/// Explores from `start` all that can be reached, nearest first, until `enough` accepts a state and its
/// distance.
pub fn explore<S: Copy + Ord + Into<u64>>(
    start: S,
    actions: usize,
    step: impl Fn(S, usize) -> Option<S>,
    mut enough: impl FnMut(S, u32) -> bool,
    budget: &mut Budget,
) -> Result<Reached<S>, OverBudget> {
    let mut reached = Reached::new(start);
    let mut at = 0;
    if enough(start, 0) {
        return Ok(reached);
    }
    while let Some(&(state, away)) = reached.order.get(at) {
        budget.spend(actions as u64)?;
        for action in 0..actions {
            let Some(next) = step(state, action) else { continue };
            if reached.add(next, away + 1, at, action) && enough(next, away + 1) {
                return Ok(reached);
            }
        }
        at += 1;
    }
    Ok(reached)
}

/// The moves of a shortest plan from a state to the goal, if there is one, and the number of states that a
/// breadth-first search reaches before it.
pub fn shortest<P: Puzzle>(
    puzzle: &P,
    from: P::State,
    budget: &mut Budget,
) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
    let step = |state, action| puzzle.step(state, action);
    let reached = explore(from, puzzle.names().len(), step, |state, _| puzzle.is_goal(state), budget)?;
    let last = reached.order.last().expect("the start is reached").0;
    let way = puzzle.is_goal(last).then(|| reached.way(last));
    Ok((way, reached.order.len() as u64))
}

/// The moves of a shortest plan from a state to the goal, if there is one, and the number of states that the best
/// search for the puzzle reaches before it. Actions are tried in an order that depends on this one.
pub fn directed<P: Puzzle>(
    puzzle: &P,
    from: P::State,
    actions: &[usize],
    budget: &mut Budget,
) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
    match (puzzle.undone(), puzzle.away(from)) {
        (Some((goal, undo)), _) => between(puzzle, [from, goal], actions, &undo, budget),
        (None, Some(_)) => guided(puzzle, from, actions, budget),
        (None, None) => shortest(puzzle, from, budget),
    }
}

/// The moves of a shortest plan from a state to the goal, if there is one, and the number of states that the search
/// A* reaches before it, which [`Puzzle::away`] guides. Actions are tried in this order, the last ones first.
fn guided<P: Puzzle>(
    puzzle: &P,
    from: P::State,
    actions: &[usize],
    budget: &mut Budget,
) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
    let away = |state| puzzle.away(state).expect("a puzzle says it of all states or of none");
    let (mut reached, least) = (Reached::new(from), away(from));
    // States with their distance, by how many moves more than the least a way through them takes.
    let (mut open, mut more) = (vec![vec![(0, 0)]], 0);
    while let Some(states) = open.get_mut(more) {
        let Some((at, moves)) = states.pop() else {
            more += 1;
            continue;
        };
        let (state, nearest) = reached.order[at];
        if nearest < moves {
            continue;
        }
        if away(state) == 0 {
            return Ok((Some(reached.way(state)), reached.order.len() as u64));
        }
        budget.spend(actions.len() as u64)?;
        for action in actions {
            let Some(next) = puzzle.step(state, *action) else { continue };
            if let Some(at) = reached.add_nearer(next, moves + 1, at, *action) {
                let more = (moves + 1 + away(next) - least) as usize;
                open.resize(open.len().max(more + 1), Vec::new());
                open[more].push((at, moves + 1));
            }
        }
    }
    Ok((None, reached.order.len() as u64))
}

/// The moves of a shortest plan between two states, if there is one, and the number of states that a search from both
/// of them reaches before it. `undo` has the move that takes each back. Actions are tried in this order.
fn between<P: Puzzle>(
    puzzle: &P,
    ends: [P::State; 2],
    actions: &[usize],
    undo: &[u8],
    budget: &mut Budget,
) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
    let (mut reached, mut tried) = (ends.map(Reached::new), [0, 0]);
    let states = |reached: &[Reached<P::State>; 2]| reached.iter().map(|end| end.order.len() as u64).sum();
    if ends[0] == ends[1] {
        return Ok((Some(Vec::new()), 1));
    }
    loop {
        let rims = [0, 1].map(|end: usize| tried[end]..reached[end].order.len());
        let end = usize::from(rims[1].len() < rims[0].len());
        if rims[end].is_empty() {
            return Ok((None, states(&reached)));
        }
        for at in rims[end].clone() {
            let (state, away) = reached[end].order[at];
            budget.spend(actions.len() as u64)?;
            for action in actions {
                let Some(next) = puzzle.step(state, *action) else { continue };
                if reached[end].add(next, away + 1, at, *action) && reached[1 - end].holds(next) {
                    let [mut way, back] = [reached[0].way(next), reached[1].way(next)];
                    way.extend(back.into_iter().rev().map(|action| undo[usize::from(action)]));
                    return Ok((Some(way), states(&reached)));
                }
            }
        }
        tried[end] = rims[end].end;
    }
}

/// A shortest plan, drawn move by move from its end.
pub fn another<P: Puzzle>(puzzle: &P, rng: &mut Rng) -> Option<Vec<usize>> {
    let actions = puzzle.names().len();
    let step = |state, action| puzzle.step(state, action);
    let budget = &mut Budget::new(BUDGETS.judge);
    let reached = explore(puzzle.begin(), actions, step, |state, _| puzzle.is_goal(state), budget).ok()?;
    let mut order = reached.order.as_slice();
    let mut way = Vec::new();
    while let Some((&(state, away), before)) = order.split_last().filter(|((_, away), _)| *away > 0) {
        let nearer = before.partition_point(|(_, other)| *other < away - 1);
        let nearer = nearer..before.partition_point(|(_, other)| *other < away);
        let leads = |at: usize| {
            (0..actions).filter_map(move |action| Some((at, action, step(before[at].0, action)?)))
        };
        let moves: Vec<_> = nearer.flat_map(leads).filter(|(.., to)| *to == state).collect();
        let (at, action, _) = *rng.pick(&moves);
        way.push(action);
        order = &order[..=at];
    }
    way.reverse();
    Some(way)
}
