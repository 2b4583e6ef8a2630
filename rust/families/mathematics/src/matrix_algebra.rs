//! Compute with matrices exactly: a product, a determinant, an inverse, or a power modulo a prime.

use self::entries::{Entries, Matrix, written};
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::grid::Grid;
use kit::shared::rational::Rational;
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::task::permutation;
use kit::task::problem::Relations;

mod entries;

pub struct MatrixAlgebra;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Any,
    Product,
    Determinant,
    Inverse,
    Power,
}

params! {
    pub struct MatrixAlgebraParams {
        /// Question: `product` of two matrices, `determinant`, `inverse`, `power` modulo a prime, or `any` of these.
        kind: Kind [structure],
        /// Rows and columns.
        size: u32 [2..=6],
        /// Largest absolute value of an entry. Larger matrices to invert have smaller entries.
        largest: u32 [2..=99],
        /// True if entries may be negative, except where they are modulo a prime.
        negative: bool,
        /// Largest exponent of a power.
        exponent: u32 [2..=999],
        /// Largest prime modulus of a power.
        modulus: u32 [5..=97],
    }
    levels {
        (Kind::Determinant, 2, 12, false, 2, 5),
        (Kind::Any, 2, 9, true, 3, 7),
        (Kind::Any, 2, 30, true, 9, 23),
        (Kind::Any, 3, 12, true, 12, 31),
        (Kind::Any, 4, 9, true, 20, 37),
        (Kind::Any, 4, 30, true, 60, 97),
        (Kind::Any, 5, 30, true, 200, 97),
        (Kind::Any, 6, 50, true, 999, 97),
    }
    default 3
}

problem! {
    /// Square matrices and what to do with them: `*` for their product, `d` for the determinant of the first, `i` for
    /// its inverse and `^` for its power.
    pub struct Task {
        operation: char ["*di^"],
        a: Vec<Vec<i64>> [items(2..=6, "rows", items(2..=6, "numbers", -MOST..=MOST))],
        /// The second factor of a product.
        b: Vec<Vec<i64>> [items(0..=6, "rows", items(2..=6, "numbers", -MOST..=MOST))],
        /// Of a power, and 0 otherwise.
        exponent: u64 [0..=999],
        modulus: u64 [0..=97],
    }
}

/// Largest absolute value of an entry, and of the determinant of a matrix to invert.
const MOST: i64 = 999;
const MOST_DETERMINANT: i128 = 200;
/// Largest absolute values of the entries of a matrix to invert, by its size.
const INVERTED: [u32; 7] = [0, 0, 20, 12, 9, 5, 3];

impl TaskFamily for MatrixAlgebra {
    type Params = MatrixAlgebraParams;
    type Problem = Value<Task>;

