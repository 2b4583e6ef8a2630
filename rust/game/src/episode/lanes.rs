//! Lanes of one game.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::columns::{Columns, Shape, Stepper, step_chunk, step_in_order, step_in_parallel};
use super::dialogue::RewardParts;
use super::lane_set::{self, EPISODES, LaneSet};
use super::message::{Refused, read_move};
use super::referee::{Finished, Helpers, Lane, Referee, Stopped};
use super::save::Saved;
use super::setup::{Autoreset, Setup, Think};
use super::step::{EpisodeInfo, Status, Step};
use crate::game::Game;
use crate::state::GameState;
use crate::variant::{GameInfo, Variant};
use kit::error::Error;

/// Lanes of one game, with its type erased.
///
/// A step or reset that is stopped, by its limit or by the caller's opponent, leaves its lanes without an episode; to
/// be able to continue, work on a clone.
pub trait Episodes: LaneSet {
    /// The game's facts.
    fn game(&self) -> &dyn GameInfo;
    fn setup(&self) -> &Setup;
    /// Set the seed of the lane's next episodes, counted from `episode`, below 2^63. Lanes whose `group` differs by one
    /// take adjacent slices.
    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64);
    /// Begin the lane's next episode.
    fn reset(&mut self, lane: usize, help: &mut Helpers<'_, '_>) -> Result<(), Error>;
    /// Play the learner's action, which may be any number, and the replies to it.
    fn step(&mut self, lane: usize, action: i64, help: &mut Helpers<'_, '_>) -> Result<Step, Error>;
    /// Play the move in a message, which may be any text, and compute its reward as `dialogue` defines it.
    fn say(&mut self, lane: usize, text: &str, help: &mut Helpers<'_, '_>) -> Result<Step, Error>;
    /// Reward parts of the lane's game so far, in text.
    fn parts(&self, lane: usize) -> RewardParts;
    /// Step every lane, and reset those that are over as `when` says. Runs in order if a Python opponent or a
    /// Python-defined game plays, else on many threads.
    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        help: &mut Helpers<'_, '_>,
    ) -> Result<(), Error>;
    /// Message to the language model.
    fn message(&self, lane: usize) -> String;
    /// Rules of the game and form of a reply, for a language model.
    fn instructions(&self) -> String;
    /// Return the game in progress.
    fn state(&self, lane: usize) -> Box<dyn GameState>;
    fn boxed_clone(&self) -> Box<dyn Episodes>;
}

/// Lanes per chunk; fewer are stepped on the caller's thread.
const CHUNK: usize = 256;

/// Lanes of one game.
pub struct Lanes<G: Game> {
    variant: Arc<Variant<G>>,
    setup: Setup,
    observation: Vec<usize>,
    each: Vec<Lane<G::State>>,
}

impl<G: Game> Lanes<G> {
    pub fn new(variant: Arc<Variant<G>>, count: usize, mut setup: Setup) -> Result<Self, Error> {
        lane_set::check_count(variant.about.name, count)?;
        setup.check(variant.as_ref())?;
        let most = if setup.is_self_play() { variant.game.max_plies() } else { variant.most_turns() };
        setup.max_turns = setup.turn_limit(most);
        let idle = Referee { variant: &variant, setup: &setup }.idle();
        Ok(Self { observation: variant.game.shape(), variant, setup, each: vec![idle; count] })
    }

    fn referee(&self) -> Referee<'_, G> {
        Referee { variant: &self.variant, setup: &self.setup }
    }

    /// Change a lane, which loses its episode if the work is stopped.
    fn change(
        &mut self,
        lane: usize,
        work: impl FnOnce(Referee<'_, G>, &mut Lane<G::State>) -> Finished<()>,
    ) -> Result<(), Error> {
        let referee = Referee { variant: &self.variant, setup: &self.setup };
        let lane = &mut self.each[lane];
        work(referee, lane).map_err(|why| {
            lose(lane);
            self.variant.stopped(why)
        })
    }
}

fn lose<S>(lane: &mut Lane<S>) {
    (lane.status, lane.over) = (Status::NotBegun, true);
}

impl<G: Game> Variant<G> {
    fn stopped(&self, why: Stopped) -> Error {
        match why {
            Stopped::Unsolved(why) => why.error(self.about.name),
            Stopped::Outside(error) => *error,
        }
    }
}

/// Stepper of the lanes of a game.
struct Steps<'s, 'b, 'h, 'l, G: Game> {
    referee: Referee<'b, G>,
    help: &'s mut Helpers<'h, 'l>,
}

impl<G: Game> Stepper for Steps<'_, '_, '_, '_, G> {
    type Lane = Lane<G::State>;
    type Error = Stopped;

    fn look(&self) -> Finished<()> {
        Ok(self.help.budget.look()?)
    }

    #[inline]
    fn is_over(&self, lane: &Self::Lane) -> bool {
        lane.over
    }

    #[inline]
    fn step(&mut self, lane: &mut Self::Lane, action: i64, step: &mut Step) -> Finished<()> {
        self.referee.step(lane, action, step, self.help)
    }

    fn reset(&mut self, lane: &mut Self::Lane) -> Finished<()> {
        self.referee.reset(lane, self.help)
    }

    #[inline]
    fn observe(&self, lane: &Self::Lane, out: &mut [f32]) {
        self.referee.observe(lane, out);
    }

