//! Fill a Latin square in which inequality signs hold between neighbors: futoshiki from 3 by 3 to 9 by 9.

use kit::picture::{CELL, Ink, Picture};
use kit::shape::rules::{
    self, CELLS, CHANGED_GIVEN, COLUMN_REPEAT, Completion, GIVENS_KEPT, INCOMPLETE_GRID, Placings,
    ROW_REPEAT, RuledGrid, Square,
};
use kit::shared::csp::Less;
use kit::shared::grid::{Grid, Symmetry};
use kit::shared::invariant::{mix, unordered};
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;

mod wording;

pub struct Futoshiki;

params! {
    pub struct FutoshikiParams {
        /// Rows and columns of the grid.
        size: u32 [3..=9],
        /// Givens, in percent of the cells. A puzzle has more when a unique solution requires more.
        givens_percent: u32 [0..=90],
        /// Inequality signs, in percent of the pairs of neighboring cells.
        signs_percent: u32 [10..=100],
        /// True if the puzzle requires trial and contradiction at some point, because the rules alone lead no
        /// further.
        trials: bool,
    }
    levels {
        (3, 34, 40, false),
        (4, 50, 40, false),
        (4, 40, 40, false),
        (4, 5, 50, false),
        (5, 15, 40, false),
        (6, 15, 40, false),
        (7, 15, 35, false),
        (6, 5, 40, true),
        (7, 10, 40, true),
        (8, 10, 40, true),
        (9, 10, 40, true),
    }
    default 4
    check Self::consistent;
}

impl FutoshikiParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(!self.trials || self.givens_percent <= MOST_GIVENS_WITH_TRIALS, || {
            let (given, most) = (self.givens_percent, MOST_GIVENS_WITH_TRIALS);
            format!("`givens_percent` is {given}, but must be at most {most} when `trials` is true")
        })
    }
}

/// With more givens than this, in percent, hardly any puzzle needs a trial.
const MOST_GIVENS_WITH_TRIALS: u32 = 30;

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The given numbers, 0 for an empty cell.
    givens: Grid<u8>,
    /// Neighboring cells, numbered in reading order from 0, the one with the smaller number first.
    less: Vec<[usize; 2]>,
    /// The one square that fits the givens and the signs.
    solution: Grid<u8>,
}

impl TaskFamily for Futoshiki {
    type Params = FutoshikiParams;
    type Problem = Completion<Puzzle>;

    const ABOUT: About = About {
        summary: "Fill a Latin square in which inequality signs hold between neighboring numbers.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            CHANGED_GIVEN,
            ROW_REPEAT,
            COLUMN_REPEAT,
            ("sign_broken", "an inequality sign between two numbers does not hold"),
            INCOMPLETE_GRID,
            OUT_OF_RANGE,
        ],
        parts: &[
            GIVENS_KEPT,
            CELLS,
            Part::new(
                "rules_kept",
                "share of the rows and columns that contain every number and of the signs that hold",
            ),
        ],
        skills: &["constraint_propagation", "ordering", "case_analysis", "spatial_reading"],
        guess_rate: 0.1,
        guess_score: 0.33,
        ..About::new("puzzles", "futoshiki", &["First version."])
    };

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Completion<Puzzle>> {
        let latin = rules(params.size as usize, &[]);
        loop {
            let solution = latin.random_grid(rng, budget)?;
            let mut less = solution.neighbours();
            rng.shuffle(&mut less);
            less.truncate(less.len() * params.signs_percent as usize / 100);
            less.sort_unstable();
            for pair in &mut less {
                pair.sort_by_key(|cell| solution[*cell]);
            }
            let (rules, percent) = (rules(solution.rows(), &less), params.givens_percent as usize);
            let least = solution.cells().len() * percent / 100;
            let mut drawn =
                Completion(Puzzle { givens: solution.map(|_| 0), less, solution: solution.clone() });
            let fingerprint = |givens: &Grid<u8>| {
                Square::fingerprint(&Puzzle { givens: givens.clone(), ..drawn.0.clone() })
            };
            let dug = rules.puzzle(&solution, (least, params.trials), rng, budget, fingerprint)?;
            if let Some(givens) = dug {
                drawn.0.givens = givens;
                return Ok(drawn);
            }
        }
    }
}

