//! Construct points step by step and compute an area, a squared distance or a sum of coordinates.

use self::construction::{Point, Rule, constructed, cross, defined, minus, squared};
use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::Rational;
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::task::permutation;

mod construction;

pub struct CoordinateGeometry;

params! {
    pub struct CoordinateGeometryParams {
        /// Points given by integer coordinates.
        given: u32 [2..=6],
        /// Points constructed in turn, each from the previous one and from others.
        made: u32 [1..=14],
        /// Largest absolute value of a given coordinate.
        reach: u32 [5..=60],
    }
    levels {
        (2, 1, 9),
        (3, 1, 5),
        (3, 1, 15),
        (3, 2, 12),
        (3, 3, 12),
        (4, 4, 12),
        (4, 5, 15),
        (4, 6, 15),
        (5, 8, 15),
        (5, 10, 20),
        (6, 14, 30),
    }
    default 3
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Construction {
    rule: Rule,
    /// Indices of the points it starts from.
    from: Vec<usize>,
}

impl Construction {
    /// Sorts the points into the first of all orders that construct the same point.
    fn sort(&mut self) {
        match self.rule {
            Rule::Midpoint | Rule::Centroid | Rule::Circumcentre | Rule::Orthocentre => {
                self.from.sort_unstable();
            }
            Rule::Foot | Rule::Mirrored => self.from[1..].sort_unstable(),
            Rule::Intersection => {
                let (one, other) = self.from.split_at_mut(2);
                one.sort_unstable();
                other.sort_unstable();
                if other < one {
                    one.swap_with_slice(other);
                }
            }
            Rule::Turned => {}
        }
    }
}

/// The question about the last point and this many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Asked {
    /// The sum of its coordinates.
    Sum,
    SquaredDistance,
    Area,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    given: Vec<[i64; 2]>,
    made: Vec<Construction>,
    asked: Asked,
    others: Vec<usize>,
}

const MOST_GIVEN: usize = 6;
const MOST_MADE: usize = 16;
/// Largest numerator or denominator of a coordinate that is drawn.
const LARGEST_PART: i128 = 2_000;

impl TaskFamily for CoordinateGeometry {
    type Params = CoordinateGeometryParams;
    type Problem = Value<Figure>;

    const ABOUT: About = About {
        summary: "Construct points step by step and compute an area, a squared distance or a sum of coordinates.",
        judged_by: JudgedBy::Normalized,
        skills: &["coordinates", "lines", "triangle_centres", "fractions"],
        distinct_from: 1,
        guess_rate: 0.0245,
        guess_score: 0.0245,
        ..Value::<Figure>::about("geometry", "coordinate_geometry", &["First version."])
    };

    /// Adds points until there are enough; a start that leads to a dead end is dropped.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Figure>> {
        let reach = i64::from(params.reach);
        let [count, made] = [params.given, params.made].map(|number| number as usize);
        loop {
            let given = (0..count).map(|_| [rng.int(-reach, reach), rng.int(-reach, reach)]).collect();
            let mut figure = Figure { given, made: Vec::new(), asked: Asked::Sum, others: Vec::new() };
            for _ in 0..30 * made {
                budget.spend(10)?;
                let longer = figure.extended(rng);
                if longer.is_drawable() {
                    figure = longer;
                }
                if figure.made.len() == made {
                    break;
                }
            }
            let all_used = (0..count).all(|point| {
                figure.others.contains(&point) || figure.made.iter().any(|made| made.from.contains(&point))
            });
            let plain = figure.unmade() == figure.worth();
            if figure.made.len() == made && all_used && !plain && figure.check().is_ok() {
                return Ok(Value(figure));
            }
        }
    }
}

fn name(point: usize) -> char {
    char::from(b'A' + point as u8)
}

/// Digits of both coordinates.
fn digits(point: &Point) -> u64 {
    let of = |part: i128| u64::from(part.unsigned_abs().max(1).ilog10() + 1);
    let size = |number: Rational| {
        of(number.numerator()) + if number.is_whole() { 0 } else { of(number.denominator()) }
    };
    size(point[0]) + size(point[1])
}

