//! Count how often several letters appear in a text.

use crate::words::{USUAL, WORDS};
use kit::task::prelude::*;
use kit::words::count;

pub struct LetterCounting;

params! {
    pub struct LetterCountingParams {
        /// Number of words.
        words: u32 [1..=100],
        /// Number of letters to count; some of them may not appear.
        letters: u32 [2..=12],
    }
    levels {
        (2, 3),
        (4, 3),
        (5, 4),
        (8, 4),
        (12, 5),
        (18, 5),
        (26, 6),
        (38, 7),
        (55, 8),
        (80, 10),
    }
    default 4
}

/// The words of a text and the letters to count in them, in lowercase.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    words: Vec<String>,
    letters: Vec<char>,
}

impl TaskFamily for LetterCounting {
    type Params = LetterCountingParams;
    type Problem = Count;

    const ABOUT: About = About {
        summary: "Count how often several letters appear in a text.",
        failures: &[
            ("counted_words", "the number of words that contain each letter, not how often it appears"),
            ("doubles_counted_once", "right if a doubled letter counted only once"),
            ("order_changed", "the right counts in the wrong order"),
        ],
        parts: &[Part::new("right_counts", "share of the letters whose count is right")],
        skills: &["spelling", "counting", "attention"],
        guess_rate: 0.084,
        guess_score: 0.084,
        ..About::new("text", "letter_counting", &["First version."])
    };

    fn generate(
        &self,
        params: &LetterCountingParams,
        rng: &mut Rng,
        _: &mut Budget,
    ) -> Result<Count, Exhausted> {
        let words: Vec<String> = (0..params.words).map(|_| (*rng.pick(&WORDS)).to_owned()).collect();
        // Letters that occur in the text, so that common ones are asked for more often, plus one arbitrary
        // letter.
        let wanted = params.letters as usize;
        let mut text = words.concat().into_bytes();
        let (any, at_any) = (b'a' + rng.below(26) as u8, rng.index(2 * wanted));
        let mut letters: Vec<char> = Vec::with_capacity(wanted);
        let mut ask = |letter: u8| {
            let new = letters.len() < wanted && !letters.contains(&char::from(letter));
            letters.extend(new.then_some(char::from(letter)));
            letters.len() < wanted
        };
        for at in 0..text.len() {
            if at == at_any && !ask(any) {
                break;
            }
            let drawn = at + rng.index(text.len() - at);
            text.swap(at, drawn);
            if !ask(text[at]) {
                break;
            }
        }
        for letter in b'a'..=b'z' {
            ask(letter);
        }
        Ok(Count { words, letters })
    }
}

impl Count {
    fn counts(&self) -> Vec<i64> {
        let mut often = [0; 128];
        self.words.iter().flat_map(|word| word.bytes()).for_each(|letter| often[usize::from(letter)] += 1);
        self.letters.iter().map(|letter| often[*letter as usize]).collect()
    }

    /// The sums over all words of each letter's count in a word.
    fn counted(&self, count: impl Fn(&str, char) -> usize) -> Vec<i64> {
        let sum = |letter: &char| self.words.iter().map(|word| count(word, *letter)).sum::<usize>() as i64;
        self.letters.iter().map(sum).collect()
    }

