//! Pairs of things and the cells that each may have: trees and tents.

/// Number of these things that can each have one of their own `open` cells to themselves.
pub fn pairs(things: &[Vec<usize>], open: &[usize]) -> usize {
    let mut is_open = vec![false; open.iter().max().map_or(0, |last| last + 1)];
    for cell in open {
        is_open[*cell] = true;
    }
    let mut owners = vec![None; is_open.len()];
    (0..things.len()).filter(|thing| pair(*thing, things, &mut is_open.clone(), &mut owners)).count()
}

/// Gives a thing one of the cells that are open and untried, if need be by giving others other cells.
fn pair(thing: usize, things: &[Vec<usize>], untried: &mut [bool], owners: &mut [Option<usize>]) -> bool {
    things[thing].iter().any(|cell| {
        let is_new = untried.get_mut(*cell).is_some_and(std::mem::take);
        let found = is_new && owners[*cell].is_none_or(|other| pair(other, things, untried, owners));
        if found {
            owners[*cell] = Some(thing);
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// Compares with all ways to give things cells of their own.
    #[test]
    fn as_many_are_paired_as_can_be() {
        fn most(things: &[Vec<usize>], open: &[usize]) -> usize {
            let Some((cells, rest)) = things.split_first() else { return 0 };
            let without =
                |cell: &usize| open.iter().copied().filter(|other| other != cell).collect::<Vec<_>>();
            let with = cells.iter().filter(|cell| open.contains(cell));
            with.map(|cell| 1 + most(rest, &without(cell))).chain([most(rest, open)]).max().unwrap_or(0)
        }
        let mut rng = testing::rng(0);
        for _ in 0..500 {
            let things: Vec<Vec<usize>> = (0..5).map(|_| (0..3).map(|_| rng.index(7)).collect()).collect();
            let open: Vec<usize> = (0..7).filter(|_| rng.chance(2, 3)).collect();
            assert_eq!(pairs(&things, &open), most(&things, &open));
        }
    }
}
