//! Tree search on whole games: what it proves, how strong it is, and what it depends on.

use game::draws::EpisodeDraws;
use game::mcts::{self, Tried};
use game::opponent::{Opponent, Pick};
use game::prelude::*;

fn of<F: GameFamily>(family: &F, given: &str) -> F::Game {
    let schema = kit::params::schema::<F::Params>();
    let given: serde_json::Map<String, serde_json::Value> = serde_json::from_str(given).unwrap();
    family.game(&kit::params::parse::<F::Params>(&given, &schema).unwrap())
}

fn rng() -> Rng {
    kit::rng::Key::new("tests", 1, "mcts", 0, "").stream(0)
}

fn searched<G: Game>(game: &G, state: &G::State, playouts: u32, draws: &EpisodeDraws) -> Vec<Tried> {
    let Turn::Player(player) = game.turn(state) else { unreachable!("the game goes on") };
    let words = draws.words(player, game.key(state, player));
    mcts::search(game, state, playouts, words, &mut Budget::unlimited()).unwrap()
}

/// Points of `one` against `other` in so many games, half of them from each seat, as a share.
fn points<G: Game>(game: &G, one: Pick, other: Pick, games: u32) -> f32 {
    let mut rng = rng();
    let players = [one, other].map(Opponent::new);
    let mut points = 0.0;
    for round in 0..games {
        let draws = EpisodeDraws::from(&mut rng);
        let seat = round as usize & 1;
        let mut state = game.start(&mut rng);
        while let Turn::Player(player) = game.turn(&state) {
            let who = &players[usize::from(usize::from(player) != seat)];
            let action = who.reply(game, &state, &draws, &mut Budget::unlimited()).unwrap();
            game.apply(&mut state, action);
        }
        points += f32::midpoint(1.0, game.returns(&state)[seat]);
    }
    points / games as f32
}

fn rises<G: Game>(game: &G, name: &str) {
    let of = |playouts| Pick::Mcts { playouts };
    let steps = [(of(10), Pick::Random), (of(40), of(10)), (of(160), of(40)), (of(160), Pick::Heuristic)];
    for (stronger, weaker) in steps {
        let share = points(game, stronger, weaker, 60);
        println!("{name}: {stronger:?} against {weaker:?}: {share:.3}");
        assert!(share >= 0.65, "{name}: {stronger:?} has {share} of the points against {weaker:?}");
    }
}

#[test]
fn strength_rises_with_the_playouts() {
    rises(&of(&crate::connect_four::ConnectFour, "{}"), "connect_four");
    rises(&of(&crate::othello::Othello, r#"{"size": 6}"#), "othello");
    rises(&of(&crate::hex::Hex, r#"{"size": 5}"#), "hex");
}

/// Whatever the tree proves of a move is its exact outcome, and it proves the best move in most positions.
fn proves<G: Game>(game: &G, playouts: u32) {
    let mut rng = rng();
    let [mut positions, mut settled, mut even] = [0; 3];
    for _ in 0..12 {
        let draws = EpisodeDraws::from(&mut rng);
        let mut state = game.start(&mut rng);
        while game.turn(&state) != Turn::Over {
            let values = game.values(&state, &mut Budget::unlimited()).unwrap();
            let best = values.iter().map(|(_, value)| value.outcome).max();
            let tried = searched(game, &state, playouts, &draws);
            for (tried, (action, value)) in tried.iter().zip(values) {
                assert_eq!(tried.action, action);
                if let Some(result) = tried.proved {
                    assert_eq!(result as i8, value.outcome, "{state:?}: {}", game.name_action(action));
                }
            }
            let proved = tried.iter().any(|tried| tried.proved.map(|result| result as i8) == best);
            positions += 1;
            settled += u32::from(proved);
            even += u32::from(proved && best == Some(0));
            let legal = game.legal(&state);
            let action = legal.nth(rng.below(legal.len().into()) as u32).unwrap();
            game.apply(&mut state, action);
        }
    }
    println!("the best move of {settled} of {positions} positions is proved, {even} of them draw");
    assert!(settled * 2 >= positions, "{settled} of {positions} positions");
}

#[test]
fn what_is_proved_is_exact() {
    proves(&of(&crate::tic_tac_toe::TicTacToe, "{}"), 2_000);
    proves(&of(&crate::connect_four::ConnectFour, r#"{"rows": 4, "columns": 4}"#), 4_000);
    proves(&of(&crate::dots_and_boxes::DotsAndBoxes, r#"{"rows": 1, "columns": 2}"#), 1_000);
    proves(&of(&crate::hex::Hex, r#"{"size": 3}"#), 1_000);
}

#[test]
fn a_proved_win_is_played_and_ends_the_search() {
    let game = of(&crate::tic_tac_toe::TicTacToe, "{}");
    let mut state = game.start(&mut rng());
    for action in [0, 3, 1, 4] {
        game.apply(&mut state, action);
    }
    let draws = EpisodeDraws::from(&mut rng());
    let tried = searched(&game, &state, 10_000, &draws);
    let visits: u32 = tried.iter().map(|tried| tried.visits).sum();
    assert!(visits <= 5, "{tried:?}");
    let mcts = Opponent::new(Pick::Mcts { playouts: 10 });
    assert_eq!(mcts.reply(&game, &state, &draws, &mut Budget::unlimited()), Ok(2));
}

/// Replies are the same on every machine and in every version.
#[test]
fn replies_are_frozen() {
    let game = of(&crate::hex::Hex, r#"{"size": 3}"#);
    let mut rng = rng();
    let draws = EpisodeDraws::from(&mut rng);
    let tried = searched(&game, &game.start(&mut rng), 60, &draws);
    let visits: Vec<u32> = tried.iter().map(|tried| tried.visits).collect();
    assert_eq!(visits, [4, 7, 31, 1, 1, 1, 1, 12, 2]);
}

#[test]
#[ignore = "a measurement"]
#[expect(clippy::disallowed_methods, reason = "the times are printed, and decide nothing")]
fn replies_are_timed() {
    fn timed<G: Game>(game: &G, name: &str) {
        for playouts in [10, 50, 200, 800] {
            let (mut rng, mut times) = (rng(), Vec::new());
            for _ in 0..20 {
                let draws = EpisodeDraws::from(&mut rng);
                let mut state = game.start(&mut rng);
                while game.turn(&state) != Turn::Over {
                    let clock = std::time::Instant::now();
                    searched(game, &state, playouts, &draws);
                    times.push(clock.elapsed().as_micros());
                    let legal = game.legal(&state);
                    let action = legal.nth(rng.below(legal.len().into()) as u32).unwrap();
                    game.apply(&mut state, action);
                }
            }
            times.sort_unstable();
            let at = |share: usize| times[times.len() * share / 100];
            println!("{name}: {playouts} playouts: {} us, 99 % within {} us", at(50), at(99));
        }
    }
    timed(&of(&crate::connect_four::ConnectFour, "{}"), "connect_four");
    timed(&of(&crate::hex::Hex, r#"{"size": 7}"#), "hex 7");
}
