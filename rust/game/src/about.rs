//! The facts about a game that do not depend on its params.

/// The facts about a game that do not depend on its params.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub struct About {
    /// `snake_case`, stable for ever; the file has the same name.
    pub name: &'static str,
    /// One line for the gallery.
    pub summary: &'static str,
    /// What changed in each version, oldest first. Append a line whenever any reply or start changes.
    pub changes: &'static [&'static str],
    /// What the players are called, first to move first.
    pub players: [&'static str; 2],
    /// Params worth knowing, as JSON objects; tests and the gallery go through them, the default first.
    pub variants: &'static [&'static str],
    /// Whether dice or a deck have a say.
    pub chance: bool,
    /// Whether a player knows what the other does not.
    pub hidden: bool,
    /// Whether a game may return more than 1 or less than -1, so that one win can be worth several.
    pub stakes: bool,
    /// What the first player gets under perfect play with the default params, if known.
    pub value: Option<f32>,
    /// Whether a move can be called a missed win, a missed block or an allowed fork.
    pub tactics: bool,
    /// The most plies that a game can last under any params, those of chance included.
    pub max_plies: u32,
    /// What actions are called in text: `moves`, `columns`, `positions` …
    pub moves: &'static str,
    /// What `Value::score` counts: "own discs left", "boxes more than the opponent" …
    pub score: &'static str,
}

impl About {
    pub fn version(&self) -> u32 {
        self.changes.len() as u32
    }

    /// The name as words.
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }
}
