//! A lane: one episode after another, and the effect of a step.

use super::analysis::Told;
use super::lane_set::EPISODES;
use super::message::Refused;
use super::referee::{Finished, Helpers, Lane, Referee, Stopped};
use super::setup::{Illegal, Reward, Rival, Seat};
use super::step::{FinalInfo, Status, Step};
use crate::draws::EpisodeDraws;
use crate::game::Game;
use crate::state::Match;
use crate::variant::Opening;
use kit::error::Error;
use kit::rules::{Action, Actions, Turn};

impl<G: Game> Referee<'_, G> {
    /// Return a lane before its first episode.
    pub fn idle(self) -> Lane<G::State> {
        let start = self.variant.open(0, 0);
        Lane {
            seed: 0,
            source: self.source(0),
            group: 0,
            next: 0,
            example: 0,
            draws: start.draws,
            state: start.state,
            moves: Vec::new(),
            seat: 0,
            run: 0,
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
            exact: true,
        }
    }

    /// Return the source of a seed's examples.
    pub fn source(self, seed: u64) -> EpisodeDraws {
        EpisodeDraws::from(&mut self.variant.key("episodes", seed).stream(0))
    }

    /// Most examples to try for one in which the learner has a move.
    const ATTEMPTS: u8 = 64;

    pub fn reset(self, lane: &mut Lane<G::State>, help: &mut Helpers<'_, '_>) -> Finished<()> {
        let episode = lane.next;
        lane.next = (episode + 1) % EPISODES;
        // A game that ends before the learner has moved makes no episode; another example is drawn.
        for attempt in 0..Self::ATTEMPTS {
            // Examples are below 2^63 to fit int64 arrays, as episode numbers are.
            lane.example = lane.source.words(attempt, episode.into()).get(0) >> 1;
            self.begin(lane, episode, help)?;
            if !lane.over {
                break;
            }
        }
        Ok(())
    }

    fn begin(self, lane: &mut Lane<G::State>, episode: u64, help: &mut Helpers<'_, '_>) -> Finished<()> {
        let (draws, once) = self.variant.draws(lane.example);
        lane.draws = draws;
        self.variant.open_into(
            lane.example,
            self.setup.opening_plies,
            &lane.draws,
            &mut lane.state,
            &mut lane.moves,
        );
        (lane.seat, lane.random_move_prob) = self.sides(once, lane.group, episode);
        self.seat_mover(lane);
        lane.turns = 0;
        lane.invalid = 0;
        lane.well_formed = 0;
        lane.status = Status::Started;
        lane.refused = None;
        lane.over = false;
        lane.result = None;
        lane.replies = lane.moves.len();
        lane.regrets = [0.0; 2];
        lane.exact = true;
        lane.start_value = None;
        if self.setup.values_matter() {
            let Told { value: best, exact } = self.best_mean(&lane.state, &mut help.budget)?;
            lane.exact = exact;
            let mover = self.game().turn(&lane.state);
            let mine = mover == Turn::Player(if self.setup.is_self_play() { 0 } else { lane.seat });
            lane.start_value = Some(if mine { best } else { 0.0 - best });
        }
        self.replies(lane, help)
    }

    /// Return the learner's seat, and the probability of a random move by the opponent.
    pub fn sides(self, [side, share]: [u64; 2], group: u64, episode: u64) -> (u8, f64) {
        let setup = self.setup;
        let seat = match setup.seat {
            Seat::First => 0,
            Seat::Second => 1,
            Seat::Random => (side >> 63) as u8,
        };
        let random_move_prob = match (setup.random_move_range(), setup.opponent) {
            (Some((low, high)), _) => {
                const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
                let within = (share >> 11) as f64 * STEP;
                let groups = u64::from(setup.num_groups);
                let slice = group.wrapping_add(episode) % groups;
                low + (high - low) * ((slice as f64 + within) / groups as f64)
            }
            (None, Rival::Named(opponent)) => opponent.random_move_prob,
            (None, Rival::Outside | Rival::Learner) => 0.0,
        };
        (seat, random_move_prob)
    }

    /// Give the turn to the player to move, in self-play.
    pub(super) fn seat_mover(self, lane: &mut Lane<G::State>) {
        if let (true, Turn::Player(player)) = (self.setup.is_self_play(), self.game().turn(&lane.state)) {
            (lane.seat, lane.run) = (player, lane.moves.len());
        }
    }

    /// Pass the turn to the player to move, in self-play.
    #[inline]
    pub(super) fn hand_over(self, lane: &mut Lane<G::State>) {
        if let Turn::Player(player) = self.game().turn(&lane.state)
            && player != lane.seat
        {
            let theirs = std::mem::replace(&mut lane.run, lane.moves.len());
            (lane.seat, lane.replies) = (player, theirs);
        }
    }

    /// Let chance and the opponent play until it is the learner's turn or the game is over.
    fn replies(self, lane: &mut Lane<G::State>, help: &mut Helpers<'_, '_>) -> Finished<()> {
        while !lane.over {
            match self.game().turn(&lane.state) {
                Turn::Player(player) if player == lane.seat => break,
                Turn::Player(_) => {
                    let action = match self.setup.opponent {
                        Rival::Named(mut opponent) => {
                            opponent.random_move_prob = lane.random_move_prob;
                            opponent.reply(self.game(), &lane.state, &lane.draws, &mut help.budget)?
                        }
                        Rival::Outside => self.ask(lane, help)?,
                        Rival::Learner => {
                            self.hand_over(lane);
                            break;
                        }
                    };
                    if self.setup.analysis {
                        let Told { value, exact } = self.regret(&lane.state, action, &mut help.budget)?;
                        lane.regrets[1] += value;
                        lane.exact &= exact;
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

    /// Ask the caller's opponent for its move.
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

    /// Return the game in progress.
    pub fn playing(self, lane: &Lane<G::State>) -> Match<G> {
        let opening = Opening { seed: lane.example, plies: self.setup.opening_plies, resolve_chance: true };
        Match::resumed(self.variant.clone(), opening, lane.draws, lane.state.clone(), lane.moves.clone())
    }

    pub(super) fn apply(self, lane: &mut Lane<G::State>, action: Action) {
        self.game().apply(&mut lane.state, action);
        lane.moves.push(action);
        let moves = &mut lane.moves;
        self.variant.resolve_chance(&mut lane.state, &lane.draws, |action| moves.push(action));
    }

    fn end(lane: &mut Lane<G::State>, result: f32) {
        lane.over = true;
        lane.result = Some(result);
        lane.status = Status::of(result);
    }

    /// Index of the mover in the lane's `regrets`.
    pub(super) fn purse(self, lane: &Lane<G::State>) -> usize {
        if self.setup.is_self_play() { usize::from(lane.seat) } else { 0 }
    }

    /// Return the value of the start less all that was given away, for the player who ends the game.
    pub(super) fn luck_free(self, lane: &Lane<G::State>) -> f64 {
        let start = f64::from(lane.start_value.expect("the start was valued"));
        let given_away = f64::from(lane.regrets[self.purse(lane)]);
        let turned = self.setup.is_self_play() && lane.seat == 1;
        (if turned { -start } else { start }) - given_away
    }

    /// Play the learner's action and the replies to it, and fill in `step`, which has its default value.
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
            let analysis = self.analyze(&lane.state, played, &mut help.budget)?;
            given_away = analysis.regret;
            lane.exact &= analysis.exact;
            lane.regrets[self.purse(lane)] += given_away;
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

    /// Use up the learner's turn without a legal move, and fill in `step`, which has its default value.
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
        match self.setup.on_illegal() {
            Illegal::Lose => {
                if self.setup.values_matter() {
                    // A forfeit gives away all that the position was worth.
                    let Told { value: best, exact } = self.best_mean(&lane.state, &mut help.budget)?;
                    given_away = best + 1.0;
                    lane.exact &= exact;
                    lane.regrets[self.purse(lane)] += given_away;
                }
                Self::end(lane, -1.0);
            }
            Illegal::Penalty => step.reward = self.setup.invalid_penalty,
        }
        lane.status = status;
        self.conclude(lane, step, given_away);
        Ok(())
    }

    /// Compute the reward of a step, and truncate an episode whose turns are used up.
    fn conclude(self, lane: &mut Lane<G::State>, step: &mut Step, given_away: f32) {
        if lane.invalid > 0 {
            self.charge(lane, step);
        }
        step.terminated = lane.over;
        if !lane.over && self.setup.max_turns.is_some_and(|most| lane.turns >= most) {
            step.truncated = true;
            lane.over = true;
            lane.status = Status::Cut;
        }
        step.reward += match self.setup.reward {
            Reward::Outcome => lane.result.map_or(0.0, f64::from),
            Reward::Regret => -f64::from(given_away),
            Reward::LuckFree if step.terminated => self.luck_free(lane),
            Reward::LuckFree => 0.0,
        };
        step.end = lane.over.then(|| FinalInfo {
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
            exact: lane.exact,
            judged: None,
        });
    }

    /// Compute the costs of a step, which may end the episode with a loss.
    #[cold]
    fn charge(self, lane: &mut Lane<G::State>, step: &mut Step) {
        let costs = self.setup.costs();
        step.cost = costs.of(step.invalid.into(), 0);
        step.episode_cost = costs.of(lane.invalid, 0);
        if !lane.over && costs.end(step.cost, step.episode_cost, &lane.draws, lane.turns.into()) {
            Self::end(lane, -1.0);
            lane.status = Status::Costly;
        }
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
