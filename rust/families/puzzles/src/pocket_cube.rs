//! Turn a 2x2x2 cube from one pattern to another in as few turns as possible.

use std::sync::LazyLock;

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{Plan, Puzzle};

use crate::shared::reversible;

pub struct PocketCube;

params! {
    pub struct PocketCubeParams {
        /// Length of a shortest solution, which may be one turn longer.
        moves: u32 [1..=9],
    }
    levels {
        (1), (2), (3), (4), (5), (6), (7), (8), (9),
    }
    default 3
}

const TURNS: [&str; 9] = ["R", "R2", "R'", "U", "U2", "U'", "F", "F2", "F'"];
/// The turn that takes each back.
const UNDO: [u8; 9] = [2, 1, 0, 5, 4, 3, 8, 7, 6];
/// The cycles of R, U and F, of places in reading order of the unfolded cube.
const CYCLES: [[[usize; 4]; 3]; 3] = [
    [[1, 18, 21, 7], [3, 10, 23, 15], [8, 9, 17, 16]],
    [[0, 1, 3, 2], [4, 10, 8, 6], [5, 11, 9, 7]],
    [[2, 8, 21, 13], [3, 16, 20, 5], [6, 7, 15, 14]],
];
/// The images of places as the whole cube is turned, R to U, U to F and F to R.
const TURNED: [usize; 24] =
    [14, 6, 15, 7, 20, 21, 16, 8, 3, 2, 5, 13, 22, 23, 17, 9, 1, 0, 4, 12, 18, 10, 19, 11];
/// The face of each place.
const FACES: [usize; 24] = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5];
/// All places but those on the corner that no turn moves.
const MOVING: [usize; 21] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 20, 21, 23];
const COLORS: &str = "WYGBKS";
const INKS: [Ink; 6] = [Ink::White, Ink::Yellow, Ink::Green, Ink::Blue, Ink::Black, Ink::Grey];
/// From this many moves on, those that look best do not lead to the goal.
const TRAPPED: u32 = 4;
/// Steps of the search that may solve one draw.
const SEARCH: u64 = 300_000;

/// For each turn and each place that moves, the bits in a state from which its sticker comes.
static SHIFTS: LazyLock<[[usize; 21]; 9]> = LazyLock::new(|| {
    let bits = |place| 3 * MOVING.binary_search(&place).expect("it moves");
    std::array::from_fn(|action| MOVING.map(|place| bits(sources(action)[place])))
});

/// The place from which each sticker comes.
fn sources(action: usize) -> [usize; 24] {
    let mut from = std::array::from_fn(|place| place);
    for cycle in CYCLES[action / 3] {
        (0..4).for_each(|at| from[cycle[(at + action % 3 + 1) % 4]] = cycle[at]);
    }
    from
}

/// Two patterns of a cube: the numbers of the colors, by places.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cube {
    start: Vec<u8>,
    goal: Vec<u8>,
    /// Numbers of the turns of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

impl TaskFamily for PocketCube {
    type Params = PocketCubeParams;
    type Problem = Plan<Cube>;

    const ABOUT: About = About {
        summary: "Turn a 2x2x2 cube from one pattern to another in as few turns as possible.",
        distinct_from: 1,
        skills: &["planning", "search", "spatial_reading"],
        guess_rate: 0.08,
        guess_score: 0.08,
        ..Plan::<Cube>::about("puzzles", "pocket_cube", &["First version."])
    };

    /// Turns a cube at random until a shortest way back takes as many turns as required, and takes a part of it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Cube>> {
        loop {
            budget.spend(SEARCH / 100)?;
            let mut colors = [0, 1, 2, 3, 4, 5];
            rng.shuffle(&mut colors);
            let [start, goal] = [(); 2].map(|()| FACES.map(|face| colors[face]).to_vec());
            let mut cube = Cube { start, goal, plan: Vec::new() };
            cube.start = cube.unpacked(reversible::walk(&cube, cube.begin(), 30, rng));
            let length = params.moves as usize + rng.index(2);
            cube.goal = cube.unpacked(reversible::walk(&cube, cube.begin(), length + rng.index(length), rng));
            if let Some((ends, plan)) = reversible::part(&cube, length, SEARCH, rng, budget)? {
                let [start, goal] = ends.map(|state| cube.unpacked(state));
                cube = Cube { start, goal, plan };
                if params.moves < TRAPPED || !reversible::yields(&cube) {
                    return Ok(Plan(cube));
                }
            }
        }
    }
}

