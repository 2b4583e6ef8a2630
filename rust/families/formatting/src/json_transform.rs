//! Apply operations described in words to a JSON document.

mod data;
mod document;
mod operation;
mod value;

use std::collections::BTreeMap;

use self::data::{Data, Record};
use self::document::document;
use self::operation::{LARGEST, Operation};
use self::value::JsonValue;
use kit::task::permutation;
use kit::task::prelude::*;

pub struct JsonTransform;

params! {
    pub struct JsonTransformParams {
        /// Number of records in the document.
        records: u32 [2..=30],
        /// Number of keys in each record, including its id.
        keys: u32 [2..=10],
        /// Number of operations, applied one after another.
        operations: u32 [1..=14],
    }
    levels {
        (2, 2, 1),
        (3, 3, 1),
        (3, 4, 2),
        (4, 4, 2),
        (5, 5, 3),
        (6, 6, 4),
        (8, 6, 5),
        (10, 7, 6),
        (13, 8, 8),
        (17, 9, 10),
        (24, 10, 13),
    }
    default 5
}

/// A list of records of the same shape, and the operations to apply to it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    records: Vec<Data>,
    operations: Vec<Operation>,
}

/// Next operations to try before a draw starts over.
const TRIES: usize = 60;

impl TaskFamily for JsonTransform {
    type Params = JsonTransformParams;
    type Problem = Transformation;

    const ABOUT: About = About {
        summary: "Apply operations described in words to a JSON document.",
        judged_by: JudgedBy::Normalized,
        parts: &[Part::new(
            "entries_right",
            "share of the records or keys of the result that are right and in their place",
        )],
        guess_rate: 0.005,
        guess_score: 0.005,
        skills: &["data_transformation", "structured_output", "instruction_following"],
        ..About::new("formatting", "json_transform", &["First version."])
    };

    /// Draws operations one by one, each of which changes something, and starts over until every one of them
    /// matters to the result and no record is unchanged.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Transformation> {
        let count = params.operations as usize;
        loop {
            let records = document(params.records as usize, params.keys as usize, rng);
            let mut drawn = Transformation { records, operations: Vec::new() };
            let mut state = drawn.start();
            let most_keeps = 1 + count / 4;
            let object_at_last = rng.chance(1, 2);
            for _ in 0..TRIES {
                budget.spend(u64::from(params.records * params.keys))?;
                let at = drawn.operations.len();
                if at == count {
                    break;
                }
                let last = object_at_last && at + 1 == count;
                let keeps = drawn.operations.iter().filter(|operation| operation.keeps()).count();
                let Some((operation, after)) = next(&state, last, rng) else { continue };
                if !operation.keeps() || keeps < most_keeps {
                    drawn.operations.push(operation);
                    state = after;
                }
            }
            budget
                .spend(u64::from(params.records * params.keys * params.operations * params.operations) / 2)?;
            if drawn.operations.len() == count && drawn.check().is_ok() && drawn.sound().is_ok() {
                return Ok(drawn);
            }
        }
    }
}

/// An operation that changes the data and leaves at least two records, with the data after it.
fn next(data: &Data, last: bool, rng: &mut Rng) -> Option<(Operation, Data)> {
    let operation = Operation::draw(&operation::records(data).ok()?, last, rng)?;
    let after = operation.apply(data.clone()).ok()?;
    let enough = match &after {
        Data::List(items) => items.len() > 1,
        after => after.leaves() > 1,
    };
    let empty = operation::records(&after).is_ok_and(|records| records.iter().any(|record| record.len() < 2));
    (enough && !empty && after != *data).then_some((operation, after))
}

impl Transformation {
    fn start(&self) -> Data {
        Data::List(self.records.clone())
    }

    fn after(&self, operations: &[Operation]) -> Result<Data, String> {
        operations.iter().try_fold(self.start(), |data, operation| operation.apply(data))
    }

    fn result(&self) -> Data {
        self.after(&self.operations).expect("`check` has applied them")
    }

    /// The result without some operations and without those that no longer fit.
    fn without(&self, skipped: &[usize]) -> Data {
        let done = self.operations.iter().enumerate().filter(|(at, _)| !skipped.contains(at));
        done.fold(self.start(), |data, (_, operation)| operation.apply(data.clone()).unwrap_or(data))
    }

