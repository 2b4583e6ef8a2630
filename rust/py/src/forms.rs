//! Ready-made forms of answers, for Python-defined families.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use reasonenv::shared::grid::Grid;
use reasonenv::task::form;
use reasonenv::task::verdict::{Failure, label};

use crate::args::{self, Text, Whole, shown};
use crate::errors::{InvalidArgument, Malformed};
use crate::text::{Texts, is_unicode};

/// Ready-made form of `reasonenv.kit.forms`: how an answer is asked for, read and written.
#[pyclass(frozen, module = "reasonenv.kit")]
pub struct ReadyForm(Kind);

enum Kind {
    Integer,
    Integers { count: usize, what: String },
    Numbers { what: String, most: usize },
    Choices { count: usize, what: String },
    Line { what: String },
    Lines { what: String },
    Words { what: String, words: Vec<String> },
    Assignment { noun: String, names: Vec<String>, values: Vec<String> },
    Route { names: Vec<String>, ends: form::Ends },
    Grid { what: String, rows: usize, columns: usize, low: i64, high: i64 },
}

/// Form of the core whose answers convert to and from Python.
trait Held: form::Form {
    fn to_python<'py>(&self, py: Python<'py>, read: Self::Read) -> PyResult<Bound<'py, PyAny>>;
    /// Convert a Python value; `None` if it is not an answer of the form.
    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Self::Read>>;
}

/// Operation on a form of any type.
trait Use {
    type Out;
    fn with<F: Held>(self, form: &F) -> PyResult<Self::Out>;
}

impl Kind {
    fn with<U: Use>(&self, work: U) -> PyResult<U::Out> {
        match self {
            Self::Integer => work.with(&form::Integer),
            Self::Integers { count, what } => work.with(&form::Integers { count: *count, what }),
            Self::Numbers { what, most } => work.with(&form::Numbers { what, most: *most }),
            Self::Choices { count, what } => work.with(&form::Choices { count: *count, what }),
            Self::Line { what } => work.with(&form::Line { what }),
            Self::Lines { what } => work.with(&form::Verbatim { what, lookalikes: &[] }),
            Self::Words { what, words } => {
                work.with(&form::Sequence { what: what.clone(), words: words.clone() })
            }
            Self::Assignment { noun, names, values } => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                work.with(&form::Assignment { noun, names, values: &values })
            }
            Self::Route { names, ends } => work.with(&form::Route {
                names,
                ends: *ends,
                place: "name",
                unknown: label::MALFORMED_ANSWER,
            }),
            Self::Grid { what, rows, columns, low, high } => work.with(&form::Grid::<i64> {
                what,
                rows: *rows,
                columns: *columns,
                low: *low,
                high: *high,
                empty: None,
            }),
        }
    }
}

struct Asks;
struct Sentence<'a>(&'a str);
struct Read<'a, 'py>(Python<'py>, &'a str);
struct Write<'a, 'py>(&'a Bound<'py, PyAny>);
struct Mangled<'a>(&'a str);

impl Use for Asks {
    type Out = String;
    fn with<F: Held>(self, form: &F) -> PyResult<String> {
        Ok(form.asks())
    }
}

impl Use for Sentence<'_> {
    type Out = String;
    fn with<F: Held>(self, form: &F) -> PyResult<String> {
        Ok(form.sentence(self.0))
    }
}

impl<'py> Use for Read<'_, 'py> {
    type Out = Bound<'py, PyAny>;
    fn with<F: Held>(self, form: &F) -> PyResult<Bound<'py, PyAny>> {
        let read = form.read(self.1.trim());
        form.to_python(self.0, read.map_err(|failure| malformed(&failure))?)
    }
}

