//! Hand boxes from zone to zone, by arms that each reach a few, until every box is where it belongs.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{Plan, Puzzle};
use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::words;

use crate::reversible::{self, number, packed, unpacked};

pub struct WarehousePlan;

params! {
    pub struct WarehousePlanParams {
        /// Zones, each with room for one box.
        zones: u32 [4..=16],
        /// Arms.
        arms: u32 [1..=12],
        /// Boxes.
        boxes: u32 [1..=12],
        /// Length of a shortest solution, which may be up to a quarter longer.
        moves: u32 [1..=30],
    }
    levels {
        (6, 3, 2, 2),
        (7, 3, 3, 3),
        (8, 4, 4, 5),
        (9, 4, 5, 7),
        (10, 5, 6, 9),
        (11, 5, 7, 12),
        (12, 6, 8, 15),
        (12, 6, 9, 18),
        (13, 7, 10, 21),
    }
    default 3
    check Self::consistent;
}

impl WarehousePlanParams {
    fn consistent(&self) -> Result<(), String> {
        let Self { zones, arms, boxes, moves } = *self;
        check::that(arms < zones && boxes < zones && moves <= 3 * boxes, || {
            format!("{arms} `arms`, {boxes} `boxes` or {moves} `moves` are too many")
        })
    }
}

/// Zones, boxes and arms.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warehouse {
    zones: usize,
    /// The zones that each arm reaches, in rising order.
    arms: Vec<Vec<usize>>,
    /// The zone of each box.
    start: Vec<u8>,
    goal: Vec<u8>,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

/// From this many moves on, those that look best do not lead to the goal.
const TRAPPED: u32 = 7;
/// Steps of the search that may solve one draw.
const SEARCH: u64 = 300_000;

impl TaskFamily for WarehousePlan {
    type Params = WarehousePlanParams;
    type Problem = Plan<Warehouse>;

    const ABOUT: About = About {
        summary: "Hand boxes from zone to zone until each is where it belongs, in as few moves as possible.",
        distinct_from: 1,
        skills: &["planning", "search", "state_tracking"],
        guess_rate: 0.08,
        guess_score: 0.08,
        ..Plan::<Warehouse>::about("puzzles", "warehouse_plan", &["First version."])
    };

    /// Draws warehouses until a shortest way between two arrangements is long enough, and takes a part of it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Warehouse>> {
        let (zones, boxes) = (params.zones as usize, params.boxes as usize);
        loop {
            budget.spend(SEARCH / 100)?;
            let [start, goal] = [(); 2].map(|()| {
                let order = permutation::random(zones, rng).into_iter().take(boxes);
                order.map(|zone| zone as u8).collect()
            });
            let arms = arms(zones, params.arms as usize, rng);
            let warehouse = Warehouse { zones, arms, start, goal, plan: Vec::new() };
            let length = (params.moves + rng.index(params.moves as usize / 4 + 1) as u32) as usize;
            if let Some((ends, plan)) = reversible::part(&warehouse, length, SEARCH, rng, budget)? {
                let [start, goal] = ends.map(|state| unpacked(state, boxes));
                let warehouse = Warehouse { start, goal, plan, ..warehouse };
                if params.moves < TRAPPED || !reversible::yields(&warehouse) {
                    return Ok(Plan(warehouse));
                }
            }
        }
    }
}

/// Arms that connect all zones: each reaches one of those before, its share of the others, and sometimes one more.
fn arms(zones: usize, count: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let order = permutation::random(zones, rng);
    let arm = |at: usize| {
        let [from, to] = [at, at + 1].map(|at| 1 + at * (zones - 1) / count);
        let mut arm = order[from..to].to_vec();
        arm.push(order[rng.index(from)]);
        if arm.len() < 3 && rng.chance(1, 2) {
            arm.push(order[rng.index(to)]);
        }
        arm.sort_unstable();
        arm.dedup();
        arm
    };
    (0..count).map(arm).collect()
}

impl Warehouse {
    /// True if an arm reaches both zones.
    fn reaches(&self, one: usize, other: usize) -> bool {
        self.arms.iter().any(|arm| arm.contains(&one) && arm.contains(&other))
    }

