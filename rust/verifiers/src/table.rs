//! The same table: the result of a query, as CSV, Markdown or JSON.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::read::{Cell, Format, Table, read};
use super::{About, Example, Metric};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Part, Pass};

mod matching;
mod read;
mod shell;

kit::params! {
    pub struct TableEqual {
        /// Format of an answer. A reference may have any of them.
        format: Format,
        /// Separator between the cells of CSV, one character.
        delimiter: String,
        /// Compare the order of the rows. Without it, a repeated row still counts as often as it appears.
        row_order: bool,
        /// Way to match columns.
        columns: Columns,
        /// Largest difference between numbers that still passes, taken as the decimal that it prints as.
        tolerance: f64 [0..],
        /// Ignore the case of texts and names.
        ignore_case: bool,
        /// Distinguish the text "1" from a number and the text "NULL" from NULL. JSON strings and quoted
        /// cells of CSV are text.
        typed: bool,
    }
    default (Format::Auto, ",".into(), false, Columns::ByName, 0.0, false, false)
    check Self::consistent;
}

impl TableEqual {
    fn consistent(&self) -> Result<(), String> {
        let mut chars = self.delimiter.chars();
        let one = chars.next().filter(|c| chars.next().is_none() && !matches!(c, '"' | '\n' | '\r'));
        if one.is_none() {
            let given = quoted(&self.delimiter);
            return Err(format!("`delimiter` is `{given}`, but must be one character like \",\" or \"\\t\""));
        }
        Ok(())
    }
}

/// Way to match columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// By their names, in any order.
    #[default]
    ByName,
    /// By their names, in the same order.
    InOrder,
    /// By their position; their names are ignored.
    ByPlace,
    /// By their position, without a header: the first row is data.
    NoHeader,
}

static PARTS: [Part; 2] = [
    Part { name: "columns", means: "the F1 over the names of the columns" },
    Part { name: "rows", means: "the F1 over rows; the share in place where the order of rows counts" },
];

/// A row without its tolerances: equal keys are equal rows, except for their numbers if these have a
/// tolerance.
type Key = Vec<CellKey>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellKey {
    Null,
    Bool(bool),
    Number(String),
    /// A number that need only be near.
    Near,
    Text(String),
}

/// A table, and which of its rows are equivalent.
#[derive(Debug)]
pub struct Expected {
    table: Table,
    alike: BTreeMap<Key, Vec<usize>>,
}

impl TableEqual {
    fn key(&self, row: &[Cell], budget: &mut Budget) -> Result<Key, OverBudget> {
        let key = |cell: &Cell| {
            Ok(match cell {
                Cell::Null => CellKey::Null,
                Cell::Bool(value) => CellKey::Bool(*value),
                Cell::Number(_, _) if self.tolerance > 0.0 => CellKey::Near,
                Cell::Number(number, _) => CellKey::Number(number.key(budget)?),
                Cell::Text(text) => CellKey::Text(text.clone()),
            })
        };
        row.iter().map(key).collect()
    }

