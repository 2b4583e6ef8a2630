//! Task families: puzzles.

use kit::task::erased::AnyFamily;

mod binairo;
mod blocksworld;
mod connected;
mod futoshiki;
mod hazard_maze;
mod hitori;
mod lights_out;
mod maze;
mod minesweeper;
mod n_queens;
mod nonogram;
mod numbrix;
mod nurikabe;
mod reversible;
mod rush_hour;
mod skyscrapers;
mod sliding_tiles;
mod slitherlink;
mod sokoban;
mod squares;
mod sudoku;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &binairo::Binairo,
    &blocksworld::Blocksworld,
    &futoshiki::Futoshiki,
    &hazard_maze::HazardMaze,
    &hitori::Hitori,
    &lights_out::LightsOut,
    &maze::Maze,
    &minesweeper::Minesweeper,
    &n_queens::NQueens,
    &nonogram::Nonogram,
    &numbrix::Numbrix,
    &nurikabe::Nurikabe,
    &rush_hour::RushHour,
    &skyscrapers::Skyscrapers,
    &sliding_tiles::SlidingTiles,
    &slitherlink::Slitherlink,
    &sokoban::Sokoban,
    &sudoku::Sudoku,
];

#[cfg(test)]
mod bench_tmp {
    use kit::params::Params;
    use kit::prelude::*;
    use kit::testing;
    fn levels<F: TaskFamily>(family: &F)
    where
        F::Problem: Problem,
    {
        let n = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
        for level in 0..F::Params::LEVELS.len() {
            let params = &F::Params::LEVELS[level];
            let mut times = vec![];
            let (mut cost, mut diff) = (0.0, 0.0);
            let mut steps = 0u64;
            let mut failed = 0;
            let mut pass: std::collections::BTreeMap<&str, usize> = Default::default();
            let mut empty = 0;
            for at in 0..n {
                let mut rng = testing::rng(at as u64);
                let t = std::time::Instant::now();
                let mut budget = Budget::new(F::ABOUT.budgets.generate);
                let Ok(p) = family.generate(params, &mut rng, &mut budget) else {
                    failed += 1;
                    continue;
                };
                times.push(t.elapsed().as_secs_f64() * 1e3);
                steps = steps.max(budget.spent());
                let e = p.effort();
                diff += e.difficulty() as f64;
                let _ = &mut cost;
                empty += p.answer().split_whitespace().count();
                for (name, a) in p.guesses(&mut rng).into_iter().chain(p.shortcuts(&mut rng)) {
                    *pass.entry(name).or_default() +=
                        usize::from(p.verify(a, &mut Budget::unlimited()).is_ok());
                }
            }
            times.sort_by(f64::total_cmp);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            println!(
                "L{level} ms {:.1} p90 {:.1} max {:.1} steps {steps} failed {failed} difficulty {:.3} {:?}",
                mean,
                times[times.len() * 9 / 10],
                times[times.len() - 1],
                diff / times.len() as f64,
                pass.iter().filter(|(_, c)| **c > 0).collect::<Vec<_>>()
            );
        }
    }
    #[test]
    fn bench_hitori() {
        levels(&super::hitori::Hitori);
    }
    #[test]
    fn bench_numbrix() {
        levels(&super::numbrix::Numbrix);
    }
    #[test]
    fn bench_nurikabe() {
        levels(&super::nurikabe::Nurikabe);
    }
    #[test]
    fn bench_slitherlink() {
        levels(&super::slitherlink::Slitherlink);
    }
}
