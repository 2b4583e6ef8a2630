//! Exact text similarity, each measure under its own name: Python's difflib, longest common
//! subsequence, edit distance.
//!
//! difflib's ratio is Ratcliff–Obershelp with a heuristic, not a longest common subsequence: it
//! takes the longest common *block*, then does the same left and right of it.
//!
//! All of them count steps: elements read, pairs of equal elements visited and, in the bit-parallel
//! measures, elements held against 64 others at once.

use std::hash::{Hash, Hasher};

use crate::budget::{Budget, OverBudget};

/// `a[a..a + size]` equals `b[b..b + size]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Block {
    /// Start of the block in the first sequence.
    pub a: usize,
    /// Start of the block in the second sequence.
    pub b: usize,
    /// Number of elements in the block.
    pub size: usize,
}

/// The matching blocks of `difflib.SequenceMatcher(None, a, b)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// Elements in all matching blocks together.
    pub matched: usize,
    /// Size of `find_longest_match` over both sequences whole.
    pub longest: usize,
    /// Elements in the first sequence.
    pub a_len: usize,
    /// Elements in the second sequence.
    pub b_len: usize,
}

impl Matching {
    /// `SequenceMatcher.ratio()`, bit for bit: 1.0 when both sequences are empty.
    pub fn ratio(&self) -> f64 {
        match self.a_len + self.b_len {
            0 => 1.0,
            both => 2.0 * self.matched as f64 / both as f64,
        }
    }
}

/// The sums of `difflib.SequenceMatcher(None, a, b)`, autojunk included.
///
/// Like Python's it is not symmetric: ties and autojunk depend on which sequence is `b`.
pub fn difflib<T: Eq + Hash>(a: &[T], b: &[T], budget: &mut Budget) -> Result<Matching, OverBudget> {
    let (a_len, b_len) = (a.len(), b.len());
    // Equal sequences are one block, popular elements or not. Let the longest unpopular match be
    // a[i..i+k] = b[j..j+k] with i smallest, then j. As a[i..i+k] = b[i..i+k], j <= i; as
    // a[j..j+k] = b[j..j+k], i <= j. So i = j, and on the main diagonal the block grows over
    // everything. With no unpopular element it grows from (0, 0).
    if a == b {
        budget.spend(a_len as u64)?;
        return Ok(Matching { matched: a_len, longest: a_len, a_len, b_len });
    }
    let (mut matched, mut longest) = (0, None);
    Matcher::new(a, b, budget)?.for_each_block(budget, |block| {
        longest.get_or_insert(block.size);
        matched += block.size;
    })?;
    Ok(Matching { matched, longest: longest.unwrap_or(0), a_len, b_len })
}

/// `SequenceMatcher(None, a, b).get_matching_blocks()` without its closing dummy: in order, and
/// adjacent blocks joined.
pub fn matching_blocks<T: Eq + Hash>(
    a: &[T],
    b: &[T],
    budget: &mut Budget,
) -> Result<Vec<Block>, OverBudget> {
    let mut blocks = Vec::new();
    Matcher::new(a, b, budget)?.for_each_block(budget, |block| blocks.push(block))?;
    blocks.sort_unstable();
    blocks.dedup_by(|next, block| {
        let adjacent = block.a + block.size == next.a && block.b + block.size == next.b;
        if adjacent {
            block.size += next.size;
        }
        adjacent
    });
    Ok(blocks)
}

/// `SequenceMatcher(None, a, b).find_longest_match()`: of the longest blocks without a popular
/// element the one earliest in `a`, then in `b`, grown by what is equal on both sides of it; size 0
/// at (0, 0) when nothing matches.
pub fn longest_match<T: Eq + Hash>(a: &[T], b: &[T], budget: &mut Budget) -> Result<Block, OverBudget> {
    let mut matcher = Matcher::new(a, b, budget)?;
    matcher.longest_match(matcher.whole(), budget)
}

/// difflib's ratio over `a.split('\n')` and `b.split('\n')`.
pub fn lines_ratio(a: &str, b: &str, budget: &mut Budget) -> Result<f64, OverBudget> {
    Ok(difflib(&lines(a), &lines(b), budget)?.ratio())
}

