//! Pawns that only go ahead, on any board: the rules hexapawn and breakthrough share.

use crate::actions::Actions;
use crate::error::quoted;
use crate::game::{Game, Optimality, Unsolved, Values};
use crate::play::{Action, Turn};
use crate::rng::Rng;
use crate::solver::limit::Limit;
use crate::solver::search::Solver;

/// What makes one game of pawns different from another.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub rows: u32,
    pub columns: u32,
    /// Rows each player fills with pawns at the start.
    pub filled: u32,
    /// Whether a pawn may step to a free cell diagonally ahead, and not only capture there.
    pub sidesteps: bool,
}

/// A board of up to 64 cells; cell `row * columns + column` is a bit of a mask, row 0 lowest.
#[derive(Debug)]
pub struct Board {
    rules: Rules,
    too_deep: Option<&'static str>,
    /// Of each action, the cell it leaves and the columns it goes to the right.
    steps: Vec<(u32, i32)>,
    left_edge: u64,
    right_edge: u64,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pawns {
    /// Those of the first player, who goes up, and those of the second, who goes down.
    of: [u64; 2],
    mover: u8,
}

/// The cells a player's pawns may leave to the left, straight ahead and to the right.
type Leaving = [u64; 3];

impl Board {
    pub fn new(rules: Rules, too_deep: Option<&'static str>) -> Self {
        let (rows, columns) = (rules.rows, rules.columns);
        let steps = (0..rows * columns).flat_map(|cell| {
            let column = (cell % columns) as i32;
            (-1..=1)
                .filter(move |right| (0..columns as i32).contains(&(column + right)))
                .map(move |right| (cell, right))
        });
        let left_edge = (0..rows).fold(0, |edge, row| edge | 1 << (row * columns));
        Self {
            rules,
            too_deep,
            steps: steps.collect(),
            left_edge,
            right_edge: left_edge << (columns - 1),
            solver: Solver::default(),
        }
    }

    fn row(&self, row: u32) -> u64 {
        (u64::MAX >> (64 - self.rules.columns)) << (row * self.rules.columns)
    }

    fn rows(&self, rows: std::ops::Range<u32>) -> u64 {
        rows.fold(0, |mask, row| mask | self.row(row))
    }

    /// The row a player goes to.
    fn goal(&self, player: u8) -> u64 {
        self.row(if player == 0 { self.rules.rows - 1 } else { 0 })
    }

    /// Three actions a cell, but two at either edge: those before a row's are `2 * row` fewer.
    fn action(&self, cell: u32, right: i32) -> Action {
        (3 * cell - 2 * (cell / self.rules.columns)).wrapping_add_signed(right)
    }

    #[inline]
    fn leaving(&self, state: &Pawns) -> Leaving {
        let columns = self.rules.columns;
        let player = usize::from(state.mover);
        let (own, other) = (state.of[player], state.of[1 - player]);
        let free = !(own | other);
        let aside = if self.rules.sidesteps { !own } else { other };
        // Where the targets of a step are taken back to the cells it leaves. On a board of one column,
        // both edges are the whole board.
        let back = |targets: u64, right: u32| {
            if player == 0 { targets >> (columns + right - 1) } else { targets << (columns + 1 - right) }
        };
        [own & !self.left_edge & back(aside, 0), own & back(free, 1), own & !self.right_edge & back(aside, 2)]
    }

    fn diagonally_ahead(&self, cells: u64, player: u8) -> u64 {
        let columns = self.rules.columns;
        let (left, right) = (cells & !self.left_edge, cells & !self.right_edge);
        if player == 0 {
            left << (columns - 1) | right << (columns + 1)
        } else {
            left >> (columns + 1) | right >> (columns - 1)
        }
    }

    /// Left and right exchanged.
    fn mirrored(&self, pawns: u64) -> u64 {
        let last = self.rules.columns - 1;
        (0..=last)
            .fold(0, |mirrored, column| mirrored | (pawns >> column & self.left_edge) << (last - column))
    }

    fn has_arrived(&self, state: &Pawns, player: u8) -> bool {
        state.of[usize::from(player)] & self.goal(player) != 0
    }

    /// Who won, if the game is over.
    #[inline]
    fn winner(&self, state: &Pawns) -> Option<u8> {
        let opponent = 1 - state.mover;
        let lost = self.has_arrived(state, opponent) || self.leaving(state) == [0; 3];
        lost.then_some(opponent)
    }

    /// A pawn goes on until one of its side has arrived, so all but the last step short of the goal.
    fn most_moves(&self, state: &Pawns, player: u8) -> u32 {
        let rows = self.rules.rows;
        let short = (0..rows).map(|row| {
            let left = if player == 0 { rows - 1 - row } else { row };
            let pawns = state.of[usize::from(player)] & self.row(row);
            pawns.count_ones() * left.saturating_sub(1)
        });
        short.sum::<u32>() + 1
    }

