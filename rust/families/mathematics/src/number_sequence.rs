//! Find the rule behind an integer sequence and compute a later term.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct NumberSequence;

params! {
    pub struct NumberSequenceParams {
        /// Number of preceding terms that each term depends on; with 0, the differences between terms are constant
        /// or change by a constant, as `degree` says.
        order: u32 [0..=3],
        /// Degree of the added amount: 0 if it is constant, 1 if it changes by a constant, 2 if its change
        /// changes by a constant.
        degree: u32 [0..=2],
        /// Interleaved sequences, each with a rule of its own.
        strands: u32 [1..=2],
        /// Distance from the last term shown to the requested term.
        ahead: u32 [1..=6],
    }
    levels {
        (0, 1, 1, 1),
        (0, 2, 1, 2),
        (1, 0, 1, 1),
        (1, 1, 1, 2),
        (1, 2, 1, 3),
        (2, 0, 1, 2),
        (2, 1, 1, 3),
        (2, 1, 2, 4),
        (3, 0, 1, 3),
        (3, 1, 2, 4),
    }
    default 5
    check Self::consistent;
}

impl NumberSequenceParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.order + self.degree > 0, || {
            "`degree` must be at least 1 if `order` is 0, or all terms are the same".into()
        })
    }
}

problem! {
    /// The terms shown, and the kind of rule that generates them.
    pub struct Sequence {
        terms: Vec<i64> [items(1..=40, "terms", -LARGEST..=LARGEST)],
        order: usize [0..=3],
        degree: usize [0..=2],
        strands: usize [1..=2],
        ahead: usize [1..=MOST_AHEAD],
    }
}

/// Largest absolute value of a multiplier.
const WIDEST: i64 = 3;
const LARGEST: i64 = 1_000_000_000_000;
/// Largest absolute value of a generated term.
const LARGEST_DRAWN: i64 = 50_000_000;
const MOST_AHEAD: usize = 8;

/// The rule of one strand: the multipliers of the preceding terms, nearest first, and the added amount, as
/// its first value and the first value of each of its differences.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    multipliers: Vec<i64>,
    added: Vec<i128>,
}

/// Terms, each with the amount added to get it.
type Grown = Vec<(i64, i128)>;

impl Rule {
    /// The rule with these multipliers that fits the strand, if there is one.
    fn fitting(strand: &[i64], multipliers: Vec<i64>, degree: usize) -> Option<Self> {
        let order = multipliers.len();
        let rest = |window: &[i64]| {
            let made = multipliers.iter().zip(window[..order].iter().rev());
            i128::from(window[order]) - made.map(|(by, term)| i128::from(by * term)).sum::<i128>()
        };
        let mut rests: Vec<i128> = strand.windows(order + 1).map(rest).collect();
        let mut added = Vec::new();
        for _ in 0..=degree {
            added.push(*rests.first()?);
            rests = rests.windows(2).map(|pair| pair[1] - pair[0]).collect();
        }
        (!rests.is_empty() && rests.iter().all(|rest| *rest == 0)).then_some(Self { multipliers, added })
    }

    /// The first `count` terms after these starting terms, each with the amount added; `None` if one is too
    /// large.
    fn grown(&self, starts: &[i64], count: usize) -> Option<Grown> {
        let mut added = self.added.clone();
        let mut terms: Vec<(i64, i128)> = starts.iter().map(|term| (*term, 0)).collect();
        while terms.len() < count {
            let before = terms.iter().rev().map(|(term, _)| i128::from(*term));
            let made: i128 =
                self.multipliers.iter().zip(before).map(|(by, term)| i128::from(*by) * term).sum();
            let term = i64::try_from(made + added[0]).ok().filter(|term| term.abs() <= 1_000 * LARGEST)?;
            terms.push((term, added[0]));
            for at in 1..added.len() {
                added[at - 1] += added[at];
            }
        }
        Some(terms)
    }
}

