//! Rules to be found from examples.

pub(super) mod list_functions;
