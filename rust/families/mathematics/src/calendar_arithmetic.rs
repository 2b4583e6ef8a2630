//! Find the date reached by moving through the calendar by days and weekdays.

mod walking;

use kit::shared::calendar::{Date, LeapYears, gregorian, year_length};
use kit::task::prelude::*;

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

impl TaskFamily for CalendarArithmetic {
    type Params = CalendarArithmeticParams;
    type Problem = Dates;

    const ABOUT: About = About {
        summary: "Find the date reached by moving through the calendar by days and weekdays.",
        failures: &[
            ("off_by_one", "one day too early or too late"),
            ("leap_days_ignored", "right if every year had 365 days"),
            ("leap_rule_of_centuries_ignored", "right if every fourth year were a leap year"),
        ],
        skills: &["calendar", "addition", "subtraction", "modular_arithmetic"],
        guess_rate: 0.0435,
        guess_score: 0.0435,
        ..About::new("arithmetic", "calendar_arithmetic", &["First version."])
    };

    fn generate(
        &self,
        params: &CalendarArithmeticParams,
        rng: &mut Rng,
        _: &mut Budget,
    ) -> Result<Dates, Exhausted> {
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
        Ok(Dates { start, moves: moves.collect() })
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

    /// The moves in words, in order.
    fn told(&self, joined_by: &str) -> String {
        self.moves.iter().map(Move::told).joined(joined_by)
    }

    /// Definition of "the next Tuesday", if a move goes to a weekday.
    fn note(&self) -> &'static str {
        let weekdays = self.moves.iter().any(|step| matches!(step, Move::Weekday(_)));
        if weekdays {
            " (If a date already falls on the weekday named, the next one is a week later.)"
        } else {
            ""
        }
    }
}

impl Problem for Dates {
    type Answer = Date;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("in_turn", |dates| {
            format!(
                "Start on {} (Gregorian calendar) and go {}.{} What date do you reach?",
                dates.start,
                dates.told(", then "),
                dates.note()
            )
        }),
        Template::plain("list", |dates| {
            format!(
                "Start date: {}\nCalendar: Gregorian\nMoves, in order:\n- {}\n\nFind the final date.{}",
                dates.start,
                dates.told("\n- "),
                dates.note()
            )
        }),
        Template::plain("message", |dates| {
            format!(
                "Can you help me with a date? I start from {} and count {}, all in the Gregorian calendar.{} What \
                 date do I end up with?",
                dates.start,
                dates.told(", then "),
                dates.note()
            )
        }),
        Template::held_out_plain("deadline", |dates| {
            format!(
                "A contract signed on {} fixes its deadline in a roundabout way: from the day of signing, go {}.{} The \
                 Gregorian calendar applies. On what date is the deadline?",
                dates.start,
                dates.told("; from there, go "),
                dates.note()
            )
        }),
        Template::held_out_plain("time_machine", |dates| {
            format!(
                "An inventor climbs into her time machine on {} and travels through the Gregorian calendar: {}.{} Which \
                 date does she read on the newspaper when she finally gets out?",
                dates.start,
                dates.told(", then "),
                dates.note()
            )
        }),
    ];

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

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let Dates { mut start, mut moves } = self.clone();
        match aim {
            Aim::Harder => moves.push(Move::Days(rng.int(MOST_DAYS / 2, MOST_DAYS))),
            Aim::Easier if moves.len() > 1 => drop(moves.pop()),
            Aim::Easier => moves = vec![Move::Days(rng.int(1, 20))],
            Aim::Same => (0..rng.below(60)).for_each(|_| start = start.next()),
        }
        Some(Dates { start, moves }).filter(|dates| dates.check().is_ok())
    }

    fn form(&self) -> impl Form<Read = Date> {
        form::Day
    }

    fn solution(&self) -> Solution {
        let mut lines = Vec::new();
        let end = walk(self.start, &self.moves, gregorian, |line| lines.push(line.to_string()));
        Solution::new(lines, end)
    }

    fn answer(&self) -> String {
        walk(self.start, &self.moves, gregorian, |_| ()).to_string()
    }

    fn verify(&self, answer: Date, _: &mut Budget) -> Judged {
        if answer == self.end(gregorian) {
            return Ok(());
        }
        let wrong = Failure::wrong(format!("the moves do not lead to {answer}"));
        let slip = self.slips().into_iter().find(|(slip, _)| *slip == answer);
        Err(slip.map(|(_, label)| wrong.clone().also(label)).unwrap_or(wrong))
    }

    fn near_misses(&self, _: Faults, _: &mut Rng) -> Vec<Date> {
        let end = self.end(gregorian);
        let mut near: Vec<Date> = self.slips().into_iter().map(|(slip, _)| slip).collect();
        near.push(Dates { start: self.start, moves: self.moves[1..].to_vec() }.end(gregorian));
        near.extend([Date { year: end.year + 1, ..end }, Date { month: end.day, day: end.month, ..end }]);
        near.retain(|date| *date != end && date.exists());
        near
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Date)> {
        let far: i64 =
            self.moves.iter().map(|step| if let Move::Days(days) = step { days.abs() } else { 4 }).sum();
        let drawn = Dates { start: self.start, moves: vec![Move::Days(rng.int(-far, far))] };
        vec![("the first date", self.start), ("any date as far off", drawn.end(gregorian))]
    }

    /// Reorders adjacent moves by days, which does not change the result.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        for run in twin.moves.chunk_by_mut(|a, b| matches!((a, b), (Move::Days(_), Move::Days(_)))) {
            rng.shuffle(run);
        }
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut sorted = self.clone();
        for run in sorted.moves.chunk_by_mut(|a, b| matches!((a, b), (Move::Days(_), Move::Days(_)))) {
            run.sort_unstable();
        }
        serde_json::to_vec(&sorted).expect("problems serialise")
    }

    /// Lines of the calculation.
    fn effort(&self) -> Effort {
        let mut lines = 0;
        walk(self.start, &self.moves, gregorian, |_| lines += 1);
        Effort::new(lines, 40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centuries_and_weekdays_are_counted_right() {
        let dates = Dates { start: Date::new(1899, 12, 31), moves: vec![Move::Days(100), Move::Weekday(1)] };
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
