//! Games played in text: how a move is read out of a message, what is answered, and how it is rewarded.

use super::lane::{Lane, Referee};
use super::setup::{Illegal, Reward};
use super::step::{Status, Step};
use crate::game::game::Game;
use crate::rules::{Action, Misread, fault};
use crate::task::answer::{self, Reading};
use crate::task::verdict::label;

/// How moves said in text are read and rewarded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dialogue {
    /// Whether a message must begin with reasoning in `<think>` tags to be in the right form.
    pub think: bool,
    /// Whether the first message of an episode begins with the instructions.
    pub instructions_first: bool,
    /// Weight of the outcome: 1 for a win, 0.5 for a draw, 0 for a loss or a game cut off.
    pub outcome_weight: f64,
    /// Weight of the share of messages in the right form.
    pub format_weight: f64,
    /// Added once if any move was invalid.
    pub text_invalid_penalty: f64,
    /// Whether it is added for each invalid move instead.
    pub penalize_each: bool,
}

impl Default for Dialogue {
    fn default() -> Self {
        Self {
            think: false,
            instructions_first: false,
            outcome_weight: 1.0,
            format_weight: 0.2,
            text_invalid_penalty: -0.1,
            penalize_each: false,
        }
    }
}

/// What a game played in text earned, by part, before weighing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RewardParts {
    /// 1, 0.5 or 0; with another reward than the outcome, that reward.
    pub outcome: f64,
    /// The share of messages in the right form.
    pub format: f64,
    /// How often the penalty for invalid moves is due.
    pub invalid: f64,
}

/// The tag a move stands in.
pub const MOVE_TAG: &str = "move";

/// Several complete tags that say the same; where they differ, the message is hedged.
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

/// A text that says a move, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedMove {
    pub action: Result<Action, Misread>,
    /// Whether it has the form asked for.
    pub well_formed: bool,
}

/// Reads a move out of a message: the one `<move>` tag outside reasoning and, if `think`, reasoning
/// before it.
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

/// What is answered to a message that has no move in the form asked for.
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

/// What the learner last did that was no legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A number.
    Action(i64),
    /// A message.
    Text(Box<Misread>),
}

impl Refused {
    /// One of [`UNREADABLE`] and [`fault::ALL`].
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

impl<G: Game> Referee<'_, G> {
    pub(super) fn parts(self, lane: &Lane<G::State>) -> RewardParts {
        let outcome = match self.setup.reward {
            Reward::Outcome => {
                lane.result.map_or(0.0, |result| f64::from(result.clamp(-1.0, 1.0)).midpoint(1.0))
            }
            Reward::Regret => -f64::from(lane.regrets[self.purse(lane)]),
            Reward::LuckFree if lane.result.is_some() => self.luck_free(lane),
            Reward::LuckFree => 0.0,
        };
        let invalid = if self.setup.dialogue.penalize_each {
            f64::from(lane.invalid)
        } else {
            f64::from(lane.invalid.min(1))
        };
        RewardParts {
            outcome: if lane.over { outcome } else { 0.0 },
            format: f64::from(lane.well_formed) / f64::from(lane.turns.max(1)),
            invalid,
        }
    }

    /// Weighs what a game played in text earned: all of it at the end, but for regret, at each step.
    pub(super) fn weigh(self, lane: &Lane<G::State>, step: &mut Step) {
        let dialogue = self.setup.dialogue;
        let parts = self.parts(lane);
        step.reward = match self.setup.reward {
            Reward::Regret => dialogue.outcome_weight * step.reward,
            Reward::Outcome | Reward::LuckFree => dialogue.outcome_weight * parts.outcome,
        };
        if step.is_last() {
            step.reward +=
                dialogue.format_weight * parts.format + dialogue.text_invalid_penalty * parts.invalid;
        }
    }

