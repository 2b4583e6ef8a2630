//! Reasons why squares are free, one after the other, as a player would give them.

use super::settling::settled;
use super::{Field, SOLVE_STEPS, claim};
use kit::budget::Budget;

/// The facts known about each square, true for a mine.
struct Known<'a> {
    field: &'a Field,
    mine: Vec<Option<bool>>,
}

/// Why a square is free or a mine.
enum Why {
    /// All mines around a number are known.
    Known(usize),
    /// A number needs a mine in every open square around it.
    Full(usize),
    /// The squares around one number also account for another.
    Both(usize, usize),
    /// The opposite would contradict the numbers.
    Tried,
}

/// A square, true if it is a mine, and the reason.
type Reason = (usize, bool, Why);

impl Known<'_> {
    /// The undecided squares around a number, and the number of mines among them.
    fn open(&self, number: usize) -> (Vec<usize>, usize) {
        let hidden = self.field.hidden(number);
        let mines = hidden.iter().filter(|square| self.mine[**square] == Some(true)).count();
        let open = hidden.into_iter().filter(|square| self.mine[*square].is_none()).collect();
        (open, usize::from(self.field.squares[number]).saturating_sub(mines))
    }

    /// From a number whose mines are all known, or whose undecided squares are all mines.
    fn by_one(&self) -> Option<Reason> {
        self.field.numbers().find_map(|number| {
            let (open, left) = self.open(number);
            let square = *open.first()?;
            match left {
                0 => Some((square, false, Why::Known(number))),
                _ if left == open.len() => Some((square, true, Why::Full(number))),
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
                (more == 0 || more == room).then_some((rest, more > 0, Why::Both(large, small)))
            })
        })
    }

    /// By contradiction, for a square that is settled.
    fn by_trial(&self, safe: &[usize], mined: &[usize]) -> Option<Reason> {
        let left = |all: &[usize]| all.iter().copied().find(|square| self.mine[*square].is_none());
        let free = left(safe).map(|square| (square, false, Why::Tried));
        free.or_else(|| left(mined).map(|square| (square, true, Why::Tried)))
    }
}

/// A step for each reason until all free squares are known.
pub fn told(field: &Field) -> Vec<String> {
    let short = |square| field.squares.place(square).short();
    let step = |(square, mine, why)| {
        let why = match why {
            Why::Known(number) => format!("all mines around {} are known", short(number)),
            Why::Full(number) => {
                format!("{} needs a mine in every square around it that is still open", short(number))
            }
            Why::Both(large, small) => {
                format!("the squares around {} also account for {}", short(large), short(small))
            }
            Why::Tried => {
                format!("{} there would contradict the numbers", if mine { "no mine" } else { "a mine" })
            }
        };
        format!("{}: {why}", claim(&short(square), mine))
    };
    reasons(field).into_iter().map(step).collect()
}

/// A hint for each of these steps: the numbers to look at, or the square, but not what it is.
pub fn hints(field: &Field) -> Vec<String> {
    let short = |square| field.squares.place(square).short();
    let hint = |(square, _, why)| match why {
        Why::Known(number) => format!("Look at {}: its mines are all known already.", short(number)),
        Why::Full(number) => format!("Look at {}: count the open squares around it.", short(number)),
        Why::Both(large, small) => {
            format!("Compare {} and {}: they share open squares.", short(large), short(small))
        }
        Why::Tried => format!("Look at {}: one of its two cases contradicts the numbers.", short(square)),
    };
    reasons(field).into_iter().map(hint).collect()
}

fn reasons(field: &Field) -> Vec<Reason> {
    let Ok(settled) = settled(field, &mut Budget::new(SOLVE_STEPS)) else { return Vec::new() };
    let (safe, mined) = (settled.safe(), settled.mined());
    let mut known = Known { field, mine: vec![None; field.squares.cells().len()] };
    let mut reasons = Vec::new();
    while safe.iter().any(|square| known.mine[*square].is_none()) {
        let reason = known.by_one().or_else(|| known.by_two()).or_else(|| known.by_trial(&safe, &mined));
        let (square, mine, why) = reason.expect("a free square is left to be told");
        known.mine[square] = Some(mine);
        reasons.push((square, mine, why));
    }
    reasons
}
