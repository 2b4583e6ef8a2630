//! Nim and its relatives: any heaps, normal and misère, bounded, subtraction sets.

use game::prelude::*;
use kit::error::quoted;
use kit::rules::fault;
use kit::words;

#[cfg(test)]
mod tests;

pub struct Nim;

/// Maximum number of heaps, and maximum size in `sizes`: an action is a heap and an amount, and there are at
/// most 256 actions.
const MOST_HEAPS: usize = 6;
const LARGEST: u32 = 40;

params! {
    pub struct NimParams {
        /// Number of heaps.
        heaps: u32 [1..=6, structure],
        /// Largest size of a heap at the start; each heap is drawn from 1 to this.
        largest: u32 [1..=15, structure],
        /// Sizes of the heaps at the start, at most 6 heaps of at most 40 objects; `heaps` and `largest` are then ignored.
        /// If empty, the sizes are drawn.
        sizes: Vec<u32> [structure],
        /// True if the player who makes the last move loses.
        misere: bool [structure],
        /// Most objects that may be taken in one move; 0 for any number.
        most_taken: u32 [0..=40, structure],
        /// Amounts that may be taken in one move, smallest first; empty for any amount.
        subtraction: Vec<u32> [structure],
    }
    default (3, 7, Vec::new(), false, 0, Vec::new())
    check Self::consistent;
}

impl NimParams {
    fn consistent(&self) -> Result<(), String> {
        if self.sizes.len() > MOST_HEAPS {
            let heaps = self.sizes.len();
            return Err(format!("`sizes` lists {heaps} heaps, but there may be at most {MOST_HEAPS}"));
        }
        let within = |size: &u32| (1..=LARGEST).contains(size);
        if let Some(at) = self.sizes.iter().position(|size| !within(size)) {
            let size = self.sizes[at];
            return Err(format!("`sizes[{at}]` is {size}, but must be between 1 and {LARGEST}"));
        }
        let amounts = &self.subtraction;
        if !amounts.iter().all(within) || !amounts.is_sorted_by(|a, b| a < b) {
            let shown = quoted(&format!("{amounts:?}"));
            return Err(format!(
                "`subtraction` is {shown}, but must be amounts between 1 and {LARGEST}, smallest first"
            ));
        }
        if self.most_taken > 0 && !amounts.is_empty() {
            let most = self.most_taken;
            return Err(format!(
                "`most_taken` is {most}, but must be 0 where `subtraction` lists the amounts"
            ));
        }
        let (_, largest) = self.shape();
        if let Some(least) = amounts.first().filter(|least| **least > largest) {
            return Err(format!(
                "`subtraction` begins with {least}, but must begin with at most {largest}, the largest heap"
            ));
        }
        Ok(())
    }
}

impl NimParams {
    /// Number of heaps, and maximum size of one.
    fn shape(&self) -> (u32, u32) {
        let largest = self.sizes.iter().max();
        largest.map_or((self.heaps, self.largest), |largest| (self.sizes.len() as u32, *largest))
    }
}

static ABOUT: About = About {
    name: "nim",
    summary: "Take objects from heaps; also misère, bounded and with a set of amounts.",
    changes: &["First version."],
    players: ["first", "second"],
    variants: &[
        "{}",
        r#"{"misere": true}"#,
        r#"{"sizes": [1, 3, 5, 7], "misere": true}"#,
        r#"{"sizes": [21], "most_taken": 3}"#,
        r#"{"heaps": 2, "largest": 12, "subtraction": [2, 5, 6], "misere": true}"#,
        r#"{"heaps": 6, "largest": 15}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: None,
    tactics: true,
    max_plies: 90,
    moves: "moves",
    score: "1 if won, -1 if lost",
};

impl GameFamily for Nim {
    type Params = NimParams;
    type Game = NimRules;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &NimParams) -> NimRules {
        NimRules::new(params)
    }
}

