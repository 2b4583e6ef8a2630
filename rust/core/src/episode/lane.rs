//! One lane: an episode after another, and what a step does to it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::dialogue::Refused;
use super::setup::{Illegal, Reward, Seat, Setup};
use crate::actions::Actions;
use crate::error::Error;
use crate::game::{Game, GameState, Match, Opening, Unsolved, Variant};
use crate::opponent::{Luck, ways_left, wins};
use crate::play::{Action, Turn};
use crate::solver::limit::{Limit, Unfinished};

/// What exact values say of an action.
#[expect(clippy::struct_excessive_bools, reason = "each is a label of its own")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// The value given away, in units of the outcome: 0, 1 or 2.
    pub regret: f32,
    /// Whether there was no other legal action.
    pub forced: bool,
    pub missed_win: bool,
    pub missed_block: bool,
    pub allowed_fork: bool,
}

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// What the learner got, unless it used up its turns.
    pub result: Option<f32>,
    pub winner: Option<u8>,
    pub status: Status,
    /// The learner's turns.
    pub turns: u32,
    /// Its invalid ones.
    pub invalid: u32,
    /// All the learner and the opponent gave away, where steps are analyzed.
    pub regrets: [f32; 2],
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub reward: f64,
    pub terminated: bool,
    /// The learner used up its turns.
    pub truncated: bool,
    /// The action was not legal, or no action was said.
    pub invalid: bool,
    pub analysis: Option<Analysis>,
    /// Set by the last step of an episode.
    pub end: Option<End>,
}

impl Step {
    pub(super) fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// What the newest message tells first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The lane has no episode yet, or lost it to a step that was stopped.
    #[default]
    NotBegun,
    Started,
    /// The learner's move was played, and the replies to it.
    Played,
    /// No move was said in the form asked for.
    Unreadable,
    /// The move is not legal.
    Invalid,
    Won,
    Drawn,
    Lost,
    /// The learner used up its turns.
    Cut,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::NotBegun => "not_begun",
            Self::Started => "started",
            Self::Played => "played",
            Self::Unreadable => "unreadable",
            Self::Invalid => "invalid",
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
            Self::Cut => "cut",
        }
    }

    pub(super) fn of(result: f32) -> Self {
        if result > 0.0 {
            Self::Won
        } else if result < 0.0 {
            Self::Lost
        } else {
            Self::Drawn
        }
    }
}

/// Plays for the opponent where the setup names none: told the position, it answers with an action.
pub type OutsideOpponent<'a> = dyn FnMut(Box<dyn GameState>) -> Result<i64, Error> + 'a;

/// Who may keep a step waiting: searches, up to their limit, and an opponent from outside.
pub struct Helpers<'h, 'l> {
    pub limit: Limit<'l>,
    pub opponent: Option<&'h mut OutsideOpponent<'h>>,
}

impl<'l> Helpers<'_, 'l> {
    /// No opponent from outside.
    pub fn within(limit: Limit<'l>) -> Self {
        Self { limit, opponent: None }
    }
}

/// Why a step was stopped.
pub enum Stopped {
    Unsolved(Unsolved),
    /// By the opponent from outside.
    Outside(Box<Error>),
}

impl From<Unsolved> for Stopped {
    fn from(why: Unsolved) -> Self {
        Self::Unsolved(why)
    }
}

impl From<Unfinished> for Stopped {
    fn from(why: Unfinished) -> Self {
        Self::Unsolved(why.into())
    }
}

pub type Finished<T> = Result<T, Stopped>;

/// One episode of a lane after another.
#[derive(Clone)]
pub struct Lane<S> {
    pub seed: u64,
    /// Where the examples come from: the luck of the seed.
    pub source: Luck,
    pub group: u64,
    /// The number of the episode to come.
    pub next: u64,
    pub example: u64,
    pub luck: Luck,
    pub state: S,
    pub moves: Vec<Action>,
    pub seat: u8,
    pub random_move_prob: f64,
    pub turns: u32,
    pub invalid: u32,
    pub well_formed: u32,
    pub status: Status,
    /// Set while `status` is unreadable or invalid, and where such a turn was the last before a cut.
    pub refused: Option<Refused>,
    pub over: bool,
    pub result: Option<f32>,
    /// Where in `moves` the replies to the learner's last move begin.
    pub replies: usize,
    pub start_value: Option<i8>,
    pub regrets: [f32; 2],
}

