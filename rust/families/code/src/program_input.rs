//! Find inputs for which a program returns a given number.

use super::drawing::{self, Draw, exchanged, given, identity, is_plain, renamed};
use kit::shared::program::{LANGUAGE, Program, Traced};
use kit::task::prelude::*;

pub struct ProgramInput;

params! {
    pub struct ProgramInputParams {
        /// Lines before the final `return`, a block counting as one.
        lines: u32 [0..=10],
        /// Depth to which blocks are nested.
        depth: u32 [0..=2],
        /// Largest input; the smallest is 0.
        largest: u32 [9..=60],
    }
    levels {
        (0, 0, 15),
        (1, 0, 16),
        (2, 0, 16),
        (2, 0, 22),
        (3, 1, 22),
        (3, 1, 28),
        (4, 1, 32),
        (5, 1, 40),
        (8, 2, 60),
    }
    default 4
}

/// A program of two inputs, the largest input allowed, the required result, and inputs that lead to it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    program: String,
    largest: i64,
    result: i64,
    planted: [i64; 2],
}

/// At most one in this many pairs of inputs may be right.
const SELDOM: i64 = 50;
/// Programs that run longer are not drawn.
const MOST_STEPS: u64 = 1_000;

impl TaskFamily for ProgramInput {
    type Params = ProgramInputParams;
    type Problem = Target;

    const ABOUT: About = About {
        summary: "Find inputs for which a program returns a given number.",
        distinct_from: 2,
        judged_by: JudgedBy::Execution,
        failures: &[
            ("out_of_range", "an input below 0 or above the largest allowed"),
            ("other_result", "the program returns a different number"),
            ("no_result", "the program fails or does not finish on these inputs"),
        ],
        guess_rate: 0.026,
        guess_score: 0.026,
        skills: &["inversion", "simulation", "search"],
        ..About::new("code", "program_input", &["First version."])
    };

    /// Draws the inputs first, so that all are equally likely, then programs until one returns a result for
    /// them that few other inputs lead to.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Target> {
        let largest = i64::from(params.largest);
        let most = (largest + 1) * (largest + 1) / SELDOM;
        // Few inputs lead to the smallest and largest results, and those are easy to guess.
        let corner = |inputs: [i64; 2]| inputs.iter().all(|input| *input < 2 || *input > largest - 2);
        loop {
            budget.spend(100)?;
            let planted = [rng.int(2, largest - 2), rng.int(2, largest - 2)];
            let program = Draw::program(rng, 2, params.lines as usize, params.depth, 5);
            let (result, steps) = drawing::run(&program, &planted);
            let Ok(result) = result else { continue };
            if steps > MOST_STEPS || !is_plain(result) || result.abs() < 10 {
                continue;
            }
            let drawn = Target { program: program.to_string(), largest, result, planted };
            if drawn.check().is_err() || !budget.wants(|| drawn.fingerprint())? {
                continue;
            }
            let mut alike = 0;
            let mut is_seldom = true;
            for inputs in (0..=largest).flat_map(|a| (0..=largest).map(move |b| [a, b])) {
                let (other, steps) = drawing::run(&program, &inputs);
                budget.spend(steps)?;
                alike += i64::from(other == Ok(result));
                let is_guessed = other == Ok(result) && corner(inputs);
                if steps > MOST_STEPS || alike > most || is_guessed {
                    is_seldom = false;
                    break;
                }
            }
            if is_seldom {
                return Ok(drawn);
            }
        }
    }
}

impl Target {
    fn read(&self) -> Program {
        drawing::checked(&self.program, 2).expect("it was checked")
    }

    /// Steps of all runs until inputs with the required result are found, from small to large.
    fn searched(&self) -> u64 {
        let (program, mut steps) = (self.read(), 0);
        for inputs in (0..=self.largest).flat_map(|a| (0..=self.largest).map(move |b| [a, b])) {
            let (result, taken) = drawing::run(&program, &inputs);
            steps += taken;
            if result == Ok(self.result) {
                break;
            }
        }
        steps
    }

    fn asked(&self) -> String {
        format!(
            "Find integers a and b, each from 0 to {}, for which the program returns {}. Any such pair will do.",
            self.largest, self.result
        )
    }
}