    /// The rules and the form of a reply, in ASCII.
    pub(super) fn instructions(self) -> String {
        let (setup, game) = (self.setup, self.game());
        let example = game.legal(&self.variant.open(0, 0).state).first().expect("a game begins with a move");
        let form = if setup.dialogue.think {
            "Begin with your reasoning in <think> tags, then give one move"
        } else {
            "You may reason first; then give one move"
        };
        let who = if setup.is_self_play() {
            "You play for both players in turn. Every message is to the player whose turn it is: it shows the game"
        } else {
            "You play against an opponent. Every message shows the game"
        };
        let illegal = match setup.illegal {
            Illegal::Lose => "An illegal move loses the game.",
            Illegal::Penalty => "An illegal move changes nothing and uses up your turn.",
        };
        let limit = setup.max_turns.map(|most| format!(" You have {most} turns in all.")).unwrap_or_default();
        format!(
            "{}\n\n{who} and the {} that are open to you. {illegal}{limit}\n\n{form} in <{MOVE_TAG}> tags and \
             nothing after it, such as <{MOVE_TAG}>{}</{MOVE_TAG}>.",
            game.rules(),
            self.variant.about.moves,
            self.variant.names[example as usize],
        )
    }

    /// What a language model is told.
    pub(super) fn message(self, lane: &Lane<G::State>) -> String {
        let (game, names) = (self.game(), &self.variant.names);
        let replies = &lane.moves[lane.replies..];
        let list = |text: &mut String, actions: &mut dyn Iterator<Item = Action>| {
            for (at, action) in actions.enumerate() {
                if at > 0 {
                    text.push_str(", ");
                }
                text.push_str(&names[action as usize]);
            }
        };
        let mut text = String::with_capacity(512);
        if lane.status == Status::Started {
            if self.setup.dialogue.instructions_first {
                text.push_str(&self.instructions());
                text.push_str("\n\n");
            }
            text.push_str("The game has started. ");
        }
        if lane.status == Status::Started || (self.setup.is_self_play() && !lane.over) {
            text.push_str(&game.role_text(lane.seat));
            text.push(' ');
        }
        let refused = lane.refused.as_ref().filter(|_| lane.status != Status::Cut);
        if refused.is_none() && lane.status != Status::Cut && !replies.is_empty() {
            text.push_str("The opponent played ");
            list(&mut text, &mut replies.iter().copied());
            text.push_str(". ");
        }
        if let Some(refused) = refused {
            text.push_str(&self.why_refused(lane, refused));
            text.push_str(if lane.over { " You lost." } else { "" });
        }
        text.push_str(match lane.status {
            Status::Started if replies.is_empty() => "You move first.",
            Status::Won => "You won.",
            Status::Drawn => "The game is a draw.",
            Status::Lost => "You lost.",
            Status::Cut => "You have used up your turns.",
            Status::NotBegun => "No game has begun.",
            Status::Started | Status::Played | Status::Unreadable | Status::Invalid => "",
        });
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        text.push_str(&game.show(&lane.state, lane.seat));
        if !lane.over {
            text.push_str("\n\nAvailable ");
            text.push_str(self.variant.about.moves);
            text.push_str(": [");
            list(&mut text, &mut game.legal(&lane.state).iter());
            text.push_str("]\n\nYour turn.");
        }
        text
    }

    /// A sentence in ASCII: the board is as it was when the move was refused.
    fn why_refused(self, lane: &Lane<G::State>, refused: &Refused) -> String {
        let count = self.game().actions();
        match refused {
            Refused::Text(misread) => sentence(&misread.message),
            Refused::Action(action) => match Action::try_from(*action) {
                Ok(action) if action < count => sentence(&self.game().why_illegal(&lane.state, action)),
                _ => format!("{action} is not an action; they are 0 to {}.", count - 1),
            },
        }
    }
}

/// A clause as a sentence in ASCII. What begins with the name of a move, such as b2, keeps its case.
fn sentence(clause: &str) -> String {
    let is_named = clause.split(' ').next().is_some_and(|word| word.contains(|c: char| c.is_ascii_digit()));
    let mut text = String::with_capacity(clause.len() + 1);
    for (at, letter) in clause.chars().enumerate() {
        match letter {
            '\u{2026}' => text.push_str("..."),
            letter if at == 0 && !is_named => text.push(letter.to_ascii_uppercase()),
            letter if letter.is_ascii() => text.push(letter),
            letter => text.extend(letter.escape_default()),
        }
    }
    text.push('.');
    text
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

    #[test]
    fn replies_are_sentences_in_ascii() {
        assert_eq!(sentence("b2 is taken"), "b2 is taken.");
        assert_eq!(sentence("column 3 is full"), "Column 3 is full.");
        assert_eq!(sentence("`é\u{2026}` is no move"), "`\\u{e9}...` is no move.");
    }
}
