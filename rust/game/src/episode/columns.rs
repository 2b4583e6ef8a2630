//! Many lanes stepped at once: one array a column, whatever the lanes play.

use super::setup::Autoreset;
use super::step::Step;
use kit::pool;

/// What a step of all lanes writes, a row for each lane.
pub struct Columns<'a> {
    pub observations: &'a mut [f32],
    pub masks: &'a mut [i8],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub steps: &'a mut [Step],
    /// What the learner saw last in the lanes that ended and began anew; other rows stay as they are.
    pub last_observations: &'a mut [f32],
}

/// How large the rows of a lane are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    cells: usize,
    actions: usize,
}

impl Shape {
    pub fn new(observation: &[usize], actions: u32) -> Self {
        Self { cells: observation.iter().product(), actions: actions as usize }
    }
}

/// What lanes of one kind do.
pub trait Stepper {
    type Lane: Send;
    type Error: Send;

    /// Whether to go on.
    fn look(&self) -> Result<(), Self::Error> {
        Ok(())
    }
    fn is_over(&self, lane: &Self::Lane) -> bool;
    /// Writes to a step that is fresh.
    fn step(&mut self, lane: &mut Self::Lane, action: i64, step: &mut Step) -> Result<(), Self::Error>;
    fn reset(&mut self, lane: &mut Self::Lane) -> Result<(), Self::Error>;
    fn observe(&self, lane: &Self::Lane, out: &mut [f32]);
    fn mask(&self, lane: &Self::Lane, out: &mut [i8]);
}

/// Some lanes, their actions and their rows: lanes, actions; observations, last observations; masks,
/// rewards, terminated, truncated, steps.
pub type Chunk<'a, L> = (
    ((&'a mut [L], &'a [i64]), (&'a mut [f32], &'a mut [f32])),
    (&'a mut [i8], (&'a mut [f64], (&'a mut [bool], (&'a mut [bool], &'a mut [Step])))),
);

/// Steps some lanes in order.
pub fn step_chunk<S: Stepper>(
    stepper: &mut S,
    chunk: Chunk<'_, S::Lane>,
    when: Autoreset,
    shape: Shape,
) -> Result<(), S::Error> {
    let (((lanes, actions), (seen, last)), (masks, (rewards, (ended, (cut, steps))))) = chunk;
    let Shape { cells, actions: count } = shape;
    for (at, lane) in lanes.iter_mut().enumerate() {
        stepper.look()?;
        let seen = &mut seen[at * cells..(at + 1) * cells];
        let step = &mut steps[at];
        *step = Step::default();
        if !stepper.is_over(lane) {
            stepper.step(lane, actions[at], step)?;
            if step.is_last() && when == Autoreset::SameStep {
                stepper.observe(lane, &mut last[at * cells..(at + 1) * cells]);
                stepper.reset(lane)?;
            }
        } else if when == Autoreset::NextStep {
            stepper.reset(lane)?;
        }
        stepper.observe(lane, seen);
        stepper.mask(lane, &mut masks[at * count..(at + 1) * count]);
        rewards[at] = step.reward;
        ended[at] = step.terminated;
        cut[at] = step.truncated;
    }
    Ok(())
}

fn whole<'a, L>(lanes: &'a mut [L], actions: &'a [i64], out: &'a mut Columns<'_>) -> Chunk<'a, L> {
    (
        ((lanes, actions), (&mut *out.observations, &mut *out.last_observations)),
        (
            &mut *out.masks,
            (&mut *out.rewards, (&mut *out.terminated, (&mut *out.truncated, &mut *out.steps))),
        ),
    )
}

/// Steps every lane, one after the other.
pub fn step_in_order<S: Stepper>(
    stepper: &mut S,
    lanes: &mut [S::Lane],
    actions: &[i64],
    when: Autoreset,
    shape: Shape,
    out: &mut Columns<'_>,
) -> Result<(), S::Error> {
    step_chunk(stepper, whole(lanes, actions, out), when, shape)
}

/// Steps every lane through `work` on a chunk of them, on several threads if there are several chunks of `size`.
pub fn step_in_parallel<L: Send, E: Send>(
    lanes: &mut [L],
    actions: &[i64],
    size: usize,
    Shape { cells, actions: count }: Shape,
    out: &mut Columns<'_>,
    work: impl Fn(Chunk<'_, L>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if lanes.len() <= size || pool::threads() == 1 {
        return work(whole(lanes, actions, out));
    }
    let seen = out.observations.chunks_mut(size * cells).zip(out.last_observations.chunks_mut(size * cells));
    let ended = out.truncated.chunks_mut(size).zip(out.steps.chunks_mut(size));
    let rest = out.rewards.chunks_mut(size).zip(out.terminated.chunks_mut(size).zip(ended));
    let chunks = lanes
        .chunks_mut(size)
        .zip(actions.chunks(size))
        .zip(seen)
        .zip(out.masks.chunks_mut(size * count).zip(rest));
    pool::try_each(chunks.collect(), work)
}
