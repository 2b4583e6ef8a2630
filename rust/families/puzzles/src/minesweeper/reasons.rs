//! Reasons why squares are free, one after the other, as a player would give them.

use super::settling::settled;
use super::{Field, SOLVE_STEPS, claim};
use kit::budget::Budget;

/// The facts known about each square, true for a mine.
struct Known<'a> {
    field: &'a Field,
    mine: Vec<Option<bool>>,
}

/// A square, true if it is a mine, and the reason.
type Reason = (usize, bool, String);

impl Known<'_> {
    /// The undecided squares around a number, and the number of mines among them.
    fn open(&self, number: usize) -> (Vec<usize>, usize) {
        let hidden = self.field.hidden(number);
        let mines = hidden.iter().filter(|square| self.mine[**square] == Some(true)).count();
        let open = hidden.into_iter().filter(|square| self.mine[*square].is_none()).collect();
        (open, usize::from(self.field.squares[number]).saturating_sub(mines))
    }

    fn short(&self, square: usize) -> String {
        self.field.squares.place(square).short()
    }

    /// From a number whose mines are all known, or whose undecided squares are all mines.
    fn by_one(&self) -> Option<Reason> {
        self.field.numbers().find_map(|number| {
            let (open, left) = self.open(number);
            let (square, number) = (*open.first()?, self.short(number));
            match left {
                0 => Some((square, false, format!("all mines around {number} are known"))),
                _ if left == open.len() => Some((
                    square,
                    true,
                    format!("{number} needs a mine in every square around it that is still open"),
                )),
                _ => None,
            }
        })
    }

    /// From two numbers, if the open squares of one are among those of the other.
    fn by_two(&self) -> Option<Reason> {
        self.field.numbers().find_map(|small| {
            let (inner, few) = self.open(small);
            // Numbers that share a square are at most two rows and columns apart.
            let near = self.field.around(*inner.first()?);
            near.filter(|large| *large != small && self.field.is_open(*large)).find_map(|large| {
                let (outer, many) = self.open(large);
                let rest = *outer.iter().find(|square| !inner.contains(square))?;
                if !inner.iter().all(|square| outer.contains(square)) {
                    return None;
                }
                let (more, room) = (many.checked_sub(few)?, outer.len() - inner.len());
                let why = || {
                    format!("the squares around {} also account for {}", self.short(large), self.short(small))
                };
                match more {
                    0 => Some((rest, false, why())),
                    _ if more == room => Some((rest, true, why())),
                    _ => None,
                }
            })
        })
    }

    /// By contradiction, for a square that is settled.
    fn by_trial(&self, safe: &[usize], mined: &[usize]) -> Option<Reason> {
        let left = |all: &[usize]| all.iter().copied().find(|square| self.mine[*square].is_none());
        let what = "would contradict the numbers";
        let free = left(safe).map(|square| (square, false, format!("a mine there {what}")));
        free.or_else(|| left(mined).map(|square| (square, true, format!("no mine there {what}"))))
    }
}

/// Steps until all free squares are known.
pub fn told(field: &Field) -> Vec<String> {
    let Ok(settled) = settled(field, &mut Budget::new(SOLVE_STEPS)) else { return Vec::new() };
    let (safe, mined) = (settled.safe(), settled.mined());
    let mut known = Known { field, mine: vec![None; field.squares.cells().len()] };
    let mut told = Vec::new();
    while safe.iter().any(|square| known.mine[*square].is_none()) {
        let reason = known.by_one().or_else(|| known.by_two()).or_else(|| known.by_trial(&safe, &mined));
        let (square, mine, why) = reason.expect("a free square is left to be told");
        told.push(format!("{}: {why}", claim(&known.short(square), mine)));
        known.mine[square] = Some(mine);
    }
    told
}
