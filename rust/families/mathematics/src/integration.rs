//! Integrate a sum of terms: any antiderivative passes, and differentiating it decides.

mod formula;
mod function;
mod node;
mod point;

use kit::shared::rational::Rational;
use kit::task::prelude::*;

use formula::{Formula, Written, values};
use function::{Base, Function, Wave, joined, line, power, product};
use node::Node;
use point::Value;

pub struct Integration;

params! {
    pub struct IntegrationParams {
        /// Number of terms.
        terms: u32 [1..=8],
        /// Hardest technique that terms need: 0 powers of x; 1 sines, cosines, exponentials and powers of 1/(x + a) as
        /// well; 2 substitution and partial fractions as well; 3 integration by parts as well.
        techniques: u32 [0..=3],
        /// Largest power of x, or of the expression in its place.
        power: u32 [1..=5],
        /// True if the factors before the terms go to 199 rather than 9, so that few terms make many problems.
        large_factors: bool [structure, if_set],
    }
    levels {
        (1, 0, 5, true),
        (2, 0, 2, true),
        (3, 0, 4, false),
        (3, 1, 3, false),
        (4, 1, 4, false),
        (4, 2, 2, false),
        (5, 2, 3, false),
        (5, 3, 2, false),
        (6, 3, 3, false),
        (8, 3, 5, false),
    }
    default 5
}

