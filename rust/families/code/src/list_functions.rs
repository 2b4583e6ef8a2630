//! Find the operations behind examples of changed lists, and apply them to another list.

use kit::words::count;
use std::fmt::Write;
use std::ops::ControlFlow::{self, Break, Continue};

use kit::task::prelude::*;

pub struct ListFunctions;

params! {
    pub struct ListFunctionsParams {
        /// Operations applied one after the other.
        operations: u32 [1..=3],
        /// Kinds of operations to choose from.
        kinds: u32 [5..=20],
        /// Numbers in a list.
        length: u32 [3..=12],
        /// Examples shown.
        examples: u32 [2..=6, structure],
    }
    levels {
        (1, 12, 4, 3),
        (1, 20, 5, 3),
        (2, 5, 5, 3),
        (2, 8, 6, 3),
        (2, 10, 6, 3),
        (2, 13, 7, 3),
        (2, 16, 7, 3),
        (2, 20, 8, 3),
        (3, 12, 8, 4),
        (3, 16, 8, 4),
        (3, 20, 10, 4),
    }
    default 4
}

/// Changes a list in place.
type Operation = fn(&mut Vec<i64>);

/// The operations, in the words of the prompt.
const OPERATIONS: [(&str, Operation); 20] = [
    ("reverse the list", |list| list.reverse()),
    ("sort the list in ascending order", |list| list.sort_unstable()),
    ("add 1 to every number", |list| list.iter_mut().for_each(|n| *n += 1)),
    ("double every number", |list| list.iter_mut().for_each(|n| *n *= 2)),
    ("remove the first number", |list| drop(list.drain(..list.len().min(1)))),
    ("remove the last number", |list| {
        list.pop();
    }),
    ("move the first number to the end", |list| {
        let one = list.len().min(1);
        list.rotate_left(one);
    }),
    ("remove the odd numbers", |list| list.retain(|n| n % 2 == 0)),
    ("remove the even numbers", |list| list.retain(|n| n % 2 != 0)),
    ("keep only the first, third, fifth number and so on", |list| {
        let mut keep = false;
        list.retain(|_| {
            keep = !keep;
            keep
        });
    }),
    ("replace every number with the sum of all numbers up to and including it", |list| {
        let mut sum = 0;
        for n in list {
            sum += *n;
            *n = sum;
        }
    }),
    ("replace every number with its remainder after division by 5, from 0 to 4", |list| {
        for n in list {
            *n = n.rem_euclid(5);
        }
    }),
    ("remove every number that already occurs earlier in the list", |list| {
        let mut at = 0;
        while at < list.len() {
            if list[..at].contains(&list[at]) {
                list.remove(at);
            } else {
                at += 1;
            }
        }
    }),
    ("swap the first and last numbers", |list| {
        let last = list.len().saturating_sub(1);
        if last > 0 {
            list.swap(0, last);
        }
    }),
    ("sort the list in descending order", |list| list.sort_unstable_by(|a, b| b.cmp(a))),
    ("add to every number its position in the list, counting from 1", |list| {
        (1..).zip(list).for_each(|(at, n)| *n += at);
    }),
    ("remove the largest number and any copies of it", |list| {
        let most = list.iter().max().copied();
        list.retain(|n| Some(*n) != most);
    }),
    (
        "replace the list with the differences between neighbors, each number minus the one before it",
        |list| {
            for at in 1..list.len() {
                list[at - 1] = list[at] - list[at - 1];
            }
            list.pop();
        },
    ),
    ("replace every number n with 20 - n", |list| list.iter_mut().for_each(|n| *n = 20 - *n)),
    ("swap the two halves of the list (if its length is odd, the first half is the shorter one)", |list| {
        let half = list.len() / 2;
        list.rotate_left(half);
    }),
];

/// Example lists, the kinds of operations that may be used, the ones applied, and the list to apply them to.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    kinds: Vec<usize>,
    done: Vec<usize>,
    examples: Vec<Vec<i64>>,
    asked: Vec<i64>,
}

const LARGEST: i64 = 50;
const MOST_LENGTH: usize = 16;
const MOST_DONE: usize = 3;

fn applied(done: &[usize], list: &[i64]) -> Vec<i64> {
    let mut list = list.to_vec();
    for at in done {
        OPERATIONS[*at].1(&mut list);
    }
    list
}

fn written(list: &[i64]) -> String {
    if list.is_empty() {
        return "an empty list".to_owned();
    }
    let mut text = String::with_capacity(4 * list.len());
    for number in list {
        let between = if text.is_empty() { "" } else { ", " };
        write!(text, "{between}{number}").expect("strings grow");
    }
    text
}

impl TaskFamily for ListFunctions {
    type Params = ListFunctionsParams;
    type Problem = Machine;

