//! Exact scores of Connect Four positions: a search for one bound at a time that remembers what it has
//! proved.

use super::node::{Bounds, Node, Settled, cells};
use super::position::{Outcome, Position};
use super::table::{Place, Table};
use kit::budget::{Budget, OverBudget};

/// A move to search.
#[derive(Clone, Copy)]
struct Branch<const W: usize, const H: usize> {
    node: Node<W, H>,
    place: Place,
    /// True if the node's mover is the player who chooses among the branches.
    same: bool,
    /// An upper bound on its score.
    high: i32,
    /// The disc, and the cells it threatens.
    disc: u64,
    threats: u64,
}

impl<const W: usize, const H: usize> Branch<W, H> {
    const NONE: Self = Self {
        node: Node { own: 0, mask: 0, threats: 0, plies: 0 },
        place: Place { slot: 0, tag: 0 },
        same: false,
        high: 0,
        disc: 0,
        threats: 0,
    };
}

/// Scores positions of a board of `W` columns and `H` rows, remembering what it has proved.
pub struct Solver<const W: usize, const H: usize> {
    /// Positions with at least `EARLY` empty cells.
    early: Table,
    /// The other positions, in a table that fits into a core's cache: searching them again is cheaper than
    /// fetching them from memory.
    late: Table,
    searched: u64,
}

impl<const W: usize, const H: usize> Default for Solver<W, H> {
    /// A solver with a table of 64 MiB.
    fn default() -> Self {
        Self::new(1 << 26)
    }
}

impl<const W: usize, const H: usize> Solver<W, H> {
    /// Fewest empty cells of an early position.
    const EARLY: i32 = 22;
    const LATE_BYTES: usize = 1 << 20;
    /// Empty cells from which mirror images share a table entry.
    const MIRRORED: i32 = 28;

    /// A solver that uses at most `table_bytes` (rounded down to a power of two) for early positions and a
    /// mebibyte for late ones; more on boards of over 51 bits, where smaller tables could not distinguish all
    /// positions (8 MiB each for 64 bits).
    pub fn new(table_bytes: usize) -> Self {
        let bits = Position::<W, H>::BITS;
        Self {
            early: Table::new(table_bytes, bits),
            late: Table::new(table_bytes.min(Self::LATE_BYTES), bits),
            searched: 0,
        }
    }

    /// Positions searched since the solver was made.
    pub const fn searched(&self) -> u64 {
        self.searched
    }

    /// The exact score of a position.
    pub fn score(&mut self, position: &Position<W, H>, budget: &mut Budget<'_>) -> Result<i8, OverBudget> {
        let any = Bounds { low: -Bounds::FAR, high: Bounds::FAR };
        self.narrow(position, any, budget).map(|score| score as i8)
    }

