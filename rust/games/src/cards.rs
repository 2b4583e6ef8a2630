//! Playing cards in pictures.

use kit::picture::{CELL, Ink, Picture};

/// Words for the ranks, the lowest first.
pub const RANKS: [&str; 3] = ["jack", "queen", "king"];

/// A card in a cell, with the letter of its rank, or its back.
pub fn draw(picture: &mut Picture, row: u32, column: u32, card: Option<(u8, Ink)>) {
    let (left, top) = (column * CELL, row * CELL);
    let back = if card.is_some() { Ink::White } else { Ink::Red };
    picture.rectangle((left + 2, top + 1), (4, 6), back);
    let Some((rank, ink)) = card else {
        return;
    };
    // J, Q and K, in eighths of a cell.
    let strokes: &[[(u32, u32); 2]] = match rank {
        0 => &[[(3, 2), (5, 2)], [(4, 2), (4, 6)], [(4, 6), (3, 5)]],
        1 => &[[(3, 2), (5, 2)], [(5, 2), (5, 5)], [(5, 5), (3, 5)], [(3, 5), (3, 2)], [(4, 4), (5, 6)]],
        _ => &[[(3, 2), (3, 6)], [(3, 4), (5, 2)], [(3, 4), (5, 6)]],
    };
    for [from, to] in strokes {
        picture.line((left + from.0, top + from.1), (left + to.0, top + to.1), 0, ink);
    }
}
