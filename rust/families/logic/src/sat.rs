//! Satisfy a formula of clauses with two or three literals each.

use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::task::prelude::*;

pub struct Sat;

params! {
    pub struct SatParams {
        /// Variables.
        variables: u32 [4..=60],
        /// Clauses for every hundred variables. Random formulas of three literals stop being satisfiable at about 426.
        clauses_in_hundred: u32 [200..=600],
        /// Clauses have two literals instead of three.
        pairs: bool [difficulty, if_set],
    }
    levels {
        (5, 200, true),
        (9, 200, true),
        (7, 430, false),
        (10, 430, false),
        (12, 430, false),
        (15, 430, false),
        (18, 430, false),
        (22, 430, false),
        (28, 430, false),
        (35, 430, false),
        (45, 430, false),
    }
    default 4
    check Self::fits;
}

impl SatParams {
    fn clauses(&self) -> usize {
        (self.variables * self.clauses_in_hundred / 100) as usize
    }

    fn fits(&self) -> Result<(), String> {
        // Three of the four clauses of two variables can be true together.
        let most = (self.variables * (self.variables - 1) / 2 * 3) as usize;
        check::that(!self.pairs || self.clauses() <= most, || {
            format!(
                "`clauses_in_hundred` makes {} clauses, but {} variables have {most} of two literals at most",
                self.clauses(),
                self.variables
            )
        })
    }
}

/// Clauses of two or of three literals, each a variable's number from 1 with a sign, and values that satisfy them all.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Formula {
    clauses: Vec<Vec<i32>>,
    planted: Vec<bool>,
}

const VALUES: [&str; 2] = ["true", "false"];
const MOST_VARIABLES: usize = 60;
const MOST_CLAUSES: usize = 400;
/// Random assignments, none of which may satisfy the formula.
const GUESSES: u32 = 400;
/// With fewer variables than these, one assignment in `SELDOM` may satisfy the formula.
const FEW: usize = 8;
const SELDOM: usize = 16;
/// Literals that the reference solver examines before it stops counting.
const MOST_WORK: u64 = 2_000_000;

fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize - 1
}

impl TaskFamily for Sat {
    type Params = SatParams;
    type Problem = Formula;

    const ABOUT: About = About {
        summary: "Find values that make every clause of a formula true.",
        judged_by: JudgedBy::Constraints,
        failures: form::Assignment::FAILURES,
        parts: &[Part::new("clauses_true", "share of the clauses that are true")],
        guess_rate: 0.057,
        guess_score: 0.057,
        skills: &["case_analysis", "unit_propagation", "backtracking"],
        ..About::new("logic", "sat", &["First version."])
    };

    /// Draws clauses that the planted values satisfy. Clauses with one true literal are so much more common
    /// than those with three that how often a literal occurs does not reveal its value.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Formula> {
        let variables = params.variables as usize;
        let weights: &[u64] = if params.pairs { &[3, 1] } else { &[6, 3, 1] };
        loop {
            let planted: Vec<bool> = (0..variables).map(|_| rng.chance(1, 2)).collect();
            let mut clauses: Vec<Vec<i32>> = Vec::new();
            while clauses.len() < params.clauses() {
                budget.spend(1)?;
                let of = permutation::random(variables, rng);
                let trues = 1 + rng.weighted(weights);
                let literal =
                    |at: usize| (of[at] as i32 + 1) * if planted[of[at]] == (at < trues) { 1 } else { -1 };
                let mut clause: Vec<i32> = (0..weights.len()).map(literal).collect();
                clause.sort_unstable_by_key(|literal| literal.abs());
                if !clauses.contains(&clause) {
                    clauses.push(clause);
                }
            }
            rng.shuffle(&mut clauses);
            let drawn = Formula { clauses, planted };
            let guessed = if variables < FEW {
                budget.spend(1 << variables)?;
                drawn.solutions() * SELDOM > 1 << variables
            } else {
                (0..GUESSES).any(|_| {
                    let values: Vec<bool> = (0..variables).map(|_| rng.chance(1, 2)).collect();
                    drawn.broken(&values).is_none()
                })
            };
            if !guessed && drawn.broken(&drawn.as_often()).is_some() && drawn.check().is_ok() {
                return Ok(drawn);
            }
        }
    }
}

