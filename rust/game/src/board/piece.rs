//! Pieces and what lies below them.

use super::layout::Layout;
use kit::picture::{CELL, Ink, Picture, Place as Point};

/// Kind of pieces.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub letter: char,
    /// The player it belongs to, unless it is anyone's.
    pub owner: Option<u8>,
    /// True if observations have a plane for it.
    pub observed: bool,
    ink: Ink,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Disc,
    Cross,
    Square,
    King,
}

impl Piece {
    const fn new(letter: char, ink: Ink, form: Form) -> Self {
        Self { letter, owner: None, observed: true, ink, form }
    }

    pub const fn disc(letter: char, ink: Ink) -> Self {
        Self::new(letter, ink, Form::Disc)
    }

    pub const fn cross(letter: char, ink: Ink) -> Self {
        Self::new(letter, ink, Form::Cross)
    }

    pub const fn square(letter: char, ink: Ink) -> Self {
        Self::new(letter, ink, Form::Square)
    }

    pub const fn king(letter: char, ink: Ink) -> Self {
        Self::new(letter, ink, Form::King)
    }

    #[must_use]
    pub const fn of(self, player: u8) -> Self {
        Self { owner: Some(player), ..self }
    }

    /// The piece without a plane, where another kind implies it.
    #[must_use]
    pub const fn unobserved(self) -> Self {
        Self { observed: false, ..self }
    }

    pub(super) fn draw(&self, picture: &mut Picture, (x, y): Point) {
        let (left, top) = (x - CELL / 2, y - CELL / 2);
        match self.form {
            Form::Disc => picture.spot((x, y), 3, self.ink),
            Form::King => {
                picture.spot((x, y), 3, self.ink);
                picture.spot((x, y), 1, Ink::Red);
            }
            Form::Cross => {
                picture.line((left + 2, top + 2), (left + 6, top + 6), 1, self.ink);
                picture.line((left + 6, top + 2), (left + 2, top + 6), 1, self.ink);
            }
            Form::Square => picture.rectangle((left + 1, top + 1), (CELL - 2, CELL - 2), self.ink),
        }
    }
}

/// The ground of the picture, below the pieces.
#[derive(Clone, Copy, Debug)]
pub enum Ground {
    Bare,
    /// An area and its lines.
    Grid(Ink, Ink),
    /// Cells of two colors in turn, that of the top left first.
    Checkered(Ink, Ink),
    /// A round hole for every cell.
    Holes(Ink, Ink),
}

impl Ground {
    pub(super) fn picture(self, layout: Layout) -> Picture {
        let (rows, columns) = layout.extent();
        match self {
            Self::Bare => Picture::new(rows, columns),
            Self::Grid(area, lines) => {
                let mut picture = Picture::filled(rows, columns, area);
                picture.grid(lines);
                let (width, height) = (columns * CELL, rows * CELL);
                let [below, beside] = layout.seams();
                for y in below.map(|row| row * CELL) {
                    picture.line((0, y), (width, y), 2, lines);
                }
                for x in beside.map(|column| column * CELL) {
                    picture.line((x, 0), (x, height), 2, lines);
                }
                picture
            }
            Self::Checkered(first, second) => {
                let mut picture = Picture::filled(rows, columns, first);
                for (row, column) in layout.cells().filter(|(row, column)| (row + column) % 2 == 1) {
                    picture.cell(row, column, second);
                }
                picture
            }
            Self::Holes(area, hole) => {
                let mut picture = Picture::filled(rows, columns, area);
                for (row, column) in layout.cells() {
                    picture.spot(layout.centre(row, column), 3, hole);
                }
                picture
            }
        }
    }
}
