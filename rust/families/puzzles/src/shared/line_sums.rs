//! Sums of the rows and columns of a grid: as clues, in words, on a drawing and in numbers.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::Clue;
use kit::shared::csp::{Contradiction, Domains, values};
use kit::shared::grid::Grid;

/// Sums of the rows, then of the columns.
pub type Sums<'a> = [&'a [u32]; 2];

/// Addend of a number that is so many cells behind the first of its line.
pub type Addend = fn(usize, u8) -> u32;

/// The numbers of a row or a column have a sum.
pub struct LineSum {
    /// "row 2".
    line: String,
    cells: Vec<usize>,
    sum: u32,
    addend: Addend,
}

impl LineSum {
    /// Those of every row, then of every column.
    pub fn all(grid: &Grid<u8>, [rows, columns]: Sums<'_>, addend: Addend) -> impl Iterator<Item = Self> {
        let rows_count = rows.len();
        let sums: Vec<u32> = rows.iter().chain(columns).copied().collect();
        grid.lines().into_iter().zip(sums).enumerate().map(move |(line, (cells, sum))| {
            let line = match line.checked_sub(rows_count) {
                None => format!("row {}", line + 1),
                Some(column) => format!("column {}", column + 1),
            };
            Self { line, cells, sum, addend }
        })
    }

    fn sum_of(&self, numbers: &[u8]) -> u32 {
        sum_of(numbers.iter().copied(), self.addend)
    }
}

fn sum_of(numbers: impl Iterator<Item = u8>, addend: Addend) -> u32 {
    numbers.enumerate().map(|(at, number)| addend(at, number)).sum()
}

/// The sums of the rows and of the columns of a grid.
pub fn sums_of(grid: &Grid<u8>, addend: Addend) -> [Vec<u32>; 2] {
    let sum = |line: &Vec<usize>| sum_of(line.iter().map(|cell| grid[*cell]), addend);
    let mut rows: Vec<u32> = grid.lines().iter().map(sum).collect();
    let columns = rows.split_off(grid.rows());
    [rows, columns]
}

impl Clue for LineSum {
    const BROKEN: &'static [Label] = &[("wrong_sum", "a row or a column has another sum")];

    fn scope(&self) -> &[usize] {
        &self.cells
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        self.sum_of(numbers) == self.sum
    }

    fn name(&self) -> String {
        format!("the sum {} of {}", self.sum, self.line)
    }

    fn place(&self) -> String {
        format!("the sum of {}", self.line)
    }

    fn broken(&self, numbers: &[u8]) -> String {
        format!("the sum of {} is {}, but must be {}", self.line, self.sum_of(numbers), self.sum)
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        narrow_sum(&self.cells, self.sum, &self.addend, domains)
    }

    fn cost(&self) -> u64 {
        4 * self.cells.len() as u64
    }
}

/// Removes the values that occur in no way to make the sum; none if it is more than 127 above the least possible one.
pub fn narrow_sum(
    cells: &[usize],
    sum: u32,
    addend: &dyn Fn(usize, u8) -> u32,
    domains: &mut Domains,
) -> Result<(), Contradiction> {
    let open = |at: usize| values(domains.of(cells[at])).map(move |value| addend(at, value));
    let least: Vec<u32> = (0..cells.len()).map(|at| open(at).min().unwrap_or(0)).collect();
    let above = sum.checked_sub(least.iter().sum()).ok_or(Contradiction)?;
    let most: u32 = (0..cells.len()).map(|at| open(at).max().unwrap_or(0)).sum();
    if most < sum {
        return Err(Contradiction);
    }
    let Some(unused) = (u128::BITS - 1).checked_sub(above) else { return Ok(()) };
    // Bit s of a set: before this cell the sum may be s above the least.
    let mut before = vec![1u128];
    for at in 0..cells.len() {
        let next = open(at).filter(|addend| addend - least[at] <= above);
        let next = next.fold(0, |next, addend| next | before[at] << (addend - least[at]));
        before.push(next & (u128::MAX >> unused));
    }
    let mut after = 1 << above;
    for (at, cell) in cells.iter().enumerate().rev() {
        let (mut kept, mut reaching) = (0, 0);
        for value in values(domains.of(*cell)) {
            let by = addend(at, value) - least[at];
            let from = if by <= above { before[at] & after >> by } else { 0 };
            kept |= u64::from(from != 0) << value;
            reaching |= from;
        }
        domains.keep(*cell, kept)?;
        after = reaching;
    }
    Ok(())
}

