//! Hidden squares that are mines in every layout, in some, or in none.

use std::collections::VecDeque;

use super::Field;
use kit::budget::{Budget, OverBudget};
use kit::shared::csp::{Contradiction, Csp, Domains, Rule, range};

/// The number of mines among some squares.
struct Count {
    around: Vec<usize>,
    mines: usize,
}

impl Rule for Count {
    fn scope(&self) -> &[usize] {
        &self.around
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let count = |values: u64| self.around.iter().filter(|square| domains.of(**square) == values).count();
        let (mines, free) = (count(2), count(1));
        let open = self.around.len() - mines - free;
        let rest = match self.mines.checked_sub(mines).ok_or(Contradiction)? {
            0 => 1,
            left if left == open => 2,
            left if left > open => return Err(Contradiction),
            _ => return Ok(()),
        };
        if open == 0 {
            return Ok(());
        }
        for square in &self.around {
            if domains.of(*square) == 3 {
                domains.keep(*square, rest)?;
            }
        }
        Ok(())
    }
}

/// The possible contents of each hidden square next to a number: bit 0 for free, bit 1 for a mine.
pub struct Settled {
    border: Vec<usize>,
    may: Vec<u64>,
}

impl Settled {
    fn of(&self, values: u64) -> Vec<usize> {
        let those = self.border.iter().zip(&self.may).filter(|(_, may)| **may == values);
        those.map(|(square, _)| *square).collect()
    }

    pub fn safe(&self) -> Vec<usize> {
        self.of(1)
    }

    pub fn mined(&self) -> Vec<usize> {
        self.of(2)
    }
}

/// The border as a constraint problem, and the squares of it that share a number.
struct Border {
    csp: Csp,
    touching: Vec<Vec<usize>>,
}

impl Border {
    fn new(field: &Field, border: &[usize]) -> Self {
        let mut csp = Csp::new(border.len(), range(0, 1));
        let mut touching = vec![Vec::new(); border.len()];
        for number in field.numbers() {
            let place = |square: &usize| border.binary_search(square).expect("it lies next to a number");
            let around: Vec<usize> = field.hidden(number).iter().map(place).collect();
            if around.is_empty() {
                continue;
            }
            for square in &around {
                touching[*square].extend(around.iter().filter(|other| *other != square));
            }
            csp.require(Count { around, mines: field.squares[number].into() });
        }
        Self { csp, touching }
    }

    /// The open squares that are connected to `from` by shared numbers, nearest first.
    fn linked(&self, domains: &Domains, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.touching.len()];
        let (mut order, mut waiting) = (Vec::new(), VecDeque::from([from]));
        seen[from] = true;
        while let Some(square) = waiting.pop_front() {
            order.push(square);
            for other in &self.touching[square] {
                if domains.value(*other).is_none() && !std::mem::replace(&mut seen[*other], true) {
                    waiting.push_back(*other);
                }
            }
        }
        order
    }

    /// A layout of the mines, found by deciding these squares in order.
    fn way(
        &self,
        mut domains: Domains,
        order: &[usize],
        budget: &mut Budget,
    ) -> Result<Option<Domains>, OverBudget> {
        if !self.csp.narrow(&mut domains, budget)? {
            return Ok(None);
        }
        let Some(at) = order.iter().position(|square| domains.value(*square).is_none()) else {
            return Ok(Some(domains));
        };
        for value in [0, 1] {
            let mut tried = domains.clone();
            tried.keep(order[at], 1 << value).expect("both values are open");
            let found = self.way(tried, &order[at + 1..], budget)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Searches for a layout with a mine and one without for every square of the border. Each search starts at
/// the square and moves outward, so that contradictions appear early, and skips squares that no number
/// connects to it.
pub fn settled(field: &Field, budget: &mut Budget) -> Result<Settled, OverBudget> {
    let squares = field.border();
    let border = Border::new(field, &squares);
    let mut domains = border.csp.domains();
    let mut may = vec![0; squares.len()];
    if !border.csp.narrow(&mut domains, budget)? {
        return Ok(Settled { border: squares, may });
    }
    for at in 0..squares.len() {
        if let Some(value) = domains.value(at) {
            may[at] = 1 << value;
            continue;
        }
        let order = border.linked(&domains, at);
        for value in [0, 1] {
            if may[at] >> value & 1 == 1 {
                continue;
            }
            let mut tried = domains.clone();
            tried.keep(at, 1 << value).expect("both values are open");
            if let Some(way) = border.way(tried, &order, budget)? {
                for square in &order {
                    may[*square] |= way.of(*square);
                }
            } else {
                // Every fact found makes the rest easier.
                may[at] = 1 << (1 - value);
                domains.keep(at, may[at]).expect("the other value is open");
                if !border.csp.narrow(&mut domains, budget)? {
                    return Ok(Settled { border: squares, may });
                }
                break;
            }
        }
    }
    Ok(Settled { border: squares, may })
}
