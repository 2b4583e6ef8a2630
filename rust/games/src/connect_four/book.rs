//! An opening book: the exact score of every position of the first few plies.
//!
//! A packed book consists of a header (columns, rows, ply, a zero) and six bits for each position of its ply,
//! up to mirror images and in the order of their keys. Keys are not stored but enumerated again, and the
//! scores of earlier plies follow from those of later ones.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::position::Position;

/// The reason why bytes are not a book of this board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadBook {
    /// The header is missing or is for another board.
    Header,
    /// The number of scores differs from the number of positions.
    Length,
    /// A score is outside the range of the board.
    Score,
}

/// The scores of every position up to some ply.
#[derive(Debug, PartialEq, Eq)]
pub struct Book<const W: usize, const H: usize> {
    /// For each ply, the keys in ascending order with the scores of their positions.
    plies: Vec<Vec<(u64, i8)>>,
}

/// Positions that are not won, one of each mirrored pair, by key.
pub type Level<const W: usize, const H: usize> = BTreeMap<u64, Position<W, H>>;

/// The levels of the game, from the empty board on.
pub fn levels<const W: usize, const H: usize>() -> impl Iterator<Item = Level<W, H>> {
    let empty = Position::new();
    std::iter::successors(Some(BTreeMap::from([(empty.key(), empty)])), |level: &Level<W, H>| {
        let next = level
            .values()
            .flat_map(|position| (0..W).filter_map(|column| position.play(column).ok()))
            .filter(|next| !next.is_won())
            .map(|next| (next.key(), next))
            .collect();
        Some(next)
    })
}

/// The level reached after `ply` discs.
pub fn positions<const W: usize, const H: usize>(ply: u32) -> Level<W, H> {
    levels().nth(ply as usize).expect("levels do not end, though they empty")
}

/// Packs the scores of the positions of one ply, given in the order of their keys.
pub fn pack<const W: usize, const H: usize>(ply: u32, scores: &[i8]) -> Vec<u8> {
    let mut bytes = vec![W as u8, H as u8, ply as u8, 0];
    for group in scores.chunks(4) {
        let digits = group
            .iter()
            .rev()
            .fold(0_u32, |digits, &score| digits << BITS | (i32::from(score) + OFFSET) as u32);
        bytes.extend(&digits.to_le_bytes()[..(group.len() * BITS as usize).div_ceil(8)]);
    }
    bytes
}

/// The book of the standard board.
pub fn standard() -> &'static Book<7, 6> {
    static BOOK: OnceLock<Book<7, 6>> = OnceLock::new();
    BOOK.get_or_init(|| Book::read(BYTES).expect("the committed book is whole"))
}

/// Built by `make book PLY=6 OUT=rust/games/src/connect_four/book-7x6.bin` in an hour.
static BYTES: &[u8] = include_bytes!("book-7x6.bin");

const BITS: u32 = 6;
const OFFSET: i32 = 32;
const HEADER: usize = 4;

impl<const W: usize, const H: usize> Book<W, H> {
    /// Reads a packed book.
    pub fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        let Some((&[columns, rows, ply, 0], packed)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(BadBook::Header);
        };
        if (usize::from(columns), usize::from(rows)) != (W, H) || usize::from(ply) > W * H {
            return Err(BadBook::Header);
        }
        let levels: Vec<_> = levels::<W, H>().take(usize::from(ply) + 1).collect();
        let last = &levels[usize::from(ply)];
        if packed.len() != (last.len() * BITS as usize).div_ceil(8) {
            return Err(BadBook::Length);
        }
        let most = (W * H).div_ceil(2) as i32;
        let scores = (0..last.len()).map(|index| {
            let bit = index * BITS as usize;
            let high = packed.get(bit / 8 + 1).copied().unwrap_or(0);
            let window = u16::from_le_bytes([packed[bit / 8], high]) >> (bit % 8);
            let score = i32::from(window & ((1 << BITS) - 1)) - OFFSET;
            if score.abs() <= most { Ok(score as i8) } else { Err(BadBook::Score) }
        });
        let scores: Vec<i8> = scores.collect::<Result<_, _>>()?;
        let mut plies = vec![last.keys().copied().zip(scores).collect::<Vec<_>>()];
        for level in levels[..usize::from(ply)].iter().rev() {
            let later = plies.last().expect("the last ply was read first");
            let best = |(&key, position)| {
                let values = Self::values_before(position, later);
                // A full board is a draw.
                (key, values.into_iter().flatten().max().unwrap_or(0))
            };
            let earlier = level.iter().map(best).collect();
            plies.push(earlier);
        }
        plies.reverse();
        Ok(Self { plies })
    }

    /// The last ply whose positions the book contains.
    pub const fn ply(&self) -> u32 {
        self.plies.len() as u32 - 1
    }

    /// The score of a position, if the book reaches that far and the position is not won.
    pub fn score(&self, position: &Position<W, H>) -> Option<i8> {
        find(self.plies.get(position.plies() as usize)?, position.key())
    }

    /// The score of every move, `None` if its column is full; nothing for a position that is won or whose
    /// moves lead beyond the book.
    pub fn values(&self, position: &Position<W, H>) -> Option<[Option<i8>; W]> {
        let later = self.plies.get(position.plies() as usize + 1)?;
        (!position.is_won()).then(|| Self::values_before(position, later))
    }

    fn values_before(position: &Position<W, H>, later: &[(u64, i8)]) -> [Option<i8>; W] {
        std::array::from_fn(|column| {
            let next = position.play(column).ok()?;
            Some(match next.final_score() {
                Some(score) => -score,
                None => -find(later, next.key()).expect("the book holds every unfinished position"),
            })
        })
    }
}

