//! Connect Four and its relatives: any board that fits a 64-bit word, any length of line.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::Actions;
use crate::game::{About, Game, GameFamily, Misread, Optimality, Unsolved, Value, Values};
use crate::games::wording::counted;
use crate::params::Params;
use crate::play::{Action, Turn};
use crate::rng::Rng;
use crate::solver::connect_four::book::{self, Book};
use crate::solver::connect_four::{self as four, Outcome, Position};
use crate::solver::limit::{Limit, Unfinished};
use crate::solver::search::Solver;
use crate::solver::shelf::Shelf;
use crate::task::answer;

pub struct ConnectFour;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectFourParams {
    /// Rows of the board.
    #[schemars(range(min = 1, max = 15), extend("role" = "structure"))]
    rows: u32,
    /// Columns of the board; times one more than the rows, at most 64.
    #[schemars(range(min = 1, max = 16), extend("role" = "structure"))]
    columns: u32,
    /// Discs in a row that win.
    #[schemars(range(min = 2, max = 16), extend("role" = "structure"))]
    line: u32,
}

impl Default for ConnectFourParams {
    fn default() -> Self {
        Self { rows: 6, columns: 7, line: 4 }
    }
}

impl Params for ConnectFourParams {
    fn check(&self) -> Result<(), String> {
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
    summary: "Discs dropped into columns, four in a row; also on other boards and with other lines.",
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
    value: Some(1.0),
    tactics: true,
    moves: "columns",
    score: "own discs left when the game is won (the opponent's, negative, when lost); 0 for a draw",
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

/// A board, each column `rows + 1` bits of a mask: its cells from the lowest up, then an empty bit
/// that keeps lines from going on in the next column.
pub struct Board {
    params: ConnectFourParams,
    cells: u32,
    /// Bits from one column to the next.
    stride: u32,
    /// The lowest cell of every column.
    bottom: u64,
    /// By how much to shift runs of discs, in each direction, until they are as long as a line: runs
    /// of 1 to runs of 2, to runs of 4 and so on.
    shifts: Vec<[u32; 4]>,
    /// How many lines pass through each cell.
    lines: Vec<i32>,
    exact: Option<&'static dyn Exact>,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// The discs of each player.
    players: [u64; 2],
    plies: u8,
    /// Whether the last disc completed a line.
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
    /// The most cells of a board that a search solves from the start: more if short lines end the game
    /// soon, fewer if a wide board leaves more to choose from.
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
            // The last bit is never a cell, so a shift by 63 leaves nothing: no room for such a line.
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

    /// Where a disc dropped into a column that has room comes to rest.
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

    /// A move's value from its score. The discs left tell the cells left but for one; the winner has
    /// the last move.
    fn value(&self, state: &Discs, score: i32) -> Value {
        let most = self.free(state) + 2 - 2 * score.unsigned_abs();
        let distance = match score.signum() {
            0 => None,
            1 => Some((most - 1) | 1),
            _ => Some(most & !1),
        };
        Value { outcome: score.signum() as i8, distance, score }
    }
}

impl Game for Board {
    type State = Discs;

    fn actions(&self) -> u32 {
        self.params.columns
    }

    fn longest(&self) -> u32 {
        self.cells
    }

    fn plies_left(&self, state: &Discs) -> u32 {
        self.free(state)
    }

    fn start(&self, _rng: &mut Rng) -> Discs {
        Discs::NONE
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

    fn you(&self, _player: u8) -> String {
        "You are X, the opponent is O.".to_owned()
    }

    fn rules(&self) -> String {
        let ConnectFourParams { rows, columns, line } = self.params;
        let size = format!("{} and {}", counted(rows, "row"), counted(columns, "column"));
        let full = counted(rows, "disc");
        format!(
            "Two players take turns on an upright board of {size}. A turn drops one disc into a column, and \
             it falls to the lowest free cell of that column; a column with {full} is full. The board shows \
             your discs as X, the opponent's as O. The first player who has {line} own discs in an unbroken \
             line, along a row, a column or a diagonal, wins. If the board is full and there is no such \
             line, the game is a draw. Columns are numbered from 1 on the left to {columns} on the right. A \
             move is the number of a column, such as {columns}."
        )
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

    fn key(&self, state: &Discs, _player: u8) -> u128 {
        u128::from(state.players[0]) | u128::from(state.players[1]) << 64
    }

    fn too_deep(&self) -> Option<&'static str> {
        (self.exact.is_none() && self.cells > self.solved()).then_some(
            "a board so large, other than 6 x 6, 7 x 5 and the standard 7 x 6, takes long to solve",
        )
    }

    fn values(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Values, Unsolved> {
        if let Some(exact) = self.exact {
            let scores = exact.scores(state, limit)?;
            let value = |(action, score)| (action, self.value(state, score));
            return Ok(scores.into_iter().map(value).collect());
        }
        let mut values = self.solver.values(self, state, limit)?;
        for (_, value) in &mut values {
            let left = value.distance.map_or(0, |plies| (self.free(state) + 2 - plies) / 2);
            value.score = i32::from(value.outcome) * left as i32;
        }
        Ok(values)
    }

    fn outcomes(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(match self.exact {
            Some(exact) => exact.outcomes(state, limit)?,
            None => self.solver.outcomes(self, state, limit)?,
        })
    }

    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(match self.exact {
            Some(exact) => exact.best(state, optimality, limit)?,
            None => self.solver.best(self, state, optimality, limit)?,
        })
    }

    /// Winning comes first, not losing next, and then the middle of the board.
    fn promise(&self, state: &Discs, action: Action) -> i32 {
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

/// Exact scores of four in a row on a board of one size.
trait Exact: Send + Sync {
    /// Columns and rows.
    fn board(&self) -> (u32, u32);
    fn scores(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Vec<(Action, i32)>, Unfinished>;
    fn outcomes(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Vec<(Action, i8)>, Unfinished>;
    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unfinished>;
}

/// The boards with solvers of their own. All games on a board share what these remember.
static EXACT: LazyLock<[Box<dyn Exact>; 4]> = LazyLock::new(|| {
    [
        Box::new(Solvers::<7, 6>::new(1 << 26, Some(book::standard()))),
        Box::new(Solvers::<6, 6>::new(1 << 26, None)),
        Box::new(Solvers::<7, 5>::new(1 << 26, None)),
        Box::new(Solvers::<6, 5>::new(1 << 24, None)),
    ]
});

struct Solvers<const W: usize, const H: usize> {
    shelf: Shelf<four::Solver<W, H>>,
    table_bytes: usize,
    book: Option<&'static Book<W, H>>,
}

impl<const W: usize, const H: usize> Solvers<W, H> {
    /// Below every score.
    const WORST: i8 = -64;

    fn new(table_bytes: usize, book: Option<&'static Book<W, H>>) -> Self {
        Self { shelf: Shelf::default(), table_bytes, book }
    }

    fn position(state: &Discs) -> Position<W, H> {
        Position::of(state.own(), state.mask())
    }

    fn with<T>(&self, work: impl FnOnce(&mut four::Solver<W, H>) -> T) -> T {
        self.shelf.with(|| four::Solver::new(self.table_bytes), work)
    }

    /// What the book says of every move.
    fn in_book(&self, position: &Position<W, H>) -> Option<Vec<(Action, i32)>> {
        self.book?.values(position).map(listed)
    }
}

/// The moves that can be played, with their scores.
fn listed<const W: usize>(scores: [Option<i8>; W]) -> Vec<(Action, i32)> {
    let listed = (0..).zip(scores);
    listed.filter_map(|(column, score)| Some((column, i32::from(score?)))).collect()
}

impl<const W: usize, const H: usize> Exact for Solvers<W, H> {
    fn board(&self) -> (u32, u32) {
        (W as u32, H as u32)
    }

    fn scores(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Vec<(Action, i32)>, Unfinished> {
        let position = Self::position(state);
        match self.in_book(&position) {
            Some(scores) => Ok(scores),
            None => self.with(|solver| solver.values(&position, limit).map(listed)),
        }
    }

    fn outcomes(&self, state: &Discs, limit: &mut Limit<'_>) -> Result<Vec<(Action, i8)>, Unfinished> {
        let position = Self::position(state);
        if let Some(scores) = self.in_book(&position) {
            let outcome = |(action, score): (Action, i32)| (action, score.signum() as i8);
            return Ok(scores.into_iter().map(outcome).collect());
        }
        self.with(|solver| {
            let mut outcomes = Vec::new();
            for column in 0..W {
                if let Ok(next) = position.play(column) {
                    let outcome = match solver.outcome(&next, limit)? {
                        Outcome::Loss => 1,
                        Outcome::Draw => 0,
                        Outcome::Win => -1,
                    };
                    outcomes.push((column as Action, outcome));
                }
            }
            Ok(outcomes)
        })
    }

    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unfinished> {
        let position = Self::position(state);
        let rank = |score: i32| match optimality {
            Optimality::Wdl => score.signum(),
            Optimality::Dtm => score,
        };
        if let Some(scores) = self.in_book(&position) {
            let top = scores.iter().map(|(_, score)| rank(*score)).max();
            let best = scores.into_iter().filter(|(_, score)| Some(rank(*score)) == top);
            return Ok(best.map(|(action, _)| action).collect());
        }
        let known = self.book.and_then(|book| book.score(&position));
        self.with(|solver| {
            let score = match (known, optimality) {
                (Some(score), _) => score,
                (None, Optimality::Dtm) => solver.score(&position, limit)?,
                (None, Optimality::Wdl) => match solver.outcome(&position, limit)? {
                    Outcome::Loss => -1,
                    Outcome::Draw => 0,
                    Outcome::Win => 1,
                },
            };
            let least = match (optimality, score) {
                (Optimality::Dtm, score) => score,
                // Whatever a lost player does keeps the outcome.
                (Optimality::Wdl, ..0) => Self::WORST,
                (Optimality::Wdl, score) => score.signum(),
            };
            let mut best = Actions::NONE;
            for column in 0..W {
                if let Ok(next) = position.play(column)
                    && !solver.at_least(&next, 1 - least, limit)?
                {
                    best.insert(column as Action);
                }
            }
            Ok(best)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::game::best_of;
    use crate::rng::Key;

    fn params(json: &str) -> ConnectFourParams {
        serde_json::from_str(json).unwrap()
    }

    fn sized(columns: u32, rows: u32, line: u32) -> Board {
        let params = ConnectFourParams { rows, columns, line };
        params.check().unwrap();
        Board::new(&params)
    }

    fn after(board: &Board, columns: &str) -> Discs {
        let mut state = Discs::NONE;
        for column in columns.chars() {
            let action = board.read_action(&column.to_string()).unwrap();
            assert!(board.legal(&state).contains(action), "{columns}");
            board.apply(&mut state, action);
        }
        state
    }

    fn next(board: &Board, state: &Discs, action: Action) -> Discs {
        let mut next = *state;
        board.apply(&mut next, action);
        next
    }

    fn rng() -> Rng {
        Key::new("tests", 1, "connect four", 0, "").stream(0)
    }

    /// Some legal moves at random, fewer if the game ends.
    fn wander(board: &Board, plies: u32, rng: &mut Rng, mut visit: impl FnMut(&Discs)) -> Discs {
        let mut state = Discs::NONE;
        for _ in 0..plies {
            let legal: Vec<_> = board.legal(&state).iter().collect();
            if board.turn(&state) == Turn::Over {
                break;
            }
            state = next(board, &state, *rng.pick(&legal));
            visit(&state);
        }
        state
    }

    /// What a position is worth to the player to move, by the rules alone: discs left and plies.
    fn minimax(
        board: &Board,
        state: &Discs,
        seen: &mut BTreeMap<u128, (i32, Option<u32>)>,
    ) -> (i32, Option<u32>) {
        if state.won {
            // The winner's share of all discs, less those played, and the last of them.
            let winner = 1 - state.mover();
            let share = (board.cells + 1 - winner as u32) / 2;
            let left = share - state.players[winner].count_ones() + 1;
            return (-(left as i32), Some(0));
        }
        if board.turn(state) == Turn::Over {
            return (0, None);
        }
        let key = board.key(state, 0);
        if let Some(&known) = seen.get(&key) {
            return known;
        }
        let after = |action| {
            let (score, plies) = minimax(board, &next(board, state, action), seen);
            (-score, plies.map(|plies| plies + 1))
        };
        let best = board.legal(state).iter().map(after).max_by_key(|worth| {
            let plies = i64::from(worth.1.unwrap_or(0));
            (worth.0, -plies * i64::from(worth.0.signum()))
        });
        let best = best.expect("a game that is not over has moves");
        seen.insert(key, best);
        best
    }

    fn agrees_with_minimax(board: &Board, least_plies: u32, positions: u32) {
        let mut seen = BTreeMap::new();
        let mut rng = rng();
        for _ in 0..positions {
            let plies = least_plies + rng.below(u64::from(board.cells - least_plies)) as u32;
            let state = wander(board, plies, &mut rng, |_| {});
            if board.turn(&state) == Turn::Over {
                continue;
            }
            let worth = |action| {
                let (score, plies) = minimax(board, &next(board, &state, action), &mut seen);
                let value = Value {
                    outcome: -score.signum() as i8,
                    distance: plies.map(|plies| plies + 1),
                    score: -score,
                };
                (action, value)
            };
            let expected: Values = board.legal(&state).iter().map(worth).collect();
            // What is remembered may not decide what is asked next.
            for optimality in Optimality::ALL {
                let best = board.best(&state, optimality, &mut Limit::none()).unwrap();
                let shown = board.show(&state, 0);
                assert_eq!(best, best_of(&expected, optimality), "{optimality:?}\n{shown}");
            }
            let outcomes = board.outcomes(&state, &mut Limit::none()).unwrap();
            let outcome = |(action, value): &(Action, Value)| (*action, value.outcome);
            assert!(expected.iter().map(outcome).eq(outcomes), "{state:?}");
            let values = board.values(&state, &mut Limit::none()).unwrap();
            assert_eq!(values, expected, "\n{}", board.show(&state, 0));
        }
    }

    #[test]
    fn small_boards_agree_with_minimax() {
        agrees_with_minimax(&sized(4, 4, 4), 2, 200);
        agrees_with_minimax(&sized(4, 4, 3), 0, 200);
        agrees_with_minimax(&sized(5, 3, 3), 0, 200);
        agrees_with_minimax(&sized(5, 4, 4), 9, 200);
        agrees_with_minimax(&sized(5, 5, 5), 14, 100);
        agrees_with_minimax(&sized(6, 5, 4), 19, 200);
        agrees_with_minimax(&sized(7, 6, 4), 32, 200);
    }

    #[test]
    fn positions_are_counted() {
        let count = |board: &Board, most: u32| -> Vec<u64> {
            let mut level = BTreeMap::from([(0, (Discs::NONE, 1_u64))]);
            let counts = (0..=most).map(|_| {
                let reached = std::mem::take(&mut level);
                for (state, ways) in reached.values() {
                    for action in board.legal(state).iter() {
                        let next = next(board, state, action);
                        let entry = level.entry(board.key(&next, 0)).or_insert((next, 0));
                        entry.1 += ways;
                    }
                }
                // Lines of play that lead here, and positions.
                let ways: u64 = reached.values().map(|(_, ways)| ways).sum();
                ways << 32 | reached.len() as u64
            });
            counts.collect()
        };
        let standard = count(&sized(7, 6, 4), 7);
        let ways: Vec<u64> = standard.iter().map(|both| both >> 32).collect();
        assert_eq!(
            ways,
            [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536],
            "only one column is full after six plies"
        );
        // Tromp's counts (OEIS A212693).
        let positions: Vec<u64> = standard.iter().map(|both| both & 0xFFFF_FFFF).collect();
        assert_eq!(positions, [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859]);
        let small = count(&sized(4, 4, 4), 16);
        let all: u64 = small.iter().map(|both| both & 0xFFFF_FFFF).sum();
        assert_eq!(all, 161_029);
    }

    #[test]
    fn lines_are_found_in_every_direction() {
        fn has_line(board: &Board, discs: u64) -> bool {
            let (columns, rows) = (board.params.columns as i32, board.params.rows as i32);
            let has = |column: i32, row: i32| {
                (0..columns).contains(&column)
                    && (0..rows).contains(&row)
                    && discs >> (column * (rows + 1) + row) & 1 == 1
            };
            let line = |column: i32, row: i32| {
                [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
                    (0..board.params.line as i32).all(|at| has(column + at * right, row + at * up))
                })
            };
            (0..columns).any(|column| (0..rows).any(|row| line(column, row)))
        }
        let mut rng = rng();
        let mut won = 0;
        for (columns, rows) in [(7, 6), (16, 3), (16, 1), (1, 15), (4, 15), (8, 7), (9, 6), (5, 4)] {
            for line in 2..=columns.max(rows).min(7) {
                let board = sized(columns, rows, line);
                for _ in 0..50 {
                    let mut before = Discs::NONE;
                    let last = wander(&board, board.longest(), &mut rng, |state| {
                        let last = state.mover() ^ 1;
                        assert_eq!(state.won, has_line(&board, state.players[last]), "{state:?}");
                        assert_eq!(board.mirrored(board.mirrored(state.mask())), state.mask());
                        let changed = state.mask() ^ before.mask();
                        assert_eq!(changed.count_ones(), 1, "{before:?} {state:?}");
                        before = *state;
                    });
                    assert_eq!(board.turn(&last), Turn::Over);
                    won += u32::from(last.won);
                }
            }
        }
        assert!(won > 500, "only {won} games were won");
    }

    #[test]
    fn boards_beyond_a_word_are_refused() {
        let refused = |json: &str| params(json).check().unwrap_err();
        assert_eq!(
            refused(r#"{"columns": 8, "rows": 8}"#),
            "`columns` is 8, but a board of 8 rows has at most 7"
        );
        assert_eq!(
            refused(r#"{"columns": 5, "line": 7}"#),
            "`line` is 7, but a line on this board has at most 6 cells"
        );
        assert!(params(r#"{"columns": 9}"#).check().is_ok());
    }

    #[test]
    fn the_one_who_looks_is_x() {
        let board = sized(7, 6, 4);
        let state = after(&board, "4435");
        let shown = |x: char, o: char| {
            let empty = ". . . . . . .\n".repeat(4);
            format!("{empty}. . . {o} . . .\n. . {x} {x} {o} . .\n1 2 3 4 5 6 7")
        };
        assert_eq!(board.show(&state, 0), shown('X', 'O'));
        assert_eq!(board.show(&state, 1), shown('O', 'X'));
        let mut seen = [0.0; 84];
        board.observe(&state, 1, &mut seen);
        let ones: Vec<usize> = (0..84).filter(|&at| seen[at] > 0.5).collect();
        assert_eq!(ones, [4 * 7 + 3, 5 * 7 + 4, 42 + 5 * 7 + 2, 42 + 5 * 7 + 3]);
        assert_eq!(
            sized(11, 1, 4).show(&Discs::NONE, 0),
            " .  .  .  .  .  .  .  .  .  .  .\n 1  2  3  4  5  6  7  8  9 10 11"
        );
    }

    #[test]
    fn columns_are_read_from_one() {
        let board = sized(7, 6, 4);
        assert_eq!(board.read_action(" 7 "), Ok(6));
        for wrong in ["0", "8", "-1", "d", "4 4", ""] {
            let message = board.read_action(wrong).unwrap_err().message;
            assert!(message.contains(&format!("`{wrong}`")), "{message}");
        }
    }

    #[test]
    fn the_book_answers_at_once() {
        let board = sized(7, 6, 4);
        let scores = |columns: &str| -> Vec<i32> {
            let state = after(&board, columns);
            let values = board.values(&state, &mut Limit::nodes(0)).unwrap();
            values.iter().map(|(_, value)| value.score).collect()
        };
        assert_eq!(scores(""), [-2, -1, 0, 1, 0, -1, -2]);
        assert_eq!(scores("4"), [-4, -2, -2, -1, -2, -2, -4]);
        let best = |columns: &str, optimality| {
            let state = after(&board, columns);
            let limit = &mut Limit::nodes(0);
            let best: Vec<_> = board.best(&state, optimality, limit).unwrap().iter().collect();
            best
        };
        assert_eq!(best("", Optimality::Wdl), [3]);
        assert_eq!(best("4", Optimality::Wdl), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(best("4", Optimality::Dtm), [3]);
        assert_eq!(board.too_deep(), None);
        // The first player's 21st disc is the last it needs.
        let values = board.values(&Discs::NONE, &mut Limit::nodes(0)).unwrap();
        assert_eq!(values[3].1.distance, Some(41));
        assert_eq!(values[0].1.distance, Some(40));
    }

    #[test]
    #[ignore = "seconds of search"]
    fn published_values_are_found() {
        let value = |columns: u32, rows: u32| {
            let board = sized(columns, rows, 4);
            assert_eq!(board.too_deep(), None);
            let limit = &mut Limit::none();
            let outcomes = board.outcomes(&Discs::NONE, limit).unwrap();
            outcomes.iter().map(|(_, outcome)| *outcome).max().unwrap()
        };
        // Tromp, John's Connect Four playground.
        assert_eq!([(4, 4), (5, 4), (6, 4), (7, 3)].map(|(w, h)| value(w, h)), [0, 0, -1, 0]);
        assert_eq!([(4, 5), (5, 5), (6, 5), (7, 5)].map(|(w, h)| value(w, h)), [0, 0, 0, 0]);
        assert_eq!(value(6, 6), -1);
    }
}
