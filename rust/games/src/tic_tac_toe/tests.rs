//! Tests by the rules of tic-tac-toe, by its table, by search and by published results.

use std::collections::BTreeMap;

use game::arena::duel_within;
use game::opponent::{Opponent, Pick};
use game::variant::Variant;

use super::*;

fn board(params: &str) -> Board {
    Board::new(&kit::testing::params(params).unwrap())
}

fn start() -> Marks {
    Marks { marks: [0; 2], won: 0 }
}

fn values(board: &Board, state: &Marks) -> Values {
    board.values(state, &mut Budget::unlimited()).unwrap()
}

/// The outcomes of the first moves, in order.
fn openings(params: &str) -> Vec<i8> {
    let board = board(params);
    let values = values(&board, &start());
    values.into_iter().map(|(_, value)| value.outcome).collect()
}

/// All positions that play can reach.
fn reachable(board: &Board) -> Vec<Marks> {
    let mut found = BTreeMap::new();
    let mut open = vec![start()];
    while let Some(state) = open.pop() {
        if found.insert(board.key(&state, 0), state).is_none() {
            for action in board.legal(&state).iter() {
                let mut next = state;
                board.apply(&mut next, action);
                open.push(next);
            }
        }
    }
    found.into_values().collect()
}

#[test]
fn every_position_is_counted() {
    let board = board("{}");
    let states = reachable(&board);
    let (over, open): (Vec<_>, Vec<_>) = states.iter().partition(|state| board.turn(state) == Turn::Over);
    assert_eq!((states.len(), open.len(), over.len()), (5_478, 4_520, 958));

    let table = board.table().unwrap();
    let count = |outcome: i8| {
        let worth = |state: &&Marks| table.worths[Table::place(state.marks)].signum() == outcome;
        states.iter().filter(worth).count()
    };
    assert_eq!((count(1), count(0), count(-1)), (2_836, 1_068, 1_574));

    let several =
        open.iter().filter(|state: &&&Marks| table.best[Table::place(state.marks)].keeping.count_ones() > 1);
    let all = open.iter().filter(|state: &&&Marks| {
        table.best[Table::place(state.marks)].keeping.count_ones() == board.legal(state).len()
    });
    // Per mille of positions in which several moves, or all moves, keep the outcome.
    assert_eq!((several.count() * 1000 / 4520, all.count() * 1000 / 4520), (467, 294));
}

#[test]
fn games_are_counted_by_length() {
    fn leaves(board: &Board, state: &Marks, plies: u32) -> u64 {
        if plies == 0 || board.turn(state) == Turn::Over {
            return 1;
        }
        let after = |action| {
            let mut next = *state;
            board.apply(&mut next, action);
            next
        };
        board.legal(state).iter().map(|action| leaves(board, &after(action), plies - 1)).sum()
    }
    let board = board("{}");
    let counted: Vec<u64> = (1..=6).map(|plies| leaves(&board, &start(), plies)).collect();
    assert_eq!(counted, [9, 72, 504, 3_024, 15_120, 56_160]);
}

#[test]
fn published_values_are_found() {
    assert_eq!(openings("{}"), [0; 9]);
    assert_eq!(openings(r#"{"misere": true}"#), [-1, -1, -1, -1, 0, -1, -1, -1, -1]);
    let mut wild = [0; 18];
    (wild[8], wild[9]) = (1, 1);
    assert_eq!(openings(r#"{"wild": true}"#), wild);
    wild = [-1; 18];
    (wild[8], wild[9]) = (0, 0);
    assert_eq!(openings(r#"{"wild": true, "misere": true}"#), wild);
    let best = |params: &str| openings(params).into_iter().max().unwrap();
    assert_eq!(best(r#"{"rows": 4, "columns": 3}"#), 1);
    assert_eq!(best(r#"{"rows": 4, "columns": 4, "line": 3}"#), 1);
}

#[test]
#[ignore = "seconds of search"]
fn four_in_a_row_on_sixteen_cells_is_a_draw() {
    let best = openings(r#"{"rows": 4, "columns": 4, "line": 4}"#).into_iter().max();
    assert_eq!(best, Some(0));
}

#[test]
#[ignore = "prints a time, which a test may not judge"]
#[expect(clippy::disallowed_methods, reason = "the time is printed, and decides nothing")]
fn a_table_takes_little_time() {
    let board = board("{}");
    let start = std::time::Instant::now();
    for _ in 0..1_000 {
        std::hint::black_box(Table::new(&board));
    }
    println!("{:?} for a table of tic-tac-toe", start.elapsed() / 1_000);
}

/// The table and the search compute the same values independently.
#[test]
fn table_and_search_agree_everywhere() {
    for params in ["{}", r#"{"misere": true}"#, r#"{"wild": true}"#] {
        let board = board(params);
        for state in reachable(&board) {
            let searched = board.solver.values(&board, &state, &mut Budget::unlimited()).unwrap();
            for ((action, tabled), (other, searched)) in values(&board, &state).iter().zip(&searched) {
                assert_eq!(action, other);
                assert_eq!(tabled.outcome, searched.outcome, "{params} {state:?} {action}");
                assert_eq!(tabled.distance, searched.distance, "{params} {state:?} {action}");
            }
            for optimality in Optimality::ALL {
                let budget = &mut Budget::unlimited();
                let tabled = board.best(&state, optimality, budget).unwrap();
                let searched = board.solver.best(&board, &state, optimality, budget).unwrap();
                assert_eq!(tabled, searched, "{params} {state:?} {optimality:?}");
            }
        }
    }
}

#[test]
fn the_board_shows_free_cells_by_number() {
    let board = board("{}");
    let mut state = start();
    for action in [4, 0] {
        board.apply(&mut state, action);
    }
    let rule = "---------";
    assert_eq!(board.show(&state, 0), format!("O | 1 | 2\n{rule}\n3 | X | 5\n{rule}\n6 | 7 | 8"));
    assert_eq!(board.show(&state, 1), format!("X | 1 | 2\n{rule}\n3 | O | 5\n{rule}\n6 | 7 | 8"));
}

#[test]
fn an_arena_remembers_positions_within_a_bound() {
    let variant = Variant::<Board>::new(
        TicTacToe.about(),
        serde_json::Map::new(),
        String::new(),
        TicTacToe.game(&TicTacToeParams::default()),
    );
    let random = [Opponent::new(Pick::Random), Opponent::new(Pick::Random)];
    let tally = |most_known| duel_within(&variant, &random, most_known, &mut Budget::unlimited());
    // This many positions in which somebody is to move are reachable.
    assert!(tally(4_520).is_ok());
    assert_eq!(tally(4_519), Err(Unsolved::OutOfMemory));
    let message = Unsolved::OutOfMemory.error("tic_tac_toe").to_string();
    assert!(message.contains("256 MiB"), "{message}");
}
