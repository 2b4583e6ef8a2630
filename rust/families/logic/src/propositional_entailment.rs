//! Derive a conclusion from premises, or find values that make the premises true and the conclusion false.

mod answer;
mod resolution;

use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::task::prelude::*;

use self::answer::ProofOrRefutation;
use self::resolution::{Clause, Closure, MOST_LETTERS, letter};

pub struct PropositionalEntailment;

params! {
    pub struct PropositionalEntailmentParams {
        /// Letters that stand for statements.
        letters: u32 [4..=14],
        /// Premises.
        premises: u32 [2..=30],
        /// Least number of lines in the derivation that a search by small clauses finds, if the conclusion follows.
        lines: u32 [1..=16],
    }
    levels {
        (4, 5, 1),
        (5, 6, 1),
        (5, 7, 2),
        (6, 9, 3),
        (7, 10, 4),
        (7, 12, 5),
        (8, 13, 5),
        (8, 14, 6),
        (9, 15, 7),
        (10, 17, 8),
    }
    default 4
}

/// Clauses of literals: the number of a letter from 1, negative for "not".
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    letters: usize,
    premises: Vec<Vec<i32>>,
    conclusion: Vec<i32>,
}

/// A derivation, each line with a clause and the numbers of the two it comes from; or the letters that are
/// true.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Derivation(Vec<(Clause, [usize; 2])>),
    Countermodel(u32),
}

const MOST_PREMISES: usize = 30;
const MOST_LINES: usize = 300;

impl TaskFamily for PropositionalEntailment {
    type Params = PropositionalEntailmentParams;
    type Problem = Argument;

    const ABOUT: About = About {
        summary: "Derive a conclusion from premises, or refute it with a counterexample.",
        judged_by: JudgedBy::Proof,
        failures: &[
            ("repeated_line", "a line repeats an earlier line"),
            ("wrong_step", "a line does not follow from the two lines that it names"),
            ("unreached", "the derivation does not end with the conclusion"),
            ("premise_false", "the counterexample makes a premise false"),
            ("conclusion_true", "the counterexample makes the conclusion true"),
        ],
        guess_rate: 0.046,
        guess_score: 0.046,
        skills: &["resolution", "proof", "countermodels", "case_analysis"],
        ..About::new("logic", "propositional_entailment", &["First version."])
    };

    /// Draws premises that can be true together, then a conclusion that follows or one that does not.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Argument> {
        let letters = params.letters as usize;
        let follows = rng.chance(1, 2);
        loop {
            budget.spend(1_000)?;
            let trues = rng.below(1 << letters) as u32;
            let mut premises: Vec<Vec<i32>> = Vec::new();
            while premises.len() < params.premises as usize {
                budget.spend(1)?;
                let parts = if rng.chance(1, 2) { 2 } else { 3 };
                let clause = drawn_clause(letters, parts, rng);
                if Clause::of(&clause).holds(trues) && !premises.contains(&clause) {
                    premises.push(clause);
                }
            }
            let clauses: Vec<Clause> = premises.iter().map(|premise| Clause::of(premise)).collect();
            let conclusion = if follows {
                let closure = Closure::of(&clauses, None);
                budget.spend(closure.pairs)?;
                let long = |at: &usize| {
                    (1..=2).contains(&closure.clauses[*at].parts())
                        && closure.needed(*at).len() >= params.lines as usize
                };
                let Some(found) = (clauses.len()..closure.clauses.len()).find(long) else { continue };
                literals(closure.clauses[found])
            } else {
                drawn_clause(letters, 1 + rng.index(2), rng)
            };
            let drawn = Argument { letters, premises, conclusion };
            let fits = drawn.check_clauses().is_ok()
                && if follows {
                    drawn.derivation().is_some_and(|lines| lines.len() >= params.lines as usize)
                } else {
                    // Few enough that guessing does not find one.
                    let models = drawn.countermodels().count();
                    models > 0 && (models << 5 <= 1 << letters || models == 1)
                };
            if fits {
                return Ok(drawn);
            }
        }
    }
}

