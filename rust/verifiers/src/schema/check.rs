//! Checks values against a schema, in counted steps.

use std::collections::BTreeSet;

use super::compile::{Counted, Id, Keyword, Schema, Type};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::shared::json::{Json, Text};

/// Deepest nesting of checks. A nested check of the same value counts, too.
const DEEPEST: usize = 200;

/// Checks a value against a schema; the inner error says what it breaks and where.
pub fn valid(schema: &Schema, json: &Json, budget: &mut Budget) -> Result<Result<(), String>, OverBudget> {
    let mut checker = Checker { schema, budget, depth: 0, quiet: 0 };
    match checker.check(schema.root, json, &Place::Root) {
        Ok(_) => Ok(Ok(())),
        Err(Broken::Told(told)) => Ok(Err(told)),
        Err(Broken::OverBudget) => Err(OverBudget),
    }
}

enum Broken {
    Told(String),
    OverBudget,
}

impl From<OverBudget> for Broken {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

/// Place of a value in the answer.
enum Place<'p> {
    Root,
    Item(&'p Place<'p>, usize),
    Property(&'p Place<'p>, &'p Text),
}

impl Place<'_> {
    /// As a JSON pointer, for a person.
    fn shown(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Item(around, at) => format!("{}/{at}", around.shown()),
            Self::Property(around, name) => {
                format!("{}/{}", around.shown(), quoted(&String::from_utf8_lossy(name)))
            }
        }
    }
}

/// The items and properties that keywords have evaluated in one value.
#[derive(Default)]
struct Seen {
    /// This many items from the start, and these.
    items: usize,
    more_items: BTreeSet<usize>,
    properties: BTreeSet<Text>,
    all_properties: bool,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.items = self.items.max(other.items);
        self.more_items.extend(other.more_items);
        self.properties.extend(other.properties);
        self.all_properties |= other.all_properties;
    }
}

struct Checker<'s, 'b, 'f> {
    schema: &'s Schema,
    budget: &'b mut Budget<'f>,
    depth: usize,
    /// Above 0 while a failure only rules out one of several ways, so that nobody reads its reason.
    quiet: usize,
}

type Checked = Result<Seen, Broken>;

