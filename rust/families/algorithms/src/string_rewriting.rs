//! Rewrite a string with rules until none applies.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct StringRewriting;

params! {
    pub struct StringRewritingParams {
        /// Letters in the initial string.
        length: u32 [4..=40],
        /// Rules.
        rules: u32 [1..=8],
        /// Least number of rewritings until no rule applies. There may be up to a third more.
        rewritings: u32 [1..=90],
    }
    levels {
        (5, 2, 1),
        (6, 2, 2),
        (6, 2, 3),
        (8, 3, 4),
        (9, 3, 6),
        (11, 4, 9),
        (14, 4, 13),
        (18, 5, 20),
        (22, 5, 32),
        (30, 6, 50),
    }
    default 3
}

/// A string, and rules that replace one substring of it by another.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewriting {
    start: String,
    rules: Vec<[String; 2]>,
}

const LETTERS: [char; 5] = ['A', 'B', 'C', 'D', 'E'];
const MOST_LETTERS: usize = 60;
const MOST_REWRITINGS: usize = 150;
/// Fewest letters at the end: shorter strings could be guessed.
const SHORTEST_END: usize = 4;

impl TaskFamily for StringRewriting {
    type Params = StringRewritingParams;
    type Problem = Value<Rewriting>;

    const ABOUT: About = About {
        summary: "Rewrite a string with rules until none applies.",
        distinct_from: 3,
        skills: &["simulation", "pattern_matching", "bookkeeping"],
        guess_rate: 0.018,
        guess_score: 0.018,
        ..Value::<Rewriting>::about("algorithms", "string_rewriting", &["First version."])
    };

    /// Draws strings and rules until the required number of rewritings leads to a result that depends on
    /// where rules are applied.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Rewriting>> {
        let letters = &LETTERS[..if params.rules > 3 { 4 } else { 3 }];
        let rewritings =
            params.rewritings as usize..=(params.rewritings + params.rewritings / 3 + 1) as usize;
        loop {
            let mut draw = |length: usize| (0..length).map(|_| *rng.pick(letters)).collect::<String>();
            let start = draw(params.length as usize);
            let mut rules: Vec<[String; 2]> = Vec::new();
            while rules.len() < params.rules as usize {
                let (from, to) = (draw(2), draw(2));
                // Every other rule keeps the length, so that strings do not shrink to nothing.
                let to = if rules.len().is_multiple_of(2) { to } else { to[..1].to_owned() };
                budget.spend(1)?;
                if from != to && rules.iter().all(|[known, _]| *known != from) {
                    rules.push([from, to]);
                }
            }
            let drawn = Rewriting { start, rules };
            budget.spend(u64::from(params.length))?;
            if drawn.check().is_ok()
                && drawn.path().is_some_and(|path| rewritings.contains(&(path.len() - 1)))
                && drawn.last_places().is_none_or(|end| Some(end) != drawn.end())
            {
                return Ok(Value(drawn));
            }
        }
    }
}

impl Rewriting {
    /// The first rule that applies, counted from 1, and the string it leads to.
    fn next(&self, string: &str, place: impl Fn(&str, &str) -> Option<usize>) -> Option<(usize, String)> {
        (1..).zip(&self.rules).find_map(|(number, [from, to])| {
            let at = place(string, from)?;
            Some((number, [&string[..at], to, &string[at + from.len()..]].concat()))
        })
    }

    /// The strings from start to end, each with the rule that led to it; `None` if they exceed the bounds.
    fn path_by(&self, place: impl Fn(&str, &str) -> Option<usize>) -> Option<Vec<(usize, String)>> {
        let mut path = vec![(0, self.start.clone())];
        while let Some(next) = self.next(&path[path.len() - 1].1, &place) {
            if path.len() > MOST_REWRITINGS || next.1.len() > MOST_LETTERS {
                return None;
            }
            path.push(next);
        }
        Some(path)
    }

    fn path(&self) -> Option<Vec<(usize, String)>> {
        self.path_by(|string, from| string.find(from))
    }

    fn end(&self) -> Option<String> {
        Some(self.path()?.pop()?.1)
    }

    /// The result of applying each rule at its last match.
    fn last_places(&self) -> Option<String> {
        Some(self.path_by(|string, from| string.rfind(from))?.pop()?.1)
    }
}