impl Figure {
    /// All points, the given ones first; `None` if one is undefined or too large to represent.
    fn points(&self) -> Option<Vec<Point>> {
        let mut points: Vec<Point> = self.given.iter().map(|at| at.map(Rational::from)).collect();
        for made in &self.made {
            let from: Option<Vec<Point>> = made.from.iter().map(|at| points.get(*at).copied()).collect();
            points.push(constructed(made.rule, &from?)?);
        }
        Some(points)
    }

    fn worth(&self) -> Option<Rational> {
        let points = self.points()?;
        let last = *points.last()?;
        let other = |at: usize| self.others.get(at).and_then(|at| points.get(*at)).copied();
        match self.asked {
            Asked::Sum => last[0].checked_add(last[1]),
            Asked::SquaredDistance => squared(last, other(0)?),
            Asked::Area => {
                let twice = cross(minus(other(0)?, last)?, minus(other(1)?, last)?)?;
                let twice = if twice < Rational::ZERO { -twice } else { twice };
                twice.checked_div(2.into())
            }
        }
    }

    /// The answer to the same question about given points only.
    fn unmade(&self) -> Option<Rational> {
        Self { made: Vec::new(), others: (0..self.asked as usize).collect(), ..self.clone() }.worth()
    }

    fn ask(&mut self, rng: &mut Rng) {
        let last = self.given.len() + self.made.len() - 1;
        self.asked = *rng.pick(&[Asked::Sum, Asked::SquaredDistance, Asked::Area, Asked::Area]);
        let mut others: Vec<usize> = (0..last).collect();
        rng.shuffle(&mut others);
        others.truncate(self.asked as usize);
        self.others = others;
    }

    /// Adds a point constructed from the last one and others, and changes the question.
    fn extended(&self, rng: &mut Rng) -> Self {
        let mut longer = self.clone();
        let count = self.given.len() + self.made.len();
        let rule = *rng.pick(&Rule::ALL);
        let mut from: Vec<usize> = (0..count - 1).collect();
        rng.shuffle(&mut from);
        from.insert(0, count - 1);
        from.truncate(rule.points());
        rng.shuffle(&mut from);
        longer.made.push(Construction { rule, from });
        longer.ask(rng);
        longer
    }

    /// True if no two points coincide and no coordinate is long.
    fn is_drawable(&self) -> bool {
        let Some(points) = self.points() else { return false };
        let short = |number: &Rational| {
            number.numerator().abs() <= LARGEST_PART && number.denominator() <= LARGEST_PART / 10
        };
        points.iter().flatten().all(short)
            && (1..points.len()).all(|at| !points[..at].contains(&points[at]))
            && self.worth().is_some_and(|value| value != Rational::ZERO)
    }

    /// "D is the midpoint of segment AB."
    fn sentence(&self, at: usize) -> String {
        let Construction { rule, from } = &self.made[at];
        let names: Vec<char> = from.iter().map(|point| name(*point)).collect();
        let made = match (rule, names.as_slice()) {
            (Rule::Midpoint, [a, b]) => format!("the midpoint of segment {a}{b}"),
            (Rule::Centroid, [a, b, c]) => {
                format!("the centroid of triangle {a}{b}{c} (the point where its medians meet)")
            }
            (Rule::Intersection, [a, b, c, d]) => format!("the intersection of lines {a}{b} and {c}{d}"),
            (Rule::Foot, [p, a, b]) => format!("the foot of the perpendicular from {p} to line {a}{b}"),
            (Rule::Mirrored, [p, a, b]) => format!("the reflection of {p} across line {a}{b}"),
            (Rule::Turned, [p, c]) => format!("the reflection of {p} through point {c}"),
            (Rule::Circumcentre, [a, b, c]) => {
                format!(
                    "the circumcenter of triangle {a}{b}{c} (the center of the circle through its vertices)"
                )
            }
            (Rule::Orthocentre, [a, b, c]) => {
                format!("the orthocenter of triangle {a}{b}{c} (the point where its altitudes meet)")
            }
            _ => unreachable!("`check` counts the points"),
        };
        format!("{} is {made}.", name(self.given.len() + at))
    }

    /// "the area of triangle DAB".
    fn wanted(&self) -> String {
        let last = name(self.given.len() + self.made.len() - 1);
        match (self.asked, self.others.as_slice()) {
            (Asked::SquaredDistance, [a]) => {
                format!("the square of the distance between {last} and {}", name(*a))
            }
            (Asked::Area, [a, b]) => format!("the area of triangle {last}{}{}", name(*a), name(*b)),
            _ => format!("the sum of the x- and y-coordinates of {last}"),
        }
    }

