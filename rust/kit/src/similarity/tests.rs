//! The measures against Python's, by hand and by chance.

use super::*;

fn ample() -> Budget<'static> {
    Budget::new(1 << 32)
}

fn ratio(a: &str, b: &str) -> f64 {
    chars_ratio(a, b, &mut ample()).expect("ample")
}

fn blocks(a: &str, b: &str) -> Vec<(usize, usize, usize)> {
    let blocks = matching_blocks(&chars(a), &chars(b), &mut ample()).expect("ample");
    blocks.iter().map(|block| (block.a, block.b, block.size)).collect()
}

fn longest(a: &str, b: &str) -> (usize, usize, usize) {
    let Block { a, b, size } = longest_match(&chars(a), &chars(b), &mut ample()).expect("ample");
    (a, b, size)
}

fn same(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits()
}

/// Marsaglia's xorshift: texts of `0..=longest` letters of an alphabet.
struct Texts(u64);

impl Texts {
    fn below(&mut self, bound: usize) -> usize {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
        }
        usize::try_from(self.0 >> 11).expect("53 bits") % bound
    }

    fn next(&mut self, alphabet: &str, longest: usize) -> String {
        let alphabet = chars(alphabet);
        let len = self.below(longest + 1);
        (0..len).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// A text and an edit of it, or another.
    fn pair(&mut self, alphabet: &str, longest: usize) -> (String, String) {
        let text = self.next(alphabet, longest);
        if self.below(3) == 0 {
            return (text, self.next(alphabet, longest));
        }
        let mut edited = chars(&text);
        for _ in 0..self.below(6) {
            let (from, to) = (self.below(edited.len() + 1), self.below(edited.len() + 1));
            let patch = chars(&self.next(alphabet, 3));
            edited.splice(from..to.clamp(from, (from + 3).min(edited.len())), patch);
        }
        (text, edited.into_iter().collect())
    }
}

#[test]
fn difflib_agrees_with_its_documentation() {
    assert_eq!(longest(" abcd", "abcd abcd"), (0, 4, 5));
    assert_eq!(longest("ab", "c"), (0, 0, 0));
    assert_eq!(blocks("abxcd", "abcd"), [(0, 0, 2), (3, 2, 2)]);
    assert!(same(ratio("abcd", "bcde"), 0.75));
    assert!(same(ratio("tide", "diet"), 0.25));
    assert!(same(ratio("diet", "tide"), 0.5));
    // Why no common prefix may be cut off first.
    assert_eq!(longest("ab", "acab"), (0, 2, 2));
}

#[test]
fn one_inserted_character_halves_the_ratio_when_autojunk_acts() {
    let with_insertion = |reference: &str| format!("{}!{}", &reference[..144], &reference[144..]);
    let reference: String =
        "the quick brown fox jumps over a lazy dog, ".chars().rev().cycle().take(300).collect();
    // Every letter is popular, so the only block found is the one that grows from (0, 0).
    assert!(same(ratio(&with_insertion(&reference), &reference), 288.0 / 601.0));
    // With fewer than 200 elements, or rare ones, nothing is lost.
    let short = &reference[..199];
    assert!(same(ratio(&with_insertion(short), short), 398.0 / 399.0));
    let lines: Vec<usize> = (0..300).collect();
    let mut answer = lines.clone();
    answer.insert(144, 300);
    let matching = difflib(&answer, &lines, &mut ample()).expect("ample");
    assert!(same(matching.ratio(), 600.0 / 601.0));
    assert_eq!((matching.matched, matching.longest), (300, 156));
}

#[test]
fn popular_means_more_than_a_hundredth_and_one() {
    // Of 200 elements 3 alike are not popular; 4 are, and so start no block.
    let of = |popular: usize| -> (Vec<usize>, Vec<usize>) {
        let b = (0..200).map(|j| if j % 40 == 39 && j / 40 < popular { 0 } else { j + 1 });
        (vec![0, 0], b.collect())
    };
    let matched = |popular| {
        let (a, b) = of(popular);
        difflib(&a, &b, &mut ample()).expect("ample").matched
    };
    assert_eq!([3, 4].map(matched), [2, 0]);
}

#[test]
fn equal_texts_match_whole_however_popular_their_letters() {
    for text in ["", "a", &"ab".repeat(150), &"abcde".repeat(50).replacen("abc", "xyz", 2)] {
        let letters = chars(text);
        let matching = difflib(&letters, &letters, &mut ample()).expect("ample");
        assert!(same(matching.ratio(), 1.0));
        assert_eq!(matching.longest, letters.len());
        let block = longest_match(&letters, &letters, &mut ample());
        assert_eq!(block, Ok(Block { a: 0, b: 0, size: letters.len() }));
    }
}

