//! Trace a program and give the number it returns.

use super::drawing::{self, Draw, INPUTS, exchanged, given, identity, is_plain, moved, renamed};
use kit::shared::program::{LANGUAGE, Program, Traced};
use kit::task::permutation;
use kit::task::prelude::*;

pub struct ProgramOutput;

params! {
    pub struct ProgramOutputParams {
        /// Lines before the final `return`, a block counting as one.
        lines: u32 [1..=12],
        /// Depth to which blocks are nested.
        depth: u32 [0..=3],
        /// Fewest assignments that are executed; there are up to half as many more.
        settings: u32 [1..=150],
        /// Largest input; the smallest is 3.
        largest: u32 [9..=40],
    }
    levels {
        (1, 0, 1, 12),
        (2, 0, 2, 20),
        (3, 0, 3, 40),
        (4, 1, 4, 40),
        (5, 1, 7, 40),
        (6, 1, 11, 40),
        (6, 2, 17, 40),
        (7, 2, 26, 40),
        (8, 2, 40, 40),
        (9, 3, 60, 40),
        (10, 3, 90, 40),
    }
    default 4
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    program: String,
    inputs: Vec<i64>,
}

const MOST_SETTINGS: usize = 500;

impl TaskFamily for ProgramOutput {
    type Params = ProgramOutputParams;
    type Problem = Call;

