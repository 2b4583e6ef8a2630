//! Measure an amount of water with unmarked jugs in as few moves as possible.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::words::count;

pub struct Jugs;

params! {
    pub struct JugsParams {
        /// Jugs, all of different sizes.
        jugs: u32 [3..=4],
        /// Maximum size of a jug, in liters.
        largest: u32 [8..=99],
        /// Length of a shortest solution, which may be one move longer.
        moves: u32 [1..=12],
    }
    levels {
        (3, 12, 2),
        (3, 16, 3),
        (3, 16, 4),
        (3, 20, 5),
        (3, 24, 6),
        (3, 32, 7),
        (3, 40, 8),
        (3, 48, 9),
        (3, 60, 10),
    }
    default 3
    check Self::consistent;
}

impl JugsParams {
    fn consistent(&self) -> Result<(), String> {
        let most = 2 + self.largest / 4;
        check::that(self.moves <= most, || {
            let (moves, largest) = (self.moves, self.largest);
            format!("`moves` is {moves}, but must be at most {most} when `largest` is {largest}")
        })
    }
}

/// Jugs with their contents, and the amount that one of them must hold.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Water {
    /// Capacity of each jug, in liters.
    sizes: Vec<u8>,
    /// Liters in each jug at the start.
    start: Vec<u8>,
    /// The jug that must hold `liters` at the end, counted from 0.
    jug: u8,
    liters: u8,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

/// A move: filling or emptying a jug, or pouring one into another.
#[derive(Clone, Copy)]
enum Move {
    Fill(usize),
    Empty(usize),
    Pour(usize, usize),
}

impl TaskFamily for Jugs {
    type Params = JugsParams;
    type Problem = Plan<Water>;

