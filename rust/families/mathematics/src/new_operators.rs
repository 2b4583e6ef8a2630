//! Evaluate an expression of invented operators, which are defined by formulas and cases.

use self::tree::Tree;
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::Rational;
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::task::problem::Field;

mod tree;

pub struct NewOperators;

params! {
    pub struct NewOperatorsParams {
        /// Number of operators, each of which occurs.
        operators: u32 [1..=4],
        /// Operations in the expression.
        operations: u32 [1..=20],
        /// Largest number in the expression.
        largest: u32 [9..=99],
        /// Deepest nesting of parentheses.
        nesting: u32 [0..=6],
        /// True if operators may be defined by two cases.
        cases: bool [structure],
        /// True if operators may multiply their operands or divide, so that values may be fractions.
        products: bool [structure],
    }
    levels {
        (1, 1, 15, 0, false, false),
        (1, 2, 12, 1, false, false),
        (2, 2, 12, 1, true, false),
        (2, 3, 20, 1, true, true),
        (2, 5, 20, 2, true, true),
        (3, 7, 20, 3, true, true),
        (3, 10, 30, 4, true, true),
        (4, 14, 30, 5, true, true),
        (4, 20, 50, 6, true, true),
    }
    default 3
    check Self::consistent;
}

impl NewOperatorsParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.operators <= self.operations, || {
            format!("`operators` must be at most the number of `operations`, {}", self.operations)
        })
    }
}

problem! {
    pub struct Sheet {
        /// From the one that binds most strongly.
        operators: Vec<Operator> [items(1..=4, "operators", ())],
        /// Numbers, operators between spaces, and no needless parentheses.
        expression: String [5..=LONGEST],
    }
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    name: String,
    /// True if a chain is grouped from the right.
    right: bool,
    /// When the first of two rules applies: `>` if a is larger than b, `d` if they differ by more than 3.
    case: char,
    /// For each case how often it counts a, b and a * b, then what is added, and what the sum is divided by.
    rules: Vec<[i64; 5]>,
}

const LONGEST: usize = 400;
/// Largest numerator and denominator of an intermediate value.
const LARGEST: i128 = 1_000_000;
const LARGEST_BELOW: i128 = 1_000;
const SIGNS: &str = "@#&~";
const WORDS: [&str; 12] =
    ["zub", "mok", "fep", "tiv", "gax", "wug", "lorp", "snid", "quam", "brell", "plov", "dreg"];

impl Field for Operator {
    type Limits = ();

    fn check(&self, name: &str, (): &()) -> Result<(), String> {
        check::that(
            SIGNS.contains(&*self.name) && self.name.len() == 1 || WORDS.contains(&&*self.name),
            || format!("`{name}` must have a name among {SIGNS} and {}", WORDS.join(", ")),
        )?;
        check::length(name, &self.rules, 1..=2, "rules")?;
        check::that(
            self.rules.len() == 1 && self.case == '>' || self.rules.len() == 2 && ">d".contains(self.case),
            || format!("`{name}` must have a `case` of `>` or `d`, and `>` for a single rule"),
        )?;
        let fine = |[a, b, both, more, below]: &[i64; 5]| {
            let sizes = [a, b, both, more].iter().all(|factor| (-9..=9).contains(*factor));
            sizes && (1..=9).contains(below) && (*a != 0 || *both != 0) && (*b != 0 || *both != 0)
        };
        check::that(self.rules.iter().all(fine) && self.rules.get(1) != self.rules.first(), || {
            format!("`{name}` must have different `rules` of numbers up to 9 that use a and b")
        })
    }
}

impl Operator {
    fn draw(name: &str, params: &NewOperatorsParams, rng: &mut Rng) -> Self {
        let count = if params.cases && rng.chance(1, 2) { 2 } else { 1 };
        let mut rule = || {
            let both = if params.products && rng.chance(1, 3) { rng.int(1, 2) } else { 0 };
            let sign = if rng.chance(1, 3) { -1 } else { 1 };
            let less = i64::from(both > 0);
            let [a, b] = [rng.int(1, 4 - 2 * less), sign * rng.int(1, 4 - 2 * less)];
            let more = if rng.chance(1, 2) { rng.int(-5, 9) } else { 0 };
            [a, b, both, more, if params.products && rng.chance(1, 3) { rng.int(2, 4) } else { 1 }]
        };
        let rules = (0..count).map(|_| rule()).collect();
        let case = if count == 2 && rng.chance(1, 2) { 'd' } else { '>' };
        Self { name: name.to_owned(), right: params.operations > 1 && rng.chance(1, 2), case, rules }
    }

