//! Write a text that meets constraints which can be checked.

use kit::shared::instructions::{Case, Constraint, Typography};
use kit::task::form::decorated;
use kit::task::prelude::*;

pub struct OutputConstraints;

params! {
    pub struct OutputConstraintsParams {
        /// Number of constraints besides the word count, the start and the end, which are always given.
        more: u32 [0..=10],
        /// Number of lines in the text that the constraints are drawn from, each of six words or more.
        lines: u32 [1..=12],
        /// Largest number of words in that text if it is a single line of any words; 0 for lines that are
        /// sentences.
        words: u32 [0..=20],
    }
    levels {
        (0, 1, 8),
        (1, 1, 9),
        (1, 1, 0),
        (2, 2, 0),
        (3, 3, 0),
        (4, 4, 0),
        (5, 5, 0),
        (6, 7, 0),
        (8, 9, 0),
        (10, 12, 0),
    }
    default 4
    check Self::consistent;
}

/// Fewest words in a line of any words: its first two and its last two leave a gap.
const FEWEST: u32 = 5;

impl OutputConstraintsParams {
    fn consistent(&self) -> Result<(), String> {
        let Self { lines, words, .. } = self;
        check::that(*words == 0 || (*words >= FEWEST && *lines == 1), || {
            format!(
                "`words` is {words}, but must be 0, or {FEWEST} to 20 with 1 for `lines`, which is {lines}"
            )
        })
    }
}

/// Constraints, and a text that satisfies all of them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    constraints: Vec<Constraint>,
    planted: String,
}

const QUALITIES: [&str; 12] =
    ["old", "small", "quiet", "bright", "slow", "green", "clever", "warm", "gray", "brave", "tired", "round"];
const THINGS: [&str; 14] = [
    "fox", "river", "baker", "lamp", "garden", "sailor", "bridge", "clock", "village", "teacher", "horse",
    "window", "market", "stone",
];
const DEEDS: [&str; 10] = [
    "finds",
    "follows",
    "paints",
    "crosses",
    "watches",
    "carries",
    "forgets",
    "repairs",
    "remembers",
    "passes",
];
/// Words that the planted texts never have.
const FORBIDDEN: [&str; 8] = ["and", "is", "very", "of", "with", "was", "in", "his"];
const LONGEST: usize = 2_000;

impl TaskFamily for OutputConstraints {
    type Params = OutputConstraintsParams;
    type Problem = Request;

    const ABOUT: About = About {
        summary: "Write a text that meets constraints on its words, lines and letters.",
        judged_by: JudgedBy::Constraints,
        parts: &[Part::new("constraints_kept", "share of the constraints that the text meets")],
        guess_rate: 0.0005,
        guess_score: 0.34,
        skills: &["instruction_following", "counting", "planning"],
        ..About::new("formatting", "output_constraints", &["First version."])
    };

    /// Draws a text, then constraints that it satisfies.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Request> {
        loop {
            budget.spend(100)?;
            let mut lines: Vec<String> = match params.words {
                0 => (0..params.lines).map(|_| sentence(rng)).collect(),
                most => vec![any_words(rng.int(FEWEST.into(), most.into()), rng)],
            };
            if lines.len() > 2 && rng.chance(1, 2) {
                lines.insert(lines.len() / 2, String::new());
            }
            let upper = rng.chance(1, 4);
            let planted = lines.join("\n");
            let planted = if upper { planted.to_uppercase() } else { planted };
            let constraints = constraints_of(&planted, params.more as usize, rng);
            let drawn = Request { constraints, planted };
            if drawn.constraints.len() == 3 + params.more as usize && drawn.check().is_ok() {
                return Ok(drawn);
            }
        }
    }
}

/// "The old fox crosses the quiet river."
fn sentence(rng: &mut Rng) -> String {
    let mut pair = || format!("{} {}", rng.pick(&QUALITIES), rng.pick(&THINGS));
    let (one, other, third) = (pair(), pair(), pair());
    let (deed, next) = (rng.pick(&DEEDS), rng.pick(&DEEDS));
    match rng.below(3) {
        0 => format!("The {one} {deed} the {other}."),
        1 => format!("Every {one} {deed} a {other} before it {next} the {third}."),
        _ => format!("No {one} {deed} the {other} here."),
    }
}