    /// Checks that each operation matters and no record is unchanged.
    fn sound(&self) -> Result<(), String> {
        let result = self.result();
        check::that(self.start().entries_right(&result).0 == 0, || {
            "`operations` leave a record as it is".to_owned()
        })?;
        let mut before = self.start();
        for (at, operation) in self.operations.iter().enumerate() {
            let without =
                self.operations[at + 1..].iter().try_fold(before.clone(), |data, next| next.apply(data));
            check::that(without.as_ref() != Ok(&result), || format!("`operations[{at}]` changes nothing"))?;
            before = operation.apply(before)?;
        }
        Ok(())
    }

    fn listed(&self) -> String {
        let lines: Vec<String> = self.records.iter().map(|record| format!("  {}", record.write())).collect();
        format!("[\n{}\n]", lines.join(",\n"))
    }

    /// The operations in sentences; a single one is not numbered.
    fn steps(&self, line: impl Fn(usize, String) -> String) -> String {
        if let [operation] = &self.operations[..] {
            return operation.sentence();
        }
        let sentences = (1..).zip(&self.operations).map(|(at, operation)| line(at, operation.sentence()));
        sentences.lines()
    }

    /// Words for a single operation or for several.
    fn either<'a>(&self, one: &'a str, several: &'a str) -> &'a str {
        if self.operations.len() == 1 { one } else { several }
    }
}

/// The scope of the keys that operations name.
const KEYS: &str = "Every key named here is a key of the records themselves, not of objects inside them.";