/// Distinct letters with signs, in ascending order.
fn drawn_clause(letters: usize, parts: usize, rng: &mut Rng) -> Vec<i32> {
    let mut of: Vec<usize> = (0..letters).collect();
    rng.deal(&mut of, parts);
    of.truncate(parts);
    of.sort_unstable();
    of.into_iter().map(|at| (at as i32 + 1) * if rng.chance(1, 2) { 1 } else { -1 }).collect()
}

fn literals(clause: Clause) -> Vec<i32> {
    let of = |at: usize| {
        let number = at as i32 + 1;
        let plain = (clause.plain >> at & 1 == 1).then_some(number);
        plain.into_iter().chain((clause.negated >> at & 1 == 1).then_some(-number))
    };
    (0..MOST_LETTERS).flat_map(of).collect()
}

impl Argument {
    fn clauses(&self) -> Vec<Clause> {
        self.premises.iter().map(|premise| Clause::of(premise)).collect()
    }

    fn countermodels(&self) -> impl Iterator<Item = u32> {
        let (clauses, conclusion) = (self.clauses(), Clause::of(&self.conclusion));
        (0..1u32 << self.letters).filter(move |trues| {
            !conclusion.holds(*trues) && clauses.iter().all(|clause| clause.holds(*trues))
        })
    }

    fn closure(&self) -> Closure {
        Closure::of(&self.clauses(), Some(Clause::of(&self.conclusion)))
    }

    /// The derivation that the search finds.
    fn derivation(&self) -> Option<Vec<(Clause, [usize; 2])>> {
        let (closure, goal) = (self.closure(), Clause::of(&self.conclusion));
        let last = closure.clauses.len() - 1;
        if !closure.clauses[last].is_part_of(goal) || last < self.premises.len() {
            return None;
        }
        let needed = closure.needed(last);
        let number = |at: usize| {
            needed.iter().position(|line| *line == at).map_or(at + 1, |line| self.premises.len() + line + 1)
        };
        let line = |at: &usize| Some((closure.clauses[*at], closure.from[*at]?.map(number)));
        needed.iter().map(line).collect()
    }

    fn listed(&self) -> String {
        let line = |(number, clause): (usize, Clause)| format!("{number}. {}", clause.text());
        (1..).zip(self.clauses()).map(line).lines()
    }

    /// The rule for derivations, for the prompt.
    fn rule(&self) -> String {
        format!(
            "In a derivation, each new line is obtained from two earlier lines, one of which contains some letter while the other \
             contains \"not\" with the same letter: the new line consists of all other parts of the two lines, with each part \
             written only once. The new lines are numbered from {} on. No line may be the same as an earlier line, and the last line \
             must be the conclusion or consist of some of its parts.",
            self.premises.len() + 1
        )
    }

    /// The part of [`Problem::check`] that needs no search.
    fn check_clauses(&self) -> Result<(), String> {
        check::within("letters", &self.letters, 4..=MOST_LETTERS)?;
        check::length("premises", &self.premises, 2..=MOST_PREMISES, "premises")?;
        let most = self.letters as i32;
        for clause in self.premises.iter().chain([&self.conclusion]) {
            let fits = (1..=4).contains(&clause.len())
                && clause.iter().all(|literal| *literal != 0 && (-most..=most).contains(literal))
                && clause.is_sorted_by(|a, b| a.abs() < b.abs());
            check::that(fits, || {
                format!(
                    "`premises` and `conclusion` must have 1 to 4 letters up to {most} in ascending order"
                )
            })?;
        }
        let mut sorted = self.premises.clone();
        sorted.sort_unstable();
        check::that(sorted.is_sorted_by(|a, b| a < b), || "`premises` has a clause twice".to_owned())?;
        let goal = Clause::of(&self.conclusion);
        check::that(!self.clauses().iter().any(|clause| clause.is_part_of(goal)), || {
            "`conclusion` is a premise or follows from one alone".to_owned()
        })
    }

