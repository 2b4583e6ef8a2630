//! The right text with mistakes in some places.

use super::Reversal;
use super::drawing::letter;
use kit::rng::Rng;
use kit::task::solution::Faults;

/// Mistakes at one place of a text.
#[derive(Clone, Copy)]
pub enum Slip {
    Replaced,
    Dropped,
    Doubled,
}

impl Slip {
    pub const ALL: [Self; 3] = [Self::Replaced, Self::Dropped, Self::Doubled];
}

impl Reversal {
    /// The right text with mistakes of one kind in the chosen number of places.
    pub fn with_slips(&self, slip: Slip, faults: Faults, rng: &mut Rng) -> String {
        let reference = self.reversed();
        let units = self.units(&reference);
        let mut places: Vec<usize> = (0..units.len()).collect();
        rng.shuffle(&mut places);
        // At least one unit remains.
        let mut slips = vec![false; units.len()];
        places[..faults.of(units.len() - 1)].iter().for_each(|place| slips[*place] = true);
        let written = units.iter().zip(slips).flat_map(|(unit, slips)| match slip {
            _ if !slips => vec![(*unit).to_owned()],
            Slip::Replaced => vec![respelled(unit, rng)],
            Slip::Dropped => vec![],
            Slip::Doubled => vec![(*unit).to_owned(); 2],
        });
        let written: Vec<String> = written.collect();
        written.join(self.joint()).trim().to_owned()
    }
}

/// The text with its first character replaced by another letter.
fn respelled(text: &str, rng: &mut Rng) -> String {
    let letter = letter(rng);
    let letter = if text.starts_with(letter) { letter.to_ascii_uppercase() } else { letter };
    format!("{letter}{}", &text[1..])
}

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::*;
    use kit::budget::Budget;
    use kit::rng::Key;
    use kit::task::problem::Problem;

    #[test]
    fn more_slips_score_less() {
        let words: Vec<String> = (0..30).map(|number| format!("w{number}")).collect();
        let line = Reversal { text: words.join(" "), unit: Unit::Words };
        let mut rng = Key::new("slips", 1, "", 0, "").stream(0);
        let means = Faults::LADDER.map(|faults| {
            let misses = line.near_misses(faults, &mut rng);
            let judge = |answer: &String| line.verify(answer.clone(), &mut Budget::new(100_000)).unwrap_err();
            misses.iter().map(|answer| judge(answer).score).sum::<f32>() / misses.len() as f32
        });
        assert!(means.is_sorted_by(|fewer, more| more < fewer) && means[0] < 1.0, "{means:?}");
    }
}
