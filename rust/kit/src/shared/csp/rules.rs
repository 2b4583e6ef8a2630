//! The rules that most puzzles are made of.

use std::cmp::Ordering;

use super::{Contradiction, Domains, Rule, values};

/// No two variables are equal.
pub struct AllDifferent(pub Vec<usize>);

impl Rule for AllDifferent {
    fn scope(&self) -> &[usize] {
        &self.0
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let mut taken = 0;
        for variable in &self.0 {
            let open = domains.of(*variable);
            if open.is_power_of_two() {
                if taken & open != 0 {
                    return Err(Contradiction);
                }
                taken |= open;
            }
        }
        let [mut once, mut twice] = [0; 2];
        for variable in &self.0 {
            let open = domains.of(*variable);
            if !open.is_power_of_two() {
                domains.keep(*variable, !taken)?;
            }
            twice |= once & domains.of(*variable);
            once |= domains.of(*variable);
        }
        // If there are as many values as variables, each value has a place.
        match (once.count_ones() as usize).cmp(&self.0.len()) {
            Ordering::Less => return Err(Contradiction),
            Ordering::Greater => return Ok(()),
            Ordering::Equal => {}
        }
        for value in values(once & !twice & !taken) {
            let place = self.0.iter().find(|variable| domains.of(**variable) >> value & 1 == 1);
            domains.place(*place.ok_or(Contradiction)?, value)?;
        }
        Ok(())
    }
}

/// The first variable is less than the second.
pub struct Less(pub [usize; 2]);

impl Rule for Less {
    fn scope(&self) -> &[usize] {
        &self.0
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let [small, large] = self.0;
        let lowest = domains.of(small).trailing_zeros();
        domains.keep(large, (u64::MAX << lowest) << 1)?;
        let highest = domains.of(large).ilog2();
        domains.keep(small, (1 << highest) - 1)
    }
}

/// Two variables have values that go together.
pub struct Pair {
    scope: [usize; 2],
    /// For each value of one of them, the values that the other may have.
    beside: [Vec<u64>; 2],
}

impl Pair {
    /// The pairs of values from `among` that are `allowed`.
    pub fn allowing(scope: [usize; 2], among: u64, allowed: impl Fn(u8, u8) -> bool) -> Self {
        let set = |fits: &dyn Fn(u8) -> bool| {
            values(among).filter(|value| fits(*value)).fold(0, |set, value| set | 1 << value)
        };
        let most = (u64::BITS - among.leading_zeros()) as u8;
        let second = (0..most).map(|one| set(&|other| allowed(one, other)));
        let first = (0..most).map(|other| set(&|one| allowed(one, other)));
        Self { scope, beside: [second.collect(), first.collect()] }
    }
}

impl Rule for Pair {
    fn scope(&self) -> &[usize] {
        &self.scope
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        for at in [0, 1] {
            let here = values(domains.of(self.scope[at]));
            let beside = here.fold(0, |set, value| set | self.beside[at][usize::from(value)]);
            domains.keep(self.scope[1 - at], beside)?;
        }
        Ok(())
    }
}

/// The variables have one of the listed combinations of values.
pub struct Table {
    scope: Vec<usize>,
    rows: Vec<Vec<u8>>,
}

impl Table {
    /// Rows of a value for each variable of the scope.
    pub fn new(scope: Vec<usize>, rows: Vec<Vec<u8>>) -> Self {
        assert!(rows.iter().all(|row| row.len() == scope.len()), "a value for each variable");
        Self { scope, rows }
    }

    /// The combinations of `among` that are `allowed`. Tries as many as values to the power of variables.
    pub fn allowing(scope: Vec<usize>, among: u64, allowed: impl Fn(&[u8]) -> bool) -> Self {
        let mut rows = vec![Vec::new()];
        for _ in &scope {
            let longer = |row: &Vec<u8>| {
                let row = row.clone();
                values(among).map(move |value| [row.as_slice(), &[value]].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        rows.retain(|row| allowed(row));
        Self { scope, rows }
    }

    pub fn rows(&self) -> &[Vec<u8>] {
        &self.rows
    }
}

impl Rule for Table {
    fn scope(&self) -> &[usize] {
        &self.scope
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let mut supported = vec![0; self.scope.len()];
        for row in &self.rows {
            if self.scope.iter().zip(row).all(|(variable, value)| domains.of(*variable) >> value & 1 == 1) {
                for (supported, value) in supported.iter_mut().zip(row) {
                    *supported |= 1 << value;
                }
            }
        }
        self.scope.iter().zip(supported).try_for_each(|(variable, values)| domains.keep(*variable, values))
    }

    fn cost(&self) -> u64 {
        (self.rows.len() * self.scope.len()) as u64
    }
}
