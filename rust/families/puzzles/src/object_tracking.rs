//! Keep track of who has what while people exchange things.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::task::permutation;
use kit::task::problem::Field;
use kit::words;

pub struct ObjectTracking;

params! {
    pub struct ObjectTrackingParams {
        /// People, each with one thing.
        people: u32 [3..=12],
        /// Times that they exchange things.
        steps: u32 [1..=60],
        /// Steps that depend on who has a thing at that time, at most all.
        branches: u32 [0..=60],
    }
    levels {
        (4, 2, 0),
        (4, 4, 0),
        (5, 6, 1),
        (6, 9, 2),
        (7, 13, 3),
        (8, 18, 5),
        (9, 24, 7),
        (10, 32, 10),
        (12, 40, 14),
    }
    default 3
}

/// Someone who takes part in a step. People are numbered as they sit, and a thing as the person who has it at first.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    Person(usize),
    /// Whoever has a thing at that time.
    Holder(usize),
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Two exchange what they have.
    Swap([Who; 2]),
    /// The first gives to the second, the second to the third, and the third to the first.
    Circle([usize; 3]),
    /// All give to the next in the row, the last to the first.
    Pass,
    /// If a person has a thing, two swap, and otherwise two others.
    Branch { person: usize, thing: usize, then: [Who; 2], or: [Who; 2] },
}

use Step::{Branch, Circle, Pass, Swap};
use Who::{Holder, Person};

problem! {
    /// People in a row who have one thing each, and what they do.
    pub struct Row {
        people: Vec<usize> [items(3..=12, "people", 0..=NAMES.len() - 1).distinct()],
        /// The thing that each has at first.
        things: Vec<usize> [items(people.len()..=people.len(), "things", 0..=THINGS.len() - 1).distinct()],
        steps: Vec<Step> [items(1..=60, "steps", people.len())],
    }
}

const NAMES: [&str; 13] =
    ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ines", "Jack", "Kira", "Leo", "Mona"];
const THINGS: [&str; 13] =
    ["ball", "bell", "book", "coin", "comb", "cup", "doll", "drum", "fan", "flag", "hat", "card", "kite"];

impl Field for Step {
    /// Number of people.
    type Limits = usize;

    fn check(&self, name: &str, people: &usize) -> Result<(), String> {
        let is_one = |who: &Who| matches!(who, Person(number) | Holder(number) if number < people);
        let fits = |pair: &[Who; 2]| pair[0] != pair[1] && pair.iter().all(is_one);
        let fits = match self {
            Swap(pair) => fits(pair),
            Circle([a, b, c]) => a != b && b != c && c != a && a.max(b).max(c) < people,
            Pass => true,
            Branch { person, thing, then, or } => person.max(thing) < people && fits(then) && fits(or),
        };
        check::that(fits, || format!("`{name}` must be of different people, from 0 to {}", people - 1))
    }
}

impl Step {
    fn draw(people: usize, branch: bool, rng: &mut Rng) -> Self {
        let mut pair = || {
            let order = permutation::random(people, rng);
            [0, 1].map(|at| if rng.chance(1, 2) { Person(order[at]) } else { Holder(order[at]) })
        };
        let (then, or, numbers) = (pair(), pair(), permutation::random(people, rng));
        match rng.index(6) {
            _ if branch => Branch { person: numbers[0], thing: rng.index(people), then, or },
            0 => Pass,
            1 | 2 => Circle([numbers[0], numbers[1], numbers[2]]),
            _ => Swap(then),
        }
    }

    /// Changes what each person has.
    fn take(&self, has: &mut [usize]) {
        match *self {
            Swap(pair) => {
                let [a, b] = pair.map(|who| match who {
                    Person(person) => person,
                    Holder(thing) => has.iter().position(|other| *other == thing).expect("someone has it"),
                });
                has.swap(a, b);
            }
            Circle([a, b, c]) => (has[a], has[b], has[c]) = (has[c], has[a], has[b]),
            Pass => has.rotate_right(1),
            Branch { person, thing, then, .. } if has[person] == thing => Swap(then).take(has),
            Branch { or, .. } => Swap(or).take(has),
        }
    }
}

impl TaskFamily for ObjectTracking {
    type Params = ObjectTrackingParams;
    type Problem = Value<Row>;

