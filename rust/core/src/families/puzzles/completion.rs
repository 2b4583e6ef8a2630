//! Latin squares to be completed: some numbers are given, and one way to fill the empty cells is right.

use crate::error::quoted;
use crate::rules::{Action, Misread, Play, Playing, Rules, Turn};
use crate::shared::grid::{Grid, Place, counting};
use crate::task::prelude::*;

pub const CHANGED_GIVEN: (&str, &str) = ("changed_given", "a number of the puzzle was changed");
pub const ROW_REPEAT: (&str, &str) = ("row_repeat", "a row holds a number twice");
pub const COLUMN_REPEAT: (&str, &str) = ("column_repeat", "a column holds a number twice");
pub const INCOMPLETE_GRID: (&str, &str) = ("incomplete_grid", "a cell is left empty");

pub const GIVENS_KEPT: Part = Part::new("givens_kept", "share of the givens that still stand");
pub const CELLS: Part = Part::new("cells", "share of the empty cells filled as in the solution");

/// The givens, 0 where a cell is empty, and the solution, whose rows and columns hold the numbers from 1 to the size
/// once each.
#[derive(Clone, Copy)]
pub struct Completion<'a> {
    pub givens: &'a Grid<u8>,
    pub solution: &'a Grid<u8>,
}

impl Completion<'_> {
    fn size(&self) -> usize {
        self.givens.rows()
    }

    /// The numbers of the empty cells.
    pub fn empty(&self) -> Vec<usize> {
        let cells = self.givens.cells().iter().enumerate();
        cells.filter(|(_, given)| **given == 0).map(|(cell, _)| cell).collect()
    }

    pub fn check(&self) -> Result<(), String> {
        let size = self.size();
        for (name, grid, low) in [("givens", self.givens, 0), ("solution", self.solution, 1)] {
            check::that(grid.rows() == size && grid.columns() == size, || {
                format!("`{name}` is {} by {}, but must be {size} by {size}", grid.rows(), grid.columns())
            })?;
            let fits = |value: &u8| (low..=size as u8).contains(value);
            check::each(name, grid.cells(), fits, &format!("its numbers go from {low} to {size}"))?;
        }
        for (cell, (given, value)) in self.givens.cells().iter().zip(self.solution.cells()).enumerate() {
            check::that(*given == 0 || given == value, || {
                format!("`givens` has {given} at {}, but `solution` has {value}", self.givens.place(cell))
            })?;
        }
        let lines = self.solution.lines();
        if let Some(line) = lines.iter().position(|line| !is_complete(self.solution.cells(), line)) {
            let line = line_name(line, self.size());
            return Err(format!("`solution` does not hold every number once in {line}"));
        }
        check::that(self.givens.cells().contains(&0), || "`givens` has no empty cell".to_owned())
    }

    /// Whether the solution is the only one of up to two that were `found` to fit certain fields.
    pub fn certify(
        &self,
        found: Result<Vec<Vec<u8>>, OverBudget>,
        fields: &str,
    ) -> Result<Certificate, Uncertified> {
        let found = found.map_err(|_| {
            format!("whether a second grid fits {fields} takes more steps than are allowed to find out")
        })?;
        let solution = self.solution.cells();
        let differs = |other: &Vec<u8>| {
            let cell = (0..solution.len()).find(|cell| other[*cell] != solution[*cell])?;
            Some((self.solution.place(cell), solution[cell], other[cell]))
        };
        match found.iter().find_map(differs) {
            None => Ok(Certificate::unique(format!("one grid fits {fields}"))),
            Some((place, one, other)) => {
                Err(format!("two grids fit {fields}: {place} can be {one} or {other}"))
            }
        }
    }

    /// Judges an answer: it passes if every given stands, no cell is empty, no row or column holds a number twice
    /// and no rule of the puzzle's own is `broken`, as labels with details.
    ///
    /// A blind number is right once in `size` times: the score takes so much off for every wrong one that it earns
    /// nothing on average, and as much for a given that does not stand as a cell of the solution earns.
    pub fn judge(&self, answer: &Grid<u8>, broken: Option<(&'static str, String)>) -> Verdict {
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
            let (given, place) = (self.givens[cell], self.givens.place(cell));
            let detail = format!("the given {given} at {place} was changed to {}", answer[cell]);
            faults.push((CHANGED_GIVEN.0, detail));
        }
        let lines = answer.lines();
        for (label, first) in [(ROW_REPEAT.0, 0), (COLUMN_REPEAT.0, self.size())] {
            let twice =
                (first..first + self.size()).find_map(|line| Some((line, repeated(answer, &lines[line])?)));
            if let Some((line, twice)) = twice {
                faults.push((label, format!("{} has {twice}", line_name(line, self.size()))));
            }
        }
        faults.extend(broken);
        let first = if faults.is_empty() { label::MALFORMED_ANSWER } else { label::CONSTRAINT_VIOLATED };
        if let Some(cell) = answer.cells().iter().position(|value| *value == 0) {
            faults.push((INCOMPLETE_GRID.0, format!("{} is empty", answer.place(cell))));
        }
        if faults.is_empty() {
            return Verdict::pass();
        }
        let details: Vec<&str> = faults.iter().map(|(_, detail)| detail.as_str()).collect();
        let verdict = Verdict::fail(first, details.join("; "));
        let verdict = faults.iter().fold(verdict, |verdict, (label, _)| verdict.also(label));
        let (empty, others) = (answer.cells().len() as i32 - givens, self.size() as i32 - 1);
        let earned = (right - (givens - kept)) * others - wrong;
        verdict
            .score(earned as f32 / (empty * others) as f32)
            .part(GIVENS_KEPT.name, if givens == 0 { 1.0 } else { kept as f32 / givens as f32 })
            .part(CELLS.name, right as f32 / empty as f32)
    }

    /// The solution with that many of the empty cells filled otherwise, and with as many left empty.
    pub fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let mut cells = self.empty();
        rng.shuffle(&mut cells);
        cells.truncate(faults.of(cells.len()));
        let (mut other, mut unfilled) = (self.solution.clone(), self.solution.clone());
        for cell in cells {
            let shift = 1 + rng.below(self.size() as u64 - 1) as u8;
            other[cell] = (other[cell] - 1 + shift) % self.size() as u8 + 1;
            unfilled[cell] = 0;
        }
        vec![other, unfilled]
    }

    /// Fillings that keep the givens and look at nothing else.
    pub fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let size = self.size();
        let number = rng.index(size);
        let filled = |number: &mut dyn FnMut(Place) -> usize| {
            let mut grid = self.givens.clone();
            for cell in self.empty() {
                grid[cell] = 1 + (number(grid.place(cell)) % size) as u8;
            }
            grid
        };
        vec![
            ("random numbers", filled(&mut |_| rng.index(size))),
            ("one number", filled(&mut |_| number)),
            ("a cyclic square", filled(&mut |place| number + place.row + place.column)),
        ]
    }
}

