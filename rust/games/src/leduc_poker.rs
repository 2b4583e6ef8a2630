//! Leduc poker: six cards, two rounds of bets, a public card between them.

use std::cmp::Ordering;

use game::draws::EpisodeDraws;
use game::equilibrium::Computed;
use game::prelude::*;

use crate::cards;

pub struct LeducPoker;

params! {
    pub struct LeducPokerParams {
        /// True to deal six different cards, two suits of each rank, which never count; false to deal ranks.
        suits: bool [structure],
    }
    default (false)
}

static ABOUT: About = About {
    summary: "Poker with six cards, two rounds of bets and a card that both players share.",
    variants: &["{}", r#"{"suits": true}"#],
    chance: true,
    hidden: true,
    stakes: true,
    value: Some(-0.085_606_4),
    max_plies: 11,
    score: "chips won or lost",
    ..About::new("leduc_poker", &["First version."])
};

impl GameFamily for LeducPoker {
    type Params = LeducPokerParams;
    type Game = Table;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &LeducPokerParams) -> Table {
        Table { suits: params.suits }
    }
}

#[derive(Debug)]
pub struct Table {
    suits: bool,
}

/// Equilibrium of the deck without suits.
static EQUILIBRIUM: Computed = Computed::new();

const MOVES: [&str; 3] = ["fold", "call", "raise"];
const SUITS: [&str; 2] = ["spades", "hearts"];
const FOLD: Action = 0;
const CALL: Action = 1;
const RAISE: Action = 2;
const FIRST_CARD: Action = 3;
/// Most raises in a round, and chips that each adds.
const RAISES: usize = 2;
const CHIPS: [u8; 2] = [2, 4];
/// Most moves in a round.
const PLIES: usize = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// Each player's card and the public one: a rank, or twice that and the suit.
    cards: [Option<u8>; 3],
    /// By round, the moves so far, and then zeros: 1 more than an action each.
    played: [[u8; PLIES]; 2],
    stakes: [u8; 2],
}

impl Hand {
    fn round(&self, round: usize) -> impl Iterator<Item = Action> {
        self.played[round].into_iter().map_while(|code| code.checked_sub(1).map(Action::from))
    }

    fn has_folded(&self) -> bool {
        (0..2).any(|round| self.round(round).any(|action| action == FOLD))
    }

    /// True if the bets of a round are settled: both have moved, and the last move was to call.
    fn is_settled(&self, round: usize) -> bool {
        self.round(round).skip(1).last() == Some(CALL)
    }

    /// The round that is being played.
    fn now(&self) -> usize {
        usize::from(self.is_settled(0))
    }

    fn is_over(&self) -> bool {
        self.has_folded() || self.is_settled(1)
    }

    fn mover(&self) -> usize {
        self.round(self.now()).count() % 2
    }

    /// The cards that `player` sees: its own, the other's at a showdown, and the public one.
    fn seen(&self, player: u8) -> [Option<u8>; 3] {
        let [own, other] = [player, 1 - player].map(|player| self.cards[usize::from(player)]);
        let is_shown = self.is_over() && !self.has_folded();
        [own, other.filter(|_| is_shown), self.cards[2]]
    }
}

impl Table {
    fn kinds(&self) -> u8 {
        if self.suits { 6 } else { 3 }
    }

    fn rank(&self, card: u8) -> u8 {
        if self.suits { card / 2 } else { card }
    }

    /// Number of these cards that are not dealt.
    fn left(&self, hand: &Hand, card: u8) -> u64 {
        let all = if self.suits { 1 } else { 2 };
        all - hand.cards.iter().filter(|dealt| **dealt == Some(card)).count() as u64
    }

    /// Order of hands when nobody has folded: a pair, then the higher card.
    fn strength(&self, hand: &Hand, player: usize) -> (bool, Option<u8>) {
        let [own, public] = [hand.cards[player], hand.cards[2]].map(|card| card.map(|card| self.rank(card)));
        (own == public, own)
    }
}

