//! Outputs of a step of lanes, for the contracts of games and of problems.

use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::step::Step;

/// All outputs of lanes, step by step.
pub type Seen = (Vec<f32>, Vec<i8>, Vec<f64>, Vec<bool>, Vec<bool>, Vec<Step>, Vec<f32>);

/// Outputs of a step of `lanes` lanes, with this many `cells` and `actions` each. They start as values that
/// no step writes.
pub fn seen<E>(
    (lanes, cells, actions): (usize, usize, usize),
    step: impl FnOnce(&mut Columns<'_>) -> Result<(), E>,
) -> Result<Seen, E> {
    let mut seen = (
        vec![f32::NAN; lanes * cells],
        vec![7; lanes * actions],
        vec![f64::NAN; lanes],
        vec![false; lanes],
        vec![false; lanes],
        vec![Step::default(); lanes],
        vec![0.0; lanes * cells],
    );
    step(&mut Columns {
        observations: &mut seen.0,
        masks: &mut seen.1,
        rewards: &mut seen.2,
        terminated: &mut seen.3,
        truncated: &mut seen.4,
        steps: &mut seen.5,
        last_observations: &mut seen.6,
    })?;
    Ok(seen)
}