    fn first(&self) -> Pawns {
        let Rules { rows, filled, .. } = self.rules;
        Pawns { of: [self.rows(0..filled), self.rows(rows - filled..rows)], mover: 0 }
    }

    fn column_name(column: u32) -> char {
        char::from(b'a' + column as u8)
    }

    fn cell_after(&self, cell: u32, right: i32, player: u8) -> u32 {
        let ahead = if player == 0 { cell + self.rules.columns } else { cell - self.rules.columns };
        ahead.wrapping_add_signed(right)
    }
}

impl Game for Board {
    type State = Pawns;

    fn actions(&self) -> u32 {
        self.steps.len() as u32
    }

    fn longest(&self) -> u32 {
        self.plies_left(&self.first())
    }

    fn plies_left(&self, state: &Pawns) -> u32 {
        if self.winner(state).is_some() {
            return 0;
        }
        let own = self.most_moves(state, state.mover);
        let others = self.most_moves(state, 1 - state.mover);
        (2 * own - 1).min(2 * others)
    }

    fn start(&self, _rng: &mut Rng) -> Pawns {
        self.first()
    }

    #[inline]
    fn turn(&self, state: &Pawns) -> Turn {
        match self.winner(state) {
            Some(_) => Turn::Over,
            None => Turn::Player(state.mover),
        }
    }

    #[inline]
    fn legal(&self, state: &Pawns) -> Actions {
        let mut legal = Actions::NONE;
        if self.has_arrived(state, 1 - state.mover) {
            return legal;
        }
        for (right, mut cells) in (-1..=1).zip(self.leaving(state)) {
            while cells != 0 {
                legal.insert(self.action(cells.trailing_zeros(), right));
                cells &= cells - 1;
            }
        }
        legal
    }

    #[inline]
    fn apply(&self, state: &mut Pawns, action: Action) {
        let (cell, right) = self.steps[action as usize];
        let to = 1 << self.cell_after(cell, right, state.mover);
        let player = usize::from(state.mover);
        state.of[player] ^= 1 << cell | to;
        state.of[1 - player] &= !to;
        state.mover = 1 - state.mover;
    }

    fn returns(&self, state: &Pawns) -> [f32; 2] {
        match self.winner(state) {
            Some(0) => [1.0, -1.0],
            Some(_) => [-1.0, 1.0],
            None => [0.0, 0.0],
        }
    }

    fn show(&self, state: &Pawns, _player: u8) -> String {
        let Rules { rows, columns, .. } = self.rules;
        let mut board = String::new();
        for row in (0..rows).rev() {
            board.push_str(&(row + 1).to_string());
            for cell in row * columns..(row + 1) * columns {
                board.push_str(match state.of.map(|pawns| pawns >> cell & 1) {
                    [1, _] => " W",
                    [_, 1] => " B",
                    _ => " .",
                });
            }
            board.push('\n');
        }
        board.push(' ');
        for column in 0..columns {
            board.extend([' ', Self::column_name(column)]);
        }
        board
    }

    fn you(&self, player: u8) -> String {
        let (own, other, way) = [("W", "B", "up"), ("B", "W", "down")][usize::from(player)];
        format!("You are {own} and go {way}, the opponent is {other}.")
    }

    /// The row it goes to is not named: an action is the same for both players, who go opposite ways.
    fn name_action(&self, action: Action) -> String {
        let (cell, right) = self.steps[action as usize];
        let (row, column) = (cell / self.rules.columns, cell % self.rules.columns);
        let to = Self::column_name(column.wrapping_add_signed(right));
        format!("{}{}-{to}", Self::column_name(column), row + 1)
    }

    fn read_action(&self, text: &str) -> Result<Action, String> {
        let Rules { rows, columns, .. } = self.rules;
        let compact: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        let column = |name: u8| {
            let column = u32::from(name.wrapping_sub(b'a'));
            (column < columns).then_some(column)
        };
        let row = |name: u8| {
            let row = u32::from(name.wrapping_sub(b'1'));
            (row < rows).then_some(row)
        };
        let read = || {
            let [from_column, from_row, ahead @ ..] = compact.as_bytes() else {
                return None;
            };
            let joint = ahead.strip_prefix(b"-").or(ahead.strip_prefix(b"x"));
            let ahead = joint.unwrap_or(ahead);
            let from = (row(*from_row)?, column(*from_column)?);
            let to = match ahead {
                [to] => column(*to)?,
                [to, to_row] if row(*to_row)?.abs_diff(from.0) == 1 => column(*to)?,
                _ => return None,
            };
            let right = to as i32 - from.1 as i32;
            (right.abs() <= 1).then(|| self.action(from.0 * columns + from.1, right))
        };
        read().ok_or_else(|| {
            let last = Self::column_name(columns - 1);
            format!(
                "`{}` is not a pawn's cell and the column it goes to, like a1-a, with columns a to {last} \
                 and rows 1 to {rows}",
                quoted(text)
            )
        })
    }

