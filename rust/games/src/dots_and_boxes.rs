//! Dots and boxes: a player who closes a box owns it and moves again.

use std::sync::{Mutex, OnceLock, PoisonError};

use game::prelude::*;
use game::value::best_of;
use kit::budget::OverBudget;
use kit::words;

#[cfg(test)]
mod tests;

pub struct DotsAndBoxes;

params! {
    pub struct DotsAndBoxesParams {
        /// Number of rows of boxes.
        rows: u32 [1..=8, structure],
        /// Number of columns of boxes.
        columns: u32 [1..=8, structure],
    }
    default (2, 2)
    check Self::consistent;
}

impl DotsAndBoxesParams {
    fn consistent(&self) -> Result<(), String> {
        let (lines, most) = (self.lines(), Self::MOST_LINES);
        if lines > most {
            let Self { rows, columns } = self;
            return Err(format!(
                "`rows` is {rows} and `columns` is {columns}, which makes {lines} lines, but a board has \
                 at most {most}"
            ));
        }
        Ok(())
    }
}

impl DotsAndBoxesParams {
    /// Maximum number of lines: those of 5x5 boxes.
    const MOST_LINES: u32 = 60;

    fn horizontal(&self) -> u32 {
        (self.rows + 1) * self.columns
    }

    fn lines(&self) -> u32 {
        self.horizontal() + self.rows * (self.columns + 1)
    }
}

static ABOUT: About = About {
    name: "dots_and_boxes",
    summary: "Draw lines between dots; whoever closes a box owns it and draws again.",
    changes: &["First version."],
    players: ["A", "B"],
    variants: &[
        "{}",
        r#"{"rows": 1, "columns": 1}"#,
        r#"{"rows": 1, "columns": 3}"#,
        r#"{"rows": 3, "columns": 2}"#,
        r#"{"rows": 5, "columns": 5}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: Some(1.0),
    tactics: false,
    max_plies: 60,
    moves: "lines",
    score: "own boxes minus the opponent's at the end",
};

impl GameFamily for DotsAndBoxes {
    type Params = DotsAndBoxesParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &DotsAndBoxesParams) -> Board {
        Board::new(params)
    }
}

/// A board of up to 60 lines; line `i` is bit `i` of a mask, and box `i` is bit `i` of another.
#[derive(Debug)]
pub struct Board {
    params: DotsAndBoxesParams,
    lines: u32,
    /// For each line, the boxes it is a side of.
    beside: Vec<Vec<Square>>,
    /// The margins still to be won on a small board, computed on first use.
    table: OnceLock<Table>,
    /// Held while computing the table, so that only one thread does.
    solving: Mutex<()>,
    solver: Solver,
}

#[derive(Clone, Copy, Debug)]
struct Square {
    number: u32,
    sides: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    lines: u64,
    /// The boxes of each player.
    owned: [u32; 2],
    mover: u8,
}

impl Drawn {
    const START: Self = Self { lines: 0, owned: [0; 2], mover: 0 };

    /// Lead of `player` over the other, in boxes.
    fn lead(&self, player: u8) -> i32 {
        let [first, second] = self.owned.map(|boxes| boxes.count_ones() as i32);
        if player == 0 { first - second } else { second - first }
    }
}

impl Board {
    /// Boards of at most this many lines are solved once and for all.
    const TABLED: u32 = 24;
    /// The tables of boards with at most this many lines take a few milliseconds to make.
    const TABLED_AT_ONCE: u32 = 17;

    fn new(params: &DotsAndBoxesParams) -> Self {
        let lines = params.lines();
        let mut beside = vec![Vec::new(); lines as usize];
        for number in 0..params.rows * params.columns {
            let (row, column) = (number / params.columns, number % params.columns);
            let top = number;
            let left = params.horizontal() + row * (params.columns + 1) + column;
            let around = [top, top + params.columns, left, left + 1];
            let sides = around.iter().fold(0, |sides, line| sides | 1 << line);
            for line in around {
                beside[line as usize].push(Square { number, sides });
            }
        }
        Self {
            params: params.clone(),
            lines,
            beside,
            table: OnceLock::new(),
            solving: Mutex::default(),
            solver: Solver::default(),
        }
    }

