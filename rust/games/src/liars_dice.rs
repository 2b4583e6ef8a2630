//! Liar's dice with one die each: bid higher and higher on two dice, or call the other a liar.

use game::draws::EpisodeDraws;
use game::equilibrium::Computed;
use game::prelude::*;

pub struct LiarsDice;

params! {
    pub struct LiarsDiceParams {
        /// Faces of a die; the highest is a joker.
        sides: u32 [2..=6, structure],
    }
    default (4)
}

static ABOUT: About = About {
    summary: "Bid on two dice, of which you see one, until somebody calls the other a liar.",
    variants: &["{}", r#"{"sides": 2}"#, r#"{"sides": 3}"#],
    chance: true,
    hidden: true,
    value: Some(0.0625),
    max_plies: 15,
    ..About::new("liars_dice", &["First version."])
};

impl GameFamily for LiarsDice {
    type Params = LiarsDiceParams;
    type Game = Dice;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &LiarsDiceParams) -> Dice {
        Dice { sides: params.sides }
    }
}

/// Actions are bids, lowest first, the word liar, and then the faces that a die may show.
#[derive(Debug)]
pub struct Dice {
    sides: u32,
}

/// By number of sides.
static EQUILIBRIA: [Computed; 7] = [const { Computed::new() }; 7];

const LIAR: &str = "liar";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bids {
    /// Face of each die, from 0.
    dice: [Option<u8>; 2],
    /// One bit for each bid that was made; each was higher than those before.
    made: u16,
    is_over: bool,
}

impl Bids {
    fn mover(self) -> u8 {
        (self.made.count_ones() % 2) as u8
    }

    fn last(self) -> Option<Action> {
        self.made.checked_ilog2()
    }

    /// The dice that `player` sees: its own, and the other's at the end.
    fn seen(self, player: u8) -> [Option<u8>; 2] {
        let [own, other] = [player, 1 - player].map(|player| self.dice[usize::from(player)]);
        [own, other.filter(|_| self.is_over)]
    }
}

impl Dice {
    fn liar(&self) -> Action {
        2 * self.sides
    }

    fn first_face(&self) -> Action {
        self.liar() + 1
    }

    /// Number of dice and the face that a bid names.
    fn bid(&self, action: Action) -> (u32, u32) {
        (action / self.sides + 1, action % self.sides + 1)
    }

    /// True if as many dice as it says show the face of a bid or the joker.
    fn is_true(&self, state: Bids, bid: Action) -> bool {
        let (count, face) = self.bid(bid);
        let shows =
            |die: &Option<u8>| die.is_some_and(|die| [face, self.sides].contains(&(u32::from(die) + 1)));
        state.dice.iter().filter(|die| shows(die)).count() as u32 >= count
    }
}

