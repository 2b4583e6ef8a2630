//! Knights only say what is true and knaves only what is false: find out who is who.

mod deduction;
mod drawing;
mod statement;
mod wording;
mod worlds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::quoted;
use crate::params::Params;
use crate::rng::Rng;
use crate::task::answer::Reading;
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, Verdict, label};

use deduction::Deduction;
use drawing::Heard;
use statement::{Form, Statement};
use wording::{Voice, kind, list, number};
use worlds::{Knights, MOST_PEOPLE, Worlds, is_knight};

pub struct KnightsAndKnaves;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claims {
    Plain,
    Joined,
    Counted,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IslandParams {
    /// Islanders, all of whom speak.
    #[schemars(range(min = 2, max = 10), extend("role" = "difficulty"))]
    people: u32,
    /// Statements that each islander makes.
    #[schemars(range(min = 1, max = 3), extend("role" = "structure"))]
    statements: u32,
    /// What is said: `plain` is who is what, that two are both so, or that two are of the same kind or not; `joined`
    /// adds at least one of two and if-then; `counted` adds how many of several people are so.
    #[schemars(extend("role" = "difficulty"))]
    claims: Claims,
    /// Whether a statement alone may give somebody's kind away, as "I am a knave or Ben is a knight" does.
    #[schemars(extend("role" = "difficulty"))]
    giveaways: bool,
    /// The most people a claim is passed through: at 2 Ada may say that Ben would say that Cleo would say it.
    #[schemars(range(min = 0, max = 3), extend("role" = "difficulty"))]
    nesting: u32,
}

impl Default for IslandParams {
    fn default() -> Self {
        Self { people: 4, statements: 1, claims: Claims::Joined, giveaways: false, nesting: 0 }
    }
}

impl Params for IslandParams {
    fn check(&self) -> Result<(), String> {
        if self.people < 4 && self.statements > 1 {
            return Err("`statements` above 1 must be with `people` of 4 or more".into());
        }
        if self.people < 3 && self.claims == Claims::Counted {
            return Err("`claims` that are counted must be with `people` of 3 or more".into());
        }
        if self.people < 3 && !self.giveaways {
            return Err("`giveaways` must be allowed with `people` of 2".into());
        }
        Ok(())
    }
}

/// Who lives there, and what they say.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Island {
    names: Vec<String>,
    statements: Vec<Statement>,
}

const MOST_STATEMENTS: usize = 3 * MOST_PEOPLE;
const LONGEST_NAME: usize = 16;
/// What a try at a mutation costs of the budget.
const MUTATION_STEPS: u64 = 10_000;

static ABOUT: About = About {
    name: "knights_and_knaves",
    domain: "logic",
    summary: "Find out who tells the truth and who lies from what everybody says.",
    changes: &["First version."],
    top_level: 7,
    distinct_from: 2,
    judged_by: JudgedBy::Constraints,
    answer_tag: "answer",
    templates: &[Template::open("island"), Template::open("visitor"), Template::held_out("census")],
    failures: &[
        ("unknown_person", "a name that nobody on the island has"),
        ("repeated_person", "somebody is listed twice"),
        ("missing_person", "somebody is not listed"),
    ],
    parts: &[Part {
        name: "statements_fit",
        means: "share of the statements that are true of a knight or false of a knave",
    }],
    skills: &["case_analysis", "negation", "proof_by_contradiction", "counting"],
    reading: Reading::Strict,
    guess_rate: 0.14,
};

impl TaskFamily for KnightsAndKnaves {
    type Params = IslandParams;
    type Problem = Island;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> IslandParams {
        const LEVELS: [(u32, Claims, bool, u32); 8] = [
            (3, Claims::Plain, true, 0),
            (3, Claims::Joined, true, 0),
            (4, Claims::Joined, false, 0),
            (5, Claims::Counted, false, 0),
            (6, Claims::Counted, false, 0),
            (7, Claims::Counted, false, 1),
            (8, Claims::Counted, false, 2),
            (10, Claims::Counted, false, 3),
        ];
        let (people, claims, giveaways, nesting) = LEVELS[usize::from(level)];
        IslandParams { people, statements: 1, claims, giveaways, nesting }
    }

