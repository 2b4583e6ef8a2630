//! Trace a program for a stack machine and give the final stack.

use std::fmt;

use kit::task::permutation;
use kit::task::prelude::*;
use kit::words;

pub struct StackMachineTrace;

params! {
    pub struct StackMachineTraceParams {
        /// Instructions in the program.
        instructions: u32 [4..=120],
        /// Modulus of the arithmetic.
        modulus: u32 [10..=1_000],
    }
    levels {
        (4, 20),
        (6, 50),
        (8, 100),
        (11, 100),
        (15, 100),
        (22, 100),
        (34, 100),
        (55, 100),
        (90, 100),
    }
    default 4
}

/// Instructions of the machine. The top of the stack is called a, the number below it b, and the next one c.
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

/// Meaning of each instruction, for the prompt.
const MEANINGS: [&str; 10] = [
    "push n: put the number n on top",
    "drop: remove a",
    "dup: put a copy of a on top",
    "swap: exchange a and b",
    "over: put a copy of b on top",
    "rot: move c to the top",
    "add: replace a and b with b + a",
    "sub: replace a and b with b - a",
    "mul: replace a and b with b * a",
    "max: replace a and b with the larger of the two",
];

/// The top of the stack before and after each instruction, for the prompt.
const EFFECTS: [&str; 10] = [
    "push n ( -- n )",
    "drop ( a -- )",
    "dup ( a -- a a )",
    "swap ( b a -- a b )",
    "over ( b a -- b a b )",
    "rot ( c b a -- b a c )",
    "add ( b a -- b+a )",
    "sub ( b a -- b-a )",
    "mul ( b a -- b*a )",
    "max ( b a -- the larger of a and b )",
];

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    instructions: Vec<Instruction>,
    modulus: u32,
}

const DEEPEST: usize = 6;
/// Largest stack in a step that is carried on.
const DEEPEST_WRITTEN: usize = 100;

impl TaskFamily for StackMachineTrace {
    type Params = StackMachineTraceParams;
    type Problem = Program;

    const ABOUT: About = About {
        summary: "Trace a program for a stack machine and give the final stack.",
        distinct_from: 1,
        failures: &[
            ("reversed", "the right numbers, but from the top down"),
            ("operands_exchanged", "the stack that results if sub computes a - b"),
            ("not_reduced", "right except for multiples of the modulus"),
        ],
        parts: &[Part::new("places", "share of the numbers that are right")],
        skills: &["state_tracking", "program_execution", "modular_arithmetic"],
        guess_rate: 0.005,
        guess_score: 0.005,
        ..About::new("algorithms", "stack_machine_trace", &["First version."])
    };

    /// Draws instructions that the depth of the stack allows, until two to four numbers remain that depend on
    /// the order of differences and are not simply the last ones pushed.
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
}

impl Instruction {
    /// Numbers that must be on the stack, and the change in its depth.
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

    /// Executes the instruction on the stack.
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

    /// Instructions that a solver may confuse this one with.
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

    /// The final stack if every `sub` subtracts the wrong way around.
    fn exchanged(&self) -> Vec<u32> {
        let exchange = |instruction: &Instruction| match instruction {
            Sub => Sub.confused(),
            other => vec![*other],
        };
        let instructions: Vec<Instruction> = self.instructions.iter().flat_map(exchange).collect();
        self.run(Vec::new(), &instructions).pop().expect("there are instructions")
    }

    /// The last `count` numbers pushed, padded with zeros.
    fn pushed(&self, count: usize) -> Vec<u32> {
        let pushed = self.instructions.iter().filter_map(|instruction| match instruction {
            Push(number) => Some(*number),
            _ => None,
        });
        let pushed: Vec<u32> = std::iter::repeat_n(0, count).chain(pushed).collect();
        pushed[pushed.len() - count..].to_vec()
    }

