//! Games played in text: the messages of the environment, and the reward of the learner's messages.

use super::message::{MOVE_TAG, Refused};
use super::referee::{Lane, Referee};
use super::setup::{Illegal, Instructions, Penalize, Reward, Think};
use super::step::{Status, Step};
use crate::game::Game;
use kit::rules::Action;

/// Parts of the reward of a game played in text, before weighting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RewardParts {
    /// 1, 0.5 or 0 for the reward `Outcome`; for any other, that reward.
    pub outcome: f64,
    /// Share of well-formed messages.
    pub format: f64,
    /// Number of times that the penalty for invalid moves applies.
    pub invalid: f64,
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
        let invalid = if self.setup.penalize == Penalize::Each {
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

    /// Compute the reward of a step in text from its parts: at the end, or at each step for regret.
    pub(super) fn weigh(self, lane: &Lane<G::State>, step: &mut Step) {
        let weights = self.setup.weights();
        let parts = self.parts(lane);
        step.reward = match self.setup.reward {
            Reward::Regret => weights.outcome * step.reward,
            Reward::Outcome | Reward::LuckFree => weights.outcome * parts.outcome,
        };
        if step.is_last() {
            step.reward += weights.format * parts.format + self.setup.invalid_weight() * parts.invalid;
        }
    }

    /// Rules of the game and form of a reply, in ASCII.
    pub(super) fn instructions(self) -> String {
        let (setup, game) = (self.setup, self.game());
        let example = game.legal(&self.variant.open(0, 0).state).first().expect("a game begins with a move");
        let form = if setup.think == Think::Required {
            "Begin with your reasoning in <think> tags, then give one move"
        } else {
            "You may reason first; then give one move"
        };
        let who = if setup.is_self_play() {
            "You play for both players in turn. Every message is to the player whose turn it is: it shows the game"
        } else {
            "You play against an opponent. Every message shows the game"
        };
        let illegal = match setup.on_illegal() {
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

    /// Message to the language model.
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
            if self.setup.instructions == Instructions::FirstMessage {
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
        let mut announced = replies.iter().copied().filter(|&action| game.is_announced(action)).peekable();
        if refused.is_none() && lane.status != Status::Cut && announced.peek().is_some() {
            text.push_str("The opponent played ");
            list(&mut text, &mut announced);
            text.push_str(". ");
        }
        if let Some(refused) = refused {
            text.push_str(&self.why_refused(lane, refused));
            text.push_str(if lane.over && lane.status != Status::Costly { " You lost." } else { "" });
        }
        text.push_str(match lane.status {
            Status::Started if replies.is_empty() => "You move first.",
            Status::Won => "You won.",
            Status::Drawn => "The game is a draw.",
            Status::Lost => "You lost.",
            Status::Cut => "You have used up your turns.",
            Status::Costly => " That cost you the game.",
            Status::NotBegun => "No game has begun.",
            Status::Started | Status::Played | Status::Unreadable | Status::Invalid => "",
        });
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push_str("\n\n");
        }
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

    /// Explain a refused move in an ASCII sentence; the board is still the one the move was refused on.
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

/// Turn a clause into an ASCII sentence. A first word with a digit, such as the move b2, keeps its case.
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

    #[test]
    fn replies_are_sentences_in_ascii() {
        assert_eq!(sentence("b2 is taken"), "b2 is taken.");
        assert_eq!(sentence("column 3 is full"), "Column 3 is full.");
        assert_eq!(sentence("`é\u{2026}` is no move"), "`\\u{e9}...` is no move.");
    }
}
