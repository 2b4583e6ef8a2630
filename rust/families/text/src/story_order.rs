//! Put the sentences of a story back in order.

use kit::task::permutation;
use kit::task::prelude::*;

pub struct StoryOrder;

params! {
    pub struct StoryOrderParams {
        /// Number of sentences, each about one handover.
        sentences: u32 [3..=28],
        /// Number of people it passes through; some have it twice.
        people: u32 [4..=16],
    }
    levels {
        (5, 5),
        (7, 7),
        (9, 8),
        (10, 8),
        (12, 10),
        (15, 12),
        (17, 13),
        (19, 14),
        (21, 14),
        (23, 15),
        (27, 16),
    }
    default 5
    check Self::consistent;
}

impl StoryOrderParams {
    fn consistent(&self) -> Result<(), String> {
        if self.sentences + 1 < self.people || self.sentences > 2 * self.people - 4 {
            return Err(
                "`sentences` must be at least `people` less 1 and at most twice `people` less 4".into()
            );
        }
        Ok(())
    }
}

/// The holders from first to last, and the handover in each sentence shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    holders: Vec<usize>,
    shown: Vec<usize>,
}

const NAMES: [&str; 16] = [
    "Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ines", "Jack", "Kira", "Leo", "Mona",
    "Nils", "Olga", "Paul",
];
const MOST_SENTENCES: usize = 40;

impl TaskFamily for StoryOrder {
    type Params = StoryOrderParams;
    type Problem = Story;

    const ABOUT: About = About {
        summary: "Put the sentences of a story back in order.",
        distinct_from: 5,
        judged_by: JudgedBy::Constraints,
        failures: &[
            ("no_such_sentence", "a number does not belong to any sentence"),
            ("repeated_sentence", "a sentence is listed twice"),
            ("missing_sentence", "a sentence is not listed"),
            ("broken_chain", "someone passes on what somebody else has"),
        ],
        parts: &[Part::new(
            "longest_run",
            "longest run of sentences in the right order, as a share of all sentences; 0 for a run of one",
        )],
        skills: &["ordering", "chaining", "backtracking"],
        guess_rate: 0.043,
        guess_score: 0.087,
        ..About::new("text", "story_order", &["First version."])
    };

    /// Draws stories until exactly one order connects all sentences.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Story> {
        let count = params.sentences as usize;
        loop {
            budget.spend(100)?;
            let names = permutation::random(NAMES.len(), rng);
            let people = &names[..params.people as usize];
            // Everybody once, then some again if that leaves a single order.
            let mut holders: Vec<usize> = people.to_vec();
            for _ in 0..400 {
                if holders.len() == count + 1 {
                    break;
                }
                budget.spend(holders.len() as u64)?;
                let (who, at) = (*rng.pick(&holders), 1 + rng.index(holders.len()));
                let mut longer = holders.clone();
                longer.insert(at, who);
                let longer = Self::Problem { shown: (0..longer.len() - 1).collect(), holders: longer };
                if longer.is_plain() && longer.is_nested() {
                    holders = longer.holders;
                }
            }
            let story = Story { shown: permutation::random(holders.len().saturating_sub(1), rng), holders };
            let there = story.holders.len() == count + 1 && story.check().is_ok();
            if there && story.orders(2, budget)?.0 == 1 {
                return Ok(story);
            }
        }
    }
}

impl Story {
    fn handing(&self, sentence: usize) -> [usize; 2] {
        let at = self.shown[sentence];
        [self.holders[at], self.holders[at + 1]]
    }

    /// True if nobody hands it to themselves and no sentence occurs twice.
    fn is_plain(&self) -> bool {
        let mut pairs: Vec<&[usize]> = self.holders.windows(2).collect();
        pairs.sort_unstable();
        pairs.iter().all(|pair| pair[0] != pair[1]) && pairs.is_sorted_by(|a, b| a < b)
    }

    /// True if more than two people have it twice: then there are hundreds of stories of this length, whatever the
    /// people are called.
    fn has_peers(&self) -> bool {
        let again = (1..self.holders.len()).filter(|at| self.holders[..*at].contains(&self.holders[*at]));
        again.count() > 2
    }

