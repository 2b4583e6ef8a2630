//! The documents to transform.

use super::data::{Data, Record};
use kit::task::permutation;
use kit::task::prelude::*;

const NUMBERS: [(&str, i64, i64); 6] = [
    ("price", 2, 99),
    ("stock", 0, 40),
    ("weight", 5, 60),
    ("rating", 1, 5),
    ("pages", 20, 400),
    ("age", 1, 30),
];
const TEXTS: [(&str, [&str; 6]); 4] = [
    ("city", ["oslo", "lima", "cairo", "quito", "delhi", "turin"]),
    ("color", ["red", "green", "blue", "white", "black", "amber"]),
    ("owner", ["ada", "ben", "cleo", "dan", "eva", "finn"]),
    ("shape", ["round", "flat", "square", "long", "oval", "thin"]),
];
const FLAGS: [&str; 3] = ["paid", "sold", "open"];
const LISTS: [(&str, [&str; 6]); 2] = [
    ("tags", ["new", "old", "rare", "soft", "loud", "cheap"]),
    ("parts", ["lid", "base", "lens", "gear", "belt", "cord"]),
];
const SERIES: [&str; 2] = ["marks", "counts"];

/// Records with an id and other keys, two of which may be nested in an object.
pub fn document(count: usize, keys: usize, rng: &mut Rng) -> Vec<Data> {
    enum Kind {
        Number(i64, i64),
        Text([&'static str; 6]),
        Flag,
        Words([&'static str; 6]),
        Numbers,
    }
    let numbers = NUMBERS.map(|(key, low, high)| (key, Kind::Number(low, high)));
    let mut kinds: Vec<(&str, Kind)> = numbers.into_iter().collect();
    rng.shuffle(&mut kinds);
    // At least two numbers and a text.
    let mut others = kinds.split_off(2);
    let mut texts = TEXTS.map(|(key, words)| (key, Kind::Text(words))).into_iter().collect::<Vec<_>>();
    rng.shuffle(&mut texts);
    kinds.extend(texts.pop());
    others.extend(texts);
    others.extend(FLAGS.map(|key| (key, Kind::Flag)));
    others.extend(LISTS.map(|(key, words)| (key, Kind::Words(words))));
    others.extend(SERIES.map(|key| (key, Kind::Numbers)));
    rng.shuffle(&mut others);
    kinds.extend(others);
    kinds.truncate(keys - 1);
    let ids = permutation::random(90, rng);
    let letter = char::from(b'a' + rng.below(26) as u8);
    let inside = (keys > 4 && rng.chance(1, 2)).then(|| *rng.pick(&["info", "detail", "extra"]));
    let several = |rng: &mut Rng, item: &dyn Fn(&mut Rng) -> Data| {
        (0..2 + rng.index(3)).map(|_| item(rng)).collect::<Vec<Data>>()
    };
    let mut record = |at: usize| {
        let mut record = Record::from([("id".to_owned(), Data::Text(format!("{letter}{}", 10 + ids[at])))]);
        for (key, kind) in &kinds {
            let value = match kind {
                Kind::Number(low, high) => Data::Number(rng.int(*low, *high)),
                Kind::Text(words) => Data::Text((*rng.pick(words)).to_owned()),
                Kind::Flag => Data::Flag(rng.chance(1, 2)),
                Kind::Numbers => Data::List(several(rng, &|rng| Data::Number(rng.int(1, 20)))),
                Kind::Words(words) => {
                    let mut words = words.map(|word| Data::Text(word.to_owned())).to_vec();
                    rng.shuffle(&mut words);
                    words.truncate(2 + rng.index(3));
                    Data::List(words)
                }
            };
            record.insert((*key).to_owned(), value);
        }
        if let Some(inside) = inside {
            let keys = [kinds[0].0, kinds[2].0];
            let moved = keys.into_iter().filter_map(|key| record.remove_entry(key)).collect();
            record.insert(inside.to_owned(), Data::Object(moved));
        }
        Data::Object(record)
    };
    (0..count).map(&mut record).collect()
}