    fn generate(
        &self,
        params: &IslandParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Island, Exhausted> {
        let statements = params.draw(rng, budget)?;
        Ok(Island { names: drawing::names(params.people as usize, rng), statements })
    }

    fn certify(&self, island: &Island, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let pairs = island.statements.len().pow(2) as u64;
        budget.spend(pairs).map_err(|over| over.to_string())?;
        island.prove_unique()?;
        let ways = 1 << island.names.len();
        Ok(Certificate {
            unique: true,
            proof: format!("of {ways} ways to choose the kinds, one fits every statement"),
        })
    }

    fn mutate(&self, island: &Island, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Island> {
        let knights = island.solutions().first()?;
        loop {
            budget.spend(MUTATION_STEPS).ok()?;
            let mut mutated = island.clone();
            match aim {
                Aim::Harder => mutated.harder(knights, rng),
                Aim::Easier => mutated.easier(knights, rng),
                Aim::Same => {
                    let at = rng.index(island.statements.len());
                    let Statement { claim, through, .. } = &island.statements[at];
                    mutated.redraw(at, claim.form(), through.len(), knights, rng);
                }
            }
            if mutated.prove_unique().is_ok() {
                return Some(mutated);
            }
        }
    }
}

impl Island {
    fn everybody(&self) -> Knights {
        (1 << self.names.len()) - 1
    }

    /// The worlds that fit every statement.
    fn solutions(&self) -> Worlds {
        let everywhere = Worlds::of(self.names.len());
        let fitting = self.statements.iter().map(Statement::fitting_worlds);
        fitting.fold(everywhere, |all, fits| all & fits)
    }

    /// One world fits, and no statement is empty or follows from another.
    fn prove_unique(&self) -> Result<(), Uncertified> {
        let people = self.names.len() as u8;
        let heard: Vec<Heard> =
            self.statements.iter().map(|statement| Heard::new(statement.clone(), people)).collect();
        for (i, new) in heard.iter().enumerate() {
            if new.is_empty() {
                return Err(format!("`statements[{i}]` would tell nothing if one kind of speaker made it"));
            }
            if let Some(j) = heard[..i].iter().position(|other| new.repeats(other)) {
                return Err(format!(
                    "`statements[{i}]` repeats `statements[{j}]`, or one of them follows from the other"
                ));
            }
        }
        match self.solutions().count() {
            1 => Ok(()),
            fits => Err(format!("`statements` fit {fits} ways to choose the kinds, but must fit one")),
        }
    }

    fn answer(&self, knights: Knights) -> String {
        let pairs = self.names.iter().zip(0..);
        let pairs = pairs.map(|(name, person)| format!("{name}: {}", kind(is_knight(knights, person))));
        pairs.collect::<Vec<_>>().join(", ")
    }

    fn voice(&self) -> Voice<'_> {
        Voice { names: &self.names, me: None }
    }

    /// Reads `name: kind` for everybody, or says what is wrong.
    fn read(&self, answer: &str) -> Result<Knights, Verdict> {
        let form = |piece: &str| {
            Verdict::malformed(format!("`{}` is not like {}: knight", quoted(piece), self.names[0]))
        };
        let (mut listed, mut knights): (Knights, Knights) = (0, 0);
        let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            // A comma may stand before a line break.
            let line = match line.strip_suffix(',') {
                Some(line) if lines.peek().is_some() => line,
                _ => line,
            };
            for piece in line.split(',') {
                let (name, kind) = piece.split_once(':').ok_or_else(|| form(piece))?;
                let (name, kind) = (name.trim(), kind.trim());
                let person = self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
                let Some(person) = person else {
                    let detail = format!("nobody here is called `{}`", quoted(name));
                    return Err(Verdict::malformed(detail).also("unknown_person"));
                };
                if listed >> person & 1 == 1 {
                    let detail = format!("{} is listed twice", self.names[person]);
                    return Err(Verdict::malformed(detail).also("repeated_person"));
                }
                listed |= 1 << person;
                if kind.eq_ignore_ascii_case("knight") {
                    knights |= 1 << person;
                } else if !kind.eq_ignore_ascii_case("knave") {
                    return Err(form(piece));
                }
            }
        }
        let missing = (self.everybody() & !listed).trailing_zeros() as usize;
        match self.names.get(missing) {
            None => Ok(knights),
            Some(name) => {
                let detail = format!("{name} is not listed");
                Err(Verdict::malformed(detail).also("missing_person"))
            }
        }
    }
}

