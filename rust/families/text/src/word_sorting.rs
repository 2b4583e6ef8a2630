//! Sort words by the usual alphabet or by a given one.

use crate::words::{letters, push_letters};
use kit::shared::route;
use kit::task::permutation::{self, insertions, miscounted};
use kit::task::prelude::*;

pub struct WordSorting;

params! {
    pub struct WordSortingParams {
        /// Number of words.
        words: u32 [3..=60],
        /// Number of letters that several words share at the start.
        shared: u32 [0..=8],
        /// True if the order of the letters differs from the usual alphabet.
        own_alphabet: bool [structure],
    }
    levels {
        (4, 0, false),
        (5, 0, false),
        (6, 2, false),
        (6, 2, true),
        (8, 3, true),
        (12, 3, true),
        (17, 4, true),
        (24, 5, true),
        (36, 6, true),
        (52, 8, true),
    }
    default 4
}

/// Words as listed, and all letters in sort order.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordList {
    words: Vec<String>,
    alphabet: String,
}

const USUAL: &str = "abcdefghijklmnopqrstuvwxyz";
/// Maximum length of a word, and bits per letter in a rank.
const LONGEST: usize = 24;
const BITS: u32 = 5;
/// Number of words that share a start, if there are enough.
const A_START: usize = 4;

impl TaskFamily for WordSorting {
    type Params = WordSortingParams;
    type Problem = WordList;

    const ABOUT: About = About {
        summary: "Sort words by the usual alphabet or by a given one.",
        failures: &[
            permutation::FAILURES[0],
            permutation::FAILURES[1],
            permutation::FAILURES[2],
            ("usual_alphabet", "sorted by the usual alphabet, although another one is given"),
            ("reversed", "the right order reversed"),
        ],
        parts: &[Part::new(
            "pairs_in_order",
            "share of the pairs of words in the right order, if every word is listed once",
        )],
        skills: &["sorting", "comparison", "spelling"],
        guess_rate: 0.043,
        guess_score: 0.043,
        ..About::new("text", "word_sorting", &["First version."])
    };

    /// Draws words until no shortcut sorts them right.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<WordList> {
        let count = params.words as usize;
        loop {
            budget.spend(u64::from(params.words))?;
            let starts: Vec<String> =
                (0..count.div_ceil(A_START)).map(|_| letters(params.shared as usize, rng)).collect();
            let word = |rng: &mut Rng| {
                let start = rng.pick(&starts);
                let mut word = String::with_capacity(start.len() + 5);
                word.push_str(start);
                push_letters(&mut word, 3 + rng.index(3), rng);
                word
            };
            let words = (0..count).map(|_| word(rng)).collect();
            let mut alphabet = USUAL.as_bytes().to_vec();
            if params.own_alphabet {
                rng.shuffle(&mut alphabet);
            }
            let alphabet = String::from_utf8(alphabet).expect("letters are ASCII");
            let list = WordList { words, alphabet };
            let right = list.order();
            let apart = right.windows(2).all(|pair| list.words[pair[0]] != list.words[pair[1]]);
            let shorter = right.is_sorted() || right.is_sorted_by(|a, b| a > b);
            if apart && !shorter && (!params.own_alphabet || list.by_usual() != right) {
                return Ok(list);
            }
        }
    }
}

impl WordList {
    /// For each word, the positions of its letters in the alphabet, from 1, packed into one number that sorts
    /// like the word.
    fn ranks(&self) -> Vec<u128> {
        let mut places = [0; 26];
        for (place, letter) in (1..).zip(self.alphabet.bytes()) {
            places[usize::from(letter - b'a')] = place;
        }
        let rank = |word: &String| {
            let letters = word.bytes().take(LONGEST);
            let rank = letters.fold(0u128, |rank, letter| rank << BITS | places[usize::from(letter - b'a')]);
            rank << (BITS * LONGEST.saturating_sub(word.len()) as u32)
        };
        self.words.iter().map(rank).collect()
    }

