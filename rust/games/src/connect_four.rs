//! Connect Four and its relatives: any board that fits a 64-bit word, any length of line.

use game::game::wins_by_trial;
use game::prelude::*;
use kit::words;

pub mod book;
mod exact;
mod node;
pub mod position;
pub mod solver;
mod table;
#[cfg(test)]
mod tests;

use exact::{EXACT, Exact};

pub struct ConnectFour;

params! {
    pub struct ConnectFourParams {
        /// Number of rows.
        rows: u32 [1..=15, structure],
        /// Number of columns; multiplied by the number of rows plus 1, at most 64.
        columns: u32 [1..=16, structure],
        /// Number of discs in a line that wins.
        line: u32 [2..=16, structure],
    }
    default (6, 7, 4)
    check Self::consistent;
}

impl ConnectFourParams {
    fn consistent(&self) -> Result<(), String> {
        let (rows, columns, line) = (self.rows, self.columns, self.line);
        let most = 64 / (rows + 1);
        if columns > most {
            return Err(format!("`columns` is {columns}, but a board of {rows} rows has at most {most}"));
        }
        let longest = rows.max(columns);
        if line > longest {
            return Err(format!("`line` is {line}, but a line on this board has at most {longest} cells"));
        }
        Ok(())
    }
}

static ABOUT: About = About {
    name: "connect_four",
    summary: "Drop discs into columns and get four in a row; also on other boards and with other lines.",
    changes: &["First version."],
    players: ["X", "O"],
    variants: &[
        "{}",
        r#"{"columns": 5, "rows": 4}"#,
        r#"{"columns": 4, "rows": 4}"#,
        r#"{"columns": 6, "rows": 5, "line": 3}"#,
        r#"{"columns": 4, "rows": 5, "line": 5}"#,
        r#"{"columns": 11, "rows": 3}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: Some(1.0),
    tactics: true,
    max_plies: 60,
    moves: "columns",
    score: "discs that the winner has left, negative for the loser; 0 for a draw",
};

impl GameFamily for ConnectFour {
    type Params = ConnectFourParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ConnectFourParams) -> Board {
        Board::new(params)
    }
}

/// A board whose columns are `rows + 1` bits of a mask: its cells from the lowest up, then an empty bit that
/// keeps lines from continuing in the next column.
pub struct Board {
    params: ConnectFourParams,
    cells: u32,
    /// Bits from one column to the next.
    stride: u32,
    /// The lowest cell of every column.
    bottom: u64,
    /// Shifts for each direction that grow runs of discs to the length of a line: from 1 to 2, to 4 and so
    /// on.
    shifts: Vec<[u32; 4]>,
    /// Number of lines through each cell.
    lines: Vec<i32>,
    exact: Option<&'static dyn Exact>,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// The discs of each player.
    players: [u64; 2],
    plies: u8,
    /// True if the last disc completed a line.
    won: bool,
}

impl Discs {
    const NONE: Self = Self { players: [0; 2], plies: 0, won: false };

    const fn mask(&self) -> u64 {
        self.players[0] | self.players[1]
    }

    const fn mover(&self) -> usize {
        (self.plies & 1) as usize
    }

    /// The discs of the player to move.
    const fn own(&self) -> u64 {
        self.players[self.mover()]
    }
}

impl Board {
    /// Maximum number of cells for a search from the start: more if short lines end the game soon, fewer if a
    /// wide board offers more choices.
    const fn solved(&self) -> u32 {
        match (self.params.line, self.params.columns) {
            (..=3, _) => 49,
            (_, ..=7) => 25,
            _ => 20,
        }
    }

    fn new(params: &ConnectFourParams) -> Self {
        let (rows, columns, line) = (params.rows, params.columns, params.line);
        let stride = rows + 1;
        let mut shifts = Vec::new();
        let mut length = 1;
        while length < line {
            let grown = length.min(line - length);
            // The last bit is never a cell, so a shift by 63 clears everything: such a line does not fit.
            shifts.push([1, stride - 1, stride, stride + 1].map(|step| (grown * step).min(63)));
            length += grown;
        }
        let mut board = Self {
            params: params.clone(),
            cells: rows * columns,
            stride,
            bottom: (0..columns).fold(0, |cells, column| cells | 1 << (column * stride)),
            shifts,
            lines: Vec::new(),
            exact: EXACT
                .iter()
                .map(AsRef::as_ref)
                .find(|exact| line == 4 && exact.board() == (columns, rows)),
            solver: Solver::default(),
        };
        board.lines = board.lines_by_cell();
        board
    }

    fn lines_by_cell(&self) -> Vec<i32> {
        let mut lines = vec![0; (self.stride * self.params.columns) as usize];
        let all = (0..self.params.columns).fold(0, |cells, column| cells | self.column(column));
        for step in [1, self.stride - 1, self.stride, self.stride + 1] {
            for first in 0..lines.len() as u32 {
                let along = || (0..self.params.line).map(|at| first + at * step);
                if along().all(|cell| cell < 64 && all >> cell & 1 == 1) {
                    for cell in along() {
                        lines[cell as usize] += 1;
                    }
                }
            }
        }
        lines
    }

