"""Registration of Python-defined families and games in this process."""

import importlib
import importlib.metadata
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reasonenv import _checks, _ids, _native, _start
from reasonenv._files import search_working_folder
from reasonenv._native import Family, InvalidArgument
from reasonenv._native import Game as NativeGame
from reasonenv.kit import _params as own_params
from reasonenv.kit._asked import AskedFamily, described
from reasonenv.kit._asked_games import AskedGameFamily
from reasonenv.kit._family import About, TaskFamily, Template
from reasonenv.kit._game import GameAbout, GameRules

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MOST_LEVELS = 64

REGISTERED_GAMES: dict[str, type[GameRules[Any, Any]]] = {}
"""Python-defined games registered in this process, by name."""

VARIABLE = "REASONENV_IMPORT"
"""Environment variable with the comma-separated names of modules to import with this package."""

REGISTERED: dict[str, AskedFamily] = {}
"""Python-defined families registered in this process, by name."""
_JUDGED_BY = ("exact", "normalized", "constraints", "optimum", "proof", "execution")
_REASONING = ("think", "thinking", "reasoning")


def register_family(
    family: TaskFamily[Any, Any, Any] | type[TaskFamily[Any, Any, Any]], *, replace: bool = False
) -> Family:
    """Register a Python-defined family in this process under `about.name`.

    It then works like any built-in family: `reasonenv.family`, Gymnasium's ids, batches, mixtures and the
    command line. Its methods run on the calling thread, never in the pool. Every process needs it: a forked
    one inherits it; a spawned one imports the module that registers it, or finds it by an entry point of the
    group `reasonenv.families`.

    Args:
        family: A subclass of `reasonenv.kit.TaskFamily`, or an instance of one.
        replace: Whether to replace a Python-defined family of the same name. Tasks drawn before keep their
            family.

    Raises:
        InvalidArgument: A fact of the family is invalid; names it.
        Unsupported: Another family has this name.
    """
    made = _instance(family, TaskFamily, "family")
    about = made.about
    owner = _checks.shown(about.name) if isinstance(about, About) else type(made).__name__
    facts = _facts(made, owner)
    if facts["name"] in _native.list_games():
        msg = f"`about.name` is {facts['name']!r}, which is the name of a game; choose another"
        raise InvalidArgument(msg)
    templates = tuple((one, _takes_rng(one)) for one in _templates(made))
    asked = AskedFamily(made, templates)
    registered = _native._register_family(asked, described(facts), replace)
    REGISTERED[registered.name] = asked
    _ids.register_all()
    return registered


def register_game(kind: type[GameRules[Any, Any]], *, replace: bool = False) -> NativeGame:
    """Register a Python-defined game in this process under `about.name`.

    It then works like any built-in game: `reasonenv.game`, opponents, Gymnasium's ids and vector
    environments, the arena and the command line. Its methods run on the calling thread, never in the pool.
    Every process needs it, as for `register_family`; the group of entry points is `reasonenv.games`.

    Args:
        kind: A subclass of `reasonenv.kit.GameRules`; one instance is made for each choice of params.
        replace: Whether to replace a Python-defined game of the same name.

    Raises:
        InvalidArgument: A fact of the game is invalid; names it.
        GameError: With the default params, a method raised or returned an invalid value.
        Unsupported: Another game has this name.
    """
    if not (isinstance(kind, type) and issubclass(kind, GameRules)):
        msg = f"`kind` is {_checks.shown(kind)}, but must be a subclass of kit.GameRules"
        raise InvalidArgument(msg)
    facts = _game_facts(kind)
    if facts["name"] in _native.list_families():
        msg = f"`about.name` is {facts['name']!r}, which is the name of a family; choose another"
        raise InvalidArgument(msg)
    asked = AskedGameFamily(kind)
    # A game that cannot be made is not registered.
    defaults = {name: field["default"] for name, field in facts["schema"]["properties"].items()}
    asked.make(described(defaults))
    _native._register_game(asked, described(facts), replace)
    REGISTERED_GAMES[facts["name"]] = kind
    _ids.register_all()
    if (pettingzoo := sys.modules.get("reasonenv.pettingzoo")) is not None:
        pettingzoo.register_all()
    return _native.game(facts["name"])


def unregister_game(name: str) -> None:
    """Remove a Python-defined game. Games in progress keep it.

    Raises:
        UnknownGame: No game has this name.
        Unsupported: The game is built in.
    """
    own = _ids.env_id(_native.game(name).name)
    _native._unregister_game(name)
    REGISTERED_GAMES.pop(name, None)
    _ids.unregister(own)


