//! Follow a program of a stack machine and tell what is on the stack in the end.

use std::fmt;

use kit::task::permutation;
use kit::task::prelude::*;

pub struct StackMachineTrace;

params! {
    pub struct StackMachineTraceParams {
        /// Instructions of the program.
        instructions: u32 [6..=120],
        /// Numbers are kept below this, as remainders.
        modulus: u32 [10..=1_000],
    }
    levels {
        (8, 100),
        (11, 100),
        (15, 100),
        (22, 100),
        (34, 100),
        (55, 100),
        (90, 100),
    }
    default 2
}

/// What the machine can do. The top of the stack is called a, what lies below it b, and c below that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Instruction {
    Push(u32),
    Drop,
    Dup,
    Swap,
    Over,
    Rot,
    Add,
    Sub,
    Mul,
    Max,
}

use Instruction::{Add, Drop, Dup, Max, Mul, Over, Push, Rot, Sub, Swap};

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Push(number) => write!(f, "push {number}"),
            Drop => f.write_str("drop"),
            Dup => f.write_str("dup"),
            Swap => f.write_str("swap"),
            Over => f.write_str("over"),
            Rot => f.write_str("rot"),
            Add => f.write_str("add"),
            Sub => f.write_str("sub"),
            Mul => f.write_str("mul"),
            Max => f.write_str("max"),
        }
    }
}

/// What each instruction means, for the prompt.
const MEANINGS: [&str; 10] = [
    "push n: puts n on top",
    "drop: takes a away",
    "dup: puts a second a on top",
    "swap: exchanges a and b",
    "over: puts a second b on top",
    "rot: takes c out and puts it on top",
    "add: replaces a and b by b + a",
    "sub: replaces a and b by b - a",
    "mul: replaces a and b by b * a",
    "max: replaces a and b by the larger of the two",
];

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    instructions: Vec<Instruction>,
    modulus: u32,
}

const DEEPEST: usize = 6;

impl TaskFamily for StackMachineTrace {
    type Params = StackMachineTraceParams;
    type Problem = Program;

    const ABOUT: About = About {
        summary: "Follow a program of a stack machine and tell what is on the stack in the end.",
        failures: &[
            ("reversed", "the right numbers from the top down"),
            ("operands_exchanged", "the stack if differences were taken the other way round"),
            ("not_reduced", "right but for multiples of the modulus"),
        ],
        parts: &[Part::new("places", "share of the places of the stack that hold the right number")],
        skills: &["state_tracking", "program_execution", "modular_arithmetic"],
        guess_rate: 0.001,
        guess_score: 0.001,
        ..About::new("algorithms", "stack_machine_trace", &["First version."])
    };

    /// Drawn instruction by instruction, each one that the depth of the stack allows, until two to four numbers are left
    /// that depend on the order of differences and are not simply those pushed last.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Program> {
        loop {
            budget.spend(u64::from(params.instructions))?;
            let (mut instructions, mut depth) = (Vec::new(), 0);
            while instructions.len() < params.instructions as usize {
                let push = Push(rng.int(2, i64::from(params.modulus) - 1) as u32);
                let kinds = [push, Drop, Dup, Swap, Over, Rot, Add, Sub, Mul, Max];
                let weights = [7, 1, 2, 3, 3, 3, 3, 3, 2, 1];
                let instruction = kinds[rng.weighted(&weights)];
                let (needs, grows) = instruction.stack();
                if depth >= needs
                    && depth + usize::from(grows > 0) <= DEEPEST
                    && instructions.last() != Some(&Swap)
                    || instruction != Swap && depth >= needs && depth + usize::from(grows > 0) <= DEEPEST
                {
                    depth = depth.saturating_add_signed(grows);
                    instructions.push(instruction);
                }
            }
            let program = Program { instructions, modulus: params.modulus };
            let right = program.last();
            if program.check().is_ok()
                && (2..=4).contains(&right.len())
                && program.exchanged() != right
                && program.pushed(right.len()) != right
                && right.iter().any(|number| *number != right[0])
            {
                return Ok(program);
            }
        }
    }

    fn certify(&self, program: &Program, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("the program leaves {}", told(&program.last()))))
    }

    /// With an instruction more or less, or with another number pushed.
    fn mutate(&self, program: &Program, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Program> {
        let mut mutated = program.clone();
        let at = rng.index(program.instructions.len());
        match aim {
            Aim::Harder => mutated.instructions.insert(at, *rng.pick(&[Dup, Over, Rot, Swap, Add, Sub, Mul])),
            Aim::Easier => drop(mutated.instructions.remove(at)),
            Aim::Same => {
                if let Push(number) = &mut mutated.instructions[at] {
                    *number = rng.int(2, i64::from(program.modulus) - 1) as u32;
                }
            }
        }
        Some(if mutated.check().is_ok() { mutated } else { program.clone() })
    }
}

