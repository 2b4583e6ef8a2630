//! Expressions of numbers and named operators.

/// A number, or an operator by its index with two operands.
#[derive(Clone, PartialEq)]
pub enum Tree {
    Number(i64),
    Join(usize, Box<[Self; 2]>),
}

/// Names of operators, from those that bind most strongly, and whether a chain of each is grouped from the right.
pub type Names<'a> = [(&'a str, bool)];

impl Tree {
    pub fn join(operator: usize, left: Self, right: Self) -> Self {
        Self::Join(operator, Box::new([left, right]))
    }

    /// Reads a text of at most some hundred bytes; `flat` goes from left to right, however operators bind.
    pub fn read(text: &str, names: &Names<'_>, flat: bool) -> Option<Self> {
        let spaced = text.replace('(', "( ").replace(')', " )");
        let mut tokens = spaced.split(' ').rev().collect();
        let tree = Self::bound(&mut tokens, names.len(), names, flat)?;
        tokens.is_empty().then_some(tree)
    }

    /// Reads what is joined by so many of the strongest operators. The next token is the last one.
    fn bound(tokens: &mut Vec<&str>, strongest: usize, names: &Names<'_>, flat: bool) -> Option<Self> {
        let mut left = match tokens.pop()? {
            "(" => {
                let inside = Self::bound(tokens, names.len(), names, flat)?;
                (tokens.pop()? == ")").then_some(inside)?
            }
            number => {
                let digits = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
                Self::Number(number.parse().ok().filter(|_| digits)?)
            }
        };
        while let Some(at) = names.iter().position(|(name, _)| tokens.last() == Some(name)) {
            let strength = if flat { 1 } else { at + 1 };
            if strength > strongest {
                break;
            }
            tokens.pop();
            let from_the_right = names[at].1 && !flat;
            let right = Self::bound(tokens, strength - usize::from(!from_the_right), names, flat)?;
            left = Self::join(at, left, right);
        }
        Some(left)
    }

    /// The text that reads as this tree, without needless parentheses.
    pub fn written(&self, names: &Names<'_>) -> String {
        let Self::Join(at, sides) = self else {
            return self.to_number().map_or(String::new(), |n| n.to_string());
        };
        let side = |right: bool| {
            let side = &sides[usize::from(right)];
            let apart = match side {
                Self::Join(other, _) => other > at || other == at && right != names[*at].1,
                Self::Number(_) => false,
            };
            if apart { format!("({})", side.written(names)) } else { side.written(names) }
        };
        format!("{} {} {}", side(false), names[*at].0, side(true))
    }

    pub fn to_number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Join(..) => None,
        }
    }

    /// Its subtrees of numbers and operators, each after those inside it.
    pub fn visit<'t>(&'t self, visit: &mut dyn FnMut(&'t Self)) {
        if let Self::Join(_, sides) = self {
            sides.iter().for_each(|side| side.visit(visit));
        }
        visit(self);
    }

    /// The tree with one of its subtrees, counted as they are visited, changed.
    #[must_use]
    pub fn with(&self, at: &mut usize, change: &mut dyn FnMut(&Self) -> Option<Self>) -> Option<Self> {
        let changed = match self {
            Self::Join(operator, sides) => {
                let [left, right] = [&sides[0], &sides[1]].map(|side| side.with(at, change));
                Self::join(*operator, left?, right?)
            }
            Self::Number(_) => self.clone(),
        };
        *at = at.wrapping_sub(1);
        if *at == usize::MAX { change(&changed) } else { Some(changed) }
    }
}
