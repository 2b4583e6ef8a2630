//! Open a lock with as few presses as possible, where the color of a lamp decides what a button does.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::task::permutation;

use crate::shared::reversible;

pub struct ButtonLock;

params! {
    pub struct ButtonLockParams {
        /// Buttons.
        buttons: u32 [2..=6],
        /// Colors of the lamp.
        colors: u32 [2..=3],
        /// Largest number that the lock shows.
        largest: u32 [20..=999],
        /// Length of a shortest solution, which may be one press longer.
        moves: u32 [1..=16],
    }
    levels {
        (6, 2, 40, 2),
        (5, 2, 60, 3),
        (4, 2, 99, 4),
        (4, 3, 99, 5),
        (4, 3, 199, 6),
        (4, 3, 299, 7),
        (4, 3, 499, 9),
        (4, 3, 599, 10),
        (4, 3, 999, 12),
    }
    default 3
}

const COLORS: [(&str, Ink); 3] = [("red", Ink::Red), ("green", Ink::Green), ("blue", Ink::Blue)];
/// All orders of colors.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
const MOST: u16 = 999;
/// From this many moves on, those that look best do not lead to the goal.
const TRAPPED: u32 = 5;

/// Effect of a press while the lamp has a color.
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
        guess_rate: 0.08,
        guess_score: 0.09,
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
            let far = params.moves + rng.below(2) as u32;
            let step = |state, action| lock.step(state, action);
            let reached =
                plan::explore(lock.begin(), lock.buttons.len(), step, |_, away| away > far, budget)?;
            // A number is as far as the first state that shows it.
            let mut seen = [false; MOST as usize + 1];
            let mut first = |state: u32| !std::mem::replace(&mut seen[usize::from(shown(state))], true);
            let firsts = reached.order.iter().filter(|(state, _)| first(*state));
            let ends: Vec<u32> = firsts.filter(|(_, away)| *away == far).map(|(state, _)| *state).collect();
            let Some(state) = (!ends.is_empty()).then(|| *rng.pick(&ends)) else { continue };
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

    fn sign(self) -> String {
        match self.times {
            1 => format!("{} {}", if self.plus < 0 { '-' } else { '+' }, self.plus.abs()),
            times => format!("* {times}"),
        }
    }
}

fn shown(state: u32) -> u16 {
    (state >> 2) as u16
}

