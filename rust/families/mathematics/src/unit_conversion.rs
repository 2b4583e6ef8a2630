//! Convert an amount along a chain of units.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::Rational;
use kit::shared::route;
use kit::task::form::fraction::NOT_LOWEST_TERMS;

pub struct UnitConversion;

params! {
    pub struct UnitConversionParams {
        /// Equalities needed to get from the given unit to the requested one.
        hops: u32 [1..=12],
        /// Equalities that are not needed.
        distractors: u32 [0..=12],
        /// Largest number in an equality.
        largest: u32 [5..=60],
    }
    levels {
        (1, 5, 9),
        (1, 5, 15),
        (2, 2, 9),
        (2, 3, 20),
        (3, 3, 20),
        (4, 4, 30),
        (5, 5, 40),
        (6, 6, 50),
        (8, 8, 60),
        (11, 11, 60),
    }
    default 4
}

/// Unit names, rates between them, and the amount to convert from one unit to another.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    units: Vec<String>,
    rates: Vec<Rate>,
    amount: u32,
    from: usize,
    to: usize,
}

/// An equality between amounts of two units.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    left: u32,
    unit: usize,
    right: u32,
    other: usize,
}

const MOST_UNITS: usize = 26;
const LARGEST: u32 = 60;
const LARGEST_AMOUNT: u32 = 1_000;

impl TaskFamily for UnitConversion {
    type Params = UnitConversionParams;
    type Problem = Value<Conversion>;

    const ABOUT: About = About {
        summary: "Convert an amount along a chain of units.",
        judged_by: JudgedBy::Normalized,
        skills: &["unit_conversion", "fractions", "graph_search"],
        distinct_from: 1,
        guess_rate: 0.11,
        guess_score: 0.11,
        ..Value::<Conversion>::about("arithmetic", "unit_conversion", &["First version."])
    };

    /// The rates form a tree: every unit beyond the needed ones hangs on an earlier one. Draws until the
    /// amount changes, and differs from the result of applying all rates as listed.
    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Value<Conversion>> {
        let (hops, count) = (params.hops as usize, (params.hops + params.distractors) as usize + 1);
        let largest = i64::from(params.largest);
        loop {
            budget.spend(count as u64)?;
            let mut rate = |unit: usize| {
                let other = if unit <= hops { unit - 1 } else { rng.index(unit) };
                let left = rng.int(1, largest);
                let right = rng.int(1, largest - 1);
                // The two numbers of a rate always differ.
                let right = right + i64::from(right >= left);
                let rate = Rate { left: left as u32, unit, right: right as u32, other };
                if rng.chance(1, 2) { rate } else { rate.turned() }
            };
            let mut rates: Vec<Rate> = (1..count).map(&mut rate).collect();
            rng.shuffle(&mut rates);
            let (units, amount) = (made_up(count, rng), rng.int(2, 10 * largest) as u32);
            let drawn = Conversion { units, rates, amount, from: 0, to: hops };
            let value = drawn.worth(&drawn.way());
            if value != Some(i64::from(amount).into()) && value != drawn.worth(&drawn.rates) {
                return Ok(Value(drawn));
            }
        }
    }
}

/// Invented names of units, so that their values appear only in the prompt.
fn made_up(count: usize, rng: &mut Rng) -> Vec<String> {
    const STARTS: [&str; 9] = ["bl", "d", "gr", "k", "m", "pl", "t", "v", "z"];
    const ENDS: [&str; 6] = ["ofa", "erba", "ibo", "oltu", "umi", "axo"];
    let mut names: Vec<String> =
        STARTS.iter().flat_map(|start| ENDS.map(|end| format!("{start}{end}"))).collect();
    rng.shuffle(&mut names);
    names.truncate(count);
    names
}

impl Rate {
    fn turned(self) -> Self {
        Self { left: self.right, unit: self.other, right: self.left, other: self.unit }
    }

    /// Amount of the other unit in one of the first.
    fn factor(self) -> Option<Rational> {
        Rational::new(self.right.into(), self.left.into())
    }
}

impl Conversion {
    /// For every unit, the rates that lead to it, each from the unit before to the unit after; `None` if it
    /// cannot be reached.
    fn ways(&self) -> Vec<Option<Vec<Rate>>> {
        let mut ways: Vec<Option<Vec<Rate>>> = vec![None; self.units.len()];
        ways[self.from] = Some(Vec::new());
        // As many rounds as units reach all of them.
        for _ in &self.units {
            for rate in self.rates.iter().flat_map(|rate| [*rate, rate.turned()]) {
                if let (Some(way), None) = (&ways[rate.unit], &ways[rate.other]) {
                    ways[rate.other] = Some([way.as_slice(), &[rate]].concat());
                }
            }
        }
        ways
    }

    /// The rates that lead to the requested unit.
    fn way(&self) -> Vec<Rate> {
        self.ways().swap_remove(self.to).unwrap_or_default()
    }

    /// The amount after each hop.
    fn amounts(&self, way: &[Rate]) -> Option<Vec<Rational>> {
        let mut amount = Rational::from(i64::from(self.amount));
        let hop = |rate: &Rate| {
            amount = amount.checked_mul(rate.factor()?)?;
            Some(amount)
        };
        way.iter().map(hop).collect()
    }

