//! Exact values of any game of perfect information, by alpha-beta search with a transposition table.
//!
//! Where a game's margin only says who won, values also count the plies to the end: a won position is worth `FAR`
//! less the plies that the winner needs, a lost one the negative of that.

use crate::game::Game;
use crate::solver_pool::SolverPool;
use crate::value::{Objective, Optimality, Unsolved, Value, Values, best_of};
use kit::budget::{Budget, OverBudget};
use kit::rules::{Action, Actions, Turn};

/// Larger than every margin and every distance.
const FAR: i32 = 16_384;

/// Source of exact values: a search, a table, or both.
pub trait Oracle<G: Game>: Send + Sync + 'static {
    /// Return the exact value of every legal move of the player to move.
    fn values(&self, game: &G, state: &G::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved>;
    /// Return the outcome of every legal move; implement where that is cheaper than all values.
    fn outcomes(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Action, i8)>, Unsolved> {
        let values = self.values(game, state, budget)?;
        Ok(values.into_iter().map(|(action, value)| (action, value.outcome)).collect())
    }
    /// Return all best moves; implement where that is cheaper than all values.
    fn best(
        &self,
        game: &G,
        state: &G::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(best_of(&self.values(game, state, budget)?, optimality))
    }
}

impl<G: Game> Oracle<G> for Solver {
    fn values(&self, game: &G, state: &G::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Ok(Self::values(self, game, state, budget)?)
    }

    fn outcomes(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(Self::outcomes(self, game, state, budget)?)
    }

    fn best(
        &self,
        game: &G,
        state: &G::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(Self::best(self, game, state, optimality, budget)?)
    }
}

/// Solver of one game that remembers what it proved between calls.
#[derive(Debug)]
pub struct Solver {
    tables: SolverPool<Table>,
    entries: usize,
}

impl Default for Solver {
    /// Return a solver that remembers up to 64 MiB.
    fn default() -> Self {
        Self::new(1 << 26)
    }
}

impl Solver {
    /// Return a solver that remembers at most `bytes` (rounded down to a power of two entries) for each thread that
    /// uses it at the same time.
    pub fn new(bytes: usize) -> Self {
        let entries = (bytes / size_of::<Entry>()).max(Table::SMALLEST);
        Self { tables: SolverPool::default(), entries: 1 << entries.ilog2() }
    }

    /// Return the exact value of every legal move.
    pub fn values<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Values, OverBudget> {
        let objective = game.objective();
        self.search(game, budget, |search| {
            let mut values = Vec::new();
            for action in game.legal(state).iter() {
                let worth = search.after(state, action, -FAR, FAR)?;
                values.push((action, value(worth, objective)));
            }
            Ok(values)
        })
    }

    /// Return the outcome of every legal move; the searches prove nothing more.
    pub fn outcomes<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Action, i8)>, OverBudget> {
        self.search(game, budget, |search| {
            let mut outcomes = Vec::new();
            for action in game.legal(state).iter() {
                let worth = search.after(state, action, -1, 1)?;
                outcomes.push((action, worth.signum() as i8));
            }
            Ok(outcomes)
        })
    }

    /// Return all best moves. The searches prove no more than `optimality` needs.
    pub fn best<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, OverBudget> {
        self.search(game, budget, |search| {
            // A window around 0 is enough to distinguish outcomes; values need the widest one.
            let (low, high) = match optimality {
                Optimality::Wdl => (-1, 1),
                Optimality::Dtm => (-FAR, FAR),
            };
            let mut best = (i32::MIN, Actions::NONE);
            for action in game.legal(state).iter() {
                let worth = match optimality {
                    Optimality::Wdl => search.after(state, action, low, high)?.signum(),
                    // A move is as good as the best so far if it beats one less.
                    Optimality::Dtm => {
                        search.after(state, action, best.0.saturating_sub(1).max(low), high)?
                    }
                };
                if worth > best.0 {
                    best = (worth, Actions::NONE);
                }
                if worth == best.0 {
                    best.1.insert(action);
                }
            }
            Ok(best.1)
        })
    }

    fn search<G: Game, T>(
        &self,
        game: &G,
        budget: &mut Budget<'_>,
        work: impl FnOnce(&mut Search<'_, '_, G>) -> Result<T, OverBudget>,
    ) -> Result<T, OverBudget> {
        let most = self.entries;
        self.tables.with(
            || Table::new(most),
            |table| work(&mut Search { game, table, budget, fades: game.objective() == Objective::Distance }),
        )
    }
}

fn value(worth: i32, objective: Objective) -> Value {
    let outcome = worth.signum() as i8;
    match objective {
        Objective::Margin => Value::proved(outcome, None, worth),
        Objective::Distance => {
            let distance = (worth != 0).then(|| (FAR - worth.abs()) as u32);
            Value::proved(outcome, distance, outcome.into())
        }
    }
}

struct Search<'s, 'l, G: Game> {
    game: &'s G,
    table: &'s mut Table,
    budget: &'s mut Budget<'l>,
    /// True if wins are worth less the later they come.
    fades: bool,
}

