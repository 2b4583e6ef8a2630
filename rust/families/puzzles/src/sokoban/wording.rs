//! The puzzle in words.

use super::{NONE, Room, Squares};
use kit::task::plan::{Plan, Puzzle as _};
use kit::task::problem::Template;

pub const TEMPLATES: &[Template<Plan<Room>>] = &[
    Template::plain("sokoban", |room| {
        format!(
            "Solve this Sokoban puzzle. \"#\" is a wall, \"-\" floor, \"@\" the player, \"$\" a box, \".\" a goal, \"*\" a box \
             on a goal and \"+\" the player on a goal.\n\n{}\n\nA step goes one square up (U), down (D), left (L) or right \
             (R). Stepping onto a box pushes it one square on in the same direction, which must be free of walls and of \
             other boxes; boxes cannot be pulled. In the end every box must be on a goal. Use as few steps as \
             possible, whether they push or not.",
            room.picture(room.begin())
        )
    }),
    Template::plain("words", |room| {
        let squares = 0..(room.size() * room.size()) as u8;
        let goals = room.shorts(squares.clone().filter(|at| room.is_a_goal(*at)));
        let walls = room.drawn(Squares::new(NONE, []), ['1', '0', '0', '0', '0', '0', '0']);
        let boxes = room.shorts(room.boxes.iter().copied());
        let (things, end) = match room.boxes.len() {
            1 => (
                format!("The box is on {boxes}, and the marked square is {goals}"),
                "the box is on the marked square",
            ),
            _ => (
                format!("The boxes are on {boxes}, and the marked squares are {goals}"),
                "all boxes are on marked squares",
            ),
        };
        format!(
            "A warehouse seen from above, where 1 is a wall and 0 is floor:\n\n{walls}\n\nr2c3 means row 2 from the top and \
             column 3 from the left. A worker stands on {}. {things}. The worker \
             moves one square at a time: U (to the row above), D (to the row below), L (one column left) or R (one \
             column right). If there is a box on that square, it is pushed one square further in this direction, \
             provided that floor without a box lies there; otherwise the move is not allowed, nor is one into a wall. \
             Find a sequence of moves, as short as possible, after which {end}.",
            room.place(room.player).short()
        )
    }),
    Template::held_out_plain("ice", |room| {
        format!(
            "A tractor (T) is to push bales of hay (H) into sheds (s) on a yard fenced by posts (X):\n\n{}\n\nA \"_\" is \
             open ground, S a shed with a bale in it, and t the tractor in a shed. The tractor drives from square to \
             square: U is towards the top of the plan, D towards the bottom, L to the left and R to the right. A bale in \
             its way slides one square ahead of it; the tractor cannot move two bales at once, nor a bale against a post, \
             and it cannot pull. All bales belong in sheds, one in each. Which is the shortest drive, counted in squares?",
            room.drawn(room.begin(), ['X', '_', 's', 'H', 'S', 'T', 't'])
        )
    }),
];
