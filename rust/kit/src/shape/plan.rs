//! Puzzles of moves: a start, moves from state to state, and a goal to reach in as few moves as possible.

use std::fmt::Debug;
use std::ops::Deref;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::picture::Picture;
use crate::rng::Rng;
use crate::rules::{Action, Actions, Misread, Play, Playing, Rules, Turn};
use crate::shared::optimum;
use crate::task::about::{About, Budgets, JudgedBy};
use crate::task::certificate::{Aim, Certificate, Uncertified};
use crate::task::check;
use crate::task::form::{self, Form};
use crate::task::problem::{Problem, Prompt, Slots};
use crate::task::solution::{Effort, Faults, Solution};
use crate::task::steps::{StepJudge, StepVerdict};
use crate::task::verdict::{Failure, Judged, Part, Verdict, label};
use crate::words::Joined as _;
use crate::words::count;

mod search;

pub use search::{Reached, explore, shortest};
use search::{another, directed};

/// The labels that the verifier gives.
const FAILURES: &[(&str, &str)] = &[
    ("illegal_move", "a move is not allowed where it is made"),
    ("goal_not_reached", "all moves are allowed, but they do not end at the goal"),
];

/// The parts that the verifier measures.
const PARTS: &[Part] = &[
    Part::new("legal", "share of the moves that come before the first that is not allowed"),
    Part::new("gap", "fewest moves over the moves of this answer; 0 if it does not reach the goal"),
];

/// A state costs more than other counted steps.
pub const BUDGETS: Budgets = Budgets { certify: 4_000_000, ..Budgets::USUAL };

/// Largest number of moves in a claimed plan.
const LONGEST: usize = 1_000;

/// A puzzle of moves, which [`Plan`] turns into a problem. Its moves are numbered alike in all problems with
/// the same params.
pub trait Puzzle: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Converts to a number that identifies the state.
    type State: Copy + Ord + Into<u64> + Debug + Send + Sync + 'static;

    /// The wordings, at least three, at least one of them held out.
    const PROMPTS: &'static [Prompt];
    /// Noun phrase for the answer: "the moves in order, each like A to C,".
    const ANSWER: &'static str;
    /// Work of [`Puzzle::shortest`] at a difficulty of one half; see [`Effort::new`].
    const STATES: u64;

    /// Fills the slots of the wordings.
    fn slots(&self, slots: &mut Slots<'_>);
    /// Checks shape and bounds of everything but the claimed plan; see [`Problem::check`].
    fn check(&self) -> Result<(), String>;
    /// See [`Problem::edited`].
    fn edited(&self, _aim: Aim, _rng: &mut Rng, _budget: &mut Budget) -> Option<Self> {
        None
    }
    fn begin(&self) -> Self::State;
    fn is_goal(&self, state: Self::State) -> bool;
    /// Names of all moves.
    fn names(&self) -> Vec<String>;
    /// The state after a move, if the move is allowed.
    fn step(&self, state: Self::State, action: usize) -> Option<Self::State>;
    /// Number of constraints that an allowed move breaks, such as the hazards it enters.
    fn broken(&self, _state: Self::State, _action: usize) -> u32 {
        0
    }
    /// Reason why a move is not allowed, as a clause: "A is empty".
    fn why_not(&self, state: Self::State, action: usize) -> String;
    /// A state on one line of ASCII, in its only spelling.
    fn told(&self, state: Self::State) -> String;
    /// The state as a player sees it.
    fn picture(&self, state: Self::State) -> String;
    /// Drawing of the state as a person would draw it.
    fn draw(&self, state: Self::State) -> Picture;
    fn shape(&self) -> Vec<usize>;
    fn observe(&self, state: Self::State, out: &mut [f32]);
    /// A plan with the fewest moves, as the author of the problem claims. Answers are scored by its length,
    /// and [`certify`] proves it.
    fn claimed(&self) -> &[u8];
    /// See [`Problem::twin`].
    #[must_use]
    fn twin(&self, rng: &mut Rng) -> Self;
    /// See [`Problem::fingerprint`].
    fn fingerprint(&self) -> Vec<u8>;
    /// A number of moves without which the goal cannot be reached: 0 at the goal alone, and no move takes it down by
    /// more than one. A search then tries first what may be nearer the goal.
    fn away(&self, _state: Self::State) -> Option<u32> {
        None
    }
    /// The only state that is a goal, and for each move the one that takes it back, if all have one. A search then goes
    /// from both ends.
    fn undone(&self) -> Option<(Self::State, Vec<u8>)> {
        None
    }
    /// The moves of a shortest plan from a state to the goal, if there is one, and the work of finding it, which is
    /// the effort: states reached, unless a puzzle has a better way than to search.
    fn shortest(&self, from: Self::State, budget: &mut Budget) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
        let actions: Vec<usize> = (0..self.names().len()).collect();
        directed(self, from, &actions, budget)
    }
    /// A shortest plan drawn from several; see [`Problem::another`].
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        if self.away(self.begin()).is_none() && self.undone().is_none() {
            return another(self, rng);
        }
        let mut actions: Vec<usize> = (0..self.names().len()).collect();
        rng.shuffle(&mut actions);
        let (way, _) = directed(self, self.begin(), &actions, &mut Budget::new(BUDGETS.certify)).ok()?;
        Some(way?.into_iter().map(usize::from).collect())
    }
    /// Plans of policies that search nothing, besides random moves; see [`Problem::guesses`].
    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        Vec::new()
    }
    /// See [`Problem::shortcuts`].
    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        Vec::new()
    }
}