impl Puzzle {
    /// A rule between two cells: `r1c2 < r1c3`.
    fn inequality(&self, rule: usize) -> String {
        let [small, large] = self.less[rule].map(|cell| self.solution.place(cell).short());
        format!("{small} < {large}")
    }

    fn size(&self) -> usize {
        self.givens.rows()
    }

    fn rules(&self) -> RuledGrid {
        rules(self.size(), &self.less)
    }
}

/// The signs as rules of a square.
fn rules(size: usize, less: &[[usize; 2]]) -> RuledGrid {
    RuledGrid::new(size, size, size as u8, less.iter().map(|pair| Less(*pair))).with_lines()
}

impl Square for Puzzle {
    const TEMPLATES: &'static [Template<Completion<Self>>] = &[
        Template::open("drawn", |puzzle, rng| puzzle.drawn(rng)),
        Template::open("walled", |puzzle, rng| puzzle.walled(rng)),
        Template::held_out("listed", |puzzle, rng| puzzle.listed(rng)),
        Template::held_out("plants", |puzzle, rng| puzzle.plants(rng)),
    ];
    const COST: u64 = 200;

    fn givens(&self) -> &Grid<u8> {
        &self.givens
    }

    fn solution(&self) -> &Grid<u8> {
        &self.solution
    }

    fn check(&self) -> Result<(), String> {
        check::that((3..=9).contains(&self.size()), || {
            format!("`givens` has {} rows, but must have 3 to 9", self.size())
        })?;
        self.squares().check(true)?;
        let neighbours = self.solution.neighbours();
        check::length("less", &self.less, 0..=neighbours.len(), "pairs of cells")?;
        for pair in &self.less {
            let [small, large] = pair;
            check::that(neighbours.contains(&in_order(pair)), || {
                format!("`less` has {small} and {large}, which are not neighboring cells")
            })?;
            check::that(self.solution[*small] < self.solution[*large], || {
                format!("`less` has {small} and {large}, but `solution` has no smaller number in the first")
            })?;
        }
        check::that(self.less.is_sorted_by(|a, b| in_order(a) < in_order(b)), || {
            "`less` must have each pair once, in reading order".to_owned()
        })
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        self.rules().certify(self.squares(), "`givens` and `less`", budget)
    }

    fn judge_grid(&self, answer: &Grid<u8>) -> Judged {
        let true_signs =
            self.less.iter().filter(|[small, large]| (1..answer[*large]).contains(&answer[*small]));
        let kept = true_signs.count() + rules::complete_lines(answer);
        let rules = self.less.len() + 2 * self.size();
        let false_sign =
            |[small, large]: &&[usize; 2]| answer[*large] > 0 && answer[*small] >= answer[*large];
        let broken = self.less.iter().find(false_sign).map(|pair| {
            let [(a, one), (b, other)] = pair.map(|cell| (answer[cell], answer.place(cell)));
            let line = if one.row == other.row { one.row } else { self.size() + one.column };
            let line = rules::line_name(line, self.size());
            ("sign_broken", format!("{line}: {a} is not less than {b}"))
        });
        let judged = self.squares().judge(answer, true, broken);
        judged.map_err(|failure| failure.part("rules_kept", kept as f32 / rules as f32))
    }

    fn draw(&self, grid: &Grid<u8>) -> String {
        self.picture(grid, ".")
    }

    /// Signs are drawn in the gap between two cells, pointing at the smaller one.
    fn board(&self) -> Picture {
        let size = self.size() as u32;
        let mut picture = Picture::new(size, size);
        for cell in 0..size * size {
            picture.frame(
                (cell % size * CELL + 1, cell / size * CELL + 1),
                (CELL - 2, CELL - 2),
                0,
                Ink::Grey,
            );
        }
        for [small, large] in &self.less {
            let place = self.givens.place(*small.min(large));
            let (x, y) = (place.column as u32 * CELL, place.row as u32 * CELL);
            let (right, below) = ((x + CELL, y + CELL / 2), (x + CELL / 2, y + CELL));
            let (tip, ends) = match *large as isize - *small as isize {
                1 => ((right.0 - 1, right.1), [(right.0 + 1, right.1 - 1), (right.0 + 1, right.1 + 1)]),
                -1 => ((right.0 + 1, right.1), [(right.0 - 1, right.1 - 1), (right.0 - 1, right.1 + 1)]),
                2.. => ((below.0, below.1 - 1), [(below.0 - 1, below.1 + 1), (below.0 + 1, below.1 + 1)]),
                _ => ((below.0, below.1 + 1), [(below.0 - 1, below.1 - 1), (below.0 + 1, below.1 - 1)]),
            };
            for end in ends {
                picture.line(tip, end, 0, Ink::Black);
            }
        }
        picture
    }

    /// Cells whose number is less than that to the right, below, to the left and above.
    const RULE_PLANES: usize = 4;

    fn observe_rules(&self, planes: &mut [f32]) {
        let cells = self.givens.cells().len();
        for &[small, large] in &self.less {
            let side = match large as isize - small as isize {
                1 => 0,
                -1 => 2,
                2.. => 1,
                _ => 3,
            };
            planes[side * cells + small] = 1.0;
        }
    }

    fn explain(&self) -> Vec<String> {
        self.rules().explain(self.squares(), |rule| self.inequality(rule))
    }

    fn hints(&self) -> Vec<String> {
        self.rules().hints(self.squares(), |rule| self.inequality(rule))
    }

    fn step_judge(&self) -> Box<dyn StepJudge + '_> {
        let reasons = self.rules().reasons(self.squares(), |rule| self.inequality(rule));
        Box::new(Placings::new(self.squares(), reasons))
    }

    fn cost(&self) -> u64 {
        self.rules().path(self.squares()).cost
    }

    /// Equal for all twins.
    fn fingerprint(&self) -> Vec<u8> {
        let size = self.size();
        let word = |kind: u64, a: usize, b: usize| kind << 32 | (a as u64) << 16 | b as u64;
        let images = |symmetry: Symmetry| {
            let image = |cell| symmetry.image(cell, size);
            let mut sums = [0u64; 2];
            let mut add = |words: [u64; 2]| {
                for (sum, word) in sums.iter_mut().zip(words) {
                    *sum = sum.wrapping_add(mix(word));
                }
            };
            for (cell, given) in self.givens.cells().iter().enumerate().filter(|(_, given)| **given > 0) {
                let (cell, given) = (image(cell), usize::from(*given));
                add([word(0, cell, given), word(0, cell, size + 1 - given)]);
            }
            for [small, large] in self.less.iter().map(|pair| pair.map(image)) {
                add([word(1, small, large), word(1, large, small)]);
            }
            sums
        };
        unordered(Symmetry::ALL.into_iter().flat_map(images)).to_be_bytes().to_vec()
    }

    /// Applies one of the eight symmetries, and possibly replaces every number `v` by `n + 1 - v`, which
    /// reverses the signs.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (symmetry, complement, size) = (*rng.pick(&Symmetry::ALL), rng.chance(1, 2), self.size());
        let number = |number: &u8| if complement && *number > 0 { size as u8 + 1 - number } else { *number };
        let pair = |pair: &[usize; 2]| {
            let [small, large] = pair.map(|cell| symmetry.image(cell, size));
            if complement { [large, small] } else { [small, large] }
        };
        let mut less: Vec<[usize; 2]> = self.less.iter().map(pair).collect();
        less.sort_by_key(in_order);
        let turned = |grid: &Grid<u8>| grid.turned(symmetry).map(number);
        Self { givens: turned(&self.givens), less, solution: turned(&self.solution) }
    }
}

