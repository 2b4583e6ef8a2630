//! Breakthrough on any board: two rows of pieces per player, which can also move diagonally.

use crate::pawns::{Board, PawnRules};
use game::prelude::*;

pub struct Breakthrough;

params! {
    pub struct BreakthroughParams {
        /// Number of rows; each player fills two.
        rows: u32 [4..=8, structure],
        /// Number of columns.
        columns: u32 [2..=8, structure],
    }
    default (8, 8)
}

static ABOUT: About = About {
    name: "breakthrough",
    summary: "Get a piece across the board; pieces only move ahead.",
    changes: &["First version."],
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"rows": 4, "columns": 3}"#,
        r#"{"rows": 6, "columns": 2}"#,
        r#"{"rows": 4, "columns": 5}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: None,
    tactics: true,
    max_plies: 177,
    moves: "moves",
    score: "1 if won, -1 if lost",
};

impl GameFamily for Breakthrough {
    type Params = BreakthroughParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &BreakthroughParams) -> Board {
        let &BreakthroughParams { rows, columns } = params;
        let rules = PawnRules { rows, columns, filled: 2, sidesteps: true };
        let unsolvable_reason = (rows > 4 && rows * columns > 20)
            .then_some("a board of more than four rows and 20 cells is too large to be solved");
        Board::new(rules, words(rows, columns), unsolvable_reason)
    }
}

fn words(rows: u32, columns: u32) -> String {
    let (last, next_to_last) = (char::from(b'a' + columns as u8 - 1), rows - 1);
    format!(
        "The board has {rows} rows, numbered from 1 at the bottom, and {columns} columns, lettered a to {last}. \
         White (W) starts with a piece on every cell of rows 1 and 2 and moves up; Black (B) starts with one on \
         every cell of rows {next_to_last} and {rows} and moves down. White moves first, and then the players take \
         turns. A piece moves one row ahead to a free cell, straight or diagonally. It captures an opposing piece \
         that is one row diagonally ahead, but never one straight ahead. A player whose piece reaches the far end \
         of the board, which is row {rows} for White and row 1 for Black, wins, and so does a player who captures \
         all of the opponent's pieces. A move is a piece's cell and the letter of the column it goes to: a2-a \
         goes straight ahead, and a2-b goes to column b or captures there."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pawns::tests::{board, legal, outcome, played};

    fn sized(columns: u32, rows: u32) -> Board {
        board(PawnRules { rows, columns, filled: 2, sidesteps: true })
    }

    /// Published as columns x rows, as three rows cannot hold two of each player.
    #[test]
    fn published_values_are_found() {
        for (columns, rows, known) in [(3, 4, -1), (3, 5, -1), (4, 4, -1), (2, 6, 1)] {
            assert_eq!(outcome(&sized(columns, rows)), known, "{columns} x {rows}");
        }
    }

    #[test]
    #[ignore = "seconds of search"]
    fn published_values_of_larger_boards_are_found() {
        for (columns, rows, known) in [(4, 5, -1), (3, 6, 1)] {
            assert_eq!(outcome(&sized(columns, rows)), known, "{columns} x {rows}");
        }
    }

    #[test]
    #[ignore = "seconds of search"]
    fn the_largest_boards_are_solved() {
        for (columns, rows) in [(8, 4), (4, 5), (3, 6), (2, 8)] {
            let board = sized(columns, rows);
            let mut budget = Budget::new(8_000_000);
            assert!(board.values(&played(&board, &[]), &mut budget).is_ok());
            println!("{columns} x {rows}: {}", 8_000_000 - budget.left());
        }
    }

    #[test]
    fn pieces_capture_only_aside() {
        let board = sized(3, 4);
        // Every cell straight ahead is occupied, and so are the diagonals: by pieces that can be captured.
        let state = played(&board, &[]);
        assert_eq!(legal(&board, &state), ["a2-b", "b2-a", "b2-c", "c2-b"]);
        let state = played(&board, &["a2-b3"]);
        assert_eq!(legal(&board, &state), ["a3-a", "a3-b", "c3-b", "a4-b", "c4-b"]);
        assert_eq!(board.show(&state, 0), ["4 B B B", "3 B W B", "2 . W W", "1 W W W", "  a b c"].join("\n"));
        let state = played(&board, &["a2-b3", "a3-a2", "b3-a4"]);
        assert_eq!(board.turn(&state), Turn::Over);
        assert_eq!(board.returns(&state).map(|got| got as i32), [1, -1]);
    }

    #[test]
    fn eight_by_eight_fits() {
        let board = sized(8, 8);
        assert_eq!(board.actions(), 176);
        assert_eq!(board.legal(&played(&board, &[])).len(), 22);
        assert_eq!(board.max_plies(), 177);
        let state = played(&board, &["h2-h3", "a7-b6", "h3-g4"]);
        assert_eq!(legal(&board, &state)[..4], ["b6-a", "b6-b", "b6-c", "b7-a"]);
    }
}
