//! Kalah: sow seeds around the board and gather more of them than the opponent.

use game::prelude::*;
use kit::words;

pub struct Kalah;

const MOST_PITS: usize = 6;

params! {
    pub struct KalahParams {
        /// Number of pits of each player.
        pits: u32 [1..=6, structure],
        /// Number of seeds in each pit at the start.
        seeds: u32 [1..=6, structure],
    }
    default (3, 3)
}

static ABOUT: About = About {
    summary: "Sow seeds around the board and gather more of them than the opponent.",
    players: ["South", "North"],
    variants: &[
        "{}",
        r#"{"pits": 1, "seeds": 3}"#,
        r#"{"pits": 2, "seeds": 4}"#,
        r#"{"pits": 6, "seeds": 4}"#,
    ],
    value: Some(1.0),
    tactics: false,
    max_plies: 2_412,
    moves: "pits",
    score: "own seeds minus the opponent's at the end",
    ..About::new("kalah", &["First version."])
};

impl GameFamily for Kalah {
    type Params = KalahParams;
    type Game = Pits;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &KalahParams) -> Pits {
        Pits { per_side: params.pits as usize, seeds: params.seeds, solver: Solver::default() }
    }
}

#[derive(Debug)]
pub struct Pits {
    per_side: usize,
    seeds: u32,
    solver: Solver,
}

/// Seeds in each player's pits, from the pit farthest from the player's store, and in the stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    pits: [[u8; MOST_PITS]; 2],
    stores: [u8; 2],
    mover: u8,
}

fn all(pits: [u8; MOST_PITS]) -> u8 {
    pits.iter().sum()
}

impl Pits {
    fn total(&self) -> u32 {
        2 * self.per_side as u32 * self.seeds
    }

    fn first(&self) -> Seeds {
        let mut row = [0; MOST_PITS];
        row[..self.per_side].fill(self.seeds as u8);
        Seeds { pits: [row; 2], stores: [0; 2], mover: 0 }
    }

    fn margin_of(state: &Seeds) -> i32 {
        i32::from(state.stores[0]) - i32::from(state.stores[1])
    }

    /// Packs what a player sees in its own and in the opponent's half.
    fn packed(state: &Seeds, player: usize) -> u128 {
        let pits = state.pits[player].iter().chain(&state.pits[1 - player]);
        pits.chain([&state.stores[player]]).fold(0, |key, &seeds| key << 7 | u128::from(seeds))
    }
}