    /// The table of a small board, which may take half a second to make.
    fn table(&self, budget: &Budget<'_>) -> Result<Option<&Table>, OverBudget> {
        if self.lines > Self::TABLED {
            return Ok(None);
        }
        if let Some(table) = self.table.get() {
            return Ok(Some(table));
        }
        let _solving = self.solving.lock().unwrap_or_else(PoisonError::into_inner);
        if self.table.get().is_none() {
            let table = Table::new(self, budget)?;
            self.table.set(table).expect("nobody else makes the table meanwhile");
        }
        Ok(self.table.get())
    }

    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.lines)
    }

    /// The boxes a line closes.
    #[inline]
    fn closed(&self, lines: u64, line: Action) -> u32 {
        let lines = lines | 1 << line;
        self.beside[line as usize]
            .iter()
            .filter(|square| lines & square.sides == square.sides)
            .fold(0, |closed, square| closed | 1 << square.number)
    }
}

impl Rules for Board {
    type State = Drawn;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.lines
    }

    fn max_plies(&self) -> u32 {
        self.lines
    }

    #[inline]
    fn turn(&self, state: &Drawn) -> Turn {
        if state.lines == self.all() { Turn::Over } else { Turn::Player(state.mover) }
    }

    #[inline]
    fn legal(&self, state: &Drawn) -> Actions {
        Actions::from_bits(self.all() & !state.lines)
    }

    #[inline]
    fn apply(&self, state: &mut Drawn, action: Action) {
        let closed = self.closed(state.lines, action);
        state.lines |= 1 << action;
        state.owned[usize::from(state.mover)] |= closed;
        if closed == 0 {
            state.mover = 1 - state.mover;
        }
    }

    fn returns(&self, state: &Drawn) -> [f32; 2] {
        let first = state.lead(0).signum() as f32;
        [first, -first]
    }

    fn show(&self, state: &Drawn, _player: u8) -> String {
        let (rows, columns) = (self.params.rows, self.params.columns);
        let is_drawn = |line: u32| state.lines >> line & 1 == 1;
        let mut board = String::new();
        for row in 0..=rows {
            board.push_str(" +");
            for line in row * columns..(row + 1) * columns {
                if is_drawn(line) {
                    board.push_str("----+");
                } else {
                    board.push_str(&format!("{line:>3} +"));
                }
            }
            if row == rows {
                break;
            }
            board.push('\n');
            for column in 0..=columns {
                let line = self.params.horizontal() + row * (columns + 1) + column;
                if is_drawn(line) {
                    board.push_str(" |");
                } else {
                    board.push_str(&format!("{line:>2}"));
                }
                if column < columns {
                    let owned = state.owned.map(|boxes| boxes >> (row * columns + column) & 1);
                    board.push_str(match owned {
                        [1, _] => " A ",
                        [_, 1] => " B ",
                        _ => "   ",
                    });
                }
            }
            board.push('\n');
        }
        board
    }

    /// The first player's boxes are red, the second's blue.
    fn draw(&self, state: &Drawn, _player: u8) -> Picture {
        let (rows, columns) = (self.params.rows, self.params.columns);
        let mut picture = Picture::new(rows + 1, columns + 1);
        let dot = |row: u32, column: u32| (column * CELL + CELL / 2, row * CELL + CELL / 2);
        for (player, ink) in [(0, Ink::Red), (1, Ink::Blue)] {
            for number in (0..rows * columns).filter(|number| state.owned[player] >> number & 1 == 1) {
                picture.rectangle(dot(number / columns, number % columns), (CELL, CELL), ink);
            }
        }
        for line in (0..self.lines).filter(|line| state.lines >> line & 1 == 1) {
            let (from, to) = match line.checked_sub(self.params.horizontal()) {
                None => {
                    let (row, column) = (line / columns, line % columns);
                    (dot(row, column), dot(row, column + 1))
                }
                Some(line) => {
                    let (row, column) = (line / (columns + 1), line % (columns + 1));
                    (dot(row, column), dot(row + 1, column))
                }
            };
            picture.line(from, to, 1, Ink::Grey);
        }
        for row in 0..=rows {
            for column in 0..=columns {
                picture.line(dot(row, column), dot(row, column), 2, Ink::Black);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        action.to_string()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let last = self.lines - 1;
        let line = answer::integer(text.trim())
            .map_err(|_| Misread::not_a_move(text, format_args!("a move is a line from 0 to {last}")))?;
        line.and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line <= last)
            .ok_or_else(|| Misread::off_board(text, format_args!("its lines are 0 to {last}")))
    }

    fn why_illegal(&self, _state: &Drawn, action: Action) -> String {
        format!("line {action} has already been drawn")
    }

    fn shape(&self) -> Vec<usize> {
        vec![4, self.params.rows as usize + 1, self.params.columns as usize + 1]
    }

    /// Per dot: the box whose top left corner it is, own and then the opponent's, then the lines to its right
    /// and below it.
    #[inline]
    fn observe(&self, state: &Drawn, player: u8, out: &mut [f32]) {
        let (rows, columns) = (self.params.rows, self.params.columns);
        let dots = ((rows + 1) * (columns + 1)) as usize;
        let own = usize::from(player);
        let boxes = [state.owned[own], state.owned[1 - own]].map(u64::from);
        let down = state.lines >> self.params.horizontal();
        // Each with its length per row of dots, and its number of rows.
        let planes = [
            (boxes[0], columns, rows),
            (boxes[1], columns, rows),
            (state.lines, columns, rows + 1),
            (down, columns + 1, rows),
        ];
        for (plane, (mask, wide, high)) in out.chunks_mut(dots).zip(planes) {
            for (row, line) in (0..).zip(plane.chunks_mut(columns as usize + 1)) {
                for (column, out) in (0..).zip(line) {
                    let within = row < high && column < wide;
                    let at = if within { row * wide + column } else { 0 };
                    *out = f32::from(u8::from(within && mask >> at & 1 == 1));
                }
            }
        }
    }
}

