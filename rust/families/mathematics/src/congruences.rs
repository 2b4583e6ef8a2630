//! Find the smallest positive number that satisfies some congruences, as a factor or as an exponent.

use self::solver::{Congruence, MOST, gcd, times};
use kit::prelude::*;
use kit::shape::value::{Exact, Value};

mod solver;
mod system;

pub struct Congruences;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Any,
    Crt,
    Linear,
    Inverse,
    Order,
    DiscreteLog,
}

params! {
    pub struct CongruencesParams {
        /// Question: `crt` (a number by its remainders), `linear` (x in a * x = b modulo m), `inverse` (the same with
        /// b = 1), `order` (the first power that is 1), `discrete_log` (the first power that is b), or `any` of these.
        kind: Kind [structure],
        /// Largest modulus, and largest product of the moduli of `crt`.
        modulus: u32 [30..=999_999_999],
        /// Largest factor before x.
        factor: u32 [9..=999_999_999],
        /// Number of congruences of `crt`.
        congruences: u32 [2..=5],
        /// Largest modulus of powers.
        power_modulus: u32 [20..=9_999],
    }
    levels {
        (Kind::Linear, 50, 20, 2, 20),
        (Kind::Any, 99, 40, 2, 60),
        (Kind::Any, 200, 99, 2, 80),
        (Kind::Any, 999, 500, 2, 120),
        (Kind::Any, 9_999, 9_999, 3, 200),
        (Kind::Any, 99_999, 99_999, 3, 400),
        (Kind::Any, 999_999, 999_999, 4, 700),
        (Kind::Any, 9_999_999, 9_999_999, 4, 1_200),
        (Kind::Any, 999_999_999, 999_999_999, 5, 2_000),
    }
    default 3
    check Self::consistent;
}

impl CongruencesParams {
    fn consistent(&self) -> Result<(), String> {
        let least = (2 * self.congruences).pow(self.congruences);
        check::that(self.modulus >= least, || {
            format!("`modulus` must be at least {least} for the moduli of {} `congruences`", self.congruences)
        })
    }
}

problem! {
    /// Congruences that the smallest positive x satisfies, each a factor a, a remainder b and a modulus m, written
    /// [a, [b, m]]: a * x leaves b modulo m or, with x as an exponent, a^x does.
    pub struct System {
        exponent: bool,
        congruences: Bag<Congruence> [items(1..=5, "congruences", (1..=LARGEST, (0..=LARGEST, 2..=LARGEST)))],
    }
}

const LARGEST: u64 = 999_999_999;
/// Largest modulus of powers.
const MOST_POWERS: u64 = 1_000_000;

impl TaskFamily for Congruences {
    type Params = CongruencesParams;
    type Problem = Value<System>;

