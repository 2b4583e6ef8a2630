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

/// Moves of fewer days end in the same month or in one next to it.
const SHORTEST_MONTH: i64 = 28;

fn month_length(year: u32, month: u32, leap: LeapYears) -> i64 {
    let first = |month| Date::new(year, month, 1).day_of_year(leap);
    if month == 12 { 31 } else { first(month + 1) - first(month) }
}

/// The date that a move of a few days leads to: days of the month, carried to the next one.
fn step(date: Date, days: i64, leap: LeapYears, line: &mut impl FnMut(fmt::Arguments)) -> Date {
    let Date { mut year, mut month, day: before } = date;
    let (sign, size) = (if days < 0 { '-' } else { '+' }, days.abs());
    let mut day = i64::from(before) + days;
    line(format_args!("{date} is day {before} of its month; {before} {sign} {size} = {day}"));
    if day < 1 {
        (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
        let length = month_length(year, month, leap);
        day += length;
        line(format_args!("the month before has {length} days: day {day} of it"));
    } else if day > month_length(year, month, leap) {
        let length = month_length(year, month, leap);
        day -= length;
        line(format_args!("the month has {length} days: day {day} of the next one"));
        (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    }
    Date::new(year, month, day as u32)
}

/// The date that the moves lead to with these leap years. `line` receives the calculation line by line: days
/// of the year, carried from year to year, or of the month if the move is short.
pub fn walk(start: Date, moves: &[Move], leap: LeapYears, mut line: impl FnMut(fmt::Arguments)) -> Date {
    let mut date = start;
    for way in moves {
        let days = match *way {
            Move::Days(days) if days.abs() < SHORTEST_MONTH => {
                date = step(date, days, leap, &mut line);
                continue;
            }
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