impl Checker<'_, '_, '_> {
    fn check(&mut self, id: Id, json: &Json, place: &Place<'_>) -> Checked {
        let schema = self.schema;
        let keywords = &schema.nodes[id];
        self.budget.spend(2 + keywords.len() as u64)?;
        if self.depth == DEEPEST {
            return Err(Broken::OverBudget);
        }
        self.depth += 1;
        let mut seen = Seen::default();
        for keyword in keywords {
            self.keyword(keyword, json, place, &mut seen)?;
        }
        self.depth -= 1;
        Ok(seen)
    }

    /// Checks a value, ignoring the reason for a failure.
    fn allows(&mut self, id: Id, json: &Json, place: &Place<'_>) -> Result<Option<Seen>, Broken> {
        let depth = self.depth;
        self.quiet += 1;
        let checked = self.check(id, json, place);
        self.quiet -= 1;
        self.depth = depth;
        match checked {
            Ok(seen) => Ok(Some(seen)),
            Err(Broken::Told(_)) => Ok(None),
            Err(Broken::OverBudget) => Err(Broken::OverBudget),
        }
    }

    fn broken<T>(&self, json: &Json, place: &Place<'_>, must: impl FnOnce() -> String) -> Result<T, Broken> {
        if self.quiet > 0 {
            return Err(Broken::Told(String::new()));
        }
        let at = place.shown();
        let at = if at.is_empty() { "the answer".into() } else { format!("`{at}`") };
        Err(Broken::Told(format!("{at} is {}, but must {}", shown(json), must())))
    }

    fn keyword(
        &mut self,
        keyword: &Keyword,
        json: &Json,
        place: &Place<'_>,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        match (keyword, json) {
            (Keyword::Never, _) => self.broken(json, place, || "not be there".into()),
            (Keyword::Type(types), _) => {
                if types.iter().any(|one| is_of(json, *one)) {
                    return Ok(());
                }
                self.broken(json, place, || {
                    let names: Vec<_> = types.iter().map(|one| one.name()).collect();
                    format!("be of type {}", names.join(" or "))
                })
            }
            (Keyword::Enum(all, steps), _) => {
                self.budget.spend(*steps)?;
                if all.contains(json) {
                    return Ok(());
                }
                self.broken(json, place, || {
                    let first: Vec<_> = all.iter().take(4).map(shown).collect();
                    let more = if all.len() > 4 { ", …" } else { "" };
                    format!("be {}{more}", first.join(" or "))
                })
            }
            (Keyword::MultipleOf(step), Json::Number(number)) => {
                if number.is_multiple_of(step, self.budget)? {
                    return Ok(());
                }
                self.broken(json, place, || format!("be a multiple of {step}"))
            }
            (Keyword::Bound { limit, upper, exclusive }, Json::Number(number)) => {
                let order = number.compare(limit, self.budget)?;
                let beyond = if *upper { order.is_gt() } else { order.is_lt() };
                if !(beyond || *exclusive && order.is_eq()) {
                    return Ok(());
                }
                let word = match (upper, exclusive) {
                    (true, false) => "at most",
                    (true, true) => "below",
                    (false, false) => "at least",
                    (false, true) => "above",
                };
                self.broken(json, place, || format!("be {word} {limit}"))
            }
            (Keyword::Count { what, limit, most }, _) => self.count(json, place, (*what, *limit, *most)),
            (Keyword::Pattern(pattern), Json::Text(text)) => {
                if pattern.is_match(&String::from_utf8_lossy(text), self.budget)? {
                    return Ok(());
                }
                self.broken(json, place, || format!("match `{}`", quoted(pattern.written())))
            }
            (Keyword::Format(format), Json::Text(text)) => {
                self.budget.spend(text.len() as u64)?;
                if format.fits(&String::from_utf8_lossy(text)) {
                    return Ok(());
                }
                self.broken(json, place, || format!("be of the format {}", format.name()))
            }
            (_, Json::List(items)) => self.list(keyword, json, items, place, seen),
            (_, Json::Object(_)) => self.object(keyword, json, place, seen),
            _ => self.combination(keyword, json, place, seen),
        }
    }

    fn count(
        &mut self,
        json: &Json,
        place: &Place<'_>,
        (what, limit, most): (Counted, u64, bool),
    ) -> Result<(), Broken> {
        let (count, name) = match (what, json) {
            (Counted::Characters, Json::Text(text)) => {
                self.budget.spend(text.len() as u64 / 8)?;
                (text.iter().filter(|byte| *byte & 0xc0 != 0x80).count(), "characters")
            }
            (Counted::Items, Json::List(items)) => (items.len(), "items"),
            (Counted::Properties, Json::Object(fields)) => (fields.len(), "properties"),
            _ => return Ok(()),
        };
        let fits = if most { count as u64 <= limit } else { count as u64 >= limit };
        if fits {
            return Ok(());
        }
        let bound = if most { "most" } else { "least" };
        self.broken(json, place, || format!("have at {bound} {limit} {name}, not {count}"))
    }

    fn list(
        &mut self,
        keyword: &Keyword,
        json: &Json,
        items: &[Json],
        place: &Place<'_>,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        match keyword {
            Keyword::Items { prefix, rest } => {
                for (at, item) in items.iter().enumerate() {
                    let Some(id) = prefix.get(at).or(rest.as_ref()) else { break };
                    self.check(*id, item, &Place::Item(place, at))?;
                }
                seen.items = seen.items.max(if rest.is_some() { items.len() } else { prefix.len() });
            }
            Keyword::Contains { item, min, max } => {
                let mut found = 0;
                for (at, one) in items.iter().enumerate() {
                    if self.allows(*item, one, &Place::Item(place, at))?.is_some() {
                        found += 1;
                        if self.schema.tracks {
                            seen.more_items.insert(at);
                        }
                    }
                }
                if found < *min || max.is_some_and(|max| found > max) {
                    return self.broken(json, place, || match max {
                        Some(max) if found > *max => {
                            format!("have at most {max} items of the kind it contains, not {found}")
                        }
                        _ => format!("have at least {min} items of the kind it contains, not {found}"),
                    });
                }
            }
            Keyword::UniqueItems => {
                let mut keys = BTreeSet::new();
                for item in items {
                    let mut key = Vec::new();
                    item.write_key(&mut key, self.budget)?;
                    self.budget.spend(8 + key.len() as u64 / 4)?;
                    if !keys.insert(key) {
                        return self.broken(json, place, || format!("not hold {} twice", shown(item)));
                    }
                }
            }
            Keyword::UnevaluatedItems(id) => {
                for (at, item) in items.iter().enumerate().skip(seen.items) {
                    if !seen.more_items.contains(&at) {
                        self.check(*id, item, &Place::Item(place, at))?;
                    }
                }
                seen.items = items.len();
            }
            _ => return self.combination(keyword, json, place, seen),
        }
        Ok(())
    }

    fn object(
        &mut self,
        keyword: &Keyword,
        json: &Json,
        place: &Place<'_>,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        let Json::Object(fields) = json else { return Ok(()) };
        let missing = |names: &[Text]| {
            let name = names.iter().find(|name| !fields.contains_key(*name));
            name.map(|name| quoted(&String::from_utf8_lossy(name)))
        };
        match keyword {
            Keyword::Required(names) => {
                self.budget.spend(names.len() as u64 * 2)?;
                if let Some(name) = missing(names) {
                    return self.broken(json, place, || format!("have the property `{name}`"));
                }
            }
            Keyword::Dependent { property, required, schema } if fields.contains_key(property) => {
                self.budget.spend(required.len() as u64 * 2)?;
                if let Some(name) = missing(required) {
                    return self.broken(json, place, || format!("have the property `{name}`, too"));
                }
                if let Some(id) = schema {
                    seen.add(self.check(*id, json, place)?);
                }
            }
            Keyword::Properties { named, patterns, rest } => {
                for (name, field) in fields {
                    let inner = Place::Property(place, name);
                    self.budget.spend(2)?;
                    let mut known = false;
                    if let Some(id) = named.get(name) {
                        self.check(*id, field, &inner)?;
                        known = true;
                    }
                    if !patterns.is_empty() {
                        let written = String::from_utf8_lossy(name);
                        for (pattern, id) in patterns {
                            if pattern.is_match(&written, self.budget)? {
                                self.check(*id, field, &inner)?;
                                known = true;
                            }
                        }
                    }
                    match rest {
                        Some(id) if !known => {
                            self.check(*id, field, &inner)?;
                        }
                        None if known && self.schema.tracks => {
                            self.budget.spend(name.len() as u64)?;
                            seen.properties.insert(name.clone());
                        }
                        _ => {}
                    }
                }
                seen.all_properties |= rest.is_some();
            }
            Keyword::PropertyNames(id) => {
                for name in fields.keys() {
                    self.budget.spend(name.len() as u64 / 8)?;
                    self.check(*id, &Json::Text(name.clone()), &Place::Property(place, name))?;
                }
            }
            Keyword::UnevaluatedProperties(id) if !seen.all_properties => {
                for (name, field) in fields {
                    if !seen.properties.contains(name) {
                        self.check(*id, field, &Place::Property(place, name))?;
                    }
                }
                seen.all_properties = true;
            }
            _ => return self.combination(keyword, json, place, seen),
        }
        Ok(())
    }

    /// Schemas of the same value. All other keywords ignore values of this type.
    fn combination(
        &mut self,
        keyword: &Keyword,
        json: &Json,
        place: &Place<'_>,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        match keyword {
            Keyword::Ref(id) => seen.add(self.check(*id, json, place)?),
            Keyword::AllOf(all) => {
                for id in all {
                    seen.add(self.check(*id, json, place)?);
                }
            }
            Keyword::AnyOf(all) => {
                let mut any = false;
                for id in all {
                    if let Some(found) = self.allows(*id, json, place)? {
                        seen.add(found);
                        any = true;
                        // Items and properties that the others evaluate count as well.
                        if !self.schema.tracks {
                            break;
                        }
                    }
                }
                if !any {
                    return self
                        .broken(json, place, || format!("fit one of the {} schemas of anyOf", all.len()));
                }
            }
            Keyword::OneOf(all) => {
                let mut fits = 0;
                for id in all {
                    if let Some(found) = self.allows(*id, json, place)? {
                        seen.add(found);
                        fits += 1;
                    }
                }
                if fits != 1 {
                    let count = all.len();
                    return self.broken(json, place, || {
                        format!("fit one of the {count} schemas of oneOf alone, not {fits}")
                    });
                }
            }
            Keyword::Not(id) => {
                let fits = self.allows(*id, json, place)?.is_some();
                if fits {
                    return self.broken(json, place, || "not fit the schema of not".into());
                }
            }
            Keyword::If { condition, then, otherwise } => {
                let met = self.allows(*condition, json, place)?;
                let next = if met.is_some() { then } else { otherwise };
                if let Some(found) = met {
                    seen.add(found);
                }
                if let Some(id) = next {
                    seen.add(self.check(*id, json, place)?);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_of(json: &Json, one: Type) -> bool {
    match (one, json) {
        (Type::Integer, Json::Number(number)) => number.is_integer(),
        (Type::Null, Json::Null)
        | (Type::Boolean, Json::Bool(_))
        | (Type::Number, Json::Number(_))
        | (Type::String, Json::Text(_))
        | (Type::Array, Json::List(_))
        | (Type::Object, Json::Object(_)) => true,
        _ => false,
    }
}

/// A value, for a person.
fn shown(json: &Json) -> String {
    match json {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => quoted(&number.to_string()),
        Json::Text(text) => shown_text(&String::from_utf8_lossy(text)),
        Json::List(items) => format!("a list of {}", items.len()),
        Json::Object(fields) => format!("an object of {}", fields.len()),
    }
}

/// A text as JSON writes it, cut where it is long.
fn shown_text(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut: String = text.chars().take(LONGEST).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    let written = serde_json::Value::String(cut).to_string();
    // JSON leaves invisible characters unescaped.
    let visible: String = written
        .chars()
        .map(|c| if c.is_ascii() { c.to_string() } else { quoted(c.encode_utf8(&mut [0; 4])) })
        .collect();
    visible + more
}
