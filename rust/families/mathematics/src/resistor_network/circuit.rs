//! Drawing a circuit, and the currents in it.

use kit::prelude::*;
use kit::shared::rational::Rational;

use super::reduction::{Step, name, reduce};
use super::{Network, ResistorNetworkParams};

impl Network {
    pub(super) fn draw(params: &ResistorNetworkParams, rng: &mut Rng) -> Self {
        let mut resistors = Vec::new();
        let ohms = |rng: &mut Rng| 1 + rng.below(params.largest.into());
        // Splits a group of resistors in two, in series or in parallel, until each is alone.
        let (mut points, mut groups) = (2, vec![(params.resistors - params.bridges, [0, 1])]);
        while let Some((count, [a, b])) = groups.pop() {
            if count == 1 {
                resistors.push((ohms(rng), [a, b]));
                continue;
            }
            let first = 1 + rng.below(u64::from(count) - 1) as u32;
            if params.parallel && rng.chance(1, 2) {
                groups.extend([(first, [a, b]), (count - first, [a, b])]);
            } else {
                groups.extend([(first, [a, points]), (count - first, [points, b])]);
                points += 1;
            }
        }
        for _ in 0..params.bridges {
            let mut ends: Vec<usize> = (0..points).collect();
            rng.deal(&mut ends, 2);
            resistors.push((ohms(rng), [ends[0], ends[1]]));
        }
        for _ in 0..params.dead_ends {
            resistors.push((ohms(rng), [rng.index(points), points]));
            points += 1;
        }
        let asks_potential = points > 2 && rng.chance(params.potential_percent.into(), 100);
        let (volts, asked) =
            if asks_potential { (2 + rng.below(23), 2 + rng.index(points - 2)) } else { (0, 0) };
        Self { resistors, ends: [0, 1], volts, asked }
    }

    pub(super) fn points(&self) -> usize {
        self.resistors.iter().flat_map(|(_, ends)| ends).max().map_or(0, |last| last + 1)
    }

    /// The value, with the steps that lead to it.
    pub(super) fn solved(&self, tell: &mut dyn FnMut(&Step)) -> Option<Rational> {
        let keep = [self.ends[0], self.ends[1], self.asked];
        let resistors = self.resistors.iter().map(|(ohms, ends)| (Rational::from(*ohms as i64), *ends));
        let left = reduce(resistors, &keep, tell)?;
        let [plus, minus] = self.ends;
        let between = |a: usize, b: usize| left.get(&[a.min(b), a.max(b)]).copied();
        if self.volts == 0 {
            return between(plus, minus);
        }
        let volts = Rational::from(self.volts as i64);
        match (between(plus, self.asked), between(self.asked, minus)) {
            (Some(high), Some(low)) => low.checked_div(high.checked_add(low)?)?.checked_mul(volts),
            (Some(_), None) => Some(volts),
            (None, Some(_)) => Some(Rational::ZERO),
            (None, None) => None,
        }
    }

    /// Points that are neither a dead end nor in series when they are removed.
    pub(super) fn stars(&self) -> usize {
        let mut stars = 0;
        self.solved(&mut |step| stars += usize::from(matches!(step, Step::Star { .. })));
        stars
    }

    /// The potential of a point where the first end is at `volts`, or at 1 volt.
    pub(super) fn potential(&self, point: usize) -> Option<Rational> {
        let volts = self.volts.max(1);
        match point {
            point if point == self.ends[0] => Some(Rational::from(volts as i64)),
            point if point == self.ends[1] => Some(Rational::ZERO),
            asked => Self { volts, asked, ..self.clone() }.solved(&mut |_| ()),
        }
    }

    /// The current out of a point, from the potentials of all.
    fn current(&self, point: usize, potentials: &[Rational]) -> Option<Rational> {
        self.resistors.iter().filter(|(_, ends)| ends.contains(&point)).try_fold(
            Rational::ZERO,
            |sum, (ohms, [a, b])| {
                let fall = potentials[point].checked_sub(potentials[a + b - point])?;
                sum.checked_add(fall.checked_div(Rational::from(*ohms as i64))?)
            },
        )
    }

    /// The current out of the first end, if none vanishes at other points.
    pub(super) fn balanced(&self) -> Result<Rational, String> {
        let too_large = || "a potential is too large a number".to_owned();
        let potentials: Option<Vec<Rational>> =
            (0..self.points()).map(|point| self.potential(point)).collect();
        let potentials = potentials.ok_or_else(too_large)?;
        for point in (0..self.points()).filter(|point| !self.ends.contains(point)) {
            let current = self.current(point, &potentials).ok_or_else(too_large)?;
            check::that(current == Rational::ZERO, || {
                format!("a current of {current} vanishes at {}", name(point))
            })?;
        }
        self.current(self.ends[0], &potentials).ok_or_else(too_large)
    }

    pub(super) fn are_connected(&self) -> bool {
        let mut reached = vec![false; self.points()];
        reached[self.ends[0]] = true;
        for _ in 0..reached.len() {
            for (_, [a, b]) in &self.resistors {
                let either = reached[*a] || reached[*b];
                (reached[*a], reached[*b]) = (either, either);
            }
        }
        reached.into_iter().all(|is| is)
    }

    /// All resistors as one, in series or in parallel.
    pub(super) fn all(&self, parallel: bool) -> Rational {
        let ohms = self.resistors.iter().map(|(ohms, _)| Rational::from(*ohms as i64));
        let joined = ohms.map(Some).reduce(|one, other| {
            let (one, other) = (one?, other?);
            let sum = one.checked_add(other)?;
            if parallel { one.checked_mul(other)?.checked_div(sum) } else { Some(sum) }
        });
        joined.flatten().unwrap_or(Rational::ZERO)
    }
}