    fn order(&self) -> Vec<usize> {
        let ranks = self.ranks();
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by_key(|word| ranks[*word]);
        order
    }

    fn by_usual(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by_key(|word| &self.words[*word]);
        order
    }

    /// True if a word comes before another, by the first letter in which they differ.
    fn before(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.words[one].as_bytes(), self.words[other].as_bytes());
        match one.iter().zip(other).find(|(a, b)| a != b) {
            Some((a, b)) => {
                self.alphabet.bytes().find(|letter| [a, b].contains(&letter)).is_some_and(|first| first == *a)
            }
            None => one.len() < other.len(),
        }
    }

    fn listed(&self) -> String {
        self.words.join(", ")
    }

    /// The letters in order, and true if that is the usual order.
    fn letters(&self) -> (String, bool) {
        let spaced = self.alphabet.chars().flat_map(|letter| [letter, ' ']);
        (spaced.take(2 * USUAL.len() - 1).collect(), self.alphabet == USUAL)
    }
}

impl Problem for WordList {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("sort", |list| {
            let by = match list.letters() {
                (_, true) => "into alphabetical order".to_owned(),
                (letters, false) => {
                    format!("by an alphabet in which the letters come in this order: {letters}")
                }
            };
            format!(
                "Sort the following words {by}. A word comes before any longer word that starts with it.\n\n{}\n",
                list.listed()
            )
        }),
        Template::plain("dictionary", |list| {
            let order = match list.letters() {
                (_, true) => "The entries are in alphabetical order".to_owned(),
                (letters, false) => {
                    format!(
                        "The alphabet of their language runs {letters}, and the entries are in the order of this alphabet"
                    )
                }
            };
            format!(
                "These words are the entries of a small dictionary, not yet in order: {}. {order}: the first letter in which two \
                 words differ decides, and if one word is the beginning of another, the shorter one comes first. In what \
                 order do the entries appear?",
                list.listed()
            )
        }),
        Template::plain("list", |list| {
            let order = match list.letters() {
                (_, true) => "alphabetically".to_owned(),
                (letters, false) => {
                    format!("by our own alphabet instead of the usual one? It goes {letters}")
                }
            };
            let mark = if list.letters().1 { "?" } else { "." };
            format!(
                "Could you sort this list for me {order}{mark} If a word is just the start of another, the shorter one goes \
                 first.\n\n{}\n",
                list.words.join("\n")
            )
        }),
        Template::held_out_plain("names", |list| {
            let order = match list.letters() {
                (_, true) => "in alphabetical order".to_owned(),
                (letters, false) => {
                    format!("in the order of their own alphabet, which runs {letters}")
                }
            };
            format!(
                "Before the game, the players of a team line up by name, {order}. The first letter in which two names differ \
                 decides who stands in front, and if one name is the beginning of another, the shorter name comes first. The \
                 players are\n\n{}\n\nIn what order do they line up, from the front?",
                list.words.join("\n")
            )
        }),
        Template::held_out_plain("spec", |list| {
            format!(
                "alphabet: {}\nwords: {}\n\nSort the words lexicographically in ascending order with respect to this alphabet. A \
                 proper prefix of a word precedes the word.",
                list.letters().0,
                list.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("words", &self.words, 3..=80, "words")?;
        route::check_names(&self.words)?;
        let lower = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase());
        check::each("words", &self.words, lower, "words have letters from a to z")?;
        let mut letters: Vec<char> = self.alphabet.chars().take(27).collect();
        letters.sort_unstable();
        check::that(letters.into_iter().eq(USUAL.chars()), || {
            format!("`alphabet` is `{}`, but must have every letter once", quoted(&self.alphabet))
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        // Counts for every word how many come before it, letter by letter.
        let before = |word: usize| (0..self.words.len()).filter(|other| self.before(*other, word)).count();
        let placed = self.order().iter().map(|word| before(*word)).eq(0..self.words.len());
        check::that(placed, || "`words` do not have a single order".to_owned())?;
        let first = &self.words[self.order()[0]];
        Ok(Certificate::unique(format!("all words differ, and {first} comes first")))
    }

    /// Adds or removes a word, or changes last letters.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let at = rng.index(self.words.len());
        let start: String = self.words[at].chars().take(self.words[at].len() / 2).collect();
        let new = start + &letters(4, rng);
        match aim {
            Aim::Harder => mutated.words.push(new),
            Aim::Easier => drop(mutated.words.remove(at)),
            Aim::Same => mutated.words[at] = new,
        }
        mutated.check().is_ok().then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let ends = form::Ends::Free;
        form::Route { names: &self.words, ends, place: "word", unknown: permutation::UNKNOWN }
    }

    fn solution(&self) -> Solution {
        let order = self.order();
        Solution::new(insertions(&order, &self.words), self.answer())
    }

    fn answer(&self) -> String {
        route::write(self.order(), &self.words)
    }

    /// No partial credit for another order: the usual alphabet puts half of the pairs in order.
    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        permutation::check(&answer, &self.words)?;
        let wrong = answer.windows(2).find(|pair| !self.before(pair[0], pair[1]));
        let Some([first, then]) = wrong else { return Ok(()) };
        let words = &self.words;
        let verdict = Failure::wrong(format!(
            "{} comes before {}, but should come after it",
            words[*first], words[*then]
        ));
        let verdict = if answer == self.by_usual() {
            verdict.also("usual_alphabet")
        } else if answer.iter().rev().eq(&self.order()) {
            verdict.also("reversed")
        } else {
            verdict
        };
        Err(verdict.part("pairs_in_order", permutation::pairs_in_order(&answer, &self.order())))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let right = self.order();
        let mut wrong = miscounted(&right, faults.of(right.len()), rng).to_vec();
        let swapped = permutation::swapped(&right, faults, rng);
        wrong.extend([swapped, self.by_usual(), right.iter().rev().copied().collect()]);
        wrong.retain(|order| *order != right);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let count = self.words.len();
        vec![("any order", permutation::random(count, rng)), ("as listed", (0..count).collect())]
    }

    /// Reorders the words and, with a custom alphabet, renames the letters.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.words);
        if self.alphabet != USUAL {
            let mut letters: Vec<char> = USUAL.chars().collect();
            rng.shuffle(&mut letters);
            let renamed =
                |text: &String| text.bytes().map(|byte| letters[usize::from(byte - b'a')]).collect();
            twin.words = twin.words.iter().map(renamed).collect();
            twin.alphabet = renamed(&self.alphabet);
        }
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut ranks = self.ranks();
        ranks.sort_unstable();
        ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect()
    }

