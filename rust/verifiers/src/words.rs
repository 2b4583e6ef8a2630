//! Words: answers that are words, and the names of units.

/// Units that are compared: each canonical name with its synonyms.
const UNITS: &[(&str, &[&str])] = &[
    ("m", &["m", "meter", "meters", "metre", "metres"]),
    ("cm", &["cm", "centimeter", "centimeters", "centimetre", "centimetres"]),
    ("mm", &["mm", "millimeter", "millimeters", "millimetre", "millimetres"]),
    ("km", &["km", "kilometer", "kilometers", "kilometre", "kilometres"]),
    ("in", &["inch", "inches"]),
    ("ft", &["ft", "foot", "feet"]),
    ("yd", &["yd", "yard", "yards"]),
    ("mi", &["mi", "mile", "miles"]),
    ("g", &["g", "gram", "grams"]),
    ("kg", &["kg", "kilogram", "kilograms", "kilo", "kilos"]),
    ("mg", &["mg", "milligram", "milligrams"]),
    ("lb", &["lb", "lbs", "pound", "pounds"]),
    ("oz", &["oz", "ounce", "ounces"]),
    ("l", &["l", "L", "liter", "liters", "litre", "litres"]),
    ("ml", &["ml", "mL", "milliliter", "milliliters"]),
    ("gal", &["gal", "gallon", "gallons"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("min", &["min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
    ("day", &["day", "days"]),
    ("week", &["week", "weeks"]),
    ("month", &["month", "months"]),
    ("year", &["yr", "yrs", "year", "years"]),
    ("mph", &["mph"]),
    ("kph", &["kph", "kmh"]),
    ("$", &["$", "dollar", "dollars", "USD"]),
    ("cent", &["¢", "cent", "cents"]),
    ("€", &["€", "euro", "euros", "EUR"]),
    ("£", &["£", "GBP"]),
    ("°C", &["Celsius"]),
    ("°F", &["Fahrenheit"]),
    ("rad", &["rad", "radian", "radians"]),
    ("N", &["N", "newton", "newtons"]),
    ("J", &["J", "joule", "joules"]),
    ("W", &["W", "watt", "watts"]),
    ("V", &["V", "volt", "volts"]),
    ("Hz", &["Hz", "hertz"]),
    ("mol", &["mol", "mols", "mole", "moles"]),
    ("unit", &["unit", "units"]),
];

/// The canonical name under which a unit is compared.
pub fn known_unit(word: &str) -> Option<&'static str> {
    let named = |word: &str| UNITS.iter().find(|(_, names)| names.contains(&word)).map(|(name, _)| *name);
    // In short names, case counts: `Mg` is not `mg`.
    let longer = (4..=12).contains(&word.len()) && word.is_ascii();
    named(word).or_else(|| if longer { named(&word.to_lowercase()) } else { None })
}

/// True if a run of letters is a unit rather than variables.
pub fn is_unit(run: &str) -> bool {
    // m·g, m·i and the like are more often products.
    run.len() >= 2
        && known_unit(run).is_some()
        && !matches!(run, "mg" | "mi" | "yd" | "ml" | "lb" | "oz" | "hr" | "yr" | "Hz")
}

/// True if a word denies what it describes, so that it names nothing: `no = 5`.
pub fn denies(word: &str) -> bool {
    const DENYING: &[&str] = &[
        "almost",
        "either",
        "except",
        "false",
        "if",
        "incorrect",
        "isn't",
        "maybe",
        "neither",
        "never",
        "no",
        "none",
        "nope",
        "nor",
        "not",
        "perhaps",
        "possibly",
        "unless",
        "without",
        "wrong",
    ];
    DENYING.contains(&&*word.to_lowercase())
}

/// True if a run of letters is a word and not variables side by side: three letters or more with a vowel, and
/// not in alphabetical order, as `abc` is. `no` is a word, too.
pub fn looks_like_a_word(run: &str) -> bool {
    if run.len() < 3 {
        return matches!(run, "sq" | "no" | "No" | "NO" | "is" | "of" | "if" | "by" | "to" | "at" | "as");
    }
    let vowel = run.bytes().any(|byte| b"aeiouAEIOU".contains(&byte));
    let rising = run.bytes().zip(run.bytes().skip(1)).all(|(one, next)| one + 1 == next);
    matches!(run, "DNE" | "dne") || (vowel && !rising)
}

/// The form in which words are compared: lower case, single spaces, no outer marks.
pub fn normal(text: &str) -> String {
    let mut text = text.trim();
    for _ in 0..3 {
        text = text.trim_matches(|c: char| "$*_`.,;:!\"'()".contains(c) || c.is_whitespace());
        for command in ["\\textbf{", "\\text{", "\\mathrm{", "\\boxed{"] {
            text = text.strip_prefix(command).and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
        }
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match &*text {
        "no solution"
        | "no solutions"
        | "no real solution"
        | "no real solutions"
        | "there is no solution"
        | "there are no solutions"
        | "has no solution" => "no solution".into(),
        "dne" | "does not exist" | "the limit does not exist" => "does not exist".into(),
        _ => text,
    }
}