/// difflib's ratio over the Unicode scalar values, as over two Python strings.
pub fn chars_ratio(a: &str, b: &str, budget: &mut Budget) -> Result<f64, OverBudget> {
    Ok(difflib(&chars(a), &chars(b), budget)?.ratio())
}

/// The pieces between line feeds: Python's `text.split('\n')`, so one empty line for no text.
pub fn lines(text: &str) -> Vec<&str> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // Room for lines of eight bytes and more; counting them first would cost as much again.
    let mut lines = Vec::with_capacity(text.len() / 8 + 1);
    let (mut from, mut at, mut left) = (0, 0, text.as_bytes());
    // Eight bytes at a time; lines of trees are too short for `str::split` to get going.
    while let Some((word, rest)) = left.split_first_chunk::<8>() {
        let differs = u64::from_le_bytes(*word) ^ u64::from_le_bytes([b'\n'; 8]);
        // The high bit of every byte that does not differ; no byte's sum reaches the next.
        let mut breaks = !(((differs & LOW) + LOW) | differs | LOW);
        while breaks != 0 {
            let to = at + breaks.trailing_zeros() as usize / 8;
            lines.push(&text[from..to]);
            from = to + 1;
            breaks &= breaks - 1;
        }
        at += 8;
        left = rest;
    }
    lines.extend(text[from..].split('\n'));
    lines
}

/// The Unicode scalar values: the elements of a Python `str`.
pub fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// From this length on, elements that `b` has more than `b.len() / 100 + 1` times are popular: they
/// make no blocks, they only lengthen those of the others.
const AUTOJUNK_FROM: usize = 200;

/// Half-open ranges of both sequences, still to be matched against each other.
#[derive(Debug, Clone, Copy)]
struct Window {
    a: (usize, usize),
    b: (usize, usize),
}

impl Window {
    fn has_pairs(&self) -> bool {
        self.a.0 < self.a.1 && self.b.0 < self.b.1
    }
}

/// Two sequences as classes of equal elements, with the positions of each class in `b`.
struct Matcher {
    a: Vec<usize>,
    b: Vec<usize>,
    /// Places of a class in `b`, ascending, are `places[from..to]`; popular classes and the class of elements
    /// that only `a` has have no places.
    spans: Vec<(usize, usize)>,
    places: Vec<usize>,
    /// At `j + 1`, the last run of equal pairs that ended at `b[j]`; at 0, always an empty run.
    runs: Vec<Run>,
    /// Rows begun so far, over all windows.
    row: u64,
}

/// Equal pairs along a diagonal of the table of `a` against `b`, down to row `row`.
#[derive(Debug, Clone, Copy)]
struct Run {
    row: u64,
    size: usize,
}

impl Matcher {
    fn new<T: Eq + Hash>(a: &[T], b: &[T], budget: &mut Budget) -> Result<Self, OverBudget> {
        let (a, b, classes) = classes(a, b, budget)?;
        let mut counts = vec![0; classes];
        for &class in &b {
            counts[class] += 1;
        }
        let most = if b.len() < AUTOJUNK_FROM { usize::MAX } else { b.len() / 100 + 1 };
        let mut filled = 0;
        let mut spans: Vec<(usize, usize)> = counts
            .iter()
            .map(|&count| {
                let from = filled;
                filled += if count <= most { count } else { 0 };
                (from, from)
            })
            .collect();
        let mut places = vec![0; filled];
        for (j, &class) in b.iter().enumerate() {
            if counts[class] <= most {
                let to = &mut spans[class].1;
                places[*to] = j;
                *to += 1;
            }
        }
        let runs = vec![Run { row: 0, size: 0 }; b.len() + 1];
        Ok(Self { a, b, spans, places, runs, row: 1 })
    }

