//! Goofspiel: bid cards for prizes, both players at once.

use std::cmp::Ordering;

use game::draws::EpisodeDraws;
use game::equilibrium::Computed;
use game::prelude::*;

pub struct Goofspiel;

/// Order of the prizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Prizes {
    /// Each is drawn from those that are left.
    Random,
    /// The highest comes first.
    Descending,
    /// The lowest comes first.
    Ascending,
}

params! {
    pub struct GoofspielParams {
        /// Cards of each player, and prizes.
        cards: u32 [3..=5, structure],
        /// Order in which the prizes come.
        prizes: Prizes [structure],
    }
    default (4, Prizes::Random)
}

static ABOUT: About = About {
    summary: "Bid cards of your hand for prizes, at the same time as the opponent.",
    variants: &[
        "{}",
        r#"{"cards": 3}"#,
        r#"{"cards": 5}"#,
        r#"{"cards": 4, "prizes": "descending"}"#,
        r#"{"cards": 3, "prizes": "ascending"}"#,
    ],
    chance: true,
    hidden: true,
    value: Some(0.0),
    max_plies: 12,
    ..About::new("goofspiel", &["First version."])
};

impl GameFamily for Goofspiel {
    type Params = GoofspielParams;
    type Game = Auction;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &GoofspielParams) -> Auction {
        Auction { params: params.clone() }
    }
}

/// Actions are the cards to bid, lowest first, and then the prizes that chance may draw.
#[derive(Debug)]
pub struct Auction {
    params: GoofspielParams,
}

const MOST: usize = 5;
const PRIZE: &str = "prize ";
/// By number of cards and order of prizes.
static EQUILIBRIA: [[Computed; 3]; MOST + 1] = [const { [const { Computed::new() }; 3] }; MOST + 1];

/// A prize and what the players bid for it; 0 for what isn't there yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round {
    prize: u8,
    bids: [u8; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    rounds: [Round; MOST],
    /// The round that is played.
    now: u8,
}

impl Rounds {
    fn done(&self) -> &[Round] {
        &self.rounds[..usize::from(self.now)]
    }

    fn current(&self) -> Round {
        self.rounds.get(usize::from(self.now)).copied().unwrap_or_default()
    }

    /// Points of `player`: the prizes for which it bid more.
    fn points(&self, player: u8) -> u32 {
        let (own, other) = (usize::from(player), usize::from(1 - player));
        let won = self.done().iter().filter(|round| round.bids[own] > round.bids[other]);
        won.map(|round| u32::from(round.prize)).sum()
    }
}

impl Auction {
    /// Cards of `player` that both players know it to hold, by value.
    fn hand(&self, state: &Rounds, player: u8) -> impl Iterator<Item = u8> {
        let gone = state.done().iter().fold(0_u8, |gone, round| gone | 1 << round.bids[usize::from(player)]);
        (1..=self.params.cards as u8).filter(move |card| gone >> card & 1 == 0)
    }

    /// Prizes that have not come.
    fn prizes(&self, state: &Rounds) -> impl Iterator<Item = u8> {
        let come = state.rounds.iter().fold(0_u8, |come, round| come | 1 << round.prize);
        (1..=self.params.cards as u8).filter(move |prize| come >> prize & 1 == 0)
    }

    /// Lay open the next prize if its place in the order is fixed, and play the last round, which leaves no choice.
    fn go_on(&self, state: &mut Rounds) {
        let now = usize::from(state.now);
        let left = self.params.cards as usize - now;
        let next = match self.params.prizes {
            _ if left == 0 => return,
            Prizes::Random if left > 1 => return,
            Prizes::Descending => self.prizes(state).last(),
            Prizes::Random | Prizes::Ascending => self.prizes(state).next(),
        };
        state.rounds[now].prize = next.expect("as many prizes as rounds");
        if left == 1 {
            let last = [0, 1].map(|player| self.hand(state, player).next().expect("a card for each round"));
            state.rounds[now].bids = last;
            state.now += 1;
        }
    }
}

