//! Split a number into its prime factors.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct PrimeFactorization;

params! {
    pub struct PrimeFactorizationParams {
        /// Prime factors of the number, counted with repetition.
        factors: u32 [2..=6],
        /// Upper bound on a prime factor.
        largest: u32 [7..=999],
        /// True if the number is any up to 2,000 with 2 to `factors` prime factors.
        small: bool [difficulty, if_set],
    }
    levels {
        (6, 83, true),
        (3, 999, true),
        (3, 43, false),
        (4, 43, false),
        (4, 83, false),
        (5, 127, false),
        (5, 251, false),
        (5, 499, false),
        (6, 999, false),
    }
    default 5
}

problem! {
    /// The prime factors, in ascending order, of the number that the prompt gives.
    pub struct Primes {
        factors: Vec<u64> [items(2..=6, "numbers", 2..=999)],
    }
}

impl TaskFamily for PrimeFactorization {
    type Params = PrimeFactorizationParams;
    type Problem = Value<Primes>;

    const ABOUT: About = About {
        summary: "Split a number into its prime factors.",
        distinct_from: 5,
        judged_by: JudgedBy::Constraints,
        skills: &["division_with_remainder", "primality", "trial_division"],
        guess_rate: 0.005,
        guess_score: 0.005,
        ..Value::<Primes>::about("arithmetic", "prime_factorization", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Primes>> {
        if params.small {
            return Self::small(params, rng, budget).map(Value);
        }
        let mut factors = Vec::new();
        while factors.len() < params.factors as usize {
            budget.spend(1)?;
            let drawn = 2 + rng.below(u64::from(params.largest) - 1);
            factors.extend(Some(drawn).filter(|drawn| is_prime(*drawn)));
        }
        Ok(Value(Primes::new(factors)))
    }
}

impl PrimeFactorization {
    /// Draws small numbers until one has the right factors.
    fn small(params: &PrimeFactorizationParams, rng: &mut Rng, budget: &mut Budget) -> Drawn<Primes> {
        loop {
            budget.spend(1)?;
            let drawn = Primes::of(4 + rng.below(SMALL - 3));
            let few = (2..=params.factors as usize).contains(&drawn.factors.len());
            if few && drawn.factors.iter().all(|factor| *factor <= params.largest.into()) {
                return Ok(drawn);
            }
        }
    }
}

/// Largest number that counts as small.
const SMALL: u64 = 2_000;

const PRODUCT: form::Product = form::Product { what: "prime factors" };

/// For every number below 1,000, true if it is prime.
const PRIME: [bool; 1_000] = sieve();

const fn sieve() -> [bool; 1_000] {
    let mut prime = [true; 1_000];
    (prime[0], prime[1]) = (false, false);
    let mut at = 2;
    while at * at < prime.len() {
        let mut multiple = at * at;
        while multiple < prime.len() {
            prime[multiple] = false;
            multiple += at;
        }
        at += 1;
    }
    prime
}

fn is_prime(number: u64) -> bool {
    let found = usize::try_from(number).ok().and_then(|number| PRIME.get(number));
    found.copied().unwrap_or_else(|| (2..=number.isqrt()).all(|d| !number.is_multiple_of(d)))
}

impl Primes {
    fn new(mut factors: Vec<u64>) -> Self {
        factors.sort_unstable();
        Self { factors }
    }

    /// The factors of a number.
    fn of(number: u64) -> Self {
        let (mut factors, mut rest) = (Vec::new(), number);
        while let Some(prime) = (2..=rest).find(|p| rest.is_multiple_of(*p)) {
            factors.push(prime);
            rest /= prime;
        }
        Self { factors }
    }

    fn number(&self) -> u64 {
        self.factors.iter().product()
    }

    /// Trial division by each prime in turn, until the remainder is smaller than the square of the next one
    /// and therefore prime: pairs of dividend and divisor.
    fn divisions(&self) -> impl Iterator<Item = (u64, u64)> {
        let smallest = |from: u64, rest: u64| (from..=rest.isqrt()).find(|p| is_prime(*p));
        let first = smallest(2, self.number()).map(|p| (self.number(), p));
        std::iter::successors(first, move |(rest, p)| match rest % p {
            0 => smallest(*p, rest / p).map(|next| (rest / p, next)),
            _ => smallest(p + 1, *rest).map(|next| (*rest, next)),
        })
    }
}

impl Exact for Primes {
    type Of = Vec<u64>;

    const HALF: u64 = 400;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[
        ("not_prime", "the right product, but with a factor that is not prime"),
        ("wrong_product", "the product of the factors is a different number"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("factorize", "Find the prime factorization of {number}."),
        Prompt::new(
            "product",
            "Which prime numbers multiply to {number}? Repeat a prime as often as it occurs in the product.",
        ),
        Prompt::new(
            "message",
            "Could you factor {number} completely for me? I need it as a product of primes, repeated ones included.",
        ),
        Prompt::held_out(
            "splitting",
            "A machine takes a number and splits it into two smaller whole numbers greater than 1 whose product it is. It \
             does the same to every number it gets, until nothing can be split any further. It is fed the number \
             {number}. Which numbers come out at the end?",
        ),
        Prompt::held_out(
            "spec",
            "n = {number}\n\nFactor n into primes, listing each one with its multiplicity.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("number", self.number());
    }

    fn form(&self) -> impl Form<Read = Vec<u64>> {
        PRODUCT
    }

    fn value(&self) -> Vec<u64> {
        self.factors.clone()
    }

    fn what(&self) -> String {
        "the product of the prime factors".to_owned()
    }

    fn diagnosed(&self, wrong: &Vec<u64>, _: Failure) -> Failure {
        let product = wrong.iter().try_fold(1, |product: u64, factor| product.checked_mul(*factor));
        let (number, written) = (self.number(), PRODUCT.write(wrong));
        if product != Some(number) {
            let reason =
                product.map_or("far too large".to_owned(), |product| format!("{product}, not {number}"));
            return Failure::wrong(format!("{written:.99} is {reason}")).also("wrong_product");
        }
        // A prime that divides the number is one of its prime factors.
        let split = wrong.iter().find(|factor| !self.factors.contains(factor));
        let split = split.expect("primes with the right product are the prime factors");
        Failure::wrong(format!("{split} is not prime")).also("not_prime")
    }

    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<u64>> {
        let factors = &self.factors;
        let mut slipped = factors.clone();
        for at in faults.draw(factors.len(), rng) {
            slipped[at] += 1 + rng.below(6);
        }
        let (a, b) = (rng.index(factors.len()), factors.len() - 1);
        let without = |at: usize| [&factors[..at], &factors[at + 1..]].concat();
        let merged = [&factors[..b - 1], &[factors[b - 1] * factors[b]]].concat();
        let near = [
            slipped,
            without(a),
            merged,
            [&factors[..], &[factors[a]]].concat(),
            [&[1], &factors[..]].concat(),
        ];
        near.into_iter().map(|near| Self::new(near).factors).chain([vec![self.number()]]).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<u64>)> {
        let primes: Vec<u64> = (2..20).filter(|number| is_prime(*number)).collect();
        let small = (0..4).map(|_| *rng.pick(&primes)).collect();
        vec![("the number itself", vec![self.number()]), ("four small primes", Self::new(small).factors)]
    }

    /// The trial divisions. They cost digit operations.
    fn work(&self, work: &mut Work) {
        let digits = |number: u64| u64::from(number.ilog10() + 1);
        for (rest, p) in self.divisions() {
            work.with(digits(rest) * digits(p), || match (rest / p, rest % p) {
                (quotient, 0) => format!("{rest} = {p} * {quotient}"),
                (quotient, left) => format!("{rest} = {p} * {quotient} + {left}"),
            });
        }
    }

    fn consistent(&self) -> Result<(), String> {
        check::that(self.factors.is_sorted(), || "`factors` must be in ascending order".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        check::each("factors", &self.factors, |factor| is_prime(*factor), "must be primes")?;
        Ok(Certificate::unique(format!("{} is {}, all primes", self.number(), PRODUCT.write(&self.factors))))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut factors = self.factors.clone();
        let at = rng.index(factors.len());
        factors[at] = match aim {
            Aim::Harder => (factors[at] + 1..=999).find(|next| is_prime(*next)).unwrap_or(factors[at]),
            Aim::Easier => (2..factors[at]).rfind(|next| is_prime(*next)).unwrap_or(2),
            Aim::Same => {
                let near = (factors[at] / 2).max(2)..=(2 * factors[at]).min(999);
                *rng.pick(&near.filter(|next| is_prime(*next)).collect::<Vec<_>>())
            }
        };
        Some(Primes::new(factors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trial_division_ends_when_what_is_left_is_prime() {
        let solution = Value(Primes::new(vec![7, 2, 3, 3])).solution();
        let steps = ["126 = 2 * 63", "63 = 2 * 31 + 1", "63 = 3 * 21", "21 = 3 * 7"];
        assert_eq!(
            (solution.steps, solution.answer.as_str()),
            (steps.map(String::from).into(), "2 * 3^2 * 7")
        );
        assert_eq!((1..30).filter(|number| is_prime(*number)).count(), 10);
        assert_eq!((2..=997).filter(|number| is_prime(*number)).count(), 168);
    }

    #[test]
    fn the_right_product_needs_primes_and_the_primes_the_right_product() {
        let primes = Value(Primes::new(vec![2, 2, 3, 7]));
        let reason = |text: &str| {
            let verdict =
                primes.form().read(text).and_then(|answer| primes.verify(answer, &mut Budget::new(1)));
            verdict.map_or_else(|wrong| wrong.detail, |()| "right".to_owned())
        };
        for (text, expected) in [
            ("7 * 2^2 * 3", "right"),
            ("4 * 3 * 7", "4 is not prime"),
            ("84", "84 is not prime"),
            ("1 * 2^2 * 3 * 7", "1 is not prime"),
            ("2 * 3 * 7", "2 * 3 * 7 is 42, not 84"),
            ("0 * 2 * 2 * 3 * 7", "0 * 2^2 * 3 * 7 is 0, not 84"),
            ("999999999999999999 * 84", "84 * 999999999999999999 is far too large"),
        ] {
            assert_eq!(reason(text), expected, "{text}");
        }
    }
}
