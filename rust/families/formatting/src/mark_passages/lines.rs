//! The form of an answer.

use kit::task::form::decorated;
use kit::task::prelude::*;

/// A fixed number of lines with nothing else on them.
pub struct Lines {
    pub count: usize,
}

impl Form for Lines {
    type Read = Vec<String>;

    fn asks(&self) -> String {
        format!("Give the {} passages in the order asked for, one per line and without numbers,", self.count)
    }

    /// White space around lines and empty lines are ignored.
    fn read(&self, text: &str) -> Result<Vec<String>, Failure> {
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).take(1_000).collect();
        if lines.is_empty() {
            return Err(Failure::malformed("the answer is empty"));
        }
        Ok(lines.into_iter().map(str::to_owned).collect())
    }

    fn write(&self, answer: &Vec<String>) -> String {
        answer.join("\n")
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let lines = |change: &dyn Fn(usize, &str) -> String| {
            let lines: Vec<String> = right.lines().enumerate().map(|(at, line)| change(at, line)).collect();
            lines.join("\n")
        };
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right}\n{right}"),
            format!("Here they are:\n{right}"),
            format!("{right}\nDone."),
            right.replace('\n', " "),
            right.replace('\n', ", "),
            right.replace('\n', "\\n"),
            lines(&|at, line| format!("{}. {line}", at + 1)),
            lines(&|_, line| format!("- {line}")),
            lines(&|_, line| format!("> {line}")),
            lines(&|_, line| format!("{line}.")),
            lines(&|_, line| format!("{line},")),
            lines(&|_, line| format!("\"{line}\"")),
            lines(&|_, line| line.replace(' ', "  ")),
            lines(&|_, line| line.replace(' ', "\u{a0}")),
        ]);
        mangled
    }
}