impl Rules for Pits {
    type State = Seeds;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.per_side as u32
    }

    fn max_plies(&self) -> u32 {
        self.plies_left(&self.first())
    }

    #[inline]
    fn turn(&self, state: &Seeds) -> Turn {
        if state.pits.iter().any(|pits| all(*pits) == 0) { Turn::Over } else { Turn::Player(state.mover) }
    }

    #[inline]
    fn legal(&self, state: &Seeds) -> Actions {
        if self.turn(state) == Turn::Over {
            return Actions::NONE;
        }
        let own = state.pits[usize::from(state.mover)];
        (0..self.per_side as u32).filter(|&pit| own[pit as usize] > 0).collect()
    }

    #[inline]
    fn apply(&self, state: &mut Seeds, action: Action) {
        let (own, other) = (usize::from(state.mover), usize::from(1 - state.mover));
        // The player's pits, store and the opponent's pits, in the order of sowing.
        let mut at = action as usize;
        for _ in 0..std::mem::take(&mut state.pits[own][at]) {
            at = (at + 1) % (2 * self.per_side + 1);
            *match at.checked_sub(self.per_side) {
                None => &mut state.pits[own][at],
                Some(0) => &mut state.stores[own],
                Some(after) => &mut state.pits[other][after - 1],
            } += 1;
        }
        if at < self.per_side && state.pits[own][at] == 1 {
            let across = self.per_side - 1 - at;
            let captured = std::mem::take(&mut state.pits[other][across]);
            if captured > 0 {
                state.pits[own][at] = 0;
                state.stores[own] += 1 + captured;
            }
        }
        if at != self.per_side {
            state.mover ^= 1;
        }
        if self.turn(state) == Turn::Over {
            for player in 0..2 {
                state.stores[player] += all(std::mem::take(&mut state.pits[player]));
            }
        }
    }

    fn returns(&self, state: &Seeds) -> [f32; 2] {
        let first = Self::margin_of(state).signum() as f32;
        [first, -first]
    }

    fn show(&self, state: &Seeds, _player: u8) -> String {
        let row =
            |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>3}")).collect::<Vec<_>>().concat();
        let numbers = || (1..=self.per_side).map(|pit| pit.to_string());
        let seeds = |player: usize| state.pits[player][..self.per_side].iter().map(u8::to_string);
        let [south, north] = state.stores;
        format!(
            "    {}   North's pits\n    {}\n{north:>4}{:width$}{south:>4}\n    {}\n    {}   South's pits",
            row(numbers().rev().collect()),
            row(seeds(1).rev().collect()),
            "",
            row(seeds(0).collect()),
            row(numbers().collect()),
            width = 3 * self.per_side,
        )
    }

    /// The board as South sees it, with a store at each end.
    fn draw(&self, state: &Seeds, _player: u8) -> Picture {
        let pits = self.per_side as u32;
        let mut picture = Picture::filled(2, pits + 2, Ink::Brown);
        let end = (pits + 1) * CELL;
        for (left, store) in [(end, state.stores[0]), (0, state.stores[1])] {
            picture.rectangle((left + 1, 1), (CELL - 2, 2 * CELL - 2), Ink::White);
            let height = if store > 9 { 3 } else { 4 };
            picture.title((left + CELL / 2, CELL), height, store.to_string(), Ink::Black);
        }
        for pit in 0..pits {
            for (player, column) in [(0, pit + 1), (1, pits - pit)] {
                let row = 1 - player as u32;
                picture.disc(row, column, Ink::White);
                picture.sign(row, column, state.pits[player][pit as usize].to_string(), Ink::Black);
                // Its number, in the outer corner.
                let y = if player == 0 { 2 * CELL - 1 } else { 1 };
                picture.title((column * CELL + 7, y), 2, (pit + 1).to_string(), Ink::White);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        (action + 1).to_string()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let pits = self.per_side;
        let form = format_args!("a move is a pit from 1 to {pits}");
        let said = answer::integer(text.trim()).map_err(|_| Misread::not_a_move(text, form))?;
        let pit = said.and_then(|pit| u32::try_from(pit).ok()).and_then(|pit| pit.checked_sub(1));
        pit.filter(|&pit| pit < self.actions())
            .ok_or_else(|| Misread::off_board(text, format_args!("a player's pits are 1 to {pits}")))
    }

    fn why_illegal(&self, _state: &Seeds, action: Action) -> String {
        format!("the player's pit {} is empty", action + 1)
    }

    /// The player's pits and store, then the opponent's, as shares of all seeds.
    fn shape(&self) -> Vec<usize> {
        vec![1, 2, self.per_side + 1]
    }

    #[inline]
    fn observe(&self, state: &Seeds, player: u8, out: &mut [f32]) {
        let share = |seeds: u8| f32::from(seeds) / self.total() as f32;
        for (out, player) in
            out.chunks_exact_mut(self.per_side + 1).zip([player, 1 - player].map(usize::from))
        {
            for (out, seeds) in out.iter_mut().zip(state.pits[player]) {
                *out = share(seeds);
            }
            out[self.per_side] = share(state.stores[player]);
        }
    }
}

impl Game for Pits {
    /// Each seed counts its steps to its player's store, and `p * (p - 1)` more until it is in one, with `p` pits. A move
    /// that reaches no store makes the sum smaller. One that does takes at least that from it for each seed in the
    /// store, and the others add less: at most `p * (p - 1) - 1` for each of those, `p` steps for a lap.
    fn plies_left(&self, state: &Seeds) -> u32 {
        if self.turn(state) == Turn::Over {
            return 0;
        }
        let pits = self.per_side;
        let worth = |pit: usize| (pits - pit + pits * (pits - 1)) as u32;
        let row = |player: usize| (0..pits).map(move |pit| u32::from(state.pits[player][pit]) * worth(pit));
        row(0).chain(row(1)).sum()
    }

    fn start(&self, _rng: &mut Rng) -> Seeds {
        self.first()
    }

    fn role_text(&self, player: u8) -> String {
        let (name, row, side) =
            if player == 0 { ("South", "lower", "right") } else { ("North", "upper", "left") };
        format!("You are {name}: the {row} row of pits and the store on the {side} are yours.")
    }

    fn rules(&self) -> String {
        let pits = words::count(self.per_side, "pit");
        let seeds = words::count(self.seeds, "seed");
        format!(
            "South and North each have {pits} and a store. Every pit begins with {seeds}, and the stores are empty. \
             South has the lower row of pits, numbered from left to right, and the store on the right. North has the \
             upper row, numbered from right to left, and the store on the left. South begins. A player takes all \
             seeds out of one of their own pits and sows them, one in each place: in their pits of higher \
             numbers, then in their store, then in the opponent's pits from pit 1 on, and then in their own pits from \
             pit 1 on again; never in the opponent's store. If the last seed falls into the player's store, the \
             player moves again. If it falls into a pit of the player that was empty, and the pit across from it, in \
             the opponent's row, has seeds, all of these and the last seed go into the player's store. The game ends \
             as soon as one row is empty; the seeds of the other row go into the store of its player. Whoever then has \
             more seeds in the store wins; if both have equally many, the game is a draw. A move is the number of a \
             pit, such as 1."
        )
    }

    fn key(&self, state: &Seeds, _player: u8) -> u128 {
        Self::packed(state, 0) << 1 | u128::from(state.mover)
    }

    fn value_key(&self, state: &Seeds) -> u128 {
        Self::packed(state, state.mover.into())
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.per_side * self.seeds as usize > 12)
            .then_some("a game of more than 24 seeds takes long to solve")
    }

    fn solves_instantly(&self) -> bool {
        self.per_side == 1
    }

    fn solves_quickly(&self, state: &Seeds) -> bool {
        self.solves_instantly() || all(state.pits[0]) + all(state.pits[1]) <= 8
    }

    fn values(&self, state: &Seeds, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Ok(self.solver.values(self, state, budget)?)
    }

    fn outcomes(&self, state: &Seeds, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(self.solver.outcomes(self, state, budget)?)
    }

    fn best(
        &self,
        state: &Seeds,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(self.solver.best(self, state, optimality, budget)?)
    }

    fn objective(&self) -> Objective {
        Objective::Margin
    }

    fn margin(&self, state: &Seeds) -> i32 {
        Self::margin_of(state)
    }

    /// Another move comes first, then the pit nearest to the store.
    fn move_ordering(&self, state: &Seeds, action: Action) -> i32 {
        let seeds = usize::from(state.pits[usize::from(state.mover)][action as usize]);
        let again = (action as usize + seeds) % (2 * self.per_side + 1) == self.per_side;
        action as i32 + if again { MOST_PITS as i32 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rules::fault;

    fn kalah(pits: u32, seeds: u32) -> Pits {
        Kalah.game(&KalahParams { pits, seeds })
    }

    /// The margins for 1 to 6 seeds in each pit, from Irving, Donkers and Uiterwijk (2000).
    #[test]
    fn margins_are_the_published_ones() {
        for (pits, margins) in [(1, [0, -2, 6, -2, 2, 0]), (2, [2, -2, -2, -10, 6, 8])] {
            for (seeds, margin) in (1..).zip(margins) {
                let game = kalah(pits, seeds);
                let values = game.values(&game.first(), &mut Budget::unlimited()).unwrap();
                let best = values.iter().map(|(_, value)| value.score).max();
                assert_eq!(best, Some(margin), "{pits} pits, {seeds} seeds");
            }
        }
    }

    #[test]
    #[ignore = "takes seconds: the largest game that is solved"]
    fn the_largest_game_is_solved() {
        for (pits, seeds) in [(3, 3), (3, 4), (4, 2), (4, 3)] {
            let game = kalah(pits, seeds);
            let values = game.values(&game.first(), &mut Budget::unlimited()).unwrap();
            println!("{pits} pits, {seeds} seeds: {values:?}");
        }
    }

    /// A state with these pits, and the seeds that they lack in South's store.
    fn position(game: &Pits, south: &[u8], north: &[u8]) -> Seeds {
        let mut state = game.first();
        state.pits[0][..game.per_side].copy_from_slice(south);
        state.pits[1][..game.per_side].copy_from_slice(north);
        state.stores = [game.total() as u8 - all(state.pits[0]) - all(state.pits[1]), 0];
        state
    }

    #[test]
    fn seeds_are_sown_and_captured() {
        let game = kalah(3, 3);
        let mut state = game.first();
        assert_eq!(
            game.show(&state, 0),
            "      3  2  1   North's pits\n      3  3  3\n   0            0\n      3  3  3\n      1  2  3   South's pits"
        );
        // The last seed falls into the store.
        game.apply(&mut state, 0);
        assert_eq!((state.pits[0][..3].to_vec(), state.stores, state.mover), (vec![0, 4, 4], [1, 0], 0));
        assert_eq!(game.why_illegal(&state, 0), "the player's pit 1 is empty");
        // It goes round, past North's store, into an empty pit across from seeds.
        let mut state = position(&game, &[0, 1, 5], &[2, 2, 3]);
        game.apply(&mut state, 2);
        assert_eq!((state.pits, state.stores), ([[0, 1, 0, 0, 0, 0], [3, 3, 0, 0, 0, 0]], [11, 0]));
        // There is nothing to capture.
        let mut state = position(&game, &[1, 0, 1], &[2, 0, 3]);
        game.apply(&mut state, 0);
        assert_eq!((state.pits[0][..3].to_vec(), state.stores[0], state.mover), (vec![0, 1, 1], 11, 1));
    }

    #[test]
    fn the_rest_belongs_to_whoever_has_it() {
        let game = kalah(2, 1);
        let mut state = position(&game, &[0, 1], &[1, 1]);
        game.apply(&mut state, 1);
        assert_eq!((game.turn(&state), state.stores, state.pits), (Turn::Over, [2, 2], [[0; 6]; 2]));
        assert_eq!(game.returns(&state).map(|value| value as i32), [0, 0]);
    }

    #[test]
    fn other_texts_are_refused() {
        let game = kalah(3, 3);
        let said = |text| game.read_action(text).unwrap_err();
        assert_eq!(said("4").message, "`4` is not on the board; a player's pits are 1 to 3");
        assert_eq!(said("b").message, "`b` is not a move of this game; a move is a pit from 1 to 3");
        assert_eq!((said("0").label, said("-1").label), (fault::OFF_BOARD, fault::OFF_BOARD));
    }
}
