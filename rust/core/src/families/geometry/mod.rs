//! Points and figures, by exact coordinates.

pub(super) mod coordinate_geometry;
