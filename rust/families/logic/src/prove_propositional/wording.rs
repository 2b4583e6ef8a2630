//! A goal and hypotheses, in words.

use kit::shape::proof::Statement;
use kit::task::problem::{Prompt, Slots};
use kit::words;

const SIGNS: &str =
    "A -> B means that if A is true, so is B, and \"or\" is inclusive; A -> B -> C is read as A -> (B -> C).";

const TACTICS: &str = "A proof is a list of tactics, one per line, each of which changes the current goal or closes it:\n\
    - \"intro k\" turns the goal A -> B into B with the new hypothesis k: A, and the goal not A into false with k: A.\n\
    - \"apply h1\" closes the goal A if h1 is A. If h1 is A -> B, it turns the goal B into A; if h1 is A -> B -> C, the goal C into \
    the two goals A and B; if h1 is not A, the goal false into A. Longer ones work alike: if h1 is A -> B -> C -> D, it turns the goal \
    D into the three goals A, B and C, and if h1 is A -> not B, the goal false into the two goals A and B.\n\
    - \"split\" turns the goal A and B into the two goals A and B.\n\
    - \"left\" turns the goal A or B into A, and \"right\" turns it into B.\n\
    - \"cases h1\" replaces the hypothesis h1: A and B with h1_1: A and h1_2: B. If h1 is A or B, it makes two goals, one with h1: A and \
    one with h1: B. If h1 is false, it closes the goal.\n\
    - \"exfalso\" turns any goal into false.\n\
    - \"by_contra k\" turns the goal A into false with the new hypothesis k: not A.\n\
    - \"have k: p and q\" makes p and q, or any other formula, a goal of its own; after it has been proved, it is a hypothesis k.\n\
    A tactic always applies to the first open goal. New names must not be in use. The proof must close all goals, and no line may \
    come after its end.";

pub const PROMPTS: &[Prompt] = &[
    Prompt::new(
        "sequent",
        "The letters {letters} stand for statements. {signs} Suppose that these hypotheses are \
         true:\n\n{hypotheses}\n\nEither prove the goal {goal} from them, or find values of the letters for which the \
         hypotheses are true and the goal is false.\n\n{tactics}",
    ),
    Prompt::new(
        "spec",
        "Natural deduction\n\nLetters: {letters}\nHypotheses:\n{hypotheses}\nGoal: {goal}\nIf the goal follows: output \
         a proof\nIf it does not: output values that make every hypothesis true and the goal false\n\n{signs} {tactics}",
    ),
    Prompt::new(
        "message",
        "I can't decide whether this is a theorem or not. My goal is\n\n{goal}\n\nand I have these hypotheses about \
         {letters}:\n\n{hypotheses}\n\n{signs} If it follows, please write a proof that my proof checker accepts. If it \
         doesn't, give me values that make all hypotheses true but not the goal. {tactics}",
    ),
    Prompt::held_out(
        "exam",
        "Question 3. Let {letters} be statements. Decide whether the formula {goal} can be derived from the assumptions \
         below. Give a formal derivation if it can, and a counterexample if it cannot.\n\n{hypotheses}\n\n{signs} \
         {tactics}",
    ),
    Prompt::held_out(
        "assistant",
        "{hypotheses}\n|- {goal}\n\nThis is the state of a proof assistant for propositional logic with the letters \
         {letters}. {signs} Finish the proof; but if someone has tried to prove something that doesn't follow, refute \
         it with values that make everything above the last line true and the last line false. {tactics}",
    ),
];

pub fn fill(statement: &Statement, slots: &mut Slots<'_>) {
    let letters = statement.symbols.iter().map(|line| line.trim_end_matches(": prop"));
    slots.with("letters", || words::and(letters)).text("signs", SIGNS).text("tactics", TACTICS);
}
