//! Names of generated directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use kit::rng::Rng;

/// A naming style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Names {
    Words,
    Repository,
    Numbered,
    Mixed,
}

impl Names {
    /// A name that is not taken.
    pub fn draw(self, rng: &mut Rng, taken: impl Fn(&str) -> bool) -> String {
        const TRIES: u32 = 20;
        for _ in 0..TRIES {
            let name = self.any(rng);
            if !taken(&name) {
                return name;
            }
        }
        let mut name = self.any(rng);
        while taken(&name) {
            name.push('x');
        }
        name
    }

    fn any(self, rng: &mut Rng) -> String {
        match self {
            Self::Words => (*rng.pick(WORDS)).to_owned(),
            Self::Repository => {
                let name = *rng.pick(REPOSITORY);
                let joint = match rng.below(8) {
                    0 => '-',
                    1 => '_',
                    _ => return name.to_owned(),
                };
                let second = rng.pick(REPOSITORY).trim_start_matches('.');
                format!("{name}{joint}{second}")
            }
            Self::Numbered => {
                let series = *rng.pick(SERIES);
                match rng.below(5) {
                    0 => format!("{series}{}", rng.int(1, 12)),
                    1 => format!("{series}-{:02}", rng.int(1, 40)),
                    2 => format!("{series}_{:03}", rng.int(1, 400)),
                    3 => format!("{}-{:02}", rng.int(1990, 2030), rng.int(1, 12)),
                    _ => format!("{series}-{}.{}", rng.int(0, 9), rng.int(0, 20)),
                }
            }
            Self::Mixed => match rng.below(8) {
                0 | 1 => Self::Words.any(rng),
                2 | 3 => Self::Repository.any(rng),
                4 | 5 => Self::Numbered.any(rng),
                6 => {
                    let joint = *rng.pick(&["", " ", "_"]);
                    let (first, second) = (capital(rng), capital(rng));
                    format!("{first}{joint}{second}")
                }
                _ => {
                    let domain = *rng.pick(&["com", "org", "net", "io"]);
                    format!("{domain}.{}", rng.pick(WORDS))
                }
            },
        }
    }
}

/// A capitalized word.
fn capital(rng: &mut Rng) -> String {
    let (first, rest) = rng.pick(WORDS).split_at(1);
    first.to_ascii_uppercase() + rest
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "amber", "anchor", "apple", "autumn", "basin", "beacon", "birch", "bridge", "candle", "canyon",
    "carbon", "castle", "cedar", "cherry", "cinder", "clover", "cobalt", "comet", "copper", "coral",
    "cotton", "crater", "dawn", "delta", "desert", "diary", "ember", "falcon", "feather", "fern",
    "field", "flint", "forest", "fossil", "garden", "garnet", "ginger", "glacier", "granite",
    "harbor", "hazel", "heron", "hollow", "indigo", "island", "ivory", "jasmine", "journal",
    "juniper", "kettle", "lagoon", "lantern", "laurel", "lemon", "letters", "linen", "lotus",
    "maple", "marble", "meadow", "mercury", "mirror", "mosaic", "moss", "nectar", "north", "oasis",
    "olive", "onyx", "orchard", "otter", "paper", "pebble", "pepper", "photos", "pillar", "pine",
    "plum", "prairie", "quartz", "quill", "rain", "raven", "recipes", "reef", "ribbon", "ridge",
    "river", "saddle", "saffron", "sage", "salmon", "sand", "shadow", "silver", "sparrow", "spruce",
    "summit", "thistle", "timber", "travel", "tulip", "valley", "velvet", "violet", "walnut",
    "willow", "winter", "yarrow", "zephyr",
];

#[rustfmt::skip]
const REPOSITORY: &[&str] = &[
    "api", "app", "archive", "assets", "auth", "backend", "base", "bench", "bin", "build", "cache",
    "charts", "ci", "cli", "client", "cmd", "common", "components", "config", "core", "css", "data",
    "db", "debian", "deploy", "dist", "docker", "docs", "editor", "engine", "etc", "examples",
    "extensions", "fixtures", "fonts", "frontend", "generated", "gradle", "handlers", "helpers",
    "hooks", "i18n", "icons", "images", "include", "internal", "java", "js", "json", "lang",
    "layout", "lib", "linux", "locale", "macos", "main", "migrations", "mocks", "models", "modules",
    "network", "node_modules", "org", "packages", "parser", "pkg", "plugins", "proto", "public",
    "python", "resources", "routes", "runtime", "rust", "samples", "schema", "scripts", "sdk",
    "server", "services", "shared", "site", "spec", "src", "static", "storage", "styles", "system",
    "target", "templates", "test", "tests", "themes", "third_party", "tools", "types", "ui", "unit",
    "util", "utils", "vendor", "views", "web", "webapp", "widgets", "windows", "workflows",
    ".github", ".config", "__tests__", "k8s", "x86_64", "arm64",
];

#[rustfmt::skip]
const SERIES: &[&str] = &[
    "batch", "block", "box", "chapter", "chunk", "day", "exp", "fold", "item", "lesson", "module",
    "node", "page", "part", "phase", "run", "sample", "section", "set", "shard", "step", "task",
    "team", "test", "unit", "v", "volume", "week",
];