/// A puzzle of moves as a problem.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Plan<P>(pub P);

impl<P> Deref for Plan<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

impl<P: Puzzle> Plan<P> {
    /// The facts that follow from the shape.
    #[track_caller]
    pub const fn about(domain: &'static str, name: &'static str, changes: &'static [&'static str]) -> About {
        About {
            judged_by: JudgedBy::Optimum,
            failures: FAILURES,
            parts: PARTS,
            budgets: BUDGETS,
            ..About::new(domain, name, changes)
        }
    }
}

impl<P: Puzzle> Problem for Plan<P> {
    type Answer = Vec<usize>;

    const PROMPTS: &'static [Prompt] = P::PROMPTS;

    fn slots(&self, slots: &mut Slots<'_>) {
        self.0.slots(slots);
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()?;
        let (way, actions) = (self.claimed(), self.names().len());
        check::length("plan", way, 1..=LONGEST, "moves")?;
        check::each("plan", way, |action| usize::from(*action) < actions, "there is no such move")
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        certify(&self.0, budget)
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        self.0.edited(aim, rng, budget).map(Self)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Sequence { what: P::ANSWER.to_owned(), words: self.names() }
    }

    fn solution(&self) -> Solution {
        Solution::new(steps(&self.0), self.answer())
    }

    fn answer(&self) -> String {
        self.form().write(&claimed(&self.0))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        judge(&self.0, &answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        near_misses(&self.0, faults, rng)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let random = [("random moves", false), ("random moves until the goal", true)];
        let random = random.map(|(name, stop)| (name, random_walk(&self.0, stop, rng)));
        random.into_iter().chain(self.0.guesses()).collect()
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.0.shortcuts()
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.0.another(rng)
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        Self(self.0.twin(rng))
    }

    /// See [`Puzzle::shortest`].
    fn effort(&self) -> Effort {
        let most = BUDGETS.certify;
        let work = self.0.shortest(self.begin(), &mut Budget::new(most)).map_or(most, |(_, work)| work);
        Effort::new(work, P::STATES)
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.0.fingerprint()
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Tracing { puzzle: &self.0, state: self.begin(), nearest: Some(self.claimed().len()) }))
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        let start = Made { state: self.begin(), moves: Vec::new() };
        Some(Box::new(Playing::new(Planning(self.0.clone()), start)))
    }
}

fn claimed<P: Puzzle>(puzzle: &P) -> Vec<usize> {
    puzzle.claimed().iter().map(|action| usize::from(*action)).collect()
}

/// Proves that no plan is shorter than the claimed one, and that this one leads to the goal.
fn certify<P: Puzzle>(puzzle: &P, budget: &mut Budget) -> Result<Certificate, String> {
    let claimed = claimed(puzzle);
    judge(puzzle, &claimed).map_err(|verdict| format!("`plan` fails: {}", verdict.detail))?;
    let (best, _) = puzzle.shortest(puzzle.begin(), budget).map_err(|over| over.to_string())?;
    let best = best.expect("the claimed way is one").len();
    if best < claimed.len() {
        return Err(format!("`plan` takes {} moves, but {best} suffice", claimed.len()));
    }
    Ok(Certificate::solvable(format!("no way to the goal has fewer than {best} moves")))
}

