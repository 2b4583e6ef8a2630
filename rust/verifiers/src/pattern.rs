//! Texts that match a regular expression.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, meta};

use super::{About, Example, Metric};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Pass};

kit::params! {
    pub struct RegexMatch {
        /// Accept a match anywhere in the answer; otherwise all of it must match.
        search: bool,
        ignore_case: bool,
    }
    default (false, false)
}

/// The largest compiled program of a pattern, in bytes.
const LARGEST: usize = 256 * 1024;

/// The longest pattern in bytes: compiling one of this length takes milliseconds.
const LONGEST: usize = 4096;

/// A compiled pattern with the cost of matching it.
#[derive(Debug)]
pub struct Pattern<'a> {
    regex: meta::Regex,
    nfa: NFA,
    anchored: Anchored,
    /// Built at the first long text.
    automaton: OnceLock<Option<DFA>>,
    written: Cow<'a, str>,
}

impl<'a> Pattern<'a> {
    /// A pattern that matches a text if it matches all of it or, with `search`, any part of it. The error
    /// says what it must be.
    pub fn new(text: &'a str, search: bool, ignore_case: bool) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("must be a regular expression of at most {LONGEST} bytes"));
        }
        let large = || format!("must be a smaller regular expression: it takes over {LARGEST} bytes");
        let syntax = syntax::Config::new().case_insensitive(ignore_case).nest_limit(100);
        // The text added around a broken pattern must not make it valid.
        syntax::parse_with(text, &syntax).map_err(|error| {
            let told = error.to_string();
            let told = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("must be a regular expression: {}", quoted(told))
        })?;
        // In a separate group, so that `a|b` is anchored as a whole.
        let whole = if search { text.to_owned() } else { format!(r"\A(?:{text})\z") };
        let config = NFA::config().nfa_size_limit(Some(LARGEST)).which_captures(WhichCaptures::None);
        let nfa = NFA::compiler().configure(config).syntax(syntax).build(&whole).map_err(|_| large())?;
        let config = meta::Config::new().nfa_size_limit(Some(LARGEST)).which_captures(WhichCaptures::None);
        let regex =
            meta::Builder::new().configure(config).syntax(syntax).build(&whole).map_err(|_| large())?;
        let anchored = if search { Anchored::No } else { Anchored::Yes };
        Ok(Self { regex, nfa, anchored, automaton: OnceLock::new(), written: text.into() })
    }

    pub fn owned(self) -> Pattern<'static> {
        let written = Cow::Owned(self.written.into_owned());
        Pattern {
            written,
            regex: self.regex,
            nfa: self.nfa,
            anchored: self.anchored,
            automaton: self.automaton,
        }
    }

    pub fn written(&self) -> &str {
        &self.written
    }

    /// True if a text matches, in time linear in it, whatever the pattern.
    pub fn is_match(&self, text: &str, budget: &mut Budget) -> Result<bool, OverBudget> {
        let states = self.nfa.states().len() as u64;
        // No engine takes longer than each state with each byte.
        let worst = text.len() as u64 * states / 2;
        // Only the first of many texts in one answer may be so expensive; the others cost less.
        if worst > budget.left() / 16
            && let Some(matched) = self.run(text, states, budget)?
        {
            return Ok(matched);
        }
        budget.spend(worst)?;
        Ok(self.regex.is_match(text))
    }

    /// Runs an automaton whose states are built as they are reached, and counts them: with some patterns,
    /// each byte reaches a new one. `None` for a word boundary at a letter beyond ASCII.
    fn run(&self, text: &str, states: u64, budget: &mut Budget) -> Result<Option<bool>, OverBudget> {
        let build = || {
            let config = DFA::config().cache_capacity(1 << 20).skip_cache_capacity_check(true);
            DFA::builder().configure(config.unicode_word_boundary(true)).build_from_nfa(self.nfa.clone()).ok()
        };
        let Some(dfa) = self.automaton.get_or_init(build) else { return Ok(None) };
        // A new one for each text, so that no verdict depends on another.
        let mut cache = Cache::new(dfa);
        let input = Input::new(text).anchored(self.anchored);
        budget.spend(text.len() as u64 + 4 * states)?;
        let Ok(mut state) = dfa.start_state_forward(&mut cache, &input) else { return Ok(None) };
        let mut memory = cache.memory_usage();
        for &byte in text.as_bytes() {
            let Ok(next) = dfa.next_state(&mut cache, state, byte) else { return Ok(None) };
            state = next;
            if state.is_tagged() {
                if state.is_match() || state.is_dead() {
                    return Ok(Some(state.is_match()));
                }
                if state.is_quit() {
                    return Ok(None);
                }
            }
            let used = cache.memory_usage();
            if used != memory {
                memory = used;
                budget.spend(64 + 2 * states)?;
            }
        }
        Ok(dfa.next_eoi_state(&mut cache, state).ok().map(|last| last.is_match()))
    }
}