impl<G: Game> Search<'_, '_, G> {
    /// Value of a move to its player: exact inside the window, a bound outside of it.
    fn after(&mut self, state: &G::State, action: Action, low: i32, high: i32) -> Result<i32, OverBudget> {
        let mover = self.game.turn(state);
        let mut next = state.clone();
        self.game.apply(&mut next, action);
        let turn = self.game.turn(&next);
        let (low, high) = if self.fades { (grown(low), grown(high)) } else { (low, high) };
        let worth = match (mover, turn) {
            (Turn::Player(player), Turn::Over) => {
                let margin = self.game.margin(&next);
                let margin = if player == 0 { margin } else { -margin };
                if self.fades { margin.signum() * FAR } else { margin }
            }
            (mover, turn) if mover == turn => self.worth(&next, low, high)?,
            _ => -self.worth(&next, -high, -low)?,
        };
        Ok(if self.fades { worth - worth.signum() } else { worth })
    }

    /// Value of a position to the player to move.
    fn worth(&mut self, state: &G::State, mut low: i32, mut high: i32) -> Result<i32, OverBudget> {
        self.budget.spend(1)?;
        // Nothing beats a win with the next ply.
        high = high.min(FAR - 1);
        if low >= high {
            return Ok(high);
        }
        let key = self.game.value_key(state);
        let known = self.table.find(key);
        if let Some(entry) = known {
            let (least, most) = (i32::from(entry.low), i32::from(entry.high));
            if least >= high || least == most {
                return Ok(least);
            }
            if most <= low {
                return Ok(most);
            }
            (low, high) = (low.max(least), high.min(most));
        }
        let (from, to) = (low, high);
        let mut best = (i32::MIN, 0);
        let mut moves = [(0, 0); Actions::MOST as usize];
        let mut count = 0;
        for action in self.game.legal(state).iter() {
            let first = known.is_some_and(|entry| entry.action == action as u8);
            let ordering = if first { i32::MAX } else { self.game.move_ordering(state, action) };
            moves[count] = (ordering, action);
            count += 1;
        }
        let moves = &mut moves[..count];
        for at in 0..count {
            // The first few moves are often enough for a cutoff, so the list is not sorted.
            let next = (at..count).max_by_key(|&i| (moves[i].0, count - i));
            moves.swap(at, next.expect("there are moves left"));
            let action = moves[at].1;
            let worth = self.after(state, action, low, high)?;
            if worth > best.0 {
                best = (worth, action);
            }
            low = low.max(worth);
            if low >= high {
                break;
            }
        }
        let (worth, action) = best;
        let (mut least, mut most) =
            known.map_or((-FAR, FAR), |entry| (i32::from(entry.low), i32::from(entry.high)));
        if worth > from {
            least = least.max(worth);
        }
        if worth < to {
            most = most.min(worth);
        }
        self.table.put(Entry { key, low: least as i16, high: most as i16, action: action as u8 });
        Ok(worth)
    }
}

/// Return the bound that fades to `bound` in one ply. It is not clipped at `FAR`, which would empty a window.
fn grown(bound: i32) -> i32 {
    bound + bound.signum()
}

/// Known bounds of a position: its value is between `low` and `high`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u128,
    low: i16,
    high: i16,
    /// Best move found.
    action: u8,
}

impl Entry {
    const EMPTY: Self = Self { key: 0, low: 1, high: 0, action: 0 };

    fn is_empty(&self) -> bool {
        self.low > self.high
    }
}

/// Entries by key. The table grows up to its limit, then overwrites old entries.
#[derive(Debug)]
struct Table {
    entries: Vec<Entry>,
    used: usize,
    most: usize,
}

impl Table {
    const SMALLEST: usize = 1 << 8;
    /// Number of slots that can hold a key.
    const PROBES: usize = 4;

    fn new(most: usize) -> Self {
        Self { entries: vec![Entry::EMPTY; Self::SMALLEST], used: 0, most }
    }

    fn places(&self, key: u128) -> impl Iterator<Item = usize> + use<> {
        let mixed = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mask = self.entries.len() - 1;
        let start = (mixed >> 20) as usize;
        (0..Self::PROBES).map(move |probe| (start + probe) & mask)
    }

    fn find(&self, key: u128) -> Option<Entry> {
        self.places(key).map(|place| self.entries[place]).find(|entry| !entry.is_empty() && entry.key == key)
    }

    fn put(&mut self, entry: Entry) {
        if self.used * 2 > self.entries.len() && self.entries.len() < self.most {
            let larger = vec![Entry::EMPTY; (self.entries.len() * 4).min(self.most)];
            let smaller = std::mem::replace(&mut self.entries, larger);
            self.used = 0;
            for entry in smaller.into_iter().filter(|entry| !entry.is_empty()) {
                self.place(entry);
            }
        }
        self.place(entry);
    }

    fn place(&mut self, entry: Entry) {
        let mut places = self.places(entry.key);
        let free = |place: &usize| {
            let there = &self.entries[*place];
            there.is_empty() || there.key == entry.key
        };
        // If all slots are taken, the key decides which entry is overwritten.
        let last = (entry.key as usize) % Self::PROBES;
        let place =
            places.find(free).unwrap_or_else(|| self.places(entry.key).nth(last).expect("a key has places"));
        self.used += usize::from(self.entries[place].is_empty());
        self.entries[place] = entry;
    }
}