/// A row, or a column; rows come first.
pub fn line_name(line: usize, size: usize) -> String {
    format!("{} {}", if line < size { "row" } else { "column" }, line % size + 1)
}

/// How many rows and columns of an answer hold every number.
pub fn complete_lines(answer: &Grid<u8>) -> usize {
    answer.lines().iter().filter(|line| is_complete(answer.cells(), line)).count()
}

/// Whether some cells hold every number once.
pub fn is_complete(answer: &[u8], cells: &[usize]) -> bool {
    let held = cells.iter().fold(0u32, |held, cell| held | 1 << answer[*cell]);
    held == (2 << cells.len()) - 2
}

/// What some cells hold more than once, in words: `two 7s`.
pub fn repeated(answer: &Grid<u8>, cells: &[usize]) -> Option<String> {
    const TIMES: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let times = |number: u8| cells.iter().filter(|cell| answer[**cell] == number).count();
    let twice = (1..=cells.len() as u8).find(|number| times(*number) > 1)?;
    Some(format!("{} {twice}s", TIMES[times(twice) - 2]))
}

/// A number, or what stands for an empty cell.
pub fn shown(number: u8, blank: &str) -> String {
    if number == 0 { blank.to_owned() } else { number.to_string() }
}

/// What stands for an empty cell in a prompt.
pub fn draw_blank(rng: &mut Rng) -> &'static str {
    const BLANKS: [&str; 3] = [".", "_", "0"];
    BLANKS[rng.index(BLANKS.len())]
}

