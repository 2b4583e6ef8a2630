//! Reads tables from text: CSV, Markdown and the output of database shells, JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Columns, TableEqual, shell};
use crate::number::Number;
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::shared::decimal::{Decimal, signed};
use kit::shared::json::{Json, Unread};

/// Format of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON if it starts with a bracket, Markdown if it has a line of dashes, else CSV, separated by tabs if
    /// it has any.
    #[default]
    Auto,
    Csv,
    Markdown,
    Json,
}

#[derive(Clone, Debug)]
pub enum Cell {
    Null,
    Bool(bool),
    /// With a nearby float, if numbers need only be near.
    Number(Number, f64),
    Text(String),
}

impl Cell {
    pub fn approximate(&self) -> Option<f64> {
        if let Self::Number(_, near) = self { Some(*near) } else { None }
    }

    /// For a person.
    pub fn shown(&self) -> String {
        match self {
            Self::Null => "NULL".into(),
            Self::Bool(value) => format!("`{value}`"),
            Self::Number(number, _) => format!("`{}`", quoted(&number.to_string())),
            Self::Text(text) => format!("`{}`", quoted(text)),
        }
    }

    fn number(decimal: Decimal, metric: &TableEqual) -> Self {
        let near = if metric.tolerance > 0.0 { decimal.approximate() } else { 0.0 };
        Self::Number(decimal.into(), near)
    }
}

#[derive(Debug)]
pub struct Table {
    /// `None` if the names of columns are ignored.
    pub names: Option<Vec<String>>,
    /// True if the columns have an order; those of JSON objects have none.
    pub ordered: bool,
    /// All of the same width.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn width(&self) -> usize {
        self.names.as_ref().map_or_else(|| self.rows.first().map_or(0, Vec::len), Vec::len)
    }

    /// True if it says nothing about its columns, like `[]`.
    pub fn unnamed(&self) -> bool {
        self.width() == 0
    }

    /// A row, for a person.
    pub fn shown(&self, row: usize) -> String {
        let cells: Vec<_> = self.rows[row].iter().take(6).map(|cell| cell.shown().replace('`', "")).collect();
        quoted(&cells.join(", "))
    }
}

/// A cell as written; true if it is in quotes.
type Written<'a> = (Cow<'a, str>, bool);

/// Reason why a text is not a table.
type Told = String;

/// Reads a table. Total, and linear in the text except for very long numbers, which spend more.
pub fn read(
    text: &str,
    metric: &TableEqual,
    format: Format,
    budget: &mut Budget,
) -> Result<Result<Table, Told>, OverBudget> {
    budget.spend(text.len() as u64 * 2)?;
    let text = unfenced(text);
    let shell = matches!(format, Format::Auto | Format::Markdown) && !text.starts_with(['[', '{']);
    let ascii = if shell { shell::in_ascii(text) } else { text.into() };
    let (text, counted) = if shell { shell::without_count(&ascii) } else { (text, false) };
    if text.is_empty() {
        let nothing = || named(Some(Vec::new()), Vec::new(), false, metric);
        return Ok(if counted { nothing() } else { Err("there is no table".into()) });
    }
    if let Some(records) = shell::records(text).filter(|_| shell) {
        let skip = usize::from(metric.columns == Columns::NoHeader);
        let written = |row: Vec<&str>| -> Vec<Written<'static>> {
            row.into_iter().map(|cell| (cell.to_owned().into(), false)).collect()
        };
        return match records {
            Ok(rows) => from_written(rows.into_iter().skip(skip).map(written).collect(), metric, budget),
            Err(told) => Ok(Err(told)),
        };
    }
    let first = text.lines().next().unwrap_or_default();
    let tabs = first.contains('\t');
    let bars = shell && first.contains('|') && (counted || !first.contains(','));
    let found = match format {
        Format::Auto if text.starts_with(['[', '{']) => Format::Json,
        Format::Auto if is_ruled(text, counted) => Format::Markdown,
        Format::Auto => Format::Csv,
        given => given,
    };
    let written = match found {
        Format::Json => return from_json(text, metric, budget),
        Format::Markdown => markdown(text),
        _ if tabs && metric.delimiter == "," => csv(text, '\t'),
        _ if bars && metric.delimiter == "," => csv(text, '|'),
        _ => csv(text, metric.delimiter.chars().next().unwrap_or(',')),
    };
    match written {
        Ok(rows) => from_written(rows, metric, budget),
        Err(told) => Ok(Err(told)),
    }
}

