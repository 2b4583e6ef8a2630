//! Latin squares to complete: some numbers are given, and there is one right way to fill the empty cells.

use std::ops::Deref;

use crate::picture::Picture;
use crate::rules::Play;
use crate::shared::grid::{Grid, Place};
use crate::task::prelude::*;
use crate::task::problem::{Prompt, Slots};
use serde::de::DeserializeOwned;

use super::filling::Filling;

pub const CHANGED_GIVEN: (&str, &str) = ("changed_given", "a given number was changed");
pub const ROW_REPEAT: (&str, &str) = ("row_repeat", "a row contains a number twice");
pub const COLUMN_REPEAT: (&str, &str) = ("column_repeat", "a column contains a number twice");
pub const INCOMPLETE_GRID: (&str, &str) = ("incomplete_grid", "a cell is empty");

pub const GIVENS_KEPT: Part = Part::new("givens_kept", "share of the givens that are unchanged");
pub const CELLS: Part = Part::new("cells", "share of the empty cells that are filled as in the solution");

/// The givens, 0 for an empty cell, and the solution, whose rows and columns contain each number from 1 to
/// the size once.
#[derive(Clone, Copy)]
pub struct Squares<'a> {
    pub givens: &'a Grid<u8>,
    pub solution: &'a Grid<u8>,
    /// The largest number; the smallest is 1.
    pub most: u8,
    /// The number that is written for 1, which is 0 or 1; the others follow.
    pub least: u8,
}