    /// Visits the blocks, the longest of all first, in no order after it.
    fn for_each_block(mut self, budget: &mut Budget, mut visit: impl FnMut(Block)) -> Result<(), OverBudget> {
        let mut windows = vec![self.whole()];
        while let Some(window) = windows.pop() {
            let block = self.longest_match(window, budget)?;
            if block.size == 0 {
                continue;
            }
            visit(block);
            let before = Window { a: (window.a.0, block.a), b: (window.b.0, block.b) };
            let after =
                Window { a: (block.a + block.size, window.a.1), b: (block.b + block.size, window.b.1) };
            windows.extend([before, after].into_iter().filter(Window::has_pairs));
        }
        Ok(())
    }

    /// Python's `find_longest_match`.
    fn longest_match(&mut self, window: Window, budget: &mut Budget) -> Result<Block, OverBudget> {
        let Window { a: (a_from, a_to), b: (b_from, b_to) } = window;
        let mut best = Block { a: a_from, b: b_from, size: 0 };
        // A row of its own between windows: the runs of the last one end there.
        self.row += 1;
        for i in a_from..a_to {
            self.row += 1;
            let (from, to) = self.spans[self.a[i]];
            let places = &self.places[from..to];
            let places = &places[places.partition_point(|&j| j < b_from)..];
            let mut visited = 1;
            let mut displaced = Run { row: 0, size: 0 };
            for &j in places.iter().take_while(|&&j| j < b_to) {
                visited += 1;
                // Places ascend, so a run of this very row at j - 1 took the place of `displaced`.
                let before = self.runs[j];
                let before = if before.row == self.row { displaced } else { before };
                let size = if before.row + 1 == self.row { before.size + 1 } else { 1 };
                displaced = std::mem::replace(&mut self.runs[j + 1], Run { row: self.row, size });
                if size > best.size {
                    best = Block { a: i + 1 - size, b: j + 1 - size, size };
                }
            }
            budget.spend(visited)?;
        }
        // Only popular elements are left to add. Blocks are disjoint, so this is linear over all.
        while best.a > a_from && best.b > b_from && self.a[best.a - 1] == self.b[best.b - 1] {
            best = Block { a: best.a - 1, b: best.b - 1, size: best.size + 1 };
        }
        while best.a + best.size < a_to
            && best.b + best.size < b_to
            && self.a[best.a + best.size] == self.b[best.b + best.size]
        {
            best.size += 1;
        }
        Ok(best)
    }

    fn whole(&self) -> Window {
        Window { a: (0, self.a.len()), b: (0, self.b.len()) }
    }
}

/// Length of a longest common subsequence of the Unicode scalar values.
pub fn lcs_len(a: &str, b: &str, budget: &mut Budget) -> Result<usize, OverBudget> {
    lcs(unshared(a, b, budget)?, budget)
}

/// Length of a longest common subsequence.
pub fn lcs_of<T: Eq + Hash>(a: &[T], b: &[T], budget: &mut Budget) -> Result<usize, OverBudget> {
    lcs(without_ends(classes(a, b, budget)?), budget)
}

/// Size of the multiset that two sequences share, in any order.
pub fn shared<T: Eq + Hash>(a: &[T], b: &[T], budget: &mut Budget) -> Result<usize, OverBudget> {
    let (a, b, classes) = classes(a, b, budget)?;
    let mut left = vec![0_usize; classes];
    for class in b {
        left[class] += 1;
    }
    let taken = a.into_iter().filter(|class| {
        let some = left[*class] > 0;
        left[*class] -= usize::from(some);
        some
    });
    Ok(taken.count())
}

fn lcs(
    Unshared { a: pattern, b: text, classes, shared }: Unshared,
    budget: &mut Budget,
) -> Result<usize, OverBudget> {
    // Hyyrö 2004: down a column of the table the length rises by 0 or 1 a row, and the set bits
    // of `flat` are the 0s. The sum is one over the whole column; `carries` hand it on to the
    // next strip. Rows past the pattern's end equal nothing and stay flat.
    let mut carries = vec![false; text.len()];
    let mut rises = 0;
    let mut strips = Strips::new(&pattern, classes);
    while let Some((_, masks)) = strips.advance() {
        budget.spend((STRIP + text.len()) as u64)?;
        let mut flat = u64::MAX;
        for (&class, carry) in text.iter().zip(&mut carries) {
            let equal = masks[class];
            let (sum, over) = flat.overflowing_add(flat & equal);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(*carry));
            *carry = over || over_by_carry;
            flat = sum | (flat & !equal);
        }
        rises += flat.count_zeros() as usize;
    }
    Ok(shared + rises)
}

