//! Compute a probability or an expected value as an exact fraction.

use self::working::ratio;
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::Rational;
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::words::count;

mod disguise;
mod working;

pub struct ExactProbability;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Any,
    Urn,
    Dice,
    Boxes,
    Walk,
    Highest,
}

params! {
    pub struct ExactProbabilityParams {
        /// Kind of experiment: `urn` (draws without replacement), `dice` (a sum of dice), `boxes` (Bayes: which box was
        /// drawn from), `walk` (a Markov chain), `highest` (an expected payout), or `any` of these.
        kind: Kind [structure],
        /// Size of the experiment: the number of draws, dice, boxes or steps grows with it.
        size: u32 [0..=9],
    }
    levels {
        (Kind::Urn, 0),
        (Kind::Any, 0),
        (Kind::Any, 1),
        (Kind::Any, 2),
        (Kind::Any, 3),
        (Kind::Any, 4),
        (Kind::Any, 5),
        (Kind::Any, 6),
        (Kind::Any, 7),
        (Kind::Any, 8),
        (Kind::Any, 9),
    }
    default 4
}

/// An experiment and the question about it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Experiment {
    /// This many balls are drawn from several colors: the probability of `wanted` or more of the first color.
    Urn { balls: Vec<i64>, draws: usize, wanted: usize },
    /// The probability of a sum of `total` or more.
    Dice { sides: Vec<i64>, total: i64 },
    /// Tickets choose the box from which balls are drawn with replacement. Each box has its number of tickets
    /// and its number of red balls, and all have the same number of balls; `red` lists the draws. The
    /// probability that it was the first box.
    Boxes { boxes: Vec<[i64; 2]>, balls: i64, red: Vec<bool> },
    /// From each place, the number of tickets to each place, the same total for all: the probability that a
    /// walk from the first place ends in the last.
    Walk { tickets: Vec<Vec<i64>>, steps: usize },
    /// The expected payout, if the highest number pays its value once it is `least` or more, and nothing
    /// otherwise.
    Highest { sides: Vec<i64>, least: i64 },
}

const COLORS: [&str; 4] = ["red", "blue", "green", "white"];
/// A probability with a smaller denominator could be guessed.
const LEAST_BELOW: i128 = 12;

impl TaskFamily for ExactProbability {
    type Params = ExactProbabilityParams;
    type Problem = Value<Experiment>;

    const ABOUT: About = About {
        summary: "Compute a probability or an expected value as an exact fraction.",
        judged_by: JudgedBy::Normalized,
        distinct_from: 10,
        guess_rate: 0.021,
        guess_score: 0.021,
        skills: &["counting", "conditional_probability", "expectation", "fractions"],
        ..Value::<Experiment>::about("probability", "exact_probability", &["First version."])
    };

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Value<Experiment>> {
        let size = params.size as usize;
        let kinds = [Kind::Urn, Kind::Dice, Kind::Boxes, Kind::Walk, Kind::Highest];
        let kind = if params.kind == Kind::Any { *rng.pick(&kinds) } else { params.kind };
        loop {
            budget.spend(10)?;
            let drawn = Value(Experiment::draw(kind, size, rng));
            if drawn.check().is_ok() && drawn.value().denominator() >= LEAST_BELOW {
                return Ok(drawn);
            }
        }
    }
}

