//! Distances to mate of all positions with one queen, rook or pawn beside the kings.

use std::sync::OnceLock;

use super::men::{GONE, Kind, Men};

/// Moves in which White mates at the latest, where it can.
pub const fn longest(kind: Kind) -> u32 {
    match kind {
        Kind::Queen => 10,
        Kind::Rook => 16,
        Kind::Pawn => 28,
    }
}

/// In place of a distance: mated.
const MATED: i8 = i8::MIN;

/// Plies to mate by position: positive for White to move, negative for Black, 0 for a draw. A pawn may become a queen or
/// a rook, so its table needs theirs.
fn table(kind: Kind) -> &'static [i8] {
    static TABLES: [OnceLock<Box<[i8]>>; 3] = [const { OnceLock::new() }; 3];
    TABLES[kind as usize].get_or_init(|| solve(kind))
}

/// Plies to mate, counted from a position: positive if the player to move gives it, negative if it is mated, `None` for
/// a draw.
pub fn plies(men: Men) -> Option<i32> {
    match table(men.kind)[place(men)] {
        0 => None,
        MATED => Some(0),
        plies => Some(plies.into()),
    }
}

/// Number of a position, the same for mirrored ones.
fn place(men: Men) -> usize {
    let flip = |at: [u8; 3], by: u8| at.map(|square| square ^ by);
    let mut at = men.at;
    if at[0] & 7 > 3 {
        at = flip(at, 7);
    }
    if men.kind != Kind::Pawn {
        if at[0] >> 3 > 3 {
            at = flip(at, 56);
        }
        if at[0] >> 3 > at[0] & 7 {
            at = at.map(|square| (square & 7) << 3 | square >> 3);
        }
    }
    at.into_iter().fold(men.mover.into(), |number, square| number << 6 | usize::from(square))
}

fn solve(kind: Kind) -> Box<[i8]> {
    let mut plies = vec![0; 2 << 18].into_boxed_slice();
    let mut open = Vec::new();
    for number in 0..2_u32 << 18 {
        let square = |shift: u32| (number >> shift & 63) as u8;
        let men = Men { at: [square(12), square(6), square(0)], kind, mover: (number >> 18) as u8 };
        if place(men) != number as usize || !men.is_possible() {
            continue;
        }
        if men.can_move() {
            open.push(men);
        } else if men.is_check() {
            plies[number as usize] = MATED;
        }
    }
    let lost = |plies: &[i8], next: Men| {
        let at = if next.kind == kind { plies[place(next)] } else { table(next.kind)[place(next)] };
        if at == MATED { Some(0) } else { (at < 0).then_some(-at) }
    };
    // Wins are found at odd distances, and losses at even ones.
    for distance in 1..=2 * (longest(kind) as i8 + 1) {
        let mover = u8::from(distance % 2 == 0);
        let mut found = Vec::new();
        open.retain(|men: &Men| {
            let decided = men.mover == mover
                && match mover {
                    0 => men.nexts().any(|next| lost(&plies, next).is_some_and(|plies| plies < distance)),
                    _ => men.nexts().all(|next| next.at[1] != GONE && plies[place(next)] > 0),
                };
            if decided {
                found.push(place(*men));
            }
            !decided
        });
        for place in found {
            plies[place] = if mover == 0 { distance } else { -distance };
        }
    }
    plies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mates_are_the_known_ones() {
        for kind in Kind::ALL {
            let most = table(kind).iter().copied().max().unwrap();
            assert_eq!(most.unsigned_abs().div_ceil(2), longest(kind) as u8, "{kind:?}");
        }
    }
}
