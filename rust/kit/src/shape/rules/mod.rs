//! Grids to complete under clues: some numbers are given, and there is one right way to fill the empty cells.

use std::marker::PhantomData;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::Label;
use crate::budget::{Budget, OverBudget};
use crate::picture::{Ink, Picture};
use crate::rng::Rng;
use crate::shared::grid::Grid;
use crate::task::about::{About, JudgedBy};
use crate::task::certificate::{Aim, Certificate, Drawn, Uncertified};
use crate::task::check;
use crate::task::form::grid::OUT_OF_RANGE;
use crate::task::problem::{Fields, Prompt, Slots};
use crate::task::steps::StepJudge;
use crate::task::verdict::{Judged, Part};

mod clue;
mod filling;
mod ruled;
mod square;

pub use clue::{Clue, ClueRule, MOST_BY_TRIAL, assert_narrows, by_walk};
pub use filling::Placings;
pub use ruled::RuledGrid;
pub use square::{
    CELLS, CHANGED_GIVEN, COLUMN_REPEAT, Completion, GIVENS_KEPT, INCOMPLETE_GRID, ROW_REPEAT, Square,
    Squares, complete_lines, draw_blank, is_complete, line_name, repeated, shown,
};

/// The family-specific part of a grid with clues.
pub trait Clued: Fields {
    type Clue: Clue;

    /// Cost of a person's path to the solution at a difficulty of one half.
    const HALF: u64;
    /// The fields that only one square fits: "`givens` and `clues`".
    const GIVEN: &'static str;
    /// The part that measures how many rows, columns and clues are kept.
    const KEPT: Part;
    /// See [`Square::RULE_PLANES`].
    const CLUE_PLANES: usize = 0;
    /// The wordings. Every one has the slots `{size}`, `{blank}`, the sign of an empty cell, `{grid}`, the bare
    /// square, and `{drawn}`, the square with its clues.
    const PROMPTS: &'static [Prompt];

    /// Fills the slots of the problem's own.
    fn slots(&self, slots: &mut Slots<'_>);

    fn squares(&self) -> Squares<'_>;

    /// The givens and the solution.
    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2];

    fn clues(&self) -> impl Iterator<Item = Self::Clue>;

    /// Cells whose number belongs to the board, such as walls. They are always given.
    fn fixed(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The problem itself and its equals under symmetries of its own, such as exchanged numbers. Rotations and
    /// reflections follow from the fields.
    fn images(&self) -> Vec<Self> {
        vec![self.clone()]
    }

    /// Guesses and shortcuts of the problem's own, besides those of every grid.
    fn guesses(&self, _rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        Vec::new()
    }

    fn shortcuts(&self, _rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        Vec::new()
    }

    /// A grid with its clues as text.
    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        bare(grid, blank, self.squares().least)
    }

    /// Draws the clues on a picture of the empty grid.
    fn board(&self, _picture: &mut Picture) {}

    /// See [`Square::observe_rules`].
    fn observe_clues(&self, _planes: &mut [f32]) {}

    /// Checks that span several fields, besides those of a Latin square.
    fn consistent(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Rules of a grid besides its clues.
pub trait Face: Clone + Send + Sync + 'static {
    /// Every row and every column holds every number once.
    const LINES: bool;
    const LABELS: &'static [Label];
}

/// A Latin square.
#[derive(Clone)]
pub struct Lines;

impl Face for Lines {
    const LINES: bool = true;
    const LABELS: &'static [Label] = &[CHANGED_GIVEN, ROW_REPEAT, COLUMN_REPEAT];
}

/// Cells of which only the clues say what they hold.
#[derive(Clone)]
pub struct Free;

impl Face for Free {
    const LINES: bool = false;
    const LABELS: &'static [Label] = &[CHANGED_GIVEN];
}

/// A Latin square with clues, as a problem.
pub type Latin<P> = Completion<Ruled<P, Lines>>;
/// A grid with clues alone, as a problem.
pub type Cells<P> = Completion<Ruled<P, Free>>;

/// A family's problem with its clues as rules.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent, bound(serialize = "P: Serialize", deserialize = "P: Deserialize<'de>"))]
pub struct Ruled<P, F>(pub P, #[serde(skip)] PhantomData<F>);

impl<P, F> Deref for Ruled<P, F> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

/// Settings of [`Latin::generate`].
pub struct Wanted {
    pub rows: usize,
    pub columns: usize,
    /// The largest number.
    pub most: u8,
    /// Givens, in percent of the cells, if one solution does not take more.
    pub givens_percent: u32,
    /// True if a number must be tried at some point.
    pub trials: bool,
}

impl<P: Clued, F: Face> Ruled<P, F> {
    fn rules(&self) -> RuledGrid {
        let Squares { givens, most, .. } = self.0.squares();
        let rules = RuledGrid::new(givens.rows(), givens.columns(), most, self.0.clues().map(ClueRule))
            .with_fixed(self.0.fixed());
        if F::LINES { rules.with_lines() } else { rules }
    }
}

/// Labels of several lists as one, and how many there are.
const fn joined(lists: &[&[Label]]) -> ([Label; MOST_LABELS], usize) {
    let (mut all, mut count, mut list) = ([("", ""); MOST_LABELS], 0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            all[count] = lists[list][at];
            (at, count) = (at + 1, count + 1);
        }
        list += 1;
    }
    (all, count)
}

/// The most labels of one family.
const MOST_LABELS: usize = 12;

impl<P: Clued, F: Face> Completion<Ruled<P, F>> {
    const JOINED: ([Label; MOST_LABELS], usize) =
        joined(&[F::LABELS, P::Clue::BROKEN, &[INCOMPLETE_GRID, OUT_OF_RANGE]]);
    const FAILURES: &'static [Label] = Self::JOINED.0.split_at(Self::JOINED.1).0;
    const PARTS: &'static [Part] = &[GIVENS_KEPT, CELLS, P::KEPT];

