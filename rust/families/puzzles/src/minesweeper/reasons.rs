//! Reasons why squares are free, one after the other, as a player would give them.

use super::settling::settled;
use super::{Field, SOLVE_STEPS, claim};
use kit::budget::Budget;
use kit::error::quoted;
use kit::task::steps::{StepJudge, StepVerdict};
use std::collections::{BTreeMap, BTreeSet};

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

    /// True if a reason leads to the contents of an undecided square.
    fn leads_to(&self, square: usize, mine: bool, why: &Why) -> bool {
        match why {
            Why::Known(number) => {
                let (open, left) = self.open(*number);
                !mine && left == 0 && open.contains(&square)
            }
            Why::Full(number) => {
                let (open, left) = self.open(*number);
                mine && left == open.len() && open.contains(&square)
            }
            Why::Both(large, small) => {
                let ((outer, many), (inner, few)) = (self.open(*large), self.open(*small));
                let is_part = !inner.is_empty() && inner.iter().all(|square| outer.contains(square));
                let is_rest = outer.contains(&square) && !inner.contains(&square);
                let wanted = if mine { outer.len().wrapping_sub(inner.len()) } else { 0 };
                is_part && is_rest && many.checked_sub(few) == Some(wanted)
            }
            Why::Tried => true,
        }
    }

    /// By contradiction, for a square that is settled.
    fn by_trial(&self, safe: &[usize], mined: &[usize]) -> Option<Reason> {
        let left = |all: &[usize]| all.iter().copied().find(|square| self.mine[*square].is_none());
        let free = left(safe).map(|square| (square, false, Why::Tried));
        free.or_else(|| left(mined).map(|square| (square, true, Why::Tried)))
    }
}

/// A reason in words.
fn word(field: &Field, mine: bool, why: &Why) -> String {
    let short = |square: &usize| field.squares.place(*square).short();
    match why {
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
    }
}

/// A step for each reason until all free squares are known.
pub fn told(field: &Field) -> Vec<String> {
    let step = |(square, mine, why): Reason| {
        let place = field.squares.place(square).short();
        format!("{}: {}", claim(&place, mine), word(field, mine, &why))
    };
    reasons(field).into_iter().map(step).collect()
}

/// Judges steps `r1c2 is free` or `r1c2 is a mine`, perhaps with a reason after a colon, by what the true steps so far
/// have settled. Those of the solution advance.
pub struct Deducing<'a> {
    known: Known<'a>,
    /// Every possible claim: a square, true for a mine.
    claims: BTreeMap<String, (usize, bool)>,
    safe: Vec<usize>,
    mined: Vec<usize>,
    /// Squares that the solution settles and no step has yet.
    needed: BTreeSet<usize>,
}

impl<'a> Deducing<'a> {
    pub fn new(field: &'a Field) -> Self {
        let found = settled(field, &mut Budget::new(SOLVE_STEPS)).ok();
        let (safe, mined) = found.map_or_else(Default::default, |found| (found.safe(), found.mined()));
        let claims = field.border().into_iter().flat_map(|square| {
            let place = field.squares.place(square).short();
            [false, true].map(|mine| (claim(&place, mine), (square, mine)))
        });
        let needed = reasons(field).into_iter().map(|(square, ..)| square).collect();
        let known = Known { field, mine: vec![None; field.squares.cells().len()] };
        Self { known, claims: claims.collect(), safe, mined, needed }
    }

    /// True if some reason with these words leads to a claim, when the square itself is still open.
    fn bears_out(&mut self, square: usize, mine: bool, reason: &str) -> bool {
        let before = self.known.mine[square].take();
        let near: Vec<usize> = self.known.field.numbers_around(square).collect();
        let both = |large: &usize| {
            let small = self.known.field.numbers().filter(|small| small != large).collect::<Vec<_>>();
            small.into_iter().map(|small| Why::Both(*large, small)).collect::<Vec<_>>()
        };
        let whys = near.iter().flat_map(|number| [Why::Known(*number), Why::Full(*number)]);
        let mut whys = whys.chain(near.iter().flat_map(both)).chain([Why::Tried]);
        let known = &self.known;
        let found =
            whys.any(|why| word(known.field, mine, &why) == reason && known.leads_to(square, mine, &why));
        self.known.mine[square] = before;
        found
    }
}

impl StepJudge for Deducing<'_> {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let (text, reason) = step.split_once(':').map_or((step, ""), |(text, reason)| (text, reason.trim()));
        let text = text.trim();
        let Some((square, mine)) = self.claims.get(text).copied() else {
            let first = self.claims.keys().next().map_or("", String::as_str);
            return Err(format!("`{}` is not a step like `{first}`", quoted(step)));
        };
        if !(if mine { &self.mined } else { &self.safe }).contains(&square) {
            return Ok(StepVerdict::refuted(format!("it does not follow that {text}")));
        }
        budget.spend(self.claims.len() as u64).map_err(|over| over.to_string())?;
        if !reason.is_empty() && !self.bears_out(square, mine, reason) {
            return Err(format!("`{}` is no reason for it that can be checked", quoted(reason)));
        }
        self.known.mine[square] = Some(mine);
        if self.needed.remove(&square) {
            return Ok(StepVerdict::advances());
        }
        Ok(StepVerdict::idle("true, but it has been said or is not needed"))
    }
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