impl Rules for Auction {
    type State = Rounds;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        2 * self.params.cards
    }

    fn max_plies(&self) -> u32 {
        let each = if self.params.prizes == Prizes::Random { 3 } else { 2 };
        each * (self.params.cards - 1)
    }

    fn turn(&self, state: &Rounds) -> Turn {
        match state.current() {
            _ if u32::from(state.now) == self.params.cards => Turn::Over,
            Round { prize: 0, .. } => Turn::Chance,
            Round { bids: [0, _], .. } => Turn::Player(0),
            _ => Turn::Player(1),
        }
    }

    fn legal(&self, state: &Rounds) -> Actions {
        match self.turn(state) {
            Turn::Over => Actions::NONE,
            Turn::Chance => {
                self.prizes(state).map(|prize| self.params.cards + u32::from(prize) - 1).collect()
            }
            Turn::Player(player) => self.hand(state, player).map(|card| u32::from(card) - 1).collect(),
        }
    }

    fn apply(&self, state: &mut Rounds, action: Action) {
        let turn = self.turn(state);
        let round = &mut state.rounds[usize::from(state.now)];
        match turn {
            Turn::Player(player) => round.bids[usize::from(player)] = action as u8 + 1,
            _ => round.prize = (action - self.params.cards) as u8 + 1,
        }
        if turn == Turn::Player(1) {
            state.now += 1;
            self.go_on(state);
        }
    }

    fn returns(&self, state: &Rounds) -> [f32; 2] {
        match state.points(0).cmp(&state.points(1)) {
            Ordering::Less => [-1.0, 1.0],
            Ordering::Equal => [0.0, 0.0],
            Ordering::Greater => [1.0, -1.0],
        }
    }

    fn show(&self, state: &Rounds, player: u8) -> String {
        let other = 1 - player;
        let list = |cards: Vec<u8>| {
            let cards: Vec<_> = cards.iter().map(u8::to_string).collect();
            if cards.is_empty() { "none".to_owned() } else { cards.join(", ") }
        };
        let now = state.current();
        let prize = if now.prize == 0 { "none".to_owned() } else { now.prize.to_string() };
        let mut text = format!(
            "Prize: {prize}\nPrizes to come: {}\nYour cards: {}\nOpponent's cards: {}\nYour points: {}\nOpponent's points: {}",
            list(self.prizes(state).collect()),
            list(self.hand(state, player).collect()),
            list(self.hand(state, other).collect()),
            state.points(player),
            state.points(other),
        );
        for Round { prize, bids } in state.done() {
            let [own, theirs] = [player, other].map(|player| bids[usize::from(player)]);
            text += &format!("\nFor the prize {prize}, you bid {own} and the opponent {theirs}.");
        }
        if now.bids[usize::from(player)] > 0 {
            text += &format!("\nYou bid {} for this prize.", now.bids[usize::from(player)]);
        }
        text
    }

    /// The opponent's cards above, the player's below, and between them the prizes, the one that is bid for in yellow.
    fn draw(&self, state: &Rounds, player: u8) -> Picture {
        let mut picture = Picture::filled(3, self.params.cards + 1, Ink::Green);
        let now = state.current();
        let mut card = |row: u32, card: u8, ink: Ink| {
            let column = u32::from(card) - 1;
            picture.rectangle((column * CELL + 1, row * CELL + 1), (6, 6), ink);
            picture.sign(row, column, card.to_string(), ink.contrast());
        };
        for (row, of, ink) in [(0, 1 - player, Ink::Blue), (2, player, Ink::Red)] {
            for held in self.hand(state, of) {
                let is_bid = of == player && held == now.bids[usize::from(player)];
                card(row, held, if is_bid { Ink::Yellow } else { ink });
            }
        }
        for prize in self.prizes(state) {
            card(1, prize, Ink::White);
        }
        if now.prize > 0 {
            card(1, now.prize, Ink::Yellow);
        }
        for (row, of) in [(0, 1 - player), (2, player)] {
            picture.sign(row, self.params.cards, state.points(of).to_string(), Ink::White);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match action.checked_sub(self.params.cards) {
            None => (action + 1).to_string(),
            Some(prize) => format!("{PRIZE}{}", prize + 1),
        }
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let said = text.trim();
        let found = (0..self.actions()).find(|&action| self.name_action(action).eq_ignore_ascii_case(said));
        let cards = self.params.cards;
        found.ok_or_else(|| Misread::not_a_move(text, format!("a move is a card from 1 to {cards}")))
    }

    fn why_illegal(&self, _state: &Rounds, action: Action) -> String {
        let name = self.name_action(action);
        if action < self.params.cards {
            format!("the card {name} has been bid before")
        } else {
            format!("{name} is for chance to draw, not a move")
        }
    }

    /// By value: the player's cards, the other's, the prize, the prizes to come and the player's bid; then the points of
    /// both, as shares of all.
    fn shape(&self) -> Vec<usize> {
        vec![5 * self.params.cards as usize + 2]
    }

    fn observe(&self, state: &Rounds, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let cards = self.params.cards as usize;
        let now = state.current();
        let mut set = |plane: usize, card: u8| {
            if card > 0 {
                out[plane * cards + usize::from(card) - 1] = 1.0;
            }
        };
        self.hand(state, player).for_each(|card| set(0, card));
        self.hand(state, 1 - player).for_each(|card| set(1, card));
        set(2, now.prize);
        self.prizes(state).for_each(|prize| set(3, prize));
        set(4, now.bids[usize::from(player)]);
        let all = (cards * (cards + 1) / 2) as f32;
        for (cell, of) in out[5 * cards..].iter_mut().zip([player, 1 - player]) {
            *cell = state.points(of) as f32 / all;
        }
    }
}