    fn worth(&self, way: &[Rate]) -> Option<Rational> {
        Some(self.amounts(way)?.last().copied().unwrap_or(i64::from(self.amount).into()))
    }

    /// Results of common slips, each with its label.
    fn slips(&self) -> Vec<(Rational, &'static str)> {
        let way = self.way();
        let turned: Vec<Rate> = way.iter().map(|rate| rate.turned()).collect();
        let mut slips = vec![(turned, "upside_down")];
        for at in 0..way.len() {
            slips.push(([&way[..at], &way[at + 1..]].concat(), "one_hop_missing"));
            let mut one = way.clone();
            one[at] = one[at].turned();
            slips.push((one, "one_hop_turned"));
        }
        let right = self.worth(&way);
        let worth = slips.into_iter().filter_map(|(way, label)| Some((self.worth(&way)?, label)));
        worth.filter(|(slip, _)| Some(*slip) != right).collect()
    }

    /// "12 blofa".
    fn given(&self) -> String {
        format!("{} {}", self.amount, self.units[self.from])
    }
}

impl Fields for Conversion {
    fn check(&self) -> Result<(), String> {
        check::length("units", &self.units, 2..=MOST_UNITS, "units")?;
        route::check_names(&self.units)?;
        let units = self.units.len();
        // With one rate fewer than units, all connected, there is exactly one path between any two.
        check::length("rates", &self.rates, units - 1..=units - 1, "rates")?;
        for Rate { left, unit, right, other } in &self.rates {
            check::within("left", left, 1..=LARGEST)?;
            check::within("right", right, 1..=LARGEST)?;
            check::within("unit", unit, 0..=units - 1)?;
            check::within("other", other, 0..=units - 1)?;
        }
        check::within("amount", &self.amount, 1..=LARGEST_AMOUNT)?;
        check::within("from", &self.from, 0..=units - 1)?;
        check::within("to", &self.to, 0..=units - 1)?;
        check::that(self.from != self.to, || format!("`from` and `to` are both {}", self.to))?;
        let ways = self.ways();
        if let Some(lost) = ways.iter().position(Option::is_none) {
            return Err(format!("`rates` do not lead from `from` to {}", self.units[lost]));
        }
        check::length("rates", &self.way(), 1..=16, "rates on the way")
    }

    /// Renames and reorders the units, reverses some rates, and changes the numbers of unneeded ones.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        twin.units = made_up(self.units.len(), rng);
        let way = self.way();
        let on_the_way = |rate: &Rate| {
            way.iter().any(|hop| {
                [hop.unit, hop.other] == [rate.unit, rate.other]
                    || [hop.other, hop.unit] == [rate.unit, rate.other]
            })
        };
        let turn = |rate: &Rate| {
            let (left, right) = (rate.left, rate.right);
            let elsewhere = !on_the_way(rate) && rng.chance(1, 2);
            let rate = if elsewhere { Rate { left: right, right: left, ..*rate } } else { *rate };
            if rng.chance(1, 2) { rate } else { rate.turned() }
        };
        twin.rates = self.rates.iter().map(turn).collect();
        rng.shuffle(&mut twin.rates);
        twin
    }

    /// The needed rates alone, in lowest terms: the others change nothing.
    fn fingerprint(&self) -> Vec<u8> {
        let way = self.way();
        let factors: Vec<String> =
            way.iter().filter_map(|rate| rate.factor()).map(|factor| factor.to_string()).collect();
        serde_json::to_vec(&(self.amount, factors)).expect("numbers serialise")
    }

    fn edit(&mut self, aim: Aim, rng: &mut Rng) -> bool {
        match (aim, self.way().as_slice()) {
            (Aim::Harder, _) => {
                let Some(name) = route::fresh_name(&self.units) else { return false };
                let (left, right) = (rng.int(20, 60) as u32, rng.int(11, 19) as u32);
                self.rates.push(Rate { left, unit: self.to, right, other: self.units.len() });
                self.to = self.units.len();
                self.units.push(name);
            }
            (Aim::Easier, [.., before, _]) => self.to = before.other,
            (Aim::Easier, _) => return false,
            (Aim::Same, _) => self.amount += 1,
        }
        true
    }
}

impl Exact for Conversion {
    type Of = Rational;