    /// The cells of a column.
    const fn column(&self, column: u32) -> u64 {
        ((1 << self.params.rows) - 1) << (column * self.stride)
    }

    /// The cell where a disc lands in a column that has room.
    const fn disc(&self, state: &Discs, column: u32) -> u64 {
        (state.mask() + (1 << (column * self.stride))) & self.column(column)
    }

    #[inline]
    fn has_line(&self, discs: u64) -> bool {
        let mut runs = [discs; 4];
        for shifts in &self.shifts {
            for (run, shift) in runs.iter_mut().zip(shifts) {
                *run &= *run >> shift;
            }
        }
        runs != [0; 4]
    }

    fn board(&self) -> u64 {
        self.bottom * self.column(0)
    }

    /// Cells, on the board or outside, that would complete a line of four of these discs.
    fn completions(&self, discs: u64) -> u64 {
        let up = |by: u32| discs.checked_shl(by).unwrap_or(0);
        let down = |by: u32| discs.checked_shr(by).unwrap_or(0);
        [1, self.stride - 1, self.stride, self.stride + 1].into_iter().fold(0, |cells, step| {
            let below = up(step) & up(2 * step);
            let above = down(step) & down(2 * step);
            cells | below & (up(3 * step) | down(step)) | above & (down(3 * step) | up(step))
        })
    }

    /// The bits of the mirror image.
    fn mirrored(&self, bits: u64) -> u64 {
        let last = self.params.columns - 1;
        let digit = (1 << self.stride) - 1;
        (0..=last).fold(0, |image, column| {
            image | (bits >> (column * self.stride) & digit) << ((last - column) * self.stride)
        })
    }

    fn free(&self, state: &Discs) -> u32 {
        self.cells - u32::from(state.plies)
    }

    /// A move's value from its score. The discs that the winner still has determine the number of free cells
    /// up to one, and the winner makes the last move.
    fn value(&self, state: &Discs, score: i32) -> Value {
        let most = self.free(state) + 2 - 2 * score.unsigned_abs();
        let distance = match score.signum() {
            0 => None,
            1 => Some((most - 1) | 1),
            _ => Some(most & !1),
        };
        Value::proved(score.signum() as i8, distance, score)
    }
}

