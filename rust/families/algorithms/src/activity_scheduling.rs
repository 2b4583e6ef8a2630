//! Choose activities that do not overlap and have the greatest total value.

mod wording;

use std::cmp::Reverse;

use kit::picture::{CELL, Ink, Picture};
use kit::shared::route::{self, fresh_name};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::task::selection::{self, Selecting};
use kit::words::count;

pub struct ActivityScheduling;

params! {
    pub struct ActivitySchedulingParams {
        /// Activities to choose from.
        activities: u32 [4..=80],
        /// Activities that take place at the same time, on average, in tenths.
        overlap_tenths: u32 [15..=60],
        /// True if activities have values; otherwise the most activities are asked for.
        weighted: bool [structure, if_set],
        /// True if the best choice is the only optimal answer.
        unique: bool [structure, if_set],
    }
    levels {
        (8, 25, true, false),
        (11, 28, true, false),
        (14, 30, true, false),
        (18, 32, true, false),
        (24, 35, true, false),
        (32, 40, true, false),
        (45, 45, true, false),
        (60, 50, true, false),
        (80, 60, true, false),
    }
    default 2
    check Self::consistent;
}

/// Of fewer activities without values, a rule of thumb finds the most.
const FEWEST_UNWEIGHTED: u32 = 5;
/// Of more activities without values, almost never a single choice is best.
const MOST_UNIQUE_UNWEIGHTED: u32 = 24;

impl ActivitySchedulingParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.weighted || self.activities >= FEWEST_UNWEIGHTED, || {
            let activities = self.activities;
            format!(
                "without `weighted`, at least {FEWEST_UNWEIGHTED} `activities` are needed, but they are {activities}"
            )
        })?;
        check::that(self.weighted || !self.unique || self.activities <= MOST_UNIQUE_UNWEIGHTED, || {
            let most = MOST_UNIQUE_UNWEIGHTED;
            format!(
                "`unique` without `weighted` needs at most {most} `activities`, but they are {}",
                self.activities
            )
        })
    }
}

/// Start, end and value of an activity.
type Activity = (u32, u32, u32);

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offers {
    names: Vec<String>,
    activities: Vec<Activity>,
    /// A best choice, as claimed by the generator; `certify` proves it.
    chosen: Vec<usize>,
    /// Every activity counts one, and the most of them are asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    counted: bool,
    /// The optimum is the only optimal answer; a claim that `certify` proves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
}

const LATEST: u32 = 10_000;
/// Mean length of an activity, in minutes.
const MEAN: u32 = 20;

impl TaskFamily for ActivityScheduling {
    type Params = ActivitySchedulingParams;
    type Problem = Offers;

    const ABOUT: About = About {
        summary: "Choose activities that do not overlap and have the greatest total value.",
        judged_by: JudgedBy::Optimum,
        failures: &[selection::REPEATED, ("overlap", "two of the chosen activities overlap")],
        parts: selection::PARTS,
        skills: &["optimization", "dynamic_programming", "comparison"],
        guess_rate: 0.15,
        guess_score: 0.14,
        ..About::new("algorithms", "activity_scheduling", &["First version."])
    };

    /// Draws offers until no rule of thumb finds the best choice.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Offers> {
        let count = params.activities as usize;
        let last = i64::from(params.activities * MEAN * 10 / params.overlap_tenths);
        loop {
            budget.spend((count * count) as u64)?;
            let activity = |rng: &mut Rng| {
                let (start, takes) = (rng.int(0, last) as u32, rng.int(5, i64::from(2 * MEAN) - 5) as u32);
                let value = (takes + rng.int(0, 30) as u32).saturating_sub(10).max(1);
                (start, start + takes, if params.weighted { value } else { 1 })
            };
            let mut names = selection::naming(count).draw(count, rng);
            rng.shuffle(&mut names);
            let activities: Vec<Activity> = (0..count).map(|_| activity(rng)).collect();
            let (counted, unique) = (!params.weighted, params.unique);
            let mut problem = Offers { names, activities, chosen: Vec::new(), counted, unique };
            problem.chosen = problem.best();
            let best = selection::worth(&problem, &problem.chosen);
            let missed =
                || problem.by_thumb().iter().all(|(_, taken)| selection::worth(&problem, taken) < best);
            if missed() && (!unique || problem.certify(budget).is_ok()) {
                return Ok(problem);
            }
        }
    }
}

