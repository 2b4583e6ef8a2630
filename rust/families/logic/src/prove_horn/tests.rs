use kit::task::steps::judge_steps;
use kit::testing::rng;

use super::*;

fn claim() -> Claim<Clauses> {
    let texts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let [symbols, values] = vocabulary();
    let claim = Claim::<Clauses>::new(Statement {
        symbols,
        values,
        rules: texts(&[
            "r1: knows(x, y) -> trusts(x, y)",
            "r2: knows(x, y) -> trusts(y, z) -> trusts(x, z)",
            "r3: trusts(x, y) -> kind(y) -> wise(x)",
        ]),
        hypotheses: texts(&["h1: knows(ann, bob)", "h2: knows(bob, cy)", "h3: kind(cy)", "h4: kind(dan)"]),
        goal: "wise(ann)".to_owned(),
        proof: texts(&["apply r3", "apply r2", "apply h1", "apply r1", "apply h2", "apply h3"]),
        ..Statement::default()
    });
    claim.check().unwrap();
    claim
}

#[test]
fn wrong_proofs_are_refused() {
    let it = claim();
    assert!(it.certify(&mut Budget::new(100_000)).is_ok());
    let own = it.answer();
    for (text, label) in [
        (own.clone(), "right"),
        (own.replace("apply r3", "apply r3 with y = cy"), "right"),
        (own.replace("apply r2", "apply r2 with y = bob"), "right"),
        // The open person has been found: it is no longer free.
        (own.replace("apply h3", "apply h4"), "inapplicable"),
        (own.replace("apply r3", "apply r3 with y = dan"), "inapplicable"),
        (own.replace("apply h1", "apply h2"), "inapplicable"),
        (own.replace("apply r2\napply h1\n", ""), "inapplicable"),
        (own.replace("\napply h3", ""), "open_goals"),
        ("apply r3".to_owned(), "open_goals"),
        ("apply h3".to_owned(), "inapplicable"),
        // A fact about another person, a lemma before its proof, and a fresh name that captures one.
        ("have k: wise(bob)\napply k".to_owned(), "inapplicable"),
        ("have h1: wise(ann)\napply h1".to_owned(), "inapplicable"),
        ("have k: wise(ann)\napply k\napply k".to_owned(), "inapplicable"),
        ("apply r3 with y = ?1".to_owned(), "syntax"),
        ("apply r3 with q = cy".to_owned(), "inapplicable"),
        ("apply r3\nsorry\napply h3".to_owned(), "sorry"),
        (format!("{own}\nsorry"), "inapplicable"),
        (format!("{own}\nqed"), "syntax"),
    ] {
        let read = it.form().read(&text);
        let verdict = read.and_then(|answer| it.verify(answer, &mut Budget::new(100_000)));
        assert_eq!(verdict.map_or_else(|failure| failure.failures[1], |()| "right"), label, "{text}");
    }
}

#[test]
fn steps_of_the_proof_advance_and_others_do_not() {
    let it = claim();
    let said = |steps: &[&str]| -> Vec<(bool, bool)> {
        let said = judge_steps(&mut *it.steps().unwrap(), steps, &mut Budget::new(4_000_000));
        said.iter().map(|said| (said.holds, said.advances)).collect()
    };
    let own: Vec<&str> = it.proof.iter().map(String::as_str).collect();
    assert_eq!(said(&own), [(true, true); 6]);
    assert_eq!(
        said(&["have k: tall(eve)", "apply h1", "sorry"]),
        [(true, false), (false, false), (false, false)]
    );
}

#[test]
fn drawn_goals_have_the_wanted_proof() {
    let mut rng = rng(5);
    for lines in [2, 5, 12, 17] {
        let params = ProveHornParams::new(lines, 6);
        let it = ProveHorn.generate(&params, &mut rng, &mut Budget::new(20_000_000)).unwrap();
        assert_eq!(it.proof.len(), lines as usize);
        for rule in &it.rules {
            let (premises, head) = rule.split_once(": ").unwrap().1.rsplit_once(" -> ").unwrap();
            assert!(premises.split(" -> ").all(|premise| premise != head), "{rule} derives nothing");
        }
        let twin = it.twin(&mut rng);
        assert_eq!(twin.fingerprint(), it.fingerprint());
        assert!(
            twin.check().is_ok() && twin.certify(&mut Budget::new(1_000_000)).is_ok(),
            "{:?}",
            twin.proof
        );
    }
}
