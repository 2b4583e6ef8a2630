//! Scripts: the letters in which a text is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Thai,
    Georgian,
    Hangul,
    Han,
    /// Kana and Han together.
    Japanese,
}

const HAN: [(u32, u32); 4] = [(0x3005, 0x3007), (0x3400, 0x4dbf), (0x4e00, 0x9fff), (0x2_0000, 0x3_ffff)];

impl Script {
    fn has(self, letter: char) -> bool {
        let code = u32::from(letter);
        let among = |ranges: &[(u32, u32)]| ranges.iter().any(|(low, high)| (*low..=*high).contains(&code));
        match self {
            Self::Latin => among(&[
                (0x41, 0x5a),
                (0x61, 0x7a),
                (0xaa, 0xaa),
                (0xba, 0xba),
                (0xc0, 0x24f),
                (0x1e00, 0x1eff),
            ]),
            Self::Greek => among(&[(0x370, 0x3ff), (0x1f00, 0x1fff)]),
            Self::Cyrillic => among(&[(0x400, 0x52f), (0x1c80, 0x1c8f)]),
            Self::Armenian => among(&[(0x530, 0x58f)]),
            Self::Hebrew => among(&[(0x590, 0x5ff)]),
            Self::Arabic => {
                among(&[(0x600, 0x6ff), (0x750, 0x77f), (0x8a0, 0x8ff), (0xfb50, 0xfdff), (0xfe70, 0xfeff)])
            }
            Self::Devanagari => among(&[(0x900, 0x97f)]),
            Self::Bengali => among(&[(0x980, 0x9ff)]),
            Self::Gurmukhi => among(&[(0xa00, 0xa7f)]),
            Self::Gujarati => among(&[(0xa80, 0xaff)]),
            Self::Tamil => among(&[(0xb80, 0xbff)]),
            Self::Telugu => among(&[(0xc00, 0xc7f)]),
            Self::Kannada => among(&[(0xc80, 0xcff)]),
            Self::Malayalam => among(&[(0xd00, 0xd7f)]),
            Self::Thai => among(&[(0xe00, 0xe7f)]),
            Self::Georgian => among(&[(0x10a0, 0x10ff), (0x1c90, 0x1cbf)]),
            Self::Hangul => among(&[(0x1100, 0x11ff), (0x3130, 0x318f), (0xac00, 0xd7af)]),
            Self::Han => among(&HAN),
            Self::Japanese => among(&[(0x3040, 0x30ff), (0x31f0, 0x31ff), (0xff66, 0xff9f)]) || among(&HAN),
        }
    }

    /// Checks that nine in ten letters are of this script.
    pub fn judge(self, text: &str) -> Result<(), String> {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        let (all, own) =
            letters.fold((0_u64, 0_u64), |(all, own), c| (all + 1, own + u64::from(self.has(c))));
        if all == 0 {
            return Err("there are no letters".into());
        }
        if own * 10 >= all * 9 {
            return Ok(());
        }
        Err(format!("{own} of {all} letters are of the script"))
    }
}
