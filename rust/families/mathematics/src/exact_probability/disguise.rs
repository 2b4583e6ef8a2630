//! Equivalent experiments: changes that do not affect the result.

use super::Experiment;
use kit::shared::rational::gcd;
use kit::task::prelude::*;

/// Divides all numbers by their greatest common divisor.
fn reduce<'a>(numbers: impl IntoIterator<Item = &'a mut i64>) {
    let numbers: Vec<&mut i64> = numbers.into_iter().collect();
    let common = numbers.iter().fold(0, |common, number| gcd(common, i128::from(**number))).max(1) as i64;
    for number in numbers {
        *number /= common;
    }
}

/// Exchanges places 2 and 3 of four.
fn exchange_middle(tickets: &mut [Vec<i64>]) {
    tickets.swap(1, 2);
    for row in tickets {
        row.swap(1, 2);
    }
}

/// Exchanges red and blue.
fn recolor(boxes: &mut [[i64; 2]], balls: i64, red: &mut [bool]) {
    for [_, reds] in boxes {
        *reds = balls - *reds;
    }
    for red in red {
        *red = !*red;
    }
}

impl Experiment {
    /// A normal form, equal for experiments that differ only in irrelevant ways: the order of dice, boxes and
    /// draws, the colors of the other balls, dice that cannot reach the smallest number that pays, and a
    /// common factor.
    pub(super) fn plain(&self) -> Self {
        let mut plain = self.clone();
        match &mut plain {
            Self::Urn { balls, .. } => *balls = vec![balls[0], balls[1..].iter().sum()],
            Self::Dice { sides, .. } => sides.sort_unstable(),
            Self::Highest { sides, least } => {
                sides.retain(|sides| sides >= least);
                sides.sort_unstable();
            }
            Self::Boxes { boxes, balls, red } => {
                reduce(boxes.iter_mut().map(|[tickets, _]| tickets));
                let sorted = |mut boxes: Vec<[i64; 2]>, mut red: Vec<bool>| {
                    // If no blue ball was drawn, their number does not matter.
                    let mut balls = if red.contains(&false) { *balls } else { 0 };
                    reduce(boxes.iter_mut().map(|[_, reds]| reds).chain([&mut balls]));
                    boxes[1..].sort_unstable();
                    red.sort_unstable();
                    (balls, boxes, red)
                };
                let (mut other_boxes, mut other_red) = (boxes.clone(), red.clone());
                recolor(&mut other_boxes, *balls, &mut other_red);
                let both = [sorted(boxes.clone(), red.clone()), sorted(other_boxes, other_red)];
                (*balls, *boxes, *red) = both.into_iter().min().expect("there are two");
            }
            Self::Walk { tickets, .. } => {
                reduce(tickets.iter_mut().flatten());
                if tickets.len() == 4 {
                    let mut other = tickets.clone();
                    exchange_middle(&mut other);
                    *tickets = other.min(tickets.clone());
                }
            }
        }
        plain
    }

    /// Another experiment with the same plain form.
    pub(super) fn disguised(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        match &mut twin {
            Self::Urn { balls, .. } => {
                // Redistributes the other balls among the other colors.
                let mut left: i64 = balls[1..].iter().sum();
                let colors = balls.len() as i64 - 1;
                for (open, count) in (0..colors).rev().zip(&mut balls[1..]) {
                    *count = rng.int((left - 30 * open).max(1), (left - open).min(30));
                    left -= *count;
                }
            }
            Self::Dice { sides, .. } => rng.shuffle(sides),
            Self::Highest { sides, least } => {
                let least = *least;
                for sides in sides.iter_mut().filter(|sides| **sides < least) {
                    *sides = rng.int(2, least - 1);
                }
                rng.shuffle(sides);
            }
            Self::Boxes { boxes, balls, red } => {
                rng.shuffle(&mut boxes[1..]);
                rng.shuffle(red);
                if rng.chance(1, 2) {
                    recolor(boxes, *balls, red);
                }
                if rng.chance(1, 2) && boxes.iter().all(|[tickets, _]| *tickets <= 4) {
                    for [tickets, _] in boxes {
                        *tickets *= 2;
                    }
                }
            }
            Self::Walk { tickets, .. } => {
                if tickets.len() == 4 && rng.chance(1, 2) {
                    exchange_middle(tickets);
                }
                if rng.chance(1, 2) && tickets.iter().flatten().all(|count| *count <= 7) {
                    tickets.iter_mut().flatten().for_each(|count| *count *= 2);
                }
            }
        }
        twin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::prelude::Fields;
    use kit::shape::value::Exact;

    #[test]
    fn what_does_not_count_is_no_part_of_the_fingerprint() {
        let urn = |balls: &[i64]| Experiment::Urn { balls: balls.to_vec(), draws: 3, wanted: 2 };
        let highest = |sides: &[i64]| Experiment::Highest { sides: sides.to_vec(), least: 6 };
        let boxes = |boxes: &[[i64; 2]], balls, red: [bool; 3]| Experiment::Boxes {
            boxes: boxes.to_vec(),
            balls,
            red: red.to_vec(),
        };
        let walk = |rows: [[i64; 2]; 2]| Experiment::Walk { tickets: rows.map(Vec::from).to_vec(), steps: 3 };
        for (one, same, other) in [
            (urn(&[5, 3, 9]), urn(&[5, 6, 6]), urn(&[5, 3, 8])),
            (urn(&[5, 3, 9]), urn(&[5, 12]), urn(&[4, 4, 9])),
            (highest(&[3, 9, 7]), highest(&[9, 7, 5]), highest(&[9, 7, 6])),
            (
                boxes(&[[2, 3], [4, 1], [6, 2]], 5, [true, false, true]),
                boxes(&[[1, 2], [3, 3], [2, 4]], 5, [false, false, true]),
                boxes(&[[1, 2], [3, 3], [2, 4]], 5, [true, true, true]),
            ),
            (
                boxes(&[[1, 2], [3, 4]], 9, [true, true, true]),
                boxes(&[[1, 5], [3, 4]], 6, [false, false, false]),
                boxes(&[[1, 5], [3, 4]], 7, [false, false, false]),
            ),
            (walk([[2, 4], [4, 2]]), walk([[4, 8], [8, 4]]), walk([[2, 4], [2, 4]])),
        ] {
            assert_eq!(one.value(), same.value());
            assert_eq!(one.fingerprint(), same.fingerprint());
            assert_ne!(one.value(), other.value());
            assert_ne!(one.fingerprint(), other.fingerprint());
        }
    }

    #[test]
    fn a_twin_says_other_things_of_the_same_experiment() {
        let mut rng = kit::rng::Key::new("disguise", 1, "", 0, "").stream(0);
        let urn = Experiment::Urn { balls: vec![5, 30, 30, 1], draws: 3, wanted: 2 };
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let twin = urn.twin(&mut rng);
            assert_eq!(twin.check(), Ok(()));
            assert_eq!((twin.value(), twin.fingerprint()), (urn.value(), urn.fingerprint()));
            seen.insert(serde_json::to_string(&twin).unwrap());
        }
        assert!(seen.len() > 5, "{seen:?}");
    }
}