    const ABOUT: About = About {
        summary: "Trace a program in a small language and give the number it returns.",
        failures: &[("value_on_the_way", "a value that a variable takes along the way, or an input")],
        skills: &["simulation", "bookkeeping", "control_flow"],
        guess_rate: 0.102,
        guess_score: 0.102,
        ..About::new("code", "program_output", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Call> {
        loop {
            budget.spend(100)?;
            let inputs: Vec<i64> = (0..2).map(|_| rng.int(3, params.largest.into())).collect();
            let rounds = 3 + i64::from(params.settings) / 8;
            let program = Draw::program(rng, 2, params.lines as usize, params.depth, rounds);
            let drawn = Call { program: program.to_string(), inputs };
            let wanted = params.settings as usize..=(params.settings + params.settings / 2 + 1) as usize;
            let Ok((lines, _)) = drawn.traced(&program) else { continue };
            budget.spend(lines.len() as u64)?;
            let sets = lines.iter().filter(|(set, _)| set.is_some()).count();
            if wanted.contains(&sets) && drawn.check().is_ok() && !drawn.is_given_away(&program) {
                return Ok(drawn);
            }
        }
    }
}

impl Call {
    fn read(&self) -> Program {
        drawing::checked(&self.program, self.inputs.len()).expect("it was checked")
    }

    /// The run in order, each event with the variable it sets, if any, and its line of the solution; then the
    /// result.
    #[expect(clippy::type_complexity, reason = "a list and a number")]
    fn traced(&self, program: &Program) -> Result<(Vec<(Option<(usize, i64)>, String)>, i64), String> {
        let mut lines = Vec::new();
        let mut fuel = Budget::new(drawing::FUEL);
        let result = program.trace(&self.inputs, &mut fuel, &mut |traced| {
            lines.push(match traced {
                Traced::Set(at, value) => (Some((at, value)), format!("{} = {value}", program.names[at])),
                Traced::Asked(true) => (None, "the condition is true".to_owned()),
                Traced::Asked(false) => (None, "the condition is false".to_owned()),
            });
        });
        Ok((lines, result.map_err(|halt| halt.to_string())?))
    }

    fn value(&self) -> i64 {
        drawing::run(&self.read(), &self.inputs).0.unwrap_or_default()
    }

    /// True if the result is an input, an intermediate value or a small number, or if the run begins with a
    /// repetition.
    fn is_given_away(&self, program: &Program) -> bool {
        let Ok((lines, result)) = self.traced(program) else { return true };
        let on_the_way = lines.iter().any(|(set, _)| set.is_some_and(|(_, value)| value == result));
        let twice = lines.len() > 1 && lines[0].1 == lines[1].1;
        on_the_way || twice || self.inputs.contains(&result) || result.abs() < 10
    }
}

impl Problem for Call {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("program", |call| {
            format!(
                "{LANGUAGE}\n\nThis program is run with {}:\n\n{}\n\nWhat does it return?",
                given(&call.inputs),
                call.program
            )
        }),
        Template::plain("trace", |call| {
            format!(
                "Trace the following program, which starts with {}.\n\n{}\n\n{LANGUAGE}\n\nWhich number does the program \
                 return?",
                given(&call.inputs),
                call.program
            )
        }),
        Template::plain("message", |call| {
            format!(
                "Could you run something in your head for me? I can't get at the interpreter right now. The language is \
                 tiny. {LANGUAGE}\n\nHere is the program:\n\n{}\n\nWith {} set at the start, what comes back?",
                call.program,
                given(&call.inputs)
            )
        }),
        Template::held_out_plain("note", |call| {
            format!(
                "A robot follows instructions on slips of paper. This is the one it has just been handed, together with \
                 the values {}:\n\n{}\n\nIt reads its instructions as follows. {LANGUAGE}\n\nWhat number does the robot \
                 report at the end?",
                given(&call.inputs),
                call.program
            )
        }),
        Template::held_out_plain("spec", |call| {
            format!(
                "Language: {LANGUAGE}\n\nProgram:\n\n{}\n\nInput: {}\n\nDetermine the return value.",
                call.program,
                given(&call.inputs)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("inputs", &self.inputs, 1..=INPUTS.len(), "numbers")?;
        check::each(
            "inputs",
            &self.inputs,
            |input| (-1_000..=1_000).contains(input),
            "inputs go from -1000 to 1000",
        )?;
        let program = drawing::checked(&self.program, self.inputs.len())?;
        let (lines, result) = self.traced(&program).map_err(|halt| format!("`program`: {halt}"))?;
        check::within("program", &lines.len(), 1..=MOST_SETTINGS)?;
        check::that(is_plain(result), || "`program` returns too large a number".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let program = self.read();
        let result = program.run(&self.inputs, budget).map_err(|halt| format!("`program`: {halt}"))?;
        Ok(Certificate::unique(format!("the program ends and returns {result}")))
    }

    /// Duplicates or removes a line, or changes an input.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        loop {
            budget.spend(10_000).ok()?;
            let (mut mutated, mut program) = (self.clone(), self.read());
            let at = rng.index(program.lines.len());
            match aim {
                Aim::Same => mutated.inputs[rng.index(self.inputs.len())] += *rng.pick(&[-1, 1]),
                Aim::Harder => program.lines.insert(at, program.lines[rng.index(at.max(1))].clone()),
                Aim::Easier => drop(program.lines.remove(at)),
            }
            mutated.program = program.to_string();
            if mutated.check().is_ok() {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn solution(&self) -> Solution {
        let (lines, value) = self.traced(&self.read()).unwrap_or_default();
        Solution::new(lines.into_iter().map(|(_, line)| line), value)
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let (lines, value) = self.traced(&self.read()).unwrap_or_default();
        if answer == value {
            return Ok(());
        }
        let wrong = Failure::wrong(format!("the program does not return {answer}"));
        let on_the_way = lines.iter().any(|(set, _)| set.is_some_and(|(_, value)| value == answer));
        Err(if on_the_way || self.inputs.contains(&answer) { wrong.also("value_on_the_way") } else { wrong })
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let value = self.value();
        let mut slipped = self.clone();
        slipped.inputs[rng.index(self.inputs.len())] += 1;
        let mut near = vec![value + 1, value - 1, -value, 2 * value, self.inputs[0]];
        near.extend(slipped.check().is_ok().then(|| slipped.value()));
        near.retain(|near| *near != value);
        near
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let sum = self.inputs.iter().sum();
        vec![
            ("an input", *rng.pick(&self.inputs)),
            ("the inputs together", sum),
            ("a number that is likely", rng.int(0, 60)),
        ]
    }

    /// Renames the variables and exchanges the inputs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let order = permutation::random(self.inputs.len(), rng);
        let program = exchanged(&renamed(&self.read(), rng), &order);
        Self { program: program.to_string(), inputs: moved(&self.inputs, &order) }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let call = |program: &Program, order: &[usize]| {
            format!("{:?} {}", moved(&self.inputs, order), program.anonymous())
        };
        identity(&self.read(), call).into_bytes()
    }

    /// Steps of the run.
    fn effort(&self) -> Effort {
        Effort::new(drawing::run(&self.read(), &self.inputs).1, 150)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        let (lines, _) = self.traced(&self.read()).unwrap_or_default();
        Some(Box::new(Followed { lines: lines.into_iter().map(|(_, line)| line).collect(), at: 0 }))
    }
}

/// Judges steps that state the next event: `x = 7`, or that a condition is true or false.
struct Followed {
    lines: Vec<String>,
    at: usize,
}

impl StepJudge for Followed {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let next = self.lines.get(self.at).ok_or("nothing more happens")?;
        let said: Vec<&str> = step.split_whitespace().collect();
        if said == next.split_whitespace().collect::<Vec<_>>() {
            self.at += 1;
            return Ok(StepVerdict::advances());
        }
        Err(format!("`{}` is not what happens after {} steps", quoted(step), self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_line_by_line() {
        let program = "x = 0\nwhile a > 0 {\n    x = x + a * 10\n    a = a / 2\n}\nreturn x - 1";
        let call = Call { program: program.to_owned(), inputs: vec![5] };
        call.check().unwrap();
        let steps = call.solution().steps;
        assert_eq!(steps[..4], ["x = 0", "the condition is true", "x = 50", "a = 2"]);
        assert_eq!((steps.len(), call.value()), (11, 79));
        let verdict = call.verify(70, &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.failures, ["wrong_answer", "value_on_the_way"]);
        for (program, why) in [
            ("return  a", "four spaces"),
            ("while 1 {\n    a = 1\n}", "more steps"),
            ("return b", "used before it is set"),
            ("return", "`program`"),
        ] {
            let call = Call { program: program.to_owned(), inputs: vec![5] };
            assert!(call.check().unwrap_err().contains(why), "{program}: {:?}", call.check());
        }
    }
}
