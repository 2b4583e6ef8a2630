//! Texts of every registered game for a newcomer: its rules under any params, and the reasons why a move is
//! rejected.

use std::collections::BTreeMap;
use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::episode::message::UNREADABLE;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::episode::setup::{Illegal, Rival, Seat, Setup};
use reasonenv::game::episode::step::Status;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::games;
use reasonenv::rng::Key;
use reasonenv::rules::fault;
use serde_json::{Map, Value};

use crate::common::{Variant, choices, variants};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<Variant>) {
    cases.each(named![
        rules_read_as_plain_text,
        every_illegal_move_has_its_reason,
        every_faulty_message_has_its_answer,
        places_off_the_board_are_told_from_nonsense
    ]);
    cases.once(named![
        illegal_moves_are_met_in_every_game,
        a_message_names_the_cells_of_the_board,
        variants_have_rules_of_their_own,
        rules_say_what_each_param_changes,
        moves_are_read_as_people_write_them,
        the_guide_lists_every_fault_of_a_message
    ]);
}

fn configure(name: &str, params: &Map<String, Value>) -> Option<Arc<dyn AnyGame>> {
    games::find(name).and_then(|family| family.configure(params)).ok()
}

fn rules_say_what_each_param_changes() {
    for family in games::all() {
        let name = family.about().name;
        let fields = family.schema()["properties"].as_object().expect("params have fields");
        for (param, field) in fields {
            let mut seen = BTreeMap::new();
            let mut tried = 0;
            for value in choices(field) {
                let Some(game) = configure(name, &Map::from_iter([(param.clone(), value.clone())])) else {
                    continue;
                };
                tried += 1;
                if let Some(other) = seen.insert(game.rules(), value.clone()) {
                    let alike = field["role"] == "opponent" || other == value;
                    assert!(alike, "{name}: `{param}` {other} and {value} have the same rules");
                }
            }
            assert!(tried > 1, "{name}: `{param}` has no second value");
            let role = field["role"].as_str();
            assert_eq!(seen.len() == 1, role == Some("opponent"), "{name}: `{param}`");
        }
    }
}

fn rules_read_as_plain_text((_, game): Variant) {
    let (rules, name) = (game.rules(), game.about().name);
    assert!(rules.is_ascii() && rules.ends_with('.'), "{name}: {rules}");
    assert!(!rules.contains("  ") && !rules.contains(['\n', '`', '{', '"']), "{name}: {rules}");
    for wrong in ["1 rows", "1 columns", "1 objects", "1 discs", "1 boxes", " and and ", " ,", ".."] {
        assert!(!format!(" {rules}").contains(&format!(" {wrong}")), "{name}: `{wrong}` in {rules}");
    }
    assert!(rules.contains("A move is "), "{name}: nothing says what a move looks like: {rules}");
}

fn variants_have_rules_of_their_own() {
    let mut seen = BTreeMap::new();
    for game in variants().map(|(_, game)| game) {
        let (rules, name) = (game.rules(), game.about().name);
        let other = seen.insert((name, rules), game.canonical().to_owned());
        let only_opponents = game.canonical().contains("king_bets");
        assert!(other.is_none() || only_opponents, "{name}: {other:?} and {}", game.canonical());
    }
}

/// A learner who gives an illegal move gets the reason, in any position.
fn every_illegal_move_has_its_reason((_, game): Variant) {
    illegal_moves_with_reasons(&game);
}

fn illegal_moves_are_met_in_every_game() {
    let mut met = BTreeMap::<&str, u32>::new();
    for (_, game) in variants() {
        *met.entry(game.about().name).or_default() += illegal_moves_with_reasons(&game);
    }
    assert!(met.values().all(|count| *count > 10), "{met:?}");
}

/// Gives illegal moves along random games, and asserts the reason in each reply.
fn illegal_moves_with_reasons(game: &Arc<dyn AnyGame>) -> u32 {
    let name = format!("{} {}", game.about().name, game.canonical());
    let mut tried = 0;
    let mut rng = Key::new("tests", 1, "reasons", 0, &name).stream(0);
    let setup = Setup {
        opponent: Rival::Named(Opponent::new(Pick::Random)),
        illegal: Some(Illegal::Penalty),
        seat: Seat::Random,
        max_turns: Some(1_000_000),
        ..Setup::default()
    };
    let mut lanes = game.clone().episodes(1, setup).unwrap();
    for seed in 0..8 {
        let help = &mut Helpers::within(Budget::unlimited());
        lanes.seed(0, seed, 0, 0);
        lanes.reset(0, help).unwrap();
        while !lanes.is_over(0) {
            let legal: Vec<u32> = lanes.state(0).legal_set().iter().collect();
            for action in (0..game.actions()).filter(|action| !legal.contains(action)) {
                let said = format!("<move>{}</move>", game.name_action(action));
                let told = {
                    let step = lanes.say(0, &said, help).unwrap();
                    assert!(step.invalid && !step.terminated, "{name}: {said}");
                    lanes.message(0)
                };
                assert_eq!(lanes.info(0).fault, Some(fault::ILLEGAL_MOVE), "{name}: {said}");
                assert_eq!(lanes.info(0).status, Status::Invalid, "{name}: {said}");
                let (reason, _) = told.split_once("\n\n").expect("the board follows the reason");
                let words = reason.split_whitespace().count();
                assert!(words >= 3 && reason.ends_with('.') && reason.is_ascii(), "{name}: {reason}");
                // An action number gets the same reason.
                assert!(lanes.step(0, action.into(), help).unwrap().invalid);
                assert_eq!(lanes.message(0), told, "{name}");
                tried += 1;
            }
            lanes.step(0, (*rng.pick(&legal)).into(), help).unwrap();
        }
    }
    tried
}

