//! Islanders' statements in words.

use super::Island;
use super::statement::{Claim, Count, Fact, Quantity, Shape, Statement};
use super::worlds::MOST_PEOPLE;
use kit::task::problem::Template;
use kit::words::{self, Joined as _};

pub const TEMPLATES: &[Template<Island>] = &[
    Template::open("island", |island, words| {
        let live = *words.pick(&["live on an island", "are the inhabitants of an island"]);
        format!(
            "{} people {live}: {}. Each of them is either a knight, who makes only true statements, or a knave, who makes only \
             false statements. They all know who is a knight and who is a knave. They make the following statements:\n\n{}\n{}\n\n\
             Find out what kind each islander is.",
            capitalized(number(island.names.len())),
            words::and(&island.names),
            island.said(),
            island.notes()
        )
    }),
    Template::open("visitor", |island, words| {
        let meet = *words.pick(&["you meet", "you come across", "you get to talk to"]);
        let asked = *words.pick(&["Who is a knight, and who is a knave?", "What is each of them?"]);
        format!(
            "You have arrived on a strange island. Everyone who lives there is either a knight or a knave. Whatever a knight says \
             is true, and whatever a knave says is false. On the way from the harbor {meet} {} islanders, {}, who know each other \
             well enough to know which of them are knights and which are knaves. This is what they tell you:\n\n{}\n{}\n\n{asked}",
            number(island.names.len()),
            words::and(&island.names),
            island.said(),
            island.notes()
        )
    }),
    Template::plain("message", |island| {
        format!(
            "Here's the puzzle I told you about. There are {} people on an island, {}. The knights among them always tell the truth, \
             the knaves among them always lie, and everyone is one or the other. They know all about each other, too. They \
             say:\n\n{}\n{}\n\nI think there's only one possible solution, but I can't find it. Who's what?",
            number(island.names.len()),
            words::and(&island.names),
            island.said(),
            island.notes()
        )
    }),
    Template::held_out("census", |island, words| {
        let asked = *words.pick(&["What should the clerk write down?", "Complete the record for the clerk."]);
        format!(
            "A census clerk must record whether each islander is a knight or a knave. A knight never says anything false, and a \
             knave never says anything true. The clerk, who cannot tell them apart, has questioned {} islanders who know one \
             another's kind: {}. Their answers were as follows.\n\n{}\n{}\n\n{asked}",
            number(island.names.len()),
            words::and(&island.names),
            island.said(),
            island.notes()
        )
    }),
    Template::held_out_plain("spec", |island| {
        format!(
            "Knights and knaves\n\nIslanders: {}\nKinds: knight (every statement is true) or knave (every statement is false)\n\
             Knowledge: every islander knows the kind of every islander\nStatements:\n{}\n{}\nTask: determine the kind of every \
             islander (the solution is unique)\n",
            island.names.iter().listed(),
            island.said(),
            island.notes()
        )
    }),
];

impl Island {
    /// Everybody's statements, one per line.
    fn said(&self) -> String {
        let said = self.statements.iter().map(|statement| {
            let speaker = &self.names[usize::from(statement.speaker)];
            let voice = Voice { names: &self.names, me: Some(statement.speaker) };
            format!("{speaker}: \"{}.\"\n", capitalized(&voice.statement(statement)))
        });
        said.collect()
    }

    /// Notes on ambiguities.
    fn notes(&self) -> String {
        let mut notes = "Each quoted statement is true or false as a whole.".to_owned();
        if self.statements.iter().any(|statement| statement.claim.shape() == Shape::If) {
            notes += " A statement with \"if\" and \"then\" is false only when the part after \"if\" is true and the part after \
                      \"then\" is false.";
        }
        if self.statements.iter().any(|statement| !statement.through.is_empty()) {
            notes += " That somebody \"would say\" something means that they would answer yes if asked whether it is true: a knight \
                      would if it is true, and a knave would if it is false.";
        }
        notes
    }
}

fn capitalized(text: &str) -> String {
    text[..1].to_ascii_uppercase() + &text[1..]
}

/// The speaker, who knows people by name.
#[derive(Clone, Copy)]
pub struct Voice<'a> {
    pub names: &'a [String],
    /// The person who says "I".
    pub me: Option<u8>,
}

impl Voice<'_> {
    pub fn statement(self, statement: &Statement) -> String {
        // Within a report, "I" would refer to somebody else.
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

    /// Names joined by commas and "and"; the speaker comes last, as `me`.
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
    a about across after all always among an and answer answers any anything apart are arrived as asked at \
    both breaks but by cannot census clerk come commas complete determine different down each eight either \
    enough every everyone exactly false find five following follows for four from get harbor has have i if \
    in inhabitants inside is island islander islanders it kind kinds knave knaves knight knights know \
    knowledge knows least lie line list live lives make makes me means meet most must name never nine \
    nothing of on once one only or order other out part people possible puzzle questioned quoted record same \
    say says separated seven should six solution somebody something statement statements strange tags talk \
    task tell ten that the their them then there they think this three to told too true truth two unique us \
    way well were what whatever when whether which who whole with would write yes you";
/// Words that can replace names.
const PRONOUNS: &str = "everybody everything he her him no nobody none she someone we";

/// True if a person of that name would make a statement ambiguous.
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
                format!("`names[1]` is `{name}`, but must be a name that is not a word of the prompt")
            );
        }
    }
}
