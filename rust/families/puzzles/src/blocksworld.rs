//! Move blocks one at a time from some stacks to others in as few moves as possible.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{Plan, Puzzle};
use kit::shared::refinement::{Relation, invariant};

use crate::shared::reversible::{self, number, packed, unpacked};

pub struct Blocksworld;

params! {
    pub struct BlocksworldParams {
        /// Blocks.
        blocks: u32 [3..=12],
        /// Length of a shortest solution, which may be up to a sixth longer.
        moves: u32 [1..=14],
    }
    levels {
        (8, 3),
        (8, 4),
        (8, 5),
        (8, 7),
        (9, 8),
        (10, 9),
        (10, 10),
        (11, 11),
        (12, 12),
    }
    default 3
    check Self::consistent;
}

impl BlocksworldParams {
    fn consistent(&self) -> Result<(), String> {
        let most = 6 * self.blocks / 5;
        check::that(self.moves <= most, || format!("`moves` must be at most {most} for so few `blocks`"))
    }
}

/// Blocks, named A, B, C and so on, in stacks.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stacks {
    /// For each block, the one that it is on; its own number if it is on the table.
    start: Vec<u8>,
    goal: Vec<u8>,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

/// From this many moves on, a greedy builder needs more than the fewest.
const TRAPPED: u32 = 7;
/// Steps of the search that may solve one draw.
const SEARCH: u64 = 300_000;

impl TaskFamily for Blocksworld {
    type Params = BlocksworldParams;
    type Problem = Plan<Stacks>;

    const ABOUT: About = About {
        summary: "Move blocks one at a time from some stacks to others in as few moves as possible.",
        distinct_from: 3,
        skills: &["planning", "search", "state_tracking"],
        guess_rate: 0.03,
        guess_score: 0.04,
        ..Plan::<Stacks>::about("puzzles", "blocksworld", &["First version."])
    };

    /// Draws stacks until a shortest way between them is long enough, and takes a part of it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Stacks>> {
        let (blocks, moves) = (params.blocks as usize, params.moves as usize);
        loop {
            budget.spend(SEARCH / 100)?;
            let [start, goal] = [(); 2].map(|()| drawn(blocks, rng));
            let stacks = Stacks { start, goal, plan: Vec::new() };
            let length = moves + rng.index(moves / 6 + 1);
            if let Some((ends, plan)) = reversible::part(&stacks, length, SEARCH, rng, budget)? {
                let [start, goal] = ends.map(|state| unpacked(state, blocks));
                let stacks = Stacks { start, goal, plan };
                if params.moves < TRAPPED || !reversible::yields(&stacks) {
                    return Ok(Plan(stacks));
                }
            }
        }
    }
}

/// Blocks in random order, four of five on the one before.
fn drawn(blocks: usize, rng: &mut Rng) -> Vec<u8> {
    let mut order: Vec<u8> = (0..blocks as u8).collect();
    let mut under = order.clone();
    rng.shuffle(&mut order);
    for pair in order.windows(2).filter(|_| rng.chance(4, 5)) {
        under[usize::from(pair[1])] = pair[0];
    }
    under
}

/// The blocks under this one, from top to bottom.
fn all_below(state: u64, block: usize) -> impl Iterator<Item = usize> {
    let next = move |block: &usize| Some(number(state, *block)).filter(|under| under != block);
    std::iter::successors(Some(block), next).skip(1)
}

impl Stacks {
    fn blocks(&self) -> std::ops::Range<usize> {
        0..self.start.len()
    }

    /// The block on this one.
    fn above(&self, state: u64, block: usize) -> Option<usize> {
        self.blocks().find(|other| *other != block && number(state, *other) == block)
    }

    /// True if this block and all below it are where they are at the goal.
    fn is_placed(&self, state: u64, block: usize) -> bool {
        let under = number(state, block);
        under == usize::from(self.goal[block]) && (under == block || self.is_placed(state, under))
    }

    /// The stacks, each from bottom to top, by the names of their lowest blocks.
    fn stacks(&self, state: u64) -> impl Iterator<Item = String> {
        let up = move |block: &usize| self.above(state, *block);
        let lowest = self.blocks().filter(move |block| number(state, *block) == *block);
        lowest.map(move |block| std::iter::successors(Some(block), up).map(name).joined(" "))
    }
}

fn name(block: usize) -> char {
    char::from(b'A' + block as u8)
}