impl Experiment {
    fn draw(kind: Kind, size: usize, rng: &mut Rng) -> Self {
        let of = |table: [usize; 10]| table[size.min(9)];
        let dice = |rng: &mut Rng| {
            let most = of([9, 7, 9, 11, 10, 11, 12, 11, 12, 12]) as i64;
            (0..of([2, 3, 3, 3, 4, 4, 4, 5, 5, 6])).map(|_| rng.int(3, most)).collect::<Vec<i64>>()
        };
        match kind {
            Kind::Any | Kind::Urn => {
                let draws = of([1, 2, 3, 3, 4, 4, 5, 6, 7, 8]);
                let colors = of([3, 2, 3, 2, 3, 3, 4, 4, 4, 4]);
                // A single draw needs more balls for as many problems.
                let most = if draws == 1 { 30 } else { 12 + 2 * size as i64 };
                let balls = (0..colors).map(|_| rng.int(3, most)).collect();
                Self::Urn { balls, draws, wanted: (draws / 2).max(1) }
            }
            Kind::Dice => {
                let sides = dice(rng);
                let total = rng.int(sides.len() as i64 + 2, sides.iter().sum::<i64>() - 1);
                Self::Dice { sides, total }
            }
            Kind::Boxes => {
                let balls = rng.int(5, 12);
                let boxes = (0..of([2, 2, 2, 3, 3, 4, 4, 5, 6, 6]))
                    .map(|_| [rng.int(1, 6), rng.int(1, balls - 1)])
                    .collect();
                let red = (0..of([1, 2, 3, 3, 4, 5, 6, 6, 7, 9])).map(|_| rng.chance(1, 2)).collect();
                Self::Boxes { boxes, balls, red }
            }
            Kind::Walk => {
                let places = of([2, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
                let all = rng.int(6, 12);
                let mut row = || {
                    let mut row = vec![1; places];
                    (places as i64..all).for_each(|_| row[rng.index(places)] += 1);
                    row
                };
                Self::Walk {
                    tickets: (0..places).map(|_| row()).collect(),
                    steps: of([2, 3, 4, 5, 5, 6, 7, 8, 7, 8]),
                }
            }
            Kind::Highest => {
                let sides = dice(rng);
                Self::Highest { least: rng.int(2, sides.iter().max().map_or(2, |most| most - 1)), sides }
            }
        }
    }

    /// The experiment and the question in words, with these words for the container and for a ball.
    fn told(&self, holder: &str, ball: &str) -> String {
        let colored = |color: &str, number: i64| count(number, &format!("{color} {ball}"));
        let dice = |sides: &[i64]| {
            format!(
                "{} fair dice with {} sides, each numbered from 1 to its number of sides",
                sides.len(),
                words::and(sides)
            )
        };
        match self {
            Self::Urn { balls, draws, wanted } => {
                let inside = COLORS.iter().zip(balls).map(|(color, number)| colored(color, *number));
                let drawn = match draws {
                    1 => format!("one {ball} from it at random"),
                    _ => format!("{draws} {ball}s from it at random, without replacement"),
                };
                let wanted = match wanted {
                    _ if *draws == 1 => "it is red".to_owned(),
                    wanted if wanted == draws => "all of them are red".to_owned(),
                    1 => "at least one of them is red".to_owned(),
                    wanted => format!("at least {wanted} of them are red"),
                };
                format!(
                    "A {holder} holds {}. You draw {drawn}. What is the probability that {wanted}?",
                    words::and(inside)
                )
            }
            Self::Dice { sides, total } => format!(
                "You roll {}. What is the probability that the numbers rolled add up to at least {total}?",
                dice(sides)
            ),
            Self::Boxes { boxes, balls, red } => {
                let inside = |(at, [tickets, reds]): (usize, &[i64; 2])| {
                    let (reds, blues) = (colored("red", *reds), colored("blue", balls - reds));
                    format!("{holder} {at} holds {reds} and {blues} and has {}", count(tickets, "ticket"))
                };
                let seen = words::and(red.iter().map(|red| if *red { "red" } else { "blue" }));
                let times = if red.len() == 2 { "twice".to_owned() } else { format!("{} times", red.len()) };
                let drawn = match red.len() {
                    1 => format!("a {ball} is drawn at random, and it is {seen}."),
                    _ => format!(
                        "a {ball} is drawn at random, its color is noted, and the {ball} is put back; this is done \
                         {times}. The colors seen, in order, are {seen}."
                    ),
                };
                format!(
                    "There are {}, each with tickets in a raffle: {}. One ticket is drawn, all of them being equally \
                     likely, and the {holder} it belongs to is chosen. From this {holder}, {drawn} Given this, what \
                     is the probability that {holder} 1 was chosen?",
                    count(boxes.len(), holder),
                    (1..).zip(boxes).map(inside).joined("; ")
                )
            }
            Self::Walk { tickets, steps } => {
                let names = ["A", "B", "C", "D"];
                let way = |(row, from): (&Vec<i64>, &str)| {
                    let ways = row.iter().zip(names).map(|(tickets, to)| format!("{tickets} for {to}"));
                    format!("at {from}, {}", words::and(ways))
                };
                format!(
                    "A traveler starts at place A. Each place has a {holder} of tickets to the next place: {}. In \
                     every step the traveler draws a ticket at random from the {holder} at the current place, puts it \
                     back, and goes to the place it names, which may be the same one. What is the probability that \
                     the traveler is at place {} after {}?",
                    tickets.iter().zip(names).map(way).joined("; "),
                    names[tickets.len() - 1],
                    count(steps, "step")
                )
            }
            Self::Highest { sides, least } => format!(
                "You roll {}. If the highest number rolled is at least {least}, you win as many coins as it says; otherwise \
                 you win nothing. What is the expected number of coins you win?",
                dice(sides)
            ),
        }
    }
}

impl Fields for Experiment {
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Urn { balls, draws, wanted } => {
                check::length("balls", balls, 2..=COLORS.len(), "colors")?;
                check::each(
                    "balls",
                    balls,
                    |count| (1..=30).contains(count),
                    "there are 1 to 30 of a color",
                )?;
                check::within("draws", draws, 1..=8)?;
                check::within("wanted", wanted, 1..=*draws)?;
                let all = balls.iter().sum::<i64>() as usize;
                check::that(*draws < all, || format!("`draws` is {draws}, but there are only {all} balls"))?;
                let few = *wanted <= balls[0] as usize;
                check::that(few, || format!("`wanted` is {wanted}, but only {} are red", balls[0]))
            }
            Self::Dice { sides, total } => {
                check::length("sides", sides, 2..=7, "dice")?;
                check::each("sides", sides, |sides| (2..=12).contains(sides), "a die has 2 to 12 sides")?;
                check::within("total", total, sides.len() as i64 + 1..=sides.iter().sum())
            }
            Self::Boxes { boxes, balls, red } => {
                check::length("boxes", boxes, 2..=6, "boxes")?;
                check::within("balls", balls, 2..=15)?;
                let tickets = boxes.iter().map(|[tickets, _]| tickets);
                check::each("boxes", tickets, |count| (1..=9).contains(count), "a box has 1 to 9 tickets")?;
                let reds = boxes.iter().map(|[_, reds]| reds);
                check::each("boxes", reds, |count| (1..*balls).contains(count), "a box holds both colors")?;
                check::length("red", red, 1..=9, "draws")
            }
            Self::Walk { tickets, steps } => {
                check::length("tickets", tickets, 2..=4, "places")?;
                let all: i64 = tickets[0].iter().take(4).map(|count| (*count).clamp(0, 99)).sum();
                for row in tickets {
                    check::length("tickets", row, tickets.len()..=tickets.len(), "places to go to")?;
                    check::each(
                        "tickets",
                        row,
                        |count| (1..=15).contains(count),
                        "there are 1 to 15 for a place",
                    )?;
                    check::that(row.iter().sum::<i64>() == all, || {
                        format!("`tickets` must have {all} for every place, as it has for the first")
                    })?;
                }
                check::within("steps", steps, 2..=8)
            }
            Self::Highest { sides, least } => {
                check::length("sides", sides, 2..=7, "dice")?;
                check::each("sides", sides, |sides| (2..=12).contains(sides), "a die has 2 to 12 sides")?;
                check::within("least", least, 1..=sides.iter().max().map_or(1, |most| *most))
            }
        }
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        self.disguised(rng)
    }

