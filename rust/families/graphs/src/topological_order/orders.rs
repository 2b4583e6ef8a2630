//! Orders that satisfy the rules, and the steps to one.

use super::Schedule;
use kit::task::permutation::places;
use kit::task::prelude::*;

impl Schedule {
    /// The tasks that must come before a task.
    pub fn needed(&self, task: usize) -> impl Iterator<Item = usize> {
        self.before.iter().filter(move |pair| pair[1] == task).map(|pair| pair[0])
    }

    /// The tasks that may come next, in the order of their names.
    pub fn ready(&self, done: &[bool]) -> Vec<usize> {
        let mut ready: Vec<bool> = done.iter().map(|done| !done).collect();
        for [first, then] in &self.before {
            ready[*then] &= done[*first];
        }
        (0..ready.len()).filter(|task| ready[*task]).collect()
    }

    /// The order that always takes the first named of the tasks that may come next; `None` if the rules form
    /// a cycle.
    pub fn order(&self) -> Option<Vec<usize>> {
        self.order_by(|_| 0)
    }

    /// The order that takes the next task by `pick`, which is given the number of tasks to choose from.
    pub fn order_by(&self, mut pick: impl FnMut(usize) -> usize) -> Option<Vec<usize>> {
        let (mut done, mut order) = (vec![false; self.names.len()], Vec::new());
        while order.len() < done.len() {
            let ready = self.ready(&done);
            let next = if ready.is_empty() { None } else { ready.get(pick(ready.len())) };
            let next = *next?;
            done[next] = true;
            order.push(next);
        }
        Some(order)
    }

    /// True if more than one order satisfies the rules, that is, if two neighbors in one may be exchanged.
    pub fn orders_differ(&self) -> bool {
        let order = self.order().unwrap_or_default();
        order.windows(2).any(|pair| !self.before.contains(&[pair[0], pair[1]]))
    }

    /// Number of rules in which each task is the later one, and in which it is the earlier one.
    pub fn counts(&self) -> [Vec<usize>; 2] {
        let mut counts = [vec![0; self.names.len()], vec![0; self.names.len()]];
        for [first, then] in &self.before {
            counts[0][*then] += 1;
            counts[1][*first] += 1;
        }
        counts
    }

    /// True if every order by the number of tasks that each one needs fails however ties are broken, and
    /// likewise by the number of tasks that need it, and by the difference.
    pub fn misleads(&self) -> bool {
        let [needs, needed] = self.counts();
        let fails =
            |key: &dyn Fn(usize) -> usize| self.before.iter().any(|[first, then]| key(*first) > key(*then));
        let tasks = self.names.len();
        fails(&|task| needs[task])
            && fails(&|task| tasks - needed[task])
            && fails(&|task| tasks + needs[task] - needed[task])
    }

    /// The rules that an order of all tasks breaks.
    pub fn broken(&self, order: &[usize]) -> impl Iterator<Item = [usize; 2]> {
        let places = places(order);
        self.before.iter().filter(move |[first, then]| places[*first] > places[*then]).copied()
    }
}

impl Schedule {
    /// The reason why a task can go next.
    pub fn why(&self, task: usize) -> String {
        let needed: Vec<&str> = self.needed(task).map(|needed| self.names[needed].as_str()).collect();
        match needed[..] {
            [] => "nothing has to come before it".to_owned(),
            [one] => format!("{one} is already placed"),
            _ => format!("{} are already placed", needed.join(", ")),
        }
    }
}

/// Judges steps `NAME goes next`, optionally with the reason after a colon.
pub struct Placing<'a> {
    schedule: &'a Schedule,
    done: Vec<bool>,
}

impl<'a> Placing<'a> {
    pub fn new(schedule: &'a Schedule) -> Self {
        Self { schedule, done: vec![false; schedule.names.len()] }
    }
}

impl StepJudge for Placing<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let names = &self.schedule.names;
        let (claim, reason) = step.split_once(':').unwrap_or((step, ""));
        let name = claim.trim().strip_suffix(" goes next").map(str::trim);
        let task = name.and_then(|name| names.iter().position(|known| known == name));
        let task =
            task.ok_or_else(|| format!("`{}` is not a step like `{} goes next`", quoted(step), names[0]))?;
        if let Some(needed) = self.schedule.needed(task).find(|needed| !self.done[*needed]) {
            return Err(format!("{} must be done before {}", names[needed], names[task]));
        }
        if !["", &self.schedule.why(task)].contains(&reason.trim()) {
            return Err(format!("`{}` is not why {} can go next", quoted(reason.trim()), names[task]));
        }
        if std::mem::replace(&mut self.done[task], true) {
            return Ok(StepVerdict::idle(format!("true, but {} is already placed", names[task])));
        }
        Ok(StepVerdict::advances())
    }
}
