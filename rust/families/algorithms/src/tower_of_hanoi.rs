//! Move disks between pegs from one arrangement to another in as few moves as possible.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};

pub struct TowerOfHanoi;

params! {
    pub struct TowerOfHanoiParams {
        /// Disks on all pegs together.
        disks: u32 [2..=8],
        /// Length of a shortest solution, which may be up to a quarter longer.
        moves: u32 [1..=150],
        /// Pegs. With four of them, solutions are shorter and harder to find.
        pegs: u32 [3..=4, structure],
    }
    levels {
        (8, 3, 3),
        (8, 5, 3),
        (8, 7, 3),
        (8, 10, 3),
        (8, 14, 3),
        (8, 20, 3),
        (8, 28, 3),
        (8, 40, 3),
        (8, 58, 3),
        (8, 85, 3),
    }
    default 4
    check Self::consistent;
}

impl TowerOfHanoiParams {
    fn consistent(&self) -> Result<(), String> {
        let whole = if self.pegs == 3 { (1 << self.disks) - 1 } else { 4 * self.disks - 5 };
        let most = (whole * 2 / 3).max(1);
        check::that(self.moves <= most, || {
            let (moves, disks, pegs) = (self.moves, self.disks, self.pegs);
            format!(
                "`moves` is {moves}, but must be at most {most} when `disks` is {disks} and `pegs` is {pegs}"
            )
        })
    }
}

/// Start and goal: the peg of each disk, counted from 0, the smallest disk first.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrangement {
    pegs: u8,
    start: Vec<u8>,
    goal: Vec<u8>,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

impl TaskFamily for TowerOfHanoi {
    type Params = TowerOfHanoiParams;
    type Problem = Plan<Arrangement>;

    const ABOUT: About = About {
        summary: "Move disks between pegs from one arrangement to another in as few moves as possible.",
        skills: &["planning", "recursion", "state_tracking"],
        distinct_from: 3,
        guess_rate: 0.105,
        guess_score: 0.135,
        ..Plan::<Arrangement>::about("algorithms", "tower_of_hanoi", &["First version."])
    };

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Plan<Arrangement>> {
        let moves = params.moves;
        loop {
            let start = (0..params.disks).map(|_| rng.below(params.pegs.into()) as u8).collect::<Vec<_>>();
            let pegs = Arrangement { pegs: params.pegs as u8, goal: start.clone(), start, plan: Vec::new() };
            if let Some(drawn) = pegs.with_goal(moves..=moves + moves / 4, rng, budget)? {
                return Ok(Plan(drawn));
            }
        }
    }
}

/// Packs two bits per disk, the smallest disk lowest.
fn packed(pegs: &[u8]) -> u16 {
    pegs.iter().rev().fold(0, |state, peg| state << 2 | u16::from(*peg))
}

fn peg(state: u16, disk: usize) -> u8 {
    (state >> (2 * disk) & 3) as u8
}

fn letter(peg: u8) -> char {
    char::from(b'A' + peg)
}

impl Arrangement {
    /// The same start with a goal that is `moves` moves away, if there is one.
    fn with_goal(
        &self,
        moves: std::ops::RangeInclusive<u32>,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let step = |state, action| self.step(state, action);
        let reached =
            plan::explore(self.begin(), self.actions(), step, |_, away| away > *moves.end(), budget)?;
        let far: Vec<u16> =
            reached.order.iter().filter(|(_, away)| moves.contains(away)).map(|(state, _)| *state).collect();
        if far.is_empty() {
            return Ok(None);
        }
        let goal = *rng.pick(&far);
        let pegs = (0..self.start.len()).map(|disk| peg(goal, disk)).collect();
        Ok(Some(Self { goal: pegs, plan: reached.way(goal), ..self.clone() }))
    }

    /// The two pegs of a move.
    fn ends(&self, action: usize) -> (u8, u8) {
        let others = self.pegs - 1;
        let (from, to) = (action as u8 / others, action as u8 % others);
        (from, to + u8::from(to >= from))
    }

    fn actions(&self) -> usize {
        usize::from(self.pegs * (self.pegs - 1))
    }

    fn action(&self, from: u8, to: u8) -> u8 {
        from * (self.pegs - 1) + to - u8::from(to > from)
    }

    /// From the goal to the start, every move undone.
    fn backward(self) -> Self {
        let undone = |action: &u8| {
            let (from, to) = self.ends(usize::from(*action));
            self.action(to, from)
        };
        let plan = self.plan.iter().rev().map(undone).collect();
        Self { pegs: self.pegs, start: self.goal, goal: self.start, plan }
    }