/// Reads `r1c2 = 3`, lenient in case and spacing and whatever follows a colon, as a cell and its number.
fn read_placing(text: &str, size: usize) -> Option<(usize, u8)> {
    let (text, _) = text.split_once(':').unwrap_or((text, ""));
    let text = text.to_ascii_lowercase().replace('=', " = ");
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let [place, "=", number] = words[..] else { return None };
    let place = Place::read(place, size, size)?;
    Some((place.row * size + place.column, counting(number, size)? as u8))
}

/// Judges steps `r1c2 = 3`, perhaps with a reason after a colon, which is not judged: a number of the solution is
/// true, and leads on where the cell is still empty.
pub struct Placings<'a> {
    solution: &'a Grid<u8>,
    filled: Grid<u8>,
}

impl<'a> Placings<'a> {
    pub fn new(completion: Completion<'a>) -> Self {
        Self { solution: completion.solution, filled: completion.givens.clone() }
    }
}

impl StepJudge for Placings<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let (cell, number) = read_placing(step, self.filled.rows())
            .ok_or_else(|| format!("`{}` is not a step like `r1c2 = 3`", quoted(step)))?;
        if self.solution[cell] != number {
            return Err(format!("{} is not {number}", self.filled.place(cell).short()));
        }
        if std::mem::replace(&mut self.filled[cell], number) == number {
            return Ok(StepVerdict::idle("true, but the grid already shows it"));
        }
        Ok(StepVerdict::advances())
    }
}

/// A puzzle whose answer is a completed grid.
pub trait Completable: Problem<Answer = Grid<u8>> {
    fn completion(&self) -> Completion<'_>;
    /// Judges a grid of which empty cells are 0 and no number is larger than its size.
    fn judge_grid(&self, answer: &Grid<u8>) -> Verdict;
    fn draw(&self, grid: &Grid<u8>) -> String;
}

/// A puzzle filled cell by cell, in any order and with any numbers: the state is the grid so far.
///
/// Action `cell * size + number - 1` writes a number in an empty cell; nothing is taken back, so the play
/// ends after one move per empty cell. The mask says nothing of the puzzle's rules: the score does.
#[derive(Clone)]
pub struct Filling<P>(P);

impl<P: Completable> Filling<P> {
    pub fn play(puzzle: &P) -> Box<dyn Play> {
        let givens = puzzle.completion().givens.clone();
        Box::new(Playing::new(Self(puzzle.clone()), givens))
    }

    fn size(&self) -> usize {
        self.0.completion().size()
    }

    fn cell_and_number(&self, action: Action) -> (usize, u8) {
        let (action, size) = (action as usize, self.size());
        (action / size, (action % size) as u8 + 1)
    }
}

