//! Find a longest increasing subsequence.

use kit::shared::optimum;
use kit::task::prelude::*;
use kit::words::count;

pub struct LongestIncreasingSubsequence;

params! {
    pub struct LongestIncreasingSubsequenceParams {
        /// Numbers in the list.
        numbers: u32 [6..=120],
        /// Largest number that may be in the list.
        largest: u32 [9..=999],
        /// True if the longest increasing subsequence is the only optimal answer.
        unique: bool [structure, if_set],
    }
    levels {
        (9, 30, false),
        (11, 50, false),
        (14, 99, false),
        (18, 99, false),
        (24, 99, false),
        (32, 199, false),
        (44, 299, false),
        (60, 499, false),
        (90, 999, false),
    }
    default 3
    check Self::consistent;
}

impl LongestIncreasingSubsequenceParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.numbers <= self.largest, || {
            let (numbers, largest) = (self.numbers, self.largest);
            format!("`numbers` is {numbers}, but must be at most `largest`, which is {largest}")
        })
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Distinct numbers.
    numbers: Vec<u32>,
    /// The optimum is the only optimal answer; a claim that `certify` proves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
}

impl TaskFamily for LongestIncreasingSubsequence {
    type Params = LongestIncreasingSubsequenceParams;
    type Problem = List;

    const ABOUT: About = About {
        summary: "Find a longest increasing subsequence.",
        judged_by: JudgedBy::Optimum,
        failures: &[
            ("out_of_order", "the numbers are not in the order of the list"),
            ("not_increasing", "a number is not larger than the one before it"),
        ],
        parts: &[Part::new(
            "gap",
            "length divided by the greatest possible length; 0 if it is not an increasing subsequence",
        )],
        skills: &["dynamic_programming", "optimization", "comparison"],
        guess_rate: 0.103,
        guess_score: 0.12,
        // Of long lists, one in a few hundred has a single longest subsequence.
        budgets: Budgets { generate: 200_000_000, ..Budgets::USUAL },
        ..About::new("algorithms", "longest_increasing_subsequence", &["First version."])
    };

    /// Draws lists until no rule of thumb finds a longest subsequence.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<List> {
        let count = params.numbers as usize;
        loop {
            budget.spend((count * count) as u64)?;
            let mut numbers: Vec<u32> = (1..=params.largest).collect();
            rng.shuffle(&mut numbers);
            numbers.truncate(count);
            let list = List { numbers, unique: params.unique };
            let best = list.longest();
            let missed = || list.by_thumb().iter().all(|(_, places)| places.len() < best);
            if best >= 3 && missed() && (!params.unique || list.ways() == 1) {
                return Ok(list);
            }
        }
    }
}

