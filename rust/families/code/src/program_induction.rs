//! Write a program from examples of what it returns; all inputs decide.

use super::drawing::{self, INPUTS, exchanged, given, identity, inputs};
use kit::shared::program::{Halt, LANGUAGE, Line, Program};
use kit::task::form::decorated;
use kit::task::prelude::*;

pub struct ProgramInduction;

params! {
    pub struct ProgramInductionParams {
        /// Pieces that make up the program: formulas, conditions, loops over digits or divisors and the like; 0
        /// for a program of one line with a sum or a difference.
        pieces: u32 [0..=5],
        /// Hardest kind of piece: 0 formulas, 1 conditions, 2 loops, 3 conditions inside loops.
        hardest: u32 [0..=3],
        /// Examples shown.
        shown: u32 [6..=20, structure],
    }
    levels {
        (0, 0, 6),
        (1, 0, 8),
        (1, 1, 10),
        (1, 2, 10),
        (1, 3, 12),
        (2, 2, 12),
        (2, 3, 12),
        (3, 3, 14),
        (4, 3, 16),
    }
    default 3
    check Self::consistent;
}

impl ProgramInductionParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.pieces > 0 || self.hardest == 0, || {
            format!("`hardest` is {}, but must be 0 without `pieces`", self.hardest)
        })
    }
}

/// The program to find, and the shown and hidden cases.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    program: String,
    shown: Vec<[i64; 2]>,
    hidden: Vec<[i64; 2]>,
}

const HIDDEN: usize = 24;
const LARGEST: i64 = 49;
/// Steps that one run may take.
const FUEL: u64 = 10_000;

/// Pieces by difficulty. Each leaves its value in `r`; `P` and `Q` stand for small numbers, `a` and `b` for
/// the inputs in either order.
const PIECES: [&[&str]; 4] = [
    &[
        "r = P * a + b + Q",
        "r = P * a - b",
        "r = a * b + P",
        "r = (a + P) * Q + b",
        "r = a % P + b % Q",
        "r = a / P + Q * b",
    ],
    &[
        "if a > b {\n    r = a - b\n} else {\n    r = P * b + a\n}",
        "if a % P == 0 {\n    r = a + b\n} else {\n    r = b - Q\n}",
        "if a > b {\n    r = a\n} else {\n    r = b + P\n}",
        "if a + b > 10 * P {\n    r = a + Q\n} else {\n    r = b * Q\n}",
    ],
    &[
        "r = b\nwhile a > 0 {\n    r = r + a % 10\n    a = a / 10\n}",
        "r = P\nwhile a > 0 {\n    r = r + b\n    a = a / 2\n}",
        "r = 0\nwhile a > 0 {\n    r = 10 * r + a % 10\n    a = a / 10\n}\nr = r + b",
        "r = 0\ni = 0\nrepeat a {\n    i = i + 1\n    r = r + i % P\n}\nr = r + b",
        "r = Q\nwhile b > P {\n    b = b - P\n    r = r + a\n}",
    ],
    &[
        "r = 0\ni = 0\nrepeat a {\n    i = i + 1\n    if i % P == 0 {\n        r = r + i\n    }\n}\nr = r + b",
        "r = 0\nwhile a > 0 {\n    if a % 10 > P {\n        r = r + 1\n    }\n    a = a / 10\n}\nr = Q * r + b",
        "r = b\nwhile a > 1 {\n    if a % 2 == 0 {\n        a = a / 2\n        r = r + 1\n    } else {\n        a = a - P\n        r = r + Q\n    }\n}",
        "while b != 0 {\n    t = a % b\n    a = b\n    b = t\n}\nr = a * P + Q",
        "r = 0\nwhile a > 0 {\n    if a % 10 % 2 == 0 {\n        r = r + a % 10\n    } else {\n        r = r - 1\n    }\n    a = a / 10\n}\nr = r * Q + b",
    ],
];

/// Results of programs of one line. `P` stands for a small number, `R` for a larger one.
const SUMS: [&str; 4] = ["P * a + R", "P * a + b + R", "a + b + R", "a - b + R"];

