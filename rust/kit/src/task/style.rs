//! Wordings of tasks: the same problem in other words has the same answer.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::error::{Error, quoted, unknown};
use crate::rng::{Key, Rng};
use crate::task::about::About;
use crate::task::split::Split;

/// Marks around the answer: the prompt asks for them, and completions are read by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerStyle {
    /// The family's tag.
    #[default]
    Tag,
    /// `\boxed{…}`, as models trained on mathematics write it.
    Boxed,
}

impl AnswerStyle {
    pub const ALL: [Self; 2] = [Self::Tag, Self::Boxed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Boxed => "boxed",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|style| style.name() == name);
        found.ok_or_else(|| unknown("answer style", name, &Self::ALL.map(Self::name)))
    }

    /// The answer in its marks, on separate lines if it has several.
    pub fn wrap(self, answer: &str, tag: &str) -> String {
        let line = if answer.contains('\n') { "\n" } else { "" };
        match self {
            Self::Tag => format!("<{tag}>{line}{answer}{line}</{tag}>"),
            Self::Boxed => format!("\\boxed{{{line}{answer}{line}}}"),
        }
    }

    /// Rewords a prompt's last sentence, which asks for tags, to ask for these marks.
    pub(crate) fn reword(self, sentence: String, tag: &str) -> String {
        match self {
            Self::Tag => sentence,
            Self::Boxed => sentence
                .replace(&format!("<{tag}></{tag}> tags"), "\\boxed{}")
                .replace("write nothing after them", "write nothing after it"),
        }
    }
}

/// Text around the family's prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// The prompt alone.
    Bare,
    /// The exact-contract state of the ASCII-tree experiment: one tag block and nothing else, then "Answer:".
    Contract,
    /// The literal text of the `ReasonRL` article around the prompt, with the title and the tag of the task.
    Reasonrl,
    /// A transcript that ends where the assistant's turn begins, for a model without a chat template.
    Chat,
    /// Asks for reasoning in think tags first; the prompt is left whole, with its last sentence last.
    Think,
    /// A caller's own text, with `{prompt}` and optionally `{tag}` in it.
    Custom(Arc<str>),
}

impl Wrapper {
    pub const NAMES: [&str; 5] = ["bare", "contract", "chat", "think", "reasonrl"];

    /// A wrapper's name, or the text of a custom one.
    pub fn text(&self) -> &str {
        match self {
            Self::Bare => "bare",
            Self::Contract => "contract",
            Self::Reasonrl => "reasonrl",
            Self::Chat => "chat",
            Self::Think => "think",
            Self::Custom(text) => text,
        }
    }

    fn find(text: &str) -> Result<Self, Error> {
        match text {
            "bare" => Ok(Self::Bare),
            "contract" => Ok(Self::Contract),
            "reasonrl" => Ok(Self::Reasonrl),
            "chat" => Ok(Self::Chat),
            "think" => Ok(Self::Think),
            custom if custom.contains("{prompt}") => Ok(Self::Custom(custom.into())),
            _ => Err(unknown("wrapper (or text with {prompt} in it)", text, &Self::NAMES)),
        }
    }

    /// Wraps a family's prompt; the answer goes in `tag` or in a box.
    pub(crate) fn wrap(&self, prompt: String, about: &About, tag: &str, answer: AnswerStyle) -> String {
        match self {
            Self::Bare => prompt,
            Self::Contract => {
                let (marks, outside) = match answer {
                    AnswerStyle::Tag => (format!("<{tag}> tags"), "the tags"),
                    AnswerStyle::Boxed => ("\\boxed{}".to_owned(), "the box"),
                };
                format!(
                    "You are given one {} task. Reply with exactly one answer, wrapped in {marks}. \
                     Write nothing outside {outside}: no code fences, no explanation, no reasoning, no think tags.\
                     \n\n{prompt}\n\nAnswer:",
                    about.title(),
                )
            }
            Self::Reasonrl => {
                let (marks, inside) = match answer {
                    AnswerStyle::Tag => (format!("<{tag}> and </{tag}>"), "tags"),
                    AnswerStyle::Boxed => ("\\boxed{}".to_owned(), "box"),
                };
                let article = match about.name {
                    "ascii_tree" => "an ASCII tree formatting".to_owned(),
                    _ => article(&about.title()),
                };
                format!(
                    "You are solving {article} task.\n\
                     Return exactly one answer wrapped in {marks}.\n\
                     Do not include markdown fences, explanations, reasoning, <think> tags, or any text outside \
                     the {inside}.\n\n{prompt}\n\nAnswer:"
                )
            }
            Self::Chat => format!("User: {prompt}\n\nAssistant:"),
            Self::Think => {
                format!(
                    "Think step by step inside <think></think> tags first, and answer after them.\n\n{prompt}"
                )
            }
            Self::Custom(text) => text.replace("{tag}", tag).replace("{prompt}", &prompt),
        }
    }
}

/// A title with its article.
fn article(title: &str) -> String {
    let an = title.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {title}", if an { "an" } else { "a" })
}

/// The wording of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Index into the family's templates.
    pub template: usize,
    /// Decides every smaller choice of words within the template; `words` in JSON.
    pub wording_seed: u32,
    pub wrapper: Wrapper,
    pub answer: AnswerStyle,
}

impl Style {
    /// The plainest wording: the first template, bare.
    pub const PLAIN: Self =
        Self { template: 0, wording_seed: 0, wrapper: Wrapper::Bare, answer: AnswerStyle::Tag };

    /// The stream of the smaller choices of words.
    pub fn rng(&self) -> Rng {
        Key::new("style", 1, "", u64::from(self.wording_seed), "").stream(self.template as u64)
    }