/// The allowed amounts, and the values that decide who wins.
#[derive(Debug)]
pub struct NimRules {
    params: NimParams,
    heaps: u32,
    largest: u32,
    /// Bit `n` is set if `n` objects may be taken at once.
    amounts: u64,
    /// The smallest of them.
    least: u32,
    /// Grundy value of a heap of each size.
    grundy: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heaps {
    sizes: [u8; MOST_HEAPS],
    mover: u8,
}

/// The facts that decide a position: the nim-sum of the heaps' Grundy values, and how many of them exceed 1.
#[derive(Clone, Copy)]
struct Sum {
    nim: u8,
    large: u32,
}

impl Sum {
    /// The same after one heap's Grundy value changes.
    #[inline]
    fn moved(self, from: u8, to: u8) -> Self {
        Self { nim: self.nim ^ from ^ to, large: self.large + u32::from(to > 1) - u32::from(from > 1) }
    }
}

impl NimRules {
    fn new(params: &NimParams) -> Self {
        let (heaps, largest) = params.shape();
        let amounts = if params.subtraction.is_empty() {
            let most = match params.most_taken {
                0 => LARGEST,
                most => most,
            };
            (1..=most).fold(0, |set, amount| set | 1 << amount)
        } else {
            let set = |set, amount: &u32| set | 1 << amount;
            params.subtraction.iter().fold(0, set)
        };
        let mut rules = Self {
            params: params.clone(),
            heaps,
            largest,
            amounts,
            least: amounts.trailing_zeros(),
            grundy: Vec::new(),
        };
        for size in 0..=largest as u8 {
            let reached =
                rules.takes(size).fold(0_u64, |set, take| set | 1 << rules.grundy[(size - take) as usize]);
            rules.grundy.push(reached.trailing_ones() as u8);
        }
        rules
    }

    /// The amounts that may be taken from a heap.
    #[inline]
    fn takes(&self, size: u8) -> impl Iterator<Item = u8> + use<> {
        let mut left = self.amounts & ((2 << size) - 1);
        std::iter::from_fn(move || {
            let amount = left.trailing_zeros() as u8;
            let some = left != 0;
            left &= left.wrapping_sub(1);
            some.then_some(amount)
        })
    }

    fn value_of(&self, size: u8) -> u8 {
        self.grundy[usize::from(size)]
    }

    fn sum(&self, state: Heaps) -> Sum {
        let nothing = Sum { nim: 0, large: 0 };
        let sizes = state.sizes.iter();
        sizes.fold(nothing, |sum, &size| sum.moved(0, self.value_of(size)))
    }

    /// True if the player to move loses.
    ///
    /// Misère play follows normal play until the end: while some heap's value exceeds 1, a sum of 0 loses as
    /// in normal play; after that, a sum of 1 loses instead. This holds for heaps that share any set of
    /// amounts (Ferguson 1974): with `s` as its smallest amount, a heap of `n` has value 0 exactly if a heap
    /// of `n + s` has value 1, so a heap of value 0 with a move has one to value 1.
    #[inline]
    fn lost(&self, sum: Sum) -> bool {
        sum.nim == u8::from(self.params.misere && sum.large == 0)
    }

    /// Every legal move, with true if it wins.
    #[inline]
    fn moves(&self, state: Heaps) -> impl Iterator<Item = (Action, bool)> {
        let sum = self.sum(state);
        (0..self.heaps).flat_map(move |heap| {
            let size = state.sizes[heap as usize];
            let from = self.value_of(size);
            self.takes(size).map(move |take| {
                let wins = self.lost(sum.moved(from, self.value_of(size - take)));
                (heap * self.largest + u32::from(take) - 1, wins)
            })
        })
    }

    /// The heap and the amount of an action.
    fn take(&self, action: Action) -> (usize, u8) {
        let (heap, amount) = (action / self.largest, action % self.largest + 1);
        (heap as usize, amount as u8)
    }
}

fn letter(heap: usize) -> char {
    char::from(b'A' + heap as u8)
}

impl Rules for NimRules {
    type State = Heaps;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.heaps * self.largest
    }