impl TaskFamily for ProgramInduction {
    type Params = ProgramInductionParams;
    type Problem = Examples;

    const ABOUT: About = About {
        summary: "Write a program from examples; its results for all inputs decide.",
        distinct_from: 4,
        judged_by: JudgedBy::Execution,
        failures: &[
            ("shown_case", "the program returns a wrong number for a case that is shown"),
            ("hidden_case", "the program is right for every case shown but wrong for a hidden one"),
            ("no_result", "the program fails or does not finish on a case"),
        ],
        parts: &[Part::new(
            "cases_right",
            "share of the cases tried, shown and hidden, that the program gets right",
        )],
        guess_rate: 0.0085,
        guess_score: 0.0085,
        // Runs for all inputs, each as long as it may be.
        budgets: Budgets { judge: 2_500 * FUEL, ..Budgets::USUAL },
        skills: &["induction", "programming", "generalization"],
        ..About::new("code", "program_induction", &["First version."])
    };

    /// Chains pieces: the value of each replaces one of the inputs of the next.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Examples> {
        loop {
            budget.spend(2_000)?;
            let mut lines: Vec<String> = vec!["p = a".to_owned(), "q = b".to_owned()];
            for at in 0..params.pieces {
                let hard =
                    if at == 0 { params.hardest } else { rng.below(u64::from(params.hardest) + 1) as u32 };
                let mut piece = (*rng.pick(PIECES[hard as usize])).to_owned();
                piece =
                    piece.replace('P', &rng.int(2, 9).to_string()).replace('Q', &rng.int(2, 9).to_string());
                if rng.chance(1, 2) {
                    piece = turned(&piece);
                }
                if at > 0 {
                    // The original inputs, with the previous value in place of one.
                    let (kept, new) = if rng.chance(1, 2) { ("a = r", "b = q") } else { ("b = r", "a = p") };
                    lines.extend([kept.to_owned(), new.to_owned()]);
                }
                lines.push(piece);
            }
            if params.pieces == 0 {
                let sum = rng.pick(&SUMS).replace('P', &rng.int(2, 9).to_string());
                let sum = sum.replace('R', &rng.int(1, 60).to_string());
                let sum = if rng.chance(1, 2) { turned(&sum) } else { sum };
                lines = vec![format!("return {sum}")];
            } else {
                // Random coefficients turn the same pieces into different programs.
                lines.push(format!("return {} * r + {}", rng.int(2, 6), rng.int(1, 40)));
            }
            if params.pieces == 1 {
                lines.drain(..2);
            }
            let text = lines.join("\n");
            let Ok(program) = Program::read(&text, &inputs(2)) else { continue };
            let mut cases: Vec<[i64; 2]> = Vec::new();
            while cases.len() < HIDDEN + params.shown as usize {
                budget.spend(1)?;
                let case = [rng.int(0, LARGEST), rng.int(0, LARGEST)];
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
            let hidden = cases.split_off(params.shown as usize);
            let drawn = Examples { program: program.to_string(), shown: cases, hidden };
            if drawn.check().is_ok()
                && budget.wants(|| drawn.fingerprint())?
                && drawn.is_telling()
                && drawn.first_unfit(budget)?.is_none()
            {
                return Ok(drawn);
            }
        }
    }
}

/// The piece with the variables a and b exchanged.
fn turned(piece: &str) -> String {
    let letters: Vec<char> = piece.chars().collect();
    let alone = |at: usize| {
        let letter =
            |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_lowercase);
        !letter(at.checked_sub(1)) && !letter(Some(at + 1))
    };
    let moved = letters.iter().enumerate().map(|(at, letter)| match letter {
        'a' if alone(at) => 'b',
        'b' if alone(at) => 'a',
        letter => *letter,
    });
    moved.collect()
}