/// The state of a clause under a partial assignment.
enum State {
    True,
    False,
    Unit(i32),
    Open(i32),
}

impl Formula {
    fn broken(&self, values: &[bool]) -> Option<usize> {
        let holds = |literal: &i32| values[variable(*literal)] == (*literal > 0);
        self.clauses.iter().position(|clause| !clause.iter().any(holds))
    }

    /// Number of assignments that satisfy the formula.
    fn solutions(&self) -> usize {
        let count = self.planted.len();
        let values = |bits: usize| (0..count).map(|at| bits >> at & 1 == 1).collect::<Vec<bool>>();
        (0..1usize << count).filter(|bits| self.broken(&values(*bits)).is_none()).count()
    }

    /// Literals of a clause.
    fn literals(&self) -> usize {
        self.clauses.first().map_or(0, Vec::len)
    }

    /// The literals of a clause as a word.
    fn number(&self) -> &'static str {
        if self.literals() == 2 { "two" } else { "three" }
    }

    fn names(&self) -> Vec<String> {
        (1..=self.planted.len()).map(|number| format!("x{number}")).collect()
    }

    /// The value of each variable that satisfies more of its literals.
    fn as_often(&self) -> Vec<bool> {
        let mut sums = vec![0; self.planted.len()];
        for literal in self.clauses.iter().flatten() {
            sums[variable(*literal)] += literal.signum();
        }
        sums.into_iter().map(|sum| sum >= 0).collect()
    }

    fn state(clause: &[i32], values: &[Option<bool>]) -> State {
        let mut open = None;
        let mut several = false;
        for literal in clause {
            match values[variable(*literal)] {
                Some(value) if value == (*literal > 0) => return State::True,
                Some(_) => {}
                None => several |= open.replace(*literal).is_some(),
            }
        }
        match open {
            None => State::False,
            Some(literal) if several => State::Open(literal),
            Some(literal) => State::Unit(literal),
        }
    }

    /// Sets the literals that clauses with one open literal force, and reports each with the clause's index.
    /// False if a clause becomes false.
    fn propagate(
        &self,
        values: &mut [Option<bool>],
        work: &mut u64,
        tell: &mut dyn FnMut(usize, i32),
    ) -> bool {
        loop {
            let mut quiet = true;
            for (at, clause) in self.clauses.iter().enumerate() {
                *work += clause.len() as u64;
                match Self::state(clause, values) {
                    State::False => return false,
                    State::Unit(literal) => {
                        values[variable(literal)] = Some(literal > 0);
                        tell(at, literal);
                        quiet = false;
                    }
                    State::True | State::Open(_) => {}
                }
            }
            if quiet {
                return true;
            }
        }
    }

    /// The literal to try next: one of the first undecided clause.
    fn next(&self, values: &[Option<bool>]) -> Option<i32> {
        self.clauses.iter().find_map(|clause| match Self::state(clause, values) {
            State::Open(literal) | State::Unit(literal) => Some(literal),
            State::True | State::False => None,
        })
    }

    /// Values that satisfy the formula, found by trying both values of one variable after the other; `work`
    /// counts the literals examined.
    fn solved(
        &self,
        values: &[Option<bool>],
        first: &mut dyn FnMut(i32) -> bool,
        work: &mut u64,
    ) -> Option<Vec<Option<bool>>> {
        let mut values = values.to_vec();
        if !self.propagate(&mut values, work, &mut |_, _| ()) || *work > MOST_WORK {
            return None;
        }
        let Some(literal) = self.next(&values) else { return Some(values) };
        let value = first(literal);
        [value, !value].into_iter().find_map(|value| {
            values[variable(literal)] = Some(value);
            self.solved(&values, first, work)
        })
    }

    /// The values as a person finds them: each literal with the clause that forces it, or none if it is chosen;
    /// and all values in the end.
    fn path(&self) -> (Vec<(Option<usize>, i32)>, Vec<bool>) {
        let (mut values, mut path) = (self.open(), Vec::new());
        loop {
            self.propagate(&mut values, &mut 0, &mut |clause, literal| path.push((Some(clause), literal)));
            let Some(literal) = self.next(&values) else { break };
            let value = self.planted[variable(literal)];
            values[variable(literal)] = Some(value);
            path.push((None, if value { literal.abs() } else { -literal.abs() }));
        }
        let values = values.iter().zip(&self.planted).map(|(value, planted)| value.unwrap_or(*planted));
        (path, values.collect())
    }

    fn open(&self) -> Vec<Option<bool>> {
        vec![None; self.planted.len()]
    }

    fn text(clause: &[i32], not: &str, or: &str) -> String {
        let literal = |literal: &i32| format!("{}x{}", if *literal < 0 { not } else { "" }, literal.abs());
        clause.iter().map(literal).joined(or)
    }

    fn listed(&self, line: impl Fn(usize, &[i32]) -> String) -> String {
        (1..).zip(&self.clauses).map(|(number, clause)| line(number, clause)).lines()
    }

    /// The clauses with words for true and false variables: "x1 on or x2 off or x5 off".
    fn worded(&self, yes: &str, no: &str, line: impl Fn(usize, String) -> String) -> String {
        let part = |literal: &i32| format!("x{} {}", literal.abs(), if *literal > 0 { yes } else { no });
        self.listed(|number, clause| line(number, clause.iter().map(part).joined(" or ")))
    }

    fn numbers(values: &[bool]) -> Vec<usize> {
        values.iter().map(|value| usize::from(!value)).collect()
    }
}