    const ABOUT: About = About {
        summary: "Measure an amount of water with unmarked jugs in as few moves as possible.",
        skills: &["planning", "search", "state_tracking"],
        guess_rate: 0.1,
        guess_score: 0.1,
        ..Plan::<Water>::about("algorithms", "jugs", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Water>> {
        let moves = params.moves;
        loop {
            let mut sizes: Vec<u8> = (3..=params.largest as u8).collect();
            rng.shuffle(&mut sizes);
            sizes.truncate(params.jugs as usize);
            // At most one jug starts with water: with more, the search visits more states before a distant
            // one.
            let mut start = vec![0; sizes.len()];
            let jug = rng.index(sizes.len());
            start[jug] = rng.below(u64::from(sizes[jug]) + 1) as u8;
            let water = Water { sizes, start, jug: 0, liters: 0, plan: Vec::new() };
            if let Some(drawn) = water.with_goal(moves..=moves + 1, rng, budget)? {
                return Ok(Plan(drawn));
            }
        }
    }
}

/// Packs eight bits per jug, the first jug lowest.
fn packed(liters: &[u8]) -> u32 {
    liters.iter().rev().fold(0, |state, liters| state << 8 | u32::from(*liters))
}

fn held(state: u32, jug: usize) -> u8 {
    (state >> (8 * jug)) as u8
}

fn with(state: u32, jug: usize, liters: u8) -> u32 {
    state & !(0xFF << (8 * jug)) | u32::from(liters) << (8 * jug)
}

/// `7 liters`.
fn liters(amount: u8) -> String {
    count(amount, "liter")
}

fn letter(jug: usize) -> char {
    char::from(b'A' + jug as u8)
}

impl Water {
    /// The same jugs with a goal amount that is `moves` moves away, if there is one.
    fn with_goal(
        &self,
        moves: std::ops::RangeInclusive<u32>,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let step = |state, action| self.step(state, action);
        let enough = |_, away| away > *moves.end();
        let reached = plan::explore(self.begin(), self.moves().len(), step, enough, budget)?;
        let mut seen = vec![[false; 256]; self.sizes.len()];
        let mut far = Vec::new();
        for (state, away) in &reached.order {
            for (jug, seen) in seen.iter_mut().enumerate() {
                let liters = held(*state, jug);
                let first = !std::mem::replace(&mut seen[usize::from(liters)], true);
                let trivial = liters == 0 || liters == self.sizes[jug];
                if first && !trivial && moves.contains(away) {
                    far.push((*state, jug));
                }
            }
        }
        if far.is_empty() {
            return Ok(None);
        }
        let (goal, jug) = *rng.pick(&far);
        Ok(Some(Self { jug: jug as u8, liters: held(goal, jug), plan: reached.way(goal), ..self.clone() }))
    }

    fn moves(&self) -> Vec<Move> {
        let jugs = 0..self.sizes.len();
        let pours = jugs.clone().flat_map(|from| jugs.clone().map(move |to| (from, to)));
        let pours = pours.filter(|(from, to)| from != to).map(|(from, to)| Move::Pour(from, to));
        jugs.clone().map(Move::Fill).chain(jugs.clone().map(Move::Empty)).chain(pours).collect()
    }

    fn made(&self, state: u32, made: Move) -> Option<u32> {
        match made {
            Move::Fill(jug) => {
                (held(state, jug) < self.sizes[jug]).then(|| with(state, jug, self.sizes[jug]))
            }
            Move::Empty(jug) => (held(state, jug) > 0).then(|| with(state, jug, 0)),
            Move::Pour(from, to) => {
                let poured = held(state, from).min(self.sizes[to] - held(state, to));
                let left = with(state, from, held(state, from) - poured);
                (poured > 0).then(|| with(left, to, held(state, to) + poured))
            }
        }
    }
}

impl Puzzle for Water {
    type State = u32;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "jugs",
            "You have a tap, a drain and these jugs, which have no marks on them:\n\n{jugs:Jug {jug} holds {size#liter} \
             and {empty?is empty|contains {start#liter}}.}\n\nThere are three kinds of moves. \"fill A\" fills jug A to \
             the brim from the tap, \"empty A\" pours everything in jug A down the drain, and \"A to B\" pours water \
             from jug A into jug B until jug A is empty or jug B is full, whichever happens first; the same goes for \
             the other jugs. You cannot fill a jug that is already full, empty a jug that is already empty, pour from \
             an empty jug, or pour into a full jug. Find the shortest sequence of moves after which jug {jug} contains \
             exactly {liters#liter}. It does not matter what the other jugs contain then. If several sequences are \
             equally short, any of them will do.",
        ),
        Prompt::new(
            "table",
            "Water jugs (amounts in liters)\n\njug,capacity,content\n{jugs:{jug},{size},{start}}\n\nMoves:\n- fill X: X \
             becomes full; not allowed if X is full\n- empty X: X becomes empty; not allowed if X is empty\n- X to Y: \
             pour from X into Y until X is empty or Y is full; not allowed if X is empty or Y is full\n\nGoal: {jug} \
             contains exactly {liters#liter} (the other jugs: any amount)\nObjective: fewest moves; any shortest \
             sequence is accepted\n",
        ),
        Prompt::new(
            "message",
            "Quick question from the lab: I need exactly {liters#liter} of saline in beaker {jug}, and the measuring \
             cylinder is broken. All I have is a big supply, a sink and beakers without any markings:\n\n{jugs:- {jug}: \
             {start} of {size#liter} filled}\n\nSo I can only do three things: fill a beaker all the way up (I'd write \
             \"fill A\"), empty a beaker into the sink (\"empty A\"), or pour from one beaker into another until the \
             first is empty or the second is full (\"A to B\"). Each step has to change something: no filling a full \
             beaker, no emptying or pouring from an empty one, no pouring into a full one. What's the quickest way, in \
             number of steps? I don't care what ends up in the other beakers, and if two ways are equally quick, either \
             one is fine.",
        ),
        Prompt::held_out(
            "tanks",
            "The gauges on an old boat have stopped working, so the crew only knows how much fuel was in each tank when \
             they came into port:\n\n{jugs:- Tank {jug}: {start} of {size#liter}}\n\nAt the dock they can fill a tank \
             completely (\"fill A\"), drain a tank completely (\"empty A\"), or pump fuel from one tank to another \
             until the first is empty or the second is full (\"A to B\"). Filling a full tank, draining an empty tank, \
             pumping from an empty tank and pumping into a full tank are not possible. The captain wants exactly \
             {liters#liter} in tank {jug}, and she does not care about the other tanks. How can the crew do this in as \
             few operations as possible? Any way with the fewest operations is fine.",
        ),
        Prompt::held_out(
            "registers",
            "A machine has these integer registers:\n\n{jugs:{jug} = {start}, maximum {size}}\n\nIt understands three \
             kinds of instructions, for any register X and any other register Y:\n\nfill X: set X to its maximum; an \
             error if X is at its maximum\nempty X: set X to 0; an error if X is 0\nX to Y: subtract d from X and add d \
             to Y, where d is the smaller of X and the maximum of Y minus Y; an error if d is 0\n\nWrite the shortest \
             program that runs without an error and ends with {jug} = {liters}. The final values of the other registers \
             are irrelevant, and if there are several shortest programs, any of them is correct.",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written like fill A, empty A or A to B,";
    const STATES: u64 = 250;

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("jug", letter(self.jug.into())).text("liters", self.liters);
        slots.lines("jugs", self.sizes.iter().zip(&self.start).enumerate(), |line, (jug, (size, start))| {
            line.text("jug", letter(jug))
                .text("size", size)
                .text("start", start)
                .either("empty", *start == 0);
        });
    }

    fn begin(&self) -> u32 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u32) -> bool {
        held(state, self.jug.into()) == self.liters
    }

