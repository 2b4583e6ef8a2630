//! Sort records by several keys, the first of them in a custom order.

use kit::shared::route::{self, Naming};
use kit::task::permutation::{self, insertions, miscounted};
use kit::task::prelude::*;
use kit::words;

pub struct Sorting;

params! {
    pub struct SortingParams {
        /// Records to be sorted.
        records: u32 [3..=60],
        /// Columns to sort by, one after the other; a single one has numbers.
        keys: u32 [1..=5],
        /// Values in each column but the last. The fewer there are, the more records tie.
        values: u32 [2..=8],
    }
    levels {
        (4, 1, 2),
        (4, 2, 2),
        (6, 2, 3),
        (8, 3, 3),
        (11, 3, 4),
        (15, 4, 4),
        (21, 4, 4),
        (30, 5, 4),
        (45, 5, 4),
    }
    default 3
}

/// Named records with a value in every column, and the sort order of the columns. The first column holds
/// kinds in a custom order, if there are kinds; the others hold numbers.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    names: Vec<String>,
    /// The kinds in sort order.
    kinds: Vec<String>,
    /// Per record, the index of its kind in `kinds`, if there are kinds, then its numbers.
    rows: Vec<Vec<u32>>,
    /// For every column of numbers, true if large ones come first.
    descending: Vec<bool>,
}

const KINDS: [&str; 8] = ["amber", "black", "green", "ivory", "pink", "red", "violet", "white"];
const COLUMNS: [&str; 4] = ["size", "weight", "age", "price"];
const LARGEST: u32 = 1_000;

impl TaskFamily for Sorting {
    type Params = SortingParams;
    type Problem = Table;

    const ABOUT: About = About {
        summary: "Sort records by several keys, the first of them in a custom order.",
        failures: &[
            permutation::FAILURES[0],
            permutation::FAILURES[1],
            permutation::FAILURES[2],
            ("ties_out_of_order", "the records are in order by the first column, but not by the later ones"),
            ("reversed", "the records are in reverse order"),
        ],
        parts: &[Part::new(
            "pairs_in_order",
            "share of the pairs that are in the right order; measured only if every record is listed once",
        )],
        skills: &["sorting", "comparison", "bookkeeping"],
        guess_rate: 0.045,
        guess_score: 0.045,
        ..About::new("algorithms", "sorting", &["First version."])
    };

    /// Draws tables until the later keys and the order of the kinds matter.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Table> {
        if params.keys == 1 {
            return Table::of_one_column(params.records as usize, rng, budget);
        }
        let (records, values, last) = (params.records as usize, params.values, params.keys as usize - 1);
        loop {
            budget.spend(u64::from(params.records * params.keys))?;
            let mut kinds = KINDS;
            rng.deal(&mut kinds, values as usize);
            let row = |rng: &mut Rng| {
                let tied = (0..last).map(|column| rng.below(values.into()) as u32 + u32::from(column > 0));
                let mut row: Vec<u32> = tied.collect();
                row.push(rng.int(1, 99) as u32);
                row
            };
            let rows: Vec<Vec<u32>> = (0..records).map(|_| row(rng)).collect();
            let descending = (0..last).map(|_| rng.chance(1, 2)).collect();
            let kinds = kinds[..values as usize].iter().map(|kind| (*kind).to_owned()).collect();
            let mut table = Table { names: Vec::new(), kinds, rows, descending };
            let right = table.order();
            let tie = right.windows(2).any(|pair| table.key(pair[0]) == table.key(pair[1]));
            let short = [Table::by_first, Table::by_last, Table::by_spelling];
            if !tie && short.iter().all(|order| order(&table) != right) {
                table.names = Naming::Towns.draw(records, rng);
                rng.shuffle(&mut table.names);
                return Ok(table);
            }
        }
    }
}