    fn conclusion(&self) -> String {
        Clause::of(&self.conclusion).text()
    }

    /// Judges a derivation line by line.
    fn replay(&self, lines: &[(Clause, [usize; 2])]) -> Judged {
        let mut known = self.clauses();
        for (clause, from) in lines {
            let number = known.len() + 1;
            let wrong = |why: String| Err(Failure::new(label::CONSTRAINT_VIOLATED, why).also("wrong_step"));
            if let Some(before) = known.iter().position(|before| before == clause) {
                let why = format!("line {number} repeats line {}", before + 1);
                return Err(Failure::new(label::CONSTRAINT_VIOLATED, why).also("repeated_line"));
            }
            let [one, other] = from.map(|at| at.checked_sub(1).and_then(|at| known.get(at)).copied());
            let (Some(one), Some(other)) = (one, other) else {
                return wrong(format!("line {number} names a line that does not come before it"));
            };
            if !one.resolvents(other).any(|made| made == *clause) {
                let [one, other] = from;
                return wrong(format!(
                    "line {number}, {}, does not follow from lines {one} and {other}",
                    clause.text()
                ));
            }
            known.push(*clause);
        }
        let reached = lines.last().is_some_and(|(clause, _)| clause.is_part_of(Clause::of(&self.conclusion)));
        if reached {
            return Ok(());
        }
        let detail = format!("the derivation does not end with {} or parts of it", self.conclusion());
        Err(Failure::wrong(detail).also("unreached"))
    }
}

