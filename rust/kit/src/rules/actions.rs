//! Sets of actions, as masks of machine words: no allocation, cheap to count and to pick from.

use super::Action;

/// A set of actions below [`Actions::MOST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions([u64; Actions::WORDS]);

impl Actions {
    const WORDS: usize = 4;
    /// Largest size of an action space.
    pub const MOST: u32 = 64 * Self::WORDS as u32;
    pub const NONE: Self = Self([0; Self::WORDS]);

    /// The actions whose bits are set, action 0 lowest.
    pub const fn from_bits(bits: u64) -> Self {
        Self([bits, 0, 0, 0])
    }

    /// The actions whose bits are set, of up to 128.
    pub const fn from_wide_bits(bits: u128) -> Self {
        Self([bits as u64, (bits >> 64) as u64, 0, 0])
    }

    /// The actions `0..count`.
    pub fn first_of(count: u32) -> Self {
        (0..count).collect()
    }

    pub const fn only(action: Action) -> Self {
        let mut set = Self::NONE;
        set.insert(action);
        set
    }

    pub const fn insert(&mut self, action: Action) {
        self.0[(action / 64) as usize] |= 1 << (action % 64);
    }

    pub const fn contains(&self, action: Action) -> bool {
        action < Self::MOST && self.0[(action / 64) as usize] >> (action % 64) & 1 == 1
    }

    pub const fn len(&self) -> u32 {
        let [a, b, c, d] = self.0;
        if b | c | d == 0 {
            return a.count_ones();
        }
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// True if there is exactly one.
    pub const fn is_single(&self) -> bool {
        let [a, b, c, d] = self.0;
        if b | c | d == 0 {
            return a.is_power_of_two();
        }
        self.len() == 1
    }

    pub const fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// The actions that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// The actions in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = Action> + use<> {
        let mut words = self.0;
        let mut word = 0;
        std::iter::from_fn(move || {
            while words[word] == 0 {
                word += 1;
                if word == Self::WORDS {
                    word -= 1;
                    return None;
                }
            }
            let lowest = words[word].trailing_zeros();
            words[word] &= words[word] - 1;
            Some(word as Action * 64 + lowest)
        })
    }

    /// The action with `n` smaller ones before it.
    pub fn nth(&self, mut n: u32) -> Option<Action> {
        for (word, &bits) in self.0.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                if n == 0 {
                    return Some(word as Action * 64 + bits.trailing_zeros());
                }
                n -= 1;
                bits &= bits - 1;
            }
        }
        None
    }

    pub fn first(&self) -> Option<Action> {
        self.nth(0)
    }

    pub fn last(&self) -> Option<Action> {
        let word = self.0.iter().rposition(|&bits| bits != 0)?;
        Some(word as Action * 64 + self.0[word].ilog2())
    }

    /// Sets `mask[a]` to 1 for every action `a`, and to 0 for the rest.
    pub fn write(&self, mask: &mut [i8]) {
        let spread = |at: usize| SPREAD[(self.0[at / 8] >> (at % 8 * 8)) as usize & 0xFF];
        let (eights, rest) = mask.as_chunks_mut::<8>();
        let count = eights.len();
        for (at, eight) in eights.iter_mut().enumerate() {
            *eight = spread(at);
        }
        if !rest.is_empty() {
            for (bit, spread) in rest.iter_mut().zip(spread(count)) {
                *bit = spread;
            }
        }
    }
}

/// A set of legal actions in any representation.
pub trait LegalActions {
    fn contains(&self, action: Action) -> bool;
    /// Pushes the actions in increasing order.
    fn push_to(&self, out: &mut Vec<Action>);
    /// Sets `mask[a]` to 1 for every action `a`, and to 0 for the rest.
    fn write(&self, mask: &mut [i8]);
}

impl LegalActions for Actions {
    #[inline]
    fn contains(&self, action: Action) -> bool {
        Self::contains(self, action)
    }

    fn push_to(&self, out: &mut Vec<Action>) {
        out.extend(self.iter());
    }

    fn write(&self, mask: &mut [i8]) {
        Self::write(self, mask);
    }
}

/// In increasing order, for action spaces beyond [`Actions::MOST`].
impl LegalActions for Vec<Action> {
    fn contains(&self, action: Action) -> bool {
        self.binary_search(&action).is_ok()
    }

    fn push_to(&self, out: &mut Vec<Action>) {
        out.extend(self);
    }

    fn write(&self, mask: &mut [i8]) {
        mask.fill(0);
        for action in self {
            mask[*action as usize] = 1;
        }
    }
}

/// Eight bits as eight numbers, lowest first.
static SPREAD: [[i8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut at = 0;
        while at < 8 {
            spread[bits][at] = (bits >> at & 1) as i8;
            at += 1;
        }
        bits += 1;
    }
    spread
};

impl FromIterator<Action> for Actions {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Self {
        let mut set = Self::NONE;
        for action in actions {
            set.insert(action);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_lists_in_order() {
        let list = [0, 5, 63, 64, 130, 255];
        let set: Actions = list.into_iter().rev().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), list);
        assert_eq!(set.len() as usize, list.len());
        assert!(Actions::only(200).is_single() && Actions::only(3).is_single());
        assert!(!set.is_single() && !Actions::NONE.is_single());
        assert_eq!((set.first(), set.last()), (Some(0), Some(255)));
        for (n, action) in list.into_iter().enumerate() {
            assert_eq!(set.nth(n as u32), Some(action));
        }
        for action in 0..300 {
            assert_eq!(set.contains(action), list.contains(&action), "{action}");
        }
        assert_eq!(set.nth(6), None);
        let none = set.without(&set);
        assert!(none.is_empty() && none.first().is_none() && none.last().is_none());
        assert_eq!(none.iter().count(), 0);
        assert_eq!(set.without(&Actions::from_bits(1 << 5)), [0, 63, 64, 130, 255].into_iter().collect());
    }

    #[test]
    fn masks_have_a_one_for_every_action() {
        let mut mask = [7; 70];
        Actions::from_wide_bits(1 << 65 | 2).write(&mut mask);
        let ones: Vec<usize> = (0..70).filter(|&action| mask[action] == 1).collect();
        assert_eq!(ones, [1, 65]);
        assert!(mask.iter().all(|&bit| bit == 0 || bit == 1));
    }
}
