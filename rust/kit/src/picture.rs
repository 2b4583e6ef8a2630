//! A position as a person would draw it: a few shapes on a grid of cells.

/// A drawing; later shapes cover earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub rows: u32,
    pub columns: u32,
    pub shapes: Vec<Shape>,
}

/// A place in the picture, from the left and from the top, in eighths of a cell.
pub type Place = (u32, u32);

/// Places and lengths are in eighths of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Printable ASCII on one line; each character is three quarters as wide as high. It starts or is
    /// centered at `at`, which is halfway up.
    Text {
        at: Place,
        height: u32,
        centred: bool,
        text: String,
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
    /// The colors that are easiest to distinguish, for things without a color of their own.
    pub const BRIGHT: [Self; 5] = [Self::Red, Self::Yellow, Self::Blue, Self::Green, Self::Brown];

    /// A color that is legible on this one.
    #[must_use]
    pub fn contrast(self) -> Self {
        match self {
            Self::Paper | Self::Grey | Self::White | Self::Yellow => Self::Black,
            Self::Black | Self::Red | Self::Blue | Self::Green | Self::Brown => Self::White,
        }
    }

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

/// Size of a cell in eighths.
pub const CELL: u32 = 8;

impl Picture {
    /// An empty field.
    pub fn new(rows: u32, columns: u32) -> Self {
        Self { rows, columns, shapes: Vec::new() }
    }

    /// A field of one color.
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

    /// The outline of a rectangle.
    pub fn frame(&mut self, (x, y): Place, (width, height): Place, line: u32, ink: Ink) {
        let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        for (at, corner) in corners.into_iter().enumerate() {
            self.line(corner, corners[(at + 1) % 4], line, ink);
        }
    }

    /// Text that begins at a place.
    pub fn label(&mut self, at: Place, height: u32, text: impl Into<String>, ink: Ink) {
        self.shapes.push(Shape::Text { at, height, centred: false, text: text.into(), ink });
    }

    /// Text with its middle at a place.
    pub fn title(&mut self, at: Place, height: u32, text: impl Into<String>, ink: Ink) {
        self.shapes.push(Shape::Text { at, height, centred: true, text: text.into(), ink });
    }

    /// Text in the middle of a cell: a number, a letter.
    pub fn sign(&mut self, row: u32, column: u32, text: impl Into<String>, ink: Ink) {
        self.title(centre(row, column), 4, text, ink);
    }

    /// True if no shape reaches beyond the edges.
    pub fn is_whole(&self) -> bool {
        let inside = |(x, y): Place| x <= self.columns * CELL && y <= self.rows * CELL;
        let reaches = |(x, y): Place, left: u32, up: u32, right: u32| {
            x >= left && y >= up && inside((x + right, y + up))
        };
        self.shapes.iter().all(|shape| match shape {
            Shape::Rectangle { at, size, .. } => inside((at.0 + size.0, at.1 + size.1)),
            Shape::Disc { centre, radius, .. } => reaches(*centre, *radius, *radius, *radius),
            Shape::Line { from, to, .. } => inside(*from) && inside(*to),
            Shape::Text { at, height, centred: false, text, .. } => {
                reaches(*at, 0, height / 2, width(text, *height))
            }
            Shape::Text { at, height, text, .. } => {
                let half = width(text, *height) / 2;
                reaches(*at, half, height / 2, half)
            }
        })
    }

    /// A whole cell.
    pub fn cell(&mut self, row: u32, column: u32, ink: Ink) {
        self.rectangle((column * CELL, row * CELL), (CELL, CELL), ink);
    }

    /// A disc of any size anywhere.
    pub fn spot(&mut self, centre: Place, radius: u32, ink: Ink) {
        self.shapes.push(Shape::Disc { centre, radius, ink });
    }

    /// A disc in the middle of a cell, three quarters as wide.
    pub fn disc(&mut self, row: u32, column: u32, ink: Ink) {
        self.spot(centre(row, column), 3, ink);
    }

    /// A disc in the middle of a cell that leaves a rim of `ink` around `inner`.
    pub fn ring(&mut self, row: u32, column: u32, ink: Ink, inner: Ink) {
        self.disc(row, column, ink);
        self.spot(centre(row, column), 2, inner);
    }

    /// Two diagonals in a cell.
    pub fn cross(&mut self, row: u32, column: u32, ink: Ink) {
        let (x, y) = (column * CELL, row * CELL);
        self.line((x + 2, y + 2), (x + 6, y + 6), 1, ink);
        self.line((x + 6, y + 2), (x + 2, y + 6), 1, ink);
    }
}

/// Width of a text in eighths of a cell, including the gap after it.
pub fn width(text: &str, height: u32) -> u32 {
    (3 * height * text.len() as u32).div_ceil(4)
}

fn centre(row: u32, column: u32) -> Place {
    (column * CELL + CELL / 2, row * CELL + CELL / 2)
}