    /// Wrong ways to count, each with its label.
    fn slips(&self) -> [(Vec<i64>, &'static str); 2] {
        let in_word = |word: &str, letter| usize::from(word.contains(letter));
        let runs = |word: &str, letter| {
            let mut letters: Vec<char> = word.chars().collect();
            letters.dedup();
            letters.into_iter().filter(|other| *other == letter).count()
        };
        [(self.counted(in_word), "counted_words"), (self.counted(runs), "doubles_counted_once")]
    }

    fn told(&self) -> (String, String) {
        let (last, rest) = self.letters.split_last().expect("letters are asked for");
        let mut letters = String::with_capacity(3 * self.letters.len() + 4);
        for letter in rest {
            letters.extend([*letter, ',', ' ']);
        }
        letters.truncate(letters.len() - 2);
        letters.push_str(" and ");
        letters.push(*last);
        (self.words.join(" "), letters)
    }
}

impl Problem for Count {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("letters_first", |count| {
            let (text, letters) = count.told();
            format!(
                "How many times does each of the letters {letters} appear in the following text?\n\n{text}\n"
            )
        }),
        Template::plain("text_first", |count| {
            let (text, letters) = count.told();
            format!(
                "{text}\n\nCould you count the letters in the line above for me? I need to know how often each of {letters} occurs; if \
                 one of them isn't there, its count is 0."
            )
        }),
        Template::plain("spec", |count| {
            let (text, letters) = count.told();
            format!(
                "Input: {text}\nTask: count each of the letters {letters} in the input (0 for a letter that does not occur)."
            )
        }),
        Template::held_out_plain("printer", |count| {
            let (text, letters) = count.told();
            format!(
                "A printer is setting the line below in metal type, using one piece of type for every letter. How many pieces \
                 of type does this take for each of the letters {letters}?\n\n{text}\n"
            )
        }),
        Template::held_out_plain("tiles", |count| {
            let (text, letters) = count.told();
            format!(
                "Mia lays these words out on the kitchen floor with wooden letter tiles, one letter per tile:\n\n{text}\n\nWhen she \
                 is done, her little brother picks up every tile with one of the letters {letters} and sorts them into piles by \
                 letter. How many tiles are in the pile of each of these letters? An empty pile has 0."
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let is_word = |word: &String| word.len() <= 30 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        check::length("words", &self.words, 1..=200, "words")?;
        check::each(
            "words",
            &self.words,
            |word| !word.is_empty() && is_word(word),
            "must be 1 to 30 letters a to z",
        )?;
        check::length("letters", &self.letters, 2..=26, "letters")?;
        check::each("letters", &self.letters, char::is_ascii_lowercase, "must be letters a to z")?;
        check::distinct("letters", &self.letters)
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let text = self.words.concat();
        let left_out = |letter: &char| (text.len() - text.replace(*letter, "").len()) as i64;
        let counts: Vec<i64> = self.letters.iter().map(left_out).collect();
        check::that(counts == self.counts(), || {
            format!("`letters` appear {counts:?} times by another count")
        })?;
        Ok(Certificate::unique(format!("counted twice over: {}", self.form().write(&counts))))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let (at, new) = (rng.index(mutated.words.len()), (*rng.pick(&WORDS)).to_owned());
        match aim {
            Aim::Harder => mutated.words.insert(at, new),
            Aim::Easier => drop(mutated.words.remove(at)),
            Aim::Same => mutated.words[at] = new,
        }
        mutated.check().is_ok().then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers {
            count: self.letters.len(),
            what: "counts in the order in which the letters are listed",
        }
    }

    /// Word by word, with the counts so far.
    fn solution(&self) -> Solution {
        let mut so_far = vec![0; self.letters.len()];
        let mut named = |word: &String| {
            let (mut here, mut total) = (Vec::new(), Vec::new());
            for (letter, sum) in self.letters.iter().zip(&mut so_far) {
                let count = word.chars().filter(|other| other == letter).count();
                *sum += count;
                here.extend((count > 0).then(|| format!("{letter} {count}")));
                total.push(format!("{letter} {sum}"));
            }
            let here = if here.is_empty() { "none of them".to_owned() } else { here.join(", ") };
            format!("{word}: {here}; so far {}", total.join(", "))
        };
        let steps: Vec<String> = self.words.iter().map(&mut named).collect();
        Solution::new(steps, self.answer())
    }

    fn answer(&self) -> String {
        self.form().write(&self.counts())
    }

    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        let mut counts = self.counts();
        if answer == counts {
            return Ok(());
        }
        let pairs = || answer.iter().zip(&counts);
        let right = pairs().filter(|(given, count)| given == count).count() as f32 / counts.len() as f32;
        let at = pairs().position(|(given, count)| given != count).expect("some count differs");
        let (times, given) = (count(counts[at], "time"), answer[at]);
        let detail = format!("the letter {} appears {times}, not {given}", self.letters[at]);
        let wrong = Failure::wrong(detail).part("right_counts", right);
        if let Some((_, label)) = self.slips().into_iter().find(|(slip, _)| *slip == answer) {
            return Err(wrong.also(label));
        }
        let mut given = answer;
        given.sort_unstable();
        counts.sort_unstable();
        if given == counts { Err(wrong.also("order_changed")) } else { Err(wrong) }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let counts = self.counts();
        let mut near: Vec<Vec<i64>> = self.slips().map(|(slip, _)| slip).into();
        for by in [1, -1] {
            let mut slipped = counts.clone();
            faults.draw(counts.len(), rng).into_iter().for_each(|at| slipped[at] += by);
            near.push(slipped);
        }
        near.push(counts.iter().rev().copied().collect());
        near.retain(|near| *near != counts);
        near
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let (all, often) = &*USUAL;
        let length = self.words.concat().len();
        let usual = |letter: &char| ((2 * often[letter] * length + all) / (2 * all)) as i64;
        let usual: Vec<i64> = self.letters.iter().map(usual).collect();
        vec![("each once", vec![1; usual.len()]), ("as often as in all the words", usual)]
    }

    /// Neither the order of the words nor that of the letters matters.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.words);
        rng.shuffle(&mut twin.letters);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut sorted = self.clone();
        sorted.words.sort_unstable();
        sorted.letters.sort_unstable();
        serde_json::to_vec(&sorted).expect("problems serialize")
    }

    /// Comparisons of each letter of the text with each requested one.
    fn effort(&self) -> Effort {
        Effort::new((self.words.concat().len() * self.letters.len()) as u64, 1_500)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_miscount_has_its_label() {
        let words = ["strawberry", "mississippi", "kiosk"].map(String::from).to_vec();
        let count = Count { words, letters: vec!['r', 's', 'q'] };
        assert_eq!(count.counts(), [3, 6, 0]);
        let step = "mississippi: s 4; so far r 3, s 5, q 0";
        assert_eq!(count.solution().steps[1], step);
        for (answer, label) in [
            ([1, 3, 0], "counted_words"),
            ([2, 4, 0], "doubles_counted_once"),
            ([0, 3, 6], "order_changed"),
            ([3, 5, 0], label::WRONG_ANSWER),
            ([-3, -6, 0], label::WRONG_ANSWER),
        ] {
            let verdict = count.verify(answer.to_vec(), &mut Budget::new(1)).unwrap_err();
            assert_eq!(verdict.failures.last(), Some(&label), "{answer:?}");
        }
    }

    #[test]
    fn the_words_are_plain_and_distinct() {
        let (words, letters) = (WORDS.map(String::from).to_vec(), vec!['a', 'b']);
        check::distinct("words", &words).unwrap();
        Count { words, letters }.check().unwrap();
    }
}
