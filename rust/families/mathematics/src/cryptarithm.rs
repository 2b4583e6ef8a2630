//! Find the digits that letters stand for in a sum, a difference or a product.

use self::columns::{Search, Table};
use kit::prelude::*;

mod columns;

pub struct Cryptarithm;

params! {
    pub struct CryptarithmParams {
        /// Letters whose digits are to be found. Those of the others are given.
        unknown: u32 [1..=10],
        /// Summands of a sum. A difference and a product are of two numbers.
        summands: u32 [2..=6],
        /// Digits of the longest number on the left of a sum. The factors of a product have about half as many.
        length: u32 [2..=9],
        /// True if all are sums. Otherwise, a third are differences and a third products.
        sums: bool [structure],
    }
    levels {
        (2, 2, 2, true),
        (3, 2, 3, true),
        (4, 2, 3, false),
        (5, 2, 4, false),
        (6, 2, 5, false),
        (7, 3, 6, false),
        (8, 3, 7, false),
        (9, 3, 8, false),
        (10, 4, 9, true),
    }
    default 3
    check Self::consistent;
}

impl CryptarithmParams {
    fn consistent(&self) -> Result<(), String> {
        let most = self.length + 2;
        check::that(self.unknown <= most, || {
            format!("`unknown` must be at most {most} for numbers of a `length` of {}", self.length)
        })
    }
}

problem! {
    /// An equation in letters, which stand for different digits. No number starts with 0.
    pub struct Puzzle {
        operation: char ["+-*"],
        /// The numbers that are joined.
        parts: Vec<u64> [items(2..=7, "numbers", 1..=999_999_999)],
        /// A letter for each of the ten digits, in any order.
        letters: Vec<String> [items(10..=10, "letters", 1..=1).distinct()],
        digits: Vec<u8> [items(10..=10, "digits", 0..=9).distinct()],
        /// Number of letters to be found, the first ones.
        unknown: usize [1..=10],
    }
}

/// Letters to draw from: without those that look like 1 and 0.
const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const VALUES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

impl TaskFamily for Cryptarithm {
    type Params = CryptarithmParams;
    type Problem = Puzzle;

    const ABOUT: About = About {
        summary: "Find the digits that letters stand for in a sum, a difference or a product.",
        judged_by: JudgedBy::Constraints,
        failures: form::Assignment::FAILURES,
        distinct_from: 1,
        skills: &["carry", "case_analysis", "backtracking", "modular_arithmetic"],
        guess_rate: 0.026,
        guess_score: 0.026,
        ..About::new("arithmetic", "cryptarithm", &["First version."])
    };

    /// Draws numbers until they determine the digits that are hidden.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Puzzle> {
        loop {
            budget.spend(20)?;
            let operation = if params.sums { '+' } else { *rng.pick(&['+', '-', '*']) };
            let (count, length) = match operation {
                '+' => (params.summands, params.length),
                '-' => (2, params.length),
                _ => (2, params.length.div_ceil(2) + 1),
            };
            let number = |at| {
                let length = length - if at > 0 { rng.below(2) as u32 } else { 0 };
                rng.int(10i64.pow(length - 1), 10i64.pow(length) - 1) as u64
            };
            let parts = (0..count).map(number).collect();
            let drawn = Puzzle::hiding(operation, parts, params.unknown as usize, rng);
            if Problem::check(&drawn).is_ok() && drawn.search(2).run(budget)?.found.len() == 1 {
                return Ok(drawn);
            }
        }
    }
}

fn ids(number: u64) -> Vec<usize> {
    number.to_string().bytes().rev().map(|digit| usize::from(digit - b'0')).collect()
}

impl Puzzle {
    /// Letters for the digits, so many of which are unknown and occur if enough do.
    fn hiding(operation: char, parts: Vec<u64>, unknown: usize, rng: &mut Rng) -> Self {
        let mut puzzle = Self { operation, parts, letters: Vec::new(), digits: (0..10).collect(), unknown };
        rng.shuffle(&mut puzzle.digits);
        let used = puzzle.used();
        puzzle.digits.sort_by_key(|digit| !used.contains(&usize::from(*digit)));
        puzzle.rename(rng);
        puzzle
    }

    fn rename(&mut self, rng: &mut Rng) {
        let mut letters: Vec<String> = LETTERS.chars().map(String::from).collect();
        rng.deal(&mut letters, 10);
        letters.truncate(10);
        letters[..self.unknown].sort_unstable();
        rng.shuffle(&mut self.digits[..self.unknown]);
        self.letters = letters;
    }

