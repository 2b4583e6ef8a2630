//! Episodes against an opponent, many side by side: what one step of an environment does.
//!
//! A single environment is one lane, a vector environment many, so both give the same stream.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::actions::Actions;
use crate::error::Error;
use crate::game::{AnyGame, Game, GameState, MOST_OPENING_PLIES, Match, Opening, Variant};
use crate::opponent::{Luck, Opponent, Pick, ways_left, wins};
use crate::play::{Action, Turn};
use crate::pool;
use crate::solver::limit::Limit;
use crate::task::answer::{self, Reading};

/// Which player the learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    First,
    Second,
    /// Either, with equal chance, drawn for each episode.
    Random,
}

/// What an illegal action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// It loses the game.
    Lose,
    /// It costs the penalty and uses up the turn; the board stays.
    Penalty,
}

/// What a step is rewarded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// What the game returns, once it is over.
    Outcome,
    /// At every step minus the value the action gave away.
    Regret,
    /// Once the game is over the value of the start less all that was given away.
    LuckFree,
}

/// How moves said in text are read and rewarded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Talk {
    /// Whether a message must begin with reasoning in `<think>` tags to be in the right form.
    pub thinks: bool,
    /// Weight of the outcome: 1 for a win, 0.5 for a draw, 0 for a loss or a game cut off.
    pub outcome: f64,
    /// Weight of the share of messages in the right form.
    pub format: f64,
    /// Added once if any move was invalid.
    pub invalid: f64,
    /// Whether it is added for each invalid move instead.
    pub each_invalid: bool,
}

impl Default for Talk {
    fn default() -> Self {
        Self { thinks: false, outcome: 1.0, format: 0.2, invalid: -0.1, each_invalid: false }
    }
}

/// What a game played in text earned, by part, before weighing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// 1, 0.5 or 0; with another reward than the outcome, that reward.
    pub outcome: f64,
    /// The share of messages in the right form.
    pub format: f64,
    /// How often the penalty for invalid moves is due.
    pub invalid: f64,
}

/// Everything about episodes but the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Who replies; without one the caller does.
    pub opponent: Option<Opponent>,
    /// The range the opponent's `random_move_prob` is drawn from for each episode, if it is.
    pub random_move_prob: Option<(f64, f64)>,
    /// The range is cut into this many slices, and episodes take turns among them.
    pub groups: u32,
    pub seat: Seat,
    pub illegal: Illegal,
    pub invalid_penalty: f64,
    /// The learner's turns after which an episode is cut off.
    pub max_turns: Option<u32>,
    /// Random moves made before the players begin.
    pub opening_plies: u32,
    pub reward: Reward,
    /// Whether every step says what the action gave away.
    pub analyse: bool,
    pub talk: Talk,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            opponent: Some(Opponent::new(Pick::Random)),
            random_move_prob: None,
            groups: 1,
            seat: Seat::Random,
            illegal: Illegal::Lose,
            invalid_penalty: -0.1,
            max_turns: None,
            opening_plies: 0,
            reward: Reward::Outcome,
            analyse: false,
            talk: Talk::default(),
        }
    }
}

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
    /// All the learner and the opponent gave away, where steps are analysed.
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
    fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// When the lanes of a batch that are over begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// By the next step, which ignores its action.
    NextStep,
    /// By the step that ended them.
    SameStep,
    /// Only when the caller says so.
    Disabled,
}

/// What a step of all lanes writes, a row for each lane.
pub struct Columns<'a> {
    pub observations: &'a mut [f32],
    pub masks: &'a mut [i8],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub steps: &'a mut [Step],
    /// What the learner saw last in the lanes that ended and began anew; other rows stay as they are.
    pub last_observations: &'a mut [f32],
}

/// What the newest message tells first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Started,
    /// The learner's move was played, and the replies to it.
    Played,
    /// No move was said in the form asked for.
    Unreadable,
    /// The move said is not legal.
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
}