impl Rules for Table {
    type State = Hand;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        FIRST_CARD + Action::from(self.kinds())
    }

    fn max_plies(&self) -> u32 {
        ABOUT.max_plies
    }

    fn turn(&self, state: &Hand) -> Turn {
        match state {
            _ if state.is_over() => Turn::Over,
            _ if state.cards[..2 + state.now()].contains(&None) => Turn::Chance,
            _ => Turn::Player(state.mover() as u8),
        }
    }

    fn legal(&self, state: &Hand) -> Actions {
        match self.turn(state) {
            Turn::Over => Actions::NONE,
            Turn::Chance => (0..self.kinds())
                .filter(|card| self.left(state, *card) > 0)
                .map(|card| FIRST_CARD + Action::from(card))
                .collect(),
            Turn::Player(_) => {
                let [own, other] = [state.mover(), 1 - state.mover()].map(|player| state.stakes[player]);
                let raises = state.round(state.now()).filter(|action| *action == RAISE).count();
                let fold = (own < other).then_some(FOLD);
                let raise = (raises < RAISES).then_some(RAISE);
                fold.into_iter().chain([CALL]).chain(raise).collect()
            }
        }
    }

    fn apply(&self, state: &mut Hand, action: Action) {
        if let Some(card) = action.checked_sub(FIRST_CARD) {
            let place = state.cards.iter().position(Option::is_none).expect("a card is to be dealt");
            state.cards[place] = Some(card as u8);
            state.stakes = state.stakes.map(|stake| stake.max(1));
            return;
        }
        let (round, mover) = (state.now(), state.mover());
        let ply = state.round(round).count();
        state.played[round][ply] = action as u8 + 1;
        let to_match = state.stakes[1 - mover];
        match action {
            FOLD => {}
            RAISE => state.stakes[mover] = to_match + CHIPS[round],
            _ => state.stakes[mover] = to_match,
        }
    }

    /// In chips: the winner gets the loser's stake. Who folds has put in less.
    fn returns(&self, state: &Hand) -> [f32; 2] {
        let [first, second] = state.stakes;
        let [strength, other] = [0, 1].map(|player| self.strength(state, player));
        let won = match first.cmp(&second).then(strength.cmp(&other)) {
            Ordering::Less => -f32::from(first),
            Ordering::Equal => 0.0,
            Ordering::Greater => second.into(),
        };
        [won, -won]
    }

    fn show(&self, state: &Hand, player: u8) -> String {
        let [own, other, public] = state.seen(player);
        let card = |card: Option<u8>, none: &str| {
            card.map_or(none.to_owned(), |card| self.name_action(FIRST_CARD + Action::from(card)))
        };
        let round = |round| {
            let names: Vec<&str> = state.round(round).map(|action| MOVES[action as usize]).collect();
            if names.is_empty() { "nothing yet".to_owned() } else { names.join(", ") }
        };
        let [mine, theirs] = [player, 1 - player].map(|player| state.stakes[usize::from(player)]);
        format!(
            "Your card: {}\nOpponent's card: {}\nPublic card: {}\nFirst round: {}\nSecond round: {}\nYour chips in the \
             pot: {mine}\nOpponent's chips in the pot: {theirs}",
            card(own, "not dealt"),
            card(other, "hidden"),
            card(public, "not dealt"),
            round(0),
            round(1),
        )
    }

    /// The player's card below, the other's above, each next to its chips; the public one between them.
    fn draw(&self, state: &Hand, player: u8) -> Picture {
        let [own, other, public] = state.seen(player);
        let [mine, theirs] = [player, 1 - player].map(|player| state.stakes[usize::from(player)]);
        let mut picture = Picture::filled(3, 3, Ink::Green);
        let face = |card: u8| {
            let hearts = self.suits && card % 2 == 1;
            (self.rank(card), if hearts { Ink::Red } else { Ink::Black })
        };
        for (row, card, chips) in [(0, other, theirs), (2, own, mine)] {
            cards::draw(&mut picture, row, 0, card.map(face));
            picture.disc(row, 2, Ink::Yellow);
            picture.sign(row, 2, chips.to_string(), Ink::Black);
        }
        if public.is_some() {
            cards::draw(&mut picture, 1, 1, public.map(face));
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match action.checked_sub(FIRST_CARD) {
            None => MOVES[action as usize].to_owned(),
            Some(card) if self.suits => {
                let (rank, suit) = (card as usize / 2, card as usize % 2);
                format!("{} of {}", cards::RANKS[rank], SUITS[suit])
            }
            Some(card) => cards::RANKS[card as usize].to_owned(),
        }
    }

    /// To call where there is nothing to match is also known as checking.
    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let said = text.trim();
        let is = |name: &str| name.eq_ignore_ascii_case(said);
        if is("check") {
            return Ok(CALL);
        }
        let found = (0..self.actions()).find(|&action| is(&self.name_action(action)));
        found.ok_or_else(|| Misread::not_a_move(text, "a move is fold, call or raise"))
    }

    fn why_illegal(&self, _state: &Hand, action: Action) -> String {
        match action {
            FOLD => "there is nothing to fold to: both players have put in the same".to_owned(),
            RAISE => "both raises of this round have been made".to_owned(),
            card => format!("a {} is a card, not a move", self.name_action(card)),
        }
    }

    /// The player's card, the other's if shown and the public one; then by ply of the first and of the second round
    /// whether it was to fold, to call or to raise.
    fn shape(&self) -> Vec<usize> {
        vec![3 * usize::from(self.kinds()) + 2 * PLIES * MOVES.len()]
    }

    fn observe(&self, state: &Hand, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let kinds = usize::from(self.kinds());
        let (cards, plies) = out.split_at_mut(3 * kinds);
        for (plane, card) in cards.chunks_mut(kinds).zip(state.seen(player)) {
            if let Some(card) = card {
                plane[usize::from(card)] = 1.0;
            }
        }
        for (round, plies) in plies.chunks_mut(PLIES * MOVES.len()).enumerate() {
            for (ply, action) in plies.chunks_mut(MOVES.len()).zip(state.round(round)) {
                ply[action as usize] = 1.0;
            }
        }
    }
}

