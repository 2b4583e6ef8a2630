//! Schedule jobs on machines so that the last one ends as early as possible.

use kit::rules::Play;
use kit::shared::optimum;
use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::words::count;

use dispatching::Dispatching;
use solving::Scheduling;

mod dispatching;
mod solving;

pub struct JobShop;

params! {
    pub struct JobShopParams {
        /// Number of jobs.
        jobs: u32 [3..=7],
        /// Number of machines; every job needs each of them once.
        machines: u32 [2..=6],
        /// Longest time of an operation, in minutes.
        longest: u32 [5..=60],
    }
    levels {
        (4, 2, 9),
        (4, 3, 10),
        (4, 4, 12),
        (4, 5, 15),
        (5, 4, 15),
        (5, 5, 20),
        (6, 5, 30),
        (6, 6, 40),
    }
    default 4
}

/// The operations of every job in order: machine and minutes.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shop {
    jobs: Vec<Vec<(usize, u32)>>,
    /// The operations in the order of a best schedule, each given by its job; a claim that `certify` proves.
    order: Vec<usize>,
}

/// Maximum number of jobs and of machines.
const MOST: usize = 8;
/// Steps to solve one draw; those that take more are drawn again, which keeps the slowest task fast.
const SOLVE_STEPS: u64 = 8_000;
/// Random orders of each kind that must not be best.
const TRIED: u32 = 100;

impl TaskFamily for JobShop {
    type Params = JobShopParams;
    type Problem = Shop;

    const ABOUT: About = About {
        summary: "Schedule jobs on machines so that the last one ends as early as possible.",
        judged_by: JudgedBy::Optimum,
        failures: &[("wrong_count", "a job is listed more or fewer times than it has operations")],
        parts: &[Part::new(
            "gap",
            "time of the best schedule divided by the time of this one; 0 if this is not a schedule",
        )],
        skills: &["optimization", "search", "state_tracking"],
        // Handling a partial schedule costs more than most counted steps do.
        budgets: Budgets { generate: 2_000_000, judge: 400_000, certify: 400_000 },
        guess_rate: 0.085,
        guess_score: 0.1,
        ..About::new("graphs", "job_shop", &["First version."])
    };

    /// Draws shops until no dispatching rule is best, nor any of many random or round-robin orders.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Shop> {
        let machines = params.machines as usize;
        loop {
            let job = |rng: &mut Rng| {
                let order = permutation::random(machines, rng).into_iter();
                order.map(|machine| (machine, rng.int(2, params.longest.into()) as u32)).collect()
            };
            let mut shop = Shop { jobs: (0..params.jobs).map(|_| job(rng)).collect(), order: Vec::new() };
            if !budget.wants(|| shop.fingerprint())? {
                continue;
            }
            let mut steps = Budget::new(SOLVE_STEPS);
            let solved = shop.solve(&mut steps);
            budget.spend(steps.spent() + 1_000)?;
            let Ok((order, _)) = solved else { continue };
            let best = shop.span(&order);
            shop.order = order;
            let by_rule = shop.by_rule().iter().any(|(_, order)| shop.span(order) == best);
            let worse = |order: &[usize]| shop.span(order) > best;
            if !by_rule && (0..TRIED).all(|_| worse(&shop.random(rng)) && worse(&shop.rounds(rng))) {
                return Ok(shop);
            }
        }
    }
}

/// A partial schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Number of scheduled operations of each job.
    done: Vec<usize>,
    /// Time at which each job is ready and each machine is free.
    ready: Vec<u32>,
    free: Vec<u32>,
}

impl Shop {
    fn machines(&self) -> usize {
        self.jobs[0].len()
    }

    fn operations(&self) -> usize {
        self.jobs.len() * self.machines()
    }

    fn empty(&self) -> Schedule {
        let jobs = self.jobs.len();
        Schedule { done: vec![0; jobs], ready: vec![0; jobs], free: vec![0; self.machines()] }
    }

    /// Machine, start and end of a job's next operation.
    fn next(&self, schedule: &Schedule, job: usize) -> Option<(usize, u32, u32)> {
        let (machine, time) = *self.jobs[job].get(schedule.done[job])?;
        let start = schedule.ready[job].max(schedule.free[machine]);
        Some((machine, start, start + time))
    }

    /// Schedules a job's next operation as early as possible after everything on its machine.
    fn put(&self, schedule: &mut Schedule, job: usize) {
        let (machine, _, end) = self.next(schedule, job).expect("the job has an operation left");
        schedule.done[job] += 1;
        (schedule.ready[job], schedule.free[machine]) = (end, end);
    }

