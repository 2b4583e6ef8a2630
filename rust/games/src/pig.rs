//! Pig: roll a die for points or keep those of the turn, before a 1 takes them.

use game::expect::Expect;
use game::prelude::*;
use game::value::best_of;
use kit::words;

pub struct Pig;

params! {
    pub struct PigParams {
        /// Points that win.
        target: u32 [5..=100, structure],
    }
    default (20)
}

static ABOUT: About = About {
    summary: "Roll a die as often as you dare: a 1 takes the points of your turn.",
    variants: &["{}", r#"{"target": 5}"#, r#"{"target": 10}"#],
    chance: true,
    value: Some(0.231_117_1),
    max_plies: 2 * LIMIT - 1,
    score: "1 if a win is more likely than a loss, -1 if less",
    ..About::new("pig", &["First version."])
};

impl GameFamily for Pig {
    type Params = PigParams;
    type Game = Die;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &PigParams) -> Die {
        Die { target: params.target, means: Expect::default() }
    }
}

/// Moves of both players after which the game is a draw.
const LIMIT: u32 = 1_000;
/// Moves after which a game between perfect players has ended, but for a chance below the rounding of means.
const ENOUGH: u32 = 600;

/// A roll, a hold, and then what the die shows.
const NAMES: [&str; 8] = ["roll", "hold", "1", "2", "3", "4", "5", "6"];
const ROLL: Action = 0;
const HOLD: Action = 1;
const FIRST_FACE: Action = 2;

#[derive(Debug)]
pub struct Die {
    target: u32,
    means: Expect,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    banked: [u32; 2],
    /// Points of this turn.
    pot: u32,
    mover: u8,
    /// True if the die is rolling.
    rolls: bool,
    /// Rolls and holds so far.
    moves: u32,
}

impl Scores {
    /// The scores of `player` and of the other.
    fn seen(&self, player: u8) -> [u32; 2] {
        [player, 1 - player].map(|player| self.banked[usize::from(player)])
    }
}

