//! The rules of a loop: what the cells around a number and around a corner may be.

use kit::prelude::*;
use kit::shape::rules::Clue;
use kit::shared::csp::{Contradiction, Domains};

use super::{INSIDE, OUTSIDE};
use crate::shared::connected::Connected;
use crate::shared::printed::short;

/// Number of sides of a cell that the loop takes, given what its neighbors are; around the grid all is outside.
pub fn sides(cell: u8, near: &[u8]) -> u8 {
    let beyond = if cell == INSIDE { 4 - near.len() } else { 0 };
    (beyond + near.iter().filter(|next| **next != cell).count()) as u8
}

/// The four cells around every point inside the grid, row by row.
pub fn corners(size: usize) -> Vec<[usize; 4]> {
    let at = |row: usize, column: usize| row * size + column;
    let around =
        |row, column| [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
    (0..size - 1).flat_map(|row| (0..size - 1).map(move |column| around(row, column))).collect()
}

/// True if the loop would come to the point between four cells twice.
pub fn is_crossing(cells: &[u8]) -> bool {
    cells[0] == cells[3] && cells[1] == cells[2] && cells[0] != cells[1]
}

/// The most cells of a rule that narrows by trying every combination.
const MOST: usize = 5;

pub enum Rule {
    /// The loop takes this number of sides of the first cell; the others are its neighbors.
    Sides {
        cells: Vec<usize>,
        clue: u8,
        size: usize,
    },
    /// The loop does not touch itself at the point between four cells.
    Corner {
        cells: [usize; 4],
        size: usize,
    },
    Inside(Connected),
    Outside(Connected),
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("clue_broken", "the loop takes more or fewer sides of a cell than its number says"),
        ("loop_touches_itself", "the loop comes to a point twice"),
        ("not_one_loop", "no cell is inside, or the cells inside are not connected"),
        ("hole_inside", "cells inside enclose cells outside"),
    ];

    fn label(&self) -> &'static str {
        let at = match self {
            Self::Sides { .. } => 0,
            Self::Corner { .. } => 1,
            Self::Inside(_) => 2,
            Self::Outside(_) => 3,
        };
        Self::BROKEN[at].0
    }

    fn scope(&self) -> &[usize] {
        match self {
            Self::Sides { cells, .. } => cells,
            Self::Corner { cells, .. } => cells,
            Self::Inside(connected) | Self::Outside(connected) => connected.scope(),
        }
    }

    fn holds(&self, cells: &[u8]) -> bool {
        match self {
            Self::Sides { clue, .. } => sides(cells[0], &cells[1..]) == *clue,
            Self::Corner { .. } => !is_crossing(cells),
            Self::Inside(connected) | Self::Outside(connected) => connected.holds(cells),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Sides { cells, clue, size } => format!("the {clue} in {}", short(cells[0], *size)),
            Self::Corner { cells, size } => {
                format!("the corner between {} and {}", short(cells[0], *size), short(cells[3], *size))
            }
            Self::Inside(_) => "the connection of the inside".to_owned(),
            Self::Outside(_) => "the connection of the outside".to_owned(),
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Sides { cells, size, .. } => format!("the number in {}", short(cells[0], *size)),
            _ => self.name(),
        }
    }

    fn broken(&self, values: &[u8]) -> String {
        match self {
            Self::Sides { cells, clue, size } => {
                let (cell, taken) = (short(cells[0], *size), sides(values[0], &values[1..]));
                format!("{cell} has the number {clue}, but {taken} of its sides on the loop")
            }
            Self::Corner { cells, size } => {
                let (one, other) = (short(cells[0], *size), short(cells[3], *size));
                format!("the loop touches itself at the corner between {one} and {other}")
            }
            Self::Inside(connected) => connected.broken(values, "cells inside"),
            Self::Outside(connected) => connected.broken(values, "cells outside"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let scope = match self {
            Self::Inside(connected) | Self::Outside(connected) => return connected.narrow(domains),
            _ => self.scope(),
        };
        let (mut kept, mut cells) = ([0; MOST], [OUTSIDE; MOST]);
        let cells = &mut cells[..scope.len()];
        for bits in 0..1u8 << scope.len() {
            cells.iter_mut().enumerate().for_each(|(at, cell)| *cell = OUTSIDE + (bits >> at & 1));
            let open = scope.iter().zip(&*cells).all(|(cell, value)| domains.of(*cell) >> value & 1 == 1);
            if open && self.holds(cells) {
                kept.iter_mut().zip(&*cells).for_each(|(kept, value)| *kept |= 1 << value);
            }
        }
        scope.iter().zip(kept).try_for_each(|(cell, kept)| domains.keep(*cell, kept))
    }
}
