//! The tour: one task of every family, its answer, and a typical wrong answer with its verdict.

use std::collections::BTreeMap;

use reasonenv::families;
use reasonenv::task::erased::Family;

use crate::capitalized;
use crate::item::first;
use crate::markdown::{MARK, folded, table};

/// The page, by domain.
pub fn page() -> String {
    let mut domains: BTreeMap<&str, Vec<&'static Family>> = BTreeMap::new();
    let mut skills: BTreeMap<&str, Vec<&'static Family>> = BTreeMap::new();
    for family in families::all() {
        domains.entry(family.about().domain).or_default().push(family);
        for skill in family.about().skills {
            skills.entry(skill).or_default().push(family);
        }
    }
    let sections = domains.iter().map(|(domain, families)| {
        let stops: Vec<_> = families.iter().map(|family| stop(family)).collect();
        format!("## {}\n\n{}", capitalized(domain), stops.join("\n\n"))
    });
    format!(
        "{MARK}# A tour\n\n\
         One easy item of every family: what a model is asked, an answer that passes, and a wrong answer of the kind \
         that the judge has to refuse, with the judge's words. Items are the first of their family's level 0 \
         (`seed=0`, `index=0`); the pages of the [families](families/README.md) show harder ones.\n\n\
         ## By domain\n\n{}\n\
         ## By skill\n\n{}\n{}\n",
        listed("Domain", &domains),
        listed("Skill", &skills),
        sections.collect::<Vec<_>>().join("\n\n")
    )
}

/// A row for each word, with the families it applies to.
fn listed(word: &str, groups: &BTreeMap<&str, Vec<&'static Family>>) -> String {
    let rows = groups.iter().map(|(word, families)| {
        let links = families.iter().map(|family| format!("[`{0}`](#{0})", family.name()));
        vec![(*word).to_owned(), links.collect::<Vec<_>>().join(", ")]
    });
    table(&[word, "Families"], rows)
}

/// Section of one family.
fn stop(family: &'static Family) -> String {
    let (about, task) = (family.about(), first(family, 0));
    let wrong = task.wrong_answers(0).into_iter().map(|wrong| {
        let verdict = task.verify(&task.wrap(&wrong), None);
        (wrong, verdict)
    });
    let (wrong, verdict) = wrong
        .into_iter()
        .find(|(_, verdict)| !verdict.passed && !verdict.detail.is_empty())
        .expect("a family's contract has near misses, and its judge says what is wrong with them");
    let labels: Vec<_> = verdict.failures.iter().map(|label| format!("`{label}`")).collect();
    format!(
        "### {0}\n\n{1} ([levels, params and labels](families/{0}.md))\n\n{2}\n\nRight:\n\n{3}\n\nWrong:\n\n{4}\n\n\
         The judge: {5} ({6}).",
        about.name,
        about.summary,
        folded(&task.prompt()),
        folded(&task.problem.answer()),
        folded(&wrong),
        verdict.detail.trim_end_matches('.'),
        labels.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_on_the_tour() {
        let page = page();
        for family in families::all() {
            assert!(page.contains(&format!("\n### {}\n", family.name())), "{}", family.name());
        }
    }
}