impl Problem for Formula {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("clauses", |formula| {
            format!(
                "The variables x1 to x{} are each either true or false. Find values for them that make every one of the following \
                 clauses true:\n\n{}\n\nA clause is true if at least one of its {} parts is true. If there are several solutions, \
                 any of them will do.",
                formula.planted.len(),
                formula.listed(|number, clause| format!("{number}. {}", Self::text(clause, "not ", " or "))),
                formula.number()
            )
        }),
        Template::plain("conjunction", |formula| {
            format!(
                "{}-SAT\n\nVariables: x1 to x{}, each true or false\nNotation: ~ means not, | means or\nClauses (all must be true):\n{}\n\n\
                 Task: find a satisfying assignment; any one is accepted\n",
                formula.literals(),
                formula.planted.len(),
                formula.listed(|_, clause| format!("({})", Self::text(clause, "~", " | ")))
            )
        }),
        Template::plain("message", |formula| {
            format!(
                "Our new product has {} settings, x1 to x{}, which can each be switched on or off. The developers gave me a list of \
                 requirements; each of them is met if at least one of the {} settings is as stated:\n\n{}\n\nCan you find a \
                 configuration that meets all of the requirements at once? I know that there is at least one, and any will do. \
                 Please write true for a setting that is on and false for one that is off; the settings are the variables.",
                formula.planted.len(),
                formula.planted.len(),
                formula.number(),
                formula.worded("on", "off", |number, wishes| format!("{number}. {wishes}"))
            )
        }),
        Template::held_out_plain("guests", |formula| {
            format!(
                "You are planning a dinner, and your guest list has the people x1 to x{}. Your friends are not easy to please: each has made a \
                 wish, which comes true if at least one of the {} things in it \
                 happens:\n\n{}\n\nDecide who is invited and who is not so that every wish comes true. Write true for a person who is \
                 invited and false for a person who is not. More than one choice may work, and one is enough.",
                formula.planted.len(),
                formula.number(),
                formula.worded("is invited", "is not invited", |number, wishes| format!(
                    "Wish {number}: {wishes}"
                ))
            )
        }),
        Template::held_out_plain("dimacs", |formula| {
            format!(
                "p cnf {} {}\n{}\n\nThis is a formula in DIMACS CNF format. The first line gives the number of variables and the number of \
                 clauses. Each line after it is a clause: a positive number n stands for the variable xn, a negative number -n for \
                 the negation of xn, and the 0 only marks the end of the clause. A clause is true if at least one of its literals is \
                 true. Find an assignment to the variables x1 to x{} that makes all of the clauses true. If there are several, any of \
                 them is correct.",
                formula.planted.len(),
                formula.clauses.len(),
                formula.listed(|_, clause| format!("{} 0", clause.iter().joined(" "))),
                formula.planted.len()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("planted", &self.planted, 4..=MOST_VARIABLES, "values")?;
        check::length("clauses", &self.clauses, 4..=MOST_CLAUSES, "clauses")?;
        check::length("clauses", &self.clauses[0], 2..=3, "literals")?;
        let most = self.planted.len() as i32;
        for (at, clause) in self.clauses.iter().enumerate() {
            let fits = clause.len() == self.literals()
                && clause.iter().all(|literal| *literal != 0 && (-most..=most).contains(literal))
                && clause.is_sorted_by(|a, b| a.abs() < b.abs());
            check::that(fits, || {
                format!(
                    "`clauses[{at}]` must have variables up to {most} in ascending order, as many as the first"
                )
            })?;
        }
        let mut sorted = self.clauses.clone();
        sorted.sort_unstable();
        check::that(sorted.is_sorted_by(|a, b| a < b), || "`clauses` has a clause twice".to_owned())?;
        check::that(self.broken(&self.planted).is_none(), || "`planted` makes a clause false".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let broken = self.broken(&self.planted);
        check::that(broken.is_none(), || "`planted` makes a clause false".to_owned())?;
        Ok(Certificate::solvable("the values in `planted` make every clause true"))
    }

    /// Adds, removes or replaces a clause.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        loop {
            budget.spend(10_000).ok()?;
            let mut mutated = self.clone();
            if aim != Aim::Harder {
                mutated.clauses.remove(rng.index(self.clauses.len()));
            }
            if aim != Aim::Easier {
                let of = permutation::random(self.planted.len(), rng);
                let literal = |at: &usize| (*at as i32 + 1) * if rng.chance(1, 2) { 1 } else { -1 };
                let mut clause: Vec<i32> = of[..self.literals()].iter().map(literal).collect();
                clause.sort_unstable_by_key(|literal| literal.abs());
                mutated.clauses.push(clause);
                rng.shuffle(&mut mutated.clauses);
            }
            if mutated.check().is_ok() {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        Values { names: self.names() }
    }

    /// The literals that the clauses force once some of the planted values are chosen.
    fn solution(&self) -> Solution {
        let (steps, values) = self.path();
        let step = |(clause, literal): &(Option<usize>, i32)| {
            let value = format!("x{} = {}", literal.abs(), *literal > 0);
            clause.map_or(format!("Choose {value}"), |clause| {
                format!("Clause {} leaves only {value}", clause + 1)
            })
        };
        Solution::new(steps.iter().map(step), self.form().write(&Self::numbers(&values)))
    }

    fn hints(&self) -> Vec<String> {
        let hint = |(clause, literal): &(Option<usize>, i32)| match clause {
            Some(clause) => {
                format!("Look at clause {}: all of its parts but one are known to fail.", clause + 1)
            }
            None => format!("No clause forces anything yet: try a value of x{}.", literal.abs()),
        };
        self.path().0.iter().map(hint).collect()
    }

    /// No partial credit for values that leave a clause false: random ones satisfy seven of eight.
    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        let values: Vec<bool> = answer.iter().map(|value| *value == 0).collect();
        let Some(broken) = self.broken(&values) else { return Ok(()) };
        let detail =
            format!("clause {} is false: {}", broken + 1, Self::text(&self.clauses[broken], "not ", " or "));
        let holds =
            |clause: &&Vec<i32>| clause.iter().any(|literal| values[variable(*literal)] == (*literal > 0));
        let kept = self.clauses.iter().filter(holds).count();
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail);
        Err(failure.part("clauses_true", kept as f32 / self.clauses.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut broken = || {
            let mut values = self.planted.clone();
            // A clause that was true becomes false; the last one stays false.
            for at in faults.draw(self.clauses.len(), rng) {
                for literal in &self.clauses[at] {
                    values[variable(*literal)] = *literal < 0;
                }
            }
            values
        };
        let misses = [broken(), broken(), broken(), broken()];
        misses.iter().map(|values| Self::numbers(values)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let count = self.planted.len();
        let coins: Vec<bool> = (0..count).map(|_| rng.chance(1, 2)).collect();
        let guesses = [
            ("a coin for each", coins),
            ("all true", vec![true; count]),
            ("all false", vec![false; count]),
            ("as a variable comes more often", self.as_often()),
        ];
        guesses.map(|(policy, values)| (policy, Self::numbers(&values))).to_vec()
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let found = self.solved(&self.open(), &mut |_| rng.chance(1, 2), &mut 0)?;
        let values: Vec<bool> = found.into_iter().map(|value| value.unwrap_or(true)).collect();
        Some(Self::numbers(&values))
    }

    /// Renumbers variables, negates some of them, and reorders the clauses.
    fn twin(&self, rng: &mut Rng) -> Self {
        let numbers = permutation::random(self.planted.len(), rng);
        let turned: Vec<bool> = numbers.iter().map(|_| rng.chance(1, 2)).collect();
        let moved = |literal: &i32| {
            let at = variable(*literal);
            (numbers[at] as i32 + 1) * literal.signum() * if turned[at] { -1 } else { 1 }
        };
        let mut clauses: Vec<Vec<i32>> =
            self.clauses.iter().map(|clause| clause.iter().map(moved).collect()).collect();
        for clause in &mut clauses {
            clause.sort_unstable_by_key(|literal| literal.abs());
        }
        rng.shuffle(&mut clauses);
        let mut planted = self.planted.clone();
        for (at, value) in self.planted.iter().enumerate() {
            planted[numbers[at]] = *value != turned[at];
        }
        Self { clauses, planted }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let thing = |literal: &i32| (0, 2 * variable(*literal) + usize::from(*literal < 0));
        let clauses = self.clauses.iter();
        let clauses = clauses.map(|clause| Relation { kind: 1, members: clause.iter().map(thing).collect() });
        let pairs = (0..self.planted.len())
            .map(|at| Relation { kind: 2, members: vec![(0, 2 * at), (0, 2 * at + 1)] });
        invariant(2 * self.planted.len(), &clauses.chain(pairs).collect::<Vec<_>>()).to_be_bytes().to_vec()
    }

    /// Literals examined by trying true first and propagating forced values.
    fn effort(&self) -> Effort {
        let mut work = 0;
        self.solved(&self.open(), &mut |_| true, &mut work);
        Effort::new(work, 6_000)
    }
}

/// A value for each variable.
struct Values {
    names: Vec<String>,
}

impl Values {
    fn assignment(&self) -> form::Assignment<'_> {
        form::Assignment { noun: "variable", names: &self.names, values: &VALUES }
    }
}

impl Form for Values {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        self.assignment().asks()
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        self.assignment().read(text)
    }

    fn write(&self, answer: &Vec<usize>) -> String {
        self.assignment().write(answer)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.assignment().mangled(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(clauses: &[[i32; 3]]) -> Formula {
        Formula {
            clauses: clauses.iter().map(|clause| clause.to_vec()).collect(),
            planted: vec![true, false, true, true],
        }
    }

    #[test]
    fn any_values_that_make_every_clause_true_pass() {
        let it = formula(&[[1, 2, 3], [-1, -2, 4], [-2, -3, -4], [1, -3, 4]]);
        it.check().unwrap();
        let mut passing = 0;
        for bits in 0..16 {
            let values: Vec<bool> = (0..4).map(|at| bits >> at & 1 == 1).collect();
            let [a, b, c, d] = values[..] else { unreachable!() };
            let right = (a || b || c) && (!a || !b || d) && (!b || !c || !d) && (a || !c || d);
            let judged = it.verify(Formula::numbers(&values), &mut Budget::new(1));
            assert_eq!(judged.is_ok(), right, "{values:?}");
            passing += u32::from(right);
        }
        assert_eq!(passing, 8);
        let wrong = it.verify(vec![1, 1, 1, 1], &mut Budget::new(1)).unwrap_err();
        assert_eq!(wrong.detail, "clause 1 is false: x1 or x2 or x3");
        assert_eq!(wrong.parts, [("clauses_true", 0.75)]);
    }

    #[test]
    fn the_reference_solver_finds_values_where_there_are_some_only() {
        // No assignment satisfies all eight clauses over three variables.
        let mut all: Vec<[i32; 3]> =
            (0..8).map(|bits| [1, 2, 3].map(|v| if bits >> (v - 1) & 1 == 1 { v } else { -v })).collect();
        assert!(formula(&all).solved(&[None; 4], &mut |_| true, &mut 0).is_none());
        assert!(formula(&all).check().unwrap_err().contains("makes a clause false"));
        all.retain(|clause| *clause != [-1, 2, -3]);
        let found = formula(&all).solved(&[None; 4], &mut |_| false, &mut 0).unwrap();
        assert_eq!(found[..3], [Some(true), Some(false), Some(true)]);
    }
}
