//! The shop as a one-player game.

use super::{Schedule, Shop, letter};
use kit::picture::{CELL, Ink, Picture};
use kit::rules::{Action, Actions, Misread, Play, Playing, Rules, Turn};
use kit::task::form::Form as _;
use kit::task::problem::Problem as _;
use kit::task::verdict::Verdict;

/// An action names the job whose next operation is scheduled. The state is the list of jobs named so far.
#[derive(Clone)]
pub struct Dispatching(Shop);

impl Dispatching {
    pub fn play(shop: &Shop) -> Box<dyn Play> {
        Box::new(Playing::new(Self(shop.clone()), Vec::new()))
    }

    fn schedule(&self, order: &[usize]) -> Schedule {
        let mut schedule = self.0.empty();
        for job in order {
            self.0.put(&mut schedule, *job);
        }
        schedule
    }
}

impl Rules for Dispatching {
    type State = Vec<usize>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.0.jobs.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.0.operations() as u32
    }

    fn turn(&self, order: &Vec<usize>) -> Turn {
        if order.len() < self.0.operations() { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, order: &Vec<usize>) -> Actions {
        let left =
            |job: &u32| order.iter().filter(|named| **named == *job as usize).count() < self.0.machines();
        (0..self.actions()).filter(left).collect()
    }

    fn apply(&self, order: &mut Vec<usize>, action: Action) {
        order.push(action as usize);
    }

    fn returns(&self, order: &Vec<usize>) -> [f32; 2] {
        [Verdict::from(self.0.judge(order)).score, 0.0]
    }

    fn show(&self, order: &Vec<usize>, _player: u8) -> String {
        let needs = self.0.lines(|job, operations| {
            let cells = operations.iter().map(|(machine, time)| format!(" M{}={time}", machine + 1));
            format!("{job}:{}", cells.collect::<String>())
        });
        format!("{needs}\n\nSo far:\n{}", self.0.told(order).join("\n")).trim_end().to_owned()
    }

    /// The schedule of each machine above, and the operations of each job below, filled once they are
    /// scheduled.
    fn draw(&self, order: &Vec<usize>, _player: u8) -> Picture {
        const LEFT: u32 = 2 * CELL;
        const TIME: u32 = 16 * CELL;
        let (jobs, machines) = (self.0.jobs.len() as u32, self.0.machines() as u32);
        let ink = |job: usize| [&Ink::BRIGHT[..], &[Ink::Grey, Ink::Black, Ink::White]].concat()[job % 8];
        let mut picture = Picture::new(machines + jobs + 1, (LEFT + TIME) / CELL);
        for machine in 0..machines {
            let middle = machine * CELL + CELL / 2;
            picture.label((2, middle), 3, format!("M{}", machine + 1), Ink::Black);
            picture.line((LEFT, middle), (LEFT + TIME, middle), 0, Ink::Grey);
        }
        let longest = self.0.jobs.iter().map(|job| job.iter().map(|(_, time)| time).sum::<u32>()).max();
        let span = self.schedule(order).ready.into_iter().max().unwrap_or(0).max(2 * longest.unwrap_or(1));
        let mut schedule = self.0.empty();
        for job in order {
            let Some((machine, start, end)) = self.0.next(&schedule, *job) else { continue };
            let [left, right] = [start, end].map(|time| LEFT + time * TIME / span);
            let (at, size) = ((left, machine as u32 * CELL + 1), ((right - left).max(1), CELL - 2));
            picture.rectangle(at, size, ink(*job));
            picture.frame(at, size, 0, Ink::Black);
            if size.0 > 2 {
                picture.title((left + size.0 / 2, at.1 + 3), 3, letter(*job), ink(*job).contrast());
            }
            self.0.put(&mut schedule, *job);
        }
        for (job, operations) in self.0.jobs.iter().enumerate() {
            let (y, each) = ((machines + 1 + job as u32) * CELL, TIME / machines);
            picture.label((2, y + 4), 3, letter(job), Ink::Black);
            for (at, (machine, time)) in operations.iter().enumerate() {
                let (corner, size) = ((LEFT + at as u32 * each, y + 1), (each, CELL - 2));
                let done = at < schedule.done[job];
                let back = if done { ink(job) } else { Ink::White };
                picture.rectangle(corner, size, back);
                picture.frame(corner, size, 0, Ink::Black);
                let text = format!("M{} {time}", machine + 1);
                picture.title((corner.0 + each / 2, corner.1 + 3), 3, text, back.contrast());
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        letter(action as usize).to_string()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let known = |action: &u32| self.name_action(*action).eq_ignore_ascii_case(text.trim());
        let found = (0..self.actions()).find(known);
        found.ok_or_else(|| Misread::not_a_move(text, "a move is the letter of a job, like `A`"))
    }

    fn why_illegal(&self, _order: &Vec<usize>, action: Action) -> String {
        format!("all operations of {} are already in the schedule", self.name_action(action))
    }

    /// A row for each job: the time at which it is ready, then for each operation its machine, its duration
    /// and whether it is scheduled; times over the total time of all operations.
    fn shape(&self) -> Vec<usize> {
        vec![self.0.jobs.len(), 1 + 3 * self.0.machines()]
    }

    fn observe(&self, order: &Vec<usize>, _player: u8, out: &mut [f32]) {
        let (machines, schedule) = (self.0.machines(), self.schedule(order));
        let all: u32 = self.0.jobs.iter().flatten().map(|(_, time)| time).sum();
        for (job, row) in out.chunks_exact_mut(1 + 3 * machines).enumerate() {
            row[0] = schedule.ready[job] as f32 / all as f32;
            for (at, (machine, time)) in self.0.jobs[job].iter().enumerate() {
                row[1 + 3 * at] = *machine as f32 / machines as f32;
                row[2 + 3 * at] = *time as f32 / all as f32;
                row[3 + 3 * at] = f32::from(u8::from(at < schedule.done[job]));
            }
        }
    }

    fn answer(&self, order: &Vec<usize>) -> Option<String> {
        Some(self.0.form().write(order))
    }
}
