//! The sizes of sudoku: boxes, units, and cells that share a unit.
//!
//! Cells are numbered in reading order. Units are numbered rows first, then columns, then boxes in
//! reading order. A set of values is a `u16` whose bit `v - 1` stands for `v`.

use kit::shared::grid::Place;

pub const MOST_CELLS: usize = 144;
/// Tables of this length need no bounds check when indexed by a byte.
pub const BYTES: usize = 256;
pub const MOST_UNITS: usize = 36;
const MOST_PEERS: usize = 28;
pub const LARGEST: usize = 12;

/// A grid's size, its boxes, and the cells that share a unit.
pub struct Shape {
    /// Cells in a row, a column or a box, and the largest value.
    pub size: usize,
    pub box_rows: usize,
    pub box_columns: usize,
    pub members: [[u8; LARGEST]; MOST_UNITS],
    /// The row, column and box of a cell.
    pub homes: [[u8; 3]; MOST_CELLS],
    /// The same as bits of a set of units.
    pub home_bits: [u64; BYTES],
    pub peer_count: usize,
    pub peers: [[u8; MOST_PEERS]; MOST_CELLS],
}

static SHAPES: [Shape; 4] = [Shape::new(2, 2), Shape::new(2, 3), Shape::new(3, 3), Shape::new(3, 4)];

impl Shape {
    /// The shape of a supported size: 4, 6, 9 or 12.
    pub fn of(size: usize) -> Option<&'static Self> {
        SHAPES.iter().find(|shape| shape.size == size)
    }

    const fn new(box_rows: usize, box_columns: usize) -> Self {
        let size = box_rows * box_columns;
        let mut shape = Self {
            size,
            box_rows,
            box_columns,
            members: [[0; LARGEST]; MOST_UNITS],
            homes: [[0; 3]; MOST_CELLS],
            home_bits: [0; BYTES],
            peer_count: 3 * size - box_rows - box_columns - 1,
            peers: [[0; MOST_PEERS]; MOST_CELLS],
        };
        let mut cell = 0;
        while cell < size * size {
            let (row, column) = (cell / size, cell % size);
            let in_box = row % box_rows * box_columns + column % box_columns;
            let its_box = row / box_rows * box_rows + column / box_columns;
            shape.members[row][column] = cell as u8;
            shape.members[size + column][row] = cell as u8;
            shape.members[2 * size + its_box][in_box] = cell as u8;
            shape.homes[cell] = [row as u8, (size + column) as u8, (2 * size + its_box) as u8];
            shape.home_bits[cell] = 1 << row | 1 << (size + column) | 1 << (2 * size + its_box);
            cell += 1;
        }
        let mut cell = 0;
        while cell < size * size {
            let (mut other, mut count) = (0, 0);
            while other < size * size {
                if other != cell && shape.home_bits[cell] & shape.home_bits[other] != 0 {
                    shape.peers[cell][count] = other as u8;
                    count += 1;
                }
                other += 1;
            }
            assert!(count == shape.peer_count);
            cell += 1;
        }
        shape
    }

    pub fn cells(&self) -> usize {
        self.size * self.size
    }

    pub fn units(&self) -> usize {
        3 * self.size
    }

    /// The units that are boxes.
    pub fn boxes(&self) -> std::ops::Range<usize> {
        2 * self.size..3 * self.size
    }

    /// Every value.
    pub fn all(&self) -> u16 {
        (1 << self.size) - 1
    }

    pub fn members(&self, unit: usize) -> impl Iterator<Item = usize> + Clone {
        self.members[unit][..self.size].iter().map(|cell| usize::from(*cell))
    }

    pub fn homes(&self, cell: usize) -> [usize; 3] {
        self.homes[cell].map(usize::from)
    }

    pub fn in_unit(&self, cell: usize, unit: usize) -> bool {
        self.home_bits[cell] >> unit & 1 == 1
    }

    pub fn cell_name(&self, cell: usize) -> String {
        self.place(cell).short()
    }

    pub fn unit_name(&self, unit: usize) -> String {
        let kind = ["row", "column", "box"][unit / self.size];
        format!("{kind} {}", unit % self.size + 1)
    }

    pub fn place(&self, cell: usize) -> Place {
        Place::new(cell / self.size, cell % self.size)
    }

    /// True if two units share a cell.
    pub fn cross(&self, a: usize, b: usize) -> bool {
        self.members(a).any(|cell| self.in_unit(cell, b))
    }

    /// True if two cells share a unit.
    pub fn see(&self, a: usize, b: usize) -> bool {
        a != b && self.home_bits[a] & self.home_bits[b] != 0
    }
}

/// The set of one value.
pub fn bit(value: u8) -> u16 {
    1 << (value - 1)
}

/// The values of a set, in increasing order.
pub fn values(mut set: u16) -> impl Iterator<Item = u8> + Clone {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let value = set.trailing_zeros() as u8 + 1;
            set &= set - 1;
            value
        })
    })
}