impl Table {
    /// Records without kinds, sorted by one number; not listed in the right order.
    fn of_one_column(records: usize, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self> {
        loop {
            budget.spend(records as u64)?;
            let rows = (0..records).map(|_| vec![rng.int(1, 99) as u32]).collect();
            let descending = vec![rng.chance(1, 2)];
            let mut table = Self { names: Vec::new(), kinds: Vec::new(), rows, descending };
            let right = table.order();
            let tie = right.windows(2).any(|pair| table.key(pair[0]) == table.key(pair[1]));
            if !tie && !right.is_sorted() {
                table.names = Naming::Towns.draw(records, rng);
                rng.shuffle(&mut table.names);
                return Ok(table);
            }
        }
    }

    /// True if the first column holds kinds.
    fn has_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// The sort key of a record, smallest first.
    fn key(&self, record: usize) -> [i64; 1 + COLUMNS.len()] {
        let mut key = [0; 1 + COLUMNS.len()];
        let turned = self.has_kinds().then_some(&false).into_iter().chain(&self.descending);
        for ((at, value), turned) in key.iter_mut().zip(&self.rows[record]).zip(turned) {
            *at = if *turned { -i64::from(*value) } else { i64::from(*value) };
        }
        key
    }

    fn sorted<K: Ord>(&self, key: impl Fn(usize) -> K) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|record| key(*record));
        order
    }

    fn order(&self) -> Vec<usize> {
        self.sorted(|record| self.key(record))
    }

    /// Sorted by the first column alone, ties in their listed order.
    fn by_first(&self) -> Vec<usize> {
        self.sorted(|record| self.rows[record][0])
    }

    fn by_last(&self) -> Vec<usize> {
        self.sorted(|record| self.key(record)[self.rows[record].len() - 1])
    }

    /// Sorted with the kinds in alphabetical order.
    fn by_spelling(&self) -> Vec<usize> {
        self.sorted(|record| (self.kinds.get(self.rows[record][0] as usize), self.key(record)))
    }

    /// The columns of numbers: "size, smallest first".
    fn columns(&self) -> impl Iterator<Item = String> {
        self.descending.iter().zip(COLUMNS).map(|(descending, column)| {
            format!("{column}, {} first", if *descending { "largest" } else { "smallest" })
        })
    }

    /// A record in words: "Oakton: red, size 3".
    fn record(&self, record: usize) -> String {
        let (kind, numbers) = self.values(record);
        let numbers = numbers.iter().zip(COLUMNS).map(|(number, column)| format!("{column} {number}"));
        format!("{}: {}", self.names[record], kind.cloned().into_iter().chain(numbers).listed())
    }

    /// The kind of a record, if there are kinds, and its numbers.
    fn values(&self, record: usize) -> (Option<&String>, &[u32]) {
        let row = &self.rows[record];
        (self.kinds.get(row[0] as usize), &row[usize::from(self.has_kinds())..])
    }

    fn records(&self) -> String {
        (0..self.names.len()).map(|record| self.record(record)).lines()
    }

    /// The records as a table with column names.
    fn tabular(&self) -> String {
        let head = COLUMNS[..self.descending.len()].join(",");
        let row = |record: usize| {
            let (kind, numbers) = self.values(record);
            let numbers = numbers.iter().map(u32::to_string);
            let name = self.names[record].clone();
            std::iter::once(name).chain(kind.cloned()).chain(numbers).joined(",")
        };
        let color = if self.has_kinds() { "color," } else { "" };
        format!("name,{color}{head}\n{}", (0..self.names.len()).map(row).lines())
    }
}

