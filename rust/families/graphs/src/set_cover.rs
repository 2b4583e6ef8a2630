//! Choose a few sets that cover everything or much of it, or a few elements that hit every set.

use kit::prelude::*;
use kit::shape::optimum::{Broken, GAP, Optimizing, Optimum, Sense};
use kit::shared::route::{self, Naming};
use kit::task::permutation;
use kit::task::problem::{Disguise, Field, Nodes, Relations, Unlimited};

use crate::subsets::{Covering, Question, REPEATED, SOLVE_STEPS, Set, members, set_of};

pub struct SetCover;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Any,
    Cover,
    ExactCover,
    HittingSet,
    MaxCoverage,
}

impl Field for Kind {
    type Limits = ();

    fn check(&self, name: &str, (): &()) -> Result<(), String> {
        check::that(*self != Self::Any, || format!("`{name}` must name one kind of question"))
    }
}

impl Unlimited for Kind {
    fn limits() {}
}

params! {
    pub struct SetCoverParams {
        /// Question: `cover` (the fewest sets that cover all), `exact_cover` (the fewest that cover each element once),
        /// `hitting_set` (the fewest elements that hit every set), `max_coverage` (so many sets that cover the most),
        /// or `any` of these.
        kind: Kind [structure],
        /// Number of sets, and a half more for an exact cover; of elements, where elements are chosen.
        sets: u32 [7..=40],
        /// Number of elements; of sets, where elements are chosen.
        elements: u32 [7..=60],
        /// Usual number of elements in a set.
        size: u32 [2..=9],
    }
    levels {
        (Kind::Any, 8, 9, 3),
        (Kind::Any, 11, 12, 3),
        (Kind::Any, 14, 16, 4),
        (Kind::Any, 17, 21, 4),
        (Kind::Any, 21, 27, 5),
        (Kind::Any, 26, 33, 5),
        (Kind::Any, 31, 41, 5),
        (Kind::Any, 36, 47, 6),
        (Kind::Any, 40, 52, 7),
    }
    default 2
}

/// Named sets of elements, which are numbered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sets {
    names: Vec<String>,
    elements: usize,
    /// The elements of each set, in order.
    each: Vec<Vec<usize>>,
}

/// Largest numbers of sets and of elements.
const MOST: usize = 64;

impl Field for Sets {
    type Limits = ();

    fn check(&self, _: &str, (): &()) -> Result<(), String> {
        check::length("names", &self.names, 2..=MOST, "names")?;
        route::check_names(&self.names)?;
        check::within("elements", &self.elements, 2..=MOST)?;
        check::length("each", &self.each, self.names.len()..=self.names.len(), "sets")?;
        for (at, set) in self.each.iter().enumerate() {
            let fine = !set.is_empty()
                && set.is_sorted_by(|one, other| one < other)
                && set.iter().all(|element| *element < self.elements);
            check::that(fine, || format!("`each[{at}]` must hold elements below `elements`, in order"))?;
        }
        Ok(())
    }

    /// Renames and renumbers the sets, then the elements.
    fn disguise(&mut self, by: &mut Disguise<'_>) {
        let count = self.each.len();
        let (order, others) =
            (permutation::random(count, by.rng), permutation::random(self.elements, by.rng));
        let mut sets = vec![Vec::new(); count];
        for (at, set) in self.each.iter().enumerate() {
            sets[order[at]] = set.iter().map(|element| others[*element]).collect();
            sets[order[at]].sort_unstable();
        }
        (self.each, self.names) = (sets, named(count, by.rng));
        by.nodes = order.into_iter().chain(others.into_iter().map(|element| count + element)).collect();
    }

    fn relate(&self, _: &str, into: &mut Relations) {
        let (kind, count) = (into.kind(), self.each.len());
        into.nodes(count + self.elements);
        for (at, set) in self.each.iter().enumerate() {
            for element in set {
                into.between(kind, vec![(0, at), (1, count + element)]);
            }
        }
    }