impl Squares<'_> {
    /// The number that is written for one in a cell.
    pub fn written(&self, number: u8) -> u8 {
        number + self.least - 1
    }

    /// Indices of the empty cells.
    pub fn empty(&self) -> Vec<usize> {
        let cells = self.givens.cells().iter().enumerate();
        cells.filter(|(_, given)| **given == 0).map(|(cell, _)| cell).collect()
    }

    /// Checks two grids of the same shape, and where `lines` hold every number once, that those of the solution do.
    pub fn check(&self, lines: bool) -> Result<(), String> {
        let (rows, columns) = (self.givens.rows(), self.givens.columns());
        for (name, grid, low) in [("givens", self.givens, 0), ("solution", self.solution, 1)] {
            check::that(grid.rows() == rows && grid.columns() == columns, || {
                format!("`{name}` is {} by {}, but must be {rows} by {columns}", grid.rows(), grid.columns())
            })?;
            let fits = |value: &u8| (low..=self.most).contains(value);
            check::each(name, grid.cells(), fits, &format!("its numbers go from {low} to {}", self.most))?;
        }
        for (cell, (given, value)) in self.givens.cells().iter().zip(self.solution.cells()).enumerate() {
            check::that(*given == 0 || given == value, || {
                format!("`givens` has {given} at {}, but `solution` has {value}", self.givens.place(cell))
            })?;
        }
        let incomplete = |line: &Vec<usize>| lines && !is_complete(self.solution.cells(), line);
        if let Some(line) = self.solution.lines().iter().position(incomplete) {
            let line = line_name(line, rows);
            return Err(format!("`solution` does not contain every number exactly once in {line}"));
        }
        check::that(self.givens.cells().contains(&0), || "`givens` has no empty cell".to_owned())
    }

    /// Certifies the puzzle if the solution is the only one `found`, out of up to two that fit the named
    /// fields.
    pub fn certify(
        &self,
        found: Result<Vec<Vec<u8>>, OverBudget>,
        fields: &str,
    ) -> Result<Certificate, Uncertified> {
        let found = found.map_err(|_| {
            format!("proving that no second grid fits {fields} takes more steps than allowed")
        })?;
        let solution = self.solution.cells();
        let differs = |other: &Vec<u8>| {
            let cell = (0..solution.len()).find(|cell| other[*cell] != solution[*cell])?;
            Some((self.solution.place(cell), self.written(solution[cell]), self.written(other[cell])))
        };
        match found.iter().find_map(differs) {
            None if found.is_empty() => Err("the rules refute `solution`, which keeps them".to_owned()),
            None => Ok(Certificate::unique(format!("one grid fits {fields}"))),
            Some((place, one, other)) => {
                Err(format!("two grids fit {fields}: {place} can be {one} or {other}"))
            }
        }
    }

    /// Judges an answer: it passes if every given is kept, no cell is empty, no row or column contains a
    /// number twice and no rule of the puzzle's own is `broken`, as labels with details.
    ///
    /// A changed given costs as much as a right cell earns on average. Where `lines` hold every number once, a random
    /// number is right once in `size` times, and every wrong one costs so much that random numbers earn nothing on
    /// average. In other grids a number may be far more frequent than another: each number of the solution counts as
    /// much as another, by the share of its cells that hold it, so that one number in all cells earns nothing, and
    /// neither do random numbers on average.
    pub fn judge(&self, answer: &Grid<u8>, lines: bool, broken: Option<(&'static str, String)>) -> Judged {
        let [mut right, mut wrong, mut kept, mut givens] = [0i32; 4];
        let mut changed = None;
        let cells = self.givens.cells().iter().zip(self.solution.cells()).zip(answer.cells());
        for (cell, ((given, value), answer)) in cells.enumerate() {
            if *given > 0 {
                givens += 1;
                kept += i32::from(given == answer);
                changed = changed.or((given != answer && *answer > 0).then_some(cell));
            } else if *answer > 0 {
                right += i32::from(value == answer);
                wrong += i32::from(value != answer);
            }
        }
        let mut faults = Vec::new();
        if let Some(cell) = changed {
            let (given, place) = (self.written(self.givens[cell]), self.givens.place(cell));
            let other = self.written(answer[cell]);
            let detail = format!("the given {given} at {place} was changed to {other}");
            faults.push((CHANGED_GIVEN.0, detail));
        }
        if lines {
            faults.extend(Self::repeats(answer));
        }
        faults.extend(broken);
        let first = if faults.is_empty() { label::MALFORMED_ANSWER } else { label::CONSTRAINT_VIOLATED };
        if let Some(cell) = answer.cells().iter().position(|value| *value == 0) {
            faults.push((INCOMPLETE_GRID.0, format!("{} is empty", answer.place(cell))));
        }
        if faults.is_empty() {
            return Ok(());
        }
        let details: Vec<&str> = faults.iter().map(|(_, detail)| detail.as_str()).collect();
        let failure = Failure::new(first, details.join("; "));
        let failure = faults.iter().fold(failure, |failure, (label, _)| failure.also(label));
        let (empty, others, lost) =
            (answer.cells().len() as i32 - givens, i32::from(self.most) - 1, givens - kept);
        let score = if lines {
            ((right - lost) * others - wrong) as f32 / (empty * others) as f32
        } else {
            self.balanced(answer) - lost as f32 / empty as f32
        };
        Err(failure
            .score(score)
            .part(GIVENS_KEPT.name, if givens == 0 { 1.0 } else { kept as f32 / givens as f32 })
            .part(CELLS.name, right as f32 / empty as f32))
    }

    /// Share of the empty cells that are right, averaged over the numbers of the solution there, less what one number in
    /// all of them would earn.
    fn balanced(&self, answer: &Grid<u8>) -> f32 {
        let mut shares = vec![(0, 0); usize::from(self.most) + 1];
        for cell in self.empty() {
            let (all, right) = &mut shares[usize::from(self.solution[cell])];
            *all += 1;
            *right += u32::from(answer[cell] == self.solution[cell]);
        }
        shares.retain(|(all, _)| *all > 0);
        let sum: f32 = shares.iter().map(|(all, right)| *right as f32 / *all as f32).sum();
        // A single number cannot be mistaken for another one of the solution.
        let free = if shares.len() > 1 { 1.0 } else { 0.0 };
        (sum - free) / (shares.len() as f32 - free)
    }

    /// The first row and the first column that contain a number twice.
    fn repeats(answer: &Grid<u8>) -> Vec<(&'static str, String)> {
        let (lines, size) = (answer.lines(), answer.rows());
        let first = |(label, first): (&'static str, usize)| {
            let mut repeats = (first..first + size).map(|line| (line, repeated(answer, &lines[line])));
            let (line, twice) = repeats.find_map(|(line, twice)| Some((line, twice?)))?;
            Some((label, format!("{} has {twice}", line_name(line, size))))
        };
        [(ROW_REPEAT.0, 0), (COLUMN_REPEAT.0, size)].into_iter().filter_map(first).collect()
    }

    /// The solution with the chosen number of empty cells filled wrong, and with as many left empty.
    pub fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let mut cells = self.empty();
        rng.shuffle(&mut cells);
        cells.truncate(faults.of(cells.len()));
        let (mut other, mut unfilled) = (self.solution.clone(), self.solution.clone());
        for cell in cells {
            let shift = 1 + rng.below(u64::from(self.most) - 1) as u8;
            other[cell] = (other[cell] - 1 + shift) % self.most + 1;
            unfilled[cell] = 0;
        }
        vec![other, unfilled]
    }

    /// The solution with the chosen number of pairs of empty cells exchanged, each pair of two numbers; none if all
    /// empty cells hold the same. Every number occurs as often as it should.
    pub fn exchanged(&self, faults: Faults, rng: &mut Rng) -> Option<Grid<u8>> {
        let mut cells = self.empty();
        rng.shuffle(&mut cells);
        let (mut pairs, mut alone) = (Vec::new(), Vec::new());
        for cell in cells {
            match alone.iter().position(|other| self.solution[*other] != self.solution[cell]) {
                Some(at) => pairs.push((alone.swap_remove(at), cell)),
                None => alone.push(cell),
            }
        }
        pairs.truncate(faults.of(pairs.len()));
        let mut grid = self.solution.clone();
        for (one, other) in &pairs {
            (grid[*one], grid[*other]) = (self.solution[*other], self.solution[*one]);
        }
        (!pairs.is_empty()).then_some(grid)
    }

    /// Fills each of these lines with its missing numbers in random order.
    fn filled(&self, lines: &[Vec<usize>], rng: &mut Rng) -> Grid<u8> {
        let mut grid = self.givens.clone();
        for line in lines {
            let given = |number: &u8| line.iter().any(|cell| self.givens[*cell] == *number);
            let mut lacking: Vec<u8> = (1..=self.most).filter(|number| !given(number)).collect();
            rng.shuffle(&mut lacking);
            for cell in line.iter().filter(|cell| self.givens[**cell] == 0) {
                grid[*cell] = lacking.pop().expect("a solution has no number twice in a line");
            }
        }
        grid
    }

    /// Grids that keep the givens and never combine two rules.
    pub fn guesses(&self, lines: bool, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let most = usize::from(self.most);
        let mut by_line = Vec::new();
        if lines {
            let all = self.givens.lines();
            let (rows, columns) = all.split_at(self.givens.rows());
            by_line.push(("in each row what it lacks", self.filled(rows, rng)));
            by_line.push(("in each column what it lacks", self.filled(columns, rng)));
        }
        let number = rng.index(most);
        let filled = |number: &mut dyn FnMut(Place) -> usize| {
            let mut grid = self.givens.clone();
            for cell in self.empty() {
                grid[cell] = 1 + (number(grid.place(cell)) % most) as u8;
            }
            grid
        };
        let mut guesses = vec![
            ("random numbers", filled(&mut |_| rng.index(most))),
            ("one number", filled(&mut |_| number)),
            ("a cyclic square", filled(&mut |place| number + place.row + place.column)),
        ];
        guesses.extend(by_line);
        guesses
    }
}