    fn top(&self, state: u16, on: u8) -> Option<usize> {
        // Both bits of a disk on the peg are equal in the two numbers.
        let other = state ^ (0x5555 * u16::from(on));
        let there = !(other | other >> 1) & 0x5555 & (((1u32 << (2 * self.start.len())) - 1) as u16);
        (there != 0).then(|| there.trailing_zeros() as usize / 2)
    }

    /// The numbers of the disks on a peg from bottom to top.
    fn on(&self, state: u16, on: u8) -> impl Iterator<Item = usize> {
        let disks = (0..self.start.len()).rev().filter(move |disk| peg(state, *disk) == on);
        disks.map(|disk| disk + 1)
    }

    /// The disks of a peg from bottom to top: "4 3 1".
    fn disks(&self, state: u16, on: u8) -> String {
        let disks = self.on(state, on).joined(" ");
        if disks.is_empty() { "empty".to_owned() } else { disks }
    }

    fn listed(&self, state: u16) -> String {
        let line = |on: u8| format!("{}: {}", letter(on), self.disks(state, on));
        (0..self.pegs).map(line).lines()
    }

    /// The peg of each disk: "disk 1 on A, disk 2 on C".
    fn placed(&self, state: u16) -> String {
        let disk = |disk: usize| format!("disk {} on {}", disk + 1, letter(peg(state, disk)));
        (0..self.start.len()).map(disk).listed()
    }

    fn letters(&self) -> &'static str {
        if self.pegs == 3 { "A, B and C" } else { "A, B, C and D" }
    }
}