impl Fields for Rewriting {
    fn check(&self) -> Result<(), String> {
        let letters = |text: &str| text.chars().all(|letter| LETTERS.contains(&letter));
        check::within("start", &self.start.len(), 2..=MOST_LETTERS)?;
        check::that(letters(&self.start), || "`start` must have letters from A to E".to_owned())?;
        check::length("rules", &self.rules, 1..=10, "rules")?;
        for [from, to] in &self.rules {
            let sizes = (1..=4).contains(&from.len()) && (1..=4).contains(&to.len());
            check::that(sizes && letters(from) && letters(to), || {
                "`rules` must have 1 to 4 letters from A to E on either side".to_owned()
            })?;
        }
        let path = self.path().ok_or_else(|| {
            format!("`rules` leads to no end within {MOST_REWRITINGS} rewritings and {MOST_LETTERS} letters")
        })?;
        let (_, end) = &path[path.len() - 1];
        check::that(end.len() >= SHORTEST_END && *end != self.start, || {
            format!("`rules` leads to {end}, which is `start` or has fewer than {SHORTEST_END} letters")
        })
    }

    /// Renames the letters.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut letters = LETTERS;
        rng.shuffle(&mut letters);
        let renamed =
            |text: &String| text.bytes().map(|letter| letters[usize::from(letter - b'A')]).collect();
        Self {
            start: renamed(&self.start),
            rules: self.rules.iter().map(|rule| rule.each_ref().map(renamed)).collect(),
        }
    }

    /// Letters numbered in order of first appearance.
    fn fingerprint(&self) -> Vec<u8> {
        let sides = self.rules.iter().flatten().map(String::as_str);
        let text = std::iter::once(self.start.as_str()).chain(sides).joined(" ");
        let mut seen: Vec<u8> = vec![b' '];
        let number = |letter: u8| {
            let known = seen.iter().position(|known| *known == letter);
            known.unwrap_or_else(|| {
                seen.push(letter);
                seen.len() - 1
            }) as u8
        };
        text.bytes().map(number).collect()
    }

    /// Adds, removes or changes a letter.
    fn edit(&mut self, aim: Aim, rng: &mut Rng) -> bool {
        let at = rng.index(self.start.len());
        let letter = self.start.as_bytes()[rng.index(self.start.len())].into();
        match aim {
            Aim::Harder => self.start.insert(at, letter),
            Aim::Easier => drop(self.start.remove(at)),
            Aim::Same => self.start.replace_range(at..=at, &letter.to_string()),
        }
        true
    }
}

impl Exact for Rewriting {
    type Of = String;

