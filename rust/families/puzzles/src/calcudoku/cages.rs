//! Cages: areas of a square whose numbers make a target.

use kit::prelude::*;
use kit::shape::rules::{Clue, by_walk};
use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::Grid;
use kit::task::problem::{Disguise, Field, Relations};
use serde::{Deserialize, Serialize};

use crate::shared::areas::Areas;
use crate::shared::line_sums::narrow_sum;

/// Result of an operation on the numbers of a cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    Sum,
    Difference,
    Product,
    Quotient,
}

impl Operation {
    pub const ALL: [Self; 4] = [Self::Sum, Self::Difference, Self::Product, Self::Quotient];

    fn word(self) -> &'static str {
        ["sum", "difference", "product", "quotient"][self as usize]
    }

    pub fn sign(self) -> &'static str {
        ["+", "-", "x", "/"][self as usize]
    }

    /// True if it is of two numbers, the larger one first.
    fn is_of_two(self) -> bool {
        matches!(self, Self::Difference | Self::Quotient)
    }

    /// Result for these numbers, if there is one: a quotient must be whole.
    fn of(self, numbers: &[u8]) -> Option<u32> {
        let mut numbers = numbers.iter().map(|number| u32::from(*number));
        match self {
            Self::Sum => Some(numbers.sum()),
            Self::Product => Some(numbers.product()),
            Self::Difference | Self::Quotient => {
                let (one, other) = (numbers.next()?, numbers.next()?);
                let (small, large) = (one.min(other), one.max(other));
                match self {
                    Self::Difference => Some(large - small),
                    _ => (small > 0 && large % small == 0).then(|| large / small),
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub operation: Operation,
    pub number: u32,
}

/// Areas of a square, each with what its numbers make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cages {
    pub areas: Areas,
    targets: Vec<Target>,
}

/// The most cells of a cage.
const MOST_CELLS: usize = 4;

impl Cages {
    /// Random cages that fit a solution. Most have several cells.
    pub fn drawn_for(solution: &Grid<u8>, largest: usize, operations: &[Operation], rng: &mut Rng) -> Self {
        let size = solution.rows();
        let alone = |areas: &Areas| areas.cells().iter().filter(|cells| cells.len() == 1).count();
        let drawn = (0..8).map(|_| Areas::random(size, size, largest, rng)).min_by_key(alone);
        let areas = drawn.expect("some are drawn");
        let target = |cells: Vec<usize>| {
            let numbers: Vec<u8> = cells.iter().map(|cell| solution[*cell]).collect();
            let fits = |operation: &Operation| match cells.len() {
                1 => *operation == Operation::Sum,
                2 => operation.of(&numbers).is_some(),
                _ => !operation.is_of_two(),
            };
            let fitting: Vec<Operation> = operations.iter().copied().filter(fits).collect();
            let operation = *rng.pick(&fitting);
            Target { operation, number: operation.of(&numbers).expect("it fits") }
        };
        let targets = areas.cells().into_iter().map(target).collect();
        Self { areas, targets }
    }

    pub fn clues(&self) -> impl Iterator<Item = Cage> {
        let cages = self.areas.cells().into_iter().zip(self.targets.clone());
        cages.enumerate().map(|(area, (cells, target))| Cage { letter: Areas::letter(area), cells, target })
    }
}

impl Field for Cages {
    /// Rows of the square.
    type Limits = usize;

    fn check(&self, name: &str, size: &usize) -> Result<(), String> {
        self.areas.check(&format!("{name}.areas"), &Areas::of(*size, *size, 1..=52))?;
        let cells = self.areas.cells();
        check::length(&format!("{name}.targets"), &self.targets, cells.len()..=cells.len(), "targets")?;
        for (at, (cells, target)) in cells.iter().zip(&self.targets).enumerate() {
            check::within(&format!("cells of area {at}"), &cells.len(), 1..=MOST_CELLS)?;
            check::within(&format!("{name}.targets[{at}].number"), &target.number, 0..=4_096)?;
            check::that(!target.operation.is_of_two() || cells.len() == 2, || {
                format!(
                    "`{name}.targets[{at}]` is a {}, but its cage does not have two cells",
                    target.operation.word()
                )
            })?;
        }
        Ok(())
    }

    fn disguise(&mut self, by: &mut Disguise<'_>) {
        let (symmetry, before) = (by.symmetry(), self.clone());
        self.areas.disguise(by);
        let cells = before.areas.cells();
        let size = cells.iter().map(Vec::len).sum::<usize>().isqrt();
        for (cells, target) in cells.iter().zip(before.targets) {
            self.targets[self.areas.area(symmetry.image(cells[0], size))] = target;
        }
    }

    fn relate(&self, name: &str, into: &mut Relations) {
        self.areas.relate(name, into);
        let (kind, cells) = (into.kind(), self.areas.cells());
        let size = cells.iter().map(Vec::len).sum::<usize>().isqrt();
        for (cells, target) in cells.iter().zip(&self.targets) {
            let target = u64::from(target.number) << 2 | target.operation as u64;
            for cell in cells {
                into.turned(|symmetry| kind | (symmetry.image(*cell, size) as u64) << 32 | target);
            }
        }
    }

    fn edit(&mut self, aim: Aim, _: &usize, rng: &mut Rng) -> bool {
        let at = rng.index(self.targets.len());
        self.targets[at].number.edit(aim, &(0..=4_096), rng)
    }
}

/// The numbers of some cells make a target.
pub struct Cage {
    pub letter: char,
    pub cells: Vec<usize>,
    pub target: Target,
}

impl Cage {
    /// "sum 7", or the number of a single cell.
    pub fn wanted(&self) -> String {
        let Target { operation, number } = self.target;
        if self.cells.len() == 1 { number.to_string() } else { format!("{} {number}", operation.word()) }
    }
}

impl Clue for Cage {
    const BROKEN: &'static [Label] = &[("wrong_cage", "the numbers of a cage do not make its target")];

    fn scope(&self) -> &[usize] {
        &self.cells
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        self.target.operation.of(numbers) == Some(self.target.number)
    }

    fn name(&self) -> String {
        format!("cage {} ({})", self.letter, self.wanted())
    }

    fn place(&self) -> String {
        format!("cage {}", self.letter)
    }

    fn broken(&self, numbers: &[u8]) -> String {
        let Target { operation, number } = self.target;
        let (cage, word) = (self.place(), operation.word());
        match operation.of(numbers) {
            Some(made) => format!("the {word} of {cage} is {made}, but must be {number}"),
            None => format!("the {word} of {cage} is not whole, but must be {number}"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let Target { operation, number } = self.target;
        let target = number as usize;
        match operation {
            Operation::Sum => narrow_sum(&self.cells, number, &|_, number| number.into(), domains),
            // The state is one less than the product, which divides the target.
            Operation::Product => {
                let step = |_: usize, state: usize, number: u8| {
                    let product = (state + 1) * usize::from(number);
                    (product > 0 && target > 0 && target.is_multiple_of(product)).then(|| product - 1)
                };
                by_walk(&self.cells, target.max(1), &step, &|state| state + 1 == target, domains)
            }
            // After the first cell the state is its number.
            Operation::Difference | Operation::Quotient => {
                let step = |at: usize, first: usize, number: u8| {
                    let fits = at == 0 || operation.of(&[first as u8, number]) == Some(self.target.number);
                    fits.then_some(number.into())
                };
                by_walk(&self.cells, 64, &step, &|_| true, domains)
            }
        }
    }

    fn cost(&self) -> u64 {
        8 * self.cells.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::assert_narrows;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    /// Compares with all ways to fill the cage.
    #[test]
    fn a_target_keeps_what_some_cage_has() {
        let mut rng = testing::rng(0);
        for at in 0..1_000 {
            let operation = Operation::ALL[at % 4];
            let cells: Vec<usize> = (0..if operation.is_of_two() { 2 } else { 1 + rng.index(4) }).collect();
            let mut domains = Csp::new(4, range(1, 6)).domains();
            (0..4).for_each(|cell| domains.keep(cell, (2 << rng.index(6)) | (rng.below(64) * 2)).unwrap());
            let numbers: Vec<u8> = cells.iter().map(|_| 1 + rng.below(6) as u8).collect();
            let number = operation.of(&numbers).unwrap_or(5);
            let cage = Cage { letter: 'A', cells, target: Target { operation, number } };
            assert_narrows(&cage, &domains, |_| true);
        }
    }
}
