//! Few things that meet every need and, as what they leave out, many without conflict.

use std::cmp::Reverse;

use kit::budget::{Budget, OverBudget};

use super::{Set, first, members, renumbered};

/// Things of which some are to be chosen so that each need is met by at least one.
pub struct Covering {
    /// For each need the things that meet it.
    pub needs: Vec<Set>,
    /// For each thing those that may not be chosen beside it.
    pub rivals: Vec<Set>,
}

impl Covering {
    /// A covering in which any things go together.
    pub fn new(things: usize, needs: impl IntoIterator<Item = Set>) -> Self {
        Self { needs: needs.into_iter().collect(), rivals: vec![0; things] }
    }

    /// A covering in which each need must be met by exactly one thing.
    pub fn exact(things: usize, needs: impl IntoIterator<Item = Set>) -> Self {
        let mut covering = Self::new(things, needs);
        for need in &covering.needs {
            for thing in members(*need) {
                covering.rivals[thing] |= need & !(1 << thing);
            }
        }
        covering
    }

    pub fn is_exact(&self) -> bool {
        self.rivals.iter().any(|rivals| *rivals != 0)
    }

    /// The needs that a choice leaves unmet.
    pub fn unmet(&self, chosen: Set) -> impl Iterator<Item = Set> + Clone {
        self.needs.iter().copied().filter(move |need| need & chosen == 0)
    }

    /// A choice with the fewest things, if there is any, by branch and bound.
    pub fn fewest(&self, budget: &mut Budget) -> Result<Option<Set>, OverBudget> {
        let mut best = None;
        self.improve(0, Set::MAX, &mut best, budget)?;
        Ok(best)
    }

    fn improve(
        &self,
        chosen: Set,
        open: Set,
        best: &mut Option<Set>,
        budget: &mut Budget,
    ) -> Result<(), OverBudget> {
        budget.spend(1 + self.needs.len() as u64 / 8)?;
        let mut unmet: Vec<Set> = self.unmet(chosen).map(|need| need & open).collect();
        let met = meeting(&unmet);
        let most = |need: Set| members(need).map(|thing| met[thing]).max();
        unmet.sort_by_cached_key(|need| (need.count_ones(), Reverse(most(*need))));
        // Needs that have nothing in common take a thing each.
        let (mut apart, mut used) = (0, 0);
        for need in &unmet {
            if need & used == 0 {
                used |= need;
                apart += 1;
            }
        }
        if best.is_some_and(|best| chosen.count_ones() + apart >= best.count_ones()) {
            return Ok(());
        }
        let Some(need) = unmet.first() else {
            *best = Some(chosen);
            return Ok(());
        };
        let mut things: Vec<usize> = members(*need).collect();
        things.sort_by_key(|thing| Reverse(met[*thing]));
        let mut open = open;
        for thing in things {
            open &= !(1 << thing);
            self.improve(chosen | 1 << thing, open & !self.rivals[thing], best, budget)?;
        }
        Ok(())
    }

    /// True if `size` things can meet every need. The search shares nothing with [`Covering::fewest`]: it takes or
    /// leaves the thing that meets the most, and counts how much can be met at best.
    pub fn is_met_by(&self, size: usize, budget: &mut Budget) -> Result<bool, OverBudget> {
        self.meets(&self.needs, size, budget)
    }

    fn meets(&self, unmet: &[Set], left: usize, budget: &mut Budget) -> Result<bool, OverBudget> {
        budget.spend(1 + unmet.len() as u64 / 8)?;
        if unmet.is_empty() || unmet.contains(&0) {
            return Ok(unmet.is_empty());
        }
        let met = meeting(unmet);
        let thing = (0..64).max_by_key(|thing| met[*thing]).expect("there are 64");
        let mut sorted = met;
        sorted.sort_unstable_by_key(|count| Reverse(*count));
        if sorted.iter().take(left).sum::<usize>() < unmet.len() {
            return Ok(false);
        }
        let (bit, rivals) = (1 << thing, self.rivals[thing]);
        let rest: Vec<Set> =
            unmet.iter().filter(|need| *need & bit == 0).map(|need| need & !rivals).collect();
        if self.meets(&rest, left - 1, budget)? {
            return Ok(true);
        }
        let without: Vec<Set> = unmet.iter().map(|need| need & !bit).collect();
        self.meets(&without, left, budget)
    }

