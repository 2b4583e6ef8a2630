//! Finding out who is who the way a person does: what a statement forces, and what supposing leads to.

use super::Island;
use super::statement::{Fact, Statement};
use super::wording::kind;
use super::worlds::{Knights, Worlds, is_knight, people};
use kit::words;

/// One line of an argument.
enum Line {
    /// A statement forces something by itself.
    Forced { statement: usize, reason: Reason, learned: Vec<Fact> },
    /// Supposing a fact leads to a contradiction, so it is false.
    Refuted { supposed: Fact, argument: Argument },
    /// Of `left` ways to assign the open kinds, exactly one fits every statement.
    Tried { left: u32, learned: Vec<Fact> },
}

enum Reason {
    /// The speaker's kind is known, and with it the truth of the statement.
    Speaker { knight: bool },
    /// The truth of the statement is known, and with it the speaker's kind.
    Said { truth: bool },
    /// From a speaker of the other kind, the statement would contradict itself.
    SelfDefeating,
    /// Either kind of speaker leads to the same conclusion.
    EitherWay,
}

/// Lines of an argument, and the contradiction they end in, if any.
#[derive(Default)]
struct Argument {
    lines: Vec<Line>,
    contradiction: Option<Contradiction>,
}

/// A statement that no longer fits, and its speaker's kind if known.
#[derive(Clone, Copy)]
struct Contradiction {
    statement: usize,
    speaker: Option<bool>,
}

/// The facts known so far.
#[derive(Clone, Copy)]
struct Known {
    people: Knights,
    knights: Knights,
    /// The worlds that agree with all of them.
    worlds: Worlds,
    /// Statements, as bits, whose people have become better known since they were last looked at.
    pending: u32,
}

/// Most suppositions open at once; anything they leave open is tried out.
const DEEPEST_SUPPOSITION: u32 = 2;
/// Maximum number of looks at a statement while finding an argument.
const LOOKS: u32 = 100_000;

/// The argument that finds out who is who on an island.
pub struct Deduction<'a> {
    island: &'a Island,
    /// For each statement, the worlds it fits and the people it connects.
    fits: Vec<Worlds>,
    connects: Vec<Knights>,
    looks_left: u32,
    argument: Argument,
}

impl<'a> Deduction<'a> {
    /// Never fails: on an island without a solution, or with several, the argument ends early.
    pub fn of(island: &'a Island) -> Self {
        let mut known = Known {
            people: 0,
            knights: 0,
            worlds: Worlds::of(island.names.len()),
            pending: (1 << island.statements.len()) - 1,
        };
        let statements = island.statements.iter();
        let mut deduction = Self {
            island,
            fits: statements.clone().map(Statement::fitting_worlds).collect(),
            connects: statements.map(Statement::people).collect(),
            looks_left: LOOKS,
            argument: Argument::default(),
        };
        let mut argument = Argument::default();
        for depth in 0..=DEEPEST_SUPPOSITION {
            deduction.argue(&mut known, depth, &mut argument);
        }
        let open = island.everybody() & !known.people;
        let fits = deduction.fits.iter();
        let fitting = fits.fold(known.worlds, |all, fits| all & *fits);
        if let (1.., Some(knights)) = (open, fitting.first()) {
            argument.lines.push(Line::Tried { left: known.worlds.count(), learned: facts(open, knights) });
        }
        deduction.argument = argument;
        deduction
    }

    /// Extends the argument until everything is known, a statement is contradicted, or nothing more follows
    /// with at most `depth` suppositions open at once.
    fn argue(&mut self, known: &mut Known, depth: u32, argument: &mut Argument) {
        loop {
            self.follow(known, argument);
            let open = self.island.everybody() & !known.people;
            if argument.contradiction.is_some() || open == 0 || depth == 0 {
                return;
            }
            // Of the suppositions that lead to a contradiction, the shortest.
            let mut shortest: Option<(u32, Fact, Argument)> = None;
            for fact in facts(open, open).into_iter().chain(facts(open, 0)) {
                let (mut supposed, mut tried) = (*known, Argument::default());
                self.learn(&mut supposed, fact);
                self.argue(&mut supposed, depth - 1, &mut tried);
                let Some(contradiction) = tried.contradiction else {
                    continue;
                };
                self.keep_what_matters(&mut tried.lines, contradiction);
                let effort = self.effort_of(&tried);
                if shortest.as_ref().is_none_or(|(least, ..)| effort < *least) {
                    shortest = Some((effort, fact, tried));
                }
            }
            let Some((_, supposed, tried)) = shortest else {
                return;
            };
            self.learn(known, supposed.opposite());
            argument.lines.push(Line::Refuted { supposed, argument: tried });
        }
    }

