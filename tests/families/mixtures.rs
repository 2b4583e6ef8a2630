//! Mixtures draw from their sources in proportion to their weights.

use std::sync::Arc;

use reasonenv::families;
use reasonenv::task::erased::Family;
use reasonenv::task::mixture::Mixture;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;

use crate::common;
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.once(named![
        sources_come_as_often_as_they_weigh_and_never_without_weight,
        an_item_is_its_sources_own,
        what_is_no_mixture_is_told_by_its_field
    ]);
}

fn source(family: &str, split: Split) -> Arc<Source> {
    common::source(families::find(family).unwrap(), 1, split, 5)
}

fn two() -> Vec<Arc<Source>> {
    vec![source("chain_sum", Split::Train), source("reverse_text", Split::Train)]
}

fn sources_come_as_often_as_they_weigh_and_never_without_weight() {
    let often = |weights: &[f64]| {
        let mixture = Mixture::new(two(), Some(weights), 3).unwrap();
        (0..10_000).filter(|index| mixture.drawn(*index) == 1).count()
    };
    assert!((2_300..2_700).contains(&often(&[3.0, 1.0])));
    assert!((4_800..5_200).contains(&often(&[1e-300, 1e-300])));
    assert_eq!(often(&[0.5, 0.0]), 0);
    assert_eq!(often(&[0.0, 0.5]), 10_000);
}

fn an_item_is_its_sources_own() {
    let mixture = Mixture::new(two(), None, 3).unwrap();
    for index in [0, 1, 7, u64::MAX] {
        let task = mixture.task(index).unwrap();
        let own = mixture.sources()[mixture.drawn(index)].task(index).unwrap();
        assert_eq!((task.id(), task.prompt()), (own.id(), own.prompt()));
    }
    let other = Mixture::new(two(), None, 4).unwrap();
    assert!((0..100).any(|index| mixture.drawn(index) != other.drawn(index)));
}

fn what_is_no_mixture_is_told_by_its_field() {
    let refused = |sources, weights: Option<&[f64]>| Mixture::new(sources, weights, 0).err().unwrap();
    assert_eq!(refused(vec![], None), "`sources` has 0 entries, but must have between 1 and 4096");
    let mixed = vec![source("chain_sum", Split::Train), source("chain_sum", Split::Test)];
    assert_eq!(
        refused(mixed, None),
        "`sources[1]` is of the split test, but `sources[0]` is of train; a mixture has one split"
    );
    assert_eq!(refused(two(), Some(&[1.0])), "1 `weights` for 2 `sources`; give one for each");
    assert!(refused(two(), Some(&[1.0, -1.0])).starts_with("`weights[1]` is -1, but"));
    assert!(refused(two(), Some(&[f64::NAN, 1.0])).starts_with("`weights[0]` is NaN, but"));
    assert!(refused(two(), Some(&[0.0, 0.0])).starts_with("`weights` are all 0"));
}
