//! Wrong judges, planted in place of a family's own: the answers that contracts verify must tell each of them from a
//! right one. A judge is planted where it would pay an answer that it should refuse; then one of the family's own wrong
//! answers must be such an answer, or no contract would notice. Where a problem has one answer, any that its form reads
//! as another one is wrong as well, whatever the judge says.

use reasonenv::rng::Rng;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::verdict::{Verdict, label};

use crate::common::{all_tasks, file, report, rng, verify};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![planted_judges_are_caught]);
}

/// Families whose unique answers may be written in any order; derived ones may be about one of these.
const UNORDERED: [&str; 4] = ["activity_scheduling", "knapsack", "minesweeper", "repair_solution"];

/// Families with many right answers whose near misses do not show these judges yet: to tell whether such an answer is
/// wrong takes the family's own judge.
const UNSEEN: [(&str, &[&str]); 8] = [
    ("integration", &["rounds to a tenth"]),
    ("output_constraints", &["ignores one word", "ignores two words", "ignores an exchange"]),
    ("program_induction", &["ignores an exchange"]),
    (
        "propositional_entailment",
        &[
            "pays an end",
            "pays what begins so",
            "pays what ends so",
            "looks at last digits",
            "rounds to a tenth",
        ],
    ),
    (
        "prove_equational",
        &[
            "looks at all but the last",
            "ignores order",
            "ignores one word",
            "ignores an exchange",
            "is off by one",
            "pays a multiple",
            "looks at even and odd",
        ],
    ),
    (
        "prove_horn",
        &[
            "pays what is as long",
            "looks at all but the last",
            "ignores order",
            "ignores one word",
            "ignores two words",
            "ignores an exchange",
        ],
    ),
    (
        "prove_propositional",
        &["is off by one", "pays a multiple", "looks at last digits", "looks at even and odd"],
    ),
    ("topological_order", &["rounds to a tenth"]),
];

/// A judge that pays an answer, or does not, for its words and those of the solution.
type Pays = fn(&[&str], &[&str]) -> bool;

const JUDGES: [(&str, Pays); 24] = [
    ("pays whatever can be read", |_, _| true),
    ("pays what is as long", |words, right| words.len() == right.len()),
    ("pays what is longer", |words, right| words.len() > right.len()),
    ("pays what is shorter", |words, right| words.len() < right.len()),
    ("pays a beginning", |words, right| right.starts_with(words)),
    ("pays an end", |words, right| right.ends_with(words)),
    ("pays a part", |words, right| right.windows(words.len().max(1)).any(|part| part == words)),
    ("pays what begins so", |words, right| words.starts_with(right)),
    ("pays what ends so", |words, right| words.ends_with(right)),
    ("looks at the first word", |words, right| words.first() == right.first()),
    ("looks at the last word", |words, right| words.last() == right.last()),
    ("looks at all but the first", |words, right| words.get(1..) == right.get(1..)),
    ("looks at all but the last", |words, right| {
        words.len() == right.len()
            && words.split_last().map(|all| all.1) == right.split_last().map(|all| all.1)
    }),
    ("ignores order", |words, right| sorted(words) == sorted(right)),
    ("ignores order and number", |words, right| set(words) == set(right)),
    ("ignores one word", |words, right| differing(words, right).len() == 1),
    ("ignores two words", |words, right| differing(words, right).len() == 2),
    ("ignores an exchange", |words, right| {
        differing(words, right).len() == 2 && sorted(words) == sorted(right)
    }),
    ("ignores signs", |words, right| words.iter().map(size).eq(right.iter().map(size))),
    ("is off by one", |words, right| apart(words, right, |one, other| (one - other).abs() == 1)),
    ("pays a multiple", |words, right| {
        apart(words, right, |one, other| other != 0 && (one % other == 0 || one != 0 && other % one == 0))
    }),
    ("looks at last digits", |words, right| apart(words, right, |one, other| (one - other) % 10 == 0)),
    ("looks at even and odd", |words, right| apart(words, right, |one, other| (one - other) % 2 == 0)),
    ("rounds to a tenth", |words, right| {
        apart(words, right, |one, other| (one - other).abs() * 10 <= other.abs())
    }),
];

/// A judge that pays an answer for its true verdict.
type Forgives = fn(&Verdict) -> bool;

const FORGIVING: [(&str, Forgives); 3] = [
    ("pays half a score", |verdict| verdict.score >= 0.5),
    ("pays nearly a whole score", |verdict| verdict.score >= 0.9),
    ("pays anything that scores", |verdict| verdict.score > 0.0),
];

fn size<'t>(word: &&'t str) -> &'t str {
    word.trim_start_matches('-')
}

fn sorted<'t>(words: &[&'t str]) -> Vec<&'t str> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words
}

fn set<'t>(words: &[&'t str]) -> Vec<&'t str> {
    let mut words = sorted(words);
    words.dedup();
    words
}

/// Places at which two answers of one length differ; none if their lengths do.
fn differing(words: &[&str], right: &[&str]) -> Vec<usize> {
    if words.len() != right.len() {
        return Vec::new();
    }
    (0..words.len()).filter(|at| words[*at] != right[*at]).collect()
}

/// True if one number differs, and in this way.
fn apart(words: &[&str], right: &[&str], way: fn(i64, i64) -> bool) -> bool {
    let [at] = differing(words, right)[..] else { return false };
    let number = |word: &str| word.parse().ok().filter(|number: &i64| number.unsigned_abs() < 1 << 55);
    number(words[at]).zip(number(right[at])).is_some_and(|(one, other)| way(one, other))
}