    const ABOUT: About = About {
        summary: "Keep track of who has what while people exchange things.",
        distinct_from: 1,
        skills: &["state_tracking", "careful_reading"],
        guess_rate: 0.06,
        guess_score: 0.06,
        ..Value::<Row>::about("puzzles", "object_tracking", &["First version."])
    };

    /// Draws steps until three people or more have something else in the end.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Row>> {
        let (people, steps) = (params.people as usize, params.steps as usize);
        loop {
            budget.spend(u64::from(params.steps))?;
            let order = permutation::random(steps, rng).into_iter();
            let steps = order.map(|at| Step::draw(people, at < params.branches as usize, rng)).collect();
            let row = Row { people: (0..people).collect(), things: (0..people).collect(), steps };
            if row.value().iter().enumerate().filter(|(person, thing)| person != *thing).count() > 2 {
                return Ok(Value(row.disguised(rng)));
            }
        }
    }
}

/// The things that people have after steps.
fn after(people: usize, steps: &[Step]) -> Vec<usize> {
    let mut has: Vec<usize> = (0..people).collect();
    for step in steps {
        step.take(&mut has);
    }
    has
}

impl Row {
    fn name(&self, person: usize) -> &'static str {
        NAMES[self.people[person]]
    }

    fn thing(&self, thing: usize) -> &'static str {
        THINGS[self.things[thing]]
    }

    fn all(&self) -> String {
        words::and((0..self.people.len()).map(|person| self.name(person)))
    }

    /// "Ada: ball, Ben: kite".
    fn told(&self, has: &[usize]) -> String {
        let each = |(at, thing): (usize, &usize)| format!("{}: {}", self.name(at), self.thing(*thing));
        has.iter().enumerate().map(each).listed()
    }

    fn sentence(&self, step: &Step) -> String {
        let who = |who| match who {
            Person(person) => self.name(person).to_owned(),
            Holder(thing) => format!("whoever has the {}", self.thing(thing)),
        };
        let swap = |[a, b]: [Who; 2]| format!("{} and {} swap", who(a), who(b));
        let name = |person| self.name(person);
        match *step {
            Swap(pair) => swap(pair) + ".",
            Circle(three) => {
                let [a, b, c] = three.map(name);
                format!("all at once, {a} gives to {b}, {b} gives to {c}, and {c} gives to {a}.")
            }
            Pass => {
                let last = name(self.people.len() - 1);
                format!("all at once, each but the last gives to the next, and {last} gives to {}.", name(0))
            }
            Branch { person, thing, then, or } => {
                let thing = self.thing(thing);
                format!("if {} has the {thing}, {}; otherwise, {}.", name(person), swap(then), swap(or))
            }
        }
    }
}