impl Instruction {
    /// How many numbers must be on the stack, and how many more there are afterwards.
    fn stack(self) -> (usize, isize) {
        match self {
            Push(_) => (0, 1),
            Drop => (1, -1),
            Dup => (1, 1),
            Swap => (2, 0),
            Over => (2, 1),
            Rot => (3, 0),
            Add | Sub | Mul | Max => (2, -1),
        }
    }

    /// Does to the stack what the instruction means.
    fn run(self, stack: &mut Vec<u32>, modulus: u32) {
        let mut pop = || stack.pop().expect("`check` has counted the stack");
        match self {
            Push(number) => stack.push(number),
            Drop => drop(pop()),
            Dup => stack.extend(stack.last().copied()),
            Swap | Over | Rot | Add | Sub | Mul | Max => {
                let (a, b) = (pop(), pop());
                match self {
                    Swap => stack.extend([a, b]),
                    Over => stack.extend([b, a, b]),
                    Rot => {
                        let c = pop();
                        stack.extend([b, a, c]);
                    }
                    Add => stack.push((a + b) % modulus),
                    Sub => stack.push((b + modulus - a) % modulus),
                    Mul => stack.push(a * b % modulus),
                    _ => stack.push(a.max(b)),
                }
            }
        }
    }

    /// What somebody may do instead.
    fn confused(self) -> Vec<Self> {
        match self {
            Push(_) => vec![self, Swap],
            Drop => vec![Swap, Drop],
            Dup => vec![Over],
            Swap => vec![Swap, Swap],
            Over => vec![Dup],
            Rot => vec![Rot, Rot],
            Add => vec![Mul],
            Sub => vec![Swap, Sub],
            Mul => vec![Add],
            Max => vec![Drop],
        }
    }
}

fn told(stack: &[u32]) -> String {
    if stack.is_empty() {
        return "nothing".to_owned();
    }
    stack.iter().map(u32::to_string).joined(" ")
}

impl Program {
    /// The stack after each of these instructions of the program, the bottom first.
    fn run(&self, mut stack: Vec<u32>, instructions: &[Instruction]) -> Vec<Vec<u32>> {
        let run = |instruction: &Instruction| {
            instruction.run(&mut stack, self.modulus);
            stack.clone()
        };
        instructions.iter().map(run).collect()
    }

    fn stacks(&self) -> Vec<Vec<u32>> {
        self.run(Vec::new(), &self.instructions)
    }

    fn last(&self) -> Vec<u32> {
        self.stacks().pop().expect("there are instructions")
    }

    /// What is left if b is taken from a.
    fn exchanged(&self) -> Vec<u32> {
        let exchange = |instruction: &Instruction| match instruction {
            Sub => Sub.confused(),
            other => vec![*other],
        };
        let instructions: Vec<Instruction> = self.instructions.iter().flat_map(exchange).collect();
        self.run(Vec::new(), &instructions).pop().expect("there are instructions")
    }