impl Problem for Argument {
    type Answer = Answer;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("premises", |argument| {
            format!(
                "Consider the following premises, in which each letter is a statement. A line is true if at least one of its parts is \
                 true.\n\n{}\n\nDoes the conclusion \"{}\" follow from the premises? Prove it with a derivation if it does, and give a \
                 counterexample if it does not. {}",
                argument.listed(),
                argument.conclusion(),
                argument.rule()
            )
        }),
        Template::plain("claim", |argument| {
            format!(
                "My roommate claims that whenever all of these lines are true, \"{}\" has to be true as well. (We use \"or\" in the \
                 inclusive sense, so a line is true as soon as one of its parts is.)\n\n{}\n\nIf he's right, I'd like to see a \
                 derivation of his conclusion, and if he's wrong, a counterexample. {}",
                argument.conclusion(),
                argument.listed(),
                argument.rule()
            )
        }),
        Template::plain("spec", |argument| {
            format!(
                "Entailment: derivation or counterexample\n\nLetters: A to {}, each true or false\nOr: inclusive\nPremises:\n{}\nConclusion: \
                 {}\nIf the premises entail the conclusion: output a derivation\nIf they do not: output values that make all premises \
                 true and the conclusion false\n\n{}",
                letter(argument.letters - 1),
                argument.listed(),
                argument.conclusion(),
                argument.rule()
            )
        }),
        Template::held_out_plain("committee", |argument| {
            format!(
                "A city council is going to vote on proposals A to {}, and it has already agreed on some conditions. In these, a letter \
                 means that the proposal is accepted, \"not\" with a letter means that it is rejected, and a condition is met if at \
                 least one of its parts is.\n\n{}\n\nThe mayor says that these conditions leave the council no choice: in the end, \"{}\" \
                 must be the case as well. Either derive the mayor's conclusion from the lines above, or show that she is wrong by \
                 giving a result of the votes (true for accepted, false for rejected) that meets all of the conditions but not her \
                 conclusion. {}",
                letter(argument.letters - 1),
                argument.listed(),
                argument.conclusion(),
                argument.rule()
            )
        }),
        Template::held_out_plain("detective", |argument| {
            format!(
                "Who was in the house on the night of the crime? The suspects are known as A to {}. In the detective's notebook, a letter by \
                 itself means that the suspect was in the house, and \"not\" with a letter means that the suspect wasn't. She is \
                 certain that at least one part of each of these lines is true:\n\n{}\n\nHer assistant concludes: \"{}.\" If that \
                 conclusion is inevitable, derive it from the notebook. If not, name a possibility that the assistant has overlooked, \
                 by giving the value true to the suspects who were in the house and false to the others. {}",
                letter(argument.letters - 1),
                argument.listed(),
                argument.conclusion(),
                argument.rule()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        self.check_clauses()?;
        let decided = self.derivation().is_some() || self.countermodels().next().is_some();
        check::that(decided, || "`conclusion` follows, but by no derivation that is short enough".to_owned())
    }

    /// Tries all values of the letters.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget.spend(1 << self.letters).map_err(|over| over.to_string())?;
        let clauses = self.clauses();
        // A derivation would end in the empty clause, which no answer can express.
        check::that(
            (0..1u32 << self.letters).any(|trues| clauses.iter().all(|one| one.holds(trues))),
            || "`premises` contradict each other, so everything follows".to_owned(),
        )?;
        let countermodels = self.countermodels().count();
        let follows = self.derivation().is_some();
        check::that(follows == (countermodels == 0), || {
            "`conclusion` has a derivation and countermodels".to_owned()
        })?;
        Ok(Certificate::solvable(match countermodels {
            0 => "the conclusion is true wherever the premises are".to_owned(),
            count => format!("{count} of {} ways to choose values refute it", 1u32 << self.letters),
        }))
    }

    fn form(&self) -> impl Form<Read = Answer> {
        ProofOrRefutation { letters: self.letters }
    }

    fn solution(&self) -> Solution {
        if let Some(lines) = self.derivation() {
            let step = |(number, (clause, [one, other])): (usize, &(Clause, [usize; 2]))| {
                format!("lines {one} and {other} give {} (line {number})", clause.text())
            };
            let steps: Vec<String> = (self.premises.len() + 1..).zip(&lines).map(step).collect();
            return Solution::new(steps, self.form().write(&Answer::Derivation(lines)));
        }
        let model = self.countermodels().next().unwrap_or_default();
        let goal = Clause::of(&self.conclusion);
        let refuted = format!("{} is false if all of its parts are false", goal.text());
        let holds = |(number, clause): (usize, Clause)| {
            let makes = literals(clause).into_iter().find(|literal| Clause::of(&[*literal]).holds(model));
            format!("Line {number} is true because of {}", Clause::of(&[makes.unwrap_or(1)]).text())
        };
        let steps = std::iter::once(refuted).chain((1..).zip(self.clauses()).map(holds));
        Solution::new(steps, self.form().write(&Answer::Countermodel(model)))
    }

    fn hints(&self) -> Vec<String> {
        if let Some(lines) = self.derivation() {
            let known: Vec<Clause> = self
                .premises
                .iter()
                .map(|premise| Clause::of(premise))
                .chain(lines.iter().map(|line| line.0))
                .collect();
            let hint = |(_, from): &(Clause, [usize; 2])| {
                let [one, other] = from.map(|number| known[number - 1]);
                let clash = one.plain & other.negated | one.negated & other.plain;
                let letter = letter(clash.trailing_zeros() as usize);
                format!("Combine two lines, one with {letter} and one with not {letter}.")
            };
            return lines.iter().map(hint).collect();
        }
        let line = |(number, _)| format!("Look at line {number}: some part of it must hold.");
        let goal = "Look at the conclusion: none of its parts may hold.".to_owned();
        std::iter::once(goal).chain((1..).zip(self.clauses()).map(line)).collect()
    }

    fn answer(&self) -> String {
        let countermodel = || Answer::Countermodel(self.countermodels().next().unwrap_or_default());
        self.form().write(&self.derivation().map_or_else(countermodel, Answer::Derivation))
    }

    fn verify(&self, answer: Answer, budget: &mut Budget) -> Judged {
        match answer {
            Answer::Derivation(lines) => {
                budget.spend(100 * lines.len() as u64)?;
                self.replay(&lines)
            }
            Answer::Countermodel(trues) => {
                let broken =
                    |why: String, label| Err(Failure::new(label::CONSTRAINT_VIOLATED, why).also(label));
                if let Some(at) = self.clauses().iter().position(|clause| !clause.holds(trues)) {
                    return broken(format!("premise {} is false for these values", at + 1), "premise_false");
                }
                if Clause::of(&self.conclusion).holds(trues) {
                    return broken(
                        format!("{} is true for these values", self.conclusion()),
                        "conclusion_true",
                    );
                }
                Ok(())
            }
        }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        let goal = Clause::of(&self.conclusion);
        // Nothing follows from a premise and itself, and values that make the conclusion true refute nothing.
        let mut misses = vec![Answer::Derivation(vec![(goal, [1, 1])])];
        let trues = (0..1u32 << self.letters).find(|trues| goal.holds(*trues));
        misses.extend(trues.map(Answer::Countermodel));
        if let Some(lines) = self.derivation() {
            // Only the last line reaches the conclusion.
            let shorter = &lines[..lines.len() - faults.of(lines.len())];
            if !shorter.is_empty() {
                misses.push(Answer::Derivation(shorter.to_vec()));
            }
            let mut slipped = lines.clone();
            for at in faults.draw(lines.len(), rng) {
                slipped[at].1 = [1, 1];
            }
            misses.push(Answer::Derivation(slipped));
            misses.push(Answer::Countermodel(0));
        } else {
            let models: Vec<u32> = self.countermodels().collect();
            let flipped = faults.draw(self.letters, rng).into_iter();
            let flipped = flipped.fold(models[0], |model, at| model ^ 1 << at);
            let others = [flipped, !models[0] & ((1 << self.letters) - 1)].into_iter();
            misses.extend(others.filter(|values| !models.contains(values)).map(Answer::Countermodel));
        }
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Answer)> {
        let everything = (1 << self.letters) - 1;
        let two = [1 + rng.index(self.premises.len()), 1 + rng.index(self.premises.len())];
        vec![
            ("any values", Answer::Countermodel(rng.word() as u32 & everything)),
            ("all true", Answer::Countermodel(everything)),
            ("all false", Answer::Countermodel(0)),
            (
                "the conclusion from two premises",
                Answer::Derivation(vec![(Clause::of(&self.conclusion), two)]),
            ),
        ]
    }

    /// Renames letters, negates some of them, and reorders the premises.
    fn twin(&self, rng: &mut Rng) -> Self {
        let numbers = permutation::random(self.letters, rng);
        let turned: Vec<bool> = numbers.iter().map(|_| rng.chance(1, 2)).collect();
        let moved = |clause: &Vec<i32>| {
            let moved = |literal: &i32| {
                let at = literal.unsigned_abs() as usize - 1;
                (numbers[at] as i32 + 1) * literal.signum() * if turned[at] { -1 } else { 1 }
            };
            let mut clause: Vec<i32> = clause.iter().map(moved).collect();
            clause.sort_unstable_by_key(|literal| literal.abs());
            clause
        };
        let mut premises: Vec<Vec<i32>> = self.premises.iter().map(moved).collect();
        rng.shuffle(&mut premises);
        Self { letters: self.letters, premises, conclusion: moved(&self.conclusion) }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let thing =
            |literal: &i32| (0, 2 * (literal.unsigned_abs() as usize - 1) + usize::from(*literal < 0));
        let relation =
            |kind, clause: &Vec<i32>| Relation { kind, members: clause.iter().map(thing).collect() };
        let pairs =
            (0..self.letters).map(|at| Relation { kind: 2, members: vec![(0, 2 * at), (0, 2 * at + 1)] });
        let premises = self.premises.iter().map(|clause| relation(1, clause));
        let all: Vec<Relation> = premises.chain(pairs).chain([relation(3, &self.conclusion)]).collect();
        invariant(2 * self.letters, &all).to_be_bytes().to_vec()
    }

    /// Pairs of clauses compared until the conclusion follows or nothing new does.
    fn effort(&self) -> Effort {
        Effort::new(self.closure().pairs, 1_500)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(premises: &[&[i32]], conclusion: &[i32]) -> Argument {
        let premises = premises.iter().map(|clause| clause.to_vec()).collect();
        let argument = Argument { letters: 4, premises, conclusion: conclusion.to_vec() };
        argument.check().unwrap();
        argument
    }

    fn judge(argument: &Argument, text: &str) -> &'static str {
        let read = argument.form().read(text);
        let verdict = read.and_then(|answer| argument.verify(answer, &mut Budget::new(10_000)));
        verdict.map_or_else(|verdict| verdict.failures[verdict.failures.len() - 1], |()| "right")
    }

    #[test]
    fn premises_that_contradict_one_another_are_no_argument() {
        let certified = |premises: &[&[i32]]| argument(premises, &[3]).certify(&mut Budget::new(10_000));
        assert!(certified(&[&[1, 2], &[-1, 3], &[-2, 3]]).is_ok());
        let refused = certified(&[&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]]);
        assert!(format!("{:?}", refused.unwrap_err()).contains("contradict"));
    }

