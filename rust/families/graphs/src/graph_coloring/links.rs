//! Edges as bits, and whether greedy colorings succeed.

use kit::rng::Rng;

/// Random greedy colorings that must all fail.
const BLIND_TRIES: u32 = 30;

/// For each node, its neighbors.
pub struct Links(Vec<u128>);

impl Links {
    pub fn of(nodes: usize, edges: &[[usize; 2]]) -> Self {
        let mut links = vec![0; nodes];
        for [one, other] in edges {
            links[*one] |= 1 << other;
            links[*other] |= 1 << one;
        }
        Self(links)
    }

    /// Smallest degree of a node.
    pub fn least(&self) -> u32 {
        self.0.iter().map(|links| links.count_ones()).min().unwrap_or(0)
    }

    /// For each node, its neighbors among the nodes before it.
    fn before(&self) -> impl Iterator<Item = u128> {
        self.0.iter().enumerate().map(|(node, links)| links & ((1 << node) - 1))
    }

    /// True if giving each node in turn its first free color succeeds.
    pub fn first_free_will_do(&self) -> bool {
        let mut colored = [0u128; 3];
        self.before().enumerate().all(|(node, before)| {
            let free = colored.iter_mut().find(|nodes| **nodes & before == 0);
            free.map(|nodes| *nodes |= 1 << node).is_some()
        })
    }

    /// True if giving each node in turn a random free color succeeds at least once. All tries run in
    /// parallel, one per bit.
    pub fn any_free_will_do(&self, rng: &mut Rng) -> bool {
        // For each node and color, the tries in which it has that color.
        let mut colored: Vec<[u64; 3]> = Vec::with_capacity(self.0.len());
        let mut going = (1u64 << BLIND_TRIES) - 1;
        for mut before in self.before() {
            let mut free = [going; 3];
            while before != 0 {
                let other = colored[before.trailing_zeros() as usize];
                before &= before - 1;
                free = [0, 1, 2].map(|color| free[color] & !other[color]);
            }
            going = free[0] | free[1] | free[2];
            if going == 0 {
                return false;
            }
            colored.push(picked(free, rng));
        }
        true
    }
}

/// One random color for each try, out of those that are free in it.
fn picked(free: [u64; 3], rng: &mut Rng) -> [u64; 3] {
    let (mut picked, mut left) = ([0; 3], free[0] | free[1] | free[2]);
    let mut take = |tries: [u64; 3]| {
        for color in 0..3 {
            let taken = tries[color] & free[color] & left;
            picked[color] |= taken;
            left &= !taken;
        }
    };
    // Each round proposes a color, or none, to every try. The few still without one take their first free
    // color.
    for _ in 0..4 {
        let (one, other) = (rng.word(), rng.word());
        take([!one & !other, one & !other, !one & other]);
    }
    take([u64::MAX; 3]);
    picked
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    #[test]
    fn every_try_has_one_color_of_those_that_are_free_and_each_is_picked() {
        let mut rng = Key::new("links", 1, "", 0, "").stream(0);
        let free = [0b1111_0000, 0b1100_1100, 0b1010_1010];
        let mut ever = [0; 3];
        for _ in 0..200 {
            let picked = picked(free, &mut rng);
            assert!((0..3).all(|color| picked[color] & !free[color] == 0));
            assert_eq!(picked[0] ^ picked[1] ^ picked[2], 0b1111_1110);
            assert_eq!(picked[0] | picked[1] | picked[2], 0b1111_1110);
            ever = [0, 1, 2].map(|color| ever[color] | picked[color]);
        }
        assert_eq!(ever, free);
    }

    #[test]
    fn blind_coloring_works_where_nothing_can_go_wrong_and_never_where_it_must() {
        let mut rng = Key::new("links", 1, "", 0, "").stream(1);
        let path = Links::of(4, &[[0, 1], [1, 2], [2, 3]]);
        assert!(path.first_free_will_do() && path.any_free_will_do(&mut rng));
        let all = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let four = Links::of(4, &all);
        assert!(!four.first_free_will_do() && !four.any_free_will_do(&mut rng));
        assert_eq!((path.least(), four.least()), (1, 3));
    }
}