/// All combinations of multipliers for this many terms, small ones first.
fn multipliers(order: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..order {
        let longer = |some: &Vec<i64>| {
            let some = some.clone();
            (-WIDEST..=WIDEST).rev().map(move |by| [some.as_slice(), &[by]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.sort_by_key(|some| some.iter().map(|by| by.abs()).sum::<i64>());
    all
}

impl TaskFamily for NumberSequence {
    type Params = NumberSequenceParams;
    type Problem = Value<Sequence>;

    const ABOUT: About = About {
        summary: "Find the rule behind an integer sequence and compute a later term.",
        skills: &["induction", "recurrences", "differences"],
        distinct_from: 3,
        guess_rate: 0.0088,
        guess_score: 0.0088,
        ..Value::<Sequence>::about("algebra", "number_sequence", &["First version."])
    };

    /// Draws sequences until every fitting rule leads to the same answer and no simple habit does.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Sequence>> {
        let [order, degree, strands, ahead] =
            [params.order, params.degree, params.strands, params.ahead].map(|number| number as usize);
        // As many equations as unknowns, plus one to confirm them.
        let count = 2 * order + degree + 2;
        loop {
            budget.spend(400)?;
            let mut strand = || {
                let mut multipliers: Vec<i64> = (0..order).map(|_| rng.int(-WIDEST, WIDEST)).collect();
                if let Some(last) = multipliers.last_mut() {
                    *last = rng.int(1, WIDEST) * if rng.chance(1, 2) { 1 } else { -1 };
                }
                let reach = [60, 9, 4];
                let added = (0..=degree).map(|at| i128::from(rng.int(-reach[at], reach[at]))).collect();
                let reach = if order == 1 { 30 } else { 12 };
                let starts: Vec<i64> = (0..order).map(|_| rng.int(-reach, reach)).collect();
                let grown = Rule { multipliers, added }.grown(&starts, count)?;
                Some(grown.into_iter().map(|(term, _)| term).collect::<Vec<i64>>())
            };
            let Some(made) = (0..strands).map(|_| strand()).collect::<Option<Vec<_>>>() else { continue };
            let terms: Vec<i64> = (0..count * strands).map(|at| made[at % strands][at / strands]).collect();
            let drawn = Value(Sequence { terms, order, degree, strands, ahead });
            if drawn.is_varied() && drawn.check().is_ok() && drawn.values().len() == 1 {
                let value = drawn.value();
                // Terms that rise and fall again by equal changes repeat each other.
                if order == 0 && drawn.terms.contains(&value) {
                    continue;
                }
                if drawn.habits().iter().all(|(_, habit)| *habit != value) {
                    return Ok(drawn);
                }
            }
        }
    }
}

impl Sequence {
    fn strand(&self, which: usize) -> Vec<i64> {
        self.terms.iter().skip(which).step_by(self.strands).copied().collect()
    }

    /// The strand of the requested term, and the term's index in it.
    fn asked(&self) -> (Vec<i64>, usize) {
        let at = self.terms.len() + self.ahead - 1;
        (self.strand(at % self.strands), at / self.strands)
    }

    /// The rules that fit a strand, each with the number of candidates before it.
    fn rules(&self, strand: &[i64]) -> Vec<(usize, Rule)> {
        let tried = multipliers(self.order).into_iter().enumerate();
        tried.filter_map(|(at, by)| Some((at, Rule::fitting(strand, by, self.degree)?))).collect()
    }

    /// The strand up to the requested term, by the first rule that fits.
    fn made(&self) -> Option<(usize, Rule, Grown)> {
        let (strand, place) = self.asked();
        let (tried, rule) = self.rules(&strand).into_iter().next()?;
        let grown = rule.grown(&strand[..self.order], place + 1)?;
        Some((tried, rule, grown))
    }

    fn rule_and_terms(&self) -> (usize, Rule, Grown) {
        self.made().expect("`check` has found a rule")
    }

    /// Distinct values of the requested term by the rules that fit.
    fn values(&self) -> Vec<i64> {
        let (strand, place) = self.asked();
        let ends = self.rules(&strand).into_iter().filter_map(|(_, rule)| {
            let grown = rule.grown(&strand[..self.order], place + 1)?;
            grown.last().map(|(term, _)| *term)
        });
        let mut values: Vec<i64> = ends.collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// True if nearly all terms of every strand are distinct and none is very large.
    fn is_varied(&self) -> bool {
        let varied = |which| {
            let mut strand = self.strand(which);
            let count = strand.len();
            strand.sort_unstable();
            strand.dedup();
            strand.len() + 1 >= count
        };
        self.terms.iter().all(|term| term.abs() <= LARGEST_DRAWN) && (0..self.strands).all(varied)
    }

    /// Ways in which people continue a sequence without finding its rule. Equal differences, or equal changes of
    /// the difference, are the rule itself where no term depends on others.
    fn habits(&self) -> Vec<(&'static str, i64)> {
        let (strand, place) = self.asked();
        let [a, b, c] = strand[strand.len() - 3..] else { unreachable!("a strand has three terms or more") };
        let more = (place + 1 - strand.len()) as i64;
        let scaled = if b == 0 { c } else { (0..more).fold(c, |term, _| term.saturating_mul(c / b)) };
        let curved = (1..=more).fold(c, |term, step| term + (c - b) + step * (c - 2 * b + a));
        let bounded = |number: i64| number.clamp(-1_000 * LARGEST, 1_000 * LARGEST);
        let habits = [
            ("the last term again", 0, c),
            ("the last difference again", 1, c + more * (c - b)),
            ("the last quotient again", 0, bounded(scaled)),
            ("the last change of the difference again", 2, curved),
        ];
        let is_habit = |degree| self.order > 0 || degree < self.degree;
        habits
            .into_iter()
            .filter(|(_, degree, _)| is_habit(*degree))
            .map(|(name, _, term)| (name, term))
            .collect()
    }

    /// Description of the kind of rule, for the prompt.
    fn kind(&self) -> String {
        if self.order == 0 {
            return self.kind_of_progression();
        }
        let before =
            ["the term before it", "the term two places before it", "the term three places before it"];
        let added = [
            "a constant",
            "an amount that changes by a constant from each term to the next",
            "an amount whose change from each term to the next itself changes by a constant",
        ][self.degree];
        let multiples = before[..self.order].iter().map(|term| format!("a fixed multiple of {term}"));
        let sum = words::and(multiples.chain([added.to_owned()]));
        let first = ["first", "first two", "first three"][self.order - 1];
        let multipliers = if self.order * self.strands == 1 {
            "The multiplier is an integer"
        } else {
            "All multipliers are integers"
        };
        let numbers =
            format!("{multipliers} from -{WIDEST} to {WIDEST}, and the amounts added are integers, too.");
        if self.strands == 1 {
            return format!("Each term after the {first} is the sum of {sum}. {numbers}");
        }
        format!(
            "Two sequences take turns: terms 1, 3, 5 and so on form one of them, and terms 2, 4, 6 and so on the other. \
             Each of the two, taken alone, follows a rule of its own: each term after the {first} is the sum of {sum}. \
             {numbers}"
        )
    }

    fn kind_of_progression(&self) -> String {
        let rule = match self.degree {
            1 => "each term differs from the one before it by the same amount",
            _ => "the difference between a term and the next one changes by the same amount at every step",
        };
        if self.strands == 1 {
            return format!("{}{}.", rule[..1].to_uppercase(), &rule[1..]);
        }
        format!(
            "Two sequences take turns: terms 1, 3, 5 and so on form one of them, and terms 2, 4, 6 and so on the other. \
             Each of the two, taken alone, follows a rule of its own: {rule}."
        )
    }

    fn place(&self) -> usize {
        self.terms.len() + self.ahead
    }
}

impl Exact for Sequence {
    type Of = i64;

    const HALF: u64 = 150;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] =
        &[("other_place", "a term of the sequence, but not the requested one")];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "terms",
            "A sequence begins:\n\n{terms}\n\n{kind} What is term {place}? The first term shown is term 1.",
        ),
        Prompt::new(
            "machine",
            "A machine prints numbers according to a rule. {kind} So far it has printed {terms}. Counting the first of \
             these as term 1, what will term {place} be?",
        ),
        Prompt::new("spec", "Sequence, from term 1: {terms}\nKind of rule: {kind}\n\nFind term {place}."),
        Prompt::held_out(
            "notebook",
            "A page of an old notebook shows a row of numbers, {terms}, and then the paper is torn. A note below explains \
             how the row was made. {kind} If the row had gone on, what would term {place} have been, counting the first \
             number as term 1?",
        ),
        Prompt::held_out(
            "message",
            "I lost the script that generated this series and have to extend it: {terms}. All I remember is the kind of \
             formula. {kind} Can you tell me term {place}, if the first value is term 1?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("terms", self.terms.iter().map(i64::to_string).listed());
        slots.text("kind", self.kind()).text("place", self.place());
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn value(&self) -> i64 {
        let (.., made) = self.rule_and_terms();
        made[made.len() - 1].0
    }

    fn what(&self) -> String {
        format!("term {}", self.place())
    }

    fn diagnosed(&self, wrong: &i64, _: Failure) -> Failure {
        let failure = Failure::wrong(format!("{} is not {wrong}", self.what()));
        let (.., made) = self.rule_and_terms();
        let elsewhere = made.iter().any(|(term, _)| term == wrong) || self.terms.contains(wrong);
        if elsewhere { failure.also("other_place") } else { failure }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (_, mut rule, made) = self.rule_and_terms();
        let value = made[made.len() - 1].0;
        let mut near =
            vec![value + 1, value - 1, -value, made[made.len() - 2].0, self.terms[self.terms.len() - 1]];
        // A mistake in a multiplier, and one in the added amount.
        if self.order == 0 {
            near.push(2 * value - made[made.len() - 2].0);
        } else {
            rule.multipliers[rng.index(self.order)] += 1;
        }
        let starts: Vec<i64> = made[..made.len() - 1].iter().map(|(term, _)| *term).collect();
        rule.added = vec![made[made.len() - 1].1];
        near.extend(rule.grown(&starts, made.len()).and_then(|made| made.last().map(|(term, _)| *term)));
        near
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, i64)> {
        self.habits()
    }

    /// Combinations of multipliers tried on as many terms as each takes, and digits computed up to the
    /// requested term.
    fn work(&self, work: &mut Work) {
        let (tried, rule, made) = self.rule_and_terms();
        let digits = |term: i64| u64::from(term.unsigned_abs().max(1).ilog10() + 1);
        let worked: u64 = made.iter().map(|(term, _)| digits(*term) * self.order.max(1) as u64).sum();
        work.spend(self.strands as u64 * ((tried + 1) * (self.degree + 2)) as u64 + worked);
        for at in self.order.max(1)..made.len() {
            let (before, term) = (made[at - 1].0, made[at].0);
            if self.order == 0 {
                work.step(0, format_args!("{before} + {} = {term}", term - before));
                continue;
            }
            work.with(0, || {
                let products = rule.multipliers.iter().zip(made[..at].iter().rev());
                let products = products.filter(|(by, _)| **by != 0);
                let products = products.map(|(by, (term, _))| format!("{by} * {term} + "));
                format!("{}{} = {term}", products.collect::<String>(), made[at].1)
            });
        }
    }

    fn consistent(&self) -> Result<(), String> {
        check::within("degree", &self.degree, usize::from(self.order == 0)..=2)?;
        let least = self.strands * (2 * self.order + self.degree + 2);
        check::length("terms", &self.terms, least..=40, "terms")?;
        check::that(self.made().is_some(), || "`terms` fit no rule of this kind".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        match self.values().as_slice() {
            [value] => {
                Ok(Certificate::unique(format!("every rule of the kind that fits goes on to {value}")))
            }
            values => Err(format!("`terms` fit rules that go on to {} different terms", values.len())),
        }
    }

    /// Moves the requested term further away or nearer, or changes a starting term under the same rules. Where
    /// the term cannot be nearer, the first two terms begin a progression.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        match aim {
            Aim::Harder => edited.ahead += 1,
            Aim::Easier if self.ahead > 1 => edited.ahead -= 1,
            Aim::Easier => {
                let (strands, by) = (self.strands, if self.order == 0 { 2 } else { 1 });
                let term = |at: usize| {
                    let [a, b] = [0, 1].map(|place| self.terms[at % strands + place * strands] / by);
                    a + (b - a) * (at / strands) as i64
                };
                edited.terms = (0..3 * strands).map(term).collect();
                (edited.order, edited.degree) = (0, 1);
                if !edited.is_varied() {
                    return None;
                }
            }
            Aim::Same => {
                let at = rng.index(self.strands);
                let mut strand = self.strand(at);
                let (_, mut rule) = self.rules(&strand).into_iter().next()?;
                let by = *rng.pick(&[-2, -1, 1, 2]);
                match self.order {
                    0 => rule.added[0] += i128::from(by),
                    _ => strand[0] += by,
                }
                let grown = rule.grown(&strand[..self.order], strand.len())?;
                for (place, (term, _)) in grown.into_iter().enumerate() {
                    edited.terms[place * self.strands + at] = term;
                }
            }
        }
        Some(edited)
    }

    /// Negates every term of a strand, which negates the added amounts and preserves the multipliers.
    fn disguised(mut self, rng: &mut Rng) -> Self {
        let signs: Vec<i64> = (0..self.strands).map(|_| if rng.chance(1, 2) { 1 } else { -1 }).collect();
        self.terms.iter_mut().zip(signs.iter().cycle()).for_each(|(term, sign)| *term *= sign);
        self
    }

    /// The strand of the requested term: the other one is irrelevant.
    fn identity(&self) -> Vec<u8> {
        let (strand, place) = self.asked();
        let sign = strand.iter().find(|term| **term != 0).map_or(1, |term| term.signum());
        let strand: Vec<i64> = strand.iter().map(|term| sign * term).collect();
        serde_json::to_vec(&(strand, place, self.order, self.degree)).expect("numbers serialise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(terms: &[i64], [order, degree, strands, ahead]: [usize; 4]) -> Value<Sequence> {
        Value(Sequence { terms: terms.to_vec(), order, degree, strands, ahead })
    }

    #[test]
    fn known_sequences_go_on_as_known() {
        let fibonacci = sequence(&[1, 1, 2, 3, 5, 8, 13], [2, 0, 1, 3]);
        fibonacci.check().unwrap();
        assert_eq!(fibonacci.values(), [55]);
        assert_eq!(fibonacci.solution().steps[6], "1 * 21 + 1 * 13 + 0 = 34");
        let label = |answer| fibonacci.verify(answer, &mut Budget::new(1)).unwrap_err().failures;
        assert_eq!((label(54), label(34)), (vec!["wrong_answer"], vec!["wrong_answer", "other_place"]));
        // Squares, and Fibonacci numbers with squares between them.
        assert_eq!(sequence(&[0, 1, 4, 9, 16, 25], [1, 1, 1, 1]).values(), [36]);
        let mixed = sequence(&[1, 0, 1, 1, 2, 4, 3, 9, 5, 16, 8, 25, 13, 36, 21, 49], [2, 0, 2, 2]);
        assert_eq!(mixed.values(), [64]);
    }

    #[test]
    fn a_sequence_that_goes_on_in_two_ways_is_refused() {
        // Twice the previous term minus the one before it, or the term two places before plus 2.
        let two = sequence(&[1, 2, 3, 4, 5, 6], [2, 0, 1, 1]);
        assert_eq!(two.values(), [7]);
        let powers = sequence(&[1, -1, 1, -1, 1, -1], [1, 1, 1, 1]);
        assert_eq!(powers.values(), [1]);
        assert!(sequence(&[1, 2, 4, 8, 17, 30], [1, 0, 1, 1]).check().unwrap_err().contains("no rule"));
    }
}