    fn max_plies(&self) -> u32 {
        if self.params.sizes.is_empty() {
            return self.heaps * (self.largest / self.least);
        }
        let moves = self.params.sizes.iter().map(|size| size / self.least);
        moves.sum()
    }

    #[inline]
    fn turn(&self, state: &Heaps) -> Turn {
        let stuck = |&size: &u8| u32::from(size) < self.least;
        if state.sizes.iter().all(stuck) { Turn::Over } else { Turn::Player(state.mover) }
    }

    #[inline]
    fn legal(&self, state: &Heaps) -> Actions {
        self.moves(*state).map(|(action, _)| action).collect()
    }

    #[inline]
    fn apply(&self, state: &mut Heaps, action: Action) {
        let (heap, amount) = self.take(action);
        state.sizes[heap] -= amount;
        state.mover ^= 1;
    }

    fn returns(&self, state: &Heaps) -> [f32; 2] {
        let first_wins = (state.mover == 0) == self.params.misere;
        if first_wins { [1.0, -1.0] } else { [-1.0, 1.0] }
    }

    fn show(&self, state: &Heaps, _player: u8) -> String {
        let heap = |heap: usize| {
            let size = usize::from(state.sizes[heap]);
            let line = format!("{} {size:>2} {}", letter(heap), "|".repeat(size));
            line.trim_end().to_owned()
        };
        let heaps: Vec<String> = (0..self.heaps as usize).map(heap).collect();
        heaps.join("\n")
    }