/// The text without a code fence around all of it.
fn unfenced(text: &str) -> &str {
    let text = text.trim_matches(['\n', '\r', ' ', '\u{feff}']);
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let inner = inner.and_then(|inner| {
        let (info, rest) = inner.split_once('\n')?;
        info.trim().chars().all(char::is_alphanumeric).then(|| rest.trim_matches(['\n', '\r', ' ']))
    });
    inner.unwrap_or(text)
}

/// A line of dashes between bars or plus signs.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.chars().all(|c| matches!(c, '-' | '|' | ':' | '+' | ' ' | '='))
}

/// True for a table with a line of dashes; that of one column is known by the shell's count of rows.
fn is_ruled(text: &str, counted: bool) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let bordered = first.trim_start().starts_with(['|', '+']);
    bordered || ((counted || first.contains('|')) && lines.next().is_some_and(is_rule))
}

/// A table of bars. The second line, and each that starts with a plus sign, separates the names from the
/// rows.
fn markdown(text: &str) -> Result<Vec<Vec<Written<'_>>>, Told> {
    let mut rows: Vec<Vec<Written<'_>>> = Vec::new();
    let mut ruled = false;
    let first = text.trim_start().lines().next().unwrap_or_default().trim();
    let borders = (first.starts_with(['|', '+']), first.ends_with(['|', '+']));
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let line = line.trim();
        if is_rule(line) && (line.starts_with('+') || (rows.len() == 1 && !ruled)) {
            ruled |= rows.len() == 1;
            continue;
        }
        let cells = barred(line, borders);
        let fits = rows.first().is_none_or(|names| names.len() == cells.len());
        let cells = if fits { cells } else { barred(line, (true, true)) };
        if cells.len() == 1 && !line.starts_with('|') && rows.first().is_some_and(|names| names.len() > 1) {
            return Err(format!("line {} is no row of a Markdown table", at + 1));
        }
        rows.push(cells.into_iter().map(|cell| (cell.into(), false)).collect());
    }
    if ruled { Ok(rows) } else { Err("there is no line of dashes below the names of the columns".into()) }
}

/// The cells of a line between bars, where bars may be at the start and the end as well; `\|` is a bar in a cell.
fn barred(line: &str, (starts, ends): (bool, bool)) -> Vec<String> {
    let line = line.strip_prefix('|').filter(|_| starts).unwrap_or(line);
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '|' if escaped => {
                cell.pop();
                cell.push(c);
            }
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    if !cell.trim().is_empty() || !line.ends_with('|') || !ends {
        cells.push(cell.trim().to_owned());
    }
    cells
}

/// CSV as RFC 4180 has it, with spaces around cells. Blank lines do not count.
fn csv(text: &str, delimiter: char) -> Result<Vec<Vec<Written<'_>>>, Told> {
    let (mut rows, mut row): (Vec<Vec<Written<'_>>>, Vec<Written<'_>>) = (Vec::new(), Vec::new());
    let mut rest = text;
    loop {
        let start = rest.trim_start_matches([' ', '\t'].as_slice());
        // Tabs separate cells if they are the delimiter.
        let start = if delimiter == '\t' { rest.trim_start_matches(' ') } else { start };
        let end = |c: char| c == delimiter || c == '\n';
        if let Some(inner) = start.strip_prefix('"') {
            let (cell, after) =
                in_quotes(inner).ok_or_else(|| format!("a quote in row {} is not closed", rows.len() + 1))?;
            let behind = after.find(end).unwrap_or(after.len());
            if !after[..behind].trim().is_empty() {
                return Err(format!("in row {} text follows a closing quote", rows.len() + 1));
            }
            row.push((cell.into(), true));
            rest = &after[behind..];
        } else {
            let behind = rest.find(end).unwrap_or(rest.len());
            row.push((rest[..behind].trim().into(), false));
            rest = &rest[behind..];
        }
        if let Some(after) = rest.strip_prefix(delimiter) {
            rest = after;
            continue;
        }
        let blank = matches!(row.as_slice(), [(cell, false)] if cell.is_empty());
        let whole = std::mem::take(&mut row);
        if !blank {
            rows.push(whole);
        }
        match rest.strip_prefix('\n') {
            Some(after) if !after.is_empty() => rest = after,
            _ => return Ok(rows),
        }
    }
}

