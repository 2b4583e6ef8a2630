//! The index of the families, and their table in the README.

use std::collections::BTreeMap;

use reasonenv::families;
use reasonenv::task::certificate::Aim;
use reasonenv::task::erased::Family;

use crate::capitalized;
use crate::item::first;
use crate::markdown::{MARK, cell, table};

/// Table of families by domain, for the README.
pub fn by_domain() -> String {
    let rows = grouped(|family| vec![family.about().domain]).into_iter().map(|(domain, families)| {
        let links =
            families.iter().map(|family| format!("[`{0}`](docs/families/README.md#{0})", family.name()));
        vec![domain.to_owned(), links.collect::<Vec<_>>().join(", ")]
    });
    table(&["Domain", "Families"], rows)
}

/// Group the families by words.
fn grouped(words: impl Fn(&Family) -> Vec<&'static str>) -> BTreeMap<&'static str, Vec<&'static Family>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for family in families::all() {
        for word in words(family) {
            groups.entry(word).or_default().push(family);
        }
    }
    groups
}

/// Index of the families: a table for each domain, and the families by skill.
pub fn index() -> String {
    let domains = grouped(|family| vec![family.about().domain]).into_iter().map(|(domain, families)| {
        let rows = families.iter().map(|family| row(family));
        let columns = ["Family", "Task", "Judged by", "Skills", "Also"];
        format!("## {}\n\n{}", capitalized(domain), table(&columns, rows))
    });
    let skills = grouped(|family| family.about().skills.to_vec()).into_iter().map(|(skill, families)| {
        let links = families.iter().map(|family| format!("[`{0}`](#{0})", family.name()));
        vec![skill.to_owned(), links.collect::<Vec<_>>().join(", ")]
    });
    format!(
        "{MARK}# Families\n\n\
         Every task family, by domain. A family's name leads to examples of every level. *Also* lists what a family \
         can do besides: check single reasoning steps (steps), be played move by move (moves), and turn a problem \
         into a harder, an easier or a similar one (mutates).\n\n{}\n## By skill\n\n{}",
        domains.collect::<Vec<_>>().join("\n"),
        table(&["Skill", "Families"], skills)
    )
}

/// Row of a family, with an anchor of its name.
fn row(family: &'static Family) -> Vec<String> {
    let about = family.about();
    vec![
        format!("<a id=\"{0}\"></a>[`{0}`](../../tests/golden/families/{0}.txt)", about.name),
        cell(about.summary),
        about.judged_by.name().to_owned(),
        about.skills.join(", "),
        abilities(family).join(", "),
    ]
}

/// Return the abilities of a family's problems that not all problems have.
fn abilities(family: &'static Family) -> Vec<&'static str> {
    let task = first(family, family.top_level() / 2);
    [
        (task.verify_steps(&[]).is_some(), "steps"),
        (task.problem.moves().is_some(), "moves"),
        (task.mutate(Aim::Same, 0).is_ok(), "mutates"),
    ]
    .into_iter()
    .filter_map(|(able, name)| able.then_some(name))
    .collect()
}
