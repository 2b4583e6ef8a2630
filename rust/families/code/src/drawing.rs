//! Random programs, and what their problems share.

use kit::budget::Budget;
use kit::rng::Rng;
use kit::shared::program::{Binary, Halt, LARGEST, Line, Program, Term};
use kit::task::check;
use kit::words;

/// Names of the inputs, then those of the other variables.
pub const INPUTS: [&str; 3] = ["a", "b", "c"];
const OTHERS: [&str; 5] = ["x", "y", "z", "s", "t"];
/// Maximum length of a program in a problem, in characters.
pub const LONGEST: usize = 4_000;
/// Maximum number of steps in one run.
pub const FUEL: u64 = 20_000;

/// Names of the first `count` inputs.
pub fn inputs(count: usize) -> Vec<String> {
    INPUTS[..count].iter().map(ToString::to_string).collect()
}

/// Parses the program of a problem and checks it, as a problem may come from anywhere.
pub fn checked(text: &str, count: usize) -> Result<Program, String> {
    check::within("program", &text.len(), 1..=LONGEST)?;
    let program = Program::read(text, &inputs(count)).map_err(|error| format!("`program`: {error}"))?;
    let plain = program.to_string() == text;
    check::that(plain, || {
        "`program` must be written with four spaces a block and nothing to spare".to_owned()
    })?;
    Ok(program)
}

/// Runs a program; returns its result and the number of steps taken.
pub fn run(program: &Program, values: &[i64]) -> (Result<i64, Halt>, u64) {
    run_for(program, values, FUEL)
}

/// [`run`] for at most so many steps.
pub fn run_for(program: &Program, values: &[i64], most: u64) -> (Result<i64, Halt>, u64) {
    let mut fuel = Budget::new(most);
    let result = program.run(values, &mut fuel);
    (result, most - fuel.left())
}

/// "a = 3 and b = -1".
pub fn given(values: &[i64]) -> String {
    words::and(INPUTS.iter().zip(values).map(|(name, value)| format!("{name} = {value}")))
}

/// The program with every variable renamed except its inputs.
pub fn renamed(program: &Program, rng: &mut Rng) -> Program {
    let mut fresh: Vec<&str> =
        vec!["d", "e", "f", "g", "h", "k", "m", "p", "q", "u", "v", "w", "x", "y", "z", "s", "t", "n"];
    rng.shuffle(&mut fresh);
    let names = program.names.iter().enumerate();
    let called =
        names.map(
            |(at, name)| {
                if at < program.inputs { name.clone() } else { fresh[at - program.inputs].to_owned() }
            },
        );
    Program { names: called.collect(), ..program.clone() }
}

/// The program with its inputs exchanged: what was input `at` is input `order[at]`.
pub fn exchanged(program: &Program, order: &[usize]) -> Program {
    let names = program.names.iter().enumerate();
    let names =
        names.map(|(at, name)| order.get(at).map_or_else(|| name.clone(), |input| INPUTS[*input].to_owned()));
    let moved = Program { names: names.collect(), ..program.clone() };
    Program::read(&moved.to_string(), &inputs(program.inputs)).expect("what is written is read")
}

/// The first of the texts that `text` makes of the program with its inputs in every order: the same for programs that
/// differ in names and in the order of their inputs.
pub fn identity(program: &Program, text: impl Fn(&Program, &[usize]) -> String) -> String {
    let orders: &[&[usize]] = match program.inputs {
        0 | 1 => &[&[0]],
        2 => &[&[0, 1], &[1, 0]],
        _ => &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
    };
    let texts = orders.iter().map(|order| text(&exchanged(program, order), order));
    texts.min().expect("there is an order")
}

/// The values of the inputs once they are exchanged.
pub fn moved(values: &[i64], order: &[usize]) -> Vec<i64> {
    let mut moved = values.to_vec();
    order.iter().zip(values).for_each(|(to, value)| moved[*to] = *value);
    moved
}

/// Draws programs of a few kinds of lines.
pub struct Draw<'a> {
    pub rng: &'a mut Rng,
    /// Most iterations of a loop.
    pub rounds: i64,
    names: Vec<String>,
    /// Variables that have a value.
    set: Vec<usize>,
}

impl<'a> Draw<'a> {
    /// A program with this many lines outside blocks before the last one, and with blocks nested this deep. A
    /// program of two lines has a simple result.
    pub fn program(rng: &'a mut Rng, count: usize, lines: usize, depth: u32, rounds: i64) -> Program {
        let names = inputs(count).into_iter().chain(OTHERS.map(String::from)).collect();
        let mut draw = Self { rng, rounds, names, set: (0..count).collect() };
        let mut body: Vec<Line> = (0..lines.min(2)).map(|_| draw.setting()).collect();
        body.extend((2..lines).map(|_| draw.line(depth)));
        let result = draw.combined(if lines == 1 { 1 } else { 2 });
        body.push(Line::Return(result));
        let written = Program { names: draw.names, inputs: count, lines: body };
        // Parsing the text again leaves only the names that the program uses.
        Program::read(&written.to_string(), &inputs(count)).expect("what is written is read")
    }

