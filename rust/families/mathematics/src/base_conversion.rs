//! Convert an integer from one base to another.

use kit::task::prelude::*;

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

/// A number, its given base and the base to convert it to.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    number: i64,
    from: u32,
    to: u32,
}

impl TaskFamily for BaseConversion {
    type Params = BaseConversionParams;
    type Problem = Conversion;

    const ABOUT: About = About {
        summary: "Convert an integer from one base to another.",
        distinct_from: 3,
        failures: &[
            ("wrong_sign", "the right digits with the wrong sign"),
            ("not_converted", "the given digits, unchanged"),
            ("left_in_base_ten", "the number in base ten instead of the requested base"),
            ("digits_reversed", "the right digits in reverse order"),
        ],
        skills: &["place_value", "multiplication", "division_with_remainder"],
        guess_rate: 0.043,
        guess_score: 0.043,
        ..About::new("arithmetic", "base_conversion", &["First version."])
    };

    fn generate(
        &self,
        params: &BaseConversionParams,
        rng: &mut Rng,
        _: &mut Budget,
    ) -> Result<Conversion, Exhausted> {
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
        Ok(Conversion { number: if rng.chance(1, 2) { -size } else { size }, from, to })
    }
}

impl Conversion {
    fn written_in(&self, base: u32) -> String {
        form::Numeral { base }.write(&self.number)
    }

    /// The calculation without the sign: digit by digit into base ten, then digit by digit out of it. Each
    /// line comes with its number of digit operations.
    fn lines(&self) -> Vec<(String, u64)> {
        let places = |number: u64| u64::from(number.max(1).ilog10() + 1);
        let mut lines = Vec::new();
        for (base, into_ten) in
            [(self.from, true), (self.to, false)].into_iter().filter(|(base, _)| *base != 10)
        {
            let (base, mut rest) = (u64::from(base), self.number.unsigned_abs());
            loop {
                let parts = format!("{} * {base} + {}", rest / base, rest % base);
                let line = if into_ten { format!("{parts} = {rest}") } else { format!("{rest} = {parts}") };
                lines.push((line, places(rest) * places(base) + 1));
                rest /= base;
                if rest == 0 {
                    break;
                }
            }
            if into_ten {
                lines.reverse();
            }
        }
        lines
    }

    /// The given number, both bases, and the meaning of letters if there may be any.
    fn told(&self) -> (String, u32, u32, &'static str) {
        let letters = match self.from.max(self.to) {
            ..=10 => "",
            _ => " Letters stand for digits above 9: a is 10, b is 11, and so on.",
        };
        (self.written_in(self.from), self.from, self.to, letters)
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

impl Problem for Conversion {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("convert", |conversion| {
            let (given, from, to, letters) = conversion.told();
            format!("Convert {given} from base {from} to base {to}.{letters}")
        }),
        Template::plain("question", |conversion| {
            let (given, from, to, letters) = conversion.told();
            format!("The number {given} is written in base {from}. How is it written in base {to}?{letters}")
        }),
        Template::plain("spec", |conversion| {
            let (given, from, to, letters) = conversion.told();
            format!(
                "Number: {given}\nCurrent base: {from}\nTarget base: {to}\n\nRewrite the number in the target \
                 base.{letters}"
            )
        }),
        Template::held_out_plain("two_countries", |conversion| {
            let (given, from, to, letters) = conversion.told();
            format!(
                "In one country people count in base {from}; in the country next door they count in base {to}. A \
                 trader from the first country writes the number {given} in her ledger. How would a clerk in the \
                 second country write the same number?{letters}"
            )
        }),
        Template::held_out_plain("message", |conversion| {
            let (given, from, to, letters) = conversion.told();
            format!(
                "Quick question: our old system stores this value in base {from} as {given}, but the new one needs \
                 it in base {to}. What should I enter?{letters}"
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        const LARGEST: i64 = 999_999_999_999_999_999;
        check::within("number", &self.number, -LARGEST..=LARGEST)?;
        check::within("from", &self.from, 2..=36)?;
        check::within("to", &self.to, 2..=36)?;
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

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let size = self.number.abs();
        let size = match aim {
            Aim::Harder => size.checked_mul(10)? + rng.int(0, 9),
            Aim::Easier => size / 10,
            Aim::Same => size - size % 10 + rng.int(0, 9),
        };
        let mutated = Conversion { number: size * self.number.signum(), ..*self };
        mutated.check().is_ok().then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Numeral { base: self.to }
    }

    fn solution(&self) -> Solution {
        Solution::new(self.lines().into_iter().map(|(line, _)| line), self.answer())
    }

    fn answer(&self) -> String {
        self.written_in(self.to)
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        if answer == self.number {
            return Ok(());
        }
        let written = form::Numeral { base: self.to }.write(&answer);
        let (given, from, to, _) = self.told();
        let wrong = Failure::wrong(format!("{written} in base {to} does not equal {given} in base {from}"));
        match self.slips().find(|(slip, _)| *slip == answer) {
            Some((_, label)) => Err(wrong.also(label)),
            None => Err(wrong),
        }
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (number, base) = (self.number, i64::from(self.to));
        let slipped = base.pow(rng.index(self.written_in(self.to).trim_start_matches('-').len()) as u32);
        let near = [number + 1, number - 1, number + slipped, number - slipped, number / base];
        let near = near.into_iter().chain(number.checked_mul(base)).filter(|near| *near != number);
        near.chain(self.slips().map(|(slip, _)| slip)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let as_given = i64::from_str_radix(&self.written_in(self.from), self.to).unwrap_or(0);
        let low = 10i64.pow(self.number.unsigned_abs().max(1).ilog10());
        let like_it = rng.int(low, 10 * low - 1) * self.number.signum();
        vec![("the digits as given", as_given), ("a number of its length", like_it)]
    }

    /// Negates the number or exchanges the bases: the problem remains the same.
    fn twin(&self, rng: &mut Rng) -> Self {
        let number = if rng.chance(1, 2) { -self.number } else { self.number };
        let (from, to) = if rng.chance(1, 2) { (self.from, self.to) } else { (self.to, self.from) };
        Self { number, from, to }
    }

    fn fingerprint(&self) -> Vec<u8> {
        format!("{} {} {}", self.number.abs(), self.from.min(self.to), self.from.max(self.to)).into_bytes()
    }

    fn effort(&self) -> Effort {
        Effort::new(self.lines().into_iter().map(|(_, work)| work).sum(), 150)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Equations::new(self.solution().steps)))
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
            let it = Conversion { number, from, to };
            assert_eq!((it.written_in(from), it.written_in(to)), (given.into(), written.into()));
            assert_eq!(it.solution().steps[0], first_step);
        }
    }

    #[test]
    fn common_slips_have_their_labels() {
        // 20b in base 16 is 523, which is 1013 in base 8.
        let it = Conversion { number: 0x20b, from: 16, to: 8 };
        let labels = ["1013", "01013", "-1013", "3101", "523", "20b", "1014"].map(|text| {
            let verdict = it.form().read(text).and_then(|answer| it.verify(answer, &mut Budget::new(1)));
            verdict.map_or_else(|wrong| *wrong.failures.last().unwrap(), |()| "right")
        });
        let slips = ["wrong_sign", "digits_reversed", "left_in_base_ten", "malformed_answer", "wrong_answer"];
        assert_eq!((&labels[..2], &labels[2..]), (&["right", "right"][..], &slips[..]));
    }
}
