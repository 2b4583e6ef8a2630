//! Choosing digits column by column, from the right. Letters are numbered by their true digits.

use kit::budget::{Budget, OverBudget};

/// The digit of each letter; 10 for one that has none yet.
pub type Table = [u8; 10];

/// A search for digits of the letters in an equation.
pub struct Search {
    /// Letters of each number from the right, the result last.
    pub words: Vec<Vec<usize>>,
    /// True if two numbers are multiplied, and not all added.
    pub product: bool,
    pub table: Table,
    /// Solutions after which the search ends.
    pub most: usize,
    pub found: Vec<Table>,
    /// For each column the digits tried in it, and the choices that fit it and all before.
    pub columns: Vec<[u64; 2]>,
}

impl Search {
    pub fn run(mut self, budget: &mut Budget) -> Result<Self, OverBudget> {
        self.choose(0, 0, 0, budget)?;
        Ok(self)
    }

    /// True if no other letter has the digit, and it puts no 0 in front of other digits. Whether the number 0 itself starts
    /// with one is left open, so that it does not matter.
    fn allows(&self, letter: usize, digit: u8) -> bool {
        let first = || self.words.iter().any(|word| word.len() > 1 && word.last() == Some(&letter));
        !self.table.contains(&digit) && (digit > 0 || !first())
    }

    /// Sum of a column without the carry into it.
    fn sum(&self, column: usize) -> u64 {
        let digit = |letter: &usize| u64::from(self.table[*letter]);
        let parts = &self.words[..self.words.len() - 1];
        let pair = |at: usize| Some(digit(parts[0].get(at)?) * digit(parts[1].get(column - at)?));
        if self.product {
            return (0..=column).filter_map(pair).sum();
        }
        parts.iter().filter_map(|word| word.get(column)).map(digit).sum()
    }

    /// Chooses digits for the letters of a column from the given number on, then those to the left. The sum of a column
    /// decides the digit below it.
    fn choose(&mut self, column: usize, at: usize, carry: u64, left: &mut Budget) -> Result<(), OverBudget> {
        if column == self.columns.len() {
            self.found.extend((carry == 0).then_some(self.table));
            return Ok(());
        }
        let letter = self.words[at].get(column).copied();
        let last = at + 1 == self.words.len();
        let sum = if last { carry + self.sum(column) } else { 0 };
        let held = letter.map_or(0, |letter| self.table[letter]);
        for digit in if held < 10 { held..held + 1 } else { 0..10 } {
            left.spend(1)?;
            self.columns[column][0] += 1;
            let open = letter.filter(|_| held == 10);
            let allowed = open.is_none_or(|letter| self.allows(letter, digit));
            if !allowed || last && sum % 10 != u64::from(digit) || self.found.len() == self.most {
                continue;
            }
            if let Some(letter) = open {
                self.table[letter] = digit;
            }
            let (column, at, carry) = if last { (column + 1, 0, sum / 10) } else { (column, at + 1, carry) };
            self.columns[column - usize::from(last)][1] += u64::from(last);
            self.choose(column, at, carry, left)?;
            if let Some(letter) = open {
                self.table[letter] = 10;
            }
        }
        Ok(())
    }
}