impl Problem for Target {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("program", |target| {
            format!(
                "{LANGUAGE}\n\nThis program takes two inputs, a and b:\n\n{}\n\n{}",
                target.program,
                target.asked()
            )
        }),
        Template::plain("backwards", |target| {
            format!(
                "Work backward through the following program, in which a and b have values from the start.\n\n{}\n\n\
                 {LANGUAGE}\n\n{}",
                target.program,
                target.asked()
            )
        }),
        Template::plain("message", |target| {
            format!(
                "I need a test case for a program in a tiny language. {LANGUAGE}\n\nThe program gets a and b as \
                 inputs:\n\n{}\n\nWhat can I set a and b to so that it returns {}? Both have to be integers from 0 to {}. \
                 Any pair that works is fine.",
                target.program, target.result, target.largest
            )
        }),
        Template::held_out_plain("note", |target| {
            format!(
                "A robot follows instructions on slips of paper like this one:\n\n{}\n\nIt reads them as follows. \
                 {LANGUAGE}\n\nBefore the robot started, somebody gave it two integers from 0 to {}, a and b. It has just \
                 reported {}. What could a and b have been? Any pair that leads to this result will do.",
                target.program, target.largest, target.result
            )
        }),
        Template::held_out_plain("spec", |target| {
            format!(
                "Language: {LANGUAGE}\n\nProgram:\n\n{}\n\nInputs: integers a and b with 0 <= a <= {} and 0 <= b <= {}\n\
                 Required return value: {}\n\nFind any inputs that meet the requirement.",
                target.program, target.largest, target.largest, target.result
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::within("largest", &self.largest, 5..=60)?;
        check::each(
            "planted",
            &self.planted,
            |input| (0..=self.largest).contains(input),
            "inputs go from 0 to `largest`",
        )?;
        check::that(is_plain(self.result.clamp(i64::MIN + 1, i64::MAX)), || {
            "`result` is too large a number".to_owned()
        })?;
        let program = drawing::checked(&self.program, 2)?;
        let found = drawing::run(&program, &self.planted).0;
        check::that(found == Ok(self.result), || "`planted` does not lead to `result`".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let (found, _) = drawing::run(&self.read(), &self.planted);
        check::that(found == Ok(self.result), || "`planted` does not lead to `result`".to_owned())?;
        Ok(Certificate::solvable(format!(
            "with {} the program returns {}",
            given(&self.planted),
            self.result
        )))
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers { count: 2, what: "inputs, a first and then b" }
    }

    /// The run with these inputs, step by step.
    fn solution(&self) -> Solution {
        let program = self.read();
        let mut steps = vec![format!("Try {}", given(&self.planted))];
        let mut fuel = Budget::new(drawing::FUEL);
        let result = program.trace(&self.planted, &mut fuel, &mut |traced| {
            steps.push(match traced {
                Traced::Set(at, value) => format!("{} = {value}", program.names[at]),
                Traced::Asked(holds) => format!("the condition is {holds}"),
            });
        });
        steps.push(format!("The program returns {}", result.unwrap_or_default()));
        Solution::new(steps, self.form().write(&self.planted.to_vec()))
    }

    fn verify(&self, answer: Vec<i64>, budget: &mut Budget) -> Judged {
        if let Some(input) = answer.iter().find(|input| !(0..=self.largest).contains(*input)) {
            let detail = format!("{input} is not between 0 and {}", self.largest);
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also("out_of_range"));
        }
        let (found, steps) = drawing::run(&self.read(), &answer);
        budget.spend(steps)?;
        match found {
            Ok(result) if result == self.result => Ok(()),
            Ok(result) => {
                let detail =
                    format!("with {} the program returns {result}, not {}", given(&answer), self.result);
                Err(Failure::wrong(detail).also("other_result"))
            }
            Err(halt) => Err(Failure::wrong(format!("with {} the program fails: {halt}", given(&answer)))
                .also("no_result")),
        }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let program = self.read();
        let mut slipped = || {
            let mut inputs = self.planted.to_vec();
            for at in faults.draw(2, rng) {
                inputs[at] += *rng.pick(&[-2, -1, 1, 2]);
            }
            inputs
        };
        let mut misses = vec![slipped(), slipped(), slipped()];
        misses.push(vec![self.planted[0], self.largest + 1]);
        misses.extend([vec![-1, self.planted[1]], vec![-self.planted[0], self.planted[1]]]);
        let right = |inputs: &[i64]| {
            inputs.iter().all(|input| (0..=self.largest).contains(input))
                && drawing::run(&program, inputs).0 == Ok(self.result)
        };
        misses.retain(|inputs| !right(inputs));
        misses
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<i64>> {
        let program = self.read();
        let mut drawn = (0..500).map(|_| vec![rng.int(0, self.largest), rng.int(0, self.largest)]);
        drawn.find(|inputs| drawing::run(&program, inputs).0 == Ok(self.result))
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let any = vec![rng.int(0, self.largest), rng.int(0, self.largest)];
        vec![("any inputs", any), ("nothing", vec![0, 0]), ("the largest", vec![self.largest; 2])]
    }

    /// Renames the variables and possibly exchanges the inputs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (mut program, [a, b]) = (renamed(&self.read(), rng), self.planted);
        let mut planted = self.planted;
        if rng.chance(1, 2) {
            (program, planted) = (exchanged(&program, &[1, 0]), [b, a]);
        }
        Self { program: program.to_string(), planted, ..*self }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let program = identity(&self.read(), |program, _| program.anonymous());
        format!("{} {} {program}", self.largest, self.result).into_bytes()
    }

    /// Steps of all runs until inputs are found, from small to large.
    fn effort(&self) -> Effort {
        Effort::new(self.searched(), 15_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_inputs_that_lead_there_pass() {
        let program = "if a > b {\n    a = a - b\n}\nreturn 10 * a + b".to_owned();
        let target = Target { program, largest: 9, result: 34, planted: [7, 4] };
        target.check().unwrap();
        let labels = ["7, 4", "3, 4", "4, 7", "3, 14", "-3, 4", "34"].map(|text| {
            let read = target.form().read(text);
            let judged = read.and_then(|answer| target.verify(answer, &mut Budget::new(10_000)));
            judged.map_or_else(|verdict| *verdict.failures.last().unwrap(), |()| "right")
        });
        assert_eq!(
            labels,
            ["right", "right", "other_result", "out_of_range", "out_of_range", "malformed_answer"]
        );
        let failing =
            Target { program: "return 34 / (a - 3)".to_owned(), largest: 9, result: 34, planted: [4, 0] };
        let verdict = failing.verify(vec![3, 0], &mut Budget::new(10_000)).unwrap_err();
        assert_eq!(verdict.detail, "with a = 3 and b = 0 the program fails: 34 is divided by 0");
    }
}