impl Use for Write<'_, '_> {
    type Out = String;
    fn with<F: Held>(self, form: &F) -> PyResult<String> {
        let written = form.take(self.0)?.map(|answer| form.write(&answer));
        // Reject an answer that the form could not read back.
        written.filter(|text| form.read(text.trim()).is_ok()).ok_or_else(|| {
            let asks = form.asks();
            let asks = asks.trim_end_matches(',');
            InvalidArgument::new_err(format!("`answer` is {}, but must fit the form: {asks}", shown(self.0)))
        })
    }
}

impl Use for Mangled<'_> {
    type Out = Vec<String>;
    fn with<F: Held>(self, form: &F) -> PyResult<Vec<String>> {
        form.read(self.0.trim()).map_err(|failure| malformed(&failure))?;
        Ok(form.mangled(self.0))
    }
}

/// Return the exception for an answer that cannot be read.
fn malformed(failure: &Failure) -> PyErr {
    Malformed::new_err(failure.detail.clone())
}

impl Held for form::Integer {
    fn to_python<'py>(&self, py: Python<'py>, read: i64) -> PyResult<Bound<'py, PyAny>> {
        Ok(read.into_pyobject(py)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        whole(given)
    }
}

impl Held for form::Integers<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: Vec<i64>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, read)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<i64>>> {
        each(given, whole)
    }
}

impl Held for form::Numbers<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: Vec<i64>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, read)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<i64>>> {
        each(given, whole)
    }
}

impl Held for form::Choices<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: BTreeSet<usize>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, read)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<BTreeSet<usize>>> {
        let numbers =
            each(given, |number| Ok(whole(number)?.and_then(|number| usize::try_from(number).ok())))?;
        Ok(numbers.map(|numbers| numbers.into_iter().collect()))
    }
}

impl Held for form::Line<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: String) -> PyResult<Bound<'py, PyAny>> {
        Ok(read.into_pyobject(py)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        Ok(given.extract().ok())
    }
}

impl Held for form::Verbatim<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: String) -> PyResult<Bound<'py, PyAny>> {
        Ok(read.into_pyobject(py)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        Ok(given.extract().ok())
    }
}

impl Held for form::Sequence {
    fn to_python<'py>(&self, py: Python<'py>, read: Vec<usize>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, read.into_iter().map(|place| &self.words[place]))?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
        each(given, |word| place(word, &self.words))
    }
}

impl Held for form::Assignment<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: Vec<usize>) -> PyResult<Bound<'py, PyAny>> {
        let values = PyDict::new(py);
        for (name, value) in self.names.iter().zip(read) {
            values.set_item(name, self.values[value])?;
        }
        Ok(values.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
        let Ok(given) = given.cast::<PyDict>() else { return Ok(None) };
        if given.len() != self.names.len() {
            return Ok(None);
        }
        let mut values = Vec::new();
        for name in self.names {
            let Some(value) = given.get_item(name)? else { return Ok(None) };
            let Some(value) = place(&value, self.values)? else { return Ok(None) };
            values.push(value);
        }
        Ok(Some(values))
    }
}

impl Held for form::Route<'_> {
    fn to_python<'py>(&self, py: Python<'py>, read: Vec<usize>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, read.into_iter().map(|place| &self.names[place]))?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
        each(given, |name| place(name, self.names))
    }
}

impl Held for form::Grid<'_, i64> {
    fn to_python<'py>(&self, py: Python<'py>, read: Grid<i64>) -> PyResult<Bound<'py, PyAny>> {
        let rows = read.cells().chunks(self.columns).map(|row| PyList::new(py, row));
        Ok(PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)?.into_any())
    }

    fn take(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Grid<i64>>> {
        let rows = each(given, |row| each(row, whole))?;
        let fits =
            rows.filter(|rows| rows.len() == self.rows && rows.iter().all(|row| row.len() == self.columns));
        Ok(fits.map(|rows| Grid::new(self.columns, rows.concat())))
    }
}

fn whole(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    Ok(match given.extract::<Whole>()? {
        Whole::Number(number) => i64::try_from(number).ok(),
        Whole::Other(_) => None,
    })
}

