//! New NumPy arrays.

use numpy::ndarray::ArrayView;
use numpy::{IxDyn, PyArray, PyArray1, PyArrayDyn};
use pyo3::prelude::*;

/// Most cells that are written on the stack before they become an array.
pub const FEW: usize = 128;

/// Return a new array of a shape. Shapes of known length are faster.
pub fn shaped<'py>(py: Python<'py>, cells: &[f32], shape: &[usize]) -> Bound<'py, PyAny> {
    const FITS: &str = "cells fill the shape";
    match *shape {
        [_] => PyArray1::from_slice(py, cells).into_any(),
        [planes, rows, columns] => {
            let view = ArrayView::from_shape((planes, rows, columns), cells);
            PyArray::from_array(py, &view.expect(FITS)).into_any()
        }
        _ => PyArray::from_array(py, &ArrayView::from_shape(shape, cells).expect(FITS)).into_any(),
    }
}

/// Return a new array of `count` rows of a shape.
pub fn rows<'py, T: numpy::Element>(
    py: Python<'py>,
    count: usize,
    shape: &[usize],
) -> Bound<'py, PyArrayDyn<T>> {
    let shape: Vec<usize> = std::iter::once(count).chain(shape.iter().copied()).collect();
    PyArray::zeros(py, IxDyn(&shape), false)
}
