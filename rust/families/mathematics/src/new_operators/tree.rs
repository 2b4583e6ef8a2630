//! Expressions of numbers and operators that are named, in the order in which they bind.

/// A number, or an operator by its index with two operands. The operator of index 0 binds most strongly.
#[derive(Clone, PartialEq)]
pub enum Tree {
    Number(i64),
    Join(usize, Box<[Self; 2]>),
}

/// Name of an operator, and true if a chain of it is grouped from the right.
pub type Names<'a> = [(&'a str, bool)];

impl Tree {
    pub fn join(operator: usize, left: Self, right: Self) -> Self {
        Self::Join(operator, Box::new([left, right]))
    }

    /// Reads a text of at most some hundred bytes; `flat` ignores how operators bind and goes from left to right.
    pub fn read(text: &str, names: &Names<'_>, flat: bool) -> Option<Self> {
        let spaced = text.replace('(', "( ").replace(')', " )");
        let tokens: Vec<&str> = spaced.split(' ').collect();
        let (tree, end) = Self::weaker(&tokens, 0, names.len(), names, flat)?;
        (end == tokens.len()).then_some(tree)
    }

    /// Reads operators that bind at least as strongly as some index, from a token on.
    fn weaker(tokens: &[&str], at: usize, weakest: usize, names: &Names<'_>, flat: bool) -> Option<(Self, usize)> {
        let number = |token: &str| token.parse().ok().filter(|_| token.bytes().all(|byte| byte.is_ascii_digit()));
        let (mut left, mut at) = match *tokens.get(at)? {
            "(" => {
                let (inside, end) = Self::weaker(tokens, at + 1, names.len(), names, flat)?;
                (tokens.get(end) == Some(&")")).then_some((inside, end + 1))?
            }
            token => (Self::Number(number(token)?), at + 1),
        };
        while let Some(operator) = tokens.get(at).and_then(|token| names.iter().position(|(name, _)| name == token)) {
            let strength = if flat { 0 } else { operator };
            if strength > weakest || flat && weakest == 0 {
                break;
            }
            // To the right, a chain leaves operators of its own kind to the loop unless it groups from there.
            let stronger = match (flat, names[operator].1) {
                (true, _) => Some(0),
                (false, true) => Some(operator),
                (false, false) => operator.checked_sub(1),
            };
            let (right, end) = match stronger {
                Some(weakest) => Self::weaker(tokens, at + 1, weakest, names, flat)?,
                None => Self::weaker(&tokens[..at + 2 + inside(&tokens[at + 1..])], at + 1, 0, &[], flat)?,
            };
            (left, at) = (Self::join(operator, left, right), end);
        }
        Some((left, at))
    }
}