impl List {
    /// For each number, the length of the longest increasing subsequence that ends with it, and the number
    /// before it in one of those.
    fn table(&self) -> Vec<(usize, Option<usize>)> {
        let mut table: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, number) in self.numbers.iter().enumerate() {
            let smaller = (0..at).filter(|before| self.numbers[*before] < *number);
            // `rev` makes ties go to the first one: `max_by_key` takes the last.
            let before = smaller.rev().max_by_key(|before| table[*before].0);
            table.push((1 + before.map_or(0, |before| table[before].0), before));
        }
        table
    }

    fn longest(&self) -> usize {
        self.table().iter().map(|(length, _)| *length).max().unwrap_or(0)
    }

    /// Positions of a longest increasing subsequence.
    fn best(&self) -> Vec<usize> {
        let table = self.table();
        let last = (0..table.len()).rev().max_by_key(|at| table[*at].0);
        let mut places: Vec<usize> = std::iter::successors(last, |at| table[*at].1).collect();
        places.reverse();
        places
    }

    /// Positions of a random longest increasing subsequence, drawn from its end.
    fn drawn(&self, rng: &mut Rng) -> Vec<usize> {
        let table = self.table();
        let mut places = Vec::new();
        for length in (1..=self.longest()).rev() {
            let next = places.last().copied();
            let fits = |at: &usize| {
                let smaller = |next: usize| *at < next && self.numbers[*at] < self.numbers[next];
                table[*at].0 == length && next.is_none_or(smaller)
            };
            places.push(*rng.pick(&(0..table.len()).filter(fits).collect::<Vec<_>>()));
        }
        places.reverse();
        places
    }

    /// Number of longest increasing subsequences.
    fn ways(&self) -> u64 {
        let table = self.table();
        let mut ways: Vec<u64> = Vec::new();
        for (at, (length, _)) in table.iter().enumerate() {
            let before =
                (0..at).filter(|b| self.numbers[*b] < self.numbers[at] && table[*b].0 + 1 == *length);
            let sum = before.fold(0u64, |sum, b| sum.saturating_add(ways[b]));
            ways.push(if *length == 1 { 1 } else { sum });
        }
        let longest = self.longest();
        (0..ways.len()).filter(|at| table[*at].0 == longest).fold(0, |sum, at| sum.saturating_add(ways[at]))
    }

    /// From a position on, every number that is larger than the last one taken and satisfies `wanted`.
    fn greedy(&self, from: usize, wanted: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut places = vec![from];
        for at in from + 1..self.numbers.len() {
            let last = places[places.len() - 1];
            if self.numbers[at] > self.numbers[last] && wanted(last, at) {
                places.push(at);
            }
        }
        places
    }

    /// Rules of thumb, each with its choice.
    fn by_thumb(&self) -> [(&'static str, Vec<usize>); 3] {
        let smallest = (0..self.numbers.len()).min_by_key(|at| self.numbers[*at]).expect("there are numbers");
        // A number is skipped if the next one that is larger than the last is smaller still.
        let patient = |last: usize, at: usize| {
            let next = self.numbers.get(at + 1);
            next.is_none_or(|next| *next > self.numbers[at] || *next <= self.numbers[last])
        };
        [
            ("every larger one from the first", self.greedy(0, |_, _| true)),
            ("every larger one from the smallest", self.greedy(smallest, |_, _| true)),
            ("patiently from the first", self.greedy(0, patient)),
        ]
    }

    /// The verdict on positions, which need not be in order.
    fn judge(&self, places: &[usize]) -> Judged {
        let number = |at: usize| self.numbers[at];
        let broken =
            |label, detail: String| Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label));
        for pair in places.windows(2) {
            let (first, then) = (number(pair[0]), number(pair[1]));
            if first >= then {
                return broken("not_increasing", format!("{then} follows {first}, but is not larger"));
            }
            if pair[0] > pair[1] {
                return broken(
                    "out_of_order",
                    format!("{then} comes before {first} in the list, not after it"),
                );
            }
        }
        let (length, longest) = (places.len(), self.longest());
        if length >= longest {
            return Ok(());
        }
        let naive = self.by_thumb().iter().map(|(_, places)| places.len()).max().expect("there are rules");
        let credit = optimum::credit((longest - length) as u64, 0, (longest - naive.min(longest)) as u64);
        let detail =
            format!("this has {}, {} fewer than the longest", count(length, "number"), longest - length);
        let failure = Failure::new(label::SUBOPTIMAL, detail).score(credit);
        Err(failure.part("gap", length as f32 / longest as f32))
    }

    fn listed(&self) -> String {
        self.numbers.iter().map(u32::to_string).listed()
    }
}

/// Judges steps like "47: 3 after 30": the longest increasing subsequence that ends with 47 has three numbers.
struct Tabled<'a> {
    list: &'a List,
    table: Vec<(usize, Option<usize>)>,
    said: Vec<bool>,
}

impl StepJudge for Tabled<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let like = || format!("`{}` is not a step like `47: 3 after 30` or `47: 1`", quoted(step));
        let (number, rest) = step.split_once(':').ok_or_else(like)?;
        let place = |text: &str| {
            let number = text.trim().parse::<u32>().ok()?;
            self.list.numbers.iter().position(|other| *other == number)
        };
        let at = place(number).ok_or_else(like)?;
        let (length, before) = match rest.split_once("after") {
            Some((length, before)) => (length, Some(place(before).ok_or_else(like)?)),
            None => (rest, None),
        };
        let length: usize = length.trim().parse().ok().ok_or_else(like)?;
        let (longest, number) = (self.table[at].0, self.list.numbers[at]);
        if length != longest {
            return Err(format!(
                "the longest subsequence that ends with {number} does not have {length} numbers"
            ));
        }
        let follows = |before: usize| {
            before < at && self.list.numbers[before] < number && self.table[before].0 + 1 == length
        };
        if before.is_some_and(|before| !follows(before)) || (before.is_none() && length > 1) {
            return Err(format!("no longest subsequence that ends with {number} has this number before it"));
        }
        if std::mem::replace(&mut self.said[at], true) {
            return Ok(StepVerdict::idle("true, but already stated"));
        }
        Ok(StepVerdict::advances())
    }
}

