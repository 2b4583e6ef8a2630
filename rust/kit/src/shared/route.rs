//! The names of places, and routes over them, written `A -> B -> C`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::quoted;
use crate::rng::Rng;

// No docs on the variants: with them the schema would no longer be a plain list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    Letters,
    Numbers,
    Towns,
    Any,
}

/// Names of towns combine every start with every end.
const TOWN_STARTS: [&str; 12] =
    ["Ash", "Birch", "Clay", "Elm", "Fern", "Gold", "Hazel", "Lake", "Mill", "North", "Oak", "Stone"];
const TOWN_ENDS: [&str; 12] =
    ["bridge", "bury", "dale", "field", "ford", "gate", "ham", "mere", "ton", "well", "wick", "wood"];

/// Number of places for which there are names.
pub const MOST_PLACES: usize = TOWN_STARTS.len() * TOWN_ENDS.len();
/// Largest size of a name in bytes.
const LONGEST_NAME: usize = 24;

impl Naming {
    /// The `at`-th name of this kind.
    fn name(self, at: usize) -> String {
        let letter = |at: usize| char::from(b'A' + at as u8);
        match self {
            Self::Letters if at < 26 => letter(at).to_string(),
            Self::Letters => format!("{}{}", letter(at / 26 - 1), letter(at % 26)),
            Self::Numbers | Self::Any => (at + 1).to_string(),
            Self::Towns => {
                let (start, end) = (at / TOWN_ENDS.len(), at % TOWN_ENDS.len());
                format!("{}{}", TOWN_STARTS[start], TOWN_ENDS[end])
            }
        }
    }

    /// Names for `count` places, in the order a reader expects them.
    pub fn draw(self, count: usize, rng: &mut Rng) -> Vec<String> {
        let kind = match self {
            Self::Any => *rng.pick(&[Self::Letters, Self::Numbers, Self::Towns]),
            kind => kind,
        };
        if kind != Self::Towns {
            return (0..count).map(|at| kind.name(at)).collect();
        }
        let mut picked: Vec<usize> = (0..MOST_PLACES).collect();
        rng.deal(&mut picked, count);
        picked.truncate(count);
        picked.sort_unstable();
        picked.into_iter().map(|at| kind.name(at)).collect()
    }
}

/// A name for one more place, of the same kind as the others.
pub fn fresh_name(names: &[String]) -> Option<String> {
    let taken = |name: &String| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let kinds = [Naming::Letters, Naming::Towns, Naming::Numbers];
    let all = |kind: Naming| (0..MOST_PLACES).map(move |at| kind.name(at));
    let kind = kinds.into_iter().find(|kind| {
        let mut known = all(*kind);
        known.any(|name| Some(&name) == names.first())
    });
    all(kind.unwrap_or(Naming::Numbers)).find(|name| !taken(name))
}

/// Checks that these names can distinguish places.
pub fn check_names(names: &[String]) -> Result<(), String> {
    for (i, name) in names.iter().enumerate() {
        if name.len() > LONGEST_NAME || !is_name(name) {
            let name = quoted(name);
            return Err(format!(
                "`names` has `{name}`, but must have 1 to {LONGEST_NAME} letters and digits each"
            ));
        }
        if names[..i].iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(format!("`names` has `{name}` twice, case apart"));
        }
    }
    Ok(())
}

/// Places in the order of their names; short names by length first, so that 9 comes before 10.
pub fn by_name(names: &[String]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..names.len()).collect();
    places.sort_by_key(|place| (names[*place].len().min(4), &names[*place]));
    places
}

/// The places of a route by name, joined by arrows.
pub fn write(route: impl IntoIterator<Item = usize>, names: &[String]) -> String {
    let mut text = String::new();
    for place in route {
        if !text.is_empty() {
            text.push_str(" -> ");
        }
        text.push_str(&names[place]);
    }
    text
}

/// True if a text could be a name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn every_kind_names_every_place_apart_and_in_order() {
        let mut rng = Key::new("names", 1, "", 0, "").stream(0);
        for kind in [Naming::Letters, Naming::Numbers, Naming::Towns, Naming::Any] {
            for count in [1, 26, 27, MOST_PLACES] {
                let drawn = kind.draw(count, &mut rng);
                assert_eq!(drawn.len(), count);
                check_names(&drawn).unwrap();
                assert!(by_name(&drawn).is_sorted(), "{drawn:?}");
                let more = fresh_name(&drawn);
                assert_eq!(more.is_none(), count == MOST_PLACES, "{more:?}");
                if let Some(name) = more {
                    check_names(&[drawn, vec![name]].concat()).unwrap();
                }
            }
        }
    }

    #[test]
    fn names_that_could_be_confused_are_refused() {
        for bad in [&["A", "a"][..], &["A", ""], &["A->B"], &["A B"], &["é"], &["A\n"]] {
            assert!(check_names(&names(bad)).is_err(), "{bad:?}");
        }
        assert!(check_names(&["x".repeat(LONGEST_NAME + 1)]).is_err());
    }
}
