//! Forms of moves: their numbers, names and reading.

use super::layout::Layout;
use kit::rules::Action;

/// Form of a game's moves.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    form: Form,
    pass: bool,
    /// Word for a cell.
    cell: &'static str,
    empty: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A free cell.
    Free,
    /// Any cell.
    Cell,
    FromTo,
    Listed,
    Step,
}

/// The place of a move; rows and columns from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Cell(u32, u32),
    FromTo((u32, u32), (u32, u32)),
    Pass,
}

impl Moves {
    const fn new(form: Form) -> Self {
        Self { form, pass: false, cell: "cell", empty: '.' }
    }

    /// A piece is placed on a cell that is free; action `row * columns + column`.
    pub const CELLS: Self = Self::new(Form::Free);
    /// A cell is chosen, free or not; action `row * columns + column`.
    pub const ANY_CELL: Self = Self::new(Form::Cell);
    /// A piece goes from a cell to another one; actions `cell` place a piece, and after them action
    /// `from * cells + to` moves it.
    pub const FROM_TO: Self = Self::new(Form::FromTo);
    /// A piece goes to the next cell of its row or its column. Two actions for every two neighbors, one each way: first
    /// those of rows, then those of columns.
    pub const STEPS: Self = Self::new(Form::Step);

    /// A piece goes diagonally from a cell to another one; the game lists its moves and numbers them itself.
    pub const LISTED: Self = Self::new(Form::Listed);

    /// The last action is to pass.
    #[must_use]
    pub const fn or_pass(self) -> Self {
        Self { pass: true, ..self }
    }

    /// Another word for a cell.
    #[must_use]
    pub const fn called(self, cell: &'static str) -> Self {
        Self { cell, ..self }
    }

    /// The sign of an empty cell in the text.
    #[must_use]
    pub const fn empty_shown_as(self, empty: char) -> Self {
        Self { empty, ..self }
    }

    pub(super) const fn empty(&self) -> char {
        self.empty
    }

    /// True if a move needs a free cell.
    pub(super) fn fills(&self) -> bool {
        matches!(self.form, Form::Free | Form::FromTo)
    }

    pub(super) const fn may_pass(&self) -> bool {
        self.pass
    }

    #[inline]
    pub(super) const fn pass(&self, layout: Layout) -> Action {
        let cells = layout.count();
        match self.form {
            Form::Free | Form::Cell => cells,
            Form::FromTo => cells + cells * cells,
            Form::Listed => 0,
            Form::Step => 2 * (beside(layout) + (layout.rows - 1) * layout.columns),
        }
    }

    pub(super) fn count(&self, layout: Layout) -> u32 {
        self.pass(layout) + u32::from(self.pass)
    }

    pub(super) fn place(&self, layout: Layout, action: Action) -> Place {
        let cells = layout.count();
        let at = |cell: u32| (cell / layout.columns, cell % layout.columns);
        match self.form {
            _ if action == self.pass(layout) => Place::Pass,
            Form::FromTo if action >= cells => {
                let step = action - cells;
                Place::FromTo(at(step / cells), at(step % cells))
            }
            Form::Step => {
                let (pair, back) = (action / 2, action % 2 == 1);
                let (from, to) = match pair.checked_sub(beside(layout)) {
                    None => {
                        let (row, column) = (pair / (layout.columns - 1), pair % (layout.columns - 1));
                        ((row, column), (row, column + 1))
                    }
                    Some(above) => (at(above), at(above + layout.columns)),
                };
                if back { Place::FromTo(to, from) } else { Place::FromTo(from, to) }
            }
            Form::Free | Form::Cell | Form::FromTo => Place::Cell(at(action).0, at(action).1),
            Form::Listed => unreachable!("the game numbers its moves"),
        }
    }

    /// Reads a place of a kind that some move has, on the board or off it.
    pub(super) fn read(&self, text: &str) -> Option<Place> {
        Place::read(text).filter(|place| self.has(*place))
    }

    fn has(&self, place: Place) -> bool {
        match place {
            Place::Cell(..) => self.form != Form::Step,
            Place::FromTo(..) => matches!(self.form, Form::FromTo | Form::Listed | Form::Step),
            Place::Pass => self.pass,
        }
    }