    const ABOUT: About = About {
        summary: "Find the operations behind examples of changed lists, and apply them to another list.",
        failures: &[
            ("unchanged", "the given list, unchanged"),
            ("one_operation_short", "the result with one of the operations left out"),
        ],
        parts: &[Part::new("numbers_right", "share of the numbers that are right in their place")],
        skills: &["induction", "composition", "hypothesis_testing"],
        guess_rate: 0.103,
        guess_score: 0.103,
        ..About::new("induction", "list_functions", &["First version."])
    };

    /// Draws machines until all operations that fit the examples agree on the list in question.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Machine> {
        loop {
            let mut kinds: Vec<usize> = (0..OPERATIONS.len()).collect();
            rng.shuffle(&mut kinds);
            kinds.truncate(params.kinds as usize);
            let done: Vec<usize> = (0..params.operations).map(|_| *rng.pick(&kinds)).collect();
            kinds.sort_unstable();
            let mut list = || {
                let mut list: Vec<i64> = (0..params.length).map(|_| rng.int(1, 19)).collect();
                // Half of the lists get a duplicate.
                if rng.chance(1, 2) {
                    let at = rng.index(list.len());
                    list[at] = list[(at + 2) % list.len()];
                }
                list
            };
            let drawn = Machine {
                kinds,
                done,
                examples: (0..params.examples).map(|_| list()).collect(),
                asked: list(),
            };
            budget.spend(100)?;
            let answer = drawn.value();
            if answer.len() < 3 || answer == drawn.asked || drawn.check().is_err() {
                continue;
            }
            // No shorter sequence of operations fits, and all that fit agree.
            let mut sound = true;
            let tried = drawn.search(|done| {
                sound = done.len() >= drawn.done.len() && applied(done, &drawn.asked) == answer;
                if sound { Continue(()) } else { Break(()) }
            });
            budget.spend(tried)?;
            if sound {
                return Ok(drawn);
            }
        }
    }
}

impl Machine {
    fn value(&self) -> Vec<i64> {
        applied(&self.done, &self.asked)
    }

    /// Tries all sequences of operations, shortest first, up to one longer than the hidden one, and passes
    /// each that fits every example to `fits` until it breaks. Returns the number of sequences tried.
    fn search(&self, mut fits: impl FnMut(&[usize]) -> ControlFlow<()>) -> u64 {
        let mut search = Search {
            machine: self,
            wanted: self.examples.iter().map(|list| applied(&self.done, list)).collect(),
            made: vec![self.examples[0].clone(); MOST_DONE + 1],
            done: Vec::new(),
            tried: 0,
        };
        let _ = (1..=MOST_DONE.min(self.done.len() + 1)).try_for_each(|left| search.extend(left, &mut fits));
        search.tried
    }

    /// Number of sequences that fit the examples, if they agree on the list in question, and number of
    /// sequences tried.
    fn agreeing(&self) -> (Option<u64>, u64) {
        let (value, mut ways) = (self.value(), Some(0));
        let tried = self.search(|done| {
            ways = ways.filter(|_| applied(done, &self.asked) == value).map(|ways| ways + 1);
            if ways.is_some() { Continue(()) } else { Break(()) }
        });
        (ways, tried)
    }

    fn operations(&self, between: &str) -> String {
        self.kinds.iter().map(|at| OPERATIONS[*at].0).joined(between)
    }

    /// Number of operations, in the words of the prompt.
    fn few(&self) -> &'static str {
        ["one or two", "one to three", "one to three"][self.done.len() - 1]
    }

    fn listed(&self, line: impl Fn(&str, &str) -> String) -> String {
        let text = |list: &Vec<i64>| line(&written(list), &written(&applied(&self.done, list)));
        self.examples.iter().map(text).lines()
    }
}

/// A search for operations that fit the examples of a machine.
struct Search<'a> {
    machine: &'a Machine,
    wanted: Vec<Vec<i64>>,
    /// The first example after each operation so far.
    made: Vec<Vec<i64>>,
    done: Vec<usize>,
    tried: u64,
}

impl Search<'_> {
    /// Extends the sequence by `left` operations in every way.
    fn extend(&mut self, left: usize, fits: &mut impl FnMut(&[usize]) -> ControlFlow<()>) -> ControlFlow<()> {
        let at = self.done.len();
        for kind in &self.machine.kinds {
            let (before, after) = self.made.split_at_mut(at + 1);
            after[0].clone_from(&before[at]);
            OPERATIONS[*kind].1(&mut after[0]);
            self.done.push(*kind);
            if left > 1 {
                self.extend(left - 1, fits)?;
            } else {
                self.tried += 1;
                let fit = self.made[at + 1] == self.wanted[0] && self.fits_the_rest();
                if fit {
                    fits(&self.done)?;
                }
            }
            self.done.pop();
        }
        Continue(())
    }

    fn fits_the_rest(&self) -> bool {
        let rest = self.machine.examples.iter().zip(&self.wanted).skip(1);
        rest.into_iter().all(|(list, wanted)| applied(&self.done, list) == *wanted)
    }
}

