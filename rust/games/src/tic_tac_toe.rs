//! Tic-tac-toe and its relatives: any board, any length of line, misère, wild.

use std::sync::OnceLock;

use game::prelude::*;
use kit::words;

mod table;
#[cfg(test)]
mod tests;

use table::Table;

pub struct TicTacToe;

params! {
    pub struct TicTacToeParams {
        /// Number of rows.
        rows: u32 [1..=8, structure],
        /// Number of columns.
        columns: u32 [1..=8, structure],
        /// Number of marks in a line that ends the game.
        line: u32 [2..=8, structure],
        /// True if the player who completes a line loses.
        misere: bool [structure],
        /// True if both players may place both marks.
        wild: bool [structure],
    }
    default (3, 3, 3, false, false)
    check Self::consistent;
}

impl TicTacToeParams {
    fn consistent(&self) -> Result<(), String> {
        let longest = self.rows.max(self.columns);
        if self.line > longest {
            let line = self.line;
            return Err(format!("`line` is {line}, but a line on this board has at most {longest} cells"));
        }
        Ok(())
    }
}

static ABOUT: About = About {
    name: "tic_tac_toe",
    summary: "Get three marks in a row; also on larger boards, misère and wild.",
    changes: &["First version."],
    players: ["X", "O"],
    variants: &[
        "{}",
        r#"{"misere": true}"#,
        r#"{"wild": true}"#,
        r#"{"wild": true, "misere": true}"#,
        r#"{"rows": 4, "columns": 3}"#,
        r#"{"rows": 4, "columns": 4, "line": 4}"#,
        r#"{"rows": 7, "columns": 8, "line": 5}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: Some(0.0),
    tactics: true,
    max_plies: 64,
    moves: "positions",
    score: "1 plus the cells still free at the end if won, the negative of that if lost; 0 for a draw",
};

impl GameFamily for TicTacToe {
    type Params = TicTacToeParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &TicTacToeParams) -> Board {
        Board::new(params)
    }
}

/// A board of up to 64 cells; cell `c` is bit `c` of a mask.
#[derive(Debug)]
pub struct Board {
    params: TicTacToeParams,
    cells: u32,
    /// For each cell, the lines through it.
    lines: Vec<Vec<u64>>,
    /// On a small board, the sets of cells that contain a line.
    held: Option<Box<[bool; Board::SMALL]>>,
    /// Every position of a small board, solved on first use.
    table: OnceLock<Table>,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// The cells marked X and those marked O. Unless the game is wild, X is the first player's.
    marks: [u64; 2],
    /// The first player's result, once a line was completed.
    won: i8,
}

impl Marks {
    fn taken(&self) -> u64 {
        self.marks[0] | self.marks[1]
    }

    /// The players alternate; player 0 begins.
    fn mover(&self) -> u8 {
        (self.taken().count_ones() & 1) as u8
    }
}

impl Board {
    /// Boards of at most this many cells are solved once and for all.
    const TABLED: u32 = 9;
    /// Number of sets of cells on such a board.
    const SMALL: usize = 1 << Self::TABLED;
    /// A plane of a small board for each set of cells.
    #[expect(clippy::large_stack_arrays, reason = "made when compiled")]
    const PLANES: [[f32; Self::TABLED as usize]; Self::SMALL] = {
        let mut planes = [[0.0; Self::TABLED as usize]; Self::SMALL];
        let mut marks = 0;
        while marks < Self::SMALL {
            let mut cell = 0;
            while cell < Self::TABLED as usize {
                if marks >> cell & 1 == 1 {
                    planes[marks][cell] = 1.0;
                }
                cell += 1;
            }
            marks += 1;
        }
        planes
    };
    /// Boards of at most this many cells are solved by search from the start.
    const SOLVED: u32 = 16;