    fn is_first(&self, a: Rational, b: Rational) -> bool {
        let apart = a.checked_sub(b).unwrap_or(Rational::ZERO);
        let apart = if self.case == 'd' && apart < Rational::ZERO { -apart } else { apart };
        self.rules.len() == 1 || apart > (if self.case == 'd' { 3 } else { 0 }).into()
    }

    /// The value; `None` if it is too large.
    fn apply(&self, a: Rational, b: Rational, first: bool) -> Option<Rational> {
        let [by_a, by_b, by_both, more, below] = self.rules[usize::from(!first)].map(Rational::from);
        let both = a.checked_mul(b)?.checked_mul(by_both)?;
        let sum =
            a.checked_mul(by_a)?.checked_add(b.checked_mul(by_b)?)?.checked_add(both)?.checked_add(more)?;
        let value = sum.checked_div(below)?;
        (value.numerator().abs() <= LARGEST && value.denominator() <= LARGEST_BELOW).then_some(value)
    }

    /// A rule with the operands as they are written.
    fn formula(rule: &[i64; 5], a: &str, b: &str) -> String {
        let mut text = String::new();
        for (by, of) in rule.iter().zip([a.to_owned(), b.to_owned(), format!("{a} * {b}"), String::new()]) {
            let term = match (by.abs(), of.is_empty()) {
                (0, _) => continue,
                (size, true) => size.to_string(),
                (1, false) => of,
                (size, false) => format!("{size} * {of}"),
            };
            let sign = match (*by < 0, text.is_empty()) {
                (false, true) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (true, false) => " - ",
            };
            text.extend([sign, &term]);
        }
        if rule[4] > 1 { format!("({text}) / {}", rule[4]) } else { text }
    }

    fn definition(&self) -> String {
        let [first, last] = [self.rules.first(), self.rules.last()]
            .map(|rule| Self::formula(rule.expect("there is a rule"), "a", "b"));
        let case = if self.case == 'd' { "a and b differ by more than 3" } else { "a > b" };
        match self.rules.len() {
            1 => first,
            _ => format!("{first} if {case}, and {last} otherwise"),
        }
    }
}

impl TaskFamily for NewOperators {
    type Params = NewOperatorsParams;
    type Problem = Value<Sheet>;

