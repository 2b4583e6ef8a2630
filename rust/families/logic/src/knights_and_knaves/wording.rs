//! What islanders say, in words.

use super::Island;
use super::statement::{Claim, Count, Fact, Quantity, Shape, Statement};
use super::worlds::MOST_PEOPLE;
use kit::rng::Rng;
use kit::task::problem::Template;
use kit::words;

pub const TEMPLATES: &[Template<Island>] = &[
    Template::open("island", |island, words| {
        let live = *words.pick(&["On an island live", "An island is home to"]);
        let opening = format!(
            "{live} {}: {}. Each of them is either a knight or a knave. Everything a knight says is true, \
             and everything a knave says is false. All of them know who is what. They tell you:",
            number(island.names.len()),
            words::and(&island.names)
        );
        island.worded(&opening, words)
    }),
    Template::open("visitor", |island, words| {
        let meet = *words.pick(&["You meet", "You come across", "You are met by"]);
        let opening = format!(
            "You are visiting an island where everybody is of one of two kinds: knights, whose statements \
             are always true, and knaves, whose statements are always false. {meet} {} islanders, {}, who \
             know each other's kinds. They say:",
            number(island.names.len()),
            words::and(&island.names)
        );
        island.worded(&opening, words)
    }),
    Template::held_out("census", |island, words| {
        let opening = format!(
            "The census of an island lists {} inhabitants, {}, but not their kinds. An islander's kind is \
             knight or knave: a knight never says anything false, a knave never says anything true. When \
             asked, the islanders, who know all about each other, say:",
            number(island.names.len()),
            words::and(&island.names)
        );
        island.worded(&opening, words)
    }),
];

impl Island {
    /// After an opening what everybody says, notes on what may not be clear, and the question.
    fn worded(&self, opening: &str, words: &mut Rng) -> String {
        let said = self.statements.iter().map(|statement| {
            let speaker = &self.names[usize::from(statement.speaker)];
            let voice = Voice { names: &self.names, me: Some(statement.speaker) };
            let said = voice.statement(statement);
            format!("{speaker}: \"{}{}.\"\n", said[..1].to_ascii_uppercase(), &said[1..])
        });
        let said: String = said.collect();
        let mut notes = "Each quoted statement is true or false as a whole.".to_owned();
        if self.statements.iter().any(|statement| statement.claim.shape() == Shape::If) {
            notes += " An \"if ..., then ...\" is false only when its first part is true and its second part is false.";
        }
        if self.statements.iter().any(|statement| !statement.through.is_empty()) {
            notes += " That somebody \"would say\" something means: asked whether it is true, they would answer yes, \
                      which is true of a knight if it is true, and of a knave if it is false.";
        }
        let asked = *words.pick(&[
            "Who is a knight and who is a knave?",
            "Find out what each of them is.",
            "Work out everybody's kind.",
        ]);
        format!("{opening}\n\n{said}\n{notes}\n\n{asked}")
    }
}

/// Who is speaking, to whom people are known by name.
#[derive(Clone, Copy)]
pub struct Voice<'a> {
    pub names: &'a [String],
    /// Whoever says "I".
    pub me: Option<u8>,
}

