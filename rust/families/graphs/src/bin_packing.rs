//! Pack items into boxes of equal capacity.

use kit::shared::route::{self, Naming};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::words::count;

pub struct BinPacking;

params! {
    pub struct BinPackingParams {
        /// Number of boxes.
        boxes: u32 [2..=10],
        /// Capacity of a box, in kilograms.
        capacity: u32 [10..=200],
        /// Capacity left over in all boxes together, in percent of one box.
        free_percent: u32 [0..=50],
    }
    levels {
        (3, 40, 0),
        (4, 70, 5),
        (5, 50, 5),
        (6, 50, 5),
        (7, 60, 5),
        (8, 60, 5),
        (9, 70, 5),
        (10, 80, 5),
    }
    default 2
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    names: Vec<String>,
    weights: Vec<u32>,
    capacity: u32,
    boxes: u32,
    /// One packing: the box of each item, counted from 0.
    packed: Vec<usize>,
}

/// Number of random orders to try with first fit.
const TRIED: usize = 64;
const NUMBERS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];

impl TaskFamily for BinPacking {
    type Params = BinPackingParams;
    type Problem = Load;

    const ABOUT: About = About {
        summary: "Pack items into the fewest boxes that can hold them.",
        distinct_from: 1,
        judged_by: JudgedBy::Constraints,
        failures: &[
            form::Assignment::FAILURES[0],
            form::Assignment::FAILURES[1],
            form::Assignment::FAILURES[2],
            ("overfull", "the items in a box weigh more than it can hold"),
        ],
        parts: &[Part::new("fits", "share of the total weight that is in boxes within their capacity")],
        skills: &["optimization", "search", "addition"],
        guess_rate: 0.025,
        guess_score: 0.025,
        ..About::new("graphs", "bin_packing", &["First version."])
    };

    /// Splits full boxes into random items until no rule of thumb packs them, and random orders hardly ever
    /// do.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Load> {
        let (boxes, capacity) = (params.boxes as usize, params.capacity);
        loop {
            let mut room = vec![capacity; boxes];
            for _ in 0..capacity * params.free_percent / 100 {
                room[rng.index(boxes)] -= 1;
            }
            let mut things: Vec<(u32, usize)> = Vec::new();
            for (at, room) in room.into_iter().enumerate() {
                let mut left = room;
                while left > capacity / 2 {
                    let weight = rng.int(i64::from(capacity) / 6, i64::from(capacity) / 2) as u32;
                    things.push((weight, at));
                    left -= weight;
                }
                things.push((left, at));
            }
            rng.shuffle(&mut things);
            budget.spend((things.len() * boxes) as u64)?;
            let (weights, packed): (Vec<u32>, Vec<usize>) = things.into_iter().unzip();
            let names = named(weights.len(), rng);
            let load = Load { names, weights, capacity, boxes: params.boxes, packed };
            if !budget.wants(|| load.fingerprint())? {
                continue;
            }
            let guessed = |rng: &mut Rng| {
                (0..TRIED).any(|_| load.guessed(rng).iter().any(|(_, packed)| load.judge(packed).is_ok()))
            };
            if load.check().is_ok() && !guessed(rng) {
                return Ok(load);
            }
        }
    }
}

/// Item names that are not numbers, which boxes have.
fn named(things: usize, rng: &mut Rng) -> Vec<String> {
    rng.pick(&[Naming::Letters, Naming::Towns]).draw(things, rng)
}

impl Load {
    /// Puts each item, in this order, into the box that `pick` chooses among those with room, or into the
    /// last box if none has room.
    fn greedy(&self, order: &[usize], mut pick: impl FnMut(&[usize], &[u32]) -> usize) -> Vec<usize> {
        let mut room = vec![self.capacity; self.boxes as usize];
        let mut packed = vec![0; order.len()];
        for thing in order {
            let fits = (0..room.len()).filter(|at| room[*at] >= self.weights[*thing]);
            let fits: Vec<usize> = fits.collect();
            packed[*thing] = if fits.is_empty() { room.len() - 1 } else { pick(&fits, &room) };
            room[packed[*thing]] = room[packed[*thing]].saturating_sub(self.weights[*thing]);
        }
        packed
    }

