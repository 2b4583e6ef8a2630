//! Progress pays for coming nearer the end, and nothing else: saying true things again, in another order or
//! beside the point earns nothing.

use std::collections::{BTreeMap, BTreeSet};

use reasonenv::rng::Rng;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::split::Split;
use reasonenv::task::steps::{StepVerdict, progress};

use crate::common::{all_tasks, batch, file, rng, source};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        the_own_solution_earns_one_and_a_prefix_less,
        one_true_step_said_seven_times_earns_one_share,
        repeating_true_steps_raises_no_progress,
        permuting_true_steps_raises_no_progress,
        padding_with_idle_steps_raises_no_progress,
        undoing_and_redoing_a_step_raises_no_progress,
        a_reason_that_is_not_one_is_refused,
        listing_every_value_of_every_cell_earns_nothing
    ]);
}

/// A task of a family that judges steps, its own steps, and the number of them that are due.
struct Posed {
    task: Task,
    steps: Vec<String>,
    due: usize,
}

fn posed(family: &'static Family, per_level: u64) -> impl Iterator<Item = Posed> {
    let first = batch(&source(family, 0, Split::Train, 7), [0]).tasks.remove(0);
    let judges = first.verify_steps(&[]).is_some();
    let tasks = judges.then(|| all_tasks(family, per_level)).into_iter().flatten();
    tasks.map(|task| Posed { steps: task.problem.solution().steps, due: task.steps_due(), task })
}

impl Posed {
    fn verdicts(&self, steps: &[&str]) -> Vec<StepVerdict> {
        self.task.verify_steps(steps).expect("`posed` asked")
    }

    /// Progress at the end of some steps.
    fn earned(&self, steps: &[&str]) -> f64 {
        progress(&self.verdicts(steps), self.due).last().copied().unwrap_or_default()
    }

    fn own(&self) -> Vec<&str> {
        self.steps.iter().map(String::as_str).collect()
    }

    fn at(&self) -> String {
        format!("{}: `steps` of {}", file(self.task.family), self.task.id())
    }

    /// The true step of a move after some others, if the move is allowed there.
    fn moved(&self, before: &[String], name: &str) -> Option<String> {
        let step = format!("{name}: ?");
        let said: Vec<&str> = before.iter().chain([&step]).map(String::as_str).collect();
        let verdict = self.verdicts(&said).pop()?;
        Some(format!("{name}: {}", verdict.detail.strip_prefix("after this move it stands thus: ")?))
    }

    /// The first steps of the own solution, a random number of them.
    fn beginning(&self, rng: &mut Rng) -> Vec<&str> {
        let mut own = self.own();
        own.truncate(1 + rng.index(own.len()));
        own
    }
}

/// Tolerance for rounding.
const EQUAL: f64 = 1e-9;

fn the_own_solution_earns_one_and_a_prefix_less(family: &'static Family) {
    for posed in posed(family, 6) {
        let (own, verdicts) = (posed.own(), posed.verdicts(&posed.own()));
        let advanced = verdicts.iter().filter(|verdict| verdict.advances).count();
        assert!(verdicts.iter().all(|verdict| verdict.holds), "{}", posed.at());
        assert!((1..=own.len()).contains(&posed.due), "{}: {} are due", posed.at(), posed.due);
        assert_eq!((advanced, posed.earned(&own)), (posed.due, 1.0), "{}", posed.at());
        let mut before = 0.0;
        for (end, after) in progress(&verdicts, posed.due).into_iter().enumerate() {
            assert!(after - before <= 1.0 / posed.due as f64 + EQUAL, "{}: step {end}", posed.at());
            // Only a last line that repeats the one before adds nothing.
            let rest = own[end + 1..].iter().all(|step| *step == own[end]);
            assert!(after < 1.0 || rest, "{}: {end} steps of its own are all", posed.at());
            before = after;
        }
        assert_eq!(posed.earned(&[]), 0.0);
    }
}

