//! Points constructed from others with straightedge and compass, in exact coordinates.

use kit::shared::rational::Rational;
use kit::task::prelude::*;

pub(super) type Point = [Rational; 2];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rule {
    Midpoint,
    Centroid,
    /// The intersection of the line through the first two and the line through the last two.
    Intersection,
    /// The foot of the perpendicular from the first to the line through the others.
    Foot,
    /// The first, reflected in the line through the others.
    Mirrored,
    /// The first, rotated by 180 degrees about the second.
    Turned,
    Circumcentre,
    Orthocentre,
}

impl Rule {
    pub(super) const ALL: [Self; 8] = [
        Self::Midpoint,
        Self::Centroid,
        Self::Intersection,
        Self::Foot,
        Self::Mirrored,
        Self::Turned,
        Self::Circumcentre,
        Self::Orthocentre,
    ];

    pub(super) fn points(self) -> usize {
        match self {
            Self::Midpoint | Self::Turned => 2,
            Self::Intersection => 4,
            _ => 3,
        }
    }
}

pub(super) fn minus(a: Point, b: Point) -> Option<Point> {
    Some([a[0].checked_sub(b[0])?, a[1].checked_sub(b[1])?])
}

pub(super) fn plus(a: Point, b: Point) -> Option<Point> {
    Some([a[0].checked_add(b[0])?, a[1].checked_add(b[1])?])
}

pub(super) fn times(a: Point, by: Rational) -> Option<Point> {
    Some([a[0].checked_mul(by)?, a[1].checked_mul(by)?])
}

pub(super) fn dot(a: Point, b: Point) -> Option<Rational> {
    a[0].checked_mul(b[0])?.checked_add(a[1].checked_mul(b[1])?)
}

pub(super) fn cross(a: Point, b: Point) -> Option<Rational> {
    a[0].checked_mul(b[1])?.checked_sub(a[1].checked_mul(b[0])?)
}

pub(super) fn squared(a: Point, b: Point) -> Option<Rational> {
    let apart = minus(a, b)?;
    dot(apart, apart)
}

/// The intersection of the line through `a` in direction `u` and the line through `b` in direction `v`.
pub(super) fn meeting(a: Point, u: Point, b: Point, v: Point) -> Option<Point> {
    plus(a, times(u, cross(minus(b, a)?, v)?.checked_div(cross(u, v)?)?)?)
}

pub(super) fn turned(direction: Point) -> Point {
    [-direction[1], direction[0]]
}

/// The point that a rule constructs; `None` if it is undefined.
pub(super) fn constructed(rule: Rule, from: &[Point]) -> Option<Point> {
    let half = Rational::new(1, 2)?;
    let middle = |a, b| times(plus(a, b)?, half);
    Some(match (rule, from) {
        (Rule::Midpoint, [a, b]) => middle(*a, *b)?,
        (Rule::Centroid, [a, b, c]) => {
            cross(minus(*b, *a)?, minus(*c, *a)?).filter(|area| *area != Rational::ZERO)?;
            times(plus(plus(*a, *b)?, *c)?, Rational::new(1, 3)?)?
        }
        (Rule::Intersection, [a, b, c, d]) => meeting(*a, minus(*b, *a)?, *c, minus(*d, *c)?)?,
        (Rule::Foot, [p, a, b]) => {
            let along = minus(*b, *a)?;
            plus(*a, times(along, dot(minus(*p, *a)?, along)?.checked_div(dot(along, along)?)?)?)?
        }
        (Rule::Mirrored, [p, a, b]) => {
            let foot = constructed(Rule::Foot, &[*p, *a, *b])?;
            minus(times(foot, 2.into())?, *p)?
        }
        (Rule::Turned, [p, c]) => minus(times(*c, 2.into())?, *p)?,
        (Rule::Circumcentre, [a, b, c]) => {
            meeting(middle(*a, *b)?, turned(minus(*b, *a)?), middle(*a, *c)?, turned(minus(*c, *a)?))?
        }
        (Rule::Orthocentre, [a, b, c]) => meeting(*a, turned(minus(*c, *b)?), *b, turned(minus(*c, *a)?))?,
        _ => return None,
    })
}

/// True if a point satisfies the definition of its rule.
pub(super) fn defined(rule: Rule, from: &[Point], point: Point) -> Option<bool> {
    let zero = Rational::ZERO;
    let on = |a: Point, b: Point, p: Point| Some(cross(minus(b, a)?, minus(p, a)?)? == zero);
    let across = |a: Point, b: Point, c: Point, d: Point| Some(dot(minus(b, a)?, minus(d, c)?)? == zero);
    Some(match (rule, from) {
        (Rule::Midpoint, [a, b]) => minus(point, *a)? == minus(*b, point)?,
        (Rule::Centroid, [a, b, c]) => {
            plus(plus(minus(*a, point)?, minus(*b, point)?)?, minus(*c, point)?)? == [zero, zero]
        }
        (Rule::Intersection, [a, b, c, d]) => on(*a, *b, point)? && on(*c, *d, point)?,
        (Rule::Foot, [p, a, b]) => on(*a, *b, point)? && across(*p, point, *a, *b)?,
        (Rule::Mirrored, [p, a, b]) => {
            squared(point, *a)? == squared(*p, *a)?
                && squared(point, *b)? == squared(*p, *b)?
                && (point != *p || on(*a, *b, *p)?)
        }
        (Rule::Turned, [p, c]) => minus(point, *c)? == minus(*c, *p)?,
        (Rule::Circumcentre, [a, b, c]) => {
            squared(point, *a)? == squared(point, *b)? && squared(point, *a)? == squared(point, *c)?
        }
        (Rule::Orthocentre, [a, b, c]) => across(point, *a, *b, *c)? && across(point, *b, *a, *c)?,
        _ => false,
    })
}