    /// The step for an instruction that is run on the stack of the step before.
    fn step(&self, instruction: Instruction, before: &str) -> Option<String> {
        let written = if before.is_empty() { "nothing" } else { before.rsplit_once(": ")?.1 };
        let number = |word: &str| word.parse().ok().filter(|number| *number < self.modulus);
        let mut stack = match written {
            "nothing" => Vec::new(),
            written => written.split(' ').map(number).collect::<Option<Vec<u32>>>()?,
        };
        if !(instruction.stack().0..DEEPEST_WRITTEN).contains(&stack.len()) {
            return None;
        }
        instruction.run(&mut stack, self.modulus);
        Some(format!("{instruction}: {}", told(&stack)))
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

impl Trace for Program {
    fn follows(&self, at: usize, before: &str) -> Option<String> {
        self.step(*self.instructions.get(at)?, before)
    }

    /// Runs an instruction beside this one, or any other.
    fn misread(&self, at: usize, before: &str, rng: &mut Rng) -> Option<String> {
        let beside = [at.wrapping_sub(1), at + 1].map(|at| self.instructions.get(at).copied());
        let number = rng.below(u64::from(self.modulus)) as u32;
        let mut others = vec![Push(number), Drop, Dup, Swap, Over, Rot, Add, Sub, Mul, Max];
        others.extend(beside.into_iter().flatten());
        let other = *rng.pick(&others);
        (other != *self.instructions.get(at)?).then(|| self.step(other, before)).flatten()
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
            _ if done.iter().any(is_step) => Ok(StepVerdict::idle("true, but already stated")),
            Some(_) => Err(format!("instruction {} does not lead to this stack", self.next + 1)),
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
                "A machine works on a stack of numbers, which is empty at first. In the list of its instructions, a is the number on \
                 top of the stack, b is the number below a, and c is the number below b.\n\n{}\n\nAll results are taken modulo \
                 {modulus}, so every number on the stack is from 0 to {last}; for example, 3 - 5 gives {}. The machine runs this \
                 program:\n\n{}\n\nWhich numbers are on the stack at the end?",
                MEANINGS.join("\n"),
                modulus - 2,
                program.lines()
            )
        }),
        Template::plain("line", |program| {
            format!(
                "Stack machine\n\nProgram: {}\nInitial stack: empty\nArithmetic: modulo {}; results are always from 0 to {}\n\
                 Instructions (a = top of the stack, b = below a, c = below b):\n{}\nOutput: the final stack\n",
                program.lines().replace('\n', "; "),
                program.modulus,
                program.modulus - 1,
                MEANINGS.map(|meaning| format!("- {meaning}")).join("\n")
            )
        }),
        Template::plain("message", |program| {
            format!(
                "I've been playing with a little stack language, and I want to make sure that I understand it. My program:\n\n{}\n\n\
                 Say the top of the stack is a, the one under it is b, and the one under that is c. Then the commands do this:\n\n\
                 {}\n\nThe language keeps numbers small: after each addition, subtraction or multiplication it keeps only the \
                 remainder after division by {}, and the remainder is never negative ({} for 3 - 5, say). If I start with an \
                 empty stack, what's on it after the last command?",
                program.lines(),
                MEANINGS.join("\n"),
                program.modulus,
                program.modulus - 2
            )
        }),
        Template::held_out_plain("cards", |program| {
            format!(
                "A clerk keeps a pile of cards with a number on each, and follows written orders. The card on top of the pile is called \
                 a, the card below it b, and the card below that c. These are the orders that the clerk knows:\n\n{}\n\nWhen the \
                 clerk has to calculate, only the remainder modulo {} goes on the new card, and it is never negative. At the start \
                 of the day there is no card on the pile. Then these orders arrive, one after another:\n\n{}\n\nWhich numbers are \
                 on the cards in the pile (that is, on the stack) at the end of the day?",
                MEANINGS.join("\n"),
                program.modulus,
                program.lines()
            )
        }),
        Template::held_out_plain("effects", |program| {
            format!(
                "Trace this program for a stack machine whose stack is empty at first.\n\n{}\n\nEach stack effect below shows the top of \
                 the stack before and after the instruction, with the topmost number on the right.\n\n{}\n\nSums, differences and \
                 products are reduced modulo {} to a number from 0 to {}. Determine the final contents of the stack.",
                program.lines(),
                EFFECTS.join("\n"),
                program.modulus,
                program.modulus - 1
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
                format!(
                    "`instructions` has {instruction} with {} on the stack",
                    words::count(depth, "number")
                )
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

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("the program leaves {}", told(&self.last()))))
    }

    /// Adds or removes an instruction, or changes a number that is pushed.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let at = rng.index(self.instructions.len());
        match aim {
            Aim::Harder => mutated.instructions.insert(at, *rng.pick(&[Dup, Over, Rot, Swap, Add, Sub, Mul])),
            Aim::Easier => drop(mutated.instructions.remove(at)),
            Aim::Same => {
                if let Push(number) = &mut mutated.instructions[at] {
                    *number = rng.int(2, i64::from(self.modulus) - 1) as u32;
                }
            }
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers { count: self.last().len(), what: "numbers on the stack, from the bottom to the top" }
    }

    fn solution(&self) -> Solution {
        Solution::new(self.written(&self.stacks()), self.form().write(&signed(&self.last())))
    }

    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        let right = signed(&self.last());
        let wrong = (0..right.len()).find(|at| answer[*at] != right[*at]);
        let Some(at) = wrong else { return Ok(()) };
        let failure =
            Failure::wrong(format!("number {} from the bottom is {}, not {}", at + 1, right[at], answer[at]));
        let kept = answer.iter().zip(&right).filter(|(given, right)| given == right).count();
        let modulus = i64::from(self.modulus);
        let reduced: Vec<i64> = answer.iter().map(|number| number.rem_euclid(modulus)).collect();
        let failure = match () {
            () if answer.iter().rev().eq(&right) => failure.also("reversed"),
            () if answer == signed(&self.exchanged()) => failure.also("operands_exchanged"),
            () if reduced == right => failure.also("not_reduced"),
            () => failure,
        };
        Err(failure.part("places", kept as f32 / right.len() as f32))
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

    /// The problem itself: no rule allows another order or other numbers.
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

    fn trace(&self) -> Option<Box<dyn Trace + '_>> {
        Some(Box::new(self.clone()))
    }

    /// Mistakes one instruction for another, or misses an arithmetic result by 1 or 10. Numbers that only
    /// move stay right: a wrong one would come from nowhere.
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
        assert_eq!(judge("3, 1").detail, "number 2 from the bottom is 0, not 1");
        let empty = Program { instructions: vec![Push(1), Add], modulus: 10 };
        assert_eq!(empty.check(), Err("`instructions` has add with 1 number on the stack".to_owned()));
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
            // The difference persists to the end, even if it is dropped or multiplied.
            assert!(at != 3 || steps[4] != right[4], "{steps:?}");
            places[at] += 1;
        }
        assert!(places[2..].iter().all(|count| *count > 5), "{places:?}");
    }
}
