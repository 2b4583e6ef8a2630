//! The structures, each with its symbols and its equations.

use kit::shape::proof::Statement;

pub struct Axioms {
    /// Meaning of the symbols, for the prompt.
    pub notation: &'static str,
    symbols: &'static [&'static str],
    values: &'static [&'static str],
    rules: &'static [&'static str],
}

pub const AXIOMS: [Axioms; 4] = [
    Axioms {
        notation: "In a group, * is the operation, e the identity element and inv(x) the inverse of x; a, b and c are arbitrary elements.",
        symbols: &["e: element", "inv: element -> element", "*: element element -> element"],
        values: &["a: element", "b: element", "c: element"],
        rules: &[
            "assoc: (x * y) * z = x * (y * z)",
            "left_id: e * x = x",
            "right_id: x * e = x",
            "left_inv: inv(x) * x = e",
            "right_inv: x * inv(x) = e",
        ],
    },
    Axioms {
        notation: "In a ring, + and * are addition and multiplication, 0 and 1 are their identity elements and neg(x) is the negative of x; a, b and c are arbitrary elements.",
        symbols: &[
            "0: element",
            "1: element",
            "neg: element -> element",
            "+: element element -> element",
            "*: element element -> element",
        ],
        values: &["a: element", "b: element", "c: element"],
        rules: &[
            "add_assoc: (x + y) + z = x + (y + z)",
            "add_comm: x + y = y + x",
            "add_zero: x + 0 = x",
            "add_neg: x + neg(x) = 0",
            "mul_assoc: (x * y) * z = x * (y * z)",
            "mul_one: x * 1 = x",
            "one_mul: 1 * x = x",
            "left_distrib: x * (y + z) = (x * y) + (x * z)",
            "right_distrib: (x + y) * z = (x * z) + (y * z)",
        ],
    },
    Axioms {
        notation: "In a lattice, & is the meet and | is the join of two elements; a, b and c are arbitrary elements.",
        symbols: &["&: element element -> element", "|: element element -> element"],
        values: &["a: element", "b: element", "c: element"],
        rules: &[
            "meet_comm: x & y = y & x",
            "join_comm: x | y = y | x",
            "meet_assoc: (x & y) & z = x & (y & z)",
            "join_assoc: (x | y) | z = x | (y | z)",
            "meet_join: x & (x | y) = x",
            "join_meet: x | (x & y) = x",
        ],
    },
    Axioms {
        notation: "Here [] is the empty list, x : y is the list with x in front of the list y, ++ joins two lists and rev(x) is the list x in \
                   reverse; a and b are arbitrary elements, and k and l are arbitrary lists.",
        symbols: &["[]: list", ":: element list -> list", "++: list list -> list", "rev: list -> list"],
        values: &["a: element", "b: element", "k: list", "l: list"],
        rules: &[
            "join_nil: [] ++ x = x",
            "nil_right: x ++ [] = x",
            "join_cons: (x : y) ++ z = x : (y ++ z)",
            "join_assoc: (x ++ y) ++ z = x ++ (y ++ z)",
            "rev_nil: rev([]) = []",
            "rev_cons: rev(x : y) = rev(y) ++ (x : [])",
            "rev_join: rev(x ++ y) = rev(y) ++ rev(x)",
            "rev_rev: rev(rev(x)) = x",
        ],
    },
];

fn texts(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

impl Axioms {
    /// The axioms without a goal.
    pub fn statement(&self) -> Statement {
        let [symbols, values, rules] = [self.symbols, self.values, self.rules].map(texts);
        Statement { symbols, values, rules, ..Statement::default() }
    }

    /// The axioms of a statement.
    pub fn of(statement: &Statement) -> Option<&'static Self> {
        AXIOMS.iter().find(|axioms| {
            let own = axioms.statement();
            own.symbols == statement.symbols
                && own.values == statement.values
                && own.rules == statement.rules
                && own.constructors == statement.constructors
        })
    }
}