#[test]
fn difflib_agrees_with_its_definition() {
    /// Longest, then earliest in `a`, then in `b`; then the same on both sides.
    fn define(a: &[char], b: &[char], found: &mut Vec<usize>) {
        let run = |i: usize, j: usize| common_ends(&a[i..], &b[j..]).0;
        let places = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)));
        let best = places.rev().max_by_key(|&(i, j)| run(i, j));
        if let Some((i, j)) = best.filter(|&(i, j)| run(i, j) > 0) {
            let size = run(i, j);
            found.push(size);
            define(&a[..i], &b[..j], found);
            define(&a[i + size..], &b[j + size..], found);
        }
    }
    let mut texts = Texts(1);
    for round in 0..900 {
        let (a, b) = texts.pair(["ab", "abcd", "aéж日𝄞fghij"][round % 3], 24);
        let (a, b) = (chars(&a), chars(&b));
        let mut found = Vec::new();
        define(&a, &b, &mut found);
        let matching = difflib(&a, &b, &mut ample()).expect("ample");
        assert_eq!(matching.matched, found.iter().sum::<usize>(), "{a:?} {b:?}");
        assert_eq!(matching.longest, found.first().copied().unwrap_or(0), "{a:?} {b:?}");
    }
}

#[test]
fn colliding_elements_stay_distinct_and_cost_steps() {
    #[derive(PartialEq, Eq)]
    struct Alike(char);
    impl Hash for Alike {
        fn hash<H: Hasher>(&self, _: &mut H) {}
    }
    let alike = |text: &str| text.chars().map(Alike).collect::<Vec<_>>();
    let (a, b) = ("gestalt pattern matching", "getting pastel chat");
    let expected = difflib(&chars(a), &chars(b), &mut ample());
    assert_eq!(difflib(&alike(a), &alike(b), &mut ample()), expected);
    assert!(difflib(&chars(a), &chars(b), &mut Budget::new(200)).is_ok());
    assert_eq!(difflib(&alike(a), &alike(b), &mut Budget::new(200)), Err(OverBudget));
}

#[test]
fn lcs_and_edit_distance_agree_with_published_examples() {
    let both = |a: &str, b: &str| (lcs_len(a, b, &mut ample()), edit_distance(a, b, &mut ample()));
    assert_eq!(both("kitten", "sitting"), (Ok(4), Ok(3)));
    assert_eq!(both("XMJYAUZ", "MZJAWXU"), (Ok(4), Ok(6)));
    assert_eq!(both("", ""), (Ok(0), Ok(0)));
    assert_eq!(both("", "日本"), (Ok(0), Ok(2)));
    assert_eq!(both("日本語", ""), (Ok(0), Ok(3)));
    assert_eq!(lcs_share("", "", &mut ample()), Ok(1.0));
    assert_eq!(lcs_share("日本", "日ab本", &mut ample()), Ok(0.5));
}

#[test]
fn lcs_and_edit_distance_agree_with_their_tables() {
    fn tables(a: &[char], b: &[char]) -> (usize, usize) {
        let mut row: Vec<(usize, usize)> = (0..=b.len()).map(|j| (0, j)).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = std::mem::replace(&mut row[0], (0, i + 1));
            for (j, y) in b.iter().enumerate() {
                let (above, left) = (row[j + 1], row[j]);
                let common = if x == y { corner.0 + 1 } else { above.0.max(left.0) };
                let edits = (corner.1 + usize::from(x != y)).min(above.1.min(left.1) + 1);
                corner = std::mem::replace(&mut row[j + 1], (common, edits));
            }
        }
        row[b.len()]
    }
    let mut texts = Texts(2);
    for round in 0..450 {
        let longest = [20, 70, 200][round % 3];
        let (a, b) = texts.pair(["ab", "abcdefgh", "aéж日𝄞"][round / 3 % 3], longest);
        let expected = tables(&chars(&a), &chars(&b));
        assert_eq!(lcs_len(&a, &b, &mut ample()), Ok(expected.0), "{a:?} {b:?}");
        assert_eq!(edit_distance(&a, &b, &mut ample()), Ok(expected.1), "{a:?} {b:?}");
    }
}

#[test]
fn hostile_texts_run_out_of_steps() {
    // Equal letters throughout, but for one: quadratic a window, and many windows.
    let (a, b) = ("ab".repeat(99), "ba".repeat(99) + "c");
    assert_eq!(chars_ratio(&a, &b, &mut Budget::new(5_000)), Err(OverBudget));
    assert!(chars_ratio(&a, &b, &mut Budget::new(50_000)).is_ok());
    let long = "x".repeat(10_000);
    let other = "y".repeat(10_000);
    assert_eq!(lcs_len(&long, &other, &mut Budget::new(1_000_000)), Err(OverBudget));
    assert_eq!(edit_distance(&long, &other, &mut Budget::new(1_000_000)), Err(OverBudget));
    assert_eq!(edit_distance(&long, &other, &mut Budget::new(2_000_000)), Ok(10_000));
    assert_eq!(lines_ratio(&long, &other, &mut Budget::new(1)), Err(OverBudget));
}

#[test]
fn lines_are_what_splitting_at_line_feeds_gives() {
    let mut texts = Texts(3);
    for _ in 0..2000 {
        let text = texts.next("\n\u{b}\u{8a}\raé日", 40);
        assert_eq!(lines(&text), text.split('\n').collect::<Vec<_>>());
    }
    assert_eq!(lines_ratio("a\nb\n", "a\nb", &mut ample()), Ok(0.8));
    assert_eq!(lines_ratio("", "", &mut ample()), Ok(1.0));
}
