//! Choose the most valuable items that fit within a weight limit.

use kit::words::count;
use std::cmp::Reverse;

use kit::picture::{CELL, Ink, Picture, Place};
use kit::rules::Play;
use kit::shared::route;
use kit::task::prelude::*;
use kit::task::selection::{self, Picking, Selecting};

pub struct Knapsack;

params! {
    pub struct KnapsackParams {
        /// Number of items to choose from.
        things: u32 [4..=40],
        /// Heaviest weight of an item, in kilograms; the lightest is a quarter of it.
        heaviest: u32 [20..=200],
        /// Largest difference between value and weight, in percent of the heaviest weight; less spread is
        /// harder.
        spread_percent: u32 [5..=100],
        /// True if the best choice is the only optimal answer.
        unique: bool [structure, if_set],
    }
    levels {
        (6, 20, 50, false),
        (7, 30, 50, false),
        (9, 40, 50, false),
        (11, 40, 40, false),
        (14, 60, 30, false),
        (18, 80, 25, false),
        (24, 100, 20, false),
        (32, 120, 15, false),
        (40, 150, 12, false),
    }
    default 4
}

/// Items with weights and values, and the weight limit.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cargo {
    names: Vec<String>,
    /// Weight and value of each item.
    things: Vec<(u64, u64)>,
    limit: u64,
    /// A best choice, as claimed by the generator; `certify` proves it.
    chosen: Vec<usize>,
    /// The optimum is the only optimal answer; a claim that `certify` proves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
}

const LARGEST: u64 = 1_000;

impl TaskFamily for Knapsack {
    type Params = KnapsackParams;
    type Problem = Cargo;

    const ABOUT: About = About {
        summary: "Choose the most valuable items that fit within a weight limit.",
        judged_by: JudgedBy::Optimum,
        failures: &[selection::REPEATED, ("too_heavy", "the chosen items weigh more than the limit")],
        parts: selection::PARTS,
        skills: &["optimization", "search", "addition"],
        guess_rate: 0.11,
        guess_score: 0.13,
        ..About::new("graphs", "knapsack", &["First version."])
    };

    /// Draws items until no rule of thumb finds the best choice.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cargo> {
        let (count, heaviest) = (params.things as usize, i64::from(params.heaviest));
        let spread = heaviest * i64::from(params.spread_percent) / 100;
        loop {
            let thing = |rng: &mut Rng| {
                let weight = rng.int(heaviest / 4, heaviest);
                (weight as u64, (weight + rng.int(-spread, spread)).max(1) as u64)
            };
            let things: Vec<(u64, u64)> = (0..count).map(|_| thing(rng)).collect();
            let total: u64 = things.iter().map(|(weight, _)| weight).sum();
            let limit = total * rng.int(40, 60) as u64 / 100;
            let mut names = selection::naming(count).draw(count, rng);
            rng.shuffle(&mut names);
            let mut problem = Cargo { names, things, limit, chosen: Vec::new(), unique: params.unique };
            problem.chosen = problem.best(budget)?;
            let best = selection::worth(&problem, &problem.chosen);
            let missed = || problem.by_thumb().iter().all(|taken| selection::worth(&problem, taken) < best);
            if missed() && (!params.unique || problem.certify(budget).is_ok()) {
                return Ok(problem);
            }
        }
    }
}

impl Cargo {
    fn weight(&self, taken: &[usize]) -> u64 {
        taken.iter().map(|thing| self.things[*thing].0).sum()
    }