    /// Adds an element to a set or takes one away, or leaves out a set or an element.
    fn edit(&mut self, _: Aim, (): &(), rng: &mut Rng) -> bool {
        let (at, element) = (rng.index(self.each.len()), rng.index(self.elements));
        match (rng.index(3), self.each[at].binary_search(&element)) {
            (0, _) => {
                self.each.remove(at);
                self.names.remove(at);
            }
            (1, _) => {
                self.elements -= 1;
                for set in &mut self.each {
                    set.retain(|other| *other != element);
                    set.iter_mut().filter(|other| **other > element).for_each(|other| *other -= 1);
                }
            }
            (_, Ok(place)) => drop(self.each[at].remove(place)),
            (_, Err(place)) => self.each[at].insert(place, element),
        }
        true
    }
}

/// Names that are not numbers: those are for elements.
fn named(sets: usize, rng: &mut Rng) -> Vec<String> {
    let naming = if rng.chance(1, 2) { Naming::Letters } else { Naming::Towns };
    naming.draw(sets, rng)
}

problem! {
    /// Sets, and what they or their elements are chosen for.
    pub struct Collection {
        kind: Kind,
        sets: Sets [()],
        /// Number of sets to choose if they are to cover as much as possible; otherwise 0.
        count: usize [0..=sets.each.len()],
        /// The choice: a set by its index or, where elements are chosen, an element plus the number of sets.
        chosen: Nodes [claim, among(sets.each.len() + sets.elements)],
    }
}

impl TaskFamily for SetCover {
    type Params = SetCoverParams;
    type Problem = Optimum<Collection>;

    const ABOUT: About = About {
        summary: "Choose the fewest sets that cover everything, or the fewest elements that hit every set.",
        skills: &["optimization", "set_operations", "backtracking"],
        guess_rate: 0.03,
        guess_score: 0.04,
        ..Optimum::<Collection>::about("graphs", "set_cover", &["First version."])
    };

    /// Draws sets until no rule of thumb finds an optimum, and random orders hardly ever do.
    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Optimum<Collection>> {
        let kinds = [Kind::Cover, Kind::ExactCover, Kind::HittingSet, Kind::MaxCoverage];
        let kind = if params.kind == Kind::Any { *rng.pick(&kinds) } else { params.kind };
        loop {
            let mut sets = Sets::draw(kind, params, rng);
            if kind == Kind::HittingSet {
                sets = sets.transposed();
            }
            let count = if kind == Kind::MaxCoverage { 2 + sets.each.len() / 8 } else { 0 };
            let mut collection = Collection { kind, sets, count, chosen: Nodes::default() };
            if !budget.wants(|| Fields::fingerprint(&collection))? {
                continue;
            }
            let mut steps = Budget::new(SOLVE_STEPS);
            let solved = collection.solve(&mut steps);
            budget.spend(steps.spent() + u64::from(params.sets))?;
            let mut drawn = Optimum(collection);
            let easy = |rng: &mut Rng| drawn.question().is_easy(drawn.value(&drawn.claimed()), rng);
            if solved.is_ok() && drawn.chosen.len() > 1 && drawn.is_beyond_thumb() && !easy(rng) {
                drawn.0.sets.names = named(drawn.sets.each.len(), rng);
                return Ok(drawn);
            }
        }
    }
}

