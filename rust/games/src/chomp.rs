//! Chomp on any bar of chocolate up to 8 by 8, solved by a table of all its shapes.

use std::sync::OnceLock;

use crate::cells::read_cell;
use game::prelude::*;
use kit::words;

pub struct Chomp;

const MOST_ROWS: usize = 8;

params! {
    pub struct ChompParams {
        /// Number of rows of the bar.
        rows: u32 [1..=8, structure],
        /// Number of columns of the bar.
        columns: u32 [1..=8, structure],
    }
    default (4, 5)
}

static ABOUT: About = About {
    name: "chomp",
    summary: "Bite pieces off a chocolate bar without eating its poisoned square.",
    changes: &["First version."],
    players: ["first", "second"],
    variants: &["{}", r#"{"rows": 2, "columns": 8}"#, r#"{"rows": 8, "columns": 8}"#],
    chance: false,
    hidden: false,
    stakes: false,
    value: Some(1.0),
    // No move wins by itself: the opponent has to eat the poison.
    tactics: false,
    max_plies: 64,
    moves: "squares",
    score: "1 if won, -1 if lost",
};

impl GameFamily for Chomp {
    type Params = ChompParams;
    type Game = Bar;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ChompParams) -> Bar {
        Bar { rows: params.rows, columns: params.columns, table: OnceLock::new() }
    }
}

#[derive(Debug)]
pub struct Bar {
    rows: u32,
    columns: u32,
    /// Values of all shapes, computed on first use.
    table: OnceLock<Table>,
}

/// The remaining squares: every row begins at the left, and none is longer than the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    lengths: [u8; MOST_ROWS],
    mover: u8,
}

fn column_name(column: u8) -> char {
    char::from(b'a' + column)
}

impl Bar {
    fn cell(&self, action: Action) -> (usize, u8) {
        ((action / self.columns) as usize, (action % self.columns) as u8)
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::new(self))
    }
}

impl Rules for Bar {
    type State = Shape;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.rows * self.columns
    }

    fn max_plies(&self) -> u32 {
        self.rows * self.columns
    }

    #[inline]
    fn turn(&self, state: &Shape) -> Turn {
        if state.lengths[0] == 0 { Turn::Over } else { Turn::Player(state.mover) }
    }

    #[inline]
    fn legal(&self, state: &Shape) -> Actions {
        let row = |row: u32| u64::from(!(u8::MAX.unbounded_shl(state.lengths[row as usize].into())));
        let rows = (0..self.rows).map(|r| row(r) << (r * self.columns));
        Actions::from_bits(rows.fold(0, |cells, row| cells | row))
    }

    #[inline]
    fn apply(&self, state: &mut Shape, action: Action) {
        let (row, column) = self.cell(action);
        for length in &mut state.lengths[row..] {
            *length = (*length).min(column);
        }
        state.mover ^= 1;
    }

    /// Once the poison is eaten, the player to move has won.
    fn returns(&self, state: &Shape) -> [f32; 2] {
        if state.mover == 0 { [1.0, -1.0] } else { [-1.0, 1.0] }
    }

    fn show(&self, state: &Shape, _player: u8) -> String {
        let heads = (0..self.columns).map(|column| format!(" {}", column_name(column as u8)));
        let mut lines = vec![format!(" {}", heads.collect::<String>())];
        for row in 0..self.rows as usize {
            let squares = (0..state.lengths[row]).map(|column| match (row, column) {
                (0, 0) => " X",
                _ => " #",
            });
            lines.push(format!("{}{}", row + 1, squares.collect::<String>()));
        }
        lines.join("\n")
    }

    /// The poisoned square is crossed out.
    fn draw(&self, state: &Shape, _player: u8) -> Picture {
        let mut picture = Picture::new(self.rows, self.columns);
        for (row, length) in (0..self.rows).zip(state.lengths) {
            for column in 0..u32::from(length) {
                picture.rectangle((column * CELL, row * CELL), (CELL - 1, CELL - 1), Ink::Brown);
            }
        }
        if state.lengths[0] > 0 {
            picture.cross(0, 0, Ink::White);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        let (row, column) = self.cell(action);
        format!("{}{}", column_name(column), row + 1)
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let last = self.name_action(self.actions() - 1);
        let (row, column) = read_cell(text)
            .ok_or_else(|| Misread::not_a_move(text, format_args!("a move is a square from a1 to {last}")))?;
        if row >= self.rows || column >= self.columns {
            return Err(Misread::off_board(text, format_args!("its squares are a1 to {last}")));
        }
        Ok(row * self.columns + column)
    }

    fn why_illegal(&self, _state: &Shape, action: Action) -> String {
        format!("{} has already been eaten", self.name_action(action))
    }

    fn shape(&self) -> Vec<usize> {
        vec![1, self.rows as usize, self.columns as usize]
    }

    #[inline]
    fn observe(&self, state: &Shape, _player: u8, out: &mut [f32]) {
        for (row, out) in out.chunks_mut(self.columns as usize).enumerate() {
            let (there, eaten) = out.split_at_mut(usize::from(state.lengths[row]));
            there.fill(1.0);
            eaten.fill(0.0);
        }
    }
}