    fn alike(
        &self,
        rows: &[Vec<Cell>],
        budget: &mut Budget,
    ) -> Result<BTreeMap<Key, Vec<usize>>, OverBudget> {
        let mut alike: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            alike.entry(self.key(row, budget)?).or_default().push(at);
        }
        Ok(alike)
    }

    /// True if two cells are equal.
    fn same(&self, one: &Cell, other: &Cell, budget: &mut Budget) -> Result<bool, OverBudget> {
        Ok(match (one, other) {
            (Cell::Number(one, _), Cell::Number(other, _)) => one.is_within(other, self.tolerance, budget)?,
            (Cell::Null, Cell::Null) => true,
            (Cell::Bool(one), Cell::Bool(other)) => one == other,
            (Cell::Text(one), Cell::Text(other)) => one == other,
            _ => false,
        })
    }

    /// The first column in which two rows differ.
    fn differs(
        &self,
        one: &[Cell],
        other: &[Cell],
        budget: &mut Budget,
    ) -> Result<Option<usize>, OverBudget> {
        budget.spend(one.len() as u64)?;
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            if !self.same(one, other, budget)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The answer's columns in the order of the reference's, or what is wrong with them and the share of them
    /// that is right.
    fn arranged(&self, answer: Table, reference: &Table) -> Result<Table, (String, f32)> {
        // JSON says nothing about the columns of a table without rows.
        if answer.rows.is_empty() && reference.rows.is_empty() && (answer.unnamed() || reference.unnamed()) {
            return Ok(answer);
        }
        let (Some(names), Some(reference_names)) = (&answer.names, &reference.names) else {
            return if answer.width() == reference.width()
                || answer.rows.is_empty()
                || reference.rows.is_empty()
            {
                Ok(answer)
            } else {
                let told = format!("there are {} columns, not {}", answer.width(), reference.width());
                Err((told, 0.0))
            };
        };
        let places: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(at, name)| (&**name, at)).collect();
        let found: Vec<_> = reference_names.iter().map(|name| places.get(name.as_str()).copied()).collect();
        let shared = found.iter().flatten().count();
        let f1 = 2.0 * shared as f32 / (names.len() + reference_names.len()).max(1) as f32;
        if let Some(at) = found.iter().position(Option::is_none) {
            return Err((format!("the column `{}` is missing", quoted(&reference_names[at])), f1));
        }
        let wanted: BTreeSet<&str> = reference_names.iter().map(String::as_str).collect();
        if let Some(extra) = names.iter().find(|name| !wanted.contains(name.as_str())) {
            return Err((format!("the column `{}` is one too many", quoted(extra)), f1));
        }
        let ordered = answer.ordered && reference.ordered && self.columns == Columns::InOrder;
        if let Some(at) = (0..names.len()).find(|at| ordered && names[*at] != reference_names[*at]) {
            let (name, wanted) = (quoted(&names[at]), quoted(&reference_names[at]));
            return Err((format!("column {} is `{name}`, not `{wanted}`", at + 1), ALMOST_ALL));
        }
        let order: Vec<usize> = found.into_iter().flatten().collect();
        let arrange = |row: Vec<Cell>| {
            let mut row: Vec<_> = row.into_iter().map(Some).collect();
            order.iter().map(|at| row[*at].take().expect("each column stands once")).collect()
        };
        Ok(Table { rows: answer.rows.into_iter().map(arrange).collect(), ..answer })
    }

    /// Compares rows with those at the same position.
    fn in_order(&self, answer: &Table, reference: &Table, budget: &mut Budget) -> Graded {
        let (mut right, mut wrong) = (0, None);
        for (at, (row, other)) in answer.rows.iter().zip(&reference.rows).enumerate() {
            match self.differs(row, other, budget)? {
                None => right += 1,
                Some(column) => wrong = wrong.or(Some((at, at, column))),
            }
        }
        let longer = answer.rows.len().max(reference.rows.len());
        if right == longer {
            return Ok(Pass::new());
        }
        let detail = match wrong {
            Some(place) => wrong_cell(answer, reference, place),
            None => format!("there are {} rows, not {}", answer.rows.len(), reference.rows.len()),
        };
        let share = right as f32 / longer as f32;
        Err(Failure::wrong(detail).score(share).part("columns", 1.0).part("rows", share))
    }

    /// Compares rows with any others, each with one.
    fn in_any_order(&self, answer: &Table, reference: &Expected, budget: &mut Budget) -> Graded {
        let (mut matched, mut extra, mut left) = (0, Vec::new(), Vec::new());
        let found = self.alike(&answer.rows, budget)?;
        for (key, rows) in &found {
            let Some(references) = reference.alike.get(key) else {
                extra.extend(rows);
                continue;
            };
            let (pairs, unpaired) = if self.tolerance > 0.0 {
                matching::pairs(self, answer, rows, &reference.table, references, budget)?
            } else {
                let pairs = rows.len().min(references.len());
                (pairs, rows[pairs..].to_vec())
            };
            matched += pairs;
            extra.extend(unpaired);
        }
        let (rows, references) = (answer.rows.len(), reference.table.rows.len());
        if matched == rows && matched == references {
            return Ok(Pass::new());
        }
        // Reference rows whose key no answer row has are certainly left over.
        left.extend(
            reference.alike.iter().filter(|(key, _)| !found.contains_key(*key)).flat_map(|(_, rows)| rows),
        );
        left.sort_unstable();
        extra.sort_unstable();
        let detail = match (extra.first(), left.as_slice()) {
            (Some(&row), left) => self.wrong_row(answer, row, &reference.table, left, budget)?,
            (None, [first, ..]) => {
                let missing = references - matched;
                format!(
                    "{missing} of {references} rows are missing, `{}` among them",
                    reference.table.shown(**first)
                )
            }
            (None, []) => format!("there are {rows} rows, not {references}"),
        };
        let f1 = 2.0 * matched as f32 / (rows + references) as f32;
        Err(Failure::wrong(detail).score(f1).part("columns", 1.0).part("rows", f1))
    }

    /// Description of an unmatched row: where it differs from the nearest of those left over.
    fn wrong_row(
        &self,
        answer: &Table,
        row: usize,
        reference: &Table,
        left: &[&usize],
        budget: &mut Budget,
    ) -> Result<String, OverBudget> {
        const LOOKED_AT: usize = 32;
        let mut nearest: Option<(usize, usize, usize)> = None;
        let cells = &answer.rows[row];
        for &&other in left.iter().take(LOOKED_AT) {
            let (mut equal, mut first) = (0, None);
            for (column, (one, other)) in cells.iter().zip(&reference.rows[other]).enumerate() {
                if self.same(one, other, budget)? {
                    equal += 1;
                } else {
                    first = first.or(Some(column));
                }
            }
            if let Some(column) = first
                && nearest.is_none_or(|(most, _, _)| equal > most)
            {
                nearest = Some((equal, other, column));
            }
        }
        Ok(match nearest {
            Some((equal, other, column)) if equal > 0 || cells.len() == 1 => {
                wrong_cell(answer, reference, (row, other, column))
            }
            _ => format!("row {} (`{}`) is none of the rows that are left", row + 1, answer.shown(row)),
        })
    }
}