    #[inline]
    fn mask(&self, lane: &Self::Lane, out: &mut [i8]) {
        self.referee.mask(lane, out);
    }
}

impl<G: Game> LaneSet for Lanes<G> {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn shape(&self) -> &[usize] {
        &self.observation
    }

    fn actions(&self) -> u32 {
        self.variant.game.actions()
    }

    fn is_over(&self, lane: usize) -> bool {
        self.each[lane].over
    }

    fn info(&self, lane: usize) -> EpisodeInfo<'_> {
        let lane = &self.each[lane];
        EpisodeInfo {
            example: lane.example,
            episode: lane.episode(),
            seat: lane.seat,
            random_move_prob: lane.random_move_prob,
            turns: lane.turns,
            invalid: lane.invalid,
            well_formed: lane.well_formed,
            status: lane.status,
            fault: lane.refused.as_ref().map(Refused::label),
            over: lane.over,
            result: lane.result,
            replies: &lane.moves[lane.replies..],
            start_value: lane.start_value,
            regrets: lane.regrets,
            exact: lane.exact,
            judged: None,
        }
    }

    fn mover(&self, lane: usize) -> Option<u8> {
        self.each[lane].mover()
    }

    fn observe(&self, lane: usize, out: &mut [f32]) {
        self.referee().observe(&self.each[lane], out);
    }

    fn mask(&self, lane: usize, out: &mut [i8]) {
        self.referee().mask(&self.each[lane], out);
    }

    fn save(&self) -> Vec<u8> {
        lane_set::write(self.each.iter().map(Saved::from))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let restored = |saved: Vec<Saved>| saved.iter().map(|lane| self.referee().restored(lane)).collect();
        let lanes = lane_set::read(saved, self.each.len()).and_then(restored);
        let game = self.variant.about.name;
        self.each = lanes.map_err(|message| Error::InvalidState { game, message })?;
        Ok(())
    }
}

impl<G: Game> Episodes for Lanes<G> {
    fn game(&self) -> &dyn GameInfo {
        self.variant.as_ref()
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64) {
        let source = self.referee().source(seed);
        let lane = &mut self.each[lane];
        (lane.seed, lane.source) = (seed, source);
        (lane.group, lane.next) = (group, episode % EPISODES);
    }

    fn reset(&mut self, lane: usize, help: &mut Helpers<'_, '_>) -> Result<(), Error> {
        self.change(lane, |referee, lane| referee.reset(lane, help))
    }

    fn step(&mut self, lane: usize, action: i64, help: &mut Helpers<'_, '_>) -> Result<Step, Error> {
        let mut step = Step::default();
        self.change(lane, |referee, lane| referee.step(lane, action, &mut step, help))?;
        Ok(step)
    }

    fn say(&mut self, lane: usize, text: &str, help: &mut Helpers<'_, '_>) -> Result<Step, Error> {
        let mut step = Step::default();
        self.change(lane, |referee, lane| {
            let read = |said: &str| referee.variant.read_move(&lane.state, said);
            let said = read_move(text, referee.setup.think == Think::Required, read);
            lane.well_formed += u32::from(said.well_formed);
            match said.action {
                Ok(action) => referee.step(lane, action.into(), &mut step, help)?,
                Err(misread) => referee.refuse(lane, Refused::Text(Box::new(misread)), &mut step, help)?,
            }
            if step.invalid && !step.terminated {
                // In text, the penalty is a part of the weighted reward instead.
                step.reward -= referee.setup.invalid_penalty;
            }
            referee.weigh(lane, &mut step);
            Ok(())
        })?;
        Ok(step)
    }

    fn parts(&self, lane: usize) -> RewardParts {
        let lane = &self.each[lane];
        self.referee().parts(lane)
    }

    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        help: &mut Helpers<'_, '_>,
    ) -> Result<(), Error> {
        let referee = Referee { variant: &self.variant, setup: &self.setup };
        let shape = Shape::new(&self.observation, referee.game().actions());
        let done = if help.opponent.is_some() || referee.game().is_outside() {
            step_in_order(&mut Steps { referee, help }, &mut self.each, actions, when, shape, out)
        } else {
            let (budget, searched) = (&help.budget, AtomicU64::new(0));
            let done = step_in_parallel(&mut self.each, actions, CHUNK, shape, out, |chunk| {
                let help = &mut Helpers::within(budget.again());
                let done = step_chunk(&mut Steps { referee, help }, chunk, when, shape);
                searched.fetch_add(help.positions(), Ordering::Relaxed);
                done
            });
            help.searched += searched.into_inner();
            done
        };
        done.map_err(|why| {
            self.each.iter_mut().for_each(lose);
            self.variant.stopped(why)
        })
    }

    fn message(&self, lane: usize) -> String {
        self.referee().message(&self.each[lane])
    }

    fn instructions(&self) -> String {
        self.referee().instructions()
    }

    fn state(&self, lane: usize) -> Box<dyn GameState> {
        Box::new(self.referee().playing(&self.each[lane]))
    }

    fn boxed_clone(&self) -> Box<dyn Episodes> {
        let (variant, observation) = (self.variant.clone(), self.observation.clone());
        Box::new(Self { variant, setup: self.setup, observation, each: self.each.clone() })
    }
}