/// "Quiet fox crosses baker warm."
fn any_words(count: i64, rng: &mut Rng) -> String {
    let all = [&QUALITIES[..], &THINGS, &DEEDS].concat();
    let line = (0..count).map(|_| *rng.pick(&all)).joined(" ");
    line[..1].to_ascii_uppercase() + &line[1..] + "."
}

/// Constraints that a text satisfies: its word count, start and end, and `more` others.
fn constraints_of(text: &str, more: usize, rng: &mut Rng) -> Vec<Constraint> {
    let exact = |count: usize| (count as u32, Some(count as u32));
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches('.').to_lowercase();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let (min, max) = exact(words.len());
    let mut all = vec![
        Constraint::Words { min, max },
        Constraint::StartsWith { text: words[..2].join(" ") },
        Constraint::EndsWith { text: words[words.len() - 2..].join(" ") },
    ];
    let letters = ['a', 'e', 'i', 'o', 'r', 's', 't'];
    let letter = |rng: &mut Rng| {
        let letter = *rng.pick(&letters);
        let count = text.chars().filter(|c| c.to_ascii_lowercase() == letter).count() as u32;
        Constraint::LetterCount { letter, min: count, max: Some(count) }
    };
    let word = bare(words[rng.index(words.len())]);
    let often = words.iter().filter(|other| bare(other) == word).count();
    // Words that no other constraint asks for.
    let (start, inner) = words.split_at(2);
    let (inner, end) = inner.split_at(inner.len() - 2);
    let mut asked: Vec<String> = start.iter().chain(end).map(|word| bare(word)).collect();
    asked.push(word.clone());
    let mut keywords: Vec<String> = (0..3).map(|_| bare(inner[rng.index(inner.len())])).collect();
    keywords.sort_unstable();
    keywords.dedup();
    keywords.retain(|word| !asked.contains(word));
    let mut forbidden = FORBIDDEN.map(str::to_owned);
    rng.shuffle(&mut forbidden);
    let size = text.chars().count() as u32;
    let upper = !text.contains(|c: char| c.is_lowercase());
    let mut others = vec![
        Constraint::ForbiddenWords { words: forbidden[..3].to_vec() },
        Constraint::KeywordCount { word, min: often as u32, max: Some(often as u32) },
        letter(rng),
        letter(rng),
        Constraint::Characters { min: size - rng.below(4) as u32, max: Some(size + rng.below(4) as u32) },
        Constraint::Lines { min: lines.len() as u32, max: Some(lines.len() as u32) },
        Constraint::Sentences { min: lines.len() as u32, max: Some(lines.len() as u32) },
        Constraint::NoCommas {},
        letter(rng),
        Constraint::Paragraphs {
            min: 1 + u32::from(text.contains("\n\n")),
            max: Some(1 + u32::from(text.contains("\n\n"))),
        },
    ];
    if !keywords.is_empty() {
        others.push(Constraint::Keywords { words: keywords });
    }
    if upper {
        others.push(Constraint::Case { case: Case::Upper });
    }
    let mut picked: Vec<Constraint> = Vec::new();
    rng.shuffle(&mut others);
    for other in others {
        // No letter is counted twice.
        let same = |known: &Constraint| match (known, &other) {
            (Constraint::LetterCount { letter, .. }, Constraint::LetterCount { letter: other, .. }) => {
                letter == other
            }
            (known, other) => known == other,
        };
        if picked.len() < more && !picked.iter().any(same) {
            picked.push(other);
        }
    }
    all.extend(picked);
    rng.shuffle(&mut all);
    all
}

