//! Forms of answers: one object asks for an answer, reads it and writes it, so that the prompt, the reader
//! and the negative controls cannot disagree.

mod assignment;
mod choices;
mod day;
mod expression;
mod inner;
mod integer;
mod integers;
mod line;
mod marks;
mod numbers;
mod numeral;
mod product;
mod respelling;
mod route;
mod sequence;
mod squares;
mod verbatim;

pub use assignment::Assignment;
pub use choices::Choices;
pub use day::Day;
pub use expression::Expression;
pub use fraction::Fraction;
pub use grid::Grid;
pub use inner::OfInner;
pub use integer::Integer;
pub use integers::Integers;
pub use line::Line;
pub use marks::Marks;
pub use numbers::Numbers;
pub use numeral::Numeral;
pub use product::Product;
pub use route::{Ends, Route};
pub use sequence::Sequence;
pub use squares::Squares;
pub use verbatim::Verbatim;

pub mod fraction;
pub mod grid;

use crate::task::verdict::Failure;

/// The form of an answer.
pub trait Form {
    /// A parsed answer.
    type Read;

    /// The request, as the start of a sentence that continues with "inside … tags": "Give your answer as one
    /// integer in digits, without separators,".
    fn asks(&self) -> String;

    /// The last sentence of every prompt.
    fn sentence(&self, tag: &str) -> String {
        let mut sentence = self.asks();
        sentence.extend([" inside <", tag, "></", tag, "> tags, and write nothing after them."]);
        sentence
    }

    /// Reads an answer, trimmed. Total; accepts exactly what the sentence allows and says what is malformed.
    fn read(&self, text: &str) -> Result<Self::Read, Failure>;

    /// Writes an answer so that [`Form::read`] returns it.
    fn write(&self, answer: &Self::Read) -> String;

    /// The answer in the spelling of the form, if a model that was not given the form used other separators.
    /// It has only one meaning, and only the lenient reading asks for it.
    fn respelled(&self, _text: &str) -> Option<String> {
        None
    }

    /// Spellings of the right answer that the sentence does not allow; all must fail.
    fn mangled(&self, right: &str) -> Vec<String>;
}

/// Items between commas, without the optional white space around them, which includes line breaks.
pub fn between_commas(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(|item| item.trim_matches([' ', '\t', '\r', '\n']))
}

/// Decorations that models put around an answer unasked.
pub fn decorated(right: &str) -> Vec<String> {
    vec![
        format!("The answer is {right}"),
        format!("{right} or so"),
        format!("`{right}`"),
        format!("\"{right}\""),
        format!("**{right}**"),
        format!("${right}$"),
        format!("\\boxed{{{right}}}"),
        format!("```\n{right}\n```"),
        format!("{right}; {right}"),
        format!("{{\"answer\": \"{right}\"}}"),
    ]
}
