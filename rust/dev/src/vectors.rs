//! `rng.json`: published test vectors for other implementations.

use reasonenv::rng::{Key, Rng};
use reasonenv::task::split::Fingerprint;
use serde_json::{Value, json};

use crate::hex;

struct Stream {
    unit: &'static str,
    version: u32,
    split: &'static str,
    seed: u64,
    canonical: &'static str,
    index: u64,
}

const STREAMS: [Stream; 4] = [
    Stream { unit: "chain_sum", version: 1, split: "train", seed: 0, canonical: "{}", index: 0 },
    Stream { unit: "chain_sum", version: 1, split: "train", seed: 0, canonical: "{}", index: 1 },
    Stream {
        unit: "chain_sum",
        version: 2,
        split: "eval",
        seed: 1,
        canonical: "{\"digits\":4,\"terms\":5}",
        index: 1_000_000,
    },
    Stream { unit: "é", version: u32::MAX, split: "test", seed: u64::MAX, canonical: "", index: u64::MAX },
];

/// Vectors as self-explanatory JSON.
pub fn render() -> String {
    let streams: Vec<Value> = STREAMS.iter().map(stream).collect();
    let fingerprints = ["", "[12,30]", "{\"terms\":[12,-30]}", "é"].map(fingerprint);
    let vectors = json!({
        "about": [
            "Vectors of docs/determinism.md. Integers need 64 bits; words and keys are hexadecimal, \
             a word's most significant digit first, a key's bytes in order.",
            "key = SHA-256 of \"reasonenv/1\", unit, version, split, seed and canonical params, joined by NUL bytes, \
             numbers in decimal. aside_style = SHA-256 of the key's bytes and \"style\".",
            "words: the first 64-bit outputs of ChaCha8 under the key with a 64-bit block counter from 0 and the index \
             as its 64-bit stream id; a word is two 32-bit outputs, the first one low.",
            "draws: made in this order on a fresh stream of the same key and index.",
            "fingerprints: SHA-256 of \"reasonenv/1/fingerprint\", the family (chain_sum) and the instance, joined by \
             NUL bytes. The first 16 bytes are the key; the next 8, most significant first, modulo 16, the bucket: \
             0 to 7 is train, 8 to 11 eval, 12 to 15 test.",
        ],
        "streams": streams,
        "fingerprints": fingerprints,
    });
    spread(&vectors, 0) + "\n"
}

/// Format JSON, keeping on one line whatever fits.
fn spread(value: &Value, depth: usize) -> String {
    const WIDTH: usize = 100;
    let line = value.to_string();
    let inner = "  ".repeat(depth + 1);
    let (open, entries, close): (_, Vec<String>, _) = match value {
        Value::Array(items) if line.len() > WIDTH => {
            let entry = |item| spread(item, depth + 1);
            ("[", items.iter().map(entry).collect(), "]")
        }
        Value::Object(fields) if line.len() > WIDTH => {
            let entry = |(name, field)| format!("{}: {}", json!(name), spread(field, depth + 1));
            ("{", fields.iter().map(entry).collect(), "}")
        }
        _ => return line,
    };
    let entries = entries.join(&format!(",\n{inner}"));
    format!("{open}\n{inner}{entries}\n{}{close}", "  ".repeat(depth))
}

fn stream(at: &Stream) -> Value {
    let key = Key::new(at.unit, at.version, at.split, at.seed, at.canonical);
    let mut words = key.stream(at.index);
    let words: Vec<String> = (0..8).map(|_| format!("{:016x}", words.word())).collect();
    json!({
        "unit": at.unit,
        "version": at.version,
        "split": at.split,
        "seed": at.seed,
        "canonical": at.canonical,
        "index": at.index,
        "key": hex(key.bytes()),
        "aside_style": hex(key.derive("style").bytes()),
        "words": words,
        "draws": draws(&mut key.stream(at.index)),
    })
}

/// Every kind of draw, with its arguments and its result.
fn draws(rng: &mut Rng) -> Vec<Value> {
    let mut draws = Vec::new();
    // Half of all words are redrawn for an `n` just above half of the range.
    for n in [1, 2, 6, 1000, (1 << 63) + 1, u64::MAX] {
        draws.push(json!({"draw": "below", "n": n, "yields": rng.below(n)}));
    }
    for (low, high) in [(-3, 3), (7, 7), (i64::MIN, i64::MAX), (i64::MIN, 0)] {
        draws.push(json!({"draw": "int", "low": low, "high": high, "yields": rng.int(low, high)}));
    }
    for (of, outcomes) in [(1, 2), (1, 3), (0, 5), (5, 5)] {
        draws.push(
            json!({"draw": "chance", "of": of, "outcomes": outcomes, "yields": rng.chance(of, outcomes)}),
        );
    }
    let items = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu"];
    draws.push(json!({"draw": "pick", "items": items, "yields": rng.pick(&items)}));
    let mut shuffled = items;
    rng.shuffle(&mut shuffled);
    draws.push(json!({"draw": "shuffle", "items": items, "yields": shuffled}));
    for weights in [[1, 1, 1, 1], [0, 5, 0, 1], [1_000_000, 1, 1, 1]] {
        draws.push(json!({"draw": "weighted", "weights": weights, "yields": rng.weighted(&weights)}));
    }
    draws.push(json!({"draw": "word", "yields": format!("{:016x}", rng.word())}));
    draws
}

fn fingerprint(instance: &str) -> Value {
    let fingerprint = Fingerprint::new("chain_sum", instance.as_bytes());
    json!({
        "instance": instance,
        "key": format!("{:032x}", fingerprint.key),
        "split": fingerprint.split().name(),
    })
}