    const HALF: u64 = 250;
    const MISTAKES: &'static [Label] = &[
        ("not_finished", "the answer is an intermediate string, to which a rule still applies"),
        (
            "other_order",
            "the answer results if rules are applied to the rightmost occurrence instead of the leftmost",
        ),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "rewrite",
            "A string is rewritten step by step with these rules:\n\n{rules:{number}. {from} -> {to}}\n\nIn each step, find \
             the first rule in the list whose left side occurs in the string, and replace the leftmost occurrence of its left \
             side with its right side. Then start over with the first rule. Stop when none of the left sides occurs in the \
             string. The initial string is {start}. What is the final string?",
        ),
        Prompt::new(
            "machine",
            "String rewriting\n\nInput: {start}\nRules, in order of priority:\n{rules:{number}. {from} becomes {to}}\n\nStep: \
             apply the first rule in the list that matches anywhere in the string; if it matches in several places, apply it to \
             the leftmost one only\nRepeat until no rule matches, going back to rule 1 after each step\nOutput: the string when \
             no rule matches\n",
        ),
        Prompt::new(
            "message",
            "Could you run this search and replace by hand for me? The text is {start}, and these are the \
             replacements:\n\n{rules:{number}. replace {from} with {to}}\n\nAlways use the replacement that's highest on the \
             list, out of those that can be made at all, and make it only once, at the first place where it fits, reading from \
             left to right. After every single replacement, go back to the top of the list. Keep going until there's nothing \
             left to replace. What's the text then?",
        ),
        Prompt::held_out(
            "beads",
            "A jeweler has a row of beads; from left to right, they are {start}. Each letter stands for a kind of bead. She \
             keeps swapping groups of adjacent beads, according to this list:\n\n{rules:{number}. {from} is swapped for \
             {to}}\n\nFor each swap she goes through the list from the top and uses the first line that she can use anywhere in \
             the row. If it can be used in more than one place, she chooses the place farthest to the left. She stops when she \
             can't use any of the lines. Which beads are in the row then, written as a string from left to right?",
        ),
        Prompt::held_out(
            "code",
            "What does this Python program print?\n\nrules = [\n{rules:    (\"{from}\", \"{to}\"),}\n]\ntext = \
             \"{start}\"\nindex = 0\nwhile index < len(rules):\n    old, new = rules[index]\n    if old in text:\n        text \
             = text.replace(old, new, 1)\n        index = 0\n    else:\n        index += 1\nprint(text)\n\nNote that \
             text.replace(old, new, 1) replaces only the first occurrence of old, counted from the left. What the program \
             prints is called the final string here.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("start", &self.start);
        slots.lines("rules", (1..).zip(&self.rules), |line, (number, [from, to])| {
            line.text("number", number).text("from", from).text("to", to);
        });
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: "the final string" }
    }

    fn value(&self) -> String {
        self.end().expect("`check` has come to an end")
    }

    fn what(&self) -> String {
        "the final string".to_owned()
    }

    fn diagnosed(&self, wrong: &String, _: Failure) -> Failure {
        if self.path().unwrap_or_default().iter().any(|(_, string)| string == wrong) {
            let rule = self.next(wrong, |string, from| string.find(from)).map_or(0, |(rule, _)| rule);
            return Failure::wrong(format!("rule {rule} still applies to {wrong}")).also("not_finished");
        }
        let failure = Failure::wrong("this is not the final string");
        if self.last_places().as_ref() == Some(wrong) { failure.also("other_order") } else { failure }
    }

    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let path = self.path().unwrap_or_default();
        let (_, end) = path.last().expect("`check` has come to an end");
        let mut slipped: Vec<char> = end.chars().collect();
        for at in faults.draw(slipped.len(), rng) {
            let others: Vec<char> = LETTERS.into_iter().filter(|letter| *letter != slipped[at]).collect();
            slipped[at] = *rng.pick(&others);
        }
        let mut misses: Vec<String> = vec![slipped.into_iter().collect()];
        misses.extend([end[1..].to_owned(), format!("{end}{}", &end[..1]), end.chars().rev().collect()]);
        misses.extend(path.iter().rev().skip(1).take(3).map(|(_, string)| string.clone()));
        misses.extend(self.last_places());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let letters: Vec<char> = self.start.chars().collect();
        let count = SHORTEST_END + rng.index(letters.len().saturating_sub(SHORTEST_END) + 1);
        // Where a single rewriting leads to the end, it is the whole problem.
        let one = self.path().filter(|path| path.len() > 2).map(|mut path| path.swap_remove(1).1);
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        vec![
            ("some letters", (0..count).map(|_| *rng.pick(&letters)).collect()),
            ("one rewriting", one.unwrap_or_else(|| self.start.clone())),
            ("the letters sorted", sorted.into_iter().collect()),
            ("the last places", self.last_places().unwrap_or_else(|| self.start.clone())),
        ]
    }

    /// The rewritings. They cost the letters of all strings, scanned for a rule that applies.
    fn work(&self, work: &mut Work) {
        work.spend(self.start.len() as u64);
        for pair in self.path().unwrap_or_default().windows(2) {
            let [(_, before), (rule, after)] = pair else { unreachable!("windows have two") };
            work.hinted(
                (after.len() + rule) as u64,
                format_args!("Look at rule {rule}: it is the first that applies."),
                format_args!("{before} becomes {after} by rule {rule}"),
            );
        }
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let end = self.end().ok_or("`rules` leads to no end")?;
        let left = self.rules.iter().find(|[from, _]| end.contains(from.as_str()));
        check::that(left.is_none(), || "`rules` has one that applies to the end".to_owned())?;
        Ok(Certificate::unique(format!("no rule applies to {end}, and there is one way to it")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewriting(start: &str, rules: &[[&str; 2]]) -> Value<Rewriting> {
        let rules = rules.iter().map(|rule| rule.map(str::to_owned)).collect();
        Value(Rewriting { start: start.to_owned(), rules })
    }

    #[test]
    fn the_first_rule_and_the_leftmost_place_go_first() {
        let it = rewriting("BABAC", &[["BA", "AB"], ["BC", "C"]]);
        assert_eq!(
            it.solution().steps,
            [
                "BABAC becomes ABBAC by rule 1",
                "ABBAC becomes ABABC by rule 1",
                "ABABC becomes AABBC by rule 1",
                "AABBC becomes AABC by rule 2",
                "AABC becomes AAC by rule 2",
            ]
        );
        assert!(it.check().unwrap_err().contains("fewer than 4"));
        let longer = rewriting("BABACC", &[["BA", "AB"], ["BC", "C"]]);
        longer.check().unwrap();
        let verdict = longer.verify("AABBCC".to_owned(), &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.failures, [label::WRONG_ANSWER, "not_finished"]);
        assert_eq!(verdict.detail, "rule 2 still applies to AABBCC");
    }

    #[test]
    fn rules_without_an_end_are_refused() {
        for rules in [[["A", "AA"], ["B", "C"]], [["AB", "BA"], ["BA", "AB"]]] {
            assert!(rewriting("ABAB", &rules).check().unwrap_err().contains("no end"));
        }
    }
}