impl Voice<'_> {
    pub fn statement(self, statement: &Statement) -> String {
        // Inside another's words "I" would be somebody else.
        let inner = Self { me: self.me.filter(|_| statement.through.is_empty()), ..self };
        let reports = statement.through.iter().map(|person| {
            let name = &self.names[usize::from(*person)];
            format!("{name} would say that ")
        });
        reports.collect::<String>() + &inner.claim(&statement.claim)
    }

    pub fn fact(self, fact: Fact) -> String {
        let kind = kind(fact.knight);
        if self.me == Some(fact.person) {
            format!("I am a {kind}")
        } else {
            format!("{} is a {kind}", self.names[usize::from(fact.person)])
        }
    }

    fn claim(self, claim: &Claim) -> String {
        match claim {
            Claim::Is(a) => self.fact(*a),
            Claim::Both(a, b) if a.knight == b.knight => {
                let people = self.list(&[a.person, b.person], "I");
                format!("{people} are both {}s", kind(a.knight))
            }
            Claim::Both(a, b) => format!("{} and {}", self.fact(*a), self.fact(*b)),
            Claim::Either(a, b) if a.knight == b.knight => {
                let people = self.list(&[a.person, b.person], "me");
                format!("at least one of {people} is a {}", kind(a.knight))
            }
            Claim::Either(a, b) => format!("{} or {}, or both", self.fact(*a), self.fact(*b)),
            Claim::If(a, b) => format!("if {}, then {}", self.fact(*a), self.fact(*b)),
            Claim::Same(a, b) => format!("{} are of the same kind", self.list(&[*a, *b], "I")),
            Claim::Different(a, b) => {
                format!("{} are of different kinds", self.list(&[*a, *b], "I"))
            }
            Claim::Count(count) => self.count(count),
        }
    }

    fn count(self, count: &Count) -> String {
        let quantity = match count.quantity {
            Quantity::Exactly => "exactly",
            Quantity::AtLeast => "at least",
            Quantity::AtMost => "at most",
        };
        let everybody = count.people.len() == self.names.len();
        let people = match self.me {
            Some(_) if everybody => "us".into(),
            None if everybody => format!("the {} islanders", number(self.names.len())),
            _ => self.list(&count.people, "me"),
        };
        let (verb, plural) = if count.number == 1 { ("is a", "") } else { ("are", "s") };
        format!(
            "{quantity} {} of {people} {verb} {}{plural}",
            number(count.number.into()),
            kind(count.knights)
        )
    }

    /// Names with commas and "and"; the speaker comes last, as `me`.
    fn list(self, people: &[u8], me: &str) -> String {
        let others = people.iter().filter(|person| self.me != Some(**person));
        let mut names: Vec<&str> = others.map(|person| self.names[usize::from(*person)].as_str()).collect();
        if names.len() < people.len() {
            names.push(me);
        }
        words::and(&names)
    }
}

/// Every word of the prompts.
pub const WORDS: &str = "\
    a about across after all always an and answer any anything are as asked at both breaks but by census \
    come commas different each eight either every everybody everything exactly false find first five \
    four home i if in inhabitants inside is island islander islanders it its kind kinds knave knaves \
    knight knights know least line list lists live me means meet met most name never nine not nothing of \
    on once one only or order other out part quoted same say says second separated seven six somebody \
    something statement statements tags tell ten that the their them then they three to true two us \
    visiting what when where whether which who whole whose work would write yes you";
/// Words that stand where names do.
const PRONOUNS: &str = "everyone he her him no nobody none she someone we";

/// Whether a statement about somebody of that name could be read in two ways.
pub fn is_word(name: &str) -> bool {
    WORDS.split(' ').chain(PRONOUNS.split(' ')).any(|word| word.eq_ignore_ascii_case(name))
}

pub fn kind(knight: bool) -> &'static str {
    if knight { "knight" } else { "knave" }
}

pub fn number(n: usize) -> &'static str {
    const WORDS: [&str; MOST_PEOPLE + 1] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS[n]
}

#[cfg(test)]
mod tests {
    use kit::task::style::Choices;
    use std::collections::BTreeSet;

    use super::super::{Claims, IslandParams, KnightsAndKnaves};
    use super::*;
    use kit::budget::Budget;
    use kit::rng::Key;
    use kit::task::family::TaskFamily;
    use kit::task::form::Form;
    use kit::task::problem::Problem;
    use kit::words::Joined as _;

