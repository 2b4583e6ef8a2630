//! Facts, rules and a goal, in words.

use kit::task::problem::Template;
use kit::task::proof::Claim;
use kit::words::Joined as _;

use super::Clauses;

type Query = Claim<Clauses>;

fn facts(claim: &Query) -> String {
    claim.hypotheses.iter().lines()
}

fn rules(claim: &Query) -> String {
    claim.rules.iter().lines()
}

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

pub const TEMPLATES: &[Template<Query>] = &[
    Template::plain("facts", |claim| {
        format!(
            "These facts about some people are known:\n\n{}\n\nThese rules hold:\n\n{}\n\n{SIGNS} Prove that {} is true.\n\n{TACTICS}",
            facts(claim),
            rules(claim),
            claim.goal
        )
    }),
    Template::plain("spec", |claim| {
        format!(
            "Backward chaining\n\nFacts:\n{}\nRules:\n{}\nGoal: {}\nOutput: a proof of the goal\n\n{SIGNS} {TACTICS}",
            facts(claim),
            rules(claim),
            claim.goal
        )
    }),
    Template::plain("message", |claim| {
        format!(
            "Our office gossip database claims {}, and I want to know why. It was told these rules:\n\n{}\n\nand these facts:\n\n{}\n\n\
             {SIGNS} Please write me the proof. {TACTICS}",
            claim.goal,
            rules(claim),
            facts(claim)
        )
    }),
    Template::held_out_plain("assistant", |claim| {
        format!(
            "{}\n|- {}\n\nThis is the state of a proof assistant, with these lemmas:\n\n{}\n\n{SIGNS} Which tactics finish the proof? \
             {TACTICS}",
            facts(claim),
            claim.goal,
            rules(claim)
        )
    }),
    Template::held_out_plain("village", |claim| {
        format!(
            "In a certain village, everyone agrees on the following rules about who does what.\n\n{}\n\n{SIGNS} A visitor has found out \
             these facts:\n\n{}\n\nShe concludes {}. Write down her reasoning as a formal proof. {TACTICS}",
            rules(claim),
            facts(claim),
            claim.goal
        )
    }),
];
