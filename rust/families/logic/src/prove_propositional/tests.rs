use kit::shared::proof::{State, Tactic};
use kit::task::steps::judge_steps;
use kit::testing::rng;

use super::*;

fn claim(hypotheses: &[&str], goal: &str, proof: &[&str]) -> Claim<Propositions> {
    let texts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let statement = Statement {
        symbols: texts(&["p: prop", "q: prop", "r: prop", "s: prop"]),
        hypotheses: texts(hypotheses),
        goal: goal.to_owned(),
        proof: texts(proof),
        ..Statement::default()
    };
    let claim = Claim::<Propositions>::new(statement);
    claim.check().unwrap();
    claim
}

fn judged(claim: &Claim<Propositions>, text: &str) -> &'static str {
    let read = claim.form().read(text);
    let verdict = read.and_then(|answer| claim.verify(answer, &mut Budget::new(100_000)));
    verdict
        .map_or_else(|failure| failure.failures.get(1).copied().unwrap_or(failure.failures[0]), |()| "right")
}

#[test]
fn wrong_proofs_are_refused() {
    let own = ["cases h1", "apply h2", "apply h1", "apply h3", "apply h1"];
    let it = claim(&["h1: p or q", "h2: p -> r", "h3: q -> r"], "r", &own);
    assert!(it.certify(&mut Budget::new(10_000)).is_ok());
    for (text, label) in [
        (own.join("\n").as_str(), "right"),
        (own.join("\r\n\n \t").as_str(), "right"),
        ("by_contra k\nexfalso", "inapplicable"),
        // A case is missing, or both are proved from the same disjunct.
        ("cases h1\napply h2\napply h1", "open_goals"),
        ("cases h1\napply h2\napply h1\napply h2\napply h1", "inapplicable"),
        ("left\napply h1", "inapplicable"),
        // The other disjunct is not a hypothesis in this case.
        ("cases h1\napply h3\napply h1\napply h3\napply h1", "inapplicable"),
        // Assuming what is to be shown; the proof of a lemma may not use it.
        ("have k: r\napply k\napply k", "inapplicable"),
        ("have k: p\nsorry\napply h2\napply k", "sorry"),
        // A hypothesis outside of its scope: k belongs to the lemma's proof alone.
        ("have k: p -> p\nintro j\napply j\napply h2\napply j", "inapplicable"),
        // A name that would capture another.
        ("have h2: s -> r\nintro h2", "inapplicable"),
        ("sorry", "sorry"),
        ("cases h1\nsorry\nsorry", "sorry"),
        ("cases h1\napply h2", "open_goals"),
        ("apply h2\nintro x.", "syntax"),
        ("p = true, q = true, r = false, s = false", "hypothesis_false"),
        ("p = true, q = false, r = true, s = false", "goal_true"),
        ("p = true, q = false, r = true", "malformed_answer"),
        ("p = true, q = false, r = true, s = maybe", "malformed_answer"),
        ("p = true, p = false, r = true, s = true", "malformed_answer"),
        ("p = true, q = false, r = true, s = true, t = true", "malformed_answer"),
        ("\n \n", "malformed_answer"),
    ] {
        assert_eq!(judged(&it, text), label, "{text}");
    }
    let long = vec!["exfalso"; kit::shape::proof::MOST_LINES + 1].join("\n");
    assert_eq!(judged(&it, &long), "malformed_answer");
}

#[test]
fn what_does_not_follow_is_refuted_and_never_proved() {
    let it = claim(&["h1: p or q", "h2: p -> r"], "r and s", &[]);
    assert!(it.certify(&mut Budget::new(10_000)).is_ok());
    assert_eq!(judged(&it, &it.answer()), "right");
    assert_eq!(judged(&it, "s = false, r = true, q = true, p = true"), "right");
    assert_eq!(judged(&it, "p = true, q = true, r = true, s = true"), "goal_true");
    assert_eq!(judged(&it, "split\napply h2\nsorry\nsorry"), "sorry");
    let follows = claim(&["h1: p"], "p", &[]);
    let refused = follows.certify(&mut Budget::new(10_000)).unwrap_err();
    assert_eq!(refused, "`proof` is empty, but `goal` follows");
    // Values as steps: some refutation must have all of them.
    let steps = ["s = false", "q = true", "s = false", "q = false", "p = false", "r = true", "so"];
    let said = judge_steps(&mut *it.steps().unwrap(), &steps, &mut Budget::new(10_000));
    let said: Vec<(bool, bool)> = said.iter().map(|said| (said.holds, said.advances)).collect();
    let (advances, idle, wrong) = ((true, true), (true, false), (false, false));
    assert_eq!(said, [advances, advances, idle, wrong, advances, advances, wrong]);
}