/// Longest common subsequence over the longer text's length, both in Unicode scalar values: 1.0
/// when both are empty.
pub fn lcs_share(a: &str, b: &str, budget: &mut Budget) -> Result<f32, OverBudget> {
    let common = lcs_len(a, b, budget)?;
    Ok(match a.chars().count().max(b.chars().count()) {
        0 => 1.0,
        longer => common as f32 / longer as f32,
    })
}

/// Levenshtein distance: the fewest insertions, deletions and substitutions of single Unicode scalar values that
/// turn `a` into `b`.
pub fn edit_distance(a: &str, b: &str, budget: &mut Budget) -> Result<usize, OverBudget> {
    let Unshared { a: pattern, b: text, classes, .. } = unshared(a, b, budget)?;
    // Myers 1999 as Hyyrö 2003 has it: neighbors in the table differ by at most 1. Bits of `up`
    // and `down` are the +1s and -1s down a column; `steps` are the same along the row between
    // two strips, all +1 along the top.
    let mut steps = vec![(1, 0); text.len()];
    let mut strips = Strips::new(&pattern, classes);
    while let Some((rows, masks)) = strips.advance() {
        budget.spend((STRIP + text.len()) as u64)?;
        let bottom = rows - 1;
        let (mut up, mut down) = (u64::MAX, 0);
        for (&class, step) in text.iter().zip(&mut steps) {
            let (step_up, step_down) = *step;
            let unmoved = masks[class] | down;
            let equal = masks[class] | step_down;
            let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal;
            let right_up = down | !(diagonal | up);
            let right_down = up & diagonal;
            *step = (right_up >> bottom & 1, right_down >> bottom & 1);
            let right_up = right_up << 1 | step_up;
            let right_down = right_down << 1 | step_down;
            up = right_down | !(unmoved | right_up);
            down = right_up & unmoved;
        }
    }
    let ups = steps.iter().filter(|step| step.0 == 1).count();
    let downs = steps.iter().filter(|step| step.1 == 1).count();
    Ok(pattern.len() + ups - downs)
}

/// Rows of a table that one word holds.
const STRIP: usize = 64;

/// Cuts a pattern into strips of [`STRIP`] rows.
struct Strips<'p> {
    strip: &'p [usize],
    left: &'p [usize],
    /// For each class the rows of the strip that have it.
    masks: Vec<u64>,
}

impl<'p> Strips<'p> {
    fn new(pattern: &'p [usize], classes: usize) -> Self {
        Self { strip: &[], left: pattern, masks: vec![0; classes] }
    }

    /// The rows of the next strip, and its masks.
    fn advance(&mut self) -> Option<(usize, &[u64])> {
        for &class in self.strip {
            self.masks[class] = 0;
        }
        (self.strip, self.left) = self.left.split_at(self.left.len().min(STRIP));
        for (row, &class) in self.strip.iter().enumerate() {
            self.masks[class] |= 1 << row;
        }
        (!self.strip.is_empty()).then_some((self.strip.len(), &self.masks))
    }
}

/// Two sequences as classes of equal elements, less their common prefix and suffix.
struct Unshared {
    a: Vec<usize>,
    b: Vec<usize>,
    classes: usize,
    shared: usize,
}

/// Some longest common subsequence, and some shortest edit, pairs a common prefix and suffix off
/// whole (exchange whatever their elements are paired with), so neither measure needs them.
fn unshared(a: &str, b: &str, budget: &mut Budget) -> Result<Unshared, OverBudget> {
    Ok(without_ends(if a.is_ascii() && b.is_ascii() {
        budget.spend((a.len() + b.len()) as u64)?;
        (a.bytes().map(usize::from).collect(), b.bytes().map(usize::from).collect(), 128)
    } else {
        classes(&chars(a), &chars(b), budget)?
    }))
}