impl Offers {
    fn sorted<K: Ord>(&self, key: impl Fn(Activity) -> K) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.activities.len()).collect();
        order.sort_by_key(|at| key(self.activities[*at]));
        order
    }

    /// The activities from the last to the first, as if time ran backward.
    fn mirrored(&self) -> Vec<Activity> {
        let first = self.activities.iter().map(|(start, ..)| *start).min().unwrap_or(0);
        let last = self.activities.iter().map(|(_, end, _)| *end).max().unwrap_or(0);
        let mirrored = |(start, end, value): &Activity| (first + last - end, first + last - start, *value);
        self.activities.iter().map(mirrored).collect()
    }

    /// Rules of thumb, each with its choice. The earliest end first is left out where every activity
    /// counts one, since it is always right there.
    fn by_thumb(&self) -> Vec<(&'static str, Vec<usize>)> {
        let rules = [
            ("earliest end first", self.sorted(|(_, end, _)| end)),
            ("earliest start first", self.sorted(|(start, ..)| start)),
            ("most valuable first", self.sorted(|(.., value)| Reverse(value))),
            ("shortest first", self.sorted(|(start, end, _)| end - start)),
            (
                "most value for its time first",
                self.sorted(|(start, end, value)| Reverse((value << 12) / (end - start))),
            ),
        ];
        let rules = rules.into_iter().skip(usize::from(self.counted));
        rules.map(|(name, order)| (name, selection::greedy(self, order))).collect()
    }

    /// For every activity in order of end times, the greatest total value of those that end no later, and
    /// whether that total includes it.
    fn table(&self) -> Vec<(usize, u64, bool)> {
        let mut table: Vec<(usize, u64, bool)> = Vec::new();
        for at in self.sorted(|(start, end, _)| (end, start)) {
            let with = self.before(&table, at) + u64::from(self.activities[at].2);
            let without = table.last().map_or(0, |(_, most, _)| *most);
            table.push((at, with.max(without), with > without));
        }
        table
    }

    /// The greatest total value of the activities that end before this one begins.
    fn before(&self, table: &[(usize, u64, bool)], at: usize) -> u64 {
        let ended = |(other, ..): &&(usize, u64, bool)| self.activities[*other].1 <= self.activities[at].0;
        table.iter().rfind(ended).map_or(0, |(_, most, _)| *most)
    }

    /// Amount that an activity adds to the greatest total value of those that end no later.
    fn why(&self, table: &[(usize, u64, bool)], (activity, _, taken): &(usize, u64, bool)) -> String {
        let (name, value) = (&self.names[*activity], self.activities[*activity].2);
        if *taken {
            format!("{name} adds {value} to {}", self.before(table, *activity))
        } else {
            format!("{name} adds nothing")
        }
    }

    fn best(&self) -> Vec<usize> {
        let table = self.table();
        let (mut chosen, mut from) = (Vec::new(), u32::MAX);
        for (at, _, taken) in table.iter().rev() {
            if *taken && self.activities[*at].1 <= from {
                chosen.push(*at);
                from = self.activities[*at].0;
            }
        }
        chosen.sort_unstable();
        chosen
    }

    fn lines(&self, line: impl Fn(&str, Activity) -> String) -> String {
        self.names.iter().zip(&self.activities).map(|(name, at)| line(name, *at)).lines()
    }

    /// Words for a problem with values, or for one where every activity counts one.
    fn either<'a>(&self, valued: &'a str, counted: &'a str) -> &'a str {
        if self.counted { counted } else { valued }
    }

    /// `text` where activities have values, and nothing otherwise.
    fn valued(&self, text: String) -> String {
        if self.counted { String::new() } else { text }
    }
}

impl Selecting for Offers {
    const CLASH: &'static str = "overlap";
    const SEEN: usize = 3;

    fn names(&self) -> &[String] {
        &self.names
    }

    fn value(&self, activity: usize) -> u64 {
        self.activities[activity].2.into()
    }

    fn clash(&self, taken: &[usize]) -> Option<String> {
        let mut order = taken.to_vec();
        order.sort_by_key(|at| self.activities[*at]);
        let overlap =
            order.windows(2).find(|pair| self.activities[pair[0]].1 > self.activities[pair[1]].0)?;
        Some(format!("{} and {} overlap", self.names[overlap[0]], self.names[overlap[1]]))
    }

    fn claimed(&self) -> &[usize] {
        &self.chosen
    }

    /// The value that the best rule of thumb reaches.
    fn naive(&self) -> u64 {
        let worth = self.by_thumb().into_iter().map(|(_, taken)| selection::worth(self, &taken));
        worth.max().expect("there are rules")
    }

