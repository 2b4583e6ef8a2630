//! Rules that hexapawn and breakthrough share: pawns that only move forward, on any board.

use game::game::wins_by_trial;
use game::prelude::*;

/// The differences between games of pawns.
#[derive(Clone, Copy, Debug)]
pub struct PawnRules {
    pub rows: u32,
    pub columns: u32,
    /// Rows that each player fills with pawns at the start.
    pub filled: u32,
    /// True if a pawn may also step to a free cell diagonally ahead, and not only capture there.
    pub sidesteps: bool,
}

/// A board of up to 64 cells; cell `row * columns + column` is a bit of a mask, row 0 lowest.
#[derive(Debug)]
pub struct Board {
    rules: PawnRules,
    /// The rules in words.
    words: String,
    unsolvable_reason: Option<&'static str>,
    /// For each action, the cell it leaves and the number of columns it moves to the right.
    steps: Vec<(u32, i32)>,
    left_edge: u64,
    right_edge: u64,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pawns {
    /// The pawns of the first player, who moves up, and those of the second, who moves down.
    of: [u64; 2],
    mover: u8,
}

/// A parsed move in letters and digits, without checking that such cells exist.
struct Said {
    from: (u8, u8),
    takes: bool,
    to: (u8, Option<u8>),
}

impl Said {
    /// Reads a cell, an optional separator, and a column or a cell.
    fn read(text: &str) -> Option<Self> {
        let compact: Vec<u8> = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .map(|letter| u8::try_from(letter.to_ascii_lowercase()).ok())
            .collect::<Option<_>>()?;
        let [from_column @ b'a'..=b'z', from_row @ b'0'..=b'9', ahead @ ..] = compact.as_slice() else {
            return None;
        };
        // A lone x is the name of a column.
        let takes = matches!(ahead, [b'x', b'a'..=b'z', ..]);
        let ahead = if takes { &ahead[1..] } else { ahead.strip_prefix(b"-").unwrap_or(ahead) };
        let to = match *ahead {
            [column @ b'a'..=b'z'] => (column, None),
            [column @ b'a'..=b'z', row @ b'0'..=b'9'] => (column, Some(row)),
            _ => return None,
        };
        Some(Self { from: (*from_column, *from_row), takes, to })
    }
}

/// The cells that a player's pawns may leave to the left, straight ahead and to the right.
type Leaving = [u64; 3];

impl Board {
    pub fn new(rules: PawnRules, words: String, unsolvable_reason: Option<&'static str>) -> Self {
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
            words,
            unsolvable_reason,
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

    /// The row that a player has to reach.
    fn goal(&self, player: u8) -> u64 {
        self.row(if player == 0 { self.rules.rows - 1 } else { 0 })
    }

    /// Each cell has three actions, except for two at either edge, so every row of cells has two actions
    /// fewer.
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
        // Maps the targets of a step back to the cells it leaves. On a board of one column, both edges are
        // the whole board.
        let back = |targets: u64, right: u32| {
            if player == 0 { targets >> (columns + right - 1) } else { targets << (columns + 1 - right) }
        };
        [own & !self.left_edge & back(aside, 0), own & back(free, 1), own & !self.right_edge & back(aside, 2)]
    }

    /// The actions of pawns that leave these cells.
    #[inline]
    fn stepping(&self, leaving: Leaving) -> Actions {
        let mut steps = Actions::NONE;
        for (right, mut cells) in (-1..=1).zip(leaving) {
            while cells != 0 {
                steps.insert(self.action(cells.trailing_zeros(), right));
                cells &= cells - 1;
            }
        }
        steps
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

    /// The mirror image.
    fn mirrored(&self, pawns: u64) -> u64 {
        let last = self.rules.columns - 1;
        (0..=last)
            .fold(0, |mirrored, column| mirrored | (pawns >> column & self.left_edge) << (last - column))
    }

    fn has_arrived(&self, state: &Pawns, player: u8) -> bool {
        state.of[usize::from(player)] & self.goal(player) != 0
    }

    /// The winner, if the game is over.
    #[inline]
    fn winner(&self, state: &Pawns) -> Option<u8> {
        let opponent = 1 - state.mover;
        let lost = self.has_arrived(state, opponent) || self.leaving(state) == [0; 3];
        lost.then_some(opponent)
    }

    /// Upper bound on a player's remaining moves: every pawn stops one step before the goal, and then one
    /// arrives.
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
        let PawnRules { rows, filled, .. } = self.rules;
        Pawns { of: [self.rows(0..filled), self.rows(rows - filled..rows)], mover: 0 }
    }

