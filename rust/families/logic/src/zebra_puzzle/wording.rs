//! Names of items, and the wording of clues.

use super::clue::Relation;
use super::{Clue, Street};
use kit::task::problem::Template;
use kit::words::Joined as _;

/// Words of a category: its name, the description of somebody by one of its items, and the items.
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

    /// The items, one category per line: "people: Ada, Ben, Cleo".
    fn inventory(&self) -> String {
        let line = |(what, _, words): &Category| format!("{what}: {}", words[..self.houses].join(", "));
        CATEGORIES[..self.categories].iter().map(line).lines()
    }
}

pub const TEMPLATES: &[Template<Street>] = &[
    Template::plain("street", |street| {
        format!(
            "There are {} houses in a row, numbered from 1 on the left to {} on the right. Exactly one person lives in each house. The \
             items in each of the following categories are distributed among the houses, so that every house has exactly one item \
             from each category.\n\n{}\n\nUse these clues to find out in which house each item is:\n\n{}\n\nThere is exactly one \
             solution.",
            street.houses,
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
    Template::plain("neighbors", |street| {
        format!(
            "{}\n\nThose are all the clues I have. It's one of those puzzles about neighbors on a street: there are houses 1 to {}, \
             counted from left to right, with one person in each. No two people have the same item from any of these lists, so each \
             item belongs to one house:\n\n{}\n\nThere should be just one way to make everything fit. Can you tell me the number of \
             the house for every single item?",
            street.listed(),
            street.houses,
            street.inventory()
        )
    }),
    Template::plain("spec", |street| {
        format!(
            "Logic grid puzzle\n\nPositions: houses 1 (far left) to {} (far right), one person per house\nCategories and items:\n{}\n\
             Assignment: each item goes to one house; items of the same category go to different houses\nClues:\n{}\nTask: determine \
             the house of every item (the solution is unique)\n",
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
    Template::held_out_plain("postman", |street| {
        format!(
            "On his first day at work, a young mailman tries to remember who lives where on Elm Street. It has houses 1 to {} from left \
             to right, and one person lives in each of them. He has made a list of everything he knows about; no two items on the \
             same line belong to the same house.\n\n{}\n\nHis colleagues have told him:\n\n{}\n\nThat is all he needs to work out which \
             house each item on his list belongs to. What does he find?",
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
    Template::held_out_plain("functions", |street| {
        format!(
            "Each line below lists the {} items of a category. Assign to every item a number from 1 to {}, so that different items of \
             the same category have different numbers.\n\n{}\n\nThe numbers are those of houses in a row, counted from left to \
             right, and items with the same number belong to the same person, who lives in that house. The assignment must satisfy \
             all of these conditions, and there is only one that does:\n\n{}\n\nGive the number of each item.",
            street.houses,
            street.houses,
            street.inventory(),
            street.listed()
        )
    }),
];