    fn new(params: &TicTacToeParams) -> Self {
        let (rows, columns, length) = (params.rows as i32, params.columns as i32, params.line as i32);
        let cells = params.rows * params.columns;
        let mut lines = vec![Vec::new(); cells as usize];
        for start in 0..cells as i32 {
            let (row, column) = (start / columns, start % columns);
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let (last_row, last_column) = (row + down * (length - 1), column + right * (length - 1));
                if last_row >= rows || !(0..columns).contains(&last_column) {
                    continue;
                }
                let along = (0..length).map(|at| start + at * (down * columns + right));
                let line = along.clone().fold(0, |line, cell| line | 1_u64 << cell);
                for cell in along {
                    lines[cell as usize].push(line);
                }
            }
        }
        let held = (cells <= Self::TABLED).then(|| {
            let held = |marks: usize| {
                let mut lines = lines.iter().flatten();
                lines.any(|line: &u64| marks as u64 & line == *line)
            };
            Box::new(std::array::from_fn(held))
        });
        Self { params: params.clone(), cells, lines, held, table: OnceLock::new(), solver: Solver::default() }
    }

    fn board(&self) -> u64 {
        u64::MAX >> (64 - self.cells)
    }

    /// The cell and the mark of an action.
    fn cell(&self, action: Action) -> (u32, Option<usize>) {
        if self.params.wild { (action / 2, Some(action as usize % 2)) } else { (action, None) }
    }

    /// Reads `centre` or `top left` as a cell; only a side with a middle has a middle.
    fn cell_in_words(&self, text: &str) -> Option<u32> {
        let TicTacToeParams { rows, columns, .. } = self.params;
        let (mut row, mut column) = (None, None);
        let words = text.to_ascii_lowercase().replace('-', " ");
        for word in words.split_whitespace() {
            let (along, at) = match word {
                "top" | "upper" => (&mut row, 0),
                "bottom" | "lower" => (&mut row, rows - 1),
                "left" => (&mut column, 0),
                "right" => (&mut column, columns - 1),
                "centre" | "center" | "middle" => continue,
                _ => return None,
            };
            if along.replace(at).is_some() {
                return None;
            }
        }
        let middle = |along: Option<u32>, cells: u32| along.or((cells % 2 == 1).then_some(cells / 2));
        let said = !words.trim().is_empty();
        middle(row, rows)
            .zip(middle(column, columns))
            .filter(|_| said)
            .map(|(row, column)| row * columns + column)
    }

    /// True if the marks contain a line through a cell.
    #[inline]
    fn has_line(&self, marks: u64, cell: u32) -> bool {
        if let Some(held) = &self.held {
            return held[marks as usize];
        }
        self.lines[cell as usize].iter().any(|line| marks & line == *line)
    }

    #[inline]
    fn table(&self) -> Option<&Table> {
        (self.cells <= Self::TABLED).then(|| self.table.get_or_init(|| Table::new(self)))
    }

    /// A move's value from its worth: won games count the cells that remain free.
    fn value(state: &Marks, cells: u32, worth: i32) -> Value {
        let free = (cells - state.taken().count_ones()) as i32;
        let distance = (worth != 0).then(|| (free + 1 - worth.abs()) as u32);
        Value::proved(worth.signum() as i8, distance, worth)
    }
}

