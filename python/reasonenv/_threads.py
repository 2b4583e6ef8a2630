"""The number of threads that the environment variable REASONENV_NUM_THREADS asks for."""

import os

from reasonenv import _start
from reasonenv._native import InvalidArgument, set_num_threads

VARIABLE = "REASONENV_NUM_THREADS"
"""The variable: a whole number of threads, 0 for one per core. Unset or empty, it says nothing."""


def use_environment() -> None:
    """Uses as many threads as the variable says; called once, when the package is imported.

    Raises:
        InvalidArgument: The variable is no number of threads.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return
    # By length first: Python reads no number of more than 4300 digits.
    threads = int(given) if given.isdecimal() and len(given) < 10 else given
    try:
        set_num_threads(threads)  # type: ignore[arg-type]  # text is refused there, with what would be right
    except InvalidArgument as error:
        msg = f"the environment variable {error}".replace("`threads`", f"`{VARIABLE}`", 1)
        if _start.IS_COMMAND_LINE:
            _start.refuse(msg)
        raise InvalidArgument(msg) from None