    fn heaviest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        order.sort_by_key(|thing| std::cmp::Reverse(self.weights[*thing]));
        order
    }

    /// First fit in the listed order and with the heaviest first, then best fit with the heaviest first.
    fn by_thumb(&self) -> [Vec<usize>; 3] {
        let (order, listed) = (self.heaviest_first(), (0..self.weights.len()).collect::<Vec<_>>());
        let tightest = |fits: &[usize], room: &[u32]| {
            *fits.iter().min_by_key(|at| room[**at]).expect("it fits somewhere")
        };
        [
            self.greedy(&listed, |fits, _| fits[0]),
            self.greedy(&order, |fits, _| fits[0]),
            self.greedy(&order, tightest),
        ]
    }

    /// Packings of policies that follow rules of thumb or chance.
    fn guessed(&self, rng: &mut Rng) -> [(&'static str, Vec<usize>); 6] {
        let order = permutation::random(self.weights.len(), rng);
        let [listed, first, best] = self.by_thumb();
        [
            ("any boxes", order.iter().map(|_| rng.index(self.boxes as usize)).collect()),
            ("any order, first fit", self.greedy(&order, |fits, _| fits[0])),
            ("heaviest first, any box", self.greedy(&self.heaviest_first(), |fits, _| *rng.pick(fits))),
            ("first fit", listed),
            ("heaviest first, first fit", first),
            ("heaviest first, best fit", best),
        ]
    }

    fn judge(&self, packed: &[usize]) -> Judged {
        let mut full = vec![0; self.boxes as usize];
        for (weight, at) in self.weights.iter().zip(packed) {
            full[*at] += weight;
        }
        let over = |full: &u32| *full > self.capacity;
        let Some(worst) = full.iter().position(over) else { return Ok(()) };
        let fits: u32 = full.iter().filter(|full| !over(full)).sum();
        let (weight, capacity) = (full[worst], self.capacity);
        let detail = format!("box {} holds at most {capacity}, but its items weigh {weight}", worst + 1);
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).also("overfull");
        Err(failure.part("fits", fits as f32 / self.weights.iter().sum::<u32>() as f32))
    }

    /// Number of boxes tried by a backtracking search, heaviest items first, up to a bound. It turns back
    /// when no box has room or more room is wasted than there is to spare, and tries only one of several
    /// boxes with the same room.
    fn tried(&self) -> u64 {
        const MOST: u64 = 100_000;
        fn place(load: &Load, order: &[usize], spare: u32, room: &mut [u32], tried: &mut u64) -> bool {
            let Some((thing, rest)) = order.split_first() else { return true };
            let lightest = load.weights[order[order.len() - 1]];
            if room.iter().filter(|room| **room < lightest).sum::<u32>() > spare {
                return false;
            }
            for at in 0..room.len() {
                let weight = load.weights[*thing];
                if room[at] < weight || room[..at].contains(&room[at]) {
                    continue;
                }
                *tried += 1;
                if *tried >= MOST {
                    return true;
                }
                room[at] -= weight;
                if place(load, rest, spare, room, tried) {
                    return true;
                }
                room[at] += weight;
            }
            false
        }
        let mut tried = 0;
        let spare = (self.boxes * self.capacity).saturating_sub(self.weights.iter().sum());
        place(self, &self.heaviest_first(), spare, &mut vec![self.capacity; self.boxes as usize], &mut tried);
        tried
    }

    fn lines(&self, line: impl Fn(&str, u32) -> String) -> String {
        self.names.iter().zip(&self.weights).map(|(name, weight)| line(name, *weight)).lines()
    }
}