    /// Adds what each statement forces by itself, until none forces anything or one is contradicted.
    fn follow(&mut self, known: &mut Known, argument: &mut Argument) {
        while known.pending != 0 && self.looks_left > 0 {
            self.looks_left -= 1;
            let statement = known.pending.trailing_zeros() as usize;
            known.pending &= known.pending - 1;
            let left = self.fits[statement] & known.worlds;
            if left.is_empty() {
                let speaker = known.kind_of(self.island.statements[statement].speaker);
                argument.contradiction = Some(Contradiction { statement, speaker });
                return;
            }
            let (reason, learned) = self.forced(statement, left, known);
            for fact in &learned {
                self.learn(known, *fact);
            }
            if !learned.is_empty() {
                argument.lines.push(Line::Forced { statement, reason, learned });
            }
        }
    }

    fn learn(&self, known: &mut Known, fact: Fact) {
        let (bit, knight) = (1 << fact.person, Worlds::with_knight(fact.person));
        known.people |= bit;
        if fact.knight {
            known.knights |= bit;
            known.worlds = known.worlds & knight;
        } else {
            known.worlds = known.worlds & !knight;
        }
        for (statement, people) in self.connects.iter().enumerate() {
            known.pending |= u32::from(people & bit != 0) << statement;
        }
    }

    /// The facts that a statement forces if it leaves the worlds `left`. If they include the speaker's kind,
    /// only that: the consequences belong on another line.
    fn forced(&self, statement: usize, left: Worlds, known: &Known) -> (Reason, Vec<Fact>) {
        let mut learned = Vec::new();
        for person in people(self.connects[statement] & !known.people) {
            let knight = Worlds::with_knight(person);
            if left.is_within(knight) {
                learned.push(Fact { person, knight: true });
            } else if (left & knight).is_empty() {
                learned.push(Fact { person, knight: false });
            }
        }
        let speaker = self.island.statements[statement].speaker;
        if let Some(knight) = known.kind_of(speaker) {
            return (Reason::Speaker { knight }, learned);
        }
        if learned.iter().all(|fact| fact.person != speaker) {
            return (Reason::EitherWay, learned);
        }
        learned.retain(|fact| fact.person == speaker);
        let said = self.island.statements[statement].true_worlds();
        let reason = if known.worlds.is_within(said) {
            Reason::Said { truth: true }
        } else if (known.worlds & said).is_empty() {
            Reason::Said { truth: false }
        } else {
            Reason::SelfDefeating
        };
        (reason, learned)
    }

    /// Drops the lines that a contradiction does not depend on.
    fn keep_what_matters(&self, lines: &mut Vec<Line>, contradiction: Contradiction) {
        let mut matters = self.connects[contradiction.statement];
        let mut kept = Vec::new();
        for line in lines.drain(..).rev() {
            let learned = match &line {
                Line::Forced { learned, .. } | Line::Tried { learned, .. } => learned,
                Line::Refuted { supposed, .. } => &vec![*supposed],
            };
            if learned.iter().any(|fact| is_knight(matters, fact.person)) {
                matters |= self.rests_on(&line);
                kept.push(line);
            }
        }
        kept.reverse();
        *lines = kept;
    }

    /// The people whose kinds a line depends on.
    fn rests_on(&self, line: &Line) -> Knights {
        match line {
            Line::Forced { statement, .. } => self.connects[*statement],
            Line::Tried { .. } => self.island.everybody(),
            Line::Refuted { argument, .. } => {
                let last = argument.contradiction.iter();
                let last = last.map(|last| self.connects[last.statement]);
                let lines = argument.lines.iter().map(|line| self.rests_on(line));
                lines.chain(last).fold(0, |people, more| people | more)
            }
        }
    }

    /// Effort of the argument: the weights of the statements it uses, with suppositions counting extra.
    pub fn effort(&self) -> u32 {
        self.effort_of(&self.argument)
    }

    fn effort_of(&self, argument: &Argument) -> u32 {
        let weight = |statement: usize| 1 + self.island.statements[statement].weight();
        let lines = argument.lines.iter().map(|line| match line {
            Line::Forced { statement, .. } => weight(*statement),
            Line::Refuted { argument, .. } => 3 + 2 * self.effort_of(argument),
            Line::Tried { left, .. } => left * self.fits.len() as u32,
        });
        let last = argument.contradiction.iter();
        lines.chain(last.map(|last| weight(last.statement))).sum()
    }

    /// One or more sentences for each fact found.
    pub fn steps(&self) -> Vec<String> {
        let lines = self.argument.lines.iter();
        lines.map(|line| self.line(line, 0)).collect()
    }

    /// A hint for each of these steps: whose statement to look at, or whom to suppose something about.
    pub fn hints(&self) -> Vec<String> {
        let name = |person: u8| &self.island.names[usize::from(person)];
        let hint = |line: &Line| match line {
            Line::Forced { statement, reason, .. } => {
                let speaker = name(self.island.statements[*statement].speaker);
                let why = match reason {
                    Reason::Speaker { .. } => "the speaker is known",
                    Reason::Said { .. } => "whether it is true is known",
                    Reason::SelfDefeating => "not everyone could say so",
                    Reason::EitherWay => "something follows whoever says so",
                };
                format!("Look at what {speaker} says: {why}.")
            }
            Line::Refuted { supposed, .. } => {
                format!("Suppose something about {}, and look for a contradiction.", name(supposed.person))
            }
            Line::Tried { .. } => "Try out all ways that are left for the others.".to_owned(),
        };
        self.argument.lines.iter().map(hint).collect()
    }