/// The constraint as a sentence about "the text"; `None` for kinds that this family does not use.
fn asked(constraint: &Constraint) -> Option<String> {
    let listed = |words: &[String]| words.join(", ");
    let counted = |min: u32, max: Option<u32>, one: &str, many: &str| match max {
        Some(max) if max == min => format!("exactly {min} {}", if min == 1 { one } else { many }),
        Some(max) => format!("{min} to {max} {many}"),
        None => format!("{min} {many} or more"),
    };
    Some(match constraint {
        Constraint::Words { min, max } => format!("It has {}.", counted(*min, *max, "word", "words")),
        Constraint::Characters { min, max } => {
            format!(
                "It has {}, including spaces and line breaks.",
                counted(*min, *max, "character", "characters")
            )
        }
        Constraint::Lines { min, max } => {
            format!("It has {}, not counting empty ones.", counted(*min, *max, "line", "lines"))
        }
        Constraint::Sentences { min, max } => format!(
            "It has {}. A sentence contains a letter or a digit. It ends with a period, an exclamation mark or a question mark \
             that is followed by white space (quotes and other punctuation may come in between), or at the end of its line.",
            counted(*min, *max, "sentence", "sentences")
        ),
        Constraint::Paragraphs { min, max } => {
            let counted = counted(*min, *max, "paragraph", "paragraphs");
            format!("It has {counted}. Paragraphs are separated by empty lines.")
        }
        Constraint::LetterCount { letter, min, max } => {
            let counted = counted(*min, *max, "time", "times");
            format!("The letter {letter} appears {counted}, counting upper and lower case alike.")
        }
        Constraint::KeywordCount { word, min, max } => {
            let counted = counted(*min, *max, "time", "times");
            format!("The word {word} appears {counted}, counting upper and lower case alike.")
        }
        Constraint::Keywords { words } => match &words[..] {
            [word] => format!("It contains this word, in upper or lower case: {word}."),
            words => format!("It contains each of these words, in upper or lower case: {}.", listed(words)),
        },
        Constraint::ForbiddenWords { words } => {
            format!("It does not contain any of these words, in upper or lower case: {}.", listed(words))
        }
        Constraint::StartsWith { text } => format!("It starts with: {text}"),
        Constraint::EndsWith { text } => format!("It ends with: {text}"),
        Constraint::NoCommas {} => "It does not contain any commas.".to_owned(),
        Constraint::Case { case: Case::Upper } => "All of its letters are uppercase.".to_owned(),
        Constraint::Case { case: Case::Lower } => "All of its letters are lowercase.".to_owned(),
        _ => return None,
    })
}

/// True if the words and numbers of a constraint are short enough for a prompt.
fn is_short(constraint: &Constraint) -> bool {
    let plain = |text: &str| {
        text.len() <= 60
            && text.bytes().all(|byte| byte == b' ' || byte == b'.' || byte.is_ascii_alphanumeric())
    };
    match constraint {
        Constraint::Keywords { words } | Constraint::ForbiddenWords { words } => {
            words.len() <= 6 && words.iter().all(|word| plain(word))
        }
        Constraint::KeywordCount { word, .. } => plain(word),
        Constraint::StartsWith { text } | Constraint::EndsWith { text } => plain(text),
        Constraint::LetterCount { letter, .. } => letter.is_ascii_lowercase(),
        _ => true,
    }
}

/// The rule on matching the words that a constraint names.
const NAMED: &str = " A word named above counts wherever it appears with no letter, digit or underscore directly before or \
                     after it: window-sill contains the word window, but windows does not.";

impl Request {
    /// Definitions of the terms in its constraints, beyond those that hold for words in general.
    fn terms(&self) -> &'static str {
        let names_words = |constraint: &Constraint| {
            matches!(
                constraint,
                Constraint::Keywords { .. }
                    | Constraint::ForbiddenWords { .. }
                    | Constraint::KeywordCount { .. }
            )
        };
        if self.constraints.iter().any(names_words) { NAMED } else { "" }
    }

    fn listed(&self) -> String {
        let line = |(at, constraint): (usize, &Constraint)| {
            format!("{at}. {}", asked(constraint).unwrap_or_default())
        };
        (1..).zip(&self.constraints).map(line).lines()
    }

    /// Number of constraints that a text satisfies, and the fault in the first that it does not.
    fn judged(&self, text: &str, budget: &mut Budget) -> Result<(usize, Option<String>), OverBudget> {
        let (mut kept, mut first) = (0, None);
        for (at, constraint) in self.constraints.iter().enumerate() {
            match constraint.judge(text, Typography::Plain, budget)? {
                Ok(()) => kept += 1,
                Err(broken) => first = first.or_else(|| Some(format!("constraint {}: {broken}", at + 1))),
            }
        }
        Ok((kept, first))
    }
}

