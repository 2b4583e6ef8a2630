use kit::shape::proof::Answer;
use kit::task::steps::judge_steps;
use kit::testing::rng;

use super::*;

fn claim(axioms: usize, goal: &str, proof: &[&str]) -> Claim<Equations> {
    let mut statement = AXIOMS[axioms].statement();
    goal.clone_into(&mut statement.goal);
    statement.proof = proof.iter().map(|line| (*line).to_owned()).collect();
    let claim = Claim::<Equations>::new(statement);
    claim.check().unwrap();
    claim
}

fn cancelled() -> Claim<Equations> {
    claim(
        0,
        "inv(a) * (a * b) = b",
        &["rewrite <- assoc at 1", "rewrite left_inv at 1.1", "rewrite left_id at 1"],
    )
}

fn judged(claim: &Claim<Equations>, text: &str) -> &'static str {
    let read = claim.form().read(text);
    let verdict = read.and_then(|answer| claim.verify(answer, &mut Budget::new(100_000)));
    verdict.map_or_else(|failure| failure.failures[1], |()| "right")
}

#[test]
fn the_axioms_are_read_and_each_proves_itself() {
    for (at, axioms) in AXIOMS.iter().enumerate() {
        let theory = axioms.statement().theory().unwrap();
        assert_eq!(theory.rules.len(), axioms.statement().rules.len());
        let mut values = axioms.statement().values.into_iter();
        let value = values.next().unwrap();
        let value = value.split(':').next().unwrap();
        assert_eq!(judged(&claim(at, &format!("{value} = {value}"), &["refl"]), "refl"), "right");
    }
}

#[test]
fn wrong_proofs_are_refused() {
    let it = cancelled();
    assert!(it.certify(&mut Budget::new(10_000)).is_ok());
    let own = it.answer();
    let last = "rewrite <- assoc at 1\nrewrite left_inv at 1.1\n";
    for (text, label) in [
        (own.clone(), "right"),
        (own.replace('\n', "\n\n  "), "right"),
        (format!("{last}rewrite left_id"), "right"),
        (format!("have h: inv(a) * (a * b) = b\n{own}\napply h"), "right"),
        // Another theorem, proved perfectly.
        ("have h: e * b = b\nrewrite left_id at 1".to_owned(), "open_goals"),
        // Cut off, at every line.
        (last.to_owned(), "open_goals"),
        ("rewrite <- assoc at 1".to_owned(), "open_goals"),
        // At a wrong place, in the wrong direction, by a wrong rule.
        (own.replace("at 1.1", "at 1.2"), "inapplicable"),
        (own.replace("<- assoc", "assoc"), "inapplicable"),
        (own.replace("left_inv", "right_inv"), "inapplicable"),
        // A line too many, and one too few in the middle.
        (format!("{own}\nrefl"), "inapplicable"),
        (own.replace("rewrite left_inv at 1.1\n", ""), "inapplicable"),
        // Given up, at the end or inside.
        ("sorry".to_owned(), "sorry"),
        (format!("{last}sorry"), "sorry"),
        ("have h: a = b\nsorry\nrewrite h at 1.1.1\nrewrite <- h at 1.1.1\nsorry".to_owned(), "sorry"),
        // What a lemma says is used before it is proved, and outside of its scope.
        ("have h: inv(a) * (a * b) = b\napply h\napply h".to_owned(), "inapplicable"),
        ("apply h".to_owned(), "inapplicable"),
        // Circular, with the goal as its own lemma.
        ("have h: inv(a) * (a * b) = b".to_owned(), "open_goals"),
        // Names captured: a value is not a variable, and a rule's name is taken.
        ("rewrite <- left_id at 2 with b = a".to_owned(), "inapplicable"),
        ("have left_id: a = b".to_owned(), "inapplicable"),
        ("induction a".to_owned(), "inapplicable"),
        ("by_contra h".to_owned(), "open_goals"),
        ("qed".to_owned(), "syntax"),
        (format!("{own}."), "syntax"),
        (format!("{own}\nqed"), "syntax"),
    ] {
        assert_eq!(judged(&it, &text), label, "{text}");
    }
    let verdict = it.verify(it.form().read(&format!("qed\n{own}")).unwrap(), &mut Budget::new(9_999));
    let failure = verdict.unwrap_err();
    assert_eq!(
        (failure.failures, failure.parts),
        (vec!["malformed_answer", "syntax"], vec![("applicable", 0.75)])
    );
    assert_eq!(failure.detail, "line 1, `qed`: `qed` is not a tactic");
}

