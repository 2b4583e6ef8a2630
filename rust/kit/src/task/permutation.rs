//! Answers that put all of some named things in order.

use crate::rng::Rng;
use crate::task::solution::Faults;
use crate::task::verdict::{Failure, label};

/// The labels of an order that does not contain every name once, for a family to declare.
pub const FAILURES: [(&str, &str); 3] = [
    ("unknown_name", "a name that the prompt does not give"),
    ("repeated_name", "a name that is listed twice"),
    ("missing_name", "a name that is not listed"),
];

/// The label of an unknown name, which the form gives.
pub const UNKNOWN: &str = FAILURES[0].0;

/// Checks that an answer names everything once.
pub fn check(order: &[usize], names: &[String]) -> Result<(), Failure> {
    let broken = |label, detail: String| Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label));
    let mut seen = vec![false; names.len()];
    for at in order {
        if std::mem::replace(&mut seen[*at], true) {
            return broken(FAILURES[1].0, format!("{} is listed twice", names[*at]));
        }
    }
    match seen.iter().position(|seen| !seen) {
        Some(missing) => broken(FAILURES[2].0, format!("{} is not listed", names[missing])),
        None => Ok(()),
    }
}

/// Position of each thing in an order of all.
pub fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, thing) in order.iter().enumerate() {
        places[*thing] = place;
    }
    places
}

pub fn random(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut order);
    order
}

/// An order with as many neighbors swapped as there are faults; reversed if everything is to be wrong.
pub fn swapped(order: &[usize], faults: Faults, rng: &mut Rng) -> Vec<usize> {
    let mut swapped = order.to_vec();
    if faults == Faults::All {
        swapped.reverse();
    } else {
        for at in faults.draw(order.len() - 1, rng) {
            swapped.swap(at, at + 1);
        }
    }
    swapped
}

/// An order with this many of its things omitted, and one with this many repeated.
pub fn miscounted(order: &[usize], faults: usize, rng: &mut Rng) -> [Vec<usize>; 2] {
    let picked: Vec<usize> = random(order.len(), rng).into_iter().take(faults.min(order.len() - 1)).collect();
    let left = order.iter().filter(|thing| !picked.contains(thing)).copied().collect();
    [left, [order, &picked].concat()]
}

/// Share of the pairs that an order has in the right order; both contain everything once.
pub fn pairs_in_order(order: &[usize], right: &[usize]) -> f32 {
    let place = places(right);
    let after = |at: usize| order[at + 1..].iter().filter(|later| place[**later] > place[order[at]]).count();
    let kept: usize = (0..order.len()).map(after).sum();
    kept as f32 / (order.len() * (order.len() - 1) / 2) as f32
}

/// The steps of insertion sort: each thing in turn goes to its place in the right order among those before
/// it.
pub fn insertions(order: &[usize], names: &[String]) -> impl Iterator<Item = String> {
    (0..names.len()).map(|thing| {
        let placed: Vec<usize> = order.iter().filter(|other| **other <= thing).copied().collect();
        let at = placed.iter().position(|other| *other == thing).expect("it is there");
        let after = at.checked_sub(1).map(|before| &names[placed[before]]);
        let place = match (after, placed.get(at + 1).map(|next| &names[*next])) {
            (None, None) => "is the first to be placed".to_owned(),
            (Some(before), None) => format!("goes to the end, after {before}"),
            (None, Some(next)) => format!("goes to the front, before {next}"),
            (Some(before), Some(next)) => format!("goes between {before} and {next}"),
        };
        format!("{} {place}", names[thing])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    #[test]
    fn an_order_names_everything_once() {
        let names = ["A", "B", "C"].map(String::from);
        for (order, failure) in [
            (&[2, 0, 1][..], None),
            (&[2, 0], Some("missing_name")),
            (&[], Some("missing_name")),
            (&[2, 0, 1, 0], Some("repeated_name")),
            (&[0, 0], Some("repeated_name")),
        ] {
            let failed = check(order, &names).err().map(|verdict| verdict.failures[1]);
            assert_eq!(failed, failure, "{order:?}");
        }
        let mut rng = Key::new("permutation", 1, "", 0, "").stream(0);
        let order = random(3, &mut rng);
        assert!(places(&order).iter().enumerate().all(|(thing, place)| order[*place] == thing));
        for miscounted in [1, 2, 3].map(|faults| miscounted(&order, faults, &mut rng)) {
            assert!(miscounted.iter().all(|order| check(order, &names).is_err()));
        }
    }
}