/// A longer plan earns less the more moves it has, and nothing from twice as many on.
fn judge<P: Puzzle>(puzzle: &P, answer: &[usize]) -> Judged {
    let broken = |label, detail: String| Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label);
    let mut state = puzzle.begin();
    for (at, action) in answer.iter().enumerate() {
        let Some(next) = puzzle.step(state, *action) else {
            let (name, why) = (&puzzle.names()[*action], puzzle.why_not(state, *action));
            let failure = broken("illegal_move", format!("move {}, `{name}`, is not allowed: {why}", at + 1));
            return Err(failure.part("legal", at as f32 / answer.len() as f32));
        };
        state = next;
    }
    if !puzzle.is_goal(state) {
        let detail = format!("the moves do not end at the goal, but at this: {}", puzzle.told(state));
        return Err(broken("goal_not_reached", detail).part("legal", 1.0));
    }
    let (moves, best) = (answer.len(), puzzle.claimed().len());
    if moves <= best {
        return Ok(());
    }
    let failure = Failure::new(
        label::SUBOPTIMAL,
        format!("the goal is reached in {}, but {best} would do", count(moves, "move")),
    );
    let credit = optimum::credit(moves as u64, best as u64, 2 * best as u64);
    Err(failure.score(credit).part("legal", 1.0).part("gap", best as f32 / moves as f32))
}

/// Every move with the resulting state: "A to C: A 3 2, B 1, C empty".
fn steps<P: Puzzle>(puzzle: &P) -> Vec<String> {
    let names = puzzle.names();
    let mut state = puzzle.begin();
    let mut told = Vec::new();
    for action in puzzle.claimed() {
        let Some(next) = puzzle.step(state, usize::from(*action)) else { break };
        told.push(format!("{}: {}", names[usize::from(*action)], puzzle.told(next)));
        state = next;
    }
    told
}

/// Plans that are wrong by construction: one makes moves that are not allowed; the others have more moves than
/// the fewest, or fewer, which reach no goal.
fn near_misses<P: Puzzle>(puzzle: &P, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
    let (right, actions) = (claimed(puzzle), puzzle.names().len());
    let (mut barred, mut twice, mut left) = (right.clone(), right.clone(), right.clone());
    let mut spoilt = faults.draw(right.len(), rng);
    spoilt.sort_unstable();
    // All moves before the first barred one are right.
    let before = right.iter().scan(puzzle.begin(), |state, action| {
        let before = *state;
        *state = puzzle.step(before, *action)?;
        Some(before)
    });
    for (at, state) in before.enumerate().filter(|(at, _)| spoilt.contains(at)) {
        let closed: Vec<usize> =
            (0..actions).filter(|action| puzzle.step(state, *action).is_none()).collect();
        if !closed.is_empty() {
            barred[at] = *rng.pick(&closed);
        }
    }
    for at in spoilt.iter().rev() {
        twice.insert(*at, right[*at]);
        left.remove(*at);
    }
    let longer = [right.as_slice(), &[rng.index(actions)]].concat();
    let mut wrong = vec![twice, longer, [right.as_slice(), right.as_slice()].concat()];
    wrong.extend(Some(barred).filter(|barred| *barred != right));
    wrong.extend([left, right[..right.len() - 1].to_vec()].into_iter().filter(|way| !way.is_empty()));
    // A different last move, and two neighboring moves exchanged, where that cannot be played or misses the goal.
    let fails = |way: &Vec<usize>| {
        let end = way.iter().try_fold(puzzle.begin(), |state, action| puzzle.step(state, *action));
        end.is_none_or(|state| !puzzle.is_goal(state))
    };
    let last = right.len() - 1;
    let nearest = (1..actions).map(|by| (right[last] + by) % actions);
    let ended = nearest.map(|action| [&right[..last], &[action]].concat()).find(fails);
    let exchange = |at: usize| {
        let mut way = right.clone();
        way.swap(at, at + 1);
        way
    };
    wrong.extend(ended.into_iter().chain((0..last).map(exchange).find(fails)));
    wrong
}

/// As many random allowed moves as the shortest plan has, none of them undoing the one before if there is
/// another; with `stop`, up to twice as many until the goal is reached.
fn random_walk<P: Puzzle>(puzzle: &P, stop: bool, rng: &mut Rng) -> Vec<usize> {
    let actions = puzzle.names().len();
    let (mut state, mut before) = (puzzle.begin(), None);
    let mut way = Vec::new();
    let most = if stop { 2 } else { 1 } * puzzle.claimed().len();
    while way.len() < most && !(stop && puzzle.is_goal(state)) {
        let open = (0..actions).filter_map(|action| Some((action, puzzle.step(state, action)?)));
        let open: Vec<(usize, P::State)> = open.collect();
        let ahead: Vec<_> = open.iter().copied().filter(|(_, next)| Some(*next) != before).collect();
        let choices = if ahead.is_empty() { &open } else { &ahead };
        if choices.is_empty() {
            break;
        }
        let (action, next) = *rng.pick(choices);
        way.push(action);
        (before, state) = (Some(state), next);
    }
    way
}

