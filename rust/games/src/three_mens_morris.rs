//! Three men's morris: three pieces each, a line of three wins, and pieces move once all are placed.

use game::board::{Board, Cells, Layout, Moves, Piece};
use game::prelude::*;
use game::retrograde::Retrograde;

pub struct ThreeMensMorris;

/// The cells to which a piece may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    /// To the next cell of its row or its column.
    Orthogonal,
    /// To any of the cells around it.
    King,
    /// To any cell.
    Anywhere,
}

params! {
    pub struct ThreeMensMorrisParams {
        /// Cells to which a piece may move, if they are free.
        steps: Steps [structure],
        /// Number of plies after which the game is a draw.
        plies: u32 [10..=200, structure],
    }
    default (Steps::Orthogonal, 60)
}

static ABOUT: About = About {
    summary: "Get three pieces in a row, first by placing and then by moving them.",
    players: ["X", "O"],
    variants: &["{}", r#"{"steps": "king"}"#, r#"{"steps": "anywhere"}"#],
    value: Some(1.0),
    tactics: true,
    max_plies: 200,
    ..About::new("three_mens_morris", &["First version."])
};

impl GameFamily for ThreeMensMorris {
    type Params = ThreeMensMorrisParams;
    type Game = Cells<Pieces>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ThreeMensMorrisParams) -> Cells<Pieces> {
        Cells(Pieces::new(params.clone()))
    }
}

const SIZE: u32 = 3;
const CELLS: u32 = SIZE * SIZE;
const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

#[derive(Debug)]
pub struct Pieces {
    params: ThreeMensMorrisParams,
    /// Cells that can be reached from each.
    near: [u16; CELLS as usize],
    table: Retrograde,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    of: [u16; 2],
    plies: u8,
}

impl Position {
    /// The players alternate; player 0 begins.
    fn mover(self) -> usize {
        usize::from(self.plies & 1)
    }

    fn free(self) -> u16 {
        0o777 & !(self.of[0] | self.of[1])
    }
}

pub fn has_line(pieces: u16) -> bool {
    LINES.iter().any(|line| pieces & line == *line)
}

impl Pieces {
    fn new(params: ThreeMensMorrisParams) -> Self {
        let far = |a: u32, b: u32| (a / SIZE).abs_diff(b / SIZE).max((a % SIZE).abs_diff(b % SIZE));
        let steps = |a: u32, b: u32| (a / SIZE).abs_diff(b / SIZE) + (a % SIZE).abs_diff(b % SIZE);
        let goes = |a, b| match params.steps {
            Steps::Orthogonal => steps(a, b) == 1,
            Steps::King => far(a, b) == 1,
            Steps::Anywhere => true,
        };
        let near = std::array::from_fn(|from| {
            (0..CELLS).filter(|&to| goes(from as u32, to)).fold(0, |cells, to| cells | 1 << to)
        });
        Self { params, near, table: Retrograde::default() }
    }
}

impl Board for Pieces {
    type State = Position;
    type Exact = Retrograde;

    const PIECES: &'static [Piece] = &[Piece::disc('X', Ink::Red).of(0), Piece::disc('O', Ink::Blue).of(1)];
    const MOVES: Moves = Moves::FROM_TO;
    const CLOCK: bool = true;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(SIZE, SIZE)
    }

    #[inline]
    fn cells(&self, state: &Position, piece: usize) -> u128 {
        state.of[piece].into()
    }

    fn first(&self) -> Position {
        Position::default()
    }

    #[inline]
    fn mover(&self, state: &Position) -> Option<u8> {
        let mover = state.mover();
        let over = has_line(state.of[1 - mover])
            || u32::from(state.plies) == self.params.plies
            || self.moves(*state).is_empty();
        (!over).then_some(mover as u8)
    }

    #[inline]
    fn legal(&self, state: &Position) -> Actions {
        match self.mover(state) {
            None => Actions::NONE,
            Some(_) => self.moves(*state),
        }
    }

    #[inline]
    fn apply(&self, state: &mut Position, action: Action) {
        let own = &mut state.of[state.plies as usize & 1];
        if action < CELLS {
            *own |= 1 << action;
        } else {
            let (from, to) = ((action - CELLS) / CELLS, (action - CELLS) % CELLS);
            *own ^= 1 << from | 1 << to;
        }
        state.plies += 1;
    }

    /// A player who cannot move has lost.
    fn margin(&self, state: &Position) -> i32 {
        let mover = state.mover();
        let lost = has_line(state.of[1 - mover]) || self.moves(*state).is_empty();
        match (lost, mover) {
            (false, _) => 0,
            (true, 0) => -1,
            (true, _) => 1,
        }
    }

    fn plies_left(&self, state: &Position) -> u32 {
        self.params.plies - u32::from(state.plies)
    }

    fn rules(&self) -> String {
        let to = match self.params.steps {
            Steps::Orthogonal => "a free cell next to it in its row or column",
            Steps::King => "a free cell next to it, in any direction",
            Steps::Anywhere => "any free cell",
        };
        let plies = self.params.plies;
        format!(
            "The players take turns; X begins. In their first three turns, each places a piece on a free cell. After \
             that, a player moves one of their own pieces to {to}. Whoever has three pieces in a row, a column or a \
             diagonal wins at once. A player who cannot move loses. After {plies} turns, counting both players', the \
             game is a draw."
        )
    }

    fn why_not(&self, state: &Position, action: Action, name: &str) -> String {
        let placing = state.plies < 6;
        let (from, to) = (action.saturating_sub(CELLS) / CELLS, action % CELLS);
        match (placing, action < CELLS) {
            (true, _) => format!("{name} moves a piece before all are placed"),
            (false, true) => "all pieces are placed; name a piece's cell and the one it goes to".to_owned(),
            _ if state.of[state.mover()] >> from & 1 == 0 => {
                format!("{name} does not begin at a piece of the player")
            }
            _ if state.free() >> to & 1 == 0 => format!("{name} ends on a cell that is taken"),
            _ => format!("{name} is too far"),
        }
    }

    fn exact(&self) -> &Retrograde {
        &self.table
    }

    fn key(&self, state: &Position) -> u128 {
        self.value_key(state) << 8 | u128::from(state.plies)
    }

    /// Whatever the plies that are left.
    fn value_key(&self, state: &Position) -> u128 {
        let moved = u128::from(state.plies.min(6 + (state.plies & 1)));
        moved << 18 | u128::from(state.of[0]) << 9 | u128::from(state.of[1])
    }

    fn solves_instantly(&self) -> bool {
        true
    }
}

