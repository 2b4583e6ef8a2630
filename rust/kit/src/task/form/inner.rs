//! The form of the problem that a derived one is about.

use super::Form;
use crate::task::erased::Instance;
use crate::task::verdict::Failure;

/// Asks for an inner problem's answer in its own form; the answer stays text.
pub struct OfInner<'a>(pub &'a Instance);

impl Form for OfInner<'_> {
    type Read = String;

    fn asks(&self) -> String {
        self.0.problem.asks()
    }

    fn sentence(&self, tag: &str) -> String {
        self.0.problem.sentence(tag)
    }

    fn read(&self, text: &str) -> Result<String, Failure> {
        Ok(text.to_owned())
    }

    fn write(&self, answer: &String) -> String {
        answer.clone()
    }

    fn respelled(&self, text: &str) -> Option<String> {
        self.0.problem.respelled(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.0.problem.mangled(right)
    }
}
