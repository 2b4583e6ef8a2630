pub(super) mod caesar_cipher;
pub(super) mod letter_counting;
pub(super) mod reverse_text;
pub(super) mod word_sorting;
mod words;