/// The words and numbers of an answer, each after its position in bytes.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().chain(b" ").enumerate() {
        let sign = *byte == b'-' && start.is_none() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        match (byte.is_ascii_alphanumeric() || sign || *byte >= 128, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Changes of an answer in a few of its words, whatever they mean.
fn changed(text: &str, rng: &mut Rng) -> Vec<String> {
    let found = words(text);
    let written = |now: &dyn Fn(usize) -> String| {
        let (mut all, mut from) = (String::new(), 0);
        for (at, (start, word)) in found.iter().enumerate() {
            all += &text[from..*start];
            all += &now(at);
            from = start + word.len();
        }
        all + &text[from..]
    };
    if found.is_empty() {
        return Vec::new();
    }
    let word = |at: usize| found[at].1.to_owned();
    let (one, other, last) = (rng.index(found.len()), rng.index(found.len()), found.len() - 1);
    let mut order: Vec<usize> = (0..found.len()).collect();
    rng.shuffle(&mut order);
    let mut all = vec![
        written(&|at| word(order[at])),
        written(&|at| word(last - at)),
        written(&|at| {
            word(if at == one {
                other
            } else if at == other {
                one
            } else {
                at
            })
        }),
        written(&|at| word(if at == one { other } else { at })),
        written(&|at| word(if at == 0 { last } else { at })),
        written(&|at| word(if at == last { 0 } else { at })),
        text[..found[last].0].trim_end_matches([' ', ',', '\n']).to_owned(),
        text[found[last.min(1)].0..].to_owned(),
        format!("{text} {}", word(last)),
        format!("{text}, {}", word(one)),
        format!("{text}\n{text}"),
    ];
    let number = |at: usize| found[at].1.parse::<i64>().ok();
    for at in [one, other, 0, last] {
        let Some(there) = number(at) else { continue };
        for now in [
            -there,
            there + 1,
            there - 1,
            there.saturating_mul(10),
            there.saturating_mul(2),
            there + 10,
            there / 2,
        ] {
            all.push(written(&|here| if here == at { now.to_string() } else { word(here) }));
        }
    }
    all
}

/// True if a form reads the answer and the judge refuses it.
fn refused(verdict: &Verdict) -> bool {
    let unread = label::COMMON[..8].iter().map(|(name, _)| *name);
    !verdict.passed && !unread.chain([label::OVER_BUDGET]).any(|name| verdict.failures.contains(&name))
}

/// True if two answers say the same in another order.
fn same(family: &Family, answer: &str, right: &str) -> bool {
    let [answer, mut right] =
        [answer, right].map(|text| words(text).into_iter().map(|(_, word)| word).collect::<Vec<_>>());
    if family.name() == "tsp" {
        // A tour may be written in either direction.
        right.reverse();
        return answer == right;
    }
    UNORDERED.contains(&family.name()) && sorted(&answer) == sorted(&right)
}

fn planted_judges_are_caught(family: &'static Family) {
    let mut rng = rng("planted");
    let mut wrongly_paid = vec![false; JUDGES.len() + FORGIVING.len()];
    let mut noticed = wrongly_paid.clone();
    for task in all_tasks(family, 12) {
        let right = task.problem.answer();
        let unique = task.certify().is_ok_and(|certificate| certificate.unique);
        let written = task.problem.rewritten(&right);
        for answer in changed(&right, &mut rng) {
            mark(&task, &answer, &right, &mut wrongly_paid);
            let other = task
                .problem
                .rewritten(&answer)
                .filter(|_| unique && !same(family, &answer, &right))
                .is_some_and(|other| Some(other) != written);
            if other {
                let verdict = verify(&task, &task.wrap(&answer));
                assert!(
                    !verdict.passed,
                    "{}: {answer:?} is paid for {}, whose only answer is {right:?}",
                    file(family),
                    task.id()
                );
                mark(&task, &answer, &right, &mut noticed);
            }
        }
        for answer in task.wrong_answers(2) {
            mark(&task, &answer, &right, &mut noticed);
        }
    }
    let names: Vec<&str> =
        JUDGES.iter().map(|(name, _)| *name).chain(FORGIVING.iter().map(|(name, _)| *name)).collect();
    let missed: Vec<&str> =
        (0..names.len()).filter(|at| wrongly_paid[*at] && !noticed[*at]).map(|at| names[at]).collect();
    let planted = wrongly_paid.iter().filter(|planted| **planted).count();
    report(&format!("{}: {planted} wrong judges planted, missed {missed:?}", family.name()));
    let unseen = UNSEEN.iter().find(|(name, _)| *name == family.name()).map_or(&[][..], |(_, unseen)| unseen);
    assert_eq!(missed, unseen, "{}: judges that no near miss shows, and those of `UNSEEN`", file(family));
}

/// Marks the planted judges that would pay an answer which is wrong.
fn mark(task: &Task, answer: &str, right: &str, marks: &mut [bool]) {
    let verdict = verify(task, &task.wrap(answer));
    if !refused(&verdict) {
        return;
    }
    let [answer, right] =
        [answer, right].map(|text| words(text).into_iter().map(|(_, word)| word).collect::<Vec<_>>());
    let pays = JUDGES.iter().map(|(_, pays)| pays(&answer, &right));
    let forgives = FORGIVING.iter().map(|(_, forgives)| forgives(&verdict));
    for (mark, paid) in marks.iter_mut().zip(pays.chain(forgives)) {
        *mark |= paid;
    }
}
