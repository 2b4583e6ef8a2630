//! Find inputs for which a logic circuit produces given outputs.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::words;

pub struct Circuit;

params! {
    pub struct CircuitParams {
        /// Inputs.
        inputs: u32 [4..=12],
        /// Gates.
        gates: u32 [4..=60],
    }
    levels {
        (4, 4),
        (6, 9),
        (7, 11),
        (8, 13),
        (9, 16),
        (10, 19),
        (11, 21),
        (12, 21),
        (12, 42),
        (12, 60),
    }
    default 3
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    And,
    Or,
    Xor,
    Nand,
    Nor,
}

impl Kind {
    const ALL: [Self; 5] = [Self::And, Self::Or, Self::Xor, Self::Nand, Self::Nor];

    fn name(self) -> &'static str {
        ["AND", "OR", "XOR", "NAND", "NOR"][self as usize]
    }

    fn of<S: Signal>(self, a: S, b: S) -> S {
        match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Nand => !(a & b),
            Self::Nor => !(a | b),
        }
    }
}

/// A signal for a single choice of inputs, or for sixty-four at once, one per bit.
trait Signal:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl Signal for bool {}
impl Signal for u64 {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gate {
    kind: Kind,
    /// Its two input signals: inputs by number, then earlier gates.
    from: [usize; 2],
}

/// Gates, the signals with required values, and inputs that produce them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiring {
    gates: Vec<Gate>,
    wanted: Vec<(usize, bool)>,
    planted: Vec<bool>,
}

const MOST_INPUTS: usize = 12;
const MOST_GATES: usize = 60;
/// At most one in this many choices of inputs may be right, and with fewer than `FEW` inputs one in `SELDOM_OF_FEW`.
const SELDOM: u32 = 100;
const SELDOM_OF_FEW: u32 = 16;
const FEW: usize = 7;

impl TaskFamily for Circuit {
    type Params = CircuitParams;
    type Problem = Wiring;

    const ABOUT: About = About {
        summary: "Find inputs for which a logic circuit produces given outputs.",
        judged_by: JudgedBy::Constraints,
        parts: &[Part::new("outputs_right", "share of the outputs that have the required value")],
        guess_rate: 0.068,
        guess_score: 0.068,
        skills: &["logic_gates", "backward_reasoning", "case_analysis"],
        ..About::new("logic", "circuit", &["First version."])
    };

    /// Draws circuits until few inputs are right. Every input is used, and every gate that feeds no other is
    /// an output.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Wiring> {
        let (inputs, gates) = (params.inputs as usize, params.gates as usize);
        let is_few = inputs < FEW;
        // Few gates determine some inputs more often than others: these are drawn once, whatever gates they need.
        let due: Option<Vec<bool>> = is_few.then(|| (0..inputs).map(|_| rng.chance(1, 2)).collect());
        loop {
            budget.spend(1_000)?;
            let mut drawn: Vec<Gate> = Vec::new();
            let mut unused: Vec<usize> = (0..inputs).collect();
            for made in inputs..inputs + gates {
                // Takes the inputs in turn, then unused signals while there are more of them than inputs.
                let one = match made - inputs {
                    at if at < inputs => at,
                    _ if unused.len() >= inputs => *rng.pick(&unused),
                    _ => rng.index(made),
                };
                let other = (one + 1 + rng.index(made - 1)) % made;
                unused.retain(|signal| ![one, other].contains(signal));
                unused.push(made);
                drawn.push(Gate { kind: *rng.pick(&Kind::ALL), from: [one.min(other), one.max(other)] });
            }
            let planted =
                due.clone().unwrap_or_else(|| (0..inputs).map(|_| rng.chance(1, 2)).collect::<Vec<bool>>());
            let mut wiring = Wiring { gates: drawn, wanted: Vec::new(), planted };
            let shown = wiring.signals(&wiring.planted);
            wiring.wanted = unused.into_iter().map(|signal| (signal, shown[signal])).collect();
            // The wordings speak of several outputs.
            if wiring.check().is_err() || is_few && wiring.wanted.len() < 2 {
                continue;
            }
            budget.spend((gates << inputs) as u64 / 64)?;
            let seldom = if is_few { SELDOM_OF_FEW } else { SELDOM };
            if wiring.searched().0 * seldom <= 1 << inputs {
                return Ok(wiring);
            }
        }
    }
}