/// Name of a row or a column; rows come first.
pub fn line_name(line: usize, size: usize) -> String {
    format!("{} {}", if line < size { "row" } else { "column" }, line % size + 1)
}

/// Number of rows and columns of an answer that contain every number.
pub fn complete_lines(answer: &Grid<u8>) -> usize {
    answer.lines().iter().filter(|line| is_complete(answer.cells(), line)).count()
}

/// True if these cells contain every number once.
pub fn is_complete(answer: &[u8], cells: &[usize]) -> bool {
    let held = cells.iter().fold(0u32, |held, cell| held | 1 << answer[*cell]);
    held == (2 << cells.len()) - 2
}

/// A number that these cells contain more than once, in words: `two 7s`.
pub fn repeated(answer: &Grid<u8>, cells: &[usize]) -> Option<String> {
    const TIMES: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let times = |number: u8| cells.iter().filter(|cell| answer[**cell] == number).count();
    let twice = (1..=cells.len() as u8).find(|number| times(*number) > 1)?;
    Some(format!("{} {twice}s", TIMES[times(twice) - 2]))
}

/// A number, or the sign for an empty cell.
pub fn shown(number: u8, blank: &str) -> &str {
    const NUMBERS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    if number == 0 { blank } else { NUMBERS[usize::from(number) - 1] }
}

/// A random sign for empty cells in a prompt.
pub fn draw_blank(rng: &mut Rng) -> &'static str {
    const BLANKS: [&str; 3] = [".", "_", "0"];
    BLANKS[rng.index(BLANKS.len())]
}