    const ABOUT: About = About {
        summary: "Find the smallest positive number that satisfies some congruences, as a factor or as an exponent.",
        skills: &[
            "modular_arithmetic",
            "euclidean_algorithm",
            "chinese_remainder_theorem",
            "discrete_logarithm",
        ],
        distinct_from: 3,
        guess_rate: 0.099,
        guess_score: 0.099,
        ..Value::<System>::about("arithmetic", "congruences", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<System>> {
        let kinds = [Kind::Crt, Kind::Linear, Kind::Inverse, Kind::Order, Kind::DiscreteLog];
        let kind = if params.kind == Kind::Any { *rng.pick(&kinds) } else { params.kind };
        loop {
            budget.spend(10)?;
            let drawn = System::draw(kind, params, rng).map(Value);
            if let Some(drawn) = drawn.filter(|drawn| drawn.check().is_ok()) {
                return Ok(drawn);
            }
        }
    }
}

impl Exact for System {
    type Of = i64;

    const HALF: u64 = 200;
    const MISTAKES: &'static [Label] = &[
        ("not_smallest", "it satisfies all congruences, but is not the smallest positive number that does"),
        ("wrong_sign", "the negative of the answer would satisfy all congruences"),
        ("not_multiplied", "the factor's inverse, not yet multiplied by the remainder that is asked for"),
        ("next_power", "one power too many or too few"),
        ("some_congruences", "it satisfies some of the congruences"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("congruent", "Find the smallest positive integer x such that {congruences}."),
        Prompt::new("remainders", "What is the smallest positive whole number x for which {remainders}?"),
        Prompt::new(
            "message",
            "I've been at this exercise for an hour now: {congruences}. I can check an x, but how do I find one? Please \
             tell me the smallest positive integer that works.",
        ),
        Prompt::held_out(
            "program",
            "What does this program print, if it is given enough time? The sign % gives the remainder of a \
             division{exponent?, and ** a power|}.\n\n\
             x = 1\nwhile not ({conditions}):\n    x = x + 1\nprint(x)\n",
        ),
        Prompt::held_out(
            "counters",
            "{several?Several counters all start|A counter starts} at {exponent?1|0}. This is how {several?each of them|it} \
             changes at every tick, and its target:\n\n{counters:- {change}, then keep the remainder modulo {modulus}; \
             target {remainder}}\n\nWhat is the smallest positive number of ticks after which {several?all counters show \
             their targets at the same time|the counter shows its target}?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let term = |a: u64, times: &str, to: &str| match (self.exponent, a) {
            (true, _) => format!("{a}{to}x"),
            (false, 1) => "x".to_owned(),
            (false, _) => format!("{a}{times}x"),
        };
        let each = |says: &dyn Fn(u64, u64, u64) -> String| -> Vec<String> {
            self.congruences.iter().map(|(a, (b, m))| says(*a, *b, *m)).collect()
        };
        slots.either("exponent", self.exponent).either("several", self.congruences.len() > 1);
        slots.with("congruences", || {
            words::and(each(&|a, b, m| format!("{} is congruent to {b} modulo {m}", term(a, "", "^"))))
        });
        slots.with("remainders", || {
            words::and(each(&|a, b, m| {
                format!("{} leaves a remainder of {b} when divided by {m}", term(a, "", "^"))
            }))
        });
        slots.with("conditions", || {
            each(&|a, b, m| format!("{} % {m} == {b}", term(a, " * ", " ** "))).join(" and ")
        });
        let change = if self.exponent { "multiply by" } else { "add" };
        slots.lines("counters", &*self.congruences, |line, (a, (b, m))| {
            line.text("change", format_args!("{change} {a}")).text("modulus", m).text("remainder", b);
        });
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn value(&self) -> i64 {
        self.solved().unwrap_or_default() as i64
    }

    fn what(&self) -> String {
        "the smallest positive number that fits".to_owned()
    }

    fn diagnosed(&self, wrong: &i64, plain: Failure) -> Failure {
        let Some(broken) = self.congruences.iter().find(|c| self.left(*wrong, **c) != Some(c.1.0)) else {
            let why = if *wrong > 0 { "the smallest number that does" } else { "positive" };
            return Failure::wrong(format!("{wrong} fits, but is not {why}")).also("not_smallest");
        };
        let (a, (b, m)) = *broken;
        let Some(left) = self.left(*wrong, *broken) else { return plain };
        let sign = if self.exponent { '^' } else { '*' };
        let plain = Failure::wrong(format!("{a} {sign} {wrong} leaves {left} modulo {m}, not {b}"));
        match self.exponent {
            true if left == times(a, b, m) || times(a, left, m) == b => plain.also("next_power"),
            false if wrong.checked_neg().is_some_and(|x| self.fit(x) == self.congruences.len()) => {
                plain.also("wrong_sign")
            }
            false if self.congruences.len() == 1 && left == 1 => plain.also("not_multiplied"),
            false if self.fit(*wrong) > 0 => plain.also("some_congruences"),
            true | false => plain,
        }
    }

    /// Answers that are a period off, have the wrong sign, stop at the inverse, fit one congruence or miss by one.
    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (value, period) = (self.value(), self.period() as i64);
        let (a, (b, m)) = *rng.pick(&self.congruences);
        let mut near = vec![value + period, value + 1, value - 1];
        if self.exponent {
            near.extend([value + 2 * period, m as i64 - 1]);
            return near;
        }
        near.extend([value - period, period - value, (b / a) as i64]);
        match self.congruences.len() {
            1 => near.extend(Self::one(false, a, 1, m).solved().map(|x| x as i64)),
            // It fits one congruence and, if it fits all, is not the smallest.
            _ => near.push(value + (m / gcd(a, m)) as i64),
        }
        near
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let (a, (b, m)) = self.congruences[0];
        let most = if self.exponent { m } else { self.period() };
        vec![
            ("a random number", 1 + rng.below(most.max(2) - 1) as i64),
            ("one less than the modulus", m as i64 - 1),
            ("half of that", (m as i64 - 1) / 2),
            ("the remainder divided by the factor", (b / a) as i64),
            ("the next multiple divided by the factor", ((b + m) / a) as i64),
        ]
    }

    fn work(&self, work: &mut Work) {
        self.walk(&mut |cost, hint, says| {
            work.hinted(cost, hint, says);
        });
    }

    fn consistent(&self) -> Result<(), String> {
        for (at, (a, (b, m))) in self.congruences.iter().enumerate() {
            check::that(b < m, || {
                format!("`congruences[{at}]`: the remainder {b} must be below the modulus {m}")
            })?;
            check::that(!a.is_multiple_of(*m), || {
                format!("`congruences[{at}]`: the factor {a} must not be a multiple of the modulus {m}")
            })?;
            check::that(!self.exponent || gcd(*a, *m) == 1 && *m <= MOST_POWERS, || {
                format!(
                    "`congruences[{at}]`: {a} and {m} must be coprime, and the modulus at most {MOST_POWERS}"
                )
            })?;
        }
        check::that(!self.exponent || self.congruences.len() == 1, || {
            format!("`congruences` has {} items, but an `exponent` takes one", self.congruences.len())
        })?;
        check::that(self.solved().is_some_and(|x| x > 0), || {
            format!("`congruences` must be satisfied by a number from 1 to {MOST}, and not by 0")
        })
    }

    /// Puts the number in. For powers, walks all smaller exponents; otherwise no two solutions are closer than a period.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let value = self.value();
        check::that(value > 0 && self.fit(value) == self.congruences.len(), || {
            format!("{value} does not fit")
        })?;
        if self.exponent {
            let (base, (wanted, modulus)) = self.congruences[0];
            budget.spend(value as u64).map_err(|over| over.to_string())?;
            let powers =
                std::iter::successors(Some(base % modulus), |last| Some(times(*last, base, modulus)));
            let first = powers.take(value as usize).position(|power| power == wanted);
            check::that(first == Some(value as usize - 1), || format!("a smaller power than {value} fits"))?;
            return Ok(Certificate::unique(format!("{value} fits, and no smaller power does")));
        }
        let period = self.period();
        check::that((value as u64) < period, || format!("{value} is not below the period {period}"))?;
        Ok(Certificate::unique(format!(
            "{value} fits and is below {period}, the distance between numbers that fit"
        )))
    }

    /// Another modulus or factor in one congruence, and the remainders of another number in all.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        let at = rng.index(self.congruences.len());
        let (a, (_, m)) = &mut edited.congruences.0[at];
        let most = if self.exponent { MOST_POWERS } else { LARGEST };
        *m = match aim {
            Aim::Harder => (*m + 1 + rng.below(*m)).min(most),
            Aim::Easier => 3 + rng.below((*m).max(4) - 3),
            Aim::Same => (*m / 2 + 2 + rng.below(*m)).min(most),
        };
        if *a > 1 {
            *a = 2 + rng.below(*m - 2);
        }
        let x = 1 + rng.below(if self.exponent { *m } else { edited.period().min(MOST) }) as i64;
        let remainders: Vec<_> = edited.congruences.iter().map(|c| edited.left(x, *c)).collect();
        for ((_, (b, _)), left) in edited.congruences.0.iter_mut().zip(remainders) {
            *b = if self.exponent && *b == 1 { 1 } else { left? };
        }
        Some(edited)
    }

