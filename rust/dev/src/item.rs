//! Tasks as a reader sees them.

use std::sync::Arc;

use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use serde_json::{Map, Value};

/// First training task of a level, for goldens and pages.
pub fn first(family: &'static Family, level: u8) -> Task {
    let source = Source::new(family, level, &Map::new(), Split::Train, 0, &Map::new());
    source
        .and_then(|source| Arc::new(source).task(0))
        .unwrap_or_else(|error| panic!("level {level} is the family's own: {error}"))
}

/// `name=value name=value`.
pub fn fields(fields: &Map<String, Value>) -> String {
    let shown = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    };
    fields.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// Everything about a task that a person would ask for.
pub fn show(task: &Task) -> String {
    let style = task.style.to_json(task.family.templates());
    let style = style.as_object().expect("a style is an object");
    let params = task.params().cloned().unwrap_or_default();
    let solution = task.problem.solution();
    let steps: Vec<_> = (1..).zip(&solution.steps).map(|(n, step)| format!("{n}. {step}")).collect();
    format!(
        "task        {}\nparams      {}\nstyle       {}\ndifficulty  {:.3}\n\n\
         -- prompt --\n{}\n\n-- steps --\n{}\n\n-- answer --\n{}\n\n-- problem --\n{}\n",
        task.id(),
        fields(&params),
        fields(style),
        task.difficulty(),
        task.prompt(),
        steps.join("\n"),
        solution.answer,
        task.problem.json(),
    )
}

/// Size in bytes beyond which a golden only names its levels; their digests cover the contents.
const LONGEST_GOLDEN: usize = 20_000;

/// Golden of a family: the first training task of every level, lowest first, as far as they fit.
pub fn golden(family: &'static Family) -> String {
    let mut golden = String::new();
    for level in 0..=family.top_level() {
        let item = show(&first(family, level));
        let blank = if golden.is_empty() { "" } else { "\n" };
        let shown = if golden.len() + item.len() <= LONGEST_GOLDEN {
            item
        } else {
            let (facts, _) = item.split_once("\n\n").expect("the facts end with an empty line");
            format!("{facts}\n\n({} bytes are not shown)\n", item.len() - facts.len())
        };
        golden += &format!("{blank}==== level {level} ====\n\n{shown}");
    }
    golden
}