    fn line(&self, line: &Line, depth: usize) -> String {
        match line {
            Line::Forced { statement, reason, learned } => self.forced_line(*statement, reason, learned),
            Line::Refuted { supposed, argument } => {
                let lines = argument.lines.iter();
                let lines: String = lines.map(|line| self.line(line, depth + 1) + " ").collect();
                let last = argument.contradiction.map(|last| self.contradiction(last));
                format!(
                    "Suppose{} {}. {lines}{} {} {}.",
                    if depth == 0 { "" } else { " further that" },
                    self.facts(&[*supposed]),
                    last.expect("a refutation ends in a contradiction"),
                    if depth == 0 { "So" } else { "So in this case" },
                    self.facts(&[supposed.opposite()]),
                )
            }
            Line::Tried { left, learned } => format!(
                "Of the {left} ways to choose the kinds still open, one fits every statement: {}.",
                self.facts(learned)
            ),
        }
    }

    fn forced_line(&self, statement: usize, reason: &Reason, learned: &[Fact]) -> String {
        let (speaker, said) = self.said(statement);
        let found = self.facts(learned);
        match reason {
            Reason::Speaker { knight } => {
                let kind = kind(*knight);
                format!("As {speaker} is a {kind}, it is {knight} that {said}; hence {found}.")
            }
            Reason::Said { truth: true } => {
                format!("It is true that {said}, as {speaker} says; hence {found}.")
            }
            Reason::Said { truth: false } => {
                format!("It is false that {said}, though {speaker} says so; hence {found}.")
            }
            Reason::SelfDefeating => {
                let other = !learned[0].knight;
                format!(
                    "If {speaker} were a {}, it would be {other} that {said}, which is then impossible; hence {found}.",
                    kind(other)
                )
            }
            Reason::EitherWay => format!(
                "{speaker} says that {said}; whether {speaker} is a knight or a knave, it follows that {found}."
            ),
        }
    }

    fn contradiction(&self, contradiction: Contradiction) -> String {
        let (speaker, said) = self.said(contradiction.statement);
        match contradiction.speaker {
            Some(knight) => format!(
                "But then it is {} that {said}, though {speaker}, a {}, says so.",
                !knight,
                kind(knight)
            ),
            None => {
                format!("But then neither a knight nor a knave could say, as {speaker} does, that {said}.")
            }
        }
    }

    /// The speaker of a statement, and the statement in words.
    fn said(&self, statement: usize) -> (&str, String) {
        let statement = &self.island.statements[statement];
        let speaker = &self.island.names[usize::from(statement.speaker)];
        (speaker, self.island.voice().statement(statement))
    }

    fn facts(&self, facts: &[Fact]) -> String {
        let voice = self.island.voice();
        let facts: Vec<String> = facts.iter().map(|fact| voice.fact(*fact)).collect();
        words::and(&facts)
    }
}

impl Known {
    fn kind_of(&self, person: u8) -> Option<bool> {
        is_knight(self.people, person).then(|| is_knight(self.knights, person))
    }
}

/// The kinds of these people if `knights` are the knights.
fn facts(of: Knights, knights: Knights) -> Vec<Fact> {
    let fact = |person| Fact { person, knight: is_knight(knights, person) };
    people(of).map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{IslandParams, KnightsAndKnaves};
    use kit::budget::Budget;
    use kit::params::Params;
    use kit::rng::Key;
    use kit::task::family::TaskFamily;
    use kit::task::problem::Problem;

    /// Every step concludes a true fact, and together they conclude all facts.
    #[test]
    fn steps_conclude_what_is_so() {
        let mut rng = Key::new("deduction", 1, "", 0, "").stream(0);
        for at in 0..480 {
            let params = &IslandParams::LEVELS[at % 8];
            let budget = &mut Budget::new(1_000_000);
            let island = KnightsAndKnaves.generate(params, &mut rng, budget).unwrap();
            let solution = island.solution();
            let mut concluded = Vec::new();
            for step in &solution.steps {
                let ends = ["hence ", "it follows that ", "So ", "every statement: "];
                let end = ends.iter().filter_map(|end| step.rfind(end).map(|at| at + end.len()));
                let end = step[end.max().expect("a conclusion")..].trim_end_matches('.');
                concluded
                    .extend(end.replace(" and ", ", ").split(", ").map(|fact| fact.replace(" is a ", ": ")));
            }
            concluded.sort();
            let mut all: Vec<&str> = solution.answer.split(", ").collect();
            all.sort_unstable();
            assert_eq!(concluded, all, "{:#?}", solution.steps);
        }
    }
}
