//! Steps of many lanes at once into one array per column, for any kind of lane.

use super::setup::Autoreset;
use super::step::Step;
use kit::pool;

/// Arrays that a step of all lanes fills, one row per lane.
pub struct Columns<'a> {
    pub observations: &'a mut [f32],
    pub masks: &'a mut [i8],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub steps: &'a mut [Step],
    /// The learner's last observations in lanes that ended and were reset by the same step; other rows are left alone.
    pub last_observations: &'a mut [f32],
}

/// Sizes of a lane's rows.
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

/// Operations of one kind of lane.
pub trait Stepper {
    type Lane: Send;
    type Error: Send;

    /// Return an error if the step should stop.
    fn look(&self) -> Result<(), Self::Error> {
        Ok(())
    }
    fn is_over(&self, lane: &Self::Lane) -> bool;
    /// Step a lane and fill in `step`, which has its default value.
    fn step(&mut self, lane: &mut Self::Lane, action: i64, step: &mut Step) -> Result<(), Self::Error>;
    fn reset(&mut self, lane: &mut Self::Lane) -> Result<(), Self::Error>;
    fn observe(&self, lane: &Self::Lane, out: &mut [f32]);
    fn mask(&self, lane: &Self::Lane, out: &mut [i8]);
}

/// A chunk of lanes, with their actions and rows: lanes, actions; observations, last observations; masks,
/// rewards, terminated, truncated, steps.
pub type Chunk<'a, L> = (
    ((&'a mut [L], &'a [i64]), (&'a mut [f32], &'a mut [f32])),
    (&'a mut [i8], (&'a mut [f64], (&'a mut [bool], (&'a mut [bool], &'a mut [Step])))),
);

/// Step a chunk of lanes in order.
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

/// Step every lane, one after another.
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

/// Step every lane by applying `work` to chunks of `size` lanes, in parallel if there are several chunks.
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
