//! Ultimate tic-tac-toe: nine boards in a board, and each move says on which the next one is played.

use game::board::{Board, Cells, Ground, Layout, Moves, Piece};
use game::prelude::*;

pub struct UltimateTicTacToe;

params! {
    pub struct UltimateTicTacToeParams {
        /// The choice of a player who is sent to a board that is decided or full: a free cell of any other board, or
        /// any free cell of that board as long as it has one.
        sent_to_decided: Sent [structure],
    }
    default (Sent::Anywhere)
}

/// Boards that are open to a player who is sent to a decided one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// All that are not decided.
    Anywhere,
    /// A free cell of that board, until it is full.
    There,
}

static ABOUT: About = About {
    summary: "Win three of nine small boards in a row; your cell decides on which one the opponent plays.",
    players: ["X", "O"],
    variants: &["{}", r#"{"sent_to_decided": "there"}"#],
    tactics: true,
    max_plies: 81,
    moves: "cells",
    ..About::new("ultimate_tic_tac_toe", &["First version."])
};

impl GameFamily for UltimateTicTacToe {
    type Params = UltimateTicTacToeParams;
    type Game = Cells<Boards>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &UltimateTicTacToeParams) -> Cells<Boards> {
        Cells(Boards { sent: params.sent_to_decided, solver: Solver::default() })
    }
}

const SIDE: u32 = 9;
const FULL: u16 = 0o777;
const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
/// In place of the number of a board.
const ANY: u8 = 9;

/// Cell `9 * row + column` of the whole is a bit of a mask, row 0 on top.
#[derive(Debug)]
pub struct Boards {
    sent: Sent,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    of: [u128; 2],
    /// Boards that each has won.
    won: [u16; 2],
    /// Boards that are won or full.
    decided: u16,
    /// Board to be played on, or [`ANY`].
    next: u8,
}

impl Position {
    #[inline]
    fn taken(&self) -> u128 {
        self.of[0] | self.of[1]
    }

    /// The players alternate; player 0 begins.
    #[inline]
    fn mover(&self) -> usize {
        (self.taken().count_ones() & 1) as usize
    }
}

/// The top left cell of a board.
#[inline]
const fn corner(board: u32) -> u32 {
    board / 3 * 3 * SIDE + board % 3 * 3
}

/// The nine cells of a board.
#[inline]
fn part(cells: u128, board: u32) -> u16 {
    let rows = cells >> corner(board);
    (rows & 7 | (rows >> SIDE & 7) << 3 | (rows >> (2 * SIDE) & 7) << 6) as u16
}

/// All cells of some boards.
fn whole(boards: u16) -> u128 {
    let cells = |board| (7 | 7 << SIDE | 7 << (2 * SIDE)) << corner(board);
    (0..9).filter(|board| boards >> board & 1 == 1).fold(0, |whole, board| whole | cells(board))
}

fn has_line(marks: u16) -> bool {
    LINES.iter().any(|line| marks & line == *line)
}

impl Boards {
    /// Boards on which a player may still be made to play.
    fn open(&self, state: &Position) -> u16 {
        match self.sent {
            Sent::Anywhere => !state.decided & FULL,
            Sent::There => {
                let taken = state.taken();
                (0..9).filter(|&board| part(taken, board) != FULL).fold(0, |open, board| open | 1 << board)
            }
        }
    }

    /// Cells where the next mark may be placed.
    #[inline]
    fn playable(&self, state: &Position) -> u128 {
        let boards = if state.next == ANY { self.open(state) } else { 1 << state.next };
        whole(boards) & !state.taken()
    }
}

impl Board for Boards {
    type State = Position;
    type Exact = Solver;