def unregister_family(name: str) -> None:
    """Remove a Python-defined family. Tasks drawn from it keep it.

    Raises:
        UnknownFamily: No family has this name.
        Unsupported: The family is built in.
    """
    own = _ids.env_id(name)
    _native._unregister_family(name)
    REGISTERED.pop(name, None)
    _ids.unregister(own)


def load_entry_points(group: str, register: Callable[[Any], object]) -> None:
    """Register the entry points of other packages; one that fails gives a warning and is left out."""
    for entry in importlib.metadata.entry_points(group=group):
        try:
            register(entry.load())
        except Exception as error:  # somebody else's package must not break this one
            msg = f"the entry point {entry.name!r} of {group} was left out: {_checks.described(error)}"
            warnings.warn(msg, RuntimeWarning, stacklevel=2)


def import_modules() -> None:
    """Import the modules named in REASONENV_IMPORT, which register their families and games.

    Modules of the working folder are found too.

    Raises:
        InvalidArgument: A module cannot be imported.
    """
    names = [name for name in os.environ.get(VARIABLE, "").replace(" ", "").split(",") if name]
    if names:
        search_working_folder()
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            why = _checks.described(error)
            msg = f"the environment variable `{VARIABLE}` names {name!r}, which raised {why}"
            if _start.IS_COMMAND_LINE:
                _start.refuse(msg)
            raise InvalidArgument(msg) from error


def _instance(given: Any, kind: type, name: str) -> Any:
    if isinstance(given, type) and issubclass(given, kind):
        given = given()
    if not isinstance(given, kind):
        msg = (
            f"`{name}` is {_checks.shown(given)}, but must be a subclass of "
            f"kit.{kind.__name__}, or an instance"
        )
        raise InvalidArgument(msg)
    return given


def _facts(family: TaskFamily[Any, Any, Any], owner: str) -> dict[str, Any]:
    about = getattr(family, "about", None)
    if not isinstance(about, About):
        msg = f"`about` of {owner} is {_checks.shown(about)}, but must be a kit.About"
        raise InvalidArgument(msg)
    rate = _checks.number("about.guess_rate", about.guess_rate, 0, 1)
    score = (
        rate if about.guess_score is None else _checks.number("about.guess_score", about.guess_score, rate, 1)
    )
    schema = own_params.schema(getattr(family, "params", None), owner)
    levels = _levels(family, schema)
    tag = _name("about.answer_tag", about.answer_tag)
    if tag in _REASONING:
        msg = (
            f"`about.answer_tag` is {tag!r}, but must not be one of "
            f"{', '.join(_REASONING)}, which hold reasoning"
        )
        raise InvalidArgument(msg)
    common = _native.common_failures()
    _checks.one_of("about.reading", about.reading, _native.list_readings())
    _checks.one_of("about.judged_by", about.judged_by, _JUDGED_BY)
    _checks.flag("about.answer_in_prompt", about.answer_in_prompt)
    failures = _meanings("about.failures", about.failures)
    for label, _ in failures:
        if label in common:
            msg = f"`about.failures` has {label!r}, but must have labels beyond the common ones alone"
            raise InvalidArgument(msg)
    return {
        "name": _name("about.name", about.name),
        "domain": _name("about.domain", about.domain),
        "summary": _line("about.summary", about.summary),
        "changes": _lines("about.changes", about.changes),
        "distinct_from": _checks.whole("about.distinct_from", about.distinct_from, 0, len(levels) - 1),
        "judged_by": about.judged_by,
        "answer_tag": tag,
        "failures": failures,
        "parts": _meanings("about.parts", about.parts),
        "skills": [_name("about.skills", skill) for skill in _checks.texts("about.skills", about.skills)],
        "reading": about.reading,
        "guess_rate": rate,
        "guess_score": score,
        "templates": [(template.name, template.held_out) for template in _templates(family)],
        "schema": schema,
        "levels": levels,
    }


