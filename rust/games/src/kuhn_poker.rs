//! Kuhn poker: three cards, one bet, and all equilibria of the first player.

use game::draws::EpisodeDraws;
use game::prelude::*;

use crate::cards;

pub struct KuhnPoker;

params! {
    pub struct KuhnPokerParams {
        /// Percent of its kings that the first player bets in the equilibrium that it plays; it bets a third as
        /// many of its jacks. Every value from 0 to 100 is an equilibrium.
        king_bets: u32 [0..=100, opponent],
    }
    default (50)
}

static ABOUT: About = About {
    name: "kuhn_poker",
    summary: "The smallest poker game: three cards, two players and one bet.",
    changes: &["First version."],
    players: ["first", "second"],
    variants: &["{}", r#"{"king_bets": 0}"#, r#"{"king_bets": 100}"#],
    chance: true,
    hidden: true,
    stakes: true,
    value: Some(-1.0 / 18.0),
    tactics: false,
    max_plies: 5,
    moves: "moves",
    score: "chips won or lost",
};

impl GameFamily for KuhnPoker {
    type Params = KuhnPokerParams;
    type Game = Table;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &KuhnPokerParams) -> Table {
        Table { king_bets: u64::from(params.king_bets) }
    }
}

#[derive(Debug)]
pub struct Table {
    king_bets: u64,
}

/// Passes, bets, and then the cards that chance may deal.
const NAMES: [&str; 5] = ["pass", "bet", "jack", "queen", "king"];
const PASS: Action = 0;
const BET: Action = 1;
const FIRST_CARD: Action = 2;
const CARDS: u8 = 3;
const JACK: u8 = 0;
const QUEEN: u8 = 1;
const KING: u8 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    cards: [Option<u8>; 2],
    /// Passes and bets so far.
    plies: u8,
    /// Bit `n` is set if ply `n` was a bet.
    bets: u8,
}

impl Hand {
    /// The game ends with the answer to a bet, or after two passes.
    fn is_over(self) -> bool {
        self.plies == 3 || self.plies == 2 && self.bets != 0b10
    }

    /// The chips that each player has put in.
    fn stakes(self) -> [u8; 2] {
        [1 + (self.bets & 1) + (self.bets >> 2), 1 + (self.bets >> 1 & 1)]
    }

    /// True if the cards decide, rather than a player giving up.
    fn is_shown_down(self) -> bool {
        let [first, second] = self.stakes();
        self.is_over() && first == second
    }

    fn history(self) -> impl Iterator<Item = Action> {
        let bets = self.bets;
        (0..self.plies).map(move |ply| Action::from(bets >> ply & 1))
    }

    /// The cards that `player` sees: its own, and both at a showdown.
    fn seen(self, player: u8) -> [Option<u8>; 2] {
        let (own, other) = (usize::from(player), usize::from(1 - player));
        let shown = self.cards[other].filter(|_| self.is_shown_down());
        [self.cards[own], shown]
    }
}

