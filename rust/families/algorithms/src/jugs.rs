//! Measure an amount of water with jugs that have no marks, in as few moves as possible.

use kit::picture::{CELL, Ink, Picture};
use kit::task::plan::{self, Plan, Puzzle};
use kit::task::prelude::*;
use kit::words::count;

pub struct Jugs;

params! {
    pub struct JugsParams {
        /// Jugs, each of another size.
        jugs: u32 [3..=4],
        /// Litres that the largest jug holds at most.
        largest: u32 [8..=99],
        /// The fewest moves that do; at most one more is needed.
        moves: u32 [2..=12],
    }
    levels {
        (3, 16, 4),
        (3, 20, 5),
        (3, 24, 6),
        (3, 32, 7),
        (3, 40, 8),
        (3, 48, 9),
        (3, 60, 10),
    }
    default (3, 16, 5)
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

/// Jugs with what is in them, and how much one of them is to hold.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Water {
    /// Litres that each jug holds.
    sizes: Vec<u8>,
    /// Litres in each jug at first.
    start: Vec<u8>,
    /// The jug that is to hold `litres` in the end, counted from 0.
    jug: u8,
    litres: u8,
    /// Moves that do, by their numbers; a claim that `certify` proves to be shortest.
    plan: Vec<u8>,
}

