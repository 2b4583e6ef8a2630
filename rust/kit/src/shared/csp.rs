//! Finite domains: variables with a few values each, rules between them, and a search in counted steps.
//!
//! Values go from 0 to 63, and a set of them is a `u64` whose bit `v` represents `v`. Only
//! [`Csp::random_solution`] is random: the order of the variables and of the rules decides the rest.

use crate::budget::{Budget, OverBudget};
use crate::rng::Rng;

mod path;
mod rules;

pub use path::{SolvePath, Step, Why};
pub use rules::{AllDifferent, Less, Pair, Table};

/// No assignment is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// The values of a set, in increasing order.
pub fn values(mut set: u64) -> impl Iterator<Item = u8> + Clone {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let value = set.trailing_zeros() as u8;
            set &= set - 1;
            value
        })
    })
}

/// The set of the values from `low` to `high`.
pub const fn range(low: u8, high: u8) -> u64 {
    assert!(low <= high && high < 64, "values go from 0 to 63");
    (u64::MAX >> (63 - high)) & (u64::MAX << low)
}

/// The values that each variable may still take.
#[derive(Clone, Debug)]
pub struct Domains {
    open: Vec<u64>,
    changed: Vec<Change>,
}

/// The values that a variable has left after losing some; `placed` if its value has no other place.
#[derive(Clone, Copy, Debug)]
struct Change {
    variable: usize,
    left: u64,
    placed: bool,
}

impl Domains {
    pub fn of(&self, variable: usize) -> u64 {
        self.open[variable]
    }

    /// The value of a variable that is down to one.
    pub fn value(&self, variable: usize) -> Option<u8> {
        let open = self.open[variable];
        open.is_power_of_two().then(|| open.trailing_zeros() as u8)
    }

    pub fn all_fixed(&self) -> bool {
        self.open.iter().all(|open| open.is_power_of_two())
    }

    /// Removes all other values from a variable.
    pub fn keep(&mut self, variable: usize, values: u64) -> Result<(), Contradiction> {
        self.change(variable, values, false)
    }

    /// Assigns a variable the value that has no other place.
    pub fn place(&mut self, variable: usize, value: u8) -> Result<(), Contradiction> {
        self.change(variable, 1 << value, true)
    }

    fn change(&mut self, variable: usize, values: u64, placed: bool) -> Result<(), Contradiction> {
        let before = self.open[variable];
        let open = before & values;
        if open == before {
            return Ok(());
        }
        self.open[variable] = open;
        self.changed.push(Change { variable, left: open, placed });
        if open == 0 { Err(Contradiction) } else { Ok(()) }
    }

    /// The first of the variables with the fewest values, among those that have several.
    fn narrowest(&self) -> Option<usize> {
        let several = self.open.iter().enumerate().filter(|(_, open)| !open.is_power_of_two());
        several.min_by_key(|(_, open)| open.count_ones()).map(|(variable, _)| variable)
    }
}

/// A constraint on some variables.
pub trait Rule: Send + Sync {
    /// The variables that it constrains, each once.
    fn scope(&self) -> &[usize];

    /// Removes values that occur in no assignment within the rule. It need not remove all of those, but it
    /// must reject a violation once every variable has a single value.
    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction>;

    /// Steps that one call counts for.
    fn cost(&self) -> u64 {
        self.scope().len() as u64
    }
}

/// Variables and the rules between them. Pending rules are applied in the order in which they were required.
pub struct Csp {
    values: u64,
    rules: Vec<Box<dyn Rule>>,
    /// The rules about each variable.
    about: Vec<Vec<usize>>,
}

impl Csp {
    /// Variables that may all take the same values at first.
    pub fn new(variables: usize, values: u64) -> Self {
        Self { values, rules: Vec::new(), about: vec![Vec::new(); variables] }
    }

    /// Adds a rule; rules are numbered as they come.
    pub fn require(&mut self, rule: impl Rule + 'static) {
        for variable in rule.scope() {
            self.about[*variable].push(self.rules.len());
        }
        self.rules.push(Box::new(rule));
    }