impl Game for Auction {
    fn plies_left(&self, state: &Rounds) -> u32 {
        let Round { prize, bids } = state.current();
        let all = self.max_plies();
        let each = all / (self.params.cards - 1);
        let drawn = u32::from(each == 3 && prize > 0);
        let made = drawn + bids.iter().filter(|bid| **bid > 0).count() as u32;
        all.saturating_sub(each * u32::from(state.now) + made)
    }

    fn start(&self, _rng: &mut Rng) -> Rounds {
        let mut state = Rounds::default();
        self.go_on(&mut state);
        state
    }

    fn chance_weights(&self, state: &Rounds) -> Vec<u64> {
        match self.turn(state) {
            Turn::Chance => vec![1; self.prizes(state).count()],
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }

    /// The first player's bid is hidden from the second.
    fn is_announced(&self, _action: Action) -> bool {
        false
    }

    fn role_text(&self, player: u8) -> String {
        format!("You are the {} player.", ABOUT.players[usize::from(player)])
    }

    fn rules(&self) -> String {
        let cards = self.params.cards;
        let order = match self.params.prizes {
            Prizes::Random => "in a random order",
            Prizes::Descending => "from the highest to the lowest",
            Prizes::Ascending => "from the lowest to the highest",
        };
        format!(
            "Each of the two players holds the cards 1 to {cards}. The prizes 1 to {cards} come one by one, {order}. For each \
             prize, both players bid one of their cards at the same time: the first player's card stays hidden until the \
             second player has bid, too. The higher card wins the prize and scores as many points as the prize's number. \
             If both cards are equal, nobody gets the prize. Cards that were bid are gone. The last cards are bid for the \
             last prize without being asked for. The player with more points wins; with equal points, the game is a \
             draw. A move is the number of a card, such as {cards}."
        )
    }

    /// The bid of a player who has bid is not known to the other.
    fn key(&self, state: &Rounds, player: u8) -> u128 {
        let hides = |bid_of: u8| player != EpisodeDraws::CHANCE && player != bid_of;
        let mut state = *state;
        if let Some(round) = state.rounds.get_mut(usize::from(state.now)) {
            for of in [0, 1].into_iter().filter(|of| hides(*of)) {
                round.bids[usize::from(of)] = 0;
            }
        }
        let codes = state.rounds.iter().flat_map(|round| [round.prize, round.bids[0], round.bids[1]]);
        codes.fold(0, |key, code| key << 3 | u128::from(code))
    }

    fn values(&self, _state: &Rounds, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Err(Unsolved::Never("a move has no single value when a player does not know the opponent's bid"))
    }

    /// Five cards in a random order make more states than memory holds.
    fn has_equilibrium(&self) -> bool {
        self.params.cards < 5 || self.params.prizes != Prizes::Random
    }

    fn equilibrium(&self, state: &Rounds, budget: &mut Budget<'_>) -> Result<Vec<u64>, Unsolved> {
        const GAP: f64 = 1e-3;
        if !self.has_equilibrium() {
            return Err(Unsolved::Never("no equilibrium is known for five prizes in a random order"));
        }
        EQUILIBRIA[self.params.cards as usize][self.params.prizes as usize].weights(self, state, GAP, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::equilibrium::Equilibrium;
    use game::exploit::exploitability;

    fn auction(cards: u32, prizes: Prizes) -> Auction {
        Goofspiel.game(&GoofspielParams { cards, prizes })
    }

    fn start(game: &Auction) -> Rounds {
        game.roots()[0]
    }

    fn after(game: &Auction, actions: &[&str]) -> Rounds {
        let mut state = start(game);
        for name in actions {
            let action = game.read_action(name).unwrap();
            assert!(game.legal(&state).contains(action), "{name} in {state:?}");
            game.apply(&mut state, action);
        }
        state
    }

    #[test]
    fn neither_player_has_an_advantage() {
        for (cards, prizes) in
            [(3, Prizes::Random), (3, Prizes::Ascending), (4, Prizes::Descending), (4, Prizes::Random)]
        {
            let game = auction(cards, prizes);
            let gap = if cards == 3 { 1e-4 } else { 1e-2 };
            let [forced, held] =
                Equilibrium::new(&game, &start(&game), gap, &mut Budget::unlimited()).unwrap().value;
            assert!(forced <= 1e-9 && -1e-9 <= held && held - forced <= gap, "{forced} to {held}");
        }
    }

    /// As `OpenSpiel` finds: with three cards it cannot be, with four it always loses.
    #[test]
    fn who_matches_the_prize_is_exploited_with_four_cards() {
        for (cards, most) in [(3, 0.0), (4, 1.0)] {
            let game = auction(cards, Prizes::Random);
            let matching = |state: &Rounds, _: &mut Budget<'_>| {
                let prize = u32::from(state.current().prize) - 1;
                Ok(game.legal(state).iter().map(|card| (card, f64::from(u8::from(card == prize)))).collect())
            };
            let lost = exploitability(&game, &start(&game), &matching, &mut Budget::unlimited()).unwrap();
            assert!((lost - most).abs() < 1e-9, "{cards}: {lost}");
        }
    }

    #[test]
    fn the_higher_bid_gets_the_prize_and_the_last_round_plays_itself() {
        let game = auction(3, Prizes::Random);
        let state = after(&game, &["prize 3", "2", "3", "prize 1", "1"]);
        assert_eq!(
            game.show(&state, 1),
            "Prize: 1\nPrizes to come: 2\nYour cards: 1, 2\nOpponent's cards: 1, 3\nYour points: 3\nOpponent's points: 0\n\
             For the prize 3, you bid 3 and the opponent 2."
        );
        assert!(game.show(&state, 0).ends_with("You bid 1 for this prize."));
        assert_eq!(game.key(&state, 1), game.key(&after(&game, &["prize 3", "2", "3", "prize 1", "3"]), 1));
        assert_eq!(game.why_illegal(&state, 2), "the card 3 has been bid before");
        let over = after(&game, &["prize 3", "2", "3", "prize 1", "1", "1"]);
        // Nobody gets the prize 1; the last bids are 3 and 2, for the prize 2.
        assert_eq!((game.turn(&over), over.points(0), over.points(1)), (Turn::Over, 2, 3));
        assert_eq!(game.returns(&over).map(|value| value as i32), [-1, 1]);
    }
}