    /// All reflections and rotations of the figure that preserve the answer.
    fn images(&self) -> Vec<Self> {
        let signs: &[[i64; 2]] =
            if self.asked == Asked::Sum { &[[1, 1]] } else { &[[1, 1], [1, -1], [-1, 1], [-1, -1]] };
        let image = |[a, b]: [i64; 2], flipped: bool| {
            let moved = |[x, y]: &[i64; 2]| if flipped { [a * y, b * x] } else { [a * x, b * y] };
            Self { given: self.given.iter().map(moved).collect(), ..self.clone() }
        };
        signs.iter().flat_map(|signs| [image(*signs, false), image(*signs, true)]).collect()
    }

    /// Moves every given point `at` to the index `places[at]`.
    fn renamed(&self, places: &[usize]) -> Self {
        let moved = |point: &usize| places.get(*point).copied().unwrap_or(*point);
        let mut given = self.given.clone();
        self.given.iter().zip(places).for_each(|(at, place)| given[*place] = *at);
        let made = |made: &Construction| Construction {
            rule: made.rule,
            from: made.from.iter().map(moved).collect(),
        };
        Self {
            given,
            made: self.made.iter().map(made).collect(),
            asked: self.asked,
            others: self.others.iter().map(moved).collect(),
        }
    }
}

impl Fields for Figure {
    fn check(&self) -> Result<(), String> {
        check::length("given", &self.given, 2..=MOST_GIVEN, "points")?;
        check::each(
            "given",
            self.given.iter().flatten(),
            |at| (-100..=100).contains(at),
            "coordinates go to 100",
        )?;
        check::length("made", &self.made, 1..=MOST_MADE, "points")?;
        for (at, Construction { rule, from }) in self.made.iter().enumerate() {
            check::length("made", from, rule.points()..=rule.points(), "points to start from")?;
            check::distinct("made", from)?;
            let known = self.given.len() + at;
            check::each("made", from, |point| *point < known, "a point is made from points before it")?;
        }
        let last = self.given.len() + self.made.len() - 1;
        let count = self.asked as usize;
        check::length("others", &self.others, count..=count, "points")?;
        check::distinct("others", &self.others)?;
        check::each("others", &self.others, |point| *point < last, "must be a point before the last")?;
        let fits = self
            .worth()
            .is_some_and(|value| value.denominator() < 1 << 60 && value.numerator().abs() < 1 << 60);
        check::that(fits, || "`made` has a point that is not defined or has far too many digits".to_owned())
    }

    /// Mirrors, rotates and moves the figure and renames the given points, as far as the question allows.
    fn twin(&self, rng: &mut Rng) -> Self {
        let images = self.images();
        let image = images[rng.index(images.len())].renamed(&permutation::random(self.given.len(), rng));
        let step = if self.asked == Asked::Sum { [0, 0] } else { [rng.int(-5, 5), rng.int(-5, 5)] };
        let mut moved = image.clone();
        moved.given.iter_mut().for_each(|[x, y]| (*x, *y) = (*x + step[0], *y + step[1]));
        if moved.check().is_ok() { moved } else { image }
    }

    /// The first of all images of the figure, moved to the origin and with its points named in order.
    fn fingerprint(&self) -> Vec<u8> {
        let in_order = |image: Self| {
            let mut order: Vec<usize> = (0..image.given.len()).collect();
            order.sort_by_key(|point| image.given[*point]);
            let mut image = image.renamed(&permutation::places(&order));
            if self.asked != Asked::Sum {
                let least = [0, 1].map(|axis| image.given.iter().map(|at| at[axis]).min().unwrap_or(0));
                image.given.iter_mut().for_each(|[x, y]| (*x, *y) = (*x - least[0], *y - least[1]));
            }
            image.made.iter_mut().for_each(Construction::sort);
            image.others.sort_unstable();
            image
        };
        let first = self.images().into_iter().map(in_order).min();
        serde_json::to_vec(&first.expect("there are images")).expect("numbers serialise")
    }