/// The factor of a term without its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Part {
    /// `x^n`.
    Power {
        n: u32,
    },
    /// `x^n * exp(k*x)`.
    Exp {
        n: u32,
        k: i64,
    },
    Sin {
        n: u32,
        k: i64,
    },
    Cos {
        n: u32,
        k: i64,
    },
    /// `1/(x + a)^n`.
    Pole {
        a: i64,
        n: u32,
    },
    /// `x*(x^2 + b)^n`.
    Chain {
        b: i64,
        n: u32,
    },
    /// `(p*x + q)/((x + a)*(x + b))`.
    Split {
        p: i64,
        q: i64,
        a: i64,
        b: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Term {
    by: i64,
    part: Part,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integral {
    terms: Vec<Term>,
}

const LARGEST: i64 = 20;
/// Largest absolute value of the factor before a term.
const LARGEST_FACTOR: i64 = 199;

impl TaskFamily for Integration {
    type Params = IntegrationParams;
    type Problem = Integral;

    const ABOUT: About = About {
        summary: "Integrate a sum of terms; any antiderivative passes.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            ("differentiated", "the derivative instead of an antiderivative"),
            ("not_integrated", "the function itself, or a multiple of it"),
            ("constant_factor", "right except for a constant factor"),
        ],
        parts: &[kit::task::verdict::Part::new(
            "terms_right",
            "share of the function's terms that the derivative of the answer has",
        )],
        skills: &["integration", "integration_by_parts", "partial_fractions", "substitution"],
        distinct_from: 2,
        guess_rate: 0.002,
        guess_score: 0.002,
        ..About::new("algebra", "integration", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Integral> {
        loop {
            budget.spend(10)?;
            let mut terms: Vec<Term> = Vec::new();
            // The new techniques of a level come first, so that every task has one.
            for at in 0..params.terms {
                let technique = if at < 2 {
                    params.techniques
                } else {
                    rng.below(u64::from(params.techniques) + 1) as u32
                };
                let largest = if params.large_factors { LARGEST_FACTOR } else { 9 };
                terms.push(Term::draw(technique, params.power, largest, rng));
            }
            rng.shuffle(&mut terms);
            // The integral of a lone constant takes no rule.
            if let [Term { part: Part::Power { n: 0 }, .. }] = terms[..] {
                continue;
            }
            let drawn = Integral { terms };
            if drawn.check().is_ok()
                && drawn.functions().is_some_and(|parts| parts.iter().all(|part| !part.0.is_empty()))
            {
                return Ok(drawn);
            }
        }
    }
}

impl Term {
    fn draw(technique: u32, power: u32, largest: i64, rng: &mut Rng) -> Self {
        let nonzero = |rng: &mut Rng, most: i64| rng.int(1, most) * if rng.chance(1, 2) { 1 } else { -1 };
        let by = nonzero(rng, largest);
        let k = rng.int(2, 7);
        let n = 1 + rng.below(u64::from(power)) as u32;
        let wave = |n: u32, rng: &mut Rng| match rng.below(3) {
            0 => Part::Exp { n, k: if rng.chance(1, 2) { k } else { -k } },
            1 => Part::Sin { n, k },
            _ => Part::Cos { n, k },
        };
        let part = match technique {
            0 => Part::Power { n: rng.below(u64::from(power) + 2) as u32 },
            1 if rng.chance(1, 3) => Part::Pole { a: nonzero(rng, 9), n },
            1 => wave(0, rng),
            2 if rng.chance(1, 2) => Part::Chain { b: nonzero(rng, 6), n: n.max(2) },
            2 => {
                let (a, b) = (rng.int(-9, 9), rng.int(-9, 9));
                Part::Split { p: nonzero(rng, 5), q: nonzero(rng, 9), a: a.min(b), b: a.max(b) }
            }
            _ => wave(n, rng),
        };
        Self { by, part }
    }

    /// Its function; a fraction is expanded into partial fractions.
    fn function(&self) -> Option<Function> {
        let term = |base, by: Rational| Function::term(base, by);
        let by = Rational::from(self.by);
        Some(match self.part {
            Part::Power { n } => term(Base::Wave(n, Wave::One), by),
            Part::Exp { n, k } => term(Base::Wave(n, Wave::Exp(k)), by),
            Part::Sin { n, k } => term(Base::Wave(n, Wave::Sin(k)), by),
            Part::Cos { n, k } => term(Base::Wave(n, Wave::Cos(k)), by),
            Part::Pole { a, n } => term(Base::Pole(a.into(), n), by),
            Part::Chain { b, n } => {
                let inner =
                    term(Base::Wave(2, Wave::One), 1.into()).plus(&Function::number(b.into()), 1.into())?;
                let start = term(Base::Wave(1, Wave::One), by);
                (0..n).try_fold(start, |product, _| product.times(&inner))?
            }
            // At x = -a, all but the first fraction vanish once both sides are multiplied by x + a.
            Part::Split { p, q, a, b } => {
                let at =
                    |here: i64, other: i64| Rational::new(i128::from(q - p * here), i128::from(other - here));
                let mut sum = Function::default();
                for (here, other) in [(a, b), (b, a)] {
                    sum.add(Base::Pole(here.into(), 1), by.checked_mul(at(here, other)?)?)?;
                }
                sum
            }
        })
    }

    /// The term at `-x`.
    fn mirrored(&self) -> Self {
        let (part, turns) = match self.part {
            Part::Power { n } | Part::Cos { n, .. } => (self.part, n),
            Part::Sin { n, .. } => (self.part, n + 1),
            Part::Exp { n, k } => (Part::Exp { n, k: -k }, n),
            Part::Pole { a, n } => (Part::Pole { a: -a, n }, n),
            Part::Chain { .. } => (self.part, 1),
            Part::Split { p, q, a, b } => (Part::Split { p: -p, q, a: -b, b: -a }, 0),
        };
        Self { by: if turns % 2 == 1 { -self.by } else { self.by }, part }
    }

    /// True if it is negative, and the rest of it as text.
    fn text(&self) -> (bool, String) {
        let argument = |k: i64| format!("{k}*x");
        let wave = |n: u32, name: &str, k: i64| {
            power(n).into_iter().chain([format!("{name}({})", argument(k))]).collect()
        };
        let size = Rational::from(self.by.abs());
        let over = |below: String| format!("{size}/{below}");
        let text = match self.part {
            Part::Power { n } => product(size, &power(n).into_iter().collect::<Vec<_>>()),
            Part::Exp { n, k } => product(size, &Vec::from_iter::<Vec<String>>(wave(n, "exp", k))),
            Part::Sin { n, k } => product(size, &Vec::from_iter::<Vec<String>>(wave(n, "sin", k))),
            Part::Cos { n, k } => product(size, &Vec::from_iter::<Vec<String>>(wave(n, "cos", k))),
            Part::Pole { a, n: 1 } => over(format!("({})", line(a.into()))),
            Part::Pole { a, n } => over(format!("({})^{n}", line(a.into()))),
            Part::Chain { b, n } => {
                let inner = if b < 0 { format!("(x^2 - {})^{n}", -b) } else { format!("(x^2 + {b})^{n}") };
                product(size, &["x".to_owned(), inner])
            }
            Part::Split { p, q, a, b } => {
                let above = joined([
                    (p < 0, product(p.abs().into(), &["x".to_owned()])),
                    (q < 0, q.abs().to_string()),
                ]);
                let below = |a: i64| if a == 0 { "x".to_owned() } else { format!("({})", line(a.into())) };
                let fraction = format!("({above})/({}*{})", below(a), below(b));
                product(size, &[fraction])
            }
        };
        (self.by < 0, text)
    }

    /// Technique that integrates it.
    fn technique(&self) -> &'static str {
        match self.part {
            Part::Power { .. } => "use the power rule",
            Part::Exp { n: 0, .. } | Part::Sin { n: 0, .. } | Part::Cos { n: 0, .. } => {
                "substitute for the argument of the function"
            }
            Part::Exp { .. } | Part::Sin { .. } | Part::Cos { .. } => {
                "integrate by parts until no power of x is left"
            }
            Part::Pole { n: 1, .. } => "substitute for the denominator, which gives a logarithm",
            Part::Pole { .. } => "substitute for the expression in the denominator",
            Part::Chain { .. } => "substitute for the expression under the power",
            Part::Split { .. } => "split the fraction into partial fractions",
        }
    }

    /// Operations that its rule takes: a wave times a power of x takes one round of integration by parts per
    /// power.
    fn work(&self) -> u64 {
        match self.part {
            Part::Power { .. } => 2,
            Part::Pole { .. } => 4,
            Part::Exp { n, .. } | Part::Sin { n, .. } | Part::Cos { n, .. } => 4 + 6 * u64::from(n * (n + 1)),
            Part::Chain { n, .. } => 10 + 2 * u64::from(n),
            Part::Split { .. } => 20,
        }
    }
}

impl Integral {
    fn functions(&self) -> Option<Vec<Function>> {
        self.terms.iter().map(Term::function).collect()
    }

    fn whole(&self) -> Option<Function> {
        self.functions()?.iter().try_fold(Function::default(), |sum, part| sum.plus(part, 1.into()))
    }

    fn antiderivative(&self) -> Function {
        self.whole().and_then(|whole| whole.antiderivative()).unwrap_or_default()
    }

    fn text(&self) -> String {
        joined(self.terms.iter().map(Term::text))
    }
}

impl Problem for Integral {
    type Answer = Written;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("integrate", |integral| {
            format!(
                "Find a function whose derivative with respect to x is\n\n{}\n\nAny such function will do.",
                integral.text()
            )
        }),
        Template::plain("integral", |integral| {
            format!(
                "Work out the indefinite integral of\n\n{}\n\nwith respect to x. The constant of integration may be \
                 anything.",
                integral.text()
            )
        }),
        Template::plain("spec", |integral| {
            format!(
                "Given: f(x) = {}\nWanted: F(x) such that F'(x) = f(x)\n\nGive any one such F.",
                integral.text()
            )
        }),
        Template::held_out_plain("speed", |integral| {
            format!(
                "A probe moves along a straight line, and its velocity at time x is {}. Mission control needs a formula \
                 for its position at time x. You may place the probe's starting point wherever you like, so any \
                 antiderivative of the velocity will do.",
                integral.text()
            )
        }),
        Template::held_out_plain("message", |integral| {
            format!(
                "I'm writing a unit test for our symbolic math code and need one antiderivative of {} with respect to \
                 x, worked out by hand. Which constant you pick doesn't matter.",
                integral.text()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("terms", &self.terms, 1..=10, "terms")?;
        let mut parts: Vec<Part> = self.terms.iter().map(|term| term.part).collect();
        parts.sort_unstable();
        check::that(parts.is_sorted_by(|a, b| a < b), || "`terms` has one part twice".to_owned())?;
        for term in &self.terms {
            let near = |number: i64| (-LARGEST..=LARGEST).contains(&number);
            let fits = |number: i64| number != 0 && near(number);
            let fine = match term.part {
                Part::Power { n } => n <= 12,
                Part::Exp { n, k } => n <= 6 && fits(k),
                Part::Sin { n, k } | Part::Cos { n, k } => n <= 6 && fits(k) && k > 0,
                Part::Pole { a, n } => (1..=6).contains(&n) && fits(a),
                Part::Chain { b, n } => (1..=6).contains(&n) && fits(b),
                Part::Split { p, q, a, b } => {
                    fits(p) && fits(q) && near(a) && near(b) && a < b && q != p * a && q != p * b
                }
            };
            let factor_fits = term.by != 0 && (-LARGEST_FACTOR..=LARGEST_FACTOR).contains(&term.by);
            check::that(fine && factor_fits, || "`terms` has a number that is out of bounds".to_owned())?;
        }
        let there = self.whole().is_some_and(|whole| !whole.0.is_empty() && whole.antiderivative().is_some());
        check::that(there, || "`terms` add up to nothing, or have far too many digits".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let whole = self.whole().ok_or("`terms` have far too many digits")?;
        let back = whole.antiderivative().and_then(|found| found.derivative());
        check::that(back == Some(whole), || {
            "`terms` are not what the antiderivative leads back to".to_owned()
        })?;
        Ok(Certificate::solvable("the derivative of the antiderivative is the function, term by term"))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        match aim {
            Aim::Harder => {
                let technique = rng.below(4) as u32;
                mutated.terms.push(Term::draw(technique, 2, 9, rng));
            }
            Aim::Easier => drop(mutated.terms.pop()),
            Aim::Same => {
                let by = &mut mutated.terms[rng.index(self.terms.len())].by;
                *by = by.signum() * (by.abs() % 9 + 1);
            }
        }
        mutated.check().is_ok().then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Written> {
        Formula
    }

    fn solution(&self) -> Solution {
        let parts = self.functions().unwrap_or_default();
        let step = |part: &Function| {
            let found = part.antiderivative().unwrap_or_default();
            format!("d/dx ({found}) = {part}")
        };
        Solution::new(parts.iter().map(step), self.antiderivative())
    }

    fn hints(&self) -> Vec<String> {
        self.terms.iter().map(|term| format!("For {}, {}.", term.text().1, term.technique())).collect()
    }

    fn verify(&self, answer: Written, _: &mut Budget) -> Judged {
        let whole = self.whole().unwrap_or_default();
        let Some(values) = values(&answer.text, &[&answer.node, &Written::from(&whole).node]) else {
            return Err(Failure::wrong("the derivative has numbers with far too many digits"));
        };
        let (here, slope) = (|value: Value| value.here, |value: Value| value.slope);
        let (found, derivative, wanted) = (values.of(0, here), values.of(0, slope), values.of(1, here));
        if derivative == wanted {
            return Ok(());
        }
        let worked = answer.node.function().and_then(|answer| answer.derivative());
        let wrong = Failure::wrong(described(worked.as_ref()));
        let wrong = match worked {
            Some(derivative) => {
                let right = whole.0.iter().filter(|(base, by)| derivative.0.get(base) == Some(by)).count();
                let others = derivative.0.keys().filter(|base| !whole.0.contains_key(base)).count();
                wrong.part("terms_right", right as f32 / (whole.0.len() + others) as f32)
            }
            None => wrong,
        };
        Err(match () {
            () if found == values.of(1, slope) => wrong.also("differentiated"),
            () if values.in_proportion(found, wanted) => wrong.also("not_integrated"),
            () if values.in_proportion(derivative, wanted) => wrong.also("constant_factor"),
            () => wrong,
        })
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Written> {
        let (whole, right) = (self.whole().unwrap_or_default(), self.antiderivative());
        let bases: Vec<Base> = right.0.keys().copied().collect();
        let mut slipped = || {
            let mut slipped = right.clone();
            for at in faults.draw(bases.len(), rng) {
                let by = *rng.pick(&[Rational::from(-2), Rational::from(1), Rational::from(2)]);
                let now = slipped.0.get(&bases[at]).and_then(|now| now.checked_mul(by));
                slipped.add(bases[at], now?)?;
            }
            Some(slipped)
        };
        let mut misses: Vec<Function> = [slipped(), slipped()].into_iter().flatten().collect();
        misses.extend(whole.derivative());
        misses.extend(right.scaled((-1).into()));
        misses.extend(right.scaled(2.into()));
        misses.push(whole.clone());
        misses.retain(|miss| miss.derivative().is_some_and(|derivative| derivative != whole));
        misses.iter().map(Written::from).collect()
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Written)> {
        let whole = self.whole().unwrap_or_default();
        let longer = Function::x().times(&whole).unwrap_or_default();
        let derivative = whole.derivative().unwrap_or_default();
        let guesses = [
            ("the function itself", whole),
            ("x times the function", longer),
            ("the derivative", derivative),
        ];
        guesses.iter().map(|(name, guess)| (*name, Written::from(guess))).collect()
    }

    /// Reorders the terms, takes `-x` for `x` or turns all signs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (mirror, turn) = (rng.chance(1, 2), rng.chance(1, 2));
        let image = |term: &Term| {
            let image = if mirror { term.mirrored() } else { *term };
            Term { by: if turn { -image.by } else { image.by }, ..image }
        };
        let mut terms: Vec<Term> = self.terms.iter().map(image).collect();
        rng.shuffle(&mut terms);
        Self { terms }
    }

    /// The function as one sum: the least text of its four images.
    fn fingerprint(&self) -> Vec<u8> {
        let whole = self.whole().unwrap_or_default();
        let mirrored = whole.mirrored();
        let turned = [&whole, &mirrored].map(|function| function.scaled((-1).into()).unwrap_or_default());
        let images = [whole, mirrored].into_iter().chain(turned);
        images.map(|image| image.to_string()).min().unwrap_or_default().into_bytes()
    }

    fn effort(&self) -> Effort {
        Effort::new(self.terms.iter().map(Term::work).sum(), 60)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        let open = self.functions().unwrap_or_default();
        Some(Box::new(Derivatives { open: open.iter().map(|part| Written::from(part).node).collect() }))
    }
}

/// Description of a derivative, if it can be computed.
fn described(derivative: Option<&Function>) -> String {
    match derivative {
        Some(derivative) => {
            format!("the derivative is {}", derivative.to_string().chars().take(200).collect::<String>())
        }
        None => "the derivative is a different function".to_owned(),
    }
}

/// Judges steps like `d/dx (x^3) = 3*x^2`; those with a term of the function on the right advance.
struct Derivatives {
    open: Vec<Node>,
}

impl StepJudge for Derivatives {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || format!("`{}` is not an equation like d/dx (x^3) = 3*x^2", quoted(step));
        let (left, right) = step.split_once('=').ok_or_else(refuse)?;
        let left = left.trim().strip_prefix("d/dx").ok_or_else(refuse)?;
        let read = |text: &str| Formula.read(text.trim()).map_err(|verdict| verdict.detail);
        let (left, right) = (read(left)?, read(right)?);
        let formulas: Vec<&Node> = [&left.node, &right.node].into_iter().chain(&self.open).collect();
        let values = values(step, &formulas).ok_or("the derivative has far too many digits")?;
        let shown = |at: usize| values.of(at, |value| value.here);
        if values.of(0, |value| value.slope) != shown(1) {
            let derivative = left.node.function().and_then(|left| left.derivative());
            return Ok(StepVerdict::wrong(described(derivative.as_ref())));
        }
        match (2..formulas.len()).position(|part| shown(part) == shown(1)) {
            Some(at) => {
                self.open.remove(at);
                Ok(StepVerdict::advances())
            }
            None => Ok(StepVerdict::idle(
                "true, but the right side is not a term of the function that is still to be integrated",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::verdict as judged;

    fn integral(terms: &[(i64, Part)]) -> Integral {
        let integral =
            Integral { terms: terms.iter().map(|(by, part)| Term { by: *by, part: *part }).collect() };
        integral.check().unwrap();
        integral
    }

    #[test]
    fn any_antiderivative_passes_and_nothing_else() {
        let it = integral(&[
            (6, Part::Power { n: 2 }),
            (-4, Part::Sin { n: 1, k: 2 }),
            (3, Part::Pole { a: 1, n: 1 }),
        ]);
        assert_eq!(it.text(), "6*x^2 - 4*x*sin(2*x) + 3/(x + 1)");
        for right in [
            "2*x^3 + 2*x*cos(2*x) - sin(2*x) + 3*ln(x + 1)",
            "2*x^3 + 2*x*cos(2*x) - sin(2*x) + 3*ln|x + 1| + 17 + C",
            "2*(x^3 + x*cos(2*x)) + 3*ln(2*x + 2) - 1/2*sin(2*x)*2",
            "2*x^3 + 2*x*cos(2*x) - sin(2*x) + 3*ln(x + 1) + ln(5) - e^2",
            "2*x^3 + 2*x*cos(2*x) - sin(2*x) + 3*(ln(x + 1) - ln(2))",
            "2*x^3 - 4*x*sin(x)^2 + 2*x - 2*sin(x)*cos(x) + ln((x + 1)^4/(x + 1))",
        ] {
            assert!(judged(&it, right).passed, "{right}: {:?}", judged(&it, right));
        }
        for (wrong, label) in [
            ("2*x^3 + 2*x*cos(2*x) + sin(2*x) + 3*ln(x + 1)", "wrong_answer"),
            ("12*x - 4*sin(2*x) - 8*x*cos(2*x) - 3/(x + 1)^2", "differentiated"),
            ("6*x^2 - 4*x*sin(2*x) + 3/(x + 1)", "not_integrated"),
            ("-2*x^3 - 2*x*cos(2*x) + sin(2*x) - 3*ln(x + 1)", "constant_factor"),
            ("0", "wrong_answer"),
            ("2*x^3 + 4*x*sin(x)^2 + 2*x - 2*sin(x)*cos(x) + 3*ln(x + 1)", "wrong_answer"),
        ] {
            assert_eq!(judged(&it, wrong).failures.last(), Some(&label), "{wrong}");
        }
        let close = judged(&it, "2*x^3 + 2*x*cos(2*x) - sin(2*x) + 2*ln(x + 1)");
        assert_eq!(close.parts, [("terms_right", 2.0 / 3.0)]);
    }

    #[test]
    fn a_right_answer_in_disguise_passes_and_a_wrong_one_fails() {
        let mut rng = kit::rng::Key::new("disguise", 1, "", 0, "").stream(0);
        for params in IntegrationParams::LEVELS {
            for _ in 0..10 {
                let it = Integration.generate(params, &mut rng, &mut Budget::new(10_000)).unwrap();
                let right = it.antiderivative();
                for (text, passes) in [
                    (format!("({right})*exp(x)^4/exp(4*x)"), true),
                    (format!("{right} + sin(x)^2 + cos(x)^2"), true),
                    (format!("(({right})*(x^2 + 1) - (x^2 + 1))/(x^2 + 1) + C"), true),
                    (format!("({right})*exp(x)^4/exp(3*x)"), false),
                    (format!("{right} + sin(x)^2"), false),
                    (format!("{right} + x/1000000000000"), false),
                    (format!("({right})*(x^2 + 1)/(x^2 + 2)"), false),
                ] {
                    assert_eq!(judged(&it, &text).passed, passes, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_term_has_the_mirrored_function() {
        let mut rng = kit::testing::rng(0);
        for params in IntegrationParams::LEVELS {
            let it = kit::testing::drawn(&Integration, params, &mut rng);
            for term in &it.terms {
                assert_eq!(term.mirrored().function(), Some(term.function().unwrap().mirrored()), "{term:?}");
                assert_eq!(term.mirrored().mirrored(), *term);
            }
        }
    }

    #[test]
    fn substitution_and_partial_fractions_come_out() {
        let it = integral(&[(4, Part::Chain { b: -1, n: 3 }), (2, Part::Split { p: 1, q: 4, a: 1, b: 2 })]);
        assert_eq!(it.text(), "4*x*(x^2 - 1)^3 + 2*(x + 4)/((x + 1)*(x + 2))");
        assert!(judged(&it, "(x^2 - 1)^4/2 + 6*ln(x + 1) - 4*ln(x + 2)").passed);
        assert_eq!(it.solution().steps[1], "d/dx (-4*ln(x + 2) + 6*ln(x + 1)) = -4/(x + 2) + 6/(x + 1)");
    }
}