impl Problem for Island {
    fn check(&self) -> Result<(), String> {
        let people = self.names.len();
        if !(2..=MOST_PEOPLE).contains(&people) {
            return Err(format!("`names` holds {people} names, but must hold 2 to {MOST_PEOPLE}"));
        }
        for (i, name) in self.names.iter().enumerate() {
            if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(|b| b.is_ascii_alphabetic()) {
                let name = quoted(name);
                return Err(format!("`names[{i}]` is `{name}`, but must be 1 to {LONGEST_NAME} letters"));
            }
            if self.names[..i].iter().any(|other| other.eq_ignore_ascii_case(name)) {
                return Err(format!("`names` has {name} twice"));
            }
        }
        let statements = self.statements.len();
        if !(1..=MOST_STATEMENTS).contains(&statements) {
            return Err(format!(
                "`statements` holds {statements} statements, but must hold 1 to {MOST_STATEMENTS}"
            ));
        }
        for (i, statement) in self.statements.iter().enumerate() {
            let checked = statement.check(people);
            checked.map_err(|fault| format!("`statements[{i}]` {fault}"))?;
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        let (people, many) = (list(&self.names), number(self.names.len()));
        let mut words = style.rng();
        let opening = match style.template {
            0 => {
                let live = *words.pick(&["On an island live", "An island is home to"]);
                format!(
                    "{live} {many} people: {people}. Each of them is either a knight or a knave. \
                     Everything a knight says is true, and everything a knave says is false. \
                     All of them know who is what. They tell you:"
                )
            }
            1 => {
                let meet = *words.pick(&["You meet", "You come across", "You are met by"]);
                format!(
                    "You are visiting an island where everybody is of one of two kinds: knights, \
                     whose statements are always true, and knaves, whose statements are always \
                     false. {meet} {many} islanders, {people}, who know each other's kinds. They say:"
                )
            }
            _ => format!(
                "The census of an island lists {many} inhabitants, {people}, but not their kinds. \
                 An islander's kind is knight or knave: a knight never says anything false, a knave \
                 never says anything true. When asked, the islanders, who know all about each other, say:"
            ),
        };
        let said = self.statements.iter().map(|statement| {
            let speaker = &self.names[usize::from(statement.speaker)];
            let voice = Voice { me: Some(statement.speaker), ..self.voice() };
            let said = voice.statement(statement);
            format!("{speaker}: \"{}{}.\"\n", said[..1].to_ascii_uppercase(), &said[1..])
        });
        let said: String = said.collect();
        let mut notes = "Each quoted statement is true or false as a whole.".to_owned();
        let claims = || self.statements.iter().map(|statement| &statement.claim);
        if claims().any(|claim| claim.form() == Form::If) {
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
        format!(
            "{opening}\n\n{said}\n{notes}\n\n{asked}\n\
             List every islander exactly once, in any order, each as NAME: knight or NAME: knave, \
             separated by commas or line breaks, inside <answer></answer> tags."
        )
    }

    fn solution(&self) -> Solution {
        Solution {
            steps: Deduction::of(self).steps(),
            answer: self.answer(self.solutions().first().unwrap_or_default()),
        }
    }

    fn verify(&self, answer: &str, _budget: &mut Budget) -> Verdict {
        let knights = match self.read(answer) {
            Ok(knights) => knights,
            Err(verdict) => return verdict,
        };
        let mut broken = self.statements.iter().filter(|statement| !statement.fits(knights));
        let Some(first) = broken.next() else {
            return Verdict::pass();
        };
        let broken = 1 + broken.count();
        let (knight, said) = (is_knight(knights, first.speaker), self.voice().statement(first));
        let (speaker, kind) = (&self.names[usize::from(first.speaker)], kind(knight));
        let detail = format!("{speaker} would be a {kind} who says what is {}: that {said}", !knight);
        let fit = 1.0 - broken as f32 / self.statements.len() as f32;
        Verdict::fail(label::CONSTRAINT_VIOLATED, detail).score(fit).parts([fit])
    }

    fn difficulty(&self) -> f32 {
        let effort = Deduction::of(self).effort() as f32;
        effort / (effort + 60.0)
    }

    fn fingerprint(&self) -> Vec<u8> {
        serde_json::to_vec(&(self.names.len(), &self.statements)).expect("statements serialise")
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let knights = self.solutions().first().unwrap_or_default();
        let right = self.answer(knights);
        let mut wrong = Vec::new();
        for person in 0..self.names.len() {
            wrong.push(self.answer(knights ^ 1 << person));
        }
        for others in
            [0, self.everybody(), knights ^ self.everybody(), rng.word() as Knights & self.everybody()]
        {
            if others != knights {
                wrong.push(self.answer(others));
            }
        }
        let pieces: Vec<&str> = right.split(", ").collect();
        let (first, rest) = pieces.split_first().expect("somebody lives there");
        let (name, _) = first.split_once(": ").expect("a name and a kind");
        let told: Vec<&str> = self
            .names
            .iter()
            .enumerate()
            .filter(|(i, _)| is_knight(knights, *i as u8))
            .map(|(_, name)| name.as_str())
            .collect();
        wrong.extend([
            rest.join(", "),
            format!("{right}, {first}"),
            format!("{right}, {name}: {}", kind(knights & 1 == 0)),
            format!("{right}, Nobody: knave"),
            format!("{right},"),
            format!("{right}."),
            right.replace(':', ""),
            right.replace(": ", " is a "),
            right.replace(", ", " "),
            right.replace("knave", "liar").replace("knight", "truth-teller"),
            format!("{}: knight or knave, {}", name, rest.join(", ")),
            format!("`{right}`"),
            told.join(", "),
            "none".into(),
        ]);
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn island(names: &[&str], statements: &str) -> Island {
        let island = Island {
            names: names.iter().map(ToString::to_string).collect(),
            statements: serde_json::from_str(statements).unwrap(),
        };
        island.check().unwrap();
        island
    }

    fn judge(island: &Island, answer: &str) -> Verdict {
        island.verify(answer, &mut Budget::new(10))
    }

    fn draws(level: u8, count: u64) -> impl Iterator<Item = Island> {
        let key = Key::new("islands", 1, "", 0, "");
        let params = KnightsAndKnaves.level(level);
        (0..count).map(move |i| {
            let budget = &mut Budget::new(1_000_000);
            let made = KnightsAndKnaves.generate(&params, &mut key.stream(i), budget);
            made.unwrap()
        })
    }

    /// Raymond Smullyan, What Is the Name of This Book?, problems 27 to 29 (wording ours).
    #[test]
    fn published_puzzles_have_their_published_answers() {
        let knave = r#"{"person":0,"knight":false},"#;
        for (said, answer) in [
            (format!(r#"{{"both":[{knave}{{"person":1,"knight":false}}]}}"#), "A: knave, B: knight"),
            (format!(r#"{{"either":[{knave}{{"person":1,"knight":false}}]}}"#), "A: knight, B: knave"),
            (format!(r#"{{"either":[{knave}{{"person":1,"knight":true}}]}}"#), "A: knight, B: knight"),
        ] {
            let island = island(&["A", "B"], &format!(r#"[{{"speaker":0,"claim":{said}}}]"#));
            KnightsAndKnaves.certify(&island, &mut Budget::new(100)).unwrap();
            assert_eq!(island.solution().answer, answer);
            assert!(judge(&island, answer).passed);
        }
    }

    #[test]
    fn the_answer_is_the_one_choice_of_kinds_that_fits() {
        for island in (0..8).flat_map(|level| draws(level, 40)) {
            let fits = |knights: &Knights| island.statements.iter().all(|said| said.fits(*knights));
            let fitting: Vec<Knights> = (0..=island.everybody()).filter(fits).collect();
            assert_eq!(fitting.len(), 1);
            assert_eq!(island.solution().answer, island.answer(fitting[0]));
            // Nothing of what is said can be spared.
            for spared in 0..island.statements.len() {
                let mut less = island.clone();
                less.statements.remove(spared);
                assert!(less.solutions().count() > 1);
            }
        }
    }

    #[test]
    fn an_answer_lists_everybody_once_in_any_order() {
        let island = draws(0, 1).next().unwrap();
        let answer = island.solution().answer;
        let [a, b, c] = answer.split(", ").collect::<Vec<_>>()[..] else {
            panic!("{answer}");
        };
        for right in [
            format!("{c},{a} , {b}"),
            format!("{a}\n{b}\n{c}"),
            format!("{a},\n{b},\r\n\n  {c}"),
            answer.to_uppercase().replace(':', " : "),
        ] {
            assert!(judge(&island, &right).passed, "{right}");
        }
        for (wrong, label) in [
            (format!("{a}, {b}"), "missing_person"),
            (format!("{a}, {b}, {c}, {a}"), "repeated_person"),
            (format!("{a}, {b}, {c}, Nobody: knave"), "unknown_person"),
            (format!("{a}; {b}; {c}"), label::MALFORMED_ANSWER),
            (format!("{a}, {b}, {c},"), label::MALFORMED_ANSWER),
            (format!("{a}, {b},, {c}"), label::MALFORMED_ANSWER),
            (format!("{a} {b} {c}"), label::MALFORMED_ANSWER),
            (String::new(), "missing_person"),
        ] {
            let verdict = judge(&island, &wrong);
            assert!(verdict.failures.contains(&label), "{wrong}: {verdict:?}");
        }
    }

    #[test]
    fn a_wrong_answer_is_told_who_could_not_have_spoken() {
        let same = r#"[{"speaker":0,"through":[2],"claim":{"same":[1,2]}}]"#;
        let island = island(&["Ada", "Ben", "Cleo"], same);
        let verdict = judge(&island, "Ada: knight, Ben: knave, Cleo: knight");
        assert_eq!(
            verdict.detail,
            "Ada would be a knight who says what is false: that Cleo would say that Ben and Cleo are of the same kind"
        );
    }

    /// What each step concludes is so, and together they conclude everything.
    #[test]
    fn steps_conclude_what_is_so() {
        for island in (0..8).flat_map(|level| draws(level, 60)) {
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

    #[test]
    fn all_params_have_islands() {
        let key = Key::new("params", 1, "", 0, "");
        for people in 2..=10 {
            for (statements, nesting) in [(1, 0), (1, 3), (2, 1), (3, 0), (3, 2)] {
                for claims in [Claims::Plain, Claims::Joined, Claims::Counted] {
                    for giveaways in [false, true] {
                        let params = IslandParams { people, statements, claims, giveaways, nesting };
                        if params.check().is_ok() {
                            let budget = &mut Budget::new(1_000_000);
                            let island = KnightsAndKnaves.generate(&params, &mut key.stream(0), budget);
                            let island = island.unwrap_or_else(|_| panic!("{params:?}"));
                            KnightsAndKnaves.certify(&island, budget).unwrap();
                        }
                    }
                }
            }
        }
    }
}
