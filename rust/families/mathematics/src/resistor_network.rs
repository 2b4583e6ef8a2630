//! Find the resistance between two points of a network, or the potential of a point, as an exact fraction.

mod circuit;
mod reduction;

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::Rational;
use kit::shared::refinement::{self, Relation};
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use reduction::{between, cost, name, worded};

pub struct ResistorNetwork;

params! {
    pub struct ResistorNetworkParams {
        /// Number of resistors that current may flow through, bridges included.
        resistors: u32 [2..=16],
        /// Largest resistance, in ohms.
        largest: u32 [5..=99],
        /// True if some resistors are in parallel.
        parallel: bool [structure],
        /// Resistors between two points of a network of series and parallel ones.
        bridges: u32 [0..=5],
        /// Resistors that lead nowhere.
        dead_ends: u32 [0..=3],
        /// Problems that ask for a potential, in percent; the rest ask for a resistance.
        potential_percent: u32 [0..=100, structure],
    }
    levels {
        (2, 60, false, 0, 0, 0),
        (2, 40, true, 0, 0, 0),
        (3, 20, true, 0, 0, 30),
        (4, 12, true, 0, 1, 30),
        (5, 12, true, 0, 1, 50),
        (7, 12, true, 0, 1, 50),
        (6, 12, true, 1, 0, 50),
        (9, 12, true, 2, 1, 50),
        (11, 12, true, 3, 1, 50),
        (14, 12, true, 4, 1, 50),
    }
    default 3
    check Self::consistent;
}

impl ResistorNetworkParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.bridges == 0 || self.parallel && self.resistors >= 4 + self.bridges, || {
            "`bridges` require `parallel` resistors, and at least 4 `resistors` besides them".to_owned()
        })
    }
}

problem! {
    /// Resistors, in ohms, each between two points; the question is about the resistance between two ends if `volts` is
    /// 0, and about the potential of a point otherwise, where the first end is at so many volts and the second at 0.
    pub struct Network {
        resistors: Vec<(u64, [usize; 2])> [items(2..=MOST, "resistors", (1..=999, 0..=MOST))],
        ends: [usize; 2] [0..=MOST],
        volts: u64 [0..=999],
        /// The first end if `volts` is 0.
        asked: usize [0..=MOST],
    }
}

/// Largest number of resistors.
const MOST: usize = 20;
/// Largest numerator or denominator of an answer.
const LARGEST: i128 = 1_000_000_000_000;

impl TaskFamily for ResistorNetwork {
    type Params = ResistorNetworkParams;
    type Problem = Value<Network>;

