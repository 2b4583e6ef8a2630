//! Hexapawn on any board: each player has a row of chess pawns.

use crate::pawns::{Board, PawnRules};
use game::prelude::*;
use kit::words;

pub struct Hexapawn;

params! {
    pub struct HexapawnParams {
        /// Number of rows.
        rows: u32 [3..=8, structure],
        /// Number of columns, each with a pawn of either player.
        columns: u32 [1..=8, structure],
    }
    default (3, 3)
}

static ABOUT: About = About {
    name: "hexapawn",
    summary: "Get a pawn across a small board, or leave the opponent without a move.",
    changes: &["First version."],
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"rows": 4, "columns": 4}"#,
        r#"{"rows": 3, "columns": 1}"#,
        r#"{"rows": 5, "columns": 4}"#,
    ],
    chance: false,
    hidden: false,
    stakes: false,
    value: Some(-1.0),
    tactics: true,
    max_plies: 97,
    moves: "moves",
    score: "1 if won, -1 if lost",
};

impl GameFamily for Hexapawn {
    type Params = HexapawnParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &HexapawnParams) -> Board {
        let &HexapawnParams { rows, columns } = params;
        let rules = PawnRules { rows, columns, filled: 1, sidesteps: false };
        let unsolvable_reason =
            (rows * columns > 32).then_some("a board of more than 32 cells is too large to be solved");
        Board::new(rules, words(rows, columns), unsolvable_reason)
    }
}

fn words(rows: u32, columns: u32) -> String {
    let last = char::from(b'a' + columns as u8 - 1);
    let (width, lettered, captures) = match columns {
        1 => ("1 column".to_owned(), "lettered a".to_owned(), ""),
        _ => (
            words::count(columns, "column"),
            format!("lettered a to {last}"),
            ", and a1-b captures in column b",
        ),
    };
    format!(
        "The board has {rows} rows, numbered from 1 at the bottom, and {width}, {lettered}. White (W) starts with \
         a pawn on every cell of row 1 and moves up; Black (B) starts with one on every cell of row {rows} and moves \
         down. White moves first, and then the players take turns. A pawn moves one row straight ahead to a free \
         cell, or captures an opposing pawn that is one row diagonally ahead. A player whose pawn reaches the far \
         end of the board, which is row {rows} for White and row 1 for Black, wins, and a player who cannot move \
         loses. A move is a pawn's cell and the letter of the column it goes to: a1-a goes straight \
         ahead{captures}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pawns::tests::{board, legal, outcome, played};
    use kit::rules::fault;

    fn sized(columns: u32, rows: u32) -> Board {
        board(PawnRules { rows, columns, filled: 1, sidesteps: false })
    }

    /// Published as columns x rows: read as rows x columns, 3x4 would be a win for the first player.
    #[test]
    fn published_values_are_found() {
        for (columns, rows, known) in
            [(3, 3, -1), (4, 4, 1), (3, 4, -1), (3, 5, 1), (4, 3, 1), (4, 5, -1), (5, 4, -1), (5, 5, 1)]
        {
            assert_eq!(outcome(&sized(columns, rows)), known, "{columns} x {rows}");
        }
    }

    #[test]
    #[ignore = "timed by hand: twenty boards, each from nothing"]
    fn five_by_five() {
        for _ in 0..20 {
            assert_eq!(outcome(&sized(5, 5)), 1);
        }
    }

    #[test]
    #[ignore = "seconds of search"]
    fn the_largest_boards_are_solved() {
        for (columns, rows) in [(8, 4), (6, 5), (5, 6), (4, 8)] {
            let board = sized(columns, rows);
            let mut budget = Budget::new(8_000_000);
            assert!(board.values(&played(&board, &[]), &mut budget).is_ok());
            println!("{columns} x {rows}: {}", 8_000_000 - budget.left());
        }
    }

    #[test]
    fn pawns_capture_aside_and_go_straight() {
        let board = sized(3, 3);
        let state = played(&board, &["b1-b"]);
        assert_eq!(legal(&board, &state), ["a3-a", "a3-b", "c3-b", "c3-c"]);
        let state = played(&board, &["b1b2", "A3xB2"]);
        assert_eq!(legal(&board, &state), ["a1-a", "a1-b", "c1-b", "c1-c"]);
        assert_eq!(board.show(&state, 1), ["3 . B B", "2 . B .", "1 W . W", "  a b c"].join("\n"));
    }

    #[test]
    fn who_arrives_or_leaves_no_move_wins() {
        let board = sized(3, 3);
        let arrived = played(&board, &["b1-b", "c3-c", "b2-a"]);
        assert_eq!(board.turn(&arrived), Turn::Over);
        assert_eq!(board.returns(&arrived).map(|got| got as i32), [1, -1]);
        assert!(board.legal(&arrived).is_empty());

        let board = sized(1, 3);
        let stuck = played(&board, &["a1-a"]);
        assert_eq!(board.turn(&stuck), Turn::Over);
        assert_eq!(board.returns(&stuck).map(|got| got as i32), [1, -1]);
        assert_eq!(board.max_plies(), 3);
    }

    #[test]
    fn moves_are_read_in_many_forms() {
        let board = sized(3, 3);
        let read = |text: &str| board.read_action(text);
        let aside = read("b2-c").unwrap();
        for form in ["b2-c3", "b2xc3", "b2c3", " B2 - C3 ", "b2c", "b2-c1"] {
            assert_eq!(read(form), Ok(aside), "{form}");
        }
        let label = |text: &str| read(text).unwrap_err().label;
        for wrong in ["b2", "b2-", "b", "a2-c", "b2-c2", "b2--b", "é2-b", "b2xb3", "b2xb", "b2-x-c"] {
            assert_eq!(label(wrong), fault::NOT_A_MOVE, "{wrong}");
        }
        for wrong in ["b2-d", "b4-b", "b2-b4", "d1-c", "b0-b", "b2-c0"] {
            assert_eq!(label(wrong), fault::OFF_BOARD, "{wrong}");
        }
        assert!(read("b2").unwrap_err().message.contains("like a1-a"));
    }
}
