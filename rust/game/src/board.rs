//! Games with pieces on the cells of a board: a game says where its pieces are and which moves there are; text,
//! picture, names, reading, refusals, observations and keys follow from that.

use std::fmt;
use std::ops::Deref;

use crate::game::Game;
use crate::search::Oracle;
use crate::value::{Objective, Optimality, Unsolved, Values};
use kit::budget::Budget;
use kit::picture::{Ink, Picture};
use kit::rng::Rng;
use kit::rules::{Action, Actions, Misread, Rules, Turn};
use kit::words;

mod layout;
mod moves;
mod piece;

pub use layout::Layout;
pub use moves::{Moves, Place};
pub use piece::{Ground, Piece};

/// Game of two players with pieces on the cells of a board, everything in sight.
pub trait Board: Sized + Send + Sync + 'static {
    type State: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    type Exact: Oracle<Cells<Self>>;

    /// Kinds of pieces. A piece shown in a cell hides those after it.
    const PIECES: &'static [Piece];
    const MOVES: Moves;
    /// The ground of the picture, below the pieces.
    const GROUND: Ground = Ground::Grid(Ink::Paper, Ink::Grey);
    const OBJECTIVE: Objective = Objective::Distance;
    /// True if a number of plies ends the game: the text tells how many are left, and one more plane their share.
    const CLOCK: bool = false;

    fn layout(&self) -> Layout;
    /// Cells with a piece of a kind, as bits of [`Layout::bit`].
    fn cells(&self, state: &Self::State, piece: usize) -> u128;

    fn first(&self) -> Self::State;
    fn start(&self, _rng: &mut Rng) -> Self::State {
        self.first()
    }
    /// States from which all follow that a table of values has.
    fn roots(&self) -> Vec<Self::State> {
        vec![self.first()]
    }
    /// Player to move, until the game is over.
    fn mover(&self, state: &Self::State) -> Option<u8>;
    /// Legal moves; none once the game is over.
    fn legal(&self, state: &Self::State) -> Actions;
    fn apply(&self, state: &mut Self::State, action: Action);
    /// Player 0's margin once the game is over.
    fn margin(&self, state: &Self::State) -> i32;
    /// Upper bound on the plies that follow a state that is not over.
    fn plies_left(&self, state: &Self::State) -> u32;
    /// Rules beyond the size of the board, its names and the form of a move.
    fn rules(&self) -> String;
    /// Reason why the move of this name is illegal although its cell is free, as a clause.
    fn why_not(&self, _state: &Self::State, _action: Action, name: &str) -> String {
        format!("{name} is not allowed")
    }
    /// The source of exact values.
    fn exact(&self) -> &Self::Exact;

    /// Size of the action space.
    fn actions(&self) -> u32 {
        Self::MOVES.count(self.layout())
    }
    fn max_plies(&self) -> u32 {
        self.plies_left(&self.first())
    }
    /// The place of an action; override together with [`Board::action`].
    fn place(&self, action: Action) -> Place {
        Self::MOVES.place(self.layout(), action)
    }
    /// The action at a place on the board, if there is one.
    fn action(&self, place: Place) -> Option<Action> {
        Self::MOVES.action(self.layout(), place)
    }
    /// The action of passing.
    fn pass(&self) -> Action {
        Self::MOVES.pass(self.layout())
    }
    fn role(&self, player: u8) -> String {
        let of = |player: u8| Self::PIECES.iter().find(|piece| piece.owner == Some(player)).map(|p| p.letter);
        match (of(player), of(1 - player)) {
            (Some(own), Some(other)) => format!("You are {own}, the opponent is {other}."),
            _ => "You and the opponent move the same pieces.".to_owned(),
        }
    }
    /// Key that differs for any two states in which a player may have to move.
    fn key(&self, state: &Self::State) -> u128 {
        let bits = self.layout().bits();
        assert!(Self::PIECES.len() as u32 * bits < 128, "this board needs a key of its own");
        let mover = u128::from(self.mover(state).unwrap_or(0));
        (0..Self::PIECES.len()).fold(mover, |key, piece| key << bits | self.cells(state, piece))
    }
    /// Key that determines the value to the player to move.
    fn value_key(&self, state: &Self::State) -> u128 {
        self.key(state)
    }
    /// The same without the number of plies that are left.
    fn lasting_key(&self, state: &Self::State) -> u128 {
        self.value_key(state)
    }
    fn move_ordering(&self, _state: &Self::State, _action: Action) -> i32 {
        0
    }
    fn unsolvable_reason(&self) -> Option<&'static str> {
        None
    }
    fn solves_instantly(&self) -> bool {
        false
    }
    fn solves_quickly(&self, state: &Self::State) -> bool {
        const PLIES: u32 = 8;
        self.solves_instantly() || self.plies_left(state) <= PLIES
    }
}

/// The game of a board.
#[derive(Debug)]
pub struct Cells<B>(pub B);

impl<B> Deref for Cells<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.0
    }
}

impl<B: Board> Cells<B> {
    fn taken(&self, state: &B::State) -> u128 {
        (0..B::PIECES.len()).fold(0, |taken, piece| taken | self.0.cells(state, piece))
    }

    /// Planes of an observation: each player's pieces, the observer's first, then those of both.
    #[inline]
    fn planes(player: u8) -> impl Iterator<Item = usize> {
        let of = |owner: Option<u8>| {
            (0..B::PIECES.len()).filter(move |&at| B::PIECES[at].owner == owner && B::PIECES[at].observed)
        };
        of(Some(player)).chain(of(Some(1 - player))).chain(of(None))
    }
}

