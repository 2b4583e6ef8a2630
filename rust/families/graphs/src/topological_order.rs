//! Order tasks so that each comes after the ones it depends on.

use kit::shared::refinement::{Relation, invariant};
use kit::shared::route::{self, Naming, fresh_name};
use kit::task::permutation::{self, miscounted};
use kit::task::prelude::*;

use orders::Placing;

mod orders;

pub struct TopologicalOrder;

params! {
    pub struct TopologicalOrderParams {
        /// Number of tasks.
        tasks: u32 [6..=80],
        /// Number of rules that put one task before another, as far as there are pairs left.
        rules: u32 [5..=300],
        /// Most tasks between the two of a rule, in the order that the rules are drawn from. A shorter reach makes longer
        /// chains.
        reach: u32 [2..=80],
        /// Names of tasks; `any` draws one of the others.
        names: Naming [style],
    }
    levels {
        (8, 9, 6, Naming::Any),
        (8, 10, 6, Naming::Any),
        (9, 13, 7, Naming::Any),
        (10, 15, 7, Naming::Any),
        (12, 19, 6, Naming::Any),
        (16, 28, 8, Naming::Any),
        (22, 42, 10, Naming::Any),
        (32, 66, 14, Naming::Any),
        (48, 105, 20, Naming::Any),
        (72, 160, 30, Naming::Any),
    }
    default 2
    check Self::consistent;
}

impl TopologicalOrderParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.rules <= 4 * self.tasks, || {
            let (rules, most) = (self.rules, 4 * self.tasks);
            format!("`rules` is {rules}, but must be at most {most}, four for each of the `tasks`")
        })
    }
}

/// Tasks, and pairs of them whose first must come before the second.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    names: Vec<String>,
    before: Vec<[usize; 2]>,
}

const MOST_TASKS: usize = 100;
const MOST_RULES: usize = 400;

impl TaskFamily for TopologicalOrder {
    type Params = TopologicalOrderParams;
    type Problem = Schedule;

    const ABOUT: About = About {
        summary: "Order tasks so that each comes after the ones it depends on.",
        distinct_from: 2,
        judged_by: JudgedBy::Constraints,
        failures: &[
            permutation::FAILURES[0],
            permutation::FAILURES[1],
            permutation::FAILURES[2],
            ("out_of_order", "a task comes before one that it depends on"),
            ("reversed", "every task comes before all those that it depends on"),
        ],
        parts: &[Part::new(
            "rules_kept",
            "share of the rules that the order satisfies, if it lists every task once",
        )],
        skills: &["graph_search", "ordering", "bookkeeping"],
        guess_rate: 0.01,
        guess_score: 0.01,
        ..About::new("graphs", "topological_order", &["First version."])
    };

    /// Draws rules until sorting the tasks by their number of rules fails.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Schedule> {
        let (tasks, reach) = (params.tasks as usize, params.reach as usize);
        loop {
            budget.spend((tasks * tasks) as u64)?;
            let order = permutation::random(tasks, rng);
            let near =
                |first: usize| (first + 1..tasks.min(first + 2 + reach)).map(move |then| [first, then]);
            let mut before: Vec<[usize; 2]> = (0..tasks).flat_map(near).collect();
            rng.shuffle(&mut before);
            before.truncate(params.rules as usize);
            for pair in &mut before {
                *pair = pair.map(|place| order[place]);
            }
            let schedule = Schedule { names: params.names.draw(tasks, rng), before };
            if schedule.misleads() && schedule.orders_differ() {
                return Ok(schedule);
            }
        }
    }
}

impl Schedule {
    fn rules(&self, phrase: impl Fn(&str, &str) -> String) -> String {
        let rule = |pair: &[usize; 2]| phrase(&self.names[pair[0]], &self.names[pair[1]]);
        self.before.iter().map(rule).lines()
    }

    fn listed(&self) -> String {
        self.names.join(", ")
    }
}

