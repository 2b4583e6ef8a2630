//! A position as a person would draw it: a few shapes on a field of cells.

/// What is drawn, the first shape lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub rows: u32,
    pub columns: u32,
    pub shapes: Vec<Shape>,
}

/// A place in the picture, from the left and from the top, in eighths of a cell.
pub type Place = (u32, u32);

/// Places and lengths are in eighths of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Rectangle {
        at: Place,
        size: Place,
        ink: Ink,
    },
    Disc {
        centre: Place,
        radius: u32,
        ink: Ink,
    },
    /// A line with round ends.
    Line {
        from: Place,
        to: Place,
        width: u32,
        ink: Ink,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Paper,
    Grey,
    Black,
    White,
    Red,
    Yellow,
    Blue,
    Green,
    Brown,
}

impl Ink {
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Grey => "grey",
            Self::Black => "black",
            Self::White => "white",
            Self::Red => "red",
            Self::Yellow => "yellow",
            Self::Blue => "blue",
            Self::Green => "green",
            Self::Brown => "brown",
        }
    }
}

/// Eighths of a cell.
pub const CELL: u32 = 8;

impl Picture {
    /// An empty field.
    pub fn new(rows: u32, columns: u32) -> Self {
        Self { rows, columns, shapes: Vec::new() }
    }

    /// A field of one colour.
    pub fn filled(rows: u32, columns: u32, ink: Ink) -> Self {
        let mut picture = Self::new(rows, columns);
        picture.rectangle((0, 0), (columns * CELL, rows * CELL), ink);
        picture
    }

    /// The lines between cells.
    pub fn grid(&mut self, ink: Ink) {
        let (width, height) = (self.columns * CELL, self.rows * CELL);
        for row in 1..self.rows {
            self.line((0, row * CELL), (width, row * CELL), 0, ink);
        }
        for column in 1..self.columns {
            self.line((column * CELL, 0), (column * CELL, height), 0, ink);
        }
    }

    pub fn rectangle(&mut self, at: Place, size: Place, ink: Ink) {
        self.shapes.push(Shape::Rectangle { at, size, ink });
    }

    /// A line; the thinnest has width 0.
    pub fn line(&mut self, from: Place, to: Place, width: u32, ink: Ink) {
        self.shapes.push(Shape::Line { from, to, width, ink });
    }

    /// A disc in the middle of a cell, three quarters as wide.
    pub fn disc(&mut self, row: u32, column: u32, ink: Ink) {
        self.shapes.push(Shape::Disc { centre: centre(row, column), radius: 3, ink });
    }

    /// A disc in the middle of a cell that leaves a rim of `ink` around `inner`.
    pub fn ring(&mut self, row: u32, column: u32, ink: Ink, inner: Ink) {
        self.disc(row, column, ink);
        self.shapes.push(Shape::Disc { centre: centre(row, column), radius: 2, ink: inner });
    }

    /// Two diagonals in a cell.
    pub fn cross(&mut self, row: u32, column: u32, ink: Ink) {
        let (x, y) = (column * CELL, row * CELL);
        self.line((x + 2, y + 2), (x + 6, y + 6), 1, ink);
        self.line((x + 6, y + 2), (x + 2, y + 6), 1, ink);
    }
}

fn centre(row: u32, column: u32) -> Place {
    (column * CELL + CELL / 2, row * CELL + CELL / 2)
}
