//! Goals, and what each tactic does to the first of them. This file and `term` are what a proof rests on.

use std::sync::Arc;

use serde_json::{Value, json};

use super::tactic::{Rewrite, Tactic};
use super::term::{AND, Bindings, EQUAL, FALSE, IMPLIES, MOST_NODES, NOT, OR, PROP, Sort, Term};
use super::theory::Theory;

/// Largest number of goals, and of hypotheses of one.
pub const MOST_GOALS: usize = 40;

/// A formula to prove from hypotheses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Goal {
    pub hypotheses: Vec<(Arc<str>, Term)>,
    pub target: Term,
}

/// The goals of a proof that are open; a copy costs a count each.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    pub goals: Vec<Arc<Goal>>,
    /// True once a goal was left unproved with `sorry`.
    pub sorry: bool,
}

type Applied = Result<State, String>;

impl State {
    pub fn new(goal: Goal) -> Self {
        Self { goals: vec![Arc::new(goal)], sorry: false }
    }

    /// True if no goal is open.
    pub fn is_over(&self) -> bool {
        self.goals.is_empty()
    }

    /// True if every goal was closed by a rule.
    pub fn is_proved(&self) -> bool {
        self.goals.is_empty() && !self.sorry
    }

    /// The state after a tactic, or why it does not apply to the first goal. It replaces that goal by goals that
    /// together entail it in every model of the theory.
    pub fn apply(&self, tactic: &Tactic, theory: &Theory) -> Applied {
        let goal = &**self.goals.first().ok_or("no goal is open")?;
        match tactic {
            Tactic::Intro(name) => match &goal.target {
                Term::Node(IMPLIES, of) => {
                    self.replaced(vec![goal.with(name, &of[0], theory)?.showing(&of[1])])
                }
                Term::Node(NOT, of) => {
                    self.replaced(vec![goal.with(name, &of[0], theory)?.showing(&Term::node(FALSE, []))])
                }
                _ => Err("the goal is neither an implication nor a negation".to_owned()),
            },
            Tactic::Split => {
                let both = goal.target.under(AND).ok_or("the goal is not of the form A and B")?;
                self.replaced(both.iter().map(|part| goal.showing(part)).collect())
            }
            Tactic::Left | Tactic::Right => {
                let either = goal.target.under(OR).ok_or("the goal is not of the form A or B")?;
                self.replaced(vec![goal.showing(&either[usize::from(*tactic == Tactic::Right)])])
            }
            Tactic::Exfalso => match goal.target.under(FALSE) {
                Some(_) => Err("the goal is false already".to_owned()),
                None => self.replaced(vec![goal.showing(&Term::node(FALSE, []))]),
            },
            Tactic::ByContra(name) => {
                let denied = Term::node(NOT, [goal.target.clone()]);
                self.replaced(vec![goal.with(name, &denied, theory)?.showing(&Term::node(FALSE, []))])
            }
            Tactic::Have(name, formula) => {
                self.replaced(vec![goal.showing(formula), goal.with(name, formula, theory)?])
            }
            Tactic::Refl => match goal.target.under(EQUAL) {
                Some(sides) if sides[0] == sides[1] => self.replaced(Vec::new()),
                Some(_) => Err("the two sides differ".to_owned()),
                None => Err("the goal is not an equation".to_owned()),
            },
            Tactic::Sorry => Ok(Self { sorry: true, ..self.replaced(Vec::new())? }),
            Tactic::Cases(name) => self.cases(goal, name, theory),
            Tactic::Apply(name, with) => self.use_rule(goal, name, with, theory),
            Tactic::Rewrite(rewrite) => self.rewrite(goal, rewrite, theory),
            Tactic::Induction(value) => self.induction(goal, *value, theory),
        }
    }

    /// The state with the first goal replaced, and metavariables numbered in order.
    fn replaced(&self, goals: Vec<Goal>) -> Applied {
        self.bound(goals, &Bindings::default())
    }