impl Metric for RegexMatch {
    const ABOUT: About = About {
        name: "regex_match",
        summary: "What the reference, a regular expression, matches.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example { reference: "[1-3]x?", right: "1", wrong: "4" },
    };

    type Reference<'a> = Pattern<'a>;

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<Pattern<'a>, String> {
        Pattern::new(text, self.search, self.ignore_case)
    }

    fn compare(&self, answer: &str, reference: &Pattern<'_>, budget: &mut Budget) -> Graded {
        if reference.is_match(answer, budget)? {
            return Ok(Pass::new());
        }
        let (answer, pattern) = (quoted(answer), quoted(reference.written()));
        Err(Failure::wrong(format!("`{answer}` does not match `{pattern}`")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, assert_refuses, untagged};
    use kit::budget::Budget;

    #[test]
    fn all_of_an_answer_matches_unless_told_otherwise() {
        assert_judges(
            &untagged("regex_match", &json!({})),
            &[("ab", "a"), ("xa", "a|b"), ("ax", "a|b"), ("A", "a"), ("", "a+"), ("a\nb", "a.b")],
            &[("a", "a|b"), ("b", "a|b"), ("12 km", r"\d+ ?km"), ("", "a*"), ("é", r"\w")],
        );
        assert_judges(
            &untagged("regex_match", &json!({"search": true, "ignore_case": true})),
            &[("b", "a"), ("xay", "^a")],
            &[("xAy", "a")],
        );
        assert_refuses(
            &untagged("regex_match", &json!({})),
            &["(", "a)(b", "a{1000}{1000}{1000}", &"(".repeat(1_000), &"a".repeat(5_000), r"(?=a)", r"(a)\1"],
        );
    }

    #[test]
    fn hostile_patterns_and_texts_take_linear_time() {
        let text = "a".repeat(60_000);
        for pattern in ["(a*)*b", "(a|aa)+b", "(?:a?){50}a{50}", "([ab]*a[ab]{8})*c", r"(\w+\s?)+!"] {
            assert!(!untagged("regex_match", &json!({})).judge(&text, pattern).unwrap().passed, "{pattern}");
        }
    }

    #[test]
    fn long_and_short_texts_are_matched_alike() {
        let patterns = [
            r"a.*b",
            r"\w+",
            r"[01]*1[01]{3}",
            r"(?s).*\bfin",
            r"x{3,}y?",
            r"\p{Greek}+",
            r"^a$",
            r"(?:ab)*",
            r"\d+\z",
        ];
        let pieces = ["ab", "1", "0", "é", "λ", " fin", "x", "\n", "y"];
        let mut word = 1_u64;
        for search in [false, true] {
            for pattern in patterns {
                let made = super::Pattern::new(pattern, search, false).unwrap();
                for length in [0, 1, 7, 40, 400] {
                    let mut text = String::new();
                    for _ in 0..length {
                        word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 5;
                        text.push_str(
                            pieces[(word >> 32) as usize % if length > 7 { pieces.len() } else { 3 }],
                        );
                    }
                    let states = made.nfa.states().len() as u64;
                    let run = made.run(&text, states, &mut Budget::new(u64::MAX)).unwrap();
                    let quick = made.regex.is_match(&text);
                    assert!(run.is_none_or(|run| run == quick), "{pattern} {search} {text}");
                    assert!(run.is_some() || pattern.contains("\\b") && !text.is_ascii(), "{pattern} {text}");
                }
            }
        }
    }

    #[test]
    fn patterns_of_many_states_are_given_up_in_time() {
        let mut word = 1_u64;
        let bits: String = (0..60_000)
            .map(|_| {
                word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 5;
                if word >> 63 == 1 { '1' } else { '0' }
            })
            .collect();
        let judge = untagged("regex_match", &json!({}));
        for pattern in [
            "[01]*1[01]{14}2",
            "(?:[01]*1[01]{400})*2",
            "(?:[0-9a-z]*1[0-9a-z]{20})*2",
            "(?:0|1|01|10){1000}*2",
        ] {
            let verdict = judge.judge(&bits, pattern).unwrap();
            assert!(!verdict.passed && ["wrong_answer", "over_budget"].contains(&verdict.failures[0]));
        }
    }
}