fn lit(state: u32) -> usize {
    (state & 3) as usize
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
            "A lock shows the number {number}, and its lamp is {color}. What a button does depends on the color that the lamp has \
             before it is pressed:\n\n{effects:- {button}, if the lamp is {lamp}: number {sign}; then the lamp is {next}}\n\n\
             A press that would take the number below 0 or above {largest} is not possible. The lock opens when it shows {target}, \
             whatever the color of the lamp. Find a shortest sequence of presses after which it does. If there are several, any of \
             them will do.",
        ),
        Prompt::new(
            "message",
            "My bike has one of these crazy puzzle locks and I can't get it open. It shows {number} now and has to show {target}. The \
             light on it is {color} at the moment, and what each button does depends on the light's color. I wrote it all \
             down (number, then the new color of the light; * means times):\n\n{effects:{button} when {lamp}: number {sign}, then {next}}\n\nThe \
             number can't go above {largest} or below 0, the button just won't go down then. Which buttons do I have to push, one \
             after the other, with as few pushes as possible? I don't care about the color in the end, and any shortest way is fine.",
        ),
        Prompt::new(
            "program",
            "n = {number}\nlamp = {color}\n\nEach instruction has one line for each value of lamp. The line for the value before it runs \
             says how it changes n, and then sets lamp to the value after the arrow.\n\n{effects:{button} [{lamp}]: n = n {sign} -> \
             {next}}\n\nIt is an error if n becomes negative or more than {largest}. Write a shortest program that runs without an error \
             and ends with n = {target}; lamp may have any value then. Any program of that length is accepted.",
        ),
        Prompt::held_out(
            "temple",
            "A stone idol has a counter on its chest, which is at {number}, and a gem that shines {color}. If the counter is at {target}, \
             the temple opens, however the gem shines. There are stones with letters, and a tablet says what happens if someone steps \
             on one, depending on how the gem shines just before:\n\n{effects:{button} with the gem {lamp}: counter {sign}, and the gem becomes \
             {next}}\n\nA stone does not sink if it would take the counter below 0 or above {largest}. An explorer wants to open the temple in as \
             few steps as possible. On which stones does she step, in order? Any such way is fine.",
        ),
        Prompt::held_out(
            "table",
            "Lock puzzle\n\nstart: number {number}, lamp {color}\ngoal: number {target}, any lamp\nrange: 0 to {largest}; a press whose \
             result is outside is not allowed\n\nbutton,lamp before,change of number,lamp after\n{effects:{button},{lamp},{sign},{next}}\
             \n\n(* multiplies.)\nObjective: fewest presses; any shortest sequence is accepted\n",
        ),
    ];
    const ANSWER: &'static str = "the letters, in order, each like A,";
    const STATES: u64 = 250;

    fn check(&self) -> Result<(), String> {
        check::within("largest", &self.largest, 1..=MOST)?;
        check::within("number", &self.number, 0..=self.largest)?;
        check::within("target", &self.target, 0..=self.largest)?;
        check::length("buttons", &self.buttons, 1..=6, "buttons")?;
        let colors = self.colors();
        let fine = |effect: &Effect| {
            let Effect { times, plus, color } = *effect;
            let changes = times == 1 && plus != 0 || (2..=9).contains(&times) && plus == 0;
            changes && plus.abs() <= MOST as i16 && usize::from(color) < colors
        };
        let all = |effects: &Vec<Effect>| effects.len() == colors && effects.iter().all(fine);
        let fits = (1..=3).contains(&colors) && self.buttons.iter().all(all);
        let rule = "`buttons` must add, subtract or multiply, for each of at most 3 colors, like `color`";
        check::that(fits && usize::from(self.color) < colors, || rule.to_owned())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        let color = |color: u8| COLORS[usize::from(color)].0;
        slots.text("number", self.number).text("color", color(self.color));
        slots.text("target", self.target).text("largest", self.largest);
        let effects = ('A'..).zip(&self.buttons).flat_map(|(button, effects)| {
            (0..).zip(effects).map(move |(lamp, effect)| (button, lamp, *effect))
        });
        slots.lines("effects", effects, |line, (button, lamp, effect): (char, u8, Effect)| {
            line.text("button", button).text("lamp", color(lamp));
            line.text("sign", effect.sign()).text("next", color(effect.color));
        });
    }

    fn begin(&self) -> u32 {
        u32::from(self.number) << 2 | u32::from(self.color)
    }

    fn is_goal(&self, state: u32) -> bool {
        shown(state) == self.target
    }

    fn names(&self) -> Vec<String> {
        ('A'..).take(self.buttons.len()).map(String::from).collect()
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

    fn draw(&self, state: u32) -> Picture {
        let mut picture = Picture::filled(3, 6, Ink::Grey);
        picture.title((2 * CELL, CELL), 6, shown(state).to_string(), Ink::Black);
        picture.disc(0, 4, COLORS[lit(state)].1);
        picture.title((3 * CELL, 2 * CELL + 4), 3, format!("goal {}", self.target), Ink::White);
        picture
    }

    /// A row with the number and the goal, both over the largest number, and 1 at the color of the lamp; then one for
    /// each effect, with the factor over 10, what is added, from -999 as 0 to 999 as 1, and 1 at the colors before and after.
    fn shape(&self) -> Vec<usize> {
        vec![1 + self.buttons.len() * self.colors(), 2 + 2 * self.colors()]
    }

    fn observe(&self, state: u32, out: &mut [f32]) {
        out.fill(0.0);
        let (colors, largest) = (self.colors(), f32::from(self.largest));
        let mut rows = out.chunks_exact_mut(2 + 2 * colors);
        let row = rows.next().expect("it is the first");
        (row[0], row[1]) = (f32::from(shown(state)) / largest, f32::from(self.target) / largest);
        row[2 + lit(state)] = 1.0;
        let effects = self.buttons.iter().flat_map(|effects| effects.iter().enumerate());
        for (row, (lamp, effect)) in rows.zip(effects) {
            row[0] = f32::from(effect.times) / 10.0;
            row[1] = f32::midpoint(f32::from(effect.plus) / f32::from(MOST), 1.0);
            (row[2 + lamp], row[2 + colors + usize::from(effect.color)]) = (1.0, 1.0);
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, _aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let number = rng.below(u64::from(self.largest) + 1) as u16;
        let edited = Self { number, color: rng.index(self.colors()) as u8, ..self.clone() };
        let plan = edited.shortest(edited.begin(), budget).ok()?.0?;
        (!plan.is_empty()).then_some(Self { plan, ..edited })
    }

    /// Exchanges colors and reorders buttons.
    fn twin(&self, rng: &mut Rng) -> Self {
        let colors = permutation::random(self.colors(), rng);
        self.renamed(&colors, &permutation::random(self.buttons.len(), rng))
    }

    /// The first of its twins.
    fn fingerprint(&self) -> Vec<u8> {
        let (order, colors) = ((0..self.buttons.len()).collect::<Vec<usize>>(), self.colors());
        let orders = ORDERS.iter().filter(|order| order[colors..] == ORDERS[0][colors..]);
        let images = orders.map(|colors| {
            let Self { color, mut buttons, .. } = self.renamed(colors, &order);
            buttons.sort_unstable();
            (color, buttons)
        });
        let first = (self.largest, self.number, self.target, images.min());
        serde_json::to_vec(&first).expect("numbers serialise")
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let way = reversible::downhill_by(self, |state| shown(state).abs_diff(self.target));
        vec![("whatever brings the number nearest to the goal", way)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    #[test]
    fn a_verdict_says_what_a_press_would_lead_to() {
        let effect = |times, plus, color| Effect { times, plus, color };
        let buttons = vec![vec![effect(1, 7, 1), effect(2, 0, 1)], vec![effect(1, -4, 0), effect(1, 3, 0)]];
        let lock = Plan(Lock { largest: 20, number: 2, color: 0, target: 18, buttons, plan: vec![0, 0] });
        assert!(lock.certify(&mut Budget::new(999)).is_ok());
        passes(&lock, "A, A");
        for (wrong, label, detail) in [
            ("B", "illegal_move", "move 1, `B`, is not allowed: the number would be -2"),
            ("A, A, A", "illegal_move", "move 3, `A`, is not allowed: the number would be 36"),
        ] {
            fails(&lock, wrong, label, detail);
        }
    }
}