fn without_ends((mut a, mut b, classes): (Vec<usize>, Vec<usize>, usize)) -> Unshared {
    let (prefix, suffix) = common_ends(&a, &b);
    for text in [&mut a, &mut b] {
        text.truncate(text.len() - suffix);
        text.drain(..prefix);
    }
    Unshared { a, b, classes, shared: prefix + suffix }
}

/// Lengths of the common prefix, and of the common suffix of what follows it.
pub(crate) fn common_ends<T: Eq>(a: &[T], b: &[T]) -> (usize, usize) {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (prefix, suffix)
}

/// Numbers equal elements alike, and counts the numbers. The last is for all that `b` lacks.
fn classes<T: Eq + Hash>(
    a: &[T],
    b: &[T],
    budget: &mut Budget,
) -> Result<(Vec<usize>, Vec<usize>, usize), OverBudget> {
    budget.spend((a.len() + b.len()) as u64)?;
    let mut seen = Seen::new(b.len());
    let mut b_classes = Vec::with_capacity(b.len());
    for element in b {
        b_classes.push(seen.number(element, budget)?);
    }
    // Ends in common have their numbers already.
    let (prefix, suffix) = common_ends(a, b);
    let mut a_classes = Vec::with_capacity(a.len());
    a_classes.extend_from_slice(&b_classes[..prefix]);
    for element in &a[prefix..a.len() - suffix] {
        a_classes.push(seen.find(element, budget)?.1);
    }
    a_classes.extend_from_slice(&b_classes[b.len() - suffix..]);
    Ok((a_classes, b_classes, seen.elements.len() + 1))
}

/// The distinct elements of a sequence, numbered as they first appear: an open-addressing table
/// that counts its collisions.
struct Seen<'s, T> {
    elements: Vec<(u64, &'s T)>,
    /// Numbers of elements, [`VACANT`] where there is none; a power of two of them.
    slots: Vec<usize>,
}

const VACANT: usize = usize::MAX;

/// Slot of an element in the table, its number or the next free one, and its hash.
type Found = (usize, usize, u64);

impl<'s, T: Eq + Hash> Seen<'s, T> {
    fn new(most: usize) -> Self {
        let slots = vec![VACANT; (2 * most).next_power_of_two().max(2)];
        Self { elements: Vec::with_capacity(most), slots }
    }

    fn number(&mut self, element: &'s T, budget: &mut Budget) -> Result<usize, OverBudget> {
        let (slot, number, hash) = self.find(element, budget)?;
        if number == self.elements.len() {
            self.slots[slot] = number;
            self.elements.push((hash, element));
        }
        Ok(number)
    }

    fn find(&self, element: &T, budget: &mut Budget) -> Result<Found, OverBudget> {
        let mut words = Words(0);
        element.hash(&mut words);
        let hash = words.finish();
        // The high bits are the well mixed ones.
        let bits = self.slots.len().trailing_zeros();
        let mut slot = usize::try_from(hash >> (u64::BITS - bits)).expect("a slot is a usize");
        loop {
            let number = self.slots[slot];
            if number == VACANT {
                return Ok((slot, self.elements.len(), hash));
            }
            if self.elements[number] == (hash, element) {
                return Ok((slot, number, hash));
            }
            budget.spend(1)?;
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// A multiplicative hash over 8-byte words, alike on every machine and in every run. Whoever
/// makes its values collide spends their budget.
struct Words(u64);

impl Words {
    fn mix(&mut self, word: u64) {
        // The fraction of the golden ratio, as in Knuth's multiplicative hashing.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        self.mix(bytes.len() as u64);
        let mut left = bytes;
        while let Some((word, rest)) = left.split_first_chunk() {
            self.mix(u64::from_le_bytes(*word));
            left = rest;
        }
        // The last word overlaps the one before it where it can: faster than byte by byte.
        match bytes.last_chunk() {
            Some(word) => self.mix(u64::from_le_bytes(*word)),
            None => self.mix(left.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))),
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(byte.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number.into());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;