    fn bound(&self, goals: Vec<Goal>, bindings: &Bindings) -> Applied {
        if goals.len() + self.goals.len() > MOST_GOALS + 1 {
            return Err(format!("there would be more than {MOST_GOALS} goals"));
        }
        let filled = |goal: Arc<Goal>| {
            let stays = bindings.is_empty() || !goal.formulas().any(Term::has_meta);
            if stays { goal } else { Arc::new(goal.mapped(&|term| bindings.of(term))) }
        };
        let rest = self.goals[1..].iter().cloned();
        let mut goals: Vec<Arc<Goal>> = goals.into_iter().map(Arc::new).chain(rest).map(filled).collect();
        if goals.iter().any(|goal| goal.is_too_large()) {
            return Err("a formula would become too large".to_owned());
        }
        renumber(&mut goals);
        Ok(Self { goals, sorry: self.sorry })
    }

    fn cases(&self, goal: &Goal, name: &str, theory: &Theory) -> Applied {
        let known = goal.hypothesis(name)?;
        let without = || {
            let mut goal = goal.clone();
            goal.hypotheses.retain(|(other, _)| &**other != name);
            goal
        };
        match known {
            Term::Node(FALSE, _) => self.replaced(Vec::new()),
            Term::Node(AND, both) => {
                let parts = [(format!("{name}_1"), &both[0]), (format!("{name}_2"), &both[1])];
                let goal =
                    parts.iter().try_fold(without(), |goal, (name, part)| goal.with(name, part, theory))?;
                self.replaced(vec![goal])
            }
            Term::Node(OR, either) => {
                let case = |part| without().with(name, part, theory);
                self.replaced(vec![case(&either[0])?, case(&either[1])?])
            }
            _ => Err(format!("{name} is neither of the form A and B nor A or B, nor false")),
        }
    }

    /// Works backward: the goal is what the rule concludes, and its premises become goals.
    fn use_rule(&self, goal: &Goal, name: &str, with: &[(String, Term)], theory: &Theory) -> Applied {
        let (variables, formula) = named(goal, name, theory)?;
        let values = values(name, variables, with, theory)?;
        let differs = || Err(format!("the goal is not what {name} concludes"));
        if !may_conclude(formula, &goal.target) {
            return differs();
        }
        let mut formula = formula.clone();
        if !variables.is_empty() {
            let mut next = self.metas();
            let filled = variables.iter().zip(values).map(|((_, sort), value)| {
                let fresh = || {
                    next += 1;
                    Term::Meta(next, *sort)
                };
                Some(value.unwrap_or_else(fresh))
            });
            formula = formula.instance(&filled.collect::<Vec<_>>()).expect("every variable has a value");
        }
        let mut premises = Vec::new();
        loop {
            let mut bindings = Bindings::default();
            if bindings.unify(&formula, &goal.target, &|term| theory.sort_of(term)) {
                return self.bound(premises.iter().map(|premise| goal.showing(premise)).collect(), &bindings);
            }
            let Some((premise, conclusion)) = formula.step() else { return differs() };
            premises.push(premise);
            formula = conclusion;
        }
    }

    /// The largest number of a metavariable.
    fn metas(&self) -> u16 {
        fn largest(term: &Term) -> u16 {
            match term {
                Term::Meta(number, _) => *number,
                term => term.arguments().iter().map(largest).max().unwrap_or(0),
            }
        }
        self.goals.iter().flat_map(|goal| goal.formulas()).map(largest).max().unwrap_or(0)
    }