impl Problem for Request {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("constraints", |request| {
            format!(
                "Write a text that meets all of the following constraints. What it is about does not matter.\n\n{}\n\nWords \
                 are separated by white space, and anything without a letter or a digit in it is not a word.{}",
                request.listed(),
                request.terms()
            )
        }),
        Template::plain("editor", |request| {
            format!(
                "I need some placeholder text for a page layout. It can say anything, even nonsense, but our checker insists on \
                 all of these points:\n\n{}\n\n(Words are separated by white space, and it doesn't count anything that \
                 has no letter or digit in it.{}) Could you write one for me?",
                request.listed(),
                request.terms()
            )
        }),
        Template::plain("poet", |request| {
            format!(
                "A poet has lost a page and remembers nothing of its content, only these facts about the text on it:\n\n{}\n\nFor \
                 the poet, words are separated by white space, and each has at least one letter or digit in it.{} Write a \
                 text for which all of these facts are true. Any such text will do.",
                request.listed(),
                request.terms()
            )
        }),
        Template::held_out_plain("printer", |request| {
            format!(
                "A print shop wants to test its new press with a text that has all of these properties:\n\n{}\n\nWhite space \
                 separates words, and what has neither a letter nor a digit in it does not count as one.{} Make up such a text; \
                 its content is up to you.",
                request.listed(),
                request.terms()
            )
        }),
        Template::held_out_plain("spec", |request| {
            format!(
                "Generate a text that satisfies every condition. Content: arbitrary.\n\n{}\n\nDefinition of a word: a maximal \
                 sequence of characters other than white space that includes at least one letter or digit.{}",
                request.listed(),
                request.terms()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::within("planted", &self.planted.len(), 1..=LONGEST)?;
        check::length("constraints", &self.constraints, 3..=14, "constraints")?;
        for (at, constraint) in self.constraints.iter().enumerate() {
            constraint.check().map_err(|fault| format!("`constraints[{at}]`: {fault}"))?;
            check::that(asked(constraint).is_some() && is_short(constraint), || {
                format!("`constraints[{at}]` is of a kind or a size that is not asked for here")
            })?;
        }
        let fixed = |kind: fn(&Constraint) -> bool| self.constraints.iter().any(kind);
        let framed = fixed(|one| matches!(one, Constraint::StartsWith { .. }))
            && fixed(|one| matches!(one, Constraint::EndsWith { .. }))
            && fixed(|one| matches!(one, Constraint::Words { min, max } if Some(*min) == *max));
        check::that(framed, || "`constraints` must have a start, an end and a number of words".to_owned())?;
        let judged = self.judged(&self.planted, &mut Budget::unlimited());
        check::that(judged.is_ok_and(|(_, first)| first.is_none()), || {
            "`planted` breaks a constraint".to_owned()
        })
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        for (at, constraint) in self.constraints.iter().enumerate() {
            let judged = constraint
                .judge(&self.planted, Typography::Plain, budget)
                .map_err(|over| over.to_string())?;
            judged.map_err(|broken| format!("`planted` breaks `constraints[{at}]`: {broken}"))?;
        }
        Ok(Certificate::solvable(format!("a text meets all {} constraints", self.constraints.len())))
    }

    fn form(&self) -> impl Form<Read = String> {
        FreeText
    }

    fn solution(&self) -> Solution {
        let step = |(at, constraint): (usize, &Constraint)| {
            let words = words::count(self.planted.split_whitespace().count(), "word");
            let said = asked(constraint).unwrap_or_default();
            format!("the text of {words} meets constraint {at}: {said}")
        };
        Solution::new((1..).zip(&self.constraints).map(step), &self.planted)
    }

    /// The score starts at half of the constraints, which any text satisfies.
    fn verify(&self, answer: String, budget: &mut Budget) -> Judged {
        let (kept, first) = self.judged(&answer, budget)?;
        let Some(broken) = first else { return Ok(()) };
        let share = kept as f32 / self.constraints.len() as f32;
        Err(Failure::new(label::CONSTRAINT_VIOLATED, broken)
            .score(2.0 * share - 1.0)
            .part("constraints_kept", share))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let words: Vec<&str> = self.planted.split(' ').collect();
        let left = faults.draw(words.len(), rng);
        let fewer: Vec<&str> = (0..words.len()).filter(|at| !left.contains(at)).map(|at| words[at]).collect();
        let more: Vec<&str> = words.iter().copied().chain(left.iter().map(|at| words[*at])).collect();
        vec![
            fewer.join(" "),
            more.join(" "),
            format!("Well, {}", self.planted),
            format!("{} Yes, yes.", self.planted),
        ]
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, String)> {
        let of = |kind: fn(&Constraint) -> Option<&String>| {
            self.constraints.iter().find_map(kind).cloned().unwrap_or_default()
        };
        let start = of(|one| if let Constraint::StartsWith { text } = one { Some(text) } else { None });
        let end = of(|one| if let Constraint::EndsWith { text } = one { Some(text) } else { None });
        vec![
            ("the start and the end alone", format!("{start} {end}")),
            ("a sentence of its own", "The old fox crosses the river.".to_owned()),
        ]
    }

    /// Reorders the constraints.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.constraints);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let text =
            |constraint: &Constraint| serde_json::to_string(constraint).expect("constraints serialize");
        let mut constraints: Vec<String> = self.constraints.iter().map(text).collect();
        constraints.sort_unstable();
        constraints.join("\n").into_bytes()
    }

    /// Every word checked against every constraint.
    fn effort(&self) -> Effort {
        Effort::new((self.planted.split_whitespace().count() * self.constraints.len()) as u64, 250)
    }
}

/// Any text of one line or more.
struct FreeText;

impl Form for FreeText {
    type Read = String;