/// The puzzle-specific part of a [`Completion`].
pub trait Square: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// See [`Problem::TEMPLATES`].
    const TEMPLATES: &'static [Template<Completion<Self>>] = &[];
    /// See [`Problem::PROMPTS`].
    const PROMPTS: &'static [Prompt] = &[];
    /// Cost of a person's path to the solution at a difficulty of one half; see [`Effort::new`].
    const COST: u64;
    /// Planes that a player observes besides the numbers and the givens: the rules of this puzzle alone.
    const RULE_PLANES: usize = 0;

    /// Writes those planes, whose values are between 0 and 1; they are 0 before.
    fn observe_rules(&self, _planes: &mut [f32]) {}
    /// See [`Problem::slots`].
    fn slots(&self, _slots: &mut Slots<'_>) {}
    /// See [`Problem::certify`].
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified>;
    /// See [`Problem::edited`].
    fn edited(&self, _aim: Aim, _rng: &mut Rng, _budget: &mut Budget) -> Option<Self> {
        None
    }
    fn givens(&self) -> &Grid<u8>;
    fn solution(&self) -> &Grid<u8>;
    /// The largest number; the smallest is 1.
    fn most(&self) -> u8 {
        self.givens().rows() as u8
    }
    /// The number that is written for 1.
    fn least(&self) -> u8 {
        1
    }
    /// Cells that belong to the board, where a picture shows no number.
    fn fixed(&self) -> Vec<usize> {
        Vec::new()
    }
    /// Every row and column holds every number once.
    fn has_lines(&self) -> bool {
        true
    }
    /// See [`Problem::check`]; [`Squares::check`] does the part that all squares share.
    fn check(&self) -> Result<(), String>;
    /// Judges a grid whose empty cells are 0 and whose numbers are at most its size; see [`Squares::judge`].
    fn judge_grid(&self, answer: &Grid<u8>) -> Judged;
    /// The steps of a person's path to the solution, each as `r1c2 = 3: WHY`.
    fn explain(&self) -> Vec<String>;
    /// A hint for each of these steps; see [`Problem::hints`].
    fn hints(&self) -> Vec<String>;
    /// Cost of that path.
    fn cost(&self) -> u64;
    /// A grid as a player sees it.
    fn draw(&self, grid: &Grid<u8>) -> String;
    /// A picture of the empty grid, including the rules that are drawn on it.
    fn board(&self) -> Picture;
    /// See [`Problem::twin`].
    #[must_use]
    fn twin(&self, rng: &mut Rng) -> Self;
    /// See [`Problem::fingerprint`].
    fn fingerprint(&self) -> Vec<u8>;
    /// See [`Problem::steps`].
    fn step_judge(&self) -> Box<dyn StepJudge + '_>;
    /// Guesses of the puzzle's own; see [`Problem::guesses`].
    fn own_guesses(&self, _rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        Vec::new()
    }
    /// See [`Problem::shortcuts`].
    fn shortcuts(&self, _rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        Vec::new()
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: self.givens(), solution: self.solution(), most: self.most(), least: self.least() }
    }
}

/// The form of the completed grid.
pub fn form_of(puzzle: &impl Square) -> Written {
    let Squares { givens, most, least, .. } = puzzle.squares();
    let (rows, columns, high) = (givens.rows(), givens.columns(), most + least - 1);
    let empty = if least == 0 { EMPTY } else { 0 };
    let grid = form::Grid { what: "the completed grid", rows, columns, low: least, high, empty: Some(empty) };
    Written { grid, least }
}

/// Empty cell in the text of a grid that has a number 0.
const EMPTY: u8 = u8::MAX;

/// A grid of the numbers from 1 on, 0 for an empty cell, in a text whose numbers may go from 0 on.
pub struct Written {
    grid: form::Grid<'static>,
    least: u8,
}

impl Form for Written {
    type Read = Grid<u8>;

    fn asks(&self) -> String {
        self.grid.asks()
    }

    fn read(&self, text: &str) -> Result<Grid<u8>, Failure> {
        let by = 1 - self.least;
        // One more than an empty cell is 0.
        Ok(self.grid.read(text)?.map(|number| number.wrapping_add(by)))
    }

    fn write(&self, answer: &Grid<u8>) -> String {
        if self.least == 1 {
            return self.grid.write(answer);
        }
        answer.draw(
            |number| number.checked_sub(1).map_or(".".to_owned(), |number| number.to_string()),
            |_| " ",
            |_| None,
        )
    }

    fn respelled(&self, text: &str) -> Option<String> {
        self.grid.respelled(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.grid.mangled(right)
    }
}

/// A square to complete, as a problem.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Completion<P>(pub P);

impl<P> Deref for Completion<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

impl<P: Square> Problem for Completion<P> {
    type Answer = Grid<u8>;

    const TEMPLATES: &'static [Template<Self>] = P::TEMPLATES;
    const PROMPTS: &'static [Prompt] = P::PROMPTS;