/// What a move does.
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
        summary: "Measure an amount of water with jugs that have no marks, in as few moves as possible.",
        judged_by: JudgedBy::Optimum,
        failures: plan::FAILURES,
        parts: plan::PARTS,
        budgets: plan::BUDGETS,
        skills: &["planning", "search", "state_tracking"],
        guess_rate: 0.043,
        guess_score: 0.043,
        ..About::new("algorithms", "jugs", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Water>> {
        let moves = params.moves;
        loop {
            let mut sizes: Vec<u8> = (3..=params.largest as u8).collect();
            rng.shuffle(&mut sizes);
            sizes.truncate(params.jugs as usize);
            // One jug may hold something; the more do, the more fillings come before a far one.
            let mut start = vec![0; sizes.len()];
            let jug = rng.index(sizes.len());
            start[jug] = rng.below(u64::from(sizes[jug]) + 1) as u8;
            let water = Water { sizes, start, jug: 0, litres: 0, plan: Vec::new() };
            if let Some(drawn) = water.with_goal(moves..=moves + 1, rng, budget)? {
                return Ok(drawn);
            }
        }
    }

    fn certify(&self, water: &Plan<Water>, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        plan::certify(water, budget)
    }

    /// With another amount to measure, and perhaps another one in a jug at first.
    fn mutate(
        &self,
        water: &Plan<Water>,
        aim: Aim,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Option<Plan<Water>> {
        let moves = water.plan.len() as u32;
        let wanted = match aim {
            Aim::Harder => moves..=moves + 3,
            Aim::Easier => moves.saturating_sub(1).max(1)..=moves,
            Aim::Same => moves..=moves,
        };
        let mut other = water.0.clone();
        if rng.chance(1, 2) {
            let jug = rng.index(water.sizes.len());
            other.start[jug] = rng.below(u64::from(water.sizes[jug]) + 1) as u8;
        }
        Some(other.with_goal(wanted, rng, budget).ok().flatten().unwrap_or_else(|| water.clone()))
    }
}

/// Eight bits a jug, the first lowest.
fn packed(litres: &[u8]) -> u32 {
    litres.iter().rev().fold(0, |state, litres| state << 8 | u32::from(*litres))
}

fn held(state: u32, jug: usize) -> u8 {
    (state >> (8 * jug)) as u8
}

fn with(state: u32, jug: usize, litres: u8) -> u32 {
    state & !(0xFF << (8 * jug)) | u32::from(litres) << (8 * jug)
}

fn letter(jug: usize) -> char {
    char::from(b'A' + jug as u8)
}

impl Water {
    /// The same jugs with an amount in one of them that is so many moves away, if there is one.
    fn with_goal(
        &self,
        moves: std::ops::RangeInclusive<u32>,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Plan<Self>>, OverBudget> {
        let step = |state, action| self.step(state, action);
        let enough = |_, away| away > *moves.end();
        let reached = plan::explore(self.begin(), self.moves().len(), step, enough, budget)?;
        let mut seen = vec![[false; 256]; self.sizes.len()];
        let mut far = Vec::new();
        for (state, away) in &reached.order {
            for (jug, seen) in seen.iter_mut().enumerate() {
                let litres = held(*state, jug);
                let first = !std::mem::replace(&mut seen[usize::from(litres)], true);
                let trivial = litres == 0 || litres == self.sizes[jug];
                if first && !trivial && moves.contains(away) {
                    far.push((*state, jug));
                }
            }
        }
        if far.is_empty() {
            return Ok(None);
        }
        let (goal, jug) = *rng.pick(&far);
        Ok(Some(Plan(Self {
            jug: jug as u8,
            litres: held(goal, jug),
            plan: reached.way(goal),
            ..self.clone()
        })))
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

    /// "7 litres".
    fn amount(&self) -> String {
        count(self.litres, "litre")
    }

    /// What is said of each jug, a jug a line.
    fn listed(&self, line: impl Fn(char, u8, u8) -> String) -> String {
        let jugs = self.sizes.iter().zip(&self.start).enumerate();
        jugs.map(|(jug, (size, start))| line(letter(jug), *size, *start)).lines()
    }
}

impl Puzzle for Water {
    type State = u32;

    const TEMPLATES: &'static [Template<Plan<Self>>] = &[
        Template::plain("jugs", |water| {
            format!(
                "Here are some jugs without marks, a tap and a drain.\n\n{}\n\nA move fills a jug to the brim from the tap \
                 (\"fill A\"), empties it into the drain (\"empty A\"), or pours from one jug into another until the one is \
                 empty or the other full (\"A to B\"). A full jug cannot be filled, and nothing can be poured from an \
                 empty jug or into a full one. In the end jug {} must hold exactly {}; what the others hold does \
                 not matter. Use as few moves as possible.",
                water.listed(|jug, size, start| format!(
                    "Jug {jug} holds {size} litres; at first it has {start} in it."
                )),
                letter(water.jug.into()),
                water.amount()
            )
        }),
        Template::plain("table", |water| {
            format!(
                "jug,capacity,content\n{}\n\nWater can be measured with these jugs by three kinds of moves. \"fill X\": the \
                 jug is filled up from a tap; it may not be full already. \"empty X\": all of its water is thrown away; it \
                 may not be empty already. \"X to Y\": water flows from X into Y until X is empty or Y is full, whichever \
                 comes first; some water has to flow. Amounts are litres. What is the shortest sequence of moves after which \
                 {} has {} in it?",
                water.listed(|jug, size, start| format!("{jug},{size},{start}")),
                letter(water.jug.into()),
                water.amount()
            )
        }),
        Template::held_out_plain("tanks", |water| {
            format!(
                "A boat has tanks for fuel.\n\n{}\n\nNothing can be measured on board; all one can do is to fill a tank \
                 up at the quay if it is not full (written \"fill A\"), to drain a tank that is not empty (\"empty A\"), and \
                 to pump from one tank to another until nothing is left in the first or nothing more goes into the second, \
                 provided that at least one litre moves (\"A to B\"). The captain wants exactly {} in tank {} and \
                 does not care about the rest. Find a way with the fewest operations.",
                water.listed(|jug, size, start| format!("- Tank {jug}: {start} of {size} litres")),
                water.amount(),
                letter(water.jug.into())
            )
        }),
    ];
    const ANSWER: &'static str = "the moves in order, each like fill A, empty A or A to B,";
    const STATES: u64 = 250;

    fn begin(&self) -> u32 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u32) -> bool {
        held(state, self.jug.into()) == self.litres
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
            |jug: usize| format!("{}: {} of {} litres", letter(jug), held(state, jug), self.sizes[jug]);
        let jugs = (0..self.sizes.len()).map(line).lines();
        format!("{jugs}\nto be: {} in {}", self.litres, letter(self.jug.into()))
    }

    /// The amount to be measured is a red line.
    fn draw(&self, state: u32) -> Picture {
        const HIGH: u32 = 6 * CELL;
        let (jugs, largest) = (self.sizes.len() as u32, self.sizes.iter().copied().max().unwrap_or(1));
        let level = |litres: u8| (u32::from(litres) * HIGH).div_ceil(largest.into());
        let (mut picture, floor) = (Picture::new(8, 3 * jugs), 7 * CELL);
        for (jug, size) in self.sizes.iter().enumerate() {
            let (left, litres) = (3 * CELL * jug as u32 + 5, held(state, jug));
            picture.rectangle((left, floor - level(litres)), (14, level(litres)), Ink::Blue);
            for x in [left, left + 14] {
                picture.line((x, floor - level(*size)), (x, floor), 1, Ink::Black);
            }
            picture.line((left, floor), (left + 14, floor), 1, Ink::Black);
            if jug == usize::from(self.jug) {
                let y = floor - level(self.litres);
                picture.line((left - 1, y), (left + 15, y), 1, Ink::Red);
                picture.label((left + 16, y), 2, self.litres.to_string(), Ink::Red);
            }
            let text = format!("{} {litres} of {size}", letter(jug));
            picture.title((left + 7, floor + 4), 2, text, Ink::Black);
        }
        picture
    }

    /// A row for each jug: its size over 100 litres, what is in it, and what is to be in it or 0, both over its size,
    /// then 1 if it is the jug that matters.
    fn shape(&self) -> Vec<usize> {
        vec![self.sizes.len(), 4]
    }

    fn observe(&self, state: u32, out: &mut [f32]) {
        for (jug, row) in out.chunks_exact_mut(4).enumerate() {
            let (size, wanted) = (f32::from(self.sizes[jug]), jug == usize::from(self.jug));
            row[0] = size / 100.0;
            row[1] = f32::from(held(state, jug)) / size;
            row[2] = if wanted { f32::from(self.litres) / size } else { 0.0 };
            row[3] = f32::from(u8::from(wanted));
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        let jugs = self.sizes.len();
        check::length("sizes", &self.sizes, 2..=4, "jugs")?;
        check::each("sizes", &self.sizes, |size| (1..=99).contains(size), "jugs hold 1 to 99 litres")?;
        check::length("start", &self.start, jugs..=jugs, "jugs")?;
        let fits = self.start.iter().zip(&self.sizes).all(|(start, size)| start <= size);
        check::that(fits, || "`start` has more than a jug holds".to_owned())?;
        check::within("jug", &usize::from(self.jug), 0..=jugs - 1)?;
        check::within("litres", &self.litres, 0..=self.sizes[usize::from(self.jug)])?;
        Ok(())
    }

    /// The jugs in another order.
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
        [jugs.as_flattened(), &[self.litres]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// Jugs of 3 and 5 litres, both empty: 4 litres take six moves (the riddle of a well-known film).
    #[test]
    fn four_litres_with_jugs_of_three_and_five() {
        let water = Plan(Water {
            sizes: vec![3, 5],
            start: vec![0, 0],
            jug: 1,
            litres: 4,
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