    fn asks(&self) -> String {
        "Write the text, with nothing added to it,".to_owned()
    }

    fn read(&self, text: &str) -> Result<String, Failure> {
        if text.is_empty() { Err(Failure::malformed("the text is empty")) } else { Ok(text.to_owned()) }
    }

    fn write(&self, answer: &String) -> String {
        answer.clone()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("Here is the text: {right}"),
            format!("{right}\n\nThis text keeps to all constraints."),
            format!("{right}\n{right}"),
            format!("- {right}"),
            format!("> {right}"),
            right.replace(' ', ""),
            right.replace(' ', "_"),
        ]);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constraint_drawn_is_true_and_said() {
        let mut rng = kit::rng::Key::new("constraints", 1, "", 0, "").stream(0);
        let (short, long) = OutputConstraintsParams::LEVELS.split_at(2);
        for level in long.iter().cycle().take(200).chain(short.iter().cycle().take(40)) {
            let request = OutputConstraints.generate(level, &mut rng, &mut Budget::new(100_000)).unwrap();
            assert!(request.certify(&mut Budget::new(1_000_000)).is_ok());
            assert_eq!(request.constraints.len(), 3 + level.more as usize, "{}", request.listed());
        }
    }

    #[test]
    fn no_word_is_asked_for_twice() {
        let mut rng = kit::rng::Key::new("constraints", 1, "", 0, "").stream(1);
        let mut seen = 0;
        for level in OutputConstraintsParams::LEVELS.iter().cycle().take(400) {
            let request = OutputConstraints.generate(level, &mut rng, &mut Budget::new(100_000)).unwrap();
            let (mut keywords, mut others) = (Vec::new(), Vec::new());
            for constraint in &request.constraints {
                match constraint {
                    Constraint::Keywords { words } => keywords.clone_from(words),
                    Constraint::StartsWith { text } | Constraint::EndsWith { text } => {
                        others.extend(text.split(' ').map(|word| word.trim_matches('.').to_lowercase()));
                    }
                    Constraint::KeywordCount { word, .. } => others.push(word.clone()),
                    _ => {}
                }
            }
            seen += usize::from(!keywords.is_empty());
            assert!(keywords.iter().all(|word| !others.contains(word)), "{}", request.listed());
        }
        assert!(seen > 100);
    }

