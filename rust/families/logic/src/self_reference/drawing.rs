//! Drawing a list of statements, and changing one.

use kit::prelude::*;

use super::claim::{Claim, Claims, Counted, LEAST, MOST};
use super::{List, SelfReferenceParams, bits, bits_of};

/// Starts from which a reader may not reach the answer where lists do not settle, and rounds that he takes.
const STARTS: usize = 8;
const ROUNDS: usize = 4;
/// Draws of one kind of statement before another is drawn.
const TRIES: usize = 40;

/// A claim for the statement at this index that agrees with these truths.
fn agreeing(at: usize, count: usize, claims: Claims, truths: u32, rng: &mut Rng) -> Claim {
    loop {
        // True and false statements are of the same kinds, so that the kind gives no truth away.
        let kind = claims.draw(count, rng);
        let mut drawn = (0..TRIES).map(|_| Claim::draw(kind, at, count, rng));
        if let Some(claim) = drawn.find(|claim| claim.rule(at, count).agrees(truths)) {
            return claim;
        }
    }
}

impl List {
    /// Draws the truths, then statements that agree with them, until nothing else does.
    pub(super) fn draw(params: &SelfReferenceParams, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self> {
        let count = params.statements as usize;
        loop {
            budget.spend(1 << count)?;
            let truths = (0..count).map(|_| rng.chance(1, 2)).collect();
            let mut list = List { statements: Vec::new(), truths };
            let (truths, mut about_length) = (list.truth_bits(), vec![false; count]);
            about_length[..params.lengths as usize].fill(true);
            rng.shuffle(&mut about_length);
            for (at, is_about_length) in about_length.into_iter().enumerate() {
                list.statements.push(if is_about_length {
                    Claim::length(count, truths >> at & 1 == 1, rng)
                } else {
                    agreeing(at, count, params.claims, truths, rng)
                });
            }
            let mut starts = [0; STARTS].map(|_| rng.word() as u32 & bits(0..count));
            starts[..2].copy_from_slice(&[0, bits(0..count)]);
            let settles = params.settles || !starts.iter().any(|start| list.corrected(*start) == truths);
            if settles && list.is_unique() {
                return Ok(list);
            }
        }
    }

    /// True if one choice of true statements agrees with what all say.
    pub(super) fn is_unique(&self) -> bool {
        let rules: Vec<Counted> = self.rules().collect();
        let agrees = |truths: &u32| rules.iter().all(|rule| rule.agrees(*truths));
        (0..1u32 << rules.len()).filter(agrees).take(2).count() == 1
    }

    /// The truths of a reader who starts from these truths and corrects one statement after the other, some rounds long.
    pub(super) fn corrected(&self, start: u32) -> u32 {
        let rules: Vec<Counted> = self.rules().collect();
        let correct =
            |truths, (at, rule): (usize, &Counted)| truths & !(1 << at) | u32::from(rule.holds(truths)) << at;
        (0..ROUNDS).fold(start, |truths, _| rules.iter().enumerate().fold(truths, correct))
    }

    pub(super) fn changed(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        let count = self.statements.len();
        let at = rng.index(count);
        match aim {
            Aim::Harder if count < MOST => {
                edited.truths.push(rng.chance(1, 2));
                edited.statements.iter_mut().for_each(|claim| claim.moved(|other| other, count, count + 1));
                let claim = agreeing(count, count + 1, Claims::Whole, edited.truth_bits(), rng);
                edited.statements.push(claim);
            }
            Aim::Easier if count > LEAST && rng.chance(1, 2) => {
                edited.truths.remove(at);
                edited.statements.remove(at);
                for (place, claim) in edited.statements.iter_mut().enumerate() {
                    if claim.counts(at) {
                        *claim = agreeing(place, count - 1, Claims::Pairs, bits_of(&edited.truths), rng);
                    } else {
                        claim.moved(|other| other - usize::from(other > at), count, count - 1);
                    }
                }
            }
            Aim::Easier if rng.chance(1, 2) => {
                edited.statements[at] = Claim::length(count, self.truths[at], rng);
            }
            Aim::Easier | Aim::Harder | Aim::Same => {
                let claims = if aim == Aim::Easier { Claims::Pairs } else { Claims::Whole };
                edited.statements[at] = agreeing(at, count, claims, self.truth_bits(), rng);
            }
        }
        edited.is_unique().then_some(edited)
    }

    pub(super) fn reordered(self, rng: &mut Rng) -> Self {
        let count = self.statements.len();
        let mut from: Vec<usize> = (0..count).collect();
        rng.shuffle(&mut from);
        let mut to = from.clone();
        from.iter().enumerate().for_each(|(at, before)| to[*before] = at);
        let mut disguised = Self {
            statements: from.iter().map(|before| self.statements[*before].clone()).collect(),
            truths: from.iter().map(|before| self.truths[*before]).collect(),
        };
        disguised.statements.iter_mut().for_each(|claim| claim.moved(|other| to[other], count, count));
        disguised
    }
}
