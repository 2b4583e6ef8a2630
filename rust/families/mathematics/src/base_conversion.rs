//! Convert an integer from one base to another.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct BaseConversion;

params! {
    pub struct BaseConversionParams {
        /// Decimal digits of the number; half of the numbers are negative.
        digits: u32 [2..=18],
        /// Largest base; the smallest is 2.
        largest_base: u32 [3..=36],
        /// True if one of the two bases is always 10.
        decimal: bool [structure],
        /// True if the number has at most two digits in either base, whatever `digits` says.
        two_digits: bool [difficulty, if_set],
    }
    levels {
        (2, 18, true, true),
        (2, 9, true, false),
        (3, 9, true, false),
        (4, 16, true, false),
        (4, 16, false, false),
        (6, 16, false, false),
        (8, 20, false, false),
        (11, 28, false, false),
        (14, 36, false, false),
        (18, 36, false, false),
    }
    default 3
}

problem! {
    /// A number, its given base and the base to convert it to.
    pub struct Conversion {
        number: i64 [-LARGEST..=LARGEST],
        from: u32 [2..=36],
        to: u32 [2..=36],
    }
}

const LARGEST: i64 = 999_999_999_999_999_999;

impl TaskFamily for BaseConversion {
    type Params = BaseConversionParams;
    type Problem = Value<Conversion>;

    const ABOUT: About = About {
        summary: "Convert an integer from one base to another.",
        distinct_from: 3,
        skills: &["place_value", "multiplication", "division_with_remainder"],
        guess_rate: 0.043,
        guess_score: 0.043,
        ..Value::<Conversion>::about("arithmetic", "base_conversion", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, _: &mut Budget) -> Drawn<Value<Conversion>> {
        let largest = i64::from(params.largest_base);
        let first = if params.decimal { 10 } else { rng.int(2, largest) };
        // Any other base; `first` may be beyond all of them.
        let others = if first > largest { largest } else { largest - 1 };
        let mut other = rng.int(2, others);
        if params.two_digits {
            // Small bases are more frequent, as they have small numbers.
            other = other.min(rng.int(2, others));
        }
        let other = other + i64::from(other >= first);
        let bases = if rng.chance(1, 2) { [first, other] } else { [other, first] };
        // From the smaller base on, the digits of a number differ between the two bases.
        let smaller = first.min(other);
        let size = if params.two_digits {
            rng.int(smaller, smaller * smaller - 1)
        } else {
            rng.int(10i64.pow(params.digits - 1).max(smaller), 10i64.pow(params.digits) - 1)
        };
        let [from, to] = bases.map(|base| base as u32);
        Ok(Value(Conversion { number: if rng.chance(1, 2) { -size } else { size }, from, to }))
    }
}

impl Conversion {
    fn written_in(&self, base: u32) -> String {
        form::Numeral { base }.write(&self.number)
    }

    /// Answers that result from common slips, each with its label. Slips whose digits the target base lacks
    /// are left out.
    fn slips(&self) -> impl Iterator<Item = (i64, &'static str)> {
        let misread = |digits: &str| i64::from_str_radix(digits, self.to).ok();
        let backwards: String = self.written_in(self.to).trim_start_matches('-').chars().rev().collect();
        let slips = [
            (Some(-self.number), "wrong_sign"),
            (misread(&self.written_in(self.from)), "not_converted"),
            (misread(&self.number.to_string()), "left_in_base_ten"),
            (misread(&backwards).map(|size| size * self.number.signum()), "digits_reversed"),
        ];
        slips.into_iter().filter_map(|(slip, label)| Some((slip.filter(|slip| *slip != self.number)?, label)))
    }
}

impl Exact for Conversion {
    type Of = i64;

