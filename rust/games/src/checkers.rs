//! Checkers on boards of four, six and eight rows: captures are forced, men move forward, kings both ways.

use game::board::{Board, Cells, Ground, Layout, Moves, Piece, Place};
use game::prelude::*;
use game::retrograde::Retrograde;

pub struct Checkers;

params! {
    pub struct CheckersParams {
        /// Number of rows, and of columns.
        size: u32 [4 | 6 | 8, structure],
        /// Number of plies after which the game is a draw.
        plies: u32 [20..=300, structure],
    }
    default (8, 120)
}

static ABOUT: About = About {
    summary: "Jump over the opponent's men; also on 4x4 and 6x6.",
    players: ["O", "X"],
    variants: &["{}", r#"{"size": 4, "plies": 40}"#, r#"{"size": 6}"#],
    max_plies: 300,
    ..About::new("checkers", &["First version."])
};

impl GameFamily for Checkers {
    type Params = CheckersParams;
    type Game = Cells<Men>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &CheckersParams) -> Cells<Men> {
        Cells(Men::new(params.size, params.plies))
    }
}

/// A move, as bits of dark cells: `row * size / 2 + column / 2`, row 0 on top.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    from: u32,
    /// The cell that is jumped over, if any.
    over: u32,
    to: u32,
    up: bool,
}

#[derive(Debug)]
pub struct Men {
    size: u32,
    plies: u32,
    steps: Vec<Step>,
    places: Vec<Place>,
    /// The first action of each dark cell, whose actions follow each other, and their number at the end.
    first_of: Vec<usize>,
    exact: Exact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    of: [u32; 2],
    kings: u32,
    mover: u8,
    /// The piece that has to capture again, if any.
    again: u32,
    plies: u16,
}

/// The numbers of cells.
fn cells_of(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let cell = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(cell)
    })
}

impl Men {
    fn new(size: u32, plies: u32) -> Self {
        let dark = |row: u32, column: u32| 1_u32 << (row * (size / 2) + column / 2);
        let (mut steps, mut places, mut first_of) = (Vec::new(), Vec::new(), vec![0]);
        for (row, column) in Layout::new(size, size).cells().filter(|(row, column)| (row + column) % 2 == 1) {
            for (by, (down, right)) in
                [1, 2].into_iter().flat_map(|by| [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|way| (by, way)))
            {
                let to = (row.checked_add_signed(by * down), column.checked_add_signed(by * right));
                let (Some(r), Some(c)) = to else { continue };
                if r < size && c < size {
                    let over =
                        if by == 2 { dark(u32::midpoint(row, r), u32::midpoint(column, c)) } else { 0 };
                    steps.push(Step { from: dark(row, column), over, to: dark(r, c), up: down < 0 });
                    places.push(Place::FromTo((row, column), (r, c)));
                }
            }
            first_of.push(steps.len());
        }
        Self { size, plies, steps, places, first_of, exact: Exact::default() }
    }

    /// The actions of the men on some cells.
    fn steps_of(&self, men: u32) -> impl Iterator<Item = (Action, &Step)> {
        cells_of(men).flat_map(|cell| {
            let (first, end) = (self.first_of[cell as usize], self.first_of[cell as usize + 1]);
            (first as Action..).zip(&self.steps[first..end])
        })
    }

    /// Row `row` from the top.
    fn row(&self, row: u32) -> u32 {
        ((1 << (self.size / 2)) - 1) << (row * (self.size / 2))
    }

    /// The row where the men of a player become kings.
    fn goal(&self, player: u8) -> u32 {
        self.row(if player == 0 { 0 } else { self.size - 1 })
    }

    fn goes(state: &Position, step: &Step) -> bool {
        let (own, other) = (state.of[usize::from(state.mover)], state.of[usize::from(1 - state.mover)]);
        own & step.from != 0
            && (own | other) & step.to == 0
            && (step.over == 0 || other & step.over != 0)
            && (step.up == (state.mover == 0) || state.kings & step.from != 0)
    }

    fn moves(&self, state: &Position) -> Actions {
        let [mut steps, mut jumps] = [Actions::NONE; 2];
        let men = if state.again == 0 { state.of[usize::from(state.mover)] } else { state.again };
        for (action, step) in self.steps_of(men) {
            if Self::goes(state, step) {
                if step.over == 0 { steps.insert(action) } else { jumps.insert(action) }
            }
        }
        if jumps.is_empty() && state.again == 0 { steps } else { jumps }
    }

