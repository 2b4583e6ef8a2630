"""Number of threads from the environment variable REASONENV_NUM_THREADS."""

import os

from reasonenv import _start
from reasonenv._native import InvalidArgument, set_num_threads

VARIABLE = "REASONENV_NUM_THREADS"
"""Variable with a whole number of threads, 0 for one per core. Unset or empty, it has no effect."""


def use_environment() -> None:
    """Set the number of threads from the variable; called once, when the package is imported.

    Raises:
        InvalidArgument: The variable is not a number of threads.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return
    # The length comes first, since Python refuses numbers of more than 4300 digits.
    threads = int(given) if given.isdecimal() and len(given) < 10 else given
    try:
        set_num_threads(threads)  # type: ignore[arg-type]  # refuses text with an error
    except InvalidArgument as error:
        msg = f"the environment variable {error}".replace("`threads`", f"`{VARIABLE}`", 1)
        if _start.IS_COMMAND_LINE:
            _start.refuse(msg)
        raise InvalidArgument(msg) from None