    fn edit(&mut self, aim: Aim, rng: &mut Rng) -> bool {
        match aim {
            Aim::Harder => *self = self.extended(rng),
            Aim::Easier if self.made.len() == 1 => {
                self.given.iter_mut().flatten().for_each(|at| *at = *at / 2 + rng.int(-1, 1));
            }
            Aim::Easier => {
                self.made.pop();
                self.ask(rng);
            }
            Aim::Same => {
                let at = rng.index(self.given.len());
                self.given[at][rng.index(2)] += *rng.pick(&[-1, 1]);
            }
        }
        self.is_drawable()
    }
}

impl Exact for Figure {
    type Of = Rational;

    const HALF: u64 = 200;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("doubled", "twice the requested area"),
        ("wrong_sign", "the right value with the opposite sign"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "points",
            "Consider the points {given} in the coordinate plane.\n\n{made:{sentence}}\n\nWhat is {wanted}?",
        ),
        Prompt::new(
            "paper",
            "On graph paper, Maya plots {given} and then constructs {count#more point}. {sentences} What is {wanted}?",
        ),
        Prompt::new(
            "spec",
            "Given (Cartesian coordinates): {given}\nConstruction:\n{made:- {sentence}}\n\nCompute {wanted}.",
        ),
        Prompt::held_out(
            "map",
            "On a treasure map with ordinary x- and y-coordinates, landmarks are marked at {given}. The legend explains \
             the rest: {sentences} To dig in the right place, the crew needs to know {wanted}. What is it?",
        ),
        Prompt::held_out(
            "message",
            "I'm testing a geometry library and need one value worked out by hand. The input points are {given}. \
             {sentences} What should the library return, exactly, for {wanted}?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let points = self.given.iter().enumerate().map(|(at, [x, y])| format!("{}({x}, {y})", name(at)));
        let sentences = || (0..self.made.len()).map(|at| self.sentence(at));
        slots.text("given", words::and(points)).text("count", self.made.len()).text("wanted", self.wanted());
        slots.with("sentences", || sentences().joined(" "));
        slots.lines("made", sentences(), |line, sentence| {
            line.text("sentence", sentence);
        });
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.worth().expect("`check` has worked it out")
    }

    fn what(&self) -> String {
        self.wanted()
    }

    fn diagnosed(&self, wrong: &Rational, _: Failure) -> Failure {
        let (value, failure) = (self.value(), Failure::wrong(format!("{} is not {wrong}", self.wanted())));
        match *wrong {
            wrong if self.asked == Asked::Area && value.checked_add(value) == Some(wrong) => {
                failure.also("doubled")
            }
            wrong if wrong == -value => failure.also("wrong_sign"),
            _ => failure,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
        let (value, one) = (self.value(), Rational::from(1));
        // A mistake in a given point.
        let mut slipped = self.clone();
        slipped.given[rng.index(self.given.len())][rng.index(2)] += 1;
        let near = [
            value.checked_add(one),
            value.checked_sub(one),
            value.checked_add(value),
            value.checked_div(2.into()),
            Some(-value),
            slipped.worth(),
        ];
        near.into_iter().flatten().collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let [x, y] = *rng.pick(&self.given);
        vec![
            ("a whole number that is likely", rng.int(0, 20).into()),
            ("the sum of a given point", (x + y).into()),
            ("the same of given points", self.unmade().unwrap_or(Rational::ZERO)),
        ]
    }

    /// The points made. Each costs the digits of the points that it starts from, times its operations.
    fn work(&self, work: &mut Work) {
        let points = self.points().expect("`check` has made them");
        let at = |point: &usize| digits(&points[*point]);
        for (number, Construction { rule, from }) in (self.given.len()..).zip(&self.made) {
            let operations = match rule {
                Rule::Midpoint | Rule::Turned | Rule::Centroid => 1,
                Rule::Foot | Rule::Mirrored => 2,
                Rule::Intersection | Rule::Circumcentre | Rule::Orthocentre => 3,
            };
            let ([x, y], cost) = (points[number], operations * from.iter().map(at).sum::<u64>());
            work.step(cost, format_args!("{} = ({x}, {y})", name(number)));
        }
        work.spend(self.others.iter().map(at).sum::<u64>() + at(&(points.len() - 1)));
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Places { figure: self, known: Vec::new() }))
    }

    /// Checks each point against its definition, whereas the solution uses formulas.
    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let points = self.points().ok_or("`made` has a point that is not there")?;
        let made = self.made.iter().zip(&points[self.given.len()..]).enumerate();
        for (at, (made, point)) in made {
            let from: Vec<Point> = made.from.iter().map(|at| points[*at]).collect();
            check::that(defined(made.rule, &from, *point) == Some(true), || {
                format!("`made[{at}]` is not what its rule says")
            })?;
        }
        let value = self.worth().ok_or("`asked` has no value")?;
        Ok(Certificate::unique(format!("every point is what its rule says, and the value is {value}")))
    }
}