impl Problem for List {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("subsequence", |list| {
            format!(
                "Find a longest strictly increasing subsequence of the list below. A subsequence consists of numbers from the list, \
                 in the order in which they appear there, but not necessarily next to each other. It is strictly increasing if \
                 each number is larger than the one before it. If there are several longest ones, any of them will do.\n\n{}\n",
                list.listed()
            )
        }),
        Template::plain("strike", |list| {
            format!(
                "{}\n\nCross out as few of these {} numbers as possible so that the ones you keep get larger and larger from left to \
                 right. Keep them in their original order. Which numbers do you keep? There may be more than one right answer.",
                list.listed(),
                list.numbers.len()
            )
        }),
        Template::plain("message", |list| {
            format!(
                "I'm making a time-lapse of a plant out of these snapshots. For each one I have the height of the plant in millimeters, \
                 in the order in which the pictures were taken, but my measurements are all over the place:\n\n{}\n\nI'd like to \
                 throw out as few snapshots as I can so that in what remains every height is larger than the one before it. I \
                 can't change the order. Which heights stay? If there's more than one best way, pick any.",
                list.listed()
            )
        }),
        Template::held_out_plain("stones", |list| {
            format!(
                "A frog wants to cross a river on a row of stones. From the near bank to the far bank, the stones are {} {} \
                 tall. The frog never turns back, but it can leap over as many stones as it likes, and it may start on any stone and \
                 end on any stone. Each stone it lands on has to be taller than the one it landed on before. Which stones should it \
                 choose so that it lands on as many stones as possible? Name the stones by their heights. If there are several ways, \
                 any of them is fine.",
                list.listed(),
                if list.numbers.ends_with(&[1]) { "centimeter" } else { "centimeters" }
            )
        }),
        Template::held_out_plain("indices", |list| {
            format!(
                "Let a(1), ..., a({}) be the sequence\n\n{}\n\nChoose indices i(1) < i(2) < ... < i(k) such that a(i(1)) < a(i(2)) < \
                 ... < a(i(k)) and k is as large as possible. The answer consists of the values a(i(1)), ..., a(i(k)), not of the \
                 indices. Any choice that maximizes k is correct.",
                list.numbers.len(),
                list.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("numbers", &self.numbers, 2..=200, "numbers")?;
        check::each(
            "numbers",
            &self.numbers,
            |number| (1..=9_999).contains(number),
            "they go from 1 to 9999",
        )?;
        check::distinct("numbers", &self.numbers)
    }

    /// By Greene's theorem, the fewest decreasing runs that cover the list are as many as the longest
    /// increasing subsequence has numbers: each number is placed on the first pile whose top is larger.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget.spend((self.numbers.len() as u64).pow(2)).map_err(|over| over.to_string())?;
        let mut tops: Vec<u32> = Vec::new();
        for number in &self.numbers {
            match tops.iter().position(|top| top > number) {
                Some(pile) => tops[pile] = *number,
                None => tops.push(*number),
            }
        }
        let longest = tops.len();
        let found = self.longest();
        check::that(found == longest, || format!("`numbers` leads to {found} or {longest}"))?;
        let proof =
            format!("{longest} decreasing runs contain all numbers, so no increasing subsequence is longer");
        Certificate { unique: self.ways() == 1, proof }.claimed(self.unique)
    }

    /// Adds or removes a number, or exchanges two.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let at = rng.index(self.numbers.len());
        match aim {
            Aim::Harder => {
                mutated.numbers.insert(at, (1..=9_999).find(|number| !self.numbers.contains(number))?);
            }
            Aim::Easier => drop(mutated.numbers.remove(at)),
            Aim::Same => mutated.numbers.swap(at, rng.index(self.numbers.len())),
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let words = self.numbers.iter().map(u32::to_string).collect();
        form::Sequence { what: "the numbers in order,".to_owned(), words }
    }

    fn solution(&self) -> Solution {
        let table = self.table();
        let step = |(at, (length, before)): (usize, &(usize, Option<usize>))| {
            let after = before.map_or(String::new(), |before| format!(" after {}", self.numbers[before]));
            format!("{}: {length}{after}", self.numbers[at])
        };
        Solution::new(table.iter().enumerate().map(step), self.form().write(&self.best()))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        self.judge(&answer)
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        Some(self.drawn(rng))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let right = self.best();
        let (mut left, mut more, mut replaced) = (right.clone(), right.clone(), right.clone());
        let mut spoilt = faults.draw(right.len(), rng);
        spoilt.sort_unstable();
        for at in spoilt.into_iter().rev() {
            if left.len() > 1 {
                left.remove(at);
            }
            more.insert(at, rng.index(self.numbers.len()));
            // A place that occurs twice.
            replaced[at] = right[(at + 1) % right.len()];
        }
        let backwards: Vec<usize> = right.iter().rev().copied().collect();
        // Each has more numbers than the longest subsequence, or fewer, or numbers that do not rise.
        let mut wrong = vec![more];
        wrong.extend([left, replaced, backwards].into_iter().filter(|places| *places != right));
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let any = self.greedy(rng.index(self.numbers.len() / 2), |_, _| true);
        let start = rng.index(self.numbers.len() / 3 + 1);
        let mut skipping = vec![start];
        for at in start + 1..self.numbers.len() {
            if self.numbers[at] > self.numbers[skipping[skipping.len() - 1]] && rng.chance(1, 2) {
                skipping.push(at);
            }
        }
        let mut guesses = vec![("every larger one from anywhere", any), ("larger ones by chance", skipping)];
        guesses.extend(self.by_thumb());
        guesses
    }

    /// Reverses the list and subtracts each number from a larger one, which reverses the order of values too.
    fn twin(&self, rng: &mut Rng) -> Self {
        let over = self.numbers.iter().max().expect("there are numbers") + 1;
        let turned = self.numbers.iter().rev().map(|number| over - number).collect();
        if rng.chance(1, 2) { Self { numbers: turned, ..*self } } else { self.clone() }
    }

    /// The ranks of the numbers, read from the end that gives the smaller list.
    fn fingerprint(&self) -> Vec<u8> {
        let ranks = |numbers: &[u32]| -> Vec<u8> {
            let rank = |number: &u32| numbers.iter().filter(|other| *other < number).count() as u8;
            numbers.iter().map(rank).collect()
        };
        let forwards = ranks(&self.numbers);
        let last = forwards.len() as u8 - 1;
        let backwards: Vec<u8> = forwards.iter().rev().map(|rank| last - rank).collect();
        forwards.min(backwards)
    }

    /// Comparisons of each number with all before it.
    fn effort(&self) -> Effort {
        let numbers = self.numbers.len() as u64;
        Effort::new(numbers * (numbers - 1) / 2, 400)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Tabled { list: self, table: self.table(), said: vec![false; self.numbers.len()] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A textbook example, the first terms of the binary van der Corput sequence, counted from 1; the longest
    /// has six.
    fn corput() -> List {
        List { numbers: vec![1, 9, 5, 13, 3, 11, 7, 15, 2, 10, 6, 14, 4, 12, 8, 16], unique: false }
    }

    #[test]
    fn the_judge_passes_every_longest_one_and_no_other() {
        let list = corput();
        assert_eq!((list.longest(), list.best().len()), (6, 6));
        let certificate = list.certify(&mut Budget::new(999)).unwrap();
        assert!(!certificate.unique);
        let passed = (1u32..1 << 16).filter(|set| {
            let places: Vec<usize> = (0..16).filter(|at| set >> at & 1 == 1).collect();
            list.judge(&places).is_ok()
        });
        assert_eq!(passed.count() as u64, list.ways());
        let judge = |answer: &str| kit::testing::verdict(&list, answer);
        assert!(judge("1, 3, 7, 10, 12, 16").passed);
        for (wrong, detail) in [
            ("9, 5, 13", "5 follows 9, but is not larger"),
            ("9, 9", "9 follows 9, but is not larger"),
            ("2, 3, 7", "3 comes before 2 in the list, not after it"),
            ("9, 13, 15, 16", "this has 4 numbers, 2 fewer than the longest"),
            ("0, 9", "`0` is not one of the words that may be used, like `1`"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
    }

    #[test]
    fn a_step_tells_a_length_and_the_number_before() {
        let list = corput();
        let mut steps = list.steps().unwrap();
        let mut judge = |step: &str| steps.judge(step, &mut Budget::new(9)).map(|said| said.advances);
        assert_eq!(
            (judge("1: 1"), judge("13: 3 after 9"), judge("13: 3 after 5")),
            (Ok(true), Ok(true), Ok(false))
        );
        for wrong in ["13: 4 after 9", "13: 3 after 1", "13: 3", "13: 3 after 11"] {
            assert!(judge(wrong).is_err(), "{wrong}");
        }
    }
}