    fn rewrite(&self, goal: &Goal, rewrite: &Rewrite, theory: &Theory) -> Applied {
        let name = &rewrite.rule;
        let (variables, formula) = named(goal, name, theory)?;
        let sides = formula.under(EQUAL).ok_or_else(|| format!("{name} is not an equation"))?;
        let (from, to) = if rewrite.backward { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
        let given = values(name, variables, &rewrite.with, theory)?;
        let fits = |at: &Vec<u8>| {
            let mut values = given.clone();
            let part = goal.target.at(at)?;
            from.matches(part, &mut values, &|term| theory.sort_of(term)).then_some((at.clone(), values))
        };
        let found = match &rewrite.at {
            Some(at) if goal.target.at(at).is_none() => {
                return Err("the goal has no such position".to_owned());
            }
            Some(at) => fits(at),
            None => goal.target.positions().iter().find_map(fits),
        };
        let side = if rewrite.backward { "right" } else { "left" };
        let (at, values) = found.ok_or_else(|| format!("the {side} side of {name} does not match there"))?;
        let Some(part) = to.instance(&values) else {
            let missing = variables.iter().zip(&values).find(|(_, value)| value.is_none());
            let missing = missing.map_or("", |((variable, _), _)| variable);
            return Err(format!("nothing says what {missing} is; add `with {missing} = TERM`"));
        };
        let target = goal.target.put(&at, part);
        let closed = target.under(EQUAL).is_some_and(|sides| sides[0] == sides[1]);
        self.replaced(if closed { Vec::new() } else { vec![goal.showing(&target)] })
    }

    /// A goal about an arbitrary value follows from a goal for each constructor, in which it holds for the smaller
    /// value. The value may occur in no hypothesis, and no term may be left open.
    fn induction(&self, goal: &Goal, value: u16, theory: &Theory) -> Applied {
        let term = Term::node(value, []);
        let sort = theory.sort_of(&term);
        let name = &theory.symbols[usize::from(value)].name;
        let builders: Vec<u16> = theory
            .constructors
            .iter()
            .copied()
            .filter(|builder| theory.symbols[usize::from(*builder)].result == sort)
            .collect();
        if builders.is_empty() {
            return Err(format!("nothing is known about what {name} is built from"));
        }
        if let Some((other, _)) = goal.hypotheses.iter().find(|(_, formula)| formula.has(&term)) {
            return Err(format!("{other} is about {name}"));
        }
        if !goal.target.has(&term) || goal.formulas().any(Term::has_meta) {
            return Err(format!("the goal is not about {name}, or has an open term"));
        }
        let case = |builder: &u16| -> Result<Goal, String> {
            let mut taken: Vec<Term> = vec![term.clone()];
            let mut inner = goal.clone();
            let mut arguments = Vec::new();
            for of in &theory.symbols[usize::from(*builder)].arguments {
                if *of == sort {
                    let assumed = goal.target.clone();
                    inner = inner.with(&inner.free("ih"), &assumed, theory)?;
                    arguments.push(term.clone());
                } else {
                    let fresh = fresh(goal, *of, &taken, theory).ok_or("no value is left for a part")?;
                    taken.push(fresh.clone());
                    arguments.push(fresh);
                }
            }
            let built = Term::node(*builder, arguments);
            Ok(inner.showing(&goal.target.replaced(&|part| (*part == term).then(|| built.clone()))))
        };
        self.replaced(builders.iter().map(case).collect::<Result<_, _>>()?)
    }

    /// The goals as JSON, equal for equal states.
    pub fn json(&self, theory: &Theory) -> Value {
        let goal = |goal: &Arc<Goal>| {
            let known = goal.hypotheses.iter().map(|(name, formula)| json!([&**name, theory.write(formula)]));
            json!({"hypotheses": known.collect::<Vec<_>>(), "target": theory.write(&goal.target)})
        };
        json!({"goals": self.goals.iter().map(goal).collect::<Vec<_>>(), "proved": self.is_proved(), "sorry": self.sorry})
    }

    /// The goals as text.
    pub fn text(&self, theory: &Theory) -> String {
        if self.goals.is_empty() {
            return if self.sorry {
                "No goal is open, but `sorry` left one unproved."
            } else {
                "No goal is open."
            }
            .to_owned();
        }
        let mut lines = Vec::new();
        for (number, goal) in (1..).zip(&self.goals) {
            lines.push(format!("Goal {number} of {}", self.goals.len()));
            lines.extend(
                goal.hypotheses.iter().map(|(name, formula)| format!("  {name}: {}", theory.write(formula))),
            );
            lines.push(format!("  |- {}", theory.write(&goal.target)));
        }
        lines.join("\n")
    }
}

impl Goal {
    fn showing(&self, target: &Term) -> Self {
        Self { hypotheses: self.hypotheses.clone(), target: target.clone() }
    }

    /// The goal with one hypothesis more.
    fn with(&self, name: &str, formula: &Term, theory: &Theory) -> Result<Self, String> {
        let taken = theory.named(name).is_some() || self.hypotheses.iter().any(|(known, _)| &**known == name);
        if taken {
            return Err(format!("the name {name} is taken"));
        }
        if self.hypotheses.len() == MOST_GOALS || !super::theory::is_name(name) {
            return Err(format!("there would be more than {MOST_GOALS} hypotheses, or {name} is too long"));
        }
        let mut goal = self.clone();
        goal.hypotheses.push((name.into(), formula.clone()));
        Ok(goal)
    }

