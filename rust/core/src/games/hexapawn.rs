//! Hexapawn on any board: a row of chess pawns each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::game::{About, GameFamily};
use crate::games::pawns::{Board, Rules};
use crate::params::Params;

pub struct Hexapawn;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HexapawnParams {
    /// Rows of the board.
    #[schemars(range(min = 3, max = 8), extend("role" = "structure"))]
    rows: u32,
    /// Columns of the board, each with a pawn of either player.
    #[schemars(range(min = 1, max = 8), extend("role" = "structure"))]
    columns: u32,
}

impl Default for HexapawnParams {
    fn default() -> Self {
        Self {
            rows: 3,
            columns: 3,
        }
    }
}

impl Params for HexapawnParams {}

static ABOUT: About = About {
    name: "hexapawn",
    summary: "A row of chess pawns each, on a small board: get one across, or leave no move.",
    rules: "White (W) has a pawn on every cell of row 1 and goes up, Black (B) has one on every cell of \
            the last row and goes down; White moves first. A pawn moves one row straight ahead to a free \
            cell, or captures an opponent's pawn one cell diagonally ahead. Whose pawn reaches the \
            opponent's first row wins; who has no move loses. A move is named by the pawn's cell and the \
            column it goes to: b1-b is straight ahead, b1-c captures towards column c.",
    changes: &["First version."],
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"rows": 4, "columns": 4}"#,
        r#"{"rows": 3, "columns": 1}"#,
        r#"{"rows": 8, "columns": 8}"#,
    ],
    chance: false,
    hidden: false,
    value: Some(-1.0),
    tactics: true,
    moves: "moves",
    score: "1 won, -1 lost",
};

impl GameFamily for Hexapawn {
    type Params = HexapawnParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &HexapawnParams) -> Board {
        let &HexapawnParams { rows, columns } = params;
        let rules = Rules {
            rows,
            columns,
            filled: 1,
            sidesteps: false,
        };
        let too_deep = (rows * columns > 36).then_some("a board of more than 36 cells is too large to be solved");
        Board::new(rules, too_deep)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::games::pawns::tests::{board, legal, outcome, played};
    use crate::solver::limit::Limit;
    use crate::game::Game as _;

    fn sized(columns: u32, rows: u32) -> Board {
        board(Rules {
            rows,
            columns,
            filled: 1,
            sidesteps: false,
        })
    }

    #[test]
    #[ignore = "timing"]
    fn timing_outcomes() {
        for _ in 0..20 {
            let b = sized(5, 5);
            b.outcomes(&played(&b, &[]), &mut Limit::none()).unwrap();
        }
    }
    #[test]
    #[ignore = "timing"]
    fn timing_values() {
        for _ in 0..20 {
            let b = sized(5, 5);
            b.values(&played(&b, &[]), &mut Limit::none()).unwrap();
        }
    }

    #[test]
    fn x() {
        let b = sized(3, 3);
        println!("{:?} {}", legal(&b, &played(&b, &["b1-b2"])), outcome(&b));
    }
}
