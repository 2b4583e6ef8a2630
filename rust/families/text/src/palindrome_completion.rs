//! Turn a word into a palindrome by inserting as few letters as possible.

use kit::shared::optimum;
use kit::task::prelude::*;
use kit::words::count;

pub struct PalindromeCompletion;

params! {
    pub struct PalindromeCompletionParams {
        /// Length of the word.
        length: u32 [6..=60],
        /// Number of different letters to draw from; with few of them, many pairs match.
        alphabet: u32 [3..=10],
    }
    levels {
        (8, 5),
        (9, 4),
        (10, 4),
        (12, 4),
        (15, 5),
        (19, 5),
        (24, 6),
        (30, 6),
        (38, 6),
    }
    default 3
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Letters from a to z.
    word: String,
}

impl TaskFamily for PalindromeCompletion {
    type Params = PalindromeCompletionParams;
    type Problem = Word;

    const ABOUT: About = About {
        summary: "Turn a word into a palindrome by inserting as few letters as possible.",
        distinct_from: 2,
        judged_by: JudgedBy::Optimum,
        failures: &[
            ("not_a_palindrome", "the answer does not read the same backward"),
            ("letters_lost", "the given letters are not all in the answer in their order"),
        ],
        parts: &[Part::new(
            "gap",
            "length of a shortest palindrome divided by the length of this one; 0 if it is not valid",
        )],
        skills: &["dynamic_programming", "string_manipulation", "optimization"],
        guess_rate: 0.0,
        guess_score: 0.0,
        ..About::new("text", "palindrome_completion", &["First version."])
    };

    /// Draws words until inserting at one end only, or giving every letter its own partner, takes more
    /// letters.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Word> {
        loop {
            budget.spend(u64::from(params.length).pow(2))?;
            let mut letters: Vec<u8> = (b'a'..=b'z').collect();
            rng.shuffle(&mut letters);
            letters.truncate(params.alphabet as usize);
            let word = (0..params.length).map(|_| char::from(*rng.pick(&letters))).collect();
            let word = Word { word };
            let best = word.best().len();
            let fewest = word.by_thumb().iter().map(|(_, text)| text.len()).min().unwrap_or(0);
            if best > word.word.len() + 1 && fewest > best {
                return Ok(word);
            }
        }
    }
}

fn is_palindrome(text: &[u8]) -> bool {
    text.iter().eq(text.iter().rev())
}

impl Word {
    /// The fewest letters to insert for every range of the word.
    fn table(&self) -> Vec<Vec<usize>> {
        let letters = self.word.as_bytes();
        let count = letters.len();
        // inserted[from][to] covers the letters from `from` up to, but not including, `to`.
        let mut inserted = vec![vec![0; count + 1]; count + 1];
        for long in 2..=count {
            for from in 0..=count - long {
                let to = from + long;
                inserted[from][to] = if letters[from] == letters[to - 1] {
                    inserted[from + 1][to - 1]
                } else {
                    1 + inserted[from + 1][to].min(inserted[from][to - 1])
                };
            }
        }
        inserted
    }

    /// From the outside in: the letter of each pair, and its explanation.
    fn pairs(&self) -> Vec<(u8, String)> {
        let (letters, inserted) = (self.word.as_bytes(), self.table());
        let (mut from, mut to) = (0, letters.len());
        let mut pairs = Vec::new();
        while from < to {
            let (first, last) = (char::from(letters[from]), char::from(letters[to - 1]));
            let rest = inserted[from][to];
            if to - from == 1 {
                pairs
                    .push((letters[from], format!("{first} is the only letter left and goes in the middle")));
                from += 1;
            } else if first == last {
                pairs.push((
                    letters[from],
                    format!("{first} is at both ends, and the part between needs {rest} more"),
                ));
                (from, to) = (from + 1, to - 1);
            } else if inserted[from + 1][to] < rest {
                pairs.push((
                    letters[from],
                    format!(
                        "{first} at the front needs a new {first} at the back: {rest} to insert from here on"
                    ),
                ));
                from += 1;
            } else {
                pairs.push((
                    letters[to - 1],
                    format!(
                        "{last} at the back needs a new {last} at the front: {rest} to insert from here on"
                    ),
                ));
                to -= 1;
            }
        }
        pairs
    }

    /// A shortest palindrome.
    fn best(&self) -> Vec<u8> {
        let pairs = self.pairs();
        let middle = pairs.last().is_some_and(|(_, said)| said.ends_with("middle"));
        let half: Vec<u8> = pairs.iter().map(|(letter, _)| *letter).collect();
        let back = half.iter().rev().skip(usize::from(middle)).copied();
        half.iter().copied().chain(back).collect()
    }