/// Three bits for the color of each place that moves.
fn packed(stickers: &[u8]) -> u64 {
    MOVING.iter().rev().fold(0, |state, place| state << 3 | u64::from(stickers[*place]))
}

impl Cube {
    fn unpacked(&self, state: u64) -> Vec<u8> {
        let mut stickers = self.start.clone();
        (0..).zip(MOVING).for_each(|(at, place)| stickers[place] = (state >> (3 * at) & 7) as u8);
        stickers
    }

    /// The cube turned around the corner that does not move.
    fn turned(&self) -> Self {
        let turned = |stickers: &[u8]| {
            let mut turned = vec![0; 24];
            TURNED.iter().zip(stickers).for_each(|(place, color)| turned[*place] = *color);
            turned
        };
        let plan = self.plan.iter().map(|action| (action + 3) % 9).collect();
        Self { start: turned(&self.start), goal: turned(&self.goal), plan }
    }
}

/// The unfolded cube with a sign for each place.
fn unfolded<T: ToString>(signs: &[T]) -> String {
    let (width, mut signs) = (signs[23].to_string().len(), signs.iter());
    let mut sign = |row: usize, column: usize| {
        let sign = if row / 2 == 1 || column / 2 == 1 { signs.next() } else { None };
        format!("{:>width$}", sign.map_or(".".to_owned(), T::to_string))
    };
    (0..6).map(|row| (0..8).map(|column| sign(row, column)).joined(" ")).lines()
}

fn letters(stickers: &[u8]) -> Vec<char> {
    stickers.iter().map(|color| COLORS.as_bytes()[usize::from(*color)].into()).collect()
}

fn pattern(stickers: &[u8]) -> String {
    unfolded(&letters(stickers))
}

