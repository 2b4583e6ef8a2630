"""Pickles of the core's mixtures: `reasonenv.Mixture` is another class, which may hold rows."""

import copyreg
from typing import Any

from reasonenv import _native


def rebuilt(*given: Any) -> _native.Mixture:
    """Make the mixture of a pickle."""
    make: Any = getattr(_native.Mixture, "_from_sources")  # noqa: B009, the stubs leave it out
    return make(*given)  # type: ignore[no-any-return]


def register() -> None:
    """Let the core's mixtures pickle."""
    copyreg.pickle(_native.Mixture, lambda mixture: (rebuilt, mixture.__reduce__()[1]))  # type: ignore[arg-type,return-value]