impl Rules for Die {
    type State = Scores;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        NAMES.len() as u32
    }

    fn max_plies(&self) -> u32 {
        ABOUT.max_plies
    }

    #[inline]
    fn turn(&self, state: &Scores) -> Turn {
        match state {
            _ if state.banked.iter().any(|&score| score >= self.target) || state.moves == LIMIT => Turn::Over,
            _ if state.rolls => Turn::Chance,
            _ => Turn::Player(state.mover),
        }
    }

    #[inline]
    fn legal(&self, state: &Scores) -> Actions {
        match self.turn(state) {
            Turn::Over => Actions::NONE,
            Turn::Chance => (FIRST_FACE..self.actions()).collect(),
            Turn::Player(_) => [ROLL, HOLD].into_iter().collect(),
        }
    }

    #[inline]
    fn apply(&self, state: &mut Scores, action: Action) {
        state.rolls = action == ROLL;
        match action {
            ROLL => state.moves += 1,
            HOLD => {
                state.banked[usize::from(state.mover)] += state.pot;
                state.moves += 1;
                (state.pot, state.mover) = (0, 1 - state.mover);
            }
            FIRST_FACE => (state.pot, state.mover) = (0, 1 - state.mover),
            face => state.pot += face - FIRST_FACE + 1,
        }
    }

    fn returns(&self, state: &Scores) -> [f32; 2] {
        match state.banked.map(|score| score >= self.target) {
            [true, _] => [1.0, -1.0],
            [_, true] => [-1.0, 1.0],
            _ => [0.0; 2],
        }
    }

    fn show(&self, state: &Scores, player: u8) -> String {
        let [own, other] = state.seen(player);
        let whose = if state.mover == player { "you" } else { "opponent" };
        let die = if state.rolls { ", the die is rolling" } else { "" };
        format!(
            "Your score: {own}\nOpponent's score: {other}\nPoints to win: {}\nTurn: {whose}{die}\nPoints of this turn: \
             {}\nRolls and holds so far: {}",
            self.target, state.pot, state.moves
        )
    }

    /// The other's bar above and the player's below, as long as the score; the points of the turn continue the mover's.
    fn draw(&self, state: &Scores, player: u8) -> Picture {
        const WIDTH: u32 = 44;
        let mut picture = Picture::new(3, 6);
        let length = |points: u32| WIDTH * points.min(self.target) / self.target;
        for (row, of, ink) in [(0, 1 - player, Ink::Blue), (2, player, Ink::Red)] {
            let (at, score) = ((2, row * CELL + 1), state.banked[usize::from(of)]);
            picture.rectangle(at, (WIDTH, 6), Ink::Grey);
            if of == state.mover {
                picture.rectangle(at, (length(score + state.pot), 6), Ink::Yellow);
            }
            picture.rectangle(at, (length(score), 6), ink);
            picture.title((24, row * CELL + 4), 4, score.to_string(), Ink::Black);
        }
        let die = if state.rolls { "?" } else { "" };
        picture.title((24, 12), 4, format!("+{}{die} of {}", state.pot, self.target), Ink::Black);
        picture
    }

    fn name_action(&self, action: Action) -> String {
        NAMES[action as usize].to_owned()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let found = NAMES.iter().position(|name| name.eq_ignore_ascii_case(text.trim()));
        found.map(|at| at as Action).ok_or_else(|| Misread::not_a_move(text, "a move is roll or hold"))
    }

    fn why_illegal(&self, _state: &Scores, action: Action) -> String {
        format!("{} is for the die to show, not a move", NAMES[action as usize])
    }

    /// The player's score, the other's, the points of this turn, and the moves made, as shares of their most.
    fn shape(&self) -> Vec<usize> {
        vec![4]
    }

    fn observe(&self, state: &Scores, player: u8, out: &mut [f32]) {
        let [own, other] = state.seen(player);
        let share = |points: u32, most: u32| points.min(most) as f32 / most as f32;
        let points = [own, other, state.pot].map(|points| share(points, self.target));
        out[..3].copy_from_slice(&points);
        out[3] = share(state.moves, LIMIT);
    }
}

impl Game for Die {
    fn plies_left(&self, state: &Scores) -> u32 {
        match self.turn(state) {
            Turn::Over => 0,
            Turn::Chance => 2 * (LIMIT - state.moves),
            Turn::Player(_) => 2 * (LIMIT - state.moves) - 1,
        }
    }

    fn start(&self, _rng: &mut Rng) -> Scores {
        Scores::default()
    }

    fn chance_weights(&self, state: &Scores) -> Vec<u64> {
        match self.turn(state) {
            Turn::Chance => vec![1; 6],
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }

    fn is_announced(&self, action: Action) -> bool {
        action < FIRST_FACE
    }

    fn role_text(&self, player: u8) -> String {
        format!("You are the {} player.", ABOUT.players[usize::from(player)])
    }

    fn rules(&self) -> String {
        format!(
            "Two players take turns with a die. In a turn, a player rolls the die as often as they like. A roll of 2 to 6 \
             adds that many points to those of the turn. A roll of 1 ends the turn, and the player gets nothing for it. A \
             player who holds instead of rolling adds the points of the turn to their score and ends the turn. Whoever \
             holds with {} or more wins at once. If nobody has won after {LIMIT} rolls and holds, the game is a draw. A \
             move is the word roll or the word hold.",
            words::count(self.target, "point")
        )
    }

    fn key(&self, state: &Scores, _player: u8) -> u128 {
        let Scores { banked: [first, second], pot, mover, rolls, moves } = *state;
        [first, second, pot, moves, u32::from(mover) << 1 | u32::from(rolls)]
            .into_iter()
            .fold(0, |key, part| key << 16 | u128::from(part))
    }

    /// The moves made don't count, nor do more points than are needed to win.
    fn value_key(&self, state: &Scores) -> u128 {
        let needed = self.target.saturating_sub(state.seen(state.mover)[0]);
        self.key(&Scores { moves: 0, pot: state.pot.min(needed), ..*state }, 0)
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.target > 50).then_some("with a target above 50, the means of all positions take seconds")
    }