impl Puzzle for Cube {
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "cube",
            "This is a 2x2x2 cube, unfolded: the top, then left, front, right and back side by side, then the bottom. The places of its \
             stickers have numbers:\n\n{places}\n\nU turns the top half by a quarter, R the right half and F the front half, clockwise as \
             seen from that side. In cycles, where (1 -> 2 -> 4 -> 3) says that the stickers at 1, 2, 4 and 3 go to 2, 4, 3 and \
             1:\n\nU: {u}\nR: {r}\nF: {f}\n\nAll others stay. U', R' and F' are quarter turns the other way, and U2, R2 and F2 half turns; \
             each of these nine is one move, and there are no others. With a letter for each color, the cube is now\n\n{start}\n\nand should become\n\n{goal}\n\nFind a shortest \
             sequence of moves. If there are several, any of them will do.",
        ),
        Prompt::new(
            "message",
            "I numbered the stickers of my 2x2x2 cube and drew it unfolded (top; left, front, right, back; bottom):\n\n{places}\n\n\
             Then I tried what one turn does. After U, which is the top layer a quarter turn clockwise, seen from above, I have:\n\n{after_u}\n\nAfter R \
             instead, the right layer clockwise:\n\n{after_r}\n\nAfter F instead, the front layer clockwise:\n\n{after_f}\n\nI can also \
             turn them counterclockwise, that's U', R' and F', or twice, U2, R2 and F2, which I count as one turn. I don't turn other layers. Now the colors on the \
             cube (one letter per color) are these:\n\n{start}\n\nHow do I get exactly this pattern?\n\n{goal}\n\nI want to use as few \
             turns as possible, and I don't mind which if there's more than one way.",
        ),
        Prompt::new(
            "program",
            "x = [{from}], with indices from 1\n\nEach instruction moves values within x: (1 -> 2 -> 4 -> 3) moves the value at index 1 to \
             index 2, that at 2 to 4, that at 4 to 3 and that at 3 to 1, all at once, and other values stay.\n\nU: {u}\nR: {r}\nF: {f}\n\n\
             U2 does what U does twice, and U' what U does three times; R2, R', F2 and F' likewise. Each of these nine is one instruction. \
             (x holds the stickers of a 2x2x2 cube.) Write a shortest program after which\n\nx = [{to}]\n\nAny program of that \
             length is accepted.",
        ),
        Prompt::held_out(
            "ship",
            "The lock of the treasure room is a stone cube of 2x2x2 blocks with 24 jewels on its faces. The mate drew it unfolded (the lid; \
             left, front, right and back; the base) and numbered the settings:\n\n{places}\n\nThree grips turn the upper (U), right (R) and \
             front half (F), clockwise as seen when facing that side. A quarter turn moves the jewels in rings, (1 -> 2 -> 4 -> 3) meaning \
             that what is in 1 goes to 2, from 2 to 4, from 4 to 3 and from 3 to 1:\n\nU: {u}\nR: {r}\nF: {f}\n\nThe other jewels stay. A \
             quarter turn back is U', R' or F', and half a turn U2, R2 or F2. The jewels, with a letter for each color, are now\n\n{start}\
             \n\nand the room opens when they are\n\n{goal}\n\nEvery turn creaks, whatever its size, so the crew wants as few as possible. \
             Which turns? Any such way is fine.",
        ),
        Prompt::held_out(
            "planning",
            "Problem: 2x2x2 cube\nPositions (unfolded; rows 1-2: up face; rows 3-4: left, front, right, back faces; rows 5-6: down \
             face):\n{places}\nActions, in cycle notation (content moves to the next position of its cycle, and from the last to the \
             first):\nU = {u}\nR = {r}\nF = {f}\nU2, R2, F2: the same twice\nU', R', F': the inverse\nInitial colors:\n{start}\nGoal \
             colors:\n{goal}\nCost: 1 for each of the nine actions\nTask: find a plan with minimum cost; any such plan is accepted\n",
        ),
    ];
    const ANSWER: &'static str = "the turns in order, each written like U, U' or U2,";
    const STATES: u64 = 300;

    fn check(&self) -> Result<(), String> {
        for (field, stickers) in [("start", &self.start), ("goal", &self.goal)] {
            check::length(field, stickers, 24..=24, "stickers")?;
            check::each(field, stickers, |color| usize::from(*color) < 6, "there is no such color")?;
        }
        Ok(())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.with("places", || unfolded(&std::array::from_fn::<_, 24, _>(|place| place + 1)));
        slots.with("start", || pattern(&self.start)).with("goal", || pattern(&self.goal));
        slots.with("from", || letters(&self.start).into_iter().listed());
        slots.with("to", || letters(&self.goal).into_iter().listed());
        for (axis, [cycles, after]) in (0..).zip([["r", "after_r"], ["u", "after_u"], ["f", "after_f"]]) {
            let told = |at: &[usize; 4]| format!("({})", at.map(|at| at + 1).iter().joined(" -> "));
            slots.with(cycles, || CYCLES[axis].iter().map(told).joined(" "));
            slots.with(after, || unfolded(&sources(3 * axis).map(|place| place + 1)));
        }
    }

    fn begin(&self) -> u64 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u64) -> bool {
        self.unpacked(state) == self.goal
    }

    fn names(&self) -> Vec<String> {
        TURNS.map(String::from).to_vec()
    }

    fn step(&self, state: u64, action: usize) -> Option<u64> {
        Some(SHIFTS[action].iter().rev().fold(0, |next, from| next << 3 | state >> from & 7))
    }

    fn why_not(&self, _state: u64, _action: usize) -> String {
        "every turn is".to_owned()
    }

    fn undone(&self) -> Option<(u64, Vec<u8>)> {
        Some((packed(&self.goal), UNDO.to_vec()))
    }

    fn told(&self, state: u64) -> String {
        pattern(&self.unpacked(state)).replace(['.', ' '], "").replace('\n', " / ")
    }

    fn picture(&self, state: u64) -> String {
        format!("{}\n\nGoal:\n{}", pattern(&self.unpacked(state)), pattern(&self.goal))
    }

    /// The cube unfolded, and right of it the goal.
    fn draw(&self, state: u64) -> Picture {
        let mut picture = Picture::new(6, 17);
        for (left, stickers) in [(0, &self.unpacked(state)), (9, &self.goal)] {
            for (row, line) in (0..).zip(pattern(stickers).lines()) {
                for (column, letter) in (left..).zip(line.split(' ')) {
                    picture.cell(row, column, COLORS.find(letter).map_or(Ink::Brown, |color| INKS[color]));
                }
            }
        }
        picture
    }

    /// A row for each place with 1 at its color; then the same at the goal.
    fn shape(&self) -> Vec<usize> {
        vec![2, 24, 6]
    }

    fn observe(&self, state: u64, out: &mut [f32]) {
        out.fill(0.0);
        let stickers = [self.unpacked(state), self.goal.clone()].concat();
        stickers.iter().enumerate().for_each(|(place, color)| out[6 * place + usize::from(*color)] = 1.0);
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (state, plan) = reversible::edited(self, aim, rng, budget)?;
        Some(Self { start: self.unpacked(state), plan, ..self.clone() })
    }

    /// Turns the whole cube, and changes the colors.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut colors = [0, 1, 2, 3, 4, 5];
        rng.shuffle(&mut colors);
        let mut twin = rng.pick(&[self.clone(), self.turned(), self.turned().turned()]).clone();
        let stickers = twin.start.iter_mut().chain(&mut twin.goal);
        stickers.for_each(|color| *color = colors[usize::from(*color)]);
        twin
    }

    /// For each sticker, where its color comes first: the least such list of all ways to turn the whole cube.
    fn fingerprint(&self) -> Vec<u8> {
        let list = |cube: Self| -> Vec<u8> {
            let stickers = [cube.start, cube.goal].concat();
            let first = |color| stickers.iter().position(|other| other == color).map(|place| place as u8);
            stickers.iter().filter_map(first).collect()
        };
        let others = self.turned();
        list(self.clone()).min(list(others.turned())).min(list(others))
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let wrong = |state| (0..24).filter(|at| self.unpacked(state)[*at] != self.goal[*at]).count();
        vec![("whatever puts the most stickers right", reversible::downhill_by(self, wrong))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    /// A cube as in a shop: white on top, green in front.
    fn cube(goal: &str, plan: &[u8]) -> Plan<Cube> {
        let color = |letter| COLORS.find(letter).map(|color| color as u8);
        let start = "WWWW SSGGKKBB SSGGKKBB YYYY".chars().filter_map(color).collect();
        Plan(Cube { start, goal: goal.chars().filter_map(color).collect(), plan: plan.to_vec() })
    }

    /// The top turns clockwise: what was in front comes to the left.
    #[test]
    fn turns_go_clockwise() {
        let turned = cube("WWWW GGKKBBSS SSGGKKBB YYYY", &[3]);
        assert!(turned.certify(&mut Budget::new(9_999)).is_ok());
        passes(&turned, "U");
        fails(&turned, "U2, U'", label::SUBOPTIMAL, "the goal is reached in 2 moves, but 1 would do");
        let detail = "the moves do not end at the goal, but at this: WG / WG / SSGYKKWB / SSGYKKWB / YB / YB";
        fails(&turned, "R", "goal_not_reached", detail);
        let detail = "the moves do not end at the goal, but at this: WW / SS / SYGGWKBB / SYGGWKBB / KK / YY";
        fails(&turned, "F", "goal_not_reached", detail);
    }

    /// Jaap Scherphuis, Mini Cube: positions by the turns that lead there, half turns counted once.
    #[test]
    fn as_many_positions_are_as_far_as_is_published() {
        let cube = cube("WWWW SSGGKKBB SSGGKKBB YYYY", &[]);
        let (budget, step) = (&mut Budget::unlimited(), |state, action| cube.step(state, action));
        let all = kit::shape::plan::explore(cube.begin(), 9, step, |_, away| away > 5, budget).unwrap().order;
        for (turns, count) in (0..).zip([1, 9, 54, 321, 1_847, 9_992]) {
            assert_eq!(all.iter().filter(|(_, away)| *away == turns).count(), count);
        }
        for (state, away) in all.iter().step_by(97) {
            assert_eq!(cube.shortest(*state, budget).unwrap().0.unwrap().len(), *away as usize);
        }
    }
}