    const ABOUT: About = About {
        summary: "Compute a product, a determinant, an inverse or a power of matrices exactly.",
        skills: &["matrix_multiplication", "elimination", "fractions", "modular_arithmetic"],
        guess_rate: 0.018,
        guess_score: 0.018,
        ..Value::<Task>::about("algebra", "matrix_algebra", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Task>> {
        let kinds = [Kind::Product, Kind::Determinant, Kind::Inverse, Kind::Power];
        let kind = if params.kind == Kind::Any { *rng.pick(&kinds) } else { params.kind };
        let size = params.size as usize;
        let primes: Vec<u64> =
            (2..=u64::from(params.modulus)).filter(|n| (2..*n).all(|d| n % d > 0)).collect();
        loop {
            budget.spend(size.pow(3) as u64)?;
            let (mut exponent, mut modulus) = (0, 0);
            if kind == Kind::Power {
                exponent = rng.int(i64::from(params.exponent) / 2 + 1, params.exponent.into()) as u64;
                modulus = primes[primes.len() / 2 + rng.index(primes.len().div_ceil(2))];
            }
            let largest = i64::from(if kind == Kind::Inverse {
                params.largest.min(INVERTED[size])
            } else {
                params.largest
            });
            let (low, high) = match kind {
                Kind::Power => (0, modulus as i64 - 1),
                _ if params.negative => (-largest, largest),
                _ => (0, largest),
            };
            let mut matrix = || (0..size).map(|_| (0..size).map(|_| rng.int(low, high)).collect()).collect();
            let (a, b) = (matrix(), if kind == Kind::Product { matrix() } else { Vec::new() });
            let operation =
                ['*', 'd', 'i', '^'][kinds.iter().position(|other| *other == kind).unwrap_or_default()];
            let task = Task { operation, a, b, exponent, modulus };
            if task.consistent().is_ok() && !task.is_guessed() {
                return Ok(Value(task));
            }
        }
    }
}

fn exact(rows: &[Vec<i64>]) -> Matrix {
    Grid::new(rows.len(), rows.concat().into_iter().map(Rational::from).collect())
}

/// The product, with its entries reduced if a modulus is given.
fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Option<Matrix> {
    let size = a.columns();
    let entry = |cell: usize| {
        let terms = (0..size).map(|k| a[cell / size * size + k].checked_mul(b[k * size + cell % size]));
        let sum = terms.into_iter().try_fold(Rational::ZERO, |sum, term| sum.checked_add(term?))?;
        if modulus == 0 { Some(sum) } else { Rational::new(sum.numerator().rem_euclid(modulus.into()), 1) }
    };
    Some(Grid::new(size, (0..size * size).map(entry).collect::<Option<_>>()?))
}

/// Characters of a matrix, as the cost of writing it.
fn cost(matrix: &Matrix) -> u64 {
    let digits = |part: i128| u64::from(part.unsigned_abs().max(1).ilog10() + 1);
    matrix.cells().iter().map(|entry| digits(entry.numerator()) + digits(entry.denominator())).sum()
}

fn transposed(matrix: &Matrix) -> Matrix {
    Grid::from_fn(matrix.columns(), matrix.rows(), |place| {
        matrix[place.column * matrix.columns() + place.row]
    })
}

/// Expansion along the first row.
fn expanded(rows: &[Vec<i64>]) -> i128 {
    let Some((first, below)) = rows.split_first() else { return 1 };
    let minor = |at: usize| {
        let rest = below.iter().map(|row| [&row[..at], &row[at + 1..]].concat());
        i128::from(first[at])
            * expanded(&rest.collect::<Vec<_>>())
            * if at.is_multiple_of(2) { 1 } else { -1 }
    };
    (0..first.len()).map(minor).sum()
}

impl Task {
    /// Takes the steps to the value; `None` if it has none or it takes too large numbers.
    fn walk(&self, work: &mut Work) -> Option<Matrix> {
        let (a, size) = (exact(&self.a), self.a.len());
        match self.operation {
            '*' => {
                let value = product(&a, &exact(&self.b), 0)?;
                for (at, row) in self.a.iter().enumerate() {
                    let digits = |n: i64| u64::from(n.unsigned_abs().max(1).ilog10() + 1);
                    let pairs = |column: usize| row.iter().zip(&self.b).map(move |(a, b)| (*a, b[column]));
                    let effort = (0..size).flat_map(pairs).map(|(a, b)| 2 * digits(a) * digits(b)).sum();
                    let sum = |column| pairs(column).map(|(a, b)| format!("{a} * {b}")).joined(" + ");
                    let sums =
                        (0..size).map(|column| format!("{} = {}", sum(column), value[at * size + column]));
                    work.with(effort, || format!("Row {}: {}", at + 1, sums.joined("; ")));
                }
                Some(value)
            }
            '^' => {
                let (mut power, mut reached) = (a.clone(), 1);
                for bit in (0..self.exponent.ilog2()).rev() {
                    for (by, next) in [(power.clone(), 2 * reached), (a.clone(), 2 * reached + 1)] {
                        if next <= self.exponent >> bit {
                            (power, reached) = (product(&power, &by, self.modulus)?, next);
                            let effort = 2 * size as u64 * cost(&power);
                            work.with(effort, || format!("A^{reached} = {}", written(&power, " ", "; ")));
                        }
                    }
                }
                Some(power)
            }
            'd' if size == 2 => {
                let [a, b, c, d] = [self.a[0][0], self.a[0][1], self.a[1][0], self.a[1][1]];
                let value = a * d - b * c;
                let effort = cost(&exact(&self.a)) * 2;
                work.with(effort, || format!("{a} * {d} - {b} * {c} = {} - {} = {value}", a * d, b * c));
                Some(Grid::new(1, vec![value.into()]))
            }
            _ => self.eliminated(work),
        }
    }

    /// Gauss's elimination, with the identity beside the matrix for an inverse.
    fn eliminated(&self, work: &mut Work) -> Option<Matrix> {
        let (size, invert) = (self.a.len(), self.operation == 'i');
        let width = if invert { 2 * size } else { size };
        let beside =
            |row: usize, at: usize| self.a[row].get(at).copied().unwrap_or(i64::from(at == size + row));
        let row = |row: usize| (0..width).map(|at| beside(row, at).into()).collect();
        let mut rows: Vec<Vec<Rational>> = (0..size).map(row).collect();
        let mut determinant = Rational::from(1);
        for at in 0..size {
            let Some(pivot) = (at..size).find(|row| rows[*row][at] != Rational::ZERO) else {
                return (!invert).then(|| Grid::new(1, vec![Rational::ZERO]));
            };
            rows.swap(at, pivot);
            determinant = determinant.checked_mul(if pivot == at { rows[at][at] } else { -rows[at][at] })?;
            if invert {
                let by = rows[at][at];
                rows[at] = rows[at].iter().map(|entry| entry.checked_div(by)).collect::<Option<_>>()?;
            }
            let above = rows[at].clone();
            for other in (if invert { 0 } else { at + 1 }..size).filter(|other| *other != at) {
                let by = rows[other][at].checked_div(above[at])?;
                for (entry, above) in rows[other].iter_mut().zip(&above) {
                    *entry = entry.checked_sub(above.checked_mul(by)?)?;
                }
            }
            let now = Grid::new(width, rows.concat());
            if at + 1 < size || invert {
                work.with(2 * cost(&now), || {
                    format!("Clear column {}: {}", at + 1, written(&now, " ", "; "))
                });
            }
        }
        if invert {
            return Some(Grid::new(size, rows.iter().flat_map(|row| row[size..].to_vec()).collect()));
        }
        let diagonal = (0..size).map(|at| rows[at][at]);
        work.with(cost(&exact(&self.a)), || {
            format!("The diagonal {} and the exchanges of rows give {determinant}", diagonal.listed())
        });
        Some(Grid::new(1, vec![determinant]))
    }

    /// Each entry by itself, multiplied by that of the other matrix or raised to the power.
    fn entrywise(&self) -> Matrix {
        let b = if self.b.is_empty() { &self.a } else { &self.b };
        let entry = |(a, b): (&i64, &i64)| match self.operation {
            '*' => a * b,
            '^' => (0..self.exponent).fold(1, |power, _| power * a % self.modulus as i64),
            _ => -a,
        };
        let entries = self.a.iter().flatten().zip(b.iter().flatten()).map(entry);
        Grid::new(self.a.len(), entries.map(Rational::from).collect())
    }

    /// True if the value is a small determinant, or a matrix that repeats the given one or a single number.
    fn is_guessed(&self) -> bool {
        let value = self.value();
        match self.operation {
            'd' => value[0].numerator().abs() < 5,
            _ => value == exact(&self.a) || value.cells().iter().all(|entry| *entry == value[0]),
        }
    }

    /// The result that is asked for, as a noun phrase.
    fn asked(&self) -> String {
        match self.operation {
            '*' => "the product A * B".to_owned(),
            'd' => "the determinant of A".to_owned(),
            'i' => "the inverse of A".to_owned(),
            _ => format!(
                "the matrix power A^{}, with every entry reduced modulo {} to an integer from 0 to {}",
                self.exponent,
                self.modulus,
                self.modulus - 1
            ),
        }
    }

    /// Each matrix with its name before it and signs between numbers and rows.
    fn shown(&self, before: &str, space: &str, line: &str, after: &str, between: &str) -> String {
        let matrices = [("A", &self.a), ("B", &self.b)].into_iter().filter(|(_, rows)| !rows.is_empty());
        let shown = |(name, rows): (&str, &Vec<Vec<i64>>)| {
            format!("{name} ={before}{}{after}", written(&exact(rows), space, line))
        };
        matrices.map(shown).joined(between)
    }
}

impl Exact for Task {
    type Of = Matrix;

    const HALF: u64 = 600;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("wrong_sign", "the right value with the opposite sign"),
        ("transposed", "the right matrix with rows and columns exchanged"),
        ("reversed_product", "the product in the reverse order"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("compute", "Compute {asked}, where\n\n{block}\n"),
        Prompt::new(
            "message",
            "Hi, I keep getting a different result every time I do this by hand. I need {asked}. Here {two?are the \
             matrices|is the matrix}, row by row:\n\n{block}\n\nCan you work it out exactly, without rounding?",
        ),
        Prompt::new(
            "program",
            "A program stores {two?matrices as lists of their|a matrix as the list of its} rows:\n\n{code}\n\nWhat is \
             {asked}? All arithmetic is exact.",
        ),
        Prompt::held_out("exercise", "Exercise. Let {inline}. Find {asked}."),
        Prompt::held_out(
            "assistant",
            "You are the calculator of a group of engineers, and they rely on exact results. The next entry in their queue \
             asks for {asked}. The input, with one row of {two?each|the} matrix per line, is:\n\n{block}\n",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.with("asked", || self.asked()).either("two", !self.b.is_empty());
        slots.with("block", || self.shown("\n", " ", "\n", "", "\n\n"));
        slots.with("code", || self.shown(" [[", ", ", "], [", "]]", "\n"));
        slots.with("inline", || self.shown(" [[", ", ", "], [", "]]", " and "));
    }

    fn form(&self) -> impl Form<Read = Matrix> {
        let size = if self.operation == 'd' { 1 } else { self.a.len() };
        Entries { size, whole: self.operation != 'i' }
    }

    fn value(&self) -> Matrix {
        self.walk(&mut Work::default()).unwrap_or_else(|| exact(&self.a))
    }

    fn what(&self) -> String {
        self.asked()
    }

    fn diagnosed(&self, wrong: &Matrix, _: Failure) -> Failure {
        let value = self.value();
        let (at, entry) =
            (0..).zip(wrong.cells()).find(|(at, entry)| value[*at] != **entry).unwrap_or((0, &value[0]));
        let failure = Failure::wrong(match wrong.cells().len() {
            1 => format!("the determinant is not {entry}"),
            _ => format!("the entry in {} is not {entry}", wrong.place(at)),
        });
        let opposite = || wrong.cells().iter().zip(value.cells()).all(|(wrong, right)| *wrong == -*right);
        match self.operation {
            _ if opposite() => failure.also("wrong_sign"),
            'd' => failure,
            '*' if product(&exact(&self.b), &exact(&self.a), 0).as_ref() == Some(wrong) => {
                failure.also("reversed_product")
            }
            _ if *wrong == transposed(&value) => failure.also("transposed"),
            _ => failure,
        }
    }

    /// Entries off by one, by sign or by ten, all signs, rows for columns; and the reverse product, entry by entry, one
    /// power more or less, or an inverse that is not divided by the determinant.
    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Matrix> {
        let (value, a) = (self.value(), exact(&self.a));
        let places = faults.draw(value.cells().len(), rng);
        let changed = |by: fn(Rational) -> Option<Rational>| {
            let mut changed = value.clone();
            for place in &places {
                changed[*place] = by(value[*place])?;
            }
            Some(changed)
        };
        let number = |number: i64| Rational::from(number);
        let mut near = vec![
            changed(|entry| entry.checked_add(1.into())),
            changed(|entry| entry.checked_sub(1.into())),
            changed(|entry| entry.checked_add(10.into())),
            changed(|entry| Some(-entry)),
            changed(|entry| entry.checked_mul(2.into())),
            Some(value.map(|entry| -*entry)),
            Some(transposed(&value)),
        ];
        match self.operation {
            '*' => near.extend([product(&exact(&self.b), &a, 0), Some(self.entrywise())]),
            'd' => {
                let diagonal =
                    (0..self.a.len()).try_fold(number(1), |all, at| all.checked_mul(number(self.a[at][at])));
                near.push(diagonal.map(|diagonal| Grid::new(1, vec![diagonal])));
            }
            'i' => {
                let by = number(expanded(&self.a) as i64);
                near.push(Some(value.map(|entry| entry.checked_mul(by).unwrap_or(*entry))));
            }
            _ => near.extend([product(&value, &a, self.modulus), Some(self.entrywise())]),
        }
        near.into_iter().flatten().collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Matrix)> {
        let most = self.a.concat().into_iter().map(i64::abs).max().unwrap_or(1);
        if self.operation == 'd' {
            let number = |number: i64| Grid::new(1, vec![number.into()]);
            let any = rng.int(-most * most, most * most);
            return vec![
                ("any", number(any)),
                ("the first", number(self.a[0][0])),
                ("second", number(self.a[0][1])),
            ];
        }
        let a = exact(&self.a);
        let any = a.map(|_| rng.int(0, most).into());
        vec![("any", any), ("the first", a), ("second", self.entrywise())]
    }

    fn work(&self, work: &mut Work) {
        self.walk(work);
    }

    fn consistent(&self) -> Result<(), String> {
        let size = self.a.len();
        let square = |rows: &Vec<Vec<i64>>| rows.len() == size && rows.iter().all(|row| row.len() == size);
        check::that(square(&self.a), || "`a` must have as many rows as columns".to_owned())?;
        check::that(if self.operation == '*' { square(&self.b) } else { self.b.is_empty() }, || {
            "`b` must be as large as `a` for a product, and empty otherwise".to_owned()
        })?;
        let (exponent, modulus) = if self.operation == '^' { (2..=999, 2..=97) } else { (0..=0, 0..=0) };
        check::within("exponent", &self.exponent, exponent)?;
        check::within("modulus", &self.modulus, modulus)?;
        let reduced = |entry: &i64| (0..self.modulus as i64).contains(entry);
        check::that(self.modulus == 0 || self.a.iter().flatten().all(reduced), || {
            format!("`a` must have entries from 0 to {}", self.modulus - 1)
        })?;
        check::that(
            self.operation != 'i' || (2..=MOST_DETERMINANT).contains(&expanded(&self.a).abs()),
            || format!("`a` must have a determinant from 2 to {MOST_DETERMINANT}, sign apart"),
        )?;
        check::that(self.walk(&mut Work::default()).is_some(), || "`a` leads to too large numbers".to_owned())
    }

    /// Multiplies an inverse by its matrix, multiplies a power out, expands a determinant, and takes the product of the
    /// exchanged and transposed matrices.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget.spend(1_000_000).map_err(|over| over.to_string())?;
        let (a, value) = (exact(&self.a), self.value());
        let proven = match self.operation {
            '*' => product(&transposed(&exact(&self.b)), &transposed(&a), 0) == Some(transposed(&value)),
            'd' => Rational::new(expanded(&self.a), 1) == Some(value[0]),
            'i' => product(&a, &value, 0).is_some_and(|one| {
                one == Grid::from_fn(a.rows(), a.rows(), |place| i64::from(place.row == place.column).into())
            }),
            _ => {
                (1..self.exponent).try_fold(a.clone(), |power, _| product(&power, &a, self.modulus))
                    == Some(value)
            }
        };
        check::that(proven, || "`a` has another value".to_owned())?;
        Ok(Certificate::unique(format!("{}, found in two ways", self.asked())))
    }

    /// Another entry or exponent.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let mut edited = self.clone();
        let (row, column) = (rng.index(self.a.len()), rng.index(self.a.len()));
        let entry = &mut edited.a[row][column];
        match (aim, self.operation) {
            (Aim::Harder, '^') => edited.exponent = self.exponent * 2 + rng.below(2),
            (Aim::Easier, '^') => edited.exponent /= 2,
            (Aim::Harder, _) => *entry = *entry * (2 + rng.below(4) as i64) + rng.int(-5, 5),
            (Aim::Easier, _) => *entry /= 2 + rng.below(9) as i64,
            (Aim::Same, _) => *entry += rng.int(-3, 3),
        }
        Some(edited)
    }

    /// Rows and columns in another order, the same for both.
    fn disguised(mut self, rng: &mut Rng) -> Self {
        let order = permutation::random(self.a.len(), rng);
        for rows in [&mut self.a, &mut self.b].into_iter().filter(|rows| !rows.is_empty()) {
            *rows =
                order.iter().map(|row| order.iter().map(|column| rows[*row][*column]).collect()).collect();
        }
        self
    }

    fn identity(&self) -> Vec<u8> {
        let mut relations = Relations::default();
        relations.plain("operation", &(self.operation, self.exponent, self.modulus));
        relations.nodes(self.a.len());
        for rows in [&self.a, &self.b] {
            let kind = relations.kind();
            for (at, row) in rows.iter().enumerate() {
                for (other, entry) in row.iter().enumerate() {
                    relations.between(kind + (entry + MOST) as u64, vec![(0, at), (1, other)]);
                }
            }
        }
        relations.fingerprint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    fn task(operation: char, a: &[&[i64]], b: &[&[i64]]) -> Value<Task> {
        let [a, b] = [a, b].map(|rows| rows.iter().map(|row| row.to_vec()).collect());
        Value(Task { operation, a, b, exponent: 0, modulus: 0 })
    }

    #[test]
    fn known_values() {
        let one = task('*', &[&[1, 2], &[3, 4]], &[&[0, 1], &[1, 1]]);
        passes(&one, "2 3\n4 7");
        fails(&one, "3 4\n4 6", "reversed_product", "the entry in row 1, column 1 is not 3");
        fails(&one, "2 4\n3 7", "transposed", "the entry in row 1, column 2 is not 4");
        let inverse = task('i', &[&[1, 2], &[3, 4]], &[]);
        passes(&inverse, "-2 1\n3/2 -1/2");
        fails(&inverse, "-2 1\n3/2 -2/4", "not_lowest_terms", "`-2/4` is not in lowest terms");
        let hilbert = task('d', &[&[60, 30, 20], &[30, 20, 15], &[20, 15, 12]], &[]);
        passes(&hilbert, "100");
        fails(&hilbert, "-100", "wrong_sign", "the determinant is not -100");
        let mut fibonacci = task('^', &[&[1, 1], &[1, 0]], &[]);
        (fibonacci.0.exponent, fibonacci.0.modulus) = (10, 97);
        passes(&fibonacci, "89 55\n55 34");
        for problem in [&one, &inverse, &hilbert, &fibonacci] {
            problem.check().unwrap();
            problem.certify(&mut Budget::unlimited()).unwrap();
        }
        let said = refused(&inverse, |json| json["a"][0] = serde_json::json!([6, 8]));
        assert_eq!(said, "`a` must have a determinant from 2 to 200, sign apart");
    }
}
