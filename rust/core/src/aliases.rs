//! Aliases of families and games, and the errors for unknown names.

use kit::error::{Error, nearest, quoted};

const MOST_SUGGESTIONS: usize = 5;

/// Aliases of families, from the field and from other libraries.
pub const FAMILIES: &[(&str, &str)] = &[
    ("15_puzzle", "sliding_tiles"),
    ("8_puzzle", "sliding_tiles"),
    ("activity_selection", "activity_scheduling"),
    ("akari", "light_up"),
    ("binary_puzzle", "binairo"),
    ("blocks_world", "blocksworld"),
    ("caesar", "caesar_cipher"),
    ("chinese_remainder", "congruences"),
    ("conway", "game_of_life"),
    ("count_letters", "letter_counting"),
    ("cross_sums", "kakuro"),
    ("dijkstra", "shortest_path"),
    ("eight_puzzle", "sliding_tiles"),
    ("eight_queens", "n_queens"),
    ("einstein", "zebra_puzzle"),
    ("factorization", "prime_factorization"),
    ("fences", "slitherlink"),
    ("fifteen_puzzle", "sliding_tiles"),
    ("gol", "game_of_life"),
    ("graph_color", "graph_coloring"),
    ("hanoi", "tower_of_hanoi"),
    ("intermediate_integration", "integration"),
    ("interval_scheduling", "activity_scheduling"),
    ("jssp", "job_shop"),
    ("kenken", "calcudoku"),
    ("kk", "knights_and_knaves"),
    ("knights_knaves", "knights_and_knaves"),
    ("light_out", "lights_out"),
    ("linear_equations", "linear_system"),
    ("lis", "longest_increasing_subsequence"),
    ("mathdoku", "calcudoku"),
    ("nonograms", "nonogram"),
    ("nqueens", "n_queens"),
    ("picross", "nonogram"),
    ("prime_factors", "prime_factorization"),
    ("queens", "n_queens"),
    ("resistors", "resistor_network"),
    ("rushhour", "rush_hour"),
    ("satisfiability", "sat"),
    ("self_referential", "self_reference"),
    ("simple_integration", "integration"),
    ("skyscraper", "skyscrapers"),
    ("sliding_puzzle", "sliding_tiles"),
    ("sliding_tile_puzzle", "sliding_tiles"),
    ("slither_link", "slitherlink"),
    ("string_manipulation", "string_rewriting"),
    ("takuzu", "binairo"),
    ("topological_sort", "topological_order"),
    ("toposort", "topological_order"),
    ("towers", "skyscrapers"),
    ("towers_of_hanoi", "tower_of_hanoi"),
    ("traveling_salesman", "tsp"),
    ("travelling_salesman", "tsp"),
    ("two_not_touch", "star_battle"),
    ("unblock_me", "rush_hour"),
    ("zebra", "zebra_puzzle"),
    ("zebra_puzzles", "zebra_puzzle"),
];

pub const GAMES: &[(&str, &str)] = &[
    ("connect4", "connect_four"),
    ("kuhn", "kuhn_poker"),
    ("noughts_and_crosses", "tic_tac_toe"),
    ("reversi", "othello"),
    ("tictactoe", "tic_tac_toe"),
    ("ttt", "tic_tac_toe"),
];

/// Well-known tasks that are not families here, each with the nearest families and the params that come
/// closest.
const NEAR: &[(&str, &[&str], &str)] = &[
    ("24", &["countdown"], "numbers=4, use_all=True, lowest_target=24, highest_target=24"),
    ("clique", &["vertex_subset"], "kind='clique'"),
    ("codeio", &["program_output", "program_input"], ""),
    ("coin_flip", &["exact_probability"], ""),
    ("crt", &["congruences"], "kind='crt'"),
    ("cvrp", &["tsp"], ""),
    ("dice", &["exact_probability"], "kind='dice'"),
    ("diophantine", &["congruences"], "kind='linear'"),
    ("discrete_log", &["congruences"], "kind='discrete_log'"),
    ("dominating_set", &["vertex_subset"], "kind='dominating_set'"),
    ("exact_cover", &["set_cover"], "kind='exact_cover'"),
    ("formatask", &["mark_passages"], ""),
    ("fraction_simplification", &["fraction_arithmetic"], ""),
    ("game24", &["countdown"], "numbers=4, use_all=True, lowest_target=24, highest_target=24"),
    ("gcd", &["gcd_lcm"], "gcd_percent=100"),
    ("hidato", &["numbrix"], "diagonal=True"),
    ("hitting_set", &["set_cover"], "kind='hitting_set'"),
    ("independent_set", &["vertex_subset"], "kind='independent_set'"),
    ("lcm", &["gcd_lcm"], "gcd_percent=0"),
    ("lcs", &["longest_increasing_subsequence"], ""),
    ("max_coverage", &["set_cover"], "kind='max_coverage'"),
    ("max_cut", &["vertex_subset"], "kind='max_cut'"),
    ("mini_sudoku", &["sudoku"], "level=0"),
    ("number_sorting", &["sorting"], ""),
    ("palindrome_generation", &["palindrome_completion"], ""),
    ("propositional_logic", &["propositional_entailment"], ""),
    ("puzzle24", &["countdown"], "numbers=4, use_all=True, lowest_target=24, highest_target=24"),
    ("quantum_lock", &["button_lock"], ""),
    ("rubiks_cube", &["pocket_cube"], ""),
    ("sentence_reordering", &["story_order"], ""),
    ("simple_equations", &["linear_system"], "unknowns=2"),
    ("simple_geometry", &["coordinate_geometry"], ""),
    ("spell_backward", &["reverse_text"], "unit='characters'"),
    ("unscramble_sentence", &["story_order"], ""),
    ("vertex_cover", &["vertex_subset"], "kind='vertex_cover'"),
    ("vrp", &["tsp"], ""),
    ("word_sequence_reversal", &["reverse_text"], "unit='words', alphabet='words'"),
];

