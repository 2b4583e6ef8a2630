//! Python class of a problem played move by move, or a game in progress.

use numpy::{IxDyn, PyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use reasonenv::game::state::GameState;
use reasonenv::picture::Shape;
use reasonenv::rules::{self, Turn};

use crate::args::{self, Text, Whole, shown};
use crate::errors::InvalidAction;
use crate::gil::caught;

/// State of play: legal actions, a numeric observation, and moves by number or by name.
///
/// `observation()` is a float32 array of `shape`; `action_mask()` an int8 array of shape (`action_count`,).
#[pyclass(subclass, module = "reasonenv.arena")]
pub struct Play(pub Held);

/// Rows, columns and shapes of a picture.
type Drawing = (u32, u32, Vec<(&'static str, Vec<u32>, &'static str, String)>);

/// Problem or game in play.
pub enum Held {
    Problem(Box<dyn rules::Play>),
    Game(Box<dyn GameState>),
}

impl Held {
    fn play(&self) -> &dyn rules::Play {
        match self {
            Self::Problem(play) => play.as_ref(),
            Self::Game(state) => state.as_ref(),
        }
    }

    fn play_mut(&mut self) -> &mut dyn rules::Play {
        match self {
            Self::Problem(play) => play.as_mut(),
            Self::Game(state) => state.as_mut(),
        }
    }

    fn copied(&self) -> Self {
        match self {
            Self::Problem(play) => Self::Problem(play.boxed_clone()),
            Self::Game(state) => Self::Game(state.boxed_game_clone()),
        }
    }
}

impl Play {
    pub fn legal(&self) -> Vec<u32> {
        let mut legal = Vec::new();
        self.0.play().legal(&mut legal);
        legal
    }

    /// Read a player's number.
    fn player(&self, given: &Whole) -> PyResult<u8> {
        let last = self.0.play().players() - 1;
        Ok(given.within("player", 0, last.into())? as u8)
    }
}

#[pymethods]
impl Play {
    /// Size of the action space.
    #[getter]
    fn action_count(&self) -> u32 {
        self.0.play().actions()
    }

    /// Shape of `observation()`.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.0.play().shape()
    }

    /// Next move of a shortest solution from here; None if the play is over, if it is a game, or if the rules can't tell.
    #[getter]
    fn next_move(&self) -> PyResult<Option<u32>> {
        caught(|| self.0.play().next_move())
    }

    /// Player to move, or None when the play is over.
    #[getter]
    fn current_player(&self) -> Option<u8> {
        match self.0.play().turn() {
            Turn::Player(player) => Some(player),
            Turn::Chance | Turn::Over => None,
        }
    }

    /// True if the play is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.play().turn() == Turn::Over
    }

    /// One score per player once the play is over, else None.
    #[getter]
    fn returns(&self) -> Option<Vec<f32>> {
        self.is_over().then(|| self.0.play().returns())
    }

    /// Return the legal actions, in order.
    fn legal_actions(&self) -> Vec<u32> {
        self.legal()
    }

    /// Return an int8 array of shape (actions,): 1 for each legal action.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let mask = PyArray1::zeros(py, self.0.play().actions() as usize, false);
        {
            let mut row = mask.readwrite();
            self.0.play().mask(row.as_slice_mut()?);
        }
        Ok(mask)
    }

    /// Take a legal action, a whole number; raises InvalidAction naming the legal ones otherwise.
    fn apply(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = args::action("action", action)?;
        let legal = self.legal();
        if let Some(action) = u32::try_from(given).ok().filter(|given| legal.binary_search(given).is_ok()) {
            return caught(|| self.0.play_mut().apply(action));
        }
        let shown = shown(action);
        Err(InvalidAction::new_err(if legal.is_empty() {
            format!("action {shown}, but the play is over")
        } else {
            format!("action {shown} is not legal here; one of {legal:?} is")
        }))
    }

    /// Return a player's observation as a float32 array in [0, 1] of `shape`.
    #[pyo3(signature = (player=Whole::ZERO), text_signature = "($self, player=0)")]
    fn observation<'py>(&self, py: Python<'py>, player: Whole) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let player = self.player(&player)?;
        let seen = PyArray::zeros(py, IxDyn(&self.0.play().shape()), false);
        let mut row = seen.readwrite();
        let out = row.as_slice_mut()?;
        caught(|| self.0.play().observe(player, out))?;
        drop(row);
        Ok(seen)
    }

    /// Return a player's observation as text.
    #[pyo3(signature = (player=Whole::ZERO), text_signature = "($self, player=0)")]
    fn text(&self, player: Whole) -> PyResult<String> {
        let player = self.player(&player)?;
        caught(|| self.0.play().show(player))
    }

    /// Return the position as a person would draw it, as far as `player` may see it: rows and columns of cells, and
    /// shapes from bottom to top. Each shape has a kind, numbers in eighths of a cell, a color by name, and a text,
    /// which only the last two kinds use: ("rectangle", [left, top, width, height], …), ("disc", [x, y, radius], …),
    /// ("line", [x, y, to x, to y, width], …), ("label", [left, y, height], …), ("title", [middle, y, height], …). Text
    /// is centered vertically at y; each character takes three quarters of the height.
    #[pyo3(signature = (player=Whole::ZERO), text_signature = "($self, player=0)")]
    fn drawing(&self, player: Whole) -> PyResult<Drawing> {
        let player = self.player(&player)?;
        let picture = caught(|| self.0.play().draw(player))?;
        let shape = |shape: Shape| match shape {
            Shape::Rectangle { at, size, ink } => {
                ("rectangle", vec![at.0, at.1, size.0, size.1], ink.name(), String::new())
            }
            Shape::Disc { centre, radius, ink } => {
                ("disc", vec![centre.0, centre.1, radius], ink.name(), String::new())
            }
            Shape::Line { from, to, width, ink } => {
                ("line", vec![from.0, from.1, to.0, to.1, width], ink.name(), String::new())
            }
            Shape::Text { at, height, centred, text, ink } => {
                let kind = if centred { "title" } else { "label" };
                (kind, vec![at.0, at.1, height], ink.name(), text)
            }
        };
        Ok((picture.rows, picture.columns, picture.shapes.into_iter().map(shape).collect()))
    }

    /// Return the name of an action, such as "b2".
    fn action_name(&self, action: Whole) -> PyResult<String> {
        let last = self.0.play().actions() - 1;
        Ok(self.0.play().name_action(action.within("action", 0, last.into())? as u32))
    }

    /// Return the action that a text names; raises InvalidAction with the form of a name.
    fn read_action(&self, text: Text) -> PyResult<u32> {
        let text = text.read("text")?;
        caught(|| self.0.play().read_action(text))?.map_err(InvalidAction::new_err)
    }

    /// Return the answer that this play amounts to, once it is over.
    fn answer(&self) -> Option<String> {
        self.0.play().answer()
    }

    /// Return an independent copy.
    fn clone(&self) -> Self {
        Self(self.0.copied())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __repr__(&self) -> String {
        match self.current_player() {
            Some(player) => format!("<Play: player {player} to move, {} legal actions>", self.legal().len()),
            None => format!("<Play: over, returns {:?}>", self.0.play().returns()),
        }
    }
}
