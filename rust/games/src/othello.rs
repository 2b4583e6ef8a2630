//! Othello on boards of four, six and eight rows.

use crate::cells::read_cell;
use game::prelude::*;

pub struct Othello;

params! {
    pub struct OthelloParams {
        /// Number of rows, and of columns.
        size: u32 [4 | 6 | 8, structure],
    }
    default (8)
}

static ABOUT: About = About {
    name: "othello",
    summary: "Enclose the opponent's discs to flip them; also on 4x4 and 6x6.",
    changes: &["First version."],
    players: ["Black", "White"],
    variants: &["{}", r#"{"size": 4}"#, r#"{"size": 6}"#],
    chance: false,
    hidden: false,
    stakes: false,
    value: None,
    tactics: false,
    max_plies: 120,
    moves: "moves",
    score: "own discs minus the opponent's at the end",
};

impl GameFamily for Othello {
    type Params = OthelloParams;
    type Game = Board;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &OthelloParams) -> Board {
        Board::new(params.size)
    }
}

/// A square board; cell `row * size + column` is a bit of a mask, row 0 on top.
#[derive(Debug)]
pub struct Board {
    size: u32,
    cells: u64,
    /// The cells between the outer columns: a sideways line flips only these, and cannot wrap from row to
    /// row.
    inner: u64,
    corners: u64,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    of: [u64; 2],
    mover: u8,
}

impl Discs {
    /// The discs of the player to move, and the opponent's.
    fn seen(&self) -> (u64, u64) {
        let [first, second] = self.of;
        if self.mover == 0 { (first, second) } else { (second, first) }
    }
}

impl Board {
    fn new(size: u32) -> Self {
        let rows = (0..size).fold(0, |rows, row| rows | 1_u64 << (row * size));
        let sides = rows | rows << (size - 1);
        let cells = u64::MAX >> (64 - size * size);
        let ends = 1 | 1 << (size - 1);
        Self {
            size,
            cells,
            inner: cells & !sides,
            corners: ends | ends << (size * (size - 1)),
            solver: Solver::default(),
        }
    }

    fn first(&self) -> Discs {
        let middle = self.size / 2;
        let cell = |row: u32, column: u32| 1 << (row * self.size + column);
        Discs {
            of: [
                cell(middle - 1, middle) | cell(middle, middle - 1),
                cell(middle - 1, middle - 1) | cell(middle, middle),
            ],
            mover: 0,
        }
    }

    fn pass(&self) -> Action {
        self.size * self.size
    }

    /// The four directions, each with the cells of `other` that can be enclosed along it.
    #[inline]
    fn ways(&self, other: u64) -> [(u32, u64); 4] {
        let inner = other & self.inner;
        [(1, inner), (self.size - 1, inner), (self.size, other), (self.size + 1, inner)]
    }

    /// The cells where `own` may place a disc.
    #[inline]
    fn moves(&self, own: u64, other: u64) -> u64 {
        let mut moves = 0;
        for (by, other) in self.ways(other) {
            let mut forth = own << by & other;
            let mut back = own >> by & other;
            for _ in 3..self.size {
                forth |= forth << by & other;
                back |= back >> by & other;
            }
            moves |= forth << by | back >> by;
        }
        moves & self.cells & !(own | other)
    }

    /// The discs of `other` that a disc on `cell` flips.
    #[inline]
    fn enclosed(&self, own: u64, other: u64, cell: u32) -> u64 {
        let placed = 1_u64 << cell;
        let mut enclosed = 0;
        for (by, other) in self.ways(other) {
            let mut forth = placed << by & other;
            let mut back = placed >> by & other;
            for _ in 3..self.size {
                forth |= forth << by & other;
                back |= back >> by & other;
            }
            if forth << by & own != 0 {
                enclosed |= forth;
            }
            if back >> by & own != 0 {
                enclosed |= back;
            }
        }
        enclosed
    }