impl Rules for Dice {
    type State = Bids;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.first_face() + self.sides
    }

    fn max_plies(&self) -> u32 {
        2 + self.liar() + 1
    }

    fn turn(&self, state: &Bids) -> Turn {
        match state {
            _ if state.dice.contains(&None) => Turn::Chance,
            _ if state.is_over => Turn::Over,
            _ => Turn::Player(state.mover()),
        }
    }

    fn legal(&self, state: &Bids) -> Actions {
        match (self.turn(state), state.last()) {
            (Turn::Over, _) => Actions::NONE,
            (Turn::Chance, _) => (self.first_face()..self.actions()).collect(),
            (Turn::Player(_), None) => (0..self.liar()).collect(),
            (Turn::Player(_), Some(last)) => (last + 1..=self.liar()).collect(),
        }
    }

    fn apply(&self, state: &mut Bids, action: Action) {
        if let Some(die) = state.dice.iter_mut().find(|die| die.is_none()) {
            *die = Some((action - self.first_face()) as u8);
        } else if action == self.liar() {
            state.is_over = true;
        } else {
            state.made |= 1 << action;
        }
    }

    fn returns(&self, state: &Bids) -> [f32; 2] {
        let bid = state.last().expect("a game ends with a bid called a lie");
        // The player to move called the other a liar.
        let first_wins = self.is_true(*state, bid) == (state.mover() == 1);
        if first_wins { [1.0, -1.0] } else { [-1.0, 1.0] }
    }

    fn show(&self, state: &Bids, player: u8) -> String {
        let [own, other] = state.seen(player);
        let die = |die: Option<u8>, none: &str| die.map_or(none.to_owned(), |die| (die + 1).to_string());
        let bids = (0..self.liar()).filter(|bid| state.made >> bid & 1 == 1);
        let said = bids.chain(state.is_over.then_some(self.liar()));
        let said: Vec<_> = said.map(|action| self.name_action(action)).collect();
        format!(
            "Your die: {}\nOpponent's die: {}\nBids: {}",
            die(own, "not rolled"),
            die(other, "hidden"),
            if said.is_empty() { "nothing yet".to_owned() } else { said.join(", ") }
        )
    }

    /// The player's die below and the other's above; between them the last bid.
    fn draw(&self, state: &Bids, player: u8) -> Picture {
        let [own, other] = state.seen(player);
        let mut picture = Picture::filled(3, 3, Ink::Green);
        for (row, die) in [(0, other), (2, own)] {
            draw_die(&mut picture, (CELL, row * CELL), die);
        }
        if let Some(bid) = state.last() {
            picture.title((12, 12), 5, self.name_action(bid), Ink::White);
        }
        if state.is_over {
            // Beside the die of the player who said it.
            let row = if state.mover() == player { 2 } else { 0 };
            picture.title((20, row * CELL + 4), 3, "liar", Ink::White);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match action.checked_sub(self.liar()) {
            None => {
                let (count, face) = self.bid(action);
                format!("{count}x{face}")
            }
            Some(0) => LIAR.to_owned(),
            Some(face) => face.to_string(),
        }
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let said: String = text.chars().filter(|char| !char.is_whitespace()).collect();
        let found = (0..self.actions()).find(|&action| self.name_action(action).eq_ignore_ascii_case(&said));
        found.ok_or_else(|| Misread::not_a_move(text, "a move is a bid such as 1x2, or liar"))
    }

    fn why_illegal(&self, state: &Bids, action: Action) -> String {
        let name = self.name_action(action);
        match state.last() {
            _ if action > self.liar() => format!("{name} is for a die to show, not a move"),
            None => "there is no bid yet to be called a lie".to_owned(),
            Some(last) => format!("{name} is not higher than the last bid, {}", self.name_action(last)),
        }
    }

    /// The player's die, the other's at the end, the bids made, and whether the last was called a lie.
    fn shape(&self) -> Vec<usize> {
        vec![4 * self.sides as usize + 1]
    }

    fn observe(&self, state: &Bids, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let sides = self.sides as usize;
        let (dice, bids) = out.split_at_mut(2 * sides);
        for (plane, die) in dice.chunks_mut(sides).zip(state.seen(player)) {
            if let Some(die) = die {
                plane[usize::from(die)] = 1.0;
            }
        }
        for (bid, cell) in bids.iter_mut().enumerate() {
            *cell = f32::from(state.made >> bid & 1);
        }
        bids[2 * sides] = f32::from(u8::from(state.is_over));
    }
}

impl Game for Dice {
    fn plies_left(&self, state: &Bids) -> u32 {
        let dice = state.dice.iter().filter(|die| die.is_none()).count() as u32;
        let said = state.last().map_or(0, |bid| bid + 1);
        if state.is_over { 0 } else { dice + self.liar() - said + 1 }
    }

    fn start(&self, _rng: &mut Rng) -> Bids {
        Bids::default()
    }

