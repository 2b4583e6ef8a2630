//! Moves from date to date, and the dates they lead to.

use kit::words::count;
use std::fmt;

use serde::{Deserialize, Serialize};

use kit::shared::calendar::{Date, LeapYears, WEEKDAYS, year_length};

/// A move from one date to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// This many days forward, or backward if negative.
    Days(i64),
    /// To the first such weekday after the date; Monday is 0.
    Weekday(usize),
}

impl Move {
    /// In words, after "go": "120 days forward", "to the next Tuesday".
    pub fn told(&self) -> String {
        match *self {
            Self::Days(days) if days < 0 => format!("{} back", count(-days, "day")),
            Self::Days(days) => format!("{} forward", count(days, "day")),
            Self::Weekday(day) => format!("to the next {}", WEEKDAYS[day]),
        }
    }
}

/// The date that the moves lead to with these leap years. `line` receives the calculation line by line: days
/// of the year, carried from year to year.
pub fn walk(start: Date, moves: &[Move], leap: LeapYears, mut line: impl FnMut(fmt::Arguments)) -> Date {
    let mut date = start;
    for step in moves {
        let days = match *step {
            Move::Days(days) => days,
            Move::Weekday(wanted) => {
                let weekday = date.weekday();
                let ahead = (wanted + 6 - weekday) % 7 + 1;
                let (from, to) = (WEEKDAYS[weekday], WEEKDAYS[wanted]);
                let later = count(ahead, "day");
                line(format_args!("{date} is a {from}; the first {to} after it comes {later} later"));
                ahead as i64
            }
        };
        let (mut year, before) = (date.year, date.day_of_year(leap));
        let mut day = before + days;
        let (sign, size) = (if days < 0 { '-' } else { '+' }, days.abs());
        line(format_args!("{date} is day {before} of {year}; {before} {sign} {size} = {day}"));
        while day < 1 {
            year -= 1;
            day += year_length(year, leap);
            line(format_args!("{year} has {} days: day {day} of {year}", year_length(year, leap)));
        }
        while day > year_length(year, leap) {
            day -= year_length(year, leap);
            line(format_args!("{year} has {} days: day {day} of {}", year_length(year, leap), year + 1));
            year += 1;
        }
        date = Date::of_day(year, day, leap);
        line(format_args!("day {day} of {year} is {date}"));
    }
    date
}