    fn column_name(column: u32) -> char {
        char::from(b'a' + column as u8)
    }

    fn cell_name(&self, cell: u32) -> String {
        let columns = self.rules.columns;
        format!("{}{}", Self::column_name(cell % columns), cell / columns + 1)
    }

    fn cell_after(&self, cell: u32, right: i32, player: u8) -> u32 {
        let ahead = if player == 0 { cell + self.rules.columns } else { cell - self.rules.columns };
        ahead.wrapping_add_signed(right)
    }
}

impl Rules for Board {
    type State = Pawns;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.steps.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.plies_left(&self.first())
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
        if self.has_arrived(state, 1 - state.mover) {
            return Actions::NONE;
        }
        self.stepping(self.leaving(state))
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
        let PawnRules { rows, columns, .. } = self.rules;
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

    fn draw(&self, state: &Pawns, _player: u8) -> Picture {
        let PawnRules { rows, columns, .. } = self.rules;
        let mut picture = Picture::filled(rows, columns, Ink::Yellow);
        for cell in 0..rows * columns {
            let (row, column) = (rows - 1 - cell / columns, cell % columns);
            if (row + column) % 2 == 1 {
                picture.rectangle((column * CELL, row * CELL), (CELL, CELL), Ink::Brown);
            }
            match state.of.map(|pawns| pawns >> cell & 1) {
                [1, _] => picture.ring(row, column, Ink::Black, Ink::White),
                [_, 1] => picture.disc(row, column, Ink::Black),
                _ => {}
            }
        }
        picture
    }

    /// The target row is not named: an action is the same for both players, who move in opposite directions.
    fn name_action(&self, action: Action) -> String {
        let (cell, right) = self.steps[action as usize];
        let to = Self::column_name((cell % self.rules.columns).wrapping_add_signed(right));
        format!("{}-{to}", self.cell_name(cell))
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let PawnRules { rows, columns, .. } = self.rules;
        let last = Self::column_name(columns - 1);
        let Some(said) = Said::read(text) else {
            let form = "a move is a cell and the column it goes to, like a1-a";
            let board = format_args!("{form}; columns are a to {last}, and rows are 1 to {rows}");
            return Err(Misread::not_a_move(text, board));
        };
        let off_board = || {
            Misread::off_board(
                text,
                format_args!("its columns are a to {last}, and its rows are 1 to {rows}"),
            )
        };
        let column = |name: u8| Some(u32::from(name - b'a')).filter(|column| *column < columns);
        let row = |name: u8| u32::from(name).checked_sub(u32::from(b'1')).filter(|row| *row < rows);
        let from = column(said.from.0).zip(row(said.from.1)).ok_or_else(off_board)?;
        let to_column = column(said.to.0).ok_or_else(off_board)?;
        let to_row = said.to.1.map(|name| row(name).ok_or_else(off_board)).transpose()?;
        let right = to_column as i32 - from.0 as i32;
        if right.abs() > 1 || to_row.is_some_and(|to| to.abs_diff(from.1) != 1) {
            let reach = "a move goes one row ahead, in the same column or an adjacent one";
            return Err(Misread::not_a_move(text, reach));
        }
        if said.takes && right == 0 {
            return Err(Misread::not_a_move(text, "a move straight ahead cannot capture"));
        }
        Ok(self.action(from.1 * columns + from.0, right))
    }

    /// A row that is named must be the one ahead, and a capture that is named must be possible.
    fn read_move(&self, state: &Pawns, text: &str) -> Result<Action, Misread> {
        let action = self.read_action(text)?;
        let (Some(said), Turn::Player(player)) = (Said::read(text), self.turn(state)) else {
            return Ok(action);
        };
        let (cell, right) = self.steps[action as usize];
        let row = cell / self.rules.columns + 1;
        let ahead = if player == 0 { row + 1 } else { row - 1 };
        if let Some(to) = said.to.1.map(|digit| u32::from(digit - b'0')).filter(|to| *to != ahead) {
            let message =
                format!("row {to} is not one row ahead; from row {row}, your moves go to row {ahead}");
            return Err(Misread::illegal(message));
        }
        if said.takes && self.legal(state).contains(action) {
            let to = self.cell_after(cell, right, player);
            if state.of[usize::from(1 - player)] >> to & 1 == 0 {
                let message = format!("there is nothing to capture on {}", self.cell_name(to));
                return Err(Misread::illegal(message));
            }
        }
        Ok(action)
    }

