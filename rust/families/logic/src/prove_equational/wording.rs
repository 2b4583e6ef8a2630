//! An equation to prove, in words.

use kit::task::problem::Template;
use kit::task::proof::Claim;
use kit::words::Joined as _;

use super::Equations;
use super::axioms::Axioms;

type Equation = Claim<Equations>;

fn notation(claim: &Equation) -> &'static str {
    Axioms::of(claim).map_or("", |axioms| axioms.notation)
}

fn rules(claim: &Equation) -> String {
    claim.rules.iter().lines()
}

/// The tactics, with examples about the first equation.
fn tactics(claim: &Equation) -> String {
    let rule = claim.rules[0].split(':').next().unwrap_or_default();
    let value = claim.values[0].split(':').next().unwrap_or_default();
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

pub const TEMPLATES: &[Template<Equation>] = &[
    Template::plain("prove", |claim| {
        format!(
            "Prove that {}. {} You may use these equations, which hold for all values of their variables:\n\n{}\n\n{}",
            claim.goal,
            notation(claim),
            rules(claim),
            tactics(claim)
        )
    }),
    Template::plain("spec", |claim| {
        format!(
            "Equational proof\n\nNotation: {}\nEquations (for all values of their variables):\n{}\nGoal: {}\nOutput: a proof of the goal\n\n{}",
            notation(claim),
            rules(claim),
            claim.goal,
            tactics(claim)
        )
    }),
    Template::plain("message", |claim| {
        format!(
            "I'm learning to use a proof checker and I'm stuck on an exercise. It gives me the following equations, whose \
             variables may be anything:\n\n{}\n\n{} The exercise is to show this:\n\n{}\n\nCan you write the proof for me? {}",
            rules(claim),
            notation(claim),
            claim.goal,
            tactics(claim)
        )
    }),
    Template::held_out_plain("lecture", |claim| {
        format!(
            "Today's lecture was about proving equations step by step. {} We wrote these laws on the board; each of them holds \
             for all values of its variables:\n\n{}\n\nFor homework, derive the equation {} from these laws. {}",
            notation(claim),
            rules(claim),
            claim.goal,
            tactics(claim)
        )
    }),
    Template::held_out_plain("assistant", |claim| {
        format!(
            "-- goal\n{}\n\n-- lemmas, for all values of their variables\n{}\n\nThis is what a proof assistant shows at the start of a proof. {} Which \
             tactics finish it? {}",
            claim.goal,
            rules(claim),
            notation(claim),
            tactics(claim)
        )
    }),
];