/// Read each item of a sequence; `None` if `given` is not a sequence or an item cannot be read.
fn each<'py, T>(
    given: &Bound<'py, PyAny>,
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<Option<T>>,
) -> PyResult<Option<Vec<T>>> {
    let Ok(items) = args::items("", given, "") else { return Ok(None) };
    items.map(|item| read(&item?)).collect()
}

/// Return the index of a word in a list.
fn place<W: AsRef<str>>(given: &Bound<'_, PyAny>, words: &[W]) -> PyResult<Option<usize>> {
    let Text::Read(given) = given.extract::<Text>()? else { return Ok(None) };
    Ok(words.iter().position(|word| word.as_ref() == given))
}

/// Read `what`: the part of the prompt's sentence that says what to write.
fn what(given: &Text) -> PyResult<String> {
    let what = given.read("what")?.trim();
    if what.is_empty() || what.contains(['<', '>', '\n']) {
        let message =
            format!("`what` is {what:?}, but must be part of a sentence on one line, without < or >");
        return Err(InvalidArgument::new_err(message));
    }
    Ok(what.to_owned())
}

/// Read the names that an answer is made of: at least `fewest`, all different, without separators.
fn names(argument: &str, given: &Bound<'_, PyAny>, fewest: usize, parting: &[char]) -> PyResult<Vec<String>> {
    let texts = Texts::new(argument, given)?;
    let names: Vec<String> = texts.read_exactly(argument)?.into_iter().map(Cow::into_owned).collect();
    let refuse = |why: &dyn Display| Err(InvalidArgument::new_err(format!("`{argument}` {why}")));
    if names.len() < fewest {
        return refuse(&format_args!("has {} names, but must have {fewest} or more", names.len()));
    }
    let mut seen = BTreeSet::new();
    for (at, name) in names.iter().enumerate() {
        let bad = name.is_empty()
            || name.trim() != name
            || name.contains(parting)
            || name.contains(['<', '>', '\n']);
        if bad {
            let must = format!("must have no outer spaces and none of {parting:?}");
            return refuse(&format_args!("has {name:?} at {at}, but a name {must}"));
        }
        if !seen.insert(name.to_lowercase()) {
            return refuse(&format_args!("has {name:?} twice, or in other capitals"));
        }
    }
    Ok(names)
}

#[pymethods]
impl ReadyForm {
    /// Form of a whole number: `int`.
    #[staticmethod]
    fn integer() -> Self {
        Self(Kind::Integer)
    }

    /// Form of `count` whole numbers, two or more, separated by commas: `list[int]`.
    #[staticmethod]
    fn integers(count: Whole, what: Text) -> PyResult<Self> {
        let count = count.within("count", 2, 1_000)? as usize;
        Ok(Self(Kind::Integers { count, what: self::what(&what)? }))
    }

    /// Form of one or more whole numbers, separated by commas: `list[int]`.
    #[staticmethod]
    fn numbers(what: Text, most: Whole) -> PyResult<Self> {
        let most = most.within("most", 1, 10_000)? as usize;
        Ok(Self(Kind::Numbers { what: self::what(&what)?, most }))
    }

    /// Form of a selection, possibly empty, among `count` things numbered from 1: `list[int]` in increasing order.
    #[staticmethod]
    fn choices(count: Whole, what: Text) -> PyResult<Self> {
        let count = count.within("count", 1, 1_000)? as usize;
        Ok(Self(Kind::Choices { count, what: self::what(&what)? }))
    }

    /// Form of one line in which every character counts: `str`.
    #[staticmethod]
    fn line(what: Text) -> PyResult<Self> {
        Ok(Self(Kind::Line { what: self::what(&what)? }))
    }

    /// Form of several lines that must match exactly: `str`.
    #[staticmethod]
    fn lines(what: Text) -> PyResult<Self> {
        Ok(Self(Kind::Lines { what: self::what(&what)? }))
    }

