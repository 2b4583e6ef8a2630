//! The field as a one-player game.

use super::{Field, HIDDEN};
use kit::picture::{Ink, Picture};
use kit::rules::{Action, Misread, Play, Playing, Rules, Turn};
use kit::shared::grid::Grid;
use kit::task::form::Form as _;
use kit::task::problem::Problem as _;
use kit::task::verdict::Verdict;

/// The player marks squares as certainly free and then stops, which is the last action and requires at least
/// one mark. No square is opened, so the marks are an answer.
#[derive(Clone)]
pub struct Marking(Field);

#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    listed: Vec<usize>,
    stopped: bool,
}

impl Marking {
    pub fn play(field: &Field) -> Box<dyn Play> {
        let start = Marked { listed: Vec::new(), stopped: false };
        Box::new(Playing::new(Self(field.clone()), start))
    }

    fn stop(&self) -> u32 {
        self.0.squares.cells().len() as u32
    }
}

impl Rules for Marking {
    type State = Marked;
    type Legal = Vec<Action>;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.stop() + 1
    }

    fn max_plies(&self) -> u32 {
        self.actions()
    }

    fn turn(&self, marked: &Marked) -> Turn {
        if self.legal(marked).is_empty() { Turn::Over } else { Turn::Player(0) }
    }

    fn legal(&self, marked: &Marked) -> Vec<Action> {
        if marked.stopped {
            return Vec::new();
        }
        let open = |square: &u32| {
            self.0.squares[*square as usize] == HIDDEN && !marked.listed.contains(&(*square as usize))
        };
        let squares = (0..self.stop()).filter(open);
        squares.chain((!marked.listed.is_empty()).then(|| self.stop())).collect()
    }

    fn apply(&self, marked: &mut Marked, action: Action) {
        if action == self.stop() {
            marked.stopped = true;
        } else {
            marked.listed.push(action as usize);
        }
    }

    fn returns(&self, marked: &Marked) -> [f32; 2] {
        [Verdict::from(self.0.judge(&marked.listed)).score, 0.0]
    }

    /// A marked square is shown as `+`.
    fn show(&self, marked: &Marked, _player: u8) -> String {
        let at = |square: usize| match self.0.squares[square] {
            _ if marked.listed.contains(&square) => "+".to_owned(),
            HIDDEN => "#".to_owned(),
            number => number.to_string(),
        };
        let signs = (0..self.0.squares.cells().len()).map(at).collect();
        Grid::<String>::new(self.0.size(), signs).draw(String::clone, |_| " ", |_| None)
    }

    /// A marked square has a green disc.
    fn draw(&self, marked: &Marked, _player: u8) -> Picture {
        const INKS: [Ink; 8] =
            [Ink::Blue, Ink::Green, Ink::Red, Ink::Black, Ink::Brown, Ink::Blue, Ink::Black, Ink::Grey];
        let size = self.0.size() as u32;
        let mut picture = Picture::new(size, size);
        for (square, number) in self.0.squares.cells().iter().enumerate() {
            let (row, column) = (square as u32 / size, square as u32 % size);
            match *number {
                HIDDEN => picture.cell(row, column, Ink::Grey),
                0 => {}
                number => {
                    picture.sign(row, column, number.to_string(), INKS[usize::from(number) - 1]);
                }
            }
            if marked.listed.contains(&square) {
                picture.ring(row, column, Ink::White, Ink::Green);
            }
        }
        picture.grid(Ink::White);
        picture
    }

    fn name_action(&self, action: Action) -> String {
        if action == self.stop() { "stop".to_owned() } else { self.0.squares.place(action as usize).short() }
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let text_lower = text.trim().to_ascii_lowercase();
        let found = (0..self.actions()).find(|action| self.name_action(*action) == text_lower);
        found.ok_or_else(|| Misread::not_a_move(text, "a move is like `r1c2`, or `stop`"))
    }

    fn why_illegal(&self, marked: &Marked, action: Action) -> String {
        match self.name_action(action) {
            name if name == "stop" => "no square has been marked".to_owned(),
            name if marked.listed.contains(&(action as usize)) => format!("{name} is already marked"),
            name => format!("{name} is not hidden"),
        }
    }

    /// A plane of hidden squares, one of marked ones, one of the numbers over eight.
    fn shape(&self) -> Vec<usize> {
        vec![3, self.0.size(), self.0.size()]
    }

    fn observe(&self, marked: &Marked, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let squares = self.0.squares.cells().len();
        for (square, number) in self.0.squares.cells().iter().enumerate() {
            out[square] = f32::from(u8::from(*number == HIDDEN));
            out[squares + square] = f32::from(u8::from(marked.listed.contains(&square)));
            out[2 * squares + square] = if *number == HIDDEN { 0.0 } else { f32::from(*number) / 8.0 };
        }
    }

    fn answer(&self, marked: &Marked) -> Option<String> {
        Some(self.0.form().write(&marked.listed))
    }
}