    fn names(&self) -> Vec<String> {
        let name = |made: Move| match made {
            Move::Fill(jug) => format!("fill {}", letter(jug)),
            Move::Empty(jug) => format!("empty {}", letter(jug)),
            Move::Pour(from, to) => format!("{} to {}", letter(from), letter(to)),
        };
        self.moves().into_iter().map(name).collect()
    }

    fn step(&self, state: u32, action: usize) -> Option<u32> {
        let jugs = self.sizes.len();
        self.made(
            state,
            match action {
                _ if action < jugs => Move::Fill(action),
                _ if action < 2 * jugs => Move::Empty(action - jugs),
                _ => {
                    let (from, to) = ((action - 2 * jugs) / (jugs - 1), (action - 2 * jugs) % (jugs - 1));
                    Move::Pour(from, to + usize::from(to >= from))
                }
            },
        )
    }

    fn why_not(&self, state: u32, action: usize) -> String {
        match self.moves()[action] {
            Move::Fill(jug) => format!("{} is full", letter(jug)),
            Move::Pour(from, to) if held(state, from) > 0 => format!("{} is full", letter(to)),
            Move::Empty(jug) | Move::Pour(jug, _) => format!("{} is empty", letter(jug)),
        }
    }

    fn told(&self, state: u32) -> String {
        let jug = |jug: usize| format!("{} {}", letter(jug), held(state, jug));
        (0..self.sizes.len()).map(jug).listed()
    }

    fn picture(&self, state: u32) -> String {
        let line =
            |jug: usize| format!("{}: {} of {}", letter(jug), held(state, jug), liters(self.sizes[jug]));
        let jugs = (0..self.sizes.len()).map(line).lines();
        format!("{jugs}\nGoal: {} in {}", liters(self.liters), letter(self.jug.into()))
    }

    /// A red line marks the amount to measure.
    fn draw(&self, state: u32) -> Picture {
        const HIGH: u32 = 6 * CELL;
        let (jugs, largest) = (self.sizes.len() as u32, self.sizes.iter().copied().max().unwrap_or(1));
        let level = |liters: u8| (u32::from(liters) * HIGH).div_ceil(largest.into());
        let (mut picture, floor) = (Picture::new(8, 3 * jugs), 7 * CELL);
        for (jug, size) in self.sizes.iter().enumerate() {
            let (left, liters) = (3 * CELL * jug as u32 + 5, held(state, jug));
            picture.rectangle((left, floor - level(liters)), (14, level(liters)), Ink::Blue);
            for x in [left, left + 14] {
                picture.line((x, floor - level(*size)), (x, floor), 1, Ink::Black);
            }
            picture.line((left, floor), (left + 14, floor), 1, Ink::Black);
            if jug == usize::from(self.jug) {
                let y = floor - level(self.liters);
                picture.line((left - 1, y), (left + 15, y), 1, Ink::Red);
                picture.label((left + 16, y), 2, self.liters.to_string(), Ink::Red);
            }
            let text = format!("{} {liters} of {size}", letter(jug));
            picture.title((left + 7, floor + 4), 2, text, Ink::Black);
        }
        picture
    }

    /// A row for each jug: its size over 100 liters, its content and its goal (or 0), both over its size,
    /// then 1 if it is the jug to be filled.
    fn shape(&self) -> Vec<usize> {
        vec![self.sizes.len(), 4]
    }

