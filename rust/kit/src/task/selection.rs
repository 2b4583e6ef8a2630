//! Problems of choosing: take things that fit together and have the highest total value.

use crate::picture::Picture;
use crate::rng::Rng;
use crate::rules::{Action, Misread, Play, Playing, Rules, Turn};
use crate::shared::optimum;
use crate::shared::route::Naming;
use crate::task::check;
use crate::task::form::{Form, Sequence};
use crate::task::permutation;
use crate::task::problem::Problem;
use crate::task::solution::Faults;
use crate::task::verdict::{Failure, Judged, Part, Verdict, label};

/// The label of a thing taken twice, for a family to declare.
pub const REPEATED: (&str, &str) = ("repeated_name", "a name that is listed twice");

/// The parts that the verifier measures, for a family to declare.
pub const PARTS: &[Part] = &[Part::new(
    "gap",
    "value of what is taken over the most that can be had; 0 if it does not fit together",
)];

/// A problem of choosing.
pub trait Selecting: Problem<Answer = Vec<usize>> {
    /// The failure label of things that do not fit together.
    const CLASH: &'static str;

    fn names(&self) -> &[String];
    fn value(&self, thing: usize) -> u64;
    /// Reason why these distinct things may not all be taken: "A and B overlap".
    fn clash(&self, taken: &[usize]) -> Option<String>;
    /// A best choice in increasing order, as the author of the problem claims.
    fn claimed(&self) -> &[usize];
    /// Value of a simple heuristic, above which partial credit begins.
    fn naive(&self) -> u64;
    /// The problem as a player sees it.
    fn listed(&self) -> String;
    /// Drawing of the problem, with what is taken and what still fits.
    fn draw(&self, taken: &[usize], fits: &dyn Fn(usize) -> bool) -> Picture;
    /// Numbers that a player sees of each thing, besides whether it has been taken.
    const SEEN: usize;
    /// Numbers in `[0, 1]` about a thing, as many as `SEEN`.
    fn observe(&self, thing: usize, out: &mut [f32]);
}

/// Naming of this many things: letters are too few for many.
pub fn naming(things: usize) -> Naming {
    if things > 20 { Naming::Towns } else { Naming::Any }
}

/// The form of an answer: names in any order.
pub fn form<P: Selecting>(problem: &P, what: &str) -> Sequence {
    let what = format!("the names of {what}, each once, in any order and");
    Sequence { what, words: problem.names().to_vec() }
}

/// Shape and bounds of the claimed choice.
pub fn check<P: Selecting>(problem: &P) -> Result<(), String> {
    let (chosen, things) = (problem.claimed(), problem.names().len());
    check::length("chosen", chosen, 1..=things, "things")?;
    check::each("chosen", chosen, |thing| *thing < things, "there is no such thing")?;
    check::that(chosen.is_sorted_by(|a, b| a < b), || "`chosen` must be in increasing order".to_owned())?;
    match problem.clash(chosen) {
        Some(why) => Err(format!("`chosen` fails: {why}")),
        None => Ok(()),
    }
}

pub fn worth<P: Selecting>(problem: &P, taken: &[usize]) -> u64 {
    taken.iter().map(|thing| problem.value(*thing)).sum()
}

/// A worse choice earns its advantage over the heuristic.
pub fn judge<P: Selecting>(problem: &P, taken: &[usize]) -> Judged {
    let broken = |label, detail: String| Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label));
    let mut seen = vec![false; problem.names().len()];
    for thing in taken {
        if std::mem::replace(&mut seen[*thing], true) {
            return broken(REPEATED.0, format!("{} is listed twice", problem.names()[*thing]));
        }
    }
    if let Some(why) = problem.clash(taken) {
        return broken(P::CLASH, why);
    }
    let (value, best) = (worth(problem, taken), worth(problem, problem.claimed()));
    if value >= best {
        return Ok(());
    }
    let credit = optimum::credit(best - value, 0, best.saturating_sub(problem.naive()));
    let detail = format!("this is worth {value}, {} less than the best", best - value);
    let failure = Failure::new(label::SUBOPTIMAL, detail).score(credit);
    Err(failure.part("gap", value as f32 / best as f32))
}

/// Takes things in an order, each if it fits with those before it; returns them in increasing order.
pub fn greedy<P: Selecting>(problem: &P, order: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut taken = Vec::new();
    for thing in order {
        taken.push(thing);
        if problem.clash(&taken).is_some() {
            taken.pop();
        }
    }
    taken.sort_unstable();
    taken
}

/// A random choice to which nothing can be added.
pub fn random<P: Selecting>(problem: &P, rng: &mut Rng) -> Vec<usize> {
    greedy(problem, permutation::random(problem.names().len(), rng))
}