    const ABOUT: About = About {
        summary: "Find the resistance between two points of a network, or the potential of a point, as a fraction.",
        judged_by: JudgedBy::Normalized,
        skills: &["fractions", "series_and_parallel", "linear_equations", "conservation_laws"],
        distinct_from: 2,
        guess_rate: 0.02,
        guess_score: 0.02,
        ..Value::<Network>::about("physics", "resistor_network", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Network>> {
        loop {
            budget.spend(100)?;
            let network = Network::draw(params, rng);
            // A bridge may turn out to be in series or in parallel.
            if network.stars() >= params.bridges.div_ceil(2) as usize && network.consistent().is_ok() {
                return Ok(Value(network.disguised(rng)));
            }
        }
    }
}

impl Exact for Network {
    type Of = Rational;

    const HALF: u64 = 150;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("upside_down", "the reciprocal of the right value"),
        ("all_in_series", "the sum of all resistances"),
        ("all_in_parallel", "the resistance of all resistors in parallel"),
        ("other_end", "the voltage from the first end to the point instead of from the point to the second"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "network",
            "These resistors, and nothing else, connect the points {points} of a circuit:\n\n{resistors:- {ohms#ohm} \
             between {from} and {to}}\n\n{potential?A battery without internal resistance keeps {plus} at {volts#volt} \
             and {minus} at 0 volts. What is the potential of {asked}, in volts?|What is the resistance of the whole \
             network between {plus} and {minus}, in ohms?}",
        ),
        Prompt::new(
            "netlist",
            "Circuit netlist, one resistor a line (name, node, node, value in ohms):\n\n{resistors:R{number} {from} {to} \
             {ohms}}\n\n{potential?An ideal {volts} V source has its positive terminal at node {plus} and its negative \
             terminal at node {minus}, which is ground (0 V). Compute the exact voltage of node {asked}, in volts.|Nothing \
             else is connected. Compute the exact equivalent resistance seen between nodes {plus} and {minus}, in ohms.}",
        ),
        Prompt::new(
            "message",
            "I soldered {count#resistor} together for a workshop, and before I switch anything on I'd like to know what \
             to expect: {soldered}. The joints have no resistance of their own. {potential?If I put exactly {volts#volt} \
             on {plus} and ground {minus}, what voltage relative to ground will I find at {asked}? Please give the \
             exact number of volts.|What will an ohmmeter show between {plus} and {minus} if it is perfectly exact? In \
             ohms, please.}",
        ),
        Prompt::held_out(
            "exercise",
            "Exercise. A circuit has the nodes {points} and these ideal resistors:\n\n{resistors:({number}) {from} - {to}: \
             {ohms#ohm}}\n\n{potential?The potential of {plus} is fixed at {volts} V, and that of {minus} at 0 V. By \
             Kirchhoff's laws, determine the potential of {asked} in volts.|A current enters at {plus} and leaves at \
             {minus}. Determine the ratio of the voltage between these two nodes to the current, in ohms.}",
        ),
        Prompt::held_out(
            "story",
            "In an old laboratory, somebody has screwed {count#resistor} to a board with the posts {points}. A label \
             beside each says where it leads:\n\n{resistors:* from post {from} to post {to}, {ohms#ohm}}\n\n{potential?The \
             apprentice holds post {plus} at {volts#volt} and post {minus} at 0 volts, and no other post is touched. At \
             how many volts is post {asked}?|The apprentice wants to put one single resistor in place of the whole board, \
             connected to posts {plus} and {minus} only, so that nobody outside notices. How many ohms must it have?}",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots
            .either("potential", self.volts > 0)
            .text("count", self.resistors.len())
            .text("volts", self.volts);
        slots.with("points", || words::and((0..self.points()).map(name)));
        slots
            .text("plus", name(self.ends[0]))
            .text("minus", name(self.ends[1]))
            .text("asked", name(self.asked));
        slots.with("soldered", || {
            let each = self.resistors.iter();
            words::and(each.map(|(ohms, ends)| format!("{} {}", words::count(ohms, "ohm"), between(*ends))))
        });
        slots.lines("resistors", self.resistors.iter().enumerate(), |line, (at, (ohms, [a, b]))| {
            line.text("number", at + 1).text("ohms", ohms).text("from", name(*a)).text("to", name(*b));
        });
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.solved(&mut |_| ()).unwrap_or(Rational::ZERO)
    }

    fn what(&self) -> String {
        if self.volts > 0 {
            format!("the potential of {}", name(self.asked))
        } else {
            format!("the resistance {}", between(self.ends))
        }
    }

    fn diagnosed(&self, wrong: &Rational, plain: Failure) -> Failure {
        let value = self.value();
        match () {
            () if self.volts > 0 && wrong.checked_add(value) == Some(Rational::from(self.volts as i64)) => {
                plain.also("other_end")
            }
            () if wrong.checked_mul(value) == Some(Rational::from(1)) => plain.also("upside_down"),
            () if self.volts == 0 && *wrong == self.all(false) => plain.also("all_in_series"),
            () if self.volts == 0 && *wrong == self.all(true) => plain.also("all_in_parallel"),
            () => plain,
        }
    }

    /// One part off by one, upside down, all in series or in parallel, one resistor larger by an ohm, from the other end.
    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
        let value = self.value();
        let (above, below) = (value.numerator(), value.denominator());
        let mut larger = self.clone();
        let at = rng.index(self.resistors.len());
        larger.resistors[at].0 += 1;
        let near = [
            Rational::new(above + 1, below),
            Rational::new(above - 1, below),
            Rational::new(above, below + 1),
            Rational::new(below, above),
            Rational::new(above + below, below),
            Rational::from(self.volts as i64).checked_sub(value).filter(|_| self.volts > 0),
            larger.solved(&mut |_| ()),
            Some(self.all(false)),
            Some(self.all(true)),
        ];
        near.into_iter().flatten().collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let [above, below] = [12, 3].map(|most| 1 + rng.below(most) as i64);
        let fraction = Rational::new(above.into(), below.into()).unwrap_or(Rational::ZERO);
        let first = Rational::from(self.resistors[0].0 as i64);
        vec![("a small fraction", fraction), ("the first resistance", first)]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Rational)> {
        let half = Rational::new(self.volts.into(), 2).unwrap_or(Rational::ZERO);
        vec![
            ("all in series, or half of the voltage", if self.volts > 0 { half } else { self.all(false) }),
            ("all in parallel", self.all(true)),
        ]
    }

    /// Point after point, those with the fewest resistors first.
    fn work(&self, work: &mut Work) {
        let mut steps = Vec::new();
        self.solved(&mut |step| steps.push((cost(step), worded(step))));
        for (cost, (hint, says)) in steps {
            work.hinted(cost, hint, says);
        }
        if self.volts > 0 {
            let (plus, minus, asked) = (name(self.ends[0]), name(self.ends[1]), name(self.asked));
            let says =
                format!("The resistances from {plus} to {asked} and on to {minus} divide the voltage.");
            work.hinted(6, "Divide the voltage.", says);
        }
    }

    fn consistent(&self) -> Result<(), String> {
        check::that(self.resistors.iter().all(|(_, [a, b])| a != b), || {
            "`resistors` must lead from one point to another".to_owned()
        })?;
        let [plus, minus] = self.ends;
        check::that(plus != minus && plus.max(minus).max(self.asked) < self.points(), || {
            "`ends` and `asked` must be points of `resistors`, and the `ends` different".to_owned()
        })?;
        check::that(self.are_connected(), || {
            "`resistors` must connect all points up to the last".to_owned()
        })?;
        check::that((self.asked == plus) == (self.volts == 0) && self.asked != minus, || {
            "`asked` must be the first end if `volts` is 0, and no end otherwise".to_owned()
        })?;
        let volts = Rational::from(self.volts as i64);
        let is_small = |value: &Rational| {
            value.numerator().abs().max(value.denominator()) <= LARGEST
                && *value != Rational::ZERO
                && *value != volts
        };
        check::that(self.solved(&mut |_| ()).as_ref().is_some_and(is_small), || {
            "`resistors` lead to a number of more than 12 digits, or to one of the ends alone".to_owned()
        })
    }

    /// Puts the potentials of all points into Kirchhoff's laws, which no others satisfy.
    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget.spend(self.points().pow(4) as u64).map_err(|over| over.to_string())?;
        let current = self.balanced()?;
        let by_law =
            if self.volts > 0 { self.potential(self.asked) } else { Rational::from(1).checked_div(current) };
        check::that(by_law == Some(self.value()), || format!("{} is another number", self.what()))?;
        Ok(Certificate::unique(format!("{} is {}, by Kirchhoff's laws", self.what(), self.value())))
    }

