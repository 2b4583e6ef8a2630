//! An equation to prove, in words.

use super::axioms::Axioms;
use kit::shape::proof::Statement;
use kit::task::problem::{Prompt, Slots};

/// The tactics, with examples about the first equation.
fn tactics(statement: &Statement) -> String {
    let rule = statement.rules[0].split(':').next().unwrap_or_default();
    let value = statement.values[0].split(':').next().unwrap_or_default();
    format!(
        "A proof is a list of tactics, one per line, each of which changes the goal:\n\
         - \"rewrite {rule} at 1.2\" replaces the part of the goal at position 1.2, which must have the form of the left side of {rule}, \
         with the right side.\n\
         - \"rewrite <- {rule} at 1.2\" does the same from right to left.\n\
         - \"rewrite <- {rule} at 2 with x = {value}\" also says what a variable is that the replaced part leaves open; several such \
         values are separated by commas.\n\
         - \"have h: {value} = {value}\" makes a formula, here {value} = {value}, a goal of its own; once that is proved, the formula can be \
         used as h, like the other equations.\n\
         - \"apply h\" proves a goal that is exactly h, or one that an equation says for some values of its variables.\n\
         - \"refl\" proves a goal whose two sides are the same.\n\
         Position 1 is the left side of the goal and position 2 the right side. Position 1.2 is the second argument of the operation at \
         position 1, and so on. If \"at\" and the position are left out, the first part of that form is replaced: parts are tried from left to right, each before those inside it. The goal is proved as \
         soon as a rewrite makes its two sides the same, and no line may come after the end of the proof."
    )
}

pub const PROMPTS: &[Prompt] = &[
    Prompt::new(
        "prove",
        "Prove that {goal}. {notation} You may use these equations, which hold for all values of their \
         variables:\n\n{rules}\n\n{tactics}",
    ),
    Prompt::new(
        "spec",
        "Equational proof\n\nNotation: {notation}\nEquations (for all values of their variables):\n{rules}\nGoal: \
         {goal}\nOutput: a proof of the goal\n\n{tactics}",
    ),
    Prompt::new(
        "message",
        "I'm learning to use a proof checker and I'm stuck on an exercise. It gives me the following equations, whose \
         variables may be anything:\n\n{rules}\n\n{notation} The exercise is to show this:\n\n{goal}\n\nCan you write \
         the proof for me? {tactics}",
    ),
    Prompt::held_out(
        "lecture",
        "Today's lecture was about proving equations step by step. {notation} We wrote these laws on the board; each of \
         them holds for all values of its variables:\n\n{rules}\n\nFor homework, derive the equation {goal} from these \
         laws. {tactics}",
    ),
    Prompt::held_out(
        "assistant",
        "-- goal\n{goal}\n\n-- lemmas, for all values of their variables\n{rules}\n\nThis is what a proof assistant \
         shows at the start of a proof. {notation} Which tactics finish it? {tactics}",
    ),
];

pub fn fill(statement: &Statement, slots: &mut Slots<'_>) {
    slots.with("notation", || Axioms::of(statement).map_or("", |axioms| axioms.notation));
    slots.with("tactics", || tactics(statement));
}
