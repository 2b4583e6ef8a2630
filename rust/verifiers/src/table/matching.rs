//! Pairs rows whose numbers are near each other: as many pairs as possible.

use std::collections::VecDeque;

use super::read::{Cell, Table};
use super::{OverBudget, TableEqual};
use kit::budget::Budget;

/// Largest number of pairs of near rows, each row in at most one, and the rows without a pair. All of these
/// rows are equal except for their numbers.
pub fn pairs(
    metric: &TableEqual,
    answer: &Table,
    rows: &[usize],
    reference: &Table,
    references: &[usize],
    budget: &mut Budget,
) -> Result<(usize, Vec<usize>), OverBudget> {
    let numbers = |table: &Table, row: usize| -> Vec<f64> {
        table.rows[row].iter().filter_map(Cell::approximate).collect()
    };
    budget.spend(((rows.len() + references.len()) * answer.width()) as u64)?;
    let mut rows: Vec<(Vec<f64>, usize)> = rows.iter().map(|&row| (numbers(answer, row), row)).collect();
    let mut references: Vec<_> = references.iter().map(|&row| (numbers(reference, row), row)).collect();
    let Some(column) = most_varied(&references) else {
        let pairs = rows.len().min(references.len());
        return Ok((pairs, rows[pairs..].iter().map(|(_, row)| *row).collect()));
    };
    for side in [&mut rows, &mut references] {
        side.sort_by(|(one, _), (other, _)| {
            let by_column = one[column].total_cmp(&other[column]);
            by_column.then_with(|| {
                let pairs = one.iter().zip(other);
                pairs
                    .map(|(one, other)| one.total_cmp(other))
                    .find(|order| order.is_ne())
                    .unwrap_or(by_column)
            })
        });
    }
    // Each row with all that may be near it: the numbers of one column leave few.
    let window = |value: f64| {
        if !value.is_finite() {
            return 0..references.len();
        }
        // Wider than any rounding error.
        let reach = metric.tolerance + (value.abs() + metric.tolerance) * 1e-12 + f64::MIN_POSITIVE;
        let from = references.partition_point(|(numbers, _)| numbers[column] < value - reach);
        let to = references.partition_point(|(numbers, _)| numbers[column] <= value + reach);
        from..to
    };
    let near = |row: usize, other: usize, budget: &mut Budget| {
        budget.spend(10)?;
        let differs =
            metric.differs(&answer.rows[rows[row].1], &reference.rows[references[other].1], budget)?;
        Ok(differs.is_none())
    };
    let mut pair_of: Vec<Option<usize>> = vec![None; rows.len()];
    let mut taken: Vec<Option<usize>> = vec![None; references.len()];
    // Most sorted rows belong to those at the same position.
    for at in 0..rows.len().min(references.len()) {
        if near(at, at, budget)? {
            (pair_of[at], taken[at]) = (Some(at), Some(at));
        }
    }
    // The remaining rows search along pairs that give way to others (Kuhn 1955), breadth first. Rows reached
    // by a failed search lead nowhere for the others either.
    let mut reached: Vec<Option<usize>> = vec![None; references.len()];
    let mut dead = vec![false; references.len()];
    let mut free = taken.iter().filter(|row| row.is_none()).count();
    for start in 0..rows.len() {
        if free == 0 {
            break;
        }
        if pair_of[start].is_some() {
            continue;
        }
        let mut found = Vec::new();
        let mut queue = VecDeque::from([start]);
        let mut end = None;
        'search: while let Some(row) = queue.pop_front() {
            for other in window(rows[row].0[column]) {
                budget.spend(1)?;
                if dead[other] || reached[other].is_some() || !near(row, other, budget)? {
                    continue;
                }
                reached[other] = Some(row);
                found.push(other);
                let Some(next) = taken[other] else {
                    end = Some(other);
                    break 'search;
                };
                queue.push_back(next);
            }
        }
        free -= usize::from(end.is_some());
        for other in &found {
            dead[*other] = end.is_none();
        }
        while let Some(other) = end {
            let row = reached[other].expect("the way back is known");
            taken[other] = Some(row);
            end = pair_of[row].replace(other);
        }
        for other in found {
            reached[other] = None;
        }
    }
    let unpaired = pair_of.iter().zip(&rows).filter(|(pair, _)| pair.is_none()).map(|(_, (_, row))| *row);
    let unpaired: Vec<usize> = unpaired.collect();
    Ok((rows.len() - unpaired.len(), unpaired))
}

/// The column whose numbers differ most often from row to row; `None` where rows have no numbers.
fn most_varied(rows: &[(Vec<f64>, usize)]) -> Option<usize> {
    let columns = rows.first().map_or(0, |(numbers, _)| numbers.len());
    (0..columns).max_by_key(|column| {
        let mut numbers: Vec<f64> = rows.iter().map(|(numbers, _)| numbers[*column]).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers.len()
    })
}