/// Choices with things omitted, exchanged for others, added and taken twice. Each takes something twice, or is
/// worth another amount than the best choice: less, or more than is allowed.
pub fn near_misses<P: Selecting>(problem: &P, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
    let right = problem.claimed();
    let others: Vec<usize> = (0..problem.names().len()).filter(|thing| !right.contains(thing)).collect();
    let spoilt = faults.draw(right.len(), rng);
    let left: Vec<usize> = (0..right.len()).filter(|at| !spoilt.contains(at)).map(|at| right[at]).collect();
    let twice = [right, &[right[spoilt[0]]]].concat();
    let mut others_taken = Vec::new();
    if !others.is_empty() {
        let other = *rng.pick(&others);
        let added = others.iter().copied().take(faults.of(others.len()));
        others_taken.push([left.clone(), vec![other]].concat());
        others_taken.push(right.iter().copied().chain(added).collect());
    }
    others_taken.push(left);
    let best = worth(problem, right);
    others_taken.retain(|taken| !taken.is_empty() && worth(problem, taken) != best);
    [vec![twice], others_taken].concat()
}

/// The choice as a game of one player: the state is what has been taken. The last action stops, once
/// something has been taken; the mask excludes what does not fit, and the play ends when nothing does.
#[derive(Clone)]
pub struct Picking<P>(P);

#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    taken: Vec<usize>,
    stopped: bool,
}

impl<P: Selecting> Picking<P> {
    pub fn play(problem: &P) -> Box<dyn Play> {
        Box::new(Playing::new(Self(problem.clone()), Picked { taken: Vec::new(), stopped: false }))
    }

    fn things(&self) -> u32 {
        self.0.names().len() as u32
    }

    fn fits(&self, picked: &Picked, thing: usize) -> bool {
        !picked.taken.contains(&thing) && self.0.clash(&[&picked.taken[..], &[thing]].concat()).is_none()
    }
}

impl<P: Selecting> Rules for Picking<P> {
    type State = Picked;
    type Legal = Vec<Action>;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.things() + 1
    }

    fn max_plies(&self) -> u32 {
        self.actions()
    }

    fn turn(&self, picked: &Picked) -> Turn {
        if self.legal(picked).is_empty() { Turn::Over } else { Turn::Player(0) }
    }

    fn legal(&self, picked: &Picked) -> Vec<Action> {
        let open = |thing: &u32| !picked.stopped && self.fits(picked, *thing as usize);
        let mut legal: Vec<Action> = (0..self.things()).filter(open).collect();
        if !legal.is_empty() && !picked.taken.is_empty() {
            legal.push(self.things());
        }
        legal
    }

    fn apply(&self, picked: &mut Picked, action: Action) {
        if action == self.things() {
            picked.stopped = true;
        } else {
            picked.taken.push(action as usize);
        }
    }

    fn returns(&self, picked: &Picked) -> [f32; 2] {
        [Verdict::from(judge(&self.0, &picked.taken)).score, 0.0]
    }

    fn show(&self, picked: &Picked, _player: u8) -> String {
        let taken: Vec<&str> = picked.taken.iter().map(|thing| self.0.names()[*thing].as_str()).collect();
        let taken = if taken.is_empty() { "nothing".to_owned() } else { taken.join(", ") };
        format!("{}\nTaken so far: {taken}.", self.0.listed())
    }

    fn draw(&self, picked: &Picked, _player: u8) -> Picture {
        self.0.draw(&picked.taken, &|thing| self.fits(picked, thing))
    }

    fn name_action(&self, action: Action) -> String {
        self.0.names().get(action as usize).cloned().unwrap_or_else(|| "stop".to_owned())
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let found =
            (0..self.actions()).find(|action| self.name_action(*action).eq_ignore_ascii_case(text.trim()));
        let names = || self.0.names().join(", ");
        found.ok_or_else(|| Misread::off_board(text, format_args!("a move is `stop` or one of {}", names())))
    }

    fn why_illegal(&self, picked: &Picked, action: Action) -> String {
        let thing = action as usize;
        match self.0.names().get(thing) {
            None => "something has to be taken first".to_owned(),
            Some(name) if picked.taken.contains(&thing) => format!("{name} has been taken"),
            Some(_) => self.0.clash(&[&picked.taken[..], &[thing]].concat()).unwrap_or_default(),
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![self.0.names().len(), P::SEEN + 1]
    }

    fn observe(&self, picked: &Picked, _player: u8, out: &mut [f32]) {
        for (thing, row) in out.chunks_exact_mut(P::SEEN + 1).enumerate() {
            self.0.observe(thing, &mut row[..P::SEEN]);
            row[P::SEEN] = f32::from(u8::from(picked.taken.contains(&thing)));
        }
    }

    fn answer(&self, picked: &Picked) -> Option<String> {
        Some(form(&self.0, "").write(&picked.taken))
    }
}