/// Messages without a valid move, each with its label and the beginning of the reply.
const MESSAGES: [(&str, &str, &str); 9] = [
    ("I pass", "no_answer", "There is no move in <move> tags."),
    ("<move>", "truncated", "The message ends before </move>."),
    ("<move>zz</move> or <move>yy</move>", "hedged", "There are two <move> tags with different moves; "),
    ("<move>1</move><move>1</move><move>1</move>", "repeated_tags", "There are 3 <move> tags; give one."),
    ("</move><move>1</move>", "missing_or_broken_tags", "The <move> tags are broken; "),
    ("<move>1</move> wins", "extra_text_outside_tags", "There is text after </move>; "),
    ("<move>castle</move>", "not_a_move", "`castle` is not a move of this game; a move is "),
    ("<move></move>", "not_a_move", "`` is not a move of this game; a move is "),
    ("<move>\u{e9}\u{1f980}</move>", "not_a_move", "`\\u{e9}\\u{1f980}` is not a move of this game; "),
];

fn every_faulty_message_has_its_answer((_, game): Variant) {
    let name = format!("{} {}", game.about().name, game.canonical());
    for illegal in [Illegal::Penalty, Illegal::Lose] {
        let setup = Setup { illegal: Some(illegal), ..Setup::default() };
        let mut lanes = game.clone().episodes(1, setup).unwrap();
        let help = &mut Helpers::within(Budget::unlimited());
        for (said, label, answer) in MESSAGES {
            lanes.seed(0, 3, 0, 0);
            lanes.reset(0, help).unwrap();
            let step = lanes.say(0, said, help).unwrap();
            assert!(step.invalid, "{name}: {said}");
            assert_eq!(step.terminated, illegal == Illegal::Lose, "{name}: {said}");
            assert_eq!(lanes.info(0).fault, Some(label), "{name}: {said}");
            let told = lanes.message(0);
            assert!(told.starts_with(answer) && told.is_ascii(), "{name}: {said} -> {told}");
            assert_eq!(told.contains("You lost."), step.terminated, "{name}: {told}");
            let unreadable = lanes.info(0).status == Status::Unreadable;
            assert_eq!(unreadable, UNREADABLE.contains(&label), "{name}: {said}");
            // A restored episode gives the same reply.
            let mut other = game.clone().episodes(1, setup).unwrap();
            other.restore(&lanes.save()).unwrap();
            assert_eq!(other.message(0), told, "{name}");
        }
    }
}

/// A nonexistent cell is a different fault than words that name no cell.
fn moves_are_read_as_people_write_them() {
    for (name, params, said, action) in [
        ("connect_four", "{}", "column 4", 3),
        ("connect_four", "{}", "[4]", 3),
        ("connect_four", "{}", "**Column: 4**.", 3),
        ("tic_tac_toe", "{}", "Centre", 4),
        ("tic_tac_toe", "{}", "[center]", 4),
        ("tic_tac_toe", "{}", "top-left", 0),
        ("tic_tac_toe", "{}", "the cell", -1),
        ("tic_tac_toe", "{}", "position 7", 7),
        ("tic_tac_toe", "{}", "bottom middle", 7),
        ("tic_tac_toe", "{}", "top bottom", -1),
        ("tic_tac_toe", "{}", "", -1),
        ("tic_tac_toe", r#"{"rows": 4, "columns": 4}"#, "centre", -1),
        ("tic_tac_toe", r#"{"rows": 4, "columns": 4}"#, "bottom right", 15),
        ("tic_tac_toe", r#"{"wild": true}"#, "O centre", 9),
        ("chomp", "{}", "square B2", 6),
        ("dots_and_boxes", "{}", "line 3", 3),
        ("othello", "{}", "`d3`", 19),
    ] {
        let params = serde_json::from_str(params).unwrap();
        let game = configure(name, &params).unwrap();
        let state = crate::common::start(&game, 0);
        let read = state.read_action(said).map_or(-1, i64::from);
        assert_eq!(read, action, "{name}: {said}");
    }
}

fn places_off_the_board_are_told_from_nonsense((_, game): Variant) {
    let far = ["b9", "z1", "z9-z", "F41", "99", "X99", "9,9", "z2-y", "z8-z9"];
    let labels = far.map(|said| game.read_action(said).map_err(|misread| misread.label));
    let name = game.about().name;
    let has_places =
        !["chopsticks", "goofspiel", "kuhn_poker", "leduc_poker", "liars_dice", "pig"].contains(&name);
    assert_eq!(labels.contains(&Err(fault::OFF_BOARD)), has_places, "{name}: {labels:?}");
}

fn a_message_names_the_cells_of_the_board() {
    let othello = configure("othello", &Map::new()).unwrap();
    let message = othello.read_action("b9").unwrap_err().message;
    assert_eq!(message, "`b9` is not on the board; its cells are a1 to h8");
}

fn the_guide_lists_every_fault_of_a_message() {
    let guide = include_str!("../../docs/games.md");
    for label in UNREADABLE.into_iter().chain(fault::ALL) {
        assert!(guide.contains(&format!("| `{label}` | `")), "docs/games.md lacks {label}");
    }
}