impl Game for Table {
    fn plies_left(&self, state: &Hand) -> u32 {
        if state.is_over() {
            return 0;
        }
        let cards = state.cards.iter().filter(|card| card.is_none()).count();
        let rounds = 2 - state.now();
        (cards + rounds * PLIES - state.round(state.now()).count()) as u32
    }

    fn start(&self, _rng: &mut Rng) -> Hand {
        Hand::default()
    }

    fn chance_weights(&self, state: &Hand) -> Vec<u64> {
        match self.turn(state) {
            Turn::Chance => {
                let left = |action| self.left(state, (action - FIRST_CARD) as u8);
                self.legal(state).iter().map(left).collect()
            }
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }

    fn is_announced(&self, action: Action) -> bool {
        action < FIRST_CARD
    }

    fn role_text(&self, player: u8) -> String {
        let seat = ABOUT.players[usize::from(player)];
        format!("You are the {seat} player. Each player has put one chip into the pot.")
    }

    fn rules(&self) -> String {
        let suits = if self.suits { " one of spades and one of hearts; suits never count." } else { "" };
        let of = if self.suits { "," } else { "." };
        format!(
            "The deck has six cards: two jacks, two queens and two kings{of}{suits} A king is higher than a queen, and a \
             queen is higher than a jack. Each of the two players puts one chip into the pot and is dealt one card, which \
             the other player does not see. There are two rounds of bets, and the first player begins both. Between them, \
             a card from the rest of the deck is laid open for both. In a round the players take turns. To call is to \
             put in as many chips as the other player has put in, which may be none. To raise is to put in as many and 2 \
             more in the first round, or 4 more in the second; there are at most two raises in a round. A player who has \
             put in less than the other may also fold, and then the other player wins the pot. A round ends when a \
             player calls, but not before both have moved. After the second round, a player whose card has the rank of \
             the open card wins the pot; if nobody's has, the higher card wins, and if the ranks are equal, the pot is \
             shared. The winner gains what the loser has put in. A move is the word fold, call or raise."
        )
    }

    fn key(&self, state: &Hand, player: u8) -> u128 {
        let code = |card: Option<u8>| u128::from(card.map_or(0, |card| card + 1));
        let cards = match player {
            EpisodeDraws::CHANCE => code(state.cards[0]) << 4 | code(state.cards[1]),
            player => code(state.cards[usize::from(player)]),
        };
        let moves = state.played.as_flattened().iter().fold(0, |key, &code| key << 2 | u128::from(code));
        (cards << 4 | code(state.cards[2])) << 16 | moves
    }

    fn values(&self, _state: &Hand, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Err(Unsolved::Never("a move has no single value when a player does not know the opponent's card"))
    }

    fn has_equilibrium(&self) -> bool {
        true
    }

    fn equilibrium(&self, state: &Hand, budget: &mut Budget<'_>) -> Result<Vec<u64>, Unsolved> {
        const GAP: f64 = 1e-5;
        let cards = state.cards.map(|card| card.map(|card| self.rank(card)));
        EQUILIBRIUM.weights(&Table { suits: false }, &Hand { cards, ..*state }, GAP, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::equilibrium::Equilibrium;
    use game::exploit::exploitability;
    use game::opponent::{Opponent, Pick};

    fn table(suits: bool) -> Table {
        LeducPoker.game(&LeducPokerParams { suits })
    }

    fn after(table: &Table, names: &[&str]) -> Hand {
        let mut hand = Hand::default();
        for name in names {
            let action = table.read_action(name).unwrap();
            assert!(table.legal(&hand).contains(action), "{name} in {hand:?}");
            table.apply(&mut hand, action);
        }
        hand
    }

    /// Southey et al. (2005) have 288 sets by rank and 936 by card; the value is that of `OpenSpiel`'s linear program.
    #[test]
    fn the_value_is_the_known_one() {
        for (suits, sets, gap) in [(false, 288, 1e-4), (true, 936, 1e-2)] {
            let found =
                Equilibrium::new(&table(suits), &Hand::default(), gap, &mut Budget::unlimited()).unwrap();
            assert_eq!(found.sets(), sets);
            let [forced, held] = found.value;
            let known = f64::from(ABOUT.value.unwrap());
            assert!(forced - 1e-7 <= known && known <= held + 1e-7, "{:?}", found.value);
            assert!(held - forced <= gap, "{:?}", found.value);
        }
    }

    #[test]
    fn chips_go_to_whom_the_rules_say() {
        let table = table(false);
        for (line, first) in [
            (["king", "jack", "call", "call", "jack", "call", "call"].as_slice(), -1),
            (&["king", "jack", "call", "call", "queen", "call", "call"], 1),
            (&["king", "king", "call", "call", "queen", "raise", "call"], 0),
            (&["jack", "king", "raise", "raise", "fold"], -3),
            (&["jack", "king", "raise", "raise", "call", "jack", "raise", "raise", "call"], 13),
            (&["jack", "king", "check", "raise", "call", "king", "call", "raise", "fold"], -3),
            (&["jack", "king", "raise", "fold"], 1),
        ] {
            let hand = after(&table, line);
            assert_eq!(table.turn(&hand), Turn::Over, "{line:?}");
            assert_eq!(table.returns(&hand).map(|chips| chips as i32), [first, -first], "{line:?}");
        }
    }

    #[test]
    fn no_policy_gains_on_the_equilibrium_of_either_deck() {
        for suits in [false, true] {
            let table = table(suits);
            let exploited = |pick| {
                let play = |hand: &Hand, budget: &mut Budget<'_>| {
                    Opponent::new(pick).distribution(&table, hand, budget)
                };
                exploitability(&table, &Hand::default(), &play, &mut Budget::unlimited()).unwrap()
            };
            let gap = exploited(Pick::Equilibrium);
            assert!((0.0..=0.5e-5).contains(&gap), "{gap}");
            // As in OpenSpiel, half of its NashConv of the uniform policy.
            let random = exploited(Pick::Random);
            assert!((random - 2.373_61).abs() < 1e-4, "{random}");
        }
    }

    #[test]
    fn a_fold_shows_no_cards_and_refusals_say_why() {
        let table = table(true);
        let hand = after(&table, &["king of hearts", "jack of spades", "raise", "raise"]);
        assert!(table.why_illegal(&hand, RAISE).contains("both raises"));
        let folded = after(&table, &["king of hearts", "jack of spades", "raise", "fold"]);
        assert!(table.show(&folded, 1).contains("Opponent's card: hidden"));
        let shown = "Your card: king of hearts\nOpponent's card: jack of spades\nPublic card: king of spades\nFirst round: \
                     call, call\nSecond round: raise, call\nYour chips in the pot: 5\nOpponent's chips in the pot: 5";
        let line = ["king of hearts", "jack of spades", "call", "call", "king of spades", "raise", "call"];
        assert_eq!(table.show(&after(&table, &line), 0), shown);
    }
}