    /// The winner, found faster than the score.
    pub fn outcome(
        &mut self,
        position: &Position<W, H>,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, OverBudget> {
        let score = self.narrow(position, Bounds { low: -1, high: 1 }, budget)?;
        Ok(match score {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        })
    }

    /// True if a score is at least `least`, found faster than the score.
    pub fn at_least(
        &mut self,
        position: &Position<W, H>,
        least: i8,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OverBudget> {
        let least = i32::from(least);
        let window = Bounds { low: least - 1, high: least };
        Ok(self.narrow(position, window, budget)? >= least)
    }

    /// The exact score of every move for the player to move, `None` if its column is full.
    pub fn values(
        &mut self,
        position: &Position<W, H>,
        budget: &mut Budget<'_>,
    ) -> Result<[Option<i8>; W], OverBudget> {
        let mut values = [None; W];
        for column in Position::<W, H>::COLUMNS {
            let mirrored = values[W - 1 - column];
            values[column] = match position.play(column) {
                Err(_) => None,
                Ok(_) if mirrored.is_some() && position.is_symmetric() => mirrored,
                Ok(next) => Some(-self.score(&next, budget)?),
            };
        }
        Ok(values)
    }

    /// The score, or a bound beyond the window if the score is outside.
    fn narrow(
        &mut self,
        position: &Position<W, H>,
        window: Bounds,
        budget: &mut Budget<'_>,
    ) -> Result<i32, OverBudget> {
        if let Some(score) = position.final_score() {
            return Ok(score.into());
        }
        let plies = position.plies() as i32;
        let wins = Position::<W, H>::completions(position.own) & !position.mask;
        if wins & Position::<W, H>::playable(position.mask) != 0 {
            return Ok((Position::<W, H>::CELLS + 1 - plies) / 2);
        }
        let threats = Position::<W, H>::completions(position.own ^ position.mask) & !position.mask;
        let root = Node { own: position.own, mask: position.mask, threats, plies };
        let (settled, same) = root.settle();
        let node: Node<W, H> = match settled {
            Settled::Over(score) => return Ok(if same { score } else { -score }),
            Settled::Open(node) => node,
        };
        let place = self.place(&node);
        let mut bounds = node.bounds();
        if let Some(found) = Table::find(&self.table(&node).slot(place), place) {
            bounds = bounds.and(found);
        }
        let Bounds { mut low, mut high } = bounds.seen_by(same);
        // Far from the end, the sizes of wins vary too much to try them one by one.
        let stride = |room: i32| {
            if node.empty() > Self::MIRRORED { room / 2 } else { 0 }
        };
        while low < high && low < window.high && high > window.low {
            // The sign first: the searches after that share most of its tree.
            let alpha = if window.high - window.low == 1 {
                window.low
            } else if low <= 0 && high > 0 {
                0
            } else if low < 0 && high == 0 {
                -1
            } else if low > 0 {
                (low + stride(high - low)).min(high - 1)
            } else {
                (high - 1 - stride(high - low)).max(low)
            };
            let value = self.exceeds(&node, place, same, alpha, budget)?;
            if value > alpha {
                low = low.max(value);
            } else {
                high = high.min(value);
            }
        }
        Ok(if low >= window.high { low } else { high })
    }

    /// `search` for the player to move at the node if `same`, otherwise for the other one.
    #[inline]
    fn exceeds(
        &mut self,
        node: &Node<W, H>,
        place: Place,
        same: bool,
        alpha: i32,
        budget: &mut Budget<'_>,
    ) -> Result<i32, OverBudget> {
        if same {
            self.search(node, place, alpha, budget)
        } else {
            self.search(node, place, -alpha - 1, budget).map(|score| -score)
        }
    }

    /// Compares the score of an open node with `alpha`: returns a lower bound above `alpha` or an upper bound
    /// that is at most `alpha`.
    fn search(
        &mut self,
        node: &Node<W, H>,
        place: Place,
        alpha: i32,
        budget: &mut Budget<'_>,
    ) -> Result<i32, OverBudget> {
        budget.spend(1)?;
        self.searched += 1;
        let before = self.searched;
        let early = node.empty() >= Self::EARLY;
        let moves = node.safe_moves();

        // The moves, middle ones first, and their threats, computed two at a time as vectors.
        let mut discs = [[0; 2]; W];
        let mut count = 0;
        for column in Position::<W, H>::COLUMNS {
            let disc = moves & Position::<W, H>::column(column);
            discs[count / 2][count % 2] = disc;
            count += usize::from(disc != 0);
        }
        let mut threats = [[0; 2]; W];
        for (threats, discs) in threats.iter_mut().zip(&discs).take(count.div_ceil(2)) {
            *threats = discs.map(|disc| Position::<W, H>::completions(node.own | disc) & !node.mask);
        }

        let mut open = [Branch::NONE; W];
        let mut slots = [[0; Table::WAYS]; W];
        let mut opened = 0;
        // The best bound among the moves that are not searched.
        let mut best = -Bounds::FAR;
        for at in 0..count {
            let disc = discs[at / 2][at % 2];
            let child = node.after(disc, threats[at / 2][at % 2]);
            let (settled, turned) = child.settle();
            let same = !turned;
            let bounds = match settled {
                Settled::Over(score) => Bounds::exactly(score),
                Settled::Open(node) => node.bounds(),
            };
            let bounds = bounds.seen_by(same);
            if bounds.low > alpha {
                self.remember(node, place, Bounds::at_least(bounds.low), 1);
                return Ok(bounds.low);
            }
            if bounds.high <= alpha {
                best = best.max(bounds.high);
            } else if let Settled::Open(node) = settled {
                let place = self.place(&node);
                open[opened] = Branch { node, place, same, high: bounds.high, disc, threats: child.threats };
                opened += 1;
            }
        }

        // Reading the slots together, before any is used, overlaps their memory latency.
        for (slot, branch) in slots.iter_mut().zip(&open[..opened]) {
            *slot = self.table(&branch.node).slot(branch.place);
        }

        let mut order = [0; W];
        let mut ranks = [0; W];
        let mut count = 0;
        for (index, branch) in open[..opened].iter().enumerate() {
            if let Some(found) = Table::find(&slots[index], branch.place) {
                let found = found.seen_by(branch.same);
                if found.low > alpha {
                    self.remember(node, place, Bounds::at_least(found.low), 1);
                    return Ok(found.low);
                }
                if found.high <= alpha {
                    best = best.max(found.high.min(branch.high));
                    continue;
                }
            }
            // Threats are few: counted one by one, as not every processor has an instruction for it.
            let mut worth = 16 * cells(branch.threats).count() as i32;
            if early {
                worth += i32::from(Position::<W, H>::LINES[branch.disc.trailing_zeros() as usize]);
            }
            let mut rank = count;
            while rank > 0 && ranks[rank - 1] < worth {
                order[rank] = order[rank - 1];
                ranks[rank] = ranks[rank - 1];
                rank -= 1;
            }
            order[rank] = index;
            ranks[rank] = worth;
            count += 1;
        }

        for &index in &order[..count] {
            let branch = &open[index];
            let value = self.exceeds(&branch.node, branch.place, branch.same, alpha, budget)?;
            best = best.max(value);
            if best > alpha {
                break;
            }
        }
        let bounds = if best > alpha { Bounds::at_least(best) } else { Bounds::at_most(best) };
        self.remember(node, place, bounds, self.searched - before + 1);
        Ok(best)
    }

    #[inline]
    const fn table(&self, node: &Node<W, H>) -> &Table {
        if node.empty() >= Self::EARLY { &self.early } else { &self.late }
    }

    #[inline]
    fn remember(&mut self, node: &Node<W, H>, place: Place, bounds: Bounds, work: u64) {
        let table = if node.empty() >= Self::EARLY { &mut self.early } else { &mut self.late };
        table.put(place, bounds, work);
    }

    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    fn place(&self, node: &Node<W, H>) -> Place {
        let mut key = node.own.wrapping_add(node.mask);
        if node.empty() >= Self::MIRRORED {
            key = key.min(Position::<W, H>::mirror(key));
        }
        self.table(node).place(key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::connect_four::position::Illegal;

    /// Pascal Pons's test sets, which are not ours to ship: lines of moves (columns from 1) and a score.
    const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/connect4");

    fn published(set: &str) -> Vec<(Position<7, 6>, i8)> {
        let Ok(text) = fs::read_to_string(format!("{SETS}/{set}")) else {
            eprintln!("skipped: no published set {set}");
            return Vec::new();
        };
        let read = |line: &str| {
            let (moves, score) = line.split_once(' ').expect("moves and a score");
            let columns = moves.bytes().map(|digit| usize::from(digit - b'1'));
            let position = Position::after(columns).expect("legal moves");
            (position, score.trim().parse().expect("a score"))
        };
        text.lines().map(read).collect()
    }

    fn solve<const W: usize, const H: usize>(solver: &mut Solver<W, H>, position: &Position<W, H>) -> i8 {
        solver.score(position, &mut Budget::unlimited()).expect("no limit")
    }

    #[test]
    fn published_scores() {
        let every = if cfg!(debug_assertions) { 20 } else { 1 };
        let mut solver = Solver::default();
        for (set, step) in [("end-easy", 1), ("middle-easy", every), ("middle-medium", 2 * every - 1)] {
            for (position, score) in published(set).into_iter().step_by(step) {
                assert_eq!(solve(&mut solver, &position), score, "{position:?}");
                let outcome = solver.outcome(&position, &mut Budget::unlimited());
                assert_eq!(outcome, Ok(outcome_of(score)), "{position:?}");
            }
        }
    }

    #[test]
    #[ignore = "a minute of search; `make test-all` runs it"]
    fn published_scores_of_openings() {
        let mut solver = Solver::default();
        for set in ["begin-easy", "begin-medium", "begin-hard-small", "begin-hard"] {
            // All of them would take most of an hour.
            for (position, score) in published(set).into_iter().step_by(40) {
                assert_eq!(solve(&mut solver, &position), score, "{position:?}");
            }
        }
    }

    fn outcome_of(score: i8) -> Outcome {
        match score {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        }
    }

    /// Enough random numbers for tests.
    fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as usize % below
        }
    }

    fn random<const W: usize, const H: usize>(
        plies: usize,
        pick: &mut impl FnMut(usize) -> usize,
    ) -> Position<W, H> {
        let mut position = Position::new();
        for _ in 0..plies {
            let next: Vec<_> = (0..W).filter_map(|column| position.play(column).ok()).collect();
            if next.is_empty() {
                break;
            }
            position = next[pick(next.len())];
        }
        position
    }

    fn minimax<const W: usize, const H: usize>(
        position: &Position<W, H>,
        seen: &mut BTreeMap<(u64, u64), i8>,
    ) -> i8 {
        if let Some(score) = position.final_score() {
            return score;
        }
        if let Some(&score) = seen.get(&(position.own, position.mask)) {
            return score;
        }
        let next = (0..W).filter_map(|column| position.play(column).ok());
        let score = next.map(|next| -minimax(&next, seen)).max().expect("a move");
        seen.insert((position.own, position.mask), score);
        score
    }

    /// Scores, values and outcomes of random positions, with a table too small to hold them.
    fn agrees_with_minimax<const W: usize, const H: usize>(least_plies: usize, positions: usize) {
        let mut pick = numbers((W * 100 + H) as u64);
        let mut solver = Solver::<W, H>::new(1 << 12);
        let mut seen = BTreeMap::new();
        for _ in 0..positions {
            let plies = least_plies + pick(W * H - least_plies + 1);
            let position = random::<W, H>(plies, &mut pick);
            let score = minimax(&position, &mut seen);
            assert_eq!(solve(&mut solver, &position), score, "{position:?}");
            let outcome = solver.outcome(&position, &mut Budget::unlimited());
            assert_eq!(outcome, Ok(outcome_of(score)), "{position:?}");
            for least in score - 1..=score + 1 {
                let reached = solver.at_least(&position, least, &mut Budget::unlimited());
                assert_eq!(reached, Ok(score >= least), "{position:?}");
            }
            let values = solver.values(&position, &mut Budget::unlimited()).expect("no limit");
            for (column, value) in values.into_iter().enumerate() {
                let next = position.play(column).ok();
                assert_eq!(value, next.map(|next| -minimax(&next, &mut seen)), "{position:?}");
            }
        }
    }

    #[test]
    fn small_boards_agree_with_minimax() {
        let many = if cfg!(debug_assertions) { 100 } else { 1000 };
        agrees_with_minimax::<4, 4>(2, many);
        agrees_with_minimax::<5, 4>(11, many);
        agrees_with_minimax::<4, 5>(11, many);
        agrees_with_minimax::<5, 5>(16, many);
        agrees_with_minimax::<6, 4>(15, many);
        agrees_with_minimax::<4, 6>(15, many);
        agrees_with_minimax::<7, 6>(33, many);
        agrees_with_minimax::<8, 7>(48, many / 4);
        agrees_with_minimax::<3, 4>(0, 100);
        agrees_with_minimax::<6, 1>(0, 100);
        agrees_with_minimax::<1, 6>(0, 100);
        agrees_with_minimax::<4, 15>(52, 100);
    }

    #[test]
    fn mirror_images_score_alike() {
        let mut pick = numbers(7);
        for _ in 0..50 {
            let mut columns = Vec::new();
            let mut position = Position::<7, 6>::new();
            while columns.len() < 20 {
                let column = pick(7);
                match position.play(column) {
                    Ok(next) => position = next,
                    Err(Illegal::GameOver) => break,
                    Err(_) => continue,
                }
                columns.push(column);
            }
            let image = Position::<7, 6>::after(columns.iter().map(|column| 6 - column)).expect("legal");
            assert_eq!(image.key(), position.key());
            let mut fresh = Solver::<7, 6>::new(1 << 16);
            let values = fresh.values(&position, &mut Budget::unlimited()).expect("no limit");
            let mut fresh = Solver::<7, 6>::new(1 << 16);
            let mut images = fresh.values(&image, &mut Budget::unlimited()).expect("no limit");
            images.reverse();
            assert_eq!(values, images);
        }
    }

    #[test]
    fn limits_are_kept() {
        let mut solver = Solver::<7, 6>::new(1 << 20);
        let mut budget = Budget::new(5000);
        assert_eq!(solver.score(&Position::new(), &mut budget), Err(OverBudget));
        assert_eq!((budget.left(), solver.searched()), (0, 5000));
        assert_eq!(solver.values(&Position::new(), &mut budget), Err(OverBudget));

        let stop = std::sync::atomic::AtomicBool::new(true);
        let mut budget = Budget::unlimited().stopped_by(&stop);
        assert_eq!(solver.outcome(&Position::new(), &mut budget), Err(OverBudget));
        assert!(solver.searched() < 5000 + 2 * Budget::LOOK);

        // Entries that an unfinished search left in the table are still true.
        let mut fresh = Solver::<7, 6>::new(1 << 20);
        let mut pick = numbers(3);
        for _ in 0..50 {
            let position = random(20, &mut pick);
            assert_eq!(solve(&mut solver, &position), solve(&mut fresh, &position));
        }
    }

    #[test]
    fn finished_games() {
        let mut solver = Solver::<7, 6>::new(1 << 16);
        let won = Position::<7, 6>::after([0, 1, 0, 1, 0, 1, 0]).expect("legal");
        assert!(won.is_won() && won.is_over());
        assert_eq!(won.play(2), Err(Illegal::GameOver));
        assert_eq!(solve(&mut solver, &won), -18);
        assert_eq!(solver.values(&won, &mut Budget::new(0)), Ok([None; 7]));

        let winning = Position::<7, 6>::after([0, 1, 0, 1, 0, 1]).expect("legal");
        assert_eq!(solve(&mut solver, &winning), 18);

        let column_full = Position::<7, 6>::after([3; 6]).expect("legal");
        assert_eq!(column_full.play(3), Err(Illegal::ColumnFull));
        assert_eq!(column_full.play(7), Err(Illegal::NoColumn));

        let full = Position::<2, 2>::after([0, 0, 1, 1]).expect("legal");
        assert_eq!(full.final_score(), Some(0));
        assert_eq!(full.play(0), Err(Illegal::ColumnFull));
    }

    #[test]
    fn lines_through_cells() {
        let lines = Position::<7, 6>::LINES;
        assert_eq!(lines.iter().map(|&count| u32::from(count)).sum::<u32>(), 69 * 4);
        assert_eq!((lines[0], lines[3 * 7 + 2]), (3, 13));
    }
}