    /// Time at which everything is done, for an order that names every job once per operation.
    fn span(&self, order: &[usize]) -> u32 {
        let mut schedule = self.empty();
        for job in order {
            self.put(&mut schedule, *job);
        }
        schedule.ready.into_iter().max().unwrap_or(0)
    }

    /// The order that always schedules the next operation with the smallest `rank`.
    fn dispatched<K: Ord>(&self, rank: impl Fn(&Schedule, usize, u32) -> K) -> Vec<usize> {
        let (mut schedule, mut order) = (self.empty(), Vec::new());
        let open = |schedule: &Schedule| {
            let next = (0..self.jobs.len()).filter_map(|job| Some((job, self.next(schedule, job)?.1)));
            next.min_by_key(|(job, start)| rank(schedule, *job, *start)).map(|(job, _)| job)
        };
        while let Some(job) = open(&schedule) {
            self.put(&mut schedule, job);
            order.push(job);
        }
        order
    }

    fn left(&self, schedule: &Schedule, job: usize) -> u32 {
        self.jobs[job][schedule.done[job]..].iter().map(|(_, time)| time).sum()
    }

    /// Dispatching rules, each with its order.
    fn by_rule(&self) -> [(&'static str, Vec<usize>); 4] {
        let time = |schedule: &Schedule, job: usize| self.jobs[job][schedule.done[job]].1;
        [
            ("round after round", self.dispatched(|schedule, job, _| (schedule.done[job], job))),
            ("earliest start, shortest first", self.dispatched(|s, job, start| (start, time(s, job)))),
            ("earliest end", self.dispatched(|s, job, start| start + time(s, job))),
            (
                "earliest start, most work left",
                self.dispatched(|s, job, start| (start, u32::MAX - self.left(s, job))),
            ),
        ]
    }

    fn random(&self, rng: &mut Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.operations()).map(|at| at % self.jobs.len()).collect();
        rng.shuffle(&mut order);
        order
    }

    /// Rounds that name every job once, in random order.
    fn rounds(&self, rng: &mut Rng) -> Vec<usize> {
        (0..self.machines()).flat_map(|_| permutation::random(self.jobs.len(), rng)).collect()
    }

    fn judge(&self, order: &[usize]) -> Judged {
        for job in 0..self.jobs.len() {
            let (named, operations) = (order.iter().filter(|other| **other == job).count(), self.machines());
            if named != operations {
                let (named, operations) = (count(named, "time"), count(operations, "operation"));
                let detail = format!("{} is listed {named}, but has {operations}", letter(job));
                return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also("wrong_count"));
            }
        }
        let (span, best) = (self.span(order), self.span(&self.order));
        if span <= best {
            return Ok(());
        }
        let naive =
            self.by_rule().map(|(_, order)| self.span(&order)).into_iter().min().expect("there are four");
        let detail =
            format!("this schedule takes {}, {} more than the best one", count(span, "minute"), span - best);
        let failure = Failure::new(label::SUBOPTIMAL, detail);
        let credit = optimum::credit(span.into(), best.into(), naive.into());
        Err(failure.score(credit).part("gap", best as f32 / span as f32))
    }

    /// The scheduled operations with their times: "A on M2: 3 to 7".
    fn told(&self, order: &[usize]) -> Vec<String> {
        let mut schedule = self.empty();
        let tell = |job: &usize| {
            let (machine, start, end) =
                self.next(&schedule, *job).expect("jobs are named as often as is right");
            self.put(&mut schedule, *job);
            format!("{} on M{}: {start} to {end}", letter(*job), machine + 1)
        };
        order.iter().map(tell).collect()
    }

    fn last_job(&self) -> char {
        letter(self.jobs.len() - 1)
    }

    fn listed_machines(&self) -> String {
        match self.machines() {
            2 => "M1 and M2".to_owned(),
            machines => format!("M1 to M{machines}"),
        }
    }

    fn lines(&self, line: impl Fn(char, &[(usize, u32)]) -> String) -> String {
        let lines = self.jobs.iter().enumerate().map(|(job, operations)| line(letter(job), operations));
        lines.lines()
    }
}

/// The operations of a job in words, each with its machine and its time: "M2 (7), M1 (3)".
fn worded(operations: &[(usize, u32)], between: &str, word: fn(usize, u32) -> String) -> String {
    operations.iter().map(|(machine, time)| word(machine + 1, *time)).joined(between)
}

fn letter(job: usize) -> char {
    char::from(b'A' + job as u8)
}

