//! Partial credit for valid solutions that are not optimal.

/// Credit in `0..=1` for a solution of some cost: 1 for the best cost, falling ever more slowly to 0 at the
/// cost of naive play. If naive play is already optimal, nothing worse earns credit.
pub fn credit(cost: u64, best: u64, naive: u64) -> f32 {
    let (more, room) = (cost.saturating_sub(best), naive.saturating_sub(best));
    if more >= room {
        return 0.0;
    }
    let saved = (room - more) as f32 / room as f32;
    saved * saved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "quarters are exact")]
    fn credit_falls_from_the_best_to_what_naive_play_costs() {
        let credits = [10, 11, 12, 13, 14, 15, u64::MAX].map(|cost| credit(cost, 10, 14));
        assert_eq!(credits, [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0, 0.0]);
        // A problem from an untrusted source may claim a cost that is not optimal.
        for (cost, best, naive) in [(10, 10, 10), (12, 10, 9), (9, 10, 8), (0, u64::MAX, 0)] {
            assert_eq!(credit(cost, best, naive), 0.0, "{cost} {best} {naive}");
        }
    }
}
