"""Arrays of groups as callers give them, checked."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


def as_groups(name: str, values: ArrayLike, mask: ArrayLike | None) -> tuple[Floats, Bools]:
    """Numbers of shape (K,) or (n, K), and a mask of those that count; only these must be finite."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"`{name}` is {_checks.shown(values)}, but must be numbers of shape (K,) or (n, K)"
        raise InvalidArgument(msg) from None
    if given.ndim not in (1, 2):
        msg = f"`{name}` has {given.ndim} dimensions, but must have shape (K,) or (n, K)"
        raise InvalidArgument(msg)
    counts = as_mask(mask, values, given.shape, name)
    if not np.isfinite(given[counts]).all():
        wrong = given[counts & ~np.isfinite(given)][0]
        msg = f"`{name}` has {wrong}, but must be finite numbers"
        raise InvalidArgument(msg)
    return np.where(counts, given, 0.0), counts


def as_passed(values: ArrayLike, mask: ArrayLike | None, name: str = "passed") -> tuple[Bools, Bools]:
    """Booleans of shape (K,) or (n, K), and a mask of those that count."""
    try:
        given = np.asarray(values)
    except ValueError:
        given = np.empty(0, dtype=object)
    is_boolean = given.dtype == np.bool_ or (given.size == 0 and given.dtype != object)
    if not is_boolean and given.dtype.kind in "iuf":
        is_boolean = bool(np.isin(given, (0, 1)).all())
    if not is_boolean or given.ndim not in (1, 2):
        shown = _checks.shown(values)
        msg = f"`{name}` is {shown}, but must be True or False, or 1 or 0, of shape (K,) or (n, K)"
        raise InvalidArgument(msg)
    return given.astype(np.bool_), as_mask(mask, values, given.shape, name)


def as_mask(mask: ArrayLike | None, values: object, shape: tuple[int, ...], of: str) -> Bools:
    """Mask of the values that count; those hidden by a masked array never do."""
    shown = ~np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.ones(shape, np.bool_)
    if mask is None:
        return shown
    counts, _ = as_passed(mask, None, "mask")
    if counts.shape != shape:
        msg = f"`mask` has shape {counts.shape}, but must have that of `{of}`, {shape}"
        raise InvalidArgument(msg)
    return counts & shown
