//! Choices of things: few that meet every need, many without conflict, a cut of a graph, or sets that cover much.

use kit::budget::{Budget, OverBudget};
use kit::rng::Rng;
use kit::shape::Miss;
use kit::shape::optimum::Sense;
use kit::task::permutation;
use kit::task::problem::Work;
use kit::task::solution::Faults;

pub use covering::Covering;

pub mod coverage;
pub mod covering;
pub mod cut;

/// A set of at most 64 things, a bit for each.
pub type Set = u64;

/// The things in a set, in order.
pub fn members(set: Set) -> impl Iterator<Item = usize> + Clone {
    let more = |set: Set| (set != 0).then_some(set);
    std::iter::successors(more(set), move |set| more(set & (set - 1)))
        .map(|set| set.trailing_zeros() as usize)
}

pub fn set_of<'a>(things: impl IntoIterator<Item = &'a usize>) -> Set {
    things.into_iter().fold(0, |set, thing| set | 1 << thing)
}

/// The set of the first things.
pub fn first(things: usize) -> Set {
    if things == 64 { Set::MAX } else { (1 << things) - 1 }
}

/// The set with other numbers; `order` holds the new one of each thing.
fn renumbered(set: Set, order: &[usize]) -> Set {
    members(set).fold(0, |set, thing| set | 1 << order[thing])
}

/// The label of a thing chosen twice, with its meaning.
pub const REPEATED: (&str, &str) = ("repeated_name", "a name that is listed twice");

/// Steps to solve one draw; those that take more are drawn again.
pub const SOLVE_STEPS: u64 = 60_000;
/// Number of things from which on it is not enough to look for the best one at each step.
const SEVERAL: usize = 13;
/// Random orders tried on each draw.
const TRIED: usize = 12;

/// A question about a choice of things.
pub enum Question {
    /// The fewest things that meet every need.
    Least(Covering),
    /// The most things that a covering can leave out.
    Free(Covering),
    /// The side of a cut that most edges cross; holds each node's neighbors.
    Cut(Vec<Set>),
    /// So many sets that cover the most.
    Coverage(Vec<Set>, usize),
}

impl Question {
    pub fn things(&self) -> usize {
        match self {
            Self::Least(covering) | Self::Free(covering) => covering.rivals.len(),
            Self::Cut(sets) | Self::Coverage(sets, _) => sets.len(),
        }
    }

    /// The things that are not in a set.
    pub fn rest(&self, set: Set) -> Set {
        first(self.things()) & !set
    }

    pub fn value(&self, chosen: Set) -> u64 {
        match self {
            Self::Least(_) | Self::Free(_) => chosen.count_ones().into(),
            Self::Cut(near) => cut::crossing(near, chosen),
            Self::Coverage(sets, _) => coverage::covered(sets, chosen).count_ones().into(),
        }
    }

    /// A best choice, if there is any.
    pub fn best(&self, budget: &mut Budget) -> Result<Option<Set>, OverBudget> {
        match self {
            Self::Least(covering) => covering.fewest(budget),
            Self::Free(covering) => Ok(covering.fewest(budget)?.map(|cover| self.rest(cover))),
            Self::Cut(near) => cut::largest(near, budget).map(Some),
            Self::Coverage(sets, count) => coverage::best(sets, *count, budget).map(Some),
        }
    }

    /// True if something is better than a choice; found by another way than [`Question::best`].
    pub fn is_beaten(&self, chosen: Set, budget: &mut Budget) -> Result<bool, OverBudget> {
        let fewer = |set: Set| set.count_ones().saturating_sub(1) as usize;
        match self {
            Self::Least(covering) => covering.is_met_by(fewer(chosen), budget),
            Self::Free(covering) => covering.is_met_by(fewer(self.rest(chosen)), budget),
            Self::Cut(near) => {
                let edges = near.iter().map(|near| u64::from(near.count_ones())).sum::<u64>() / 2;
                cut::leaves_fewer(near, edges - self.value(chosen), budget)
            }
            Self::Coverage(sets, count) => {
                coverage::cover_more(sets, *count, self.value(chosen) as u32, budget)
            }
        }
    }

    /// A value that none passes, and why.
    pub fn bound(
        &self,
        claimed: &[usize],
        sense: Sense,
        budget: &mut Budget,
    ) -> Result<(u64, String), String> {
        let chosen = set_of(claimed);
        let beaten = u64::from(self.is_beaten(chosen, budget).map_err(|over| over.to_string())?);
        let (bound, what) = match sense {
            Sense::Most(what) => (self.value(chosen) + beaten, what),
            Sense::Least(what) => (self.value(chosen) - beaten, what),
        };
        Ok((bound, format!("a search of all other choices shows that {what} can be no better than {bound}")))
    }