    fn fingerprint(&self) -> Vec<u8> {
        serde_json::to_vec(&self.plain()).expect("numbers serialise")
    }

    fn edit(&mut self, _: Aim, _: &mut Rng) -> bool {
        false
    }
}

impl Exact for Experiment {
    type Of = Rational;

    const HALF: u64 = 500;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("complement", "the probability that the event does not happen"),
        ("impossible", "a probability below 0 or above 1"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("experiment", "{box}"),
        Prompt::new("exactly", "Compute an exact value; do not round.\n\n{bag}\n"),
        Prompt::new(
            "message",
            "Can you check a result for me? I simulated this, but I need the exact number. {bowl}",
        ),
        Prompt::held_out(
            "wager",
            "Two friends are about to bet on a game and want to know beforehand what to expect. It goes like this. \
             {basket}",
        ),
        Prompt::held_out(
            "old_exam",
            "A teacher finds an old exam in which one answer was left blank. The problem says: \"{jar}\" Fill in the \
             answer.",
        ),
    ];

    /// Each holder has its own word for a ball.
    fn slots(&self, slots: &mut Slots<'_>) {
        for (holder, ball) in
            [("box", "ball"), ("bag", "marble"), ("bowl", "bead"), ("basket", "token"), ("jar", "chip")]
        {
            slots.with(holder, || self.told(holder, ball));
        }
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.worked().0
    }

    fn what(&self) -> String {
        "the right value".to_owned()
    }