    /// Palindromes that are easy to make.
    fn by_thumb(&self) -> [(&'static str, Vec<u8>); 3] {
        let letters = self.word.as_bytes();
        let count = letters.len();
        let mirrored = letters.iter().chain(letters.iter().rev().skip(1)).copied().collect();
        let behind =
            (0..count).find(|from| is_palindrome(&letters[*from..])).expect("one letter is a palindrome");
        let before = (0..count).rev().find(|last| is_palindrome(&letters[..=*last])).expect("one letter is");
        [
            ("mirrored at the last letter", mirrored),
            ("added at the end alone", [letters, &reversed(&letters[..behind])].concat()),
            ("added at the front alone", [&reversed(&letters[before + 1..]), letters].concat()),
        ]
    }

    fn judge(&self, answer: &str) -> Judged {
        if !answer.bytes().all(|letter| letter.is_ascii_lowercase()) {
            return Err(Failure::malformed("the answer must consist of lowercase letters from a to z"));
        }
        let answer = answer.as_bytes();
        let broken =
            |label, detail: String| Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label));
        let off = answer.iter().zip(answer.iter().rev()).position(|(letter, other)| letter != other);
        if let Some(at) = off {
            let (letter, other) = (char::from(answer[at]), char::from(answer[answer.len() - 1 - at]));
            return broken(
                "not_a_palindrome",
                format!("letter {0} is {letter}, but letter {0} from the end is {other}", at + 1),
            );
        }
        let mut rest = answer.iter();
        let kept = self.word.bytes().take_while(|letter| rest.any(|other| other == letter)).count();
        if kept < self.word.len() {
            let letter = char::from(self.word.as_bytes()[kept]);
            let detail =
                format!("letter {} of the word, {letter}, is missing after the letters before it", kept + 1);
            return broken("letters_lost", detail);
        }
        let (length, fewest) = (answer.len(), self.best().len());
        if length <= fewest {
            return Ok(());
        }
        let naive = self.by_thumb().iter().map(|(_, text)| text.len()).min().expect("there are some");
        let more = length - fewest;
        let detail = format!("this inserts {} more than necessary", count(more, "letter"));
        let failure = Failure::new(label::SUBOPTIMAL, detail);
        let credit = optimum::credit(length as u64, fewest as u64, naive as u64);
        Err(failure.score(credit).part("gap", fewest as f32 / length as f32))
    }
}

fn reversed(letters: &[u8]) -> Vec<u8> {
    letters.iter().rev().copied().collect()
}

fn text(letters: &[u8]) -> String {
    letters.iter().map(|letter| char::from(*letter)).collect()
}