    const HALF: u64 = 150;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[
        ("wrong_sign", "the right digits with the wrong sign"),
        ("not_converted", "the given digits, unchanged"),
        ("left_in_base_ten", "the number in base ten instead of the requested base"),
        ("digits_reversed", "the right digits in reverse order"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("convert", "Convert {given} from base {from} to base {to}.{letters}"),
        Prompt::new(
            "question",
            "The number {given} is written in base {from}. How is it written in base {to}?{letters}",
        ),
        Prompt::new(
            "spec",
            "Number: {given}\nCurrent base: {from}\nTarget base: {to}\n\nRewrite the number in the target base.{letters}",
        ),
        Prompt::held_out(
            "two_countries",
            "In one country people count in base {from}; in the country next door they count in base {to}. A trader from \
             the first country writes the number {given} in her ledger. How would a clerk in the second country write the \
             same number?{letters}",
        ),
        Prompt::held_out(
            "message",
            "Quick question: our old system stores this value in base {from} as {given}, but the new one needs it in base \
             {to}. What should I enter?{letters}",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let letters = match self.from.max(self.to) {
            ..=10 => "",
            _ => " Letters stand for digits above 9: a is 10, b is 11, and so on.",
        };
        slots.text("given", self.written_in(self.from)).text("from", self.from).text("to", self.to);
        slots.text("letters", letters);
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Numeral { base: self.to }
    }

    fn value(&self) -> i64 {
        self.number
    }

    fn what(&self) -> String {
        format!("{} in base {}", self.written_in(self.from), self.from)
    }

    fn diagnosed(&self, wrong: &i64, _: Failure) -> Failure {
        let (written, to, what) = (self.form().write(wrong), self.to, self.what());
        let failure = Failure::wrong(format!("{written} in base {to} does not equal {what}"));
        match self.slips().find(|(slip, _)| slip == wrong) {
            Some((_, label)) => failure.also(label),
            None => failure,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (number, base) = (self.number, i64::from(self.to));
        let slipped = base.pow(rng.index(self.written_in(self.to).trim_start_matches('-').len()) as u32);
        let near = [number + 1, number - 1, number + slipped, number - slipped, number / base];
        let near = near.into_iter().chain(number.checked_mul(base));
        near.chain(self.slips().map(|(slip, _)| slip)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let as_given = i64::from_str_radix(&self.written_in(self.from), self.to).unwrap_or(0);
        let low = 10i64.pow(self.number.unsigned_abs().max(1).ilog10());
        let like_it = rng.int(low, 10 * low - 1) * self.number.signum();
        vec![("the digits as given", as_given), ("a number of its length", like_it)]
    }

    /// The calculation without the sign: digit by digit into base ten, then digit by digit out of it. It costs
    /// digit operations.
    fn work(&self, work: &mut Work) {
        let places = |number: u64| u64::from(number.max(1).ilog10() + 1);
        for (base, into_ten) in [(self.from, true), (self.to, false)] {
            let base = u64::from(base);
            let whole = Some(self.number.unsigned_abs()).filter(|_| base != 10);
            let mut rests: Vec<u64> =
                std::iter::successors(whole, |rest| Some(rest / base).filter(|rest| *rest > 0)).collect();
            if into_ten {
                rests.reverse();
            }
            for rest in rests {
                work.with(places(rest) * places(base) + 1, || {
                    let parts = format!("{} * {base} + {}", rest / base, rest % base);
                    if into_ten { format!("{parts} = {rest}") } else { format!("{rest} = {parts}") }
                });
            }
        }
    }

    fn consistent(&self) -> Result<(), String> {
        check::that(self.from != self.to, || format!("`from` and `to` are both {}, but must differ", self.to))
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let Conversion { number, to, .. } = *self;
        let written = self.written_in(to);
        // By place value, a different method from the solution's.
        let digits = written.trim_start_matches('-').chars().rev().filter_map(|digit| digit.to_digit(to));
        let worth: i128 =
            digits.zip(0..).map(|(digit, place)| i128::from(digit) * i128::from(to).pow(place)).sum();
        let right = worth == i128::from(number.abs());
        check::that(right, || format!("`number` is {number}, which is not {written}"))?;
        Ok(Certificate::unique(format!("{number} is {written} in base {to}")))
    }

    /// Adds, removes or changes the last digit.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let size = self.number.abs();
        let size = match aim {
            Aim::Harder => size.checked_mul(10)? + rng.int(0, 9),
            Aim::Easier => size / 10,
            Aim::Same => size - size % 10 + rng.int(0, 9),
        };
        Some(Conversion { number: size * self.number.signum(), ..*self })
    }

    /// Negates the number or exchanges the bases: the problem remains the same.
    fn disguised(self, rng: &mut Rng) -> Self {
        let number = if rng.chance(1, 2) { -self.number } else { self.number };
        let (from, to) = if rng.chance(1, 2) { (self.from, self.to) } else { (self.to, self.from) };
        Self { number, from, to }
    }

    fn identity(&self) -> Vec<u8> {
        format!("{} {} {}", self.number.abs(), self.from.min(self.to), self.from.max(self.to)).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_negatives_and_letters_are_right() {
        for (number, from, to, given, written, first_step) in [
            (0, 10, 7, "0", "0", "0 = 0 * 7 + 0"),
            (0, 36, 10, "0", "0", "0 * 36 + 0 = 0"),
            (-255, 10, 16, "-255", "-ff", "255 = 15 * 16 + 15"),
            (-255, 2, 36, "-11111111", "-73", "0 * 2 + 1 = 1"),
            (35, 36, 10, "z", "35", "0 * 36 + 35 = 35"),
        ] {
            let it = Value(Conversion { number, from, to });
            assert_eq!((it.written_in(from), it.written_in(to)), (given.into(), written.into()));
            assert_eq!(it.solution().steps[0], first_step);
        }
    }

    #[test]
    fn common_slips_have_their_labels() {
        // 20b in base 16 is 523, which is 1013 in base 8.
        let it = Value(Conversion { number: 0x20b, from: 16, to: 8 });
        let labels = ["1013", "01013", "-1013", "3101", "523", "20b", "1014"].map(|text| {
            let verdict = it.form().read(text).and_then(|answer| it.verify(answer, &mut Budget::new(1)));
            verdict.map_or_else(|wrong| *wrong.failures.last().unwrap(), |()| "right")
        });
        let slips = ["wrong_sign", "digits_reversed", "left_in_base_ten", "malformed_answer", "wrong_answer"];
        assert_eq!((&labels[..2], &labels[2..]), (&["right", "right"][..], &slips[..]));
    }
}
