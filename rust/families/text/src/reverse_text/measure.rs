//! The distance of an answer from the right text.

use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::similarity;

/// The longest common subsequence of two texts over the longer length, in words.
pub fn words_in_order(answer: &str, reference: &str, budget: &mut Budget) -> Result<f32, OverBudget> {
    budget.spend((answer.len() + reference.len()) as u64)?;
    let mut words: Vec<&str> = reference.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    // A character for each word of the right text, and one for any other word.
    let number = |word: &str| words.binary_search(&word).map_or(0, |at| 1 + at as u32);
    let letter = |word: &str| char::from_u32(0x1_0000 + number(word)).expect("a text has few words");
    let [answer, reference] = [answer, reference].map(|text| text.split(' ').map(letter).collect::<String>());
    similarity::lcs_share(&answer, &reference, budget)
}

/// The first place where an answer differs from the right text.
pub fn difference(answer: &str, reference: &str) -> String {
    let (mut given, mut right) = (answer.chars(), reference.chars());
    let mut place = 1;
    loop {
        match (given.next(), right.next()) {
            (Some(a), Some(b)) if a == b => place += 1,
            (Some(a), Some(b)) => {
                let a = quoted(&a.to_string());
                return format!("character {place} is `{a}`, but should be `{b}`");
            }
            (None, _) => {
                return format!("the text ends after {} of {} characters", place - 1, reference.len());
            }
            (_, None) => return format!("the text continues after its {} characters", reference.len()),
        }
    }
}