    pub fn of(problem: P) -> Self {
        Self(Ruled(problem, PhantomData))
    }

    /// The facts that follow from the shape.
    #[track_caller]
    pub const fn about(domain: &'static str, name: &'static str, changes: &'static [&'static str]) -> About {
        About {
            judged_by: JudgedBy::Constraints,
            failures: Self::FAILURES,
            parts: Self::PARTS,
            ..About::new(domain, name, changes)
        }
    }

    /// Draws grids that keep the clues that `always` hold, lets `clue` make problems of them, and digs givens, until
    /// trials are needed or not, as `wanted`.
    pub fn generate(
        wanted: &Wanted,
        always: Vec<P::Clue>,
        rng: &mut Rng,
        budget: &mut Budget,
        mut clue: impl FnMut(&Grid<u8>, &mut Rng) -> P,
    ) -> Drawn<Self> {
        let &Wanted { rows, columns, most, .. } = wanted;
        let any = RuledGrid::new(rows, columns, most, always.into_iter().map(ClueRule));
        let any = if F::LINES { any.with_lines() } else { any };
        Self::dig(wanted, rng, budget, |rng, budget| Ok(clue(&any.random_grid(rng, budget)?, rng)))
    }

    /// Draws problems with a solution and without givens, except those of fixed cells, and digs givens, as `wanted`.
    pub fn dig(
        wanted: &Wanted,
        rng: &mut Rng,
        budget: &mut Budget,
        mut draw: impl FnMut(&mut Rng, &mut Budget) -> Drawn<P>,
    ) -> Drawn<Self> {
        let &Wanted { rows, columns, givens_percent, .. } = wanted;
        let least = rows * columns * givens_percent as usize / 100;
        loop {
            let mut drawn = Self::of(draw(rng, budget)?);
            let solution = drawn.0.0.squares().solution.clone();
            let fingerprint = |givens: &Grid<u8>| {
                let mut drawn = drawn.0.clone();
                drawn.0.squares_mut()[0].clone_from(givens);
                drawn.fingerprint()
            };
            let dug = drawn.0.rules().puzzle(&solution, (least, wanted.trials), rng, budget, fingerprint)?;
            if let Some(givens) = dug {
                *drawn.0.0.squares_mut()[0] = givens;
                return Ok(drawn);
            }
        }
    }
}

impl<P: Clued, F: Face> Square for Ruled<P, F> {
    const PROMPTS: &'static [Prompt] = P::PROMPTS;
    const COST: u64 = P::HALF;
    const RULE_PLANES: usize = P::CLUE_PLANES;

    fn observe_rules(&self, planes: &mut [f32]) {
        self.0.observe_clues(planes);
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        let Squares { givens, least, .. } = self.0.squares();
        // A number 0 cannot mark an empty cell, too.
        let blank = if least == 0 { *slots.rng().pick(&[".", "_"]) } else { draw_blank(slots.rng()) };
        slots.text("size", givens.rows()).text("blank", blank);
        slots.with("grid", || bare(givens, blank, least));
        slots.with("drawn", || self.0.drawn(givens, blank));
        self.0.slots(slots);
    }

    fn givens(&self) -> &Grid<u8> {
        self.0.squares().givens
    }

    fn solution(&self) -> &Grid<u8> {
        self.0.squares().solution
    }

    fn most(&self) -> u8 {
        self.0.squares().most
    }

    fn least(&self) -> u8 {
        self.0.squares().least
    }

    fn fixed(&self) -> Vec<usize> {
        self.0.fixed()
    }

    fn has_lines(&self) -> bool {
        F::LINES
    }

