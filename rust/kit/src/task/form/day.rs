//! One date.

use super::{Form, decorated};
use crate::error::quoted;
use crate::shared::calendar::Date;
use crate::task::verdict::Failure;

/// One date of the Gregorian calendar, as `2024-02-29`.
pub struct Day;

impl Form for Day {
    type Read = Date;

    fn asks(&self) -> String {
        "Give the date as YYYY-MM-DD, four digits for the year and two each for month and day,".to_owned()
    }

    fn read(&self, text: &str) -> Result<Date, Failure> {
        let date: Result<Date, _> = text.parse();
        let date = date
            .map_err(|_| Failure::malformed(format!("`{}` is not of the form YYYY-MM-DD", quoted(text))))?;
        if date.exists() { Ok(date) } else { Err(Failure::wrong(format!("there is no day {date}"))) }
    }

    fn write(&self, answer: &Date) -> String {
        answer.to_string()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let (year, rest) = right.split_once('-').expect("a year");
        let (month, day) = rest.split_once('-').expect("a month and a day");
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{day}-{month}-{year}"),
            format!("{month}-{day}-{year}"),
            format!("{year}-{month}"),
            format!("{year}{month}{day}"),
            format!("0{right}"),
            format!("+{right}"),
            format!("{right}T00:00"),
            format!("{right}."),
            format!("{right}, {right}"),
            format!("{right}\n{right}"),
            format!("({right})"),
            format!("{year}\u{200b}-{month}-{day}"),
            format!("{}-{month}-{day}", &year[2..]),
            right.replace('-', "/"),
            right.replace('-', "."),
            right.replace('-', " "),
            right.replace('-', "\u{2010}"),
            right.replace('-', " - "),
        ]);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::verdict::label;

    #[test]
    fn a_date_has_one_spelling() {
        let leap_day = Date::new(2024, 2, 29);
        assert_eq!(Day.read("2024-02-29"), Ok(leap_day));
        assert_eq!(Day.read(&Day.write(&Date::new(987, 1, 2))), Ok(Date::new(987, 1, 2)));
        for text in Day.mangled("2024-02-29") {
            assert!(Day.read(&text).is_err_and(|bad| bad.failures == [label::MALFORMED_ANSWER]), "{text:?}");
        }
        let no_day = Day.read("2023-02-29").unwrap_err();
        assert_eq!(
            (no_day.failures[0], no_day.detail.as_str()),
            (label::WRONG_ANSWER, "there is no day 2023-02-29")
        );
    }
}
