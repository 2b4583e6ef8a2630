//! Chopsticks: tap the opponent's hands until both have too many fingers.

use game::prelude::*;
use game::retrograde::Retrograde;

pub struct Chopsticks;

/// Fate of a hand that gets five fingers or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// It is out.
    CutOff,
    /// It keeps what is over five, and is out with exactly five.
    RollOver,
}

params! {
    pub struct ChopsticksParams {
        /// Fate of a hand that gets five fingers or more.
        overflow: Overflow [structure],
        /// True if a turn may also divide the player's own fingers anew.
        splits: bool [structure],
        /// Number of plies after which the game is a draw.
        plies: u32 [10..=200, structure],
    }
    default (Overflow::CutOff, true, 60)
}

static ABOUT: About = About {
    summary: "Tap the opponent's hands until both are out.",
    variants: &["{}", r#"{"splits": false}"#, r#"{"overflow": "roll_over"}"#],
    value: Some(-1.0),
    tactics: true,
    max_plies: 200,
    ..About::new("chopsticks", &["First version."])
};

impl GameFamily for Chopsticks {
    type Params = ChopsticksParams;
    type Game = Tapping;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ChopsticksParams) -> Tapping {
        Tapping { params: params.clone(), table: Retrograde::default() }
    }
}

/// Fingers that put a hand out.
const FULL: u8 = 5;
/// Actions that tap; each of the others leaves some fingers on the left hand and some on the right.
const TAPS: u32 = 4;
const SIDES: [&str; 2] = ["left", "right"];

#[derive(Debug)]
pub struct Tapping {
    params: ChopsticksParams,
    table: Retrograde,
}

/// Fingers of each player's left and right hand. A hand without fingers is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hands {
    of: [[u8; 2]; 2],
    plies: u8,
}

impl Hands {
    /// The players alternate; player 0 begins.
    fn mover(self) -> usize {
        usize::from(self.plies & 1)
    }
}

/// An action, taken apart.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// A hand of the player taps one of the opponent.
    Tap(usize, usize),
    /// The player's fingers after dividing them.
    Split([u8; 2]),
}

impl Move {
    fn of(action: Action) -> Self {
        match action.checked_sub(TAPS) {
            None => Self::Tap(action as usize / 2, action as usize % 2),
            Some(hands) => Self::Split([hands as u8 / FULL, hands as u8 % FULL]),
        }
    }
}

fn sorted([left, right]: [u8; 2]) -> [u8; 2] {
    [left.min(right), left.max(right)]
}

fn is_legal(state: Hands, action: Action) -> bool {
    let [own, other] = [state.of[state.mover()], state.of[1 - state.mover()]];
    match Move::of(action) {
        Move::Tap(with, at) => own[with] > 0 && other[at] > 0,
        Move::Split(after) => after[0] + after[1] == own[0] + own[1] && sorted(after) != sorted(own),
    }
}

impl Tapping {
    fn form(&self) -> String {
        let split = if self.params.splits { ", or two numbers of fingers from 0 to 4, like 1-2" } else { "" };
        format!("a move is two hands, like left-right{split}")
    }
}