    fn check(&self) -> Result<(), String> {
        Fields::check(&self.0)?;
        self.0.squares().check(F::LINES)?;
        self.0.consistent()?;
        let Squares { givens, solution, .. } = self.0.squares();
        let open = self.0.fixed().into_iter().find(|cell| givens[*cell] == 0);
        check::that(open.is_none(), || {
            let place = givens.place(open.unwrap_or_default());
            format!("`givens` has no number at {place}, which belongs to the board")
        })?;
        let broken = self.0.clues().find_map(|clue| {
            let values = values_of(&clue, solution);
            (!clue.holds(&values)).then(|| clue.broken(&values))
        });
        check::that(broken.is_none(), || format!("`solution` does not fit: {}", broken.unwrap_or_default()))
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        self.rules().certify(self.0.squares(), P::GIVEN, budget)
    }

    /// Changes a given or a clue, and solves the result. Where the clues alone say what cells hold, it may also give
    /// cells away and dig others, which keeps the solution.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let mut edited = self.clone();
        if !F::LINES && rng.chance(3, 4) {
            let change = match aim {
                Aim::Harder => [rng.index(2), 3],
                Aim::Easier => [1 + rng.index(3), 0],
                Aim::Same => [1, 1],
            };
            *edited.0.squares_mut()[0] =
                self.rules().dug_again(self.0.squares(), change, rng, budget).ok()?;
            return Some(edited);
        }
        if !edited.0.edit(aim, rng) || Fields::check(&edited.0).is_err() {
            return None;
        }
        let found: Result<_, OverBudget> = edited.rules().completions(edited.0.squares().givens, 2, budget);
        let [solution] = <[Grid<u8>; 1]>::try_from(found.ok()?).ok()?;
        *edited.0.squares_mut()[1] = solution;
        Square::check(&edited).is_ok().then_some(edited)
    }

    fn judge_grid(&self, answer: &Grid<u8>) -> Judged {
        let (mut rules, mut kept, mut broken) = (0, 0, None);
        if F::LINES {
            (rules, kept) = (2 * answer.rows(), complete_lines(answer));
        }
        for clue in self.0.clues() {
            let values = values_of(&clue, answer);
            let (filled, holds) = (!values.contains(&0), clue.holds(&values));
            rules += 1;
            kept += usize::from(filled && holds);
            if filled && !holds && broken.is_none() {
                broken = Some((clue.label(), clue.broken(&values)));
            }
        }
        let share = kept as f32 / rules as f32;
        self.0.squares().judge(answer, F::LINES, broken).map_err(|failure| failure.part(P::KEPT.name, share))
    }

    fn draw(&self, grid: &Grid<u8>) -> String {
        self.0.drawn(grid, ".")
    }

    fn board(&self) -> Picture {
        let givens = self.0.squares().givens;
        let mut picture = Picture::new(givens.rows() as u32, givens.columns() as u32);
        picture.grid(Ink::Grey);
        self.0.board(&mut picture);
        picture
    }

    fn explain(&self) -> Vec<String> {
        let clues: Vec<P::Clue> = self.0.clues().collect();
        self.rules().explain(self.0.squares(), |rule| clues[rule].name())
    }

    fn hints(&self) -> Vec<String> {
        let clues: Vec<P::Clue> = self.0.clues().collect();
        self.rules().hints(self.0.squares(), |rule| clues[rule].place())
    }

    fn step_judge(&self) -> Box<dyn StepJudge + '_> {
        let clues: Vec<P::Clue> = self.0.clues().collect();
        let reasons = self.rules().reasons(self.0.squares(), move |rule| clues[rule].name());
        Box::new(Placings::new(self.0.squares(), reasons))
    }

    fn cost(&self) -> u64 {
        self.rules().path(self.0.squares()).cost
    }

    fn fingerprint(&self) -> Vec<u8> {
        let images = self.0.images();
        images.iter().map(Fields::fingerprint).min().expect("a problem is an image of itself")
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        let mut images = self.0.images();
        let image = images.swap_remove(rng.index(images.len()));
        Self(Fields::twin(&image, rng), PhantomData)
    }

    fn own_guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        self.0.guesses(rng)
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let Squares { givens, most, .. } = self.0.squares();
        let mut shortcuts = vec![("the first number that breaks no rule", self.rules().greedy(givens, most))];
        shortcuts.extend(self.0.shortcuts(rng));
        shortcuts
    }
}

/// A grid without its clues as text.
fn bare(grid: &Grid<u8>, blank: &str, least: u8) -> String {
    let number = |number: &u8| match number {
        0 => blank.to_owned(),
        number => (number + least - 1).to_string(),
    };
    grid.draw(number, |_| " ", |_| None)
}

fn values_of(clue: &impl Clue, grid: &Grid<u8>) -> Vec<u8> {
    clue.scope().iter().map(|cell| grid[*cell]).collect()
}
