//! Contracts as named cases: `contract::unit`, one for each unit that a contract covers.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Functions with their names: `named![attacks_fail, tasks_survive_json]`.
macro_rules! named {
    ($($function:ident),* $(,)?) => { &[$((stringify!($function), $function as _)),*] };
}

type Named<F> = [(&'static str, F)];

/// The cases of contracts about some units.
pub struct Cases<U: 'static> {
    units: Vec<(String, U)>,
    trials: Vec<Trial>,
}

impl<U: Clone + Send + 'static> Cases<U> {
    /// Leaves out the units that a filter `CONTRACT::UNIT` on the command line does not select, since whether a
    /// contract applies to a unit takes drawing its problems.
    pub fn new(mut units: Vec<(String, U)>) -> Self {
        let filter = Arguments::from_args().filter;
        if let Some((_, selected)) = filter.as_deref().and_then(|filter| filter.split_once("::")) {
            units.retain(|(name, _)| name.starts_with(selected));
        }
        Self { units, trials: Vec::new() }
    }

    /// Adds contracts for each unit.
    pub fn each(&mut self, contracts: &Named<fn(U)>) {
        self.each_that(|_| true, contracts);
    }

    /// Adds contracts for each unit to which they apply.
    pub fn each_that(&mut self, applies: impl Fn(U) -> bool, contracts: &Named<fn(U)>) {
        for (unit_name, unit) in self.units.iter().filter(|(_, unit)| applies(unit.clone())) {
            for (name, check) in contracts {
                let (check, unit) = (*check, unit.clone());
                self.trials.push(trial(format!("{name}::{unit_name}"), move || check(unit)));
            }
        }
    }

    /// Adds contracts for each unit that only `make test-all` runs.
    pub fn slow(&mut self, contracts: &Named<fn(U)>) {
        let quick = self.trials.len();
        self.each(contracts);
        let slow = self.trials.split_off(quick);
        self.trials.extend(slow.into_iter().map(|trial| trial.with_ignored_flag(true)));
    }

    /// Adds tests of all units together, or of none in particular.
    pub fn once(&mut self, tests: &Named<fn()>) {
        self.trials.extend(tests.iter().map(|(name, check)| trial((*name).to_owned(), *check)));
    }

    /// Runs the cases that the command line selects. It is an error if it selects none.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_args();
        let listed = self.trials.len() as u64;
        let done = libtest_mimic::run(&arguments, self.trials);
        if let (Some(filter), true) = (&arguments.filter, done.num_filtered_out == listed) {
            eprintln!("error: no case has `{filter}` in its name");
            return ExitCode::FAILURE;
        }
        done.exit_code()
    }
}

fn trial(name: String, check: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        check();
        Ok(())
    })
}