    fn why_illegal(&self, state: &Pawns, action: Action) -> String {
        let (cell, right) = self.steps[action as usize];
        let own = state.of[usize::from(state.mover)];
        if own >> cell & 1 == 0 {
            return format!("you have no piece on {}", self.cell_name(cell));
        }
        let to = self.cell_after(cell, right, state.mover);
        let name = self.cell_name(to);
        if right == 0 {
            format!("{name} is taken")
        } else if own >> to & 1 == 1 {
            format!("{name} is taken by one of your own pieces")
        } else {
            format!("there is nothing to capture on {name}")
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![3, self.rules.rows as usize, self.rules.columns as usize]
    }

    /// Own pawns, the opponent's, and ones for the player who moves down; row 1 first.
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
}

impl Game for Board {
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

    fn role_text(&self, player: u8) -> String {
        let (own, other, way) = [("W", "B", "up"), ("B", "W", "down")][usize::from(player)];
        format!("You are {own} and move {way}, the opponent is {other}.")
    }

    fn rules(&self) -> String {
        self.words.clone()
    }

    /// The last bit of the first player's mask is free while the game is in progress: if it is a cell, it
    /// belongs to the row that ends the game.
    fn key(&self, state: &Pawns, _player: u8) -> u128 {
        let [first, second] = state.of.map(u128::from);
        first | second << 64 | u128::from(state.mover) << 63
    }

    /// Small boards have few positions, and even fewer if pawns move diagonally only to capture.
    fn solves_instantly(&self) -> bool {
        self.rules.rows * self.rules.columns * self.rules.filled <= 24
    }

    /// Measured by `tests/games/speed.rs`: on boards where pawns meet early, the bound on the plies left says
    /// little.
    fn solves_quickly(&self, state: &Pawns) -> bool {
        self.solves_instantly() || self.rules.rows * self.rules.columns <= 20 || self.plies_left(state) <= 16
    }

    fn winning_moves(&self, state: &Pawns) -> Actions {
        // Most opponent moves that one move can remove: three of a captured pawn, two captures of the pawn
        // that moves, and one step that it blocks.
        const MOST_TAKEN: u32 = 6;
        if self.has_arrived(state, 1 - state.mover) {
            return Actions::NONE;
        }
        let opponent = self.leaving(&Pawns { mover: 1 - state.mover, ..*state });
        if opponent.iter().map(|cells| cells.count_ones()).sum::<u32>() <= MOST_TAKEN {
            return wins_by_trial(self, state);
        }
        let rows = self.rules.rows;
        let before_goal = self.row(if state.mover == 0 { rows - 2 } else { 1 });
        self.stepping(self.leaving(state).map(|cells| cells & before_goal))
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        self.unsolvable_reason
    }

    fn values(&self, state: &Pawns, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Ok(self.solver.values(self, state, budget)?)
    }

    fn outcomes(&self, state: &Pawns, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(self.solver.outcomes(self, state, budget)?)
    }

    fn best(
        &self,
        state: &Pawns,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(self.solver.best(self, state, optimality, budget)?)
    }

    /// Arrivals first, then captures and safe cells, then moves that leave the opponent few replies.
    #[inline]
    fn move_ordering(&self, state: &Pawns, action: Action) -> i32 {
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

    /// A board and its mirror image have the same value.
    fn value_key(&self, state: &Pawns) -> u128 {
        let mirrored = Pawns { of: state.of.map(|pawns| self.mirrored(pawns)), ..*state };
        self.key(state, 0).min(self.key(&mirrored, 0))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn board(rules: PawnRules) -> Board {
        Board::new(rules, String::new(), None)
    }

    #[test]
    fn a_move_backwards_is_not_read_as_one_ahead() {
        let board = board(PawnRules { rows: 4, columns: 3, filled: 1, sidesteps: false });
        let mut state = board.first();
        let ahead = board.read_move(&state, "b1-b2").unwrap();
        assert_eq!(board.read_move(&state, "b1-b"), Ok(ahead));
        assert!(board.read_move(&state, "b2-b1").is_err());
        board.apply(&mut state, ahead);
        assert!(board.read_move(&state, "b4-b3").is_ok());
        assert!(board.read_move(&state, "b3xb4").is_err());
    }

    /// The first player's outcome.
    pub fn outcome(board: &Board) -> i8 {
        let outcomes = board.outcomes(&board.first(), &mut Budget::unlimited());
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