    /// The action of a place on the board.
    pub(super) fn action(&self, layout: Layout, place: Place) -> Option<Action> {
        let cells = layout.count();
        let number = |(row, column): (u32, u32)| row * layout.columns + column;
        match (self.form, place) {
            (_, Place::Pass) => self.pass.then(|| self.pass(layout)),
            (Form::Free | Form::Cell | Form::FromTo, Place::Cell(row, column)) => Some(number((row, column))),
            (Form::FromTo, Place::FromTo(from, to)) => Some(cells + number(from) * cells + number(to)),
            (Form::Step, Place::FromTo(from, to)) => {
                let ((row, column), back) = (from.min(to), u32::from(from > to));
                match (from.0.abs_diff(to.0), from.1.abs_diff(to.1)) {
                    (0, 1) => Some(2 * (row * (layout.columns - 1) + column) + back),
                    (1, 0) => Some(2 * (beside(layout) + number((row, column))) + back),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The form of moves, for a text that has another.
    pub(super) fn form(&self, layout: Layout) -> String {
        let (cell, last) = (self.cell, layout.last());
        let pass = if self.pass { ", or pass" } else { "" };
        match self.form {
            Form::Free | Form::Cell => format!("a move is a {cell} from a1 to {last}{pass}"),
            Form::Listed => format!("a move is two {cell}s on a diagonal, like b3-c4{pass}"),
            Form::FromTo => {
                format!("a move is a {cell} from a1 to {last}, or two, like a1-b1{pass}")
            }
            Form::Step => {
                format!("a move is two {cell}s that share a side, like {}{pass}", step(layout))
            }
        }
    }

    /// The cells that exist, for a place that does not.
    pub(super) fn extent(&self, layout: Layout) -> String {
        format!("its {}s are a1 to {}", self.cell, layout.last())
    }

    /// The names of cells, for the rules.
    pub(super) fn names(&self, layout: Layout) -> String {
        let (cell, last) = (self.cell, layout.last());
        format!(
            "A {cell} is named by its column and its row: a1 is at the top left and {last} at the bottom right. "
        )
    }

    /// The form of a move, for the rules.
    pub(super) fn sentence(&self, layout: Layout) -> String {
        let (cell, last) = (self.cell, layout.last());
        let pass = if self.pass { ", or the word pass" } else { "" };
        match self.form {
            Form::Free | Form::Cell => format!("A move is a {cell}, such as {last}{pass}."),
            Form::Listed => {
                format!("A move is the {cell} it begins at and the one it ends at, such as b3-c4{pass}.")
            }
            Form::FromTo => {
                format!("A move is a {cell}, such as {last}, or two with a dash, such as a1-b1{pass}.")
            }
            Form::Step => {
                format!(
                    "A move is the {cell} it begins at and the one it ends at, such as {}{pass}.",
                    step(layout)
                )
            }
        }
    }
}

/// Number of pairs of neighbors in all rows.
const fn beside(layout: Layout) -> u32 {
    layout.rows * (layout.columns - 1)
}

/// An example of a step.
const fn step(layout: Layout) -> &'static str {
    if layout.columns > 1 { "a1-b1" } else { "a1-a2" }
}

impl Place {
    /// Most characters of a place's name, without spaces.
    const LONGEST: usize = 24;

    pub(super) fn name(self, layout: Layout) -> String {
        let cell = |(row, column)| layout.name(row, column);
        match self {
            Self::Cell(row, column) => layout.name(row, column),
            Self::FromTo(from, to) => format!("{}-{}", cell(from), cell(to)),
            Self::Pass => "pass".to_owned(),
        }
    }

    pub(super) fn is_on(self, layout: Layout) -> bool {
        let has = |(row, column): (u32, u32)| row < layout.rows && column < layout.columns;
        match self {
            Self::Cell(row, column) => has((row, column)),
            Self::FromTo(from, to) => has(from) && has(to),
            Self::Pass => true,
        }
    }

    /// Reads a place, ignoring case and spacing. Nothing bounds the numbers: 0, which nothing has, becomes the
    /// largest.
    fn read(text: &str) -> Option<Self> {
        let mut room = [0_u8; Self::LONGEST];
        let mut length = 0;
        for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
            // A longer text names nothing, however many zeros its numbers begin with.
            *room.get_mut(length)? = u8::try_from(letter).ok().filter(u8::is_ascii)?;
            length += 1;
        }
        let said = std::str::from_utf8(&room[..length]).ok()?;
        if said.eq_ignore_ascii_case("pass") {
            return Some(Self::Pass);
        }
        let (from, rest) = cell(said)?;
        if rest.is_empty() {
            return Some(Self::Cell(from.0, from.1));
        }
        let rest = rest.strip_prefix("->").or_else(|| rest.strip_prefix(['-', 'x'])).unwrap_or(rest);
        match cell(rest)? {
            (to, "") => Some(Self::FromTo(from, to)),
            _ => None,
        }
    }
}

/// A number from 1 as one from 0, and what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (end > 0).then(|| (digits.parse().unwrap_or(0_u32).wrapping_sub(1), rest))
}

fn cell(text: &str) -> Option<((u32, u32), &str)> {
    let column = text.chars().next()?.to_ascii_lowercase();
    if !column.is_ascii_lowercase() {
        return None;
    }
    let (row, rest) = number(&text[1..])?;
    Some(((row, u32::from(column) - u32::from('a')), rest))
}
