//! A route: names of places in the order they are visited, joined by `->`.

use super::{Form, decorated};
use crate::error::quoted;
use crate::shared::route::{is_name, write};
use crate::task::verdict::{Failure, label};

/// Largest number of names in an answer.
const LONGEST_ROUTE: usize = 1_000;

/// Required ends of a route, which the verifier checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// At any two places.
    Free,
    /// At one place and at another, by their positions.
    Between(usize, usize),
    /// Anywhere, but in the same place; writing that place again at the end is optional.
    Closed,
}

/// A route over named places, parsed as their indices; a closed one omits its end.
pub struct Route<'a> {
    pub names: &'a [String],
    pub ends: Ends,
    /// Noun for a place: `city`.
    pub place: &'static str,
    /// The failure label for a name of no place: `unknown_city`.
    pub unknown: &'static str,
}

impl Form for Route<'_> {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        match self.ends {
            Ends::Free => "Give them in order, joined by ->,".to_owned(),
            Ends::Between(from, to) => {
                let (from, to) = (&self.names[from], &self.names[to]);
                format!("Give the names in order, from {from} to {to}, joined by ->,")
            }
            Ends::Closed => {
                "Give the names in the order of the visit, starting with any of them, joined by -> \
                             (writing the first name again at the end is optional),"
                    .to_owned()
            }
        }
    }

    /// White space around names is optional, including line breaks.
    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        let mut route = Vec::with_capacity(self.names.len() + 1);
        let mut unknown = None;
        for (at, word) in text.split("->").enumerate() {
            let word = word.trim();
            if at == LONGEST_ROUTE {
                return Err(Failure::malformed(format!("more than {LONGEST_ROUTE} names")));
            }
            match self.names.iter().position(|name| same(name, word)) {
                Some(place) => route.push(place),
                None if is_name(word) => unknown = unknown.or(Some(word)),
                None => {
                    let word = quoted(word);
                    return Err(Failure::malformed(format!(
                        "`{word}` is not one name; names are joined by `->` and nothing else"
                    )));
                }
            }
        }
        if let Some(word) = unknown {
            let reason = format!("`{}` is no {} here", quoted(word), self.place);
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, reason).also(self.unknown));
        }
        if self.ends == Ends::Closed && route.len() > 1 && route.first() == route.last() {
            route.pop();
        }
        Ok(route)
    }

    fn write(&self, route: &Vec<usize>) -> String {
        // A closed route that returns to its first place early is written with its end, lest that be taken
        // for it.
        let early = self.ends == Ends::Closed && route.len() > 1 && route.first() == route.last();
        let end = route.first().filter(|_| early);
        write(route.iter().chain(end).copied(), self.names)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            right.replace(" -> ", ", "),
            right.replace(" -> ", " "),
            right.replace(" -> ", " - "),
            right.replace(" -> ", " => "),
            right.replace(" -> ", " → "),
            right.replace(" -> ", "\n"),
            right.replace(" -> ", " -> -> "),
            right.to_lowercase(),
            format!("[{right}]"),
            format!("{right}."),
            format!("-> {right}"),
            format!("{right} ->"),
            format!("{right} -> ?"),
            format!("{right} = 7"),
            format!("{right} (7)"),
            format!("{right} or {right}"),
            format!("{right}\n{right}"),
            format!("Route: {right}"),
        ]);
        // Numbers have no capitals, and a route of one place has no arrow.
        mangled.retain(|text| text != right);
        mangled
    }
}

/// Equality, quick to see that two names differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.as_bytes().last() == b.as_bytes().last() && a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["A", "B", "C"].map(String::from).to_vec()
    }

    fn route(names: &[String], ends: Ends) -> Route<'_> {
        Route { names, ends, place: "stop", unknown: "unknown_stop" }
    }

    #[test]
    fn arrows_join_names_with_or_without_spaces() {
        let names = names();
        let route = route(&names, Ends::Free);
        for text in ["A->C->B", "A -> C -> B", " A ->\nC->  B\t"] {
            assert_eq!(route.read(text), Ok(vec![0, 2, 1]), "{text:?}");
        }
        for unknown in ["A -> D", "D -> A -> E", "A -> d"] {
            let verdict = route.read(unknown).unwrap_err();
            assert_eq!(verdict.failures, ["constraint_violated", "unknown_stop"], "{unknown}");
            assert!(verdict.detail.ends_with("is no stop here"), "{}", verdict.detail);
        }
        let long = vec!["A"; LONGEST_ROUTE + 1].join("->");
        for text in [
            "",
            "->",
            "A ->",
            "-> A",
            "A -> -> B",
            "A, B",
            "A B",
            "A - > B",
            "A → B",
            "A => B",
            "A -> B.",
            "[A -> B]",
            "А -> B",
            &long,
        ] {
            let verdict = route.read(text).unwrap_err();
            assert_eq!(verdict.failures, ["malformed_answer"], "{text:?}");
        }
    }

    #[test]
    fn a_closed_route_may_name_its_first_place_again() {
        let names = names();
        let (closed, free) = (route(&names, Ends::Closed), route(&names, Ends::Free));
        assert_eq!(closed.read("B -> C -> A"), Ok(vec![1, 2, 0]));
        assert_eq!(closed.read("B -> C -> A -> B"), Ok(vec![1, 2, 0]));
        assert_eq!(closed.read("B -> C -> A -> B -> B"), Ok(vec![1, 2, 0, 1]));
        assert_eq!(free.read("B -> C -> A -> B"), Ok(vec![1, 2, 0, 1]));
        for places in [vec![0], vec![0, 0], vec![0, 1], vec![1, 2, 0, 1]] {
            for form in [&closed, &free] {
                assert_eq!(form.read(&form.write(&places)), Ok(places.clone()));
            }
        }
    }

    #[test]
    fn the_sentence_names_the_ends() {
        let names = names();
        let asks = |ends| route(&names, ends).asks();
        assert_eq!(asks(Ends::Between(2, 0)), "Give the names in order, from C to A, joined by ->,");
        assert!(!asks(Ends::Free).contains("from"));
        assert!(asks(Ends::Closed).contains("optional"));
    }

    #[test]
    fn what_the_sentence_does_not_allow_is_not_read() {
        let names = names();
        for ends in [Ends::Free, Ends::Between(0, 1), Ends::Closed] {
            let form = route(&names, ends);
            for places in [vec![0, 2, 1], vec![0]] {
                for text in form.mangled(&form.write(&places)) {
                    assert!(form.read(text.trim()).is_err(), "{text:?}");
                }
            }
        }
    }
}
