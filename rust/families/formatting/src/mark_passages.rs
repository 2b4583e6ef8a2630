//! Find passages of a text by their format, and write them in another format.

mod lines;
mod mark;

use kit::words::there_are;
use std::collections::BTreeMap;

use self::lines::Lines;
use self::mark::{Mark, marked};
use kit::similarity;
use kit::task::permutation;
use kit::task::prelude::*;

pub struct MarkPassages;

params! {
    pub struct MarkPassagesParams {
        /// Number of passages in the text, each in some format.
        passages: u32 [3..=80],
        /// Number of different formats in the text.
        marks: u32 [2..=8],
        /// Number of passages to find.
        requests: u32 [2..=12],
        /// True if some passages are described by the passage before or after them.
        neighbors: bool [structure],
    }
    levels {
        (6, 2, 2, false),
        (9, 2, 3, false),
        (12, 2, 3, false),
        (14, 2, 4, true),
        (18, 3, 4, true),
        (23, 3, 5, true),
        (30, 4, 6, true),
        (40, 5, 7, true),
        (54, 6, 9, true),
        (72, 7, 12, true),
    }
    default 4
    check Self::consistent;
}

impl MarkPassagesParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.requests <= self.passages, || {
            let (requests, passages) = (self.requests, self.passages);
            format!("`requests` is {requests}, but must be at most `passages`, which is {passages}")
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Passage {
    words: String,
    mark: Mark,
    /// Index of the sentence around it.
    frame: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// The passage to count from: the `place`-th with this mark, from the end if `from_end`.
    mark: Mark,
    place: usize,
    from_end: bool,
    /// Offset of the requested passage from that one: -1, 0 or 1.
    shift: i8,
    to: Mark,
}

/// A text of marked passages, and requests for some of them in new marks.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    passages: Vec<Passage>,
    requests: Vec<Request>,
}

const FRAMES: [[&str; 2]; 14] = [
    ["Near the mill they saw the ", " again."],
    ["Nobody had expected the ", " so early."],
    ["In the evening the ", " came back to mind."],
    ["Her letter praises the ", " more than once."],
    ["For the fair they chose the ", " at last."],
    ["The ", " was missing from the list."],
    ["On the second page the ", " is drawn in ink."],
    ["Children ask about the ", " every year."],
    ["There was talk of the ", " in town."],
    ["An old map shows the ", " in the north."],
    ["He dreamed of the ", " for weeks."],
    ["Without the ", " nothing would have changed."],
    ["At the gate stood the ", ", as promised."],
    ["We owe this to the ", " alone."],
];
const QUALITIES: [&str; 14] = [
    "old", "small", "quiet", "bright", "slow", "green", "clever", "warm", "gray", "brave", "tired", "round",
    "broken", "golden",
];
const THINGS: [&str; 16] = [
    "fox", "river", "baker", "lamp", "garden", "sailor", "bridge", "clock", "village", "teacher", "horse",
    "window", "market", "stone", "wheel", "orchard",
];
/// Scores start above this character ratio, as other passages come close to it.
const BY_CHANCE: f32 = 2.0 / 3.0;

impl TaskFamily for MarkPassages {
    type Params = MarkPassagesParams;
    type Problem = Text;

    const ABOUT: About = About {
        summary: "Find passages of a text by their format, and write them in another format.",
        distinct_from: 1,
        failures: &[
            ("wrong_number_of_lines", "there are more or fewer lines than passages asked for"),
            ("wrong_mark", "a passage is not in the format asked for"),
            ("wrong_passage", "a passage is not the one asked for, or its words are changed"),
        ],
        parts: &[
            Part::new("right_lines", "share of the lines that are right"),
            Part::new(
                "character_ratio",
                "mean of difflib's ratio over the lines, a tenth of it where the format is wrong; 0 if any line has 0",
            ),
        ],
        guess_rate: 0.11,
        guess_score: 0.19,
        skills: &["extraction", "formatting", "counting"],
        ..About::new("formatting", "mark_passages", &["First version."])
    };

