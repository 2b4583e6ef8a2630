//! Decides whether two sets of real numbers are the same.

use std::cmp::Ordering;

use super::Fault;
use super::expression::Expr;
use super::normal::{Atoms, Kind};
use super::ratio::Ratio;
use super::same::order;
use super::tokens::Relation;
use super::value::{End, Region};
use kit::budget::Budget;

/// Largest number of ends of two sets.
const MOST_ENDS: usize = 200;

/// A set by the ranks of its ends.
enum Ranked {
    All,
    Empty,
    Interval((Option<usize>, bool), (Option<usize>, bool)),
    Points(Vec<usize>),
    Union(Vec<Ranked>),
    Intersection(Vec<Ranked>),
    Without(Box<Ranked>, Box<Ranked>),
}

/// True if two sets have the same elements; nothing if their ends cannot be ordered.
pub fn same_sets(one: &Region, other: &Region, key: u64, budget: &mut Budget) -> Result<Option<bool>, Fault> {
    let mut ends = Ends { sorted: Vec::new(), key, budget };
    if !(ends.collect(one)? && ends.collect(other)?) {
        return Ok(None);
    }
    let (one, other) = (ends.ranked(one)?, ends.ranked(other)?);
    let Some((one, other)) = one.zip(other) else { return Ok(None) };
    // At each end, and between each two.
    for place in 0..=2 * ends.sorted.len() {
        ends.budget.spend(10 * (one.size() + other.size()))?;
        if one.has(place) != other.has(place) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

struct Ends<'b, 's> {
    sorted: Vec<Expr>,
    key: u64,
    budget: &'b mut Budget<'s>,
}

impl Ends<'_, '_> {
    /// Inserts the ends of a set among the others; true if all could be compared.
    fn collect(&mut self, region: &Region) -> Result<bool, Fault> {
        let mut found = Vec::new();
        ends(region, &mut found);
        for end in found {
            if end.has_variables() || self.sorted.len() > MOST_ENDS {
                return Ok(false);
            }
            match self.place(end)? {
                Some(Err(at)) => self.sorted.insert(at, end.clone()),
                Some(Ok(_)) => {}
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The index of an end, or the one where it would go; nothing if that cannot be shown.
    fn place(&mut self, end: &Expr) -> Result<Option<Result<usize, usize>>, Fault> {
        let (mut low, mut high) = (0, self.sorted.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match order(end, &self.sorted[middle], self.key, self.budget)? {
                Some(Ordering::Less) => high = middle,
                Some(Ordering::Greater) => low = middle + 1,
                Some(Ordering::Equal) => return Ok(Some(Ok(middle))),
                None => return Ok(None),
            }
        }
        Ok(Some(Err(low)))
    }

    fn rank(&mut self, end: &Expr) -> Result<Option<usize>, Fault> {
        Ok(self.place(end)?.and_then(Result::ok))
    }

    fn ranked(&mut self, region: &Region) -> Result<Option<Ranked>, Fault> {
        let all = |ends: &mut Self, parts: &[Region]| {
            parts.iter().map(|part| ends.ranked(part)).collect::<Result<Option<Vec<_>>, _>>()
        };
        Ok(match region {
            Region::All => Some(Ranked::All),
            Region::Empty => Some(Ranked::Empty),
            Region::Points(points) => {
                let ranks =
                    points.iter().map(|point| self.rank(point)).collect::<Result<Option<Vec<_>>, _>>()?;
                ranks.map(Ranked::Points)
            }
            Region::Interval(low, high) => {
                let mut end = |end: &End| match &end.at {
                    None => Ok(Some((None, false))),
                    Some(at) => Ok::<_, Fault>(self.rank(at)?.map(|rank| (Some(rank), end.closed))),
                };
                let (low, high) = (end(low)?, end(high)?);
                // An interval whose ends are reversed is empty.
                let backward =
                    |low: &(Option<usize>, bool), high: &(Option<usize>, bool)| match (low.0, high.0) {
                        (Some(a), Some(b)) => a > b || (a == b && !(low.1 && high.1)),
                        _ => false,
                    };
                low.zip(high)
                    .filter(|(low, high)| !backward(low, high))
                    .map(|(low, high)| Ranked::Interval(low, high))
            }
            Region::Union(parts) => all(self, parts)?.map(Ranked::Union),
            Region::Intersection(parts) => all(self, parts)?.map(Ranked::Intersection),
            Region::Without(one, other) => {
                let (one, other) = (self.ranked(one)?, self.ranked(other)?);
                one.zip(other).map(|(one, other)| Ranked::Without(Box::new(one), Box::new(other)))
            }
        })
    }
}

fn ends<'r>(region: &'r Region, found: &mut Vec<&'r Expr>) {
    match region {
        Region::All | Region::Empty => {}
        Region::Points(points) => found.extend(points),
        Region::Interval(low, high) => {
            found.extend([low, high].into_iter().filter_map(|end| end.at.as_ref()));
        }
        Region::Union(parts) | Region::Intersection(parts) => parts.iter().for_each(|part| ends(part, found)),
        Region::Without(one, other) => [one, other].into_iter().for_each(|part| ends(part, found)),
    }
}

impl Ranked {
    /// True if it contains a place: odd places are the ends, even ones are between them.
    fn has(&self, place: usize) -> bool {
        match self {
            Self::All => true,
            Self::Empty => false,
            Self::Points(ranks) => ranks.iter().any(|rank| 2 * rank + 1 == place),
            Self::Interval((low, low_closed), (high, high_closed)) => {
                let above =
                    low.is_none_or(|rank| place > 2 * rank + 1 || (*low_closed && place == 2 * rank + 1));
                let below =
                    high.is_none_or(|rank| place < 2 * rank + 1 || (*high_closed && place == 2 * rank + 1));
                above && below
            }
            Self::Union(parts) => parts.iter().any(|part| part.has(place)),
            Self::Intersection(parts) => parts.iter().all(|part| part.has(place)),
            Self::Without(one, other) => one.has(place) && !other.has(place),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Self::All | Self::Empty | Self::Interval(..) => 1,
            Self::Points(ranks) => ranks.len() as u64,
            Self::Union(parts) | Self::Intersection(parts) => parts.iter().map(Self::size).sum::<u64>() + 1,
            Self::Without(one, other) => one.size() + other.size() + 1,
        }
    }
}

/// The set that a linear inequality in a single unknown describes, and the unknown.
pub fn solved(
    left: &Expr,
    relation: Relation,
    right: &Expr,
    budget: &mut Budget,
) -> Result<Option<(String, Region)>, Fault> {
    let mut atoms = Atoms::default();
    let difference = atoms.normal(&left.clone().minus(right.clone()), budget)?;
    let mut variables = (0..).zip(&atoms.list).filter(|(_, atom)| atom.varies);
    let Some((number, atom)) = variables.next() else { return Ok(None) };
    let (Expr::Variable(name), Kind::Variable) = (&atom.expr, &atom.kind) else { return Ok(None) };
    let name = name.to_string();
    if variables.next().is_some() || difference.below.value().is_none() {
        return Ok(None);
    }
    let mut slope: Option<Ratio> = None;
    let mut rest = difference.above.clone();
    let linear: Vec<_> =
        rest.terms.keys().filter(|key| key.iter().any(|(atom, _)| *atom == number)).cloned().collect();
    for monomial in linear {
        let value = rest.terms.remove(&monomial).expect("it is a term");
        if monomial[..] != [(number, 1)] {
            return Ok(None);
        }
        slope = Some(value);
    }
    let Some(slope) = slope else { return Ok(None) };
    let end = atoms.sum(&rest.scaled(&slope.inverse()?.negated(), budget)?);
    let end = match rest.value() {
        Some(value) => Expr::Number(value.times(&slope.inverse()?.negated(), budget)?),
        None => end,
    };
    let relation = if slope.is_negative() { flipped(relation) } else { relation };
    let infinite = || End { at: None, closed: false };
    let at = |closed| End { at: Some(end.clone()), closed };
    let region = match relation {
        Relation::Less => Region::Interval(infinite(), at(false)),
        Relation::AtMost => Region::Interval(infinite(), at(true)),
        Relation::Greater => Region::Interval(at(false), infinite()),
        Relation::AtLeast => Region::Interval(at(true), infinite()),
        Relation::Equal => Region::Points(vec![end]),
        Relation::Unequal => Region::Without(Box::new(Region::All), Box::new(Region::Points(vec![end]))),
        Relation::About | Relation::Congruent => return Ok(None),
    };
    Ok(Some((name, region)))
}

/// The relation with its sides exchanged.
pub fn flipped(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Greater => Relation::Less,
        Relation::AtLeast => Relation::AtMost,
        other => other,
    }
}