impl Puzzle for Arrangement {
    type State = u16;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "pegs",
            "There are {disks#disk} on the pegs {pegs}, as in the Tower of Hanoi. The disks are numbered by size, and \
             disk 1 is the smallest. In each move, you take the top disk from one peg and put it on top of the disks on \
             another peg, or on an empty peg. A disk must never lie on a smaller disk. Here is the starting position, \
             with the disks on each peg listed from bottom to top:\n\n{start}\n\nReach the following position in as few \
             moves as possible:\n\n{goal}\n\nIf there are several shortest solutions, any of them will do.",
        ),
        Prompt::new(
            "places",
            "Tower of Hanoi, arbitrary start and goal\n\nPegs: {pegs}\nDisks: 1 (smallest) to {disks} (largest)\nOrder: \
             on every peg the disks lie in order of size, with the largest at the bottom\nMove: the top disk of a peg \
             goes to another peg that is empty or has a larger top disk\nStart: {start_places}\nGoal: \
             {goal_places}\nObjective: fewest moves; any shortest sequence is accepted\n",
        ),
        Prompt::new(
            "message",
            "My nephew has mixed up the wooden rings of his stacking toy, and I've promised to sort them out in as few \
             moves as possible. There are {disks#ring} on the poles {pegs}, numbered from the smallest, 1, up to the \
             largest. From bottom to top, they're like this now:\n\n{start}\n\nHe wants them like \
             this:\n\n{goal}\n\nThe rules, according to him: I may only move one ring at a time, it has to be the top \
             one of its pole, and I can't put it on top of a ring that's smaller. Empty poles are fine. What should I \
             do? If there's more than one shortest way, any of them is OK.",
        ),
        Prompt::held_out(
            "crates",
            "A crane at a port moves crates between the yards {pegs}. The crates are numbered by weight, from 1, the \
             lightest, to {disks}, the heaviest. The crane can lift only the top crate of a stack. It can set the crate \
             down in an empty yard or on top of a heavier crate, but never on a lighter one. Each yard has a single \
             stack; these are the crates in each, from bottom to top:\n\n{start}\n\nBy tomorrow morning, they have to \
             be stacked like this:\n\n{goal}\n\nEvery move of the crane costs the same, and the port wants to spend as \
             little as possible. Plan the moves; if several plans are equally cheap, choose any of them.",
        ),
        Prompt::held_out(
            "lists",
            "A program keeps these lists of integers:\n\n{start_lists}\n\nThe operation \"X to Y\", for two different \
             lists X and Y, removes the last element of X and appends it to Y. It fails if X is empty, or if Y is not \
             empty and the last element of Y is smaller than the element to be appended. Find the shortest sequence of \
             operations, none of which fails, that changes the lists to\n\n{goal_lists}\n\nIf there is more than one \
             shortest sequence, give any one of them.",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written like A to C,";
    const STATES: u64 = 250;

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("disks", self.start.len()).text("pegs", self.letters());
        let ends = [
            (self.begin(), ["start", "start_places", "start_lists"]),
            (packed(&self.goal), ["goal", "goal_places", "goal_lists"]),
        ];
        for (state, [stacks, places, lists]) in ends {
            slots.with(stacks, || self.listed(state)).with(places, || self.placed(state));
            slots.with(lists, || {
                let list = |on| format!("{} = [{}]", letter(on), self.on(state, on).listed());
                (0..self.pegs).map(list).lines()
            });
        }
    }

    fn begin(&self) -> u16 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u16) -> bool {
        state == packed(&self.goal)
    }

    fn names(&self) -> Vec<String> {
        let ends = (0..self.actions()).map(|action| self.ends(action));
        ends.map(|(from, to)| format!("{} to {}", letter(from), letter(to))).collect()
    }

    fn step(&self, state: u16, action: usize) -> Option<u16> {
        let (from, to) = self.ends(action);
        let disk = self.top(state, from)?;
        let fits = self.top(state, to).is_none_or(|below| below > disk);
        fits.then(|| state & !(3 << (2 * disk)) | u16::from(to) << (2 * disk))
    }

    fn why_not(&self, state: u16, action: usize) -> String {
        let (from, to) = self.ends(action);
        match (self.top(state, from), self.top(state, to)) {
            (Some(disk), Some(below)) => format!("disk {} may not lie on disk {}", disk + 1, below + 1),
            _ => format!("there is no disk on {}", letter(from)),
        }
    }

    fn told(&self, state: u16) -> String {
        let on = |on: u8| format!("{} {}", letter(on), self.disks(state, on));
        (0..self.pegs).map(on).listed()
    }

    fn picture(&self, state: u16) -> String {
        format!("{}\n\nGoal:\n{}", self.listed(state), self.listed(packed(&self.goal)))
    }

    /// The current state above the goal.
    fn draw(&self, state: u16) -> Picture {
        let disks = self.start.len() as u32;
        let (pitch, high) = (2 * disks + 4, 2 * disks + 8);
        let columns = (u32::from(self.pegs) * pitch).max(5 * CELL).div_ceil(CELL);
        let mut picture = Picture::new((2 * high).div_ceil(CELL), columns);
        for (title, top, state) in [("now", 0, state), ("goal", high, packed(&self.goal))] {
            picture.label((1, top + 2), 2, title, Ink::Black);
            let floor = top + 4 + 2 * disks;
            for on in 0..self.pegs {
                let middle = u32::from(on) * pitch + pitch / 2;
                picture.line((middle, top + 3), (middle, floor), 1, Ink::Grey);
                picture.line((middle - disks - 1, floor), (middle + disks + 1, floor), 1, Ink::Grey);
                picture.title((middle, floor + 2), 2, letter(on), Ink::Black);
                let here = (0..self.start.len()).rev().filter(|disk| peg(state, *disk) == on);
                for (disk, below) in here.zip(0..) {
                    let (half, y) = (disk as u32 + 1, floor - 2 - 2 * below);
                    picture.rectangle((middle - half, y), (2 * half, 2), Ink::BRIGHT[disk % 5]);
                    picture.frame((middle - half, y), (2 * half, 2), 0, Ink::Black);
                }
            }
        }
        picture
    }

    /// Current state and goal: for each disk and peg, whether the disk is there.
    fn shape(&self) -> Vec<usize> {
        vec![2, self.start.len(), self.pegs.into()]
    }

    fn observe(&self, state: u16, out: &mut [f32]) {
        let pegs = usize::from(self.pegs);
        for (row, at) in out.chunks_exact_mut(pegs).zip(0..) {
            let (disk, state) =
                (at % self.start.len(), if at < self.start.len() { state } else { packed(&self.goal) });
            row.fill(0.0);
            row[usize::from(peg(state, disk))] = 1.0;
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        check::within("pegs", &self.pegs, 3..=4)?;
        let disks = self.start.len();
        check::length("start", &self.start, 1..=8, "disks")?;
        check::length("goal", &self.goal, disks..=disks, "disks")?;
        check::each("start", &self.start, |peg| *peg < self.pegs, "there is no such peg")?;
        check::each("goal", &self.goal, |peg| *peg < self.pegs, "there is no such peg")?;
        Ok(())
    }

    /// Changes the goal to one that is nearer, farther or as far.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let moves = self.plan.len() as u32;
        let wanted = match aim {
            Aim::Harder => moves + 1..=moves + moves / 4 + 1,
            Aim::Easier => (moves * 3 / 4).max(1)..=moves - 1,
            Aim::Same => moves..=moves,
        };
        self.with_goal(wanted, rng, budget).ok().flatten()
    }

    /// Exchanges the pegs, and possibly start and goal.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut other: Vec<u8> = (0..self.pegs).collect();
        rng.shuffle(&mut other);
        let exchanged = |pegs: &[u8]| pegs.iter().map(|peg| other[usize::from(*peg)]).collect();
        let moved = |action: &u8| {
            let (from, to) = self.ends(usize::from(*action));
            self.action(other[usize::from(from)], other[usize::from(to)])
        };
        let plan = self.plan.iter().map(moved).collect();
        let twin = Self { pegs: self.pegs, start: exchanged(&self.start), goal: exchanged(&self.goal), plan };
        if rng.chance(1, 2) { twin.backward() } else { twin }
    }

    /// Pegs numbered in the order in which the disks first name them, forward or backward, whichever comes first.
    fn fingerprint(&self) -> Vec<u8> {
        let numbered = |from: &[u8], to: &[u8]| {
            let mut seen = Vec::new();
            let number = |peg: &u8| {
                let known = seen.iter().position(|other| other == peg);
                known.unwrap_or_else(|| {
                    seen.push(*peg);
                    seen.len() - 1
                }) as u8
            };
            from.iter().chain(to).map(number).collect::<Vec<u8>>()
        };
        let pegs = numbered(&self.start, &self.goal).min(numbered(&self.goal, &self.start));
        [&[self.pegs], &pegs[..]].concat()
    }

    /// The last ones bring one disk after the other to its peg, largest or smallest first, ignoring all
    /// others.
    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        let disks = 0..self.start.len();
        let direct = |disk: usize| {
            let (from, to) = (self.start[disk], self.goal[disk]);
            (from != to).then(|| usize::from(self.action(from, to)))
        };
        vec![
            ("disks directly, smallest first", disks.clone().filter_map(direct).collect()),
            ("disks directly, largest first", disks.rev().filter_map(direct).collect()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// A whole tower of `disks` from the first peg to the last takes 2^n - 1 moves on three pegs; on four it is the
    /// Frame-Stewart number.
    #[test]
    fn whole_towers_take_the_known_number_of_moves() {
        for (pegs, known) in [(3, [1, 3, 7, 15, 31, 63, 127]), (4, [1, 3, 5, 9, 13, 17, 25])] {
            for (disks, known) in (1..).zip(known) {
                let tower =
                    Arrangement { pegs, start: vec![0; disks], goal: vec![pegs - 1; disks], plan: vec![0] };
                let (way, _) = plan::shortest(&tower, tower.begin(), &mut Budget::unlimited()).unwrap();
                assert_eq!(way.unwrap().len(), known, "{disks} disks on {pegs} pegs");
            }
        }
    }

    #[test]
    fn a_verdict_says_which_move_is_wrong() {
        let tower = Plan(Arrangement { pegs: 3, start: vec![0, 0], goal: vec![2, 2], plan: vec![0, 1, 3] });
        let judge = |answer: &str| testing::verdict(&tower, answer);
        for (wrong, detail) in [
            ("A to C, A to B", "the moves do not end at the goal, but at this: A empty, B 2, C 1"),
            ("A to B, A to B", "move 2, `A to B`, is not allowed: disk 2 may not lie on disk 1"),
            ("A to B, C to B", "move 2, `C to B`, is not allowed: there is no disk on C"),
            ("A to C, C to B, A to C, B to C", "the goal is reached in 4 moves, but 3 would do"),
            ("A to B, A to C, B to D", "`B to D` is not one of the words that may be used, like `A to B`"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
        assert!(judge("A to B, A to C, B to C").passed);
        assert!(tower.certify(&mut Budget::new(999)).is_ok());
        let detour = Plan(Arrangement { plan: vec![1, 5, 1, 3], ..tower.0 });
        let refused = detour.certify(&mut Budget::new(999));
        assert_eq!(refused.unwrap_err(), "`plan` takes 4 moves, but 3 suffice");
    }

    #[test]
    fn a_step_says_the_move_and_where_it_leads() {
        let tower = Plan(Arrangement { pegs: 3, start: vec![0, 0], goal: vec![2, 2], plan: vec![0, 1, 3] });
        let mut steps = tower.steps().unwrap();
        let mut judge = |step: &str| steps.judge(step, &mut Budget::new(9_999));
        assert!(judge("A to B: A 2, B empty, C 1").unwrap_err().ends_with("A 2, B 1, C empty"));
        assert!(judge("A to C: A 2, B empty, C 1").is_ok_and(|said| said.holds && !said.advances));
        assert!(judge("C to B: A 2, B 1, C empty").is_ok_and(|said| said.advances));
        assert_eq!(judge("A to B: A empty, B 2 1, C empty").unwrap_err(), "disk 2 may not lie on disk 1");
    }
}