/// Planes that [`observe_sums`] writes: of the rows, then of the columns.
pub const LINE_PLANES: usize = 2;

/// Each cell's sum of its row, over the largest, and that of its column.
pub fn observe_sums(planes: &mut [f32], [rows, columns]: Sums<'_>) {
    let largest = rows.iter().chain(columns).max().map_or(1, |most| *most.max(&1)) as f32;
    let (by_row, by_column) = planes.split_at_mut(rows.len() * columns.len());
    for (cell, (by_row, by_column)) in by_row.iter_mut().zip(by_column).enumerate() {
        *by_row = rows[cell / columns.len()] as f32 / largest;
        *by_column = columns[cell % columns.len()] as f32 / largest;
    }
}

/// Fills the slots `rows` and `columns`, `row_list` and `column_list`, and `row_sums` and `column_sums`, with a `line`
/// and a `sum` in each line.
pub fn word_sums(slots: &mut Slots<'_>, [rows, columns]: Sums<'_>) {
    slots.text("rows", rows.len()).text("columns", columns.len());
    slots.with("row_list", || rows.iter().listed()).with("column_list", || columns.iter().listed());
    for (name, sums) in [("row_sums", rows), ("column_sums", columns)] {
        slots.lines(name, sums.iter().enumerate(), |slots, (line, sum)| {
            slots.text("line", line + 1).text("sum", sum);
        });
    }
}

/// The words of the cells with the number of each line before it and its sum behind it.
pub fn draw_sums(cells: &[String], [rows, columns]: Sums<'_>) -> String {
    let words = |numbers: &[u32]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
    let numbers: Vec<u32> = (1..=columns.len() as u32).collect();
    let (numbers, sums) = (words(&numbers), words(columns));
    let width = numbers.iter().chain(&sums).chain(cells).map(String::len).max().unwrap_or(1);
    let spaced = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:>width$}")).collect();
        words.join(" ")
    };
    let inside = cells.chunks(columns.len()).zip(rows).enumerate();
    let inside = inside.map(|(row, (cells, sum))| format!("{:<2}   {}  {sum}", row + 1, spaced(cells)));
    let edge = |words: &[String]| format!("     {}", spaced(words));
    let top = [edge(&numbers), String::new()];
    top.into_iter().chain(inside).chain([String::new(), edge(&sums)]).lines()
}

/// Draws the sums small in the last cell of each row and of each column.
pub fn picture_sums(picture: &mut Picture, [rows, columns]: Sums<'_>) {
    let (width, height) = (columns.len() as u32 * CELL, rows.len() as u32 * CELL);
    for (sum, line) in rows.iter().zip(0..) {
        picture.title((width - 1, line * CELL + CELL / 2), 1, sum.to_string(), Ink::Red);
    }
    for (sum, line) in columns.iter().zip(0..) {
        picture.title((line * CELL + CELL / 2, height - 1), 1, sum.to_string(), Ink::Red);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::assert_narrows;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    /// Compares with all ways to fill the line.
    #[test]
    fn a_sum_keeps_what_some_line_has() {
        let (mut rng, grid) = (testing::rng(0), Grid::new(5, vec![0; 5]));
        for at in 0..1_000 {
            let weighted: Addend = |at, number| if number == 2 { at as u32 + 1 } else { 0 };
            let (addend, most) =
                if at % 2 == 0 { (weighted, 2) } else { ((|_, number| number.into()) as Addend, 6) };
            let mut domains = Csp::new(5, range(1, most)).domains();
            (0..5).for_each(|cell| {
                domains.keep(cell, (2 << rng.index(most.into())) | (rng.below(64) * 2)).unwrap();
            });
            let sum = rng.below(if most == 2 { 17 } else { 32 }) as u32;
            let clue = LineSum::all(&grid, [&[sum], &[]], addend).next().unwrap();
            assert_narrows(&clue, &domains, |_| true);
        }
    }
}
