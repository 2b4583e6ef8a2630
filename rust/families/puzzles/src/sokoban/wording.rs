//! The puzzle in words.

use super::{NONE, Room, Squares};
use kit::shape::plan::Puzzle as _;
use kit::task::problem::{Prompt, Slots};
use kit::words;

pub const PROMPTS: &[Prompt] = &[
    Prompt::new(
        "sokoban",
        "Solve this Sokoban puzzle. \"#\" is a wall, \"-\" is floor, \"@\" is the player, \"$\" is a box and \".\" is a \
         goal. A \"*\" is a box that is on a goal, and a \"+\" is the player standing on a goal.\n\n{room}\n\nIn each \
         step the player moves one square up (U), down (D), left (L) or right (R), but never into a wall. If there is a \
         box on that square, the player pushes it one square further in the same direction, which is possible only if \
         there is neither a wall nor another box behind it. Boxes cannot be pulled. The puzzle is solved when every box \
         is on a goal. Use as few steps as possible, counting all steps, whether they push a box or not. If there are \
         several shortest solutions, any of them will do.",
    ),
    Prompt::new(
        "words",
        "This is the floor plan of a small warehouse, where 1 is a wall and 0 is floor:\n\n{walls}\n\nA worker is \
         standing at {player}. {one?The box is at {boxes}, and the square marked for it is {goals}|The boxes are at {boxes}, and the squares marked for them are {goals}}. (Here, r2c3 means the square in row 2 from the top and column 3 from the \
         left.) The worker can walk one square at a time, up (U), down (D), left (L) or right (R) on the plan. Walking \
         into a box pushes it one square ahead, but he is not strong enough to push two boxes at once, he can't pull a \
         box, and nothing goes through walls. Find the shortest walk after which {one?the box is on the marked square|each marked square has a box on it (it does not matter which box goes where)}. Any walk with the fewest \
         possible steps counts as right.",
    ),
    Prompt::new(
        "message",
        "I built a little level for a box-pushing game and want to know how quickly it can be \
         beaten:\n\n{crates}\n\nThe symbols: % is a wall, a dot is floor, o is a crate, x is a target, and P is you. If \
         you start on a target, you're shown as p, and a crate that's already on a target is shown as O. You move one \
         tile at a time: U, D, L or R, for up, down, left and right on the map. Walls stop you. When you move into a \
         crate, it slides one tile ahead of you, unless there's a wall or another crate in the way; then you can't make \
         that move at all. There's no pulling. You win as soon as every crate is on a target. Can you find a solution \
         with the fewest possible moves? If there's a tie, just pick one.",
    ),
    Prompt::held_out(
        "tractor",
        "A farmer drives a tractor (T) around a yard that is fenced in by posts (X). Her job is to push every bale of \
         hay (H) into a shed (s); each shed has room for one bale. This is the yard as seen from above:\n\n{yard}\n\nA \
         _ is open ground, an S is a shed with a bale in it, and a t is the tractor inside a shed. The tractor drives \
         one square at a time: U is toward the top of the map, D toward the bottom, L to the left and R to the right. \
         When it drives at a bale, the bale moves one square ahead of it. The tractor cannot push two bales at once, it \
         cannot push a bale into a post, it cannot pull, and it cannot drive through posts. Find the shortest drive, in \
         squares, that leaves all the bales in sheds. If there is more than one, choose any of them.",
    ),
    Prompt::held_out(
        "spec",
        "Push planning problem\n\nMap (1 = wall, 0 = floor):\n\n{walls}\n\nCells: rNcM is row N from the top, column M \
         from the left\nAgent: {player}\nBlocks: {boxes}\nTargets: {goals}\nActions: U, D, L, R move the agent to the \
         adjacent cell above, below, to the left or to the right\nIf the adjacent cell has a block: the block moves one \
         cell in the same direction, into a floor cell without a block\nNot allowed: moving the agent or a block into a \
         wall, or a block into another block\nGoal: every block is on a target\nCost: 1 per action; minimize the total \
         cost (any optimal plan is accepted)\n",
    ),
];

impl Room {
    pub(super) fn fill(&self, slots: &mut Slots<'_>) {
        let begin = self.begin();
        slots.with("room", || self.picture(begin)).with("player", || self.place(self.player).short());
        for (name, signs) in
            [("crates", ['%', '.', 'x', 'o', 'O', 'P', 'p']), ("yard", ['X', '_', 's', 'H', 'S', 'T', 't'])]
        {
            slots.with(name, || self.drawn(begin, signs));
        }
        slots.with("walls", || self.drawn(Squares::new(NONE, []), ['1', '0', '0', '0', '0', '0', '0']));
        let named = |squares: &[u8]| words::and(squares.iter().map(|square| self.place(*square).short()));
        let all = 0..(self.size() * self.size()) as u8;
        slots.with("boxes", || named(&self.boxes)).either("one", self.boxes.len() == 1);
        slots.with("goals", || named(&all.filter(|at| self.is_a_goal(*at)).collect::<Vec<_>>()));
    }
}