    /// Each text is counted by hand, following the prompt.
    #[test]
    fn texts_are_counted_as_the_prompt_says() {
        let count = |constraint: &str, text: &str| {
            let counts = (0..9).filter(|count| {
                let bounds = format!(r#"{{{constraint},"min":{count},"max":{count}}}"#);
                let constraint: Constraint = serde_json::from_str(&bounds).unwrap();
                constraint.judge(text, Typography::Plain, &mut Budget::unlimited()).unwrap().is_ok()
            });
            counts.collect::<Vec<u32>>()
        };
        for (constraint, text, counted) in [
            (r#""kind":"sentences""#, "The fox zq.rt sees. It runs!", 2),
            (r#""kind":"sentences""#, "He says \"no.\" Then (why?) he sleeps", 3),
            (r#""kind":"sentences""#, "A river\nA fox... !\n. .", 2),
            (r#""kind":"sentences""#, "A river\u{2026} A fox.\u{2026}\tIt runs", 2),
            (r#""kind":"words""#, "window-q is - one_1 window.", 4),
            (r#""kind":"words""#, "A\tfox\u{a0}runs", 3),
            (
                r#""kind":"keyword_count","word":"window""#,
                "Window-q windows (WINDOW) window_s awindow window's",
                3,
            ),
            (r#""kind":"paragraphs""#, "One\ntwo\n\n\nthree", 2),
            (r#""kind":"lines""#, "One\ntwo\n\n  \nthree", 3),
            (r#""kind":"characters""#, " One\ntwo ", 7),
            (r#""kind":"letter_count","letter":"o""#, "One two O'", 3),
        ] {
            assert_eq!(count(constraint, text), [counted], "{constraint}: {text}");
        }
    }

    #[test]
    fn a_prompt_that_names_words_says_where_they_count() {
        let prompt = |constraint: &str| {
            let constraints = format!(
                r#"[{{"kind":"words","min":2,"max":2}},{{"kind":"starts_with","text":"The"}},
                    {{"kind":"ends_with","text":"fox"}},{constraint}]"#
            );
            let constraints = serde_json::from_str(&constraints).unwrap();
            let request = Request { constraints, planted: "The fox".to_owned() };
            request.check().unwrap();
            let mut rng = kit::rng::Key::new("constraints", 1, "", 0, "").stream(0);
            Request::TEMPLATES
                .iter()
                .map(|template| template.word(&request, kit::task::style::Choices::From(&mut rng)))
                .collect()
        };
        for (constraint, is_said) in [
            (r#"{"kind":"keywords","words":["fox"]}"#, true),
            (r#"{"kind":"forbidden_words","words":["and"]}"#, true),
            (r#"{"kind":"keyword_count","word":"fox","min":1,"max":1}"#, true),
            (r#"{"kind":"no_commas"}"#, false),
        ] {
            let prompts: Vec<String> = prompt(constraint);
            assert!(prompts.iter().all(|prompt| prompt.contains(NAMED) == is_said), "{prompts:?}");
        }
    }

    #[test]
    fn the_share_kept_is_the_score() {
        let constraints = r#"[{"kind":"words","min":4,"max":4},{"kind":"starts_with","text":"The fox"},
            {"kind":"ends_with","text":"a river."},{"kind":"letter_count","letter":"r","min":2,"max":2}]"#;
        let constraints = serde_json::from_str(constraints).unwrap();
        let request = Request { constraints, planted: "The fox\n\na river.".to_owned() };
        request.check().unwrap();
        for (text, score) in [
            ("The fox a river.", 1.0),
            ("The fox of a river.", 0.5),
            ("THE FOX A RIVER.", 0.0),
            ("river", 0.0),
        ] {
            let verdict = kit::testing::verdict(&request, text);
            assert!((verdict.score - score).abs() < 1e-6, "{text}: {verdict:?}");
        }
        let verdict = request.verify("The fox of a river.".to_owned(), &mut Budget::new(10_000)).unwrap_err();
        assert_eq!(verdict.detail, "constraint 1: there are 5 words, but at most 4 may be there");
    }
}