impl<P: Completable> Rules for Filling<P> {
    type State = Grid<u8>;
    /// A grid of 9 rows has 729 actions.
    type Legal = Vec<Action>;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.size().pow(3) as u32
    }

    fn max_plies(&self) -> u32 {
        self.0.completion().empty().len() as u32
    }

    fn turn(&self, grid: &Grid<u8>) -> Turn {
        if grid.cells().contains(&0) { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, grid: &Grid<u8>) -> Vec<Action> {
        let size = self.size() as u32;
        let empty = grid.cells().iter().zip(0..).filter(|(number, _)| **number == 0);
        empty.flat_map(|(_, cell)| cell * size..(cell + 1) * size).collect()
    }

    fn is_legal(&self, grid: &Grid<u8>, action: Action) -> bool {
        action < self.actions() && grid[self.cell_and_number(action).0] == 0
    }

    fn apply(&self, grid: &mut Grid<u8>, action: Action) {
        let (cell, number) = self.cell_and_number(action);
        grid[cell] = number;
    }

    /// The score that the filled grid gets as an answer.
    fn returns(&self, grid: &Grid<u8>) -> [f32; 2] {
        [self.0.judge_grid(grid).score, 0.0]
    }

    fn show(&self, grid: &Grid<u8>, _player: u8) -> String {
        self.0.draw(grid)
    }

    fn name_action(&self, action: Action) -> String {
        let (cell, number) = self.cell_and_number(action);
        format!("{} = {number}", self.0.completion().givens.place(cell).short())
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let (cell, number) = read_placing(text, self.size())
            .ok_or_else(|| Misread::not_a_move(text, "a move is like `r1c2 = 3`"))?;
        Ok((cell * self.size()) as Action + u32::from(number) - 1)
    }

    fn why_illegal(&self, _grid: &Grid<u8>, action: Action) -> String {
        let (cell, _) = self.cell_and_number(action);
        format!("{} is filled", self.0.completion().givens.place(cell).short())
    }

    /// A plane of cells for each number, then one for the givens.
    fn shape(&self) -> Vec<usize> {
        vec![self.size() + 1, self.size(), self.size()]
    }

    fn observe(&self, grid: &Grid<u8>, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let (givens, cells) = (self.0.completion().givens, grid.cells().len());
        let filled = |grid: &Grid<u8>| -> Vec<(usize, usize)> {
            let numbers = grid.cells().iter().map(|number| usize::from(*number)).enumerate();
            numbers.filter(|(_, number)| *number > 0).collect()
        };
        for (cell, number) in filled(grid) {
            out[(number - 1) * cells + cell] = 1.0;
        }
        for (cell, _) in filled(givens) {
            out[self.size() * cells + cell] = 1.0;
        }
    }

    fn answer(&self, grid: &Grid<u8>) -> Option<String> {
        Some(self.0.form().write(grid))
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
        let completion = Completion { givens, solution };
        let score = |grid: &Grid<u8>| completion.judge(grid, None).score;
        assert!(score(givens) == 0.0 && score(&givens.map(|_| 0)) == 0.0);
        let filled = |value: u8| givens.map(|given| if *given > 0 { *given } else { value });
        assert!((1..=9).all(|value| score(&filled(value)) < 0.07));
        // Each cell that is filled as in the solution adds to the score, up to a pass.
        let mut grid = givens.clone();
        let mut before = 0.0;
        for cell in completion.empty() {
            let value = solution[cell];
            grid[cell] = value % 9 + 1;
            assert!(score(&grid) < before || before == 0.0);
            grid[cell] = value;
            assert!(score(&grid) > before);
            before = score(&grid);
        }
        assert!(completion.judge(&grid, None).passed);
        // Emptying a given or changing it takes as much as a cell earns.
        let given = givens.cells().iter().position(|given| *given > 0).unwrap();
        for instead in [0, givens[given] % 9 + 1] {
            grid[given] = instead;
            let lost = 1.0 - score(&grid);
            assert!((lost - 1.0 / completion.empty().len() as f32).abs() < 1e-6, "{lost}");
        }
    }

    #[test]
    fn faults_are_planted_in_empty_cells_alone() {
        let [givens, solution] = &grids();
        let completion = Completion { givens, solution };
        let mut rng = Key::new("misses", 1, "", 0, "").stream(0);
        for (faults, count) in Faults::LADDER.into_iter().zip([1, 2, 4, 54]) {
            for miss in completion.near_misses(faults, &mut rng) {
                let differs = |cell: &usize| miss[*cell] != solution[*cell];
                let wrong: Vec<usize> = (0..81).filter(differs).collect();
                assert_eq!(wrong.len(), count);
                assert!(wrong.iter().all(|cell| givens[*cell] == 0));
            }
        }
    }

    #[test]
    fn placings_read_back() {
        for (text, read) in [
            ("r1c2 = 3", Some((1, 3))),
            (" R2C1=4: whatever", Some((4, 4))),
            ("r1c2 = 5", None),
            ("r1c5 = 1", None),
            ("r1c2 = 3 = 3", None),
            ("r1c2 3", None),
            ("", None),
        ] {
            assert_eq!(read_placing(text, 4), read, "{text}");
        }
    }
}
