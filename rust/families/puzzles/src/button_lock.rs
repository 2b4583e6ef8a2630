//! Open a lock with as few presses as possible, where the color of a lamp decides what a button does.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::task::permutation;

use crate::reversible;

pub struct ButtonLock;

params! {
    pub struct ButtonLockParams {
        /// Buttons.
        buttons: u32 [2..=6],
        /// Colors of the lamp.
        colors: u32 [2..=4],
        /// Largest number that the lock shows.
        largest: u32 [20..=999],
        /// Length of a shortest solution, which may be one press longer.
        moves: u32 [1..=16],
    }
    levels {
        (4, 2, 30, 2),
        (4, 2, 50, 3),
        (4, 2, 99, 4),
        (4, 3, 99, 5),
        (4, 3, 199, 6),
        (4, 3, 299, 7),
        (4, 3, 499, 9),
        (4, 4, 699, 11),
        (4, 4, 999, 13),
    }
    default 3
}

const COLORS: [(&str, Ink); 4] =
    [("red", Ink::Red), ("green", Ink::Green), ("blue", Ink::Blue), ("yellow", Ink::Yellow)];
const MOST: u16 = 999;
/// From this many moves on, those that look best do not lead to the goal.
const TRAPPED: u32 = 5;

/// What a press does while the lamp has a color.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The number is multiplied by this, then `plus` is added.
    times: i16,
    plus: i16,
    /// The next color of the lamp.
    color: u8,
}

/// A lock that shows a number from 0 to `largest`, with a lamp.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    largest: u16,
    number: u16,
    color: u8,
    /// The number that opens the lock.
    target: u16,
    /// For each button, its effect for each color of the lamp.
    buttons: Vec<Vec<Effect>>,
    /// Numbers of the buttons of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

impl TaskFamily for ButtonLock {
    type Params = ButtonLockParams;
    type Problem = Plan<Lock>;

    const ABOUT: About = About {
        summary: "Open a lock with as few presses as possible, where a lamp decides what a button does.",
        skills: &["planning", "search", "state_tracking"],
        guess_rate: 0.1,
        guess_score: 0.1,
        ..Plan::<Lock>::about("puzzles", "button_lock", &["First version."])
    };

    /// Draws locks until a number takes as many presses as required.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Lock>> {
        loop {
            let button = |_| (0..params.colors).map(|_| Effect::draw(params, rng)).collect();
            let buttons = (0..params.buttons).map(button).collect();
            let (largest, color) = (params.largest as u16, rng.below(params.colors.into()) as u8);
            let number = rng.below(u64::from(largest) + 1) as u16;
            let lock = Lock { largest, number, color, target: number, buttons, plan: Vec::new() };
            let length = params.moves + rng.below(2) as u32;
            let step = |state, action| lock.step(state, action);
            let (begin, actions) = (lock.begin(), lock.buttons.len());
            let reached = plan::explore(begin, actions, step, |_, away| away > length, budget)?;
            // A number is as far as the first state that shows it.
            let (mut seen, mut far) = ([false; MOST as usize + 1], Vec::new());
            for (state, away) in &reached.order {
                let first = !std::mem::replace(&mut seen[usize::from(shown(*state))], true);
                if first && *away == length {
                    far.push(*state);
                }
            }
            if far.is_empty() {
                continue;
            }
            let state = *rng.pick(&far);
            let lock = Lock { target: shown(state), plan: reached.way(state), ..lock };
            if params.moves < TRAPPED || !reversible::yields(&lock) {
                return Ok(Plan(lock));
            }
        }
    }
}

impl Effect {
    fn draw(params: &ButtonLockParams, rng: &mut Rng) -> Self {
        let most = i64::from(params.largest) / 5;
        let (times, plus) = match rng.index(5) {
            0 => (rng.int(2, 3) as i16, 0),
            1 | 2 => (1, rng.int(1, most) as i16),
            _ => (1, -rng.int(1, most) as i16),
        };
        Self { times, plus, color: rng.below(params.colors.into()) as u8 }
    }

    fn words(self) -> String {
        match (self.times, self.plus) {
            (1, plus) if plus < 0 => format!("subtract {}", -plus),
            (1, plus) => format!("add {plus}"),
            (times, _) => format!("multiply by {times}"),
        }
    }

    fn sign(self) -> String {
        if self.times == 1 { format!("{:+}", self.plus) } else { format!("*{}", self.times) }
    }
}

fn shown(state: u32) -> u16 {
    (state >> 2) as u16
}

fn lit(state: u32) -> usize {
    (state & 3) as usize
}

fn letter(button: usize) -> char {
    char::from(b'A' + button as u8)
}

impl Lock {
    fn colors(&self) -> usize {
        self.buttons[0].len()
    }

    /// The number after a press, where there may be none such.
    fn pressed(&self, state: u32, button: usize) -> i32 {
        let effect = self.buttons[button][lit(state)];
        i32::from(shown(state)) * i32::from(effect.times) + i32::from(effect.plus)
    }