impl Problem for Table {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("sort", |table| {
            if !table.has_kinds() {
                return format!(
                    "Sort the items below by {}.\n\n{}\n",
                    table.columns().listed(),
                    table.records()
                );
            }
            format!(
                "Sort the items below by color. From first to last, the colors are {}. Items of the same color are sorted by {}.\
                 \n\n{}\n",
                table.kinds.join(", "),
                table.columns().joined("; if that is the same as well, by "),
                table.records()
            )
        }),
        Template::plain("table", |table| {
            if !table.has_kinds() {
                return format!(
                    "Sort by one key\n\nInput:\n\n{}\n\nKey: {}\nOutput: the names of all rows in sorted order\n",
                    table.tabular(),
                    table.columns().listed()
                );
            }
            format!(
                "Multi-key sort\n\nInput:\n\n{}\n\nKey 1: color, in this order (not alphabetical): {}\n{}\nA key is used only to \
                 order rows that are equal on all earlier keys.\nOutput: the names of all rows in sorted order\n",
                table.tabular(),
                table.kinds.join(", "),
                (2..).zip(table.columns()).map(|(number, column)| format!("Key {number}: {column}")).lines()
            )
        }),
        Template::plain("message", |table| {
            if !table.has_kinds() {
                return format!(
                    "Can you put these samples in the right order for the catalog?\n\n{}\n\nSort them by {}. I need the \
                     names, from first to last.",
                    table.records(),
                    table.columns().listed()
                );
            }
            format!(
                "Can you put these samples in the right order for the catalog?\n\n{}\n\nThey go by color, and please don't sort the \
                 colors alphabetically; marketing wants them in this order: {}. Within a color, sort by {}. I need the names, from \
                 first to last.",
                table.records(),
                table.kinds.join(", "),
                table.columns().joined("; if there's still a tie, by ")
            )
        }),
        Template::held_out_plain("queue", |table| {
            if !table.has_kinds() {
                return format!(
                    "These parcels are waiting at the post office, each listed with its measurements.\n\n{}\n\nThey leave \
                     by {}. In which order do the parcels leave?",
                    table.records(),
                    table.columns().listed()
                );
            }
            format!(
                "These parcels are waiting at the post office. Each is listed with the color of its label and its measurements.\n\n{}\n\nThe color of the label decides which parcel leaves first: {}. \
                 When two parcels have labels of the same color, they leave by {}. In which order do the parcels leave?",
                table.records(),
                words::ending(
                    table.kinds.iter().map(|kind| format!("{kind} labels")),
                    if table.kinds.len() == 2 { "and then" } else { "and finally" }
                ),
                table.columns().joined("; if they are still tied, by ")
            )
        }),
        Template::held_out_plain("query", |table| {
            let keys = table.descending.iter().zip(COLUMNS);
            let keys = keys
                .map(|(descending, column)| format!("{column} {}", if *descending { "DESC" } else { "ASC" }));
            if !table.has_kinds() {
                return format!(
                    "Table items:\n\n{}\n\nQuery:\n\nSELECT name FROM items\nORDER BY {}\n\nHere ASC puts smaller numbers \
                     first and DESC puts larger numbers first. In which order does the query return the names?",
                    table.tabular(),
                    keys.listed()
                );
            }
            format!(
                "Table items:\n\n{}\n\nTable ranks:\n\ncolor,position\n{}\n\nQuery:\n\nSELECT name FROM items JOIN ranks USING (color)\n\
                 ORDER BY position ASC, {}\n\nHere ASC puts smaller numbers first and DESC puts larger numbers first, and a later \
                 expression after ORDER BY matters only for rows that are equal in all the earlier ones. In which order does the \
                 query return the names?",
                table.tabular(),
                (1..).zip(&table.kinds).map(|(position, kind)| format!("{kind},{position}")).lines(),
                keys.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let kinds = usize::from(self.has_kinds());
        let (records, columns) = (self.names.len(), self.descending.len() + kinds);
        check::length("names", &self.names, 3..=80, "names")?;
        route::check_names(&self.names)?;
        check::length("kinds", &self.kinds, 0..=KINDS.len(), "kinds")?;
        if let Some(kind) = self.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(format!(
                "`kinds` has `{}`, but must have some of {}",
                quoted(kind),
                KINDS.join(", ")
            ));
        }
        check::distinct("kinds", &self.kinds)?;
        check::length("descending", &self.descending, 1..=COLUMNS.len(), "columns")?;
        check::length("rows", &self.rows, records..=records, "rows")?;
        for row in &self.rows {
            check::length("rows", row, columns..=columns, "values in a row")?;
            if self.has_kinds() {
                check::within("rows", &row[0], 0..=self.kinds.len() as u32 - 1)?;
            }
            check::each("rows", &row[kinds..], |number| *number <= LARGEST, "numbers go to 1000")?;
        }
        let mut rows = self.rows.clone();
        rows.sort_unstable();
        check::that(rows.is_sorted_by(|a, b| a < b), || "`rows` has two equal rows".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let first = &self.names[self.order()[0]];
        Ok(Certificate::unique(format!("no two records are equal, and {first} comes first")))
    }

    /// Adds or removes a record, or changes a number.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let (at, other) = (rng.index(self.rows.len()), rng.index(self.rows.len()));
        let last = self.rows[at].len() - 1;
        match aim {
            Aim::Harder => {
                mutated.names.push(route::fresh_name(&self.names)?);
                mutated.rows.push(self.rows[at].clone());
                mutated.rows[self.rows.len()][last] = rng.int(1, 99) as u32;
            }
            Aim::Easier => {
                mutated.names.remove(at);
                mutated.rows.remove(at);
            }
            Aim::Same => mutated.rows[at][last] = self.rows[other][last],
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let ends = form::Ends::Free;
        form::Route { names: &self.names, ends, place: "name", unknown: permutation::UNKNOWN }
    }

    /// Insertion sort: every record in turn is placed among those before it.
    fn solution(&self) -> Solution {
        let order = self.order();
        Solution::new(insertions(&order, &self.names), self.answer())
    }

    fn answer(&self) -> String {
        route::write(self.order(), &self.names)
    }

    /// No partial credit for another order: sorting by one key alone may put nearly all pairs in the right
    /// order.
    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        permutation::check(&answer, &self.names)?;
        let wrong = answer.windows(2).find(|pair| self.key(pair[0]) > self.key(pair[1]));
        let Some([first, then]) = wrong else { return Ok(()) };
        let names = &self.names;
        let verdict =
            Failure::wrong(format!("{} must come before {}, not after it", names[*then], names[*first]));
        let rising = |shorter: &dyn Fn(usize) -> Vec<i64>| answer.is_sorted_by_key(|record| shorter(*record));
        let verdict = if self.has_kinds() && rising(&|record| self.key(record)[..1].to_vec()) {
            verdict.also("ties_out_of_order")
        } else if answer.is_sorted_by(|a, b| self.key(*a) > self.key(*b)) {
            verdict.also("reversed")
        } else {
            verdict
        };
        Err(verdict.part("pairs_in_order", permutation::pairs_in_order(&answer, &self.order())))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let right = self.order();
        let mut wrong = miscounted(&right, faults.of(right.len()), rng).to_vec();
        let swapped = permutation::swapped(&right, faults, rng);
        wrong.extend([swapped, self.by_first(), self.by_spelling()]);
        wrong.retain(|order| *order != right);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let mut guesses = vec![
            ("any order", permutation::random(self.names.len(), rng)),
            ("as listed", (0..self.names.len()).collect()),
            ("by name", route::by_name(&self.names)),
        ];
        // A single column is the whole problem.
        if self.has_kinds() {
            guesses
                .extend([("by color alone", self.by_first()), ("by the last column alone", self.by_last())]);
        }
        guesses
    }

    /// Reorders and renames the records, and swaps the colors.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut kinds = KINDS.map(str::to_owned).to_vec();
        rng.shuffle(&mut kinds);
        kinds.truncate(self.kinds.len());
        let mut rows = self.rows.clone();
        rng.shuffle(&mut rows);
        let mut names = Naming::Towns.draw(rows.len(), rng);
        rng.shuffle(&mut names);
        Self { names, kinds, rows, descending: self.descending.clone() }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut rows = self.rows.clone();
        rows.sort_unstable();
        let directions = self.descending.iter().map(|descending| u32::from(*descending));
        rows.into_iter().flatten().chain(directions).flat_map(u32::to_be_bytes).collect()
    }

