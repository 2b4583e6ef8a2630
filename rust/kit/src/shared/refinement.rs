//! Color refinement: a hash of things and of the relations between them, independent of names and order.

/// A relation between things, each in a role. Things in the same role may be exchanged.
#[derive(Clone, Debug)]
pub struct Relation {
    pub kind: u64,
    /// Roles and things, by number.
    pub members: Vec<(u64, usize)>,
}

/// Equal for two structures if one becomes the other by renumbering the things and reordering the relations
/// and their members. Rarely equal for others.
pub fn invariant(things: usize, relations: &[Relation]) -> u64 {
    let mut colours = vec![mix(0, things as u64); things];
    let mut gathered = vec![0u64; things];
    let (mut seen, mut classes, mut total) = (Vec::with_capacity(things), 1, 0);
    // A round carries a difference to everything that shares a relation. The last round is one that
    // distinguishes no more things than the round before: from then on, all differences show in the colors.
    for _ in 0..things.max(1) {
        total = 0;
        gathered.fill(0);
        for relation in relations {
            let members = || relation.members.iter();
            let members_hash = sum(members().map(|(role, thing)| mix(*role, colours[*thing])));
            let hash = mix(relation.kind, members_hash);
            total = sum([total, mix(1, hash)]);
            for (role, thing) in members() {
                gathered[*thing] = sum([gathered[*thing], mix(*role, hash)]);
            }
        }
        for (colour, gathered) in colours.iter_mut().zip(&gathered) {
            *colour = mix(*colour, *gathered);
        }
        seen.clone_from(&colours);
        seen.sort_unstable();
        seen.dedup();
        if seen.len() == std::mem::replace(&mut classes, seen.len()) {
            break;
        }
    }
    sum(colours).wrapping_add(total)
}

/// The hash of an unordered collection of hashes.
fn sum(hashes: impl IntoIterator<Item = u64>) -> u64 {
    hashes.into_iter().fold(0, u64::wrapping_add)
}

/// The hash of an ordered pair: the finalizer of `SplitMix64` over both.
fn mix(a: u64, b: u64) -> u64 {
    let step = |mut x: u64| {
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    };
    step(step(a.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Rng};

    fn edges(pairs: &[(usize, usize)]) -> Vec<Relation> {
        let edge = |&(a, b): &(usize, usize)| Relation { kind: 7, members: vec![(0, a), (0, b)] };
        pairs.iter().map(edge).collect()
    }

    fn arrows(pairs: &[(usize, usize)]) -> Vec<Relation> {
        let arrow = |&(a, b): &(usize, usize)| Relation { kind: 7, members: vec![(0, a), (1, b)] };
        pairs.iter().map(arrow).collect()
    }

    fn shuffled(things: usize, relations: &[Relation], rng: &mut Rng) -> Vec<Relation> {
        let mut numbers: Vec<usize> = (0..things).collect();
        rng.shuffle(&mut numbers);
        let mut relations = relations.to_vec();
        rng.shuffle(&mut relations);
        for relation in &mut relations {
            rng.shuffle(&mut relation.members);
            relation.members.iter_mut().for_each(|(_, thing)| *thing = numbers[*thing]);
        }
        relations
    }

    #[test]
    fn neither_numbers_nor_order_matter() {
        let mut rng = Key::new("refinement", 1, "", 0, "").stream(0);
        for _ in 0..200 {
            let things = 1 + rng.index(8);
            let relation = |rng: &mut Rng| Relation {
                kind: rng.below(3),
                members: (0..rng.below(4)).map(|_| (rng.below(3), rng.index(things))).collect(),
            };
            let relations: Vec<Relation> = (0..rng.below(9)).map(|_| relation(&mut rng)).collect();
            let other = shuffled(things, &relations, &mut rng);
            assert_eq!(invariant(things, &relations), invariant(things, &other), "{relations:?} {other:?}");
        }
    }

    #[test]
    fn other_structures_differ() {
        let path = edges(&[(0, 1), (1, 2), (2, 3)]);
        let star = edges(&[(0, 1), (0, 2), (0, 3)]);
        assert_ne!(invariant(4, &path), invariant(4, &star));
        assert_ne!(invariant(4, &path), invariant(5, &path));
        assert_ne!(invariant(3, &edges(&[(0, 1)])), invariant(3, &edges(&[(0, 1), (0, 1)])));
        // Roles distinguish directions.
        let (round, not) = ([(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 2), (0, 2)]);
        assert_eq!(invariant(3, &edges(&round)), invariant(3, &edges(&not)));
        assert_ne!(invariant(3, &arrows(&round)), invariant(3, &arrows(&not)));
        // A difference at the far end of a long path shows at this end.
        let long: Vec<(usize, usize)> = (0..9).map(|at| (at, at + 1)).collect();
        let mut marked = arrows(&long);
        marked.push(Relation { kind: 8, members: vec![(0, 0)] });
        let mut at_the_end = arrows(&long);
        at_the_end.push(Relation { kind: 8, members: vec![(0, 9)] });
        assert_ne!(invariant(10, &marked), invariant(10, &at_the_end));
    }
}
