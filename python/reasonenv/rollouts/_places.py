"""Objects of the user by import path, `package.module:attribute`."""

import importlib
import inspect
import operator
from collections.abc import Mapping
from typing import Any

from reasonenv import _checks
from reasonenv._files import search_working_folder
from reasonenv._native import InvalidArgument, ReasonEnvError


def is_place(name: str) -> bool:
    """True if a name has the form `package.module:attribute`; in `noisy:0.5`, 0.5 isn't an attribute."""
    module, colon, attribute = name.partition(":")
    return bool(module and colon) and all(part.isidentifier() for part in attribute.split("."))


def imported(key: str, place: str) -> Any:
    """The object at an import path; modules of the working folder are found too.

    Raises:
        InvalidArgument: It cannot be imported; says why.
    """
    search_working_folder()
    try:
        return found(place)
    except Exception as error:
        module = place.partition(":")[0]
        why = _checks.described(error)
        if module.endswith(".py"):
            why = f"write `{module[:-3].replace('/', '.')}` for the module"
        elif isinstance(error, ImportError | AttributeError):
            why = str(error)
        msg = f"`{key}` is `{place}`, which cannot be imported: {why}"
        raise InvalidArgument(msg) from error


def found(place: str) -> Any:
    """The object at `package.module:attribute`."""
    module, _, attribute = place.partition(":")
    return operator.attrgetter(attribute)(importlib.import_module(module))


def built(
    key: str, name: str, make: Any, arguments: Mapping[str, Any], more: Mapping[str, Any] | None = None
) -> Any:
    """Part that a maker returns for these arguments.

    A function or object of the user without arguments is the part itself; a class is instantiated.

    Args:
        key: The key or argument that names the part, for errors.
        name: The part's name there.
        make: A class, a function or the part itself.
        arguments: Its arguments.
        more: Arguments that it gets if it accepts them.

    Raises:
        ReasonEnvError: The maker doesn't accept these arguments, or needs others; names the key.
    """
    if not callable(make) or (is_place(name) and not inspect.isclass(make) and not arguments):
        return make
    parameters = inspect.signature(make).parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    for argument in arguments:
        if not takes_all and argument not in parameters:
            raise _checks.no_argument(f"{key} `{name}`", argument, parameters)
    fitting = {argument: value for argument, value in (more or {}).items() if argument in parameters}
    needed = [
        f"`{one.name}`"
        for one in parameters.values()
        if one.default is one.empty
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        and one.name not in fitting | dict(arguments)
    ]
    if needed:
        msg = f"`{key}`, which is {name}, needs {' and '.join(needed)}; give its arguments beside `name`"
        raise InvalidArgument(f"{msg} in a file for `reasonenv run`" if is_place(name) else msg)
    try:
        return make(**(fitting | dict(arguments)))
    except ReasonEnvError as error:
        raise type(error)(f"`{key}`: {error}") from None
    except TypeError as error:
        msg = f"`{key}`, which is {name}: {error}; give its arguments beside `name`"
        raise InvalidArgument(msg) from error