    #[test]
    fn claims_are_true_when_they_read_so() {
        let fact = |person, knight| Fact { person, knight };
        let count = |quantity, number, knights| {
            let people = vec![0, 1, 2];
            Claim::Count(Count { quantity, number, people, knights })
        };
        let names = ["Ada", "Ben", "Cleo"].map(String::from);
        let voice = Voice { names: &names, me: Some(0) };
        for (claim, reads, holds) in [
            // `holds` has a digit for each world from three knaves to three knights.
            (Claim::Is(fact(1, false)), "Ben is a knave", "11001100"),
            (Claim::Both(fact(0, true), fact(1, true)), "Ben and I are both knights", "00010001"),
            (Claim::Both(fact(0, true), fact(1, false)), "I am a knight and Ben is a knave", "01000100"),
            (
                Claim::Either(fact(0, false), fact(2, false)),
                "at least one of Cleo and me is a knave",
                "11111010",
            ),
            (
                Claim::Either(fact(1, true), fact(2, false)),
                "Ben is a knight or Cleo is a knave, or both",
                "11110011",
            ),
            (
                Claim::If(fact(1, true), fact(2, true)),
                "if Ben is a knight, then Cleo is a knight",
                "11001111",
            ),
            (Claim::Same(1, 0), "Ben and I are of the same kind", "10011001"),
            (Claim::Different(1, 2), "Ben and Cleo are of different kinds", "00111100"),
            (count(Quantity::Exactly, 2, true), "exactly two of us are knights", "00010110"),
            (count(Quantity::AtLeast, 1, false), "at least one of us is a knave", "11111110"),
            (count(Quantity::AtMost, 1, true), "at most one of us is a knight", "11101000"),
        ] {
            let statement = Statement { speaker: 0, through: vec![], claim };
            assert_eq!(voice.statement(&statement), reads);
            let truths = (0..8).map(|knights| if statement.is_true(knights) { '1' } else { '0' });
            assert_eq!(truths.collect::<String>(), holds, "{reads}");
        }
        let reported = Statement { speaker: 0, through: vec![1, 0], claim: Claim::Is(fact(0, true)) };
        assert_eq!(voice.statement(&reported), "Ben would say that Ada would say that Ada is a knight");
        // Ada would say it whatever she is, so Ben would if he is a knight.
        assert_eq!((0..8).filter(|knights| reported.is_true(*knights)).collect::<Vec<_>>(), [2, 3, 6, 7]);
    }

    #[test]
    fn nobody_is_called_by_a_word_of_the_prompts() {
        let mut rng = Key::new("words", 1, "", 0, "").stream(0);
        let mut words = BTreeSet::new();
        for people in 3..=MOST_PEOPLE as u32 {
            let params = IslandParams::new(people, 1, Claims::Counted, true, 2);
            for _ in 0..40 {
                let budget = &mut Budget::new(1_000_000);
                let island = KnightsAndKnaves.generate(&params, &mut rng, budget).unwrap();
                let names: Vec<String> = island.names.iter().map(|name| name.to_ascii_lowercase()).collect();
                for template in Island::TEMPLATES {
                    let prompt =
                        template.word(&island, Choices::From(&mut rng)) + &island.form().sentence("answer");
                    let prompt = prompt.to_ascii_lowercase();
                    let found = prompt.split(|c: char| !c.is_ascii_alphabetic() && c != '\'');
                    let plain = found.filter(|word| !word.is_empty() && !word.contains('\''));
                    words.extend(plain.map(str::to_owned).filter(|word| !names.contains(word)));
                }
            }
        }
        assert_eq!(words.into_iter().joined(" "), WORDS);
        let budget = &mut Budget::new(1_000_000);
        let mut island = KnightsAndKnaves.generate(&IslandParams::default(), &mut rng, budget).unwrap();
        for name in ["I", "me", "And", "KNIGHT", "knaves", "a", "Nobody"] {
            name.clone_into(&mut island.names[1]);
            let refused = island.check().unwrap_err();
            assert_eq!(
                refused,
                format!("`names[1]` is `{name}`, but must be a name that is no word of the prompt")
            );
        }
    }
}