    /// Draws texts until the requests go beyond the first passages with each mark.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Text> {
        let [passages, marks, requests] =
            [params.passages, params.marks, params.requests].map(|n| n as usize);
        loop {
            budget.spend(u64::from(params.passages))?;
            let mut known = Mark::ALL;
            rng.shuffle(&mut known);
            let pairs = permutation::random(QUALITIES.len() * THINGS.len(), rng);
            let passage = |pair: &usize, rng: &mut Rng| Passage {
                words: format!("{} {}", QUALITIES[pair % QUALITIES.len()], THINGS[pair / QUALITIES.len()]),
                mark: *rng.pick(&known[..marks]),
                frame: rng.index(FRAMES.len()),
            };
            let passages = pairs[..passages].iter().map(|pair| passage(pair, rng)).collect();
            let mut text = Text { passages, requests: Vec::new() };
            let mut asked: Vec<usize> = permutation::random(text.passages.len(), rng);
            asked.truncate(requests);
            text.requests = asked.iter().map(|at| text.request(*at, params.neighbors, rng)).collect();
            let first = |request: &Request| request.place == 1 && request.shift == 0;
            if text.check().is_ok() && !text.requests.iter().all(first) {
                return Ok(text);
            }
        }
    }
}

impl Text {
    /// Requests a passage in one of the ways in which it can be found.
    fn request(&self, at: usize, neighbors: bool, rng: &mut Rng) -> Request {
        let shift = if neighbors { rng.below(3) as i8 - 1 } else { 0 };
        let from = at.checked_add_signed(-isize::from(shift)).filter(|from| *from < self.passages.len());
        let (from, shift) = from.map_or((at, 0), |from| (from, shift));
        let mark = self.passages[from].mark;
        let same = |range: &[Passage]| range.iter().filter(|passage| passage.mark == mark).count();
        let (before, after) = (same(&self.passages[..=from]), same(&self.passages[from..]));
        let from_end = rng.chance(1, 3);
        let to = loop {
            let to = *rng.pick(&Mark::ALL);
            if to != self.passages[at].mark {
                break to;
            }
        };
        Request { mark, place: if from_end { after } else { before }, from_end, shift, to }
    }

    /// The passages with a mark.
    fn with(&self, mark: Mark) -> Vec<usize> {
        (0..self.passages.len()).filter(|at| self.passages[*at].mark == mark).collect()
    }

    /// The requested passage.
    fn asked(&self, request: &Request) -> Option<usize> {
        let with = self.with(request.mark);
        let place = request.place.checked_sub(1)?;
        let from = if request.from_end { with.iter().rev().nth(place) } else { with.get(place) };
        let at = from?.checked_add_signed(isize::from(request.shift))?;
        (at < self.passages.len()).then_some(at)
    }

    /// Indices of the requested passages.
    fn found(&self) -> Vec<usize> {
        self.requests.iter().map(|request| self.asked(request).expect("`check` has found it")).collect()
    }

    /// Answer lines for these passages.
    fn lines(&self, passages: &[usize]) -> Vec<String> {
        let line = |(request, at): (&Request, &usize)| request.to.put_on(&self.passages[*at].words);
        self.requests.iter().zip(passages).map(line).collect()
    }

    fn written(&self) -> String {
        let sentence = |passage: &Passage| {
            let [before, after] = FRAMES[passage.frame];
            format!("{before}{}{after}", passage.mark.put_on(&passage.words))
        };
        self.passages.iter().map(sentence).joined(" ")
    }

    /// The rules on old formats and on neighbors, for the prompt.
    fn rules(&self) -> String {
        let neighbors = self.requests.iter().any(|request| request.shift != 0);
        format!("{RULE}{}", if neighbors { NEIGHBORS } else { "" })
    }

    /// Examples of the formats in the text and in the requests, for the prompt.
    fn legend(&self) -> String {
        let of_text = self.passages.iter().map(|passage| passage.mark);
        let mut marks: Vec<Mark> = of_text.chain(self.requests.iter().map(|request| request.to)).collect();
        marks.sort_unstable();
        marks.dedup();
        let line = |mark: &Mark| format!("- {}: {}", mark.name(), mark.put_on("like this"));
        marks.iter().map(line).lines()
    }

    /// Each request, numbered.
    fn asks(&self, line: impl Fn(&str, &str) -> String) -> String {
        let request = |(number, request): (usize, &Request)| {
            let mark = request.mark.name();
            let place = match (request.place, request.from_end) {
                (1, true) => "last".to_owned(),
                (place, true) => format!("{}-to-last", words::ordinal(place)),
                (place, false) => words::ordinal(place),
            };
            let one = match request.shift {
                0 => format!("the {place} passage in {mark}"),
                -1 => format!("the passage right before the {place} one in {mark}"),
                _ => format!("the passage right after the {place} one in {mark}"),
            };
            format!("{number}. {}", line(&one, request.to.name()))
        };
        (1..).zip(&self.requests).map(request).lines()
    }
}