    /// Form of words from a list, separated by commas: `list[str]`.
    #[staticmethod]
    fn words(what: Text, words: &Bound<'_, PyAny>) -> PyResult<Self> {
        let words = names("words", words, 1, &[','])?;
        Ok(Self(Kind::Words { what: self::what(&what)?, words }))
    }

    /// Form of a value for every name, in any order: `dict[str, str]`.
    #[staticmethod]
    fn assignment(noun: Text, names: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (noun, parting) = (what(&noun)?, [',', ':']);
        let (names, values) =
            (self::names("names", names, 1, &parting)?, self::names("values", values, 2, &parting)?);
        Ok(Self(Kind::Assignment { noun, names, values }))
    }

    /// Form of names in the order they are visited, joined by `->`: `list[str]`.
    #[staticmethod]
    #[pyo3(signature = (names, start=None, end=None, *, closed=false))]
    fn route(
        names: &Bound<'_, PyAny>,
        start: Option<Text>,
        end: Option<Text>,
        closed: bool,
    ) -> PyResult<Self> {
        let names = self::names("names", names, 1, &[',', '-', '>', ' '])?;
        let find = |argument: &str, name: &Text| {
            let name = name.read(argument)?;
            let unknown =
                || InvalidArgument::new_err(format!("`{argument}` is {name:?}, but must be one of `names`"));
            names.iter().position(|known| known == name).ok_or_else(unknown)
        };
        let ends = match (&start, &end) {
            (None, None) if closed => form::Ends::Closed,
            (None, None) => form::Ends::Free,
            (Some(start), Some(end)) if !closed => {
                form::Ends::Between(find("start", start)?, find("end", end)?)
            }
            _ => {
                let must = "must be given together, and not with `closed`";
                return Err(InvalidArgument::new_err(format!("`start` and `end` {must}")));
            }
        };
        Ok(Self(Kind::Route { names, ends }))
    }

    /// Form of a grid of whole numbers, one row per line: `list[list[int]]`.
    #[staticmethod]
    fn grid(what: Text, rows: Whole, columns: Whole, low: Whole, high: Whole) -> PyResult<Self> {
        let size = |name: &str, size: Whole| Ok::<_, PyErr>(size.within(name, 1, 100)? as usize);
        let low = low.signed("low", -1_000_000, 1_000_000)?;
        Ok(Self(Kind::Grid {
            what: self::what(&what)?,
            rows: size("rows", rows)?,
            columns: size("columns", columns)?,
            low,
            high: high.signed("high", low, 1_000_000)?,
        }))
    }

    /// Return what to write, as the start of a sentence that continues with "inside … tags".
    fn asks(&self) -> PyResult<String> {
        self.0.with(Asks)
    }

    /// Return the last sentence of every prompt.
    fn sentence(&self, tag: Text) -> PyResult<String> {
        self.0.with(Sentence(tag.read("tag")?))
    }

    /// Read an answer. Raises Malformed for everything that the sentence does not allow.
    fn read<'py>(&self, py: Python<'py>, text: Text) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(Read(py, text.read("text")?))
    }

    /// Write an answer as text that `read` accepts; raises InvalidArgument if there is no such text.
    fn write(&self, answer: &Bound<'_, PyAny>) -> PyResult<String> {
        match answer.cast::<pyo3::types::PyString>() {
            Ok(text) if !is_unicode(text) => {
                Err(InvalidArgument::new_err("`answer` has a lone surrogate, but must be Unicode"))
            }
            _ => self.0.with(Write(answer)),
        }
    }

    /// Return spellings of the right answer that the sentence does not allow.
    fn mangled(&self, right: Text) -> PyResult<Vec<String>> {
        self.0.with(Mangled(right.read("right")?))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Form: {}>", self.asks()?.trim_end_matches(',')))
    }
}
