//! Derive a goal from facts: list the rules that are needed, in an order in which each can be used.

use kit::shared::refinement::{Relation, invariant};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::words;

pub struct HornDeduction;

params! {
    pub struct HornDeductionParams {
        /// Rules in a derivation of the goal.
        steps: u32 [1..=20],
        /// Additional rules, which lead elsewhere or cannot be used.
        distractors: u32 [0..=40],
    }
    levels {
        (1, 8),
        (3, 2),
        (3, 5),
        (4, 7),
        (5, 11),
        (6, 12),
        (8, 15),
        (10, 19),
        (13, 24),
        (17, 32),
    }
    default 3
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    given: Vec<usize>,
    then: usize,
}

/// Properties by number: the known ones, rules that derive one from others, and the one to be shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deduction {
    facts: Vec<usize>,
    rules: Vec<Rule>,
    goal: usize,
}

const STARTS: [&str; 10] = ["bl", "dr", "fl", "gr", "kl", "pl", "sn", "tr", "v", "z"];
const ENDS: [&str; 9] = ["amic", "eldy", "impo", "ond", "unty", "axel", "ority", "esp", "ilm"];
const MOST_PROPERTIES: usize = STARTS.len() * ENDS.len();
const MOST_RULES: usize = 64;

fn word(property: usize) -> String {
    // Properties with adjacent numbers get words that do not sound alike.
    let at = property * 37 % MOST_PROPERTIES;
    format!("{}{}", STARTS[at % STARTS.len()], ENDS[at / STARTS.len()])
}

impl TaskFamily for HornDeduction {
    type Params = HornDeductionParams;
    type Problem = Deduction;

    const ABOUT: About = About {
        summary: "Derive a goal from facts with rules, listed in an order in which each can be used.",
        judged_by: JudgedBy::Proof,
        failures: &[
            ("no_such_rule", "there is no rule with a given number"),
            ("not_applicable", "a rule is used before everything that it requires is known"),
            ("goal_missed", "the last rule does not give the goal"),
            ("idle_rule", "a rule is listed that is not needed"),
        ],
        parts: &[Part::new("usable", "share of the listed rules that can be used where they are listed")],
        skills: &["forward_chaining", "backward_chaining", "relevance"],
        distinct_from: 2,
        guess_rate: 0.12,
        guess_score: 0.12,
        ..About::new("logic", "horn_deduction", &["First version."])
    };

    /// Lays a path to the goal, then adds rules that lead elsewhere or that need something underivable.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Deduction> {
        let steps = params.steps as usize;
        loop {
            budget.spend(100)?;
            let facts = 3 + rng.index(3);
            // Facts first, then the properties derived step by step, then those that are never derived or
            // lead nowhere.
            let reached = facts + steps;
            let mut rules: Vec<Rule> = Vec::new();
            for then in facts..reached {
                let mut given = vec![if then > facts { then - 1 } else { rng.index(facts) }];
                if rng.chance(2, 3) {
                    given.push(rng.index(then));
                }
                given.sort_unstable();
                given.dedup();
                rules.push(Rule { given, then });
            }
            let mut next = reached;
            while rules.len() < steps + params.distractors as usize {
                let rule = match rng.below(3) {
                    // A single step would be guessed if few rules gave the goal: all do.
                    _ if steps == 1 => {
                        let missing = reached + rng.index(next - reached + 1);
                        let given = rng.chance(2, 3).then(|| rng.index(facts));
                        Rule { given: given.into_iter().chain([missing]).collect(), then: facts }
                    }
                    // Leads to the path but needs something underivable.
                    0 => Rule { given: vec![rng.index(reached), next], then: facts + rng.index(steps) },
                    // Leads away from the path.
                    1 => Rule { given: vec![rng.index(reached - 1)], then: next },
                    _ => Rule { given: vec![rng.index(reached - 1), next], then: next + 1 },
                };
                next += 1 + usize::from(rule.then == next + 1);
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
            let numbers = permutation::random(MOST_PROPERTIES, rng);
            if next > MOST_PROPERTIES {
                continue;
            }
            let drawn =
                Deduction { facts: (0..facts).collect(), rules, goal: reached - 1 }.renumbered(&numbers, rng);
            if drawn.check().is_ok() && drawn.proof().is_some_and(|proof| proof.len() == steps) {
                return Ok(drawn);
            }
        }
    }
}

