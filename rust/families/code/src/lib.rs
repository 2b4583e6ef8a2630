//! Task families: code and induction.

use kit::task::erased::AnyFamily;

mod drawing;
mod list_functions;
mod program_induction;
mod program_input;
mod program_output;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &list_functions::ListFunctions,
    &program_induction::ProgramInduction,
    &program_input::ProgramInput,
    &program_output::ProgramOutput,
];