fn one_true_step_said_seven_times_earns_one_share(family: &'static Family) {
    for posed in posed(family, 6) {
        for step in posed.own() {
            let earned = posed.earned(&[step; 7]);
            assert!(earned <= 1.0 / posed.due as f64 + EQUAL, "{}: {step:?} earns {earned}", posed.at());
        }
    }
}

fn repeating_true_steps_raises_no_progress(family: &'static Family) {
    let mut rng = rng("repeating");
    for posed in posed(family, 4) {
        let own = posed.beginning(&mut rng);
        let said = posed.earned(&own);
        let each: Vec<&str> = own.iter().flat_map(|step| [*step; 2]).collect();
        assert!(posed.earned(&each) <= said + EQUAL, "{}: each of {own:?} twice", posed.at());
        let mut again = [&own[..], &own].concat();
        for _ in 0..5 {
            again.insert(rng.index(again.len() + 1), *rng.pick(&own));
        }
        assert!(posed.earned(&again) <= share(&posed, &own) + EQUAL, "{}: {again:?}", posed.at());
    }
}

/// Most that texts may earn in any order and however often: a share for each place they have in the own
/// solution.
fn share(posed: &Posed, texts: &[&str]) -> f64 {
    let mut places = BTreeMap::new();
    let own = posed.own();
    for (step, verdict) in own.iter().zip(posed.verdicts(&own)) {
        *places.entry(*step).or_insert(0) += usize::from(verdict.advances);
    }
    let mut texts = texts.to_vec();
    texts.sort_unstable();
    texts.dedup();
    texts.iter().map(|text| places[text]).sum::<usize>() as f64 / posed.due as f64
}

fn permuting_true_steps_raises_no_progress(family: &'static Family) {
    let mut rng = rng("permuting");
    for posed in posed(family, 4) {
        let mut own = posed.beginning(&mut rng);
        let most = share(&posed, &own);
        for _ in 0..3 {
            rng.shuffle(&mut own);
            assert!(posed.earned(&own) <= most + EQUAL, "{}: {own:?}", posed.at());
        }
        own.reverse();
        assert!(posed.earned(&own) <= most + EQUAL, "{}: {own:?}", posed.at());
    }
}

/// Each step is followed by one that is true there but idle, if any of the first ones or a random one is.
fn padding_with_idle_steps_raises_no_progress(family: &'static Family) {
    let mut rng = rng("padding");
    for posed in posed(family, 2) {
        let own = posed.beginning(&mut rng);
        let said = posed.earned(&own);
        let mut padded: Vec<&str> = Vec::new();
        for (at, step) in own.iter().enumerate() {
            padded.push(*step);
            let candidates = [step, &own[rng.index(at + 1)], &own[rng.index(own.len())]];
            let idle = candidates.into_iter().find(|other| {
                let verdicts = posed.verdicts(&[&padded[..], &[other]].concat());
                verdicts.last().is_some_and(|last| last.holds && !last.advances)
            });
            padded.extend(idle);
        }
        assert!(posed.earned(&padded) <= said + EQUAL, "{}: {padded:?}", posed.at());
    }
}

/// Problems of moves are walked at random: the judge answers a false state with the true one. No state that has
/// been reached before brings anything, and no walk earns more than a share for each move.
fn undoing_and_redoing_a_step_raises_no_progress(family: &'static Family) {
    let mut rng = rng("undoing");
    for posed in posed(family, 1) {
        let Some(play) = posed.task.problem.moves() else { continue };
        let names: Vec<String> = (0..play.actions()).map(|action| play.name_action(action)).collect();
        let mut walk: Vec<String> = Vec::new();
        let (mut reached, mut nearest) = (BTreeSet::new(), 0.0);
        for end in 1..=8 {
            let open: Vec<String> = names.iter().filter_map(|name| posed.moved(&walk, name)).collect();
            if open.is_empty() {
                break;
            }
            walk.push(rng.pick(&open).clone());
            let said: Vec<&str> = walk.iter().map(String::as_str).collect();
            let earned = posed.earned(&said);
            let state = said[end - 1].split_once(": ").map(|(_, state)| state.to_owned());
            assert!(reached.insert(state) || earned <= nearest + EQUAL, "{}: {said:?}", posed.at());
            assert!(earned <= nearest + 1.0 / posed.due as f64 + EQUAL, "{}: {said:?}", posed.at());
            nearest = earned;
        }
    }
}