    const HALF: u64 = 150;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("upside_down", "every equality on the way is applied the wrong way around"),
        ("one_hop_missing", "right except that one equality on the way is left out"),
        ("one_hop_turned", "right except that one equality is applied the wrong way around"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "equal",
            "Each line below gives two amounts that are equal:\n\n{rates:{left} = {right}}\n\nHow many {to} equal {given}?",
        ),
        Prompt::new(
            "convert",
            "Convert {given} to {to}. Here is all that is known about the units:\n\n{rates:{left} is the same amount as \
             {right}.}\n",
        ),
        Prompt::new(
            "message",
            "I have an old recipe that calls for {given}, but my scale only shows {to}. These are the equivalents I could \
             find:\n\n{rates:{left} = {right}}\n\nHow much should I measure out? An exact fraction is fine.",
        ),
        Prompt::held_out(
            "market",
            "At a market, goods are traded for one another at fixed rates, in either direction and in any fraction of a \
             piece. The board says:\n\n{rates:{left} for {right}}\n\nA visitor comes with {given} and wants to leave with \
             nothing but {to}. How many will that be?",
        ),
        Prompt::held_out(
            "spec",
            "Equivalents:\n{rates:- {left} = {right}}\n\nAmount: {given}\nTarget unit: {to}\n\nConvert the amount exactly.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let amount = |count: u32, unit: usize| format!("{count} {}", self.units[unit]);
        slots.text("given", self.given()).text("to", &self.units[self.to]);
        slots.lines("rates", &self.rates, |line, rate| {
            line.text("left", amount(rate.left, rate.unit)).text("right", amount(rate.right, rate.other));
        });
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.worth(&self.way()).expect("16 rates are no long numbers")
    }

    fn what(&self) -> String {
        format!("the amount of {}", self.units[self.to])
    }

    fn diagnosed(&self, wrong: &Rational, _: Failure) -> Failure {
        let failure = Failure::wrong(format!("{} is not {wrong} {}", self.given(), self.units[self.to]));
        match self.slips().iter().find(|(slip, _)| slip == wrong) {
            Some((_, label)) => failure.also(label),
            None => failure,
        }
    }

    fn mistakes(&self, _: Faults, _: &mut Rng) -> Vec<Rational> {
        let (value, one) = (self.value(), Rational::from(1));
        let near = [value.checked_add(one), value.checked_sub(one), one.checked_div(value), Some(-value)];
        near.into_iter().flatten().chain(self.slips().into_iter().map(|(slip, _)| slip)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let amount = Rational::from(i64::from(self.amount));
        let worth = |rates: &[Rate]| self.worth(rates).unwrap_or(amount);
        let mut either_way = self.rates.clone();
        rng.shuffle(&mut either_way);
        for rate in &mut either_way {
            *rate = if rng.chance(1, 2) { *rate } else { rate.turned() };
        }
        vec![
            ("the amount", amount),
            ("one rate, either way", worth(&either_way[..1])),
            ("two rates, either way", worth(&either_way[..either_way.len().min(2)])),
            ("all rates as they stand", worth(&self.rates)),
        ]
    }

    /// The hops from unit to unit. They cost digit operations, and the search for each among the rates.
    fn work(&self, work: &mut Work) {
        let digits = |number: i128| u64::from(number.unsigned_abs().max(1).ilog10() + 1);
        let way = self.way();
        let mut before = Rational::from(i64::from(self.amount));
        for (Rate { left, unit, right, other }, after) in
            way.iter().zip(self.amounts(&way).unwrap_or_default())
        {
            let sizes = digits(before.numerator()) + digits(before.denominator());
            let cost = sizes * (digits((*left).into()) + digits((*right).into())) + self.rates.len() as u64;
            let [unit, other] = [unit, other].map(|unit| &self.units[*unit]);
            work.hinted(
                cost,
                format_args!("Look for the rate between {unit} and {other}."),
                format_args!("{before} {unit} = {before} * {right} / {left} {other} = {after} {other}"),
            );
            before = after;
        }
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let value = self.value();
        // Converting back must give the original amount.
        let back = Conversion { from: self.to, to: self.from, amount: 1, ..self.clone() };
        let returned = back.worth(&back.way()).and_then(|rate| rate.checked_mul(value));
        check::that(returned == Some(i64::from(self.amount).into()), || {
            "`rates` lead elsewhere on the way back".to_owned()
        })?;
        Ok(Certificate::unique(format!("there is one way between the units, and it leads to {value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 a = 2 b, 5 c = 7 b, and d, which is not needed.
    fn small() -> Value<Conversion> {
        let rate = |left, unit, right, other| Rate { left, unit, right, other };
        Value(Conversion {
            units: ["a", "b", "c", "d"].map(String::from).to_vec(),
            rates: vec![rate(3, 0, 2, 1), rate(5, 2, 7, 1), rate(4, 3, 9, 0)],
            amount: 12,
            from: 0,
            to: 2,
        })
    }

    #[test]
    fn rates_are_taken_from_either_side() {
        let solution = small().solution();
        assert_eq!(solution.steps, ["12 a = 12 * 2 / 3 b = 8 b", "8 b = 8 * 5 / 7 c = 40/7 c"]);
        assert_eq!(solution.answer, "40/7");
        let labels = ["126/5", "8", "56/5", "12"].map(|text| {
            let answer = form::Fraction.read(text).unwrap();
            *small().verify(answer, &mut Budget::new(1)).unwrap_err().failures.last().unwrap()
        });
        assert_eq!(labels, ["upside_down", "one_hop_missing", "one_hop_turned", label::WRONG_ANSWER]);
    }

    #[test]
    fn rates_that_do_not_join_the_units_are_refused() {
        let mut loose = small();
        loose.0.rates[1].unit = 0;
        assert!(loose.check().unwrap_err().contains("do not lead"));
    }
}