    fn diagnosed(&self, wrong: &Rational, _: Failure) -> Failure {
        let (one, expected) = (Rational::from(1), matches!(self, Self::Highest { .. }));
        let failure = Failure::wrong(format!("the right value is not {wrong}"));
        match *wrong {
            _ if expected => failure,
            wrong if wrong < Rational::ZERO || wrong > one => {
                Failure::wrong(format!("{wrong} is not between 0 and 1")).also("impossible")
            }
            wrong if one.checked_sub(self.value()) == Some(wrong) => failure.also("complement"),
            _ => failure,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
        let value = self.value();
        let (above, below) = (value.numerator(), value.denominator());
        let near = [
            Rational::new(above + 1, below),
            Rational::new(above - 1, below),
            Rational::new(above, below + 1),
            Rational::from(1).checked_sub(value),
            value.checked_mul(ratio(rng.int(2, 3), 1)),
        ];
        near.into_iter().flatten().collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let (plain, even) = match self {
            // Of a single draw, the share of the red balls is the answer.
            Self::Urn { balls, draws: 1, .. } => (ratio(balls[0], balls[1..].iter().sum()), ratio(1, 2)),
            Self::Urn { balls, .. } => (ratio(balls[0], balls.iter().sum()), ratio(1, 2)),
            Self::Dice { sides, total } => (ratio(*total, sides.iter().sum()), ratio(1, 2)),
            Self::Boxes { boxes, .. } => {
                let all = boxes.iter().map(|[tickets, _]| tickets).sum();
                (ratio(boxes[0][0], all), ratio(1, boxes.len() as i64))
            }
            Self::Walk { tickets, .. } => (
                ratio(tickets[0][tickets.len() - 1], tickets[0].iter().sum()),
                ratio(1, tickets.len() as i64),
            ),
            Self::Highest { sides, .. } => {
                let mean = sides.iter().map(|sides| sides + 1).max().unwrap_or(0);
                (ratio(mean, 2), ratio(*sides.iter().max().unwrap_or(&1), 1))
            }
        };
        let below = rng.int(LEAST_BELOW as i64, 100);
        vec![
            ("what is plain to see", plain),
            ("all alike", even),
            ("any fraction", ratio(rng.int(1, below - 1), below)),
        ]
    }

    /// The lines, each once. They cost all digits written while working the problem out.
    fn work(&self, work: &mut Work) {
        let digits = |line: &String| line.bytes().filter(u8::is_ascii_digit).count() as u64;
        let (_, lines) = self.worked();
        work.spend(lines.iter().map(digits).sum());
        let mut known = std::collections::BTreeSet::new();
        for line in lines.iter().filter(|line| known.insert(*line)) {
            work.step(0, line);
        }
    }

    /// Enumerates all outcomes, a different method from the solution's.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let value = self.value();
        let counted = self.enumerated(budget).map_err(|over| over.to_string())?;
        check::that(counted == Some(value), || format!("`kind`: all outcomes together do not give {value}"))?;
        Ok(Certificate::unique(format!("all outcomes together give {value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_chances_come_out() {
        let dice = |total| Experiment::Dice { sides: vec![6, 6], total };
        let walk = Experiment::Walk { tickets: vec![vec![2, 2], vec![1, 3]], steps: 2 };
        for (experiment, value) in [
            (dice(11), "1/12"),
            (dice(2), "1"),
            (Experiment::Urn { balls: vec![4, 48], draws: 2, wanted: 2 }, "1/221"),
            (Experiment::Highest { sides: vec![6, 6], least: 1 }, "161/36"),
            (Experiment::Highest { sides: vec![6, 6], least: 6 }, "11/6"),
            // Twice two thirds against one third.
            (Experiment::Boxes { boxes: vec![[2, 2], [1, 1]], balls: 3, red: vec![true] }, "4/5"),
            // 1/2 * 1/2 + 1/2 * 3/4.
            (walk, "5/8"),
        ] {
            assert_eq!(experiment.value().to_string(), value);
            let counted = experiment.enumerated(&mut Budget::new(100_000)).unwrap();
            assert_eq!(counted, Some(experiment.value()), "{value}");
        }
    }

    #[test]
    fn the_complement_and_the_impossible_have_their_labels() {
        let experiment = Value(Experiment::Dice { sides: vec![6, 6], total: 11 });
        let label = |text: &str| {
            let verdict = experiment.verify(text.parse().unwrap(), &mut Budget::new(1)).unwrap_err();
            verdict.failures[verdict.failures.len() - 1]
        };
        assert_eq!(
            ["11/12", "13/12", "-1/12", "1/11"].map(label),
            ["complement", "impossible", "impossible", "wrong_answer"]
        );
    }
}