    /// The rest of a choice when each thing in turn is dropped unless a need then remains unmet.
    pub fn trimmed(&self, chosen: Set, order: impl IntoIterator<Item = usize>) -> Set {
        order.into_iter().fold(chosen, |chosen, thing| {
            let less = chosen & !(1 << thing);
            if self.unmet(less).next().is_none() { less } else { chosen }
        })
    }

    /// Takes the thing that meets the most unmet needs, again and again.
    pub fn greedy(&self) -> Set {
        let (mut chosen, mut open) = (0, Set::MAX);
        loop {
            let unmet: Vec<Set> = self.unmet(chosen).map(|need| need & open).collect();
            let met = meeting(&unmet);
            let best = (0..64).rev().max_by_key(|thing| met[*thing]).filter(|thing| met[*thing] > 0);
            let Some(thing) = best else { return chosen };
            chosen |= 1 << thing;
            open &= !self.rivals[thing];
        }
    }

    /// Leaves out the thing that meets the fewest unmet needs, again and again, and takes what has to make up for it.
    pub fn sparing(&self) -> Set {
        let (mut chosen, mut open) = (0, first(self.rivals.len()));
        loop {
            let unmet: Vec<Set> = self.unmet(chosen).collect();
            let met = meeting(&unmet);
            let Some(thing) = members(open).min_by_key(|thing| met[*thing]) else { return chosen };
            open &= !(1 << thing);
            for need in unmet.into_iter().filter(|need| need >> thing & 1 == 1) {
                match (need & open).count_ones() {
                    0 if need & chosen == 0 => chosen |= 1 << thing,
                    1 => chosen |= need & open,
                    _ => {}
                }
            }
            open &= !chosen;
        }
    }

    /// The choice meets every need, and no two things of it are rivals.
    pub fn fits(&self, chosen: Set) -> bool {
        self.unmet(chosen).next().is_none() && members(chosen).all(|thing| self.rivals[thing] & chosen == 0)
    }

    /// The same with other numbers; `order` holds the new one of each thing.
    pub fn renumbered(&self, order: &[usize]) -> Self {
        let mut rivals = vec![0; order.len()];
        for (thing, old) in self.rivals.iter().enumerate() {
            rivals[order[thing]] = renumbered(*old, order);
        }
        Self { needs: self.needs.iter().map(|need| renumbered(*need, order)).collect(), rivals }
    }

    /// A need that only this thing of a choice meets.
    pub fn private(&self, chosen: Set, thing: usize) -> Option<Set> {
        self.needs.iter().copied().find(|need| need & chosen == 1 << thing)
    }
}

/// For each thing how many of the needs it meets.
fn meeting(needs: &[Set]) -> [usize; 64] {
    let mut met = [0; 64];
    for need in needs {
        members(*need).for_each(|thing| met[thing] += 1);
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::rng;

    #[test]
    fn both_searches_agree_with_trying_every_choice() {
        let mut rng = rng(0);
        for round in 0..400 {
            let things = 3 + rng.index(7);
            let needs = (0..=rng.index(12)).map(|_| 1 + rng.below((1 << things) - 1));
            let needs: Vec<Set> = needs.collect();
            let exact = round % 2 == 1;
            let covering = if exact { Covering::exact(things, needs) } else { Covering::new(things, needs) };
            let all = (0..1 << things).filter(|chosen| covering.fits(*chosen));
            let least = all.map(Set::count_ones).min();
            let mut budget = Budget::unlimited();
            let found = covering.fewest(&mut budget).unwrap();
            assert_eq!(found.map(Set::count_ones), least);
            assert!(found.is_none_or(|found| covering.fits(found)));
            for size in 0..=things {
                let met = covering.is_met_by(size, &mut budget).unwrap();
                assert_eq!(met, least.is_some_and(|least| least as usize <= size), "{size}");
            }
            if !exact {
                let greedy =
                    [covering.greedy(), covering.sparing(), covering.trimmed(first(things), 0..things)];
                assert!(greedy.iter().all(|chosen| covering.fits(*chosen)), "{greedy:?}");
            }
        }
    }
}