impl<S> Lane<S> {
    /// The number of the episode in play, unless another seed was given since it began.
    pub fn episode(&self) -> u64 {
        self.next.checked_sub(1).unwrap_or(EPISODES - 1)
    }
}

/// Episodes are numbered below this, so that they fit the int64 arrays of vector environments; the first
/// follows the last.
pub const EPISODES: u64 = 1 << 63;

/// What every lane of a batch shares.
pub struct Rules<'b, G: Game> {
    pub variant: &'b Arc<Variant<G>>,
    pub setup: &'b Setup,
}

impl<G: Game> Clone for Rules<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Rules<'_, G> {}

impl<'b, G: Game> Rules<'b, G> {
    pub fn game(self) -> &'b G {
        &self.variant.game
    }

    /// A lane before its first episode.
    pub fn idle(self) -> Lane<G::State> {
        let start = self.variant.open(0, 0);
        Lane {
            seed: 0,
            source: self.source(0),
            group: 0,
            next: 0,
            example: 0,
            luck: start.luck,
            state: start.state,
            moves: Vec::new(),
            seat: 0,
            random_move_prob: 0.0,
            turns: 0,
            invalid: 0,
            well_formed: 0,
            status: Status::NotBegun,
            refused: None,
            over: true,
            result: None,
            replies: 0,
            start_value: None,
            regrets: [0.0; 2],
        }
    }

    /// What the examples of a seed come from.
    pub fn source(self, seed: u64) -> Luck {
        Luck::from(&mut self.variant.key("episodes", seed).stream(0))
    }

    /// Examples looked at for one in which the learner has a move.
    const ATTEMPTS: u8 = 64;

    pub fn reset(self, lane: &mut Lane<G::State>, help: &mut Helpers<'_, '_>) -> Finished<()> {
        let episode = lane.next;
        lane.next = (episode + 1) % EPISODES;
        // A game that is over before the learner has moved is no episode: another example is drawn.
        for attempt in 0..Self::ATTEMPTS {
            // Examples stay within int64 for the same reason.
            lane.example = lane.source.words(attempt, episode.into()).get(0) >> 1;
            self.begin(lane, episode, help)?;
            if !lane.over {
                break;
            }
        }
        Ok(())
    }

    fn begin(self, lane: &mut Lane<G::State>, episode: u64, help: &mut Helpers<'_, '_>) -> Finished<()> {
        let (luck, drawn) = self.variant.luck(lane.example);
        lane.luck = luck;
        self.variant.open_into(
            lane.example,
            self.setup.opening_plies,
            &lane.luck,
            &mut lane.state,
            &mut lane.moves,
        );
        (lane.seat, lane.random_move_prob) = self.sides(drawn, lane.group, episode);
        lane.turns = 0;
        lane.invalid = 0;
        lane.well_formed = 0;
        lane.status = Status::Started;
        lane.refused = None;
        lane.over = false;
        lane.result = None;
        lane.replies = lane.moves.len();
        lane.regrets = [0.0; 2];
        lane.start_value = None;
        if self.setup.values_matter() {
            let best = self.best_outcome(&lane.state, &mut help.limit)?;
            let mover = self.game().turn(&lane.state);
            let mine = mover == Turn::Player(lane.seat);
            lane.start_value = Some(if mine { best } else { -best });
        }
        self.replies(lane, help)
    }

    /// The learner's seat, and how often the opponent moves at random.
    pub fn sides(self, [side, share]: [u64; 2], group: u64, episode: u64) -> (u8, f64) {
        let setup = self.setup;
        let seat = match setup.seat {
            Seat::First => 0,
            Seat::Second => 1,
            Seat::Random => (side >> 63) as u8,
        };
        let random_move_prob = match (setup.random_move_prob, setup.opponent) {
            (Some((low, high)), _) => {
                const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
                let within = (share >> 11) as f64 * STEP;
                let groups = u64::from(setup.groups);
                let slice = group.wrapping_add(episode) % groups;
                low + (high - low) * ((slice as f64 + within) / groups as f64)
            }
            (None, Some(opponent)) => opponent.random_move_prob,
            (None, None) => 0.0,
        };
        (seat, random_move_prob)
    }

    /// Lets chance and the opponent play until the learner is to move or the game is over.
    fn replies(self, lane: &mut Lane<G::State>, help: &mut Helpers<'_, '_>) -> Finished<()> {
        while !lane.over {
            match self.game().turn(&lane.state) {
                Turn::Player(player) if player == lane.seat => break,
                Turn::Player(_) => {
                    let action = if let Some(mut opponent) = self.setup.opponent {
                        opponent.random_move_prob = lane.random_move_prob;
                        opponent.reply(self.game(), &lane.state, &lane.luck, &mut help.limit)?
                    } else {
                        self.ask(lane, help)?
                    };
                    if self.setup.analyse {
                        lane.regrets[1] += self.regret(&lane.state, action, &mut help.limit)?;
                    }
                    self.apply(lane, action);
                }
                Turn::Chance => unreachable!("chance has acted by itself"),
                Turn::Over => {
                    let result = self.game().returns(&lane.state)[usize::from(lane.seat)];
                    Self::end(lane, result);
                }
            }
        }
        Ok(())
    }

    /// What the opponent from outside plays.
    #[cold]
    fn ask(self, lane: &Lane<G::State>, help: &mut Helpers<'_, '_>) -> Finished<Action> {
        let game = self.variant.about.name;
        let refuse = |message| Stopped::Outside(Box::new(Error::InvalidOpponent { game, message }));
        let Some(opponent) = &mut help.opponent else {
            return Err(refuse("nobody plays for the opponent".to_owned()));
        };
        let answer = opponent(Box::new(self.playing(lane))).map_err(|why| Stopped::Outside(Box::new(why)))?;
        let legal = self.game().legal(&lane.state);
        let action = Action::try_from(answer).ok().filter(|action| legal.contains(*action));
        action.ok_or_else(|| {
            let legal: Vec<_> = legal.iter().collect();
            refuse(format!("the opponent played {answer}, but must play one of {legal:?}"))
        })
    }

    /// The game in progress.
    pub fn playing(self, lane: &Lane<G::State>) -> Match<G> {
        let opening = Opening { seed: lane.example, plies: self.setup.opening_plies, settled: true };
        Match::resumed(self.variant.clone(), opening, lane.luck, lane.state.clone(), lane.moves.clone())
    }

    pub(super) fn apply(self, lane: &mut Lane<G::State>, action: Action) {
        self.game().apply(&mut lane.state, action);
        lane.moves.push(action);
        let moves = &mut lane.moves;
        self.variant.settle(&mut lane.state, &lane.luck, |action| moves.push(action));
    }

    fn end(lane: &mut Lane<G::State>, result: f32) {
        lane.over = true;
        lane.result = Some(result);
        lane.status = Status::of(result);
    }

    /// Plays the learner's action and the replies to it, and writes to a step that is fresh.
    pub fn step(
        self,
        lane: &mut Lane<G::State>,
        action: i64,
        step: &mut Step,
        help: &mut Helpers<'_, '_>,
    ) -> Finished<()> {
        let legal = self.game().legal(&lane.state);
        let Some(played) = Action::try_from(action).ok().filter(|&action| legal.contains(action)) else {
            return self.refuse(lane, Refused::Action(action), step, help);
        };
        lane.turns += 1;
        let mut given_away = 0.0;
        if self.setup.values_matter() {
            let analysis = self.analyse(&lane.state, played, &mut help.limit)?;
            given_away = analysis.regret;
            lane.regrets[0] += given_away;
            step.analysis = Some(analysis);
        }
        lane.status = Status::Played;
        if lane.refused.is_some() {
            lane.refused = None;
        }
        self.apply(lane, played);
        lane.replies = lane.moves.len();
        self.replies(lane, help)?;
        self.conclude(lane, step, given_away);
        Ok(())
    }

    /// Uses up the turn of a learner who made no legal move, and writes to a step that is fresh.
    #[cold]
    pub fn refuse(
        self,
        lane: &mut Lane<G::State>,
        refused: Refused,
        step: &mut Step,
        help: &mut Helpers<'_, '_>,
    ) -> Finished<()> {
        lane.turns += 1;
        lane.invalid += 1;
        lane.replies = lane.moves.len();
        step.invalid = true;
        let status = if refused.is_unreadable() { Status::Unreadable } else { Status::Invalid };
        lane.refused = Some(refused);
        let mut given_away = 0.0;
        match self.setup.illegal {
            Illegal::Lose => {
                if self.setup.values_matter() {
                    // A lost game gives away all there was.
                    given_away = f32::from(self.best_outcome(&lane.state, &mut help.limit)?) + 1.0;
                    lane.regrets[0] += given_away;
                }
                Self::end(lane, -1.0);
            }
            Illegal::Penalty => step.reward = self.setup.invalid_penalty,
        }
        lane.status = status;
        self.conclude(lane, step, given_away);
        Ok(())
    }

    /// Rewards a step, and cuts off an episode whose turns are used up.
    fn conclude(self, lane: &mut Lane<G::State>, step: &mut Step, given_away: f32) {
        step.terminated = lane.over;
        if !lane.over && self.setup.max_turns.is_some_and(|most| lane.turns >= most) {
            step.truncated = true;
            lane.over = true;
            lane.status = Status::Cut;
        }
        step.reward += match self.setup.reward {
            Reward::Outcome => lane.result.map_or(0.0, f64::from),
            Reward::Regret => -f64::from(given_away),
            Reward::LuckFree if step.terminated => {
                let start = lane.start_value.expect("the start was valued");
                f64::from(start) - f64::from(lane.regrets[0])
            }
            Reward::LuckFree => 0.0,
        };
        step.end = lane.over.then(|| End {
            result: lane.result,
            winner: match lane.result {
                Some(result) if result > 0.0 => Some(lane.seat),
                Some(result) if result < 0.0 => Some(1 - lane.seat),
                _ => None,
            },
            status: lane.status,
            turns: lane.turns,
            invalid: lane.invalid,
            regrets: lane.regrets,
        });
    }

    pub fn observe(self, lane: &Lane<G::State>, out: &mut [f32]) {
        self.game().observe(&lane.state, lane.seat, out);
    }

    pub fn mask(self, lane: &Lane<G::State>, out: &mut [i8]) {
        let over = lane.over || self.game().turn(&lane.state) != Turn::Player(lane.seat);
        let legal = if over { Actions::NONE } else { self.game().legal(&lane.state) };
        legal.write(out);
    }
}