    /// Every value for every variable.
    pub fn domains(&self) -> Domains {
        let left = self.values;
        let changed = (0..self.about.len()).map(|variable| Change { variable, left, placed: false });
        Domains { open: vec![left; self.about.len()], changed: changed.collect() }
    }

    /// True if no rule about a variable alone refutes the value, as it leaves the domains.
    pub fn allows(&self, domains: &Domains, variable: usize, value: u8) -> bool {
        let next = with(domains, variable, value);
        self.about[variable].iter().all(|rule| self.rules[*rule].narrow(&mut next.clone()).is_ok())
    }

    /// Applies the rules until they remove no more values; true if every variable keeps one.
    pub fn narrow(&self, domains: &mut Domains, budget: &mut Budget) -> Result<bool, OverBudget> {
        self.narrow_telling(domains, budget, &mut |_, _| {})
    }

    /// [`Csp::narrow`] that reports each change and the rule that made it.
    fn narrow_telling(
        &self,
        domains: &mut Domains,
        budget: &mut Budget,
        tell: &mut dyn FnMut(usize, Change),
    ) -> Result<bool, OverBudget> {
        // Bits of the pending rules.
        let mut waiting = vec![0u64; self.rules.len().div_ceil(64)];
        let mut changed = std::mem::take(&mut domains.changed);
        loop {
            for rule in changed.drain(..).flat_map(|change| &self.about[change.variable]) {
                waiting[rule / 64] |= 1 << (rule % 64);
            }
            let Some(word) = waiting.iter().position(|word| *word != 0) else {
                return Ok(true);
            };
            let rule = 64 * word + waiting[word].trailing_zeros() as usize;
            waiting[word] &= waiting[word] - 1;
            budget.spend(self.rules[rule].cost())?;
            let narrowed = self.rules[rule].narrow(domains);
            std::mem::swap(&mut changed, &mut domains.changed);
            if narrowed.is_err() {
                changed.clear();
                return Ok(false);
            }
            for change in &changed {
                tell(rule, *change);
            }
        }
    }