impl Problem for Shop {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("jobs", |shop| {
            format!(
                "Jobs A to {} are to be done on machines {}. Each job visits the machines in its own order and spends \
                 the given number of minutes on each:\n\n{}\n\nA machine works on one job at a time, and a job is on one \
                 machine at a time. Once a job has started on a machine, it stays there without a break until its time is up. \
                 All machines are free at the start. A schedule is written as a list of job letters, in which every letter \
                 appears exactly {}: the first time a letter appears, it stands for the job's first visit, the second time for \
                 its second visit, and so on. Every visit starts as soon as both the job's previous visit and all visits to \
                 the same machine that come earlier in the list are over. Find a list for which the last job ends as early as \
                 possible. If several lists are equally good, any of them will do.",
                shop.last_job(),
                shop.listed_machines(),
                shop.lines(|job, operations| {
                    format!(
                        "{job}: {}",
                        worded(operations, ", then ", |machine, time| format!("M{machine} for {time}"))
                    )
                }),
                count(shop.machines(), "time")
            )
        }),
        Template::plain("table", |shop| {
            format!(
                "Job shop scheduling with machines {}. The operations of each job, in the order in which they have to be \
                 done, as machine=duration:\n\n{}\n\nA solution lists all {} operations by the letters of their jobs, where the \
                 k-th occurrence of a letter means the k-th operation of that job. No operation is interrupted. An operation \
                 starts at the earliest time at which the previous operation of its job and all operations listed before it for \
                 the same machine are complete; the first ones start at time 0. Minimize the makespan, which is the time at \
                 which the last operation is complete. Any optimal solution is accepted.",
                shop.listed_machines(),
                shop.lines(|job, operations| {
                    format!(
                        "{job}: {}",
                        worded(operations, " ", |machine, time| format!("M{machine}={time}"))
                    )
                }),
                shop.operations()
            )
        }),
        Template::plain("workshop", |shop| {
            format!(
                "Could you work out a schedule for the workshop? We have {} orders, A to {}, and each one goes through our \
                 machines in its own order. Here are the steps, with the minutes each one takes:\n\n{}\n\nA machine handles one \
                 order at a time, an order can only be on one machine at a time, and we never interrupt a step. We start with \
                 all machines free. Please write the schedule as a list of letters: the first A is the first step of order A, \
                 the second A is its second step, and so on, so every letter appears {}. Each step starts as early as it can, \
                 which is when the order's previous step is done and its machine has finished every step that comes earlier in \
                 your list. I want the whole batch done as soon as possible, that is, the last step to end should end as early \
                 as possible. If there's a tie, pick any.",
                shop.jobs.len(),
                shop.last_job(),
                shop.lines(|job, operations| {
                    format!(
                        "{job}: {}",
                        worded(operations, ", ", |machine, time| format!("M{machine} ({time})"))
                    )
                }),
                count(shop.machines(), "time")
            )
        }),
        Template::held_out_plain("patients", |shop| {
            format!(
                "At a clinic, patients A to {} each have to visit rooms {} in a fixed order and stay in each room for a \
                 fixed time:\n\n{}\n\nA room holds one patient at a time, and nobody leaves a room before their time is up. \
                 Between rooms, patients wait in the hallway. In the morning, when all rooms are empty, a nurse writes down a \
                 list of calls. Each call names a patient and sends them to the next room on their route, so every patient is \
                 called {}. The patient enters that room as soon as they have left their previous room and everyone with an \
                 earlier call to the same room has left it. Write a list of calls for which the last patient is done as early \
                 as possible. If several lists are equally good, give any one of them.",
                shop.last_job(),
                shop.listed_machines(),
                shop.lines(|job, operations| {
                    let rooms =
                        worded(operations, " -> ", |machine, time| format!("room M{machine} ({time} min)"));
                    format!("- patient {job}: {rooms}")
                }),
                count(shop.machines(), "time")
            )
        }),
        Template::held_out_plain("spec", |shop| {
            format!(
                "Input: {} jobs (A to {}), {} machines ({}). Route of each job as machine:minutes, in processing order:\n\
                 {}\n\nRules:\n- Each machine processes one operation at a time, without preemption.\n- The operations of a job \
                 run one after another in the given order.\n- Output: a sequence of job letters that contains each letter {}. \
                 Reading it from left to right, each letter schedules that job's next operation at the earliest start time that \
                 is no earlier than the end of the job's previous operation and the end of every operation scheduled so far on \
                 that machine. Everything is free at time 0.\n- Objective: minimize the end of the last operation.\n- Ties: any \
                 optimal sequence is accepted.",
                shop.jobs.len(),
                shop.last_job(),
                shop.machines(),
                shop.listed_machines(),
                shop.lines(|job, operations| {
                    format!(
                        "{job}: {}",
                        worded(operations, ", ", |machine, time| format!("M{machine}:{time}"))
                    )
                }),
                count(shop.machines(), "time")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("jobs", &self.jobs, 2..=MOST, "jobs")?;
        let machines = self.jobs[0].len();
        for job in &self.jobs {
            check::length("jobs", job, 2.max(machines)..=machines.min(MOST), "operations in a job")?;
            let mut on: Vec<usize> = job.iter().map(|(machine, _)| *machine).collect();
            on.sort_unstable();
            check::that(on.into_iter().eq(0..machines), || {
                "`jobs` must need every machine once each".to_owned()
            })?;
            check::each(
                "jobs",
                job.iter().map(|(_, time)| time),
                |time| (1..=1_000).contains(time),
                "times go to 1000",
            )?;
        }
        let operations = self.operations();
        check::length("order", &self.order, operations..=operations, "operations")?;
        check::each("order", &self.order, |job| *job < self.jobs.len(), "there is no such job")?;
        let named = |job: usize| self.order.iter().filter(|other| **other == job).count() == machines;
        check::that((0..self.jobs.len()).all(named), || "`order` must name every job as often".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let best = self.solve(budget).map_err(|over| over.to_string())?.0;
        let (best, claimed) = (self.span(&best), self.span(&self.order));
        check::that(claimed == best, || format!("`order` takes {claimed} minutes, but {best} are enough"))?;
        Ok(Certificate::solvable(format!("no schedule takes fewer than {best} minutes")))
    }

    /// Adds or removes a job, or changes a time.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let (at, other) = (rng.index(self.jobs.len()), rng.index(self.jobs[0].len()));
        match aim {
            Aim::Harder if rng.chance(1, 2) => {
                let mut job = self.jobs[at].clone();
                rng.shuffle(&mut job);
                mutated.jobs.push(job);
            }
            Aim::Easier if rng.chance(1, 2) => drop(mutated.jobs.remove(at)),
            _ => mutated.jobs[at][other].1 = 2 + rng.below(u64::from(self.jobs[at][other].1) + 2) as u32,
        }
        mutated.order = mutated.solve(&mut Budget::new(SOLVE_STEPS)).map_or(Vec::new(), |(order, _)| order);
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let words = (0..self.jobs.len()).map(|job| letter(job).to_string()).collect();
        form::Sequence { what: "the letters in order,".to_owned(), words }
    }

    fn solution(&self) -> Solution {
        Solution::new(self.told(&self.order), self.form().write(&self.order))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        self.judge(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let (mut left, mut renamed, mut swapped) =
            (self.order.clone(), self.order.clone(), self.order.clone());
        let mut spoilt = faults.draw(left.len() - 1, rng);
        spoilt.sort_unstable();
        for at in spoilt.into_iter().rev() {
            left.remove(at);
            renamed[at] = (renamed[at] + 1) % self.jobs.len();
            swapped.swap(at, rng.index(self.order.len()));
        }
        // One operation too many at the end, and another job's in the place of the last.
        let other = (self.order[self.order.len() - 1] + 1) % self.jobs.len();
        let longer = [&self.order[..], &[other]].concat();
        let ended = [&self.order[..self.order.len() - 1], &[other]].concat();
        let mut wrong = vec![left, renamed, swapped, longer, ended, self.by_rule()[0].1.clone()];
        // Each has other operations than the jobs, or takes longer than the best schedule.
        let counted = |order: &[usize]| {
            let mut order = order.to_vec();
            order.sort_unstable();
            order
        };
        let (right, best) = (counted(&self.order), self.span(&self.order));
        wrong.retain(|order| counted(order) != right || self.span(order) > best);
        wrong
    }

    /// The same schedule in another order: adjacent operations of other jobs on other machines are exchanged.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut next = vec![0; self.jobs.len()];
        let on_machine = |job: &usize| {
            next[*job] += 1;
            (*job, self.jobs[*job][next[*job] - 1].0)
        };
        let mut operations: Vec<(usize, usize)> = self.order.iter().map(on_machine).collect();
        for _ in 0..2 * operations.len() {
            let at = rng.index(operations.len() - 1);
            let (one, other) = (operations[at], operations[at + 1]);
            if one.0 != other.0 && one.1 != other.1 {
                operations.swap(at, at + 1);
            }
        }
        Some(operations.into_iter().map(|(job, _)| job).collect())
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let mut guesses =
            vec![("any order", self.random(rng)), ("every job in each round", self.rounds(rng))];
        guesses.extend(self.by_rule());
        guesses
    }

    /// The jobs in another order and the machines numbered otherwise.
    fn twin(&self, rng: &mut Rng) -> Self {
        let machines = permutation::random(self.machines(), rng);
        let order = permutation::random(self.jobs.len(), rng);
        let places = permutation::places(&order);
        let renumbered =
            |job: &usize| self.jobs[*job].iter().map(|(machine, time)| (machines[*machine], *time)).collect();
        let mut twin = Self {
            jobs: order.iter().map(renumbered).collect(),
            order: self.order.iter().map(|job| places[*job]).collect(),
        };
        if rng.chance(1, 2) {
            twin.jobs.iter_mut().for_each(|job| job.reverse());
            twin.order.reverse();
        }
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let (jobs, machines) = (self.jobs.len(), self.machines());
        let hashed = |place: &dyn Fn(usize) -> usize| {
            let operation = |job: usize, at: usize| {
                let (machine, time) = self.jobs[job][at];
                Relation {
                    kind: place(at) as u64 * 10_000 + u64::from(time),
                    members: vec![(0, job), (1, jobs + machine)],
                }
            };
            let operations = (0..self.operations()).map(|at| operation(at / machines, at % machines));
            invariant(jobs + machines, &operations.collect::<Vec<_>>())
        };
        // A schedule read backward is one of the jobs backward.
        let both = [hashed(&|at| at), hashed(&|at| machines - 1 - at)];
        both[0].min(both[1]).to_be_bytes().to_vec()
    }

    /// Partial schedules that branch and bound examines, and one for each operation.
    fn effort(&self) -> Effort {
        let looked = self.solve(&mut Budget::new(SOLVE_STEPS)).map_or(SOLVE_STEPS, |(_, looked)| looked);
        Effort::new(self.operations() as u64 + looked, 300)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Scheduling::new(self)))
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Dispatching::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fisher and Thompson's instance of six jobs on six machines (1963), which stayed unsolved for years:
    /// 55.
    fn published() -> Shop {
        let jobs = [
            [(2, 1), (0, 3), (1, 6), (3, 7), (5, 3), (4, 6)],
            [(1, 8), (2, 5), (4, 10), (5, 10), (0, 10), (3, 4)],
            [(2, 5), (3, 4), (5, 8), (0, 9), (1, 1), (4, 7)],
            [(1, 5), (0, 5), (2, 5), (3, 3), (4, 8), (5, 9)],
            [(2, 9), (1, 3), (4, 5), (5, 4), (0, 3), (3, 1)],
            [(1, 3), (3, 3), (5, 9), (0, 10), (4, 4), (2, 1)],
        ];
        Shop { jobs: jobs.map(Vec::from).to_vec(), order: Vec::new() }
    }

    #[test]
    fn the_published_optimum_is_found() {
        let shop = published();
        let (order, _) = shop.solve(&mut Budget::new(5_000_000)).unwrap();
        assert_eq!(shop.span(&order), 55);
    }

    #[test]
    fn an_operation_waits_for_its_job_and_its_machine() {
        let shop = Shop { jobs: vec![vec![(0, 3), (1, 2)], vec![(1, 4), (0, 1)]], order: vec![0, 1, 0, 1] };
        shop.check().unwrap();
        let judge = |answer: &str| kit::testing::verdict(&shop, answer);
        assert_eq!(
            shop.told(&[0, 1, 0, 1]),
            ["A on M1: 0 to 3", "B on M2: 0 to 4", "A on M2: 4 to 6", "B on M1: 4 to 5"]
        );
        assert!(judge("A, B, A, B").passed && judge("B, A, B, A").passed);
        for (wrong, detail) in [
            ("A, A, B, B", "this schedule takes 10 minutes, 4 more than the best one"),
            ("A, B, A", "B is listed 1 time, but has 2 operations"),
            ("A, B, A, B, B", "B is listed 3 times, but has 2 operations"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
        let mut steps = shop.steps().unwrap();
        let mut judge = |step: &str| steps.judge(step, &mut Budget::new(999)).map(|said| said.advances);
        assert!(judge("A on M2: 0 to 2").is_err() && judge("A on M1: 1 to 4").is_err());
        assert_eq!((judge("A on M1: 0 to 3"), judge("A on M2: 3 to 5")), (Ok(true), Ok(false)));
    }
}
