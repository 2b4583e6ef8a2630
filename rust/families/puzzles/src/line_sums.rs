//! Sums of the rows and columns of a grid: in words, on a drawing and in numbers.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shared::grid::Grid;

/// Planes that [`observe_sums`] writes: of the rows, then of the columns.
pub const LINE_PLANES: usize = 2;

/// Name of a line of a grid with this many rows, which come first.
pub fn name_of(line: usize, rows: usize) -> String {
    match line.checked_sub(rows) {
        None => format!("row {}", line + 1),
        Some(column) => format!("column {}", column + 1),
    }
}

/// Fills the slots `rows` and `columns`, `row_list` and `column_list`, and `row_sums` and `column_sums`, with a `line`
/// and a `sum` in each line.
pub fn word_sums(slots: &mut Slots<'_>, rows: &[u32], columns: &[u32]) {
    slots.text("rows", rows.len()).text("columns", columns.len());
    slots.with("row_list", || rows.iter().listed()).with("column_list", || columns.iter().listed());
    for (name, sums) in [("row_sums", rows), ("column_sums", columns)] {
        slots.lines(name, sums.iter().zip(1..), |slots, (sum, line)| {
            let line: usize = line;
            slots.text("line", line).text("sum", sum);
        });
    }
}

/// Each cell's sum of its row, over the largest, and that of its column.
pub fn observe_sums(planes: &mut [f32], rows: &[u32], columns: &[u32]) {
    let largest = rows.iter().chain(columns).max().map_or(1, |most| *most.max(&1)) as f32;
    let (by_row, by_column) = planes.split_at_mut(rows.len() * columns.len());
    for (cell, (by_row, by_column)) in by_row.iter_mut().zip(by_column).enumerate() {
        *by_row = rows[cell / columns.len()] as f32 / largest;
        *by_column = columns[cell % columns.len()] as f32 / largest;
    }
}

/// The grid with the number of each line before it and its sum behind it.
pub fn draw_sums(grid: Grid<Option<u8>>, blank: &str, rows: &[u32], columns: &[u32]) -> String {
    let cell = |number: Option<u8>| number.map_or(blank.to_owned(), |number| number.to_string());
    let numbers = |count: usize| (1..=count).map(|number| number.to_string());
    let mut lines = vec![numbers(columns.len()).collect::<Vec<_>>()];
    lines.extend(grid.cells().chunks(columns.len()).map(|row| row.iter().copied().map(cell).collect()));
    lines.push(columns.iter().map(ToString::to_string).collect());
    let wide = lines.iter().flatten().map(String::len).max().unwrap_or(1);
    let lines = lines.into_iter().enumerate().map(|(at, cells)| {
        let inside = (1..=rows.len()).contains(&at);
        let before = if inside { at.to_string() } else { String::new() };
        let behind = if inside { format!("  {}", rows[at - 1]) } else { String::new() };
        let cells = cells.iter().map(|cell| format!("{cell:>wide$}")).collect::<Vec<_>>().join(" ");
        let gap = |line: usize| if at == line { "\n" } else { "" };
        format!("{}{before:<2}   {cells}{behind}{}", gap(rows.len() + 1), gap(0))
    });
    lines.lines()
}

/// Draws the sums small in the last cell of each row and of each column.
pub fn picture_sums(picture: &mut Picture, rows: &[u32], columns: &[u32]) {
    let (width, height) = (columns.len() as u32 * CELL, rows.len() as u32 * CELL);
    for (sum, line) in rows.iter().zip(0..) {
        picture.title((width - 1, line * CELL + CELL / 2), 1, sum.to_string(), Ink::Red);
    }
    for (sum, line) in columns.iter().zip(0..) {
        picture.title((line * CELL + CELL / 2, height - 1), 1, sum.to_string(), Ink::Red);
    }
}
