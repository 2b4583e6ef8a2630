//! Tactics: one line of a proof as text, and as a value.

use super::term::{PROP, Term};
use super::theory::{Theory, is_name};
use crate::error::quoted;
use crate::words::Joined as _;

/// Largest number of bytes of a line of a proof.
pub const LONGEST_LINE: usize = 2_000;
const DEEPEST_POSITION: usize = 40;

/// One step of a proof; [`State::apply`](super::State::apply) says what each does to the first goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tactic {
    Intro(String),
    /// A rule or a hypothesis, with the values of some of its variables.
    Apply(String, Vec<(String, Term)>),
    Rewrite(Rewrite),
    Refl,
    Split,
    Left,
    Right,
    Cases(String),
    Exfalso,
    ByContra(String),
    Have(String, Term),
    Induction(u16),
    Sorry,
}

/// Terms for variables of a rule.
type Values = Vec<(String, Term)>;

/// An equation used from left to right, or from right to left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrite {
    pub backward: bool,
    pub rule: String,
    /// Place in the goal; the first place that fits if it is left out.
    pub at: Option<Vec<u8>>,
    pub with: Values,
}

impl Tactic {
    /// Reads a line; `Err` says why it is not a tactic of this theory.
    pub fn read(line: &str, theory: &Theory) -> Result<Self, String> {
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.len() > LONGEST_LINE {
            return Err(format!("a line may have at most {LONGEST_LINE} bytes"));
        }
        let (word, rest) =
            line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim_matches(' ')));
        let name = || match rest {
            name if is_name(name) => Ok(name.to_owned()),
            "" => Err(format!("`{word}` needs a name")),
            other => Err(format!("`{}` is not a name", quoted(other))),
        };
        let alone = |tactic: Self| match rest {
            "" => Ok(tactic),
            rest => Err(format!("`{word}` takes nothing, but `{}` comes after it", quoted(rest))),
        };
        match word {
            "intro" => Ok(Self::Intro(name()?)),
            "cases" => Ok(Self::Cases(name()?)),
            "by_contra" => Ok(Self::ByContra(name()?)),
            "refl" => alone(Self::Refl),
            "split" => alone(Self::Split),
            "left" => alone(Self::Left),
            "right" => alone(Self::Right),
            "exfalso" => alone(Self::Exfalso),
            "sorry" => alone(Self::Sorry),
            "apply" => {
                let (rule, with) = with(rest, theory)?;
                if !is_name(rule) {
                    return Err(format!("`{}` is not the name of a rule", quoted(rule)));
                }
                Ok(Self::Apply(rule.to_owned(), with))
            }
            "rewrite" => rewrite(rest, theory).map(Self::Rewrite),
            "have" => {
                let (name, formula) = rest.split_once(':').ok_or("`have` looks like `have h: FORMULA`")?;
                if !is_name(name) {
                    return Err(format!("`{}` is not a name", quoted(name)));
                }
                Ok(Self::Have(name.to_owned(), theory.read_term(formula, Some(PROP))?))
            }
            "induction" => {
                let value =
                    theory.symbol(rest).filter(|symbol| theory.symbols[usize::from(*symbol)].arbitrary);
                Ok(Self::Induction(value.ok_or_else(|| format!("`{}` is not a value", quoted(rest)))?))
            }
            "" => Err("the line is empty".to_owned()),
            other => Err(format!("`{}` is not a tactic", quoted(other))),
        }
    }

    /// The line that [`Tactic::read`] reads.
    pub fn write(&self, theory: &Theory) -> String {
        match self {
            Self::Intro(name) => format!("intro {name}"),
            Self::Apply(name, with) => format!("apply {name}{}", written(with, theory)),
            Self::Rewrite(Rewrite { backward, rule, at, with }) => {
                let arrow = if *backward { "<- " } else { "" };
                let at = at.as_ref().map_or_else(String::new, |at| format!(" at {}", at.iter().joined(".")));
                format!("rewrite {arrow}{rule}{at}{}", written(with, theory))
            }
            Self::Refl => "refl".to_owned(),
            Self::Split => "split".to_owned(),
            Self::Left => "left".to_owned(),
            Self::Right => "right".to_owned(),
            Self::Cases(name) => format!("cases {name}"),
            Self::Exfalso => "exfalso".to_owned(),
            Self::ByContra(name) => format!("by_contra {name}"),
            Self::Have(name, formula) => format!("have {name}: {}", theory.write(formula)),
            Self::Induction(value) => format!("induction {}", theory.symbols[usize::from(*value)].name),
            Self::Sorry => "sorry".to_owned(),
        }
    }
}

fn written(with: &[(String, Term)], theory: &Theory) -> String {
    let value = |(name, term): &(String, Term)| format!("{name} = {}", theory.write(term));
    if with.is_empty() { String::new() } else { format!(" with {}", with.iter().map(value).listed()) }
}

fn rewrite(rest: &str, theory: &Theory) -> Result<Rewrite, String> {
    let (rest, with) = with(rest, theory)?;
    let (backward, rest) =
        rest.strip_prefix("<-").map_or((false, rest), |rest| (true, rest.trim_matches(' ')));
    let (rule, at) = match rest.split_once(' ') {
        None => (rest, None),
        Some((rule, place)) => {
            let place = place
                .trim_matches(' ')
                .strip_prefix("at ")
                .ok_or("after the name comes `at` with a position")?;
            (rule, Some(position(place.trim_matches(' '))?))
        }
    };
    if !is_name(rule) {
        return Err(format!("`{}` is not the name of an equation", quoted(rule)));
    }
    Ok(Rewrite { backward, rule: rule.to_owned(), at, with })
}

/// `1.2`: the second argument of the first.
fn position(text: &str) -> Result<Vec<u8>, String> {
    let number =
        |part: &str| part.parse().ok().filter(|number: &u8| (1..=9).contains(number) && part.len() == 1);
    let numbers: Option<Vec<u8>> = text.split('.').map(number).collect();
    let short = numbers.filter(|numbers| numbers.len() <= DEEPEST_POSITION);
    short.ok_or_else(|| format!("`{}` is not a position like 1.2", quoted(text)))
}

/// The text before `with`, and the values after it.
fn with<'t>(text: &'t str, theory: &Theory) -> Result<(&'t str, Values), String> {
    let Some((before, values)) = text.split_once(" with ") else { return Ok((text, Vec::new())) };
    let mut read: Vec<(String, Term)> = Vec::new();
    for value in outer_commas(values) {
        let (name, term) = value.split_once('=').ok_or("`with` looks like `with x = TERM`")?;
        let name = name.trim_matches(' ');
        if !is_name(name) || read.iter().any(|(known, _)| known == name) {
            return Err(format!("`{}` is no variable, or has two values", quoted(name)));
        }
        read.push((name.to_owned(), theory.read_term(term, None)?));
    }
    Ok((before.trim_matches(' '), read))
}

/// The parts between commas that are in no brackets.
fn outer_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0i32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}