    fn listed(&self) -> String {
        self.lines(|name, (start, end, value)| {
            format!("{name}: {start} to {end}{}", self.valued(format!(", value {value}")))
        })
    }

    /// A bar for each activity, in the order of their starts: green once it is taken, gray where it does not fit.
    fn draw(&self, taken: &[usize], fits: &dyn Fn(usize) -> bool) -> Picture {
        const NAMES: u32 = 4 * CELL;
        const TIME: u32 = 10 * CELL;
        let last = self.activities.iter().map(|(_, end, _)| *end).max().unwrap_or(1).max(1);
        let mut order: Vec<usize> = (0..self.activities.len()).collect();
        order.sort_by_key(|activity| self.activities[*activity]);
        let mut picture = Picture::new((4 * order.len() as u32).div_ceil(CELL), (NAMES + TIME) / CELL + 2);
        for (activity, row) in order.into_iter().zip(0..) {
            let (start, end, value) = self.activities[activity];
            let (back, ink) = match taken.contains(&activity) {
                true => (Ink::Green, Ink::Black),
                false if fits(activity) => (Ink::Blue, Ink::Black),
                false => (Ink::Grey, Ink::Grey),
            };
            let [left, right] = [start, end].map(|time| NAMES + time * TIME / last);
            picture.label((1, 4 * row + 2), 3, &self.names[activity], ink);
            picture.rectangle((left, 4 * row + 1), ((right - left).max(1), 2), back);
            picture.label((NAMES + TIME + 2, 4 * row + 2), 3, self.valued(value.to_string()), ink);
        }
        picture
    }

    fn observe(&self, activity: usize, out: &mut [f32]) {
        let (start, end, value) = self.activities[activity];
        let last = self.activities.iter().map(|(_, end, _)| *end).max().unwrap_or(1);
        let most = self.activities.iter().map(|(.., value)| *value).max().unwrap_or(1);
        out.copy_from_slice(&[
            start as f32 / last as f32,
            end as f32 / last as f32,
            value as f32 / most as f32,
        ]);
    }
}

/// Judges steps like those of the solution: "until 45: 30 at most", the greatest total value of activities
/// that end by then.
struct Tabled<'a> {
    offers: &'a Offers,
    table: Vec<(usize, u64, bool)>,
    said: Vec<u32>,
}

impl Tabled<'_> {
    /// The reasons for the greatest total value until a moment: an activity that ends then adds to it, or adds nothing.
    fn reasons(&self, until: u32, most: u64) -> impl Iterator<Item = String> {
        let rows = self
            .table
            .iter()
            .filter(move |(at, value, _)| (self.offers.activities[*at].1, *value) == (until, most));
        rows.map(|row| self.offers.why(&self.table, row))
    }
}

impl StepJudge for Tabled<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let like = || format!("`{}` is not a step like `until 45: 30 at most`", quoted(step));
        let (until, rest) = step.split_once(':').ok_or_else(like)?;
        let (most, reason) = rest.split_once(';').unwrap_or((rest, ""));
        let until = until.trim().strip_prefix("until ").and_then(|text| text.parse().ok());
        let most = most.trim().trim_end_matches("at most").trim_end().parse::<u64>().ok();
        let (until, most): (u32, u64) = until.zip(most).ok_or_else(like)?;
        let end = |at: usize| self.offers.activities[at].1;
        let known = self.table.iter().rfind(|(at, ..)| end(*at) <= until).map_or(0, |(_, most, _)| *most);
        if known != most {
            return Err(format!("until {until}, the greatest total value is not {most}"));
        }
        let reason = reason.trim();
        if !reason.is_empty() && self.reasons(until, most).all(|known| known != reason) {
            return Err(format!("`{}` is not why the value until {until} is {most}", quoted(reason)));
        }
        if !self.table.iter().any(|(at, ..)| end(*at) == until) {
            return Ok(StepVerdict::idle("true, but no activity ends then"));
        }
        if self.said.contains(&until) {
            return Ok(StepVerdict::idle("true, but already stated"));
        }
        self.said.push(until);
        Ok(StepVerdict::advances())
    }
}

impl Problem for Offers {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = wording::TEMPLATES;