    /// The points by other letters, and the resistors in another order.
    fn disguised(mut self, rng: &mut Rng) -> Self {
        let mut to: Vec<usize> = (0..self.points()).collect();
        rng.shuffle(&mut to);
        rng.shuffle(&mut self.resistors);
        for (_, ends) in &mut self.resistors {
            *ends = ends.map(|end| to[end]);
            if rng.chance(1, 2) {
                ends.reverse();
            }
        }
        self.ends = self.ends.map(|end| to[end]);
        if self.volts == 0 && rng.chance(1, 2) {
            self.ends.reverse();
        }
        self.asked = if self.volts == 0 { self.ends[0] } else { to[self.asked] };
        self
    }

    /// The points that each resistor connects, whatever their letters.
    fn identity(&self) -> Vec<u8> {
        let relation = |kind: u64, members| Relation { kind, members };
        let connects = |(ohms, [a, b]): &(u64, [usize; 2])| relation(*ohms, vec![(0, *a), (0, *b)]);
        let mut relations: Vec<Relation> = self.resistors.iter().map(connects).collect();
        let [plus, minus] = self.ends;
        relations.push(match self.volts {
            0 => relation(1 << 20, vec![(0, plus), (0, minus)]),
            volts => relation(1 << 21 | volts, vec![(0, plus), (1, minus), (2, self.asked)]),
        });
        refinement::invariant(self.points(), &relations).to_be_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    /// Twelve equal resistors along the edges of a cube: 5/6 between opposite corners, 7/12 along an edge.
    #[test]
    fn a_cube_has_its_known_resistances() {
        let edges = (0..8).flat_map(|a| [1, 2, 4].map(|bit| [a, a | bit])).filter(|[a, b]| a != b);
        let resistors: Vec<_> = edges.map(|ends| (1, ends)).collect();
        let cube = |end| Value(Network { resistors: resistors.clone(), ends: [0, end], volts: 0, asked: 0 });
        for (end, known) in [(7, "5/6"), (3, "3/4"), (1, "7/12")] {
            passes(&cube(end), known);
            cube(end).certify(&mut Budget::new(10_000)).unwrap();
        }
        fails(&cube(7), "12", "all_in_series", "12 is not the resistance between A and H");
        fails(&cube(7), "6/5", "upside_down", "6/5 is not the resistance between A and H");
    }

    #[test]
    fn a_divider_is_read_from_its_second_end() {
        let divider =
            Value(Network { resistors: vec![(2, [0, 2]), (4, [2, 1])], ends: [0, 1], volts: 9, asked: 2 });
        passes(&divider, "6");
        fails(&divider, "3", "other_end", "3 is not the potential of C");
        let said = refused(&divider, |json| json["asked"] = 1.into());
        assert_eq!(said, "`asked` must be the first end if `volts` is 0, and no end otherwise");
    }
}