impl Wiring {
    /// All signals for these inputs.
    fn signals<S: Signal>(&self, inputs: &[S]) -> Vec<S> {
        let mut signals = inputs.to_vec();
        for gate in &self.gates {
            signals.push(gate.kind.of(signals[gate.from[0]], signals[gate.from[1]]));
        }
        signals
    }

    /// The first output with a wrong value.
    fn wrong(&self, inputs: &[bool]) -> Option<usize> {
        let signals = self.signals(inputs);
        self.wanted.iter().find(|(signal, wanted)| signals[*signal] != *wanted).map(|(signal, _)| *signal)
    }

    /// Number of right inputs, and the first of them, counting up from all zeros with x1 as the lowest bit.
    fn searched(&self) -> (u32, u32) {
        const LOWEST: [u64; 6] = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0,
            0xff00_ff00_ff00_ff00,
            0xffff_0000_ffff_0000,
            0xffff_ffff_0000_0000,
        ];
        let inputs = self.planted.len();
        let all = if inputs < 6 { (1 << (1 << inputs)) - 1 } else { u64::MAX };
        let (mut count, mut first) = (0, None);
        for block in 0..(1u32 << inputs).div_ceil(64) {
            let input = |at: usize| match LOWEST.get(at) {
                Some(bits) => *bits,
                None if block >> (at - LOWEST.len()) & 1 == 1 => u64::MAX,
                None => 0,
            };
            let signals = self.signals(&(0..inputs).map(input).collect::<Vec<u64>>());
            let shows =
                |(signal, show): &(usize, bool)| if *show { signals[*signal] } else { !signals[*signal] };
            let right = self.wanted.iter().map(shows).fold(all, |right, shows| right & shows);
            count += right.count_ones();
            if right != 0 && first.is_none() {
                first = Some(64 * block + right.trailing_zeros());
            }
        }
        (count, first.unwrap_or(1 << inputs))
    }

    fn name(&self, signal: usize) -> String {
        match signal.checked_sub(self.planted.len()) {
            None => format!("x{}", signal + 1),
            Some(gate) => format!("g{}", gate + 1),
        }
    }

    fn listed(&self, line: impl Fn(&str, &str, Kind, &str) -> String) -> String {
        let text = |(at, gate): (usize, &Gate)| {
            let [one, other] = gate.from.map(|signal| self.name(signal));
            line(&self.name(self.planted.len() + at), &one, gate.kind, &other)
        };
        self.gates.iter().enumerate().map(text).lines()
    }

    fn equations(&self) -> String {
        self.listed(|gate, one, kind, other| format!("{gate} = {one} {} {other}", kind.name()))
    }

    /// The required outputs: `g2 = 0`.
    fn outputs(&self) -> impl Iterator<Item = String> {
        self.wanted.iter().map(|(signal, wanted)| format!("{} = {}", self.name(*signal), u8::from(*wanted)))
    }
}

fn bits(inputs: &[bool]) -> String {
    inputs.iter().map(|input| if *input { '1' } else { '0' }).collect()
}

/// Definitions of the gates, for the prompt.
const GATES: &str = "a AND b is 1 if both a and b are 1, and 0 otherwise; a OR b is 1 if at least one of them is 1, and 0 otherwise; \
                     a XOR b is 1 if exactly one of them is 1, and 0 otherwise; a NAND b is 0 if both are 1, and 1 otherwise; a NOR b \
                     is 1 if both are 0, and 0 otherwise";

