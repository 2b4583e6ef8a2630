//! A few sets that together cover as much as possible.

use kit::budget::{Budget, OverBudget};

use super::{Set, members};

/// Elements that the chosen sets cover.
pub fn covered(sets: &[Set], chosen: Set) -> Set {
    members(chosen).fold(0, |covered, at| covered | sets[at])
}

/// The sets that cover most with those already taken, one after the other.
pub fn greedy(sets: &[Set], count: usize) -> Set {
    (0..count).fold(0, |chosen, _| {
        let known = covered(sets, chosen);
        let open = (0..sets.len()).rev().filter(|at| chosen >> at & 1 == 0);
        open.max_by_key(|at| (sets[*at] & !known).count_ones()).map_or(chosen, |at| chosen | 1 << at)
    })
}

/// So many sets that cover the most, by branch and bound: no more can be added than the largest gains.
pub fn best(sets: &[Set], count: usize, budget: &mut Budget) -> Result<Set, OverBudget> {
    let mut best = greedy(sets, count);
    improve(sets, count, (0, (0..sets.len()).collect()), &mut best, budget)?;
    Ok(best)
}

fn improve(
    sets: &[Set],
    left: usize,
    (chosen, mut open): (Set, Vec<usize>),
    best: &mut Set,
    budget: &mut Budget,
) -> Result<(), OverBudget> {
    budget.spend(1 + open.len() as u64 / 4)?;
    let known = covered(sets, chosen);
    let gain = |at: &usize| (sets[*at] & !known).count_ones();
    let most = covered(sets, *best).count_ones();
    if left == 0 {
        *best = if known.count_ones() > most { chosen } else { *best };
        return Ok(());
    }
    open.sort_by_key(gain);
    while open.len() >= left {
        let reach: u32 = open[open.len() - left..].iter().map(gain).sum();
        if known.count_ones() + reach <= covered(sets, *best).count_ones() {
            break;
        }
        let next = open.pop().expect("some are left");
        improve(sets, left - 1, (chosen | 1 << next, open.clone()), best, budget)?;
    }
    Ok(())
}

/// True if so many sets cover more than `most` things. Unlike the other search, it asks for each thing in turn: a set
/// that holds it is taken, or it is given up.
pub fn cover_more(sets: &[Set], count: usize, most: u32, budget: &mut Budget) -> Result<bool, OverBudget> {
    let all = sets.iter().fold(0, |all, set| all | set);
    give_or_take(sets, count, all, all.count_ones().saturating_sub(most), budget)
}

/// `spare` is one more than the number of things that may be given up.
fn give_or_take(
    sets: &[Set],
    left: usize,
    open: Set,
    spare: u32,
    budget: &mut Budget,
) -> Result<bool, OverBudget> {
    budget.spend(1 + sets.len() as u64 / 4)?;
    let largest = sets.iter().map(|set| (set & open).count_ones()).max().unwrap_or(0);
    let lost = open.count_ones().saturating_sub(left as u32 * largest);
    if spare == 0 || lost >= spare {
        return Ok(false);
    }
    let holders = |thing: &usize| sets.iter().filter(|set| **set >> thing & 1 == 1).count();
    let Some(thing) = members(open).min_by_key(holders) else { return Ok(true) };
    if left > 0 {
        for set in sets.iter().filter(|set| **set >> thing & 1 == 1) {
            if give_or_take(sets, left - 1, open & !set, spare, budget)? {
                return Ok(true);
            }
        }
    }
    // No set that holds it is taken.
    let others: Vec<Set> = sets.iter().copied().filter(|set| set >> thing & 1 == 0).collect();
    give_or_take(&others, left, open & !(1 << thing), spare - 1, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::rng;

    #[test]
    fn both_searches_agree_with_trying_every_choice() {
        let mut rng = rng(0);
        for _ in 0..300 {
            let (count, things) = (1 + rng.index(3), 3 + rng.index(8));
            let sets: Vec<Set> = (0..count + rng.index(6)).map(|_| rng.below(1 << things)).collect();
            let all = (0..1 << sets.len()).filter(|chosen: &Set| chosen.count_ones() as usize == count);
            let most = all.map(|chosen| covered(&sets, chosen).count_ones()).max().unwrap();
            let mut budget = Budget::unlimited();
            let found = best(&sets, count, &mut budget).unwrap();
            assert_eq!((found.count_ones() as usize, covered(&sets, found).count_ones()), (count, most));
            assert!(!cover_more(&sets, count, most, &mut budget).unwrap());
            assert!(most == 0 || cover_more(&sets, count, most - 1, &mut budget).unwrap());
        }
    }
}
