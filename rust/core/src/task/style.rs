//! How an item is worded: the same problem, in other words, has the same answer.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::error::{Error, quoted, unknown};
use crate::rng::{Key, Rng};
use crate::task::family::About;
use crate::task::split::Split;

/// A wording a family knows. A held-out one never appears in the train split.
#[derive(Debug)]
pub struct Template {
    pub name: &'static str,
    pub held_out: bool,
}

impl Template {
    pub const fn open(name: &'static str) -> Self {
        Self { name, held_out: false }
    }

    pub const fn held_out(name: &'static str) -> Self {
        Self { name, held_out: true }
    }
}

/// What stands around the family's prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// The prompt alone.
    Bare,
    /// The exact-contract state of the ASCII-tree experiment: one tag block and nothing else, then "Answer:".
    Contract,
    /// A caller's own text, with `{prompt}` and optionally `{tag}` in it.
    Custom(Arc<str>),
}

impl Wrapper {
    pub const NAMES: [&str; 2] = ["bare", "contract"];

    /// A wrapper's name, or the text of a custom one.
    pub fn text(&self) -> &str {
        match self {
            Self::Bare => "bare",
            Self::Contract => "contract",
            Self::Custom(text) => text,
        }
    }

    fn find(text: &str) -> Result<Self, Error> {
        match text {
            "bare" => Ok(Self::Bare),
            "contract" => Ok(Self::Contract),
            custom if custom.contains("{prompt}") => Ok(Self::Custom(custom.into())),
            _ => Err(unknown("wrapper (or text with {prompt} in it)", text, &Self::NAMES)),
        }
    }

    fn wrap(&self, prompt: String, about: &About) -> String {
        match self {
            Self::Bare => prompt,
            Self::Contract => format!(
                "You are given one {} task. Reply with exactly one answer, wrapped in <{tag}> tags. \
                 Write nothing outside the tags: no code fences, no explanation, no reasoning, no think tags.\
                 \n\n{prompt}\n\nAnswer:",
                about.title(),
                tag = about.answer_tag,
            ),
            Self::Custom(text) => text.replace("{tag}", about.answer_tag).replace("{prompt}", &prompt),
        }
    }
}

/// The wording of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Index into the family's templates.
    pub template: usize,
    /// Decides every smaller choice of words within the template.
    pub words: u32,
    pub wrapper: Wrapper,
}

impl Style {
    /// The plainest wording: the first template, bare.
    pub const PLAIN: Self = Self { template: 0, words: 0, wrapper: Wrapper::Bare };

    /// The stream of the smaller choices of words.
    pub fn rng(&self) -> Rng {
        Key::new("style", 1, "", u64::from(self.words), "").stream(self.template as u64)
    }

    /// The item's prompt in this style, wrapper and all.
    pub(crate) fn dress(&self, prompt: String, about: &About) -> String {
        self.wrapper.wrap(prompt, about)
    }

    pub fn to_json(&self, about: &About) -> Value {
        json!({
            "template": about.templates[self.template].name,
            "words": self.words,
            "wrapper": self.wrapper.text(),
        })
    }
}

/// What a caller asks of the style; the rest is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyleChoice {
    template: Option<usize>,
    words: Option<u32>,
    wrapper: Option<Wrapper>,
}

impl StyleChoice {
    /// Reads `{"template": …, "words": …, "wrapper": …}`, all optional.
    pub fn parse(given: &Map<String, Value>, about: &About) -> Result<Self, Error> {
        let invalid = |message| Error::InvalidStyle { family: about.name, message };
        let mut choice = Self::default();
        for (name, value) in given {
            let text =
                || value.as_str().ok_or_else(|| invalid(format!("`{name}` is {value}, but must be text")));
            match name.as_str() {
                "template" => choice.template = Some(about.template(text()?)?),
                "wrapper" => choice.wrapper = Some(Wrapper::find(text()?)?),
                "words" => {
                    let words = value.as_u64().and_then(|words| u32::try_from(words).ok());
                    choice.words = Some(words.ok_or_else(|| {
                        let bounds = format!("must be between 0 and {}", u32::MAX);
                        invalid(format!("`words` is {value}, but {bounds}"))
                    })?);
                }
                _ => {
                    let name = quoted(name);
                    return Err(invalid(format!(
                        "no style field `{name}`; there are template, words, wrapper"
                    )));
                }
            }
        }
        Ok(choice)
    }

    /// Refuses what a split may not show.
    pub(crate) fn check(&self, split: Split, about: &About) -> Result<(), Error> {
        match self.template.map(|template| &about.templates[template]) {
            Some(template) if template.held_out && split == Split::Train => Err(Error::InvalidStyle {
                family: about.name,
                message: format!(
                    "template `{}` is held out of the train split; use eval or test",
                    template.name
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Draws what was left open. The train split never draws a held-out template.
    pub(crate) fn draw(&self, split: Split, about: &About, rng: &mut Rng) -> Style {
        let shown = |template: &&Template| split != Split::Train || !template.held_out;
        let nth = rng.index(about.templates.iter().filter(shown).count());
        let words = (rng.word() >> 32) as u32;
        let drawn = about.templates.iter().enumerate().filter(|(_, t)| shown(t)).nth(nth);
        let (drawn, _) = drawn.expect("the draw is below the count");
        Style {
            template: self.template.unwrap_or(drawn),
            words: self.words.unwrap_or(words),
            wrapper: self.wrapper.clone().unwrap_or(Wrapper::Bare),
        }
    }

    /// What was left open becomes plain.
    pub(crate) fn or_plain(&self) -> Style {
        Style {
            template: self.template.unwrap_or(0),
            words: self.words.unwrap_or(0),
            wrapper: self.wrapper.clone().unwrap_or(Wrapper::Bare),
        }
    }
}