/// Verifies steps like those of [`steps`]: a move allowed in the state that the true steps so far have
/// reached, with the resulting state. It advances if that is nearer the goal than after any step before.
struct Tracing<'a, P: Puzzle> {
    puzzle: &'a P,
    state: P::State,
    nearest: Option<usize>,
}

impl<P: Puzzle> StepJudge for Tracing<'_, P> {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let names = self.puzzle.names();
        let like = || {
            format!("`{}` is not a step like `{}: {}`", quoted(step), names[0], self.puzzle.told(self.state))
        };
        let (name, claim) = step.split_once(':').ok_or_else(like)?;
        let action = names.iter().position(|known| known == name.trim()).ok_or_else(like)?;
        let next = self.puzzle.step(self.state, action);
        let next = next.ok_or_else(|| self.puzzle.why_not(self.state, action))?;
        let told = self.puzzle.told(next);
        if !claim.split_whitespace().eq(told.split_whitespace()) {
            return Err(format!("after this move it stands thus: {told}"));
        }
        self.state = next;
        let away = self.puzzle.shortest(next, budget).map_err(|over| over.to_string())?;
        let away = away.0.map(|way| way.len());
        if away.is_some_and(|away| self.nearest.is_none_or(|nearest| away < nearest)) {
            self.nearest = away;
            return Ok(StepVerdict::advances());
        }
        Ok(StepVerdict::idle("allowed, but no nearer the goal than before"))
    }
}

/// The puzzle as a game of one player, which ends at the goal, when no move is left, or after
/// [`Planning::most`] moves.
#[derive(Clone)]
struct Planning<P>(P);

/// State of the play, and the moves so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Made<S> {
    state: S,
    moves: Vec<u8>,
}

impl<P: Puzzle> Planning<P> {
    /// Twice as many moves as the shortest way has, and a few more.
    fn most(&self) -> usize {
        2 * self.0.claimed().len() + 10
    }
}

impl<P: Puzzle> Rules for Planning<P> {
    type State = Made<P::State>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.0.names().len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.most() as u32
    }

    fn turn(&self, made: &Self::State) -> Turn {
        if self.legal(made).is_empty() { Turn::Over } else { Turn::Player(0) }
    }

    fn legal(&self, made: &Self::State) -> Actions {
        let over = made.moves.len() >= self.most() || !made.moves.is_empty() && self.0.is_goal(made.state);
        let open = |action: &u32| !over && self.0.step(made.state, *action as usize).is_some();
        (0..self.actions()).filter(open).collect()
    }

    fn broken(&self, made: &Self::State, action: Action) -> u32 {
        self.0.broken(made.state, action as usize)
    }

    fn apply(&self, made: &mut Self::State, action: Action) {
        made.state = self.0.step(made.state, action as usize).expect("the action is legal");
        made.moves.push(action as u8);
    }

    fn returns(&self, made: &Self::State) -> [f32; 2] {
        let way: Vec<usize> = made.moves.iter().map(|action| usize::from(*action)).collect();
        [Verdict::from(judge(&self.0, &way)).score, 0.0]
    }

    fn show(&self, made: &Self::State, _player: u8) -> String {
        self.0.picture(made.state)
    }

    fn draw(&self, made: &Self::State, _player: u8) -> Picture {
        self.0.draw(made.state)
    }

    fn name_action(&self, action: Action) -> String {
        self.0.names()[action as usize].clone()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let names = self.0.names();
        let text_words = text.to_ascii_lowercase();
        let same = |name: &String| name.to_ascii_lowercase().split(' ').eq(text_words.split_whitespace());
        let found = names.iter().position(same).map(|action| action as Action);
        found.ok_or_else(|| Misread::not_a_move(text, format_args!("a move is like `{}`", names[0])))
    }

    fn why_illegal(&self, made: &Self::State, action: Action) -> String {
        self.0.why_not(made.state, action as usize)
    }

    fn shape(&self) -> Vec<usize> {
        self.0.shape()
    }

    fn observe(&self, made: &Self::State, _player: u8, out: &mut [f32]) {
        self.0.observe(made.state, out);
    }

    fn next_move(&self, made: &Self::State) -> Option<Action> {
        let (way, _) = self.0.shortest(made.state, &mut Budget::new(BUDGETS.certify)).ok()?;
        way?.first().map(|action| Action::from(*action))
    }

    fn answer(&self, made: &Self::State) -> Option<String> {
        let names = self.0.names();
        Some(made.moves.iter().map(|at| &names[usize::from(*at)]).listed())
    }
}
