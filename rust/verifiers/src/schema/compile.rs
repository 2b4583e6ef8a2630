//! Schemas read once: a list of nodes that refer to each other by number.

use std::collections::BTreeMap;

use super::formats::Format;
use crate::pattern::Pattern;
use kit::error::quoted;
use kit::shared::decimal::Decimal;
use kit::shared::json::{Json, Text};

/// A node by its number.
pub type Id = usize;

/// A requirement on a value. A node without keywords allows any.
#[derive(Debug)]
pub enum Keyword {
    /// Nothing is allowed.
    Never,
    Type(Vec<Type>),
    /// One of these, with the approximate number of steps to look through them.
    Enum(Vec<Json>, u64),
    MultipleOf(Decimal),
    Bound {
        limit: Decimal,
        upper: bool,
        exclusive: bool,
    },
    /// Bound on the number of something.
    Count {
        what: Counted,
        limit: u64,
        most: bool,
    },
    Pattern(Box<Pattern<'static>>),
    Format(Format),
    UniqueItems,
    Items {
        prefix: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        item: Id,
        min: u64,
        max: Option<u64>,
    },
    Required(Vec<Text>),
    /// Requirements that the presence of a property brings with it.
    Dependent {
        property: Text,
        required: Vec<Text>,
        schema: Option<Id>,
    },
    Properties {
        named: BTreeMap<Text, Id>,
        patterns: Vec<(Pattern<'static>, Id)>,
        rest: Option<Id>,
    },
    PropertyNames(Id),
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    Ref(Id),
    /// Schema of everything that no other keyword here or within has evaluated; these come last.
    UnevaluatedItems(Id),
    UnevaluatedProperties(Id),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Characters,
    Items,
    Properties,
}

impl Type {
    const ALL: [(&str, Self); 7] = [
        ("null", Self::Null),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("string", Self::String),
        ("array", Self::Array),
        ("object", Self::Object),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

#[derive(Debug)]
pub struct Schema {
    pub nodes: Vec<Vec<Keyword>>,
    pub root: Id,
    /// True if the checker must know what other keywords have evaluated.
    pub tracks: bool,
}

/// Requirement that an invalid schema breaks.
type Must = String;

impl Schema {
    pub fn compile(json: &Json, formats: bool) -> Result<Self, Must> {
        let mut compiler = Compiler {
            document: json,
            formats,
            nodes: Vec::new(),
            known: BTreeMap::new(),
            anchors: BTreeMap::new(),
            id: String::new(),
            legacy: false,
            tracks: false,
            patterns: 0,
        };
        if let Json::Object(root) = json {
            let text = |key: &str| root.get(key.as_bytes()).and_then(text_of).unwrap_or_default();
            text("$id").trim_end_matches('#').clone_into(&mut compiler.id);
            compiler.legacy = text("$schema").contains("draft-0");
        }
        compiler.find_anchors(json, "", 0)?;
        let root = compiler.node(json, "", 0)?;
        let schema = Self { nodes: compiler.nodes, root, tracks: compiler.tracks };
        schema.refuse_loops()?;
        Ok(schema)
    }

    /// Rejects references that lead back to their own place before any part of a value is looked at.
    fn refuse_loops(&self) -> Result<(), Must> {
        // Nodes known to end, and those on the path to the current one.
        let (mut ends, mut on_way) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for start in 0..self.nodes.len() {
            let mut stack = vec![(start, false)];
            while let Some((id, done)) = stack.pop() {
                if done {
                    (ends[id], on_way[id]) = (true, false);
                } else if on_way[id] {
                    return Err("must have no `$ref` that leads back to itself".into());
                } else if !ends[id] {
                    on_way[id] = true;
                    stack.push((id, true));
                    stack.extend(self.in_place(id).into_iter().map(|next| (next, false)));
                }
            }
        }
        Ok(())
    }

    /// The nodes that look at the same value as this one.
    fn in_place(&self, id: Id) -> Vec<Id> {
        let mut found = Vec::new();
        for keyword in &self.nodes[id] {
            match keyword {
                Keyword::AllOf(all) | Keyword::AnyOf(all) | Keyword::OneOf(all) => found.extend(all),
                Keyword::Not(one) | Keyword::Ref(one) => found.push(*one),
                Keyword::If { condition, then, otherwise } => {
                    found.extend([Some(*condition), *then, *otherwise].into_iter().flatten());
                }
                Keyword::Dependent { schema, .. } => found.extend(schema),
                _ => {}
            }
        }
        found
    }
}

pub fn text_of(json: &Json) -> Option<&str> {
    if let Json::Text(text) = json { str::from_utf8(text).ok() } else { None }
}

/// Deepest nesting of schemas.
const DEEPEST: usize = 64;

/// Largest number of patterns; each takes memory.
const MOST_PATTERNS: usize = 256;

struct Compiler<'j> {
    document: &'j Json,
    formats: bool,
    nodes: Vec<Vec<Keyword>>,
    /// Nodes by the JSON pointer of their schema.
    known: BTreeMap<String, Id>,
    anchors: BTreeMap<String, String>,
    /// The root's own `$id`.
    id: String,
    /// In drafts up to 7, `$ref` overrides everything next to it.
    legacy: bool,
    tracks: bool,
    patterns: usize,
}

type Fields = BTreeMap<Text, Json>;

fn step(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

impl<'j> Compiler<'j> {
    /// Collects the names that `$ref` may use. Text inside values does not count.
    fn find_anchors(&mut self, json: &Json, at: &str, depth: usize) -> Result<(), Must> {
        if depth > 4 * DEEPEST {
            return Err(format!("must not be nested deeper than {DEEPEST} levels"));
        }
        match json {
            Json::List(items) => {
                for (place, item) in items.iter().enumerate() {
                    self.find_anchors(item, &step(at, &place.to_string()), depth + 1)?;
                }
            }
            Json::Object(fields) => {
                let anchor = fields.get(b"$anchor".as_slice()).and_then(text_of);
                let old = fields.get(b"$id".as_slice()).and_then(text_of).and_then(|id| id.strip_prefix('#'));
                for name in [anchor, old].into_iter().flatten() {
                    self.anchors.insert(name.to_owned(), at.to_owned());
                }
                for (key, field) in fields {
                    if !matches!(key.as_slice(), b"enum" | b"const" | b"default" | b"examples") {
                        self.find_anchors(field, &step(at, &lossy(key)), depth + 1)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The node of the schema at a place of the document.
    fn node(&mut self, json: &'j Json, at: &str, depth: usize) -> Result<Id, Must> {
        if let Some(&id) = self.known.get(at) {
            return Ok(id);
        }
        if depth > DEEPEST {
            return Err(format!("must not be nested deeper than {DEEPEST} levels"));
        }
        let id = self.nodes.len();
        self.nodes.push(Vec::new());
        self.known.insert(at.to_owned(), id);
        self.nodes[id] = match json {
            Json::Bool(true) => Vec::new(),
            Json::Bool(false) => vec![Keyword::Never],
            Json::Object(fields) => self.keywords(fields, at, depth)?,
            _ => return Err(format!("must have a schema, an object or a boolean, at `{}`", shown(at))),
        };
        Ok(id)
    }

    fn keywords(&mut self, fields: &'j Fields, at: &str, depth: usize) -> Result<Vec<Keyword>, Must> {
        for key in ["$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"] {
            if fields.contains_key(key.as_bytes()) {
                return Err(format!("must have no `{key}`; `$ref` does most of what it does"));
            }
        }
        let mut made = Vec::new();
        if let Some(to) = fields.get(b"$ref".as_slice()) {
            made.push(Keyword::Ref(self.reference(to, depth)?));
            if self.legacy {
                return Ok(made);
            }
        }
        if !at.is_empty()
            && let Some(id) = fields.get(b"$id".as_slice()).and_then(text_of)
            && !id.starts_with('#')
        {
            return Err(format!("must have no `$id` below the root, as at `{}`", shown(at)));
        }
        let here = Here { fields, at, depth };
        values(&here, &mut made)?;
        self.of_numbers_and_texts(&here, &mut made)?;
        self.of_items(&here, &mut made)?;
        self.of_properties(&here, &mut made)?;
        self.combinations(&here, &mut made)?;
        // All other keywords that evaluate items and properties come before this.
        if let Some(id) = self.below(&here, "unevaluatedItems")? {
            made.push(Keyword::UnevaluatedItems(id));
        }
        if let Some(id) = self.below(&here, "unevaluatedProperties")? {
            made.push(Keyword::UnevaluatedProperties(id));
        }
        self.tracks |=
            ["unevaluatedItems", "unevaluatedProperties"].iter().any(|key| here.get(key).is_some());
        Ok(made)
    }

    /// The node that a `$ref` names.
    fn reference(&mut self, to: &Json, depth: usize) -> Result<Id, Must> {
        let given = text_of(to).ok_or("must have text as `$ref`")?;
        let told = || {
            let must = "must have `$ref`s into the schema itself, like `#/$defs/name`";
            format!("{must}, and one is `{}`", quoted(given))
        };
        let inner =
            given.strip_prefix(self.id.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('#'));
        let fragment = inner.map(|rest| rest.trim_start_matches('#')).ok_or_else(told)?;
        if inner == Some("") && self.id.is_empty() {
            return Err(told());
        }
        let fragment = percent_decoded(fragment).ok_or_else(told)?;
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            fragment
        } else {
            self.anchors.get(&fragment).cloned().ok_or_else(told)?
        };
        let mut target = self.document;
        for key in pointer.split('/').skip(1) {
            let key = key.replace("~1", "/").replace("~0", "~");
            target = match target {
                Json::Object(fields) => fields.get(key.as_bytes()),
                Json::List(items) => key.parse::<usize>().ok().and_then(|place| items.get(place)),
                _ => None,
            }
            .ok_or_else(told)?;
        }
        self.node(target, &pointer, depth + 1)
    }

    fn below(&mut self, here: &Here<'_, 'j>, key: &str) -> Result<Option<Id>, Must> {
        let Some(json) = here.get(key) else { return Ok(None) };
        self.node(json, &step(here.at, key), here.depth + 1).map(Some)
    }

    fn all_below(&mut self, here: &Here<'_, 'j>, key: &str) -> Result<Option<Vec<Id>>, Must> {
        let Some(json) = here.get(key) else { return Ok(None) };
        let Json::List(schemas) = json else { return Err(here.must(key, "a list of schemas")) };
        let at = step(here.at, key);
        let node = |(place, json)| self.node(json, &step(&at, &usize::to_string(&place)), here.depth + 1);
        schemas.iter().enumerate().map(node).collect::<Result<_, _>>().map(Some)
    }

    fn map_below(&mut self, here: &Here<'_, 'j>, key: &str) -> Result<Vec<(&'j Text, Id)>, Must> {
        let Some(json) = here.get(key) else { return Ok(Vec::new()) };
        let Json::Object(schemas) = json else { return Err(here.must(key, "an object of schemas")) };
        let at = step(here.at, key);
        let node = |(name, json): (&'j Text, _)| {
            Ok((name, self.node(json, &step(&at, &lossy(name)), here.depth + 1)?))
        };
        schemas.iter().map(node).collect()
    }

    fn pattern(&mut self, text: &str) -> Result<Pattern<'static>, Must> {
        self.patterns += 1;
        if self.patterns > MOST_PATTERNS {
            return Err(format!("must have at most {MOST_PATTERNS} patterns"));
        }
        Pattern::new(&of_rust(text), true, false).map(Pattern::owned).map_err(|told| {
            format!("must have patterns that are regular expressions, and `{}` {told}", quoted(text))
        })
    }

    fn of_numbers_and_texts(&mut self, here: &Here<'_, 'j>, made: &mut Vec<Keyword>) -> Result<(), Must> {
        let number = |key: &str| match here.get(key) {
            Some(Json::Number(number)) => Ok(Some(number.clone())),
            Some(_) => Err(here.must(key, "a number")),
            None => Ok(None),
        };
        if let Some(number) = number("multipleOf")? {
            if number.is_zero() || number.is_negative() {
                return Err(here.must("multipleOf", "a number above 0"));
            }
            made.push(Keyword::MultipleOf(number));
        }
        for (key, upper, exclusive) in [
            ("maximum", true, false),
            ("exclusiveMaximum", true, true),
            ("minimum", false, false),
            ("exclusiveMinimum", false, true),
        ] {
            made.extend(number(key)?.map(|limit| Keyword::Bound { limit, upper, exclusive }));
        }
        for (key, what, most) in [
            ("maxLength", Counted::Characters, true),
            ("minLength", Counted::Characters, false),
            ("maxItems", Counted::Items, true),
            ("minItems", Counted::Items, false),
            ("maxProperties", Counted::Properties, true),
            ("minProperties", Counted::Properties, false),
        ] {
            made.extend(here.count(key)?.map(|limit| Keyword::Count { what, limit, most }));
        }
        if let Some(json) = here.get("pattern") {
            let text = text_of(json).ok_or_else(|| here.must("pattern", "text"))?;
            made.push(Keyword::Pattern(Box::new(self.pattern(text)?)));
        }
        if let Some(json) = here.get("format") {
            let name = text_of(json).ok_or_else(|| here.must("format", "text"))?;
            made.extend(Format::find(name).filter(|_| self.formats).map(Keyword::Format));
        }
        Ok(())
    }

    fn of_items(&mut self, here: &Here<'_, 'j>, made: &mut Vec<Keyword>) -> Result<(), Must> {
        // Up to draft 2019-09, `items` could be what `prefixItems` is now.
        let listed = matches!(here.get("items"), Some(Json::List(_)));
        let (prefix, rest) = if listed { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let (prefix, rest) = (self.all_below(here, prefix)?, self.below(here, rest)?);
        if prefix.is_some() || rest.is_some() {
            made.push(Keyword::Items { prefix: prefix.unwrap_or_default(), rest });
        }
        if let Some(item) = self.below(here, "contains")? {
            let min = here.count("minContains")?.unwrap_or(1);
            made.push(Keyword::Contains { item, min, max: here.count("maxContains")? });
        }
        match here.get("uniqueItems") {
            Some(Json::Bool(true)) => made.push(Keyword::UniqueItems),
            None | Some(Json::Bool(false)) => {}
            Some(_) => return Err(here.must("uniqueItems", "true or false")),
        }
        Ok(())
    }

    fn of_properties(&mut self, here: &Here<'_, 'j>, made: &mut Vec<Keyword>) -> Result<(), Must> {
        if let Some(json) = here.get("required") {
            made.push(Keyword::Required(
                names(json).ok_or_else(|| here.must("required", "a list of names"))?,
            ));
        }
        let named: BTreeMap<Text, Id> =
            self.map_below(here, "properties")?.into_iter().map(|(name, id)| (name.clone(), id)).collect();
        let mut patterns = Vec::new();
        for (pattern, id) in self.map_below(here, "patternProperties")? {
            patterns.push((self.pattern(&lossy(pattern))?, id));
        }
        let rest = self.below(here, "additionalProperties")?;
        if !named.is_empty() || !patterns.is_empty() || rest.is_some() {
            made.push(Keyword::Properties { named, patterns, rest });
        }
        made.extend(self.below(here, "propertyNames")?.map(Keyword::PropertyNames));
        for (property, id) in self.map_below(here, "dependentSchemas")? {
            made.push(Keyword::Dependent {
                property: property.clone(),
                required: Vec::new(),
                schema: Some(id),
            });
        }
        for key in ["dependentRequired", "dependencies"] {
            let Some(json) = here.get(key) else { continue };
            let Json::Object(dependencies) = json else { return Err(here.must(key, "an object")) };
            for (property, needs) in dependencies {
                let property = property.clone();
                made.push(if let Json::List(_) = needs {
                    let required =
                        names(needs).ok_or_else(|| here.must(key, "an object of lists of names"))?;
                    Keyword::Dependent { property, required, schema: None }
                } else {
                    let at = step(&step(here.at, key), &lossy(&property));
                    let schema = Some(self.node(needs, &at, here.depth + 1)?);
                    Keyword::Dependent { property, required: Vec::new(), schema }
                });
            }
        }
        Ok(())
    }

    fn combinations(&mut self, here: &Here<'_, 'j>, made: &mut Vec<Keyword>) -> Result<(), Must> {
        made.extend(self.all_below(here, "allOf")?.map(Keyword::AllOf));
        made.extend(self.all_below(here, "anyOf")?.map(Keyword::AnyOf));
        made.extend(self.all_below(here, "oneOf")?.map(Keyword::OneOf));
        made.extend(self.below(here, "not")?.map(Keyword::Not));
        if let Some(condition) = self.below(here, "if")? {
            let (then, otherwise) = (self.below(here, "then")?, self.below(here, "else")?);
            made.push(Keyword::If { condition, then, otherwise });
        }
        Ok(())
    }
}

/// A schema while it is being read.
struct Here<'h, 'j> {
    fields: &'j Fields,
    at: &'h str,
    depth: usize,
}

impl<'j> Here<'_, 'j> {
    fn get(&self, key: &str) -> Option<&'j Json> {
        self.fields.get(key.as_bytes())
    }

    fn must(&self, key: &str, what: &str) -> Must {
        format!("must have {what} at `{}`", shown(&step(self.at, key)))
    }

    /// A whole number of at least 0; anything beyond 64 bits counts as the largest that fits.
    fn count(&self, key: &str) -> Result<Option<u64>, Must> {
        match self.get(key) {
            None => Ok(None),
            Some(Json::Number(number)) if number.is_integer() && !number.is_negative() => {
                Ok(Some(number.to_string().parse().unwrap_or(u64::MAX)))
            }
            Some(_) => Err(self.must(key, "a whole number of at least 0")),
        }
    }
}

fn values(here: &Here<'_, '_>, made: &mut Vec<Keyword>) -> Result<(), Must> {
    if let Some(json) = here.get("type") {
        let of = |json: &Json| {
            let name = text_of(json)?;
            Type::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, found)| found)
        };
        let types = match json {
            Json::List(all) => all.iter().map(of).collect(),
            one => of(one).map(|one| vec![one]),
        };
        made.push(Keyword::Type(types.ok_or_else(|| here.must("type", "a type, or a list of some"))?));
    }
    if let Some(json) = here.get("enum") {
        let Json::List(all) = json else { return Err(here.must("enum", "a list")) };
        let steps = all.iter().map(size).sum::<u64>();
        made.push(Keyword::Enum(all.clone(), steps));
    }
    if let Some(json) = here.get("const") {
        made.push(Keyword::Enum(vec![json.clone()], size(json)));
    }
    Ok(())
}

fn names(json: &Json) -> Option<Vec<Text>> {
    let Json::List(names) = json else { return None };
    names.iter().map(|name| if let Json::Text(name) = name { Some(name.clone()) } else { None }).collect()
}

/// Approximate length of a value as text.
fn size(json: &Json) -> u64 {
    1 + match json {
        Json::Text(text) => text.len() as u64 / 8,
        Json::List(items) => items.iter().map(size).sum(),
        Json::Object(fields) => fields.values().map(|field| 1 + size(field)).sum(),
        _ => 0,
    }
}

/// A place in the schema, for a person.
fn shown(at: &str) -> String {
    quoted(&format!("#{at}"))
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let digits = str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A pattern of ECMA 262 in Rust's syntax: in ECMA 262, `\d` and `\w` are ASCII, and a byte order mark is
/// white space.
fn of_rust(pattern: &str) -> String {
    const SPACES: &str = r"\t-\r \p{Zs}\u{feff}\u{2028}\u{2029}";
    let mut made = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            made.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => made += "[0-9]",
            Some('D') => made += "[^0-9]",
            Some('w') => made += "[0-9A-Za-z_]",
            Some('W') => made += "[^0-9A-Za-z_]",
            Some('s') => made += &format!("[{SPACES}]"),
            Some('S') => made += &format!("[^{SPACES}]"),
            Some(other) => made.extend(['\\', other]),
            None => made.push('\\'),
        }
    }
    made
}