/// Judges steps that state the coordinates of a point: `D = (2, 7/2)`.
struct Places<'a> {
    figure: &'a Figure,
    known: Vec<usize>,
}

impl StepJudge for Places<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || format!("`{}` is not a step like D = (2, 7/2)", quoted(step));
        let (point, place) = step.split_once('=').ok_or_else(refuse)?;
        let place =
            place.trim().strip_prefix('(').and_then(|place| place.strip_suffix(')')).ok_or_else(refuse)?;
        let (x, y) = place.split_once(',').ok_or_else(refuse)?;
        let read = |text: &str| text.trim().parse::<Rational>().map_err(|_| refuse());
        let place = [read(x)?, read(y)?];
        let points = self.figure.points().unwrap_or_default();
        let at = (0..points.len()).find(|at| point.trim() == name(*at).to_string());
        let at = at.ok_or_else(|| format!("there is no point {}", quoted(point.trim())))?;
        if points[at] != place {
            return Ok(StepVerdict::wrong(format!("{} is somewhere else", name(at))));
        }
        if at < self.figure.given.len() || self.known.contains(&at) {
            return Ok(StepVerdict::idle(format!("the position of {} is already known", name(at))));
        }
        self.known.push(at);
        Ok(StepVerdict::advances())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(of: &[[i64; 2]]) -> Vec<Point> {
        of.iter().map(|at| at.map(Rational::from)).collect()
    }

    #[test]
    fn known_points_come_out() {
        let right = points(&[[0, 0], [4, 0], [0, 3]]);
        for (rule, from, place) in [
            (Rule::Midpoint, &right[1..], "2 3/2"),
            (Rule::Centroid, &right[..], "4/3 1"),
            (Rule::Circumcentre, &right, "2 3/2"),
            (Rule::Orthocentre, &right, "0 0"),
            (Rule::Foot, &right, "36/25 48/25"),
            (Rule::Mirrored, &right, "72/25 96/25"),
            (Rule::Turned, &right[..2], "8 0"),
            (Rule::Intersection, &points(&[[0, 0], [2, 2], [0, 2], [2, 0]]), "1 1"),
        ] {
            let made = constructed(rule, from).unwrap();
            assert_eq!(made.map(|number| number.to_string()).join(" "), place, "{rule:?}");
            assert_eq!(defined(rule, from, made), Some(true));
            assert_eq!(defined(rule, from, [made[0], made[1].checked_add(1.into()).unwrap()]), Some(false));
        }
        assert_eq!(constructed(Rule::Intersection, &points(&[[0, 0], [1, 1], [0, 1], [1, 2]])), None);
        assert_eq!(constructed(Rule::Circumcentre, &points(&[[0, 0], [1, 1], [2, 2]])), None);
    }

    #[test]
    fn steps_are_judged_by_the_place() {
        let made = vec![Construction { rule: Rule::Midpoint, from: vec![0, 1] }];
        let figure =
            Figure { given: vec![[0, 0], [4, 1], [3, 3]], made, asked: Asked::Area, others: vec![0, 2] };
        figure.check().unwrap();
        assert_eq!(figure.value().to_string(), "9/4");
        let mut judge = figure.steps().unwrap();
        let mut said = |step: &str| {
            let verdict = judge.judge(step, &mut Budget::new(1)).unwrap_or_else(StepVerdict::wrong);
            (verdict.holds, verdict.advances)
        };
        let judged =
            ["D = (2, 1)", "A = (0, 0)", "D=(2,1/2)", "D = (2, 1/2)", "E = (1, 1)", "D = 2"].map(&mut said);
        let (no, idle, on) = ((false, false), (true, false), (true, true));
        assert_eq!(judged, [no, idle, on, idle, no, no]);
    }
}