    /// The numbers that are pushed last, as many as asked; zeros where there are fewer.
    fn pushed(&self, count: usize) -> Vec<u32> {
        let pushed = self.instructions.iter().filter_map(|instruction| match instruction {
            Push(number) => Some(*number),
            _ => None,
        });
        let pushed: Vec<u32> = std::iter::repeat_n(0, count).chain(pushed).collect();
        pushed[pushed.len() - count..].to_vec()
    }

    fn lines(&self) -> String {
        self.instructions.iter().map(Instruction::to_string).lines()
    }

    fn written(&self, stacks: &[Vec<u32>]) -> Vec<String> {
        let step =
            |(instruction, stack): (&Instruction, &Vec<u32>)| format!("{instruction}: {}", told(stack));
        self.instructions.iter().zip(stacks).map(step).collect()
    }
}

fn signed(stack: &[u32]) -> Vec<i64> {
    stack.iter().map(|number| i64::from(*number)).collect()
}

/// Judges steps like "swap: 7 3", one for each instruction, in order.
struct Tracing {
    steps: Vec<String>,
    next: usize,
}

impl StepJudge for Tracing {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        if !step.contains(':') {
            return Err(format!("`{}` is not a step like `push 7: 7`", quoted(step)));
        }
        let (done, open) = self.steps.split_at(self.next);
        let is_step = |right: &String| step.split_whitespace().eq(right.split_whitespace());
        match open.first() {
            Some(right) if is_step(right) => {
                self.next += 1;
                Ok(StepVerdict::advances())
            }
            _ if done.iter().any(is_step) => Ok(StepVerdict::idle("true, but it has been said")),
            Some(_) => Err(format!("this is not what instruction {} does to the stack", self.next + 1)),
            None => Err("all instructions have been run".to_owned()),
        }
    }
}

