//! Text that must match exactly.

use super::{Form, decorated};
use crate::task::verdict::Failure;

/// Lines that must match exactly, alone in their tag. The family reads its answers clean.
pub struct Verbatim<'a> {
    /// Noun phrase for the answer: "the lines of the tree".
    pub what: &'a str,
    /// Pairs of a text that the answer needs and one that models write instead.
    pub lookalikes: &'static [(&'static str, &'static str)],
}

impl Form for Verbatim<'_> {
    type Read = String;

    fn asks(&self) -> String {
        format!("Reply with nothing but {}", self.what)
    }

    fn sentence(&self, tag: &str) -> String {
        format!("{} inside <{tag}></{tag}> tags: no code fence, no other text.", self.asks())
    }

    /// Any text can be read: the family measures what is wrong with it.
    fn read(&self, text: &str) -> Result<String, Failure> {
        Ok(text.to_owned())
    }

    fn write(&self, answer: &String) -> String {
        answer.clone()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let lines = |change: &dyn Fn(&str) -> String| {
            let lines: Vec<String> = right.split('\n').map(change).collect();
            lines.join("\n")
        };
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("Here it is:\n{right}"),
            format!("{right}\n\nDone."),
            format!("{right}."),
            format!("{right}\n{right}"),
            format!("```text\n{right}\n```"),
            right.replace('\n', "\n\n"),
            right.replace('\n', " \n"),
            right.replace('\n', " "),
            right.replace('\n', "\\n"),
            lines(&|line| line.trim_start().to_owned()),
            lines(&|line| format!("> {line}")),
            lines(&|line| format!("- {line}")),
            lines(&|line| format!("| {line} |")),
        ]);
        if let Some((first, rest)) = right.split_once('\n') {
            let rest: Vec<&str> = rest.split('\n').collect();
            mangled.push(format!("{first}\n {}", rest.join("\n ")));
        }
        for (asked, other) in self.lookalikes {
            mangled.extend([right.replace(asked, other), right.replacen(asked, other, 1)]);
        }
        mangled.retain(|text| text.trim() != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_mangled_is_the_text_with_white_space_around_it() {
        let form = Verbatim { what: "the poem", lookalikes: &[("—", "--")] };
        assert_eq!(
            form.sentence("poem"),
            "Reply with nothing but the poem inside <poem></poem> tags: no code fence, no other text."
        );
        for right in ["one line", "two — long —\n lines", "three\n\nof\tthem"] {
            assert_eq!(form.write(&form.read(right).unwrap()), right);
            let mangled = form.mangled(right);
            assert!(mangled.len() > 15 && mangled.iter().all(|text| text.trim() != right), "{mangled:?}");
        }
        assert!(form.mangled("a — b").contains(&"a -- b".to_owned()));
    }
}