    /// A row that is said must be the one ahead.
    fn read_move(&self, state: &Pawns, text: &str) -> Result<Action, String> {
        let action = self.read_action(text)?;
        let row = self.steps[action as usize].0 / self.rules.columns + 1;
        let ahead = match self.turn(state) {
            Turn::Player(1) => row - 1,
            _ => row + 1,
        };
        match text.trim_end().chars().last().and_then(|last| last.to_digit(10)) {
            Some(said) if said != ahead => Err(format!(
                "`{}` does not go ahead; from row {row} this player's pawns go to row {ahead}",
                quoted(text)
            )),
            _ => Ok(action),
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![3, self.rules.rows as usize, self.rules.columns as usize]
    }

    /// Own pawns, the opponent's, and ones for who goes down; row 1 first.
    #[inline]
    fn observe(&self, state: &Pawns, player: u8, out: &mut [f32]) {
        let own = usize::from(player);
        let planes = [state.of[own], state.of[1 - own], if player == 0 { 0 } else { u64::MAX }];
        let cells = (self.rules.rows * self.rules.columns) as usize;
        for (plane, mask) in out.chunks_mut(cells).zip(planes) {
            for (cell, out) in plane.iter_mut().enumerate() {
                *out = f32::from((mask >> cell & 1) as u8);
            }
        }
    }

    /// The last bit of the first player's mask is free while the game goes on: if it is a cell, then one
    /// of the row that ends the game.
    fn key(&self, state: &Pawns, _player: u8) -> u128 {
        let [first, second] = state.of.map(u128::from);
        first | second << 64 | u128::from(state.mover) << 63
    }

    fn too_deep(&self) -> Option<&'static str> {
        self.too_deep
    }

    fn values(&self, state: &Pawns, limit: &mut Limit<'_>) -> Result<Values, Unsolved> {
        Ok(self.solver.values(self, state, limit)?)
    }

    fn outcomes(&self, state: &Pawns, limit: &mut Limit<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(self.solver.outcomes(self, state, limit)?)
    }

    fn best(
        &self,
        state: &Pawns,
        optimality: Optimality,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(self.solver.best(self, state, optimality, limit)?)
    }

    /// Arrivals first, then captures and safe cells, then what leaves the opponent few moves.
    #[inline]
    fn promise(&self, state: &Pawns, action: Action) -> i32 {
        let (cell, right) = self.steps[action as usize];
        let to = 1 << self.cell_after(cell, right, state.mover);
        if self.goal(state.mover) & to != 0 {
            return i32::MAX;
        }
        let row = cell / self.rules.columns;
        let ahead = if state.mover == 0 { row } else { self.rules.rows - 1 - row };
        let others = state.of[usize::from(1 - state.mover)];
        let mut next = *state;
        self.apply(&mut next, action);
        let replies = self.leaving(&next).map(u64::count_ones);
        40 * i32::from(others & to != 0)
            - 30 * i32::from(others & self.diagonally_ahead(to, state.mover) != 0)
            - 4 * replies.iter().sum::<u32>() as i32
            + ahead as i32
    }

    /// A board and its mirror image have one value.
    fn value_key(&self, state: &Pawns) -> u128 {
        let mirrored = Pawns { of: state.of.map(|pawns| self.mirrored(pawns)), ..*state };
        self.key(state, 0).min(self.key(&mirrored, 0))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn board(rules: Rules) -> Board {
        Board::new(rules, None)
    }

    #[test]
    fn a_move_backwards_is_not_read_as_one_ahead() {
        let board = board(Rules { rows: 4, columns: 3, filled: 1, sidesteps: false });
        let mut state = board.first();
        let ahead = board.read_move(&state, "b1-b2").unwrap();
        assert_eq!(board.read_move(&state, "b1-b"), Ok(ahead));
        assert!(board.read_move(&state, "b2-b1").is_err());
        board.apply(&mut state, ahead);
        assert!(board.read_move(&state, "b4-b3").is_ok());
        assert!(board.read_move(&state, "b3xb4").is_err());
    }

    /// What the first player gets.
    pub fn outcome(board: &Board) -> i8 {
        let outcomes = board.outcomes(&board.first(), &mut Limit::none());
        let outcomes = outcomes.unwrap().into_iter().map(|(_, outcome)| outcome);
        outcomes.max().unwrap()
    }

    pub fn played(board: &Board, moves: &[&str]) -> Pawns {
        let mut state = board.first();
        for said in moves {
            let action = board.read_action(said).unwrap();
            assert!(board.legal(&state).contains(action), "{said}: {state:?}");
            board.apply(&mut state, action);
        }
        state
    }

    pub fn legal(board: &Board, state: &Pawns) -> Vec<String> {
        let legal = board.legal(state);
        legal.iter().map(|action| board.name_action(action)).collect()
    }
}
