//! Tests by the rules of dots and boxes, by its table and by published results.

use super::*;

fn board(rows: u32, columns: u32) -> Board {
    Board::new(&DotsAndBoxesParams { rows, columns })
}

fn margin(board: &Board) -> i32 {
    let values = board.values(&Drawn::START, &mut Budget::unlimited()).unwrap();
    values.iter().map(|(_, value)| value.score).max().unwrap()
}

#[test]
fn published_margins_are_found() {
    for (rows, columns, known) in
        [(1, 1, -1), (1, 2, 0), (1, 3, -1), (2, 2, 2), (2, 3, -2), (3, 2, -2), (2, 4, 2)]
    {
        assert_eq!(margin(&board(rows, columns)), known, "{rows} x {columns}");
    }
}

#[test]
fn nine_boxes_are_solved() {
    assert_eq!(margin(&board(3, 3)), -3);
}

/// The table and the search compute the same values independently.
#[test]
fn table_and_search_agree() {
    for (rows, columns) in [(1, 1), (1, 2), (2, 2)] {
        let board = board(rows, columns);
        let mut open = vec![Drawn::START];
        let mut seen = 0;
        while let Some(state) = open.pop() {
            if board.turn(&state) == Turn::Over {
                continue;
            }
            let budget = &mut Budget::unlimited();
            let searched = board.solver.values(&board, &state, budget).unwrap();
            assert_eq!(board.values(&state, budget).unwrap(), searched, "{state:?}");
            seen += 1;
            // A thin slice of all games that reaches deep.
            for action in board.legal(&state).iter().filter(|line| (line + seen) % 3 == 0) {
                let mut next = state;
                board.apply(&mut next, action);
                open.push(next);
            }
        }
        assert!(seen > 1);
    }
}

#[test]
fn who_closes_a_box_draws_again() {
    let board = board(1, 2);
    let mut state = Drawn::START;
    for (line, mover) in [(0, 0), (2, 1), (4, 0), (5, 1), (1, 1), (3, 0), (6, 1)] {
        assert_eq!(board.turn(&state), Turn::Player(mover), "before {line}");
        board.apply(&mut state, line);
    }
    assert_eq!(board.turn(&state), Turn::Over);
    // The second player closed the first box with line 5 and the second with line 6.
    assert_eq!(board.returns(&state).map(|got| got as i32), [-1, 1]);
    assert_eq!(board.margin(&state), -2);
}

#[test]
fn one_line_may_close_two_boxes() {
    let board = board(1, 2);
    let mut state = Drawn::START;
    for line in [0, 1, 2, 3, 4, 6, 5] {
        board.apply(&mut state, line);
    }
    assert_eq!((board.margin(&state), state.mover), (2, 0));
}

#[test]
fn boards_of_more_lines_than_bits_are_refused() {
    assert!(DotsAndBoxesParams { rows: 5, columns: 5 }.check().is_ok());
    let message = DotsAndBoxesParams { rows: 8, columns: 4 }.check().unwrap_err();
    assert!(message.contains("`rows` is 8 and `columns` is 4") && message.contains("76 lines"));
}

#[test]
fn the_board_shows_lines_to_draw_by_number() {
    let board = board(2, 2);
    let mut state = Drawn::START;
    for line in [0, 2, 6, 7, 3, 11] {
        board.apply(&mut state, line);
    }
    assert_eq!(
        board.show(&state, 0),
        [" +----+  1 +", " | B  |    8", " +----+----+", " 9   10    |", " +  4 +  5 +",].join("\n")
    );
}
