//! Distances to mate of all positions of an ending.

use std::sync::OnceLock;

use super::Ending;
use super::men::{GONE, Kind, Men, around, squares};

/// In place of a distance: mated.
const MATED: i8 = i8::MIN;

/// Plies to mate by position: positive if the player to move mates, negative if it is mated, 0 for a draw.
fn table(ending: Ending) -> &'static [i8] {
    static TABLES: [OnceLock<Box<[i8]>>; 5] = [const { OnceLock::new() }; 5];
    TABLES[ending as usize].get_or_init(|| solve(ending))
}

/// Plies to mate, counted from a position: positive if the player to move gives it, negative or 0 if it is mated, `None` for
/// a draw.
pub fn plies(mut men: Men) -> Option<i32> {
    if men.is_dead() {
        return None;
    }
    if men.men[1].at == GONE {
        // Black has the last piece: the sides change places.
        let [white, gone, black, piece] = men.men;
        men = Men { men: [black, piece, white, gone], mover: 1 - men.mover };
    }
    let ending = match (men.men[1].kind, men.men[3].kind) {
        (Kind::Queen, Kind::Rook) if men.men[3].at != GONE => Ending::Kqkr,
        (Kind::Queen, _) => Ending::Kqk,
        (Kind::Rook, _) => Ending::Krk,
        (Kind::Bishop, _) => Ending::Kbnk,
        _ => Ending::Kpk,
    };
    match table(ending)[number(canonical(men))] {
        0 => None,
        MATED => Some(0),
        plies => Some(plies.into()),
    }
}

/// Squares of White's king in a table: for the rest, the board is mirrored.
pub fn corner(ending: Ending) -> u64 {
    if ending == Ending::Kpk { 0x0F0F_0F0F_0F0F_0F0F } else { 0x080C_0E0F }
}

/// The mirrored board on which White's king is in the corner.
fn canonical(men: Men) -> Men {
    let (rank, file) = (men.men[0].at >> 3, men.men[0].at & 7);
    let by = u8::from(file > 3) + if men.men[1].kind == Kind::Pawn { 0 } else { 2 * u8::from(rank > 3) };
    let men = men.mirrored(by);
    let is_above = men.men[1].kind != Kind::Pawn && men.men[0].at >> 3 > men.men[0].at & 7;
    if is_above { men.mirrored(4) } else { men }
}

/// Number of a position with White's king in the corner.
fn number(men: Men) -> usize {
    let [white, piece, black, other] = men.men.map(|man| usize::from(man.at));
    let three = (white / 8 * 4 + white % 8) << 12 | black << 6 | piece;
    let all = if other == usize::from(GONE) { three } else { three << 6 | other };
    all << 1 | usize::from(men.mover)
}

/// The position of a number.
fn position(ending: Ending, number: usize) -> Men {
    let mut men = ending.men((number & 1) as u8);
    let mut rest = number >> 1;
    for man in [3, 1, 2] {
        if men.men[man].at != GONE {
            men.men[man].at = (rest & 63) as u8;
            rest >>= 6;
        }
    }
    men.men[0].at = (rest / 4 * 8 + rest % 4) as u8;
    men
}

/// Calls `visit` with every position of the table from which a move that takes and promotes nothing leads here, once for each
/// such move.
fn befores(ending: Ending, men: Men, mut visit: impl FnMut(Men)) {
    let before = |mut men: Men, n: usize, from: u8| {
        men.men[n].at = from;
        men.mover ^= 1;
        men
    };
    let occupied = men.occupied();
    for n in 1..4 {
        if men.men[n].side != men.mover && men.men[n].at != GONE {
            squares(men.men[n].origins(occupied)).for_each(|from| visit(before(men, n, from)));
        }
    }
    if men.mover == 0 {
        return;
    }
    // White's king may have come from the corner to any square that is mirrored to this one.
    let on_diagonal = men.men[0].at >> 3 == men.men[0].at & 7;
    let ways = if ending == Ending::Kpk {
        2
    } else if on_diagonal {
        4
    } else {
        8
    };
    for men in (0..ways).map(|by| men.mirrored(by)) {
        let from = around(men.men[0].at) & corner(ending);
        if from != 0 {
            squares(from & !men.occupied()).for_each(|from| visit(before(men, 0, from)));
        }
    }
}

/// Goes back from mates, and from moves into smaller endings, one ply after the other: wins are found at odd distances, and
/// losses at even ones.
fn solve(ending: Ending) -> Box<[i8]> {
    let kings = if ending == Ending::Kpk { 32 } else { 16 };
    let size = 2 * kings * 64_usize.pow(1 + ending.pieces().len() as u32);
    let mut plies = vec![0; size].into_boxed_slice();
    // Moves of a position that are not known to lose.
    let mut left = vec![0_u8; size];
    // Positions with a move into a smaller ending, by the distance at which that counts.
    let mut waves = vec![Vec::new(); 128];
    let mut found = Vec::new();
    for at in 0..size {
        let men = position(ending, at);
        if corner(ending) >> men.men[0].at & 1 == 0 || !men.is_possible() {
            continue;
        }
        let targets = men.targets();
        if targets.iter().any(|targets| targets & men.conversions() != 0) {
            left[at] = men.nexts().count() as u8;
            for distance in men.nexts().filter(|next| next.are_others(men)).filter_map(self::plies) {
                waves[distance.unsigned_abs() as usize + 1].push(at as u32);
            }
        } else {
            left[at] = targets.iter().map(|targets| targets.count_ones() as u8).sum();
        }
        if left[at] == 0 && men.is_check(men.mover) {
            plies[at] = MATED;
            found.push(at as u32);
        }
    }
    for (distance, wave) in (0..=i8::MAX).zip(waves).skip(1) {
        let mut next = Vec::new();
        let mut reach = |at: usize| {
            if plies[at] != 0 || left[at] == 0 {
                return;
            }
            if distance % 2 == 0 {
                left[at] -= 1;
                if left[at] > 0 {
                    return;
                }
            }
            plies[at] = if distance % 2 == 0 { -distance } else { distance };
            next.push(at as u32);
        };
        for at in wave {
            reach(at as usize);
        }
        for at in found {
            befores(ending, position(ending, at as usize), |men| reach(number(men)));
        }
        found = next;
    }
    plies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mates_are_the_known_ones() {
        for ending in [Ending::Kqk, Ending::Krk, Ending::Kpk, Ending::Kqkr, Ending::Kbnk] {
            // White moves in positions of even numbers.
            let most = table(ending).iter().step_by(2).max().unwrap();
            assert_eq!((*most as u32).div_ceil(2), ending.longest(), "{ending:?}");
        }
    }

    #[test]
    fn distances_follow_from_those_after_each_move() {
        for (ending, step) in [(Ending::Kpk, 7), (Ending::Kqkr, 1009), (Ending::Kbnk, 1009)] {
            for at in (0..table(ending).len()).step_by(step) {
                let men = position(ending, at);
                if !men.is_possible() || !men.can_move() {
                    continue;
                }
                // A win in fewest plies, else a draw, else a loss in most.
                let worth = |next: i32| if next > 0 { next - 1000 } else { 1000 + next };
                let nexts = men.nexts().map(|next| plies(next).map_or(0, worth));
                let best = match nexts.max().unwrap() {
                    0 => None,
                    worth if worth > 0 => Some(1001 - worth),
                    worth => Some(-1001 - worth),
                };
                assert_eq!(plies(men), best, "{}", men.fen());
            }
        }
    }
}
