//! Prove an equation in a group, a ring, a lattice or about lists, by rewriting with named equations.

mod axioms;
mod wording;

use kit::prelude::*;
use kit::shape::proof::{Claim, Statement, Subject};
use kit::shared::proof::{
    DECLARED, EQUAL, Goal, PROP, Rewrite, Sort, State, Tactic, Term, Theory, introductions, prove,
};

use self::axioms::{AXIOMS, Axioms};

pub struct ProveEquational;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    Any,
    Group,
    Ring,
    Lattice,
    List,
}

params! {
    pub struct ProveEquationalParams {
        /// Equations that may be used: those of a `group`, a `ring` or a `lattice`, those about a `list`, or `any` of
        /// these.
        structure: Structure [structure],
        /// Lines of the proof by which the equation is made.
        lines: u32 [1..=16],
    }
    levels {
        (Structure::Any, 1),
        (Structure::Any, 2),
        (Structure::Any, 3),
        (Structure::Any, 4),
        (Structure::Any, 5),
        (Structure::Any, 7),
        (Structure::Any, 9),
        (Structure::Any, 12),
    }
    default 2
}

/// Largest number of symbols on a side.
const LARGEST: usize = 40;
/// Counted steps of the search for a shorter proof.
const SEARCH: u64 = 12_000;

impl TaskFamily for ProveEquational {
    type Params = ProveEquationalParams;
    type Problem = Claim<Equations>;

    const ABOUT: About = About {
        summary: "Prove an equation by rewriting it with the axioms of a group, ring, lattice or list.",
        distinct_from: 2,
        guess_rate: 0.055,
        guess_score: 0.055,
        skills: &["proof", "rewriting", "pattern_matching"],
        ..Claim::<Equations>::about("logic", "prove_equational", &["First version."])
    };

    /// Walks from a small term, each step a rewrite by which it does not shrink; the way back is the proof.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self::Problem> {
        let axioms = match params.structure {
            Structure::Any => rng.pick(&AXIOMS),
            one => &AXIOMS[one as usize - 1],
        };
        let mut statement = axioms.statement();
        let theory = statement.theory().expect("the axioms are well formed");
        loop {
            budget.spend(100)?;
            let small = term(&theory, theory.symbols[usize::from(DECLARED)].result, 2, rng);
            let Some(made) = walk(&theory, &small, params.lines as usize, rng, budget)? else { continue };
            let (goal, lines) = made;
            statement.goal = theory.write(&goal.target);
            statement.proof = lines.iter().map(|tactic| tactic.write(&theory)).collect();
            return Ok(Claim::new(statement));
        }
    }
}

/// A random term of a sort; from depth 2 on it has parts.
fn term(theory: &Theory, sort: Sort, depth: u32, rng: &mut Rng) -> Term {
    let of = |symbol: &u16| {
        let symbol = &theory.symbols[usize::from(*symbol)];
        let is_leaf = symbol.arguments.is_empty();
        symbol.result == sort && (depth > 0 || is_leaf) && (depth < 2 || !is_leaf)
    };
    let symbols: Vec<u16> = (0..theory.symbols.len() as u16).filter(of).collect();
    let symbol = *rng.pick(&symbols);
    let parts = &theory.symbols[usize::from(symbol)].arguments;
    Term::node(
        symbol,
        parts.iter().map(|sort| term(theory, *sort, depth.saturating_sub(1), rng)).collect::<Vec<_>>(),
    )
}

/// An equation with a proof of so many lines, a side of which is the end of a walk from the other. A shorter proof
/// that a search finds takes the place of the way back, and the walk continues.
fn walk(
    theory: &Theory,
    start: &Term,
    lines: usize,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Result<Option<(Goal, Vec<Tactic>)>, Exhausted> {
    let near = rng.index(2);
    let equation = |end: &Term| {
        let sides = if near == 0 { [start, end] } else { [end, start] };
        Goal { hypotheses: Vec::new(), target: Term::node(EQUAL, sides.map(Term::clone)) }
    };
    let (mut end, mut proof) = (start.clone(), Vec::new());
    for _ in 0..4 * lines {
        let Some((mut rewrite, made)) = step(theory, start, &end, rng, budget)? else { break };
        rewrite.at.get_or_insert_default().insert(0, 2 - near as u8);
        proof.insert(0, Tactic::Rewrite(Rewrite { backward: !rewrite.backward, ..rewrite }));
        end = made;
        if proof.len() < lines {
            continue;
        }
        let goal = equation(&end);
        let search = &mut Budget::new(SEARCH);
        let shorter = prove(theory, &State::new(goal.clone()), lines - 1, search);
        budget.spend(search.spent())?;
        match shorter {
            Ok(Some(shorter)) => proof = shorter,
            _ => return Ok(Some((goal, proof))),
        }
    }
    Ok(None)
}

/// A rewrite by which a term does not shrink, and the term after it, if there is one.
fn step(
    theory: &Theory,
    start: &Term,
    end: &Term,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Result<Option<(Rewrite, Term)>, OverBudget> {
    let none = Goal { hypotheses: Vec::new(), target: Term::node(EQUAL, [start.clone(), end.clone()]) };
    let draw = &mut |_: &str, sort| {
        let depth = u32::from(rng.chance(1, 3));
        Some(term(theory, sort, depth, rng))
    };
    let mut steps = introductions(theory, &none, end, draw);
    budget.spend((end.size() * steps.len()) as u64)?;
    steps.retain(|(_, made)| made.size() <= LARGEST && made != start);
    // A rule is drawn first: some fit in many places.
    let mut rules: Vec<(String, bool)> =
        steps.iter().map(|(rewrite, _)| (rewrite.rule.clone(), rewrite.backward)).collect();
    rules.sort_unstable();
    rules.dedup();
    if rules.is_empty() {
        return Ok(None);
    }
    let (rule, backward) = rng.pick(&rules).clone();
    steps.retain(|(rewrite, _)| rewrite.rule == rule && rewrite.backward == backward);
    Ok(Some(rng.pick(&steps).clone()))
}

/// Equations in one of the known structures.
#[derive(Clone)]
pub struct Equations;

impl Subject for Equations {
    const PROMPTS: &'static [Prompt] = wording::PROMPTS;
    const RENAMES: bool = false;
    const TRIED: u64 = 300;

    fn slots(statement: &Statement, slots: &mut Slots<'_>) {
        wording::fill(statement, slots);
    }

    fn check(statement: &Statement) -> Result<(), String> {
        Axioms::of(statement).ok_or("`rules` are not those of a group, a ring, a lattice or lists")?;
        check::length("hypotheses", &statement.hypotheses, 0..=0, "formulas")?;
        let theory = statement.theory()?;
        let goal =
            theory.read_term(&statement.goal, Some(PROP)).map_err(|why| format!("`goal` is wrong: {why}"))?;
        check::that(goal.under(EQUAL).is_some() && !statement.proof.is_empty(), || {
            "`goal` must be an equation, with a `proof`".to_owned()
        })
    }
}

#[cfg(test)]
mod tests;