impl Game for Bar {
    fn plies_left(&self, state: &Shape) -> u32 {
        state.lengths.iter().map(|&length| u32::from(length)).sum()
    }

    fn start(&self, _rng: &mut Rng) -> Shape {
        let mut lengths = [0; MOST_ROWS];
        lengths[..self.rows as usize].fill(self.columns as u8);
        Shape { lengths, mover: 0 }
    }

    fn role_text(&self, _player: u8) -> String {
        "You and the opponent eat from the same bar. Whoever eats the X loses.".to_owned()
    }

    fn rules(&self) -> String {
        let Self { rows, columns, .. } = *self;
        let size = format!("{} and {}", words::count(rows, "row"), words::count(columns, "column"));
        let (row, column) = (rows.min(2), column_name(columns.min(3) as u8 - 1));
        let last = self.name_action(self.actions() - 1);
        format!(
            "Two players take turns biting pieces off a bar of chocolate with {size}. Rows are numbered from 1 at \
             the top, and columns are lettered from a on the left. A bite names a square that is still there, by \
             its column and its row. It removes that square together with every remaining square that is neither \
             above it nor to the left of it: {column}{row} removes what is left of row {row} and of the rows below \
             it, from column {column} on. The square a1, marked X, is poisoned: the player who eats it loses, \
             and the other player wins. A move is the letter of a column and the number of a row, such as {last}."
        )
    }

    fn key(&self, state: &Shape, _player: u8) -> u128 {
        let mover = u128::from(state.mover);
        let lengths = state.lengths.iter();
        lengths.fold(mover, |key, &length| key << 4 | u128::from(length))
    }

    fn solves_instantly(&self) -> bool {
        true
    }

    fn values(&self, state: &Shape, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let table = self.table();
        let value = |action| {
            let mut next = *state;
            self.apply(&mut next, action);
            let reply = table.shapes[table.place(&next.lengths)];
            let outcome = if reply.won { -1 } else { 1 };
            let value =
                Value { outcome, distance: Some(1 + u32::from(reply.plies)), score: i32::from(outcome) };
            (action, value)
        };
        Ok(self.legal(state).iter().map(value).collect())
    }
}

/// True if the player to move wins, and the number of plies: the winner hastens the end, the loser delays it.
#[derive(Clone, Copy, Debug)]
struct Solved {
    won: bool,
    plies: u8,
}

/// Every shape, in an order in which all results of a shape's bites come before it.
#[derive(Debug)]
struct Table {
    shapes: Vec<Solved>,
    /// Increment of a shape's index for each row and length.
    steps: [[u16; MOST_ROWS + 1]; MOST_ROWS],
}

