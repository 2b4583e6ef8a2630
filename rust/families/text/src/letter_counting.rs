//! Count how often several letters appear in a text.

use crate::words::{USUAL, WORDS};
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
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

problem! {
    /// The words of a text and the letters to count in them, in lowercase. Neither the order of the words nor that
    /// of the letters matters.
    pub struct Count {
        words: Bag<String> [items(1..=200, "words", 1..=30)],
        letters: Bag<char> [items(2..=26, "letters", "abcdefghijklmnopqrstuvwxyz").distinct()],
    }
}

impl TaskFamily for LetterCounting {
    type Params = LetterCountingParams;
    type Problem = Value<Count>;

    const ABOUT: About = About {
        summary: "Count how often several letters appear in a text.",
        skills: &["spelling", "counting", "attention"],
        guess_rate: 0.084,
        guess_score: 0.084,
        ..Value::<Count>::about("text", "letter_counting", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, _: &mut Budget) -> Drawn<Value<Count>> {
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
        Ok(Value(Count { words: Bag(words), letters: Bag(letters) }))
    }
}

impl Count {
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
}

impl Exact for Count {
    type Of = Vec<i64>;

    const HALF: u64 = 1_500;
    const MISTAKES: &'static [Label] = &[
        ("counted_words", "the number of words that contain each letter, not how often it appears"),
        ("doubles_counted_once", "right if a doubled letter counted only once"),
        ("order_changed", "the right counts in the wrong order"),
    ];
    const PARTS: &'static [Part] = &[Part::new("right_counts", "share of the letters whose count is right")];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "letters_first",
            "How many times does each of the letters {letters} appear in the following text?\n\n{text}\n",
        ),
        Prompt::new(
            "text_first",
            "{text}\n\nCould you count the letters in the line above for me? I need to know how often each of {letters} \
             occurs; if one of them isn't there, its count is 0.",
        ),
        Prompt::new(
            "spec",
            "Input: {text}\nTask: count each of the letters {letters} in the input (0 for a letter that does not occur).",
        ),
        Prompt::held_out(
            "printer",
            "A printer is setting the line below in metal type, using one piece of type for every letter. How many pieces \
             of type does this take for each of the letters {letters}?\n\n{text}\n",
        ),
        Prompt::held_out(
            "tiles",
            "Mia lays these words out on the kitchen floor with wooden letter tiles, one letter per tile:\n\n{text}\n\nWhen \
             she is done, her little brother picks up every tile with one of the letters {letters} and sorts them into \
             piles by letter. How many tiles are in the pile of each of these letters? An empty pile has 0.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("text", self.words.join(" ")).text("letters", words::and(self.letters.iter()));
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers {
            count: self.letters.len(),
            what: "counts in the order in which the letters are listed",
        }
    }

    fn value(&self) -> Vec<i64> {
        let mut often = [0; 128];
        self.words.iter().flat_map(|word| word.bytes()).for_each(|letter| often[usize::from(letter)] += 1);
        self.letters.iter().map(|letter| often[*letter as usize]).collect()
    }

    fn what(&self) -> String {
        "the list of counts".to_owned()
    }

    fn diagnosed(&self, wrong: &Vec<i64>, plain: Failure) -> Failure {
        let mut counts = self.value();
        let pairs = || wrong.iter().zip(&counts);
        let right = pairs().filter(|(given, count)| given == count).count() as f32 / counts.len() as f32;
        let Some(at) = pairs().position(|(given, count)| given != count) else { return plain };
        let (times, given) = (count(counts[at], "time"), wrong[at]);
        let detail = format!("the letter {} appears {times}, not {given}", self.letters[at]);
        let failure = Failure::wrong(detail).part("right_counts", right);
        if let Some((_, label)) = self.slips().into_iter().find(|(slip, _)| slip == wrong) {
            return failure.also(label);
        }
        let mut given = wrong.clone();
        given.sort_unstable();
        counts.sort_unstable();
        if given == counts { failure.also("order_changed") } else { failure }
    }

    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let counts = self.value();
        let mut near: Vec<Vec<i64>> = self.slips().map(|(slip, _)| slip).into();
        for by in [1, -1] {
            let mut slipped = counts.clone();
            faults.draw(counts.len(), rng).into_iter().for_each(|at| slipped[at] += by);
            near.push(slipped);
        }
        near.push(counts.iter().rev().copied().collect());
        near
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let (all, often) = &*USUAL;
        let length = self.words.concat().len();
        let usual = |letter: &char| ((2 * often[letter] * length + all) / (2 * all)) as i64;
        let usual: Vec<i64> = self.letters.iter().map(usual).collect();
        vec![("each once", vec![1; usual.len()]), ("as often as in all the words", usual)]
    }

    /// Word by word, with the counts so far. It costs comparisons of each letter of the text with each requested
    /// one.
    fn work(&self, work: &mut Work) {
        let mut so_far = vec![0; self.letters.len()];
        for word in self.words.iter() {
            work.with((word.len() * self.letters.len()) as u64, || {
                let (mut here, mut total) = (Vec::new(), Vec::new());
                for (letter, sum) in self.letters.iter().zip(&mut so_far) {
                    let count = word.chars().filter(|other| other == letter).count();
                    *sum += count;
                    here.extend((count > 0).then(|| format!("{letter} {count}")));
                    total.push(format!("{letter} {sum}"));
                }
                let here = if here.is_empty() { "none of them".to_owned() } else { here.join(", ") };
                format!("{word}: {here}; so far {}", total.join(", "))
            });
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let is_plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase());
        check::each("words", self.words.iter(), is_plain, "must be letters a to z")
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let text = self.words.concat();
        let left_out = |letter: &char| (text.len() - text.replace(*letter, "").len()) as i64;
        let counts: Vec<i64> = self.letters.iter().map(left_out).collect();
        check::that(counts == self.value(), || {
            format!("`letters` appear {counts:?} times by another count")
        })?;
        Ok(Certificate::unique(format!("counted twice over: {}", self.form().write(&counts))))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        let (at, new) = (rng.index(self.words.len()), (*rng.pick(&WORDS)).to_owned());
        match aim {
            Aim::Harder => edited.words.0.insert(at, new),
            Aim::Easier => drop(edited.words.0.remove(at)),
            Aim::Same => edited.words.0[at] = new,
        }
        Some(edited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_miscount_has_its_label() {
        let words = ["strawberry", "mississippi", "kiosk"].map(String::from).to_vec();
        let count = Value(Count { words: Bag(words), letters: Bag(vec!['r', 's', 'q']) });
        assert_eq!(count.value(), [3, 6, 0]);
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
        Value(Count { words: Bag(words), letters: Bag(letters) }).check().unwrap();
    }
}
