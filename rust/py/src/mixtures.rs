//! Python class of mixtures.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyTuple};
use reasonenv::families;
use reasonenv::task::mixture;
use reasonenv::task::source as core_source;
use reasonenv::task::split::Split;
use serde_json::Map;

use crate::args::{self, Real, Text, Whole, shown};
use crate::batches::Batch;
use crate::errors::{InvalidArgument, to_py};
use crate::families::Family;
use crate::gil::caught;
use crate::sources::Source;
use crate::supply::{self, Items};
use crate::tasks::Task;
use crate::text::Reduced;

/// A source over several families: each index has a task of one of `sources`, drawn with `weights`.
///
/// A source is the name of a family or a `Family`, at level 0, a pair of one and a level, or a `Source` with its own
/// params, style and seed. `split` and `seed` apply to all but `Source`s. The task at an index is the one that the
/// drawn source has there, so no task appears twice; the draw depends only on the mixture, `seed` and the index.
/// `mixture[7]`, `mixture[0:100]` and iteration work as in a `Source`. A mapping gives each source its weight:
/// `Mixture({"chain_sum": 3, "sudoku": 1})`.
///
/// Raises InvalidArgument if `sources` is empty, if their splits differ, and unless there is a finite weight for
/// each source, none negative, some positive. Weights need not sum to 1.
#[pyclass(frozen, module = "reasonenv")]
pub struct Mixture {
    drawn: Arc<mixture::Mixture>,
    /// Arguments that it was made from, for pickle.
    sources: Vec<Source>,
    weights: Option<Vec<f64>>,
}

/// Read a family, given as a `Family` or by its name.
fn family(given: &Bound<'_, PyAny>) -> PyResult<Option<Family>> {
    match given.cast::<Family>() {
        Ok(family) => Ok(Some(Family(family.get().0))),
        Err(_) => match given.extract::<Text>()? {
            Text::Read(name) => Ok(Some(Family(families::find(&name).map_err(to_py)?))),
            Text::Other(_) => Ok(None),
        },
    }
}

/// Read the source at `sources[at]`.
fn source(given: &Bound<'_, PyAny>, at: usize, split: Split, seed: u64) -> PyResult<Source> {
    if let Ok(source) = given.cast::<Source>() {
        return Ok(source.get().clone());
    }
    let (named, level) = match given.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => (family(&pair.get_item(0)?)?, pair.get_item(1)?.extract()?),
        _ => (family(given)?, Whole::ZERO),
    };
    let Some(Family(family)) = named else {
        let must = "must be a family, its name, a pair of one and a level, or a Source";
        return Err(InvalidArgument::new_err(format!("`sources[{at}]` is {}, but {must}", shown(given))));
    };
    let (level, none) = (level.level(family)?, Map::new());
    let source = caught(|| core_source::Source::new(family, level, &none, split, seed, &none))?;
    Ok(Source::new(source.map_err(to_py)?, none))
}

/// Read each entry of the argument `name`.
fn entries<T>(
    name: &str,
    given: &Bound<'_, PyAny>,
    read: impl Fn(usize, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    if given.is_instance_of::<PyString>() {
        let message = format!("`{name}` is {}, but must be a sequence", shown(given));
        return Err(InvalidArgument::new_err(message));
    }
    let mut all = Vec::new();
    for (at, item) in args::items(name, given, "a sequence")?.enumerate() {
        if at == mixture::MOST_SOURCES {
            let message = format!("`{name}` has more than {at} entries, which is the most");
            return Err(InvalidArgument::new_err(message));
        }
        all.push(read(at, &item?)?);
    }
    Ok(all)
}

#[pymethods]
impl Mixture {
    #[new]
    #[pyo3(
        signature = (sources, *, weights=None, split=Text::from("train"), seed=Whole::ZERO),
        text_signature = "(sources, *, weights=None, split='train', seed=0)"
    )]
    fn new(
        sources: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        split: Text,
        seed: Whole,
    ) -> PyResult<Self> {
        let (split, seed) = (Split::find(split.read("split")?).map_err(to_py)?, seed.word("seed")?);
        let weighted = sources.cast::<PyMapping>().ok();
        if let (Some(weighted), Some(weights)) = (weighted, weights) {
            let (sources, weights) = (shown(weighted), shown(weights));
            let message =
                format!("`weights` is {weights}, but `sources` has weights: {sources}; leave one out");
            return Err(InvalidArgument::new_err(message));
        }
        let (sources, weights) = match weighted {
            Some(weighted) => (weighted.keys()?.into_any(), Some(weighted.values()?.into_any())),
            None => (sources.clone(), weights.cloned()),
        };
        let made = entries("sources", &sources, |at, given| source(given, at, split, seed))?;
        let weight =
            |at, given: &Bound<'_, PyAny>| given.extract::<Real>()?.number(&format!("weights[{at}]"));
        let weights = weights.map(|given| entries("weights", &given, weight)).transpose()?;
        let sources = made.iter().map(|source| source.source.clone()).collect();
        let mixture =
            mixture::Mixture::new(sources, weights.as_deref(), seed).map_err(InvalidArgument::new_err)?;
        Ok(Self { drawn: Arc::new(mixture), sources: made, weights })
    }

    /// Sources, in order.
    #[getter]
    fn sources(&self) -> Vec<Source> {
        self.sources.clone()
    }

    /// Probability of each source; they sum to 1.
    #[getter]
    fn weights(&self) -> Vec<f64> {
        self.drawn.weights()
    }

    /// Split of the tasks.
    #[getter]
    fn split(&self) -> &'static str {
        self.drawn.split().name()
    }

    /// Seed of the draws.
    #[getter]
    fn seed(&self) -> u64 {
        self.drawn.seed
    }

    /// Return the task at `index`.
    fn task(&self, py: Python<'_>, index: Whole) -> PyResult<Task> {
        supply::task(py, &self.drawn, index)
    }

    /// Return the tasks `start .. start + count`.
    fn batch(&self, py: Python<'_>, start: Whole, count: Whole) -> PyResult<Batch> {
        supply::batch(py, &self.drawn, start, count)
    }

    /// Return the tasks at any indices, in their order.
    #[pyo3(signature = (indices, /))]
    fn tasks(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Batch> {
        supply::tasks(py, &self.drawn, indices)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        supply::item(&self.drawn, index)
    }

    fn __iter__(&self) -> Items {
        Items::new(self.drawn.clone())
    }

    fn __repr__(&self) -> String {
        let sources = self.drawn.sources().iter().zip(self.drawn.weights());
        let named: Vec<String> = sources
            .map(|(source, weight)| match source.configured.level {
                Some(level) => format!("{weight:.3} {} level {level}", source.family.name()),
                None => format!("{weight:.3} {} {}", source.family.name(), source.configured.canonical),
            })
            .collect();
        format!("<Mixture of {}; {} seed {}>", named.join(", "), self.split(), self.seed())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Vec<Source>, Option<Vec<f64>>, u64)> {
        let rebuild = py.get_type::<Self>().getattr("_from_sources")?;
        Ok((rebuild, (self.sources.clone(), self.weights.clone(), self.seed())))
    }

    #[staticmethod]
    fn _from_sources(
        sources: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        seed: Whole,
    ) -> PyResult<Self> {
        Self::new(sources, weights, Text::from("train"), seed)
    }
}