impl Rules for Tapping {
    type State = Hands;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        if self.params.splits { TAPS + u32::from(FULL * FULL) } else { TAPS }
    }

    fn max_plies(&self) -> u32 {
        self.params.plies
    }

    #[inline]
    fn turn(&self, state: &Hands) -> Turn {
        let over = state.of.contains(&[0, 0]) || u32::from(state.plies) == self.params.plies;
        if over { Turn::Over } else { Turn::Player(state.mover() as u8) }
    }

    #[inline]
    fn legal(&self, state: &Hands) -> Actions {
        if self.turn(state) == Turn::Over {
            return Actions::NONE;
        }
        (0..self.actions()).filter(|&action| is_legal(*state, action)).collect()
    }

    #[inline]
    fn apply(&self, state: &mut Hands, action: Action) {
        let mover = state.mover();
        match Move::of(action) {
            Move::Tap(with, at) => {
                let fingers = state.of[1 - mover][at] + state.of[mover][with];
                state.of[1 - mover][at] = match self.params.overflow {
                    Overflow::CutOff if fingers >= FULL => 0,
                    Overflow::CutOff | Overflow::RollOver => fingers % FULL,
                };
            }
            Move::Split(after) => state.of[mover] = after,
        }
        state.plies += 1;
    }

    fn returns(&self, state: &Hands) -> [f32; 2] {
        match state.of {
            [[0, 0], _] => [-1.0, 1.0],
            [_, [0, 0]] => [1.0, -1.0],
            _ => [0.0, 0.0],
        }
    }

    fn show(&self, state: &Hands, _player: u8) -> String {
        let row = |player: usize| {
            let [left, right] = state.of[player];
            format!("{:<8}{left:>4}{right:>7}", ABOUT.players[player])
        };
        let left = self.plies_left(state);
        format!("{:12}  {}\n{}\n{}\n\nTurns left: {left}", "        left", "right", row(0), row(1))
    }

    /// Fingers above a palm for every hand, the first player's on top.
    fn draw(&self, state: &Hands, _player: u8) -> Picture {
        const HAND: u32 = FULL as u32 * CELL;
        let mut picture = Picture::filled(5, 2 * u32::from(FULL), Ink::Paper);
        for (player, ink) in [Ink::Red, Ink::Blue].into_iter().enumerate() {
            for (side, &fingers) in state.of[player].iter().enumerate() {
                let (x, y) = (side as u32 * HAND + CELL / 2, player as u32 * 3 * CELL);
                for finger in 0..u32::from(fingers) {
                    picture.rectangle((x + finger * CELL + 1, y + 1), (CELL - 2, CELL), ink);
                }
                let ink = if fingers == 0 { Ink::Grey } else { ink };
                picture.rectangle((x, y + CELL), (HAND - CELL, CELL - 1), ink);
                let palm = (x + (HAND - CELL) / 2, y + CELL + CELL / 2);
                picture.title(palm, 4, SIDES[side], Ink::White);
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match Move::of(action) {
            Move::Tap(with, at) => format!("{}-{}", SIDES[with], SIDES[at]),
            Move::Split([left, right]) => format!("{left}-{right}"),
        }
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let refused = || Misread::not_a_move(text, self.form());
        let (one, other) = text.split_once('-').ok_or_else(refused)?;
        let both = [one.trim(), other.trim()];
        let side = |said: &str| SIDES.iter().position(|side| said.eq_ignore_ascii_case(side));
        if let [Some(with), Some(at)] = both.map(side) {
            return Ok((2 * with + at) as Action);
        }
        let fingers = |said: &str| match said.as_bytes() {
            [digit @ b'0'..=b'4'] => Some(digit - b'0'),
            _ => None,
        };
        match both.map(fingers) {
            [Some(left), Some(right)] if self.params.splits => Ok(TAPS + u32::from(left * FULL + right)),
            _ => Err(refused()),
        }
    }

    fn why_illegal(&self, state: &Hands, action: Action) -> String {
        let own = state.of[state.mover()];
        let count = own[0] + own[1];
        match Move::of(action) {
            Move::Tap(with, _) if own[with] == 0 => format!("the player's {} hand is out", SIDES[with]),
            Move::Tap(_, at) => format!("the opponent's {} hand is out", SIDES[at]),
            Move::Split([left, right]) if left + right != count => {
                format!("{left} and {right} make {}, but the player has {count} fingers", left + right)
            }
            Move::Split(after) if after == own => "it changes nothing".to_owned(),
            Move::Split(_) => "it only swaps the player's hands".to_owned(),
        }
    }

    /// The player's hands, the opponent's and the turns left, each as a share of the most.
    fn shape(&self) -> Vec<usize> {
        vec![3, 1, 2]
    }

    #[inline]
    fn observe(&self, state: &Hands, player: u8, out: &mut [f32]) {
        let hands = [player, 1 - player].map(|player| state.of[usize::from(player)]);
        for (out, fingers) in out.iter_mut().zip(hands.as_flattened()) {
            *out = f32::from(*fingers) / f32::from(FULL - 1);
        }
        out[4..].fill((self.params.plies - u32::from(state.plies)) as f32 / self.params.plies as f32);
    }
}

impl Game for Tapping {
    fn plies_left(&self, state: &Hands) -> u32 {
        if self.turn(state) == Turn::Over { 0 } else { self.params.plies - u32::from(state.plies) }
    }

    fn start(&self, _rng: &mut Rng) -> Hands {
        Hands { of: [[1, 1]; 2], plies: 0 }
    }

    fn role_text(&self, player: u8) -> String {
        format!("You are the {} player.", ABOUT.players[usize::from(player)])
    }

    fn rules(&self) -> String {
        let full = match self.params.overflow {
            Overflow::CutOff => "With five or more it is out: it has none.",
            Overflow::RollOver => {
                "Five of them fold together: a hand with six or more keeps what is over five, and one with exactly \
                 five is out: it has none."
            }
        };
        let split = if self.params.splits {
            " Instead of tapping, a player may divide the fingers of their two hands anew, with 0 to 4 on each, so \
             that a hand that was out may come back. Only to swap the two numbers is not allowed."
        } else {
            ""
        };
        let split_move = if self.params.splits {
            " To divide the fingers anew, say how many the left and the right hand then have, such as 1-2."
        } else {
            ""
        };
        let plies = self.params.plies;
        format!(
            "Each player has a left and a right hand, and each hand begins with one finger raised. The players take \
             turns; the first player begins. In a turn, a player taps a hand of the opponent with a hand of their \
             own; neither may be out. The tapped hand then raises as many more fingers as the tapping hand has, which \
             itself stays as it is. {full}{split} A player whose hands are both out loses. After {plies} turns, \
             counting both players', the game is a draw. A move is the player's hand and the opponent's hand that \
             it taps: left-right taps the opponent's right hand with the player's left hand.{split_move}"
        )
    }

    fn key(&self, state: &Hands, _player: u8) -> u128 {
        let fingers = state.of.as_flattened();
        fingers.iter().fold(state.plies.into(), |key, &fingers| key << 3 | u128::from(fingers))
    }

    /// Whatever the plies that are left, and whichever hand is left or right.
    fn value_key(&self, state: &Hands) -> u128 {
        let hands = [state.of[state.mover()], state.of[1 - state.mover()]].map(sorted);
        hands.as_flattened().iter().fold(0, |key, &fingers| key << 3 | u128::from(fingers))
    }

    fn solves_instantly(&self) -> bool {
        true
    }

    fn values(&self, state: &Hands, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        self.table.values(self, state, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chopsticks(overflow: Overflow, splits: bool) -> Tapping {
        Chopsticks.game(&ChopsticksParams::new(overflow, splits, 60))
    }

    fn first(game: &Tapping) -> Hands {
        game.start(&mut kit::rng::Key::new("tests", 1, "chopsticks", 0, "").stream(0))
    }

    #[test]
    fn values_are_the_known_ones() {
        for (overflow, splits, outcome, plies) in [
            (Overflow::CutOff, false, -1, Some(8)),
            (Overflow::CutOff, true, -1, Some(26)),
            (Overflow::RollOver, false, 0, None),
            (Overflow::RollOver, true, 0, None),
        ] {
            let game = chopsticks(overflow, splits);
            let values = game.values(&first(&game), &mut Budget::unlimited()).unwrap();
            let best = values.iter().map(|(_, value)| *value).max_by_key(|value| value.rank(Optimality::Dtm));
            assert_eq!(best, Some(Value::proved(outcome, plies, outcome.into())), "{overflow:?} {splits}");
            assert!(game.table.positions(&game, &mut Budget::unlimited()).unwrap() <= 225);
        }
    }

    #[test]
    fn hands_fill_up() {
        for (overflow, fingers) in [(Overflow::CutOff, 0), (Overflow::RollOver, 1)] {
            let game = chopsticks(overflow, false);
            let mut state = Hands { of: [[2, 1], [4, 4]], plies: 0 };
            game.apply(&mut state, game.read_action("left-right").unwrap());
            assert_eq!(state.of, [[2, 1], [4, fingers]]);
            game.apply(&mut state, game.read_action(" LEFT - right").unwrap());
            assert_eq!(state.of[0], [2, 0], "five fingers are out under both rules");
        }
    }

    #[test]
    fn a_split_moves_fingers() {
        let game = chopsticks(Overflow::CutOff, true);
        let state = Hands { of: [[0, 3], [1, 0]], plies: 0 };
        assert_eq!(
            game.show(&state, 0),
            "        left  right\nfirst      0      3\nsecond     1      0\n\nTurns left: 60"
        );
        let names: Vec<String> = game.legal(&state).iter().map(|action| game.name_action(action)).collect();
        assert_eq!(names, ["right-left", "1-2", "2-1"]);
        let why = |said| game.why_illegal(&state, game.read_action(said).unwrap());
        assert_eq!(why("left-left"), "the player's left hand is out");
        assert_eq!(why("right-right"), "the opponent's right hand is out");
        assert_eq!(why("2-2"), "2 and 2 make 4, but the player has 3 fingers");
        assert_eq!(why("3-0"), "it only swaps the player's hands");
        assert_eq!(why("0-3"), "it changes nothing");
    }

    #[test]
    fn other_texts_are_refused() {
        let game = chopsticks(Overflow::CutOff, true);
        let said = |text| game.read_action(text).unwrap_err().message;
        let form = "a move is two hands, like left-right, or two numbers of fingers from 0 to 4, like 1-2";
        for text in ["5-1", "left", "left-1", "-1-2", "+1-2", "1-", "-"] {
            assert_eq!(said(text), format!("`{text}` is not a move of this game; {form}"));
        }
        let plain = chopsticks(Overflow::CutOff, false);
        let refused = plain.read_action("1-2").unwrap_err().message;
        assert_eq!(refused, "`1-2` is not a move of this game; a move is two hands, like left-right");
    }
}
