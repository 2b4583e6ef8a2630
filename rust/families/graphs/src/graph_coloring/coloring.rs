//! The graph as a one-player game.

use super::{COLORS, Graph};
use kit::picture::{self, CELL, Ink, Picture, Place};
use kit::rules::{Action, Actions, Misread, Play, Playing, Rules, Turn};
use kit::task::form::Form as _;
use kit::task::problem::Problem as _;
use kit::words::Joined as _;

/// The nodes are colored one by one, in the order in which they are named. The state is the list of colors so
/// far; an action is the index of the next node's color in [`COLORS`].
///
/// The mask allows every color: the verdict at the end rejects an edge between two nodes of the same color.
#[derive(Clone)]
pub struct Coloring(Graph);

impl Coloring {
    pub fn play(graph: &Graph) -> Box<dyn Play> {
        Box::new(Playing::new(Self(graph.clone()), Vec::new()))
    }

    fn nodes(&self) -> usize {
        self.0.names.len()
    }
}

impl Rules for Coloring {
    type State = Vec<usize>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        COLORS.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.nodes() as u32
    }

    fn turn(&self, colors: &Vec<usize>) -> Turn {
        if colors.len() < self.nodes() { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, colors: &Vec<usize>) -> Actions {
        let open = if colors.len() < self.nodes() { self.actions() } else { 0 };
        (0..open).collect()
    }

    fn apply(&self, colors: &mut Vec<usize>, action: Action) {
        colors.push(action as usize);
    }

    fn returns(&self, colors: &Vec<usize>) -> [f32; 2] {
        let passed = self.turn(colors) == Turn::Over && self.0.broken(colors).next().is_none();
        [f32::from(u8::from(passed)), 0.0]
    }

    /// A line for each node: its color and its neighbors.
    fn show(&self, colors: &Vec<usize>, _player: u8) -> String {
        let line = |(node, name): (usize, &String)| {
            let color = match colors.get(node) {
                Some(color) => COLORS[*color],
                None if node == colors.len() => "next",
                None => "-",
            };
            let joined: Vec<&str> =
                self.0.neighbors(node).map(|other| self.0.names[other].as_str()).collect();
            format!("{name}: {color} (adjacent to {})", joined.join(", "))
        };
        self.0.names.iter().enumerate().map(line).lines()
    }

    /// Nodes on a circle, clockwise in the order in which they are named, with the next one yellow. An edge
    /// between two nodes of the same color is red.
    fn draw(&self, colors: &Vec<usize>, _player: u8) -> Picture {
        const RADIUS: u32 = 6 * CELL;
        const MIDDLE: Place = (10 * CELL, 7 * CELL);
        const INKS: [Ink; 3] = [Ink::Red, Ink::Green, Ink::Blue];
        let (nodes, right) = (self.nodes(), self.nodes().div_ceil(2));
        // In each half of the circle, nodes are spaced evenly from top to bottom, so that no name covers
        // another.
        let place = |node: usize| {
            let (at, of) = if node < right { (node, right) } else { (nodes - 1 - node, nodes - right) };
            let y = (2 * at as u32 + 1) * RADIUS / of as u32;
            let x = (y * (2 * RADIUS - y)).isqrt();
            let x = if node < right { MIDDLE.0 + x } else { MIDDLE.0 - x };
            (x, MIDDLE.1 - RADIUS + y)
        };
        let mut picture = Picture::new(14, 20);
        for [one, other] in &self.0.edges {
            let alike = colors.get(*one).is_some_and(|color| colors.get(*other) == Some(color));
            let (width, ink) = if alike { (1, Ink::Red) } else { (0, Ink::Grey) };
            picture.line(place(*one), place(*other), width, ink);
        }
        for (node, name) in self.0.names.iter().enumerate() {
            let (x, y) = place(node);
            let (rim, inner) = match colors.get(node) {
                Some(color) => (2, INKS[*color]),
                None if node == colors.len() => (3, Ink::Yellow),
                None => (2, Ink::White),
            };
            picture.spot((x, y), rim, if node < colors.len() { inner } else { Ink::Black });
            picture.spot((x, y), rim - 1, inner);
            let left = if node < right { x + 4 } else { x - 3 - picture::width(name, 2) };
            picture.label((left, y), 2, name, Ink::Black);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        COLORS[action as usize].to_owned()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let found = COLORS.iter().position(|color| color.eq_ignore_ascii_case(text.trim()));
        Ok(found.ok_or_else(|| Misread::not_a_move(text, "a move is red, green or blue"))? as Action)
    }

    fn why_illegal(&self, _colors: &Vec<usize>, _action: Action) -> String {
        "every node already has a color".to_owned()
    }

    /// A row for each node: its neighbors, then its color, then whether it is next.
    fn shape(&self) -> Vec<usize> {
        vec![self.nodes(), self.nodes() + COLORS.len() + 1]
    }

    fn observe(&self, colors: &Vec<usize>, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let (nodes, width) = (self.nodes(), self.nodes() + COLORS.len() + 1);
        for [one, other] in &self.0.edges {
            out[one * width + other] = 1.0;
            out[other * width + one] = 1.0;
        }
        for (node, color) in colors.iter().enumerate() {
            out[node * width + nodes + color] = 1.0;
        }
        if colors.len() < nodes {
            out[colors.len() * width + width - 1] = 1.0;
        }
    }

    fn answer(&self, colors: &Vec<usize>) -> Option<String> {
        (colors.len() == self.nodes()).then(|| self.0.form().write(colors))
    }
}
