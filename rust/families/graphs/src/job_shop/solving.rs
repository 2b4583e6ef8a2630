//! Best schedules by branch and bound, and steps judged by whether one is still within reach.

use super::{MOST, Schedule, Shop, letter};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::task::steps::{StepJudge, StepVerdict};

struct Search<'a> {
    shop: &'a Shop,
    best: Option<(u32, Vec<usize>)>,
    looked: u64,
}

impl Shop {
    /// A best order, and the number of partial schedules examined.
    pub fn solve(&self, budget: &mut Budget) -> Result<(Vec<usize>, u64), OverBudget> {
        let (span, rule) =
            self.by_rule().map(|(_, order)| (self.span(&order), order)).into_iter().min().expect("four");
        let mut search = Search { shop: self, best: Some((span, rule)), looked: 0 };
        search.go(&self.empty(), &mut Vec::new(), budget)?;
        let (_, order) = search.best.expect("it began with one");
        Ok((order, search.looked))
    }
}

impl Search<'_> {
    /// Branches as Giffler and Thompson do: find the machine that would be done first, then try each
    /// operation that could start on it before that time.
    fn go(&mut self, at: &Schedule, order: &mut Vec<usize>, budget: &mut Budget) -> Result<(), OverBudget> {
        let shop = self.shop;
        budget.spend(1)?;
        self.looked += 1;
        let jobs = 0..shop.jobs.len();
        // For each machine: the earliest start, the total time needed, and the least time that follows.
        let mut work = [(u32::MAX, 0, u32::MAX); MOST];
        let mut bound = 0;
        for job in jobs.clone() {
            let (mut from, mut left) = (at.ready[job], shop.left(at, job));
            bound = bound.max(from + left);
            for (machine, time) in &shop.jobs[job][at.done[job]..] {
                let (first, sum, after) = &mut work[*machine];
                from = from.max(at.free[*machine]);
                *first = (*first).min(from);
                (from, left) = (from + time, left - time);
                *sum += time;
                *after = (*after).min(left);
            }
        }
        let busy = work.iter().filter(|(_, sum, _)| *sum > 0).map(|(first, sum, after)| first + sum + after);
        bound = bound.max(busy.max().unwrap_or(0));
        if self.best.as_ref().is_some_and(|(best, _)| bound >= *best) {
            return Ok(());
        }
        let next: Vec<_> = jobs.filter_map(|job| Some((job, shop.next(at, job)?))).collect();
        let Some((_, (machine, _, end))) = next.iter().min_by_key(|(_, (.., end))| *end).copied() else {
            self.best = Some((bound, order.clone()));
            return Ok(());
        };
        for (job, (on, start, _)) in next {
            if on == machine && start < end {
                let mut then = at.clone();
                shop.put(&mut then, job);
                order.push(job);
                self.go(&then, order, budget)?;
                order.pop();
            }
        }
        Ok(())
    }
}

/// Judges steps like "A on M2: 3 to 7": the next operation of A, as early as the true steps so far allow. A
/// step advances as long as a best schedule is still within reach.
pub struct Scheduling<'a> {
    shop: &'a Shop,
    schedule: Schedule,
    best: u32,
}

impl<'a> Scheduling<'a> {
    pub fn new(shop: &'a Shop) -> Self {
        Self { shop, schedule: shop.empty(), best: shop.span(&shop.order) }
    }
}

impl StepJudge for Scheduling<'_> {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let words: Vec<&str> = step.split_whitespace().take(7).collect();
        let like = || format!("`{}` is not a step like `A on M2: 3 to 7`", quoted(step));
        let [job, "on", machine, start, "to", end] = words[..] else { return Err(like()) };
        let job =
            (0..self.shop.jobs.len()).find(|known| letter(*known).to_string() == job).ok_or_else(like)?;
        let Some((on, from, until)) = self.shop.next(&self.schedule, job) else {
            return Err(format!("{} has no operations left", letter(job)));
        };
        if machine.strip_suffix(':') != Some(&format!("M{}", on + 1)) {
            return Err(format!("{} needs M{} next", letter(job), on + 1));
        }
        if (start, end) != (from.to_string().as_str(), until.to_string().as_str()) {
            return Err(format!("at the earliest it can run from {from} to {until}"));
        }
        self.shop.put(&mut self.schedule, job);
        let mut search = Search { shop: self.shop, best: Some((self.best + 1, Vec::new())), looked: 0 };
        search.go(&self.schedule, &mut Vec::new(), budget).map_err(|over| over.to_string())?;
        if search.best.is_some_and(|(best, _)| best <= self.best) {
            return Ok(StepVerdict::advances());
        }
        Ok(StepVerdict::idle("allowed, but no optimal schedule can be reached from here"))
    }
}