/// Exact values.
impl<G: Game> Rules<'_, G> {
    fn best_outcome(self, state: &G::State, limit: &mut Limit<'_>) -> Finished<i8> {
        let outcomes = self.game().outcomes(state, limit)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        Ok(best.expect("the player to move has a move"))
    }

    fn regret(self, state: &G::State, action: Action, limit: &mut Limit<'_>) -> Finished<f32> {
        let outcomes = self.game().outcomes(state, limit)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        let own = outcomes.iter().find(|(other, _)| *other == action);
        let (best, (_, own)) = best.zip(own).expect("the action is legal");
        Ok(f32::from(best - own))
    }

    fn analyse(self, state: &G::State, action: Action, limit: &mut Limit<'_>) -> Finished<Analysis> {
        let game = self.game();
        let mut analysis = Analysis {
            regret: self.regret(state, action, limit)?,
            forced: game.legal(state).len() == 1,
            missed_win: false,
            missed_block: false,
            allowed_fork: false,
        };
        if self.setup.analyse && self.variant.about.tactics && !analysis.forced {
            let winning = wins(game, state);
            analysis.missed_win = !winning.is_empty() && !winning.contains(action);
            if winning.is_empty() {
                let safe: Actions =
                    game.legal(state).iter().filter(|&other| ways_left(game, state, other) == 0).collect();
                analysis.missed_block = !safe.is_empty() && !safe.contains(action);
                // A fork is allowed by a move after which the opponent can make one and another move
                // after which it could not.
                analysis.allowed_fork = safe.contains(action)
                    && self.forks(state, action)
                    && safe.iter().any(|other| !self.forks(state, other));
            }
        }
        Ok(analysis)
    }

    /// Whether the opponent, after a move, has a reply that wins on its next turn whatever is played.
    fn forks(self, state: &G::State, action: Action) -> bool {
        let game = self.game();
        let mut after = state.clone();
        game.apply(&mut after, action);
        game.legal(&after).iter().any(|reply| {
            let mut then = after.clone();
            game.apply(&mut then, reply);
            game.turn(&then) == game.turn(state)
                && wins(game, &then).is_empty()
                && game.legal(&then).iter().all(|answer| ways_left(game, &then, answer) > 0)
        })
    }
}
