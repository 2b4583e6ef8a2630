//! Computes the opening book of Connect Four: hours of search that can be interrupted and resumed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use reasonenv::budget::Budget;
use reasonenv::games::connect_four::book::{Book, pack, positions};
use reasonenv::games::connect_four::position::Position;
use reasonenv::games::connect_four::solver::Solver;

/// Solves every position of a ply and packs the scores into `out`.
///
/// Each score is saved in `out` + `.progress` immediately, so a resumed run does not search it again. `tell`
/// receives the number of solved positions and the total.
pub fn compute<const W: usize, const H: usize>(
    ply: u32,
    out: &Path,
    table_bytes: usize,
    mut tell: impl FnMut(usize, usize),
) -> io::Result<Book<W, H>> {
    let wanted = positions::<W, H>(ply);
    let progress = beside(out, "progress");
    let mut scores = noted(&progress);
    scores.retain(|key, _| wanted.contains_key(key));

    let mut file = OpenOptions::new().create(true).append(true).open(&progress)?;
    // The last run may have been cut off in the middle of a line.
    writeln!(file)?;
    let mut solver = Solver::<W, H>::new(table_bytes);
    let mut neighbours = Vec::new();
    walk(&Position::new(), ply, &mut BTreeSet::new(), &mut neighbours);
    for position in neighbours {
        let key = position.key();
        if scores.contains_key(&key) {
            continue;
        }
        let score = solver.score(&position, &mut Budget::unlimited());
        let score = score.expect("a search without a limit ends with its answer");
        scores.insert(key, score);
        writeln!(file, "{key} {score}")?;
        tell(scores.len(), wanted.len());
    }

    let in_order: Vec<i8> = wanted.keys().map(|key| scores[key]).collect();
    let bytes = pack::<W, H>(ply, &in_order);
    let partial = beside(out, "partial");
    fs::write(&partial, &bytes)?;
    fs::rename(&partial, out)?;
    Ok(Book::read(&bytes).expect("a book we packed reads back"))
}

/// The path of `out` with `.kind` appended.
fn beside(out: &Path, kind: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(kind);
    name.into()
}

/// Scores saved by an earlier run; a truncated line is ignored.
fn noted(progress: &Path) -> BTreeMap<u64, i8> {
    let text = fs::read_to_string(progress).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let score = |line: &str| {
        let (key, score) = line.split_once(' ')?;
        Some((key.parse().ok()?, score.parse().ok()?))
    };
    whole.filter_map(score).collect()
}

/// Collects every position some plies ahead, depth first: neighboring positions share much of the search.
fn walk<const W: usize, const H: usize>(
    position: &Position<W, H>,
    plies: u32,
    seen: &mut BTreeSet<(u32, u64)>,
    found: &mut Vec<Position<W, H>>,
) {
    if position.is_won() || !seen.insert((plies, position.key())) {
        return;
    }
    if plies == 0 {
        found.push(*position);
        return;
    }
    // Middle columns first: they are the better moves and fill the table for the rest.
    let mut columns: Vec<usize> = (0..W).collect();
    columns.sort_by_key(|column| (2 * column + 1).abs_diff(W));
    for column in columns {
        if let Ok(next) = position.play(column) {
            walk(&next, plies - 1, seen, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_that_was_cut_off_is_taken_up_again() {
        let folder = std::env::temp_dir().join(format!("reasonenv-book-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("book");
        let mut searched = 0;
        let book = compute::<5, 4>(3, &out, 1 << 20, |_, _| searched += 1).unwrap();
        assert_eq!(searched, positions::<5, 4>(3).len());
        let exact = Solver::<5, 4>::new(1 << 20).values(&Position::new(), &mut Budget::unlimited());
        assert_eq!(book.values(&Position::new()), exact.ok());

        // All but the first two lines are lost; the second is cut inside its score.
        let progress = beside(&out, "progress");
        let text = fs::read_to_string(&progress).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(2).collect();
        let torn = kept[1].split_once(' ').unwrap().0;
        fs::write(&progress, format!("{}\n{torn} ", kept[0])).unwrap();
        let mut again = 0;
        assert_eq!(compute::<5, 4>(3, &out, 1 << 20, |_, _| again += 1).unwrap(), book);
        assert_eq!(again, searched - 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
