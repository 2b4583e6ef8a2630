//! Words from a known list, one after the other.

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::task::verdict::Failure;

/// Largest number of words in an answer.
const LONGEST: usize = 5_000;

/// Words from a known list with commas between them, at least one, parsed as their indices in that list. The
/// verifier decides whether their order matters and whether a word may occur twice.
pub struct Sequence {
    /// Noun phrase for the answer with the look of each word: "the moves in order, each like A to C,".
    pub what: String,
    /// The words, which contain no commas and no outer spaces.
    pub words: Vec<String>,
}

impl Form for Sequence {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        format!("Give {} separated by commas,", self.what)
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        let mut places = Vec::new();
        for word in between_commas(text) {
            if places.len() == LONGEST {
                return Err(Failure::malformed(format!("more than {LONGEST} words")));
            }
            let place = self.words.iter().position(|known| known == word);
            places.push(place.ok_or_else(|| {
                let (word, like) = (quoted(word), self.words.first().map_or("", String::as_str));
                Failure::malformed(format!(
                    "`{word}` is not one of the words that may be used, like `{like}`"
                ))
            })?);
        }
        Ok(places)
    }

    fn write(&self, answer: &Vec<usize>) -> String {
        answer.iter().map(|place| self.words[*place].as_str()).collect::<Vec<_>>().join(", ")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::listed(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right},"),
            format!(", {right}"),
            format!("[{right}]"),
            format!("({right})"),
            format!("{right}."),
            format!("1. {right}"),
            format!("{right}, ?"),
            format!("{right}\n{right}"),
            format!("{right} or {right}"),
            format!("Answer: {right}"),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", ",,"),
            right.replace(", ", "\n"),
            right.replace(", ", " and "),
            right.replace(", ", " -> "),
            right.replace(", ", "\u{ff0c}"),
        ]);
        // A single word has no commas.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_list_are_read_and_nothing_else() {
        let words = ["up", "down", "left 2"].map(String::from).to_vec();
        let form = Sequence { what: "the moves in order".to_owned(), words };
        assert_eq!(form.asks(), "Give the moves in order separated by commas,");
        for text in ["up, left 2, up", "up,left 2,up", " up ,\n left 2\t,up"] {
            assert_eq!(form.read(text), Ok(vec![0, 2, 0]), "{text:?}");
        }
        for right in ["down", "up, left 2, up"] {
            assert_eq!(form.write(&form.read(right).unwrap()), right);
            for text in form.mangled(right) {
                assert!(form.read(&text).is_err(), "{text:?}");
            }
        }
        for text in ["", ",", "UP", "left  2", "sideways", "up up", &"up,".repeat(LONGEST + 1)] {
            assert!(form.read(text).is_err(), "{text:.40?}");
        }
    }
}
