//! Pairs items with equivalent items.

use std::collections::VecDeque;

/// For each of `count` items, its partner among the `others`, each in at most one pair. With `near`, items
/// need only be near each other, and there are as many pairs as possible.
pub fn paired<E>(
    count: usize,
    others: usize,
    near: bool,
    mut alike: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<Option<usize>>, E> {
    let mut pair_of: Vec<Option<usize>> = vec![None; count];
    let mut free: Vec<usize> = (0..count).collect();
    let mut left = Vec::new();
    for other in 0..others {
        let mut found = None;
        for (place, &item) in free.iter().enumerate() {
            if alike(item, other)? {
                found = Some(place);
                break;
            }
        }
        match found {
            Some(place) => pair_of[free.remove(place)] = Some(other),
            None => left.push(other),
        }
    }
    // Items equal in value are equal to the same items, so no pair must give way.
    if !near {
        return Ok(pair_of);
    }
    // An item near two others may have taken the one that another item needs: pairs give way along a path
    // (Kuhn 1955).
    for start in left {
        if free.is_empty() {
            break;
        }
        let mut reached_from: Vec<Option<usize>> = vec![None; count];
        let mut queue = VecDeque::from([start]);
        let mut end = None;
        'search: while let Some(other) = queue.pop_front() {
            for item in 0..count {
                if reached_from[item].is_some() || !alike(item, other)? {
                    continue;
                }
                reached_from[item] = Some(other);
                let Some(next) = pair_of[item] else {
                    end = Some(item);
                    break 'search;
                };
                queue.push_back(next);
            }
        }
        let Some(last) = end else { continue };
        free.retain(|item| *item != last);
        let mut end = Some(last);
        while let Some(item) = end {
            let other = reached_from[item].expect("the way back is known");
            // The previous partner of this one is free now.
            end = pair_of.iter().position(|pair| *pair == Some(other));
            pair_of[item] = Some(other);
        }
    }
    Ok(pair_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_way() {
        let near = |items: &[i32], others: &[i32]| {
            let alike = |item: usize, other: usize| Ok::<_, ()>((items[item] - others[other]).abs() <= 1);
            paired(items.len(), others.len(), true, alike).unwrap()
        };
        assert_eq!(near(&[1, 2], &[2, 3]), [Some(0), Some(1)]);
        assert_eq!(near(&[2, 1], &[2, 0]), [Some(0), Some(1)]);
        assert_eq!(near(&[1, 3], &[2, 0]), [Some(1), Some(0)]);
        assert_eq!(near(&[1, 3, 5, 7], &[2, 4, 6, 0]), [Some(3), Some(0), Some(1), Some(2)]);
        assert_eq!(near(&[1, 9], &[1, 1]), [Some(0), None]);
        assert_eq!(near(&[], &[1]), []);
    }
}