impl Sets {
    /// Random sets which together hold all elements. For an exact cover, some of them are a partition.
    fn draw(kind: Kind, params: &SetCoverParams, rng: &mut Rng) -> Self {
        let (mut count, elements, size) =
            (params.sets as usize, params.elements as usize, params.size as usize);
        let mut order = permutation::random(elements, rng);
        let mut sets: Vec<Vec<usize>> = Vec::new();
        if kind == Kind::ExactCover {
            count += count / 2;
            let mut rest = &order[..];
            while !rest.is_empty() {
                let (part, more) = rest.split_at((size - 1 + rng.index(3)).min(rest.len()));
                sets.push(part.to_vec());
                rest = more;
            }
        }
        while sets.len() < count {
            let size = size - 1 + rng.index(3);
            rng.deal(&mut order, size);
            sets.push(order[..size.min(elements)].to_vec());
        }
        for element in 0..elements {
            if !sets.iter().any(|set| set.contains(&element)) {
                sets[rng.index(count)].push(element);
            }
        }
        for set in &mut sets {
            set.sort_unstable();
        }
        rng.shuffle(&mut sets);
        Self { names: vec![String::new(); sets.len()], elements, each: sets }
    }

    /// The sets as elements and the elements as sets.
    fn transposed(&self) -> Self {
        let holding = |element: usize| {
            (0..self.each.len()).filter(|at| self.each[*at].contains(&element)).collect::<Vec<usize>>()
        };
        let sets: Vec<_> = (0..self.elements).map(holding).collect();
        Self { names: vec![String::new(); sets.len()], elements: self.each.len(), each: sets }
    }
}

impl Collection {
    /// The first of the numbers that stand for what is chosen.
    fn base(&self) -> usize {
        if self.kind == Kind::HittingSet { self.sets.each.len() } else { 0 }
    }

    fn sets(&self) -> Vec<Set> {
        self.sets.each.iter().map(set_of).collect()
    }

    fn question(&self) -> Question {
        let (count, sets, dual) = (self.sets.each.len(), self.sets(), self.sets.transposed());
        let holding = dual.each.iter().map(set_of);
        match self.kind {
            Kind::HittingSet => Question::Least(Covering::new(self.sets.elements, sets)),
            Kind::Cover => Question::Least(Covering::new(count, holding)),
            Kind::ExactCover => Question::Least(Covering::exact(count, holding)),
            Kind::MaxCoverage | Kind::Any => Question::Coverage(sets, self.count),
        }
    }

    fn words(&self) -> Vec<String> {
        let numbers = || (1..=self.sets.elements).map(|element| element.to_string()).collect();
        if self.kind == Kind::HittingSet { numbers() } else { self.sets.names.clone() }
    }

    fn elements(set: Set) -> String {
        members(set).map(|element| element + 1).listed()
    }
}

impl Optimizing for Collection {
    type Answer = Vec<usize>;