    fn known(&mut self) -> Term {
        Term::Variable(*self.rng.pick(&self.set))
    }

    fn small(&mut self) -> Term {
        Term::Number(self.rng.int(2, 9))
    }

    fn operand(&mut self) -> Term {
        if self.rng.chance(3, 4) { self.known() } else { self.small() }
    }

    /// Variables joined by operators.
    fn combined(&mut self, signs: u32) -> Term {
        let mut term = self.known();
        for _ in 0..signs {
            let (sign, other) = match self.rng.below(6) {
                0 | 1 => (Binary::Add, self.operand()),
                2 | 3 => (Binary::Subtract, self.operand()),
                4 => (Binary::Multiply, self.small()),
                _ => (Binary::Remainder, Term::Number(self.rng.int(5, 30))),
            };
            term = term.join(sign, other);
        }
        term
    }

    /// A condition that is sometimes true.
    fn condition(&mut self) -> Term {
        let sign = *self.rng.pick(&[Binary::Less, Binary::More, Binary::AtMost, Binary::AtLeast]);
        if self.rng.chance(1, 2) {
            let parts = self.rng.int(2, 4);
            let rest = self.known().join(Binary::Remainder, Term::Number(parts));
            rest.join(Binary::Equal, Term::Number(self.rng.int(0, parts - 1)))
        } else {
            let one = self.known();
            let other = self.operand();
            one.join(sign, other)
        }
    }

    fn setting(&mut self) -> Line {
        let value = self.combined(1);
        let at = if self.set.len() < self.names.len() && self.rng.chance(1, 2) {
            *(0..self.names.len()).find(|at| !self.set.contains(at)).get_or_insert(0)
        } else {
            *self.rng.pick(&self.set)
        };
        if !self.set.contains(&at) {
            self.set.push(at);
        }
        Line::Set(at, value)
    }

    /// Lines of a block. The block may not run, so a variable that it sets first is valid only inside.
    fn block(&mut self, depth: u32) -> Vec<Line> {
        let set = self.set.len();
        let count = 1 + self.rng.index(2);
        let line = |draw: &mut Self| {
            if depth > 0 && draw.rng.chance(1, 3) {
                return draw.line(depth);
            }
            let at = *draw.rng.pick(&draw.set);
            Line::Set(at, draw.combined(1))
        };
        let lines = (0..count).map(|_| line(self)).collect();
        self.set.truncate(set);
        lines
    }

    fn line(&mut self, depth: u32) -> Line {
        if depth == 0 {
            return self.setting();
        }
        match self.rng.below(7) {
            0 => self.setting(),
            1..=3 => {
                let term = self.condition();
                let then = self.block(depth - 1);
                let other = if self.rng.chance(2, 3) { self.block(depth - 1) } else { Vec::new() };
                Line::If(term, then, other)
            }
            4 | 5 => Line::Repeat(Term::Number(self.rng.int(2, self.rounds)), self.block(depth - 1)),
            _ => {
                // Whatever the rest of the block does, its last line makes the tested variable smaller.
                let at = *self.rng.pick(&self.set);
                let mut block = self.block(0);
                let less = if self.rng.chance(1, 2) {
                    Term::Variable(at).join(Binary::Subtract, Term::Number(self.rng.int(3, 9)))
                } else {
                    Term::Variable(at).join(Binary::Divide, Term::Number(self.rng.int(2, 4)))
                };
                block.push(Line::Set(at, less));
                let more = Term::Variable(at).join(Binary::More, Term::Number(self.rng.int(5, 20)));
                Line::While(more, block)
            }
        }
    }
}

/// True if a value is small enough to occur in a problem's run.
pub fn is_plain(value: i64) -> bool {
    value.abs() < LARGEST / 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_reads_has_been_set() {
        let mut rng = kit::rng::Key::new("drawing", 1, "", 0, "").stream(0);
        for (lines, depth) in [(5, 1), (8, 2)] {
            for _ in 0..2_000 {
                let program = Draw::program(&mut rng, 2, lines, depth, 5);
                for values in [[0, 0], [3, 50], [50, 3], [40, 41]] {
                    let (result, _) = run(&program, &values);
                    assert!(!matches!(result, Err(Halt::Unset(_))), "{}: {program}", given(&values));
                }
            }
        }
    }
}