    fn slots(&self, slots: &mut Slots<'_>) {
        self.0.slots(slots);
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        self.0.certify(budget)
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        self.0.edited(aim, rng, budget).map(Self)
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    fn form(&self) -> impl Form<Read = Grid<u8>> {
        form_of(&self.0)
    }

    fn solution(&self) -> Solution {
        Solution::new(self.explain(), self.answer())
    }

    fn answer(&self) -> String {
        self.form().write(self.0.solution())
    }

    fn verify(&self, answer: Grid<u8>, _: &mut Budget) -> Judged {
        self.0.judge_grid(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let mut misses = self.squares().near_misses(faults, rng);
        // A Latin square with two numbers exchanged has both twice in a line: the others show as much.
        if !self.has_lines() {
            misses.extend(self.squares().exchanged(faults, rng));
        }
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let mut guesses = self.squares().guesses(self.has_lines(), rng);
        guesses.extend(self.0.own_guesses(rng));
        guesses
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        self.0.shortcuts(rng)
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        Self(self.0.twin(rng))
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.0.fingerprint()
    }

    fn effort(&self) -> Effort {
        Effort::new(self.cost(), P::COST)
    }

    fn hints(&self) -> Vec<String> {
        self.0.hints()
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(self.step_judge())
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Filling::play(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    /// A cyclic square of size 9 in which every third number is given.
    fn grids() -> [Grid<u8>; 2] {
        let solution = Grid::from_fn(9, 9, |place| ((place.row + place.column) % 9 + 1) as u8);
        [solution.map(|number| if number % 3 == 0 { *number } else { 0 }), solution]
    }

    #[test]
    fn only_cells_that_are_solved_earn_credit() {
        let [givens, solution] = &grids();
        let latin = Squares { givens, solution, most: 9, least: 1 };
        let score = |grid: &Grid<u8>| Verdict::from(latin.judge(grid, true, None)).score;
        assert!(score(givens) == 0.0 && score(&givens.map(|_| 0)) == 0.0);
        let filled = |value: u8| givens.map(|given| if *given > 0 { *given } else { value });
        assert!((1..=9).all(|value| score(&filled(value)) < 0.07));
        // Each cell that is filled right adds to the score, up to a pass.
        let mut grid = givens.clone();
        let mut before = 0.0;
        for cell in latin.empty() {
            let value = solution[cell];
            grid[cell] = value % 9 + 1;
            assert!(score(&grid) < before || before == 0.0);
            grid[cell] = value;
            assert!(score(&grid) > before);
            before = score(&grid);
        }
        assert!(latin.judge(&grid, true, None).is_ok());
        // Emptying or changing a given costs as much as a cell earns.
        let given = givens.cells().iter().position(|given| *given > 0).unwrap();
        for instead in [0, givens[given] % 9 + 1] {
            grid[given] = instead;
            let lost = 1.0 - score(&grid);
            assert!((lost - 1.0 / latin.empty().len() as f32).abs() < 1e-6, "{lost}");
        }
    }

    /// Of the empty cells two hold a 2 and four hold a 1.
    #[test]
    fn a_rare_number_counts_as_much_as_a_frequent_one() {
        let grid = |cells: [u8; 8]| Grid::new(4, cells.to_vec());
        let (givens, solution) = (&grid([2, 0, 0, 0, 0, 0, 0, 1]), &grid([2, 1, 1, 2, 1, 2, 1, 1]));
        let puzzle = Squares { givens, solution, most: 2, least: 1 };
        let score = |cells| Verdict::from(puzzle.judge(&grid(cells), false, Some(("", String::new())))).score;
        for (answer, earned) in [
            ([2, 1, 1, 1, 1, 1, 1, 1], 0.0),
            ([2, 2, 2, 2, 2, 2, 2, 1], 0.0),
            ([2, 0, 0, 0, 0, 0, 0, 1], 0.0),
            ([2, 1, 1, 2, 1, 1, 1, 1], 0.5),
            ([2, 2, 1, 2, 1, 2, 1, 1], 0.75),
            ([1, 2, 1, 2, 1, 2, 1, 1], 0.75 - 1.0 / 6.0),
        ] {
            assert!((score(answer) - earned).abs() < 1e-6, "{answer:?}: {}", score(answer));
        }
    }

    #[test]
    fn faults_are_planted_in_empty_cells_alone() {
        let [givens, solution] = &grids();
        let latin = Squares { givens, solution, most: 9, least: 1 };
        let mut rng = Key::new("misses", 1, "", 0, "").stream(0);
        for (faults, count) in Faults::LADDER.into_iter().zip([1, 2, 4, 54]) {
            for miss in latin.near_misses(faults, &mut rng) {
                let differs = |cell: &usize| miss[*cell] != solution[*cell];
                let wrong: Vec<usize> = (0..81).filter(differs).collect();
                assert_eq!(wrong.len(), count);
                assert!(wrong.iter().all(|cell| givens[*cell] == 0));
            }
        }
    }
}