    /// Moves that a box takes from one zone to another while it is alone.
    fn apart(&self, from: usize, to: usize) -> Option<u32> {
        let (mut reached, mut moves) = (1_u32 << from, 0);
        while reached >> to & 1 == 0 {
            let mask = |arm: &Vec<usize>| arm.iter().fold(0, |mask, zone| mask | 1_u32 << zone);
            let next = self
                .arms
                .iter()
                .map(mask)
                .filter(|arm| arm & reached > 0)
                .fold(reached, |all, arm| all | arm);
            if next == reached {
                return None;
            }
            (reached, moves) = (next, moves + 1);
        }
        Some(moves)
    }

    fn boxes(&self) -> std::ops::Range<usize> {
        0..self.start.len()
    }

    fn holds(&self, state: u64, zone: usize) -> Option<usize> {
        self.boxes().find(|other| number(state, *other) == zone)
    }
}

fn name(item: usize) -> char {
    char::from(b'A' + item as u8)
}

impl Puzzle for Warehouse {
    /// Four bits for each box.
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "warehouse",
            "A warehouse has zones 1 to {zones}, each with room for a single box, and arms that hand boxes from zone to \
             zone:\n\n{arms:Arm {arm} reaches the zones {reach}.}\n\nThese are the boxes:\n\n{boxes:Box {box} is in zone {from} and \
             {placed?is to be there in the end, too|belongs in zone {to}}.}\n\nA move is written like \"A to 3\": an arm hands box A from the zone \
             where it is to zone 3. It has to reach both zones, and zone 3 has to be empty. Find a way to bring all boxes where they \
             belong in as few moves as possible. If there are several, any of them will do.",
        ),
        Prompt::new(
            "message",
            "Hi, the night shift left our robot cell in a mess. We've got {zones} bays, numbered from 1, and a bay holds one crate at most. Each \
             robot serves some of the bays:\n\n{arms:- robot {arm}: {reach}}\n\nRight now the crates are in these bays, and in \
             brackets you find where we need them:\n\n{boxes:- {box}: {from} (needed in {to})}\n\nA robot can lift a crate from one of its bays and \
             set it down in another one of its bays if that's empty; say \"A to 3\" when crate A goes to bay 3. One crate moves at a \
             time. What's the least number of moves, and which ones? If there's more than one way, just pick one.",
        ),
        Prompt::new(
            "program",
            "slots = 1..{zones}\ngroups = [\n{arms:  [{reach}],}\n]\nposition = {{{from}}}\ntarget = {{{to}}}\n\nThe instruction \"A to 3\" sets \
             position[A] = 3; the same goes for other keys and slots. It is an error if no group contains both the old and the new \
             position of the key, if they are the same, or if another key has the new position. Write a shortest program that runs \
             without an error and ends with position == target. Any program of that length is accepted.",
        ),
        Prompt::held_out(
            "monkeys",
            "At the zoo, {zones} platforms are numbered from 1. There are ropes between them; each rope leads past several platforms, and a \
             monkey can swing along it from any one of these to any other:\n\n{arms:- Rope {arm} leads past the platforms {reach}.}\n\n\
             A platform is too small for two. For the photo, the monkeys have to go from where they sit to their own \
             places:\n\n{boxes:- Monkey {box} sits on platform {from} and must get to platform {to}.}\n\nThe keeper whistles for one swing at a \
             time, \"A to 3\" if monkey A is to swing to platform 3, which must be free then. How can everyone get in place with as \
             few swings as possible? Any such way is fine.",
        ),
        Prompt::held_out(
            "planning",
            "Problem: handing boxes\nLocations: 1 to {zones}, capacity 1 each\nArms (each moves a box from any of its locations to any other \
             of its locations that is empty):\n{arms:{arm}: {reach}}\nInitial: {from}\nGoal: {to}\nAction \"X to N\": some arm moves box X from its location \
             to location N\nCost: 1 per action, one at a time\nTask: find a plan with minimum cost; if there is more than one, \
             any will be accepted\n",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written like A to 3,";
    const STATES: u64 = 150;

    fn check(&self) -> Result<(), String> {
        check::within("zones", &self.zones, 2..=16)?;
        check::length("arms", &self.arms, 1..=12, "arms")?;
        for arm in &self.arms {
            check::each("arms", arm, |zone| *zone < self.zones, "there is no such zone")?;
            let rises = arm.is_sorted_by(|one, other| one < other);
            check::that(rises && arm.len() > 1, || {
                "`arms` must reach several zones, in rising order".to_owned()
            })?;
        }
        let boxes = self.start.len();
        check::length("start", &self.start, 1..=12, "boxes")?;
        for (field, zones) in [("start", &self.start), ("goal", &self.goal)] {
            check::length(field, zones, boxes..=boxes, "boxes")?;
            check::each(field, zones, |zone| usize::from(*zone) < self.zones, "there is no such zone")?;
            check::distinct(field, zones)?;
        }
        Ok(())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("zones", self.zones);
        slots.lines("arms", (1..).zip(&self.arms), |line, (arm, reach): (usize, &Vec<usize>)| {
            line.text("arm", arm).with("reach", || words::and(reach.iter().map(|zone| zone + 1)));
        });
        slots.lines("boxes", self.boxes(), |line, at| {
            let [from, to] = [self.start[at] + 1, self.goal[at] + 1];
            line.text("box", name(at)).text("from", from).text("to", to).either("placed", from == to);
        });
        slots.with("from", || self.told(packed(&self.start))).with("to", || self.told(packed(&self.goal)));
    }

    fn begin(&self) -> u64 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u64) -> bool {
        state == packed(&self.goal)
    }

    fn names(&self) -> Vec<String> {
        let to = |at| (1..=self.zones).map(move |zone| format!("{} to {zone}", name(at)));
        self.boxes().flat_map(to).collect()
    }

    fn step(&self, state: u64, action: usize) -> Option<u64> {
        let (at, to) = (action / self.zones, action % self.zones);
        let from = number(state, at);
        let allowed = self.holds(state, to).is_none() && self.reaches(from, to);
        allowed.then(|| state ^ ((from ^ to) as u64) << (4 * at))
    }

    fn why_not(&self, state: u64, action: usize) -> String {
        let (at, to) = (action / self.zones, action % self.zones);
        match self.holds(state, to) {
            Some(other) if other == at => format!("{} is there already", name(at)),
            Some(other) => format!("{} is at {}", name(other), to + 1),
            None => format!("nothing reaches both {} and {}", number(state, at) + 1, to + 1),
        }
    }

    /// Each box has to come to its zone.
    fn away(&self, state: u64) -> Option<u32> {
        self.boxes().map(|at| self.apart(number(state, at), self.goal[at].into())).sum()
    }

    /// "A: 3, B: 5".
    fn told(&self, state: u64) -> String {
        self.boxes().map(|at| format!("{}: {}", name(at), number(state, at) + 1)).listed()
    }

    fn picture(&self, state: u64) -> String {
        format!("{}\nGoal: {}", self.told(state), self.told(packed(&self.goal)))
    }

    /// The zones, with their boxes and those of the goal below.
    fn draw(&self, state: u64) -> Picture {
        let mut picture = Picture::new(3, self.zones as u32);
        for zone in 0..self.zones {
            picture.sign(0, zone as u32, (zone + 1).to_string(), Ink::Grey);
        }
        for (row, state, ink) in [(1, state, Ink::Black), (2, packed(&self.goal), Ink::Blue)] {
            for at in self.boxes() {
                picture.sign(row, number(state, at) as u32, name(at), ink);
            }
        }
        picture
    }

    /// A row for each box with 1 at its zone, one for each with 1 at its zone of the goal, and one for each arm with 1
    /// at the zones that it reaches.
    fn shape(&self) -> Vec<usize> {
        vec![2 * self.start.len() + self.arms.len(), self.zones]
    }

    fn observe(&self, state: u64, out: &mut [f32]) {
        out.fill(0.0);
        let boxes = [state, packed(&self.goal)]
            .into_iter()
            .flat_map(|state| self.boxes().map(move |at| vec![number(state, at)]));
        for (row, zones) in out.chunks_exact_mut(self.zones).zip(boxes.chain(self.arms.iter().cloned())) {
            zones.into_iter().for_each(|zone| row[zone] = 1.0);
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (state, plan) = reversible::edited(self, aim, rng, budget)?;
        Some(Self { start: unpacked(state, self.start.len()), plan, ..self.clone() })
    }

    /// Renames the zones and the boxes, and reorders the arms.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (zones, boxes) =
            (permutation::random(self.zones, rng), permutation::random(self.start.len(), rng));
        let moved = |at: &[u8]| {
            let mut moved = at.to_vec();
            boxes.iter().zip(at).for_each(|(image, zone)| moved[*image] = zones[usize::from(*zone)] as u8);
            moved
        };
        let reach = |arm: &Vec<usize>| {
            let mut reach: Vec<usize> = arm.iter().map(|zone| zones[*zone]).collect();
            reach.sort_unstable();
            reach
        };
        let mut arms: Vec<Vec<usize>> = self.arms.iter().map(reach).collect();
        rng.shuffle(&mut arms);
        let action = |action: &u8| {
            let (at, to) = (usize::from(*action) / self.zones, usize::from(*action) % self.zones);
            (boxes[at] * self.zones + zones[to]) as u8
        };
        let plan = self.plan.iter().map(action).collect();
        Self { zones: self.zones, arms, start: moved(&self.start), goal: moved(&self.goal), plan }
    }

    /// Independent of names and of the order of the arms, and of the direction.
    fn fingerprint(&self) -> Vec<u8> {
        let image = |start: &[u8], goal: &[u8]| {
            let ends =
                start.iter().zip(goal).map(|(from, to)| vec![(0, usize::from(*from)), (1, usize::from(*to))]);
            let boxes = ends.map(|members| Relation { kind: 0, members });
            let arms = self.arms.iter().map(|arm| arm.iter().map(|zone| (0, *zone)).collect());
            let relations: Vec<Relation> =
                boxes.chain(arms.map(|members| Relation { kind: 1, members })).collect();
            invariant(self.zones, &relations)
        };
        image(&self.start, &self.goal).min(image(&self.goal, &self.start)).to_le_bytes().to_vec()
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("whatever brings a box nearer to its zone", reversible::downhill(self))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::plan;
    use kit::testing::{fails, passes};

    /// Two boxes change places, for which one has to go aside.
    fn junction() -> Warehouse {
        let arms = vec![vec![0, 1], vec![1, 2, 3]];
        Warehouse { zones: 4, arms, start: vec![0, 1], goal: vec![1, 0], plan: vec![6, 1, 3, 5, 4, 1] }
    }

    #[test]
    fn a_verdict_says_why_a_box_cannot_be_handed_over() {
        let junction =
            Plan(Warehouse { start: vec![0, 1], goal: vec![1, 2], plan: vec![6, 1], ..junction() });
        assert!(junction.certify(&mut Budget::new(9_999)).is_ok());
        passes(&junction, "B to 3, A to 2");
        for (wrong, label, detail) in [
            ("A to 2, B to 3", "illegal_move", "move 1, `A to 2`, is not allowed: B is at 2"),
            ("A to 1", "illegal_move", "move 1, `A to 1`, is not allowed: A is there already"),
            ("A to 3", "illegal_move", "move 1, `A to 3`, is not allowed: nothing reaches both 1 and 3"),
            ("B to 3", "goal_not_reached", "the moves do not end at the goal, but at this: A: 1, B: 3"),
        ] {
            fails(&junction, wrong, label, detail);
        }
    }

    #[test]
    fn guided_searches_find_shortest_plans() {
        let (warehouse, budget) = (junction(), &mut Budget::unlimited());
        let step = |state, action| warehouse.step(state, action);
        let all = plan::explore(packed(&warehouse.goal), 8, step, |_, _| false, budget).unwrap().order;
        assert_eq!(all.len(), 12);
        for (state, away) in all {
            assert_eq!(warehouse.shortest(state, budget).unwrap().0.unwrap().len(), away as usize);
        }
    }
}