impl<B: Board> Rules for Cells<B> {
    type State = B::State;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        self.0.actions()
    }

    fn max_plies(&self) -> u32 {
        self.0.max_plies()
    }

    #[inline]
    fn turn(&self, state: &B::State) -> Turn {
        self.0.mover(state).map_or(Turn::Over, Turn::Player)
    }

    #[inline]
    fn legal(&self, state: &B::State) -> Actions {
        self.0.legal(state)
    }

    #[inline]
    fn apply(&self, state: &mut B::State, action: Action) {
        self.0.apply(state, action);
    }

    #[inline]
    fn returns(&self, state: &B::State) -> [f32; 2] {
        let first = self.0.margin(state).signum() as f32;
        [first, -first]
    }

    fn show(&self, state: &B::State, _player: u8) -> String {
        let pieces = B::PIECES.iter().enumerate();
        let pieces: Vec<_> = pieces.map(|(at, piece)| (self.0.cells(state, at), piece.letter)).collect();
        let board = self.0.layout().text(&B::MOVES, &pieces);
        if B::CLOCK { format!("{board}\n\nTurns left: {}", self.0.plies_left(state)) } else { board }
    }

    fn draw(&self, state: &B::State, _player: u8) -> Picture {
        let layout = self.0.layout();
        let mut picture = B::GROUND.picture(layout);
        for (at, piece) in B::PIECES.iter().enumerate().rev() {
            let cells = self.0.cells(state, at);
            picture.shapes.reserve(2 * cells.count_ones() as usize);
            for (row, column) in layout.cells() {
                if cells >> layout.bit(row, column) & 1 == 1 {
                    piece.draw(&mut picture, layout.centre(row, column));
                }
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        self.0.place(action).name(self.0.layout())
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let layout = self.0.layout();
        let place = B::MOVES.read(text);
        let place = place.ok_or_else(|| Misread::not_a_move(text, B::MOVES.form(layout)))?;
        if !place.is_on(layout) {
            return Err(Misread::off_board(text, B::MOVES.extent(layout)));
        }
        self.0.action(place).ok_or_else(|| Misread::not_a_move(text, B::MOVES.form(layout)))
    }

    fn why_illegal(&self, state: &B::State, action: Action) -> String {
        let layout = self.0.layout();
        let place = self.0.place(action);
        let legal = self.0.legal(state);
        match place {
            Place::Pass => "a player who has another move may not pass".to_owned(),
            Place::Cell(row, column)
                if B::MOVES.fills() && self.taken(state) >> layout.bit(row, column) & 1 == 1 =>
            {
                format!("{} is taken", place.name(layout))
            }
            _ if B::MOVES.may_pass() && legal == Actions::only(self.0.pass()) => {
                "a player who has no other move must pass".to_owned()
            }
            _ => self.0.why_not(state, action, &place.name(layout)),
        }
    }

    fn shape(&self) -> Vec<usize> {
        let layout = self.0.layout();
        let planes = Self::planes(0).count() + usize::from(B::CLOCK);
        vec![planes, layout.rows as usize, layout.columns as usize]
    }

    #[inline]
    fn observe(&self, state: &B::State, player: u8, out: &mut [f32]) {
        let layout = self.0.layout();
        let cells = (layout.rows * layout.columns) as usize;
        for (out, piece) in out.chunks_exact_mut(cells).zip(Self::planes(player)) {
            layout.spread(self.0.cells(state, piece), out);
        }
        if B::CLOCK {
            let left = self.0.plies_left(state) as f32 / self.0.max_plies() as f32;
            out[cells * Self::planes(0).count()..].fill(left);
        }
    }
}

impl<B: Board> Game for Cells<B> {
    fn plies_left(&self, state: &B::State) -> u32 {
        self.0.mover(state).map_or(0, |_| self.0.plies_left(state))
    }

    fn start(&self, rng: &mut Rng) -> B::State {
        self.0.start(rng)
    }

    fn roots(&self) -> Vec<B::State> {
        self.0.roots()
    }

    fn role_text(&self, player: u8) -> String {
        self.0.role(player)
    }

    fn rules(&self) -> String {
        let layout = self.0.layout();
        let [rows, columns] =
            [(layout.rows, "row"), (layout.columns, "column")].map(|(n, of)| words::count(n, of));
        let names = B::MOVES.names(layout);
        format!("The board has {rows} and {columns}. {names}{} {}", self.0.rules(), B::MOVES.sentence(layout))
    }

    fn key(&self, state: &B::State, _player: u8) -> u128 {
        self.0.key(state)
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        self.0.unsolvable_reason()
    }

    fn solves_instantly(&self) -> bool {
        self.0.solves_instantly()
    }

    fn solves_quickly(&self, state: &B::State) -> bool {
        self.0.solves_quickly(state)
    }

    fn values(&self, state: &B::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        self.0.exact().values(self, state, budget)
    }

    fn outcomes(&self, state: &B::State, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        self.0.exact().outcomes(self, state, budget)
    }

    fn best(
        &self,
        state: &B::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        self.0.exact().best(self, state, optimality, budget)
    }

    fn objective(&self) -> Objective {
        B::OBJECTIVE
    }

    #[inline]
    fn margin(&self, state: &B::State) -> i32 {
        self.0.margin(state)
    }

    #[inline]
    fn move_ordering(&self, state: &B::State, action: Action) -> i32 {
        self.0.move_ordering(state, action)
    }

    #[inline]
    fn value_key(&self, state: &B::State) -> u128 {
        self.0.value_key(state)
    }

    #[inline]
    fn lasting_key(&self, state: &B::State) -> u128 {
        self.0.lasting_key(state)
    }
}
