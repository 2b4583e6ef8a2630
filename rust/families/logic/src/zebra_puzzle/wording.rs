//! What things are called, and how a clue is told.

use super::clue::Relation;
use super::{Clue, Street};
use kit::task::problem::Template;
use kit::words::Joined as _;

/// Words of a category: what they are together, how somebody is described by one, and each.
type Category = (&'static str, &'static str, [&'static str; 6]);

pub const CATEGORIES: [Category; 6] = [
    ("people", "*", ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    ("doors", "the person with the * door", ["red", "blue", "green", "white", "yellow", "black"]),
    ("pets", "the person who keeps the *", ["cat", "dog", "fish", "parrot", "rabbit", "snake"]),
    ("drinks", "the person who drinks *", ["tea", "coffee", "milk", "juice", "water", "cocoa"]),
    ("instruments", "the person who plays the *", ["piano", "violin", "flute", "drum", "harp", "guitar"]),
    ("kinds of fruit", "the person who likes the *", ["apple", "plum", "pear", "lemon", "melon", "grape"]),
];

impl Street {
    pub fn words(&self) -> Vec<String> {
        let of = |category: &Category| category.2.into_iter().take(self.houses).map(str::to_owned);
        CATEGORIES[..self.categories].iter().flat_map(of).collect()
    }

    pub fn sentence(&self, clue: Clue) -> String {
        let who = |thing: usize| {
            let (_, described, words) = CATEGORIES[thing / self.houses];
            described.replace('*', words[thing % self.houses])
        };
        let said = match clue {
            Clue::At { thing, house } => format!("{} lives in house {house}.", who(thing)),
            Clue::NotAt { thing, house } => format!("{} does not live in house {house}.", who(thing)),
            Clue::Pair { relation, one, other } => {
                let how = match relation {
                    Relation::Same => "is",
                    Relation::Apart => "is not",
                    Relation::NextTo => "lives next door to",
                    Relation::LeftOf => "lives directly to the left of",
                    Relation::Before => "lives somewhere to the left of",
                };
                format!("{} {how} {}.", who(one), who(other))
            }
        };
        let (first, rest) = said.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    }

    fn listed(&self) -> String {
        let line = |(number, clue): (usize, &Clue)| format!("{number}. {}", self.sentence(*clue));
        (1..).zip(&self.clues).map(line).lines()
    }

    /// What there is, a kind a line: "people: Ada, Ben, Cleo".
    fn inventory(&self) -> String {
        let line = |(what, _, words): &Category| format!("{what}: {}", words[..self.houses].join(", "));
        CATEGORIES[..self.categories].iter().map(line).lines()
    }
}

pub const TEMPLATES: &[Template<Street>] = &[
    Template::plain("street", |street| {
        format!(
            "{} houses stand in a row, numbered from 1 on the left to {} on the right. One person lives in each, and each of these \
             belongs to exactly one house, so that every house has one of every kind:\n\n{}\n\nThis is known:\n\n{}\n\nWhich house \
             does each name and each word belong to?",
            street.houses,
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
    Template::plain("neighbours", |street| {
        format!(
            "{}\n\nThese are the clues to a puzzle. In a street with houses 1 to {}, counted from the left, live as many people, one \
             to a house. Everybody has one of each of these kinds, and no two have the same:\n\n{}\n\nFind the number of the house \
             for each name and each word.",
            street.listed(),
            street.houses,
            street.inventory()
        )
    }),
    Template::held_out_plain("postman", |street| {
        format!(
            "A new postman learns who lives where. His row has the houses 1 to {} from left to right, with one person each. He has \
             to find a house for every name and word of this list; no two of one line go to the same house.\n\n{}\n\nHis notes \
             say:\n\n{}\n\nOnly one arrangement agrees with all of his notes. What is it?",
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
];