    /// Each thing in turn is taken if it fits, left out if it is not needed, or placed on the better side.
    fn in_order(&self, order: impl Iterator<Item = usize>) -> Set {
        match self {
            Self::Least(covering) if covering.is_exact() => order.fold(0, |chosen, thing| {
                let fits = covering.rivals[thing] & chosen == 0;
                if fits { chosen | 1 << thing } else { chosen }
            }),
            Self::Least(covering) => covering.trimmed(self.rest(0), order),
            Self::Free(covering) => self.rest(covering.trimmed(self.rest(0), order)),
            Self::Cut(near) => cut::placed_in(near, order, false),
            Self::Coverage(_, count) => order.take(*count).fold(0, |set, thing| set | 1 << thing),
        }
    }

    fn by_chance(&self, rng: &mut Rng) -> Set {
        self.in_order(permutation::random(self.things(), rng).into_iter())
    }

    /// Takes whatever does most, again and again.
    fn by_gain(&self) -> Set {
        match self {
            Self::Least(covering) if covering.is_exact() => covering.greedy(),
            Self::Least(covering) => covering.trimmed(covering.greedy(), 0..self.things()),
            Self::Free(covering) => self.rest(covering.trimmed(covering.greedy(), 0..self.things())),
            Self::Cut(near) => {
                let mut order: Vec<usize> = (0..near.len()).collect();
                order.sort_by_key(|node| u32::MAX - near[*node].count_ones());
                cut::placed_in(near, order, false)
            }
            Self::Coverage(sets, count) => coverage::greedy(sets, *count),
        }
    }

    /// Takes whatever spoils least, again and again, or lets single nodes change sides while that helps.
    fn by_loss(&self) -> Set {
        match self {
            Self::Least(covering) => covering.sparing(),
            Self::Free(covering) => self.rest(covering.sparing()),
            Self::Cut(near) => cut::placed_in(near, 0..near.len(), true),
            Self::Coverage(sets, _) => {
                let mut order: Vec<usize> = (0..sets.len()).collect();
                order.sort_by_key(|at| u32::MAX - sets[*at].count_ones());
                self.in_order(order.into_iter())
            }
        }
    }

    fn is_allowed(&self, chosen: Set) -> bool {
        match self {
            Self::Least(covering) => covering.fits(chosen),
            Self::Free(_) | Self::Cut(_) | Self::Coverage(..) => chosen != 0,
        }
    }

    /// Choices by simple rules. Where there are few things, only the order of the list is followed.
    pub fn thumbs(&self) -> Vec<(&'static str, Vec<usize>)> {
        let things = self.things();
        let mut thumbs = vec![
            ("in the order of the list", self.in_order(0..things)),
            ("in reverse order", self.in_order((0..things).rev())),
        ];
        if things >= SEVERAL {
            thumbs.extend([
                ("what does most, again and again", self.by_gain()),
                ("what costs least, again and again", self.by_loss()),
            ]);
        }
        thumbs.retain(|(_, chosen)| self.is_allowed(*chosen));
        thumbs.into_iter().map(|(name, chosen)| (name, members(chosen).collect())).collect()
    }

    /// True if random orders lead to a value often.
    pub fn is_easy(&self, value: u64, rng: &mut Rng) -> bool {
        let hits = |_: &usize| {
            let chosen = self.by_chance(rng);
            self.is_allowed(chosen) && self.value(chosen) == value
        };
        let most = if self.things() < SEVERAL { TRIED / 3 } else { TRIED / 8 };
        (0..TRIED).filter(hits).count() > most
    }

