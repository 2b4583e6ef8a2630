//! Tests by the rules of the game, by its solvers and by published results.

use std::collections::BTreeMap;

use super::*;
use game::value::best_of;
use kit::rng::Key;
use kit::testing::params;

fn sized(columns: u32, rows: u32, line: u32) -> Board {
    let params = ConnectFourParams { rows, columns, line };
    params.check().unwrap();
    Board::new(&params)
}

fn after(board: &Board, columns: &str) -> Discs {
    let mut state = Discs::NONE;
    for column in columns.chars() {
        let action = board.read_action(&column.to_string()).unwrap();
        assert!(board.legal(&state).contains(action), "{columns}");
        board.apply(&mut state, action);
    }
    state
}

fn next(board: &Board, state: &Discs, action: Action) -> Discs {
    let mut next = *state;
    board.apply(&mut next, action);
    next
}

fn rng() -> Rng {
    Key::new("tests", 1, "connect four", 0, "").stream(0)
}

/// Random legal moves, fewer if the game ends.
fn wander(board: &Board, plies: u32, rng: &mut Rng, mut visit: impl FnMut(&Discs)) -> Discs {
    let mut state = Discs::NONE;
    for _ in 0..plies {
        let legal: Vec<_> = board.legal(&state).iter().collect();
        if board.turn(&state) == Turn::Over {
            break;
        }
        state = next(board, &state, *rng.pick(&legal));
        visit(&state);
    }
    state
}

/// Score and plies of a position for the player to move, by the rules alone.
fn minimax(
    board: &Board,
    state: &Discs,
    seen: &mut BTreeMap<u128, (i32, Option<u32>)>,
) -> (i32, Option<u32>) {
    if state.won {
        // The winner's share of all discs, minus those played, plus the last of them.
        let winner = 1 - state.mover();
        let share = (board.cells + 1 - winner as u32) / 2;
        let left = share - state.players[winner].count_ones() + 1;
        return (-(left as i32), Some(0));
    }
    if board.turn(state) == Turn::Over {
        return (0, None);
    }
    let key = board.key(state, 0);
    if let Some(&known) = seen.get(&key) {
        return known;
    }
    let after = |action| {
        let (score, plies) = minimax(board, &next(board, state, action), seen);
        (-score, plies.map(|plies| plies + 1))
    };
    let best = board.legal(state).iter().map(after).max_by_key(|worth| {
        let plies = i64::from(worth.1.unwrap_or(0));
        (worth.0, -plies * i64::from(worth.0.signum()))
    });
    let best = best.expect("a game that is not over has moves");
    seen.insert(key, best);
    best
}

fn agrees_with_minimax(board: &Board, least_plies: u32, positions: u32) {
    let mut seen = BTreeMap::new();
    let mut rng = rng();
    for _ in 0..positions {
        let plies = least_plies + rng.below(u64::from(board.cells - least_plies)) as u32;
        let state = wander(board, plies, &mut rng, |_| {});
        if board.turn(&state) == Turn::Over {
            continue;
        }
        let worth = |action| {
            let (score, plies) = minimax(board, &next(board, &state, action), &mut seen);
            let value = Value::proved(-score.signum() as i8, plies.map(|plies| plies + 1), -score);
            (action, value)
        };
        let expected: Values = board.legal(&state).iter().map(worth).collect();
        // Remembered results must not affect the next question.
        for optimality in Optimality::ALL {
            let best = board.best(&state, optimality, &mut Budget::unlimited()).unwrap();
            let shown = board.show(&state, 0);
            assert_eq!(best, best_of(&expected, optimality), "{optimality:?}\n{shown}");
        }
        let outcomes = board.outcomes(&state, &mut Budget::unlimited()).unwrap();
        let outcome = |(action, value): &(Action, Value)| (*action, value.outcome);
        assert!(expected.iter().map(outcome).eq(outcomes), "{state:?}");
        let values = board.values(&state, &mut Budget::unlimited()).unwrap();
        assert_eq!(values, expected, "\n{}", board.show(&state, 0));
    }
}