    /// The lock with other colors, and its buttons in another order.
    fn renamed(&self, colors: &[usize], order: &[usize]) -> Self {
        let mut twin = self.clone();
        let color = |color: u8| colors[usize::from(color)] as u8;
        for (button, effects) in self.buttons.iter().enumerate() {
            for (lamp, effect) in effects.iter().enumerate() {
                twin.buttons[order[button]][colors[lamp]] = Effect { color: color(effect.color), ..*effect };
            }
        }
        twin.color = color(self.color);
        twin.plan = self.plan.iter().map(|button| order[usize::from(*button)] as u8).collect();
        twin
    }
}

impl Puzzle for Lock {
    /// Two bits for the color of the lamp, and the number.
    type State = u32;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "lock",
            "A lock shows the number {number}, and its lamp is {color}. It has buttons, which change the number and the lamp. What a \
             button does depends on the color that the lamp has before it is pressed:\n\n{effects:- {button}, if the lamp is {lamp}: \
             {words}; then the lamp {same?stays|turns} {next}}\n\nA press that would take the number below 0 or above {largest} is \
             not possible. The lock opens as soon as it shows {target}, whatever the color of the lamp. Find a shortest sequence of \
             presses that opens it. If there are several, any of them will do.",
        ),
        Prompt::new(
            "message",
            "My bike has one of these crazy puzzle locks and I can't get it open. It shows {number} now and has to show {target}. There \
             is a light on it, at the moment it's {color}, and every button does something else depending on the light's color. I \
             wrote it all down (number, then the new color of the light):\n\n{effects:{button} when {lamp}: {words}, light is \
             {next} then}\n\nThe number can't go above {largest} or below 0, the button just won't go down then. Which buttons do I have to \
             push, one after the other? I don't care what color the light has in the end. I'd like as few pushes as possible, and any \
             shortest way is fine.",
        ),
        Prompt::new(
            "program",
            "n = {number}\nlamp = {color}\n\nEach instruction has one line for each value of lamp. The line for the value before it runs \
             says how it changes n, and then sets lamp to the value after the arrow.\n\n{effects:{button} [{lamp}]: n = n{sign} -> \
             {next}}\n\nIt is an error if n becomes negative or more than {largest}. Write a shortest program that runs without an error \
             and ends with n = {target}; lamp may have any value then. Any program of that length is accepted.",
        ),
        Prompt::held_out(
            "temple",
            "In front of the temple door sits a stone idol with a counter on its chest. The counter is at {number}, and a gem in the \
             forehead shines {color}. The door opens if the counter is at {target}; the gem does not matter for that. The explorer finds \
             stones to step on, each marked with a letter, and a tablet that says what happens if someone steps on one, depending on \
             how the gem shines just before:\n\n{effects:{button} with the gem {lamp}: {words}, and the gem becomes {next}}\n\n\
             The counter goes from 0 to {largest}, and a stone does not move if it would take it any further. She wants to step on as few \
             stones as possible, counting each step. On which stones does she step, in order? Any such way is fine.",
        ),
        Prompt::held_out(
            "table",
            "Lock puzzle\n\nstart: number {number}, lamp {color}\ngoal: number {target}, any lamp\nrange: 0 to {largest}; a press whose \
             result is outside is not allowed\n\nbutton,lamp before,change of number,lamp after\n{effects:{button},{lamp},{sign},{next}}\
             \n\n(+ adds, - subtracts, * multiplies.)\nObjective: fewest presses; any shortest sequence is accepted\n",
        ),
    ];
    const ANSWER: &'static str =
        "the letters of the buttons in the order in which they are pressed, each like A,";
    const STATES: u64 = 250;

    fn check(&self) -> Result<(), String> {
        check::within("largest", &self.largest, 1..=MOST)?;
        check::within("number", &self.number, 0..=self.largest)?;
        check::within("target", &self.target, 0..=self.largest)?;
        check::length("buttons", &self.buttons, 1..=6, "buttons")?;
        let colors = self.colors();
        check::within("buttons", &colors, 1..=4)?;
        check::within("color", &usize::from(self.color), 0..=colors - 1)?;
        let fine = |effect: &Effect| {
            let changes = effect.times == 1 && effect.plus != 0 || effect.times > 1 && effect.plus == 0;
            changes
                && effect.times <= 9
                && effect.plus.abs() <= MOST as i16
                && usize::from(effect.color) < colors
        };
        let all = |effects: &Vec<Effect>| effects.len() == colors && effects.iter().all(fine);
        check::that(self.buttons.iter().all(all), || {
            "`buttons` must add, subtract or multiply and set a color, for each color".to_owned()
        })
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        let color = |color: u8| COLORS[usize::from(color)].0;
        slots.text("number", self.number).text("color", color(self.color));
        slots.text("target", self.target).text("largest", self.largest);
        let effects = self.buttons.iter().enumerate().flat_map(|(button, effects)| {
            (0..).zip(effects).map(move |(lamp, effect)| (letter(button), lamp, *effect))
        });
        slots.lines("effects", effects, |line, (button, lamp, effect): (char, u8, Effect)| {
            line.text("button", button).text("lamp", color(lamp)).text("next", color(effect.color));
            line.text("words", effect.words())
                .text("sign", effect.sign())
                .either("same", lamp == effect.color);
        });
    }

    fn begin(&self) -> u32 {
        u32::from(self.number) << 2 | u32::from(self.color)
    }

    fn is_goal(&self, state: u32) -> bool {
        shown(state) == self.target
    }

    fn names(&self) -> Vec<String> {
        (0..self.buttons.len()).map(|button| letter(button).to_string()).collect()
    }

    fn step(&self, state: u32, button: usize) -> Option<u32> {
        let (number, color) = (self.pressed(state, button), self.buttons[button][lit(state)].color);
        (0..=i32::from(self.largest)).contains(&number).then(|| (number as u32) << 2 | u32::from(color))
    }

    fn why_not(&self, state: u32, button: usize) -> String {
        format!("the number would be {}", self.pressed(state, button))
    }

    fn told(&self, state: u32) -> String {
        format!("{} {}", shown(state), COLORS[lit(state)].0)
    }

    fn picture(&self, state: u32) -> String {
        format!("Number: {}\nLamp: {}\nGoal: {}", shown(state), COLORS[lit(state)].0, self.target)
    }

    /// The number next to the lamp, and the goal below.
    fn draw(&self, state: u32) -> Picture {
        let mut picture = Picture::filled(3, 6, Ink::Grey);
        picture.title((2 * CELL, CELL), 6, shown(state).to_string(), Ink::Black);
        picture.disc(0, 4, COLORS[lit(state)].1);
        picture.title((3 * CELL, 2 * CELL + 4), 3, format!("goal {}", self.target), Ink::White);
        picture
    }

    /// A row with the number and the goal, both over the largest number, and 1 at the color of the lamp; then one for
    /// each effect, with the factor over 10, what is added over the largest number, and 1 at the colors before and after.
    fn shape(&self) -> Vec<usize> {
        vec![1 + self.buttons.len() * self.colors(), 2 + 2 * self.colors()]
    }

    fn observe(&self, state: u32, out: &mut [f32]) {
        out.fill(0.0);
        let (colors, largest) = (self.colors(), f32::from(self.largest));
        let mut rows = out.chunks_exact_mut(2 + 2 * colors);
        let mut put = |first: f32, second: f32, ones: &[usize]| {
            let row = rows.next().expect("there is a row for it");
            (row[0], row[1]) = (first, second);
            ones.iter().for_each(|one| row[2 + one] = 1.0);
        };
        put(f32::from(shown(state)) / largest, f32::from(self.target) / largest, &[lit(state)]);
        for effects in &self.buttons {
            for (lamp, effect) in effects.iter().enumerate() {
                let ones = [lamp, colors + usize::from(effect.color)];
                put(f32::from(effect.times) / 10.0, f32::from(effect.plus) / largest, &ones);
            }
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (state, plan) = reversible::edited(self, aim, rng, budget)?;
        Some(Self { number: shown(state), color: lit(state) as u8, plan, ..self.clone() })
    }

    /// Exchanges colors and reorders buttons.
    fn twin(&self, rng: &mut Rng) -> Self {
        let colors = permutation::random(self.colors(), rng);
        self.renamed(&colors, &permutation::random(self.buttons.len(), rng))
    }

    /// The first of its twins.
    fn fingerprint(&self) -> Vec<u8> {
        let order: Vec<usize> = (0..self.buttons.len()).collect();
        let image = |colors: Vec<usize>| {
            let Self { color, mut buttons, .. } = self.renamed(&colors, &order);
            buttons.sort_unstable();
            (color, buttons)
        };
        let first = orders(self.colors()).into_iter().map(image).min();
        serde_json::to_vec(&(self.largest, self.number, self.target, first)).expect("numbers serialise")
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let way = reversible::downhill_by(self, |state| shown(state).abs_diff(self.target));
        vec![("whatever brings the number nearest to the goal", way)]
    }
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let longer = |orders: Vec<Vec<usize>>, last: usize| {
        let insert =
            |order: Vec<usize>| (0..=last).map(move |at| [&order[..at], &[last], &order[at..]].concat());
        orders.into_iter().flat_map(insert).collect()
    };
    (0..count).fold(vec![Vec::new()], longer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    #[test]
    fn a_verdict_says_what_a_press_would_lead_to() {
        let effect = |times, plus, color| Effect { times, plus, color };
        let buttons = vec![vec![effect(1, 7, 1), effect(2, 0, 1)], vec![effect(1, -4, 0), effect(1, 3, 0)]];
        let lock = Lock { largest: 20, number: 2, color: 0, target: 18, buttons, plan: vec![0, 0] };
        let lock = Plan(lock);
        assert!(lock.certify(&mut Budget::new(999)).is_ok());
        passes(&lock, "A, A");
        for (wrong, label, detail) in [
            ("B", "illegal_move", "move 1, `B`, is not allowed: the number would be -2"),
            ("A, A, A", "illegal_move", "move 3, `A`, is not allowed: the number would be 36"),
            ("A, B", "goal_not_reached", "the moves do not end at the goal, but at this: 12 red"),
        ] {
            fails(&lock, wrong, label, detail);
        }
        assert_eq!(orders(3).len(), 6);
    }
}