impl Table {
    fn new(bar: &Bar) -> Self {
        let rows = bar.rows as usize;
        let mut table = Self { shapes: Vec::new(), steps: [[0; MOST_ROWS + 1]; MOST_ROWS] };
        // Lexicographic order: the first shape with a given row length comes after all shapes with a shorter
        // row. A row of at most length `l` and the `n` rows below it have as many shapes as there are ways to
        // choose `n` of `l + n`.
        for (row, steps) in table.steps.iter_mut().enumerate().take(rows) {
            let below = rows - 1 - row;
            for length in 1..=MOST_ROWS {
                steps[length] = steps[length - 1] + choose(length - 1 + below, below);
            }
        }
        let mut lengths = [0; MOST_ROWS];
        // If nothing remains, the opponent has eaten the poison.
        table.shapes.push(Solved { won: true, plies: 0 });
        while next(&mut lengths[..rows], bar.columns as u8) {
            let solved = table.solve(&lengths[..rows]);
            table.shapes.push(solved);
        }
        table
    }

    fn place(&self, lengths: &[u8]) -> usize {
        let steps = self.steps.iter().zip(lengths);
        steps.map(|(steps, &length)| usize::from(steps[usize::from(length)])).sum()
    }

    /// The value of the next shape in order.
    fn solve(&self, lengths: &[u8]) -> Solved {
        let (mut fastest, mut slowest) = (u8::MAX, 0);
        let mut above = 0;
        for (row, &length) in lengths.iter().enumerate() {
            for column in 0..length {
                let mut place = above;
                for (steps, &length) in self.steps[row..].iter().zip(&lengths[row..]) {
                    place += usize::from(steps[usize::from(length.min(column))]);
                }
                let reply = self.shapes[place];
                if reply.won {
                    slowest = slowest.max(reply.plies);
                } else {
                    fastest = fastest.min(reply.plies);
                }
            }
            above += usize::from(self.steps[row][usize::from(length)]);
        }
        let won = fastest < u8::MAX;
        let plies = 1 + if won { fastest } else { slowest };
        Solved { won, plies }
    }
}

/// The shape after this one in lexicographic order, if there is one.
fn next(lengths: &mut [u8], columns: u8) -> bool {
    for row in (0..lengths.len()).rev() {
        let most = if row == 0 { columns } else { lengths[row - 1] };
        if lengths[row] < most {
            lengths[row] += 1;
            lengths[row + 1..].fill(0);
            return true;
        }
    }
    false
}