/// The text in quotes, and the text after the closing one; two quotes stand for one.
fn in_quotes(text: &str) -> Option<(String, &str)> {
    let (mut cell, mut rest) = (String::new(), text);
    loop {
        let (before, after) = rest.split_once('"')?;
        cell += before;
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => return Some((cell, after)),
        }
    }
}

fn from_written(
    mut rows: Vec<Vec<Written<'_>>>,
    metric: &TableEqual,
    budget: &mut Budget,
) -> Result<Result<Table, Told>, OverBudget> {
    let width = rows.first().map_or(0, Vec::len);
    if let Some(at) = rows.iter().position(|row| row.len() != width) {
        let (cells, named) = (rows[at].len(), metric.columns != Columns::NoHeader);
        let (at, first) = if named { (at, "the names are") } else { (at + 1, "the first has") };
        return Ok(Err(format!("row {at} has {cells} cells, but {first} {width}")));
    }
    let names = match metric.columns {
        Columns::NoHeader => None,
        _ => Some(rows.remove(0).into_iter().map(|(name, _)| name.into_owned()).collect()),
    };
    // Rows and cells take time, however short they are.
    budget.spend((rows.len() * (80 + 40 * width)) as u64)?;
    let mut cells = Vec::with_capacity(rows.len());
    for row in rows {
        let row = row.into_iter().map(|(text, in_quotes)| value(&text, in_quotes, metric, budget));
        cells.push(row.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(named(names, cells, true, metric))
}

/// The value of a text: NULL, a truth value, a number, or the text.
fn value(text: &str, in_quotes: bool, metric: &TableEqual, budget: &mut Budget) -> Result<Cell, OverBudget> {
    const NULLS: [&str; 7] = ["", "NULL", "null", "None", "NaN", "nan", "<NA>"];
    let text = text.trim();
    let plain = || {
        let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Cell::Text(if metric.ignore_case { spaced.to_lowercase() } else { spaced })
    };
    if metric.typed && in_quotes {
        return Ok(plain());
    }
    if NULLS.contains(&text) {
        return Ok(Cell::Null);
    }
    for (word, value) in [("true", true), ("false", false)] {
        if text.eq_ignore_ascii_case(word) {
            return Ok(Cell::Bool(value));
        }
    }
    // Text with extra leading zeros is a code rather than a number: 00501, 0049…
    let unsigned = signed(text).1;
    let code = matches!(unsigned.as_bytes(), [b'0', b'0'..=b'9', ..]);
    if !code
        && unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && let Some(number) = Decimal::read(text, budget)?
    {
        return Ok(Cell::number(number, metric));
    }
    Ok(plain())
}

/// A table whose names, if they count, are unique.
fn named(
    names: Option<Vec<String>>,
    rows: Vec<Vec<Cell>>,
    ordered: bool,
    metric: &TableEqual,
) -> Result<Table, Told> {
    let normal = |name: String| {
        let spaced = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if metric.ignore_case { spaced.to_lowercase() } else { spaced }
    };
    let counts = matches!(metric.columns, Columns::ByName | Columns::InOrder);
    let names: Option<Vec<String>> =
        names.filter(|_| counts).map(|names| names.into_iter().map(normal).collect());
    let mut seen = BTreeSet::new();
    if let Some(twice) = names.iter().flatten().find(|name| !seen.insert(*name)) {
        return Err(format!("the column `{}` is given twice", quoted(twice)));
    }
    Ok(Table { names, ordered, rows })
}

/// A list of objects or of lists, the first of which contains the names; or one object per line.
fn from_json(
    text: &str,
    metric: &TableEqual,
    budget: &mut Budget,
) -> Result<Result<Table, Told>, OverBudget> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let one = |text: &str, budget: &mut Budget| match Json::read(text, budget) {
        Ok(json) => Ok(Ok(json)),
        Err(Unread::NotJson(told)) => Ok(Err(format!("it is not JSON: {told}"))),
        Err(Unread::OverBudget) => Err(OverBudget),
    };
    let objects = text.starts_with('{') && lines().all(|line| line.trim().ends_with('}'));
    let rows = if objects && lines().all(|line| line.trim_start().starts_with('{')) {
        lines().map(|line| one(line, budget)).collect::<Result<Result<Vec<_>, _>, _>>()?
    } else {
        one(text, budget)?.map(|json| if let Json::List(rows) = json { rows } else { vec![json] })
    };
    let rows = match rows {
        Ok(rows) => rows,
        Err(told) => return Ok(Err(told)),
    };
    if rows.iter().all(|row| matches!(row, Json::Object(_))) {
        return from_objects(rows, metric, budget);
    }
    let mut lists = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let Json::List(row) = row else {
            return Ok(Err(format!("row {} is neither an object nor, as others are, a list", at + 1)));
        };
        lists.push(row);
    }
    let width = lists[0].len();
    if let Some(at) = lists.iter().position(|row| row.len() != width) {
        return Ok(Err(format!("list {} has {} cells, but the first has {width}", at + 1, lists[at].len())));
    }
    budget.spend((lists.len() * (80 + 40 * width)) as u64)?;
    let mut names = None;
    if metric.columns != Columns::NoHeader {
        let name = |name: Json| if let Json::Text(name) = name { Some(lossy(&name)) } else { None };
        names = lists.remove(0).into_iter().map(name).collect::<Option<Vec<_>>>();
        if names.is_none() {
            return Ok(Err("the first list does not hold the names of the columns".into()));
        }
    }
    let mut cells = Vec::with_capacity(lists.len());
    for row in lists {
        match row.into_iter().map(|cell| json_cell(cell, metric, budget)).collect() {
            Ok(row) => cells.push(row),
            Err(bad) => return bad.told(),
        }
    }
    Ok(named(names, cells, true, metric))
}

