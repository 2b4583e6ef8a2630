//! Roundings, known digits, identities.

use super::*;
use kit::shared::decimal::natural;

fn with<T>(bits: usize, compute: impl FnOnce(&mut Context<'_, '_>) -> Result<T, Fault>) -> T {
    let mut budget = Budget::unlimited();
    let constants = Constants::default();
    compute(&mut Context { bits, constants, budget: &mut budget, reach: 0, complex: true }).expect("a value")
}

/// A decimal with `places` digits after the point.
fn decimal(digits: &str, places: u32) -> Ratio {
    let budget = &mut Budget::unlimited();
    let negative = digits.starts_with('-');
    let above = IBig::from(natural(digits.trim_start_matches('-'), budget).unwrap());
    Ratio { above: if negative { -above } else { above }, below: IBig::from(10).pow(places as usize) }
}

#[test]
fn roundings_go_outwards() {
    for digits in [-7_i64, 7, -8, 8, 1_000_001, -1_000_001] {
        let exact = Float::whole(digits);
        let (low, high) = (exact.clone().rounded(2, false), exact.clone().rounded(2, true));
        assert!(low.compare(&exact).is_le() && high.compare(&exact).is_ge(), "{digits}");
        assert!(low.digits.bit_len() <= 3 && high.digits.bit_len() <= 3, "{digits}");
    }
    // A part far below the precision still moves the end.
    let (large, trifle) = (Float::whole(1), Float::scaled(1, -100_000));
    assert!(large.plus(&trifle, 64, true).compare(&large).is_gt());
    assert!(large.plus(&trifle.negated(), 64, false).compare(&large).is_lt());
    assert!(large.plus(&trifle, 64, false).compare(&large).is_le());
}

#[test]
fn functions_hold_their_known_digits() {
    // Forty digits after the point, truncated.
    for (name, argument, digits) in [
        ("pi", (0, 1), "31415926535897932384626433832795028841971"),
        ("exp", (1, 1), "27182818284590452353602874713526624977572"),
        ("exp", (-3, 2), "2231301601484298289332804707640125213421"),
        ("exp", (30, 1), "106864745815244621469904686507414016500244950054730549"),
        ("ln", (10, 1), "23025850929940456840179914546843642076011"),
        ("ln", (1, 1000), "-69077552789821370520539743640530926228033"),
        ("sin", (1, 1), "8414709848078965066525023216302989996225"),
        ("cos", (1, 1), "5403023058681397174009366074429766037323"),
        ("sin", (100, 1), "-5063656411097587936565576104597854320650"),
        ("arctan", (2, 1), "11071487177940905030170654601785370400700"),
        ("arctan", (-1, 5), "-1973955598498807583700497651947902934475"),
        ("root", (2, 1), "14142135623730950488016887242096980785696"),
    ] {
        for bits in [64, 200, 700] {
            let value = with(bits, |context| {
                let of = context.ratio(&Ratio { above: argument.0.into(), below: argument.1.into() })?;
                match name {
                    "pi" => context.pi(),
                    "exp" => context.exp(&of),
                    "ln" => context.ln(&of),
                    "sin" => Ok(context.sin_cos(&of)?.0),
                    "cos" => Ok(context.sin_cos(&of)?.1),
                    "arctan" => context.arctan(&of),
                    _ => context.root(&of, 2),
                }
            });
            // The value is within one unit of the last digit.
            let known = with(900, |context| context.ratio(&decimal(digits, 40)));
            let unit = with(900, |context| context.ratio(&decimal("1", 40)));
            let (low, high) =
                with(900, |context| Ok((context.minus(&known, &unit)?, context.plus(&known, &unit)?)));
            let apart = value.low.compare(&high.high).is_gt() || value.high.compare(&low.low).is_lt();
            assert!(!apart, "{name} of {argument:?} at {bits} bits");
            if bits > 64 {
                let width = with(900, |context| context.minus(&value, &Interval::exact(value.low.clone())));
                assert!(width.top() < 40 - bits as i64, "{name} of {argument:?} at {bits} bits is wide");
            }
        }
    }
}

#[test]
fn identities_hold_in_intervals() {
    for above in [-977_i64, -31, -1, 1, 2, 17, 355, 10_007] {
        let of =
            |context: &mut Context<'_, '_>| context.ratio(&Ratio { above: above.into(), below: 113.into() });
        let one = Interval::whole(1);
        let circle = with(150, |context| {
            let of = of(context)?;
            let (sin, cos) = context.sin_cos(&of)?;
            let (a, b) = (context.power(&sin, 2)?, context.power(&cos, 2)?);
            let sum = context.plus(&a, &b)?;
            context.minus(&sum, &one)
        });
        assert!(circle.has_zero() && circle.top() < -120, "{above}");
        let inverse = with(150, |context| {
            let of = of(context)?;
            let exp = context.exp(&of)?;
            let back = context.ln(&exp)?;
            context.minus(&back, &of)
        });
        assert!(inverse.has_zero() && inverse.top() < -120, "{above}");
        let cube = with(150, |context| {
            let of = of(context)?;
            let root = context.root(&of, 3)?;
            let back = context.power(&root, 3)?;
            context.minus(&back, &of)
        });
        assert!(cube.has_zero() && cube.top() < -120, "{above}");
        let high = with(150, |context| {
            let of = of(context)?;
            let root = context.root(&of, 9)?;
            let back = context.power(&root, 9)?;
            context.minus(&back, &of)
        });
        assert!(high.has_zero() && high.top() < -110, "{above}");
    }
}