    pub fn hypothesis(&self, name: &str) -> Result<&Term, String> {
        let found = self.hypotheses.iter().find(|(known, _)| &**known == name);
        found.map(|(_, formula)| formula).ok_or_else(|| format!("there is no hypothesis {name}"))
    }

    pub fn formulas(&self) -> impl Iterator<Item = &Term> {
        self.hypotheses.iter().map(|(_, formula)| formula).chain([&self.target])
    }

    /// A name that is not taken: the given one, perhaps with a number.
    pub fn free(&self, name: &str) -> String {
        let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}{number}")));
        let is_free = |name: &String| self.hypotheses.iter().all(|(known, _)| &**known != name);
        names.into_iter().find(is_free).expect("names are without end")
    }

    fn mapped(&self, map: &dyn Fn(&Term) -> Term) -> Self {
        let hypotheses = self.hypotheses.iter().map(|(name, formula)| (name.clone(), map(formula))).collect();
        Self { hypotheses, target: map(&self.target) }
    }

    fn is_too_large(&self) -> bool {
        self.formulas().any(|formula| formula.size() > MOST_NODES)
    }
}

/// The variables and the formula of a rule or a hypothesis.
fn named<'a>(goal: &'a Goal, name: &str, theory: &'a Theory) -> Result<(&'a Variables, &'a Term), String> {
    match theory.named(name) {
        Some(rule) => Ok((&rule.variables, &rule.formula)),
        None => match goal.hypothesis(name) {
            Ok(formula) => Ok((&[], formula)),
            Err(_) => Err(format!("there is no rule or hypothesis {name}")),
        },
    }
}

/// Names and sorts of the variables of a rule.
type Variables = [(String, Sort)];

/// False only if no values make the formula, or what follows from it and its premises, equal to the target.
fn may_conclude(formula: &Term, target: &Term) -> bool {
    let fits = match (formula, target) {
        (Term::Node(one, _), Term::Node(other, _)) => one == other,
        _ => true,
    };
    fits || formula.step().is_some_and(|(_, conclusion)| may_conclude(&conclusion, target))
}

/// The values that `with` gives to variables of a rule.
fn values(
    name: &str,
    variables: &Variables,
    with: &[(String, Term)],
    theory: &Theory,
) -> Result<Vec<Option<Term>>, String> {
    let mut values = vec![None; variables.len()];
    for (variable, term) in with {
        let at = variables.iter().position(|(known, _)| known == variable);
        let at = at.ok_or_else(|| format!("{name} has no variable {variable}"))?;
        if theory.sort_of(term) != variables[at].1 || variables[at].1 == PROP {
            return Err(format!("{} is of another sort than {variable}", theory.write(term)));
        }
        values[at] = Some(term.clone());
    }
    Ok(values)
}

/// A value of a sort that occurs nowhere in a goal.
fn fresh(goal: &Goal, sort: Sort, taken: &[Term], theory: &Theory) -> Option<Term> {
    let values =
        (0u16..).zip(&theory.symbols).filter(|(_, symbol)| symbol.arbitrary && symbol.result == sort);
    let mut terms = values.map(|(number, _)| Term::node(number, []));
    terms.find(|term| !taken.contains(term) && !goal.formulas().any(|formula| formula.has(term)))
}

/// Numbers metavariables in order of appearance, so that states that differ in numbers alone are equal.
fn renumber(goals: &mut [Arc<Goal>]) {
    fn collect(term: &Term, seen: &mut Vec<u16>) {
        match term {
            Term::Meta(number, _) if !seen.contains(number) => seen.push(*number),
            term => term.arguments().iter().for_each(|argument| collect(argument, seen)),
        }
    }
    let mut seen = Vec::new();
    goals.iter().flat_map(|goal| goal.formulas()).for_each(|formula| collect(formula, &mut seen));
    if seen.iter().zip(1..).all(|(number, wanted)| *number == wanted) {
        return;
    }
    let moved = |part: &Term| match part {
        Term::Meta(number, sort) => {
            let at = seen.iter().position(|seen| seen == number).expect("all were collected");
            Some(Term::Meta(at as u16 + 1, *sort))
        }
        _ => None,
    };
    for goal in goals {
        *goal = Arc::new(goal.mapped(&|term| term.replaced(&moved)));
    }
}