#[test]
fn small_boards_agree_with_minimax() {
    agrees_with_minimax(&sized(4, 4, 4), 2, 200);
    agrees_with_minimax(&sized(4, 4, 3), 0, 200);
    agrees_with_minimax(&sized(5, 3, 3), 0, 200);
    agrees_with_minimax(&sized(5, 4, 4), 9, 200);
    agrees_with_minimax(&sized(5, 5, 5), 14, 100);
    agrees_with_minimax(&sized(6, 5, 4), 19, 200);
    agrees_with_minimax(&sized(7, 6, 4), 32, 200);
}

#[test]
fn positions_are_counted() {
    let count = |board: &Board, most: u32| -> Vec<u64> {
        let mut level = BTreeMap::from([(0, (Discs::NONE, 1_u64))]);
        let counts = (0..=most).map(|_| {
            let reached = std::mem::take(&mut level);
            for (state, ways) in reached.values() {
                for action in board.legal(state).iter() {
                    let next = next(board, state, action);
                    let entry = level.entry(board.key(&next, 0)).or_insert((next, 0));
                    entry.1 += ways;
                }
            }
            // Lines of play that lead here, and positions.
            let ways: u64 = reached.values().map(|(_, ways)| ways).sum();
            ways << 32 | reached.len() as u64
        });
        counts.collect()
    };
    let standard = count(&sized(7, 6, 4), 7);
    let ways: Vec<u64> = standard.iter().map(|both| both >> 32).collect();
    assert_eq!(
        ways,
        [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536],
        "only one column is full after six plies"
    );
    // Tromp's counts (OEIS A212693).
    let positions: Vec<u64> = standard.iter().map(|both| both & 0xFFFF_FFFF).collect();
    assert_eq!(positions, [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859]);
    let small = count(&sized(4, 4, 4), 16);
    let all: u64 = small.iter().map(|both| both & 0xFFFF_FFFF).sum();
    assert_eq!(all, 161_029);
}

#[test]
fn lines_are_found_in_every_direction() {
    fn has_line(board: &Board, discs: u64) -> bool {
        let (columns, rows) = (board.params.columns as i32, board.params.rows as i32);
        let has = |column: i32, row: i32| {
            (0..columns).contains(&column)
                && (0..rows).contains(&row)
                && discs >> (column * (rows + 1) + row) & 1 == 1
        };
        let line = |column: i32, row: i32| {
            [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
                (0..board.params.line as i32).all(|at| has(column + at * right, row + at * up))
            })
        };
        (0..columns).any(|column| (0..rows).any(|row| line(column, row)))
    }
    let mut rng = rng();
    let mut won = 0;
    for (columns, rows) in [(7, 6), (16, 3), (16, 1), (1, 15), (4, 15), (8, 7), (9, 6), (5, 4)] {
        for line in 2..=columns.max(rows).min(7) {
            let board = sized(columns, rows, line);
            for _ in 0..50 {
                let mut before = Discs::NONE;
                let last = wander(&board, board.max_plies(), &mut rng, |state| {
                    let last = state.mover() ^ 1;
                    assert_eq!(state.won, has_line(&board, state.players[last]), "{state:?}");
                    assert_eq!(board.mirrored(board.mirrored(state.mask())), state.mask());
                    let changed = state.mask() ^ before.mask();
                    assert_eq!(changed.count_ones(), 1, "{before:?} {state:?}");
                    before = *state;
                });
                assert_eq!(board.turn(&last), Turn::Over);
                won += u32::from(last.won);
            }
        }
    }
    assert!(won > 500, "only {won} games were won");
}