fn find(scores: &[(u64, i8)], key: u64) -> Option<i8> {
    let index = scores.binary_search_by_key(&key, |&(key, _)| key).ok()?;
    Some(scores[index].1)
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;
    use crate::connect_four::solver::Solver;
    use kit::budget::Budget;

    fn scores<const W: usize, const H: usize>(ply: u32) -> Vec<i8> {
        let mut solver = Solver::<W, H>::new(1 << 16);
        let mut solve = |position| solver.score(position, &mut Budget::unlimited()).expect("no limit");
        positions::<W, H>(ply).values().map(&mut solve).collect()
    }

    /// Packs and reads a book, and compares it with the solver as far as `compared` plies.
    fn gives_every_score_back<const W: usize, const H: usize>(ply: u32, compared: u32) {
        let book = Book::<W, H>::read(&pack::<W, H>(ply, &scores::<W, H>(ply)));
        let book = book.expect("our own book");
        assert_eq!(book.ply(), ply);
        let mut solver = Solver::<W, H>::new(1 << 16);
        for (earlier, level) in (0..=compared).zip(levels::<W, H>()) {
            for position in level.values() {
                let score = solver.score(position, &mut Budget::unlimited()).expect("no limit");
                assert_eq!(book.score(position), Some(score));
                let values = solver.values(position, &mut Budget::unlimited()).expect("no limit");
                assert_eq!(book.values(position), (earlier < ply).then_some(values));
            }
        }
    }

    #[test]
    fn packed_books_give_every_score_back() {
        gives_every_score_back::<5, 4>(0, 0);
        gives_every_score_back::<5, 4>(1, 1);
        gives_every_score_back::<5, 4>(5, 5);
        gives_every_score_back::<4, 4>(7, 7);
        // Up to the full board.
        gives_every_score_back::<4, 3>(11, 6);
        gives_every_score_back::<4, 3>(12, 6);
    }

    #[test]
    fn other_bytes_are_refused() {
        let bytes = pack::<4, 4>(3, &scores::<4, 4>(3));
        assert_eq!(Book::<4, 4>::read(&bytes[..3]), Err(BadBook::Header));
        assert_eq!(Book::<5, 4>::read(&bytes), Err(BadBook::Header));
        assert_eq!(Book::<4, 4>::read(&bytes[..bytes.len() - 1]), Err(BadBook::Length));
        assert_eq!(Book::<4, 4>::read(&[&bytes[..], &[0]].concat()), Err(BadBook::Length));
        let wild = [&bytes[..4], &vec![0; bytes.len() - 4]].concat();
        assert_eq!(Book::<4, 4>::read(&wild), Err(BadBook::Score));
    }

    #[test]
    fn the_standard_board_opens_as_published() {
        let book = standard();
        assert_eq!(book.ply(), 6);
        assert_eq!(book.score(&Position::new()), Some(1));
        let openings = [-2, -1, 0, 1, 0, -1, -2].map(Some);
        assert_eq!(book.values(&Position::new()), Some(openings));
    }

    /// Solves every `every`-th of the positions at the book's last ply whose absolute score is in `far`.
    fn solved_again(every: usize, far: RangeInclusive<i8>) -> usize {
        let book = standard();
        let mut solver = Solver::<7, 6>::default();
        let level = positions::<7, 6>(book.ply());
        let picked = level
            .values()
            .filter(|position| {
                let score = book.score(position);
                score.is_some_and(|score| far.contains(&score.abs()))
            })
            .step_by(every);
        picked
            .map(|position| {
                let score = solver.score(position, &mut Budget::unlimited());
                assert_eq!(score.ok(), book.score(position), "{position:?}");
            })
            .count()
    }

    /// Early wins and losses, except immediate ones, are quick to solve.
    #[test]
    fn early_wins_of_the_standard_book_are_exact() {
        assert!(solved_again(40, 9..=13) > 3);
    }

    #[test]
    #[ignore = "half a minute of search"]
    fn the_standard_book_is_exact() {
        assert_eq!(solved_again(275, 0..=18), 30);
    }

    #[test]
    fn positions_up_to_mirror_images() {
        let counts: Vec<_> = (0..5).map(|ply| positions::<7, 6>(ply).len()).collect();
        assert_eq!(counts, [1, 4, 25, 121, 568]);
    }
}
