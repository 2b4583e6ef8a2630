//! Numbers in words: `twenty-one`.

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// The number that words name; nothing if they say anything else.
pub fn number_in_words(text: &str) -> Option<i64> {
    if text.len() > 80 {
        return None;
    }
    let (mut sum, mut group, mut last) = (0, 0, i64::MAX);
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let place = |names: &[&str]| names.iter().position(|name| *name == word).map(|at| at as i64);
        if let Some(one) = place(&ONES) {
            if last < 20 || (last < 100 && !(1..10).contains(&one)) {
                return None;
            }
            (group, last) = (group + one, one.max(1));
        } else if let Some(ten) = place(&TENS) {
            if last < 100 {
                return None;
            }
            (group, last) = (group + 10 * (ten + 2), 20);
        } else if word == "hundred" && (1..10).contains(&group) {
            (group, last) = (group * 100, 100);
        } else if word == "thousand" && sum == 0 && group > 0 {
            (sum, group, last) = (group * 1_000, 0, 1_000);
        } else if word == "and" && (last == 100 || last == 1_000) {
        } else {
            return None;
        }
    }
    (last < i64::MAX).then_some(sum + group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_other_words_are_not() {
        for (text, number) in [
            ("zero", 0),
            ("seven", 7),
            ("Seventeen", 17),
            ("twenty", 20),
            ("twenty-one", 21),
            ("twenty - one", 21),
            ("one hundred five", 105),
            ("one hundred and twenty-three", 123),
            ("two thousand", 2_000),
            ("two thousand three hundred forty", 2_340),
        ] {
            assert_eq!(number_in_words(text), Some(number), "{text}");
        }
        for text in [
            "",
            "and",
            "hundred",
            "seven eight",
            "seven or eight",
            "twenty twenty",
            "twenty eleven",
            "one one",
            "not seven",
            "seven apples",
            "twenty-zero",
            "ten one",
        ] {
            assert_eq!(number_in_words(text), None, "{text}");
        }
    }
}