impl Problem for Transformation {
    type Answer = Data;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("operations", |given| {
            format!(
                "Here is a JSON document, which is a list of records:\n\n{}\n\nApply the following {}. {KEYS}\n\n{}\n",
                given.listed(),
                given.either("operation to it", "operations to it, one after another"),
                given.steps(|at, sentence| format!("{at}. {sentence}"))
            )
        }),
        Template::plain("pipeline", |given| {
            format!(
                "A data pipeline takes a JSON list of records. {}:\n\n{}\n\n{KEYS} What does the {} output for this input?\n\n{}\n",
                given.either("It has one stage", "Each stage works on the output of the stage before it"),
                given.steps(|at, sentence| format!("Stage {at}: {sentence}")),
                given.either("stage", "last stage"),
                given.listed()
            )
        }),
        Template::plain("ticket", |given| {
            format!(
                "The export came out wrong, and I have to fix it by hand before the demo. Could you do that for me? This is the \
                 file:\n\n{}\n\nAnd {}:\n\n{}\n\n{KEYS} Please send back the whole file as it should be in the end.",
                given.listed(),
                given.either("this is the change it needs", "these are the changes it needs, in this order"),
                given.steps(|at, sentence| format!("{at}. {sentence}"))
            )
        }),
        Template::held_out_plain("script", |given| {
            format!(
                "The file records.json contains\n\n{}\n\nA colleague was going to write a script that transforms this file, but \
                 left only {}:\n\n{}\n\n{KEYS} Follow {}, and work out what the script would have written.",
                given.listed(),
                given.either("this note", "these notes"),
                given.steps(|_, sentence| format!("- {sentence}")),
                given.either("the note by hand", "the notes by hand, from the first one to the last")
            )
        }),
        Template::held_out_plain("spec", |given| {
            format!(
                "INPUT\n{}\n\nTRANSFORMATION{}\n{}\n\n{KEYS}",
                given.listed(),
                given.either("", " (sequential)"),
                given.steps(|at, sentence| format!("T{at}: {sentence}"))
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("records", &self.records, 2..=40, "records")?;
        check::length("operations", &self.operations, 1..=16, "operations")?;
        let shape = self.records[0].shape().filter(|shape| shape.starts_with('{') && shape.len() < 600);
        let alike = shape.is_some() && self.records.iter().all(|record| record.shape() == shape);
        check::that(alike, || "`records` must be objects of one shape".to_owned())?;
        check::that(self.records.iter().all(is_plain), || {
            format!(
                "`records` must have short keys and texts of letters, digits and underscores, and numbers within {LARGEST} of zero"
            )
        })?;
        let mut operations = self.operations.clone();
        for (at, operation) in operations.iter_mut().enumerate() {
            let plain = match operation {
                Operation::KeepText { text, .. } => is_word(text),
                Operation::KeepAtLeast { bound: number, .. }
                | Operation::KeepAtMost { bound: number, .. }
                | Operation::Add { amount: number, .. } => (-LARGEST..=LARGEST).contains(number),
                Operation::Nest { keys, .. } => (1..=4).contains(&keys.len()),
                _ => true,
            };
            check::that(plain && operation.keys_mut().iter().all(|key| is_word(key)), || {
                format!("`operations[{at}]` has a key, a text or a number that is too long")
            })?;
        }
        let result = self.after(&self.operations)?;
        check::that(result.leaves() > 0, || "`operations` leave nothing".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let (records, operations) = (self.start().leaves() as u64, self.operations.len() as u64);
        budget.spend(records * operations * operations).map_err(|over| over.to_string())?;
        self.sound()?;
        Ok(Certificate::unique(match operations {
            1 => "the operation leads to one value and cannot be left out".to_owned(),
            _ => format!("{operations} operations lead to one value, and none of them can be left out"),
        }))
    }

    /// Adds or removes an operation, or changes numbers in the document.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        for _ in 0..TRIES {
            budget.spend(10_000).ok()?;
            let mut mutated = self.clone();
            let at = rng.index(self.operations.len());
            match aim {
                Aim::Harder => {
                    let before = self.after(&self.operations[..at]).ok()?;
                    let Some((operation, _)) = next(&before, false, rng) else { continue };
                    mutated.operations.insert(at, operation);
                }
                Aim::Easier => drop(mutated.operations.remove(at)),
                Aim::Same => {
                    let at = rng.index(mutated.records.len());
                    let Data::Object(record) = &mut mutated.records[at] else { return None };
                    for value in record.values_mut() {
                        if let Data::Number(number) = value {
                            *number += rng.int(1, 5);
                        }
                    }
                }
            }
            if mutated.check().is_ok() && mutated.sound().is_ok() {
                return Some(mutated);
            }
        }
        None
    }

    fn form(&self) -> impl Form<Read = Data> {
        JsonValue
    }

    /// The data after each operation.
    fn solution(&self) -> Solution {
        let mut data = self.start();
        let mut steps = Vec::new();
        for (at, operation) in (1..).zip(&self.operations) {
            data = operation.apply(data).expect("`check` has applied them");
            steps.push(format!("after operation {at}: {}", data.write()));
        }
        Solution::new(steps, data.write())
    }

    fn answer(&self) -> String {
        self.result().write()
    }

    fn verify(&self, answer: Data, _: &mut Budget) -> Judged {
        let right = self.result();
        let Some(difference) = answer.difference(&right) else { return Ok(()) };
        let (entries, all) = answer.entries_right(&right);
        let share = entries as f32 / all.max(1) as f32;
        Err(Failure::wrong(difference).score(share).part("entries_right", share))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Data> {
        let right = self.result();
        let skipped = faults.draw(self.operations.len(), rng);
        let mut wrong = vec![self.without(&skipped), Data::List(vec![right.clone()])];
        // Wrong values, missing entries, and entries that are duplicated or under another key.
        let (mut changed, mut fewer, mut more) = (right.clone(), right.clone(), right.clone());
        match (&mut changed, &mut fewer, &mut more) {
            (Data::List(changed), Data::List(fewer), Data::List(more)) => {
                let mut spoilt = faults.draw(changed.len(), rng);
                for at in &spoilt {
                    spoil(&mut changed[*at]);
                }
                spoilt.sort_unstable();
                spoilt.iter().rev().for_each(|at| drop(fewer.remove(*at)));
                spoilt.iter().rev().for_each(|at| more.insert(0, more[*at].clone()));
            }
            (Data::Object(changed), Data::Object(fewer), Data::Object(more)) => {
                let keys: Vec<String> = changed.keys().cloned().collect();
                for at in faults.draw(keys.len(), rng) {
                    let key = &keys[at];
                    changed.get_mut(key).into_iter().for_each(spoil);
                    let value = fewer.remove(key);
                    more.remove(key);
                    more.extend(value.map(|value| (format!("{key}_2"), value)));
                }
            }
            _ => {}
        }
        wrong.extend([changed, fewer, more]);
        wrong.retain(|value| *value != right);
        wrong
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Data)> {
        vec![
            ("the document as it is", self.start()),
            ("an empty list", Data::List(Vec::new())),
            ("an empty object", Data::Object(Record::new())),
        ]
    }

    /// Renames the keys.
    fn twin(&self, rng: &mut Rng) -> Self {
        let keys = self.keys();
        let order = permutation::random(keys.len(), rng);
        let renamed: BTreeMap<&String, &String> =
            keys.iter().zip(&order).map(|(key, at)| (key, &keys[*at])).collect();
        let mut twin = self.clone();
        twin.records =
            self.records.iter().map(|record| rename(record, &|key| renamed[key].clone())).collect();
        for operation in &mut twin.operations {
            operation.keys_mut().into_iter().for_each(|key| *key = renamed[&*key].clone());
        }
        twin
    }

    /// Keys in the order in which operations name them, the others by their values.
    fn fingerprint(&self) -> Vec<u8> {
        let mut named: Vec<String> = Vec::new();
        let mut operations = self.operations.clone();
        for key in operations.iter_mut().flat_map(Operation::keys_mut) {
            let known = named.iter().position(|name| name == key);
            let at = known.unwrap_or_else(|| {
                named.push(key.clone());
                named.len() - 1
            });
            *key = at.to_string();
        }
        let mut columns: Vec<String> = Vec::new();
        gather(&self.records.iter().collect::<Vec<_>>(), "", &named, &mut columns);
        columns.sort_unstable();
        serde_json::to_vec(&(operations, columns)).expect("operations serialize")
    }

    /// Values read by every operation, more than once where it sorts, and the values written.
    fn effort(&self) -> Effort {
        let mut data = self.start();
        let mut steps = data.leaves();
        for operation in &self.operations {
            let Data::List(records) = &data else { break };
            let each = match operation {
                Operation::Sort { .. } => records.len().ilog2() as usize + 1,
                Operation::Combine { .. } | Operation::Nest { .. } | Operation::Sum { .. } => 3,
                operation if operation.makes_an_object() => 3,
                _ => 2,
            };
            steps += each * records.len();
            data = operation.apply(data).expect("`check` has applied them");
        }
        Effort::new((steps + data.leaves()) as u64, 200)
    }
}

impl Transformation {
    /// All keys of the document and of its operations.
    fn keys(&self) -> Vec<String> {
        fn of(data: &Data, keys: &mut Vec<String>) {
            if let Data::Object(fields) = data {
                keys.extend(fields.keys().cloned());
                for value in fields.values() {
                    of(value, keys);
                }
            }
        }
        let mut keys = Vec::new();
        of(&self.records[0], &mut keys);
        let mut operations = self.operations.clone();
        keys.extend(operations.iter_mut().flat_map(Operation::keys_mut).map(|key| key.clone()));
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// Appends the values under every key in all records, each with the indices of the keys around it.
fn gather(records: &[&Data], path: &str, named: &[String], columns: &mut Vec<String>) {
    let Some(Data::Object(first)) = records.first() else { return };
    for key in first.keys() {
        let under = records.iter().filter_map(|record| match record {
            Data::Object(fields) => fields.get(key).cloned(),
            _ => None,
        });
        let values: Vec<Data> = under.collect();
        let number = named.iter().position(|name| name == key);
        let path = format!("{path}/{}", number.map_or("-".to_owned(), |number| number.to_string()));
        if values.iter().all(|value| matches!(value, Data::Object(_))) {
            gather(&values.iter().collect::<Vec<_>>(), &path, named, columns);
        } else {
            columns.push(format!("{path} {}", Data::List(values).write()));
        }
    }
}

fn rename(data: &Data, name: &dyn Fn(&String) -> String) -> Data {
    match data {
        Data::Object(fields) => {
            Data::Object(fields.iter().map(|(key, value)| (name(key), rename(value, name))).collect())
        }
        other => other.clone(),
    }
}

/// Changes one nested value.
fn spoil(data: &mut Data) {
    match data {
        Data::Flag(flag) => *flag = !*flag,
        Data::Number(number) => *number += 1,
        Data::Text(text) => text.push('s'),
        Data::List(items) => items.iter_mut().take(1).for_each(spoil),
        Data::Object(fields) => fields.values_mut().take(1).for_each(spoil),
        Data::Other(_) => {}
    }
}

fn is_word(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

fn is_plain(data: &Data) -> bool {
    match data {
        Data::Flag(_) => true,
        Data::Number(number) => (-LARGEST..=LARGEST).contains(number),
        Data::Text(text) => is_word(text),
        Data::List(items) => items.len() <= 12 && items.iter().all(is_plain),
        Data::Object(fields) => {
            (1..=16).contains(&fields.len())
                && fields.iter().all(|(key, value)| is_word(key) && is_plain(value))
        }
        Data::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::verdict as judge;

    fn given() -> Transformation {
        let records = r#"[{"id":"a1","n":3,"t":"x"},{"id":"a2","n":9,"t":"y"},{"id":"a3","n":5,"t":"x"}]"#;
        let operations = r#"[{"kind":"keep_at_most","key":"n","bound":5},{"kind":"rename","key":"n","to":"m"},
            {"kind":"sort","key":"m","descending":true}]"#;
        let [records, operations] = [records, operations].map(|text| serde_json::from_str(text).unwrap());
        Transformation {
            records: serde_json::from_value(records).unwrap(),
            operations: serde_json::from_value(operations).unwrap(),
        }
    }

    #[test]
    fn values_count_and_their_notation_does_not() {
        let given = given();
        given.check().unwrap();
        assert!(given.certify(&mut Budget::new(9_999)).is_ok());
        assert_eq!(
            given.solution().answer,
            r#"[{"id": "a3", "m": 5, "t": "x"}, {"id": "a1", "m": 3, "t": "x"}]"#
        );
        for right in [
            "[{\"m\":5,\n\t\"t\":\"x\",\"id\":\"a3\"},{\"t\":\"x\",\"m\":3.0,\"id\":\"\\u00611\"}]",
            r#"[{"id":"a3","m":0.5e1,"t":"x"},{"id":"a1","m":3,"t":"x"}]"#,
        ] {
            assert!(judge(&given, right).passed, "{right}");
        }
        for (wrong, detail, score) in [
            (
                r#"[{"id":"a1","m":3,"t":"x"},{"id":"a3","m":5,"t":"x"}]"#,
                "`[0].id` is `\"a1\"`, but should be `\"a3\"`",
                0.0,
            ),
            (r#"[{"id":"a3","m":5,"t":"x"}]"#, "the result has length 1, but should have length 2", 0.5),
            (
                r#"[{"id":"a3","m":5,"t":"x"},{"id":"a1","m":"3","t":"x"}]"#,
                "`[1].m` is `\"3\"`, but should be `3`",
                0.5,
            ),
            (
                r#"[{"id":"a3","m":5.5,"t":"x"},{"id":"a1","m":3,"t":"x"}]"#,
                "`[0].m` is `5.5`, but should be `5`",
                0.5,
            ),
            (r#"[{"id":"a3","m":5},{"id":"a1","m":3,"t":"x","n":3}]"#, "`[0]` has no key `t`", 0.0),
            (r#"{"0":1}"#, "the result is `{\"0\": 1}`, but should be", 0.0),
            ("null", "the result is `null`, but should be", 0.0),
            (
                r#"[{"id":"a3","m":5,"m":5,"t":"x"}]"#,
                "the answer is not JSON: the key `m` is given twice",
                0.0,
            ),
        ] {
            let verdict = judge(&given, wrong);
            assert!(!verdict.passed && verdict.detail.starts_with(detail), "{wrong}: {verdict:?}");
            assert!((verdict.score - score).abs() < 1e-6, "{wrong}: {verdict:?}");
        }
    }

    #[test]
    fn operations_do_what_their_sentences_say() {
        let records: Data = serde_json::from_str(
            r#"[{"id":"a1","n":3,"l":[1,2],"t":"x"},{"id":"a2","n":9,"l":[4,4],"t":"y"},{"id":"a3","n":5,"l":[7,1],"t":"x"}]"#,
        )
        .unwrap();
        for (operation, after) in [
            (
                r#"{"kind":"group","key":"t"}"#,
                r#"{"x": [{"id": "a1", "l": [1, 2], "n": 3}, {"id": "a3", "l": [7, 1], "n": 5}], "y": [{"id": "a2", "l": [4, 4], "n": 9}]}"#,
            ),
            (r#"{"kind":"totals","key":"t","of":"n"}"#, r#"{"x": 8, "y": 9}"#),
            (
                r#"{"kind":"keep_text","key":"t","text":"y"}"#,
                r#"[{"id": "a2", "l": [4, 4], "n": 9, "t": "y"}]"#,
            ),
        ] {
            let operation: Operation = serde_json::from_str(operation).unwrap();
            assert_eq!(operation.apply(records.clone()).unwrap().write(), after);
        }
        for operation in [
            r#"{"kind":"index","key":"t"}"#,
            r#"{"kind":"lift","key":"n"}"#,
            r#"{"kind":"rename","key":"n","to":"t"}"#,
            r#"{"kind":"sum","key":"t"}"#,
            r#"{"kind":"remove","key":"z"}"#,
        ] {
            let operation: Operation = serde_json::from_str(operation).unwrap();
            assert!(operation.apply(records.clone()).is_err(), "{operation:?}");
        }
    }
}