impl Problem for Machine {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("machine", |machine| {
            format!(
                "A machine changes every list of numbers that it is given by the same {} operations, in the same order. \
                 They come from this selection, and the same one may be used more than once:\n\n- {}\n\nHere is what it \
                 made of some lists:\n\n{}\n\nWhat does it make of {}?",
                machine.few(),
                machine.operations("\n- "),
                machine.listed(|given, made| format!("{given} -> {made}")),
                written(&machine.asked)
            )
        }),
        Template::plain("rule", |machine| {
            format!(
                "Examples of a rule:\n\n{}\n\nThe rule consists of {} steps, done in order. Each step is one of the \
                 following and may occur more than once:\n\n- {}\n\nApply the rule to {}.",
                machine.listed(|given, made| format!("{given} becomes {made}")),
                machine.few(),
                machine.operations("\n- "),
                written(&machine.asked)
            )
        }),
        Template::plain("message", |machine| {
            format!(
                "I inherited a script that transforms lists, but the source is gone. From the logs:\n\n{}\n\nI do know \
                 that it always runs the same {} operations in the same order, possibly repeating one, and that \
                 these are the ones it can choose from: {}.\n\nWhat will it print for the input {}?",
                machine.listed(|given, made| format!("input {given}; output {made}")),
                machine.few(),
                machine.operations("; "),
                written(&machine.asked)
            )
        }),
        Template::held_out_plain("clerk", |machine| {
            format!(
                "A clerk treats every list of numbers that comes in exactly alike: she follows {} instructions from the \
                 office handbook, always in the same order, and an instruction may come up more than once. The \
                 handbook has these: {}.\n\nYesterday's lists:\n\n{}\n\nThis morning {} comes in. What does she send out?",
                machine.few(),
                machine.operations("; "),
                machine.listed(|given, made| format!("in: {given}; out: {made}")),
                written(&machine.asked)
            )
        }),
        Template::held_out_plain("spec", |machine| {
            format!(
                "Function: f maps a list to a list; it applies {} of the operations below, the same for every input and in \
                 a fixed order, repetition allowed.\n\nOperations:\n- {}\n\nKnown values:\n{}\n\nCompute f({}).",
                machine.few(),
                machine.operations("\n- "),
                machine.listed(|given, made| format!("f({given}) = {made}")),
                written(&machine.asked)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("kinds", &self.kinds, 2..=OPERATIONS.len(), "operations")?;
        let known =
            self.kinds.is_sorted_by(|a, b| a < b) && self.kinds.iter().all(|at| *at < OPERATIONS.len());
        check::that(known, || "`kinds` must be numbers of operations in ascending order".to_owned())?;
        check::length("done", &self.done, 1..=MOST_DONE, "operations")?;
        check::each("done", &self.done, |at| self.kinds.contains(at), "must be one of `kinds`")?;
        check::length("examples", &self.examples, 1..=8, "lists")?;
        for list in self.examples.iter().chain([&self.asked]) {
            check::length("examples", list, 1..=MOST_LENGTH, "numbers")?;
            check::each(
                "examples",
                list,
                |number| (-LARGEST..=LARGEST).contains(number),
                "numbers go to 50",
            )?;
        }
        check::that(!self.value().is_empty(), || "`done` leaves nothing of `asked`".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let (ways, tried) = self.agreeing();
        budget.spend(tried).map_err(|over| over.to_string())?;
        let ways = ways.ok_or("`examples` fit operations that make something else of `asked`")?;
        Ok(Certificate::unique(format!("{ways} ways fit the examples, and all make the same of the list")))
    }

    /// Adds or removes an operation, or changes the list in question.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        loop {
            budget.spend(100_000).ok()?;
            let mut mutated = self.clone();
            match aim {
                Aim::Harder if self.done.len() < MOST_DONE && rng.chance(1, 2) => {
                    mutated.done.push(*rng.pick(&self.kinds));
                }
                Aim::Easier if self.done.len() > 1 && rng.chance(1, 2) => drop(mutated.done.pop()),
                Aim::Same => mutated.asked[rng.index(self.asked.len())] = rng.int(1, 19),
                _ => mutated.done[rng.index(self.done.len())] = *rng.pick(&self.kinds),
            }
            let (ways, tried) = mutated.agreeing();
            budget.spend(tried).ok()?;
            if ways.is_some() && mutated.check().is_ok() {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Numbers { what: "numbers of the resulting list, in order", most: 40 }
    }

    fn solution(&self) -> Solution {
        let mut list = self.asked.clone();
        let mut steps = vec![format!(
            "What fits all examples: {}",
            self.done.iter().map(|at| OPERATIONS[*at].0).joined("; then ")
        )];
        for at in &self.done {
            let made = applied(&[*at], &list);
            steps.push(format!("{}: {} becomes {}", OPERATIONS[*at].0, written(&list), written(&made)));
            list = made;
        }
        Solution::new(steps, self.form().write(&list))
    }

    fn answer(&self) -> String {
        self.form().write(&self.value())
    }

    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        let value = self.value();
        if answer == value {
            return Ok(());
        }
        let right = answer.iter().zip(&value).filter(|(one, other)| one == other).count();
        let detail = match answer.iter().zip(&value).position(|(one, other)| one != other) {
            _ if answer.len() != value.len() => {
                format!("the list has {}, not {}", count(value.len(), "number"), answer.len())
            }
            at => format!("number {} of the list is wrong", at.map_or(1, |at| at + 1)),
        };
        let wrong =
            Failure::wrong(detail).part("numbers_right", right as f32 / value.len().max(answer.len()) as f32);
        let short = |left: usize| {
            let fewer: Vec<usize> =
                (0..self.done.len()).filter(|at| *at != left).map(|at| self.done[at]).collect();
            applied(&fewer, &self.asked) == answer
        };
        Err(match answer {
            answer if answer == self.asked => wrong.also("unchanged"),
            _ if (0..self.done.len()).any(short) => wrong.also("one_operation_short"),
            _ => wrong,
        })
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let value = self.value();
        let mut slipped = value.clone();
        for at in faults.draw(value.len(), rng) {
            slipped[at] += *rng.pick(&[-1, 1]);
        }
        let other = [self.done[..self.done.len() - 1].to_vec(), vec![*rng.pick(&self.kinds)]].concat();
        let mut turned = value.clone();
        turned.reverse();
        let mut misses =
            vec![slipped, value[..value.len() - 1].to_vec(), [value.as_slice(), &value[..1]].concat()];
        misses.extend([
            turned,
            self.asked.clone(),
            applied(&other, &self.asked),
            applied(&self.done[1..], &self.asked),
        ]);
        misses.retain(|miss| *miss != value && !miss.is_empty());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let any = applied(&[*rng.pick(&self.kinds)], &self.asked);
        let mut sorted = self.asked.clone();
        sorted.sort_unstable();
        let any = if any.is_empty() { sorted.clone() } else { any };
        vec![
            ("any one operation", any),
            ("the list as it is", self.asked.clone()),
            ("the list sorted", sorted),
        ]
    }

    /// Reorders the examples.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.examples);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut examples = self.examples.clone();
        examples.sort_unstable();
        serde_json::to_vec(&(examples, &self.asked, self.value())).expect("numbers serialise")
    }

    /// Sequences tried, shortest first, until one fits.
    fn effort(&self) -> Effort {
        Effort::new(self.search(|_| Break(())) * self.examples.len() as u64, 400)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_do_what_they_say() {
        let list = [3, 8, 3, 5, 10];
        let made: Vec<String> =
            (0..OPERATIONS.len()).map(|operation| written(&applied(&[operation], &list))).collect();
        assert_eq!(
            made,
            [
                "10, 5, 3, 8, 3",
                "3, 3, 5, 8, 10",
                "4, 9, 4, 6, 11",
                "6, 16, 6, 10, 20",
                "8, 3, 5, 10",
                "3, 8, 3, 5",
                "8, 3, 5, 10, 3",
                "8, 10",
                "3, 3, 5",
                "3, 3, 10",
                "3, 11, 14, 19, 29",
                "3, 3, 3, 0, 0",
                "3, 8, 5, 10",
                "10, 8, 3, 5, 3",
                "10, 8, 5, 3, 3",
                "4, 10, 6, 9, 15",
                "3, 8, 3, 5",
                "5, -5, 2, 5",
                "17, 12, 17, 15, 10",
                "3, 5, 10, 3, 8",
            ]
        );
        for operation in 0..OPERATIONS.len() {
            assert!(applied(&[operation], &[]).is_empty() && applied(&[operation], &[7]).len() < 2);
        }
    }

    #[test]
    fn examples_that_leave_two_ways_open_are_refused() {
        // A single number reversed equals the list sorted.
        let machine =
            Machine { kinds: vec![0, 1], done: vec![0], examples: vec![vec![4]], asked: vec![2, 1, 3] };
        machine.check().unwrap();
        assert!(machine.certify(&mut Budget::new(1_000)).is_err());
        let machine = Machine { examples: vec![vec![2, 3, 1]], ..machine };
        assert!(machine.certify(&mut Budget::new(1_000)).unwrap().unique);
        assert_eq!(machine.solution().answer, "3, 1, 2");
    }
}