impl Problem for Program {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("machine", |program| {
            let (modulus, last) = (program.modulus, program.modulus - 1);
            format!(
                "A machine has a stack, which is empty at first. In the meaning of its instructions a is the number on top of \
                 the stack, b the one below it and c the one below that.\n\n{}\n\nEvery result is taken modulo {modulus}, as a number \
                 from 0 to {last}; so 3 - 5 is {}. The machine runs this program:\n\n{}\n\nWhat is on the stack in the end, \
                 from the bottom to the top?",
                MEANINGS.join("\n"),
                modulus - 2,
                program.lines()
            )
        }),
        Template::plain("line", |program| {
            format!(
                "Run this program on an empty stack:\n\n{}\n\nFor the instructions, with a on top of the stack, b under it and c \
                 under b: {}. Numbers are kept from 0 to {} by taking the remainder after division by {}; a remainder is never \
                 negative. Which numbers does the stack hold afterwards, the bottom one first?",
                program.lines().replace('\n', "; "),
                MEANINGS.join("; "),
                program.modulus - 1,
                program.modulus
            )
        }),
        Template::held_out_plain("cards", |program| {
            format!(
                "Cards with numbers are piled up by a clerk who gets orders. The uppermost card of the pile is a, the second b, \
                 the third c.\n\n{}\n\nWhere a new number has to be worked out, only its remainder modulo {} is written on the \
                 new card (from 0 on, never negative). There are no cards on the pile before the first order.\n\n{}\n\nRead \
                 the pile from its lowest card to its uppermost one.",
                MEANINGS.join("\n"),
                program.modulus,
                program.lines()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("instructions", &self.instructions, 2..=200, "instructions")?;
        check::within("modulus", &self.modulus, 10..=1_000)?;
        let mut depth = 0usize;
        for instruction in &self.instructions {
            let (needs, grows) = instruction.stack();
            check::that(depth >= needs, || {
                format!("`instructions` has {instruction} where {depth} numbers are on the stack")
            })?;
            if let Push(number) = instruction {
                check::within("instructions", number, 0..=self.modulus - 1)?;
            }
            depth = depth.saturating_add_signed(grows);
        }
        check::that((2..=20).contains(&depth), || {
            format!("`instructions` leaves {depth} numbers, but must leave 2 to 20")
        })
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers { count: self.last().len(), what: "numbers from the bottom of the stack to the top" }
    }

    fn solution(&self) -> Solution {
        Solution::new(self.written(&self.stacks()), self.form().write(&signed(&self.last())))
    }

    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        let right = signed(&self.last());
        let wrong = (0..right.len()).find(|at| answer[*at] != right[*at]);
        let Some(at) = wrong else { return Ok(Verdict::pass()) };
        let verdict = Verdict::wrong(format!("{} is not number {} from the bottom", answer[at], at + 1));
        let kept = answer.iter().zip(&right).filter(|(given, right)| given == right).count();
        let modulus = i64::from(self.modulus);
        let reduced: Vec<i64> = answer.iter().map(|number| number.rem_euclid(modulus)).collect();
        let verdict = match () {
            () if answer.iter().rev().eq(&right) => verdict.also("reversed"),
            () if answer == signed(&self.exchanged()) => verdict.also("operands_exchanged"),
            () if reduced == right => verdict.also("not_reduced"),
            () => verdict,
        };
        Err(verdict.part("places", kept as f32 / right.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let right = signed(&self.last());
        let (mut slipped, mut unreduced) = (right.clone(), right.clone());
        for at in faults.draw(right.len(), rng) {
            slipped[at] += 1;
            unreduced[at] += i64::from(self.modulus);
        }
        let stacks = self.stacks();
        let earlier = &stacks[rng.index(stacks.len())];
        let mut wrong = vec![slipped, unreduced, right.iter().rev().copied().collect(), signed(earlier)];
        wrong.push(signed(&self.exchanged()));
        wrong.retain(|stack| *stack != right && stack.len() == right.len());
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let count = self.last().len();
        let any = (0..count).map(|_| i64::from(rng.below(u64::from(self.modulus)) as u32)).collect();
        vec![("any numbers", any), ("the numbers pushed last", signed(&self.pushed(count)))]
    }

    /// No rule allows another order or other numbers.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// A step for every instruction, and one for every number on the stack that it changes or moves.
    fn effort(&self) -> Effort {
        let work = |instruction: &Instruction| match instruction {
            Push(_) | Drop | Dup => 1,
            Swap | Over | Max => 2,
            Rot => 3,
            Add | Sub => 4,
            Mul => 8,
        };
        Effort::new(self.instructions.iter().map(work).sum(), 60)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Tracing { steps: self.solution().steps, next: 0 }))
    }

    /// An instruction taken for another, or a result that is one or ten off. A number that was only moved is none of those:
    /// it would come from nowhere.
    fn slip(&self, rng: &mut Rng) -> Option<(usize, Vec<String>)> {
        let mut stacks = self.stacks();
        for at in permutation::random(stacks.len(), rng) {
            let instruction = self.instructions[at];
            let before = if at == 0 { Vec::new() } else { stacks[at - 1].clone() };
            let mut slips: Vec<Vec<u32>> = Vec::new();
            let confused = instruction.confused();
            let depth = confused.iter().try_fold(before.len(), |depth, instruction| {
                let (needs, grows) = instruction.stack();
                (depth >= needs).then(|| depth.saturating_add_signed(grows))
            });
            if depth.is_some() {
                slips.extend(self.run(before, &confused).pop());
            }
            if matches!(instruction, Add | Sub | Mul) {
                let mut stack = stacks[at].clone();
                let off = *rng.pick(&[1, 10, self.modulus - 1, self.modulus - 10]);
                stack.iter_mut().last().into_iter().for_each(|top| *top = (*top + off) % self.modulus);
                slips.push(stack);
            }
            slips.retain(|slip| *slip != stacks[at]);
            if slips.is_empty() {
                continue;
            }
            let slipped = slips.swap_remove(rng.index(slips.len()));
            stacks.truncate(at);
            stacks.push(slipped.clone());
            stacks.extend(self.run(slipped, &self.instructions[at + 1..]));
            return Some((at, self.written(&stacks)));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(instructions: &[Instruction]) -> Program {
        Program { instructions: instructions.to_vec(), modulus: 10 }
    }

    #[test]
    fn every_instruction_does_what_its_meaning_says() {
        for (instruction, stack) in [
            (Push(7), &[1, 2, 5, 7][..]),
            (Drop, &[1, 2]),
            (Dup, &[1, 2, 5, 5]),
            (Swap, &[1, 5, 2]),
            (Over, &[1, 2, 5, 2]),
            (Rot, &[2, 5, 1]),
            (Add, &[1, 7]),
            (Sub, &[1, 7]),
            (Mul, &[1, 0]),
            (Max, &[1, 5]),
        ] {
            let program = program(&[Push(1), Push(2), Push(5), instruction]);
            assert_eq!(program.last(), stack, "{instruction}");
            let (needs, grows) = instruction.stack();
            assert_eq!(3usize.saturating_add_signed(grows), stack.len());
            assert!(
                needs <= 3 && MEANINGS.iter().any(|text| text.starts_with(&instruction.to_string()[..3]))
            );
        }
    }

    #[test]
    fn a_verdict_tells_the_mistake() {
        let program = program(&[Push(3), Push(4), Push(9), Sub, Dup, Add]);
        assert_eq!(program.last(), [3, 0]);
        let judge = |answer: &str| kit::testing::verdict(&program, answer);
        assert!(judge("3, 0").passed);
        for (wrong, failure) in
            [("0, 3", "reversed"), ("13, 10", "not_reduced"), ("3, 1", label::WRONG_ANSWER)]
        {
            assert_eq!(judge(wrong).failures.last(), Some(&failure), "{wrong}");
        }
        assert_eq!(judge("3, 1").detail, "1 is not number 2 from the bottom");
        let empty = Program { instructions: vec![Push(1), Add], modulus: 10 };
        assert_eq!(empty.check(), Err("`instructions` has add where 1 numbers are on the stack".to_owned()));
    }

    #[test]
    fn steps_are_traced_in_order() {
        let program = program(&[Push(3), Push(4), Swap, Swap]);
        let mut steps = program.steps().unwrap();
        let mut judge = |step: &str| steps.judge(step, &mut Budget::new(9)).map(|said| said.advances);
        assert_eq!(
            (judge("push 3: 3"), judge("push 3: 3"), judge("push 4:  3 4")),
            (Ok(true), Ok(false), Ok(true))
        );
        for wrong in ["swap: 3 4", "3. swap: 4 3", "swap 4 3", "push 4: 4"] {
            assert!(judge(wrong).is_err(), "{wrong}");
        }
        assert_eq!((judge("swap: 4 3"), judge("swap: 3 4")), (Ok(true), Ok(true)));
        assert!(judge("swap: 4 4").is_err());
    }

    #[test]
    fn a_slip_is_carried_on() {
        let program = program(&[Push(3), Push(4), Dup, Sub, Push(9), Mul, Drop, Push(1)]);
        let right = program.solution().steps;
        let mut rng = kit::rng::Key::new("slip", 1, "", 0, "").stream(0);
        let mut places = [0; 8];
        for _ in 0..200 {
            let (at, steps) = program.slip(&mut rng).unwrap();
            assert!(steps.len() == right.len() && steps[..at] == right[..at] && steps[at] != right[at]);
            // The difference is there to the end, however it is dropped or multiplied.
            assert!(at != 3 || steps[4] != right[4], "{steps:?}");
            places[at] += 1;
        }
        assert!(places[2..].iter().all(|count| *count > 5), "{places:?}");
    }
}