    /// Comparisons of a binary insertion sort.
    fn effort(&self) -> Effort {
        let (mut placed, mut steps) = (Vec::<[i64; 1 + COLUMNS.len()]>::new(), 0);
        for record in 0..self.names.len() {
            let key = self.key(record);
            let at = placed.partition_point(|other| {
                steps += 1 + other.iter().zip(&key).take_while(|(a, b)| a == b).count() as u64;
                *other < key
            });
            placed.insert(at, key);
        }
        Effort::new(steps, 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = vec![vec![1, 3, 9], vec![0, 2, 5], vec![1, 3, 4], vec![1, 7, 1]];
        let names = ["Ash", "Birch", "Clay", "Elm"].map(String::from).to_vec();
        let kinds = ["white", "black"].map(String::from).to_vec();
        Table { names, kinds, rows, descending: vec![true, false] }
    }

    #[test]
    fn later_keys_break_ties_in_their_own_direction() {
        let table = table();
        table.check().unwrap();
        let judge = |answer: &str| kit::testing::verdict(&table, answer);
        assert!(judge("Birch -> Elm -> Clay -> Ash").passed);
        for (wrong, failure) in [
            ("Birch -> Elm -> Ash -> Clay", "ties_out_of_order"),
            ("Birch -> Clay -> Ash -> Elm", "ties_out_of_order"),
            ("Ash -> Clay -> Elm -> Birch", "reversed"),
            ("Elm -> Clay -> Ash -> Birch", label::WRONG_ANSWER),
            ("Birch -> Elm -> Clay", "missing_name"),
        ] {
            let verdict = judge(wrong);
            assert!(!verdict.passed && verdict.failures.contains(&failure), "{wrong}: {verdict:?}");
        }
        assert_eq!(judge("Birch -> Elm -> Ash -> Clay").detail, "Clay must come before Ash, not after it");
        assert_eq!(
            table.solution().steps,
            [
                "Ash is the first to be placed",
                "Birch goes to the front, before Ash",
                "Clay goes between Birch and Ash",
                "Elm goes between Birch and Clay"
            ]
        );
    }

    #[test]
    fn a_single_column_has_numbers() {
        let names = ["Ash", "Birch", "Clay"].map(String::from).to_vec();
        let rows = vec![vec![4], vec![90], vec![17]];
        let table = Table { names, kinds: Vec::new(), rows, descending: vec![true] };
        table.check().unwrap();
        assert_eq!(table.record(1), "Birch: size 90");
        assert_eq!(table.tabular(), "name,size\nAsh,4\nBirch,90\nClay,17");
        let judge = |answer: &str| kit::testing::verdict(&table, answer);
        assert!(judge("Birch -> Clay -> Ash").passed);
        assert!(judge("Ash -> Clay -> Birch").failures.contains(&"reversed"));
        assert!(!judge("Birch -> Ash -> Clay").passed);
    }

    #[test]
    fn records_that_are_alike_are_refused() {
        let mut table = table();
        table.rows[0] = table.rows[2].clone();
        assert_eq!(table.check(), Err("`rows` has two equal rows".to_owned()));
    }
}