fn from_objects(
    rows: Vec<Json>,
    metric: &TableEqual,
    budget: &mut Budget,
) -> Result<Result<Table, Told>, OverBudget> {
    if matches!(metric.columns, Columns::ByPlace | Columns::NoHeader) && !rows.is_empty() {
        return Ok(Err("the columns of objects have no places; write each row as a list".into()));
    }
    let objects: Vec<_> = rows
        .into_iter()
        .filter_map(|row| if let Json::Object(row) = row { Some(row) } else { None })
        .collect();
    let names: BTreeSet<&Vec<u8>> = objects.iter().flat_map(|row| row.keys()).collect();
    let names: Vec<Vec<u8>> = names.into_iter().cloned().collect();
    // A key that a row lacks is NULL: each one fills a cell.
    budget.spend((80 + 40 * names.len() as u64) * objects.len() as u64)?;
    let mut cells = Vec::with_capacity(objects.len());
    for mut object in objects {
        let cell = |name| object.remove(name).map_or(Ok(Cell::Null), |cell| json_cell(cell, metric, budget));
        match names.iter().map(cell).collect() {
            Ok(row) => cells.push(row),
            Err(bad) => return bad.told(),
        }
    }
    let names = names.iter().map(|name| lossy(name)).collect();
    Ok(named(Some(names), cells, false, metric))
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Reason why a JSON value is not a cell.
enum NoCell {
    Nested,
    OverBudget,
}

impl NoCell {
    fn told(self) -> Result<Result<Table, Told>, OverBudget> {
        match self {
            Self::Nested => Ok(Err("a cell is a list or an object".into())),
            Self::OverBudget => Err(OverBudget),
        }
    }
}

fn json_cell(cell: Json, metric: &TableEqual, budget: &mut Budget) -> Result<Cell, NoCell> {
    Ok(match cell {
        Json::Null => Cell::Null,
        Json::Bool(value) => Cell::Bool(value),
        Json::Number(number) => Cell::number(number, metric),
        Json::Text(text) => {
            value(&lossy(&text), true, metric, budget).map_err(|OverBudget| NoCell::OverBudget)?
        }
        Json::List(_) | Json::Object(_) => return Err(NoCell::Nested),
    })
}