impl Deduction {
    fn properties(&self) -> Vec<usize> {
        let ruled = self.rules.iter().flat_map(|rule| rule.given.iter().chain([&rule.then]));
        let mut all: Vec<usize> = self.facts.iter().chain(ruled).chain([&self.goal]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn renumbered(&self, numbers: &[usize], rng: &mut Rng) -> Self {
        let all = |properties: &[usize]| {
            properties.iter().map(|property| numbers[*property]).collect::<Vec<usize>>()
        };
        let mut rules: Vec<Rule> = self
            .rules
            .iter()
            .map(|rule| {
                let mut given = all(&rule.given);
                rng.shuffle(&mut given);
                Rule { given, then: numbers[rule.then] }
            })
            .collect();
        rng.shuffle(&mut rules);
        let mut facts = all(&self.facts);
        rng.shuffle(&mut facts);
        Self { facts, rules, goal: numbers[self.goal] }
    }

    /// Derivable properties round by round, each with the first rule that gives it, and the number of
    /// premises examined.
    fn reached(&self) -> (Vec<(usize, Option<usize>)>, u64) {
        let mut known: Vec<(usize, Option<usize>)> = self.facts.iter().map(|fact| (*fact, None)).collect();
        let mut work = 0;
        loop {
            let before = known.len();
            for (at, rule) in self.rules.iter().enumerate() {
                work += rule.given.len() as u64;
                let has = |property: &usize| known[..before].iter().any(|(known, _)| known == property);
                if rule.given.iter().all(has) && !known.iter().any(|(known, _)| *known == rule.then) {
                    known.push((rule.then, Some(at)));
                }
            }
            if known.len() == before || known.iter().any(|(known, _)| *known == self.goal) {
                return (known, work);
            }
        }
    }

    /// Rules that lead to the goal in a usable order, none of them idle.
    fn proof(&self) -> Option<Vec<usize>> {
        let (known, _) = self.reached();
        let mut needed = vec![self.goal];
        let mut proof = Vec::new();
        for (property, by) in known.iter().rev() {
            if let Some(rule) = by.filter(|_| needed.contains(property)) {
                needed.extend(&self.rules[rule].given);
                proof.push(rule);
            }
        }
        proof.reverse();
        proof.last().is_some_and(|last| self.rules[*last].then == self.goal).then_some(proof)
    }

    /// Judges a list of rules in order.
    fn replay(&self, rules: &[usize]) -> Judged {
        let mut known = self.facts.clone();
        let mut usable = 0;
        let mut fault = None;
        for (place, at) in rules.iter().enumerate() {
            let rule = &self.rules[*at];
            let mut note = |detail: String, failure| fault = fault.take().or(Some((detail, failure)));
            if let Some(missing) = rule.given.iter().find(|property| !known.contains(property)) {
                let missing = word(*missing);
                note(
                    format!("rule {} requires {missing}, which is not known at that point", at + 1),
                    "not_applicable",
                );
                continue;
            }
            usable += 1;
            if known.contains(&rule.then) {
                note(
                    format!("the result of rule {}, {}, is already known", at + 1, word(rule.then)),
                    "idle_rule",
                );
            }
            known.push(rule.then);
            let later = &rules[place + 1..];
            let goes_on = later.iter().any(|later| self.rules[*later].given.contains(&rule.then));
            if !goes_on && !later.is_empty() {
                note(
                    format!("no later rule requires the result of rule {}, {}", at + 1, word(rule.then)),
                    "idle_rule",
                );
            }
        }
        if rules.last().is_none_or(|last| self.rules[*last].then != self.goal) {
            fault =
                fault.or(Some((format!("the last rule does not give {}", word(self.goal)), "goal_missed")));
        }
        let Some((detail, failure)) = fault else { return Ok(()) };
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).also(failure);
        Err(failure.part("usable", usable as f32 / rules.len().max(1) as f32))
    }

    fn known(&self) -> String {
        words::and(self.facts.iter().map(|fact| word(*fact)))
    }

    /// The numbered rules, each worded by what it requires and what it gives.
    fn listed(&self, line: impl Fn(&[String], &str) -> String) -> String {
        let text = |(number, rule): (usize, &Rule)| {
            let given: Vec<String> = rule.given.iter().map(|property| word(*property)).collect();
            format!("{number}. {}", line(&given, &word(rule.then)))
        };
        (1..).zip(&self.rules).map(text).lines()
    }
}

/// Requirements for an answer, for the prompt.
const TERMS: &str = "A rule can be used once everything that it requires is known, either from the start or from rules used before it. \
                     Do not list a rule if its result is already known when it is used. The last rule in the list must give the \
                     goal, and the result of every other rule must be required by a rule that comes later in the list. If there are \
                     several such lists, any of them will do.";

impl Problem for Deduction {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("stone", |deduction| {
            format!(
                "The following rules hold for all stones (the adjectives are made up):\n\n{}\n\nA certain stone is {}. Prove that it is \
                 {} by listing the rules that you use, in order. {TERMS}",
                deduction
                    .listed(|given, then| format!("If a stone is {}, it is {then}.", given.join(" and "))),
                deduction.known(),
                word(deduction.goal)
            )
        }),
        Template::plain("machine", |deduction| {
            format!(
                "Forward chaining\n\nRules:\n{}\n\nInitial facts: {}\nGoal: {}\nOutput: a sequence of rule numbers that derives the \
                 goal\n\n{TERMS}",
                deduction.listed(|given, then| format!("{} => {then}", given.join(" and "))),
                deduction.facts.iter().map(|fact| word(*fact)).listed(),
                word(deduction.goal)
            )
        }),
        Template::plain("message", |deduction| {
            format!(
                "Can you explain a decision of our stone-sorting program to me? I told it that a stone is {}, and it concluded that the \
                 stone is {}. (Don't ask me what the words mean.) These are its rules, where something like \"p + q -> r\" means \
                 that a stone which is both p and q is r as well:\n\n{}\n\nI'd like to know which rules lead to that conclusion, in \
                 an order in which they can be used. {TERMS}",
                deduction.known(),
                word(deduction.goal),
                deduction.listed(|given, then| format!("{} -> {then}", given.join(" + ")))
            )
        }),
        Template::held_out_plain("catalog", |deduction| {
            format!(
                "An old catalog of stones, full of words that nobody uses today, has these entries:\n\n{}\n\nA collector has found a \
                 stone that is {}. She is sure that it must be {} as well, and wants to prove that with nothing but the rules in the \
                 catalog. Which of them does she need, and in what order? {TERMS}",
                deduction
                    .listed(|given, then| format!("All stones that are {} are {then}.", given.join(" and "))),
                deduction.known(),
                word(deduction.goal)
            )
        }),
        Template::held_out_plain("prolog", |deduction| {
            format!(
                "Here is a logic program. A line \"a :- b, c.\" is a rule, which states that a is true if both b and c are true.\n\n{}\n\n\
                 These facts are known to be true: {}. Show that {} is true by giving the rules of a proof from the facts to the \
                 goal. {TERMS}",
                deduction.listed(|given, then| format!("{then} :- {}.", given.join(", "))),
                deduction.known(),
                word(deduction.goal)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("facts", &self.facts, 1..=12, "properties")?;
        check::length("rules", &self.rules, 1..=MOST_RULES, "rules")?;
        for rule in &self.rules {
            check::length("rules", &rule.given, 1..=4, "properties that a rule requires")?;
            check::distinct("rules", &rule.given)?;
            check::that(!rule.given.contains(&rule.then), || {
                "`rules` has a rule that gives what it requires".to_owned()
            })?;
        }
        let all = self.properties();
        check::each("rules", &all, |property| *property < MOST_PROPERTIES, "properties go from 0 to 89")?;
        check::distinct("facts", &self.facts)?;
        check::that(!self.facts.contains(&self.goal), || "`goal` is one of `facts`".to_owned())?;
        let proof = self.proof().ok_or("`goal` does not follow from `facts` and `rules`")?;
        check::that(self.replay(&proof).is_ok(), || {
            "`rules` gives something in two ways that depend on each other".to_owned()
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let proof = self.proof().ok_or("`goal` does not follow from `facts` and `rules`")?;
        let judged = self.replay(&proof);
        check::that(judged.is_ok(), || {
            "`rules` lead to the goal with more rules than are needed".to_owned()
        })?;
        Ok(Certificate::solvable(format!("{} rules lead to the goal, each used once", proof.len())))
    }

    /// Moves the goal one rule further or nearer, or adds a rule that cannot be used.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let used = self.properties();
        let mut fresh = (0..MOST_PROPERTIES).filter(|property| !used.contains(property));
        match aim {
            Aim::Harder => {
                let then = fresh.next()?;
                mutated.rules.push(Rule { given: vec![self.goal, *rng.pick(&self.facts)], then });
                mutated.goal = then;
            }
            Aim::Easier => {
                let last = self.proof()?.pop()?;
                let known = |property: &&usize| !self.facts.contains(*property);
                mutated.goal = *self.rules[last].given.iter().find(known)?;
            }
            Aim::Same => {
                let (given, then) = (fresh.next()?, fresh.next()?);
                mutated.rules.push(Rule { given: vec![given, *rng.pick(&self.facts)], then });
            }
        }
        rng.shuffle(&mut mutated.rules);
        (mutated.check().is_ok()).then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Numbers { what: "numbers of the rules in the order in which they are used", most: MOST_RULES }
    }

    fn solution(&self) -> Solution {
        let proof = self.proof().unwrap_or_default();
        let step = |at: &usize| {
            let rule = &self.rules[*at];
            let given: Vec<String> = rule.given.iter().map(|property| word(*property)).collect();
            format!("The stone is {}, so by rule {} it is {}", given.join(" and "), at + 1, word(rule.then))
        };
        let numbers: Vec<i64> = proof.iter().map(|at| *at as i64 + 1).collect();
        Solution::new(proof.iter().map(step), self.form().write(&numbers))
    }

    fn hints(&self) -> Vec<String> {
        let hint = |at: &usize| {
            let given = self.rules[*at].given.first().map_or(String::new(), |property| word(*property));
            format!("The stone is {given}: look for a rule that needs this.")
        };
        self.proof().unwrap_or_default().iter().map(hint).collect()
    }

    fn verify(&self, answer: Vec<i64>, budget: &mut Budget) -> Judged {
        budget.spend((answer.len() * answer.len()) as u64)?;
        let place = |number: &i64| usize::try_from(number - 1).ok().filter(|at| *at < self.rules.len());
        if let Some(number) = answer.iter().find(|number| place(number).is_none()) {
            let detail =
                format!("there is no rule {number}; they are numbered from 1 to {}", self.rules.len());
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also("no_such_rule"));
        }
        self.replay(&answer.iter().filter_map(place).collect::<Vec<usize>>())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let proof = self.proof().unwrap_or_default();
        let numbers = |rules: &[usize]| rules.iter().map(|at| *at as i64 + 1).collect::<Vec<i64>>();
        let left_out = faults.draw(proof.len(), rng);
        let fewer: Vec<usize> =
            (0..proof.len()).filter(|at| !left_out.contains(at)).map(|at| proof[at]).collect();
        // Each rule of the proof gives another property, which a later one requires, and the last one the goal.
        // So none can be left out, and a further rule is of no use before or after them.
        let idle: Vec<usize> = (0..self.rules.len()).filter(|at| !proof.contains(at)).take(1).collect();
        let mut misses = vec![[proof.as_slice(), &proof[proof.len() - 1..]].concat()];
        if !idle.is_empty() {
            misses.extend([[&idle, proof.as_slice()].concat(), [proof.as_slice(), &idle].concat()]);
        }
        if proof.len() > 1 {
            misses.extend([proof[..proof.len() - 1].to_vec(), proof.iter().rev().copied().collect()]);
        }
        misses.extend(Some(fewer).filter(|fewer| !fewer.is_empty()));
        // Another rule in the place of one, which gives something else.
        for at in [0, proof.len() - 1] {
            let (gives, removed) = (|rule: usize| self.rules[rule].then, proof[at]);
            let others = [removed + 1, removed.wrapping_sub(1)].into_iter().chain(0..self.rules.len());
            let mut others = others.filter(|rule| *rule < self.rules.len());
            if let Some(other) = others.find(|rule| gives(*rule) != gives(removed)) {
                misses.push([&proof[..at], &[other], &proof[at + 1..]].concat());
            }
        }
        let mut misses: Vec<Vec<i64>> = misses.iter().map(|rules| numbers(rules)).collect();
        let mut signed = numbers(&proof);
        signed[0] = -signed[0];
        misses.push(signed);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let all = 1..=self.rules.len() as i64;
        let to_goal = self.rules.iter().position(|rule| rule.then == self.goal).map_or(1, |at| at as i64 + 1);
        let first =
            self.rules.iter().position(|rule| rule.given.iter().all(|given| self.facts.contains(given)));
        let any = 1 + rng.index(self.rules.len()) as i64;
        vec![
            ("all rules", all.collect()),
            ("a rule that gives the goal", vec![to_goal]),
            (
                "a rule that can be used and one that gives the goal",
                vec![first.map_or(1, |at| at as i64 + 1), to_goal],
            ),
            ("any rule and one that gives the goal", vec![any, to_goal]),
        ]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        // Whether a rule that needs the last result is preferred.
        let chained = |on: bool| {
            let (mut known, mut used) = (self.facts.clone(), Vec::new());
            while known.last() != Some(&self.goal) {
                let last = known.last().filter(|_| !used.is_empty());
                let usable = |rule: &&Rule| {
                    rule.given.iter().all(|given| known.contains(given)) && !known.contains(&rule.then)
                };
                let first = |on: bool| {
                    self.rules.iter().position(|rule| {
                        usable(&rule) && (!on || last.is_some_and(|last| rule.given.contains(last)))
                    })
                };
                let Some(at) = Some(on).filter(|on| *on).and_then(first).or_else(|| first(false)) else {
                    break;
                };
                used.push(at as i64 + 1);
                known.push(self.rules[at].then);
            }
            used
        };
        vec![
            ("the first rule that can be used", chained(false)),
            ("the first rule that goes on from the last", chained(true)),
        ]
    }

    /// Renames the properties and reorders everything.
    fn twin(&self, rng: &mut Rng) -> Self {
        let numbers = permutation::random(MOST_PROPERTIES, rng);
        self.renumbered(&numbers, rng)
    }

    fn fingerprint(&self) -> Vec<u8> {
        let properties = self.properties();
        let thing =
            |property: &usize| properties.iter().position(|known| known == property).expect("it is listed");
        let rules = self.rules.iter().map(|rule| {
            let given = rule.given.iter().map(|property| (0, thing(property)));
            Relation { kind: 1, members: given.chain([(1, thing(&rule.then))]).collect() }
        });
        let facts = self.facts.iter().map(|fact| Relation { kind: 2, members: vec![(0, thing(fact))] });
        let goal = Relation { kind: 3, members: vec![(0, thing(&self.goal))] };
        let all: Vec<Relation> = rules.chain(facts).chain([goal]).collect();
        invariant(properties.len(), &all).to_be_bytes().to_vec()
    }

    /// Premises examined, round by round through all rules, until the goal is reached.
    fn effort(&self) -> Effort {
        Effort::new(self.reached().1, 200)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        let proof = self.proof().unwrap_or_default();
        let wanted = proof.iter().map(|at| self.rules[*at].then).collect();
        Some(Box::new(Chaining { deduction: self, known: self.facts.clone(), wanted }))
    }
}

/// Judges steps like `The stone is grond and trilm, so by rule 3 it is vesp`. A step advances if it gives
/// something new that the known proof gives too, by whatever rule.
struct Chaining<'a> {
    deduction: &'a Deduction,
    known: Vec<usize>,
    wanted: Vec<usize>,
}

impl StepJudge for Chaining<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || {
            format!(
                "`{}` is not a step like `The stone is blue and hard, so by rule 3 it is old`",
                quoted(step)
            )
        };
        let said = step.trim().trim_end_matches('.').strip_prefix("The stone is ");
        let (given, rest) = said.and_then(|said| said.split_once(", so by rule ")).ok_or_else(refuse)?;
        let (number, then) = rest.split_once(" it is ").ok_or_else(refuse)?;
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(refuse)?;
        let rule =
            self.deduction.rules.get(at).ok_or_else(|| format!("there is no rule {}", quoted(number)))?;
        let mut said: Vec<&str> = given.split(" and ").collect();
        let mut needs: Vec<String> = rule.given.iter().map(|property| word(*property)).collect();
        said.sort_unstable();
        needs.sort_unstable();
        if said != needs {
            return Err(format!("rule {number} requires {}", needs.join(" and ")));
        }
        if then != word(rule.then) {
            return Err(format!("rule {number} gives {}", word(rule.then)));
        }
        if let Some(missing) = rule.given.iter().find(|property| !self.known.contains(property)) {
            return Err(format!("it is not known yet that the stone is {}", word(*missing)));
        }
        if self.known.contains(&rule.then) {
            return Ok(StepVerdict::idle("true, but already known"));
        }
        self.known.push(rule.then);
        Ok(if self.wanted.contains(&rule.then) {
            StepVerdict::advances()
        } else {
            StepVerdict::idle("true, but the known proof of the goal does without it")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_leads_on_once_if_it_leads_to_the_goal() {
        let rule = |given: &[usize], then| Rule { given: given.to_vec(), then };
        let rules = vec![rule(&[2, 1], 3), rule(&[0], 2), rule(&[0], 4), rule(&[4, 9], 3)];
        let it = Deduction { facts: vec![0, 1], rules, goal: 3 };
        let name = |given: &[usize], number: usize, then: usize| {
            let given: Vec<String> = given.iter().map(|property| word(*property)).collect();
            format!("The stone is {}, so by rule {number} it is {}", given.join(" and "), word(then))
        };
        let mut judge = it.steps().unwrap();
        for (step, said) in [
            (name(&[2, 1], 1, 3), None),
            (name(&[0], 3, 4), Some((true, false))),
            (name(&[0], 2, 2), Some((true, true))),
            (name(&[0], 2, 2), Some((true, false))),
            (name(&[0], 2, 3), None),
            (name(&[1], 2, 2), None),
            (name(&[4, 9], 4, 3), None),
            (name(&[0], 9, 2), None),
            (name(&[1, 2], 1, 3) + ".", Some((true, true))),
            ("The stone is old".to_owned(), None),
        ] {
            let judged = judge.judge(&step, &mut Budget::new(9)).ok();
            assert_eq!(judged.map(|judged| (judged.holds, judged.advances)), said, "{step}");
        }
    }

    #[test]
    fn rules_are_replayed_in_their_order() {
        let rule = |given: &[usize], then| Rule { given: given.to_vec(), then };
        let rules = vec![rule(&[2, 1], 3), rule(&[0], 2), rule(&[0], 4), rule(&[4, 9], 3), rule(&[4], 2)];
        let it = Deduction { facts: vec![0, 1], rules, goal: 3 };
        it.check().unwrap();
        for (rules, judged) in [
            (&[2, 1][..], "right"),
            (&[3, 5, 1], "right"),
            (&[1], "not_applicable"),
            (&[1, 2], "not_applicable"),
            (&[2], "goal_missed"),
            (&[2, 3, 1], "idle_rule"),
            (&[2, 3, 5, 1], "idle_rule"),
            (&[2, 1, 1], "idle_rule"),
            (&[3, 4], "not_applicable"),
            (&[0], "no_such_rule"),
            (&[6], "no_such_rule"),
            (&[i64::MIN + 1], "no_such_rule"),
        ] {
            let verdict = it.verify(rules.to_vec(), &mut Budget::new(100));
            let label =
                verdict.map_or_else(|verdict| verdict.failures[verdict.failures.len() - 1], |()| "right");
            assert_eq!(label, judged, "{rules:?}");
        }
        let no = Deduction { facts: vec![0], rules: vec![rule(&[9], 3)], goal: 3 };
        assert!(no.check().unwrap_err().contains("does not follow"));
    }

    #[test]
    fn every_property_has_a_word_of_its_own() {
        let mut words: Vec<String> = (0..MOST_PROPERTIES).map(word).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), MOST_PROPERTIES);
    }
}
