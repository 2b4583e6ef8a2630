//! Answers that are taken back: "The answer is B. No, wait, it is C."

/// Beginnings of sentences that take back what came before them.
const RETRACTIONS: [&str; 16] = [
    "wait",
    "no,",
    "no wait",
    "no;",
    "no:",
    "no -",
    "no —",
    "nope",
    "actually,",
    "sorry",
    "oops",
    "correction",
    "scratch that",
    "on second thought",
    "hmm",
    "i mean",
];

/// True if a sentence of the text after an answer takes the answer back.
pub fn takes_back(after: &str) -> bool {
    let mut sentences = after.split(['.', '!', '?', '\n', '…', '—']);
    sentences.any(|sentence| {
        let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        RETRACTIONS.iter().any(|words| {
            let Some((found, rest)) = start.split_at_checked(words.len()) else { return false };
            let word = words.ends_with(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric);
            found.eq_ignore_ascii_case(words) && !word
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_an_answer_back_does() {
        for text in ["}. No, wait.", " Wait", "! Oops", "\nNo - it is C", ". Hmm…", ". On second thought, C."]
        {
            assert!(takes_back(text), "{text}");
        }
        for text in
            ["", ".", ". No other fits.", ". Waiting", ". It is no, in fact", "é", ". Nø,", ". Sorrow"]
        {
            assert!(!takes_back(text), "{text}");
        }
    }
}
