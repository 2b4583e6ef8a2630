//! No split holds another's problem in disguise: renamed, reordered, mirrored or run backward. The images are computed
//! here, by another way than the families' fingerprints.

use std::collections::BTreeMap;

use kit::shared::program::Program;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::split::Split;
use serde_json::{Map, Value, json};

use crate::common::{batch, file, report, sample, source};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![no_split_holds_another_ones_problem_in_disguise]);
    cases.once(named![disguises_are_seen_through]);
}

/// The images of a problem under its symmetries; twins have the same set of them.
type Images = fn(&Value) -> Vec<String>;

/// Families with symmetries that a renaming of the prompt does not show.
const SYMMETRIES: [(&str, Images); 20] = [
    ("activity_scheduling", |offers| mirrored_in_time(offers)),
    ("binairo", |puzzle| turned_or_exchanged(puzzle)),
    ("congruences", |system| in_any_order(system)),
    ("cryptarithm", |puzzle| hidden_digits(puzzle)),
    ("hitori", |puzzle| turned_with_numbers_renamed(puzzle)),
    ("integration", |integral| at_minus_x(integral)),
    ("linear_system", |system| with_signs_turned(system)),
    ("maze", |maze| there_and_back(maze)),
    ("numbrix", |puzzle| turned_or_backward(puzzle)),
    ("nurikabe", |puzzle| turned(puzzle, "numbers").iter().map(|image| format!("{image:?}")).collect()),
    ("polynomial_multiplication", |product| with_other_signs(product)),
    ("program_induction", |examples| with_inputs_exchanged(examples, &[])),
    ("program_input", |target| with_inputs_exchanged(target, &["largest", "result"])),
    ("program_output", |call| with_inputs_exchanged(call, &["inputs"])),
    ("prove_equational", |claim| with_sides_exchanged(claim)),
    ("rush_hour", |lot| either_way_up(lot)),
    ("slitherlink", |puzzle| turned(puzzle, "clues").iter().map(|image| format!("{image:?}")).collect()),
    ("story_order", |story| renumbered(&[&story["holders"], &story["shown"]], 1)),
    ("tower_of_hanoi", |pegs| forward_and_backward(pegs)),
    ("zebra_puzzle", |puzzle| from_either_end(puzzle)),
];

/// Families whose words have a meaning: other words, another problem.
const MEANT: [&str; 3] = ["calendar_arithmetic", "knights_and_knaves", "string_rewriting"];

/// Small numbers in the order in which they first occur, in the first `relabeled` lists; the others as they are.
fn renumbered(lists: &[&Value], relabeled: usize) -> Vec<String> {
    let mut seen: Vec<&Value> = Vec::new();
    let mut text = String::new();
    for (at, list) in lists.iter().enumerate() {
        for value in list.as_array().unwrap() {
            let known = seen.iter().position(|known| *known == value);
            let number = known.unwrap_or_else(|| {
                seen.push(value);
                seen.len() - 1
            });
            text += &if at < relabeled { format!("{number} ") } else { format!("{value} ") };
        }
        text += "| ";
    }
    vec![text]
}

fn forward_and_backward(pegs: &Value) -> Vec<String> {
    let (start, goal, count) = (&pegs["start"], &pegs["goal"], json!([pegs["pegs"]]));
    [[start, goal, &count], [goal, start, &count]].iter().flat_map(|lists| renumbered(lists, 2)).collect()
}

/// The numbers that are added or multiplied, in any order, and the digits that letters hide.
fn hidden_digits(puzzle: &Value) -> Vec<String> {
    let numbers =
        |field: &str| puzzle[field].as_array().unwrap().iter().map(|number| number.as_u64().unwrap());
    let (mut parts, product): (Vec<u64>, _) = (numbers("parts").collect(), puzzle["operation"] == "*");
    if puzzle["operation"] == "-" {
        parts[0] -= parts[1];
    }
    let mut hidden: Vec<u64> = numbers("digits").take(puzzle["unknown"].as_u64().unwrap() as usize).collect();
    parts.sort_unstable();
    hidden.sort_unstable();
    vec![format!("{product} {parts:?} {hidden:?}")]
}