    const PIECES: &'static [Piece] = &[
        Piece::cross('X', Ink::Red).of(0),
        Piece::disc('O', Ink::Blue).of(1),
        Piece::square('*', Ink::White),
        Piece::square('x', Ink::Yellow).of(0),
        Piece::square('o', Ink::Green).of(1),
    ];
    const GROUND: Ground = Ground::Grid(Ink::Grey, Ink::Black);
    const MOVES: Moves = Moves::ANY_CELL;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(SIDE, SIDE).in_blocks(3, 3)
    }

    #[inline]
    fn cells(&self, state: &Position, piece: usize) -> u128 {
        match piece {
            0 | 1 => state.of[piece],
            2 if self.mover(state).is_none() => 0,
            2 => self.playable(state),
            _ => whole(state.won[piece - 3]),
        }
    }

    fn first(&self) -> Position {
        Position { of: [0; 2], won: [0; 2], decided: 0, next: ANY }
    }

    #[inline]
    fn mover(&self, state: &Position) -> Option<u8> {
        let over = state.decided == FULL || has_line(state.won[0]) || has_line(state.won[1]);
        (!over).then_some(state.mover() as u8)
    }

    #[inline]
    fn legal(&self, state: &Position) -> Actions {
        match self.mover(state) {
            None => Actions::NONE,
            Some(_) => Actions::from_wide_bits(self.playable(state)),
        }
    }

    #[inline]
    fn apply(&self, state: &mut Position, action: Action) {
        let player = state.mover();
        state.of[player] |= 1 << action;
        let (row, column) = (action / SIDE, action % SIDE);
        let board = row / 3 * 3 + column / 3;
        if state.decided >> board & 1 == 0 {
            if has_line(part(state.of[player], board)) {
                state.won[player] |= 1 << board;
                state.decided |= 1 << board;
            } else if part(state.taken(), board) == FULL {
                state.decided |= 1 << board;
            }
        }
        let next = row % 3 * 3 + column % 3;
        state.next = if self.open(state) >> next & 1 == 1 { next as u8 } else { ANY };
    }

    fn margin(&self, state: &Position) -> i32 {
        i32::from(has_line(state.won[0])) - i32::from(has_line(state.won[1]))
    }

    fn plies_left(&self, state: &Position) -> u32 {
        (whole(self.open(state)) & !state.taken()).count_ones()
    }

    fn rules(&self) -> String {
        let sent = match self.sent {
            Sent::Anywhere => {
                "If that board is decided, the next player may take any free cell of any board that is not decided"
            }
            Sent::There => {
                "That holds even if that board is decided; only if it is full may the next player take any free cell"
            }
        };
        format!(
            "It consists of nine small boards of three rows and three columns: the first has the cells a1 to c3, the \
             next one to its right d1 to f3, and so on. The players take turns placing a mark on a free cell; X \
             begins, anywhere. The place of that cell in its small board says on which small board the next mark must \
             be placed: a mark in the top left cell of any small board sends the other player to the top left board, \
             one in the middle to the board in the middle. {sent}. Whoever first has three marks in a row, a column \
             or a diagonal of a small board wins that board, and later marks there change nothing; a small board that \
             is full without such a line is won by nobody. Either way it is decided. Whoever has won three small \
             boards in a row, a column or a diagonal wins the game. If all nine are decided and nobody has, it is a \
             draw. The free cells where the player to move may place a mark are shown as *, other free cells as x on a \
             board that X has won, as o on one that O has won, and as a dot elsewhere."
        )
    }

    fn why_not(&self, state: &Position, action: Action, name: &str) -> String {
        let (row, column) = (action / SIDE, action % SIDE);
        let board = row / 3 * 3 + column / 3;
        if state.taken() >> action & 1 == 1 {
            return format!("{name} is taken");
        }
        if state.next == ANY {
            return format!("the small board of {name} is decided");
        }
        let next = u32::from(state.next);
        let [row, column] = [next / 3 * 3, next % 3 * 3];
        let layout = self.layout();
        let (from, to) = (layout.name(row, column), layout.name(row + 2, column + 2));
        assert_ne!(board, next, "every free cell of the board that must be played on is legal");
        format!("{name} is not on the small board that must be played on, {from} to {to}")
    }

    fn exact(&self) -> &Solver {
        &self.solver
    }

    /// Two masks have more bits than a key, so they are mixed: two positions share a key with a chance of 2^-128.
    fn key(&self, state: &Position) -> u128 {
        mixed(state.of, state.next.into())
    }

    /// Marks on decided boards that nobody can be sent to do not matter, nor do the names of the players.
    fn value_key(&self, state: &Position) -> u128 {
        let open = whole(self.open(state) | !state.decided & FULL);
        let (own, other) = (state.mover(), 1 - state.mover());
        let boards = [state.won[own], state.won[other], state.decided].map(u128::from);
        let boards = boards.into_iter().fold(state.next.into(), |all, boards| all << 9 | boards);
        mixed([state.of[own] & open, state.of[other] & open], boards)
    }

    /// Small boards are won early, and the opponent is sent anywhere late.
    fn move_ordering(&self, state: &Position, action: Action) -> i32 {
        let mut next = *state;
        self.apply(&mut next, action);
        let won = i32::from(next.won != state.won);
        2 * won - i32::from(next.next == ANY)
    }

    fn solves_quickly(&self, state: &Position) -> bool {
        self.plies_left(state) <= 12
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        Some("a board of 81 cells is too large to be solved")
    }
}

