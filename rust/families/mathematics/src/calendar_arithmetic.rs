//! Find the date reached by moving through the calendar by days and weekdays.

mod walking;

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::calendar::{Date, LeapYears, gregorian, year_length};

use walking::{Move, walk};

pub struct CalendarArithmetic;

params! {
    pub struct CalendarArithmeticParams {
        /// Number of moves.
        moves: u32 [1..=20],
        /// Most days in a move; the fewest are half as many.
        days: u32 [2..=10_000],
        /// True if a third of the moves after the first go to a weekday.
        weekdays: bool [structure],
    }
    levels {
        (1, 14, false),
        (1, 60, false),
        (1, 800, false),
        (2, 1_500, true),
        (3, 2_500, true),
        (4, 4_000, true),
        (6, 6_000, true),
        (9, 8_000, true),
        (14, 10_000, true),
    }
    default 3
}

/// The first date and the moves from there.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    start: Date,
    moves: Vec<Move>,
}

const MOST_DAYS: i64 = 10_000;
/// Definition of "the next Tuesday", for moves to a weekday.
const NOTE: &str = " (If a date already falls on the weekday named, the next one is a week later.)";

impl TaskFamily for CalendarArithmetic {
    type Params = CalendarArithmeticParams;
    type Problem = Value<Dates>;

    const ABOUT: About = About {
        summary: "Find the date reached by moving through the calendar by days and weekdays.",
        skills: &["calendar", "addition", "subtraction", "modular_arithmetic"],
        guess_rate: 0.0435,
        guess_score: 0.0435,
        ..Value::<Dates>::about("arithmetic", "calendar_arithmetic", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, _: &mut Budget) -> Drawn<Value<Dates>> {
        let year = rng.int(1600, 2400) as u32;
        let start = Date::of_day(year, rng.int(1, year_length(year, gregorian)), gregorian);
        let most = i64::from(params.days);
        let moves = (0..params.moves).map(|at| {
            if at > 0 && params.weekdays && rng.chance(1, 3) {
                return Move::Weekday(rng.index(7));
            }
            let days = rng.int(most / 2, most);
            Move::Days(if rng.chance(1, 3) { -days } else { days })
        });
        Ok(Value(Dates { start, moves: moves.collect() }))
    }
}

impl Dates {
    fn end(&self, leap: LeapYears) -> Date {
        walk(self.start, &self.moves, leap, |_| ())
    }

    /// Wrong final dates, each with its label.
    fn slips(&self) -> Vec<(Date, &'static str)> {
        let end = self.end(gregorian);
        let mut slips = vec![(end.next(), "off_by_one"), (end.previous(), "off_by_one")];
        slips.push((self.end(|_| false), "leap_days_ignored"));
        slips.push((self.end(|year| year.is_multiple_of(4)), "leap_rule_of_centuries_ignored"));
        slips.retain(|(slip, _)| *slip != end && slip.exists());
        slips
    }

    /// With each run of moves by days in another order.
    fn rearranged(&self, mut order: impl FnMut(&mut [Move])) -> Self {
        let mut other = self.clone();
        let by_days = |step: &Move| matches!(step, Move::Days(_));
        other.moves.chunk_by_mut(|a, b| by_days(a) && by_days(b)).for_each(&mut order);
        other
    }
}

impl Fields for Dates {
    fn check(&self) -> Result<(), String> {
        let fits = |step: &Move| match step {
            Move::Days(days) => *days != 0 && (-MOST_DAYS..=MOST_DAYS).contains(days),
            Move::Weekday(day) => *day < 7,
        };
        check::that(self.start.exists(), || format!("`start` is {}, which is no date", self.start))?;
        check::within("start.year", &self.start.year, 1500..=2500)?;
        check::length("moves", &self.moves, 1..=20, "moves")?;
        check::that(self.moves.iter().all(fits), || {
            format!("`moves` must be of 1 to {MOST_DAYS} `days`, on or back, or to a `weekday` from 0 to 6")
        })
    }

    /// Reorders adjacent moves by days, which does not change the result.
    fn twin(&self, rng: &mut Rng) -> Self {
        self.rearranged(|run| rng.shuffle(run))
    }

    fn fingerprint(&self) -> Vec<u8> {
        let sorted = self.rearranged(<[Move]>::sort_unstable);
        serde_json::to_vec(&sorted).expect("problems serialise")
    }

    fn edit(&mut self, aim: Aim, rng: &mut Rng) -> bool {
        match aim {
            Aim::Harder => self.moves.push(Move::Days(rng.int(MOST_DAYS / 2, MOST_DAYS))),
            Aim::Easier if self.moves.len() > 1 => drop(self.moves.pop()),
            Aim::Easier => self.moves = vec![Move::Days(rng.int(1, 20))],
            Aim::Same => (0..rng.below(60)).for_each(|_| self.start = self.start.next()),
        }
        true
    }
}

impl Exact for Dates {
    type Of = Date;