    const ABOUT: About = About {
        summary: "Evaluate an expression of invented operators, which are defined by formulas and cases.",
        skills: &["order_of_operations", "substitution", "case_analysis", "fractions"],
        guess_rate: 0.028,
        guess_score: 0.028,
        ..Value::<Sheet>::about("arithmetic", "new_operators", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Sheet>> {
        loop {
            budget.spend(u64::from(params.operations))?;
            let names = drawn_names(rng);
            let names = names.iter().take(params.operators as usize);
            let operators: Vec<Operator> = names.map(|name| Operator::draw(name, params, rng)).collect();
            let mut sheet = Sheet { operators, expression: String::new() };
            // Operators that let numbers grow get other expressions.
            for _ in 0..20 {
                budget.spend(u64::from(params.operations))?;
                let Some((tree, _)) = sheet.drawn(params.operations, params.largest.into(), rng) else {
                    continue;
                };
                sheet.expression = tree.written(&sheet.names());
                let fooled = params.operations > 2 && sheet.flat() == Some(sheet.value());
                let nested = sheet.nesting() <= params.nesting as usize;
                if nested && !fooled && Fields::check(&sheet).and(sheet.consistent()).is_ok() {
                    return Ok(Value(sheet));
                }
            }
        }
    }
}

/// Signs, or words.
fn drawn_names(rng: &mut Rng) -> Vec<String> {
    let mut names: Vec<String> = SIGNS.chars().map(String::from).collect();
    if rng.chance(1, 2) {
        names = WORDS.map(String::from).to_vec();
    }
    rng.shuffle(&mut names);
    names
}

impl Sheet {
    fn names(&self) -> Vec<(&str, bool)> {
        self.operators.iter().map(|operator| (&*operator.name, operator.right)).collect()
    }

    /// A tree with so many operations, and its value, if no intermediate value is too large.
    fn drawn(&self, operations: u32, largest: i64, rng: &mut Rng) -> Option<(Tree, Rational)> {
        if operations == 0 {
            let number = rng.int(1, largest);
            return Some((Tree::Number(number), number.into()));
        }
        let left = rng.below(operations.into()) as u32;
        let (one, a) = self.drawn(left, largest, rng)?;
        let (other, b) = self.drawn(operations - 1 - left, largest, rng)?;
        let mut order: Vec<usize> = (0..self.operators.len()).collect();
        rng.shuffle(&mut order);
        let fits =
            |at: &usize| Some((*at, self.operators[*at].apply(a, b, self.operators[*at].is_first(a, b))?));
        let (at, value) = order.iter().find_map(fits)?;
        Some((Tree::join(at, one, other), value))
    }

    fn tree(&self) -> Option<Tree> {
        Tree::read(&self.expression, &self.names(), false)
    }

    fn nesting(&self) -> usize {
        let depths = self.expression.bytes().scan(0usize, |depth, byte| {
            *depth = (*depth + usize::from(byte == b'(')).checked_sub(usize::from(byte == b')'))?;
            Some(*depth)
        });
        depths.max().unwrap_or_default()
    }

    /// Evaluates a tree, operands before operators. `exchanged` reads each operation from right to left, and `otherwise`
    /// takes the other case.
    fn evaluated(&self, tree: &Tree, [exchanged, otherwise]: [bool; 2], work: &mut Work) -> Option<Rational> {
        let Tree::Join(at, sides) = tree else { return tree.to_number().map(Rational::from) };
        let operator = &self.operators[*at];
        let [left, right] =
            [&sides[0], &sides[1]].map(|side| self.evaluated(side, [exchanged, otherwise], work));
        let (a, b) = if exchanged { (right?, left?) } else { (left?, right?) };
        let first = operator.is_first(a, b) != (otherwise && operator.rules.len() == 2);
        let value = operator.apply(a, b, first)?;
        let digits =
            |value: Rational| u64::from((value.numerator().abs().max(1) * value.denominator()).ilog10() + 1);
        let rule = &operator.rules[usize::from(!first)];
        let cost = 2 + 2 * operator.rules.len() as u64 + (digits(a) + 1) * (digits(b) + 1) + digits(value);
        work.with(cost, || {
            let written = |value: Rational| {
                if value < Rational::ZERO || !value.is_whole() {
                    format!("({value})")
                } else {
                    value.to_string()
                }
            };
            let formula = Operator::formula(rule, &written(a), &written(b));
            format!("{} {} {} = {formula} = {value}", written(a), operator.name, written(b))
        });
        Some(value)
    }

    /// The value of the expression read from left to right, however operators bind.
    fn flat(&self) -> Option<Rational> {
        let tree = Tree::read(&self.expression, &self.names(), true)?;
        self.evaluated(&tree, [false, false], &mut Work::default())
    }

    fn mistaken(&self, exchanged: bool, otherwise: bool) -> Option<Rational> {
        self.evaluated(&self.tree()?, [exchanged, otherwise], &mut Work::default())
    }

    /// Rules of how operators bind.
    fn conventions(&self) -> String {
        let names: Vec<&str> = self.operators.iter().map(|operator| &*operator.name).collect();
        let bind = names.windows(2).map(|pair| format!("{} binds more strongly than {}", pair[0], pair[1]));
        let chain = |(name, right): (&str, bool)| {
            let grouped =
                if right { format!("x {name} (y {name} z)") } else { format!("(x {name} y) {name} z") };
            format!("x {name} y {name} z means {grouped}")
        };
        let clauses: Vec<String> = bind.chain(self.names().into_iter().map(chain)).collect();
        clauses.join("; ")
    }
}

impl Exact for Sheet {
    type Of = Rational;

    const HALF: u64 = 150;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("left_to_right", "the value when it is ignored how operators bind"),
        ("operands_exchanged", "the value when each operator takes its right operand for its left one"),
        ("wrong_case", "the value when each operator takes the other one of its cases"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "defined",
            "For numbers a and b, with +, -, * and / as usual, let\n\n{operators:a {name} b = {definition}}\n\n{chained?Parentheses come first. \
             Otherwise, {conventions}. }Evaluate {expression}.",
        ),
        Prompt::new(
            "message",
            "My sister invents her own arithmetic. This is what she wrote down (+, -, * and / mean what \
             they always do):\n\n{operators:a {name} b = \
             {definition}}\n\n{chained?She says that parentheses are used as usual, and that {conventions}. }Now she wants me \
             to work out {expression}, without rounding. What is the result?",
        ),
        Prompt::new(
            "language",
            "A programming language has the usual operators +, -, * and /, and lets you define more. A program begins with \
             these definitions:\n\n{operators:define a {name} b as {definition}}\n\n{chained?Expressions in parentheses are \
             evaluated first. Apart from that, {conventions}. }Its arithmetic is exact. What does it print for\n\n\
             print {expression}\n",
        ),
        Prompt::held_out(
            "planet",
            "On a distant planet, children know +, -, * and / as we do, and then learn to calculate like this:\n\n{operators:- a {name} b is \
             {definition}}\n\n{chained?There, too, parentheses go first. In addition, {conventions}. }What is the exact \
             value of {expression}?",
        ),
        Prompt::held_out(
            "specification",
            "Definitions, with * for multiplication, / for exact division and the usual precedence:\n{operators:  a {name} b := \
             {definition}}\n{chained?Grammar: parentheses first; {conventions}.\n}Expression: {expression}\n\nCompute its value.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots
            .either("chained", self.expression.matches(' ').count() > 2)
            .text("expression", &self.expression);
        slots.with("conventions", || self.conventions());
        slots.lines("operators", &self.operators, |line, operator| {
            line.text("name", &operator.name).text("definition", operator.definition());
        });
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.mistaken(false, false).unwrap_or(Rational::ZERO)
    }

    fn what(&self) -> String {
        "the value".to_owned()
    }

    fn diagnosed(&self, wrong: &Rational, plain: Failure) -> Failure {
        match Some(*wrong) {
            wrong if wrong == self.flat() => plain.also("left_to_right"),
            wrong if wrong == self.mistaken(true, false) => plain.also("operands_exchanged"),
            wrong if wrong == self.mistaken(false, true) => plain.also("wrong_case"),
            _ => plain,
        }
    }

    fn mistakes(&self, _: Faults, _: &mut Rng) -> Vec<Rational> {
        let value = self.value();
        let near = [1, -1, 10, -10, 2].map(|by| value.checked_add(Rational::from(by)));
        let other = [self.flat(), self.mistaken(true, false), self.mistaken(false, true), Some(-value)];
        near.into_iter()
            .chain(other)
            .chain([value.checked_mul(2.into()), value.checked_div(2.into())])
            .flatten()
            .collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let mut numbers = Vec::new();
        if let Some(tree) = self.tree() {
            tree.visit(&mut |tree| numbers.extend(tree.to_number()));
        }
        let sum: i64 = numbers.iter().sum();
        vec![
            ("a number", (*rng.pick(&numbers)).into()),
            ("their sum", sum.into()),
            ("any", rng.int(1, 60).into()),
        ]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Rational)> {
        vec![("from left to right", self.flat().unwrap_or(Rational::ZERO))]
    }

    fn work(&self, work: &mut Work) {
        if let Some(tree) = self.tree() {
            self.evaluated(&tree, [false, false], work);
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let names: Vec<&String> = self.operators.iter().map(|operator| &operator.name).collect();
        check::distinct("operators", &names)?;
        check::that(self.nesting() <= 20, || "`expression` has parentheses nested too deep".to_owned())?;
        let tree = self.tree().filter(|tree| tree.written(&self.names()) == self.expression);
        let tree =
            tree.ok_or("`expression` must be numbers joined by the operators, without needless parentheses")?;
        let (mut used, mut largest) = (Vec::new(), 0);
        tree.visit(&mut |part| match part {
            Tree::Join(at, _) => used.push(*at),
            Tree::Number(number) => largest = largest.max(*number),
        });
        check::that(
            !used.is_empty() && largest <= 999 && (0..names.len()).all(|at| used.contains(&at)),
            || "`expression` must use each operator, and numbers up to 999".to_owned(),
        )?;
        check::that(used.len() > 1 || !self.operators[0].right, || {
            "`operators` has a side that does not matter".to_owned()
        })?;
        check::that(self.mistaken(false, false).is_some(), || {
            format!("`expression` has a value beyond {LARGEST}, or a denominator beyond {LARGEST_BELOW}")
        })
    }

    /// Adds an operation, carries one out or changes a number.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let (tree, mut count) = (self.tree()?, 0);
        tree.visit(&mut |_| count += 1);
        let (mut at, other) = (rng.index(count), rng.int(1, 20));
        let operator = rng.index(self.operators.len());
        let tree = tree.with(&mut at, &mut |part| match aim {
            Aim::Harder => Some(Tree::join(operator, part.clone(), Tree::Number(other))),
            Aim::Easier => part.to_number().is_none().then_some(Tree::Number(other)),
            Aim::Same => part.to_number().map(|_| Tree::Number(other)),
        })?;
        let mut edited = Self { expression: tree.written(&self.names()), ..self.clone() };
        let occurs =
            |operator: &Operator| edited.expression.split([' ', ')']).any(|word| word == operator.name);
        edited.operators.retain(occurs);
        edited
            .operators
            .iter_mut()
            .for_each(|operator| operator.right &= edited.expression.matches(' ').count() > 2);
        Some(edited)
    }

    /// Other names.
    fn disguised(self, rng: &mut Rng) -> Self {
        self.renamed(&drawn_names(rng))
    }

    fn reduced(&self) -> Self {
        self.renamed(&WORDS.map(String::from))
    }
}

impl Sheet {
    fn renamed(&self, names: &[String]) -> Self {
        let mut renamed = self.clone();
        for (operator, name) in renamed.operators.iter_mut().zip(names) {
            operator.name.clone_from(name);
        }
        let expression = self.tree().map(|tree| tree.written(&renamed.names()));
        Self { expression: expression.unwrap_or_default(), ..renamed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    #[test]
    fn operators_bind_as_they_are_declared() {
        let operator = |name: &str, right, rules: &[[i64; 5]]| Operator {
            name: name.to_owned(),
            right,
            case: '>',
            rules: rules.to_vec(),
        };
        let operators = vec![
            operator("@", true, &[[1, -1, 0, 0, 1]]),
            operator("zub", false, &[[1, 1, 0, 0, 2], [0, 0, 1, 0, 1]]),
        ];
        let sheet = Value(Sheet { operators, expression: "9 @ 4 @ 2 zub 5 zub (1 zub 3)".to_owned() });
        sheet.check().unwrap();
        let steps = [
            "4 @ 2 = 4 - 2 = 2",
            "9 @ 2 = 9 - 2 = 7",
            "7 zub 5 = (7 + 5) / 2 = 6",
            "1 zub 3 = 1 * 3 = 3",
            "6 zub 3 = (6 + 3) / 2 = 9/2",
        ];
        assert_eq!(sheet.solution(), Solution::new(steps.map(String::from), "9/2"));
        assert_eq!(sheet.operators[1].definition(), "(a + b) / 2 if a > b, and a * b otherwise");
        passes(&sheet, "9/2");
        // 9 @ 4 = 5, 5 @ 2 = 3, 3 zub 5 = 15, 15 zub 3 = 9.
        fails(&sheet, "9", "left_to_right", "9 is not the value");
        for wrong in
            ["9 @ 4 zub 2 @", "(9 @ 4) zub 2", "9 @ 04 zub 2", "9 @ 4", "9  @ 4 zub 2", "9 zub -4 @ 2"]
        {
            let said = refused(&sheet, |json| json["expression"] = wrong.into());
            assert!(said.starts_with("`expression` must"), "{wrong}: {said}");
        }
    }
}