impl Game for Board {
    fn plies_left(&self, state: &Drawn) -> u32 {
        self.lines - state.lines.count_ones()
    }

    fn start(&self, _rng: &mut Rng) -> Drawn {
        Drawn::START
    }

    fn role_text(&self, player: u8) -> String {
        let [own, other] = [["A", "B"], ["B", "A"]][usize::from(player)];
        format!("Your boxes are marked {own}, and the opponent's are marked {other}.")
    }

    fn rules(&self) -> String {
        let DotsAndBoxesParams { rows, columns } = self.params;
        let (down, across, last) = (rows + 1, columns + 1, self.lines - 1);
        let boxes = words::count(rows * columns, "box");
        let (rows, columns) = (words::count(rows, "row"), words::count(columns, "column"));
        format!(
            "The board has {down} rows of {across} dots, which leave room for {boxes} in {rows} and {columns}. Two \
             players take turns drawing one line between two dots that are next to each other in a row or a column. \
             Lines are numbered from 0 to {last}: first the horizontal ones, row by row from the top left, then \
             the vertical ones, row by row. The board shows the numbers of the lines that have not been drawn yet. \
             A player who draws the fourth side of a box owns that box and draws another line right away. \
             The board marks the first player's boxes A and the second player's boxes B. When all lines have been \
             drawn, the player with more boxes wins; if both have the same number, the game is a draw. A move is \
             the number of a line, such as {last}."
        )
    }

    /// Every closed box that is not the second player's is the first player's.
    fn key(&self, state: &Drawn, _player: u8) -> u128 {
        let mover = u128::from(state.mover);
        u128::from(state.lines) | u128::from(state.owned[1]) << 64 | mover << 127
    }

    fn solves_instantly(&self) -> bool {
        self.lines <= Self::TABLED_AT_ONCE
    }

    /// One table answers for all positions; a larger one takes half a second to make, once.
    fn solves_quickly(&self, state: &Drawn) -> bool {
        self.lines <= Self::TABLED || self.plies_left(state) <= 8
    }

    /// Only the last line ends the game.
    fn winning_moves(&self, state: &Drawn) -> Actions {
        let last = self.legal(state);
        if !last.is_single() {
            return Actions::NONE;
        }
        let mut over = *state;
        self.apply(&mut over, last.first().expect("there is a line left"));
        if over.lead(state.mover) > 0 { last } else { Actions::NONE }
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.lines > Self::TABLED).then_some("a board of more than 24 lines is too large to be solved")
    }

    fn values(&self, state: &Drawn, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let Some(table) = self.table(budget)? else {
            return Ok(self.solver.values(self, state, budget)?);
        };
        let lead = state.lead(state.mover);
        let value = |action| {
            let closed = self.closed(state.lines, action).count_ones() as i32;
            let then = table.to_come(state.lines | 1 << action);
            let score = lead + closed + if closed > 0 { then } else { -then };
            let value = Value::proved(score.signum() as i8, None, score);
            (action, value)
        };
        Ok(self.legal(state).iter().map(value).collect())
    }

    fn outcomes(&self, state: &Drawn, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        if self.lines > Self::TABLED {
            return Ok(self.solver.outcomes(self, state, budget)?);
        }
        let values = self.values(state, budget)?.into_iter();
        Ok(values.map(|(action, value)| (action, value.outcome)).collect())
    }

    fn best(
        &self,
        state: &Drawn,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        if self.lines > Self::TABLED {
            return Ok(self.solver.best(self, state, optimality, budget)?);
        }
        Ok(best_of(&self.values(state, budget)?, optimality))
    }

    fn objective(&self) -> Objective {
        Objective::Margin
    }

    fn margin(&self, state: &Drawn) -> i32 {
        state.lead(0)
    }

    /// Boxes first; lines that let the opponent close one last.
    #[inline]
    fn move_ordering(&self, state: &Drawn, action: Action) -> i32 {
        let squares = &self.beside[action as usize];
        let ordering = squares.iter().map(|square| match (square.sides & !state.lines).count_ones() {
            1 => 4,
            2 => -1,
            _ => 0,
        });
        ordering.sum()
    }

    /// The owners of boxes affect only the lead.
    fn value_key(&self, state: &Drawn) -> u128 {
        let lead = state.lead(state.mover) + self.lines as i32;
        u128::from(state.lines) | (lead as u128) << 64
    }
}