impl Rules for Board {
    type State = Discs;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.params.columns
    }

    fn max_plies(&self) -> u32 {
        self.cells
    }

    #[inline]
    fn turn(&self, state: &Discs) -> Turn {
        if state.won || u32::from(state.plies) == self.cells {
            Turn::Over
        } else {
            Turn::Player(state.mover() as u8)
        }
    }

    #[inline]
    fn legal(&self, state: &Discs) -> Actions {
        if state.won {
            return Actions::NONE;
        }
        let tops = !state.mask() >> (self.params.rows - 1);
        Actions::from_bits(
            (0..self.params.columns)
                .fold(0, |columns, column| columns | (tops >> (column * self.stride) & 1) << column),
        )
    }

    #[inline]
    fn apply(&self, state: &mut Discs, action: Action) {
        let disc = self.disc(state, action);
        let own = &mut state.players[usize::from(state.plies & 1)];
        *own |= disc;
        state.won = self.has_line(*own);
        state.plies += 1;
    }

    fn returns(&self, state: &Discs) -> [f32; 2] {
        match (state.won, state.mover()) {
            (false, _) => [0.0, 0.0],
            (true, 1) => [1.0, -1.0],
            (true, _) => [-1.0, 1.0],
        }
    }

    fn show(&self, state: &Discs, player: u8) -> String {
        let own = usize::from(player & 1);
        let (rows, columns) = (self.params.rows, self.params.columns);
        let width = columns.to_string().len();
        let line = |cell: &dyn Fn(u32) -> String| {
            let cells: Vec<String> = (0..columns).map(|column| format!("{:>width$}", cell(column))).collect();
            cells.join(" ")
        };
        let mut lines: Vec<String> = (0..rows)
            .rev()
            .map(|row| {
                line(&|column| {
                    let has = |discs: u64| discs >> (column * self.stride + row) & 1 == 1;
                    let shown = if has(state.players[own]) {
                        "X"
                    } else if has(state.players[1 - own]) {
                        "O"
                    } else {
                        "."
                    };
                    shown.to_owned()
                })
            })
            .collect();
        lines.push(line(&|column| (column + 1).to_string()));
        lines.join("\n")
    }

    /// The first player's discs are red, the second's yellow.
    fn draw(&self, state: &Discs, _player: u8) -> Picture {
        let (rows, columns) = (self.params.rows, self.params.columns);
        let mut picture = Picture::filled(rows, columns, Ink::Blue);
        for column in 0..columns {
            for row in 0..rows {
                let ink = match state.players.map(|discs| discs >> (column * self.stride + row) & 1) {
                    [1, _] => Ink::Red,
                    [_, 1] => Ink::Yellow,
                    _ => Ink::Paper,
                };
                picture.disc(rows - 1 - row, column, ink);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        (action + 1).to_string()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let last = self.params.columns;
        let column = answer::integer(text.trim())
            .map_err(|_| Misread::not_a_move(text, format_args!("a move is a column from 1 to {last}")))?;
        column
            .and_then(|column| u32::try_from(column).ok())
            .filter(|column| (1..=last).contains(column))
            .map(|column| column - 1)
            .ok_or_else(|| Misread::off_board(text, format_args!("its columns are 1 to {last}")))
    }

    fn why_illegal(&self, _state: &Discs, action: Action) -> String {
        format!("column {} is full", action + 1)
    }

    fn shape(&self) -> Vec<usize> {
        vec![2, self.params.rows as usize, self.params.columns as usize]
    }

    #[inline]
    fn observe(&self, state: &Discs, player: u8, out: &mut [f32]) {
        let own = usize::from(player & 1);
        let columns = self.params.columns as usize;
        let (first, second) = out.split_at_mut(self.cells as usize);
        for (plane, mut discs) in [(first, state.players[own]), (second, state.players[1 - own])] {
            // The last row is the lowest.
            for row in plane.chunks_exact_mut(columns).rev() {
                let mut cells = discs;
                for out in row {
                    *out = f32::from((cells & 1) as u8);
                    cells >>= self.stride;
                }
                discs >>= 1;
            }
        }
    }
}

impl Game for Board {
    fn plies_left(&self, state: &Discs) -> u32 {
        self.free(state)
    }

    fn start(&self, _rng: &mut Rng) -> Discs {
        Discs::NONE
    }

    fn role_text(&self, _player: u8) -> String {
        "You are X, the opponent is O.".to_owned()
    }

    fn rules(&self) -> String {
        let ConnectFourParams { rows, columns, line } = self.params;
        let size = format!("{} and {}", words::count(rows, "row"), words::count(columns, "column"));
        let full = words::count(rows, "disc");
        format!(
            "Two players take turns on an upright board with {size}. On each turn, a player drops one disc into a \
             column, and it falls to the lowest free cell of that column. A column with {full} is full. The board \
             shows your discs as X and the opponent's as O. The first player to get {line} of their own discs in \
             an unbroken line, along a row, a column or a diagonal, wins. If the board fills up without such a \
             line, the game is a draw. Columns are numbered from 1 on the left to {columns} on the right. A move \
             is the number of a column, such as {columns}."
        )
    }

    fn key(&self, state: &Discs, _player: u8) -> u128 {
        u128::from(state.players[0]) | u128::from(state.players[1]) << 64
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.exact.is_none() && self.cells > self.solved()).then_some(
            "a board this large takes long to solve, unless it is 6 x 6, 7 x 5 or the standard 7 x 6",
        )
    }

    /// Measured by `tests/games/speed.rs`.
    fn solves_quickly(&self, state: &Discs) -> bool {
        match self.exact {
            Some(exact) => self.free(state) <= 22 || exact.is_in_book(state),
            None => self.params.line <= 3 || self.cells <= 20 || self.free(state) <= 11,
        }
    }

    fn values(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        if let Some(exact) = self.exact {
            let scores = exact.scores(state, budget)?;
            let value = |(action, score)| (action, self.value(state, score));
            return Ok(scores.into_iter().map(value).collect());
        }
        let mut values = self.solver.values(self, state, budget)?;
        for (_, value) in &mut values {
            let left = value.distance.map_or(0, |plies| (self.free(state) + 2 - plies) / 2);
            value.score = i32::from(value.outcome) * left as i32;
        }
        Ok(values)
    }

    fn outcomes(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(match self.exact {
            Some(exact) => exact.outcomes(state, budget)?,
            None => self.solver.outcomes(self, state, budget)?,
        })
    }

    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(match self.exact {
            Some(exact) => exact.best(state, optimality, budget)?,
            None => self.solver.best(self, state, optimality, budget)?,
        })
    }

    fn winning_moves(&self, state: &Discs) -> Actions {
        if self.params.line != 4 {
            return wins_by_trial(self, state);
        }
        if state.won {
            return Actions::NONE;
        }
        let cells = self.board();
        let winning = self.completions(state.own()) & (state.mask() + self.bottom) & cells;
        Actions::from_bits(
            (0..self.params.columns)
                .fold(0, |columns, column| columns | u64::from(winning & self.column(column) != 0) << column),
        )
    }

    /// Winning comes first, then not losing next, then the middle of the board.
    fn move_ordering(&self, state: &Discs, action: Action) -> i32 {
        let disc = self.disc(state, action);
        let [wins, saves] = [0, 1].map(|player| {
            let discs = state.players[state.mover() ^ player];
            i32::from(self.has_line(discs | disc))
        });
        2_000 * wins + 1_000 * saves + self.lines[disc.trailing_zeros() as usize]
    }

    fn value_key(&self, state: &Discs) -> u128 {
        // The sum has a one above the top disc of every column, and below it those of the mover.
        let key = state.own() + state.mask() + self.bottom;
        key.min(self.mirrored(key)).into()
    }
}
