//! Facts about a game that do not depend on its params.

/// Facts about a game that do not depend on its params.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub struct About {
    /// `snake_case` name; it never changes, and the game's file has the same name.
    pub name: &'static str,
    /// One-line summary for the gallery.
    pub summary: &'static str,
    /// Change made by each version, oldest first. Append a line whenever any reply or start changes.
    pub changes: &'static [&'static str],
    /// Names of the players; the first moves first.
    pub players: [&'static str; 2],
    /// Params worth knowing, as JSON objects, the default first; tests and the gallery visit each of them.
    pub variants: &'static [&'static str],
    /// True if dice or a deck take part.
    pub chance: bool,
    /// True if a player knows something that the other does not.
    pub hidden: bool,
    /// True if returns may exceed 1 or fall below -1, so that one win can be worth several.
    pub stakes: bool,
    /// Return of the first player under perfect play with the default params, if known.
    pub value: Option<f32>,
    /// True if a move can be called a missed win, a missed block or an allowed fork.
    pub tactics: bool,
    /// Most plies that a game can last under any params, including those of chance.
    pub max_plies: u32,
    /// Word for actions in text: `moves`, `columns`, `positions` …
    pub moves: &'static str,
    /// Unit of `Value::score`: "own discs left", "boxes more than the opponent" …
    pub score: &'static str,
}

impl About {
    /// Facts to override: a game of perfect information without chance.
    pub const fn new(name: &'static str, changes: &'static [&'static str]) -> Self {
        Self {
            name,
            summary: "",
            changes,
            players: ["first", "second"],
            variants: &["{}"],
            chance: false,
            hidden: false,
            stakes: false,
            value: None,
            tactics: false,
            max_plies: 0,
            moves: "moves",
            score: "1 if won, -1 if lost",
        }
    }

    pub fn version(&self) -> u32 {
        self.changes.len() as u32
    }

    /// The name as words.
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    trait Family {
        const ABOUT: About;
        fn about(&self) -> &'static About {
            const { &Self::ABOUT }
        }
    }

    struct One;

    impl Family for One {
        const ABOUT: About = About { tactics: true, ..About::new("one", &["First version."]) };
    }

    #[test]
    fn facts_may_be_a_constant_of_the_family() {
        assert_eq!((One.about().name, One.about().tactics), ("one", true));
        assert!(std::ptr::eq(One.about(), One.about()));
    }
}