    #[test]
    fn derivations_are_replayed() {
        // If A then B, if B then C, A or C: so C.
        let it = argument(&[&[-1, 2], &[-2, 3], &[1, 3]], &[3]);
        for (text, judged) in [
            ("B or C from 1, 3\nC from 2, 4", "right"),
            ("not A or C from 2, 1\n\n  C from 3,4 ", "right"),
            ("C or B from 3, 1\nC from 4, 2", "right"),
            ("C from 1, 2", "wrong_step"),
            ("C from 2, 4", "wrong_step"),
            ("B or C from 1, 3\nC from 2, 5", "wrong_step"),
            ("B or C from 1, 3", "unreached"),
            ("A: true, B: true, C: true, D: false", "conclusion_true"),
            ("A: true, B: false, C: false, D: false", "premise_false"),
            ("B or C from 1, 3\nB or C from 1, 3\nC from 2, 4", "repeated_line"),
            ("B or C or B from 1, 3\nC from 2, 4", "malformed_answer"),
            ("B or C from 1, 3\nC or C from 2, 4", "malformed_answer"),
            ("not A or not A or C from 1, 2\nC from 3, 4", "malformed_answer"),
            ("A or not A from 1, 3", "wrong_step"),
            ("C", "malformed_answer"),
            ("C from 1", "malformed_answer"),
            ("E from 1, 2", "malformed_answer"),
            ("A: true", "malformed_answer"),
        ] {
            assert_eq!(judge(&it, text), judged, "{text}");
        }
        assert!(it.certify(&mut Budget::new(1_000)).is_ok());
    }

    #[test]
    fn what_does_not_follow_is_refuted() {
        let it = argument(&[&[-1, 2], &[-2, 3], &[1, 4]], &[3]);
        assert_eq!(judge(&it, "A: false, B: false, C: false, D: true"), "right");
        assert_eq!(judge(&it, "C from 1, 2"), "wrong_step");
        assert_eq!(it.derivation(), None);
    }

    #[test]
    fn a_pair_that_clashes_twice_yields_only_what_is_always_true() {
        let (one, other) = (Clause::of(&[1, 2]), Clause::of(&[-1, -2]));
        let made: Vec<Clause> = one.resolvents(other).collect();
        assert_eq!(made, [Clause::of(&[2, -2]), Clause::of(&[1, -1])]);
    }
}