/// The solution's steps, each split into its claim and its reason, of families that give reasons after a colon.
fn reasoned(posed: &Posed) -> Option<Vec<[&str; 2]>> {
    let own = posed.own();
    let parts: Option<Vec<[&str; 2]>> =
        own.iter().map(|step| step.split_once(": ").map(|(claim, reason)| [claim, reason])).collect();
    // Of claims that hold alone.
    parts.filter(|parts| posed.verdicts(&[parts[0][0]])[0].holds)
}

/// Families whose judges check what follows the colon.
const REASONED: [&str; 19] = [
    "activity_scheduling",
    "binairo",
    "calcudoku",
    "futoshiki",
    "hitori",
    "kakurasu",
    "kakuro",
    "light_up",
    "minesweeper",
    "nonogram",
    "numbrix",
    "nurikabe",
    "skyscrapers",
    "slitherlink",
    "star_battle",
    "survo",
    "tents",
    "topological_order",
    "zebra_puzzle",
];

fn a_reason_that_is_not_one_is_refused(family: &'static Family) {
    for posed in posed(family, 2).filter(|posed| REASONED.contains(&posed.task.family.name())) {
        let Some(parts) = reasoned(&posed) else { continue };
        for [claim, reason] in &parts[..parts.len().min(6)] {
            let junk = ["8 adds 999 to 999", "the moon is full", "row 99 leaves no other number"];
            let longer = format!("{reason} and more");
            for reason in junk.into_iter().chain([longer.as_str()]) {
                let step = format!("{claim}: {reason}");
                assert!(!posed.verdicts(&[&step])[0].holds, "{}: {step:?} holds", posed.at());
            }
        }
    }
}

/// Every subject of a claim with everything that is said of any, in order.
fn listed(posed: &Posed) -> Option<Vec<String>> {
    let parts = reasoned(posed)?;
    let halves: Option<Vec<(&str, &str, &str)>> = parts
        .iter()
        .map(|[claim, _]| {
            let sign = [" = ", " is "].into_iter().find(|sign| claim.contains(sign))?;
            claim.split_once(sign).map(|(subject, value)| (subject, sign, value))
        })
        .collect();
    let halves = halves?;
    let sign = halves[0].1;
    let subjects: BTreeSet<&str> = halves.iter().map(|(subject, ..)| *subject).collect();
    let values: BTreeSet<&str> = halves.iter().map(|(_, _, value)| *value).collect();
    let claims =
        subjects.iter().flat_map(|subject| values.iter().map(move |value| format!("{subject}{sign}{value}")));
    (values.len() > 1).then(|| claims.collect())
}

/// Families whose steps say which of few values something has.
const GUESSED: [&str; 18] = [
    "binairo",
    "calcudoku",
    "futoshiki",
    "hitori",
    "kakurasu",
    "kakuro",
    "light_up",
    "minesweeper",
    "nonogram",
    "numbrix",
    "nurikabe",
    "skyscrapers",
    "slitherlink",
    "star_battle",
    "sudoku",
    "survo",
    "tents",
    "zebra_puzzle",
];

fn listing_every_value_of_every_cell_earns_nothing(family: &'static Family) {
    for posed in posed(family, 3).filter(|posed| GUESSED.contains(&posed.task.family.name())) {
        let Some(claims) = listed(&posed) else { continue };
        let said: Vec<&str> = claims.iter().map(String::as_str).collect();
        assert_eq!(posed.earned(&said), 0.0, "{}: {said:?}", posed.at());
    }
}
