pub(super) mod letter_counting;
pub(super) mod reverse_text;
