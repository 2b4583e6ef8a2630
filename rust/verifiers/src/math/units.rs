//! Units after a number.

use super::tokens::Token;
use super::value::Unit;
use crate::counted::{MOST_WORDS, group, is_ordered, may_be_counted, may_stand_before};
use crate::words;

#[expect(clippy::too_many_lines, reason = "one arm per token")]
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
    if let [sign @ .., Token::Letter(letter @ ("C" | "F" | "K"))] = tokens
        && matches!(
            sign,
            [Token::Degree] | [Token::Caret, Token::Degree] | [Token::Caret, _, Token::Degree, _]
        )
    {
        return Some(Unit::Known(format!("°{letter}")));
    }
    let mut known = String::new();
    // Where the last of several units starts.
    let mut last = 0;
    let mut counted: Vec<String> = Vec::new();
    let (mut power, mut negative, mut fraction) = (false, false, false);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            // `3/4 \text{ of the cake}`
            Token::Word(text, _) if text.starts_with("of the ") || text.starts_with("of a ") => {
                counted.extend(text.split(' ').skip(2).map(str::to_lowercase));
                if !may_be_counted(&counted) {
                    return None;
                }
            }
            Token::Word(text, styled) => {
                let inches =
                    *styled && matches!(text.trim(), "in" | "in." | "sq in" | "sq. in." | "square in");
                let text = text.replace("\\,", " ").replace("\\cdot", " ").replace(['{', '}'], "");
                for word in text.split([' ', '~', '\u{a0}']).filter(|word| !word.is_empty()) {
                    let word = word.trim_matches([',', '.', '(', ')']);
                    if word == "per" || word == "/" {
                        known.push('/');
                        continue;
                    }
                    match &*word.to_lowercase() {
                        "" | "degree" | "degrees" => {}
                        "square" | "sq" => known.push('²'),
                        "cubic" | "cu" => known.push('³'),
                        "squared" if known.ends_with(char::is_alphabetic) => known.push('²'),
                        "cubed" if known.ends_with(char::is_alphabetic) => known.push('³'),
                        "in" if inches => {
                            last = known.len();
                            known.push_str("in");
                        }
                        _ => match whole_unit(word) {
                            Some(unit) => {
                                last = known.len();
                                known.push_str(&unit);
                            }
                            None if counted.len() < MOST_WORDS => counted.push(word.to_lowercase()),
                            None => return None,
                        },
                    }
                }
            }
            Token::Letter(letter) => {
                last = known.len();
                known.push_str(words::known_unit(letter)?);
            }
            Token::Slash => known.push('/'),
            Token::Times | Token::Degree => {}
            Token::Frac => fraction = true,
            Token::Caret => power = true,
            Token::Minus if power => negative = true,
            Token::Number(digits) if power && matches!(*digits, "1" | "2" | "3") => {
                if negative {
                    known.insert(last, '/');
                }
                known.push_str(match *digits {
                    "2" => "²",
                    "3" => "³",
                    _ => "",
                });
                (power, negative) = (false, false);
            }
            Token::Raised(2) => known.push('²'),
            Token::Raised(3) => known.push('³'),
            Token::Close(_) if fraction && matches!(tokens.get(at + 1), Some(Token::Open(_))) => {
                known.push('/');
            }
            Token::Open(_) | Token::Close(_)
                if power || fraction || known.ends_with(['²', '³']) || known.contains('/') => {}
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
    if known == "°C" || known == "°F" {
        return Some(Unit::Known(known));
    }
    let marked = ["²", "³"].iter().find(|mark| known.starts_with(**mark));
    let known = match marked {
        Some(mark) => format!("{}{mark}", &known[mark.len()..]),
        None => known,
    };
    (!known.is_empty()).then_some(Unit::Known(known))
}

/// Words that multiply the number before them.
const SCALES: [(&str, i64); 13] = [
    ("dozen", 12),
    ("hundred", 100),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("mn", 1_000_000),
    ("mln", 1_000_000),
    ("mil", 1_000_000),
    ("billion", 1_000_000_000),
    ("bn", 1_000_000_000),
    ("bln", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
    ("tn", 1_000_000_000_000),
    ("trn", 1_000_000_000_000),
];

/// Takes off the word that multiplies the number before these tokens: `million` of `million dollars`.
pub fn scale(tokens: &mut Vec<Token<'_>>) -> Option<i64> {
    let Some(Token::Word(text, styled)) = tokens.first_mut() else { return None };
    let word = text.split([' ', '~']).next().unwrap_or_default();
    let rest = text[word.len()..].trim_matches([' ', '~', '.']);
    let (_, factor) = SCALES.iter().find(|(name, _)| *name == word.trim_end_matches('.'))?;
    if rest.is_empty() {
        tokens.remove(0);
    } else {
        (*text, *styled) = (rest, true);
    }
    Some(*factor)
}

/// Kinds of units, each with the number of the smallest one in it.
const KINDS: [&[(&str, i64)]; 7] = [
    &[("s", 1), ("min", 60), ("h", 3_600), ("day", 86_400), ("week", 604_800)],
    &[("in", 1), ("ft", 12), ("yd", 36), ("mi", 63_360)],
    &[("oz", 1), ("lb", 16)],
    &[("cent", 1), ("$", 100)],
    &[("mm", 1), ("cm", 10), ("m", 1_000), ("km", 1_000_000)],
    &[("mg", 1), ("g", 1_000), ("kg", 1_000_000)],
    &[("ml", 1), ("l", 1_000)],
];

/// The smallest unit of the kind of a unit, and how many of them it is.
pub fn smallest(unit: &str) -> Option<(&'static str, i64)> {
    KINDS.iter().find_map(|kind| {
        let (_, count) = kind.iter().find(|(name, _)| *name == unit)?;
        Some((kind[0].0, *count))
    })
}

/// The unit in one word: `cm`, `cm^2`, `m/s`, `cm$^2$`.
fn whole_unit(word: &str) -> Option<String> {
    let word = word.replace('$', "");
    let mut name = String::new();
    for (at, part) in word.split('/').enumerate() {
        if at > 0 {
            name.push('/');
        }
        let (base, mark) = match part {
            _ if part.len() > 3 && part.contains("^-") => {
                let (base, power) = part.split_once("^-")?;
                name.push('/');
                let mark = match power {
                    "1" => "",
                    "2" => "²",
                    "3" => "³",
                    _ => return None,
                };
                (base, mark)
            }
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
