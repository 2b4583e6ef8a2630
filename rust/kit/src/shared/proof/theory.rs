//! The language and the rules of a proof: symbols, rules, and what a sort is built from.

use std::fmt::Write as _;

use super::term::{AND, EQUAL, FALSE, IMPLIES, NOT, OR, PROP, Sort, Term};
use crate::error::quoted;
use crate::words::Joined as _;

const MOST_SYMBOLS: usize = 40;
const MOST_RULES: usize = 40;
const LONGEST_NAME: usize = 24;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    pub arguments: Vec<Sort>,
    pub result: Sort,
    /// A constant of which nothing is known but what hypotheses say: rules do not mention it.
    pub arbitrary: bool,
}

/// A formula that holds for all values of its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub name: String,
    pub variables: Vec<(String, Sort)>,
    pub formula: Term,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theory {
    pub sorts: Vec<String>,
    pub symbols: Vec<Symbol>,
    pub rules: Vec<Rule>,
    /// The symbols that build every term of their sorts, for induction.
    pub constructors: Vec<u16>,
}

impl Theory {
    /// Reads a theory: symbols as `inv: element -> element`, arbitrary constants as `a: element`, rules as
    /// `left_id: e * x = x`. The message names the field.
    pub fn read(
        symbols: &[String],
        values: &[String],
        rules: &[String],
        constructors: &[String],
    ) -> Result<Self, String> {
        let logic = ["false", "not", "and", "or", "->", "="];
        let arity = [0, 1, 2, 2, 2, 2];
        let built_in = |(name, arity): (&str, usize)| Symbol {
            name: name.to_owned(),
            arguments: vec![PROP; arity],
            result: PROP,
            arbitrary: false,
        };
        let mut theory = Self {
            sorts: vec!["prop".to_owned()],
            symbols: logic.into_iter().zip(arity).map(built_in).collect(),
            rules: Vec::new(),
            constructors: Vec::new(),
        };
        if symbols.len() + values.len() > MOST_SYMBOLS || rules.len() > MOST_RULES {
            return Err(format!("there are more than {MOST_SYMBOLS} symbols or {MOST_RULES} rules"));
        }
        for (field, lines, arbitrary) in [("symbols", symbols, false), ("values", values, true)] {
            for line in lines {
                theory
                    .declare(line, arbitrary)
                    .map_err(|why| format!("`{field}` has {}: {why}", quoted(line)))?;
            }
        }
        for line in rules {
            let rule = theory.rule(line).map_err(|why| format!("`rules` has {}: {why}", quoted(line)))?;
            theory.rules.push(rule);
        }
        for name in constructors {
            theory.construct(name).map_err(|why| format!("`constructors` has {}: {why}", quoted(name)))?;
        }
        Ok(theory)
    }

    fn declare(&mut self, line: &str, arbitrary: bool) -> Result<(), String> {
        let (name, sorts) = line.rsplit_once(": ").ok_or("it must look like `inv: element -> element`")?;
        let (arguments, result) = sorts.rsplit_once(" -> ").map_or(("", sorts), |(from, to)| (from, to));
        let arguments = arguments
            .split(' ')
            .filter(|sort| !sort.is_empty())
            .map(|sort| self.sort(sort))
            .collect::<Result<Vec<_>, _>>()?;
        let result = self.sort(result)?;
        let operator = !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let spelling = if !operator {
            is_name(name) || name.len() == 1
        } else if name == "[]" {
            arguments.is_empty()
        } else {
            name.len() <= 2 && name.bytes().all(|byte| b"*+&|:^/~-".contains(&byte)) && arguments.len() == 2
        };
        if !spelling || name == "->" || KEYWORDS.contains(&name) || self.symbol(name).is_some() {
            return Err("the name is taken or is none that a symbol can have".to_owned());
        }
        if arguments.len() > 3 || arguments.contains(&PROP) || arbitrary && !arguments.is_empty() {
            return Err(
                "a symbol has at most 3 arguments, none of them a formula, and a value none".to_owned()
            );
        }
        self.symbols.push(Symbol { name: name.to_owned(), arguments, result, arbitrary });
        (self.declaration(self.symbols.len() - 1) == line)
            .then_some(())
            .ok_or_else(|| "it has another spelling".to_owned())
    }

    fn sort(&mut self, name: &str) -> Result<Sort, String> {
        if let Some(at) = self.sorts.iter().position(|known| known == name) {
            return Ok(at as Sort);
        }
        if !is_name(name) || self.sorts.len() == 6 {
            return Err("there is a sort without a name, or more than 5".to_owned());
        }
        self.sorts.push(name.to_owned());
        Ok((self.sorts.len() - 1) as Sort)
    }

    fn rule(&self, line: &str) -> Result<Rule, String> {
        let (name, formula) = line.split_once(": ").ok_or("it must look like `left_id: e * x = x`")?;
        if !is_name(name) || self.rules.iter().any(|rule| rule.name == name) {
            return Err("its name is taken, or it is not a name".to_owned());
        }
        let (formula, variables) = self.read_rule(formula)?;
        let rule = Rule { name: name.to_owned(), variables, formula };
        let arbitrary = |symbol: &u16| self.symbols[usize::from(*symbol)].arbitrary;
        if Self::heads(&rule.formula).iter().any(arbitrary) {
            return Err("a rule may not mention a value".to_owned());
        }
        if self.write_rule(&rule) != line {
            return Err(format!("it has another spelling: {}", quoted(&self.write_rule(&rule))));
        }
        Ok(rule)
    }