impl Exact for Row {
    type Of = Vec<usize>;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "row",
            "{people} sit in a row, in this order, and have one thing each:\n\n{start}\n\nThen they do the following, one step after the \
             other. Two who swap exchange what they have at that time; if both are the same person, nothing \
             changes.\n\n{steps:{number}. {Sentence}}\n\nWho has what after the last step?",
        ),
        Prompt::new(
            "party",
            "We played a silly game at my birthday, and now nobody remembers who went home with which present. We sat in a line: \
             {people}, in that order. At first we had these: {start}. Everything that happened then, in order:\n\n{steps:- {Sentence}}\n\n(To \
             swap means to exchange presents, and nothing changed if it was the same person twice.) Who has which present now?",
        ),
        Prompt::new(
            "dictionary",
            "has = {{{start}}}\n\nThe keys are in this order: {people}. If two keys swap, their values at that time are exchanged; a swap \
             of a key with itself changes nothing. If one key gives to another, the other gets its value. Whoever has a \
             value is the key with it at that time, and the next is the next key in order.\n\n{steps:# {number}: {Sentence}}\n\nWhat \
             are the values of the keys in the end?",
        ),
        Prompt::held_out(
            "train",
            "The passengers sat side by side on one long bench, {people}, in that order. The inspector had noted what each of them held \
             when the train left: {start}. Then, he read, it went like this:\n\n{steps:{Sentence}}\n\nTwo who swapped exchanged what \
             they held just then, and if both were the same person, nothing changed. What did each of them hold when the train arrived?",
        ),
        Prompt::held_out(
            "log",
            "Owners (ordered list): {people}\nState 0: {start}\nEvents (swap: the two owners exchange items, no change if they are the \
             same; next: next in the ordered list):\n{steps:[{number}] {Sentence}}\nQuery: state {count}\n",
        ),
    ];
    const HALF: u64 = 40;
    const PARTS: &'static [Part] = &[Part::new("places", "share of the people whose thing is right")];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("people", self.all()).text("count", self.steps.len());
        slots.with("start", || self.told(&after(self.people.len(), &[])));
        slots.lines("steps", (1..).zip(&self.steps), |line, (number, step): (usize, &Step)| {
            line.text("number", number).with("sentence", || self.sentence(step));
        });
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let what = format!("the things of {} at the end, in this order,", self.all());
        form::Sequence { what, words: self.things.iter().map(|thing| THINGS[*thing].to_owned()).collect() }
    }

    fn value(&self) -> Vec<usize> {
        after(self.people.len(), &self.steps)
    }

    fn what(&self) -> String {
        "what they have at the end".to_owned()
    }

    fn diagnosed(&self, wrong: &Vec<usize>, plain: Failure) -> Failure {
        let (value, people) = (self.value(), self.people.len());
        if wrong.len() != people {
            return Failure::wrong(format!("there must be {people} things, one for each person"));
        }
        let differ: Vec<usize> = (0..people).filter(|person| wrong[*person] != value[*person]).collect();
        let Some(first) = differ.first() else { return plain };
        let failure =
            format!("{} does not have the {} at the end", self.name(*first), self.thing(wrong[*first]));
        Failure::wrong(failure).part("places", 1.0 - differ.len() as f32 / people as f32)
    }

    /// Steps left out, and things exchanged, repeated or left out at the end.
    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let (people, value) = (self.people.len(), self.value());
        let spoilt = faults.draw(self.steps.len(), rng);
        let kept = (0..self.steps.len()).filter(|at| !spoilt.contains(at));
        let kept: Vec<Step> = kept.map(|at| self.steps[at].clone()).collect();
        let [start, last] = [0, self.steps.len() - 1].map(|steps| after(people, &self.steps[..steps]));
        let (repeated, fewer) = ([&value[1..2], &value[1..]].concat(), value[1..].to_vec());
        vec![after(people, &kept), permutation::swapped(&value, faults, rng), start, last, repeated, fewer]
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        vec![("any order", permutation::random(self.people.len(), rng))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let plain = self.steps.iter().filter(|step| !matches!(step, Branch { .. }));
        let plain: Vec<Step> = plain.cloned().collect();
        vec![("all but the conditional steps", after(self.people.len(), &plain))]
    }

    fn work(&self, work: &mut Work) {
        let mut has = after(self.people.len(), &[]);
        for step in &self.steps {
            step.take(&mut has);
            let cost = if *step == Pass { has.len() } else { 3 };
            let hint = format_args!("From what they have by then: {}", self.sentence(step));
            work.hinted(cost as u64, hint, self.told(&has));
        }
    }

    /// Adds a step, takes one away or changes one.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        let at = rng.index(self.steps.len());
        if aim != Aim::Harder {
            edited.steps.remove(at);
        }
        if aim != Aim::Easier {
            edited.steps.insert(at, Step::draw(self.people.len(), rng.chance(1, 4), rng));
        }
        Some(edited)
    }

    /// The row without names.
    fn identity(&self) -> Vec<u8> {
        serde_json::to_vec(&(self.people.len(), &self.steps)).expect("steps serialise")
    }

    /// Gives other names to people and things.
    fn disguised(mut self, rng: &mut Rng) -> Self {
        self.things = permutation::random(THINGS.len(), rng)[..self.people.len()].to_vec();
        self.people = permutation::random(NAMES.len(), rng)[..self.people.len()].to_vec();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    #[test]
    fn things_change_hands_as_the_steps_say() {
        let (then, or) = ([Person(0), Person(1)], [Holder(2), Person(2)]);
        let branch = |thing| Branch { person: 1, thing, then, or };
        let steps = vec![Circle([0, 1, 2]), branch(0), branch(1), Pass];
        let has = |count: usize| after(3, &steps[..count]);
        assert_eq!([1, 2, 3, 4].map(has), [[2, 0, 1], [0, 2, 1], [0, 1, 2], [2, 0, 1]]);
        let row = Value(Row { people: vec![0, 1, 2], things: vec![0, 1, 2], steps });
        passes(&row, "book, ball, bell");
        fails(&row, "book, bell, ball", label::WRONG_ANSWER, "Ben does not have the bell at the end");
        fails(&row, "book", label::WRONG_ANSWER, "there must be 3 things, one for each person");
    }
}
