//! Splits are disjoint by content: a fingerprint falls in one bucket, and a bucket belongs to one split.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, unknown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    Train,
    Eval,
    Test,
}

impl Split {
    pub const ALL: [Self; 3] = [Self::Train, Self::Eval, Self::Test];
    const BUCKETS: u64 = 16;

    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Eval => "eval",
            Self::Test => "test",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|split| split.name() == name)
            .ok_or_else(|| unknown("split", name, &Self::ALL.map(Self::name)))
    }

    /// Draws that it takes on average, rounded up, until one falls in the split.
    pub const fn draws(self) -> u64 {
        match self {
            Self::Train => 2,
            Self::Eval | Self::Test => 8,
        }
    }

    /// Three quarters of all problems are for training, an eighth each for evaluation and for test.
    fn of_bucket(bucket: u64) -> Self {
        match bucket {
            0..12 => Self::Train,
            12..14 => Self::Eval,
            _ => Self::Test,
        }
    }
}

/// Identity of a problem, whatever its wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint {
    /// 128 bits, the `key` of a task.
    pub key: u128,
    bucket: u64,
}

impl Fingerprint {
    pub fn new(family: &str, instance: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update("reasonenv/1/fingerprint\0");
        hash.update(family);
        hash.update([0]);
        hash.update(instance);
        let digest: [u8; 32] = hash.finalize().into();
        let (key, rest) = digest.split_at(16);
        let word = u64::from_be_bytes(rest[..8].try_into().expect("eight of sixteen bytes"));
        Self {
            key: u128::from_be_bytes(key.try_into().expect("sixteen bytes")),
            bucket: word % Split::BUCKETS,
        }
    }

    pub fn split(self) -> Split {
        Split::of_bucket(self.bucket)
    }
}