impl Rules for Table {
    type State = Hand;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        NAMES.len() as u32
    }

    fn max_plies(&self) -> u32 {
        5
    }

    #[inline]
    fn turn(&self, state: &Hand) -> Turn {
        if state.cards.contains(&None) {
            Turn::Chance
        } else if state.is_over() {
            Turn::Over
        } else {
            Turn::Player(state.plies & 1)
        }
    }

    #[inline]
    fn legal(&self, state: &Hand) -> Actions {
        match self.turn(state) {
            Turn::Chance => (0..CARDS)
                .filter(|&card| !state.cards.contains(&Some(card)))
                .map(|card| FIRST_CARD + Action::from(card))
                .collect(),
            Turn::Player(_) => [PASS, BET].into_iter().collect(),
            Turn::Over => Actions::NONE,
        }
    }

    #[inline]
    fn apply(&self, state: &mut Hand, action: Action) {
        if let Some(card) = state.cards.iter_mut().find(|card| card.is_none()) {
            *card = Some((action - FIRST_CARD) as u8);
        } else {
            state.bets |= u8::from(action == BET) << state.plies;
            state.plies += 1;
        }
    }

    /// In chips: the winner gets the loser's stake.
    fn returns(&self, state: &Hand) -> [f32; 2] {
        let stakes = state.stakes();
        let first_wins =
            if state.is_shown_down() { state.cards[0] > state.cards[1] } else { stakes[0] > stakes[1] };
        let won = f32::from(stakes[usize::from(first_wins)]);
        if first_wins { [won, -won] } else { [-won, won] }
    }

    fn show(&self, state: &Hand, player: u8) -> String {
        let [own, other] = state.seen(player);
        let card = |card: Option<u8>, unseen| card.map_or(unseen, |card: u8| card_name(card));
        let names: Vec<&str> = state.history().map(|action| NAMES[action as usize]).collect();
        let so_far = match names.as_slice() {
            [] => "nothing yet".to_owned(),
            names => names.join(", "),
        };
        let [first, second] = state.stakes();
        format!(
            "Your card: {}\nOpponent's card: {}\nPlayed: {so_far}\nChips in the pot: {}",
            card(own, "not dealt"),
            card(other, "hidden"),
            first + second
        )
    }

    /// The player's own card below and the other's above, each next to the chips its player put in.
    fn draw(&self, state: &Hand, player: u8) -> Picture {
        let ([own, other], [first, second]) = (state.seen(player), state.stakes());
        let (mine, theirs) = if player == 0 { (first, second) } else { (second, first) };
        let mut picture = Picture::filled(2, 3, Ink::Green);
        for (row, card, chips) in [(0, other, theirs), (1, own, mine)] {
            cards::draw(&mut picture, row, 0, card.map(|card| (card, Ink::Black)));
            for chip in 0..u32::from(chips) {
                picture.disc(row, 1 + chip, Ink::Yellow);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        NAMES[action as usize].to_owned()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let text = text.trim();
        let found = NAMES.iter().position(|name| name.eq_ignore_ascii_case(text));
        found.map(|at| at as Action).ok_or_else(|| Misread::not_a_move(text, "a move is pass or bet"))
    }

    fn why_illegal(&self, _state: &Hand, action: Action) -> String {
        format!("a {} is a card, not a move", NAMES[action as usize])
    }

    /// The player's card, the other's if shown, the plies that were passes, and those that were bets.
    fn shape(&self) -> Vec<usize> {
        vec![4, usize::from(CARDS)]
    }

    fn observe(&self, state: &Hand, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let (cards, plies) = out.split_at_mut(2 * usize::from(CARDS));
        for (plane, card) in cards.chunks_mut(usize::from(CARDS)).zip(state.seen(player)) {
            if let Some(card) = card {
                plane[usize::from(card)] = 1.0;
            }
        }
        for (ply, action) in state.history().enumerate() {
            plies[3 * action as usize + ply] = 1.0;
        }
    }
}

impl Game for Table {
    fn plies_left(&self, state: &Hand) -> u32 {
        let cards = state.cards.iter().filter(|card| card.is_none()).count() as u32;
        let over = u32::from(!state.is_over());
        cards + over * (3 - u32::from(state.plies))
    }

    fn start(&self, _rng: &mut Rng) -> Hand {
        Hand::default()
    }

    fn chance_weights(&self, state: &Hand) -> Vec<u64> {
        match self.turn(state) {
            Turn::Chance => vec![1; self.legal(state).len() as usize],
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }

    fn role_text(&self, player: u8) -> String {
        let seat = ["first", "second"][usize::from(player)];
        format!("You are the {seat} player. Each player has put one chip into the pot.")
    }

    fn rules(&self) -> String {
        "The deck has three cards: a jack, a queen and a king. The king is the highest card and the jack is the \
         lowest. Each of the two players puts one chip into the pot and is dealt one card, which the other player \
         does not see. The first player either passes or bets one more chip, and then the second player does \
         the same. If the first player passes and the second player bets, the first player chooses once more. \
         After two passes, or once both players have bet, the higher card wins the pot. A player who passes \
         after the other player has bet gives up, and the other player wins the pot. The winner gains what the \
         loser has put in, which is 1 chip or 2. A move is the word pass or the word bet."
            .to_owned()
    }

    fn key(&self, state: &Hand, player: u8) -> u128 {
        let code = |card: Option<u8>| u128::from(card.map_or(0, |card| card + 1));
        let cards = match player {
            EpisodeDraws::CHANCE => code(state.cards[0]) << 2 | code(state.cards[1]),
            player => code(state.cards[usize::from(player)]),
        };
        cards << 8 | u128::from(state.plies) << 4 | u128::from(state.bets)
    }

    fn values(&self, _state: &Hand, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Err(Unsolved::Never("a move has no single value when a player does not know the opponent's card"))
    }

    fn has_equilibrium(&self) -> bool {
        true
    }

    /// Kuhn (1950): the first player bets a share `a` of its jacks and `3a` of its kings, with `a` from 0 to
    /// 1/3, never bets a queen, and answers a bet with `a + 1/3` of its queens; the second player has a
    /// single equilibrium.
    fn equilibrium(&self, state: &Hand, _budget: &mut Budget<'_>) -> Result<Vec<u64>, Unsolved> {
        let card = state.cards[usize::from(state.plies & 1)].expect("a player who is to move has a card");
        // Shares in 300ths, so that `a` equals the percentage of kings that are bet.
        let a = self.king_bets;
        let bets = match (state.plies, state.bets, card) {
            (0, _, JACK) => a,
            (0, _, KING) => 3 * a,
            (2, _, QUEEN) => a + 100,
            (1, 0, JACK) | (1, 1, QUEEN) => 100,
            (_, _, KING) => 300,
            _ => 0,
        };
        Ok(vec![300 - bets, bets])
    }
}

fn card_name(card: u8) -> &'static str {
    NAMES[usize::from(card) + FIRST_CARD as usize]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use game::erased::{AnyGame, RegisteredGame};
    use game::exploit::{Behaviour, best_response, expected_return, exploitability};
    use game::opponent::{Opponent, Pick};
    use kit::error::Error;

    const TABLE: Table = Table { king_bets: 50 };

    fn after(actions: &[&str]) -> Hand {
        let mut hand = Hand::default();
        for name in actions {
            let action = TABLE.read_action(name).unwrap();
            assert!(TABLE.legal(&hand).contains(action), "{name} in {hand:?}");
            TABLE.apply(&mut hand, action);
        }
        hand
    }

    fn near(is: f64, should_be: f64) -> bool {
        (is - should_be).abs() < 1e-9
    }

    fn configured(params: &str) -> Arc<dyn AnyGame> {
        RegisteredGame::new(&KuhnPoker).configure(&serde_json::from_str(params).unwrap()).unwrap()
    }

    #[test]
    fn chips_go_to_whom_the_rules_say() {
        for (line, first) in [
            (["king", "jack", "pass", "pass"].as_slice(), 1),
            (&["jack", "queen", "pass", "pass"], -1),
            (&["jack", "queen", "bet", "pass"], 1),
            (&["queen", "king", "bet", "bet"], -2),
            (&["king", "queen", "bet", "bet"], 2),
            (&["king", "queen", "pass", "bet", "pass"], -1),
            (&["queen", "jack", "pass", "bet", "bet"], 2),
        ] {
            let hand = after(line);
            assert_eq!(TABLE.turn(&hand), Turn::Over, "{line:?}");
            let chips = TABLE.returns(&hand).map(|chips| chips as i32);
            assert_eq!(chips, [first, -first], "{line:?}");
        }
    }

    #[test]
    fn all_games_are_counted() {
        fn count(hand: Hand) -> (u32, u32) {
            let (mut over, mut all) = (u32::from(TABLE.turn(&hand) == Turn::Over), 1);
            for action in TABLE.legal(&hand).iter() {
                let mut next = hand;
                TABLE.apply(&mut next, action);
                let below = count(next);
                (over, all) = (over + below.0, all + below.1);
            }
            (over, all)
        }
        // Six deals, each with five ends and four turns; the start and three first cards.
        assert_eq!(count(Hand::default()), (30, 6 * 9 + 4));
    }

    #[test]
    fn the_value_is_minus_an_eighteenth_in_every_equilibrium() {
        for first in [0, 1, 33, 50, 100] {
            for second in [0, 100] {
                let play = |king_bets| {
                    move |hand: &Hand, budget: &mut Budget<'_>| {
                        let game = Table { king_bets };
                        Opponent::new(Pick::Equilibrium).distribution(&game, hand, budget)
                    }
                };
                let (start, budget) = (Hand::default(), &mut Budget::unlimited());
                let policies: [&Behaviour<'_, Hand>; 2] = [&play(first), &play(second)];
                let value = expected_return(&TABLE, &start, policies, budget).unwrap();
                assert!(near(value, -1.0 / 18.0), "{first} {second}: {value}");
                let exploited = exploitability(&TABLE, &start, &play(first), budget).unwrap();
                assert!(exploited.abs() < 1e-9, "{first}: {exploited}");
                for (player, value) in [(0, -1.0 / 18.0), (1, 1.0 / 18.0)] {
                    let best = best_response(&TABLE, &start, player, &play(first), budget);
                    assert!(near(best.unwrap(), value), "{first} {player}");
                }
            }
        }
    }

    /// This family includes all equilibria: mismatched bets of jacks and kings can be exploited.
    #[test]
    fn other_policies_are_exploited() {
        let budget = &mut Budget::unlimited();
        let exploited = |params: &str, opponent: &Opponent, budget: &mut Budget<'_>| {
            configured(params).exploitability(opponent, budget).unwrap()
        };
        let uniform = exploited("{}", &Opponent::new(Pick::Random), budget);
        assert!(near(uniform, 11.0 / 24.0), "{uniform}");
        let best = exploited(r#"{"king_bets": 7}"#, &Opponent::new(Pick::Equilibrium), budget);
        assert!(best.abs() < 1e-9, "{best}");
        let shaky = Opponent { random_move_prob: 0.5, ..Opponent::new(Pick::Equilibrium) };
        let shaky = exploited("{}", &shaky, budget);
        assert!(0.05 < shaky && shaky < uniform, "{shaky}");
        let greedy = |hand: &Hand, _: &mut Budget<'_>| {
            let bets = f64::from(u8::from(hand.cards[usize::from(hand.plies & 1)] == Some(KING)));
            Ok(vec![(PASS, 1.0 - bets), (BET, bets)])
        };
        // A player who never bluffs and never calls with a queen loses the antes to one who always bets.
        let honest = exploitability(&TABLE, &Hand::default(), &greedy, budget).unwrap();
        assert!(honest > 0.1, "{honest}");
    }

    #[test]
    fn exploitability_is_refused_where_it_says_nothing() {
        let game =
            RegisteredGame::new(&crate::tic_tac_toe::TicTacToe).configure(&serde_json::Map::new()).unwrap();
        let random = Opponent::new(Pick::Random);
        let refused = game.exploitability(&random, &mut Budget::unlimited());
        assert!(matches!(refused, Err(Error::Unsolved { .. })), "{refused:?}");
        let cut = configured("{}").exploitability(&random, &mut Budget::new(10));
        assert!(matches!(cut, Err(Error::Unsolved { .. })), "{cut:?}");
        let peeks = Opponent::new(Pick::Heuristic);
        let refused = configured("{}").exploitability(&peeks, &mut Budget::unlimited());
        assert!(matches!(refused, Err(Error::InvalidOpponent { .. })), "{refused:?}");
    }

    #[test]
    fn the_other_card_is_seen_only_at_a_showdown() {
        let hand = after(&["queen", "king", "pass"]);
        let picture = "Your card: king\nOpponent's card: hidden\nPlayed: pass\nChips in the pot: 2";
        assert_eq!(TABLE.show(&hand, 1), picture);
        let other = after(&["jack", "king", "pass"]);
        assert_eq!(TABLE.key(&hand, 1), TABLE.key(&other, 1));
        assert_ne!(TABLE.key(&hand, EpisodeDraws::CHANCE), TABLE.key(&other, EpisodeDraws::CHANCE));
        let given_up = after(&["queen", "king", "bet", "pass"]);
        assert!(TABLE.show(&given_up, 0).contains("Opponent's card: hidden"));
        let shown = after(&["queen", "king", "pass", "bet", "bet"]);
        let picture = "Your card: queen\nOpponent's card: king\nPlayed: pass, bet, bet\nChips in the pot: 4";
        assert_eq!(TABLE.show(&shown, 0), picture);
        let mut seen = [7.0; 12];
        TABLE.observe(&shown, 0, &mut seen);
        assert_eq!(seen.map(|x| x as u8), [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1]);
    }
}