/// Number of ways to choose `k` of `n`.
fn choose(n: usize, k: usize) -> u16 {
    (0..k).fold(1, |ways, i| ways * (n - i) / (i + 1)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(rows: u32, columns: u32) -> Bar {
        Chomp.game(&ChompParams { rows, columns })
    }

    fn shape(rows: &[u8]) -> Shape {
        let mut lengths = [0; MOST_ROWS];
        lengths[..rows.len()].copy_from_slice(rows);
        Shape { lengths, mover: 0 }
    }

    fn values(bar: &Bar, state: &Shape) -> Values {
        bar.values(state, &mut Budget::unlimited()).unwrap()
    }

    fn whole(bar: &Bar) -> Shape {
        shape(&vec![bar.columns as u8; bar.rows as usize])
    }

    /// The first bites that win, by name.
    fn winning(bar: &Bar) -> Vec<String> {
        let values = values(bar, &whole(bar)).into_iter();
        let won = values.filter(|(_, value)| value.outcome > 0);
        won.map(|(action, _)| bar.name_action(action)).collect()
    }

    #[test]
    fn the_first_bite_that_wins_is_the_published_one() {
        let published = [
            (3, 4, "c2"),
            (3, 5, "d3"),
            (3, 6, "d2"),
            (3, 7, "e3"),
            (4, 5, "c3"),
            (4, 6, "c2"),
            (4, 7, "d3"),
            (5, 6, "d3"),
            (5, 7, "c2"),
            (6, 7, "e5"),
        ];
        for (rows, columns, bite) in published {
            assert_eq!(winning(&bar(rows, columns)), [bite], "{rows} by {columns}");
        }
        for size in 2..=8 {
            assert_eq!(winning(&bar(size, size)), ["b2"], "{size} by {size}");
            let last = format!("{}2", column_name(size as u8 - 1));
            assert_eq!(winning(&bar(2, size)), [last], "2 by {size}");
            assert_eq!(winning(&bar(1, size)), ["b1"], "1 by {size}");
        }
    }

    /// A bar on its side has the same bites with row and column exchanged.
    #[test]
    fn every_bar_up_to_seven_by_seven_has_one_winning_bite() {
        for rows in 1..=7 {
            for columns in 1..=7 {
                let bites = winning(&bar(rows, columns));
                assert_eq!(bites.len(), usize::from(rows * columns > 1));
                let turned = winning(&bar(columns, rows));
                let exchanged = bites.iter().map(|bite| {
                    let (row, column) = read_cell(bite).unwrap();
                    format!("{}{}", column_name(row as u8), column + 1)
                });
                assert!(exchanged.eq(turned), "{rows} by {columns}");
            }
        }
    }

    #[test]
    fn shapes_are_numbered_in_order() {
        for (rows, columns, count) in [(1, 8, 9), (4, 5, 126), (7, 7, 3_432), (8, 8, 12_870)] {
            let bar = bar(rows, columns);
            let table = bar.table();
            assert_eq!(table.shapes.len(), count);
            let mut lengths = [0; MOST_ROWS];
            for place in 0..count {
                assert_eq!(table.place(&lengths), place, "{lengths:?}");
                let more = next(&mut lengths[..rows as usize], columns as u8);
                assert_eq!(more, place + 1 < count);
            }
        }
    }

    /// The table and the search compute the same values independently.
    #[test]
    fn table_and_search_agree_everywhere() {
        for (rows, columns) in [(4, 5), (5, 4), (2, 8), (8, 1)] {
            let bar = bar(rows, columns);
            let solver = Solver::default();
            let mut state = shape(&[]);
            while next(&mut state.lengths[..rows as usize], columns as u8) {
                let searched = solver.values(&bar, &state, &mut Budget::unlimited());
                assert_eq!(searched.unwrap(), values(&bar, &state), "{state:?}");
            }
        }
    }

    #[test]
    fn a_bite_eats_what_is_below_and_to_the_right() {
        let bar = bar(4, 5);
        let mut state = whole(&bar);
        for bite in ["b3", " D 2 "] {
            bar.apply(&mut state, bar.read_action(bite).unwrap());
        }
        assert_eq!(state, shape(&[5, 3, 1, 1]));
        let picture = "  a b c d e\n1 X # # # #\n2 # # #\n3 #\n4 #";
        assert_eq!(bar.show(&state, 0), picture);
        let legal = bar.legal(&state).iter().map(|action| bar.name_action(action));
        let names: Vec<String> = legal.collect();
        let expected = ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2", "a3", "a4"];
        assert_eq!(names, expected);

        let before = state;
        bar.apply(&mut state, 0);
        assert_eq!((bar.turn(&state), bar.returns(&state)), (Turn::Over, [-1.0, 1.0]));
        assert_eq!(values(&bar, &before)[0].1.outcome, -1, "who eats the poison loses");
        for text in ["a5", "f1", "a0", "1", "a", "1a", "a1,a1", "1,1", "é1"] {
            assert!(bar.read_action(text).is_err(), "{text}");
        }
    }

    #[test]
    #[ignore = "a measurement: prints microseconds per table"]
    #[expect(clippy::disallowed_methods, reason = "it measures time")]
    fn a_table_takes_little_time() {
        for size in [7, 8] {
            let clock = std::time::Instant::now();
            for _ in 0..20 {
                std::hint::black_box(Table::new(&bar(size, size)));
            }
            println!("{size} by {size}: {} us", clock.elapsed().as_micros() / 20);
        }
    }
}
