//! Task families: algebra, arithmetic, geometry, physics and probability.

use kit::task::erased::AnyFamily;

mod base_conversion;
mod basic_arithmetic;
mod calendar_arithmetic;
mod chain_sum;
mod congruences;
mod coordinate_geometry;
mod countdown;
mod cryptarithm;
mod exact_probability;
mod fraction_arithmetic;
mod gcd_lcm;
mod integration;
mod linear_system;
mod matrix_algebra;
mod modular_arithmetic;
mod new_operators;
mod number_sequence;
mod polynomial_multiplication;
mod prime_factorization;
mod resistor_network;
mod unit_conversion;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &base_conversion::BaseConversion,
    &basic_arithmetic::BasicArithmetic,
    &calendar_arithmetic::CalendarArithmetic,
    &chain_sum::ChainSum,
    &congruences::Congruences,
    &coordinate_geometry::CoordinateGeometry,
    &countdown::Countdown,
    &cryptarithm::Cryptarithm,
    &exact_probability::ExactProbability,
    &fraction_arithmetic::FractionArithmetic,
    &gcd_lcm::GcdLcm,
    &integration::Integration,
    &linear_system::LinearSystem,
    &matrix_algebra::MatrixAlgebra,
    &modular_arithmetic::ModularArithmetic,
    &new_operators::NewOperators,
    &number_sequence::NumberSequence,
    &polynomial_multiplication::PolynomialMultiplication,
    &prime_factorization::PrimeFactorization,
    &resistor_network::ResistorNetwork,
    &unit_conversion::UnitConversion,
];
