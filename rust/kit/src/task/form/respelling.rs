//! Separators that models use unasked; each spelling has only one meaning.

/// A number without commas between its thousands: `-9,973` as `-9973`.
pub fn ungrouped(text: &str) -> Option<String> {
    let digits = text.strip_prefix(['-', '−', '+']).unwrap_or(text);
    let (first, rest) = digits.split_once(',')?;
    let is_group = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && is_group(first)
        && rest.split(',').all(|group| group.len() == 3 && is_group(group));
    grouped.then(|| text.replace(',', ""))
}

/// The items of a list without the brackets around all of it, or from separate lines.
pub fn listed(text: &str) -> Option<String> {
    let items = unbracketed(text);
    let separator = [',', ';', '\n'].into_iter().find(|separator| items.contains(*separator));
    let items: Vec<&str> = separator.map_or(vec![items], |separator| items.split(separator).collect());
    joined(items.into_iter(), text)
}

/// [`listed`] for numbers, which may be separated by spaces alone.
pub fn listed_numbers(text: &str) -> Option<String> {
    let items = unbracketed(text);
    if items.contains([',', ';']) { listed(text) } else { joined(items.split_whitespace(), text) }
}

fn unbracketed(text: &str) -> &str {
    let brackets = [('[', ']'), ('(', ')'), ('{', '}')];
    let inner = |(open, close)| text.strip_prefix(open)?.strip_suffix(close);
    brackets.into_iter().find_map(inner).unwrap_or(text).trim()
}

fn joined<'a>(items: impl Iterator<Item = &'a str>, before: &str) -> Option<String> {
    let items = items.map(str::trim).collect::<Vec<_>>().join(", ");
    (items != before).then_some(items)
}

/// Rows of numbers separated by commas, by bars as between the boxes of a sudoku or, if each number is one
/// digit of `columns` in a row, by nothing.
pub fn rows(text: &str, columns: Option<usize>) -> Option<String> {
    let is_rule = |line: &&str| line.contains('-') && line.chars().all(|mark| "-+=| ".contains(mark));
    let row = |line: &str| {
        if line.contains(',') {
            let words: Vec<&str> = line.split(',').map(str::trim).collect();
            return if words.contains(&"") { line.to_owned() } else { words.join(" ") };
        }
        let words: Vec<&str> = line.split(['|', ' ', '\t']).filter(|word| !word.is_empty()).collect();
        let packed: String = words.concat();
        let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'_');
        if Some(packed.len()) == columns && packed.bytes().all(is_digit) {
            packed.chars().map(String::from).collect::<Vec<_>>().join(" ")
        } else {
            words.join(" ")
        }
    };
    let lines = text.lines().map(str::trim).filter(|line| !is_rule(line));
    let spelled = lines.map(row).collect::<Vec<_>>().join("\n");
    (spelled != text).then_some(spelled)
}

#[cfg(test)]
mod tests {
    use crate::task::form::{Choices, Form, Grid, Integer, Integers, Sequence};

    /// The form's reading of a text that needs respelling.
    fn read<F: Form>(form: &F, text: &str) -> Option<String> {
        assert!(form.read(text).is_err(), "{text:?} needs no other spelling");
        let read = form.read(&form.respelled(text)?).ok()?;
        Some(form.write(&read))
    }

    #[test]
    fn two_answers_stay_two() {
        for hedge in [
            "9,97",
            "99,73",
            "9973,9974",
            "0,973",
            "9,9733",
            ",973",
            "9,,973",
            "9, 973",
            "9,973 or 1",
            "1,234,5",
        ] {
            assert_eq!(read(&Integer, hedge), None, "{hedge}");
        }
        let pair = Integers { count: 2, what: "numbers" };
        for hedge in [
            "1, 2 3",
            "[1, 2] [3, 4]",
            "1, 2; 3, 4",
            "[1, 2] or 3",
            "1 or 2",
            "1 2 3",
            "[1, 2",
            "(1, 2]",
            "1,, 2",
        ] {
            assert_eq!(read(&pair, hedge), None, "{hedge}");
        }
        let grid = Grid::completed(2);
        for hedge in [
            "1 2\n2 1\n\n2 1\n1 2",
            "1|2 2\n2 1",
            "1,2 2,1",
            "12 21",
            "12\n21\n12",
            "1 or 2\n2 1",
            "1,,2\n2,1",
        ] {
            assert_eq!(read(&grid, hedge), None, "{hedge}");
        }
    }

    #[test]
    fn other_separators_are_read() {
        for (text, number) in [("9,973", "9973"), ("-12,345,678", "-12345678"), ("+1,000", "1000")] {
            assert_eq!(read(&Integer, text).as_deref(), Some(number), "{text}");
        }
        let pair = Integers { count: 2, what: "numbers" };
        for text in ["[1, -2]", "(1, -2)", "1 -2", "1\n-2", "1; -2", "{1 -2}"] {
            assert_eq!(read(&pair, text).as_deref(), Some("1, -2"), "{text}");
        }
        assert_eq!(read(&Choices { count: 5, what: "ones" }, "[]"), None);
        assert_eq!(read(&Choices { count: 5, what: "ones" }, "{3 4}").as_deref(), Some("3, 4"));
        let words = ["up", "left 2"].map(String::from).to_vec();
        let moves = Sequence { what: "the moves".to_owned(), words };
        for text in ["[up, left 2]", "up\nleft 2", "up; left 2"] {
            assert_eq!(read(&moves, text).as_deref(), Some("up, left 2"), "{text}");
        }
        assert_eq!(read(&moves, "up left 2"), None);
    }

    #[test]
    fn rows_are_read_by_commas_bars_and_digits() {
        let grid = Grid::completed(4);
        let right = "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1";
        for text in [
            "1, 2, 3, 4\n3, 4, 1, 2\n2, 1, 4, 3\n4, 3, 2, 1",
            "1234\n3412\n2143\n4321",
            "1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1",
            "| 1 2 | 3 4 |\n| 3 4 | 1 2 |\n|-----|-----|\n| 2 1 | 4 3 |\n| 4 3 | 2 1 |",
            "12|34\n34|12\n--+--\n21|43\n43|21",
        ] {
            assert_eq!(read(&grid, text).as_deref(), Some(right), "{text}");
        }
        let wide = Grid::<i64> { what: "the product", rows: 1, columns: 2, low: -99, high: 99, empty: None };
        assert_eq!(read(&wide, "12"), None);
        assert_eq!(read(&wide, "-1, 2").as_deref(), Some("-1 2"));
    }
}
