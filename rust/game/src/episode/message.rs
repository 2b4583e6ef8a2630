//! Messages that name a move: how the move is read, and what is wrong if there is none.

use kit::rules::{Action, Misread, fault};
use kit::task::answer::{self, Reading};
use kit::task::verdict::label;

/// Tag that encloses a move.
pub const MOVE_TAG: &str = "move";

/// Label of several complete tags with the same move; with different moves, the message is hedged.
pub const REPEATED_TAGS: &str = "repeated_tags";

/// Labels of messages in which no move can be read.
pub const UNREADABLE: [&str; 7] = [
    label::NO_ANSWER,
    label::TRUNCATED,
    label::HEDGED,
    REPEATED_TAGS,
    label::MISSING_OR_BROKEN_TAGS,
    label::EXTRA_TEXT_OUTSIDE_TAGS,
    label::ANSWER_TOO_LONG,
];

/// Move read from a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedMove {
    pub action: Result<Action, Misread>,
    /// True if the message has the required form.
    pub well_formed: bool,
}

/// Read the move in a message: the only `<move>` tag outside of reasoning, with reasoning before it if `think` is
/// set.
pub fn read_move(text: &str, think: bool, read: impl Fn(&str) -> Result<Action, Misread>) -> ParsedMove {
    let reply = answer::read(text, MOVE_TAG, Reading::Strict);
    let fault = reply.faults.first().copied();
    let answer = match (reply.answer, fault) {
        (Some(answer), None) => answer,
        (_, fault) => {
            let fault = fault.unwrap_or(label::NO_ANSWER);
            return ParsedMove { action: Err(unreadable(text, fault)), well_formed: false };
        }
    };
    let thought = || {
        let text = text.trim_start();
        text.starts_with("<think>") && text.contains("</think>")
    };
    ParsedMove { action: read(answer), well_formed: !think || thought() }
}

/// Reply to a message without a move in the required form.
fn unreadable(text: &str, fault: &'static str) -> Misread {
    let tags = answer::count_tags(text, MOVE_TAG);
    let fault = if fault == label::MISSING_OR_BROKEN_TAGS && tags > 1 { REPEATED_TAGS } else { fault };
    let many = match tags {
        2 => "two".to_owned(),
        tags => tags.to_string(),
    };
    let message = match fault {
        label::TRUNCATED => "The message ends before </move>".to_owned(),
        label::HEDGED => format!("There are {many} <move> tags with different moves; give one move"),
        REPEATED_TAGS => format!("There are {many} <move> tags; give one"),
        label::MISSING_OR_BROKEN_TAGS => {
            "The <move> tags are broken; give <move>, the move, </move>".to_owned()
        }
        label::EXTRA_TEXT_OUTSIDE_TAGS => "There is text after </move>; end the message with it".to_owned(),
        label::ANSWER_TOO_LONG => "The text in <move> tags is too long for a move".to_owned(),
        _ => "There is no move in <move> tags".to_owned(),
    };
    Misread { label: fault, message }
}

/// The learner's last action or message, if it was not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Number of an action.
    Action(i64),
    /// Message.
    Text(Box<Misread>),
}

impl Refused {
    /// Return one of [`UNREADABLE`] and [`fault::ALL`].
    pub fn label(&self) -> &'static str {
        match self {
            Self::Action(_) => fault::ILLEGAL_MOVE,
            Self::Text(misread) => misread.label,
        }
    }

    pub(super) fn is_unreadable(&self) -> bool {
        UNREADABLE.contains(&self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(text: &str) -> Option<&'static str> {
        let read = |said: &str| match said {
            "b2" => Ok(4),
            said => Err(Misread::not_a_move(said, "a move is b2")),
        };
        read_move(text, false, read).action.err().map(|misread| misread.label)
    }

    #[test]
    fn each_fault_of_a_message_has_its_own_label() {
        for (text, label) in [
            ("<move>b2</move>", None),
            ("I take <move> b2 </move>\n", None),
            ("<think><move>c3</move></think><move>b2</move>", None),
            ("b2", Some(label::NO_ANSWER)),
            ("", Some(label::NO_ANSWER)),
            ("<move>b2", Some(label::TRUNCATED)),
            ("<move>b2</move><move>b2</move>", Some(REPEATED_TAGS)),
            ("<move>b2</move><move>c3</move>", Some(label::HEDGED)),
            ("<move><move>b2</move>", Some(label::MISSING_OR_BROKEN_TAGS)),
            ("<move>b2</move>, I think", Some(label::EXTRA_TEXT_OUTSIDE_TAGS)),
            ("<move>castle</move>", Some(fault::NOT_A_MOVE)),
        ] {
            assert_eq!(label_of(text), label, "{text}");
        }
        let long = format!("<move>{}</move>", "b".repeat(answer::LONGEST_ANSWER + 1));
        assert_eq!(label_of(&long), Some(label::ANSWER_TOO_LONG));
        assert!(UNREADABLE.iter().all(|label| !fault::ALL.contains(label)));
    }
}