/// The rule on old formats.
const RULE: &str =
    "The new format replaces the old one, and a passage that was in capitals becomes lowercase first.";
/// The rule on counting, used if requests refer to neighbors.
const NEIGHBORS: &str = " A passage right before or after another one may be in any format.";

impl Problem for Text {
    type Answer = Vec<String>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("passages", |text| {
            format!(
                "In the following text, every sentence contains one specially formatted passage:\n\n{}\n\nThese are the \
                 formats:\n\n{}\n\nFind the passages described below, in the order of the list, and write each one in the new \
                 format. {}\n\n{}\n",
                text.written(),
                text.legend(),
                text.rules(),
                text.asks(|one, to| format!("{one}, now in {to}"))
            )
        }),
        Template::plain("editor", |text| {
            format!(
                "An editor is collecting phrases from a text and wants them in a different style. The styles are:\n\n{}\n\nThe \
                 text has one styled passage in each sentence:\n\n{}\n\nThe editor's notes say:\n\n{}\n\n{}",
                text.legend(),
                text.written(),
                text.asks(|one, to| format!("Take {one} and put it in {to}.")),
                text.rules()
            )
        }),
        Template::plain("newsletter", |text| {
            format!(
                "Can you pull a few phrases out of this text for our newsletter? There's one formatted passage in each \
                 sentence.\n\n{}\n\nHere is what I need, with the format I want it in:\n\n{}\n\n{} In case you wonder what the \
                 formats look like:\n\n{}\n",
                text.written(),
                text.asks(|one, to| format!("{one} (in {to})")),
                text.rules(),
                text.legend()
            )
        }),
        Template::held_out_plain("quotes", |text| {
            format!(
                "{}\n\nEach of these sentences contains a passage that stands out by its format. Quote the passages listed here, \
                 each in a new format:\n\n{}\n\n{} For reference:\n\n{}\n",
                text.written(),
                text.asks(|one, to| format!("{one} - in {to}")),
                text.rules(),
                text.legend()
            )
        }),
        Template::held_out_plain("spec", |text| {
            format!(
                "Formats:\n{}\n\nText (one formatted passage per sentence):\n{}\n\nExtract these passages and convert them to the \
                 target format:\n{}\n\n{}",
                text.legend(),
                text.written(),
                text.asks(|one, to| format!("{one} -> {to}")),
                text.rules()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("passages", &self.passages, 3..=100, "passages")?;
        check::length("requests", &self.requests, 2..=14, "requests")?;
        let all: Vec<&String> = self.passages.iter().map(|passage| &passage.words).collect();
        check::each("passages", all.iter().copied(), |words| is_plain(words), "must be two words or three")?;
        check::distinct("passages", &all)?;
        for (at, passage) in self.passages.iter().enumerate() {
            check::within(&format!("passages[{at}].frame"), &passage.frame, 0..=FRAMES.len() - 1)?;
        }
        let mut asked = Vec::new();
        for (at, request) in self.requests.iter().enumerate() {
            check::within(&format!("requests[{at}].shift"), &request.shift, -1..=1)?;
            let found = self.asked(request);
            let found = found.ok_or_else(|| format!("`requests[{at}]` does not describe a passage"))?;
            check::that(self.passages[found].mark != request.to, || {
                format!("`requests[{at}]` asks for the format that the passage already has")
            })?;
            asked.push(found);
        }
        asked.sort_unstable();
        let each_once = asked.is_sorted_by(|a, b| a < b);
        check::that(each_once, || "`requests` describe a passage twice".to_owned())
    }

    /// The marks are read back from the written text.
    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let written = self.written();
        let found = marked(&written);
        let known = self.passages.iter().map(|passage| (passage.mark, passage.words.clone()));
        check::that(known.eq(found), || "`passages` cannot be told apart in the text".to_owned())?;
        Ok(Certificate::unique(format!("each of {} requests describes one passage", self.requests.len())))
    }

    /// Adds or removes a request, or changes the mark of a passage.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        match aim {
            Aim::Harder => {
                let new = self.request(rng.index(self.passages.len()), true, rng);
                mutated.requests.push(new);
            }
            Aim::Easier => drop(mutated.requests.pop()),
            Aim::Same => {
                let at = rng.index(self.passages.len());
                mutated.passages[at].mark = rng.pick(&self.passages).mark;
            }
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<String>> {
        Lines { count: self.requests.len() }
    }

    fn solution(&self) -> Solution {
        let found = self.found();
        let lines = self.lines(&found);
        let step = |(at, line): (&usize, &String)| {
            let passage = &self.passages[*at];
            format!(
                "the passage asked for is number {} in the text, in {}: {} becomes {line}",
                at + 1,
                passage.mark.name(),
                passage.mark.put_on(&passage.words)
            )
        };
        Solution::new(found.iter().zip(&lines).map(step), self.form().write(&lines))
    }

    fn verify(&self, answer: Vec<String>, budget: &mut Budget) -> Judged {
        let right = self.lines(&self.found());
        if answer.len() != right.len() {
            let detail = format!("{}, but there should be {}", there_are(answer.len(), "line"), right.len());
            return Err(Failure::wrong(detail).also("wrong_number_of_lines"));
        }
        let mut failure: Option<Failure> = None;
        let (mut sum, mut one_has_none, mut count) = (0.0, false, 0);
        for (at, (line, right)) in answer.iter().zip(&right).enumerate() {
            if line == right {
                (sum, count) = (sum + 1.0, count + 1);
                continue;
            }
            let (mark, wanted) = (Mark::of(line).map(|(mark, _)| mark), self.requests[at].to);
            let (share, label) =
                if mark == Some(wanted) { (1.0, "wrong_passage") } else { (0.1, "wrong_mark") };
            let ratio = share * similarity::chars_ratio(line, right, budget)? as f32;
            one_has_none |= ratio <= 0.0;
            sum += ratio;
            let detail = || format!("line {} is `{}`, but should be `{right}`", at + 1, quoted(line));
            failure = Some(failure.unwrap_or_else(|| Failure::wrong(detail())).also(label));
        }
        let Some(failure) = failure else { return Ok(()) };
        let lines = right.len() as f32;
        let ratio = if one_has_none { 0.0 } else { sum / lines };
        Err(failure
            .score((ratio - BY_CHANCE) / (1.0 - BY_CHANCE))
            .part("right_lines", count as f32 / lines)
            .part("character_ratio", ratio))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<String>> {
        let found = self.found();
        let right = self.lines(&found);
        let spoilt = faults.draw(right.len(), rng);
        // The passage after the right one, the old mark kept, no mark, a missing letter, and exchanged lines.
        let mut others = found.clone();
        for at in &spoilt {
            others[*at] = (found[*at] + 1) % self.passages.len();
        }
        let mut wrong = vec![self.lines(&others); 4];
        for (miss, change) in wrong[1..].iter_mut().zip(0..) {
            miss.clone_from(&right);
            for at in &spoilt {
                let passage = &self.passages[found[*at]];
                miss[*at] = match change {
                    0 => passage.mark.put_on(&passage.words),
                    1 => passage.words.clone(),
                    _ => self.requests[*at].to.put_on(&passage.words[1..]),
                };
            }
        }
        let mut turned = right.clone();
        turned.rotate_left(1);
        wrong.extend([turned, right[1..].to_vec(), [right.as_slice(), &right[..1]].concat()]);
        wrong.retain(|lines| *lines != right);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<String>)> {
        let count = self.passages.len();
        let any: Vec<usize> = self.requests.iter().map(|_| rng.index(count)).collect();
        let marked: Vec<usize> =
            self.requests.iter().map(|request| *rng.pick(&self.with(request.mark))).collect();
        let first: Vec<usize> = self.requests.iter().map(|request| self.with(request.mark)[0]).collect();
        vec![
            ("any passages in the new formats", self.lines(&any)),
            ("any passages with the format named", self.lines(&marked)),
            ("the first passages with the format named", self.lines(&first)),
        ]
    }

    /// Changes marks and sentences, and reorders the requests.
    fn twin(&self, rng: &mut Rng) -> Self {
        let marks = permutation::random(Mark::ALL.len(), rng);
        let other = |mark: Mark| Mark::ALL[marks[mark as usize]];
        let mut twin = self.clone();
        rng.shuffle(&mut twin.requests);
        for request in &mut twin.requests {
            (request.mark, request.to) = (other(request.mark), other(request.to));
        }
        for passage in &mut twin.passages {
            (passage.mark, passage.frame) = (other(passage.mark), rng.index(FRAMES.len()));
        }
        twin
    }

    /// Marks numbered in order of appearance. Of each new mark, only whether the text has it counts.
    fn fingerprint(&self) -> Vec<u8> {
        let mut known: BTreeMap<Mark, u8> = BTreeMap::new();
        for passage in &self.passages {
            let next = known.len() as u8;
            known.entry(passage.mark).or_insert(next);
        }
        let request = |request: &Request| {
            let to = known.get(&request.to).copied().unwrap_or(u8::MAX);
            vec![
                known[&request.mark],
                request.place as u8,
                u8::from(request.from_end),
                request.shift as u8,
                to,
            ]
        };
        let mut requests: Vec<Vec<u8>> = self.requests.iter().map(request).collect();
        requests.sort_unstable();
        let marks = self.passages.iter().map(|passage| known[&passage.mark]).collect();
        requests.into_iter().chain([marks]).flatten().collect()
    }

    /// Passages scanned to reach each requested one.
    fn effort(&self) -> Effort {
        let passed = |request: &Request| {
            let at = self.asked(request).expect("`check` has found it");
            1 + if request.from_end { self.passages.len() - at } else { at }
        };
        Effort::new(self.requests.iter().map(passed).sum::<usize>() as u64, 100)
    }
}

/// Two or three words of two letters or more.
fn is_plain(words: &str) -> bool {
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.len() <= 40 && (2..=3).contains(&words.split(' ').count()) && words.split(' ').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Text {
        let passage = |words: &str, mark, frame| Passage { words: words.to_owned(), mark, frame };
        let request = |mark, place, from_end, shift, to| Request { mark, place, from_end, shift, to };
        Text {
            passages: vec![
                passage("old fox", Mark::Bold, 0),
                passage("gray lamp", Mark::Capitals, 5),
                passage("slow clock", Mark::Bold, 12),
                passage("warm stone", Mark::Italics, 13),
            ],
            requests: vec![
                request(Mark::Bold, 2, false, 0, Mark::TripleAsterisks),
                request(Mark::Italics, 1, true, -1, Mark::Code),
                request(Mark::Bold, 2, true, 1, Mark::Parentheses),
            ][..]
                .to_vec(),
        }
    }

    #[test]
    fn marks_are_read_off_the_text() {
        let mut text = text();
        text.requests.remove(1);
        text.check().unwrap();
        assert!(text.certify(&mut Budget::new(1)).is_ok());
        assert_eq!(text.solution().answer, "***slow clock***\n(gray lamp)");
        for mark in Mark::ALL {
            let line = mark.put_on("old fox");
            assert_eq!(marked(&format!("The {line} was here.")), [(mark, "old fox".to_owned())]);
            assert_eq!(Mark::of(&line).map(|(found, _)| found), Some(mark), "{line}");
        }
    }

    #[test]
    fn a_request_may_not_name_a_passage_twice_or_none() {
        // The second request is for the slow clock, as is the first.
        assert_eq!(text().check().unwrap_err(), "`requests` describe a passage twice");
        let mut none = text();
        none.requests[1].place = 2;
        assert_eq!(none.check().unwrap_err(), "`requests[1]` does not describe a passage");
    }

    #[test]
    fn a_wrong_mark_costs_nine_tenths_of_its_line() {
        let mut text = text();
        text.requests.remove(1);
        let judge = |lines: &str| kit::testing::verdict(&text, lines);
        assert!(judge("  ***slow clock***\n\n(gray lamp)\r\n").passed);
        for (lines, label, ratio) in [
            ("**slow clock**\n(gray lamp)", "wrong_mark", f32::midpoint(1.0, 0.1 * 28.0 / 30.0)),
            ("***slow clock***\n(grey lamp)", "wrong_passage", f32::midpoint(1.0, 20.0 / 22.0)),
            ("***slow clock***\n0", "wrong_mark", 0.0),
            ("***slow clock***", "wrong_number_of_lines", 0.0),
        ] {
            let verdict = judge(lines);
            assert!(verdict.failures.contains(&label), "{lines}: {verdict:?}");
            let found = verdict.parts.get(1).map_or(0.0, |(_, ratio)| *ratio);
            assert!((found - ratio).abs() < 1e-6, "{lines}: {verdict:?}");
        }
    }
}