impl Rules for Board {
    type State = Marks;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        if self.params.wild { 2 * self.cells } else { self.cells }
    }

    fn max_plies(&self) -> u32 {
        self.cells
    }

    #[inline]
    fn turn(&self, state: &Marks) -> Turn {
        if state.won != 0 || state.taken() == self.board() { Turn::Over } else { Turn::Player(state.mover()) }
    }

    #[inline]
    fn legal(&self, state: &Marks) -> Actions {
        if state.won != 0 {
            return Actions::NONE;
        }
        let free = self.board() & !state.taken();
        if !self.params.wild {
            return Actions::from_bits(free);
        }
        let cells = Actions::from_bits(free);
        cells.iter().flat_map(|cell| [2 * cell, 2 * cell + 1]).collect()
    }

    #[inline]
    fn apply(&self, state: &mut Marks, action: Action) {
        let mover = state.mover();
        let (cell, mark) = self.cell(action);
        let mark = mark.unwrap_or(usize::from(mover));
        state.marks[mark] |= 1 << cell;
        if self.has_line(state.marks[mark], cell) {
            let winner = mover ^ u8::from(self.params.misere);
            state.won = if winner == 0 { 1 } else { -1 };
        }
    }

    fn returns(&self, state: &Marks) -> [f32; 2] {
        let first = f32::from(state.won);
        [first, -first]
    }

    fn show(&self, state: &Marks, player: u8) -> String {
        // Unless the game is wild, the observing player's marks are shown as X.
        let (own, other) = if self.params.wild || player == 0 { (0, 1) } else { (1, 0) };
        let wide = self.cells > 10;
        let columns = self.params.columns as usize;
        let row_length = columns * if wide { 5 } else { 4 } - 3;
        let mut text = String::with_capacity(2 * self.params.rows as usize * (row_length + 1));
        for cell in 0..self.cells {
            if cell > 0 && cell % self.params.columns == 0 {
                text.push('\n');
                text.extend(std::iter::repeat_n('-', row_length));
                text.push('\n');
            } else if cell > 0 {
                text.push_str(" | ");
            }
            let has = |mark: usize| state.marks[mark] >> cell & 1 == 1;
            let digit = |digit: u32| char::from(b'0' + digit as u8);
            let (tens, last) = if has(own) {
                (' ', 'X')
            } else if has(other) {
                (' ', 'O')
            } else if cell < 10 {
                (' ', digit(cell))
            } else {
                (digit(cell / 10), digit(cell % 10))
            };
            if wide {
                text.push(tens);
            }
            text.push(last);
        }
        text
    }

    /// The first player's marks are crosses, the second's rings.
    fn draw(&self, state: &Marks, _player: u8) -> Picture {
        let TicTacToeParams { rows, columns, .. } = self.params;
        let mut picture = Picture::new(rows, columns);
        picture.grid(Ink::Grey);
        for cell in 0..self.cells {
            let (row, column) = (cell / columns, cell % columns);
            match state.marks.map(|marks| marks >> cell & 1) {
                [1, _] => picture.cross(row, column, Ink::Red),
                [_, 1] => picture.ring(row, column, Ink::Blue, Ink::Paper),
                _ => {}
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match self.cell(action) {
            (cell, None) => cell.to_string(),
            (cell, Some(mark)) => format!("{}{cell}", ["X", "O"][mark]),
        }
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let text = text.trim();
        let last = self.cells - 1;
        let is_none = || {
            let mark = if self.params.wild { "X or O, as in X0, and " } else { "" };
            Misread::not_a_move(text, format_args!("a move is {mark}a cell from 0 to {last}"))
        };
        let (mark, digits) = if self.params.wild {
            match text.chars().next() {
                Some('X' | 'x') => (0, text[1..].trim_start()),
                Some('O' | 'o') => (1, text[1..].trim_start()),
                _ => return Err(is_none()),
            }
        } else {
            (0, text)
        };
        let cell = match self.cell_in_words(digits) {
            Some(cell) => Some(cell),
            None => answer::integer(digits).map_err(|_| is_none())?.and_then(|cell| u32::try_from(cell).ok()),
        };
        let cell = cell.filter(|cell| *cell <= last);
        let cell = cell.ok_or_else(|| Misread::off_board(text, format_args!("its cells are 0 to {last}")))?;
        Ok(if self.params.wild { 2 * cell + mark } else { cell })
    }

    fn why_illegal(&self, _state: &Marks, action: Action) -> String {
        format!("{} is taken", self.cell(action).0)
    }

    fn shape(&self) -> Vec<usize> {
        vec![2, self.params.rows as usize, self.params.columns as usize]
    }

    #[inline]
    fn observe(&self, state: &Marks, player: u8, out: &mut [f32]) {
        let own = usize::from(!self.params.wild && player == 1);
        let (first, second) = out.split_at_mut(self.cells as usize);
        for (plane, marks) in [(first, state.marks[own]), (second, state.marks[1 - own])] {
            if let Ok(plane) = <&mut [f32; Self::TABLED as usize]>::try_from(&mut *plane) {
                static PLANES: [[f32; Board::TABLED as usize]; Board::SMALL] = Board::PLANES;
                *plane = PLANES[marks as usize];
                continue;
            }
            for (cell, out) in plane.iter_mut().enumerate() {
                *out = f32::from((marks >> cell & 1) as u8);
            }
        }
    }
}

impl Game for Board {
    fn plies_left(&self, state: &Marks) -> u32 {
        self.cells - state.taken().count_ones()
    }

    fn start(&self, _rng: &mut Rng) -> Marks {
        Marks { marks: [0; 2], won: 0 }
    }

    fn role_text(&self, _player: u8) -> String {
        if self.params.wild {
            "Both you and the opponent may place X or O.".to_owned()
        } else {
            "You are X, the opponent is O.".to_owned()
        }
    }

    fn rules(&self) -> String {
        let TicTacToeParams { rows, columns, line, misere, wild } = self.params;
        let (rows, columns, last) =
            (words::count(rows, "row"), words::count(columns, "column"), self.cells - 1);
        let (turn, example) = if wild {
            (
                "On each turn, a player places one mark, X or O, on a free cell; both players may use both marks.",
                "X",
            )
        } else {
            (
                "On each turn, a player places one mark on a free cell; the board shows your marks as X and the opponent's as O.",
                "",
            )
        };
        let who = if wild {
            format!("The player who completes an unbroken line of {line} equal marks")
        } else {
            format!("The first player to get {line} of their own marks in an unbroken line")
        };
        let gets = if misere { "loses, and the other player wins" } else { "wins" };
        let named = if wild { "a mark and the number of a cell" } else { "the number of a cell" };
        format!(
            "Two players take turns on a board with {rows} and {columns}. The cells are numbered from 0 to \
             {last}, row by row from the top left. {turn} {who}, along a row, a column or a diagonal, {gets}. \
             If the board fills up without such a line, the game is a draw. A move is {named}, such as \
             {example}{last}."
        )
    }

    fn key(&self, state: &Marks, _player: u8) -> u128 {
        u128::from(state.marks[0]) | u128::from(state.marks[1]) << 64
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.cells > Self::SOLVED).then_some("a board of more than 16 cells is too large to be solved")
    }

    fn winning_moves(&self, state: &Marks) -> Actions {
        if self.params.misere || state.won != 0 {
            // A player who completes a line loses.
            return Actions::NONE;
        }
        let completes = |action: &Action| {
            let (cell, mark) = self.cell(*action);
            let mark = mark.unwrap_or(usize::from(state.mover()));
            self.has_line(state.marks[mark] | 1 << cell, cell)
        };
        self.legal(state).iter().filter(completes).collect()
    }

    fn solves_instantly(&self) -> bool {
        self.cells <= Self::TABLED
    }

    /// Measured by `tests/games/speed.rs`.
    fn solves_quickly(&self, state: &Marks) -> bool {
        self.cells <= 12 || self.plies_left(state) <= 8
    }

    fn values(&self, state: &Marks, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        if let Some(table) = self.table() {
            let value = |action| {
                let worth = table.worth(self, state, action);
                (action, Self::value(state, self.cells, worth))
            };
            return Ok(self.legal(state).iter().map(value).collect());
        }
        let mut values = self.solver.values(self, state, budget)?;
        for (_, value) in &mut values {
            // Wins and losses count the cells that remain free.
            let free = self.cells - state.taken().count_ones();
            let left = value.distance.map_or(0, |plies| 1 + free - plies);
            value.score = i32::from(value.outcome) * left as i32;
        }
        Ok(values)
    }

    fn outcomes(&self, state: &Marks, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        if let Some(table) = self.table() {
            let outcome = |action| (action, table.worth(self, state, action).signum() as i8);
            return Ok(self.legal(state).iter().map(outcome).collect());
        }
        Ok(self.solver.outcomes(self, state, budget)?)
    }

    #[inline]
    fn best(
        &self,
        state: &Marks,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        if let Some(table) = self.table() {
            let best = &table.best[Table::place(state.marks)];
            return Ok(Actions::from_bits(u64::from(match optimality {
                Optimality::Wdl => best.keeping,
                Optimality::Dtm => best.worth,
            })));
        }
        Ok(self.solver.best(self, state, optimality, budget)?)
    }
}
