//! Activities with their times, in words.

use kit::task::problem::Template;
use kit::task::selection::Selecting as _;
use kit::words::count;

use super::Offers;

/// `9:05` for 545 minutes.
fn clock(minutes: u32) -> String {
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

pub const TEMPLATES: &[Template<Offers>] = &[
    Template::plain("activities", |problem| {
        format!(
            "Each line below gives the name of an activity{} its start and end times in minutes{}.\n\n{}\n\nOnly \
         one activity can take place at a time, and each must be carried out from its start to its end. An activity may \
         start at the very minute at which another one ends. Choose {}. If several choices are equally good, any of them \
         will do.",
            problem.either(",", " and"),
            problem.either(", and its value", ""),
            problem.listed(),
            problem.either(
                "activities that do not overlap, so that the sum of their values is as large as possible",
                "as many activities as possible that do not overlap"
            )
        )
    }),
    Template::plain("room", |problem| {
        format!(
            "Booking requests for one hall (times are hours:minutes)\n\nbooking,from,to{}\n{}\n\nConstraint: accepted \
         bookings do not overlap; one may begin exactly when another ends\nDecision: accept each booking as a whole or \
         reject it\nObjective: {}\nTies: any optimal choice is accepted\n",
            problem.either(",fee", ""),
            problem.lines(|name, (start, end, value)| format!(
                "{name},{},{}{}",
                clock(start),
                clock(end),
                problem.valued(format!(",{value}"))
            )),
            problem
                .either("largest total fee of the accepted bookings", "accept as many bookings as possible")
        )
    }),
    Template::plain("message", |problem| {
        format!(
            "Can you help me choose gigs for the festival? I've been offered all of these; the times are minutes after the \
         gates open.\n\n{}\n\nI can only be on one stage at a time, and once I take a gig, I have to play all of it. The \
         stages are next to each other, so I can start a gig at the very minute another one ends. Which gigs should I \
         take to {} as possible? If there's a tie, any of the best choices is fine.",
            problem.lines(|name, (start, end, value)| {
                format!("{name}{}, from {start} to {end}", problem.valued(format!(" pays ${value}")))
            }),
            problem.either("earn as much", "play as many")
        )
    }),
    Template::held_out_plain("telescope", |problem| {
        format!(
        "An observatory has a single telescope, and tonight more astronomers want to use it than there is time for. Each \
         request {}asks for the telescope from one time to another, given in minutes after \
         sunset:\n\n{}\n\nThe telescope serves only one request at a time. A request is granted for its whole time or \
         turned down, and since the telescope turns in no time, one request may begin at the moment another ends. Help \
         the night manager {}, any of them is fine.",
        problem.either("has a priority and ", ""),
        problem.lines(|name, (start, end, value)| {
            let points = problem.valued(format!("{}, ", count(value, "point")));
            format!("{name}: {points}from {start} to {end}")
        }),
        problem.either(
            "choose the requests with the largest possible sum of points. If more than one choice has that sum",
            "grant as many requests as possible. If more than one choice grants that many"
        )
    )
    }),
    Template::held_out_plain("intervals", |problem| {
        format!(
            "Consider these named {}intervals of time t.\n\n{}\n\nTwo intervals are compatible if they have no \
         time t in common. Find a set of {}; if there are several, any one of them is correct.",
            problem.either("and weighted ", ""),
            problem.lines(|name, (start, end, value)| {
                format!("{name}: {start} <= t < {end}{}", problem.valued(format!(", weight {value}")))
            }),
            problem.either(
                "pairwise compatible intervals of maximum total weight",
                "as many pairwise compatible intervals as possible"
            )
        )
    }),
];