/// Facts about a lane's episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The seed of the episode's start and luck, below 2^63.
    pub example: u64,
    /// Which episode of the lane it is.
    pub episode: u64,
    /// The player the learner is.
    pub seat: u8,
    pub random_move_prob: f64,
    /// The learner's turns so far.
    pub turns: u32,
    /// Its invalid ones.
    pub invalid: u32,
    /// Its turns said in the right form, where moves are said.
    pub well_formed: u32,
    pub status: Status,
    pub over: bool,
    /// What the learner got, once it is over.
    pub result: Option<f32>,
    /// What was played since the learner's last move, chance included.
    pub replies: Vec<Action>,
    /// The value of the start to the learner, where steps are analysed.
    pub start_value: Option<i8>,
    /// All the learner and the opponent gave away so far, where steps are analysed.
    pub regrets: [f32; 2],
}

/// How a lane's episode began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beginning {
    pub seat: u8,
    /// The seed of the episode's start and luck, below 2^63.
    pub example: u64,
    /// Which episode of the lane it is.
    pub episode: u64,
    pub random_move_prob: f64,
    /// The value of the start to the learner, where steps are analysed.
    pub start_value: Option<i8>,
}

/// A text that says a move, as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub action: Option<Action>,
    /// Whether it has the form asked for.
    pub well_formed: bool,
}

/// The tag a move stands in.
pub const MOVE_TAG: &str = "move";

/// Reads a move out of a message: the one `<move>` tag outside reasoning and, if `thinks`, reasoning
/// before it.
pub fn read_move(text: &str, thinks: bool, read: impl Fn(&str) -> Result<Action, String>) -> Said {
    let reply = answer::read(text, MOVE_TAG, Reading::Strict);
    let answer = reply.answer.filter(|_| reply.faults.is_empty());
    let thought = || {
        let text = text.trim_start();
        text.starts_with("<think>") && text.contains("</think>")
    };
    Said {
        action: answer.and_then(|answer| read(answer).ok()),
        well_formed: answer.is_some() && (!thinks || thought()),
    }
}

/// Episodes of one game, with its type erased. A lane that is over must be reset before it steps.
pub trait Episodes: Send + Sync {
    fn count(&self) -> usize;
    fn game(&self) -> Arc<dyn AnyGame>;
    fn setup(&self) -> &Setup;
    /// The lane's next episodes come from this seed, counted from `episode`. Lanes whose `group` differ
    /// by one take neighbouring slices.
    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64);
    /// Begins the lane's next episode.
    fn reset(&mut self, lane: usize, limit: &mut Limit<'_>) -> Result<(), Error>;
    /// Plays the learner's action and the replies to it. Any number may come; below 0 means that no
    /// move was said in the form asked for.
    fn step(&mut self, lane: usize, action: i64, limit: &mut Limit<'_>) -> Result<Step, Error>;
    /// Plays the move a message says, and rewards it as [`Talk`] says. Any text may come.
    fn say(&mut self, lane: usize, text: &str, limit: &mut Limit<'_>) -> Result<Step, Error>;
    /// What the lane's game has earned in text.
    fn parts(&self, lane: usize) -> Parts;
    /// Whether the caller is to play for the opponent now.
    fn awaits_reply(&self, lane: usize) -> bool;
    /// Plays a legal action for the opponent. `said` tells whether the learner's moves are said, and so
    /// rewarded as [`Talk`] says.
    fn reply(
        &mut self,
        lane: usize,
        action: Action,
        said: bool,
        limit: &mut Limit<'_>,
    ) -> Result<Step, Error>;
    /// Steps every lane, and lets those that are over begin anew as `when` says.
    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        limit: &Limit<'_>,
    ) -> Result<(), Error>;
    /// Writes what the learner sees.
    fn observe(&self, lane: usize, out: &mut [f32]);
    /// Writes 1 for every action the learner may take, else 0; all 0 once the lane is over.
    fn mask(&self, lane: usize, out: &mut [i8]);
    fn is_over(&self, lane: usize) -> bool;
    fn facts(&self, lane: usize) -> Facts;
    fn beginning(&self, lane: usize) -> Beginning;
    /// What a language model is told.
    fn message(&self, lane: usize) -> String;
    /// The game in progress, for whatever else a caller wants to know.
    fn state(&self, lane: usize) -> Box<dyn GameState>;
    fn boxed_clone(&self) -> Box<dyn Episodes>;
    /// All that decides what the lanes do next, as JSON.
    fn save(&self) -> Vec<u8>;
    /// Goes on from what [`Episodes::save`] wrote, whoever wrote it. Nothing changes if it is refused.
    fn restore(&mut self, saved: &[u8]) -> Result<(), Error>;
}

/// What is written of a lane.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    seed: u64,
    group: u64,
    next: u64,
    example: u64,
    moves: Vec<Action>,
    turns: u32,
    invalid: u32,
    well_formed: u32,
    status: Status,
    over: bool,
    result: Option<f32>,
    replies: usize,
    start_value: Option<i8>,
    regrets: [f32; 2],
}