/// Random lines on goals that do not follow, ten thousand or as many as `make test-all` requests.
#[test]
fn no_drawn_proof_proves_what_does_not_follow() {
    let steps: u64 = std::env::var("REASONENV_FUZZ").map_or(10_000, |n| n.parse().unwrap());
    let mut rng = rng(3);
    let params = ProvePropositionalParams::new(4, 5, 4, 100);
    let mut drawn = || {
        let it = ProvePropositional.generate(&params, &mut rng.taken(), &mut Budget::unlimited()).unwrap();
        assert!(it.proof.is_empty());
        it
    };
    let all: Vec<_> = (0..20).map(|_| drawn()).collect();
    let start = |it: &Claim<Propositions>| -> (Theory, State) { it.read().unwrap() };
    let ((mut theory, mut state), mut lines) = (start(&all[0]), Vec::<String>::new());
    let mut applied = 0;
    for step in 0..steps {
        if step % 30 == 0 {
            (theory, state) = start(rng.pick(&all));
            lines.clear();
        }
        let names: Vec<&str> =
            state.goals[0].hypotheses.iter().map(|(name, _)| &**name).chain(["k", "j", "h"]).collect();
        let (name, letter) = (*rng.pick(&names), *rng.pick(&LETTERS[..4]));
        let line = match rng.below(12) {
            0 => format!("intro {name}"),
            1..=4 => format!("apply {name}"),
            5 | 6 => format!("cases {name}"),
            7 => format!("by_contra {name}"),
            8 => format!("have {name}: not {letter}"),
            9 => format!("have {name}: {letter}"),
            _ => (*rng.pick(&["left", "right", "split", "exfalso", "refl"])).to_owned(),
        };
        let next = Tactic::read(&line, &theory).and_then(|tactic| state.apply(&tactic, &theory));
        let Ok(next) = next else { continue };
        applied += 1;
        lines.push(line);
        assert!(!next.is_over(), "{}\n{lines:?}", state.text(&theory));
        state = next;
    }
    assert!(applied > steps / 20, "{applied}");
}

#[test]
fn drawn_goals_are_of_the_wanted_kind() {
    let mut rng = rng(4);
    for (lines, unprovable) in [(1, 0), (3, 0), (8, 0), (3, 100)] {
        let params = ProvePropositionalParams::new(4, 5, lines, unprovable);
        let it = ProvePropositional.generate(&params, &mut rng, &mut Budget::new(20_000_000)).unwrap();
        it.check().unwrap();
        assert_eq!(it.proof.is_empty(), unprovable == 100);
        assert!(unprovable == 100 || (lines as usize..=lines as usize + 1).contains(&it.proof.len()));
        for _ in 0..5 {
            let twin = it.twin(&mut rng);
            assert_eq!((twin.fingerprint(), judged(&twin, &twin.answer())), (it.fingerprint(), "right"));
        }
        let other = it.another(&mut rng).unwrap();
        assert_eq!(it.verify(other, &mut Budget::new(100_000)), Ok(()));
    }
}

/// A proof may use `apply` in no form that the prompt does not state.
#[test]
fn the_prompt_states_every_form_of_apply_that_proofs_use() {
    use kit::shared::proof::Term;
    use kit::task::style::Choices;
    let mut rng = rng(7);
    let mut long = 0;
    for _ in 0..200 {
        let params = ProvePropositionalParams::default();
        let claim = ProvePropositional.generate(&params, &mut rng, &mut Budget::unlimited()).unwrap();
        let (theory, mut state) = claim.read().unwrap();
        for line in &claim.proof {
            let tactic = Tactic::read(line, &theory).unwrap();
            let next = state.apply(&tactic, &theory).unwrap();
            if let Tactic::Apply(name, _) = &tactic {
                let goal = &state.goals[0];
                let used: &Term = &goal.hypotheses.iter().find(|(known, _)| **known == **name).unwrap().1;
                let premises = next.goals.len() + 1 - state.goals.len();
                long += usize::from(premises > 2 || premises == 2 && theory.write(used).contains("not"));
            }
            state = next;
        }
    }
    assert!(long > 0);
    for template in Claim::<Propositions>::TEMPLATES {
        let claim = claim(
            &["h1: p -> q -> not r", "h2: p", "h3: q", "h4: r"],
            "false",
            &["apply h1", "apply h2", "apply h3", "apply h4"],
        );
        let prompt = template.word(&claim, Choices::From(&mut rng));
        assert!(prompt.contains("A -> B -> C -> D") && prompt.contains("A -> not B"), "{}", template.name);
    }
}
