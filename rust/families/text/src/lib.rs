//! Task families: text.

use kit::task::erased::AnyFamily;

mod caesar_cipher;
mod letter_counting;
mod palindrome_completion;
mod reverse_text;
mod story_order;
mod word_sorting;
mod words;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &caesar_cipher::CaesarCipher,
    &letter_counting::LetterCounting,
    &palindrome_completion::PalindromeCompletion,
    &reverse_text::ReverseText,
    &story_order::StoryOrder,
    &word_sorting::WordSorting,
];