    /// Letters compared in a binary insertion sort. With a custom alphabet, letters are looked up as well.
    fn effort(&self) -> Effort {
        let order = self.order();
        let shared = |pair: &[usize]| {
            let (one, other) = (self.words[pair[0]].bytes(), self.words[pair[1]].bytes());
            one.zip(other).take_while(|(a, b)| a == b).count() as u64 + 1
        };
        let compared: u64 = order.windows(2).map(shared).sum();
        let look_up = if self.alphabet == USUAL { 1 } else { 3 };
        Effort::new(compared * u64::from(order.len().ilog2()) * look_up, 150)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_comes_first_and_the_alphabet_given_decides() {
        let words: Vec<String> = ["za", "z", "az", "b"].map(String::from).to_vec();
        let usual = WordList { words: words.clone(), alphabet: USUAL.to_owned() };
        assert_eq!(usual.solution().answer, "az -> b -> z -> za");
        let turned = WordList { words, alphabet: USUAL.chars().rev().collect() };
        assert_eq!(turned.solution().answer, "z -> za -> b -> az");
        let verdict = turned.verify(usual.order(), &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.failures, [label::WRONG_ANSWER, "usual_alphabet"]);
        assert_eq!(verdict.detail, "az comes before b, but should come after it");
    }
}