impl Problem for Word {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("insert", |word| {
            format!(
                "A palindrome reads the same forward and backward. Turn \"{}\" into a palindrome by inserting lowercase letters \
                 anywhere: at the front, at the end or in between. All of the given letters must stay, in the same order. \
                 Insert as few letters as possible. If there are several ways to do it, any of them will do.",
                word.word
            )
        }),
        Template::plain("shortest", |word| {
            format!(
                "Find a shortest palindrome over the alphabet a-z (lowercase) that has \"{}\" as a subsequence: deleting some of \
                 the palindrome's letters, not necessarily adjacent ones, must leave exactly this string. Any shortest one is \
                 accepted.",
                word.word
            )
        }),
        Template::plain("username", |word| {
            format!(
                "I'd like a username that reads the same from left to right and from right to left, and I want to build it out of \
                 \"{}\". I can put extra lowercase letters in front of it, behind it and in between, but I don't want to drop any \
                 of its letters or change their order. What's the shortest username I can get? If there are several of \
                 that length, just give me one.",
                word.word
            )
        }),
        Template::held_out_plain("beads", |word| {
            format!(
                "A jeweler has a string of colored beads, in which each lowercase letter stands for a color: {}. She wants the \
                 string to look the same from both ends. To get there, she may add beads of any color at the front, at the back \
                 and in between, but she may not take any off or rearrange them. Since beads are expensive, she adds as few as \
                 possible. What can the finished string look like, written in the same way? If several strings are possible, \
                 give one of them.",
                word.word
            )
        }),
        Template::held_out_plain("spec", |word| {
            format!(
                "Input: s = \"{}\"\nOperation: insert one lowercase letter at any position of s\nGoal: make s equal to its own \
                 reverse with the smallest number of operations\nOutput: the resulting string; if several are possible, any \
                 one of them.",
                word.word
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::within("word", &self.word.len(), 3..=80)?;
        check::that(self.word.bytes().all(|letter| letter.is_ascii_lowercase()), || {
            format!("`word` is {}, but must be letters from a to z", quoted(&self.word))
        })
    }

    /// The letters that need no inserted partner form a longest common subsequence of the word and its
    /// reverse.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let letters = self.word.as_bytes();
        budget.spend((letters.len() as u64).pow(2)).map_err(|over| over.to_string())?;
        let mut row = vec![0usize; letters.len() + 1];
        for letter in letters.iter().rev() {
            let mut before = 0;
            for (at, other) in letters.iter().enumerate() {
                let here = if letter == other { before + 1 } else { row[at + 1].max(row[at]) };
                before = std::mem::replace(&mut row[at + 1], here);
            }
        }
        let (fewest, found) = (2 * letters.len() - row[letters.len()], self.best().len());
        check::that(found == fewest, || format!("`word` needs {found} or {fewest} letters"))?;
        Ok(Certificate::solvable(format!(
            "no palindrome with these letters in this order is shorter than {fewest}"
        )))
    }

    /// Adds, removes or changes a letter.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut letters = self.word.clone().into_bytes();
        let (at, letter) = (rng.index(letters.len()), *rng.pick(self.word.as_bytes()));
        match aim {
            Aim::Harder => letters.insert(at, letter),
            Aim::Easier => drop(letters.remove(at)),
            Aim::Same => letters[at] = letter,
        }
        let mutated = Word { word: String::from_utf8(letters).expect("letters are ASCII") };
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: "the palindrome" }
    }

    /// Pair by pair from the outside in.
    fn solution(&self) -> Solution {
        Solution::new(self.pairs().into_iter().map(|(_, said)| said), text(&self.best()))
    }

    fn verify(&self, answer: String, budget: &mut Budget) -> Judged {
        budget.spend(answer.len() as u64 + (self.word.len() as u64).pow(2))?;
        self.judge(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let right = self.best();
        let (mut left, mut twice, mut replaced) = (right.clone(), right.clone(), right.clone());
        let mut spoilt = faults.draw(right.len() / 2, rng);
        spoilt.sort_unstable();
        for at in spoilt.into_iter().rev() {
            // Its partner is removed too, so the rest is a palindrome, but it lacks letters.
            left.remove(left.len() - 1 - at);
            left.remove(at);
            twice.insert(at, right[at]);
            replaced[at] = if right[at] == b'z' { b'a' } else { right[at] + 1 };
        }
        // Each has fewer letters than any palindrome with the word, or more than necessary, or is not one.
        let mut wrong = vec![replaced];
        let others = [left, twice].into_iter().chain(self.by_thumb().map(|(_, text)| text));
        wrong.extend(others.filter(|letters| !letters.is_empty() && letters.len() != right.len()));
        wrong.iter().map(|letters| text(letters)).collect()
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, String)> {
        let mut guesses = vec![("the word itself", self.word.clone())];
        guesses.extend(self.by_thumb().map(|(name, letters)| (name, text(&letters))));
        guesses
    }

    /// Reverses the word and renames its letters.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut other: Vec<u8> = (b'a'..=b'z').collect();
        rng.shuffle(&mut other);
        let mut letters: Vec<u8> =
            self.word.bytes().map(|letter| other[usize::from(letter - b'a')]).collect();
        if rng.chance(1, 2) {
            letters.reverse();
        }
        Self { word: text(&letters) }
    }

    /// Letters numbered in order of appearance, from the end that gives the smaller list.
    fn fingerprint(&self) -> Vec<u8> {
        let numbered = |letters: Vec<u8>| -> Vec<u8> {
            let first =
                |letter: &u8| letters.iter().position(|other| other == letter).expect("it is there") as u8;
            letters.iter().map(first).collect()
        };
        let letters = self.word.as_bytes();
        numbered(letters.to_vec()).min(numbered(reversed(letters)))
    }

    /// Pairs of positions whose letters are compared.
    fn effort(&self) -> Effort {
        let letters = self.word.len() as u64;
        Effort::new(letters * (letters - 1) / 2, 200)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_take_the_known_number_of_letters() {
        for (word, inserted) in [("abcd", 3), ("abba", 0), ("aab", 1), ("google", 2), ("xyxzz", 2)] {
            let word = Word { word: word.to_owned() };
            let best = word.best();
            assert_eq!(best.len() - word.word.len(), inserted, "{} {}", word.word, text(&best));
            assert!(word.judge(&text(&best)).is_ok());
            assert!(word.certify(&mut Budget::new(999)).is_ok());
        }
    }

    #[test]
    fn every_shortest_palindrome_passes_and_nothing_else() {
        let word = Word { word: "abca".to_owned() };
        let judge = |answer: &str| kit::testing::verdict(&word, answer);
        assert!(judge("abcba").passed && judge("acbca").passed);
        for (wrong, detail) in [
            ("abca", "letter 2 is b, but letter 2 from the end is c"),
            ("aba", "letter 3 of the word, c, is missing after the letters before it"),
            ("ABCBA", "the answer must consist of lowercase letters from a to z"),
            ("a b c b a", "the answer must consist of lowercase letters from a to z"),
            ("abccba", "this inserts 1 letter more than necessary"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
    }
}
