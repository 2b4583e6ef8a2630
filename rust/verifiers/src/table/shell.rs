//! Lines that database shells print around and between the rows of a table.

use std::borrow::Cow;

/// The text with lines of boxes as bars, dashes and plus signs.
pub fn in_ascii(text: &str) -> Cow<'_, str> {
    if !text.contains(['│', '┃', '║', '─', '━', '═']) {
        return text.into();
    }
    let ascii = |c| match c {
        '│' | '┃' | '║' => '|',
        '─' | '━' | '═' => '-',
        '\u{2500}'..='\u{257f}' => '+',
        other => other,
    };
    text.chars().map(ascii).collect::<String>().into()
}

/// The text before the count of rows at its end, and whether there is one: `(2 rows)`, `2 rows in set (0.00 sec)`.
pub fn without_count(text: &str) -> (&str, bool) {
    let is_count = |line: &str| {
        let line = line.trim();
        let inner = line.strip_prefix('(').and_then(|line| line.strip_suffix(')'));
        let (number, unit) = inner.unwrap_or(line).split_once(' ').unwrap_or_default();
        let counts = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        counts
            && match inner {
                Some(_) => matches!(unit, "row" | "rows"),
                None => unit.starts_with("row in set") || unit.starts_with("rows in set"),
            }
    };
    let is_time = |line: &str| line.trim().strip_prefix("Time: ").is_some_and(|time| time.ends_with(" ms"));
    let mut kept = text.trim_end();
    let line = |kept: &str| kept.rfind('\n').map_or(0, |at| at + 1);
    if is_time(&kept[line(kept)..]) {
        kept = kept[..line(kept)].trim_end();
    }
    let start = line(kept);
    if is_count(&kept[start..]) { (kept[..start].trim_end(), true) } else { (text, false) }
}

/// The head of a record whose columns are written one per line, `-[ RECORD 1 ]--` or `*** 1. row ***`: the mark that
/// separates names from cells.
fn record_head(line: &str) -> Option<char> {
    let line = line.trim();
    let bare = line.trim_start_matches('+').strip_prefix("-[ RECORD ").and_then(|rest| rest.split_once(" ]"));
    if let Some((number, dashes)) = bare {
        let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        return (numbered && dashes.chars().all(|c| matches!(c, '-' | '+'))).then_some('|');
    }
    let (number, unit) = line.trim_matches('*').trim().split_once(". ")?;
    let starred = line.starts_with("***") && line.ends_with("***") && unit == "row";
    (starred && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(':')
}

/// The rows of records whose columns are written one per line, after a row of the names; `None` for any other text.
pub fn records(text: &str) -> Option<Result<Vec<Vec<&str>>, String>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let mark = record_head(lines.peek()?)?;
    let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
    for line in lines {
        if record_head(line).is_some() {
            rows.push(Vec::new());
            continue;
        }
        let Some((name, cell)) = line.split_once(mark) else {
            return Some(Err(format!("the line `{}` of a record has no `{mark}`", kit::error::quoted(line))));
        };
        let (record, name) = (rows.len() - 1, name.trim());
        let at = rows[record].len();
        if record == 1 {
            rows[0].push(name);
        } else if rows[0].get(at) != Some(&name) {
            return Some(Err(format!("record {record} has other columns than the first")));
        }
        rows[record].push(cell.trim());
    }
    Some(Ok(rows))
}
