//! Puzzles between two arrangements whose moves can be undone, and whose searches know how far the goal is at least.

use kit::prelude::*;
use kit::shape::plan::Puzzle;

/// Up to sixteen numbers below sixteen as a state.
pub fn packed(numbers: &[u8]) -> u64 {
    numbers.iter().rev().fold(0, |state, number| state << 4 | u64::from(*number))
}

/// One of the numbers of a state.
pub fn number(state: u64, at: usize) -> usize {
    (state >> (4 * at) & 15) as usize
}

pub fn unpacked(state: u64, count: usize) -> Vec<u8> {
    (0..count).map(|at| number(state, at) as u8).collect()
}

/// The state after moves that are allowed.
pub fn after<P: Puzzle>(puzzle: &P, state: P::State, moves: &[u8]) -> P::State {
    let step = |state, action: &u8| puzzle.step(state, usize::from(*action)).expect("the move is allowed");
    moves.iter().fold(state, step)
}

/// The state after random moves, none of which leads back to the state before if there is another.
pub fn walk<P: Puzzle>(puzzle: &P, mut state: P::State, moves: usize, rng: &mut Rng) -> P::State {
    let (actions, mut before) = (puzzle.names().len(), state);
    for _ in 0..moves {
        let open: Vec<P::State> = (0..actions).filter_map(|action| puzzle.step(state, action)).collect();
        let ahead: Vec<P::State> = open.iter().copied().filter(|next| *next != before).collect();
        if open.is_empty() {
            break;
        }
        let next = *rng.pick(if ahead.is_empty() { &open } else { &ahead });
        before = std::mem::replace(&mut state, next);
    }
    state
}

/// The states at the ends of a plan, and its moves.
pub type Part<P> = ([<P as Puzzle>::State; 2], Vec<u8>);

/// A shortest plan from the start to the goal if it takes so many moves or more: a part of it that takes just as many,
/// with the states at its ends. None if there is no such plan or finding it takes too many steps.
pub fn part<P: Puzzle>(
    puzzle: &P,
    length: usize,
    steps: u64,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Result<Option<Part<P>>, OverBudget> {
    let mut search = Budget::new(steps);
    let found = puzzle.shortest(puzzle.begin(), &mut search);
    budget.spend(search.spent())?;
    let Some(plan) = found.ok().and_then(|(plan, _)| plan).filter(|plan| plan.len() >= length) else {
        return Ok(None);
    };
    let first = rng.index(plan.len() - length + 1);
    let (before, part) = (&plan[..first], &plan[first..first + length]);
    let start = after(puzzle, puzzle.begin(), before);
    Ok(Some(([start, after(puzzle, start, part)], part.to_vec())))
}

/// Another start, and a shortest plan from there: after up to three moves of the plan, up to three others, or one and
/// those.
pub fn edited<P: Puzzle>(
    puzzle: &P,
    aim: Aim,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Option<(P::State, Vec<u8>)> {
    let drawn = 1 + rng.index(3);
    let (made, others) = match aim {
        Aim::Harder => (0, drawn),
        Aim::Same => (1, drawn),
        Aim::Easier => (drawn.min(puzzle.claimed().len()), 0),
    };
    let state = after(puzzle, puzzle.begin(), &puzzle.claimed()[..made]);
    let state = walk(puzzle, state, others, rng);
    let plan = puzzle.shortest(state, budget).ok()?.0?;
    (!plan.is_empty()).then_some((state, plan))
}

/// Moves that each leave the least to do at first sight and lead to a new state, at most as many as the fewest that do.
pub fn downhill<P: Puzzle>(puzzle: &P) -> Vec<usize> {
    downhill_by(puzzle, |state| puzzle.away(state))
}

/// As [`downhill`], where `left` says what a state leaves to do.
pub fn downhill_by<P: Puzzle, L: Ord>(puzzle: &P, left: impl Fn(P::State) -> L) -> Vec<usize> {
    let (mut states, mut way) = (vec![puzzle.begin()], Vec::new());
    while way.len() < puzzle.claimed().len() {
        let state = states[way.len()];
        let next = (0..puzzle.names().len()).filter_map(|action| Some((puzzle.step(state, action)?, action)));
        let new = next.filter(|(next, _)| !states.contains(next));
        let Some((next, action)) = new.min_by_key(|(next, _)| left(*next)) else { break };
        states.push(next);
        way.push(action);
    }
    way
}

/// True if a shortcut leads to the goal.
pub fn yields<P: Puzzle>(puzzle: &P) -> bool {
    let step = |state, action: &usize| puzzle.step(state, *action);
    let end = |way: &[usize]| way.iter().try_fold(puzzle.begin(), step);
    puzzle.shortcuts().iter().any(|(_, way)| end(way).is_some_and(|state| puzzle.is_goal(state)))
}
