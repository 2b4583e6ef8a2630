//! The graph as a game of one player.

use super::{COLOURS, Graph};
use kit::picture::{self, CELL, Ink, Picture, Place};
use kit::rules::{Action, Actions, Misread, Play, Playing, Rules, Turn};
use kit::task::form::Form as _;
use kit::task::problem::Problem as _;
use kit::words::Joined as _;

/// The nodes coloured one by one, in the order in which they are named. The state is the colours so far; an action
/// is the place of the next node's colour among [`COLOURS`].
///
/// The mask closes nothing: an edge between two nodes of one colour is what the judge refuses at the end.
#[derive(Clone)]
pub struct Colouring(Graph);

impl Colouring {
    pub fn play(graph: &Graph) -> Box<dyn Play> {
        Box::new(Playing::new(Self(graph.clone()), Vec::new()))
    }

    fn nodes(&self) -> usize {
        self.0.names.len()
    }
}

impl Rules for Colouring {
    type State = Vec<usize>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        COLOURS.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.nodes() as u32
    }

    fn turn(&self, colours: &Vec<usize>) -> Turn {
        if colours.len() < self.nodes() { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, colours: &Vec<usize>) -> Actions {
        let open = if colours.len() < self.nodes() { self.actions() } else { 0 };
        (0..open).collect()
    }

    fn apply(&self, colours: &mut Vec<usize>, action: Action) {
        colours.push(action as usize);
    }

    fn returns(&self, colours: &Vec<usize>) -> [f32; 2] {
        let passed = self.turn(colours) == Turn::Over && self.0.broken(colours).next().is_none();
        [f32::from(u8::from(passed)), 0.0]
    }

    /// A line for each node: its colour, and which nodes it is joined to.
    fn show(&self, colours: &Vec<usize>, _player: u8) -> String {
        let line = |(node, name): (usize, &String)| {
            let colour = match colours.get(node) {
                Some(colour) => COLOURS[*colour],
                None if node == colours.len() => "next",
                None => "-",
            };
            let joined: Vec<&str> =
                self.0.neighbours(node).map(|other| self.0.names[other].as_str()).collect();
            format!("{name}: {colour} (joined to {})", joined.join(", "))
        };
        self.0.names.iter().enumerate().map(line).lines()
    }

    /// Nodes on a circle, clockwise in the order in which they are named, the next one yellow. An edge between two
    /// nodes of one colour is red.
    fn draw(&self, colours: &Vec<usize>, _player: u8) -> Picture {
        const RADIUS: u32 = 6 * CELL;
        const MIDDLE: Place = (10 * CELL, 7 * CELL);
        const INKS: [Ink; 3] = [Ink::Red, Ink::Green, Ink::Blue];
        let (nodes, right) = (self.nodes(), self.nodes().div_ceil(2));
        // Each half of the circle has its nodes at equal steps from top to bottom, so that no name covers another.
        let place = |node: usize| {
            let (at, of) = if node < right { (node, right) } else { (nodes - 1 - node, nodes - right) };
            let y = (2 * at as u32 + 1) * RADIUS / of as u32;
            let x = (y * (2 * RADIUS - y)).isqrt();
            let x = if node < right { MIDDLE.0 + x } else { MIDDLE.0 - x };
            (x, MIDDLE.1 - RADIUS + y)
        };
        let mut picture = Picture::new(14, 20);
        for [one, other] in &self.0.edges {
            let alike = colours.get(*one).is_some_and(|colour| colours.get(*other) == Some(colour));
            let (width, ink) = if alike { (1, Ink::Red) } else { (0, Ink::Grey) };
            picture.line(place(*one), place(*other), width, ink);
        }
        for (node, name) in self.0.names.iter().enumerate() {
            let (x, y) = place(node);
            let (rim, inner) = match colours.get(node) {
                Some(colour) => (2, INKS[*colour]),
                None if node == colours.len() => (3, Ink::Yellow),
                None => (2, Ink::White),
            };
            picture.spot((x, y), rim, if node < colours.len() { inner } else { Ink::Black });
            picture.spot((x, y), rim - 1, inner);
            let left = if node < right { x + 4 } else { x - 3 - picture::width(name, 2) };
            picture.label((left, y), 2, name, Ink::Black);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        COLOURS[action as usize].to_owned()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let found = COLOURS.iter().position(|colour| colour.eq_ignore_ascii_case(text.trim()));
        Ok(found.ok_or_else(|| Misread::not_a_move(text, "a move is red, green or blue"))? as Action)
    }

    fn why_illegal(&self, _colours: &Vec<usize>, _action: Action) -> String {
        "all nodes have a colour".to_owned()
    }

    /// A row for each node: which others it is joined to, then its colour, then whether it is next.
    fn shape(&self) -> Vec<usize> {
        vec![self.nodes(), self.nodes() + COLOURS.len() + 1]
    }

    fn observe(&self, colours: &Vec<usize>, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let (nodes, width) = (self.nodes(), self.nodes() + COLOURS.len() + 1);
        for [one, other] in &self.0.edges {
            out[one * width + other] = 1.0;
            out[other * width + one] = 1.0;
        }
        for (node, colour) in colours.iter().enumerate() {
            out[node * width + nodes + colour] = 1.0;
        }
        if colours.len() < nodes {
            out[colours.len() * width + width - 1] = 1.0;
        }
    }

    fn answer(&self, colours: &Vec<usize>) -> Option<String> {
        (colours.len() == self.nodes()).then(|| self.0.form().write(colours))
    }
}