fn mixed([first, second]: [u128; 2], rest: u128) -> u128 {
    const BY: [u128; 2] =
        [0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835, 0xBF58_476D_1CE4_E5B9_94D0_49BB_1331_11EB];
    let key = first.wrapping_mul(BY[0]).rotate_left(47) ^ second.wrapping_mul(BY[1]);
    (key ^ rest).wrapping_mul(BY[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::played;

    fn boards(sent: Sent) -> Cells<Boards> {
        Cells(Boards { sent, solver: Solver::default() })
    }

    #[test]
    fn a_cell_sends_the_opponent_to_its_board() {
        let game = boards(Sent::Anywhere);
        let state = played(&game, "b1");
        assert_eq!(state.next, 1);
        let why = |name| game.why_illegal(&state, game.read_action(name).unwrap());
        assert_eq!(why("b1"), "b1 is taken");
        assert_eq!(why("e5"), "e5 is not on the small board that must be played on, d1 to f3");
        assert!(game.show(&state, 0).starts_with("  a b c   d e f   g h i\n1 . X .   * * *   . . .\n"));
    }

    /// X wins the first board, and sends O there.
    #[test]
    fn a_decided_board_is_left_or_filled() {
        let moves = "e5 d4 b1 d1 b3 d7 b2 e4 e1 f1 g1";
        let [left, filled] = [Sent::Anywhere, Sent::There].map(|sent| {
            let game = boards(sent);
            let state = played(&game, moves);
            let why = |name| {
                let action = game.read_action(name).unwrap();
                if game.legal(&state).contains(action) {
                    "legal".to_owned()
                } else {
                    game.why_illegal(&state, action)
                }
            };
            (state.won, ["a1", "b1", "i9"].map(why), game.show(&state, 0).lines().nth(1).unwrap().to_owned())
        });
        assert_eq!(left.0, [1, 0]);
        assert_eq!(left.1, ["the small board of a1 is decided", "b1 is taken", "legal"]);
        assert_eq!(left.2, "1 x X x   O X O   X * *");
        let away = "i9 is not on the small board that must be played on, a1 to c3";
        assert_eq!((filled.0, filled.1), ([1, 0], ["legal", "b1 is taken", away].map(str::to_owned)));
        assert_eq!(filled.2, "1 * X *   O X O   X . .");
    }

    /// With few free cells left, tree search and exact search agree on who wins.
    #[test]
    fn the_end_is_exact() {
        for sent in [Sent::Anywhere, Sent::There] {
            let game = boards(sent);
            let mut rng = kit::rng::Key::new("tests", 1, "ultimate", 0, "").stream(0);
            let mut solved = 0;
            for _ in 0..40 {
                let mut state = game.first();
                while let Some(mover) = game.mover(&state) {
                    if game.plies_left(&state) <= 9 {
                        let best = game.values(&state, &mut Budget::unlimited()).unwrap();
                        let best = best.iter().map(|(_, value)| value.outcome).max().unwrap();
                        let sign = if mover == 0 { 1 } else { -1 };
                        assert_eq!(i32::from(best), sign * tried(&game, &state), "{}", game.show(&state, 0));
                        solved += 1;
                    }
                    let legal = game.legal(&state);
                    game.apply(&mut state, legal.nth(rng.below(legal.len().into()) as u32).unwrap());
                }
            }
            assert!(solved > 50, "{solved}");
        }
    }

    /// Player 0's margin, by trying every line.
    fn tried(game: &Boards, state: &Position) -> i32 {
        let Some(mover) = game.mover(state) else { return game.margin(state) };
        let after = game.legal(state).iter().map(|action| {
            let mut next = *state;
            game.apply(&mut next, action);
            tried(game, &next)
        });
        if mover == 0 { after.max() } else { after.min() }.unwrap()
    }
}