impl Problem for Schedule {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("tasks", |schedule| {
            format!(
                "The following tasks have to be done one after another: {}.\n\n{}\n\nArrange all of the tasks in an order that \
                 follows these rules. If several orders are possible, any of them will do.",
                schedule.listed(),
                schedule.rules(|first, then| format!("{first} must be done before {then}."))
            )
        }),
        Template::plain("graph", |schedule| {
            format!(
                "A directed graph has the nodes {}. Its edges are:\n\n{}\n\nFind a topological order of the graph: list every node \
                 exactly once, so that each edge goes from a node to one that comes later in the list. Any topological order \
                 is correct.",
                schedule.listed(),
                schedule.rules(|first, then| format!("{first} -> {then}"))
            )
        }),
        Template::plain("build", |schedule| {
            format!(
                "I'm writing a build script for {} modules: {}. These are their direct dependencies:\n\n{}\n\nA module can only be \
                 built when everything it depends on has been built, and the script builds one module at a time. In what order \
                 can I build all of them? Any order that works is fine.",
                schedule.names.len(),
                schedule.listed(),
                schedule.rules(|first, then| format!("{then} depends on {first}"))
            )
        }),
        Template::held_out_plain("courses", |schedule| {
            format!(
                "To graduate, a student has to take {} courses, one at a time: {}. Some courses require others, which must be taken \
                 at some point before them.\n\n{}\n\nIn what order can the student take all of the courses? There may be several \
                 possible orders; any one of them is enough.",
                schedule.names.len(),
                schedule.listed(),
                schedule.rules(|first, then| format!("{then} requires {first}."))
            )
        }),
        Template::held_out_plain("spec", |schedule| {
            format!(
                "Items: {}\nConstraints (x < y means that x comes somewhere before y):\n{}\n\nOutput a permutation of all items that \
                 satisfies every constraint. Any valid permutation is accepted.",
                schedule.listed(),
                schedule.rules(|first, then| format!("  {first} < {then}"))
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let tasks = self.names.len();
        check::length("names", &self.names, 3..=MOST_TASKS, "tasks")?;
        route::check_names(&self.names)?;
        check::length("before", &self.before, 2..=MOST_RULES, "rules")?;
        for [first, then] in &self.before {
            check::that(*first.max(then) < tasks && first != then, || {
                format!("`before` has [{first}, {then}], but must have two different tasks below {tasks}")
            })?;
        }
        let mut rules = self.before.clone();
        rules.sort_unstable();
        check::that(rules.is_sorted_by(|a, b| a < b), || "`before` has a rule twice".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget
            .spend((self.names.len() * self.before.len()) as u64)
            .map_err(|_| "`before` has more rules than may be looked at".to_owned())?;
        let order = self.order().ok_or("`before` has a cycle")?;
        let first: Vec<&str> = order.iter().map(|task| self.names[*task].as_str()).take(3).collect();
        let proof = format!("an order that satisfies every rule starts with {}", first.join(", "));
        Ok(Certificate { unique: !self.orders_differ(), proof })
    }

    /// Adds or removes a task, or changes a rule.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let (mut mutated, order) = (self.clone(), self.order()?);
        let tasks = order.len();
        let (first, then) = (rng.index(tasks - 1), rng.index(tasks));
        match aim {
            Aim::Harder => {
                mutated.names.push(fresh_name(&self.names)?);
                let then = first + 1 + rng.index(tasks - first - 1);
                mutated.before.extend([[order[first], tasks], [tasks, order[then]]]);
            }
            Aim::Easier => {
                let gone = then;
                mutated.names.remove(gone);
                mutated.before.retain(|pair| !pair.contains(&gone));
                for task in mutated.before.as_flattened_mut() {
                    *task -= usize::from(*task > gone);
                }
            }
            Aim::Same => {
                mutated.before.swap_remove(rng.index(self.before.len()));
                let new = [order[first.min(then)], order[first.max(then)]];
                if first == then || mutated.before.contains(&new) {
                    return Some(self.clone());
                }
                mutated.before.push(new);
            }
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let ends = form::Ends::Free;
        form::Route { names: &self.names, ends, place: "name", unknown: permutation::UNKNOWN }
    }

    fn solution(&self) -> Solution {
        let order = self.order().unwrap_or_default();
        let step = |task: &usize| format!("{} goes next: {}", self.names[*task], self.why(*task));
        Solution::new(order.iter().map(step), route::write(order.iter().copied(), &self.names))
    }

    /// No partial credit for an order that breaks a rule: a random one keeps half of them.
    fn verify(&self, order: Vec<usize>, _: &mut Budget) -> Judged {
        permutation::check(&order, &self.names)?;
        let broken: Vec<[usize; 2]> = self.broken(&order).collect();
        let Some([first, then]) = broken.first().map(|pair| pair.map(|task| &self.names[task])) else {
            return Ok(());
        };
        let detail = format!("{then} comes before {first}, but {first} must come first");
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).also("out_of_order");
        let all = broken.len() == self.before.len();
        let failure = if all { failure.also("reversed") } else { failure };
        Err(failure.part("rules_kept", 1.0 - broken.len() as f32 / self.before.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut order = self.order().unwrap_or_default();
        let mut wrong = miscounted(&order, faults.of(order.len()), rng).to_vec();
        if faults == Faults::All {
            order.reverse();
        } else {
            // The later task of a rule moves to just before the earlier one.
            for rule in faults.draw(self.before.len(), rng) {
                let [first, then] = self.before[rule];
                order.retain(|task| *task != then);
                let at = order.iter().position(|task| *task == first).expect("all tasks are there");
                order.insert(at, then);
            }
        }
        // The rule that was broken last stays broken.
        wrong.push(order);
        // One task twice, in the place of the first or of the last.
        let right = self.order().unwrap_or_default();
        if let [first, .., last] = right[..] {
            wrong.push([&[last], &right[1..]].concat());
            wrong.push([&right[..right.len() - 1], &[first]].concat());
        }
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let tasks = self.names.len();
        let shuffled = permutation::random(tasks, rng);
        let [needs, needed] = self.counts();
        let sorted = |key: &dyn Fn(usize) -> usize| {
            let mut order = shuffled.clone();
            order.sort_by_key(|task| key(*task));
            order
        };
        let mentioned =
            |task: usize| self.before.iter().position(|pair| pair.contains(&task)).unwrap_or(tasks);
        vec![
            ("any order", shuffled.clone()),
            ("as listed", (0..tasks).collect()),
            ("as mentioned", sorted(&mentioned)),
            ("fewest needed first", sorted(&|task| needs[task])),
            ("most needed first", sorted(&|task| tasks - needed[task])),
            ("by the difference", sorted(&|task| tasks + needs[task] - needed[task])),
        ]
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.order_by(|ready| rng.index(ready))
    }

    /// Renumbers and renames the tasks, and reorders the rules.
    fn twin(&self, rng: &mut Rng) -> Self {
        let number = permutation::random(self.names.len(), rng);
        let mut before: Vec<[usize; 2]> =
            self.before.iter().map(|pair| pair.map(|task| number[task])).collect();
        rng.shuffle(&mut before);
        // What comes first and what comes last are exchanged: an order of one is an order of the other, reversed.
        if rng.chance(1, 2) {
            for pair in &mut before {
                pair.reverse();
            }
        }
        Self { names: Naming::Any.draw(number.len(), rng), before }
    }

    /// Independent of the names, of the order of the rules, and of their common direction.
    fn fingerprint(&self) -> Vec<u8> {
        let image = |places: [u64; 2]| {
            let rule = |[first, then]: &[usize; 2]| Relation {
                kind: 0,
                members: vec![(places[0], *first), (places[1], *then)],
            };
            let rules: Vec<Relation> = self.before.iter().map(rule).collect();
            invariant(self.names.len(), &rules)
        };
        image([0, 1]).min(image([1, 0])).to_be_bytes().to_vec()
    }

    /// Placing each task, and removing the rules that it satisfies.
    fn effort(&self) -> Effort {
        Effort::new((self.names.len() + self.before.len()) as u64, 50)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Placing::new(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::task::steps::judge_steps;

    /// A diamond with a tail: E depends on D, which depends on B and C, which depend on A.
    fn diamond() -> Schedule {
        let names = ["A", "B", "C", "D", "E"].map(String::from).to_vec();
        Schedule { names, before: vec![[0, 1], [2, 3], [0, 2], [3, 4], [1, 3]] }
    }

    #[test]
    fn every_order_that_keeps_the_rules_passes_and_no_other() {
        let schedule = diamond();
        schedule.check().unwrap();
        assert!(!schedule.certify(&mut Budget::new(1_000)).unwrap().unique);
        let judge = |answer: &str| kit::testing::verdict(&schedule, answer);
        for right in ["A -> B -> C -> D -> E", "A->C->B->D->E"] {
            assert!(judge(right).passed, "{right}");
        }
        for (wrong, failure) in [
            ("A -> B -> D -> C -> E", "out_of_order"),
            ("E -> D -> C -> B -> A", "reversed"),
            ("A -> B -> C -> D", "missing_name"),
            ("A -> B -> C -> D -> E -> A", "repeated_name"),
            ("A -> B -> C -> D -> F", "unknown_name"),
            ("A, B, C, D, E", label::MALFORMED_ANSWER),
        ] {
            let verdict = judge(wrong);
            assert!(!verdict.passed && verdict.failures.contains(&failure), "{wrong}: {verdict:?}");
        }
        assert_eq!(judge("A -> B -> D -> C -> E").detail, "D comes before C, but C must come first");
    }

    #[test]
    fn one_order_is_unique_and_a_cycle_has_none() {
        let names = ["A", "B", "C"].map(String::from).to_vec();
        let certify = |before: &[[usize; 2]]| {
            let schedule = Schedule { names: names.clone(), before: before.to_vec() };
            schedule.certify(&mut Budget::new(1_000)).map(|certificate| certificate.unique)
        };
        assert_eq!(certify(&[[0, 1], [1, 2]]), Ok(true));
        assert_eq!(certify(&[[0, 1], [0, 2]]), Ok(false));
        assert_eq!(certify(&[[0, 1], [1, 2], [2, 0]]), Err("`before` has a cycle".to_owned()));
    }

    #[test]
    fn a_step_places_a_task_whose_needs_are_placed() {
        let schedule = diamond();
        let judged = |steps: &[&str]| {
            judge_steps(&mut *schedule.steps().unwrap(), steps, &mut Budget::new(1_000)).pop().unwrap()
        };
        assert!(judged(&["A goes next", "C goes next: A is already placed"]).advances);
        assert!(!judged(&["A goes next", "C goes next: just so"]).holds);
        assert!(!judged(&["C goes next"]).holds && !judged(&["A goes next", "B comes next"]).holds);
        let again = judged(&["A goes next", "A goes next"]);
        assert!(again.holds && !again.advances);
    }
}