    /// True if nobody has it three times, and between one person's two times another has it twice or not at
    /// all: then no two parts of the story can be exchanged.
    fn is_nested(&self) -> bool {
        let times = |who: &usize| {
            let at = self.holders.iter().enumerate().filter(move |(_, holder)| *holder == who);
            at.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let all: Vec<Vec<usize>> = self.holders.iter().map(times).filter(|at| at.len() > 1).collect();
        let crossing = |one: &Vec<usize>, other: &Vec<usize>| {
            (one[0] < other[0]) && other[0] < one[1] && one[1] < other[1]
        };
        all.iter().all(|at| at.len() == 2)
            && !all.iter().any(|one| all.iter().any(|other| crossing(one, other)))
    }

    /// Number of orders that form a chain from the first holder, counted up to `at_most`, and number of
    /// sentences examined.
    fn orders(&self, at_most: usize, budget: &mut Budget) -> Result<(usize, u64), OverBudget> {
        /// Extends the chain from a holder with the remaining sentences.
        fn from(
            holder: usize,
            left: &mut Vec<[usize; 2]>,
            at_most: usize,
            count: &mut (usize, u64),
            budget: &mut Budget,
        ) -> Result<(), OverBudget> {
            if left.is_empty() {
                count.0 += 1;
                return Ok(());
            }
            for at in 0..left.len() {
                budget.spend(1)?;
                count.1 += 1;
                if left[at][0] == holder && count.0 < at_most {
                    let taken = left.remove(at);
                    from(taken[1], left, at_most, count, budget)?;
                    left.insert(at, taken);
                }
            }
            Ok(())
        }
        let mut left: Vec<[usize; 2]> =
            (0..self.shown.len()).map(|sentence| self.handing(sentence)).collect();
        let mut count = (0, 0);
        from(self.holders[0], &mut left, at_most, &mut count, budget)?;
        Ok(count)
    }

    /// Numbers of the sentences in order, from 1.
    fn order(&self) -> Vec<i64> {
        let mut order = vec![0; self.shown.len()];
        for (sentence, at) in self.shown.iter().enumerate() {
            order[*at] = sentence as i64 + 1;
        }
        order
    }

    /// Length of an answer's longest run that is also a run of the right order.
    fn longest_run(&self, answer: &[i64]) -> usize {
        let right = self.order();
        let run = |(from, to): (usize, usize)| {
            answer[from..].iter().zip(&right[to..]).take_while(|(a, b)| a == b).count()
        };
        let starts = (0..answer.len()).flat_map(|from| (0..right.len()).map(move |to| (from, to)));
        starts.map(run).max().unwrap_or(0)
    }

    fn listed(&self, thing: &str, rng: &mut Rng) -> String {
        let line = |sentence: usize| {
            let [one, other] = self.handing(sentence).map(|who| NAMES[who]);
            let said = match rng.below(4) {
                0 => format!("{one} gives the {thing} to {other}."),
                1 => format!("{other} gets the {thing} from {one}."),
                2 => format!("The {thing} goes from {one} to {other}."),
                _ => format!("{one} passes the {thing} on to {other}."),
            };
            format!("{}. {said}", sentence + 1)
        };
        (0..self.shown.len()).map(line).lines()
    }

    fn first(&self) -> &'static str {
        NAMES[self.holders[0]]
    }
}