/// One episode of a lane after another.
#[derive(Clone)]
struct Lane<S> {
    seed: u64,
    /// Where the examples come from: the luck of the seed.
    source: Luck,
    group: u64,
    /// The number of the episode to come.
    next: u64,
    example: u64,
    luck: Luck,
    state: S,
    moves: Vec<Action>,
    seat: u8,
    random_move_prob: f64,
    turns: u32,
    invalid: u32,
    well_formed: u32,
    status: Status,
    over: bool,
    result: Option<f32>,
    /// Where in `moves` the replies to the learner's last move begin.
    replies: usize,
    start_value: Option<i8>,
    regrets: [f32; 2],
}

/// The lanes of one game.
pub struct Lanes<G: Game> {
    variant: Arc<Variant<G>>,
    setup: Setup,
    each: Vec<Lane<G::State>>,
}

/// Lanes a thread takes at a time; fewer are stepped on the caller's own.
const CHUNK: usize = 256;

impl<G: Game> Lanes<G> {
    pub fn new(variant: Arc<Variant<G>>, count: usize, setup: Setup) -> Result<Self, Error> {
        setup.check(variant.as_ref())?;
        let rules = Rules { variant: variant.as_ref(), setup: &setup };
        let source = rules.source(0);
        let start = variant.open(0, 0);
        let lane = Lane {
            seed: 0,
            source,
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
            status: Status::Started,
            over: true,
            result: None,
            replies: 0,
            start_value: None,
            regrets: [0.0; 2],
        };
        Ok(Self { variant, setup, each: vec![lane; count] })
    }

    fn rules(&self) -> Rules<'_, G> {
        Rules { variant: &self.variant, setup: &self.setup }
    }
}

/// What every lane of a batch shares.
struct Rules<'b, G: Game> {
    variant: &'b Variant<G>,
    setup: &'b Setup,
}

impl<G: Game> Clone for Rules<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Rules<'_, G> {}

type Lost<T> = Result<T, crate::game::Unsolved>;