    fn observe(&self, state: u32, out: &mut [f32]) {
        for (jug, row) in out.chunks_exact_mut(4).enumerate() {
            let (size, wanted) = (f32::from(self.sizes[jug]), jug == usize::from(self.jug));
            row[0] = size / 100.0;
            row[1] = f32::from(held(state, jug)) / size;
            row[2] = if wanted { f32::from(self.liters) / size } else { 0.0 };
            row[3] = f32::from(u8::from(wanted));
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        let jugs = self.sizes.len();
        check::length("sizes", &self.sizes, 2..=4, "jugs")?;
        check::each("sizes", &self.sizes, |size| (1..=99).contains(size), "jugs hold 1 to 99 liters")?;
        check::length("start", &self.start, jugs..=jugs, "jugs")?;
        let fits = self.start.iter().zip(&self.sizes).all(|(start, size)| start <= size);
        check::that(fits, || "`start` has more than a jug holds".to_owned())?;
        check::within("jug", &usize::from(self.jug), 0..=jugs - 1)?;
        check::within("liters", &self.liters, 0..=self.sizes[usize::from(self.jug)])?;
        Ok(())
    }

    /// Changes the amount to measure, and possibly one of the initial amounts.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let moves = self.plan.len() as u32;
        let wanted = match aim {
            Aim::Harder => moves..=moves + 3,
            Aim::Easier => moves.saturating_sub(1).max(1)..=moves,
            Aim::Same => moves..=moves,
        };
        let mut other = self.clone();
        if rng.chance(1, 2) {
            let jug = rng.index(self.sizes.len());
            other.start[jug] = rng.below(u64::from(self.sizes[jug]) + 1) as u8;
        }
        Some(other.with_goal(wanted, rng, budget).ok().flatten().unwrap_or_else(|| self.clone()))
    }

    /// Reorders the jugs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let jugs = self.sizes.len();
        let mut other: Vec<usize> = (0..jugs).collect();
        rng.shuffle(&mut other);
        let mut twin = self.clone();
        for (jug, to) in other.iter().enumerate() {
            twin.sizes[*to] = self.sizes[jug];
            twin.start[*to] = self.start[jug];
        }
        twin.jug = other[usize::from(self.jug)] as u8;
        let moves = self.moves();
        let renamed = |action: &u8| match moves[usize::from(*action)] {
            Move::Fill(jug) => other[jug],
            Move::Empty(jug) => jugs + other[jug],
            Move::Pour(from, to) => {
                let (from, to) = (other[from], other[to]);
                2 * jugs + from * (jugs - 1) + to - usize::from(to > from)
            }
        } as u8;
        twin.plan = self.plan.iter().map(renamed).collect();
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let jugs = self.sizes.iter().zip(&self.start).enumerate();
        let mut jugs: Vec<[u8; 3]> = jugs
            .map(|(jug, (size, start))| [*size, *start, u8::from(jug == usize::from(self.jug))])
            .collect();
        jugs.sort_unstable();
        [jugs.as_flattened(), &[self.liters]].concat()
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let from = |state: u32| {
            (0..self.moves().len()).filter_map(move |action| Some((action, self.step(state, action)?)))
        };
        let one = from(self.begin()).map(|(action, state)| (vec![action], state));
        let two = from(self.begin())
            .flat_map(|(first, state)| from(state).map(move |(second, state)| (vec![first, second], state)));
        let found = one.chain(two).find(|(_, state)| self.is_goal(*state));
        vec![("one or two moves", found.map_or(vec![0], |(way, _)| way))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// Jugs of 3 and 5 liters, both empty: 4 liters take six moves (the riddle of a well-known film).
    #[test]
    fn four_liters_with_jugs_of_three_and_five() {
        let water = Plan(Water {
            sizes: vec![3, 5],
            start: vec![0, 0],
            jug: 1,
            liters: 4,
            plan: vec![1, 5, 2, 5, 1, 5],
        });
        assert_eq!(plan::shortest(&*water, 0, &mut Budget::unlimited()).unwrap().0.unwrap().len(), 6);
        let judge = |answer: &str| testing::verdict(&water, answer);
        for (wrong, detail) in [
            (
                "fill B, B to A, empty A, B to A, fill B",
                "the moves do not end at the goal, but at this: A 2, B 5",
            ),
            ("fill B, fill B", "move 2, `fill B`, is not allowed: B is full"),
            ("fill B, A to B", "move 2, `A to B`, is not allowed: A is empty"),
            ("fill A, fill B, A to B", "move 3, `A to B`, is not allowed: B is full"),
            ("empty A", "move 1, `empty A`, is not allowed: A is empty"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
        assert!(judge("fill B, B to A, empty A, B to A, fill B, B to A").passed);
        let long = judge("fill A, empty A, fill B, B to A, empty A, B to A, fill B, B to A");
        assert_eq!(long.failures, [label::SUBOPTIMAL]);
        assert!(long.score > 0.4 && long.score < 0.5, "{long:?}");
    }
}
