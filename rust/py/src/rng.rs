//! Python class of the frozen random number generator.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use reasonenv::rng::{self, Key};

use crate::args::{self, Text, Whole, shown};
use crate::errors::{Exhausted, InvalidArgument};

/// Words that one call of a family may draw: an endless search for a problem ends here.
pub const MOST_WORDS: u64 = 4_000_000;

/// The only source of randomness of tasks: draws that are the same on every machine and in every release.
///
/// Each method of a family that needs randomness receives one; `Rng(seed, index)` is for experiments.
/// docs/determinism.md specifies it.
#[pyclass(module = "reasonenv.kit")]
pub struct Rng {
    /// None once the call that borrowed it is over.
    words: Option<rng::Rng>,
    left: u64,
}

/// Lend a stream to Python code while `work` runs.
pub fn lent<T>(
    py: Python<'_>,
    rng: &mut rng::Rng,
    work: impl FnOnce(&Bound<'_, Rng>) -> PyResult<T>,
) -> PyResult<T> {
    let lent = Bound::new(py, Rng { words: Some(rng.taken()), left: MOST_WORDS })?;
    let result = work(&lent);
    // Another thread that got hold of it may be drawing.
    let back = lent.try_borrow_mut().ok().and_then(|mut lent| lent.words.take());
    *rng = back.ok_or_else(|| PyRuntimeError::new_err("`rng` is still drawn from when the call is over"))?;
    result
}

impl Rng {
    /// Return the stream, from which `words` words may be drawn now.
    fn draw(&mut self, words: u64) -> PyResult<&mut rng::Rng> {
        let Some(left) = self.left.checked_sub(words) else {
            return Err(Exhausted::new_err(format!("more than {MOST_WORDS} draws in one call")));
        };
        self.left = left;
        let over =
            || PyRuntimeError::new_err("`rng` may be drawn from only within the call that it was given to");
        self.words.as_mut().ok_or_else(over)
    }
}

#[pymethods]
impl Rng {
    #[new]
    #[pyo3(signature = (seed=Whole::ZERO, index=Whole::ZERO), text_signature = "(seed=0, index=0)")]
    fn new(seed: Whole, index: Whole) -> PyResult<Self> {
        let key = Key::new("kit", 1, "", seed.word("seed")?, "");
        Ok(Self { words: Some(key.stream(index.word("index")?)), left: u64::MAX })
    }

    /// Return 64 random bits as a whole number.
    fn word(&mut self) -> PyResult<u64> {
        Ok(self.draw(1)?.word())
    }

    /// Return a whole number from 0 to `n` - 1.
    fn below(&mut self, n: Whole) -> PyResult<u64> {
        let n = n.within("n", 1, u64::MAX)?;
        Ok(self.draw(1)?.below(n))
    }

    /// Return a whole number from `low` to `high`, both included.
    fn int(&mut self, low: Whole, high: Whole) -> PyResult<i64> {
        let low = low.signed("low", i64::MIN, i64::MAX)?;
        let high = high.signed("high", low, i64::MAX)?;
        Ok(self.draw(1)?.int(low, high))
    }

    /// Return True with probability `of / outcomes`.
    fn chance(&mut self, of: Whole, outcomes: Whole) -> PyResult<bool> {
        let outcomes = outcomes.within("outcomes", 1, u64::MAX)?;
        let of = of.within("of", 0, outcomes)?;
        Ok(self.draw(1)?.chance(of, outcomes))
    }

    /// Return one of the items of a sequence.
    #[pyo3(signature = (items, /))]
    fn pick<'py>(&mut self, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let count = length("items", items)?;
        let at = self.draw(1)?.index(count);
        items.get_item(at)
    }

    /// Return the items in random order, as a new list.
    #[pyo3(signature = (items, /))]
    fn shuffled<'py>(&mut self, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut all = args::items("items", items, "a sequence")?.collect::<PyResult<Vec<_>>>()?;
        self.draw(all.len() as u64)?.shuffle(&mut all);
        PyList::new(items.py(), all)
    }

    /// Return `count` of the items, drawn without replacement, in the order they are drawn.
    #[pyo3(signature = (items, count, /))]
    fn sample<'py>(&mut self, items: &Bound<'py, PyAny>, count: Whole) -> PyResult<Bound<'py, PyList>> {
        let mut all = args::items("items", items, "a sequence")?.collect::<PyResult<Vec<_>>>()?;
        let count = count.within("count", 0, all.len() as u64)? as usize;
        self.draw(all.len() as u64)?.shuffle(&mut all);
        all.truncate(count);
        PyList::new(items.py(), all)
    }

    /// Return an index drawn with probability proportional to its weight; weights are whole numbers.
    #[pyo3(signature = (weights, /))]
    fn weighted(&mut self, weights: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut all = Vec::new();
        let mut sum = 0u64;
        for (at, weight) in args::items("weights", weights, "a sequence of whole numbers")?.enumerate() {
            let weight = weight?.extract::<Whole>()?.within(&format!("weights[{at}]"), 0, u64::MAX - sum)?;
            sum += weight;
            all.push(weight);
        }
        if sum == 0 {
            let given = shown(weights);
            return Err(InvalidArgument::new_err(format!("`weights` is {given}, but one must be positive")));
        }
        Ok(self.draw(1)?.weighted(&all))
    }

    /// Return a separate generator for a purpose, so that its draws do not affect any others.
    fn derive(&mut self, purpose: Text) -> PyResult<Self> {
        let purpose = purpose.read("purpose")?.to_owned();
        let words = self.draw(1)?;
        let key = Key::new("kit", 1, &purpose, words.word(), "");
        Ok(Self { words: Some(key.stream(0)), left: self.left })
    }

    fn __repr__(&self) -> &'static str {
        if self.words.is_some() { "<Rng>" } else { "<Rng of a call that is over>" }
    }
}

/// Return the number of items, at least one.
fn length(name: &str, items: &Bound<'_, PyAny>) -> PyResult<usize> {
    match items.len() {
        Ok(count) if count > 0 => Ok(count),
        _ => {
            let given = shown(items);
            Err(InvalidArgument::new_err(format!(
                "`{name}` is {given}, but must be a sequence that is not empty"
            )))
        }
    }
}