/// The eight images of a maze, with either end first.
fn there_and_back(maze: &Value) -> Vec<String> {
    let mut rows: Vec<Vec<char>> =
        maze["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().chars().collect()).collect();
    let side = rows.len();
    for end in ["start", "goal"] {
        let at = maze[end].as_u64().unwrap() as usize;
        rows[at / side][at % side] = 'E';
    }
    eight(&rows).iter().map(|rows| rows.iter().flatten().collect()).collect()
}

/// A square from all its sides, and mirrored.
fn eight<T: Copy>(rows: &[Vec<T>]) -> Vec<Vec<Vec<T>>> {
    let (side, mut turned, mut images) = (rows.len(), rows.to_vec(), Vec::new());
    for _ in 0..4 {
        turned =
            (0..side).map(|row| (0..side).map(|column| turned[side - 1 - column][row]).collect()).collect();
        images.push(turned.iter().map(|row| row.iter().rev().copied().collect()).collect());
        images.push(turned.clone());
    }
    images
}

/// The eight images of a grid, and those of the grid with 0 and 1 exchanged.
fn turned_or_exchanged(puzzle: &Value) -> Vec<String> {
    let rows: Vec<Vec<u64>> = serde_json::from_value(puzzle["givens"].clone()).unwrap();
    let exchange = |row: &Vec<u64>| row.iter().map(|number| [0, 2, 1][*number as usize]).collect();
    let exchanged = rows.iter().map(exchange).collect();
    let images = [rows, exchanged].into_iter().flat_map(|rows| eight(&rows));
    images.map(|image| format!("{image:?} {}", puzzle["distinct"])).collect()
}

/// The eight images of a grid whose cells hold what is given and what another field says.
fn turned(puzzle: &Value, field: &str) -> Vec<Vec<Vec<(u64, u64)>>> {
    let [one, other]: [Vec<Vec<u64>>; 2] =
        [field, "givens"].map(|field| serde_json::from_value(puzzle[field].clone()).unwrap());
    let rows = one.into_iter().zip(other);
    eight(&rows.map(|(one, other)| one.into_iter().zip(other).collect()).collect::<Vec<_>>())
}

fn turned_with_numbers_renamed(puzzle: &Value) -> Vec<String> {
    let renamed = |image: Vec<Vec<(u64, u64)>>| {
        let mut seen = Vec::new();
        let cells = image.into_iter().flatten().map(|(number, given)| {
            if !seen.contains(&number) {
                seen.push(number);
            }
            (seen.iter().position(|known| *known == number), given)
        });
        format!("{:?}", cells.collect::<Vec<_>>())
    };
    turned(puzzle, "numbers").into_iter().map(renamed).collect()
}

fn turned_or_backward(puzzle: &Value) -> Vec<String> {
    let rows: Vec<Vec<u64>> = serde_json::from_value(puzzle["givens"].clone()).unwrap();
    let past = (rows.len() * rows.len()) as u64 + 1;
    let back = |row: &Vec<u64>| row.iter().map(|number| (past - number) % past).collect();
    let backward = rows.iter().map(back).collect();
    let images = [rows, backward].into_iter().flat_map(|rows| eight(&rows));
    images.map(|image| format!("{image:?} {}", puzzle["diagonal"])).collect()
}

fn mirrored_in_time(offers: &Value) -> Vec<String> {
    let activities: Vec<[i64; 3]> = serde_json::from_value(offers["activities"].clone()).unwrap();
    let sorted = |mut activities: Vec<[i64; 3]>| {
        let first = activities.iter().map(|[start, ..]| *start).min().unwrap();
        for activity in &mut activities {
            activity[0] -= first;
            activity[1] -= first;
        }
        activities.sort_unstable();
        format!("{activities:?}")
    };
    let backward = activities.iter().map(|[start, end, value]| [-end, -start, *value]).collect();
    vec![sorted(activities), sorted(backward)]
}

/// The squares of each vehicle, the first vehicle first, with either end of the lot on top.
fn either_way_up(lot: &Value) -> Vec<String> {
    let number = |value: &Value| value.as_u64().unwrap();
    let image = |turned: bool| {
        let vehicles = lot["vehicles"].as_array().unwrap().iter().map(|vehicle| {
            let (row, column) = (number(&vehicle["row"]), number(&vehicle["column"]));
            let squares = (0..number(&vehicle["length"])).map(|along| {
                let (row, column) =
                    if vehicle["vertical"] == true { (row + along, column) } else { (row, column + along) };
                (if turned { number(&lot["size"]) - 1 - row } else { row }, column)
            });
            let mut squares: Vec<(u64, u64)> = squares.collect();
            squares.sort_unstable();
            squares
        });
        let mut vehicles: Vec<_> = vehicles.collect();
        vehicles[1..].sort_unstable();
        format!("{} {vehicles:?}", lot["size"])
    };
    vec![image(false), image(true)]
}

/// The clues along the row and against it, categories and items numbered as they occur.
fn from_either_end(puzzle: &Value) -> Vec<String> {
    let number = |value: &Value| value.as_u64().unwrap();
    let houses = number(&puzzle["houses"]);
    let image = |against: bool| {
        let (mut categories, mut items) = (Vec::new(), Vec::new());
        let mut seen = |thing: &Value| {
            let thing = number(thing);
            let at = |of: u64, seen: &mut Vec<u64>| {
                seen.iter().position(|known| *known == of).unwrap_or_else(|| {
                    seen.push(of);
                    seen.len() - 1
                })
            };
            (at(thing / houses, &mut categories), at(thing, &mut items))
        };
        let clue = |clue: &Value| {
            if clue["kind"] == "pair" {
                let turned = against && (clue["relation"] == "left_of" || clue["relation"] == "before");
                let ends = if turned { ["other", "one"] } else { ["one", "other"] };
                format!("{} {:?}", clue["relation"], ends.map(|end| seen(&clue[end])))
            } else {
                let house = number(&clue["house"]);
                let house = if against { houses + 1 - house } else { house };
                format!("{} {:?} {house}", clue["kind"], seen(&clue["thing"]))
            }
        };
        puzzle["clues"].as_array().unwrap().iter().map(clue).collect::<Vec<_>>().join("; ")
    };
    vec![image(false), image(true)]
}

/// Every choice of signs of the factors that leaves the sign of the product, in x and in -x.
fn with_other_signs(product: &Value) -> Vec<String> {
    let factors: Vec<Vec<i64>> = serde_json::from_value(product["factors"].clone()).unwrap();
    let mut images = Vec::new();
    for choice in (0..1u32 << factors.len()).filter(|choice| choice.count_ones() % 2 == 0) {
        for x in [1, -1] {
            let image = |(at, factor): (usize, &Vec<i64>)| {
                let sign = if choice >> at & 1 == 1 { -1 } else { 1 };
                let power = |at: usize| if (factor.len() - 1 - at) % 2 == 1 { x } else { 1 };
                factor.iter().enumerate().map(|(at, c)| sign * power(at) * c).collect()
            };
            let mut all: Vec<Vec<i64>> = factors.iter().enumerate().map(image).collect();
            all.sort_unstable();
            images.push(format!("{all:?}"));
        }
    }
    images
}

/// The congruences in one order, each factor as a remainder.
fn in_any_order(system: &Value) -> Vec<String> {
    let congruences: Vec<(u64, (u64, u64))> = serde_json::from_value(system["congruences"].clone()).unwrap();
    let mut reduced: Vec<_> = congruences.iter().map(|(a, (b, m))| (a % m, b, m)).collect();
    reduced.sort_unstable();
    vec![format!("{} {reduced:?}", system["exponent"])]
}

/// The terms in `x` and in `-x`, as they are and with all signs turned.
fn at_minus_x(integral: &Value) -> Vec<String> {
    let image = |x: i64, all: i64| {
        let term = |term: &Value| {
            let (mut part, number) =
                (term["part"].clone(), |name: &str| term["part"][name].as_i64().unwrap_or(0));
            let odd = match part["kind"].as_str().unwrap() {
                "chain" => true,
                "split" => false,
                "sin" => number("n") % 2 == 0,
                _ => number("n") % 2 == 1,
            };
            if x < 0 {
                match part["kind"].as_str().unwrap() {
                    "exp" => part["k"] = json!(-number("k")),
                    "pole" => part["a"] = json!(-number("a")),
                    "split" => {
                        part["p"] = json!(-number("p"));
                        part["a"] = json!(-number("b"));
                        part["b"] = json!(-number("a"));
                    }
                    _ => {}
                }
            }
            format!("{} {part}", term["by"].as_i64().unwrap() * all * if odd { x } else { 1 })
        };
        let mut terms: Vec<String> = integral["terms"].as_array().unwrap().iter().map(term).collect();
        terms.sort_unstable();
        terms.join(" ")
    };
    vec![image(1, 1), image(1, -1), image(-1, 1), image(-1, -1)]
}

/// Every order of up to four unknowns with every choice of their signs and of the sum's; an equation's own sign is the
/// one that makes it larger.
fn with_signs_turned(system: &Value) -> Vec<String> {
    let rows: Vec<Vec<i64>> = serde_json::from_value(system["equations"].clone()).unwrap();
    let asked: Vec<i64> = serde_json::from_value(system["asked"].clone()).unwrap();
    let mut orders = vec![Vec::new()];
    for _ in &asked {
        let longer = |order: Vec<usize>| {
            let rest: Vec<usize> = (0..asked.len()).filter(|at| !order.contains(at)).collect();
            rest.into_iter().map(move |at| [&order[..], &[at]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    let mut images = Vec::new();
    for order in &orders {
        for choice in 0..2u32 << asked.len() {
            let sign = |at: usize| if choice >> at & 1 == 1 { -1 } else { 1 };
            let moved = |row: &Vec<i64>| order.iter().map(|at| row[*at] * sign(*at)).collect::<Vec<i64>>();
            let larger = |row: &Vec<i64>| {
                let row = [&moved(row)[..], &row[asked.len()..]].concat();
                row.iter().map(|number| -number).collect::<Vec<i64>>().max(row)
            };
            let mut rows: Vec<Vec<i64>> = rows.iter().map(larger).collect();
            rows.sort_unstable();
            let asked: Vec<i64> = moved(&asked).iter().map(|c| c * sign(asked.len())).collect();
            images.push(format!("{asked:?} {rows:?}"));
        }
    }
    images
}

/// A program unchanged and with `a` and `b` exchanged, the other variables numbered as they occur, and some fields.
fn with_inputs_exchanged(problem: &Value, fields: &[&str]) -> Vec<String> {
    let text = problem["program"].as_str().unwrap();
    let image = |exchanged: bool| {
        let word = |word: &str| match word {
            "a" if exchanged => "b".to_owned(),
            "b" if exchanged => "a".to_owned(),
            word => word.to_owned(),
        };
        let program = Program::read(&words(text, word), &["a".to_owned(), "b".to_owned()]).unwrap();
        let rest = fields.iter().map(|field| match &problem[*field] {
            Value::Array(inputs) if exchanged => json!(inputs.iter().rev().collect::<Vec<_>>()),
            field => field.clone(),
        });
        format!("{} {:?}", program.anonymous(), rest.collect::<Vec<_>>())
    };
    vec![image(false), image(true)]
}

/// An equation with either side first, its letters in every order of the same sort.
fn with_sides_exchanged(claim: &Value) -> Vec<String> {
    let (left, right) = claim["goal"].as_str().unwrap().split_once(" = ").unwrap();
    let lists = claim["symbols"].to_string().contains("rev");
    let orders: &[[&str; 3]] = &[
        ["a", "b", "c"],
        ["a", "c", "b"],
        ["b", "a", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["c", "b", "a"],
    ];
    let mut images = Vec::new();
    for order in orders.iter().filter(|order| !lists || order[2] == "c") {
        for k in if lists { &["k", "l"][..] } else { &["k"] } {
            let word = |word: &str| match word {
                "a" => order[0].to_owned(),
                "b" => order[1].to_owned(),
                "c" => order[2].to_owned(),
                "k" => (*k).to_owned(),
                "l" if *k == "l" => "k".to_owned(),
                word => word.to_owned(),
            };
            let (left, right) = (words(left, word), words(right, word));
            images.extend([format!("{left} = {right}"), format!("{right} = {left}")]);
        }
    }
    images.iter().map(|image| format!("{image} {}", claim["symbols"])).collect()
}

/// The text with every word replaced.
fn words(text: &str, mut replaced: impl FnMut(&str) -> String) -> String {
    let (mut written, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(char::is_alphabetic) {
        let end = rest[start..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |end| start + end);
        written += &rest[..start];
        written += &replaced(&rest[start..end]);
        rest = &rest[end..];
    }
    written + rest
}

/// The prompt in one wording and the answer, with words numbered as they first occur: equal for problems that differ in
/// names alone.
fn renamed(task: &Task) -> String {
    let style = json!({"template": task.family.templates()[0].name, "words": 1});
    let posed =
        Task::pose(task.instance.clone(), None, None, style.as_object().unwrap_or(&Map::new())).unwrap();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    words(&format!("{}\n{}", posed.prompt(), task.problem.answer()), |word| {
        let next = seen.len();
        format!("w{}", seen.entry(word.to_owned()).or_insert(next))
    })
}

/// A text that twins share.
fn image(task: &Task) -> String {
    let family = task.family;
    match SYMMETRIES.iter().find(|(name, _)| *name == family.name()) {
        Some((_, images)) => {
            let problem = serde_json::from_str(&task.problem.json()).unwrap();
            images(&problem).into_iter().min().expect("a problem is an image of itself")
        }
        None if matters(family) => format!("{}\n{}", task.prompt(), task.problem.answer()),
        None => renamed(task),
    }
}

/// True if the words of a problem are what it is about.
fn matters(family: &Family) -> bool {
    ["text", "formatting"].contains(&family.about().domain) || MEANT.contains(&family.name())
}

/// `make test-all` searches 2,000 tasks of each split.
fn no_split_holds_another_ones_problem_in_disguise(family: &'static Family) {
    if family.about().derived {
        return;
    }
    let count = sample(40, 2_000);
    let levels = [0, 1, family.top_level() / 2];
    let (mut found, mut looked) = (Vec::new(), 0);
    for level in levels {
        let mut homes: BTreeMap<String, (Split, String)> = BTreeMap::new();
        for split in [Split::Train, Split::Eval, Split::Test] {
            // In a small sample, few of train and many of the others meet by chance: train is the largest.
            let count = if split == Split::Train { 2 * count } else { count };
            for task in batch(&source(family, level, split, 17), 0..count).tasks {
                looked += 1;
                match homes.entry(image(&task)) {
                    std::collections::btree_map::Entry::Occupied(home) if home.get().0 != split => {
                        found.push(format!("{} and {}", home.get().1, task.id()));
                    }
                    entry => drop(entry.or_insert((split, task.id()))),
                }
            }
        }
    }
    report(&format!("{}: {} twins among {looked} tasks", family.name(), found.len()));
    assert!(
        found.is_empty(),
        "{}: `fingerprint` differs for {} pairs of twins, such as {:?}",
        file(family),
        found.len(),
        &found[..found.len().min(3)]
    );
}

fn disguises_are_seen_through() {
    let pair = |family: &str, one: Value, other: Value| {
        let (_, images) = SYMMETRIES.iter().find(|(name, _)| *name == family).unwrap();
        let [one, other] = [one, other].map(|problem| images(&problem).into_iter().min());
        assert_eq!(one, other, "{family}");
    };
    pair(
        "tower_of_hanoi",
        json!({"pegs": 3, "start": [0, 1, 1], "goal": [2, 1, 0]}),
        json!({"pegs": 3, "start": [1, 0, 2], "goal": [2, 0, 0]}),
    );
    pair(
        "congruences",
        json!({"exponent": false, "congruences": [[9, [2, 7]], [1, [3, 5]]]}),
        json!({"exponent": false, "congruences": [[1, [3, 5]], [2, [2, 7]]]}),
    );
    pair(
        "program_input",
        json!({"program": "x = a - 2 * b\nreturn x", "largest": 9, "result": 3}),
        json!({"program": "s = b - 2 * a\nreturn s", "largest": 9, "result": 3}),
    );
    pair(
        "polynomial_multiplication",
        json!({"factors": [[2, 3], [1, -1]]}),
        json!({"factors": [[-1, -1], [-2, 3]]}),
    );
    pair(
        "integration",
        json!({"terms": [{"by": 2, "part": {"kind": "exp", "n": 1, "k": 3}}, {"by": 5, "part": {"kind": "sin", "n": 0, "k": 2}}]}),
        json!({"terms": [{"by": -5, "part": {"kind": "sin", "n": 0, "k": 2}}, {"by": -2, "part": {"kind": "exp", "n": 1, "k": -3}}]}),
    );
    pair(
        "linear_system",
        json!({"equations": [[2, -1, 7], [1, 3, 0]], "asked": [1, -2]}),
        json!({"equations": [[-3, 1, 0], [-1, -2, -7]], "asked": [-2, -1]}),
    );
    pair(
        "cryptarithm",
        json!({"operation": "-", "parts": [93, 45], "digits": [9, 4, 3, 5, 8, 0], "unknown": 2}),
        json!({"operation": "+", "parts": [48, 45], "digits": [4, 9, 0, 8, 5, 3], "unknown": 2}),
    );
    pair(
        "story_order",
        json!({"holders": [0, 4, 2, 4, 7], "shown": [2, 0, 1, 3]}),
        json!({"holders": [9, 1, 3, 1, 0], "shown": [2, 0, 1, 3]}),
    );
    pair(
        "activity_scheduling",
        json!({"activities": [[0, 5, 3], [4, 9, 7]]}),
        json!({"activities": [[11, 16, 3], [7, 12, 7]]}),
    );
    pair(
        "binairo",
        json!({"givens": [[1, 0, 0], [0, 0, 2], [0, 2, 0]], "distinct": true}),
        json!({"givens": [[0, 1, 0], [0, 0, 1], [2, 0, 0]], "distinct": true}),
    );
    pair(
        "hitori",
        json!({"numbers": [[3, 1], [3, 2]], "givens": [[1, 0], [2, 0]]}),
        json!({"numbers": [[1, 1], [3, 2]], "givens": [[1, 2], [0, 0]]}),
    );
    pair(
        "numbrix",
        json!({"givens": [[1, 0], [0, 3]], "diagonal": false}),
        json!({"givens": [[0, 2], [4, 0]], "diagonal": false}),
    );
    pair(
        "zebra_puzzle",
        json!({"houses": 3, "clues": [{"kind": "at", "thing": 5, "house": 3}, {"kind": "pair", "relation": "before", "one": 2, "other": 3}]}),
        json!({"houses": 3, "clues": [{"kind": "at", "thing": 0, "house": 1}, {"kind": "pair", "relation": "before", "one": 1, "other": 4}]}),
    );
    pair(
        "prove_equational",
        json!({"goal": "a * b = e", "symbols": ["e"]}),
        json!({"goal": "e = c * a", "symbols": ["e"]}),
    );
}
