//! What a search may spend.

use std::sync::atomic::{AtomicBool, Ordering};

/// A search stopped before its answer was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished;

/// How much a search may spend: a number of positions and, if wanted, a flag that stops it.
#[derive(Debug)]
pub struct Limit<'a> {
    nodes: u64,
    bounded: bool,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Limit<'a> {
    /// Positions between two looks at the stop flag.
    pub const LOOK: u64 = 1024;

    /// A search of at most `nodes` positions.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes, bounded: true, stop: None }
    }

    /// A search that ends only with its answer.
    pub const fn none() -> Self {
        Self { nodes: u64::MAX, bounded: false, stop: None }
    }

    /// Also stops soon after `stop` becomes true.
    #[must_use]
    pub const fn stopped_by(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Positions left to spend.
    pub const fn left(&self) -> u64 {
        self.nodes
    }

    /// Whether the number of positions is limited.
    pub const fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// The same limit for another search, which counts by itself.
    #[must_use]
    pub const fn again(&self) -> Self {
        Self { nodes: self.nodes, bounded: self.bounded, stop: self.stop }
    }

    /// Looks at the stop flag and counts nothing: for work between positions.
    #[inline]
    pub fn look(&self) -> Result<(), Unfinished> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(Unfinished),
            _ => Ok(()),
        }
    }

    /// Counts one position.
    #[inline]
    pub fn spend(&mut self) -> Result<(), Unfinished> {
        if self.nodes.is_multiple_of(Self::LOOK) {
            if self.nodes == 0 {
                return Err(Unfinished);
            }
            self.look()?;
        }
        self.nodes -= 1;
        Ok(())
    }
}
