//! Nouns that a number counts: `apples`, `different ways`. Any noun may follow, except for the words listed
//! here.

/// Numbers and parts of them: `4 dozen` is not 4.
const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty \
    fifty sixty seventy eighty ninety teen hundred thousand lakh crore mil billion dozen score gross googol \
    double triple quadruple single twice thrice half halves third thirds quarter quarters fold infinite \
    infinitely infinity undefined nan point percentile permille myriad percent nil null";

/// Groups, which are counted as well: `6 pairs`.
const GROUPS: &[&str] = &["pair", "couple", "duo", "trio", "triplet", "quartet", "quintet", "sextet"];

/// Operations on a number.
const OPERATIONS: &str = "plus minus pluses minuses plusminus times add added adding subtract subtracted subtracting multiplied \
    multiply divided divide div over squared cubed doubled tripled halved negated inverted reversed power exponent \
    root factorial mod modulo base radix choose sum product quotient remainder ratio logarithm rounded rounding \
    truncated increased decreased reduced raised negative inverse reciprocal conjugate transpose complement \
    opposite reverse backwards prime bar pi hex hexadecimal binary octal flipped scaled doubling tripling halving \
    factorials";

/// Comparisons of a number with another.
const COMPARISONS: &str = "more less fewer lesser greater larger smaller bigger higher lower above below under \
    beyond past short least most atleast atmost minimum maximum max equal equals unequal differs differ than \
    between exclusive inclusive multiple";

/// Words that join a number to something else, or set a condition.
const CONNECTIVES: &str = "a an and or nor but yet though although however if unless when where while else \
    otherwise alternatively either neither both rather instead then also plus as at by for from in into is are was \
    it of off on out per the through thru till to until unto up upto upwards onwards down versus vs with within \
    without with excluding including excepting except besides each any some like that this not";

/// Words that take a number back or doubt it.
const DOUBTS: &str = "no none nope nah not never nothing cannot can't isn't isnt aren't wasn't ain't doesn't wrong \
    incorrect false untrue invalid error mistake oops wait sorry actually cancelled canceled retracted corrected \
    ignore disregard scratch instead about almost approx approximate around circa guess idk ish odd or maybe might \
    may perhaps possible probable likely unlikely somehow somewhat something unsure uncertain unknown hmm etc only \
    answer correct true yes ok okay extra additional nay rejected bogus fake flawed mistaken typo scratched void \
    voided refuted disproved contradicted impossible unsolvable unsolved inconsistent diverges dne reconsider rethink \
    revise revised thereabouts";

/// Words that may precede a noun but mean something else alone: `3 real roots`, but not `3 real`.
const ADJECTIVES: &str = "different distinct real complex imaginary even odd rational irrational whole unique prime \
    consecutive positive right additional extra remaining";

/// True if a word is in a list of words with spaces between them.
pub fn holds(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// True if the words after a number, in lower case, may be what it counts without changing the number.
pub fn may_be_counted(words: &[String]) -> bool {
    let Some((noun, before)) = words.split_last() else { return false };
    let is_noun = !changes_a_number(noun) || is_ordered(before) && group(noun).is_some();
    words.len() <= MOST_WORDS && may_stand_before(before) && is_noun && !holds(ADJECTIVES, noun)
}

/// True if words may come between a number and what it counts.
pub fn may_stand_before(words: &[String]) -> bool {
    words.iter().all(|word| holds(ADJECTIVES, word) || !changes_a_number(word))
}

/// The group that a word names.
pub fn group(word: &str) -> Option<&'static str> {
    let one = singular(word);
    GROUPS.iter().find(|group| one.iter().any(|word| word == *group)).copied()
}

/// True if a group is one thing to be counted: an ordered pair.
pub fn is_ordered(before: &[String]) -> bool {
    before.last().is_some_and(|word| matches!(&**word, "ordered" | "unordered"))
}

/// The words whose plural a word can be, and the word itself.
fn singular(word: &str) -> Vec<String> {
    let ends = [("", ""), ("s", ""), ("es", ""), ("ies", "y")];
    ends.iter().filter_map(|(end, one)| Some(word.strip_suffix(end)?.to_owned() + one)).collect()
}

/// Longer runs of words are a sentence.
pub const MOST_WORDS: usize = 3;

/// True if a word qualifies the number before it, or is itself one.
fn changes_a_number(word: &str) -> bool {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.'));
    let part =
        ["ths", "th", "illion", "illions", "teen", "nd", "rd", "fold"].iter().any(|end| word.ends_with(end));
    let things =
        ["month", "cloth", "bath", "path", "moth", "tooth", "booth", "hand", "sand", "pound", "friend"];
    let names_a_thing = things.contains(&word.trim_end_matches('s'));
    let number = word != "points" && singular(word).iter().any(|word| holds(NUMBERS, word));
    let adverb = word.ends_with("ly") && word != "family";
    !plain
        || adverb
        || (part && !names_a_thing)
        || number
        || group(word).is_some()
        || [OPERATIONS, COMPARISONS, CONNECTIVES, DOUBTS].iter().any(|list| holds(list, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_counted_and_words_that_say_something_are_not() {
        let counted = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            may_be_counted(&words)
        };
        for noun in [
            "apples",
            "people",
            "fish",
            "months",
            "different ways",
            "distinct real roots",
            "friends",
            "ordered pairs",
        ] {
            assert!(counted(noun), "{noun}");
        }
        for lists in [NUMBERS, OPERATIONS, COMPARISONS, CONNECTIVES, DOUBTS, ADJECTIVES] {
            for word in lists.split(' ') {
                assert!(!counted(word) && word.chars().all(|c| c.is_alphabetic() || c == '\''), "{word}");
                assert!(holds(ADJECTIVES, word) || !counted(&format!("{word} apples")), "{word}");
            }
        }
        for other in ["", "tenths", "roughly", "octillion", "a b", "red apples on it", "x1", "apples or"] {
            assert!(!counted(other), "{other}");
        }
    }
}