    fn sorted<K: Ord>(&self, key: impl Fn(u64, u64) -> K) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.things.len()).collect();
        order.sort_by_key(|thing| key(self.things[*thing].0, self.things[*thing].1));
        order
    }

    /// Items by value per weight, best first.
    fn by_ratio(&self) -> Vec<usize> {
        // Multiples of 2^-20 distinguish all ratios of numbers up to 1,000.
        self.sorted(|weight, value| Reverse((value << 20) / weight))
    }

    /// Greedy choices by value per weight, by value and by weight.
    fn by_thumb(&self) -> [Vec<usize>; 3] {
        let orders =
            [self.by_ratio(), self.sorted(|_, value| Reverse(value)), self.sorted(|weight, _| weight)];
        orders.map(|order| selection::greedy(self, order))
    }

    fn best(&self, budget: &mut Budget) -> Result<Vec<usize>, OverBudget> {
        Ok(self.search(budget)?.0)
    }

    /// A best choice, and the number of partial choices examined: items by value per weight, each taken or
    /// not, as long as filling up with fractions of items could beat the best so far.
    fn search(&self, budget: &mut Budget) -> Result<(Vec<usize>, u64), OverBudget> {
        struct Search<'a> {
            order: Vec<usize>,
            problem: &'a Cargo,
            best: (u64, Vec<usize>),
            seen: u64,
        }
        impl Search<'_> {
            fn go(
                &mut self,
                at: usize,
                room: u64,
                value: u64,
                taken: &mut Vec<usize>,
                budget: &mut Budget,
            ) -> Result<(), OverBudget> {
                budget.spend(1)?;
                self.seen += 1;
                if value > self.best.0 {
                    self.best = (value, taken.clone());
                }
                let (mut left, mut bound) = (room, value);
                for thing in &self.order[at..] {
                    let (weight, value) = self.problem.things[*thing];
                    if weight > left {
                        bound += value * left / weight;
                        break;
                    }
                    (left, bound) = (left - weight, bound + value);
                }
                if at == self.order.len() || bound <= self.best.0 {
                    return Ok(());
                }
                let thing = self.order[at];
                let (weight, worth) = self.problem.things[thing];
                if weight <= room {
                    taken.push(thing);
                    self.go(at + 1, room - weight, value + worth, taken, budget)?;
                    taken.pop();
                }
                self.go(at + 1, room, value, taken, budget)
            }
        }
        let mut search = Search { order: self.by_ratio(), problem: self, best: (0, Vec::new()), seen: 0 };
        search.go(0, self.limit, 0, &mut Vec::new(), budget)?;
        let (_, mut best) = search.best;
        best.sort_unstable();
        Ok((best, search.seen))
    }

    fn named(&self, taken: &[usize]) -> String {
        let names: Vec<&str> = taken.iter().map(|thing| self.names[*thing].as_str()).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }

    fn lines(&self, line: impl Fn(&str, u64, u64) -> String) -> String {
        let lines =
            self.names.iter().zip(&self.things).map(|(name, (weight, value))| line(name, *weight, *value));
        lines.lines()
    }
}

impl Selecting for Cargo {
    const CLASH: &'static str = "too_heavy";
    const SEEN: usize = 2;

    fn names(&self) -> &[String] {
        &self.names
    }

    fn value(&self, thing: usize) -> u64 {
        self.things[thing].1
    }

    fn clash(&self, taken: &[usize]) -> Option<String> {
        let weight = self.weight(taken);
        (weight > self.limit).then(|| format!("these items weigh {weight}, but the limit is {}", self.limit))
    }

    fn claimed(&self) -> &[usize] {
        &self.chosen
    }

    /// The value of the greedy choice by value per weight.
    fn naive(&self) -> u64 {
        selection::worth(self, &self.by_thumb()[0])
    }

    fn listed(&self) -> String {
        let lines = self.lines(|name, weight, value| format!("{name}: weight {weight}, value {value}"));
        format!("{lines}\nThe weight limit is {}.", self.limit)
    }

    /// A tile for each item, green once it is taken and gray if it does not fit, with the load below.
    fn draw(&self, taken: &[usize], fits: &dyn Fn(usize) -> bool) -> Picture {
        const TILE: Place = (4 * CELL, CELL);
        let rows = (self.names.len() as u32).div_ceil(4);
        let mut picture = Picture::new(rows + 2, 16);
        for (thing, (name, (weight, value))) in self.names.iter().zip(&self.things).enumerate() {
            let (x, y) = (thing as u32 % 4 * TILE.0, thing as u32 / 4 * TILE.1);
            let (back, ink) = match taken.contains(&thing) {
                true => (Ink::Green, Ink::White),
                false if fits(thing) => (Ink::White, Ink::Black),
                false => (Ink::Paper, Ink::Grey),
            };
            picture.rectangle((x, y), TILE, back);
            picture.frame((x, y), TILE, 0, Ink::Grey);
            picture.label((x + 2, y + 2), 2, name, ink);
            picture.label((x + 2, y + 6), 2, format!("{weight} kg, value {value}"), ink);
        }
        let (weight, wide, y) = (self.weight(taken), 14 * CELL, rows * CELL + 2);
        let load = (u64::from(wide) * weight).checked_div(self.limit).unwrap_or(0) as u32;
        picture.rectangle((CELL, y), (load.min(wide), 4), Ink::Green);
        picture.frame((CELL, y), (wide, 4), 0, Ink::Black);
        let value = selection::worth(self, taken);
        let text = format!("{weight} of {} kg, value {value}", self.limit);
        picture.label((CELL, y + 8), 3, text, Ink::Black);
        picture
    }