    fn solves_instantly(&self) -> bool {
        self.target <= 20
    }

    fn solves_quickly(&self, state: &Scores) -> bool {
        self.solves_instantly() && state.moves + ENOUGH <= LIMIT
    }

    fn values(&self, state: &Scores, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        if state.moves + ENOUGH > LIMIT {
            return Err(Unsolved::Never("so near to the limit of moves, means depend on it"));
        }
        self.means.values(self, state, budget)
    }

    /// Near the limit of moves, those that are best without one.
    fn best(
        &self,
        state: &Scores,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(best_of(&self.means.values(self, state, budget)?, optimality))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn die(target: u32) -> Die {
        Pig.game(&PigParams { target })
    }

    fn best(die: &Die, state: &Scores) -> f64 {
        let values = die.values(state, &mut Budget::unlimited()).unwrap();
        values.iter().map(|(_, value)| value.mean).fold(-1.0, f64::max)
    }

    /// Computed before, by value iteration of each pair of scores.
    #[test]
    fn first_players_win_as_often_as_is_known() {
        for (target, known) in [(5, 0.7970), (10, 0.7094), (15, 0.6538), (20, 0.6156)] {
            let wins = f64::midpoint(1.0, best(&die(target), &Scores::default()));
            assert!((wins - known).abs() < 5e-5, "to {target}: {wins}");
        }
        let declared = f64::from(ABOUT.value.unwrap());
        assert!((best(&die(20), &Scores::default()) - declared).abs() < 1e-7);
    }

    /// Every mean is that of its best move, a roll's is the average of what follows it, and a hold's what it leaves.
    #[test]
    fn means_solve_their_equations() {
        let die = die(15);
        let mut state = Scores::default();
        for (first, second, pot) in [(0, 0, 0), (3, 9, 4), (14, 14, 0), (0, 14, 12), (10, 2, 11)] {
            (state.banked, state.pot) = ([first, second], pot);
            let values = die.values(&state, &mut Budget::unlimited()).unwrap();
            let after = |actions: &[Action]| {
                let mut next = state;
                for &action in actions {
                    die.apply(&mut next, action);
                }
                match die.turn(&next) {
                    Turn::Over => f64::from(die.returns(&next)[0]),
                    Turn::Player(0) => best(&die, &next),
                    _ => -best(&die, &next),
                }
            };
            let roll = (FIRST_FACE..8).map(|face| after(&[ROLL, face])).sum::<f64>() / 6.0;
            for (action, mean) in [(0, roll), (1, after(&[HOLD]))] {
                let is = values[action].1.mean;
                assert!((is - mean).abs() < 2e-12, "{state:?}: {is} is not {mean}");
            }
        }
    }

    #[test]
    fn a_game_without_end_is_a_draw_and_its_end_is_not_valued() {
        let die = die(20);
        let mut state = Scores::default();
        for moves in 0..LIMIT {
            assert_eq!(die.turn(&state), Turn::Player(u8::from(moves % 2 == 1)));
            assert_eq!(die.values(&state, &mut Budget::unlimited()).is_ok(), moves + ENOUGH <= LIMIT);
            let best = die.best(&state, Optimality::Wdl, &mut Budget::unlimited()).unwrap();
            // With the last move, nothing counts.
            assert!(
                best == Actions::only(ROLL) || moves + 1 == LIMIT && best.len() == 2,
                "{moves}: {best:?}"
            );
            die.apply(&mut state, HOLD);
        }
        assert_eq!((die.turn(&state), die.returns(&state)), (Turn::Over, [0.0; 2]));
    }
}