    /// The numbers that are joined, and the result; `None` if it is none.
    fn numbers(&self) -> Option<Vec<u64>> {
        let result = match self.operation {
            '+' => self.parts.iter().sum(),
            '-' => self.parts[0].checked_sub(self.parts[1])?,
            _ => self.parts[0].checked_mul(self.parts[1])?,
        };
        Some(self.parts.iter().copied().chain([result]).collect())
    }

    /// The digits that occur, in any number.
    fn used(&self) -> Vec<usize> {
        let all = self.numbers().unwrap_or_default();
        (0..10).filter(|digit| all.iter().any(|number| ids(*number).contains(digit))).collect()
    }

    /// The digits of letters by their true digits, those of the unknown ones as chosen, or 10.
    fn table(&self, chosen: &[usize]) -> Table {
        let (mut table, right) = ([10; 10], self.right());
        for digit in self.used() {
            table[digit] = match right.iter().position(|unknown| *unknown == digit) {
                Some(at) => chosen.get(at).map_or(10, |digit| *digit as u8),
                None => digit as u8,
            };
        }
        table
    }

    fn search(&self, most: usize) -> Search {
        let mut words: Vec<_> = self.numbers().unwrap_or_default().into_iter().map(ids).collect();
        // A minuend is the sum of the other two numbers.
        words.rotate_left(usize::from(self.operation == '-'));
        let width = words.iter().map(Vec::len).max().unwrap_or_default();
        let (product, columns, table) = (self.operation == '*', vec![[0, 0]; width], self.table(&[]));
        Search { words, product, table, most, found: Vec::new(), columns }
    }

    fn letter(&self, digit: usize) -> &str {
        let at = self.digits.iter().position(|other| usize::from(*other) == digit);
        &self.letters[at.expect("each digit has a letter")]
    }

    /// The numbers in letters.
    fn words(&self) -> Vec<String> {
        let word = |number: u64| ids(number).into_iter().rev().map(|digit| self.letter(digit)).collect();
        self.numbers().unwrap_or_default().into_iter().map(word).collect()
    }

    /// The equation in a line, or its words one above the other.
    fn written(&self, stacked: bool) -> String {
        let words = self.words();
        let width = if stacked { words.iter().map(String::len).max().unwrap_or_default() } else { 0 };
        let [start, space] = if stacked { ["  ", "\n"] } else { ["", " "] };
        let mut signs = vec![format!("{space}{} ", self.operation); self.parts.len()];
        start.clone_into(&mut signs[0]);
        signs.push(format!("{space}= "));
        signs.iter().zip(&words).map(|(sign, word)| format!("{sign}{word:>width$}")).joined("")
    }

    fn walk(&self, work: &mut Work) {
        let search = self.search(usize::MAX).run(&mut Budget::unlimited()).expect("nothing bounds it");
        for (at, [tried, ways]) in search.columns.into_iter().enumerate() {
            let ways = words::count(ways, "possible choice");
            work.step(tried, format_args!("Column {} from the right: {ways} so far.", at + 1));
        }
    }

    fn right(&self) -> Vec<usize> {
        self.digits[..self.unknown].iter().map(|digit| usize::from(*digit)).collect()
    }
}