    fn construct(&mut self, name: &str) -> Result<(), String> {
        let number = self.symbol(name).ok_or("there is no such symbol")?;
        let symbol = &self.symbols[usize::from(number)];
        let mut within = symbol.arguments.iter().filter(|&&sort| sort == symbol.result);
        if symbol.result == PROP
            || within.nth(1).is_some()
            || symbol.arbitrary
            || self.constructors.contains(&number)
        {
            return Err("it does not build terms of a sort from at most one of that sort".to_owned());
        }
        self.constructors.push(number);
        Ok(())
    }

    fn heads(term: &Term) -> Vec<u16> {
        let own = if let Term::Node(symbol, _) = term { Some(*symbol) } else { None };
        own.into_iter().chain(term.arguments().iter().flat_map(Self::heads)).collect()
    }

    pub fn symbol(&self, name: &str) -> Option<u16> {
        self.symbols.iter().position(|symbol| symbol.name == name).map(|at| at as u16)
    }

    pub fn named(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    pub fn sort_of(&self, term: &Term) -> Sort {
        match term {
            Term::Variable(_, sort) | Term::Meta(_, sort) => *sort,
            Term::Node(symbol, _) => self.symbols[usize::from(*symbol)].result,
        }
    }

    /// True if formulas have no terms in them, so that rows of a truth table decide them.
    pub fn is_propositional(&self) -> bool {
        self.sorts.len() == 1 && self.rules.is_empty()
    }

    /// The truth of a formula without terms, where `trues` has a bit for each symbol.
    pub fn is_true(formula: &Term, trues: u64) -> bool {
        let holds = |part: &Term| Self::is_true(part, trues);
        match formula {
            Term::Node(NOT, of) => !holds(&of[0]),
            Term::Node(AND, of) => holds(&of[0]) && holds(&of[1]),
            Term::Node(OR, of) => holds(&of[0]) || holds(&of[1]),
            Term::Node(IMPLIES, of) => !holds(&of[0]) || holds(&of[1]),
            Term::Node(EQUAL, of) => holds(&of[0]) == holds(&of[1]),
            Term::Node(symbol, _) => *symbol != FALSE && trues >> symbol & 1 == 1,
            Term::Variable(..) | Term::Meta(..) => false,
        }
    }

    fn declaration(&self, at: usize) -> String {
        let symbol = &self.symbols[at];
        let sort = |sort: &Sort| self.sorts[usize::from(*sort)].as_str();
        let from = symbol.arguments.iter().map(sort).joined(" ");
        let arrow = if from.is_empty() { "" } else { " -> " };
        format!("{}: {from}{arrow}{}", symbol.name, sort(&symbol.result))
    }

    pub fn write_rule(&self, rule: &Rule) -> String {
        let names: Vec<&str> = rule.variables.iter().map(|(name, _)| name.as_str()).collect();
        format!("{}: {}", rule.name, self.written(&rule.formula, &names))
    }

    /// A term of a goal as text.
    pub fn write(&self, term: &Term) -> String {
        self.written(term, &[])
    }

    pub fn written(&self, term: &Term, variables: &[&str]) -> String {
        let mut text = String::new();
        self.write_into(&mut text, term, variables);
        text
    }

    fn write_into(&self, text: &mut String, term: &Term, variables: &[&str]) {
        let put = |text: &mut String, part: &Term, bracketed: bool| {
            text.push_str(if bracketed { "(" } else { "" });
            self.write_into(text, part, variables);
            text.push_str(if bracketed { ")" } else { "" });
        };
        match term {
            Term::Variable(number, _) => text.push_str(variables.get(usize::from(*number)).unwrap_or(&"_")),
            Term::Meta(number, _) => write!(text, "?{number}").expect("strings grow"),
            Term::Node(symbol, arguments) => {
                let name = self.symbols[usize::from(*symbol)].name.as_str();
                let infix = |part: &Term| match part {
                    Term::Node(head, parts) => parts.len() == 2 && self.is_infix(*head),
                    _ => false,
                };
                match &**arguments {
                    [] => text.push_str(name),
                    [one] if *symbol == NOT => {
                        text.push_str("not ");
                        put(text, one, infix(one) && one.under(EQUAL).is_none());
                    }
                    [left, right] if self.is_infix(*symbol) => {
                        let bracketed =
                            |part: &Term| infix(part) && (*symbol == EQUAL || part.under(EQUAL).is_none());
                        let (open, chain) =
                            (bracketed(right), *symbol == IMPLIES && right.under(IMPLIES).is_some());
                        let sides = *symbol == EQUAL && self.sort_of(left) != PROP;
                        put(text, left, bracketed(left) && !sides);
                        write!(text, " {name} ").expect("strings grow");
                        put(text, right, open && !chain && !sides);
                    }
                    all => {
                        text.push_str(name);
                        for (at, argument) in all.iter().enumerate() {
                            text.push_str(if at == 0 { "(" } else { ", " });
                            put(text, argument, false);
                        }
                        text.push(')');
                    }
                }
            }
        }
    }

    pub fn is_infix(&self, symbol: u16) -> bool {
        let name = &self.symbols[usize::from(symbol)].name;
        symbol == AND
            || symbol == OR
            || name.bytes().all(|byte| !byte.is_ascii_alphanumeric() && byte != b'[' && byte != b']')
    }
}

/// Words that no symbol may have for its name.
const KEYWORDS: [&str; 5] = ["at", "with", "in", "prop", "true"];

/// A name of a rule, a hypothesis, a sort or a symbol.
pub fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= LONGEST_NAME
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