impl<G: Game> Rules<'_, G> {
    fn game(&self) -> &G {
        &self.variant.game
    }

    /// What the examples of a seed come from.
    fn source(self, seed: u64) -> Luck {
        Luck::from(&mut self.variant.key("episodes", seed).stream(0))
    }

    /// A lane as it was saved; the message says what is wrong with it.
    fn restored(self, saved: &Saved) -> Result<Lane<G::State>, String> {
        let game = self.game();
        let opened = self.variant.open(saved.example, self.setup.opening_plies);
        let (mut state, mut moves) = (opened.state, opened.moves);
        if !saved.moves.starts_with(&moves) {
            return Err("`moves` do not begin with the opening of `example`".to_owned());
        }
        while moves.len() < saved.moves.len() {
            let action = saved.moves[moves.len()];
            if !game.legal(&state).contains(action) {
                return Err(format!("`moves` has {action} where it is not legal"));
            }
            game.apply(&mut state, action);
            moves.push(action);
            self.variant.settle(&mut state, &opened.luck, |action| moves.push(action));
        }
        if moves != saved.moves || saved.replies > moves.len() {
            return Err("`moves` and `replies` do not belong together".to_owned());
        }
        if !saved.over && game.turn(&state) == Turn::Over {
            return Err("`over` is false, but the game is over".to_owned());
        }
        if saved.start_value.is_none() && self.values_matter() {
            return Err("`start_value` is missing".to_owned());
        }
        let episode = saved.next.wrapping_sub(1);
        let (seat, random_move_prob) = self.sides(self.variant.luck(saved.example).1, saved.group, episode);
        Ok(Lane {
            seed: saved.seed,
            source: self.source(saved.seed),
            group: saved.group,
            next: saved.next,
            example: saved.example,
            luck: opened.luck,
            state,
            moves,
            seat,
            random_move_prob,
            turns: saved.turns,
            invalid: saved.invalid,
            well_formed: saved.well_formed,
            status: saved.status,
            over: saved.over,
            result: saved.result,
            replies: saved.replies,
            start_value: saved.start_value,
            regrets: saved.regrets,
        })
    }

    fn parts(self, lane: &Lane<G::State>, reward: f64) -> Parts {
        let outcome = match self.setup.reward {
            Reward::Outcome => {
                lane.result.map_or(0.0, |result| f64::from(result.clamp(-1.0, 1.0)).midpoint(1.0))
            }
            Reward::Regret | Reward::LuckFree => reward,
        };
        let invalid = if self.setup.talk.each_invalid {
            f64::from(lane.invalid)
        } else {
            f64::from(lane.invalid.min(1))
        };
        Parts {
            outcome: if lane.over { outcome } else { 0.0 },
            format: f64::from(lane.well_formed) / f64::from(lane.turns.max(1)),
            invalid,
        }
    }

    /// Weighs what a game played in text earned: all of it at the end, but for regret, at each step.
    fn weigh(self, lane: &Lane<G::State>, step: &mut Step) {
        let talk = self.setup.talk;
        let parts = self.parts(lane, step.reward);
        step.reward = match self.setup.reward {
            Reward::Regret => talk.outcome * step.reward,
            Reward::Outcome | Reward::LuckFree => talk.outcome * parts.outcome,
        };
        if step.is_last() {
            step.reward += talk.format * parts.format + talk.invalid * parts.invalid;
        }
    }

    /// Whether exact values are asked for at every step.
    fn values_matter(&self) -> bool {
        self.setup.analyse || self.setup.reward != Reward::Outcome
    }

    /// Examples looked at for one in which the learner has a move.
    const ATTEMPTS: u8 = 64;

    fn reset(self, lane: &mut Lane<G::State>, limit: &mut Limit<'_>) -> Lost<()> {
        let episode = lane.next;
        lane.next = episode.wrapping_add(1);
        // A game that is over before the learner has moved is no episode: another example is drawn.
        for attempt in 0..Self::ATTEMPTS {
            // Examples stay within int64, so that they fit the arrays vector environments put them in.
            lane.example = lane.source.words(attempt, episode.into()).get(0) >> 1;
            self.begin(lane, episode, limit)?;
            if !lane.over {
                break;
            }
        }
        Ok(())
    }

    fn begin(self, lane: &mut Lane<G::State>, episode: u64, limit: &mut Limit<'_>) -> Lost<()> {
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
        lane.over = false;
        lane.result = None;
        lane.replies = lane.moves.len();
        lane.regrets = [0.0; 2];
        lane.start_value = None;
        if self.values_matter() {
            let best = self.best_outcome(&lane.state, limit)?;
            let mover = self.game().turn(&lane.state);
            let mine = mover == Turn::Player(lane.seat);
            lane.start_value = Some(if mine { best } else { -best });
        }
        self.replies(lane, limit)
    }

    /// The learner's seat, and how often the opponent moves at random.
    fn sides(self, [side, share]: [u64; 2], group: u64, episode: u64) -> (u8, f64) {
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

    fn best_outcome(self, state: &G::State, limit: &mut Limit<'_>) -> Lost<i8> {
        let outcomes = self.game().outcomes(state, limit)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        Ok(best.expect("the player to move has a move"))
    }

    fn regret(self, state: &G::State, action: Action, limit: &mut Limit<'_>) -> Lost<f32> {
        let outcomes = self.game().outcomes(state, limit)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        let own = outcomes.iter().find(|(other, _)| *other == action);
        let (best, (_, own)) = best.zip(own).expect("the action is legal");
        Ok(f32::from(best - own))
    }

    fn analyse(self, state: &G::State, action: Action, limit: &mut Limit<'_>) -> Lost<Analysis> {
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

    /// Lets chance and the opponent play until the learner is to move or the game is over.
    fn replies(self, lane: &mut Lane<G::State>, limit: &mut Limit<'_>) -> Lost<()> {
        while !lane.over {
            match self.game().turn(&lane.state) {
                Turn::Player(player) if player == lane.seat => break,
                Turn::Player(_) => {
                    let Some(mut opponent) = self.setup.opponent else {
                        break;
                    };
                    opponent.random_move_prob = lane.random_move_prob;
                    let action = opponent.reply(self.game(), &lane.state, &lane.luck, limit)?;
                    self.opponent_plays(lane, action, limit)?;
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

    fn opponent_plays(self, lane: &mut Lane<G::State>, action: Action, limit: &mut Limit<'_>) -> Lost<()> {
        if self.setup.analyse {
            lane.regrets[1] += self.regret(&lane.state, action, limit)?;
        }
        self.apply(lane, action);
        Ok(())
    }

    fn apply(self, lane: &mut Lane<G::State>, action: Action) {
        self.game().apply(&mut lane.state, action);
        lane.moves.push(action);
        let moves = &mut lane.moves;
        self.variant.settle(&mut lane.state, &lane.luck, |action| moves.push(action));
    }

    fn end(lane: &mut Lane<G::State>, result: f32) {
        lane.over = true;
        lane.result = Some(result);
        lane.status = if result > 0.0 {
            Status::Won
        } else if result < 0.0 {
            Status::Lost
        } else {
            Status::Drawn
        };
    }

    /// Writes to a step that is fresh.
    fn step(
        self,
        lane: &mut Lane<G::State>,
        action: i64,
        step: &mut Step,
        limit: &mut Limit<'_>,
    ) -> Lost<()> {
        let setup = self.setup;
        let legal = self.game().legal(&lane.state);
        let played = Action::try_from(action).ok().filter(|&action| legal.contains(action));
        lane.turns += 1;
        let Some(action) = played else {
            step.invalid = true;
            lane.invalid += 1;
            lane.status = if action < 0 { Status::Unreadable } else { Status::Invalid };
            lane.replies = lane.moves.len();
            let mut given_away = 0.0;
            match setup.illegal {
                Illegal::Lose => {
                    let status = lane.status;
                    if self.values_matter() {
                        // A lost game gives away all there was.
                        given_away = f32::from(self.best_outcome(&lane.state, limit)?) + 1.0;
                        lane.regrets[0] += given_away;
                    }
                    Self::end(lane, -1.0);
                    lane.status = status;
                }
                Illegal::Penalty => step.reward = setup.invalid_penalty,
            }
            self.conclude(lane, step, given_away);
            return Ok(());
        };
        let mut given_away = 0.0;
        if self.values_matter() {
            let analysis = self.analyse(&lane.state, action, limit)?;
            given_away = analysis.regret;
            lane.regrets[0] += given_away;
            step.analysis = Some(analysis);
        }
        lane.status = Status::Played;
        self.apply(lane, action);
        lane.replies = lane.moves.len();
        self.replies(lane, limit)?;
        self.conclude(lane, step, given_away);
        Ok(())
    }

    /// Rewards a step once it is known whether it was the last.
    fn conclude(self, lane: &mut Lane<G::State>, step: &mut Step, given_away: f32) {
        step.terminated = lane.over;
        // Turns are counted once they are complete, replies and all.
        let complete = lane.over || self.game().turn(&lane.state) == Turn::Player(lane.seat);
        if !lane.over && complete && self.setup.max_turns.is_some_and(|most| lane.turns >= most) {
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

    fn observe(self, lane: &Lane<G::State>, out: &mut [f32]) {
        self.game().observe(&lane.state, lane.seat, out);
    }

    fn mask(self, lane: &Lane<G::State>, out: &mut [i8]) {
        let over = lane.over || self.game().turn(&lane.state) != Turn::Player(lane.seat);
        let legal = if over { Actions::NONE } else { self.game().legal(&lane.state) };
        legal.write(out);
    }
}

impl Setup {
    fn check(&self, game: &dyn AnyGame) -> Result<(), Error> {
        let name = game.about().name;
        let invalid = |message: String| Error::InvalidOpponent { game: name, message };
        if let Some(opponent) = &self.opponent {
            opponent.check(game)?;
        }
        if let Some((low, high)) = self.random_move_prob
            && !(0.0 <= low && low <= high && high <= 1.0)
        {
            return Err(invalid(format!(
                "`min_random_move_prob` is {low} and `max_random_move_prob` is {high}, but must be \
                 between 0 and 1, the smaller first"
            )));
        }
        if self.groups == 0 {
            return Err(invalid("`num_groups` is 0, but must be at least 1".to_owned()));
        }
        if self.max_turns == Some(0) {
            return Err(invalid("`max_turns` is 0, but must be at least 1".to_owned()));
        }
        if self.opening_plies > MOST_OPENING_PLIES {
            let plies = self.opening_plies;
            return Err(invalid(format!(
                "`opening_plies` is {plies}, but must be between 0 and {MOST_OPENING_PLIES}"
            )));
        }
        if self.analyse || self.reward != Reward::Outcome {
            if game.about().hidden {
                return Err(invalid(
                    "a game of hidden information has no exact values to measure regret by".to_owned(),
                ));
            }
            if let Some(why) = game.too_deep() {
                return Err(invalid(format!("regret needs exact values, but {why}")));
            }
        }
        Ok(())
    }
}

impl<G: Game> Episodes for Lanes<G> {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn game(&self) -> Arc<dyn AnyGame> {
        self.variant.clone()
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64) {
        let source = self.rules().source(seed);
        let lane = &mut self.each[lane];
        (lane.seed, lane.source) = (seed, source);
        (lane.group, lane.next) = (group, episode);
    }

    fn reset(&mut self, lane: usize, limit: &mut Limit<'_>) -> Result<(), Error> {
        let rules = Rules { variant: &self.variant, setup: &self.setup };
        let result = rules.reset(&mut self.each[lane], limit);
        result.map_err(|why| Error::unsolved(self.variant.about.name, &why))
    }

    fn step(&mut self, lane: usize, action: i64, limit: &mut Limit<'_>) -> Result<Step, Error> {
        let rules = Rules { variant: &self.variant, setup: &self.setup };
        let mut step = Step::default();
        let result = rules.step(&mut self.each[lane], action, &mut step, limit);
        result.map_err(|why| Error::unsolved(self.variant.about.name, &why))?;
        Ok(step)
    }

    fn say(&mut self, lane: usize, text: &str, limit: &mut Limit<'_>) -> Result<Step, Error> {
        let (game, state) = (&self.variant.game, &self.each[lane].state);
        let said = read_move(text, self.setup.talk.thinks, |answer| game.read_move(state, answer));
        self.each[lane].well_formed += u32::from(said.well_formed);
        let action = match said.action {
            Some(action) => i64::from(action),
            // In the right form, but no move of this game.
            None if said.well_formed => i64::MAX,
            None => -1,
        };
        let mut step = self.step(lane, action, limit)?;
        let penalty = if step.invalid && !step.terminated { self.setup.invalid_penalty } else { 0.0 };
        step.reward -= penalty;
        self.rules().weigh(&self.each[lane], &mut step);
        Ok(step)
    }

    fn parts(&self, lane: usize) -> Parts {
        let lane = &self.each[lane];
        let reward = match (self.setup.reward, lane.start_value) {
            (Reward::LuckFree, Some(start)) => f64::from(start) - f64::from(lane.regrets[0]),
            _ => -f64::from(lane.regrets[0]),
        };
        self.rules().parts(lane, reward)
    }

    fn awaits_reply(&self, lane: usize) -> bool {
        let lane = &self.each[lane];
        !lane.over && self.variant.game.turn(&lane.state) != Turn::Player(lane.seat)
    }

    fn reply(
        &mut self,
        lane: usize,
        action: Action,
        said: bool,
        limit: &mut Limit<'_>,
    ) -> Result<Step, Error> {
        let rules = Rules { variant: &self.variant, setup: &self.setup };
        let lane = &mut self.each[lane];
        let played = rules.opponent_plays(lane, action, limit).and_then(|()| rules.replies(lane, limit));
        played.map_err(|why| Error::unsolved(self.variant.about.name, &why))?;
        let mut step = Step::default();
        rules.conclude(lane, &mut step, 0.0);
        if said {
            rules.weigh(lane, &mut step);
        }
        Ok(step)
    }

    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        limit: &Limit<'_>,
    ) -> Result<(), Error> {
        let rules = Rules { variant: self.variant.as_ref(), setup: &self.setup };
        let cells: usize = rules.game().shape().iter().product();
        let count = rules.game().actions() as usize;
        let work = |(((lanes, actions), (seen, last)), (masks, (rewards, (ended, (cut, steps))))): Chunk<
            '_,
            G::State,
        >|
         -> Lost<()> {
            let mut limit = limit.within(u64::MAX);
            for (at, lane) in lanes.iter_mut().enumerate() {
                let seen = &mut seen[at * cells..(at + 1) * cells];
                let step = &mut steps[at];
                *step = Step::default();
                if !lane.over {
                    rules.step(lane, actions[at], step, &mut limit)?;
                    if step.is_last() && when == Autoreset::SameStep {
                        rules.observe(lane, &mut last[at * cells..(at + 1) * cells]);
                        rules.reset(lane, &mut limit)?;
                    }
                } else if when == Autoreset::NextStep {
                    rules.reset(lane, &mut limit)?;
                }
                rules.observe(lane, seen);
                rules.mask(lane, &mut masks[at * count..(at + 1) * count]);
                rewards[at] = step.reward;
                ended[at] = step.terminated;
                cut[at] = step.truncated;
            }
            Ok(())
        };
        let unsolved = |why| Error::unsolved(self.variant.about.name, &why);
        if self.each.len() <= CHUNK || pool::threads() == 1 {
            let whole = (
                ((self.each.as_mut_slice(), actions), (&mut *out.observations, &mut *out.last_observations)),
                (
                    &mut *out.masks,
                    (&mut *out.rewards, (&mut *out.terminated, (&mut *out.truncated, &mut *out.steps))),
                ),
            );
            return work(whole).map_err(unsolved);
        }
        let chunks = (self.each.par_chunks_mut(CHUNK).zip(actions.par_chunks(CHUNK)))
            .zip(
                out.observations
                    .par_chunks_mut(CHUNK * cells)
                    .zip(out.last_observations.par_chunks_mut(CHUNK * cells)),
            )
            .zip(
                out.masks.par_chunks_mut(CHUNK * count).zip(
                    out.rewards.par_chunks_mut(CHUNK).zip(
                        out.terminated
                            .par_chunks_mut(CHUNK)
                            .zip(out.truncated.par_chunks_mut(CHUNK).zip(out.steps.par_chunks_mut(CHUNK))),
                    ),
                ),
            );
        pool::run(|| chunks.try_for_each(work)).map_err(unsolved)
    }

    fn observe(&self, lane: usize, out: &mut [f32]) {
        self.rules().observe(&self.each[lane], out);
    }

    fn mask(&self, lane: usize, out: &mut [i8]) {
        self.rules().mask(&self.each[lane], out);
    }

    fn is_over(&self, lane: usize) -> bool {
        self.each[lane].over
    }

    fn beginning(&self, lane: usize) -> Beginning {
        let lane = &self.each[lane];
        Beginning {
            seat: lane.seat,
            example: lane.example,
            episode: lane.next.wrapping_sub(1),
            random_move_prob: lane.random_move_prob,
            start_value: lane.start_value,
        }
    }

    fn facts(&self, lane: usize) -> Facts {
        let lane = &self.each[lane];
        Facts {
            example: lane.example,
            episode: lane.next.wrapping_sub(1),
            seat: lane.seat,
            random_move_prob: lane.random_move_prob,
            turns: lane.turns,
            invalid: lane.invalid,
            well_formed: lane.well_formed,
            status: lane.status,
            over: lane.over,
            result: lane.result,
            replies: lane.moves[lane.replies..].to_vec(),
            start_value: lane.start_value,
            regrets: lane.regrets,
        }
    }

    fn message(&self, lane: usize) -> String {
        let lane = &self.each[lane];
        let (game, names) = (&self.variant.game, &self.variant.names);
        let replies = &lane.moves[lane.replies..];
        let list = |text: &mut String, actions: &mut dyn Iterator<Item = Action>| {
            for (at, action) in actions.enumerate() {
                if at > 0 {
                    text.push_str(", ");
                }
                text.push_str(&names[action as usize]);
            }
        };
        let mut text = String::with_capacity(512);
        if lane.status == Status::Started {
            text.push_str("The game has started. ");
            text.push_str(&game.you(lane.seat));
            text.push(' ');
        }
        if !matches!(lane.status, Status::Unreadable | Status::Invalid | Status::Cut) && !replies.is_empty() {
            text.push_str("The opponent played ");
            list(&mut text, &mut replies.iter().copied());
            text.push_str(". ");
        }
        text.push_str(match lane.status {
            Status::Started if replies.is_empty() => "You move first.",
            Status::Started | Status::Played => "",
            Status::Unreadable => "There is no move in <move> tags.",
            Status::Invalid => "That move is not legal.",
            Status::Won => "You won.",
            Status::Drawn => "The game is a draw.",
            Status::Lost => "You lost.",
            Status::Cut => "You have used up your turns.",
        });
        if lane.over && matches!(lane.status, Status::Unreadable | Status::Invalid) {
            text.push_str(" You lost.");
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        text.push_str(&game.show(&lane.state, lane.seat));
        if !lane.over {
            text.push_str("\n\nAvailable ");
            text.push_str(self.variant.about.moves);
            text.push_str(": [");
            list(&mut text, &mut game.legal(&lane.state).iter());
            text.push_str("]\n\nYour turn.");
        }
        text
    }

    fn state(&self, lane: usize) -> Box<dyn GameState> {
        let lane = &self.each[lane];
        let opening = Opening { seed: lane.example, plies: self.setup.opening_plies, settled: true };
        let variant = self.variant.clone();
        Box::new(Match::resumed(variant, opening, lane.luck, lane.state.clone(), lane.moves.clone()))
    }

    fn save(&self) -> Vec<u8> {
        let saved: Vec<Saved> = self
            .each
            .iter()
            .map(|lane| Saved {
                seed: lane.seed,
                group: lane.group,
                next: lane.next,
                example: lane.example,
                moves: lane.moves.clone(),
                turns: lane.turns,
                invalid: lane.invalid,
                well_formed: lane.well_formed,
                status: lane.status,
                over: lane.over,
                result: lane.result,
                replies: lane.replies,
                start_value: lane.start_value,
                regrets: lane.regrets,
            })
            .collect();
        serde_json::to_vec(&saved).expect("numbers serialise")
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let game = self.variant.about.name;
        let invalid = |message: String| Error::InvalidState { game, message };
        let saved: Vec<Saved> = serde_json::from_slice(saved).map_err(|error| invalid(error.to_string()))?;
        if saved.len() != self.each.len() {
            let (theirs, ours) = (saved.len(), self.each.len());
            return Err(invalid(format!("it is of {theirs} envs, where these are {ours}")));
        }
        let lanes: Result<_, String> = saved.into_iter().map(|lane| self.rules().restored(&lane)).collect();
        self.each = lanes.map_err(invalid)?;
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Episodes> {
        Box::new(Self { variant: self.variant.clone(), setup: self.setup, each: self.each.clone() })
    }
}

type Chunk<'a, S> = (
    ((&'a mut [Lane<S>], &'a [i64]), (&'a mut [f32], &'a mut [f32])),
    (&'a mut [i8], (&'a mut [f64], (&'a mut [bool], (&'a mut [bool], &'a mut [Step])))),
);