    fn is_few(&self, state: &Position) -> bool {
        self.size > 4 && (state.of[0] | state.of[1]).count_ones() <= Exact::FEW
    }
}

/// By table where the board is small or few men are left, else by search.
#[derive(Debug, Default)]
pub struct Exact {
    table: Retrograde,
    solver: Solver,
}

impl Exact {
    /// Most men of positions on large boards that the table has.
    const FEW: u32 = 3;
    /// Plies left from which on a search is faster.
    const LATE: u32 = 10;

    fn is_in_table(game: &Cells<Men>, state: &Position) -> bool {
        game.size == 4 || game.is_few(state) && Board::plies_left(&game.0, state) > Self::LATE
    }
}

impl Oracle<Cells<Men>> for Exact {
    fn values(
        &self,
        game: &Cells<Men>,
        state: &Position,
        budget: &mut Budget<'_>,
    ) -> Result<Values, Unsolved> {
        if Self::is_in_table(game, state) {
            return self.table.values(game, state, budget);
        }
        Ok(self.solver.values(game, state, budget)?)
    }
}

impl Board for Men {
    type State = Position;
    type Exact = Exact;

    const PIECES: &'static [Piece] = &[
        Piece::disc('c', Ink::Yellow),
        Piece::king('C', Ink::Yellow),
        Piece::king('O', Ink::White).of(0),
        Piece::king('X', Ink::Black).of(1),
        Piece::disc('o', Ink::White).of(0),
        Piece::disc('x', Ink::Black).of(1),
    ];
    const GROUND: Ground = Ground::Checkered(Ink::Paper, Ink::Brown);
    const MOVES: Moves = Moves::LISTED;
    const CLOCK: bool = true;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(self.size, self.size)
    }

    fn cells(&self, state: &Position, piece: usize) -> u128 {
        let mask = match piece {
            0 => state.again & !state.kings,
            1 => state.again & state.kings,
            2 | 3 => state.of[piece - 2] & state.kings,
            _ => state.of[piece - 4] & !state.kings,
        };
        let half = self.size / 2;
        let cell = |dark: u32| {
            dark / half * self.size + 2 * (dark % half) + u32::from((dark / half).is_multiple_of(2))
        };
        cells_of(mask).fold(0, |cells, dark| cells | 1 << cell(dark))
    }

    fn first(&self) -> Position {
        let rows = self.size / 2 - 1;
        let of =
            [self.size - rows..self.size, 0..rows].map(|rows| rows.fold(0, |men, row| men | self.row(row)));
        Position { of, kings: 0, mover: 0, again: 0, plies: 0 }
    }

    /// All positions of few men on large boards, none of which has just captured.
    fn roots(&self) -> Vec<Position> {
        if self.size == 4 {
            return vec![self.first()];
        }
        let cells = self.size * self.size / 2;
        let men = |cell: u32| {
            let bit = 1 << cell;
            let man = |player: u8| (usize::from(player), false, bit & !self.goal(player));
            [man(0), man(1), (0, true, bit), (1, true, bit)]
        };
        let mut open = vec![(0, Position { of: [0; 2], kings: 0, mover: 0, again: 0, plies: 0 })];
        let mut roots = Vec::new();
        while let Some((least, state)) = open.pop() {
            for mover in [0, 1] {
                let state = Position { mover, ..state };
                if self.mover(&state).is_some() && state.of[1 - usize::from(mover)] != 0 {
                    roots.push(state);
                }
            }
            if (state.of[0] | state.of[1]).count_ones() < Exact::FEW {
                for cell in least..cells {
                    for (player, king, bit) in men(cell).into_iter().filter(|(.., bit)| *bit != 0) {
                        let mut next = state;
                        next.of[player] |= bit;
                        next.kings |= if king { bit } else { 0 };
                        open.push((cell + 1, next));
                    }
                }
            }
        }
        roots
    }

    #[inline]
    fn mover(&self, state: &Position) -> Option<u8> {
        let over = u32::from(state.plies) == self.plies || self.moves(state).is_empty();
        (!over).then_some(state.mover)
    }

    #[inline]
    fn legal(&self, state: &Position) -> Actions {
        if u32::from(state.plies) == self.plies { Actions::NONE } else { self.moves(state) }
    }

    #[inline]
    fn apply(&self, state: &mut Position, action: Action) {
        let step = self.steps[action as usize];
        let player = usize::from(state.mover);
        state.of[player] ^= step.from | step.to;
        state.of[1 - player] &= !step.over;
        let crowned = state.kings & step.from == 0 && step.to & self.goal(state.mover) != 0;
        if crowned || state.kings & step.from != 0 {
            state.kings |= step.to;
        }
        state.kings &= !(step.from | step.over);
        state.plies += 1;
        state.again = 0;
        let on = |(_, next): (Action, &Step)| next.over != 0 && Self::goes(state, next);
        if step.over != 0 && !crowned && self.steps_of(step.to).any(on) {
            state.again = step.to;
        } else {
            state.mover ^= 1;
        }
    }

    /// A player who cannot move has lost.
    fn margin(&self, state: &Position) -> i32 {
        match (self.moves(state).is_empty(), state.mover) {
            (false, _) => 0,
            (true, 0) => -1,
            (true, _) => 1,
        }
    }

    fn max_plies(&self) -> u32 {
        self.plies
    }

    fn plies_left(&self, state: &Position) -> u32 {
        self.plies - u32::from(state.plies)
    }

    fn actions(&self) -> u32 {
        self.steps.len() as u32
    }

    fn place(&self, action: Action) -> Place {
        self.places[action as usize]
    }

    fn action(&self, place: Place) -> Option<Action> {
        self.places.iter().position(|other| *other == place).map(|action| action as Action)
    }

    fn role(&self, player: u8) -> String {
        let [own, other] = if player == 0 { ["o and O", "x and X"] } else { ["x and X", "o and O"] };
        let way = if player == 0 { "up" } else { "down" };
        format!("Your pieces are {own}, and your men move {way}; the opponent's are {other}.")
    }

    fn rules(&self) -> String {
        let (rows, last, plies) =
            (kit::words::count(u64::from(self.size / 2 - 1), "row"), self.size, self.plies);
        format!(
            "Pieces stand on dark cells only, of which a2 is one. At the start the first player has men (o) in the last \
             {rows} and moves them up, the second has men (x) in the first {rows} and moves them down; the first player \
             begins. A man moves diagonally forward to the next cell if it is free. If an opposing piece is there and \
             the cell behind it, in the same direction, is free, it jumps there instead and captures that piece, which \
             is taken off. A player who can capture must. A piece that has captured and can capture again from its new \
             cell must do so in another turn of the same player, before the opponent moves; it is then shown as c, or as \
             C if it is a king. A man that reaches the last row before it, row 1 going up or row {last} going down, \
             becomes a king (O or X), which ends the player's turn. Kings move and capture in all four diagonal \
             directions, one cell at a time. A player who is to move and cannot, or who has no pieces left, loses. After \
             {plies} turns, counting both players', the game is a draw."
        )
    }

    fn why_not(&self, state: &Position, action: Action, name: &str) -> String {
        let step = self.steps[action as usize];
        let (own, other) = (state.of[usize::from(state.mover)], state.of[usize::from(1 - state.mover)]);
        match () {
            () if own & step.from == 0 => format!("{name} does not begin at a piece of the player"),
            () if (own | other) & step.to != 0 => format!("{name} ends on a cell that is taken"),
            () if step.over != 0 && other & step.over == 0 => format!("{name} jumps over no opposing piece"),
            () if !Self::goes(state, &step) => format!("{name} goes backward, which only a king may"),
            () if state.again != 0 => {
                format!("{name} does not go on capturing with the piece that has just captured")
            }
            () => format!("{name} captures nothing, and the player can capture"),
        }
    }

    fn exact(&self) -> &Exact {
        &self.exact
    }

    fn key(&self, state: &Position) -> u128 {
        self.lasting_key(state) << 9 | u128::from(state.plies)
    }

    fn lasting_key(&self, state: &Position) -> u128 {
        let again = u128::from(state.again.checked_ilog2().map_or(0, |cell| cell + 1));
        let men = [state.of[0], state.of[1], state.kings]
            .into_iter()
            .fold(0, |key, men| key << 32 | u128::from(men));
        (men << 6 | again) << 1 | u128::from(state.mover)
    }

    /// Captures first, then moves that make a king.
    fn move_ordering(&self, state: &Position, action: Action) -> i32 {
        let step = self.steps[action as usize];
        2 * i32::from(step.over != 0) + i32::from(step.to & self.goal(state.mover) != 0)
    }

    fn solves_instantly(&self) -> bool {
        self.size == 4
    }

    fn solves_quickly(&self, state: &Position) -> bool {
        self.size == 4 || self.size == 6 && self.is_few(state) || Board::plies_left(self, state) <= 6
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.size > 4).then_some("a board of more than 16 cells is too large to be solved")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::played;

    fn checkers(size: u32, plies: u32) -> Cells<Men> {
        Cells(Men::new(size, plies))
    }

    fn why(game: &Cells<Men>, state: &Position, said: &str) -> String {
        game.why_illegal(state, game.read_action(said).unwrap())
    }

    #[test]
    fn captures_are_forced_and_go_on() {
        let game = checkers(8, 120);
        let state = played(&game, "c6-b5 f3-g4 e6-d5 d3-c4");
        assert_eq!(why(&game, &state, "a6-b7"), "a6-b7 ends on a cell that is taken");
        assert_eq!(why(&game, &state, "g6-h5"), "g6-h5 captures nothing, and the player can capture");
        assert_eq!(why(&game, &state, "b5-a4"), "b5-a4 captures nothing, and the player can capture");
        assert_eq!(why(&game, &state, "b3-c4"), "b3-c4 does not begin at a piece of the player");
        assert_eq!(why(&game, &state, "g6-e4"), "g6-e4 jumps over no opposing piece");
        assert_eq!(why(&game, &state, "b5-c6"), "b5-c6 goes backward, which only a king may");
        let names: Vec<_> = game.legal(&state).iter().map(|action| game.name_action(action)).collect();
        assert_eq!(names, ["b5-d3"]);
        assert_eq!(game.read_action("B5xD3"), game.read_action("b5-d3"));
        assert!(game.read_action("b5").unwrap_err().message.contains("is not a move of this game"));
        assert!(game.read_action("a9-b8").unwrap_err().message.contains("is not on the board"));
    }

    /// Search, which counts plies, and the table agree, however few plies are left.
    #[test]
    fn table_and_search_agree() {
        for (size, plies) in [(4, 12), (4, 13), (6, 60)] {
            let game = checkers(size, plies);
            let mut rng = kit::rng::Key::new("tests", 1, "checkers", 0, "").stream(0);
            let mut compared = 0;
            for _ in 0..60 {
                let mut state = game.first();
                while game.turn(&state) != Turn::Over {
                    if size == 4 || game.is_few(&state) && game.0.plies_left(&state) <= 8 {
                        let budget = &mut Budget::unlimited();
                        let table = game.exact.table.values(&game, &state, budget).unwrap();
                        assert_eq!(
                            table,
                            game.exact.solver.values(&game, &state, budget).unwrap(),
                            "{state:?}"
                        );
                        compared += 1;
                    }
                    let legal = game.legal(&state);
                    game.apply(&mut state, legal.nth(rng.below(legal.len().into()) as u32).unwrap());
                }
            }
            println!("{size}: {compared} positions");
            assert!(compared > 20, "{size}: {compared}");
        }
    }

    #[test]
    fn known_endings() {
        let clock = checkers(8, 300);
        // Two kings beat one in the open; one against one is a draw.
        let state = |of: [&[u32]; 2]| {
            let of = of.map(|cells| cells.iter().fold(0, |men, cell| men | 1 << cell));
            Position { of, kings: of[0] | of[1], mover: 0, again: 0, plies: 0 }
        };
        let best = |state| {
            let values = clock.values(&state, &mut Budget::unlimited()).unwrap();
            values.into_iter().map(|(_, value)| value.outcome).max().unwrap()
        };
        assert_eq!(best(state([&[13], &[31]])), 0);
        assert_eq!(best(state([&[13, 14], &[9]])), 1);
        println!("{:?}", clock.exact.table.positions(&clock, &mut Budget::unlimited()));
    }
}