impl Problem for Load {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("boxes", |load| {
            format!(
                "Pack the following items into {} boxes, numbered 1 to {}. A box can hold at most {} in total.\n\n{}\n\nEvery \
                 item must go into one of the boxes in one piece. Find a way to pack all of the items. If there is more than \
                 one way, any of them will do.",
                load.boxes,
                load.boxes,
                count(load.capacity, "kilogram"),
                load.lines(|name, weight| format!("{name}: {weight} kg"))
            )
        }),
        Template::plain("table", |load| {
            format!(
                "job,minutes\n{}\n\nRun the jobs in this table on {} identical machines, numbered 1 to {}, each of which is \
                 available for {}. A machine runs one job at a time, and a job runs on a single machine without a break. \
                 No time is lost between jobs. Which machine should run which job so that all of the jobs finish in time? \
                 Any assignment that works is correct.",
                load.lines(|name, weight| format!("{name},{weight}")),
                load.boxes,
                load.boxes,
                count(load.capacity, "minute")
            )
        }),
        Template::plain("backup", |load| {
            format!(
                "I need to copy some files onto {} backup drives, labeled 1 to {}. Each drive has {} GB free, and a file can't \
                 be split across drives. Here are the files with their sizes in GB:\n\n{}\n\nCould you tell me which drive \
                 each file should go on? I don't care how, as long as everything fits.",
                load.boxes,
                load.boxes,
                load.capacity,
                load.lines(|name, weight| format!("{name}  {weight}"))
            )
        }),
        Template::held_out_plain("cables", |load| {
            format!(
                "An electrician has {} spools of cable, numbered 1 to {}, with {} of cable on each. The job calls for pieces of \
                 these lengths:\n\n{}\n\nEach piece has to be cut from a single spool, because pieces cannot be spliced together. \
                 Whatever is left on a spool is thrown away. Which spool should each piece be cut from? If there are several \
                 ways to do it, give any one of them.",
                load.boxes,
                load.boxes,
                count(load.capacity, "meter"),
                load.lines(|name, weight| format!("- {name}: {}", count(weight, "meter")))
            )
        }),
        Template::held_out_plain("spec", |load| {
            format!(
                "Bin packing (feasibility).\nBins: {}, numbered 1 to {}\nCapacity of each bin: {}\nItem sizes:\n{}\n\nAssign each \
                 item to exactly one bin so that the sizes in every bin add up to no more than its capacity. Any valid \
                 assignment is accepted.",
                load.boxes,
                load.boxes,
                load.capacity,
                load.lines(|name, weight| format!("  {name} = {weight}"))
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let things = self.names.len();
        check::length("names", &self.names, 3..=80, "names")?;
        route::check_names(&self.names)?;
        check::within("boxes", &self.boxes, 2..=NUMBERS.len() as u32)?;
        check::within("capacity", &self.capacity, 1..=10_000)?;
        check::length("weights", &self.weights, things..=things, "weights")?;
        check::each(
            "weights",
            &self.weights,
            |weight| (1..=self.capacity).contains(weight),
            "a box must hold it",
        )?;
        check::length("packed", &self.packed, things..=things, "boxes")?;
        check::each("packed", &self.packed, |at| *at < self.boxes as usize, "there is no such box")
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        self.judge(&self.packed).map_err(|verdict| format!("`packed` fails: {}", verdict.detail))?;
        let total: u32 = self.weights.iter().sum();
        let fewer = (self.boxes - 1) * self.capacity;
        check::that(total > fewer, || format!("`boxes` is {}, but fewer might do", self.boxes))?;
        Ok(Certificate::solvable(format!(
            "all {total} kilograms are packed, and one box less holds only {fewer}"
        )))
    }

    /// Moves weight between two items of a box, merges two items of a box, or splits an item.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let at = rng.index(self.weights.len());
        let mates: Vec<usize> = (0..self.weights.len())
            .filter(|other| *other != at && self.packed[*other] == self.packed[at])
            .collect();
        match (aim, mates.first()) {
            (Aim::Harder, _) if self.weights[at] > 1 => {
                let part = rng.int(1, i64::from(self.weights[at]) - 1) as u32;
                mutated.weights[at] -= part;
                mutated.names.push(route::fresh_name(&self.names)?);
                mutated.weights.push(part);
                mutated.packed.push(self.packed[at]);
            }
            (Aim::Easier, Some(mate)) => {
                mutated.weights[*mate] += self.weights[at];
                mutated.weights.remove(at);
                mutated.names.remove(at);
                mutated.packed.remove(at);
            }
            (Aim::Same, Some(mate)) => {
                mutated.weights[*mate] += 1;
                mutated.weights[at] = mutated.weights[at].saturating_sub(1);
            }
            _ => {}
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Assignment { noun: "item", names: &self.names, values: &NUMBERS[..self.boxes as usize] }
    }

    fn solution(&self) -> Solution {
        let total: u32 = self.weights.iter().sum();
        let free = (self.boxes * self.capacity).saturating_sub(total);
        let start =
            format!("the items weigh {total} in all, which leaves {free} to spare in {} boxes", self.boxes);
        let full = (0..self.boxes as usize).map(|at| {
            let inside: Vec<usize> =
                (0..self.packed.len()).filter(|thing| self.packed[*thing] == at).collect();
            let sum: u32 = inside.iter().map(|thing| self.weights[*thing]).sum();
            let item = |thing: &usize| format!("{} ({})", self.names[*thing], self.weights[*thing]);
            let items = inside.iter().map(item).joined(" + ");
            format!("box {}: {items} = {sum}, and at most {} fits", at + 1, self.capacity)
        });
        Solution::new(std::iter::once(start).chain(full), self.form().write(&self.packed))
    }

    /// No partial credit for a packing that does not fit: most items are easy to pack.
    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        self.judge(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let (things, boxes) = (self.packed.len(), self.boxes as usize);
        let weight = |packed: &[usize], at: usize| -> u32 {
            self.weights.iter().zip(packed).filter(|(_, its)| **its == at).map(|(weight, _)| weight).sum()
        };
        // Things move into one box, as many as there are faults, and then until they are too heavy for it.
        let mut crowded = || {
            let (mut packed, full) = (self.packed.clone(), rng.index(boxes));
            let mut outside: Vec<usize> = (0..things).filter(|thing| packed[*thing] != full).collect();
            rng.shuffle(&mut outside);
            for (moved, thing) in outside.into_iter().enumerate() {
                if moved >= faults.of(things) && weight(&packed, full) > self.capacity {
                    break;
                }
                packed[thing] = full;
            }
            packed
        };
        let mut wrong = vec![crowded(), crowded(), crowded()];
        wrong.extend(self.by_thumb());
        // Two things exchanged, where that makes a box too heavy.
        let exchanges = (0..things).flat_map(|one| (0..one).map(move |other| [one, other]));
        wrong.extend(
            exchanges
                .map(|[one, other]| {
                    let mut packed = self.packed.clone();
                    packed.swap(one, other);
                    packed
                })
                .find(|packed| (0..boxes).any(|at| weight(packed, at) > self.capacity)),
        );
        wrong.retain(|packed| (0..boxes).any(|at| weight(packed, at) > self.capacity));
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.guessed(rng).into()
    }

    /// A right packing with the boxes exchanged.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let boxes = permutation::random(self.boxes as usize, rng);
        Some(self.packed.iter().map(|at| boxes[*at]).collect())
    }

    /// Reorders and renames the items and exchanges the boxes.
    fn twin(&self, rng: &mut Rng) -> Self {
        let order = permutation::random(self.weights.len(), rng);
        let packed = self.another(rng).expect("boxes can be exchanged");
        Self {
            names: named(order.len(), rng),
            weights: order.iter().map(|thing| self.weights[*thing]).collect(),
            packed: order.iter().map(|thing| packed[*thing]).collect(),
            ..self.clone()
        }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut weights = self.weights.clone();
        weights.sort_unstable();
        [self.capacity, self.boxes].into_iter().chain(weights).flat_map(u32::to_be_bytes).collect()
    }

    fn effort(&self) -> Effort {
        Effort::new(self.tried(), 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three boxes of 10 that placing the heaviest first does not fill: 7 + 3, 5 + 5, 4 + 4 + 2 are 30.
    fn load() -> Load {
        let names = ["A", "B", "C", "D", "E", "F", "G"].map(String::from).to_vec();
        let (weights, packed) = (vec![7, 3, 5, 5, 4, 4, 2], vec![0, 0, 1, 1, 2, 2, 2]);
        Load { names, weights, capacity: 10, boxes: 3, packed }
    }

    #[test]
    fn the_judge_passes_every_packing_that_fits() {
        let load = load();
        assert!(load.certify(&mut Budget::new(9)).is_ok());
        // 7 + 3, 5 + 5 and 4 + 4 + 2 is the only partition, and its boxes can be in six orders.
        let passed = (0..3usize.pow(7)).filter(|code| {
            let packed: Vec<usize> = (0..7).map(|thing| code / 3usize.pow(thing) % 3).collect();
            load.judge(&packed).is_ok()
        });
        assert_eq!(passed.count(), 6);
        let judge = |answer: &str| kit::testing::verdict(&load, answer);
        let verdict = judge("A: 1, B: 2, C: 2, D: 2, E: 3, F: 3, G: 1");
        assert_eq!(verdict.detail, "box 2 holds at most 10, but its items weigh 13");
        assert!(judge("A: 1, B: 1, C: 2, D: 2, E: 3, F: 3").failures.contains(&"missing_name"));
        let roomy = Load { capacity: 20, ..load.clone() };
        assert_eq!(roomy.certify(&mut Budget::new(9)).unwrap_err(), "`boxes` is 3, but fewer might do");
    }
}
