pub(super) mod caesar_cipher;
pub(super) mod letter_counting;
pub(super) mod palindrome_completion;
pub(super) mod reverse_text;
pub(super) mod unscramble_sentence;
pub(super) mod word_sorting;
mod words;