    /// A row of objects for each heap.
    fn draw(&self, state: &Heaps, _player: u8) -> Picture {
        let mut picture = Picture::new(self.heaps, self.largest);
        for (row, size) in (0..self.heaps).zip(state.sizes) {
            for column in 0..u32::from(size) {
                picture.disc(row, column, Ink::Brown);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        let (heap, amount) = self.take(action);
        format!("{}{amount}", letter(heap))
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let (last, most) = (letter(self.heaps as usize - 1), self.largest);
        let moves = format_args!("a heap from A to {last} and an amount from 1 to {most}, like A1");
        let mut rest = text.trim().chars();
        let named = rest.next().map(|letter| letter.to_ascii_uppercase()).filter(char::is_ascii_uppercase);
        let amount = answer::integer(rest.as_str().trim_start()).ok();
        let (Some(named), Some(amount)) = (named, amount) else {
            return Err(Misread::not_a_move(text, format_args!("a move is {moves}")));
        };
        let heap = (0..self.heaps).find(|&heap| named == letter(heap as usize));
        let amount = amount.and_then(|amount| u32::try_from(amount).ok());
        match (heap, amount) {
            (Some(heap), Some(amount)) if (1..=most).contains(&amount) => Ok(heap * most + amount - 1),
            _ => {
                let message = format!("`{}` is not {moves}", quoted(text.trim()));
                Err(Misread { label: fault::OFF_BOARD, message })
            }
        }
    }

    fn why_illegal(&self, state: &Heaps, action: Action) -> String {
        let (heap, amount) = self.take(action);
        let (size, heap) = (state.sizes[heap], letter(heap));
        if self.amounts >> amount & 1 == 0 {
            return format!("{} cannot be taken in one move", words::count(amount, "object"));
        }
        match size {
            0 => format!("heap {heap} is empty"),
            size => format!("heap {heap} has only {}", words::count(size, "object")),
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![1, self.heaps as usize, self.largest as usize]
    }

    #[inline]
    fn observe(&self, state: &Heaps, _player: u8, out: &mut [f32]) {
        for (heap, out) in out.chunks_mut(self.largest as usize).enumerate() {
            let (there, gone) = out.split_at_mut(usize::from(state.sizes[heap]));
            there.fill(1.0);
            gone.fill(0.0);
        }
    }
}

impl Game for NimRules {
    fn plies_left(&self, state: &Heaps) -> u32 {
        let moves = |&size: &u8| u32::from(size) / self.least;
        state.sizes.iter().map(moves).sum()
    }

    fn start(&self, rng: &mut Rng) -> Heaps {
        let mut state = Heaps { sizes: [0; MOST_HEAPS], mover: 0 };
        // Draws until there is a move, which the largest heap has.
        while self.turn(&state) == Turn::Over {
            for heap in 0..self.heaps as usize {
                let given = self.params.sizes.get(heap).map(|&size| size as u8);
                state.sizes[heap] = given.unwrap_or_else(|| 1 + rng.below(u64::from(self.largest)) as u8);
            }
        }
        state
    }

    fn role_text(&self, _player: u8) -> String {
        let amounts = match (self.params.most_taken, self.params.subtraction.as_slice()) {
            (0, []) => String::new(),
            (most, []) => format!(", at most {most} at a time"),
            (_, amounts) => format!(", {} at a time", words::or(amounts)),
        };
        let end = if self.params.misere { "loses" } else { "wins" };
        format!(
            "You and the opponent take objects from the same heaps{amounts}. Whoever makes the last move {end}."
        )
    }

    fn rules(&self) -> String {
        let NimParams { sizes, misere, most_taken, subtraction, .. } = &self.params;
        let heaps = self.heaps as usize;
        let there = match heaps {
            1 => "There is 1 heap".to_owned(),
            heaps => format!("There are {heaps} heaps"),
        };
        let held = if sizes.is_empty() {
            let each = if heaps == 1 { "" } else { "each " };
            let letters = words::and((0..heaps).map(letter));
            let size = match self.largest {
                1 => "1 object".to_owned(),
                largest => format!("between 1 and {largest} objects"),
            };
            format!(", lettered {letters}, {each}with {size} at the start")
        } else {
            let has = |(heap, size)| format!("{} starts with {}", letter(heap), words::count(size, "object"));
            format!(": {}", words::and(sizes.iter().enumerate().map(has)))
        };
        let amount = match (*most_taken, subtraction.as_slice()) {
            (0, []) => "any number of objects, at least 1".to_owned(),
            (1, []) | (_, [1]) => "exactly 1 object".to_owned(),
            (most, []) => format!("between 1 and {most} objects"),
            (_, amounts) => format!("exactly {} objects", words::or(amounts)),
        };
        let end = if *misere { "loses, and the other player wins" } else { "wins" };
        let least = self.least;
        let example = words::count(least, "object");
        format!(
            "Two players take turns removing objects from heaps. {there}{held}. On each turn, a player chooses one \
             heap and takes {amount} from it. The game ends when no more objects can be taken. The player who \
             made the last move {end}. A move is the letter of a heap and the number of objects to take: \
             A{least} takes {example} from heap A."
        )
    }

    fn key(&self, state: &Heaps, _player: u8) -> u128 {
        let mover = u128::from(state.mover);
        let sizes = state.sizes.iter();
        sizes.fold(mover, |key, &size| key << 8 | u128::from(size))
    }

    fn solves_instantly(&self) -> bool {
        true
    }

    fn values(&self, state: &Heaps, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let value = |(action, wins)| {
            let outcome = if wins { 1 } else { -1 };
            let value = Value::proved(outcome, None, outcome.into());
            (action, value)
        };
        Ok(self.moves(*state).map(value).collect())
    }

    fn best(
        &self,
        state: &Heaps,
        _optimality: Optimality,
        _budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        let (mut winning, mut legal) = (Actions::NONE, Actions::NONE);
        for (action, wins) in self.moves(*state) {
            legal.insert(action);
            if wins {
                winning.insert(action);
            }
        }
        Ok(if winning.is_empty() { legal } else { winning })
    }
}