impl Puzzle for Stacks {
    /// Four bits for each block.
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "blocks",
            "These are stacks of blocks on a table, each from bottom to top:\n\n{start:{stack}}\n\nThey should become these, again \
             from bottom to top:\n\n{goal:{stack}}\n\nA move takes a block with no block on it and puts it on another block with \
             none on it (\"A to B\") or on the table (\"A to table\"), where there is always room. The order of the stacks does not \
             matter. Find a way with as few moves as possible; if there are several, any of them will do.",
        ),
        Prompt::new(
            "message",
            "Can you help me restack the boxes on my workbench? I have these piles, lowest box first:\n\n{start:- {stack}}\n\nAnd \
             I need these, also lowest box first (I don't care which pile is where):\n\n{goal:- {stack}}\n\nI carry one box at a \
             time, and only one with nothing on it. I can put it on another box with nothing on it (say \"A to B\") or straight on \
             the bench, where there's room enough (\"A to table\"). What's a way with the fewest moves? Any shortest will do.",
        ),
        Prompt::new(
            "program",
            "stacks now (the last letter is the top):\n{start:{stack}}\n\nstacks wanted, in any order:\n{goal:{stack}}\n\n\
             instructions:\nX to Y: pop X, which must be on top of its stack, and push it onto the stack with Y on top\nX to table: \
             pop X, which must be on top of its stack but not alone there, and start a new stack with it\n\nWrite a shortest \
             program that turns the first stacks into the second. Any program of that length is accepted.",
        ),
        Prompt::held_out(
            "harbor",
            "Containers are piled up in a harbor. Tonight the piles are, from the ground up:\n\n{start:- {stack}}\n\nTomorrow they \
             must be, from the ground up and in any order:\n\n{goal:- {stack}}\n\nThe crane lifts one container at a time, and only \
             if no other is on it. It sets it down on a different pile, or on free ground, of which there is plenty. The foreman \
             writes \"A to B\" when A is set down on B, and \"A to table\" when it starts a new pile. How can it be done with as few \
             lifts as possible? Any such plan is fine.",
        ),
        Prompt::held_out(
            "planning",
            "Blocks world\n\nInitial towers, bottom block first:\n{start:{stack}}\n\nGoal towers, bottom block first:\n\
             {goal:{stack}}\n\nActions: \"X to Y\" puts clear block X on clear block Y, \"X to table\" puts clear block X on the table. \
             Clear blocks have no block on them. An action must change what X is on. The table holds any number of towers, in no \
             particular order.\nObjective: fewest actions; every optimal plan is accepted\n",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written like A to B or A to table,";
    const STATES: u64 = 150;

    fn check(&self) -> Result<(), String> {
        let blocks = self.start.len();
        check::length("start", &self.start, 2..=12, "blocks")?;
        for (field, under) in [("start", &self.start), ("goal", &self.goal)] {
            check::length(field, under, blocks..=blocks, "blocks")?;
            check::each(field, under, |block| usize::from(*block) < blocks, "there is no such block")?;
            let above: usize = self.stacks(packed(under)).map(|stack| stack.split(' ').count()).sum();
            check::that(above == blocks, || format!("`{field}` has blocks that are in no stack"))?;
        }
        Ok(())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        for (name, under) in [("start", &self.start), ("goal", &self.goal)] {
            slots.lines(name, self.stacks(packed(under)), |line, stack| {
                line.text("stack", stack);
            });
        }
    }

    fn begin(&self) -> u64 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u64) -> bool {
        state == packed(&self.goal)
    }

    fn names(&self) -> Vec<String> {
        let to = |block, other| if other == block { "table".to_owned() } else { name(other).to_string() };
        let named =
            |block| self.blocks().map(move |other| format!("{} to {}", name(block), to(block, other)));
        self.blocks().flat_map(named).collect()
    }

    fn step(&self, state: u64, action: usize) -> Option<u64> {
        let (block, to) = (action / self.start.len(), action % self.start.len());
        let under = number(state, block);
        let allowed = under != to && [block, to].iter().all(|block| self.above(state, *block).is_none());
        allowed.then(|| state ^ ((under ^ to) as u64) << (4 * block))
    }

    fn why_not(&self, state: u64, action: usize) -> String {
        let (block, to) = (action / self.start.len(), action % self.start.len());
        let covered = [block, to].into_iter().find_map(|under| Some((self.above(state, under)?, under)));
        match covered.filter(|(other, _)| *other != block) {
            Some((other, under)) => format!("{} is on {}", name(other), name(under)),
            None => format!("{} is there already", name(block)),
        }
    }

    /// A block that is not in its place moves once, and twice if it is above another such block now and at the goal.
    fn away(&self, state: u64) -> Option<u32> {
        let goal = packed(&self.goal);
        let wrong: Vec<usize> = self.blocks().filter(|block| !self.is_placed(state, *block)).collect();
        let waits = |block: usize| {
            let under = |under: &usize| all_below(goal, block).any(|other| other == *under);
            all_below(state, block).filter(under).any(|under| wrong.contains(&under))
        };
        Some(wrong.iter().map(|block| 1 + u32::from(waits(*block))).sum())
    }

    fn told(&self, state: u64) -> String {
        self.stacks(state).joined(" / ")
    }

    fn picture(&self, state: u64) -> String {
        let [now, goal] = [state, packed(&self.goal)].map(|state| self.stacks(state).lines());
        format!("{now}\n\nGoal:\n{goal}")
    }

    /// The stacks, and right of them those of the goal.
    fn draw(&self, state: u64) -> Picture {
        let blocks = self.start.len() as u32;
        let mut picture = Picture::new(blocks, 2 * blocks + 1);
        for (left, state) in [(0, state), (blocks + 1, packed(&self.goal))] {
            for (column, stack) in (left..).zip(self.stacks(state)) {
                let up = stack.split(' ').zip((0..blocks).rev());
                up.for_each(|(block, row)| picture.sign(row, column, block, Ink::Black));
            }
        }
        picture
    }

    /// A row for each block with 1 at the block that it is on, or at itself; then the same at the goal.
    fn shape(&self) -> Vec<usize> {
        vec![2, self.start.len(), self.start.len()]
    }

    fn observe(&self, state: u64, out: &mut [f32]) {
        let blocks = self.start.len();
        out.fill(0.0);
        for (plane, state) in out.chunks_exact_mut(blocks * blocks).zip([state, packed(&self.goal)]) {
            self.blocks().for_each(|block| plane[block * blocks + number(state, block)] = 1.0);
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (state, plan) = reversible::edited(self, aim, rng, budget)?;
        Some(Self { start: unpacked(state, self.start.len()), plan, ..self.clone() })
    }

    /// Renames the blocks.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut names: Vec<u8> = (0..self.start.len() as u8).collect();
        rng.shuffle(&mut names);
        let name = |block: u8| names[usize::from(block)];
        let renamed = |under: &[u8]| {
            let mut renamed = under.to_vec();
            (0..).zip(under).for_each(|(block, under)| renamed[usize::from(name(block))] = name(*under));
            renamed
        };
        let blocks = names.len() as u8;
        let moved = |action: &u8| name(action / blocks) * blocks + name(action % blocks);
        let plan = self.plan.iter().map(moved).collect();
        Self { start: renamed(&self.start), goal: renamed(&self.goal), plan }
    }

    /// Independent of the names, and of the direction.
    fn fingerprint(&self) -> Vec<u8> {
        let image = |start: &[u8], goal: &[u8]| {
            let members = |block: usize| vec![(0, block), (1, start[block].into()), (2, goal[block].into())];
            let relation = |block| Relation { kind: 0, members: members(block) };
            invariant(start.len(), &self.blocks().map(relation).collect::<Vec<_>>())
        };
        image(&self.start, &self.goal).min(image(&self.goal, &self.start)).to_le_bytes().to_vec()
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("whatever brings a block nearer to its place", reversible::downhill(self))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::plan;
    use kit::testing::{fails, passes};

    /// Sussman's anomaly: C is on A, and A is to be on B and B on C.
    #[test]
    fn the_sussman_anomaly_takes_three_moves() {
        let stacks = Plan(Stacks { start: vec![0, 1, 0], goal: vec![1, 2, 2], plan: vec![8, 5, 1] });
        assert!(stacks.certify(&mut Budget::new(9_999)).is_ok());
        passes(&stacks, "C to table, B to C, A to B");
        for (wrong, label, detail) in [
            ("A to B", "illegal_move", "move 1, `A to B`, is not allowed: C is on A"),
            ("B to table", "illegal_move", "move 1, `B to table`, is not allowed: B is there already"),
            ("B to C", "goal_not_reached", "the moves do not end at the goal, but at this: A C B"),
        ] {
            fails(&stacks, wrong, label, detail);
        }
    }

    /// OEIS A000262: arrangements of six blocks; from all of them a guided search is as short as another.
    #[test]
    fn guided_searches_find_shortest_plans() {
        let goal = vec![2, 0, 2, 4, 4, 3];
        let stacks = Stacks { start: goal.clone(), goal, plan: vec![] };
        let (budget, step) = (&mut Budget::unlimited(), |state, action| stacks.step(state, action));
        let all = plan::explore(stacks.begin(), 36, step, |_, _| false, budget).unwrap().order;
        assert_eq!(all.len(), 4_051);
        for (state, away) in all.iter().step_by(37) {
            let way = stacks.shortest(*state, budget).unwrap().0.unwrap();
            assert_eq!(way.len(), *away as usize);
        }
    }
}
