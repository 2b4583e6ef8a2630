//! Units after a number.

use super::tokens::Token;
use super::value::Unit;
use crate::counted::{MOST_WORDS, group, is_ordered, may_be_counted, may_stand_before};
use crate::words;

/// The unit that tokens form, if they form one.
pub fn unit(tokens: &[Token<'_>]) -> Option<Unit> {
    match tokens {
        [Token::Percent] => return Some(Unit::Percent),
        [Token::Degree] | [Token::Caret, Token::Degree] | [Token::Caret, _, Token::Degree, _] => {
            return Some(Unit::Degree);
        }
        [Token::Currency(sign)] => {
            let known = words::known_unit(sign).map_or_else(|| (*sign).to_owned(), str::to_owned);
            return Some(Unit::Known(known));
        }
        _ => {}
    }
    let mut known = String::new();
    let mut counted: Vec<String> = Vec::new();
    let mut power = false;
    for token in tokens {
        match token {
            Token::Word(text, _) => {
                for word in text.split_whitespace() {
                    let word = word.trim_matches([',', '.', '(', ')']);
                    if word == "per" || word == "/" {
                        known.push('/');
                        continue;
                    }
                    match &*word.to_lowercase() {
                        "square" | "sq" => known.push('²'),
                        "cubic" | "cu" => known.push('³'),
                        "squared" if known.ends_with(char::is_alphabetic) => known.push('²'),
                        "cubed" if known.ends_with(char::is_alphabetic) => known.push('³'),
                        _ => match whole_unit(word) {
                            Some(unit) => known.push_str(&unit),
                            None if counted.len() < MOST_WORDS => counted.push(word.to_lowercase()),
                            None => return None,
                        },
                    }
                }
            }
            Token::Letter(letter) => known.push_str(words::known_unit(letter)?),
            Token::Slash => known.push('/'),
            Token::Times => {}
            Token::Caret => power = true,
            Token::Number(digits) if power && matches!(*digits, "2" | "3") => {
                known.push_str(if *digits == "2" { "²" } else { "³" });
                power = false;
            }
            Token::Raised(2) => known.push('²'),
            Token::Raised(3) => known.push('³'),
            Token::Open(_) | Token::Close(_) if power || known.ends_with(['²', '³']) => {}
            _ => return None,
        }
    }
    if let Some((noun, before)) = counted.split_last()
        && let Some(group) = group(noun)
        && !is_ordered(before)
    {
        return (known.is_empty() && may_stand_before(before)).then_some(Unit::Group(group));
    }
    if !counted.is_empty() {
        let fits = may_be_counted(&counted);
        return fits.then(|| Unit::Counted { known, words: counted.join(" ") });
    }
    let marked = ["²", "³"].iter().find(|mark| known.starts_with(**mark));
    let known = match marked {
        Some(mark) => format!("{}{mark}", &known[mark.len()..]),
        None => known,
    };
    (!known.is_empty()).then_some(Unit::Known(known))
}

/// The unit in one word: `cm`, `cm^2`, `m/s`.
fn whole_unit(word: &str) -> Option<String> {
    let mut name = String::new();
    for (at, part) in word.split('/').enumerate() {
        if at > 0 {
            name.push('/');
        }
        let (base, mark) = match part {
            _ if part.ends_with("^2") => (&part[..part.len() - 2], "²"),
            _ if part.ends_with("^3") => (&part[..part.len() - 2], "³"),
            _ if part.ends_with('²') => (part.trim_end_matches('²'), "²"),
            _ if part.ends_with('³') => (part.trim_end_matches('³'), "³"),
            _ => (part, ""),
        };
        name.push_str(words::known_unit(base)?);
        name.push_str(mark);
    }
    Some(name)
}