/// Copies of the lines, each with one branch of a condition emptied.
fn without_a_branch(lines: &[Line]) -> Vec<Vec<Line>> {
    let lacking = |line: &Line| -> Vec<Line> {
        match line {
            Line::Set(..) | Line::Return(_) => Vec::new(),
            Line::If(when, yes, no) => {
                let whole = [(Vec::new(), no.clone()), (yes.clone(), Vec::new())];
                let whole = whole.into_iter().take(if no.is_empty() { 1 } else { 2 });
                let within = without_a_branch(yes).into_iter().map(|yes| (yes, no.clone()));
                let within = within.chain(without_a_branch(no).into_iter().map(|no| (yes.clone(), no)));
                whole.chain(within).map(|(yes, no)| Line::If(when.clone(), yes, no)).collect()
            }
            Line::While(when, body) => {
                without_a_branch(body).into_iter().map(|body| Line::While(when.clone(), body)).collect()
            }
            Line::Repeat(times, body) => {
                without_a_branch(body).into_iter().map(|body| Line::Repeat(times.clone(), body)).collect()
            }
        }
    };
    let at_each = lines.iter().enumerate();
    let at_each = at_each.flat_map(|(at, line)| lacking(line).into_iter().map(move |line| (at, line)));
    at_each.map(|(at, line)| [&lines[..at], &[line], &lines[at + 1..]].concat()).collect()
}

/// Every input.
fn all_inputs() -> impl Iterator<Item = [i64; 2]> {
    (0..=LARGEST).flat_map(|a| (0..=LARGEST).map(move |b| [a, b]))
}

fn run(program: &Program, case: &[i64; 2]) -> (Result<i64, Halt>, u64) {
    drawing::run_for(program, case, FUEL)
}

/// True if the program has a result for a case that a right answer may reach by a longer way, and the steps taken.
fn fits(program: &Program, case: &[i64; 2]) -> (bool, u64) {
    let (result, steps) = run(program, case);
    let fits = result.is_ok_and(|value| value.abs() <= 1_000_000_000) && steps < FUEL / 4;
    (fits, steps)
}

impl Examples {
    fn read(&self) -> Program {
        drawing::checked(&self.program, 2).expect("it was checked")
    }

    fn cases(&self) -> impl Iterator<Item = &[i64; 2]> {
        self.shown.iter().chain(&self.hidden)
    }

    fn wanted(program: &Program, case: &[i64; 2]) -> i64 {
        run(program, case).0.unwrap_or_default()
    }

    /// An input for which the program has no result, or one that is too large or takes too long. Those where values
    /// grow most come first.
    fn first_unfit(&self, budget: &mut Budget) -> Result<Option<[i64; 2]>, OverBudget> {
        let program = self.read();
        for case in
            [[LARGEST; 2], [LARGEST, 0], [0, LARGEST], [0, 0], [32, 40]].into_iter().chain(all_inputs())
        {
            let (fits, steps) = fits(&program, &case);
            budget.spend(steps)?;
            if !fits {
                return Ok(Some(case));
            }
        }
        Ok(None)
    }

    /// True if the results differ, no trivial program matches many of them, and both the shown and the hidden
    /// cases need every branch of the program.
    fn is_telling(&self) -> bool {
        let program = self.read();
        let wanted: Vec<i64> = self.cases().map(|case| Self::wanted(&program, case)).collect();
        let mut distinct = wanted.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let plain = |[a, b]: [i64; 2]| [a, b, a + b, a - b, b - a, a * b, a.max(b), 0];
        let hits = |at: usize| {
            self.cases().zip(&wanted).filter(|(case, value)| plain(**case)[at] == **value).count()
        };
        let tell = |cases: &[[i64; 2]], other: &Program| {
            cases.iter().any(|case| run(other, case).0.ok() != Some(Self::wanted(&program, case)))
        };
        2 * distinct.len() > wanted.len()
            && (0..8).all(|at| 3 * hits(at) < wanted.len())
            && without_a_branch(&program.lines).into_iter().all(|lines| {
                let other = Program { lines, ..program.clone() };
                tell(&self.shown, &other) && tell(&self.hidden, &other)
            })
    }

