//! Pass rates of greedy readers, level by level, held against `docs/shortcuts.json`.

use std::collections::BTreeMap;
use std::path::Path;

use reasonenv::families;
use reasonenv::rng::{Key, Rng};
use reasonenv::task::batch::Batch;
use reasonenv::task::erased::Family;

use crate::common::{DRAWN, file, report, tasks};
use crate::contract::Cases;
use crate::scores::earned;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![greedy_readers_pass_as_often_as_the_page_says]);
    cases.once(named![the_page_names_families]);
}

/// The first level at which no greedy reader may pass more than [`MOST`].
const HARD: usize = 4;
const MOST: f64 = 0.2;
/// Pass rates of each reader, level by level.
type Rates = BTreeMap<String, Vec<f64>>;

fn path() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/shortcuts.json"))
}

fn written() -> BTreeMap<String, Rates> {
    serde_json::from_str(&std::fs::read_to_string(path()).unwrap()).unwrap()
}

fn stream(at: usize) -> Rng {
    Key::new("shortcut", 1, "", 0, "").stream(at as u64)
}

fn measured(family: &'static Family) -> Rates {
    let mut rates = Rates::new();
    let is_read =
        |level| tasks(family, level, DRAWN).any(|task| !task.problem.shortcuts(&mut stream(0)).is_empty());
    if !(0..=family.top_level()).any(is_read) {
        return rates;
    }
    for level in 0..=family.top_level() {
        let batch = Batch { tasks: tasks(family, level, DRAWN).collect() };
        let answers = batch.tasks.iter().enumerate();
        let answers: Vec<_> = answers.map(|(at, task)| task.problem.shortcuts(&mut stream(at))).collect();
        for (name, _) in answers.iter().flatten() {
            if rates.get(*name).is_some_and(|rates| rates.len() > usize::from(level)) {
                continue;
            }
            let answer = |at: usize, _: &_| {
                answers[at].iter().find(|(other, _)| other == name).map(|(_, answer)| answer.clone())
            };
            let rate = (earned(&batch, answer).rate * 1_000.0).round() / 1_000.0;
            report(&format!("{} level {level}: {name}: {rate}", family.name()));
            let rates = rates.entry((*name).to_owned()).or_default();
            // A family about others may have drawn none with this reader at a lower level.
            rates.resize(level.into(), 0.0);
            rates.push(rate);
        }
    }
    for rates in rates.values_mut() {
        rates.resize(usize::from(family.top_level()) + 1, 0.0);
    }
    rates
}

fn greedy_readers_pass_as_often_as_the_page_says(family: &'static Family) {
    let measured = measured(family);
    assert_eq!(
        written().remove(family.name()).unwrap_or_default(),
        measured,
        "docs/shortcuts.json says otherwise: run `make shortcuts`"
    );
    for (reader, rates) in measured {
        for (level, rate) in rates.into_iter().enumerate().skip(HARD) {
            assert!(
                rate <= MOST,
                "{}: at level {level} `{reader}` passes {rate}: draw problems that it does not solve",
                file(family)
            );
        }
    }
}

/// `make shortcuts` writes the page anew first.
fn the_page_names_families() {
    if std::env::var_os("REASONENV_SHORTCUTS").is_some() {
        write();
    }
    assert!(!written().is_empty());
    for name in written().keys() {
        assert!(families::find(name).is_ok(), "docs/shortcuts.json has {name}, which is no family");
    }
}

fn write() {
    let all = families::all().iter().map(|family| (family.name(), measured(family)));
    let all: BTreeMap<&str, Rates> = all.filter(|(_, rates)| !rates.is_empty()).collect();
    let mut text = "{\n".to_owned();
    let family = |(name, rates): (&&str, &Rates)| {
        let reader = |(reader, rates): (&String, &Vec<f64>)| format!("    \"{reader}\": {rates:?}");
        let readers: Vec<String> = rates.iter().map(reader).collect();
        format!("  \"{name}\": {{\n{}\n  }}", readers.join(",\n"))
    };
    let families: Vec<String> = all.iter().map(family).collect();
    text += &families.join(",\n");
    std::fs::write(path(), text + "\n}\n").unwrap();
}