#[test]
fn another_shorter_way_counts_and_a_detour_does_not() {
    let it = claim(0, "(e * a) * e = a", &["rewrite right_id at 1", "rewrite left_id at 1"]);
    let said = |steps: &[&str]| -> Vec<(bool, bool)> {
        let said = judge_steps(&mut *it.steps().unwrap(), steps, &mut Budget::new(1_000_000));
        said.iter().map(|said| (said.holds, said.advances)).collect()
    };
    let (advances, idle, wrong) = ((true, true), (true, false), (false, false));
    assert_eq!(said(&["rewrite left_id at 1.1", "rewrite right_id at 1"]), [advances; 2]);
    assert_eq!(
        said(&[
            "rewrite <- right_id at 1",
            "rewrite right_id at 1",
            "rewrite right_id at 1",
            "sorry",
            "refl"
        ]),
        [idle, idle, advances, wrong, wrong]
    );
    // There and back again earns nothing the second time.
    let back = ["rewrite right_id at 1", "rewrite <- right_id at 1"];
    let there = said(&[back, back, back].concat());
    assert_eq!(there.iter().filter(|verdict| **verdict == advances).count(), 1);
}

#[test]
fn no_drawn_proof_proves_a_false_equation() {
    let mut rng = rng(1);
    // Each is false in some model of its axioms.
    for (axioms, goal) in [
        (0, "a * b = b * a"),
        (0, "inv(a) = a"),
        (1, "a * b = b * a"),
        (1, "a + a = 0"),
        (2, "a & (b | c) = (a & b) | (a & c)"),
        (2, "a & b = a"),
        (3, "k ++ l = l ++ k"),
        (3, "rev(k) = k"),
    ] {
        let it = claim(axioms, goal, &["refl"]);
        let (theory, start) = it.read().unwrap();
        let names: Vec<&str> = it.rules.iter().map(|rule| rule.split(':').next().unwrap()).collect();
        for _ in 0..60 {
            let (mut state, mut lines) = (start.clone(), Vec::new());
            for _ in 0..25 {
                let place = rng.pick(&["", " at 1", " at 2", " at 1.1", " at 1.2", " at 2.1", " at 1.2.1"]);
                let (arrow, name) = (rng.pick(&["", "<- "]), rng.pick(&names));
                let value = rng.pick(&it.values).split(':').next().unwrap();
                let variable = rng.pick(&["x", "y"]);
                let line = match rng.below(9) {
                    0 => format!("rewrite {arrow}{name}{place} with {variable} = {value}"),
                    1 => "refl".to_owned(),
                    2 => format!("apply {name}"),
                    3 => format!("have h: {goal}"),
                    4 => "apply h".to_owned(),
                    _ => format!("rewrite {arrow}{name}{place}"),
                };
                let next = Tactic::read(&line, &theory).and_then(|tactic| state.apply(&tactic, &theory));
                let Ok(next) = next else { continue };
                lines.push(line);
                state = next;
            }
            assert!(!state.is_over(), "{goal}: {lines:?}");
            let verdict = it.verify(Answer::Proof(lines.clone()), &mut Budget::unlimited());
            assert!(lines.is_empty() || verdict.is_err(), "{goal}: {lines:?}");
        }
    }
}

#[test]
fn drawn_equations_are_proved_by_the_walk_and_no_shorter_proof_is_found() {
    let mut rng = rng(2);
    for structure in [Structure::Group, Structure::Ring, Structure::Lattice, Structure::List] {
        for lines in [1, 3, 8] {
            let params = ProveEquationalParams::new(structure, lines);
            let it = ProveEquational.generate(&params, &mut rng, &mut Budget::new(20_000_000)).unwrap();
            it.check().unwrap();
            assert_eq!(it.proof.len(), lines as usize);
            assert_eq!(judged(&it, &it.answer()), "right", "{} {:?}", it.goal, it.proof);
            let twin = it.twin(&mut rng);
            assert_eq!((twin.fingerprint(), judged(&twin, &twin.answer())), (it.fingerprint(), "right"));
        }
    }
}
