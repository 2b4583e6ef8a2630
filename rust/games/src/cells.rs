//! Names of cells.

/// Reads a cell such as `b2` as its row and its column, both from 0, ignoring case and spacing. There are no
/// bounds: row 0, which no board has, becomes the largest number.
pub fn read_cell(text: &str) -> Option<(u32, u32)> {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    let column = letters.next().map(|letter| letter.to_ascii_lowercase()).filter(char::is_ascii_lowercase)?;
    let digits: String = letters.collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| (digits.parse().unwrap_or(0_u32).wrapping_sub(1), column as u32 - u32::from(b'a')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_by_column_and_row() {
        for (text, cell) in [
            ("a1", Some((0, 0))),
            (" B 12 ", Some((11, 1))),
            ("a0", Some((u32::MAX, 0))),
            ("a99999999999", Some((u32::MAX, 0))),
            ("a", None),
            ("1a", None),
            ("a-1", None),
            ("\u{e9}1", None),
        ] {
            assert_eq!(read_cell(text), cell, "{text}");
        }
    }
}