    const HALF: u64 = 40;
    const MISTAKES: &'static [Label] = &[
        ("off_by_one", "one day too early or too late"),
        ("leap_days_ignored", "right if every year had 365 days"),
        ("leap_rule_of_centuries_ignored", "right if every fourth year were a leap year"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "in_turn",
            "Start on {start} (Gregorian calendar) and go {moves}.{note} What date do you reach?",
        ),
        Prompt::new(
            "list",
            "Start date: {start}\nCalendar: Gregorian\nMoves, in order:\n{list:- {move}}\n\nFind the final date.{note}",
        ),
        Prompt::new(
            "message",
            "Can you help me with a date? I start from {start} and count {moves}, all in the Gregorian calendar.{note} \
             What date do I end up with?",
        ),
        Prompt::held_out(
            "contract",
            "A contract signed on {start} says in a roundabout way when it takes effect: from the day of signing, go \
             {from_there}.{note} The Gregorian calendar applies. On what date does the contract take effect?",
        ),
        Prompt::held_out(
            "time_machine",
            "An inventor climbs into her time machine on {start} and travels through the Gregorian calendar: \
             {moves}.{note} Which date does she read on the newspaper when she finally gets out?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let told = || self.moves.iter().map(Move::told);
        slots.text("start", self.start);
        slots.with("moves", || told().joined(", then "));
        slots.with("from_there", || told().joined("; from there, go "));
        slots.lines("list", told(), |line, told| {
            line.text("move", told);
        });
        let weekdays = self.moves.iter().any(|step| matches!(step, Move::Weekday(_)));
        slots.text("note", if weekdays { NOTE } else { "" });
    }

    fn form(&self) -> impl Form<Read = Date> {
        form::Day
    }

    fn value(&self) -> Date {
        self.end(gregorian)
    }

    fn what(&self) -> String {
        "the final date".to_owned()
    }

    fn diagnosed(&self, wrong: &Date, _: Failure) -> Failure {
        let failure = Failure::wrong(format!("the moves do not lead to {wrong}"));
        match self.slips().into_iter().find(|(slip, _)| slip == wrong) {
            Some((_, label)) => failure.also(label),
            None => failure,
        }
    }

    fn mistakes(&self, _: Faults, _: &mut Rng) -> Vec<Date> {
        let end = self.end(gregorian);
        let mut near: Vec<Date> = self.slips().into_iter().map(|(slip, _)| slip).collect();
        near.push(Dates { start: self.start, moves: self.moves[1..].to_vec() }.end(gregorian));
        near.extend([Date { year: end.year + 1, ..end }, Date { month: end.day, day: end.month, ..end }]);
        near.retain(|date| date.exists());
        near
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Date)> {
        let far: i64 =
            self.moves.iter().map(|step| if let Move::Days(days) = step { days.abs() } else { 4 }).sum();
        let drawn = Dates { start: self.start, moves: vec![Move::Days(rng.int(-far, far))] };
        vec![("the first date", self.start), ("any date as far off", drawn.end(gregorian))]
    }

    /// Lines of the calculation.
    fn work(&self, work: &mut Work) {
        walk(self.start, &self.moves, gregorian, |line| {
            work.step(1, line);
        });
    }

    /// Counts days from the beginning of the calendar, whereas the solution moves from year to year.
    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let day = self.moves.iter().fold(self.start.ordinal(), |day, step| match *step {
            Move::Days(days) => day + days,
            Move::Weekday(weekday) => day + 1 + (weekday as i64 - day).rem_euclid(7),
        });
        let end = self.end(gregorian);
        check::that(day == end.ordinal(), || format!("`moves` lead to day {day} and not to {end}"))?;
        Ok(Certificate::unique(format!("day {day} of the calendar is {end}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centuries_and_weekdays_are_counted_right() {
        let moves = vec![Move::Days(100), Move::Weekday(1)];
        let dates = Value(Dates { start: Date::new(1899, 12, 31), moves });
        // 1900 was not a leap year: its day 100 is 10 April, a Tuesday.
        let steps = [
            "1899-12-31 is day 365 of 1899; 365 + 100 = 465",
            "1899 has 365 days: day 100 of 1900",
            "day 100 of 1900 is 1900-04-10",
            "1900-04-10 is a Tuesday; the first Tuesday after it comes 7 days later",
            "1900-04-10 is day 100 of 1900; 100 + 7 = 107",
            "day 107 of 1900 is 1900-04-17",
        ];
        assert_eq!(dates.solution(), Solution::new(steps.map(String::from), "1900-04-17"));
        let failures = |text: &str| kit::testing::verdict(&dates, text).failures;
        assert!(failures("1900-04-17").is_empty());
        assert!(failures("1900-04-16").contains(&"off_by_one") && failures("1901-04-17").len() == 1);
    }
}
