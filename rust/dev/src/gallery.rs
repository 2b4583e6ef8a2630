//! The gallery: a page for every family, their index, and the table in the README.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reasonenv::families;
use reasonenv::task::certificate::Aim;
use reasonenv::task::erased::Family;
use reasonenv::task::verdict::label;

use crate::gymnasium_id;
use crate::item::first;
use crate::markdown::{MARK, cell, folded, param_table, table, versions};
use crate::param::params;

/// Table of families by domain in the README.
pub fn by_domain() -> String {
    let mut domains = BTreeMap::<&str, Vec<String>>::new();
    for family in families::all() {
        let about = family.about();
        let link = format!("[`{0}`](docs/families/{0}.md)", about.name);
        domains.entry(about.domain).or_default().push(link);
    }
    let rows = domains.into_iter().map(|(domain, links)| vec![domain.to_owned(), links.join(", ")]);
    table(&["Domain", "Families"], rows)
}

/// The index of all pages.
pub fn index() -> String {
    let rows = families::all().iter().map(|family| {
        let about = family.about();
        vec![
            format!("[`{0}`]({0}.md)", about.name),
            about.domain.to_owned(),
            cell(about.summary),
            about.judged_by.name().to_owned(),
            about.skills.join(", "),
            abilities(family).join(", "),
        ]
    });
    let columns = ["Family", "Domain", "What is asked", "Judged by", "Skills", "Also"];
    format!(
        "{MARK}# Families\n\n\
         Every family, from the registry. *Also* says what its problems can do besides being posed \
         and judged: single reasoning steps are judged, moves are played one by one, and a problem is \
         turned into a harder, an easier or a similar one.\n\n{}",
        table(&columns, rows)
    )
}

/// Abilities of a family's problems beyond those that every problem has.
fn abilities(family: &'static Family) -> Vec<&'static str> {
    let task = first(family, family.top_level() / 2);
    [
        (task.verify_steps(&[]).is_some(), "judges steps"),
        (task.problem.moves().is_some(), "plays"),
        (task.mutate(Aim::Same, 0).is_ok(), "mutates"),
    ]
    .into_iter()
    .filter_map(|(able, name)| able.then_some(name))
    .collect()
}

/// The page of a family.
pub fn page(family: &'static Family) -> String {
    let about = family.about();
    let schema = params(family.schema());
    let sections = [
        facts(family),
        levels(family),
        examples(family),
        param_table(about.name, &schema),
        format!("## Judging\n\n{}", judging(family)),
        wordings(family),
        versions(about.changes),
    ];
    format!("{MARK}# {}\n\n{}\n\n{}\n", about.name, about.summary, sections.join("\n\n"))
}

fn facts(family: &'static Family) -> String {
    let about = family.about();
    let (name, tag) = (about.name, about.answer_tag);
    let mut facts = vec![
        format!("**Gymnasium id**: `{}`", gymnasium_id(name, about.version())),
        format!("**Domain**: {}", about.domain),
        format!("**Skills**: {}", about.skills.join(", ")),
        format!("**Answer**: inside `<{tag}></{tag}>`, read under the `{}` reading", about.reading.name()),
        format!("**Judged by**: {}", about.judged_by.name()),
        format!("**Blind answers pass**: at most {} %", percent(about.guess_rate)),
        format!("**Source**: [{name}.rs](../../{})", about.file),
    ];
    let abilities = abilities(family);
    if !abilities.is_empty() {
        facts.push(format!("**Also**: {}", abilities.join(", ")));
    }
    let level = family.top_level() / 2;
    format!(
        "- {}\n\n```python\nimport reasonenv\n\n\
         task = reasonenv.family(\"{name}\").sample(seed=0, index=0, level={level})\n```",
        facts.join("\n- ")
    )
}

/// A rate in percent without the noise of binary fractions.
fn percent(rate: f32) -> String {
    let shown = format!("{:.2}", rate * 100.0);
    shown.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn levels(family: &'static Family) -> String {
    let names: Vec<String> = params(family.schema()).into_iter().map(|param| param.name).collect();
    let rows = (0..=family.top_level()).map(|level| {
        let params = family.level(level).expect("the level exists");
        let values = names.iter().map(|name| match params[name].as_str() {
            Some(text) => cell(text),
            None => cell(&params[name].to_string()),
        });
        std::iter::once(level.to_string()).chain(values).collect()
    });
    let columns: Vec<&str> = std::iter::once("Level").chain(names.iter().map(String::as_str)).collect();
    format!("## Levels\n\n{}", table(&columns, rows)).trim_end().to_owned()
}

fn examples(family: &'static Family) -> String {
    let top = family.top_level();
    let mut text = "## Examples\n\nThe first training item (`seed=0`, `index=0`) of three levels.".to_owned();
    for level in [0, top / 2, top] {
        let task = first(family, level);
        let (prompt, answer) = (task.prompt(), task.problem.answer());
        write!(text, "\n\n### Level {level}\n\n{}\n\nAnswer:\n\n{}", folded(&prompt), folded(&answer))
            .expect("a string takes any text");
    }
    text
}

fn judging(family: &Family) -> String {
    let about = family.about();
    let own = about.failures.iter().map(|(name, means)| vec![format!("`{name}`"), cell(means)]);
    let mut text = if about.failures.is_empty() {
        "Failures carry the common labels only".to_owned()
    } else {
        format!(
            "Failures of its own:\n\n{}\nBeside them it may give the common labels",
            table(&["Label", "What it means"], own)
        )
    };
    let common: Vec<_> = label::COMMON.iter().map(|(name, _)| format!("`{name}`")).collect();
    write!(text, ": {}.", common.join(", ")).expect("a string takes any text");
    if !about.parts.is_empty() {
        let parts = about.parts.iter().map(|part| vec![format!("`{}`", part.name), cell(part.means)]);
        write!(
            text,
            "\n\nIt also measures, each from 0 to 1:\n\n{}",
            table(&["Part", "What it means"], parts)
        )
        .expect("a string takes any text");
    }
    text.trim_end().to_owned()
}

fn wordings(family: &Family) -> String {
    let templates = family.templates().iter().map(|template| {
        let held_out = if template.held_out { " (held out of training)" } else { "" };
        format!("`{}`{held_out}", template.name)
    });
    format!("## Wordings\n\n{}.", templates.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_read_as_percent() {
        assert_eq!(percent(0.03), "3");
        assert_eq!(percent(0.125), "12.5");
        assert_eq!(percent(0.0), "0");
    }
}