    /// Limits of a run, for the prompt.
    fn limits() -> String {
        format!(
            "A run may take at most {FUEL} steps (one for each line executed, each round of a `repeat`, and each number, \
             variable and operator evaluated), and no value may go beyond 10^15 in either direction."
        )
    }

    fn listed(&self, line: impl Fn(&[i64; 2], i64) -> String) -> String {
        let program = self.read();
        self.shown.iter().map(|case| line(case, Self::wanted(&program, case))).lines()
    }
}

impl Problem for Examples {
    type Answer = Program;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("examples", |examples| {
            format!(
                "{LANGUAGE}\n\nA program in this language takes two inputs, a and b, which are integers from 0 to \
                 {LARGEST}. These are some of its results:\n\n{}\n\nWrite a program that returns the same results. It \
                 will also be tested on inputs that are not shown. The variables a and b hold the inputs when it starts. {}",
                examples.listed(|case, value| format!("{}: {value}", given(case))),
                Self::limits()
            )
        }),
        Template::plain("table", |examples| {
            format!(
                "Find the rule behind this table, in which a and b are integers from 0 to {LARGEST}:\n\n{}\n\nExpress \
                 the rule as a program in the following language. {LANGUAGE}\n\nThe variables a and b have their values \
                 when the program starts, and it must be right for every row, and for further rows that the table does \
                 not show. {}",
                examples.listed(|[a, b], value| format!("a = {a}, b = {b}, result = {value}")),
                Self::limits()
            )
        }),
        Template::plain("message", |examples| {
            format!(
                "We lost the source of a little function of a and b (integers from 0 to {LARGEST}), and I have to write it \
                 again from its log:\n\n{}\n\nOur scripting language is small. {LANGUAGE}\n\nCan you write a program that \
                 behaves the same way? The variables a and b are set before it runs, and I will try it on other inputs, \
                 too. {}",
                examples.listed(|[a, b], value| format!("f({a}, {b}) = {value}")),
                Self::limits()
            )
        }),
        Template::held_out_plain("lost", |examples| {
            format!(
                "The program of an antique calculating machine is lost, but some of its paper tape survives. The machine \
                 was given two integers from 0 to {LARGEST}, a and b:\n\n{}\n\nIts manual explains how it is programmed. \
                 {LANGUAGE}\n\nThe museum wants a new program, with a and b set at the start, that agrees with the old one \
                 on these numbers and on others that visitors try. {}",
                examples.listed(|case, value| format!("for {} it printed {value}", given(case))),
                Self::limits()
            )
        }),
        Template::held_out_plain("spec", |examples| {
            format!(
                "Language: {LANGUAGE}\n\nInputs: variables a and b, integers from 0 to {LARGEST}\n\nTests (a, b -> return \
                 value):\n{}\n\nThere are further, hidden tests of the same function. {}\n\nWrite a program that passes \
                 all tests.",
                examples.listed(|[a, b], value| format!("{a}, {b} -> {value}")),
                Self::limits()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("shown", &self.shown, 4..=30, "cases")?;
        check::length("hidden", &self.hidden, 4..=40, "cases")?;
        check::each(
            "shown",
            self.cases().flatten(),
            |input| (0..=LARGEST).contains(input),
            "inputs go from 0 to 49",
        )?;
        check::that(self.hidden.iter().all(|case| !self.shown.contains(case)), || {
            "`hidden` has a case that is shown".to_owned()
        })?;
        let program = drawing::checked(&self.program, 2)?;
        for case in self.cases() {
            check::that(fits(&program, case).0, || {
                format!("`program` has no fitting result for {}", given(case))
            })?;
        }
        Ok(())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        if let Some(case) = self.first_unfit(budget).map_err(|over| over.to_string())? {
            return Err(format!("`program` has no fitting result for {}", given(&case)));
        }
        Ok(Certificate::solvable("one program has a result for all inputs"))
    }

    fn form(&self) -> impl Form<Read = Program> {
        Written
    }

    /// The lines of the program, and its result for the first case.
    fn solution(&self) -> Solution {
        let program = self.read();
        let check = |case: &[i64; 2]| {
            format!("For {} the program returns {}", given(case), Self::wanted(&program, case))
        };
        Solution::new(self.shown.iter().map(check), &self.program)
    }

    /// The cases come first, since they refute most wrong programs; then every input, up to a wrong result.
    fn verify(&self, answer: Program, budget: &mut Budget) -> Judged {
        let program = self.read();
        let count = self.cases().count();
        let (mut right, mut tried, mut first) = (0, 0, None);
        for (at, case) in self.cases().copied().chain(all_inputs()).enumerate() {
            if at >= count && first.is_some() {
                break;
            }
            tried += 1;
            let (Ok(wanted), _) = run(&program, &case) else { continue };
            let (found, steps) = run(&answer, &case);
            budget.spend(steps)?;
            if found == Ok(wanted) {
                right += 1;
            } else if first.is_none() {
                let hidden = at >= self.shown.len();
                // A failure never reveals a hidden case.
                let what =
                    if hidden { "on a hidden case".to_owned() } else { format!("for {}", given(&case)) };
                first = Some(match found {
                    Err(halt) => {
                        Failure::wrong(format!("{what} the program fails: {halt}")).also("no_result")
                    }
                    Ok(_) if hidden => Failure::wrong(format!("{what} the program returns a wrong number"))
                        .also("hidden_case"),
                    Ok(value) => Failure::wrong(format!("{what} the program returns {value}, not {wanted}"))
                        .also("shown_case"),
                });
            }
        }
        first.map_or(Ok(()), |verdict| Err(verdict.part("cases_right", right as f32 / tried as f32)))
    }

    /// The program with a line that has no effect.
    fn another(&self, rng: &mut Rng) -> Option<Program> {
        let line = format!("idle = {}\n{}", rng.int(0, 9), self.program);
        Program::read(&line, &inputs(2)).ok()
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Program> {
        let read = |text: &str| Program::read(text, &inputs(2)).ok();
        let digits: Vec<usize> = self
            .program
            .bytes()
            .enumerate()
            .filter(|(_, byte)| byte.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let mut slipped = || {
            let mut text = self.program.clone();
            for at in faults.draw(digits.len().max(1), rng) {
                let at = *digits.get(at)?;
                let digit = (text.as_bytes()[at] - b'0' + 1) % 10;
                text.replace_range(at..=at, &digit.to_string());
            }
            read(&text)
        };
        let mut misses: Vec<Option<Program>> = vec![slipped(), slipped(), slipped()];
        // A lookup table of the shown cases.
        misses.push(read(
            &self
                .listed(|[a, b], value| format!("if a == {a} and b == {b} {{ return {value} }}"))
                .replace('\n', " "),
        ));
        misses.extend([read("return a + b"), read("return 0"), read(&format!("{} + 1", self.program))]);
        misses.push(read(&self.program.replacen('+', "-", 1)));
        // Each has another result than the program for some input.
        let program = self.read();
        let differs = |miss: &Program| {
            all_inputs().any(|case| run(miss, &case).0.ok() != Some(Self::wanted(&program, &case)))
        };
        misses.into_iter().flatten().filter(differs).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Program)> {
        let read = |text: &str| Program::read(text, &inputs(2)).expect("it is a program");
        let (p, q) = (rng.int(2, 9), rng.int(2, 9));
        vec![
            ("the sum", read("return a + b")),
            ("the larger one", read("if a > b { return a } return b")),
            ("a sum of multiples", read(&format!("return {p} * a + b + {q}"))),
            ("a product", read(&format!("return a * b + {p}"))),
        ]
    }

    /// Exchanges the inputs, and shown and hidden cases if they still determine the program.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        if rng.chance(1, 2) {
            twin.program = exchanged(&self.read(), &[1, 0]).to_string();
            twin.shown.iter_mut().chain(&mut twin.hidden).for_each(|case| case.reverse());
        }
        let mut cases: Vec<[i64; 2]> = twin.cases().copied().collect();
        rng.shuffle(&mut cases);
        let hidden = cases.split_off(self.shown.len());
        let shuffled = Self { shown: cases, hidden, ..twin.clone() };
        if shuffled.is_telling() { shuffled } else { twin }
    }

    /// The program alone: it is the answer, whichever cases are shown.
    fn fingerprint(&self) -> Vec<u8> {
        identity(&self.read(), |program, _| program.to_string()).into_bytes()
    }

    /// Every pair of parts of the program, and a run on each shown case.
    fn effort(&self) -> Effort {
        let program = self.read();
        let nodes = program.nodes() as u64;
        let steps: u64 = self.shown.iter().map(|case| run(&program, case).1).sum();
        Effort::new(nodes * nodes + steps / 10, 1_500)
    }
}

/// A program as the answer.
struct Written;

impl Form for Written {
    type Read = Program;

    fn asks(&self) -> String {
        format!("Write nothing but the program, which finds its inputs in {} and {},", INPUTS[0], INPUTS[1])
    }

    fn read(&self, text: &str) -> Result<Program, Failure> {
        Program::read(text, &inputs(2)).map_err(Failure::malformed)
    }

    fn write(&self, answer: &Program) -> String {
        answer.to_string()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("```python\n{right}\n```"),
            format!("def f(a, b):\n{right}"),
            format!("{right}\n{right}"),
            format!("{right}\nreturn 0"),
            format!("{right};;x"),
            format!("{right}."),
            format!("{{\n{right}\n}}"),
            right.replace("return ", "print "),
            right.replace(" = ", " := "),
            right.replace("return", "Return"),
        ]);
        // A program of one line has no assignment to spoil.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_never_take_a_branch_do_not_tell() {
        let program = "if b + a > 20 {\n    r = b + 7\n} else {\n    r = a * 7\n}\nreturn 5 * r + 29";
        let high = [[48, 5], [60, 91], [96, 39], [23, 35], [59, 69]];
        let low = [[3, 4], [9, 11], [7, 2]];
        let telling = |shown: &[[i64; 2]], hidden: &[[i64; 2]]| {
            let (shown, hidden) = (shown.to_vec(), hidden.to_vec());
            Examples { program: program.to_owned(), shown, hidden }.is_telling()
        };
        let both = [&high[..], &low[..]].concat();
        let others: Vec<_> = both.iter().map(|[a, b]| [a + 1, b - 1]).collect();
        assert!(telling(&both, &others));
        assert!(!telling(&high, &both));
        assert!(!telling(&both, &high));
        let without = |text: &str| without_a_branch(&Program::read(text, &inputs(2)).unwrap().lines).len();
        assert_eq!(without(program), 2);
        assert_eq!(
            without("while a > 0 { if b { a = 0 } else { if a { b = 1 } else { b = 2 } } } return b"),
            4
        );
        assert_eq!(without("if a % 10 > 9 { b = 1 } return b"), 1);
    }

    #[test]
    fn hidden_cases_decide() {
        let examples = Examples {
            program: "if a > b {\n    return a - b\n}\nreturn b".to_owned(),
            shown: vec![[1, 5], [2, 7], [0, 3], [4, 9]],
            hidden: vec![[9, 2], [5, 5], [1, 2], [3, 0]],
        };
        examples.check().unwrap();
        let judge = |text: &str| kit::testing::verdict(&examples, text);
        for (text, label) in [
            ("if a <= b { return b } else { return a - b }", None),
            ("if not a > b { return b } return a - b", None),
            ("return b", Some("hidden_case")),
            ("return a + b", Some("shown_case")),
            ("return a / (b - 5)", Some("no_result")),
            ("while 1 { a = a + 0 } return b", Some("no_result")),
            ("c = b", Some("no_result")),
            ("return b or so", Some("no_result")),
            ("max(a, b)", Some("malformed_answer")),
        ] {
            assert_eq!(judge(text).failures.last().copied(), label, "{text}");
        }
        assert_eq!(judge("return b").parts, [("cases_right", 0.75)]);
        assert!(!judge("return b").detail.contains('9'));
    }
}