    fn check(&self) -> Result<(), String> {
        let count = self.names.len();
        check::length("names", &self.names, 2..=100, "names")?;
        route::check_names(&self.names)?;
        check::length("activities", &self.activities, count..=count, "activities")?;
        for (start, end, value) in &self.activities {
            check::within("activities", end, 1..=LATEST)?;
            check::that(start < end, || format!("`activities` has one from {start} to {end}"))?;
            check::within("activities", value, 1..=if self.counted { 1 } else { 1_000 })?;
        }
        selection::check(self)
    }

    /// The greatest total value from each moment on, computed backward in time, and the number of choices
    /// that reach it.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let mut order: Vec<Activity> = self.activities.clone();
        order.sort_unstable_by_key(|activity| Reverse(activity.0));
        let mut from: Vec<(u32, u64, u64)> = vec![(LATEST, 0, 1)];
        for (start, end, value) in order {
            budget.spend(from.len() as u64).map_err(|over| over.to_string())?;
            let (_, rest, ways) =
                *from.iter().rfind(|(moment, ..)| *moment >= end).expect("the end is there");
            let (_, without, others) = *from.last().expect("there is one");
            let with = rest + u64::from(value);
            let ways = match without.cmp(&with) {
                std::cmp::Ordering::Less => ways,
                std::cmp::Ordering::Equal => ways.saturating_add(others),
                std::cmp::Ordering::Greater => others,
            };
            from.push((start, with.max(without), ways));
        }
        let (_, most, ways) = *from.last().expect("there is one");
        let claimed = selection::worth(self, &self.chosen);
        check::that(claimed == most, || {
            format!("`chosen` has a total value of {claimed}, but {most} is possible")
        })?;
        let proof = if self.counted {
            format!("no more than {} can be chosen", count(most, "activity"))
        } else {
            format!("no compatible activities have a total value of more than {most}")
        };
        Certificate { unique: ways == 1, proof }.claimed(self.unique)
    }

    /// Adds or removes an activity, or changes the value of one, or its end where all count one.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let at = rng.index(self.activities.len());
        let (start, end, value) = self.activities[at];
        match aim {
            Aim::Harder => {
                mutated.names.push(fresh_name(&self.names)?);
                mutated.activities.push((start + 1, end + 1, value));
            }
            Aim::Easier => {
                mutated.names.remove(at);
                mutated.activities.remove(at);
            }
            Aim::Same if self.counted => mutated.activities[at].1 = end + 1,
            Aim::Same => mutated.activities[at].2 = value + 1,
        }
        mutated.chosen = mutated.best();
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        selection::form(self, "all that you choose")
    }

    /// Greatest total value up to each activity's end, by dynamic programming.
    fn solution(&self) -> Solution {
        let table = self.table();
        let last = |at: usize| {
            table.get(at + 1).is_none_or(|next| self.activities[next.0].1 > self.activities[table[at].0].1)
        };
        let step = |at: usize| {
            let (activity, most, _) = table[at];
            format!("until {}: {most} at most; {}", self.activities[activity].1, self.why(&table, &table[at]))
        };
        let steps = (0..table.len()).filter(|at| last(*at)).map(step);
        Solution::new(steps, self.form().write(&self.chosen))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        selection::judge(self, &answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        selection::near_misses(self, faults, rng)
    }

    /// The best choice in another order.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut taken = self.chosen.clone();
        rng.shuffle(&mut taken);
        Some(taken)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let mut guesses = vec![("whatever fits", selection::random(self, rng))];
        guesses.extend(self.by_thumb());
        guesses
    }

    /// Reorders and renames the activities.
    fn twin(&self, rng: &mut Rng) -> Self {
        let order = permutation::random(self.activities.len(), rng);
        let places = permutation::places(&order);
        let mut chosen: Vec<usize> = self.chosen.iter().map(|at| places[*at]).collect();
        chosen.sort_unstable();
        let all = if rng.chance(1, 2) { self.mirrored() } else { self.activities.clone() };
        let activities = order.iter().map(|at| all[*at]).collect();
        Self { names: selection::naming(order.len()).draw(order.len(), rng), activities, chosen, ..*self }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let both = [self.activities.clone(), self.mirrored()].map(|mut activities| {
            activities.sort_unstable();
            activities
        });
        both.into_iter()
            .min()
            .into_iter()
            .flatten()
            .flat_map(|(start, end, value)| [start, end, value])
            .flat_map(u32::to_be_bytes)
            .collect()
    }

    /// For each activity, the activities compared to find those that end before it begins.
    fn effort(&self) -> Effort {
        let table = self.sorted(|(start, end, _)| (end, start));
        let looked = |at: usize| {
            let start = self.activities[table[at]].0;
            1 + table[..at].iter().rev().take_while(|other| self.activities[**other].1 > start).count()
        };
        Effort::new((0..table.len()).map(looked).sum::<usize>() as u64, 80)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Tabled { offers: self, table: self.table(), said: Vec::new() }))
    }

    fn moves(&self) -> Option<Box<dyn kit::rules::Play>> {
        Some(selection::Picking::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in Kleinberg and Tardos, Algorithm Design, figure 6.2: values 2, 4, 4, 7, 2, 1; the best is 8.
    fn textbook() -> Offers {
        let activities = vec![(0, 3, 2), (1, 5, 4), (3, 6, 4), (2, 9, 7), (6, 10, 2), (6, 11, 1)];
        let names = ["A", "B", "C", "D", "E", "F"].map(String::from).to_vec();
        Offers { names, activities, chosen: vec![0, 2, 4], counted: false, unique: false }
    }

    #[test]
    fn the_textbook_optimum_is_found_and_certified() {
        let problem = textbook();
        assert_eq!(problem.best(), problem.chosen);
        assert!(problem.certify(&mut Budget::new(99)).unwrap().unique);
        let worse = Offers { chosen: vec![3], ..problem };
        let refused = worse.certify(&mut Budget::new(99)).unwrap_err();
        assert_eq!(refused, "`chosen` has a total value of 7, but 8 is possible");
    }

    #[test]
    fn without_values_the_most_activities_are_asked_for() {
        let params: ActivitySchedulingParams = kit::testing::params(r#"{"weighted": false}"#).unwrap();
        let mut rng = kit::testing::rng(0);
        for _ in 0..50 {
            let problem = kit::testing::drawn(&ActivityScheduling, &params, &mut rng);
            problem.certify(&mut Budget::new(9_999)).unwrap();
            let earliest = selection::greedy(&problem, problem.sorted(|(_, end, _)| end));
            assert_eq!(earliest.len(), problem.chosen.len());
            assert!(problem.by_thumb().iter().all(|(_, taken)| taken.len() < earliest.len()));
            for template in Offers::TEMPLATES {
                let prompt = template.word(&problem, kit::task::style::Choices::From(&mut rng));
                let told =
                    ["value", "fee", "pays", "points", "weight"].iter().find(|word| prompt.contains(**word));
                assert!(told.is_none() && prompt.contains("as many"), "{told:?}: {prompt}");
            }
        }
        let unique = kit::testing::params(r#"{"weighted": false, "unique": true}"#).unwrap();
        let problem = kit::testing::drawn(&ActivityScheduling, &unique, &mut rng);
        assert!(problem.unique && problem.certify(&mut Budget::new(9_999)).unwrap().unique);
        let many = r#"{"weighted": false, "unique": true, "activities": 25}"#;
        let refused = kit::testing::params::<ActivitySchedulingParams>(many).unwrap_err();
        assert_eq!(refused, "`unique` without `weighted` needs at most 24 `activities`, but they are 25");
        let refused = kit::testing::refused(&problem, |json| json["activities"][0][2] = 2.into());
        assert_eq!(refused, "`activities` is 2, but must be between 1 and 1");
    }

    #[test]
    fn activities_may_touch_but_not_overlap() {
        let problem = textbook();
        let judge = |answer: &str| kit::testing::verdict(&problem, answer);
        assert!(judge("E, A, C").passed);
        for (wrong, detail) in [
            ("A, C, E, F", "E and F overlap"),
            ("A, D", "A and D overlap"),
            ("A, C, F", "this is worth 7, 1 less than the best"),
            ("A, C, C", "C is listed twice"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
    }

    #[test]
    fn a_step_says_what_can_be_had_until_then() {
        let problem = textbook();
        let mut steps = problem.steps().unwrap();
        let mut judge = |step: &str| steps.judge(step, &mut Budget::new(9)).map(|said| said.advances);
        assert_eq!(judge("until 6: 6 at most; C adds 4 to 2"), Ok(true));
        assert_eq!((judge("until 6: 6"), judge("until 7: 6")), (Ok(false), Ok(false)));
        for wrong in [
            "until 9: 8 at most",
            "until nine: 8",
            "until 6: 6 or so",
            "until 6: 6 at most; 8 adds 999 to 999",
            "until 6: 6 at most; C adds nothing",
            "until 7: 6 at most; C adds 4 to 2",
        ] {
            assert!(judge(wrong).is_err(), "{wrong}");
        }
    }
}