def _game_facts(kind: type[GameRules[Any, Any]]) -> dict[str, Any]:
    about = getattr(kind, "about", None)
    if not isinstance(about, GameAbout):
        msg = f"`about` of {kind.__name__} is {_checks.shown(about)}, but must be a kit.GameAbout"
        raise InvalidArgument(msg)
    players = [_line("about.players", player) for player in about.players]
    if len(players) != 2 or players[0] == players[1]:
        msg = f"`about.players` is {_checks.shown(about.players)}, but must be two names"
        raise InvalidArgument(msg)
    reason = about.unsolvable_reason
    if reason is None and (about.chance or about.hidden):
        reason = "a search goes through no chance and no hidden information"
    variants = [_checks.mapping(f"about.variants[{at}]", one) or {} for at, one in enumerate(about.variants)]
    return {
        "name": _name("about.name", about.name),
        "summary": _line("about.summary", about.summary),
        "changes": _lines("about.changes", about.changes),
        "players": players,
        "variants": variants or [{}],
        "chance": _checks.flag("about.chance", about.chance),
        "hidden": _checks.flag("about.hidden", about.hidden),
        "stakes": _checks.flag("about.stakes", about.stakes),
        "value": None if about.value is None else _checks.number("about.value", about.value),
        "max_plies": _checks.whole("about.max_plies", about.max_plies, 1, 100_000),
        "moves": _line("about.moves", about.moves),
        "unsolvable_reason": None if reason is None else _line("about.unsolvable_reason", reason),
        "exact_plies": _checks.whole("about.exact_plies", about.exact_plies, 0, 100_000),
        "schema": own_params.schema(getattr(kind, "params", None), about.name),
    }


def _levels(family: TaskFamily[Any, Any, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    given = getattr(family, "levels", None)
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable) or not (levels := list(given)):
        msg = f"`levels` is {_checks.shown(given)}, but must hold the params of each level, one at least"
        raise InvalidArgument(msg)
    if len(levels) > _MOST_LEVELS:
        msg = f"`levels` holds {len(levels)} params, but must hold at most {_MOST_LEVELS}"
        raise InvalidArgument(msg)
    for at, level in enumerate(levels):
        own_params.check(f"levels[{at}]", level, family.params, schema)
        try:
            family.check_params(level)
        except ValueError as error:
            raise InvalidArgument(f"`levels[{at}]` is refused by `check_params`: {error}") from error
    return [own_params.fields(level) for level in levels]


def _templates(family: TaskFamily[Any, Any, Any]) -> tuple[Template, ...]:
    given = family.templates
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        msg = f"`templates` is {_checks.shown(given)}, but must hold kit.Template objects"
        raise InvalidArgument(msg)
    templates = tuple(given)
    if not templates:
        return (Template("prompt", family.prompt),)
    for at, template in enumerate(templates):
        if not isinstance(template, Template) or not callable(template.word):
            msg = f"`templates[{at}]` is {_checks.shown(template)}, but must be a kit.Template of a function"
            raise InvalidArgument(msg)
        _name(f"templates[{at}].name", template.name)
    names = [template.name for template in templates]
    if len({*names}) < len(names):
        msg = f"`templates` have the names {', '.join(names)}, but must have a name of their own each"
        raise InvalidArgument(msg)
    if all(template.held_out for template in templates):
        msg = "`templates` are all held out of training, but one at least must not be"
        raise InvalidArgument(msg)
    return templates


def _takes_rng(template: Template) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(template.word).parameters.values()
    takes = sum(one.kind in kinds and one.default is one.empty for one in parameters)
    if takes not in (1, 2):
        must = "must take the problem, or the problem and a generator"
        msg = f"the template {template.name!r} takes {takes} arguments, but {must}"
        raise InvalidArgument(msg)
    return takes == 2


def _name(field: str, given: object) -> str:
    if not isinstance(given, str) or _NAME.fullmatch(given) is None:
        msg = f"`{field}` is {_checks.shown(given)}, but must be lower_case words of at most 64 characters"
        raise InvalidArgument(msg)
    return given


def _line(field: str, given: object) -> str:
    line = _checks.text(field, given)
    if not line.strip() or "\n" in line:
        msg = f"`{field}` is {_checks.shown(given)}, but must be one line of words"
        raise InvalidArgument(msg)
    return line.strip()


def _lines(field: str, given: object) -> list[str]:
    lines = [_line(f"{field}[{at}]", line) for at, line in enumerate(_checks.texts(field, given))]
    if not lines:
        msg = f"`{field}` is empty, but must have a line for each version, the first one too"
        raise InvalidArgument(msg)
    return lines


def _meanings(field: str, given: object) -> list[tuple[str, str]]:
    named = _checks.mapping(field, given) or {}
    return [(_name(field, name), _line(f"{field}[{name!r}]", means)) for name, means in named.items()]