    /// Adds the modulus to some of the factors, which changes no remainder.
    fn disguised(mut self, rng: &mut Rng) -> Self {
        for (a, (_, m)) in &mut self.congruences.0 {
            if *a > 1 && *a + *m <= LARGEST && rng.chance(1, 3) {
                *a += *m;
            }
        }
        self
    }

    /// The factors as remainders, which are all that matters.
    fn reduced(&self) -> Self {
        let congruences = self.congruences.iter().map(|(a, rest)| (a % rest.1, *rest)).collect();
        Self { congruences, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    /// The problem of Master Sun: remainders 2, 3 and 2 by 3, 5 and 7.
    #[test]
    fn a_number_by_its_remainders() {
        let known = Value(System::of_remainders(&[3, 5, 7], |m| 23 % m));
        fails(&known, "128", "not_smallest", "128 fits, but is not the smallest number that does");
        fails(&known, "-82", "not_smallest", "-82 fits, but is not positive");
        passes(&known, "23");
        fails(&known, "82", "wrong_sign", "1 * 82 leaves 1 modulo 3, not 2");
        fails(&known, "8", "some_congruences", "1 * 8 leaves 1 modulo 7, not 2");
        assert!(Value(System::of_remainders(&[6, 4], |m| u64::from(m == 6))).check().is_err());
    }

    #[test]
    fn factors_and_powers() {
        let linear = Value(System::one(false, 7, 3, 26));
        passes(&linear, "19");
        fails(&linear, "15", "not_multiplied", "7 * 15 leaves 1 modulo 26, not 3");
        fails(&linear, "7", "wrong_sign", "7 * 7 leaves 23 modulo 26, not 3");
        assert_eq!(System::one(false, 6, 4, 8).solved(), Some(2));
        let logarithm = Value(System::one(true, 3, 13, 17));
        fails(&logarithm, "5", "next_power", "3 ^ 5 leaves 5 modulo 17, not 13");
        fails(&logarithm, "20", "not_smallest", "20 fits, but is not the smallest number that does");
        let order = Value(System::one(true, 3, 1, 17));
        passes(&order, "16");
        fails(&order, "0", "not_smallest", "0 fits, but is not positive");
        let said = refused(&order, |json| json["congruences"][0][0] = 34.into());
        assert_eq!(said, "`congruences[0]`: the factor 34 must not be a multiple of the modulus 17");
    }
}