/// For every set of lines drawn, the number of boxes that the player to move will still win more than the
/// other.
#[derive(Debug)]
struct Table {
    /// By the lines from `LOW` up, then by those below: each entry is a block that is computed as one.
    blocks: Vec<Block>,
}

type Block = [i8; 1 << Table::LOW];

impl Table {
    /// Lines below this number are distinguished within a block. Even the smallest board has this many.
    const LOW: u32 = 4;
    const BELOW: u64 = (1 << Self::LOW) - 1;
    const NONE: Block = [0; 1 << Self::LOW];

    /// Backward from the full board: every line leads to a larger number.
    fn new(board: &Board, budget: &Budget<'_>) -> Result<Self, OverBudget> {
        // For each line, its boxes: the other sides they need from `LOW` up, and whether the lines below
        // include the rest.
        let mut squares = vec![Vec::new(); board.lines as usize];
        for (line, squares) in squares.iter_mut().enumerate() {
            for square in &board.beside[line] {
                let others = square.sides & !(1 << line);
                let low: Block =
                    std::array::from_fn(|lines| i8::from(others & Self::BELOW & !lines as u64 == 0));
                squares.push((others & !Self::BELOW, low));
            }
        }
        // Margins are far from overflowing, and only unchecked arithmetic is vectorized per block.
        let mut blocks = vec![Self::NONE; 1 << (board.lines - Self::LOW)];
        for high in (0..blocks.len()).rev() {
            if high.is_multiple_of(1024) {
                budget.look()?;
            }
            let lines = (high as u64) << Self::LOW;
            // Number of boxes that a line closes, by the lines below `LOW` that are drawn.
            let closed = |line: u32| {
                let mut closed = Self::NONE;
                for (others, low) in &squares[line as usize] {
                    if others & !lines == 0 {
                        for (closed, low) in closed.iter_mut().zip(low) {
                            *closed = closed.wrapping_add(*low);
                        }
                    }
                }
                closed
            };
            let mut block = [i8::MIN; 1 << Self::LOW];
            if high + 1 == blocks.len() {
                // All lines are drawn: there is nothing more to win.
                block[block.len() - 1] = 0;
            }
            let mut open = board.all() & !lines & !Self::BELOW;
            while open != 0 {
                let line = open.trailing_zeros();
                open &= open - 1;
                let then = blocks[high | 1 << (line - Self::LOW)];
                for ((best, closed), then) in block.iter_mut().zip(closed(line)).zip(then) {
                    *best = (*best).max(Self::worth(closed, then));
                }
            }
            let closed: [Block; Self::LOW as usize] = std::array::from_fn(|line| closed(line as u32));
            for within in (0..block.len()).rev() {
                for (line, closed) in closed.iter().enumerate() {
                    let next = within | 1 << line;
                    if next != within {
                        let worth = Self::worth(closed[within], block[next]);
                        block[within] = block[within].max(worth);
                    }
                }
            }
            blocks[high] = block;
        }
        Ok(Self { blocks })
    }

    /// Value of a line that closes this many boxes to the player who draws it, given the margin after it.
    #[inline]
    fn worth(closed: i8, then: i8) -> i8 {
        if closed > 0 { closed.wrapping_add(then) } else { then.wrapping_neg() }
    }

    fn to_come(&self, lines: u64) -> i32 {
        i32::from(self.blocks[(lines >> Self::LOW) as usize][(lines & Self::BELOW) as usize])
    }
}