/// The share of a table's columns that are right where only their order is not.
const ALMOST_ALL: f32 = 0.99;

/// Description of a wrong cell, from its row in the answer, its row in the reference, and its column.
fn wrong_cell(answer: &Table, reference: &Table, (row, other, column): (usize, usize, usize)) -> String {
    let name = reference.names.as_ref().map_or_else(
        || format!("column {}", column + 1),
        |names| format!("column `{}`", quoted(&names[column])),
    );
    let (found, wanted) = (answer.rows[row][column].shown(), reference.rows[other][column].shown());
    format!("row {}, {name}: {found} is not {wanted}", row + 1)
}

impl Metric for TableEqual {
    const ABOUT: About = About {
        name: "table_equal",
        summary: "The same table, as CSV, Markdown or JSON; the score is the F1 over rows.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example {
            reference: r#"[{"city": "Rome", "n": 3}]"#,
            right: r#"[{"n": 3.0, "city": "Rome"}]"#,
            wrong: r#"[{"city": "Rome", "n": 4}]"#,
        },
    };

    type Reference<'a> = Expected;

    fn reference(&self, text: &str, budget: &mut Budget) -> Result<Expected, String> {
        const LONG: &str = "must be shorter: it is too long to compare";
        let table = match read(text, self, Format::Auto, budget) {
            Ok(Ok(table)) => table,
            Ok(Err(told)) => return Err(format!("must be a table, and {told}")),
            Err(OverBudget) => return Err(LONG.into()),
        };
        let alike = self.alike(&table.rows, budget).map_err(|_| LONG)?;
        Ok(Expected { table, alike })
    }

    fn parts(&self) -> &'static [Part] {
        &PARTS
    }

    fn compare(&self, answer: &str, reference: &Expected, budget: &mut Budget) -> Graded {
        let table = match read(answer, self, self.format, budget)? {
            Ok(table) => table,
            Err(told) => return Err(Failure::malformed(told)),
        };
        match self.arranged(table, &reference.table) {
            Ok(table) if self.row_order => self.in_order(&table, &reference.table, budget),
            Ok(table) => self.in_any_order(&table, reference, budget),
            Err((told, share)) => Err(Failure::wrong(told).part("columns", share).part("rows", 0.0)),
        }
    }
}

#[cfg(test)]
mod tests;