    /// The first `at_most` assignments that satisfy every rule.
    pub fn solutions(
        &self,
        domains: &Domains,
        at_most: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<u8>>, OverBudget> {
        let mut found = Vec::new();
        self.search(domains.clone(), at_most, &mut found, budget)?;
        Ok(found)
    }

    fn search(
        &self,
        mut domains: Domains,
        at_most: usize,
        found: &mut Vec<Vec<u8>>,
        budget: &mut Budget,
    ) -> Result<(), OverBudget> {
        if found.len() >= at_most || !self.narrow(&mut domains, budget)? {
            return Ok(());
        }
        let Some(variable) = domains.narrowest() else {
            found.push(assignment(&domains));
            return Ok(());
        };
        for value in values(domains.of(variable)) {
            self.search(with(&domains, variable, value), at_most, found, budget)?;
        }
        Ok(())
    }

    /// A random assignment that satisfies every rule, or `None` if there is none. Not all are equally likely.
    pub fn random_solution(
        &self,
        domains: &Domains,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, OverBudget> {
        let mut most = 2 * self.about.len();
        loop {
            // A search that meets many dead ends is in a bad corner: a fresh start is quicker.
            let mut tries = most;
            let found = self.random_search(domains.clone(), rng, &mut tries, budget)?;
            if found.is_some() || tries > 0 {
                return Ok(found);
            }
            most *= 2;
        }
    }

    fn random_search(
        &self,
        mut domains: Domains,
        rng: &mut Rng,
        tries: &mut usize,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, OverBudget> {
        if !self.narrow(&mut domains, budget)? {
            return Ok(None);
        }
        let Some(variable) = domains.narrowest() else {
            return Ok(Some(assignment(&domains)));
        };
        let mut order: Vec<u8> = values(domains.of(variable)).collect();
        rng.shuffle(&mut order);
        for value in order {
            if *tries == 0 {
                break;
            }
            *tries -= 1;
            let found = self.random_search(with(&domains, variable, value), rng, tries, budget)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Domains in which a variable has one of its values.
fn with(domains: &Domains, variable: usize, value: u8) -> Domains {
    let mut next = domains.clone();
    next.keep(variable, 1 << value).expect("the value is open");
    next
}

fn assignment(domains: &Domains) -> Vec<u8> {
    domains.open.iter().map(|open| open.trailing_zeros() as u8).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::rng::Key;

    pub fn plenty() -> Budget<'static> {
        Budget::new(u64::MAX)
    }

    fn count(csp: &Csp) -> usize {
        csp.solutions(&csp.domains(), usize::MAX, &mut plenty()).unwrap().len()
    }

    pub fn latin(size: usize) -> Csp {
        let mut csp = Csp::new(size * size, range(1, size as u8));
        for line in 0..size {
            csp.require(AllDifferent((0..size).map(|at| line * size + at).collect()));
            csp.require(AllDifferent((0..size).map(|at| at * size + line).collect()));
        }
        csp
    }

    /// The variables add up to a number: a rule of only some puzzles.
    struct Sum(Vec<usize>, u64);

    impl Rule for Sum {
        fn scope(&self) -> &[usize] {
            &self.0
        }

        fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
            for variable in &self.0 {
                let others =
                    || self.0.iter().filter(|other| *other != variable).map(|other| domains.of(*other));
                let low: u64 = others().map(|open| u64::from(open.trailing_zeros())).sum();
                let high: u64 = others().map(|open| u64::from(open.ilog2())).sum();
                let fits = |value: &u8| (low..=high).contains(&self.1.wrapping_sub(u64::from(*value)));
                let left = values(domains.of(*variable)).filter(fits).fold(0, |set, value| set | 1 << value);
                domains.keep(*variable, left)?;
            }
            Ok(())
        }
    }

    #[test]
    fn known_counts_are_found() {
        // Latin squares of order 4; reduced ones of order 5 and 6; ways to put 8 queens.
        assert_eq!(count(&latin(4)), 576);
        for (size, reduced) in [(5, 56), (6, 9_408)] {
            let csp = latin(size);
            let mut domains = csp.domains();
            for at in 0..size {
                domains.keep(at, 2 << at).unwrap();
                domains.keep(at * size, 2 << at).unwrap();
            }
            assert_eq!(csp.solutions(&domains, usize::MAX, &mut plenty()).unwrap().len(), reduced);
        }
        let mut queens = Csp::new(8, range(0, 7));
        queens.require(AllDifferent((0..8).collect()));
        for (a, b) in (0..8u8).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let apart = |row: &[u8]| row[0].abs_diff(row[1]) != b - a;
            queens.require(Table::allowing(vec![a.into(), b.into()], range(0, 7), apart));
        }
        assert_eq!(count(&queens), 92);
    }

    /// Five houses, each with one of five colors, nations, drinks, pets and brands; the zebra is the
    /// Japanese's.
    #[test]
    fn who_owns_the_zebra() {
        let [red, green, ivory, yellow, blue] = [0, 1, 2, 3, 4];
        let [english, spaniard, ukrainian, norwegian, japanese] = [5, 6, 7, 8, 9];
        let [coffee, tea, milk, juice, water] = [10, 11, 12, 13, 14];
        let [dog, snails, fox, horse, zebra] = [15, 16, 17, 18, 19];
        let [old_gold, kools, chesterfields, lucky_strike, parliaments] = [20, 21, 22, 23, 24];
        let mut csp = Csp::new(25, range(1, 5));
        for kind in 0..5 {
            csp.require(AllDifferent((5 * kind..5 * kind + 5).collect()));
        }
        let mut pair = |a, b, allowed: fn(&[u8]) -> bool| {
            csp.require(Table::allowing(vec![a, b], range(1, 5), allowed));
        };
        for (a, b) in [
            (english, red),
            (spaniard, dog),
            (coffee, green),
            (ukrainian, tea),
            (old_gold, snails),
            (kools, yellow),
            (lucky_strike, juice),
            (japanese, parliaments),
        ] {
            pair(a, b, |at| at[0] == at[1]);
        }
        pair(ivory, green, |at| at[0] + 1 == at[1]);
        for (a, b) in [(chesterfields, fox), (kools, horse), (norwegian, blue)] {
            pair(a, b, |at| at[0].abs_diff(at[1]) == 1);
        }
        let mut domains = csp.domains();
        domains.keep(milk, 1 << 3).unwrap();
        domains.keep(norwegian, 1 << 1).unwrap();
        let found = csp.solutions(&domains, 2, &mut plenty()).unwrap();
        assert_eq!(found.len(), 1);
        let at = |which: usize| found[0][which];
        assert_eq!((at(zebra), at(water)), (at(japanese), at(norwegian)));
        let path = csp.solve_path(&domains, &found[0]);
        assert!(path.steps.iter().any(|step| matches!(step.why, Why::Tried(_))));
        assert_eq!(path.steps.len(), 23);
    }

    type Check = Box<dyn Fn(&[u8]) -> bool>;

    #[test]
    fn search_counts_as_brute_force_does() {
        let mut rng = Key::new("csp", 1, "", 0, "").stream(0);
        let mut counts = [0; 4];
        for _ in 0..600 {
            let among = range(rng.below(2) as u8, 2 + rng.below(2) as u8);
            let mut csp = Csp::new(5, among);
            let mut checks: Vec<Check> = Vec::new();
            for _ in 0..3 + rng.below(3) {
                let mut all: Vec<usize> = (0..5).collect();
                rng.shuffle(&mut all);
                let [a, b, c] = [all[0], all[1], all[2]];
                match rng.below(5) {
                    0 => {
                        csp.require(AllDifferent(vec![a, b, c]));
                        checks.push(Box::new(move |v| v[a] != v[b] && v[a] != v[c] && v[b] != v[c]));
                    }
                    1 => {
                        csp.require(Less([a, b]));
                        checks.push(Box::new(move |v| v[a] < v[b]));
                    }
                    2 => {
                        csp.require(Pair::allowing([a, b], among, |a, b| (a + b) % 3 > 0));
                        checks.push(Box::new(move |v| (v[a] + v[b]) % 3 > 0));
                    }
                    3 => {
                        let allowed = |v: &[u8]| (v[0] + 2 * v[1]) % 3 != v[2] % 3;
                        csp.require(Table::allowing(vec![a, b, c], among, allowed));
                        checks.push(Box::new(move |v| allowed(&[v[a], v[b], v[c]])));
                    }
                    _ => {
                        let sum = 2 + rng.below(5);
                        csp.require(Sum(vec![a, b, c], sum));
                        checks.push(Box::new(move |v| u64::from(v[a] + v[b] + v[c]) == sum));
                    }
                }
            }
            let expected = Table::allowing((0..5).collect(), among, |v| checks.iter().all(|holds| holds(v)));
            let mut found = csp.solutions(&csp.domains(), usize::MAX, &mut plenty()).unwrap();
            found.sort();
            assert_eq!(found, expected.rows());
            assert_eq!(csp.solutions(&csp.domains(), 2, &mut plenty()).unwrap().len(), found.len().min(2));
            let drawn = csp.random_solution(&csp.domains(), &mut rng, &mut plenty()).unwrap();
            assert_eq!(drawn.is_some(), !found.is_empty());
            assert!(drawn.is_none_or(|drawn| found.contains(&drawn)));
            counts[found.len().min(3)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }

    #[test]
    fn work_ends_with_the_budget() {
        let csp = latin(6);
        assert_eq!(csp.solutions(&csp.domains(), usize::MAX, &mut Budget::new(5_000)), Err(OverBudget));
        let mut rng = Key::new("csp", 1, "", 0, "").stream(1);
        assert_eq!(csp.random_solution(&csp.domains(), &mut rng, &mut Budget::new(50)), Err(OverBudget));
        assert_eq!((range(0, 63), range(1, 3)), (u64::MAX, 0b1110));
    }
}
