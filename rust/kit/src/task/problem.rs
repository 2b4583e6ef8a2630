//! A problem: what is asked, and its verifier.

use serde::{Serialize, de::DeserializeOwned};

use crate::budget::Budget;
use crate::rng::Rng;
use crate::rules::Play;
use crate::task::answer::{self, Reply};
use crate::task::certificate::{Aim, Certificate, Uncertified};
use crate::task::erased::Instance;
use crate::task::form::Form;
use crate::task::solution::{Effort, Faults, Solution};
use crate::task::steps::{StepJudge, Trace};
use crate::task::style::Choices;
use crate::task::verdict::{Judged, Verdict};

mod field;
mod fields;
mod graphs;
mod grids;
mod prompt;
mod relations;
mod work;

pub use field::{Bag, Disguise, Field, Items, Unlimited, items};
pub use fields::Fields;
pub use graphs::{Among, Node, Nodes, PerEdge, Size, among, directed, undirected};
pub use grids::{Border, Ends, Sides, Upright, View, rectangle, square};
pub use prompt::{Prompt, Slots};
pub use relations::Relations;
pub use work::Work;

/// A wording of a problem: everything but the last sentence, which the form provides. A held-out one never
/// appears in the train split.
pub struct Template<P> {
    pub name: &'static str,
    pub held_out: bool,
    word: Word<P>,
}

enum Word<P> {
    Plain(fn(&P) -> String),
    Varied(fn(&P, &mut Rng) -> String),
}

impl<P> Template<P> {
    pub const fn open(name: &'static str, word: fn(&P, &mut Rng) -> String) -> Self {
        Self { name, held_out: false, word: Word::Varied(word) }
    }

    pub const fn held_out(name: &'static str, word: fn(&P, &mut Rng) -> String) -> Self {
        Self { name, held_out: true, word: Word::Varied(word) }
    }

    /// A wording without smaller choices.
    pub const fn plain(name: &'static str, word: fn(&P) -> String) -> Self {
        Self { name, held_out: false, word: Word::Plain(word) }
    }

    /// A held-out wording without smaller choices.
    pub const fn held_out_plain(name: &'static str, word: fn(&P) -> String) -> Self {
        Self { name, held_out: true, word: Word::Plain(word) }
    }

    pub fn word(&self, problem: &P, choices: Choices<'_>) -> String {
        match (&self.word, choices) {
            (Word::Plain(word), _) => word(problem),
            (Word::Varied(word), Choices::Of(style)) => word(problem, &mut style.rng()),
            (Word::Varied(word), Choices::From(rng)) => word(problem, rng),
        }
    }
}

/// A problem in the words of one of its wordings.
pub(crate) fn word<P: Problem>(problem: &P, at: usize, choices: Choices<'_>) -> String {
    match P::PROMPTS.get(at) {
        Some(prompt) => prompt.word(&|slots| problem.slots(slots), choices),
        None => P::TEMPLATES[at].word(problem, choices),
    }
}

/// A problem with its verifier: checking an answer needs only the problem's JSON.
pub trait Problem: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// A parsed answer.
    type Answer;

    /// The wordings, at least three, at least one of them held out.
    const TEMPLATES: &'static [Template<Self>] = &[];

    /// The wordings of a problem that gives them as data.
    const PROMPTS: &'static [Prompt] = &[];

    /// Fills the slots of [`Problem::PROMPTS`].
    fn slots(&self, _slots: &mut Slots<'_>) {}

    /// Proves the problem well formed, in bounds, solvable and, where it must be, unique. [`Problem::check`] has
    /// already passed.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified>;

    /// A problem near this one, or `None` if this draw leads to none: the caller draws again, a bounded
    /// number of times, certifies the problem and checks that its difficulty moved as requested.
    fn edited(&self, _aim: Aim, _rng: &mut Rng, _budget: &mut Budget) -> Option<Self> {
        None
    }

    /// Checks shape and bounds. Runs on every problem read from JSON before anything else touches it, so that
    /// no hostile problem makes another method panic or run long. The message names the field.
    fn check(&self) -> Result<(), String>;

    /// The form in which the answer is asked for, read and written.
    fn form(&self) -> impl Form<Read = Self::Answer>;

    /// True steps, and a final answer that passes.
    fn solution(&self) -> Solution;

    /// The answer of [`Problem::solution`] alone, if it takes less work than the steps.
    fn answer(&self) -> String {
        self.solution().answer
    }

    /// Verifies a parsed answer. Total, in bounded work, without a panic.
    fn verify(&self, answer: Self::Answer, budget: &mut Budget) -> Judged;

    /// Wrong answers in the right form, with as many faults as requested if the answer has several places to
    /// be wrong in. All of them must fail.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Self::Answer>;

    /// Answers of blind policies, each with the policy's name: something on the surface of the prompt, or a
    /// uniform draw of the right form. Always the same policies in the same order.
    fn guesses(&self, _rng: &mut Rng) -> Vec<(&'static str, Self::Answer)> {
        Vec::new()
    }

    /// Answers of greedy readers, each with the reader's name: they apply one rule of thumb from start to end, or
    /// look one or two steps ahead, and never take anything back. They may pass at easy levels, which the
    /// family's page says. Always the same readers in the same order.
    fn shortcuts(&self, _rng: &mut Rng) -> Vec<(&'static str, Self::Answer)> {
        Vec::new()
    }

    /// A right answer drawn from several, if the problem has several that are easily drawn.
    fn another(&self, _rng: &mut Rng) -> Option<Self::Answer> {
        None
    }

    /// The same problem renamed, reordered, mirrored or relabeled as its rules allow, and changed in details
    /// that do not affect the answer, with the same fingerprint; the problem itself if its rules allow
    /// nothing.
    #[must_use]
    fn twin(&self, rng: &mut Rng) -> Self;

    /// Counted work of a reference solver; it grows with the level.
    fn effort(&self) -> Effort;

    /// Identity of the problem: equal for twins, whatever the wording.
    fn fingerprint(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("problems serialise")
    }

    /// The problem that a derived one is about. It decides the split.
    fn inner(&self) -> Option<&Instance> {
        None
    }

    /// A verifier of reasoning steps, if the family has one.
    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        None
    }

    /// For each step of [`Problem::solution`] a hint that does not give it away: where to look, and which
    /// technique applies there, from the solver's own reasons. It never contains the answer or what the step
    /// finds. Empty for problems whose solver has no reasons.
    fn hints(&self) -> Vec<String> {
        Vec::new()
    }

    /// The steps of [`Problem::solution`] with a slip in one of them, its index first, and the rest continued
    /// as if the slip had gone unnoticed. For problems whose steps carry a state: a single misprinted step
    /// would show in the steps next to it.
    fn slip(&self, _rng: &mut Rng) -> Option<(usize, Vec<String>)> {
        None
    }

    /// The solution as a trace, if each of its steps carries on the one before.
    fn trace(&self) -> Option<Box<dyn Trace + '_>> {
        None
    }

    /// The problem as a one-player game, if it can be played.
    fn moves(&self) -> Option<Box<dyn Play>> {
        None
    }

    /// Verifies a whole completion. Only a family that measures text outside the answer overrides it.
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        let judged = match (reply.answer, reply.faults.as_slice()) {
            (Some(answer), []) => self.form().read(answer).and_then(|answer| self.verify(answer, budget)),
            _ => Err(answer::unread(reply, tag)),
        };
        judged.into()
    }
}