impl Problem for Wiring {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("circuit", |wiring| {
            format!(
                "A logic circuit has {} inputs, x1 to x{}, each of which is 0 or 1. Its gates are connected as follows, where {GATES}:\
                 \n\n{}\n\nFind values of the inputs for which {}. If there are several solutions, any of them will do.",
                wiring.planted.len(),
                wiring.planted.len(),
                wiring.equations(),
                words::and(wiring.outputs())
            )
        }),
        Template::plain("equations", |wiring| {
            format!(
                "Boolean constraint problem\n\nVariables: x1 to x{}, each 0 or 1\nDefinitions:\n{}\n\nConstraints:\n{}\n\nOperators: \
                 {GATES}\nTask: an assignment of the variables that satisfies all constraints; any such assignment is accepted\n",
                wiring.planted.len(),
                wiring.equations(),
                wiring.outputs().lines()
            )
        }),
        Template::plain("message", |wiring| {
            format!(
                "I'm writing a test for this piece of logic and need inputs that give certain outputs. The inputs are x1 to x{}, all \
                 of them bits, and the signals are computed like this:\n\n{}\n\nJust to be sure that we mean the same thing: {GATES}. \
                 For the test I need {}. Which bits should I put on the inputs? Any combination that works is fine.",
                wiring.planted.len(),
                wiring.equations(),
                words::and(wiring.outputs())
            )
        }),
        Template::held_out_plain("lamps", |wiring| {
            format!(
                "An old control panel has {} switches, called x1 to x{}, and a lot of little boxes that are connected by wires. A switch \
                 that is on sends a 1, and a switch that is off sends a 0. This is what the boxes do:\n\n{}\n\nHere, {GATES}. Each of \
                 the following boxes has a lamp that shows its value: {}. The engineer wants them to show {}. How can the switches be \
                 set? If there is more than one way, any of them is fine.",
                wiring.planted.len(),
                wiring.planted.len(),
                wiring.listed(|gate, one, kind, other| format!(
                    "- Box {gate} receives {one} and {other} and sends {one} {} {other}",
                    kind.name()
                )),
                words::and(wiring.wanted.iter().map(|(signal, _)| wiring.name(*signal))),
                words::and(wiring.outputs())
            )
        }),
        Template::held_out_plain("code", |wiring| {
            let line = |gate: &str, one: &str, kind: Kind, other: &str| match kind {
                Kind::And => format!("    {gate} = {one} & {other}"),
                Kind::Or => format!("    {gate} = {one} | {other}"),
                Kind::Xor => format!("    {gate} = {one} ^ {other}"),
                Kind::Nand => format!("    {gate} = 1 - ({one} & {other})"),
                Kind::Nor => format!("    {gate} = 1 - ({one} | {other})"),
            };
            format!(
                "def check({}):\n{}\n    return {}\n\nAll arguments of this Python function are integers, either 0 or 1. For such \
                 numbers, a & b is 1 only if both are 1, a | b is 0 only if both are 0, and a ^ b is 1 only if they are different. \
                 With which inputs does the function return True? One such combination is enough.",
                (1..=wiring.planted.len()).map(|number| format!("x{number}")).listed(),
                wiring.listed(line),
                wiring
                    .wanted
                    .iter()
                    .map(|(signal, wanted)| format!("{} == {}", wiring.name(*signal), u8::from(*wanted)))
                    .joined(" and ")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let inputs = self.planted.len();
        check::length("planted", &self.planted, 3..=MOST_INPUTS, "inputs")?;
        check::length("gates", &self.gates, 3..=MOST_GATES, "gates")?;
        for (at, gate) in self.gates.iter().enumerate() {
            let [one, other] = gate.from;
            check::that(one < other && other < inputs + at, || {
                format!("`gates[{at}]` must have two signals before it, the smaller first")
            })?;
        }
        let count = inputs + self.gates.len();
        check::length("wanted", &self.wanted, 1..=count, "outputs")?;
        let ascending = self.wanted.is_sorted_by(|(a, _), (b, _)| a < b);
        check::that(ascending && self.wanted.iter().all(|(signal, _)| *signal < count), || {
            format!("`wanted` must have signals below {count} in ascending order")
        })?;
        check::that(self.wrong(&self.planted).is_none(), || {
            "`planted` does not produce the outputs in `wanted`".to_owned()
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        check::that(self.wrong(&self.planted).is_none(), || {
            "`planted` does not produce the outputs in `wanted`".to_owned()
        })?;
        Ok(Certificate::solvable("the inputs in `planted` produce all required outputs"))
    }

    /// Adds or removes a gate, or changes the kind of one.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let inputs = self.planted.len();
        loop {
            budget.spend(10_000).ok()?;
            let mut mutated = self.clone();
            let signals = inputs + self.gates.len();
            let at = rng.index(self.gates.len());
            match aim {
                Aim::Harder => {
                    let one = rng.index(signals - 1);
                    mutated.gates.push(Gate { kind: *rng.pick(&Kind::ALL), from: [one, signals - 1] });
                    mutated.wanted.retain(|(signal, _)| *signal != signals - 1);
                    mutated.wanted.push((signals, false));
                }
                Aim::Easier => mutated.planted.iter_mut().for_each(|input| *input = rng.chance(1, 3)),
                Aim::Same => mutated.gates[at].kind = *rng.pick(&Kind::ALL),
            }
            let shown = mutated.signals(&mutated.planted);
            mutated.wanted.iter_mut().for_each(|(signal, wanted)| *wanted = shown[*signal]);
            if mutated.check().is_ok() {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = String> {
        // The example may not be an answer.
        let what = if self.planted.len() < FEW {
            "the values of all inputs in order, from x1 on, as a string of zeros and ones without spaces, such as 011,"
        } else {
            "the values of all inputs in order, from x1 on, as a string of zeros and ones without spaces, such as 011010,"
        };
        form::Line { what }
    }

    /// The value of every gate for the planted inputs.
    fn solution(&self) -> Solution {
        let signals = self.signals(&self.planted);
        let bit = |signal: usize| u8::from(signals[signal]);
        let inputs = (0..self.planted.len()).map(|at| format!("Set x{} = {}", at + 1, bit(at)));
        let gates = self.gates.iter().enumerate().map(|(at, gate)| {
            let ([one, other], made) = (gate.from, self.planted.len() + at);
            let ends =
                if self.wanted.iter().any(|(signal, _)| *signal == made) { ", as required" } else { "" };
            format!(
                "{} = {} {} {} = {}{ends}",
                self.name(made),
                bit(one),
                gate.kind.name(),
                bit(other),
                bit(made)
            )
        });
        Solution::new(inputs.chain(gates).collect::<Vec<_>>(), bits(&self.planted))
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        let count = self.planted.len();
        if answer.len() != count || !answer.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
            return Err(Failure::malformed(format!(
                "`{}` is not a string of {count} zeros and ones",
                quoted(&answer)
            )));
        }
        let inputs: Vec<bool> = answer.bytes().map(|bit| bit == b'1').collect();
        let Some(wrong) = self.wrong(&inputs) else { return Ok(()) };
        let signals = self.signals(&inputs);
        let right = self.wanted.iter().filter(|(signal, wanted)| signals[*signal] == *wanted).count();
        let detail = format!(
            "{} is {} for these inputs, not {}",
            self.name(wrong),
            u8::from(signals[wrong]),
            u8::from(!signals[wrong])
        );
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail);
        Err(failure.part("outputs_right", right as f32 / self.wanted.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let mut flipped = || {
            let mut inputs = self.planted.clone();
            faults.draw(inputs.len(), rng).into_iter().for_each(|at| inputs[at] = !inputs[at]);
            inputs
        };
        let mut misses: Vec<Vec<bool>> = (0..6).map(|_| flipped()).collect();
        let count = self.planted.len();
        // The planted inputs reversed, all zeros and all ones.
        misses.extend([self.planted.iter().rev().copied().collect(), vec![false; count], vec![true; count]]);
        misses.retain(|inputs| self.wrong(inputs).is_some());
        misses.iter().map(|inputs| bits(inputs)).collect()
    }

    fn another(&self, rng: &mut Rng) -> Option<String> {
        let mut drawn =
            (0..500).map(|_| self.planted.iter().map(|_| rng.chance(1, 2)).collect::<Vec<bool>>());
        drawn.find(|inputs| self.wrong(inputs).is_none()).map(|inputs| bits(&inputs))
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let any: Vec<bool> = self.planted.iter().map(|_| rng.chance(1, 2)).collect();
        let count = self.planted.len();
        vec![("any inputs", bits(&any)), ("all zeros", "0".repeat(count)), ("all ones", "1".repeat(count))]
    }

    /// Reorders the inputs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let numbers = permutation::random(self.planted.len(), rng);
        let moved = |signal: usize| numbers.get(signal).copied().unwrap_or(signal);
        let gate = |gate: &Gate| {
            let [one, other] = gate.from.map(moved);
            Gate { kind: gate.kind, from: [one.min(other), one.max(other)] }
        };
        let mut planted = self.planted.clone();
        self.planted.iter().enumerate().for_each(|(at, input)| planted[numbers[at]] = *input);
        let mut wanted: Vec<(usize, bool)> =
            self.wanted.iter().map(|(signal, show)| (moved(*signal), *show)).collect();
        wanted.sort_unstable();
        Self { gates: self.gates.iter().map(gate).collect(), wanted, planted }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let inputs = self.planted.len();
        let gates = self.gates.iter().enumerate().map(|(at, gate)| Relation {
            kind: gate.kind as u64,
            members: vec![(0, gate.from[0]), (0, gate.from[1]), (1, inputs + at)],
        });
        let wanted = self
            .wanted
            .iter()
            .map(|(signal, show)| Relation { kind: 10 + u64::from(*show), members: vec![(0, *signal)] });
        invariant(inputs + self.gates.len(), &gates.chain(wanted).collect::<Vec<_>>()).to_be_bytes().to_vec()
    }

    /// Gates evaluated while counting up through the inputs until some are right.
    fn effort(&self) -> Effort {
        Effort::new(u64::from(self.searched().1 + 1) * self.gates.len() as u64, 8_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A half adder of x1 and x2, plus x3.
    fn adder() -> Wiring {
        let gate = |kind, from| Gate { kind, from };
        Wiring {
            gates: vec![gate(Kind::Xor, [0, 1]), gate(Kind::And, [0, 1]), gate(Kind::Nor, [2, 4])],
            wanted: vec![(3, true), (5, false)],
            planted: vec![true, false, true],
        }
    }

    #[test]
    fn any_inputs_that_show_it_pass() {
        let it = adder();
        it.check().unwrap();
        let passed: Vec<String> = (0..8)
            .map(|number| format!("{number:03b}"))
            .filter(|inputs| it.verify(inputs.clone(), &mut Budget::new(1)).is_ok())
            .collect();
        assert_eq!(passed, ["011", "101"]);
        // Counted with x1 lowest, 101 is the fifth.
        assert_eq!(it.searched(), (2, 5));
        let verdict = it.verify("010".to_owned(), &mut Budget::new(1)).unwrap_err();
        assert_eq!((verdict.detail.as_str(), verdict.parts[0].1), ("g3 is 1 for these inputs, not 0", 0.5));
        for text in ["01", "0110", "0 1", "01x", "०१०"] {
            assert_eq!(
                it.verify(text.to_owned(), &mut Budget::new(1)).unwrap_err().failures,
                ["malformed_answer"]
            );
        }
        assert_eq!(it.solution().steps[3], "g1 = 1 XOR 0 = 1, as required");
    }
}