/// The two cells in reading order.
fn in_order(pair: &[usize; 2]) -> [usize; 2] {
    [pair[0].min(pair[1]), pair[0].max(pair[1])]
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::shared::csp::Why;
    use kit::task::erased::AnyFamily;

    pub fn rng(stream: u64) -> Rng {
        Key::new("futoshiki", 1, "", 0, "").stream(stream)
    }

    pub fn drawn(params: &FutoshikiParams, rng: &mut Rng) -> Completion<Puzzle> {
        TaskFamily::generate(&Futoshiki, params, rng, &mut Budget::new(u64::MAX)).unwrap()
    }

    /// 1 < 2 and 2 over 4 > 1; 3 > 1, and 4 over 2.
    pub fn small() -> Completion<Puzzle> {
        let grid = |cells: [u8; 16]| Grid::new(4, cells.to_vec());
        Completion(Puzzle {
            givens: grid([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
            less: vec![[0, 1], [1, 5], [6, 5], [9, 8], [14, 10]],
            solution: grid([1, 2, 3, 4, 2, 4, 1, 3, 3, 1, 4, 2, 4, 3, 2, 1]),
        })
    }

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle = small();
        let judge = |cells: [u8; 16]| Verdict::from(puzzle.judge_grid(&Grid::new(4, cells.to_vec())));
        assert!(judge([1, 2, 3, 4, 2, 4, 1, 3, 3, 1, 4, 2, 4, 3, 2, 1]).passed);
        for (cells, detail, label) in [
            ([2, 1, 3, 4, 1, 4, 2, 3, 3, 2, 4, 1, 4, 3, 1, 2], "row 1: 2 is not less than 1", "sign_broken"),
            (
                [1, 4, 3, 2, 2, 1, 4, 3, 3, 2, 1, 4, 4, 3, 2, 1],
                "the given 4 at row 1, column 4 was changed to 2; column 2: 4 is not less than 1",
                "changed_given",
            ),
            (
                [1, 2, 3, 4, 2, 4, 1, 3, 3, 1, 4, 3, 4, 3, 2, 1],
                "row 3 has two 3s; column 4 has two 3s",
                "row_repeat",
            ),
            ([1, 2, 3, 4, 2, 4, 1, 3, 3, 1, 4, 0, 4, 3, 2, 1], "row 3, column 4 is empty", "incomplete_grid"),
        ] {
            let verdict = judge(cells);
            assert_eq!(verdict.detail, detail);
            assert_eq!(verdict.failures[1], label);
        }
    }

    #[test]
    fn hostile_problems_are_told_what_is_wrong() {
        let refused = |edit: &dyn Fn(&mut serde_json::Value)| {
            let mut json = serde_json::to_value(small()).unwrap();
            edit(&mut json);
            Futoshiki.read(&json.to_string()).err().unwrap()
        };
        let pairs = |pairs: &[[usize; 2]]| serde_json::json!(pairs);
        for (message, said) in [
            (refused(&|p| p["less"] = pairs(&[[0, 2]])), "0 and 2, which are not neighboring cells"),
            (refused(&|p| p["less"] = pairs(&[[3, 4]])), "3 and 4, which are not neighboring cells"),
            (refused(&|p| p["less"] = pairs(&[[15, 16]])), "not neighboring cells"),
            (refused(&|p| p["less"] = pairs(&[[1, 0]])), "no smaller number in the first"),
            (refused(&|p| p["less"] = pairs(&[[1, 5], [0, 1]])), "in reading order"),
            (refused(&|p| p["less"] = pairs(&[[0, 1], [0, 1]])), "each pair once"),
            (refused(&|p| p["less"] = pairs(&[[0, 1]; 25])), "`less` holds 25 pairs"),
            (refused(&|p| p["givens"] = serde_json::json!([[0]])), "`givens` has 1 rows"),
        ] {
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn certified_is_what_one_square_alone_fits() {
        let blank = Grid::new(4, vec![0; 16]);
        let squares = rules(4, &[]).completions(&blank, 1_000, &mut Budget::unlimited()).unwrap();
        assert_eq!(squares.len(), 576);
        let mut rng = rng(0);
        let mut counts = [0; 2];
        for at in 0..400 {
            let mut puzzle = drawn(&FutoshikiParams::LEVELS[2 + at % 2], &mut rng);
            for _ in 0..rng.below(8) {
                let at = rng.index(puzzle.less.len());
                puzzle.0.less.remove(at);
            }
            let fits = |square: &&Grid<u8>| {
                let mut givens = puzzle.givens.cells().iter().zip(square.cells());
                givens.all(|(given, number)| *given == 0 || given == number)
                    && puzzle.less.iter().all(|[small, large]| square[*small] < square[*large])
            };
            let unique = squares.iter().filter(fits).count() == 1;
            let certified = puzzle.certify(&mut Budget::new(1_000_000));
            assert_eq!(certified.is_ok(), unique, "{certified:?}");
            counts[usize::from(unique)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
        let starved = small().certify(&mut Budget::new(1)).unwrap_err();
        assert!(starved.contains("more steps than allowed"), "{starved}");
    }

    #[test]
    fn trials_are_needed_where_they_are_asked_for() {
        for params in FutoshikiParams::LEVELS {
            let puzzle = drawn(params, &mut rng(1));
            let tried = puzzle
                .rules()
                .path(puzzle.squares())
                .steps
                .iter()
                .any(|step| matches!(step.why, Why::Tried(_)));
            assert_eq!(tried, params.trials);
        }
    }
}
