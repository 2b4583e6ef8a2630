//! Breakthrough on any board: two rows of pieces each, which also step aside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::game::{About, GameFamily};
use crate::games::pawns::{Board, Rules};
use crate::params::Params;

pub struct Breakthrough;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreakthroughParams {
    /// Rows of the board; each player fills two.
    #[schemars(range(min = 4, max = 8), extend("role" = "structure"))]
    rows: u32,
    /// Columns of the board.
    #[schemars(range(min = 2, max = 8), extend("role" = "structure"))]
    columns: u32,
}

impl Default for BreakthroughParams {
    fn default() -> Self {
        Self {
            rows: 8,
            columns: 8,
        }
    }
}

impl Params for BreakthroughParams {}

static ABOUT: About = About {
    name: "breakthrough",
    summary: "Two rows of pieces each, which only go ahead: get one across.",
    rules: "White (W) has a piece on every cell of rows 1 and 2 and goes up, Black (B) has one on every \
            cell of the last two rows and goes down; White moves first. A piece moves one row ahead, \
            straight or diagonally, to a free cell; it captures an opponent's piece diagonally ahead, but \
            never straight ahead. Whose piece reaches the opponent's first row wins, and so does who \
            captures all pieces. A move is named by the piece's cell and the column it goes to: b2-b is \
            straight ahead, b2-c goes or captures towards column c.",
    changes: &["First version."],
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"rows": 4, "columns": 3}"#,
        r#"{"rows": 6, "columns": 2}"#,
        r#"{"rows": 5, "columns": 4}"#,
    ],
    chance: false,
    hidden: false,
    value: None,
    tactics: true,
    moves: "moves",
    score: "1 won, -1 lost",
};

impl GameFamily for Breakthrough {
    type Params = BreakthroughParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &BreakthroughParams) -> Board {
        let &BreakthroughParams { rows, columns } = params;
        let rules = Rules {
            rows,
            columns,
            filled: 2,
            sidesteps: true,
        };
        let too_deep = (rows * columns > 20)
            .then_some("a board of more than 20 cells is too large to be solved");
        Board::new(rules, too_deep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game as _;
    use crate::games::pawns::tests::{board, outcome, played};
    use crate::solver::limit::Limit;

    fn sized(columns: u32, rows: u32) -> Board {
        board(Rules {
            rows,
            columns,
            filled: 2,
            sidesteps: true,
        })
    }

    #[test]
    #[ignore = "timing"]
    fn timing() {
        for (c, r) in [(3,4),(3,5),(4,4),(5,4),(6,4),(4,5),(2,6),(3,6),(2,8),(3,7),(7,4),(5,5),(4,6),(3,8)] {
            let b = sized(c, r);
            let t = std::time::Instant::now();
            let mut limit = Limit::nodes(10_000_000);
            let o = b.outcomes(&played(&b, &[]), &mut limit).map(|o|o.iter().map(|o|o.1).max());
            let t1 = t.elapsed();
            let n1 = 10_000_000 - limit.left();
            let b = sized(c, r);
            let t = std::time::Instant::now();
            let mut limit = Limit::nodes(10_000_000);
            let v = b.values(&played(&b, &[]), &mut limit).map(|o|o.len());
            println!("{c} columns {r} rows: {o:?} {n1} {t1:?} values {:?} {:?} nodes {}", t.elapsed(), v, 10_000_000 - limit.left());
        }
    }
}