    const HALF: u64 = 300;
    const BROKEN: &'static [Label] = &[
        REPEATED,
        ("uncovered_element", "an element is in none of the chosen sets"),
        ("covered_twice", "an element is in two of the sets of an exact cover"),
        ("missed_set", "a set holds none of the chosen elements"),
        ("wrong_count", "more or fewer sets are chosen than asked for"),
    ];
    const PARTS: &'static [Part] = &[Part::new(
        GAP,
        "size of this choice divided by that of a best one, or the inverse; 0 if it breaks a rule",
    )];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "sets",
            "Here are {count} sets of whole numbers from 1 to {last}:\n\n{sets:{name}: {elements}}\n\n\
             {cover?Choose as few of the sets as possible, so that every number from 1 to {last} is in at least one of \
             them.}{exact?Choose as few of the sets as possible, so that every number from 1 to {last} is in exactly one of \
             them.}{hitting?Choose as few numbers as possible, so that every set contains at least one of \
             them.}{coverage?Choose exactly {chosen} of the sets, so that as many different numbers as possible are in at \
             least one of them.} If several answers are equally good, any of them will do.",
        ),
        Prompt::new(
            "teams",
            "We have to plan days 1 to {last}. These are the days on which each team can work:\n\n{sets:- {name}: \
             {elements}}\n\n{cover?I'd like to hire as few teams as possible and have at least one that can work on each of \
             the days. Which ones should I hire?}{exact?I'd like to hire as few teams as possible, but on each of the days \
             exactly one team that I hire should be able to work. Which ones should I hire?}{hitting?I'd like to be at the \
             site on as few days as possible and still see every team on at least one of the days when it can work. On \
             which days should I be there?}{coverage?I'm going to hire exactly {chosen} teams, and I want as many days as \
             possible on which at least one of them can work. Which ones should I hire?} If there's a tie, pick any.",
        ),
        Prompt::new(
            "program",
            "U = set(range(1, {last} + 1))\nS = {{\n{sets:    \"{name}\": [{elements}],}\n}}\n\n\
             {cover?Find a smallest list of keys of S such that the union of their sets is U.}{exact?Find a smallest list \
             of keys of S such that their sets are pairwise disjoint and their union is U.}{hitting?Find a smallest list of \
             elements of U such that every set in S has at least one of them.}{coverage?Find a list of exactly {chosen} \
             different keys of S such that the union of their sets is as large as possible.} Any best list is accepted.",
        ),
        Prompt::held_out(
            "masts",
            "Radio masts can be built at {count} places. This is which of the villages 1 to {last} each of them would \
             reach:\n\n{sets:{name} reaches {elements}}\n\n{cover?Every village is to be reached by at least one mast. Where \
             should masts be built, if there are to be as few as possible?}{exact?Every village is to be reached by exactly \
             one mast, since two would interfere. Where should masts be built, if there are to be as few as \
             possible?}{hitting?All of the masts are built, and each of them needs a mechanic in at least one of the \
             villages that it reaches. In which villages should mechanics live, if as few villages as possible are to have \
             one?}{coverage?There is money for {chosen} masts, and all of it is to be spent. Where should they be \
             built, so that as many villages as possible are reached by at least one?} One best answer is enough.",
        ),
        Prompt::held_out(
            "table",
            "elements: 1 to {last}\nset | elements\n{sets:{name} | {elements}}\n\ntask: {cover?minimum set cover (choose as \
             few sets as possible such that each element is in one or more of them)}{exact?minimum exact cover (choose as \
             few sets as possible such that each element is in exactly one of them)}{hitting?minimum hitting \
             set (choose as few elements as possible such that each set has one or more of them)}{coverage?maximum coverage \
             (choose {chosen} sets, no more and no fewer, such that as many elements as possible are in one or more of \
             them)}\nties: any",
        ),
    ];

    fn sense(&self) -> Sense {
        match self.kind {
            Kind::HittingSet => Sense::Least("the number of elements"),
            Kind::MaxCoverage => Sense::Most("the number of covered elements"),
            _ => Sense::Least("the number of sets"),
        }
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("count", self.sets.each.len()).text("last", self.sets.elements).text("chosen", self.count);
        slots.either("cover", self.kind == Kind::Cover).either("exact", self.kind == Kind::ExactCover);
        slots.either("hitting", self.kind == Kind::HittingSet);
        slots.either("coverage", self.kind == Kind::MaxCoverage);
        slots.lines("sets", self.sets.names.iter().zip(self.sets()), |line, (name, set)| {
            line.text("name", name).text("elements", Self::elements(set));
        });
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let what = if self.kind == Kind::HittingSet { "numbers" } else { "names" };
        let what = format!("the {what} you choose, each once, in any order and");
        form::Sequence { what, words: self.words() }
    }

    fn allows(&self, chosen: &Vec<usize>) -> Result<(), Broken> {
        if let Some(at) = (1..chosen.len()).find(|at| chosen[..*at].contains(&chosen[*at])) {
            return Err(Broken::new(REPEATED.0, format!("{} is listed twice", self.words()[chosen[at]])));
        }
        let (held, sets) = (set_of(chosen), &self.sets.each);
        let times = |element: usize| chosen.iter().filter(|at| sets[**at].contains(&element)).count();
        let element =
            |fits: &dyn Fn(usize) -> bool| (0..self.sets.elements).find(|element| fits(times(*element)));
        let flaw = match self.kind {
            Kind::HittingSet => sets.iter().position(|set| set_of(set) & held == 0).map(|at| {
                ("missed_set", format!("{} holds none of the chosen elements", self.sets.names[at]))
            }),
            Kind::Cover | Kind::ExactCover => element(&|times| times == 0)
                .map(|lost| ("uncovered_element", format!("{} is in none of the chosen sets", lost + 1))),
            Kind::MaxCoverage | Kind::Any => (chosen.len() != self.count).then(|| {
                let (sets, asked) = (words::count(chosen.len(), "set"), self.count);
                ("wrong_count", format!("{sets} chosen, but {asked} asked for"))
            }),
        };
        let double = || (self.kind == Kind::ExactCover).then(|| element(&|times| times > 1)).flatten();
        let twice = |double: usize| ("covered_twice", format!("{} is in two of the chosen sets", double + 1));
        let flaw = flaw.or_else(|| double().map(twice));
        flaw.map_or(Ok(()), |(label, detail)| Err(Broken::new(label, detail)))
    }

    fn value(&self, chosen: &Vec<usize>) -> u64 {
        self.question().value(set_of(chosen))
    }

    fn claimed(&self) -> Vec<usize> {
        self.chosen.iter().map(|thing| thing.saturating_sub(self.base())).collect()
    }

    /// Claims nothing where no choice fits.
    fn solve(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let best = self.question().best(budget)?.unwrap_or(0);
        self.chosen = Nodes(members(best).map(|thing| thing + self.base()).collect());
        Ok(())
    }

    fn consistent(&self) -> Result<(), String> {
        check::that((self.count > 0) == (self.kind == Kind::MaxCoverage), || {
            format!("`count` is {}, but must be positive for `max_coverage` and 0 otherwise", self.count)
        })?;
        let things = self.base()..self.base() + self.question().things();
        check::each("chosen", &*self.chosen, |thing| things.contains(thing), "that is not to be chosen")
    }

    fn bound(&self, budget: &mut Budget) -> Result<(u64, String), Uncertified> {
        self.question().bound(&self.claimed(), self.sense(), budget)
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.question().another(rng)
    }

    fn rules_of_thumb(&self) -> impl Iterator<Item = (&'static str, Vec<usize>)> {
        self.question().thumbs().into_iter()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.question().guesses(&self.claimed(), rng)
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.question().shortcuts(rng)
    }

    fn spoiled(&self, faults: Faults, rng: &mut Rng) -> Vec<Miss<Vec<usize>>> {
        let right = self.claimed();
        let flaw = if self.kind == Kind::HittingSet { "missed_set" } else { "uncovered_element" };
        let mut misses = self.question().spoiled(&right, flaw, faults, rng);
        let others: Vec<usize> = (0..self.words().len()).filter(|thing| !right.contains(thing)).collect();
        let more = [&right[..], &others[..faults.of(others.len())]].concat();
        match self.kind {
            // All elements are covered without it.
            Kind::ExactCover if !others.is_empty() => misses.push(Miss::breaks("covered_twice", more)),
            Kind::MaxCoverage => {
                let fewer = right[..right.len().saturating_sub(faults.of(right.len()))].to_vec();
                let wrong = [more, fewer].into_iter().filter(|set| !set.is_empty() && *set != right);
                misses.extend(wrong.map(|wrong| Miss::breaks("wrong_count", wrong)));
            }
            _ => {}
        }
        misses
    }

    fn changed(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        self.question().changed(&self.claimed(), faults, rng)
    }

    fn work(&self, work: &mut Work) {
        let (question, sets) = (self.question(), self.sets());
        let covered = |chosen: Set| members(chosen).fold(0, |covered, at| covered | sets[at]);
        question.work(&self.claimed(), self.sense(), work, |before, thing| {
            if self.kind == Kind::HittingSet {
                let hit = |set: &Set| set & before == 0 && set >> thing & 1 == 1;
                let hit = sets.iter().zip(&self.sets.names).filter(|(set, _)| hit(set));
                let hit = hit.map(|(_, name)| name).listed();
                return (
                    "Look at the sets that are not yet hit.",
                    format!("take {}; it hits {hit}", thing + 1),
                );
            }
            let new = Self::elements(sets[thing] & !covered(before));
            let hint = "Look at the elements that are not yet covered.";
            (hint, format!("take {}; it adds {new}", self.sets.names[thing]))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, misjudged, passes, refused, rng};

    fn collection(kind: Kind, sets: &[&[usize]], count: usize) -> Optimum<Collection> {
        let sets = sets.iter().map(|set| set.iter().map(|element| element - 1).collect()).collect::<Vec<_>>();
        let names = Naming::Letters.draw(sets.len(), &mut rng(0));
        let sets = Sets { names, elements: 7, each: sets };
        let mut collection = Collection { kind, sets, count, chosen: Nodes::default() };
        collection.solve(&mut Budget::unlimited()).unwrap();
        let collection = Optimum(collection);
        collection.check().unwrap();
        collection.certify(&mut Budget::unlimited()).unwrap();
        collection
    }

    /// A well-known example of an exact cover by B, D and F.
    const KNOWN: [&[usize]; 6] = [&[1, 4, 7], &[1, 4], &[4, 5, 7], &[3, 5, 6], &[2, 3, 6, 7], &[2, 7]];

    #[test]
    fn an_exact_cover_has_each_element_once() {
        let exact = collection(Kind::ExactCover, &KNOWN, 0);
        passes(&exact, "B, F, D");
        fails(&exact, "B, D", "uncovered_element", "2 is in none of the chosen sets");
        fails(&exact, "A, D, F", "covered_twice", "7 is in two of the chosen sets");
        fails(&exact, "B, D, F, B", "repeated_name", "B is listed twice");
        let cover = collection(Kind::Cover, &KNOWN, 0);
        passes(&cover, "A, D, F");
        fails(&cover, "A, B, D, F", label::SUBOPTIMAL, "the number of sets is 4, 1 more than the minimum");
    }

    #[test]
    fn elements_hit_sets_and_few_sets_cover_much() {
        let hitting = collection(Kind::HittingSet, &KNOWN, 0);
        passes(&hitting, "7, 4, 3");
        fails(&hitting, "4, 7", "missed_set", "D holds none of the chosen elements");
        fails(
            &hitting,
            "A",
            label::MALFORMED_ANSWER,
            "`A` is not one of the words that may be used, like `1`",
        );
        let coverage = collection(Kind::MaxCoverage, &KNOWN, 2);
        passes(&coverage, "E, A");
        fails(&coverage, "A", "wrong_count", "1 set chosen, but 2 asked for");
        let few = "the number of covered elements is 3, 3 less than the maximum";
        fails(&coverage, "A, B", label::SUBOPTIMAL, few);
        let said = refused(&coverage, |json| json["count"] = 0.into());
        assert_eq!(said, "`count` is 0, but must be positive for `max_coverage` and 0 otherwise");
    }

    #[test]
    fn every_miss_is_wrong_for_its_reason() {
        for (kind, count) in
            [(Kind::Cover, 0), (Kind::ExactCover, 0), (Kind::HittingSet, 0), (Kind::MaxCoverage, 2)]
        {
            let (collection, mut rng) = (collection(kind, &KNOWN, count), rng(0));
            for faults in Faults::LADDER.into_iter().cycle().take(40) {
                assert_eq!(misjudged(&collection, collection.misses(faults, &mut rng)), None);
                let other = collection.another(&mut rng).unwrap();
                passes(&collection, &collection.form().write(&other));
            }
        }
    }
}
