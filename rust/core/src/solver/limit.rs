//! What a search may spend.

use std::sync::atomic::{AtomicBool, Ordering};

/// A search stopped before its answer was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished;

/// How much a search may spend: a number of positions and, if wanted, a flag that stops it.
#[derive(Debug)]
pub struct Limit<'a> {
    nodes: u64,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Limit<'a> {
    /// Positions between two looks at the stop flag.
    pub const LOOK: u64 = 1024;

    /// A search of at most `nodes` positions.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes, stop: None }
    }

    /// A search that ends only with its answer.
    pub const fn none() -> Self {
        Self::nodes(u64::MAX)
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

    /// A limit of at most `nodes` positions that heeds the same flag.
    #[must_use]
    pub fn within(&self, nodes: u64) -> Self {
        Self { nodes: nodes.min(self.nodes), stop: self.stop }
    }

    /// Counts one position.
    #[inline]
    pub fn spend(&mut self) -> Result<(), Unfinished> {
        if self.nodes.is_multiple_of(Self::LOOK)
            && (self.nodes == 0 || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)))
        {
            return Err(Unfinished);
        }
        self.nodes -= 1;
        Ok(())
    }
}