#[test]
fn boards_beyond_a_word_are_refused() {
    let refused = |json: &str| params::<ConnectFourParams>(json).unwrap_err();
    assert_eq!(
        refused(r#"{"columns": 8, "rows": 8}"#),
        "`columns` is 8, but a board of 8 rows has at most 7"
    );
    assert_eq!(
        refused(r#"{"columns": 5, "line": 7}"#),
        "`line` is 7, but a line on this board has at most 6 cells"
    );
    assert!(params::<ConnectFourParams>(r#"{"columns": 9}"#).is_ok());
}

#[test]
fn the_one_who_looks_is_x() {
    let board = sized(7, 6, 4);
    let state = after(&board, "4435");
    let shown = |x: char, o: char| {
        let empty = ". . . . . . .\n".repeat(4);
        format!("{empty}. . . {o} . . .\n. . {x} {x} {o} . .\n1 2 3 4 5 6 7")
    };
    assert_eq!(board.show(&state, 0), shown('X', 'O'));
    assert_eq!(board.show(&state, 1), shown('O', 'X'));
    let mut seen = [0.0; 84];
    board.observe(&state, 1, &mut seen);
    let ones: Vec<usize> = (0..84).filter(|&at| seen[at] > 0.5).collect();
    assert_eq!(ones, [4 * 7 + 3, 5 * 7 + 4, 42 + 5 * 7 + 2, 42 + 5 * 7 + 3]);
    assert_eq!(
        sized(11, 1, 4).show(&Discs::NONE, 0),
        " .  .  .  .  .  .  .  .  .  .  .\n 1  2  3  4  5  6  7  8  9 10 11"
    );
}

#[test]
fn columns_are_read_from_one() {
    let board = sized(7, 6, 4);
    assert_eq!(board.read_action(" 7 "), Ok(6));
    for wrong in ["0", "8", "-1", "d", "4 4", ""] {
        let message = board.read_action(wrong).unwrap_err().message;
        assert!(message.contains(&format!("`{wrong}`")), "{message}");
    }
}

#[test]
fn the_book_answers_at_once() {
    let board = sized(7, 6, 4);
    let scores = |columns: &str| -> Vec<i32> {
        let state = after(&board, columns);
        let values = board.values(&state, &mut Budget::new(0)).unwrap();
        values.iter().map(|(_, value)| value.score).collect()
    };
    assert_eq!(scores(""), [-2, -1, 0, 1, 0, -1, -2]);
    assert_eq!(scores("4"), [-4, -2, -2, -1, -2, -2, -4]);
    let best = |columns: &str, optimality| {
        let state = after(&board, columns);
        let budget = &mut Budget::new(0);
        let best: Vec<_> = board.best(&state, optimality, budget).unwrap().iter().collect();
        best
    };
    assert_eq!(best("", Optimality::Wdl), [3]);
    assert_eq!(best("4", Optimality::Wdl), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(best("4", Optimality::Dtm), [3]);
    assert_eq!(board.unsolvable_reason(), None);
    // The first player's 21st disc is the last it needs.
    let values = board.values(&Discs::NONE, &mut Budget::new(0)).unwrap();
    assert_eq!(values[3].1.distance, Some(41));
    assert_eq!(values[0].1.distance, Some(40));
}

#[test]
#[ignore = "seconds of search"]
fn published_values_are_found() {
    let value = |columns: u32, rows: u32| {
        let board = sized(columns, rows, 4);
        assert_eq!(board.unsolvable_reason(), None);
        let budget = &mut Budget::unlimited();
        let outcomes = board.outcomes(&Discs::NONE, budget).unwrap();
        outcomes.iter().map(|(_, outcome)| *outcome).max().unwrap()
    };
    // Tromp, John's Connect Four playground.
    assert_eq!([(4, 4), (5, 4), (6, 4), (7, 3)].map(|(w, h)| value(w, h)), [0, 0, -1, 0]);
    assert_eq!([(4, 5), (5, 5), (6, 5), (7, 5)].map(|(w, h)| value(w, h)), [0, 0, 0, 0]);
    assert_eq!(value(6, 6), -1);
}
