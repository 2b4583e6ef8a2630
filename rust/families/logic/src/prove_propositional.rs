//! Prove a goal from hypotheses by natural deduction, or give values that refute it.

mod wording;

use kit::prelude::*;
use kit::shape::proof::{self, Claim, Statement, Subject};
use kit::shared::proof::{AND, DECLARED, IMPLIES, NOT, OR, Term, Theory, prove};

pub struct ProvePropositional;

params! {
    pub struct ProvePropositionalParams {
        /// Letters that stand for statements.
        letters: u32 [2..=8],
        /// Hypotheses.
        hypotheses: u32 [1..=8],
        /// Lines of the shortest proof that a search finds, if the goal follows, or one more.
        lines: u32 [1..=24],
        /// Percentage of goals that do not follow; there are none with fewer than 4 letters.
        unprovable: u32 [0..=100, structure],
    }
    levels {
        (5, 5, 1, 0),
        (5, 5, 1, 25),
        (5, 6, 2, 25),
        (5, 6, 4, 25),
        (5, 6, 6, 25),
        (5, 6, 8, 25),
        (5, 6, 10, 25),
        (5, 6, 13, 25),
        (6, 6, 16, 25),
    }
    default 3
}

const LETTERS: [&str; 8] = ["p", "q", "r", "s", "t", "u", "v", "w"];
/// Counted steps of the search for a proof.
const SEARCH: u64 = 20_000;
/// Countermodels are at most one in so many choices of values, so that guessing finds none.
const RARE: usize = 16;

impl TaskFamily for ProvePropositional {
    type Params = ProvePropositionalParams;
    type Problem = Claim<Propositions>;

    const ABOUT: About = About {
        summary: "Prove a goal by natural deduction, or refute it with a counterexample.",
        failures: proof::REFUTABLE_FAILURES,
        guess_rate: 0.06,
        guess_score: 0.06,
        skills: &["proof", "natural_deduction", "countermodels", "case_analysis"],
        ..Claim::<Propositions>::about("logic", "prove_propositional", &["First version."])
    };

    /// Draws formulas until a truth table and a search say that they are what is wanted.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self::Problem> {
        let (letters, lines) = (params.letters as u16, params.lines as usize);
        let follows = letters < 4 || !rng.chance(params.unprovable.into(), 100);
        let symbols = LETTERS[..params.letters as usize].iter().map(|letter| format!("{letter}: prop"));
        let mut statement = Statement { symbols: symbols.collect(), ..Statement::default() };
        let theory = statement.theory().expect("letters are symbols");
        loop {
            let known: Vec<Term> = (0..params.hypotheses).map(|_| formula(letters, 2, rng)).collect();
            let goal = formula(letters, 1 + u32::from(lines > 5), rng);
            let parts: usize = known.iter().chain([&goal]).map(Term::size).sum();
            budget.spend((parts as u64) << letters)?;
            let rows = (0..1u64 << letters).map(|row| row << DECLARED);
            let models: Vec<u64> =
                rows.filter(|row| known.iter().all(|one| Theory::is_true(one, *row))).collect();
            let refuting = models.iter().filter(|row| !Theory::is_true(&goal, **row)).count();
            // From hypotheses that contradict each other everything follows.
            let given = target(&goal);
            if models.is_empty()
                || known.contains(given)
                || follows != (refuting == 0)
                || refuting * RARE > 1 << letters
            {
                continue;
            }
            statement.goal = theory.write(&goal);
            let named = |(number, formula): (usize, &Term)| format!("h{number}: {}", theory.write(formula));
            statement.hypotheses = (1..).zip(&known).map(named).collect();
            let fingerprint = || Self::Problem::new(statement.clone()).fingerprint();
            if !budget.wants(fingerprint)? {
                continue;
            }
            if !follows {
                return Ok(Claim::new(statement));
            }
            let (_, state) = statement.read().expect("drawn formulas are well formed");
            let search = &mut Budget::new(SEARCH);
            let found = prove(&theory, &state, lines + 1, search);
            budget.spend(search.spent())?;
            if let Some(proof) = found.ok().flatten().filter(|proof| proof.len() >= lines) {
                statement.proof = proof.iter().map(|tactic| tactic.write(&theory)).collect();
                return Ok(Claim::new(statement));
            }
        }
    }
}

/// The goal that remains after every possible `intro`.
fn target(goal: &Term) -> &Term {
    goal.under(IMPLIES).map_or(goal, |sides| target(&sides[1]))
}

/// A random formula; no connective has the same formula on both sides.
fn formula(letters: u16, depth: u32, rng: &mut Rng) -> Term {
    if depth == 0 || rng.chance(1, 5) {
        let letter = Term::node(DECLARED + rng.index(letters.into()) as u16, []);
        return if rng.chance(1, 4) { Term::node(NOT, [letter]) } else { letter };
    }
    let sides = [formula(letters, depth - 1, rng), formula(letters, depth - 1, rng)];
    if sides[0] == sides[1] {
        return formula(letters, depth, rng);
    }
    let joined = Term::node(*rng.pick(&[AND, OR, IMPLIES, IMPLIES]), sides);
    if rng.chance(1, 6) { Term::node(NOT, [joined]) } else { joined }
}

/// Formulas of letters.
#[derive(Clone)]
pub struct Propositions;

impl Subject for Propositions {
    const PROMPTS: &'static [Prompt] = wording::PROMPTS;
    const RENAMES: bool = true;
    const TRIED: u64 = 60;

    fn slots(statement: &Statement, slots: &mut Slots<'_>) {
        wording::fill(statement, slots);
    }

    fn check(statement: &Statement) -> Result<(), String> {
        check::length("symbols", &statement.symbols, 1..=LETTERS.len(), "letters")?;
        let is_letter =
            |line: &String| line.strip_suffix(": prop").is_some_and(|letter| LETTERS.contains(&letter));
        check::each(
            "symbols",
            &statement.symbols,
            is_letter,
            "must have letters from p to w, each like p: prop",
        )?;
        for (field, lines) in [
            ("values", &statement.values),
            ("rules", &statement.rules),
            ("constructors", &statement.constructors),
        ] {
            check::length(field, lines, 0..=0, "lines")?;
        }
        let short = |text: &String| text.len() <= 200;
        check::each("hypotheses", &statement.hypotheses, short, "a formula may have at most 200 bytes")?;
        check::each("goal", [&statement.goal], short, "a formula may have at most 200 bytes")
    }
}

#[cfg(test)]
mod tests;