    /// The style as JSON, for a family with these `templates`.
    pub fn to_json(&self, templates: &[TemplateName]) -> Value {
        json!({
            "template": templates[self.template].name,
            "words": self.wording_seed,
            "wrapper": self.wrapper.text(),
            "answer": self.answer.name(),
        })
    }
}

/// A template's name, and whether it is held out of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateName {
    pub name: &'static str,
    pub held_out: bool,
}

/// Source of the smaller choices of words.
pub enum Choices<'a> {
    /// The style's own stream, which is made only where there are choices to draw.
    Of(&'a Style),
    From(&'a mut Rng),
}

/// A caller's requests for the style; the rest is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyleChoice {
    template: Option<usize>,
    wording_seed: Option<u32>,
    wrapper: Option<Wrapper>,
    answer: AnswerStyle,
}

impl StyleChoice {
    /// Reads `{"template": …, "words": …, "wrapper": …, "answer": …}`, all optional.
    pub fn parse(
        given: &Map<String, Value>,
        family: &'static str,
        templates: &[TemplateName],
    ) -> Result<Self, Error> {
        let invalid = |message| Error::InvalidStyle { family, message };
        let mut choice = Self::default();
        for (name, value) in given {
            let text =
                || value.as_str().ok_or_else(|| invalid(format!("`{name}` is {value}, but must be text")));
            match name.as_str() {
                "template" => choice.template = Some(find(templates, text()?)?),
                "wrapper" => choice.wrapper = Some(Wrapper::find(text()?)?),
                "answer" => choice.answer = AnswerStyle::find(text()?)?,
                "words" => {
                    let words = value.as_u64().and_then(|words| u32::try_from(words).ok());
                    choice.wording_seed = Some(words.ok_or_else(|| {
                        let bounds = format!("must be between 0 and {}", u32::MAX);
                        invalid(format!("`words` is {value}, but {bounds}"))
                    })?);
                }
                _ => {
                    let name = quoted(name);
                    return Err(invalid(format!(
                        "no style field `{name}`; there are template, words, wrapper, answer"
                    )));
                }
            }
        }
        Ok(choice)
    }

    /// Rejects a template that the split may not show.
    pub(crate) fn check(
        &self,
        split: Split,
        family: &'static str,
        templates: &[TemplateName],
    ) -> Result<(), Error> {
        match self.template.map(|template| templates[template]) {
            Some(template) if template.held_out && split == Split::Train => Err(Error::InvalidStyle {
                family,
                message: format!(
                    "template `{}` is held out of the train split; use eval or test",
                    template.name
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Draws the open choices, the template among those that the split may show.
    pub(crate) fn draw(&self, shown: &[usize], rng: &mut Rng) -> Style {
        let drawn = *rng.pick(shown);
        let wording_seed = (rng.word() >> 32) as u32;
        Style {
            template: self.template.unwrap_or(drawn),
            wording_seed: self.wording_seed.unwrap_or(wording_seed),
            wrapper: self.wrapper.clone().unwrap_or(Wrapper::Bare),
            answer: self.answer,
        }
    }

    /// Fills the open choices with the plainest ones.
    pub(crate) fn or_plain(&self) -> Style {
        Style {
            template: self.template.unwrap_or(0),
            wording_seed: self.wording_seed.unwrap_or(0),
            wrapper: self.wrapper.clone().unwrap_or(Wrapper::Bare),
            answer: self.answer,
        }
    }
}

/// The templates that a split may show. The train split never shows one that is held out.
pub(crate) fn shown(templates: &[TemplateName], split: Split) -> Vec<usize> {
    let all = 0..templates.len();
    all.filter(|at| split != Split::Train || !templates[*at].held_out).collect()
}

fn find(templates: &[TemplateName], name: &str) -> Result<usize, Error> {
    let names: Vec<_> = templates.iter().map(|template| template.name).collect();
    names.iter().position(|known| *known == name).ok_or_else(|| unknown("template", name, &names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapper_is_found_by_the_name_it_gives_and_holds_the_whole_prompt() {
        let about = About::new("arithmetic", "digit_sum", &[]);
        let prompt = "What is 1 + 1?\nAnswer inside <answer></answer> tags.";
        for name in Wrapper::NAMES {
            let wrapper = Wrapper::find(name).unwrap();
            assert_eq!(wrapper.text(), name);
            let text = wrapper.wrap(prompt.to_owned(), &about, "answer", AnswerStyle::Tag);
            assert!(text.contains(prompt), "{name}: {text}");
            assert_eq!(text == prompt, name == "bare", "{name}: {text}");
        }
        let boxed = Wrapper::Contract.wrap(prompt.to_owned(), &about, "answer", AnswerStyle::Boxed);
        assert!(boxed.contains("wrapped in \\boxed{}. Write nothing outside the box:"), "{boxed}");
        let tree = About::new("formatting", "ascii_tree", &[]);
        let literal = "You are solving an ASCII tree formatting task.\n\
            Return exactly one answer wrapped in <ascii_formatted> and </ascii_formatted>.\n\
            Do not include markdown fences, explanations, reasoning, <think> tags, or any text outside the \
            tags.\n\nDraw.\n\nAnswer:";
        let text = Wrapper::Reasonrl.wrap("Draw.".to_owned(), &tree, "ascii_formatted", AnswerStyle::Tag);
        assert_eq!(text, literal);
        assert!(Wrapper::find("Chat").is_err());
        assert_eq!(Wrapper::find("Q: {prompt}").unwrap().text(), "Q: {prompt}");
    }
}