impl Problem for Story {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("lantern", |story, rng| {
            format!(
                "A lantern is passed from person to person, starting with {}. The sentences below describe each time it changes \
                 hands, but they are out of order:\n\n{}\n\nPut all of the sentences in the order in which things happened. \
                 Nobody can pass on the lantern unless they have it at that moment.",
                story.first(),
                story.listed("lantern", rng)
            )
        }),
        Template::open("letter", |story, rng| {
            format!(
                "These sentences tell the story of a letter, but they have been mixed up:\n\n{}\n\nThe story begins with {}, who \
                 wrote the letter. Every sentence belongs in the story exactly once, and only the person who has the letter \
                 can pass it on. What is the correct order of the sentences?",
                story.listed("letter", rng),
                story.first()
            )
        }),
        Template::open("laptop", |story, rng| {
            format!(
                "Can you help me trace our spare laptop? {} had it first, and there's a note for every time it changed hands \
                 after that. Unfortunately the notes aren't dated and I've shuffled them:\n\n{}\n\nIn what order must they have been \
                 written? All of them are true, and you can only hand over the laptop while you have it.",
                story.first(),
                story.listed("laptop", rng)
            )
        }),
        Template::held_out("cup", |story, rng| {
            format!(
                "A silver cup has gone through many hands since {} owned it first. Each change of owner was recorded on a slip of \
                 paper, but one day the slips fell out of their box:\n\n{}\n\nPut all of the slips back in order, from the first \
                 change of owner to the last. The owner who parts with the cup on one slip is always the one who received it \
                 on the slip before.",
                story.first(),
                story.listed("cup", rng)
            )
        }),
        Template::held_out("spec", |story, rng| {
            format!(
                "Initial holder of the token: {}\nTransfers, unordered:\n{}\n\nOrder all of the transfers so that each one starts from \
                 the current holder of the token.",
                story.first(),
                story.listed("token", rng)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("holders", &self.holders, 4..=MOST_SENTENCES + 1, "people")?;
        check::each("holders", &self.holders, |who| *who < NAMES.len(), "people go from 0 to 15")?;
        let count = self.holders.len() - 1;
        check::length("shown", &self.shown, count..=count, "sentences")?;
        let mut sorted = self.shown.clone();
        sorted.sort_unstable();
        check::that(sorted.into_iter().eq(0..count), || {
            format!("`shown` must have each number below {count} once")
        })?;
        check::that(self.is_plain(), || {
            "`holders` has a handover twice, or one from a person to the same person".to_owned()
        })
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let (orders, _) = self.orders(2, budget).map_err(|over| over.to_string())?;
        check::that(orders == 1, || "`holders` allow several orders".to_owned())?;
        Ok(Certificate::unique("only one order makes a chain of all sentences"))
    }

    /// Adds or removes a handover at the end, or changes the last holder.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        loop {
            budget.spend(10_000).ok()?;
            let mut holders = self.holders.clone();
            if aim != Aim::Harder {
                holders.pop();
            }
            if aim != Aim::Easier {
                holders.push(rng.index(NAMES.len()));
            }
            let shown = permutation::random(holders.len() - 1, rng);
            let mutated = Story { holders, shown };
            if mutated.check().is_ok() && mutated.orders(2, budget).ok()?.0 == 1 {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Numbers { what: "numbers of all the sentences in the right order", most: MOST_SENTENCES + 20 }
    }

    fn solution(&self) -> Solution {
        let order = self.order();
        let step = |(at, sentence): (usize, &i64)| {
            let [one, other] = [self.holders[at], self.holders[at + 1]].map(|who| NAMES[who]);
            format!("{one} has it, and sentence {sentence} takes it to {other}")
        };
        Solution::new(order.iter().enumerate().map(step), self.form().write(&order))
    }

    /// The score starts at half of the sentences: runs of two or three occur by chance.
    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        let count = self.shown.len();
        let run = self.longest_run(&answer);
        let share = if run > 1 { run as f32 / count.max(answer.len()) as f32 } else { 0.0 };
        let broken = |label: &'static str, detail: String| {
            let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label);
            Err(failure.part("longest_run", share).score(2.0 * share - 1.0))
        };
        let mut seen = vec![false; count];
        for number in &answer {
            let at = usize::try_from(number - 1).ok().filter(|at| *at < count);
            let Some(at) = at else {
                return broken("no_such_sentence", format!("there is no sentence {number}"));
            };
            if std::mem::replace(&mut seen[at], true) {
                return broken("repeated_sentence", format!("sentence {number} is listed twice"));
            }
        }
        if let Some(missing) = seen.iter().position(|seen| !seen) {
            return broken("missing_sentence", format!("sentence {} is not listed", missing + 1));
        }
        let mut holder = self.holders[0];
        for number in &answer {
            let [from, to] = self.handing(*number as usize - 1);
            if from != holder {
                let detail = format!(
                    "in sentence {number}, {} passes it on, but {} has it",
                    NAMES[from], NAMES[holder]
                );
                return broken("broken_chain", detail);
            }
            holder = to;
        }
        Ok(())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let order = self.order();
        let places: Vec<usize> = (0..order.len()).collect();
        let of = |places: Vec<usize>| places.into_iter().map(|at| order[at]).collect::<Vec<i64>>();
        let [left, twice] = permutation::miscounted(&places, faults.of(order.len()), rng);
        let mut misses = vec![of(permutation::swapped(&places, faults, rng)), of(left), of(twice)];
        misses.push(order.iter().map(|number| number + 1).collect());
        // No other order is right.
        misses.retain(|miss| *miss != order);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let any = permutation::random(self.shown.len(), rng).into_iter().map(|at| at as i64 + 1).collect();
        let count = self.shown.len() as i64;
        vec![
            ("any order", any),
            ("as listed", (1..=count).collect()),
            ("backwards", (1..=count).rev().collect()),
        ]
    }

    /// The first sentence left in which the holder passes it on, again and again; then the rest as listed.
    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let mut left: Vec<usize> = (0..self.shown.len()).collect();
        let (mut holder, mut order) = (self.holders[0], Vec::new());
        while let Some(at) = left.iter().position(|sentence| self.handing(*sentence)[0] == holder) {
            let sentence = left.remove(at);
            order.push(sentence);
            holder = self.handing(sentence)[1];
        }
        order.extend(left);
        let order = order.into_iter().map(|sentence| sentence as i64 + 1);
        vec![("the first sentence that fits", order.collect())]
    }

    /// Renames people and, where many stories are that long, shuffles the sentences again.
    fn twin(&self, rng: &mut Rng) -> Self {
        let names = permutation::random(NAMES.len(), rng);
        let holders = self.holders.iter().map(|who| names[*who]).collect();
        let shown =
            if self.has_peers() { permutation::random(self.shown.len(), rng) } else { self.shown.clone() };
        Self { holders, shown }
    }

    /// People numbered by when they first have it. Stories without peers differ by little but the order in which
    /// their sentences are shown, which is their answer.
    fn fingerprint(&self) -> Vec<u8> {
        let first = |who: &usize| self.holders.iter().position(|holder| holder == who);
        let holders = self.holders.iter().filter_map(first);
        let shown = self.shown.iter().copied().filter(|_| !self.has_peers());
        holders.chain(shown).map(|at| at as u8).collect()
    }

    /// Sentences examined until all chains have been tried.
    fn effort(&self) -> Effort {
        let counted = self.orders(2, &mut Budget::new(1_000_000));
        Effort::new(counted.map_or(1_000_000, |(_, looked)| looked), 300)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories_that_are_mixed_up_otherwise_are_one_problem() {
        let fingerprint = |holders: &[usize], shown: &[usize]| {
            Story { holders: holders.to_vec(), shown: shown.to_vec() }.fingerprint()
        };
        let story = fingerprint(&[0, 1, 2, 1, 3, 4, 3, 5, 4, 6], &[8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(fingerprint(&[5, 7, 0, 7, 1, 2, 1, 3, 2, 4], &[0, 3, 1, 4, 2, 5, 6, 8, 7]), story);
        assert_ne!(fingerprint(&[0, 1, 2, 3, 2, 4, 3, 5, 4, 6], &[8, 7, 6, 5, 4, 3, 2, 1, 0]), story);
        // Where few have it twice, the order in which it is shown is what is asked for.
        let plain = fingerprint(&[0, 1, 2, 3, 4, 5], &[4, 3, 2, 1, 0]);
        assert_eq!(fingerprint(&[0, 1, 2, 3, 5, 4], &[4, 3, 2, 1, 0]), plain);
        assert_ne!(fingerprint(&[0, 1, 2, 3, 4, 5], &[0, 3, 1, 4, 2]), plain);
    }

    #[test]
    fn the_longest_run_beyond_half_is_the_score() {
        // Ada, Ben, Cleo, Ben, Dan, Eva; shown in reverse.
        let story = Story { holders: vec![0, 1, 2, 1, 3, 4], shown: vec![4, 3, 2, 1, 0] };
        story.check().unwrap();
        assert!(story.certify(&mut Budget::new(1_000)).unwrap().unique);
        assert_eq!(story.solution().answer, "5, 4, 3, 2, 1");
        for (answer, label, score) in [
            (&[5, 4, 3, 2, 1][..], "", 1.0),
            (&[4, 5, 3, 2, 1], "broken_chain", 0.2),
            (&[5, 2, 4, 1, 3], "broken_chain", 0.0),
            (&[5, 4, 3, 2], "missing_sentence", 0.6),
            (&[5, 4, 3, 2, 2], "repeated_sentence", 0.6),
            (&[5, 4, 3, 2, 9], "no_such_sentence", 0.6),
        ] {
            let verdict = Verdict::from(story.verify(answer.to_vec(), &mut Budget::new(1)));
            assert_eq!(verdict.failures.get(1).copied().unwrap_or(""), label, "{answer:?}");
            assert!((verdict.score - score).abs() < 1e-6, "{answer:?}: {verdict:?}");
        }
        // Cleo or Dan first: two chains.
        let open = Story { holders: vec![0, 1, 2, 1, 3, 1, 4], shown: (0..6).collect() };
        assert!(open.certify(&mut Budget::new(1_000)).is_err());
    }
}
