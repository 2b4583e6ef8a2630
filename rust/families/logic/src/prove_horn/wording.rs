//! Facts, rules and a goal, in words.

use kit::task::problem::{Prompt, Slots};

const SIGNS: &str =
    "A rule like A -> B -> C says that C holds if both A and B do, for all people x, y, z and w.";

const TACTICS: &str = "A proof is a list of tactics, one per line. A tactic applies to the first open goal:\n\
    - \"apply h1\" closes the goal if it is the fact h1.\n\
    - \"apply r1\" works backward. If the goal is the conclusion of the rule r1 for some values of its variables, its premises become \
    the first open goals, in their order. A variable that the conclusion leaves open becomes ?1, ?2 and so on, and is found when a \
    later tactic fits only one value.\n\
    - \"apply r1 with z = bob\" chooses the value of a variable; several values are separated by commas.\n\
    - \"have k: tall(bob)\" makes tall(bob), or any other statement, a goal of its own; after it has been proved, it is a fact k.\n\
    The proof must close all goals, and no line may come after its end.";

pub const PROMPTS: &[Prompt] = &[
    Prompt::new(
        "facts",
        "These facts about some people are known:\n\n{hypotheses}\n\nThese rules hold:\n\n{rules}\n\n{signs} Prove that \
         {goal} is true.\n\n{tactics}",
    ),
    Prompt::new(
        "spec",
        "Backward chaining\n\nFacts:\n{hypotheses}\nRules:\n{rules}\nGoal: {goal}\nOutput: a proof of the \
         goal\n\n{signs} {tactics}",
    ),
    Prompt::new(
        "message",
        "Our office gossip database claims {goal}, and I want to know why. It was told these rules:\n\n{rules}\n\nand \
         these facts:\n\n{hypotheses}\n\n{signs} Please write me the proof. {tactics}",
    ),
    Prompt::held_out(
        "assistant",
        "{hypotheses}\n|- {goal}\n\nThis is the state of a proof assistant, with these lemmas:\n\n{rules}\n\n{signs} \
         Which tactics finish the proof? {tactics}",
    ),
    Prompt::held_out(
        "village",
        "In a certain village, everyone agrees on the following rules about who does what.\n\n{rules}\n\n{signs} A \
         visitor has found out these facts:\n\n{hypotheses}\n\nShe concludes {goal}. Write down her reasoning as a \
         formal proof. {tactics}",
    ),
];

pub fn fill(slots: &mut Slots<'_>) {
    slots.text("signs", SIGNS).text("tactics", TACTICS);
}