    fn chance_weights(&self, state: &Bids) -> Vec<u64> {
        match self.turn(state) {
            Turn::Chance => vec![1; self.sides as usize],
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }

    fn role_text(&self, player: u8) -> String {
        format!("You are the {} player.", ABOUT.players[usize::from(player)])
    }

    fn rules(&self) -> String {
        let sides = self.sides;
        format!(
            "Each of the two players rolls a die with the faces 1 to {sides}, which the other player does not see. The \
             first player begins with a bid, and the players take turns. The bid 1x1 says that at least one of the two \
             dice shows a 1, and 2x1 says that both do; the same goes for other faces. A {sides} is a joker that counts \
             as every face. A bid must be higher than the one before: on more dice, or on as many dice and a higher \
             face. Instead of bidding, a player may call the other's last bid a lie, and then both dice are shown. If the \
             bid is true, the player who made it wins, and if it isn't, the player who called it a lie wins. After 2x{sides}, \
             the highest bid, nothing else can be done. A move is a bid such as 1x2, or the word {LIAR}."
        )
    }

    fn key(&self, state: &Bids, player: u8) -> u128 {
        let code = |die: Option<u8>| u128::from(die.map_or(0, |die| die + 1));
        let dice = match player {
            EpisodeDraws::CHANCE => code(state.dice[0]) << 4 | code(state.dice[1]),
            player => code(state.dice[usize::from(player)]),
        };
        dice << 16 | u128::from(state.made)
    }

    fn values(&self, _state: &Bids, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Err(Unsolved::Never("a move has no single value when a player does not know the opponent's die"))
    }

    fn has_equilibrium(&self) -> bool {
        true
    }

    fn equilibrium(&self, state: &Bids, budget: &mut Budget<'_>) -> Result<Vec<u64>, Unsolved> {
        let gap = if self.sides < 5 { 1e-4 } else { 1e-3 };
        EQUILIBRIA[self.sides as usize].weights(self, state, gap, budget)
    }
}

/// A die in a cell, or a covered one.
fn draw_die(picture: &mut Picture, (left, top): (u32, u32), die: Option<u8>) {
    picture.rectangle((left, top), (CELL, CELL), if die.is_some() { Ink::White } else { Ink::Grey });
    let pips: &[(u32, u32)] = match die.map(|die| die + 1) {
        None => &[],
        Some(1) => &[(4, 4)],
        Some(2) => &[(2, 2), (6, 6)],
        Some(3) => &[(2, 2), (4, 4), (6, 6)],
        Some(4) => &[(2, 2), (2, 6), (6, 2), (6, 6)],
        Some(5) => &[(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)],
        Some(_) => &[(2, 1), (2, 4), (2, 7), (6, 1), (6, 4), (6, 7)],
    };
    for (x, y) in pips {
        picture.spot((left + x, top + y), 1, Ink::Black);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::equilibrium::Equilibrium;

    fn bounds(sides: u32, gap: f64) -> [f64; 2] {
        let game = Dice { sides };
        Equilibrium::new(&game, &Bids::default(), gap, &mut Budget::unlimited()).unwrap().value
    }

    fn after(game: &Dice, names: &[&str]) -> Bids {
        let mut state = Bids::default();
        for name in names {
            let action = match game.turn(&state) {
                Turn::Chance => game.first_face() - 1 + name.parse::<u32>().unwrap(),
                _ => game.read_action(name).unwrap(),
            };
            assert!(game.legal(&state).contains(action), "{name} in {state:?}");
            game.apply(&mut state, action);
        }
        state
    }

    /// Of the first player, as in `OpenSpiel`'s table of games.
    #[test]
    fn the_values_are_the_known_ones() {
        for (sides, known) in [(2, 1.0 / 2.0), (3, 1.0 / 9.0), (4, 1.0 / 16.0)] {
            let [forced, held] = bounds(sides, 1e-4);
            assert!(forced <= known + 1e-9 && known <= held + 1e-9, "{sides}: {forced} to {held}");
            assert!(held - forced <= 1e-4);
        }
    }

    #[test]
    #[ignore = "takes seconds: cargo test --release"]
    fn the_value_with_six_sides_is_the_known_one() {
        let [forced, held] = bounds(6, 1e-3);
        println!("{forced} to {held}");
        assert!(forced <= -0.0271 && -0.0273 <= held);
    }

    #[test]
    fn a_joker_counts_as_every_face() {
        let game = Dice { sides: 6 };
        for (line, first) in [
            (["6", "3", "2x3", "liar"].as_slice(), 1.0),
            (&["6", "3", "2x6", "liar"], -1.0),
            (&["5", "3", "1x3", "1x4", "liar"], 1.0),
            (&["5", "3", "1x2", "1x3", "2 x 3", "LIAR"], -1.0),
            (&["6", "6", "1x2", "2x1", "liar"], -1.0),
        ] {
            let state = after(&game, line);
            assert_eq!((game.turn(&state), game.returns(&state)[0]), (Turn::Over, first), "{line:?}");
        }
    }

    #[test]
    fn refusals_say_why_and_the_other_die_is_shown_at_the_end() {
        let game = Dice { sides: 6 };
        let start = after(&game, &["2", "5"]);
        assert!(game.why_illegal(&start, game.liar()).contains("no bid yet"));
        let state = after(&game, &["2", "5", "1x5"]);
        assert_eq!(game.why_illegal(&state, 3), "1x4 is not higher than the last bid, 1x5");
        assert_eq!(game.show(&state, 0), "Your die: 2\nOpponent's die: hidden\nBids: 1x5");
        let shown = after(&game, &["2", "5", "1x5", "liar"]);
        assert_eq!(game.show(&shown, 1), "Your die: 5\nOpponent's die: 2\nBids: 1x5, liar");
    }
}
