//! Ways over the squares of a square board, numbered in reading order.

use kit::shared::grid::{Place, Symmetry};

/// Names of the moves: up, down, left, right.
pub const LETTERS: [&str; 4] = ["U", "D", "L", "R"];

pub fn place(square: u16, side: usize) -> Place {
    Place::new(usize::from(square) / side, usize::from(square) % side)
}

/// The next square in this direction, if there is one.
pub fn next(square: u16, way: usize, side: usize) -> Option<u16> {
    let side = side as u16;
    match way {
        0 => square.checked_sub(side),
        1 => Some(square + side).filter(|next| *next < side * side),
        2 => (!square.is_multiple_of(side)).then(|| square - 1),
        _ => (square % side + 1 < side).then(|| square + 1),
    }
}

/// Reason why a move leads nowhere, as a clause.
pub fn why_not(square: u16, way: usize, side: usize) -> String {
    match next(square, way, side) {
        Some(next) => format!("{} is a wall", place(next, side).short()),
        None => format!("{} is at the edge", place(square, side).short()),
    }
}

/// The moves straight from one place to another, whatever is between them.
pub fn straight(from: Place, to: Place) -> Vec<usize> {
    let down = vec![usize::from(to.row > from.row); to.row.abs_diff(from.row)];
    let right = vec![2 + usize::from(to.column > from.column); to.column.abs_diff(from.column)];
    [down, right].concat()
}

/// Moves that each lead to the square nearest the goal, never back to one visited, until there is none.
pub fn toward<S: Copy>(
    start: S,
    goal: Place,
    step: impl Fn(S, usize) -> Option<S>,
    place: impl Fn(S) -> Place,
) -> Vec<usize> {
    let (mut state, mut way, mut visited) = (start, Vec::new(), vec![place(start)]);
    while place(state) != goal {
        let away = |place: Place| {
            let (down, right) = (place.row.abs_diff(goal.row), place.column.abs_diff(goal.column));
            (down + right, down.max(right))
        };
        let open = (0..4).filter_map(|way| Some((way, step(state, way)?)));
        let open = open.filter(|(_, next)| !visited.contains(&place(*next)));
        let Some((action, next)) = open.min_by_key(|(_, next)| away(place(*next))) else { break };
        way.push(action);
        visited.push(place(next));
        state = next;
    }
    way
}

/// The image of a board's rows under a symmetry.
pub fn turned_rows(rows: &[String], symmetry: Symmetry) -> Vec<String> {
    let side = rows.len();
    let mut turned = vec![vec!['#'; side]; side];
    for (square, sign) in rows.iter().flat_map(|row| row.chars()).enumerate() {
        let image = symmetry.image(square, side);
        turned[image / side][image % side] = sign;
    }
    turned.into_iter().map(String::from_iter).collect()
}

/// The image of a plan under a symmetry, up to a move off the board.
pub fn turned_plan(start: u16, plan: &[u8], side: usize, symmetry: Symmetry) -> Vec<u8> {
    let image = |square: u16| symmetry.image(square.into(), side) as u16;
    let mut square = start;
    let mut turned = Vec::new();
    for way in plan {
        let Some(ahead) = next(square, usize::from(*way), side) else { break };
        let way = (0..4).find(|way| next(image(square), *way, side) == Some(image(ahead)));
        turned.push(way.expect("neighbors stay neighbors") as u8);
        square = ahead;
    }
    turned
}