impl Problem for Puzzle {
    type Answer = Vec<usize>;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "In this {kind}, every letter stands for a digit from 0 to 9. Different letters stand for different digits, and \
             no number starts with 0.{product? The sign * means multiplication.}\n\n{stacked}\n\n{given?It is known that \
             {known}. }Find the {several?digits|digit} of {unknown}.",
        ),
        Prompt::new(
            "message",
            "I found this in a puzzle magazine: {equation}. Each letter is one digit (0 to 9), no two letters are the same \
             digit, and no number begins with a zero.{product? The * is a multiplication sign.}{given? They say that \
             {known}.} I'm stuck. What {several?are|is} {unknown}?",
        ),
        Prompt::new(
            "shop",
            "A shopkeeper writes all her numbers in a secret code, in which each of the ten digits has its own letter. She \
             never writes a zero at the start of a number. Today her book says\n\n{equation}\n\n{product?where * means times. \
             }{given?Her son already knows that {known}. }Only one choice of digits makes the calculation correct. Which \
             {several?digits do|digit does} {unknown} stand for?",
        ),
        Prompt::held_out(
            "specification",
            "Unknowns: {unknown}\nDomain: digits 0 to 9, all letters different{given?\nGiven: {known}}\nConstraint: {equation}, \
             where each word is a decimal number, a letter for each digit{product? and * is multiplication}\n\
             Leading digits: not 0\n\nFind the only solution.",
        ),
        Prompt::held_out(
            "ledger",
            "A clerk copied an old ledger and replaced every digit by a letter: the same digit always by the same letter, \
             different digits by different letters. One page of the copy shows a correct {kind}{product? (* is the sign for \
             times)}:\n\n{stacked}\n\nNo number in the ledger began with a zero. {given?Another page shows that {known}. \
             }Which {several?digits were|digit was} replaced by {unknown}?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let kinds = [('+', "addition"), ('-', "subtraction"), ('*', "multiplication")];
        slots.text("kind", kinds.iter().find(|kind| kind.0 == self.operation).map_or("", |kind| kind.1));
        slots.either("product", self.operation == '*').either("several", self.unknown > 1);
        slots.with("equation", || self.written(false)).with("stacked", || self.written(true));
        slots.with("unknown", || words::and(&self.letters[..self.unknown]));
        let known = self.used().into_iter().filter(|digit| !self.right().contains(digit));
        let known: Vec<String> = known.map(|digit| format!("{} = {digit}", self.letter(digit))).collect();
        slots.either("given", !known.is_empty()).with("known", || words::and(known));
    }

    fn check(&self) -> Result<(), String> {
        Fields::check(self)?;
        check::each(
            "letters",
            &self.letters,
            |letter| letter.as_bytes()[0].is_ascii_uppercase(),
            "letters are capitals",
        )?;
        check::that(self.operation == '+' || self.parts.len() == 2, || "`parts` must be two".to_owned())?;
        let used = self.used();
        check::that(self.numbers().is_some_and(|all| all.last() > Some(&0)), || {
            "`parts` must have a positive result".to_owned()
        })?;
        check::that(self.right().iter().all(|digit| used.contains(digit)), || {
            format!("`unknown` is {}, but some of so many letters do not occur", self.unknown)
        })
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let found = self.search(2).run(budget).map_err(|over| over.to_string())?.found;
        check::that(found == [self.table(&self.right())], || {
            "`unknown` letters may be other digits".to_owned()
        })?;
        Ok(Certificate::unique("one choice of digits fits all columns"))
    }

    /// Hides another digit or reveals one, or draws more digits or others.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let (mut parts, mut unknown) = (self.parts.clone(), self.unknown);
        let at = rng.index(parts.len());
        match aim {
            Aim::Harder if unknown < self.used().len() && rng.chance(1, 2) => unknown += 1,
            Aim::Harder => {
                parts = parts.iter().map(|part| part * 10 + rng.below(10)).collect();
                unknown = (unknown + 1).min(10);
            }
            Aim::Easier => unknown -= 1,
            Aim::Same => parts[at] += 1 + rng.below(parts[at]),
        }
        let edited = Self::hiding(self.operation, parts, unknown, rng);
        Problem::check(&edited).is_ok().then_some(edited)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Assignment { noun: "unknown letter", names: &self.letters[..self.unknown], values: &VALUES }
    }

    fn solution(&self) -> Solution {
        Solution { steps: Work::steps(|work| self.walk(work)), answer: self.answer() }
    }

    fn answer(&self) -> String {
        self.form().write(&self.right())
    }

    fn effort(&self) -> Effort {
        Work::effort(400, |work| self.walk(work))
    }

    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        let broken = |why| Err(Failure::new(label::CONSTRAINT_VIOLATED, why));
        let (table, used) = (self.table(&answer), self.used());
        for (at, one) in used.iter().enumerate() {
            if let Some(other) = used[..at].iter().find(|other| table[**other] == table[*one]) {
                let (one, other) = (self.letter(*one), self.letter(*other));
                return broken(format!("{one} and {other} are the same digit"));
            }
        }
        let (words, numbers) = (self.words(), self.numbers().unwrap_or_default());
        let zero = numbers.iter().position(|number| table[ids(*number)[ids(*number).len() - 1]] == 0);
        if let Some(at) = zero {
            return broken(format!("{} starts with 0", words[at]));
        }
        let digits = |number: &u64| ids(*number).into_iter().rev().map(|digit| i64::from(table[digit]));
        let values: Vec<i64> =
            numbers.iter().map(|number| digits(number).fold(0, |all, d| 10 * all + d)).collect();
        let (result, parts) = values.split_last().expect("there is a result");
        let joined = match self.operation {
            '+' => parts.iter().sum(),
            '-' => parts[0] - parts[1],
            _ => parts[0] * parts[1],
        };
        if joined == *result {
            return Ok(());
        }
        let sum = parts.iter().joined(&format!(" {} ", self.operation));
        broken(format!("{sum} = {joined}, but {} is {result}", words[parts.len()]))
    }

    /// Digits passed on in a circle; and one digit lost or changed as by a carry, a zero in front and a digit twice.
    /// All are wrong, since one choice is right.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let (right, places) = (self.right(), faults.draw(self.unknown, rng));
        let mut passed_on = right.clone();
        for (at, place) in places.iter().enumerate() {
            passed_on[*place] = right[places[(at + 1) % places.len()]];
        }
        let (at, other) = (places[0], (places[0] + 1) % right.len());
        let mut misses = [1, 9].map(|by| (right[at] + by) % 10).to_vec();
        misses.extend([0, right[other], usize::from(*rng.pick(&self.digits))]);
        let with = |digit: usize| {
            let mut miss = passed_on.clone();
            miss[at] = digit;
            miss
        };
        let mut misses: Vec<Vec<usize>> = misses.into_iter().map(with).collect();
        let mut exchanged = right.clone();
        exchanged.swap(at, other);
        misses.extend([exchanged, passed_on.clone()]);
        misses.retain(|miss| *miss != right);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let given = self.used().into_iter().filter(|digit| !self.right().contains(digit)).collect::<Vec<_>>();
        let rising: Vec<usize> = (0..10).filter(|digit| !given.contains(digit)).collect();
        let (mut any, falling) = (rising.clone(), rising.iter().rev().copied().collect::<Vec<_>>());
        rng.shuffle(&mut any);
        let named = [("different digits", any), ("free digits, rising", rising), ("falling", falling)];
        named.map(|(name, digits)| (name, digits[..self.unknown].to_vec())).to_vec()
    }

    /// Other letters; summands, factors, or subtrahend and difference in another order.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        twin.rename(rng);
        match self.operation {
            '-' if rng.chance(1, 2) && self.parts[0] > self.parts[1] => {
                twin.parts[1] = self.parts[0] - self.parts[1];
            }
            '-' => {}
            _ => rng.shuffle(&mut twin.parts),
        }
        twin
    }

    /// For each letter how often it counts in the numbers that are joined and in the result, whether a number starts
    /// with it, and its given digit, whatever its name.
    fn fingerprint(&self) -> Vec<u8> {
        let search = self.search(1);
        let role = |letter: usize| {
            let count =
                |word: &Vec<usize>| word.iter().rev().fold(0, |all, l| 10 * all + i64::from(*l == letter));
            let mut counts: Vec<i64> = search.words.iter().map(count).collect();
            let (result, starts) =
                (counts.pop(), search.words.iter().any(|word| word.last() == Some(&letter)));
            let parts = counts.iter().sum::<i64>();
            // A letter may be on both sides of a sum.
            let result = if search.product { result } else { result.map(|result| result - parts) };
            (if search.product { parts } else { 0 }, result, starts, search.table[letter])
        };
        let mut roles: Vec<_> = self.used().into_iter().map(role).collect();
        roles.sort_unstable();
        serde_json::to_vec(&(search.product, roles)).expect("numbers serialise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    /// Henry Dudeney, Strand Magazine, July 1924.
    #[test]
    fn send_more_money() {
        let letters = "DEMNORSY".chars().chain(['A', 'B']).map(String::from).collect();
        let digits = vec![7, 5, 1, 6, 0, 8, 9, 2, 3, 4];
        let puzzle = Puzzle { operation: '+', parts: vec![9_567, 1_085], letters, digits, unknown: 8 };
        Problem::check(&puzzle).unwrap();
        puzzle.certify(&mut Budget::new(100_000)).unwrap();
        assert_eq!(puzzle.written(false), "SEND + MORE = MONEY");
        assert_eq!(puzzle.written(true), "   SEND\n+  MORE\n= MONEY");
        passes(&puzzle, "S: 9, E: 5, N: 6, D: 7, M: 1, O: 0, R: 8, Y: 2");
        for (wrong, why) in [
            ("S: 9, E: 5, N: 6, D: 7, M: 1, O: 0, R: 8, Y: 7", "D and Y are the same digit"),
            ("S: 9, E: 5, N: 6, D: 7, M: 0, O: 1, R: 8, Y: 2", "MORE starts with 0"),
            ("S: 9, E: 5, N: 6, D: 7, M: 1, O: 0, R: 8, Y: 3", "9567 + 1085 = 10652, but MONEY is 10653"),
        ] {
            fails(&puzzle, wrong, label::CONSTRAINT_VIOLATED, why);
        }
        let open = Puzzle { parts: vec![75, 16], unknown: 4, ..puzzle };
        assert!(open.search(2).run(&mut Budget::new(100_000)).unwrap().found.len() == 2);
    }
}
