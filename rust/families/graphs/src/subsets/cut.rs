//! Cuts of a graph that are crossed by as many edges as possible.

use std::collections::BTreeMap;

use kit::budget::{Budget, OverBudget};

use super::{Set, first, members};

/// Number of edges between a side and the other nodes; `near` holds each node's neighbors.
pub fn crossing(near: &[Set], side: Set) -> u64 {
    members(side).map(|node| u64::from((near[node] & !side).count_ones())).sum()
}

/// A side of a largest cut. Of all sides of the nodes placed so far that agree on those with neighbors still to
/// come, the best is carried on.
pub fn largest(near: &[Set], budget: &mut Budget) -> Result<Set, OverBudget> {
    let border = |placed: Set| {
        let waits = members(placed).filter(|node| near[*node] & !placed != 0);
        waits.fold(0, |set: Set, node| set | 1 << node)
    };
    let (mut placed, mut sides) = (0, BTreeMap::from([(0, (0, 0))]));
    let next = |placed: Set| {
        members(first(near.len()) & !placed).min_by_key(|node| border(placed | 1 << node).count_ones())
    };
    while let Some(node) = next(placed) {
        placed |= 1 << node;
        let waiting = border(placed);
        let mut grown: BTreeMap<Set, (u32, Set)> = BTreeMap::new();
        for (cut, side) in sides.into_values() {
            for (side, across) in [(side, side), (side | 1 << node, placed & !side)] {
                let cut: u32 = cut + (near[node] & across).count_ones();
                let held = grown.entry(side & waiting).or_insert((cut, side));
                *held = if cut > held.0 { (cut, side) } else { *held };
            }
        }
        budget.spend(grown.len() as u64)?;
        sides = grown;
    }
    Ok(sides.into_values().next().expect("one is left when all are placed").1)
}

/// True if a cut leaves fewer than `below` edges uncut, found by branch and bound: each node that is not yet placed
/// leaves at least the smaller of its neighbors' numbers on the two sides uncut.
pub fn leaves_fewer(near: &[Set], below: u64, budget: &mut Budget) -> Result<bool, OverBudget> {
    place(near, (0, 0), below, budget)
}

fn place(near: &[Set], sides: (Set, Set), left: u64, budget: &mut Budget) -> Result<bool, OverBudget> {
    budget.spend(1)?;
    let on = |node: usize| [sides.0, sides.1].map(|side| u64::from((near[node] & side).count_ones()));
    let open = members(first(near.len()) & !(sides.0 | sides.1));
    if open.clone().map(|node| on(node)[0].min(on(node)[1])).sum::<u64>() >= left {
        return Ok(false);
    }
    let Some(node) = open.max_by_key(|node| on(*node).iter().sum::<u64>()) else { return Ok(true) };
    let bit = 1 << node;
    // While all nodes are open, the sides are alike.
    let (here, there) = ((sides.0 | bit, sides.1), (sides.0, sides.1 | bit));
    let [same, opposite] = on(node);
    Ok(place(near, here, left.saturating_sub(same), budget)?
        || sides != (0, 0) && place(near, there, left.saturating_sub(opposite), budget)?)
}

/// Places each node in turn on the side with fewer of its neighbors; `patient` then moves nodes while that helps.
pub fn placed_in(near: &[Set], order: impl IntoIterator<Item = usize>, patient: bool) -> Set {
    let gain = |sides: (Set, Set), node: usize| {
        (near[node] & sides.1).count_ones() > (near[node] & sides.0).count_ones()
    };
    let mut sides = order.into_iter().fold((0, 0), |sides: (Set, Set), node| {
        if gain(sides, node) { (sides.0 | 1 << node, sides.1) } else { (sides.0, sides.1 | 1 << node) }
    });
    let exchanged = |sides: (Set, Set)| (sides.1, sides.0);
    loop {
        let moves = |node: &usize| {
            if sides.0 >> node & 1 == 1 { gain(exchanged(sides), *node) } else { gain(sides, *node) }
        };
        let node = (0..near.len()).find(moves).filter(|_| patient);
        let Some(node) = node else { break };
        sides = (sides.0 ^ 1 << node, sides.1 ^ 1 << node);
    }
    sides.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::rng;

    #[test]
    fn a_largest_cut_is_that_of_trying_all() {
        let mut rng = rng(0);
        for _ in 0..300 {
            let nodes = 2 + rng.index(8);
            let mut near: Vec<Set> = vec![0; nodes];
            for (one, other) in (0..nodes).flat_map(|one| (0..one).map(move |other| (one, other))) {
                if rng.chance(1, 2) {
                    near[one] |= 1 << other;
                    near[other] |= 1 << one;
                }
            }
            let edges = near.iter().map(|near| u64::from(near.count_ones())).sum::<u64>() / 2;
            let most = (0..1 << nodes).map(|side| crossing(&near, side)).max().unwrap();
            let mut budget = Budget::unlimited();
            assert_eq!(crossing(&near, largest(&near, &mut budget).unwrap()), most);
            assert!(!leaves_fewer(&near, edges - most, &mut budget).unwrap());
            assert!(leaves_fewer(&near, edges - most + 1, &mut budget).unwrap());
            for patient in [false, true] {
                let side = placed_in(&near, 0..nodes, patient);
                assert!(2 * crossing(&near, side) >= edges);
            }
        }
    }
}