    /// Cells where the player to move may place a disc; `None` if neither player can.
    #[inline]
    fn open(&self, state: &Discs) -> Option<u64> {
        let (own, other) = state.seen();
        let moves = self.moves(own, other);
        (moves != 0 || self.moves(other, own) != 0).then_some(moves)
    }
}

impl Rules for Board {
    type State = Discs;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.size * self.size + 1
    }

    fn max_plies(&self) -> u32 {
        self.plies_left(&self.first())
    }

    #[inline]
    fn turn(&self, state: &Discs) -> Turn {
        match self.open(state) {
            None => Turn::Over,
            Some(_) => Turn::Player(state.mover),
        }
    }

    #[inline]
    fn legal(&self, state: &Discs) -> Actions {
        match self.open(state) {
            None => Actions::NONE,
            Some(0) => Actions::only(self.pass()),
            Some(cells) => Actions::from_bits(cells),
        }
    }

    #[inline]
    fn apply(&self, state: &mut Discs, action: Action) {
        if action != self.pass() {
            let (own, other) = state.seen();
            let turned = self.enclosed(own, other, action);
            let player = usize::from(state.mover);
            state.of[player] |= turned | 1 << action;
            state.of[1 - player] &= !turned;
        }
        state.mover = 1 - state.mover;
    }

    fn returns(&self, state: &Discs) -> [f32; 2] {
        let first = self.margin(state).signum() as f32;
        [first, -first]
    }

    fn show(&self, state: &Discs, _player: u8) -> String {
        let mut board = " ".to_owned();
        for column in 0..self.size {
            board.extend([' ', char::from(b'a' + column as u8)]);
        }
        for row in 0..self.size {
            board.push_str(&format!("\n{}", row + 1));
            for cell in row * self.size..(row + 1) * self.size {
                board.push_str(match state.of.map(|discs| discs >> cell & 1) {
                    [1, _] => " B",
                    [_, 1] => " W",
                    _ => " .",
                });
            }
        }
        board
    }

    fn draw(&self, state: &Discs, _player: u8) -> Picture {
        let mut picture = Picture::filled(self.size, self.size, Ink::Green);
        picture.grid(Ink::Black);
        for cell in 0..self.size * self.size {
            match state.of.map(|discs| discs >> cell & 1) {
                [1, _] => picture.disc(cell / self.size, cell % self.size, Ink::Black),
                [_, 1] => picture.disc(cell / self.size, cell % self.size, Ink::White),
                _ => {}
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        if action == self.pass() {
            return "pass".to_owned();
        }
        let column = char::from(b'a' + (action % self.size) as u8);
        format!("{column}{}", action / self.size + 1)
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        if text.trim().eq_ignore_ascii_case("pass") {
            return Ok(self.pass());
        }
        let last = self.name_action(self.pass() - 1);
        let moves = format_args!("a move is a cell from a1 to {last}, or pass");
        let (row, column) = read_cell(text).ok_or_else(|| Misread::not_a_move(text, moves))?;
        if row >= self.size || column >= self.size {
            return Err(Misread::off_board(text, format_args!("its cells are a1 to {last}")));
        }
        Ok(row * self.size + column)
    }

    fn why_illegal(&self, state: &Discs, action: Action) -> String {
        if action == self.pass() {
            return "a player who can place a disc may not pass".to_owned();
        }
        let (own, other) = state.seen();
        if (own | other) >> action & 1 == 1 {
            return format!("{} is taken", self.name_action(action));
        }
        if self.moves(own, other) == 0 {
            return "a player who cannot place a disc must pass".to_owned();
        }
        format!("a disc on {} would not enclose any of the opponent's", self.name_action(action))
    }

    fn shape(&self) -> Vec<usize> {
        vec![2, self.size as usize, self.size as usize]
    }

    #[inline]
    fn observe(&self, state: &Discs, player: u8, out: &mut [f32]) {
        let own = usize::from(player);
        let planes = [state.of[own], state.of[1 - own]];
        let cells = (self.size * self.size) as usize;
        for (plane, discs) in out.chunks_mut(cells).zip(planes) {
            for (cell, out) in plane.iter_mut().enumerate() {
                *out = f32::from((discs >> cell & 1) as u8);
            }
        }
    }
}

impl Game for Board {
    /// A player who passes lets the other place a disc, so at most every other ply is a pass.
    fn plies_left(&self, state: &Discs) -> u32 {
        match self.turn(state) {
            Turn::Over => 0,
            Turn::Player(_) | Turn::Chance => 2 * (self.cells & !(state.of[0] | state.of[1])).count_ones(),
        }
    }

    fn start(&self, _rng: &mut Rng) -> Discs {
        self.first()
    }

    fn role_text(&self, player: u8) -> String {
        let [own, other] = [["B", "W"], ["W", "B"]][usize::from(player)];
        format!("You are {own}, the opponent is {other}.")
    }

    fn rules(&self) -> String {
        let (size, last) = (self.size, self.name_action(self.pass() - 1));
        format!(
            "The board has {size} rows and {size} columns. A cell is named by its column and its row: a1 is \
             at the top left and {last} at the bottom right. The four cells in the center start with two discs \
             of each player, each pair on a diagonal. Black (B) moves first, then White (W), and so on in turn. \
             A move places a disc of the player's own color on a free cell so that, in at least one of the eight \
             directions, it encloses an unbroken line of one or more opposing discs between itself and another \
             disc of the player's color. All discs that are enclosed in this way change to the player's color. A \
             player who has no such move must pass, and a player who has one may not pass. The game ends when \
             neither player has a move. The player with more discs then wins; if both have the same number, the \
             game is a draw. A move is a cell, such as {last}, or the word pass."
        )
    }

    /// A center cell always has a disc of exactly one color, so both or neither encode that the second player
    /// is to move.
    fn key(&self, state: &Discs, _player: u8) -> u128 {
        let [first, second] = state.of.map(u128::from);
        let center = (self.size + 1) * (self.size / 2);
        (first | second << 64) ^ u128::from(state.mover) << center
    }

    fn solves_instantly(&self) -> bool {
        self.size == 4
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.size > 4).then_some("a board of more than 16 cells is too large to be solved")
    }

    fn values(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        Ok(self.solver.values(self, state, budget)?)
    }

    fn outcomes(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        Ok(self.solver.outcomes(self, state, budget)?)
    }

    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(self.solver.best(self, state, optimality, budget)?)
    }

    fn objective(&self) -> Objective {
        Objective::Margin
    }

    fn margin(&self, state: &Discs) -> i32 {
        let [first, second] = state.of.map(|discs| discs.count_ones() as i32);
        first - second
    }

    /// Prefers moves that leave the opponent few replies, and none to a corner.
    #[inline]
    fn move_ordering(&self, state: &Discs, action: Action) -> i32 {
        if action == self.pass() {
            return 0;
        }
        let mut next = *state;
        self.apply(&mut next, action);
        let (own, other) = next.seen();
        let replies = self.moves(own, other);
        let corner = i32::from(self.corners >> action & 1 == 1);
        8 * corner - 4 * replies.count_ones() as i32 - 8 * (replies & self.corners).count_ones() as i32
    }

    /// Positions are equivalent if the mover's and the opponent's discs are the same, whatever their colors.
    fn value_key(&self, state: &Discs) -> u128 {
        let (own, other) = state.seen();
        u128::from(own) | u128::from(other) << 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(board: &Board, moves: &str) -> Discs {
        let mut state = board.first();
        for said in moves.split_whitespace() {
            let action = board.read_action(said).unwrap();
            assert!(board.legal(&state).contains(action), "{said}: {state:?}");
            board.apply(&mut state, action);
        }
        state
    }

    fn legal(board: &Board, state: &Discs) -> Vec<String> {
        let legal = board.legal(state);
        legal.iter().map(|action| board.name_action(action)).collect()
    }

    #[test]
    fn four_by_four_is_lost_by_eight() {
        let board = Board::new(4);
        let values = board.values(&board.first(), &mut Budget::unlimited()).unwrap();
        let scores: Vec<i32> = values.iter().map(|(_, value)| value.score).collect();
        assert_eq!(scores, [-8; 4]);
        // 3 discs to 11: two cells stay free.
        let mut state = board.first();
        while board.turn(&state) != Turn::Over {
            let best = board.best(&state, Optimality::Dtm, &mut Budget::unlimited());
            board.apply(&mut state, best.unwrap().first().unwrap());
        }
        assert_eq!(state.of.map(u64::count_ones), [3, 11]);
    }

    #[test]
    #[ignore = "timed by hand: twenty boards, each from nothing"]
    fn four_by_four() {
        for _ in 0..20 {
            let board = Board::new(4);
            let values = board.values(&board.first(), &mut Budget::unlimited());
            assert_eq!(values.unwrap().len(), 4);
        }
    }

    /// The known numbers of games by length.
    #[test]
    fn games_are_counted_by_length() {
        fn leaves(board: &Board, state: Discs, plies: u32) -> u64 {
            if plies == 0 {
                return 1;
            }
            let legal = board.legal(&state);
            let after = |action| {
                let mut next = state;
                board.apply(&mut next, action);
                leaves(board, next, plies - 1)
            };
            legal.iter().map(after).sum()
        }
        let board = Board::new(8);
        let counted: Vec<u64> = (1..=7).map(|plies| leaves(&board, board.first(), plies)).collect();
        assert_eq!(counted, [4, 12, 56, 244, 1_396, 8_200, 55_092]);
    }

    #[test]
    fn the_shortest_game_leaves_no_white_disc() {
        let board = Board::new(8);
        let state = played(&board, "e6 f4 e3 f6 g5 d6 e7 f5 c5");
        assert_eq!(board.turn(&state), Turn::Over);
        assert!(board.legal(&state).is_empty());
        assert_eq!((board.margin(&state), state.of[1]), (13, 0));
        assert_eq!(board.returns(&state).map(|got| got as i32), [1, -1]);
    }

    #[test]
    fn only_who_has_no_move_passes() {
        let board = Board::new(4);
        // B W . . in the top row.
        let mut state = Discs { of: [1, 2], mover: 1 };
        assert_eq!(legal(&board, &state), ["pass"]);
        board.apply(&mut state, board.pass());
        assert_eq!(legal(&board, &state), ["c1"]);
        board.apply(&mut state, 2);
        assert_eq!((board.turn(&state), state.of), (Turn::Over, [7, 0]));
    }

    #[test]
    fn late_positions_are_solved() {
        let board = Board::new(8);
        // Always the middle one of the legal moves, until twelve cells are free.
        let mut state = board.first();
        while (state.of[0] | state.of[1]).count_zeros() > 12 {
            let legal = board.legal(&state);
            board.apply(&mut state, legal.nth(legal.len() / 2).unwrap());
        }
        let values = board.values(&state, &mut Budget::new(100_000)).unwrap();
        let best = values.iter().map(|(_, value)| value.score).max();
        assert_eq!(best, Some(26));
    }

    #[test]
    fn the_board_shows_discs_and_names() {
        let board = Board::new(8);
        assert_eq!(legal(&board, &board.first()), ["d3", "c4", "f5", "e6"]);
        let state = played(&board, "d3 c3");
        assert_eq!(
            board.show(&state, 1),
            [
                "  a b c d e f g h",
                "1 . . . . . . . .",
                "2 . . . . . . . .",
                "3 . . W B . . . .",
                "4 . . . W B . . .",
                "5 . . . B W . . .",
                "6 . . . . . . . .",
                "7 . . . . . . . .",
                "8 . . . . . . . .",
            ]
            .join("\n")
        );
    }
}
