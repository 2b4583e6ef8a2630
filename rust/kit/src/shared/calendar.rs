//! The proleptic Gregorian calendar for the years 1 to 9999.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Monday is 0.
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Rule that decides which years have a 29 February.
pub type LeapYears = fn(u32) -> bool;

/// Every fourth year, except three of four centuries.
pub fn gregorian(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Number of days in a year.
pub fn year_length(year: u32, leap: LeapYears) -> i64 {
    if leap(year) { 366 } else { 365 }
}

fn month_length(year: u32, month: u32, leap: LeapYears) -> u32 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A date, written `2024-02-29`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Date {
    pub year: u32,
    pub month: u32,
    pub day: u32,
}

impl Date {
    pub const fn new(year: u32, month: u32, day: u32) -> Self {
        Self { year, month, day }
    }

    /// True if the calendar has this day.
    pub fn exists(self) -> bool {
        let Self { year, month, day } = self;
        (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=month_length(year, month, gregorian)).contains(&day)
    }

    /// Day of the year, from 1.
    pub fn day_of_year(self, leap: LeapYears) -> i64 {
        let before: u32 = (1..self.month).map(|month| month_length(self.year, month, leap)).sum();
        i64::from(before + self.day)
    }

    /// Date of a day of the year.
    pub fn of_day(year: u32, day: i64, leap: LeapYears) -> Self {
        let (mut month, mut left) = (1, day as u32);
        while month < 12 && left > month_length(year, month, leap) {
            left -= month_length(year, month, leap);
            month += 1;
        }
        Self { year, month, day: left }
    }

    /// Number of the day, counted from day 1 at the beginning of the year 1.
    pub fn ordinal(self) -> i64 {
        let years = i64::from(self.year) - 1;
        365 * years + years / 4 - years / 100 + years / 400 + self.day_of_year(gregorian)
    }

    /// Index in [`WEEKDAYS`]: the year 1 begins on a Monday.
    pub fn weekday(self) -> usize {
        (self.ordinal() - 1).rem_euclid(7) as usize
    }

    /// The day after.
    #[must_use]
    pub fn next(self) -> Self {
        let Self { year, month, day } = self;
        if day < month_length(year, month, gregorian) {
            Self { day: day + 1, ..self }
        } else if month < 12 {
            Self { year, month: month + 1, day: 1 }
        } else {
            Self { year: year + 1, month: 1, day: 1 }
        }
    }

    /// The day before.
    #[must_use]
    pub fn previous(self) -> Self {
        let Self { year, month, day } = self;
        if day > 1 {
            Self { day: day - 1, ..self }
        } else if month > 1 {
            Self { year, month: month - 1, day: month_length(year, month - 1, gregorian) }
        } else {
            Self { year: year - 1, month: 12, day: 31 }
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// The text is not of the form `2024-02-29`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDate;

/// Reads the form only; [`Date::exists`] checks the day.
impl FromStr for Date {
    type Err = NoDate;

    fn from_str(text: &str) -> Result<Self, NoDate> {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(NoDate);
        }
        let number = |at: std::ops::Range<usize>| text[at].parse().map_err(|_| NoDate);
        Ok(Self { year: number(0..4)?, month: number(5..7)?, day: number(8..10)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_years_are_walked_day_by_day() {
        // 1 January 2000 was a Saturday; 400 years have 146,097 days, which are whole weeks.
        let (mut date, mut count) = (Date::new(2000, 1, 1), 0);
        while date < Date::new(2400, 1, 1) {
            assert_eq!(date.weekday(), (5 + count) % 7, "{date}");
            assert_eq!(date.next().ordinal(), date.ordinal() + 1, "{date}");
            assert_eq!(Date::of_day(date.year, date.day_of_year(gregorian), gregorian), date);
            assert_eq!((date.next().previous(), date.exists()), (date, true));
            assert_eq!(date.to_string().parse(), Ok(date));
            (date, count) = (date.next(), count + 1);
        }
        assert_eq!(count, 146_097);
        // Known weekdays: the first Gregorian day, the fall of the Bastille, the first step on the moon.
        for (date, weekday) in [
            ((1582, 10, 15), "Friday"),
            ((1789, 7, 14), "Tuesday"),
            ((1969, 7, 20), "Sunday"),
            ((1, 1, 1), "Monday"),
        ] {
            assert_eq!(WEEKDAYS[Date::new(date.0, date.1, date.2).weekday()], weekday);
        }
    }

    #[test]
    fn centuries_are_leap_years_every_fourth_time() {
        for (date, exists) in
            [("2000-02-29", true), ("1900-02-29", false), ("2024-02-29", true), ("2023-02-29", false)]
        {
            assert_eq!(date.parse::<Date>().unwrap().exists(), exists, "{date}");
        }
        for none in ["0000-01-01", "2000-00-01", "2000-13-01", "2000-01-00", "2000-04-31"] {
            assert!(!none.parse::<Date>().unwrap().exists(), "{none}");
        }
        for odd in [
            "",
            "2000-1-1",
            "2000/01/01",
            "12000-01-01",
            "-200-01-01",
            "2000-01-0٣",
            "２000-01-1",
            "20000101",
        ] {
            assert_eq!(odd.parse::<Date>(), Err(NoDate), "{odd}");
        }
    }
}
