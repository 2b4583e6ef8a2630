//! `cargo dev`: commands for those who work on reasonenv. Everything here reads only the registry.

use std::path::PathBuf;

pub mod book;
pub mod digests;
pub mod gallery;
pub mod game;
pub mod generate;
pub mod item;
pub mod markdown;
pub mod param;
pub mod python;
pub mod scaffold;
pub mod settings;
pub mod vectors;

/// Root of the repository that contains these sources.
pub fn root() -> PathBuf {
    // Read at run time: a built program may have moved with its repository.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.ancestors().nth(2).expect("rust/dev stands two folders deep").to_owned()
}

/// `chain_sum` as `ChainSum`.
pub fn camel_case(name: &str) -> String {
    name.split('_').map(capitalized).collect()
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

/// The id under which Gymnasium knows a version of a family or a game.
pub fn gymnasium_id(name: &str, version: u32) -> String {
    format!("reasonenv/{}-v{version}", camel_case(name))
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