/// The name that `name` or its alias refers to; case does not matter, and hyphens and spaces count as
/// underscores.
pub fn resolved<'a>(aliases: &'a [(&str, &str)], known: &[&'a str], name: &str) -> Option<&'a str> {
    let plain = name.to_lowercase().replace(['-', ' '], "_");
    let alias = || aliases.iter().find(|(alias, _)| *alias == plain).map(|(_, name)| *name);
    known.iter().copied().find(|known| *known == plain).or_else(alias)
}

/// The error for an unknown family, with the nearest names and, in `elsewhere`, what else has this name.
pub fn no_family(name: &str, known: &[&str], elsewhere: Option<&str>) -> Error {
    let plain = name.to_lowercase().replace(['-', ' '], "_");
    let near = NEAR.iter().find(|(other, ..)| *other == plain).map_or_else(
        || suggestions(&plain, known).join("`, `"),
        |(_, families, params)| {
            let with = if params.is_empty() { String::new() } else { format!("` with `{params}") };
            families.join("` or `") + &with
        },
    );
    let is_near = !near.is_empty() && elsewhere.is_none();
    let besides = elsewhere.map(|what| format!("; `{}` is a {what}", quoted(name))).unwrap_or_default();
    Error::UnknownName {
        kind: "family",
        name: quoted(name),
        nearest: is_near.then_some(near),
        known: format!("{}, which `reasonenv families` lists{besides}", known.len()),
    }
}

/// The nearest name if it is only a typo away; otherwise the names that share a word.
fn suggestions<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    if let Some(nearest) = nearest(name, known.iter().copied()).filter(|near| near.len() > 3) {
        return known.iter().copied().filter(|known| *known == nearest).collect();
    }
    let words: Vec<&str> = name.split('_').filter(|word| word.len() > 3).collect();
    let shares = |known: &&&str| words.iter().any(|word| known.contains(word));
    known.iter().filter(shares).take(MOST_SUGGESTIONS).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{families, games};

    fn said(name: &str) -> String {
        families::find(name).err().expect("nothing has the name").to_string()
    }

    #[test]
    fn every_alias_leads_somewhere_and_hides_nothing() {
        let (families, games) = (families::names(), games::names());
        for (alias, family) in FAMILIES {
            assert!(families.contains(family) && !families.contains(alias), "{alias}");
            assert_eq!(crate::families::find(alias).unwrap().name(), *family);
        }
        for (alias, game) in GAMES {
            assert!(games.contains(game) && !games.contains(alias), "{alias}");
            assert_eq!(crate::games::find(alias).unwrap().about().name, *game);
        }
        for (name, near, _) in NEAR {
            assert!(
                near.iter().all(|family| families.contains(family)) && !families.contains(name),
                "{name}"
            );
        }
    }

    #[test]
    fn hyphens_spaces_and_capitals_do_not_matter() {
        assert_eq!(families::find("Chain-Sum").unwrap().name(), "chain_sum");
        assert_eq!(families::find("Knights Knaves").unwrap().name(), "knights_and_knaves");
        assert_eq!(games::find("TicTacToe").unwrap().about().name, "tic_tac_toe");
    }

    #[test]
    fn an_unknown_name_gets_a_short_answer() {
        assert_eq!(said("chain_sun"), "no family `chain_sun`; did you mean `chain_sum`?");
        assert_eq!(said("dice"), "no family `dice`; did you mean `exact_probability` with `kind='dice'`?");
        assert_eq!(said("codeio"), "no family `codeio`; did you mean `program_output` or `program_input`?");
        assert_eq!(said("formatask"), "no family `formatask`; did you mean `mark_passages`?");
        let error = said("program_synthesis_benchmark");
        assert!(error.contains("did you mean") && error.matches('`').count() <= 12, "{error}");
        let count = families::names().len();
        assert_eq!(
            said("poetry"),
            format!("no family `poetry`; there are {count}, which `reasonenv families` lists")
        );
        assert!(said("nim").ends_with("lists; `nim` is a game"));
        assert!(said("math_equal").ends_with("lists; `math_equal` is a verifier"));
    }
}