impl Pieces {
    #[inline]
    fn moves(&self, state: Position) -> Actions {
        let free = state.free();
        if state.plies < 6 {
            return Actions::from_bits(free.into());
        }
        let own = state.of[state.mover()];
        let mut moves = Actions::NONE;
        for from in (0..CELLS).filter(|from| own >> from & 1 == 1) {
            let to = self.near[from as usize] & free;
            for to in (0..CELLS).filter(|cell| to >> cell & 1 == 1) {
                moves.insert(CELLS + CELLS * from + to);
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn morris(steps: Steps, plies: u32) -> Cells<Pieces> {
        Cells(Pieces::new(ThreeMensMorrisParams::new(steps, plies)))
    }

    #[test]
    fn values_are_the_known_ones() {
        for (steps, outcome) in [(Steps::Orthogonal, 1), (Steps::King, 0), (Steps::Anywhere, 0)] {
            let game = morris(steps, 60);
            let values = game.values(&game.first(), &mut Budget::unlimited()).unwrap();
            let count = game.table.positions(&game, &mut Budget::unlimited()).unwrap();
            println!("{steps:?}: {count} positions; {values:?}");
            let best = values.iter().map(|(_, value)| value.outcome).max();
            assert_eq!(best, Some(outcome), "{steps:?}");
        }
        let game = morris(Steps::Orthogonal, 60);
        let values = game.values(&game.first(), &mut Budget::unlimited()).unwrap();
        let won: Vec<_> = values.iter().filter(|(_, value)| value.outcome > 0).collect();
        assert_eq!((won.len(), game.name_action(won[0].0), won[0].1.distance), (1, "b2".to_owned(), Some(9)));
    }

    #[test]
    fn reasons_say_what_is_wrong_with_a_move() {
        let game = morris(Steps::Orthogonal, 60);
        let mut state = game.first();
        let why = |state: &Position, text| game.why_illegal(state, game.read_action(text).unwrap());
        assert_eq!(why(&state, "a1-a2"), "a1-a2 moves a piece before all are placed");
        for said in ["a1", "b1", "b2", "a2", "c1", "c3"] {
            game.apply(&mut state, game.read_action(said).unwrap());
        }
        assert_eq!(why(&state, "a3"), "all pieces are placed; name a piece's cell and the one it goes to");
        assert_eq!(why(&state, "b1-a1"), "b1-a1 does not begin at a piece of the player");
        assert_eq!(why(&state, "c1-c3"), "c1-c3 ends on a cell that is taken");
        assert_eq!(why(&state, "b2-c1"), "b2-c1 ends on a cell that is taken");
        assert_eq!(why(&state, "a1-a3"), "a1-a3 is too far");
    }

    /// A search that counts plies and the table agree, however few plies are left.
    #[test]
    fn table_and_search_agree_up_to_the_limit() {
        for (steps, plies) in [(Steps::Orthogonal, 10), (Steps::King, 11), (Steps::Anywhere, 10)] {
            let game = morris(steps, plies);
            let mut rng = kit::rng::Key::new("tests", 1, "morris", 0, "").stream(0);
            for _ in 0..20 {
                let mut state = game.first();
                while game.turn(&state) != Turn::Over {
                    if state.plies >= 4 {
                        for (action, value) in game.values(&state, &mut Budget::unlimited()).unwrap() {
                            let plies = i32::from(value.outcome) * value.distance.unwrap_or(0) as i32;
                            assert_eq!(plies, searched(&game, state, action), "{state:?} {action}");
                        }
                    }
                    let legal = game.legal(&state);
                    let action = legal.nth(rng.below(u64::from(legal.len())) as u32).unwrap();
                    game.apply(&mut state, action);
                }
            }
        }
    }

    /// Plies to the end after a move of the player to move, negative if that is lost, 0 for a draw.
    fn searched(game: &Cells<Pieces>, state: Position, action: Action) -> i32 {
        let mut next = state;
        game.apply(&mut next, action);
        if game.turn(&next) == Turn::Over {
            let won = game.returns(&next)[state.mover()] as i32;
            return won;
        }
        let replies = game.legal(&next).iter().map(|reply| searched(game, next, reply));
        // A fast win ranks highest, then a slow one, a draw, a slow loss and a fast one.
        let reply = replies.max_by_key(|plies| plies.signum() * 1_000 - plies).unwrap();
        -reply - reply.signum()
    }
}
