//! No sequence of tactics proves a false goal: each step is checked against models.

use super::*;
use crate::budget::Budget;
use crate::rng::Rng;
use crate::testing::rng;

fn texts(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn theory(symbols: &[&str], values: &[&str], rules: &[&str], constructors: &[&str]) -> Theory {
    Theory::read(&texts(symbols), &texts(values), &texts(rules), &texts(constructors)).unwrap()
}

fn letters() -> Theory {
    theory(&["p: prop", "q: prop", "r: prop"], &[], &[], &[])
}

fn group() -> Theory {
    theory(
        &["*: element element -> element", "inv: element -> element", "e: element"],
        &["a: element", "b: element"],
        &[
            "assoc: (x * y) * z = x * (y * z)",
            "left_id: e * x = x",
            "right_id: x * e = x",
            "left_inv: inv(x) * x = e",
            "right_inv: x * inv(x) = e",
        ],
        &[],
    )
}

fn numbers() -> Theory {
    theory(
        &["0: number", "S: number -> number", "+: number number -> number"],
        &["n: number", "m: number"],
        &["add_zero: x + 0 = x", "add_succ: x + S(y) = S(x + y)"],
        &["0", "S"],
    )
}

fn family() -> Theory {
    theory(
        &["parent: person person -> prop", "elder: person person -> prop"],
        &["ann: person", "bob: person", "cy: person"],
        &["r1: parent(x, y) -> elder(x, y)", "r2: parent(x, y) -> elder(y, z) -> elder(x, z)"],
        &[],
    )
}

fn goal(theory: &Theory, hypotheses: &[(&str, &str)], target: &str) -> State {
    let read = |text: &str| theory.read_term(text, Some(PROP)).unwrap();
    let hypotheses = hypotheses.iter().map(|(name, text)| ((*name).into(), read(text))).collect();
    State::new(Goal { hypotheses, target: read(target) })
}

fn after(theory: &Theory, state: &State, lines: &[&str]) -> Result<State, String> {
    let step = |state: State, line: &&str| state.apply(&Tactic::read(line, theory)?, theory);
    lines.iter().try_fold(state.clone(), step)
}

#[test]
fn known_proofs_replay() {
    let it = letters();
    let excluded = goal(&it, &[], "p or not p");
    let lines = ["by_contra h", "apply h", "right", "intro k", "apply h", "left", "apply k"];
    assert!(after(&it, &excluded, &lines).unwrap().is_proved());
    assert!(!after(&it, &excluded, &["sorry"]).unwrap().is_proved());
    let it = group();
    let cancelled = goal(&it, &[], "inv(a) * (a * b) = b");
    let lines = ["rewrite <- assoc at 1", "rewrite left_inv at 1.1", "rewrite left_id"];
    assert!(after(&it, &cancelled, &lines).unwrap().is_proved());
    let it = numbers();
    let lines = ["induction n", "rewrite add_zero", "rewrite add_succ", "rewrite ih"];
    assert!(after(&it, &goal(&it, &[], "0 + n = n"), &lines).unwrap().is_proved());
    let it = family();
    let facts = [("h1", "parent(ann, bob)"), ("h2", "parent(bob, cy)")];
    let lines = ["apply r2", "apply h1", "apply r1", "apply h2"];
    assert!(after(&it, &goal(&it, &facts, "elder(ann, cy)"), &lines).unwrap().is_proved());
}

#[test]
fn a_tactic_that_does_not_apply_says_why() {
    let it = group();
    let state = goal(&it, &[], "a * b = b * a");
    for (line, why) in [
        ("intro h", "the goal is neither an implication nor a negation"),
        ("rewrite assoc", "the left side of assoc does not match there"),
        ("rewrite assoc at 1.1.1", "the goal has no such position"),
        ("rewrite <- left_inv at 1", "the right side of left_inv does not match there"),
        ("rewrite h", "there is no rule or hypothesis h"),
        ("refl", "the two sides differ"),
        ("fly", "`fly` is not a tactic"),
        ("have h: a * a", "`*` is not a formula"),
        ("have h: a = x", "`x` is no symbol here"),
        ("rewrite left_id with y = a", "left_id has no variable y"),
    ] {
        assert_eq!(after(&it, &state, &[line]).unwrap_err(), why, "{line}");
    }
    let open = after(&it, &state, &["rewrite <- right_id at 1", "rewrite <- left_inv at 1.2"]);
    assert_eq!(open.unwrap_err(), "nothing says what x is; add `with x = TERM`");
}

#[test]
fn text_and_json_are_stable() {
    let it = family();
    let state = goal(&it, &[("h1", "parent(ann, bob)")], "elder(ann, cy)");
    let state = after(&it, &state, &["apply r2"]).unwrap();
    assert_eq!(
        state.json(&it).to_string(),
        "{\"goals\":[{\"hypotheses\":[[\"h1\",\"parent(ann, bob)\"]],\"target\":\"parent(ann, ?1)\"},\
         {\"hypotheses\":[[\"h1\",\"parent(ann, bob)\"]],\"target\":\"elder(?1, cy)\"}],\"proved\":false,\"sorry\":false}"
    );
    for text in ["p -> q -> r", "(p -> q) -> r", "not (p and q) or not r", "not not p"] {
        assert_eq!(letters().write(&letters().read_term(text, None).unwrap()), text);
    }
}

/// Steps of each test: ten thousand, or as many as `make test-all` requests.
fn steps() -> u64 {
    std::env::var("REASONENV_FUZZ").map_or(10_000, |n| n.parse().unwrap())
}

/// A line that is likely to do something: a candidate, a tactic with drawn names, or a tactic of another theory.
fn line(theory: &Theory, state: &State, rng: &mut Rng) -> String {
    let likely = candidates(theory, state);
    if !likely.is_empty() && rng.chance(1, 3) {
        return rng.pick(&likely).write(theory);
    }
    let mut names: Vec<String> = theory.rules.iter().map(|rule| rule.name.clone()).collect();
    names.extend(state.goals.iter().flat_map(|goal| &goal.hypotheses).map(|(name, _)| name.to_string()));
    names.extend(texts(&["h", "k", "ih", "h_1"]));
    let formulas: Vec<String> = state
        .goals
        .iter()
        .flat_map(|goal| goal.formulas())
        .filter(|one| !one.has_meta())
        .map(|one| theory.write(one))
        .collect();
    let formula = if formulas.is_empty() { "false".to_owned() } else { rng.pick(&formulas).clone() };
    let name = rng.pick(&names).clone();
    let value = rng.pick(&theory.symbols).name.clone();
    let at = rng.pick(&["", " at 1", " at 2", " at 1.1", " at 2.1", " at 1.2", " at 1.1.1"]);
    let with = rng.pick(&["", " with x = a", " with x = S(n)", " with y = ann", " with z = cy"]);
    let arrow = rng.pick(&["", "<- "]);
    match rng.below(16) {
        0 | 1 => format!("intro {name}"),
        2..=4 => format!("apply {name}{with}"),
        5 | 6 => format!("rewrite {arrow}{name}{at}{with}"),
        7 => format!("cases {name}"),
        8 => format!("have {name}: {formula}"),
        9 => format!("have {name}: not ({formula})"),
        10 => format!("by_contra {name}"),
        11 => format!("induction {value}"),
        12 => "exfalso".to_owned(),
        13 => (*rng.pick(&["left", "right", "split", "refl"])).to_owned(),
        14 => formula,
        _ => format!("have {name}: false"),
    }
}

/// Walks with drawn lines, and asks after each step that it can be undone: whenever the goals after it hold in a
/// model, so did those before.
fn walk(theory: &Theory, starts: &[State], holds: &dyn Fn(&State) -> Vec<bool>, stream: u64) {
    let mut rng = rng(stream);
    let (mut applied, mut over) = (0u64, 0u64);
    let mut state = starts[0].clone();
    for _ in 0..steps() {
        if state.is_over() || state.goals.len() > 6 || rng.chance(1, 25) {
            over += u64::from(state.is_proved());
            state = rng.pick(starts).clone();
        }
        let line = line(theory, &state, &mut rng);
        let Ok(tactic) = Tactic::read(&line, theory) else { continue };
        assert_eq!(Tactic::read(&tactic.write(theory), theory).as_ref(), Ok(&tactic), "{line}");
        let Ok(next) = state.apply(&tactic, theory) else { continue };
        applied += 1;
        let (before, after) = (holds(&state), holds(&next));
        assert!(
            before.iter().zip(&after).all(|(before, after)| *before || !after),
            "{line} proves too much:\n{}\nbecomes\n{}",
            state.text(theory),
            next.text(theory)
        );
        state = next;
    }
    assert!(applied > steps() / 10 && over > 0, "{applied} steps applied, {over} goals were proved");
}

fn formula(depth: u32, rng: &mut Rng) -> String {
    if depth == 0 || rng.chance(1, 5) {
        return (*rng.pick(&["p", "q", "r", "p", "q", "r", "false"])).to_owned();
    }
    let mut part = || formula(depth - 1, rng);
    let (one, other) = (part(), part());
    match rng.below(4) {
        0 => format!("not ({one})"),
        1 => format!("(({one}) and ({other}))"),
        2 => format!("(({one}) or ({other}))"),
        _ => format!("(({one}) -> ({other}))"),
    }
}

#[test]
fn no_step_proves_too_much_in_propositional_logic() {
    let it = letters();
    let mut rng = rng(1);
    let starts: Vec<State> = (0..200)
        .map(|_| {
            goal(&it, &[("h1", &formula(2, &mut rng)), ("h2", &formula(2, &mut rng))], &formula(3, &mut rng))
        })
        .collect();
    let first = it.symbol("p").unwrap();
    let holds = |state: &State| {
        let row = |row: u64| {
            let is_true = |formula: &Term| Theory::is_true(formula, row << first);
            state
                .goals
                .iter()
                .all(|goal| !goal.hypotheses.iter().all(|(_, known)| is_true(known)) || is_true(&goal.target))
        };
        (0..8).map(row).collect()
    };
    walk(&it, &starts, &holds, 2);
}

/// The value of a term in a model: what each symbol does to values.
fn value(term: &Term, of: &dyn Fn(u16, &[u64]) -> u64, metas: &[u64]) -> u64 {
    match term {
        Term::Variable(..) => panic!("goals have no variables"),
        Term::Meta(number, _) => metas[usize::from(*number) - 1],
        Term::Node(symbol, arguments) => {
            let values: Vec<u64> = arguments.iter().map(|argument| value(argument, of, metas)).collect();
            match (*symbol, values.as_slice()) {
                (FALSE, _) => 0,
                (NOT, [one]) => u64::from(*one == 0),
                (AND, [one, other]) => one & other,
                (OR, [one, other]) => one | other,
                (IMPLIES, [one, other]) => u64::from(*one == 0) | other,
                (EQUAL, [one, other]) => u64::from(one == other),
                (symbol, values) => of(symbol, values),
            }
        }
    }
}

fn all_hold(state: &State, of: &dyn Fn(u16, &[u64]) -> u64, metas: &[u64]) -> bool {
    let is_true = |formula: &Term| value(formula, of, metas) == 1;
    state
        .goals
        .iter()
        .all(|goal| !goal.hypotheses.iter().all(|(_, known)| is_true(known)) || is_true(&goal.target))
}

/// The six permutations of three things, composed.
fn composed(one: u64, other: u64) -> u64 {
    const ALL: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let made = ALL[other as usize].map(|at| ALL[one as usize][at]);
    ALL.iter().position(|known| *known == made).unwrap() as u64
}

#[test]
fn no_step_proves_too_much_in_groups() {
    let it = group();
    let terms = [
        "a * b = b * a",
        "inv(a) * (a * b) = b",
        "a * a = e",
        "inv(a * b) = inv(b) * inv(a)",
        "a * e = a -> a = b",
    ];
    let starts: Vec<State> = terms.iter().map(|text| goal(&it, &[("h1", "a * a = b")], text)).collect();
    let [times, inverse, unit, a] = ["*", "inv", "e", "a"].map(|name| it.symbol(name).unwrap());
    let holds = |state: &State| {
        let pair = |pair: u64| {
            let of = |symbol: u16, values: &[u64]| match values {
                [one, other] if symbol == times => composed(*one, *other),
                [one] if symbol == inverse => (0..6).find(|other| composed(*one, *other) == 0).unwrap(),
                [] if symbol == unit => 0,
                _ => {
                    if symbol == a {
                        pair % 6
                    } else {
                        pair / 6
                    }
                }
            };
            let metas = state.goals.iter().any(|goal| goal.formulas().any(Term::has_meta));
            assert!(
                !metas || it.rules.iter().all(|rule| rule.formula.under(EQUAL).is_some()),
                "no rule has premises"
            );
            all_hold(state, &of, &[0; 40])
        };
        (0..36).map(pair).collect()
    };
    walk(&it, &starts, &holds, 3);
}

#[test]
fn no_step_proves_too_much_about_people() {
    let it = family();
    let facts = [("h1", "parent(ann, bob)"), ("h2", "parent(bob, cy)")];
    let targets = ["elder(ann, cy)", "elder(cy, ann)", "elder(bob, bob)", "parent(cy, ann) -> elder(cy, cy)"];
    let starts: Vec<State> = targets.iter().map(|text| goal(&it, &facts, text)).collect();
    let (parent, ann) = (it.symbol("parent").unwrap(), it.symbol("ann").unwrap());
    let holds = |state: &State| {
        // Each way to have parents, with the elders that follow; goals hold if some choice of open terms makes them.
        let model = |parents: u64| {
            let is_parent = |one: u64, other: u64| parents >> (3 * one + other) & 1;
            let mut elders = parents;
            for middle in 0..3 {
                for pair in 0..9 {
                    let (one, other) = (pair / 3, pair % 3);
                    elders |= (elders >> (3 * one + middle) & elders >> (3 * middle + other) & 1) << pair;
                }
            }
            let of = |symbol: u16, values: &[u64]| match values {
                [one, other] if symbol == parent => is_parent(*one, *other),
                [one, other] => elders >> (3 * one + other) & 1,
                _ => u64::from(symbol - ann),
            };
            let open = state.goals.iter().flat_map(|goal| goal.formulas()).map(metas).max().unwrap_or(0);
            let choices = 3u64.pow(u32::from(open.min(5)));
            (0..choices).any(|choice| {
                let metas: Vec<u64> =
                    (0..40).map(|at| if at < 5 { choice / 3u64.pow(at) % 3 } else { 0 }).collect();
                all_hold(state, &of, &metas)
            })
        };
        (0..512).step_by(7).map(model).collect()
    };
    walk(&it, &starts, &holds, 4);
}

fn metas(term: &Term) -> u16 {
    let own = if let Term::Meta(number, _) = term { *number } else { 0 };
    term.arguments().iter().map(metas).fold(own, u16::max)
}

#[test]
fn no_step_proves_too_much_by_induction() {
    let it = numbers();
    let targets =
        ["0 + n = n", "n + m = m + n", "S(n) + m = S(n + m)", "n + n = n", "n + m = n", "S(n) = S(n + 0)"];
    let starts: Vec<State> = targets.iter().map(|text| goal(&it, &[], text)).collect();
    let [successor, plus, n] = ["S", "+", "n"].map(|name| it.symbol(name).unwrap());
    // A claim holds below a number if it holds for all smaller values; a step may lower the number by one.
    let holds = |state: &State| {
        let below = |n_value: u64, m_value: u64| {
            let of = |symbol: u16, values: &[u64]| match values {
                [one, other] if symbol == plus => one + other,
                [one] if symbol == successor => one + 1,
                _ if symbol == n => n_value,
                _ if symbol == n + 1 => m_value,
                _ => 0,
            };
            all_hold(state, &of, &[0; 40])
        };
        vec![(0..7).all(|n| (0..7).all(|m| below(n, m)))]
    };
    walk(&it, &starts, &holds, 5);
}

#[test]
fn searches_find_proofs_that_replay() {
    let cases = [
        (letters(), vec![("h1", "p or q"), ("h2", "not p")], "q"),
        (group(), vec![], "inv(a) * (a * b) = b * e"),
        (numbers(), vec![], "0 + n = n"),
        (family(), vec![("h1", "parent(ann, bob)"), ("h2", "parent(bob, cy)")], "elder(ann, cy)"),
    ];
    for (it, hypotheses, target) in cases {
        let state = goal(&it, &hypotheses, target);
        let proof = prove(&it, &state, 12, &mut Budget::new(2_000_000)).unwrap().expect(target);
        let end = proof.iter().try_fold(state, |state, tactic| state.apply(tactic, &it)).unwrap();
        assert!(end.is_proved(), "{target}");
    }
    let it = letters();
    assert_eq!(distance(&it, &goal(&it, &[("h1", "p or q")], "q"), 8, &mut Budget::new(200_000)), None);
}