    /// The item's weight over the limit, and its value over that of the best choice.
    fn observe(&self, thing: usize, out: &mut [f32]) {
        let (weight, value) = self.things[thing];
        out[0] = (weight as f32 / self.limit as f32).min(1.0);
        out[1] =
            (value as f32 / self.things.iter().map(|(_, value)| *value).max().unwrap_or(1) as f32).min(1.0);
    }
}

impl Problem for Cargo {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("knapsack", |problem| {
            format!(
                "A knapsack can carry at most {}. These items are available, one of each:\n\n{}\n\nWhich items should go into \
                 the knapsack so that their total value is as high as possible? Items cannot be split. If there are several \
                 best choices, any of them will do.",
                count(problem.limit, "kilogram"),
                problem.lines(|name, weight, value| format!("{name}: {weight} kg, value {value}"))
            )
        }),
        Template::plain("budget", |problem| {
            format!(
                "project,cost,benefit\n{}\n\nWe have a budget of {} for the projects in this table. Each project is either done \
                 in full or not at all, and none can be done twice. Please pick the projects whose total benefit is as high as \
                 possible while their total cost stays within the budget. If several picks are equally good, any one is fine.",
                problem.lines(|name, weight, value| format!("{name},{weight},{value}")),
                problem.limit
            )
        }),
        Template::plain("spec", |problem| {
            format!(
                "0/1 knapsack. Items as name (weight, value):\n{}\n\nSelect a set of items that maximizes the sum of the values, \
                 subject to the sum of the weights being at most {}. Any optimal set is accepted.",
                problem.lines(|name, weight, value| format!("  {name} ({weight}, {value})")),
                problem.limit
            )
        }),
        Template::held_out_plain("radio", |problem| {
            format!(
                "A radio station has {} of airtime to fill this evening. For each program it could air, the list gives the \
                 length and the expected number of listeners:\n\n{}\n\nA program cannot be cut short or aired twice, and it is \
                 fine to leave some airtime empty. Which programs should the station air so that their listener numbers add up \
                 to as many as possible? If several selections tie, choose any of them.",
                count(problem.limit, "minute"),
                problem.lines(|name, weight, value| format!(
                    "- program {name} ({}): {value} thousand listeners",
                    count(weight, "minute")
                ))
            )
        }),
        Template::held_out_plain("trailer", |problem| {
            format!(
                "Nora is clearing out her grandfather's workshop and wants to sell what she can take along in a single trip. Her \
                 trailer carries at most {} kg, and this is what she has found:\n\n{}\n\nThere is only one of each, and nothing can be \
                 taken apart. Which pieces should she load to earn as much money as possible? Any of the best choices is right.",
                problem.limit,
                problem
                    .lines(|name, weight, value| format!("{name}: weighs {weight} kg, sells for ${value}"))
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let things = self.names.len();
        check::length("names", &self.names, 2..=60, "names")?;
        route::check_names(&self.names)?;
        check::that(self.names.iter().all(|name| !name.eq_ignore_ascii_case("stop")), || {
            "`names` has `stop`, but that is a move".to_owned()
        })?;
        check::length("things", &self.things, things..=things, "things")?;
        for (weight, value) in &self.things {
            check::within("things", weight, 1..=LARGEST)?;
            check::within("things", value, 1..=LARGEST)?;
        }
        check::within("limit", &self.limit, 1..=60 * LARGEST)?;
        selection::check(self)
    }

    /// The best value for every load, by dynamic programming, and the number of choices that reach it.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let loads = self.limit as usize + 1;
        let mut best = vec![(0u64, 1u64); loads];
        for (weight, value) in &self.things {
            budget.spend(loads as u64).map_err(|over| over.to_string())?;
            for load in (*weight as usize..loads).rev() {
                let (without, ways) = best[load];
                let (with, more) = best[load - *weight as usize];
                best[load] = match without.cmp(&(with + value)) {
                    std::cmp::Ordering::Less => (with + value, more),
                    std::cmp::Ordering::Equal => (without, ways.saturating_add(more)),
                    std::cmp::Ordering::Greater => (without, ways),
                };
            }
        }
        let (most, ways) = best[loads - 1];
        let claimed = selection::worth(self, &self.chosen);
        check::that(claimed == most, || format!("`chosen` is worth {claimed}, but {most} can be had"))?;
        let proof = format!("nothing within the limit is worth more than {most}");
        Certificate { unique: ways == 1, proof }.claimed(self.unique)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        selection::form(self, "everything you choose")
    }

    /// The greedy choice by value per weight, then the exchanges that improve it.
    fn solution(&self) -> Solution {
        let ratio = |thing: usize| {
            let (weight, value) = self.things[thing];
            format!("{} {value}/{weight}", self.names[thing])
        };
        let ratios: Vec<String> = self.by_ratio().into_iter().map(ratio).collect();
        let [first, ..] = self.by_thumb();
        let totals = |taken: &[usize]| {
            format!(
                "weight {} of {}, value {}",
                self.weight(taken),
                self.limit,
                selection::worth(self, taken)
            )
        };
        let less: Vec<usize> = first.iter().copied().filter(|thing| !self.chosen.contains(thing)).collect();
        let more: Vec<usize> = self.chosen.iter().copied().filter(|thing| !first.contains(thing)).collect();
        let steps = [
            format!("value per weight, highest first: {}", ratios.join(", ")),
            format!(
                "taking items in this order while they fit gives {}: {}",
                self.named(&first),
                totals(&first)
            ),
            format!(
                "leaving out {} and adding {} gives the best choice: {}",
                self.named(&less),
                self.named(&more),
                totals(&self.chosen)
            ),
        ];
        Solution::new(steps, self.form().write(&self.chosen))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        selection::judge(self, &answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut wrong = selection::near_misses(self, faults, rng);
        let greedy = selection::greedy(self, self.by_ratio());
        let is_worse = selection::worth(self, &greedy) < selection::worth(self, &self.chosen);
        wrong.extend(Some(greedy).filter(|_| faults == Faults::Some(1) && is_worse));
        wrong
    }

    /// The best choice in another order.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut taken = self.chosen.clone();
        rng.shuffle(&mut taken);
        Some(taken)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let [ratio, value, weight] = self.by_thumb();
        vec![
            ("whatever fits", selection::random(self, rng)),
            ("best value for weight first", ratio),
            ("most valuable first", value),
            ("lightest first", weight),
        ]
    }

    /// Reorders and renames the items.
    fn twin(&self, rng: &mut Rng) -> Self {
        let order = kit::task::permutation::random(self.things.len(), rng);
        let things = order.iter().map(|thing| self.things[*thing]).collect();
        let places = kit::task::permutation::places(&order);
        let mut chosen: Vec<usize> = self.chosen.iter().map(|thing| places[*thing]).collect();
        chosen.sort_unstable();
        Self { names: selection::naming(order.len()).draw(order.len(), rng), things, chosen, ..*self }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut things = self.things.clone();
        things.sort_unstable();
        let numbers = things.into_iter().flat_map(|(weight, value)| [weight, value]).chain([self.limit]);
        numbers.flat_map(u64::to_be_bytes).collect()
    }

    /// Choices that branch and bound examines, plus one per item.
    fn effort(&self) -> Effort {
        const MOST: u64 = 200_000;
        let seen = self.search(&mut Budget::new(MOST)).map_or(MOST, |(_, seen)| seen);
        Effort::new(self.things.len() as u64 + seen, 150)
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Picking::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Problem P01 of Burkardt's collection: ten items, a limit of 165, a best value of 309.
    fn published() -> Cargo {
        let weights = [23, 31, 29, 44, 53, 38, 63, 85, 89, 82];
        let values = [92, 57, 49, 68, 60, 43, 67, 84, 87, 72];
        let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"].map(String::from).to_vec();
        Cargo {
            names,
            things: weights.into_iter().zip(values).collect(),
            limit: 165,
            chosen: vec![0, 1, 2, 3, 5],
            unique: true,
        }
    }

    #[test]
    fn the_published_optimum_is_found_and_certified() {
        let problem = published();
        assert_eq!(problem.best(&mut Budget::new(9_999)).unwrap(), problem.chosen);
        let certificate = problem.certify(&mut Budget::new(9_999)).unwrap();
        assert_eq!(certificate, Certificate::unique("nothing within the limit is worth more than 309"));
        let worse = Cargo { chosen: vec![0, 1, 2], ..problem };
        let refused = worse.certify(&mut Budget::new(9_999)).unwrap_err();
        assert_eq!(refused, "`chosen` is worth 198, but 309 can be had");
    }

    #[test]
    fn a_verdict_says_what_is_wrong() {
        let problem = published();
        let judge = |answer: &str| kit::testing::verdict(&problem, answer);
        assert!(judge("F, D, C, B, A").passed);
        for (wrong, failure, detail) in [
            ("A, B, C, D, E", "too_heavy", "these items weigh 180, but the limit is 165"),
            ("A, B, B", "repeated_name", "B is listed twice"),
            ("A, B, C, D", label::SUBOPTIMAL, "this is worth 266, 43 less than the best"),
        ] {
            let verdict = judge(wrong);
            assert!(verdict.failures.contains(&failure), "{verdict:?}");
            assert_eq!(verdict.detail, detail);
        }
    }
}