    pub fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let chance = self.by_chance(rng);
        [
            ("what does most, again and again", self.by_gain()),
            ("what costs least, again and again", self.by_loss()),
            ("whatever fits, in any order", chance),
        ]
        .map(|(name, chosen)| (name, members(chosen).collect()))
        .to_vec()
    }

    /// Things at random, as many as are right.
    pub fn guesses(&self, right: &[usize], rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let mut any = permutation::random(self.things(), rng);
        let some = any[..=rng.index(any.len() / 2)].to_vec();
        any.truncate(right.len());
        vec![("any things", some), ("as many things as are right", any)]
    }

    /// Another best choice, in any order.
    pub fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let order = permutation::random(self.things(), rng);
        let moved = |sets: &[Set], within: bool| {
            let mut moved = vec![0; sets.len()];
            for (at, set) in sets.iter().enumerate() {
                moved[order[at]] = if within { renumbered(*set, &order) } else { *set };
            }
            moved
        };
        let other = match self {
            Self::Least(covering) => Self::Least(covering.renumbered(&order)),
            Self::Free(covering) => Self::Free(covering.renumbered(&order)),
            Self::Cut(near) => Self::Cut(moved(near, true)),
            Self::Coverage(sets, count) => Self::Coverage(moved(sets, false), *count),
        };
        let best = other.best(&mut Budget::new(SOLVE_STEPS)).ok()??;
        let mut things: Vec<usize> =
            (0..order.len()).filter(|thing| best >> order[*thing] & 1 == 1).collect();
        rng.shuffle(&mut things);
        Some(things)
    }

    /// A best choice spoiled so that it breaks a rule, which `flaw` is the label of.
    pub fn spoiled(
        &self,
        right: &[usize],
        flaw: &'static str,
        faults: Faults,
        rng: &mut Rng,
    ) -> Vec<Miss<Vec<usize>>> {
        let twice = faults.draw(right.len(), rng).into_iter().map(|at| right[at]);
        let mut misses = vec![Miss::breaks(REPEATED.0, right.iter().copied().chain(twice).collect())];
        let (Self::Least(covering) | Self::Free(covering)) = self else { return misses };
        let free = matches!(self, Self::Free(_));
        let cover = if free { self.rest(set_of(right)) } else { set_of(right) };
        // Fewer things than the fewest leave a need unmet, or a conflict.
        let taken: Vec<usize> = members(cover).collect();
        let dropped =
            set_of(&faults.draw(taken.len(), rng).into_iter().map(|at| taken[at]).collect::<Vec<_>>());
        let mut short: Vec<usize> =
            members(if free { self.rest(cover & !dropped) } else { cover & !dropped }).collect();
        rng.shuffle(&mut short);
        misses.push(Miss::breaks(flaw, short));
        // So does the exchange of the only thing that meets a need for one that does not.
        for _ in 0..3 {
            let lost = *rng.pick(&taken);
            let Some(need) = covering.private(cover, lost) else { continue };
            let others: Vec<usize> = members(self.rest(cover | need)).collect();
            if others.is_empty() {
                continue;
            }
            let gained = *rng.pick(&others);
            let exchange = |thing: &usize| match *thing {
                thing if thing == lost => gained,
                thing if thing == gained => lost,
                thing => thing,
            };
            misses.push(Miss::breaks(flaw, right.iter().map(exchange).collect()));
        }
        misses.retain(|miss| !miss.answer.is_empty());
        misses
    }

    /// A best choice with things added, left out and exchanged.
    pub fn changed(&self, right: &[usize], faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let others: Vec<usize> = members(self.rest(set_of(right))).collect();
        let (mut more, mut fewer, mut exchanged) = (right.to_vec(), right.to_vec(), right.to_vec());
        for at in faults.draw(others.len(), rng) {
            more.insert(if rng.chance(1, 2) { 0 } else { more.len() }, others[at]);
        }
        let mut spoilt = faults.draw(right.len(), rng);
        spoilt.sort_unstable();
        for at in spoilt.into_iter().rev() {
            fewer.remove(at);
            exchanged[at] = *rng.pick(&others);
        }
        let mut changed = vec![more, fewer, exchanged];
        changed.retain(|things| !things.is_empty());
        changed
    }

    /// Takes the things of a choice one after the other, each with a hint and what it leads to, and then looks for
    /// something better.
    pub fn work(
        &self,
        right: &[usize],
        sense: Sense,
        work: &mut Work,
        says: impl Fn(Set, usize) -> (&'static str, String),
    ) {
        let mut chosen = 0;
        for thing in right {
            let (hint, says) = says(chosen, *thing);
            work.hinted(1, hint, says);
            chosen |= 1 << thing;
        }
        let mut budget = Budget::new(SOLVE_STEPS);
        // A search that is given up counts as far as it went.
        let _ = self.best(&mut budget);
        let value = self.value(chosen);
        let (what, other) = match sense {
            Sense::Most(what) => (what, "larger"),
            Sense::Least(what) => (what, "smaller"),
        };
        let says = format_args!("every other choice has been tried: {what} cannot be {other} than {value}");
        work.hinted(budget.spent(), "Check that nothing is better.", says);
    }
}
